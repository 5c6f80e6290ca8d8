/* Tasks as a caller sees them: running, starting, stopping, describing, listing. */
#include "tests/unit/api/machines.h"

static void tasks_open(struct api_fixture *f)
{
    cluster_open(f);
    define(f, "f", ",\"cpu\":10", ",\"tags\":[{\"key\":\"team\",\"value\":\"def\"},{\"key\":\"copied\",\"value\":\"yes\"}]");
}

/* ---- RunTask: refusals ---- */

#define VPC "\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[\"s\"]}}"
#define OVERRIDE(more) "{\"taskDefinition\":\"f\",\"overrides\":{\"containerOverrides\":[{\"name\":\"main\"," more "}]}}"

static const struct { const char *row, *body; enum err_code code; } refusals[] = {
    { "no such cluster",          "{\"taskDefinition\":\"f\",\"cluster\":\"none\"}", ERR_CLUSTER_NOT_FOUND },
    { "no such family",           "{\"taskDefinition\":\"nope\"}", ERR_CLIENT },
    { "no such revision",         "{\"taskDefinition\":\"f:7\"}", ERR_CLIENT },
    { "inactive definition",      "{\"taskDefinition\":\"old:1\"}", ERR_INVALID_PARAMETER },
    { "count below",              "{\"taskDefinition\":\"f\",\"count\":0}", ERR_INVALID_PARAMETER },
    { "count above",              "{\"taskDefinition\":\"f\",\"count\":11}", ERR_INVALID_PARAMETER },
    { "Fargate",                  "{\"taskDefinition\":\"f\",\"launchType\":\"FARGATE\"}", ERR_UNSUPPORTED_FEATURE },
    { "capacity provider",        "{\"taskDefinition\":\"f\",\"capacityProviderStrategy\":[{\"capacityProvider\":\"x\",\"weight\":1}]}", ERR_INVALID_PARAMETER },
    { "no weight at all",         "{\"taskDefinition\":\"f\",\"capacityProviderStrategy\":[{\"capacityProvider\":\"x\"}]}", ERR_INVALID_PARAMETER },
    { "two bases",                "{\"taskDefinition\":\"f\",\"capacityProviderStrategy\":[{\"capacityProvider\":\"x\",\"weight\":1,\"base\":1},"
      "{\"capacityProvider\":\"y\",\"base\":1}]}", ERR_INVALID_PARAMETER },
    { "the definition first",     "{\"taskDefinition\":\"nope\",\"capacityProviderStrategy\":[{\"capacityProvider\":\"x\"}]}", ERR_CLIENT },
    { "provider and launch type", "{\"taskDefinition\":\"f\",\"launchType\":\"EC2\",\"capacityProviderStrategy\":[{\"capacityProvider\":\"x\"}]}",
      ERR_INVALID_PARAMETER },
    { "platform version",         "{\"taskDefinition\":\"f\",\"platformVersion\":\"LATEST\"}", ERR_INVALID_PARAMETER },
    { "EXTERNAL in awsvpc",       "{\"taskDefinition\":\"vpc\",\"launchType\":\"EXTERNAL\"," VPC "}", ERR_INVALID_PARAMETER },
    { "EC2 in awsvpc",            "{\"taskDefinition\":\"vpc\",\"launchType\":\"EC2\"," VPC "}", ERR_NONE },
    { "an ARN of all revisions",  "{\"taskDefinition\":\"arn:aws:ecs:us-east-1:123456789012:task-definition/f:*\"}", ERR_NONE },
    { "network for bridge",       "{\"taskDefinition\":\"f\",\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[\"s\"]}}}",
      ERR_INVALID_PARAMETER },
    { "awsvpc without network",   "{\"taskDefinition\":\"vpc\"}", ERR_INVALID_PARAMETER },
    { "awsvpc without subnets",   "{\"taskDefinition\":\"vpc\",\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[]}}}",
      ERR_INVALID_PARAMETER },
    { "awsvpc as it should be",   "{\"taskDefinition\":\"vpc\",\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[\"s\"]}}}", ERR_NONE },
    { "unknown container",        "{\"taskDefinition\":\"f\",\"overrides\":{\"containerOverrides\":[{\"name\":\"x\"}]}}", ERR_INVALID_PARAMETER },
    { "negative override",        "{\"taskDefinition\":\"f\",\"overrides\":{\"containerOverrides\":[{\"name\":\"main\",\"cpu\":-1}]}}",
      ERR_INVALID_PARAMETER },
    { "override of cpu",          "{\"taskDefinition\":\"f\",\"overrides\":{\"cpu\":\"many\"}}", ERR_INVALID_PARAMETER },
    { "the task too small for it",    "{\"taskDefinition\":\"f\",\"overrides\":{\"memory\":\"127\"}}", ERR_INVALID_PARAMETER },
    { "as much as the task",          "{\"taskDefinition\":\"f\",\"overrides\":{\"memory\":\"128\"}}", ERR_NONE },
    { "a part above the whole",       "{\"taskDefinition\":\"f\",\"overrides\":{\"memory\":\"200\",\"containerOverrides\":[{\"name\":\"main\",\"memory\":201}]}}",
      ERR_INVALID_PARAMETER },
    { "override of memory",       "{\"taskDefinition\":\"f\",\"overrides\":{\"memory\":\"much\"}}", ERR_INVALID_PARAMETER },
    { "one and a half GPUs",      "{\"taskDefinition\":\"f\",\"overrides\":{\"containerOverrides\":[{\"name\":\"main\"" GPUS("1.5") "}]}}",
      ERR_INVALID_PARAMETER },
    { "a text that is no role",   "{\"taskDefinition\":\"f\",\"overrides\":{\"taskRoleArn\":\"a b\"}}", ERR_INVALID_PARAMETER },
    { "a role",                   "{\"taskDefinition\":\"f\",\"overrides\":{\"executionRoleArn\":\"r\"}}", ERR_NONE },
    { "accelerators",             "{\"taskDefinition\":\"f\",\"overrides\":{\"inferenceAcceleratorOverrides\":[{\"deviceName\":\"d\"}]}}",
      ERR_INVALID_PARAMETER },
    { "no accelerators",          "{\"taskDefinition\":\"f\",\"overrides\":{\"inferenceAcceleratorOverrides\":[]}}", ERR_NONE },
    { "an accelerator",           OVERRIDE("\"resourceRequirements\":[{\"type\":\"InferenceAccelerator\",\"value\":\"d\"}]"), ERR_INVALID_PARAMETER },
    { "a Neuron device",          OVERRIDE("\"resourceRequirements\":[{\"type\":\"NeuronDevice\",\"value\":\"ALL\"}]"), ERR_UNSUPPORTED_FEATURE },
    { "environment files",        OVERRIDE("\"environmentFiles\":[{\"type\":\"s3\",\"value\":\"arn:aws:s3:::b/x.env\"}]"), ERR_NONE },
    { "storage of 20",            "{\"taskDefinition\":\"f\",\"overrides\":{\"ephemeralStorage\":{\"sizeInGiB\":20}}}", ERR_INVALID_PARAMETER },
    { "storage of 21",            "{\"taskDefinition\":\"f\",\"overrides\":{\"ephemeralStorage\":{\"sizeInGiB\":21}}}", ERR_NONE },
    { "distinct, with a reason",  "{\"taskDefinition\":\"f\",\"placementConstraints\":[{\"type\":\"distinctInstance\",\"expression\":\"x\"}]}",
      ERR_INVALID_PARAMETER },
    { "a constraint of no type",  "{\"taskDefinition\":\"f\",\"placementConstraints\":[{}]}", ERR_INVALID_PARAMETER },
    { "a strategy of no type",    "{\"taskDefinition\":\"f\",\"placementStrategy\":[{\"field\":\"cpu\"}]}", ERR_INVALID_PARAMETER },
    { "a strategy's odd field",   "{\"taskDefinition\":\"f\",\"placementStrategy\":[{\"type\":\"spread\",\"field\":\"colour\"}]}", ERR_NONE },
    { "a token with a blank",     "{\"taskDefinition\":\"f\",\"clientToken\":\"a b\"}", ERR_INVALID_PARAMETER },
    { "a token of all signs",     "{\"taskDefinition\":\"f\",\"clientToken\":\"!~\"}", ERR_NONE },
    { "a token beyond them",      "{\"taskDefinition\":\"f\",\"clientToken\":\"\xC3\xA9\"}", ERR_INVALID_PARAMETER },
    { "tags of a service",        "{\"taskDefinition\":\"f\",\"propagateTags\":\"SERVICE\"}", ERR_INVALID_PARAMETER },
    { "a reserved tag",           "{\"taskDefinition\":\"f\",\"tags\":[{\"key\":\"aws:x\",\"value\":\"y\"}]}", ERR_INVALID_PARAMETER },
    { "startedBy with a blank",   "{\"taskDefinition\":\"f\",\"startedBy\":\"a b\"}", ERR_INVALID_PARAMETER },
    { "EBS volumes",              "{\"taskDefinition\":\"f\",\"volumeConfigurations\":[{\"name\":\"v\"}]}", ERR_UNSUPPORTED_FEATURE },
    { "EFS volumes",              "{\"taskDefinition\":\"efs\"}", ERR_UNSUPPORTED_FEATURE },
    { "secrets",                  "{\"taskDefinition\":\"secret\"}", ERR_NONE },
    { "Neuron devices",           "{\"taskDefinition\":\"neuron\"}", ERR_UNSUPPORTED_FEATURE },
    { "… taken away",             "{\"taskDefinition\":\"neuron\",\"overrides\":{\"containerOverrides\":[{\"name\":\"main\",\"resourceRequirements\":[]}]}}",
      ERR_NONE },
};

