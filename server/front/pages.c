/* pages.c: what a browser reads: the page's files, the board, its changes as they happen, logs; and what machines read of
 * the server itself. */
#include "server/room.h"

#include "wire/own_json.h"
#include "wire/wire.h"
#include "base/clock.h"
#include "base/num.h"
#include "server/live/web_files.h"

enum {
    EVENTS_PAUSE_MS = 250,                   /* four moments a second at which viewers are told */
    HEARTBEAT_MS = 15 * 1000,
    USE_PAUSE_MS = 2000,                     /* at least so long between two pushes of what machines use … */
    USE_PIECE = 1024 * 1024,                 /* … of not much more than this */
    FOLLOW_PIECE = 64 * 1024,
    FOLLOW_SILENCE_MS = 5 * 60 * 1000,       /* a log that nobody writes to is not followed for ever */
    FOLLOW_LOOK_MS = 1000,                   /* how often a follower asks whether the task still runs */
};

/* 'self' alone: the page loads nothing from elsewhere, runs nothing inline and can't be framed. */
#define SAFE_HEADERS "Content-Security-Policy: default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n" \
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"

const struct str live_headers = STR_INIT(SAFE_HEADERS "Cache-Control: no-store\r\n");

/* ---- files ---- */

static const struct { struct str ending, type; } file_types[] = {
    { STR_INIT(".html"), STR_INIT("text/html; charset=utf-8") },  { STR_INIT(".js"), STR_INIT("text/javascript; charset=utf-8") },
    { STR_INIT(".css"), STR_INIT("text/css; charset=utf-8") },    { STR_INIT(".svg"), STR_INIT("image/svg+xml") },
    { STR_INIT(".json"), STR_INIT("application/json") },          { STR_INIT(".png"), STR_INIT("image/png") },
    { STR_INIT(".ico"), STR_INIT("image/x-icon") },               { STR_INIT(".txt"), STR_INIT("text/plain; charset=utf-8") },
    { STR_INIT(".woff2"), STR_INIT("font/woff2") },
};

static struct str type_of(struct str path)
{
    for (size_t t = 0; t < COUNT_OF(file_types); t++) {
        if (str_ends_with(path, file_types[t].ending)) { return file_types[t].type; }
    }
    return STR("application/octet-stream");
}

static const struct web_file *find_file(struct str path)
{
    struct str wanted = str_eq(path, STR("/")) ? STR("/index.html") : path;
    for (const struct web_file *file = web_files; file->path != NULL; file++) {
        if (str_eq(str_from(file->path), wanted)) { return file; }
    }
    return NULL;
}

/* RFC 9110, 12.5.3, as far as browsers go: gzip is named, and not with the weight zero. */
static bool takes_gzip(const struct http_request *request)
{
    struct str rest = http_header(request, STR("Accept-Encoding")), coding;
    bool more = rest.len > 0;
    while (more) {
        more = str_cut(rest, ',', &coding, &rest);
        struct str name, weight = { NULL, 0 };
        (void)str_cut(coding, ';', &name, &weight);
        if (str_eq_nocase(str_trim(name), STR("gzip"))) { return !str_eq(str_trim(weight), STR("q=0")); }
    }
    return false;
}

void page_handle(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    (void)caller;
    const struct web_file *file = find_file(request->path);
    metrics_count(&server->metrics, NULL, file != NULL ? ERR_NONE : ERR_CLIENT);
    if (file == NULL) {
        answer_text(answer, 404, STR("text/plain; charset=utf-8"), STR("There is nothing here.\n"));
        return;
    }
    bool packed = takes_gzip(request);
    struct str bytes = packed ? (struct str){ (const char *)file->packed, file->packed_size } : (struct str){ (const char *)file->bytes, file->size };
    char hash[SIGV4_HEX_LEN + 1];
    sha256_hex(bytes, hash);
    struct str tag = arena_printf(request->arena, "\"%.32s\"", hash);
    answer->headers = arena_printf(request->arena, SAFE_HEADERS "Cache-Control: no-cache\r\nVary: Accept-Encoding\r\n%sETag: " STR_FMT "\r\n",
                                   packed ? "Content-Encoding: gzip\r\n" : "", STR_ARG(tag));
    if (str_eq(http_header(request, STR("If-None-Match")), tag)) {
        answer->status = 304;
        return;
    }
    answer_text(answer, 200, type_of(str_from(file->path)), bytes);
}

