/* The views of services and of their parts: each of records made by hand, so that every status can be seen. */
#include "api/show/view.h"
#include "tests/unit/api/api_fixture.h"

#define ARN "arn:aws:ecs:us-east-1:123456789012:"
#define REVISION(n) ARN "service-revision/blue/web/000000000000000000" #n
#define DEFINITION(n) ARN "task-definition/web:" #n

struct bench {
    struct api_fixture f;                    /* its arena alone */
    struct names names;
    struct service service;
    struct service_revision revisions[2];
    struct kept_deployment deployments[2];
    struct deployment_parts listed[2];
    struct service_events events;
    struct deployment_configuration configuration;
    struct deployment_alarms alarms;
    struct service_parts parts;
};

/* A service in a rollout from web:1 to web:2: the PRIMARY has 1 of 4 tasks, the one before still wants 3. */
static void bench_open(struct bench *b)
{
    *b = (struct bench){ .names = { STR("us-east-1"), STR("123456789012") } };
    arena_init(&b->f.kept, 16 << 20);
    b->configuration = (struct deployment_configuration){ .maximum_percent = opt_int_of(200), .alarms = &b->alarms };
    b->service = (struct service){
        .number = 7, .name = STR("web"), .controller = DEPLOYMENT_CONTROLLER_TYPE_ECS, .scheduling = SCHEDULING_STRATEGY_REPLICA,
        .configuration = &b->configuration, .zone_rebalancing = AVAILABILITY_ZONE_REBALANCING_DISABLED, .propagate_tags = PROPAGATE_TAGS_NONE,
        .managed_tags = OPT_FALSE, .execute_command = OPT_FALSE, .created_by = STR("me"), .revision = 2,
    };
    service_become(&b->service, SERVICE_ACTIVE, 1000);
    b->service.desired_count = 4;
    for (int d = 0; d < 2; d++) {
        b->revisions[d] = (struct service_revision){ .digits = d + 1, .service = 7, .family = STR("web"), .revision = d + 1, .launch_type = LAUNCH_TYPE_EC2 };
        b->deployments[d] = (struct kept_deployment){ .digits = d + 1, .service = 7, .wanted = 3 };
        deployment_become(&b->deployments[d], d == 1 ? DEPLOYMENT_STATUS_PRIMARY : DEPLOYMENT_STATUS_ACTIVE, 1000 * (d + 1));
        deployment_rollout_become(&b->deployments[d], DEPLOYMENT_ROLLOUT_STATE_IN_PROGRESS, 1000 * (d + 1));
    }
    b->listed[0] = (struct deployment_parts){ &b->deployments[1], &b->revisions[1], { .running = 1, .pending = 2, .live = 3, .staying = 3 } };
    b->listed[1] = (struct deployment_parts){ &b->deployments[0], &b->revisions[0], { .running = 3, .live = 3, .staying = 3 } };
    b->parts = (struct service_parts){
        .names = &b->names, .cluster = STR("blue"), .cluster_arn = STR(ARN "cluster/blue"), .service_arn = STR(ARN "service/blue/web"),
        .service = &b->service, .revision = &b->revisions[1], .deployments = b->listed, .deployment_count = 2,
    };
}

static struct str json_of(struct bench *b, const struct schema *schema, const void *view)
{
    struct buf text = buf_in(&b->f.kept);
    struct json_out out = json_out_to(&text);
    schema_print(schema, view, &out);
    return buf_str(&text);
}

/* A member of a view, as JSON text; absent when there is none. */
static struct str member(struct bench *b, const struct schema *schema, const void *view, const char *path)
{
    return fixture_at(&b->f, json_of(b, schema, view), path);
}

struct look { const char *path, *want; };                        /* want NULL: there is no such member */

