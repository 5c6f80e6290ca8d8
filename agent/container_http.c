/* container_http.c: each thread waits for a connection at any door, serves one request and closes it. A client gets a few seconds in all,
 * so that one which says nothing holds a thread no longer. */
#include "agent/container_http.h"

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

#include "base/clock.h"
#include "base/log.h"

enum {
    THREADS = 8, DOORS_MAX = 4, BACKLOG = 64,
    PATIENCE_MS = 5000,                      /* for a whole request, and again for its answer */
    BODY_MAX = 64 * 1024, ARENA_MAX = 32 * 1024 * 1024, STACK = 512 * 1024,
};

struct container_http {
    container_handler *handler; void *context;
    struct pollfd waits[DOORS_MAX + 1];      /* the doors, and behind them the bell that ends it */
    int doors[DOORS_MAX];
    size_t count;
    pthread_t threads[THREADS];
    size_t thread_count;
    int bell;
    atomic_bool stopping;
};

/* ---- one request ---- */

static bool wait_for(struct container_http *http, int fd, short events, int64_t until_ms)
{
    struct pollfd waits[] = { { .fd = fd, .events = events }, { .fd = http->bell, .events = POLLIN } };
    int64_t left_ms = until_ms - clock_monotonic_ms();
    if (left_ms <= 0) { return false; }
    int ready = poll(waits, COUNT_OF(waits), (int)left_ms);
    return (ready > 0 || (ready < 0 && errno == EINTR)) && !atomic_load(&http->stopping);
}

static bool send_all(struct container_http *http, int fd, struct str bytes)
{
    int64_t until_ms = clock_monotonic_ms() + PATIENCE_MS;
    while (bytes.len > 0) {
        ssize_t sent = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (sent > 0) { bytes = str_slice(bytes, (size_t)sent, bytes.len); }
        if (sent < 0 && errno != EAGAIN && errno != EINTR) { return false; }
        if (bytes.len > 0 && !wait_for(http, fd, POLLOUT, until_ms)) { return false; }
    }
    return true;
}

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

static void send_answer(struct container_http *http, int fd, const struct container_answer *answer, bool bodyless, struct arena *arena)
{
    struct buf out = buf_in(arena);
    buf_printf(&out, "HTTP/1.1 %d %s\r\nContent-Type: " STR_FMT "\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", answer->status,
               status_text(answer->status), STR_ARG(answer->type), answer->body.len);
    if (!bodyless) { buf_put(&out, answer->body); }
    if (send_all(http, fd, buf_str(&out))) { (void)shutdown(fd, SHUT_WR); }       /* otherwise nobody is there any more */
}

enum took { TOOK_REQUEST, TOOK_NOTHING, TOOK_BROKEN, TOOK_TOO_LARGE };

/* *head and *body borrow from `in`, which has room for both. */
static enum took take_request(struct container_http *http, int fd, char *in, struct head *head, struct str *body)
{
    int64_t until_ms = clock_monotonic_ms() + PATIENCE_MS;
    for (size_t len = 0;;) {
        struct str bytes = { in, len };
        switch (head_read(bytes, head)) {
        case HEAD_WHOLE:
            if (head->content_length > BODY_MAX) { return TOOK_TOO_LARGE; }
            *body = str_slice(bytes, head->size, head->size + head->content_length);
            if (body->len == head->content_length) { return TOOK_REQUEST; }
            break;
        case HEAD_SHORT:     break;
        case HEAD_BROKEN:    return TOOK_BROKEN;
        case HEAD_TOO_LARGE: return TOOK_TOO_LARGE;
        }
        if (!wait_for(http, fd, POLLIN, until_ms)) { return TOOK_NOTHING; }
        ssize_t got = recv(fd, in + len, (size_t)HEAD_MAX + BODY_MAX - len, 0);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) { return TOOK_NOTHING; }
        if (got > 0) { len += (size_t)got; }
    }
}

