/* Express services: requests that are refused and leave nothing, the parts of a service with their defaults, updates, and deletions. */
#include "api/express/express.h"
#include "tests/unit/api/service_rollouts.h"

#define SERVICE_ARN(name) ACCOUNT_ARN "service/default/" name
#define ROLE(name) "arn:aws:iam::123456789012:role/" name
#define INFRA "\"infrastructureRoleArn\":\"" ROLE("infra") "\""
#define IMAGE(more) ",\"executionRoleArn\":\"" ROLE("exec") "\",\"primaryContainer\":{\"image\":\"shop:1\"" more "}"
#define SHOP(more) "{" INFRA ",\"serviceName\":\"shop\"" IMAGE("") more "}"
#define CHANGE(more) "{\"serviceArn\":\"" SERVICE_ARN("shop") "\"" more "}"
#define SCALE(members) ",\"scalingTarget\":{" members "}"
#define CREATE "CreateExpressGatewayService"
#define UPDATE "UpdateExpressGatewayService"
#define DELETE "DeleteExpressGatewayService"
#define DESCRIBE "DescribeExpressGatewayService"
#define NO_MAIN INVALID "The task definition must have a container Main with one port mapping, which has a containerPort, the protocol tcp and a name."
#define BAD_PATH INVALID "healthCheckPath must begin with '/' and have at most 1024 printable characters without blanks."
#define TOGETHER " can't be specified together with taskDefinitionArn."

static void express_open(struct api_fixture *f)
{
    static const char attributes[] = "\"attributes\":[";
    services_open(f);
    for (int m = 0; m < 2; m++) {
        const char *body = machine_body(f, m == 0 ? "node-a" : "node-b", 0, ""), *rest = strstr(body, attributes) + sizeof attributes - 1;
        struct str reply = fixture_call(f, "RegisterContainerInstance", text(f, "%.*s{\"name\":\"ecs.capability.task-cpu-mem-limit\"},%s", (int)(rest - body), body, rest));
        machine_presence(f, id_at(f, reply, "containerInstance.containerInstanceArn"), true);
    }
    addresses_add(f);
    static const struct { const char *family, *ports; } rows[] = {
        { "whole", "{\"containerPort\":90,\"name\":\"web\"}" }, { "unnamed", "{\"containerPort\":90}" }, { "udp", "{\"containerPort\":90,\"name\":\"web\",\"protocol\":\"udp\"}" },
        { "two", "{\"containerPort\":90,\"name\":\"web\"},{\"containerPort\":91,\"name\":\"more\"}" }, { "none", "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)fixture_call(f, "RegisterTaskDefinition", text(f, "{\"family\":\"%s\",\"containerDefinitions\":[{\"name\":\"side\",\"image\":\"x\",\"memory\":64},"
                                                             "{\"name\":\"Main\",\"image\":\"busybox\",\"memory\":64,\"portMappings\":[%s]}]}", rows[r].family, rows[r].ports));
        CHECK_EQ(rows[r].family, f->code, ERR_NONE);
    }
}

/* "web-0123abcd-a /path 80, …": the target groups with the path and the port of each, then the load balancers. */
static const char *gateways(struct api_fixture *f)
{
    struct str groups = fixture_call(f, "elb:DescribeTargetGroups", ""), balancers = fixture_call(f, "elb:DescribeLoadBalancers", "");
    struct buf out = buf_in(&f->kept);
    for (int64_t g = 0; g < count_at(f, groups, "TargetGroups"); g++) {
        buf_printf(&out, "%s %s %s, ", at(f, groups, text(f, "TargetGroups[%lld].TargetGroupName", (long long)g)),
                   at(f, groups, text(f, "TargetGroups[%lld].HealthCheckPath", (long long)g)), at(f, groups, text(f, "TargetGroups[%lld].Port", (long long)g)));
    }
    for (int64_t b = 0; b < count_at(f, balancers, "LoadBalancers"); b++) {
        buf_printf(&out, "%s", at(f, balancers, text(f, "LoadBalancers[%lld].LoadBalancerName", (long long)b)));
    }
    return arena_cstr(&f->kept, buf_str(&out));
}

static struct str shop(struct api_fixture *f) { return fixture_call(f, DESCRIBE, CHANGE("")); }
static const char *shop_at(struct api_fixture *f, const char *path) { return at(f, shop(f), text(f, "service.%s", path)); }

