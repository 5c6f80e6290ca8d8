/* gpu_value.h: what a piece of a device is worth to the tasks that usually come. Knows sizes, how often each is asked for, and the
 * ways of cutting one device; refuses to know machines.
 *
 * The worths are the prices of the cutting-stock problem: the most that the demand can be worth while no way of cutting one
 * device is worth more than that device. A placement that some best plan of cutting contains then loses nothing. */
#ifndef BERTH_SCHEDULER_PLACE_WORTH_H
#define BERTH_SCHEDULER_PLACE_WORTH_H

#include "scheduler/world/machine.h"

enum {
    GPU_VALUE_DEVICE = 720720,                   /* a whole device: halves to fifteenths of it are whole numbers */
    GPU_VALUE_SIZES_MAX = 32,                    /* sizes that are priced */
};

struct gpu_value_size { int32_t share; int64_t count; };             /* 1 .. DEVICE_WHOLE - 1, each once; how many tasks ask for it */

struct gpu_value {
    int32_t best[DEVICE_WHOLE + 1];          /* by free thousandths: the most that fits into them */
    int32_t of[DEVICE_WHOLE + 1];            /* of a task of this size; a size that is not priced has the worth of what fits into it */
};

/* At most GPU_VALUE_SIZES_MAX sizes are priced, those that ask for most. `count` may be 0: then only whole devices are worth something. */
void gpu_value_solve(const struct gpu_value_size *sizes, size_t count, struct gpu_value *value);

/* The worth that a device with `free` thousandths loses beyond that of the task of `share` which is placed there; never below 0. */
static inline int32_t gpu_value_lost(const struct gpu_value *value, int32_t free, int32_t share)
{
    return value->best[free] - value->best[free - share] - value->of[share];
}

#endif
