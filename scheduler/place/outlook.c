/* outlook.c: which shapes are typical, the two measures, and the table that remembers them. */
#include "scheduler/place/outlook.h"

#include "base/num.h"

/* ---- the memo: exact keys, one place each, the newer wins ---- */
enum { MEMO_BITS = 14, MEMO_PARTS = 8, PART_BITS = 10 };         /* states with more devices in part are measured again */

struct memo_key { uint64_t words[3]; };                          /* kind and cores; six parts; two parts, whole devices, how many parts */
struct memo_place { struct memo_key key; struct outlook_measure measure; };   /* all zero: unused, and no device free */
struct outlook_memo { struct memo_place places[1 << MEMO_BITS]; };

static struct memo_key memo_key(const struct outlook_state *state)
{
    ASSERT(state->part_count <= MEMO_PARTS);
    struct memo_key key = { { (uint64_t)state->kind << 32 | (uint32_t)state->cpu, 0, state->whole << 4 | state->part_count } };
    for (uint32_t p = 0; p < state->part_count; p++) {
        uint64_t *word = &key.words[p < 6 ? 1 : 2];
        *word = *word << PART_BITS | (uint64_t)state->parts[p];
    }
    return key;
}

static uint32_t memo_hash(const struct memo_key *key)
{
    uint64_t hash = key->words[0] * 0x9E3779B97F4A7C15u ^ key->words[1] * 0xC2B2AE3D27D4EB4Fu ^ key->words[2] * 0x165667B19E3779F9u;
    hash ^= hash >> 29;
    return (uint32_t)((hash * 0xBF58476D1CE4E5B9u) >> (64 - MEMO_BITS));
}

static bool memo_same(const struct memo_key *a, const struct memo_key *b)
{
    return ((a->words[0] ^ b->words[0]) | (a->words[1] ^ b->words[1]) | (a->words[2] ^ b->words[2])) == 0;
}

/* ---- measuring ---- */
/* Per distinct size: devices that are big enough, the free thousandths of those that are not, pieces that can be cut. */
struct size_fit { int32_t devices, small, pieces; };

/* How often a share goes into a part of a device. What rounding the reciprocal up adds is less than 1000 / 2^20, which is less
 * than what is missing to the next whole number, at least 1 / share: exact for all shares and parts up to a whole device. */
enum { RECIPROCAL_BITS = 20 };
static uint32_t reciprocal_of(int32_t share) { return (1u << RECIPROCAL_BITS) / (uint32_t)share + 1; }
static int32_t  pieces_of(int32_t part, uint32_t reciprocal) { return (int32_t)((uint32_t)part * reciprocal >> RECIPROCAL_BITS); }
_Static_assert((uint64_t)DEVICE_WHOLE * ((1u << RECIPROCAL_BITS) + 1) <= UINT32_MAX, "a part times the largest reciprocal fits");

static void fit_sizes(const struct outlook *outlook, const struct outlook_state *state, struct size_fit fits[TYPICAL_MAX])
{
    for (uint32_t s = 0; s < outlook->size_count; s++) {
        int32_t share = outlook->sizes[s];
        struct size_fit fit = { .devices = (int32_t)state->whole, .pieces = (int32_t)state->whole * (DEVICE_WHOLE / share) };
        for (uint32_t p = 0; p < state->part_count; p++) {
            int32_t part = state->parts[p];
            fit.devices += part >= share;
            fit.small += part >= share ? 0 : part;
            fit.pieces += pieces_of(part, outlook->reciprocals[s]);
        }
        fits[s] = fit;
    }
}

static const uint8_t *outlook_runs(const struct outlook *outlook, uint32_t kind)
{
    return outlook->runs + (size_t)(kind < outlook->kind_count ? kind : outlook->kind_count) * outlook->typical_count;
}

