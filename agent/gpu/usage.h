/* usage.h: NVML's word on what a GPU is busy with. Inside the room; the watch's thread. */
#ifndef BERTH_AGENT_GPU_USAGE_H
#define BERTH_AGENT_GPU_USAGE_H

#include "agent/gpu/nvml.h"
#include "wire/wire.h"

struct gpu_reading { char uuid[NVML_TEXT_MAX]; struct wire_gpu_sample figures; };        /* figures.uuid is not set */

/* What the device does not tell stays unset. False: it does not answer at all. */
bool gpu_usage_read(const struct nvml *nvml, struct nvml_device *device, struct gpu_reading *reading);
/* Of a physical GPU: itself, or its instances where it is in MIG mode, of which NVML tells less. Writes at most `most` readings;
 * how many it were. */
size_t gpu_usage_read_all(const struct nvml *nvml, struct nvml_device *device, struct gpu_reading *readings, size_t most);

#endif