static void test_run_refusals(void)
{
    struct api_fixture f;
    tasks_open(&f);
    (void)machine_add(&f, "a", 0);
    define(&f, "old", "", "");
    (void)fixture_call(&f, "DeregisterTaskDefinition", "{\"taskDefinition\":\"old:1\"}");
    define(&f, "vpc", "", ",\"networkMode\":\"awsvpc\"");
    define(&f, "neuron", ",\"resourceRequirements\":[{\"type\":\"NeuronDevice\",\"value\":\"ALL\"}]", "");
    define(&f, "efs", "", ",\"volumes\":[{\"name\":\"v\",\"efsVolumeConfiguration\":{\"fileSystemId\":\"fs-1\"}}]");
    define(&f, "secret", ",\"secrets\":[{\"name\":\"S\",\"valueFrom\":\"arn:aws:ssm:us-east-1:123456789012:parameter/p\"}]",
           ",\"executionRoleArn\":\"r\"");
    for (size_t r = 0; r < COUNT_OF(refusals); r++) {
        (void)fixture_call(&f, "RunTask", refusals[r].body);
        CHECK_EQ(refusals[r].row, f.code, refusals[r].code);
    }
    check_world(&f, "refusals change nothing");
    fixture_close(&f);
}

static void test_run_texts(void)
{
    struct api_fixture f;
    tasks_open(&f);
    fixture_check(&f, "no machine at all", "RunTask", "{\"taskDefinition\":\"f\"}",
                  "InvalidParameterException: No Container Instances were found in your cluster.");
    (void)machine_add(&f, "a", 0);
    fixture_check(&f, "unknown definition", "RunTask", "{\"taskDefinition\":\"g\"}", "ClientException: TaskDefinition not found.");
    fixture_check(&f, "unknown container", "RunTask",
                  "{\"taskDefinition\":\"f\",\"overrides\":{\"containerOverrides\":[{\"name\":\"x\"}]}}",
                  "InvalidParameterException: Override for container named x is not a container in the TaskDefinition.");
    fixture_check(&f, "network for bridge", "RunTask",
                  "{\"taskDefinition\":\"f\",\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[\"s\"]}}}",
                  "InvalidParameterException: Network Configuration is not valid for the given networkMode of this task definition.");
    fixture_check(&f, "no weight", "RunTask", "{\"taskDefinition\":\"f\",\"capacityProviderStrategy\":[{\"capacityProvider\":\"x\",\"weight\":0}]}",
                  "InvalidParameterException: There are no capacity providers with a weight value greater than zero defined in the "
                  "capacity provider strategy. At least one capacity provider must have a weight value greater than zero specified. Specify a valid "
                  "capacity provider strategy and try again.");
    define(&f, "vpc", "", ",\"networkMode\":\"awsvpc\"");
    fixture_check(&f, "not for EXTERNAL", "RunTask", "{\"taskDefinition\":\"vpc\",\"launchType\":\"EXTERNAL\"," VPC "}",
                  "InvalidParameterException: Task definition does not support launch_type EXTERNAL.");
    fixture_close(&f);
}

