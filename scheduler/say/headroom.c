/* headroom.c: how many more tasks of whole GPUs would fit now. Counted, not tried: a machine with f devices of which no task holds
 * a part takes f / n tasks of n, and whole devices of one task are never on two machines. */
#include "base/num.h"
#include "scheduler/world/world.h"

const int64_t sched_headroom_sizes[HEADROOM_SIZES] = { 1, 2, 4, 8 };

/* MIG instances are for tasks that ask for memory, so they are not counted. */
static int64_t whole_free(const struct instance_slot *instance)
{
    int64_t count = 0;
    for (uint32_t slot = 0; slot < instance->gpu_count; slot++) {
        count += instance->gpu_free[slot] == DEVICE_WHOLE && (instance->rig->partitions >> slot & 1) == 0;
    }
    return count;
}

static void add(struct headroom_part *part, int64_t gpus, uint64_t out)
{
    ASSERT(gpus >= 0 && gpus <= DEVICES_MAX);
    part->instances++;
    part->gpus_free += gpus;
    part->gpus_out += bits_count(out);
    for (size_t s = 0; s < HEADROOM_SIZES; s++) { part->tasks[s] += gpus / sched_headroom_sizes[s]; }
}

/* The part for a model; more models than there is room for share the last one, which then has no name. */
static struct headroom_part *part_of(struct headroom *headroom, struct str model)
{
    for (size_t m = 0; m < headroom->model_count; m++) {
        struct headroom_part *part = &headroom->models[m];
        if (str_is_set(part->model) == str_is_set(model) && str_eq(part->model, model)) { return part; }
    }
    if (headroom->model_count == HEADROOM_MODELS_MAX) {
        headroom->models[HEADROOM_MODELS_MAX - 1].model = (struct str){ NULL, 0 };
        return &headroom->models[HEADROOM_MODELS_MAX - 1];
    }
    ASSERT(headroom->model_count < HEADROOM_MODELS_MAX);
    struct headroom_part *part = &headroom->models[headroom->model_count++];
    part->model = model;
    return part;
}

void sched_headroom(const struct world *world, int64_t cluster, struct headroom *headroom)
{
    *headroom = (struct headroom){ 0 };
    const struct fleet *fleet = fleet_find(world, cluster);
    uint32_t name = interned_find(&world->interned, STR("berth.gpu-model"));
    for (uint32_t row = 0; fleet != NULL && row < fleet->count; row++) {
        uint32_t number = fleet->rows[row].instance;
        if (number == NONE) { continue; }
        const struct instance_slot *instance = instance_at(world, number);
        if (!instance->active || !instance->connected || instance->awaits_daemon) { continue; }
        int64_t cpu = instance_cpu_free(instance), memory = instance_memory_free(instance), gpus = whole_free(instance);
        headroom->cpu += cpu;
        headroom->memory_mib += memory;
        headroom->most_cpu = max_i64(headroom->most_cpu, cpu);
        headroom->most_memory_mib = max_i64(headroom->most_memory_mib, memory);
        add(&headroom->all, gpus, instance->gpus_out);
        if (instance->gpu_count == 0) { continue; }
        const struct kind_attribute *model = kind_attribute(world, instance->kind, name);
        add(part_of(headroom, model == NULL ? (struct str){ NULL, 0 } : interned_str(&world->interned, model->value)), gpus, instance->gpus_out);
    }
}
