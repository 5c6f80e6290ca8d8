/* instance_types.c: the catalogue. The seventeen GPU types of the ECS documentation are here exactly as it lists them (its GPU memory is that
 * of all GPUs together, ours that of one), with related families. An inf1 machine has accelerators, but no GPU that a container could ask for,
 * so it counts as a machine without. */
#include "agent/fake/instance_types.h"

#include "base/assert.h"

enum { GIB = 1024 };                                 /* in MiB */

static const struct instance_type types[] = {        /* sorted by name in byte order: instance_type_find halves */
    /* name                 GPUs, model, MiB of one GPU, vCPUs, MiB */
    { STR_INIT("c5.12xlarge"),    0, STR_INIT(""),            0,  48,  96 * GIB },
    { STR_INIT("c5.18xlarge"),    0, STR_INIT(""),            0,  72, 144 * GIB },
    { STR_INIT("c5.24xlarge"),    0, STR_INIT(""),            0,  96, 192 * GIB },
    { STR_INIT("c5.2xlarge"),     0, STR_INIT(""),            0,   8,  16 * GIB },
    { STR_INIT("c5.4xlarge"),     0, STR_INIT(""),            0,  16,  32 * GIB },
    { STR_INIT("c5.9xlarge"),     0, STR_INIT(""),            0,  36,  72 * GIB },
    { STR_INIT("c5.large"),       0, STR_INIT(""),            0,   2,   4 * GIB },
    { STR_INIT("c5.xlarge"),      0, STR_INIT(""),            0,   4,   8 * GIB },
    { STR_INIT("g3.16xlarge"),    4, STR_INIT("M60"),   8 * GIB,  64, 488 * GIB },
    { STR_INIT("g3.4xlarge"),     1, STR_INIT("M60"),   8 * GIB,  16, 122 * GIB },
    { STR_INIT("g3.8xlarge"),     2, STR_INIT("M60"),   8 * GIB,  32, 244 * GIB },
    { STR_INIT("g3s.xlarge"),     1, STR_INIT("M60"),   8 * GIB,   4, 30 * GIB + GIB / 2 },
    { STR_INIT("g4dn.12xlarge"),  4, STR_INIT("T4"),   16 * GIB,  48, 192 * GIB },
    { STR_INIT("g4dn.16xlarge"),  1, STR_INIT("T4"),   16 * GIB,  64, 256 * GIB },
    { STR_INIT("g4dn.2xlarge"),   1, STR_INIT("T4"),   16 * GIB,   8,  32 * GIB },
    { STR_INIT("g4dn.4xlarge"),   1, STR_INIT("T4"),   16 * GIB,  16,  64 * GIB },
    { STR_INIT("g4dn.8xlarge"),   1, STR_INIT("T4"),   16 * GIB,  32, 128 * GIB },
    { STR_INIT("g4dn.xlarge"),    1, STR_INIT("T4"),   16 * GIB,   4,  16 * GIB },
    { STR_INIT("g5.12xlarge"),    4, STR_INIT("A10G"), 24 * GIB,  48, 192 * GIB },
    { STR_INIT("g5.16xlarge"),    1, STR_INIT("A10G"), 24 * GIB,  64, 256 * GIB },
    { STR_INIT("g5.24xlarge"),    4, STR_INIT("A10G"), 24 * GIB,  96, 384 * GIB },
    { STR_INIT("g5.2xlarge"),     1, STR_INIT("A10G"), 24 * GIB,   8,  32 * GIB },
    { STR_INIT("g5.48xlarge"),    8, STR_INIT("A10G"), 24 * GIB, 192, 768 * GIB },
    { STR_INIT("g5.4xlarge"),     1, STR_INIT("A10G"), 24 * GIB,  16,  64 * GIB },
    { STR_INIT("g5.8xlarge"),     1, STR_INIT("A10G"), 24 * GIB,  32, 128 * GIB },
    { STR_INIT("g5.xlarge"),      1, STR_INIT("A10G"), 24 * GIB,   4,  16 * GIB },
    { STR_INIT("g6.12xlarge"),    4, STR_INIT("L4"),   24 * GIB,  48, 192 * GIB },
    { STR_INIT("g6.16xlarge"),    1, STR_INIT("L4"),   24 * GIB,  64, 256 * GIB },
    { STR_INIT("g6.24xlarge"),    4, STR_INIT("L4"),   24 * GIB,  96, 384 * GIB },
    { STR_INIT("g6.2xlarge"),     1, STR_INIT("L4"),   24 * GIB,   8,  32 * GIB },
    { STR_INIT("g6.48xlarge"),    8, STR_INIT("L4"),   24 * GIB, 192, 768 * GIB },
    { STR_INIT("g6.4xlarge"),     1, STR_INIT("L4"),   24 * GIB,  16,  64 * GIB },
    { STR_INIT("g6.8xlarge"),     1, STR_INIT("L4"),   24 * GIB,  32, 128 * GIB },
    { STR_INIT("g6.xlarge"),      1, STR_INIT("L4"),   24 * GIB,   4,  16 * GIB },
    { STR_INIT("inf1.24xlarge"),  0, STR_INIT(""),            0,  96, 192 * GIB },
    { STR_INIT("inf1.2xlarge"),   0, STR_INIT(""),            0,   8,  16 * GIB },
    { STR_INIT("inf1.6xlarge"),   0, STR_INIT(""),            0,  24,  48 * GIB },
    { STR_INIT("inf1.xlarge"),    0, STR_INIT(""),            0,   4,   8 * GIB },
    { STR_INIT("m5.12xlarge"),    0, STR_INIT(""),            0,  48, 192 * GIB },
    { STR_INIT("m5.16xlarge"),    0, STR_INIT(""),            0,  64, 256 * GIB },
    { STR_INIT("m5.24xlarge"),    0, STR_INIT(""),            0,  96, 384 * GIB },
    { STR_INIT("m5.2xlarge"),     0, STR_INIT(""),            0,   8,  32 * GIB },
    { STR_INIT("m5.4xlarge"),     0, STR_INIT(""),            0,  16,  64 * GIB },
    { STR_INIT("m5.8xlarge"),     0, STR_INIT(""),            0,  32, 128 * GIB },
    { STR_INIT("m5.large"),       0, STR_INIT(""),            0,   2,   8 * GIB },
    { STR_INIT("m5.xlarge"),      0, STR_INIT(""),            0,   4,  16 * GIB },
    { STR_INIT("p2.16xlarge"),   16, STR_INIT("K80"),  12 * GIB,  64, 732 * GIB },
    { STR_INIT("p2.8xlarge"),     8, STR_INIT("K80"),  12 * GIB,  32, 488 * GIB },
    { STR_INIT("p2.xlarge"),      1, STR_INIT("K80"),  12 * GIB,   4,  61 * GIB },
    { STR_INIT("p3.16xlarge"),    8, STR_INIT("V100"), 16 * GIB,  64, 488 * GIB },
    { STR_INIT("p3.2xlarge"),     1, STR_INIT("V100"), 16 * GIB,   8,  61 * GIB },
    { STR_INIT("p3.8xlarge"),     4, STR_INIT("V100"), 16 * GIB,  32, 244 * GIB },
    { STR_INIT("p3dn.24xlarge"),  8, STR_INIT("V100"), 32 * GIB,  96, 768 * GIB },
    { STR_INIT("p4d.24xlarge"),   8, STR_INIT("A100"), 40 * GIB,  96, 1152 * GIB },
    { STR_INIT("p4de.24xlarge"),  8, STR_INIT("A100"), 80 * GIB,  96, 1152 * GIB },
    { STR_INIT("p5.48xlarge"),    8, STR_INIT("H100"), 80 * GIB, 192, 2048 * GIB },
};