/* Lengths, from both sides. */
static void test_run_limits(void)
{
    static const struct { const char *row, *member; int len; enum err_code code; } rows[] = {
        { "group of 255",        "\"group\":\"%s\"",       255,  ERR_NONE },
        { "group of 256",        "\"group\":\"%s\"",       256,  ERR_INVALID_PARAMETER },
        { "startedBy of 128",    "\"startedBy\":\"%s\"",   128,  ERR_NONE },
        { "startedBy of 129",    "\"startedBy\":\"%s\"",   129,  ERR_INVALID_PARAMETER },
        { "referenceId of 1024", "\"referenceId\":\"%s\"", 1024, ERR_NONE },
        { "referenceId of 1025", "\"referenceId\":\"%s\"", 1025, ERR_INVALID_PARAMETER },
        { "clientToken of 64",   "\"clientToken\":\"%s\"", 64,   ERR_NONE },
        { "clientToken of 65",   "\"clientToken\":\"%s\"", 65,   ERR_INVALID_PARAMETER },
        /* {"containerOverrides":[{"name":"main","command":["…"]}]} is 55 characters and the word */
        { "overrides of 8192",   "\"overrides\":{\"containerOverrides\":[{\"name\":\"main\",\"command\":[\"%s\"]}]}", 8192 - 55, ERR_NONE },
        { "overrides of 8193",   "\"overrides\":{\"containerOverrides\":[{\"name\":\"main\",\"command\":[\"%s\"]}]}", 8193 - 55, ERR_INVALID_PARAMETER },
    };
    struct api_fixture f;
    tasks_open(&f);
    (void)machine_add(&f, "a", 0);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char word[8193] = { 0 };
        memset(word, 'x', (size_t)rows[r].len);
        const char *member = rows[r].member, *mark = strstr(member, "%s");
        struct buf body = buf_in(&f.kept);
        buf_put(&body, STR("{\"taskDefinition\":\"f\","));
        buf_put(&body, (struct str){ member, (size_t)(mark - member) });
        buf_put(&body, str_from(word));
        buf_put(&body, str_from(mark + 2));
        buf_put(&body, STR("}"));
        (void)fixture_call_str(&f, "RunTask", buf_str(&body));
        CHECK_EQ(rows[r].row, f.code, rows[r].code);
    }
    fixture_close(&f);
}

static void test_run_lists(void)
{
    static const struct { const char *row, *definition, *before, *item, *after; int most; } rows[] = {
        { "subnets",         "vpc", "\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[", "\"s\"", "]}}", 16 },
        { "security groups", "vpc", "\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[\"s\"],\"securityGroups\":[", "\"g\"", "]}}", 5 },
        { "constraints",     "f",   "\"placementConstraints\":[", "{\"type\":\"memberOf\",\"expression\":\"attribute:berth.name == a\"}", "]", 10 },
        { "… of both",       "one", "\"placementConstraints\":[", "{\"type\":\"memberOf\",\"expression\":\"attribute:berth.name == a\"}", "]", 9 },
        { "strategies",      "f",   "\"placementStrategy\":[", "{\"type\":\"random\"}", "]", 5 },
    };
    struct api_fixture f;
    tasks_open(&f);
    (void)machine_add(&f, "a", 0);
    define(&f, "vpc", "", ",\"networkMode\":\"awsvpc\"");
    define(&f, "one", "", ",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:berth.name == a\"}]");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        for (int count = rows[r].most; count <= rows[r].most + 1; count++) {
            struct buf body = buf_in(&f.kept);
            buf_printf(&body, "{\"taskDefinition\":\"%s\",%s", rows[r].definition, rows[r].before);
            for (int i = 0; i < count; i++) { buf_printf(&body, "%s%s", i == 0 ? "" : ",", rows[r].item); }
            buf_printf(&body, "%s}", rows[r].after);
            (void)fixture_call_str(&f, "RunTask", buf_str(&body));
            CHECK_EQ(rows[r].row, f.code, count == rows[r].most ? ERR_NONE : ERR_INVALID_PARAMETER);
        }
    }
    fixture_close(&f);
}

