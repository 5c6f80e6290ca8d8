/* gate.c: one epoll set on CivetWeb's accepting thread. The set has the number of the listening socket (dup3), so CivetWeb waits for it.
 *
 * accept() takes newcomers in, reads those that have sent something, and returns one whose head is whole. Only that thread touches newcomers. */
#include "server/net/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/http/head.h"
#include "server/net/openssl_names.h"

enum {
    NEWCOMERS_MAX = 4096,
    HEAD_PATIENCE_MS = 10 * 1000,            /* from when it came to the last byte of its head */
    LOOK_EVERY_MS = 1000,                    /* for whose patience is over */
    CROWDED_LOOK_MS = 20,                    /* for a free thread */
    NO_FILES_REST_MS = 5,
    EVENTS = 256,
    TLS_HEADER = 5, TLS_HANDSHAKE = 22,
};

/* A connection without a thread. */
struct newcomer {
    int fd;
    bool whole;                              /* it has said enough, and is in the second list */
    struct sockaddr_in6 peer;                /* or a sockaddr_in */
    int64_t came_ms;                         /* monotonic */
    struct newcomer *previous, *next;        /* in its list; free ones by next */
};

struct newcomer_list { struct newcomer *oldest, *newest; };

struct gate {
    struct peers *peers;
    bool tls;
    int listening, epoll, timer, wake;       /* listening: -1 until the first connection comes */
    struct newcomer *all, *free;
    struct newcomer_list speaking, whole;
    atomic_int_fast64_t waiting, hung_up;
    char bytes[HEAD_MAX];
};

static _Thread_local struct gate *here;      /* of the thread that accepts */

/* ---- newcomers ---- */

static void list_add(struct newcomer_list *list, struct newcomer *newcomer)
{
    newcomer->previous = list->newest;
    newcomer->next = NULL;
    if (list->newest != NULL) { list->newest->next = newcomer; } else { list->oldest = newcomer; }
    list->newest = newcomer;
}

static void list_remove(struct newcomer_list *list, struct newcomer *newcomer)
{
    if (newcomer->previous != NULL) { newcomer->previous->next = newcomer->next; } else { list->oldest = newcomer->next; }
    if (newcomer->next != NULL) { newcomer->next->previous = newcomer->previous; } else { list->newest = newcomer->previous; }
}

static void release(struct gate *gate, struct newcomer *newcomer)
{
    list_remove(newcomer->whole ? &gate->whole : &gate->speaking, newcomer);
    newcomer->next = gate->free;
    gate->free = newcomer;
    (void)atomic_fetch_sub(&gate->waiting, 1);
}

static void hang_up(struct gate *gate, struct newcomer *newcomer)
{
    (void)close(newcomer->fd);
    release(gate, newcomer);
    (void)atomic_fetch_add(&gate->hung_up, 1);
}

/* ---- requests that have come ---- */

/* Also true of bytes that can't become a head, or that head.c will refuse: a thread then answers with an error. */
static bool is_whole_head(const char *bytes, size_t len)
{
    bool text = bytes[0] >= ' ' || bytes[0] == '\r' || bytes[0] == '\n';
    return !text || len == HEAD_MAX || memmem(bytes, len, "\r\n\r\n", 4) != NULL || memmem(bytes, len, "\n\n", 2) != NULL;
}

/* RFC 8446, 5.1: type, version, length of the rest. OpenSSL refuses a record that is no handshake. */
static bool is_whole_record(const char *bytes, size_t len)
{
    if (len > 0 && bytes[0] != TLS_HANDSHAKE) { return true; }
    if (len < TLS_HEADER) { return false; }
    size_t follows = (size_t)(unsigned char)bytes[3] << 8 | (unsigned char)bytes[4];
    return len == HEAD_MAX || len >= TLS_HEADER + follows;
}

/* The bytes stay where they are, for CivetWeb. `closed`: the peer has closed its end, and has said all it will. */
static void look(struct gate *gate, struct newcomer *newcomer, bool closed)
{
    ssize_t got = recv(newcomer->fd, gate->bytes, sizeof gate->bytes, MSG_PEEK | MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        hang_up(gate, newcomer);
    } else if (got > 0 && (closed || (gate->tls ? is_whole_record : is_whole_head)(gate->bytes, (size_t)got))) {
        struct epoll_event none = { 0 };
        (void)epoll_ctl(gate->epoll, EPOLL_CTL_DEL, newcomer->fd, &none);
        list_remove(&gate->speaking, newcomer);
        newcomer->whole = true;
        list_add(&gate->whole, newcomer);
    }
}

