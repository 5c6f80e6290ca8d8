/* rolling.c: ECS's rolling strategy: new tasks start while the limits have room above, old ones stop while they have room below. */
#include "scheduler/reconcile/step.h"

int64_t reconcile_lower(int64_t desired, int64_t min_percent)
{
    ASSERT(desired >= 0 && desired <= INT32_MAX && min_percent >= 0 && min_percent <= INT32_MAX);
    return (desired * min_percent + 99) / 100;
}

int64_t reconcile_upper(int64_t desired, int64_t max_percent)
{
    ASSERT(desired >= 0 && desired <= INT32_MAX && max_percent >= 0 && max_percent <= INT32_MAX);
    return desired * max_percent / 100;
}

/* ---- which tasks a rule takes ---- */
static bool is_old(const struct step *step, uint32_t t) { return step->state->tasks[t].deployment != step->primary; }
static bool is_draining(const struct step *step, uint32_t t) { return step->state->tasks[t].machine == MACHINE_DRAINING; }
static bool is_protected(const struct step *step, uint32_t t) { return step->state->tasks[t].protected_until_ms > step->state->now_ms; }
static bool is_failed(const struct step *step) { return primary_of(step)->rollout == ROLLOUT_FAILED; }

static bool takes_all(const struct step *step, uint32_t t) { return task_is_live(step->classes[t]); }
static bool is_kept(const struct step *step, uint32_t t)
{
    return task_is_live(step->classes[t]) && step->classes[t] != TASK_UNHEALTHY && !is_old(step, t) && !is_draining(step, t);
}
static bool is_protected_new(const struct step *step, uint32_t t) { return is_kept(step, t) && is_protected(step, t); }
static bool takes_surplus_unready(const struct step *step, uint32_t t)
{
    return is_kept(step, t) && !is_protected(step, t) && step->classes[t] != TASK_HEALTHY;
}
static bool takes_surplus(const struct step *step, uint32_t t) { return is_kept(step, t) && !is_protected(step, t) && step->classes[t] == TASK_HEALTHY; }
static bool takes_draining_pending(const struct step *step, uint32_t t) { return is_draining(step, t) && step->classes[t] == TASK_STARTING; }
static bool takes_draining_sick(const struct step *step, uint32_t t) { return is_draining(step, t) && step->classes[t] != TASK_HEALTHY; }
static bool takes_draining(const struct step *step, uint32_t t) { return is_draining(step, t) && step->classes[t] == TASK_HEALTHY; }
static bool is_unhealthy_new(const struct step *step, uint32_t t) { return !is_old(step, t) && step->classes[t] == TASK_UNHEALTHY; }
static bool is_old_unready(const struct step *step, uint32_t t)
{
    return is_old(step, t) && !is_protected(step, t) && (step->classes[t] == TASK_STARTING || step->classes[t] == TASK_WARMING);
}
static bool takes_target_unready(const struct step *step, uint32_t t)
{
    return is_old_unready(step, t) && step->state->tasks[t].deployment == step->target;
}
static bool takes_old_useless(const struct step *step, uint32_t t)
{
    if (!is_old(step, t) || is_protected(step, t)) { return false; }
    return step->classes[t] == TASK_UNHEALTHY || (is_old_unready(step, t) && step->state->tasks[t].deployment != step->target);
}
static bool takes_old(const struct step *step, uint32_t t) { return is_old(step, t) && !is_protected(step, t) && step->classes[t] == TASK_HEALTHY; }
static bool is_protected_old(const struct step *step, uint32_t t)
{
    return is_old(step, t) && is_protected(step, t) && task_is_live(step->classes[t]) && !is_draining(step, t);
}

static int64_t count_of(const struct step *step, task_filter takes)
{
    int64_t count = 0;
    for (uint32_t t = 0; t < step->state->task_count; t++) { count += takes(step, t); }
    return count;
}

