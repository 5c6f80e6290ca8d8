/* Service deployments and revisions: described, listed, stopped and continued. */
#include "tests/unit/api/services.h"

#define STATUS(word) SERVICE_DEPLOYMENT_STATUS_##word
#define ACT(id) ACCOUNT_ARN "service-deployment/default/web/" id
#define NO_ACT ACT("AAAAAAAAAAAAAAAAAAAAA")
#define HOOK "ecs-pause-x_y-z"

static const enum service_deployment_status succeeds[ACT_STEPS_MAX] = { STATUS(IN_PROGRESS), STATUS(SUCCESSFUL) };

static void test_describe(void)
{
    struct api_fixture f;
    services_open(&f);
    struct str made = fixture_call(&f, "CreateService", WEB(""));
    const char *act = at(&f, made, "service.currentServiceDeployment");
    struct str reply = fixture_call(&f, "DescribeServiceDeployments", text(&f, "{\"serviceDeploymentArns\":[\"%s\",\"" NO_ACT "\"]}", act));
    CHECK_STR("pending", fixture_at(&f, reply, "serviceDeployments[0].status"), STR("PENDING"));
    CHECK_STR("the ARN", fixture_at(&f, reply, "serviceDeployments[0].serviceDeploymentArn"), str_from(act));
    CHECK_STR("no sources", fixture_at(&f, reply, "serviceDeployments[0].sourceServiceRevisions"), STR("[]"));
    CHECK_STR("its revision has the digits of the deployment", fixture_at(&f, reply, "serviceDeployments[0].targetServiceRevision.arn"),
              fixture_at(&f, made, "service.currentServiceRevisions[0].arn"));
    CHECK_STR("the breaker is off", fixture_at(&f, reply, "serviceDeployments[0].deploymentCircuitBreaker.status"), STR("DISABLED"));
    CHECK_STR("3 failures would end it", fixture_at(&f, reply, "serviceDeployments[0].deploymentCircuitBreaker.threshold"), STR("3"));
    CHECK_STR("alarms are off", fixture_at(&f, reply, "serviceDeployments[0].alarms"), STR("{\"status\":\"DISABLED\"}"));
    CHECK_STR("the other one is missing", fixture_at(&f, reply, "failures"), STR("[{\"arn\":\"" NO_ACT "\",\"reason\":\"MISSING\"}]"));

    const char *revision = at(&f, made, "service.currentServiceRevisions[0].arn");
    reply = fixture_call(&f, "DescribeServiceRevisions", text(&f, "{\"serviceRevisionArns\":[\"%s\",\"" ACCOUNT_ARN
                                                               "service-revision/default/web/0000000000000000001\"]}", revision));
    CHECK_STR("a revision", fixture_at(&f, reply, "serviceRevisions[0].taskDefinition"), STR(ACCOUNT_ARN "task-definition/a:1"));
    CHECK_STR("its images", fixture_at(&f, reply, "serviceRevisions[0].containerImages"), STR("[{\"containerName\":\"main\",\"image\":\"busybox\"}]"));
    CHECK_STR("its time", fixture_at(&f, reply, "serviceRevisions[0].createdAt"), fixture_at(&f, made, "service.createdAt"));
    CHECK_STR("the other one is missing", fixture_at(&f, reply, "failures[0].reason"), STR("MISSING"));
    fixture_close(&f);
}

