/* gpu_internal.h: shared by gpu.c, gpu/links.c and gpu/mig.c: asking a loaded library for the machine's GPUs. */
#ifndef BERTH_AGENT_GPU_GPU_INTERNAL_H
#define BERTH_AGENT_GPU_GPU_INTERNAL_H

#include "agent/gpu/gpu.h"
#include "agent/gpu/nvml.h"

/* gpu/links.c: fills in `scores` (count x count) for the pairs of whole GPUs; a NULL device is a MIG instance, which is connected to nothing.
 * False: the library does not know. */
bool gpu_links_probe(const struct nvml *nvml, struct nvml_device *const *devices, size_t count, int64_t *scores);
/* gpu/mig.c */
bool gpu_mig_is_on(const struct nvml *nvml, struct nvml_device *device);
/* "1g.18gb" for an instance of a GPU with `parent_memory` bytes. Lives in `arena`. */
struct str gpu_mig_profile(const struct nvml *nvml, struct nvml_device *instance, unsigned long long parent_memory, struct arena *arena);

/* The part of gpu_probe after the library is loaded; `nvml` NULL: it could not be, for the reason in `missing`. `pci_dir` is /sys/bus/pci/devices. */
void gpu_probe_with(const struct nvml *nvml, struct str missing, const char *pci_dir, struct gpu_inventory *inventory,
                    struct arena *arena);

#endif
