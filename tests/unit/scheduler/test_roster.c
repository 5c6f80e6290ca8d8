/* test_roster.c: the tasks of services, and the order in which services are due. */
#include "scheduler/reconcile/roster.h"

#include "tests/unit/check.h"

static struct id id_of(unsigned n) { struct id id = { { 1 } }; memcpy(&id.bytes[8], &n, sizeof n); return id; }

static struct roster_task task_of(unsigned n, int64_t service)
{
    return (struct roster_task){ .id = id_of(n), .instance = id_of(1000 + n), .service = service, .deployment = 7, .running = true };
}

static void settle_all(struct roster *roster, int64_t now_ms)
{
    for (int64_t service = roster_next(roster, now_ms); service != 0; service = roster_next(roster, now_ms)) { roster_settle(roster, service, 0); }
}

static void test_tasks(struct arena *arena)
{
    struct roster *roster = roster_create(arena);
    struct roster_task told = task_of(1, 5), found[3];
    roster_put(roster, &told);
    CHECK_EQ("a task before its service", (int64_t)roster_count(roster, 5), 1);
    CHECK_EQ("a service that is not known is not due", roster_next(roster, 1), 0);
    roster_add_service(roster, 5, 1, false);
    CHECK_EQ("a new service is due", roster_next(roster, 1), 5);
    roster_settle(roster, 5, 0);
    roster_set_healthy(roster, id_of(1));
    told.running_since_ms = 9;
    roster_put(roster, &told);
    CHECK("a change keeps was_healthy", roster_task(roster, id_of(1))->was_healthy);
    CHECK_EQ("and makes the service due", roster_next(roster, 1), 5);
    told = task_of(2, 5);
    roster_put(roster, &told);
    CHECK_EQ("two tasks", (int64_t)roster_tasks(roster, 5, found), 2);
    const struct roster_task *one = roster_walk(roster, 5, NULL), *two = roster_walk(roster, 5, one);
    CHECK("one after another", one != NULL && two != NULL && !id_eq(one->id, two->id) && roster_walk(roster, 5, two) == NULL);
    CHECK("no task of a service that is not known", roster_walk(roster, 6, NULL) == NULL);
    roster_drop(roster, id_of(1));
    CHECK("the other one stays", roster_tasks(roster, 5, found) == 1 && id_eq(found[0].id, id_of(2)));
    CHECK("a task that is gone", roster_task(roster, id_of(1)) == NULL);
    roster_drop_service(roster, 5);
    CHECK_EQ("a service that is gone is not due", roster_next(roster, 1), 0);
    CHECK_EQ("its task is known", (int64_t)roster_count(roster, 5), 1);
    roster_drop(roster, id_of(2));
    roster_drop(roster, id_of(2));
    CHECK_EQ("no task", (int64_t)roster_count(roster, 5), 0);
}

static void test_order(struct arena *arena)
{
    struct roster *roster = roster_create(arena);
    for (int64_t service = 1; service <= 4; service++) { roster_add_service(roster, service, service == 4 ? 2 : 1, service == 3); }
    settle_all(roster, 1);
    CHECK_EQ("nothing is due", roster_due_ms(roster, 1), 0);
    roster_touch(roster, 3);
    roster_touch(roster, 1);
    roster_touch(roster, 3);
    CHECK_EQ("at once", roster_due_ms(roster, 1), 1);
    CHECK_EQ("the first touched is first", roster_next(roster, 1), 3);
    CHECK_EQ("then the next", roster_next(roster, 1), 1);
    CHECK_EQ("each once", roster_next(roster, 1), 0);
    roster_wait(roster, 2, false, 7, 0);
    roster_wait(roster, 1, false, 8, 0);
    roster_wait(roster, 4, false, 9, 0);
    roster_room_grew(roster, 1);
    CHECK_EQ("the one that waits longest", roster_next(roster, 1), 2);
    CHECK_EQ("then the next", roster_next(roster, 1), 1);
    CHECK_EQ("not those of another cluster", roster_next(roster, 1), 0);
    roster_changed_in(roster, 1, WATCH_FLEET);
    CHECK_EQ("daemons", roster_next(roster, 1), 3);
    CHECK_EQ("and no other service", roster_next(roster, 1), 0);
    roster_add_service(roster, 3, 1, false);
    settle_all(roster, 1);
    roster_changed_in(roster, 1, WATCH_FLEET);
    CHECK_EQ("no daemon any more", roster_next(roster, 1), 0);
}

