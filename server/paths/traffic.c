/* traffic.c: load balancers, for the proxies that carry the requests.
 *
 * GET /berth/v1/target-groups?watch=REVISION    the state of all load balancers (api/traffic/feed.c has the shape): at once when it has changed after
 *                                               the revision, else when it changes, or as it is after 20 seconds. Without `watch`: at once.
 * POST /berth/v1/feeds/NAME/applied             {"revision":…,"busy":["…"],"requests":[{"group":…,"source":…,"count":…}]}: what the proxy of this feed
 *                                               has applied, and its counters (figures/requests.h). NAME: 1 to 64 bytes. */
#include "base/clock.h"
#include "base/num.h"
#include "server/front/answers.h"
#include "server/paths/viewers.h"

enum { WATCH_MS = 20 * 1000, PAUSE_MS = 20 };

static struct opt_double rate_of(void *context, struct str group) { return requests_of(context, group, clock_monotonic_ms()).per_second; }

/* False: the store can't be read. `out` NULL: only the revision. */
static bool read_traffic(const struct viewer_paths *paths, struct arena *arena, int64_t *revision, int64_t *commit, struct buf *out)
{
    struct op_ctx ctx = { .config = paths->front->api, .txn = store_read_begin(paths->front->store), .arena = arena, .now_ms = clock_now_ms() };
    *revision = store_traffic_revision(ctx.txn);
    *commit = store_revision(ctx.txn);
    if (out != NULL) { api_print_traffic(&ctx, &(struct request_rates){ rate_of, paths->requests }, out); }
    return store_read_end(ctx.txn);
}

/* Until the traffic has changed after `since`, or the time is over. A commit is looked at for its revision alone. False: the store can't be read. */
static bool wait_for_change(const struct viewer_paths *paths, struct http_request *request, int64_t since)
{
    int64_t end_ms = clock_monotonic_ms() + WATCH_MS, revision, commit;
    for (;;) {
        if (!read_traffic(paths, request->arena, &revision, &commit, NULL)) { return false; }
        int64_t now_ms = clock_monotonic_ms();
        if (revision != since || now_ms >= end_ms) { return true; }
        if (stream_wait(paths->stream, commit, now_ms + PAUSE_MS, end_ms) == STREAM_STOPPED || http_peer_left(request)) { return true; }
    }
}

void traffic_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct viewer_paths *paths = context;
    int64_t since, revision, commit;
    struct err err = { 0 };
    bool good = true;
    (void)caller;
    if (str_to_i64(http_parameter(request, STR("watch")), &since)) {
        if (!viewers_enter(paths->stream, &err)) {
            metrics_count(paths->front->metrics, NULL, err.code);
            answer_error(answer, &err);
            return;
        }
        good = wait_for_change(paths, request, since);
        stream_leave(paths->stream);
    }
    if (good && read_traffic(paths, request->arena, &revision, &commit, &answer->body)) {
        answer->headers = live_headers;
        answer_json(paths->front, answer);
    } else {
        answer_unreadable(paths->front, answer);
    }
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