/* ---- RunTask: the reply ---- */

static void test_run_reply(void)
{
    static const struct { const char *path, *want; } rows[] = {
        { "tasks[0].attachments", "[]" },
        { "tasks[0].attributes", "[]" },
        { "tasks[0].clusterArn", "arn:aws:ecs:us-east-1:123456789012:cluster/default" },
        { "tasks[0].connectivity", "(absent)" },
        { "tasks[0].containers[0].cpu", "10" },
        { "tasks[0].containers[0].memory", "64" },
        { "tasks[0].containers[0].memoryReservation", "(absent)" },
        { "tasks[0].containers[0].image", "busybox" },
        { "tasks[0].containers[0].lastStatus", "PENDING" },
        { "tasks[0].containers[0].name", "main" },
        { "tasks[0].containers[0].networkBindings", "(absent)" },
        { "tasks[0].containers[0].networkInterfaces", "[]" },
        { "tasks[0].containers[0].healthStatus", "UNKNOWN" },
        { "tasks[0].containers[0].gpuIds", "(absent)" },
        { "tasks[0].cpu", "10" },
        { "tasks[0].memory", "64" },
        { "tasks[0].desiredStatus", "RUNNING" },
        { "tasks[0].lastStatus", "PENDING" },
        { "tasks[0].enableExecuteCommand", "true" },
        { "tasks[0].group", "family:f" },
        { "tasks[0].healthStatus", "UNKNOWN" },
        { "tasks[0].launchType", "EC2" },
        { "tasks[0].overrides", "{\"containerOverrides\":[{\"name\":\"main\",\"memory\":64}],\"inferenceAcceleratorOverrides\":[]}" },
        { "tasks[0].startedBy", "me/it-1_x" },
        { "tasks[0].tags", "[{\"key\":\"team\",\"value\":\"own\"},{\"key\":\"copied\",\"value\":\"yes\"},{\"key\":\"aws:ecs:clusterName\","
          "\"value\":\"default\"}]" },
        { "tasks[0].taskDefinitionArn", "arn:aws:ecs:us-east-1:123456789012:task-definition/f:1" },
        { "tasks[0].version", "1" },
        { "tasks[0].createdAt", "1700000000.0" },
        { "tasks[0].startedAt", "(absent)" },
        { "tasks[0].stopCode", "(absent)" },
        { "failures", "[]" },
    };
    struct api_fixture f;
    tasks_open(&f);
    struct id machine = machine_add(&f, "a", 0);
    struct str reply = fixture_call(&f, "RunTask",
        "{\"taskDefinition\":\"f\",\"startedBy\":\"me/it-1_x\",\"enableExecuteCommand\":true,\"enableECSManagedTags\":true,"
        "\"propagateTags\":\"TASK_DEFINITION\",\"tags\":[{\"key\":\"team\",\"value\":\"own\"}],"
        "\"overrides\":{\"containerOverrides\":[{\"name\":\"main\",\"memory\":64}]}}");
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_STR(rows[r].path, str_from(at(&f, reply, rows[r].path)), str_from(rows[r].want)); }
    CHECK("on the machine", id_eq(id_at(&f, reply, "tasks[0].containerInstanceArn"), machine));
    CHECK("a container's ARN lies below its task's", str_starts_with(fixture_at(&f, reply, "tasks[0].containers[0].containerArn"),
                                                                    STR("arn:aws:ecs:us-east-1:123456789012:container/default/")));
    CHECK_STR("a container names its task", fixture_at(&f, reply, "tasks[0].containers[0].taskArn"), fixture_at(&f, reply, "tasks[0].taskArn"));
    CHECK_EQ("one effect", (int64_t)f.effects.count, 1);
    CHECK("it wakes the machine", f.effects.items[0].kind == EFFECT_WAKE_INSTANCE && id_eq(f.effects.items[0].instance, machine));

    struct str ten = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":10}");
    CHECK_EQ("ten at once", count_at(&f, ten, "tasks"), 10);
    CHECK_STR("no tags is an empty list", fixture_at(&f, ten, "tasks[9].tags"), STR("[]"));
    CHECK_EQ("one effect for one machine", (int64_t)f.effects.count, 1);
    CHECK_EQ("same definition, same shown again", count_at(&f, fixture_call(&f, "ListTasks", "{}"), "taskArns"), 11);
    check_world(&f, "eleven tasks");
    fixture_close(&f);
}