static struct outlook_measure measure_anew(const struct outlook *outlook, const struct outlook_state *state)
{
    struct size_fit fits[TYPICAL_MAX] SCRATCH;
    fit_sizes(outlook, state, fits);
    const uint8_t *runs = outlook_runs(outlook, state->kind);
    int64_t all = outlook_free(state);
    struct outlook_measure measure = { 0 };
    for (uint32_t t = 0; t < outlook->typical_count; t++) {
        const struct typical *typical = &outlook->typical[t];
        const struct size_fit *fit = &fits[typical->size];
        if (typical->devices == 0 || !runs[t] || typical->cpu > state->cpu || typical->devices > fit->devices) {
            measure.fragments += typical->count * all;
            measure.unfillable += typical->count * all;
            continue;
        }
        int32_t copies = typical->devices == 1 ? fit->pieces : fit->devices / typical->devices;
        if ((int64_t)copies * typical->cpu > state->cpu) { copies = state->cpu / typical->cpu; }
        measure.fragments += typical->count * fit->small;
        measure.unfillable += typical->count * (all - (int64_t)copies * typical->devices * typical->share);
    }
    return measure;
}

struct outlook_measure outlook_measure(const struct outlook *outlook, const struct outlook_state *state)
{
    if (state->whole + state->part_count == 0) { return (struct outlook_measure){ 0, 0 }; }
    if (state->part_count > MEMO_PARTS) { return measure_anew(outlook, state); }
    struct memo_key key = memo_key(state);
    struct memo_place *place = &outlook->memo->places[memo_hash(&key)];
    if (!memo_same(&place->key, &key)) { *place = (struct memo_place){ key, measure_anew(outlook, state) }; }
    return place->measure;
}

/* ---- states ---- */
struct outlook_state outlook_state(const struct machine *machine)
{
    struct outlook_state state SCRATCH;
    state.kind = machine->kind;
    state.cpu = machine->cpu_free;
    state.memory = machine->memory_free;
    state.whole = state.part_count = 0;
    for (uint32_t slot = 0; slot < machine->rig->count; slot++) {
        int16_t free = machine->device_free[slot];
        if (free <= 0 || machine->rig->partitions >> slot & 1) { continue; }
        if (free >= DEVICE_WHOLE) {
            state.whole++;
            continue;
        }
        uint32_t at = state.part_count++;
        for (; at > 0 && state.parts[at - 1] > free; at--) { state.parts[at] = state.parts[at - 1]; }
        state.parts[at] = free;
    }
    ASSERT(state.whole + state.part_count <= machine->rig->count);
    return state;
}

void outlook_take_share(struct outlook_state *state, int32_t free, int32_t share)
{
    ASSERT(share > 0 && share <= free);
    uint32_t at = 0;
    if (free >= DEVICE_WHOLE) {
        ASSERT(state->whole > 0);
        state->whole--;
        at = state->part_count++;
    } else {
        while (state->parts[at] != free) { at++; ASSERT(at < state->part_count); }
    }
    int16_t left = (int16_t)(free - share);
    for (; at > 0 && state->parts[at - 1] > left; at--) { state->parts[at] = state->parts[at - 1]; }
    state->parts[at] = left;
    if (left == 0) {                                             /* used up: it is the first */
        state->part_count--;
        memmove(state->parts, state->parts + 1, state->part_count * sizeof *state->parts);
    }
}

int64_t outlook_free(const struct outlook_state *state)
{
    int64_t all = (int64_t)state->whole * DEVICE_WHOLE;
    for (uint32_t p = 0; p < state->part_count; p++) { all += state->parts[p]; }
    return all;
}

/* ---- the cluster's sums ---- */
static uint32_t kind_row(const struct outlook *outlook, uint32_t kind) { return kind < outlook->kind_count ? kind : outlook->kind_count; }

