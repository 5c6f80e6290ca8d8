/* CreateService, UpdateService and DeleteService as calls: records, replies, and the order of errors. Both sides of each rule are in
 * test_service_rules.c and test_service_update.c. */
#include "tests/unit/api/services.h"

/* ---- CreateService ---- */

static void test_reply(void)
{
    struct api_fixture f;
    services_open(&f);
    f.now_ms += 5;
    struct str reply = fixture_call(&f, "CreateService", WEB(""));
    const char *digits = at(&f, reply, "service.deployments[0].id") + strlen("ecs-svc/");
    const char *act = at(&f, reply, "service.currentServiceDeployment");
    CHECK_EQ("19 digits", strlen(digits), 19);
    CHECK_EQ("21 letters", strlen(act), strlen(ACCOUNT_ARN "service-deployment/default/web/") + 21);
    CHECK_STR("every member of the reply", reply, str_from(text(&f,
        "{\"service\":{\"serviceArn\":\"" ACCOUNT_ARN "service/default/web\",\"serviceName\":\"web\",\"clusterArn\":\"" ACCOUNT_ARN "cluster/default\","
        "\"loadBalancers\":[],\"serviceRegistries\":[],\"status\":\"ACTIVE\",\"desiredCount\":2,\"runningCount\":0,\"pendingCount\":0,\"launchType\":\"EC2\","
        "\"taskDefinition\":\"" ACCOUNT_ARN "task-definition/a:1\",\"deploymentConfiguration\":{\"deploymentCircuitBreaker\":{\"enable\":false,"
        "\"rollback\":false},\"maximumPercent\":200,\"minimumHealthyPercent\":100,\"alarms\":{\"alarmNames\":[],\"rollback\":false,\"enable\":false},"
        "\"strategy\":\"ROLLING\",\"bakeTimeInMinutes\":0},\"deployments\":[{\"id\":\"ecs-svc/%s\",\"status\":\"PRIMARY\","
        "\"taskDefinition\":\"" ACCOUNT_ARN "task-definition/a:1\",\"desiredCount\":2,\"pendingCount\":0,\"runningCount\":0,\"failedTasks\":0,"
        "\"createdAt\":1700000000.006,\"updatedAt\":1700000000.006,\"launchType\":\"EC2\",\"rolloutState\":\"IN_PROGRESS\","
        "\"rolloutStateReason\":\"ECS deployment ecs-svc/%s in progress.\"}],\"events\":[],\"createdAt\":1700000000.006,"
        "\"currentServiceDeployment\":\"%s\",\"currentServiceRevisions\":[{\"arn\":\"" ACCOUNT_ARN "service-revision/default/web/%s\","
        "\"requestedTaskCount\":2,\"runningTaskCount\":0,\"pendingTaskCount\":0}],\"placementConstraints\":[],\"placementStrategy\":[],"
        "\"healthCheckGracePeriodSeconds\":0,\"schedulingStrategy\":\"REPLICA\",\"deploymentController\":{\"type\":\"ECS\"},"
        "\"createdBy\":\"arn:aws:iam::123456789012:user/tester\",\"enableECSManagedTags\":false,\"propagateTags\":\"NONE\",\"enableExecuteCommand\":false,"
        "\"availabilityZoneRebalancing\":\"ENABLED\",\"resourceManagementType\":\"CUSTOMER\"}}", digits, digits, act, digits)));
    CHECK_STR("described, it is the same", fixture_at(&f, describe(&f, "web"), "services[0].createdAt"), STR("1700000000.006"));
    fixture_close(&f);
}