/* ---- newcomers ---- */

static void add_newcomer(struct gate *gate, int fd, const struct sockaddr_in6 *peer)
{
    if (gate->free == NULL) { hang_up(gate, gate->speaking.oldest != NULL ? gate->speaking.oldest : gate->whole.oldest); }
    struct newcomer *newcomer = gate->free;
    gate->free = newcomer->next;
    newcomer->fd = fd;
    newcomer->whole = false;
    newcomer->peer = *peer;
    newcomer->came_ms = clock_monotonic_ms();
    list_add(&gate->speaking, newcomer);
    (void)atomic_fetch_add(&gate->waiting, 1);
    struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.ptr = newcomer };
    if (epoll_ctl(gate->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        hang_up(gate, newcomer);
        return;
    }
    look(gate, newcomer, false);                          /* bytes may be there already */
}

/* A newcomer waits, and there is no file for it. accept() lacks one also when nobody waits. */
static bool lacks_files(const struct gate *gate, int why)
{
    struct pollfd look = { .fd = gate->listening, .events = POLLIN };
    return (why == EMFILE || why == ENFILE || why == ENOBUFS || why == ENOMEM) && poll(&look, 1, 0) > 0;
}

static void take_in(struct gate *gate)
{
    for (int n = 0; n < EVENTS; n++) {
        struct sockaddr_in6 peer = { 0 };
        socklen_t size = sizeof peer;
        int fd = accept4(gate->listening, (struct sockaddr *)&peer, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            add_newcomer(gate, fd, &peer);
        } else if (!lacks_files(gate, errno)) {
            return;
        } else if (gate->speaking.oldest != NULL) {
            hang_up(gate, gate->speaking.oldest);
        } else {
            clock_sleep_ms(NO_FILES_REST_MS);             /* CivetWeb asks again at once */
            return;
        }
    }
}

static void hang_up_late(struct gate *gate)
{
    int64_t since_ms = clock_monotonic_ms() - HEAD_PATIENCE_MS;
    while (gate->speaking.oldest != NULL && gate->speaking.oldest->came_ms <= since_ms) { hang_up(gate, gate->speaking.oldest); }
}

/* ---- the loop, a turn of it ---- */

static void drain(int fd)
{
    uint64_t count;
    (void)!read(fd, &count, sizeof count);
}

static void hear(struct gate *gate)
{
    struct epoll_event events[EVENTS];
    int count = epoll_wait(gate->epoll, events, EVENTS, 0);
    bool newcomers = false;
    for (int e = 0; e < count; e++) {
        if (events[e].data.ptr == &gate->listening) {
            newcomers = true;                             /* taken in last: they may take the place of a newcomer that this list names */
        } else if (events[e].data.ptr == &gate->timer) {
            drain(gate->timer);
        } else if (events[e].data.ptr == &gate->wake) {
            drain(gate->wake);
        } else {
            look(gate, events[e].data.ptr, (events[e].events & EPOLLRDHUP) != 0);
        }
    }
    hang_up_late(gate);
    if (newcomers) { take_in(gate); }
}

/* When CivetWeb has to ask again though nothing new comes: at once, while more are ready; soon, while one waits for a thread. */
static void set_timer(struct gate *gate, int64_t after_ms)
{
    const struct itimerspec when = { .it_value = { .tv_sec = after_ms / 1000, .tv_nsec = after_ms % 1000 * 1000000 } };
    ASSERT(timerfd_settime(gate->timer, 0, &when, NULL) == 0);       /* our own file, a time of ours */
}

/* CivetWeb hands a peer's port on to nobody but us: there it finds the number of the connection among the peers. */
static void put_number(struct sockaddr_in6 *peer, int number)
{
    in_port_t port = htons((uint16_t)number);
    _Static_assert(offsetof(struct sockaddr_in, sin_port) == offsetof(struct sockaddr_in6, sin6_port), "one place for both");
    memcpy((char *)peer + offsetof(struct sockaddr_in, sin_port), &port, sizeof port);
}

