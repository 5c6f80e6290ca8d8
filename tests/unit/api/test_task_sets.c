/* Task sets: each rule from both sides, the life of a set up to the service's step, and the same call again. */
#include "tests/unit/api/kept_services.h"
#include "tests/unit/api/traffic.h"

#define OF "\"cluster\":\"default\",\"service\":\"ext\""
#define CREATE(more) "{" OF ",\"taskDefinition\":\"f\"" more "}"
#define INVALID "InvalidParameterException: "
#define NOT_EXTERNAL INVALID "Amazon ECS only supports task set management on services configured to use external deployment controllers."
#define NO_SET "TaskSetNotFoundException: The specified task set does not exist."
#define NOBODYS_SET "ecs-svc/0000000000000000001"
#define BALANCER(container) ",\"loadBalancers\":[{\"targetGroupArn\":\"" GROUP("t") "\",\"containerName\":\"" container "\",\"containerPort\":80}]"

struct shop { struct api_fixture f; int64_t service; };

/* A service "ext" with the controller EXTERNAL, one "ecs" with ECS, a DRAINING and an INACTIVE one. */
static void shop_open(struct shop *shop, int64_t desired)
{
    cluster_open(&shop->f);
    group_add(&shop->f, "t", "0", true);
    define(&shop->f, "f", ",\"portMappings\":[{\"containerPort\":80}]", "");
    define(&shop->f, "vpc", "", ",\"networkMode\":\"awsvpc\"");
    define(&shop->f, "gone", "", "");
    (void)fixture_call(&shop->f, "DeregisterTaskDefinition", "{\"taskDefinition\":\"gone:1\"}");
    shop->service = service_add(&shop->f, "ext", DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL, desired);
    (void)service_add(&shop->f, "ecs", DEPLOYMENT_CONTROLLER_TYPE_ECS, 1);
    service_end(&shop->f, service_add(&shop->f, "leaving", DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL, 0), SERVICE_DRAINING);
    service_end(&shop->f, service_add(&shop->f, "old", DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL, 0), SERVICE_INACTIVE);
}

static const char *create(struct shop *shop, const char *more)
{
    struct str reply = fixture_call(&shop->f, "CreateTaskSet", text(&shop->f, "{" OF ",\"taskDefinition\":\"f\"%s}", more));
    CHECK_EQ(more, shop->f.code, ERR_NONE);
    return at(&shop->f, reply, "taskSet.id");
}

static struct str act(struct shop *shop, const char *operation, const char *set, const char *more)
{
    const char *member = strcmp(operation, "UpdateServicePrimaryTaskSet") == 0 ? "primaryTaskSet" : "taskSet";
    return fixture_call(&shop->f, operation, text(&shop->f, "{" OF ",\"%s\":\"%s\"%s}", member, set, more));
}

/* As a step of the service leaves the sets: with this count, and stable. */
static void settle(struct shop *shop, int64_t computed)
{
    struct by_hand hand;
    struct kept_deployment *sets;
    struct op_ctx *ctx = hand_begin(&hand, &shop->f);
    size_t count = store_list_deployments(ctx->txn, shop->service, &sets, ctx->arena);
    for (size_t s = 0; s < count; s++) {
        sets[s].task_set->computed = computed;
        task_set_become(sets[s].task_set, STABILITY_STATUS_STEADY_STATE, shop->f.now_ms);
        store_put_deployment(ctx->txn, &sets[s]);
    }
    hand_end(&hand);
}

/* ---- CreateTaskSet ---- */

