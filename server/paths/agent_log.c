/* agent_log.c: the last lines of an agent's own log.
 *
 * POST /berth/v1/agent/own-log                 an agent's report, struct own_log_report in wire/wire.h
 * GET  /berth/v1/agent-log?instance=ID         the lines, as text. A lost machine's stay; an instance whose agent has told none: 404 */
#include "server/paths/figures.h"

#include "server/front/answers.h"
#include "wire/wire.h"

void agent_own_log_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct figure_paths *paths = context;
    struct err err = { 0 };
    struct own_log_report report;
    struct api_config config;
    struct id instance;
    const struct json *json = json_parse(request->body, request->arena, &err);
    bool good = json != NULL && schema_decode(&own_log_report_schema, json, &report, request->arena, ERR_INVALID_PARAMETER, &err);
    if (good) {
        struct op_ctx ctx = front_read(paths->front, request, caller, &config);
        good = api_find_reporter(&ctx, report.cluster, report.container_instance, &instance, &err);
        if (!store_read_end(ctx.txn)) { answer_unreadable(paths->front, answer); return; }
    }
    if (good) {
        agent_logs_put(paths->agent_logs, instance, report.text);
        buf_put(&answer->body, STR("{}"));
        answer_json(paths->front, answer);
    } else {
        answer_refusal(paths->front, answer, &err);
    }
}

void agent_log_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct figure_paths *paths = context;
    struct err err = { 0 };
    struct id instance;
    (void)caller;
    if (!id_parse(query_parameter(request, STR("instance")), &instance)) {
        (void)err_set(&err, ERR_INVALID_PARAMETER, "Say which container instance: ?instance=<id>.");
    } else if (!agent_logs_get(paths->agent_logs, instance, &answer->body)) {
        (void)err_set(&err, ERR_RESOURCE_NOT_FOUND, "This instance's agent has told no lines of its log: it is the ECS agent, an older one, or has "
                      "told none since the server started.");
    }
    if (err.code != ERR_NONE) {
        answer_refusal(paths->front, answer, &err);
        return;
    }
    metrics_count(paths->front->metrics, NULL, ERR_NONE);
    answer->headers = live_headers;
    answer->type = STR("text/plain; charset=utf-8");
}
