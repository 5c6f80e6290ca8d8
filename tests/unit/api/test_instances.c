/* Container instances: coming, coming again, showing, listing, draining, leaving. */
#include "tests/unit/api/machines.h"

static const char *hex_of(struct api_fixture *f, struct id id)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    return text(f, "%s", hex);
}

static struct str describe(struct api_fixture *f, struct id id, const char *more)
{
    struct str reply = fixture_call(f, "DescribeContainerInstances", text(f, "{\"containerInstances\":[\"%s\"]%s}", hex_of(f, id), more));
    return fixture_at(f, reply, "containerInstances[0]");
}

/* ---- registration ---- */

static void test_register_reply(void)
{
    static const struct { const char *path, *want; } rows[] = {
        { "status", "ACTIVE" }, { "version", "1" }, { "agentConnected", "false" }, { "runningTasksCount", "0" },
        { "pendingTasksCount", "0" }, { "ec2InstanceId", "" }, { "attachments", "[]" },
        { "tags", "[{\"key\":\"k\",\"value\":\"v\"}]" }, { "registeredAt", "1700000000.0" },
        { "versionInfo", "{\"agentVersion\":\"0.1.0\"}" },
        { "registeredResources[0]", "{\"name\":\"CPU\",\"type\":\"INTEGER\",\"doubleValue\":0.0,\"longValue\":0,\"integerValue\":4096}" },
        { "registeredResources[1].integerValue", "8192" },
        { "registeredResources[2]", "{\"name\":\"PORTS\",\"type\":\"STRINGSET\",\"doubleValue\":0.0,\"longValue\":0,\"integerValue\":0,"
          "\"stringSetValue\":[\"22\",\"2375\"]}" },
        { "registeredResources[3].stringSetValue", "[]" },
        { "registeredResources[4]", "{\"name\":\"GPU\",\"type\":\"STRINGSET\",\"doubleValue\":0.0,\"longValue\":0,\"integerValue\":0,"
          "\"stringSetValue\":[\"GPU-a-0\",\"GPU-a-1\"]}" },
        { "remainingResources[4].stringSetValue", "[\"GPU-a-0\",\"GPU-a-1\"]" },
        { "attributes[0]", "{\"name\":\"berth.name\",\"value\":\"a\"}" },
        { "attributes[4]", "{\"name\":\"ecs.capability.container-ordering\"}" },
        { "attributes[5]", "{\"name\":\"ecs.capability.execute-command\"}" },
        { "attributes[6]", "{\"name\":\"berth.gpu-count\",\"value\":\"2\"}" },
    };
    struct api_fixture f;
    cluster_open(&f);
    struct str reply = fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "a", 2, ",\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]"));
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_STR(rows[r].path, str_from(at(&f, reply, text(&f, "containerInstance.%s", rows[r].path))), str_from(rows[r].want));
    }
    CHECK("an ARN", str_starts_with(fixture_at(&f, reply, "containerInstance.containerInstanceArn"), STR(ARN_OF("container-instance"))));
    check_world(&f, "registered");
    fixture_close(&f);
}

static const char *devices(struct api_fixture *f, int count, bool twice)
{
    struct buf out = buf_in(&f->kept);
    for (int d = 0; d < count; d++) {
        buf_printf(&out, "%s{\"id\":\"GPU-%d\",\"type\":\"GPU\"}", d == 0 ? "" : ",", twice && d == count - 1 ? 0 : d);
    }
    return arena_cstr(&f->kept, buf_str(&out));
}

static const char *attributes(struct api_fixture *f, int count)
{
    struct buf out = buf_in(&f->kept);
    for (int a = 0; a < count; a++) { buf_printf(&out, "%s{\"name\":\"a%d\"}", a == 0 ? "" : ",", a); }
    return arena_cstr(&f->kept, buf_str(&out));
}

static const char *ports(struct api_fixture *f, int count)
{
    struct buf out = buf_in(&f->kept);
    for (int p = 0; p < count; p++) { buf_printf(&out, "%s\"%d\"", p == 0 ? "" : ",", p + 1); }
    return text(f, "{\"name\":\"PORTS\",\"type\":\"STRINGSET\",\"stringSetValue\":[%s]}", arena_cstr(&f->kept, buf_str(&out)));
}

static const char *word(struct api_fixture *f, int len)
{
    char out[1024] = { 0 };
    memset(out, 'x', (size_t)len);
    return text(f, "%s", out);
}

