/* listener_internal.h: what listener.c (the loop) and link.c (one connection) share. */
#ifndef BERTH_SERVER_LISTENER_INTERNAL_H
#define BERTH_SERVER_LISTENER_INTERNAL_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/rng.h"
#include "base/timers.h"
#include "server/listener.h"
#include "server/tls.h"

enum link_state { LINK_GREETING, LINK_READING, LINK_ASKED, LINK_WEBSOCKET, LINK_CLOSING, LINK_DEAD };

struct bytes { char *ptr; size_t len, capacity; };

struct link {
    struct listener *listener;
    struct link *previous, *next;            /* of all links, or of the dead ones */
    int fd;
    struct ssl_st *ssl;                      /* NULL: plain */
    enum link_state state;
    unsigned interest;                       /* what epoll watches */
    bool keep_alive, continued, processing, shut;
    bool stuck;                              /* bytes have been waiting to leave since patience with that began */
    struct bytes in, out, message;           /* message: the fragments so far */
    size_t sent;                             /* of out */
    int64_t begun_ms;                        /* when half a request or message was first seen; monotonic, 0: there is none */
    void *owner;
    struct timer timer, patience;
    char peer[INET6_ADDRSTRLEN];
};

struct listener {
    struct listener_config config;
    int epoll, socket, wake, port;
    pthread_t thread;
    atomic_bool stopping;
    atomic_size_t count;
    size_t held;
    struct link *links, *dead;
    struct timers timers;
    struct timer rest;                       /* no file descriptors: accepting pauses */
    struct arena arena;
    struct rng rng;
};

/* link.c */
void link_start(struct link *link);                              /* its socket is watched already */
void link_event(struct link *link, unsigned events);
void link_end(struct link *link);                                /* the owner hears; freed at the end of the turn */
void link_send_away(struct link *link);                          /* the server stops */

#endif
