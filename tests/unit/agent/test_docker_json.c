/* test_docker_json.c: the text that goes to the Docker Engine and the text that comes from it, without an engine. Tasks are
 * written as the payload has them; the wanted text is written as the engine gets it. */
#include "tests/unit/check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/docker/docker.h"

#define TASK_ARN "arn:aws:ecs:us-east-1:123456789012:task/demo/00112233445566778899aabbccddeeff"
#define LABELS "\"com.amazonaws.ecs.task-arn\":\"" TASK_ARN "\",\"com.amazonaws.ecs.container-name\":\"main\"," \
    "\"com.amazonaws.ecs.task-definition-family\":\"train\",\"com.amazonaws.ecs.task-definition-version\":\"3\"," \
    "\"com.amazonaws.ecs.cluster\":\"demo\""
#define LOGGING "\"LogConfig\":{\"Type\":\"json-file\",\"Config\":{\"max-size\":\"10m\",\"max-file\":\"2\"}}"

static struct arena arena;

/* ---- building ---- */

static struct str uuids[] = { STR_INIT("GPU-aa"), STR_INIT("GPU-bb") };

static int64_t fake_ports(struct port_span span, int64_t count, enum transport_protocol protocol)
{
    (void)span;
    return count > 5 ? 0 : protocol == TRANSPORT_PROTOCOL_UDP ? 60000 : 50000;
}

static const struct json *tree_of(const char *text)
{
    struct err err = { 0 };
    const struct json *tree = json_parse(str_from(text), &arena, &err);
    if (tree == NULL) { fprintf(stderr, "%s: %s\n", err.message, text); }
    ASSERT(tree != NULL);
    return tree;
}

/* `container` are the members of the container beside name and image, `task` those of the task beside the usual ones. */
static const struct wire_task *task_of(const char *container, const char *task)
{
    struct str text = arena_printf(&arena, "{\"clusterArn\":\"c\",\"containerInstanceArn\":\"i\",\"messageId\":\"m\",\"tasks\":[{"
        "\"arn\":\"" TASK_ARN "\",\"desiredStatus\":\"RUNNING\",\"family\":\"train\",\"version\":\"3\"%s,"
        "\"containers\":[{\"name\":\"main\",\"image\":\"train:3\"%s}]}]}", task, container);
    struct wire_payload *payload = ARENA_NEW(&arena, struct wire_payload, 1);
    struct err err = { 0 };
    if (!schema_decode(&wire_payload_schema, tree_of(text.ptr), payload, &arena, ERR_INVALID_PARAMETER, &err)) {
        fprintf(stderr, "%s\n", err.message);
    }
    ASSERT(payload->tasks.count == 1);
    return &payload->tasks.items[0];
}

static struct container_spec spec_of(const struct wire_task *task)
{
    return (struct container_spec){
        .task_arn = task->arn, .cluster = STR("demo"), .family = task->family, .revision = task->version, .task = task,
        .container = &task->containers.items[0], .environment = task->containers.items[0].environment,
    };
}

static bool body_of(struct docker_plan *plan, const char *container, const char *task, const struct json **body, struct err *err)
{
    static struct container_spec spec;
    size_t gpus = plan->spec == NULL ? 0 : plan->spec->gpus.count;
    bool simulated = plan->spec != NULL && plan->spec->simulated_gpus;
    spec = spec_of(task_of(container, task));
    spec.gpus = (struct str_list){ uuids, gpus };
    spec.simulated_gpus = simulated;
    plan->spec = &spec;
    plan->find_ports = fake_ports;
    struct str text = { NULL, 0 };
    if (!docker_create_body(plan, &text, &arena, err)) { return false; }
    *body = tree_of(arena_cstr(&arena, text));
    return true;
}

/* Each member of `want` must be in `got` with that value; null: it must not be there. */
static void check_members(const char *row, const struct json *got, const char *want)
{
    const struct json *wanted = tree_of(want);
    for (size_t m = 0; m < wanted->count; m++) {
        const struct json *value = json_get(got, wanted->as.members[m].key);
        struct buf got_text = buf_in(&arena), want_text = buf_in(&arena);
        struct json_out got_out = json_out_to(&got_text), want_out = json_out_to(&want_text);
        if (value != NULL) { json_dump(&got_out, value); } else { json_raw(&got_out, STR("null")); }
        json_dump(&want_out, &wanted->as.members[m].value);
        CHECK_STR(row, buf_str(&got_text), buf_str(&want_text));
    }
}

/* ---- the create body ---- */

static void test_whole_body(void)
{
    struct docker_plan plan = { 0 };
    struct err err = { 0 };
    struct str body = { NULL, 0 };
    struct container_spec spec = spec_of(task_of(",\"command\":[\"--epochs\",\"3\"],\"entryPoint\":[\"/train\"],\"cpu\":2048,\"memory\":4096,"
        "\"environment\":{\"MODE\":\"full\"}", ",\"networkMode\":\"bridge\",\"cpu\":2.5,\"memory\":8192"));
    plan.spec = &spec;
    CHECK("built", docker_create_body(&plan, &body, &arena, &err));
    CHECK_STR("all of it", body, STR("{\"Image\":\"train:3\",\"Entrypoint\":[\"/train\"],\"Cmd\":[\"--epochs\",\"3\"],"
        "\"Env\":[\"MODE=full\",\"NVIDIA_VISIBLE_DEVICES=void\"],\"Labels\":{" LABELS "},\"HostConfig\":{\"NetworkMode\":\"bridge\","
        "\"CpuShares\":2048,\"CpuPeriod\":100000,\"CpuQuota\":250000,\"Memory\":4294967296," LOGGING "}}"));
}

