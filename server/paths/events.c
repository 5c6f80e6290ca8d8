/* events.c: server-sent events. GET /berth/v1/events: changes of the board, and the use of machines.
 *
 * ?since= or the header Last-Event-ID is the revision that the client has seen. The events are `changes` (api/show/board.c has the shape), `use`
 * (figures/samples.h has it) and `reset`: the client must load the board again.
 *
 * GET /berth/v1/ecs-events: changes of tasks, instances and services in EventBridge's form (api/outbox/outbox.h). ?since= or Last-Event-ID is the number of the
 * last event that the client has; without it, the stream begins now; with 0, with the oldest that is kept. ?type= names one detail-type. An event has its
 * number as id, "ecs" as event, and one JSON object as data. Before a gap comes the event "gap": {"first":42} is the number of the oldest event. */
#include "server/paths/viewers.h"

#include "base/clock.h"
#include "base/num.h"
#include "server/front/answers.h"

enum {
    EVENTS_PAUSE_MS = 250,                   /* four moments a second at which viewers get changes */
    HEARTBEAT_MS = 15 * 1000,
    USE_PAUSE_MS = 2000,                     /* the least time between two events `use` */
    USE_PIECE = 1024 * 1024,                 /* bytes; such an event has not many more */
};

/* The changes after revision `since`, as one event. False: the store can't be read. */
static bool print_changes(const void *context, int64_t since, int64_t *until, struct buf *out)
{
    const struct viewer_paths *paths = context;
    struct op_ctx ctx = { .config = paths->front->api, .txn = store_read_begin(paths->front->store), .arena = out->arena, .now_ms = clock_now_ms() };
    struct buf changes = buf_in(out->arena);
    *until = store_revision(ctx.txn);
    bool complete = api_print_board_changes(&ctx, since, &changes);
    if (!store_read_end(ctx.txn)) { return false; }
    if (complete) {
        buf_printf(out, "id: %lld\nevent: changes\ndata: ", (long long)*until);
        buf_put(out, buf_str(&changes));
        buf_put(out, STR("\n\n"));
    } else {
        buf_put(out, STR("event: reset\ndata: {}\n\n"));
    }
    return true;
}

/* The use that machines have reported after *since, as one event; nothing when there is none. */
static void print_use(const struct viewer_paths *paths, uint64_t *since, struct buf *out)
{
    static const struct str head = STR_INIT("event: use\ndata: {\"machines\":[");
    size_t begin = out->len;
    buf_put(out, head);
    uint64_t told = samples_print_since(paths->samples, *since, clock_now_ms(), USE_PIECE, out);
    ASSERT(told >= *since);                              /* both are the server's own counts */
    if (told == *since) { out->len = begin; } else { buf_put(out, STR("]}\n\n")); }
    *since = told;
}

struct viewer { int64_t pushed_ms, used_ms, heard_ms, revision; uint64_t use; };     /* monotonic; how much it has got */

/* Appends the events that are due. False: the stream ends. */
static bool print_events(const struct viewer_paths *paths, struct viewer *viewer, struct buf *out)
{
    int64_t until_ms = min_i64(viewer->heard_ms + HEARTBEAT_MS, viewer->used_ms + USE_PAUSE_MS);
    enum stream_event event = stream_wait(paths->stream, viewer->revision, event_cache_moment(viewer->pushed_ms, EVENTS_PAUSE_MS), until_ms);
    int64_t now_ms = clock_monotonic_ms();
    if (event == STREAM_STOPPED) { return false; }
    if (event == STREAM_NEWS) {
        viewer->pushed_ms = now_ms;
        if (!event_cache_tell(paths->events, &viewer->revision, print_changes, paths, out)) { return false; }
    }
    if (now_ms >= viewer->used_ms + USE_PAUSE_MS) {
        viewer->used_ms = now_ms;
        print_use(paths, &viewer->use, out);
    }
    if (out->len == 0 && now_ms >= viewer->heard_ms + HEARTBEAT_MS) { buf_put(out, STR(":\n\n")); }
    return true;
}

static void push_events(const struct viewer_paths *paths, struct http_request *request, int64_t since)
{
    struct arena arena;
    arena_init(&arena, (size_t)64 << 20);
    struct viewer viewer = { .heard_ms = clock_monotonic_ms(), .revision = since };
    for (bool good = true; good;) {
        struct buf out = buf_in(&arena);
        good = print_events(paths, &viewer, &out);
        if (good && http_peer_left(request)) { good = false; }
        if (good && out.len > 0) {
            good = http_stream_write(request, buf_str(&out));       /* a viewer that is too slow is disconnected */
            viewer.heard_ms = clock_monotonic_ms();
        }
        arena_reset(&arena);
    }
    arena_finish(&arena);
}

/* Where to begin: after the revision that the client has seen, or now. A client that has seen a later revision than the store's knew another store:
 * *reset. The store is asked, not the writer, because `berth keys` commits too. */
static bool events_since(const struct viewer_paths *paths, struct http_request *request, int64_t *since, bool *reset)
{
    struct store_txn *txn = store_read_begin(paths->front->store);
    int64_t revision = store_revision(txn);
    if (!store_read_end(txn)) { return false; }
    bool said = str_to_i64(http_header(request, STR("Last-Event-ID")), since)
        || str_to_i64(http_parameter(request, STR("since")), since);
    *reset = said && *since > revision;
    if (!said || *reset) { *since = revision; }
    return true;
}

