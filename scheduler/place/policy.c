/* policy.c: the table of policies. Berth's own is gpu-mix; the others are here because they were published or are in use, to be
 * compared with. Published formulas give points, highest first, and are kept to the digit: their cost is 100 less the points. */
#include "scheduler/place/policy.h"

#include <stddef.h>

#include "base/num.h"
#include "scheduler/place/gpu_pick.h"

/* ---- devices ---- */
static bool part_is_whole(const struct ask_part *part) { return part->share >= DEVICE_WHOLE; }

int32_t policy_device_takes(const struct rig *rig, uint32_t slot, const struct ask_part *part)
{
    int32_t memory = rig->memory_mib[slot];
    if (part->memory_mib > 0 && memory < part->memory_mib) { return 0; }
    if (rig->partitions >> slot & 1) { return part->memory_mib > 0 ? DEVICE_WHOLE : 0; }
    if (part_is_whole(part) || part->memory_mib == 0) { return part->share; }
    int64_t by_memory = ((int64_t)part->memory_mib * DEVICE_WHOLE + memory - 1) / memory;
    return (int32_t)max_i64(by_memory, part->share);
}

/* A machine's devices while an ask is tried on them. */
struct trial {
    const struct machine *machine;
    int64_t before, after;                                       /* free thousandths in all */
    bool is_only_cost;                                           /* no choice is asked for: of devices that are wholly free, the lowest */
    int16_t free[DEVICES_MAX];
};

static void trial_begin(struct trial *trial, const struct machine *machine, const struct choice *choice)
{
    trial->machine = machine;
    trial->is_only_cost = choice == NULL;
    trial->before = 0;
    for (uint32_t slot = 0; slot < machine->rig->count; slot++) {
        trial->free[slot] = machine->device_free[slot];
        trial->before += trial->free[slot];
    }
    ASSERT(trial->before >= 0 && trial->before <= (int64_t)machine->rig->count * DEVICE_WHOLE);
    trial->after = trial->before;
}

static void trial_take(struct trial *trial, uint64_t slots, int32_t takes)
{
    for (uint64_t left = slots; left != 0; left &= left - 1) {
        int16_t *free = &trial->free[__builtin_ctzll(left)];
        ASSERT(takes > 0 && takes <= *free);                     /* no device gives more than it has */
        *free -= (int16_t)takes;
        trial->after -= takes;
    }
    ASSERT(trial->after >= 0);
}

/* The whole devices that a part gets; 0: there are not enough. */
static uint64_t trial_whole(const struct trial *trial, const struct ask_part *part)
{
    const struct rig *rig = trial->machine->rig;
    uint64_t free_bits = 0;
    for (uint32_t slot = 0; slot < rig->count; slot++) {
        bool fits = trial->free[slot] >= DEVICE_WHOLE && policy_device_takes(rig, slot, part) > 0;
        free_bits |= (uint64_t)fits << slot;
    }
    uint32_t count = (uint32_t)bits_count(free_bits), wanted = part->devices < 0 ? rig->count : (uint32_t)part->devices;
    if (wanted == 0 || count < wanted) { return 0; }
    if (!trial->is_only_cost) { return gpu_pick_whole(rig, free_bits, wanted); }
    for (; count > wanted; count--) { free_bits &= ~((uint64_t)1 << (63 - __builtin_clzll(free_bits))); }
    ASSERT((uint32_t)bits_count(free_bits) == wanted);
    return free_bits;
}

/* The device with the least free that a share fits on; 0: none. */
static uint64_t trial_tightest(const struct trial *trial, const struct ask_part *part, int32_t *takes)
{
    int32_t least = 0;
    uint64_t tightest = 0;
    for (uint32_t slot = 0; slot < trial->machine->rig->count; slot++) {
        int32_t here = policy_device_takes(trial->machine->rig, slot, part), left = trial->free[slot] - here;
        if (here == 0 || left < 0 || (tightest != 0 && left >= least)) { continue; }
        tightest = (uint64_t)1 << slot;
        least = left;
        *takes = here;
    }
    return tightest;
}

/* The larger wish first: whole before shares, more before less. */
static bool is_larger(const struct ask_part *a, const struct ask_part *b)
{
    if (part_is_whole(a) != part_is_whole(b)) { return part_is_whole(a); }
    if (part_is_whole(a)) { return a->memory_mib != b->memory_mib ? a->memory_mib > b->memory_mib : a->devices > b->devices; }
    return a->share != b->share ? a->share > b->share : a->memory_mib > b->memory_mib;
}

