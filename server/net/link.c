/* link.c: one connection. It is in one state at a time:
 *
 *   GREETING (TLS' handshake) → READING, where a plain link begins
 *   READING → ASKED (a whole request was handed over) → READING (answered) …
 *   ASKED → WEBSOCKET (upgraded) → CLOSING; CLOSING reads what still comes and waits for the peer to hang up.
 *
 * A peer that does not read is not read either: one answer leaves before the next request is looked at, and of a websocket's messages nothing
 * more is taken while UNREAD_MAX bytes wait. What each state waits for has an end: patience.c.
 *
 * A link that ends is freed at the end of the loop's turn, so that events of the same turn still find it. */
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
    DRAIN_PIECES = 64,                       /* in one go, from a link that is closing */
    CLOSE_POLICY = 1008,
};

static void process(struct link *link);
static void send_out(struct link *link);
static void put_frame(struct link *link, enum websocket_opcode opcode, struct str payload);
static void fail_websocket(struct link *link, unsigned code, struct str reason);

/* ---- bytes ---- */

/* All bytes of a link are counted. */
static void count_bytes(struct link *link, size_t before, size_t now)
{
    atomic_fetch_add_explicit(&link->listener->held[link->known], now - before, memory_order_relaxed);
}

static void bytes_room(struct link *link, struct bytes *bytes, size_t more)
{
    if (bytes->len + more <= bytes->capacity) { return; }
    size_t capacity = bytes->len + more > bytes->capacity * 2 ? bytes->len + more : bytes->capacity * 2;
    char *ptr = realloc(bytes->ptr, capacity);
    ASSERT(ptr != NULL);
    count_bytes(link, bytes->capacity, capacity);
    bytes->ptr = ptr;
    bytes->capacity = capacity;
}

static void bytes_put(struct link *link, struct bytes *bytes, struct str s)
{
    if (s.len == 0) { return; }
    bytes_room(link, bytes, s.len);
    memcpy(bytes->ptr + bytes->len, s.ptr, s.len);
    bytes->len += s.len;
}

static void bytes_free(struct link *link, struct bytes *bytes)
{
    count_bytes(link, bytes->capacity, 0);
    free(bytes->ptr);
    *bytes = (struct bytes){ 0 };
}

/* Those before `size` are done with. */
static void bytes_take(struct link *link, struct bytes *bytes, size_t size)
{
    ASSERT(size <= bytes->len);                           /* callers have looked at so many */
    bytes->len -= size;
    if (bytes->len > 0) { memmove(bytes->ptr, bytes->ptr + size, bytes->len); } else { bytes_free(link, bytes); }
}

static void take_input(struct link *link, size_t size) { bytes_take(link, &link->in, size); }

size_t link_holds(const struct link *link) { return link->in.capacity + link->out.capacity + link->message.capacity; }

/* ---- life of a link ---- */

/* Whether what the peer says is taken now. */
static bool listens(const struct link *link)
{
    switch (link->state) {
    case LINK_READING:   return link_backlog(link) == 0;
    case LINK_WEBSOCKET: return link_backlog(link) <= UNREAD_MAX;
    case LINK_CLOSING:   return true;
    case LINK_GREETING:
    case LINK_ASKED:
    case LINK_DEAD:      break;
    }
    return false;
}

/* A peer that hangs up is heard of only where that ends something: the event would come again and again. */
static void watch(struct link *link)
{
    bool sends = link_backlog(link) > 0 || link->paused || (link->ssl != NULL && tls_wants_to_send(link->ssl));
    bool reads = listens(link) || (link->state == LINK_GREETING && !sends), hears = reads || link->state == LINK_ASKED;
    unsigned interest = (hears ? (unsigned)EPOLLRDHUP : 0) | (reads ? (unsigned)EPOLLIN : 0) | (sends ? (unsigned)EPOLLOUT : 0);
    if (link->state == LINK_DEAD || interest == link->interest) { return; }
    struct epoll_event event = { .events = interest, .data.ptr = link };
    ASSERT(epoll_ctl(link->listener->epoll, EPOLL_CTL_MOD, link->fd, &event) == 0);       /* it was added, and is open */
    link->interest = interest;
}

static void unlist(struct link *link)
{
    struct listener *listener = link->listener;
    if (link->previous != NULL) { link->previous->next = link->next; } else { listener->links = link->next; }
    if (link->next != NULL) { link->next->previous = link->previous; }
}

