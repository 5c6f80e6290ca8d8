/* The work that is sent to an instance, and the exact messages. */
#include "wire/wire.h"
#include "api/tell/work.h"
#include "tests/unit/api/machines.h"

/* The work of a machine as text: "start <n>" and "stop <n>", n the place among the tasks given. */
static struct str work_text(struct api_fixture *f, struct id machine, const struct id *tasks, size_t count)
{
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    struct work_list work;
    struct buf out = buf_in(&f->kept);
    if (!work_for_instance(&ctx, machine, &work)) { buf_put(&out, STR("nobody")); }
    for (size_t w = 0; w < work.count; w++) {
        size_t place = 0;
        while (place < count && !id_eq(tasks[place], work.items[w].task)) { place++; }
        buf_printf(&out, "%s%s %zu", w == 0 ? "" : ", ", work.items[w].desired == TASK_RUNNING ? "start" : "stop", place);
    }
    CHECK("the read is sound", store_read_end(txn));
    return buf_str(&out);
}

static struct str payload_text(struct api_fixture *f, struct id task, enum task_status desired)
{
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    struct wire_payload *payload = work_payload(&ctx, &(struct work){ task, desired });
    struct buf out = buf_in(&f->kept);
    struct json_out json = json_out_to(&out);
    if (payload != NULL) {
        payload->message_id = STR("m-1");
        wire_print(STR("PayloadMessage"), &wire_payload_schema, payload, &json);
    }
    CHECK("the read is sound", store_read_end(txn));
    return buf_str(&out);
}

/* ---- what there is to do ---- */

static void test_work(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id machine = machine_add(&f, "a", 0), tasks[4] = { 0 };
    CHECK_STR("nothing", work_text(&f, machine, tasks, 0), STR(""));
    CHECK_STR("an unknown machine", work_text(&f, (struct id){ { 1 } }, tasks, 0), STR("nobody"));
    define(&f, "f", "", "");
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":4}");
    for (size_t t = 0; t < COUNT_OF(tasks); t++) { tasks[t] = id_at(&f, made, text(&f, "tasks[%zu].taskArn", t)); }
    CHECK_STR("in order of creation", work_text(&f, machine, tasks, 4), STR("start 0, start 1, start 2, start 3"));
    report(&f, at(&f, made, "tasks[1].taskArn"), "RUNNING", "");
    CHECK_STR("what runs needs nothing", work_text(&f, machine, tasks, 4), STR("start 0, start 2, start 3"));
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", at(&f, made, "tasks[3].taskArn")));
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", at(&f, made, "tasks[1].taskArn")));
    CHECK_STR("stops first, even of what never began", work_text(&f, machine, tasks, 4), STR("stop 1, stop 3, start 0, start 2"));
    report(&f, at(&f, made, "tasks[1].taskArn"), "STOPPED", "");
    CHECK_STR("a stopped task is done", work_text(&f, machine, tasks, 4), STR("stop 3, start 0, start 2"));

    struct store_txn *txn = store_read_begin(f.store);
    struct op_ctx ctx = fixture_ctx(&f, txn, &f.kept, OP_READ);
    const struct wire_manifest *manifest = work_manifest(&ctx, machine);
    CHECK_EQ("all that should run", (int64_t)manifest->tasks.count, 2);
    CHECK_STR("by name", manifest->tasks.items[0].task_arn, fixture_at(&f, made, "tasks[0].taskArn"));
    CHECK_STR("as it should be", manifest->tasks.items[0].desired_status, STR("RUNNING"));
    CHECK("no manifest for nobody", work_manifest(&ctx, (struct id){ { 1 } }) == NULL);
    CHECK("no payload for nothing", work_payload(&ctx, &(struct work){ { { 1 } }, TASK_RUNNING }) == NULL);
    CHECK("the read is sound", store_read_end(txn));

    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\",\"force\":true}",
        at(&f, made, "tasks[0].containerInstanceArn")));
    CHECK_STR("a machine that is gone", work_text(&f, machine, tasks, 4), STR("nobody"));
    fixture_close(&f);
}

/* ---- the payload ---- */

