/* scheduler.h: decisions. Knows a world of instances with the free resources of each, demands, and how to choose; fills in the
 * evidence where it decides. Refuses to know the store, JSON, time, threads and the network: same world in, same plan out,
 * on every machine. The world lives in memory that the caller lends, is changed in place by the one thread that owns it, and
 * can be rebuilt from the store at any moment. */
#ifndef BERTH_SCHEDULER_SCHEDULER_H
#define BERTH_SCHEDULER_SCHEDULER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"

/* ---- the world ---- */
struct world;
struct sched_attribute { struct str name, value; };           /* value absent: a name alone */
struct sched_gpu {
    struct str uuid, model;
    int64_t memory_mib;                                       /* 0: not known */
    bool partition;                                           /* a MIG instance: taken whole, and only by tasks that ask for memory */
    bool out;                                                 /* in quarantine: tasks that hold it go on, no other task gets a part */
};
struct sched_instance {                                       /* all that the world knows of an instance; copied */
    struct id id;
    int64_t cluster;                                          /* its number */
    bool active;                                              /* takes new tasks: ACTIVE, neither draining nor gone */
    bool connected;                                           /* its agent is there */
    int64_t cpu, memory_mib;                                  /* in all */
    const int64_t *reserved_ports; size_t reserved_port_count;/* 1..65535, | 0x10000 for UDP */
    int64_t interfaces;                                       /* network interfaces that tasks can have; 0: no limit is known */
    const struct sched_gpu *gpus; size_t gpu_count;           /* in slot order, at most 64 */
    const int64_t *gpu_links;                                 /* gpu_count x gpu_count, by rows: how well each pair is connected (more
                                                               * is better; gpu_pick.h has the scale); NULL: not known */
    const struct sched_attribute *attributes; size_t attribute_count;
    struct str ec2_instance_id, agent_version;                /* for the constraint language */
    int64_t registered_ms;
};
struct sched_use { struct str gpu; int64_t share; };          /* a device's UUID and thousandths of it; GPU_WHOLE: all of it */
struct sched_task {                                           /* what a live task takes */
    struct id id, instance;
    struct str group;
    bool running;                                             /* and meant to, for runningTasksCount */
    int64_t cpu, memory_mib;
    const int64_t *ports; size_t port_count;
    int64_t interfaces;                                       /* its own network interfaces: 0 or 1 */
    const struct sched_use *gpus; size_t gpu_count;
};

struct world *sched_world_create(struct arena *arena);        /* lives in `arena` (lent for the world's whole life) */
/* The tasks of services, and which services are due: reconcile/roster.h. */
struct roster;
struct roster *sched_roster(struct world *world);
/* The proxies that follow the targets: reconcile/feeds.h. */
struct feeds;
struct feeds *sched_feeds(struct world *world);
/* The tasks that wait for room: queue/queue.h. */
struct queue;
struct queue *sched_queue(struct world *world);
/* How long tasks run, and the room that is kept for those that wait: queue/runs.h, queue/keeps.h. */
struct runs;
struct runs *sched_runs(struct world *world);
struct keeps;
struct keeps *sched_keeps(struct world *world);
/* The quotas of clusters: queue/quota.h. */
struct quotas;
struct quotas *sched_quotas(struct world *world);
/* Adds the instance or replaces the known facts of it. Tasks on it stay; an instance that shrank may be over-committed: it
 * then has nothing free until enough tasks are gone. */
void sched_put_instance(struct world *world, const struct sched_instance *instance);
void sched_drop_instance(struct world *world, struct id instance);
/* The instance waits for its daemons: it takes no other new tasks. False: it has been said before, or the instance is not known. */
bool sched_await_daemons(struct world *world, struct id instance, bool awaits);
void sched_put_task(struct world *world, const struct sched_task *task);     /* new or changed; instance may be unknown: then it waits */
/* The tasks of a world that has none yet, `count` or so in all, some at a time and each once. Before the end nothing else is asked of the world.
 * As if each had been put, but faster: a million wait for memory together. */
