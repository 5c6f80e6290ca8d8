/* world.h: what the files of this room share: instances, tasks, and where the tasks of a group are. It is changed by changes.h. */
#ifndef BERTH_SCHEDULER_WORLD_WORLD_H
#define BERTH_SCHEDULER_WORLD_WORLD_H

#include "scheduler/world/fleet.h"
#include "scheduler/world/instance.h"
#include "scheduler/world/interned.h"

/* A set of attributes that one or more instances have. What a demand wants of attributes is asked once per kind. */
struct kind_attribute { uint32_t name, value; };                 /* texts; value may be NONE */
struct kind {
    uint64_t hash;
    uint32_t refs, birth;                                        /* birth: no two kinds of the world's life have the same */
    uint32_t count; struct kind_attribute *attributes;           /* sorted by name */
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
struct group_count {
    uint32_t instance, group, count;
    uint32_t next_here, previous_here;                           /* other groups on the instance */
    uint32_t next_elsewhere, previous_elsewhere;                 /* the same group on other instances */
};

struct boards;
struct roster;
struct queue;
struct runs;
struct keeps;
struct quotas;
struct feeds;
struct world {
    struct pool pool;
    struct interned interned;
    struct slots kinds, instances, tasks, group_counts, fleets;
    struct hash_table kinds_by_hash, instances_by_id, group_counts_by_pair, fleets_by_cluster;
    struct wide_table tasks_by_id;
    uint32_t last_group;                                         /* text; NONE before the first */
    uint32_t kind_births;
    struct boards *boards;                                       /* place/boards.h */
    struct roster *roster;                                       /* reconcile/roster.h */
    struct queue *queue;                                         /* queue/queue.h */
    struct runs *runs;                                           /* queue/runs.h */
    struct keeps *keeps;                                         /* queue/keeps.h */
    struct quotas *quotas;                                       /* queue/quota.h */
    struct feeds *feeds;                                         /* reconcile/feeds.h */
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
static inline struct group_count *group_count_at(const struct world *world, uint32_t n)
{
    return SLOTS_AT(&world->group_counts, struct group_count, n);
}
static inline struct fleet *fleet_at(const struct world *world, uint32_t n) { return SLOTS_AT(&world->fleets, struct fleet, n); }

/* Known or not. */
static inline uint32_t instance_find_any(const struct world *world, struct id id)
{
    uint64_t hash = hash_id(id);
    size_t at = 0;
    for (uint32_t n = table_first(&world->instances_by_id, hash, &at); n != NONE;
         n = table_next(&world->instances_by_id, hash, &at)) {
        if (id_eq(instance_at(world, n)->id, id)) { return n; }
    }
    return NONE;
}

uint32_t instance_find(const struct world *world, struct id id);         /* NONE when not known */
uint32_t fleet_number(const struct world *world, int64_t cluster);       /* NONE when it has no instances */
struct fleet *fleet_find(const struct world *world, int64_t cluster);    /* NULL when it has no instances */

/* A hint to memory: the memory around an instance that changes with its tasks. */
static inline void instance_fetch_around(const struct world *world, const struct instance_slot *instance)
{
    if (instance->group_counts != NONE) { __builtin_prefetch(group_count_at(world, instance->group_counts)); }
    if (instance->tasks != NONE) { __builtin_prefetch(task_at(world, instance->tasks)); }
    if (instance->known) { __builtin_prefetch(&fleet_at(world, instance->fleet)->rows[instance->row].stamp); }
}

/* machine_kinds.c */
uint32_t kind_hold(struct world *world, const struct sched_attribute *attributes, size_t count);
void     kind_release(struct world *world, uint32_t kind);
const struct kind_attribute *kind_attribute(const struct world *world, uint32_t kind, uint32_t name);   /* NULL when it lacks it */

/* zones.c. True: the zones of the fleet are others now. */
bool zones_follow(struct world *world, uint32_t instance);               /* after a change of a known instance */
bool zones_leave(struct world *world, uint32_t instance);                /* before it leaves its fleet */

/* group_counts.c */
void     group_count_add(struct world *world, uint32_t instance, uint32_t group);
void     group_count_remove(struct world *world, uint32_t instance, uint32_t group);
uint32_t group_count_of(const struct world *world, uint32_t instance, uint32_t group);

#endif
