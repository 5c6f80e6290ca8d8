/* fit.h: CPU, memory and GPUs of an instance as plain numbers, for questions about later times: which part is free when some tasks have ended? Refuses to
 * know attributes, ports, memory of GPUs and partitions: an instance that a task may not use is not handed in. */
#ifndef BERTH_SCHEDULER_QUEUE_FIT_H
#define BERTH_SCHEDULER_QUEUE_FIT_H

#include "base/id.h"
#include "scheduler/world/machine.h"

struct amount { int64_t cpu, memory_mib; int32_t devices, share; };            /* devices 0: no GPU; share DEVICE_WHOLE: whole ones, else of one device */
struct room { int64_t cpu, memory_mib; uint32_t count; int16_t free[DEVICES_MAX]; };          /* the free part; of each device in thousandths */
/* A task that runs on an instance. */
struct occupant {
    struct id task;
    struct amount amount;
    uint64_t slots;                                              /* bits of its devices */
    int64_t ran_ms;
    int64_t ends_ms;                                             /* when it is expected to end; INT64_MAX: nobody knows */
    int64_t priority;
    bool preemptible;
};
struct site { struct room room; const struct occupant *occupants; size_t count; };           /* an instance: its free part, and the tasks that hold the rest */

bool     fit_has(const struct room *room, const struct amount *amount);
uint64_t fit_take(struct room *room, const struct amount *amount);               /* it must fit; the devices */
void     fit_give(struct room *room, const struct amount *amount, uint64_t slots);

#endif
