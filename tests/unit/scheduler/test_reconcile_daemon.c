/* Daemon services: one task on each instance that counts, replaced in place; cases, and seeded walks in which machines come, go and change. */
#include "services.h"

static struct fleet_of_one fleet;

static void open_daemon(const char *row, int64_t matching, int64_t min)
{
    fleet_open(&fleet, row, 0, min, 100);
    fleet.state.strategy = ROLLOUT_DAEMON;
    for (int64_t i = 0; i < FLEET_INSTANCES; i++) { fleet.daemons[i] = (struct daemon_instance){ .matches = i < matching, .connected = true, .room = true }; }
}

static void open_steady(const char *row, int64_t matching, int64_t min)
{
    open_daemon(row, matching, min);
    (void)fleet_settle(&fleet);
    CHECK_EQ(row, fleet_count(&fleet).healthy, matching);
    CHECK_EQ(row, fleet.plan.desired, matching);
    CHECK_EQ(row, fleet_rollout(&fleet), ROLLOUT_COMPLETED);
}

static void drain(uint32_t instance, bool draining)
{
    fleet.daemons[instance].draining = draining;
    for (size_t t = 0; t < fleet.state.task_count; t++) {
        if (fleet.tasks[t].instance == instance) { fleet.tasks[t].machine = draining ? MACHINE_DRAINING : MACHINE_READY; }
    }
}

static void test_instances(void)
{
    open_steady("a new instance", 2, 0);
    fleet.daemons[2].matches = true;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.place_count, 1);
    CHECK_EQ(fleet.row, fleet.plan.places[0], 2);
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet_rollout(&fleet), ROLLOUT_COMPLETED);
    fleet.daemons[0].matches = false;
    fleet_step(&fleet);
    CHECK_EQ("no longer matches", fleet.plan.desired, 2);
    CHECK_EQ("no longer matches", fleet.plan.stop_count, 1);
    CHECK_EQ("no longer matches", fleet.plan.stops[0].why, STOP_NO_MATCH);
    fleet_close(&fleet);

    open_steady("a protected task where nothing matches any more", 1, 0);
    fleet.daemons[0].matches = false;
    fleet.tasks[0].protected_until_ms = fleet.state.now_ms + MINUTE_MS;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 0);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_PROTECTED], 1);
    CHECK_EQ(fleet.row, fleet.plan.wake_ms, fleet.tasks[0].protected_until_ms);
    fleet.state.now_ms += MINUTE_MS;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 1);
    fleet_close(&fleet);

    open_steady("no instance", 0, 0);
    fleet_close(&fleet);

    open_daemon("an instance without its agent", 2, 0);
    fleet.daemons[1].connected = false;
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.desired, 2);
    CHECK_EQ(fleet.row, fleet_count(&fleet).live, 1);
    CHECK_EQ(fleet.row, fleet.deployments[0].failures.failed + fleet.seen[EVENT_STUCK], 0);
    fleet_close(&fleet);

    open_daemon("an instance without room", 2, 0);
    fleet.daemons[0].room = false;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.wants, 2);
    CHECK_EQ(fleet.row, fleet.plan.place_count, 1);
    CHECK_EQ(fleet.row, fleet.plan.places[0], 1);
    fleet.state.now_ms += MINUTE_MS;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_NO_PLACE], 1);
    CHECK_EQ(fleet.row, fleet.deployments[0].failures.failed, 1);
    fleet_close(&fleet);
}

static void test_drain(void)
{
    open_steady("a draining instance", 3, 0);
    drain(1, true);
    fleet.daemons[1].others = true;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.desired, 2);
    CHECK_EQ("not before the other tasks", fleet.plan.stop_count, 0);
    drain(1, false);
    fleet_step(&fleet);
    CHECK_EQ("ACTIVE again", fleet.plan.desired, 3);
    CHECK_EQ("ACTIVE again", fleet.plan.stop_count + fleet.plan.start_count, 0);
    drain(1, true);
    fleet.daemons[1].others = false;
    fleet_step(&fleet);
    CHECK_EQ("after the other tasks", fleet.plan.stop_count, 1);
    fleet_close(&fleet);
}

