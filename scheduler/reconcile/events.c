/* events.c: the events of a step, in ECS's order: health, stopped, started, completed or failed, rolling back, steady; then the causes that hinder the
 * service. The event of a cause comes once in EVENT_MARK_MS while the cause lasts. */
#include "scheduler/reconcile/step.h"

static void add(struct step *step, struct planned_event event) { step->plan->events[step->plan->event_count++] = event; }

static bool is_due(struct step *step, enum event_mark mark, bool lasts)
{
    int64_t was = step->state->marks[mark], now = step->state->now_ms;
    bool due = lasts && (was == 0 || now - was >= EVENT_MARK_MS);
    ASSERT(was <= now);
    step->plan->marks[mark] = due ? now : lasts ? was : 0;
    if (lasts) { step_wake(step, step->plan->marks[mark] + EVENT_MARK_MS); }
    return due;
}

/* RUNNING ones first, each kind in the order in which it was planned. */
static size_t order_stops(struct step *step)
{
    struct service_plan *plan = step->plan;
    struct planned_stop *pending = ARENA_NEW(step->arena, struct planned_stop, plan->stop_count);
    size_t running = 0, count = 0;
    for (size_t s = 0; s < plan->stop_count; s++) {
        struct planned_stop stop = plan->stops[s];
        if (step->state->tasks[stop.task].running) { plan->stops[running++] = stop; } else { pending[count++] = stop; }
    }
    if (count > 0) { memcpy(plan->stops + running, pending, count * sizeof *pending); }
    return running;
}

static void add_stops(struct step *step)
{
    const struct service_plan *plan = step->plan;
    size_t running = order_stops(step);
    for (uint32_t s = 0; s < running; s++) {
        uint32_t deployment = step->state->tasks[plan->stops[s].task].deployment;
        if (plan->stops[s].why == STOP_UNHEALTHY) { add(step, (struct planned_event){ EVENT_FAILED_CHECKS, deployment, 1, 0, s, 1 }); }
    }
    for (uint32_t s = 0; s < running; s += EVENT_TASKS_MAX) {
        uint32_t named = (uint32_t)min_size(EVENT_TASKS_MAX, running - s);
        add(step, (struct planned_event){ EVENT_STOPPED, step->primary, named, 0, s, named });
    }
    int64_t pending = (int64_t)(plan->stop_count - running);
    if (pending > 0) { add(step, (struct planned_event){ EVENT_STOPPED_PENDING, step->primary, pending, 0, 0, 0 }); }
    for (size_t s = 0; s < plan->start_count; s++) {
        const struct planned_start *start = &plan->starts[s];
        enum event_kind kind = start->for_unhealthy > 0 ? EVENT_REPLACED : EVENT_STARTED;
        add(step, (struct planned_event){ kind, start->deployment, start->count, start->for_unhealthy, 0, 0 });
    }
}

/* No start or stop is possible with any fleet, and no task is on its way. */
static bool is_stuck(const struct step *step)
{
    const struct class_counts *all = &step->all;
    if (!step->limited || step_has_failed(step) || step->due > 0 || step->plan->stop_count > 0) { return false; }
    if (step->protected_out > 0 || all->of[TASK_LEAVING] + all->of[TASK_STARTING] + all->of[TASK_WARMING] > 0) { return false; }
    const struct class_counts *own = &step->counts[step->primary];
    return live_of(own) != step->desired || live_of(all) != live_of(own) || all->draining > 0;
}

/* A minute has passed in which a start was due and nothing had room; once told, the cause lasts until there is room. */
static bool lacks_room(const struct step *step)
{
    const struct service_state *state = step->state;
    if (state->waits_for_room || primary_of(step)->failures.no_room_ms == 0) { return false; }
    int64_t since = state->deployments[step->primary].failures.no_room_ms;
    return state->marks[MARK_NO_ROOM] != 0 || (since != 0 && state->now_ms - since >= MINUTE_MS);
}

/* A rollback can complete in the step that begins it: the old tasks are all there. */
static void add_outcome(struct step *step)
{
    const struct deployment *primary = primary_of(step);
    if (step->failure != EVENT_KIND_COUNT) { add(step, (struct planned_event){ .kind = step->failure, .deployment = step->failed }); }
    if (step->rolls_back) { add(step, (struct planned_event){ .kind = EVENT_ROLLING_BACK, .deployment = step->primary }); }
    bool was_completed = step->state->deployments[step->primary].rollout == ROLLOUT_COMPLETED && !step->rolls_back;
    if (primary->rollout == ROLLOUT_COMPLETED && !was_completed) { add(step, (struct planned_event){ .kind = EVENT_COMPLETED, .deployment = step->primary }); }
}

void step_events(struct step *step)
{
    enum { BESIDE_STOPS = 16, UNABLE_FROM = 3 };
    struct service_plan *plan = step->plan;
    plan->events = ARENA_NEW(step->arena, struct planned_event, 2 * plan->stop_count + BESIDE_STOPS);
    add_stops(step);
    add_outcome(step);
    const struct { enum event_mark mark; enum event_kind kind; bool lasts; int64_t count; } causes[] = {
        { MARK_STEADY, EVENT_STEADY, plan->steady, 0 },
        { MARK_NO_ROOM, EVENT_NO_PLACE, lacks_room(step), 0 },
        { MARK_UNABLE, EVENT_UNABLE, !plan->steady && !step->state->closing && primary_of(step)->failures.unstarted >= UNABLE_FROM, 0 },
        { MARK_STUCK, EVENT_STUCK, is_stuck(step), 0 },
        { MARK_PROTECTED, EVENT_PROTECTED, step->protected_out > 0, step->protected_out },
    };
    for (size_t c = 0; c < COUNT_OF(causes); c++) {
        if (is_due(step, causes[c].mark, causes[c].lasts)) {
            add(step, (struct planned_event){ .kind = causes[c].kind, .deployment = step->primary, .count = causes[c].count });
        }
    }
    ASSERT(plan->event_count <= 2 * plan->stop_count + BESIDE_STOPS);
}