static void check_looks(struct bench *b, const char *row, const struct schema *schema, const void *view, const struct look *looks, size_t count)
{
    for (size_t l = 0; l < count; l++) {
        char name[128];
        snprintf(name, sizeof name, "%s: %s", row, looks[l].path);
        struct str found = member(b, schema, view, looks[l].path);
        if (looks[l].want == NULL) { CHECK(name, !str_is_set(found)); } else { CHECK_STR(name, found, str_from(looks[l].want)); }
    }
}

#define CHECK_SERVICE(b, row, with_tags, looks) do { \
        struct service_view view; \
        view_service_fill(&(b)->parts, &(b)->events, with_tags, &(b)->f.kept, &view); \
        check_looks(b, row, &service_view_schema, &view, looks, COUNT_OF(looks)); \
    } while (0)

static void test_whole(void)
{
    struct bench b;
    struct service_view view;
    bench_open(&b);
    view_service_fill(&b.parts, &b.events, false, &b.f.kept, &view);
    CHECK_STR("a service in a rollout, every member", json_of(&b, &service_view_schema, &view), STR(
        "{\"serviceArn\":\"" ARN "service/blue/web\",\"serviceName\":\"web\",\"clusterArn\":\"" ARN "cluster/blue\",\"loadBalancers\":[],"
        "\"serviceRegistries\":[],\"status\":\"ACTIVE\",\"desiredCount\":4,\"runningCount\":4,\"pendingCount\":2,\"launchType\":\"EC2\","
        "\"taskDefinition\":\"" DEFINITION(2) "\",\"deploymentConfiguration\":{\"maximumPercent\":200,\"alarms\":{\"rollback\":false,\"enable\":false}},"
        "\"deployments\":["
        "{\"id\":\"ecs-svc/0000000000000000002\",\"status\":\"PRIMARY\",\"taskDefinition\":\"" DEFINITION(2) "\",\"desiredCount\":4,\"pendingCount\":2,"
        "\"runningCount\":1,\"failedTasks\":0,\"createdAt\":2.000,\"updatedAt\":2.000,\"launchType\":\"EC2\",\"rolloutState\":\"IN_PROGRESS\"},"
        "{\"id\":\"ecs-svc/0000000000000000001\",\"status\":\"ACTIVE\",\"taskDefinition\":\"" DEFINITION(1) "\",\"desiredCount\":3,\"pendingCount\":0,"
        "\"runningCount\":3,\"failedTasks\":0,\"createdAt\":1.000,\"updatedAt\":1.000,\"launchType\":\"EC2\",\"rolloutState\":\"IN_PROGRESS\"}],"
        "\"events\":[],\"createdAt\":1.000,\"currentServiceRevisions\":["
        "{\"arn\":\"" REVISION(2) "\",\"requestedTaskCount\":4,\"runningTaskCount\":1,\"pendingTaskCount\":2},"
        "{\"arn\":\"" REVISION(1) "\",\"requestedTaskCount\":3,\"runningTaskCount\":3,\"pendingTaskCount\":0}],"
        "\"placementConstraints\":[],\"placementStrategy\":[],\"healthCheckGracePeriodSeconds\":0,\"schedulingStrategy\":\"REPLICA\","
        "\"deploymentController\":{\"type\":\"ECS\"},\"createdBy\":\"me\",\"enableECSManagedTags\":false,\"propagateTags\":\"NONE\","
        "\"enableExecuteCommand\":false,\"availabilityZoneRebalancing\":\"DISABLED\",\"resourceManagementType\":\"CUSTOMER\"}"));
    arena_finish(&b.f.kept);
}

