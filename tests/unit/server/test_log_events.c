/* Events of a log: lines, events handed in whole, long lines; forward and backward see the same; tokens read back as they were. */
#include "server/logs/events.h"

#include "tests/unit/server/server_fixture.h"

static struct arena arena;

static struct log_text make_log(struct str text, const struct log_mark *marks, size_t count)
{
    struct log_mark *copy = arena_copy(&arena, marks, count * sizeof *marks);
    return (struct log_text){ .text = text, .marks = { copy, count }, .changed_ms = 7 };
}

/* "[message@time]" of each event, in order of the log. */
static struct str forward(const struct log_text *log, bool closed, int64_t position)
{
    struct buf out = buf_in(&arena);
    struct log_event event;
    while (log_event_next(log, closed, &position, &event)) {
        buf_printf(&out, "[" STR_FMT "@%lld]", STR_ARG(event.message), (long long)event.time_ms);
        CHECK_EQ("it moves to the event's end", position, event.end);
    }
    return buf_str(&out);
}

static struct str backward(const struct log_text *log, bool closed, int64_t position)
{
    struct str out = STR("");
    struct log_event event;
    while (log_event_before(log, closed, &position, &event)) {
        out = arena_printf(&arena, "[" STR_FMT "@%lld]" STR_FMT, STR_ARG(event.message), (long long)event.time_ms, STR_ARG(out));
        CHECK_EQ("it moves to the event's beginning", position, event.offset);
    }
    return out;
}

