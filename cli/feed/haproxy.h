/* haproxy.h: applies a state to a running HAProxy: looks at each of its workers, plans, and does what the plan says. */
#ifndef BERTH_CLI_FEED_HAPROXY_H
#define BERTH_CLI_FEED_HAPROXY_H

#include "cli/feed/follow.h"

struct haproxy { const char *socket; };                          /* of its stats, or of its master */

bool haproxy_apply(void *haproxy, const struct feed_state *state, struct feed_applied *applied, struct arena *arena, struct err *err);      /* feed_apply */

#endif