static void test_register_limits(void)
{
    struct api_fixture f;
    cluster_open(&f);
    const struct { const char *row, *body; enum err_code code; } rows[] = {
        { "nothing at all",             "{}", ERR_NONE },
        { "an empty document",          "{\"instanceIdentityDocument\":\"\",\"instanceIdentityDocumentSignature\":\"\"}", ERR_NONE },
        { "64 GPUs",                    text(&f, "{\"platformDevices\":[%s]}", devices(&f, 64, false)), ERR_NONE },
        { "65 GPUs",                    text(&f, "{\"platformDevices\":[%s]}", devices(&f, 65, false)), ERR_CLIENT },
        { "one GPU twice",              text(&f, "{\"platformDevices\":[%s]}", devices(&f, 3, true)), ERR_CLIENT },
        { "a GPU without a name",       "{\"platformDevices\":[{\"id\":\"\",\"type\":\"GPU\"}]}", ERR_CLIENT },
        { "a GPU's name of 128",        text(&f, "{\"platformDevices\":[{\"id\":\"%s\",\"type\":\"GPU\"}]}", word(&f, 128)), ERR_NONE },
        { "a GPU's name of 129",        text(&f, "{\"platformDevices\":[{\"id\":\"%s\",\"type\":\"GPU\"}]}", word(&f, 129)), ERR_CLIENT },
        { "no CPU is left out",         "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\"}]}", ERR_NONE },
        { "less than nothing",          "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":-1}]}", ERR_INVALID_PARAMETER },
        { "port 65535",                 "{\"totalResources\":[{\"name\":\"PORTS_UDP\",\"stringSetValue\":[\"65535\"]}]}", ERR_NONE },
        { "port 65536",                 "{\"totalResources\":[{\"name\":\"PORTS_UDP\",\"stringSetValue\":[\"65536\"]}]}", ERR_INVALID_PARAMETER },
        { "port 0",                     "{\"totalResources\":[{\"name\":\"PORTS\",\"stringSetValue\":[\"0\"]}]}", ERR_INVALID_PARAMETER },
        { "port ssh",                   "{\"totalResources\":[{\"name\":\"PORTS\",\"stringSetValue\":[\"ssh\"]}]}", ERR_INVALID_PARAMETER },
        { "100 reserved ports",         text(&f, "{\"totalResources\":[%s]}", ports(&f, 100)), ERR_NONE },
        { "101 reserved ports",         text(&f, "{\"totalResources\":[%s]}", ports(&f, 101)), ERR_INVALID_PARAMETER },
        { "300 attributes",             text(&f, "{\"attributes\":[%s]}", attributes(&f, 300)), ERR_NONE },
        { "301 attributes",             text(&f, "{\"attributes\":[%s]}", attributes(&f, 301)), ERR_INVALID_PARAMETER },
        { "an attribute's name of 128", text(&f, "{\"attributes\":[{\"name\":\"%s\"}]}", word(&f, 128)), ERR_NONE },
        { "an attribute's name of 129", text(&f, "{\"attributes\":[{\"name\":\"%s\"}]}", word(&f, 129)), ERR_INVALID_PARAMETER },
        { "an attribute without name",  "{\"attributes\":[{\"name\":\"\"}]}", ERR_INVALID_PARAMETER },
        { "an attribute's value of 128", text(&f, "{\"attributes\":[{\"name\":\"n\",\"value\":\"%s\"}]}", word(&f, 128)), ERR_NONE },
        { "an attribute's value of 129", text(&f, "{\"attributes\":[{\"name\":\"n\",\"value\":\"%s\"}]}", word(&f, 129)), ERR_INVALID_PARAMETER },
        { "a token of 128",             text(&f, "{\"clientToken\":\"%s\"}", word(&f, 128)), ERR_NONE },
        { "a token of 129",             text(&f, "{\"clientToken\":\"%s\"}", word(&f, 129)), ERR_INVALID_PARAMETER },
        { "a reserved tag",             "{\"tags\":[{\"key\":\"aws:a\",\"value\":\"b\"}]}", ERR_INVALID_PARAMETER },
        { "an agent that is too old",   "{\"attributes\":[{\"name\":\"berth.protocol\",\"value\":\"0\"}]}", ERR_CLIENT },
        { "the oldest agent",           "{\"attributes\":[{\"name\":\"berth.protocol\",\"value\":\"1\"}]}", ERR_NONE },
        { "no such cluster",            "{\"cluster\":\"none\"}", ERR_CLUSTER_NOT_FOUND },
        { "another cluster's ARN",      "{\"containerInstanceArn\":\"arn:aws:ecs:us-east-1:123456789012:container-instance/other/" NOBODY "\"}",
          ERR_INVALID_PARAMETER },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)fixture_call(&f, "RegisterContainerInstance", rows[r].body);
        CHECK_EQ(rows[r].row, f.code, rows[r].code);
    }
    fixture_check(&f, "the words that the ECS agent looks for", "RegisterContainerInstance", "{\"cluster\":\"none\"}",
                  "ClusterNotFoundException: Cluster not found.");
    check_world(&f, "limits");
    fixture_close(&f);
}

