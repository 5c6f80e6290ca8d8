#include "scheduler/place/demand_stats.h"

#include "base/num.h"
#include "scheduler/ask/expression.h"
#include "scheduler/place/search.h"

enum {
    LOOK_FIRST = 64, LOOK_MOST = 8192,       /* tasks between two looks at the mix: half as many again each time, at most LOOK_MOST */
    TOTAL_MAX = 1 << 15,                     /* counts are halved when they add up to more */
    CHANGE_PART = 8,                         /* the mix has changed when more than one task in this many is of another shape */
    BIRTHS_MIN = 8,                          /* new kinds of instances that are too few to look again */
};
static const size_t ARENA_MAX = (size_t)16 << 20;

struct requirement { struct sched_attribute *attributes; size_t attribute_count; const struct expression **expressions; size_t expression_count; };

/* ---- requirements: what a demand asks of the kind of instance ---- */
static bool same_text(struct str a, struct str b) { return str_is_set(a) == str_is_set(b) && str_eq(a, b); }

static bool requirement_is(const struct requirement *requirement, const struct demand *demand)
{
    size_t at = 0;
    if (requirement->attribute_count != demand->attribute_count) { return false; }
    for (size_t a = 0; a < demand->attribute_count; a++) {
        const struct sched_attribute *has = &requirement->attributes[a], *wants = &demand->attributes[a];
        if (!same_text(has->name, wants->name) || !same_text(has->value, wants->value)) { return false; }
    }
    for (size_t e = 0; e < demand->expression_count; e++) {
        if (!demand->expressions[e]->attributes_only) { continue; }
        if (at == requirement->expression_count || !str_eq(requirement->expressions[at]->text, demand->expressions[e]->text)) { return false; }
        at++;
    }
    return at == requirement->expression_count;
}

static void requirement_copy(struct demand_stats *stats, const struct demand *demand, struct requirement *to)
{
    *to = (struct requirement){ .attributes = ARENA_NEW(&stats->arena, struct sched_attribute, demand->attribute_count) };
    to->expressions = (const struct expression **)arena_alloc(&stats->arena, demand->expression_count, sizeof *to->expressions);
    for (; to->attribute_count < demand->attribute_count; to->attribute_count++) {
        const struct sched_attribute *from = &demand->attributes[to->attribute_count];
        to->attributes[to->attribute_count] = (struct sched_attribute){ arena_str(&stats->arena, from->name), arena_str(&stats->arena, from->value) };
    }
    for (size_t e = 0; e < demand->expression_count; e++) {
        if (!demand->expressions[e]->attributes_only) { continue; }
        struct err err = { 0 };
        to->expressions[to->expression_count] = expression_compile(arena_str(&stats->arena, demand->expressions[e]->text), &stats->arena, &err);
        ASSERT(to->expressions[to->expression_count] != NULL);   /* it was compiled before */
        to->expression_count++;
    }
}

/* Its number from 1; 0 when nothing is required, or when there are too many: then it counts as if any instance would do. */
static uint32_t requirement_of(struct demand_stats *stats, const struct demand *demand)
{
    bool asks = demand->attribute_count > 0;
    for (size_t e = 0; e < demand->expression_count; e++) { asks |= demand->expressions[e]->attributes_only; }
    if (!asks) { return 0; }
    for (uint32_t r = 0; r < stats->requirement_count; r++) {
        if (requirement_is(&stats->requirements[r], demand)) { return r + 1; }
    }
    if (stats->requirement_count == STATS_REQUIREMENTS_MAX) { return 0; }
    requirement_copy(stats, demand, &stats->requirements[stats->requirement_count]);
    return ++stats->requirement_count;
}

static bool kind_meets(const struct world *world, uint32_t kind, const struct requirement *requirement)
{
    for (size_t a = 0; a < requirement->attribute_count; a++) {
        const struct sched_attribute *wants = &requirement->attributes[a];
        const struct kind_attribute *has = kind_attribute(world, kind, interned_find(&world->interned, wants->name));
        if (has == NULL || (str_is_set(wants->value) && !str_eq(interned_str(&world->interned, has->value), wants->value))) { return false; }
    }
    for (size_t e = 0; e < requirement->expression_count; e++) {
        if (!expression_holds(requirement->expressions[e], world, kind, NULL, false)) { return false; }
    }
    return true;
}

/* ---- the outlook ---- */
static struct outlook_stake row_stake(const struct world *world, const struct fleet *fleet, uint32_t row)
{
    uint32_t number = fleet->rows[row].instance;
    if (number == NONE) { return (struct outlook_stake){ 0 }; }
    const struct instance_slot *instance = instance_at(world, number);
    if (!instance->active || !instance->connected || instance->gpu_count == 0) { return (struct outlook_stake){ 0 }; }
    struct machine machine = instance_machine(instance);
    return outlook_stake(fleet->stats->outlook, &machine);
}

