/* Managed daemons: machines whose task is old are drained in batches, the daemon alone is replaced where nothing else runs; cases, and seeded walks in which
 * machines come, go and change. */
#include "services.h"

static struct fleet_of_one fleet;

static void open_managed(const char *row, int64_t matching, int64_t drain)
{
    fleet_open(&fleet, row, 0, 0, 100);
    fleet.state.strategy = ROLLOUT_MANAGED;
    fleet.state.managed.drain = drain * 1000;
    for (int64_t i = 0; i < FLEET_INSTANCES; i++) { fleet.daemons[i] = (struct daemon_instance){ .matches = i < matching, .connected = true, .room = true }; }
}

static void set_draining(uint32_t instance, bool draining)
{
    fleet.daemons[instance].draining = draining;
    for (size_t t = 0; t < fleet.state.task_count; t++) {
        if (fleet.tasks[t].instance == instance && fleet.tasks[t].machine != MACHINE_LOST) { fleet.tasks[t].machine = draining ? MACHINE_DRAINING : MACHINE_READY; }
    }
}

/* Limits of each plan. */
static void check_plan(const struct service_plan *plan)
{
    int64_t on[FLEET_INSTANCES] = { 0 }, matching = 0;
    bool stops[FLEET_TASKS_MAX] = { false };
    for (size_t s = 0; s < plan->stop_count; s++) { stops[plan->stops[s].task] = true; }
    for (uint32_t i = 0; i < FLEET_INSTANCES; i++) { matching += fleet.daemons[i].matches && !fleet.daemons[i].draining; }
    for (size_t t = 0; t < fleet.state.task_count; t++) { on[fleet.tasks[t].instance] += fleet.tasks[t].machine != MACHINE_LOST; }
    for (size_t t = 0; t < fleet.state.task_count; t++) {
        const struct service_task *task = &fleet.tasks[t];
        const struct daemon_instance *instance = &fleet.daemons[task->instance];
        bool serves = fleet_healthy(&fleet, task) && instance->matches && instance->others && fleet_primary(&fleet) != task->deployment;
        CHECK(fleet.row, !serves || !stops[t] || fleet.deployments[task->deployment].role != DEPLOYMENT_ACTIVE || on[task->instance] > 1);
        CHECK(fleet.row, !stops[t] || !instance->draining || !instance->others || !instance->matches || on[task->instance] > 1);
    }
    for (size_t p = 0; p < plan->place_count; p++) {
        const struct daemon_instance *instance = &fleet.daemons[plan->places[p]];
        CHECK(fleet.row, instance->matches && !instance->draining && instance->connected && on[plan->places[p]] == 0);
    }
    for (size_t d = 0; d < plan->drain_count; d++) { CHECK(fleet.row, fleet.daemons[plan->drains[d]].others && !fleet.daemons[plan->drains[d]].draining); }
    CHECK(fleet.row, (int64_t)plan->drain_count <= max_i64(1, matching * fleet.state.managed.drain / 100000));
    CHECK_EQ(fleet.row, plan->desired, matching);
}

static void step(void)
{
    struct service_plan again;
    CHECK(fleet.row, reconcile(&fleet.state, &fleet.arena, &fleet.plan));
    check_plan(&fleet.plan);
    fleet_apply(&fleet, &fleet.plan);
    fleet.state.managed.at = fleet.plan.managed;
    for (size_t d = 0; d < fleet.plan.drain_count; d++) { set_draining(fleet.plan.drains[d], true); }
    CHECK(fleet.row, reconcile(&fleet.state, &fleet.arena, &again));
    CHECK(fleet.row, fleet.plan.more || (again.stop_count + again.start_count + again.drain_count == 0 && again.act == fleet.state.act));
}

/* Steps with 40 s between them; then nothing moves. */
static void settle(void)
{
    for (int n = 0; n < 60; n++) {
        step();
        fleet_pass(&fleet, HEALTHY_AFTER_MS);
    }
}

static void open_steady(const char *row, int64_t matching, int64_t drain)
{
    open_managed(row, matching, drain);
    settle();
    CHECK_EQ(row, fleet_count(&fleet).healthy, matching);
    CHECK_EQ(row, fleet_rollout(&fleet), ROLLOUT_COMPLETED);
}

static void update(int64_t bake_ms)
{
    fleet_update(&fleet);
    fleet.state.managed.at = (struct managed_rollout){ 0 };
    fleet.state.managed.bake_ms = bake_ms;
}

