/* test_replace.c: which machine is replaced next, and when it drains: a row each. Ages in days of a machine that was ordered at day 0. */
#include "scheduler/scaling/replace.h"

#include <string.h>

#include "tests/unit/check.h"

#define DAY ((int64_t)24 * 3600 * 1000)
#define MINUTE ((int64_t)60 * 1000)
enum { MACHINES_MAX = 3 };

static const struct replace_rules both = { 14 * DAY, 21 * DAY, true }, none = { 0, 0, false };
#define RUNS(born, count, ill)  { .state = MACHINE_ACTIVE, .ordered_ms = born, .tasks = count, .impaired_ms = ill }
#define OLD             RUNS(DAY, 1, 0)
#define ILL(since)      RUNS(DAY, 1, since)
#define MARKED(count)   { .state = MACHINE_ACTIVE, .ordered_ms = DAY, .tasks = count, .marked = MACHINE_REPLACE_PATCH, .marked_ms = 15 * DAY, .by_ms = 22 * DAY }
#define NEW             { .state = MACHINE_BOOTING, .ordered_ms = 15 * DAY }

static void test_rows(void)
{
    static const struct {
        const char *row; const struct replace_rules *rules; int64_t now_ms, desired; bool full;
        struct replace_machine machines[MACHINES_MAX]; enum replace_move move; size_t at; enum machine_replace why; int64_t by_ms, again_ms;
    } rows[] = {
        { "no rules", &none, 99 * DAY, 1, false, { ILL(DAY) }, REPLACE_NOTHING, 0, 0, 0, 0 },
        { "young: when it is due", &both, 15 * DAY - 1, 1, false, { OLD }, REPLACE_NOTHING, 0, 0, 0, 15 * DAY },
        { "old", &both, 15 * DAY, 1, false, { OLD }, REPLACE_MARK, 0, MACHINE_REPLACE_PATCH, 22 * DAY, 0 },
        { "empty: it just goes", &both, 15 * DAY, 1, false, { RUNS(DAY, 0, 0) }, REPLACE_DRAIN, 0, MACHINE_REPLACE_PATCH, 22 * DAY, 0 },
        { "no room for one more", &both, 15 * DAY, 1, true, { OLD }, REPLACE_DRAIN, 0, MACHINE_REPLACE_PATCH, 22 * DAY, 0 },
        { "far too old: an hour", &both, 90 * DAY, 1, false, { OLD }, REPLACE_MARK, 0, MACHINE_REPLACE_PATCH, 90 * DAY + REPLACE_WAITS_MS, 0 },
        { "the oldest first", &both, 20 * DAY, 2, false, { RUNS(2 * DAY, 1, 0), OLD }, REPLACE_MARK, 1, MACHINE_REPLACE_PATCH, 22 * DAY, 0 },
        { "one that does not run is not", &both, 15 * DAY, 1, false, { { .state = MACHINE_STOPPING, .ordered_ms = DAY } }, REPLACE_NOTHING, 0, 0, 0, 0 },
        { "while one is on order, it waits", &both, 15 * DAY, 2, false, { OLD, NEW }, REPLACE_NOTHING, 0, 0, 0, 18 * DAY + DAY / 2 },
        { "until half of the time is over", &both, 18 * DAY + DAY / 2, 2, false, { OLD, NEW }, REPLACE_MARK, 0, MACHINE_REPLACE_PATCH, 22 * DAY, 0 },
        { "one at a time", &both, 16 * DAY, 2, false, { { .state = MACHINE_LEAVING, .marked = MACHINE_REPLACE_PATCH }, OLD, OLD },
          REPLACE_NOTHING, 0, 0, 0, 18 * DAY + DAY / 2 },
        { "marked: it waits for its replacement", &both, 15 * DAY + MINUTE, 1, false, { MARKED(1), NEW }, REPLACE_NOTHING, 0, MACHINE_REPLACE_PATCH, 22 * DAY,
          15 * DAY + REPLACE_WAITS_MS },
        { "it has come", &both, 15 * DAY + MINUTE, 1, false, { MARKED(1), RUNS(15 * DAY, 0, 0) }, REPLACE_DRAIN, 0, MACHINE_REPLACE_PATCH,
          22 * DAY, 0 },
        { "it does not come", &both, 15 * DAY + REPLACE_WAITS_MS, 1, false, { MARKED(1), NEW }, REPLACE_DRAIN, 0, MACHINE_REPLACE_PATCH, 22 * DAY, 0 },
        { "its tasks have ended", &both, 15 * DAY + MINUTE, 1, false, { MARKED(0), NEW }, REPLACE_DRAIN, 0, MACHINE_REPLACE_PATCH, 22 * DAY, 0 },
        { "no other beside it", &both, 16 * DAY, 2, false, { ILL(15 * DAY), MARKED(1), NEW }, REPLACE_DRAIN, 1, MACHINE_REPLACE_PATCH,
          22 * DAY, 0 },
        { "impaired for a moment", &both, 2 * DAY, 1, false, { ILL(2 * DAY) }, REPLACE_NOTHING, 0, 0, 0, 2 * DAY + REPLACE_IMPAIRED_MS },
        { "impaired", &both, 2 * DAY + REPLACE_IMPAIRED_MS, 1, false, { ILL(2 * DAY) }, REPLACE_MARK, 0, MACHINE_REPLACE_IMPAIRED,
          2 * DAY + REPLACE_IMPAIRED_MS + REPLACE_REPAIR_MS, 0 },
        { "before an old one", &both, 16 * DAY, 2, false, { OLD, ILL(2 * DAY) }, REPLACE_MARK, 1, MACHINE_REPLACE_IMPAIRED, 18 * DAY, 0 },
        { "well again", &both, 3 * DAY, 1, false, { { .state = MACHINE_ACTIVE, .ordered_ms = DAY, .tasks = 1, .marked = MACHINE_REPLACE_IMPAIRED,
            .marked_ms = 3 * DAY, .by_ms = 5 * DAY } }, REPLACE_KEEP, 0,
          MACHINE_REPLACE_IMPAIRED, 5 * DAY, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        size_t count = 0;
        while (count < MACHINES_MAX && rows[r].machines[count].state != MACHINE_STATE_UNSET) { count++; }
        const struct replace_state state = { rows[r].now_ms, rows[r].desired, *rows[r].rules, !rows[r].full, rows[r].machines, count };
        struct replace_plan plan = replace_plan(&state);
        CHECK_EQ(rows[r].row, plan.move, rows[r].move);
        if (plan.move != REPLACE_NOTHING) {
            CHECK_EQ(rows[r].row, (int64_t)plan.at, (int64_t)rows[r].at);
            CHECK_EQ(rows[r].row, plan.why, rows[r].why);
            CHECK_EQ(rows[r].row, plan.by_ms, rows[r].by_ms);
        }
        CHECK_EQ(rows[r].row, plan.move == REPLACE_NOTHING ? plan.again_ms : 0, rows[r].again_ms);
    }
}

int main(void)
{
    test_rows();
    return check_report();
}