static void test_create_rules(void)
{
    static const struct { const char *row, *body, *want; } rows[] = {
        { "a set", CREATE(""), NULL },
        { "no such cluster", "{\"cluster\":\"none\",\"service\":\"ext\",\"taskDefinition\":\"f\"}", "ClusterNotFoundException: Cluster not found." },
        { "no such service", "{\"cluster\":\"default\",\"service\":\"none\",\"taskDefinition\":\"f\"}", "ServiceNotFoundException: Service not found." },
        { "a DRAINING one", "{\"cluster\":\"default\",\"service\":\"leaving\",\"taskDefinition\":\"f\"}", "ServiceNotActiveException: Service was not ACTIVE." },
        { "an INACTIVE one", "{\"cluster\":\"default\",\"service\":\"old\",\"taskDefinition\":\"f\"}", "ServiceNotActiveException: Service was not ACTIVE." },
        { "the controller ECS", "{\"cluster\":\"default\",\"service\":\"ecs\",\"taskDefinition\":\"f\"}", NOT_EXTERNAL },
        { "a token", CREATE(",\"clientToken\":\"!~\""), NULL },
        { "a token with a blank", CREATE(",\"clientToken\":\"a b\""), INVALID "clientToken may have characters of ASCII from 33 to 126 only." },
        { "no such family", "{" OF ",\"taskDefinition\":\"none\"}", "ClientException: TaskDefinition not found." },
        { "no such revision", "{" OF ",\"taskDefinition\":\"f:2\"}", "ClientException: TaskDefinition not found." },
        { "an INACTIVE revision", "{" OF ",\"taskDefinition\":\"gone:1\"}", "ClientException: TaskDefinition is inactive" },
        { "FARGATE", CREATE(",\"launchType\":\"FARGATE\""), "UnsupportedFeatureException: Launch type FARGATE is not available: Berth runs tasks on the "
          "machines that are registered with it. Use EC2 or EXTERNAL." },
        { "a launch type and a strategy", CREATE(",\"launchType\":\"EC2\",\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\",\"weight\":1}]"),
          INVALID "Specify either Launch Type or Capacity Provider Strategy, but not both." },
        { "an unknown provider", CREATE(",\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\",\"weight\":1}]"),
          INVALID "The specified capacity provider 'p' was not found. Specify a valid name or ARN and try again." },
        { "a network for bridge", CREATE(",\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[\"s\"]}}"),
          INVALID "Network Configuration is not valid for the given networkMode of this task definition." },
        { "awsvpc without a network", "{" OF ",\"taskDefinition\":\"vpc\"}",
          INVALID "Network Configuration must be provided when networkMode 'awsvpc' is specified." },
        { "awsvpc", "{" OF ",\"taskDefinition\":\"vpc\",\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[\"s\"]}}}", NULL },
        { "a balancer", CREATE(BALANCER("main")), NULL },
        { "a balancer of no container", CREATE(BALANCER("other")), INVALID "The container other does not exist in the task definition." },
        { "a registry", CREATE(",\"serviceRegistries\":[{\"registryArn\":\"arn:aws:servicediscovery:us-east-1:123456789012:service/web\"}]"), NULL },
        { "a registry on EXTERNAL", CREATE(",\"launchType\":\"EXTERNAL\",\"serviceRegistries\":[{\"registryArn\":\"r\"}]"),
          INVALID "Service registries are not supported for external launch type." },
        { "a scale of 0", CREATE(",\"scale\":{\"value\":0,\"unit\":\"PERCENT\"}"), NULL },
        { "a scale of 100", CREATE(",\"scale\":{\"value\":100.0}"), NULL },
        { "a scale below 0", CREATE(",\"scale\":{\"value\":-0.1}"), INVALID "scale.value should be between 0 and 100, but was -0.1." },
        { "a scale above 100", CREATE(",\"scale\":{\"value\":100.1}"), INVALID "scale.value should be between 0 and 100, but was 100.1." },
        { "a scale without a value", CREATE(",\"scale\":{\"unit\":\"PERCENT\"}"), INVALID "scale.value can not be blank." },
        { "a tag twice", CREATE(",\"tags\":[{\"key\":\"a\"},{\"key\":\"a\"}]"), INVALID "Tag key \"a\" is given twice." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct shop shop;
        shop_open(&shop, 10);
        struct str got = fixture_call(&shop.f, "CreateTaskSet", rows[r].body);
        CHECK_STR(rows[r].row, rows[r].want == NULL ? str_slice(got, 0, 11) : got, str_from(rows[r].want == NULL ? "{\"taskSet\":" : rows[r].want));
        fixture_close(&shop.f);
    }
}

/* Members that a new set shows. */
static void test_created(void)
{
    static const struct { const char *path, *want; } rows[] = {
        { "clusterArn", "arn:aws:ecs:us-east-1:123456789012:cluster/default" },
        { "serviceArn", "arn:aws:ecs:us-east-1:123456789012:service/default/ext" },
        { "externalId", "e" }, { "status", "ACTIVE" }, { "taskDefinition", "arn:aws:ecs:us-east-1:123456789012:task-definition/f:1" },
        { "computedDesiredCount", "0" }, { "pendingCount", "0" }, { "runningCount", "0" }, { "launchType", "EC2" },
        { "scale", "{\"value\":33.3333,\"unit\":\"PERCENT\"}" }, { "stabilityStatus", "STABILIZING" }, { "serviceRegistries", "[]" },
        { "loadBalancers[0].containerPort", "80" }, { "tags", "[{\"key\":\"a\",\"value\":\"1\"}]" }, { "startedBy", "(absent)" },
        { "networkConfiguration", "(absent)" }, { "capacityProviderStrategy", "(absent)" }, { "platformVersion", "(absent)" },
    };
    struct shop shop;
    shop_open(&shop, 10);
    struct str reply = fixture_call(&shop.f, "CreateTaskSet", CREATE(BALANCER("main") ",\"externalId\":\"e\",\"scale\":{\"value\":33.3333},"
                                                                     "\"tags\":[{\"key\":\"a\",\"value\":\"1\"}]"));
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_STR(rows[r].path, str_from(at(&shop.f, reply, text(&shop.f, "taskSet.%s", rows[r].path))), str_from(rows[r].want));
    }
    const char *id = at(&shop.f, reply, "taskSet.id");
    CHECK_STR("the ARN has the id", str_from(at(&shop.f, reply, "taskSet.taskSetArn")),
              str_from(text(&shop.f, "arn:aws:ecs:us-east-1:123456789012:task-set/default/ext/%s", id)));
    CHECK_EQ("the id has 19 digits", (int64_t)strlen(id), 8 + 19);
    CHECK_STR("a plain one has no tags", str_from(at(&shop.f, fixture_call(&shop.f, "CreateTaskSet", CREATE("")), "taskSet.tags")), STR("(absent)"));
    fixture_close(&shop.f);
}