/* ---- the board ---- */

void answer_unreadable(struct server *server, struct http_answer *answer)
{
    struct err err = { 0 };
    (void)err_set(&err, ERR_SERVER, "The store can't be read.");
    metrics_count(&server->metrics, NULL, err.code);
    answer_error(answer, &err);
}

/* The same for all who may see it. */
static bool print_state(void *context, struct buf *out)
{
    struct server *server = context;
    struct op_ctx ctx = { .config = &server->api, .txn = store_read_begin(server->store), .arena = out->arena, .now_ms = clock_now_ms() };
    api_print_board(&ctx, out);
    return store_read_end(ctx.txn);
}

void state_handle(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    (void)request;
    (void)caller;
    answer->headers = live_headers;
    answer->type = STR("application/json");
    if (boards_take(server->boards, print_state, server, &answer->body)) {
        metrics_count(&server->metrics, NULL, ERR_NONE);
    } else {
        answer_unreadable(server, answer);
    }
}

/* ---- events ---- */

/* What happened behind `since`, as one event. False: the store can't be read. */
static bool print_changes(void *context, int64_t since, int64_t *until, struct buf *out)
{
    struct server *server = context;
    struct op_ctx ctx = { .config = &server->api, .txn = store_read_begin(server->store), .arena = out->arena, .now_ms = clock_now_ms() };
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

/* What machines told of their use behind *since, as one event; nothing where nothing was told. */
static void print_use(struct server *server, uint64_t *since, struct buf *out)
{
    static const struct str head = STR_INIT("event: use\ndata: {\"machines\":[");
    size_t begin = out->len;
    buf_put(out, head);
    uint64_t told = samples_print_since(server->samples, *since, clock_now_ms(), USE_PIECE, out);
    if (told == *since) { out->len = begin; } else { buf_put(out, STR("]}\n\n")); }
    *since = told;
}

struct viewer { int64_t pushed_ms, used_ms, heard_ms, revision; uint64_t use; };     /* monotonic; how far it has been told */

/* What there is to say now. False: no more. */
static bool print_events(struct server *server, struct viewer *viewer, struct buf *out)
{
    int64_t until_ms = min_i64(viewer->heard_ms + HEARTBEAT_MS, viewer->used_ms + USE_PAUSE_MS);
    enum stream_event event = stream_wait(server->stream, viewer->revision, news_moment(viewer->pushed_ms, EVENTS_PAUSE_MS), until_ms);
    int64_t now_ms = clock_monotonic_ms();
    if (event == STREAM_STOPPED) { return false; }
    if (event == STREAM_NEWS) {
        viewer->pushed_ms = now_ms;
        if (!news_tell(server->news, &viewer->revision, print_changes, server, out)) { return false; }
    }
    if (now_ms >= viewer->used_ms + USE_PAUSE_MS) {
        viewer->used_ms = now_ms;
        print_use(server, &viewer->use, out);
    }
    if (out->len == 0 && now_ms >= viewer->heard_ms + HEARTBEAT_MS) { buf_put(out, STR(":\n\n")); }
    return true;
}

static void push_events(struct server *server, struct http_request *request, int64_t since)
{
    struct arena arena;
    arena_init(&arena, (size_t)64 << 20);
    struct viewer viewer = { .heard_ms = clock_monotonic_ms(), .revision = since };
    for (bool good = true; good;) {
        struct buf out = buf_in(&arena);
        good = print_events(server, &viewer, &out);
        if (good && http_peer_left(request)) { good = false; }
        if (good && out.len > 0) {
            good = http_stream_write(request, buf_str(&out));       /* a viewer that is too slow is let go */
            viewer.heard_ms = clock_monotonic_ms();
        }
        arena_reset(&arena);
    }
    arena_finish(&arena);
}

/* Where to begin: behind what the client has seen, or now. A client that has seen what never was knew another store: *reset.
 * The store is asked rather than the writer: `berth keys` commits too. */
static bool events_since(struct server *server, struct http_request *request, int64_t *since, bool *reset)
{
    struct store_txn *txn = store_read_begin(server->store);
    int64_t revision = store_revision(txn);
    if (!store_read_end(txn)) { return false; }
    bool said = str_to_i64(http_header(request, STR("Last-Event-ID")), since)
        || str_to_i64(http_parameter(request, STR("since")), since);
    *reset = said && *since > revision;
    if (!said || *reset) { *since = revision; }
    return true;
}

static void stream_events(struct server *server, struct http_request *request, struct http_answer *answer)
{
    int64_t since;
    bool reset;
    if (!events_since(server, request, &since, &reset)) {
        answer_unreadable(server, answer);
        return;
    }
    metrics_count(&server->metrics, NULL, ERR_NONE);
    answer->type = STR("text/event-stream");
    answer->headers = live_headers;
    struct str first = reset ? STR("retry: 1000\nevent: reset\ndata: {}\n\n") : STR("retry: 1000\n\n");
    if (http_stream_begin(request, answer) && http_stream_write(request, first)) { push_events(server, request, since); }
}

/* Each answer without an end holds a thread. Ends with stream_leave. */
static bool enter_stream(struct server *server, struct err *err)
{
    return stream_enter(server->stream) || err_set(err, ERR_UNAVAILABLE, "Too many viewers watch at once.");
}

void events_handle(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    (void)caller;
    struct err err = { 0 };
    if (enter_stream(server, &err)) {
        stream_events(server, request, answer);
        stream_leave(server->stream);
        return;
    }
    metrics_count(&server->metrics, NULL, err.code);
    answer_error(answer, &err);
}

/* ---- logs ---- */

static bool find_log_task(struct http_request *request, struct id *task, struct err *err)
{
    struct str text = http_parameter(request, STR("task"));
    size_t slash = text.len;
    while (slash > 0 && text.ptr[slash - 1] != '/') { slash--; }
    if (id_parse(str_slice(text, slash, text.len), task)) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "Say which task: ?task=<id or ARN>.");
}

