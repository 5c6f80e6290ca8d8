/* test_docker_logs.c: an engine's log of a hundred lines, read by byte offset in pieces of every size, with the stream cut at
 * every byte; latecomers, repeats, rotation, and bytes that are no frames. */
#include "tests/unit/check.h"

#include "agent/docker/docker.h"

enum { LINES_MAX = 128, SECOND_NS = 1000 * 1000 * 1000 };

/* ---- an engine's log: lines with times, as it would answer from `since` on ---- */

static struct { int64_t ns; char text[32]; } lines[LINES_MAX];
static size_t line_count;
static const int64_t epoch_ns = 1714557600ll * SECOND_NS;           /* 2024-05-01T10:00:00Z */

static void add_line(int64_t ns, const char *text)
{
    ASSERT(line_count < LINES_MAX);
    lines[line_count].ns = epoch_ns + ns;
    (void)snprintf(lines[line_count].text, sizeof lines[line_count].text, "%s", text);
    line_count++;
}

static struct str stream_since(int64_t since_ns, struct arena *arena)
{
    struct buf out = buf_in(arena);
    for (size_t l = 0; l < line_count; l++) {
        if (lines[l].ns < since_ns) { continue; }
        int64_t ns = lines[l].ns - epoch_ns;
        struct str frame = arena_printf(arena, "2024-05-01T10:%02d:%02d.%09dZ %s", (int)(ns / SECOND_NS / 60), (int)(ns / SECOND_NS % 60),
                                        (int)(ns % SECOND_NS), lines[l].text);
        const char head[8] = { l % 2 == 0 ? 1 : 2, 0, 0, 0, 0, 0, 0, (char)frame.len };
        buf_put(&out, (struct str){ head, sizeof head });
        buf_put(&out, frame);
    }
    return buf_str(&out);
}

static struct str text_of(size_t from, size_t to, struct arena *arena)
{
    struct buf out = buf_in(arena);
    for (size_t l = from; l < to; l++) { buf_put(&out, str_from(lines[l].text)); }
    return buf_str(&out);
}

static struct log_time_list last_times;          /* of the last read */

/* Has each of the `len` bytes at `offset` the time of its line? */
static bool times_are_right(size_t offset, size_t len)
{
    size_t line = 0, line_end = strlen(lines[0].text), time = 0;
    for (size_t at = 0; at < len; at++) {
        while (offset + at >= line_end) { line_end += strlen(lines[++line].text); }
        while (time + 1 < last_times.count && last_times.items[time + 1].at.value <= (int64_t)at) { time++; }
        if (last_times.count == 0 || last_times.items[time].ms.value != lines[line].ns / (1000 * 1000)) { return false; }
    }
    return true;
}

/* One read as the runtime makes it; the stream comes in pieces of `piece` bytes. */
static struct str read_log(struct docker_log_cursor *cursor, int64_t offset, size_t limit, size_t piece, bool *good, struct arena *arena)
{
    struct docker_log_reader reader;
    docker_log_begin(&reader, cursor, offset, limit, arena);
    struct str stream = stream_since(cursor->since_ns, arena);
    while (stream.len > 0 && docker_log_feed(&reader, str_slice(stream, 0, piece))) { stream = str_slice(stream, piece, stream.len); }
    *good = docker_log_end(&reader);
    last_times = reader.times;
    return arena_str(arena, buf_str(&reader.out));
}

/* ---- tests ---- */

static void fill(size_t count, int64_t step_ns)
{
    line_count = 0;
    for (size_t l = 0; l < count; l++) {
        char text[32];
        (void)snprintf(text, sizeof text, "line %zu %.*s\n", l, (int)(l % 7), "......");
        add_line((int64_t)l * step_ns, l % 10 == 9 ? "\n" : text);
    }
}

/* A reader that goes on where it was sees every byte once, for any size of its reads and of the pieces. */
static void test_in_order(void)
{
    static const struct { const char *name; size_t limit, piece; int64_t step_ns; } rows[] = {
        { "all at once",                     1 << 20, 1 << 20, 100 * 1000 * 1000 },
        { "a byte of stream at a time",      1 << 20, 1,       100 * 1000 * 1000 },
        { "a byte of text at a time",        1,       13,      100 * 1000 * 1000 },
        { "three bytes of text",             3,       1 << 20, 700 * 1000 * 1000 },
        { "a line or so",                    11,      5,       10 * 1000 * 1000 },
        { "in one instant",                  17,      64,      0 },
        { "seconds between",                 50,      64,      2ll * SECOND_NS },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        arena_init(&arena, 256 << 20);
        fill(100, rows[r].step_ns);
        struct docker_log_cursor cursor = { 0 };
        struct buf got = buf_in(&arena);
        bool good = true;
        for (struct str text = STR("x"); text.len > 0 && good;) {
            text = read_log(&cursor, (int64_t)got.len, rows[r].limit, rows[r].piece, &good, &arena);
            CHECK(rows[r].name, text.len <= rows[r].limit);
            CHECK(rows[r].name, times_are_right(got.len, text.len));
            buf_put(&got, text);
        }
        CHECK(rows[r].name, good);
        CHECK_STR(rows[r].name, buf_str(&got), text_of(0, 100, &arena));
        CHECK_EQ(rows[r].name, cursor.offset, got.len);
        arena_finish(&arena);
    }
}