static void call_ok(struct api_fixture *f, const char *operation, const char *body)
{
    struct str reply = fixture_call(f, operation, body);
    CHECK_EQ(arena_cstr(&f->kept, reply), f->code, ERR_NONE);
}

/* ---- refusals ---- */

struct refusal { const char *row, *operation, *body, *want; };

static void check_refusals(struct api_fixture *f, const struct refusal *rows, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        struct str reply = fixture_call(f, rows[r].operation, rows[r].body), want = str_from(rows[r].want);
        CHECK_STR(rows[r].row, str_slice(reply, 0, want.len), want);
    }
}

static void test_create_refusals(void)
{
#define GIVEN(more) "{" INFRA ",\"taskDefinitionArn\":\"whole\"" more "}"
    static const struct refusal rows[] = {
        { "no cluster", CREATE, "{" INFRA ",\"cluster\":\"nope\"" IMAGE("") "}", "ClusterNotFoundException: Cluster not found." },
        { "no infrastructure role", CREATE, "{\"serviceName\":\"shop\"" IMAGE("") "}", INVALID "infrastructureRoleArn can not be blank." },
        { "an infrastructure role with a blank", CREATE, "{\"infrastructureRoleArn\":\"a b\"" IMAGE("") "}", INVALID "infrastructureRoleArn must be the ARN of a role." },
        { "neither an image nor a definition", CREATE, "{" INFRA "}", INVALID "primaryContainer or taskDefinitionArn must be specified." },
        { "no execution role", CREATE, "{" INFRA ",\"primaryContainer\":{\"image\":\"a\"}}", INVALID "executionRoleArn must be specified together with primaryContainer." },
        { "no image", CREATE, "{" INFRA ",\"primaryContainer\":{}}", INVALID },
        { "both: a container", CREATE, GIVEN(",\"primaryContainer\":{\"image\":\"a\"}"), INVALID "primaryContainer" TOGETHER },
        { "both: an execution role", CREATE, GIVEN(",\"executionRoleArn\":\"r\""), INVALID "executionRoleArn" TOGETHER },
        { "both: a task role", CREATE, GIVEN(",\"taskRoleArn\":\"r\""), INVALID "taskRoleArn" TOGETHER },
        { "both: cpu", CREATE, GIVEN(",\"cpu\":\"256\""), INVALID "cpu" TOGETHER },
        { "both: memory", CREATE, GIVEN(",\"memory\":\"512\""), INVALID "memory" TOGETHER },
        { "a definition that is not there", CREATE, "{" INFRA ",\"taskDefinitionArn\":\"nope\"}", "ClientException: TaskDefinition not found." },
        { "a definition without Main", CREATE, "{" INFRA ",\"taskDefinitionArn\":\"a:1\"}", NO_MAIN },
        { "a port without a name", CREATE, "{" INFRA ",\"taskDefinitionArn\":\"unnamed\"}", NO_MAIN },
        { "a port of UDP", CREATE, "{" INFRA ",\"taskDefinitionArn\":\"udp\"}", NO_MAIN },
        { "two ports", CREATE, "{" INFRA ",\"taskDefinitionArn\":\"two\"}", NO_MAIN },
        { "no port", CREATE, "{" INFRA ",\"taskDefinitionArn\":\"none\"}", NO_MAIN },
        { "a path without a slash", CREATE, SHOP(",\"healthCheckPath\":\"ping\""), BAD_PATH },
        { "a path with a blank", CREATE, SHOP(",\"healthCheckPath\":\"/a b\""), BAD_PATH },
        { "limits that cross", CREATE, SHOP(SCALE("\"minTaskCount\":3,\"maxTaskCount\":2")), INVALID "minTaskCount must not be greater than maxTaskCount." },
        { "a minimum above the default maximum", CREATE, SHOP(SCALE("\"minTaskCount\":21")), INVALID "minTaskCount must not be greater than maxTaskCount." },
        { "a value of 0", CREATE, SHOP(SCALE("\"autoScalingTargetValue\":0")), INVALID "autoScalingTargetValue must be above 0." },
        { "memory that is no number", CREATE, SHOP(",\"memory\":\"much\""), "ClientException: " },
        { "a name with a dot", CREATE, "{" INFRA ",\"serviceName\":\"a.b\"" IMAGE("") "}", INVALID "Invalid service name." },
        { "a tag of another kind", CREATE, SHOP(",\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"}]"), INVALID },
        { "no subnets", CREATE, SHOP(",\"networkConfiguration\":{\"securityGroups\":[\"sg\"]}"), INVALID },
        { "nothing to describe", DESCRIBE, CHANGE(""), "ResourceNotFoundException: Service not found." },
        { "a name in place of the ARN", DESCRIBE, "{\"serviceArn\":\"shop\"}", INVALID "serviceArn must be the ARN of a service." },
        { "of no cluster", DESCRIBE, "{\"serviceArn\":\"" ACCOUNT_ARN "service/nope/shop\"}", "ClusterNotFoundException: Cluster not found." },
        { "nothing to update", UPDATE, CHANGE(""), "ServiceNotFoundException: Service not found." },
        { "nothing to delete", DELETE, CHANGE(""), "ServiceNotFoundException: Service not found." },
    };
    struct api_fixture f;
    express_open(&f);
    struct str families = fixture_call(&f, "ListTaskDefinitionFamilies", "{}");
    check_refusals(&f, rows, COUNT_OF(rows));
    CHECK_STR("no definition is left", fixture_call(&f, "ListTaskDefinitionFamilies", "{}"), families);
    CHECK_STR("no service", fixture_call(&f, "ListServices", "{}"), STR("{\"serviceArns\":[]}"));
    CHECK_TEXT("no load balancing", gateways(&f), "");
    create(&f, WEB(""));
    static const struct refusal later[] = {
        { "a usual service", UPDATE, "{\"serviceArn\":\"" SERVICE_ARN("web") "\"}", INVALID "The service web is not an Express service." },
        { "to describe it", DESCRIBE, "{\"serviceArn\":\"" SERVICE_ARN("web") "\"}", INVALID "The service web is not an Express service." },
        { "a name that is taken", CREATE, "{" INFRA ",\"serviceName\":\"web\"" IMAGE("") "}", INVALID "Creation of service was not idempotent." },
    };
    check_refusals(&f, later, COUNT_OF(later));
    CHECK_TEXT("nothing again", gateways(&f), "");
    fixture_close(&f);
}

