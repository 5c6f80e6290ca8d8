#include "scheduler/scaling/scaling.h"

#include <math.h>

#include "base/assert.h"
#include "base/num.h"

#define IN_PART 0.9                          /* of the target: below it a metric is low */
#define ROUNDING 1e-9                        /* a count that is greater than a whole number by no more is that number */
#define COUNT_MAX ((double)INT32_MAX)

struct wish { int64_t desired, added; bool wanted; };         /* `wanted` false: the policy is content, or has no data */

static int64_t as_count(double value) { return value <= 0 ? 0 : value >= COUNT_MAX ? INT32_MAX : (int64_t)value; }

static int64_t cooldown_ms(struct opt_int seconds) { return (seconds.set ? seconds.value : SCALING_COOLDOWN_S) * 1000; }

static bool is_cooling(int64_t since_ms, struct opt_int seconds, int64_t now_ms) { return since_ms != 0 && now_ms - since_ms < cooldown_ms(seconds); }

/* In the cooldown of a scale-out only what exceeds its step is added. */
static struct wish wish_out(const struct kept_policy *policy, const struct scaling_state *state, int64_t wanted, struct opt_int cooldown)
{
    int64_t added = wanted - state->desired, before = is_cooling(policy->out_ms, cooldown, state->now_ms) ? policy->out_step : 0;
    return (struct wish){ state->desired + added - before, added, added > before };
}

/* ---- target tracking ---- */

static bool is_high(const struct scaling_history *history, double target)
{
    for (size_t m = 0; m < SCALING_OUT_MINUTES; m++) {
        if (m >= history->count || history->values[m] <= target) { return false; }
    }
    return true;
}

static bool is_low(const struct scaling_history *history, double target)
{
    for (size_t m = 0; m < SCALING_IN_MINUTES; m++) {
        if (m >= history->count || history->values[m] >= IN_PART * target) { return false; }
    }
    return true;
}

/* Tasks that start are no part of the metric; in a cooldown, or where they have no room, they count. */
static int64_t track_to(const struct kept_policy *policy, const struct scaling_state *state, const struct scaling_history *history)
{
    const struct target_tracking *tracking = policy->tracking;
    bool cools = is_cooling(policy->out_ms, tracking->out_cooldown, state->now_ms) || is_cooling(policy->in_ms, tracking->in_cooldown, state->now_ms);
    int64_t current = cools || state->waits ? state->desired : state->running;
    return as_count(ceil((double)current * history->values[0] / tracking->target_value.value - ROUNDING));
}

static struct wish track_out(const struct kept_policy *policy, const struct scaling_state *state, const struct scaling_history *history)
{
    if (!is_high(history, policy->tracking->target_value.value)) { return (struct wish){ 0 }; }
    return wish_out(policy, state, track_to(policy, state, history), policy->tracking->out_cooldown);
}

static struct wish track_in(const struct kept_policy *policy, const struct scaling_state *state, const struct scaling_history *history)
{
    const struct target_tracking *tracking = policy->tracking;
    bool cools = is_cooling(policy->out_ms, tracking->out_cooldown, state->now_ms) || is_cooling(policy->in_ms, tracking->in_cooldown, state->now_ms);
    if (cools || !is_low(history, tracking->target_value.value)) { return (struct wish){ 0 }; }
    int64_t wanted = track_to(policy, state, history);
    return (struct wish){ wanted, 0, wanted < state->desired };
}

/* ---- steps ---- */

/* Above the threshold an interval has its lower bound, below it its upper one. A bound that is not given has no end. */
static bool holds(const struct step_adjustment *step, double breach)
{
    bool above = !step->lower.set || (breach >= 0 ? breach >= step->lower.value : breach > step->lower.value);
    bool below = !step->upper.set || (breach >= 0 ? breach < step->upper.value : breach <= step->upper.value);
    return above && below;
}

/* A part of a task counts as none, but at least one task comes or goes. */
static int64_t percent_of(int64_t desired, int64_t percent, struct opt_int least)
{
    double exact = (double)desired * (double)percent / 100;
    int64_t size = max_i64(as_count(fabs(exact) + ROUNDING), max_i64(exact == 0 ? 0 : 1, least.set ? least.value : 0));
    return percent == 0 ? 0 : percent < 0 ? -size : size;
}

static int64_t step_to(const struct step_scaling *scaling, int64_t desired, int64_t adjustment)
{
    if (scaling->type == ADJUSTMENT_EXACT) { return max_i64(adjustment, 0); }
    int64_t change = scaling->type == ADJUSTMENT_PERCENT ? percent_of(desired, adjustment, scaling->least) : adjustment;
    return min_i64(max_i64(desired + change, 0), INT32_MAX);
}

