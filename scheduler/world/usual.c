/* usual.c: see usual.h. */
#include "scheduler/world/usual.h"

#include "base/num.h"
#include "scheduler/ask/expression.h"
#include "scheduler/place/search.h"

enum {
    LOOK_FIRST = 64, LOOK_MOST = 8192,       /* tasks between two looks at the mix: half as many again each time, at most so many */
    TOTAL_MAX = 1 << 15,                     /* counts are halved when they add up to more */
    CHANGE_PART = 8,                         /* the mix has changed when more than one task in so many is of another shape */
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

static void requirement_copy(struct usual *usual, const struct demand *demand, struct requirement *to)
{
    *to = (struct requirement){ .attributes = ARENA_NEW(&usual->arena, struct sched_attribute, demand->attribute_count) };
    to->expressions = (const struct expression **)arena_alloc(&usual->arena, demand->expression_count, sizeof *to->expressions);
    for (; to->attribute_count < demand->attribute_count; to->attribute_count++) {
        const struct sched_attribute *from = &demand->attributes[to->attribute_count];
        to->attributes[to->attribute_count] = (struct sched_attribute){ arena_str(&usual->arena, from->name), arena_str(&usual->arena, from->value) };
    }
    for (size_t e = 0; e < demand->expression_count; e++) {
        if (!demand->expressions[e]->attributes_only) { continue; }
        struct err err = { 0 };
        to->expressions[to->expression_count] = expression_compile(arena_str(&usual->arena, demand->expressions[e]->text), &usual->arena, &err);
        ASSERT(to->expressions[to->expression_count] != NULL);   /* it was compiled before */
        to->expression_count++;
    }
}

/* Its number from 1; 0 when nothing is required, or when there are too many: then it counts as if any instance would do. */
static uint32_t requirement_of(struct usual *usual, const struct demand *demand)
{
    bool asks = demand->attribute_count > 0;
    for (size_t e = 0; e < demand->expression_count; e++) { asks |= demand->expressions[e]->attributes_only; }
    if (!asks) { return 0; }
    for (uint32_t r = 0; r < usual->requirement_count; r++) {
        if (requirement_is(&usual->requirements[r], demand)) { return r + 1; }
    }
    if (usual->requirement_count == USUAL_REQUIREMENTS_MAX) { return 0; }
    requirement_copy(usual, demand, &usual->requirements[usual->requirement_count]);
    return ++usual->requirement_count;
}

static bool kind_meets(const struct world *world, uint32_t kind, const struct requirement *requirement)
{
    for (size_t a = 0; a < requirement->attribute_count; a++) {
        const struct sched_attribute *wants = &requirement->attributes[a];
        const struct kind_attribute *has = kind_attribute(world, kind, texts_find(&world->texts, wants->name));
        if (has == NULL || (str_is_set(wants->value) && !str_eq(texts_str(&world->texts, has->value), wants->value))) { return false; }
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
    return outlook_stake(fleet->usual->outlook, &machine);
}

/* Costs of other instances have changed too: their ranks are looked at again. */
static void touch_concerned(struct fleet *fleet)
{
    for (uint32_t row = 0; row < fleet->count; row++) {
        if (outlook_concerns(fleet->usual->outlook, &fleet->rows[row].stake)) { fleet_touch(fleet, row); }
    }
}

void usual_row_changed(struct world *world, struct fleet *fleet, uint32_t number)
{
    struct usual *usual = fleet->usual;
    if (usual == NULL) { return; }
    struct row *row = &fleet->rows[number];
    struct outlook_stake was = row->stake;
    row->stake = row_stake(world, fleet, number);
    if (outlook_exchange(usual->outlook, &was, &row->stake)) { touch_concerned(fleet); }
}

static void make_outlook(struct world *world, struct fleet *fleet)
{
    struct usual *usual = fleet->usual;
    arena_reset(&usual->outlook_arena);
    uint32_t kinds = world->kinds.count;
    uint8_t *fits = ARENA_NEW(&usual->outlook_arena, uint8_t, (size_t)kinds * usual->requirement_count + 1);
    for (uint32_t r = 0; r < usual->requirement_count; r++) {
        for (uint32_t k = 0; k < kinds; k++) { fits[(size_t)r * kinds + k] = kind_at(world, k)->refs > 0 && kind_meets(world, k, &usual->requirements[r]); }
    }
    const struct outlook_history history = {
        .shapes = usual->shapes, .shape_count = usual->shape_count, .fits = fits, .requirement_count = usual->requirement_count, .kind_count = kinds,
    };
    usual->outlook = outlook_build(&usual->outlook_arena, &history);
    usual->version++;
    usual->births = world->kind_births;
    usual->asked_total = usual->total;
    for (uint32_t s = 0; s < usual->shape_count; s++) { usual->asked_for[s] = usual->shapes[s].count; }
    for (uint32_t row = 0; row < fleet->count; row++) {
        fleet->rows[row].stake = row_stake(world, fleet, row);
        outlook_add(usual->outlook, &fleet->rows[row].stake);
    }
    outlook_settle(usual->outlook);
}

struct usual *usual_of(struct world *world, struct fleet *fleet)
{
    if (fleet->usual != NULL) { return fleet->usual; }
    struct usual *usual = fleet->usual = pool_take(&world->pool, sizeof *usual);
    *usual = (struct usual){ .look_at = LOOK_FIRST };
    arena_init(&usual->arena, ARENA_MAX);
    arena_init(&usual->outlook_arena, ARENA_MAX);
    usual->requirements = ARENA_NEW(&usual->arena, struct requirement, USUAL_REQUIREMENTS_MAX);
    make_outlook(world, fleet);
    return usual;
}

void usual_begin_trial(struct world *world, struct fleet *fleet)
{
    struct usual *usual = usual_of(world, fleet);
    ASSERT(usual->levels == NULL);
    usual->level_count = usual->outlook->kind_count + 1;
    usual->levels = pool_take(&world->pool, usual->level_count * sizeof *usual->levels);
    outlook_keep_levels(usual->outlook, usual->levels);
}

void usual_end_trial(struct world *world, struct fleet *fleet, bool taken_back)
{
    struct usual *usual = fleet->usual;
    ASSERT(usual->levels != NULL);
    if (taken_back && outlook_set_levels(usual->outlook, usual->levels)) { touch_concerned(fleet); }
    pool_give(&world->pool, usual->levels, usual->level_count * sizeof *usual->levels);
    usual->levels = NULL;
}

void usual_finish(struct world *world, struct fleet *fleet)
{
    if (fleet->usual == NULL) { return; }
    arena_finish(&fleet->usual->arena);
    arena_finish(&fleet->usual->outlook_arena);
    pool_give(&world->pool, fleet->usual, sizeof *fleet->usual);
    fleet->usual = NULL;
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
        } else if (part->share > shape.share) {                  /* of several shares the largest stands for all */
            shape.devices = 1;
            shape.share = part->share;
        }
    }
    if (shape.share == 0) { shape.devices = 0; }
    return shape;
}

