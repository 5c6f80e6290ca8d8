/* traffic.c: load balancers, endpoints and names, for the programs that carry and route requests. Each path can be watched:
 *
 * GET …?watch=REVISION    at once when its state has another revision, else when the state changes, or as it is after 20 seconds. Without `watch`: at once.
 *
 * GET /berth/v1/target-groups                         the state of all load balancers; api/traffic/feed.c has the shape
 * GET /berth/v1/services/NAME/endpoints?cluster=      where the tasks of a service are reached; api/discovery/show.c has this shape and the next one
 * GET /berth/v1/names                                 the names of all services and target groups
 * POST /berth/v1/feeds/NAME/applied                   {"revision":…,"busy":["…"],"requests":[{"group":…,"source":…,"count":…}]}: what the proxy of this
 *                                                     feed has applied, and its counters (figures/requests.h). NAME: 1 to 64 bytes. */
#include "base/clock.h"
#include "base/num.h"
#include "server/front/answers.h"
#include "server/paths/viewers.h"

enum { WATCH_MS = 20 * 1000 };
static const size_t LOOK_MAX = (size_t)256 << 20;

static struct opt_double rate_of(void *context, struct str group) { return requests_of(context, group, clock_monotonic_ms()).per_second; }

/* Gives the revision, and prints the state where `out` is not NULL. False and *err: it is refused. */
struct watcher;
typedef bool print_state(struct op_ctx *ctx, const struct watcher *watcher, int64_t *revision, struct buf *out, struct err *err);
/* pause_ms: between two looks, as long as commits come. */
struct watched { print_state *print; int64_t pause_ms; };
/* One request for a state. */
struct watcher { const struct viewer_paths *paths; const struct watched *watched; struct http_request *request; const struct caller *caller; };

static bool print_traffic(struct op_ctx *ctx, const struct watcher *watcher, int64_t *revision, struct buf *out, struct err *err)
{
    (void)err;
    *revision = store_traffic_revision(ctx->txn);
    if (out != NULL) { api_print_traffic(ctx, &(struct request_rates){ rate_of, watcher->paths->requests }, out); }
    return true;
}

static bool print_names(struct op_ctx *ctx, const struct watcher *watcher, int64_t *revision, struct buf *out, struct err *err)
{
    struct buf unread = buf_in(ctx->arena);
    (void)watcher, (void)err;
    *revision = api_print_names(ctx, out == NULL ? &unread : out);
    return true;
}

static bool print_endpoints(struct op_ctx *ctx, const struct watcher *watcher, int64_t *revision, struct buf *out, struct err *err)
{
    static const struct str stem = STR_INIT("/berth/v1/services/"), tail = STR_INIT("/endpoints");
    struct buf unread = buf_in(ctx->arena);
    struct str name = str_slice(watcher->request->path, stem.len, watcher->request->path.len);
    if (!str_ends_with(name, tail)) { return err_set(err, ERR_RESOURCE_NOT_FOUND, "The path must be /berth/v1/services/NAME/endpoints."); }
    name.len -= tail.len;
    return api_print_endpoints(ctx, query_parameter(watcher->request, STR("cluster")), name, revision, out == NULL ? &unread : out, err);
}

static const struct watched traffic = { print_traffic, 20 }, endpoints = { print_endpoints, 100 }, names = { print_names, 1000 };

/* False: the store can't be read, or *err. */
static bool look(const struct watcher *watcher, struct arena *arena, int64_t *revision, int64_t *commit, struct buf *out, struct err *err)
{
    struct api_config config;
    struct op_ctx ctx = front_read(watcher->paths->front, watcher->request, watcher->caller, &config);
    ctx.arena = arena;
    *commit = store_revision(ctx.txn);
    bool good = watcher->watched->print(&ctx, watcher, revision, out, err);
    if (good && arena_exhausted(arena)) { good = err_set(err, ERR_SERVER, "The state is too large for one answer."); }
    return store_read_end(ctx.txn) && good;
}

/* Until the state has another revision than `since`, or the time is over. */
static void wait_for_change(const struct watcher *watcher, int64_t since)
{
    struct stream *stream = watcher->paths->stream;
    int64_t end_ms = clock_monotonic_ms() + WATCH_MS, revision, commit;
    struct arena arena;
    arena_init(&arena, LOOK_MAX);
    for (;;) {
        struct err err = { 0 };
        bool good = look(watcher, &arena, &revision, &commit, NULL, &err);
        int64_t now_ms = clock_monotonic_ms();
        arena_reset(&arena);
        if (!good || revision != since || now_ms >= end_ms) { break; }
        if (stream_wait(stream, commit, now_ms + watcher->watched->pause_ms, end_ms) == STREAM_STOPPED || http_peer_left(watcher->request)) { break; }
    }
    arena_finish(&arena);
}

static void watch(const struct watcher *watcher, struct http_answer *answer)
{
    const struct front *front = watcher->paths->front;
    int64_t since, revision, commit;
    struct err err = { 0 };
    if (str_to_i64(http_parameter(watcher->request, STR("watch")), &since)) {
        if (!viewers_enter(watcher->paths->stream, &err)) {
            metrics_count(front->metrics, NULL, err.code);
            answer_error(answer, &err);
            return;
        }
        wait_for_change(watcher, since);
        stream_leave(watcher->paths->stream);
    }
    bool good = look(watcher, watcher->request->arena, &revision, &commit, &answer->body, &err);
    if (err.code != ERR_NONE) {
        answer_refusal(front, answer, &err);
    } else if (!good) {
        answer_unreadable(front, answer);
    } else {
        answer->headers = live_headers;
        answer_json(front, answer);
    }
}

void traffic_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    watch(&(struct watcher){ context, &traffic, request, caller }, answer);
}

void endpoints_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    watch(&(struct watcher){ context, &endpoints, request, caller }, answer);
}

void names_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    watch(&(struct watcher){ context, &names, request, caller }, answer);
}

void feed_applied_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    static const struct str stem = STR_INIT("/berth/v1/feeds/"), tail = STR_INIT("/applied");
    const struct viewer_paths *paths = context;
    const struct front *front = paths->front;
    struct request_count_list counts;
    struct err err = { 0 };
    struct api_call call;
    struct job job = { .call = &call, .arena = request->arena, .caller = *caller };
    struct str name = str_slice(request->path, stem.len, request->path.len);
    bool good = str_ends_with(name, tail) || err_set(&err, ERR_CLIENT, "The path must be /berth/v1/feeds/NAME/applied.");
    if (good) { name.len -= tail.len; }
    good = good && api_prepare_feed_applied(front->api, request->body, name, request->arena, &call, &counts, &err);
    if (good && writer_run(front->writer, &job, &err)) {
        requests_put(paths->requests, name, &counts, clock_monotonic_ms());
        buf_put(&answer->body, STR("{}"));
        answer_json(front, answer);
    } else {
        answer_refusal(front, answer, &err);
    }
}
