/* test_service_targets.c: services whose tasks are targets of load balancers. */
#include "tests/unit/api/service_lives.h"
#include "tests/unit/api/traffic.h"

#define PORT ",\"portMappings\":[{\"containerPort\":80}]"

/* Machines with addresses, families "web" and "web2" with a port, a group. */
static void open_with(struct api_fixture *f, const char *delay)
{
    life_open(f);
    define(f, "web", PORT, "");
    define(f, "web2", PORT, "");
    group_add(f, "tg", delay, true);
    addresses_add(f);
}

#define SERVICE(more) "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":2" IN_GROUP("tg", "main") more "}"

static void test_registers(void)
{
    struct api_fixture f;
    open_with(&f, "20");
    create(&f, SERVICE(""));
    pass(&f, 60);
    CHECK_TEXT("running tasks are registered", targets_of(&f, "tg"), "initial 2");
    CHECK("an event says so", strstr(events(&f, "web", 9), "registered 2 targets in (target-group " GROUP("tg") ")") != NULL
          || strstr(events(&f, "web", 9), "registered 1 targets in (target-group " GROUP("tg") ")") != NULL);
    CHECK_TEXT("and not healthy by time", state(&f, "web"), "D 2 R 2 P 0 web:1 | PRIMARY web:1 2/2/0 IN_PROGRESS 0");
    targets_are(&f, "tg", TARGET_HEALTHY);
    settle(&f);
    CHECK_TEXT("but by their targets", state(&f, "web"), "D 2 R 2 P 0 web:1 | PRIMARY web:1 2/2/0 COMPLETED 0");

    update(&f, OF_WEB(",\"desiredCount\":0"));
    settle(&f);
    CHECK_TEXT("targets drain first", targets_of(&f, "tg"), "draining 2");
    struct str tasks = fixture_call(&f, "ListTasks", "{\"desiredStatus\":\"STOPPED\"}");
    struct str task = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\"]}", at(&f, tasks, "taskArns[0]")));
    CHECK_TEXT("the task runs on", at(&f, task, "tasks[0].lastStatus"), "DEACTIVATING");
    CHECK("told", strstr(events(&f, "web", 9), "deregistered 2 targets in (target-group " GROUP("tg") ")") != NULL
          && strstr(events(&f, "web", 9), "has begun draining connections on 2 tasks.") != NULL);
    pass(&f, 19);
    CHECK_TEXT("for the delay", targets_of(&f, "tg"), "draining 2");
    pass(&f, 1);
    CHECK_TEXT("then they go", targets_of(&f, "tg"), "");
    CHECK_EQ("and the tasks stop", roster_count(sched_roster(f.world), 1), 0);
    fixture_close(&f);
}

/* A feed that has applied the change and has no request at the targets ends the delay; one that has not lets nothing stop. */
static void test_feeds(void)
{
    struct api_fixture f;
    open_with(&f, "60");
    create(&f, SERVICE(""));
    pass(&f, 2);
    feed_reports(&f, false, 0);
    targets_are(&f, "tg", TARGET_HEALTHY);
    settle(&f);
    CHECK_TEXT("healthy, but the proxy does not send yet", state(&f, "web"), "D 2 R 2 P 0 web:1 | PRIMARY web:1 2/2/0 IN_PROGRESS 0");
    feed_reports(&f, true, 0);
    settle(&f);
    CHECK_TEXT("now it does", state(&f, "web"), "D 2 R 2 P 0 web:1 | PRIMARY web:1 2/2/0 COMPLETED 0");

    pass(&f, 9);
    struct kept_target *targets;
    struct store_txn *txn = store_read_begin(f.store);
    CHECK_EQ("two targets", store_list_targets(txn, STR("tg"), &targets, &f.kept), 2);
    CHECK("read", store_read_end(txn));
    uint64_t busy = target_number(&targets[0]);
    feed_reports(&f, true, 0);
    update(&f, OF_WEB(",\"desiredCount\":0"));
    settle(&f);
    pass(&f, 5);
    CHECK_TEXT("not applied yet", targets_of(&f, "tg"), "draining 2");
    feed_reports(&f, true, busy);
    settle(&f);
    CHECK_TEXT("one is busy", targets_of(&f, "tg"), "draining 1");
    feed_reports(&f, true, 0);
    settle(&f);
    CHECK_TEXT("it is done", targets_of(&f, "tg"), "");
    CHECK_EQ("and the tasks stop", roster_count(sched_roster(f.world), 1), 0);
    fixture_close(&f);
}