static void test_register_token(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct str first = fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "a", 1, ",\"clientToken\":\"t\""));
    struct str again = fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "a", 1, ",\"clientToken\":\"t\""));
    CHECK_STR("the same registration again", again, first);
    struct str other = fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "b", 1, ",\"clientToken\":\"u\""));
    CHECK("another token, another machine", !str_eq(fixture_at(&f, other, "containerInstance.containerInstanceArn"),
                                                  fixture_at(&f, first, "containerInstance.containerInstanceArn")));
    const char *arn = at(&f, first, "containerInstance.containerInstanceArn");
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", arn));
    again = fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "a", 1, ",\"clientToken\":\"t\""));
    CHECK("a token dies with its machine", !str_eq(fixture_at(&f, again, "containerInstance.containerInstanceArn"), str_from(arn)));
    CHECK_EQ("three came, one left", count_at(&f, fixture_call(&f, "ListContainerInstances", "{}"), "containerInstanceArns"), 2);
    check_world(&f, "tokens");
    fixture_close(&f);
}

/* The agent restarted: same ARN, its tasks, what others said of it; everything it says itself is new. */
static void test_register_again(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct str first = fixture_call(&f, "RegisterContainerInstance",
                                    "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":1024},"
                                    "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":1024}],\"clientToken\":\"one\","
                                    "\"tags\":[{\"key\":\"k\",\"value\":\"v\"}],"
                                    "\"attributes\":[{\"name\":\"rack\",\"value\":\"r7\"},{\"name\":\"ecs.capability.old\"},{\"name\":\"ecs.os-type\","
                                        "\"value\":\"linux\"}]}");
    const char *arn = at(&f, first, "containerInstance.containerInstanceArn");
    struct id id = id_at(&f, first, "containerInstance.containerInstanceArn");
    machine_presence(&f, id, true);
    define(&f, "f", "", "");
    (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}");
    const char *body = text(&f, "{\"containerInstanceArn\":\"%s\",\"clientToken\":\"two\",\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\","
        "\"integerValue\":2048},"
                                "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":2048}],"
                                "\"attributes\":[{\"name\":\"ecs.os-type\",\"value\":\"linux2\"}]}", arn);
    struct str second = fixture_call(&f, "RegisterContainerInstance", body);
    CHECK_STR("the same ARN", fixture_at(&f, second, "containerInstance.containerInstanceArn"), str_from(arn));
    CHECK_STR("sent attributes, custom ones, known ones", fixture_at(&f, second, "containerInstance.attributes"),
              STR("[{\"name\":\"ecs.os-type\",\"value\":\"linux2\"},{\"name\":\"rack\",\"value\":\"r7\"},{\"name\":\"berth.gpu-count\",\"value\":\"0\"}]"));
    CHECK_STR("new resources", fixture_at(&f, second, "containerInstance.registeredResources[0].integerValue"), STR("2048"));
    CHECK_STR("less what the task takes", fixture_at(&f, second, "containerInstance.remainingResources[1].integerValue"), STR("1920"));
    CHECK_STR("the task stays", fixture_at(&f, second, "containerInstance.pendingTasksCount"), STR("1"));
    CHECK_STR("tags stay", fixture_at(&f, second, "containerInstance.tags"), STR("[{\"key\":\"k\",\"value\":\"v\"}]"));
    CHECK_STR("changes are counted", fixture_at(&f, second, "containerInstance.version"), STR("4"));
    CHECK_STR("the same once more", fixture_call(&f, "RegisterContainerInstance", body), second);
    check_world(&f, "again");

    (void)fixture_call(&f, "UpdateContainerInstancesState", text(&f, "{\"containerInstances\":[\"%s\"],\"status\":\"DRAINING\"}", arn));
    second = fixture_call(&f, "RegisterContainerInstance", text(&f, "{\"containerInstanceArn\":\"%s\"}", arn));
    CHECK_STR("draining goes on", fixture_at(&f, second, "containerInstance.status"), STR("DRAINING"));
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\",\"force\":true}", arn));
    second = fixture_call(&f, "RegisterContainerInstance", text(&f, "{\"containerInstanceArn\":\"%s\"}", arn));
    CHECK_STR("life under the same ARN", fixture_at(&f, second, "containerInstance.containerInstanceArn"), str_from(arn));
    CHECK_STR("active", fixture_at(&f, second, "containerInstance.status"), STR("ACTIVE"));
    CHECK_STR("versions do not fall", fixture_at(&f, second, "containerInstance.version"), STR("9"));
    CHECK_STR("nothing of the old life", fixture_at(&f, second, "containerInstance.tags"), STR("[]"));
    second = fixture_call(&f, "RegisterContainerInstance", "{\"containerInstanceArn\":\"" ARN_OF("container-instance") NOBODY "\"}");
    CHECK_STR("one that was never here", fixture_at(&f, second, "containerInstance.containerInstanceArn"), STR(ARN_OF("container-instance") NOBODY));

    (void)fixture_call(&f, "CreateCluster", "{\"clusterName\":\"other\"}");
    (void)fixture_call(&f, "RegisterContainerInstance",
                       "{\"cluster\":\"other\",\"containerInstanceArn\":\"arn:aws:ecs:us-east-1:123456789012:container-instance/other/" NOBODY "\"}");
    CHECK_EQ("an id that lives in another cluster", f.code, ERR_INVALID_PARAMETER);
    check_world(&f, "revived");
    fixture_close(&f);
}

