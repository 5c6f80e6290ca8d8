/* Requests of containers: every path over a task in each state, the engine's words in the ECS agent's shapes, how often, and which are refused. */
#include "agent/inside/container_http.h"
#include "agent/inside/taskmeta_internal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/agent/scripted_runtime.h"
#include "tests/unit/check.h"

enum { ARENA_BYTES = 32 << 20 };
#define TASK_ARN "arn:aws:ecs:us-east-1:123456789012:task/default/00112233445566778899aabbccddeeff"
#define ROLE_ARN "arn:aws:iam::123456789012:role/app"
#define KEYS(id, access) "{\"credentialsId\":\"" id "\",\"roleArn\":\"" ROLE_ARN "\",\"accessKeyId\":\"" access "\",\"secretAccessKey\":\"hush\"," \
    "\"sessionToken\":\"token\",\"expiration\":\"2030-01-01T00:00:00Z\"}"
#define PAYLOAD "{\"clusterArn\":\"c\",\"containerInstanceArn\":\"i\",\"messageId\":\"m\",\"tasks\":[{\"arn\":\"" TASK_ARN "\",\"family\":\"train\"," \
    "\"version\":\"3\",\"desiredStatus\":\"RUNNING\",\"launchType\":\"EC2\",\"group\":\"service:web\",\"networkMode\":\"bridge\"," \
    "\"roleCredentials\":" KEYS("own-id", "ASIAFIRST") ",\"executionRoleCredentials\":" KEYS("execution-id", "ASIAEXEC") "," \
    "\"associations\":[{\"name\":\"GPU-1\",\"type\":\"gpu\",\"containers\":[\"main\"]},{\"name\":\"GPU-2\",\"type\":\"gpu\",\"containers\":[\"side\"]}]," \
    "\"containers\":[{\"name\":\"main\",\"image\":\"busybox\",\"containerArn\":\"arn:main\",\"cpu\":10,\"memory\":64,\"healthCheckType\":\"docker\"," \
    "\"restartPolicy\":{\"enabled\":true}},{\"name\":\"side\",\"image\":\"side\",\"cpu\":5}]}]}"

/* ---- an engine of few words ---- */

static const char *engine_text, *stats_text;

static bool say_inspect(struct runtime *runtime, struct str id, const struct json **tree, struct arena *arena, struct err *err)
{
    (void)runtime;
    (void)id;
    *tree = engine_text == NULL ? NULL : json_parse(str_from(engine_text), arena, err);
    return true;
}
static bool say_stats(struct runtime *runtime, struct str id, const struct json **tree, struct arena *arena, struct err *err)
{
    (void)runtime;
    (void)id;
    *tree = json_parse(str_from(stats_text), arena, err);
    return true;
}
static const struct runtime_ops engine_ops = { .name = "docker", .inspect = say_inspect, .stats = say_stats };

/* ---- the stage ---- */

struct stage { struct arena arena; struct runtime runtime; struct task_host host; struct taskmeta *metadata; struct task *task; struct container_answer answer; };

static void open_stage(struct stage *stage)
{
    struct err err = { 0 };
    *stage = (struct stage){ .arena = { .ceiling = ARENA_BYTES }, .runtime = { &engine_ops } };
    stage->host = (struct task_host){ .runtime = &stage->runtime, .cluster = "default" };
    const struct taskmeta_config config = {
        .runtime = &stage->runtime, .cluster = "default", .data_dir = "/tmp", .listen = "off", .zone = STR("room-2"),
    };
    stage->metadata = taskmeta_create(&config, &err);
    const struct json *payload = json_parse(STR(PAYLOAD), &stage->arena, &err);
    stage->task = task_create(&stage->host, payload, &err);
    ASSERT(stage->metadata != NULL && stage->task != NULL);
    taskmeta_add(stage->metadata, stage->task);
    taskmeta_set_instance(stage->metadata, STR("arn:instance"));
    engine_text = NULL;
    stats_text = "{}";
}

/* The task was never begun, so it is put away as the loop would, without a client. */
static void close_stage(struct stage *stage)
{
    taskmeta_remove(stage->metadata, stage->task);
    taskmeta_destroy(stage->metadata);
    task_keys_finish(&stage->task->role);
    task_keys_finish(&stage->task->execution_role);
    arena_finish(&stage->task->arena);
    free(stage->task);
    arena_finish(&stage->arena);
}

static struct str ask(struct stage *stage, int door, const char *method, struct str path, const char *query, const char *body)
{
    const struct container_request request = { door, str_from(method), path, str_from(query), str_from(body), &stage->arena };
    taskmeta_answer(stage->metadata, &request, &stage->answer);
    return stage->answer.body;
}