static const struct { const char *path, *want; } payload_rows[] = {
    { "type", "PayloadMessage" },
    { "message.clusterArn", "arn:aws:ecs:us-east-1:123456789012:cluster/default" },
    { "message.messageId", "m-1" },
    { "message.generatedAt", "1700000000000" },
    { "message.tasks[0].family", "train" },
    { "message.tasks[0].version", "1" },
    { "message.tasks[0].desiredStatus", "RUNNING" },
    { "message.tasks[0].overrides", "{}" },
    { "message.tasks[0].networkMode", "bridge" },
    { "message.tasks[0].launchType", "EC2" },
    { "message.tasks[0].group", "family:train" },
    { "message.tasks[0].cpu", "(absent)" },
    { "message.tasks[0].memory", "(absent)" },
    { "message.tasks[0].taskDefinitionAccountId", "123456789012" },
    { "message.tasks[0].volumes", "[{\"name\":\"v\",\"type\":\"host\",\"host\":{\"sourcePath\":\"/mnt\"}},{\"name\":\"w\",\"type\":\"host\","
      "\"host\":{}}]" },
    { "message.tasks[0].associations[0].type", "gpu" },
    { "message.tasks[0].associations[0].containers", "[\"main\"]" },
    { "message.tasks[0].associations[1].containers", "[\"main\"]" },
    { "message.tasks[0].containers[0].name", "main" },
    { "message.tasks[0].containers[0].command", "[\"b\",\"c\"]" },
    { "message.tasks[0].containers[0].entryPoint", "[\"/e\"]" },
    { "message.tasks[0].containers[0].cpu", "7" },
    { "message.tasks[0].containers[0].memory", "256" },
    { "message.tasks[0].containers[0].essential", "true" },
    { "message.tasks[0].containers[0].environment", "{\"MODE\":\"fast\",\"KEEP\":\"1\",\"NEW\":\"\"}" },
    { "message.tasks[0].containers[0].portMappings", "[{\"containerPort\":80,\"hostPort\":0,\"protocol\":\"tcp\"}]" },
    { "message.tasks[0].containers[0].mountPoints", "[{\"sourceVolume\":\"v\",\"containerPath\":\"/v\"}]" },
    { "message.tasks[0].containers[0].stopTimeout", "60" },
    { "message.tasks[0].containers[0].overrides", "{}" },
    { "message.tasks[0].containers[0].healthCheckType", "(absent)" },
    { "message.tasks[0].containers[0].registryAuthentication", "(absent)" },
    { "message.tasks[0].containers[0].dockerConfig",
      "{\"config\":\"{}\",\"hostConfig\":\"{\\\"NetworkMode\\\":\\\"bridge\\\",\\\"MemoryReservation\\\":134217728}\",\"version\":\"1.18\"}" },
    { "message.tasks[0].containers[0].environmentFiles",
      "[{\"value\":\"arn:aws:s3:::b/a.env\",\"type\":\"s3\"},{\"value\":\"arn:aws:s3:::b/b.env\",\"type\":\"s3\"}]" },
    { "message.tasks[0].containers[0].secrets[0]",
      "{\"name\":\"A\",\"valueFrom\":\"arn:aws:secretsmanager:eu-west-1:1:secret:s-AbCdEf:k::\",\"region\":\"eu-west-1\",\"provider\":\"asm\","
      "\"type\":\"ENVIRONMENT_VARIABLE\",\"target\":\"CONTAINER\"}" },
    { "message.tasks[0].containers[0].secrets[1]",
      "{\"name\":\"B\",\"valueFrom\":\"/p/q\",\"region\":\"us-east-1\",\"provider\":\"ssm\",\"type\":\"ENVIRONMENT_VARIABLE\",\"target\":\"CONTAINER\"}" },
    { "message.tasks[0].containers[0].secrets[2].valueFrom", "plain" },
    { "message.tasks[0].containers[0].secrets[3]",
      "{\"name\":\"token\",\"valueFrom\":\"/log\",\"region\":\"us-east-1\",\"provider\":\"ssm\",\"type\":\"BOOTSTRAP\",\"target\":\"LOG_DRIVER\"}" },
    { "message.tasks[0].containers[1].secrets", "(absent)" },
    { "message.tasks[0].containers[1].environmentFiles", "(absent)" },
    { "message.tasks[0].containers[1].essential", "false" },
    { "message.tasks[0].containers[1].environment", "{\"NVIDIA_VISIBLE_DEVICES\":\"void\"}" },
};