static bool task_runs(struct server *server, struct id id, struct arena *arena)
{
    struct store_txn *txn = store_read_begin(server->store);
    const struct task *task = store_task(txn, id, arena);
    bool runs = task != NULL && task_is_live(task);
    return store_read_end(txn) && runs;
}

/* Sends what is there, then what comes, until the task has stopped or the reader has gone. */
static void follow_log(struct server *server, struct http_request *request, struct id task, struct str container)
{
    struct arena arena;
    arena_init(&arena, 16u << 20);
    int64_t position = 0, wrote_ms = clock_monotonic_ms();
    for (bool good = true; good;) {
        bool runs = task_runs(server, task, &arena);      /* asked first: what it wrote before it stopped is sent below */
        uint64_t turn = logs_turn(server->logs);
        struct buf out = buf_in(&arena);
        (void)logs_read(server->logs, task, container, &position, FOLLOW_PIECE, &out);
        int64_t now_ms = clock_monotonic_ms();
        if (out.len > 0) {
            wrote_ms = now_ms;
            good = http_stream_write(request, buf_str(&out));
        } else if (!runs || now_ms - wrote_ms > FOLLOW_SILENCE_MS || atomic_load(&server->stopping) || http_peer_left(request)) {
            good = false;
        } else {
            (void)logs_wait(server->logs, turn, now_ms + FOLLOW_LOOK_MS);
        }
        arena_reset(&arena);
    }
    arena_finish(&arena);
}