static struct str get(struct stage *stage, const char *format, const char *rest)
{
    return ask(stage, TASKMETA_CONTAINERS, "GET", arena_printf(&stage->arena, "/%s/%s-0%s", format, stage->task->metadata_id, rest), "", "");
}

static void take_keys(struct stage *stage, const char *type, const char *access)
{
    const struct wire_role_credentials keys = {
        STR("own-id"), STR(ROLE_ARN), str_from(access), STR("hush"), STR("token"), STR("2030-01-01T00:00:00Z"), { NULL, 0 },
    };
    struct wire_role_credentials copy = keys;
    const struct wire_role_message message = { .task_arn = STR(TASK_ARN), .role_type = str_from(type), .role_credentials = &copy };
    CHECK_EQ(type, task_take_keys(stage->task, &message), strncmp(type, "Task", 4) == 0);
}

/* ---- keys ---- */

static void test_keys(void)
{
    struct stage stage;
    open_stage(&stage);
    const char *written = arena_cstr(&stage.arena, stage.task->payload);
    CHECK("the written text has no secrets", strstr(written, "hush") == NULL && strstr(written, "ASIA") == NULL
          && strstr(written, "\"token\"") == NULL && strstr(written, "2030") == NULL);
    CHECK("but the ids", strstr(written, "own-id") != NULL && strstr(written, ROLE_ARN) != NULL);
    CHECK_STR("as after a restart of the agent", ask(&stage, TASKMETA_CONTAINERS, "GET", STR("/v2/credentials/own-id"), "", ""),
        STR("{\"code\":\"CredentialsUninitialized\",\"message\":\"CredentialsV2Request: Credentials uninitialized for ID\",\"HTTPErrorCode\":503}"));
    CHECK_EQ("they may come yet", stage.answer.status, 503);
    take_keys(&stage, "TaskApplication", "ASIASECOND");
    take_keys(&stage, "TaskExecution", "ASIATHIRD");
    take_keys(&stage, "Nonsense", "ASIAFOURTH");
    static const char keys[] = "{\"RoleArn\":\"" ROLE_ARN "\",\"AccessKeyId\":\"ASIASECOND\",\"SecretAccessKey\":\"hush\",\"Token\":\"token\","
        "\"Expiration\":\"2030-01-01T00:00:00Z\"}";
    CHECK_STR("the new keys", ask(&stage, TASKMETA_CONTAINERS, "GET", STR("/v2/credentials/own-id"), "", ""), str_from(keys));
    CHECK_STR("the old path", ask(&stage, TASKMETA_CONTAINERS, "GET", STR("/v1/credentials"), "x=1&id=own%2Did", ""), str_from(keys));
    CHECK_STR("with a slash behind", ask(&stage, TASKMETA_CONTAINERS, "GET", STR("/v2/credentials/own-id/"), "", ""), str_from(keys));
    static const struct { const char *name, *path; int status; } rows[] = {
        { "those of the execution role are the agent's", "/v2/credentials/execution-id", 400 }, { "no id", "/v2/credentials", 400 },
        { "a part of it", "/v2/credentials/own", 400 }, { "more than it", "/v2/credentials/own-id2", 400 }, { "not on v3", "/v3/credentials/own-id", 404 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)ask(&stage, TASKMETA_CONTAINERS, "GET", str_from(rows[r].path), "", "");
        CHECK_EQ(rows[r].name, stage.answer.status, rows[r].status);
    }
    (void)ask(&stage, TASKMETA_OPERATOR, "GET", STR("/v2/credentials/own-id"), "", "");
    CHECK_EQ("an operator's door has no keys", stage.answer.status, 404);
    close_stage(&stage);
}

/* ---- objects ---- */

