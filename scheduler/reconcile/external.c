/* external.c: the strategy EXTERNAL: each task set has its own share of the desired count and is brought to it at once. Between sets nothing rolls: the
 * client's own tool moves the scales. Draining and unhealthy tasks are replaced as with ECS's defaults, 100 and 200 percent of the set. */
#include "scheduler/reconcile/step.h"

int64_t reconcile_computed(int64_t desired, int64_t scale)
{
    ASSERT(desired >= 0 && desired <= INT32_MAX && scale >= 0 && scale <= SCALE_WHOLE);
    return (desired * scale + SCALE_WHOLE - 1) / SCALE_WHOLE;
}

/* A set may always have as many live tasks as computed, except starting ones that stop in this step; replacements may add as many again. */
static int64_t free_of(const struct step *step, int64_t computed)
{
    const struct class_counts *own = &step->counts[step->set];
    return max_i64(computed - live_of(own) + set_pending(step), 2 * computed - live_of(own) - own->of[TASK_LEAVING]);
}

void external_step(struct step *step)
{
    for (step->set = 0; step->set < step->state->deployment_count; step->set++) {
        struct deployment *set = &step->plan->deployments[step->set];
        set->computed = set->deleting ? 0 : reconcile_computed(step->desired, set->scale);
        set_bring(step, set->computed, free_of(step, set->computed));
    }
}

void external_settle(struct step *step)
{
    struct service_plan *plan = step->plan;
    plan->steady = !step->state->closing;
    for (uint32_t d = 0; d < step->state->deployment_count; d++) {
        struct deployment *set = &plan->deployments[d];
        const struct class_counts *own = &step->counts[d];
        int64_t tasks = tasks_of(own);
        step->set = d;
        bool as_computed = tasks - own->of[TASK_LOST] == set->computed && set_healthy_kept(step) == set->computed;
        set->stable = as_computed && !set->deleting && !step->state->closing;
        set->gone = set->deleting && tasks == 0;
        plan->steady = plan->steady && (set->stable || set->gone);
    }
}
