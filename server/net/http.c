/* http.c: the one owner of CivetWeb. Four system calls a request: poll, recv, send, and what the writer's wake-up costs.
 *
 * - Answers leave head and body in one write: the body is printed behind room for the head, which is then laid before it.
 * - Requests are taken in begin_request, which comes before CivetWeb looks for a password file; with URL decoding off, path
 *   and query arrive as they were signed.
 * - CivetWeb throws away what a stopping server sends, so that http_finish_running has to come before http_stop. */
#include "server/net/http.h"

#include <civetweb.h>
#include <dirent.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "base/http/head.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"
#include "base/rng.h"
#include "base/text/form.h"
#include "server/net/gate.h"
#include "server/net/openssl_names.h"
#include "server/net/port_holder.h"

enum {
    ARENA_CEILING = 64 * 1024 * 1024,        /* of one request */
    READ_PIECE = 64 * 1024,
    BODY_PATIENCE_MS = 30 * 1000,            /* for a whole body */
    DRAIN_MAX = 64 * 1024 * 1024,            /* of a body that is too large: closing on a client that still sends … */
    DRAIN_PATIENCE_MS = 5 * 1000,            /* … could make it lose the answer */
    DATE_LEN = 29,                           /* Sun, 06 Nov 1994 08:49:37 GMT */
};

/* An arena that waits for a request. */
struct spare { struct arena arena; struct spare *older; };

struct http {
    struct mg_context *civetweb;
    struct tls *tls;
    http_handler *handler; void *context;
    struct peers *peers;
    struct gate *gate;
    int port, connections_usual;
    atomic_int running;                      /* requests */
    atomic_int_fast64_t body_bytes;          /* of bodies, in memory now */
    atomic_uint_fast64_t refused_heads;
    atomic_bool stopped;
    struct lock lock;                        /* of the spares */
    struct spare *spares;                    /* newest first */
};

/* Kept by a worker thread from request to request. */
struct worker {
    struct http *http;
    struct rng rng;                          /* for request ids, which need only be unique */
    time_t date_at;
    char date[DATE_LEN + 1];
    struct head head;
};

struct http_connection { struct mg_connection *mg; struct worker *worker; struct peer *peer; int64_t body_bytes; bool close; };

/* ---- a worker's life ---- */

/* A batch of answers wakes as many workers. Woken in the ordinary way each would take the processor from the writing thread before that has woken
 * the next, and the next batch would begin when all have printed. Linux lets no thread of this kind push another aside; a system that refuses
 * is as before. */
static void run_behind_the_writer(void)
{
    (void)pthread_setschedparam(pthread_self(), SCHED_BATCH, &(struct sched_param){ .sched_priority = 0 });
}

static void *worker_start(const struct mg_context *civetweb, int kind)
{
    enum { KIND_ACCEPTS = 0, KIND_WORKER = 1 };
    struct http *http = mg_get_user_data(civetweb);
    if (kind == KIND_ACCEPTS) { gate_serve_here(http->gate); }
    if (kind != KIND_WORKER) { return NULL; }
    run_behind_the_writer();
    struct worker *worker = calloc(1, sizeof *worker);
    ASSERT(worker != NULL);
    worker->http = http;
    rng_seed(&worker->rng, rng_entropy());
    return worker;
}

static void worker_end(const struct mg_context *civetweb, int kind, void *thread)
{
    (void)civetweb;
    (void)kind;
    free(thread);
}

/* ---- arenas ---- */

/* A request takes the arena that was given back last, because that one is still in the processor's caches: with an arena for each worker, each
 * connection would write to its own memory. */
static struct spare *take_spare(struct http *http)
{
    lock_take(&http->lock);
    struct spare *spare = http->spares;
    if (spare != NULL) { http->spares = spare->older; }
    lock_drop(&http->lock);
    if (spare != NULL) { return spare; }
    spare = calloc(1, sizeof *spare);
    ASSERT(spare != NULL);
    arena_init(&spare->arena, ARENA_CEILING);
    return spare;
}