/* Members that clients take for a difference when they are there without need. */
static void test_members(void)
{
    struct bench b;
    struct capacity_provider_strategy_item item = { STR("p"), opt_int_of(1), opt_int_of(0) };
    struct aws_vpc_configuration vpc = { .security_groups.items = LIST_NOTHING };
    struct network_configuration network = { &vpc };
    struct service_connect_configuration connect = { .enabled = OPT_FALSE };
    struct tag tag = { STR("k"), STR("v") };
    bench_open(&b);

    static const struct look plain[] = { { "networkConfiguration", NULL }, { "capacityProviderStrategy", NULL }, { "taskSets", NULL }, { "tags", NULL },
        { "roleArn", NULL }, { "currentServiceDeployment", NULL }, { "deployments[0].serviceConnectConfiguration", NULL },
        { "deployments[0].rolloutStateReason", NULL }, { "platformVersion", NULL } };
    CHECK_SERVICE(&b, "plain", false, plain);
    static const struct look no_tags[] = { { "tags", "[]" } };
    CHECK_SERVICE(&b, "no tags, asked for", true, no_tags);

    b.revisions[1].launch_type = LAUNCH_TYPE_UNSET;
    b.revisions[1].capacity_provider_strategy = (struct capacity_provider_strategy_item_list){ &item, 1 };
    b.revisions[1].network_configuration = &network;
    b.revisions[1].service_connect_configuration = &connect;
    b.service.tags = (struct tag_list){ &tag, 1 };
    b.service.role = STR("ecsRole");
    b.service.last_service_deployment = (struct id){ { 0 } };
    b.service.last_service_deployment.bytes[0] = 4;
    static const struct look rich[] = { { "launchType", NULL }, { "capacityProviderStrategy[0].weight", "1" }, { "deployments[0].launchType", NULL },
        { "deployments[1].launchType", "EC2" }, { "networkConfiguration", "{\"awsvpcConfiguration\":{\"securityGroups\":[]}}" },
        { "deployments[0].serviceConnectConfiguration.enabled", "false" }, { "deployments[1].serviceConnectConfiguration", NULL },
        { "tags[0].key", "k" }, { "roleArn", "arn:aws:iam::123456789012:role/ecsRole" },
        { "currentServiceDeployment", ARN "service-deployment/blue/web/BAAAAAAAAAAAAAAAAAAAA" } };
    CHECK_SERVICE(&b, "rich", true, rich);
    b.service.role = STR("arn:aws:iam::1:role/r");
    static const struct look role[] = { { "roleArn", "arn:aws:iam::1:role/r" } };
    CHECK_SERVICE(&b, "the role's ARN", false, role);
    arena_finish(&b.f.kept);
}

static void test_rolled_back(void)
{
    struct bench b;
    bench_open(&b);
    deployment_rollout_become(&b.deployments[0], DEPLOYMENT_ROLLOUT_STATE_COMPLETED, 5000);
    static const struct look before[] = { { "deployments[1].createdAt", "1.0" }, { "deployments[1].updatedAt", "5.0" } };
    CHECK_SERVICE(&b, "completed", false, before);
    deployment_rollout_become(&b.deployments[0], DEPLOYMENT_ROLLOUT_STATE_IN_PROGRESS, 9000);
    b.deployments[0].rollout_reason = STR("why");
    b.deployments[0].failed = 3;
    static const struct look after[] = { { "deployments[1].createdAt", "9.0" }, { "deployments[1].rolloutState", "IN_PROGRESS" },
        { "deployments[1].rolloutStateReason", "why" }, { "deployments[1].failedTasks", "3" } };
    CHECK_SERVICE(&b, "a rollback returned to it", false, after);
    arena_finish(&b.f.kept);
}

