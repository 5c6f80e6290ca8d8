/* Trials: sched_try answers what sched_place then does, and leaves no trace. Two worlds live the same random life, and one
 * of them is asked in between: nobody can tell which. And tasks in the way: without these tasks it fits, with one of them
 * it does not. */
#include "random_worlds.h"

#include "scheduler/place/demand_stats.h"
#include "scheduler/world/world.h"

enum { INSTANCES = 12, LIVES = 60, STEPS = 120, TASKS_MAX = 4096, COUNT_MAX = 10 };

static struct arena arena;
static char row[64];                                             /* "life 12, step 34" */

/* ---- all that a world holds, in one number ---- */
static uint64_t mix(uint64_t sum, uint64_t value) { return hash_mix(sum ^ hash_mix(value + 0x9E37u)); }
static uint64_t mix_id(uint64_t sum, struct id id) { return mix(sum, hash_bytes(id.bytes, sizeof id.bytes)); }

static uint64_t sum_instance(uint64_t sum, const struct world *world, const struct instance_slot *instance)
{
    sum = mix(mix_id(sum, instance->id), (uint64_t)instance->known);
    sum = mix(mix(mix(sum, (uint64_t)instance->cpu_used), (uint64_t)instance->memory_used), instance->task_count);
    sum = mix(sum, (uint64_t)instance->interfaces_used);
    for (uint32_t slot = 0; slot < instance->gpu_count; slot++) { sum = mix(mix(sum, (uint64_t)instance->gpu_used[slot]), (uint64_t)instance->gpu_free[slot]); }
    for (uint32_t p = 0; p < instance->port_count; p++) { sum = mix(sum, (uint64_t)instance->ports[p]); }
    for (size_t s = 0; s < TASK_SIZE_COUNT; s++) { sum = mix(sum, instance->size_tasks[s]); }
    for (uint32_t n = instance->tasks; n != NONE; n = task_at(world, n)->next) { sum = mix_id(sum, task_at(world, n)->id); }
    for (uint32_t n = instance->group_counts; n != NONE; n = group_count_at(world, n)->next_here) {
        struct str group = interned_str(&world->interned, group_count_at(world, n)->group);
        sum = mix(mix(sum, hash_bytes(group.ptr, group.len)), group_count_at(world, n)->count);
    }
    return sum;
}

/* A mix that nobody has asked for yet is the same as none. */
static uint64_t sum_stats(uint64_t sum, const struct demand_stats *stats, bool with_outlook)
{
    if (stats == NULL || stats->counted == 0) { return mix(sum, 0); }
    sum = mix(mix(sum, stats->counted), stats->total);
    for (uint32_t s = 0; s < stats->shape_count; s++) { sum = mix(mix(sum, (uint64_t)stats->shapes[s].cpu), stats->shapes[s].count); }
    if (!with_outlook) { return sum; }
    sum = mix(sum, stats->version);
    const struct outlook *outlook = stats->outlook;
    for (size_t g = 0; g < GUARDED_MAX; g++) { sum = mix(sum, outlook->hosts[g]); }
    for (uint32_t k = 0; k < outlook->kind_count; k++) { sum = mix(mix(sum, outlook->kinds[k].tight), (uint64_t)outlook->kinds[k].free); }
    return mix(mix(sum, outlook->scarce), (uint64_t)outlook->free);
}

static uint64_t sum_world(const struct world *world, bool with_outlook)
{
    uint64_t sum = 0;
    for (uint32_t n = 0; n < INSTANCES + 1; n++) {
        uint32_t number = instance_find(world, test_id(n));
        if (number != NONE) { sum = sum_instance(sum, world, instance_at(world, number)); }
    }
    for (int64_t cluster = TEST_CLUSTER; cluster <= TEST_CLUSTER + 1; cluster++) {
        const struct fleet *fleet = fleet_find(world, cluster);
        sum = fleet == NULL ? mix(sum, 1) : sum_stats(mix(sum, fleet_live(fleet)), fleet->stats, with_outlook);
    }
    for (size_t p = 0; p < TABLE_PARTS; p++) { sum = mix(sum, world->tasks_by_id.parts[p].count); }
    return mix(sum, world->group_counts_by_pair.count);
}

/* Kinds of machines may have come since the outlook was made: it is made again when somebody asks next, which is at different times
 * in a world that is asked more often. */