static void give_spare(struct http *http, struct spare *spare)
{
    arena_reset(&spare->arena);
    lock_take(&http->lock);
    spare->older = http->spares;
    http->spares = spare;
    lock_drop(&http->lock);
}

/* ---- the request, in ---- */

/* Whether this many bytes more may be held. The room of a body is given back when it has been answered. */
static bool hold_bytes(struct http_request *request, size_t count)
{
    struct http *http = request->connection->worker->http;
    request->connection->body_bytes += (int64_t)count;
    return atomic_fetch_add(&http->body_bytes, (int64_t)count) + (int64_t)count <= HTTP_BODIES_MAX;
}

/* Reads up to HTTP_BODY_MAX bytes and one more, which tells that there are too many. */
static void read_body(struct http_request *request, int64_t expected)
{
    struct mg_connection *mg = request->connection->mg;
    struct buf body = buf_in(request->arena);
    int64_t until_ms = clock_monotonic_ms() + BODY_PATIENCE_MS;
    size_t wanted = expected >= 0 ? (size_t)expected : (size_t)HTTP_BODY_MAX + 1;
    int got = 1;
    bool room = true;
    while (body.len < wanted && got > 0 && room && clock_monotonic_ms() < until_ms) {
        size_t piece = wanted - body.len < READ_PIECE ? wanted - body.len : READ_PIECE;
        got = mg_read(mg, buf_room(&body, piece), piece);
        if (got > 0) {
            body.len += (size_t)got;
            room = hold_bytes(request, (size_t)got);
        }
    }
    bool whole = expected >= 0 ? body.len == wanted : got == 0;    /* chunks: read until CivetWeb said "end" */
    if (body.len > HTTP_BODY_MAX) {
        request->body_state = HTTP_BODY_TOO_LARGE;
    } else if (!room) {
        request->body_state = HTTP_BODY_NO_ROOM;
    } else if (!whole) {
        request->body_state = HTTP_BODY_BROKEN;
    } else {
        request->body = buf_str(&body);
    }
}

static void take_body(struct http_request *request, const struct head *head)
{
    if (head->content_length > HTTP_BODY_MAX) {
        request->body_state = HTTP_BODY_TOO_LARGE;
    } else if (head->content_length > 0 || head->chunked) {
        struct str go_on = STR("HTTP/1.1 100 Continue\r\n\r\n");
        if (head->expects && mg_write(request->connection->mg, go_on.ptr, go_on.len) < (int)go_on.len) {
            request->body_state = HTTP_BODY_BROKEN;
            return;
        }
        read_body(request, head->chunked ? -1 : (int64_t)head->content_length);
    }
}

/* CivetWeb is more lenient than head.c: it takes spaces before a colon, lines that end with a bare line feed, lines that go on
 * after a fold, and ignores parts that it does not understand. A proxy may have read such a head in another way, and taken a part of it for a
 * body or for another request. CivetWeb has put a zero where each piece ended, so the places of the pieces tell whether the head was written
 * as head.c wants it: only "\r\n" between two lines, nothing before a colon, and the empty line behind the last header. */
static bool line_ends(const char *end, const char *next) { return next == end + 2 && end[0] == '\0' && end[1] == '\0'; }

static bool value_begins(const char *colon, const char *value)
{
    for (const char *at = colon + 1; at < value; at++) {
        if (*at != ' ' && *at != '\t') { return false; }
    }
    return value > colon;
}

