/* health_counts.h: how many machines are impaired, by the part that was checked. Counted again only when the store has changed, and in at most a hundredth
 * of the time, because all machines must be read. */
#ifndef BERTH_SERVER_FIGURES_HEALTH_COUNTS_H
#define BERTH_SERVER_FIGURES_HEALTH_COUNTS_H

#include "base/buf.h"
#include "store/store.h"

struct health_counts;
struct health_counts *health_counts_create(struct store *store);               /* borrows the store */
void             health_counts_destroy(struct health_counts *counts);        /* accepts NULL */
void             health_counts_print_metrics(struct health_counts *counts, struct buf *out);         /* Prometheus' text form; any thread */

#endif
