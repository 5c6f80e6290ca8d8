/* keeping.h: room that is kept for tasks that wait (scheduler/queue/keeps.h): the first large one of each capacity provider, and one for which others
 * stop. What is kept follows from the tasks that run, so little of it is written: since when it holds back others, until when no more is kept, and where tasks
 * stop (task_wait). Private to api/. */
#ifndef BERTH_API_TASKS_KEEPING_H
#define BERTH_API_TASKS_KEEPING_H

#include "api/tasks/launch.h"

struct waiting;

/* Before anything is placed in the cluster: looks where room is kept there, if some waits that it may be kept for. Writes nothing. */
void keeping_refresh(struct op_ctx *ctx, int64_t cluster);
/* It has just begun to wait: room may be kept for it, or others stop for it, in the next step. */
void keeping_entered(struct op_ctx *ctx, struct id first);
/* Tasks that start again after they were stopped for another one (berth:retry): they are to wait, each with this id. */
struct restart { struct id id; struct launch launch; };
struct restarts { struct restart *items; size_t count; };
/* It found no room: others may stop for it. `tasks`: the records of its tasks. */
struct restarts keeping_tried(struct op_ctx *ctx, const struct waiting *waiting, const struct launch *launch, const struct task *tasks);
/* Writes the state that a restart needs, and ends what lasts too long. */
void keeping_note(struct op_ctx *ctx);

#endif