const struct instance_type *instance_type_find(struct str name)
{
    size_t from = 0, to = COUNT_OF(types);
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = str_cmp(types[middle].name, name);
        if (order == 0) { return &types[middle]; }
        if (order < 0) { from = middle + 1; } else { to = middle; }
    }
    return NULL;
}

const struct instance_type *instance_types(size_t *count)
{
    *count = COUNT_OF(types);
    return types;
}

bool instance_type_inventory(const struct instance_type *type, struct str name, struct str seed, struct inventory *inventory, struct arena *arena,
                             struct err *err)
{
    *inventory = (struct inventory){
        .name = name, .cpus = type->vcpus, .memory_mib = type->memory_mib, .simulated = true, .instance_type = type->name,
        .runtime = STR("simulated"),
    };
    if (type->gpus == 0) { return true; }
    struct str spec = arena_printf(arena, STR_FMT ":%d", STR_ARG(type->gpu_model), type->gpus);
    struct str word = seed.len == 0 ? name : arena_printf(arena, STR_FMT " of " STR_FMT, STR_ARG(name), STR_ARG(seed));
    if (!gpu_simulate(spec, word, &inventory->gpus, arena, err)) { return false; }
    for (size_t g = 0; g < inventory->gpus.count; g++) { inventory->gpus.gpus[g].memory_mib = type->gpu_memory_mib; }
    return true;
}
