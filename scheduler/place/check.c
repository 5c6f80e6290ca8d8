/* check.c: whether an instance can take a demand, and if not, why. A table of small functions in the order of the verdicts. Each also answers
 * for the instance without tasks, which tells a busy instance from an impossible one. */
#include "scheduler/ask/expression.h"
#include "scheduler/place/search.h"

struct question {
    const struct search *search; const struct instance_slot *instance; uint32_t number;
    bool when_empty;
    struct look *look;                                           /* where the name of what is missing goes */
};

static bool lacks_status(const struct question *q) { return !q->instance->active; }
static bool lacks_agent(const struct question *q) { return !q->instance->connected; }
static bool lacks_daemon(const struct question *q) { return q->instance->awaits_daemon && !q->search->demand->of_daemon; }

/* The first attribute that the kind lacks; NULL: it has all. */
static const struct wanted *kind_lacks(const struct search *search, uint32_t kind)
{
    for (size_t a = 0; a < search->demand->attribute_count; a++) {
        const struct wanted *wanted = &search->wanted[a];
        const struct kind_attribute *has = kind_attribute(search->world, kind, wanted->name);
        if (has == NULL) { return wanted; }
        /* A value that no instance has is NONE here; so is that of an attribute without one, which is not the same. */
        if (!wanted->any_value && (wanted->value == NONE || has->value != wanted->value)) { return wanted; }
    }
    return NULL;
}

static bool lacks_attribute(const struct question *q)
{
    const struct wanted *missing = kind_lacks(q->search, q->instance->kind);
    if (missing == NULL) { return false; }
    q->look->what = q->search->demand->attributes[missing - q->search->wanted].name;
    return true;
}

static bool is_no_member(const struct question *q)
{
    const struct demand *demand = q->search->demand;
    for (size_t e = 0; e < demand->expression_count; e++) {
        if (!expression_holds(demand->expressions[e], q->search->world, q->instance->kind, q->instance, q->when_empty)) {
            q->look->what = demand->expressions[e]->text;
            return true;
        }
    }
    return false;
}

static bool is_not_distinct(const struct question *q)
{
    return q->search->demand->distinct_instance && group_count_of(q->search->world, q->number, q->search->group) > 0;
}

static bool lacks_cpu(const struct question *q)
{
    int64_t available = q->when_empty ? q->instance->cpu : instance_cpu_free(q->instance);
    return q->search->need.ask.cpu > available;
}

static bool lacks_memory(const struct question *q)
{
    int64_t available = q->when_empty ? q->instance->memory_mib : instance_memory_free(q->instance);
    return q->search->need.ask.memory > available;
}

/* An agent that does not offer its GPUs says so in attributes of the machine, and this is the reason that a person looks for. */
static struct str gpus_kept_back(const struct question *q)
{
    const struct interned *interned = &q->search->world->interned;
    uint32_t support_name = interned_find(interned, STR("berth.gpu-support")), devices_name = interned_find(interned, STR("berth.gpu-devices"));
    const struct kind_attribute *support = kind_attribute(q->search->world, q->instance->kind, support_name);
    if (support == NULL || !str_eq(interned_str(interned, support->value), STR("off"))) { return (struct str){ NULL, 0 }; }
    const struct kind_attribute *devices = kind_attribute(q->search->world, q->instance->kind, devices_name);
    const struct kind_attribute *problem = kind_attribute(q->search->world, q->instance->kind, interned_find(interned, STR("berth.gpu-problem")));
    struct str count = devices == NULL ? STR("") : interned_str(interned, devices->value);
    if (problem != NULL) { q->look->why = interned_str(interned, problem->value); }
    return str_is_set(count) ? count : STR("");
}

/* The instance has devices, but no device has the memory that a container asks for. */
static bool lacks_gpu_memory(const struct question *q)
{
    const struct ask *ask = &q->search->need.ask;
    const struct machine machine = instance_machine(q->instance);
    for (uint32_t p = 0; p < ask->part_count && machine.rig->count > 0; p++) {
        bool some = ask->parts[p].devices <= 0;
        for (uint32_t slot = 0; slot < machine.rig->count; slot++) { some |= machine.rig->memory_mib[slot] >= ask->parts[p].memory_mib; }
        if (!some) { return true; }
    }
    return false;
}

static bool lacks_gpu(const struct question *q)
{
    if (!q->search->need.wants_gpus) { return false; }
    struct machine machine = instance_machine(q->instance);
    int16_t unused[DEVICES_MAX];
    if (q->when_empty) {
        for (uint32_t slot = 0; slot < machine.rig->count; slot++) { unused[slot] = DEVICE_WHOLE; }
        machine.device_free = unused;
    }
    if (policy_fits(&machine, &q->search->need.ask)) { return false; }
    q->look->what = gpus_kept_back(q);
    return true;
}

static bool lacks_port(const struct question *q)
{
    const struct demand *demand = q->search->demand;
    for (size_t p = 0; p < demand->port_count; p++) {
        if (instance_has_port(q->instance, demand->ports[p], q->when_empty)) {
            q->look->port = demand->ports[p];
            return true;
        }
    }
    return false;
}

static bool lacks_interface(const struct question *q)
{
    int64_t used = q->when_empty ? 0 : q->instance->interfaces_used;
    return q->search->demand->interfaces > 0 && q->instance->interfaces > 0 && used + q->search->demand->interfaces > q->instance->interfaces;
}

