/* sites.c: see sites.h. */
#include "scheduler/place/sites.h"

#include <stdlib.h>

#include "scheduler/place/search.h"
#include "scheduler/queue/runs.h"

enum { UNUSABLE = INT16_MIN / 2 };                               /* free thousandths of a device that is not for the demand: tasks that end change nothing */

bool amount_of(const struct demand *demand, struct amount *amount)
{
    static const struct amount nowhere = { .devices = INT32_MAX, .share = DEVICE_WHOLE };
    struct need need = need_of(demand);
    *amount = (struct amount){ .cpu = need.ask.cpu, .memory_mib = need.ask.memory };
    for (uint32_t p = 0; p < need.ask.part_count; p++) {
        const struct ask_part *part = &need.ask.parts[p];
        bool plain = part->devices >= 0 && (part->share == DEVICE_WHOLE || (part->share > 0 && part->memory_mib == 0 && amount->devices == 0));
        if (part->devices == 0) { continue; }
        if (!plain || (amount->devices > 0 && amount->share != DEVICE_WHOLE)) {
            *amount = nowhere;
            return false;
        }
        amount->devices += part->devices;
        amount->share = part->share;
    }
    return true;
}

/* Each device as the part of the demand with the most memory sees it. */
static struct room room_of(const struct search *search, const struct instance_slot *instance)
{
    struct machine machine = instance_machine(instance);
    struct room room = { .cpu = instance->cpu - instance->cpu_used, .memory_mib = instance->memory_mib - instance->memory_used, .count = instance->gpu_count };
    for (uint32_t d = 0; d < instance->gpu_count; d++) {
        bool usable = (instance->gpus_out >> d & 1) == 0;
        for (uint32_t p = 0; p < search->need.ask.part_count; p++) {
            const struct ask_part *part = &search->need.ask.parts[p];
            usable = usable && (part->devices <= 0 || policy_device_takes(machine.rig, d, part) > 0);
        }
        room.free[d] = usable ? (int16_t)(DEVICE_WHOLE - instance->gpu_used[d]) : (int16_t)UNUSABLE;
    }
    return room;
}

static struct occupant occupant_of(const struct world *world, const struct task_slot *task, const struct sites_ask *ask)
{
    const struct run *run = runs_find(world->runs, task->id);
    struct occupant occupant = { .task = task->id, .amount = { task->cpu, task->memory_mib, task->gpu_count, DEVICE_WHOLE }, .ends_ms = INT64_MAX };
    for (uint32_t g = 0; g < task->gpu_count; g++) {
        if (task->gpus[g].slot == NONE) { continue; }
        occupant.slots |= (uint64_t)1 << task->gpus[g].slot;
        if (task->gpus[g].share < occupant.amount.share) { occupant.amount.share = task->gpus[g].share; }
    }
    if (run == NULL) { return occupant; }
    occupant.ends_ms = runs_end_ms(world->runs, run, ask->now_ms, ask->percent, ask->least);
    if (occupant.ends_ms == INT64_MAX && ask->late_percent != 0) {
        occupant.ends_ms = runs_end_ms(world->runs, run, ask->now_ms, ask->late_percent, ask->least);
    }
    occupant.ran_ms = run->started_ms == 0 || run->started_ms > ask->now_ms ? 0 : ask->now_ms - run->started_ms;
    occupant.priority = run->priority;
    occupant.preemptible = run->preemptible && !run->leaves;
    return occupant;
}

static int by_end(const void *a, const void *b)
{
    const struct occupant *first = a, *second = b;
    if (first->ends_ms != second->ends_ms) { return first->ends_ms < second->ends_ms ? -1 : 1; }
    return id_cmp(first->task, second->task);
}

static bool is_large_enough(const struct instance_slot *instance, const struct amount *amount)
{
    return instance->cpu >= amount->cpu && instance->memory_mib >= amount->memory_mib && (int64_t)instance->gpu_count >= amount->devices;
}

static struct site site_of(const struct search *search, const struct instance_slot *instance, const struct sites_ask *ask, struct arena *arena)
{
    struct occupant *occupants = ARENA_NEW(arena, struct occupant, instance->task_count + 1);
    size_t count = 0;
    for (uint32_t n = instance->tasks; n != NONE; n = task_at(search->world, n)->next) {
        ASSERT(count < instance->task_count);
        occupants[count++] = occupant_of(search->world, task_at(search->world, n), ask);
    }
    qsort(occupants, count, sizeof *occupants, by_end);
    return (struct site){ room_of(search, instance), occupants, count };
}

void sites_read(struct world *world, const struct demand *demand, const struct amount *amount, const struct sites_ask *ask, struct arena *arena,
                struct site_list *list)
{
    const struct fleet *fleet = fleet_find(world, demand->cluster);
    struct search search;
    *list = (struct site_list){ NULL, NULL, 0, 0 };
    if (fleet == NULL) { return; }
    search_begin(&search, world, demand);
    list->sites = ARENA_NEW(arena, struct site, fleet->count);
    list->instances = ARENA_NEW(arena, struct id, fleet->count);
    for (uint32_t row = 0; row < fleet->count; row++) {
        uint32_t number = fleet->rows[row].instance;
        if (number == NONE || !check_suits(&search, number)) { continue; }
        const struct instance_slot *instance = instance_at(world, number);
        list->gpus += instance->gpu_count;
        if (!is_large_enough(instance, amount)) { continue; }
        list->sites[list->count] = site_of(&search, instance, ask, arena);
        list->instances[list->count++] = instance->id;
    }
    search_end(&search);
}

bool site_read(struct world *world, struct id id, const struct demand *demand, const struct amount *amount, const struct sites_ask *ask,
               struct arena *arena, struct site *site)
{
    struct search search;
    uint32_t number = instance_find(world, id);
    if (number == NONE || fleet_at(world, instance_at(world, number)->fleet)->cluster != demand->cluster) { return false; }
    search_begin(&search, world, demand);
    bool good = is_large_enough(instance_at(world, number), amount) && check_suits(&search, number);
    if (good) { *site = site_of(&search, instance_at(world, number), ask, arena); }
    search_end(&search);
    return good;
}
