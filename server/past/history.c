/* history.c: tasks that have stopped.
 *
 * GET /berth/v1/history?cluster=&family=&startedBy=&since=&until=&limit=&nextToken= is a page of it;
 * api/show/history.c has the shape. since and until are milliseconds since 1970, or a time before now such as 24h; limit is 1 to 100.
 *
 * GET /berth/v1/usage?by=&since=&until=&cluster= is the hours of GPUs; api/show/usage.c has the shape. by is family if it is absent, since 7d, until now.
 *
 * GET /berth/v1/history/<task id> is one task and the end of its logs, or 404:
 * {"task":{…as in the list…},
 *  "logs":[{"container":"main","earlierBytes":1234,"text":"…"}]}              at most LOGS_END_MAX bytes each, whole lines */
#include "server/paths/viewers.h"

#include "server/front/answers.h"

enum { PAGE_MAX = 100 };
static const struct str one_path = STR_INIT("/berth/v1/history/");

/* ---- the query ---- */

static bool read_limit(const struct http_request *request, size_t *limit, struct err *err)
{
    struct str text = query_parameter(request, STR("limit"));
    int64_t number = PAGE_MAX;
    if (str_is_set(text) && (!str_to_i64(text, &number) || number < 1 || number > PAGE_MAX)) {
        return err_set(err, ERR_INVALID_PARAMETER, "limit can't be \"" STR_FMT "\": it should be a number from 1 to %d.",
                       STR_ARG(str_slice(text, 0, 64)), PAGE_MAX);
    }
    *limit = (size_t)number;
    return true;
}

static bool read_query(const struct http_request *request, struct history_query *query, struct err *err)
{
    *query = (struct history_query){
        .cluster = query_parameter(request, STR("cluster")), .family = query_parameter(request, STR("family")),
        .started_by = query_parameter(request, STR("startedBy")), .next_token = query_parameter(request, STR("nextToken")),
    };
    return query_moment(request, STR("since"), &query->since_ms, err) && query_moment(request, STR("until"), &query->until_ms, err)
        && read_limit(request, &query->limit, err);
}

void history_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct viewer_paths *paths = context;
    struct err err = { 0 };
    struct history_query query;
    struct api_config config;
    if (!read_query(request, &query, &err)) {
        answer_refusal(paths->front, answer, &err);
        return;
    }
    struct op_ctx ctx = front_read(paths->front, request, caller, &config);
    bool good = api_print_history(&ctx, &query, &answer->body, &err);
    if (!store_read_end(ctx.txn)) {
        answer_unreadable(paths->front, answer);
    } else if (!good) {
        answer_refusal(paths->front, answer, &err);
    } else {
        answer_json(paths->front, answer);
    }
}

/* ---- hours of GPUs ---- */

/* It may read a long history: one at a time, so that few threads and no more memory is taken. */
static atomic_flag adding_up = ATOMIC_FLAG_INIT;

static bool print_usage(const struct viewer_paths *paths, struct http_request *request, const struct caller *caller, struct buf *out, struct err *err)
{
    static const int64_t week_ms = (int64_t)7 * 24 * 3600 * 1000;
    struct api_config config;
    struct usage_query query = {
        .by = query_parameter(request, STR("by")), .cluster = query_parameter(request, STR("cluster")), .since_ms = request->now_ms - week_ms,
        .until_ms = request->now_ms,
    };
    if (!str_is_set(query.by)) { query.by = STR("family"); }
    if (!query_moment(request, STR("since"), &query.since_ms, err) || !query_moment(request, STR("until"), &query.until_ms, err)) { return false; }
    if (atomic_flag_test_and_set(&adding_up)) { return err_set(err, ERR_UNAVAILABLE, "Hours are added up for another reader; try again in a moment."); }
    struct op_ctx ctx = front_read(paths->front, request, caller, &config);
    bool good = api_print_usage(&ctx, &query, out, err);
    bool sound = store_read_end(ctx.txn);
    atomic_flag_clear(&adding_up);
    return sound ? good : err_set(err, ERR_SERVER, "The store can't be read.");
}

void usage_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct viewer_paths *paths = context;
    struct err err = { 0 };
    struct buf text = buf_in(request->arena);
    if (print_usage(paths, request, caller, &text, &err)) {
        buf_put(&answer->body, buf_str(&text));
        answer_json(paths->front, answer);
    } else {
        answer_refusal(paths->front, answer, &err);
    }
}

/* ---- one task ---- */

static void put_logs(const struct viewer_paths *paths, struct id task, struct arena *arena, struct json_out *out)
{
    struct str *names = ARENA_NEW(arena, struct str, LOGS_CONTAINERS_MAX);
    size_t count = logs_containers(paths->logs, task, names, LOGS_CONTAINERS_MAX, arena);
    json_key(out, STR("logs"));
    json_open(out, '[');
    for (size_t n = 0; n < count; n++) {
        struct buf text = buf_in(arena);
        int64_t before = 0;
        if (!logs_read_end(paths->logs, task, names[n], LOGS_END_MAX, &before, &text)) { continue; }
        json_open(out, '{');
        json_key(out, STR("container"));
        json_str(out, names[n]);
        json_key(out, STR("earlierBytes"));
        json_i64(out, before);
        json_key(out, STR("text"));
        json_str(out, buf_str(&text));
        json_close(out, '}');
    }
    json_close(out, ']');
}

void history_task_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct viewer_paths *paths = context;
    struct err err = { 0 };
    struct api_config config;
    struct id id;
    struct buf task = buf_in(request->arena);
    ASSERT(str_starts_with(request->path, one_path));     /* routes.c has found this handler by it */
    if (!id_parse(str_slice(request->path, one_path.len, request->path.len), &id)) {
        (void)err_set(&err, ERR_INVALID_PARAMETER, "Say which task: /berth/v1/history/<task id>.");
        answer_refusal(paths->front, answer, &err);
        return;
    }
    struct op_ctx ctx = front_read(paths->front, request, caller, &config);
    bool found = api_print_history_task(&ctx, id, &task);
    if (!store_read_end(ctx.txn)) {
        answer_unreadable(paths->front, answer);
    } else if (!found) {
        (void)err_set(&err, ERR_RESOURCE_NOT_FOUND, "The history does not know this task: it has not stopped yet, or too long ago.");
        answer_refusal(paths->front, answer, &err);
    } else {
        struct json_out out = json_out_to(&answer->body);
        json_open(&out, '{');
        json_key(&out, STR("task"));
        json_raw(&out, buf_str(&task));
        put_logs(paths, id, request->arena, &out);
        json_close(&out, '}');
        answer_json(paths->front, answer);
    }
}