static void test_token(void)
{
    struct api_fixture f;
    tasks_open(&f);
    (void)machine_add(&f, "a", 0);
    struct str first = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":2,\"clientToken\":\"t\"}");
    struct str again = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":2,\"clientToken\":\"t\"}");
    CHECK_STR("the same call, the same reply", again, first);
    CHECK_EQ("nothing to wake", (int64_t)f.effects.count, 0);
    report(&f, at(&f, first, "tasks[1].taskArn"), "RUNNING", "");
    again = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":2,\"clientToken\":\"t\"}");
    CHECK_STR("in their present state", fixture_at(&f, again, "tasks[1].lastStatus"), STR("RUNNING"));
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":3,\"clientToken\":\"t\"}");
    CHECK_EQ("another count", f.code, ERR_CONFLICT);
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":2,\"clientToken\":\"t\",\"group\":\"g\"}");
    CHECK_EQ("another group", f.code, ERR_CONFLICT);
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":2,\"clientToken\":\"T\"}");
    CHECK_EQ("tokens have case", f.code, ERR_NONE);
    again = fixture_call(&f, "RunTask", "{\"cluster\":\"arn:aws:ecs:us-east-1:123456789012:cluster/default\",\"taskDefinition\":\"f\",\"count\":2,"
                         "\"clientToken\":\"t\"}");
    CHECK_STR("the cluster by another name is the same call", fixture_at(&f, again, "tasks[0].taskArn"), fixture_at(&f, first, "tasks[0].taskArn"));
    CHECK_EQ("so these are more", count_at(&f, fixture_call(&f, "ListTasks", "{}"), "taskArns"), 4);

    f.now_ms += (int64_t)24 * 3600 * 1000 - 1;
    again = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":2,\"clientToken\":\"t\"}");
    CHECK_STR("good for a day", fixture_at(&f, again, "tasks[0].taskArn"), fixture_at(&f, first, "tasks[0].taskArn"));
    f.now_ms += 1;
    again = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":2,\"clientToken\":\"t\"}");
    CHECK("and no longer", !str_eq(fixture_at(&f, again, "tasks[0].taskArn"), fixture_at(&f, first, "tasks[0].taskArn")));
    check_world(&f, "tokens");
    fixture_close(&f);
}

/* ---- StartTask ---- */

static void test_start(void)
{
    struct api_fixture f;
    tasks_open(&f);
    char a[ID_HEX_LEN + 1], b[ID_HEX_LEN + 1], c[ID_HEX_LEN + 1];
    id_hex(machine_add(&f, "a", 0), a);
    id_hex(machine_add(&f, "b", 1), b);
    struct id gone = machine_add(&f, "c", 1);
    id_hex(gone, c);
    struct str reply = fixture_call(&f, "StartTask",
                                    text(&f, "{\"taskDefinition\":\"f\",\"containerInstances\":[\"%s\",\"" NOBODY "\","
                                        "\"" ARN_OF("container-instance") "%s\"]}", a, b));
    CHECK_EQ("two of three", count_at(&f, reply, "tasks"), 2);
    CHECK("on the first", str_ends_with(fixture_at(&f, reply, "tasks[0].containerInstanceArn"), str_from(a)));
    CHECK("on the third", str_ends_with(fixture_at(&f, reply, "tasks[1].containerInstanceArn"), str_from(b)));
    CHECK_STR("nobody is missing", fixture_at(&f, reply, "failures[0]"),
              STR("{\"arn\":\"" ARN_OF("container-instance") NOBODY "\",\"reason\":\"MISSING\"}"));
    CHECK_STR("default group", fixture_at(&f, reply, "tasks[0].group"), STR("family:f"));

    define(&f, "gpu", GPUS("1"), "");
    reply = fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"gpu\",\"containerInstances\":[\"%s\",\"%s\",\"%s\"]}", a, b, b));
    CHECK_EQ("only where the GPU is, and once", count_at(&f, reply, "tasks"), 1);
    CHECK_STR("none there", fixture_at(&f, reply, "failures[0].reason"), STR("RESOURCE:GPU"));
    CHECK_STR("taken", fixture_at(&f, reply, "failures[1].reason"), STR("RESOURCE:GPU"));
    CHECK("in words", fixture_at(&f, reply, "failures[1].detail").len > 20);

    machine_presence(&f, gone, false);
    reply = fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"f\",\"containerInstances\":[\"%s\"]}", c));
    CHECK_STR("no agent", fixture_at(&f, reply, "failures[0].reason"), STR("AGENT"));
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", c));
    reply = fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"f\",\"containerInstances\":[\"%s\"]}", c));
    CHECK_STR("deregistered", fixture_at(&f, reply, "failures[0].reason"), STR("INACTIVE"));
    (void)fixture_call(&f, "UpdateContainerInstancesState", text(&f, "{\"containerInstances\":[\"%s\"],\"status\":\"DRAINING\"}", a));
    reply = fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"f\",\"containerInstances\":[\"%s\"]}", a));
    CHECK_STR("draining", fixture_at(&f, reply, "failures[0].reason"), STR("INACTIVE"));

    fixture_check(&f, "nowhere", "StartTask", "{\"taskDefinition\":\"f\",\"containerInstances\":[]}",
                  "ClientException: Container Instances cannot be empty.");
    (void)fixture_call(&f, "StartTask", "{\"cluster\":\"none\",\"taskDefinition\":\"f\",\"containerInstances\":[]}");
    CHECK_EQ("the cluster comes first", f.code, ERR_CLUSTER_NOT_FOUND);
    (void)fixture_call(&f, "StartTask", "{\"taskDefinition\":\"f\",\"containerInstances\":[\"x\"]}");
    CHECK_EQ("no id", f.code, ERR_INVALID_PARAMETER);
    (void)fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"nope\",\"containerInstances\":[\"%s\"]}", a));
    CHECK_EQ("no definition", f.code, ERR_CLIENT);
    check_world(&f, "started");
    fixture_close(&f);
}

