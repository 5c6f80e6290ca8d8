/* gpu.h: a GPU as its agent told it: in the record of its machine. Written by tools/shapes from model/records/gpu.shapes. */
#ifndef BERTH_MODEL_RECORDS_GPU_H
#define BERTH_MODEL_RECORDS_GPU_H

#include "model/schema.h"

struct gpu {
    struct str uuid;
    struct str model;                        /* absent, as memory_mib, if the agent did not report it */
    int64_t memory_mib;
    struct str profile;                      /* of a MIG instance ("1g.18gb"); absent for a whole device */
};
struct gpu_list { struct gpu *items; size_t count; };
extern const struct schema gpu_record;

#endif