static void test_create(void)
{
    static const struct call calls[] = {
        { "an unknown cluster", "CreateService", WEB(",\"cluster\":\"nope\""), NULL, "ClusterNotFoundException: Cluster not found." },
        { "the cluster comes before the name", "CreateService", "{\"serviceName\":\"a.b\",\"cluster\":\"nope\"}", NULL, "ClusterNotFoundException: Cluster not found." },
        { "no count", "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"a\"}", NULL, INVALID "DesiredCount can not be blank." },
        { "below 0", "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"a\",\"desiredCount\":-1}", NULL,
          INVALID "desiredCount cannot be a negative number." },
        { "a family that is not there", "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"b\",\"desiredCount\":1}", NULL,
          "ClientException: TaskDefinition not found." },
        { "a revision that is not there", "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"a:9\",\"desiredCount\":1}", NULL,
          "ClientException: TaskDefinition not found." },
        { "nothing was made", "ListServices", "{}", "serviceArns", "[]" },
        { "the family", "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"a\",\"desiredCount\":0,\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]}",
          "service.tags[0].value", "v" },
        { "a newer revision", "RegisterTaskDefinition", "{\"family\":\"a\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"i\",\"memory\":9}]}",
          "taskDefinition.revision", "3" },
        { "changes nothing", "DescribeServices", "{\"services\":[\"web\"]}", "services[0].taskDefinition", ACCOUNT_ARN "task-definition/a:2" },
        { "an inactive one", "DeregisterTaskDefinition", "{\"taskDefinition\":\"a:1\"}", "taskDefinition.status", "INACTIVE" },
        { "is refused", "CreateService", "{\"serviceName\":\"w\",\"taskDefinition\":\"a:1\",\"desiredCount\":1}", NULL, "ClientException: TaskDefinition is inactive" },
        { "also to go to", "UpdateService", OF_WEB(",\"taskDefinition\":\"a:1\""), NULL, "ClientException: TaskDefinition is inactive" },
        { "awsvpc without a network", "CreateService", "{\"serviceName\":\"v\",\"taskDefinition\":\"vpc\",\"desiredCount\":1}", NULL,
          INVALID "Network Configuration must be provided when networkMode 'awsvpc' is specified." },
        { "with one", "CreateService", "{\"serviceName\":\"v\",\"taskDefinition\":\"vpc\",\"desiredCount\":1,"
          "\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[\"s\"]}}}", "service.networkConfiguration",
          "{\"awsvpcConfiguration\":{\"subnets\":[\"s\"],\"securityGroups\":[],\"assignPublicIp\":\"DISABLED\"}}" },
        { "it is kept so", "DescribeServices", "{\"services\":[\"v\"]}", "services[0].deployments[0].networkConfiguration",
          "{\"awsvpcConfiguration\":{\"subnets\":[\"s\"],\"securityGroups\":[],\"assignPublicIp\":\"DISABLED\"}}" },
        { "empty lists of members that are not available", "CreateService", "{\"serviceName\":\"e\",\"taskDefinition\":\"a\",\"desiredCount\":0,"
          "\"volumeConfigurations\":[],\"vpcLatticeConfigurations\":[]}", "service.status", "ACTIVE" },
        { "no task sets yet", "CreateService", SETS(",\"desiredCount\":1"), "service.taskSets", "[]" },
        { "nor deployments", "DescribeServices", "{\"services\":[\"sets\"]}", "services[0].deployments", "[]" },
        { "nor a definition", "DescribeServices", "{\"services\":[\"sets\"]}", "services[0].taskDefinition", NULL },
        { "its launch type", "DescribeServices", "{\"services\":[\"sets\"]}", "services[0].launchType", "EC2" },
    };
    run_calls(calls, COUNT_OF(calls));
}

static void test_again(void)
{
    static const struct call calls[] = {
        { "a service", "CreateService", WEB(",\"clientToken\":\"x\""), "service.createdAt", "1700000000.001" },
        { "the same again, with its token", "CreateService", WEB(",\"clientToken\":\"x\""), "service.createdAt", "1700000000.001" },
        { "and without", "CreateService", WEB(""), "service.createdAt", "1700000000.001" },
        { "another one with the token", "CreateService", WEB(",\"clientToken\":\"x\",\"enableECSManagedTags\":true"), NULL,
          INVALID "Creation of service was not idempotent." },
        { "another name with the token", "CreateService", "{\"serviceName\":\"api\",\"taskDefinition\":\"a\",\"desiredCount\":2,\"clientToken\":\"x\"}", NULL,
          INVALID "Creation of service was not idempotent." },
        { "and without", "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"a:1\",\"desiredCount\":3}", NULL,
          INVALID "Creation of service was not idempotent." },
        { "a change", "UpdateService", OF_WEB(",\"desiredCount\":5"), "service.desiredCount", "5" },
        { "the token's call again", "CreateService", WEB(",\"clientToken\":\"x\""), "service.desiredCount", "5" },
        { "not without it", "CreateService", WEB(""), NULL, INVALID "Creation of service was not idempotent." },
        { "there is one service", "ListServices", "{}", "serviceArns[1]", NULL },
        { "deleted", "DeleteService", OF_WEB(",\"force\":true"), "service.desiredCount", "0" },
        { "then the token is free", "CreateService", "{\"serviceName\":\"api\",\"taskDefinition\":\"a\",\"desiredCount\":2,\"clientToken\":\"x\"}",
          "service.serviceName", "api" },
    };
    run_calls(calls, COUNT_OF(calls));
}

