/* peers.c: an array of peers, and three lists of them under one lock: free, strangers and known, by age. */
#include "server/net/peers.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"

enum {
    STRANGER_PATIENCE_MS = 20,               /* how long a thread waits for its peer when others need it */
    KNOWN_PATIENCE_MS = 1000,
    UNREAD_PATIENCE_MS = 1000,               /* … when the peer has sent something that the thread has not read yet */
    SAY_EVERY_MS = 10 * 1000,
};

struct peer {
    int fd;                                  /* -1: this one is free */
    bool known;
    atomic_bool begun;                       /* a request of it has been read */
    atomic_bool ended;                       /* shut down and in no list; its thread does not know yet */
    atomic_int_fast64_t waits_since_ms;      /* monotonic; 0: the server works for it */
    struct peer *previous, *next;            /* in its list */
};

struct peer_list { struct peer *oldest, *newest; int count; };

struct peers {
    struct lock lock;
    struct peer *all; int size;
    struct peer *free;                       /* by next */
    struct peer_list strangers, known;
    atomic_int known_count;                  /* of the list, for threads without the lock */
    int threads, strangers_max;
    int wake;                                /* an eventfd */
    atomic_bool wanted;                      /* a connection found no thread: wake the gate when one is free */
    int64_t ended_strangers, ended_idle, said_ms;
};

/* ---- lists: with the lock ---- */

static struct peer_list *list_of(struct peers *peers, const struct peer *peer) { return peer->known ? &peers->known : &peers->strangers; }

static void list_add(struct peers *peers, struct peer *peer)
{
    ASSERT(peer->fd >= 0);
    struct peer_list *list = list_of(peers, peer);
    peer->previous = list->newest;
    peer->next = NULL;
    if (list->newest != NULL) { list->newest->next = peer; } else { list->oldest = peer; }
    list->newest = peer;
    list->count++;
    atomic_store_explicit(&peers->known_count, peers->known.count, memory_order_relaxed);
}

static void list_remove(struct peers *peers, struct peer *peer)
{
    struct peer_list *list = list_of(peers, peer);
    if (peer->previous != NULL) { peer->previous->next = peer->next; } else { list->oldest = peer->next; }
    if (peer->next != NULL) { peer->next->previous = peer->previous; } else { list->newest = peer->previous; }
    ASSERT(list->count > 0);
    list->count--;
    atomic_store_explicit(&peers->known_count, peers->known.count, memory_order_relaxed);
}

/* ---- making room: with the lock ---- */

/* The peer that has kept its thread waiting longest, and for at least `patience_ms`; NULL: there is none. */
static struct peer *longest_wait(const struct peer_list *list, int64_t now_ms, int64_t patience_ms)
{
    struct peer *found = NULL;
    int64_t since_ms = now_ms - patience_ms;
    for (struct peer *peer = list->oldest; peer != NULL; peer = peer->next) {
        int64_t waits_ms = atomic_load_explicit(&peer->waits_since_ms, memory_order_relaxed);
        if (waits_ms == 0 || waits_ms > since_ms || (found != NULL && waits_ms == since_ms)) { continue; }
        int unread = 0;
        bool begun = atomic_load_explicit(&peer->begun, memory_order_relaxed);
        if (!begun && waits_ms > now_ms - UNREAD_PATIENCE_MS && ioctl(peer->fd, FIONREAD, &unread) == 0 && unread > 0) { continue; }
        since_ms = waits_ms;
        found = peer;
    }
    return found;
}

static void say(struct peers *peers, int64_t now_ms)
{
    if (now_ms - peers->said_ms < SAY_EVERY_MS) { return; }
    peers->said_ms = now_ms;
    log_line(LOG_WARN, "http", "all threads are taken: connections are ended to make room; so far strangers=%lld idle=%lld",
             (long long)peers->ended_strangers, (long long)peers->ended_idle);
}

/* False: no peer can be ended now. */
static bool end_one(struct peers *peers)
{
    int64_t now_ms = clock_monotonic_ms();
    struct peer *peer = longest_wait(&peers->strangers, now_ms, STRANGER_PATIENCE_MS);
    if (peer == NULL) { peer = longest_wait(&peers->known, now_ms, KNOWN_PATIENCE_MS); }
    if (peer == NULL) { return false; }
    list_remove(peers, peer);
    atomic_store(&peer->ended, true);
    (void)shutdown(peer->fd, SHUT_RDWR);                  /* its thread wakes up and leaves */
    if (peer->known) { peers->ended_idle++; } else { peers->ended_strangers++; }
    say(peers, now_ms);
    return true;
}

