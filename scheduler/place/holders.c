/* holders.c: the tasks that would have to end so that a demand fits where it came nearest: the fewest tasks that a simple search finds. It takes
 * those first that hold most of what is missing. */
#include "base/num.h"
#include "scheduler/place/search.h"

/* An instance as it would be without some of its tasks. */
struct without {
    const struct search *search;
    const struct instance_slot *instance;
    struct own own;
    uint32_t tasks[EVIDENCE_HOLDERS_MAX]; size_t count;          /* numbers of tasks */
};

static bool is_without(const struct without *without, uint32_t task)
{
    for (size_t t = 0; t < without->count; t++) {
        if (without->tasks[t] == task) { return true; }
    }
    return false;
}

/* ---- amounts still missing ---- */
struct missing { int64_t cpu, memory_mib; bool gpus, ports, interfaces, group; };

static bool holds_port(const struct search *search, const struct task_slot *task)
{
    for (uint32_t p = 0; p < task->port_count; p++) {
        for (size_t w = 0; w < search->demand->port_count; w++) {
            if (task->ports[p] == search->demand->ports[w]) { return true; }
        }
    }
    return false;
}

static bool is_of_group(const struct search *search, const struct task_slot *task)
{
    return search->demand->distinct_instance && search->group != NONE && task->group == search->group;
}

static bool lacks_gpus(const struct without *without)
{
    if (!without->search->need.wants_gpus) { return false; }
    struct machine machine = instance_machine(without->instance);
    int32_t used[DEVICES_MAX];
    int16_t device_free[DEVICES_MAX];
    if (machine.rig->count > 0) { memcpy(used, without->instance->gpu_used, machine.rig->count * sizeof *used); }
    for (size_t t = 0; t < without->count; t++) {
        const struct task_slot *task = task_at(without->search->world, without->tasks[t]);
        for (uint32_t g = 0; g < task->gpu_count; g++) {
            if (task->gpus[g].slot != NONE) { used[task->gpus[g].slot] -= task->gpus[g].share; }
            ASSERT(task->gpus[g].slot == NONE || used[task->gpus[g].slot] >= 0);
        }
    }
    for (uint32_t slot = 0; slot < machine.rig->count; slot++) {
        bool is_out = (without->instance->gpus_out >> slot & 1) != 0;
        device_free[slot] = (int16_t)(is_out ? 0 : max_i64(0, DEVICE_WHOLE - used[slot]));
    }
    machine.device_free = device_free;
    return !policy_fits(&machine, &without->search->need.ask);
}

static struct missing missing_in(const struct without *without)
{
    const struct world *world = without->search->world;
    const struct instance_slot *instance = without->instance;
    int64_t cpu_used = instance->cpu_used, memory_used = instance->memory_used, interfaces_used = instance->interfaces_used;
    for (size_t t = 0; t < without->count; t++) {
        const struct task_slot *task = task_at(world, without->tasks[t]);
        cpu_used -= task->cpu;
        memory_used -= task->memory_mib;
        interfaces_used -= task->interfaces;
    }
    ASSERT(cpu_used >= 0 && memory_used >= 0 && interfaces_used >= 0);
    const struct ask *ask = &without->search->need.ask;
    int64_t interfaces = without->search->demand->interfaces;
    struct missing missing = {
        .cpu = max_i64(0, ask->cpu - max_i64(0, instance->cpu - cpu_used)),
        .memory_mib = max_i64(0, ask->memory - max_i64(0, instance->memory_mib - memory_used)),
        .gpus = lacks_gpus(without),
        .interfaces = interfaces > 0 && instance->interfaces > 0 && interfaces_used + interfaces > instance->interfaces,
    };
    for (uint32_t n = instance->tasks; n != NONE; n = task_at(world, n)->next) {
        if (is_without(without, n)) { continue; }
        missing.ports |= holds_port(without->search, task_at(world, n));
        missing.group |= is_of_group(without->search, task_at(world, n));
    }
    return missing;
}

