/* Operations on clusters, tasks, machines and tags that meet services. */
#include "tests/unit/api/kept_services.h"

#define INVALID "InvalidParameterException: "
#define SERVICE ARN_OF("service") "web"
enum { DEPLOYMENT = 11 };

static void shop_open(struct api_fixture *f)
{
    cluster_open(f);
    define(f, "f", "", "");
}

static const char *run(struct api_fixture *f)
{
    struct str reply = fixture_call(f, "RunTask", "{\"taskDefinition\":\"f\"}");
    CHECK_EQ("a task", f->code, ERR_NONE);
    return at(f, reply, "tasks[0].taskArn");
}

static const char *run_in(struct api_fixture *f, const char *name, int64_t service)
{
    const char *arn = run(f);
    service_adopt(f, arn, name, service, DEPLOYMENT);
    return arn;
}

/* ---- ListTasks, DescribeTasks ---- */

static void test_list(void)
{
    struct api_fixture f;
    shop_open(&f);
    (void)machine_add(&f, "a", 0);
    int64_t old = service_add(&f, "web", DEPLOYMENT_CONTROLLER_TYPE_ECS, 2);
    const char *of_old = run_in(&f, "web", old);
    service_end(&f, old, SERVICE_INACTIVE);
    int64_t web = service_add(&f, "web", DEPLOYMENT_CONTROLLER_TYPE_ECS, 2), other = service_add(&f, "other", DEPLOYMENT_CONTROLLER_TYPE_ECS, 2);
    const char *a = run_in(&f, "web", web), *b = run_in(&f, "web", web), *c = run_in(&f, "other", other);
    (void)run(&f);
    report(&f, a, "RUNNING", "");
    const char *both = text(&f, "{\"taskArns\":[\"%s\",\"%s\"]}", a, b);
    fixture_check(&f, "of a service, not of the last one of the name", "ListTasks", "{\"serviceName\":\"web\"}", both);
    fixture_check(&f, "by ARN", "ListTasks", "{\"serviceName\":\"" SERVICE "\"}", both);
    fixture_check(&f, "of the other", "ListTasks", "{\"serviceName\":\"other\"}", text(&f, "{\"taskArns\":[\"%s\"]}", c));
    fixture_check(&f, "and a family", "ListTasks", "{\"serviceName\":\"web\",\"family\":\"f\"}", both);
    fixture_check(&f, "and another family", "ListTasks", "{\"serviceName\":\"web\",\"family\":\"g\"}", "{\"taskArns\":[]}");
    fixture_check(&f, "unknown", "ListTasks", "{\"serviceName\":\"none\"}", "ServiceNotFoundException: Service not found.");
    fixture_check(&f, "of another cluster", "ListTasks", "{\"cluster\":\"none\",\"serviceName\":\"web\"}", "ClusterNotFoundException: Cluster not found.");
    fixture_check(&f, "startedBy alone", "ListTasks", "{\"serviceName\":\"web\",\"startedBy\":\"ecs-svc/0000000000000000011\"}",
                  INVALID "When startedBy is specified it must be the only filter, but serviceName is specified too.");
    CHECK_EQ("by deployment", count_at(&f, fixture_call(&f, "ListTasks", "{\"startedBy\":\"ecs-svc/0000000000000000011\"}"), "taskArns"), 4);

    struct str page = fixture_call(&f, "ListTasks", "{\"serviceName\":\"web\",\"maxResults\":1}");
    CHECK_STR("a page", fixture_at(&f, page, "taskArns[0]"), str_from(a));
    page = fixture_call(&f, "ListTasks", text(&f, "{\"serviceName\":\"web\",\"maxResults\":1,\"nextToken\":\"%s\"}", at(&f, page, "nextToken")));
    CHECK_STR("the next one", fixture_at(&f, page, "taskArns[0]"), str_from(b));

    service_end(&f, web, SERVICE_DRAINING);
    fixture_check(&f, "of a DRAINING one", "ListTasks", "{\"serviceName\":\"web\"}", both);
    struct str shown = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\",\"%s\"]}", a, of_old));
    CHECK_STR("the group", fixture_at(&f, shown, "tasks[0].group"), STR("service:web"));
    CHECK_STR("startedBy", fixture_at(&f, shown, "tasks[0].startedBy"), STR("ecs-svc/0000000000000000011"));
    fixture_close(&f);
}

static void test_group(void)
{
    static const struct { const char *group; bool good; } rows[] = {
        { "service:web", false }, { "service:", false }, { "service", true }, { "Service:web", true }, { "my-service:web", true }, { "family:f", true },
    };
    struct api_fixture f;
    char hex[ID_HEX_LEN + 1];
    shop_open(&f);
    id_hex(machine_add(&f, "a", 0), hex);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const char *want = rows[r].good ? "{\"tasks\":[{" : INVALID "The group name must not begin with service:.";
        struct str ran = fixture_call(&f, "RunTask", text(&f, "{\"taskDefinition\":\"f\",\"group\":\"%s\"}", rows[r].group));
        CHECK(rows[r].group, str_starts_with(ran, str_from(want)));
        struct str started = fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"f\",\"containerInstances\":[\"%s\"],\"group\":\"%s\"}", hex, rows[r].group));
        CHECK(rows[r].group, str_starts_with(started, str_from(want)));
    }
    fixture_close(&f);
}

