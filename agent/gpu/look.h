/* look.h: the health of the machine's physical GPUs as NVML reports it: their errors as they happen, and a look at each from time to time. For
 * this wing only; one thread. Knows NVML's calls; gpu/health.h decides what they mean. */
#ifndef BERTH_AGENT_GPU_LOOK_H
#define BERTH_AGENT_GPU_LOOK_H

#include "agent/gpu/health.h"
#include "agent/gpu/nvml.h"
#include "model/gpu.h"

enum { BUS_ID_MAX = 32 };
struct looked_at { char bus_id[BUS_ID_MAX]; struct nvml_device *device; struct gpu_state state; };   /* device NULL: not found */

struct gpu_looks {                           /* all zero at first */
    struct looked_at gpus[GPUS_MAX]; size_t count;           /* every device that was ever seen */
    struct nvml_events *events;                              /* NULL: the driver has none, or is not open */
    bool is_open;
};

/* Opens NVML and finds the devices, old ones by their place on the bus. False: it does not open. */
bool gpu_looks_open(struct gpu_looks *looks, const struct nvml *nvml);
void gpu_looks_close(struct gpu_looks *looks, const struct nvml *nvml);      /* not open: nothing */
/* Waits for errors, at most this long. True: a fault has changed. With no events to wait for it returns at once. */
bool gpu_looks_wait(struct gpu_looks *looks, const struct nvml *nvml, unsigned int timeout_ms, int64_t now_ms);
/* One look at each; `in_use` says whether a task has a share of the device there. True: a fault has changed. *broken: no device answers any
 * more, and NVML must be opened again. */
bool gpu_looks_look(struct gpu_looks *looks, const struct nvml *nvml, bool (*in_use)(void *owner, const char *bus_id), void *owner,
                    int64_t now_ms, bool *broken);

#endif
