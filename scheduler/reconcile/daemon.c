/* daemon.c: the strategy DAEMON: one task on each instance that counts. An instance counts if it matches and is not draining, with room or without. */
#include "scheduler/reconcile/step.h"

bool daemon_counts(const struct daemon_instance *instance) { return instance->matches && !instance->draining; }

int64_t daemon_desired(const struct service_state *state)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < state->instance_count; i++) { count += daemon_counts(&state->daemon_instances[i]); }
    return count;
}

/* ---- stops ---- */
const struct daemon_instance *daemon_instance_of(const struct step *step, uint32_t t)
{
    return &step->state->daemon_instances[step->state->tasks[t].instance];
}

static bool is_misplaced(const struct step *step, uint32_t t) { return task_is_live(step->classes[t]) && !daemon_instance_of(step, t)->matches; }
static bool takes_misplaced(const struct step *step, uint32_t t) { return is_misplaced(step, t) && !task_is_protected(step, t); }
static bool takes_draining(const struct step *step, uint32_t t)
{
    const struct daemon_instance *instance = daemon_instance_of(step, t);
    return task_is_live(step->classes[t]) && instance->draining && !instance->others;
}
static bool takes_double(const struct step *step, uint32_t t)
{
    return task_is_live(step->classes[t]) && !task_is_protected(step, t) && step->best[step->state->tasks[t].instance] != t;
}
static bool is_movable_old(const struct step *step, uint32_t t)
{
    return task_is_live(step->classes[t]) && task_is_old(step, t) && !task_is_protected(step, t) && daemon_counts(daemon_instance_of(step, t));
}
static bool takes_old_useless(const struct step *step, uint32_t t) { return is_movable_old(step, t) && step->classes[t] != TASK_HEALTHY; }
static bool takes_old(const struct step *step, uint32_t t) { return is_movable_old(step, t) && step->classes[t] == TASK_HEALTHY; }
static bool takes_unhealthy(const struct step *step, uint32_t t) { return !task_is_old(step, t) && step->classes[t] == TASK_UNHEALTHY; }
static bool is_serving(const struct step *step, uint32_t t) { return step->classes[t] == TASK_HEALTHY && daemon_counts(daemon_instance_of(step, t)); }
static bool is_protected_old(const struct step *step, uint32_t t)
{
    return task_is_live(step->classes[t]) && task_is_old(step, t) && task_is_protected(step, t) && daemon_counts(daemon_instance_of(step, t));
}

/* The better of two tasks on one instance stays: a protected one, then the PRIMARY's, then the one nearer to healthy, then the older. */
static bool is_better(const struct step *step, uint32_t t, uint32_t than)
{
    const struct service_task *a = &step->state->tasks[t], *b = &step->state->tasks[than];
    if (task_is_protected(step, t) != task_is_protected(step, than)) { return task_is_protected(step, t); }
    if (task_is_old(step, t) != task_is_old(step, than)) { return !task_is_old(step, t); }
    if (step->classes[t] != step->classes[than]) { return step->classes[t] > step->classes[than]; }
    return id_cmp(a->id, b->id) < 0;
}

static void find_best(struct step *step)
{
    const struct service_state *state = step->state;
    uint32_t *best = ARENA_NEW(step->arena, uint32_t, state->instance_count);
    memset(best, 0xff, state->instance_count * sizeof *best);
    for (uint32_t t = 0; t < state->task_count; t++) {
        uint32_t *place = &best[state->tasks[t].instance];
        if (task_is_live(step->classes[t]) && (*place == UINT32_MAX || is_better(step, t, *place))) { *place = t; }
    }
    step->best = best;
}

/* The lower limit bounds how many instances are without a healthy daemon at a time. A failed deployment keeps the old daemons. */
static void stop_old(struct step *step)
{
    if (step_has_failed(step)) { return; }
    (void)step_stop(step, takes_old_useless, STOP_OLD, INT64_MAX);
    int64_t budget = step_count(step, is_serving) - step->lower;
    budget -= step_stop(step, takes_old, STOP_OLD, budget);
    step->limited = step->lower >= step->desired && step_count(step, takes_old) > 0;
    if (budget > 0) { step->protected_out += min_i64(budget, step_count(step, is_protected_old)); }
}

static void stop_unhealthy(struct step *step)
{
    const struct class_counts *own = &step->counts[step->primary];
    bool moves = step->plan->stop_count + step->plan->start_count > 0 || step->all.of[TASK_LEAVING] + own->of[TASK_STARTING] + own->of[TASK_WARMING] > 0;
    if (!moves && !step_has_failed(step)) { (void)step_stop(step, takes_unhealthy, STOP_UNHEALTHY, 1); }
}

/* ---- starts ---- */
const bool *daemon_held(const struct step *step)
{
    bool *holds = ARENA_NEW(step->arena, bool, step->state->instance_count);
    for (uint32_t t = 0; t < step->state->task_count; t++) { holds[step->state->tasks[t].instance] |= step->classes[t] != TASK_LOST; }
    return holds;
}

/* Instances that count, with their agent there and no task of the service, not even one that is leaving. */
static void start_missing(struct step *step)
{
    const struct service_state *state = step->state;
    struct service_plan *plan = step->plan;
    const bool *holds = daemon_held(step);
    plan->places = ARENA_NEW(step->arena, uint32_t, state->instance_count);
    int64_t room = 0;
    for (uint32_t i = 0; i < state->instance_count; i++) {
        const struct daemon_instance *instance = &state->daemon_instances[i];
        if (step_has_failed(step) || !daemon_counts(instance) || !instance->connected || holds[i]) { continue; }
        step->due++;
        if (instance->room) { plan->places[room++] = i; }
    }
    step_start(step, step->primary, step->due, room);
    plan->place_count = plan->start_count == 0 ? 0 : (size_t)plan->starts[0].count;
}

void daemon_begin(struct step *step)
{
    ASSERT(step->state->daemon_instances != NULL || step->state->instance_count == 0);
    find_best(step);
    start_missing(step);
    (void)step_stop(step, takes_misplaced, STOP_NO_MATCH, INT64_MAX);
    (void)step_stop(step, takes_draining, STOP_DRAINING, INT64_MAX);
    step->protected_out = step_count(step, is_misplaced);
    (void)step_stop(step, takes_double, STOP_SURPLUS, INT64_MAX);
}

void daemon_step(struct step *step)
{
    daemon_begin(step);
    stop_old(step);
    stop_unhealthy(step);
}