/* Costs of other instances have changed too: their ranks are looked at again. */
static void touch_concerned(struct fleet *fleet)
{
    for (uint32_t row = 0; row < fleet->count; row++) {
        if (outlook_concerns(fleet->stats->outlook, &fleet->rows[row].stake)) { fleet_touch(fleet, row); }
    }
}

static void exchange_stake(struct fleet *fleet, uint32_t row, struct outlook_stake now)
{
    struct outlook_stake was = fleet->rows[row].stake;
    fleet->rows[row].stake = now;
    if (outlook_exchange(fleet->stats->outlook, &was, &now)) { touch_concerned(fleet); }
}

void demand_stats_see(struct world *world, uint32_t instance)
{
    if (instance == NONE || !instance_at(world, instance)->known) { return; }
    struct fleet *fleet = fleet_at(world, instance_at(world, instance)->fleet);
    uint32_t row = instance_at(world, instance)->row;
    ASSERT(row < fleet->count && fleet->rows[row].instance == instance);
    if (fleet->stats != NULL) { exchange_stake(fleet, row, row_stake(world, fleet, row)); }
}

void demand_stats_row_leaves(struct fleet *fleet, uint32_t row)
{
    if (fleet->stats != NULL) { exchange_stake(fleet, row, (struct outlook_stake){ 0 }); }
}

static void make_outlook(struct world *world, struct fleet *fleet)
{
    struct demand_stats *stats = fleet->stats;
    arena_reset(&stats->outlook_arena);
    uint32_t kinds = world->kinds.count;
    uint8_t *fits = ARENA_NEW(&stats->outlook_arena, uint8_t, (size_t)kinds * stats->requirement_count + 1);
    for (uint32_t r = 0; r < stats->requirement_count; r++) {
        for (uint32_t k = 0; k < kinds; k++) { fits[(size_t)r * kinds + k] = kind_at(world, k)->refs > 0 && kind_meets(world, k, &stats->requirements[r]); }
    }
    const struct outlook_history history = {
        .shapes = stats->shapes, .shape_count = stats->shape_count, .fits = fits, .requirement_count = stats->requirement_count, .kind_count = kinds,
    };
    stats->outlook = outlook_build(&stats->outlook_arena, &history);
    stats->version++;
    stats->births = world->kind_births;
    stats->asked_total = stats->total;
    for (uint32_t s = 0; s < stats->shape_count; s++) { stats->asked_for[s] = stats->shapes[s].count; }
    int64_t free = 0;
    for (uint32_t row = 0; row < fleet->count; row++) {
        fleet->rows[row].stake = row_stake(world, fleet, row);
        free += fleet->rows[row].stake.free;
        outlook_add(stats->outlook, &fleet->rows[row].stake);
    }
    ASSERT(stats->outlook->free == free);
    outlook_settle(stats->outlook);
}

struct demand_stats *demand_stats_of(struct world *world, struct fleet *fleet)
{
    if (fleet->stats != NULL) { return fleet->stats; }
    struct demand_stats *stats = fleet->stats = pool_take(&world->pool, sizeof *stats);
    *stats = (struct demand_stats){ .look_at = LOOK_FIRST };
    arena_init(&stats->arena, ARENA_MAX);
    arena_init(&stats->outlook_arena, ARENA_MAX);
    stats->requirements = ARENA_NEW(&stats->arena, struct requirement, STATS_REQUIREMENTS_MAX);
    make_outlook(world, fleet);
    return stats;
}

void demand_stats_begin_trial(struct world *world, struct fleet *fleet)
{
    struct demand_stats *stats = demand_stats_of(world, fleet);
    ASSERT(stats->levels == NULL);
    stats->level_count = stats->outlook->kind_count + 1;
    stats->levels = pool_take(&world->pool, stats->level_count * sizeof *stats->levels);
    outlook_keep_levels(stats->outlook, stats->levels);
}

void demand_stats_end_trial(struct world *world, struct fleet *fleet, bool taken_back)
{
    struct demand_stats *stats = fleet->stats;
    ASSERT(stats->levels != NULL);
    if (taken_back && outlook_set_levels(stats->outlook, stats->levels)) { touch_concerned(fleet); }
    pool_give(&world->pool, stats->levels, stats->level_count * sizeof *stats->levels);
    stats->levels = NULL;
}

void demand_stats_finish(struct world *world, struct fleet *fleet)
{
    if (fleet->stats == NULL) { return; }
    ASSERT(fleet->stats->levels == NULL);                        /* nothing is being tried */
    arena_finish(&fleet->stats->arena);
    arena_finish(&fleet->stats->outlook_arena);
    pool_give(&world->pool, fleet->stats, sizeof *fleet->stats);
    fleet->stats = NULL;
}

