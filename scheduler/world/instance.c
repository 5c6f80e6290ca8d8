/* instance.c: what of an instance is free. */
#include "scheduler/world/instance.h"

/* ---- free amounts ---- */
static int32_t amount_free(int64_t total, int64_t used)
{
    return used >= total ? 0 : (int32_t)(total - used);          /* total is at most AMOUNT_MAX */
}

int32_t  instance_cpu_free(const struct instance_slot *instance) { return amount_free(instance->cpu, instance->cpu_used); }
int32_t  instance_memory_free(const struct instance_slot *instance) { return amount_free(instance->memory_mib, instance->memory_used); }

uint64_t instance_gpus_free(const struct instance_slot *instance)
{
    uint64_t bits = 0;
    ASSERT(instance->gpu_count <= DEVICES_MAX);
    for (uint32_t slot = 0; slot < instance->gpu_count; slot++) {
        if (instance->gpu_used[slot] == 0) { bits |= (uint64_t)1 << slot; }
    }
    return bits & ~instance->gpus_out;
}

struct machine instance_machine(const struct instance_slot *instance)
{
    static const struct rig no_rig = { 0 };
    return (struct machine){
        .cpu = (int32_t)instance->cpu, .memory = (int32_t)instance->memory_mib,
        .cpu_free = instance_cpu_free(instance), .memory_free = instance_memory_free(instance), .kind = instance->kind,
        .task_count = instance->task_count, .rig = instance->gpu_count == 0 ? &no_rig : instance->rig, .device_free = instance->gpu_free,
        .size_tasks = { instance->size_tasks[0], instance->size_tasks[1], instance->size_tasks[2], instance->size_tasks[3], instance->size_tasks[4] },
    };
}

bool instance_has_port(const struct instance_slot *instance, int64_t port, bool reserved_only)
{
    ASSERT(instance->reserved_count <= instance->port_count);
    uint32_t count = reserved_only ? instance->reserved_count : instance->port_count;
    for (uint32_t p = 0; p < count; p++) {
        if (instance->ports[p] == port) { return true; }
    }
    return false;
}
