/* Services whose traffic shifts: the weights, the stages with their hooks, waits and limits, and the ways back to blue. */
#include "services.h"

static struct fleet_of_one fleet;

#define STAGE_BIT(stage) (1u << (stage))
#define EACH_STAGE UINT32_MAX
enum { HOUR_MS = 60 * MINUTE_MS, DAY_MS = 24 * HOUR_MS };

static struct rollout_at *at(void) { return &fleet.state.traffic.at; }

static void open_traffic(const char *row, enum rollout_strategy strategy, int64_t desired)
{
    fleet_open(&fleet, row, desired, 100, 200);
    fleet.state.strategy = strategy;
}

/* A steady service, with no hooks yet, and an update of it. */
static void open_update(const char *row, enum rollout_strategy strategy, int64_t desired)
{
    open_traffic(row, strategy, desired);
    (void)fleet_settle(&fleet);
    CHECK_EQ(row, fleet.state.act, ACT_SUCCESSFUL);
    CHECK_EQ(row, fleet.deployments[0].production, WEIGHT_WHOLE);
    fleet_update(&fleet);
    fleet.state.traffic.test_rule = true;
}

static void add_hook(uint32_t stages, bool pauses, bool goes_on)
{
    fleet.hooks[fleet.state.traffic.hook_count++] = (struct rollout_hook){ .stages = stages, .pauses = pauses, .goes_on = goes_on, .timeout_ms = DAY_MS };
}

static void answer(enum hook_answer word)
{
    for (size_t h = 0; h < fleet.state.traffic.hook_count; h++) {
        if (fleet.hooks[h].answer == HOOK_PENDING) { fleet.hooks[h].answer = word; }
    }
}

static void step_at(int64_t now_ms)
{
    fleet.state.now_ms = now_ms;
    fleet_step(&fleet);
}

static int64_t green(void) { return fleet.deployments[fleet_primary(&fleet)].production; }
static int64_t test_weight(void) { return fleet.deployments[fleet_primary(&fleet)].test; }
static int64_t live_of_digits(int64_t digits)
{
    int64_t count = 0;
    for (size_t t = 0; t < fleet.state.task_count; t++) {
        count += fleet_live(&fleet.tasks[t]) && fleet.deployments[fleet.tasks[t].deployment].digits == digits;
    }
    return count;
}

/* ---- weights ---- */
static void test_weights(void)
{
    static const struct { const char *row; enum rollout_strategy strategy; int64_t first, steps, weights[5]; } rows[] = {
        { "blue/green", ROLLOUT_BLUE_GREEN, 0, 1, { 0, 1000 } },
        { "linear 30", ROLLOUT_LINEAR, 300, 4, { 0, 300, 600, 900, 1000 } },
        { "linear 25", ROLLOUT_LINEAR, 250, 4, { 0, 250, 500, 750, 1000 } },
        { "linear 33.3", ROLLOUT_LINEAR, 333, 4, { 0, 333, 666, 999, 1000 } },
        { "linear 33.4", ROLLOUT_LINEAR, 334, 3, { 0, 334, 668, 1000 } },
        { "linear 3", ROLLOUT_LINEAR, 30, 34, { 0, 30, 60, 90, 120 } },
        { "linear 100", ROLLOUT_LINEAR, 1000, 1, { 0, 1000 } },
        { "canary 0.1", ROLLOUT_CANARY, 1, 2, { 0, 1, 1000 } },
        { "canary 10", ROLLOUT_CANARY, 100, 2, { 0, 100, 1000 } },
        { "canary 99.9", ROLLOUT_CANARY, 999, 2, { 0, 999, 1000 } },
        { "canary 100", ROLLOUT_CANARY, 1000, 1, { 0, 1000 } },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_EQ(rows[r].row, traffic_steps(rows[r].strategy, rows[r].first), rows[r].steps);
        for (int64_t step = 0; step <= min_i64(rows[r].steps, 4); step++) {
            CHECK_EQ(rows[r].row, traffic_weight(rows[r].strategy, rows[r].first, step), rows[r].weights[step]);
        }
        CHECK_EQ(rows[r].row, traffic_weight(rows[r].strategy, rows[r].first, rows[r].steps), WEIGHT_WHOLE);
    }
}