static void leave_strangers(struct link *link)
{
    if (link->known) { return; }
    crowd_remove(&link->listener->strangers, &link->member);
    atomic_fetch_sub(&link->listener->count[false], 1);
    atomic_fetch_sub(&link->listener->held[false], link_holds(link));
    link->known = true;
    atomic_fetch_add(&link->listener->count[true], 1);
    atomic_fetch_add(&link->listener->held[true], link_holds(link));
}

void link_admit(struct link *link)
{
    if (link->state != LINK_DEAD) { leave_strangers(link); }
}

void link_end(struct link *link, enum link_reason reason)
{
    struct listener *listener = link->listener;
    if (link->state == LINK_DEAD) { return; }
    link->state = LINK_DEAD;
    if (link->owner != NULL) { listener->config.ops->gone(listener->config.context, link); }
    timers_cancel(&listener->timers, &link->timer);
    timers_cancel(&listener->timers, &link->limit);
    tls_end(link->ssl);
    (void)close(link->fd);                                /* epoll forgets it too */
    bytes_free(link, &link->in);
    bytes_free(link, &link->out);
    bytes_free(link, &link->message);
    leave_strangers(link);
    unlist(link);
    link->next = listener->dead;
    listener->dead = link;
    atomic_fetch_sub(&listener->count[true], 1);
    atomic_fetch_add(&listener->closed[reason], 1);
}

/* Sets the moment when the link ends if nothing happens. */
static void be_patient(struct link *link)
{
    enum link_reason reason;
    if (link->state == LINK_DEAD) { return; }
    int64_t until_ms = patience_until(&link->patience, link->state, link->known, &reason);
    if (until_ms == INT64_MAX) {
        timers_cancel(&link->listener->timers, &link->limit);
    } else {
        timers_set(&link->listener->timers, &link->limit, until_ms);
    }
}

static void lose_patience(void *owner)
{
    struct link *link = owner;
    enum link_reason reason;
    if (patience_until(&link->patience, link->state, link->known, &reason) > clock_monotonic_ms()) {
        be_patient(link);
    } else if (reason == LINK_SILENT && !link->patience.asked) {
        link->patience.asked = true;
        put_frame(link, WEBSOCKET_PING, STR(""));
        send_out(link);
    } else if (reason == LINK_UNSIGNED && link->state == LINK_WEBSOCKET) {
        fail_websocket(link, CLOSE_POLICY, STR("Nobody has shown in time who this is."));
    } else {
        link_end(link, reason);
    }
}

static void owner_timer(void *owner)
{
    struct link *link = owner;
    struct listener *listener = link->listener;
    listener->config.ops->timer(listener->config.context, link, &listener->arena);
    arena_reset(&listener->arena);
}

/* ---- the socket, plain or by TLS ---- */

static ssize_t receive(struct link *link, void *bytes, size_t size)
{
    return link->ssl != NULL ? tls_receive(link->ssl, bytes, size) : recv(link->fd, bytes, size, 0);
}

static ssize_t transmit(struct link *link, const void *bytes, size_t size)
{
    return link->ssl != NULL ? tls_send(link->ssl, bytes, size) : send(link->fd, bytes, size, MSG_NOSIGNAL);
}

static void shut(struct link *link)
{
    if (link->ssl != NULL) { tls_say_goodbye(link->ssl); }
    (void)shutdown(link->fd, SHUT_WR);
}

/* ---- out ---- */

size_t link_backlog(const struct link *link) { return link->out.len - link->sent; }

/* A link that is closing says so when all has left. Returns how many bytes have left. */
static size_t flush(struct link *link)
{
    size_t waiting = link_backlog(link);
    while (link_backlog(link) > 0) {
        ssize_t sent = transmit(link, link->out.ptr + link->sent, link_backlog(link));
        if (sent < 0 && errno == EINTR) { continue; }
        if (sent < 0 && errno == EAGAIN) { break; }
        if (sent < 0) {                                   /* the loop will see it end: who sends may be in the middle of something */
            (void)shutdown(link->fd, SHUT_RDWR);
            link->sent = link->out.len;
            break;
        }
        link->sent += (size_t)sent;
    }
    ASSERT(link->sent <= link->out.len);                  /* our own count of what the system took */
    size_t left = waiting - link_backlog(link);
    if (link->sent >= link_backlog(link)) {               /* otherwise what has left would be moved over and over, or kept for ever */
        bytes_take(link, &link->out, link->sent);
        link->sent = 0;
    }
    if (link->state == LINK_CLOSING && !link->shut && link_backlog(link) == 0) {
        link->shut = true;
        link->patience.heard_ms = clock_monotonic_ms();
        shut(link);
    }
    return left;
}