uint32_t outlook_hosts(const struct outlook *outlook, const struct outlook_state *state)
{
    uint32_t hosts = 0;
    for (uint32_t g = 0; g < outlook->guarded_count; g++) {
        const struct guarded *guarded = &outlook->guarded[g];
        bool fits = guarded->cpu <= state->cpu && guarded->memory <= state->memory && guarded->devices <= (int32_t)state->whole;
        hosts |= (uint32_t)fits << g;
    }
    return hosts & outlook->kinds[kind_row(outlook, state->kind)].guards;
}

struct outlook_stake outlook_stake(const struct outlook *outlook, const struct machine *machine)
{
    struct outlook_state state = outlook_state(machine);
    return (struct outlook_stake){ kind_row(outlook, machine->kind), outlook_hosts(outlook, &state), outlook_free(&state) };
}

static void stake_count(struct outlook *outlook, const struct outlook_stake *stake, int64_t sign)
{
    ASSERT(stake->kind <= outlook->kind_count && stake->free >= 0);
    int64_t free = sign * stake->free;
    outlook->free += free;
    outlook->kinds[stake->kind].free += free;
    ASSERT(outlook->free >= 0 && outlook->kinds[stake->kind].free >= 0);     /* nothing is taken off that was not added */
    for (uint32_t r = 0; free != 0 && stake->kind < outlook->kind_count && r < outlook->requirement_count; r++) {
        outlook->requirements[r].room += outlook->fits[(size_t)r * outlook->kind_count + stake->kind] ? free : 0;
    }
    for (uint32_t left = stake->hosts; left != 0; left &= left - 1) {
        uint32_t *hosts = &outlook->hosts[__builtin_ctz(left)];
        ASSERT(sign > 0 || *hosts > 0);
        *hosts += (uint32_t)sign;
    }
}

/* Until all that is free is taken, n tasks of the shape are expected. Chance may bring some 2 sqrt(n) more. Counted in 256ths. */
static bool guarded_is_scarce(const struct outlook *outlook, uint32_t g)
{
    int64_t expected = (outlook->guarded[g].rate * outlook->free) >> 24;
    int64_t spare = ((int64_t)outlook->hosts[g] - GUARD_HOSTS) * 256 - expected;
    return spare <= 0 || spare * spare <= 4 * 256 * expected;
}

/* The demand that names a kind is set against what it has free; where other kinds will do as well, against that of all of them. A
 * level changes half a step late, so that it does not flutter. */
static uint32_t kind_tightness(const struct outlook *outlook, uint32_t kind)
{
    int64_t pressure = 0, step = 65536 / TIGHT_STEPS, level = outlook->kinds[kind].tight;
    for (uint32_t r = 0; r < outlook->requirement_count; r++) {
        pressure += outlook->fits[(size_t)r * outlook->kind_count + kind] ? outlook->requirements[r].pressure : 0;
    }
    if (pressure >= level * step - step / 2 && (level == TIGHT_MAX || pressure < (level + 1) * step + step / 2)) { return (uint32_t)level; }
    return (uint32_t)min_i64(pressure / step, TIGHT_MAX);
}

static bool settle_kinds(struct outlook *outlook)
{
    bool changed = false;
    for (uint32_t r = 0; r < outlook->requirement_count; r++) {
        struct outlook_requirement *requirement = &outlook->requirements[r];
        ASSERT(requirement->room >= 0 && requirement->room <= outlook->free);
        requirement->pressure = requirement->part * outlook->free / (requirement->room + 1);
    }
    for (uint32_t kind = 0; outlook->requirement_count > 0 && kind < outlook->kind_count; kind++) {
        uint32_t tight = kind_tightness(outlook, kind);
        ASSERT(tight <= TIGHT_MAX);
        outlook->kind_changed[kind] = tight != outlook->kinds[kind].tight;
        outlook->kinds[kind].tight = tight;
        changed |= outlook->kind_changed[kind] != 0;
    }
    return changed;
}

