/* instance.h: one instance as the world keeps it, and what of it is free. */
#ifndef BERTH_SCHEDULER_WORLD_INSTANCE_H
#define BERTH_SCHEDULER_WORLD_INSTANCE_H

#include "scheduler/world/machine.h"
#include "scheduler/world/pool.h"

enum {
    AMOUNT_MAX = INT32_MAX - 1,              /* CPU units or MiB of one instance; above, they count as this much */
};

/* An instance, or the place where tasks wait for one that is not known (yet, or any more): then `known` is false. What every placement reads
 * and writes comes first, in two lines of the cache (pool.h: slots begin on one). */
struct instance_slot {
    _Alignas(POOL_LINE) struct id id;
    uint32_t fleet, row, kind;                                   /* when known */
    bool known, active, connected, in_zone, awaits_daemon;       /* in_zone: it is counted in its fleet's zone `zone` */
    uint32_t tasks, task_count, running_count, group_counts;        /* lists: first task, first count of a group */
    int64_t cpu, memory_mib;                                     /* in all */
    int64_t cpu_used, memory_used;                               /* may be more than there is */
    uint32_t size_tasks[TASK_SIZE_COUNT];                        /* tasks with GPUs, by size */
    uint32_t gpu_count;
    int64_t interfaces, interfaces_used;                         /* interfaces 0: no limit is known */
    uint32_t *gpu_texts;                                         /* uuids by slot */
    struct rig *rig;                                             /* its devices; its own */
    uint64_t gpus_out;                                           /* bits of the devices in quarantine */
    int32_t *gpu_used;                                           /* thousandths held, by slot; more than there is when tasks clash */
    int16_t *gpu_free;
    int16_t *gpu_links;                                          /* what the rig shows */
    uint32_t *gpu_tellers;                                       /* by slot: the next instance that has this device too */
    int32_t *ports;                                              /* taken; the reserved ones come first */
    uint32_t port_count, port_capacity, reserved_count;
    uint32_t ec2_instance_id, agent_version;                     /* texts */
    uint32_t zone;
    int64_t registered_ms;
};

/* Free resources; never below 0. */
int32_t  instance_cpu_free(const struct instance_slot *instance);
int32_t  instance_memory_free(const struct instance_slot *instance);
uint64_t instance_gpus_free(const struct instance_slot *instance);       /* bits of the devices of which no task holds a part and that are not in quarantine */
struct machine instance_machine(const struct instance_slot *instance);   /* borrows */
bool     instance_has_port(const struct instance_slot *instance, int64_t port, bool reserved_only);   /* taken */

/* A hint to memory: what the tasks of an instance change. */
static inline void instance_fetch(const struct instance_slot *instance)
{
    __builtin_prefetch(instance);                                /* the part that a task changes is at the start */
    __builtin_prefetch(instance->size_tasks);
}

#endif