enum { SCHED_LOAD_MAX = 16 };
void sched_load_begin(struct world *world, size_t count);
void sched_load_tasks(struct world *world, const struct sched_task *tasks, size_t count);
void sched_load_end(struct world *world);
void sched_drop_task(struct world *world, struct id task);                   /* gives its resources back; unknown: nothing */
bool sched_holds_for(const struct world *world, struct id task);             /* what the task takes is counted */

/* ---- demand ---- */
enum strategy_kind { STRATEGY_RANDOM, STRATEGY_SPREAD, STRATEGY_BINPACK };
struct strategy { enum strategy_kind kind; struct str field; };
enum { DEMAND_CONTAINERS_MAX = 10, DEMAND_PORTS_MAX = 100, DEMAND_GPUS_ALL = -1, GPU_WHOLE = 1000 };
/* The GPUs that one container asks for: `count` devices (DEMAND_GPUS_ALL: all of the instance), GPU_WHOLE of each for itself alone
 * or, with count 1, a share of one in thousandths; each with at least `memory_mib` on it (0: any). A share with memory, or
 * memory alone (share 0, count 1), takes the larger of its two parts of the device: books are kept in one number. */
struct gpu_ask { int64_t count, share, memory_mib; };
/* The asker: room that is kept for tasks that wait (queue/keeps.h) counts for others. now_ms 0: it does not count. ends_ms: when the task is expected to end,
 * INT64_MAX: nobody knows. */
struct asker { struct id first; int64_t now_ms, ends_ms, rank; bool of_service; };
struct demand {
    int64_t cluster;
    int64_t cpu, memory_mib;                                  /* CPU units, MiB */
    const int64_t *ports; size_t port_count;
    int64_t interfaces;                                       /* 1 with the network mode awsvpc */
    struct gpu_ask gpus[DEMAND_CONTAINERS_MAX]; size_t container_count;
    const struct sched_attribute *attributes; size_t attribute_count;   /* all of them must be there */
    const struct expression *const *expressions; size_t expression_count;  /* memberOf; all must hold */
    bool distinct_instance;
    struct str group;                                         /* for distinctInstance and spread */
    const struct strategy *strategies; size_t strategy_count; /* 0: the default: GPU tasks fill the fullest machines that fit,
                                                               * CPU tasks keep off GPU machines, the rest as chance has it */
    uint64_t seed;                                            /* chance, handed in */
    bool of_daemon;                                           /* a managed daemon's: it goes to instances that wait for their daemons */
    struct asker asker;
};

/* ---- the constraint language (ECS's cluster query language) ---- */
struct expression;
/* Compiled into `arena`. NULL and ERR_INVALID_PARAMETER with the position of the mistake ("… at position 23: …"). */
const struct expression *expression_compile(struct str text, struct arena *arena, struct err *err);
bool sched_matches(const struct world *world, struct id instance, const struct expression *expression);  /* false for an unknown instance */