/* A feed that reports, and applies nothing, holds a deployment for its time only. */
static void test_feed_behind(void)
{
    struct api_fixture f;
    struct api_call call;
    struct err err = { 0 };
    open_with(&f, "20");
    create(&f, SERVICE(""));
    pass(&f, 2);
    feed_reports(&f, false, 0);
    targets_are(&f, "tg", TARGET_HEALTHY);
    settle(&f);
    CHECK("asked", api_prepare_why_service(&f.config, STR(OF_WEB("")), &f.kept, &call, &err) && fixture_run(&f, &call, &f.kept, &err));
    CHECK("told meanwhile", str_contains(api_why_service(&call), STR("The proxy proxy has not taken over the service's targets.")));
    int64_t from_ms = f.now_ms;
    for (int64_t ms = FEED_BEHIND_MS / 2 - 1; f.now_ms < from_ms + FEED_BEHIND_MS - 2; f.now_ms += ms) { feed_reports(&f, false, 0); }
    settle(&f);
    CHECK_TEXT("waits", state(&f, "web"), "D 2 R 2 P 0 web:1 | PRIMARY web:1 2/2/0 IN_PROGRESS 0");
    feed_reports(&f, false, 0);
    pass(&f, 1);
    CHECK_TEXT("no longer", state(&f, "web"), "D 2 R 2 P 0 web:1 | PRIMARY web:1 2/2/0 COMPLETED 0");
    CHECK("told", strstr(events(&f, "web", 9), "no longer waits for the proxy proxy, which has not taken over its targets in (target-group " GROUP("tg") ").") != NULL);

    update(&f, OF_WEB(",\"desiredCount\":0"));
    for (int second = 0; second < 19; second++) {
        feed_reports(&f, false, 0);
        pass(&f, 1);
    }
    CHECK_TEXT("the delay of those that leave is waited for", targets_of(&f, "tg"), "draining 2");
    feed_reports(&f, false, 0);
    pass(&f, 1);
    CHECK_TEXT("and no longer", targets_of(&f, "tg"), "");
    fixture_close(&f);
}

static void test_unhealthy(void)
{
    struct api_fixture f;
    open_with(&f, "0");
    create(&f, SERVICE(",\"deploymentConfiguration\":{\"minimumHealthyPercent\":0,\"maximumPercent\":100}"));
    pass(&f, 2);
    targets_are(&f, "tg", TARGET_HEALTHY);
    pass(&f, 2);
    struct kept_target *targets;
    struct op_ctx ctx = traffic_begin(&f);
    (void)store_list_targets(ctx.txn, STR("tg"), &targets, &f.kept);
    traffic_set_health(&ctx, &targets[0], TARGET_UNHEALTHY, STR("Target.ResponseCodeMismatch"), STR("Health checks failed with these codes: [502]"));
    traffic_end(&ctx);
    settle(&f);
    CHECK("the event", strstr(events(&f, "web", 12), "is unhealthy in (target-group " GROUP("tg") ") due to (reason Health checks failed with these codes: [502])") != NULL);
    struct str tasks = fixture_call(&f, "ListTasks", "{\"desiredStatus\":\"STOPPED\"}");
    struct str task = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\"]}", at(&f, tasks, "taskArns[0]")));
    CHECK_TEXT("the reason", at(&f, task, "tasks[0].stoppedReason"), "Task failed ELB health checks in (target-group " GROUP("tg") ")");
    pass(&f, 5);
    CHECK_TEXT("another one comes", targets_of(&f, "tg"), "initial 1 healthy 1");
    fixture_close(&f);
}

