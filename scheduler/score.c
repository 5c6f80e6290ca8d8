/* score.c: the winner of those that fit. Strategies are ranks, one behind the other; what is still equal after the last one
 * goes by chance or to the smaller id. */
#include "scheduler/lanes.h"
#include "scheduler/search.h"

/* ---- narrowing ---- */
static int32_t block_narrow(const struct race *race, const int32_t *next_rank, uint32_t block)
{
    const lanes *rank = lanes_read(next_rank + block), now = lanes_of(race->least);
    lanes *key = lanes_write(race->fleet->key + block), least = lanes_of(RANK_OUT);
    for (size_t n = 0; n < FLEET_BLOCK / LANES; n++) {
        key[n] = lanes_choose(key[n] == now, rank[n], lanes_of(RANK_OUT));
        least = lanes_min(key[n], least);
    }
    return lanes_least(least);
}

static void race_narrow(struct race *race, const int32_t *rank)
{
    int32_t least = RANK_OUT, *block_least = race->fleet->least;
    for (uint32_t block = 0; block < race->fleet->rows; block += FLEET_BLOCK) {
        int32_t *here = &block_least[block / FLEET_BLOCK];
        *here = *here == race->least ? block_narrow(race, rank, block) : RANK_OUT;
        least = *here < least ? *here : least;
    }
    ASSERT(least != RANK_OUT);                                   /* somebody was in the race, and a rank throws nobody out */
    race->least = least;
}

/* The next block from `block` on in which somebody is left; there is one. */
static uint32_t race_block(const struct race *race, uint32_t block)
{
    while (race->fleet->least[block / FLEET_BLOCK] != race->least) { block += FLEET_BLOCK; }
    ASSERT(block < race->fleet->rows);
    return block;
}

static uint32_t pick_first(const struct race *race)
{
    uint32_t row = race_block(race, 0);
    while (race->fleet->key[row] != race->least) { row++; }
    return row;
}

static uint32_t block_count(const struct race *race, uint32_t block)
{
    if (race->fleet->least[block / FLEET_BLOCK] != race->least) { return 0; }
    const lanes *key = lanes_read(race->fleet->key + block), now = lanes_of(race->least);
    lanes count = lanes_of(0);
    for (size_t n = 0; n < FLEET_BLOCK / LANES; n++) { count -= key[n] == now; }
    return (uint32_t)lanes_sum(count);
}

static uint32_t pick_by_chance(const struct race *race, struct rng *rng)
{
    uint32_t count = 0;
    for (uint32_t block = 0; block < race->fleet->rows; block += FLEET_BLOCK) { count += block_count(race, block); }
    ASSERT(count > 0);
    uint64_t passed_over = rng_below(rng, count);
    uint32_t row = 0;
    for (uint32_t here = block_count(race, 0); passed_over >= here; here = block_count(race, row)) {
        passed_over -= here;
        row += FLEET_BLOCK;
    }
    for (;; row++) {
        if (race->fleet->key[row] == race->least && passed_over-- == 0) { return row; }
    }
}

/* ---- ranks ---- */
static const int32_t *rank_cpu(struct search *search, struct fleet *fleet, struct str rest)
{
    (void)search, (void)rest;
    return fleet->cpu_free;
}

static const int32_t *rank_memory(struct search *search, struct fleet *fleet, struct str rest)
{
    (void)search, (void)rest;
    return fleet->memory_free;
}

static const int32_t *rank_gpu(struct search *search, struct fleet *fleet, struct str rest)
{
    (void)search, (void)rest;
    return fleet->gpus_free;
}

static const int32_t *rank_instance(struct search *search, struct fleet *fleet, struct str rest)
{
    (void)rest;
    fleet_count_group(search->world, fleet, search->group);
    return fleet->same_group;
}

