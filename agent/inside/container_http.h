/* container_http.h: HTTP for the containers of this machine: small answers, one a connection, by a few threads that do only this. A silent or
 * a hasty container keeps no other from its answers: connections and threads of one address are bounded. Knows addresses, requests and
 * time-outs; refuses to know what a request means. CivetWeb has a hundred settings that are not needed here, and takes seconds to stop. */
#ifndef BERTH_AGENT_INSIDE_CONTAINER_HTTP_H
#define BERTH_AGENT_INSIDE_CONTAINER_HTTP_H

#include "base/buf.h"
#include "base/err.h"
#include "base/http/head.h"

struct container_request {
    int door;                                /* the address at which it arrived */
    struct str method, path, query, body;    /* path and query still encoded */
    struct arena *arena;                     /* lent until the answer has left */
};
struct container_answer { int status; struct str type, body; };
typedef void container_handler(void *context, const struct container_request *request, struct container_answer *answer);

struct container_http;
/* Owned; the handler is called by several threads at once. */
struct container_http *container_http_create(container_handler *handler, void *context);
/* Before the start. `door` is the caller's name for it. Returns the port (chosen by the system for 0); 0 and *err when the address can't be used. */
int  container_http_listen(struct container_http *http, const char *address, int port, int door, struct err *err);
bool container_http_start(struct container_http *http, struct err *err);
/* Any thread: no more requests are accepted, and connections that wait for their clients are ended. */
void container_http_stop(struct container_http *http);
void container_http_destroy(struct container_http *http);        /* waits for its threads; accepts NULL */

#endif