/* ---- UpdateService ---- */

static void test_update(void)
{
    static const struct call calls[] = {
        { "a service", "CreateService", WEB(""), "service.status", "ACTIVE" },
        { "no cluster", "UpdateService", OF_WEB(",\"cluster\":\"nope\""), NULL, "ClusterNotFoundException: Cluster not found." },
        { "no service", "UpdateService", "{\"service\":\"nope\"}", NULL, "ServiceNotFoundException: Service not found." },
        { "a definition that is not there", "UpdateService", OF_WEB(",\"taskDefinition\":\"b\""), NULL, "ClientException: TaskDefinition not found." },
        { "the count alone", "UpdateService", OF_WEB(",\"desiredCount\":3"), "service.deployments[1]", NULL },
        { "is the PRIMARY's", "DescribeServices", "{\"services\":[\"web\"]}", "services[0].deployments[0].desiredCount", "3" },
        { "the same definition", "UpdateService", OF_WEB(",\"taskDefinition\":\"a:1\""), "service.deployments[1]", NULL },
        { "the other definition", "UpdateService", OF_WEB(",\"taskDefinition\":\"a\""), "service.taskDefinition", ACCOUNT_ARN "task-definition/a:2" },
        { "D is there at once", "DescribeServices", "{\"services\":[\"web\"]}", "services[0].deployments[0].desiredCount", "3" },
        { "the new one is first", "DescribeServices", "{\"services\":[\"web\"]}", "services[0].deployments[0].taskDefinition", ACCOUNT_ARN "task-definition/a:2" },
        { "the old one has no tasks", "DescribeServices", "{\"services\":[\"web\"]}", "services[0].deployments[1].desiredCount", "0" },
        { "a percent", "UpdateService", OF_WEB(",\"deploymentConfiguration\":{\"maximumPercent\":150}"),
          "service.deploymentConfiguration.minimumHealthyPercent", "100" },
        { "external", "CreateService", SETS(""), "service.desiredCount", "0" },
        { "its count", "UpdateService", "{\"service\":\"sets\",\"desiredCount\":4}", "service.desiredCount", "4" },
        { "its definition is its sets'", "UpdateService", "{\"service\":\"sets\",\"taskDefinition\":\"a\"}", NULL,
          INVALID "Unable to update task definition on services with an EXTERNAL deployment controller." },
    };
    run_calls(calls, COUNT_OF(calls));
}

/* A forced deployment has new digits, and the one before steps back. */
static void test_forced(void)
{
    struct api_fixture f;
    services_open(&f);
    struct str made = fixture_call(&f, "CreateService", WEB(""));
    f.now_ms += 1000;
    struct str forced = fixture_call(&f, "UpdateService", OF_WEB(",\"forceNewDeployment\":true"));
    CHECK("new digits", !str_eq(fixture_at(&f, forced, "service.deployments[0].id"), fixture_at(&f, made, "service.deployments[0].id")));
    CHECK_STR("the old one steps back", fixture_at(&f, forced, "service.deployments[1].id"), fixture_at(&f, made, "service.deployments[0].id"));
    CHECK_STR("it is ACTIVE", fixture_at(&f, forced, "service.deployments[1].status"), STR("ACTIVE"));
    CHECK_STR("the service is as old", fixture_at(&f, forced, "service.createdAt"), fixture_at(&f, made, "service.createdAt"));
    CHECK_STR("the deployment is new", fixture_at(&f, forced, "service.deployments[0].createdAt"), STR("1700000001.001"));
    CHECK_EQ("two revisions", count_at(&f, forced, "service.currentServiceRevisions"), 2);
    fixture_close(&f);
}

