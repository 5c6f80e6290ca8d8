/* remote.h: one signed request to a Berth server, for the commands of the shell. Knows HTTP and signatures (libcurl);
 * refuses to know what is asked. */
#ifndef BERTH_CLI_REMOTE_H
#define BERTH_CLI_REMOTE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

struct remote {
    const char *url, *region, *access_key, *secret, *session_token;   /* url without a path; session_token may be NULL */
    const char *ca_file;                     /* PEM: who signs the server's certificate; NULL: whom the system trusts */
    bool endless;                            /* the answer comes in pieces, for as long as there is something to tell */
};

/* POST / of an ECS operation. *reply lives in `arena`; an error of the server's comes back with its code unchanged where it is
 * one of ours, and its text. */
bool remote_operation(const struct remote *remote, const char *operation, struct str body, struct str *reply, struct arena *arena, struct err *err);

/* POST of a body to one of Berth's own paths. */
bool remote_post(const struct remote *remote, const char *path, struct str body, struct str *reply, struct arena *arena, struct err *err);

/* GET of a path and query; the body lives in `arena`. */
bool remote_get_text(const struct remote *remote, const char *path_and_query, struct str *body, struct arena *arena, struct err *err);

/* GET of a path and query; the body goes to `out` as it comes, and is flushed there. A pipe that nobody reads any more ends it, and is no error. */
bool remote_get(const struct remote *remote, const char *path_and_query, FILE *out, struct arena *arena, struct err *err);

#endif
