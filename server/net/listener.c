/* listener.c: the loop (epoll, level-triggered), newcomers and timers. */
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "server/net/listener_internal.h"
#include "server/net/port_holder.h"

enum {
    BACKLOG = 4096,
    EVENTS = 256,
    ARENA_CEILING = 64 * 1024 * 1024,
    OTHER_FILES = 8192,                      /* that the rest of the process may have open */
    ACCEPTS = 64,                            /* in one turn, so that those who came before are read before they have to leave */
    STRANGERS_PART = 4,                      /* of the places and of the memory: a quarter */
    STRANGERS_TLS_MAX = 768,                 /* a handshake that is not over holds some 64 KiB, which OpenSSL counts nowhere */
    HELD_MAX = 32 * 1024 * 1024,             /* bytes of input and output that all connections together may hold */
};
static const int64_t rest_ms = 200, stop_ms = 2 * 1000;

/* ---- newcomers ---- */

static void add_connection(struct listener *listener, int fd, const struct sockaddr_storage *address)
{
    struct connection *connection = calloc(1, sizeof *connection);
    ASSERT(connection != NULL);
    int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    connection->listener = listener;
    connection->fd = fd;
    (void)getnameinfo((const struct sockaddr *)address, sizeof *address, connection->peer, sizeof connection->peer, NULL, 0, NI_NUMERICHOST);
    connection->interest = EPOLLIN | EPOLLRDHUP;
    struct epoll_event event = { .events = connection->interest, .data.ptr = connection };
    ASSERT(epoll_ctl(listener->epoll, EPOLL_CTL_ADD, fd, &event) == 0);        /* a new socket; connections are bounded */
    connection->ssl = listener->config.tls != NULL ? tls_begin(listener->config.tls, fd) : NULL;
    ASSERT((connection->ssl != NULL) == (listener->config.tls != NULL));       /* fails without memory only */
    connection->next = listener->connections;
    if (connection->next != NULL) { connection->next->previous = connection; }
    listener->connections = connection;
    crowd_add(&listener->strangers, &connection->member, address);
    atomic_fetch_add(&listener->count[false], 1);
    connection_start(connection);
}

static size_t strangers_max(const struct listener *listener)
{
    size_t part = (listener->config.connections_max + STRANGERS_PART - 1) / STRANGERS_PART;
    return listener->config.tls != NULL ? min_size(part, STRANGERS_TLS_MAX) : part;
}

/* Ends one stranger's connection, so that idle strangers keep no other peer out. False: there is no stranger. */
static bool send_stranger_away(struct listener *listener)
{
    struct crowd_member *member = crowd_next_to_leave(&listener->strangers);
    if (member != NULL) { connection_end((struct connection *)member, CONNECTION_CROWDED); }
    return member != NULL;
}

/* False: connections that are known have all places. */
static bool make_place(struct listener *listener)
{
    size_t strangers = atomic_load(&listener->count[false]), all = strangers + atomic_load(&listener->count[true]);
    bool free = strangers < strangers_max(listener) && all < listener->config.connections_max;
    return free || send_stranger_away(listener);
}

static void watch_socket(struct listener *listener, bool on)
{
    struct epoll_event event = { .events = on ? (unsigned)EPOLLIN : 0, .data.ptr = &listener->socket };
    ASSERT(epoll_ctl(listener->epoll, EPOLL_CTL_MOD, listener->socket, &event) == 0);      /* our own socket */
}

static void go_on_accepting(void *owner) { watch_socket(owner, true); }