static void test_external(void)
{
    struct bench b;
    struct task_set_part set = { .external_id = STR("x"), .scale = 250000, .computed = 1, .stability = STABILITY_STATUS_STABILIZING, .stability_since_ms = 3000 };
    bench_open(&b);
    b.service.controller = DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL;
    b.service.revision = 0;
    b.parts.revision = NULL;
    b.parts.deployment_count = 0;
    static const struct look none[] = { { "taskSets", "[]" }, { "deployments", "[]" }, { "taskDefinition", NULL }, { "launchType", "EC2" },
        { "loadBalancers", "[]" }, { "serviceRegistries", "[]" }, { "currentServiceRevisions", NULL }, { "deploymentController.type", "EXTERNAL" } };
    CHECK_SERVICE(&b, "no task set", false, none);
    b.service.created_launch_type = LAUNCH_TYPE_EXTERNAL;
    static const struct look type[] = { { "launchType", "EXTERNAL" } };
    CHECK_SERVICE(&b, "a launch type", false, type);

    b.parts.revision = &b.revisions[1];
    b.parts.deployment_count = 2;
    b.deployments[1].task_set = &set;
    static const struct look two[] = { { "deployments", "[]" }, { "taskDefinition", DEFINITION(2) }, { "launchType", "EC2" },
        { "runningCount", "4" }, { "taskSets[0].id", "ecs-svc/0000000000000000002" }, { "taskSets[0].status", "PRIMARY" },
        { "taskSets[0].taskSetArn", ARN "task-set/blue/web/ecs-svc/0000000000000000002" }, { "taskSets[0].scale", "{\"value\":25.0,\"unit\":\"PERCENT\"}" },
        { "taskSets[0].computedDesiredCount", "1" }, { "taskSets[0].stabilityStatus", "STABILIZING" }, { "taskSets[0].stabilityStatusAt", "3.0" },
        { "taskSets[0].externalId", "x" }, { "taskSets[0].loadBalancers", "[]" }, { "taskSets[0].tags", NULL }, { "taskSets[1].status", "ACTIVE" } };
    CHECK_SERVICE(&b, "two task sets", false, two);
    static const struct look tags[] = { { "taskSets[0].tags", "[]" } };
    CHECK_SERVICE(&b, "tags that are asked for", true, tags);
    arena_finish(&b.f.kept);
}

static void test_act(void)
{
    struct bench b;
    struct revision_count target = { 2, 9, 9, 9, 0, 0 }, source = { 1, 8, 8, 8, 0, 0 };
    struct service_rollback rollback = { STR("why"), 4000, 1 };
    struct service_deployment_view view;
    bench_open(&b);
    b.deployments[1].failed = 2;
    struct service_deployment act = {
        .id = { { 4 } }, .service = 7, .target = &target, .sources = { &source, 1 }, .configuration = &b.configuration,
        .breaker = SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING, .alarms = SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_DISABLED,
        .failures = 5, .failure_threshold = 6,
    };
    service_deployment_become(&act, SERVICE_DEPLOYMENT_STATUS_PENDING, 2000);
    view_service_deployment_fill(&b.parts, &act, 3, &b.f.kept, &view);
    static const struct look pending[] = { { "serviceDeploymentArn", ARN "service-deployment/blue/web/BAAAAAAAAAAAAAAAAAAAA" }, { "status", "PENDING" },
        { "serviceArn", ARN "service/blue/web" }, { "clusterArn", ARN "cluster/blue" }, { "createdAt", "2.0" }, { "startedAt", NULL },
        { "targetServiceRevision.arn", REVISION(2) }, { "targetServiceRevision.requestedTaskCount", "4" },
        { "targetServiceRevision.runningTaskCount", "1" }, { "targetServiceRevision.pendingTaskCount", "2" },
        { "sourceServiceRevisions[0].arn", REVISION(1) }, { "sourceServiceRevisions[0].requestedTaskCount", "3" },
        { "deploymentCircuitBreaker", "{\"status\":\"MONITORING\",\"failureCount\":2,\"threshold\":3}" }, { "alarms", "{\"status\":\"DISABLED\"}" },
        { "rollback", NULL }, { "statusReason", NULL }, { "deploymentConfiguration.maximumPercent", "200" } };
    check_looks(&b, "pending", &service_deployment_view_schema, &view, pending, COUNT_OF(pending));

    service_deployment_become(&act, SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS, 3000);
    service_deployment_become(&act, SERVICE_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS, 4000);
    act.rollback = &rollback;
    b.parts.deployment_count = 1;                /* the source has no tasks any more */
    view_service_deployment_fill(&b.parts, &act, 3, &b.f.kept, &view);
    static const struct look going[] = { { "sourceServiceRevisions[0].runningTaskCount", "0" }, { "startedAt", "3.0" },
        { "rollback", "{\"reason\":\"why\",\"startedAt\":4.0,\"serviceRevisionArn\":\"" REVISION(1) "\"}" } };
    check_looks(&b, "rolling back", &service_deployment_view_schema, &view, going, COUNT_OF(going));

    service_deployment_become(&act, SERVICE_DEPLOYMENT_STATUS_ROLLBACK_SUCCESSFUL, 5000);
    view_service_deployment_fill(&b.parts, &act, 3, &b.f.kept, &view);
    static const struct look ended[] = { { "targetServiceRevision.requestedTaskCount", "9" }, { "targetServiceRevision.runningTaskCount", "9" },
        { "sourceServiceRevisions[0].pendingTaskCount", "8" }, { "finishedAt", "5.0" },
        { "deploymentCircuitBreaker", "{\"status\":\"MONITORING\",\"failureCount\":5,\"threshold\":6}" } };
    check_looks(&b, "ended: its counts stay", &service_deployment_view_schema, &view, ended, COUNT_OF(ended));

    struct str alarm = STR("a");
    b.alarms.alarm_names = act.triggered_alarms = (struct str_list){ &alarm, 1 };
    act.alarms = SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_TRIGGERED;
    act.sources.count = 0;
    view_service_deployment_fill(&b.parts, &act, 3, &b.f.kept, &view);
    static const struct look alarms[] = { { "alarms", "{\"status\":\"TRIGGERED\",\"alarmNames\":[\"a\"],\"triggeredAlarmNames\":[\"a\"]}" },
        { "sourceServiceRevisions", "[]" } };
    check_looks(&b, "with an alarm", &service_deployment_view_schema, &view, alarms, COUNT_OF(alarms));
    arena_finish(&b.f.kept);
}