static void send_out(struct link *link)
{
    if (link->state == LINK_DEAD) { return; }
    size_t left = flush(link);
    patience_note_backlog(&link->patience, left, link_backlog(link), clock_monotonic_ms());
    watch(link);
    be_patient(link);
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

static void put_answer(struct link *link, int status, struct str headers, struct str body)
{
    char head[512], date[32];
    put_date(date);
    int len = snprintf(head, sizeof head,
        "HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Type: application/x-amz-json-1.1\r\nContent-Length: %zu\r\n" STR_FMT "Connection: %s\r\n\r\n",
        status, status_text(status), date, body.len, STR_ARG(headers), link->keep_alive ? "keep-alive" : "close");
    ASSERT(len > 0 && (size_t)len < sizeof head);         /* the headers are the server's own */
    bytes_put(link, &link->out, (struct str){ head, (size_t)len });
    bytes_put(link, &link->out, body);
}

void link_answer(struct link *link, int status, struct str headers, struct str body)
{
    ASSERT(link->state == LINK_ASKED);                    /* the owner answers what it was handed, once */
    put_answer(link, status, headers, body);
    link->patience.heard_ms = clock_monotonic_ms();
    link->state = link->keep_alive ? LINK_READING : LINK_CLOSING;
    send_out(link);
    if (link->state == LINK_READING && !link->processing) { process(link); }
}

static void refuse(struct link *link, int status, struct str body)
{
    link->state = LINK_ASKED;
    link->keep_alive = false;
    link_answer(link, status, STR(""), body);
}

static void put_frame(struct link *link, enum websocket_opcode opcode, struct str payload)
{
    char head[WEBSOCKET_HEAD_MAX];
    bytes_put(link, &link->out, (struct str){ head, websocket_put_head(head, opcode, payload.len) });
    bytes_put(link, &link->out, payload);
}

static void send_message(struct link *link, enum websocket_opcode opcode, struct str payload)
{
    if (link->state != LINK_WEBSOCKET) { return; }        /* it has ended, and its owner will hear */
    put_frame(link, opcode, payload);
    send_out(link);
}

void link_send(struct link *link, struct str text) { send_message(link, WEBSOCKET_TEXT, text); }
void link_send_bytes(struct link *link, struct str bytes) { send_message(link, WEBSOCKET_BINARY, bytes); }
bool link_said_goodbye(const struct link *link) { return link->state == LINK_CLOSING; }

void link_close(struct link *link, unsigned code, struct str reason)
{
    char payload[WEBSOCKET_CONTROL_MAX];
    if (link->state != LINK_WEBSOCKET) { return; }
    reason = str_slice(reason, 0, sizeof payload - 2);
    payload[0] = (char)(code >> 8);
    payload[1] = (char)(code & 0xFF);
    memcpy(payload + 2, reason.ptr, reason.len);
    put_frame(link, WEBSOCKET_CLOSE, (struct str){ payload, reason.len + 2 });
    link->state = LINK_CLOSING;
    send_out(link);
}

void link_own(struct link *link, void *owner) { link->owner = owner; }
void *link_owner(const struct link *link) { return link->owner; }

void link_set_timer(struct link *link, int64_t due_ms)
{
    if (link->state != LINK_DEAD) { timers_set(&link->listener->timers, &link->timer, due_ms); }
}

/* ---- requests ---- */

bool link_upgrade(struct link *link, const struct http_request *request)
{
    char accept[WEBSOCKET_ACCEPT_LEN + 1];
    bool asked = head_lists(http_header(request, STR("Connection")), STR("upgrade"))
        && head_lists(http_header(request, STR("Upgrade")), STR("websocket"))
        && str_eq(http_header(request, STR("Sec-WebSocket-Version")), STR("13"))
        && websocket_accept(http_header(request, STR("Sec-WebSocket-Key")), accept);
    if (!asked || link->state != LINK_ASKED) { return false; }
    bytes_put(link, &link->out, STR("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "));
    bytes_put(link, &link->out, str_from(accept));
    bytes_put(link, &link->out, STR("\r\n\r\n"));
    link->state = LINK_WEBSOCKET;
    send_out(link);
    return true;
}

static void hand_over(struct link *link, const struct head *head)
{
    ASSERT(link->state == LINK_READING);                  /* one request at a time */
    struct listener *listener = link->listener;
    struct http_request request = {
        .method = head->method, .path = head->path, .query = head->query, .headers = head->headers, .header_count = head->header_count,
        .body = { link->in.ptr + head->size, head->content_length }, .body_state = HTTP_BODY_WHOLE, .peer = str_from(link->peer),
        .now_ms = clock_now_ms(), .arena = &listener->arena,
    };
    id_uuid(id_random(&listener->rng), request.id);
    link->patience.half_ms = 0;
    link->keep_alive = head->keep_alive;
    link->continued = false;
    link->state = LINK_ASKED;
    listener->config.ops->request(listener->config.context, link, &request);
    arena_reset(&listener->arena);
    if (link->state != LINK_DEAD) { take_input(link, head->size + head->content_length); }
}

/* False: more bytes are needed, or the link was refused. */
static bool process_request(struct link *link)
{
    struct head head;
    switch (head_read((struct str){ link->in.ptr, link->in.len }, &head)) {
    case HEAD_SHORT:  return false;
    case HEAD_BROKEN:
        refuse(link, 400, STR("{\"__type\":\"SerializationException\",\"message\":\"This is no request.\"}"));
        return false;
    case HEAD_TOO_LARGE: break;
    case HEAD_WHOLE:
        if (head.content_length > LISTENER_BODY_MAX) { break; }
        if (link->in.len >= head.size + head.content_length) {
            hand_over(link, &head);
            return true;
        }
        if (head.expects && !link->continued) {
            link->continued = true;
            bytes_put(link, &link->out, STR("HTTP/1.1 100 Continue\r\n\r\n"));
            send_out(link);
        }
        return false;
    }
    refuse(link, 413, STR("{\"__type\":\"RequestEntityTooLargeException\",\"message\":\"The request is too large.\"}"));
    return false;
}

/* ---- websockets ---- */

static void hand_over_text(struct link *link, struct str text)
{
    struct listener *listener = link->listener;
    listener->config.ops->text(listener->config.context, link, text, &listener->arena);
    arena_reset(&listener->arena);
}

/* The owner is done with, whatever the link has still to send. */
static void part_owner(struct link *link)
{
    if (link->owner != NULL) { link->listener->config.ops->gone(link->listener->config.context, link); }
    link->owner = NULL;
}

static void fail_websocket(struct link *link, unsigned code, struct str reason)
{
    link_close(link, code, reason);
    part_owner(link);
}

static void take_data(struct link *link, const struct websocket_frame *frame, struct str payload)
{
    bool continues = frame->opcode == WEBSOCKET_MORE, begun = link->message.ptr != NULL;
    if (continues != begun) {
        fail_websocket(link, 1002, STR("A fragment is out of place."));
    } else if (link->message.len + payload.len > LISTENER_TEXT_MAX) {
        fail_websocket(link, 1009, STR("The message is too long."));
    } else if (frame->last && !begun) {
        hand_over_text(link, payload);
    } else {
        bytes_room(link, &link->message, payload.len + 1);
        bytes_put(link, &link->message, payload);
        if (!frame->last) { return; }
        hand_over_text(link, (struct str){ link->message.ptr, link->message.len });
        bytes_free(link, &link->message);
    }
}

static void take_frame(struct link *link, const struct websocket_frame *frame, struct str payload)
{
    switch (frame->opcode) {
    case WEBSOCKET_PING:
        put_frame(link, WEBSOCKET_PONG, payload);
        send_out(link);
        break;
    case WEBSOCKET_PONG: break;
    case WEBSOCKET_CLOSE: {
        bool coded = payload.len >= 2;
        unsigned code = coded ? (unsigned)(uint8_t)payload.ptr[0] << 8 | (uint8_t)payload.ptr[1] : 1000;
        fail_websocket(link, code, STR(""));
        break;
    }
    case WEBSOCKET_MORE:
    case WEBSOCKET_TEXT:
    case WEBSOCKET_BINARY: take_data(link, frame, payload); break;
    }
}

static bool process_frame(struct link *link)
{
    struct websocket_frame frame;
    switch (websocket_read((struct str){ link->in.ptr, link->in.len }, LISTENER_TEXT_MAX, &frame)) {
    case WEBSOCKET_SHORT: return false;
    case WEBSOCKET_BROKEN:
        fail_websocket(link, 1002, STR("This is no frame."));
        return false;
    case WEBSOCKET_TOO_LONG:
        fail_websocket(link, 1009, STR("The message is too long."));
        return false;
    case WEBSOCKET_FRAME: break;
    }
    char *payload = link->in.ptr + frame.head;
    websocket_unmask(payload, frame.size, frame.mask);
    take_frame(link, &frame, (struct str){ payload, frame.size });
    if (link->message.ptr == NULL) { link->patience.half_ms = 0; }
    if (link->state != LINK_DEAD) { take_input(link, frame.head + frame.size); }
    return true;
}

/* ---- in ---- */

static void process(struct link *link)
{
    bool more = true;
    link->processing = true;
    while (more && link->in.len > 0 && listens(link)) {
        switch (link->state) {
        case LINK_READING:   more = process_request(link); break;
        case LINK_WEBSOCKET: more = process_frame(link); break;
        case LINK_CLOSING:   take_input(link, link->in.len); break;
        case LINK_GREETING:
        case LINK_ASKED:
        case LINK_DEAD:      more = false; break;
        }
    }
    link->processing = false;
    link->paused = (link->state == LINK_READING || link->state == LINK_WEBSOCKET) && link->in.len > 0 && !listens(link);
    bool half = link->state != LINK_ASKED && (link->in.len > 0 || link->message.ptr != NULL);
    if (!half) { link->patience.half_ms = 0; } else if (link->patience.half_ms == 0) { link->patience.half_ms = clock_monotonic_ms(); }
    watch(link);
    be_patient(link);
}

/* Below TLS: nobody wants to know what it was. */
static void discard(struct link *link)
{
    char piece[READ_PIECE];
    for (int p = 0; p < DRAIN_PIECES; p++) {
        ssize_t got = recv(link->fd, piece, sizeof piece, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) { return; }
        if (got <= 0) {
            link_end(link, LINK_DONE);
            return;
        }
    }
}

static void read_input(struct link *link)
{
    struct listener *listener = link->listener;
    if (link->state == LINK_CLOSING) {
        discard(link);
        return;
    }
    ssize_t got = receive(link, listener->piece, sizeof listener->piece);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        watch(link);                                      /* TLS may want to send before it can go on */
        return;
    }
    if (got <= 0) {
        link_end(link, LINK_PEER);
        return;
    }
    bytes_put(link, &link->in, (struct str){ listener->piece, (size_t)got });
    link->patience.heard_ms = clock_monotonic_ms();
    link->patience.asked = false;
    process(link);
}

