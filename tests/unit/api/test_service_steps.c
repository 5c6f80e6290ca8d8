/* test_service_steps.c: services whose tasks run: an obedient agent starts and stops them, steps are done when they are due, and hours pass. Families
 * "bad…" do not start, families "crash…" exit after two seconds. */
#include "scheduler/reconcile/roster.h"
#include "tests/unit/api/services.h"

enum { SECOND_MS = 1000, EVENTS_SHOWN = 100 };

/* ---- a life ---- */

static bool steps(struct api_fixture *f)
{
    int count = 0;
    for (; api_services_due_ms(f->world, f->now_ms) != 0 && api_services_due_ms(f->world, f->now_ms) <= f->now_ms && count < 100; count++) {
        struct arena arena;
        struct api_call call;
        arena_init(&arena, FIXTURE_ARENA_BYTES);
        api_prepare_step_services(&arena, &call);
        fixture_internal_in(f, &call, &arena);
        arena_finish(&arena);
    }
    CHECK("steps come to an end", count < 100);
    return count > 0;
}

static void report_end(struct api_fixture *f, const char *task, const char *reason, const char *exit_code)
{
    (void)fixture_call(f, "SubmitTaskStateChange",
                       text(f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"%s\",\"containers\":[{\"containerName\":\"main\",\"status\":\"STOPPED\"%s}]}",
                            task, reason, exit_code));
}

/* The agent obeys the order for one task. Returns whether it did something. */
static bool obey(struct api_fixture *f, const char *arn)
{
    struct str reply = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", arn));
    const char *last = at(f, reply, "tasks[0].lastStatus"), *desired = at(f, reply, "tasks[0].desiredStatus"), *group = at(f, reply, "tasks[0].taskDefinitionArn");
    struct str started = fixture_at(f, reply, "tasks[0].startedAt");
    int64_t started_ms = str_is_set(started) ? (int64_t)(strtod(arena_cstr(&f->kept, started), NULL) * 1000) : 0;
    bool is_bad = strstr(group, "task-definition/bad") != NULL, crashes = strstr(group, "task-definition/crash") != NULL;
    if (strcmp(last, "STOPPED") == 0) { return false; }
    if (strcmp(desired, "STOPPED") == 0) { report_end(f, arn, "", ",\"exitCode\":0"); return true; }
    if (strcmp(last, "PENDING") == 0) {
        if (is_bad) { report_end(f, arn, "CannotPullContainerError: no such image", ""); } else { report(f, arn, "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\"}"); }
        return true;
    }
    if (crashes && f->now_ms - started_ms >= 2 * SECOND_MS) { report_end(f, arn, "", ",\"exitCode\":1"); return true; }
    return false;
}

static bool agents(struct api_fixture *f)
{
    static const char *const bodies[] = { "{}", "{\"desiredStatus\":\"STOPPED\"}" };
    bool any = false;
    for (size_t b = 0; b < COUNT_OF(bodies); b++) {
        struct str reply = fixture_call(f, "ListTasks", bodies[b]);
        int64_t count = count_at(f, reply, "taskArns");
        for (int64_t t = 0; t < count; t++) { any |= obey(f, at(f, reply, text(f, "taskArns[%lld]", (long long)t))); }
    }
    return any;
}

/* Everything that happens in this moment. */
static void settle(struct api_fixture *f)
{
    int rounds = 0;
    while ((steps(f) | agents(f)) && rounds < 200) { rounds++; }
    CHECK("a moment comes to an end", rounds < 200);
    check_world(f, "the world is that of the store");
}

static void pass(struct api_fixture *f, int64_t seconds)
{
    int64_t end_ms = f->now_ms + seconds * SECOND_MS;
    settle(f);
    while (f->now_ms < end_ms) {
        f->now_ms += SECOND_MS;
        settle(f);
    }
}

/* Hours in which only steps happen: the clock jumps to the next one. */
static void pass_idle(struct api_fixture *f, int64_t seconds)
{
    int64_t end_ms = f->now_ms + seconds * SECOND_MS, due_ms;
    while ((due_ms = api_services_due_ms(f->world, f->now_ms)) != 0 && due_ms <= end_ms) {
        f->now_ms = due_ms;
        settle(f);
    }
    f->now_ms = end_ms;
}

/* "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0 | ACTIVE …": per deployment desired, running, pending, and failed tasks. */
static const char *state(struct api_fixture *f, const char *service)
{
    struct str reply = describe(f, service);
    struct buf out = buf_in(&f->kept);
    const char *def = at(f, reply, "services[0].taskDefinition");
    buf_printf(&out, "D %s R %s P %s %s", at(f, reply, "services[0].desiredCount"), at(f, reply, "services[0].runningCount"),
               at(f, reply, "services[0].pendingCount"), strrchr(def, '/') != NULL ? strrchr(def, '/') + 1 : def);
    int64_t count = count_at(f, reply, "services[0].deployments");
    for (int64_t d = 0; d < count; d++) {
        const char *const members[] = { "status", "taskDefinition", "desiredCount", "runningCount", "pendingCount", "rolloutState", "failedTasks" };
        const char *values[COUNT_OF(members)];
        for (size_t m = 0; m < COUNT_OF(members); m++) { values[m] = at(f, reply, text(f, "services[0].deployments[%lld].%s", (long long)d, members[m])); }
        buf_printf(&out, " | %s %s %s/%s/%s %s %s", values[0], strrchr(values[1], '/') + 1, values[2], values[3], values[4], values[5], values[6]);
    }
    return arena_cstr(&f->kept, buf_str(&out));
}