bool outlook_settle(struct outlook *outlook)
{
    uint32_t scarce = 0;
    for (uint32_t g = 0; g < outlook->guarded_count; g++) { scarce |= (uint32_t)guarded_is_scarce(outlook, g) << g; }
    outlook->scarce_changed = outlook->scarce ^ scarce;
    outlook->scarce = scarce;
    bool changed = settle_kinds(outlook);
    return changed || outlook->scarce_changed != 0;
}

void outlook_add(struct outlook *outlook, const struct outlook_stake *stake) { stake_count(outlook, stake, 1); }

bool outlook_exchange(struct outlook *outlook, const struct outlook_stake *was, const struct outlook_stake *now)
{
    if (was->kind == now->kind && was->hosts == now->hosts && was->free == now->free) { return false; }
    stake_count(outlook, was, -1);
    stake_count(outlook, now, 1);
    return outlook_settle(outlook);
}

bool outlook_concerns(const struct outlook *outlook, const struct outlook_stake *stake)
{
    return (stake->hosts & outlook->scarce_changed) != 0 || outlook->kind_changed[stake->kind] != 0;
}

void outlook_keep_levels(const struct outlook *outlook, uint32_t *levels)
{
    for (uint32_t kind = 0; kind < outlook->kind_count; kind++) { levels[kind] = outlook->kinds[kind].tight; }
}

bool outlook_set_levels(struct outlook *outlook, const uint32_t *levels)
{
    bool changed = false;
    outlook->scarce_changed = 0;
    for (uint32_t kind = 0; kind < outlook->kind_count; kind++) {
        outlook->kind_changed[kind] = outlook->kinds[kind].tight != levels[kind];
        outlook->kinds[kind].tight = levels[kind];
        changed |= outlook->kind_changed[kind] != 0;
    }
    return changed;
}

/* ---- building ---- */
/* Nothing is known yet: whole devices, big sets seldom. A core each, so that cores count at all. */
static const struct outlook_shape prior[] = {
    { .cpu = 1024, .devices = 1, .share = DEVICE_WHOLE, .count = 8 }, { .cpu = 2048, .devices = 2, .share = DEVICE_WHOLE, .count = 4 },
    { .cpu = 4096, .devices = 4, .share = DEVICE_WHOLE, .count = 2 }, { .cpu = 8192, .devices = 8, .share = DEVICE_WHOLE, .count = 1 },
};

static bool same_typical(const struct typical *typical, const struct outlook_shape *shape)
{
    return typical->cpu == shape->cpu && typical->devices == shape->devices && typical->share == shape->share &&
           typical->requirement == shape->requirement;
}

/* More frequent; of equals that which asks for more cores, more of a device, more devices. */
static bool before(const struct typical *a, const struct typical *b)
{
    if (a->count != b->count) { return a->count > b->count; }
    if (a->cpu != b->cpu) { return a->cpu > b->cpu; }
    if (a->share != b->share) { return a->share > b->share; }
    if (a->devices != b->devices) { return a->devices > b->devices; }
    return a->requirement < b->requirement;
}

/* Shapes that differ in memory alone are one. Returns how many there are in `all`. */
static size_t merge_shapes(const struct outlook_history *history, struct typical *all)
{
    size_t count = 0;
    for (size_t s = 0; s < history->shape_count; s++) {
        const struct outlook_shape *shape = &history->shapes[s];
        ASSERT(shape->requirement <= history->requirement_count);
        size_t at = 0;
        while (at < count && !same_typical(&all[at], shape)) { at++; }
        if (at == count) {
            bool shares = shape->devices > 0;
            all[count++] = (struct typical){ .cpu = shape->cpu, .devices = shape->devices, .share = shares ? shape->share : 0,
                                             .requirement = shape->requirement };
        }
        all[at].count += shape->count;
    }
    return count;
}

