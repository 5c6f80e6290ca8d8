/* usage.h: the invented usage of simulated GPUs. */
#ifndef BERTH_AGENT_FAKE_USAGE_H
#define BERTH_AGENT_FAKE_USAGE_H

#include "agent/gpu/gpu.h"
#include "wire/wire.h"

/* A function of the device, of whether a task has it, and of the time: equal values give an equal answer. */
struct wire_gpu_sample fake_gpu_usage(const struct gpu_info *gpu, bool held, int64_t now_ms);
/* For all devices; `held` is called for each. Lives in `arena`. */
struct wire_gpu_sample_list fake_gpus_usage(const struct gpu_inventory *gpus, bool (*held)(void *owner, struct str uuid), void *owner, int64_t now_ms,
                                          struct arena *arena);

#endif
