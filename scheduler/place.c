/* place.c: filter, rank, pick, take; one task after the other, each in the world that the last one left. */
#include "base/num.h"
#include "scheduler/search.h"

/* ---- the demand in the world's own numbers ---- */
static struct need need_of(const struct demand *demand)
{
    ASSERT(demand->cpu >= 0 && demand->memory_mib >= 0);
    ASSERT(demand->container_count <= DEMAND_CONTAINERS_MAX);
    struct need need = {
        .cpu = (int32_t)min_i64(demand->cpu, AMOUNT_NEVER), .memory = (int32_t)min_i64(demand->memory_mib, AMOUNT_NEVER),
    };
    gpu_need(demand, &need);
    for (size_t p = 0; p < demand->port_count; p++) { need.port_bits |= (uint64_t)1 << (demand->ports[p] & 63); }
    return need;
}

static void scratch_reserve(struct world *world)
{
    uint32_t kinds = world->kinds.capacity, texts = world->texts.slots.capacity;
    if (world->kind_scratch < kinds) {
        world->kind_fits = pool_grow(&world->pool, world->kind_fits, world->kind_scratch * sizeof *world->kind_fits,
                                     kinds * sizeof *world->kind_fits);
        world->kind_value = pool_grow(&world->pool, world->kind_value, world->kind_scratch * sizeof *world->kind_value,
                                      kinds * sizeof *world->kind_value);
        world->kind_scratch = kinds;
    }
    if (world->value_scratch < texts) {
        world->value_tasks = pool_grow(&world->pool, world->value_tasks, world->value_scratch * sizeof *world->value_tasks,
                                       texts * sizeof *world->value_tasks);
        world->value_scratch = texts;
    }
}

void search_begin(struct search *search, struct world *world, const struct demand *demand)
{
    *search = (struct search){ .world = world, .demand = demand, .need = need_of(demand), .group = NONE };
    if (demand->group.len > 0) { search->group = texts_hold(&world->texts, demand->group); }
    search->wanted = pool_take(&world->pool, demand->attribute_count * sizeof *search->wanted);
    for (size_t a = 0; a < demand->attribute_count; a++) {
        search->wanted[a] = (struct wanted){
            .name = texts_find(&world->texts, demand->attributes[a].name),
            .value = texts_find(&world->texts, demand->attributes[a].value),
            .any_value = !str_is_set(demand->attributes[a].value),
        };
    }
    scratch_reserve(world);
    rng_seed(&search->rng, demand->seed);
}

void search_end(struct search *search)
{
    pool_give(&search->world->pool, search->wanted, search->demand->attribute_count * sizeof *search->wanted);
    texts_release(&search->world->texts, search->group);
}

/* ---- taking ---- */
static void take(const struct search *search, uint32_t number, struct id task, struct placement *placement)
{
    const struct world *world = search->world;
    const struct demand *demand = search->demand;
    const struct instance_slot *instance = instance_at(world, number);
    uint64_t all = instance_gpu_bits(instance), chosen = 0;
    *placement = (struct placement){ .instance = instance->id };
    gpu_choose(demand, all, all & ~instance->gpus_held, placement->gpu_slots);
    for (size_t c = 0; c < demand->container_count; c++) { chosen |= placement->gpu_slots[c]; }

    struct str uuids[INSTANCE_SLOTS_MAX] = { { NULL, 0 } };
    size_t count = 0;
    for (; chosen != 0; chosen &= chosen - 1) {
        uuids[count++] = texts_str(&world->texts, instance->gpu_texts[__builtin_ctzll(chosen)]);
    }
    const struct sched_task taken = {
        .id = task, .instance = instance->id, .group = demand->group, .cpu = demand->cpu, .memory_mib = demand->memory_mib,
        .ports = demand->ports, .port_count = demand->port_count, .gpus = uuids, .gpu_count = count,
    };
    sched_put_task(search->world, &taken);
}

static bool place_one(struct search *search, struct id task, struct placement *placement)
{
    struct fleet *fleet = fleet_find(search->world, search->demand->cluster);
    if (fleet == NULL) { return false; }
    struct race race = { fleet, RANK_OUT };
    if (!filter_fleet(search, &race, score_first_rank(search, fleet))) { return false; }
    uint32_t row = score_pick(search, &race);
    take(search, fleet->instances[row], task, placement);
    return true;
}

size_t sched_place(struct world *world, const struct demand *demand, const struct id *tasks, size_t count, bool all_or_nothing,
                   struct placement *placements, struct evidence *evidence)
{
    struct search search;
    search_begin(&search, world, demand);
    *evidence = (struct evidence){ .instances = (int64_t)sched_instance_count(world, demand->cluster) };
    size_t placed = 0;
    while (placed < count && place_one(&search, tasks[placed], &placements[placed])) { placed++; }
    if (placed < count) {
        evidence_of_fleet(&search, evidence);
        while (all_or_nothing && placed > 0) { sched_drop_task(world, tasks[--placed]); }
    }
    search_end(&search);
    return placed;
}

enum verdict sched_place_on(struct world *world, struct id instance, const struct demand *demand, struct id task,
                            struct placement *placement, struct evidence *evidence)
{
    *evidence = (struct evidence){ 0 };
    uint32_t number = instance_find(world, instance);
    bool in_cluster = number != NONE && fleet_at(world, instance_at(world, number)->fleet)->cluster == demand->cluster;
    if (!in_cluster) { return NOT_ACTIVE; }

    struct search search;
    search_begin(&search, world, demand);
    struct look look = check_instance(&search, number);
    if (look.verdict == FITS) {
        evidence->instances = 1;
        take(&search, number, task, placement);
    } else {
        evidence_of_one(&search, number, &look, evidence);
    }
    search_end(&search);
    return look.verdict;
}