static void test_limit(void)
{
    struct shop shop;
    shop_open(&shop, 10);
    const char *first = create(&shop, ""), *last = first;
    for (int s = 1; s < 5; s++) {
        const char *next = create(&shop, "");
        CHECK("digits grow", strcmp(next, last) > 0);
        last = next;
    }
    fixture_check(&shop.f, "a sixth", "CreateTaskSet", CREATE(""),
                  INVALID "5 deployments exist on the service. Unable to create new TaskSet since this exceeds the maximum limit.");
    (void)act(&shop, "DeleteTaskSet", first, "");
    fixture_check(&shop.f, "a DRAINING one counts", "CreateTaskSet", CREATE(""),
                  INVALID "5 deployments exist on the service. Unable to create new TaskSet since this exceeds the maximum limit.");
    fixture_close(&shop.f);
}

static void test_token(void)
{
    struct shop shop;
    shop_open(&shop, 10);
    const char *made = create(&shop, ",\"clientToken\":\"x\",\"scale\":{\"value\":10}");
    (void)act(&shop, "UpdateTaskSet", made, ",\"scale\":{\"value\":20}");
    CHECK_STR("again", str_from(create(&shop, ",\"clientToken\":\"x\",\"scale\":{\"value\":10}")), str_from(made));
    fixture_check(&shop.f, "with another scale", "CreateTaskSet", CREATE(",\"clientToken\":\"x\",\"scale\":{\"value\":11}"),
                  INVALID "Creation of task set was not idempotent.");
    CHECK("with another token", strcmp(create(&shop, ",\"clientToken\":\"y\",\"scale\":{\"value\":10}"), made) != 0);
    CHECK("without one", strcmp(create(&shop, ",\"scale\":{\"value\":10}"), made) != 0);
    fixture_close(&shop.f);
}

/* ---- changes ---- */

static void check_set(struct shop *shop, const char *row, const char *set, const char *path, const char *want)
{
    struct str reply = fixture_call(&shop->f, "DescribeTaskSets", text(&shop->f, "{" OF ",\"taskSets\":[\"%s\"]}", set));
    CHECK_STR(row, str_from(at(&shop->f, reply, text(&shop->f, "taskSets[0].%s", path))), str_from(want));
}

