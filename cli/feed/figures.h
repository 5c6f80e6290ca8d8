/* figures.h: /metrics of HAProxy's requests by target group, in the form of Prometheus, from its own counters (`show stat`). */
#ifndef BERTH_CLI_FEED_FIGURES_H
#define BERTH_CLI_FEED_FIGURES_H

#include "base/buf.h"
#include "base/err.h"

struct figures;
/* `socket` is lent. Owned; NULL and *err: it can't listen. */
struct figures *figures_start(const char *socket, const char *host, int port, struct err *err);
void            figures_stop(struct figures *figures);           /* accepts NULL */

/* The text for an answer of `show stat`. */
void figures_print(struct str stat, struct buf *out);

#endif
