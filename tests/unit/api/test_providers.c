/* test_providers.c: capacity providers: what their operations take and show, and which of them a cluster can have. */
#include "tests/unit/api/service_lives.h"

#define GROUP_OF(name) "\"autoScalingGroupProvider\":{\"autoScalingGroupArn\":\"" name "\""
#define CREATE(name, more) "{\"name\":\"" name "\"," more "}"
#define SCALES(members) GROUP_OF("g1") ",\"managedScaling\":{" members "}}"
#define MANAGED(more) "\"managedInstancesProvider\":{\"infrastructureRoleArn\":\"r\",\"instanceLaunchTemplate\":{\"ec2InstanceProfileArn\":\"p\"," \
    "\"networkConfiguration\":{\"subnets\":[\"subnet-1\"]}" more "}"
#define WHAT "{\"vCpuCount\":{\"min\":4},\"memoryMiB\":{\"min\":16384}"

static void put_group(struct api_fixture *f, const char *name, bool protects)
{
    int64_t revision;
    struct store_txn *txn = store_write_begin(f->store);
    store_job_begin(txn);
    store_put_pool(txn, &(struct kept_pool){ .name = str_from(name), .kind = POOL_GROUP, .id = STR("12345678-1234-4234-8234-123456789012"), .max = 5,
                                             .protects_new = protects ? OPT_TRUE : OPT_FALSE });
    CHECK("written", store_job_end(txn, true));
    CHECK("kept", store_write_commit(txn, &revision));
}

static void open_stage(struct api_fixture *f)
{
    cluster_open(f);
    put_group(f, "g1", false);
    put_group(f, "g2", true);
}

