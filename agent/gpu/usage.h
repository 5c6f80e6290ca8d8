/* usage.h: the usage of a GPU as NVML reports it. For this wing only; the watch's thread. */
#ifndef BERTH_AGENT_GPU_USAGE_H
#define BERTH_AGENT_GPU_USAGE_H

#include "agent/gpu/nvml.h"
#include "wire/wire.h"

struct gpu_reading { char uuid[NVML_TEXT_MAX]; struct wire_gpu_sample figures; };        /* figures.uuid is not set */

/* Values that the device does not report stay unset. False: it does not answer at all. */
bool gpu_usage_read(const struct nvml *nvml, struct nvml_device *device, struct gpu_reading *reading);
/* A physical GPU, or its instances where it is in MIG mode: NVML reports less of these. Writes at most `most` readings; returns their number. */
size_t gpu_usage_read_all(const struct nvml *nvml, struct nvml_device *device, struct gpu_reading *readings, size_t most);

#endif
