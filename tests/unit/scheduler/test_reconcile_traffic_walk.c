/* The model check of services whose traffic shifts: each strategy with a failure of each kind in each stage, and seeded walks with failures, drains,
 * protection, answers of hooks and changes, each step against the invariants. */
#include "services.h"

enum trouble { NO_TROUBLE, HOOK_FAILS, HOOK_IS_LATE, PAUSE_IS_LATE, ALARM_RINGS, USER_STOPS, TASKS_FAIL, TROUBLE_COUNT };
static const struct { const char *word; enum rollout_strategy strategy; int64_t first; } strategies[] = {
    { "blue/green", ROLLOUT_BLUE_GREEN, 0 }, { "linear 30", ROLLOUT_LINEAR, 300 }, { "linear 3", ROLLOUT_LINEAR, 30 }, { "linear 100", ROLLOUT_LINEAR, 1000 },
    { "canary 0.1", ROLLOUT_CANARY, 1 }, { "canary 10", ROLLOUT_CANARY, 100 }, { "canary 100", ROLLOUT_CANARY, 1000 },
};

static void open_strategy(struct fleet_of_one *f, const char *row, int64_t desired, int64_t min, int64_t max, size_t strategy)
{
    fleet_open(f, row, desired, min, max);
    f->state.strategy = strategies[strategy].strategy;
    f->state.traffic.first = strategies[strategy].first;
    f->state.traffic.test_rule = true;
    f->state.breaker.rollback = f->state.alarm_rollback = f->state.breaker.enabled = true;
}

static void answer(struct fleet_of_one *f)
{
    for (size_t h = 0; h < f->state.traffic.hook_count; h++) {
        if (f->hooks[h].answer == HOOK_PENDING) { f->hooks[h].answer = HOOK_SUCCEEDED; }
    }
}

/* Steps without trouble until the service is steady or its deployment has failed. */
static void arrive(struct fleet_of_one *f)
{
    for (int n = 0; n < 400; n++) {
        fleet_step(f);
        if (f->plan.steady || fleet_rollout(f) == ROLLOUT_FAILED) { return; }
        answer(f);
        fleet_pass(f, HEALTHY_AFTER_MS);
    }
    CHECK_EQ(f->row, 0, 1);                                       /* it does not arrive */
}

/* ---- one trouble ---- */
static bool begin_trouble(struct fleet_of_one *f, enum trouble trouble, enum rollout_stage stage)
{
    uint32_t green = fleet_primary(f);
    if (f->state.traffic.at.stage != stage || f->state.act != ACT_IN_PROGRESS) { return false; }
    switch (trouble) {
    case HOOK_FAILS: case HOOK_IS_LATE: case PAUSE_IS_LATE: {
        struct rollout_hook *hook = &f->hooks[trouble == PAUSE_IS_LATE];
        if (hook->answer != HOOK_PENDING) { return false; }
        if (trouble == HOOK_FAILS) { hook->answer = HOOK_FAILED; } else { f->state.now_ms += hook->timeout_ms; }
        return true;
    }
    case ALARM_RINGS: f->state.alarm = true; return true;
    case USER_STOPS: f->state.act = ACT_ROLLBACK_REQUESTED; return true;
    case TASKS_FAIL: f->deployments[green].failures.failed = 1000; return true;
    case NO_TROUBLE: case TROUBLE_COUNT: break;
    }
    return false;
}

/* The trouble comes at the first step that ends in the stage. Whatever stage it is, one of the two revisions has all tasks and all traffic at the end. */
static void test_trouble(size_t strategy, int64_t desired, enum trouble trouble, enum rollout_stage stage)
{
    char row[96];
    struct fleet_of_one f;
    (void)snprintf(row, sizeof row, "%s, desired %d, trouble %d in stage %d", strategies[strategy].word, (int)desired, (int)trouble, (int)stage);
    open_strategy(&f, row, desired, 100, 200, strategy);
    arrive(&f);
    CHECK_EQ(row, f.state.act, ACT_SUCCESSFUL);
    f.state.traffic.bake_ms = f.state.traffic.step_bake_ms = MINUTE_MS;
    f.state.traffic.hook_count = 2;
    f.hooks[0] = (struct rollout_hook){ .stages = UINT32_MAX, .timeout_ms = MINUTE_MS };
    f.hooks[1] = (struct rollout_hook){ .stages = UINT32_MAX, .timeout_ms = MINUTE_MS, .pauses = true };
    fleet_update(&f);
    bool troubled = false;
    for (int n = 0; n < 400 && f.state.act != ACT_SUCCESSFUL && f.state.act != ACT_ROLLBACK_SUCCESSFUL; n++) {
        fleet_steps(&f);
        if (!troubled && begin_trouble(&f, trouble, stage)) {
            troubled = true;
        } else {
            answer(&f);
            fleet_pass(&f, HEALTHY_AFTER_MS);
        }
    }
    bool back = troubled && stage != STAGE_CLEAN_UP;              /* there it is too late */
    CHECK_EQ(row, f.state.act, back ? ACT_ROLLBACK_SUCCESSFUL : ACT_SUCCESSFUL);
    CHECK_EQ(row, f.state.deployment_count, 1);
    CHECK_EQ(row, f.deployments[0].digits, back ? 1 : 2);
    CHECK_EQ(row, f.deployments[0].production, WEIGHT_WHOLE);
    CHECK_EQ(row, fleet_count(&f).healthy, desired);
    fleet_close(&f);
}