/* ---- a new service ---- */

static void test_defaults(void)
{
    static const struct { const char *path, *want; } rows[] = {
        { "serviceArn", SERVICE_ARN("shop") }, { "cluster", "default" }, { "infrastructureRoleArn", ROLE("infra") }, { "status.statusCode", "ACTIVE" },
        { "activeConfigurations[0].cpu", "256" }, { "activeConfigurations[0].memory", "512" }, { "activeConfigurations[0].healthCheckPath", "/ping" },
        { "activeConfigurations[0].executionRoleArn", ROLE("exec") }, { "activeConfigurations[0].primaryContainer.image", "shop:1" },
        { "activeConfigurations[0].primaryContainer.containerPort", "80" },
        { "activeConfigurations[0].taskDefinitionArn", ACCOUNT_ARN "task-definition/default-shop:1" },
        { "activeConfigurations[0].scalingTarget", "{\"minTaskCount\":1,\"maxTaskCount\":20,\"autoScalingMetric\":\"AVERAGE_CPU\",\"autoScalingTargetValue\":60}" },
        { "activeConfigurations[0].ingressPaths", "[{\"accessType\":\"PUBLIC\",\"endpoint\":\"http://shop-5be479ca.apps.test\"}]" },
    };
    static const struct { const char *path, *want; } service[] = {
        { "services[0].resourceManagementType", "ECS" }, { "services[0].desiredCount", "1" }, { "services[0].healthCheckGracePeriodSeconds", "60" },
        { "services[0].deploymentConfiguration.strategy", "CANARY" }, { "services[0].deploymentConfiguration.canaryConfiguration.canaryPercent", "5.0" },
        { "services[0].deploymentConfiguration.deploymentCircuitBreaker.rollback", "true" }, { "services[0].loadBalancers[0].containerName", "Main" },
    };
    struct api_fixture f;
    express_open(&f);
    call_ok(&f, CREATE, SHOP(""));
    struct str reply = shop(&f);
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_STR(rows[r].path, fixture_at(&f, reply, text(&f, "service.%s", rows[r].path)), str_from(rows[r].want)); }
    struct str described = describe(&f, "shop");
    for (size_t r = 0; r < COUNT_OF(service); r++) { CHECK_STR(service[r].path, fixture_at(&f, described, service[r].path), str_from(service[r].want)); }
    CHECK_TEXT("the groups and the load balancer", gateways(&f), "shop-5be479ca-a /ping 80, shop-5be479ca-b /ping 80, express");
    CHECK("its service deployment", str_starts_with(fixture_at(&f, reply, "service.currentDeployment"), STR(ACCOUNT_ARN "service-deployment/default/shop/")));
    static const struct { const char *path, *want; } resources[] = {
        { "ingressPaths[0].endpoint", "http://shop-5be479ca.apps.test" }, { "ingressPaths[0].loadBalancer.status", "ACTIVE" },
        { "ingressPaths[0].loadBalancer.scheme", "internet-facing" }, { "ingressPaths[0].rule.status", "ACTIVE" }, { "ingressPaths[0].certificate", NULL },
        { "ingressPaths[0].targetGroups[1].healthCheckPath", "/ping" }, { "ingressPaths[0].targetGroups[1].healthCheckPort", "80" },
        { "autoScaling.scalableTarget.maxCapacity", "20" }, { "autoScaling.applicationAutoScalingPolicies[0].policyType", "TargetTrackingScaling" },
        { "autoScaling.applicationAutoScalingPolicies[0].metric", "ECSServiceAverageCPUUtilization" },
        { "autoScaling.applicationAutoScalingPolicies[0].targetValue", "60.0" },
    };
    struct str revisions = fixture_call(&f, "DescribeServiceRevisions", text(&f, "{\"serviceRevisionArns\":[\"%s\"]}", at(&f, reply, "service.activeConfigurations[0].serviceRevisionArn")));
    for (size_t r = 0; r < COUNT_OF(resources); r++) {
        struct str found = fixture_at(&f, revisions, text(&f, "serviceRevisions[0].ecsManagedResources.%s", resources[r].path));
        if (resources[r].want == NULL) { CHECK(resources[r].path, !str_is_set(found)); } else { CHECK_STR(resources[r].path, found, str_from(resources[r].want)); }
    }
    CHECK_STR("listed as ECS's", fixture_call(&f, "ListServices", "{\"resourceManagementType\":\"ECS\"}"), STR("{\"serviceArns\":[\"" SERVICE_ARN("shop") "\"]}"));
    CHECK_STR("not as a customer's", fixture_call(&f, "ListServices", "{\"resourceManagementType\":\"CUSTOMER\"}"), STR("{\"serviceArns\":[]}"));
    fixture_check(&f, "its load balancers stay", "UpdateService", "{\"service\":\"shop\",\"loadBalancers\":[]}", INVALID "The load balancers of an Express service can't be changed.");
    fixture_check(&f, "the same again", CREATE, SHOP(""), INVALID "Creation of service was not idempotent.");
    fixture_close(&f);
}

