/* telemetry.c: the ECS agent's messages beside its reports, most of them on its second websocket. The health of containers goes into their tasks, by the
 * same operation as reports, and the health of the machine into its record; their use stays in memory (samples.h). */
#include "server/paths/agents.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"

enum { JOB_CEILING = 64 * 1024 * 1024 };

static const struct caller agent_caller = { .access_key = STR_INIT(""), .user = STR_INIT("berth"), .role = ACCESS_AGENT };

/* ---- jobs ---- */

struct told_job { struct job job; struct api_call call; struct arena arena; const char *what; };

static struct told_job *begin_job(const char *what)
{
    struct told_job *told = calloc(1, sizeof *told);
    ASSERT(told != NULL);
    arena_init(&told->arena, JOB_CEILING);
    told->what = what;
    return told;
}

static void end_job(struct told_job *told, const struct err *err)
{
    if (err != NULL) { log_line(LOG_WARN, "agents", "an agent's report of %s can't be stored: %s", told->what, err->message); }
    arena_finish(&told->arena);
    free(told);
}

static void job_done(struct job *job) { end_job((struct told_job *)job, job->ok ? NULL : &job->err); }

static void submit_job(const struct front *front, struct told_job *told)
{
    struct err err = { 0 };
    told->job = (struct job){ .call = &told->call, .arena = &told->arena, .caller = agent_caller, .done = job_done };
    if (!writer_submit(front->writer, &told->job, &err)) { end_job(told, &err); }
}

/* ---- health of containers ---- */

static enum health_status read_health(struct str word)
{
    if (str_eq(word, STR("HEALTHY"))) { return HEALTH_STATUS_HEALTHY; }
    if (str_eq(word, STR("UNHEALTHY"))) { return HEALTH_STATUS_UNHEALTHY; }
    return HEALTH_STATUS_UNKNOWN;
}

/* The agent reports health every 20 seconds, changed or not. */
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

