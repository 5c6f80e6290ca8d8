/* agents.c: polls, reports and output of tasks, from Berth's agents. */
#include "server/paths/agents.h"

#include "api/tell/log_names.h"
#include "base/log.h"
#include "server/front/access.h"
#include "server/front/answers.h"
#include "server/front/audit.h"
#include "server/logs/groups.h"

const struct instance *agents_find_instance(const struct front *front, struct str cluster_reference, struct str instance_reference,
                                            struct str *cluster, struct arena *arena, struct err *err)
{
    const struct names *names = &front->api->names;
    struct id id;
    bool read = names_read_cluster(names, cluster_reference, cluster, err)
        && names_read_id(names, instance_reference, STR("container-instance"), *cluster, &id, err);
    if (!read) { return NULL; }
    struct store_txn *txn = store_read_begin(front->store);
    const struct instance *instance = store_instance(txn, id, arena);
    if (!store_read_end(txn)) {
        err_set(err, ERR_SERVER, "The store can't be read.");
        return NULL;
    }
    if (instance != NULL && instance->status != INSTANCE_INACTIVE) { return instance; }
    err_set(err, ERR_INVALID_PARAMETER, "The referenced container instance was not found.");
    return NULL;
}

static bool decode(const struct http_request *request, const struct schema *schema, void *out, struct err *err)
{
    const struct json *json = json_parse(request->body, request->arena, err);
    return json != NULL && schema_decode(schema, json, out, request->arena, ERR_INVALID_PARAMETER, err);
}

static void finish(const struct agent_paths *paths, struct http_answer *answer, bool good, const struct err *err)
{
    metrics_count(paths->front->metrics, NULL, err->code);
    if (!good) {
        answer_error(answer, err);
        answer->close = err->code == ERR_UNAVAILABLE;     /* too many agents: others need the thread */
        return;
    }
    answer->status = 200;
    answer->type = STR("application/x-amz-json-1.1");
}

void agent_poll_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct agent_paths *paths = context;
    struct err err = { 0 };
    struct poll_request poll;
    bool good = decode(request, &poll_request_schema, &poll, &err)
        && sessions_poll(paths->sessions, &poll, caller, request->arena, &answer->body, &err);
    finish(paths, answer, good, &err);
}

/* Each report of a call is counted, and written to the audit, as a call of this operation. */
static const struct str report_name = STR_INIT("SubmitTaskStateChange");

static void print_reports(const struct http_request *request, const struct caller *caller, const struct api_call *call, struct metrics *metrics,
                          struct buf *out)
{
    const struct operation *operation = api_operation(report_name);
    static const struct err no_err = { 0 };
    size_t count;
    const struct err *const *refusals = api_report_refusals(call, &count);
    struct json_out json = json_out_to(out);
    json_open(&json, '{');
    json_key(&json, STR("answers"));
    json_open(&json, '[');
    for (size_t r = 0; r < count; r++) {
        metrics_count(metrics, operation, refusals[r] == NULL ? ERR_NONE : refusals[r]->code);
        audit_report(request, caller, report_name, api_report_task(call, r), refusals[r] == NULL ? &no_err : refusals[r]);
        if (refusals[r] == NULL) {
            json_raw(&json, STR("{\"acknowledgment\":\"ACK\"}"));
        } else {
            answer_print_error(&json, &ecs_service, refusals[r]);
        }
    }
    json_close(&json, ']');
    json_close(&json, '}');
}

void agent_reports_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct agent_paths *paths = context;
    struct err err = { 0 };
    struct api_call call;
    struct job job = { .call = &call, .arena = request->arena, .caller = *caller };
    bool good = api_prepare_reports(request->body, request->arena, &call, &err) && writer_run(paths->front->writer, &job, &err);
    if (good) { print_reports(request, caller, &call, paths->front->metrics, &answer->body); }
    finish(paths, answer, good, &err);
}

/* Called with the first bytes of a container's log. A log without a name is better than no log. */
static void name_stream(const struct agent_paths *paths, struct http_request *request, const struct task_definition *def, struct id task,
                        struct str container)
{
    struct err err = { 0 };
    struct log_names names = log_names_of(def, container, task, request->arena);
    const struct log_stream stream = { names.stream, task, container, request->now_ms };
    if (!log_groups_add(logs_groups(paths->logs), names.group, &stream, &err)) {
        log_line(LOG_WARN, "logs", "a log has no name in group " STR_FMT ": %s", STR_ARG(names.group), err.message);
    }
}

/* Only tasks that exist have logs: otherwise anyone with an agent's key could fill the disk under made-up names. */
static bool find_task(const struct agent_paths *paths, struct http_request *request, const struct caller *caller, const struct log_chunk *chunk, struct id *id,
                      struct err *err)
{
    struct str cluster;
    const struct names *names = &paths->front->api->names;
    bool read = names_read_cluster(names, chunk->cluster, &cluster, err) && names_read_id(names, chunk->task, STR("task"), cluster, id, err);
    if (!read) { return false; }
    if (!names_is_valid(chunk->container) || chunk->container.len > LOGS_NAME_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "The container's name is not valid.");
    }
    struct store_txn *txn = store_read_begin(paths->front->store);
    const struct task *task = store_task(txn, *id, request->arena);
    bool fresh = task != NULL && !logs_exists(paths->logs, *id, chunk->container);
    const struct taskdef *taskdef = fresh ? store_taskdef_of(txn, task, request->arena) : NULL;
    if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The store can't be read."); }
    if (task == NULL) { return err_set(err, ERR_INVALID_PARAMETER, "The referenced task was not found."); }
    if (!access_check_binding(paths->front, request, caller, task->instance, err)) { return false; }
    if (taskdef != NULL) { name_stream(paths, request, &taskdef->def, *id, chunk->container); }
    return true;
}

static bool append_chunk(const struct agent_paths *paths, struct http_request *request, struct id task, const struct log_chunk *chunk,
                         struct log_taken *taken, struct err *err)
{
    int64_t missing = -1;
    struct log_mark *marks = ARENA_NEW(request->arena, struct log_mark, chunk->times.count);
    for (size_t t = 0; t < chunk->times.count; t++) {
        marks[t] = (struct log_mark){ .offset = chunk->times.items[t].at.value, .time_ms = chunk->times.items[t].ms.value };
    }
    const struct log_piece piece = {
        .text = chunk->text, .offset = chunk->offset.set ? chunk->offset.value : -1, .marks = marks, .mark_count = chunk->times.count,
        .now_ms = request->now_ms,
    };
    if (!logs_append(paths->logs, task, chunk->container, &piece, chunk->resends == OPT_TRUE ? &missing : NULL, err)) { return false; }
    if (missing >= 0) { taken->from = opt_int_of(missing); }
    return true;
}

void agent_logs_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct agent_paths *paths = context;
    struct err err = { 0 };
    struct log_chunk chunk;
    struct log_taken taken = { .from = { 0 } };
    struct id task;
    bool good = decode(request, &log_chunk_schema, &chunk, &err)
        && find_task(paths, request, caller, &chunk, &task, &err)
        && append_chunk(paths, request, task, &chunk, &taken, &err);
    if (good) {
        struct json_out json = json_out_to(&answer->body);
        schema_print(&log_taken_schema, &taken, &json);
    }
    finish(paths, answer, good, &err);
}
