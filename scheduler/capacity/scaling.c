#include "scheduler/capacity/scaling.h"

#include <stdlib.h>

#include "base/num.h"

enum { FIRST_LIKE_ECS = 2 };

int64_t capacity_wanted(int64_t needed, int64_t target)
{
    ASSERT(needed >= 0 && target >= 1 && target <= 100);
    return (needed * 100 + target - 1) / target;
}

/* ---- out ---- */

static int64_t missing(const struct capacity_state *state, const struct capacity_decision *decision)
{
    int64_t size = max_i64(decision->wanted, state->settings.size_min);
    if (state->news > 0) { size = max_i64(size, state->size + state->news); }            /* machines that are empty can be of another type */
    if (state->settings.like_ecs && state->size == 0 && decision->needed > 0) { size = FIRST_LIKE_ECS; }
    return size - state->size;
}

static void decide_out(const struct capacity_state *state, int64_t more, struct capacity_decision *decision)
{
    const struct capacity_settings *settings = &state->settings;
    struct capacity_memory *memory = &decision->memory;
    bool same_minute = memory->out_ms != 0 && state->now_ms - memory->out_ms < settings->minute_ms;
    int64_t step = min_i64(max_i64(more, settings->step_min), settings->step_max - (same_minute ? memory->out_added : 0));
    step = min_i64(step, settings->size_max - state->size);
    if (step <= 0) {
        decision->why = CAPACITY_STEP_TAKEN;
        decision->again_ms = memory->out_ms + settings->minute_ms;
        return;
    }
    decision->why = state->news > 0 ? CAPACITY_TASKS_WAIT : decision->wanted > state->size ? CAPACITY_BELOW_TARGET_ROOM : CAPACITY_BELOW_MIN;
    decision->step = step;
    if (!same_minute) {
        memory->out_ms = state->now_ms;
        memory->out_added = 0;
    }
    memory->out_added += step;
    memory->last_out_ms = state->now_ms;
    memory->below_since_ms = 0;
}

/* ---- in ---- */

/* When a surplus may go. */
static int64_t in_from(const struct capacity_settings *settings, const struct capacity_memory *memory)
{
    int64_t from = memory->below_since_ms + settings->in_after_ms;
    if (memory->last_out_ms != 0) { from = max_i64(from, memory->last_out_ms + max_i64(settings->warmup_ms, settings->in_after_ms)); }
    return memory->last_in_ms == 0 ? from : max_i64(from, memory->last_in_ms + settings->minute_ms);
}

static void take_away(const struct capacity_state *state, int64_t count, enum capacity_why why, struct capacity_decision *decision)
{
    if (state->settings.protects) { count = min_i64(count, state->size - state->used); }
    decision->why = count > 0 ? why : CAPACITY_PROTECTED;
    decision->step = -count;
    if (count > 0) { decision->memory.last_in_ms = state->now_ms; }
}

static void decide_in(const struct capacity_state *state, struct capacity_decision *decision)
{
    const struct capacity_settings *settings = &state->settings;
    struct capacity_memory *memory = &decision->memory;
    int64_t surplus = state->size - max_i64(decision->wanted, settings->size_min);
    if (decision->why == CAPACITY_AT_MAX) {                      /* machines that no waiting task fits on make room for others */
        surplus = min_i64(min_i64(state->size - state->used, state->news), state->size - settings->size_min);
    }
    if (state->size > settings->size_max) {
        take_away(state, state->size - settings->size_max, CAPACITY_ABOVE_MAX, decision);
        return;
    }
    if (surplus <= 0 || settings->in_after_ms == CAPACITY_NEVER) {
        memory->below_since_ms = 0;
        return;
    }
    if (memory->below_since_ms == 0) { memory->below_since_ms = state->now_ms; }
    int64_t from = in_from(settings, memory);
    if (state->now_ms < from) {
        if (decision->why != CAPACITY_AT_MAX) { decision->why = CAPACITY_COUNTING; }
        decision->again_ms = from;
        return;
    }
    take_away(state, min_i64((surplus + 1) / 2, max_i64(state->size / 2, 1)), CAPACITY_SURPLUS, decision);
}