static void test_rules(void)
{
    static const struct { const char *row, *body, *want; } rows[] = {
        { "neither", CREATE("a", "\"tags\":[]"), "InvalidParameterException: Exactly one of autoScalingGroupProvider and managedInstancesProvider must be specified." },
        { "both", CREATE("a", SCALES("") "," MANAGED("}")), "InvalidParameterException: Exactly one of autoScalingGroupProvider and managedInstancesProvider must be "
          "specified." },
        { "a name of AWS", CREATE("aws-x", SCALES("")), NULL }, { "of ECS", CREATE("ECS1", SCALES("")), NULL }, { "of Fargate", CREATE("fargateq", SCALES("")), NULL },
        { "a blank", CREATE("a b", SCALES("")), NULL }, { "no group", CREATE("a", GROUP_OF("g9") "}"), "ClientException: The specified Auto Scaling group ARN is "
          "not valid. Specify a valid Auto Scaling group ARN and try again." },
        { "a target of 0", CREATE("a", SCALES("\"targetCapacity\":0")), NULL }, { "of 101", CREATE("a", SCALES("\"targetCapacity\":101")), NULL },
        { "a step of 0", CREATE("a", SCALES("\"minimumScalingStepSize\":0")), NULL }, { "of 10001", CREATE("a", SCALES("\"maximumScalingStepSize\":10001")), NULL },
        { "steps that cross", CREATE("a", SCALES("\"minimumScalingStepSize\":5,\"maximumScalingStepSize\":2")), "InvalidParameterException: "
          "minimumScalingStepSize can't be greater than maximumScalingStepSize." },
        { "a warm-up of 10001", CREATE("a", SCALES("\"instanceWarmupPeriod\":10001")), NULL },
        { "protection without scaling", CREATE("a", GROUP_OF("g2") ",\"managedTerminationProtection\":\"ENABLED\"}"), "ClientException: The managed termination "
          "protection setting for the capacity provider is invalid. To enable managed termination protection for a capacity provider, managed scaling must be "
          "enabled." },
        { "protection without the group's", CREATE("a", GROUP_OF("g1") ",\"managedScaling\":{},\"managedTerminationProtection\":\"ENABLED\"}"), "ClientException: "
          "The managed termination protection setting for the capacity provider is invalid. To enable managed termination protection for a capacity provider, "
          "the Auto Scaling group must have instance protection from scale in enabled." },
        { "a group with a cluster", CREATE("a", "\"cluster\":\"default\"," SCALES("")), NULL },
        { "managed without a cluster", CREATE("a", MANAGED("}")), "InvalidParameterException: cluster must be given for a managed instances capacity provider." },
        { "no such cluster", CREATE("a", "\"cluster\":\"no\"," MANAGED("}")), "ClusterNotFoundException: Cluster not found." },
        { "no vCPU", CREATE("a", "\"cluster\":\"default\"," MANAGED(",\"instanceRequirements\":{\"memoryMiB\":{\"min\":1}}}")), NULL },
        { "allowed and excluded", CREATE("a", "\"cluster\":\"default\"," MANAGED(",\"instanceRequirements\":" WHAT ",\"allowedInstanceTypes\":[\"g5.*\"],"
          "\"excludedInstanceTypes\":[\"g4dn.*\"]}}")), NULL },
        { "scaleInAfter -2", CREATE("a", "\"cluster\":\"default\"," MANAGED("},\"infrastructureOptimization\":{\"scaleInAfter\":-2}")), NULL },
        { "scaleInAfter 3601", CREATE("a", "\"cluster\":\"default\"," MANAGED("},\"infrastructureOptimization\":{\"scaleInAfter\":3601}")), NULL },
        { "scaleInAfter -1", CREATE("m1", "\"cluster\":\"default\"," MANAGED("},\"infrastructureOptimization\":{\"scaleInAfter\":-1}")), "" },
        { "scaleInAfter 0", CREATE("m2", "\"cluster\":\"default\"," MANAGED("},\"infrastructureOptimization\":{\"scaleInAfter\":0}")), "" },
        { "good", CREATE("gpu", SCALES("")), "" },
        { "again", CREATE("gpu", GROUP_OF("g2") "}"), "ClientException: The specified capacity provider already exists. To change the configuration of an existing "
          "capacity provider, update the capacity provider." },
        { "its group again", CREATE("b", GROUP_OF("g1") "}"), "ClientException: The specified Auto Scaling group ARN is already being used by another capacity "
          "provider. Specify a unique Auto Scaling group ARN and try again." },
    };
    struct api_fixture f;
    open_stage(&f);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(&f, "CreateCapacityProvider", rows[r].body);
        bool good = rows[r].want != NULL && rows[r].want[0] == '\0';
        CHECK(rows[r].row, good == (f.code == ERR_NONE));
        if (rows[r].want != NULL && !good) { CHECK_STR(rows[r].row, reply, str_from(rows[r].want)); }
        if (rows[r].want == NULL) { CHECK_EQ(rows[r].row, f.code, ERR_INVALID_PARAMETER); }
    }
    fixture_close(&f);
}