/* Machine "a", which says that it can fetch what a definition refers to. */
static struct id machine_add_for_secrets(struct api_fixture *f, int gpus)
{
    static const char more[] = "{\"name\":\"ecs.capability.secrets.ssm.environment-variables\"},{\"name\":\"ecs.capability.secrets.asm.environment-variables\"},"
        "{\"name\":\"ecs.capability.secrets.ssm.bootstrap.log-driver\"},{\"name\":\"ecs.capability.env-files.s3\"},"
        "{\"name\":\"com.amazonaws.ecs.capability.logging-driver.awslogs\"},{\"name\":\"ecs.capability.execution-role-awslogs\"},";
    const char *body = machine_body(f, "a", gpus, ""), *at_attributes = strstr(body, "\"attributes\":[") + strlen("\"attributes\":[");
    struct str reply = fixture_call(f, "RegisterContainerInstance", text(f, "%.*s%s%s", (int)(at_attributes - body), body, more, at_attributes));
    CHECK_EQ("a machine", f->code, ERR_NONE);
    struct id id = id_at(f, reply, "containerInstance.containerInstanceArn");
    machine_presence(f, id, true);
    return id;
}

static void test_payload(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add_for_secrets(&f, 2);
    (void)fixture_call(&f, "RegisterTaskDefinition",
        "{\"family\":\"train\",\"executionRoleArn\":\"arn:aws:iam::123456789012:role/x\",\"containerDefinitions\":["
        "{\"name\":\"main\",\"image\":\"train:3\",\"cpu\":100,\"memory\":256,\"memoryReservation\":128,\"command\":[\"a\"],\"entryPoint\":[\"/e\"],"
        "\"environment\":[{\"name\":\"MODE\",\"value\":\"slow\"},{\"name\":\"KEEP\",\"value\":\"1\"},{\"name\":\"NVIDIA_VISIBLE_DEVICES\","
            "\"value\":\"all\"}],"
        "\"portMappings\":[{\"containerPort\":80}],\"mountPoints\":[{\"sourceVolume\":\"v\",\"containerPath\":\"/v\"}],\"stopTimeout\":60,"
        "\"environmentFiles\":[{\"type\":\"s3\",\"value\":\"arn:aws:s3:::b/a.env\"}],"
        "\"logConfiguration\":{\"logDriver\":\"awslogs\",\"options\":{\"awslogs-group\":\"g\",\"awslogs-region\":\"r\"},\"secretOptions\":[{\"name\":\"token\",\"valueFrom\":\"/log\"}]},"
        "\"secrets\":[{\"name\":\"A\",\"valueFrom\":\"arn:aws:secretsmanager:eu-west-1:1:secret:s-AbCdEf:k::\"},"
        "{\"name\":\"B\",\"valueFrom\":\"arn:aws:ssm:us-east-1:123456789012:parameter/p/q\"},"
        "{\"name\":\"C\",\"valueFrom\":\"arn:aws:ssm:us-east-1:123456789012:parameter/plain\"}]" GPUS("2") "},"
        "{\"name\":\"side\",\"image\":\"side\",\"memory\":64,\"essential\":false}],"
        "\"volumes\":[{\"name\":\"v\",\"host\":{\"sourcePath\":\"/mnt\"}},{\"name\":\"w\"}]}");
    struct str made = fixture_call(&f, "RunTask",
        "{\"taskDefinition\":\"train\",\"overrides\":{\"containerOverrides\":[{\"name\":\"main\",\"command\":[\"b\",\"c\"],\"cpu\":7,"
        "\"environmentFiles\":[{\"type\":\"s3\",\"value\":\"arn:aws:s3:::b/b.env\"}],"
        "\"environment\":[{\"name\":\"MODE\",\"value\":\"fast\"},{\"name\":\"NEW\",\"value\":\"\"}]}]}}");
    struct str message = payload_text(&f, id_at(&f, made, "tasks[0].taskArn"), TASK_RUNNING);
    for (size_t r = 0; r < COUNT_OF(payload_rows); r++) { CHECK_STR(payload_rows[r].path, str_from(at(&f, message, payload_rows[r].path)), str_from(payload_rows[r].want)); }
    CHECK_STR("the task", fixture_at(&f, message, "message.tasks[0].arn"), fixture_at(&f, made, "tasks[0].taskArn"));
    CHECK_STR("the machine", fixture_at(&f, message, "message.containerInstanceArn"), fixture_at(&f, made, "tasks[0].containerInstanceArn"));
    CHECK_STR("the container", fixture_at(&f, message, "message.tasks[0].containers[0].containerArn"),
        fixture_at(&f, made, "tasks[0].containers[0].containerArn"));
    for (int g = 0; g < 2; g++) {
        CHECK_STR("one association per GPU", fixture_at(&f, message, text(&f, "message.tasks[0].associations[%d].name", g)),
                  fixture_at(&f, made, text(&f, "tasks[0].containers[0].gpuIds[%d]", g)));
    }
    CHECK_EQ("and no more", count_at(&f, message, "message.tasks[0].associations"), 2);

    message = payload_text(&f, id_at(&f, made, "tasks[0].taskArn"), TASK_STOPPED);
    CHECK_STR("a stop says so", fixture_at(&f, message, "message.tasks[0].desiredStatus"), STR("STOPPED"));
    CHECK_EQ("and lists the containers", count_at(&f, message, "message.tasks[0].containers"), 2);

    struct err err = { 0 };
    struct wire_payload read;
    const struct json *json = json_parse(fixture_at(&f, message, "message"), &f.kept, &err);
    CHECK("an agent can read it", schema_decode(&wire_payload_schema, json, &read, &f.kept, ERR_CLIENT, &err));
    CHECK_STR("as it was meant", read.tasks.items[0].containers.items[0].image, STR("train:3"));
    fixture_close(&f);
}