/* A group that goes while a service uses it: told once, and the deployment waits. */
static void test_group_goes(void)
{
    struct api_fixture f;
    open_with(&f, "0");
    create(&f, SERVICE(""));
    struct op_ctx ctx = traffic_begin(&f);
    store_drop_group(ctx.txn, STR("tg"));
    traffic_end(&ctx);
    pass(&f, 100);
    CHECK_TEXT("no task counts as healthy", state(&f, "web"), "D 2 R 2 P 0 web:1 | PRIMARY web:1 2/2/0 IN_PROGRESS 0");
    CHECK_TEXT("the reason, once", events(&f, "web", 9),
               "failed to register targets in (target-group " GROUP("tg") ") with (error The specified target group does not exist.). / has started 2 tasks:.");
    fixture_close(&f);
}

/* A task that ends by itself, StopTask, and a service that is deleted. */
static void test_ends(void)
{
    struct api_fixture f;
    open_with(&f, "10");
    create(&f, SERVICE(""));
    pass(&f, 2);
    targets_are(&f, "tg", TARGET_HEALTHY);
    pass(&f, 2);
    struct str tasks = fixture_call(&f, "ListTasks", "{}");
    report_end(&f, at(&f, tasks, "taskArns[0]"), "", ",\"exitCode\":1");
    CHECK_TEXT("a dead task is no target", targets_of(&f, "tg"), "healthy 1");
    pass(&f, 15);
    CHECK_TEXT("its successor is", targets_of(&f, "tg"), "initial 1 healthy 1");
    targets_are(&f, "tg", TARGET_HEALTHY);
    pass(&f, 2);
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", at(&f, fixture_call(&f, "ListTasks", "{}"), "taskArns[0]")));
    settle(&f);
    CHECK("StopTask lets it drain too", strstr(targets_of(&f, "tg"), "draining 1") != NULL);
    pass(&f, 12);
    targets_are(&f, "tg", TARGET_HEALTHY);
    pass(&f, 2);
    (void)fixture_call(&f, "DeleteService", OF_WEB(",\"force\":true"));
    pass(&f, 9);
    CHECK_TEXT("a service that is deleted, too", at(&f, describe(&f, "web"), "services[0].status"), "DRAINING");
    CHECK_TEXT("its targets drain", targets_of(&f, "tg"), "draining 2");
    pass(&f, 2);
    CHECK_TEXT("then it is INACTIVE", at(&f, describe(&f, "web"), "services[0].status"), "INACTIVE");
    CHECK_TEXT("without targets", targets_of(&f, "tg"), "");
    fixture_close(&f);
}

/* A machine that is given up takes its tasks out of their groups, and others follow them. */
static void test_machine_goes(void)
{
    struct api_fixture f;
    open_with(&f, "20");
    create(&f, SERVICE(""));
    pass(&f, 2);
    targets_are(&f, "tg", TARGET_HEALTHY);
    pass(&f, 2);
    struct str tasks = fixture_call(&f, "ListTasks", "{}");
    struct str task = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\"]}", at(&f, tasks, "taskArns[0]")));
    const char *machine = at(&f, task, "tasks[0].containerInstanceArn");
    struct str beside = fixture_call(&f, "ListTasks", text(&f, "{\"containerInstance\":\"%s\"}", machine));
    int64_t gone = count_at(&f, beside, "taskArns");
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\",\"force\":true}", machine));
    CHECK_EQ("deregistered", f.code, ERR_NONE);
    CHECK_STR("its targets are gone at once", str_from(targets_of(&f, "tg")), gone == 2 ? STR("") : STR("healthy 1"));
    fixture_close(&f);
}