static void test_watchers(struct arena *arena)
{
    struct roster *roster = roster_create(arena);
    for (int64_t service = 1; service <= 4; service++) {
        roster_watch(roster, service, WATCH_ALARMS, true);                                          /* unknown: nothing */
        roster_add_service(roster, service, 1, false);
        roster_watch(roster, service, WATCH_ALARMS, service > 1);
    }
    settle_all(roster, 1);
    roster_watch(roster, 3, WATCH_ALARMS, false);
    roster_watch(roster, 3, WATCH_ALARMS, false);
    roster_watch(roster, 4, WATCH_ALARMS, true);
    roster_changed(roster, WATCH_ALARMS);
    CHECK_EQ("the newest watcher first", roster_next(roster, 1), 4);
    CHECK_EQ("then the one before", roster_next(roster, 1), 2);
    CHECK_EQ("and no other service", roster_next(roster, 1), 0);
    roster_drop_service(roster, 4);
    roster_drop_service(roster, 2);
    roster_changed(roster, WATCH_ALARMS);
    CHECK_EQ("none is left", roster_next(roster, 1), 0);
    roster_add_service(roster, 2, 1, false);
    settle_all(roster, 1);
    roster_changed(roster, WATCH_ALARMS);
    CHECK_EQ("a service that comes again watches nothing", roster_next(roster, 1), 0);
    roster_add_service(roster, 6, 2, false);
    roster_watch(roster, 2, WATCH_ZONES, true);
    roster_watch(roster, 6, WATCH_ZONES, true);
    roster_watch(roster, 6, WATCH_ALARMS, true);
    settle_all(roster, 1);
    roster_changed_in(roster, 2, WATCH_ZONES);
    CHECK_EQ("zones are those of a cluster", roster_next(roster, 1), 6);
    CHECK_EQ("zones of another one", roster_next(roster, 1), 0);
    roster_changed(roster, WATCH_ALARMS);
    CHECK_EQ("alarms are those of all clusters", roster_next(roster, 1), 6);
}

static void test_times(struct arena *arena)
{
    enum { SERVICES = 40 };
    struct roster *roster = roster_create(arena);
    for (int64_t service = 1; service <= SERVICES; service++) { roster_add_service(roster, service, 1, false); }
    settle_all(roster, 1);
    for (int64_t service = 1; service <= SERVICES; service++) { roster_settle(roster, service, 1000 + service * 7 % 41); }
    roster_settle(roster, 40, 0);
    roster_drop_service(roster, 39);
    int64_t last = 0, count = 0;
    for (int64_t due = roster_due_ms(roster, 1); due != 0; due = roster_due_ms(roster, due)) {
        CHECK("times grow", due > last);
        CHECK_EQ("not before", roster_next(roster, due - 1), 0);
        int64_t service = roster_next(roster, due);
        CHECK_EQ("the service of that time", due, 1000 + service * 7 % 41);
        last = due;
        count++;
    }
    CHECK_EQ("all with a time", count, SERVICES - 2);
}

/* A service of 2,000 tasks rests for two milliseconds between steps, unless it is touched for itself. */
static void test_rest(struct arena *arena)
{
    struct roster *roster = roster_create(arena);
    roster_add_service(roster, 1, 1, false);
    for (unsigned n = 0; n < 2000; n++) { struct roster_task told = task_of(n, 1); roster_put(roster, &told); }
    CHECK_EQ("the first step", roster_next(roster, 100), 1);
    roster_settle(roster, 1, 0);
    struct roster_task told = task_of(0, 1);
    roster_put(roster, &told);
    CHECK_EQ("it rests", roster_next(roster, 101), 0);
    CHECK_EQ("until then", roster_due_ms(roster, 101), 102);
    CHECK_EQ("then it is due", roster_next(roster, 102), 1);
    roster_settle(roster, 1, 0);
    roster_touch(roster, 1);
    CHECK_EQ("a touch ends the rest", roster_next(roster, 102), 1);
    roster_settle(roster, 1, 0);
    roster_put(roster, &told);
    CHECK_EQ("a clock that was set back", roster_next(roster, 50), 1);
}