static void test_members(void)
{
    struct api_fixture f;
    express_open(&f);
    call_ok(&f, CREATE, "{" INFRA ",\"serviceName\":\"shop\",\"cpu\":\"512\",\"memory\":\"1024\",\"taskRoleArn\":\"" ROLE("task") "\",\"healthCheckPath\":\"/h?a=b\","
            "\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]" SCALE("\"minTaskCount\":2,\"maxTaskCount\":4,\"autoScalingMetric\":\"AVERAGE_MEMORY\",\"autoScalingTargetValue\":70")
            IMAGE(",\"containerPort\":8080,\"command\":[\"run\"],\"environment\":[{\"name\":\"A\",\"value\":\"b\"}],\"secrets\":[{\"name\":\"S\",\"valueFrom\":\"s\"}],"
                  "\"repositoryCredentials\":{\"credentialsParameter\":\"arn:aws:secretsmanager:us-east-1:123456789012:secret:x\"},"
                  "\"awsLogsConfiguration\":{\"logGroup\":\"g\",\"logStreamPrefix\":\"p\"}") "}");
    CHECK_TEXT("the container", shop_at(&f, "activeConfigurations[0].primaryContainer"),
               "{\"image\":\"shop:1\",\"containerPort\":8080,\"awsLogsConfiguration\":{\"logGroup\":\"g\",\"logStreamPrefix\":\"p\"},\"repositoryCredentials\":"
               "{\"credentialsParameter\":\"arn:aws:secretsmanager:us-east-1:123456789012:secret:x\"},\"command\":[\"run\"],"
               "\"environment\":[{\"name\":\"A\",\"value\":\"b\"}],\"secrets\":[{\"name\":\"S\",\"valueFrom\":\"s\"}]}");
    CHECK_TEXT("scaling", shop_at(&f, "activeConfigurations[0].scalingTarget"),
               "{\"minTaskCount\":2,\"maxTaskCount\":4,\"autoScalingMetric\":\"AVERAGE_MEMORY\",\"autoScalingTargetValue\":70}");
    CHECK_TEXT("the count is the minimum", at(&f, describe(&f, "shop"), "services[0].desiredCount"), "2");
    CHECK_TEXT("the group", gateways(&f), "shop-5be479ca-a /h?a=b 8080, shop-5be479ca-b /h?a=b 8080, express");
    CHECK("tags when asked for", !str_is_set(fixture_at(&f, shop(&f), "service.tags")));
    CHECK_STR("tags", fixture_at(&f, fixture_call(&f, DESCRIBE, CHANGE(",\"include\":[\"TAGS\"]")), "service.tags"), STR("[{\"key\":\"k\",\"value\":\"v\"}]"));
    struct str def = fixture_call(&f, "DescribeTaskDefinition", "{\"taskDefinition\":\"default-shop\"}");
    CHECK_TEXT("the region of its logs", at(&f, def, "taskDefinition.containerDefinitions[0].logConfiguration.options.awslogs-region"), "us-east-1");
    CHECK_TEXT("its role", at(&f, def, "taskDefinition.taskRoleArn"), ROLE("task"));

    call_ok(&f, CREATE, "{" INFRA ",\"serviceName\":\"given\",\"taskDefinitionArn\":\"whole\"" SCALE("\"minTaskCount\":0,\"maxTaskCount\":0") "}");
    struct str reply = fixture_call(&f, DESCRIBE, "{\"serviceArn\":\"" SERVICE_ARN("given") "\"}");
    CHECK_TEXT("a definition that is given", at(&f, reply, "service.activeConfigurations[0].taskDefinitionArn"), ACCOUNT_ARN "task-definition/whole:1");
    CHECK_TEXT("its port", at(&f, describe(&f, "given"), "services[0].loadBalancers[0].containerPort"), "90");
    CHECK_TEXT("no task", at(&f, describe(&f, "given"), "services[0].desiredCount"), "0");
    call_ok(&f, CREATE, "{" INFRA ",\"serviceName\":\"vpc\",\"networkConfiguration\":{\"subnets\":[\"s\"]}" IMAGE("") "}");
    reply = fixture_call(&f, DESCRIBE, "{\"serviceArn\":\"" SERVICE_ARN("vpc") "\"}");
    CHECK_STR("its network", fixture_at(&f, reply, "service.activeConfigurations[0].networkConfiguration.subnets"), STR("[\"s\"]"));
    reply = fixture_call(&f, "DescribeTaskDefinition", "{\"taskDefinition\":\"default-vpc\"}");
    CHECK_TEXT("an address for each task", at(&f, reply, "taskDefinition.networkMode"), "awsvpc");
    reply = fixture_call(&f, CREATE, "{" INFRA IMAGE("") SCALE("\"autoScalingMetric\":\"REQUEST_COUNT_PER_TARGET\"") "}");
    CHECK("a new name", f.code == ERR_NONE && str_starts_with(fixture_at(&f, reply, "service.serviceName"), STR("express-")));
    fixture_close(&f);
}