/* A draining target without a task goes at the end of its delay, or when all feeds are done with it. */
static void test_outsiders(void)
{
    struct api_fixture f;
    open_with(&f, "10");
    const struct kept_target outsider = { .group = STR("tg"), .name = STR("10.9.9.9"), .address = STR("10.9.9.9"), .port = 80 };
    for (int with_feed = 0; with_feed < 2; with_feed++) {
        struct op_ctx ctx = traffic_begin(&f);
        const struct kept_group *group = store_group(ctx.txn, STR("tg"), &f.kept);
        traffic_register(&ctx, group, &outsider);
        traffic_set_health(&ctx, store_target(ctx.txn, STR("tg"), STR("10.9.9.9"), 80, &f.kept), TARGET_HEALTHY, STR(""), STR(""));
        traffic_deregister(&ctx, group, store_target(ctx.txn, STR("tg"), STR("10.9.9.9"), 80, &f.kept));
        traffic_end(&ctx);
        int64_t moments[] = { 9 * SECOND_MS, 10 * SECOND_MS }, from_ms = f.now_ms;
        if (with_feed) { feed_reports(&f, true, 0); }
        for (size_t m = 0; m < COUNT_OF(moments); m++) {
            f.now_ms = from_ms + (with_feed ? 0 : moments[m]);
            ctx = traffic_begin(&f);
            traffic_expire(&ctx);
            traffic_end(&ctx);
            CHECK_STR("it drains, and goes", str_from(targets_of(&f, "tg")), with_feed || m == 1 ? STR("") : STR("draining 1"));
        }
        f.now_ms += FEED_SILENT_MS;
    }
    fixture_close(&f);
}

/* DeregisterTargets of a task's target: it drains, and its service registers it again. */
static void test_deregistered(void)
{
    struct api_fixture f;
    open_with(&f, "5");
    create(&f, SERVICE(""));
    pass(&f, 2);
    targets_are(&f, "tg", TARGET_HEALTHY);
    pass(&f, 2);
    struct kept_target *targets;
    struct op_ctx ctx = traffic_begin(&f);
    CHECK_EQ("two targets", store_list_targets(ctx.txn, STR("tg"), &targets, &f.kept), 2);
    traffic_deregister(&ctx, store_group(ctx.txn, STR("tg"), &f.kept), &targets[0]);
    traffic_end(&ctx);
    pass(&f, 4);
    CHECK_TEXT("it drains", targets_of(&f, "tg"), "healthy 1 draining 1");
    pass(&f, 2);
    CHECK_TEXT("and is back", targets_of(&f, "tg"), "initial 1 healthy 1");
    fixture_close(&f);
}

#define ADVANCED ",\"loadBalancers\":[{\"targetGroupArn\":\"" GROUP("tg") "\",\"containerName\":\"main\",\"containerPort\":80," \
    "\"advancedConfiguration\":{\"alternateTargetGroupArn\":\"" GROUP("green") "\",\"productionListenerRule\":\"" RULE("1") "\",\"testListenerRule\":\"" RULE("2") "\",\"roleArn\":\"r\"}}]"

/* Green's tasks are in the other group, and the weights follow the stages; the next rollout comes back to the first group. */
static void test_weights(void)
{
    struct api_fixture f;
    open_with(&f, "0");
    group_add(&f, "green", "0", true);
    rule_add(&f, "1", GROUP("tg"));
    rule_add(&f, "2", GROUP("tg"));
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":1,\"deploymentConfiguration\":{\"strategy\":\"CANARY\","
               "\"canaryConfiguration\":{\"canaryPercent\":12.5,\"canaryBakeTimeInMinutes\":1}}" ADVANCED "}");
    pass(&f, 2);
    targets_are(&f, "tg", TARGET_HEALTHY);
    pass(&f, 200);
    CHECK_TEXT("the first", state(&f, "web"), "D 1 R 1 P 0 web:1 | PRIMARY web:1 1/1/0 COMPLETED 0");
    CHECK_TEXT("it has the traffic", rule_weights(&f, RULE("1")), "green 0, tg 100");
    update(&f, OF_WEB(",\"taskDefinition\":\"web2\""));
    pass(&f, 5);
    CHECK_TEXT("green is in the other group", targets_of(&f, "green"), "initial 1");
    CHECK_TEXT("without traffic", rule_weights(&f, RULE("1")), "green 0, tg 100");
    targets_are(&f, "green", TARGET_HEALTHY);
    pass(&f, 5);
    CHECK_TEXT("the canary", rule_weights(&f, RULE("1")), "green 125, tg 875");
    CHECK_TEXT("the test", rule_weights(&f, RULE("2")), "green 100, tg 0");
    pass(&f, 70);
    CHECK_TEXT("all", rule_weights(&f, RULE("1")), "green 100, tg 0");
    pass(&f, 70);
    CHECK_TEXT("the first is gone", targets_of(&f, "tg"), "");
    update(&f, OF_WEB(",\"taskDefinition\":\"web\""));
    pass(&f, 5);
    CHECK_TEXT("the next one is in the first group", targets_of(&f, "tg"), "initial 1");
    fixture_close(&f);
}

