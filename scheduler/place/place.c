/* place.c: rank, pick, take; one task after the other, each in the world that the last one left. */
#include "base/num.h"
#include "base/rng.h"
#include "scheduler/place/boards.h"
#include "scheduler/place/search.h"
#include "scheduler/place/sites.h"
#include "scheduler/queue/keeps.h"
#include "scheduler/world/changes.h"
#include "scheduler/place/demand_stats.h"

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
    if (demand->group.len > 0) { search->group = interned_hold(&world->interned, demand->group); }
    search->wanted = pool_take(&world->pool, demand->attribute_count * sizeof *search->wanted);
    for (size_t a = 0; a < demand->attribute_count; a++) {
        search->wanted[a] = (struct wanted){
            .name = interned_hold(&world->interned, demand->attributes[a].name),
            .value = interned_hold(&world->interned, demand->attributes[a].value),
            .any_value = !str_is_set(demand->attributes[a].value),
        };
    }
    rank_plan(search);
    ASSERT(search->policy != NULL);
    ASSERT(demand->group.len == 0 || search->group != NONE);
}

void search_end(struct search *search)
{
    struct world *world = search->world;
    for (size_t a = 0; a < search->demand->attribute_count; a++) {
        interned_release(&world->interned, search->wanted[a].name);
        interned_release(&world->interned, search->wanted[a].value);
    }
    for (uint32_t t = 0; t < search->term_count; t++) { interned_release(&world->interned, search->terms[t].name); }
    pool_give(&world->pool, search->wanted, search->demand->attribute_count * sizeof *search->wanted);
    pool_give(&world->pool, search->kind_answers, search->kind_capacity * sizeof *search->kind_answers);
    interned_release(&world->interned, search->group);
}

/* ---- taking ---- */
/* A placed task has room on its instance. An instance that shrank may be over-committed: then the task takes nothing of what it lacks. */
static void check_room(const struct instance_slot *instance, const struct demand *demand)
{
    ASSERT(instance->known && instance->active && instance->connected);
    ASSERT(demand->cpu == 0 || instance->cpu_used <= instance->cpu);
    ASSERT(demand->memory_mib == 0 || instance->memory_used <= instance->memory_mib);
    ASSERT(demand->interfaces == 0 || instance->interfaces == 0 || instance->interfaces_used <= instance->interfaces);
}

static void put_taken(struct search *search, const struct demand *demand, struct id task, uint32_t number, const struct sched_use *uses, size_t count)
{
    const struct sched_task taken = {
        .id = task, .instance = instance_at(search->world, number)->id, .group = demand->group, .cpu = demand->cpu, .memory_mib = demand->memory_mib,
        .ports = demand->ports, .port_count = demand->port_count, .interfaces = demand->interfaces, .gpus = uses, .gpu_count = count,
    };
    struct task_change change = task_put(search->world, &taken, number);
    ASSERT(change.instance == number);
    check_room(instance_at(search->world, number), demand);
    demand_stats_see(search->world, number);
}

/* A separate function, because the compiler clears the list of devices, 15 KiB, at each call. */
static void take_devices(struct search *search, uint32_t number, const struct demand *demand, struct id task, struct placement *placement)
{
    const struct instance_slot *instance = instance_at(search->world, number);
    struct machine machine = instance_machine(instance);
    struct choice choice = { { 0 } };
    int32_t cost = policy_cost(search->policy, search->outlook, &machine, &search->need.ask, &choice);
    ASSERT(cost != COST_NONE);                                   /* its rank said so */
    struct sched_use uses[DEVICES_MAX * DEMAND_CONTAINERS_MAX];
    int16_t taken[DEVICES_MAX] = { 0 };                          /* by the containers so far */
    size_t count = 0;
    for (uint32_t c = 0; c < search->need.ask.part_count; c++) {
        int32_t devices = search->need.ask.parts[c].devices, wanted = devices == DEMAND_GPUS_ALL ? (int32_t)machine.rig->count : devices;
        ASSERT(bits_count(choice.slots[c]) == wanted);           /* as many as were asked for, no more and no fewer */
        ASSERT((choice.slots[c] & instance->gpus_out) == 0);
        placement->gpu_slots[c] = choice.slots[c];
        for (uint64_t bits = choice.slots[c]; bits != 0; bits &= bits - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(bits);
            placement->gpu_share[c] = policy_device_takes(machine.rig, slot, &search->need.ask.parts[c]);
            ASSERT(slot < instance->gpu_count && placement->gpu_share[c] > 0);
            taken[slot] += (int16_t)placement->gpu_share[c];
            ASSERT(taken[slot] <= instance->gpu_free[slot]);     /* all shares of a GPU together are at most the GPU */
            uses[count++] = (struct sched_use){ interned_str(&search->world->interned, instance->gpu_texts[slot]), placement->gpu_share[c] };
        }
    }
    put_taken(search, demand, task, number, uses, count);
}

