/* machine.h: one instance as placement policies see it, and what a task asks of one. Plain values, lent by the caller. */
#ifndef BERTH_SCHEDULER_WORLD_MACHINE_H
#define BERTH_SCHEDULER_WORLD_MACHINE_H

#include "scheduler/scheduler.h"

enum {
    DEVICES_MAX = 64,                        /* GPUs of an instance: one word of bits */
    DEVICE_WHOLE = 1000,                     /* shares are counted in thousandths of a device */
};

/* A local that is written before it is read, and too large to be zeroed at each of many calls. */
#define SCRATCH __attribute__((uninitialized))

enum task_size { TASK_SIZE_SHARE, TASK_SIZE_1, TASK_SIZE_2, TASK_SIZE_4, TASK_SIZE_8, TASK_SIZE_COUNT };

/* The fixed facts of an instance's devices; equal instances share one. */
struct rig {
    uint32_t count;                          /* devices, in slot order */
    int32_t memory_mib[DEVICES_MAX];         /* 0: not known */
    uint64_t partitions;                     /* slots that are MIG instances: taken whole, and only by tasks that ask for memory */
    const int16_t *links;                    /* count x count, by rows: the scores of pairs (gpu_pick.h); NULL: not known */
};

struct machine {
    int32_t cpu, memory;                     /* in all: CPU units, MiB */
    int32_t cpu_free, memory_free;           /* never below 0 */
    uint32_t kind;                           /* number of its set of attributes (machine_kinds.c) */
    uint32_t task_count;                     /* live tasks on it */
    const struct rig *rig;
    const int16_t *device_free;              /* thousandths, by slot; a device that is held whole has 0 */
    uint32_t size_tasks[TASK_SIZE_COUNT];    /* live tasks on it that hold GPUs, by size */
};

/* By the devices that a task holds in all: a share of one, or a number of whole ones. */
static inline enum task_size task_size_of(uint32_t devices, bool whole)
{
    if (!whole) { return TASK_SIZE_SHARE; }
    return devices <= 1 ? TASK_SIZE_1 : devices <= 2 ? TASK_SIZE_2 : devices <= 4 ? TASK_SIZE_4 : TASK_SIZE_8;
}

/* GPUs of one container: `devices` of them, each to `share` thousandths (DEVICE_WHOLE: for itself alone) and with at least
 * `memory_mib` on it (0: any). A share that comes with memory takes the larger of both parts of the device. */
struct ask_part { int32_t devices, share, memory_mib; };
struct ask {
    int32_t cpu, memory;                     /* CPU units, MiB */
    bool all_devices;                        /* one container wants every device of the instance */
    uint32_t part_count;                     /* containers; those without GPUs have devices 0 */
    struct ask_part parts[DEMAND_CONTAINERS_MAX];
};

/* How many bits are set: in pairs, in fours, in bytes, and the sum of the bytes. (The compiler's own is a call here.) */
static inline int32_t bits_count(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int32_t)(bits * 0x0101010101010101u >> 56);
}

/* How much of the sums of an outlook is the machine's (place/outlook.h). All zero: nothing, it takes no tasks. */
struct outlook_stake { uint32_t kind, hosts; int64_t free; };    /* hosts: bits of the guarded shapes that it can host now */

struct choice { uint64_t slots[DEMAND_CONTAINERS_MAX]; };        /* per container: bits of the devices it gets */

#endif
