/* needed.c: bins are machines, those that there are and new ones. A bin only gets fuller, so each shape goes through the bins once. */
#include "scheduler/capacity/needed.h"

#include <stdlib.h>

#include "base/num.h"
#include "scheduler/capacity/bin.h"
#include "scheduler/world/world.h"

enum { LOOK_AHEAD = 64 };                    /* shapes that a price for each task counts */

enum hope { HOPE_UNKNOWN, HOPE_NONE, HOPE_SOME };
struct shape {
    struct want want;
    size_t bin, new_bin;                     /* bins before these have no room for it */
    uint32_t rank;                           /* its place in the order */
    enum hope hope;                          /* no type holds it: a machine that there is could, once it is empty */
    int64_t left;                            /* tasks that new machines are looked for */
    uint32_t first, last;                    /* these tasks, linked by `next` in the order of the queue; NONE: there are none */
};
struct order { struct id task; uint32_t bin; };                  /* the machine was ordered for the task */
struct packing {
    const struct capacity_demand *demand;
    struct arena *arena;
    struct shape *shapes;
    uint32_t *order;                         /* of shapes, large ones first */
    struct rig *rigs;                        /* one a type */
    int64_t *left;                           /* of types */
    struct capacity_lack *lacks;
    struct capacity_place *places;
    uint32_t *next;                          /* of tasks */
    struct order *orders; size_t order_count;        /* by task */
    struct bin *bins; size_t bin_count;
    struct bin *news; size_t new_count, new_room;
};

/* ---- beginning ---- */

/* A new machine: its daemons come first. */
static void open_bare(const struct capacity_demand *demand, const struct instance_type *type, int64_t memory_mib, const struct rig *rig, uint32_t at,
                     struct bin *bin)
{
    bin_open(bin, type, memory_mib, rig, at);
    bin_reserve(bin, demand->daemon_cpu, demand->daemon_memory_mib);
}

static void open_empty(const struct packing *packing, uint32_t type, struct bin *bin)
{
    open_bare(packing->demand, packing->demand->types[type].type, packing->demand->types[type].memory_mib, &packing->rigs[type], type, bin);
}

static void read_shape(struct packing *packing, uint32_t s)
{
    struct shape *shape = &packing->shapes[s];
    *shape = (struct shape){ .want = want_of(&packing->demand->shapes[s]) };
    int fewest = INT32_MAX, lacks;
    packing->lacks[s] = (struct capacity_lack){ NOT_ACTIVE, 0, 0 };
    for (uint32_t t = 0; t < packing->demand->type_count; t++) {
        struct bin bin;
        open_empty(packing, t, &bin);
        enum verdict verdict = bin_lacks(&bin, &shape->want, &lacks);
        int64_t has = bin_has(&bin, verdict);
        if (lacks > fewest || (lacks == fewest && (verdict != packing->lacks[s].verdict || has <= packing->lacks[s].has))) { continue; }
        fewest = lacks;
        packing->lacks[s] = (struct capacity_lack){ verdict, t, has };
    }
}

enum { KEYS = 5 };
struct shape_key { int64_t keys[KEYS]; uint32_t shape; };

/* Large ones first; the number of the shape ends each tie. */
static int compare_keys(const void *a, const void *b)
{
    const struct shape_key *one = a, *other = b;
    for (size_t k = 0; k < KEYS; k++) {
        if (one->keys[k] != other->keys[k]) { return one->keys[k] > other->keys[k] ? -1 : 1; }
    }
    return one->shape < other->shape ? -1 : 1;
}

static void sort_shapes(struct packing *packing)
{
    size_t count = packing->demand->shape_count;
    struct shape_key *keys = ARENA_NEW(packing->arena, struct shape_key, count);
    for (uint32_t s = 0; s < count; s++) {
        const struct want *want = &packing->shapes[s].want;
        keys[s] = (struct shape_key){ { want->share, want->devices, want->device_mib, want->need.ask.memory, want->need.ask.cpu }, s };
    }
    if (count > 0) { qsort(keys, count, sizeof *keys, compare_keys); }
    for (uint32_t o = 0; o < count; o++) {
        packing->order[o] = keys[o].shape;
        packing->shapes[keys[o].shape].rank = o;
    }
}

