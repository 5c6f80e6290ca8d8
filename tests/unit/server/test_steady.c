/* test_steady.c: when the wall clock is believed. */
#include "server/steady.h"

#include "base/assert.h"
#include "tests/unit/check.h"

enum { HOUR_MS = 3600 * 1000, DAY_MS = 24 * HOUR_MS };

static const int64_t now_ms = (int64_t)1800000000 * 1000;

static void test_begin(void)
{
    static const struct { const char *label; int64_t kept_ms; bool waits; } rows[] = {
        { "nothing was kept", 0, false },
        { "at once again", now_ms, false },
        { "an hour off", now_ms - HOUR_MS, false },
        { "more than an hour off", now_ms - HOUR_MS - 1, true },
        { "40 days ahead", now_ms - (int64_t)40 * DAY_MS, true },
        { "an hour back", now_ms + HOUR_MS, false },
        { "more than an hour back", now_ms + HOUR_MS + 1, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK(rows[r].label, steady_begin(rows[r].kept_ms, now_ms, 5000).waits == rows[r].waits); }
}

static void test_look(void)
{
    static const struct { const char *label; int64_t wall_ms, grown_ms, jumped_ms; bool waits; } rows[] = {
        { "a second later", 1000, 1000, 0, false },
        { "asleep for a day, both clocks know", DAY_MS, DAY_MS, 0, false },
        { "an hour ahead", DAY_MS + HOUR_MS, DAY_MS, 0, false },
        { "a millisecond more", DAY_MS + HOUR_MS + 1, DAY_MS, HOUR_MS + 1, true },
        { "the same clock again, an hour less a millisecond later", DAY_MS + 2 * HOUR_MS, DAY_MS + HOUR_MS - 1, 0, true },
        { "steady for an hour", DAY_MS + 2 * HOUR_MS + 1, DAY_MS + HOUR_MS, 0, false },
        { "back by an hour", DAY_MS + HOUR_MS + 1, DAY_MS + HOUR_MS, 0, false },
        { "back by more", DAY_MS + HOUR_MS, DAY_MS + HOUR_MS, -HOUR_MS - 1, true },
        { "ahead again before the hour is over", DAY_MS + 4 * HOUR_MS, DAY_MS + 2 * HOUR_MS - 1, 2 * HOUR_MS + 1, true },
        { "which begins a new hour", DAY_MS + 5 * HOUR_MS - 1, DAY_MS + 3 * HOUR_MS - 2, 0, true },
        { "and that is over", DAY_MS + 5 * HOUR_MS, DAY_MS + 3 * HOUR_MS - 1, 0, false },
    };
    struct steady steady = steady_begin(0, now_ms, 5000);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int64_t jumped_ms = steady_look(&steady, now_ms + rows[r].wall_ms, 5000 + rows[r].grown_ms);
        CHECK_EQ(rows[r].label, jumped_ms, rows[r].jumped_ms);
        CHECK(rows[r].label, steady.waits == rows[r].waits);
    }
}

int main(void)
{
    test_begin();
    test_look();
    return check_report();
}
