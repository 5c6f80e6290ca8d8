/* outlook.h: what a cluster is usually asked for, and how well a machine serves that. Built from counted shapes of tasks;
 * measures states of machines against them. Knows of the cluster only sums that the world keeps up to date (stakes); refuses to
 * know which machines there are, and the task that is being placed.
 *
 * Two measures, both in thousandths of a device times the weight of the typical tasks (outlook.weight):
 *   fragments   free GPU that the typical task can't use, as published with Fragmentation Gradient Descent
 *   unfillable  free GPU that would be left over if the machine were filled up with that typical task alone
 * They depend only on the free cores, the free shares and the machine's kind, and are remembered under these. */
#ifndef BERTH_SCHEDULER_PLACE_OUTLOOK_H
#define BERTH_SCHEDULER_PLACE_OUTLOOK_H

#include "scheduler/place/gpu_value.h"

enum {
    TYPICAL_MAX = 256,
    TYPICAL_PERCENT = 95,                    /* the most frequent shapes that cover this part are typical */
    GUARDED_MAX = 32,                        /* one bit each */
    GUARD_HOSTS = 4,                         /* machines kept for a guarded shape beyond those it is expected to need */
    TIGHT_STEPS = 8, TIGHT_MAX = 12,         /* levels of tightness: at TIGHT_STEPS all that a kind has free is spoken for */
};

struct outlook_shape {
    int32_t cpu, memory;                     /* CPU units, MiB */
    int32_t devices, share;                  /* devices 0: none; share DEVICE_WHOLE: whole ones, else devices is 1 */
    uint32_t requirement;                    /* 0: any machine will do; else 1 .. requirement_count of the history */
    uint32_t count;                          /* tasks of this shape */
};

/* Lent while the outlook is built. */
struct outlook_history {
    const struct outlook_shape *shapes; size_t shape_count;
    const uint8_t *fits;                     /* [(requirement - 1) * kind_count + kind]: 1 if machines of the kind will do */
    uint32_t requirement_count, kind_count;
};

struct typical { int32_t cpu, devices, share; uint32_t size, requirement; int64_t count; };   /* size: index into sizes */
/* rate: tasks of this shape and of those that ask for more, for each 2^32 thousandths that are asked for in all. */
struct guarded { int32_t cpu, memory, devices; uint32_t requirement; int64_t rate; };
/* A kind of machine: the guarded shapes whose requirement it meets, how tight it is, its free thousandths. */
struct outlook_kind { uint32_t guards, tight; int64_t free; };
/* The demand of tasks with this requirement, in 65536ths of all demand, and the free thousandths of the kinds that will do. */
struct outlook_requirement { int64_t part, room, pressure; };    /* pressure: 65536 when all of the room is spoken for */

struct outlook {
    struct typical typical[TYPICAL_MAX]; uint32_t typical_count;
    int64_t weight;                          /* of all typical tasks */
    int32_t sizes[TYPICAL_MAX]; uint32_t size_count;             /* distinct shares among them */
    uint32_t reciprocals[TYPICAL_MAX];                           /* by size: 2^20 / share, rounded up; see pieces_of */
    int64_t cpu_per_device;                  /* CPU units that tasks with GPUs ask for with each device, on average */
    struct gpu_value value;
    struct guarded guarded[GUARDED_MAX]; uint32_t guarded_count;
    uint32_t kind_count, requirement_count;
    const uint8_t *runs;                     /* [kind * typical_count + t]; one more row for kinds that were not known */
    const uint8_t *fits;                     /* as in the history */
    struct outlook_memo *memo;

    /* Values that change with the stakes. A change can change the costs of other machines. */
    struct outlook_kind *kinds;              /* one more for kinds that were not known; that is never tight */
    struct outlook_requirement *requirements;
    int64_t free;                            /* thousandths, in all */
    uint32_t hosts[GUARDED_MAX];             /* machines that can host the guarded shape */
    uint32_t scarce;                         /* bits of the guarded shapes that fewer machines can host than should */
    uint32_t scarce_changed;                 /* … of those that became or ceased to be scarce with the last stake */
    uint8_t *kind_changed;                   /* 1 for kinds that became tighter or less tight with it */
};

/* The part of a machine that the measures see. Devices that are used up are left out, and so are MIG instances. */
struct outlook_state {
    uint32_t kind;
    int32_t cpu, memory;
    uint32_t whole, part_count;              /* devices wholly free; those free in part */
    int16_t parts[DEVICES_MAX];              /* their free thousandths, ascending */
};
struct outlook_measure { int64_t fragments, unfillable; };

/* Lives in `arena`. Without tasks a prior of whole devices is used. */
struct outlook *outlook_build(struct arena *arena, const struct outlook_history *history);

struct outlook_state   outlook_state(const struct machine *machine);
/* The state after a task: takes from it. A device with `free` thousandths must be there; `whole` devices must be. */
void                   outlook_take_share(struct outlook_state *state, int32_t free, int32_t share);
struct outlook_measure outlook_measure(const struct outlook *outlook, const struct outlook_state *state);
int64_t                outlook_free(const struct outlook_state *state);       /* thousandths of all its devices */

/* Bits of the guarded shapes that a state can host. */
uint32_t outlook_hosts(const struct outlook *outlook, const struct outlook_state *state);

/* The world keeps each machine's stake and exchanges it whenever the machine has changed. Where that says true, it may have
 * changed what policies think of other machines: those whose stakes outlook_concerns() says true of. */
struct outlook_stake outlook_stake(const struct outlook *outlook, const struct machine *machine);
void                 outlook_add(struct outlook *outlook, const struct outlook_stake *stake);     /* many of them: then settle */
bool                 outlook_settle(struct outlook *outlook);
bool                 outlook_exchange(struct outlook *outlook, const struct outlook_stake *was, const struct outlook_stake *now);
bool                 outlook_concerns(const struct outlook *outlook, const struct outlook_stake *stake);

/* Levels of tightness depend on earlier levels: a caller that tries something keeps them, kind_count of them, and sets them again
 * when all stakes are as before. */
void                 outlook_keep_levels(const struct outlook *outlook, uint32_t *levels);
bool                 outlook_set_levels(struct outlook *outlook, const uint32_t *levels);     /* true as outlook_exchange */

#endif