/* A type that the group no longer has is as in the catalogue. */
static void open_on_order(const struct packing *packing, uint32_t m, struct bin *bin)
{
    const struct instance_type *type = packing->demand->machines[m].type;
    for (uint32_t t = 0; t < packing->demand->type_count; t++) {
        if (!str_eq(packing->demand->types[t].type->name, type->name)) { continue; }
        open_empty(packing, t, bin);
        bin->at = m;
        return;
    }
    struct rig *rig = ARENA_NEW(packing->arena, struct rig, 1);
    rig_of(type, rig);
    open_bare(packing->demand, type, 0, rig, m, bin);
}

/* Registered machines first, then those on order. */
static void open_bins(struct packing *packing)
{
    const struct capacity_demand *demand = packing->demand;
    for (uint32_t m = 0; m < demand->machine_count; m++) {
        const struct capacity_machine *machine = &demand->machines[m];
        if (machine->on_order || machine->room == NULL) { continue; }
        struct bin *bin = &packing->bins[packing->bin_count++];
        *bin = (struct bin){ .machine = *machine->room, .type = machine->type, .at = m, .busy = machine->busy };
        for (uint32_t slot = 0; slot < machine->room->rig->count; slot++) { bin->device_free[slot] = machine->room->device_free[slot]; }
    }
    for (uint32_t m = 0; m < demand->machine_count; m++) {
        if (demand->machines[m].on_order && demand->machines[m].type != NULL) { open_on_order(packing, m, &packing->bins[packing->bin_count++]); }
    }
}

static int compare_ids(struct id a, struct id b) { return memcmp(a.bytes, b.bytes, sizeof a.bytes); }

static int compare_orders(const void *a, const void *b)
{
    const struct order *one = a, *other = b;
    int order = compare_ids(one->task, other->task);
    return order != 0 ? order : one->bin < other->bin ? -1 : one->bin > other->bin;
}

static void read_orders(struct packing *packing)
{
    size_t room = 0;
    for (size_t b = 0; b < packing->bin_count; b++) { room += packing->demand->machines[packing->bins[b].at].for_count; }
    packing->orders = ARENA_NEW(packing->arena, struct order, room);
    for (uint32_t b = 0; b < packing->bin_count; b++) {
        const struct capacity_machine *machine = &packing->demand->machines[packing->bins[b].at];
        for (size_t t = 0; t < machine->for_count; t++) { packing->orders[packing->order_count++] = (struct order){ machine->for_tasks[t], b }; }
    }
    if (packing->order_count > 0) { qsort(packing->orders, packing->order_count, sizeof *packing->orders, compare_orders); }
}

/* ---- new machines ---- */

/* The tasks of `shape` that still fit, `most` at the most; the bin takes them. */
static int64_t fill_with(struct bin *bin, const struct shape *shape, int64_t most)
{
    int64_t count = 0;
    for (most = shape->want.alone ? min_i64(most, 1) : most; count < most && bin_fits(bin, &shape->want); count++) { bin_take(bin, &shape->want); }
    return count;
}

/* The best type for a new machine, and how many tasks of each shape some type would take: while that many are left, the next machine has the same type. */
struct favourite { bool known; uint32_t type; size_t count; uint32_t ranks[LOOK_AHEAD]; int64_t taken[LOOK_AHEAD]; };

static void look_ahead(const struct packing *packing, uint32_t from, uint32_t to, struct favourite *favourite)
{
    *favourite = (struct favourite){ 0 };
    for (uint32_t o = from; o < to && favourite->count < LOOK_AHEAD; o++) {
        if (packing->shapes[packing->order[o]].left > 0) { favourite->ranks[favourite->count++] = o; }
    }
}

