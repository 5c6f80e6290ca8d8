/* classify.c: the class of each task, and the order in which tasks stop. */
#include <stdlib.h>

#include "scheduler/reconcile/step.h"

void step_wake(struct step *step, int64_t at_ms)
{
    int64_t *wake = &step->plan->wake_ms;
    if (at_ms > step->state->now_ms && (*wake == 0 || at_ms < *wake)) { *wake = at_ms; }
}

/* *at_ms: when a class changes by time alone; 0: it does not. */
static enum task_class class_when_running(const struct service_state *state, const struct service_task *task, int64_t *at_ms)
{
    switch (task->health) {
    case HEALTH_NO_CHECK:
        *at_ms = task->running_since_ms + state->healthy_after_ms;
        return state->now_ms >= *at_ms ? TASK_HEALTHY : TASK_WARMING;
    case HEALTH_BAD:
        *at_ms = task->running_since_ms + state->grace_ms;
        return state->now_ms >= *at_ms ? TASK_UNHEALTHY : TASK_WARMING;
    case HEALTH_NOT_KNOWN:
        return TASK_WARMING;
    case HEALTH_GOOD:
        return TASK_HEALTHY;
    }
    return TASK_WARMING;
}

static enum task_class class_of(const struct service_state *state, const struct service_task *task, int64_t *at_ms)
{
    *at_ms = 0;
    if (task->machine == MACHINE_LOST) { return TASK_LOST; }
    if (task->leaving) { return TASK_LEAVING; }
    return task->running ? class_when_running(state, task, at_ms) : TASK_STARTING;
}

bool reconcile_is_healthy(const struct service_state *state, const struct service_task *task)
{
    int64_t at_ms;
    return class_of(state, task, &at_ms) == TASK_HEALTHY;
}

void step_classify(struct step *step)
{
    const struct service_state *state = step->state;
    step->classes = ARENA_NEW(step->arena, enum task_class, state->task_count);
    step->counts = ARENA_NEW(step->arena, struct class_counts, state->deployment_count);
    step->plan->healthy = ARENA_NEW(step->arena, uint32_t, state->task_count);
    for (uint32_t t = 0; t < state->task_count; t++) {
        const struct service_task *task = &state->tasks[t];
        ASSERT(task->deployment < state->deployment_count && (task->waits || (task->zone < state->zone_count && task->instance < state->instance_count)));
        ASSERT(!task->waits || (!task->running && !task->leaving && task->machine == MACHINE_READY));
        int64_t at_ms;
        enum task_class class = step->classes[t] = class_of(state, task, &at_ms);
        step_wake(step, at_ms);
        struct class_counts *counts = &step->counts[task->deployment];
        bool draining = task_is_live(class) && task->machine == MACHINE_DRAINING;
        counts->of[class]++;
        counts->draining += draining;
        step->all.of[class]++;
        step->all.draining += draining;
        if (class == TASK_HEALTHY && !task->was_healthy) { step->plan->healthy[step->plan->healthy_count++] = t; }
        if (task->protected_until_ms > state->now_ms) { step_wake(step, task->protected_until_ms); }
    }
    step->healthy = step->all.of[TASK_HEALTHY];
}

/* ---- the order in which tasks stop ----
 * By class; then of the PRIMARY's tasks those that its capacity provider strategy takes first; then from the zone with the most tasks, then from the
 * instance with the most, as they are when those before have stopped; then the newest. The task that is the n-th to stop in its zone meets a zone of
 * n - 1 tasks fewer: so one sort by zone gives each task the size of its zone at its turn, and the last sort needs no counting. The same holds for
 * instances. */
struct candidate { uint32_t task, rank, zone, instance, provider; int64_t turn, zone_size, instance_size, since; struct id id; };

