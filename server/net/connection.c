/* connection.c: one connection. It is in one state at a time:
 *
 *   GREETING (TLS' handshake) → READING, where a plain connection begins
 *   READING → ASKED (a whole request was handed over) → READING (answered) …
 *   ASKED → WEBSOCKET (upgraded) → CLOSING; CLOSING reads what still comes and waits for the peer to hang up.
 *
 * A peer that does not read is not read either: an answer leaves before the next request is read, and a websocket is not read while more than
 * UNREAD_MAX bytes wait. Each state's wait has an end: patience.c.
 *
 * A connection that ends is freed at the end of the loop's turn, so that events of the same turn still find it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "base/http/websocket.h"
#include "base/http/head.h"
#include "server/net/listener_internal.h"

enum {
    UNREAD_MAX = 64 * 1024,                  /* bytes that a websocket's peer has not read: then its own wait */
    DRAIN_PIECES = 64,                       /* in one go, from a connection that is closing */
    CLOSE_POLICY = 1008,
};

static void process(struct connection *connection);
static void send_out(struct connection *connection);
static void put_frame(struct connection *connection, enum websocket_opcode opcode, struct str payload);
static void fail_websocket(struct connection *connection, unsigned code, struct str reason);

/* ---- bytes ---- */

/* All bytes of a connection are counted. */
static void count_bytes(struct connection *connection, size_t before, size_t now)
{
    atomic_fetch_add_explicit(&connection->listener->held[connection->known], now - before, memory_order_relaxed);
}

static void bytes_room(struct connection *connection, struct bytes *bytes, size_t more)
{
    if (bytes->len + more <= bytes->capacity) { return; }
    size_t capacity = bytes->len + more > bytes->capacity * 2 ? bytes->len + more : bytes->capacity * 2;
    char *ptr = realloc(bytes->ptr, capacity);
    ASSERT(ptr != NULL);
    count_bytes(connection, bytes->capacity, capacity);
    bytes->ptr = ptr;
    bytes->capacity = capacity;
}

static void bytes_put(struct connection *connection, struct bytes *bytes, struct str s)
{
    if (s.len == 0) { return; }
    bytes_room(connection, bytes, s.len);
    memcpy(bytes->ptr + bytes->len, s.ptr, s.len);
    bytes->len += s.len;
}

static void bytes_free(struct connection *connection, struct bytes *bytes)
{
    count_bytes(connection, bytes->capacity, 0);
    free(bytes->ptr);
    *bytes = (struct bytes){ 0 };
}

/* Removes the first `size` bytes. */
static void bytes_take(struct connection *connection, struct bytes *bytes, size_t size)
{
    ASSERT(size <= bytes->len);                           /* callers have read that many */
    bytes->len -= size;
    if (bytes->len > 0) { memmove(bytes->ptr, bytes->ptr + size, bytes->len); } else { bytes_free(connection, bytes); }
}

static void take_input(struct connection *connection, size_t size) { bytes_take(connection, &connection->in, size); }

size_t connection_holds(const struct connection *connection) { return connection->in.capacity + connection->out.capacity + connection->message.capacity; }

/* ---- life of a connection ---- */

/* Are bytes from the peer read now? */
static bool listens(const struct connection *connection)
{
    switch (connection->state) {
    case CONNECTION_READING:   return connection_backlog(connection) == 0;
    case CONNECTION_WEBSOCKET: return connection_backlog(connection) <= UNREAD_MAX;
    case CONNECTION_CLOSING:   return true;
    case CONNECTION_GREETING:
    case CONNECTION_ASKED:
    case CONNECTION_DEAD:      break;
    }
    return false;
}

/* EPOLLRDHUP is watched only in states that it ends; in others the event would come again and again. */
static void watch(struct connection *connection)
{
    bool sends = connection_backlog(connection) > 0 || connection->paused || (connection->ssl != NULL && tls_wants_to_send(connection->ssl));
    bool reads = listens(connection) || (connection->state == CONNECTION_GREETING && !sends), hears = reads || connection->state == CONNECTION_ASKED;
    unsigned interest = (hears ? (unsigned)EPOLLRDHUP : 0) | (reads ? (unsigned)EPOLLIN : 0) | (sends ? (unsigned)EPOLLOUT : 0);
    if (connection->state == CONNECTION_DEAD || interest == connection->interest) { return; }
    struct epoll_event event = { .events = interest, .data.ptr = connection };
    ASSERT(epoll_ctl(connection->listener->epoll, EPOLL_CTL_MOD, connection->fd, &event) == 0);  /* it was added, and is open */
    connection->interest = interest;
}