/* ---- clusters ---- */

static void check_counts(struct api_fixture *f, const char *row, const char *active, const char *draining)
{
    struct str reply = fixture_call(f, "DescribeClusters", "{\"include\":[\"STATISTICS\"]}");
    CHECK_STR(row, fixture_at(f, reply, "clusters[0].activeServicesCount"), str_from(active));
    CHECK_STR(row, fixture_at(f, reply, "clusters[0].statistics[4]"), str_from(text(f, "{\"name\":\"activeEC2ServiceCount\",\"value\":\"%s\"}", active)));
    CHECK_STR(row, fixture_at(f, reply, "clusters[0].statistics[6]"), str_from(text(f, "{\"name\":\"drainingEC2ServiceCount\",\"value\":\"%s\"}", draining)));
}

static void test_cluster(void)
{
    static const char *const refused = "ClusterContainsServicesException: The Cluster cannot be deleted while Services are active.";
    struct api_fixture f;
    shop_open(&f);
    check_counts(&f, "no service", "0", "0");
    int64_t web = service_add(&f, "web", DEPLOYMENT_CONTROLLER_TYPE_ECS, 2), other = service_add(&f, "other", DEPLOYMENT_CONTROLLER_TYPE_ECS, 2);
    check_counts(&f, "two", "2", "0");
    service_end(&f, web, SERVICE_INACTIVE);
    fixture_check(&f, "an ACTIVE one", "DeleteCluster", "{\"cluster\":\"default\"}", refused);
    service_end(&f, other, SERVICE_DRAINING);
    check_counts(&f, "a DRAINING one", "0", "1");
    fixture_check(&f, "a DRAINING one", "DeleteCluster", "{\"cluster\":\"default\"}", refused);
    service_end(&f, other, SERVICE_INACTIVE);
    check_counts(&f, "INACTIVE ones", "0", "0");
    struct str gone = fixture_call(&f, "DeleteCluster", "{\"cluster\":\"default\"}");
    CHECK_STR("INACTIVE ones", fixture_at(&f, gone, "cluster.status"), STR("INACTIVE"));
    fixture_close(&f);
}

/* ---- machines ---- */

/* A service's step stops its tasks there; nothing else does. */
static void test_draining(void)
{
    struct api_fixture f;
    char hex[ID_HEX_LEN + 1];
    shop_open(&f);
    id_hex(machine_add(&f, "a", 0), hex);
    const char *of_service = run_in(&f, "web", service_add(&f, "web", DEPLOYMENT_CONTROLLER_TYPE_ECS, 1)), *alone = run(&f);
    struct str reply = fixture_call(&f, "UpdateContainerInstancesState", text(&f, "{\"containerInstances\":[\"%s\"],\"status\":\"DRAINING\"}", hex));
    CHECK_STR("the machine", fixture_at(&f, reply, "containerInstances[0].status"), STR("DRAINING"));
    struct str tasks = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\",\"%s\"]}", of_service, alone));
    CHECK_STR("a task of a service", fixture_at(&f, tasks, "tasks[0].desiredStatus"), STR("RUNNING"));
    CHECK_STR("another task", fixture_at(&f, tasks, "tasks[1].desiredStatus"), STR("RUNNING"));
    check_world(&f, "draining");
    fixture_close(&f);
}

/* ---- tags ---- */

#define TAG(arn, key, value) "{\"resourceArn\":\"" arn "\",\"tags\":[{\"key\":\"" key "\",\"value\":\"" value "\"}]}"

static void test_service_tags(void)
{
    static const struct { const char *row, *body, *want; } rows[] = {
        { "a tag", TAG(SERVICE, "a", "1"), "{}" },
        { "one of Berth's own", TAG(SERVICE, "berth:replace", "stop-first:2"), "{}" },
        { "another value", TAG(SERVICE, "berth:replace", "stop-first:0"),
          INVALID "The tag berth:replace can't be \"stop-first:0\": it should be stop-first, stop-first:K with K from 1 to 100, or one-first." },
        { "in parts", TAG(SERVICE "/x", "a", "1"), INVALID "The ARN provided is invalid." },
        { "of no service", TAG(ARN_OF("service") "none", "a", "1"), "ResourceNotFoundException: The specified resource was not found: " ARN_OF("service") "none" },
        { "of an INACTIVE one", TAG(ARN_OF("service") "old", "a", "1"),
          INVALID "The specified service is inactive. Specify an active service and try again." },
    };
    struct api_fixture f;
    shop_open(&f);
    int64_t web = service_add(&f, "web", DEPLOYMENT_CONTROLLER_TYPE_ECS, 1);
    service_end(&f, service_add(&f, "old", DEPLOYMENT_CONTROLLER_TYPE_ECS, 1), SERVICE_INACTIVE);
    for (size_t r = 0; r < COUNT_OF(rows); r++) { fixture_check(&f, rows[r].row, "TagResource", rows[r].body, rows[r].want); }
    fixture_check(&f, "both", "ListTagsForResource", "{\"resourceArn\":\"" SERVICE "\"}",
                  "{\"tags\":[{\"key\":\"a\",\"value\":\"1\"},{\"key\":\"berth:replace\",\"value\":\"stop-first:2\"}]}");
    fixture_check(&f, "one goes", "UntagResource", "{\"resourceArn\":\"" SERVICE "\",\"tagKeys\":[\"berth:replace\"]}", "{}");
    fixture_check(&f, "one stays", "ListTagsForResource", "{\"resourceArn\":\"" SERVICE "\"}", "{\"tags\":[{\"key\":\"a\",\"value\":\"1\"}]}");
    service_end(&f, web, SERVICE_DRAINING);
    fixture_check(&f, "a DRAINING one", "TagResource", TAG(SERVICE, "b", "2"), "{}");
    fixture_close(&f);
}