static void take(struct search *search, uint32_t number, const struct demand *demand, struct id task, struct placement *placement)
{
    ASSERT(fleet_at(search->world, instance_at(search->world, number)->fleet)->cluster == demand->cluster);
    *placement = (struct placement){ .instance = instance_at(search->world, number)->id };
    if (search->need.wants_gpus) {
        take_devices(search, number, demand, task, placement);
    } else {
        put_taken(search, demand, task, number, NULL, 0);
    }
}

/* The arguments of one call of sched_place or sched_try. */
struct call { const struct demand *demand; const struct id *tasks; size_t count; bool all_or_nothing, stays; };

/* ---- room that is kept for others ---- */

/* Instances that have room, which is kept for a task that waits. */
struct barred { uint32_t *instances; size_t count, capacity; struct id keeper, example; struct amount amount; };

static void hide(struct world *world, struct board *board, uint32_t instance, const struct keep *keep, struct barred *barred)
{
    enum { FIRST = 16 };
    if (barred->count == barred->capacity) {
        size_t capacity = barred->capacity == 0 ? FIRST : 2 * barred->capacity;
        barred->instances = pool_grow(&world->pool, barred->instances, barred->capacity * sizeof *barred->instances, capacity * sizeof *barred->instances);
        barred->capacity = capacity;
    }
    if (barred->count == 0) {
        barred->keeper = keep->first;
        barred->example = keep->instance;
    }
    barred->instances[barred->count++] = instance;
    board_hide(world, board, instance);
}

/* The next instance that nothing holds the task back from. */
static uint32_t pick(struct world *world, struct board *board, struct rng *rng, const struct call *call, const struct placement *placed, size_t count,
                     struct barred *barred)
{
    for (;;) {
        uint32_t instance = board_pick(world, board, rng);
        size_t times = 1;
        if (instance == NONE || call->demand->asker.now_ms == 0 || keeps_count(world->keeps) == 0) { return instance; }
        struct id id = instance_at(world, instance)->id;
        for (size_t t = 0; t < count; t++) { times += id_eq(placed[t].instance, id); }
        if (barred->amount.cpu < 0) { (void)amount_of(call->demand, &barred->amount); }
        const struct keep *keep = keeps_bar(world->keeps, id, &barred->amount, times, &call->demand->asker, call->stays);
        if (keep == NULL) { return instance; }
        hide(world, board, instance, keep, barred);
    }
}

static void show_all(struct world *world, struct board *board, struct barred *barred)
{
    for (size_t b = 0; b < barred->count; b++) { board_show(world, board, barred->instances[b]); }
    pool_give(&world->pool, barred->instances, barred->capacity * sizeof *barred->instances);
}

