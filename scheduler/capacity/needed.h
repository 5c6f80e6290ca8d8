/* needed.h: which machines the waiting tasks of a capacity provider need beyond those that it has. Knows the demands of tasks, the free room of machines,
 * the types of machines on order, and what types cost; refuses to know times, sizes of steps and the store. Pure: the same input gives the same plan.
 *
 * Tasks go to the machines that were ordered for them; the others, in the order of the queue, into the free room of machines, then into machines on order.
 * The rest is packed into new machines, large tasks first, each machine of the type that costs least for each task that fits on it. A gang finds room as a
 * whole or holds none. GPUs, shares of them and their memory fit as the scheduler places them. Of a machine that does not exist its type, its architecture
 * and the model of its GPUs are known; every other constraint may hold there. A machine gets one task of a shape that asks for a fixed port or for distinct
 * instances.
 */
#ifndef BERTH_SCHEDULER_CAPACITY_NEEDED_H
#define BERTH_SCHEDULER_CAPACITY_NEEDED_H

#include "model/catalogue/catalogue.h"
#include "scheduler/world/machine.h"

enum { CAPACITY_NEW_MAX = 10000 };           /* new machines of a plan */

/* ---- input ---- */
struct capacity_type {                       /* in the order in which they are tried (types_sort) */
    const struct instance_type *type;
    int64_t left;                            /* this many more of it can be ordered */
    int64_t memory_mib;                      /* as machines of this type register; 0: not known, as in the catalogue */
};
struct capacity_machine {                    /* one that is on order, starts or is registered; none that drains or stops */
    struct id id;
    const struct instance_type *type;        /* NULL: not known */
    const struct machine *room;              /* registered: its free room; NULL: it takes no tasks. On order: not read */
    bool on_order;                           /* … or starts: it will have all that its type has */
    bool busy;                               /* a task runs on it that is of no daemon */
    bool kept;                               /* protected by hand from scale-in */
    int64_t tasks;                           /* on it, of no daemon */
    int64_t since_ms;                        /* not busy: empty since then, or ordered then */
    const struct id *for_tasks; size_t for_count;        /* the tasks that a plan before put there, or ordered it for: those that still wait go there
                                              * first, so that the next plan needs no other machine. May be unknown */
};
struct capacity_task { struct id id; uint32_t shape, gang; };    /* gang: 0: of no gang; the tasks of a gang follow each other and have one shape */
struct capacity_demand {
    const struct demand *shapes; size_t shape_count;
    const struct capacity_task *tasks; size_t task_count;        /* that wait, in the order of the queue */
    const struct capacity_type *types; size_t type_count;
    const struct capacity_machine *machines; size_t machine_count;
    int64_t size_max;                        /* machines that there can be in all */
    int64_t daemon_cpu, daemon_memory_mib;   /* that daemons take on each machine, before the tasks */
};

/* ---- the plan ---- */
enum capacity_fate {
    FATE_IMPOSSIBLE,                         /* no type, and no machine that there is, can ever hold it */
    FATE_HELD,                               /* it waits for room on a machine that there is: no more can be added of the types that could hold it, or not
                                              * enough for its gang below size_max */
    FATE_MACHINE, FATE_NEW                   /* on this machine, on this new machine */
};
struct capacity_place { enum capacity_fate fate; uint32_t at; };
struct capacity_new { uint32_t type; const struct id *tasks; size_t task_count; };           /* type: its place in the list of types */
/* The type that lacks least for a shape, what it lacks first, and how much it has of that (CPU units, MiB, GPUs). FITS: it has all; NOT_ACTIVE: there are
 * no types. */
struct capacity_lack { enum verdict verdict; uint32_t type; int64_t has; };
struct capacity_plan {
    const struct capacity_place *places;     /* one a task */
    const struct capacity_lack *lacks;       /* one a shape */
    const bool *reserved;                    /* one a machine: a waiting task goes there */
    const struct capacity_new *news; size_t new_count;           /* in the order of the first of their tasks in the queue */
    int64_t used;                            /* machines that are busy or reserved */
    int64_t impossible, held;                /* tasks */
};

/* In `arena`; texts and types are borrowed. */
struct capacity_plan capacity_plan(const struct capacity_demand *demand, struct arena *arena);
/* The types that hold all the tasks of a new machine, without its own: for when that one is not available. In the order of the types. Returns how many there
 * are; `types` has room for all. */
size_t capacity_alternatives(const struct capacity_demand *demand, const struct capacity_plan *plan, size_t new_machine, uint32_t *types);
/* The free room of a registered machine, borrowed from the world until it changes; false: it is unknown or takes no tasks. Also of a machine whose agent
 * is away: it is most often back soon, and all are away when the server starts. The caller leaves out a machine whose agent does not come back. */
struct world;
bool capacity_room(const struct world *world, struct id instance, struct machine *room);

#endif