static bool read_head(const struct mg_request_info *info, struct head *head)
{
    enum { VERSION_PREFIX = 5 };             /* "HTTP/" */
    struct str method = str_from(info->request_method), path = str_from(info->request_uri), query = STR("");
    const char *version = info->http_version - VERSION_PREFIX, *end = path.ptr + path.len;
    if (info->query_string != NULL) {
        query = str_from(info->query_string);
        if (query.ptr != end + 1) { return false; }
        end = query.ptr + query.len;
    }
    if (path.ptr != method.ptr + method.len + 1 || version != end + 1 || !head_begin(head, method, path, query, str_from(version))) { return false; }
    end = version + strlen(version);
    for (int h = 0; h < info->num_headers; h++) {
        const struct mg_header *header = &info->http_headers[h];
        struct str name = str_from(header->name), value = str_from(header->value);
        if (!line_ends(end, name.ptr) || !value_begins(name.ptr + name.len, value.ptr) || !head_add(head, name, str_trim(value))) { return false; }
        end = value.ptr + value.len;
    }
    bool none = info->num_headers == 0;      /* then CivetWeb has put zeros over all white space up to the end */
    return end[0] == '\0' && end[1] == '\0' && end[2] == (none ? '\0' : '\r') && end[3] == '\0';
}

static void take_request(struct http_request *request, const struct mg_request_info *info)
{
    struct worker *worker = request->connection->worker;
    request->path = str_from(info->local_uri_raw);
    request->query = str_from(info->query_string != NULL ? info->query_string : "");
    request->method = str_from(info->request_method);
    request->body = STR("");
    request->peer = str_from(info->remote_addr);
    request->certified = info->client_cert != NULL;
    request->now_ms = clock_now_ms();
    id_uuid(id_random(&worker->rng), request->id);
    bool good = read_head(info, &worker->head);
    request->headers = worker->head.headers;
    request->header_count = worker->head.header_count;
    if (good) {
        take_body(request, &worker->head);
    } else {
        request->body_state = HTTP_HEAD_BROKEN;
        atomic_fetch_add_explicit(&worker->http->refused_heads, 1, memory_order_relaxed);
    }
}

struct str http_header(const struct http_request *request, struct str name)
{
    for (size_t h = 0; h < request->header_count; h++) {
        if (str_eq_nocase(request->headers[h].name, name)) { return request->headers[h].value; }
    }
    return (struct str){ NULL, 0 };
}

struct str http_form_value(struct str form, struct str name, struct arena *arena)
{
    struct str pair, key, value, rest = form;
    while (rest.len > 0) {
        str_cut(rest, '&', &pair, &rest);
        str_cut(pair, '=', &key, &value);
        if (!str_eq(key, name)) { continue; }
        return form_decode(value, arena);
    }
    return (struct str){ NULL, 0 };
}

struct str http_parameter(const struct http_request *request, struct str name)
{
    return http_form_value(request->query, name, request->arena);
}

/* ---- the answer, out ---- */

static const char *status_text(int status)
{
    static const struct { int status; const char *text; } texts[] = {
        { 200, "OK" }, { 304, "Not Modified" }, { 400, "Bad Request" }, { 401, "Unauthorized" }, { 403, "Forbidden" },
        { 404, "Not Found" }, { 405, "Method Not Allowed" }, { 413, "Content Too Large" }, { 429, "Too Many Requests" }, { 500, "Internal Server Error" },
        { 503, "Service Unavailable" },
    };
    for (size_t t = 0; t < COUNT_OF(texts); t++) {
        if (texts[t].status == status) { return texts[t].text; }
    }
    return "Answer";
}

/* Printed once a second: clients set their clocks by it when a signature was refused. */
static const char *date_now(struct worker *worker, int64_t now_ms)
{
    time_t now = (time_t)(now_ms / 1000);
    if (now != worker->date_at || worker->date[0] == '\0') {
        struct tm utc;
        ASSERT(gmtime_r(&now, &utc) != NULL);                   /* of the clock, which the system keeps below the year 2262 */
        ASSERT(strftime(worker->date, sizeof worker->date, "%a, %d %b %Y %H:%M:%S GMT", &utc) == DATE_LEN); /* as above */
        worker->date_at = now;
    }
    return worker->date;
}

