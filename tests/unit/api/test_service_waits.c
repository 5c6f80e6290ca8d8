/* test_service_waits.c: services on a capacity provider with managed scaling: tasks that find no room wait, order machines, and start when those come; their
 * limit, their end, updates, and what clients see. */
#include "scheduler/queue/queue.h"
#include "tests/unit/api/stage.h"
#include "tests/unit/api/service_lives.h"

#define ON_P ",\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\",\"weight\":1}]"
#define SERVICE(name, count, more) "{\"serviceName\":\"" name "\",\"taskDefinition\":\"f:1\",\"desiredCount\":" count ON_P more "}"
#define TAGGED(key, value) ",\"tags\":[{\"key\":\"" key "\",\"value\":\"" value "\"}]"

/* The call that a step has named last; NULL: there is none. */
static const struct provision_call *next_call(struct api_fixture *f)
{
    const struct provision_call *call = f->provisions;
    f->provisions = NULL;
    return call;
}

/* Steps, the provisioner's calls, agents and tasks, until nothing moves: without a second passing. */
static void moment(struct stage *stage)
{
    struct api_fixture *f = &stage->f;
    const struct provision_call *call;
    int rounds = 0;
    do {
        settle(f);
        call = next_call(f);
        if (call != NULL) { answered(f, call, PROVISIONED_ANSWERED, plant_obeys(f, &stage->plant, call)); }
        agents_come(stage);
    } while ((call != NULL || f->provisions != NULL) && ++rounds < 20);
    CHECK("a moment comes to an end", rounds < 20);
    settle(f);
}

static void pass_minutes(struct stage *stage, int count)
{
    for (int m = 0; m < count; m++) {
        stage->f.now_ms += MINUTE_MS;
        moment(stage);
    }
}

static int64_t waiting(struct stage *stage) { return (int64_t)queue_of_providers(sched_queue(stage->f.world), 1); }

/* "PROVISIONING PENDING RUNNING" of the tasks of a service, counted. */
static const char *statuses(struct stage *stage, const char *service)
{
    struct api_fixture *f = &stage->f;
    static const char *const words[] = { "PROVISIONING", "PENDING", "RUNNING" };
    int64_t counts[COUNT_OF(words)] = { 0 };
    struct str list = fixture_call(f, "ListTasks", text(f, "{\"serviceName\":\"%s\"}", service));
    for (int64_t t = 0, all = count_at(f, list, "taskArns"); t < all; t++) {
        struct str task = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", at(f, list, text(f, "taskArns[%d]", (int)t))));
        for (size_t w = 0; w < COUNT_OF(words); w++) { counts[w] += strcmp(at(f, task, "tasks[0].lastStatus"), words[w]) == 0; }
    }
    return text(f, "%d %d %d", (int)counts[0], (int)counts[1], (int)counts[2]);
}

/* From an empty cluster to two machines, and back. */
static void test_from_nothing(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, false, 100, 5);
    create(f, SERVICE("web", "2", ""));
    (void)steps(f);
    CHECK_TEXT("they wait", statuses(&stage, "web"), "2 0 0");
    CHECK_TEXT("counted as pending", state(f, "web"), "D 2 R 0 P 2 f:1 | PRIMARY f:1 2/0/2 IN_PROGRESS 0");
    struct str list = fixture_call(f, "ListTasks", "{}"), task = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", at(f, list, "taskArns[0]")));
    CHECK_TEXT("of the provider", at(f, task, "tasks[0].capacityProviderName"), "p");
    CHECK_TEXT("without a machine", at(f, task, "tasks[0].containerInstanceArn"), "(absent)");
    CHECK_TEXT("told", events(f, "web", 2), "has started 2 tasks:. / (deployment ) waits for a machine: the capacity provider p will order machines.");
    check_world(f, "the world is that of the store");
    moment(&stage);
    CHECK_EQ("two machines", size_of(&stage), 2);
    CHECK_TEXT("with a task each", statuses(&stage, "web"), "0 0 2");
    pass_minutes(&stage, 1);
    CHECK_TEXT("steady", events(f, "web", 2), "has reached a steady state. / (deployment ) deployment completed.");
    update(f, "{\"service\":\"web\",\"desiredCount\":0}");
    pass_minutes(&stage, 30);
    CHECK_EQ("no machine is left", size_of(&stage), 0);
    CHECK_TEXT("and no task", state(f, "web"), "D 0 R 0 P 0 f:1 | PRIMARY f:1 0/0/0 COMPLETED 0");
    stage_close(&stage);
}

