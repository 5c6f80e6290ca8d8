/* minutes.h: the use of services that scale, in percent, by the minute: of what a service's running tasks reserve, the mean of all of them. In memory: a
 * server that starts knows nothing until minutes have passed. One thread.
 *
 *   CPU, memory       what the containers of a task use, of what the task takes from its machine
 *   GPU, GPU memory   of the GPUs that the task holds
 *
 * A minute in which no running task had a sample ends the row of minutes. */
#ifndef BERTH_SERVER_FIGURES_MINUTES_H
#define BERTH_SERVER_FIGURES_MINUTES_H

#include "server/figures/samples.h"
#include "store/store.h"

struct minutes;
struct minutes *minutes_create(void);                                /* owned */
void            minutes_destroy(struct minutes *minutes);            /* accepts NULL */

/* Reads samples of the tasks of every scalable target, and forgets services that have none. `ends`: a minute ends with this look. Gives the services by
 * number; their rows of minutes are empty unless one ends. *items is in `arena`. */
size_t minutes_look(struct minutes *minutes, struct store *store, struct samples *samples, int64_t now_ms, bool ends, struct service_minutes **items,
                    struct arena *arena);

#endif
