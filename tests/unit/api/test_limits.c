/* Limits of requests: both sides of each cell, told by the refusal. A request within its limits hears another reason, or is done; one beyond them
 * hears which limit it breaks. */
#include "tests/unit/api/api_fixture.h"

enum kind { NUMBER, TEXT, LIST };
struct limit { const char *operation, *before, *after, *item; enum kind kind; int64_t min, max; };   /* -1: no such side */

#define SERVICE "{\"serviceName\":\"web\","
#define UPDATE  "{\"service\":\"web\","
#define TASKSET "{\"cluster\":\"c\",\"service\":\"web\",\"taskDefinition\":\"f\","
#define SCALING "{\"name\":\"p\",\"autoScalingGroupProvider\":{\"autoScalingGroupArn\":\"a\",\"managedScaling\":{"
#define DAEMON  "{\"daemonName\":\"d\",\"daemonTaskDefinitionArn\":\"a\",\"capacityProviderArns\":[],"
#define EXPRESS "{\"infrastructureRoleArn\":\"a\","
#define HOOKS   SERVICE "\"deploymentConfiguration\":{\"lifecycleHooks\":[{\"timeoutConfiguration\":{"

static const struct limit limits[] = {
    { "CreateService", "{\"serviceName\":", "}", NULL, TEXT, 1, 255 },
    { "CreateService", SERVICE "\"desiredCount\":", "}", NULL, NUMBER, 0, INT32_MAX },
    { "CreateService", SERVICE "\"clientToken\":", "}", NULL, TEXT, -1, 36 },
    { "CreateService", SERVICE "\"healthCheckGracePeriodSeconds\":", "}", NULL, NUMBER, 0, INT32_MAX },
    { "CreateService", SERVICE "\"capacityProviderStrategy\":", "}", "{\"capacityProvider\":\"p\"}", LIST, -1, 20 },
    { "CreateService", SERVICE "\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\",\"weight\":", "}]}", NULL, NUMBER, 0, 1000 },
    { "CreateService", SERVICE "\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\",\"base\":", "}]}", NULL, NUMBER, 0, 100000 },
    { "CreateService", SERVICE "\"placementConstraints\":", "}", "{}", LIST, -1, 10 },
    { "CreateService", SERVICE "\"placementStrategy\":", "}", "{}", LIST, -1, 5 },
    { "CreateService", SERVICE "\"loadBalancers\":", "}", "{}", LIST, -1, 5 },
    { "CreateService", SERVICE "\"loadBalancers\":[{\"containerPort\":", "}]}", NULL, NUMBER, 1, 65535 },
    { "CreateService", SERVICE "\"loadBalancers\":[{\"containerName\":", "}]}", NULL, TEXT, -1, 255 },
    { "CreateService", SERVICE "\"serviceRegistries\":[{\"port\":", "}]}", NULL, NUMBER, 1, 65535 },
    { "CreateService", SERVICE "\"serviceRegistries\":[{\"containerPort\":", "}]}", NULL, NUMBER, 1, 65535 },
    { "CreateService", SERVICE "\"tags\":", "}", "{}", LIST, -1, 50 },
    { "CreateService", SERVICE "\"deploymentConfiguration\":{\"maximumPercent\":", "}}", NULL, NUMBER, 0, INT32_MAX },
    { "CreateService", SERVICE "\"deploymentConfiguration\":{\"minimumHealthyPercent\":", "}}", NULL, NUMBER, 0, INT32_MAX },
    { "CreateService", SERVICE "\"deploymentConfiguration\":{\"bakeTimeInMinutes\":", "}}", NULL, NUMBER, 0, 1440 },
    { "CreateService", SERVICE "\"deploymentConfiguration\":{\"linearConfiguration\":{\"stepPercent\":", "}}}", NULL, NUMBER, 3, 100 },
    { "CreateService", SERVICE "\"deploymentConfiguration\":{\"linearConfiguration\":{\"stepBakeTimeInMinutes\":", "}}}", NULL, NUMBER, 0, 1440 },
    { "CreateService", SERVICE "\"deploymentConfiguration\":{\"canaryConfiguration\":{\"canaryPercent\":", "}}}", NULL, NUMBER, 0, 100 },
    { "CreateService", SERVICE "\"deploymentConfiguration\":{\"canaryConfiguration\":{\"canaryBakeTimeInMinutes\":", "}}}", NULL, NUMBER, 0, 1440 },
    { "CreateService", HOOKS "\"timeoutInMinutes\":", "}}]}}", NULL, NUMBER, 1, 20160 },
    { "UpdateService", UPDATE "\"desiredCount\":", "}", NULL, NUMBER, 0, INT32_MAX },
    { "UpdateService", UPDATE "\"capacityProviderStrategy\":", "}", "{\"capacityProvider\":\"p\"}", LIST, -1, 20 },
    { "UpdateService", UPDATE "\"placementConstraints\":", "}", "{}", LIST, -1, 10 },
    { "UpdateService", UPDATE "\"placementStrategy\":", "}", "{}", LIST, -1, 5 },
    { "UpdateService", UPDATE "\"loadBalancers\":", "}", "{}", LIST, -1, 5 },
    { "UpdateService", UPDATE "\"healthCheckGracePeriodSeconds\":", "}", NULL, NUMBER, 0, INT32_MAX },
    { "DescribeServices", "{\"services\":", "}", "\"web\"", LIST, 1, 10 },
    { "ListServices", "{\"maxResults\":", "}", NULL, NUMBER, 1, 100 },
    { "ListServicesByNamespace", "{\"namespace\":\"n\",\"maxResults\":", "}", NULL, NUMBER, 1, 100 },
    { "CreateTaskSet", TASKSET "\"clientToken\":", "}", NULL, TEXT, -1, 36 },
    { "CreateTaskSet", TASKSET "\"capacityProviderStrategy\":", "}", "{\"capacityProvider\":\"p\"}", LIST, -1, 20 },
    { "CreateTaskSet", TASKSET "\"loadBalancers\":", "}", "{}", LIST, -1, 5 },
    { "CreateTaskSet", TASKSET "\"scale\":{\"value\":", "}}", NULL, NUMBER, 0, 100 },
    { "DescribeServiceDeployments", "{\"serviceDeploymentArns\":", "}", "\"a\"", LIST, 1, 20 },
    { "DescribeServiceRevisions", "{\"serviceRevisionArns\":", "}", "\"a\"", LIST, 1, 20 },
    { "ListServiceDeployments", "{\"service\":\"web\",\"maxResults\":", "}", NULL, NUMBER, 1, 100 },
    { "CreateCapacityProvider", "{\"name\":", "}", NULL, TEXT, 1, 255 },
    { "CreateCapacityProvider", SCALING "\"targetCapacity\":", "}}}", NULL, NUMBER, 1, 100 },
    { "CreateCapacityProvider", SCALING "\"minimumScalingStepSize\":", "}}}", NULL, NUMBER, 1, 10000 },
    { "CreateCapacityProvider", SCALING "\"maximumScalingStepSize\":", "}}}", NULL, NUMBER, 1, 10000 },
    { "CreateCapacityProvider", SCALING "\"instanceWarmupPeriod\":", "}}}", NULL, NUMBER, 0, 10000 },
    { "DescribeCapacityProviders", "{\"capacityProviders\":", "}", "\"p\"", LIST, -1, 100 },
    { "DescribeCapacityProviders", "{\"maxResults\":", "}", NULL, NUMBER, 1, 10 },
    { "CreateDaemon", "{\"daemonTaskDefinitionArn\":\"a\",\"capacityProviderArns\":[],\"daemonName\":", "}", NULL, TEXT, 1, 255 },
    { "CreateDaemon", DAEMON "\"clientToken\":", "}", NULL, TEXT, -1, 36 },
    { "CreateDaemon", DAEMON "\"deploymentConfiguration\":{\"drainPercent\":", "}}", NULL, NUMBER, 0, 100 },
    { "CreateDaemon", DAEMON "\"deploymentConfiguration\":{\"bakeTimeInMinutes\":", "}}", NULL, NUMBER, 0, 1440 },
    { "DescribeDaemonDeployments", "{\"daemonDeploymentArns\":", "}", "\"a\"", LIST, 1, 20 },
    { "DescribeDaemonRevisions", "{\"daemonRevisionArns\":", "}", "\"a\"", LIST, 1, 20 },
    { "CreateExpressGatewayService", EXPRESS "\"serviceName\":", "}", NULL, TEXT, 1, 255 },
    { "CreateExpressGatewayService", EXPRESS "\"primaryContainer\":{\"image\":\"i\",\"containerPort\":", "}}", NULL, NUMBER, 1, 65535 },
    { "CreateExpressGatewayService", EXPRESS "\"scalingTarget\":{\"minTaskCount\":", "}}", NULL, NUMBER, 0, INT32_MAX },
    { "CreateExpressGatewayService", EXPRESS "\"networkConfiguration\":{\"subnets\":", "}}", "\"s\"", LIST, -1, 16 },
    { "CreateExpressGatewayService", EXPRESS "\"networkConfiguration\":{\"securityGroups\":", "}}", "\"s\"", LIST, -1, 5 },
};

