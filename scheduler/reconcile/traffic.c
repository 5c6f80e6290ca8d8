/* traffic.c: the strategies BLUE_GREEN, LINEAR and CANARY: green is brought up beside blue, takes the traffic over in the steps of traffic_stages.c, and
 * blue goes at the end. The tasks of blue and green together are at most twice the desired count; maximumPercent does not bound them.
 * Blue keeps its tasks until CLEAN_UP: it has the traffic, or a failure gives it back. Its dead tasks are replaced up to the lower limit, and to one. */
#include "base/canary.h"
#include "scheduler/reconcile/step.h"

/* A failed one only if there is no other; then the one with the most production traffic; then a COMPLETED one; then the newest. */
static bool is_better_blue(const struct deployment *a, const struct deployment *than)
{
    if ((a->rollout == ROLLOUT_FAILED) != (than->rollout == ROLLOUT_FAILED)) { return than->rollout == ROLLOUT_FAILED; }
    if (a->production != than->production) { return a->production > than->production; }
    if ((a->rollout == ROLLOUT_COMPLETED) != (than->rollout == ROLLOUT_COMPLETED)) { return a->rollout == ROLLOUT_COMPLETED; }
    return a->digits > than->digits;
}

/* Blue is chosen once, when green begins. */
static int64_t choose_blue(const struct service_state *state)
{
    const struct deployment *best = NULL;
    for (size_t d = 0; d < state->deployment_count; d++) {
        const struct deployment *deployment = &state->deployments[d];
        bool is_old = deployment->role == DEPLOYMENT_ACTIVE, begins = state->traffic.at.stage == STAGE_NONE && deployment->rollout == ROLLOUT_IN_PROGRESS;
        if (!is_old && !begins) { return state->traffic.at.blue; }
        if (is_old && (best == NULL || is_better_blue(deployment, best))) { best = deployment; }
    }
    return best == NULL ? 0 : best->digits;
}

void traffic_begin(struct step *step)
{
    const struct service_state *state = step->state;
    const struct traffic_state *traffic = &state->traffic;
    struct traffic_plan *plan = &step->plan->traffic;
    plan->at.blue = choose_blue(state);
    plan->at.stage_since_ms = min_i64(plan->at.stage_since_ms, state->now_ms);               /* later than now: the clock was set back */
    step->blue = NO_DEPLOYMENT;
    for (uint32_t d = 0; d < state->deployment_count; d++) {
        if (state->deployments[d].digits == plan->at.blue) { step->blue = d; }
    }
    plan->answers = ARENA_NEW(step->arena, enum hook_answer, traffic->hook_count);
    for (size_t h = 0; h < traffic->hook_count; h++) {
        const struct rollout_hook *hook = &traffic->hooks[h];
        bool late = hook->answer == HOOK_PENDING && state->now_ms >= plan->at.stage_since_ms + hook->timeout_ms;
        plan->answers[h] = state->closing ? HOOK_NONE : late ? HOOK_TIMED_OUT : hook->answer;
    }
}

/* ---- tasks ---- */
bool traffic_is_whole(const struct step *step, uint32_t deployment) { return step->counts[deployment].of[TASK_HEALTHY] >= step->desired; }
bool traffic_has_failed(const struct step *step, uint32_t deployment) { return step->plan->deployments[deployment].rollout == ROLLOUT_FAILED; }

static bool is_other(const struct step *step, uint32_t deployment) { return deployment != step->primary && deployment != step->blue; }

bool traffic_has_others(const struct step *step)
{
    for (uint32_t d = 0; d < step->state->deployment_count; d++) {
        if (is_other(step, d) && live_of(&step->counts[d]) + step->counts[d].of[TASK_LEAVING] > 0) { return true; }
    }
    return false;
}

/* How many tasks step->set should have. After a failure without rollback each has what it has. */
static int64_t want_of(const struct step *step)
{
    enum rollout_stage stage = step->plan->traffic.at.stage;
    bool failed = traffic_has_failed(step, step->set), stalled = step_has_failed(step);
    CANARY(BLUE_GOES_EARLY, if (stage == STAGE_BAKE_TIME) { stage = STAGE_CLEAN_UP; });
    if (step->set == step->primary && !failed) { return is_rolling_back(step) || stage >= STAGE_SCALE_UP ? step->desired : 0; }
    if (stage == STAGE_CLEAN_UP && !stalled) { return 0; }
    if (step->set == step->blue && !failed) {
        int64_t least = stage == STAGE_RECONCILE_SERVICE ? step->desired : max_i64(step->lower, min_i64(step->desired, 1));
        return max_i64(least, set_kept(step));
    }
    bool waits = is_rolling_back(step) || stalled || (stage == STAGE_RECONCILE_SERVICE && !traffic_can_blue_serve(step));
    return is_other(step, step->set) && !waits ? 0 : set_staying(step);
}

/* Up to the wanted count a set may always start; replacements beside the tasks that they replace need room below twice the desired count. */
static int64_t free_of(const struct step *step, int64_t want)
{
    const struct class_counts *own = &step->counts[step->set], *all = &step->all;
    return max_i64(want - live_of(own) - own->of[TASK_LEAVING], 2 * step->desired - live_of(all) - all->of[TASK_LEAVING] - step->due);
}

static void bring(struct step *step)
{
    struct service_plan *plan = step->plan;
    struct deployment *set = &plan->deployments[step->set];
    int64_t want = want_of(step), due = step->due;
    size_t stops = plan->stop_count;
    if (traffic_has_failed(step, step->set) || is_other(step, step->set)) {
        set->failures.no_room_ms = 0;                             /* nothing of it starts any more */
        set_stop(step, want);
    } else {
        set_bring(step, want, free_of(step, want));
    }
    if (step->set == step->primary) { return; }
    int64_t stopped = (int64_t)(plan->stop_count - stops);
    set->wanted = live_of(&step->counts[step->set]) - stopped + step->due - due;
    if (step->set == step->blue && plan->traffic.at.stage == STAGE_CLEAN_UP && stopped > 0) { plan->traffic.at.blue_stops = true; }
}

void traffic_step(struct step *step)
{
    if (primary_of(step)->rollout == ROLLOUT_COMPLETED) {
        rolling_step(step);
        return;
    }
    traffic_advance(step);
    for (step->set = 0; step->set < step->state->deployment_count; step->set++) { bring(step); }
}
