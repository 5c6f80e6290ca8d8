/* telemetry.c: what the ECS agent tells on its second websocket. The health of containers goes into their tasks, by the same
 * operation as every report; what they use goes into memory (samples.h). */
#include "server/room.h"

#include <stdlib.h>

#include "base/log.h"

enum { JOB_CEILING = 1024 * 1024 };

static const struct caller agent_caller = { .access_key = STR_INIT(""), .user = STR_INIT("berth"), .role = ACCESS_AGENT };

/* ---- health ---- */

struct health_job { struct job job; struct api_call call; struct arena arena; };

static void free_job(struct health_job *told)
{
    arena_finish(&told->arena);
    free(told);
}

static void health_told(struct job *job)
{
    if (!job->ok) { log_line(LOG_WARN, "agents", "the health of a task can't be written down: %s", job->err.message); }
    free_job((struct health_job *)job);
}

static enum health_status read_health(struct str word)
{
    if (str_eq(word, STR("HEALTHY"))) { return HEALTH_STATUS_HEALTHY; }
    if (str_eq(word, STR("UNHEALTHY"))) { return HEALTH_STATUS_UNHEALTHY; }
    return HEALTH_STATUS_UNKNOWN;
}

/* Health is told every 20 seconds, changed or not. */
static bool is_news(const struct task *task, const struct taskdef *taskdef, const struct json *containers)
{
    for (size_t t = 0; t < containers->count; t++) {
        struct str name = json_get_str(&containers->as.items[t], STR("containerName"));
        enum health_status told = read_health(json_get_str(&containers->as.items[t], STR("healthStatus")));
        for (size_t c = 0; c < task->containers.count; c++) {
            const struct task_container *container = &task->containers.items[c];
            bool known = (size_t)container->index < taskdef->def.container_definitions.count;
            if (known && str_eq(taskdef->def.container_definitions.items[container->index].name, name) && container->health != told) { return true; }
        }
    }
    return false;
}

static bool task_has_news(struct server *server, struct str arn, const struct json *containers, struct arena *arena)
{
    struct id id;
    size_t slash = arn.len;
    while (slash > 0 && arn.ptr[slash - 1] != '/') { slash--; }
    if (!id_parse(str_slice(arn, slash, arn.len), &id)) { return false; }
    struct store_txn *txn = store_read_begin(server->store);
    const struct task *task = store_task(txn, id, arena);
    const struct taskdef *taskdef = task == NULL ? NULL : store_taskdef(txn, task->family, task->revision, arena);
    bool news = taskdef != NULL && task_is_live(task) && is_news(task, taskdef, containers);
    return store_read_end(txn) && news;
}

static void print_report(struct str cluster, struct str arn, const struct json *containers, struct buf *body)
{
    struct json_out out = json_out_to(body);
    json_open(&out, '{');
    json_key(&out, STR("cluster"));
    json_str(&out, cluster);
    json_key(&out, STR("task"));
    json_str(&out, arn);
    json_key(&out, STR("containers"));
    json_open(&out, '[');
    for (size_t c = 0; c < containers->count; c++) {
        struct str health = json_get_str(&containers->as.items[c], STR("healthStatus"));
        json_open(&out, '{');
        json_key(&out, STR("containerName"));
        json_str(&out, json_get_str(&containers->as.items[c], STR("containerName")));
        json_key(&out, STR("status"));
        json_str(&out, STR("RUNNING"));                   /* only what runs has a health */
        json_key(&out, STR("healthStatus"));
        json_str(&out, enum_word(&health_status_names, (int)read_health(health)));
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
}

static void tell_health(struct server *server, struct str cluster, const struct json *task, struct arena *arena)
{
    struct str arn = json_get_str(task, STR("taskArn"));
    const struct json *containers = json_get(task, STR("containers"));
    if (containers == NULL || containers->type != JSON_ARRAY || !task_has_news(server, arn, containers, arena)) { return; }
    struct health_job *told = calloc(1, sizeof *told);
    ASSERT(told != NULL);
    arena_init(&told->arena, JOB_CEILING);
    struct buf body = buf_in(&told->arena);
    print_report(cluster, arn, containers, &body);
    struct err err = { 0 };
    told->job = (struct job){ .call = &told->call, .arena = &told->arena, .caller = agent_caller, .done = health_told };
    bool good = api_prepare(&server->api, &agent_caller, STR("SubmitTaskStateChange"), buf_str(&body), &told->arena, &told->call, &err)
        && writer_submit(server->writer, &told->job, &err);
    if (good) { return; }
    log_line(LOG_WARN, "agents", "the health of a task can't be written down: %s", err.message);
    free_job(told);
}

static void take_health(struct server *server, const struct json *message, struct arena *arena)
{
    struct str cluster = json_get_str(json_get(message, STR("metadata")), STR("cluster"));
    const struct json *tasks = json_get(message, STR("tasks"));
    for (size_t t = 0; tasks != NULL && tasks->type == JSON_ARRAY && t < tasks->count; t++) {
        tell_health(server, cluster, &tasks->as.items[t], arena);
    }
}

static void take_nothing(struct server *server, const struct json *message, struct arena *arena)
{
    (void)server;
    (void)message;
    (void)arena;
}

/* ---- frames ---- */

static const struct {
    struct str type, answer;
    void (*take)(struct server *server, const struct json *message, struct arena *arena);
} types[] = {
    { STR_INIT("PublishMetricsRequest"), STR_INIT("{\"type\":\"AckPublishMetric\",\"message\":{\"message\":\"ok\"}}"), samples_take_telemetry },
    { STR_INIT("PublishHealthRequest"), STR_INIT("{\"type\":\"AckPublishHealth\",\"message\":{\"message\":\"ok\"}}"), take_health },
    { STR_INIT("PublishInstanceStatusRequest"), STR_INIT("{\"type\":\"AckPublishInstanceStatus\",\"message\":{\"message\":\"ok\"}}"), take_nothing },
};

/* The agent sends a block of headers before its JSON, as if it were a request of its own. The upgrade was signed: these
 * signatures are not looked at. */
static struct str skip_headers(struct str frame)
{
    const char *end = memmem(frame.ptr, frame.len, "\r\n\r\n", 4);
    bool bare = str_starts_with(frame, STR("{"));
    return bare || end == NULL ? frame : str_slice(frame, (size_t)(end - frame.ptr) + 4, frame.len);
}

struct str telemetry_take(struct server *server, struct str frame, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *envelope = json_parse(skip_headers(frame), arena, &err);
    struct str type = json_get_str(envelope, STR("type"));
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        if (!str_eq(type, types[t].type)) { continue; }
        types[t].take(server, json_get(envelope, STR("message")), arena);
        return types[t].answer;
    }
    log_line(LOG_WARN, "agents", "a telemetry message was passed over: type=" STR_FMT " %s", STR_ARG(str_slice(type, 0, 64)), err.message);
    return (struct str){ NULL, 0 };
}
