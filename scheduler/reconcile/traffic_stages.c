/* traffic_stages.c: the stages of a rollout with traffic: what each waits for, its hooks and its limits. One step goes on as far as no stage waits.
 * A rollback gives the traffic back at once; then it passes the two stages of a traffic shift again, for their hooks alone, and CLEAN_UP. */
#include "scheduler/reconcile/step.h"

static struct rollout_at *at_of(const struct step *step) { return &step->plan->traffic.at; }

/* ---- what a stage waits for, and what it does first ---- */
bool traffic_can_blue_serve(const struct step *step)
{
    return step->blue == NO_DEPLOYMENT || traffic_is_whole(step, step->blue) || traffic_has_failed(step, step->blue);
}

static bool is_one_revision(const struct step *step) { return !traffic_has_others(step) && traffic_can_blue_serve(step); }

static bool is_green_whole(const struct step *step) { return traffic_is_whole(step, step->primary); }

static void shift_to_blue(struct step *step) { traffic_divide(step, 0, 0); }

static void shift_test(struct step *step)
{
    if (step->state->traffic.test_rule) { traffic_divide(step, primary_of(step)->production, WEIGHT_WHOLE); }
}

static void shift_production(struct step *step)
{
    const struct service_state *state = step->state;
    traffic_divide(step, traffic_weight(state->strategy, state->traffic.first, ++at_of(step)->step), primary_of(step)->test);
}

static const struct {
    bool calls, pauses;                                       /* takes hooks that are called; takes PAUSE hooks */
    bool (*may_end)(const struct step *step);                 /* NULL: yes */
    void (*begin)(struct step *step);                         /* not in a rollback */
} stages[STAGE_COUNT] = {
    [STAGE_RECONCILE_SERVICE] = { .calls = true, .pauses = true, .may_end = is_one_revision },
    [STAGE_PRE_SCALE_UP] = { .calls = true, .pauses = true, .begin = shift_to_blue },
    [STAGE_SCALE_UP] = { .may_end = is_green_whole },
    [STAGE_POST_SCALE_UP] = { .calls = true, .pauses = true },
    [STAGE_TEST_TRAFFIC_SHIFT] = { .calls = true, .begin = shift_test },
    [STAGE_POST_TEST_TRAFFIC_SHIFT] = { .calls = true, .pauses = true },
    [STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT] = { .calls = true, .pauses = true, .may_end = is_green_whole },
    [STAGE_PRODUCTION_TRAFFIC_SHIFT] = { .calls = true, .begin = shift_production },
    [STAGE_POST_PRODUCTION_TRAFFIC_SHIFT] = { .calls = true, .pauses = true },
    [STAGE_BAKE_TIME] = { .may_end = is_green_whole },
};

static bool has_more_steps(const struct step *step)
{
    return at_of(step)->step < traffic_steps(step->state->strategy, step->state->traffic.first);
}

/* How long the stage lasts at least. */
static int64_t wait_ms(const struct step *step)
{
    const struct traffic_state *traffic = &step->state->traffic;
    if (is_rolling_back(step)) { return 0; }
    if (at_of(step)->stage == STAGE_BAKE_TIME) { return traffic->bake_ms; }
    return at_of(step)->stage == STAGE_PRODUCTION_TRAFFIC_SHIFT && has_more_steps(step) ? traffic->step_bake_ms : 0;
}

static bool is_hook_pending(const struct step *step)
{
    for (size_t h = 0; h < step->state->traffic.hook_count; h++) {
        if (step->plan->traffic.answers[h] == HOOK_PENDING) { return true; }
    }
    return false;
}

static bool is_over(const struct step *step)
{
    const struct rollout_at *at = at_of(step);
    if (at->stage == STAGE_CLEAN_UP || is_hook_pending(step) || step->state->now_ms < at->stage_since_ms + wait_ms(step)) { return false; }
    return is_rolling_back(step) || stages[at->stage].may_end == NULL || stages[at->stage].may_end(step);
}

/* ---- from stage to stage ---- */
static enum rollout_stage stage_after(const struct step *step)
{
    const struct rollout_at *at = at_of(step);
    if (is_rolling_back(step)) { return at->stage == STAGE_TEST_TRAFFIC_SHIFT && at->step > 0 ? STAGE_PRODUCTION_TRAFFIC_SHIFT : STAGE_CLEAN_UP; }
    if (at->stage == STAGE_NONE) { return traffic_has_others(step) ? STAGE_RECONCILE_SERVICE : STAGE_PRE_SCALE_UP; }
    if (at->stage == STAGE_PRODUCTION_TRAFFIC_SHIFT && has_more_steps(step)) { return STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT; }
    return at->stage + 1;
}