static void test_refused(void)
{
    static const struct call calls[] = {
        { "a service", "CreateService", WEB(""), "service.status", "ACTIVE" },
        { "no ARN", "DescribeServiceDeployments", "{\"serviceDeploymentArns\":[\"web\"]}", NULL, INVALID "Service Deployment Identifier is invalid" },
        { "a short id", "DescribeServiceDeployments", "{\"serviceDeploymentArns\":[\"" ACT("AAAA") "\"]}", NULL,
          INVALID "Service Deployment Identifier is invalid" },
        { "a cluster that is not there", "DescribeServiceDeployments", "{\"serviceDeploymentArns\":[\"" ACCOUNT_ARN
          "service-deployment/nope/web/AAAAAAAAAAAAAAAAAAAAA\"]}", "failures[0].reason", "MISSING" },
        { "a service that is not there", "DescribeServiceDeployments", "{\"serviceDeploymentArns\":[\"" ACCOUNT_ARN
          "service-deployment/default/nope/AAAAAAAAAAAAAAAAAAAAA\"]}", "failures[0].reason", "MISSING" },
        { "no revision", "DescribeServiceRevisions", "{\"serviceRevisionArns\":[\"web\"]}", NULL, INVALID "Service Revision Identifier is invalid" },
        { "of no service", "DescribeServiceRevisions", "{\"serviceRevisionArns\":[\"" ACCOUNT_ARN "service-revision/default/nope/0000000000000000001\"]}",
          "failures[0].reason", "MISSING" },
        { "another account", "DescribeServiceRevisions", "{\"serviceRevisionArns\":[\"arn:aws:ecs:us-east-1:1:service-revision/a/b/0000000000000000001\"]}",
          NULL, INVALID "Invalid Account in ARN" },
        { "a list of no cluster", "ListServiceDeployments", OF_WEB(",\"cluster\":\"nope\""), NULL, "ClusterNotFoundException: Cluster not found." },
        { "of no service", "ListServiceDeployments", "{\"service\":\"nope\"}", NULL, "ServiceNotFoundException: Service not found." },
        { "with a strange token", "ListServiceDeployments", OF_WEB(",\"nextToken\":\"x\""), NULL,
          INVALID "Invalid token: nextToken must be the one that the page before gave." },
        { "stop nothing", "StopServiceDeployment", "{\"serviceDeploymentArn\":\"" NO_ACT "\"}", NULL,
          "ServiceDeploymentNotFoundException: The service deployment does not exist." },
        { "stop by a name", "StopServiceDeployment", "{\"serviceDeploymentArn\":\"web\"}", NULL, INVALID "Service Deployment Identifier is invalid" },
        { "continue nothing", "ContinueServiceDeployment", "{\"serviceDeploymentArn\":\"" NO_ACT "\",\"hookId\":\"" HOOK "\"}", NULL,
          "ServiceDeploymentNotFoundException: The service deployment does not exist." },
        { "the hook's form comes first", "ContinueServiceDeployment", "{\"serviceDeploymentArn\":\"" NO_ACT "\",\"hookId\":\"pause\"}", NULL,
          INVALID "Invalid hookId: hookId must follow the format: ecs-{hookType}-{id}" },
    };
    run_calls(calls, COUNT_OF(calls));
}

static void test_hook_ids(void)
{
    static const struct { const char *id; bool good; } rows[] = {
        { HOOK, true }, { "ecs-a-b", true }, { "ecs-a-", false }, { "ecs--b", false }, { "ecs-a", false }, { "eks-a-b", false }, { "ecs-a-b c", false }, { "", false },
    };
    struct api_fixture f;
    services_open(&f);
    const char *act = at(&f, fixture_call(&f, "CreateService", WEB("")), "service.currentServiceDeployment");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(&f, "ContinueServiceDeployment", text(&f, "{\"serviceDeploymentArn\":\"%s\",\"hookId\":\"%s\"}", act, rows[r].id));
        CHECK_STR(rows[r].id, reply, rows[r].good
                  ? STR(INVALID "Provided hookId is either completed, unavailable, or not associated with the given Resource ARN")
                  : STR(INVALID "Invalid hookId: hookId must follow the format: ecs-{hookType}-{id}"));
    }
    act_goes(&f, "web", succeeds);
    fixture_check(&f, "after the end", "ContinueServiceDeployment", text(&f, "{\"serviceDeploymentArn\":\"%s\",\"hookId\":\"" HOOK "\"}", act),
                  INVALID "Continuing a service deployment is not allowed for service deployment in terminal states.");
    fixture_close(&f);
}

