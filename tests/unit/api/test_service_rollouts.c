/* test_service_rollouts.c: deployments that alarms end, and rollouts that shift traffic, with tasks that run. */
#include "tests/unit/api/service_rollouts.h"

/* ---- alarms ---- */

#define ALARMS(rollback) ",\"deploymentConfiguration\":{\"alarms\":{\"alarmNames\":[\"quiet\",\"errors\"],\"enable\":true,\"rollback\":" rollback "}}"

static void alarm_is(struct api_fixture *f, const char *name, const char *alarm_state)
{
    (void)fixture_call(f, CLOUDWATCH("SetAlarmState"), text(f, "{\"AlarmName\":\"%s\",\"StateValue\":\"%s\",\"StateReason\":\"r\"}", name, alarm_state));
    CHECK_EQ(alarm_state, f->code, ERR_NONE);
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
        { "an update", "UpdateService", OF_WEB(",\"deploymentConfiguration\":{\"alarms\":{\"alarmNames\":[\"ftp://a\"],\"enable\":true,\"rollback\":false}}"), NULL,
          INVALID "The alarm \"ftp://a\" does not exist. Make it first, with PutMetricAlarm of CloudWatch." },
        { "an address", "UpdateService", OF_WEB(",\"deploymentConfiguration\":{\"alarms\":{\"alarmNames\":[\"https://a\"],\"enable\":true,\"rollback\":false}}"),
          "service.status", "ACTIVE" },
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

/* ---- rollouts with traffic ---- */

#define PAUSES(stage, timeout) ",\"lifecycleHooks\":[{\"targetType\":\"PAUSE\",\"lifecycleStages\":[\"" stage "\"]" timeout "}]"

static void continues(struct api_fixture *f, const char *hook, const char *action, const char *want)
{
    struct str acts = fixture_call(f, "ListServiceDeployments", OF_WEB(""));
    const char *arn = at(f, acts, "serviceDeployments[0].serviceDeploymentArn");
    struct str reply = fixture_call(f, "ContinueServiceDeployment", text(f, "{\"serviceDeploymentArn\":\"%s\",\"hookId\":\"%s\"%s}", arn, hook, action));
    CHECK_STR(action, reply, want == NULL ? str_from(text(f, "{\"serviceDeploymentArn\":\"%s\"}", arn)) : str_from(want));
}

#define USED INVALID "Provided hookId is either completed, unavailable, or not associated with the given Resource ARN"
#define BOTH "D 2 R 4 P 0 a:3 | PRIMARY a:3 2/2/0 IN_PROGRESS 0 | ACTIVE a:1 2/2/0 COMPLETED 0"

static void test_pause(void)
{
    struct api_fixture f;
    rollout_open(&f, BLUE_GREEN(PAUSES("POST_TEST_TRAFFIC_SHIFT", "")));
    CHECK_TEXT("green starts", rollout(&f), "IN_PROGRESS SCALE_UP 0.0/100.0 0.0/100.0");
    pass(&f, 41);
    CHECK_TEXT("a pause", rollout(&f), "IN_PROGRESS POST_TEST_TRAFFIC_SHIFT 0.0/100.0 0.0/100.0");
    const char *hook = act_at(&f, "lifecycleHookDetails[0].hookId");
    CHECK("its id", strncmp(hook, "ecs-pause-", 10) == 0);
    CHECK_TEXT("it waits", act_at(&f, "lifecycleHookDetails[0].status"), "AWAITING_ACTION");
    CHECK_TEXT("its kind", act_at(&f, "lifecycleHookDetails[0].targetType"), "PAUSE");
    CHECK_TEXT("then", act_at(&f, "lifecycleHookDetails[0].timeoutAction"), "ROLLBACK");
    CHECK("for a day", strtod(act_at(&f, "lifecycleHookDetails[0].expiresAt"), NULL) * 1000 > (double)f.now_ms + 23.9 * 3600 * 1000);
    pass_idle(&f, 3600);
    CHECK_TEXT("and waits", state(&f, "web"), BOTH);
    continues(&f, "ecs-pause-0", "", USED);
    continues(&f, hook, "", NULL);
    continues(&f, hook, "", USED);
    settle(&f);
    CHECK_TEXT("all traffic", rollout(&f), "IN_PROGRESS BAKE_TIME 100.0/0.0 0.0/100.0");
    CHECK_TEXT("no hook", act_at(&f, "lifecycleHookDetails"), "(absent)");
    continues(&f, hook, "", USED);
    pass_idle(&f, 5 * 60 - 1);
    CHECK_TEXT("blue stays", state(&f, "web"), BOTH);
    pass_idle(&f, 1);
    pass(&f, 5);
    CHECK_TEXT("blue is gone", state(&f, "web"), "D 2 R 2 P 0 a:3 | PRIMARY a:3 2/2/0 COMPLETED 0");
    CHECK_TEXT("the end", rollout(&f), "SUCCESSFUL CLEAN_UP 100.0/0.0 0.0/100.0");
    continues(&f, hook, "", INVALID "Continuing a service deployment is not allowed for service deployment in terminal states.");
    fixture_close(&f);
}

/* Both ways in which a pause ends a deployment, and a pause that goes on by itself. */
static void test_pause_ends(void)
{
    static const struct { const char *row, *members, *action, *rollout, *reason; } rows[] = {
        { "a user returns", BLUE_GREEN(PAUSES("POST_TEST_TRAFFIC_SHIFT", "")) TEST_RULE, ",\"action\":\"ROLLBACK\"",
          "ROLLBACK_SUCCESSFUL CLEAN_UP 0.0/100.0 0.0/100.0", "Service deployment rolled back because POST_TEST_TRAFFIC_SHIFT lifecycle hook(s) failed." },
        { "too late", BLUE_GREEN(PAUSES("PRE_PRODUCTION_TRAFFIC_SHIFT", ",\"timeoutConfiguration\":{\"timeoutInMinutes\":60}")) TEST_RULE, NULL,
          "ROLLBACK_SUCCESSFUL CLEAN_UP 0.0/100.0 0.0/100.0", "Service deployment rolled back because PRE_PRODUCTION_TRAFFIC_SHIFT pause hook timed out." },
        { "goes on", BLUE_GREEN(PAUSES("POST_TEST_TRAFFIC_SHIFT", ",\"timeoutConfiguration\":{\"timeoutInMinutes\":60,\"action\":\"CONTINUE\"}")) TEST_RULE, NULL,
          "SUCCESSFUL CLEAN_UP 100.0/0.0 100.0/0.0", "(absent)" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        rollout_open(&f, rows[r].members);
        pass(&f, 41);
        CHECK_TEXT("the test traffic is green's", rollout(&f), "IN_PROGRESS POST_TEST_TRAFFIC_SHIFT 0.0/100.0 100.0/0.0");
        if (rows[r].action != NULL) { continues(&f, act_at(&f, "lifecycleHookDetails[0].hookId"), rows[r].action, NULL); }
        pass_idle(&f, rows[r].action != NULL ? 0 : 66 * 60);
        pass(&f, 5);
        bool back = strcmp(rows[r].reason, "(absent)") != 0;
        CHECK_STR(rows[r].row, str_from(rollout(&f)), str_from(rows[r].rollout));
        CHECK_STR(rows[r].row, str_from(act_at(&f, "statusReason")), str_from(rows[r].reason));
        CHECK_STR(rows[r].row, str_from(state(&f, "web")), back ? STR("D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0") : STR("D 2 R 2 P 0 a:3 | PRIMARY a:3 2/2/0 COMPLETED 0"));
        fixture_close(&f);
    }
}

/* 30, 60, 90 and 100, two minutes between them, and none after 100. */
static void test_linear(void)
{
    static const char *const weights[] = { "30.0/70.0", "60.0/40.0", "90.0/10.0" };
    struct api_fixture f;
    rollout_open(&f, STRATEGY("\"strategy\":\"LINEAR\",\"linearConfiguration\":{\"stepPercent\":30,\"stepBakeTimeInMinutes\":2}"));
    pass(&f, 41);
    for (size_t w = 0; w < COUNT_OF(weights); w++) {
        CHECK_STR(weights[w], str_from(rollout(&f)), str_from(text(&f, "IN_PROGRESS PRODUCTION_TRAFFIC_SHIFT %s 0.0/100.0", weights[w])));
        pass_idle(&f, 2 * 60 - 2);
        CHECK_STR(weights[w], str_from(rollout(&f)), str_from(text(&f, "IN_PROGRESS PRODUCTION_TRAFFIC_SHIFT %s 0.0/100.0", weights[w])));
        pass_idle(&f, 2);
    }
    settle(&f);
    CHECK_TEXT("the end", rollout(&f), "SUCCESSFUL CLEAN_UP 100.0/0.0 0.0/100.0");
    CHECK_TEXT("blue is gone", state(&f, "web"), "D 2 R 2 P 0 a:3 | PRIMARY a:3 2/2/0 COMPLETED 0");
    fixture_close(&f);
}

static void test_canary(void)
{
    struct api_fixture f;
    rollout_open(&f, STRATEGY("\"strategy\":\"CANARY\",\"canaryConfiguration\":{\"canaryPercent\":10,\"canaryBakeTimeInMinutes\":10},"
                              "\"alarms\":{\"alarmNames\":[\"errors\"],\"enable\":true,\"rollback\":true}"));
    pass(&f, 41);
    CHECK_TEXT("the canary", rollout(&f), "IN_PROGRESS PRODUCTION_TRAFFIC_SHIFT 10.0/90.0 0.0/100.0");
    pass_idle(&f, 5 * 60);
    alarm_is(&f, "errors", "ALARM");
    steps(&f);
    CHECK("the traffic is back at once", strstr(rollout(&f), " 0.0/100.0 0.0/100.0") != NULL);
    pass(&f, 5);
    CHECK_TEXT("the end", rollout(&f), "ROLLBACK_SUCCESSFUL CLEAN_UP 0.0/100.0 0.0/100.0");
    CHECK_TEXT("the alarm", act_at(&f, "alarms.triggeredAlarmNames"), "[\"errors\"]");
    CHECK_TEXT("blue runs", state(&f, "web"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0");
    fixture_close(&f);
}

/* A deadline for progress is for the stage in which green starts: a pause and a bake may last longer. */
static void test_deadline(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(",\"tags\":[{\"key\":\"berth:progress-deadline\",\"value\":\"1m\"}]"));
    pass(&f, 41);
    update(&f, OF_WEB(",\"taskDefinition\":\"a:2\",\"deploymentConfiguration\":{\"strategy\":\"CANARY\"" PAUSES("PRE_SCALE_UP", "") "}"));
    pass_idle(&f, 3600);
    continues(&f, act_at(&f, "lifecycleHookDetails[0].hookId"), "", NULL);
    pass(&f, 41);
    CHECK_TEXT("the canary", rollout(&f), "IN_PROGRESS PRODUCTION_TRAFFIC_SHIFT 5.0/95.0 0.0/100.0");
    pass_idle(&f, 10 * 60);
    CHECK_TEXT("the end", rollout(&f), "SUCCESSFUL CLEAN_UP 100.0/0.0 0.0/100.0");
    update(&f, OF_WEB(",\"taskDefinition\":\"a:1\",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:no == one\"}]"));
    settle(&f);
    continues(&f, act_at(&f, "lifecycleHookDetails[0].hookId"), "", NULL);
    pass(&f, 59);
    CHECK_TEXT("green has no room", rollout(&f), "IN_PROGRESS SCALE_UP 0.0/100.0 0.0/100.0");
    pass(&f, 2);
    CHECK("after a minute", strncmp(act_at(&f, "statusReason"), "Service deployment failed because it made no progress for 1m.", 61) == 0);
    fixture_close(&f);
}

/* With ABORT nothing starts and nothing stops any more; the next update goes on from there. */
static void test_abort(void)
{
    static const struct { const char *row, *members, *state; int64_t seconds; } rows[] = {
        { "rolling", "", "D 2 R 4 P 0 a:3 | PRIMARY a:3 2/2/0 FAILED 0 | ACTIVE a:1 2/2/0 COMPLETED 0", 5 },
        { "a pause", BLUE_GREEN(PAUSES("PRE_SCALE_UP", "")), "D 2 R 2 P 0 a:3 | PRIMARY a:3 2/0/0 FAILED 0 | ACTIVE a:1 2/2/0 COMPLETED 0", 0 },
        { "the bake", BLUE_GREEN(""), "D 2 R 4 P 0 a:3 | PRIMARY a:3 2/2/0 FAILED 0 | ACTIVE a:1 2/2/0 COMPLETED 0", 41 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        rollout_open(&f, rows[r].members);
        pass(&f, rows[r].seconds);
        struct str acts = fixture_call(&f, "ListServiceDeployments", OF_WEB(""));
        (void)fixture_call(&f, "StopServiceDeployment", text(&f, "{\"serviceDeploymentArn\":\"%s\",\"stopType\":\"ABORT\"}", at(&f, acts, "serviceDeployments[0].serviceDeploymentArn")));
        CHECK_EQ(rows[r].row, f.code, ERR_NONE);
        pass(&f, 60);
        pass_idle(&f, 10 * 60);
        CHECK_STR(rows[r].row, str_from(act_at(&f, "status")), STR("STOPPED"));
        CHECK_STR(rows[r].row, str_from(act_at(&f, "statusReason")), STR("Service deployment stopped because of a user request."));
        CHECK_STR(rows[r].row, str_from(state(&f, "web")), str_from(rows[r].state));
        update(&f, OF_WEB(",\"taskDefinition\":\"a:2\"" STRATEGY("\"strategy\":\"ROLLING\",\"lifecycleHooks\":[]")));
        pass(&f, 90);
        CHECK_STR(rows[r].row, str_from(state(&f, "web")), STR("D 2 R 2 P 0 a:2 | PRIMARY a:2 2/2/0 COMPLETED 0"));
        fixture_close(&f);
    }
}

/* An update, a stop and a deletion in the middle of a rollout. */
static void test_changes(void)
{
    struct api_fixture f;
    rollout_open(&f, BLUE_GREEN(""));
    pass(&f, 41);
    CHECK_TEXT("it bakes", rollout(&f), "IN_PROGRESS BAKE_TIME 100.0/0.0 0.0/100.0");
    update(&f, OF_WEB(",\"taskDefinition\":\"b\""));
    settle(&f);
    CHECK_STR("one revision first", str_from(act_at(&f, "lifecycleStage")), STR("SCALE_UP"));
    CHECK_TEXT("that with the traffic", state(&f, "web"), "D 2 R 4 P 0 b:1 | PRIMARY b:1 2/2/0 IN_PROGRESS 0 | ACTIVE a:3 2/2/0 IN_PROGRESS 0");
    pass(&f, 41);
    struct str acts = fixture_call(&f, "ListServiceDeployments", OF_WEB(""));
    (void)fixture_call(&f, "StopServiceDeployment", text(&f, "{\"serviceDeploymentArn\":\"%s\"}", at(&f, acts, "serviceDeployments[0].serviceDeploymentArn")));
    pass(&f, 5);
    CHECK_TEXT("a stop returns", state(&f, "web"), "D 2 R 2 P 0 a:3 | PRIMARY a:3 2/2/0 COMPLETED 0");
    CHECK_TEXT("and says so", act_at(&f, "statusReason"), "Service deployment rolled back because of a user request.");
    update(&f, OF_WEB(",\"taskDefinition\":\"b\"" BLUE_GREEN(PAUSES("PRE_SCALE_UP", ""))));
    settle(&f);
    (void)fixture_call(&f, "DeleteService", OF_WEB(",\"force\":true"));
    pass(&f, 5);
    CHECK_TEXT("the end", at(&f, describe(&f, "web"), "services[0].status"), "INACTIVE");
    CHECK_EQ("nothing is due", api_services_due_ms(f.world, f.now_ms), 0);
    fixture_close(&f);
}

/* The first deployment passes the stages too; a strategy that is changed later counts from the next deployment on. */
static void test_first_rollout(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(BLUE_GREEN(PAUSES("PRE_SCALE_UP", ""))));
    settle(&f);
    CHECK_TEXT("nothing starts", state(&f, "web"), "D 2 R 0 P 0 a:1 | PRIMARY a:1 2/0/0 IN_PROGRESS 0");
    update(&f, OF_WEB(STRATEGY("\"strategy\":\"ROLLING\",\"lifecycleHooks\":[]")));
    settle(&f);
    CHECK_TEXT("still", state(&f, "web"), "D 2 R 0 P 0 a:1 | PRIMARY a:1 2/0/0 IN_PROGRESS 0");
    continues(&f, act_at(&f, "lifecycleHookDetails[0].hookId"), "", NULL);
    pass(&f, 41);
    CHECK_TEXT("it bakes", rollout(&f), "IN_PROGRESS BAKE_TIME 100.0/0.0 0.0/0.0");
    pass_idle(&f, 5 * 60);
    CHECK_TEXT("the end", rollout(&f), "SUCCESSFUL CLEAN_UP 100.0/0.0 0.0/0.0");
    update(&f, OF_WEB(",\"taskDefinition\":\"a:2\""));
    pass(&f, 60);
    CHECK_TEXT("rolling", state(&f, "web"), "D 2 R 2 P 0 a:2 | PRIMARY a:2 2/2/0 COMPLETED 0");
    CHECK_TEXT("without stages", act_at(&f, "lifecycleStage"), "(absent)");
    fixture_close(&f);
}

int main(void)
{
    test_alarms();
    test_ringing_alarm();
    test_alarm_names();
    test_pause();
    test_pause_ends();
    test_linear();
    test_canary();
    test_first_rollout();
    test_abort();
    test_deadline();
    test_changes();
    return check_report();
}