/* A connection has its worker to itself for as long as it lives. When known clients have more than three quarters of them, each connection is
 * ended with its answer, so that those who wait for a worker get their turn: clients connect again. */
static bool is_crowded(const struct http *http) { return peers_known(http->peers) > http->connections_usual; }

/* CivetWeb's own rule, so that the header says what it will do. */
static bool keeps_alive(const struct http_request *request, const struct http_answer *answer)
{
    if (answer->close || request->connection->close || is_crowded(request->connection->worker->http)) { return false; }
    struct str connection = http_header(request, STR("Connection"));
    if (str_is_set(connection)) { return str_eq_nocase(connection, STR("keep-alive")); }
    return strcmp(mg_get_request_info(request->connection->mg)->http_version, "1.1") == 0;
}

static void put_head(struct buf *head, const struct http_request *request, const struct http_answer *answer, bool keep)
{
    buf_put(head, STR("HTTP/1.1 "));
    buf_put_i64(head, answer->status);
    buf_put_char(head, ' ');
    buf_put(head, str_from(status_text(answer->status)));
    buf_put(head, STR("\r\nDate: "));
    buf_put(head, (struct str){ date_now(request->connection->worker, clock_now_ms()), DATE_LEN });
    buf_put(head, STR("\r\nx-amzn-RequestId: "));
    buf_put(head, (struct str){ request->id, ID_UUID_LEN });
    buf_put(head, STR("\r\n"));
    if (str_is_set(answer->type)) {
        buf_put(head, STR("Content-Type: "));
        buf_put(head, answer->type);
        buf_put(head, STR("\r\n"));
    }
    if (!answer->streamed) {
        buf_put(head, STR("Content-Length: "));
        buf_put_i64(head, (int64_t)(answer->body.len - HTTP_HEAD_ROOM));
        buf_put(head, STR("\r\n"));
    }
    buf_put(head, answer->headers);
    buf_put(head, keep ? STR("Connection: keep-alive\r\n\r\n") : STR("Connection: close\r\n\r\n"));
}

/* Lays the head before the body and returns both as one piece. */
static struct str finish_answer(const struct http_request *request, struct http_answer *answer, bool keep)
{
    struct buf head = buf_in(request->arena);
    put_head(&head, request, answer, keep);
    ASSERT(head.len < HTTP_HEAD_ROOM);                          /* the headers of an answer are ours and short */
    char *start = answer->body.ptr + HTTP_HEAD_ROOM - head.len;
    memcpy(start, head.ptr, head.len);
    return (struct str){ start, answer->body.len - HTTP_HEAD_ROOM + head.len };
}

static bool send_bytes(const struct http_request *request, struct str bytes)
{
    peer_waits(request->connection->peer);
    int sent = mg_write(request->connection->mg, bytes.ptr, bytes.len);
    return sent >= 0 && (size_t)sent == bytes.len;
}

static void send_answer(struct http_request *request, struct http_answer *answer)
{
    bool keep = keeps_alive(request, answer);
    struct str bytes = finish_answer(request, answer, keep);
    if (str_eq(request->method, STR("HEAD"))) { bytes.len -= answer->body.len - HTTP_HEAD_ROOM; }
    if (!send_bytes(request, bytes)) { request->connection->close = true; }     /* the client is gone; the change is made */
    if (!keep) { request->connection->close = true; }
}

struct str http_answer_body(const struct http_answer *answer)
{
    return str_slice(buf_str(&answer->body), HTTP_HEAD_ROOM, answer->body.len);
}

bool http_stream_begin(struct http_request *request, struct http_answer *answer)
{
    ASSERT(!answer->streamed);                                  /* a handler of ours */
    answer->streamed = true;
    request->connection->close = true;
    return send_bytes(request, finish_answer(request, answer, false));
}