/* Each status, and the one after StopServiceDeployment; want NULL: refused. */
static void test_stop(void)
{
    static const struct { const char *row, *type; enum service_deployment_status steps[ACT_STEPS_MAX]; const char *want; } rows[] = {
        { "pending",          "",                            { 0 },                                                        "ROLLBACK_REQUESTED" },
        { "in progress",      "",                            { STATUS(IN_PROGRESS) },                                      "ROLLBACK_REQUESTED" },
        { "ROLLBACK",         ",\"stopType\":\"ROLLBACK\"",  { STATUS(IN_PROGRESS) },                                      "ROLLBACK_REQUESTED" },
        { "ABORT",            ",\"stopType\":\"ABORT\"",     { STATUS(IN_PROGRESS) },                                      "STOP_REQUESTED" },
        { "ABORT, pending",   ",\"stopType\":\"ABORT\"",     { 0 },                                                        "STOP_REQUESTED" },
        { "asked already",    "",                            { STATUS(IN_PROGRESS), STATUS(ROLLBACK_REQUESTED) },          "ROLLBACK_REQUESTED" },
        { "ABORT changes no rollback", ",\"stopType\":\"ABORT\"", { STATUS(ROLLBACK_REQUESTED), STATUS(ROLLBACK_IN_PROGRESS) }, "ROLLBACK_IN_PROGRESS" },
        { "stopping",         "",                            { STATUS(STOP_REQUESTED) },                                   "STOP_REQUESTED" },
        { "successful",       "",                            { STATUS(IN_PROGRESS), STATUS(SUCCESSFUL) },                  NULL },
        { "stopped",          "",                            { STATUS(STOPPED) },                                          NULL },
        { "rolled back",      "",                            { STATUS(IN_PROGRESS), STATUS(ROLLBACK_IN_PROGRESS), STATUS(ROLLBACK_SUCCESSFUL) }, NULL },
        { "not rolled back",  "",                            { STATUS(IN_PROGRESS), STATUS(ROLLBACK_IN_PROGRESS), STATUS(ROLLBACK_FAILED) }, NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        services_open(&f);
        const char *act = at(&f, fixture_call(&f, "CreateService", WEB("")), "service.currentServiceDeployment");
        act_goes(&f, "web", rows[r].steps);
        struct str reply = fixture_call(&f, "StopServiceDeployment", text(&f, "{\"serviceDeploymentArn\":\"%s\"%s}", act, rows[r].type));
        CHECK_STR(rows[r].row, reply, rows[r].want == NULL
                  ? STR("ConflictException: The service deployment is in a terminal state and can't be stopped.")
                  : str_from(text(&f, "{\"serviceDeploymentArn\":\"%s\"}", act)));
        if (rows[r].want != NULL) {
            reply = fixture_call(&f, "DescribeServiceDeployments", text(&f, "{\"serviceDeploymentArns\":[\"%s\"]}", act));
            CHECK_STR(rows[r].row, fixture_at(&f, reply, "serviceDeployments[0].status"), str_from(rows[r].want));
        }
        fixture_close(&f);
    }
}

/* Four service deployments, one a second; the digits of a page's createdAt say which they are. */
static struct str seconds_of(struct api_fixture *f, struct str reply)
{
    struct buf out = buf_in(&f->kept);
    int64_t count = count_at(f, reply, "serviceDeployments");
    for (int64_t n = 0; n < count; n++) {
        buf_printf(&out, "%s%c", n == 0 ? "" : " ", at(f, reply, text(f, "serviceDeployments[%d].createdAt", (int)n))[9]);
    }
    return buf_str(&out);
}

static void test_list(void)
{
    static const struct { const char *row, *members, *want; bool more; } rows[] = {
        { "newest first", "", "3 2 1 0", false },
        { "a page", ",\"maxResults\":3", "3 2 1", true },
        { "all of them on one", ",\"maxResults\":4", "3 2 1 0", false },
        { "a status", ",\"status\":[\"PENDING\"]", "3", false },
        { "two", ",\"status\":[\"PENDING\",\"STOPPED\"]", "3 2 1", false },
        { "from its own millisecond on", ",\"createdAt\":{\"after\":1700000002.001}", "3 2", false },
        { "behind it", ",\"createdAt\":{\"after\":1700000002.002}", "3", false },
        { "before its own millisecond", ",\"createdAt\":{\"before\":1700000002.001}", "1 0", false },
        { "up to it", ",\"createdAt\":{\"before\":1700000002.002}", "2 1 0", false },
        { "between", ",\"createdAt\":{\"after\":1700000001,\"before\":1700000003}", "2 1", false },
        { "a page of a status", ",\"status\":[\"STOPPED\"],\"maxResults\":1", "2", true },
    };
    struct api_fixture f;
    services_open(&f);
    (void)fixture_call(&f, "CreateService", WEB(""));
    act_goes(&f, "web", succeeds);
    for (int n = 0; n < 3; n++) {
        f.now_ms += 1000;
        (void)fixture_call(&f, "UpdateService", OF_WEB(",\"forceNewDeployment\":true"));
    }
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(&f, "ListServiceDeployments", text(&f, OF_WEB("%s"), rows[r].members));
        CHECK_STR(rows[r].row, seconds_of(&f, reply), str_from(rows[r].want));
        CHECK_EQ(rows[r].row, str_is_set(fixture_at(&f, reply, "nextToken")), rows[r].more);
    }
    struct str first = fixture_call(&f, "ListServiceDeployments", OF_WEB(",\"maxResults\":3"));
    struct str next = fixture_call(&f, "ListServiceDeployments", text(&f, OF_WEB(",\"maxResults\":3,\"nextToken\":\"%s\""), at(&f, first, "nextToken")));
    CHECK_STR("the next page", seconds_of(&f, next), STR("0"));
    CHECK_STR("its status", fixture_at(&f, next, "serviceDeployments[0].status"), STR("SUCCESSFUL"));
    CHECK_STR("a superseded one says why", fixture_at(&f, first, "serviceDeployments[1].statusReason"),
              STR("Service deployment stopped because a new service deployment was started."));
    fixture_close(&f);
}

int main(void)
{
    test_describe();
    test_refused();
    test_hook_ids();
    test_stop();
    test_list();
    return check_report();
}