static void greet(struct link *link)
{
    switch (tls_greet(link->ssl)) {
    case TLS_WAITS:  watch(link); return;
    case TLS_FAILED: link_end(link, LINK_TLS); return;
    case TLS_GREETED: break;
    }
    link->state = LINK_READING;
    watch(link);
    be_patient(link);
}

void link_event(struct link *link, unsigned events)
{
    if (link->state == LINK_DEAD) { return; }
    if ((events & (EPOLLERR | EPOLLHUP)) != 0 || ((events & EPOLLRDHUP) != 0 && link->state == LINK_ASKED)) {
        link_end(link, link->state == LINK_CLOSING ? LINK_DONE : LINK_PEER);
        return;
    }
    if (link->state == LINK_GREETING) {
        greet(link);
        if (link->state == LINK_GREETING && (events & EPOLLRDHUP) != 0) { link_end(link, LINK_PEER); }
        return;
    }
    bool reads = (events & (EPOLLIN | EPOLLRDHUP)) != 0 || (link->ssl != NULL && tls_wants_to_send(link->ssl) && link_backlog(link) == 0);
    if ((events & EPOLLOUT) != 0) { send_out(link); }
    if (!listens(link)) { return; }
    if (link->paused) { process(link); } else if (reads) { read_input(link); }
}

void link_start(struct link *link)
{
    link->timer = (struct timer){ .fire = owner_timer, .owner = link };
    link->limit = (struct timer){ .fire = lose_patience, .owner = link };
    link->patience.come_ms = link->patience.heard_ms = clock_monotonic_ms();
    link->state = link->ssl != NULL ? LINK_GREETING : LINK_READING;
    be_patient(link);
}

void link_send_away(struct link *link)
{
    if (link->state == LINK_WEBSOCKET) {
        fail_websocket(link, 1001, STR("The server is stopping."));
    } else if (link->state == LINK_GREETING || (link->state == LINK_READING && link_backlog(link) == 0)) {
        link_end(link, LINK_STOPPING);
    }
}
