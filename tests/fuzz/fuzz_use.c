/* fuzz_use.c: agents' reports of use and health, to a server that runs: a frame of the ECS agent's telemetry, or a body of Berth's agent. Each known
 * message has its answer, and the figures that come of it are figures. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/figures/use_metrics.h"
#include "server/routes.h"
#include "server/server.h"
#include "tests/fuzz/fuzz.h"

#define MACHINE_ID "0123456789abcdef0123456789abcdef"
#define MACHINE "arn:aws:ecs:us-east-1:123456789012:container-instance/default/" MACHINE_ID

static char dir[64], task[128];              /* task: the ARN of one that is there; an input says $TASK */
static struct server *server;

static void leave(void)
{
    char command[128];
    server_stop(server);
    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    ASSERT(system(command) == 0);
}

static const struct caller admin = { .access_key = STR_INIT(""), .user = STR_INIT("fuzz"), .role = ACCESS_ADMIN };

/* The reply, in the arena. */
static struct str call(const char *operation, const char *body, struct arena *arena)
{
    struct api_call call;
    struct err err = { 0 };
    struct buf out = buf_in(arena);
    struct job job = { .call = &call, .arena = arena, .caller = admin };
    ASSERT(api_prepare(server_paths(server)->front.api, &admin, str_from(operation), str_from(body), arena, &call, &err) && writer_run(server_paths(server)->front.writer, &job, &err));
    api_print(&call, &out);
    return buf_str(&out);
}

static void connect(struct arena *arena)
{
    struct api_call call;
    struct err err = { 0 };
    struct agent_presence presence = { .lease_ms = 0 };
    ASSERT(id_parse(STR(MACHINE_ID), &presence.instance));
    api_prepare_presence(&presence, arena, &call);
    struct job job = { .call = &call, .arena = arena, .caller = admin };
    ASSERT(writer_run(server_paths(server)->front.writer, &job, &err));
}

/* A machine with a GPU and a task. */
static void fill(struct arena *arena)
{
    (void)call("CreateCluster", "{}", arena);
    (void)call("RegisterContainerInstance",
               "{\"containerInstanceArn\":\"" MACHINE "\",\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":4096},"
               "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":4096}],\"platformDevices\":[{\"id\":\"GPU-a\",\"type\":\"GPU\"}]}", arena);
    connect(arena);
    (void)call("RegisterTaskDefinition", "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"i\",\"memory\":16}]}", arena);
    struct err err = { 0 };
    const struct json *made = json_parse(call("RunTask", "{\"taskDefinition\":\"f\"}", arena), arena, &err);
    const struct json *tasks = json_get(made, STR("tasks"));
    ASSERT(tasks != NULL && tasks->count == 1 && str_to_cstr(json_get_str(&tasks->as.items[0], STR("taskArn")), task, sizeof task));
}

static void begin(struct arena *arena)
{
    struct err err = { 0 };
    (void)snprintf(dir, sizeof dir, "/tmp/berth-fuzz-use-XXXXXX");
    ASSERT(mkdtemp(dir) != NULL);
    log_set_level(LOG_ERROR);
    server = server_start(&(struct server_config){ .data_dir = dir, .threads = 8, .map_size = (size_t)1 << 26 }, &err);
    ASSERT(server != NULL && atexit(leave) == 0);
    fill(arena);
}

static struct str with_task(struct str text, struct arena *arena)
{
    static const struct str word = STR_INIT("$TASK");
    struct buf out = buf_in(arena);
    for (size_t i = 0; i < text.len; i++) {
        bool is_word = str_starts_with(str_slice(text, i, text.len), word);
        if (is_word) { buf_put(&out, str_from(task)); } else { buf_put_char(&out, text.ptr[i]); }
        if (is_word) { i += word.len - 1; }
    }
    return buf_str(&out);
}

static void check_frame(struct str frame, struct arena *arena)
{
    static const char *const types[] = { "PublishMetricsRequest", "PublishHealthRequest", "PublishInstanceStatusRequest" };
    struct err err = { 0 };
    const struct json *json = json_parse(frame, arena, &err);
    bool known = false;
    for (size_t t = 0; t < COUNT_OF(types); t++) { known = known || str_eq(json_get_str(json, STR("type")), str_from(types[t])); }
    struct id instance;
    ASSERT(id_parse(STR(MACHINE_ID), &instance));
    struct str answer = telemetry_take(&server_paths(server)->agents, instance, frame, arena);
    ASSERT(!known || !str_starts_with(frame, STR("{")) || str_is_set(answer));
}

static void check_body(struct str body, struct arena *arena)
{
    struct http_request request = { .body = body, .arena = arena, .now_ms = clock_now_ms() };
    struct http_answer answer = { .status = 200, .body = buf_in(arena) };
    const struct caller caller = { .role = ACCESS_AGENT };
    agent_samples_handle(&server_paths(server)->agents, &request, &answer, &caller);
}

static void check_figures(struct arena *arena)
{
    struct buf out = buf_in(arena);
    struct exposition exposition = { .out = &out };
    use_metrics_print(&exposition, server_paths(server)->figures.samples, server_paths(server)->front.store, USE_ALL, clock_now_ms(), arena);
    ASSERT(!str_contains(buf_str(&out), STR(" nan")) && !str_contains(buf_str(&out), STR(" inf")) && !str_contains(buf_str(&out), STR(" -")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) {
        arena_init(&arena, 1 << 26);
        begin(&arena);
    }
    if (size > 64 * 1024) { return 0; }
    struct str text = with_task(fuzz_str(data, size), &arena);
    check_frame(text, &arena);
    check_body(text, &arena);
    check_figures(&arena);
    arena_reset(&arena);
    return 0;
}