/* At the largest size of the pool: a lower count takes tasks that wait first, and an update waits with its own. */
static void test_changes(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, false, 100, 1);
    create(f, SERVICE("web", "3", ""));
    moment(&stage);
    CHECK_TEXT("one machine", statuses(&stage, "web"), "2 0 1");
    update(f, "{\"service\":\"web\",\"desiredCount\":2}");
    moment(&stage);
    CHECK_TEXT("one fewer waits", statuses(&stage, "web"), "1 0 1");
    CHECK_TEXT("as ECS says it", events(f, "web", 1), "stopped 1 pending tasks.");
    define(f, "g", GPUS("1"), "");
    pass_minutes(&stage, 1);
    update(f, "{\"service\":\"web\",\"taskDefinition\":\"g:1\"}");
    moment(&stage);
    CHECK_TEXT("old ones that wait end, new ones wait", state(f, "web"), "D 2 R 1 P 2 g:1 | PRIMARY g:1 2/0/2 IN_PROGRESS 0 | ACTIVE f:1 1/1/0 IN_PROGRESS 0");
    update(f, "{\"service\":\"web\",\"desiredCount\":0}");
    (void)fixture_call(f, "DeleteService", "{\"service\":\"web\",\"force\":true}");
    moment(&stage);
    CHECK_EQ("none waits any more", waiting(&stage), 0);
    stage_close(&stage);
}

/* A deleted service. */
static void test_delete(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, false, 100, 1);
    create(f, SERVICE("web", "4", ""));
    (void)steps(f);
    CHECK_EQ("they wait", waiting(&stage), 4);
    check_world(f, "the world is that of the store");
    f->now_ms += MINUTE_MS;
    (void)steps(f);
    CHECK_EQ("as before", waiting(&stage), 4);
    CHECK_TEXT("no second start", statuses(&stage, "web"), "4 0 0");
    (void)fixture_call(f, "DeleteService", "{\"service\":\"web\",\"force\":true}");
    (void)steps(f);
    CHECK_EQ("they end at once", waiting(&stage), 0);
    CHECK_TEXT("and the service with them", at(f, describe(f, "web"), "services[0].status"), "INACTIVE");
    stage_close(&stage);
}

/* ECS's limit: 500 in a cluster. RunTask fails then, except with the tag berth:queue. */
static void test_limit(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, false, 100, 3);
    create(f, SERVICE("web", "504", ""));
    (void)steps(f);
    CHECK_EQ("the most", waiting(&stage), 500);
    CHECK_TEXT("told", events(f, "web", 1), "was unable to place tasks in your cluster because the tasks provisioning capacity limit was exceeded.");
    struct str refused = fixture_call(f, "RunTask", "{\"taskDefinition\":\"f\"" ON_P "}");
    CHECK_EQ("RunTask fails", count_at(f, refused, "failures"), 1);
    CHECK("and says why", strstr(at(f, refused, "failures[0].detail"), "In the cluster 500 tasks wait for capacity providers already, which is the limit.") != NULL);
    struct str tagged = fixture_call(f, "RunTask", "{\"taskDefinition\":\"f\"" ON_P TAGGED("berth:queue", "wait") "}");
    CHECK_EQ("a task that asks for the queue waits", count_at(f, tagged, "tasks"), 1);
    (void)fixture_call(f, "StopTask", text(f, "{\"task\":\"%s\"}", at(f, tagged, "tasks[0].taskArn")));
    moment(&stage);
    CHECK_EQ("as many as may", waiting(&stage), 500);
    pass_minutes(&stage, 2);
    const char *told = strstr(events(f, "web", 100), "limit was exceeded");
    CHECK("told once", told != NULL && strstr(told + 1, "limit was exceeded") == NULL);
    stage_close(&stage);
}