static bool task_has_news(const struct agent_paths *paths, struct id instance, struct str arn, const struct json *containers, struct arena *arena)
{
    struct id id;
    size_t slash = arn.len;
    while (slash > 0 && arn.ptr[slash - 1] != '/') { slash--; }
    if (!id_parse(str_slice(arn, slash, arn.len), &id)) { return false; }
    struct store_txn *txn = store_read_begin(paths->front->store);
    const struct task *task = store_task(txn, id, arena);
    const struct taskdef *taskdef = task == NULL ? NULL : store_taskdef_of(txn, task, arena);
    bool news = taskdef != NULL && id_eq(task->instance, instance) && task_is_live(task) && is_news(task, taskdef, containers);
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

static void tell_health(const struct agent_paths *paths, struct id instance, struct str cluster, const struct json *task, struct arena *arena)
{
    struct str arn = json_get_str(task, STR("taskArn"));
    const struct json *containers = json_get(task, STR("containers"));
    if (containers == NULL || containers->type != JSON_ARRAY || !task_has_news(paths, instance, arn, containers, arena)) { return; }
    struct told_job *told = begin_job("a task");
    struct buf body = buf_in(&told->arena);
    print_report(cluster, arn, containers, &body);
    struct err err = { 0 };
    if (api_prepare(paths->front->api, &agent_caller, STR("SubmitTaskStateChange"), buf_str(&body), &told->arena, &told->call, &err)) {
        submit_job(paths->front, told);
    } else {
        end_job(told, &err);
    }
}

static void take_health(const struct agent_paths *paths, struct id instance, const struct json *message, struct arena *arena)
{
    struct str cluster = json_get_str(json_get(message, STR("metadata")), STR("cluster"));
    const struct json *tasks = json_get(message, STR("tasks"));
    for (size_t t = 0; tasks != NULL && tasks->type == JSON_ARRAY && t < tasks->count; t++) {
        tell_health(paths, instance, cluster, &tasks->as.items[t], arena);
    }
}

/* ---- the machine ---- */

static void tell_machine(const struct front *front, const struct instance *instance, struct machine_report report)
{
    report.instance = instance->id;
    if (!api_machine_report_is_news(instance, &report, clock_now_ms())) { return; }
    struct told_job *told = begin_job("a machine");
    if (report.version != NULL) {
        struct version_info *version = arena_copy(&told->arena, report.version, sizeof *report.version);
        version->agent_version = arena_str(&told->arena, version->agent_version);
        version->agent_hash = arena_str(&told->arena, version->agent_hash);
        version->docker_version = arena_str(&told->arena, version->docker_version);
        report.version = version;
    }
    api_prepare_machine_report(&report, &told->arena, &told->call);
    submit_job(front, told);
}

/* The state of its Docker, which is all that the agent looks at. It reports every 20 seconds. */
static void take_status(const struct agent_paths *paths, struct id instance, const struct json *message, struct arena *arena)
{
    const struct json *statuses = json_get(message, STR("statuses")), *metadata = json_get(message, STR("metadata"));
    struct machine_report report = { .docker = INSTANCE_HEALTH_CHECK_STATE_UNSET };
    for (size_t s = 0; statuses != NULL && statuses->type == JSON_ARRAY && s < statuses->count; s++) {
        const struct json *status = &statuses->as.items[s];
        int state = enum_value(&instance_health_check_state_names, json_get_str(status, STR("status")));
        if (str_eq(json_get_str(status, STR("type")), STR("ContainerRuntime"))) { report.docker = (enum instance_health_check_state)state; }
    }
    struct err err = { 0 };
    struct str cluster;
    const struct instance *found = agents_find_instance(paths->front, json_get_str(metadata, STR("cluster")),
                                                        json_get_str(metadata, STR("containerInstance")), &cluster, arena, &err);
    if (found != NULL && id_eq(found->id, instance)) {
        tell_machine(paths->front, found, report);
    } else {
        log_line(LOG_DEBUG, "agents", "the health of a machine is ignored: %s", err.message);
    }
}

/* The agent sends its versions in the address of this call only. */
void telemetry_take_version(const struct front *front, const struct http_request *request)
{
    enum { WORD_MAX = 128 };
    const struct version_info version = {
        .agent_version = str_slice(http_parameter(request, STR("agentVersion")), 0, WORD_MAX),
        .agent_hash = str_slice(http_parameter(request, STR("agentHash")), 0, WORD_MAX),
        .docker_version = str_slice(http_parameter(request, STR("dockerVersion")), 0, WORD_MAX),
    };
    struct err err = { 0 };
    struct str cluster;
    const struct instance *instance = agents_find_instance(front, http_parameter(request, STR("clusterArn")),
                                                           http_parameter(request, STR("containerInstanceArn")), &cluster, request->arena, &err);
    if (instance != NULL && version.agent_version.len > 0) { tell_machine(front, instance, (struct machine_report){ .version = &version }); }
}

/* ---- frames ---- */

static const struct {
    struct str type, answer;
    void (*take)(const struct agent_paths *paths, struct id instance, const struct json *message, struct arena *arena);
} types[] = {
    { STR_INIT("PublishMetricsRequest"), STR_INIT("{\"type\":\"AckPublishMetric\",\"message\":{\"message\":\"ok\"}}"), agent_samples_take },
    { STR_INIT("PublishHealthRequest"), STR_INIT("{\"type\":\"AckPublishHealth\",\"message\":{\"message\":\"ok\"}}"), take_health },
    { STR_INIT("PublishInstanceStatusRequest"), STR_INIT("{\"type\":\"AckPublishInstanceStatus\",\"message\":{\"message\":\"ok\"}}"), take_status },
};

/* The agent sends a block of headers before its JSON, as if each message were a request. The upgrade was signed, so these signatures are not
 * checked. */
static struct str skip_headers(struct str frame)
{
    const char *end = memmem(frame.ptr, frame.len, "\r\n\r\n", 4);
    bool bare = str_starts_with(frame, STR("{"));
    return bare || end == NULL ? frame : str_slice(frame, (size_t)(end - frame.ptr) + 4, frame.len);
}

struct str telemetry_take(const struct agent_paths *paths, struct id instance, struct str frame, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *envelope = json_parse(skip_headers(frame), arena, &err);
    struct str type = json_get_str(envelope, STR("type"));
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        if (!str_eq(type, types[t].type)) { continue; }
        types[t].take(paths, instance, json_get(envelope, STR("message")), arena);
        return types[t].answer;
    }
    log_line(LOG_WARN, "agents", "a telemetry message was ignored: type=" STR_FMT " %s", STR_ARG(str_slice(type, 0, 64)), err.message);
    return (struct str){ NULL, 0 };
}
