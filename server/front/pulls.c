/* pulls.c: which images machines pull now.
 *
 * POST /berth/v1/agent/pulls                   an agent's report, struct pull_report in wire/wire.h
 * GET  /berth/v1/pulls                         the shape stands in api/tell/pulls.c */
#include "base/clock.h"
#include "server/room.h"

void agent_pulls_handle(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    struct err err = { 0 };
    struct pull_report report;
    struct api_config config;
    struct id instance;
    const struct json *json = json_parse(request->body, request->arena, &err);
    bool good = json != NULL && schema_decode(&pull_report_schema, json, &report, request->arena, ERR_INVALID_PARAMETER, &err);
    if (good) {
        struct op_ctx ctx = read_context(server, request, caller, &config);
        good = api_read_pull_report(&ctx, &report, &instance, &err);
        if (!store_read_end(ctx.txn)) { answer_unreadable(server, answer); return; }
    }
    if (good && pulls_put(server->pulls, instance, &report.pulls, clock_monotonic_ms(), &err)) {
        buf_put(&answer->body, STR("{}"));
        answer_json(server, answer);
    } else {
        answer_refusal(server, answer, &err);
    }
}

void pulls_handle(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    struct api_config config;
    struct op_ctx ctx = read_context(server, request, caller, &config);
    struct image_pull_list pulls = pulls_list(server->pulls, clock_monotonic_ms(), request->arena);
    answer->headers = live_headers;
    api_print_pulls(&ctx, &pulls, &answer->body);
    if (store_read_end(ctx.txn)) { answer_json(server, answer); } else { answer_unreadable(server, answer); }
}