/* `passes`: the reason can go away by itself, so it never makes an instance impossible. */
static const struct { enum verdict verdict; bool (*refuses)(const struct question *); bool passes; } checks[] = {
    { NOT_ACTIVE,      lacks_status,    true  },
    { NO_AGENT,        lacks_agent,     true  },
    { AWAITS_DAEMON,   lacks_daemon,    true  },
    { LACKS_ATTRIBUTE, lacks_attribute, false },
    { NOT_MEMBER,      is_no_member,    false },
    { NOT_DISTINCT,    is_not_distinct, true  },
    { LACKS_CPU,       lacks_cpu,       false },
    { LACKS_MEMORY,    lacks_memory,    false },
    { LACKS_GPU_MEMORY, lacks_gpu_memory, false },
    { LACKS_GPU,       lacks_gpu,       false },
    { LACKS_PORT,      lacks_port,      false },
    { LACKS_INTERFACE, lacks_interface, false },
};
_Static_assert(COUNT_OF(checks) == VERDICT_COUNT - 2, "one check per verdict, less FITS and ROOM_KEPT");

static bool is_impossible(const struct search *search, uint32_t number)
{
    struct look unused = { 0 };
    const struct question question = { search, instance_at(search->world, number), number, true, &unused };
    for (size_t c = 0; c < COUNT_OF(checks); c++) {
        if (!checks[c].passes && checks[c].refuses(&question)) { return true; }
    }
    return false;
}

struct look check_instance(const struct search *search, uint32_t number)
{
    struct look first = { .verdict = FITS }, later = { 0 };
    const struct instance_slot *instance = instance_at(search->world, number);
    ASSERT(instance->known);
    for (size_t c = 0; c < COUNT_OF(checks); c++) {
        bool is_first = first.verdict == FITS;
        const struct question question = { search, instance, number, false, is_first ? &first : &later };
        if (!checks[c].refuses(&question)) { continue; }
        if (is_first) { first.verdict = checks[c].verdict; }
        first.lacking++;
    }
    ASSERT((first.verdict == FITS) == (first.lacking == 0));
    if (first.verdict != FITS) { first.impossible = is_impossible(search, number); }
    return first;
}

/* ---- fast ---- */
/* Questions that only attributes decide are answered once for each kind of instance. */
static bool kind_fits(struct search *search, uint32_t kind)
{
    struct world *world = search->world;
    if (kind >= search->kind_capacity) {
        uint32_t old = search->kind_capacity, more = world->kinds.count < old * 2 ? old * 2 : world->kinds.count;
        search->kind_answers = pool_grow(&world->pool, search->kind_answers, old * sizeof *search->kind_answers, more * sizeof *search->kind_answers);
        search->kind_capacity = more;
    }
    ASSERT(kind < search->kind_capacity && kind_at(world, kind)->birth > 0);
    struct kind_answer *answer = &search->kind_answers[kind];
    if (answer->birth == kind_at(world, kind)->birth) { return answer->fits; }
    bool fits = kind_lacks(search, kind) == NULL;
    for (size_t e = 0; fits && e < search->demand->expression_count; e++) {
        const struct expression *expression = search->demand->expressions[e];
        fits = !expression->attributes_only || expression_holds(expression, world, kind, NULL, false);
    }
    *answer = (struct kind_answer){ kind_at(world, kind)->birth, fits };
    return fits;
}

static bool asks_of_tasks(const struct search *search)
{
    for (size_t e = 0; e < search->demand->expression_count; e++) {
        if (!search->demand->expressions[e]->attributes_only) { return true; }
    }
    return false;
}

bool check_fits(struct search *search, uint32_t number)
{
    const struct instance_slot *instance = instance_at(search->world, number);
    ASSERT(instance->known);
    struct look unused = { 0 };
    const struct question question = { search, instance, number, false, &unused };
    if (lacks_status(&question) || lacks_agent(&question) || lacks_daemon(&question) || lacks_cpu(&question) || lacks_memory(&question)) { return false; }
    bool asks_of_kind = search->demand->attribute_count + search->demand->expression_count > 0;
    if (asks_of_kind && !kind_fits(search, instance->kind)) { return false; }
    if (asks_of_tasks(search) && is_no_member(&question)) { return false; }
    return !is_not_distinct(&question) && !lacks_port(&question) && !lacks_interface(&question);
}

bool check_suits(struct search *search, uint32_t number)
{
    const struct instance_slot *instance = instance_at(search->world, number);
    struct look unused = { 0 };
    const struct question question = { search, instance, number, false, &unused };
    if (lacks_status(&question) || lacks_agent(&question) || !kind_fits(search, instance->kind)) { return false; }
    if (asks_of_tasks(search) && is_no_member(&question)) { return false; }
    return !is_not_distinct(&question) && !lacks_port(&question) && !lacks_interface(&question);
}

bool sched_suits(const struct world *world, struct id id, const struct demand *demand)
{
    uint32_t number = instance_find(world, id);
    if (number == NONE) { return false; }
    uint32_t kind = instance_at(world, number)->kind;
    for (size_t a = 0; a < demand->attribute_count; a++) {
        const struct sched_attribute *wanted = &demand->attributes[a];
        const struct kind_attribute *has = kind_attribute(world, kind, interned_find(&world->interned, wanted->name));
        if (has == NULL) { return false; }
        if (str_is_set(wanted->value) && (has->value == NONE || !str_eq(interned_str(&world->interned, has->value), wanted->value))) { return false; }
    }
    for (size_t e = 0; e < demand->expression_count; e++) {
        if (!sched_matches(world, id, demand->expressions[e])) { return false; }
    }
    return true;
}