static void unlist(struct connection *connection)
{
    struct listener *listener = connection->listener;
    if (connection->previous != NULL) { connection->previous->next = connection->next; } else { listener->connections = connection->next; }
    if (connection->next != NULL) { connection->next->previous = connection->previous; }
}

static void leave_strangers(struct connection *connection)
{
    if (connection->known) { return; }
    crowd_remove(&connection->listener->strangers, &connection->member);
    atomic_fetch_sub(&connection->listener->count[false], 1);
    atomic_fetch_sub(&connection->listener->held[false], connection_holds(connection));
    connection->known = true;
    atomic_fetch_add(&connection->listener->count[true], 1);
    atomic_fetch_add(&connection->listener->held[true], connection_holds(connection));
}

void connection_admit(struct connection *connection)
{
    if (connection->state != CONNECTION_DEAD) { leave_strangers(connection); }
}

void connection_end(struct connection *connection, enum connection_reason reason)
{
    struct listener *listener = connection->listener;
    if (connection->state == CONNECTION_DEAD) { return; }
    connection->state = CONNECTION_DEAD;
    if (connection->owner != NULL) { listener->config.ops->gone(listener->config.context, connection); }
    timers_cancel(&listener->timers, &connection->timer);
    timers_cancel(&listener->timers, &connection->limit);
    tls_end(connection->ssl);
    (void)close(connection->fd);                          /* epoll forgets it too */
    bytes_free(connection, &connection->in);
    bytes_free(connection, &connection->out);
    bytes_free(connection, &connection->message);
    leave_strangers(connection);
    unlist(connection);
    connection->next = listener->dead;
    listener->dead = connection;
    atomic_fetch_sub(&listener->count[true], 1);
    atomic_fetch_add(&listener->closed[reason], 1);
}

/* Sets the moment when the connection ends if nothing happens. */
static void be_patient(struct connection *connection)
{
    enum connection_reason reason;
    if (connection->state == CONNECTION_DEAD) { return; }
    int64_t until_ms = patience_until(&connection->patience, connection->state, connection->known, &reason);
    if (until_ms == INT64_MAX) {
        timers_cancel(&connection->listener->timers, &connection->limit);
    } else {
        timers_set(&connection->listener->timers, &connection->limit, until_ms);
    }
}

static void lose_patience(void *owner)
{
    struct connection *connection = owner;
    enum connection_reason reason;
    if (patience_until(&connection->patience, connection->state, connection->known, &reason) > clock_monotonic_ms()) {
        be_patient(connection);
    } else if (reason == CONNECTION_SILENT && !connection->patience.asked) {
        connection->patience.asked = true;
        put_frame(connection, WEBSOCKET_PING, STR(""));
        send_out(connection);
    } else if (reason == CONNECTION_UNSIGNED && connection->state == CONNECTION_WEBSOCKET) {
        fail_websocket(connection, CLOSE_POLICY, STR("Nobody has shown in time who this is."));
    } else {
        connection_end(connection, reason);
    }
}

static void owner_timer(void *owner)
{
    struct connection *connection = owner;
    struct listener *listener = connection->listener;
    listener->config.ops->timer(listener->config.context, connection, &listener->arena);
    arena_reset(&listener->arena);
}

/* ---- the socket, plain or by TLS ---- */

static ssize_t receive(struct connection *connection, void *bytes, size_t size)
{
    return connection->ssl != NULL ? tls_receive(connection->ssl, bytes, size) : recv(connection->fd, bytes, size, 0);
}

static ssize_t transmit(struct connection *connection, const void *bytes, size_t size)
{
    return connection->ssl != NULL ? tls_send(connection->ssl, bytes, size) : send(connection->fd, bytes, size, MSG_NOSIGNAL);
}