/* How many of the tasks ahead fit on an empty machine of the type. */
static int64_t try_type(const struct packing *packing, uint32_t type, struct favourite *favourite)
{
    struct bin bin;
    int64_t all = 0;
    open_empty(packing, type, &bin);
    for (size_t n = 0; n < favourite->count; n++) {
        const struct shape *shape = &packing->shapes[packing->order[favourite->ranks[n]]];
        int64_t count = fill_with(&bin, shape, shape->left);
        if (n == 0 && count == 0) { return 0; }
        favourite->taken[n] = max_i64(favourite->taken[n], count);
        all += count;
    }
    return all;
}

static bool is_still_best(const struct packing *packing, uint32_t from, const struct favourite *favourite)
{
    if (!favourite->known || favourite->ranks[0] != from || packing->left[favourite->type] == 0) { return false; }
    for (size_t n = 0; n < favourite->count; n++) {
        if (packing->shapes[packing->order[favourite->ranks[n]]].left < favourite->taken[n]) { return false; }
    }
    return true;
}

static bool is_cheaper(const struct instance_type *a, int64_t a_tasks, const struct instance_type *b, int64_t b_tasks)
{
    if ((a->price == PRICE_UNKNOWN) != (b->price == PRICE_UNKNOWN)) { return b->price == PRICE_UNKNOWN; }
    int64_t left = a->price == PRICE_UNKNOWN ? 0 : a->price * b_tasks, right = b->price == PRICE_UNKNOWN ? 0 : b->price * a_tasks;
    if (left != right) { return left < right; }
    if (a->accelerators != b->accelerators) { return a->accelerators < b->accelerators; }
    return a->memory_mib != b->memory_mib ? a->memory_mib < b->memory_mib : str_cmp(a->name, b->name) < 0;
}

/* For tasks of the first shape, with those of the shapes before `to`. False: no available type holds it. */
static bool choose_type(const struct packing *packing, uint32_t from, uint32_t to, struct favourite *favourite)
{
    const struct capacity_type *types = packing->demand->types;
    int64_t best_tasks = 0;
    if (is_still_best(packing, from, favourite)) { return true; }
    look_ahead(packing, from, to, favourite);
    for (uint32_t t = 0; t < packing->demand->type_count; t++) {
        int64_t tasks = packing->left[t] <= 0 ? 0 : try_type(packing, t, favourite);
        if (tasks == 0 || (favourite->known && !is_cheaper(types[t].type, tasks, types[favourite->type].type, best_tasks))) { continue; }
        favourite->known = true;
        favourite->type = t;
        best_tasks = tasks;
    }
    return favourite->known;
}

static struct bin *open_new(struct packing *packing, uint32_t type)
{
    if (packing->new_count == packing->new_room) {
        size_t room = packing->new_room == 0 ? 16 : packing->new_room * 2;
        packing->news = arena_grow(packing->arena, packing->news, packing->new_room * sizeof *packing->news, room * sizeof *packing->news);
        packing->new_room = room;
    }
    open_empty(packing, type, &packing->news[packing->new_count]);
    packing->left[type]--;
    return &packing->news[packing->new_count++];
}

/* ---- tasks ---- */

static void place(struct packing *packing, uint32_t task, enum capacity_fate fate, size_t at)
{
    packing->places[task] = (struct capacity_place){ fate, (uint32_t)at };
}

static bool find_bin(const struct shape *shape, struct bin *bins, size_t count, size_t *at)
{
    while (*at < count && !bin_fits(&bins[*at], &shape->want)) { ++*at; }
    return *at < count;
}