/* ---- updates ---- */

static void healthy(struct api_fixture *f)
{
    targets_are(f, "shop-5be479ca-a", TARGET_HEALTHY);
    targets_are(f, "shop-5be479ca-b", TARGET_HEALTHY);
    settle(f);
}

static void goes_over(struct api_fixture *f)
{
    enum { STEPS = 4 };
    for (int s = 0; s < STEPS; s++) { settle(f); healthy(f); pass_idle(f, 200); }
}


static void test_update(void)
{
    struct api_fixture f;
    express_open(&f);
    call_ok(&f, CREATE, SHOP(""));
    goes_over(&f);
    CHECK_TEXT("the first revision", state(&f, "shop"), "D 1 R 1 P 0 default-shop:1 | PRIMARY default-shop:1 1/1/0 COMPLETED 0");

    call_ok(&f, UPDATE, CHANGE(",\"healthCheckPath\":\"/two\",\"primaryContainer\":{\"image\":\"shop:2\"}"));
    settle(&f);
    CHECK_EQ("both configurations", count_at(&f, shop(&f), "service.activeConfigurations"), 2);
    CHECK_TEXT("the new one", shop_at(&f, "activeConfigurations[0].primaryContainer.image"), "shop:2");
    CHECK_TEXT("… with its path", shop_at(&f, "activeConfigurations[0].healthCheckPath"), "/two");
    CHECK_TEXT("the old one", shop_at(&f, "activeConfigurations[1].primaryContainer.image"), "shop:1");
    CHECK_TEXT("… keeps its own", shop_at(&f, "activeConfigurations[1].healthCheckPath"), "/ping");
    goes_over(&f);
    CHECK_TEXT("goes over", state(&f, "shop"), "D 1 R 1 P 0 default-shop:2 | PRIMARY default-shop:2 1/1/0 COMPLETED 0");

    struct str reply = fixture_call(&f, UPDATE, CHANGE(SCALE("\"minTaskCount\":3,\"maxTaskCount\":5")));
    CHECK_TEXT("no new definition", at(&f, reply, "service.targetConfiguration.taskDefinitionArn"), ACCOUNT_ARN "task-definition/default-shop:2");
    CHECK_TEXT("limits", at(&f, reply, "service.targetConfiguration.scalingTarget"),
               "{\"minTaskCount\":3,\"maxTaskCount\":5,\"autoScalingMetric\":\"AVERAGE_CPU\",\"autoScalingTargetValue\":60}");
    goes_over(&f);
    CHECK_TEXT("the count is within them, without a deployment", state(&f, "shop"), "D 3 R 3 P 0 default-shop:2 | PRIMARY default-shop:2 3/3/0 COMPLETED 0");

    reply = fixture_call(&f, UPDATE, CHANGE(",\"healthCheckPath\":\"/three\""));
    CHECK_TEXT("a path alone is a revision", at(&f, reply, "service.targetConfiguration.healthCheckPath"), "/three");
    CHECK_TEXT("in the other group", gateways(&f), "shop-5be479ca-a /three 80, shop-5be479ca-b /two 80, express");
    goes_over(&f);
    call_ok(&f, "DeregisterTaskDefinition", "{\"taskDefinition\":\"default-shop:2\"}");
    call_ok(&f, UPDATE, CHANGE(",\"cpu\":\"128\""));
    CHECK_TEXT("a path that is not given stays", gateways(&f), "shop-5be479ca-a /three 80, shop-5be479ca-b /three 80, express");
    CHECK_TEXT("the image too", shop_at(&f, "activeConfigurations[0].primaryContainer.image"), "shop:2");
    goes_over(&f);
    int64_t now = count_at(&f, fixture_call(&f, "ListServiceDeployments", "{\"service\":\"shop\"}"), "serviceDeployments");
    call_ok(&f, UPDATE, CHANGE(",\"healthCheckPath\":\"/three\""));
    CHECK_EQ("the same path is no change", count_at(&f, fixture_call(&f, "ListServiceDeployments", "{\"service\":\"shop\"}"), "serviceDeployments"), now);

    call_ok(&f, UPDATE, CHANGE(",\"taskDefinitionArn\":\"whole\""));
    CHECK_TEXT("another definition brings its port", at(&f, describe(&f, "shop"), "services[0].loadBalancers[0].containerPort"), "90");
    call_ok(&f, UPDATE, CHANGE(",\"primaryContainer\":{\"image\":\"shop:3\",\"containerPort\":80},\"executionRoleArn\":\"r\""));
    reply = fixture_call(&f, "DescribeTaskDefinition", "{\"taskDefinition\":\"default-shop\"}");
    CHECK_TEXT("the containers beside Main stay", at(&f, reply, "taskDefinition.containerDefinitions[0].name"), "side");
    CHECK_TEXT("Main is the new one", at(&f, reply, "taskDefinition.containerDefinitions[1].image"), "shop:3");
    call_ok(&f, "AnyScaleFrontendService.PutScalingPolicy", "{\"ServiceNamespace\":\"ecs\",\"ScalableDimension\":\"ecs:service:DesiredCount\",\"ResourceId\":\"service/default/shop\","
            "\"PolicyName\":\"mine\",\"PolicyType\":\"TargetTrackingScaling\",\"TargetTrackingScalingPolicyConfiguration\":{\"TargetValue\":50,"
            "\"PredefinedMetricSpecification\":{\"PredefinedMetricType\":\"ECSServiceAverageMemoryUtilization\"}}}");
    static const struct refusal rows[] = {
        { "a metric that another policy has", UPDATE, CHANGE(",\"cpu\":\"128\"" SCALE("\"autoScalingMetric\":\"AVERAGE_MEMORY\"")),
          INVALID "Only one TargetTrackingScaling policy for a given metric specification is allowed." },
        { "both", UPDATE, CHANGE(",\"taskDefinitionArn\":\"whole\",\"cpu\":\"128\""), INVALID "cpu" TOGETHER },
        { "a minimum above the maximum", UPDATE, CHANGE(SCALE("\"minTaskCount\":6")), INVALID "minTaskCount must not be greater than maxTaskCount." },
        { "a path", UPDATE, CHANGE(",\"healthCheckPath\":\"x\""), BAD_PATH },
        { "a definition", UPDATE, CHANGE(",\"taskDefinitionArn\":\"two\""), NO_MAIN },
    };
    check_refusals(&f, rows, COUNT_OF(rows));
    fixture_close(&f);
}

