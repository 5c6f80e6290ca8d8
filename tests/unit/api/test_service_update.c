/* UpdateService: which members start a deployment, which can't change, and how an update merges with the service as it is. */
#include "tests/unit/api/service_bodies.h"

#define PROVIDED ",\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\",\"weight\":1}]"
#define BALANCER ",\"loadBalancers\":[{\"targetGroupArn\":\"t\",\"containerName\":\"web\",\"containerPort\":80}]"
#define UPDATE(members) "{\"service\":\"web\"" members "}"

/* want: "deploys", "stays", or the error. */
struct row { const char *name, *created, *update; int revision; const char *want; };

static struct str update(struct bench *bench, const struct service_draft *now, const char *text, const struct taskdef *taskdef, struct service_draft *next)
{
    struct err err = { 0 };
    bool deploys;
    const struct update_service_request *request = bench_read(bench, &update_service_request_schema, text);
    bool is_external = now->service.controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL;
    bool good = service_draft_change(&bench->ctx, request, &bench->cluster, is_external ? NULL : taskdef, &now->service, &now->revision, next, &deploys, &err);
    return !good ? bench_result(bench, good, &err) : deploys ? STR("deploys") : STR("stays");
}

static void run_rows(const struct row *rows, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        struct bench bench;
        struct service_draft now, next;
        bench_open(&bench);
        CHECK_STR(rows[r].name, bench_create(&bench, rows[r].created, bench_taskdef(&bench, 3, "", ""), &now), STR("accepted"));
        bench_keep(&now);
        CHECK_STR(rows[r].name, update(&bench, &now, rows[r].update, bench_taskdef(&bench, rows[r].revision, "", ""), &next), str_from(rows[r].want));
        arena_finish(&bench.arena);
    }
}

static void test_deploys(void)
{
    static const struct row rows[] = {
        { "nothing", REPLICA, UPDATE(""), 3, "stays" },
        { "nothing, by force", REPLICA, UPDATE(",\"forceNewDeployment\":true"), 3, "deploys" },
        { "no force", REPLICA, UPDATE(",\"forceNewDeployment\":false"), 3, "stays" },
        { "the same definition", REPLICA, UPDATE(",\"taskDefinition\":\"web:3\""), 3, "stays" },
        { "another one", REPLICA, UPDATE(",\"taskDefinition\":\"web:4\""), 4, "deploys" },
        { "a count", REPLICA, UPDATE(",\"desiredCount\":3"), 3, "stays" },
        { "percents", REPLICA, UPDATE(",\"deploymentConfiguration\":{\"maximumPercent\":150}"), 3, "stays" },
        { "placement", REPLICA, UPDATE(",\"placementConstraints\":[{\"type\":\"distinctInstance\"}],\"placementStrategy\":[{\"type\":\"random\"}],"
          "\"availabilityZoneRebalancing\":\"DISABLED\""), 3, "stays" },
        { "what new tasks get", REPLICA, UPDATE(",\"healthCheckGracePeriodSeconds\":5,\"enableExecuteCommand\":true,\"enableECSManagedTags\":true,"
          "\"propagateTags\":\"SERVICE\""), 3, "stays" },
        { "a balancer", REPLICA, UPDATE(BALANCER), 3, "deploys" },
        { "the same balancer", REPLICA BALANCER, UPDATE(BALANCER), 3, "stays" },
        { "no balancer any more", REPLICA BALANCER, UPDATE(",\"loadBalancers\":[]"), 3, "deploys" },
        { "no balancer, as before", REPLICA, UPDATE(",\"loadBalancers\":[],\"serviceRegistries\":[],\"volumeConfigurations\":[],\"vpcLatticeConfigurations\":[]"), 3,
          "stays" },
        { "a registry", REPLICA, UPDATE(",\"serviceRegistries\":[{\"registryArn\":\"" REGISTRY("web") "\"}]"), 3, "deploys" },
        { "Connect that is off", REPLICA ",\"serviceConnectConfiguration\":{\"enabled\":false}", UPDATE(",\"serviceConnectConfiguration\":{\"enabled\":false}"), 3,
          "stays" },
        { "a platform version", REPLICA, UPDATE(",\"platformVersion\":\"LATEST\""), 3, "stays" },
        { "a daemon's definition", DAEMON, UPDATE(",\"taskDefinition\":\"web:4\""), 4, "deploys" },
        { "the same controller", REPLICA, UPDATE(",\"deploymentController\":{\"type\":\"ECS\"}"), 3, "stays" },
        { "a count of task sets", EXTERNAL, UPDATE(",\"desiredCount\":3"), 3, "stays" },
    };
    run_rows(rows, COUNT_OF(rows));
}