static void accept_connections(struct listener *listener)
{
    static const char full[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    size_t most = min_size(ACCEPTS, (strangers_max(listener) + STRANGERS_PART - 1) / STRANGERS_PART);
    for (size_t a = 0; a < most; a++) {
        struct sockaddr_storage address = { 0 };
        socklen_t size = sizeof address;
        int fd = accept4(listener->socket, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
            int why = errno;
            if (send_stranger_away(listener)) { continue; }
            log_line(LOG_WARN, "agents", "no connection can be taken now: %s", strerror(why));
            watch_socket(listener, false);
            timers_set(&listener->timers, &listener->rest, clock_monotonic_ms() + rest_ms);
            return;
        }
        if (fd < 0) { return; }                           /* no more, or it has gone already: then the loop calls again */
        if (make_place(listener)) {
            add_connection(listener, fd, &address);
        } else {
            atomic_fetch_add(&listener->closed[CONNECTION_FULL], 1);
            if (listener->config.tls == NULL) { (void)send(fd, full, sizeof full - 1, MSG_NOSIGNAL); }
            (void)close(fd);
        }
    }
}

/* ---- the loop ---- */

static void free_dead(struct listener *listener)
{
    while (listener->dead != NULL) {
        struct connection *connection = listener->dead;
        listener->dead = connection->next;
        free(connection);
    }
}

static void call_woken(struct listener *listener)
{
    uint64_t times;
    (void)!read(listener->wake, &times, sizeof times);
    listener->config.ops->woken(listener->config.context, &listener->arena);
    arena_reset(&listener->arena);
}

static struct connection *greediest(const struct listener *listener, bool strangers_only)
{
    struct connection *found = NULL;
    for (struct connection *connection = listener->connections; connection != NULL; connection = connection->next) {
        if (strangers_only && connection->known) { continue; }
        if (found == NULL || connection_holds(connection) >= connection_holds(found)) { found = connection; }  /* of equal ones the oldest */
    }
    return found;
}

/* When too much is held, those that hold the most go. */
static void bound_memory(struct listener *listener)
{
    for (;;) {
        size_t strangers = atomic_load(&listener->held[false]), all = strangers + atomic_load(&listener->held[true]);
        bool crowded = strangers > HELD_MAX / STRANGERS_PART;
        if (!crowded && all <= HELD_MAX) { return; }
        struct connection *connection = greediest(listener, crowded);
        ASSERT(connection != NULL);                       /* somebody holds it */
        if (connection->known) {
            log_line(LOG_WARN, "agents", "the connections hold too much; the one that held the most was closed: peer=%s", connection->peer);
        }
        connection_end(connection, CONNECTION_MEMORY);
    }
}

static void one_turn(struct listener *listener, int64_t wait_ms)
{
    struct epoll_event events[EVENTS];
    int count = epoll_wait(listener->epoll, events, EVENTS, (int)wait_ms);
    for (int e = 0; e < count; e++) {
        if (events[e].data.ptr == &listener->socket) {
            accept_connections(listener);
        } else if (events[e].data.ptr == &listener->wake) {
            call_woken(listener);
        } else {
            connection_event(events[e].data.ptr, events[e].events);
        }
        bound_memory(listener);
    }
    timers_run(&listener->timers, clock_monotonic_ms());
    free_dead(listener);
}

static int64_t until_timer(const struct listener *listener, int64_t most_ms)
{
    int64_t next_ms = timers_next(&listener->timers), now_ms = clock_monotonic_ms();
    return next_ms <= now_ms ? 0 : min_i64(next_ms - now_ms, most_ms);
}

static void send_all_away(struct listener *listener)
{
    for (struct connection *connection = listener->connections, *next; connection != NULL; connection = next) {
        next = connection->next;
        connection_send_away(connection);
    }
}

static void *listener_thread(void *context)
{
    struct listener *listener = context;
    while (!atomic_load(&listener->stopping)) { one_turn(listener, until_timer(listener, 60 * 1000)); }
    watch_socket(listener, false);
    call_woken(listener);
    int64_t until_ms = clock_monotonic_ms() + stop_ms;
    while (listener->connections != NULL && clock_monotonic_ms() < until_ms) {
        send_all_away(listener);
        one_turn(listener, until_timer(listener, 20));
    }
    while (listener->connections != NULL) { connection_end(listener->connections, CONNECTION_STOPPING); }
    free_dead(listener);
    return NULL;
}

/* ---- life ---- */

/* Each connection is a file. Without the right to have that many, the last ones wait to be accepted. */
static void want_files(size_t connections_max)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= connections_max + OTHER_FILES) { return; }
    limit.rlim_cur = connections_max + OTHER_FILES < limit.rlim_max ? connections_max + OTHER_FILES : limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) { log_line(LOG_WARN, "agents", "the limit of open files stays: %s", strerror(errno)); }
}

static int bind_socket(const struct addrinfo *address)
{
    int on = 1, fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) { return -1; }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0) { return fd; }
    (void)close(fd);
    return -1;
}

