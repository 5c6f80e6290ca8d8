/* The model check of services: every small rollout, and seeded walks with failures, drains, protection and changes, each step against the invariants. */
#include "services.h"

static const int64_t mins[] = { 0, 25, 50, 67, 75, 100 }, maxes[] = { 100, 125, 134, 150, 200 };

/* An update with room for `spare` tasks more than desired arrives when one task can start beside the old ones or replace one. */
static void test_rollout(int64_t desired, int64_t min, int64_t max, int64_t spare, int64_t zones)
{
    char row[96];
    struct fleet_of_one f;
    (void)snprintf(row, sizeof row, "desired %d, %d/%d, spare %d, zones %d", (int)desired, (int)min, (int)max, (int)spare, (int)zones);
    fleet_open(&f, row, desired, min, max);
    f.slots = desired + spare;
    f.zones = zones;
    (void)fleet_settle(&f);
    CHECK_EQ(row, fleet_rollout(&f), ROLLOUT_COMPLETED);
    fleet_update(&f);
    (void)fleet_settle(&f);
    int64_t lower = reconcile_lower(desired, min), upper = reconcile_upper(desired, max);
    bool moves = desired == 0 || lower < desired || (upper > desired && spare > 0);
    CHECK_EQ(row, fleet_rollout(&f), moves ? ROLLOUT_COMPLETED : ROLLOUT_IN_PROGRESS);
    CHECK_EQ(row, f.plan.steady, moves);
    CHECK_EQ(row, f.seen[EVENT_STUCK], desired > 0 && lower >= desired && upper <= desired);
    CHECK_EQ(row, fleet_count(&f).healthy, desired);
    fleet_close(&f);
}

static void test_rollouts(void)
{
    for (int64_t desired = 0; desired <= 7; desired++) {
        for (size_t n = 0; n < COUNT_OF(mins) * COUNT_OF(maxes); n++) {
            for (int64_t spare = 0; spare <= 3; spare++) {
                for (int64_t zones = 1; zones <= 3; zones++) { test_rollout(desired, mins[n / COUNT_OF(maxes)], maxes[n % COUNT_OF(maxes)], spare, zones); }
            }
        }
    }
}

/* All tasks are in one zone when others come. */
static void test_zones(int64_t desired, int64_t max, int64_t zones)
{
    char row[96];
    struct fleet_of_one f;
    (void)snprintf(row, sizeof row, "desired %d, %d percent, %d zones", (int)desired, (int)max, (int)zones);
    fleet_open(&f, row, desired, 100, max);
    f.zones = zones;
    f.state.rebalances = true;
    for (uint32_t i = 0; i < FLEET_INSTANCES; i++) { f.draining[i] = i % (uint32_t)zones != 0; }
    (void)fleet_settle(&f);
    CHECK_EQ(row, f.seen[EVENT_UNBALANCED], 0);
    for (uint32_t i = 0; i < FLEET_INSTANCES; i++) { fleet_drain(&f, i, false); }
    (void)fleet_settle(&f);
    int64_t share = (desired + zones - 1) / zones, moves = reconcile_upper(desired, max) > desired && desired - share > 0 && desired > 1 ? desired - share : 0;
    CHECK_EQ(row, f.seen[EVENT_STARTED_IN_ZONE], moves);
    CHECK_EQ(row, f.seen[EVENT_STOPPED_IN_ZONE], moves);
    CHECK_EQ(row, f.seen[EVENT_UNBALANCED], moves > 0);
    CHECK_EQ(row, f.seen[EVENT_BALANCED], moves > 0);
    CHECK(row, f.plan.steady && f.seen[EVENT_STOPPED] + f.seen[EVENT_STOPPED_PENDING] + f.seen[EVENT_BALANCING_STOPPED] == 0);
    CHECK(row, moves == 0 || fleet_slope(&f) <= 1);
    CHECK_EQ(row, fleet_count(&f).live, desired);
    fleet_close(&f);
}

static void test_all_zones(void)
{
    for (int64_t desired = 0; desired <= 7; desired++) {
        for (size_t m = 0; m < COUNT_OF(maxes); m++) {
            for (int64_t zones = 1; zones <= 3; zones++) { test_zones(desired, maxes[m], zones); }
        }
    }
}