/* ---- DeleteService ---- */

static void test_delete(void)
{
    static const struct call calls[] = {
        { "a service", "CreateService", WEB(",\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]"), "service.status", "ACTIVE" },
        { "no cluster", "DeleteService", OF_WEB(",\"cluster\":\"nope\""), NULL, "ClusterNotFoundException: Cluster not found." },
        { "no service", "DeleteService", "{\"service\":\"nope\"}", NULL, "ServiceNotFoundException: Service not found." },
        { "it is scaled", "DeleteService", OF_WEB(""), NULL, INVALID "The service cannot be stopped while it is scaled above 0." },
        { "to 0", "UpdateService", OF_WEB(",\"desiredCount\":0"), "service.desiredCount", "0" },
        { "nothing is left to stop", "DeleteService", OF_WEB(""), "service.status", "INACTIVE" },
        { "again", "DeleteService", OF_WEB(""), "service.status", "INACTIVE" },
        { "it is described", "DescribeServices", "{\"services\":[\"web\"],\"include\":[\"TAGS\"]}", "services[0].status", "INACTIVE" },
        { "without its tags", "DescribeServices", "{\"services\":[\"web\"],\"include\":[\"TAGS\"]}", "services[0].tags", "[]" },
        { "and without deployments", "DescribeServices", "{\"services\":[\"web\"]}", "services[0].deployments", "[]" },
        { "not listed", "ListServices", "{}", "serviceArns", "[]" },
        { "not changed", "UpdateService", OF_WEB(",\"desiredCount\":1"), NULL, "ServiceNotActiveException: Service was not ACTIVE." },
        { "before its definition is looked for", "UpdateService", OF_WEB(",\"taskDefinition\":\"b\""), NULL,
          "ServiceNotActiveException: Service was not ACTIVE." },
        { "its service deployment ended", "ListServiceDeployments", OF_WEB(""), "serviceDeployments[0].status", "STOPPED" },
        { "the name is free", "CreateService", WEB(""), "service.deployments[0].desiredCount", "2" },
        { "with a new history", "ListServiceDeployments", OF_WEB(""), "serviceDeployments[1]", NULL },
        { "by force", "DeleteService", OF_WEB(",\"force\":true"), "service.status", "INACTIVE" },
        { "a daemon", "CreateService", "{\"serviceName\":\"d\",\"taskDefinition\":\"a\",\"schedulingStrategy\":\"DAEMON\"}", "service.desiredCount", "0" },
        { "needs no force", "DeleteService", "{\"service\":\"d\"}", "service.status", "INACTIVE" },
        { "external", "CreateService", SETS(""), "service.status", "ACTIVE" },
        { "without task sets", "DeleteService", "{\"service\":\"sets\"}", "service.status", "INACTIVE" },
    };
    run_calls(calls, COUNT_OF(calls));
}

/* INACTIVE ones can be described for as long as stopped tasks, and then are MISSING. */
static void test_gone(void)
{
    struct api_fixture f;
    services_open(&f);
    (void)fixture_call(&f, "CreateService", WEB(""));
    (void)fixture_call(&f, "DeleteService", OF_WEB(",\"force\":true"));
    f.now_ms += f.config.stopped_task_keep_ms;
    CHECK("nothing more to remove", !expire(&f, 10));
    CHECK_STR("kept", fixture_at(&f, describe(&f, "web"), "services[0].status"), STR("INACTIVE"));
    f.now_ms += 1;
    CHECK("nothing more to remove", !expire(&f, 10));
    CHECK_STR("gone", fixture_at(&f, describe(&f, "web"), "failures[0].reason"), STR("MISSING"));
    fixture_close(&f);
}

int main(void)
{
    test_reply();
    test_create();
    test_again();
    test_update();
    test_forced();
    test_delete();
    test_gone();
    return check_report();
}
