/* test_capacity_scaling.c: sizes, steps, and minutes of a capacity provider; which machines come and go; and random pools that live for some hours. */
#include "base/buf.h"
#include "base/num.h"
#include "base/rng.h"
#include "tests/unit/scheduler/capacity_pool.h"

enum { CEILING = 64 << 20, MINUTE = CAPACITY_MINUTE_MS };
#define START ((int64_t)1700000000000)

static struct capacity_settings usual(int64_t size_max)
{
    return (struct capacity_settings){ .target = 100, .step_min = 1, .step_max = 10000, .size_max = size_max, .warmup_ms = 300000, .in_after_ms = CAPACITY_IN_AFTER_MS,
                                       .minute_ms = MINUTE };
}

/* ---- one decision ---- */

static void test_steps(void)
{
    static const struct {
        const char *row; int64_t used, news, size, target, step_min, step_max, size_min, size_max; bool like_ecs; int64_t wanted, step; enum capacity_why why;
    } rows[] = {
        { "nothing, from nothing",       0,  0,  0, 100, 1,     2, 0,   5, false,  0,  0, CAPACITY_RIGHT },
        { "one task, from nothing",      0,  1,  0, 100, 1,     2, 0,   5, false,  1,  1, CAPACITY_TASKS_WAIT },
        { "… as ECS does it",            0,  1,  0, 100, 1,     2, 0,   5, true,   1,  2, CAPACITY_TASKS_WAIT },
        { "… with steps of 1",           0,  1,  0, 100, 1,     1, 0,   5, true,   1,  1, CAPACITY_TASKS_WAIT },
        { "… for 40, two first",         0, 40,  0, 100, 1, 10000, 0, 100, true,  40,  2, CAPACITY_TASKS_WAIT },
        { "40 at once",                  0, 40,  0, 100, 1, 10000, 0, 100, false, 40, 40, CAPACITY_TASKS_WAIT },
        { "all used",                    2,  0,  2, 100, 1,     2, 0,   5, false,  2,  0, CAPACITY_RIGHT },
        { "one more",                    2,  1,  2, 100, 1,     2, 0,   5, false,  3,  1, CAPACITY_TASKS_WAIT },
        { "as many as the largest step", 2,  7,  2, 100, 1,     2, 0,   5, false,  9,  2, CAPACITY_TASKS_WAIT },
        { "up to MaxSize",               4,  5,  4, 100, 1,     2, 0,   5, false,  9,  1, CAPACITY_TASKS_WAIT },
        { "at MaxSize",                  5,  4,  5, 100, 1,     2, 0,   5, false,  9,  0, CAPACITY_AT_MAX },
        { "a tenth is to be free",       9,  0,  9,  90, 1, 10000, 0, 100, false, 10,  1, CAPACITY_BELOW_TARGET_ROOM },
        { "a tenth is free",             9,  0, 10,  90, 1, 10000, 0, 100, false, 10,  0, CAPACITY_RIGHT },
        { "a tenth of 11 and a bit",     9,  1,  9,  90, 1, 10000, 0, 100, false, 12,  3, CAPACITY_TASKS_WAIT },
        { "the smallest step",           2,  1,  2, 100, 3, 10000, 0, 100, false,  3,  3, CAPACITY_TASKS_WAIT },
        { "the smallest step, up to MaxSize", 2, 1, 2, 100, 3, 10000, 0, 4, false, 3,  2, CAPACITY_TASKS_WAIT },
        { "to MinSize",                  0,  0,  1, 100, 1, 10000, 3,   5, false,  0,  2, CAPACITY_BELOW_MIN },
        { "empty ones are of another type", 0, 1, 3, 100, 1, 10000, 0,  5, false,  1,  1, CAPACITY_TASKS_WAIT },
        { "a half is to be free",        1,  0,  2,  50, 1, 10000, 0, 100, false,  2,  0, CAPACITY_RIGHT },
        { "a hundredth is used",         1,  0,  1,   1, 1, 10000, 0, 100, false, 100, 99, CAPACITY_BELOW_TARGET_ROOM },
        { "a surplus of 3",              7,  0, 10, 100, 1, 10000, 0, 100, false,  7,  0, CAPACITY_COUNTING },
        { "MinSize keeps them",          7,  0, 10, 100, 1, 10000, 10, 100, false, 7,  0, CAPACITY_RIGHT },
        { "above MaxSize",               1,  0,  7, 100, 1, 10000, 0,   4, false,  1, -3, CAPACITY_ABOVE_MAX },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct capacity_state state = { .now_ms = START, .size = rows[r].size, .used = rows[r].used, .news = rows[r].news, .settings = usual(rows[r].size_max) };
        state.settings.target = rows[r].target;
        state.settings.step_min = rows[r].step_min;
        state.settings.step_max = rows[r].step_max;
        state.settings.size_min = rows[r].size_min;
        state.settings.like_ecs = rows[r].like_ecs;
        struct capacity_decision decision = capacity_decide(&state);
        CHECK_EQ(rows[r].row, decision.wanted, rows[r].wanted);
        CHECK_EQ(rows[r].row, decision.step, rows[r].step);
        CHECK_EQ(rows[r].row, decision.why, rows[r].why);
        CHECK_EQ(rows[r].row, decision.needed, rows[r].used + rows[r].news);
    }
}