static void test_life(void)
{
    struct api_fixture f;
    open_stage(&f);
    struct str made = fixture_call(&f, "CreateCapacityProvider", CREATE("gpu", GROUP_OF("g1") "},\"tags\":[{\"key\":\"a\",\"value\":\"b\"}]"));
    CHECK_TEXT("ACTIVE at once", at(&f, made, "capacityProvider.status"), "ACTIVE");
    CHECK_TEXT("without managed scaling", at(&f, made, "capacityProvider.autoScalingGroupProvider.managedScaling.status"), "DISABLED");
    CHECK_TEXT("the whole ARN", at(&f, made, "capacityProvider.autoScalingGroupProvider.autoScalingGroupArn"),
               "arn:aws:autoscaling:us-east-1:123456789012:autoScalingGroup:12345678-1234-4234-8234-123456789012:autoScalingGroupName/g1");
    CHECK_TEXT("draining is on", at(&f, made, "capacityProvider.autoScalingGroupProvider.managedDraining"), "ENABLED");
    struct str changed = fixture_call(&f, "UpdateCapacityProvider", "{\"name\":\"gpu\",\"autoScalingGroupProvider\":{\"managedScaling\":{\"status\":\"ENABLED\","
                                      "\"targetCapacity\":90}}}");
    CHECK_TEXT("the old target", at(&f, changed, "capacityProvider.autoScalingGroupProvider.managedScaling.targetCapacity"), "100");
    CHECK_TEXT("in progress", at(&f, changed, "capacityProvider.updateStatus"), "UPDATE_IN_PROGRESS");
    struct str soon = fixture_call(&f, "DescribeCapacityProviders", "{\"capacityProviders\":[\"gpu\"]}");
    CHECK_TEXT("until the next tick", at(&f, soon, "capacityProviders[0].updateStatus"), "UPDATE_IN_PROGRESS");
    (void)steps(&f);
    struct str seen = fixture_call(&f, "DescribeCapacityProviders", "{\"capacityProviders\":[\"gpu\",\"arn:aws:ecs:us-east-1:123456789012:capacity-provider/gpu\","
                                   "\"nope\"],\"include\":[\"TAGS\"]}");
    CHECK_TEXT("the new target", at(&f, seen, "capacityProviders[0].autoScalingGroupProvider.managedScaling.targetCapacity"), "90");
    CHECK_TEXT("complete", at(&f, seen, "capacityProviders[1].updateStatus"), "UPDATE_COMPLETE");
    CHECK_TEXT("its tags", at(&f, seen, "capacityProviders[0].tags[0].value"), "b");
    CHECK_TEXT("unknown", at(&f, seen, "failures[0].reason"), "MISSING");
    CHECK_EQ("with Fargate's", count_at(&f, fixture_call(&f, "DescribeCapacityProviders", "{}"), "capacityProviders"), 3);
    struct str page = fixture_call(&f, "DescribeCapacityProviders", "{\"maxResults\":2}");
    const char *token = at(&f, page, "nextToken");
    CHECK_EQ("the next page", count_at(&f, fixture_call(&f, "DescribeCapacityProviders", text(&f, "{\"nextToken\":\"%s\"}", token)), "capacityProviders"), 1);
    (void)fixture_call(&f, "TagResource", "{\"resourceArn\":\"arn:aws:ecs:us-east-1:123456789012:capacity-provider/gpu\",\"tags\":[{\"key\":\"c\",\"value\":\"d\"}]}");
    CHECK_EQ("tagged", f.code, ERR_NONE);

    struct str put = fixture_call(&f, "PutClusterCapacityProviders", "{\"cluster\":\"default\",\"capacityProviders\":[\"gpu\"],"
                                  "\"defaultCapacityProviderStrategy\":[{\"capacityProvider\":\"gpu\",\"weight\":1}]}");
    CHECK_TEXT("associated", at(&f, put, "cluster.capacityProviders[0]"), "gpu");
    CHECK_TEXT("with its base", at(&f, put, "cluster.defaultCapacityProviderStrategy[0].base"), "0");
    CHECK_TEXT("its scaling policy", at(&f, put, "cluster.attachments[0].type"), "as_policy");
    CHECK_TEXT("by name", text(&f, "%.28s", at(&f, put, "cluster.attachments[0].details[1].value")), "ECSManagedAutoScalingPolicy-");
    CHECK_TEXT("its hook", at(&f, put, "cluster.attachments[1].type"), "managed_draining");
    CHECK_TEXT("of the provider", at(&f, put, "cluster.attachments[1].details[0].value"), "gpu");
    CHECK_TEXT("complete", at(&f, put, "cluster.attachmentsStatus"), "UPDATE_COMPLETE");
    struct str shown = fixture_call(&f, "DescribeClusters", "{\"clusters\":[\"default\"],\"include\":[\"ATTACHMENTS\"]}");
    CHECK_TEXT("the same later", at(&f, shown, "clusters[0].attachments[0].id"), at(&f, put, "cluster.attachments[0].id"));
    shown = fixture_call(&f, "DescribeClusters", "{\"clusters\":[\"default\"]}");
    CHECK_TEXT("on demand only", at(&f, shown, "clusters[0].attachmentsStatus"), "(absent)");
    (void)fixture_call(&f, "CreateCluster", "{\"clusterName\":\"other\"}");
    (void)fixture_call(&f, "PutClusterCapacityProviders", "{\"cluster\":\"other\",\"capacityProviders\":[\"gpu\"],\"defaultCapacityProviderStrategy\":[]}");
    CHECK_EQ("with scaling it serves one cluster", f.code, ERR_INVALID_PARAMETER);
    (void)fixture_call(&f, "DeleteCapacityProvider", "{\"capacityProvider\":\"gpu\"}");
    CHECK_EQ("in use", f.code, ERR_CLIENT);
    struct str all = fixture_call(&f, "DescribeCapacityProviders", "{\"cluster\":\"default\",\"maxResults\":1}");
    CHECK_TEXT("Fargate's first", at(&f, all, "capacityProviders[0].name"), "FARGATE");
    all = fixture_call(&f, "DescribeCapacityProviders", text(&f, "{\"cluster\":\"default\",\"maxResults\":1,\"nextToken\":\"%s\"}", at(&f, all, "nextToken")));
    CHECK_TEXT("then the other", at(&f, all, "capacityProviders[0].name"), "FARGATE_SPOT");
    all = fixture_call(&f, "DescribeCapacityProviders", text(&f, "{\"cluster\":\"default\",\"maxResults\":1,\"nextToken\":\"%s\"}", at(&f, all, "nextToken")));
    CHECK_TEXT("then those of the cluster", at(&f, all, "capacityProviders[0].name"), "gpu");
    define(&f, "train", "", "");
    struct str run = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\"}");
    CHECK_TEXT("a task waits for a machine", at(&f, run, "tasks[0].lastStatus"), "PROVISIONING");
    CHECK_TEXT("of its provider", at(&f, run, "tasks[0].capacityProviderName"), "gpu");
    (void)fixture_call(&f, "PutClusterCapacityProviders", "{\"cluster\":\"default\",\"capacityProviders\":[],\"defaultCapacityProviderStrategy\":[]}");
    CHECK_EQ("tasks wait for it", f.code, ERR_RESOURCE_IN_USE);
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", at(&f, run, "tasks[0].taskArn")));
    (void)fixture_call(&f, "PutClusterCapacityProviders", "{\"cluster\":\"default\",\"capacityProviders\":[],\"defaultCapacityProviderStrategy\":[]}");
    CHECK_EQ("nobody uses it", f.code, ERR_NONE);
    struct str gone = fixture_call(&f, "DeleteCapacityProvider", "{\"capacityProvider\":\"gpu\"}");
    CHECK_TEXT("as ECS answers", at(&f, gone, "capacityProvider.updateStatus"), "DELETE_IN_PROGRESS");
    seen = fixture_call(&f, "DescribeCapacityProviders", "{\"capacityProviders\":[\"gpu\"]}");
    CHECK_TEXT("gone", at(&f, seen, "failures[0].reason"), "MISSING");
    fixture_close(&f);
}