/* The bin of the machine that was ordered for the task; NULL: there is none with room. */
static struct bin *ordered_bin(const struct packing *packing, uint32_t task)
{
    const struct capacity_task *wanted = &packing->demand->tasks[task];
    size_t from = 0, to = packing->order_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (compare_ids(packing->orders[middle].task, wanted->id) < 0) { from = middle + 1; } else { to = middle; }
    }
    if (from == packing->order_count || !id_eq(packing->orders[from].task, wanted->id)) { return NULL; }
    struct bin *bin = &packing->bins[packing->orders[from].bin];
    return bin_fits(bin, &packing->shapes[wanted->shape].want) ? bin : NULL;
}

static bool put_where_room_is(struct packing *packing, uint32_t task)
{
    struct shape *shape = &packing->shapes[packing->demand->tasks[task].shape];
    if (!find_bin(shape, packing->bins, packing->bin_count, &shape->bin)) { return false; }
    bin_take(&packing->bins[shape->bin], &shape->want);
    place(packing, task, FATE_MACHINE, packing->bins[shape->bin].at);
    shape->bin += shape->want.alone;
    return true;
}

/* Whether a machine that there is could hold one task of the shape if it were empty: the group may have others than its types. */
static bool could_hold(const struct packing *packing, const struct shape *shape)
{
    for (size_t b = 0; b < packing->bin_count; b++) {
        struct bin bin = packing->bins[b];
        bin_empty(&bin);
        if (bin_fits(&bin, &shape->want)) { return true; }
    }
    return false;
}

static void put_off(struct packing *packing, uint32_t task)
{
    uint32_t s = packing->demand->tasks[task].shape;
    struct shape *shape = &packing->shapes[s];
    packing->next[task] = NONE;
    if (packing->lacks[s].verdict != FITS) {
        if (shape->hope == HOPE_UNKNOWN) { shape->hope = could_hold(packing, shape) ? HOPE_SOME : HOPE_NONE; }
        place(packing, task, shape->hope == HOPE_SOME ? FATE_HELD : FATE_IMPOSSIBLE, 0);
        return;
    }
    place(packing, task, FATE_HELD, 0);
    *(shape->left++ == 0 ? &shape->first : &packing->next[shape->last]) = task;
    shape->last = task;
}

/* As many of the tasks that are left as fit on a new machine. */
static void fill_new(struct packing *packing, size_t at, uint32_t from)
{
    struct bin *bin = &packing->news[at];
    for (size_t o = from; o < packing->demand->shape_count; o++) {
        struct shape *shape = &packing->shapes[packing->order[o]];
        for (int64_t n = fill_with(bin, shape, shape->left); n > 0; n--) {
            place(packing, shape->first, FATE_NEW, at);
            shape->first = packing->next[shape->first];
            shape->left--;
        }
    }
}

static void pack_rest(struct packing *packing)
{
    struct favourite favourite = { 0 };
    uint32_t count = (uint32_t)packing->demand->shape_count;
    for (size_t n = 0; n < packing->new_count; n++) { fill_new(packing, n, 0); }         /* beside gangs */
    for (uint32_t o = 0; o < count; o++) {
        const struct shape *shape = &packing->shapes[packing->order[o]];
        while (shape->left > 0 && packing->new_count < CAPACITY_NEW_MAX && choose_type(packing, o, count, &favourite)) {
            open_new(packing, favourite.type);
            fill_new(packing, packing->new_count - 1, o);
        }
    }
}

/* ---- gangs ---- */

/* A bin before a task of a gang took its part. */
struct taken { struct bin *bins; size_t at; struct bin before; };
struct gang { struct packing *packing; struct shape *shape; uint32_t first, count; struct taken *taken; uint32_t taken_count; };

static void gang_take(struct gang *gang, bool is_new, size_t at)
{
    struct packing *packing = gang->packing;
    struct bin *bin = is_new ? &packing->news[at] : &packing->bins[at];
    gang->taken[gang->taken_count] = (struct taken){ is_new ? NULL : packing->bins, at, *bin };
    bin_take(bin, &gang->shape->want);
    place(packing, gang->first + gang->taken_count, is_new ? FATE_NEW : FATE_MACHINE, is_new ? at : bin->at);
    gang->taken_count++;
}

