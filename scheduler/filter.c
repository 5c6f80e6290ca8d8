/* filter.c: which rows of a fleet fit. Columns of numbers first, several rows at a time; what has to be looked up comes
 * after, and only where the demand asks for it. */
#include "scheduler/expression.h"
#include "scheduler/lanes.h"
#include "scheduler/search.h"

static int32_t block_enter(const struct need *need, struct fleet *fleet, const int32_t *first_rank, uint32_t block)
{
    const lanes *cpu = lanes_read(fleet->cpu_free + block), *memory = lanes_read(fleet->memory_free + block);
    const lanes *gpus = lanes_read(fleet->gpus_free + block), *rank = lanes_read(first_rank + block);
    lanes *key = lanes_write(fleet->key + block), least = lanes_of(RANK_OUT);
    /* One less, since "more than" is one operation where "at least" is two. */
    const lanes cpu_below = lanes_of(need->cpu - 1), memory_below = lanes_of(need->memory - 1), gpus_below = lanes_of(need->gpus - 1);
    for (size_t n = 0; n < FLEET_BLOCK / LANES; n++) {
        lanes fits = (cpu[n] > cpu_below) & (memory[n] > memory_below) & (gpus[n] > gpus_below);
        key[n] = lanes_choose(fits, rank[n], lanes_of(RANK_OUT));
        least = lanes_min(key[n], least);
    }
    return lanes_least(least);
}

static void enter_by_columns(const struct search *search, struct race *race, const int32_t *first_rank)
{
    struct fleet *fleet = race->fleet;
    race->least = RANK_OUT;
    for (uint32_t block = 0; block < fleet->rows; block += FLEET_BLOCK) {
        int32_t least = block_enter(&search->need, fleet, first_rank, block);
        fleet->least[block / FLEET_BLOCK] = least;
        race->least = least < race->least ? least : race->least;
    }
}

void race_find_least(struct race *race)
{
    struct fleet *fleet = race->fleet;
    race->least = RANK_OUT;
    for (uint32_t block = 0; block < fleet->rows; block += FLEET_BLOCK) {
        const lanes *key = lanes_read(fleet->key + block);
        lanes least = key[0];
        for (size_t n = 1; n < FLEET_BLOCK / LANES; n++) { least = lanes_min(key[n], least); }
        fleet->least[block / FLEET_BLOCK] = lanes_least(least);
        race->least = lanes_least(least) < race->least ? lanes_least(least) : race->least;
    }
}

/* ---- filters: each may take rows out of the race, and says whether it may have done so ---- */
static bool leave_all_gpus(const struct search *search, struct fleet *fleet)
{
    if (!search->need.all_gpus) { return false; }
    for (uint32_t row = 0; row < fleet->rows; row++) {
        if (fleet->gpus_free[row] != fleet->gpus_total[row]) { fleet->key[row] = RANK_OUT; }
    }
    return true;
}

static bool kind_is_member(const struct search *search, uint32_t kind)
{
    const struct demand *demand = search->demand;
    for (size_t e = 0; e < demand->expression_count; e++) {
        const struct expression *expression = demand->expressions[e];
        if (expression->attributes_only && !expression_holds(expression, search->world, kind, NULL, false)) { return false; }
    }
    return true;
}

/* Attributes are asked once for each kind of instance, not for each instance. */
static bool leave_kinds(const struct search *search, struct fleet *fleet)
{
    struct world *world = search->world;
    if (search->demand->attribute_count == 0 && search->demand->expression_count == 0) { return false; }
    bool all = true;
    for (uint32_t kind = 0; kind < world->kinds.count; kind++) {
        if (kind_at(world, kind)->refs == 0) { continue; }
        world->kind_fits[kind] = check_kind(search, kind) == NULL && kind_is_member(search, kind);
        all &= world->kind_fits[kind];
    }
    for (uint32_t row = 0; row < fleet->rows && !all; row++) {
        fleet->key[row] = world->kind_fits[fleet->kinds[row]] ? fleet->key[row] : RANK_OUT;
    }
    return !all;
}

static bool leave_group(const struct search *search, struct fleet *fleet)
{
    if (!search->demand->distinct_instance || search->group == NONE) { return false; }
    fleet_count_group(search->world, fleet, search->group);
    for (uint32_t row = 0; row < fleet->rows; row++) { fleet->key[row] = fleet->same_group[row] == 0 ? fleet->key[row] : RANK_OUT; }
    return true;
}

static bool leave_ports(const struct search *search, struct fleet *fleet)
{
    const struct demand *demand = search->demand;
    for (uint32_t row = 0; row < fleet->rows && demand->port_count > 0; row++) {
        if (fleet->key[row] == RANK_OUT || (fleet->port_bits[row] & search->need.port_bits) == 0) { continue; }
        const struct instance_slot *instance = instance_at(search->world, fleet->instances[row]);
        for (size_t p = 0; p < demand->port_count; p++) {
            if (instance_has_port(instance, demand->ports[p], false)) { fleet->key[row] = RANK_OUT; }
        }
    }
    return demand->port_count > 0;
}

/* What the kinds could not answer: expressions about the instance itself or its tasks. */
static bool leave_expressions(const struct search *search, struct fleet *fleet)
{
    const struct demand *demand = search->demand;
    bool asked = false;
    for (size_t e = 0; e < demand->expression_count; e++) {
        const struct expression *expression = demand->expressions[e];
        if (expression->attributes_only) { continue; }
        asked = true;
        for (uint32_t row = 0; row < fleet->rows; row++) {
            if (fleet->key[row] == RANK_OUT) { continue; }
            const struct instance_slot *instance = instance_at(search->world, fleet->instances[row]);
            if (!expression_holds(expression, search->world, instance->kind, instance, false)) { fleet->key[row] = RANK_OUT; }
        }
    }
    return asked;
}

bool filter_fleet(const struct search *search, struct race *race, const int32_t *first_rank)
{
    static bool (*const filters[])(const struct search *, struct fleet *) = {
        leave_all_gpus, leave_kinds, leave_group, leave_ports, leave_expressions,
    };
    enter_by_columns(search, race, first_rank);
    if (race->least == RANK_OUT) { return false; }
    bool left = false;
    for (size_t f = 0; f < COUNT_OF(filters); f++) { left |= filters[f](search, race->fleet); }
    if (left) { race_find_least(race); }
    return race->least != RANK_OUT;
}
