/* front.h: what every path of HTTP needs, lent by server.c: the store, the one writing thread, access keys, counters, addresses. Knows how a handler
 * is called; refuses to know which paths there are. A handler that needs more has another struct, which begins with a pointer to this one. */
#ifndef BERTH_SERVER_FRONT_FRONT_H
#define BERTH_SERVER_FRONT_FRONT_H

#include <stdatomic.h>

#include "server/front/auth.h"
#include "server/figures/metrics.h"
#include "server/members/members.h"
#include "server/net/http.h"
#include "server/writing/writer.h"

struct front_addresses {
    const char *scheme;                      /* "https", of both ports */
    int api_port, agent_port;                /* as bound */
    bool agents_given;                       /* the endpoint of agents is a setting: api->endpoint */
    struct str api;                          /* empty: machines get the name that they called, with the API's port */
};
struct front {                               /* all lent */
    const struct api_config *api;
    struct store *store;
    struct writer *writer;
    struct auth *auth;
    struct metrics *metrics;
    struct str audit_key;                    /* hashes the names of secrets in the audit; never changes */
    struct front_addresses addresses;
    const atomic_bool *stopping;             /* also while the server starts: requests are refused */
    struct members *members;                 /* NULL: this server is alone */
};

/* A handler of one path. `context` is the struct that its row in routes.c names; routes.c also says what it may assume: a caller, a whole body. */
#define PATH_HANDLER(name) void name(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)

/* A context for reading; ends with store_read_end(ctx->txn). `config` is lent room for the addresses of this request. */
struct op_ctx front_read(const struct front *front, struct http_request *request, const struct caller *caller, struct api_config *config);

/* The store has all changes that any server answered before this request came. ERR_UNAVAILABLE: nobody says so in time. */
MUST_USE bool front_is_current(const struct front *front, struct http_request *request, struct http_answer *answer, struct err *err);

/* The API's address for the asking machine, for containers beside its agent; empty: not known. In the request's arena. */
struct str front_api_endpoint(const struct front *front, const struct http_request *request);

#endif
