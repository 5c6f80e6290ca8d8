/* impaired.h: how many machines are not well, by what was looked at. Kept between questions: all machines have to be read for it, and that
 * takes at most a hundredth of the time. */
#ifndef BERTH_SERVER_FIGURES_IMPAIRED_H
#define BERTH_SERVER_FIGURES_IMPAIRED_H

#include "base/buf.h"
#include "store/store.h"

struct impaired;
struct impaired *impaired_create(struct store *store);               /* borrows the store */
void             impaired_destroy(struct impaired *impaired);        /* accepts NULL */
void             impaired_print_metrics(struct impaired *impaired, struct buf *out);         /* Prometheus' text form; any thread */

#endif