#define NOT_EXTERNAL(words) INVALID "Unable to update " words " on services with an EXTERNAL deployment controller."
#define BOTH INVALID "Both maximumPercent and minimumHealthyPercent cannot be 100 as this will block deployments."
#define MUST_FORCE INVALID "When switching from launch type to capacity provider strategy on an existing service, or making a change to a capacity provider strategy " \
    "on a service that is already using one, you must force a new deployment."

static void test_refused(void)
{
    static const struct row rows[] = {
        { "another controller", REPLICA, UPDATE(",\"deploymentController\":{\"type\":\"EXTERNAL\"}"), 3,
          UNSUPPORTED "The deployment controller of a service can't be changed. Create another service with it." },
        { "a daemon's count", DAEMON, UPDATE(",\"desiredCount\":0"), 3,
          INVALID "The daemon scheduling strategy does not support a desired count for services. Remove the desired count value and try again" },
        { "percents, merged", REPLICA ",\"deploymentConfiguration\":{\"maximumPercent\":100,\"minimumHealthyPercent\":50}",
          UPDATE(",\"deploymentConfiguration\":{\"minimumHealthyPercent\":100}"), 3, BOTH },
        { "percents, merged well", REPLICA ",\"deploymentConfiguration\":{\"maximumPercent\":101,\"minimumHealthyPercent\":50}",
          UPDATE(",\"deploymentConfiguration\":{\"minimumHealthyPercent\":100}"), 3, "stays" },
        { "rebalancing is on", REPLICA, UPDATE(",\"deploymentConfiguration\":{\"maximumPercent\":100,\"minimumHealthyPercent\":50}"), 3,
          INVALID "AvailabilityZoneRebalancing does not support maximumPercent <= 100" },
        { "rebalancing goes off", REPLICA, UPDATE(",\"availabilityZoneRebalancing\":\"DISABLED\",\"deploymentConfiguration\":{\"maximumPercent\":100,"
          "\"minimumHealthyPercent\":50}"), 3, "stays" },
        { "a strategy without force", REPLICA, UPDATE(PROVIDED), 3, MUST_FORCE },
        { "a strategy by force", REPLICA, UPDATE(PROVIDED ",\"forceNewDeployment\":true"), 3,
          INVALID "The specified capacity provider 'p' was not found. Specify a valid name or ARN and try again." },
        { "no strategy, as before", REPLICA, UPDATE(",\"capacityProviderStrategy\":[]"), 3, "stays" },
        { "a balancer of another port", REPLICA, UPDATE(",\"loadBalancers\":[{\"targetGroupArn\":\"t\",\"containerName\":\"web\",\"containerPort\":81}]"), 3,
          INVALID "The container web did not have a container port 81 defined." },
        { "a volume", REPLICA, UPDATE(",\"volumeConfigurations\":[{\"name\":\"v\"}]"), 3,
          UNSUPPORTED "volumeConfigurations are not available: Berth makes no Amazon EBS volumes." },
        { "a definition", EXTERNAL, UPDATE(",\"taskDefinition\":\"web:4\""), 4, NOT_EXTERNAL("task definition") },
        { "percents", EXTERNAL, UPDATE(",\"deploymentConfiguration\":{\"maximumPercent\":150}"), 3, NOT_EXTERNAL("deployment configuration") },
        { "an empty list", EXTERNAL, UPDATE(",\"loadBalancers\":[]"), 3, NOT_EXTERNAL("load balancers") },
        { "a network", EXTERNAL, UPDATE(",\"networkConfiguration\":{}"), 3, NOT_EXTERNAL("network parameters") },
        { "force", EXTERNAL, UPDATE(",\"forceNewDeployment\":true"), 3,
          INVALID "Cannot force a new deployment on services with an EXTERNAL deployment controller." },
    };
    run_rows(rows, COUNT_OF(rows));
}