static void test_update(void)
{
    static const struct { const char *row, *more, *want; } rows[] = {
        { "no scale", "", INVALID "scale can not be blank." },
        { "an empty one", ",\"scale\":{}", INVALID "scale.value can not be blank." },
        { "below 0", ",\"scale\":{\"value\":-1}", INVALID "scale.value should be between 0 and 100, but was -1." },
        { "above 100", ",\"scale\":{\"value\":101}", INVALID "scale.value should be between 0 and 100, but was 101." },
    };
    struct shop shop;
    shop_open(&shop, 10);
    const char *set = create(&shop, "");
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_STR(rows[r].row, act(&shop, "UpdateTaskSet", set, rows[r].more), str_from(rows[r].want)); }

    settle(&shop, 3);
    (void)act(&shop, "UpdateTaskSet", set, ",\"scale\":{\"value\":21}");
    check_set(&shop, "3 of 10 as before", set, "stabilityStatus", "STEADY_STATE");
    struct str reply = act(&shop, "UpdateTaskSet", set, ",\"scale\":{\"value\":31}");
    CHECK_STR("the count is the step's to change", fixture_at(&shop.f, reply, "taskSet.computedDesiredCount"), STR("3"));
    CHECK_STR("the scale", fixture_at(&shop.f, reply, "taskSet.scale.value"), STR("31.0"));
    check_set(&shop, "a fourth is to come", set, "stabilityStatus", "STABILIZING");
    (void)act(&shop, "DeleteTaskSet", set, ",\"force\":true");
    CHECK_STR("a DRAINING one", act(&shop, "UpdateTaskSet", set, ",\"scale\":{\"value\":1}"),
              STR(INVALID "The task set is DRAINING: it can't be changed any more."));
    fixture_close(&shop.f);
}

static void test_primary(void)
{
    struct shop shop;
    shop_open(&shop, 10);
    const char *a = create(&shop, ""), *b = create(&shop, "");
    check_set(&shop, "no set begins as the PRIMARY", a, "status", "ACTIVE");
    struct str reply = act(&shop, "UpdateServicePrimaryTaskSet", a, "");
    CHECK_STR("the PRIMARY", fixture_at(&shop.f, reply, "taskSet.status"), STR("PRIMARY"));
    reply = act(&shop, "UpdateServicePrimaryTaskSet", a, "");
    CHECK_STR("again", fixture_at(&shop.f, reply, "taskSet.status"), STR("PRIMARY"));
    (void)act(&shop, "UpdateServicePrimaryTaskSet", b, "");
    check_set(&shop, "the next PRIMARY", b, "status", "PRIMARY");
    check_set(&shop, "the last one", a, "status", "ACTIVE");

    CHECK_STR("the PRIMARY stays", act(&shop, "DeleteTaskSet", b, ""), STR(INVALID "Primary TaskSet cannot be deleted"));
    (void)act(&shop, "DeleteTaskSet", b, ",\"force\":true");
    check_set(&shop, "with force it goes", b, "status", "DRAINING");
    CHECK_STR("a DRAINING one", act(&shop, "UpdateServicePrimaryTaskSet", b, ""),
              STR(INVALID "The task set is DRAINING: it can't be changed any more."));
    struct store_txn *txn = store_read_begin(shop.f.store);
    CHECK_EQ("the service has no revision", store_service(txn, shop.service, &shop.f.kept)->revision, 0);
    CHECK("the service can be read", store_read_end(txn));
    fixture_close(&shop.f);
}

static void test_delete(void)
{
    static const char *const operations[] = { "DeleteTaskSet", "UpdateServicePrimaryTaskSet", "UpdateTaskSet" };
    struct shop shop;
    shop_open(&shop, 10);
    const char *set = create(&shop, ",\"scale\":{\"value\":0.0001}"), *empty = create(&shop, "");
    settle(&shop, 1);
    CHECK_STR("above 0", act(&shop, "DeleteTaskSet", set, ""), STR(INVALID "The task set cannot be deleted while its scale is above 0."));
    struct str reply = act(&shop, "DeleteTaskSet", set, ",\"force\":true");
    CHECK_STR("it is DRAINING", fixture_at(&shop.f, reply, "taskSet.status"), STR("DRAINING"));
    CHECK_STR("and has no tasks to come", fixture_at(&shop.f, reply, "taskSet.computedDesiredCount"), STR("0"));
    CHECK_STR("it is not stable", fixture_at(&shop.f, reply, "taskSet.stabilityStatus"), STR("STABILIZING"));
    CHECK_STR("again", act(&shop, "DeleteTaskSet", set, ""), reply);
    CHECK_STR("at 0", fixture_at(&shop.f, act(&shop, "DeleteTaskSet", empty, ""), "taskSet.status"), STR("DRAINING"));

    for (size_t o = 0; o < COUNT_OF(operations); o++) {
        CHECK_STR(operations[o], act(&shop, operations[o], NOBODYS_SET, ",\"scale\":{\"value\":1}"), STR(NO_SET));
        CHECK_STR(operations[o], act(&shop, operations[o], "1", ",\"scale\":{\"value\":1}"), STR(INVALID "TaskSet Identifier is invalid"));
        CHECK_STR(operations[o], act(&shop, operations[o], "arn:aws:ecs:us-east-1:123456789012:task-set/default/ecs/" NOBODYS_SET, ",\"scale\":{\"value\":1}"),
                  STR(NO_SET));
    }
    fixture_close(&shop.f);
}