/* ---- deletions ---- */

static void test_delete(void)
{
    struct api_fixture f;
    express_open(&f);
    call_ok(&f, CREATE, SHOP(""));
    call_ok(&f, CREATE, "{" INFRA ",\"serviceName\":\"Other_1\"" IMAGE("") "}");
    goes_over(&f);
    CHECK_TEXT("one load balancer", gateways(&f), "other-1-2cadd6aa-a /ping 80, other-1-2cadd6aa-b /ping 80, shop-5be479ca-a /ping 80, shop-5be479ca-b /ping 80, express");
    struct str reply = fixture_call(&f, DELETE, CHANGE(""));
    CHECK_TEXT("draining", at(&f, reply, "service.status.statusCode"), "DRAINING");
    static const struct refusal rows[] = {
        { "deleted already", DELETE, CHANGE(""), "ServiceNotActiveException: Service was not ACTIVE." },
        { "… to update", UPDATE, CHANGE(""), "ServiceNotActiveException: Service was not ACTIVE." },
    };
    check_refusals(&f, rows, COUNT_OF(rows));
    settle(&f);
    pass(&f, 31);
    CHECK_TEXT("inactive", shop_at(&f, "status.statusCode"), "INACTIVE");
    CHECK_TEXT("no configuration", shop_at(&f, "activeConfigurations"), "[]");
    check_refusals(&f, rows, COUNT_OF(rows));
    CHECK_TEXT("the other service keeps its own", gateways(&f), "other-1-2cadd6aa-a /ping 80, other-1-2cadd6aa-b /ping 80, express");
    call_ok(&f, CREATE, SHOP(""));
    CHECK_TEXT("the name gives the same host again", shop_at(&f, "activeConfigurations[0].ingressPaths[0].endpoint"), "http://shop-5be479ca.apps.test");
    call_ok(&f, "DeleteService", "{\"service\":\"shop\",\"force\":true}");
    call_ok(&f, DELETE, "{\"serviceArn\":\"" SERVICE_ARN("Other_1") "\"}");
    pass(&f, 31);
    CHECK_TEXT("the last one takes the load balancer along, also by DeleteService", gateways(&f), "");
    CHECK_STR("no scaling", fixture_call(&f, "AnyScaleFrontendService.DescribeScalableTargets", "{\"ServiceNamespace\":\"ecs\"}"), STR("{\"ScalableTargets\":[]}"));
    fixture_close(&f);
}

