/* pulls.c: the images that machines pull now.
 *
 * POST /berth/v1/agent/pulls                   an agent's report, struct pull_report in wire/wire.h
 * GET  /berth/v1/pulls                         api/tell/pulls.c has the shape */
#include "server/paths/figures.h"

#include "base/clock.h"
#include "server/front/answers.h"

void agent_pulls_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct figure_paths *paths = context;
    struct err err = { 0 };
    struct pull_report report;
    struct api_config config;
    struct id instance;
    const struct json *json = json_parse(request->body, request->arena, &err);
    bool good = json != NULL && schema_decode(&pull_report_schema, json, &report, request->arena, ERR_INVALID_PARAMETER, &err);
    if (good) {
        struct op_ctx ctx = front_read(paths->front, request, caller, &config);
        good = api_find_reporter(&ctx, report.cluster, report.container_instance, &instance, &err);
        if (!store_read_end(ctx.txn)) { answer_unreadable(paths->front, answer); return; }
    }
    if (good && pulls_put(paths->pulls, instance, &report.pulls, clock_monotonic_ms(), &err)) {
        buf_put(&answer->body, STR("{}"));
        answer_json(paths->front, answer);
    } else {
        answer_refusal(paths->front, answer, &err);
    }
}

void pulls_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct figure_paths *paths = context;
    struct api_config config;
    struct op_ctx ctx = front_read(paths->front, request, caller, &config);
    struct image_pull_list pulls = pulls_list(paths->pulls, clock_monotonic_ms(), request->arena);
    answer->headers = live_headers;
    api_print_pulls(&ctx, &pulls, &answer->body);
    if (store_read_end(ctx.txn)) { answer_json(paths->front, answer); } else { answer_unreadable(paths->front, answer); }
}