/* ---- all ---- */

struct capacity_decision capacity_decide(const struct capacity_state *state)
{
    const struct capacity_settings *settings = &state->settings;
    ASSERT(state->now_ms > 0 && state->used >= 0 && state->used <= state->size && state->news >= 0);
    ASSERT(settings->step_min >= 1 && settings->step_min <= settings->step_max && settings->size_min >= 0 && settings->size_min <= settings->size_max);
    struct capacity_decision decision = { .needed = state->used + state->news, .size = state->size, .target = settings->target, .memory = state->memory };
    decision.wanted = capacity_wanted(decision.needed, settings->target);
    int64_t more = missing(state, &decision);
    bool at_max = more > 0 && state->size >= settings->size_max;
    decision.tell = at_max && !state->memory.at_max;
    decision.memory.at_max = at_max;
    if (more > 0 && !at_max) {
        decide_out(state, more, &decision);
        return decision;
    }
    if (at_max) { decision.why = CAPACITY_AT_MAX; }
    decide_in(state, &decision);
    return decision;
}

/* ---- which ---- */

size_t capacity_add(const struct capacity_demand *demand, const struct capacity_plan *plan, size_t count, struct capacity_addition *additions)
{
    size_t added = 0;
    for (; added < count && added < plan->new_count; added++) {
        additions[added] = (struct capacity_addition){ plan->news[added].type, &plan->news[added] };
    }
    for (uint32_t t = 0; t < demand->type_count; t++) {
        int64_t left = demand->types[t].left;
        for (size_t a = 0; a < added; a++) { left -= additions[a].type == t; }
        for (; left > 0 && added < count; left--) { additions[added++] = (struct capacity_addition){ t, NULL }; }
    }
    return added;
}

struct candidate { uint32_t at; bool holds; int64_t tasks, since_ms, price; struct id id; };

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *one = a, *other = b;
    if (one->holds != other->holds) { return one->holds ? 1 : -1; }
    if (one->tasks != other->tasks) { return one->tasks < other->tasks ? -1 : 1; }
    if (one->since_ms != other->since_ms) { return one->since_ms < other->since_ms ? -1 : 1; }
    if (one->price != other->price) { return one->price > other->price ? -1 : 1; }
    int order = memcmp(one->id.bytes, other->id.bytes, sizeof one->id.bytes);
    return order != 0 ? order : one->at < other->at ? -1 : 1;
}

size_t capacity_remove(const struct capacity_machine *machines, const bool *reserved, size_t machine_count, size_t count, bool empty_only, uint32_t *removed,
                       struct arena *arena)
{
    struct candidate *candidates = ARENA_NEW(arena, struct candidate, machine_count);
    size_t found = 0;
    for (uint32_t m = 0; m < machine_count; m++) {
        const struct capacity_machine *machine = &machines[m];
        bool holds = machine->busy || reserved[m];
        if (machine->kept || (empty_only && holds)) { continue; }
        candidates[found++] = (struct candidate){ m, holds, holds ? machine->tasks : 0, holds ? 0 : machine->since_ms,
                                                  machine->type == NULL ? PRICE_UNKNOWN : machine->type->price, machine->id };
    }
    if (found > 0) { qsort(candidates, found, sizeof *candidates, compare_candidates); }
    found = min_size(found, count);
    for (size_t c = 0; c < found; c++) { removed[c] = candidates[c].at; }
    return found;
}

size_t capacity_idle(const struct capacity_machine *machines, const bool *reserved, size_t machine_count, int64_t now_ms, int64_t after_ms, uint32_t *idle)
{
    size_t found = 0;
    for (uint32_t m = 0; m < machine_count && after_ms != CAPACITY_NEVER; m++) {
        const struct capacity_machine *machine = &machines[m];
        if (machine->kept || machine->busy || reserved[m] || now_ms - machine->since_ms < after_ms) { continue; }
        idle[found++] = m;
    }
    return found;
}
