/* whatif.c: questions that change nothing. They go through the writer, which has the world, like a write; nothing is committed.
 *
 * POST /berth/v1/whatif                        RunTask's own input; what that would do now
 * POST /berth/v1/whatif/service                UpdateService's own input; whether the new tasks would have room now
 * GET  /berth/v1/whatif/drain?cluster=&instance=          an id, an ARN or a machine's name: what would become of its tasks if it were DRAINING
 * GET  /berth/v1/why?cluster=&taskDefinition=&count=      the same for a plain RunTask
 * GET  /berth/v1/why?task=                     an id or an ARN: why it is where it is, or why it has stopped
 * GET  /berth/v1/why?task=last                 the last RunTask as of now, when not all of its tasks could start; otherwise the task that
 *                                              was made last
 * GET  /berth/v1/why?service=&cluster=         a name or an ARN: why the service is as it is
 * GET  /berth/v1/why?provider=                 a name or an ARN: why a capacity provider has as many machines as it has
 * GET  /berth/v1/headroom?cluster=             how much more would fit
 * GET  /berth/v1/queue?cluster=                the tasks that wait for room; without a cluster, of all
 * GET  /status.txt                             the state in plain text, for a terminal: api/show/status.c
 *
 * api/show/queue.c, api/show/what_if.c, api/show/what_if_drain.c, api/show/why.c, api/show/headroom.c, api/services/what_if.c, api/services/why.c and
 * api/capacity/why.c have the shapes of the answers. */
#include "server/paths/whatif.h"

#include "base/clock.h"
#include "server/front/answers.h"

static bool run_what_if(const struct whatif_paths *paths, struct http_request *request, struct str body, const struct caller *caller,
                        struct api_call *call, struct err *err)
{
    struct job job = { .call = call, .arena = request->arena, .caller = *caller };
    return api_prepare_what_if(paths->front->api, body, request->arena, call, err) && writer_run(paths->front->writer, &job, err);
}

static void answer_what_if(const struct whatif_paths *paths, struct http_request *request, struct http_answer *answer, struct str body,
                           const struct caller *caller)
{
    struct err err = { 0 };
    struct api_call call;
    struct api_config config;
    if (!run_what_if(paths, request, body, caller, &call, &err)) {
        answer_refusal(paths->front, answer, &err);
        return;
    }
    struct op_ctx ctx = front_read(paths->front, request, caller, &config);
    api_print_what_if(&ctx, &call, &answer->body);
    if (store_read_end(ctx.txn)) { answer_json(paths->front, answer); } else { answer_unreadable(paths->front, answer); }
}

void what_if_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct whatif_paths *paths = context;
    answer_what_if(paths, request, answer, request->body, caller);
}

void what_if_update_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct whatif_paths *paths = context;
    struct err err = { 0 };
    struct api_call call;
    struct job job = { .call = &call, .arena = request->arena, .caller = *caller };
    if (api_prepare_what_if_update(paths->front->api, request->body, request->arena, &call, &err) && writer_run(paths->front->writer, &job, &err)) {
        buf_put(&answer->body, api_what_if_update(&call));
        answer_json(paths->front, answer);
    } else {
        answer_refusal(paths->front, answer, &err);
    }
}

/* A name is looked up here, so that the writing thread walks over no machines. */
static bool drain_body(const struct whatif_paths *paths, struct http_request *request, const struct caller *caller, struct buf *body, struct err *err)
{
    struct str cluster = query_parameter(request, STR("cluster")), instance = query_parameter(request, STR("instance"));
    struct api_config config;
    struct id id = { 0 };
    char hex[ID_HEX_LEN + 1];
    if (!str_is_set(instance)) { return err_set(err, ERR_INVALID_PARAMETER, "Say which machine: ?instance=<id, ARN or name>."); }
    struct op_ctx ctx = front_read(paths->front, request, caller, &config);
    bool found = api_find_machine(&ctx, cluster, instance, &id, err);
    if (!store_read_end(ctx.txn)) { return err_set(err, ERR_SERVER, "The store can't be read."); }
    if (!found) { return false; }
    id_hex(id, hex);
    struct json_out json = json_out_to(body);
    json_open(&json, '{');
    json_name(&json, STR("instance"));
    json_str(&json, str_from(hex));
    if (str_is_set(cluster)) {
        json_name(&json, STR("cluster"));
        json_str(&json, cluster);
    }
    json_close(&json, '}');
    return true;
}

void what_if_drain_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct whatif_paths *paths = context;
    struct err err = { 0 };
    struct api_call call;
    struct job job = { .call = &call, .arena = request->arena, .caller = *caller };
    struct buf body = buf_in(request->arena);
    if (drain_body(paths, request, caller, &body, &err) && api_prepare_what_if_drain(paths->front->api, buf_str(&body), request->arena, &call, &err)
        && writer_run(paths->front->writer, &job, &err)) {
        buf_put(&answer->body, api_what_if_drain(&call));
        answer_json(paths->front, answer);
    } else {
        answer_refusal(paths->front, answer, &err);
    }
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

static void answer_why_task(const struct whatif_paths *paths, struct http_request *request, struct http_answer *answer, struct str text,
                            const struct caller *caller)
{
    struct err err = { 0 };
    struct api_config config;
    struct id task;
    bool last = str_eq(text, STR("last"));
    if (!last && !read_task(text, &task, &err)) {
        answer_refusal(paths->front, answer, &err);
        return;
    }
    struct op_ctx ctx = front_read(paths->front, request, caller, &config);
    struct image_pull_list pulls = pulls_list(paths->pulls, clock_monotonic_ms(), request->arena);
    bool found = (!last || store_last_task(ctx.txn, &task)) && api_print_why(&ctx, task, &pulls, &answer->body);
    if (!store_read_end(ctx.txn)) {
        answer_unreadable(paths->front, answer);
    } else if (!found) {
        (void)err_set(&err, ERR_RESOURCE_NOT_FOUND, "Nobody knows this task: there was none, or it stopped too long ago.");
        answer_refusal(paths->front, answer, &err);
    } else {
        answer_json(paths->front, answer);
    }
}