static void shut(struct connection *connection)
{
    if (connection->ssl != NULL) { tls_say_goodbye(connection->ssl); }
    (void)shutdown(connection->fd, SHUT_WR);
}

/* ---- out ---- */

size_t connection_backlog(const struct connection *connection) { return connection->out.len - connection->sent; }

/* A connection that is closing says so when all has left. Returns how many bytes have left. */
static size_t flush(struct connection *connection)
{
    size_t waiting = connection_backlog(connection);
    while (connection_backlog(connection) > 0) {
        ssize_t sent = transmit(connection, connection->out.ptr + connection->sent, connection_backlog(connection));
        if (sent < 0 && errno == EINTR) { continue; }
        if (sent < 0 && errno == EAGAIN) { break; }
        if (sent < 0) {                                   /* the loop will see it end: who sends may be in the middle of something */
            (void)shutdown(connection->fd, SHUT_RDWR);
            connection->sent = connection->out.len;
            break;
        }
        connection->sent += (size_t)sent;
    }
    ASSERT(connection->sent <= connection->out.len);      /* our own count of what the system took */
    size_t left = waiting - connection_backlog(connection);
    if (connection->sent >= connection_backlog(connection)) {  /* otherwise sent bytes would be moved again and again, or kept forever */
        bytes_take(connection, &connection->out, connection->sent);
        connection->sent = 0;
    }
    if (connection->state == CONNECTION_CLOSING && !connection->shut && connection_backlog(connection) == 0) {
        connection->shut = true;
        connection->patience.heard_ms = clock_monotonic_ms();
        shut(connection);
    }
    return left;
}

static void send_out(struct connection *connection)
{
    if (connection->state == CONNECTION_DEAD) { return; }
    size_t left = flush(connection);
    patience_note_backlog(&connection->patience, left, connection_backlog(connection), clock_monotonic_ms());
    watch(connection);
    be_patient(connection);
}

static const char *status_text(int status)
{
    static const struct { int status; const char *text; } texts[] = {
        { 200, "OK" }, { 400, "Bad Request" }, { 403, "Forbidden" }, { 404, "Not Found" }, { 413, "Content Too Large" },
        { 500, "Internal Server Error" }, { 503, "Service Unavailable" },
    };
    for (size_t t = 0; t < COUNT_OF(texts); t++) {
        if (texts[t].status == status) { return texts[t].text; }
    }
    return "Answer";
}

static void put_date(char out[32])
{
    time_t now = (time_t)(clock_now_ms() / 1000);
    struct tm utc;
    if (gmtime_r(&now, &utc) == NULL || strftime(out, 32, "%a, %d %b %Y %H:%M:%S GMT", &utc) == 0) { out[0] = '\0'; }     /* no calendar has it */
}

static void put_answer(struct connection *connection, int status, struct str headers, struct str body)
{
    char head[512], date[32];
    put_date(date);
    int len = snprintf(head, sizeof head,
        "HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Type: application/x-amz-json-1.1\r\nContent-Length: %zu\r\n" STR_FMT "Connection: %s\r\n\r\n",
        status, status_text(status), date, body.len, STR_ARG(headers), connection->keep_alive ? "keep-alive" : "close");
    ASSERT(len > 0 && (size_t)len < sizeof head);         /* the headers are the server's own */
    bytes_put(connection, &connection->out, (struct str){ head, (size_t)len });
    bytes_put(connection, &connection->out, body);
}

void connection_answer(struct connection *connection, int status, struct str headers, struct str body)
{
    ASSERT(connection->state == CONNECTION_ASKED);        /* the owner answers what it was handed, once */
    put_answer(connection, status, headers, body);
    connection->patience.heard_ms = clock_monotonic_ms();
    connection->state = connection->keep_alive ? CONNECTION_READING : CONNECTION_CLOSING;
    send_out(connection);
    if (connection->state == CONNECTION_READING && !connection->processing) { process(connection); }
}

static void refuse(struct connection *connection, int status, struct str body)
{
    connection->state = CONNECTION_ASKED;
    connection->keep_alive = false;
    connection_answer(connection, status, STR(""), body);
}