static void choose_typical(struct outlook *outlook, const struct outlook_history *history, struct arena *arena)
{
    struct typical *all = ARENA_NEW(arena, struct typical, history->shape_count);
    size_t count = merge_shapes(history, all);
    int64_t tasks = 0;
    for (size_t s = 0; s < count; s++) { tasks += all[s].count; }
    while (outlook->typical_count < TYPICAL_MAX && outlook->typical_count < count && outlook->weight * 100 < tasks * TYPICAL_PERCENT) {
        uint32_t next = outlook->typical_count;
        for (size_t s = next + 1; s < count; s++) {
            if (!before(&all[s], &all[next])) { continue; }
            struct typical better = all[s];
            all[s] = all[next];
            all[next] = better;
        }
        outlook->typical[outlook->typical_count++] = all[next];
        outlook->weight += all[next].count;
    }
}

static void add_size(struct outlook *outlook, int32_t share)
{
    ASSERT(share > 0 && share <= DEVICE_WHOLE && outlook->size_count < TYPICAL_MAX);
    outlook->reciprocals[outlook->size_count] = reciprocal_of(share);
    outlook->sizes[outlook->size_count++] = share;
}

static void number_sizes(struct outlook *outlook)
{
    for (uint32_t t = 0; t < outlook->typical_count; t++) {
        struct typical *typical = &outlook->typical[t];
        uint32_t size = 0;
        while (size < outlook->size_count && outlook->sizes[size] != typical->share) { size++; }
        if (typical->devices == 0) { continue; }
        if (size == outlook->size_count) { add_size(outlook, typical->share); }
        typical->size = size;
    }
}

static bool kind_fits(const struct outlook_history *history, uint32_t requirement, uint32_t kind)
{
    if (requirement == 0) { return true; }
    return kind < history->kind_count && history->fits[(size_t)(requirement - 1) * history->kind_count + kind] != 0;
}

/* Shapes of several whole devices; of too many, those that ask for most devices in all. */
static void choose_guarded(struct outlook *outlook, const struct outlook_history *history)
{
    int64_t asks[GUARDED_MAX];
    for (size_t s = 0; s < history->shape_count; s++) {
        const struct outlook_shape *shape = &history->shapes[s];
        if (shape->devices < 2) { continue; }
        int64_t ask = (int64_t)shape->devices * shape->count;
        uint32_t at = outlook->guarded_count < GUARDED_MAX ? outlook->guarded_count++ : GUARDED_MAX;
        for (; at > 0 && asks[at - 1] < ask; at--) {
            if (at < GUARDED_MAX) { asks[at] = asks[at - 1]; outlook->guarded[at] = outlook->guarded[at - 1]; }
        }
        if (at == GUARDED_MAX) { continue; }
        asks[at] = ask;
        outlook->guarded[at] = (struct guarded){ shape->cpu, shape->memory, shape->devices, shape->requirement, 0 };
    }
}

/* A task that asks for more needs a machine that could host this shape too. */
static void rate_guarded(const struct outlook_history *history, int64_t demand, struct guarded *guarded)
{
    int64_t count = 0;
    for (size_t s = 0; s < history->shape_count; s++) {
        const struct outlook_shape *shape = &history->shapes[s];
        bool more = shape->devices >= guarded->devices && shape->cpu >= guarded->cpu && shape->memory >= guarded->memory;
        bool may = guarded->requirement == 0 || guarded->requirement == shape->requirement;
        count += more && may ? shape->count : 0;
    }
    ASSERT(count >= 0 && count <= demand);                       /* each asks for devices itself */
    guarded->rate = demand == 0 ? 0 : (count << 32) / demand;
}