/* When each weight comes, in minutes after green is healthy, and when blue goes. */
static void test_steps_in_time(void)
{
    static const struct { const char *row; enum rollout_strategy strategy; int64_t first, step_bake, bake; size_t count; struct { int64_t minute, weight; } steps[4]; int64_t end; } rows[] = {
        { "blue/green, bake 5", ROLLOUT_BLUE_GREEN, 1000, 0, 5, 1, { { 0, 1000 } }, 5 },
        { "blue/green, no bake", ROLLOUT_BLUE_GREEN, 1000, 0, 0, 1, { { 0, 1000 } }, 0 },
        { "linear 30/2, bake 7", ROLLOUT_LINEAR, 300, 2, 7, 4, { { 0, 300 }, { 2, 600 }, { 4, 900 }, { 6, 1000 } }, 13 },
        { "canary 10/10", ROLLOUT_CANARY, 100, 10, 0, 2, { { 0, 100 }, { 10, 1000 } }, 10 },
        { "canary 10/1440, bake 1440", ROLLOUT_CANARY, 100, 1440, 1440, 2, { { 0, 100 }, { 1440, 1000 } }, 2880 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        open_update(rows[r].row, rows[r].strategy, 2);
        fleet.state.traffic.first = rows[r].first;
        fleet.state.traffic.step_bake_ms = rows[r].step_bake * MINUTE_MS;
        fleet.state.traffic.bake_ms = rows[r].bake * MINUTE_MS;
        fleet_step(&fleet);
        CHECK_EQ(rows[r].row, at()->stage, STAGE_SCALE_UP);
        CHECK_EQ(rows[r].row, fleet_started(&fleet), 2);
        fleet_pass(&fleet, HEALTHY_AFTER_MS);
        int64_t start = fleet.state.now_ms;
        for (size_t s = 0; s < rows[r].count; s++) {
            if (s > 0) {
                step_at(start + rows[r].steps[s].minute * MINUTE_MS - 1);
                CHECK_EQ(rows[r].row, green(), rows[r].steps[s - 1].weight);
                CHECK_EQ(rows[r].row, fleet.plan.wake_ms, fleet.state.now_ms + 1);
            }
            step_at(start + rows[r].steps[s].minute * MINUTE_MS);
            CHECK_EQ(rows[r].row, green(), rows[r].steps[s].weight);
        }
        if (rows[r].bake > 0) {
            step_at(start + rows[r].end * MINUTE_MS - 1);
            CHECK_EQ(rows[r].row, at()->stage, STAGE_BAKE_TIME);
            CHECK_EQ(rows[r].row, fleet.plan.wake_ms, fleet.state.now_ms + 1);
            CHECK_EQ(rows[r].row, live_of_digits(1), 2);
        }
        step_at(start + rows[r].end * MINUTE_MS);
        CHECK_EQ(rows[r].row, at()->stage, STAGE_CLEAN_UP);
        CHECK_EQ(rows[r].row, live_of_digits(1), 0);
        CHECK_EQ(rows[r].row, fleet.state.act, ACT_IN_PROGRESS);
        (void)fleet_settle(&fleet);
        CHECK_EQ(rows[r].row, fleet.state.act, ACT_SUCCESSFUL);
        CHECK_EQ(rows[r].row, fleet.state.deployment_count, 1);
        CHECK_EQ(rows[r].row, fleet.seen[EVENT_COMPLETED], 2);
        fleet_close(&fleet);
    }
}

/* ---- hooks ---- */
/* Steps, with each hook answered, until the service deployment has ended; notes the stages in which hooks begin. Returns how many. */
static size_t note_stages(enum rollout_stage *noted, size_t most)
{
    size_t count = 0;
    for (int n = 0; n < 200 && fleet_rollout(&fleet) != ROLLOUT_COMPLETED; n++) {
        fleet_step(&fleet);
        if (fleet.plan.traffic.begins && count < most) { noted[count++] = at()->stage; }
        if (!fleet.plan.traffic.begins) { fleet_pass(&fleet, HEALTHY_AFTER_MS); }
        answer(HOOK_SUCCEEDED);
    }
    CHECK_EQ(fleet.row, fleet_rollout(&fleet), ROLLOUT_COMPLETED);
    return count;
}

static void test_stages_of_hooks(void)
{
    enum { STAGES_MAX = 16 };
    static const struct { const char *row; enum rollout_strategy strategy; bool pauses, newer; enum rollout_stage want[STAGES_MAX]; } rows[] = {
        { "called", ROLLOUT_BLUE_GREEN, false, false,
          { STAGE_PRE_SCALE_UP, STAGE_POST_SCALE_UP, STAGE_TEST_TRAFFIC_SHIFT, STAGE_POST_TEST_TRAFFIC_SHIFT, STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT,
            STAGE_PRODUCTION_TRAFFIC_SHIFT, STAGE_POST_PRODUCTION_TRAFFIC_SHIFT } },
        { "PAUSE", ROLLOUT_BLUE_GREEN, true, false,
          { STAGE_PRE_SCALE_UP, STAGE_POST_SCALE_UP, STAGE_POST_TEST_TRAFFIC_SHIFT, STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT, STAGE_POST_PRODUCTION_TRAFFIC_SHIFT } },
        { "called, canary", ROLLOUT_CANARY, false, false,
          { STAGE_PRE_SCALE_UP, STAGE_POST_SCALE_UP, STAGE_TEST_TRAFFIC_SHIFT, STAGE_POST_TEST_TRAFFIC_SHIFT, STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT,
            STAGE_PRODUCTION_TRAFFIC_SHIFT, STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT, STAGE_PRODUCTION_TRAFFIC_SHIFT, STAGE_POST_PRODUCTION_TRAFFIC_SHIFT } },
        { "PAUSE, canary", ROLLOUT_CANARY, true, false,
          { STAGE_PRE_SCALE_UP, STAGE_POST_SCALE_UP, STAGE_POST_TEST_TRAFFIC_SHIFT, STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT, STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT,
            STAGE_POST_PRODUCTION_TRAFFIC_SHIFT } },
        { "PAUSE, a newer update", ROLLOUT_BLUE_GREEN, true, true,
          { STAGE_RECONCILE_SERVICE, STAGE_PRE_SCALE_UP, STAGE_POST_SCALE_UP, STAGE_POST_TEST_TRAFFIC_SHIFT, STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT,
            STAGE_POST_PRODUCTION_TRAFFIC_SHIFT } },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        open_update(rows[r].row, rows[r].strategy, 1);
        fleet.state.traffic.first = 100;
        if (rows[r].newer) {
            fleet_step(&fleet);
            fleet_update(&fleet);
        }
        add_hook(EACH_STAGE, rows[r].pauses, false);
        enum rollout_stage noted[STAGES_MAX] = { STAGE_NONE };
        (void)note_stages(noted, STAGES_MAX);
        for (size_t s = 0; s < STAGES_MAX; s++) { CHECK_EQ(rows[r].row, noted[s], rows[r].want[s]); }
        CHECK_EQ(rows[r].row, fleet.deployments[0].digits, rows[r].newer ? 3 : 2);
        fleet_close(&fleet);
    }
}

/* A blue/green update with one hook, up to the stage in which it is pending. */
static void open_pending(const char *row, enum rollout_stage stage, bool pauses, bool goes_on)
{
    open_update(row, ROLLOUT_BLUE_GREEN, 2);
    fleet.state.traffic.bake_ms = 5 * MINUTE_MS;
    add_hook(STAGE_BIT(stage), pauses, goes_on);
    for (int n = 0; n < 3 && fleet.hooks[0].answer != HOOK_PENDING; n++) {
        fleet_step(&fleet);
        if (fleet.hooks[0].answer != HOOK_PENDING) { fleet_pass(&fleet, HEALTHY_AFTER_MS); }
    }
    CHECK_EQ(row, at()->stage, stage);
    CHECK_EQ(row, fleet.hooks[0].answer, HOOK_PENDING);
}

static void test_answers(void)
{
    static const struct { const char *row; bool pauses, goes_on; enum hook_answer answer; int64_t after_ms; enum rollout_failure failure; bool waits; } rows[] = {
        { "continued", true, false, HOOK_SUCCEEDED, 0, FAILURE_NONE, false },
        { "ROLLBACK by the user", true, true, HOOK_FAILED, 0, FAILURE_HOOK, false },
        { "called, SUCCEEDED", false, false, HOOK_SUCCEEDED, 0, FAILURE_NONE, false },
        { "called, FAILED", false, true, HOOK_FAILED, 0, FAILURE_HOOK, false },
        { "called, IN_PROGRESS", false, false, HOOK_PENDING, 0, FAILURE_NONE, true },
        { "PAUSE, just in time", true, false, HOOK_PENDING, DAY_MS - 1, FAILURE_NONE, true },
        { "PAUSE, timed out", true, false, HOOK_PENDING, DAY_MS, FAILURE_PAUSE_TIMED_OUT, false },
        { "PAUSE, timed out, CONTINUE", true, true, HOOK_PENDING, DAY_MS, FAILURE_NONE, false },
        { "called, just in time", false, false, HOOK_PENDING, DAY_MS - 1, FAILURE_NONE, true },
        { "called, timed out", false, false, HOOK_PENDING, DAY_MS, FAILURE_HOOK, false },
        { "called, timed out, CONTINUE", false, true, HOOK_PENDING, DAY_MS, FAILURE_NONE, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        open_pending(rows[r].row, STAGE_POST_TEST_TRAFFIC_SHIFT, rows[r].pauses, rows[r].goes_on);
        CHECK_EQ(rows[r].row, green(), 0);
        CHECK_EQ(rows[r].row, test_weight(), WEIGHT_WHOLE);
        CHECK_EQ(rows[r].row, fleet.plan.wake_ms, at()->stage_since_ms + DAY_MS);
        fleet.hooks[0].answer = rows[r].answer;
        step_at(at()->stage_since_ms + rows[r].after_ms);
        bool fails = rows[r].failure != FAILURE_NONE;
        CHECK_EQ(rows[r].row, fleet.plan.failure, rows[r].failure);
        CHECK_EQ(rows[r].row, fleet.plan.failed_stage, STAGE_POST_TEST_TRAFFIC_SHIFT);
        CHECK_EQ(rows[r].row, at()->stage, fails ? STAGE_CLEAN_UP : rows[r].waits ? STAGE_POST_TEST_TRAFFIC_SHIFT : STAGE_BAKE_TIME);
        CHECK_EQ(rows[r].row, fleet.state.act, fails ? ACT_ROLLBACK_IN_PROGRESS : ACT_IN_PROGRESS);
        CHECK_EQ(rows[r].row, fleet.seen[EVENT_FAILED], fails);
        CHECK_EQ(rows[r].row, fleet.seen[EVENT_ROLLING_BACK], fails);
        CHECK_EQ(rows[r].row, live_of_digits(1), 2);
        if (fails) {
            CHECK_EQ(rows[r].row, fleet.deployments[fleet_primary(&fleet)].digits, 1);
            CHECK_EQ(rows[r].row, green() + test_weight(), 2 * WEIGHT_WHOLE);
            CHECK_EQ(rows[r].row, live_of_digits(2), 0);
            (void)fleet_settle(&fleet);
            CHECK_EQ(rows[r].row, fleet.state.act, ACT_ROLLBACK_SUCCESSFUL);
        }
        fleet_close(&fleet);
    }
}

/* All hooks of a stage must answer; one that fails is named. */
static void test_two_hooks(void)
{
    open_update("two hooks", ROLLOUT_BLUE_GREEN, 1);
    add_hook(STAGE_BIT(STAGE_PRE_SCALE_UP), false, false);
    add_hook(STAGE_BIT(STAGE_PRE_SCALE_UP), true, true);
    fleet.hooks[1].timeout_ms = MINUTE_MS;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 0);
    CHECK_EQ(fleet.row, fleet.plan.wake_ms, fleet.state.now_ms + MINUTE_MS);
    fleet.state.now_ms += MINUTE_MS;
    fleet_step(&fleet);
    CHECK_EQ("timed out, CONTINUE", fleet.hooks[1].answer, HOOK_TIMED_OUT);
    CHECK_EQ("the other is pending", at()->stage, STAGE_PRE_SCALE_UP);
    fleet.hooks[1].answer = HOOK_FAILED;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.failed_hook, 1);
    CHECK_EQ("the other is called no more", fleet.hooks[0].answer, HOOK_NONE);
    CHECK_EQ("green has no task", fleet.state.act, ACT_ROLLBACK_SUCCESSFUL);
    fleet_close(&fleet);
}

