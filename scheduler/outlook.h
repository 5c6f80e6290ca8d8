/* outlook.h: what a cluster is usually asked for, and how well a machine serves that. Built from counted shapes of tasks;
 * measures states of machines against them. Refuses to know which machines there are, and the task that is being placed.
 *
 * Two measures, both in thousandths of a device times the weight of the typical tasks (outlook.weight):
 *   fragments   free GPU that the typical task can't use, as published with Fragmentation Gradient Descent
 *   unfillable  free GPU that would be left over if the machine were filled up with that typical task alone
 * They depend on nothing but the free cores, the free shares and the machine's kind, and are remembered under these. */
#ifndef BERTH_SCHEDULER_OUTLOOK_H
#define BERTH_SCHEDULER_OUTLOOK_H

#include "scheduler/worth.h"

enum {
    TYPICAL_MAX = 128,
    TYPICAL_PERCENT = 95,                    /* the most frequent shapes that cover so much are typical */
    GUARDED_MAX = 32,                        /* one bit each */
    GUARD_HOSTS = 8,                         /* a guarded shape which no more machines than these can host is scarce */
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
struct guarded { int32_t cpu, memory, devices; uint32_t requirement; };

struct outlook {
    struct typical typical[TYPICAL_MAX]; uint32_t typical_count;
    int64_t weight;                          /* of all typical tasks */
    int32_t sizes[TYPICAL_MAX]; uint32_t size_count;             /* distinct shares among them */
    uint32_t kind_count;
    const uint8_t *runs;                     /* [kind * typical_count + t]; one more row for kinds that were not known */
    struct guarded guarded[GUARDED_MAX]; uint32_t guarded_count;
    const uint32_t *guards;                  /* by kind: bits of the guarded shapes whose requirement it meets */
    uint32_t scarce;                         /* bits of the guarded shapes that few machines can host; the world's to set */
    struct worth worth;
    struct outlook_memo *memo;
};

/* What of a machine the measures see. Devices that are used up are left out, and so are MIG instances. */
struct outlook_state {
    uint32_t kind;
    int32_t cpu, memory;
    uint32_t whole, part_count;              /* devices wholly free; those free in part */
    int16_t parts[DEVICES_MAX];              /* their free thousandths, ascending */
};
struct outlook_measure { int64_t fragments, unfillable; };

/* Lives in `arena`. Without shapes a prior of whole devices is used. */
struct outlook *outlook_build(struct arena *arena, const struct outlook_history *history);

struct outlook_state   outlook_state(const struct machine *machine);
/* The state after a task: takes from it. A device with `free` thousandths must be there; `whole` devices must be. */
void                   outlook_take_share(struct outlook_state *state, int32_t free, int32_t share);
struct outlook_measure outlook_measure(const struct outlook *outlook, const struct outlook_state *state);
int64_t                outlook_free(const struct outlook_state *state);       /* thousandths of all its devices */

/* Bits of the guarded shapes that a machine can host now, and the bit of the shape that an ask is (0: of none). */
uint32_t outlook_state_hosts(const struct outlook *outlook, const struct outlook_state *state);
uint32_t outlook_hosts(const struct outlook *outlook, const struct machine *machine);

#endif