/* The newest events, the newest first, without the ids in them and without "(service web) ". */
static const char *events(struct api_fixture *f, const char *service, int64_t most)
{
    struct str reply = describe(f, service);
    struct buf out = buf_in(&f->kept);
    int64_t count = count_at(f, reply, "services[0].events");
    for (int64_t e = 0; e < count && e < most; e++) {
        const char *message = at(f, reply, text(f, "services[0].events[%lld].message", (long long)e));
        const char *body = strchr(message, ')') + 2;
        buf_put(&out, e == 0 ? STR("") : STR(" / "));
        for (; *body != '\0'; body++) {
            if (strncmp(body, " (task ", 7) == 0) { body += 7 + ID_HEX_LEN; continue; }
            if (strncmp(body, "ecs-svc/", 8) == 0) { body += 8 + 18; continue; }
            buf_put_char(&out, *body);
        }
    }
    return arena_cstr(&f->kept, buf_str(&out));
}

#define CHECK_TEXT(row, found, want) CHECK_STR(row, str_from(found), STR(want))

static void life_open(struct api_fixture *f)
{
    services_open(f);
    define(f, "bad", "", "");
    define(f, "crash", "", "");
    define(f, "b", "", "");
    (void)machine_add(f, "node-a", 0);
    (void)machine_add(f, "node-b", 0);
}

static void create(struct api_fixture *f, const char *body)
{
    struct str reply = fixture_call(f, "CreateService", body);
    if (f->code != ERR_NONE) { fprintf(stderr, STR_FMT "\n", STR_ARG(reply)); }
    CHECK_EQ("created", f->code, ERR_NONE);
}

static void update(struct api_fixture *f, const char *body)
{
    struct str reply = fixture_call(f, "UpdateService", body);
    if (f->code != ERR_NONE) { fprintf(stderr, STR_FMT "\n", STR_ARG(reply)); }
    CHECK_EQ("updated", f->code, ERR_NONE);
}

/* ---- cases ---- */

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

#define BREAKER(rollback) ",\"deploymentConfiguration\":{\"deploymentCircuitBreaker\":{\"enable\":true,\"rollback\":" rollback "}}"

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

/* ---- alarms ---- */

#define CLOUDWATCH(name) "GraniteServiceVersion20100801." name
#define ALARMS(rollback) ",\"deploymentConfiguration\":{\"alarms\":{\"alarmNames\":[\"quiet\",\"errors\"],\"enable\":true,\"rollback\":" rollback "}}"

static void alarm_is(struct api_fixture *f, const char *name, const char *alarm_state)
{
    (void)fixture_call(f, CLOUDWATCH("SetAlarmState"), text(f, "{\"AlarmName\":\"%s\",\"StateValue\":\"%s\",\"StateReason\":\"r\"}", name, alarm_state));
    CHECK_EQ(alarm_state, f->code, ERR_NONE);
}

static void put_alarms(struct api_fixture *f)
{
    static const char *const names[] = { "quiet", "errors" };
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        (void)fixture_call(f, CLOUDWATCH("PutMetricAlarm"),
                           text(f, "{\"AlarmName\":\"%s\",\"Namespace\":\"App\",\"MetricName\":\"Errors\",\"Statistic\":\"Sum\",\"Period\":60,"
                                "\"ComparisonOperator\":\"GreaterThanThreshold\",\"EvaluationPeriods\":1,\"Threshold\":0}", names[n]));
        CHECK_EQ(names[n], f->code, ERR_NONE);
    }
}

/* A member of the newest service deployment of "web". */
static const char *act_at(struct api_fixture *f, const char *path)
{
    struct str acts = fixture_call(f, "ListServiceDeployments", OF_WEB(""));
    struct str act = fixture_call(f, "DescribeServiceDeployments", text(f, "{\"serviceDeploymentArns\":[\"%s\"]}", at(f, acts, "serviceDeployments[0].serviceDeploymentArn")));
    return at(f, act, text(f, "serviceDeployments[0].%s", path));
}