/* ---- limits ---- */
static void test_limits(void)
{
    static const struct { const char *row; bool day; int64_t less; bool fails; } rows[] = {
        { "a stage, just within 24 hours", true, 1, false }, { "a stage, 24 hours", true, 0, true },
        { "a rollout, just within 30 days", false, 1, false }, { "a rollout, 30 days", false, 0, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        open_update(rows[r].row, ROLLOUT_BLUE_GREEN, 1);
        fleet_step(&fleet);
        fleet.slots = 1;                                          /* green has a task that is never healthy */
        fleet_pass(&fleet, 0);
        fleet.tasks[1].health = HEALTH_NOT_KNOWN;
        if (!rows[r].day) { fleet.state.traffic.begun_ms = at()->stage_since_ms - ROLLOUT_LIMIT_MS + MINUTE_MS; }
        int64_t end = at()->stage_since_ms + (rows[r].day ? DAY_MS : MINUTE_MS);
        fleet_step(&fleet);
        CHECK_EQ(rows[r].row, fleet.plan.wake_ms, end);
        step_at(end - rows[r].less);
        CHECK_EQ(rows[r].row, fleet.plan.failure, rows[r].fails ? FAILURE_TOO_LONG : FAILURE_NONE);
        CHECK_EQ(rows[r].row, fleet.plan.failed_stage, STAGE_SCALE_UP);
        CHECK_EQ(rows[r].row, fleet.state.act, rows[r].fails ? ACT_ROLLBACK_IN_PROGRESS : ACT_IN_PROGRESS);
        fleet_close(&fleet);
    }
    open_pending("a PAUSE of 14 days", STAGE_POST_SCALE_UP, true, false);
    fleet.hooks[0].timeout_ms = 14 * (int64_t)DAY_MS;
    step_at(at()->stage_since_ms + 14 * (int64_t)DAY_MS - 1);
    CHECK_EQ(fleet.row, fleet.plan.failure, FAILURE_NONE);
    fleet.state.now_ms++;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.failure, FAILURE_PAUSE_TIMED_OUT);
    fleet_close(&fleet);

    open_pending("the clock is set back", STAGE_POST_SCALE_UP, true, false);
    step_at(at()->stage_since_ms - 5 * MINUTE_MS);
    CHECK_EQ(fleet.row, at()->stage_since_ms, fleet.state.now_ms);
    fleet_close(&fleet);
}