static void test_start_limits(void)
{
    static const struct { const char *row, *member; int len; enum err_code code; } rows[] = {
        { "startedBy of 36",     "startedBy",   36,   ERR_NONE },
        { "startedBy of 37",     "startedBy",   37,   ERR_INVALID_PARAMETER },
        { "group of 255",        "group",       255,  ERR_NONE },
        { "group of 256",        "group",       256,  ERR_INVALID_PARAMETER },
        { "referenceId of 1024", "referenceId", 1024, ERR_NONE },
        { "referenceId of 1025", "referenceId", 1025, ERR_INVALID_PARAMETER },
    };
    struct api_fixture f;
    tasks_open(&f);
    char machine[ID_HEX_LEN + 1];
    id_hex(machine_add(&f, "a", 0), machine);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char word[1026] = { 0 };
        memset(word, 'x', (size_t)rows[r].len);
        (void)fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"f\",\"containerInstances\":[\"%s\"],\"%s\":\"%s\"}", machine,
                                                 rows[r].member, word));
        CHECK_EQ(rows[r].row, f.code, rows[r].code);
    }
    for (int count = 10; count <= 11; count++) {
        struct buf list = buf_in(&f.kept);
        for (int i = 0; i < count; i++) { buf_printf(&list, "%s\"%s\"", i == 0 ? "" : ",", machine); }
        (void)fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"f\",\"containerInstances\":[" STR_FMT "]}", STR_ARG(buf_str(&list))));
        CHECK_EQ("ten machines and no more", f.code, count == 10 ? ERR_NONE : ERR_INVALID_PARAMETER);
    }
    fixture_close(&f);
}

/* ---- StopTask, DescribeTasks ---- */

static void test_stop(void)
{
    struct api_fixture f;
    tasks_open(&f);
    (void)machine_add(&f, "a", 0);
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":2,\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]}");
    const char *task = at(&f, made, "tasks[0].taskArn");
    f.now_ms += 1000;
    struct str reply = fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\",\"reason\":\"enough\"}", task));
    CHECK_STR("still pending", fixture_at(&f, reply, "task.lastStatus"), STR("PENDING"));
    CHECK_STR("should stop", fixture_at(&f, reply, "task.desiredStatus"), STR("STOPPED"));
    CHECK_STR("code", fixture_at(&f, reply, "task.stopCode"), STR("UserInitiated"));
    CHECK_STR("reason", fixture_at(&f, reply, "task.stoppedReason"), STR("Task stopped by user (enough)"));
    CHECK_STR("since", fixture_at(&f, reply, "task.stoppingAt"), STR("1700000001.0"));
    CHECK_STR("tags are gone", fixture_at(&f, reply, "task.tags"), STR("[]"));
    CHECK_STR("a visible change", fixture_at(&f, reply, "task.version"), STR("2"));
    CHECK_EQ("the agent is woken", (int64_t)f.effects.count, 1);
    struct str again = fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\",\"reason\":\"other\"}", task));
    CHECK_STR("twice is no error and changes nothing", again, reply);
    report(&f, task, "STOPPED", "");
    again = fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", task));
    CHECK_STR("stopped stays stopped", fixture_at(&f, again, "task.lastStatus"), STR("STOPPED"));
    CHECK_EQ("nobody to wake", (int64_t)f.effects.count, 0);

    reply = fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", at(&f, made, "tasks[1].taskArn")));
    CHECK_STR("without a reason", fixture_at(&f, reply, "task.stoppedReason"), STR("Task stopped by user"));
    char longest[1100] = { 0 };
    memset(longest, 'x', sizeof longest - 1);
    memcpy(longest + 1023, "\xC3\xA9", 2);                       /* the limit falls into a character */
    struct str third = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}");
    reply = fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\",\"reason\":\"%s\"}", at(&f, third, "tasks[0].taskArn"), longest));
    CHECK_STR("a reason too long is cut", fixture_at(&f, reply, "task.stoppedReason"), arena_printf(&f.kept, "Task stopped by user (%.1023s)", longest));
    fixture_check(&f, "unknown", "StopTask", "{\"task\":\"" NOBODY "\"}", "InvalidParameterException: The referenced task was not found.");
    (void)fixture_call(&f, "StopTask", "{\"task\":\"abc\"}");
    CHECK_EQ("no id", f.code, ERR_INVALID_PARAMETER);
    (void)fixture_call(&f, "StopTask", "{\"task\":\"" NOBODY "\",\"cluster\":\"none\"}");
    CHECK_EQ("no cluster", f.code, ERR_CLUSTER_NOT_FOUND);
    fixture_close(&f);
}

