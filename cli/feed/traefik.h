/* traefik.h: listeners, rules and target groups as a file of Traefik's file provider, in JSON, for Traefik 3. Pure. The entry point of a listener is
 * BALANCER-PORT; Traefik leaves out the listeners for which it has none. */
#ifndef BERTH_CLI_FEED_TRAEFIK_H
#define BERTH_CLI_FEED_TRAEFIK_H

#include "cli/feed/state.h"

void traefik_put(const struct feed_state *state, struct buf *out);

#endif