/* Blue's dead task has no room, green's tasks have: they start. A deployment that failed waits for no room any more. */
static void test_room(void)
{
    static const int64_t room[] = { 0, 2 };
    open_update("room for green alone", ROLLOUT_BLUE_GREEN, 2);
    fleet_end(&fleet, 0, END_BY_ITSELF);
    fleet.state.room = room;
    CHECK(fleet.row, reconcile(&fleet.state, &fleet.arena, &fleet.plan));
    CHECK_EQ(fleet.row, fleet.plan.start_count, 1);
    CHECK_EQ(fleet.row, fleet.plan.starts[0].deployment, 1);
    CHECK_EQ(fleet.row, fleet.plan.starts[0].count, 2);
    CHECK_EQ(fleet.row, fleet.plan.wants, 3);
    CHECK_EQ(fleet.row, fleet.plan.deployments[0].failures.no_room_ms, fleet.state.now_ms);
    CHECK_EQ(fleet.row, fleet.plan.deployments[1].failures.no_room_ms, 0);
    fleet_close(&fleet);

    open_update("green fails while it has no room", ROLLOUT_BLUE_GREEN, 1);
    fleet.state.alarm_rollback = false;
    fleet.slots = 1;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.deployments[1].failures.no_room_ms, fleet.state.now_ms);
    fleet.state.alarm = true;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_rollout(&fleet), ROLLOUT_FAILED);
    CHECK_EQ(fleet.row, fleet.deployments[1].failures.no_room_ms, 0);
    step_at(fleet.state.now_ms + MINUTE_MS);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_NO_PLACE], 0);
    fleet_close(&fleet);
}