static void print_logs(struct server *server, struct id task, const struct str *names, size_t count, struct buf *out)
{
    for (size_t n = 0; n < count; n++) {
        int64_t position = 0;
        if (count > 1) { buf_printf(out, "%s==> " STR_FMT " <==\n", n > 0 ? "\n" : "", STR_ARG(names[n])); }
        (void)logs_read(server->logs, task, names[n], &position, (size_t)LOGS_FILE_MAX * 2, out);
    }
}

static bool choose_containers(struct server *server, struct http_request *request, struct id task, struct str *names, size_t *count,
                              struct err *err)
{
    struct str container = http_parameter(request, STR("container"));
    *count = 1;
    if (!str_is_set(container)) {
        *count = logs_containers(server->logs, task, names, LOGS_CONTAINERS_MAX, request->arena);
    } else if (!names_is_valid(container) || container.len > LOGS_NAME_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "The container's name is not valid.");
    } else {
        names[0] = container;
    }
    return true;
}

static bool is_silent(struct server *server, struct id task, const struct str *names, size_t count, struct arena *arena)
{
    struct buf nothing = buf_in(arena);
    int64_t before;
    return count == 0 || (count == 1 && !logs_read_end(server->logs, task, names[0], 0, &before, &nothing));
}

/* ?explain: where nothing is there and nothing will come, the answer is an error that says why. Nobody waits for it, then. */
static bool explain_silence(struct server *server, struct http_request *request, struct id task, struct str *names, size_t *count, struct err *err)
{
    if (!str_is_set(http_parameter(request, STR("explain"))) || !is_silent(server, task, names, *count, request->arena)) { return true; }
    struct str container = http_parameter(request, STR("container"));
    bool good = logs_explain(server, task, &container, request->arena, err);
    if (str_is_set(container)) {
        names[0] = container;
        *count = 1;
    }
    return good;
}

void logs_handle(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    (void)caller;
    struct err err = { 0 };
    struct id task;
    struct str *names = ARENA_NEW(request->arena, struct str, LOGS_CONTAINERS_MAX);
    size_t count = 0;
    bool follow = str_is_set(http_parameter(request, STR("follow")));
    bool good = find_log_task(request, &task, &err) && choose_containers(server, request, task, names, &count, &err)
        && explain_silence(server, request, task, names, &count, &err);
    if (good && follow && count != 1) {
        good = err_set(&err, ERR_INVALID_PARAMETER, "Say which container to follow: &container=<name>.");
    }
    good = good && (!follow || enter_stream(server, &err));
    metrics_count(&server->metrics, NULL, err.code);
    if (!good) {
        answer_error(answer, &err);
        return;
    }
    answer->type = STR("text/plain; charset=utf-8");
    answer->headers = live_headers;
    if (!follow) {
        print_logs(server, task, names, count, &answer->body);
        return;
    }
    if (http_stream_begin(request, answer)) { follow_log(server, request, task, names[0]); }
    stream_leave(server->stream);
}

/* ---- the server itself ---- */

void health_handle(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    (void)caller;
    struct store_txn *txn = store_read_begin(server->store);
    int64_t revision = store_revision(txn);
    if (!store_read_end(txn)) {
        answer_unreadable(server, answer);
        answer->status = 503;
        return;
    }
    struct writer_counts writer = writer_count(server->writer);
    bool good = writer.trouble[0] == '\0';
    if (!good) { answer->status = 503; }
    answer->type = STR("application/json");
    answer->headers = live_headers;
    struct json_out json = json_out_to(&answer->body);
    json_open(&json, '{');
    own_json_str(&json, STR("status"), good ? STR("ok") : STR("failing"));
    if (!good) { own_json_str(&json, STR("reason"), arena_printf(request->arena, "The last commit failed: %s.", writer.trouble)); }
    own_json_str(&json, STR("version"), STR(BERTH_VERSION));
    own_json_i64(&json, STR("protocol"), PROTOCOL_NEWEST);
    own_json_i64(&json, STR("oldestProtocol"), PROTOCOL_OLDEST);
    own_json_i64(&json, STR("revision"), revision);
    json_close(&json, '}');
}