bool http_stream_write(struct http_request *request, struct str bytes)
{
    bool sent = send_bytes(request, bytes);
    peer_works(request->connection->peer);
    return sent;
}

bool http_peer_left(const struct http_request *request) { return peer_has_left(request->connection->peer); }

void http_prove(const struct http_request *request)
{
    if (request->connection != NULL) { peers_prove(request->connection->worker->http->peers, request->connection->peer); }
}

/* Reads on for a while after the answer, so that a client which sends first and reads later gets to read. */
static void drain(struct http_request *request)
{
    if (str_is_set(http_header(request, STR("Expect")))) { return; }            /* it has sent nothing yet */
    int64_t until_ms = clock_monotonic_ms() + DRAIN_PATIENCE_MS;
    char *piece = arena_alloc(request->arena, READ_PIECE, 1);
    for (size_t drained = 0; drained < DRAIN_MAX && clock_monotonic_ms() < until_ms;) {
        int got = mg_read(request->connection->mg, piece, READ_PIECE);
        if (got <= 0) { return; }
        drained += (size_t)got;
    }
}

/* ---- CivetWeb's calls ---- */

static int on_request(struct mg_connection *mg)
{
    struct worker *worker = mg_get_thread_pointer(mg);
    struct http *http = worker->http;
    atomic_fetch_add(&http->running, 1);
    struct spare *spare = take_spare(http);
    const struct mg_request_info *info = mg_get_request_info(mg);
    struct http_connection connection = { .mg = mg, .worker = worker, .peer = peers_find(http->peers, info->remote_port) };
    struct http_request request = { .arena = &spare->arena, .connection = &connection };
    peer_waits(connection.peer);
    take_request(&request, info);

    struct http_answer answer = { .status = 200, .headers = STR(""), .body = buf_in(&spare->arena) };
    (void)buf_room(&answer.body, 2 * HTTP_HEAD_ROOM);
    answer.body.len = HTTP_HEAD_ROOM;
    answer.close = request.body_state != HTTP_BODY_WHOLE;
    peer_works(connection.peer);
    http->handler(http->context, &request, &answer);
    if (!answer.streamed) { send_answer(&request, &answer); }
    if (request.body_state == HTTP_BODY_TOO_LARGE) { drain(&request); }
    peer_waits(connection.peer);
    atomic_fetch_sub(&http->body_bytes, connection.body_bytes);
    if (connection.close) { mg_disable_connection_keep_alive(mg); }
    give_spare(http, spare);
    atomic_fetch_sub(&http->running, 1);
    return answer.status;
}

/* CivetWeb refuses bytes that are no HTTP by itself, and closes the connection afterwards. */
static int on_error(struct mg_connection *mg, int status, const char *message)
{
    enum { HANDLED = 0 };
    struct worker *worker = mg_get_thread_pointer(mg);
    char body[256], answer[512], id[ID_UUID_LEN + 1];
    id_uuid(id_random(&worker->rng), id);
    struct str why = str_slice(str_from(message), 0, str_find(str_slice(str_from(message), 0, 128), '"'));
    int body_len = snprintf(body, sizeof body, "{\"__type\":\"%s\",\"message\":\"" STR_FMT "\"}",
                            status >= 500 ? "ServerException" : "SerializationException", STR_ARG(why));
    int len = snprintf(answer, sizeof answer, "HTTP/1.1 %d %s\r\nDate: %s\r\nx-amzn-RequestId: %s\r\n"
                       "Content-Type: application/x-amz-json-1.1\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status,
                       status_text(status), date_now(worker, clock_now_ms()), id, body_len, body);
    ASSERT(len > 0 && (size_t)len < sizeof answer);             /* 128 bytes of a message at most */
    (void)mg_write(mg, answer, (size_t)len);                       /* it closes next, whether this arrives or not */
    log_line(LOG_INFO, "http", "bytes that are no request were refused: status=%d why=%s", status, message);
    return HANDLED;
}

