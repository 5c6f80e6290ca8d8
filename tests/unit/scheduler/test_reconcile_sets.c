/* Task sets: computed counts, and sets that are brought to them; cases, and seeded walks over scales, failures, drains and protection. */
#include "services.h"

static struct fleet_of_one fleet;

static void open_sets(const char *row, int64_t desired)
{
    fleet_open(&fleet, row, desired, 100, 200);
    fleet.state.strategy = ROLLOUT_EXTERNAL;
    fleet.state.act = ACT_NONE;
    fleet.state.deployment_count = 0;
}

static struct deployment *add_set(int64_t scale)
{
    struct deployment *set = &fleet.deployments[fleet.state.deployment_count++];
    *set = (struct deployment){ .digits = ++fleet.digits, .role = DEPLOYMENT_ACTIVE, .scale = scale };
    return set;
}

static struct fleet_counts count_set(uint32_t d) { return fleet_count_of(&fleet, d); }

static void test_computed(void)
{
    static const struct { int64_t desired, scale, want; } rows[] = {
        { 12, SCALE_WHOLE / 10, 2 }, { 10, SCALE_WHOLE / 4, 3 }, { 10, SCALE_WHOLE / 2, 5 },           { 10, 0, 0 },
        { 10, 1, 1 },                { 10, SCALE_WHOLE, 10 },    { INT32_MAX, SCALE_WHOLE, INT32_MAX }, { 0, SCALE_WHOLE, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ("computed", reconcile_computed(rows[r].desired, rows[r].scale), rows[r].want); }
}

static void test_life(void)
{
    open_sets("a set's life", 10);
    fleet_step(&fleet);
    CHECK_EQ("no set", fleet.plan.event_count, 1);
    CHECK_EQ("no set", fleet.plan.events[0].kind, EVENT_STEADY);
    struct deployment *set = add_set(0);
    (void)fleet_settle(&fleet);
    CHECK_EQ("scale 0", fleet.seen[EVENT_COMPUTED] + fleet.seen[EVENT_STARTED], 0);
    set->scale = SCALE_WHOLE / 4;
    fleet_step(&fleet);
    CHECK_EQ("scale 25", fleet_started(&fleet), 3);
    CHECK_EQ("scale 25", fleet.plan.events[0].kind, EVENT_COMPUTED);
    CHECK_EQ("scale 25", fleet.plan.events[0].count, 3);
    CHECK("scale 25", !set->stable);
    fleet_pass(&fleet, HEALTHY_AFTER_MS);
    fleet_step(&fleet);
    CHECK("scale 25", set->stable && fleet.plan.steady);
    CHECK_EQ("scale 25", fleet.plan.events[0].kind, EVENT_SET_STEADY);
    CHECK_EQ("scale 25", fleet.plan.events[1].kind, EVENT_STEADY);
    add_set(SCALE_WHOLE);
    fleet_step(&fleet);
    CHECK_EQ("a second set starts at once", fleet_started(&fleet), 10);
    CHECK_EQ("nothing rolls", fleet.plan.stop_count, 0);
    (void)fleet_settle(&fleet);
    set->scale = 0;
    fleet_step(&fleet);
    CHECK_EQ("scale 0 stops all at once", fleet.plan.stop_count, 3);
    CHECK_EQ("the event names the set", fleet.plan.events[1].deployment, 0);
    set->deleting = true;
    (void)fleet_settle(&fleet);
    CHECK_EQ("the set is gone", fleet.state.deployment_count, 1);
    CHECK_EQ("the set is gone", fleet.deployments[0].digits, 3);
    CHECK("the other set stays", fleet.deployments[0].stable && fleet.plan.steady);
    fleet.state.desired = 5;
    fleet_step(&fleet);
    CHECK_EQ("fewer desired", fleet.plan.stop_count, 5);
    fleet_close(&fleet);
}

static void test_replacement(void)
{
    open_sets("a draining machine", 2);
    add_set(SCALE_WHOLE);
    (void)fleet_settle(&fleet);
    fleet.tasks[0].machine = MACHINE_DRAINING;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 1);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 0);
    CHECK_EQ(fleet.row, fleet.deployments[0].stable, false);
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet_count(&fleet).draining, 0);
    fleet.tasks[0].health = HEALTH_BAD;
    fleet_step(&fleet);
    CHECK_EQ("unhealthy", fleet.plan.starts[0].for_unhealthy, 1);
    CHECK_EQ("unhealthy", fleet.plan.stop_count, 0);
    fleet_pass(&fleet, HEALTHY_AFTER_MS);
    fleet_step(&fleet);
    CHECK_EQ("unhealthy", fleet.plan.stops[0].why, STOP_UNHEALTHY);
    (void)fleet_settle(&fleet);
    fleet.tasks[0].protected_until_ms = fleet.tasks[1].protected_until_ms = fleet.state.now_ms + 1000;
    fleet.state.desired = 1;
    fleet_step(&fleet);
    CHECK_EQ("protected", fleet.plan.stop_count, 0);
    CHECK_EQ("protected", fleet.seen[EVENT_PROTECTED], 1);
    fleet.state.now_ms += 1000;
    fleet_step(&fleet);
    CHECK_EQ("no longer protected", fleet.plan.stop_count, 1);
    fleet_close(&fleet);
}

