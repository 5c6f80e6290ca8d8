/* gpu_use.h: NVML's word on what a GPU is busy with. Inside the room; the watch's thread. */
#ifndef BERTH_AGENT_GPU_USE_H
#define BERTH_AGENT_GPU_USE_H

#include "agent/nvml.h"
#include "api/wire.h"

struct gpu_reading { char uuid[NVML_TEXT_MAX]; struct wire_gpu_sample figures; };        /* figures.uuid is not set */

/* What the device does not tell stays unset. False: it does not answer at all. */
bool gpu_use_read(const struct nvml *nvml, struct nvml_device *device, struct gpu_reading *reading);

#endif