/* Blue goes only when all of green is healthy. */
static void test_bake_of_a_sick_green(void)
{
    open_pending("green is not whole at the end of its bake time", STAGE_POST_PRODUCTION_TRAFFIC_SHIFT, true, false);
    answer(HOOK_SUCCEEDED);
    fleet_step(&fleet);
    for (size_t t = 0; t < fleet.state.task_count; t++) {
        if (fleet.deployments[fleet.tasks[t].deployment].digits == 2) { fleet.tasks[t].health = HEALTH_NOT_KNOWN; }
    }
    step_at(at()->stage_since_ms + fleet.state.traffic.bake_ms);
    CHECK_EQ(fleet.row, at()->stage, STAGE_BAKE_TIME);
    CHECK_EQ(fleet.row, live_of_digits(1), 2);
    for (size_t t = 0; t < fleet.state.task_count; t++) { fleet.tasks[t].health = HEALTH_NO_CHECK; }
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, at()->stage, STAGE_CLEAN_UP);
    fleet_close(&fleet);
}

/* Each step of the weights has its own 24 hours. */
static void test_limit_of_a_step(void)
{
    open_update("a step, just within 24 hours", ROLLOUT_LINEAR, 1);
    fleet.state.traffic.first = 500;
    fleet_step(&fleet);
    fleet_pass(&fleet, HEALTHY_AFTER_MS);
    fleet.state.traffic.step_bake_ms = 20 * HOUR_MS;
    fleet_step(&fleet);
    int64_t start = fleet.state.now_ms;
    fleet.tasks[1].health = HEALTH_NOT_KNOWN;                     /* green is not whole before the second step */
    step_at(start + 20 * HOUR_MS);
    CHECK_EQ(fleet.row, at()->stage, STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT);
    step_at(start + 20 * HOUR_MS + DAY_MS - 1);
    CHECK_EQ(fleet.row, fleet.plan.failure, FAILURE_NONE);
    CHECK_EQ(fleet.row, green(), 500);
    step_at(start + 20 * HOUR_MS + DAY_MS);
    CHECK_EQ("a step, 24 hours", fleet.plan.failure, FAILURE_TOO_LONG);
    CHECK_EQ("a step, 24 hours", green(), WEIGHT_WHOLE);
    CHECK_EQ("a step, 24 hours", fleet.deployments[fleet_primary(&fleet)].digits, 1);
    fleet_close(&fleet);
}