static void test_alarms(void)
{
    static const struct { const char *row, *rollback, *state, *status, *reason, *events; } rows[] = {
        { "rolled back", ALARMS("true"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0", "ROLLBACK_SUCCESSFUL",
          "Service deployment rolled back because alarm(s) were triggered.",
          "rolling back to deployment . / (deployment ) deployment failed: alarm detected. / has stopped 2 running tasks:." },
        { "stopped", ALARMS("false"), "D 2 R 4 P 0 a:2 | PRIMARY a:2 2/2/0 FAILED 0 | ACTIVE a:1 2/2/0 COMPLETED 0", "STOPPED",
          "Service deployment failed because alarm(s) were triggered.",
          "(deployment ) deployment failed: alarm detected. / has started 2 tasks:. / has reached a steady state." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        life_open(&f);
        put_alarms(&f);
        create(&f, WEB(""));
        pass(&f, 41);
        update(&f, text(&f, OF_WEB(",\"taskDefinition\":\"a:2\"%s"), rows[r].rollback));
        pass(&f, 10);
        CHECK_TEXT("watched", act_at(&f, "alarms"), "{\"status\":\"MONITORING\",\"alarmNames\":[\"quiet\",\"errors\"]}");
        alarm_is(&f, "errors", "ALARM");
        settle(&f);
        CHECK("told at once", strstr(events(&f, "web", 9), rows[r].events) != NULL);
        pass(&f, 60);
        CHECK_STR(rows[r].row, str_from(state(&f, "web")), str_from(rows[r].state));
        CHECK_STR(rows[r].row, str_from(act_at(&f, "status")), str_from(rows[r].status));
        CHECK_STR(rows[r].row, str_from(act_at(&f, "statusReason")), str_from(rows[r].reason));
        CHECK_TEXT(rows[r].row, act_at(&f, "alarms"), "{\"status\":\"TRIGGERED\",\"alarmNames\":[\"quiet\",\"errors\"],\"triggeredAlarmNames\":[\"errors\"]}");
        fixture_close(&f);
    }
}

/* An alarm that rings at the start is ignored until it was OK. */
static void test_ringing_alarm(void)
{
    static const struct { const char *row, *states[3], *status; } rows[] = {
        { "it rings on", { "ALARM", NULL, NULL }, "SUCCESSFUL" },
        { "no data is not OK", { "INSUFFICIENT_DATA", "ALARM", NULL }, "SUCCESSFUL" },
        { "it was OK", { "OK", "ALARM", NULL }, "ROLLBACK_SUCCESSFUL" },
        { "it is OK", { "OK", "INSUFFICIENT_DATA", NULL }, "SUCCESSFUL" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        life_open(&f);
        put_alarms(&f);
        create(&f, WEB(""));
        pass(&f, 41);
        alarm_is(&f, "errors", "ALARM");
        update(&f, OF_WEB(",\"taskDefinition\":\"a:2\"" ALARMS("true")));
        pass(&f, 5);
        for (size_t s = 0; s < COUNT_OF(rows[r].states) && rows[r].states[s] != NULL; s++) {
            alarm_is(&f, "errors", rows[r].states[s]);
            settle(&f);
        }
        pass(&f, 60);
        CHECK_STR(rows[r].row, str_from(act_at(&f, "status")), str_from(rows[r].status));
        alarm_is(&f, "quiet", "ALARM");
        pass(&f, 5);
        CHECK_STR("after the end", str_from(act_at(&f, "status")), str_from(rows[r].status));
        fixture_close(&f);
    }
}

static void test_alarm_names(void)
{
    static const struct call calls[] = {
        { "no such alarm", "CreateService", WEB(ALARMS("true")), NULL, INVALID "The alarm \"quiet\" does not exist. Make it first, with PutMetricAlarm of CloudWatch." },
        { "not enabled", "CreateService", WEB(",\"deploymentConfiguration\":{\"alarms\":{\"alarmNames\":[\"no\"],\"enable\":false,\"rollback\":false}}"),
          "service.status", "ACTIVE" },
        { "an update", "UpdateService", OF_WEB(",\"deploymentConfiguration\":{\"alarms\":{\"alarmNames\":[\"https://a\"],\"enable\":true,\"rollback\":false}}"), NULL,
          INVALID "The alarm \"https://a\" does not exist. Make it first, with PutMetricAlarm of CloudWatch." },
    };
    static const struct call later[] = {
        { "they are there", "UpdateService", OF_WEB(ALARMS("true")), "service.deploymentConfiguration.alarms.enable", "true" },
        { "one goes", CLOUDWATCH("DeleteAlarms"), "{\"AlarmNames\":[\"quiet\"]}", NULL, "{}" },
        { "an update of something else", "UpdateService", OF_WEB(",\"desiredCount\":1"), "service.desiredCount", "1" },
    };
    struct api_fixture f;
    services_open(&f);
    check_calls(&f, calls, COUNT_OF(calls));
    put_alarms(&f);
    check_calls(&f, later, COUNT_OF(later));
    fixture_close(&f);
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
    CHECK("crashes pause too", strstr(state(&f, "web"), "PRIMARY crash:1 1/") != NULL);
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
          "(deployment ) 2 of 3 new tasks fit now (needs 1 GPUs on one instance, the largest free slot is 0 (node-0)); the others wait for room.", 1, 3, false },
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
    test_alarms();
    test_ringing_alarm();
    test_alarm_names();
    test_backoff();
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