static int bound_port(int fd)
{
    struct sockaddr_storage address = { 0 };
    socklen_t size = sizeof address;
    char port[8];
    ASSERT(getsockname(fd, (struct sockaddr *)&address, &size) == 0);          /* our own socket */
    ASSERT(getnameinfo((struct sockaddr *)&address, size, NULL, 0, port, sizeof port, NI_NUMERICSERV) == 0);       /* no look-up: a number */
    int64_t number;
    ASSERT(str_to_i64(str_from(port), &number));          /* printed by the line above */
    return (int)number;
}

static bool open_socket(struct listener *listener, struct err *err)
{
    char port[16], holder[PORT_HOLDER_SIZE];
    const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
    struct addrinfo *found = NULL;
    (void)snprintf(port, sizeof port, "%d", listener->config.port);
    if (getaddrinfo(listener->config.host, port, &wanted, &found) == 0) {
        listener->socket = bind_socket(found);
        freeaddrinfo(found);
    }
    if (listener->socket < 0) {
        const char *why = strerror(errno);
        return err_set(err, ERR_SERVER, "Can't listen for agents on %s:%s: %s.%s", listener->config.host, port, why,
                       port_holder(listener->config.host, listener->config.port, holder));
    }
    listener->port = bound_port(listener->socket);
    return true;
}

static bool open_loop(struct listener *listener, struct err *err)
{
    listener->epoll = epoll_create1(EPOLL_CLOEXEC);
    listener->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    struct epoll_event woken = { .events = EPOLLIN, .data.ptr = &listener->wake }, come = { .events = EPOLLIN, .data.ptr = &listener->socket };
    bool good = listener->epoll >= 0 && listener->wake >= 0 && epoll_ctl(listener->epoll, EPOLL_CTL_ADD, listener->wake, &woken) == 0
        && epoll_ctl(listener->epoll, EPOLL_CTL_ADD, listener->socket, &come) == 0;
    return good || err_set(err, ERR_SERVER, "There is no event loop for agents: %s.", strerror(errno));
}

static void free_listener(struct listener *listener)
{
    if (listener->socket >= 0) { (void)close(listener->socket); }
    if (listener->wake >= 0) { (void)close(listener->wake); }
    if (listener->epoll >= 0) { (void)close(listener->epoll); }
    timers_finish(&listener->timers);
    arena_finish(&listener->arena);
    free(listener);
}

struct listener *listener_start(const struct listener_config *config, struct err *err)
{
    struct listener *listener = calloc(1, sizeof *listener);
    ASSERT(listener != NULL);
    listener->config = *config;
    listener->socket = listener->epoll = listener->wake = -1;
    listener->rest = (struct timer){ .fire = go_on_accepting, .owner = listener };
    arena_init(&listener->arena, ARENA_CEILING);
    rng_seed(&listener->rng, rng_entropy());
    listener->strangers.seed = rng_entropy();
    want_files(config->connections_max);
    bool good = open_socket(listener, err) && open_loop(listener, err);
    if (good && pthread_create(&listener->thread, NULL, listener_thread, listener) == 0) { return listener; }
    if (good) { err_set(err, ERR_SERVER, "There is no thread for agents."); }
    free_listener(listener);
    return NULL;
}

int listener_port(const struct listener *listener) { return listener->port; }

struct listener_counts listener_count(const struct listener *listener)
{
    struct listener_counts counts = { .strangers = atomic_load(&listener->count[false]) };
    counts.connections = counts.strangers + atomic_load(&listener->count[true]);
    counts.held = atomic_load(&listener->held[false]) + atomic_load(&listener->held[true]);
    for (size_t r = 0; r < CONNECTION_REASON_COUNT; r++) { counts.closed[r] = atomic_load(&listener->closed[r]); }
    return counts;
}

void listener_wake(struct listener *listener)
{
    const uint64_t once = 1;
    (void)!write(listener->wake, &once, sizeof once);     /* fails only when it is awake anyway */
}

void listener_stop(struct listener *listener)
{
    if (listener == NULL) { return; }
    atomic_store(&listener->stopping, true);
    listener_wake(listener);
    ASSERT(pthread_join(listener->thread, NULL) == 0);
    free_listener(listener);
}
