/* sites.h: the instances that a demand may use as plain numbers, with the tasks that hold the rest and their expected ends, for the decisions of
 * scheduler/queue/ (fit.h). Reads the world, and what queue/runs.h knows of its tasks. */
#ifndef BERTH_SCHEDULER_PLACE_SITES_H
#define BERTH_SCHEDULER_PLACE_SITES_H

#include "scheduler/queue/fit.h"

/* Ends by `percent` of at least `least` past runs, or what tasks say (runs.h); of tasks that have run for longer, by `late_percent`, 0: nobody knows. */
struct sites_ask { int64_t now_ms; unsigned percent; size_t least; unsigned late_percent; };
struct site_list { struct site *sites; struct id *instances; size_t count; int64_t gpus; };      /* gpus: of all instances that the demand may use */

/* The demand as plain numbers. False, and an amount that fits nowhere: it has parts that these numbers can't say (all GPUs of an instance; shares and whole
 * GPUs; shares by memory). */
bool amount_of(const struct demand *demand, struct amount *amount);
/* The instances that it may use, those that are large enough; in order of their ids' registration. Occupants in order of their ends. */
void sites_read(struct world *world, const struct demand *demand, const struct amount *amount, const struct sites_ask *ask, struct arena *arena,
                struct site_list *list);
/* One instance. False: the demand may not use it, or it is too small. */
bool site_read(struct world *world, struct id instance, const struct demand *demand, const struct amount *amount, const struct sites_ask *ask,
               struct arena *arena, struct site *site);

#endif
