/* rank.c: how the instances that fit are ordered. Strategies become terms, one behind the other, and the terms of an instance
 * one number; all but the spread over values of an attribute depend only on the instance, so that a rank holds until
 * its instance changes. */
#include "base/num.h"
#include "scheduler/place/search.h"

/* ---- strategies into terms ---- */
/* The fields of strategies. A field that is not here ranks nothing: all instances are equal to it. */
static const struct { enum strategy_kind kind; struct str field; bool is_prefix; enum term_kind term; } fields[] = {
    { STRATEGY_SPREAD,  STR_INIT("instanceId"), false, TERM_TASKS_HERE },
    { STRATEGY_SPREAD,  STR_INIT("host"),       false, TERM_TASKS_HERE },
    { STRATEGY_SPREAD,  STR_INIT("attribute:"), true,  TERM_VALUE      },
    { STRATEGY_BINPACK, STR_INIT("cpu"),        false, TERM_CPU        },
    { STRATEGY_BINPACK, STR_INIT("memory"),     false, TERM_MEMORY     },
    { STRATEGY_BINPACK, STR_INIT("gpu"),        false, TERM_GPUS       },
};

/* Bits that a term takes; each term is in a rank at most once, so that all fit. */
static const unsigned widths[] = {
    [TERM_TASKS_HERE] = 24, [TERM_CPU] = 31, [TERM_MEMORY] = 31, [TERM_GPUS] = 17, [TERM_HAS_GPUS] = 1, [TERM_POLICY] = 24, [TERM_VALUE] = 0,
};
enum { RANK_BITS = 128 };
_Static_assert(24 + 31 + 31 + 17 + 1 + 24 <= RANK_BITS, "all terms together are one rank");

static bool has_term(const struct search *search, enum term_kind kind, uint32_t name)
{
    for (uint32_t t = 0; t < search->term_count; t++) {
        if (search->terms[t].kind == kind && search->terms[t].name == name) { return true; }
    }
    return false;
}

/* A term that is there already adds nothing. */
static struct term *add_term(struct search *search, enum term_kind kind, uint32_t name)
{
    if (has_term(search, kind, name)) { return NULL; }
    ASSERT(search->term_count < TERMS_MAX);
    unsigned below = RANK_BITS;
    for (uint32_t t = 0; t < search->term_count; t++) { below -= search->terms[t].width; }
    ASSERT(below >= widths[kind]);
    struct term *term = &search->terms[search->term_count++];
    *term = (struct term){ .kind = kind, .width = widths[kind], .shift = below - widths[kind], .name = name };
    if (kind == TERM_VALUE) { term->value_term = search->value_terms++; }
    return term;
}

static void add_policy(struct search *search, const struct policy *policy)
{
    struct term *term = add_term(search, TERM_POLICY, NONE);
    if (term == NULL) { return; }
    search->policy = policy;
    search->policy_ranks = true;
}

static void add_strategy(struct search *search, const struct strategy *strategy)
{
    const struct policy *policy = strategy->kind == STRATEGY_BINPACK ? policy_find(strategy->field) : NULL;
    if (policy != NULL) {
        add_policy(search, policy);
        return;
    }
    for (size_t f = 0; f < COUNT_OF(fields); f++) {
        struct str head = fields[f].is_prefix ? str_slice(strategy->field, 0, fields[f].field.len) : strategy->field;
        if (fields[f].kind != strategy->kind || !str_eq_nocase(head, fields[f].field)) { continue; }
        bool is_value = fields[f].term == TERM_VALUE;
        struct str rest = str_slice(strategy->field, fields[f].field.len, strategy->field.len);
        if (is_value && search->value_terms == VALUE_TERMS_MAX) { return; }
        uint32_t name = is_value ? interned_hold(&search->world->interned, rest) : NONE;
        if (add_term(search, fields[f].term, name) == NULL) { interned_release(&search->world->interned, name); }
        return;
    }
}

/* After the strategies of the demand: tasks with GPUs use the policy for GPUs, and tasks without keep off machines that have GPUs. */
void rank_plan(struct search *search)
{
    const struct demand *demand = search->demand;
    for (size_t s = 0; s < demand->strategy_count && s < VALUE_TERMS_MAX && !search->by_chance; s++) {
        if (demand->strategies[s].kind == STRATEGY_RANDOM) { search->by_chance = true; } else { add_strategy(search, &demand->strategies[s]); }
    }
    bool by_default = demand->strategy_count == 0;
    if (!search->by_chance && search->policy == NULL) {          /* a policy that was named decides alone */
        add_term(search, TERM_HAS_GPUS, NONE);
        add_policy(search, &policies[0]);
        if (!search->need.wants_gpus) { add_term(search, TERM_GPUS, NONE); }     /* where it takes least from tasks with GPUs */
    }
    if (by_default && !search->need.wants_gpus) { search->by_chance = true; }    /* as ECS deals out tasks */
    if (search->policy == NULL) { search->policy = &policies[0]; }
    ASSERT(search->value_terms <= VALUE_TERMS_MAX);
}

/* ---- ranks ---- */
static int64_t gpus_free(const struct machine *machine)
{
    int64_t sum = 0;
    for (uint32_t slot = 0; slot < machine->rig->count; slot++) { sum += machine->device_free[slot]; }
    return sum;
}

static uint64_t term_of(const struct search *search, uint32_t number, const struct machine *machine, const struct term *term)
{
    enum { TASKS_MAX = (1 << 24) - 1 };
    switch (term->kind) {
    case TERM_TASKS_HERE: return (uint64_t)min_i64(group_count_of(search->world, number, search->group), TASKS_MAX);
    case TERM_CPU:        return (uint64_t)machine->cpu_free;
    case TERM_MEMORY:     return (uint64_t)machine->memory_free;
    case TERM_GPUS:       return (uint64_t)gpus_free(machine);
    case TERM_HAS_GPUS:   return machine->rig->count > 0;
    case TERM_POLICY:
    case TERM_VALUE:      return 0;                              /* the caller adds them */
    }
    return 0;
}

rank rank_of(struct search *search, uint32_t number)
{
    if (!check_fits(search, number)) { return RANK_OUT; }
    struct machine machine = instance_machine(instance_at(search->world, number));
    bool costs = search->policy_ranks && machine.rig->count > 0;
    int32_t cost = costs ? policy_cost(search->policy, search->outlook, &machine, &search->need.ask, NULL) : 0;
    if (cost == COST_NONE || (!costs && search->need.wants_gpus && !policy_fits(&machine, &search->need.ask))) { return RANK_OUT; }
    rank sum = 0;
    for (uint32_t t = 0; t < search->term_count; t++) {
        const struct term *term = &search->terms[t];
        uint64_t value = term->kind == TERM_POLICY ? (uint64_t)cost : term_of(search, number, &machine, term);
        ASSERT(value >> term->width == 0);                       /* no term reaches into the next one */
        if (term->width > 0) { sum |= (rank)value << term->shift; }
    }
    ASSERT(sum != RANK_OUT);
    return sum;
}

uint64_t rank_term(rank of, const struct term *term)
{
    ASSERT(term->width > 0 && term->shift + term->width <= RANK_BITS);
    return (uint64_t)(of >> term->shift) & (((uint64_t)1 << term->width) - 1);
}
