/* http.h: HTTP to the Docker Engine over its unix socket. For this wing only. Knows requests, time-outs and sizes; refuses to know what they
 * mean. libcurl's easy handles are kept in a small pool, so that threads share the open connections without sharing a handle. */
#ifndef BERTH_AGENT_DOCKER_HTTP_H
#define BERTH_AGENT_DOCKER_HTTP_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/err.h"

struct docker_http;

enum { DOCKER_REPLY_MAX = 8 * 1024 * 1024, DOCKER_CALL_ARENA = 64 * 1024 * 1024 };   /* bytes */

struct docker_call {
    const char *method;                              /* "GET", "POST", "DELETE" */
    struct str path;                                 /* the path behind the version: "/containers/json?all=1" */
    struct str body;                                 /* JSON; absent: none */
    int64_t timeout_ms;                              /* of the whole call */
    int64_t begin_ms, silence_ms;                    /* until the first byte, and between two: DOCKER_SILENT; 0: no such limit */
    struct str registry_auth;                        /* X-Registry-Auth; absent: none */
    const atomic_bool *cancelled;                    /* looked at about once a second: DOCKER_CANCELLED; NULL: nobody cancels */
    /* Gets the bytes of a good answer as they come instead of having them collected; false: enough, end the call. */
    bool (*sink)(void *context, struct str bytes);
    void *sink_context;                              /* lent */
};

enum docker_outcome { DOCKER_ANSWERED, DOCKER_TIMED_OUT, DOCKER_SILENT, DOCKER_CANCELLED, DOCKER_UNREACHABLE, DOCKER_TOO_LARGE };
struct docker_reply {
    enum docker_outcome outcome;
    long status;                                     /* of HTTP, when it answered */
    struct str body;
    struct str problem;                              /* words for a person when it did not */
};

/* `socket_path` is copied. */
struct docker_http *docker_http_create(const char *socket_path);
void docker_http_destroy(struct docker_http *http);                              /* no call may be under way */
/* "/v1.41": put before each path. At most 15 bytes. */
void docker_http_set_prefix(struct docker_http *http, struct str prefix);
/* Blocks; any thread. The reply's texts live in `arena`. */
void docker_http_call(struct docker_http *http, const struct docker_call *call, struct docker_reply *reply, struct arena *arena);

/* A POST after which the connection belongs to the caller: *fd, with the engine's next bytes still in it. False: *err. */
bool docker_http_upgrade(struct docker_http *http, struct str path, struct str body, int *fd, struct arena *arena, struct err *err);

/* Appends `text` with everything but letters, digits and "-._~" as %XX. */
void docker_put_escaped(struct buf *buf, struct str text);

#endif