static void test_objects(void)
{
    struct stage stage;
    open_stage(&stage);
    CHECK_STR("before anything was made", get(&stage, "v4", ""), STR("{\"Name\":\"main\",\"Image\":\"busybox\",\"DesiredStatus\":\"RUNNING\","
        "\"KnownStatus\":\"NONE\",\"Limits\":{\"CPU\":10,\"Memory\":64},\"Type\":\"NORMAL\",\"Health\":{\"status\":\"UNKNOWN\"},\"ContainerARN\":\"arn:main\","
        "\"RestartCount\":0}"));
    struct task_container *main_container = &stage.task->containers[0], *side = &stage.task->containers[1];
    struct network_binding bindings[] = { { .bind_ip = STR("0.0.0.0"), .container_port = opt_int_of(80), .host_port = opt_int_of(32768), .protocol = TRANSPORT_PROTOCOL_TCP } };
    memcpy(main_container->id, "abc", 4);
    main_container->phase = CONTAINER_RUNNING;
    main_container->restarts = 2;
    main_container->bindings = (struct network_binding_list){ bindings, 1 };
    side->phase = CONTAINER_STOPPED;
    side->exit_code = opt_int_of(7);
    engine_text = "{\"Name\":\"/berth-x\",\"Image\":\"sha256:1\",\"Created\":\"2026-01-01T00:00:00.5Z\",\"Config\":{\"Labels\":{\"a\":\"b\"},\"Env\":[\"SECRET=1\"]},"
        "\"State\":{\"StartedAt\":\"2026-01-01T00:00:01Z\",\"FinishedAt\":\"0001-01-01T00:00:00Z\",\"Health\":{\"Status\":\"unhealthy\",\"Log\":[{\"End\":\"old\"},"
        "{\"End\":\"2026-01-01T00:00:02Z\",\"ExitCode\":3,\"Output\":\"ill\"}]}},\"HostConfig\":{\"LogConfig\":{\"Type\":\"json-file\",\"Config\":{\"max-size\":\"10m\"}}},"
        "\"Mounts\":[{\"Name\":\"v\",\"Source\":\"/s\",\"Destination\":\"/d\"}],\"NetworkSettings\":{\"Networks\":{\"bridge\":{\"IPAddress\":\"172.17.0.2\",\"GlobalIPv6Address\":\"\"}}}}";
    static const char whole[] = "{\"DockerId\":\"abc\",\"Name\":\"main\",\"DockerName\":\"berth-x\",\"Image\":\"busybox\",\"ImageID\":\"sha256:1\","
        "\"Ports\":[{\"ContainerPort\":80,\"Protocol\":\"tcp\",\"HostPort\":32768,\"HostIp\":\"0.0.0.0\"}],\"Labels\":{\"a\":\"b\"},\"DesiredStatus\":\"RUNNING\","
        "\"KnownStatus\":\"RUNNING\",\"Limits\":{\"CPU\":10,\"Memory\":64},\"CreatedAt\":\"2026-01-01T00:00:00.5Z\",\"StartedAt\":\"2026-01-01T00:00:01Z\","
        "\"Type\":\"NORMAL\",\"Networks\":[{\"NetworkMode\":\"bridge\",\"IPv4Addresses\":[\"172.17.0.2\"]}],\"Health\":{\"status\":\"UNHEALTHY\","
        "\"statusSince\":\"2026-01-01T00:00:02Z\",\"exitCode\":3,\"output\":\"ill\"},\"Volumes\":[{\"DockerName\":\"v\",\"Source\":\"/s\",\"Destination\":\"/d\"}],"
        "\"LogDriver\":\"json-file\",\"LogOptions\":{\"max-size\":\"10m\"},\"ContainerARN\":\"arn:main\"";
    CHECK_STR("all that the engine says, but no environment", get(&stage, "v4", ""), arena_printf(&stage.arena, "%s,\"RestartCount\":2}", whole));
    CHECK_STR("v3 knows no restarts", get(&stage, "v3", ""), arena_printf(&stage.arena, "%s}", whole));
    CHECK("the container beside it has its own", strstr(arena_cstr(&stage.arena, ask(&stage, TASKMETA_CONTAINERS, "GET",
          arena_printf(&stage.arena, "/v4/%s-1", stage.task->metadata_id), "", "")), "\"KnownStatus\":\"STOPPED\",\"ExitCode\":7") != NULL);

    engine_text = NULL;
    struct err err = { 0 };
    const struct json *task = json_parse(get(&stage, "v4", "/task"), &stage.arena, &err);
    static const struct { const char *key, *want; } members[] = {
        { "Cluster", "default" }, { "TaskARN", TASK_ARN }, { "Family", "train" }, { "Revision", "3" }, { "ServiceName", "web" }, { "DesiredStatus", "RUNNING" },
        { "KnownStatus", "RUNNING" }, { "AvailabilityZone", "room-2" }, { "LaunchType", "EC2" }, { "Group", "service:web" },
    };
    for (size_t m = 0; m < COUNT_OF(members); m++) { CHECK_STR(members[m].key, json_get_str(task, str_from(members[m].key)), str_from(members[m].want)); }
    CHECK_STR("associations are a container's own", get(&stage, "v4", "/associations/gpu"), STR("{\"Associations\":[\"GPU-1\"]}"));
    CHECK_STR("one of them", get(&stage, "v3", "/associations/gpu/GPU-1"), STR("{}"));
    (void)get(&stage, "v4", "/associations/gpu/GPU-2");
    CHECK_EQ("another container's", stage.answer.status, 404);
    CHECK_STR("an operator's list", ask(&stage, TASKMETA_OPERATOR, "GET", STR("/v1/metadata"), "", ""),
              STR("{\"Cluster\":\"default\",\"ContainerInstanceArn\":\"arn:instance\",\"Version\":\"Berth agent - v" BERTH_VERSION "\"}"));
    close_stage(&stage);
}