static void stream_events(const struct viewer_paths *paths, struct http_request *request, struct http_answer *answer)
{
    int64_t since;
    bool reset;
    if (!events_since(paths, request, &since, &reset)) {
        answer_unreadable(paths->front, answer);
        return;
    }
    metrics_count(paths->front->metrics, NULL, ERR_NONE);
    answer->type = STR("text/event-stream");
    answer->headers = live_headers;
    struct str first = reset ? STR("retry: 1000\nevent: reset\ndata: {}\n\n") : STR("retry: 1000\n\n");
    if (http_stream_begin(request, answer) && http_stream_write(request, first)) { push_events(paths, request, since); }
}

bool viewers_enter(struct stream *stream, struct err *err)
{
    return stream_enter(stream) || err_set(err, ERR_UNAVAILABLE, "Too many viewers watch at once.");
}

void events_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct viewer_paths *paths = context;
    (void)caller;
    struct err err = { 0 };
    if (viewers_enter(paths->stream, &err)) {
        stream_events(paths, request, answer);
        stream_leave(paths->stream);
        return;
    }
    metrics_count(paths->front->metrics, NULL, err.code);
    answer_error(answer, &err);
}

/* ---- ECS's events ---- */

enum { PIECE = 64, READER_PAUSE_MS = 100 };

struct reader { int64_t at, revision; struct str type; };      /* at: the last event that it has; type absent: all */

/* Appends the events after the reader's. False: the store can't be read. */
static bool print_next(const struct viewer_paths *paths, struct reader *reader, bool *more, struct buf *out)
{
    struct kept_event *events;
    struct store_txn *txn = store_read_begin(paths->front->store);
    reader->revision = store_revision(txn);
    size_t count = store_list_events(txn, reader->at, &events, PIECE, out->arena);
    if (!store_read_end(txn)) { return false; }
    *more = count == PIECE;
    if (count > 0 && events[0].number > reader->at + 1) { buf_printf(out, "event: gap\ndata: {\"first\":%lld}\n\n", (long long)events[0].number); }
    for (size_t e = 0; e < count; e++) {
        reader->at = events[e].number;
        if (str_is_set(reader->type) && !str_eq(reader->type, events[e].type)) { continue; }
        buf_printf(out, "id: %lld\nevent: ecs\ndata: ", (long long)events[e].number);
        buf_put(out, events[e].text);
        buf_put(out, STR("\n\n"));
    }
    return true;
}

static void push_ecs(const struct viewer_paths *paths, struct http_request *request, struct reader *reader)
{
    struct arena arena;
    arena_init(&arena, (size_t)64 << 20);
    bool more = true;
    for (bool good = true; good;) {
        struct buf out = buf_in(&arena);
        int64_t now_ms = clock_monotonic_ms();
        enum stream_event event = more ? STREAM_NEWS : stream_wait(paths->stream, reader->revision, now_ms + READER_PAUSE_MS, now_ms + HEARTBEAT_MS);
        good = event != STREAM_STOPPED && print_next(paths, reader, &more, &out) && !http_peer_left(request);
        if (good && event == STREAM_SILENCE && out.len == 0) { buf_put(&out, STR(":\n\n")); }
        if (good && out.len > 0) { good = http_stream_write(request, buf_str(&out)); }         /* a reader that is too slow is disconnected */
        arena_reset(&arena);
    }
    arena_finish(&arena);
}

/* Where to begin. A number that was not given yet is of another store: then now. */
static bool begin_reader(const struct viewer_paths *paths, struct http_request *request, struct reader *reader, struct err *err)
{
    struct store_txn *txn = store_read_begin(paths->front->store);
    int64_t last = store_last_event(txn, request->arena), said;
    if (!store_read_end(txn)) { return err_set(err, ERR_UNAVAILABLE, "The store can't be read now."); }
    struct str since = http_parameter(request, STR("since"));
    bool known = str_to_i64(http_header(request, STR("Last-Event-ID")), &said) || str_to_i64(since, &said);
    if (!known && str_is_set(since) && since.len > 0) { return err_set(err, ERR_INVALID_PARAMETER, "since should be the number of an event."); }
    *reader = (struct reader){ .at = known && said >= 0 && said <= last ? said : last, .type = http_parameter(request, STR("type")) };
    return true;
}

void ecs_events_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct viewer_paths *paths = context;
    struct err err = { 0 };
    struct reader reader = { .at = 0 };
    (void)caller;
    bool kept = paths->front->api->events_keep_ms > 0
        || err_set(&err, ERR_INVALID_PARAMETER, "This server keeps no events: start it with --keep-events, for example 24h.");
    if (!kept || !viewers_enter(paths->stream, &err)) {
        metrics_count(paths->front->metrics, NULL, err.code);
        answer_error(answer, &err);
        return;
    }
    if (begin_reader(paths, request, &reader, &err)) {
        metrics_count(paths->front->metrics, NULL, ERR_NONE);
        answer->type = STR("text/event-stream");
        answer->headers = live_headers;
        if (http_stream_begin(request, answer) && http_stream_write(request, STR("retry: 1000\n\n"))) { push_ecs(paths, request, &reader); }
    } else {
        metrics_count(paths->front->metrics, NULL, err.code);
        answer_error(answer, &err);
    }
    stream_leave(paths->stream);
}