/* ---- plans and evidence ---- */
enum verdict {                                                /* why an instance was not taken; the first that applies */
    FITS, NOT_ACTIVE, NO_AGENT, AWAITS_DAEMON, LACKS_ATTRIBUTE, NOT_MEMBER, NOT_DISTINCT, LACKS_CPU, LACKS_MEMORY, LACKS_GPU_MEMORY, LACKS_GPU,
    LACKS_PORT, LACKS_INTERFACE,
    ROOM_KEPT,                                                     /* it has room, which is kept for a task that waits */
    VERDICT_COUNT
};
enum { EVIDENCE_GROUPS_MAX = 8, EVIDENCE_HOLDERS_MAX = 8, PORT_TEXT_SIZE = 16 };
/* Instances that were refused for the same reason with the same means, counted together. */
struct evidence_group {
    enum verdict verdict;
    bool impossible;                                          /* would not fit even on the empty instance */
    int64_t count;                                            /* instances */
    int64_t most;                                             /* LACKS_CPU/MEMORY/GPU/INTERFACE: the most that any of them has free */
    int64_t total;                                            /* … and the most that any of them has in all. LACKS_GPU_MEMORY: the
                                                               * most memory on any of their devices, MiB */
    int64_t most_share;                                       /* LACKS_GPU: the most thousandths free on one device */
    int64_t out;                                              /* LACKS_GPU: the most devices in quarantine on any of them */
    int64_t gpus;                                             /* the most devices that any of them has, for any lack */
    bool mixed;                                               /* … which is not the same for all of them */
    bool asked, held;                                         /* LACKS_CPU/MEMORY/GPU: tasks of this sched_try hold some of the
                                                               * taken; and so do tasks of the world (not told where `asked` is false) */
    struct id example;                                        /* the one that came nearest */
    struct id keeper;                                         /* ROOM_KEPT: the task that waits for the room, or the first of its gang */
    struct str what;                                          /* the attribute's name, the expression or the port ("8080", "53/udp")
                                                               * that was missing. With LACKS_GPU it is set only where the agent
                                                               * keeps its devices back (attribute berth.gpu-support = off): the
                                                               * value of berth.gpu-devices, or empty */
    struct str why;                                           /* … and berth.gpu-problem, what hinders it; absent: it was switched off */
};
struct evidence {
    int64_t instances;                                        /* looked at, of the cluster */
    struct evidence_group groups[EVIDENCE_GROUPS_MAX]; size_t group_count;   /* nearest miss first */
    bool impossible;                                          /* no instance of the cluster could ever take it; false when it has none */
    bool only_one;                                            /* from sched_place_on: about one instance, not the cluster */
    char port_texts[EVIDENCE_GROUPS_MAX][PORT_TEXT_SIZE];     /* what groups name */
    int64_t gang_size, gang_fitted;                           /* size of a gang, and how many of its tasks fitted; `groups` is then
                                                               * about the next task, with those in place. 0: no gang */
    struct id holders[EVIDENCE_HOLDERS_MAX]; size_t holder_count;   /* sched_try alone: tasks on the example of groups[0]: without them
                                                               * it would fit there. None where that does not help, or takes more */
};
struct placement {
    struct id instance;
    uint64_t gpu_slots[DEMAND_CONTAINERS_MAX];                /* per container: bits into the instance's gpus */
    int64_t gpu_share[DEMAND_CONTAINERS_MAX];                 /* … and the thousandths that it takes of each of them */
};

/* Chooses `count` instances one after the other, taking the resources in the world as it goes under the given task ids, as
 * sched_put_task would. Returns how many found a place; when fewer than `count`, *evidence tells why the next did not.
 * `all_or_nothing`: then none is taken. `evidence` may be NULL: working it out looks at every instance that changed since the
 * last refusal of the kind. Texts in it borrow from the demand and the world. */
size_t sched_place(struct world *world, const struct demand *demand, const struct id *tasks, size_t count, bool all_or_nothing,
                   struct placement *placements, struct evidence *evidence);
/* The result that sched_place would have now. The world does not change, and the demand is not counted as asked for. `count` is SCHED_TRY_MAX at most;
 * the evidence is not optional. */
enum { SCHED_TRY_MAX = 64 };
size_t sched_try(struct world *world, const struct demand *demand, size_t count, bool all_or_nothing, struct placement *placements,
                 struct evidence *evidence);
/* Several demands of one cluster after each other: placed tasks stay in the world until the end of the trial, which leaves no trace. Meanwhile nothing
 * else is placed. SCHED_TRY_MAX tasks a call at most, SCHED_TRIAL_MAX in all. */
enum { SCHED_TRIAL_MAX = 1024 };
struct sched_trial { int64_t cluster; size_t count; };
struct sched_trial sched_trial_begin(struct world *world, int64_t cluster);
size_t sched_trial_place(struct world *world, struct sched_trial *trial, const struct demand *demand, size_t count, struct placement *placements,
                         struct evidence *evidence);
void   sched_trial_end(struct world *world, struct sched_trial *trial);
/* On exactly this instance (StartTask): strategies do not count. An instance that is unknown or in another cluster is
 * NOT_ACTIVE with no instance in the evidence; callers that want to tell them apart look before. */