static void test_no_gpus(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 0);
    define(&f, "f", ",\"environment\":[{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"all\"}]", "");
    struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}");
    struct str message = payload_text(&f, id_at(&f, made, "tasks[0].taskArn"), TASK_RUNNING);
    CHECK_STR("nothing to hide on a machine without GPUs", fixture_at(&f, message, "message.tasks[0].containers[0].environment"), STR("{}"));
    CHECK_STR("no associations", fixture_at(&f, message, "message.tasks[0].associations"), STR("[]"));
    fixture_close(&f);
}

/* The agent's settings for a GPU that its container does not have alone; `environment` is the user's. */
static void test_shares(void)
{
    static const struct { const char *row, *requirements, *environment, *told; bool associated; } rows[] = {
        { "half a GPU", "{\"type\":\"GPU\",\"value\":\"0.5\"}", "{\"name\":\"A\",\"value\":\"1\"}",
          "{\"A\":\"1\",\"NVIDIA_VISIBLE_DEVICES\":\"GPU-a-0\",\"BERTH_GPU_SHARE\":\"0.5\",\"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE\":\"50\"}", false },
        { "a small share is rounded up for MPS", "{\"type\":\"GPU\",\"value\":\"0.125\"}", "",
          "{\"NVIDIA_VISIBLE_DEVICES\":\"GPU-a-0\",\"BERTH_GPU_SHARE\":\"0.125\",\"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE\":\"13\"}", false },
        { "memory of one", "{\"type\":\"GPU_MEMORY\",\"value\":\"1024\"}", "",
          "{\"NVIDIA_VISIBLE_DEVICES\":\"GPU-a-0\",\"BERTH_GPU_SHARE\":\"0.063\",\"BERTH_GPU_MEMORY_MIB\":\"1024\","
          "\"CUDA_MPS_PINNED_DEVICE_MEM_LIMIT\":\"0=1024M\"}", false },
        { "both, against the user's setting", "{\"type\":\"GPU\",\"value\":\"0.2\"},{\"type\":\"GPU_MEMORY\",\"value\":\"1024\"}",
          "{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"all\"},{\"name\":\"BERTH_GPU_SHARE\",\"value\":\"1\"},"
          "{\"name\":\"BERTH_GPU_MEMORY_MIB\",\"value\":\"1\"},{\"name\":\"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE\",\"value\":\"100\"},"
          "{\"name\":\"CUDA_MPS_PINNED_DEVICE_MEM_LIMIT\",\"value\":\"0=80G\"}",
          "{\"NVIDIA_VISIBLE_DEVICES\":\"GPU-a-0\",\"BERTH_GPU_SHARE\":\"0.2\",\"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE\":\"20\","
          "\"BERTH_GPU_MEMORY_MIB\":\"1024\",\"CUDA_MPS_PINNED_DEVICE_MEM_LIMIT\":\"0=1024M\"}", false },
        { "a whole one and its memory", "{\"type\":\"GPU\",\"value\":\"1\"},{\"type\":\"GPU_MEMORY\",\"value\":\"1024\"}",
          "{\"name\":\"BERTH_GPU_SHARE\",\"value\":\"1\"},{\"name\":\"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE\",\"value\":\"100\"}",
          "{\"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE\":\"100\"}", true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        cluster_open(&f);
        (void)machine_add(&f, "a", 1);
        define(&f, "f", text(&f, ",\"resourceRequirements\":[%s],\"environment\":[%s]", rows[r].requirements, rows[r].environment), "");
        struct str made = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\"}");
        CHECK_STR(rows[r].row, fixture_at(&f, made, "tasks[0].containers[0].gpuIds[0]"), STR("GPU-a-0"));
        struct str message = payload_text(&f, id_at(&f, made, "tasks[0].taskArn"), TASK_RUNNING);
        CHECK_STR(rows[r].row, fixture_at(&f, message, "message.tasks[0].containers[0].environment"), str_from(rows[r].told));
        CHECK_EQ(rows[r].row, count_at(&f, message, "message.tasks[0].associations"), rows[r].associated ? 1 : 0);
        fixture_close(&f);
    }
}

