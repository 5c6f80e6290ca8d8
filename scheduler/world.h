/* world.h: what the files of this room share: instances, tasks, and where the tasks of a group are. Every change of the
 * world ends in columns_write (world.c), which alone writes the columns that the search reads; an index over them would be
 * kept there too. */
#ifndef BERTH_SCHEDULER_WORLD_H
#define BERTH_SCHEDULER_WORLD_H

#include "scheduler/fleet.h"
#include "scheduler/scheduler.h"
#include "scheduler/texts.h"

enum {
    AMOUNT_MAX = INT32_MAX - 1,              /* CPU units or MiB of one instance; above, they count as this much */
    INSTANCE_SLOTS_MAX = 64,                 /* GPUs: one word of bits */
    PORT_TEXT_SIZE = 16,
};

/* A set of attributes that one or more instances have. What a demand wants of attributes is asked once per kind. */
struct kind_attribute { uint32_t name, value; };                 /* texts; value may be NONE */
struct kind { uint64_t hash; uint32_t refs; uint32_t count; struct kind_attribute *attributes; };   /* sorted by name */

/* An instance, or the place where tasks wait for one that is not known (yet, or any more): then `known` is false. */
struct instance_slot {
    struct id id;
    bool known, active, connected, gpus_clash;                   /* gpus_clash: a device is held by two tasks */
    uint32_t fleet, row, kind;                                   /* when known */
    int64_t cpu, memory_mib;                                     /* in all */
    int64_t cpu_used, memory_used;                               /* may be more than there is */
    uint32_t gpu_count, *gpu_texts;                              /* uuids by slot */
    uint64_t gpus_held;
    int32_t *ports;                                              /* taken; the reserved ones come first */
    uint32_t port_count, port_capacity, reserved_count;
    uint32_t ec2_instance_id, agent_version;                     /* texts */
    int64_t registered_ms;
    uint32_t tasks, task_count, running_count, presences;        /* lists: first task, first presence */
};

struct task_slot {
    struct id id;
    uint32_t instance, next, previous;                           /* the instance's list */
    uint32_t group;                                              /* text */
    int64_t cpu, memory_mib;
    uint64_t gpu_bits;                                           /* of the instance's slots; devices it does not have are left out */
    uint32_t *gpus; uint32_t gpu_count;                          /* texts */
    int32_t *ports; uint32_t port_count;
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
    struct table kinds_by_hash, instances_by_id, tasks_by_id, presences_by_pair, fleets_by_cluster;
    /* scratch of a search, as long as `kinds` and `texts` */
    int32_t *kind_fits; uint32_t *kind_value; uint32_t kind_scratch;
    int32_t *value_tasks; uint32_t value_scratch;
    char port_texts[EVIDENCE_GROUPS_MAX][PORT_TEXT_SIZE];        /* what evidence borrows */
};

static inline struct kind *kind_at(const struct world *world, uint32_t n) { return &((struct kind *)world->kinds.items)[n]; }
static inline struct instance_slot *instance_at(const struct world *world, uint32_t n)
{
    return &((struct instance_slot *)world->instances.items)[n];
}
static inline struct task_slot *task_at(const struct world *world, uint32_t n)
{
    return &((struct task_slot *)world->tasks.items)[n];
}
static inline struct presence *presence_at(const struct world *world, uint32_t n)
{
    return &((struct presence *)world->presences.items)[n];
}
static inline struct fleet *fleet_at(const struct world *world, uint32_t n) { return &((struct fleet *)world->fleets.items)[n]; }

/* How many bits are set: in pairs, in fours, in bytes, and the sum of the bytes. (The compiler's own is a call here.) */
static inline int32_t bits_count(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int32_t)(bits * 0x0101010101010101u >> 56);
}

uint32_t instance_find(const struct world *world, struct id id);         /* NONE when not known */
struct fleet *fleet_find(const struct world *world, int64_t cluster);    /* NULL when it has no instances */

/* Makes fleet->same_group count the tasks of `group` (NONE: there are none), which columns_write then keeps true. */
void fleet_count_group(struct world *world, struct fleet *fleet, uint32_t group);

/* What is free; never below nothing. */
int32_t  instance_cpu_free(const struct instance_slot *instance);
int32_t  instance_memory_free(const struct instance_slot *instance);
uint64_t instance_gpu_bits(const struct instance_slot *instance);        /* all devices */
bool     instance_has_port(const struct instance_slot *instance, int64_t port, bool reserved_only);   /* taken */

/* kinds.c */
uint32_t kind_hold(struct world *world, const struct sched_attribute *attributes, size_t count);
void     kind_release(struct world *world, uint32_t kind);
const struct kind_attribute *kind_attribute(const struct world *world, uint32_t kind, uint32_t name);   /* NULL when it lacks it */

/* presence.c */
void     presence_add(struct world *world, uint32_t instance, uint32_t group);
void     presence_remove(struct world *world, uint32_t instance, uint32_t group);
uint32_t presence_count(const struct world *world, uint32_t instance, uint32_t group);

#endif