/* The nearest miss of all. */
static void tell_barred(const struct barred *barred, struct evidence *evidence)
{
    if (barred->count == 0) { return; }
    size_t groups = evidence->group_count < EVIDENCE_GROUPS_MAX ? evidence->group_count : EVIDENCE_GROUPS_MAX - 1;
    memmove(&evidence->groups[1], &evidence->groups[0], groups * sizeof evidence->groups[0]);
    for (size_t g = groups; g > 0; g--) { memcpy(evidence->port_texts[g], evidence->port_texts[g - 1], sizeof evidence->port_texts[g]); }
    for (size_t g = 1; g <= groups; g++) {
        if (evidence->groups[g].verdict == LACKS_PORT) { evidence->groups[g].what.ptr = evidence->port_texts[g]; }
    }
    const struct evidence_group group = { .verdict = ROOM_KEPT, .count = (int64_t)barred->count, .example = barred->example, .keeper = barred->keeper };
    evidence->groups[0] = group;
    evidence->group_count = groups + 1;
    evidence->instances += (int64_t)barred->count;
    evidence->impossible = false;
}

/* Places as many tasks as fit, and says in `evidence` why the next one did not. Returns how many were placed. */
static size_t take_all(struct world *world, struct board *board, const struct call *call, struct placement *placements, struct evidence *evidence)
{
    struct rng rng;
    rng_seed(&rng, call->demand->seed);
    size_t placed = 0;
    struct barred barred = { .amount = { .cpu = -1 } };
    tasks_fetch(world, call->tasks, call->count);
    board_foresee(world, board, &rng, call->count);
    for (; placed < call->count; placed++) {
        uint32_t instance = pick(world, board, &rng, call, placements, placed, &barred);
        if (instance == NONE) { break; }
        take(board_search(board), instance, call->demand, call->tasks[placed], &placements[placed]);
    }
    bool tells = placed < call->count && evidence != NULL;
    if (tells) {
        *evidence = *board_evidence(world, board);
        tell_barred(&barred, evidence);
        ASSERT(evidence->group_count > 0);
    }
    show_all(world, board, &barred);
    if (!tells) { return placed; }
    if (!call->stays) { evidence_holders(board_search(board), (struct own){ call->tasks, placed }, evidence); }
    if (call->all_or_nothing) {
        evidence->gang_size = (int64_t)call->count;
        evidence->gang_fitted = (int64_t)placed;
    }
    return placed;
}

/* They take of the room beside the tasks that room is kept for. */
static void note_started(struct world *world, const struct call *call, const struct placement *placements, size_t count)
{
    struct amount amount;
    if (keeps_count(world->keeps) == 0 || call->demand->asker.now_ms == 0) { return; }
    (void)amount_of(call->demand, &amount);
    for (size_t t = 0; t < count; t++) { keeps_started(world->keeps, placements[t].instance, &amount, &call->demand->asker); }
}

static size_t count_tasks(const struct world *world)
{
    size_t count = 0;
    for (size_t p = 0; p < TABLE_PARTS; p++) { count += world->tasks_by_id.parts[p].count; }
    return count;
}

/* As take_all. Tasks that must not stay are dropped again, the last one first: then the world is as it was, down to the order of its tasks. */
static size_t place(struct world *world, struct board *board, const struct call *call, struct placement *placements, struct evidence *evidence)
{
    struct fleet *fleet = fleet_find(world, call->demand->cluster);
    bool may_go = call->all_or_nothing || !call->stays;
    size_t before = may_go ? count_tasks(world) : 0;
    if (may_go) { demand_stats_begin_trial(world, fleet); }
    size_t placed = take_all(world, board, call, placements, evidence);
    bool too_few = call->all_or_nothing && placed < call->count, goes = too_few || !call->stays;
    for (size_t t = goes ? placed : 0; t > 0; t--) { sched_drop_task(world, call->tasks[t - 1]); }
    if (may_go) { demand_stats_end_trial(world, fleet, goes); }
    ASSERT(!may_go || count_tasks(world) == before + (goes ? 0 : placed));  /* a gang is placed wholly or not at all; a try leaves nothing */
    if (!goes && placed > 0) { note_started(world, call, placements, placed); }
    return too_few ? 0 : placed;
}