/* CivetWeb tells nothing of a connection whose handshake failed, so its socket is asked of OpenSSL's side. */
static void on_connection_end(const struct mg_connection *mg)
{
    struct http *http = mg_get_user_data(mg_get_context(mg));
    const struct mg_request_info *info = mg_get_request_info(mg);
    struct peer *peer = info != NULL ? peers_find(http->peers, info->remote_port) : peers_find_socket(http->peers, tls_take_newest_socket());
    if (peer != NULL) { peers_leave(http->peers, peer); }
}

static int on_log(const struct mg_connection *mg, const char *message)
{
    enum { HANDLED = 1 };
    (void)mg;
    bool handshake = strncmp(message, "sslize", 6) == 0 || strncmp(message, "SSL ", 4) == 0;      /* clients come and go as they like */
    log_line(handshake ? LOG_INFO : LOG_WARN, "http", "%s", message);
    return HANDLED;
}

/* CivetWeb is lent the context: it neither makes one nor frees it. */
static int on_tls(void **context, void *user)
{
    enum { THAT_IS_ALL = 1 };
    const struct http *http = user;
    *context = tls_context(http->tls);
    return THAT_IS_ALL;
}

/* ---- life ---- */

static void put_number(char out[16], int value) { (void)snprintf(out, 16, "%d", value); }

static bool start_civetweb(struct http *http, const struct http_config *config, struct err *err)
{
    char ports[128], threads[16], error_text[256] = "", holder[PORT_HOLDER_SIZE];
    bool six = strchr(config->host, ':') != NULL;
    int len = snprintf(ports, sizeof ports, six ? "[%s]:%d%s" : "%s:%d%s", config->host, config->port, config->tls != NULL ? "s" : "");
    if (len <= 0 || (size_t)len >= sizeof ports) {
        return err_set(err, ERR_INVALID_PARAMETER, "The address to listen on is too long.");
    }
    put_number(threads, config->threads);
    const char *options[] = {
        "listening_ports", ports, "num_threads", threads, "decode_url", "no", "enable_keep_alive", "yes",
        "keep_alive_timeout_ms", "20000", "request_timeout_ms", "10000", "tcp_nodelay", "1", "connection_queue", threads,
        "listen_backlog", "4096", NULL,
    };
    const struct mg_callbacks callbacks = {
        .begin_request = on_request, .http_error = on_error, .log_message = on_log,
        .connection_close = on_connection_end,
        .init_thread = worker_start, .exit_thread = worker_end, .external_ssl_ctx = config->tls != NULL ? on_tls : NULL,
    };
    struct mg_init_data init = { .callbacks = &callbacks, .user_data = http, .configuration_options = options };
    struct mg_error_data error = { .text = error_text, .text_buffer_size = sizeof error_text };
    http->civetweb = mg_start2(&init, &error);
    if (http->civetweb == NULL) {
        return err_set(err, ERR_SERVER, "Can't listen on %s: %s.%s", ports, error_text[0] != '\0' ? error_text : "the address is taken or not ours",
                       port_holder(config->host, config->port, holder));
    }
    struct mg_server_port bound;
    ASSERT(mg_get_server_ports(http->civetweb, 1, &bound) == 1);
    http->port = bound.port;
    return true;
}

/* Its workers have ended, or never began. */
static void http_free(struct http *http)
{
    while (http->spares != NULL) {
        struct spare *spare = http->spares;
        http->spares = spare->older;
        arena_finish(&spare->arena);
        free(spare);
    }
    gate_destroy(http->gate);
    peers_destroy(http->peers);
    lock_finish(&http->lock);
    free(http);
}

