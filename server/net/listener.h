/* listener.h: many thousand connections of agents on one thread: HTTP/1.1 with answers that may come later, and websockets. Knows sockets, TLS (tls.h),
 * bytes and time limits; refuses to know the callers and their messages. An idle connection costs some hundred bytes.
 *
 * Until its owner calls connection_admit, a connection is a stranger's: it has five seconds in all, and strangers have a quarter of the places and of the
 * memory. When these are taken, crowd.h chooses the stranger that makes room for the next.
 *
 * All callbacks run on the listener's thread and must not block. What a request or text borrows is valid until the callback
 * returns; its arena is emptied then. */
#ifndef BERTH_SERVER_NET_LISTENER_H
#define BERTH_SERVER_NET_LISTENER_H

#include "server/net/http.h"
#include "server/net/patience.h"

enum {
    LISTENER_BODY_MAX = 256 * 1024,          /* of a request */
    LISTENER_TEXT_MAX = 1024 * 1024,         /* of a websocket's message, text or not */
};

struct connection;                           /* of an agent, or of a client of ExecuteCommand */
struct listener_ops {
    void (*request)(void *context, struct connection *connection, struct http_request *request);     /* answers now or later */
    void (*text)(void *context, struct connection *connection, struct str text, struct arena *arena);
    void (*timer)(void *context, struct connection *connection, struct arena *arena);
    void (*gone)(void *context, struct connection *connection);                          /* only of one that has an owner */
    void (*woken)(void *context, struct arena *arena);
};
struct listener_config {
    const char *host; int port;
    size_t connections_max;
    struct tls *tls;                         /* lent; NULL: plain HTTP */
    const struct listener_ops *ops; void *context;
};

struct listener;
struct listener *listener_start(const struct listener_config *config, struct err *err);     /* owned; NULL and *err */
int              listener_port(const struct listener *listener);
void             listener_wake(struct listener *listener);       /* any thread: `woken` is called soon */
struct listener_counts { size_t connections, strangers, held; uint64_t closed[CONNECTION_REASON_COUNT]; };  /* held: bytes, in and out */
struct listener_counts listener_count(const struct listener *listener);
/* Refuses further requests, calls `woken`, closes websockets with 1001, and ends when all answers have left, or soon after.
 * Accepts NULL. */
void             listener_stop(struct listener *listener);

/* ---- on the listener's thread ---- */

void  connection_admit(struct connection *connection);  /* its peer has shown who it is */
void  connection_answer(struct connection *connection, int status, struct str headers, struct str body);  /* JSON 1.1 */
bool  connection_upgrade(struct connection *connection, const struct http_request *request);  /* false: it was no handshake; nothing was sent */
void  connection_send(struct connection *connection, struct str text);       /* one websocket message */
void  connection_send_bytes(struct connection *connection, struct str bytes);  /* … that is no text */
void  connection_close(struct connection *connection, unsigned code, struct str reason);  /* a websocket; the owner hears nothing of it */
bool  connection_said_goodbye(const struct connection *connection);  /* in `gone`: the websocket was closed by a frame; otherwise the connection broke */
size_t connection_backlog(const struct connection *connection);              /* bytes that wait for the peer to read */
void  connection_own(struct connection *connection, void *owner);
void *connection_owner(const struct connection *connection);
void  connection_set_timer(struct connection *connection, int64_t due_ms);   /* monotonic */

#endif
