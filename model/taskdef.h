/* taskdef.h: a revision of a task definition as Berth remembers it: what ECS shows, and the tags beside it; and the pure
 * questions that are asked of one. */
#ifndef BERTH_MODEL_TASKDEF_H
#define BERTH_MODEL_TASKDEF_H

#include "model/ecs_taskdef.h"
#include "model/ecs_task.h"

struct taskdef {
    struct task_definition def;              /* taskDefinitionArn is not stored: it is made when shown */
    struct tag_list tags;
};
extern const struct schema taskdef_record;

enum { TASKDEF_CONTAINERS_MAX = 10, GPUS_ALL = -1 };

/* GPUs that a container asks for: 0 when it asks for none, GPUS_ALL for "ALL". False for a value that is neither "ALL" nor
 * a positive whole number. */
bool taskdef_gpus(const struct resource_requirement_list *requirements, int64_t *gpus);

/* "256", "0.5 vCPU", "1vcpu" → CPU units (1024 to the CPU); "512", "1GB", "0.5 GB" → MiB. False when it can't be read. */
bool taskdef_read_cpu(struct str text, int64_t *units);
bool taskdef_read_memory(struct str text, int64_t *mib);

/* NULL when there is none of that name. */
const struct container_definition *taskdef_container(const struct task_definition *def, struct str name);

#endif