/* ---- minutes ---- */

/* One pool, looked at each minute: what it needs, the step that is wanted. */
struct minute { int64_t at, used, news, step; enum capacity_why why; };

static void walk(const char *row, struct capacity_settings settings, int64_t size, const struct minute *minutes, size_t count)
{
    struct capacity_memory memory = { 0 };
    for (size_t m = 0; m < count; m++) {
        struct capacity_state state = { .now_ms = START + minutes[m].at, .size = size, .used = minutes[m].used, .news = minutes[m].news, .settings = settings,
                                        .memory = memory };
        struct capacity_decision decision = capacity_decide(&state);
        char name[128];
        (void)snprintf(name, sizeof name, "%s, at %lld s", row, (long long)minutes[m].at / 1000);
        CHECK_EQ(name, decision.step, minutes[m].step);
        CHECK_EQ(name, decision.why, minutes[m].why);
        memory = decision.memory;
        size += decision.step;
    }
}

static void test_minutes(void)
{
    struct capacity_settings settings = usual(100), two = usual(5), never = usual(100), fast = usual(100), slow = usual(100), at_once = usual(100);
    static const struct minute in[] = {
        { 0, 3, 0, 0, CAPACITY_COUNTING },            { 14 * MINUTE, 3, 0, 0, CAPACITY_COUNTING },   { 15 * MINUTE - 1, 3, 0, 0, CAPACITY_COUNTING },
        { 15 * MINUTE, 3, 0, -4, CAPACITY_SURPLUS },  { 16 * MINUTE - 1, 3, 0, 0, CAPACITY_COUNTING }, { 16 * MINUTE, 3, 0, -2, CAPACITY_SURPLUS },
        { 17 * MINUTE, 3, 0, -1, CAPACITY_SURPLUS },  { 18 * MINUTE, 3, 0, 0, CAPACITY_RIGHT },
    };
    walk("7 of 10 are empty", settings, 10, in, COUNT_OF(in));
    static const struct minute broken[] = {
        { 0, 3, 0, 0, CAPACITY_COUNTING },            { 14 * MINUTE, 10, 0, 0, CAPACITY_RIGHT },     { 15 * MINUTE, 3, 0, 0, CAPACITY_COUNTING },
        { 29 * MINUTE, 3, 0, 0, CAPACITY_COUNTING },  { 30 * MINUTE, 3, 0, -4, CAPACITY_SURPLUS },
    };
    walk("one minute breaks the row", settings, 10, broken, COUNT_OF(broken));
    static const struct minute out_between[] = {
        { 0, 3, 0, 0, CAPACITY_COUNTING },            { 14 * MINUTE, 3, 1, 1, CAPACITY_TASKS_WAIT }, { 15 * MINUTE, 4, 0, 0, CAPACITY_COUNTING },
        { 29 * MINUTE, 4, 0, 0, CAPACITY_COUNTING },  { 30 * MINUTE, 4, 0, -4, CAPACITY_SURPLUS },
    };
    walk("a step out begins the count again", settings, 10, out_between, COUNT_OF(out_between));
    static const struct minute last_one[] = { { 0, 0, 0, 0, CAPACITY_COUNTING }, { 15 * MINUTE, 0, 0, -1, CAPACITY_SURPLUS }, { 16 * MINUTE, 0, 0, 0, CAPACITY_RIGHT } };
    walk("to nothing", settings, 1, last_one, COUNT_OF(last_one));
    static const struct minute half[] = { { 0, 0, 0, 0, CAPACITY_COUNTING }, { 15 * MINUTE, 0, 0, -1, CAPACITY_SURPLUS }, { 16 * MINUTE, 0, 0, -1, CAPACITY_SURPLUS },
                                          { 17 * MINUTE, 0, 0, -1, CAPACITY_SURPLUS }, { 18 * MINUTE, 0, 0, 0, CAPACITY_RIGHT } };
    walk("at most half of three", settings, 3, half, COUNT_OF(half));
    static const struct minute burst[] = {
        { 0, 2, 7, 2, CAPACITY_TASKS_WAIT },          { 1, 4, 5, 0, CAPACITY_STEP_TAKEN },           { MINUTE - 1, 4, 5, 0, CAPACITY_STEP_TAKEN },
        { MINUTE, 4, 5, 1, CAPACITY_TASKS_WAIT },     { 2 * MINUTE, 5, 4, 0, CAPACITY_AT_MAX },      { 3 * MINUTE, 5, 4, 0, CAPACITY_AT_MAX },
    };
    two.step_max = 2;
    walk("9 are needed, 2 a minute, 5 at most", two, 2, burst, COUNT_OF(burst));
    static const struct minute ones[] = { { 0, 0, 1, 1, CAPACITY_TASKS_WAIT }, { 1000, 1, 1, 1, CAPACITY_TASKS_WAIT }, { 2000, 2, 1, 0, CAPACITY_STEP_TAKEN } };
    walk("two of the step in one minute", two, 0, ones, COUNT_OF(ones));
    never.in_after_ms = CAPACITY_NEVER;
    static const struct minute long_after[] = { { 0, 0, 0, 0, CAPACITY_RIGHT }, { 1000 * MINUTE, 0, 0, 0, CAPACITY_RIGHT } };
    walk("nothing scales in", never, 4, long_after, COUNT_OF(long_after));
    fast.in_after_ms = 0;
    fast.warmup_ms = 0;
    static const struct minute soon[] = { { 0, 0, 2, 2, CAPACITY_TASKS_WAIT }, { 1, 0, 0, -1, CAPACITY_SURPLUS }, { 2, 0, 0, 0, CAPACITY_COUNTING } };
    walk("in at once, one step a minute", fast, 0, soon, COUNT_OF(soon));
    slow.warmup_ms = 30 * MINUTE;
    static const struct minute warm[] = { { 0, 0, 2, 2, CAPACITY_TASKS_WAIT }, { 1, 0, 0, 0, CAPACITY_COUNTING }, { 30 * MINUTE - 1, 0, 0, 0, CAPACITY_COUNTING },
                                          { 30 * MINUTE, 0, 0, -1, CAPACITY_SURPLUS } };
    walk("not before it is warm", slow, 0, warm, COUNT_OF(warm));
    at_once.size_max = 4;
    at_once.protects = true;
    static const struct minute busy[] = { { 0, 9, 0, -1, CAPACITY_ABOVE_MAX }, { 1, 9, 0, 0, CAPACITY_PROTECTED } };
    walk("busy machines stay above MaxSize", at_once, 10, busy, COUNT_OF(busy));
    /* At MaxSize with machines that no waiting task fits on: they make room, though not at once. */
    static const struct minute useless[] = { { 0, 0, 1, 0, CAPACITY_AT_MAX }, { 15 * MINUTE, 0, 1, -1, CAPACITY_SURPLUS }, { 15 * MINUTE + 1, 0, 1, 1, CAPACITY_TASKS_WAIT } };
    walk("machines of another type make room", usual(2), 2, useless, COUNT_OF(useless));
    static const struct minute many[] = { { 0, 1, 9, 0, CAPACITY_AT_MAX }, { 15 * MINUTE, 1, 9, -1, CAPACITY_SURPLUS }, { 15 * MINUTE + 1, 1, 9, 1, CAPACITY_TASKS_WAIT } };
    walk("for many tasks too", usual(3), 3, many, COUNT_OF(many));
}

