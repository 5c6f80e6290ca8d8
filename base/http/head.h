/* head.h: parses the head of an HTTP/1.1 request. Strict: a head that two readers could read differently is refused. Knows no
 * socket; the texts are borrowed from the bytes. */
#ifndef BERTH_BASE_HEAD_H
#define BERTH_BASE_HEAD_H

#include "base/sigv4.h"

enum { HEAD_MAX = 16 * 1024 };               /* bytes, the empty line included */

struct head {
    struct str method, path, query;          /* as on the request line, still encoded */
    size_t size;                             /* of the head; the body follows */
    size_t content_length;
    bool newer;                              /* HTTP/1.1, not 1.0 */
    bool keep_alive, expects;                /* expects: "100-continue" */
    bool chunked;                            /* the body has no length; set by head_add only */
    struct sigv4_header headers[SIGV4_HEADERS_MAX]; size_t header_count;
};

/* The same rules for a head that is already cut into pieces: the request line, and then each header as its line has it, without spaces
 * around the value. False: refuse the request. */
MUST_USE bool head_begin(struct head *head, struct str method, struct str path, struct str query, struct str version);
MUST_USE bool head_add(struct head *head, struct str name, struct str value);

/* Parses a whole head from bytes. A chunked body is refused here: no agent sends one. */
enum head_read { HEAD_WHOLE, HEAD_SHORT, HEAD_BROKEN, HEAD_TOO_LARGE };
enum head_read head_read(struct str bytes, struct head *head);
struct str     head_header(const struct head *head, struct str name);     /* absent when there is none */
bool           head_lists(struct str value, struct str word);             /* a list with commas, in any case */

#endif
