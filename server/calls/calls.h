/* calls.h: HTTP calls that the server makes: one thread, over libcurl. Knows requests, answers and limits; refuses to know what a call is for, and tries
 * none again. Certificates are checked as the system trusts them; a redirect is not followed. */
#ifndef BERTH_SERVER_CALLS_CALLS_H
#define BERTH_SERVER_CALLS_CALLS_H

#include "base/arena.h"
#include "base/err.h"

enum { CALLS_MAX = 128, CALL_BODY_MAX = 1024 * 1024, CALL_REPLY_MAX = 64 * 1024 };      /* calls at once; bytes of a request and of an answer */

/* Lives while `done` runs. */
struct call_outcome {
    int http_status;                             /* of the answer; 0: there is no whole answer */
    struct str reply;                            /* its body */
    const char *problem;                         /* why there is no answer; NULL: there is one */
    bool stopped;                                /* … because the server stops */
};

struct call_request {                            /* copied */
    struct str url;                              /* http or https */
    struct str body;                             /* a POST of this JSON; absent: a GET */
    int64_t timeout_ms;                          /* of the whole call, above 0 */
    void (*done)(void *context, const struct call_outcome *outcome);     /* once, on the thread of the calls: it must not block */
    void *context;
    struct str headers;                          /* "Name: value", a line each, beside those of every call; absent: there are no others */
    size_t reply_max;                            /* bytes; 0: CALL_REPLY_MAX */
};

struct calls;
struct calls *calls_start(struct err *err);      /* owned; NULL: no thread */
/* From any thread; does not block. ERR_THROTTLING: as many calls are on their way as may be; ERR_REQUEST_TOO_LARGE; ERR_UNAVAILABLE: it stops. After
 * false `done` is not called. */
MUST_USE bool calls_submit(struct calls *calls, const struct call_request *request, struct err *err);
void          calls_stop(struct calls *calls);   /* ends the calls that are on their way, then the thread; accepts NULL */
void          calls_free(struct calls *calls);   /* when nobody submits any more; accepts NULL */

#endif