struct http *http_start(const struct http_config *config, struct err *err)
{
    if (config->threads < 2 || config->threads > HTTP_THREADS_MAX) {
        err_set(err, ERR_INVALID_PARAMETER, "The number of threads must be from 2 to %d.", HTTP_THREADS_MAX);
        return NULL;
    }
    const unsigned wanted = config->tls != NULL ? MG_FEATURES_TLS : MG_FEATURES_DEFAULT;
    bool ready = (mg_init_library(wanted) & wanted) == wanted;
    if (!gate_is_known()) {
        err_set(err, ERR_SERVER, "CivetWeb's connections can't be counted here: it does not call this program's accept().");
        return NULL;
    }
    if (!ready || (config->tls != NULL && !openssl_names_are_known())) {
        err_set(err, ERR_SERVER, "CivetWeb can't speak TLS here: it does not find OpenSSL's functions.");
        (void)mg_exit_library();
        return NULL;
    }
    struct http *http = calloc(1, sizeof *http);
    ASSERT(http != NULL);
    lock_init(&http->lock);
    http->peers = peers_create(config->threads);
    http->gate = gate_create(http->peers, config->tls != NULL, err);
    http->connections_usual = config->threads - config->threads / 4;
    http->tls = config->tls;
    http->handler = config->handler;
    http->context = config->context;
    if (http->gate != NULL && start_civetweb(http, config, err)) { return http; }
    http_free(http);
    (void)mg_exit_library();
    return NULL;
}

int http_port(const struct http *http) { return http->port; }

struct http_counts http_count(struct http *http)
{
    struct peers_counts peers = peers_count(http->peers);
    struct gate_counts gate = gate_count(http->gate);
    return (struct http_counts){
        .waiting = gate.waiting, .hung_up = gate.hung_up,
        .strangers = peers.strangers, .known = peers.known, .ended_strangers = peers.ended_strangers, .ended_idle = peers.ended_idle,
        .body_bytes = atomic_load(&http->body_bytes), .refused_heads = (int64_t)atomic_load(&http->refused_heads),
    };
}

void http_finish_running(struct http *http, int64_t patience_ms)
{
    enum { LOOK_EVERY_MS = 2 };
    int64_t until_ms = clock_monotonic_ms() + patience_ms;
    while (atomic_load(&http->running) > 0 && clock_monotonic_ms() < until_ms) { clock_sleep_ms(LOOK_EVERY_MS); }
}

static bool is_ours(const struct http *http, int fd)
{
    struct sockaddr_storage address = { 0 };
    socklen_t size = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &size) != 0) { return false; }
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    memcpy(&four, &address, sizeof four);
    memcpy(&six, &address, sizeof six);
    return (address.ss_family == AF_INET && ntohs(four.sin_port) == http->port)
        || (address.ss_family == AF_INET6 && ntohs(six.sin6_port) == http->port);
}

/* CivetWeb does not tell its sockets: those with our port at this end are the ones, the listening one too. */
static void hang_up(const struct http *http)
{
    DIR *entries = opendir("/proc/self/fd");
    if (entries == NULL) { return; }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        int64_t fd;
        if (str_to_i64(str_from(entry->d_name), &fd) && is_ours(http, (int)fd)) { (void)shutdown((int)fd, SHUT_RD); }
    }
    (void)closedir(entries);
}

/* CivetWeb looks every two seconds whether it must stop, and also when a socket has an event: the end of input is one. */
static void *nudge_thread(void *context)
{
    enum { EVERY_MS = 5 };
    const struct http *http = context;
    while (!atomic_load(&http->stopped)) {
        clock_sleep_ms(EVERY_MS);
        hang_up(http);
    }
    return NULL;
}

void http_stop(struct http *http)
{
    if (http == NULL) { return; }
    pthread_t nudger;
    bool nudged = pthread_create(&nudger, NULL, nudge_thread, http) == 0;       /* without it, stopping takes a little longer */
    mg_stop(http->civetweb);
    atomic_store(&http->stopped, true);
    if (nudged) { ASSERT(pthread_join(nudger, NULL) == 0); }
    http_free(http);
    (void)mg_exit_library();
}