/* The order in which the parts of an ask choose. */
static void parts_sort(const struct ask *ask, uint32_t order[DEMAND_CONTAINERS_MAX])
{
    ASSERT(ask->part_count <= DEMAND_CONTAINERS_MAX);
    for (uint32_t p = 0; p < ask->part_count; p++) {
        uint32_t at = p;
        for (; at > 0 && is_larger(&ask->parts[p], &ask->parts[order[at - 1]]); at--) { order[at] = order[at - 1]; }
        order[at] = p;
    }
}

/* Any device that a share fits on. A policy has no dice: the number comes from the amounts in use on the machine. */
static uint64_t trial_any(const struct trial *trial, const struct ask_part *part, int32_t *takes)
{
    const struct machine *machine = trial->machine;
    uint64_t fits = 0;
    for (uint32_t slot = 0; slot < machine->rig->count; slot++) {
        int32_t here = policy_device_takes(machine->rig, slot, part);
        fits |= (uint64_t)(here > 0 && here <= trial->free[slot]) << slot;
    }
    if (fits == 0) { return 0; }
    uint64_t chance = ((uint64_t)machine->cpu_free << 32 | (uint32_t)machine->memory_free) * 0x9E3779B97F4A7C15u >> 40;
    for (uint64_t skip = chance % (uint64_t)bits_count(fits); skip > 0; skip--) { fits &= fits - 1; }
    *takes = policy_device_takes(machine->rig, (uint32_t)__builtin_ctzll(fits), part);
    return fits & (~fits + 1);
}

/* Every part takes whole devices, or for a share the one that `pick` says. False: the devices can't take the ask. */
typedef uint64_t share_pick(const struct trial *trial, const struct ask_part *part, int32_t *takes);
static bool trial_fit_by(share_pick *pick, struct trial *trial, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    uint32_t order[DEMAND_CONTAINERS_MAX];
    trial_begin(trial, machine, choice);
    parts_sort(ask, order);
    for (uint32_t n = 0; n < ask->part_count; n++) {
        uint32_t p = order[n];
        const struct ask_part *part = &ask->parts[p];
        int32_t takes = DEVICE_WHOLE;
        uint64_t slots = 0;
        if (part->devices != 0) {
            slots = part_is_whole(part) ? trial_whole(trial, part) : pick(trial, part, &takes);
            if (slots == 0) { return false; }
            trial_take(trial, slots, takes);
        }
        if (choice != NULL) { choice->slots[p] = slots; }
    }
    return true;
}

static bool trial_fit(struct trial *trial, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    return trial_fit_by(trial_tightest, trial, machine, ask, choice);
}

static int32_t cost_clamp(int64_t cost) { return (int32_t)max_i64(0, min_i64(cost, COST_LIMIT - 1)); }

/* ---- policies that look at amounts ---- */
enum { CPU_UNIT = 128000, GPU_UNIT = 8000 };                     /* the published normalisers: 128 cores, 8 devices */

static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int32_t cost_best_fit(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    (void)outlook;
    struct trial trial SCRATCH;
    if (!trial_fit(&trial, machine, ask, choice)) { return COST_NONE; }
    int64_t left = machine->cpu_free - ask->cpu + trial.after * (CPU_UNIT / GPU_UNIT);
    return cost_clamp(divide_up(100 * left, 2 * CPU_UNIT));
}

static int32_t cost_dot_product(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    (void)outlook;
    struct trial trial SCRATCH;
    if (!trial_fit(&trial, machine, ask, choice)) { return COST_NONE; }
    int64_t ratio = CPU_UNIT / GPU_UNIT, cpu = (int64_t)machine->cpu_free * ask->cpu;
    int64_t gpu = trial.before * (trial.before - trial.after) * ratio * ratio;
    return cost_clamp(divide_up(100 * (cpu + gpu), (int64_t)2 * CPU_UNIT * CPU_UNIT));
}