/* A changed tag makes the next step of the service due, and the same request again does, too. */
static void test_tag_is_due(void)
{
    static const struct { const char *operation, *body; bool due; } rows[] = {
        { "TagResource", TAG(SERVICE, "berth:replace", "stop-first"), true },
        { "ListTagsForResource", "{\"resourceArn\":\"" SERVICE "\"}", false },
        { "UntagResource", "{\"resourceArn\":\"" SERVICE "\",\"tagKeys\":[\"none\"]}", false },
        { "UntagResource", "{\"resourceArn\":\"" SERVICE "\",\"tagKeys\":[\"berth:replace\"]}", true },
    };
    struct api_fixture f;
    shop_open(&f);
    int64_t web = service_add(&f, "web", DEPLOYMENT_CONTROLLER_TYPE_ECS, 1);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        while (roster_next(sched_roster(f.world), f.now_ms) != 0) { }
        fixture_check(&f, rows[r].body, rows[r].operation, rows[r].body, strcmp(rows[r].operation, "ListTagsForResource") == 0
                      ? "{\"tags\":[{\"key\":\"berth:replace\",\"value\":\"stop-first\"}]}" : "{}");
        CHECK_EQ(rows[r].body, roster_next(sched_roster(f.world), f.now_ms), rows[r].due ? web : 0);
    }
    fixture_close(&f);
}

static void test_task_set_tags(void)
{
    struct api_fixture f;
    shop_open(&f);
    (void)service_add(&f, "ext", DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL, 1);
    struct str made = fixture_call(&f, "CreateTaskSet", "{\"cluster\":\"default\",\"service\":\"ext\",\"taskDefinition\":\"f\"}");
    const char *arn = at(&f, made, "taskSet.taskSetArn");
    fixture_check(&f, "a tag", "TagResource", text(&f, "{\"resourceArn\":\"%s\",\"tags\":[{\"key\":\"a\",\"value\":\"1\"}]}", arn), "{}");
    fixture_check(&f, "it is kept", "ListTagsForResource", text(&f, "{\"resourceArn\":\"%s\"}", arn), "{\"tags\":[{\"key\":\"a\",\"value\":\"1\"}]}");
    (void)fixture_call(&f, "TagResource", text(&f, "{\"resourceArn\":\"%s\",\"tags\":[{\"key\":\"berth:replace\",\"value\":\"stop-first\"}]}", arn));
    CHECK_EQ("one of Berth's own", f.code, ERR_INVALID_PARAMETER);
    fixture_check(&f, "it goes", "UntagResource", text(&f, "{\"resourceArn\":\"%s\",\"tagKeys\":[\"a\"]}", arn), "{}");
    fixture_check(&f, "none", "ListTagsForResource", text(&f, "{\"resourceArn\":\"%s\"}", arn), "{\"tags\":[]}");
    static const struct { const char *arn, *want; } rows[] = {
        { ARN_OF("task-set") "ext/ecs-svc/0000000000000000001", "ResourceNotFoundException: The specified resource was not found: "
          ARN_OF("task-set") "ext/ecs-svc/0000000000000000001" },
        { ARN_OF("task-set") "none/ecs-svc/0000000000000000001", "ResourceNotFoundException: The specified resource was not found: "
          ARN_OF("task-set") "none/ecs-svc/0000000000000000001" },
        { ARN_OF("task-set") "ext/ecs-svc/1", INVALID "The ARN provided is invalid." },
        { ARN_OF("task-set") "ext", INVALID "The ARN provided is invalid." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        fixture_check(&f, rows[r].arn, "TagResource", text(&f, "{\"resourceArn\":\"%s\",\"tags\":[]}", rows[r].arn), rows[r].want);
    }
    fixture_close(&f);
}

int main(void)
{
    test_list();
    test_group();
    test_cluster();
    test_draining();
    test_service_tags();
    test_tag_is_due();
    test_task_set_tags();
    return check_report();
}