static void test_describe(void)
{
    struct api_fixture f;
    tasks_open(&f);
    (void)machine_add(&f, "a", 0);
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":2,\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]}");
    const char *one = at(&f, made, "tasks[0].taskArn"), *two = at(&f, made, "tasks[1].taskArn");
    struct str reply = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\",\"" NOBODY "\",\"%s\",\"%s\",\"" ARN_OF("task") NOBODY "\"]}",
        two, one, two));
    CHECK_EQ("each once", count_at(&f, reply, "tasks"), 2);
    CHECK_STR("in the order asked", fixture_at(&f, reply, "tasks[0].taskArn"), str_from(two));
    CHECK_STR("in the order asked", fixture_at(&f, reply, "tasks[1].taskArn"), str_from(one));
    CHECK_STR("tags are asked for", fixture_at(&f, reply, "tasks[0].tags"), STR("[]"));
    CHECK_STR("missing, once", fixture_at(&f, reply, "failures"), STR("[{\"arn\":\"" ARN_OF("task") NOBODY "\",\"reason\":\"MISSING\"}]"));
    reply = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\"],\"include\":[\"TAGS\"]}", one));
    CHECK_STR("with tags", fixture_at(&f, reply, "tasks[0].tags"), STR("[{\"key\":\"k\",\"value\":\"v\"}]"));
    CHECK_STR("as RunTask showed it", fixture_at(&f, reply, "tasks[0]"), fixture_at(&f, made, "tasks[0]"));

    fixture_check(&f, "none", "DescribeTasks", "{\"tasks\":[]}", "InvalidParameterException: Tasks cannot be empty.");
    fixture_check(&f, "another cluster's", "DescribeTasks", "{\"tasks\":[\"arn:aws:ecs:us-east-1:123456789012:task/other/" NOBODY "\"]}",
                  "InvalidParameterException: Invalid identifier: Identifier is for cluster other. Your cluster is default");
    (void)fixture_call(&f, "CreateCluster", "{\"clusterName\":\"other\"}");
    char hex[ID_HEX_LEN + 1];
    id_hex(id_at(&f, made, "tasks[0].taskArn"), hex);
    reply = fixture_call(&f, "DescribeTasks", text(&f, "{\"cluster\":\"other\",\"tasks\":[\"%s\"]}", hex));
    CHECK_STR("a task of another cluster is missing", fixture_at(&f, reply, "failures[0].reason"), STR("MISSING"));
    (void)fixture_call(&f, "DescribeTasks", "{\"cluster\":\"none\",\"tasks\":[]}");
    CHECK_EQ("the cluster comes first", f.code, ERR_CLUSTER_NOT_FOUND);
    for (int count = 100; count <= 101; count++) {
        struct buf list = buf_in(&f.kept);
        for (int t = 0; t < count; t++) { buf_printf(&list, "%s\"%032x\"", t == 0 ? "" : ",", t + 1); }
        (void)fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[" STR_FMT "]}", STR_ARG(buf_str(&list))));
        CHECK_EQ("a hundred and no more", f.code, count == 100 ? ERR_NONE : ERR_INVALID_PARAMETER);
    }
    fixture_close(&f);
}

/* ---- ListTasks ---- */

/* Tasks outlive their cluster, but are no part of another one that takes its name. */
static void test_describe_deleted_cluster(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id machine = machine_add(&f, "a", 0);
    define(&f, "f", "", "");
    const char *task = at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}"), "tasks[0].taskArn");
    report(&f, task, "STOPPED", "");
    char hex[ID_HEX_LEN + 1];
    id_hex(machine, hex);
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", hex));
    (void)fixture_call(&f, "DeleteCluster", "{\"cluster\":\"default\"}");
    CHECK_EQ("the cluster is deleted", f.code, ERR_NONE);

    const char *ask = text(&f, "{\"tasks\":[\"%s\",\"" NOBODY "\"]}", task);
    struct str reply = fixture_call(&f, "DescribeTasks", ask);
    CHECK_STR("its task is still there", fixture_at(&f, reply, "tasks[0].lastStatus"), STR("STOPPED"));
    CHECK_STR("another is missing", fixture_at(&f, reply, "failures[0].reason"), STR("MISSING"));
    fixture_check(&f, "without one, there is no cluster", "DescribeTasks", "{\"tasks\":[\"" NOBODY "\"]}", "ClusterNotFoundException: Cluster not found.");
    fixture_check(&f, "nothing else finds it", "ListTasks", "{}", "ClusterNotFoundException: Cluster not found.");
    (void)fixture_call(&f, "CreateCluster", "{}");
    CHECK_EQ("the new one of that name never had it", count_at(&f, fixture_call(&f, "DescribeTasks", ask), "tasks"), 0);
    fixture_close(&f);
}