static void put_frame(struct connection *connection, enum websocket_opcode opcode, struct str payload)
{
    char head[WEBSOCKET_HEAD_MAX];
    bytes_put(connection, &connection->out, (struct str){ head, websocket_put_head(head, opcode, payload.len) });
    bytes_put(connection, &connection->out, payload);
}

static void send_message(struct connection *connection, enum websocket_opcode opcode, struct str payload)
{
    if (connection->state != CONNECTION_WEBSOCKET) { return; }  /* it has ended, and its owner will hear */
    put_frame(connection, opcode, payload);
    send_out(connection);
}

void connection_send(struct connection *connection, struct str text) { send_message(connection, WEBSOCKET_TEXT, text); }
void connection_send_bytes(struct connection *connection, struct str bytes) { send_message(connection, WEBSOCKET_BINARY, bytes); }
bool connection_said_goodbye(const struct connection *connection) { return connection->state == CONNECTION_CLOSING; }

void connection_close(struct connection *connection, unsigned code, struct str reason)
{
    char payload[WEBSOCKET_CONTROL_MAX];
    if (connection->state != CONNECTION_WEBSOCKET) { return; }
    reason = str_slice(reason, 0, sizeof payload - 2);
    payload[0] = (char)(code >> 8);
    payload[1] = (char)(code & 0xFF);
    memcpy(payload + 2, reason.ptr, reason.len);
    put_frame(connection, WEBSOCKET_CLOSE, (struct str){ payload, reason.len + 2 });
    connection->state = CONNECTION_CLOSING;
    send_out(connection);
}

void connection_own(struct connection *connection, void *owner) { connection->owner = owner; }
void *connection_owner(const struct connection *connection) { return connection->owner; }

void connection_set_timer(struct connection *connection, int64_t due_ms)
{
    if (connection->state != CONNECTION_DEAD) { timers_set(&connection->listener->timers, &connection->timer, due_ms); }
}

/* ---- requests ---- */

bool connection_upgrade(struct connection *connection, const struct http_request *request)
{
    char accept[WEBSOCKET_ACCEPT_LEN + 1];
    bool asked = head_lists(http_header(request, STR("Connection")), STR("upgrade"))
        && head_lists(http_header(request, STR("Upgrade")), STR("websocket"))
        && str_eq(http_header(request, STR("Sec-WebSocket-Version")), STR("13"))
        && websocket_accept(http_header(request, STR("Sec-WebSocket-Key")), accept);
    if (!asked || connection->state != CONNECTION_ASKED) { return false; }
    bytes_put(connection, &connection->out, STR("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "));
    bytes_put(connection, &connection->out, str_from(accept));
    bytes_put(connection, &connection->out, STR("\r\n\r\n"));
    connection->state = CONNECTION_WEBSOCKET;
    send_out(connection);
    return true;
}

static void hand_over(struct connection *connection, const struct head *head)
{
    ASSERT(connection->state == CONNECTION_READING);      /* one request at a time */
    struct listener *listener = connection->listener;
    struct http_request request = {
        .method = head->method, .path = head->path, .query = head->query, .headers = head->headers, .header_count = head->header_count,
        .body = { connection->in.ptr + head->size, head->content_length }, .body_state = HTTP_BODY_WHOLE, .peer = str_from(connection->peer),
        .now_ms = clock_now_ms(), .arena = &listener->arena,
    };
    id_uuid(id_random(&listener->rng), request.id);
    connection->patience.half_ms = 0;
    connection->keep_alive = head->keep_alive;
    connection->continued = false;
    connection->state = CONNECTION_ASKED;
    listener->config.ops->request(listener->config.context, connection, &request);
    arena_reset(&listener->arena);
    if (connection->state != CONNECTION_DEAD) { take_input(connection, head->size + head->content_length); }
}