static void test_tell(void)
{
    struct capacity_state state = { .now_ms = START, .size = 2, .used = 2, .news = 1, .settings = usual(2) };
    struct capacity_decision first = capacity_decide(&state);
    state.memory = first.memory;
    struct capacity_decision second = capacity_decide(&state);
    state.memory = second.memory;
    state.news = 0;
    struct capacity_decision rest = capacity_decide(&state);
    state.memory = rest.memory;
    state.news = 1;
    CHECK("once", first.tell && !second.tell && !rest.tell && second.why == CAPACITY_AT_MAX);
    CHECK("and again after it was over", capacity_decide(&state).tell);
}

/* ---- which ---- */

static void test_remove(struct arena *arena)
{
    static const struct { const char *row; bool empty_only; size_t count; const char *order; } rows[] = {
        { "empty ones: longest first, then the dearest, then by id", true, 9, "EDBC" },
        { "two", true, 2, "ED" },
        { "busy ones too: fewest tasks first, reserved ones before", false, 9, "EDBCGHA" },
    };
    /*                                       type             busy   kept   tasks since reserved */
    static const struct { const char *type; bool busy, kept; int64_t tasks, since; bool reserved; } machines[] = {
        { "g4dn.xlarge", true, false, 4, 0, false },  { "g4dn.xlarge", false, false, 0, 200, false }, { "g4dn.xlarge", false, false, 0, 200, false },
        { "g5.xlarge", false, false, 0, 200, false }, { "c5.large", false, false, 0, 100, false },    { "g4dn.xlarge", false, true, 0, 1, false },
        { "g4dn.xlarge", false, false, 0, 1, true },  { "g4dn.xlarge", true, false, 1, 0, false },
    };
    struct capacity_machine list[COUNT_OF(machines)];
    bool reserved[COUNT_OF(machines)];
    for (size_t m = 0; m < COUNT_OF(machines); m++) {
        list[m] = (struct capacity_machine){ .id = test_id((uint32_t)m + 1), .type = catalogue_find(catalogue_builtin(), str_from(machines[m].type)), .busy = machines[m].busy,
                                             .kept = machines[m].kept, .tasks = machines[m].tasks, .since_ms = machines[m].since };
        reserved[m] = machines[m].reserved;
    }
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        uint32_t removed[COUNT_OF(machines)];
        char order[COUNT_OF(machines) + 1] = { 0 };
        size_t count = capacity_remove(list, reserved, COUNT_OF(machines), rows[r].count, rows[r].empty_only, removed, arena);
        for (size_t c = 0; c < count; c++) { order[c] = (char)('A' + removed[c]); }
        CHECK_STR(rows[r].row, str_from(order), str_from(rows[r].order));
    }
    arena_reset(arena);
}

