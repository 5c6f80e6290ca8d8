/* test_service_steps.c: the steps of services whose tasks run. */
#include "tests/unit/api/service_lives.h"

static void test_first_deployment(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(""));
    CHECK_TEXT("before the first step", state(&f, "web"), "D 2 R 0 P 0 a:1 | PRIMARY a:1 2/0/0 IN_PROGRESS 0");
    CHECK_TEXT("no events", events(&f, "web", 9), "");
    steps(&f);
    CHECK_TEXT("tasks are placed", state(&f, "web"), "D 2 R 0 P 2 a:1 | PRIMARY a:1 2/0/2 IN_PROGRESS 0");
    pass(&f, 39);
    CHECK_TEXT("running, not yet healthy", state(&f, "web"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 IN_PROGRESS 0");
    pass(&f, 1);
    CHECK_TEXT("after 40 s", state(&f, "web"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0");
    CHECK_TEXT("in ECS's order", events(&f, "web", 9),
               "has reached a steady state. / (deployment ) deployment completed. / has started 2 tasks:.");
    pass_idle(&f, 13 * 3600);
    CHECK_TEXT("again each six hours", events(&f, "web", 3), "has reached a steady state. / has reached a steady state. / has reached a steady state.");
    fixture_close(&f);
}

static void test_rolling(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(""));
    pass(&f, 41);
    update(&f, OF_WEB(",\"taskDefinition\":\"a:1\""));
    CHECK_TEXT("the same definition is no deployment", state(&f, "web"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0");
    update(&f, OF_WEB(",\"taskDefinition\":\"a:2\""));
    CHECK_TEXT("at once", state(&f, "web"), "D 2 R 2 P 0 a:2 | PRIMARY a:2 2/0/0 IN_PROGRESS 0 | ACTIVE a:1 2/2/0 COMPLETED 0");
    pass(&f, 39);
    CHECK_TEXT("the old ones stay", state(&f, "web"), "D 2 R 4 P 0 a:2 | PRIMARY a:2 2/2/0 IN_PROGRESS 0 | ACTIVE a:1 2/2/0 COMPLETED 0");
    pass(&f, 2);
    CHECK_TEXT("the old ones are gone", state(&f, "web"), "D 2 R 2 P 0 a:2 | PRIMARY a:2 2/2/0 COMPLETED 0");
    CHECK_TEXT("in ECS's order", events(&f, "web", 4),
               "has reached a steady state. / (deployment ) deployment completed. / has stopped 2 running tasks:. / has started 2 tasks:.");
    update(&f, OF_WEB(",\"taskDefinition\":\"a:1\""));
    pass(&f, 5);
    update(&f, OF_WEB(",\"taskDefinition\":\"b\",\"forceNewDeployment\":true"));
    pass(&f, 90);
    CHECK_TEXT("an update in the middle of another", state(&f, "web"), "D 2 R 2 P 0 b:1 | PRIMARY b:1 2/2/0 COMPLETED 0");
    struct str acts = fixture_call(&f, "ListServiceDeployments", OF_WEB(""));
    CHECK_TEXT("the last succeeded", at(&f, acts, "serviceDeployments[0].status"), "SUCCESSFUL");
    CHECK_TEXT("the one before was stopped", at(&f, acts, "serviceDeployments[1].status"), "STOPPED");
    update(&f, OF_WEB(",\"desiredCount\":5"));
    pass(&f, 50);
    CHECK_TEXT("more tasks are no deployment", state(&f, "web"), "D 5 R 5 P 0 b:1 | PRIMARY b:1 5/5/0 COMPLETED 0");
    update(&f, OF_WEB(",\"desiredCount\":0"));
    pass(&f, 5);
    CHECK_TEXT("none", state(&f, "web"), "D 0 R 0 P 0 b:1 | PRIMARY b:1 0/0/0 COMPLETED 0");
    fixture_close(&f);
}


static void test_breaker(void)
{
    static const struct { const char *row, *first, *rollback, *state, *status, *reason, *events; } rows[] = {
        { "rolled back", "a:1", BREAKER("true"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0", "ROLLBACK_SUCCESSFUL",
          "Service deployment rolled back because the circuit breaker threshold was exceeded. Last failure: (task ",
          "has reached a steady state. / (deployment ) deployment completed. / rolling back to deployment . / "
          "(deployment ) deployment failed: tasks failed to start. / " },
        { "stopped", "a:1", BREAKER("false"), "D 2 R 2 P 0 bad:1 | PRIMARY bad:1 2/0/0 FAILED 4 | ACTIVE a:1 2/2/0 COMPLETED 0", "STOPPED",
          "Service deployment failed because the circuit breaker threshold was exceeded. Last failure: (task ",
          "(deployment ) deployment failed: tasks failed to start. / " },
        { "nothing to return to", "bad:1", BREAKER("true"), "D 2 R 0 P 0 bad:1 | PRIMARY bad:1 2/0/0 FAILED 4", "ROLLBACK_FAILED",
          "No rollback candidate was found to run the rollback.", "(deployment ) deployment failed: tasks failed to start. / " },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        life_open(&f);
        create(&f, text(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"%s\",\"desiredCount\":2%s}", rows[r].first, rows[r].rollback));
        pass(&f, 41);
        if (strcmp(rows[r].first, "bad:1") != 0) { update(&f, text(&f, OF_WEB(",\"taskDefinition\":\"bad\"%s"), rows[r].rollback)); }
        pass(&f, 60);
        struct str acts = fixture_call(&f, "ListServiceDeployments", OF_WEB(""));
        CHECK_STR(rows[r].row, str_from(state(&f, "web")), str_from(rows[r].state));
        CHECK_STR(rows[r].row, str_from(at(&f, acts, "serviceDeployments[0].status")), str_from(rows[r].status));
        CHECK(rows[r].row, str_starts_with(fixture_at(&f, acts, "serviceDeployments[0].statusReason"), str_from(rows[r].reason)));
        CHECK(rows[r].row, strstr(events(&f, "web", 9), rows[r].events) != NULL);
        fixture_close(&f);
    }
}

/* Without a breaker a deployment never fails: its starts pause longer and longer, up to 27 minutes. */
static void test_backoff(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"bad\",\"desiredCount\":1}");
    pass_idle(&f, 2 * 3600);
    CHECK_TEXT("it tries", state(&f, "web"), "D 1 R 0 P 0 bad:1 | PRIMARY bad:1 1/0/0 IN_PROGRESS 13");
    CHECK("one event", strstr(events(&f, "web", EVENTS_SHOWN), "is unable to consistently start tasks successfully.") != NULL);
    update(&f, OF_WEB(",\"taskDefinition\":\"crash\""));
    pass(&f, 60);
    CHECK("an event at the third crash", strstr(events(&f, "web", EVENTS_SHOWN), "failed: container main exited with code 1 after 2 s; next start in 8 s.") != NULL);
    CHECK("crashes pause too", strstr(state(&f, "web"), "PRIMARY crash:1 1/") != NULL);
    fixture_close(&f);
}

/* The record of the definition is missing. */
static void test_no_definition(void)
{
    struct api_fixture f;
    int64_t revision;
    services_open(&f);
    define(&f, "b", "", "");
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"b\",\"desiredCount\":1}");
    settle(&f);
    struct store_txn *txn = store_write_begin(f.store);
    store_job_begin(txn);
    store_drop_taskdef(txn, STR("b"), 1);
    CHECK("dropped", store_job_end(txn, true) && store_write_commit(txn, &revision));
    (void)machine_add(&f, "node-a", 0);
    pass(&f, 130);
    const char *all = events(&f, "web", EVENTS_SHOWN), *told = strstr(all, "failed to launch a task with (error TaskDefinition not found.).");
    CHECK("an event says why", told != NULL);
    CHECK("once", told != NULL && strstr(told + 1, "failed to launch") == NULL);
    fixture_close(&f);
}

static void test_replacement(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(""));
    pass(&f, 41);
    struct str list = fixture_call(&f, "ListTasks", "{\"serviceName\":\"web\"}");
    CHECK_EQ("tasks of the service", count_at(&f, list, "taskArns"), 2);
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", at(&f, list, "taskArns[0]")));
    settle(&f);
    CHECK_TEXT("replaced at once", state(&f, "web"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0");
    CHECK_TEXT("one start", events(&f, "web", 1), "has started 1 tasks:.");
    pass(&f, 41);
    CHECK_TEXT("steady again", events(&f, "web", 1), "has reached a steady state.");
    fixture_close(&f);
}

static void test_no_room(void)
{
    struct api_fixture f;
    services_open(&f);
    create(&f, WEB(""));
    pass(&f, 59);
    CHECK_TEXT("no event within a minute", events(&f, "web", 9), "");
    pass(&f, 2);
    CHECK("then one", strstr(events(&f, "web", 9), "was unable to place a task because no container instance met all of its requirements. "
                             "Reason: No Container Instances were found in your cluster. For more information") != NULL);
    (void)machine_add(&f, "node-a", 0);
    settle(&f);
    CHECK_TEXT("a machine comes: in the same moment", state(&f, "web"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 IN_PROGRESS 1");
    fixture_close(&f);
}

static void test_draining(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(""));
    pass(&f, 41);
    struct str list = fixture_call(&f, "ListTasks", "{}"), task = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\"]}", at(&f, list, "taskArns[0]")));
    const char *instance = at(&f, task, "tasks[0].containerInstanceArn");
    (void)fixture_call(&f, "UpdateContainerInstancesState", text(&f, "{\"containerInstances\":[\"%s\"],\"status\":\"DRAINING\"}", instance));
    settle(&f);
    CHECK_TEXT("its successor starts first", state(&f, "web"), "D 2 R 3 P 0 a:1 | PRIMARY a:1 2/3/0 COMPLETED 0");
    pass(&f, 45);
    CHECK_TEXT("then it stops", state(&f, "web"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0");
    struct str machine = fixture_call(&f, "DescribeContainerInstances", text(&f, "{\"containerInstances\":[\"%s\"]}", instance));
    CHECK_TEXT("the machine is empty", at(&f, machine, "containerInstances[0].runningTasksCount"), "0");
    fixture_close(&f);
}

static void test_daemon(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"a:1\",\"schedulingStrategy\":\"DAEMON\"}");
    pass(&f, 41);
    CHECK_TEXT("one on each machine", state(&f, "web"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0");
    (void)machine_add(&f, "node-c", 0);
    settle(&f);
    CHECK_TEXT("a new machine", state(&f, "web"), "D 3 R 3 P 0 a:1 | PRIMARY a:1 3/3/0 COMPLETED 0");
    update(&f, OF_WEB(",\"taskDefinition\":\"a:2\""));
    pass(&f, 60);
    CHECK_TEXT("updated", state(&f, "web"), "D 3 R 3 P 0 a:2 | PRIMARY a:2 3/3/0 COMPLETED 0");
    fixture_close(&f);
}

/* Daemons leave a draining machine behind the other tasks; two daemons do not wait for each other. */
static void test_daemons_drain(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"a:1\",\"schedulingStrategy\":\"DAEMON\"}");
    create(&f, "{\"serviceName\":\"log\",\"taskDefinition\":\"a:1\",\"schedulingStrategy\":\"DAEMON\"}");
    pass(&f, 41);
    struct str run = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"a:1\"}");
    const char *task = at(&f, run, "tasks[0].taskArn"), *instance = at(&f, run, "tasks[0].containerInstanceArn");
    settle(&f);
    (void)fixture_call(&f, "UpdateContainerInstancesState", text(&f, "{\"containerInstances\":[\"%s\"],\"status\":\"DRAINING\"}", instance));
    settle(&f);
    CHECK_TEXT("another task is there", state(&f, "web"), "D 1 R 2 P 0 a:1 | PRIMARY a:1 1/2/0 COMPLETED 0");
    report_end(&f, task, "", ",\"exitCode\":0");
    settle(&f);
    CHECK_TEXT("the first daemon leaves with it", state(&f, "web"), "D 1 R 1 P 0 a:1 | PRIMARY a:1 1/1/0 COMPLETED 0");
    CHECK_TEXT("the second too", state(&f, "log"), "D 1 R 1 P 0 a:1 | PRIMARY a:1 1/1/0 COMPLETED 0");
    fixture_close(&f);
}

#define TAG(key, value) "{\"key\":\"berth:" key "\",\"value\":\"" value "\"}"

/* One machine of one GPU, and a service that takes it. */
static void scarce_open(struct api_fixture *f, const char *tags)
{
    services_open(f);
    define(f, "gpu", GPUS("1"), "");
    define(f, "gpu", GPUS("1"), "");
    define(f, "bad", GPUS("1"), "");
    (void)machine_add(f, "node-a", 1);
    create(f, text(f, "{\"serviceName\":\"web\",\"taskDefinition\":\"gpu:1\",\"desiredCount\":1,\"tags\":[%s]}", tags));
    pass(f, 41);
}

static void test_stop_first(void)
{
    struct api_fixture f;
    scarce_open(&f, "");
    update(&f, OF_WEB(",\"taskDefinition\":\"gpu:2\""));
    pass(&f, 70);
    CHECK_TEXT("ECS's rule: no room, and nothing stops", state(&f, "web"), "D 1 R 1 P 0 gpu:2 | PRIMARY gpu:2 1/0/0 IN_PROGRESS 1 | ACTIVE gpu:1 1/1/0 COMPLETED 0");
    (void)fixture_call(&f, "TagResource", "{\"resourceArn\":\"" ARN_OF("service") "web\",\"tags\":[" TAG("replace", "stop-first") "]}");
    CHECK_EQ("a tag", f.code, ERR_NONE);
    steps(&f);
    CHECK_TEXT("the old task stops", events(&f, "web", 1), "has stopped 1 running tasks:. Its 1 GPUs are kept for the replacement.");
    (void)agents(&f);
    struct str other = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"gpu:1\"}");
    CHECK_TEXT("nobody else gets the GPU", at(&f, other, "failures[0].reason"), "RESOURCE:GPU");
    pass(&f, 41);
    CHECK_TEXT("its successor has it", state(&f, "web"), "D 1 R 1 P 0 gpu:2 | PRIMARY gpu:2 1/1/0 COMPLETED 0");
    update(&f, OF_WEB(",\"taskDefinition\":\"bad\""));
    pass(&f, 61);
    CHECK_TEXT("the old revision is back", state(&f, "web"), "D 1 R 1 P 0 bad:1 | PRIMARY bad:1 1/0/0 FAILED 3 | ACTIVE gpu:2 1/1/0 COMPLETED 0");
    CHECK("and says so", strstr(events(&f, "web", 9), "deployment failed: tasks failed to start. The old revision is back in its place.") != NULL);
    fixture_close(&f);
}

static void test_lack_of_room(void)
{
    static const struct { const char *row, *tags; int64_t seconds; const char *state, *reason; } rows[] = {
        { "a lack of room counts as a failure each minute", "", 190, "PRIMARY gpu:1 1/1/0 COMPLETED", "Service deployment rolled back because the circuit breaker" },
        { "it does not count", TAG("placement-failures", "wait"), 3600, "PRIMARY gpu:2 1/0/0 IN_PROGRESS 0", NULL },
        { "no progress", TAG("placement-failures", "wait") "," TAG("progress-deadline", "5m"), 301, "PRIMARY gpu:1 1/1/0 COMPLETED",
          "Service deployment rolled back because it made no progress for 5m. Last failure: The closest matching (container-instance " },
        { "not yet", TAG("placement-failures", "wait") "," TAG("progress-deadline", "5m"), 299, "PRIMARY gpu:2 1/0/0 IN_PROGRESS 0", NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        scarce_open(&f, rows[r].tags);
        update(&f, OF_WEB(",\"taskDefinition\":\"gpu:2\"" BREAKER("true")));
        pass_idle(&f, rows[r].seconds);
        CHECK(rows[r].row, strstr(state(&f, "web"), rows[r].state) != NULL);
        struct str acts = fixture_call(&f, "ListServiceDeployments", OF_WEB("")), reason = fixture_at(&f, acts, "serviceDeployments[0].statusReason");
        CHECK(rows[r].row, rows[r].reason == NULL ? !str_is_set(reason) : str_starts_with(reason, str_from(rows[r].reason)));
        fixture_close(&f);
    }
}

static const char *first_event(struct api_fixture *f)
{
    const char *all = events(f, "web", EVENTS_SHOWN), *last = strstr(all, "(deployment )");
    return last == NULL ? "" : last;
}

/* One or two machines of 2 GPUs; tasks of 1 or 2 GPUs. */
static void test_preflight(void)
{
    static const struct { const char *row, *first, *update, *want; int machines; int64_t desired; bool other; } rows[] = {
        { "room for all", "one", NULL, "", 1, 2, false },
        { "room for some", "one", NULL,
          "(deployment ) 2 of 3 new tasks fit now (needs 1 GPU on one instance, the largest free slot is 0 (node-0)); the others wait for room.", 1, 3, false },
        { "no such instance", "four", NULL, "(deployment ) is unable to progress: no instance has 4 GPUs; the largest has 2 (node-0).", 2, 1, false },
        { "others hold it", "two", NULL, "(deployment ) waits for room: needs 2 GPUs on one instance, the largest free slot is 1 (node-0). There is room on node-0 "
                                         "when task", 1, 1, true },
        { "its own tasks hold it", "two", ",\"taskDefinition\":\"two:2\"",
          "(deployment ) is unable to progress: needs 2 GPUs on one instance, the largest free slot is 0 (node-0), and minimumHealthyPercent 100 keeps all 1 old "
          "tasks, which hold the rest. Tag the service berth:replace=stop-first, or lower minimumHealthyPercent, or free that much.", 1, 1, false },
        { "in place", "two", ",\"taskDefinition\":\"two:2\",\"deploymentConfiguration\":{\"minimumHealthyPercent\":50,\"maximumPercent\":200}",
          "(deployment ) no room is free (needs 2 GPUs on one instance, the largest free slot is 0 (node-0)); replaces in place, 1 tasks at a time, as "
          "minimumHealthyPercent 50 allows.", 2, 2, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        services_open(&f);
        define(&f, "one", GPUS("1"), "");
        define(&f, "two", GPUS("2"), "");
        define(&f, "two", GPUS("2"), "");
        define(&f, "four", GPUS("4"), "");
        for (int m = 0; m < rows[r].machines; m++) { (void)machine_add(&f, text(&f, "node-%d", m), 2); }
        if (rows[r].other) { (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"one\"}"); }
        create(&f, text(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"%s%s\",\"desiredCount\":%d}", rows[r].first,
                        rows[r].update == NULL ? "" : ":1", (int)rows[r].desired));
        if (rows[r].update != NULL) {
            pass(&f, 41);
            update(&f, text(&f, "{\"service\":\"web\"%s}", rows[r].update));
            CHECK(rows[r].row, str_starts_with(str_from(events(&f, "web", 1)), str_from(rows[r].want)));
        } else {
            CHECK(rows[r].row, str_starts_with(str_from(first_event(&f)), str_from(rows[r].want)));
        }
        check_world(&f, "the world is as before");
        fixture_close(&f);
    }
}

static void test_end(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(""));
    pass(&f, 41);
    struct str reply = fixture_call(&f, "DeleteService", OF_WEB(",\"force\":true"));
    CHECK_TEXT("it drains", at(&f, reply, "service.status"), "DRAINING");
    steps(&f);
    CHECK_TEXT("its tasks are leaving", at(&f, describe(&f, "web"), "services[0].status"), "INACTIVE");
    create(&f, WEB(""));
    CHECK_TEXT("the same name", state(&f, "web"), "D 2 R 0 P 0 a:1 | PRIMARY a:1 2/0/0 IN_PROGRESS 0");
    pass(&f, 41);
    CHECK_TEXT("counts its own tasks", state(&f, "web"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0");
    fixture_close(&f);
}

int main(void)
{
    test_first_deployment();
    test_rolling();
    test_breaker();
    test_backoff();
    test_no_definition();
    test_replacement();
    test_no_room();
    test_draining();
    test_daemon();
    test_daemons_drain();
    test_stop_first();
    test_lack_of_room();
    test_preflight();
    test_end();
    return check_report();
}