static void test_update(void)
{
    static const struct { const char *row; int64_t instances, min; int64_t stops; bool arrives; } rows[] = {
        { "4 at 0", 4, 0, 4, true }, { "4 at 50", 4, 50, 2, true }, { "3 at 50", 3, 50, 1, true }, { "4 at 76", 4, 76, 0, false }, { "4 at 75", 4, 75, 1, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        open_steady(rows[r].row, rows[r].instances, rows[r].min);
        fleet_update(&fleet);
        fleet_step(&fleet);
        CHECK_EQ(rows[r].row, fleet.plan.stop_count, rows[r].stops);
        CHECK_EQ(rows[r].row, fleet.plan.place_count, 0);
        (void)fleet_settle(&fleet);
        CHECK_EQ(rows[r].row, fleet_rollout(&fleet), rows[r].arrives ? ROLLOUT_COMPLETED : ROLLOUT_IN_PROGRESS);
        CHECK_EQ(rows[r].row, fleet.seen[EVENT_STUCK], !rows[r].arrives);
        fleet_close(&fleet);
    }
}

static void disturb(struct rng *rng)
{
    uint32_t i = (uint32_t)rng_below(rng, FLEET_INSTANCES);
    switch (rng_below(rng, 8)) {
    case 0: fleet.daemons[i].matches = !fleet.daemons[i].matches; break;
    case 1: drain(i, !fleet.daemons[i].draining); break;
    case 2: fleet.daemons[i].connected = !fleet.daemons[i].connected; break;
    case 3: fleet.daemons[i].others = !fleet.daemons[i].others; break;
    case 4: fleet.daemons[i].room = !fleet.daemons[i].room; break;
    case 5: fleet_pass(&fleet, (int64_t)rng_below(rng, 60000)); break;
    case 6:
        if (rng_below(rng, 4) == 0 && fleet.state.deployment_count < FLEET_DEPLOYMENTS_MAX) { fleet_update(&fleet); }
        break;
    default:
        if (fleet.state.task_count == 0) { break; }
        struct service_task *task = &fleet.tasks[rng_below(rng, fleet.state.task_count)];
        switch (rng_below(rng, 4)) {
        case 0: task->protected_until_ms = fleet.state.now_ms + 100000; break;
        case 1: task->health = HEALTH_BAD; break;
        case 2: task->machine = MACHINE_LOST; break;
        default: fleet_end(&fleet, (size_t)(task - fleet.tasks), END_BY_ITSELF);
        }
    }
}

static void test_walk(uint64_t seed)
{
    static const int64_t mins[] = { 0, 25, 50, 75 };
    char row[32];
    struct rng rng;
    rng_seed(&rng, seed);
    (void)snprintf(row, sizeof row, "daemon walk %d", (int)seed);
    open_daemon(row, (int64_t)rng_below(&rng, FLEET_INSTANCES + 1), mins[rng_below(&rng, COUNT_OF(mins))]);
    for (int n = 0; n < 60; n++, fleet.state.now_ms += (int64_t)rng_below(&rng, 5000)) {
        disturb(&rng);
        fleet_step(&fleet);
    }
    for (uint32_t i = 0; i < FLEET_INSTANCES; i++) {
        drain(i, false);
        fleet.daemons[i] = (struct daemon_instance){ .matches = true, .connected = true, .room = true };
    }
    for (size_t t = fleet.state.task_count; t-- > 0;) {
        fleet.tasks[t].protected_until_ms = 0;
        fleet.tasks[t].health = HEALTH_NO_CHECK;
        if (fleet.tasks[t].machine == MACHINE_LOST) { fleet_end(&fleet, t, END_BY_OTHERS); }
    }
    fleet.state.now_ms += 30 * MINUTE_MS;
    (void)fleet_settle(&fleet);
    CHECK(row, fleet.plan.steady && fleet_rollout(&fleet) == ROLLOUT_COMPLETED);
    CHECK_EQ(row, fleet_count(&fleet).healthy_new, FLEET_INSTANCES);
    fleet_close(&fleet);
}

int main(void)
{
    test_instances();
    test_drain();
    test_update();
    for (uint64_t seed = 1; seed <= 2000; seed++) { test_walk(seed); }
    return check_report();
}