size_t sched_place(struct world *world, const struct demand *demand, const struct id *tasks, size_t count, bool all_or_nothing,
                   struct placement *placements, struct evidence *evidence)
{
    if (evidence != NULL) { *evidence = (struct evidence){ .instances = (int64_t)sched_instance_count(world, demand->cluster) }; }
    struct board *board = board_open(world, demand);
    if (board == NULL) { return 0; }
    const struct call call = { demand, tasks, count, all_or_nothing, true };
    size_t placed = place(world, board, &call, placements, evidence);
    /* A task that found no place counts once: the client tries again. */
    demand_stats_count(world, fleet_find(world, demand->cluster), &board_search(board)->need.ask, board_search(board), (uint32_t)placed + (placed < count));
    return placed;
}

/* Ids begin with a time, so that no task has one of these. */
static struct id trial_id(size_t number)
{
    struct id id;
    ASSERT(number <= UINT16_MAX);
    memset(id.bytes, 0xFF, sizeof id.bytes);
    id.bytes[sizeof id.bytes - 2] = (uint8_t)(number >> 8);
    id.bytes[sizeof id.bytes - 1] = (uint8_t)number;
    return id;
}

bool id_is_trial(struct id id)
{
    struct id first = trial_id(0);
    return memcmp(id.bytes, first.bytes, sizeof id.bytes - 2) == 0;
}

size_t sched_try(struct world *world, const struct demand *demand, size_t count, bool all_or_nothing, struct placement *placements,
                 struct evidence *evidence)
{
    ASSERT(count <= SCHED_TRY_MAX);
    *evidence = (struct evidence){ .instances = (int64_t)sched_instance_count(world, demand->cluster) };
    struct board *board = board_open(world, demand);
    if (board == NULL) { return 0; }
    struct id tasks[SCHED_TRY_MAX];
    for (size_t t = 0; t < count; t++) { tasks[t] = trial_id(t); }
    ASSERT(count == 0 || id_is_trial(tasks[count - 1]));
    const struct call call = { demand, tasks, count, all_or_nothing, false };
    return place(world, board, &call, placements, evidence);
}

struct sched_trial sched_trial_begin(struct world *world, int64_t cluster)
{
    struct fleet *fleet = fleet_find(world, cluster);
    if (fleet != NULL) { demand_stats_begin_trial(world, fleet); }
    return (struct sched_trial){ .cluster = cluster };
}

size_t sched_trial_place(struct world *world, struct sched_trial *trial, const struct demand *demand, size_t count, struct placement *placements,
                         struct evidence *evidence)
{
    ASSERT(demand->cluster == trial->cluster && count <= SCHED_TRY_MAX && trial->count + count <= SCHED_TRIAL_MAX);
    *evidence = (struct evidence){ .instances = (int64_t)sched_instance_count(world, demand->cluster) };
    struct board *board = board_open(world, demand);
    if (board == NULL) { return 0; }
    struct id tasks[SCHED_TRY_MAX];
    for (size_t t = 0; t < count; t++) { tasks[t] = trial_id(trial->count + t); }
    /* The tasks stay, so that nobody is named who holds the rest: it could be one of them. */
    const struct call call = { demand, tasks, count, false, true };
    size_t placed = take_all(world, board, &call, placements, evidence);
    trial->count += placed;
    return placed;
}

void sched_trial_end(struct world *world, struct sched_trial *trial)
{
    struct fleet *fleet = fleet_find(world, trial->cluster);
    for (; trial->count > 0; trial->count--) { sched_drop_task(world, trial_id(trial->count - 1)); }
    if (fleet != NULL) { demand_stats_end_trial(world, fleet, true); }
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
        search.outlook = demand_stats_of(world, fleet)->outlook;
        evidence->instances = 1;
        demand_stats_count(world, fleet, &search.need.ask, &search, 1);
        search.outlook = fleet->stats->outlook;
        ASSERT(check_fits(&search, number));                     /* both ways of looking agree */
        take(&search, number, demand, task, placement);
    } else {
        evidence_of_one(&search, number, &look, evidence);
    }
    search_end(&search);
    return look.verdict;
}