static void halve(struct usual *usual)
{
    usual->total = 0;
    for (uint32_t s = 0; s < usual->shape_count; s++) { usual->total += usual->shapes[s].count /= 2; }
}

/* The place of a shape: the one it has, a new one, or that of the one that is asked for least. */
static uint32_t place_of(struct usual *usual, const struct outlook_shape *shape)
{
    uint32_t least = 0;
    for (uint32_t s = 0; s < usual->shape_count; s++) {
        const struct outlook_shape *has = &usual->shapes[s];
        if (has->cpu == shape->cpu && has->memory == shape->memory && has->devices == shape->devices && has->share == shape->share
            && has->requirement == shape->requirement) {
            return s;
        }
        if (has->count < usual->shapes[least].count) { least = s; }
    }
    if (usual->shape_count < USUAL_SHAPES_MAX) { least = usual->shape_count++; }
    usual->total -= usual->shapes[least].count;
    usual->shapes[least] = *shape;
    usual->asked_for[least] = 0;
    return least;
}

static bool mix_changed(const struct usual *usual)
{
    if (usual->asked_total == 0) { return usual->total > 0; }
    double apart = 0;
    for (uint32_t s = 0; s < usual->shape_count; s++) {
        double now = (double)usual->shapes[s].count / usual->total, then = (double)usual->asked_for[s] / usual->asked_total;
        apart += now > then ? now - then : 0;
    }
    return apart * CHANGE_PART > 1;
}

static void look_again(struct world *world, struct fleet *fleet)
{
    struct usual *usual = fleet->usual;
    usual->look_at = usual->counted + (uint64_t)max_i64(LOOK_FIRST, min_i64((int64_t)usual->counted / 2, LOOK_MOST));
    uint32_t born = world->kind_births - usual->births;
    bool new_kinds = usual->requirement_count > 0 && born > BIRTHS_MIN + world->kinds.count / CHANGE_PART;
    if (new_kinds || mix_changed(usual)) { make_outlook(world, fleet); }
}

void usual_count(struct world *world, struct fleet *fleet, const struct ask *ask, const struct search *search, uint32_t count)
{
    struct usual *usual = usual_of(world, fleet);
    if (usual->fixed || count == 0) { return; }
    struct outlook_shape shape = shape_of(ask);
    shape.requirement = search == NULL ? 0 : requirement_of(usual, search->demand);
    usual->shapes[place_of(usual, &shape)].count += count;
    usual->total += count;
    usual->counted += count;
    if (usual->total > TOTAL_MAX) { halve(usual); }
    if (usual->counted >= usual->look_at) { look_again(world, fleet); }
}

void sched_set_usual(struct world *world, int64_t cluster, const struct demand *demands, const uint32_t *counts, size_t count)
{
    struct fleet *fleet = fleet_find(world, cluster);
    if (fleet == NULL) { return; }
    usual_finish(world, fleet);
    struct usual *usual = usual_of(world, fleet);
    for (size_t d = 0; d < count; d++) {
        struct need need = need_of(&demands[d]);
        struct outlook_shape shape = shape_of(&need.ask);
        shape.requirement = requirement_of(usual, &demands[d]);
        usual->shapes[place_of(usual, &shape)].count += counts[d];
        usual->total += counts[d];
    }
    usual->fixed = true;
    make_outlook(world, fleet);
}