/* A device in use first, then a free one on a machine in use, then a machine whose devices are all free. */
static int32_t cost_packing(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    (void)outlook;
    struct trial trial SCRATCH;
    if (!trial_fit(&trial, machine, ask, choice)) { return COST_NONE; }
    if (trial.before == trial.after) { return 100; }
    int64_t whole = 0, taken_whole = 0, taken_free = 0, count = machine->rig->count;
    for (uint32_t slot = 0; slot < machine->rig->count; slot++) {
        int32_t before = machine->device_free[slot];
        bool taken = trial.free[slot] != before;
        whole += before >= DEVICE_WHOLE;
        taken_whole += taken && before >= DEVICE_WHOLE;
        taken_free += taken ? before : 0;
    }
    if (whole == count) { return cost_clamp(100 - max_i64(33 - whole, whole)); }
    if (taken_whole > 0) { return cost_clamp(100 - max_i64(50 - taken_whole, 33)); }
    return cost_clamp(100 - max_i64(100 - taken_free / 100, 50));
}

static enum task_size ask_size(const struct trial *trial)
{
    uint32_t devices = 0;
    bool whole = false;
    for (uint32_t slot = 0; slot < trial->machine->rig->count; slot++) {
        int32_t before = trial->machine->device_free[slot];
        devices += trial->free[slot] != before;
        whole |= before - trial->free[slot] >= DEVICE_WHOLE;
    }
    return task_size_of(devices, whole);
}

/* Tasks of a size go together. */
static int32_t cost_clustering(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    (void)outlook;
    struct trial trial SCRATCH;
    if (!trial_fit(&trial, machine, ask, choice)) { return COST_NONE; }
    if (trial.before == trial.after) { return 100; }
    uint32_t others = 0, same = 0, size = ask_size(&trial);
    for (uint32_t s = 0; s < TASK_SIZE_COUNT; s++) { *(s == size ? &same : &others) += machine->size_tasks[s]; }
    int64_t company = same > 0 ? (others == 0 ? 75 : 50) : others == 0 ? 25 : 0;
    return cost_clamp(100 - company - max_i64(0, 25 * (GPU_UNIT - trial.before) / GPU_UNIT));
}

enum { FULL = 1 << 22 };                                         /* of one resource */
static int64_t part_used(int64_t total, int64_t free) { return total <= 0 ? 0 : (total - free) * FULL / total; }

static int64_t mean_used(const struct machine *machine, const struct ask *ask)
{
    return (part_used(machine->cpu, machine->cpu_free - ask->cpu) + part_used(machine->memory, machine->memory_free - ask->memory)) / 2;
}

static int32_t cost_least_allocated(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    (void)outlook;
    struct trial trial SCRATCH;
    return trial_fit(&trial, machine, ask, choice) ? cost_clamp(mean_used(machine, ask)) : COST_NONE;
}

static int32_t cost_most_allocated(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    (void)outlook;
    struct trial trial SCRATCH;
    return trial_fit(&trial, machine, ask, choice) ? cost_clamp(FULL - mean_used(machine, ask)) : COST_NONE;
}

/* The fewest devices unallocated; for tasks without, the fewest cores. */
static int32_t cost_kai(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    (void)outlook;
    struct trial trial SCRATCH;
    if (!trial_fit(&trial, machine, ask, choice)) { return COST_NONE; }
    return cost_clamp(trial.before == trial.after ? machine->cpu_free : trial.after);
}

/* The mean use of what the task asks for, highest first. */
static int32_t cost_volcano(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    (void)outlook;
    struct trial trial SCRATCH;
    if (!trial_fit(&trial, machine, ask, choice)) { return COST_NONE; }
    int64_t used = 0, asked = 0;
    if (ask->cpu > 0) { used += part_used(machine->cpu, machine->cpu_free - ask->cpu); asked++; }
    if (ask->memory > 0) { used += part_used(machine->memory, machine->memory_free - ask->memory); asked++; }
    if (trial.before != trial.after) { used += part_used((int64_t)machine->rig->count * DEVICE_WHOLE, trial.after); asked++; }
    return asked == 0 ? 0 : cost_clamp(FULL - used / asked);
}

/* The strategies of ECS by themselves, with no second thought where instances are equal. */
static int32_t cost_least_cpu(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    (void)outlook;
    struct trial trial SCRATCH;
    return trial_fit(&trial, machine, ask, choice) ? cost_clamp(machine->cpu_free) : COST_NONE;
}

static int32_t cost_least_memory(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    (void)outlook;
    struct trial trial SCRATCH;
    return trial_fit(&trial, machine, ask, choice) ? cost_clamp(machine->memory_free) : COST_NONE;
}

static int32_t cost_fewest_tasks(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    (void)outlook;
    struct trial trial SCRATCH;
    return trial_fit(&trial, machine, ask, choice) ? cost_clamp(machine->task_count) : COST_NONE;
}

