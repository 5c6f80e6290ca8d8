/* moves.c: how stops and starts come into the plan. */
#include "scheduler/reconcile/step.h"

int64_t step_count(const struct step *step, task_filter takes)
{
    int64_t count = 0;
    for (uint32_t t = 0; t < step->state->task_count; t++) { count += takes(step, t); }
    return count;
}

void step_stop_one(struct step *step, uint32_t t, enum stop_why why)
{
    ASSERT(task_is_live(step->classes[t]));
    ASSERT(step->plan->stop_count < step->state->task_count);
    step->healthy -= step->classes[t] == TASK_HEALTHY;
    step->classes[t] = TASK_LEAVING;
    struct deployment *deployment = &step->plan->deployments[step->state->tasks[t].deployment];
    deployment->wanted -= deployment->wanted > 0;
    step->plan->stops[step->plan->stop_count++] = (struct planned_stop){ .task = t, .why = why };
}

/* As many of `count` moves as the plan takes that has `made` of their kind. */
static int64_t within_moves(struct step *step, int64_t count, int64_t made)
{
    int64_t most = step->state->most_moves == 0 ? INT64_MAX : max_i64(0, step->state->most_moves - made);
    step->plan->more |= count > most;
    return min_i64(count, most);
}

int64_t step_stop(struct step *step, task_filter takes, enum stop_why why, int64_t most)
{
    if (most <= 0 || step_count(step, takes) == 0) { return 0; }
    uint32_t *order = ARENA_NEW(step->arena, uint32_t, step->state->task_count);
    int64_t count = within_moves(step, min_i64(most, (int64_t)step_order(step, takes, order)), (int64_t)step->plan->stop_count);
    for (int64_t n = 0; n < count; n++) { step_stop_one(step, order[n], why); }
    return count;
}

/* Starting tasks on draining machines stop in this step: they are no probes. */
static bool is_probing(const struct step *step, uint32_t deployment)
{
    const struct service_task *tasks = step->state->tasks;
    for (uint32_t t = 0; t < step->state->task_count; t++) {
        if (tasks[t].deployment == deployment && step->classes[t] == TASK_STARTING && tasks[t].machine != MACHINE_DRAINING) { return true; }
    }
    return false;
}

/* As many of `count` starts as back-off allows: all, one probe, or none until next_start_ms. */
static int64_t after_backoff(struct step *step, uint32_t d, int64_t count)
{
    enum { PROBES_FROM = 3 };
    const struct failures *failures = &step->plan->deployments[d].failures;
    if (count > 0 && failures->next_start_ms > step->state->now_ms) {
        step_wake(step, failures->next_start_ms);
        return 0;
    }
    if (count == 0 || failures->unstarted < PROBES_FROM) { return count; }
    return is_probing(step, d) ? 0 : 1;
}

/* The minute without room begins with the first start that has none, and again with each that has room; it ends when no start lacks room. Starts that may not
 * wait for a machine, because too many wait, lack no room. */
void step_start(struct step *step, uint32_t d, int64_t due, int64_t room)
{
    struct service_plan *plan = step->plan;
    struct failures *failures = &plan->deployments[d].failures;
    int64_t wanted = within_moves(step, after_backoff(step, d, due), plan->wants), count = min_i64(wanted, room);
    plan->wants += wanted;
    if (step->state->full) { step->refused += wanted - count; } else if (d == step->primary) { step->room_lacks = wanted - count; }
    if (wanted > count && !step->state->full) {
        if (failures->no_room_ms == 0 || count > 0) { failures->no_room_ms = step->state->now_ms; }
        if (plan->deployments[d].rollout == ROLLOUT_IN_PROGRESS || step->state->marks[MARK_NO_ROOM] == 0) {
            step_wake(step, failures->no_room_ms + MINUTE_MS);
        }
    } else {
        failures->no_room_ms = 0;
    }
    if (count <= 0) { return; }
    plan->deployments[d].progressed_ms = step->state->now_ms;
    int64_t unhealthy = d == step->target ? 0 : min_i64(count, step->counts[d].of[TASK_UNHEALTHY]);
    plan->starts[plan->start_count++] = (struct planned_start){ d, count, unhealthy, ANY_ZONE };
}
