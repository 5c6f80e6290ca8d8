/* world.h: what the files of this room share: instances, tasks, and where the tasks of a group are. Every change of an
 * instance ends in instance_changed (world.c), which tells the boards (board.h) that what they worked out is stale. */
#ifndef BERTH_SCHEDULER_WORLD_WORLD_H
#define BERTH_SCHEDULER_WORLD_WORLD_H

#include "scheduler/place/boards.h"
#include "scheduler/world/fleet.h"
#include "scheduler/world/machine.h"
#include "scheduler/world/texts.h"
#include "scheduler/world/usual.h"

enum {
    AMOUNT_MAX = INT32_MAX - 1,              /* CPU units or MiB of one instance; above, they count as this much */
};

/* A set of attributes that one or more instances have. What a demand wants of attributes is asked once per kind. */
struct kind_attribute { uint32_t name, value; };                 /* texts; value may be NONE */
struct kind {
    uint64_t hash;
    uint32_t refs, birth;                                        /* birth: no two kinds of the world's life have the same */
    uint32_t count; struct kind_attribute *attributes;           /* sorted by name */
};

/* An instance, or the place where tasks wait for one that is not known (yet, or any more): then `known` is false. What every placement reads
 * and writes comes first, in two lines of the cache (pool.h: slots begin on one). */
struct instance_slot {
    _Alignas(POOL_LINE) struct id id;
    uint32_t fleet, row, kind;                                   /* when known */
    bool known, active, connected;
    uint32_t tasks, task_count, running_count, presences;        /* lists: first task, first presence */
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
    int64_t registered_ms;
};

struct task_slot {
    struct id id;
    uint32_t instance, next, previous;                           /* the instance's list */
    uint32_t group;                                              /* text */
    int32_t cpu, memory_mib;                                     /* at most AMOUNT_MAX */
    struct use { uint32_t gpu, slot; int32_t share; } *gpus;    /* text; NONE where the instance has no such device */
    int32_t *ports;
    uint32_t port_count;
    uint16_t gpu_count;
    uint8_t interfaces;
    bool running;
};

/* How many live tasks of a group are on an instance; in two lists. */
struct presence {
    uint32_t instance, group, count;
    uint32_t next_here, previous_here;                           /* other groups on the instance */
    uint32_t next_elsewhere, previous_elsewhere;                 /* the same group on other instances */
};

struct world {
    struct pool pool;
    struct texts texts;
    struct slots kinds, instances, tasks, presences, fleets;
    struct table kinds_by_hash, instances_by_id, presences_by_pair, fleets_by_cluster;
    struct wide_table tasks_by_id;
    uint32_t last_group;                                         /* text; NONE before the first */
    uint32_t kind_births;
    struct boards boards;
};

static inline struct kind *kind_at(const struct world *world, uint32_t n) { return SLOTS_AT(&world->kinds, struct kind, n); }
static inline struct instance_slot *instance_at(const struct world *world, uint32_t n)
{
    return SLOTS_AT(&world->instances, struct instance_slot, n);
}
static inline struct task_slot *task_at(const struct world *world, uint32_t n)
{
    return SLOTS_AT(&world->tasks, struct task_slot, n);
}
static inline struct presence *presence_at(const struct world *world, uint32_t n)
{
    return SLOTS_AT(&world->presences, struct presence, n);
}
static inline struct fleet *fleet_at(const struct world *world, uint32_t n) { return SLOTS_AT(&world->fleets, struct fleet, n); }

uint32_t instance_find(const struct world *world, struct id id);         /* NONE when not known */
struct fleet *fleet_find(const struct world *world, int64_t cluster);    /* NULL when it has no instances */

/* What is free; never below nothing. */
int32_t  instance_cpu_free(const struct instance_slot *instance);
int32_t  instance_memory_free(const struct instance_slot *instance);
uint64_t instance_gpus_free(const struct instance_slot *instance);       /* bits of the devices that nobody holds any of, quarantined ones aside */
struct machine instance_machine(const struct instance_slot *instance);   /* borrows */
bool     instance_has_port(const struct instance_slot *instance, int64_t port, bool reserved_only);   /* taken */

/* Hints to memory. Of an instance: what its tasks change. Then, around it, what stands elsewhere and changes with them. */
void instance_fetch(const struct instance_slot *instance);
void instance_fetch_around(const struct world *world, const struct instance_slot *instance);

/* kinds.c */
uint32_t kind_hold(struct world *world, const struct sched_attribute *attributes, size_t count);
void     kind_release(struct world *world, uint32_t kind);
const struct kind_attribute *kind_attribute(const struct world *world, uint32_t kind, uint32_t name);   /* NULL when it lacks it */

/* world.c: as sched_put_task, by the search itself, which knows the instance's number and counts what is asked for. */
void task_put(struct world *world, const struct sched_task *task, uint32_t instance);
void tasks_fetch(const struct world *world, const struct id *ids, size_t count);        /* they will be put: a hint to memory */

/* presence.c */
void     presence_add(struct world *world, uint32_t instance, uint32_t group);
void     presence_remove(struct world *world, uint32_t instance, uint32_t group);
uint32_t presence_count(const struct world *world, uint32_t instance, uint32_t group);

#endif