static void serve(struct container_http *http, int door, int fd, struct arena *arena)
{
    struct head *head = ARENA_NEW(arena, struct head, 1);
    struct str body = STR("");
    char *in = arena_alloc(arena, (size_t)HEAD_MAX + BODY_MAX, 1);
    struct container_answer answer = { 400, STR("text/plain"), STR("This is no request.\n") };
    bool bodyless = false;
    switch (take_request(http, fd, in, head, &body)) {
    case TOOK_NOTHING:   return;
    case TOOK_BROKEN:    break;
    case TOOK_TOO_LARGE:
        answer.status = 413;
        answer.body = STR("The request is too large.\n");
        break;
    case TOOK_REQUEST: {
        const struct container_request request = { door, head->method, head->path, head->query, body, arena };
        bodyless = str_eq(head->method, STR("HEAD"));
        http->handler(http->context, &request, &answer);
        break;
    }
    }
    send_answer(http, fd, &answer, bodyless, arena);
}

/* ---- threads ---- */

static void take_turn(struct container_http *http, struct arena *arena)
{
    struct pollfd waits[DOORS_MAX + 1];
    memcpy(waits, http->waits, sizeof waits);
    if (poll(waits, (nfds_t)http->count + 1, -1) < 0) { return; }
    for (size_t d = 0; d < http->count && !atomic_load(&http->stopping); d++) {
        if ((waits[d].revents & POLLIN) == 0) { continue; }
        int fd = accept4(waits[d].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) { continue; }                        /* another thread was faster */
        serve(http, http->doors[d], fd, arena);
        close(fd);
        arena_reset(arena);
    }
}

static void *thread_main(void *arg)
{
    struct container_http *http = arg;
    struct arena arena = { .ceiling = ARENA_MAX };
    while (!atomic_load(&http->stopping)) { take_turn(http, &arena); }
    arena_finish(&arena);
    return NULL;
}

/* ---- the door ---- */

struct container_http *container_http_create(container_handler *handler, void *context)
{
    struct container_http *http = calloc(1, sizeof *http);
    ASSERT(http != NULL);
    http->handler = handler;
    http->context = context;
    http->bell = eventfd(0, EFD_CLOEXEC);
    ASSERT(http->bell >= 0);
    http->waits[0] = (struct pollfd){ .fd = http->bell, .events = POLLIN };
    return http;
}

int container_http_listen(struct container_http *http, const char *address, int port, int door, struct err *err)
{
    ASSERT(http->count < DOORS_MAX);
    ASSERT(http->thread_count == 0);
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
    http->waits[http->count + 1] = http->waits[http->count];
    http->waits[http->count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
    return ntohs(at.sin_port);
}

bool container_http_start(struct container_http *http, struct err *err)
{
    pthread_attr_t attributes;
    ASSERT(pthread_attr_init(&attributes) == 0);
    ASSERT(pthread_attr_setstacksize(&attributes, STACK) == 0);
    while (http->thread_count < THREADS && pthread_create(&http->threads[http->thread_count], &attributes, thread_main, http) == 0) { http->thread_count++; }
    pthread_attr_destroy(&attributes);
    return http->thread_count > 0 || err_set(err, ERR_SERVER, "No thread could be started.");
}

void container_http_stop(struct container_http *http)
{
    uint64_t ring = 1;
    atomic_store(&http->stopping, true);
    if (write(http->bell, &ring, sizeof ring) != sizeof ring) { log_line(LOG_ERROR, "agent", "the threads that answer containers can't be told to end"); }
}

void container_http_destroy(struct container_http *http)
{
    if (http == NULL) { return; }
    container_http_stop(http);
    for (size_t t = 0; t < http->thread_count; t++) { pthread_join(http->threads[t], NULL); }
    for (size_t w = 0; w <= http->count; w++) { close(http->waits[w].fd); }       /* the bell is one of them */
    free(http);
}