/* ---- Docker's own settings ---- */

/* One machine whose agent can do all that the rows below ask of Docker. */
static void docker_open(struct api_fixture *f)
{
    cluster_open(f);
    static const char *const wanted[] = {
        "com.amazonaws.ecs.capability.privileged-container", "com.amazonaws.ecs.capability.selinux", "ecs.capability.container-health-check",
        "ecs.capability.pid-ipc-namespace-sharing", "com.amazonaws.ecs.capability.logging-driver.json-file",
        "com.amazonaws.ecs.capability.logging-driver.awslogs", "ecs.capability.task-cpu-mem-limit",
        "ecs.capability.private-registry-authentication.secretsmanager",
    };
    struct buf names = buf_in(&f->kept);
    for (size_t w = 0; w < COUNT_OF(wanted); w++) { buf_printf(&names, "%s{\"name\":\"%s\"}", w == 0 ? "" : ",", wanted[w]); }
    struct str machine = fixture_call(f, "RegisterContainerInstance",
        text(f, "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":90000},{\"name\":\"MEMORY\",\"type\":\"INTEGER\","
             "\"integerValue\":90000}],\"attributes\":[" STR_FMT "]}", STR_ARG(buf_str(&names))));
    machine_presence(f, id_at(f, machine, "containerInstance.containerInstanceArn"), true);
}

/* The message to its machine about a task of this definition. */
static struct str docker_message(struct api_fixture *f, const char *row, const char *definition)
{
    struct str made = fixture_call(f, "RunTask", text(f, "{\"taskDefinition\":\"%s\"}", definition));
    CHECK_EQ(row, count_at(f, made, "tasks"), 1);
    return payload_text(f, id_at(f, made, "tasks[0].taskArn"), TASK_RUNNING);
}