/* ---- walks ---- */
static void disturb(struct fleet_of_one *f, struct rng *rng)
{
    uint32_t instance = (uint32_t)rng_below(rng, FLEET_INSTANCES - 1);       /* one stays */
    if (f->state.task_count > 0 && once_in(rng, 2)) { fleet_disturb_task(f, rng); }
    if (once_in(rng, 12)) { fleet_drain(f, instance, !f->draining[instance]); }
    if (once_in(rng, 15)) { f->state.desired = (int64_t)rng_below(rng, 8); }
    if (once_in(rng, 15)) { f->slots = (int64_t)rng_below(rng, 20); }
    if (once_in(rng, 20)) { f->state.throttled = !f->state.throttled; }
    if (once_in(rng, 15)) { f->full[instance] = !f->full[instance]; }
    if (once_in(rng, 4)) { f->pulls[instance].pull = f->pulls[instance].pull == PULL_ASKED ? PULL_ENDED : once_in(rng, 2) ? PULL_NONE : PULL_CAN; }
    if (once_in(rng, 40)) { f->state.alarm = true; }
    if (once_in(rng, 40) && f->state.act == ACT_IN_PROGRESS) { f->state.act = ACT_ROLLBACK_REQUESTED; }
    if (once_in(rng, 20) && f->state.deployment_count < FLEET_DEPLOYMENTS_MAX) { fleet_update(f); }
    if (once_in(rng, 6)) { fleet_pass(f, (int64_t)rng_below(rng, 90000)); }
    f->state.now_ms += (int64_t)rng_below(rng, 5000);
}

/* The fleet is well again and has room: the service arrives, unless its limits forbid each move or its deployment failed. */
static void calm(struct fleet_of_one *f)
{
    f->slots = 1000;
    for (uint32_t i = 0; i < FLEET_INSTANCES; i++) {
        fleet_drain(f, i, false);
        f->full[i] = false;
    }
    for (size_t t = f->state.task_count; t-- > 0;) {
        f->tasks[t].protected_until_ms = 0;
        f->tasks[t].health = HEALTH_NO_CHECK;
        if (f->tasks[t].machine == MACHINE_LOST) { fleet_end(f, t, END_BY_OTHERS); }
    }
    for (size_t d = 0; d < f->state.deployment_count; d++) { f->deployments[d].failures.failed = 0; }
    f->state.now_ms += 30 * MINUTE_MS;
    (void)fleet_settle(f);
    if (fleet_rollout(f) == ROLLOUT_FAILED) { return; }
    int64_t lower = reconcile_lower(f->state.desired, f->state.min_percent), upper = reconcile_upper(f->state.desired, f->state.max_percent);
    bool may_hang = f->state.desired > 0 && lower >= f->state.desired && upper <= f->state.desired;
    CHECK(f->row, f->plan.steady || may_hang);
    CHECK(f->row, !f->plan.steady || fleet_rollout(f) == ROLLOUT_COMPLETED);
    CHECK(f->row, !f->state.rebalances || !f->plan.steady || upper <= f->state.desired || fleet_slope(f) <= 1);
}

static void test_walk(uint64_t seed)
{
    char row[32];
    struct rng rng;
    struct fleet_of_one f;
    rng_seed(&rng, seed);
    (void)snprintf(row, sizeof row, "walk %d", (int)seed);
    fleet_open(&f, row, (int64_t)rng_below(&rng, 8), mins[rng_below(&rng, COUNT_OF(mins))], maxes[rng_below(&rng, COUNT_OF(maxes))]);
    f.zones = 1 + (int64_t)rng_below(&rng, 3);
    f.state.breaker.enabled = once_in(&rng, 2);
    f.state.breaker.rollback = f.state.alarm_rollback = once_in(&rng, 2);
    f.state.breaker.reset_on_healthy = once_in(&rng, 2);
    f.state.waits_for_room = once_in(&rng, 4);
    f.state.stops_first = once_in(&rng, 3);
    f.state.rebalances = once_in(&rng, 2);
    f.waits_max = once_in(&rng, 2) ? 0 : (int64_t)rng_below(&rng, 12);
    f.state.grace_ms = once_in(&rng, 2) ? 0 : 60000;
    for (int n = 0; n < 60; n++) {
        disturb(&f, &rng);
        fleet_steps(&f);
    }
    calm(&f);
    fleet_close(&f);
}

int main(void)
{
    test_rollouts();
    test_all_zones();
    for (uint64_t seed = 1; seed <= 3000; seed++) { test_walk(seed); }
    return check_report();
}
