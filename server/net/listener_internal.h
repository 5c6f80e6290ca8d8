/* listener_internal.h: what listener.c (the loop) and link.c (one connection) share. */
#ifndef BERTH_SERVER_NET_LISTENER_INTERNAL_H
#define BERTH_SERVER_NET_LISTENER_INTERNAL_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/rng.h"
#include "base/timers.h"
#include "server/net/crowd.h"
#include "server/net/listener.h"
#include "server/net/tls.h"

enum { READ_PIECE = 16 * 1024 };             /* and the most that one record of TLS carries */

struct bytes { char *ptr; size_t len, capacity; };

struct link {
    struct crowd_member member;              /* of the strangers, until it is known; first, so that it can be found from there */
    struct listener *listener;
    struct link *previous, *next;            /* of all links, or of the dead ones */
    int fd;
    struct ssl_st *ssl;                      /* NULL: plain */
    enum link_state state;
    unsigned interest;                       /* what epoll watches */
    bool known;                              /* the peer has shown who it is; until then it is a stranger */
    bool keep_alive, continued, processing, shut;
    bool paused;                             /* input waits until the peer has read what it was sent */
    struct bytes in, out, message;           /* message: the fragments so far */
    size_t sent;                             /* of out */
    void *owner;
    struct timer timer, limit;
    struct patience patience;
    char peer[INET6_ADDRSTRLEN];
};

struct listener {
    struct listener_config config;
    int epoll, socket, wake, port;
    pthread_t thread;
    atomic_bool stopping;
    atomic_size_t count[2], held[2];         /* links, and bytes of input and output that they hold: strangers', and of the others */
    atomic_uint_fast64_t closed[LINK_REASON_COUNT];
    struct crowd strangers;
    struct link *links, *dead;
    struct timers timers;
    struct timer rest;                       /* no file descriptors: accepting pauses */
    struct arena arena;
    struct rng rng;
    char piece[READ_PIECE];                  /* of one link's input, on its way into `in` */
};

/* link.c */
void link_start(struct link *link);                              /* its socket is watched already */
void link_event(struct link *link, unsigned events);
void link_end(struct link *link, enum link_reason reason);       /* the owner hears; freed at the end of the turn */
size_t link_holds(const struct link *link);                      /* bytes of input and output */
void link_send_away(struct link *link);                          /* the server stops */

#endif