static bool is_fresh(const struct world *world)
{
    bool fresh = true;
    for (int64_t cluster = TEST_CLUSTER; cluster <= TEST_CLUSTER + 1; cluster++) {
        const struct fleet *fleet = fleet_find(world, cluster);
        fresh = fresh && (fleet == NULL || fleet->stats == NULL || fleet->stats->births == world->kind_births);
    }
    return fresh;
}

/* ---- answers ---- */
static bool same_placement(const struct placement *a, const struct placement *b)
{
    return id_eq(a->instance, b->instance) && memcmp(a->gpu_slots, b->gpu_slots, sizeof a->gpu_slots) == 0
        && memcmp(a->gpu_share, b->gpu_share, sizeof a->gpu_share) == 0;
}

static bool same_evidence(const struct demand *demand, const struct evidence *a, const struct evidence *b)
{
    struct buf text_a = buf_in(&arena), text_b = buf_in(&arena);
    sched_explain(demand, a, &text_a);
    sched_explain(demand, b, &text_b);
    CHECK("a paragraph", text_a.len <= 1024);
    bool same = a->instances == b->instances && a->group_count == b->group_count && str_eq(buf_str(&text_a), buf_str(&text_b));
    for (size_t g = 0; same && g < a->group_count; g++) { same = id_eq(a->groups[g].example, b->groups[g].example); }
    return same;
}

/* ---- one life, lived twice ---- */
struct life { struct world *asked, *left_alone; struct rng rng; uint32_t tasks[TASKS_MAX]; size_t task_count; uint32_t next; };

static void drop_task(struct life *life, size_t at)
{
    sched_drop_task(life->asked, test_id(life->tasks[at]));
    sched_drop_task(life->left_alone, test_id(life->tasks[at]));
    life->tasks[at] = life->tasks[--life->task_count];
}

static void forget_id(struct life *life, struct id id)
{
    for (size_t t = 0; t < life->task_count; t++) {
        if (id_eq(test_id(life->tasks[t]), id)) {
            drop_task(life, t);
            return;
        }
    }
    CHECK("a task in the way is one of this world", false);
}

/* Two demands after each other in a trial: the first as sched_try has it, the second beside it. Nothing is left behind. */
static void try_two(struct life *life)
{
    struct random_demand one, two;
    struct placement alone[COUNT_MAX], first[COUNT_MAX], second[COUNT_MAX];
    struct evidence said, told;
    random_demand(&one, &life->rng);
    random_demand(&two, &life->rng);
    two.demand.cluster = one.demand.cluster;
    size_t count = 1 + random_below(&life->rng, COUNT_MAX);
    uint64_t before = sum_world(life->asked, true);
    size_t would = sched_try(life->asked, &one.demand, count, false, alone, &said), after = sched_try(life->asked, &two.demand, count, false, second, &told);
    struct sched_trial trial = sched_trial_begin(life->asked, one.demand.cluster);
    CHECK_EQ(row, sched_trial_place(life->asked, &trial, &one.demand, count, first, &said), would);
    for (size_t t = 0; t < would; t++) { CHECK(row, same_placement(&alone[t], &first[t])); }
    size_t beside = sched_trial_place(life->asked, &trial, &two.demand, count, second, &told);
    CHECK(row, beside <= after || after == count);
    CHECK_EQ(row, trial.count, would + beside);
    sched_trial_end(life->asked, &trial);
    CHECK(row, sum_world(life->asked, true) == before);
}

