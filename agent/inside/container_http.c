/* container_http.c: one thread holds all connections, and waits until clients have sent or read; a few others answer whole requests. So a
 * client that sends nothing, or reads nothing, holds a place and no thread. Places are bounded: a client with more connections than its
 * address may have loses the oldest of its silent ones. */
#include "agent/inside/container_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"

enum {
    THREADS = 8, BUSY_MAX = THREADS / 2,     /* that answer requests; those of one address at once */
    PEERS_MAX = 256, ADDRESS_MAX = 96,       /* connections at once; those of one address */
    DOORS_MAX = 4, BACKLOG = 256,
    PATIENCE_MS = 5000,                      /* for a whole request, and again for its answer */
    STARVED_MS = 100,
    BODY_MAX = 64 * 1024, IN_FIRST = 4096, ARENA_MAX = 32 * 1024 * 1024, STACK = 512 * 1024,
};

enum stage { FREE, ASKING, WAITING, SERVED, TAKING };      /* the client sends; waits for a thread; has one; reads its answer */

struct peer {
    enum stage stage;
    int fd, door;
    uint32_t address;
    uint64_t number;                         /* in the order in which they came, and again when a request is whole */
    int64_t until_ms;                        /* while the thread waits for the client */
    char *bytes;                             /* of the request, then of the answer; owned */
    size_t len, capacity, sent;
};

struct container_http {
    container_handler *handler; void *context;
    int listening[DOORS_MAX], doors[DOORS_MAX];
    size_t count;
    pthread_t keeper, threads[THREADS];
    bool has_keeper;
    size_t thread_count;
    int bell;                                /* wakes the thread that holds the connections */
    atomic_bool stopping;
    struct lock lock;
    struct lock_signal ready;
    struct peer peers[PEERS_MAX];            /* from here on: guarded by lock; a peer in stage SERVED belongs to its thread */
    uint64_t next_number;
    bool starved;                            /* no connection could be accepted: no files or no memory were left */
};

static void ring(const struct container_http *http)
{
    uint64_t one = 1;
    if (write(http->bell, &one, sizeof one) != sizeof one) { log_line(LOG_ERROR, "agent", "the thread that holds containers' connections can't be woken"); }
}

static void drop_peer(struct peer *peer)
{
    close(peer->fd);
    free(peer->bytes);
    *peer = (struct peer){ .fd = -1 };
}

/* ---- one request ---- */

static const char *status_text(int status)
{
    static const struct { int status; const char *text; } texts[] = {
        { 200, "OK" }, { 400, "Bad Request" }, { 403, "Forbidden" }, { 404, "Not Found" }, { 405, "Method Not Allowed" },
        { 413, "Content Too Large" }, { 429, "Too Many Requests" }, { 500, "Internal Server Error" }, { 503, "Service Unavailable" },
        { 504, "Gateway Timeout" },
    };
    for (size_t t = 0; t < COUNT_OF(texts); t++) {
        if (texts[t].status == status) { return texts[t].text; }
    }
    return "Answer";
}

enum took { TOOK_REQUEST, TOOK_PART, TOOK_BROKEN, TOOK_TOO_LARGE };

/* *head and *body borrow from `bytes`. */
static enum took take_request(struct str bytes, struct head *head, struct str *body)
{
    switch (head_read(bytes, head)) {
    case HEAD_WHOLE:
        if (head->content_length > BODY_MAX) { return TOOK_TOO_LARGE; }
        *body = str_slice(bytes, head->size, head->size + head->content_length);
        return body->len == head->content_length ? TOOK_REQUEST : TOOK_PART;
    case HEAD_SHORT:     return TOOK_PART;
    case HEAD_BROKEN:    return TOOK_BROKEN;
    case HEAD_TOO_LARGE: return TOOK_TOO_LARGE;
    }
    return TOOK_BROKEN;
}

static struct str answer_text(const struct container_answer *answer, bool bodyless, struct arena *arena)
{
    struct buf out = buf_in(arena);
    buf_printf(&out, "HTTP/1.1 %d %s\r\nContent-Type: " STR_FMT "\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", answer->status,
               status_text(answer->status), STR_ARG(answer->type), answer->body.len);
    if (!bodyless) { buf_put(&out, answer->body); }
    return buf_str(&out);
}