static void test_batches(void)
{
    static const struct { const char *row; int64_t instances, drain, stops; } rows[] = {
        { "4 at 25", 4, 25, 1 }, { "4 at 50", 4, 50, 2 }, { "6 at 25", 6, 25, 1 }, { "6 at 100", 6, 100, 6 }, { "3 at 0", 3, 0, 1 }, { "5 at 99", 5, 99, 4 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        open_steady(rows[r].row, rows[r].instances, rows[r].drain);
        update(0);
        step();
        CHECK_EQ(rows[r].row, (int64_t)fleet.plan.stop_count, rows[r].stops);
        CHECK_EQ(rows[r].row, fleet.plan.drain_count, 0);
        settle();
        CHECK_EQ(rows[r].row, fleet_rollout(&fleet), ROLLOUT_COMPLETED);
        CHECK_EQ(rows[r].row, fleet_count(&fleet).healthy_new, rows[r].instances);
        fleet_close(&fleet);
    }
}

static void test_drains(void)
{
    open_steady("machines with other tasks", 4, 50);
    for (uint32_t i = 0; i < 4; i++) { fleet.daemons[i].others = true; }
    update(0);
    step();
    CHECK_EQ(fleet.row, fleet.plan.drain_count, 2);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 0);
    settle();
    CHECK_EQ("while the others run", fleet_count(&fleet).live, 4);
    CHECK_EQ("no second batch", fleet.state.managed.at.batches, 1);
    for (uint32_t i = 0; i < 4; i++) { fleet.daemons[i].others = !fleet.daemons[i].draining; }
    settle();
    CHECK_EQ("the daemon stops last", fleet_count(&fleet).live, 2);
    CHECK_EQ("then the next batch", fleet.state.managed.at.batches, 2);
    for (uint32_t i = 0; i < 4; i++) { fleet.daemons[i].others = false; }
    settle();
    CHECK_EQ("done", fleet_rollout(&fleet), ROLLOUT_COMPLETED);
    fleet_close(&fleet);

    open_managed("a machine that is full", 2, 25);
    fleet.daemons[1].others = true;
    fleet.daemons[1].room = false;
    step();
    CHECK_EQ("is replaced", fleet.plan.drain_count, 1);
    CHECK_EQ("is replaced", fleet.plan.drains[0], 1);
    fleet_close(&fleet);
}

static void test_bake(void)
{
    open_steady("bake", 2, 50);
    update(5 * MINUTE_MS);
    step();
    CHECK_EQ("nothing runs yet that could bake", fleet.plan.stop_count, 1);
    fleet_pass(&fleet, HEALTHY_AFTER_MS);
    step();
    fleet_pass(&fleet, HEALTHY_AFTER_MS);
    step();
    CHECK_EQ("begins", fleet.plan.managed.bake_since_ms, fleet.state.now_ms);
    CHECK_EQ("wakes", fleet.plan.wake_ms, fleet.state.now_ms + 5 * MINUTE_MS);
    fleet.state.now_ms += 5 * MINUTE_MS - 1;
    step();
    CHECK_EQ("not yet", fleet.plan.stop_count, 0);
    fleet.state.now_ms++;
    step();
    CHECK_EQ("the next batch", fleet.plan.stop_count, 1);
    for (int n = 0; n < 3; n++) { fleet_pass(&fleet, HEALTHY_AFTER_MS); step(); }
    CHECK_EQ("the end bakes, too", fleet_rollout(&fleet), ROLLOUT_IN_PROGRESS);
    fleet.state.now_ms += 5 * MINUTE_MS;
    step();
    CHECK_EQ("done", fleet.state.act, ACT_SUCCESSFUL);
    fleet_close(&fleet);
}

static void test_failure(void)
{
    open_steady("an alarm after the first batch", 4, 25);
    update(MINUTE_MS);
    fleet.state.alarm_rollback = true;
    step();
    for (int n = 0; n < 3; n++) { fleet_pass(&fleet, HEALTHY_AFTER_MS); step(); }
    CHECK_EQ(fleet.row, fleet_count(&fleet).healthy_new, 1);
    fleet.state.alarm = true;
    step();
    CHECK_EQ("back", fleet.state.act, ACT_ROLLBACK_IN_PROGRESS);
    settle();
    CHECK_EQ("back", fleet.state.act, ACT_ROLLBACK_SUCCESSFUL);
    CHECK_EQ("on all", fleet_count(&fleet).healthy_new, 4);
    fleet_close(&fleet);

    open_managed("the first one fails", 3, 25);
    fleet.state.breaker = (struct breaker){ .enabled = true, .rollback = true, .reset_on_healthy = true, .kind = BREAKER_BOUNDED_PERCENT, .value = 50 };
    step();
    while (fleet.state.task_count > 0) { fleet_end(&fleet, 0, END_BY_ITSELF); }
    step();
    CHECK_EQ(fleet.row, fleet.state.act, ACT_ROLLBACK_FAILED);
    fleet_close(&fleet);
}