static void end_hooks(struct step *step)
{
    struct traffic_plan *plan = &step->plan->traffic;
    for (size_t h = 0; h < step->state->traffic.hook_count; h++) { plan->answers[h] = HOOK_NONE; }
    plan->begins = false;
}

static void begin_stage(struct step *step, enum rollout_stage stage)
{
    const struct traffic_state *traffic = &step->state->traffic;
    struct traffic_plan *plan = &step->plan->traffic;
    plan->at.stage = stage;
    plan->at.stage_since_ms = step->state->now_ms;
    if (!is_rolling_back(step) && stages[stage].begin != NULL) { stages[stage].begin(step); }
    end_hooks(step);
    for (size_t h = 0; h < traffic->hook_count; h++) {
        bool taken = traffic->hooks[h].pauses ? stages[stage].pauses : stages[stage].calls;
        if (taken && (traffic->hooks[h].stages >> stage & 1) != 0) { plan->answers[h] = HOOK_PENDING; }
    }
    plan->begins = is_hook_pending(step);
}

/* The hooks of a shift are called again if the rollout had come to it. */
static void return_to_blue(struct step *step)
{
    traffic_divide(step, WEIGHT_WHOLE, WEIGHT_WHOLE);
    begin_stage(step, at_of(step)->stage < STAGE_TEST_TRAFFIC_SHIFT ? STAGE_CLEAN_UP : STAGE_TEST_TRAFFIC_SHIFT);
}

/* A pending hook has its own timeout. CLEAN_UP has no limit: protected tasks may hold it. */
static bool has_stage_limit(const struct step *step)
{
    return !is_rolling_back(step) && at_of(step)->stage != STAGE_CLEAN_UP && !is_hook_pending(step);
}

static enum rollout_failure failure_of_hooks(struct step *step)
{
    const struct traffic_state *traffic = &step->state->traffic;
    for (size_t h = 0; h < traffic->hook_count; h++) {
        enum hook_answer answer = step->plan->traffic.answers[h];
        if (answer != HOOK_FAILED && (answer != HOOK_TIMED_OUT || traffic->hooks[h].goes_on)) { continue; }
        step->plan->failed_hook = (uint32_t)h;
        return answer == HOOK_TIMED_OUT && traffic->hooks[h].pauses ? FAILURE_PAUSE_TIMED_OUT : FAILURE_HOOK;
    }
    return FAILURE_NONE;
}

/* In a rollback no answer and no limit changes anything: the traffic is back already. */
enum rollout_failure traffic_failure(struct step *step)
{
    int64_t now = step->state->now_ms;
    if (is_rolling_back(step)) { return FAILURE_NONE; }
    enum rollout_failure failure = failure_of_hooks(step);
    if (failure != FAILURE_NONE) { return failure; }
    bool late = has_stage_limit(step) && at_of(step)->stage != STAGE_NONE && now >= at_of(step)->stage_since_ms + STAGE_LIMIT_MS && !is_over(step);
    return late || now >= step->state->traffic.begun_ms + ROLLOUT_LIMIT_MS ? FAILURE_TOO_LONG : FAILURE_NONE;
}

bool traffic_has_no_way_back(const struct step *step)
{
    const struct rollout_at *at = at_of(step);
    return at->stage == STAGE_CLEAN_UP && !is_rolling_back(step) && (at->blue_stops || step->target == NO_DEPLOYMENT);
}

static void wake_for_stage(struct step *step)
{
    const struct traffic_state *traffic = &step->state->traffic;
    int64_t since = at_of(step)->stage_since_ms;
    for (size_t h = 0; h < traffic->hook_count; h++) {
        if (step->plan->traffic.answers[h] == HOOK_PENDING) { step_wake(step, since + traffic->hooks[h].timeout_ms); }
    }
    step_wake(step, since + wait_ms(step));
    if (has_stage_limit(step)) { step_wake(step, since + STAGE_LIMIT_MS); }
    if (!is_rolling_back(step)) { step_wake(step, traffic->begun_ms + ROLLOUT_LIMIT_MS); }
}

void traffic_advance(struct step *step)
{
    if (step->rolls_back) { return_to_blue(step); }
    if (step_has_failed(step)) {
        end_hooks(step);
        return;
    }
    while (is_over(step)) { begin_stage(step, stage_after(step)); }
    if (at_of(step)->stage == STAGE_RECONCILE_SERVICE && traffic_can_blue_serve(step)) { shift_to_blue(step); }
    step->between_stages = at_of(step)->stage != STAGE_CLEAN_UP;
    wake_for_stage(step);
}