/* ---- ways back ---- */
static void test_rollback_hooks(void)
{
    static const struct { const char *row; enum rollout_stage fails_at; enum rollout_stage again[2]; } rows[] = {
        { "before the test traffic", STAGE_POST_SCALE_UP, { STAGE_NONE } },
        { "in the shift of the test traffic", STAGE_TEST_TRAFFIC_SHIFT, { STAGE_TEST_TRAFFIC_SHIFT } },
        { "before the production traffic", STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT, { STAGE_TEST_TRAFFIC_SHIFT } },
        { "in the shift of the production traffic", STAGE_PRODUCTION_TRAFFIC_SHIFT, { STAGE_TEST_TRAFFIC_SHIFT, STAGE_PRODUCTION_TRAFFIC_SHIFT } },
        { "after the production traffic", STAGE_POST_PRODUCTION_TRAFFIC_SHIFT, { STAGE_TEST_TRAFFIC_SHIFT, STAGE_PRODUCTION_TRAFFIC_SHIFT } },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        for (int failed = 0; failed <= 1; failed++) {             /* an answer in a rollback changes nothing */
            open_pending(rows[r].row, rows[r].fails_at, false, false);
            add_hook(EACH_STAGE, true, false);
            fleet.hooks[0].stages = EACH_STAGE;
            answer(HOOK_FAILED);
            for (size_t s = 0; s < 2 && rows[r].again[s] != STAGE_NONE; s++) {
                fleet_step(&fleet);
                CHECK_EQ(rows[r].row, at()->stage, rows[r].again[s]);
                CHECK_EQ(rows[r].row, fleet.plan.traffic.begins, true);
                CHECK_EQ(rows[r].row, fleet.hooks[1].answer, HOOK_NONE);
                CHECK_EQ(rows[r].row, green() + test_weight(), 2 * WEIGHT_WHOLE);
                CHECK_EQ(rows[r].row, live_of_digits(2), 2);
                answer(failed ? HOOK_FAILED : HOOK_SUCCEEDED);
            }
            fleet_step(&fleet);
            CHECK_EQ(rows[r].row, at()->stage, STAGE_CLEAN_UP);
            CHECK_EQ(rows[r].row, live_of_digits(2), 0);
            (void)fleet_settle(&fleet);
            CHECK_EQ(rows[r].row, fleet.state.act, ACT_ROLLBACK_SUCCESSFUL);
            CHECK_EQ(rows[r].row, fleet.plan.steady && fleet.state.deployment_count == 1, true);
            fleet_close(&fleet);
        }
    }
}

static void test_triggers(void)
{
    static const struct { const char *row; bool alarm, user, breaker, rollback; enum rollout_failure failure; enum act act; enum event_kind event; } rows[] = {
        { "an alarm", true, false, false, true, FAILURE_ALARM, ACT_ROLLBACK_IN_PROGRESS, EVENT_ALARM },
        { "an alarm without rollback", true, false, false, false, FAILURE_ALARM, ACT_STOPPED, EVENT_ALARM },
        { "a user", false, true, false, false, FAILURE_USER, ACT_ROLLBACK_IN_PROGRESS, EVENT_FAILED },
        { "the breaker", false, false, true, true, FAILURE_BREAKER, ACT_ROLLBACK_IN_PROGRESS, EVENT_FAILED_TO_START },
        { "the breaker without rollback", false, false, true, false, FAILURE_BREAKER, ACT_STOPPED, EVENT_FAILED_TO_START },
        { "nothing", false, false, false, true, FAILURE_NONE, ACT_IN_PROGRESS, EVENT_UNABLE },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        open_update(rows[r].row, ROLLOUT_CANARY, 2);
        fleet.state.breaker.enabled = true;
        fleet.state.breaker.rollback = rows[r].rollback != rows[r].alarm;                        /* the other one does not matter */
        fleet.state.alarm_rollback = rows[r].rollback == rows[r].alarm;
        fleet.state.traffic.first = 100;
        fleet.state.traffic.step_bake_ms = 10 * MINUTE_MS;
        fleet_step(&fleet);
        fleet_pass(&fleet, HEALTHY_AFTER_MS);
        fleet_step(&fleet);
        CHECK_EQ("canary bake", green(), 100);
        fleet.state.alarm = rows[r].alarm;
        if (rows[r].user) { fleet.state.act = ACT_ROLLBACK_REQUESTED; }
        fleet.deployments[1].failures.failed = rows[r].breaker ? 3 : 2;
        fleet_step(&fleet);
        bool back = rows[r].act == ACT_ROLLBACK_IN_PROGRESS;
        CHECK_EQ(rows[r].row, fleet.plan.failure, rows[r].failure);
        CHECK_EQ(rows[r].row, fleet.state.act, rows[r].act);
        CHECK_EQ(rows[r].row, fleet.seen[rows[r].event], rows[r].failure != FAILURE_NONE);
        CHECK_EQ(rows[r].row, fleet.deployments[0].production, back ? 1000 : 900);
        CHECK_EQ(rows[r].row, live_of_digits(2), back ? 0 : 2);
        CHECK_EQ(rows[r].row, live_of_digits(1), 2);
        (void)fleet_settle(&fleet);
        if (back) { CHECK_EQ(rows[r].row, fleet.state.act, ACT_ROLLBACK_SUCCESSFUL); }
        fleet_close(&fleet);
    }
}