/* Puts the peer's answer where its request was. */
static void serve(struct container_http *http, struct peer *peer, struct arena *arena)
{
    struct head *head = ARENA_NEW(arena, struct head, 1);
    struct str body = STR("");
    struct container_answer answer = { 400, STR("text/plain"), STR("This is no request.\n") };
    bool bodyless = false;
    switch (take_request((struct str){ peer->bytes, peer->len }, head, &body)) {
    case TOOK_PART:
    case TOOK_BROKEN:    break;
    case TOOK_TOO_LARGE:
        answer.status = 413;
        answer.body = STR("The request is too large.\n");
        break;
    case TOOK_REQUEST: {
        const struct container_request request = { peer->door, head->method, head->path, head->query, body, arena };
        bodyless = str_eq(head->method, STR("HEAD"));
        http->handler(http->context, &request, &answer);
        break;
    }
    }
    struct str text = answer_text(&answer, bodyless, arena);
    char *bytes = malloc(text.len);
    ASSERT(bytes != NULL);
    memcpy(bytes, text.ptr, text.len);
    free(peer->bytes);
    peer->bytes = bytes;
    peer->len = peer->capacity = text.len;
}

/* True: all is sent, or the client is gone. */
static bool send_some(struct peer *peer)
{
    while (peer->sent < peer->len) {
        ssize_t sent = send(peer->fd, peer->bytes + peer->sent, peer->len - peer->sent, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) { continue; }
        if (sent < 0) { return errno != EAGAIN; }
        peer->sent += (size_t)sent;
    }
    ASSERT(peer->sent == peer->len);                          /* our own count of our own answer */
    (void)shutdown(peer->fd, SHUT_WR);
    return true;
}

/* ---- threads that answer ---- */

/* The first waiting peer whose address has not enough threads already. */
static struct peer *next_waiting(struct container_http *http) REQUIRES(http->lock)
{
    struct peer *next = NULL;
    for (size_t p = 0; p < PEERS_MAX; p++) {
        struct peer *peer = &http->peers[p];
        size_t busy = 0;
        if (peer->stage != WAITING || (next != NULL && next->number < peer->number)) { continue; }
        for (size_t o = 0; o < PEERS_MAX; o++) { busy += http->peers[o].stage == SERVED && http->peers[o].address == peer->address; }
        if (busy < BUSY_MAX) { next = peer; }
    }
    return next;
}

static void *thread_main(void *arg)
{
    struct container_http *http = arg;
    struct arena arena = { .ceiling = ARENA_MAX };
    lock_take(&http->lock);
    while (!atomic_load(&http->stopping)) {
        struct peer *peer = next_waiting(http);
        if (peer == NULL) {
            lock_wait(&http->ready, &http->lock);
            continue;
        }
        ASSERT(peer->stage == WAITING && peer->fd >= 0);      /* set by our own threads */
        peer->stage = SERVED;
        lock_drop(&http->lock);
        serve(http, peer, &arena);
        bool done = send_some(peer);
        arena_reset(&arena);
        lock_take(&http->lock);
        ASSERT(peer->stage == SERVED);                        /* it is this thread's */
        if (done) {
            drop_peer(peer);
            continue;
        }
        peer->stage = TAKING;
        peer->until_ms = clock_monotonic_ms() + PATIENCE_MS;
        ring(http);
    }
    lock_drop(&http->lock);
    arena_finish(&arena);
    return NULL;
}

/* ---- the thread that holds the connections ---- */

static void read_some(struct container_http *http, struct peer *peer) REQUIRES(http->lock)
{
    struct head head;
    struct str body;
    for (;;) {
        /* A request that is neither whole nor too large after this is no longer than a head and a body may be. */
        if (peer->len == peer->capacity) { peer->bytes = array_grow(peer->bytes, &peer->capacity, peer->len + IN_FIRST, 1); }
        ssize_t got = recv(peer->fd, peer->bytes + peer->len, peer->capacity - peer->len, 0);
        if (got < 0 && errno == EINTR) { continue; }
        if (got < 0 && errno == EAGAIN) { return; }
        if (got <= 0) {
            drop_peer(peer);
            return;
        }
        peer->len += (size_t)got;
        if (take_request((struct str){ peer->bytes, peer->len }, &head, &body) != TOOK_PART) { break; }
    }
    ASSERT(peer->stage == ASKING);                            /* this thread alone reads */
    peer->stage = WAITING;
    peer->number = http->next_number++;
    lock_wake_one(&http->ready);
}

