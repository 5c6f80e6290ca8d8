/* external.c: the strategy EXTERNAL: each task set has its own share of the desired count and is brought to it at once. Between sets nothing rolls: the
 * client's own tool moves the scales. Draining and unhealthy tasks are replaced as with ECS's defaults, 100 and 200 percent of the set. */
#include "scheduler/reconcile/step.h"

int64_t reconcile_computed(int64_t desired, int64_t scale)
{
    ASSERT(desired >= 0 && desired <= INT32_MAX && scale >= 0 && scale <= SCALE_WHOLE);
    return (desired * scale + SCALE_WHOLE - 1) / SCALE_WHOLE;
}

/* ---- which tasks a rule takes, of step->set ---- */
static bool is_own(const struct step *step, uint32_t t) { return step->state->tasks[t].deployment == step->set && task_is_live(step->classes[t]); }
static bool is_draining(const struct step *step, uint32_t t) { return step->state->tasks[t].machine == MACHINE_DRAINING; }
static bool is_kept(const struct step *step, uint32_t t) { return is_own(step, t) && !is_draining(step, t) && step->classes[t] != TASK_UNHEALTHY; }
static bool takes_surplus(const struct step *step, uint32_t t) { return is_kept(step, t) && !task_is_protected(step, t); }
static bool is_protected(const struct step *step, uint32_t t) { return is_kept(step, t) && task_is_protected(step, t); }
static bool is_healthy(const struct step *step, uint32_t t) { return is_own(step, t) && step->classes[t] == TASK_HEALTHY; }
static bool is_healthy_kept(const struct step *step, uint32_t t) { return is_kept(step, t) && step->classes[t] == TASK_HEALTHY; }
static bool takes_pending(const struct step *step, uint32_t t) { return is_own(step, t) && is_draining(step, t) && step->classes[t] == TASK_STARTING; }
static bool takes_draining(const struct step *step, uint32_t t) { return is_healthy(step, t) && is_draining(step, t); }
static bool takes_sick(const struct step *step, uint32_t t) { return is_own(step, t) && is_draining(step, t) && step->classes[t] != TASK_HEALTHY; }
static bool takes_unhealthy(const struct step *step, uint32_t t)
{
    return is_own(step, t) && !is_draining(step, t) && step->classes[t] == TASK_UNHEALTHY;
}

/* A set may always have as many live tasks as computed, except starting ones that stop in this step; replacements may add as many again. */
static void start_set(struct step *step, int64_t *room)
{
    const struct class_counts *own = &step->counts[step->set];
    int64_t computed = step->plan->deployments[step->set].computed, live = live_of(own), lacking = computed - step_count(step, is_kept);
    int64_t staying = live - step_count(step, takes_pending);
    int64_t due = max_i64(0, max_i64(computed - staying, min_i64(lacking, 2 * computed - live - own->of[TASK_LEAVING])));
    step->due += due;
    step_start(step, step->set, due, room);
}

static void stop_set(struct step *step)
{
    int64_t computed = step->plan->deployments[step->set].computed, surplus = step_count(step, is_kept) - computed;
    surplus -= step_stop(step, takes_surplus, STOP_SURPLUS, surplus);
    if (surplus > 0) {
        step->protected_out += min_i64(surplus, step_count(step, is_protected));
        step->protected_in = step->set;
    }
    (void)step_stop(step, takes_pending, STOP_DRAINING, INT64_MAX);
    (void)step_stop(step, takes_unhealthy, STOP_UNHEALTHY, step_count(step, is_healthy_kept) + step_count(step, takes_unhealthy) - computed);
    int64_t healthy = step_count(step, is_healthy);
    if (healthy >= computed) { (void)step_stop(step, takes_sick, STOP_DRAINING, INT64_MAX); }
    (void)step_stop(step, takes_draining, STOP_DRAINING, healthy - computed);
}

void external_step(struct step *step)
{
    int64_t room = step->state->room;
    ASSERT(room >= 0);
    for (step->set = 0; step->set < step->state->deployment_count; step->set++) {
        struct deployment *set = &step->plan->deployments[step->set];
        set->computed = set->deleting ? 0 : reconcile_computed(step->desired, set->scale);
        start_set(step, &room);
        stop_set(step);
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
        bool as_computed = tasks - own->of[TASK_LOST] == set->computed && step_count(step, is_healthy_kept) == set->computed;
        set->stable = as_computed && !set->deleting && !step->state->closing;
        set->gone = set->deleting && tasks == 0;
        plan->steady = plan->steady && (set->stable || set->gone);
    }
}
