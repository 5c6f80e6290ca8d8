/* minutes.h: the use of services that scale, in percent, by the minute: of what a service's running tasks reserve, the mean of all of them. In memory: a
 * server that starts knows nothing until minutes have passed. One thread.
 *
 *   CPU, memory       what the containers of a task use, of what the task takes from its machine
 *   GPU, GPU memory   of the GPUs that the task holds
 *   requests          of the target group that the policy names, and of its alternate, in the minute; for each of their healthy targets
 *
 * Metrics of clients are kept by the minute already. A minute in which no running task had a sample ends the row of minutes. */
#ifndef BERTH_SERVER_FIGURES_MINUTES_H
#define BERTH_SERVER_FIGURES_MINUTES_H

#include "server/figures/client_metrics.h"
#include "server/figures/requests.h"
#include "server/figures/samples.h"
#include "store/store.h"

struct minutes;
struct minutes *minutes_create(void);                                /* owned */
void            minutes_destroy(struct minutes *minutes);            /* accepts NULL */

/* Reads samples of the tasks of every scalable target, and forgets services that have none. `ends`: a minute ends with this look. Gives the services by
 * number; their rows of minutes are empty unless one ends. *items is in `arena`. */
struct minutes_sources { struct samples *samples; struct requests *requests; struct client_metrics *metrics; int64_t minute_ms; };      /* all lent */
size_t minutes_look(struct minutes *minutes, struct store *store, const struct minutes_sources *sources, int64_t now_ms, bool ends,
                    struct service_minutes **items, struct arena *arena);

#endif
