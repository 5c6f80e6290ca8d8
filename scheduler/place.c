/* place.c: rank, pick, take; one task after the other, each in the world that the last one left. */
#include "base/num.h"
#include "base/rng.h"
#include "scheduler/search.h"

/* ---- the demand in the world's own numbers ---- */
static void read_gpus(const struct demand *demand, struct need *need)
{
    struct ask *ask = &need->ask;
    ask->part_count = (uint32_t)demand->container_count;
    for (size_t c = 0; c < demand->container_count; c++) {
        const struct gpu_ask *wants = &demand->gpus[c];
        ASSERT(wants->count >= 0 || wants->count == DEMAND_GPUS_ALL);
        ASSERT(wants->share >= 0 && wants->share <= GPU_WHOLE && wants->memory_mib >= 0);
        ASSERT(wants->count == 1 || wants->count == 0 || wants->share == GPU_WHOLE);
        ask->parts[c] = (struct ask_part){ (int32_t)min_i64(wants->count, AMOUNT_MAX), (int32_t)wants->share,
                                           (int32_t)min_i64(wants->memory_mib, AMOUNT_MAX) };
        ask->all_devices |= wants->count == DEMAND_GPUS_ALL;
        need->wants_gpus |= wants->count != 0;
    }
}

struct need need_of(const struct demand *demand)
{
    ASSERT(demand->cpu >= 0 && demand->memory_mib >= 0);
    ASSERT(demand->container_count <= DEMAND_CONTAINERS_MAX);
    struct need need = { .ask = { .cpu = (int32_t)min_i64(demand->cpu, INT32_MAX), .memory = (int32_t)min_i64(demand->memory_mib, INT32_MAX) } };
    read_gpus(demand, &need);
    return need;
}

void search_begin(struct search *search, struct world *world, const struct demand *demand)
{
    *search = (struct search){ .world = world, .demand = demand, .need = need_of(demand), .group = NONE };
    if (demand->group.len > 0) { search->group = texts_hold(&world->texts, demand->group); }
    search->wanted = pool_take(&world->pool, demand->attribute_count * sizeof *search->wanted);
    for (size_t a = 0; a < demand->attribute_count; a++) {
        search->wanted[a] = (struct wanted){
            .name = texts_hold(&world->texts, demand->attributes[a].name),
            .value = texts_hold(&world->texts, demand->attributes[a].value),
            .any_value = !str_is_set(demand->attributes[a].value),
        };
    }
    rank_plan(search);
}

void search_end(struct search *search)
{
    struct world *world = search->world;
    for (size_t a = 0; a < search->demand->attribute_count; a++) {
        texts_release(&world->texts, search->wanted[a].name);
        texts_release(&world->texts, search->wanted[a].value);
    }
    for (uint32_t t = 0; t < search->term_count; t++) { texts_release(&world->texts, search->terms[t].name); }
    pool_give(&world->pool, search->wanted, search->demand->attribute_count * sizeof *search->wanted);
    pool_give(&world->pool, search->kind_answers, search->kind_capacity * sizeof *search->kind_answers);
    texts_release(&world->texts, search->group);
}

/* ---- taking ---- */
static void take(struct search *search, uint32_t number, const struct demand *demand, struct id task, struct placement *placement)
{
    const struct world *world = search->world;
    const struct instance_slot *instance = instance_at(world, number);
    struct machine machine = instance_machine(instance);
    struct choice choice = { { 0 } };
    if (search->need.wants_gpus) {
        int32_t cost = policy_cost(search->policy, search->outlook, &machine, &search->need.ask, &choice);
        ASSERT(cost != COST_NONE);                               /* its rank said so */
    }
    *placement = (struct placement){ .instance = instance->id };
    struct sched_use uses[DEVICES_MAX * DEMAND_CONTAINERS_MAX];
    size_t count = 0;
    for (uint32_t c = 0; c < search->need.ask.part_count; c++) {
        placement->gpu_slots[c] = choice.slots[c];
        for (uint64_t bits = choice.slots[c]; bits != 0; bits &= bits - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(bits);
            placement->gpu_share[c] = policy_device_takes(machine.rig, slot, &search->need.ask.parts[c]);
            uses[count++] = (struct sched_use){ texts_str(&world->texts, instance->gpu_texts[slot]), placement->gpu_share[c] };
        }
    }
    const struct sched_task taken = {
        .id = task, .instance = instance->id, .group = demand->group, .cpu = demand->cpu, .memory_mib = demand->memory_mib,
        .ports = demand->ports, .port_count = demand->port_count, .interfaces = demand->interfaces, .gpus = uses, .gpu_count = count,
    };
    task_put(search->world, &taken);
}

size_t sched_place(struct world *world, const struct demand *demand, const struct id *tasks, size_t count, bool all_or_nothing,
                   struct placement *placements, struct evidence *evidence)
{
    if (evidence != NULL) { *evidence = (struct evidence){ .instances = (int64_t)sched_instance_count(world, demand->cluster) }; }
    struct board *board = board_open(world, demand);
    if (board == NULL) { return 0; }
    struct rng rng;
    rng_seed(&rng, demand->seed);
    size_t placed = 0;
    for (; placed < count; placed++) {
        uint32_t instance = board_pick(world, board, &rng);
        if (instance == NONE) { break; }
        take(board_search(board), instance, demand, tasks[placed], &placements[placed]);
    }
    if (placed < count) {
        if (evidence != NULL) { *evidence = *board_evidence(world, board); }
        while (all_or_nothing && placed > 0) { sched_drop_task(world, tasks[--placed]); }
    }
    /* One that found no place was asked for as well, but not as often as somebody tries again. */
    usual_count(world, fleet_find(world, demand->cluster), &board_search(board)->need.ask, board_search(board), (uint32_t)placed + (placed < count));
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
        struct fleet *fleet = fleet_at(world, instance_at(world, number)->fleet);
        search.outlook = usual_of(world, fleet)->outlook;
        evidence->instances = 1;
        usual_count(world, fleet, &search.need.ask, &search, 1);
        search.outlook = fleet->usual->outlook;
        take(&search, number, demand, task, placement);
    } else {
        evidence_of_one(&search, number, &look, evidence);
    }
    search_end(&search);
    return look.verdict;
}