static size_t count_of(const struct container_http *http, uint32_t address) REQUIRES(http->lock)
{
    size_t count = 0;
    for (size_t p = 0; p < PEERS_MAX; p++) { count += http->peers[p].stage != FREE && http->peers[p].address == address; }
    return count;
}

/* The address that has the most connections. */
static uint32_t fullest(const struct container_http *http) REQUIRES(http->lock)
{
    size_t most = 0;
    uint32_t address = 0;
    for (size_t p = 0; p < PEERS_MAX; p++) {
        size_t count = count_of(http, http->peers[p].address);
        if (count > most) { address = http->peers[p].address; }
        most = count > most ? count : most;
    }
    return address;
}

/* Ends the oldest connection of the address that waits for its client; false: it has none. */
static bool end_oldest(struct container_http *http, uint32_t address) REQUIRES(http->lock)
{
    struct peer *oldest = NULL;
    for (size_t p = 0; p < PEERS_MAX; p++) {
        struct peer *peer = &http->peers[p];
        bool ends = (peer->stage == ASKING || peer->stage == TAKING) && peer->address == address;
        if (ends && (oldest == NULL || peer->number < oldest->number)) { oldest = peer; }
    }
    if (oldest != NULL) { drop_peer(oldest); }
    return oldest != NULL;
}

static struct peer *free_place(struct container_http *http) REQUIRES(http->lock)
{
    for (size_t p = 0; p < PEERS_MAX; p++) {
        if (http->peers[p].stage == FREE) { return &http->peers[p]; }
    }
    return NULL;
}

static void take_in(struct container_http *http, int fd, int door, uint32_t address) REQUIRES(http->lock)
{
    bool room = count_of(http, address) < ADDRESS_MAX || end_oldest(http, address);
    if (room && free_place(http) == NULL) { (void)end_oldest(http, fullest(http)); }
    struct peer *peer = room ? free_place(http) : NULL;
    if (peer == NULL) {
        close(fd);
        return;
    }
    ASSERT(peer->stage == FREE);                              /* as free_place found it */
    *peer = (struct peer){
        .stage = ASKING, .fd = fd, .door = door, .address = address, .number = http->next_number++, .until_ms = clock_monotonic_ms() + PATIENCE_MS,
    };
    read_some(http, peer);
}

/* At most as many as there are places at a time: the other sockets need a turn as well. */
static void accept_some(struct container_http *http, size_t door) REQUIRES(http->lock)
{
    for (size_t a = 0; a < PEERS_MAX; a++) {
        struct sockaddr_in from = { 0 };
        socklen_t size = sizeof from;
        int fd = accept4(http->listening[door], (struct sockaddr *)&from, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            http->starved = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
            return;
        }
        take_in(http, fd, http->doors[door], from.sin_addr.s_addr);
    }
}

/* The sockets to wait for, and how long at most; -1: for ever. Doors at which no client can be accepted are left out for a moment. */
static int list_waits(struct container_http *http, struct pollfd *waits, size_t *places, size_t *count) REQUIRES(http->lock)
{
    int64_t now_ms = clock_monotonic_ms(), first_ms = http->starved ? now_ms + STARVED_MS : INT64_MAX;
    *count = 0;
    waits[(*count)++] = (struct pollfd){ .fd = http->bell, .events = POLLIN };
    for (size_t d = 0; d < http->count; d++) { waits[(*count)++] = (struct pollfd){ .fd = http->starved ? -1 : http->listening[d], .events = POLLIN }; }
    http->starved = false;
    for (size_t p = 0; p < PEERS_MAX; p++) {
        const struct peer *peer = &http->peers[p];
        if (peer->stage != ASKING && peer->stage != TAKING) { continue; }
        first_ms = min_i64(first_ms, peer->until_ms);
        ASSERT(*count < 1 + DOORS_MAX + PEERS_MAX);           /* as many as there are doors and places */
        places[*count] = p;
        waits[(*count)++] = (struct pollfd){ .fd = peer->fd, .events = peer->stage == ASKING ? POLLIN : POLLOUT };
    }
    return first_ms == INT64_MAX ? -1 : (int)max_i64(0, min_i64(first_ms - now_ms, PATIENCE_MS));
}