/* The first deployment has no blue: it passes the same stages, and nothing can be returned to. */
static void test_first_deployment(void)
{
    for (int fails = 0; fails <= 1; fails++) {
        open_traffic(fails ? "first deployment, a hook fails" : "first deployment", ROLLOUT_LINEAR, 2);
        fleet.state.traffic.first = 500;
        add_hook(STAGE_BIT(STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT), false, false);
        fleet_step(&fleet);
        fleet_pass(&fleet, HEALTHY_AFTER_MS);
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, at()->stage, STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT);
        CHECK_EQ(fleet.row, green(), 0);
        answer(fails ? HOOK_FAILED : HOOK_SUCCEEDED);
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet.state.act, fails ? ACT_ROLLBACK_FAILED : ACT_IN_PROGRESS);
        CHECK_EQ(fleet.row, fleet_rollout(&fleet), fails ? ROLLOUT_FAILED : ROLLOUT_IN_PROGRESS);
        CHECK_EQ(fleet.row, green(), fails ? 0 : 500);
        CHECK_EQ(fleet.row, fleet.plan.traffic.begins, !fails);
        CHECK_EQ("its tasks stay", live_of_digits(1), 2);
        answer(HOOK_SUCCEEDED);
        (void)fleet_settle(&fleet);
        CHECK_EQ(fleet.row, fleet.state.act, fails ? ACT_ROLLBACK_FAILED : ACT_SUCCESSFUL);
        fleet_close(&fleet);
    }
}

/* In CLEAN_UP a user's request comes too late after the first stop of a task of blue. */
static void test_no_way_back(void)
{
    for (int held = 0; held <= 1; held++) {
        open_update(held ? "all of blue is protected" : "blue stops", ROLLOUT_BLUE_GREEN, 2);
        for (size_t t = 0; held && t < 2; t++) { fleet.tasks[t].protected_until_ms = fleet.state.now_ms + 2 * DAY_MS; }
        fleet_step(&fleet);
        fleet_pass(&fleet, HEALTHY_AFTER_MS);
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, at()->stage, STAGE_CLEAN_UP);
        CHECK_EQ(fleet.row, at()->blue_stops, !held);
        fleet.state.now_ms += DAY_MS;                             /* CLEAN_UP has no limit */
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet.plan.failure, FAILURE_NONE);
        fleet.state.act = ACT_ROLLBACK_REQUESTED;
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet.state.act, held ? ACT_ROLLBACK_IN_PROGRESS : ACT_ROLLBACK_REQUESTED);
        (void)fleet_settle(&fleet);
        CHECK_EQ(fleet.row, fleet.state.act, held ? ACT_ROLLBACK_SUCCESSFUL : ACT_SUCCESSFUL);
        CHECK_EQ(fleet.row, fleet.deployments[0].digits, held ? 1 : 2);
        fleet_close(&fleet);
    }
}

/* ---- blue ---- */
/* Blue's dead tasks start again up to the lower limit and to one, before and after the shift; none in CLEAN_UP. */
static void test_dead_blue(void)
{
    static const struct { const char *row; int64_t min, dies, starts; } rows[] = {
        { "4 at 100", 100, 1, 1 }, { "4 at 50, 2 die", 50, 2, 0 }, { "4 at 50, 3 die", 50, 3, 1 }, { "4 at 0, 3 die", 0, 3, 0 }, { "4 at 0, all die", 0, 4, 1 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        for (int shifted = 0; shifted <= 1; shifted++) {
            open_pending(rows[r].row, shifted ? STAGE_POST_PRODUCTION_TRAFFIC_SHIFT : STAGE_POST_SCALE_UP, true, false);
            fleet.state.desired = 4;
            fleet_step(&fleet);                                   /* both come to 4 */
            fleet_pass(&fleet, HEALTHY_AFTER_MS);
            fleet.state.min_percent = rows[r].min;
            CHECK_EQ(rows[r].row, live_of_digits(1) + live_of_digits(2), 8);
            int64_t dies = rows[r].dies;
            for (size_t t = fleet.state.task_count; t-- > 0 && dies > 0;) {
                if (fleet.deployments[fleet.tasks[t].deployment].digits == 1) { fleet_end(&fleet, t, END_BY_ITSELF); dies--; }
            }
            fleet.deployments[0].failures = (struct failures){ 0 };
            fleet_step(&fleet);
            CHECK_EQ(rows[r].row, fleet_started(&fleet), rows[r].starts);
            CHECK_EQ(rows[r].row, fleet.plan.stop_count, 0);
            CHECK_EQ(rows[r].row, fleet.deployments[0].wanted, 4 - rows[r].dies + rows[r].starts);
            fleet_close(&fleet);
        }
    }
}

static void test_desired(void)
{
    open_pending("fewer desired", STAGE_POST_SCALE_UP, true, false);
    fleet.state.desired = 1;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, live_of_digits(1), 2);
    CHECK_EQ(fleet.row, live_of_digits(2), 1);
    answer(HOOK_SUCCEEDED);
    fleet.state.traffic.bake_ms = 0;
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet.state.act, ACT_SUCCESSFUL);
    fleet_close(&fleet);

    open_update("none desired", ROLLOUT_LINEAR, 0);
    fleet.state.traffic.first = 30;
    fleet_step(&fleet);
    CHECK_EQ("34 steps at once", fleet.state.act, ACT_SUCCESSFUL);
    CHECK_EQ("34 steps at once", at()->step, 34);
    fleet_close(&fleet);
}