/* False: more bytes are needed, or the connection was refused. */
static bool process_request(struct connection *connection)
{
    struct head head;
    switch (head_read((struct str){ connection->in.ptr, connection->in.len }, &head)) {
    case HEAD_SHORT:  return false;
    case HEAD_BROKEN:
        refuse(connection, 400, STR("{\"__type\":\"SerializationException\",\"message\":\"This is no request.\"}"));
        return false;
    case HEAD_TOO_LARGE: break;
    case HEAD_WHOLE:
        if (head.content_length > LISTENER_BODY_MAX) { break; }
        if (connection->in.len >= head.size + head.content_length) {
            hand_over(connection, &head);
            return true;
        }
        if (head.expects && !connection->continued) {
            connection->continued = true;
            bytes_put(connection, &connection->out, STR("HTTP/1.1 100 Continue\r\n\r\n"));
            send_out(connection);
        }
        return false;
    }
    refuse(connection, 413, STR("{\"__type\":\"RequestEntityTooLargeException\",\"message\":\"The request is too large.\"}"));
    return false;
}

/* ---- websockets ---- */

static void hand_over_text(struct connection *connection, struct str text)
{
    struct listener *listener = connection->listener;
    listener->config.ops->text(listener->config.context, connection, text, &listener->arena);
    arena_reset(&listener->arena);
}

/* The owner has nothing more to do, even if the connection still has bytes to send. */
static void part_owner(struct connection *connection)
{
    if (connection->owner != NULL) { connection->listener->config.ops->gone(connection->listener->config.context, connection); }
    connection->owner = NULL;
}

static void fail_websocket(struct connection *connection, unsigned code, struct str reason)
{
    connection_close(connection, code, reason);
    part_owner(connection);
}

static void take_data(struct connection *connection, const struct websocket_frame *frame, struct str payload)
{
    bool continues = frame->opcode == WEBSOCKET_MORE, begun = connection->message.ptr != NULL;
    if (continues != begun) {
        fail_websocket(connection, 1002, STR("A fragment is out of place."));
    } else if (connection->message.len + payload.len > LISTENER_TEXT_MAX) {
        fail_websocket(connection, 1009, STR("The message is too long."));
    } else if (frame->last && !begun) {
        hand_over_text(connection, payload);
    } else {
        bytes_room(connection, &connection->message, payload.len + 1);
        bytes_put(connection, &connection->message, payload);
        if (!frame->last) { return; }
        hand_over_text(connection, (struct str){ connection->message.ptr, connection->message.len });
        bytes_free(connection, &connection->message);
    }
}

static void take_frame(struct connection *connection, const struct websocket_frame *frame, struct str payload)
{
    switch (frame->opcode) {
    case WEBSOCKET_PING:
        put_frame(connection, WEBSOCKET_PONG, payload);
        send_out(connection);
        break;
    case WEBSOCKET_PONG: break;
    case WEBSOCKET_CLOSE: {
        bool coded = payload.len >= 2;
        unsigned code = coded ? (unsigned)(uint8_t)payload.ptr[0] << 8 | (uint8_t)payload.ptr[1] : 1000;
        fail_websocket(connection, code, STR(""));
        break;
    }
    case WEBSOCKET_MORE:
    case WEBSOCKET_TEXT:
    case WEBSOCKET_BINARY: take_data(connection, frame, payload); break;
    }
}

static bool process_frame(struct connection *connection)
{
    struct websocket_frame frame;
    switch (websocket_read((struct str){ connection->in.ptr, connection->in.len }, LISTENER_TEXT_MAX, &frame)) {
    case WEBSOCKET_SHORT: return false;
    case WEBSOCKET_BROKEN:
        fail_websocket(connection, 1002, STR("This is no frame."));
        return false;
    case WEBSOCKET_TOO_LONG:
        fail_websocket(connection, 1009, STR("The message is too long."));
        return false;
    case WEBSOCKET_FRAME: break;
    }
    char *payload = connection->in.ptr + frame.head;
    websocket_unmask(payload, frame.size, frame.mask);
    take_frame(connection, &frame, (struct str){ payload, frame.size });
    if (connection->message.ptr == NULL) { connection->patience.half_ms = 0; }
    if (connection->state != CONNECTION_DEAD) { take_input(connection, frame.head + frame.size); }
    return true;
}

/* ---- in ---- */