static int let_in(struct gate *gate, struct sockaddr *address, socklen_t *size)
{
    struct newcomer *newcomer = gate->whole.oldest;
    int number = newcomer != NULL ? peers_take(gate->peers, newcomer->fd) : 0;
    if (number == 0) {
        set_timer(gate, newcomer != NULL ? CROWDED_LOOK_MS : gate->speaking.oldest != NULL ? LOOK_EVERY_MS : 0);
        errno = EAGAIN;
        return -1;
    }
    struct sockaddr_in6 peer = newcomer->peer;
    int fd = newcomer->fd;
    release(gate, newcomer);
    put_number(&peer, number);
    memcpy(address, &peer, *size < sizeof peer ? *size : sizeof peer);
    *size = sizeof peer;
    if (gate->whole.oldest != NULL) { peers_wake(gate->peers); }
    return fd;
}

/* ---- life ---- */

static void watch(struct gate *gate, int fd, void *what)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = what };
    ASSERT(epoll_ctl(gate->epoll, EPOLL_CTL_ADD, fd, &event) == 0);  /* our own files, once each */
}

/* From here on CivetWeb's file descriptor is the set, and poll() on it reports all events of the set. */
static bool take_place(struct gate *gate, int listening)
{
    gate->listening = fcntl(listening, F_DUPFD_CLOEXEC, 0);
    if (gate->listening < 0) { return false; }
    ASSERT(fcntl(gate->listening, F_SETFL, O_NONBLOCK) == 0);        /* our own socket */
    watch(gate, gate->listening, &gate->listening);
    ASSERT(dup3(gate->epoll, listening, O_CLOEXEC) == listening);    /* both are open */
    return true;
}

static int gate_accept(struct gate *gate, int listening, struct sockaddr *address, socklen_t *size)
{
    if (gate->listening < 0 && !take_place(gate, listening)) { return -1; }
    hear(gate);
    return let_in(gate, address, size);
}

/* Another name for the compiler: the header has its own form of accept(). */
int civetweb_accept(int fd, struct sockaddr *address, socklen_t *size) __asm__("accept");
int civetweb_accept(int fd, struct sockaddr *address, socklen_t *size)
{
    return here != NULL ? gate_accept(here, fd, address, size) : accept4(fd, address, size, 0);
}

bool gate_is_known(void)
{
    int (*ours)(int fd, struct sockaddr *address, socklen_t *size) = civetweb_accept;
    void *found = names_find("accept");
    return memcmp(&ours, &found, sizeof found) == 0;
}

void gate_serve_here(struct gate *gate) { here = gate; }

struct gate_counts gate_count(const struct gate *gate)
{
    return (struct gate_counts){ (int64_t)atomic_load(&gate->waiting), (int64_t)atomic_load(&gate->hung_up) };
}

struct gate *gate_create(struct peers *peers, bool tls, struct err *err)
{
    struct gate *gate = calloc(1, sizeof *gate);
    ASSERT(gate != NULL);
    gate->peers = peers;
    gate->tls = tls;
    gate->listening = -1;
    gate->wake = peers_wake_file(peers);
    gate->epoll = epoll_create1(EPOLL_CLOEXEC);
    gate->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    gate->all = calloc(NEWCOMERS_MAX, sizeof *gate->all);
    ASSERT(gate->all != NULL);
    for (int g = 0; g < NEWCOMERS_MAX; g++) {
        gate->all[g].next = gate->free;
        gate->free = &gate->all[g];
    }
    if (gate->wake < 0 || gate->epoll < 0 || gate->timer < 0) {
        (void)err_set(err, ERR_SERVER, "There is no event loop for connections: %s.", strerror(errno));
        gate_destroy(gate);
        return NULL;
    }
    watch(gate, gate->timer, &gate->timer);
    watch(gate, gate->wake, &gate->wake);
    return gate;
}

void gate_destroy(struct gate *gate)
{
    if (gate == NULL) { return; }
    while (gate->speaking.oldest != NULL) { hang_up(gate, gate->speaking.oldest); }
    while (gate->whole.oldest != NULL) { hang_up(gate, gate->whole.oldest); }
    if (gate->listening >= 0) { (void)close(gate->listening); }
    if (gate->epoll >= 0) { (void)close(gate->epoll); }
    if (gate->timer >= 0) { (void)close(gate->timer); }
    free(gate->all);
    free(gate);
}