static void test_parts(void)
{
    static const struct { const char *name, *container, *task, *config, *host; } rows[] = {
        { "nothing said", "", "", "{\"Cmd\":null,\"Entrypoint\":null,\"ExposedPorts\":null}",
          "{\"NetworkMode\":\"bridge\",\"CpuShares\":2,\"Memory\":null,\"CpuQuota\":null,\"PortBindings\":null,\"Binds\":null,"
          "\"DeviceRequests\":null,\"Runtime\":null,\"PidMode\":null}" },
        { "an empty command is one", ",\"command\":[]", "", "{\"Cmd\":[]}", "{}" },
        { "shares at the least", ",\"cpu\":1", "", "{}", "{\"CpuShares\":2}" },
        { "shares as asked", ",\"cpu\":3", "", "{}", "{\"CpuShares\":3}" },
        { "shares at the most", ",\"cpu\":262144", "", "{}", "{\"CpuShares\":262144}" },
        { "shares above the most", ",\"cpu\":262145", "", "{}", "{\"CpuShares\":262144}" },
        { "memory below Docker's least", ",\"memory\":5", "", "{}", "{\"Memory\":6291456}" },
        { "memory above it", ",\"memory\":7", "", "{}", "{\"Memory\":7340032}" },
        { "the task's memory bounds its container", "", ",\"memory\":64", "{}", "{\"Memory\":67108864}" },
        { "a tenth of a vCPU", "", ",\"cpu\":0.1", "{}", "{\"CpuPeriod\":100000,\"CpuQuota\":10000}" },
        { "less than Docker can", "", ",\"cpu\":0.001", "{}", "{\"CpuQuota\":1000}" },
        { "ports", ",\"portMappings\":[{\"containerPort\":80},{\"containerPort\":80,\"hostPort\":8080},"
          "{\"containerPort\":53,\"hostPort\":53,\"protocol\":\"udp\"},{\"containerPort\":53,\"hostPort\":0,\"protocol\":\"tcp\"}]", "",
          "{\"ExposedPorts\":{\"80/tcp\":{},\"53/udp\":{},\"53/tcp\":{}}}",
          "{\"PortBindings\":{\"80/tcp\":[{\"HostPort\":\"50000\"},{\"HostPort\":\"8080\"}],\"53/udp\":[{\"HostPort\":\"53\"}],"
          "\"53/tcp\":[{\"HostPort\":\"50000\"}]}}" },
        { "a range of ports", ",\"portMappings\":[{\"containerPortRange\":\"7000-7002\"},{\"containerPort\":9}]", "", "{}",
          "{\"PortBindings\":{\"7000/tcp\":[{\"HostPort\":\"50000\"}],\"7001/tcp\":[{\"HostPort\":\"50001\"}],"
          "\"7002/tcp\":[{\"HostPort\":\"50002\"}],\"9/tcp\":[{\"HostPort\":\"50000\"}]}}" },
        { "the host's network", ",\"portMappings\":[{\"containerPort\":80,\"hostPort\":80}]", ",\"networkMode\":\"host\"", "{}",
          "{\"NetworkMode\":\"host\",\"PortBindings\":null}" },
        { "no network", "", ",\"networkMode\":\"none\"", "{}", "{\"NetworkMode\":\"none\"}" },
        { "the host's processes", "", ",\"pidMode\":\"host\",\"ipcMode\":\"none\"", "{}", "{\"PidMode\":\"host\",\"IpcMode\":\"none\"}" },
        { "a task of one has its own", "", ",\"pidMode\":\"task\"", "{}", "{\"PidMode\":null}" },
        { "an address of the task's own", ",\"portMappings\":[{\"containerPort\":80,\"hostPort\":80}]", ",\"networkMode\":\"awsvpc\"",
          "{\"ExposedPorts\":null}", "{\"NetworkMode\":\"container:berth-pause-00112233445566778899aabbccddeeff\",\"PortBindings\":null}" },
        { "a volume of the task's own", ",\"mountPoints\":[{\"sourceVolume\":\"scratch\",\"containerPath\":\"/s\"},"
          "{\"sourceVolume\":\"scratch\",\"containerPath\":\"/r\",\"readOnly\":true}]",
          ",\"volumes\":[{\"name\":\"scratch\",\"host\":{}}]", "{}",
          "{\"Binds\":[\"berth-train-3-scratch-00112233445566778899aabbccddeeff:/s\","
          "\"berth-train-3-scratch-00112233445566778899aabbccddeeff:/r:ro\"]}" },
        { "a shared volume", ",\"mountPoints\":[{\"sourceVolume\":\"data\",\"containerPath\":\"/d\"}]",
          ",\"volumes\":[{\"name\":\"data\",\"type\":\"docker\",\"dockerVolumeConfiguration\":{\"scope\":\"shared\"}}]", "{}",
          "{\"Binds\":[\"data:/d\"]}" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct docker_plan plan = { 0 };
        struct err err = { 0 };
        const struct json *body = NULL;
        CHECK(rows[r].name, body_of(&plan, rows[r].container, rows[r].task, &body, &err));
        if (body == NULL) { fprintf(stderr, "%s: %s\n", rows[r].name, err.message); continue; }
        check_members(rows[r].name, body, rows[r].config);
        check_members(rows[r].name, json_get(body, STR("HostConfig")), rows[r].host);
    }
}

/* dockerConfig is text inside JSON, so quotes are doubled by the test, not by the reader of this table: ' means \" */
static const char *quoted(const char *text)
{
    struct buf out = buf_in(&arena);
    for (; *text != '\0'; text++) { buf_put(&out, *text == '\'' ? STR("\\\"") : (struct str){ text, 1 }); }
    return arena_cstr(&arena, buf_str(&out));
}

static void test_overlay(void)
{
    static const struct { const char *name, *config, *host_config, *want, *want_host; } rows[] = {
        { "nothing", "", "", "{\"Image\":\"train:3\"}", "{" LOGGING "}" },
        { "empty objects", "{}", "{}", "{\"Image\":\"train:3\"}", "{" LOGGING "}" },
        { "new members", "{'User':'1000','WorkingDir':'/w','Tty':true}", "{'Privileged':true,'ShmSize':1048576,'Init':true}",
          "{\"User\":\"1000\",\"WorkingDir\":\"/w\",\"Tty\":true}", "{\"Privileged\":true,\"ShmSize\":1048576,\"Init\":true}" },
        { "a scalar replaces", "{'Image':'other'}", "{'CpuShares':7,'NetworkMode':'host'}", "{\"Image\":\"other\"}",
          "{\"CpuShares\":7,\"NetworkMode\":\"host\"}" },
        { "a list replaces", "{'Cmd':['b']}", "{'CapAdd':['SYS_PTRACE']}", "{\"Cmd\":[\"b\"]}", "{\"CapAdd\":[\"SYS_PTRACE\"]}" },
        { "the case of a name does not count", "{'cmd':['b']}", "{'CPUSHARES':9}", "{\"Cmd\":[\"b\"]}", "{\"CpuShares\":9}" },
        { "null empties a list", "{'Cmd':null}", "", "{\"Cmd\":null}", "{}" },
        { "null leaves a scalar", "{'Image':null}", "{'CpuShares':null}", "{\"Image\":\"train:3\"}", "{\"CpuShares\":2}" },
        { "null leaves a struct", "", "{'LogConfig':null}", "{}", "{" LOGGING "}" },
        { "null for an absent member", "{'User':null}", "{'CapAdd':null}", "{\"User\":null}", "{\"CapAdd\":null}" },
        { "a map is merged key by key", "{'ExposedPorts':{'9/udp':{}}}", "", "{\"ExposedPorts\":{\"80/tcp\":{},\"9/udp\":{}}}", "{}" },
        { "our labels win", "{'Labels':{'a':'b','com.amazonaws.ecs.cluster':'x'}}", "",
          "{\"Labels\":{\"a\":\"b\",\"com.amazonaws.ecs.cluster\":\"demo\",\"com.amazonaws.ecs.task-arn\":\"" TASK_ARN "\","
          "\"com.amazonaws.ecs.container-name\":\"main\",\"com.amazonaws.ecs.task-definition-family\":\"train\","
          "\"com.amazonaws.ecs.task-definition-version\":\"3\"}}", "{}" },
        { "no labels do not take ours", "{'Labels':null}", "", "{\"Labels\":{" LABELS "}}", "{}" },
        { "an option of the same log driver", "", "{'LogConfig':{'Type':'json-file','Config':{'max-size':'1m'}}}", "{}",
          "{\"LogConfig\":{\"Type\":\"json-file\",\"Config\":{\"max-size\":\"1m\",\"max-file\":\"2\"}}}" },
        { "another log driver has none of our options", "", "{'LogConfig':{'Type':'syslog','Config':{'tag':'t'}}}", "{}",
          "{\"LogConfig\":{\"Type\":\"syslog\",\"Config\":{\"tag\":\"t\"}}}" },
        { "a log driver in small letters", "", "{'logconfig':{'type':'none'}}", "{}", "{\"logconfig\":{\"type\":\"none\"}}" },
        { "tmpfs, ulimits and a reservation", "", "{'Tmpfs':{'/t':'size=1m'},'MemoryReservation':8388608,"
          "'Ulimits':[{'Name':'nofile','Soft':1,'Hard':2}]}", "{}", "{\"Tmpfs\":{\"/t\":\"size=1m\"},\"MemoryReservation\":8388608,"
          "\"Ulimits\":[{\"Name\":\"nofile\",\"Soft\":1,\"Hard\":2}]}" },
        { "a health check", "{'Healthcheck':{'Test':['CMD','true'],'Interval':30000000000}}", "",
          "{\"Healthcheck\":{\"Test\":[\"CMD\",\"true\"],\"Interval\":30000000000}}", "{}" },
        { "no devices is what it is anyway", "", "{'DeviceRequests':[],'Binds':null}", "{}", "{\"DeviceRequests\":null,\"Binds\":null}" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct docker_plan plan = { 0 };
        struct err err = { 0 };
        const struct json *body = NULL;
        struct str container = arena_printf(&arena, ",\"command\":[\"a\"],\"portMappings\":[{\"containerPort\":80}],\"dockerConfig\":"
            "{\"config\":\"%s\",\"hostConfig\":\"%s\"}", quoted(rows[r].config), quoted(rows[r].host_config));
        CHECK(rows[r].name, body_of(&plan, container.ptr, "", &body, &err));
        if (body == NULL) { fprintf(stderr, "%s: %s\n", rows[r].name, err.message); continue; }
        check_members(rows[r].name, body, rows[r].want);
        check_members(rows[r].name, json_get(body, STR("HostConfig")), rows[r].want_host);
    }
}

static void test_gpus(void)
{
    static const struct { const char *name, *environment; size_t gpus; bool simulated, nvidia_default; const char *env, *host; } rows[] = {
        { "two GPUs", "{\"A\":\"1\"}", 2, false, false, "[\"A=1\",\"NVIDIA_VISIBLE_DEVICES=GPU-aa,GPU-bb\"]",
          "{\"DeviceRequests\":[{\"Driver\":\"nvidia\",\"DeviceIDs\":[\"GPU-aa\",\"GPU-bb\"],\"Capabilities\":[[\"gpu\"]]}],\"Runtime\":null}" },
        { "one GPU, against the user's setting", "{\"NVIDIA_VISIBLE_DEVICES\":\"all\",\"NVIDIA_DRIVER_CAPABILITIES\":\"video\"}", 1, false, true,
          "[\"NVIDIA_DRIVER_CAPABILITIES=video\",\"NVIDIA_VISIBLE_DEVICES=GPU-aa\"]",
          "{\"DeviceRequests\":[{\"Driver\":\"nvidia\",\"DeviceIDs\":[\"GPU-aa\"],\"Capabilities\":[[\"gpu\"]]}],\"Runtime\":null}" },
        { "a sidecar that asks for all", "{\"NVIDIA_VISIBLE_DEVICES\":\"all\"}", 0, false, false, "[\"NVIDIA_VISIBLE_DEVICES=void\"]",
          "{\"DeviceRequests\":null,\"Runtime\":null}" },
        { "no GPU where NVIDIA's runtime is the default", "{}", 0, false, true, "[\"NVIDIA_VISIBLE_DEVICES=void\"]",
          "{\"DeviceRequests\":null,\"Runtime\":\"runc\"}" },
        { "simulated GPUs are named, not asked for", "{}", 2, true, true, "[\"NVIDIA_VISIBLE_DEVICES=GPU-aa,GPU-bb\"]",
          "{\"DeviceRequests\":null,\"Runtime\":\"runc\"}" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct container_spec shape = { .gpus = { uuids, rows[r].gpus }, .simulated_gpus = rows[r].simulated };
        struct docker_plan plan = { .spec = &shape, .nvidia_default = rows[r].nvidia_default };
        struct err err = { 0 };
        const struct json *body = NULL;
        CHECK(rows[r].name, body_of(&plan, arena_printf(&arena, ",\"environment\":%s", rows[r].environment).ptr, "", &body, &err));
        check_members(rows[r].name, body, arena_printf(&arena, "{\"Env\":%s}", rows[r].env).ptr);
        check_members(rows[r].name, json_get(body, STR("HostConfig")), rows[r].host);
    }
}

static void test_environment_order(void)
{
    static struct pair pairs[] = {
        { STR_INIT("B"), STR_INIT("1") }, { STR_INIT("A"), STR_INIT("x=y") }, { STR_INIT("B"), STR_INIT("2") }, { STR_INIT("C"), STR_INIT("") },
    };
    struct container_spec spec = spec_of(task_of("", ""));
    spec.environment = (struct pair_list){ pairs, COUNT_OF(pairs) };
    struct docker_plan plan = { .spec = &spec };
    struct err err = { 0 };
    struct str body = { NULL, 0 };
    CHECK("built", docker_create_body(&plan, &body, &arena, &err));
    check_members("in order, the later one wins", tree_of(arena_cstr(&arena, body)),
                  "{\"Env\":[\"A=x=y\",\"B=2\",\"C=\",\"NVIDIA_VISIBLE_DEVICES=void\"]}");
}

static void test_values(void)
{
    static struct pair pairs[] = { { STR_INIT("A"), STR_INIT("plain") }, { STR_INIT("B"), STR_INIT("2") } };
    static struct pair values[] = { { STR_INIT("A"), STR_INIT("fetched") }, { STR_INIT("C"), STR_INIT("3") } };
    static struct pair options[] = { { STR_INIT("splunk-token"), STR_INIT("t\"1") } };
    struct container_spec spec = spec_of(task_of(",\"dockerConfig\":{\"hostConfig\":\"{\\\"LogConfig\\\":{\\\"Type\\\":\\\"splunk\\\","
                                                 "\\\"Config\\\":{\\\"splunk-url\\\":\\\"u\\\"}}}\"}", ""));
    spec.environment = (struct pair_list){ pairs, COUNT_OF(pairs) };
    spec.values = (struct pair_list){ values, COUNT_OF(values) };
    spec.log_options = (struct pair_list){ options, COUNT_OF(options) };
    struct docker_plan plan = { .spec = &spec };
    struct err err = { 0 };
    struct str body = { NULL, 0 };
    CHECK("built", docker_create_body(&plan, &body, &arena, &err));
    check_members("a fetched value wins", tree_of(arena_cstr(&arena, body)), "{\"Env\":[\"B=2\",\"A=fetched\",\"C=3\",\"NVIDIA_VISIBLE_DEVICES=void\"]}");
    check_members("the log driver's too", json_get(tree_of(arena_cstr(&arena, body)), STR("HostConfig")),
                  "{\"LogConfig\":{\"Type\":\"splunk\",\"Config\":{\"splunk-url\":\"u\",\"splunk-token\":\"t\\\"1\"}}}");
}

static void test_peers(void)
{
    static struct docker_peer peers[] = { { STR_INIT("db"), STR_INIT("berth-train-3-db-01234567") } };
    struct docker_plan plan = { .peers = { peers, 1 } };
    struct err err = { 0 };
    const struct json *body = NULL;
    CHECK("built", body_of(&plan, ",\"links\":[\"db\",\"db:store\"],\"volumesFrom\":[{\"sourceContainer\":\"db\",\"readOnly\":true},"
                           "{\"sourceContainer\":\"db\"}]", "", &body, &err));
    check_members("by the names that were created", json_get(body, STR("HostConfig")),
                  "{\"Links\":[\"berth-train-3-db-01234567:db\",\"berth-train-3-db-01234567:store\"],"
                  "\"VolumesFrom\":[\"berth-train-3-db-01234567:ro\",\"berth-train-3-db-01234567\"]}");
}

static void test_refusals(void)
{
    static const struct { const char *name, *container, *task, *want; } rows[] = {
        { "config is not JSON", ",\"dockerConfig\":{\"config\":\"{\"}", "", "DockerClientConfigError: dockerConfig.config is not a JSON object" },
        { "hostConfig is a list", ",\"dockerConfig\":{\"hostConfig\":\"[]\"}", "", "HostConfigError: dockerConfig.hostConfig is not" },
        { "devices", ",\"dockerConfig\":{\"hostConfig\":\"{\\\"deviceRequests\\\":[{\\\"Count\\\":-1}]}\"}", "",
          "HostConfigError: dockerConfig.hostConfig may not set deviceRequests" },
        { "a GPU as a device", ",\"dockerConfig\":{\"hostConfig\":\"{\\\"devices\\\":[{\\\"PathOnHost\\\":\\\"/dev/null\\\"},{\\\"PathOnHost\\\":\\\"/dev/nvidia0\\\"}]}\"}", "",
          "HostConfigError: device /dev/nvidia0 is a GPU's" },
        { "all devices", ",\"dockerConfig\":{\"hostConfig\":\"{\\\"Devices\\\":[{\\\"PathOnHost\\\":\\\"/dev/../dev/\\\"}]}\"}", "",
          "HostConfigError: device /dev/../dev/ is a GPU's" },
        { "another cgroup", ",\"dockerConfig\":{\"hostConfig\":\"{\\\"CgroupParent\\\":\\\"/\\\"}\"}", "",
          "HostConfigError: dockerConfig.hostConfig may not set CgroupParent" },
        { "a runtime", ",\"dockerConfig\":{\"hostConfig\":\"{\\\"Runtime\\\":\\\"nvidia\\\"}\"}", "", "HostConfigError: " },
        { "binds", ",\"dockerConfig\":{\"hostConfig\":\"{\\\"Binds\\\":[\\\"/:/h\\\"]}\"}", "", "HostConfigError: " },
        { "binds with a long s", ",\"dockerConfig\":{\"hostConfig\":\"{\\\"Bind\u017f\\\":[\\\"/:/h\\\"]}\"}", "", "HostConfigError: " },
        { "mounts", ",\"dockerConfig\":{\"hostConfig\":\"{\\\"Mounts\\\":[{}]}\"}", "", "HostConfigError: " },
        { "the environment", ",\"dockerConfig\":{\"config\":\"{\\\"Env\\\":[\\\"A=B\\\"]}\"}", "", "DockerClientConfigError: " },
        { "a HostConfig by the back door", ",\"dockerConfig\":{\"config\":\"{\\\"hostconfig\\\":{}}\"}", "", "DockerClientConfigError: " },
        { "a network of another kind", "", ",\"networkMode\":\"x\"", "CannotCreateContainerError: this agent has no network mode \"x\"" },
        { "pidMode", "", ",\"pidMode\":\"x\"", "CannotCreateContainerError: this agent has no pidMode \"x\"" },
        { "port zero", ",\"portMappings\":[{\"containerPort\":0}]", "", "CannotCreateContainerError: a port is not between" },
        { "a range backwards", ",\"portMappings\":[{\"containerPortRange\":\"9-8\"}]", "", "CannotCreateContainerError: not a range of ports" },
        { "a range without room", ",\"portMappings\":[{\"containerPortRange\":\"1-6\"}]", "", "CannotCreateContainerError: no row of free" },
        { "a link to nobody", ",\"links\":[\"db\"]", "", "CannotCreateContainerError: links name a container that is not there: \"db\"" },
        { "volumes from nobody", ",\"volumesFrom\":[{\"sourceContainer\":\"db\"}]", "", "CannotCreateContainerError: volumesFrom names" },
        { "a volume that is not there", ",\"mountPoints\":[{\"sourceVolume\":\"v\",\"containerPath\":\"/v\"}]", "",
          "CannotCreateContainerError: the task has no volume \"v\"" },
        { "a volume of another kind", ",\"mountPoints\":[{\"sourceVolume\":\"v\",\"containerPath\":\"/v\"}]",
          ",\"volumes\":[{\"name\":\"v\",\"type\":\"efs\"}]", "CannotCreateContainerError: volume \"v\" is of type efs" },
        { "a host path without a list", ",\"mountPoints\":[{\"sourceVolume\":\"v\",\"containerPath\":\"/v\"}]",
          ",\"volumes\":[{\"name\":\"v\",\"host\":{\"sourcePath\":\"/tmp\"}}]", "CannotCreateContainerError: host path \"/tmp\" is not below" },
        { "a relative place", ",\"mountPoints\":[{\"sourceVolume\":\"v\",\"containerPath\":\"v\"}]",
          ",\"volumes\":[{\"name\":\"v\",\"host\":{}}]", "CannotCreateContainerError: not an absolute path" },
        { "a place with options", ",\"mountPoints\":[{\"sourceVolume\":\"v\",\"containerPath\":\"/v:rw\"}]",
          ",\"volumes\":[{\"name\":\"v\",\"host\":{}}]", "CannotCreateContainerError: not an absolute path" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct docker_plan plan = { 0 };
        struct err err = { 0 };
        const struct json *body = NULL;
        CHECK(rows[r].name, !body_of(&plan, rows[r].container, rows[r].task, &body, &err));
        CHECK_STR(rows[r].name, str_slice(str_from(err.message), 0, strlen(rows[r].want)), str_from(rows[r].want));
    }
}

/* ---- what a task shares ---- */

static void test_shares(void)
{
    static const struct { const char *name, *network, *pid, *ipc; size_t containers; bool joins_network, joins_pids, joins_ipc; } rows[] = {
        { "nothing",                "bridge", "",     "",     2, false, false, false },
        { "an address, alone",      "awsvpc", "",     "",     1, true,  false, false },
        { "processes",              "host",   "task", "",     2, false, true,  false },
        { "processes, alone",       "bridge", "task", "task", 1, false, false, false },
        { "IPC",                    "none",   "host", "task", 3, false, false, true  },
        { "all of it",              "awsvpc", "task", "task", 2, true,  true,  true  },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct wire_container containers[3] = { 0 };
        struct wire_task task = {
            .arn = STR(TASK_ARN), .network_mode = str_from(rows[r].network), .pid_mode = str_from(rows[r].pid), .ipc_mode = str_from(rows[r].ipc),
            .containers = { containers, rows[r].containers },
        };
        struct docker_share share = docker_share_of(&task, &arena);
        CHECK(rows[r].name, share.network == rows[r].joins_network && share.pids == rows[r].joins_pids && share.ipc == rows[r].joins_ipc);
        CHECK_EQ(rows[r].name, str_is_set(share.holder), share.network || share.pids || share.ipc);
    }
}

/* ---- limits of a task as a whole ---- */

static void test_task_limits(void)
{
    static const struct { const char *name; enum docker_cgroups kind; double cpu; int64_t memory; const char *want; } rows[] = {
        { "no limits",                DOCKER_CGROUPS_V1, 0, 0, "" },
        { "nobody to make them",      DOCKER_CGROUPS_FOREIGN, 1, 64, "" },
        { "CPU, version 1",           DOCKER_CGROUPS_V1, 0.5, 0, "cpu/cpu.cfs_period_us=100000 cpu/cpu.cfs_quota_us=50000 cpu/cpu.shares=512 " },
        { "memory, version 1",        DOCKER_CGROUPS_V1, 0, 64, "cpu/cpu.shares=258 memory/memory.limit_in_bytes=67108864 " },
        { "both, version 2",          DOCKER_CGROUPS_V2, 2, 64, "/cpu.max=200000 100000 /cpu.weight=79 /memory.max=67108864 " },
        { "the least and the most",   DOCKER_CGROUPS_V2, 0.001, INT64_MAX, "/cpu.max=1000 100000 /cpu.weight=1 /memory.max=9223372036853727232 " },
        { "more than there is",       DOCKER_CGROUPS_V2, 1e9, 0, "/cpu.max=100000000000 100000 /cpu.weight=10000 " },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct wire_container containers[2] = { { .cpu = { 256, true } }, { .cpu = { 0, true } } };
        struct wire_task task = { .arn = STR(TASK_ARN), .containers = { containers, 2 }, .cpu = { rows[r].cpu, rows[r].cpu > 0 },
                                  .memory = { rows[r].memory, rows[r].memory > 0 } };
        struct docker_limits limits;
        struct buf got = buf_in(&arena);
        docker_limits_of(rows[r].kind, &task, &limits);
        for (size_t l = 0; l < limits.count; l++) { buf_printf(&got, "%s/%s=%s ", limits.items[l].controller, limits.items[l].file, limits.items[l].value); }
        CHECK_STR(rows[r].name, buf_str(&got), str_from(rows[r].want));
    }
    CHECK_EQ("version 1", docker_cgroups_of(tree_of("{\"CgroupDriver\":\"cgroupfs\",\"CgroupVersion\":\"1\"}")), DOCKER_CGROUPS_V1);
    CHECK_EQ("an engine that does not say", docker_cgroups_of(tree_of("{\"CgroupDriver\":\"cgroupfs\"}")), DOCKER_CGROUPS_V1);
    CHECK_EQ("version 2", docker_cgroups_of(tree_of("{\"CgroupDriver\":\"cgroupfs\",\"CgroupVersion\":\"2\"}")), DOCKER_CGROUPS_V2);
    CHECK_EQ("systemd", docker_cgroups_of(tree_of("{\"CgroupDriver\":\"systemd\",\"CgroupVersion\":\"2\"}")), DOCKER_CGROUPS_FOREIGN);
}

/* ---- host paths ---- */

static void test_host_paths(void)
{
    char directory[] = "/tmp/berth-test-docker-XXXXXX", inside[64], outside[64], nowhere[64], pipe[64], file[64];
    ASSERT(mkdtemp(directory) != NULL);
    (void)snprintf(inside, sizeof inside, "%s/in", directory);
    (void)snprintf(outside, sizeof outside, "%s/out", directory);
    (void)snprintf(nowhere, sizeof nowhere, "%s/nowhere", directory);
    (void)snprintf(pipe, sizeof pipe, "%s/socket", directory);
    (void)snprintf(file, sizeof file, "%s/file", directory);
    int file_fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT(mkfifo(pipe, 0600) == 0 && file_fd >= 0 && close(file_fd) == 0);
    ASSERT(symlink(directory, inside) == 0 && symlink("/etc", outside) == 0 && symlink("/nonexistent/x", nowhere) == 0);
    const char *const allow[] = { "/srv/berth-nonexistent/", directory, NULL };
    const struct { const char *name; struct str path; enum { REFUSED, ITSELF, BELOW } want; } rows[] = {
        { "the directory itself",            arena_printf(&arena, "%s", directory),              ITSELF },
        { "with a slash",                    arena_printf(&arena, "%s/", directory),             ITSELF },
        { "a path that is not there yet",    arena_printf(&arena, "%s/a/b", directory),          BELOW },
        { "below one that is not there",     STR("/srv/berth-nonexistent/a"),                    BELOW },
        { "a link that stays inside",        arena_printf(&arena, "%s/in", directory),           ITSELF },
        { "a link that leads out",           arena_printf(&arena, "%s/out", directory),          REFUSED },
        { "below a link that leads out",     arena_printf(&arena, "%s/out/passwd", directory),   REFUSED },
        { "below one that leads out, new",   arena_printf(&arena, "%s/out/new", directory),      REFUSED },
        { "a link to nowhere",               arena_printf(&arena, "%s/nowhere", directory),      REFUSED },
        { "a name that begins alike",        arena_printf(&arena, "%sx", directory),             REFUSED },
        { "the directory above",             STR("/tmp"),                                        REFUSED },
        { "the root",                        STR("/"),                                           REFUSED },
        { "up and out",                      arena_printf(&arena, "%s/../x", directory),         REFUSED },
        { "relative",                        STR("x"),                                           REFUSED },
        { "a file",                          arena_printf(&arena, "%s", file),                   BELOW },
        { "a pipe, which is no file",        arena_printf(&arena, "%s", pipe),                   REFUSED },
        { "the agent's own folder",          arena_printf(&arena, "%s/agent/tasks", directory),  REFUSED },
        { "one that holds it",               arena_printf(&arena, "%s/agent", directory),        REFUSED },
        { "beside it",                       arena_printf(&arena, "%s/agents", directory),       BELOW },
        { "with a colon",                    arena_printf(&arena, "%s/a:b", directory),          REFUSED },
    };
    for (size_t r = 0; r < COUNT_OF(rows) * 2; r++) {
        bool can = r < COUNT_OF(rows);               /* whether the agent can mount what lies below */
        size_t row = r % COUNT_OF(rows);
        struct str_list sources = { 0 };
        struct docker_plan plan = { .volume_allow = allow, .volume_sources = &sources };
        if (can) { plan.volume_folder = arena_printf(&arena, "%s/agent/volumes/0", directory); }
        struct err err = { 0 };
        const struct json *body = NULL;
        struct str volumes = arena_printf(&arena, ",\"volumes\":[{\"name\":\"v\",\"host\":{\"sourcePath\":\"" STR_FMT "\"}}]", STR_ARG(rows[row].path));
        bool good = body_of(&plan, ",\"mountPoints\":[{\"sourceVolume\":\"v\",\"containerPath\":\"/v\"}]", volumes.ptr, &body, &err);
        CHECK_EQ(rows[row].name, good, rows[row].want == ITSELF || (rows[row].want == BELOW && can));
        CHECK_EQ(rows[row].name, sources.count, rows[row].want == BELOW && can);
        if (!good) { continue; }
        struct str source = rows[row].want == BELOW ? arena_printf(&arena, STR_FMT "/0:/v", STR_ARG(plan.volume_folder)) : arena_printf(&arena, "%s:/v", directory);
        CHECK_STR(rows[row].name, json_get(json_get(body, STR("HostConfig")), STR("Binds"))->as.items[0].as.string, source);
    }
    (void)unlink(inside);
    (void)unlink(outside);
    (void)unlink(nowhere);
    (void)unlink(pipe);
    (void)unlink(file);
    CHECK("cleaned", rmdir(directory) == 0);
}

static void test_docker_volumes(void)
{
    static const struct { const char *name, *volume, *docker_name, *body; } rows[] = {
        { "a host volume needs nothing", "\"host\":{}", NULL, NULL },
        { "for the task", "\"dockerVolumeConfiguration\":{\"scope\":\"task\",\"driver\":\"local\",\"labels\":{\"a\":\"b\"}}",
          "berth-train-3-v-00112233445566778899aabbccddeeff", "{\"Name\":\"berth-train-3-v-00112233445566778899aabbccddeeff\","
          "\"Driver\":\"local\",\"DriverOpts\":{},\"Labels\":{\"a\":\"b\"}}" },
        { "shared, must be there", "\"dockerVolumeConfiguration\":{\"scope\":\"shared\"}", "v", NULL },
        { "shared, made when missing", "\"dockerVolumeConfiguration\":{\"scope\":\"shared\",\"autoprovision\":true,\"driver\":\"rexray\","
          "\"driverOpts\":{\"size\":\"5\"}}", "v", "{\"Name\":\"v\",\"Driver\":\"rexray\",\"DriverOpts\":{\"size\":\"5\"},\"Labels\":{}}" },
        { "memory", "\"dockerVolumeConfiguration\":{\"scope\":\"task\",\"driverOpts\":{\"type\":\"tmpfs\",\"device\":\"tmpfs\"}}",
          "berth-train-3-v-00112233445566778899aabbccddeeff", "{\"Name\":\"berth-train-3-v-00112233445566778899aabbccddeeff\","
          "\"Driver\":\"local\",\"DriverOpts\":{\"type\":\"tmpfs\",\"device\":\"tmpfs\"},\"Labels\":{}}" },
        { "a directory that is not allowed", "\"dockerVolumeConfiguration\":{\"driverOpts\":{\"type\":\"none\",\"o\":\"ro,bind\","
          "\"device\":\"/etc\"}}", "refused", NULL },
        { "one that is", "\"dockerVolumeConfiguration\":{\"driverOpts\":{\"type\":\"none\",\"o\":\"bind\",\"device\":\"/srv/berth-nonexistent\"}}",
          "berth-train-3-v-00112233445566778899aabbccddeeff", "{\"Name\":\"berth-train-3-v-00112233445566778899aabbccddeeff\","
          "\"Driver\":\"local\",\"DriverOpts\":{\"type\":\"none\",\"o\":\"bind\",\"device\":\"/srv/berth-nonexistent\"},\"Labels\":{}}" },
        { "one below it", "\"dockerVolumeConfiguration\":{\"driverOpts\":{\"type\":\"none\",\"o\":\"bind\","
          "\"device\":\"/srv/berth-nonexistent/a\"}}", "refused", NULL },
        { "a directory dressed as a network", "\"dockerVolumeConfiguration\":{\"driverOpts\":{\"type\":\"nfs\",\"o\":\"rbind\","
          "\"device\":\"etc\"}}", "refused", NULL },
        { "a disk", "\"dockerVolumeConfiguration\":{\"driverOpts\":{\"type\":\"ext4\",\"device\":\"/dev/sda1\"}}", "refused", NULL },
        { "an overlay", "\"dockerVolumeConfiguration\":{\"driverOpts\":{\"type\":\"overlay\",\"o\":\"lowerdir=/etc\"}}", "refused", NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str volumes = arena_printf(&arena, ",\"volumes\":[{\"name\":\"v\",\"type\":\"docker\",%s}]", rows[r].volume);
        struct container_spec spec = spec_of(task_of("", volumes.ptr));
        static const char *const allow[] = { "/srv/berth-nonexistent", NULL };
        struct docker_plan plan = { .spec = &spec, .volume_allow = allow };
        struct err err = { 0 };
        struct str name = { NULL, 0 }, body = { NULL, 0 };
        bool good = docker_volume_body(&plan, STR("v"), &name, &body, &arena, &err);
        bool refused = rows[r].docker_name != NULL && strcmp(rows[r].docker_name, "refused") == 0;
        CHECK_EQ(rows[r].name, good, !refused);
        if (refused) { continue; }
        CHECK_STR(rows[r].name, name, str_from(rows[r].docker_name));
        CHECK_STR(rows[r].name, body, str_from(rows[r].body));
        CHECK_EQ(rows[r].name, str_is_set(body), rows[r].body != NULL);
    }
}

/* ---- names ---- */

static void test_names(void)
{
    struct container_spec spec = spec_of(task_of("", ""));
    CHECK_STR("container", docker_container_name(&spec, STR("0a1b2c3d"), &arena), STR("berth-train-3-main-0a1b2c3d"));
    CHECK_STR("what Docker can't hold", docker_safe_name(STR("a/b c:\xC3\xA9.d_e-f"), &arena), STR("a-b-c---.d_e-f"));
    CHECK("belongs", docker_volume_belongs(STR("berth-x-1-v-0011"), STR("arn:aws:ecs:r:1:task/c/0011")));
    CHECK("of another task", !docker_volume_belongs(STR("berth-x-1-v-0012"), STR("arn:aws:ecs:r:1:task/c/0011")));
    CHECK("a volume of another's", !docker_volume_belongs(STR("data-0011"), STR("arn:aws:ecs:r:1:task/c/0011")));
    CHECK("without a task", !docker_volume_belongs(STR("berth-x"), STR("")));

    static const struct { const char *image, *name, *tag; } rows[] = {
        { "busybox", "busybox", "latest" },                  { "busybox:1.36", "busybox", "1.36" },
        { "host:5000/a/b", "host:5000/a/b", "latest" },      { "host:5000/a/b:2", "host:5000/a/b", "2" },
        { "a@sha256:ff", "a", "sha256:ff" },                 { "a:1@sha256:ff", "a:1", "sha256:ff" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str name = { NULL, 0 }, tag = { NULL, 0 };
        docker_split_image(str_from(rows[r].image), &name, &tag);
        CHECK_STR(rows[r].image, name, str_from(rows[r].name));
        CHECK_STR(rows[r].image, tag, str_from(rows[r].tag));
    }
}

/* ---- what the engine says ---- */

static void test_times(void)
{
    static const struct { const char *text; bool good; int64_t ns; } rows[] = {
        { "2024-05-01T10:00:00.123456789Z", true, 1714557600123456789 },
        { "2024-05-01T12:00:00.5+02:00", true, 1714557600500000000 },
        { "2024-05-01T09:30:00-00:30", true, 1714557600000000000 },
        { "2024-02-29T00:00:00Z", true, 1709164800000000000 },
        { "1970-01-01T00:00:01Z", true, 1000000000 },
        { "0001-01-01T00:00:00Z", true, 0 },
        { "2261-12-31T23:59:59Z", true, 9214646399000000000 },
        { "2262-01-01T00:00:00Z", true, 0 },
        { "2024-05-01T10:00:00", false, 0 }, { "2024-05-01T10:00:00.1", false, 0 }, { "2024-05-01T10:00:00Zx", false, 0 },
        { "2024-13-01T10:00:00Z", false, 0 }, { "2024-05-01T24:00:00Z", false, 0 }, { "2024-05-01 10:00", false, 0 },
        { "2024-05-01T10:00:00+2:00", false, 0 }, { "2024-05-01T10:-1:00Z", false, 0 }, { "", false, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int64_t ns = 0;
        CHECK_EQ(rows[r].text, docker_parse_time(str_from(rows[r].text), &ns), rows[r].good);
        CHECK_EQ(rows[r].text, ns, rows[r].ns);
    }
}

static void test_state(void)
{
    struct container_state state;
    CHECK("running", docker_read_state(tree_of("{\"State\":{\"Running\":true,\"ExitCode\":0,\"StartedAt\":\"2024-05-01T10:00:00.5Z\","
        "\"FinishedAt\":\"2024-04-01T10:00:00Z\"},\"NetworkSettings\":{\"Ports\":{\"80/tcp\":[{\"HostIp\":\"0.0.0.0\",\"HostPort\":\"32768\"},"
        "{\"HostIp\":\"::\",\"HostPort\":\"32769\"}],\"53/udp\":[{\"HostIp\":\"10.0.0.1\",\"HostPort\":\"53\"}],\"9/tcp\":null}}}"), &state, &arena));
    CHECK("it runs", state.exists && state.running && !state.exit_code.set && !state.oom_killed);
    CHECK_EQ("started", state.started_ms, 1714557600500);
    CHECK_EQ("no earlier end", state.finished_ms, 0);
    CHECK_EQ("IPv4 only", state.bindings.count, 2);
    CHECK_STR("where", state.bindings.items[0].bind_ip, STR("0.0.0.0"));
    CHECK_EQ("which", state.bindings.items[0].host_port.value, 32768);
    CHECK_EQ("inside", state.bindings.items[0].container_port.value, 80);
    CHECK_EQ("how", state.bindings.items[1].protocol, TRANSPORT_PROTOCOL_UDP);

    static const struct { const char *word; enum health_status want; } words[] = {
        { "starting", HEALTH_STATUS_UNKNOWN }, { "healthy", HEALTH_STATUS_HEALTHY }, { "unhealthy", HEALTH_STATUS_UNHEALTHY }, { "none", HEALTH_STATUS_UNSET },
    };
    for (size_t w = 0; w < COUNT_OF(words); w++) {
        char text[96];
        CHECK_EQ("no check", state.health, HEALTH_STATUS_UNSET);
        snprintf(text, sizeof text, "{\"State\":{\"Running\":true,\"Health\":{\"Status\":\"%s\",\"FailingStreak\":0}}}", words[w].word);
        CHECK(words[w].word, docker_read_state(tree_of(text), &state, &arena));
        CHECK_EQ(words[w].word, state.health, words[w].want);
        CHECK("of the past", docker_read_state(tree_of("{\"State\":{\"Running\":false,\"Health\":{\"Status\":\"healthy\"}}}"), &state, &arena));
    }

    CHECK("ended", docker_read_state(tree_of("{\"State\":{\"Running\":false,\"OOMKilled\":true,\"ExitCode\":137,"
        "\"StartedAt\":\"2024-05-01T10:00:00Z\",\"FinishedAt\":\"2024-05-01T10:00:01Z\"}}"), &state, &arena));
    CHECK("it ended", !state.running && state.oom_killed && state.exit_code.set && state.exit_code.value == 137);
    CHECK_EQ("when", state.finished_ms - state.started_ms, 1000);

    CHECK("ended at once", docker_read_state(tree_of("{\"State\":{\"Running\":false,\"ExitCode\":7,"
        "\"StartedAt\":\"2024-05-01T10:00:00.010Z\",\"FinishedAt\":\"2024-05-01T10:00:00.009Z\"}}"), &state, &arena));
    CHECK_EQ("not before it began", state.finished_ms - state.started_ms, 0);

    CHECK("never started", docker_read_state(tree_of("{\"State\":{\"Running\":false,\"ExitCode\":128,"
        "\"StartedAt\":\"0001-01-01T00:00:00Z\",\"FinishedAt\":\"0001-01-01T00:00:00Z\"}}"), &state, &arena));
    CHECK("no exit code", state.exists && !state.exit_code.set && state.started_ms == 0);
    CHECK("no state at all", !docker_read_state(tree_of("{}"), &state, &arena) && !state.exists);

    CHECK_STR("digest", docker_read_digest(tree_of("{\"RepoDigests\":[\"a/b@sha256:ff\"]}")), STR("sha256:ff"));
    CHECK("no digest", !str_is_set(docker_read_digest(tree_of("{\"RepoDigests\":[]}"))) && !str_is_set(docker_read_digest(tree_of("{}"))));
    CHECK_STR("message", docker_read_message(STR("{\"message\":\"a\\nb \"}\n"), &arena), STR("a b"));
    CHECK_STR("no message", docker_read_message(STR("<html>\n"), &arena), STR("<html>"));
    CHECK_STR("nothing", docker_read_message(STR(""), &arena), STR(""));
}

static void show_use(struct buf *out, struct opt_double value) { if (value.set) { buf_printf(out, "%.15g ", value.value); } else { buf_printf(out, "- "); } }

static void test_use(void)
{
    static const struct { const char *name, *stats, *want; } rows[] = {
        { "cgroups 2", "{\"read\":\"2024-05-01T10:00:00Z\",\"cpu_stats\":{\"cpu_usage\":{\"total_usage\":2500000000}},\"memory_stats\":{\"usage\":5000,\"stats\":{"
          "\"inactive_file\":1000}},\"networks\":{\"eth0\":{\"rx_bytes\":10,\"tx_bytes\":20},\"eth1\":{\"rx_bytes\":1,\"tx_bytes\":2}},\"blkio_stats\":{"
          "\"io_service_bytes_recursive\":[{\"op\":\"read\",\"value\":7},{\"op\":\"write\",\"value\":8},{\"op\":\"read\",\"value\":3}]}}", "2.5 4000 11 22 10 8 " },
        { "cgroups 1 under its own names", "{\"read\":\"2024-05-01T10:00:00Z\",\"cpu_stats\":{\"cpu_usage\":{\"total_usage\":0}},\"memory_stats\":{\"usage\":5000,\"stats\":{"
          "\"total_inactive_file\":5001,\"inactive_file\":1}},\"blkio_stats\":{\"io_service_bytes_recursive\":[{\"op\":\"Read\",\"value\":7},{\"op\":\"Total\",\"value\":7}]}}",
          "0 5000 - - 7 - " },
        { "without a network and disks", "{\"read\":\"2024-05-01T10:00:00Z\",\"networks\":{},\"blkio_stats\":{\"io_service_bytes_recursive\":null}}", "- - - - - - " },
        { "not running", "{\"read\":\"0001-01-01T00:00:00Z\",\"cpu_stats\":{\"cpu_usage\":{\"total_usage\":0}}}", "nothing" },
        { "nonsense", "[]", "nothing" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        struct container_usage use = { 0 };
        struct buf out = buf_in(&arena);
        if (docker_read_usage(json_parse(str_from(rows[r].stats), &arena, &err), &use)) {
            const struct opt_double values[] = { use.cpu_seconds, use.memory_bytes, use.network_received_bytes, use.network_sent_bytes, use.block_read_bytes,
                                                 use.block_written_bytes };
            for (size_t v = 0; v < COUNT_OF(values); v++) { show_use(&out, values[v]); }
        } else {
            buf_put(&out, STR("nothing"));
        }
        CHECK_STR(rows[r].name, buf_str(&out), str_from(rows[r].want));
    }
}

static void test_port_spans(void)
{
    static const struct { const char *text; bool good; int64_t first, last; } rows[] = {
        { "1-65535", true, 1, 65535 }, { "40000-40000", true, 40000, 40000 }, { " 40000 - 50000 ", true, 40000, 50000 },
        { "0-10", false, 0, 0 }, { "1-65536", false, 0, 0 }, { "50000-40000", false, 0, 0 }, { "40000", false, 0, 0 }, { "a-b", false, 0, 0 }, { "", false, 0, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct port_span span = { 0 };
        struct err err = { 0 };
        bool good = port_span_read(str_from(rows[r].text), &span, &err);
        CHECK_EQ(rows[r].text, good, rows[r].good);
        if (good) { CHECK(rows[r].text, span.first == rows[r].first && span.last == rows[r].last); }
    }
    const struct port_span few = { 61001, 61004 };
    CHECK_EQ("more than there are", docker_find_ports(few, 5, TRANSPORT_PROTOCOL_TCP), 0);
    for (int64_t p = 0; p < 8; p++) {
        int64_t port = docker_find_ports(few, 1, TRANSPORT_PROTOCOL_TCP);
        CHECK("within the range, or all are taken", port == 0 || (port >= few.first && port <= few.last));
    }
}

int main(void)
{
    arena_init(&arena, 64 << 20);
    test_whole_body();
    test_parts();
    test_overlay();
    test_gpus();
    test_environment_order();
    test_values();
    test_peers();
    test_refusals();
    test_shares();
    test_task_limits();
    test_host_paths();
    test_docker_volumes();
    test_names();
    test_times();
    test_state();
    test_use();
    test_port_spans();
    arena_finish(&arena);
    return check_report();
}