/* Twice the desired count is live: an unhealthy task stops before its replacement starts, one at a time. */
static void test_unhealthy(void)
{
    for (int64_t digits = 1; digits <= 2; digits++) {
        open_pending(digits == 1 ? "unhealthy, of blue" : "unhealthy, of green", STAGE_POST_SCALE_UP, true, false);
        for (size_t t = 0; t < fleet.state.task_count; t++) {
            if (fleet.deployments[fleet.tasks[t].deployment].digits == digits) { fleet.tasks[t].health = HEALTH_BAD; }
        }
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet.plan.stop_count, 1);
        CHECK_EQ(fleet.row, fleet.plan.stops[0].why, STOP_UNHEALTHY);
        CHECK_EQ(fleet.row, fleet_started(&fleet), 0);
        fleet_pass(&fleet, 0);
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet_started(&fleet), 1);
        CHECK_EQ(fleet.row, live_of_digits(digits), 2);
        fleet_close(&fleet);
    }
}

/* ---- a newer update in the middle ---- */
static void test_newer_update(void)
{
    static const struct { const char *row; int64_t first; bool failed; int64_t blue; } rows[] = {
        { "blue has most of the traffic", 400, false, 1 }, { "as much each", 500, false, 1 }, { "green has most of it", 600, false, 2 },
        { "green has most of it, and failed", 600, true, 1 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        open_update(rows[r].row, ROLLOUT_CANARY, 2);
        fleet.state.traffic.first = rows[r].first;
        fleet.state.traffic.step_bake_ms = 10 * MINUTE_MS;
        fleet_step(&fleet);
        fleet_pass(&fleet, HEALTHY_AFTER_MS);
        fleet_step(&fleet);
        CHECK_EQ(rows[r].row, green(), rows[r].first);
        if (rows[r].failed) {
            fleet.state.alarm = true;
            fleet_step(&fleet);
        }
        fleet_update(&fleet);
        fleet_step(&fleet);
        CHECK_EQ(rows[r].row, at()->stage, STAGE_RECONCILE_SERVICE);
        CHECK_EQ(rows[r].row, at()->blue, rows[r].blue);
        CHECK_EQ(rows[r].row, fleet.deployments[rows[r].blue - 1].production, WEIGHT_WHOLE);
        CHECK_EQ(rows[r].row, live_of_digits(3 - rows[r].blue), 0);
        CHECK_EQ(rows[r].row, live_of_digits(3), 0);
        fleet_pass(&fleet, 0);
        fleet_step(&fleet);
        CHECK_EQ(rows[r].row, at()->stage, STAGE_SCALE_UP);
        fleet_pass(&fleet, HEALTHY_AFTER_MS);
        fleet_step(&fleet);
        fleet.state.act = ACT_ROLLBACK_REQUESTED;
        (void)fleet_settle(&fleet);
        CHECK_EQ(rows[r].row, fleet.state.act, ACT_ROLLBACK_SUCCESSFUL);
        CHECK_EQ(rows[r].row, fleet.deployments[0].digits, rows[r].blue);
        fleet_close(&fleet);
    }
}

/* A dead task of blue starts again before the tasks of the others stop and the traffic moves. */
static void test_blue_comes_first(void)
{
    open_pending("blue is not whole", STAGE_POST_SCALE_UP, true, false);
    fleet_end(&fleet, 0, END_BY_OTHERS);
    fleet_update(&fleet);
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, at()->stage, STAGE_RECONCILE_SERVICE);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 1);
    CHECK_EQ(fleet.row, live_of_digits(2), 2);
    fleet_pass(&fleet, HEALTHY_AFTER_MS);
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, live_of_digits(2), 0);
    CHECK_EQ(fleet.row, live_of_digits(1), 2);
    fleet_close(&fleet);
}

static void test_closing(void)
{
    open_pending("closing", STAGE_POST_SCALE_UP, true, false);
    fleet.state.closing = true;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_count(&fleet).live, 0);
    CHECK_EQ(fleet.row, fleet.hooks[0].answer, HOOK_NONE);
    fleet_close(&fleet);
}

int main(void)
{
    test_weights();
    test_steps_in_time();
    test_stages_of_hooks();
    test_answers();
    test_two_hooks();
    test_limits();
    test_room();
    test_bake_of_a_sick_green();
    test_limit_of_a_step();
    test_rollback_hooks();
    test_triggers();
    test_first_deployment();
    test_no_way_back();
    test_dead_blue();
    test_desired();
    test_unhealthy();
    test_newer_update();
    test_blue_comes_first();
    test_closing();
    return check_report();
}
