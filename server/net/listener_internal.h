/* listener_internal.h: what listener.c (the loop) and connection.c (one connection) share. */
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

struct connection {
    struct crowd_member member;              /* of the strangers, until it is known; first, so that it can be found from there */
    struct listener *listener;
    struct connection *previous, *next;      /* of all connections, or of the dead ones */
    int fd;
    struct ssl_st *ssl;                      /* NULL: plain */
    enum connection_state state;
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
    atomic_size_t count[2], held[2];         /* connections, and bytes of input and output that they hold: strangers', and of the others */
    atomic_uint_fast64_t closed[CONNECTION_REASON_COUNT];
    struct crowd strangers;
    struct connection *connections, *dead;
    struct timers timers;
    struct timer rest;                       /* no file descriptors: accepting pauses */
    struct arena arena;
    struct rng rng;
    char piece[READ_PIECE];                  /* of one connection's input, on its way into `in` */
};

/* connection.c */
void connection_start(struct connection *connection);            /* its socket is watched already */
void connection_event(struct connection *connection, unsigned events);
void connection_end(struct connection *connection, enum connection_reason reason);  /* the owner hears; freed at the end of the turn */
size_t connection_holds(const struct connection *connection);    /* bytes of input and output */
void connection_send_away(struct connection *connection);        /* the server stops */

#endif