static void test_docker(void)
{
    static const struct { const char *row, *container, *task, *config, *host, *version; } rows[] = {
        { "plain", "", "", "{}", "{\"NetworkMode\":\"bridge\"}", "1.18" },
        { "networks and name spaces", "", ",\"networkMode\":\"host\",\"pidMode\":\"host\",\"ipcMode\":\"none\"", "{}",
          "{\"NetworkMode\":\"host\",\"PidMode\":\"host\",\"IpcMode\":\"none\"}", "1.18" },
        { "words that Docker does not know", "", ",\"pidMode\":\"task\",\"ipcMode\":\"task\"", "{}", "{\"NetworkMode\":\"bridge\"}", "1.18" },
        { "rights", ",\"privileged\":true,\"readonlyRootFilesystem\":true,\"dockerSecurityOptions\":[\"label:disable\"]", "", "{}",
          "{\"NetworkMode\":\"bridge\",\"Privileged\":true,\"ReadonlyRootfs\":true,\"SecurityOpt\":[\"label:disable\"]}", "1.18" },
        { "Linux", ",\"linuxParameters\":{\"capabilities\":{\"add\":[\"NET_ADMIN\"],\"drop\":[\"ALL\"]},\"initProcessEnabled\":true,"
                   "\"sharedMemorySize\":64,\"tmpfs\":[{\"containerPath\":\"/t\",\"size\":8,\"mountOptions\":[\"noexec\"]}],"
                   "\"devices\":[{\"hostPath\":\"/dev/a\",\"permissions\":[\"write\",\"read\"]},{\"hostPath\":\"/dev/b\",\"containerPath\":\"/dev/c\"}],"
                   "\"maxSwap\":128,\"swappiness\":10}", "", "{}",
          "{\"NetworkMode\":\"bridge\",\"CapAdd\":[\"NET_ADMIN\"],\"CapDrop\":[\"ALL\"],\"Init\":true,\"ShmSize\":67108864,"
              "\"Tmpfs\":{\"/t\":\"size=8m,noexec\"},"
          "\"Devices\":[{\"PathOnHost\":\"/dev/a\",\"PathInContainer\":\"/dev/a\",\"CgroupPermissions\":\"rw\"},"
          "{\"PathOnHost\":\"/dev/b\",\"PathInContainer\":\"/dev/c\",\"CgroupPermissions\":\"rwm\"}],\"MemorySwap\":268435456,"
              "\"MemorySwappiness\":10}", "1.25" },
        { "limits, names and kernel", ",\"ulimits\":[{\"name\":\"nofile\",\"softLimit\":1,\"hardLimit\":2}],\"dnsServers\":[\"1.1.1.1\"],"
          "\"dnsSearchDomains\":[\"d\"],"
          "\"extraHosts\":[{\"hostname\":\"h\",\"ipAddress\":\"10.0.0.1\"}],\"systemControls\":[{\"namespace\":\"net.core.somaxconn\","
              "\"value\":\"5\"}]", "", "{}",
          "{\"NetworkMode\":\"bridge\",\"Ulimits\":[{\"Name\":\"nofile\",\"Soft\":1,\"Hard\":2}],\"Sysctls\":{\"net.core.somaxconn\":\"5\"},"
              "\"Dns\":[\"1.1.1.1\"],"
          "\"DnsSearch\":[\"d\"],\"ExtraHosts\":[\"h:10.0.0.1\"]}", "1.18" },
        { "a local log driver", ",\"logConfiguration\":{\"logDriver\":\"json-file\",\"options\":{\"max-size\":\"1m\"}}", "", "{}",
          "{\"NetworkMode\":\"bridge\",\"LogConfig\":{\"Type\":\"json-file\",\"Config\":{\"max-size\":\"1m\"}}}", "1.18" },
        { "one of AWS", ",\"logConfiguration\":{\"logDriver\":\"awslogs\",\"options\":{\"awslogs-group\":\"g\",\"awslogs-region\":\"us-east-1\"}}",
          "", "{}", "{\"NetworkMode\":\"bridge\"}", "1.18" },
        { "the container itself", ",\"user\":\"1:2\",\"workingDirectory\":\"/w\",\"hostname\":\"h\",\"dockerLabels\":{\"a\":\"b\"},\"pseudoTerminal\":true,"
          "\"interactive\":true,\"healthCheck\":{\"command\":[\"CMD\",\"true\"],\"interval\":10,\"startPeriod\":3}", "",
          "{\"User\":\"1:2\",\"WorkingDir\":\"/w\",\"Hostname\":\"h\",\"Labels\":{\"a\":\"b\"},\"Healthcheck\":{\"Test\":[\"CMD\",\"true\"],"
              "\"Interval\":10000000000,"
          "\"Timeout\":5000000000,\"Retries\":3,\"StartPeriod\":3000000000},\"Tty\":true,\"OpenStdin\":true}", "{\"NetworkMode\":\"bridge\"}", "1.24" },
    };
    struct api_fixture f;
    docker_open(&f);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const char *name = text(&f, "f%zu", r);
        define(&f, name, rows[r].container, rows[r].task);
        struct str message = docker_message(&f, rows[r].row, name);
        CHECK_STR(rows[r].row, fixture_at(&f, message, "message.tasks[0].containers[0].dockerConfig.config"), str_from(rows[r].config));
        CHECK_STR(rows[r].row, fixture_at(&f, message, "message.tasks[0].containers[0].dockerConfig.hostConfig"), str_from(rows[r].host));
        CHECK_STR(rows[r].row, fixture_at(&f, message, "message.tasks[0].containers[0].dockerConfig.version"), str_from(rows[r].version));
    }
    fixture_close(&f);
}

static void test_docker_logins(void)
{
    static const struct { const char *row, *reference, *region; } rows[] = {
        { "a secret by its ARN", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:login-AbCdEf", "eu-west-1" },
        { "a secret by its name", "login", "us-east-1" },
    };
    struct api_fixture f;
    docker_open(&f);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const char *name = text(&f, "private%zu", r);
        define(&f, name, text(&f, ",\"repositoryCredentials\":{\"credentialsParameter\":\"%s\"}", rows[r].reference),
               ",\"executionRoleArn\":\"arn:aws:iam::123456789012:role/r\"");
        struct str message = docker_message(&f, rows[r].row, name);
        CHECK_STR(rows[r].row, fixture_at(&f, message, "message.tasks[0].containers[0].registryAuthentication.type"), STR("asm"));
        CHECK_STR(rows[r].row, fixture_at(&f, message, "message.tasks[0].containers[0].registryAuthentication.asmAuthData.credentialsParameter"),
                  str_from(rows[r].reference));
        CHECK_STR(rows[r].row, fixture_at(&f, message, "message.tasks[0].containers[0].registryAuthentication.asmAuthData.region"),
                  str_from(rows[r].region));
    }
    fixture_close(&f);
}

