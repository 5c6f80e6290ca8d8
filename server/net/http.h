/* http.h: HTTP in and out. Knows CivetWeb (http.c is its one owner), requests as bytes and answers as one write; refuses to
 * know paths and what they mean. A request is handled on one of CivetWeb's worker threads, whose stacks are 100 KiB: no
 * large locals in handlers. Everything a request needs lives in its arena, which is emptied after the answer. */
#ifndef BERTH_SERVER_NET_HTTP_H
#define BERTH_SERVER_NET_HTTP_H

#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "base/sigv4.h"
#include "server/net/tls.h"

enum {
    HTTP_HEAD_ROOM = 1024,                   /* bytes kept free before an answer's body, so that both leave in one write */
    HTTP_BODY_MAX = 1024 * 1024,
    HTTP_BODIES_MAX = 256 * 1024 * 1024,     /* of all that are in memory at once */
    HTTP_THREADS_MAX = 30000,
};

enum http_body { HTTP_BODY_WHOLE, HTTP_BODY_TOO_LARGE, HTTP_BODY_BROKEN, HTTP_BODY_NO_ROOM, HTTP_HEAD_BROKEN };

struct http_connection;
struct http_request {
    struct str method, path, query;          /* path and query as on the request line, still encoded */
    struct str body;                         /* empty unless WHOLE */
    enum http_body body_state;
    const struct sigv4_header *headers; size_t header_count;
    struct str peer;                         /* its address */
    bool certified;                          /* it has shown a certificate of the authority that clients are asked for (tls.h) */
    char id[ID_UUID_LEN + 1];                /* a UUID: x-amzn-RequestId */
    int64_t now_ms;                          /* when it came in */
    struct arena *arena;                     /* lent until the answer has left */
    struct http_connection *connection;      /* http.c's own */
};

struct http_answer {
    int status;
    struct str type;                         /* Content-Type; absent: the answer has no body */
    struct str headers;                      /* more header lines, each with its CRLF */
    bool close;                              /* this was the connection's last request */
    bool streamed;                           /* http_stream_begin has sent the head */
    struct buf body;                         /* begins with HTTP_HEAD_ROOM bytes that are http.c's */
};

typedef void http_handler(void *context, struct http_request *request, struct http_answer *answer);

struct http_config {
    const char *host; int port, threads;
    struct tls *tls;                         /* lent; NULL: plain HTTP */
    http_handler *handler; void *context;
};

struct http_counts {
    int64_t waiting, strangers, known;       /* connections: without a thread, with one, and those that have shown a good key */
    int64_t hung_up, ended_strangers, ended_idle;        /* so far: slow before they had a thread; with one, to make room for others */
    int64_t body_bytes;                      /* of bodies in memory */
    int64_t refused_heads;                   /* so far, that two readers could take for two things */
};

struct http;
struct http *http_start(const struct http_config *config, struct err *err);     /* owned; NULL and *err */
int          http_port(const struct http *http);
struct http_counts http_count(struct http *http);
void         http_finish_running(struct http *http, int64_t patience_ms);       /* waits until no request runs */
void         http_stop(struct http *http);                                      /* accepts NULL */

struct str   http_header(const struct http_request *request, struct str name);  /* absent when there is none */
struct str   http_parameter(const struct http_request *request, struct str name);   /* of the query, decoded; absent when none */
struct str   http_form_value(struct str form, struct str name, struct arena *arena);
struct str   http_answer_body(const struct http_answer *answer);

/* An answer without an end: the head goes out now, what follows by http_stream_write until the handler returns. False: the
 * client has gone or is too slow. */
MUST_USE bool http_stream_begin(struct http_request *request, struct http_answer *answer);
MUST_USE bool http_stream_write(struct http_request *request, struct str bytes);
bool         http_peer_left(const struct http_request *request);      /* it has closed its end: nobody reads the stream any more */
/* It has shown a good key. Its connection is then ended for others' sake only while it rests. A request that came in elsewhere is left alone. */
void         http_prove(const struct http_request *request);

#endif
