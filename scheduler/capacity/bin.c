#include "scheduler/capacity/bin.h"

#include "base/num.h"
#include "scheduler/ask/expression.h"
#include "scheduler/place/policy.h"

enum { CPU_OF_VCPU = 1024 };

struct want want_of(const struct demand *demand)
{
    struct want want = { .need = need_of(demand), .demand = demand, .alone = demand->distinct_instance || demand->port_count > 0 };
    want.picky = want.alone || demand->expression_count > 0;
    for (uint32_t p = 0; p < want.need.ask.part_count; p++) {
        const struct ask_part *part = &want.need.ask.parts[p];
        int64_t devices = part->devices < 0 ? DEVICES_MAX : part->devices;
        want.devices += devices;
        want.share += devices * part->share;
        want.device_mib = max_i64(want.device_mib, part->memory_mib);
    }
    return want;
}

void bin_open(struct bin *bin, const struct instance_type *type, int64_t memory_mib, const struct rig *rig, uint32_t at)
{
    int32_t cpu = (int32_t)min_i64(type->vcpus * CPU_OF_VCPU, AMOUNT_MAX);
    int32_t memory = (int32_t)min_i64(memory_mib > 0 ? memory_mib : type->memory_mib, AMOUNT_MAX);
    *bin = (struct bin){ .type = type, .at = at, .machine = { .cpu = cpu, .memory = memory, .cpu_free = cpu, .memory_free = memory, .rig = rig } };
    for (uint32_t slot = 0; slot < rig->count; slot++) { bin->device_free[slot] = DEVICE_WHOLE; }
}

void rig_of(const struct instance_type *type, struct rig *rig)
{
    *rig = (struct rig){ .count = (uint32_t)min_i64(instance_type_gpus(type), DEVICES_MAX) };
    for (uint32_t slot = 0; slot < rig->count; slot++) { rig->memory_mib[slot] = (int32_t)type->accelerator_mib; }
}

/* The attributes that a machine registers because of its type. */
enum { FACTS_MAX = 3 };
static size_t facts_of(const struct instance_type *type, struct sched_attribute facts[FACTS_MAX])
{
    size_t count = 0;
    facts[count++] = (struct sched_attribute){ STR("ecs.instance-type"), type->name };
    if (type->x86_64 != type->arm64) { facts[count++] = (struct sched_attribute){ STR("ecs.cpu-architecture"), type->x86_64 ? STR("x86_64") : STR("arm64") }; }
    bool one_word = str_find(type->accelerator_name, ' ') == type->accelerator_name.len;         /* agents shorten the others */
    if (instance_type_gpus(type) == 0) {
        facts[count++] = (struct sched_attribute){ STR("berth.gpu-model"), { NULL, 0 } };
    } else if (one_word) {
        facts[count++] = (struct sched_attribute){ STR("berth.gpu-model"), type->accelerator_name };
    }
    return count;
}

/* A type that is not known, and attributes that are not, may suit. */
static bool type_suits(const struct instance_type *type, const struct demand *demand)
{
    struct sched_attribute facts[FACTS_MAX];
    if (type == NULL || demand->attribute_count + demand->expression_count == 0) { return true; }
    size_t count = facts_of(type, facts);
    for (size_t a = 0; a < demand->attribute_count; a++) {
        const struct sched_attribute *wanted = &demand->attributes[a];
        for (size_t f = 0; f < count; f++) {
            bool suits = str_is_set(facts[f].value) && (!str_is_set(wanted->value) || str_eq(facts[f].value, wanted->value));
            if (str_eq(facts[f].name, wanted->name) && !suits) { return false; }
        }
    }
    for (size_t e = 0; e < demand->expression_count; e++) {
        if (!expression_may_hold(demand->expressions[e], facts, count)) { return false; }
    }
    return true;
}

static bool has_memory(const struct rig *rig, const struct ask_part *part)
{
    for (uint32_t slot = 0; slot < rig->count; slot++) {
        if (rig->memory_mib[slot] >= part->memory_mib) { return true; }
    }
    return part->devices == 0 || rig->count == 0;                /* without devices it lacks these, not memory */
}