static bool nothing_missing(const struct missing *missing)
{
    return missing->cpu == 0 && missing->memory_mib == 0 && !missing->gpus && !missing->ports && !missing->interfaces && !missing->group;
}

/* ---- choosing ---- */
/* How much the end of the task would help; 0: not at all. */
static int64_t help_of(const struct search *search, const struct missing *missing, const struct task_slot *task)
{
    enum { ALL = 1 << 20 };                                      /* nothing else gives a port or a group */
    int64_t help = 0;
    if (missing->ports && holds_port(search, task)) { help += ALL; }
    if (missing->group && is_of_group(search, task)) { help += ALL; }
    if (missing->interfaces && task->interfaces > 0) { help += DEVICE_WHOLE; }
    for (uint32_t g = 0; missing->gpus && g < task->gpu_count; g++) { help += task->gpus[g].share; }
    if (missing->cpu > 0) { help += min_i64(task->cpu, missing->cpu) * DEVICE_WHOLE / missing->cpu; }
    if (missing->memory_mib > 0) { help += min_i64(task->memory_mib, missing->memory_mib) * DEVICE_WHOLE / missing->memory_mib; }
    return help;
}

static bool is_own(const struct own *own, struct id id)
{
    for (size_t t = 0; t < own->count; t++) {
        if (id_eq(own->tasks[t], id)) { return true; }
    }
    return false;
}

/* The one that helps most, of equals the one with the smaller id; NONE when no other helps. */
static uint32_t best_help(const struct without *without, const struct missing *missing)
{
    const struct world *world = without->search->world;
    uint32_t best = NONE;
    int64_t most = 0;
    for (uint32_t n = without->instance->tasks; n != NONE; n = task_at(world, n)->next) {
        const struct task_slot *task = task_at(world, n);
        if (is_without(without, n) || is_own(&without->own, task->id)) { continue; }
        int64_t help = help_of(without->search, missing, task);
        if (help > most || (help == most && best != NONE && id_cmp(task->id, task_at(world, best)->id) < 0)) {
            most = help;
            best = n;
        }
    }
    return best;
}

/* A task that was chosen early may not be needed beside those that were chosen later. */
static void leave_out_needless(struct without *without)
{
    for (size_t t = without->count; t-- > 0;) {
        struct without fewer = *without;
        fewer.tasks[t] = fewer.tasks[--fewer.count];
        struct missing missing = missing_in(&fewer);
        if (nothing_missing(&missing)) { *without = fewer; }
    }
}

void evidence_holders(const struct search *search, struct own own, struct evidence *evidence)
{
    evidence->holder_count = 0;
    if (evidence->group_count == 0 || evidence->groups[0].impossible) { return; }
    uint32_t number = instance_find(search->world, evidence->groups[0].example);
    if (number == NONE) { return; }
    struct look look = check_instance(search, number);
    if (look.verdict < NOT_DISTINCT) { return; }                 /* status, agent and attributes do not depend on tasks */
    struct without without = { .search = search, .instance = instance_at(search->world, number), .own = own };
    struct missing missing = missing_in(&without);
    while (!nothing_missing(&missing) && without.count < EVIDENCE_HOLDERS_MAX) {
        uint32_t next = best_help(&without, &missing);
        if (next == NONE) { return; }
        without.tasks[without.count++] = next;
        missing = missing_in(&without);
    }
    if (!nothing_missing(&missing)) { return; }
    leave_out_needless(&without);
    missing = missing_in(&without);
    ASSERT(nothing_missing(&missing) && without.count <= EVIDENCE_HOLDERS_MAX);
    for (; evidence->holder_count < without.count; evidence->holder_count++) {
        evidence->holders[evidence->holder_count] = task_at(search->world, without.tasks[evidence->holder_count])->id;
    }
}