static void test_docker_limits(void)
{
    struct api_fixture f;
    docker_open(&f);
    define(&f, "limited", "", ",\"cpu\":\"512\",\"memory\":\"1024\",\"pidMode\":\"task\"");
    struct str message = docker_message(&f, "limited", "limited");
    CHECK_STR("the task's own limit", fixture_at(&f, message, "message.tasks[0].cpu"), STR("0.5"));
    CHECK_STR("in MiB", fixture_at(&f, message, "message.tasks[0].memory"), STR("1024"));
    CHECK_STR("for the agent to make", fixture_at(&f, message, "message.tasks[0].pidMode"), STR("task"));
    fixture_close(&f);
}

/* ---- what an agent sends ---- */

static void test_poll_request(void)
{
    static const struct { const char *row, *body; enum err_code code; } rows[] = {
        { "the first poll",  "{\"cluster\":\"default\",\"containerInstance\":\"arn\"}", ERR_NONE },
        { "a later one",     "{\"containerInstance\":\"arn\",\"session\":\"s\",\"acks\":[\"m\"],\"stopCandidates\":[],\"waitSeconds\":25}", ERR_NONE },
        { "no machine",      "{\"cluster\":\"default\"}", ERR_CLIENT },
        { "too long a wait", "{\"containerInstance\":\"arn\",\"waitSeconds\":26}", ERR_CLIENT },
        { "a negative wait", "{\"containerInstance\":\"arn\",\"waitSeconds\":-1}", ERR_CLIENT },
    };
    struct arena arena;
    arena_init(&arena, 1 << 20);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        struct poll_request request;
        const struct json *json = json_parse(str_from(rows[r].body), &arena, &err);
        CHECK_EQ(rows[r].row, schema_decode(&poll_request_schema, json, &request, &arena, ERR_CLIENT, &err), rows[r].code == ERR_NONE);
        CHECK_EQ(rows[r].row, err.code, rows[r].code);
    }
    struct buf out = buf_in(&arena);
    struct json_out json = json_out_to(&out);
    wire_print(STR("HeartbeatMessage"), &wire_heartbeat_schema, &(struct wire_heartbeat){ STR("m-2"), OPT_TRUE }, &json);
    CHECK_STR("an envelope", buf_str(&out), STR("{\"type\":\"HeartbeatMessage\",\"message\":{\"messageId\":\"m-2\",\"healthy\":true}}"));
    arena_finish(&arena);
}

/* ---- what the ECS agent does in its own way ---- */

#define CAPABILITY(name) "{\"name\":\"ecs.capability." name "\"}"
#define AWSLOGS_AGENT "{\"name\":\"com.amazonaws.ecs.capability.logging-driver.awslogs\"}"

static void add_ecs_agent(struct api_fixture *f, const char *attributes, const char *devices)
{
    struct str machine = fixture_call(f, "RegisterContainerInstance",
        text(f, "{\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":9000},{\"name\":\"MEMORY\",\"type\":\"INTEGER\","
                "\"integerValue\":9000}],\"attributes\":[%s],\"platformDevices\":[%s]}", attributes, devices));
    machine_presence(f, id_at(f, machine, "containerInstance.containerInstanceArn"), true);
}

/* The HostConfig that the container of a task of this definition gets. */
static struct str host_config(struct api_fixture *f, const char *container, const char *task, struct str *message)
{
    define(f, "f", container, task);
    struct str made = fixture_call(f, "RunTask", "{\"taskDefinition\":\"f\"}");
    CHECK_EQ("it is placed", count_at(f, made, "tasks"), 1);
    *message = payload_text(f, id_at(f, made, "tasks[0].taskArn"), TASK_RUNNING);
    const char *arn = at(f, made, "tasks[0].taskArn"), *host = at(f, *message, "message.tasks[0].containers[0].dockerConfig.hostConfig");
    const char *id = strstr(host, arn + strlen(arn) - ID_HEX_LEN);                 /* differs from run to run */
    return str_from(id == NULL ? host : text(f, "%.*s<id>%s", (int)(id - host), host, id + ID_HEX_LEN));
}

#define LOGS(options) ",\"logConfiguration\":{\"logDriver\":\"awslogs\",\"options\":{\"awslogs-group\":\"/ecs/train\",\"awslogs-region\":\"eu-west-1\"" options "}}"
#define ROLE ",\"executionRoleArn\":\"arn:aws:iam::123456789012:role/x\""
#define TO_BERTH "\"awslogs-group\":\"/ecs/train\",\"awslogs-region\":\"us-east-1\",\"awslogs-endpoint\":\"http://berth:9280\",\"awslogs-create-group\":\"true\"}}}"
#define HOST_LOGS "{\"NetworkMode\":\"bridge\",\"LogConfig\":{\"Type\":\"awslogs\",\"Config\":{"

