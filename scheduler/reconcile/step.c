/* step.c: one step of a service, in this order: failures, classes of tasks, the strategy's starts and stops, the state, the events. */
#include "scheduler/reconcile/step.h"

static int64_t desired_as_asked(const struct service_state *state) { return state->desired; }

static const struct {
    int64_t (*desired)(const struct service_state *state);
    void (*step)(struct step *step), (*settle)(struct step *step);
} strategies[ROLLOUT_STRATEGY_COUNT] = {
    [ROLLOUT_ROLLING] = { desired_as_asked, rolling_step, step_settle },
    [ROLLOUT_DAEMON] = { daemon_desired, daemon_step, step_settle },
    [ROLLOUT_MANAGED] = { daemon_desired, managed_step, step_settle },
    [ROLLOUT_EXTERNAL] = { desired_as_asked, external_step, external_settle },
    [ROLLOUT_BLUE_GREEN] = { desired_as_asked, traffic_step, step_settle },
    [ROLLOUT_LINEAR] = { desired_as_asked, traffic_step, step_settle },
    [ROLLOUT_CANARY] = { desired_as_asked, traffic_step, step_settle },
};

static bool takes_all(const struct step *step, uint32_t t) { return task_is_live(step->classes[t]); }

/* Nothing of a deployment that failed starts any more: no machine is to come for it. */
static bool waits_in_vain(const struct step *step, uint32_t t)
{
    const struct service_task *task = &step->state->tasks[t];
    return task->waits && task_is_live(step->classes[t]) && step->plan->deployments[task->deployment].rollout == ROLLOUT_FAILED;
}

/* The deployment that a failure returns to: the newest COMPLETED one that is not the PRIMARY; of strategies with traffic: blue. */
static bool can_return_to(const struct step *step, const struct deployment *deployment)
{
    if (has_traffic(step)) { return deployment->digits == step->plan->traffic.at.blue && deployment->rollout != ROLLOUT_FAILED; }
    return deployment->rollout == ROLLOUT_COMPLETED;
}

static void find_deployments(struct step *step)
{
    const struct deployment *deployments = step->plan->deployments;
    step->primary = step->target = NO_DEPLOYMENT;
    for (uint32_t d = 0; d < step->state->deployment_count; d++) {
        if (deployments[d].role == DEPLOYMENT_PRIMARY) {
            ASSERT(step->primary == NO_DEPLOYMENT);
            step->primary = d;
        } else if (can_return_to(step, &deployments[d])) {
            step->target = d;
        }
    }
    ASSERT(step->primary != NO_DEPLOYMENT || is_external(step));
}

/* Minutes since the last step in which a start was due and nothing had room. */
static void count_minutes_without_room(struct step *step)
{
    for (size_t d = 0; d < step->state->deployment_count; d++) {
        struct deployment *deployment = &step->plan->deployments[d];
        struct failures *failures = &deployment->failures;
        int64_t minutes = failures->no_room_ms == 0 ? 0 : max_i64(0, (step->state->now_ms - failures->no_room_ms) / MINUTE_MS);
        if (minutes == 0 || d != step->primary || deployment->rollout != ROLLOUT_IN_PROGRESS || step->state->waits_for_room) { continue; }
        failures->failed += minutes;
        failures->no_room_ms += minutes * MINUTE_MS;
    }
}

static void reset_failures(struct step *step)
{
    const struct service_plan *plan = step->plan;
    for (size_t n = 0; n < plan->healthy_count; n++) {
        struct deployment *deployment = &plan->deployments[step->state->tasks[plan->healthy[n]].deployment];
        deployment->failures.crashed = 0;
        deployment->progressed_ms = step->state->now_ms;
        if (step->state->breaker.reset_on_healthy) { deployment->failures.failed = 0; }
    }
}

bool reconcile(const struct service_state *state, struct arena *arena, struct service_plan *plan)
{
    ASSERT((int)state->strategy >= 0 && state->strategy < ROLLOUT_STRATEGY_COUNT && state->now_ms > 0);
    if (state->strategy >= ROLLOUT_BLUE_GREEN && state->traffic.begun_ms == 0) { return false; }
    *plan = (struct service_plan){ .act = state->act, .traffic.at = state->traffic.at, .managed = state->managed.at, .pull = NO_TASK };
    plan->deployments = arena_copy(arena, state->deployments, state->deployment_count * sizeof *plan->deployments);
    plan->starts = ARENA_NEW(arena, struct planned_start, state->deployment_count);
    plan->stops = ARENA_NEW(arena, struct planned_stop, state->task_count);
    struct step step = { .state = state, .plan = plan, .arena = arena, .failure = EVENT_KIND_COUNT };
    step.desired = plan->desired = strategies[state->strategy].desired(state);
    step.lower = reconcile_lower(step.desired, state->min_percent);
    step.upper = reconcile_upper(step.desired, state->max_percent);
    if (has_traffic(&step)) { traffic_begin(&step); }
    find_deployments(&step);
    step_classify(&step);
    reset_failures(&step);
    count_minutes_without_room(&step);
    if (!is_external(&step)) { step_fail(&step); }
    find_deployments(&step);
    if (state->closing && state->strategy == ROLLOUT_MANAGED) {
        managed_close(&step);
    } else if (state->closing) {
        (void)step_stop(&step, takes_all, STOP_CLOSING, INT64_MAX);
    } else {
        (void)step_stop(&step, waits_in_vain, STOP_IN_VAIN, INT64_MAX);
        strategies[state->strategy].step(&step);
    }
    strategies[state->strategy].settle(&step);
    if (!is_external(&step)) { zones_step(&step); }
    step_events(&step);
    return true;
}