/* Changes of a machine, and its version after each. */
static void test_version(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct str made = fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "a", 2, ""));
    const char *arn = at(&f, made, "containerInstance.containerInstanceArn");
    struct id a = id_at(&f, made, "containerInstance.containerInstanceArn");
    define(&f, "f", "", "");
    CHECK_STR("it came", fixture_at(&f, made, "containerInstance.version"), STR("1"));
    machine_presence(&f, a, true);
    CHECK_STR("its agent connected", fixture_at(&f, describe(&f, a, ""), "version"), STR("2"));
    struct str tasks = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":3}");
    CHECK_STR("three tasks were placed", fixture_at(&f, describe(&f, a, ""), "version"), STR("5"));
    report(&f, at(&f, tasks, "tasks[0].taskArn"), "RUNNING", "");
    CHECK_STR("a start takes nothing more", fixture_at(&f, describe(&f, a, ""), "version"), STR("5"));
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", at(&f, tasks, "tasks[0].taskArn")));
    CHECK_STR("an order to stop gives nothing back", fixture_at(&f, describe(&f, a, ""), "version"), STR("5"));
    report(&f, at(&f, tasks, "tasks[0].taskArn"), "STOPPED", "");
    CHECK_STR("the end does", fixture_at(&f, describe(&f, a, ""), "version"), STR("6"));
    (void)fixture_call(&f, "PutAttributes", text(&f, "{\"attributes\":[{\"name\":\"n\",\"targetId\":\"%s\"}]}", arn));
    (void)fixture_call(&f, "TagResource", text(&f, "{\"resourceArn\":\"%s\",\"tags\":[{\"key\":\"k\"}]}", arn));
    CHECK_STR("attributes and tags are no events", fixture_at(&f, describe(&f, a, ""), "version"), STR("6"));
    f.now_ms += f.config.stopped_task_keep_ms + 1;
    expire(&f, 100);
    CHECK_STR("nor is that a task is forgotten", fixture_at(&f, describe(&f, a, ""), "version"), STR("6"));

    struct err err = { 0 };
    store_close(f.store);
    CHECK("the store opens again", store_open(&(struct store_config){ .dir = f.dir, .map_size = FIXTURE_MAP_BYTES }, &f.store, &err));
    CHECK_STR("after a restart it is the same", fixture_at(&f, describe(&f, a, ""), "version"), STR("6"));
    (void)fixture_call(&f, "UpdateContainerInstancesState", text(&f, "{\"containerInstances\":[\"%s\"],\"status\":\"DRAINING\"}", arn));
    CHECK_STR("it drains", fixture_at(&f, describe(&f, a, ""), "version"), STR("7"));
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\",\"force\":true}", arn));
    CHECK_STR("it leaves, and two tasks with it", fixture_at(&f, describe(&f, a, ""), "version"), STR("10"));
    check_world(&f, "versions");
    fixture_close(&f);
}

static void test_type_change(void)
{
#define TYPED(type) ",\"attributes\":[{\"name\":\"ecs.instance-type\",\"value\":\"" type "\"}]"
    struct api_fixture f;
    cluster_open(&f);
    struct str made = fixture_call(&f, "RegisterContainerInstance", "{\"clientToken\":\"t\"" TYPED("c5.large") "}");
    const char *arn = at(&f, made, "containerInstance.containerInstanceArn");
    const struct { const char *row, *more; enum err_code code; } rows[] = {
        { "the same",          TYPED("c5.large"), ERR_NONE },
        { "another",           TYPED("c5.xlarge"), ERR_CLIENT },
        { "by its document",   ",\"instanceIdentityDocument\":\"{\\\"instanceType\\\":\\\"c5.xlarge\\\"}\"", ERR_CLIENT },
        { "an unknown one",    "", ERR_NONE },
        { "then any",          TYPED("c5.xlarge"), ERR_NONE },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)fixture_call(&f, "RegisterContainerInstance", text(&f, "{\"containerInstanceArn\":\"%s\"%s}", arn, rows[r].more));
        CHECK_EQ(rows[r].row, f.code, rows[r].code);
    }
    fixture_check(&f, "the words that the ECS agent looks for", "RegisterContainerInstance",
                  text(&f, "{\"containerInstanceArn\":\"%s\"" TYPED("m5.large") "}", arn),
                  text(&f, "ClientException: Container instance type changes are not supported. Container instance %s was previously registered as "
                       "c5.xlarge.", hex_of(&f, id_at(&f, made, "containerInstance.containerInstanceArn"))));
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", arn));
    (void)fixture_call(&f, "RegisterContainerInstance", text(&f, "{\"containerInstanceArn\":\"%s\"" TYPED("m5.large") "}", arn));
    CHECK_EQ("a deregistered machine may come back as anything", f.code, ERR_NONE);
    fixture_close(&f);