/* After half an hour without a machine: the event, the pauses, and no failure before. */
static void test_in_vain(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, false, 100, 0);
    create(f, SERVICE("web", "1", BREAKER("false")));
    (void)steps(f);
    pass_minutes(&stage, 29);
    CHECK_TEXT("it waits, and that is no failure", state(f, "web"), "D 1 R 0 P 1 f:1 | PRIMARY f:1 1/0/1 IN_PROGRESS 0");
    f->now_ms += MINUTE_MS;
    (void)steps(f);
    CHECK_TEXT("then it has failed once, and another one waits", state(f, "web"), "D 1 R 0 P 1 f:1 | PRIMARY f:1 1/0/1 IN_PROGRESS 1");
    CHECK_TEXT("told", events(f, "web", 2),
               "was unable to reach steady state. Reason: No Container Instances were found in your capacity provider. / has started 1 tasks:.");
    struct str list = fixture_call(f, "ListTasks", "{\"desiredStatus\":\"STOPPED\"}"), task = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", at(f, list, "taskArns[0]")));
    CHECK_TEXT("its code", at(f, task, "tasks[0].stopCode"), "TaskFailedToStart");
    CHECK_TEXT("its reason", text(f, "%.64s", at(f, task, "tasks[0].stoppedReason")), "TaskFailedToStart: waited 30m for room. EMPTY CAPACITY PROVIDER:");
    pass_minutes(&stage, 30);
    CHECK_TEXT("twice", state(f, "web"), "D 1 R 0 P 1 f:1 | PRIMARY f:1 1/0/1 IN_PROGRESS 2");
    pass_minutes(&stage, 31);
    CHECK_TEXT("the breaker ends it", state(f, "web"), "D 1 R 0 P 0 f:1 | PRIMARY f:1 1/0/0 FAILED 3");
    CHECK_EQ("and nothing waits", waiting(&stage), 0);
    stage_close(&stage);
}

/* As the server's --provision-timeout says. */
static void test_in_vain_sooner(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, false, 100, 0);
    f->config.provision_timeout_ms = 2 * MINUTE_MS;
    create(f, SERVICE("web", "1", BREAKER("false")));
    (void)steps(f);
    pass_minutes(&stage, 1);
    CHECK_TEXT("it waits", state(f, "web"), "D 1 R 0 P 1 f:1 | PRIMARY f:1 1/0/1 IN_PROGRESS 0");
    f->now_ms += MINUTE_MS;
    (void)steps(f);
    CHECK_TEXT("and has failed then", state(f, "web"), "D 1 R 0 P 1 f:1 | PRIMARY f:1 1/0/1 IN_PROGRESS 1");
    stage_close(&stage);
}

/* Minutes until the task has given up, `most` at most; the provisioner answers from minute `from` on, and no agent comes. */
static int minutes_waited(struct stage *stage, int from, int most)
{
    char verbs[16];
    int minute = 0;
    for (; waiting(stage) > 0 && minute < most; minute++) {
        stage->f.now_ms += MINUTE_MS;
        if (minute + 1 >= from) { (void)run_all(&stage->f, &stage->plant, verbs); }
        (void)steps(&stage->f);
    }
    return minute;
}

/* A machine that starts for a task gives it its time again. */
static void test_progress(void)
{
    static const struct { const char *row, *more; int provision_minutes, from, want; } rows[] = {
        { "no machine starts", ON_P, 4, 1000, 4 },
        { "one starts in the third minute", ON_P, 4, 3, 7 },
        { "a time of the task's own", ON_P TAGGED("berth:queue", "wait:4m"), 4, 3, 4 },
        { "four start, 15 minutes after each other, and the fourth does not count", ON_P, 20, 1, 56 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct stage stage;
        struct api_fixture *f = &stage.f;
        stage_open(&stage, false, 100, 1);
        f->config.provision_timeout_ms = rows[r].provision_minutes * MINUTE_MS;
        (void)fixture_call(f, "RunTask", text(f, "{\"taskDefinition\":\"f\"%s}", rows[r].more));
        CHECK_EQ(rows[r].row, waiting(&stage), 1);
        CHECK_EQ(rows[r].row, minutes_waited(&stage, rows[r].from, 200), rows[r].want);
        check_world(f, rows[r].row);
        stage_close(&stage);
    }
}

/* Tags of the service: how long, and in which order. Of equal ones those come first whose service has run before. */
static void test_order(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, false, 100, 1);
    create(f, SERVICE("old", "1", ""));
    pass_minutes(&stage, 2);
    CHECK_TEXT("it has the machine", statuses(&stage, "old"), "0 0 1");
    create(f, SERVICE("new", "1", ""));
    create(f, SERVICE("urgent", "1", TAGGED("berth:priority", "5")));
    (void)steps(f);
    f->now_ms += SECOND_MS;
    update(f, "{\"service\":\"old\",\"desiredCount\":2}");
    (void)steps(f);
    struct queue *queue = sched_queue(f->world);
    const struct waiting *order[3] = { NULL, NULL, NULL };
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    CHECK_EQ("three wait", queue_list(queue, 1, f->now_ms, order, &arena), 3);
    CHECK("the greater priority, then the service that has run", order[0]->priority == 5 && order[1]->replaces && !order[2]->replaces);
    arena_finish(&arena);
    struct str refused = fixture_call(f, "CreateService", SERVICE("bad", "1", TAGGED("berth:queue", "soon")));
    CHECK_EQ("a tag that says nothing", f->code, ERR_INVALID_PARAMETER);
    CHECK("is named", strstr(arena_cstr(&f->kept, refused), "berth:queue can't be") != NULL);
    create(f, SERVICE("brief", "1", TAGGED("berth:queue", "wait:1m")));
    (void)steps(f);
    f->now_ms += MINUTE_MS;
    (void)steps(f);
    CHECK("its own time", strstr(events(f, "brief", 5), "was unable to place a task. Reason: TaskFailedToStart: waited 1m for room. RESOURCE:GPU: ") != NULL);
    stage_close(&stage);
}