static void test_idle(void)
{
    static const struct { const char *row; bool busy, kept, reserved; int64_t since, after; bool goes; } rows[] = {
        { "long enough", false, false, false, START - 300000, 300000, true },   { "not long enough", false, false, false, START - 299999, 300000, false },
        { "at once", false, false, false, START, 0, true },                     { "never", false, false, false, 1, CAPACITY_NEVER, false },
        { "busy", true, false, false, 1, 0, false },                            { "protected", false, true, false, 1, 0, false },
        { "a task waits for it", false, false, true, 1, 0, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        uint32_t idle = 9;
        const struct capacity_machine machine = { .busy = rows[r].busy, .kept = rows[r].kept, .since_ms = rows[r].since };
        CHECK_EQ(rows[r].row, capacity_idle(&machine, &rows[r].reserved, 1, START, rows[r].after, &idle), rows[r].goes);
        CHECK_EQ(rows[r].row, idle, rows[r].goes ? 0 : 9);
    }
}

static void test_add(struct arena *arena)
{
    static struct test_pool pool;
    struct capacity_addition additions[9];
    test_pool_begin(&pool, 9);
    test_pool_type(&pool, "g4dn.xlarge", 2);
    test_pool_type(&pool, "g4dn.12xlarge", 3);
    uint32_t one = test_pool_shape(&pool, 100, 100, 1, GPU_WHOLE, 0), four = test_pool_shape(&pool, 100, 100, 4, GPU_WHOLE, 0);
    test_pool_tasks(&pool, one, 1, 0);
    test_pool_tasks(&pool, four, 1, 0);
    struct capacity_plan plan = capacity_plan(&pool.demand, arena);
    CHECK_EQ("one: the first of the queue", capacity_add(&pool.demand, &plan, 1, additions), 1);
    CHECK("its type", additions[0].type == 0 && additions[0].for_tasks == &plan.news[0]);
    CHECK_EQ("four", capacity_add(&pool.demand, &plan, 4, additions), 4);
    CHECK("the plan, then the first type as far as it goes", additions[1].type == 1 && additions[2].type == 0 && additions[3].type == 1 && additions[2].for_tasks == NULL);
    CHECK_EQ("all that there can be", capacity_add(&pool.demand, &plan, 9, additions), 5);
    struct buf text = buf_in(arena);
    struct capacity_state state = { .now_ms = START, .size = 0, .used = 0, .news = 2, .settings = usual(1) };
    struct capacity_decision decision = capacity_decide(&state);
    capacity_explain(&decision, &pool.demand, &plan, &text);
    CHECK_STR("why", buf_str(&text), STR("2 machines are needed, and there are 0. With a target of 100 percent 2 are wanted: tasks wait, so 1 machine is added. "
                                         "New machines that tasks need: 1 g4dn.xlarge for 1 task, 1 g4dn.12xlarge for 1 task."));
    arena_reset(arena);
}

int main(void)
{
    struct arena arena = { .ceiling = CEILING };
    test_steps();
    test_minutes();
    test_tell();
    test_remove(&arena);
    test_idle();
    test_add(&arena);
    arena_finish(&arena);
    return check_report();
}