static void test_lines(void)
{
    static const struct log_mark marks[] = { { 0, 10, 10, 0 }, { 4, 20, 20, 0 }, { 8, 30, 30, 0 } };
    static const struct log_mark whole[] = { { 0, 10, 10, 0 }, { 4, 20, 20, 8 }, { 12, 30, 30, 0 } };
    static const struct { const char *row, *text; const struct log_mark *marks; size_t count; bool closed; const char *want; } rows[] = {
        { "nothing", "", marks, 1, true, "" },
        { "lines and their times", "one\ntwo\nthree\n", marks, 3, false, "[one@10][two@20][three@30]" },
        { "a mark within a line is the next line's", "one two\nthree\n", marks, 2, false, "[one two@10][three@20]" },
        { "empty lines are no events", "one\n\n\ntwo\n", marks, 1, false, "[one@10][two@10]" },
        { "empty lines alone", "\n\n", marks, 1, true, "" },
        { "carriage returns", "one\r\ntwo\r\n", marks, 1, false, "[one@10][two@10]" },
        { "a line that still grows", "one\ntw", marks, 1, false, "[one@10]" },
        { "a line that ended without its end", "one\ntw", marks, 2, true, "[one@10][tw@20]" },
        { "no marks: older than they", "one\n", marks, 0, false, "[one@7]" },
        { "several lines as one event", "one\ntwo\nand\nfour\n", whole, 3, false, "[one@10][two\nand@20][four@30]" },
        { "a whole event that is not whole", "one\ntwo\n", whole, 2, false, "[one@10][two@20]" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct log_text log = make_log(str_from(rows[r].text), rows[r].marks, rows[r].count);
        CHECK_STR(rows[r].row, forward(&log, rows[r].closed, 0), str_from(rows[r].want));
        CHECK_STR(rows[r].row, backward(&log, rows[r].closed, INT64_MAX), str_from(rows[r].want));
    }
}

static void test_positions(void)
{
    static const struct log_mark marks[] = { { 90, 5, 5, 0 }, { 104, 20, 20, 0 } };
    struct log_text log = make_log(STR("one\ntwo\nthree\n"), marks, COUNT_OF(marks));
    log.dropped = 100;
    CHECK_STR("before the first that is kept", forward(&log, false, 3), STR("[one@5][two@20][three@20]"));
    CHECK_STR("behind the first", forward(&log, false, 104), STR("[two@20][three@20]"));
    CHECK_STR("at the end", forward(&log, false, 114), STR(""));
    CHECK_STR("behind the end", forward(&log, false, 1000), STR(""));
    CHECK_STR("back from the third", backward(&log, false, 108), STR("[one@5][two@20]"));
    CHECK_STR("back from within a line", backward(&log, false, 106), STR("[one@5]"));
    CHECK_STR("back from the beginning", backward(&log, false, 100), STR(""));
    CHECK_STR("back from before it", backward(&log, false, 1), STR(""));
    static const struct { const char *row; int64_t time_ms, want; } from[] = {
        { "the first time", 5, 100 }, { "before it", 0, 100 }, { "between", 6, 104 }, { "the second", 20, 104 }, { "behind all", 21, 114 },
    };
    for (size_t f = 0; f < COUNT_OF(from); f++) { CHECK_EQ(from[f].row, log_events_from(&log, from[f].time_ms), from[f].want); }
}

/* Cut between characters, and at the same places from both sides. */
static void test_long_line(void)
{
    struct buf text = buf_in(&arena);
    buf_put(&text, STR("a\n"));
    while (text.len < 3 * LOG_EVENT_MAX + 1000) { buf_put(&text, STR("\xE2\x82\xAC")); }
    buf_put(&text, STR("\nz\n"));
    struct log_text log = make_log(buf_str(&text), NULL, 0);
    int64_t ends[16], position = 0;
    size_t count = 0, bytes = 0;
    struct log_event event;
    while (log_event_next(&log, false, &position, &event)) {
        CHECK("not too long", event.message.len <= LOG_EVENT_MAX);
        CHECK("whole characters", event.message.len == 1 || event.message.len % 3 == 0);
        bytes += event.message.len;
        ends[count++] = event.end;
    }
    CHECK_EQ("a, four pieces, z", count, 6);
    CHECK_EQ("all bytes but the ends of lines", bytes, text.len - 3);
    for (position = INT64_MAX; log_event_before(&log, false, &position, &event);) { CHECK_EQ("the same pieces", event.end, ends[--count]); }
    CHECK_EQ("all of them", count, 0);
}

/* Random text and marks: both directions tell the same events, and reading on from any of them tells the rest. */
static void test_random(void)
{
    struct rng rng;
    rng_seed(&rng, 3);
    for (int round = 0; round < 300; round++) {
        char bytes[64];
        struct log_mark marks[8];
        size_t count = (size_t)rng_below(&rng, 8);
        for (size_t i = 0; i < sizeof bytes; i++) { bytes[i] = "ab\n\r"[rng_below(&rng, 4)]; }
        int64_t offset = 0;
        for (size_t m = 0; m < count; m++) {
            marks[m] = (struct log_mark){ offset, 100 + (int64_t)m, 0, 0 };
            offset += 1 + (int64_t)rng_below(&rng, 12);
        }
        struct log_text log = make_log((struct str){ bytes, sizeof bytes }, marks, count);
        bool closed = rng_below(&rng, 2) == 0;
        struct str all = forward(&log, closed, 0);
        CHECK_STR("both directions", backward(&log, closed, INT64_MAX), all);
        struct log_event event;
        for (int64_t position = 0; log_event_next(&log, closed, &position, &event);) {
            CHECK_STR("a cut anywhere", arena_printf(&arena, STR_FMT STR_FMT, STR_ARG(backward(&log, closed, position)),
                                                     STR_ARG(forward(&log, closed, position))), all);
        }
        arena_reset(&arena);
    }
}

static void test_tokens(void)
{
    static const struct { const char *text; bool good, backward; int64_t position; } rows[] = {
        { "f/00000000000000000000000000000000000000000000000000000000", true, false, 0 },
        { "b/00000000000000000000000000000000000009223372036854775807", true, true, INT64_MAX },
        { "f/00000000000000000000000000000000000009223372036854775808", false, false, 0 },
        { "f/-0000000000000000000000000000000000000000000000000000001", false, false, 0 },
        { "c/00000000000000000000000000000000000000000000000000000000", false, false, 0 },
        { "f/0", false, false, 0 }, { "", false, false, 0 }, { "f", false, false, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct log_token token = { 0 };
        CHECK_EQ(rows[r].text, log_token_read(str_from(rows[r].text), &token), rows[r].good);
        if (!rows[r].good) { continue; }
        CHECK_EQ(rows[r].text, token.position, rows[r].position);
        CHECK_STR(rows[r].text, log_token_text(token, &arena), str_from(rows[r].text));
    }
    const struct log_place place = { STR("a-b c"), STR("\xC3\xA4"), 123, STR(""), -1 };
    struct log_place again;
    CHECK("a place", log_place_read(log_place_text(&place, &arena), &again, &arena));
    CHECK_STR("first", again.first, place.first);
    CHECK_STR("last", again.last, place.last);
    CHECK_STR("stream", again.stream, place.stream);
    CHECK("numbers", again.time_ms == 123 && again.offset == -1);
    static const char *const bad[] = { "", "-", "----", "0----", "zz----", "61-61-61-1", "61-61-61-1-x", "61-61-61-1-2-3" };
    for (size_t b = 0; b < COUNT_OF(bad); b++) { CHECK(bad[b], !log_place_read(str_from(bad[b]), &again, &arena)); }
}

static void test_ids(void)
{
    char early[LOG_EVENT_ID_LEN + 1], late[LOG_EVENT_ID_LEN + 1], other[LOG_EVENT_ID_LEN + 1];
    log_event_id(&(struct log_event){ .time_ms = 5, .offset = 9 }, STR("s"), early);
    log_event_id(&(struct log_event){ .time_ms = 5, .offset = 10 }, STR("s"), late);
    log_event_id(&(struct log_event){ .time_ms = 5, .offset = 9 }, STR("t"), other);
    CHECK("in order", strcmp(early, late) < 0);
    CHECK("of one stream", strcmp(early, other) != 0);
    CHECK_EQ("as long as CloudWatch's", strlen(early), LOG_EVENT_ID_LEN);
}

int main(void)
{
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    test_lines();
    test_positions();
    test_long_line();
    test_random();
    test_tokens();
    test_ids();
    arena_finish(&arena);
    return check_report();
}
