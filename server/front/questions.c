/* questions.c: questions that change nothing, asked where the world is: through the writer, like a write, but nothing is committed.
 *
 * POST /berth/v1/whatif                        RunTask's own input; what that would do now
 * GET  /berth/v1/why?cluster=&taskDefinition=&count=      the same for a plain RunTask
 * GET  /berth/v1/why?task=                     an id or an ARN: why it is where it is, or is no more
 * GET  /berth/v1/why?task=last                 what the last RunTask would do now, when not all of its tasks could start; else, the task
 *                                              that was made last
 * GET  /berth/v1/headroom?cluster=             how much more would fit
 *
 * The shapes of the answers stand in api/show/what_if.c, api/show/why.c and api/show/headroom.c. */
#include "base/clock.h"
#include "server/room.h"

static bool run_what_if(struct server *server, struct http_request *request, struct str body, const struct caller *caller,
                        struct api_call *call, struct err *err)
{
    struct job job = { .call = call, .arena = request->arena, .caller = *caller };
    return api_prepare_what_if(&server->api, body, request->arena, call, err) && writer_run(server->writer, &job, err);
}

static void answer_what_if(struct server *server, struct http_request *request, struct http_answer *answer, struct str body,
                           const struct caller *caller)
{
    struct err err = { 0 };
    struct api_call call;
    struct api_config config;
    if (!run_what_if(server, request, body, caller, &call, &err)) {
        answer_refusal(server, answer, &err);
        return;
    }
    struct op_ctx ctx = read_context(server, request, caller, &config);
    api_print_what_if(&ctx, &call, &answer->body);
    if (store_read_end(ctx.txn)) { answer_json(server, answer); } else { answer_unreadable(server, answer); }
}

void what_if_handle(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    answer_what_if(server, request, answer, request->body, caller);
}

/* ---- why ---- */

/* RunTask's input from the query. */
static bool read_plain(const struct http_request *request, struct buf *body, struct err *err)
{
    struct str cluster = query_parameter(request, STR("cluster")), taskdef = query_parameter(request, STR("taskDefinition"));
    struct str count = query_parameter(request, STR("count"));
    int64_t number = 1;
    if (!str_is_set(taskdef)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Say what: ?task=<id or ARN> or ?taskDefinition=<family or family:revision>.");
    }
    if (str_is_set(count) && !str_to_i64(count, &number)) {
        return err_set(err, ERR_INVALID_PARAMETER, "count can't be \"" STR_FMT "\": it should be a number.", STR_ARG(str_slice(count, 0, 64)));
    }
    struct json_out json = json_out_to(body);
    json_open(&json, '{');
    if (str_is_set(cluster)) {
        json_key(&json, STR("cluster"));
        json_str(&json, cluster);
    }
    json_key(&json, STR("taskDefinition"));
    json_str(&json, taskdef);
    json_key(&json, STR("count"));
    json_i64(&json, number);
    json_close(&json, '}');
    return true;
}

static bool read_task(struct str text, struct id *task, struct err *err)
{
    size_t slash = text.len;
    while (slash > 0 && text.ptr[slash - 1] != '/') { slash--; }
    if (id_parse(str_slice(text, slash, text.len), task)) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "\"" STR_FMT "\" is no task: it should be an id, an ARN or \"last\".", STR_ARG(str_slice(text, 0, 128)));
}

static void answer_why_task(struct server *server, struct http_request *request, struct http_answer *answer, struct str text,
                            const struct caller *caller)
{
    struct err err = { 0 };
    struct api_config config;
    struct id task;
    bool last = str_eq(text, STR("last"));
    if (!last && !read_task(text, &task, &err)) {
        answer_refusal(server, answer, &err);
        return;
    }
    struct op_ctx ctx = read_context(server, request, caller, &config);
    struct image_pull_list pulls = pulls_list(server->pulls, clock_monotonic_ms(), request->arena);
    bool found = (!last || store_last_task(ctx.txn, &task)) && api_print_why(&ctx, task, &pulls, &answer->body);
    if (!store_read_end(ctx.txn)) {
        answer_unreadable(server, answer);
    } else if (!found) {
        (void)err_set(&err, ERR_RESOURCE_NOT_FOUND, "Nobody knows this task: there was none, or it stopped too long ago.");
        answer_refusal(server, answer, &err);
    } else {
        answer_json(server, answer);
    }
}

void why_handle(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    struct err err = { 0 };
    struct buf body = buf_in(request->arena);
    struct str task = query_parameter(request, STR("task"));
    struct str left_out = str_eq(task, STR("last")) ? last_run_body(server->last_run, request->arena) : (struct str){ 0 };
    if (str_is_set(left_out)) {
        answer_what_if(server, request, answer, left_out, caller);
    } else if (str_is_set(task)) {
        answer_why_task(server, request, answer, task, caller);
    } else if (read_plain(request, &body, &err)) {
        answer_what_if(server, request, answer, buf_str(&body), caller);
    } else {
        answer_refusal(server, answer, &err);
    }
}

/* ---- headroom ---- */

void headroom_handle(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    struct err err = { 0 };
    (void)caller;
    if (headroom_print(server->headroom, query_parameter(request, STR("cluster")), &answer->body, &err)) {
        answer_json(server, answer);
    } else {
        answer_refusal(server, answer, &err);
    }
}