enum verdict sched_place_on(struct world *world, struct id instance, const struct demand *demand, struct id task,
                            struct placement *placement, struct evidence *evidence);
/* Sets the usual demand of the cluster: a number of tasks for each demand. Without this call the world learns it from the tasks that are placed. */
void sched_set_usual(struct world *world, int64_t cluster, const struct demand *demands, const uint32_t *counts, size_t count);
/* The uuid of a slot, for the record of a placed task. */
struct str sched_gpu_uuid(const struct world *world, struct id instance, unsigned slot);
/* The instances that are known to have this device, at most `limit`, in no order; how many there are. Ordinarily one. */
size_t sched_gpu_tellers(const struct world *world, struct str uuid, struct id *instances, size_t limit);
/* Whether an instance takes new tasks (ACTIVE, neither draining nor gone); false when it is unknown. And whether its agent is there. */
bool sched_takes_tasks(const struct world *world, struct id instance, bool *takes);
bool sched_is_connected(const struct world *world, struct id instance);
/* The instances of a cluster, at most `limit`; how many there are. */
size_t sched_instances(const struct world *world, int64_t cluster, struct id *instances, size_t limit);
/* The zones (attribute ecs.availability-zone) of the cluster's instances that take tasks and whose agent is there, in the order of their names, at most
 * `limit`; how many there are. Instances without a zone are in one, whose name is absent. Names hold until the next change. */
size_t sched_zones(const struct world *world, int64_t cluster, struct str *names, size_t limit);
/* Whether the instance has the attributes and fulfils the expressions of the demand, with room or without. False for an unknown one. */
bool sched_suits(const struct world *world, struct id instance, const struct demand *demand);
/* The value of an attribute, absent when the instance lacks it; false for an unknown instance. */
bool sched_attribute(const struct world *world, struct id instance, struct str name, struct str *value);

/* Berth's own policy for GPUs; and whether binpack by this field is a policy, which then decides alone. */
struct str sched_own_policy(void);
bool       sched_is_policy(struct str field);

/* ECS's reason word for a verdict: "RESOURCE:CPU", "AGENT", "ATTRIBUTE", "MEMBEROF", … */
struct str verdict_reason(enum verdict verdict);
/* One paragraph for a person, at most 1,024 bytes: the need, what each group of instances lacked, whether it is busy
 * or impossible. */
void sched_explain(const struct demand *demand, const struct evidence *evidence, struct buf *out);

/* ---- headroom: what would fit now ---- */
enum { HEADROOM_SIZES = 4, HEADROOM_MODELS_MAX = 16 };
extern const int64_t sched_headroom_sizes[HEADROOM_SIZES];    /* GPUs of a task: 1, 2, 4, 8 */
struct headroom_part {
    struct str model;                                         /* attribute berth.gpu-model; absent: not told, or one of too many */
    int64_t instances, gpus_free;                             /* that take tasks; GPUs of which no task holds a part */
    int64_t gpus_out;                                         /* GPUs in quarantine, which are not free */
    int64_t tasks[HEADROOM_SIZES];                            /* of that many whole GPUs each and nothing else, if all were of that size */
};
struct headroom {
    int64_t cpu, memory_mib;                                  /* free in all: CPU units, MiB */
    int64_t most_cpu, most_memory_mib;                        /* … and the most on one instance */
    struct headroom_part all;
    struct headroom_part models[HEADROOM_MODELS_MAX]; size_t model_count;   /* of the instances that have GPUs */
};
/* Looks at every instance of the cluster. Texts borrow from the world. */
void sched_headroom(const struct world *world, int64_t cluster, struct headroom *headroom);

/* ---- what a test compares after a crash or against a rebuild ---- */
/* GPUs: the bits of devices that no task holds a part of and that are not in quarantine, and the free thousandths of each. */
struct sched_free { int64_t cpu, memory_mib; uint64_t gpu_slots; int64_t gpu_free[64]; size_t tasks; bool awaits_daemons; };
bool   sched_free_on(const struct world *world, struct id instance, struct sched_free *available);    /* false: unknown */
size_t sched_instance_count(const struct world *world, int64_t cluster);

#endif