/* ---- stops ---- */
static void stop_one(struct step *step, uint32_t t, enum stop_why why)
{
    ASSERT(task_is_live(step->classes[t]));
    ASSERT(step->plan->stop_count < step->state->task_count);
    step->healthy -= step->classes[t] == TASK_HEALTHY;
    step->classes[t] = TASK_LEAVING;
    struct deployment *deployment = &step->plan->deployments[step->state->tasks[t].deployment];
    deployment->wanted -= deployment->wanted > 0;
    step->plan->stops[step->plan->stop_count++] = (struct planned_stop){ t, why };
}

/* Stops `most` tasks or fewer; returns how many. */
static int64_t stop(struct step *step, task_filter takes, enum stop_why why, int64_t most)
{
    if (most <= 0 || count_of(step, takes) == 0) { return 0; }
    uint32_t *order = ARENA_NEW(step->arena, uint32_t, step->state->task_count);
    int64_t count = min_i64(most, (int64_t)step_order(step, takes, order));
    for (int64_t n = 0; n < count; n++) { stop_one(step, order[n], why); }
    return count;
}

static int64_t healthy_kept(const struct step *step)
{
    int64_t count = 0;
    for (uint32_t t = 0; t < step->state->task_count; t++) { count += is_kept(step, t) && step->classes[t] == TASK_HEALTHY; }
    return count;
}

/* More than desired of the PRIMARY's, and unhealthy ones for which there is a healthy task, or that are more than the missing tasks. */
static void stop_new(struct step *step, int64_t kept)
{
    int64_t desired = step->state->desired, surplus = kept - desired;
    surplus -= stop(step, takes_surplus_unready, STOP_SURPLUS, surplus);
    surplus -= stop(step, takes_surplus, STOP_SURPLUS, min_i64(surplus, step->healthy - min_i64(step->lower, desired)));
    if (surplus > 0) { step->protected_out += min_i64(surplus, count_of(step, is_protected_new)); }
    if (is_failed(step)) { return; }
    int64_t unhealthy = step->counts[step->primary].of[TASK_UNHEALTHY];
    (void)stop(step, is_unhealthy_new, STOP_UNHEALTHY, healthy_kept(step) + unhealthy - desired);
}

/* Tasks that are not healthy count for nothing. But the deployment that a failure returns to keeps those that the lower limit lacks. */
static void stop_useless(struct step *step)
{
    (void)stop(step, takes_draining_pending, STOP_DRAINING, INT64_MAX);
    if (step->healthy >= step->lower) { (void)stop(step, takes_draining_sick, STOP_DRAINING, INT64_MAX); }
    if (is_failed(step)) { return; }
    (void)stop(step, takes_old_useless, STOP_OLD, INT64_MAX);
    int64_t lacking = max_i64(0, step->lower - step->healthy);
    (void)stop(step, takes_target_unready, STOP_OLD, count_of(step, takes_target_unready) - lacking);
}

/* A failed deployment stops no old task, so that the service keeps its tasks; but a lower desired count takes those above the upper limit. */
static void stop_healthy(struct step *step)
{
    (void)stop(step, takes_draining, STOP_DRAINING, step->healthy - step->lower);
    int64_t budget = step->healthy - step->lower;
    if (is_failed(step)) {
        budget = min_i64(budget, live_of(&step->all) - (int64_t)step->plan->stop_count - step->upper);
    }
    budget -= stop(step, takes_old, STOP_OLD, budget);
    if (budget > 0 && !is_failed(step)) { step->protected_out += min_i64(budget, count_of(step, is_protected_old)); }
}

/* No start is possible beside unhealthy tasks: the oldest of them makes room, one at a time. */
static void stop_unhealthy_in_place(struct step *step, int64_t lacking, int64_t free)
{
    const struct class_counts *own = &step->counts[step->primary];
    bool moves = step->plan->stop_count > 0 || step->all.of[TASK_LEAVING] > 0 || own->of[TASK_STARTING] + own->of[TASK_WARMING] > 0;
    if (is_failed(step) || lacking <= 0 || free > 0 || moves || own->of[TASK_UNHEALTHY] == 0) { return; }
    const struct service_task *tasks = step->state->tasks;
    uint32_t oldest = UINT32_MAX;
    for (uint32_t t = 0; t < step->state->task_count; t++) {
        if (!is_unhealthy_new(step, t)) { continue; }
        if (oldest == UINT32_MAX || tasks[t].running_since_ms < tasks[oldest].running_since_ms ||
            (tasks[t].running_since_ms == tasks[oldest].running_since_ms && id_cmp(tasks[t].id, tasks[oldest].id) < 0)) { oldest = t; }
    }
    stop_one(step, oldest, STOP_UNHEALTHY);
}

