/* nvml.h: the few functions of NVIDIA's management library that the agent calls, declared here because its header comes with the driver's
 * toolkit and the library only with the driver. For this wing only: gpu.c reads through this table, and its test fills the table with its own
 * functions. */
#ifndef BERTH_AGENT_GPU_NVML_H
#define BERTH_AGENT_GPU_NVML_H

#include "base/arena.h"
#include "base/str.h"

enum nvml_code {                                     /* the library's answers that have separate advice */
    NVML_OK = 0, NVML_NOT_SUPPORTED = 3, NVML_NO_PERMISSION = 4, NVML_NOT_FOUND = 6, NVML_TOO_SMALL = 7, NVML_DRIVER_NOT_LOADED = 9,
    NVML_TIMEOUT = 10, NVML_LOST = 15, NVML_RESET_REQUIRED = 16, NVML_VERSION_MISMATCH = 18,
};
enum { NVML_SENSOR_GPU = 0, NVML_CLOCK_GRAPHICS = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2, NVML_CLOCK_VIDEO = 3 };
enum { NVML_EVENT_XID = 8, NVML_UNCORRECTED = 1, NVML_SINCE_LOADED = 0 };
enum { NVML_TEXT_MAX = 96, NVML_LINKS_MAX = 18, NVML_REMOTE_SWITCH = 2, NVML_P2P_NVLINK = 2, NVML_ON = 1 };

struct nvml_memory { unsigned long long total, free, used; };                   /* bytes; used: with what the driver keeps for itself */
struct nvml_memory2 { unsigned int version; unsigned long long total, reserved, free, used; };      /* bytes; used: without that, as nvidia-smi shows it */
#define NVML_MEMORY2_VERSION ((unsigned int)sizeof(struct nvml_memory2) | 2u << 24)
struct nvml_pci {
    char bus_id_legacy[16];
    unsigned int domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};
struct nvml_attributes {                             /* of a MIG instance */
    unsigned int multiprocessors, copy_engines, decoders, encoders, jpeg_engines, ofa_engines, gpu_slices, compute_slices;
    unsigned long long memory_mib;
};
struct nvml_process { unsigned int pid; unsigned long long memory; unsigned int gpu_instance, compute_instance; };
struct nvml_event { struct nvml_device *device; unsigned long long kind, data; unsigned int gpu_instance, compute_instance; };
struct nvml_utilization { unsigned int gpu, memory; };                           /* percent */
struct nvml_events;                                  /* opaque */
struct nvml_device;                                  /* opaque; a GPU or a MIG instance of one */

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
    /* From here on: NULL where the library is too old for it. */
    int (*mig_mode)(struct nvml_device *device, unsigned int *current, unsigned int *pending);
    int (*mig_count_max)(struct nvml_device *device, unsigned int *count);
    int (*mig_device)(struct nvml_device *device, unsigned int index, struct nvml_device **instance);
    int (*attributes)(struct nvml_device *instance, struct nvml_attributes *attributes);
    int (*common_ancestor)(struct nvml_device *a, struct nvml_device *b, int *level);
    int (*link_state)(struct nvml_device *device, unsigned int link, int *on);
    int (*link_remote_type)(struct nvml_device *device, unsigned int link, int *type);
    int (*link_remote_pci)(struct nvml_device *device, unsigned int link, struct nvml_pci *pci);
    int (*p2p_status)(struct nvml_device *a, struct nvml_device *b, int capability, int *status);
    int (*processes)(struct nvml_device *device, unsigned int *count, struct nvml_process *processes);
    int (*ecc_errors)(struct nvml_device *device, int kind, int counter, unsigned long long *count);
    int (*retire_pending)(struct nvml_device *device, int *pending);
    int (*remapped_rows)(struct nvml_device *device, unsigned int *corrected, unsigned int *uncorrected, unsigned int *pending,
                         unsigned int *failed);
    int (*utilization)(struct nvml_device *device, struct nvml_utilization *utilization);
    int (*temperature)(struct nvml_device *device, int sensor, unsigned int *celsius);
    int (*power)(struct nvml_device *device, unsigned int *milliwatts);
    int (*clock)(struct nvml_device *device, int which, unsigned int *mhz);
    int (*memory2)(struct nvml_device *device, struct nvml_memory2 *memory);
    int (*fan_speed)(struct nvml_device *device, unsigned int *percent);
    int (*pcie_generation)(struct nvml_device *device, unsigned int *generation);
    int (*pcie_width)(struct nvml_device *device, unsigned int *width);
    int (*encoder)(struct nvml_device *device, unsigned int *sessions, unsigned int *fps, unsigned int *latency_us);
    int (*events_open)(struct nvml_events **events);
    int (*events_close)(struct nvml_events *events);
    int (*events_add)(struct nvml_device *device, unsigned long long kinds, struct nvml_events *events);
    int (*events_wait)(struct nvml_events *events, struct nvml_event *event, unsigned int timeout_ms);
};

/* nvml.c: the library of this machine. It is unloaded also when a function was missing, and `missing` says which. */
struct nvml_library { struct nvml nvml; void *handle; struct str missing; };
bool nvml_load(struct nvml_library *library, struct arena *arena);
void nvml_unload(struct nvml_library *library);

#endif
