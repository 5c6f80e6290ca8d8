/* names.h: names with the addresses and ports behind them, as a hosts file and as a zone. Pure. */
#ifndef BERTH_CLI_FEED_NAMES_H
#define BERTH_CLI_FEED_NAMES_H

#include "cli/feed/state.h"

/* Lines "ADDRESS NAME.berth". A name that is no DNS name is left out, with a comment; an address that is no IP address is left out. */
void names_put_hosts(const struct feed_state *state, struct buf *out);
/* The zone "berth" (RFC 1035) with addresses and SRV records (RFC 2782). Its serial is the commit of the state. Without a port a name has no SRV record. */
void names_put_zone(const struct feed_state *state, struct buf *out);

#endif