static void test_stats(void)
{
    struct arena arena = { .ceiling = ARENA_BYTES };
    struct err err = { 0 };
    struct buf text = buf_in(&arena);
    struct json_out out = json_out_to(&text);
    const struct json *before = json_parse(STR("{\"read\":\"2026-01-01T00:00:00Z\",\"cpu_stats\":{\"n\":1},"
        "\"networks\":{\"a\":{\"rx_bytes\":100,\"tx_bytes\":0},\"b\":{\"rx_bytes\":5}}}"), &arena, &err);
    const struct json *now = json_parse(STR("{\"read\":\"2026-01-01T00:00:02Z\",\"preread\":\"x\",\"cpu_stats\":{\"n\":2},\"precpu_stats\":{},"
        "\"networks\":{\"a\":{\"rx_bytes\":300,\"tx_bytes\":50},\"b\":{\"rx_bytes\":5}}}"), &arena, &err);
    taskmeta_put_stats(&out, before, now, TASKMETA_V4);
    CHECK_STR("two moments", buf_str(&text), STR("{\"read\":\"2026-01-01T00:00:02Z\",\"preread\":\"2026-01-01T00:00:00Z\",\"cpu_stats\":{\"n\":2},\"precpu_stats\":{\"n\":1},"
        "\"networks\":{\"a\":{\"rx_bytes\":300,\"tx_bytes\":50},\"b\":{\"rx_bytes\":5}},\"network_rate_stats\":{\"rx_bytes_per_sec\":100.0,\"tx_bytes_per_sec\":25.0}}"));
    static const struct { const char *name; bool before, now; } rows[] = { { "neither", false, false }, { "the first alone", true, false }, { "the second alone", false, true } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf none = buf_in(&arena);
        struct json_out none_out = json_out_to(&none);
        taskmeta_put_stats(&none_out, rows[r].before ? before : NULL, rows[r].now ? now : NULL, TASKMETA_V4);
        CHECK_STR(rows[r].name, buf_str(&none), STR("null"));
    }
    arena_finish(&arena);
}

/* ---- who, and how often ---- */

static void test_strangers(void)
{
    struct stage stage;
    open_stage(&stage);
    const char *id = stage.task->metadata_id;
    const struct { const char *name; struct str path; int status; } rows[] = {
        { "no such container",     arena_printf(&stage.arena, "/v4/%s-2", id), 404 }, { "no number",      arena_printf(&stage.arena, "/v4/%s-", id), 404 },
        { "a negative number",     arena_printf(&stage.arena, "/v4/%s--1", id), 404 }, { "no dash",       arena_printf(&stage.arena, "/v4/%s", id), 404 },
        { "half an id",            arena_printf(&stage.arena, "/v4/%.16s-0", id), 404 }, { "v3 says 400", STR("/v3/x-0"), 400 },
        { "the task's name is no key", STR("/v4/00112233445566778899aabbccddeeff-0"), 404 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)ask(&stage, TASKMETA_CONTAINERS, "GET", rows[r].path, "", "");
        CHECK_EQ(rows[r].name, stage.answer.status, rows[r].status);
    }
    close_stage(&stage);
}

/* Forty a second for a task; who asks for nobody's does not take from it. Two thousand take no machine fifty seconds. */
static void test_rate(void)
{
    enum { MANY = 2000 };
    struct stage stage;
    open_stage(&stage);
    size_t refused = 0;
    for (int r = 0; r < MANY; r++) {
        (void)ask(&stage, TASKMETA_CONTAINERS, "GET", STR("/v4/nobody-0"), "", "");
        refused += stage.answer.status == 429;
        arena_reset(&stage.arena);
    }
    CHECK("strangers are slowed down", refused > 0);
    (void)get(&stage, "v4", "");
    CHECK_EQ("a task is not", stage.answer.status, 200);
    refused = 0;
    for (int r = 0; r < MANY; r++) {
        (void)get(&stage, "v4", "");
        refused += stage.answer.status == 429;
        arena_reset(&stage.arena);
    }
    CHECK("it is when it asks too often", refused > 0);
    close_stage(&stage);
}

int main(void)
{
    test_keys();
    test_objects();
    test_stats();
    test_strangers();
    test_rate();
    return check_report();
}
