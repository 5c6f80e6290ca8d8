/* world.c: finding things in the world, and looking in from outside. */
#include "scheduler/world/world.h"

uint32_t instance_find(const struct world *world, struct id id)
{
    uint32_t found = instance_find_any(world, id);
    return found != NONE && instance_at(world, found)->known ? found : NONE;
}

uint32_t fleet_number(const struct world *world, int64_t cluster)
{
    uint64_t hash = hash_mix((uint64_t)cluster);
    size_t at = 0;
    for (uint32_t n = table_first(&world->fleets_by_cluster, hash, &at); n != NONE;
         n = table_next(&world->fleets_by_cluster, hash, &at)) {
        if (fleet_at(world, n)->cluster == cluster) { return n; }
    }
    return NONE;
}

struct fleet *fleet_find(const struct world *world, int64_t cluster)
{
    uint32_t found = fleet_number(world, cluster);
    return found == NONE ? NULL : fleet_at(world, found);
}

/* ---- looking in from outside ---- */
struct str sched_gpu_uuid(const struct world *world, struct id id, unsigned slot)
{
    uint32_t number = instance_find(world, id);
    if (number == NONE || slot >= instance_at(world, number)->gpu_count) { return (struct str){ NULL, 0 }; }
    return interned_str(&world->interned, instance_at(world, number)->gpu_texts[slot]);
}

bool sched_attribute(const struct world *world, struct id id, struct str name, struct str *value)
{
    uint32_t number = instance_find(world, id);
    *value = (struct str){ NULL, 0 };
    if (number == NONE) { return false; }
    const struct kind_attribute *found = kind_attribute(world, instance_at(world, number)->kind, interned_find(&world->interned, name));
    if (found != NULL) { *value = interned_str(&world->interned, found->value); }
    return true;
}

bool sched_free_on(const struct world *world, struct id id, struct sched_free *available)
{
    uint32_t number = instance_find(world, id);
    *available = (struct sched_free){ 0 };
    if (number == NONE) { return false; }
    const struct instance_slot *instance = instance_at(world, number);
    ASSERT(instance->gpu_count <= COUNT_OF(available->gpu_free));
    *available = (struct sched_free){
        .cpu = instance_cpu_free(instance), .memory_mib = instance_memory_free(instance),
        .gpu_slots = instance_gpus_free(instance), .tasks = instance->task_count, .awaits_daemons = instance->awaits_daemon,
    };
    for (uint32_t slot = 0; slot < instance->gpu_count; slot++) { available->gpu_free[slot] = instance->gpu_free[slot]; }
    return true;
}

bool sched_takes_tasks(const struct world *world, struct id id, bool *takes)
{
    uint32_t number = instance_find(world, id);
    *takes = number != NONE && instance_at(world, number)->active;
    return number != NONE;
}

bool sched_is_connected(const struct world *world, struct id id)
{
    uint32_t number = instance_find(world, id);
    return number != NONE && instance_at(world, number)->connected;
}

size_t sched_instances(const struct world *world, int64_t cluster, struct id *instances, size_t limit)
{
    const struct fleet *fleet = fleet_find(world, cluster);
    size_t count = 0;
    for (uint32_t row = 0; fleet != NULL && row < fleet->count && count < limit; row++) {
        if (fleet->rows[row].instance != NONE) { instances[count++] = instance_at(world, fleet->rows[row].instance)->id; }
    }
    return count;
}

size_t sched_instance_count(const struct world *world, int64_t cluster)
{
    const struct fleet *fleet = fleet_find(world, cluster);
    return fleet == NULL ? 0 : fleet_live(fleet);
}
