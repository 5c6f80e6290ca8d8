/* outcome.c: how a deployment ends: it fails and the service returns to the one before, or the service is steady and it is completed. */
#include "scheduler/reconcile/step.h"

/* Without a breaker the tasks for which old ones made room may fail as often as with ECS's smallest threshold. */
static bool has_failed_too_often(const struct service_state *state, const struct failures *failures, int64_t desired)
{
    enum { FAILURES_IN_PLACE = 3 };
    if (state->breaker.enabled) { return failures->failed >= breaker_threshold(&state->breaker, desired); }
    return state->stops_first > 0 && state->kept > 0 && failures->failed >= FAILURES_IN_PLACE;
}

/* When a lack of progress fails the PRIMARY; 0: never. A rollout with traffic has this limit while green starts; its other stages have their own. */
static int64_t progress_end_ms(const struct step *step)
{
    const struct rollout_at *at = &step->plan->traffic.at;
    if (step->state->progress_ms == 0 || (has_traffic(step) && at->stage != STAGE_SCALE_UP)) { return 0; }
    return max_i64(primary_of(step)->progressed_ms, at->stage_since_ms) + step->state->progress_ms;
}

static enum rollout_failure failure_of(struct step *step)
{
    const struct service_state *state = step->state;
    const struct deployment *primary = primary_of(step);
    if (state->closing || primary->rollout != ROLLOUT_IN_PROGRESS) { return FAILURE_NONE; }
    if (state->act == ACT_STOP_REQUESTED) { return FAILURE_USER; }
    if (has_traffic(step) && traffic_has_no_way_back(step)) { return FAILURE_NONE; }
    if (state->act == ACT_ROLLBACK_REQUESTED) { return FAILURE_USER; }
    if (state->alarm) { return FAILURE_ALARM; }
    if (has_failed_too_often(state, &primary->failures, step->desired)) { return FAILURE_BREAKER; }
    int64_t end_ms = progress_end_ms(step);
    if (end_ms != 0 && state->now_ms >= end_ms) { return FAILURE_NO_PROGRESS; }
    return has_traffic(step) ? traffic_failure(step) : FAILURE_NONE;
}

static bool asks_rollback(const struct step *step, enum rollout_failure failure)
{
    const struct service_state *state = step->state;
    if (failure == FAILURE_BREAKER || failure == FAILURE_NO_PROGRESS) { return state->breaker.rollback; }
    return failure == FAILURE_ALARM ? state->alarm_rollback : state->act != ACT_STOP_REQUESTED;
}

void step_fail(struct step *step)
{
    struct service_plan *plan = step->plan;
    plan->failure = failure_of(step);
    plan->failed_stage = plan->traffic.at.stage;
    if (plan->failure == FAILURE_NONE) { return; }
    bool asked = asks_rollback(step, plan->failure);
    struct deployment *failed = primary_of(step);
    step->rolls_back = asked && step->target != NO_DEPLOYMENT && !failed->rolled_back_to;
    bool back = !step->rolls_back && step->target != NO_DEPLOYMENT && step->state->kept > 0 && step->state->act != ACT_STOP_REQUESTED;
    if (back) { plan->deployments[step->target].wanted += step->state->kept; }
    step->failure = plan->failure == FAILURE_BREAKER ? (back ? EVENT_BACK_IN_PLACE : EVENT_FAILED_TO_START)
        : plan->failure == FAILURE_ALARM ? EVENT_ALARM : EVENT_FAILED;
    step->failed = step->primary;
    failed->rollout = ROLLOUT_FAILED;
    plan->act = failed->rolled_back_to || (asked && !step->rolls_back) ? ACT_ROLLBACK_FAILED : ACT_STOPPED;
    if (!step->rolls_back) { return; }
    struct deployment *target = &plan->deployments[step->target];
    ASSERT(target->rollout != ROLLOUT_FAILED && target->role == DEPLOYMENT_ACTIVE);
    failed->role = DEPLOYMENT_ACTIVE;
    failed->wanted = live_of(&step->counts[step->primary]);
    target->role = DEPLOYMENT_PRIMARY;
    target->rollout = ROLLOUT_IN_PROGRESS;
    target->rolled_back_to = true;
    target->failures = (struct failures){ 0 };
    plan->act = ACT_ROLLBACK_IN_PROGRESS;
}

/* Each task of the service is a healthy one of the PRIMARY, on a machine that stays. Tasks that are leaving delay it: clients count them too. */
static bool is_steady(const struct step *step)
{
    int64_t desired = step->desired;
    const struct class_counts *own = &step->counts[step->primary];
    if (step->state->strategy == ROLLOUT_MANAGED) { return managed_is_steady(step); }
    if (step->state->closing || step->between_stages || step_has_failed(step) || step->plan->stop_count > 0 || step->all.draining > 0) { return false; }
    return own->of[TASK_HEALTHY] == desired && tasks_of(&step->all) - own->of[TASK_LOST] == desired;
}

/* Old deployments leave the list with their last task. The one that a failure would return to stays until the PRIMARY is completed. */
static void drop_deployments(struct step *step)
{
    bool completed = primary_of(step)->rollout == ROLLOUT_COMPLETED;
    for (uint32_t d = 0; d < step->state->deployment_count; d++) {
        if (d != step->primary && tasks_of(&step->counts[d]) == 0 && (completed || d != step->target)) { step->plan->deployments[d].gone = true; }
    }
}

void step_settle(struct step *step)
{
    struct service_plan *plan = step->plan;
    struct deployment *primary = primary_of(step);
    plan->steady = is_steady(step);
    if (plan->steady && primary->rollout == ROLLOUT_IN_PROGRESS) {
        primary->rollout = ROLLOUT_COMPLETED;
        primary->failures.failed = 0;
        plan->act = primary->rolled_back_to ? ACT_ROLLBACK_SUCCESSFUL : ACT_SUCCESSFUL;
        primary->rolled_back_to = false;
    }
    if (primary->rollout == ROLLOUT_IN_PROGRESS) { step_wake(step, progress_end_ms(step)); }
    drop_deployments(step);
}