enum verdict bin_lacks(struct bin *bin, const struct want *want, int *count)
{
    const struct ask *ask = &want->need.ask;
    bool memory = true;
    for (uint32_t p = 0; p < ask->part_count; p++) { memory = memory && has_memory(bin->machine.rig, &ask->parts[p]); }
    bin->machine.device_free = bin->device_free;
    const struct { enum verdict verdict; bool lacks; } looks[] = {
        { LACKS_ATTRIBUTE, !type_suits(bin->type, want->demand) },
        { LACKS_CPU, ask->cpu > bin->machine.cpu_free },
        { LACKS_MEMORY, ask->memory > bin->machine.memory_free },
        { LACKS_GPU_MEMORY, !memory },
        { LACKS_GPU, want->need.wants_gpus && !policy_fits(&bin->machine, ask) },
    };
    enum verdict first = FITS;
    *count = 0;
    for (size_t l = COUNT_OF(looks); l > 0; l--) {
        if (!looks[l - 1].lacks) { continue; }
        first = looks[l - 1].verdict;
        *count += 1;
    }
    return first;
}

int64_t bin_has(const struct bin *bin, enum verdict verdict)
{
    if (verdict == LACKS_CPU) { return bin->machine.cpu; }
    if (verdict == LACKS_MEMORY) { return bin->machine.memory; }
    if (verdict == LACKS_GPU_MEMORY) { return bin->machine.rig->memory_mib[0]; }
    return verdict == LACKS_GPU ? bin->machine.rig->count : 0;
}

bool bin_fits(struct bin *bin, const struct want *want)
{
    const struct ask *ask = &want->need.ask;
    if (ask->cpu > bin->machine.cpu_free || ask->memory > bin->machine.memory_free || (want->picky && bin->busy)) { return false; }
    if (!type_suits(bin->type, want->demand)) { return false; }
    bin->machine.device_free = bin->device_free;
    return !want->need.wants_gpus || policy_fits(&bin->machine, ask);
}

void bin_take(struct bin *bin, const struct want *want)
{
    const struct ask *ask = &want->need.ask;
    struct choice choice = { { 0 } };
    bin->machine.device_free = bin->device_free;
    if (want->need.wants_gpus) {
        int32_t cost = policy_cost(policy_find(STR("best-fit")), NULL, &bin->machine, ask, &choice);
        ASSERT(cost != COST_NONE);
    }
    for (uint32_t p = 0; p < ask->part_count; p++) {
        for (uint64_t slots = choice.slots[p]; slots != 0; slots &= slots - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(slots);
            bool whole = ask->parts[p].share >= DEVICE_WHOLE;
            int32_t takes = whole ? DEVICE_WHOLE : policy_device_takes(bin->machine.rig, slot, &ask->parts[p]);
            ASSERT(takes > 0 && takes <= bin->device_free[slot]);
            bin->device_free[slot] = (int16_t)(bin->device_free[slot] - takes);
        }
    }
    bin->machine.cpu_free -= ask->cpu;
    bin->machine.memory_free -= ask->memory;
}

void bin_reserve(struct bin *bin, int64_t cpu, int64_t memory_mib)
{
    ASSERT(cpu >= 0 && memory_mib >= 0);
    struct machine *machine = &bin->machine;
    machine->cpu = machine->cpu_free = (int32_t)max_i64(0, machine->cpu - cpu);
    machine->memory = machine->memory_free = (int32_t)max_i64(0, machine->memory - memory_mib);
}

void bin_empty(struct bin *bin)
{
    bin->busy = false;
    bin->machine.cpu_free = bin->machine.cpu;
    bin->machine.memory_free = bin->machine.memory;
    for (uint32_t slot = 0; slot < bin->machine.rig->count; slot++) { bin->device_free[slot] = DEVICE_WHOLE; }
}