/* ---- the parts have their own calls ---- */

static const char *listener_arn(struct api_fixture *f)
{
    struct str balancers = fixture_call(f, "elb:DescribeLoadBalancers", "");
    struct str listeners = fixture_call(f, "elb:DescribeListeners", text(f, "LoadBalancerArn=%s", at(f, balancers, "LoadBalancers[0].LoadBalancerArn")));
    return at(f, listeners, "Listeners[0].ListenerArn");
}

static void test_parts(void)
{
    struct api_fixture f;
    express_open(&f);
    call_ok(&f, "elb:CreateTargetGroup", "Name=shop-5be479ca-b&Protocol=HTTP&Port=80&TargetType=ip");
    fixture_check(&f, "a group of the name", CREATE, SHOP(""), "ClientException: A target group with the name shop-5be479ca-b exists. Delete it first.");
    CHECK_TEXT("nothing is left", gateways(&f), "shop-5be479ca-b / 80, ");
    struct str group = fixture_call(&f, "elb:DescribeTargetGroups", "");
    call_ok(&f, "elb:DeleteTargetGroup", text(&f, "TargetGroupArn=%s", at(&f, group, "TargetGroups[0].TargetGroupArn")));
    call_ok(&f, "elb:CreateLoadBalancer", "Name=express&Type=network");
    fixture_check(&f, "a network load balancer of the name", CREATE, SHOP(""), "ClientException: The load balancer express, which Express services use, must be of type application.");
    struct str balancers = fixture_call(&f, "elb:DescribeLoadBalancers", "");
    call_ok(&f, "elb:DeleteLoadBalancer", text(&f, "LoadBalancerArn=%s", at(&f, balancers, "LoadBalancers[0].LoadBalancerArn")));

    call_ok(&f, "elb:CreateLoadBalancer", "Name=express&Scheme=internal");
    call_ok(&f, CREATE, SHOP(""));
    call_ok(&f, "elb:ModifyListener", text(&f, "ListenerArn=%s&Protocol=HTTPS&Port=8443&Certificates.member.1.CertificateArn=c", listener_arn(&f)));
    CHECK_TEXT("the URL follows the listener", shop_at(&f, "activeConfigurations[0].ingressPaths"),
               "[{\"accessType\":\"PRIVATE\",\"endpoint\":\"https://shop-5be479ca.apps.test:8443\"}]");
    struct str rules = fixture_call(&f, "elb:DescribeRules", text(&f, "ListenerArn=%s", listener_arn(&f)));
    call_ok(&f, "elb:DeleteRule", text(&f, "RuleArn=%s", at(&f, rules, "Rules[0].RuleArn")));
    CHECK_TEXT("without its rule it has none", shop_at(&f, "activeConfigurations[0].ingressPaths"), "[]");
    balancers = fixture_call(&f, "elb:DescribeLoadBalancers", "");
    call_ok(&f, "elb:ModifyLoadBalancerAttributes", text(&f, "LoadBalancerArn=%s&Attributes.member.1.Key=deletion_protection.enabled&Attributes.member.1.Value=true",
                                                         at(&f, balancers, "LoadBalancers[0].LoadBalancerArn")));
    call_ok(&f, DELETE, CHANGE(""));
    pass(&f, 31);
    CHECK_TEXT("a protected load balancer stays", gateways(&f), "express");
    fixture_close(&f);
}