static void test_awslogs(void)
{
    static const struct { const char *row, *attributes, *endpoint, *container, *task, *host; } rows[] = {
        { "to Berth, by the role's keys", AWSLOGS_AGENT "," CAPABILITY("execution-role-awslogs"), "http://berth:9280", LOGS(""), ROLE,
          HOST_LOGS "\"awslogs-stream\":\"main/<id>\"," TO_BERTH },
        { "a prefix, and Docker's own options", AWSLOGS_AGENT "," CAPABILITY("execution-role-awslogs"), "http://berth:9280",
          LOGS(",\"awslogs-stream-prefix\":\"p\",\"mode\":\"non-blocking\",\"awslogs-create-group\":\"false\""), ROLE,
          HOST_LOGS "\"mode\":\"non-blocking\",\"awslogs-stream\":\"p/main/<id>\"," TO_BERTH },
        { "elsewhere", AWSLOGS_AGENT "," CAPABILITY("execution-role-awslogs"), "http://berth:9280",
          LOGS(",\"awslogs-endpoint\":\"http://other\",\"awslogs-stream-prefix\":\"p\""), ROLE,
          HOST_LOGS "\"awslogs-group\":\"/ecs/train\",\"awslogs-region\":\"eu-west-1\",\"awslogs-endpoint\":\"http://other\",\"awslogs-stream\":\"p/main/<id>\"}}}" },
        { "no role", AWSLOGS_AGENT "," CAPABILITY("execution-role-awslogs"), "http://berth:9280", LOGS(""), "", "{\"NetworkMode\":\"bridge\"}" },
        { "an agent that has no keys for Docker", AWSLOGS_AGENT, "http://berth:9280", LOGS(""), ROLE, "{\"NetworkMode\":\"bridge\"}" },
        { "nobody knows where Berth is", AWSLOGS_AGENT "," CAPABILITY("execution-role-awslogs"), "", LOGS(""), ROLE, "{\"NetworkMode\":\"bridge\"}" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        struct str message;
        cluster_open(&f);
        f.config.logs_endpoint = str_from(rows[r].endpoint);
        add_ecs_agent(&f, rows[r].attributes, "");
        CHECK_STR(rows[r].row, host_config(&f, rows[r].container, rows[r].task, &message), str_from(rows[r].host));
        bool told = strstr(rows[r].host, "LogConfig") != NULL;
        CHECK_STR(rows[r].row, str_from(at(&f, message, "message.tasks[0].containers[0].logsAuthStrategy")), told ? STR("ExecutionRole") : STR("(absent)"));
        fixture_close(&f);
    }
}

/* Outside of EC2 the ECS agent asks Docker for GPUs for every container, none of them where it has none. */
static void test_devices(void)
{
    static const struct { const char *row, *attributes, *devices, *container, *host; } rows[] = {
        { "none of them",    CAPABILITY("external"),           "{\"id\":\"GPU-1\",\"type\":\"GPU\"}", "",          "{\"NetworkMode\":\"bridge\",\"DeviceRequests\":[]}" },
        { "a whole one",     CAPABILITY("external"),           "{\"id\":\"GPU-1\",\"type\":\"GPU\"}", GPUS("1"),   "{\"NetworkMode\":\"bridge\"}" },
        { "a part of one",   CAPABILITY("external"),           "{\"id\":\"GPU-1\",\"type\":\"GPU\"}", GPUS("0.5"),
          "{\"NetworkMode\":\"bridge\",\"DeviceRequests\":[{\"Capabilities\":[[\"gpu\"]],\"DeviceIDs\":[\"GPU-1\"]}]}" },
        { "no GPUs at all",  CAPABILITY("external"),           "",                                          "",          "{\"NetworkMode\":\"bridge\"}" },
        { "in EC2",          CAPABILITY("container-ordering"), "{\"id\":\"GPU-1\",\"type\":\"GPU\"}", "",          "{\"NetworkMode\":\"bridge\"}" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        struct str message;
        cluster_open(&f);
        add_ecs_agent(&f, rows[r].attributes, rows[r].devices);
        CHECK_STR(rows[r].row, host_config(&f, rows[r].container, "", &message), str_from(rows[r].host));
        fixture_close(&f);
    }
}

int main(void)
{
    test_work();
    test_payload();
    test_no_gpus();
    test_shares();
    test_docker();
    test_docker_logins();
    test_docker_limits();
    test_poll_request();
    test_awslogs();
    test_devices();
    return check_report();
}