/* The window moves, so that a long log is not sent whole for each new line. */
static void test_window(void)
{
    struct arena arena;
    arena_init(&arena, 64 << 20);
    struct docker_log_cursor cursor = { 0 };
    bool good = true;
    int64_t offset = 0;
    for (size_t count = 1; count <= 100; count++) {
        fill(count, SECOND_NS / 4);
        struct str text = read_log(&cursor, offset, 1 << 20, 1 << 20, &good, &arena);
        CHECK_STR("the newest line alone", text, text_of(count - 1, count, &arena));
        offset += (int64_t)text.len;
    }
    CHECK("few frames are read again", cursor.frames <= 12);
    arena_finish(&arena);
}

/* The two streams of a container are stamped and written by two threads, so a line can come after one with a later time. */
static void test_latecomer(void)
{
    struct arena arena;
    arena_init(&arena, 8 << 20);
    struct docker_log_cursor cursor = { 0 };
    bool good = true;
    line_count = 0;
    for (int l = 0; l < 60; l++) {
        add_line((int64_t)l * (SECOND_NS / 10), "a\n");
        CHECK_STR("as they come", read_log(&cursor, 2ll * l, 100, 100, &good, &arena), STR("a\n"));
    }
    CHECK("the window moved", cursor.since_ns > epoch_ns + SECOND_NS);
    add_line(59ll * (SECOND_NS / 10) - 900 * 1000 * 1000, "late\n");
    CHECK_STR("stamped a little before the last line read", read_log(&cursor, 120, 100, 100, &good, &arena), STR("late\n"));
    add_line(60ll * (SECOND_NS / 10), "b\n");
    CHECK_STR("and on", read_log(&cursor, 125, 100, 100, &good, &arena), STR("b\n"));
    arena_finish(&arena);
}

static void test_offsets(void)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    fill(5, SECOND_NS);
    struct str whole = text_of(0, 5, &arena);
    struct docker_log_cursor cursor = { 0 };
    bool good = true;
    for (size_t at = 0; at <= whole.len; at++) {
        struct docker_log_cursor fresh = { 0 };
        CHECK_STR("without a cursor", read_log(&fresh, (int64_t)at, 1000, 7, &good, &arena), str_slice(whole, at, whole.len));
        CHECK_STR("with one that is elsewhere", read_log(&cursor, (int64_t)(whole.len - at), 1000, 7, &good, &arena),
                  str_slice(whole, whole.len - at, whole.len));
    }
    CHECK_EQ("past what rotation left", read_log(&cursor, 1000, 100, 100, &good, &arena).len, 0);
    add_line(9ll * SECOND_NS, "new\n");
    CHECK_STR("goes on with the next line", read_log(&cursor, 1000, 100, 100, &good, &arena), STR("new\n"));
    arena_finish(&arena);
}

static void test_broken(void)
{
    static const struct { const char *name, *bytes; size_t len; } rows[] = {
        { "plain text",          "hello, world\n", 13 },
        { "a stream of no kind", "\3\0\0\0\0\0\0\1x", 9 },
        { "no length",           "\1\0\0\0\0\0\0\0x", 9 },
        { "no time",             "\1\0\0\0\0\0\0\6hello\n", 14 },
        { "no such time",        "\1\0\0\0\0\0\0\6hello x", 15 },
        { "a time without end",  "\1\0\0\0\0\0\1\0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 66 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        arena_init(&arena, 1 << 20);
        struct docker_log_cursor cursor = { 0 };
        struct docker_log_reader reader;
        docker_log_begin(&reader, &cursor, 0, 100, &arena);
        CHECK(rows[r].name, !docker_log_feed(&reader, (struct str){ rows[r].bytes, rows[r].len }));
        CHECK(rows[r].name, !docker_log_end(&reader));
        arena_finish(&arena);
    }
}

static void test_tty(void)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    struct docker_log_cursor cursor = { .is_tty = true };
    struct docker_log_reader reader;
    docker_log_begin(&reader, &cursor, 3, 4, &arena);
    CHECK("before", docker_log_feed(&reader, STR("ab")));
    CHECK("across", docker_log_feed(&reader, STR("cde")));
    CHECK("to the limit", !docker_log_feed(&reader, STR("fghi")));
    CHECK("end", docker_log_end(&reader));
    CHECK_STR("bytes as they are", buf_str(&reader.out), STR("defg"));
    arena_finish(&arena);
}

int main(void)
{
    test_in_order();
    test_window();
    test_latecomer();
    test_offsets();
    test_broken();
    test_tty();
    return check_report();
}