static int compare(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

static int by_age(const struct candidate *a, const struct candidate *b)
{
    int order = compare(b->since, a->since);
    return order != 0 ? order : id_cmp(b->id, a->id);
}

static int by_instance(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = compare(a->instance, b->instance);
    if (order == 0) { order = compare(a->rank, b->rank); }
    return order != 0 ? order : by_age(a, b);
}

static int by_instance_size(const struct candidate *a, const struct candidate *b)
{
    int order = compare(b->instance_size, a->instance_size);
    return order != 0 ? order : by_age(a, b);
}

static int by_zone(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = compare(a->zone, b->zone);
    if (order == 0) { order = compare(a->rank, b->rank); }
    return order != 0 ? order : by_instance_size(a, b);
}

static int by_rank(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = compare(a->rank, b->rank);
    if (order == 0) { order = compare(a->turn, b->turn); }
    if (order == 0) { order = compare(b->zone_size, a->zone_size); }
    return order != 0 ? order : by_instance_size(a, b);
}

static int by_provider(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = compare(a->provider, b->provider);
    return order != 0 ? order : by_rank(a, b);
}

/* Those that wait for a machine, unhealthy ones, those on draining machines, starting, warming, healthy; of equal ones those of the deployment that a failure
 * returns to last. */
static uint32_t rank_of(const struct step *step, uint32_t t)
{
    static const uint32_t ranks[TASK_CLASS_COUNT] = { [TASK_UNHEALTHY] = 1, [TASK_STARTING] = 3, [TASK_WARMING] = 4, [TASK_HEALTHY] = 5 };
    ASSERT(task_is_live(step->classes[t]));
    const struct service_task *task = &step->state->tasks[t];
    uint32_t rank = task->waits ? 0 : ranks[step->classes[t]];
    if (rank > 2 && task->machine == MACHINE_DRAINING) { rank = 2; }
    return 2 * rank + (task->deployment == step->target);
}

/* The strategy says from which provider the first task goes, the second, and so on: the turns. The n-th candidate of a provider has its n-th turn. */
static void give_turns(const struct step *step, struct candidate *candidates, size_t count)
{
    const struct service_state *state = step->state;
    struct provider_share *shares = arena_copy(step->arena, state->shares, state->share_count * sizeof *shares);
    size_t *turns = ARENA_NEW(step->arena, size_t, state->task_count), turn_count = 0, at = 0;
    for (uint32_t t = 0; t < state->task_count; t++) {
        bool counts = task_is_live(step->classes[t]) && !task_is_old(step, t) && state->tasks[t].provider < state->share_count;
        if (counts) {
            shares[state->tasks[t].provider].tasks++;
            turn_count++;
        }
    }
    for (size_t n = 0; n < turn_count; n++) { turns[n] = strategy_remove(shares, state->share_count); }
    qsort(candidates, count, sizeof *candidates, by_provider);
    for (size_t c = 0; c < count && candidates[c].provider < state->share_count; c++) {
        at = c > 0 && candidates[c].provider == candidates[c - 1].provider ? at + 1 : 0;
        while (turns[at] != candidates[c].provider) { at++; }
        ASSERT(at < turn_count);
        candidates[c].turn = (int64_t)at;
    }
}

size_t step_order(const struct step *step, task_filter takes, uint32_t *order)
{
    const struct service_state *state = step->state;
    struct candidate *candidates = ARENA_NEW(step->arena, struct candidate, state->task_count);
    int64_t *zones = ARENA_NEW(step->arena, int64_t, state->zone_count + 1), *instances = ARENA_NEW(step->arena, int64_t, state->instance_count + 1);
    size_t count = 0;
    for (uint32_t t = 0; t < state->task_count; t++) {
        const struct service_task *task = &state->tasks[t];
        if (!task_is_live(step->classes[t])) { continue; }
        uint32_t zone = task->waits ? state->zone_count : task->zone, instance = task->waits ? state->instance_count : task->instance;
        zones[zone]++;
        instances[instance]++;
        if (!takes(step, t)) { continue; }
        candidates[count++] = (struct candidate){
            .task = t, .rank = rank_of(step, t), .zone = zone, .instance = instance, .since = task->running_since_ms, .id = task->id,
            .provider = task_is_old(step, t) ? (uint32_t)state->share_count : task->provider,
        };
    }
    qsort(candidates, count, sizeof *candidates, by_instance);
    for (size_t c = 0; c < count; c++) { candidates[c].instance_size = instances[candidates[c].instance]--; }
    qsort(candidates, count, sizeof *candidates, by_zone);
    for (size_t c = 0; c < count; c++) { candidates[c].zone_size = zones[candidates[c].zone]--; }
    if (state->share_count > 0) { give_turns(step, candidates, count); }
    qsort(candidates, count, sizeof *candidates, by_rank);
    for (size_t c = 0; c < count; c++) { order[c] = candidates[c].task; }
    return count;
}