static void test_revision(void)
{
    struct bench b;
    struct container_definition container = { .name = STR("main"), .image = STR("i") };
    struct taskdef taskdef = { .def.container_definitions = { &container, 1 } };
    struct container_image image = { STR("main"), STR("sha256:1"), STR("i:2") };
    struct service_revision_view view;
    bench_open(&b);
    view_revision_fill(&b.parts, &b.revisions[1], &taskdef, &b.f.kept, &view);
    CHECK_STR("a revision, every member", json_of(&b, &service_revision_view_schema, &view), STR(
        "{\"serviceRevisionArn\":\"" REVISION(2) "\",\"serviceArn\":\"" ARN "service/blue/web\",\"clusterArn\":\"" ARN "cluster/blue\","
        "\"taskDefinition\":\"" DEFINITION(2) "\",\"launchType\":\"EC2\",\"loadBalancers\":[],\"serviceRegistries\":[],"
        "\"containerImages\":[{\"containerName\":\"main\",\"image\":\"i\"}],\"guardDutyEnabled\":false,"
        "\"serviceConnectConfiguration\":{\"enabled\":false}}"));
    view_revision_fill(&b.parts, &b.revisions[1], NULL, &b.f.kept, &view);
    static const struct look gone[] = { { "containerImages", "[]" } };
    check_looks(&b, "its definition is gone", &service_revision_view_schema, &view, gone, COUNT_OF(gone));
    b.revisions[1].container_images = (struct container_image_list){ &image, 1 };
    b.revisions[1].created_ms = 7000;
    view_revision_fill(&b.parts, &b.revisions[1], &taskdef, &b.f.kept, &view);
    static const struct look told[] = { { "containerImages", "[{\"containerName\":\"main\",\"imageDigest\":\"sha256:1\",\"image\":\"i:2\"}]" },
        { "createdAt", "7.0" } };
    check_looks(&b, "a task reported its images", &service_revision_view_schema, &view, told, COUNT_OF(told));
    arena_finish(&b.f.kept);
}

int main(void)
{
    test_whole();
    test_members();
    test_rolled_back();
    test_external();
    test_act();
    test_revision();
    return check_report();
}
