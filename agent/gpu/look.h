/* look.h: NVML's word on the health of the machine's physical GPUs: their errors as they happen, and a look at each from time to
 * time. Inside the room; one thread. Knows NVML's calls; gpu/health.h decides what they mean. */
#ifndef BERTH_AGENT_GPU_LOOK_H
#define BERTH_AGENT_GPU_LOOK_H

#include "agent/gpu/health.h"
#include "agent/gpu/nvml.h"
#include "model/gpu.h"

enum { BUS_ID_MAX = 32 };
struct looked_at { char bus_id[BUS_ID_MAX]; struct nvml_device *device; struct gpu_state state; };   /* device NULL: not found */

struct gpu_looks {                           /* all zero at first */
    struct looked_at gpus[GPUS_MAX]; size_t count;           /* all that were ever seen */
    struct nvml_events *events;                              /* NULL: the driver has none, or is not open */
    bool is_open;
};

/* Opens NVML and finds the devices, old ones by their place on the bus. False: it does not open. */
bool gpu_looks_open(struct gpu_looks *looks, const struct nvml *nvml);
void gpu_looks_close(struct gpu_looks *looks, const struct nvml *nvml);      /* not open: nothing */
/* Waits at most so long for errors. True: a fault has changed. With no events to wait for it returns at once. */
bool gpu_looks_wait(struct gpu_looks *looks, const struct nvml *nvml, unsigned int timeout_ms, int64_t now_ms);
/* One look at each; `in_use` tells whether a task has any of the device there. True: a fault has changed. *broken: no device answers
 * any more, NVML wants to be opened again. */
bool gpu_looks_look(struct gpu_looks *looks, const struct nvml *nvml, bool (*in_use)(void *owner, const char *bus_id), void *owner,
                    int64_t now_ms, bool *broken);

#endif