static bool is_full(const struct peers *peers)
{
    return peers->strangers.count >= peers->strangers_max || peers->strangers.count + peers->known.count >= peers->threads;
}

/* ---- newcomers ---- */

int peers_take(struct peers *peers, int fd)
{
    lock_take(&peers->lock);
    struct peer *peer = peers->free;
    if (peer != NULL && is_full(peers) && !end_one(peers)) { peer = NULL; }
    if (peer != NULL) {
        peers->free = peer->next;
        peer->fd = fd;
        peer->known = false;
        atomic_store(&peer->begun, false);
        atomic_store(&peer->ended, false);
        peer_waits(peer);
        list_add(peers, peer);
        ASSERT(peers->strangers.count + peers->known.count <= peers->threads);
    }
    atomic_store(&peers->wanted, peer == NULL);
    lock_drop(&peers->lock);
    return peer == NULL ? 0 : (int)(peer - peers->all) + 1;
}

int peers_wake_file(const struct peers *peers) { return peers->wake; }

void peers_wake(struct peers *peers)
{
    const uint64_t once = 1;
    (void)!write(peers->wake, &once, sizeof once);        /* fails only when it is set already */
}

/* ---- a connection's own thread ---- */

struct peer *peers_find(struct peers *peers, int number)
{
    return number >= 1 && number <= peers->size ? &peers->all[number - 1] : NULL;
}

struct peer *peers_find_socket(struct peers *peers, int fd)
{
    struct peer *found = NULL;
    if (fd < 0) { return NULL; }                          /* free ones have no socket either */
    lock_take(&peers->lock);
    for (int n = 0; n < peers->size && found == NULL; n++) {
        if (peers->all[n].fd == fd) { found = &peers->all[n]; }
    }
    lock_drop(&peers->lock);
    return found;
}

void peers_leave(struct peers *peers, struct peer *peer)
{
    lock_take(&peers->lock);
    ASSERT(peer->fd >= 0);                                /* it leaves once */
    if (!atomic_load(&peer->ended)) { list_remove(peers, peer); }
    peer->fd = -1;
    peer->next = peers->free;
    peers->free = peer;
    lock_drop(&peers->lock);
    if (atomic_exchange(&peers->wanted, false)) { peers_wake(peers); }
}

void peers_prove(struct peers *peers, struct peer *peer)
{
    if (peer->known) { return; }
    lock_take(&peers->lock);
    if (!atomic_load(&peer->ended)) {
        list_remove(peers, peer);
        peer->known = true;
        list_add(peers, peer);
    }
    lock_drop(&peers->lock);
}

void peer_waits(struct peer *peer) { atomic_store_explicit(&peer->waits_since_ms, clock_monotonic_ms(), memory_order_relaxed); }

void peer_works(struct peer *peer)
{
    atomic_store_explicit(&peer->begun, true, memory_order_relaxed);
    atomic_store_explicit(&peer->waits_since_ms, 0, memory_order_relaxed);
}

bool peer_was_ended(const struct peer *peer) { return atomic_load(&peer->ended); }

bool peer_has_left(const struct peer *peer)
{
    struct pollfd look = { .fd = peer->fd, .events = POLLRDHUP };
    return poll(&look, 1, 0) > 0;
}

/* ---- life ---- */

int peers_known(const struct peers *peers) { return atomic_load_explicit(&peers->known_count, memory_order_relaxed); }

struct peers_counts peers_count(struct peers *peers)
{
    lock_take(&peers->lock);
    struct peers_counts counts = { peers->strangers.count, peers->known.count, peers->ended_strangers, peers->ended_idle };
    lock_drop(&peers->lock);
    return counts;
}

struct peers *peers_create(int threads)
{
    struct peers *peers = calloc(1, sizeof *peers);
    ASSERT(peers != NULL);
    lock_init(&peers->lock);
    peers->threads = threads;
    peers->strangers_max = threads - threads / 4;         /* a quarter is kept back for those that are known */
    peers->said_ms = -SAY_EVERY_MS;
    peers->size = 2 * threads;                            /* twice: some are ended already, but their threads have not left */
    ASSERT(peers->size <= UINT16_MAX);
    peers->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    peers->all = calloc((size_t)peers->size, sizeof *peers->all);
    ASSERT(peers->all != NULL);
    for (int n = peers->size - 1; n >= 0; n--) {
        peers->all[n].fd = -1;
        peers->all[n].next = peers->free;
        peers->free = &peers->all[n];
    }
    return peers;
}

void peers_destroy(struct peers *peers)
{
    if (peers == NULL) { return; }
    if (peers->wake >= 0) { (void)close(peers->wake); }
    lock_finish(&peers->lock);
    free(peers->all);
    free(peers);
}