static void test_managed(void)
{
    struct api_fixture f;
    open_stage(&f);
    (void)fixture_call(&f, "CreateCluster", "{\"clusterName\":\"other\"}");
    struct str made = fixture_call(&f, "CreateCapacityProvider", CREATE("mi", "\"cluster\":\"default\"," MANAGED(",\"instanceRequirements\":" WHAT "}}")));
    CHECK_TEXT("its type", at(&f, made, "capacityProvider.type"), "MANAGED_INSTANCES");
    CHECK_TEXT("not yet", at(&f, made, "capacityProvider.status"), "PROVISIONING");
    CHECK_TEXT("in progress", at(&f, made, "capacityProvider.updateStatus"), "CREATE_IN_PROGRESS");
    define(&f, "train", "", "");
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\",\"capacityProviderStrategy\":[{\"capacityProvider\":\"mi\",\"weight\":1}]}");
    CHECK_EQ("no task yet", f.code, ERR_INVALID_PARAMETER);
    (void)steps(&f);
    struct str ready = fixture_call(&f, "DescribeCapacityProviders", "{\"capacityProviders\":[\"mi\"]}");
    CHECK_TEXT("ready", at(&f, ready, "capacityProviders[0].status"), "ACTIVE");
    CHECK_TEXT("complete", at(&f, ready, "capacityProviders[0].updateStatus"), "CREATE_COMPLETE");
    CHECK_TEXT("its cluster", at(&f, made, "capacityProvider.cluster"), "default");
    CHECK_TEXT("a default", at(&f, made, "capacityProvider.managedInstancesProvider.instanceLaunchTemplate.capacityOptionType"), "ON_DEMAND");
    (void)fixture_call(&f, "PutClusterCapacityProviders", "{\"cluster\":\"other\",\"capacityProviders\":[\"mi\"],\"defaultCapacityProviderStrategy\":[]}");
    CHECK_EQ("not of another cluster", f.code, ERR_INVALID_PARAMETER);
    (void)fixture_call(&f, "UpdateCapacityProvider", "{\"name\":\"mi\",\"managedInstancesProvider\":{\"infrastructureRoleArn\":\"r\",\"instanceLaunchTemplate\":{}}}");
    CHECK_EQ("an update names the cluster", f.code, ERR_INVALID_PARAMETER);
    (void)fixture_call(&f, "UpdateCapacityProvider", "{\"name\":\"mi\",\"cluster\":\"default\",\"managedInstancesProvider\":{\"infrastructureRoleArn\":\"r2\","
                       "\"instanceLaunchTemplate\":{}}}");
    CHECK_EQ("updated", f.code, ERR_NONE);
    struct str seen = fixture_call(&f, "DescribeCapacityProviders", "{\"cluster\":\"default\"}");
    CHECK_EQ("of the cluster, and Fargate's", count_at(&f, seen, "capacityProviders"), 3);
    CHECK_TEXT("its new role", at(&f, seen, "capacityProviders[2].managedInstancesProvider.infrastructureRoleArn"), "r2");
    CHECK_TEXT("an absent member stays", at(&f, seen, "capacityProviders[2].managedInstancesProvider.instanceLaunchTemplate.ec2InstanceProfileArn"), "p");
    create(&f, "{\"serviceName\":\"web\",\"taskDefinition\":\"train\",\"desiredCount\":0,\"capacityProviderStrategy\":[{\"capacityProvider\":\"mi\",\"weight\":1}]}");
    struct str refused = fixture_call(&f, "DeleteCapacityProvider", "{\"capacityProvider\":\"mi\",\"cluster\":\"default\"}");
    CHECK_STR("a service names it", refused, STR("ClientException: The capacity provider is in use by the service web and can't be deleted. Update or delete the service and "
                                                 "try again."));
    (void)fixture_call(&f, "DeleteService", "{\"service\":\"web\"}");
    struct str deleted = fixture_call(&f, "DeleteCapacityProvider", "{\"capacityProvider\":\"mi\",\"cluster\":\"default\"}");
    CHECK_TEXT("as ECS answers", at(&f, deleted, "capacityProvider.status"), "ACTIVE");
    CHECK_EQ("without machines it goes at once", f.code, ERR_NONE);
    (void)steps(&f);
    CHECK_TEXT("gone", at(&f, fixture_call(&f, "DescribeCapacityProviders", "{\"capacityProviders\":[\"mi\"]}"), "failures[0].reason"), "MISSING");
    fixture_close(&f);
}

int main(void)
{
    test_rules();
    test_life();
    test_managed();
    return check_report();
}