static int32_t cost_random(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    (void)outlook;
    struct trial trial SCRATCH;
    return trial_fit_by(trial_any, &trial, machine, ask, choice) ? 0 : COST_NONE;
}

/* ---- policies that look ahead: what the placement does to the tasks that usually come ---- */
struct effect { int64_t fragments, unfillable, lost; };          /* growth of the measures; worth cut away from devices */
typedef int32_t points_function(const struct outlook *outlook, const struct effect *effect);

struct ahead {
    const struct outlook *outlook;
    points_function *points;
    struct outlook_measure before;
    struct outlook_state was, state;                             /* the machine before; with all parts placed so far */
    int64_t lost;
    struct trial trial;
};

/* `to` as it is in `from`: the parts beyond those that there are do not matter. */
static void state_copy(struct outlook_state *to, const struct outlook_state *from)
{
    memcpy(to, from, offsetof(struct outlook_state, parts) + from->part_count * sizeof from->parts[0]);
}

static int32_t ahead_points(const struct ahead *ahead, const struct outlook_state *state, int64_t lost)
{
    struct outlook_measure after = outlook_measure(ahead->outlook, state);
    struct effect effect = { after.fragments - ahead->before.fragments, after.unfillable - ahead->before.unfillable, lost };
    return ahead->points(ahead->outlook, &effect);
}

static bool ahead_whole(struct ahead *ahead, const struct ask_part *part, uint64_t *slots)
{
    *slots = trial_whole(&ahead->trial, part);
    if (*slots == 0) { return false; }
    trial_take(&ahead->trial, *slots, DEVICE_WHOLE);
    uint32_t whole = (uint32_t)bits_count(*slots & ~ahead->trial.machine->rig->partitions);
    ASSERT(whole <= ahead->state.whole);
    ahead->state.whole -= whole;
    return true;
}

/* Tries one device of each free share; of equals the first. A MIG instance costs what of its memory is not asked for. */
static bool ahead_share(struct ahead *ahead, const struct ask_part *part, uint64_t *slots)
{
    const struct rig *rig = ahead->trial.machine->rig;
    struct { int64_t lost; int32_t points, takes; struct outlook_state state; } best SCRATCH, next SCRATCH;
    best.points = COST_NONE;
    *slots = 0;
    int32_t seen_free = -1, seen_takes = -1;
    for (uint32_t slot = 0; slot < rig->count; slot++) {
        int32_t free = ahead->trial.free[slot];
        next.takes = policy_device_takes(rig, slot, part);
        if (next.takes == 0 || free < next.takes || (free == seen_free && next.takes == seen_takes)) { continue; }
        state_copy(&next.state, &ahead->state);
        if (rig->partitions >> slot & 1) {
            next.lost = ahead->lost + (int64_t)(rig->memory_mib[slot] - part->memory_mib) * GPU_VALUE_DEVICE / rig->memory_mib[slot];
        } else {
            outlook_take_share(&next.state, free, next.takes);
            next.lost = ahead->lost + gpu_value_lost(&ahead->outlook->value, free, next.takes);
            seen_free = free;
            seen_takes = next.takes;
        }
        next.points = ahead_points(ahead, &next.state, next.lost);
        if (next.points >= best.points) { continue; }
        best.lost = next.lost;
        best.points = next.points;
        best.takes = next.takes;
        state_copy(&best.state, &next.state);
        *slots = (uint64_t)1 << slot;
    }
    if (*slots == 0) { return false; }
    trial_take(&ahead->trial, *slots, best.takes);
    state_copy(&ahead->state, &best.state);
    ahead->lost = best.lost;
    return true;
}

/* False only when there are too few devices for some part; most machines of a full cluster end here. */
static bool may_fit(const struct machine *machine, const struct ask *ask)
{
    for (uint32_t p = 0; p < ask->part_count; p++) {
        int32_t missing = ask->parts[p].devices;
        for (uint32_t slot = 0; slot < machine->rig->count && missing > 0; slot++) { missing -= machine->device_free[slot] >= ask->parts[p].share; }
        if (missing > 0) { return false; }
    }
    return true;
}

