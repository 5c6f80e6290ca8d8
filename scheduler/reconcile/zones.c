/* zones.c: zone rebalancing. While a service is steady and a zone has two tasks more than another, a task starts in the lightest zone; when it is healthy,
 * one stops in the heaviest. So there is one task above the desired count at most, and never one below. The mark of its event is the memory: while it
 * lasts, one task above the desired count belongs to the rebalancing. */
#include "scheduler/reconcile/step.h"

/* able: each task is in a zone that takes tasks, and there are two such zones or more. */
struct balance { bool able; uint32_t lightest, heaviest; int64_t least, most; };

static struct balance weigh(const struct step *step)
{
    const struct service_state *state = step->state;
    struct balance balance = { 0 };
    int64_t *counts = ARENA_NEW(step->arena, int64_t, state->zone_count), live = 0;
    uint32_t zones = 0;
    for (uint32_t t = 0; t < state->task_count; t++) {
        if (!state->tasks[t].waits) { counts[state->tasks[t].zone] += task_is_live(step->classes[t]); }
        live += task_is_live(step->classes[t]);
    }
    for (uint32_t z = 0; z < state->zone_count; z++) {
        if (!state->zones[z].takes) { continue; }
        if (zones == 0 || counts[z] < balance.least) { balance.least = counts[z]; balance.lightest = z; }
        if (zones == 0 || counts[z] > balance.most) { balance.most = counts[z]; balance.heaviest = z; }
        live -= counts[z];
        zones++;
    }
    balance.able = zones > 1 && live == 0;
    return balance;
}

static bool is_on(const struct step *step)
{
    return step->state->rebalances && !step->state->closing && primary_of(step)->rollout == ROLLOUT_COMPLETED;
}

/* ---- the task above the desired count ---- */
static bool is_own(const struct step *step, uint32_t t) { return !task_is_old(step, t) && step->state->tasks[t].machine == MACHINE_READY; }
static bool is_coming(const struct step *step, uint32_t t)
{
    return is_own(step, t) && (step->classes[t] == TASK_STARTING || step->classes[t] == TASK_WARMING);
}
static bool takes_heaviest(const struct step *step, uint32_t t)
{
    return is_own(step, t) && step->classes[t] == TASK_HEALTHY && step->state->tasks[t].zone == step->zone && !task_is_protected(step, t);
}

bool zones_keep_surplus(struct step *step, int64_t surplus)
{
    if (surplus != 1 || !is_on(step) || step->state->marks[MARK_UNBALANCED] == 0) { return false; }
    if (step_count(step, is_coming) > 0) { return true; }
    struct balance balance = weigh(step);
    if (!balance.able || balance.most == balance.least) { return false; }
    step->zone = balance.heaviest;
    return step->healthy > min_i64(step->lower, step->desired) && step_stop(step, takes_heaviest, STOP_ZONE, 1) == 1;
}

/* ---- the next one ---- */
static void start_in(struct step *step, uint32_t zone)
{
    struct service_plan *plan = step->plan;
    size_t before = plan->start_count;
    step_start(step, step->primary, 1, 1);
    if (plan->start_count > before) { plan->starts[before].zone = zone; }
}

void zones_step(struct step *step)
{
    enum { LOOK_AGAIN_MS = MINUTE_MS };
    if (!is_on(step)) { step->zones = ZONES_OFF; return; }
    if (!step->plan->steady) { step->zones = ZONES_AS_BEFORE; return; }
    struct balance balance = weigh(step);
    step->zone = balance.heaviest;
    if (!balance.able || (balance.most - balance.least > 1 && step->upper <= step->desired)) {
        step->zones = ZONES_OFF;
    } else if (balance.most - balance.least <= 1) {
        step->zones = ZONES_EVEN;
    } else if (step_count(step, takes_heaviest) == 0) {
        step->zones = ZONES_PROTECTED;
        step->zone_tasks = balance.most;
    } else if (!step->state->zones[balance.lightest].room || room_of(step, step->primary) == 0) {
        step->zones = ZONES_FULL;
        step->zone = balance.lightest;
        step_wake(step, step->state->now_ms + LOOK_AGAIN_MS);
    } else {
        step->zones = ZONES_UNEVEN;
        start_in(step, balance.lightest);
    }
}