static void answer_why_service(const struct whatif_paths *paths, struct http_request *request, struct http_answer *answer, struct str service,
                               const struct caller *caller)
{
    struct err err = { 0 };
    struct api_call call;
    struct buf body = buf_in(request->arena);
    struct json_out json = json_out_to(&body);
    struct str cluster = query_parameter(request, STR("cluster"));
    json_open(&json, '{');
    json_name(&json, STR("service"));
    json_str(&json, service);
    if (str_is_set(cluster)) {
        json_name(&json, STR("cluster"));
        json_str(&json, cluster);
    }
    json_close(&json, '}');
    struct job job = { .call = &call, .arena = request->arena, .caller = *caller };
    if (api_prepare_why_service(paths->front->api, buf_str(&body), request->arena, &call, &err) && writer_run(paths->front->writer, &job, &err)) {
        buf_put(&answer->body, api_why_service(&call));
        answer_json(paths->front, answer);
    } else {
        answer_refusal(paths->front, answer, &err);
    }
}

static void answer_why_provider(const struct whatif_paths *paths, struct http_request *request, struct http_answer *answer, struct str provider,
                                const struct caller *caller)
{
    struct err err = { 0 };
    struct api_call call;
    struct job job = { .call = &call, .arena = request->arena, .caller = *caller };
    struct buf body = buf_in(request->arena);
    struct json_out json = json_out_to(&body);
    json_open(&json, '{');
    json_name(&json, STR("provider"));
    json_str(&json, provider);
    json_close(&json, '}');
    if (api_prepare_why_provider(paths->front->api, buf_str(&body), request->arena, &call, &err) && writer_run(paths->front->writer, &job, &err)) {
        buf_put(&answer->body, api_why_provider(&call));
        answer_json(paths->front, answer);
    } else {
        answer_refusal(paths->front, answer, &err);
    }
}

void why_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct whatif_paths *paths = context;
    struct err err = { 0 };
    struct buf body = buf_in(request->arena);
    struct str task = query_parameter(request, STR("task")), service = query_parameter(request, STR("service"));
    struct str provider = query_parameter(request, STR("provider"));
    struct str left_out = str_eq(task, STR("last")) ? last_run_body(paths->last_run, request->arena) : (struct str){ 0 };
    if (str_is_set(left_out)) {
        answer_what_if(paths, request, answer, left_out, caller);
    } else if (str_is_set(service)) {
        answer_why_service(paths, request, answer, service, caller);
    } else if (str_is_set(provider)) {
        answer_why_provider(paths, request, answer, provider, caller);
    } else if (str_is_set(task)) {
        answer_why_task(paths, request, answer, task, caller);
    } else if (read_plain(request, &body, &err)) {
        answer_what_if(paths, request, answer, buf_str(&body), caller);
    } else {
        answer_refusal(paths->front, answer, &err);
    }
}

/* ---- the queue ---- */

/* The queue as JSON, of one cluster, or, if its name is absent, of all. */
static bool read_queue(const struct whatif_paths *paths, struct http_request *request, const struct caller *caller, struct str cluster, struct str *text,
                       struct err *err)
{
    struct api_call call;
    struct job job = { .call = &call, .arena = request->arena, .caller = *caller };
    struct buf body = buf_in(request->arena);
    struct json_out json = json_out_to(&body);
    json_open(&json, '{');
    if (str_is_set(cluster)) {
        json_key(&json, STR("cluster"));
        json_str(&json, cluster);
    }
    json_close(&json, '}');
    if (!api_prepare_queue(paths->front->api, buf_str(&body), request->arena, &call, err) || !writer_run(paths->front->writer, &job, err)) { return false; }
    *text = api_queue_text(&call);
    return true;
}

void queue_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct whatif_paths *paths = context;
    struct err err = { 0 };
    struct str text;
    if (read_queue(paths, request, caller, query_parameter(request, STR("cluster")), &text, &err)) {
        buf_put(&answer->body, text);
        answer_json(paths->front, answer);
    } else {
        answer_refusal(paths->front, answer, &err);
    }
}

/* ---- all of it, for a terminal ---- */

void status_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct whatif_paths *paths = context;
    struct err err = { 0 };
    struct str queue;
    struct api_config config;
    struct buf fits = buf_in(request->arena);
    if (!read_queue(paths, request, caller, (struct str){ NULL, 0 }, &queue, &err)) {
        answer_refusal(paths->front, answer, &err);
        return;
    }
    headroom_print_text(paths->headroom, &fits);
    struct op_ctx ctx = front_read(paths->front, request, caller, &config);
    api_print_status(&ctx, queue, buf_str(&fits), &answer->body);
    if (!store_read_end(ctx.txn)) {
        answer_unreadable(paths->front, answer);
        return;
    }
    metrics_count(paths->front->metrics, NULL, ERR_NONE);
    answer->headers = live_headers;
    answer->type = STR("text/plain; charset=utf-8");
}

/* ---- headroom ---- */

void headroom_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct whatif_paths *paths = context;
    struct err err = { 0 };
    (void)caller;
    if (headroom_print(paths->headroom, query_parameter(request, STR("cluster")), &answer->body, &err)) {
        answer_json(paths->front, answer);
    } else {
        answer_refusal(paths->front, answer, &err);
    }
}