/* Parts one after the other, each where the whole so far costs least. COST_NONE: the devices can't take the ask. */
static int32_t ahead_cost(struct ahead *ahead, const struct outlook *outlook, points_function *points, const struct machine *machine,
                          const struct ask *ask, struct choice *choice)
{
    if (!may_fit(machine, ask)) { return COST_NONE; }
    ahead->outlook = outlook;
    ahead->points = points;
    ahead->lost = 0;
    trial_begin(&ahead->trial, machine, choice);
    ahead->was = outlook_state(machine);
    ahead->before = outlook_measure(ahead->outlook, &ahead->was);
    state_copy(&ahead->state, &ahead->was);
    ahead->state.cpu -= ask->cpu;
    ahead->state.memory -= ask->memory;
    uint32_t order[DEMAND_CONTAINERS_MAX];
    parts_sort(ask, order);
    for (uint32_t n = 0; n < ask->part_count; n++) {
        uint32_t p = order[n];
        const struct ask_part *part = &ask->parts[p];
        uint64_t slots = 0;
        if (part->devices != 0 && !(part_is_whole(part) ? ahead_whole(ahead, part, &slots) : ahead_share(ahead, part, &slots))) {
            return COST_NONE;
        }
        if (choice != NULL) { choice->slots[p] = slots; }
    }
    return ahead_points(ahead, &ahead->state, ahead->lost);
}

/* 100 / (1 + exp(-D / 1000)) is p points or more when D is at least 1000 ln(p / (100 - p)): here for p = 51 .. 99, in millionths
 * of a device, rounded up. Below 50 points the same numbers, negative and rounded up. */
static const int32_t point_limits[] = {
    40006, 80043, 120145, 160343, 200671, 241163, 281852, 322774, 363966, 405466, 447313, 489549,
    532217, 575365, 619040, 663295, 708186, 753772, 800120, 847298, 895385, 944462, 994623, 1045969,
    1098613, 1152680, 1208312, 1265667, 1324926, 1386295, 1450011, 1516348, 1585628, 1658229, 1734602, 1815290,
    1900959, 1992431, 2090742, 2197225, 2313635, 2442348, 2586690, 2751536, 2944439, 3178054, 3476099, 3891821,
    4595120,
};

static int32_t points_fragmentation(const struct outlook *outlook, const struct effect *effect)
{
    int64_t gain = -effect->fragments * 1000;                    /* millionths, times the weight */
    int64_t amount = gain < 0 ? -gain : gain;
    int32_t steps = 0;
    while (steps < (int32_t)COUNT_OF(point_limits) && amount >= point_limits[steps] * outlook->weight) { steps++; }
    return gain >= 0 ? 50 - steps : 51 + steps;
}

static int32_t cost_fragmentation(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    struct ahead ahead SCRATCH;
    return ahead_cost(&ahead, outlook, points_fragmentation, machine, ask, choice);
}

/* ---- gpu-mix ---- */
/* The sum, in thousandths of a device, of what a placement does to the usual tasks and of what it pays for:
 *   waste       worth that is cut away from a device beyond the task's own
 *   fragments   growth of what the usual tasks can't use, and of what they could not fill
 *   imbalance   cores beyond those that usually come with this part of a device, where they are short beside the free devices;
 *               a task that asks for fewer costs less, so that cores and devices of a machine are used up together
 *   tightness   of a kind of machine that others name, for devices and cores alike */
enum {
    MIX_WASTE = 10, MIX_FRAGMENTS = 7, MIX_UNFILLABLE = 3,       /* weights; the latter two in tenths */
    MIX_TIGHT = 50,                                              /* for a device on a kind of machine that is tight by one level */
    MIX_STEP = 30,                                               /* thousandths of a device that make a difference */
    MIX_MIDDLE = 1 << 20, MIX_GUARD = 1 << 22,
};