/* Only this thread ends a connection that waits for its client, so a listed place still holds it. */
static void go_on(struct container_http *http, const struct pollfd *waits, const size_t *places, size_t count) REQUIRES(http->lock)
{
    int64_t now_ms = clock_monotonic_ms();
    for (size_t w = 1 + http->count; w < count; w++) {
        struct peer *peer = &http->peers[places[w]];
        if (waits[w].revents != 0 && peer->stage == ASKING) {
            read_some(http, peer);
        } else if (waits[w].revents != 0 && send_some(peer)) {
            drop_peer(peer);
        }
        if ((peer->stage == ASKING || peer->stage == TAKING) && peer->until_ms <= now_ms) { drop_peer(peer); }
    }
    for (size_t d = 0; d < http->count; d++) {
        if (waits[1 + d].revents != 0) { accept_some(http, d); }
    }
}

static void *keeper_main(void *arg)
{
    struct container_http *http = arg;
    struct pollfd waits[1 + DOORS_MAX + PEERS_MAX];
    size_t places[1 + DOORS_MAX + PEERS_MAX], count;
    uint64_t rung;
    lock_take(&http->lock);
    while (!atomic_load(&http->stopping)) {
        int wait_ms = list_waits(http, waits, places, &count);
        lock_drop(&http->lock);
        int ready = poll(waits, (nfds_t)count, wait_ms);
        if (ready > 0 && waits[0].revents != 0) { (void)!read(http->bell, &rung, sizeof rung); }
        lock_take(&http->lock);
        if (ready >= 0) { go_on(http, waits, places, count); }
    }
    lock_drop(&http->lock);
    return NULL;
}

/* ---- beginning and end ---- */

struct container_http *container_http_create(container_handler *handler, void *context)
{
    struct container_http *http = calloc(1, sizeof *http);
    ASSERT(http != NULL);
    http->handler = handler;
    http->context = context;
    http->bell = eventfd(0, EFD_CLOEXEC);
    ASSERT(http->bell >= 0);                              /* at the start: files are available */
    lock_init(&http->lock);
    lock_signal_init(&http->ready);
    return http;
}

int container_http_listen(struct container_http *http, const char *address, int port, int door, struct err *err)
{
    ASSERT(http->count < DOORS_MAX);                      /* called once for each door, at the start */
    ASSERT(http->thread_count == 0);                      /* and before the threads */
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    socklen_t size = sizeof at;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool good = fd >= 0 && inet_pton(AF_INET, address, &at.sin_addr) == 1 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0
        && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0 && listen(fd, BACKLOG) == 0
        && getsockname(fd, (struct sockaddr *)&at, &size) == 0;
    if (!good) {
        err_set(err, ERR_SERVER, "%s:%d: %s", address, port, strerror(errno));
        if (fd >= 0) { close(fd); }
        return 0;
    }
    http->doors[http->count] = door;
    http->listening[http->count++] = fd;
    return ntohs(at.sin_port);
}

bool container_http_start(struct container_http *http, struct err *err)
{
    pthread_attr_t attributes;
    ASSERT(pthread_attr_init(&attributes) == 0);
    ASSERT(pthread_attr_setstacksize(&attributes, STACK) == 0);
    http->has_keeper = pthread_create(&http->keeper, &attributes, keeper_main, http) == 0;
    while (http->thread_count < THREADS && pthread_create(&http->threads[http->thread_count], &attributes, thread_main, http) == 0) { http->thread_count++; }
    pthread_attr_destroy(&attributes);
    return (http->has_keeper && http->thread_count > 0) || err_set(err, ERR_SERVER, "No thread could be started.");
}

void container_http_stop(struct container_http *http)
{
    lock_take(&http->lock);                      /* or a thread that is about to wait would miss it */
    atomic_store(&http->stopping, true);
    lock_wake_all(&http->ready);
    lock_drop(&http->lock);
    ring(http);
}

void container_http_destroy(struct container_http *http)
{
    if (http == NULL) { return; }
    container_http_stop(http);
    if (http->has_keeper) { pthread_join(http->keeper, NULL); }
    for (size_t t = 0; t < http->thread_count; t++) { pthread_join(http->threads[t], NULL); }
    for (size_t d = 0; d < http->count; d++) { close(http->listening[d]); }
    for (size_t p = 0; p < PEERS_MAX; p++) {
        if (http->peers[p].stage != FREE) { drop_peer(&http->peers[p]); }
    }
    close(http->bell);
    lock_signal_finish(&http->ready);
    lock_finish(&http->lock);
    free(http);
}