/* ---- counting ---- */
static struct outlook_shape shape_of(const struct ask *ask)
{
    struct outlook_shape shape = { .cpu = ask->cpu, .memory = ask->memory };
    for (uint32_t p = 0; p < ask->part_count; p++) {
        const struct ask_part *part = &ask->parts[p];
        if (part->devices <= 0) { continue; }
        if (part->share == DEVICE_WHOLE) {
            int64_t whole = shape.share == DEVICE_WHOLE ? shape.devices : 0;
            shape.devices = (int32_t)min_i64(whole + part->devices, AMOUNT_MAX);
            shape.share = DEVICE_WHOLE;
        } else if (part->share > shape.share) {                  /* of several shares the largest counts for all */
            shape.devices = 1;
            shape.share = part->share;
        }
    }
    if (shape.share == 0) { shape.devices = 0; }
    ASSERT(shape.share >= 0 && shape.share <= DEVICE_WHOLE && (shape.share == DEVICE_WHOLE || shape.devices <= 1));
    return shape;
}

static void halve(struct demand_stats *stats)
{
    stats->total = 0;
    for (uint32_t s = 0; s < stats->shape_count; s++) { stats->total += stats->shapes[s].count /= 2; }
}

/* The place of a shape: the one it has, a new one, or that of the one that is asked for least. */
static uint32_t place_of(struct demand_stats *stats, const struct outlook_shape *shape)
{
    uint32_t least = 0;
    for (uint32_t s = 0; s < stats->shape_count; s++) {
        const struct outlook_shape *has = &stats->shapes[s];
        if (has->cpu == shape->cpu && has->memory == shape->memory && has->devices == shape->devices && has->share == shape->share
            && has->requirement == shape->requirement) {
            return s;
        }
        if (has->count < stats->shapes[least].count) { least = s; }
    }
    if (stats->shape_count < STATS_SHAPES_MAX) { least = stats->shape_count++; }
    ASSERT(stats->total >= stats->shapes[least].count);
    stats->total -= stats->shapes[least].count;
    stats->shapes[least] = *shape;
    stats->asked_for[least] = 0;
    return least;
}

static bool mix_changed(const struct demand_stats *stats)
{
    if (stats->asked_total == 0) { return stats->total > 0; }
    double apart = 0;
    for (uint32_t s = 0; s < stats->shape_count; s++) {
        double now = (double)stats->shapes[s].count / stats->total, then = (double)stats->asked_for[s] / stats->asked_total;
        apart += now > then ? now - then : 0;
    }
    return apart * CHANGE_PART > 1;
}

static void look_again(struct world *world, struct fleet *fleet)
{
    struct demand_stats *stats = fleet->stats;
    stats->look_at = stats->counted + (uint64_t)max_i64(LOOK_FIRST, min_i64((int64_t)stats->counted / 2, LOOK_MOST));
    uint32_t born = world->kind_births - stats->births;
    bool new_kinds = stats->requirement_count > 0 && born > BIRTHS_MIN + world->kinds.count / CHANGE_PART;
    if (new_kinds || mix_changed(stats)) { make_outlook(world, fleet); }
}

void demand_stats_count(struct world *world, struct fleet *fleet, const struct ask *ask, const struct search *search, uint32_t count)
{
    struct demand_stats *stats = demand_stats_of(world, fleet);
    if (stats->fixed || count == 0) { return; }
    struct outlook_shape shape = shape_of(ask);
    shape.requirement = search == NULL ? 0 : requirement_of(stats, search->demand);
    stats->shapes[place_of(stats, &shape)].count += count;
    stats->total += count;
    stats->counted += count;
    if (stats->total > TOTAL_MAX) { halve(stats); }
    if (stats->counted >= stats->look_at) { look_again(world, fleet); }
}

void sched_set_usual(struct world *world, int64_t cluster, const struct demand *demands, const uint32_t *counts, size_t count)
{
    struct fleet *fleet = fleet_find(world, cluster);
    if (fleet == NULL) { return; }
    demand_stats_finish(world, fleet);
    struct demand_stats *stats = demand_stats_of(world, fleet);
    for (size_t d = 0; d < count; d++) {
        struct need need = need_of(&demands[d]);
        struct outlook_shape shape = shape_of(&need.ask);
        shape.requirement = requirement_of(stats, &demands[d]);
        stats->shapes[place_of(stats, &shape)].count += counts[d];
        stats->total += counts[d];
    }
    stats->fixed = true;
    make_outlook(world, fleet);
}
