/* managed.c: the strategy MANAGED: a managed daemon. It has one task on each instance that counts, before any other task is placed there. Machines whose
 * task is old are drained and replaced, a batch at a time: the other tasks go first, then the daemon. Where there are no other tasks, the daemon alone
 * is replaced. The next batch waits until each instance has a healthy task, and until the bake time is over. */
#include "scheduler/reconcile/step.h"

/* ---- which instances ---- */

/* Nothing starts where the agent is gone, so nothing is replaced there. */
static bool is_old_here(const struct step *step, uint32_t t)
{
    const struct daemon_instance *instance = daemon_instance_of(step, t);
    return task_is_live(step->classes[t]) && task_is_old(step, t) && daemon_counts(instance) && instance->connected;
}
static bool takes_old(const struct step *step, uint32_t t) { return is_old_here(step, t) && step->classes[t] == TASK_HEALTHY; }
/* Others may count on one that is warming: it is healthy soon, and then its machine drains. */
static bool takes_old_useless(const struct step *step, uint32_t t)
{
    return is_old_here(step, t) && (step->classes[t] == TASK_STARTING || step->classes[t] == TASK_UNHEALTHY);
}
static bool takes_sick(const struct step *step, uint32_t t)
{
    const struct daemon_instance *instance = daemon_instance_of(step, t);
    return step->classes[t] == TASK_UNHEALTHY && !task_is_old(step, t) && daemon_counts(instance) && instance->connected;
}
static bool takes_any(const struct step *step, uint32_t t) { return task_is_live(step->classes[t]); }
static bool takes_any_here(const struct step *step, uint32_t t) { return takes_any(step, t) && daemon_counts(daemon_instance_of(step, t)); }
static bool takes_alone(const struct step *step, uint32_t t)
{
    const struct daemon_instance *instance = daemon_instance_of(step, t);
    return takes_any(step, t) && (!instance->matches || !instance->others);
}
static bool is_old_in_drain(const struct step *step, uint32_t t)
{
    return task_is_live(step->classes[t]) && task_is_old(step, t) && daemon_instance_of(step, t)->draining && daemon_instance_of(step, t)->matches;
}
static bool is_in_drain(const struct step *step, uint32_t t) { return takes_any(step, t) && daemon_instance_of(step, t)->draining; }
static bool is_new(const struct step *step, uint32_t t) { return task_is_live(step->classes[t]) && !task_is_old(step, t); }
static bool is_old(const struct step *step, uint32_t t) { return step->classes[t] != TASK_LOST && task_is_old(step, t); }

static int64_t batch_of(const struct step *step, int64_t instances)
{
    enum { WHOLE = 100 * 1000 };
    ASSERT(step->state->managed.drain >= 0 && step->state->managed.drain <= WHOLE);
    return max_i64(1, instances * step->state->managed.drain / WHOLE);
}

/* Instances that count, whose agent is there, and that have no healthy task. */
static int64_t count_without(const struct step *step)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < step->state->instance_count; i++) {
        const struct daemon_instance *instance = &step->state->daemon_instances[i];
        uint32_t best = step->best[i];
        count += daemon_counts(instance) && instance->connected && (best == UINT32_MAX || step->classes[best] != TASK_HEALTHY);
    }
    return count;
}

/* ---- drains ---- */

static void drain(struct step *step, uint32_t instance)
{
    struct service_plan *plan = step->plan;
    ASSERT(plan->drain_count < step->state->instance_count);
    plan->drains[plan->drain_count++] = instance;
}

/* The machines of tasks that `takes` takes leave, `most` of them; a task without others beside it stops alone. */
static void replace(struct step *step, task_filter takes, enum stop_why why, int64_t most)
{
    uint32_t *order = ARENA_NEW(step->arena, uint32_t, step->state->task_count);
    int64_t count = min_i64(most, (int64_t)step_order(step, takes, order));
    for (int64_t n = 0; n < count; n++) {
        uint32_t instance = step->state->tasks[order[n]].instance;
        if (step->state->daemon_instances[instance].others) { drain(step, instance); } else { step_stop_one(step, order[n], why); }
    }
}

