/* Container logs: repeats and gaps by offset, the cap, reading on from a position, sweeping. */
#include "server/logs/logs.h"

#include "tests/unit/server/server_fixture.h"

static struct logs *logs;
static struct arena arena;
static const struct id task = { { 1, 2, 3 } }, other = { { 4, 5, 6 } };

static int64_t now_ms = 1000;

static bool append(struct id id, const char *container, int64_t offset, struct str text)
{
    struct err err = { 0 };
    const struct log_piece piece = { .text = text, .offset = offset, .now_ms = now_ms };
    bool good = logs_append(logs, id, str_from(container), &piece, NULL, &err);
    if (!good) { CHECK("a refusal has words", err.code != ERR_NONE && err.message[0] != '\0'); }
    return good;
}

static struct str read_from(struct id id, const char *container, int64_t *position, size_t limit)
{
    struct buf out = buf_in(&arena);
    (void)logs_read(logs, id, str_from(container), position, limit, &out);
    return buf_str(&out);
}

static struct str read_all(struct id id, const char *container)
{
    int64_t position = 0;
    return read_from(id, container, &position, SIZE_MAX / 8);
}

static void test_offsets(void)
{
    static const struct { const char *name; int64_t offset; const char *text, *want; } rows[] = {
        { "the first chunk",               0,  "hello ",   "hello " },
        { "the next",                      6,  "world\n",  "hello world\n" },
        { "the same again",                6,  "world\n",  "hello world\n" },
        { "an old one",                    0,  "hello ",   "hello world\n" },
        { "known bytes and new ones",      6,  "world\nmore", "hello world\nmore" },
        { "one byte behind the end",       15, "e!",       "hello world\nmore!" },
        { "without an offset",             -1, "?",        "hello world\nmore!?" },
        { "nothing",                       18, "",         "hello world\nmore!?" },
        { "a gap: what came before is not kept", 100, "late", "[berth: 0000000000000000100 earlier bytes are not kept]\nlate" },
        { "on from there",                 104, "r",       "[berth: 0000000000000000100 earlier bytes are not kept]\nlater" },
        { "a repeat behind a gap",         100, "later",   "[berth: 0000000000000000100 earlier bytes are not kept]\nlater" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK(rows[r].name, append(task, "main", rows[r].offset, str_from(rows[r].text)));
        CHECK_STR(rows[r].name, read_all(task, "main"), str_from(rows[r].want));
    }
}

/* One who can send earlier bytes is asked for those that are missing, as far as they would be kept; until they come nothing is added. */
static void test_missing(void)
{
    static const struct { const char *name; int64_t offset; const char *text; int64_t missing; const char *want; } rows[] = {
        { "a log begins behind its beginning", 6, "world\n", 0, "" },
        { "from the beginning", 0, "hello ", -1, "hello " },
        { "on from there", 6, "world\n", -1, "hello world\n" },
        { "a gap of one byte", 13, "x", 12, "hello world\n" },
        { "a gap as large as a log", 12 + LOGS_FILE_MAX, "x", 12, "hello world\n" },
        { "a larger one: what would go is not asked for", 13 + LOGS_FILE_MAX, "x", 13, "hello world\n" },
        { "a repeat", 0, "hello ", -1, "hello world\n" },
        { "without an offset", -1, "!", -1, "hello world\n!" },
    };
    const struct id fresh = { { 77, 1 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        int64_t missing = 77;
        const struct log_piece piece = { .text = str_from(rows[r].text), .offset = rows[r].offset, .now_ms = now_ms };
        CHECK(rows[r].name, logs_append(logs, fresh, STR("main"), &piece, &missing, &err));
        CHECK_EQ(rows[r].name, missing, rows[r].missing);
        CHECK_STR(rows[r].name, read_all(fresh, "main"), str_from(rows[r].want));
    }
}

static void test_cap(void)
{
    enum { LINE = 64 };
    char *half = arena_alloc(&arena, LOGS_FILE_MAX / 2, 1);
    for (size_t i = 0; i < LOGS_FILE_MAX / 2; i++) { half[i] = i % LINE == LINE - 1 ? '\n' : 'a'; }
    struct str chunk = { half, LOGS_FILE_MAX / 2 };
    CHECK("half", append(other, "main", 0, chunk));
    CHECK("full to the last byte", append(other, "main", LOGS_FILE_MAX / 2, chunk));
    CHECK_EQ("all of it is there", read_all(other, "main").len, LOGS_FILE_MAX);
    CHECK("one byte more", append(other, "main", LOGS_FILE_MAX, STR("b")));
    struct str text = read_all(other, "main");
    CHECK("the older half has gone", text.len < LOGS_FILE_MAX / 2 + 2 * LINE);
    CHECK("and no more than that", text.len > LOGS_FILE_MAX / 2 - 2 * LINE);
    CHECK("a line says so", str_starts_with(text, STR("[berth: 00000000000005")));
    size_t mark = str_find(text, '\n') + 1;
    CHECK_EQ("what stays begins with a whole line", (text.len - mark) % LINE, 1);
    CHECK("the newest byte stays", str_ends_with(text, STR("\nb")));
    CHECK("offsets go on", append(other, "main", LOGS_FILE_MAX + 1, STR("c")));
    CHECK("a repeat is still known", append(other, "main", LOGS_FILE_MAX, STR("bc")));
    CHECK("and adds nothing", str_ends_with(read_all(other, "main"), STR("\nbc")));

    int64_t position = LOGS_FILE_MAX + 1;
    CHECK_STR("a reader who was there reads on", read_from(other, "main", &position, 100), STR("c"));
    CHECK_EQ("to the end", position, LOGS_FILE_MAX + 2);
    position = 10;
    CHECK("a reader that fell behind is warned", str_starts_with(read_from(other, "main", &position, 1), STR("[berth: ")));
}

static void test_pieces(void)
{
    struct id id = { { 7 } };
    int64_t position = 0;
    CHECK("append", append(id, "side", 0, STR("abcdef")));
    CHECK_STR("a piece", read_from(id, "side", &position, 4), STR("abcd"));
    CHECK_STR("the rest", read_from(id, "side", &position, 4), STR("ef"));
    CHECK_STR("no more", read_from(id, "side", &position, 4), STR(""));
    struct buf out = buf_in(&arena);
    CHECK("a container without a log", !logs_read(logs, id, STR("none"), &position, 4, &out));
    CHECK("another container", append(id, "main", 0, STR("x")));
    struct str names[4];
    CHECK_EQ("both are listed", logs_containers(logs, id, names, 4, &arena), 2);
    CHECK_EQ("a task without logs", logs_containers(logs, (struct id){ { 9 } }, names, 4, &arena), 0);
}

static void test_limits(void)
{
    struct id id = { { 8 } };
    for (int c = 0; c < LOGS_CONTAINERS_MAX; c++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", c);
        CHECK(name, append(id, name, 0, STR("x")));
    }
    CHECK("one container too many", !append(id, "more", 0, STR("x")));
    CHECK("a known one goes on", append(id, "c0", 1, STR("y")));
    CHECK_STR("text that looks like a mark is text", (append(id, "c1", 1, STR("[berth: no")), read_all(id, "c1")), STR("x[berth: no"));
}

static const struct id past = { { 0x12, 0x34, 0x56, 7 } };

/* `context` is the fate of the task that has a past. */
static enum log_fate fate_of(void *context, struct id id)
{
    if (id_eq(id, past)) { return *(const enum log_fate *)context; }
    return id_eq(id, task) ? LOG_STAYS : LOG_GOES;
}

static void test_sweep(void)
{
    struct str names[4];
    enum log_fate fate = LOG_GOES;
    logs_sweep(logs, fate_of, &fate);
    CHECK_EQ("a task that exists keeps its logs", logs_containers(logs, task, names, 4, &arena), 1);
    CHECK_EQ("one that is gone does not", logs_containers(logs, other, names, 4, &arena), 0);
}

static struct str read_end(struct id id, const char *container, size_t limit, int64_t *before)
{
    struct buf out = buf_in(&arena);
    *before = -1;
    (void)logs_read_end(logs, id, str_from(container), limit, before, &out);
    return buf_str(&out);
}

static void test_end(void)
{
    int64_t before;
    struct id id = { { 6 } };
    CHECK("append", append(id, "main", 0, STR("one\ntwo\nthree\n")));
    static const struct { const char *row; size_t limit; const char *want; int64_t before; } rows[] = {
        { "all",                         14,  "one\ntwo\nthree\n", 0 },
        { "more than all",               100, "one\ntwo\nthree\n", 0 },
        { "without the first byte",      13,  "two\nthree\n",      4 },
        { "a piece of a line and a line", 7,  "three\n",           8 },
        { "within the last line",        3,   "ee\n",              11 },
        { "nothing",                     0,   "",                  14 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_STR(rows[r].row, read_end(id, "main", rows[r].limit, &before), str_from(rows[r].want));
        CHECK_EQ(rows[r].row, before, rows[r].before);
    }
    CHECK("another place", append(id, "late", 100, STR("x\ny")));
    CHECK_STR("the line about bytes that are not kept is no text", read_end(id, "late", 100, &before), STR("x\ny"));
    CHECK_EQ("it is counted", before, 100);
    CHECK_STR("no log", read_end(id, "none", 100, &before), STR(""));
    CHECK_EQ("none", before, -1);
}

/* The end of the log of a task that only the history knows stays, and is read as before. */
static void test_ended(void)
{
    enum { LINE = 100, LINES = 1000 };
    enum log_fate fate = LOG_ENDS;
    struct str names[4];
    int64_t before;
    struct buf long_log = buf_in(&arena);
    for (int l = 0; l < LINES; l++) {
        buf_printf(&long_log, "line %03d ........................................................................................\n", l);
    }
    CHECK("a long one", append(past, "main", 0, buf_str(&long_log)));
    CHECK("a short one", append(past, "side", 0, STR("short")));
    CHECK("one long line", append(past, "line", 0, str_slice(buf_str(&long_log), 0, 90)));
    for (int piece = 0; piece < LINES; piece++) { CHECK("on", append(past, "line", 90 + piece * 90, str_slice(buf_str(&long_log), 0, 90))); }
    logs_sweep(logs, fate_of, &fate);
    CHECK_EQ("all containers", logs_containers(logs, past, names, 4, &arena), 3);
    CHECK_STR("a short one is whole", read_all(past, "side"), STR("short"));
    struct str text = read_all(past, "main");
    CHECK("a long one is cut", text.len <= LOGS_END_MAX + 60 && text.len > LOGS_END_MAX - LINE);
    CHECK("which is said", str_starts_with(text, STR("[berth: 00000000000000")));
    CHECK("its last line stays", str_ends_with(text, str_slice(buf_str(&long_log), long_log.len - 90, long_log.len)));
    CHECK_STR("the end is the same text", read_end(past, "main", LOGS_END_MAX, &before), str_slice(text, str_find(text, '\n') + 1, text.len));
    CHECK_EQ("what came before", before + (int64_t)read_end(past, "main", LOGS_END_MAX, &before).len, (int64_t)long_log.len);
    CHECK_EQ("one line without an end is cut within", read_end(past, "line", LOGS_END_MAX, &before).len, LOGS_END_MAX);
    logs_sweep(logs, fate_of, &fate);
    CHECK_STR("again changes nothing", read_all(past, "main"), text);
    CHECK("a log that begins again", append(past, "side", 0, STR("again")));
    logs_sweep(logs, fate_of, &fate);
    CHECK_STR("takes the place of the old", read_all(past, "side"), STR("again"));

    fate = LOG_GOES;
    for (int s = 0; s < 2; s++) { logs_sweep(logs, fate_of, &fate); }
    CHECK_EQ("and goes with the history", logs_containers(logs, past, names, 4, &arena), 0);
}

static struct id task_of(unsigned char period, unsigned char number) { return (struct id){ { 0x20, 0, period, number } }; }
static enum log_fate ends(void *context, struct id id)
{
    (void)context;
    (void)id;
    return LOG_ENDS;
}

static size_t how_many(unsigned char period, unsigned char first, unsigned char last)
{
    struct str names[4];
    size_t count = 0;
    for (unsigned char number = first; number <= last; number++) { count += logs_containers(logs, task_of(period, number), names, 4, &arena); }
    return count;
}

/* The ended logs of all tasks together have a bound: those of the oldest period go first, and no more than must. */
static void test_ended_bound(const char *dir)
{
    enum { SIZE = 10 * 1024, MARKS = 1024 };
    struct err err = { 0 };
    struct str text = { memset(arena_alloc(&arena, SIZE, 1), 'x', SIZE), SIZE };
    struct logs *usual = logs;
    logs = task_logs_create(dir, &err);
    ASSERT(logs != NULL);
    logs_keep_ended(logs, (SIZE + MARKS) * 6);
    for (unsigned char number = 1; number <= 3; number++) {
        CHECK("an old one", append(task_of(1, number), "main", 0, text));
        CHECK("a new one", append(task_of(2, number), "main", 0, text));
    }
    logs_sweep(logs, ends, NULL);
    CHECK_EQ("at the bound all stay", how_many(1, 1, 3) + how_many(2, 1, 3), 6);
    CHECK("two more", append(task_of(2, 4), "main", 0, text) && append(task_of(2, 5), "main", 0, text));
    logs_sweep(logs, ends, NULL);
    CHECK_EQ("as many of the oldest go", how_many(1, 1, 3), 1);
    CHECK_EQ("of the others none", how_many(2, 1, 5), 5);
    task_logs_destroy(logs);

    logs = task_logs_create(dir, &err);
    ASSERT(logs != NULL);
    logs_keep_ended(logs, (SIZE + MARKS) * 2);
    logs_sweep(logs, ends, NULL);
    CHECK_EQ("what an earlier run left is counted: the old", how_many(1, 1, 3), 0);
    CHECK_EQ("and of the new the part that is too much", how_many(2, 1, 5), 2);
    logs_sweep(logs, ends, NULL);
    CHECK_EQ("again changes nothing", how_many(2, 1, 5), 2);
    task_logs_destroy(logs);
    logs = usual;
}

/* When the bytes were written: by the chunk, by its marks, over repeats and cuts. */
static struct str times(struct id id, const char *container)
{
    struct log_text log;
    struct buf out = buf_in(&arena);
    if (!logs_load(logs, id, str_from(container), &arena, &log)) { return STR("none"); }
    for (size_t m = 0; m < log.marks.count; m++) {
        buf_printf(&out, "%lld:%lld ", (long long)log.marks.items[m].offset, (long long)log.marks.items[m].time_ms);
    }
    return buf_str(&out);
}

static bool append_marked(struct id id, int64_t offset, struct str text, const struct log_mark *marks, size_t count)
{
    struct err err = { 0 };
    const struct log_piece piece = { .text = text, .offset = offset, .marks = marks, .mark_count = count, .now_ms = 5000 };
    return logs_append(logs, id, STR("main"), &piece, NULL, &err);
}

static void test_times(void)
{
    static const struct id id = { { 33 } }, anew = { { 34 } };
    static const struct log_mark marks[] = { { 0, 100, 0, 0 }, { 4, 200, 0, 0 } }, early[] = { { 0, 50, 0, 0 }, { 4, 300, 0, 0 } };
    CHECK("marked", append_marked(id, 0, STR("one\ntwo\n"), marks, 2));
    CHECK_STR("as they came", times(id, "main"), STR("0:100 4:200 "));
    CHECK("a repeat", append_marked(id, 0, STR("one\ntwo\n"), marks, 2));
    CHECK_STR("changes nothing", times(id, "main"), STR("0:100 4:200 "));
    CHECK("a repeat and more", append_marked(id, 4, STR("two\nmore\n"), early, 2));
    CHECK_STR("only new bytes are marked", times(id, "main"), STR("0:100 4:200 8:300 "));
    CHECK("without marks", append(id, "main", 13, STR("x\n")));
    CHECK_STR("that was now", times(id, "main"), STR("0:100 4:200 8:300 13:1000 "));
    CHECK("a clock that was set back", append_marked(id, 15, STR("y\n"), early, 1));
    CHECK_STR("time does not go back", times(id, "main"), STR("0:100 4:200 8:300 13:1000 15:1000 "));
    CHECK("a gap", append_marked(anew, 100, STR("late\n"), marks, 2));
    CHECK_STR("begins again", times(anew, "main"), STR("100:100 104:200 "));
    CHECK_STR("no log", times(id, "none"), STR("none"));
}

static void test_wait(void)
{
    uint64_t turn = logs_turn(logs);
    CHECK("time is up", !logs_wait(logs, turn, clock_monotonic_ms() - 1));
    CHECK("append", append(task, "wait", 0, STR("x")));
    CHECK("output that came meanwhile ends the wait at once", logs_wait(logs, turn, clock_monotonic_ms() + 60000));
    logs_stop(logs);
    CHECK("a stop ends every wait", !logs_wait(logs, logs_turn(logs), clock_monotonic_ms() + 60000));
}

int main(void)
{
    char dir[FIXTURE_PATH_MAX], below[FIXTURE_PATH_MAX + 8];
    struct err err = { 0 };
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    fixture_make_dir(dir);
    snprintf(below, sizeof below, "%s/logs", dir);
    logs = task_logs_create(below, &err);
    ASSERT(logs != NULL);
    test_offsets();
    test_missing();
    test_cap();
    test_pieces();
    test_limits();
    test_end();
    test_ended();
    test_sweep();
    test_times();
    test_wait();
    snprintf(below, sizeof below, "%s/bound", dir);
    test_ended_bound(below);
    task_logs_destroy(logs);
    fixture_remove_dir(dir);
    arena_finish(&arena);
    return check_report();
}