static void test_close(void)
{
    open_steady("deleted", 4, 25);
    for (uint32_t i = 0; i < 3; i++) { fleet.daemons[i].others = true; }
    fleet.state.closing = true;
    step();
    CHECK_EQ("alone on a machine", fleet.plan.stop_count, 1);
    CHECK_EQ("one machine drains", fleet.plan.drain_count, 1);
    CHECK("not closed", fleet.plan.waits_to_close);
    for (int n = 0; n < 8; n++) {
        for (uint32_t i = 0; i < 3; i++) { fleet.daemons[i].others &= !fleet.daemons[i].draining; }
        fleet_pass(&fleet, HEALTHY_AFTER_MS);
        step();
    }
    CHECK("closed", !fleet.plan.waits_to_close && fleet.state.task_count == 0);
    fleet_close(&fleet);
}

/* ---- walks ---- */

static void disturb(struct rng *rng)
{
    uint32_t i = (uint32_t)rng_below(rng, FLEET_INSTANCES);
    switch (rng_below(rng, 8)) {
    case 0: fleet.daemons[i].matches = !fleet.daemons[i].matches; break;
    case 1: set_draining(i, !fleet.daemons[i].draining); break;
    case 2: fleet.daemons[i].connected = !fleet.daemons[i].connected; break;
    case 3: fleet.daemons[i].others = !fleet.daemons[i].others; break;
    case 4: fleet.daemons[i].room = !fleet.daemons[i].room; break;
    case 5: fleet_pass(&fleet, (int64_t)rng_below(rng, 60000)); break;
    case 6:
        if (rng_below(rng, 4) == 0 && fleet.state.deployment_count < FLEET_DEPLOYMENTS_MAX) { update((int64_t)rng_below(rng, 2) * MINUTE_MS); }
        break;
    default:
        if (fleet.state.task_count == 0) { break; }
        struct service_task *task = &fleet.tasks[rng_below(rng, fleet.state.task_count)];
        switch (rng_below(rng, 3)) {
        case 0: task->health = HEALTH_BAD; break;
        case 1: task->machine = MACHINE_LOST; break;
        default: fleet_end(&fleet, (size_t)(task - fleet.tasks), END_BY_ITSELF);
        }
    }
}

static void test_walk(uint64_t seed)
{
    static const int64_t drains[] = { 0, 25, 50, 100 };
    char row[32];
    struct rng rng;
    rng_seed(&rng, seed);
    (void)snprintf(row, sizeof row, "managed walk %d", (int)seed);
    open_managed(row, (int64_t)rng_below(&rng, FLEET_INSTANCES + 1), drains[rng_below(&rng, COUNT_OF(drains))]);
    for (int n = 0; n < 60; n++, fleet.state.now_ms += (int64_t)rng_below(&rng, 5000)) {
        disturb(&rng);
        step();
    }
    for (uint32_t i = 0; i < FLEET_INSTANCES; i++) {
        set_draining(i, false);
        fleet.daemons[i] = (struct daemon_instance){ .matches = true, .connected = true, .room = true };
    }
    for (size_t t = fleet.state.task_count; t-- > 0;) {
        fleet.tasks[t].health = HEALTH_NO_CHECK;
        if (fleet.tasks[t].machine == MACHINE_LOST) { fleet_end(&fleet, t, END_BY_OTHERS); }
    }
    fleet.state.now_ms += 30 * MINUTE_MS;
    settle();
    CHECK(row, fleet.plan.steady && fleet_rollout(&fleet) == ROLLOUT_COMPLETED);
    CHECK_EQ(row, fleet_count(&fleet).healthy_new, FLEET_INSTANCES);
    fleet_close(&fleet);
}

int main(void)
{
    test_batches();
    test_drains();
    test_bake();
    test_failure();
    test_close();
    for (uint64_t seed = 1; seed <= 2000; seed++) { test_walk(seed); }
    return check_report();
}