/* A machine that is full of other tasks has no room for the daemon: it is replaced, too. */
static void drain_full(struct step *step)
{
    int64_t left = batch_of(step, step->desired);
    const struct daemon_instance *instances = step->state->daemon_instances;
    const bool *holds = daemon_held(step);
    for (uint32_t i = 0; i < step->state->instance_count; i++) { left -= instances[i].matches && instances[i].draining; }
    for (uint32_t i = 0; i < step->state->instance_count && left > 0; i++) {
        const struct daemon_instance *instance = &instances[i];
        bool is_full = daemon_counts(instance) && instance->connected && !instance->room && instance->others && !holds[i];
        if (!is_full) { continue; }
        drain(step, i);
        left--;
        step->plan->more = true;                                 /* it is missed no more */
    }
}

/* ---- the step ---- */

/* True: the next batch, or the end, may come. A rollback does not wait. */
static bool has_baked(struct step *step)
{
    struct managed_rollout *at = &step->plan->managed;
    int64_t bake_ms = step->state->managed.bake_ms;
    if (bake_ms == 0 || is_rolling_back(step) || primary_of(step)->rollout != ROLLOUT_IN_PROGRESS || step_count(step, is_new) == 0) { return true; }
    if (at->bake_since_ms == 0) { at->bake_since_ms = step->state->now_ms; }
    step_wake(step, at->bake_since_ms + bake_ms);
    return step->state->now_ms >= at->bake_since_ms + bake_ms;
}

static void next_batch(struct step *step)
{
    struct managed_rollout *at = &step->plan->managed;
    bool whole = count_without(step) == 0 && step_count(step, is_old_in_drain) == 0;
    if (!whole) {
        at->bake_since_ms = 0;
        step->bakes = true;
        return;
    }
    step->bakes = !has_baked(step);
    if (step->bakes || step_has_failed(step)) { return; }
    size_t before = step->plan->stop_count + step->plan->drain_count;
    replace(step, takes_old, STOP_OLD, batch_of(step, step->desired));
    if (step->plan->stop_count + step->plan->drain_count == before) { return; }
    at->batches++;
    at->bake_since_ms = 0;
}

/* One at a time, and only where it can start again. */
static void stop_sick(struct step *step)
{
    const struct class_counts *own = &step->counts[step->primary];
    bool moves = step->plan->stop_count + step->plan->start_count > 0 || step->all.of[TASK_LEAVING] + own->of[TASK_STARTING] + own->of[TASK_WARMING] > 0;
    if (!moves && !step_has_failed(step)) { (void)step_stop(step, takes_sick, STOP_UNHEALTHY, 1); }
}

void managed_step(struct step *step)
{
    step->plan->drains = ARENA_NEW(step->arena, uint32_t, step->state->instance_count);
    daemon_begin(step);
    if (!step_has_failed(step)) { (void)step_stop(step, takes_old_useless, STOP_OLD, INT64_MAX); }
    if (!step_has_failed(step)) { drain_full(step); }
    next_batch(step);
    stop_sick(step);
}

/* Deleted: its machines are drained in batches, and the daemon stops last on each. */
void managed_close(struct step *step)
{
    step->plan->drains = ARENA_NEW(step->arena, uint32_t, step->state->instance_count);
    (void)step_stop(step, takes_alone, STOP_CLOSING, INT64_MAX);
    int64_t left = batch_of(step, step->desired) - step_count(step, is_in_drain);
    if (left > 0) { replace(step, takes_any_here, STOP_CLOSING, left); }
    step->plan->waits_to_close = step_count(step, takes_any) > 0;
}

/* Tasks of the PRIMARY that leave or whose machine drains delay nothing: machines come and go. */
bool managed_is_steady(const struct step *step)
{
    return !step->state->closing && !step->bakes && !step_has_failed(step) && count_without(step) == 0 && step_count(step, is_old) == 0;
}
