/* headroom.h: how much more would fit, kept for the page and /metrics, which ask often. The writer is asked again only after a commit, and at most once a
 * second. */
#ifndef BERTH_SERVER_FIGURES_HEADROOM_H
#define BERTH_SERVER_FIGURES_HEADROOM_H

#include "server/writing/writer.h"

struct headroom_cache;
struct headroom_cache *headroom_create(struct writer *writer);       /* owned; the writer is lent */
void                   headroom_destroy(struct headroom_cache *cache);    /* accepts NULL */

/* The report as JSON: of all clusters, or of the one of that name (ERR_CLUSTER_NOT_FOUND). False too when the writer refuses. */
MUST_USE bool headroom_print(struct headroom_cache *cache, struct str cluster, struct buf *out, struct err *err);
/* A line a cluster: "fits now  default: 22x1 4x4 1x8 (tasks x GPUs)"; nothing when the writer refuses. */
void          headroom_print_text(struct headroom_cache *cache, struct buf *out);
void          headroom_print_metrics(struct headroom_cache *cache, struct buf *out);      /* nothing when the writer refuses */

#endif
