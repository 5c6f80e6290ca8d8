/* instance_types.h: the catalogue of machine types, for simulated machines and for choosing. */
#ifndef BERTH_AGENT_FAKE_INSTANCE_TYPES_H
#define BERTH_AGENT_FAKE_INSTANCE_TYPES_H

#include "agent/registration/inventory.h"

struct instance_type {
    struct str name;                             /* "p3.16xlarge" */
    int gpus;
    struct str gpu_model;                        /* "V100"; empty without GPUs */
    int64_t gpu_memory_mib;                      /* of one GPU */
    int vcpus;
    int64_t memory_mib;
};
const struct instance_type *instance_type_find(struct str name);        /* NULL: unknown */
const struct instance_type *instance_types(size_t *count);
/* A machine of this type. The ids of its GPUs follow from its name and its fleet's seed. Texts live in `arena` or are the caller's. */
bool instance_type_inventory(const struct instance_type *type, struct str name, struct str seed, struct inventory *inventory, struct arena *arena,
                             struct err *err);

#endif