#undef TYPED
}

static void test_identity_document(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct str reply = fixture_call(&f, "RegisterContainerInstance",
                                    "{\"instanceIdentityDocument\":\"{\\\"instanceId\\\":\\\"i-1\\\","
                                    "\\\"instanceType\\\":\\\"p3.2xlarge\\\",\\\"availabilityZone\\\":\\\"us-east-1a\\\"}\","
                                    "\"attributes\":[{\"name\":\"ecs.instance-type\",\"value\":\"mine\"}]}");
    CHECK_STR("the EC2 id", fixture_at(&f, reply, "containerInstance.ec2InstanceId"), STR("i-1"));
    CHECK_STR("what the agent sent wins", fixture_at(&f, reply, "containerInstance.attributes"),
              STR("[{\"name\":\"ecs.instance-type\",\"value\":\"mine\"},{\"name\":\"ecs.availability-zone\",\"value\":\"us-east-1a\"},"
                  "{\"name\":\"berth.gpu-count\",\"value\":\"0\"}]"));
    reply = fixture_call(&f, "RegisterContainerInstance", "{\"instanceIdentityDocument\":\"no document\"}");
    CHECK_STR("no document is no error", fixture_at(&f, reply, "containerInstance.ec2InstanceId"), STR(""));
    fixture_close(&f);
}

/* ---- leaving ---- */

static void test_deregister(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "a", 2), b = machine_add(&f, "b", 0);
    define(&f, "gpu", GPUS("1"), "");
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"gpu\",\"count\":2,\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]}");
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", at(&f, made, "tasks[1].taskArn")));
    fixture_check(&f, "not while something is there", "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", hex_of(&f, a)),
                  "InvalidParameterException: Found running tasks on the instance.");
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\",\"force\":false}", hex_of(&f, a)));
    CHECK_EQ("nor with force false", f.code, ERR_INVALID_PARAMETER);

    struct str reply = fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\",\"force\":true}", hex_of(&f, a)));
    CHECK_STR("inactive", fixture_at(&f, reply, "containerInstance.status"), STR("INACTIVE"));
    CHECK_STR("nothing runs there", fixture_at(&f, reply, "containerInstance.pendingTasksCount"), STR("0"));
    CHECK_EQ("its session is closed", (int64_t)f.effects.count, 1);
    CHECK("its session is closed", f.effects.items[0].kind == EFFECT_CLOSE_INSTANCE && id_eq(f.effects.items[0].instance, a));
    struct str tasks = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\",\"%s\"],\"include\":[\"TAGS\"]}", at(&f, made, "tasks[0].taskArn"),
                                                              at(&f, made, "tasks[1].taskArn")));
    CHECK_STR("the task is stopped", fixture_at(&f, tasks, "tasks[0].lastStatus"), STR("STOPPED"));
    CHECK_STR("why", fixture_at(&f, tasks, "tasks[0].stoppedReason"), STR("Container instance deregistration forced by user"));
    CHECK_STR("no code", str_from(at(&f, tasks, "tasks[0].stopCode")), STR("(absent)"));
    CHECK_STR("containers too", fixture_at(&f, tasks, "tasks[0].containers[0].lastStatus"), STR("STOPPED"));
    CHECK_STR("an order that was given stays the reason", fixture_at(&f, tasks, "tasks[1].stoppedReason"), STR("Task stopped by user"));
    check_world(&f, "forced");

    CHECK_STR("again is no error", fixture_at(&f, fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", hex_of(&f, a))),
                                            "containerInstance.status"), STR("INACTIVE"));
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", hex_of(&f, b)));
    CHECK_EQ("an empty one needs no force", f.code, ERR_NONE);
    fixture_check(&f, "unknown", "DeregisterContainerInstance", "{\"containerInstance\":\"" NOBODY "\"}",
                  "InvalidParameterException: The referenced container instance was not found.");
    CHECK_STR("inactive ones are described", fixture_at(&f, describe(&f, b, ""), "status"), STR("INACTIVE"));
    CHECK_EQ("but not listed", count_at(&f, fixture_call(&f, "ListContainerInstances", "{}"), "containerInstanceArns"), 0);
    fixture_close(&f);
}