static int64_t divide_down(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

static int32_t points_mix(const struct outlook *outlook, const struct effect *effect)
{
    int64_t waste = effect->lost * MIX_WASTE * DEVICE_WHOLE / GPU_VALUE_DEVICE, step = 10 * MIX_STEP * outlook->weight;
    int64_t cost = 10 * outlook->weight * waste + MIX_FRAGMENTS * effect->fragments + MIX_UNFILLABLE * effect->unfillable;
    return (int32_t)(MIX_MIDDLE + divide_down(cost + step / 2, step));
}

static int64_t mix_imbalance(const struct outlook *outlook, const struct trial *trial, const struct ask *ask)
{
    int64_t usual = outlook->cpu_per_device * (trial->before - trial->after) / DEVICE_WHOLE;
    int64_t wanted = outlook->cpu_per_device * trial->before / DEVICE_WHOLE;
    return (ask->cpu - usual) * trial->before / (trial->machine->cpu_free + wanted + 1);
}

static int64_t mix_tightness(const struct outlook *outlook, const struct trial *trial, const struct ask *ask)
{
    const struct machine *machine = trial->machine;
    uint32_t level = machine->kind < outlook->kind_count ? outlook->kinds[machine->kind].tight : 0;
    if (level == 0 || machine->cpu == 0) { return 0; }
    int64_t devices = trial->before - trial->after, by_cpu = (int64_t)ask->cpu * machine->rig->count * DEVICE_WHOLE / machine->cpu;
    return level * max_i64(devices, by_cpu) * MIX_TIGHT / DEVICE_WHOLE;
}

/* Bits of the guarded shapes that the ask is itself. */
static uint32_t ask_guarded(const struct outlook *outlook, const struct ask *ask)
{
    uint32_t own = 0;
    for (uint32_t g = 0; g < outlook->guarded_count; g++) {
        const struct guarded *guarded = &outlook->guarded[g];
        bool same = ask->part_count == 1 && guarded->devices == ask->parts[0].devices && guarded->cpu == ask->cpu && guarded->memory == ask->memory;
        own |= (uint32_t)same << g;
    }
    return own;
}

static int32_t cost_mix(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice)
{
    struct ahead ahead SCRATCH;
    int32_t points = ahead_cost(&ahead, outlook, points_mix, machine, ask, choice);
    if (points == COST_NONE) { return COST_NONE; }
    if (machine->rig->count == 0) { return 0; }                  /* who needs no GPU keeps off the machines that have some */
    uint32_t scarce = outlook->scarce & ~ask_guarded(outlook, ask);
    if (scarce != 0) { scarce &= outlook_hosts(outlook, &ahead.was) & ~outlook_hosts(outlook, &ahead.state); }
    int64_t pays = mix_imbalance(outlook, &ahead.trial, ask) + mix_tightness(outlook, &ahead.trial, ask);
    return cost_clamp(max_i64(1, points + divide_down(pays + MIX_STEP / 2, MIX_STEP)) + (scarce != 0 ? MIX_GUARD : 0));
}

/* ---- the table ---- */
const struct policy policies[] = {
    { STR_INIT("gpu-mix"), cost_mix },
    { STR_INIT("gpu-fragmentation"), cost_fragmentation },
    { STR_INIT("best-fit"), cost_best_fit },
    { STR_INIT("dot-product"), cost_dot_product },
    { STR_INIT("gpu-packing"), cost_packing },
    { STR_INIT("gpu-clustering"), cost_clustering },
    { STR_INIT("least-allocated"), cost_least_allocated },
    { STR_INIT("most-allocated"), cost_most_allocated },
    { STR_INIT("kai"), cost_kai },
    { STR_INIT("volcano"), cost_volcano },
    { STR_INIT("ecs-binpack-cpu"), cost_least_cpu },
    { STR_INIT("ecs-binpack-memory"), cost_least_memory },
    { STR_INIT("ecs-spread"), cost_fewest_tasks },
    { STR_INIT("random"), cost_random },
};
const size_t policy_count = COUNT_OF(policies);

const struct policy *policy_find(struct str name)
{
    for (size_t p = 0; p < policy_count; p++) {
        if (str_eq(policies[p].name, name)) { return &policies[p]; }
    }
    return NULL;
}

bool policy_fits(const struct machine *machine, const struct ask *ask)
{
    struct trial trial SCRATCH;
    return trial_fit(&trial, machine, ask, NULL);
}

int32_t policy_cost(const struct policy *policy, const struct outlook *outlook, const struct machine *machine, const struct ask *ask,
                    struct choice *choice)
{
    ASSERT(machine->cpu_free >= ask->cpu && machine->memory_free >= ask->memory);
    int32_t cost = policy->cost(outlook, machine, ask, choice);
    ASSERT(cost == COST_NONE || (cost >= 0 && cost < COST_LIMIT));
    if (cost != COST_NONE || ask->part_count < 2) { return cost; }
    struct trial trial SCRATCH;                                  /* several shares in other places than the best one by one */
    return trial_fit(&trial, machine, ask, choice) ? COST_LIMIT - 1 : COST_NONE;
}

struct str sched_own_policy(void) { return policies[0].name; }
bool       sched_is_policy(struct str field) { return policy_find(field) != NULL; }