/* The sum of demand in the history: devices, the cores that come with them, and the parts that each requirement has in it. */
static void sum_demand(struct outlook *outlook, const struct outlook_history *history, struct arena *arena)
{
    outlook->fits = history->requirement_count == 0 ? NULL : arena_copy(arena, history->fits, (size_t)history->requirement_count * history->kind_count);
    outlook->requirement_count = history->requirement_count;
    outlook->requirements = ARENA_NEW(arena, struct outlook_requirement, history->requirement_count + 1);
    int64_t demand = 0, cpu = 0;
    for (size_t s = 0; s < history->shape_count; s++) {
        const struct outlook_shape *shape = &history->shapes[s];
        if (shape->devices == 0) { continue; }
        int64_t asks = (int64_t)shape->devices * shape->share * shape->count;
        demand += asks;
        cpu += (int64_t)shape->cpu * shape->count;
        if (shape->requirement > 0) { outlook->requirements[shape->requirement - 1].part += asks; }
    }
    if (demand == 0) { outlook->requirement_count = 0; }
    for (uint32_t r = 0; r < outlook->requirement_count; r++) { outlook->requirements[r].part = outlook->requirements[r].part * 65536 / demand; }
    for (uint32_t g = 0; g < outlook->guarded_count; g++) { rate_guarded(history, demand, &outlook->guarded[g]); }
    outlook->cpu_per_device = demand == 0 ? 0 : cpu * DEVICE_WHOLE / demand;
}

static void number_kinds(struct outlook *outlook, const struct outlook_history *history, struct arena *arena)
{
    uint32_t rows = history->kind_count + 1;
    uint8_t *runs = ARENA_NEW(arena, uint8_t, (size_t)rows * (outlook->typical_count + 1));
    struct outlook_kind *kinds = ARENA_NEW(arena, struct outlook_kind, rows);
    for (uint32_t kind = 0; kind < rows; kind++) {
        for (uint32_t t = 0; t < outlook->typical_count; t++) {
            runs[(size_t)kind * outlook->typical_count + t] = kind_fits(history, outlook->typical[t].requirement, kind);
        }
        for (uint32_t g = 0; g < outlook->guarded_count; g++) {
            kinds[kind].guards |= (uint32_t)kind_fits(history, outlook->guarded[g].requirement, kind) << g;
        }
    }
    outlook->kind_count = history->kind_count;
    outlook->runs = runs;
    outlook->kinds = kinds;
    outlook->kind_changed = ARENA_NEW(arena, uint8_t, rows);
}

static void price_sizes(struct outlook *outlook, const struct outlook_history *history)
{
    struct gpu_value_size sizes[DEVICE_WHOLE];
    int64_t counts[DEVICE_WHOLE] = { 0 };
    for (size_t s = 0; s < history->shape_count; s++) {
        const struct outlook_shape *shape = &history->shapes[s];
        if (shape->devices == 1 && shape->share < DEVICE_WHOLE) { counts[shape->share] += shape->count; }
    }
    size_t count = 0;
    for (int32_t share = 1; share < DEVICE_WHOLE; share++) {
        ASSERT(count < DEVICE_WHOLE);
        if (counts[share] > 0) { sizes[count++] = (struct gpu_value_size){ share, counts[share] }; }
    }
    gpu_value_solve(sizes, count, &outlook->value);
}

struct outlook *outlook_build(struct arena *arena, const struct outlook_history *history)
{
    struct outlook_history fallback = *history;
    int64_t tasks = 0;
    for (size_t s = 0; s < history->shape_count; s++) { tasks += history->shapes[s].count; }
    if (tasks == 0) {
        fallback.shapes = prior;
        fallback.shape_count = COUNT_OF(prior);
    }
    struct outlook *outlook = ARENA_NEW(arena, struct outlook, 1);
    outlook->memo = ARENA_NEW(arena, struct outlook_memo, 1);
    choose_typical(outlook, &fallback, arena);
    number_sizes(outlook);
    choose_guarded(outlook, &fallback);
    number_kinds(outlook, &fallback, arena);
    sum_demand(outlook, &fallback, arena);
    price_sizes(outlook, &fallback);
    ASSERT(outlook->typical_count > 0 && outlook->weight > 0);
    return outlook;
}
