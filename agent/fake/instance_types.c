/* instance_types.c: an accelerator that is no GPU, as of an inf1, is nothing that a container can ask for: the machine has no GPUs then. */
#include "agent/fake/instance_types.h"

#include "base/assert.h"

/* "RTX PRO 4500" is the model RTX-PRO-4500. */
static struct str model_of(const struct instance_type *type, struct arena *arena)
{
    char *text = arena_copy(arena, type->accelerator_name.ptr, type->accelerator_name.len);
    for (size_t i = 0; i < type->accelerator_name.len; i++) { text[i] = text[i] == ' ' ? '-' : text[i]; }
    return (struct str){ text, type->accelerator_name.len };
}

bool instance_type_inventory(const struct instance_type *type, struct str name, struct str seed, struct inventory *inventory, struct arena *arena,
                             struct err *err)
{
    *inventory = (struct inventory){
        .name = name, .cpus = (int)type->vcpus, .memory_mib = type->memory_mib, .simulated = true, .instance_type = type->name,
        .runtime = STR("simulated"),
    };
    if (instance_type_gpus(type) == 0) { return true; }
    struct str spec = arena_printf(arena, STR_FMT ":%d", STR_ARG(model_of(type, arena)), (int)type->accelerators);
    struct str word = seed.len == 0 ? name : arena_printf(arena, STR_FMT " of " STR_FMT, STR_ARG(name), STR_ARG(seed));
    if (!gpu_simulate(spec, word, &inventory->gpus, arena, err)) { return false; }
    for (size_t g = 0; g < inventory->gpus.count; g++) { inventory->gpus.gpus[g].memory_mib = type->accelerator_mib; }
    return true;
}