/* A value of that size: the number itself, or this many letters or items. */
static void put_value(struct buf *body, const struct limit *limit, int64_t size)
{
    if (limit->kind == NUMBER) {
        buf_printf(body, "%" PRId64, size);
        return;
    }
    buf_put(body, limit->kind == TEXT ? STR("\"") : STR("["));
    for (int64_t i = 0; i < size; i++) {
        if (limit->kind == LIST && i > 0) { buf_put_char(body, ','); }
        buf_put(body, limit->kind == TEXT ? STR("x") : str_from(limit->item));
    }
    buf_put(body, limit->kind == TEXT ? STR("\"") : STR("]"));
}

/* No text is that of a broken limit. */
static bool is_within(struct str got)
{
    static const struct str complaints[] = {
        STR_INIT(" should be between "), STR_INIT(" length should be between "), STR_INIT(" should have between "), STR_INIT(" can not be converted to "),
        STR_INIT("s can not be blank."), STR_INIT("Name can not be blank."), STR_INIT(" name can not be blank."), STR_INIT("desiredCount cannot be a negative number."),
        STR_INIT("Services cannot be empty."),
    };
    for (size_t c = 0; c < COUNT_OF(complaints); c++) {
        if (str_contains(got, complaints[c])) { return false; }
    }
    return true;
}