static void test_list(void)
{
    struct api_fixture f;
    tasks_open(&f);
    char a[ID_HEX_LEN + 1], b[ID_HEX_LEN + 1];
    id_hex(machine_add(&f, "a", 0), a);
    id_hex(machine_add(&f, "b", 0), b);
    define(&f, "g", "", "");
    (void)fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"f\",\"startedBy\":\"me\",\"containerInstances\":[\"%s\",\"%s\"]}", a, b));
    (void)fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"g\",\"startedBy\":\"me\",\"containerInstances\":[\"%s\"]}", a));
    struct str stopped = fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"g\",\"containerInstances\":[\"%s\",\"%s\"]}", a, b));
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"launchType\":\"EXTERNAL\"}");
    for (int t = 0; t < 2; t++) {
        const char *arn = at(&f, stopped, t == 0 ? "tasks[0].taskArn" : "tasks[1].taskArn");
        (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", arn));
        if (t == 0) { report(&f, arn, "STOPPED", ""); }
    }
    const struct { const char *row, *body; int64_t want; enum err_code code; } rows[] = {
        { "all that should run",    "{}", 4, ERR_NONE },
        { "said so",                "{\"desiredStatus\":\"RUNNING\"}", 4, ERR_NONE },
        { "stopped and stopping",   "{\"desiredStatus\":\"STOPPED\"}", 2, ERR_NONE },
        { "never desired",          "{\"desiredStatus\":\"PENDING\"}", 0, ERR_NONE },
        { "of a family",            "{\"family\":\"f\"}", 3, ERR_NONE },
        { "of no family",           "{\"family\":\"h\"}", 0, ERR_NONE },
        { "started by",             "{\"startedBy\":\"me\"}", 3, ERR_NONE },
        { "started by, stopped",    "{\"startedBy\":\"me\",\"desiredStatus\":\"STOPPED\"}", 0, ERR_NONE },
        { "startedBy and family",   "{\"startedBy\":\"me\",\"family\":\"g\"}", -1, ERR_INVALID_PARAMETER },
        { "startedBy and type",     "{\"startedBy\":\"me\",\"launchType\":\"EC2\"}", -1, ERR_INVALID_PARAMETER },
        { "startedBy and service",  "{\"startedBy\":\"me\",\"serviceName\":\"s\"}", -1, ERR_INVALID_PARAMETER },
        { "startedBy and daemon",   "{\"startedBy\":\"me\",\"daemonName\":\"d\"}", -1, ERR_INVALID_PARAMETER },
        { "on a machine",           text(&f, "{\"containerInstance\":\"%s\",\"family\":\"g\"}", a), 1, ERR_NONE },
        { "startedBy and machine",  text(&f, "{\"containerInstance\":\"%s\",\"startedBy\":\"me\"}", a), -1, ERR_INVALID_PARAMETER },
        { "on it, of a type",       text(&f, "{\"containerInstance\":\"%s\",\"launchType\":\"EC2\"}", a), 2, ERR_NONE },
        { "stopped on it",          text(&f, "{\"containerInstance\":\"%s\",\"desiredStatus\":\"STOPPED\"}", a), 1, ERR_NONE },
        { "stopping on the other",  text(&f, "{\"containerInstance\":\"%s\",\"desiredStatus\":\"STOPPED\"}", b), 1, ERR_NONE },
        { "on nobody",              "{\"containerInstance\":\"" NOBODY "\"}", 0, ERR_NONE },
        { "of a launch type",       "{\"launchType\":\"EXTERNAL\"}", 1, ERR_NONE },
        { "of the other",           "{\"launchType\":\"EC2\"}", 3, ERR_NONE },
        { "of a service",           "{\"serviceName\":\"s\"}", -1, ERR_SERVICE_NOT_FOUND },
        { "of a daemon",            "{\"daemonName\":\"d\"}", -1, ERR_INVALID_PARAMETER },
        { "no cluster",             "{\"cluster\":\"none\"}", -1, ERR_CLUSTER_NOT_FOUND },
        { "a bad machine",          "{\"containerInstance\":\"x\"}", -1, ERR_INVALID_PARAMETER },
        { "a bad token",            "{\"nextToken\":\"x\"}", -1, ERR_INVALID_PARAMETER },
        { "a page of none",         "{\"maxResults\":0}", -1, ERR_INVALID_PARAMETER },
        { "a page too long",        "{\"maxResults\":101}", -1, ERR_INVALID_PARAMETER },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(&f, "ListTasks", rows[r].body);
        CHECK_EQ(rows[r].row, f.code, rows[r].code);
        if (rows[r].code == ERR_NONE) { CHECK_EQ(rows[r].row, count_at(&f, reply, "taskArns"), rows[r].want); }
    }
    fixture_close(&f);
}

/* Every task once, for any filter and length of a page. */
static void test_list_pages(void)
{
    static const char *const filters[] = { "", ",\"family\":\"f\"", ",\"launchType\":\"EC2\"", ",\"containerInstance\":\"%s\"" };
    enum { TASKS = 30 };
    struct api_fixture f;
    tasks_open(&f);
    char machine[ID_HEX_LEN + 1];
    id_hex(machine_add(&f, "a", 0), machine);
    for (int t = 0; t < TASKS / 10; t++) { (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":10}"); }
    for (size_t filter = 0; filter < COUNT_OF(filters); filter++) {
        const char *more = filter == 3 ? text(&f, ",\"containerInstance\":\"%s\"", machine) : filters[filter];
        for (int page = 1; page <= TASKS + 1; page += 7) {
            int64_t seen = 0, calls = 0;
            struct str token = STR(""), last = STR("");
            do {
                struct str reply = fixture_call(&f, "ListTasks", text(&f, "{\"maxResults\":%d%s%s" STR_FMT "%s}", page, more,
                                                                      token.len > 0 ? ",\"nextToken\":\"" : "", STR_ARG(token), token.len > 0 ? "\"" : ""));
                int64_t count = count_at(&f, reply, "taskArns");
                CHECK("pages go forward", count == 0 || str_cmp(fixture_at(&f, reply, "taskArns[0]"), last) > 0);
                if (count > 0) { last = fixture_at(&f, reply, text(&f, "taskArns[%d]", (int)count - 1)); }
                seen += count;
                token = fixture_at(&f, reply, "nextToken");
            } while (token.len > 0 && ++calls < 100);
            CHECK_EQ("each task once", seen, TASKS);
        }
    }
    fixture_close(&f);
}

int main(void)
{
    test_run_refusals();
    test_run_texts();
    test_run_limits();
    test_run_lists();
    test_run_reply();
    test_token();
    test_start();
    test_start_limits();
    test_stop();
    test_describe();
    test_describe_deleted_cluster();
    test_list();
    test_list_pages();
    return check_report();
}