/* Below the lower limit first, then the oldest deployment, in the order of the calls or not. */
static void test_turns(struct arena *arena)
{
    static const struct { int64_t service; bool below; int64_t since_ms, turn; } rows[] = {
        { 1, false, 50, 5 }, { 2, false, 30, 3 }, { 3, true, 90, 2 }, { 4, true, 10, 1 }, { 5, false, 50, 6 }, { 6, false, 40, 4 },
    };
    struct roster *roster = roster_create(arena);
    for (size_t r = 0; r < COUNT_OF(rows); r++) { roster_add_service(roster, rows[r].service, 1, false); }
    settle_all(roster, 1);
    for (size_t r = 0; r < COUNT_OF(rows); r++) { roster_wait(roster, rows[r].service, rows[r].below, rows[r].since_ms, 0); }
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ("its turn", roster_turn(roster, rows[r].service), rows[r].turn); }
    CHECK_EQ("one that is not known", roster_turn(roster, 9), 0);
    roster_wait(roster, 1, true, 50, 0);
    CHECK_EQ("a service falls below its limit", roster_turn(roster, 1), 2);
    CHECK_EQ("the others come later", roster_turn(roster, 3), 3);
    roster_settle(roster, 4, 0);
    CHECK_EQ("the first has got its room", roster_turn(roster, 4), 0);
    roster_room_grew(roster, 1);
    static const int64_t order[] = { 1, 3, 2, 6, 5 };
    for (size_t o = 0; o < COUNT_OF(order); o++) { CHECK_EQ("room is offered in this order", roster_next(roster, 2), order[o]); }
}

static void test_targets(struct arena *arena)
{
    struct roster *roster = roster_create(arena);
    struct roster_task told = task_of(1, 5);
    roster_add_service(roster, 5, 1, false);
    roster_put(roster, &told);
    CHECK("a task without load balancers has no targets to look at", !roster_task(roster, id_of(1))->unsettled);
    told.balanced = true;
    roster_put(roster, &told);
    CHECK("a change of a balanced task asks for a look", roster_task(roster, id_of(1))->unsettled);
    CHECK_EQ("at first nothing is known", roster_task(roster, id_of(1))->targets, HEALTH_NOT_KNOWN);
    settle_all(roster, 1);
    CHECK_EQ("one to look at", (int64_t)roster_unsettled(roster, 5), 1);
    roster_set_targets(roster, id_of(1), HEALTH_GOOD, false);
    CHECK_EQ("no more", (int64_t)roster_unsettled(roster, 5), 0);
    roster_set_targets(roster, id_of(2), HEALTH_GOOD, false);                                 /* unknown: nothing */
    CHECK_EQ("a look makes nothing due", roster_next(roster, 2), 0);
    roster_put(roster, &told);
    CHECK("a change keeps the health, and asks for a look", roster_task(roster, id_of(1))->targets == HEALTH_GOOD && roster_task(roster, id_of(1))->unsettled);
    settle_all(roster, 2);
    roster_set_targets(roster, id_of(1), HEALTH_GOOD, false);
    roster_targets_changed(roster, id_of(1));
    roster_targets_changed(roster, id_of(2));                                                 /* unknown: nothing */
    CHECK("so does a change of its targets", roster_task(roster, id_of(1))->unsettled);
    CHECK_EQ("which makes the service due", roster_next(roster, 3), 5);
    told = task_of(3, 5);
    told.balanced = true;
    roster_put(roster, &told);
    CHECK_EQ("two to look at", (int64_t)roster_unsettled(roster, 5), 2);
    roster_drop(roster, id_of(3));
    CHECK_EQ("one has ended", (int64_t)roster_unsettled(roster, 5), 1);
    settle_all(roster, 3);
    roster_watch(roster, 5, WATCH_FEEDS, true);
    settle_all(roster, 3);
    roster_changed(roster, WATCH_ALARMS);
    CHECK_EQ("a change of an alarm is nothing to a service that watches feeds", roster_next(roster, 4), 0);
    roster_changed(roster, WATCH_FEEDS);
    CHECK_EQ("a report of a feed is", roster_next(roster, 4), 5);
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, (size_t)64 << 20);
    test_tasks(&arena);
    test_order(&arena);
    test_watchers(&arena);
    test_turns(&arena);
    test_targets(&arena);
    test_times(&arena);
    test_rest(&arena);
    arena_finish(&arena);
    return check_report();
}