static void gang_give_back(struct gang *gang, size_t new_before)
{
    struct packing *packing = gang->packing;
    while (gang->taken_count > 0) {
        const struct taken *taken = &gang->taken[--gang->taken_count];
        *(taken->bins == NULL ? &packing->news[taken->at] : &packing->bins[taken->at]) = taken->before;
    }
    while (packing->new_count > new_before) { packing->left[packing->news[--packing->new_count].at]++; }
}

/* Whether all of it found room, with new machines as far as there can be some. */
static bool gang_fits(struct gang *gang, size_t new_most)
{
    struct packing *packing = gang->packing;
    struct shape *shape = gang->shape;
    struct favourite favourite = { 0 };
    size_t *const cursors[] = { &shape->bin, &shape->new_bin };
    for (uint32_t n = 0; n < gang->count; n++) {
        const struct bin *bin = ordered_bin(packing, gang->first + n);
        if (bin != NULL) { gang_take(gang, false, (size_t)(bin - packing->bins)); }
    }
    for (int is_new = 0; is_new < 2; is_new++) {
        struct bin *bins = is_new ? packing->news : packing->bins;
        size_t count = is_new ? packing->new_count : packing->bin_count;
        while (gang->taken_count < gang->count && find_bin(shape, bins, count, cursors[is_new])) {
            gang_take(gang, is_new == 1, *cursors[is_new]);
            *cursors[is_new] += shape->want.alone;
        }
    }
    for (shape->left = gang->count - gang->taken_count; shape->left > 0;) {
        if (packing->new_count >= new_most || !choose_type(packing, shape->rank, shape->rank + 1, &favourite)) { return false; }
        open_new(packing, favourite.type);
        if (shape->want.alone) { shape->new_bin = packing->new_count; }
        struct bin trial = packing->news[packing->new_count - 1];
        for (int64_t n = fill_with(&trial, shape, shape->left); n > 0; n--, shape->left--) { gang_take(gang, true, packing->new_count - 1); }
    }
    return true;
}

/* Whether the pool could ever hold it: with machines of the type that takes most of it. */
static bool gang_is_possible(const struct gang *gang)
{
    const struct packing *packing = gang->packing;
    int64_t most = 0;
    for (uint32_t t = 0; t < packing->demand->type_count; t++) {
        struct bin bin;
        open_empty(packing, t, &bin);
        most = max_i64(most, fill_with(&bin, gang->shape, gang->count));
    }
    return most > 0 && (gang->count + most - 1) / most <= packing->demand->size_max;
}

/* How many tasks the gang has that begins here; 1 for a task of no gang. */
static uint32_t gang_count(const struct capacity_demand *demand, uint32_t first)
{
    uint32_t count = 1;
    while (demand->tasks[first].gang != 0 && first + count < demand->task_count && demand->tasks[first + count].gang == demand->tasks[first].gang) { count++; }
    return count;
}

static void put_gang(struct packing *packing, uint32_t first, uint32_t count)
{
    const struct capacity_demand *demand = packing->demand;
    struct gang gang = { .packing = packing, .shape = &packing->shapes[demand->tasks[first].shape], .first = first, .count = count };
    gang.taken = ARENA_NEW(packing->arena, struct taken, gang.count);
    int64_t more = max_i64(demand->size_max - (int64_t)demand->machine_count, 0);
    size_t new_before = packing->new_count, bin = gang.shape->bin, new_bin = gang.shape->new_bin;
    int64_t left = gang.shape->left;
    if (!gang_fits(&gang, (size_t)min_i64(more, CAPACITY_NEW_MAX))) {
        gang_give_back(&gang, new_before);
        gang.shape->bin = bin;
        gang.shape->new_bin = new_bin;
        bool known = packing->lacks[demand->tasks[first].shape].verdict == FITS;
        enum capacity_fate fate = (known ? gang_is_possible(&gang) : could_hold(packing, gang.shape)) ? FATE_HELD : FATE_IMPOSSIBLE;
        for (uint32_t n = 0; n < gang.count; n++) { place(packing, first + n, fate, 0); }
    }
    gang.shape->left = left;
}