/* A service that has a strategy already, as the record of one will be when there are providers. */
static void test_strategies(void)
{
    static const struct { const char *name, *update; enum launch_type created; bool has_default; const char *want; } rows[] = {
        { "an equal one", PROVIDED, LAUNCH_TYPE_UNSET, false, "P was not found" },
        { "another weight", ",\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\",\"weight\":2}]", LAUNCH_TYPE_UNSET, false, MUST_FORCE },
        { "back to EC2, without force", ",\"capacityProviderStrategy\":[]", LAUNCH_TYPE_EC2, false, MUST_FORCE },
        { "back to EC2", ",\"capacityProviderStrategy\":[],\"forceNewDeployment\":true", LAUNCH_TYPE_EC2, false, "deploys" },
        { "no way back", ",\"capacityProviderStrategy\":[],\"forceNewDeployment\":true", LAUNCH_TYPE_UNSET, false,
          INVALID "No launch type to fall back to for empty capacity provider strategy. Your service was not created with a launch type." },
        { "back to the cluster's", ",\"capacityProviderStrategy\":[],\"forceNewDeployment\":true", LAUNCH_TYPE_UNSET, true, "Q was not found" },
    };
#define NOT_FOUND(p) INVALID "The specified capacity provider '" p "' was not found. Specify a valid name or ARN and try again."
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct bench bench;
        struct service_draft now, next;
        bench_open(&bench);
        struct capacity_provider_strategy_item p = { STR("p"), opt_int_of(1), opt_int_of(0) }, q = { STR("q"), opt_int_of(1), { 0 } };
        if (rows[r].has_default) { bench.cluster.default_strategy = (struct capacity_provider_strategy_item_list){ &q, 1 }; }
        const struct taskdef *taskdef = bench_taskdef(&bench, 3, "", "");
        CHECK_STR(rows[r].name, bench_create(&bench, REPLICA ",\"launchType\":\"EC2\"", taskdef, &now), STR("accepted"));
        bench_keep(&now);
        now.service.created_launch_type = rows[r].created;
        now.revision.launch_type = LAUNCH_TYPE_UNSET;
        now.revision.capacity_provider_strategy = (struct capacity_provider_strategy_item_list){ &p, 1 };
        const char *want = rows[r].want[0] == 'P' ? NOT_FOUND("p") : rows[r].want[0] == 'Q' ? NOT_FOUND("q") : rows[r].want;
        struct str text = arena_printf(&bench.arena, UPDATE("%s"), rows[r].update);
        CHECK_STR(rows[r].name, update(&bench, &now, text.ptr, taskdef, &next), str_from(want));
        arena_finish(&bench.arena);
    }
}

static void test_merged(void)
{
    struct bench bench;
    struct service_draft now, next;
    bench_open(&bench);
    const struct taskdef *taskdef = bench_taskdef(&bench, 3, "", "");
    CHECK_STR("created", bench_create(&bench, REPLICA ",\"healthCheckGracePeriodSeconds\":7,\"enableExecuteCommand\":true,"
                                      "\"placementStrategy\":[{\"type\":\"random\"}]", taskdef, &now), STR("accepted"));
    bench_keep(&now);
    CHECK_STR("updated", update(&bench, &now, UPDATE(",\"desiredCount\":0,\"deploymentConfiguration\":{\"minimumHealthyPercent\":50},\"placementStrategy\":[]"),
                                taskdef, &next), STR("stays"));
    CHECK_EQ("given", next.service.desired_count, 0);
    CHECK_EQ("given", next.service.configuration->minimum_healthy_percent.value, 50);
    CHECK("given up", next.service.placement_strategy.items == NULL);
    CHECK_EQ("kept", next.service.configuration->maximum_percent.value, 200);
    CHECK_EQ("kept", next.service.grace_period, 7);
    CHECK_EQ("kept", next.service.execute_command, OPT_TRUE);
    CHECK_EQ("kept", next.service.number, 9);
    CHECK_EQ("kept", next.revision.digits, 77);
    CHECK_EQ("as it was", now.service.configuration->minimum_healthy_percent.value, 100);
    for (enum service_status status = SERVICE_DRAINING; status <= SERVICE_INACTIVE; status++) {
        service_become(&now.service, status, 2000);
        CHECK_STR("not ACTIVE", update(&bench, &now, UPDATE(""), taskdef, &next), STR("ServiceNotActiveException: Service was not ACTIVE."));
    }
    arena_finish(&bench.arena);
}

int main(void)
{
    test_deploys();
    test_refused();
    test_strategies();
    test_merged();
    return check_report();
}