static struct wish step_wish(const struct kept_policy *policy, const struct scaling_state *state, const struct scaling_sign *sign, bool out)
{
    const struct step_scaling *scaling = policy->step;
    int64_t last_ms = max_i64(policy->out_ms, policy->in_ms), wanted = state->desired;
    if (!sign->rings || (last_ms != 0 && state->now_ms - last_ms < state->minute_ms)) { return (struct wish){ 0 }; }
    for (size_t s = 0; s < scaling->steps.count; s++) {
        const struct step_adjustment *step = &scaling->steps.items[s];
        if (!holds(step, sign->breach)) { continue; }
        wanted = step_to(scaling, state->desired, step->adjustment.value);
        break;
    }
    if (out) { return wish_out(policy, state, wanted, scaling->cooldown); }
    bool cools = is_cooling(last_ms, scaling->cooldown, state->now_ms);
    return (struct wish){ wanted, 0, wanted < state->desired && !cools };
}

/* ---- all of them ---- */

static void take_largest(struct scaling_decision *best, const struct wish *wish, size_t policy)
{
    if (!wish->wanted || (best->act == SCALING_SET && best->desired >= wish->desired)) { return; }
    *best = (struct scaling_decision){ SCALING_SET, wish->desired, policy, wish->added };
}

static struct scaling_decision find_out(const struct scaling_state *state)
{
    struct scaling_decision best = { SCALING_NOTHING, 0, 0, 0 };
    for (size_t p = 0; p < state->target->policies.count; p++) {
        const struct kept_policy *policy = &state->target->policies.items[p];
        const struct scaling_sign *sign = &state->signs[p];
        struct wish wish = policy->type == SCALING_STEP ? step_wish(policy, state, sign, true) : track_out(policy, state, &sign->history);
        take_largest(&best, &wish, p);
    }
    return best;
}

static struct scaling_decision find_in(const struct scaling_state *state)
{
    struct scaling_decision tracked = { SCALING_NOTHING, 0, 0, 0 }, stepped = tracked;
    bool all = true;
    for (size_t p = 0; p < state->target->policies.count; p++) {
        const struct kept_policy *policy = &state->target->policies.items[p];
        const struct scaling_sign *sign = &state->signs[p];
        if (policy->type == SCALING_STEP) {
            struct wish wish = step_wish(policy, state, sign, false);
            take_largest(&stepped, &wish, p);
        } else if (policy->tracking->out_only != OPT_TRUE) {
            struct wish wish = track_in(policy, state, &sign->history);
            all = all && wish.wanted;
            take_largest(&tracked, &wish, p);
        }
    }
    if (!all || tracked.act == SCALING_NOTHING) { return stepped; }
    return stepped.act == SCALING_SET && stepped.desired > tracked.desired ? stepped : tracked;
}

struct scaling_decision scaling_decide(const struct scaling_state *state)
{
    const struct kept_scaling *target = state->target;
    struct scaling_decision decision = find_out(state);
    ASSERT(state->now_ms > 0 && state->desired >= 0 && target->min <= target->max);
    bool out = decision.act == SCALING_SET;
    if (!out && !state->deploys) { decision = find_in(state); }
    bool suspended = (out ? target->suspended->out : target->suspended->in) == OPT_TRUE;
    if (decision.act == SCALING_NOTHING || suspended) { return (struct scaling_decision){ SCALING_NOTHING, 0, 0, 0 }; }
    if (out && state->waits) {
        decision.act = SCALING_NO_ROOM;
        return decision;
    }
    decision.desired = max_i64(min_i64(decision.desired, target->max), target->min);
    if (decision.desired == state->desired) { decision.act = out ? SCALING_AT_MAX : SCALING_AT_MIN; }
    return decision;
}

void scaling_note(struct kept_policy *policy, const struct scaling_decision *decision, int64_t before, int64_t now_ms)
{
    ASSERT(decision->act == SCALING_SET);
    if (decision->desired > before) {
        policy->out_ms = now_ms;
        policy->out_step = decision->added;
        policy->in_ms = 0;
    } else {
        policy->in_ms = now_ms;
    }
}

/* ---- scheduled actions ---- */

/* A limit that passes the other one, which the action does not name, moves it. */
const struct kept_action *scaling_apply_actions(struct kept_scaling *target, int64_t now_ms)
{
    const struct kept_action *last = NULL;
    bool suspended = target->suspended->scheduled == OPT_TRUE;
    for (size_t a = 0; a < target->actions.count; a++) {
        const struct kept_action *action = &target->actions.items[a];
        if (action->next_ms == 0 || action->next_ms > now_ms || suspended) { continue; }
        if (last == NULL || action->next_ms >= last->next_ms) { last = action; }
    }
    if (last == NULL) { return NULL; }
    const struct scalable_target_action *change = last->change;
    if (change->min.set) { target->min = change->min.value; }
    if (change->max.set) { target->max = change->max.value; }
    if (target->min > target->max) { *(change->min.set ? &target->max : &target->min) = change->min.set ? target->min : target->max; }
    return last;
}