/* Each demand and count that is tried first, then happens exactly so in both. */
static void place_in_both(struct life *life)
{
    struct random_demand made;
    random_demand(&made, &life->rng);
    size_t count = 1 + random_below(&life->rng, COUNT_MAX);
    bool gang = random_once_in(&life->rng, 2);
    struct id ids[COUNT_MAX];
    struct placement tried[COUNT_MAX], there[COUNT_MAX], here[COUNT_MAX];
    struct evidence said, told, known;
    for (size_t t = 0; t < count; t++) { ids[t] = test_id(life->next + (uint32_t)t); }

    uint64_t before = sum_world(life->asked, true);
    size_t would = sched_try(life->asked, &made.demand, count, gang, tried, &said);
    CHECK(row, sum_world(life->asked, true) == before);
    size_t placed = sched_place(life->asked, &made.demand, ids, count, gang, here, &told);
    CHECK_EQ(row, would, placed);
    for (size_t t = 0; t < placed; t++) { CHECK(row, same_placement(&tried[t], &here[t])); }
    for (size_t g = 0; g < said.group_count; g++) { said.groups[g].asked = false; }     /* only the owners of those tasks are named differently */
    for (size_t g = 0; g < told.group_count; g++) { CHECK(row, !told.groups[g].asked); }
    CHECK(row, same_evidence(&made.demand, &said, &told));

    CHECK_EQ(row, sched_place(life->left_alone, &made.demand, ids, count, gang, there, &known), placed);
    for (size_t t = 0; t < placed; t++) { CHECK(row, same_placement(&there[t], &here[t])); }
    CHECK(row, same_evidence(&made.demand, &told, &known));
    for (size_t t = 0; t < placed; t++) { life->tasks[life->task_count++] = life->next++; }
}

static bool fits_on(struct world *world, struct id instance, const struct demand *demand)
{
    struct placement placement;
    struct evidence evidence;
    bool fits = sched_place_on(world, instance, demand, test_id(9999), &placement, &evidence) == FITS;
    sched_drop_task(world, test_id(9999));
    return fits;
}

static size_t tasks_on(const struct world *world, struct id instance)
{
    struct sched_free left;
    return sched_free_on(world, instance, &left) ? left.tasks : 0;
}

/* Ends the tasks that are named as in the way, one after the other, in both. */
static void clear_the_way(struct life *life)
{
    struct random_demand made;
    struct placement placement;
    struct evidence evidence;
    random_demand(&made, &life->rng);
    if (sched_try(life->asked, &made.demand, 1, false, &placement, &evidence) == 1 || evidence.group_count == 0) { return; }
    const struct evidence_group *nearest = &evidence.groups[0];
    bool by_tasks = !nearest->impossible && nearest->verdict >= NOT_DISTINCT;
    if (!by_tasks || tasks_on(life->asked, nearest->example) > EVIDENCE_HOLDERS_MAX) { return; }
    bool has_quarantine = instance_at(life->asked, instance_find(life->asked, nearest->example))->gpus_out != 0;
    if (has_quarantine && evidence.holder_count == 0) { return; }        /* no task's end gives such a device back */
    CHECK(row, evidence.holder_count > 0);
    size_t last = random_below(&life->rng, evidence.holder_count + 1);
    for (size_t h = 0; h < evidence.holder_count; h++) {
        CHECK(row, !fits_on(life->asked, nearest->example, &made.demand));
        CHECK(row, !fits_on(life->left_alone, nearest->example, &made.demand));
        forget_id(life, evidence.holders[(h + last) % evidence.holder_count]);
    }
    bool here = fits_on(life->asked, nearest->example, &made.demand), there = fits_on(life->left_alone, nearest->example, &made.demand);
    CHECK(row, here && there);
}

static void live(uint64_t seed)
{
    struct life *life = ARENA_NEW(&arena, struct life, 1);
    *life = (struct life){ .asked = sched_world_create(&arena), .left_alone = sched_world_create(&arena), .next = 10000 };
    rng_seed(&life->rng, seed);
    for (uint32_t i = 1; i <= INSTANCES; i++) { random_instance(life->asked, life->left_alone, i, &life->rng); }
    for (int step = 0; step < STEPS; step++) {
        (void)snprintf(row, sizeof row, "life %d, step %d", (int)seed, step);
        switch (random_below(&life->rng, 9)) {
        case 0: random_instance(life->asked, life->left_alone, 1 + (uint32_t)random_below(&life->rng, INSTANCES), &life->rng); break;
        case 1:
        case 2: if (life->task_count > 0) { drop_task(life, random_below(&life->rng, life->task_count)); } break;
        case 3: clear_the_way(life); break;
        case 4: try_two(life); break;
        default: place_in_both(life); break;
        }
        bool both_fresh = is_fresh(life->asked) && is_fresh(life->left_alone);
        CHECK(row, sum_world(life->asked, both_fresh) == sum_world(life->left_alone, both_fresh));
    }
}

int main(void)
{
    arena_init(&arena, (size_t)1 << 30);
    for (uint64_t seed = 1; seed <= LIVES; seed++) {
        live(seed);
        arena_reset(&arena);
    }
    arena_finish(&arena);
    return check_report();
}