static void process(struct connection *connection)
{
    bool more = true;
    connection->processing = true;
    while (more && connection->in.len > 0 && listens(connection)) {
        switch (connection->state) {
        case CONNECTION_READING:   more = process_request(connection); break;
        case CONNECTION_WEBSOCKET: more = process_frame(connection); break;
        case CONNECTION_CLOSING:   take_input(connection, connection->in.len); break;
        case CONNECTION_GREETING:
        case CONNECTION_ASKED:
        case CONNECTION_DEAD:      more = false; break;
        }
    }
    connection->processing = false;
    bool takes = connection->state == CONNECTION_READING || connection->state == CONNECTION_WEBSOCKET;
    connection->paused = takes && connection->in.len > 0 && !listens(connection);
    bool half = connection->state != CONNECTION_ASKED && (connection->in.len > 0 || connection->message.ptr != NULL);
    if (!half) { connection->patience.half_ms = 0; } else if (connection->patience.half_ms == 0) { connection->patience.half_ms = clock_monotonic_ms(); }
    watch(connection);
    be_patient(connection);
}

/* Below TLS: nobody wants to know what it was. */
static void discard(struct connection *connection)
{
    char piece[READ_PIECE];
    for (int p = 0; p < DRAIN_PIECES; p++) {
        ssize_t got = recv(connection->fd, piece, sizeof piece, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) { return; }
        if (got <= 0) {
            connection_end(connection, CONNECTION_DONE);
            return;
        }
    }
}

static void read_input(struct connection *connection)
{
    struct listener *listener = connection->listener;
    if (connection->state == CONNECTION_CLOSING) {
        discard(connection);
        return;
    }
    ssize_t got = receive(connection, listener->piece, sizeof listener->piece);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        watch(connection);                                /* TLS may want to send before it can go on */
        return;
    }
    if (got <= 0) {
        connection_end(connection, CONNECTION_PEER);
        return;
    }
    bytes_put(connection, &connection->in, (struct str){ listener->piece, (size_t)got });
    connection->patience.heard_ms = clock_monotonic_ms();
    connection->patience.asked = false;
    process(connection);
}

static void greet(struct connection *connection)
{
    switch (tls_greet(connection->ssl)) {
    case TLS_WAITS:  watch(connection); return;
    case TLS_FAILED: connection_end(connection, CONNECTION_TLS); return;
    case TLS_GREETED: break;
    }
    connection->state = CONNECTION_READING;
    watch(connection);
    be_patient(connection);
}

void connection_event(struct connection *connection, unsigned events)
{
    if (connection->state == CONNECTION_DEAD) { return; }
    if ((events & (EPOLLERR | EPOLLHUP)) != 0 || ((events & EPOLLRDHUP) != 0 && connection->state == CONNECTION_ASKED)) {
        connection_end(connection, connection->state == CONNECTION_CLOSING ? CONNECTION_DONE : CONNECTION_PEER);
        return;
    }
    if (connection->state == CONNECTION_GREETING) {
        greet(connection);
        if (connection->state == CONNECTION_GREETING && (events & EPOLLRDHUP) != 0) { connection_end(connection, CONNECTION_PEER); }
        return;
    }
    bool tls_waits = connection->ssl != NULL && tls_wants_to_send(connection->ssl) && connection_backlog(connection) == 0;
    bool reads = (events & (EPOLLIN | EPOLLRDHUP)) != 0 || tls_waits;
    if ((events & EPOLLOUT) != 0) { send_out(connection); }
    if (!listens(connection)) { return; }
    if (connection->paused) { process(connection); } else if (reads) { read_input(connection); }
}

void connection_start(struct connection *connection)
{
    connection->timer = (struct timer){ .fire = owner_timer, .owner = connection };
    connection->limit = (struct timer){ .fire = lose_patience, .owner = connection };
    connection->patience.come_ms = connection->patience.heard_ms = clock_monotonic_ms();
    connection->state = connection->ssl != NULL ? CONNECTION_GREETING : CONNECTION_READING;
    be_patient(connection);
}

void connection_send_away(struct connection *connection)
{
    if (connection->state == CONNECTION_WEBSOCKET) {
        fail_websocket(connection, 1001, STR("The server is stopping."));
    } else if (connection->state == CONNECTION_GREETING || (connection->state == CONNECTION_READING && connection_backlog(connection) == 0)) {
        connection_end(connection, CONNECTION_STOPPING);
    }
}
