/* caddy.h: applies a state to a running Caddy by its admin API. The handlers whose "@id" is tg-GROUP get the healthy targets of the group as upstreams.
 * Caddy counts the requests of addresses that its configuration has, so a target that drains is an upstream of a server without routes from outside,
 * berth-draining, until its requests have ended. Nothing is remembered: Caddy that starts again is fed at the next look. */
#ifndef BERTH_CLI_FEED_CADDY_H
#define BERTH_CLI_FEED_CADDY_H

#include "base/json.h"
#include "cli/feed/follow.h"

struct caddy { const char *admin; };                             /* its URL */

bool caddy_apply(void *caddy, const struct feed_state *state, struct feed_applied *applied, struct arena *arena, struct err *err);      /* feed_apply */

struct caddy_request { const char *method; struct str path, body; };
struct caddy_plan {
    struct caddy_request *requests; size_t count;                /* in their order */
    struct str_list busy;                                        /* targets that drain and may have requests */
    size_t carried;                                              /* target groups that have a handler */
};
/* Pure. `config` and `upstreams` are the answers of GET /config/ and GET /reverse_proxy/upstreams. Texts live in `arena`. */
void caddy_make(const struct feed_state *state, const struct json *config, const struct json *upstreams, struct caddy_plan *plan, struct arena *arena);

#endif