static void check_size(struct api_fixture *f, const struct limit *limit, int64_t size, bool good)
{
    const struct operation *operation = api_operation(str_from(limit->operation));
    struct buf body = buf_in(&f->kept), row = buf_in(&f->kept);
    buf_put(&body, str_from(limit->before));
    put_value(&body, limit, size);
    buf_put(&body, str_from(limit->after));
    buf_printf(&row, "%s %s %" PRId64, limit->operation, limit->before, size);
    const char *name = arena_cstr(&f->kept, buf_str(&row));

    struct str got = fixture_call_str(f, limit->operation, buf_str(&body));
    CHECK(name, is_within(got) == good);
    bool beyond_the_kind = size > INT32_MAX;                 /* no Integer at all */
    if (!good) { CHECK_EQ(name, f->code, beyond_the_kind ? ERR_SERIALIZATION : operation->invalid); }
}

static void test_limits(struct api_fixture *f)
{
    for (size_t l = 0; l < COUNT_OF(limits); l++) {
        const struct limit *limit = &limits[l];
        if (limit->min >= 0) { check_size(f, limit, limit->min, true); }
        if (limit->min > 0 || (limit->min == 0 && limit->kind == NUMBER)) { check_size(f, limit, limit->min - 1, false); }
        check_size(f, limit, limit->max, true);
        check_size(f, limit, limit->max + 1, false);
    }
}

/* ---- every operation that is not served ---- */

static void put_smallest(struct buf *body, const struct schema *schema);

static void put_smallest_value(struct buf *body, const struct field *field, enum field_kind kind)
{
    switch (kind) {
    case FIELD_STR: case FIELD_TIME: case FIELD_JSON: buf_put(body, kind == FIELD_STR ? STR("\"a\"") : STR("1")); return;
    case FIELD_BOOL:                                  buf_put(body, STR("true"));                                 return;
    case FIELD_INT: case FIELD_LONG: case FIELD_DOUBLE: buf_printf(body, "%" PRId64, field->min);                 return;
    case FIELD_ENUM:   buf_printf(body, "\"" STR_FMT "\"", STR_ARG(field->names->words[0]));                      return;
    case FIELD_STRUCT: put_smallest(body, field->schema);                                                         return;
    case FIELD_MAP:    buf_put(body, STR("{}"));                                                                  return;
    case FIELD_LIST:
        buf_put_char(body, '[');
        if (field->min > 0) { put_smallest_value(body, field, field->element); }
        buf_put_char(body, ']');
        return;
    case FIELD_ID: case FIELD_I64: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);
}

/* Only the required members. */
static void put_smallest(struct buf *body, const struct schema *schema)
{
    const char *separator = "";
    buf_put_char(body, '{');
    for (size_t i = 0; i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        if (!field->required || field->name.len == 0) { continue; }
        buf_printf(body, "%s\"" STR_FMT "\":", separator, STR_ARG(field->name));
        put_smallest_value(body, field, field->kind);
        separator = ",";
    }
    buf_put_char(body, '}');
}

int main(void)
{
    struct api_fixture f;
    fixture_open(&f);
    static const char *const clusters[] = { "{}", "{\"clusterName\":\"a\"}", "{\"clusterName\":\"c\"}" };
    for (size_t c = 0; c < COUNT_OF(clusters); c++) { (void)fixture_call(&f, "CreateCluster", clusters[c]); }
    test_limits(&f);
    fixture_close(&f);
    return check_report();
}
