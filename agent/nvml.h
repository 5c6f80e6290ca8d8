/* nvml.h: the few functions of NVIDIA's management library that the agent calls, declared here because its header comes with
 * the driver's toolkit and the library only with the driver. Inside the room: gpu.c reads through this table, and its test
 * fills the table with functions of its own. */
#ifndef BERTH_AGENT_NVML_H
#define BERTH_AGENT_NVML_H

#include "agent/gpu.h"

enum nvml_code {                                     /* the library's answers that deserve words of their own */
    NVML_OK = 0, NVML_NO_PERMISSION = 4, NVML_DRIVER_NOT_LOADED = 9, NVML_VERSION_MISMATCH = 18,
};
enum { NVML_TEXT_MAX = 96 };

struct nvml_memory { unsigned long long total, free, used; };                   /* bytes */
struct nvml_pci {
    char bus_id_legacy[16];
    unsigned int domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};
struct nvml_device;                                  /* opaque */

struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    const char *(*error_text)(int code);
    int (*driver_version)(char *out, unsigned int size);
    int (*cuda_version)(int *version);               /* 12040 is 12.4 */
    int (*count)(unsigned int *count);
    int (*device)(unsigned int index, struct nvml_device **device);
    int (*uuid)(struct nvml_device *device, char *out, unsigned int size);
    int (*name)(struct nvml_device *device, char *out, unsigned int size);
    int (*memory)(struct nvml_device *device, struct nvml_memory *memory);
    int (*pci)(struct nvml_device *device, struct nvml_pci *pci);
};

/* What gpu_probe does once the library is loaded; `nvml` NULL: it could not be, for the reason in `missing`.
 * `pci_dir` is /sys/bus/pci/devices. */
void gpu_probe_with(const struct nvml *nvml, struct str missing, const char *pci_dir, struct gpu_inventory *inventory,
                    struct arena *arena);

#endif
