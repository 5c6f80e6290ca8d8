/* Services whose tasks wait for machines: each is a start that was made, and ends at once when it is not wanted. */
#include "services.h"

static struct fleet_of_one fleet;

static void open_waiting(const char *row, int64_t desired, int64_t waits_max)
{
    fleet_open(&fleet, row, desired, 50, 200);
    fleet.slots = 0;
    fleet.waits_max = waits_max;
    fleet_step(&fleet);
}

/* They are starts like others: counted, not started twice, and a lower count takes them first, the newest of them first. */
static void test_count(void)
{
    open_waiting("waiting", 4, 500);
    CHECK_EQ(fleet.row, fleet_waiting(&fleet), 4);
    fleet.state.now_ms += 20 * MINUTE_MS;
    fleet_step(&fleet);
    CHECK_EQ("no second start", fleet.plan.start_count, 0);
    CHECK_EQ("no lack of room", fleet.seen[EVENT_NO_PLACE] + fleet.seen[EVENT_STUCK] + fleet.deployments[0].failures.failed, 0);
    fleet.slots = 1;
    fleet_seat(&fleet, 0);
    fleet.state.desired = 2;
    fleet_step(&fleet);
    CHECK_EQ("those above the count", fleet.plan.stop_count, 2);
    CHECK_EQ("the newest", fleet.tasks[0].waits + 2 * fleet.tasks[1].waits, 2);
    CHECK("the oldest stays", id_cmp(fleet.tasks[0].id, fleet.tasks[1].id) < 0);
    CHECK_EQ("as ECS says it", fleet.seen[EVENT_STOPPED_PENDING], 1);
    fleet.state.desired = 1;
    fleet_step(&fleet);
    CHECK_EQ("the one with a machine", fleet.state.task_count == 1 && !fleet.tasks[0].waits, true);
    fleet_close(&fleet);
}

/* Those of an old deployment stop at once, and the new ones take their place. */
static void test_update(void)
{
    open_waiting("waiting, update", 3, 500);
    fleet_update(&fleet);
    fleet_step(&fleet);
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_waiting(&fleet), 3);
    for (size_t t = 0; t < 3; t++) { CHECK_EQ("of the new one", fleet.deployments[fleet.tasks[t].deployment].digits, 2); }
    fleet.state.act = ACT_ROLLBACK_REQUESTED;
    fleet_step(&fleet);
    CHECK_EQ("a deployment that is stopped has none", fleet_waiting(&fleet), 0);
    fleet_close(&fleet);
}

static void test_limit(void)
{
    open_waiting("waiting, limit", 5, 2);
    fleet.state.now_ms += 10 * MINUTE_MS;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_waiting(&fleet), 2);
    CHECK_EQ("told once", fleet.seen[EVENT_LIMIT], 1);
    CHECK_EQ("and no lack of room", fleet.seen[EVENT_NO_PLACE] + fleet.deployments[0].failures.failed, 0);
    fleet.slots = 2;
    fleet_seat(&fleet, 0);
    fleet_seat(&fleet, 1);
    fleet_step(&fleet);
    CHECK_EQ("the next ones", fleet_waiting(&fleet), 2);
    fleet.waits_max = 500;
    fleet_step(&fleet);
    CHECK_EQ("all", fleet.state.task_count, 5);
    CHECK_EQ("the cause is over", fleet.state.marks[MARK_LIMIT], 0);
    fleet_close(&fleet);
}

/* Each counts as a task that ended before it ran: an event, and the pauses. */
static void test_in_vain(void)
{
    open_waiting("waiting in vain", 3, 500);
    fleet.state.now_ms += 30 * MINUTE_MS;
    for (size_t t = 3; t-- > 0;) { fleet_end(&fleet, t, END_BY_ITSELF); }
    fleet_step(&fleet);
    CHECK_EQ("told", fleet.seen[EVENT_GAVE_UP], 1);
    CHECK_EQ("and no start", fleet.plan.start_count, 0);
    CHECK("until the pause is over", fleet.plan.wake_ms == fleet.deployments[0].failures.next_start_ms);
    fleet.state.now_ms = fleet.plan.wake_ms;
    fleet_step(&fleet);
    CHECK_EQ("then one", fleet_waiting(&fleet), 1);
    CHECK_EQ("told once", fleet.seen[EVENT_GAVE_UP], 1);
    fleet.slots = 10;
    fleet_seat(&fleet, 0);
    fleet_running(&fleet, 0);
    (void)fleet_settle(&fleet);
    CHECK("steady", fleet.plan.steady && fleet.state.marks[MARK_GAVE_UP] == 0 && !fleet.deployments[0].failures.gave_up);
    fleet_close(&fleet);
}

static void test_throttled(void)
{
    open_waiting("throttled", 2, 500);
    CHECK_EQ("orders go on", fleet.seen[EVENT_THROTTLED], 0);
    fleet.state.throttled = true;
    fleet_step(&fleet);
    fleet_step(&fleet);
    CHECK_EQ("told once", fleet.seen[EVENT_THROTTLED], 1);
    fleet.state.desired = 0;
    fleet_step(&fleet);
    fleet_step(&fleet);
    CHECK_EQ("nothing waits", fleet.state.marks[MARK_THROTTLED], 0);
    fleet_close(&fleet);
}

int main(void)
{
    test_count();
    test_update();
    test_limit();
    test_in_vain();
    test_throttled();
    return check_report();
}