static void test_checks(void)
{
    static const struct call calls[] = {
        { "no such group", "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":2" IN_GROUP("none", "main") "}", NULL,
          INVALID "The specified target group does not exist. (" GROUP("none") ")" },
        { "of another id", "CreateService",
          "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":2,\"loadBalancers\":[{\"targetGroupArn\":\"" ELB_ARN("targetgroup/tg/1") "\","
          "\"containerName\":\"main\",\"containerPort\":80}]}", NULL, INVALID "The specified target group does not exist. (" ELB_ARN("targetgroup/tg/1") ")" },
        { "no such rule", "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":2,"
          "\"deploymentConfiguration\":{\"strategy\":\"BLUE_GREEN\",\"bakeTimeInMinutes\":1}" ADVANCED "}",
          NULL, INVALID "The listener rule " RULE("1") " does not exist, or forwards to no target group." },
        { "no ARN", "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":2,\"loadBalancers\":[{\"targetGroupArn\":\"tg\","
          "\"containerName\":\"main\",\"containerPort\":80}]}", NULL, INVALID "The specified target group does not exist. (tg)" },
        { "another account's", "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":2,\"loadBalancers\":[{\"targetGroupArn\":"
          "\"arn:aws:elasticloadbalancing:us-east-1:1:targetgroup/tg/" ELB_ID "\",\"containerName\":\"main\",\"containerPort\":80}]}", NULL,
          INVALID "The specified target group does not exist. (arn:aws:elasticloadbalancing:us-east-1:1:targetgroup/tg/" ELB_ID ")" },
        { "an unknown port", "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":2,\"loadBalancers\":["
          "{\"targetGroupArn\":\"" GROUP("tg") "\",\"containerName\":\"main\",\"containerPort\":81}]}", NULL,
          INVALID "The container main did not have a container port 81 defined." },
        { "a group that is there", "CreateService", SERVICE(""), "service.status", "ACTIVE" },
        { "a definition without the port", "UpdateService", OF_WEB(",\"taskDefinition\":\"a\""), NULL,
          INVALID "The container main did not have a container port 80 defined." },
        { "another group, which is not there", "UpdateService", OF_WEB(IN_GROUP("none", "main")), NULL,
          INVALID "The specified target group does not exist. (" GROUP("none") ")" },
        { "another container", "UpdateService", OF_WEB(IN_GROUP("green", "side")), NULL, INVALID "The container side does not exist in the task definition." },
        { "another group", "UpdateService", OF_WEB(IN_GROUP("green", "main")), "service.status", "ACTIVE" },
    };
    struct api_fixture f;
    open_with(&f, "0");
    group_add(&f, "green", "0", true);
    check_calls(&f, calls, COUNT_OF(calls));
    fixture_close(&f);
}

int main(void)
{
    test_registers();
    test_feeds();
    test_feed_behind();
    test_unhealthy();
    test_group_goes();
    test_ends();
    test_machine_goes();
    test_outsiders();
    test_deregistered();
    test_weights();
    test_checks();
    return check_report();
}
