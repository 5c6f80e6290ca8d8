/* rolling.c: ECS's rolling strategy: new tasks start while the limits have room above, old ones stop while they have room below. */
#include "base/canary.h"
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
static bool is_draining(const struct step *step, uint32_t t) { return step->state->tasks[t].machine == MACHINE_DRAINING; }

static bool is_kept(const struct step *step, uint32_t t)
{
    return task_is_live(step->classes[t]) && step->classes[t] != TASK_UNHEALTHY && !task_is_old(step, t) && !is_draining(step, t);
}
static bool is_protected_new(const struct step *step, uint32_t t) { return is_kept(step, t) && task_is_protected(step, t); }
static bool takes_surplus_unready(const struct step *step, uint32_t t)
{
    return is_kept(step, t) && !task_is_protected(step, t) && step->classes[t] != TASK_HEALTHY;
}
static bool takes_surplus(const struct step *step, uint32_t t) { return is_kept(step, t) && !task_is_protected(step, t) && step->classes[t] == TASK_HEALTHY; }
static bool takes_draining_pending(const struct step *step, uint32_t t) { return is_draining(step, t) && step->classes[t] == TASK_STARTING; }
static bool takes_draining_sick(const struct step *step, uint32_t t) { return is_draining(step, t) && step->classes[t] != TASK_HEALTHY; }
static bool takes_draining(const struct step *step, uint32_t t) { return is_draining(step, t) && step->classes[t] == TASK_HEALTHY; }
static bool is_unhealthy_new(const struct step *step, uint32_t t) { return !task_is_old(step, t) && step->classes[t] == TASK_UNHEALTHY; }
static bool is_old_unready(const struct step *step, uint32_t t)
{
    return task_is_old(step, t) && !task_is_protected(step, t) && (step->classes[t] == TASK_STARTING || step->classes[t] == TASK_WARMING);
}
static bool takes_target_unready(const struct step *step, uint32_t t)
{
    return is_old_unready(step, t) && step->state->tasks[t].deployment == step->target;
}
static bool takes_old_useless(const struct step *step, uint32_t t)
{
    if (!task_is_old(step, t) || task_is_protected(step, t)) { return false; }
    return step->classes[t] == TASK_UNHEALTHY || (is_old_unready(step, t) && step->state->tasks[t].deployment != step->target);
}
static bool takes_old(const struct step *step, uint32_t t) { return task_is_old(step, t) && !task_is_protected(step, t) && step->classes[t] == TASK_HEALTHY; }
static bool is_protected_old(const struct step *step, uint32_t t)
{
    return task_is_old(step, t) && task_is_protected(step, t) && task_is_live(step->classes[t]) && !is_draining(step, t);
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
    int64_t desired = step->desired, surplus = zones_keep_surplus(step, kept - desired) ? 0 : kept - desired;
    surplus -= step_stop(step, takes_surplus_unready, STOP_SURPLUS, surplus);
    surplus -= step_stop(step, takes_surplus, STOP_SURPLUS, min_i64(surplus, step->healthy - min_i64(step->lower, desired)));
    if (surplus > 0) { step->protected_out += min_i64(surplus, step_count(step, is_protected_new)); }
    if (step_has_failed(step)) { return; }
    int64_t unhealthy = step->counts[step->primary].of[TASK_UNHEALTHY];
    (void)step_stop(step, is_unhealthy_new, STOP_UNHEALTHY, healthy_kept(step) + unhealthy - desired);
}

/* Tasks that are not healthy count for nothing. But the deployment that a failure returns to keeps those that the lower limit lacks. */
static void stop_useless(struct step *step)
{
    (void)step_stop(step, takes_draining_pending, STOP_DRAINING, INT64_MAX);
    if (step->healthy >= step->lower) { (void)step_stop(step, takes_draining_sick, STOP_DRAINING, INT64_MAX); }
    if (step_has_failed(step)) { return; }
    (void)step_stop(step, takes_old_useless, STOP_OLD, INT64_MAX);
    int64_t lacking = max_i64(0, step->lower - step->healthy);
    (void)step_stop(step, takes_target_unready, STOP_OLD, step_count(step, takes_target_unready) - lacking);
}

static int64_t live_old(const struct step *step)
{
    int64_t count = 0;
    for (uint32_t t = 0; t < step->state->task_count; t++) { count += task_is_old(step, t) && task_is_live(step->classes[t]); }
    return count;
}

/* A failed deployment stops no old task, so that the service keeps its tasks; but a lower desired count takes those above the upper limit. */
static void stop_healthy(struct step *step)
{
    (void)step_stop(step, takes_draining, STOP_DRAINING, step->healthy - step->lower);
    int64_t budget = step->healthy - step->lower;
    if (step_has_failed(step)) {
        budget = min_i64(budget, live_of(&step->all) - (int64_t)step->plan->stop_count - step->upper);
    }
    if (step->state->stops_one && step->counts[step->primary].of[TASK_HEALTHY] == 0) { budget = min_i64(budget, live_old(step) - (step->desired - 1)); }
    budget -= step_stop(step, takes_old, STOP_OLD, budget);
    if (budget > 0 && !step_has_failed(step)) { step->protected_out += min_i64(budget, step_count(step, is_protected_old)); }
}

