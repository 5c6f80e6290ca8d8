/* gpu.h: the GPUs of this machine, found through NVML, which is loaded at run time so that one binary serves machines with
 * and without a driver. */
#ifndef BERTH_AGENT_GPU_GPU_H
#define BERTH_AGENT_GPU_GPU_H

#include "base/arena.h"
#include "base/err.h"
#include "model/gpu.h"

struct gpu_info {
    struct str uuid, model;                      /* "GPU-5a0e4c1e-…", "Tesla V100-SXM2-16GB" */
    int64_t memory_mib;
    struct str profile;                          /* of a MIG instance, whose UUID begins with "MIG-"; absent for a whole GPU */
    struct str pci_bus_id;
    int64_t numa_node;                           /* -1: unknown */
};
struct gpu_inventory {
    struct gpu_info *gpus; size_t count;         /* in NVML's index order; a GPU in MIG mode is its instances, not itself */
    int64_t *links;                              /* count x count: how well each pair is connected (gpu_link_score); NULL: not known */
    struct str driver_version, cuda_version;     /* absent when there is no driver */
    int64_t pci_devices;                         /* NVIDIA display devices that the PCI bus shows */
    struct str problem;                          /* why GPUs can't be used though PCI shows some; absent when all is well */
};

/* Never fails: without a driver the inventory is empty, perhaps with a problem. Lives in `arena`. */
void gpu_probe(struct gpu_inventory *inventory, struct arena *arena);
/* `spec` as "V100:4" or a model alone: invented devices whose UUIDs are the same for the same seed text. ERR_INVALID_PARAMETER. */
bool gpu_simulate(struct str spec, struct str seed, struct gpu_inventory *inventory, struct arena *arena, struct err *err);
/* The score of a pair by its place on the bus and its NVLinks; scheduler/place/gpu_pick.h has the scale. */
enum gpu_place {
    GPU_ACROSS_PROCESSORS = 10, GPU_SAME_PROCESSOR = 20, GPU_SAME_BRIDGE = 30, GPU_SEVERAL_SWITCHES = 40, GPU_ONE_SWITCH = 50,
    GPU_SAME_BOARD = 60
};
static inline int64_t gpu_link_score(enum gpu_place place, int64_t nvlinks) { return (int64_t)place + GPU_LINK_NVLINK * nvlinks; }
/* The usual name, for attributes and expressions: "Tesla V100-SXM2-16GB" is "V100", "NVIDIA H100 80GB HBM3" is "H100", "NVIDIA GeForce RTX
 * 4090" is "RTX-4090". Lives in `arena`. */
struct str gpu_short_model(struct str name, struct arena *arena);

#endif
