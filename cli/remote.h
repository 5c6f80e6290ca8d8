/* remote.h: one signed request to a Berth server, for the commands of the shell. Knows HTTP and signatures (libcurl);
 * refuses to know the operations. */
#ifndef BERTH_CLI_REMOTE_H
#define BERTH_CLI_REMOTE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

struct remote {
    const char *url, *region, *access_key, *secret, *session_token;   /* url without a path; session_token may be NULL */
    const char *ca_file;                     /* PEM: the authority of the server's certificate; NULL: those that the system trusts */
    bool endless;                            /* the answer comes in pieces, without a limit of time */
    int timeout_ms;                          /* of a whole answer; 0: a minute */
};

/* POST / of an ECS operation. *reply lives in `arena`; an error of the server keeps its text, and its code if it is
 * one of ours. *warning is the answer's header x-berth-warning, absent if there is none; NULL: not wanted. */
bool remote_operation(const struct remote *remote, const char *operation, struct str body, struct str *reply, struct str *warning,
                      struct arena *arena, struct err *err);

/* POST of a body to one of Berth's own paths. */
bool remote_post(const struct remote *remote, const char *path, struct str body, struct str *reply, struct arena *arena, struct err *err);

/* GET of a path and query; the body lives in `arena`. */
bool remote_get_text(const struct remote *remote, const char *path_and_query, struct str *body, struct arena *arena, struct err *err);

/* GET of a path and query; the body goes to `out` as it comes, and is flushed. It ends without an error when nobody reads the pipe any more. */
bool remote_get(const struct remote *remote, const char *path_and_query, FILE *out, struct arena *arena, struct err *err);

/* A request to another program's HTTP server, without a signature; a body is JSON. False and *err: no answer, or one of more than `max` bytes. */
bool remote_plain(const char *method, const char *url, struct str body, size_t max, long *status, struct str *reply, struct arena *arena, struct err *err);

#endif