/* ---- the plan ---- */

/* New machines in the order of the queue; each with its tasks. */
static void list_new(struct packing *packing, struct capacity_plan *plan)
{
    const struct capacity_demand *demand = packing->demand;
    struct capacity_new *news = ARENA_NEW(packing->arena, struct capacity_new, packing->new_count);
    uint32_t *renamed = ARENA_NEW(packing->arena, uint32_t, packing->new_count);
    struct id **tasks = (struct id **)arena_alloc(packing->arena, packing->new_count, sizeof *tasks);
    size_t *counts = ARENA_NEW(packing->arena, size_t, packing->new_count);
    for (uint32_t t = 0; t < demand->task_count; t++) {
        if (packing->places[t].fate == FATE_NEW) { counts[packing->places[t].at]++; }
    }
    for (uint32_t t = 0; t < demand->task_count; t++) {
        struct capacity_place *at = &packing->places[t];
        if (at->fate != FATE_NEW) { continue; }
        if (tasks[at->at] == NULL) {
            tasks[at->at] = ARENA_NEW(packing->arena, struct id, counts[at->at]);
            renamed[at->at] = (uint32_t)plan->new_count;
            news[plan->new_count++] = (struct capacity_new){ packing->news[at->at].at, tasks[at->at], 0 };
        }
        tasks[at->at][news[renamed[at->at]].task_count++] = demand->tasks[t].id;
        at->at = renamed[at->at];
    }
    ASSERT(plan->new_count == packing->new_count);
    plan->news = news;
}

static void count_all(const struct packing *packing, struct capacity_plan *plan)
{
    const struct capacity_demand *demand = packing->demand;
    bool *reserved = ARENA_NEW(packing->arena, bool, demand->machine_count);
    for (size_t t = 0; t < demand->task_count; t++) {
        const struct capacity_place *at = &packing->places[t];
        if (at->fate == FATE_MACHINE) { reserved[at->at] = true; }
        plan->impossible += at->fate == FATE_IMPOSSIBLE;
        plan->held += at->fate == FATE_HELD;
    }
    for (size_t m = 0; m < demand->machine_count; m++) { plan->used += reserved[m] || demand->machines[m].busy; }
    plan->reserved = reserved;
}

static void begin(struct packing *packing, const struct capacity_demand *demand, struct arena *arena)
{
    *packing = (struct packing){
        .demand = demand, .arena = arena,
        .shapes = ARENA_NEW(arena, struct shape, demand->shape_count), .order = ARENA_NEW(arena, uint32_t, demand->shape_count),
        .rigs = ARENA_NEW(arena, struct rig, demand->type_count), .left = ARENA_NEW(arena, int64_t, demand->type_count),
        .lacks = ARENA_NEW(arena, struct capacity_lack, demand->shape_count), .places = ARENA_NEW(arena, struct capacity_place, demand->task_count),
        .next = ARENA_NEW(arena, uint32_t, demand->task_count), .bins = ARENA_NEW(arena, struct bin, demand->machine_count),
    };
    for (size_t t = 0; t < demand->type_count; t++) {
        rig_of(demand->types[t].type, &packing->rigs[t]);
        packing->left[t] = demand->types[t].left;
    }
    for (uint32_t s = 0; s < demand->shape_count; s++) { read_shape(packing, s); }
    sort_shapes(packing);
    open_bins(packing);
    read_orders(packing);
}

