/* changes.h: every change of the world. Each change of an instance ends in instance_changed (changes.c), which stamps its row, so that
 * boards (place/boards.h) look at it again, and tells the outlook (usual.h). What is told from outside comes by scheduler.h. */
#ifndef BERTH_SCHEDULER_WORLD_CHANGES_H
#define BERTH_SCHEDULER_WORLD_CHANGES_H

#include "scheduler/world/world.h"

/* As sched_put_task, by the search itself, which knows the instance's number and counts what is asked for. */
void task_put(struct world *world, const struct sched_task *task, uint32_t instance);
void tasks_fetch(const struct world *world, const struct id *ids, size_t count);        /* they will be put: a hint to memory */

#endif