/* Tasks of the group over all instances with the same value of the attribute. Instances without it come last. */
static const int32_t *rank_attribute(struct search *search, struct fleet *fleet, struct str name)
{
    struct world *world = search->world;
    uint32_t text = texts_find(&world->texts, name);
    for (uint32_t kind = 0; kind < world->kinds.count; kind++) { world->kind_value[kind] = NONE; }
    for (uint32_t row = 0; row < fleet->rows; row++) {           /* each kind of the fleet once; gaps have kind 0 */
        uint32_t kind = fleet->kinds[row];
        if (fleet->instances[row] == NONE || world->kind_value[kind] != NONE) { continue; }
        const struct kind_attribute *attribute = kind_attribute(world, kind, text);
        if (attribute == NULL || attribute->value == NONE) { continue; }
        world->kind_value[kind] = attribute->value;
        world->value_tasks[attribute->value] = 0;
    }
    fleet_count_group(world, fleet, search->group);
    for (uint32_t row = 0; row < fleet->rows; row++) {
        uint32_t value = world->kind_value[fleet->kinds[row]];
        if (fleet->same_group[row] > 0 && value != NONE) { world->value_tasks[value] += fleet->same_group[row]; }
    }
    for (uint32_t row = 0; row < fleet->rows; row++) {
        uint32_t value = world->kind_value[fleet->kinds[row]];
        fleet->rank[row] = value == NONE ? RANK_LAST : world->value_tasks[value];
    }
    return fleet->rank;
}

/* What a strategy's field means. A field that is not here ranks nothing: all instances are equal to it. */
static const struct {
    enum strategy_kind kind; struct str field; bool is_prefix;
    const int32_t *(*rank)(struct search *, struct fleet *, struct str rest);
} ranks[] = {
    { STRATEGY_SPREAD,  STR_INIT("instanceId"), false, rank_instance  },
    { STRATEGY_SPREAD,  STR_INIT("host"),       false, rank_instance  },
    { STRATEGY_SPREAD,  STR_INIT("attribute:"), true,  rank_attribute },
    { STRATEGY_BINPACK, STR_INIT("cpu"),        false, rank_cpu       },
    { STRATEGY_BINPACK, STR_INIT("memory"),     false, rank_memory    },
    { STRATEGY_BINPACK, STR_INIT("gpu"),        false, rank_gpu       },
};

/* NULL when the strategy ranks nothing. */
static const int32_t *rank_of(struct search *search, struct fleet *fleet, const struct strategy *strategy)
{
    for (size_t r = 0; r < COUNT_OF(ranks); r++) {
        struct str head = ranks[r].is_prefix ? str_slice(strategy->field, 0, ranks[r].field.len) : strategy->field;
        if (ranks[r].kind != strategy->kind || !str_eq_nocase(head, ranks[r].field)) { continue; }
        return ranks[r].rank(search, fleet, str_slice(strategy->field, ranks[r].field.len, strategy->field.len));
    }
    return NULL;
}

/* ---- picking ---- */
/* The rank with which rows enter the race. Where the first strategy ranks nothing, all enter with the same. */
const int32_t *score_first_rank(struct search *search, struct fleet *fleet)
{
    const struct demand *demand = search->demand;
    if (demand->strategy_count == 0) { return fleet->gpu_rank; }
    const int32_t *rank = rank_of(search, fleet, &demand->strategies[0]);
    if (rank != NULL) { return rank; }
    memset(fleet->rank, 0, fleet->rows * sizeof *fleet->rank);
    return fleet->rank;
}

/* GPU tasks fill the machine with the fewest free devices that suffice, so that big holes stay whole for big tasks; tasks
 * without keep off machines with GPUs, and are otherwise dealt out by chance as ECS does it. Both began with gpu_rank. */
static uint32_t pick_by_default(struct search *search, struct race *race)
{
    if (search->need.gpus == 0) { return pick_by_chance(race, &search->rng); }
    race_narrow(race, race->fleet->cpu_free);
    return pick_first(race);
}

uint32_t score_pick(struct search *search, struct race *race)
{
    const struct demand *demand = search->demand;
    if (demand->strategy_count == 0) { return pick_by_default(search, race); }
    for (size_t s = 0; s < demand->strategy_count; s++) {
        if (demand->strategies[s].kind == STRATEGY_RANDOM) { return pick_by_chance(race, &search->rng); }
        const int32_t *rank = s == 0 ? NULL : rank_of(search, race->fleet, &demand->strategies[s]);
        if (rank != NULL) { race_narrow(race, rank); }
    }
    race_narrow(race, race->fleet->gpu_rank);
    return pick_first(race);
}
