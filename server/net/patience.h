/* patience.h: how long a connection's peer may take in each state, and for which reason a connection ends. Knows moments; callers pass the time. */
#ifndef BERTH_SERVER_NET_PATIENCE_H
#define BERTH_SERVER_NET_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum connection_state { CONNECTION_GREETING, CONNECTION_READING, CONNECTION_ASKED, CONNECTION_WEBSOCKET, CONNECTION_CLOSING, CONNECTION_DEAD };

/* Why a connection has ended: reason and its word in /metrics. */
#define CONNECTION_REASONS(X)                                                                                   \
    X(CONNECTION_PEER,     "peer")       /* its peer hung up, or it broke */                                    \
    X(CONNECTION_DONE,     "done")       /* the server has said that this was the end */                        \
    X(CONNECTION_STOPPING, "stopping")   /* the server stops */                                                 \
    X(CONNECTION_TLS,      "tls")        /* the handshake failed */                                             \
    X(CONNECTION_UNSIGNED, "unsigned")   /* its peer has not shown in time who it is */                         \
    X(CONNECTION_CROWDED,  "crowded")    /* others that have not shown it yet took its place */                 \
    X(CONNECTION_FULL,     "full")       /* all places are taken: it was refused */                             \
    X(CONNECTION_HALF,     "half")       /* half a request or message did not become a whole one */             \
    X(CONNECTION_IDLE,     "idle")       /* nothing was asked for long */                                       \
    X(CONNECTION_SILENT,   "silent")     /* a websocket whose peer did not answer a ping */                     \
    X(CONNECTION_UNREAD,   "unread")     /* its peer did not read what it was sent */                           \
    X(CONNECTION_MEMORY,   "memory")     /* it held the most when all of them held too much */
#define CONNECTION_REASON(reason, word) reason,
enum connection_reason { CONNECTION_REASONS(CONNECTION_REASON) CONNECTION_REASON_COUNT };
#undef CONNECTION_REASON

struct patience {
    bool asked;                              /* a websocket was pinged, and nothing has come since */
    int64_t come_ms;                         /* when it was accepted; monotonic, as all of them */
    int64_t heard_ms;                        /* when something came, or was answered, the last time */
    int64_t half_ms;                         /* when half a request or message was first seen; 0: there is none */
    int64_t owed_ms;                         /* since when the peer has not read `owed` bytes; 0: it has read all */
    size_t owed;
};

/* When the connection ends, and why, if nothing happens before; CONNECTION_SILENT is for a ping first. INT64_MAX: it waits for the server.
 * `known`: its peer has shown who it is. */
int64_t patience_until(const struct patience *patience, enum connection_state state, bool known, enum connection_reason *reason);

/* `left` bytes have been taken by the socket, and `backlog` wait. The waiting bytes must leave in time even when more are added after them. */
void patience_note_backlog(struct patience *patience, size_t left, size_t backlog, int64_t now_ms);

#endif
