/* test_pool.c: which machines a pool orders and ends, the waits after failures, and the type that is ordered next. */
#include "scheduler/scaling/pool.h"

#include "tests/unit/check.h"

static void test_plan(struct arena *arena)
{
    enum { MACHINES = 5 };
    /* O ordered, B booting, A active and empty, P the same, protected, 1..9 active with this number of tasks, D draining; the last is the youngest */
    static const struct { const char *row, *machines; int64_t desired; bool blocked; int64_t order; const char *ends; } rows[] = {
        { "an empty pool", "", 2, false, 2, "" },          { "a blocked pool", "", 2, true, 0, "" },        { "enough", "OBA", 3, true, 0, "" },
        { "one too few", "OBA", 4, false, 1, "" },         { "more than a step orders", "", 1000, false, POOL_ORDERS_MAX, "" },
        { "those that leave do not count", "DDA", 2, false, 1, "" },
        { "ordered ones first", "A1BO", 3, true, 0, "3" }, { "then booting ones", "1ABA", 3, false, 0, "2" },
        { "then empty ones, the youngest first", "A1A1", 3, false, 0, "2" },
        { "then those with the fewest tasks", "3215", 1, false, 0, "210" }, { "no protected one", "PPP", 0, false, 0, "" },
        { "a protected one last of all: never", "P1P", 1, false, 0, "1" },  { "all", "OBA1", 0, false, 0, "0123" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct pool_machine machines[MACHINES] = { 0 };
        char ends[MACHINES + 1] = "";
        size_t count = strlen(rows[r].machines);
        for (size_t m = 0; m < count; m++) {
            char kind = rows[r].machines[m];
            machines[m] = (struct pool_machine){ .state = kind == 'O' ? MACHINE_ORDERED : kind == 'B' ? MACHINE_BOOTING : kind == 'D' ? MACHINE_LEAVING : MACHINE_ACTIVE,
                                                 .protected = kind == 'P', .tasks = kind >= '1' && kind <= '9' ? kind - '0' : 0, .ordered_ms = (int64_t)m };
        }
        struct pool_plan plan = pool_plan(&(struct pool_state){ rows[r].desired, rows[r].blocked, machines, count }, arena);
        for (size_t e = 0; e < plan.end_count; e++) { ends[e] = (char)('0' + plan.end[e]); }
        CHECK_EQ(rows[r].row, plan.order, rows[r].order);
        CHECK_STR(rows[r].row, str_from(ends), str_from(rows[r].ends));
    }
}

static void test_waits(void)
{
    static const struct { const char *row; enum pool_failure failure; int64_t times, least_s; } rows[] = {
        { "the first", POOL_FAILURE_TRANSIENT, 1, 5 },   { "twice as long", POOL_FAILURE_TRANSIENT, 2, 10 }, { "the limit", POOL_FAILURE_TRANSIENT, 1000, 300 },
        { "no capacity", POOL_FAILURE_CAPACITY, 1, 60 }, { "again", POOL_FAILURE_CAPACITY, 3, 240 },         { "its limit", POOL_FAILURE_QUOTA, 9, 900 },
    };
    struct rng rng;
    rng_seed(&rng, 1);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int64_t wait_ms = pool_backoff_ms(rows[r].failure, rows[r].times, &rng);
        CHECK(rows[r].row, wait_ms >= rows[r].least_s * 1000 && wait_ms <= rows[r].least_s * 1200);
    }
}

static void test_types(void)
{
    struct str types[] = { STR("small"), STR("large") };
    struct pool_block blocks[] = { { STR("small"), 100, 1 }, { STR("large"), 50, 1 }, { STR(""), 70, 1 } };
    static const struct { const char *row; size_t types, blocks; int64_t now_ms; const char *type; int64_t until_ms; } rows[] = {
        { "the first", 2, 0, 10, "small", 0 },          { "the next", 2, 1, 99, "large", 100 },      { "no more", 2, 1, 100, "small", 0 },
        { "all are blocked", 2, 2, 49, NULL, 50 },      { "one is free", 2, 2, 50, "large", 100 },
        { "the provisioner chooses", 0, 0, 10, "", 0 }, { "which has nothing", 0, 3, 69, NULL, 70 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct kept_pool pool = { .types = { types, rows[r].types }, .blocks = { blocks, rows[r].blocks } };
        struct str type;
        int64_t until_ms;
        bool found = pool_next_type(&pool, rows[r].now_ms, &type, &until_ms);
        CHECK(rows[r].row, found == (rows[r].type != NULL));
        if (found) { CHECK_STR(rows[r].row, type, str_from(rows[r].type)); }
        CHECK_EQ(rows[r].row, until_ms, rows[r].until_ms);
    }
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    test_plan(&arena);
    test_waits();
    test_types();
    arena_finish(&arena);
    return check_report();
}
