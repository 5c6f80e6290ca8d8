/* Zone rebalancing, step by step: what starts it, what it waits for, and what ends it. The walks of services have the invariants. */
#include "services.h"

enum { ZONE_A, ZONE_B };
static struct fleet_of_one fleet;

/* Two tasks in zone a, none in zone b. */
static void open_uneven(const char *row)
{
    fleet_open(&fleet, row, 2, 100, 200);
    fleet.zones = 2;
    fleet.state.rebalances = true;
    for (uint32_t i = 0; i < FLEET_INSTANCES; i++) { fleet.draining[i] = i % 2 == ZONE_B; }
    (void)fleet_settle(&fleet);
    CHECK(row, fleet.plan.steady);
    for (uint32_t i = 0; i < FLEET_INSTANCES; i++) { fleet_drain(&fleet, i, false); }
}

/* The replacement has started and is not healthy. */
static void open_moving(const char *row)
{
    open_uneven(row);
    fleet_step(&fleet);
    CHECK_EQ(row, fleet_started(&fleet), 1);
    CHECK_EQ(row, fleet.plan.starts[0].zone, ZONE_B);
    CHECK_EQ(row, fleet.seen[EVENT_UNBALANCED], 1);
}

/* Steps until nothing moves; then the events since the start, and the slope between the zones. */
static void check_end(int64_t started, int64_t stopped, int64_t balanced, int64_t ended, int64_t slope)
{
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_STARTED_IN_ZONE], started);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_STOPPED_IN_ZONE], stopped);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_BALANCED], balanced);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_BALANCING_STOPPED], ended);
    CHECK_EQ(fleet.row, fleet_slope(&fleet), slope);
    CHECK_EQ(fleet.row, fleet_count(&fleet).live, fleet.state.desired);
    fleet_close(&fleet);
}

static void test_moves(void)
{
    open_moving("the replacement is kept until it is healthy");
    fleet_pass(&fleet, HEALTHY_AFTER_MS - 1);
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 0);
    fleet.state.now_ms += HEALTHY_AFTER_MS;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 1);
    CHECK_EQ(fleet.row, fleet.plan.stops[0].why, STOP_ZONE);
    CHECK_EQ(fleet.row, fleet.tasks[fleet.plan.stops[0].task].zone, ZONE_A);
    check_end(1, 1, 1, 0, 0);

    open_moving("the replacement ends before it is healthy");
    fleet_end(&fleet, 2, END_BY_ITSELF);
    check_end(2, 1, 1, 0, 0);

    open_moving("the replacement is unhealthy");
    fleet_running(&fleet, 2);
    fleet.tasks[2].health = HEALTH_BAD;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 1);
    CHECK_EQ(fleet.row, fleet.plan.stops[0].why, STOP_UNHEALTHY);
    check_end(2, 1, 1, 0, 0);

    open_moving("a task of the heavy zone ends meanwhile");
    fleet_end(&fleet, 0, END_BY_OTHERS);
    check_end(1, 0, 1, 0, 0);

    open_uneven("one more than in the other zone is even");
    fleet.state.desired = 1;
    check_end(0, 0, 0, 0, 1);
}

static void test_ends(void)
{
    open_uneven("off");
    fleet.state.rebalances = false;
    check_end(0, 0, 0, 0, 2);

    open_moving("switched off meanwhile");
    fleet.state.rebalances = false;
    check_end(1, 0, 0, 1, 2);

    open_uneven("no task may be above the desired count");
    fleet.state.max_percent = 149;
    check_end(0, 0, 0, 0, 2);

    open_moving("a deployment begins");
    fleet_update(&fleet);
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_BALANCING_STOPPED], 1);
    fleet_close(&fleet);

    open_moving("deleted");
    fleet.state.closing = true;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 3);
    fleet_close(&fleet);

    open_uneven("a zone with a task takes none");
    for (uint32_t i = 0; i < FLEET_INSTANCES; i += 2) { fleet.draining[i] = true; }       /* its tasks drain later */
    check_end(0, 0, 0, 0, 0);
}

static void test_full(void)
{
    open_uneven("no room in the light zone");
    fleet.full[ZONE_B] = true;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 0);
    CHECK_EQ(fleet.row, fleet.plan.events[0].kind, EVENT_ZONE_FULL);
    CHECK_EQ(fleet.row, fleet.plan.events[0].zone, ZONE_B);
    CHECK_EQ(fleet.row, fleet.plan.wake_ms, fleet.state.now_ms + MINUTE_MS);
    CHECK_EQ(fleet.row, fleet.plan.wants, 0);
    fleet.state.now_ms += MINUTE_MS;
    fleet_step(&fleet);
    CHECK_EQ("told once", fleet.seen[EVENT_ZONE_FULL], 1);
    fleet.full[ZONE_B] = false;
    fleet_step(&fleet);
    CHECK_EQ("room again", fleet_started(&fleet), 1);
    check_end(1, 1, 1, 0, 0);

    open_moving("room in the light zone goes after a failure");
    fleet_end(&fleet, 2, END_BY_OTHERS);
    fleet.full[ZONE_B] = true;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.events[fleet.plan.event_count - 1].kind, EVENT_BALANCING_STOPPED);
    check_end(1, 0, 0, 1, 2);
}

static void test_protected(void)
{
    open_uneven("all of the heavy zone are protected");
    fleet.tasks[0].protected_until_ms = fleet.tasks[1].protected_until_ms = fleet.state.now_ms + MINUTE_MS;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 0);
    CHECK_EQ(fleet.row, fleet.plan.events[0].kind, EVENT_ZONE_PROTECTED);
    CHECK_EQ(fleet.row, fleet.plan.events[0].count, 2);
    CHECK_EQ(fleet.row, fleet.plan.wake_ms, fleet.state.now_ms + MINUTE_MS);
    fleet_step(&fleet);
    CHECK_EQ("told once", fleet.seen[EVENT_ZONE_PROTECTED], 1);
    fleet.state.now_ms += MINUTE_MS;
    check_end(1, 1, 1, 0, 0);

    open_uneven("one of two is protected");
    fleet.tasks[0].protected_until_ms = INT64_MAX;
    check_end(1, 1, 1, 0, 0);

    open_moving("protected meanwhile: the replacement goes again");
    fleet.tasks[0].protected_until_ms = fleet.tasks[1].protected_until_ms = INT64_MAX;
    check_end(1, 0, 0, 1, 2);
}

int main(void)
{
    test_moves();
    test_ends();
    test_full();
    test_protected();
    return check_report();
}