/* ---- starts ---- */
/* As many of `count` as back-off allows: all, one probe, or none until next_start_ms. */
static int64_t after_backoff(struct step *step, uint32_t d, int64_t count)
{
    enum { PROBES_FROM = 3 };
    const struct failures *failures = &step->plan->deployments[d].failures;
    if (count > 0 && failures->next_start_ms > step->state->now_ms) {
        step_wake(step, failures->next_start_ms);
        return 0;
    }
    return failures->unstarted < PROBES_FROM ? count : min_i64(count, max_i64(0, 1 - step->counts[d].of[TASK_STARTING]));
}

/* The minute without room begins with the first start that has none, and again with each that has room; it ends when no start lacks room. */
static void start(struct step *step, uint32_t d, int64_t due, int64_t *room)
{
    struct service_plan *plan = step->plan;
    struct failures *failures = &plan->deployments[d].failures;
    int64_t wanted = after_backoff(step, d, due), count = min_i64(wanted, *room);
    plan->wants += wanted;
    if (wanted > count) {
        if (failures->no_room_ms == 0 || count > 0) { failures->no_room_ms = step->state->now_ms; }
        if (plan->deployments[d].rollout == ROLLOUT_IN_PROGRESS || step->state->marks[MARK_NO_ROOM] == 0) {
            step_wake(step, failures->no_room_ms + MINUTE_MS);
        }
    } else {
        failures->no_room_ms = 0;
    }
    if (count <= 0) { return; }
    if (*room != ROOM_NOT_KNOWN) { *room -= count; }
    int64_t unhealthy = d == step->primary ? min_i64(count, step->counts[d].of[TASK_UNHEALTHY]) : 0;
    plan->starts[plan->start_count++] = (struct planned_start){ d, count, unhealthy };
}

/* Tasks of the deployment that a failure returns to: those that died and that the lower limit lacks. */
static int64_t lacking_of_target(const struct step *step)
{
    if (step->target == NO_DEPLOYMENT) { return 0; }
    const struct class_counts *counts = &step->counts[step->target];
    int64_t died = step->plan->deployments[step->target].wanted - live_of(counts);
    int64_t lacking = step->lower - step->all.of[TASK_HEALTHY] - counts->of[TASK_STARTING] - counts->of[TASK_WARMING];
    return max_i64(0, min_i64(died, lacking));
}

static void start_all(struct step *step, int64_t lacking, int64_t free)
{
    int64_t room = step->state->room, own = is_failed(step) ? 0 : max_i64(0, min_i64(lacking, free));
    int64_t of_target = lacking_of_target(step), target_due = max_i64(0, min_i64(of_target, free - own));
    ASSERT(room >= 0);
    step->due = own + target_due;
    start(step, step->primary, own, &room);
    if (step->target == NO_DEPLOYMENT) { return; }
    start(step, step->target, target_due, &room);
    step->plan->deployments[step->target].wanted = live_of(&step->counts[step->target]) + of_target;
}

void rolling_step(struct step *step)
{
    const struct service_state *state = step->state;
    if (state->closing) {
        (void)stop(step, takes_all, STOP_CLOSING, INT64_MAX);
        return;
    }
    int64_t kept = count_of(step, is_kept), lacking = state->desired - kept;
    int64_t free = step->upper - live_of(&step->all) - step->all.of[TASK_LEAVING];
    start_all(step, lacking, free);
    stop_new(step, kept);
    stop_useless(step);
    stop_healthy(step);
    stop_unhealthy_in_place(step, lacking, free);
}
