/* taskdef.h: Berth's records of a revision of a task definition and of a daemon task definition: the members of ECS, and its tags; and pure
 * functions over one. */
#ifndef BERTH_MODEL_TASKDEF_H
#define BERTH_MODEL_TASKDEF_H

#include "model/ecs/task.h"
#include "model/gpu.h"
#include "model/records/daemon.h"
#include "model/records/taskdef.h"

bool taskdef_may_become(enum task_definition_status from, enum task_definition_status to);    /* the table of steps; a step to itself is no step */
/* The only function that changes a revision's status, by a step that the table allows. Sets the time that belongs to the step. */
void taskdef_become(struct taskdef *taskdef, enum task_definition_status status, int64_t now_ms);
/* As a request would give it again: without its status and times. */
struct task_definition taskdef_as_given(const struct task_definition *def);

/* The same for a daemon task definition. */
bool daemon_taskdef_may_become(enum daemon_task_definition_status from, enum daemon_task_definition_status to);
void daemon_taskdef_become(struct daemon_taskdef *taskdef, enum daemon_task_definition_status status, int64_t now_ms);
/* The same as a task definition, which is how daemons are placed and run. Borrows. */
struct taskdef daemon_taskdef_as(const struct daemon_taskdef *daemon);
struct task;
bool taskdef_is_of(const struct taskdef *taskdef, const struct task *task);          /* the task was made of it */

enum { TASKDEF_CONTAINERS_MAX = 10, GPUS_ALL = -1, GPU_WISH_WHY_MAX = 192 };

/* The GPU requirement of a container: `count` GPUs (GPUS_ALL for "ALL", 0 for none), GPU_SHARE_WHOLE of each or, of one, a share in
 * thousandths; each with at least `memory_mib` on it (0: any). Memory alone means this much of one GPU: count 1 and
 * no share. */
struct gpu_wish { int64_t count, share, memory_mib; };
/* False, and a sentence in `why`, if the values can't be read. */
bool taskdef_gpus(const struct resource_requirement_list *requirements, struct gpu_wish *wish, char why[GPU_WISH_WHY_MAX]);
/* The override of one container; NULL if it has none. `overrides` may be NULL. */
const struct container_override *taskdef_override(const struct task_override *overrides, struct str container);
/* As taskdef_gpus, of a container as it is overridden (`over` may be NULL); an override of "0" or an empty list takes the definition's GPUs away. */
bool taskdef_container_gpus(const struct container_definition *def, const struct container_override *over, struct gpu_wish *wish,
                            char why[GPU_WISH_WHY_MAX]);

/* "256", "0.5 vCPU", "1vcpu" → CPU units (1024 to the CPU); "512", "1GB", "0.5 GB" → MiB. False when it can't be read. */
bool taskdef_read_cpu(struct str text, int64_t *units);
bool taskdef_read_memory(struct str text, int64_t *mib);

/* NULL if no container has that name. */
const struct container_definition *taskdef_container(const struct task_definition *def, struct str name);

#endif