/* All tasks, those of large shapes first, as new machines are filled. */
static const uint32_t *large_first(const struct packing *packing)
{
    const struct capacity_demand *demand = packing->demand;
    uint32_t *tasks = ARENA_NEW(packing->arena, uint32_t, demand->task_count), *from = ARENA_NEW(packing->arena, uint32_t, demand->shape_count + 1);
    for (size_t t = 0; t < demand->task_count; t++) { from[packing->shapes[demand->tasks[t].shape].rank + 1]++; }
    for (size_t o = 1; o < demand->shape_count; o++) { from[o] += from[o - 1]; }
    for (uint32_t t = 0; t < demand->task_count; t++) { tasks[from[packing->shapes[demand->tasks[t].shape].rank]++] = t; }
    return tasks;
}

/* Tasks that machines were ordered for; then gangs with such a task, the others of which go where room is. */
static void put_ordered(struct packing *packing, bool *done)
{
    const struct capacity_demand *demand = packing->demand;
    const uint32_t *tasks = large_first(packing);
    for (size_t n = 0; n < demand->task_count; n++) {
        struct bin *bin = demand->tasks[tasks[n]].gang != 0 ? NULL : ordered_bin(packing, tasks[n]);
        if (bin == NULL) { continue; }
        bin_take(bin, &packing->shapes[demand->tasks[tasks[n]].shape].want);
        place(packing, tasks[n], FATE_MACHINE, bin->at);
        done[tasks[n]] = true;
    }
    for (uint32_t t = 0, count; t < demand->task_count; t += count) {
        struct bin *bin = NULL;
        count = gang_count(demand, t);
        for (uint32_t n = 0; n < count && bin == NULL && demand->tasks[t].gang != 0; n++) { bin = ordered_bin(packing, t + n); }
        if (bin == NULL) { continue; }
        for (uint32_t n = 0; n < count; n++) { done[t + n] = true; }
        put_gang(packing, t, count);
    }
}

struct capacity_plan capacity_plan(const struct capacity_demand *demand, struct arena *arena)
{
    struct packing packing;
    begin(&packing, demand, arena);
    bool *done = ARENA_NEW(arena, bool, demand->task_count);
    put_ordered(&packing, done);
    for (uint32_t t = 0, count; t < demand->task_count; t += count) {
        count = gang_count(demand, t);
        if (done[t]) { continue; }
        if (demand->tasks[t].gang != 0) {
            put_gang(&packing, t, count);
        } else if (!put_where_room_is(&packing, t)) {
            put_off(&packing, t);
        }
    }
    pack_rest(&packing);
    struct capacity_plan plan = { .places = packing.places, .lacks = packing.lacks };
    list_new(&packing, &plan);
    count_all(&packing, &plan);
    return plan;
}

size_t capacity_alternatives(const struct capacity_demand *demand, const struct capacity_plan *plan, size_t new_machine, uint32_t *types)
{
    size_t count = 0;
    for (uint32_t t = 0; t < demand->type_count; t++) {
        struct rig rig;
        struct bin bin;
        rig_of(demand->types[t].type, &rig);
        open_bare(demand, demand->types[t].type, demand->types[t].memory_mib, &rig, t, &bin);
        bool fits = demand->types[t].left > 0 && t != plan->news[new_machine].type;
        for (size_t n = 0; n < demand->task_count && fits; n++) {
            if (plan->places[n].fate != FATE_NEW || plan->places[n].at != new_machine) { continue; }
            const struct want want = want_of(&demand->shapes[demand->tasks[n].shape]);
            fits = bin_fits(&bin, &want);
            if (fits) { bin_take(&bin, &want); }
        }
        if (fits) { types[count++] = t; }
    }
    return count;
}

bool capacity_room(const struct world *world, struct id instance, struct machine *room)
{
    uint32_t number = instance_find(world, instance);
    if (number == NONE || !instance_at(world, number)->active) { return false; }
    *room = instance_machine(instance_at(world, number));
    return true;
}