/* The listener has ELB's limit of rules. */
static void test_many(void)
{
    enum { MOST = 100 };
    struct api_fixture f;
    express_open(&f);
    for (int n = 0; n < MOST; n++) { call_ok(&f, CREATE, text(&f, "{" INFRA ",\"serviceName\":\"s%d\",\"taskDefinitionArn\":\"whole\"" SCALE("\"minTaskCount\":0,\"maxTaskCount\":0") "}", n)); }
    fixture_check(&f, "one more", CREATE, SHOP(""), "ClientException: The listener of the load balancer express can have at most 100 rules, one for each Express service.");
    call_ok(&f, DELETE, "{\"serviceArn\":\"" SERVICE_ARN("s7") "\"}");
    call_ok(&f, CREATE, SHOP(""));
    fixture_close(&f);
}

static void test_labels(void)
{
    static const struct { const char *cluster, *service, *want; } rows[] = {
        { "default", "shop", "shop-5be479ca" }, { "other", "shop", "shop-" }, { "default", "Other_1", "other-1-2cadd6aa" }, { "default", "__", "" },
        { "default", "_a", "a-" }, { "default", "a23456789012345678901234567890", "a2345678901234567890-" },
    };
    struct arena arena;
    arena_init(&arena, 1 << 20);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str label = express_label(str_from(rows[r].cluster), str_from(rows[r].service), &arena);
        CHECK(rows[r].service, str_starts_with(label, str_from(rows[r].want)) && label.len <= GROUP_NAME_MAX - 2 && label.ptr[0] != '-');
    }
    CHECK("a cluster makes another", !str_eq(express_label(STR("a"), STR("s"), &arena), express_label(STR("b"), STR("s"), &arena)));
    arena_finish(&arena);
}

int main(void)
{
    test_create_refusals();
    test_defaults();
    test_members();
    test_update();
    test_delete();
    test_parts();
    test_many();
    test_labels();
    return check_report();
}
