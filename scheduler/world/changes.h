/* changes.h: every change of the world. A change of an instance stamps its row (fleet.h), and nothing else: a board that keeps ranks of
 * instances reads the stamps. Callers outside use the functions of scheduler.h, which are in place/told.c. */
#ifndef BERTH_SCHEDULER_WORLD_CHANGES_H
#define BERTH_SCHEDULER_WORLD_CHANGES_H

#include "scheduler/world/world.h"

struct world *world_create(struct arena *arena);
void world_finish(struct world *world);                          /* gives back what does not lie in the arena */

uint32_t instance_put(struct world *world, const struct sched_instance *told);   /* its number */
void     instance_drop(struct world *world, uint32_t number);    /* a known one */

/* The instances that have changed. `left`: where the task was before, NONE: the task is new; by now the instance may be unknown. */
struct task_change { uint32_t left, instance; bool is_new; };
struct task_change task_put(struct world *world, const struct sched_task *told, uint32_t instance);   /* instance: its number; NONE: is looked up */
uint32_t task_drop(struct world *world, struct id id);           /* the instance that it was on; NONE: the task is not known */
void tasks_fetch(const struct world *world, const struct id *ids, size_t count);        /* they will be put: a hint to memory */

/* As sched_load_begin and so on; `instances` receives where each task is now. */
void tasks_load_begin(struct world *world, size_t count);
void tasks_load(struct world *world, const struct sched_task *tasks, size_t count, uint32_t instances[SCHED_LOAD_MAX]);
void tasks_load_end(struct world *world);

#endif