/* A provisioner that asks for time: the event of ECS's rate limits. */
static void test_throttled(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, false, 100, 3);
    create(f, SERVICE("web", "1", ""));
    (void)steps(f);
    const struct provision_call *call = next_call(f);
    while (call != NULL && !str_eq(call->verb, STR("up"))) {
        answered(f, call, PROVISIONED_ANSWERED, plant_obeys(f, &stage.plant, call));
        (void)steps(f);
        call = next_call(f);
    }
    ASSERT(call != NULL);
    answered(f, call, PROVISIONED_LATER, STR("busy"));
    (void)steps(f);
    CHECK_TEXT("told", events(f, "web", 1), "operations are being throttled. Will try again later.");
    pass_minutes(&stage, 10);
    CHECK_TEXT("then it comes", statuses(&stage, "web"), "0 0 1");
    stage_close(&stage);
}

/* berth:replace=stop-first: old tasks make room, and no machine is ordered for that. */
static void test_in_place(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, false, 100, 5);
    create(f, SERVICE("web", "1", TAGGED("berth:replace", "stop-first")));
    pass_minutes(&stage, 2);
    CHECK_TEXT("the first one orders a machine", statuses(&stage, "web"), "0 0 1");
    define(f, "g", GPUS("1"), "");
    update(f, "{\"service\":\"web\",\"taskDefinition\":\"g:1\"}");
    pass_minutes(&stage, 3);
    CHECK_TEXT("replaced", state(f, "web"), "D 1 R 1 P 0 g:1 | PRIMARY g:1 1/1/0 COMPLETED 0");
    CHECK_EQ("on the same machine", size_of(&stage), 1);
    stage_close(&stage);
}

/* No type of machine has that many GPUs: known within a minute or two, and said. */
static void test_impossible(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, false, 100, 5);
    define(f, "huge", GPUS("64"), "");
    create(f, "{\"serviceName\":\"web\",\"taskDefinition\":\"huge:1\",\"desiredCount\":1" ON_P "}");
    (void)steps(f);
    pass_minutes(&stage, 2);
    CHECK_EQ("no machine is ordered", size_of(&stage), 0);
    const char *told = strstr(events(f, "web", 10), "was unable to place a task. Reason: TaskFailedToStart: RESOURCE:GPU. No machine of the capacity provider p can hold it: "
                                                    "needs 64 GPUs, and ");
    CHECK("told", told != NULL);
    stage_close(&stage);
}

/* Managed scaling is off: as with a launch type. */
static void test_without_scaling(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, false, 100, 5);
    scaling_off(&stage);
    (void)machine_add(f, "other", 1);
    create(f, SERVICE("web", "1", ""));
    settle(f);
    CHECK_TEXT("no task", state(f, "web"), "D 1 R 0 P 0 f:1 | PRIMARY f:1 1/0/0 IN_PROGRESS 0");
    pass(f, 61);
    CHECK_TEXT("the event of an empty provider", events(f, "web", 1), "was unable to reach steady state. Reason: No Container Instances were found in your capacity provider.");
    stage_close(&stage);
}

int main(void)
{
    test_from_nothing();
    test_changes();
    test_delete();
    test_limit();
    test_in_vain();
    test_in_vain_sooner();
    test_progress();
    test_order();
    test_throttled();
    test_in_place();
    test_without_scaling();
    test_impossible();
    return check_report();
}