/* ---- DescribeTaskSets ---- */

static void test_describe(void)
{
    struct shop shop;
    shop_open(&shop, 10);
    struct api_fixture *f = &shop.f;
    fixture_check(f, "no set", "DescribeTaskSets", "{" OF "}", "{\"taskSets\":[],\"failures\":[]}");
    const char *a = create(&shop, ",\"tags\":[{\"key\":\"a\",\"value\":\"1\"}]"), *b = create(&shop, "");
    struct str all = fixture_call(f, "DescribeTaskSets", "{" OF "}");
    CHECK_EQ("all of them", count_at(f, all, "taskSets"), 2);
    CHECK_STR("the oldest first", str_from(at(f, all, "taskSets[0].id")), str_from(a));
    CHECK_STR("no tags", str_from(at(f, all, "taskSets[0].tags")), STR("(absent)"));
    all = fixture_call(f, "DescribeTaskSets", "{" OF ",\"include\":[\"TAGS\"]}");
    CHECK_STR("tags", str_from(at(f, all, "taskSets[0].tags")), STR("[{\"key\":\"a\",\"value\":\"1\"}]"));
    CHECK_STR("no tags of the other", str_from(at(f, all, "taskSets[1].tags")), STR("[]"));

    const char *arn = at(f, all, "taskSets[0].taskSetArn");
    struct str some = fixture_call(f, "DescribeTaskSets", text(f, "{" OF ",\"taskSets\":[\"%s\",\"" NOBODYS_SET "\",\"%s\","
                                                                 "\"arn:aws:ecs:us-east-1:123456789012:task-set/default/ecs/%s\"]}", b, arn, b));
    CHECK_STR("in the order of the request", str_from(at(f, some, "taskSets[0].id")), str_from(b));
    CHECK_STR("by ARN", str_from(at(f, some, "taskSets[1].id")), str_from(a));
    CHECK_STR("the failures", str_from(at(f, some, "failures")),
              str_from(text(f, "[{\"arn\":\"arn:aws:ecs:us-east-1:123456789012:task-set/default/ext/" NOBODYS_SET "\",\"reason\":\"MISSING\"},"
                            "{\"arn\":\"arn:aws:ecs:us-east-1:123456789012:task-set/default/ecs/%s\",\"reason\":\"MISSING\"}]", b)));
    static const struct { const char *row, *body, *want; } rows[] = {
        { "no id",                "{" OF ",\"taskSets\":[\"1\"]}", INVALID "TaskSet Identifier is invalid" },
        { "no such cluster",      "{\"cluster\":\"none\",\"service\":\"ext\"}", "ClusterNotFoundException: Cluster not found." },
        { "no such service",      "{\"cluster\":\"default\",\"service\":\"none\"}", "ServiceNotFoundException: Service not found." },
        { "of the controller ECS", "{\"cluster\":\"default\",\"service\":\"ecs\"}", NOT_EXTERNAL },
        { "of a DRAINING one",    "{\"cluster\":\"default\",\"service\":\"leaving\"}", "{\"taskSets\":[],\"failures\":[]}" },
        { "of an INACTIVE one",   "{\"cluster\":\"default\",\"service\":\"old\"}", "ServiceNotActiveException: Service was not ACTIVE." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { fixture_check(f, rows[r].row, "DescribeTaskSets", rows[r].body, rows[r].want); }
    fixture_close(f);
}

int main(void)
{
    test_create_rules();
    test_created();
    test_limit();
    test_token();
    test_update();
    test_primary();
    test_delete();
    test_describe();
    return check_report();
}
