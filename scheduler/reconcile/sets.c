/* sets.c: brings the tasks of one deployment, step->set, to a count. */
#include "scheduler/reconcile/step.h"

/* ---- which tasks a rule takes ---- */
static bool is_own(const struct step *step, uint32_t t) { return step->state->tasks[t].deployment == step->set && task_is_live(step->classes[t]); }
static bool is_draining(const struct step *step, uint32_t t) { return step->state->tasks[t].machine == MACHINE_DRAINING; }
static bool is_staying(const struct step *step, uint32_t t) { return is_own(step, t) && !is_draining(step, t); }
static bool is_kept(const struct step *step, uint32_t t) { return is_staying(step, t) && step->classes[t] != TASK_UNHEALTHY; }
static bool takes_surplus(const struct step *step, uint32_t t) { return is_kept(step, t) && !task_is_protected(step, t); }
static bool is_protected(const struct step *step, uint32_t t) { return is_kept(step, t) && task_is_protected(step, t); }
static bool is_healthy(const struct step *step, uint32_t t) { return is_own(step, t) && step->classes[t] == TASK_HEALTHY; }
static bool is_healthy_kept(const struct step *step, uint32_t t) { return is_kept(step, t) && step->classes[t] == TASK_HEALTHY; }
static bool takes_pending(const struct step *step, uint32_t t) { return is_own(step, t) && is_draining(step, t) && step->classes[t] == TASK_STARTING; }
static bool takes_draining(const struct step *step, uint32_t t) { return is_healthy(step, t) && is_draining(step, t); }
static bool takes_sick(const struct step *step, uint32_t t) { return is_own(step, t) && is_draining(step, t) && step->classes[t] != TASK_HEALTHY; }
static bool takes_unhealthy(const struct step *step, uint32_t t) { return is_staying(step, t) && step->classes[t] == TASK_UNHEALTHY; }

int64_t set_kept(const struct step *step) { return step_count(step, is_kept); }
int64_t set_staying(const struct step *step) { return step_count(step, is_staying); }
int64_t set_pending(const struct step *step) { return step_count(step, takes_pending); }
int64_t set_healthy_kept(const struct step *step) { return step_count(step, is_healthy_kept); }

void set_stop(struct step *step, int64_t want)
{
    bool is_old = !is_external(step) && step->set != step->primary;
    int64_t surplus = set_kept(step) - want;
    if (step->set == step->primary && !is_external(step) && zones_keep_surplus(step, surplus)) { surplus = 0; }
    surplus -= step_stop(step, takes_surplus, is_old ? STOP_OLD : STOP_SURPLUS, surplus);
    if (surplus > 0) {
        step->protected_out += min_i64(surplus, step_count(step, is_protected));
        step->protected_in = step->set;
    }
    (void)step_stop(step, takes_pending, STOP_DRAINING, INT64_MAX);
    (void)step_stop(step, takes_unhealthy, STOP_UNHEALTHY, set_healthy_kept(step) + step_count(step, takes_unhealthy) - want);
    int64_t healthy = step_count(step, is_healthy);
    if (healthy >= want) { (void)step_stop(step, takes_sick, STOP_DRAINING, INT64_MAX); }
    (void)step_stop(step, takes_draining, STOP_DRAINING, healthy - want);
}

/* Without room for a replacement an unhealthy task stops first, one at a time. */
void set_bring(struct step *step, int64_t want, int64_t free)
{
    const struct class_counts *own = &step->counts[step->set];
    int64_t lacking = want - set_kept(step), due = max_i64(0, min_i64(lacking, free));
    size_t stops = step->plan->stop_count;
    step->due += due;
    step_start(step, step->set, due, room_of(step, step->set));
    set_stop(step, want);
    bool moves = due > 0 || step->plan->stop_count > stops || own->of[TASK_LEAVING] + own->of[TASK_STARTING] + own->of[TASK_WARMING] > 0;
    if (lacking > 0 && !moves) { (void)step_stop(step, takes_unhealthy, STOP_UNHEALTHY, 1); }
}
