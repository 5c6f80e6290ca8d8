/* mig.c: whether a GPU is in MIG mode, and the name of an instance's profile. */
#include "agent/gpu/gpu_internal.h"

enum { MEMORY_SLICES = 8 };

bool gpu_mig_is_on(const struct nvml *nvml, struct nvml_device *device)
{
    unsigned int current = 0, pending = 0;
    bool can_tell = nvml->mig_mode != NULL && nvml->mig_count_max != NULL && nvml->mig_device != NULL;
    return can_tell && nvml->mig_mode(device, &current, &pending) == NVML_OK && current == NVML_ON;
}

/* "NVIDIA H200 MIG 1g.18gb" */
static struct str profile_in_name(struct str name)
{
    static const struct str mark = STR_INIT(" MIG ");
    for (size_t i = 0; i + mark.len < name.len; i++) {
        if (str_starts_with(str_slice(name, i, name.len), mark)) { return str_trim(str_slice(name, i + mark.len, name.len)); }
    }
    return (struct str){ NULL, 0 };
}

/* A profile names the GPU's memory by whole slices, rounded, and not what an instance has free of it. */
static unsigned long long profile_gb(unsigned long long memory_mib, unsigned long long parent_memory)
{
    const unsigned long long gib = 1ull << 30;
    unsigned long long slices = ((memory_mib << 20) * MEMORY_SLICES + parent_memory - 1) / parent_memory;
    unsigned long long parent_gb = (parent_memory + gib - 1) / gib;
    return (slices * parent_gb + MEMORY_SLICES / 2) / MEMORY_SLICES;
}

struct str gpu_mig_profile(const struct nvml *nvml, struct nvml_device *instance, unsigned long long parent_memory, struct arena *arena)
{
    char name[NVML_TEXT_MAX] = "";
    struct nvml_attributes told = { 0 };
    if (nvml->name(instance, name, sizeof name) == NVML_OK) {
        struct str profile = profile_in_name(str_from(name));
        if (profile.len > 0) { return arena_str(arena, profile); }
    }
    bool known = nvml->attributes != NULL && nvml->attributes(instance, &told) == NVML_OK && told.gpu_slices > 0 && parent_memory > 0;
    if (!known) { return STR("unknown"); }
    unsigned long long gb = profile_gb(told.memory_mib, parent_memory);
    return told.compute_slices > 0 && told.compute_slices < told.gpu_slices
        ? arena_printf(arena, "%uc.%ug.%llugb", told.compute_slices, told.gpu_slices, gb)
        : arena_printf(arena, "%ug.%llugb", told.gpu_slices, gb);
}