/* No start is possible beside unhealthy tasks: the oldest of them makes room, one at a time. */
static void stop_unhealthy_in_place(struct step *step, int64_t lacking, int64_t free)
{
    const struct class_counts *own = &step->counts[step->primary];
    bool moves = step->plan->stop_count > 0 || step->all.of[TASK_LEAVING] > 0 || own->of[TASK_STARTING] + own->of[TASK_WARMING] > 0;
    if (step_has_failed(step) || lacking <= 0 || free > 0 || moves || own->of[TASK_UNHEALTHY] == 0) { return; }
    const struct service_task *tasks = step->state->tasks;
    uint32_t oldest = UINT32_MAX;
    for (uint32_t t = 0; t < step->state->task_count; t++) {
        if (!is_unhealthy_new(step, t)) { continue; }
        if (oldest == UINT32_MAX || tasks[t].running_since_ms < tasks[oldest].running_since_ms ||
            (tasks[t].running_since_ms == tasks[oldest].running_since_ms && id_cmp(tasks[t].id, tasks[oldest].id) < 0)) { oldest = t; }
    }
    step_stop_one(step, oldest, STOP_UNHEALTHY);
}

/* stop-first. A start has no room, and the lower limit keeps the tasks that could make it: one of them stops, and its place is kept for its successor. Or the
 * upper limit allows no start, and the lower limit keeps a task on a draining machine: it stops when there is room elsewhere. The next one waits until
 * the successor is healthy. */
static bool takes_for_room(const struct step *step, uint32_t t)
{
    return task_is_old(step, t) && step->state->tasks[t].makes_room && task_is_live(step->classes[t]) && !task_is_protected(step, t);
}
static bool takes_draining_for_room(const struct step *step, uint32_t t) { return takes_draining(step, t) && step->state->tasks[t].makes_room; }

/* The images of the PRIMARY are pulled on the machine before the task stops, so that its successor starts at once. Meanwhile a lack of room is no failure. */
static bool waits_for_pull(struct step *step, uint32_t t)
{
    const struct service_task *task = &step->state->tasks[t];
    int64_t now_ms = step->state->now_ms, until_ms = (task->pull == PULL_CAN ? now_ms : task->pull_ms) + PULL_WAIT_MS;
    if (task->pull == PULL_CAN) { step->plan->pull = t; }
    if (task->pull == PULL_NONE || task->pull == PULL_ENDED || now_ms >= until_ms) { return false; }
    primary_of(step)->failures.no_room_ms = 0;
    step_wake(step, until_ms);
    return true;
}

/* A task on a machine that was asked to pull goes before the others: the choice stays while the pull runs. */
static void make_room(struct step *step)
{
    uint32_t *order = ARENA_NEW(step->arena, uint32_t, step->state->task_count);
    size_t count = step_order(step, takes_for_room, order), asked = 0;
    if (count == 0) { return; }
    while (asked < count && step->state->tasks[order[asked]].pull < PULL_ASKED) { asked++; }
    uint32_t t = order[asked < count ? asked : 0];
    if (waits_for_pull(step, t)) { return; }
    step_stop_one(step, t, STOP_OLD);
    step->plan->stops[step->plan->stop_count - 1].keeps_place = true;
}

static void stop_for_room(struct step *step, int64_t lacking)
{
    const struct class_counts *own = &step->counts[step->primary];
    const struct service_state *state = step->state;
    bool moves = step->plan->stop_count > 0 || step->all.of[TASK_LEAVING] + own->of[TASK_STARTING] + own->of[TASK_WARMING] > 0;
    if (step_has_failed(step) || moves || state->kept >= state->stops_first) { return; }
    if (step->healthy - 1 < max_i64(0, step->lower - state->stops_first)) { return; }
    if (step->room_lacks > 0) {
        make_room(step);
    } else if (lacking > 0 && step->due == 0) {
        (void)step_stop(step, takes_draining_for_room, STOP_DRAINING, 1);
    }
}

/* ---- starts ---- */
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
    int64_t own = step_has_failed(step) ? 0 : max_i64(0, min_i64(lacking, free));
    int64_t of_target = lacking_of_target(step), target_due = max_i64(0, min_i64(of_target, free - own));
    step->due = own + target_due;
    step_start(step, step->primary, own, room_of(step, step->primary));
    if (step->target == NO_DEPLOYMENT) { return; }
    step_start(step, step->target, target_due, room_of(step, step->target));
    step->plan->deployments[step->target].wanted = live_of(&step->counts[step->target]) + of_target;
}

void rolling_step(struct step *step)
{
    int64_t kept = step_count(step, is_kept), lacking = step->desired - kept;
    int64_t free = step->upper - live_of(&step->all) - step->all.of[TASK_LEAVING];
    CANARY(START_IGNORES_LIMIT, free++);
    step->limited = true;
    start_all(step, lacking, free);
    stop_new(step, kept);
    stop_useless(step);
    stop_healthy(step);
    stop_unhealthy_in_place(step, lacking, free);
    stop_for_room(step, lacking);
}