/* ---- being forgotten ---- */

static bool token_is_kept(struct api_fixture *f, const char *token)
{
    struct store_txn *txn = store_read_begin(f->store);
    bool kept = str_is_set(store_meta(txn, str_from(text(f, "registration/1/%s", token)), &f->kept));
    CHECK("the store can be read", store_read_end(txn));
    return kept;
}

static void test_forgotten(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id idle = machine_add(&f, "idle", 0), busy = machine_add(&f, "busy", 1), stays = machine_add(&f, "stays", 0);
    define(&f, "gpu", GPUS("1"), "");
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"gpu\"}");
    int64_t deregistered_ms = f.now_ms;
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", hex_of(&f, idle)));
    f.now_ms += 1000;
    report(&f, at(&f, made, "tasks[0].taskArn"), "STOPPED", "");
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", hex_of(&f, busy)));

    f.now_ms = deregistered_ms + f.config.inactive_instance_keep_ms;
    expire(&f, 100);
    CHECK_STR("a machine is described for an hour", fixture_at(&f, describe(&f, idle, ""), "status"), STR("INACTIVE"));
    f.now_ms++;
    expire(&f, 0);
    CHECK_STR("a turn with no room forgets nobody", fixture_at(&f, describe(&f, idle, ""), "status"), STR("INACTIVE"));
    expire(&f, 100);
    struct str reply = fixture_call(&f, "DescribeContainerInstances", text(&f, "{\"containerInstances\":[\"%s\",\"%s\",\"%s\"]}", hex_of(&f, idle),
                                                                           hex_of(&f, busy), hex_of(&f, stays)));
    CHECK_STR("then it is missing", fixture_at(&f, reply, "failures"),
              str_from(text(&f, "[{\"arn\":\"" ARN_OF("container-instance") "%s\",\"reason\":\"MISSING\"}]", hex_of(&f, idle))));
    CHECK_EQ("the others are there", count_at(&f, reply, "containerInstances"), 2);

    f.config.stopped_task_keep_ms *= 2;
    f.now_ms += 1000;
    expire(&f, 100);
    CHECK_STR("a machine stays as long as a task that ran there", fixture_at(&f, describe(&f, busy, ""), "status"), STR("INACTIVE"));
    f.now_ms += f.config.stopped_task_keep_ms;
    expire(&f, 100);
    CHECK_STR("and goes with the last of them", str_from(at(&f, describe(&f, busy, ""), "status")), STR("(absent)"));
    CHECK_STR("one that is registered never goes", fixture_at(&f, describe(&f, stays, ""), "status"), STR("ACTIVE"));

    (void)fixture_call(&f, "RegisterContainerInstance", text(&f, "{\"containerInstanceArn\":\"" ARN_OF("container-instance") "%s\"}", hex_of(&f, busy)));
    CHECK_STR("its agent may still come back", fixture_at(&f, describe(&f, busy, ""), "version"), STR("1"));
    check_world(&f, "forgotten");
    fixture_close(&f);
}

/* A token is kept for as long as its registration may be repeated. */
static void test_tokens_are_forgotten(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct str made = fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "a", 0, ",\"clientToken\":\"first\""));
    const char *arn = at(&f, made, "containerInstance.containerInstanceArn");
    CHECK("kept", token_is_kept(&f, "first"));
    (void)fixture_call(&f, "RegisterContainerInstance", text(&f, "{\"containerInstanceArn\":\"%s\",\"clientToken\":\"second\"}", arn));
    CHECK("the machine knows its ARN by now", !token_is_kept(&f, "first"));
    CHECK("so that it needs no other", !token_is_kept(&f, "second"));
    made = fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "b", 0, ",\"clientToken\":\"third\""));
    arn = at(&f, made, "containerInstance.containerInstanceArn");
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\"}", arn));
    CHECK("a machine takes its own with it", !token_is_kept(&f, "third"));
    (void)fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "c", 0, ",\"clientToken\":\"third\""));
    f.now_ms += f.config.inactive_instance_keep_ms + 1;
    expire(&f, 100);
    CHECK("but not another's", token_is_kept(&f, "third"));
    fixture_close(&f);
}

/* ---- describing ---- */

