/* listener.h: many thousand connections of agents on one thread: HTTP/1.1 with answers that may come later, and websockets. Knows sockets, TLS (tls.h),
 * bytes and time limits; refuses to know the callers and their messages. An idle connection costs some hundred bytes.
 *
 * Until its owner calls link_admit, a link is a stranger's: it has five seconds in all, and strangers have a quarter of the places and of the
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

struct link;                                 /* one connection */
struct listener_ops {
    void (*request)(void *context, struct link *link, struct http_request *request);     /* answers now or later */
    void (*text)(void *context, struct link *link, struct str text, struct arena *arena);
    void (*timer)(void *context, struct link *link, struct arena *arena);
    void (*gone)(void *context, struct link *link);                                      /* only of a link that has an owner */
    void (*woken)(void *context, struct arena *arena);
};
struct listener_config {
    const char *host; int port;
    size_t links_max;
    struct tls *tls;                         /* lent; NULL: plain HTTP */
    const struct listener_ops *ops; void *context;
};

struct listener;
struct listener *listener_start(const struct listener_config *config, struct err *err);     /* owned; NULL and *err */
int              listener_port(const struct listener *listener);
void             listener_wake(struct listener *listener);       /* any thread: `woken` is called soon */
struct listener_counts { size_t links, strangers, held; uint64_t closed[LINK_REASON_COUNT]; };          /* held: bytes, in and out */
struct listener_counts listener_count(const struct listener *listener);
/* Refuses further requests, calls `woken`, closes websockets with 1001, and ends when all answers have left, or soon after.
 * Accepts NULL. */
void             listener_stop(struct listener *listener);

/* ---- on the listener's thread ---- */

void  link_admit(struct link *link);         /* its peer has shown who it is */
void  link_answer(struct link *link, int status, struct str headers, struct str body);     /* JSON 1.1 */
bool  link_upgrade(struct link *link, const struct http_request *request);   /* false: it was no handshake; nothing was sent */
void  link_send(struct link *link, struct str text);                         /* one websocket message */
void  link_send_bytes(struct link *link, struct str bytes);                  /* … that is no text */
void  link_close(struct link *link, unsigned code, struct str reason);       /* a websocket; the owner hears nothing of it */
bool  link_said_goodbye(const struct link *link);        /* in `gone`: the websocket was closed by a frame; otherwise the connection broke */
size_t link_backlog(const struct link *link);                                /* bytes that wait for the peer to read */
void  link_own(struct link *link, void *owner);
void *link_owner(const struct link *link);
void  link_set_timer(struct link *link, int64_t due_ms);                     /* monotonic */

#endif