/* ---- walks ---- */
static void disturb_hook(struct fleet_of_one *f, struct rng *rng)
{
    static const enum hook_answer words[] = { HOOK_SUCCEEDED, HOOK_SUCCEEDED, HOOK_SUCCEEDED, HOOK_SUCCEEDED, HOOK_SUCCEEDED, HOOK_FAILED };
    struct rollout_hook *hook = &f->hooks[rng_below(rng, FLEET_HOOKS_MAX)];
    if (hook->answer == HOOK_PENDING) { hook->answer = words[rng_below(rng, COUNT_OF(words))]; }
}

static void disturb(struct fleet_of_one *f, struct rng *rng)
{
    uint32_t instance = (uint32_t)rng_below(rng, FLEET_INSTANCES - 1);       /* one stays */
    if (f->state.task_count > 0 && once_in(rng, 4)) { fleet_disturb_task(f, rng); }
    if (f->state.traffic.hook_count > 0) { disturb_hook(f, rng); }
    if (once_in(rng, 20)) { fleet_drain(f, instance, !f->draining[instance]); }
    if (once_in(rng, 20)) { f->state.desired = (int64_t)rng_below(rng, 6); }
    if (once_in(rng, 25)) { f->slots = (int64_t)rng_below(rng, 20); }
    if (once_in(rng, 60)) { f->state.alarm = true; }
    if (once_in(rng, 60) && f->state.act == ACT_IN_PROGRESS) { f->state.act = ACT_ROLLBACK_REQUESTED; }
    if (once_in(rng, 30) && f->state.deployment_count < FLEET_DEPLOYMENTS_MAX) { fleet_update(f); }
    if (once_in(rng, 2)) { fleet_pass(f, (int64_t)rng_below(rng, 90000)); }
    if (once_in(rng, 50)) { f->state.now_ms += (int64_t)rng_below(rng, 2 * (uint64_t)STAGE_LIMIT_MS); }
    f->state.now_ms += (int64_t)rng_below(rng, 5000);
}

/* The fleet is well again and has room, and hooks succeed: the service arrives, unless its deployment failed. */
static void calm(struct fleet_of_one *f)
{
    f->slots = 1000;
    for (uint32_t i = 0; i < FLEET_INSTANCES; i++) { fleet_drain(f, i, false); }
    for (size_t t = f->state.task_count; t-- > 0;) {
        f->tasks[t].protected_until_ms = 0;
        f->tasks[t].health = HEALTH_NO_CHECK;
        if (f->tasks[t].machine == MACHINE_LOST) { fleet_end(f, t, END_BY_OTHERS); }
    }
    for (size_t d = 0; d < f->state.deployment_count; d++) { f->deployments[d].failures.failed = 0; }
    f->state.now_ms += 30 * MINUTE_MS;
    arrive(f);
    if (fleet_rollout(f) == ROLLOUT_FAILED) { return; }
    CHECK_EQ(f->row, fleet_rollout(f), ROLLOUT_COMPLETED);
    (void)fleet_settle(f);                                        /* of the zones */
    CHECK(f->row, f->plan.steady && (!f->state.rebalances || fleet_slope(f) <= 1));
    CHECK_EQ(f->row, fleet_count(f).live_new, f->state.desired);
    CHECK_EQ(f->row, f->state.deployment_count, 1);
}

static void test_walk(uint64_t seed)
{
    static const int64_t mins[] = { 0, 50, 100 };
    char row[32];
    struct rng rng;
    struct fleet_of_one f;
    rng_seed(&rng, seed);
    (void)snprintf(row, sizeof row, "traffic walk %d", (int)seed);
    open_strategy(&f, row, (int64_t)rng_below(&rng, 6), mins[rng_below(&rng, COUNT_OF(mins))], 200, rng_below(&rng, COUNT_OF(strategies)));
    f.zones = 1 + (int64_t)rng_below(&rng, 3);
    f.state.breaker.rollback = f.state.alarm_rollback = !once_in(&rng, 3);
    f.state.rebalances = once_in(&rng, 2);
    f.waits_max = once_in(&rng, 2) ? 0 : (int64_t)rng_below(&rng, 12);
    f.state.grace_ms = once_in(&rng, 2) ? 0 : 60000;
    f.state.traffic.test_rule = once_in(&rng, 2);
    f.state.traffic.bake_ms = (int64_t)rng_below(&rng, 3) * MINUTE_MS;
    f.state.traffic.step_bake_ms = (int64_t)rng_below(&rng, 2) * MINUTE_MS;
    f.state.traffic.hook_count = once_in(&rng, 4) ? 0 : FLEET_HOOKS_MAX;
    for (size_t h = 0; h < FLEET_HOOKS_MAX; h++) {
        f.hooks[h] = (struct rollout_hook){
            .stages = (uint32_t)rng_below(&rng, UINT32_MAX), .pauses = once_in(&rng, 3), .goes_on = once_in(&rng, 2), .timeout_ms = (1 + (int64_t)rng_below(&rng, 2000)) * MINUTE_MS };
    }
    for (int n = 0; n < 120; n++) {
        disturb(&f, &rng);
        fleet_steps(&f);
    }
    calm(&f);
    fleet_close(&f);
}

int main(void)
{
    for (size_t strategy = 0; strategy < COUNT_OF(strategies); strategy++) {
        for (int64_t desired = 0; desired <= 3; desired++) {
            test_trouble(strategy, desired, NO_TROUBLE, STAGE_NONE);
            for (enum trouble trouble = HOOK_FAILS; trouble < TROUBLE_COUNT; trouble++) {
                for (enum rollout_stage stage = STAGE_PRE_SCALE_UP; stage < STAGE_COUNT; stage++) { test_trouble(strategy, desired, trouble, stage); }
            }
        }
    }
    for (uint64_t seed = 1; seed <= 10000; seed++) { test_walk(seed); }
    return check_report();
}