static void test_describe(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct str made = fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "a", 2, ",\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]"));
    struct id a = id_at(&f, made, "containerInstance.containerInstanceArn");
    CHECK_STR("before the agent came", fixture_at(&f, describe(&f, a, ",\"include\":[\"CONTAINER_INSTANCE_HEALTH\"]"), "healthStatus.overallStatus"),
              STR("INITIALIZING"));
    machine_presence(&f, a, true);
    CHECK_STR("tags are asked for", fixture_at(&f, describe(&f, a, ""), "tags"), STR("[]"));
    CHECK_STR("health too", str_from(at(&f, describe(&f, a, ""), "healthStatus")), STR("(absent)"));
    struct str full = describe(&f, a, ",\"include\":[\"TAGS\",\"CONTAINER_INSTANCE_HEALTH\"]");
    CHECK_STR("tags", fixture_at(&f, full, "tags"), STR("[{\"key\":\"k\",\"value\":\"v\"}]"));
    CHECK_STR("the agent is there", fixture_at(&f, full, "healthStatus.overallStatus"), STR("OK"));
    machine_presence(&f, a, false);
    CHECK_STR("and gone", fixture_at(&f, describe(&f, a, ",\"include\":[\"CONTAINER_INSTANCE_HEALTH\"]"), "healthStatus.overallStatus"), STR("IMPAIRED"));
    machine_presence(&f, a, true);

    define(&f, "gpu", GPUS("1"), "");
    struct str task = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"gpu\"}");
    struct str shown = describe(&f, a, "");
    CHECK_STR("memory that is free", fixture_at(&f, shown, "remainingResources[1].integerValue"), STR("8064"));
    CHECK_EQ("GPUs that are free", count_at(&f, shown, "remainingResources[4].stringSetValue"), 1);
    CHECK("the other one", !str_eq(fixture_at(&f, shown, "remainingResources[4].stringSetValue[0]"),
        fixture_at(&f, task, "tasks[0].containers[0].gpuIds[0]")));
    CHECK_EQ("all of them are registered", count_at(&f, shown, "registeredResources[4].stringSetValue"), 2);
    CHECK_STR("one pending", fixture_at(&f, shown, "pendingTasksCount"), STR("1"));
    report(&f, at(&f, task, "tasks[0].taskArn"), "RUNNING", "");
    CHECK_STR("one running", fixture_at(&f, describe(&f, a, ""), "runningTasksCount"), STR("1"));

    struct str reply = fixture_call(&f, "DescribeContainerInstances", text(&f, "{\"containerInstances\":[\"%s\",\"" NOBODY "\",\"%s\"]}",
        hex_of(&f, a), hex_of(&f, a)));
    CHECK_EQ("each once", count_at(&f, reply, "containerInstances"), 1);
    CHECK_STR("missing", fixture_at(&f, reply, "failures"), STR("[{\"arn\":\"" ARN_OF("container-instance") NOBODY "\",\"reason\":\"MISSING\"}]"));
    fixture_check(&f, "none", "DescribeContainerInstances", "{\"containerInstances\":[]}", "ClientException: Container Instances cannot be empty.");
    (void)fixture_call(&f, "DescribeContainerInstances", "{\"containerInstances\":[],\"cluster\":\"none\"}");
    CHECK_EQ("the cluster comes first", f.code, ERR_CLUSTER_NOT_FOUND);
    fixture_close(&f);
}

/* ---- listing ---- */

static void test_list(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "a", 1), b = machine_add(&f, "b", 4);
    struct id c = id_at(&f, fixture_call(&f, "RegisterContainerInstance", machine_body(&f, "c", 0, "")), "containerInstance.containerInstanceArn");
    (void)fixture_call(&f, "UpdateContainerInstancesState", text(&f, "{\"containerInstances\":[\"%s\"],\"status\":\"DRAINING\"}", hex_of(&f, b)));
    define(&f, "f", "", "");
    (void)fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"f\",\"group\":\"g\",\"containerInstances\":[\"%s\"]}", hex_of(&f, a)));
    (void)c;
    static const struct { const char *row, *body; int64_t want; enum err_code code; } rows[] = {
        { "all",            "{}", 3, ERR_NONE },
        { "active",         "{\"status\":\"ACTIVE\"}", 2, ERR_NONE },
        { "draining",       "{\"status\":\"DRAINING\"}", 1, ERR_NONE },
        { "registering",    "{\"status\":\"REGISTERING\"}", 0, ERR_NONE },
        { "by attribute",   "{\"filter\":\"attribute:berth.gpu-count >= 1\"}", 2, ERR_NONE },
        { "and status",     "{\"filter\":\"attribute:berth.gpu-count >= 1\",\"status\":\"ACTIVE\"}", 1, ERR_NONE },
        { "agents there",   "{\"filter\":\"agentConnected == true\"}", 2, ERR_NONE },
        { "version",        "{\"filter\":\"agentVersion < 0.2.0\"}", 3, ERR_NONE },
        { "by group",       "{\"filter\":\"task:group == g\"}", 1, ERR_NONE },
        { "by no group",    "{\"filter\":\"not(task:group == g)\"}", 2, ERR_NONE },
        { "nothing runs",   "{\"filter\":\"runningTasksCount == 0\"}", 3, ERR_NONE },
        { "a bad filter",   "{\"filter\":\"attribute:\"}", -1, ERR_INVALID_PARAMETER },
        { "a bad token",    "{\"nextToken\":\"?\"}", -1, ERR_INVALID_PARAMETER },
        { "a bad status",   "{\"status\":\"INACTIVE\"}", -1, ERR_INVALID_PARAMETER },
        { "no cluster",     "{\"cluster\":\"none\"}", -1, ERR_CLUSTER_NOT_FOUND },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(&f, "ListContainerInstances", rows[r].body);
        CHECK_EQ(rows[r].row, f.code, rows[r].code);
        if (rows[r].code == ERR_NONE) { CHECK_EQ(rows[r].row, count_at(&f, reply, "containerInstanceArns"), rows[r].want); }
    }

    struct str page = fixture_call(&f, "ListContainerInstances", "{\"maxResults\":2,\"filter\":\"attribute:berth.name exists\"}");
    CHECK_EQ("a page", count_at(&f, page, "containerInstanceArns"), 2);
    page = fixture_call(&f, "ListContainerInstances", text(&f, "{\"maxResults\":2,\"filter\":\"attribute:berth.name exists\",\"nextToken\":\"%s\"}",
        at(&f, page, "nextToken")));
    CHECK_EQ("the rest", count_at(&f, page, "containerInstanceArns"), 1);
    CHECK_STR("the end", str_from(at(&f, page, "nextToken")), STR("(absent)"));
    fixture_close(&f);
}