static void disturb(struct rng *rng)
{
    uint32_t d = (uint32_t)rng_below(rng, fleet.state.deployment_count);
    switch (rng_below(rng, 6)) {
    case 0: fleet.deployments[d].scale = (int64_t)rng_below(rng, SCALE_WHOLE + 1); break;
    case 1: fleet.state.desired = (int64_t)rng_below(rng, 9); break;
    case 2: fleet.slots = (int64_t)rng_below(rng, 30); break;
    case 3: fleet_pass(&fleet, (int64_t)rng_below(rng, 60000)); break;
    default:
        if (fleet.state.task_count == 0) { break; }
        struct service_task *task = &fleet.tasks[rng_below(rng, fleet.state.task_count)];
        switch (rng_below(rng, 5)) {
        case 0: task->protected_until_ms = fleet.state.now_ms + 100000; break;
        case 1: task->health = HEALTH_BAD; break;
        case 2: task->machine = MACHINE_LOST; break;
        case 3: task->machine = MACHINE_DRAINING; break;
        default: fleet_end(&fleet, (size_t)(task - fleet.tasks), END_BY_ITSELF);
        }
    }
}

static void test_walk(uint64_t seed)
{
    char row[32];
    struct rng rng;
    rng_seed(&rng, seed);
    (void)snprintf(row, sizeof row, "walk of sets %d", (int)seed);
    open_sets(row, (int64_t)rng_below(&rng, 9));
    for (uint64_t sets = 1 + rng_below(&rng, 3); sets > 0; sets--) { add_set((int64_t)rng_below(&rng, SCALE_WHOLE + 1)); }
    for (int n = 0; n < 60; n++, fleet.state.now_ms += (int64_t)rng_below(&rng, 5000)) {
        disturb(&rng);
        fleet_step(&fleet);
        for (uint32_t d = 0; d < fleet.state.deployment_count; d++) {
            CHECK_EQ(row, fleet.deployments[d].computed, reconcile_computed(fleet.state.desired, fleet.deployments[d].scale));
        }
    }
    fleet.slots = 1000;
    for (size_t t = fleet.state.task_count; t-- > 0;) {
        fleet.tasks[t].protected_until_ms = 0;
        fleet.tasks[t].health = HEALTH_NO_CHECK;
        if (fleet.tasks[t].machine == MACHINE_LOST) { fleet_end(&fleet, t, END_BY_OTHERS); }
    }
    fleet.state.now_ms += 30 * MINUTE_MS;
    (void)fleet_settle(&fleet);
    CHECK(row, fleet.plan.steady);
    for (uint32_t d = 0; d < fleet.state.deployment_count; d++) {
        CHECK(row, fleet.deployments[d].stable);
        CHECK_EQ(row, count_set(d).healthy_new, fleet.deployments[d].computed);
    }
    fleet_close(&fleet);
}

int main(void)
{
    test_computed();
    test_life();
    test_replacement();
    for (uint64_t seed = 1; seed <= 2000; seed++) { test_walk(seed); }
    return check_report();
}