/* ---- draining ---- */

static void test_update_state(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "a", 0);
    define(&f, "f", "", "");
    struct str reply = fixture_call(&f, "UpdateContainerInstancesState",
        text(&f, "{\"containerInstances\":[\"%s\",\"" NOBODY "\"],\"status\":\"DRAINING\"}", hex_of(&f, a)));
    CHECK_STR("draining", fixture_at(&f, reply, "containerInstances[0].status"), STR("DRAINING"));
    CHECK_STR("a change", fixture_at(&f, reply, "containerInstances[0].version"), STR("3"));
    CHECK_STR("nobody", fixture_at(&f, reply, "failures[0].reason"), STR("MISSING"));
    reply = fixture_call(&f, "UpdateContainerInstancesState", text(&f, "{\"containerInstances\":[\"%s\"],\"status\":\"DRAINING\"}", hex_of(&f, a)));
    CHECK_STR("twice is no change", fixture_at(&f, reply, "containerInstances[0].version"), STR("3"));
    CHECK_STR("nothing goes there", fixture_at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}"), "failures[0].reason"), STR("INACTIVE"));
    (void)fixture_call(&f, "UpdateContainerInstancesState", text(&f, "{\"containerInstances\":[\"%s\"],\"status\":\"ACTIVE\"}", hex_of(&f, a)));
    CHECK_EQ("back again", count_at(&f, fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}"), "tasks"), 1);

    fixture_check(&f, "another status", "UpdateContainerInstancesState", text(&f, "{\"containerInstances\":[\"%s\"],\"status\":\"REGISTERING\"}",
        hex_of(&f, a)),
                  "InvalidParameterException: Container instance status should be one of [ACTIVE, DRAINING]");
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\",\"force\":true}", hex_of(&f, a)));
    reply = fixture_call(&f, "UpdateContainerInstancesState", text(&f, "{\"containerInstances\":[\"%s\"],\"status\":\"ACTIVE\"}", hex_of(&f, a)));
    CHECK_STR("not a machine that is gone", fixture_at(&f, reply, "failures[0].reason"), STR("INACTIVE"));
    for (int count = 10; count <= 11; count++) {
        struct buf list = buf_in(&f.kept);
        for (int i = 0; i < count; i++) { buf_printf(&list, "%s\"%032x\"", i == 0 ? "" : ",", i + 1); }
        (void)fixture_call(&f, "UpdateContainerInstancesState", text(&f, "{\"status\":\"ACTIVE\",\"containerInstances\":[" STR_FMT "]}",
            STR_ARG(buf_str(&list))));
        CHECK_EQ("ten and no more", f.code, count == 10 ? ERR_NONE : ERR_INVALID_PARAMETER);
    }
    check_world(&f, "states");
    fixture_close(&f);
}

int main(void)
{
    test_register_reply();
    test_register_limits();
    test_register_token();
    test_register_again();
    test_version();
    test_type_change();
    test_identity_document();
    test_deregister();
    test_forgotten();
    test_tokens_are_forgotten();
    test_describe();
    test_list();
    test_update_state();
    return check_report();
}
