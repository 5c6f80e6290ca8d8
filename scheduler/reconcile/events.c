/* events.c: the events of a step, in ECS's order: health, stopped, started, completed or failed, rolling back, steady; then the causes that hinder the
 * service. The event of a cause comes once in EVENT_MARK_MS while the cause lasts. */
#include "scheduler/reconcile/step.h"

static void add(struct step *step, struct planned_event event) { step->plan->events[step->plan->event_count++] = event; }

static bool is_due(struct step *step, enum mark mark, bool lasts)
{
    int64_t now = step->state->now_ms, was = min_i64(step->state->marks[mark], now);         /* later than now: the clock was set back */
    bool due = lasts && (was == 0 || now - was >= EVENT_MARK_MS);
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

/* Events name the task set of their tasks, or the PRIMARY. */
static uint32_t deployment_of(const struct step *step, const struct planned_stop *stop)
{
    return is_external(step) ? step->state->tasks[stop->task].deployment : step->primary;
}

static enum event_kind kind_of(const struct planned_stop *stop)
{
    return stop->why == STOP_ZONE ? EVENT_STOPPED_IN_ZONE : stop->keeps_place ? EVENT_STOPPED_FOR_ROOM : EVENT_STOPPED;
}

static bool are_together(const struct step *step, const struct planned_stop *a, const struct planned_stop *b)
{
    return deployment_of(step, a) == deployment_of(step, b) && kind_of(a) == kind_of(b);
}

/* Stops from `first` on, as many as one event takes. */
static uint32_t count_together(const struct step *step, uint32_t first, size_t end, size_t most)
{
    const struct planned_stop *stops = step->plan->stops;
    uint32_t count = 1;
    while (count < most && first + count < end && are_together(step, &stops[first + count], &stops[first])) { count++; }
    return count;
}

static void add_stops(struct step *step)
{
    const struct service_plan *plan = step->plan;
    size_t running = order_stops(step);
    uint32_t named;
    for (uint32_t s = 0; s < running; s++) {
        uint32_t deployment = step->state->tasks[plan->stops[s].task].deployment;
        if (plan->stops[s].why == STOP_UNHEALTHY) { add(step, (struct planned_event){ EVENT_FAILED_CHECKS, deployment, 1, 0, s, 1, 0, 0 }); }
    }
    for (uint32_t s = 0; s < running; s += named) {
        named = count_together(step, s, running, EVENT_TASKS_MAX);
        const struct planned_stop *stop = &plan->stops[s];
        add(step, (struct planned_event){ kind_of(stop), deployment_of(step, stop), named, 0, s, named, step->state->tasks[stop->task].zone, 0 });
    }
    for (uint32_t s = (uint32_t)running; s < plan->stop_count; s += named) {
        named = count_together(step, s, plan->stop_count, SIZE_MAX);
        add(step, (struct planned_event){ EVENT_STOPPED_PENDING, deployment_of(step, &plan->stops[s]), named, 0, 0, 0, 0, 0 });
    }
}

static void add_starts(struct step *step)
{
    for (size_t s = 0; s < step->plan->start_count; s++) {
        const struct planned_start *start = &step->plan->starts[s];
        enum event_kind kind = start->zone != ANY_ZONE ? EVENT_STARTED_IN_ZONE : start->for_unhealthy > 0 ? EVENT_REPLACED : EVENT_STARTED;
        add(step, (struct planned_event){ kind, start->deployment, start->count, start->for_unhealthy, 0, 0, start->zone, 0 });
    }
}

/* ---- zones ---- */
static bool is_due_in_zones(struct step *step, enum mark mark, int zones)
{
    if (step->zones != ZONES_AS_BEFORE) { return is_due(step, mark, (int)step->zones == zones); }
    step->plan->marks[mark] = step->state->marks[mark];
    return false;
}

static void add_unbalanced(struct step *step)
{
    if (is_due_in_zones(step, MARK_UNBALANCED, ZONES_UNEVEN)) { add(step, (struct planned_event){ .kind = EVENT_UNBALANCED, .deployment = step->primary }); }
}

static void add_zones(struct step *step)
{
    bool full = is_due_in_zones(step, MARK_ZONE_FULL, ZONES_FULL), held = is_due_in_zones(step, MARK_ZONE_PROTECTED, ZONES_PROTECTED);
    bool ends = step->state->marks[MARK_UNBALANCED] != 0 && step->plan->marks[MARK_UNBALANCED] == 0;
    if (full) { add(step, (struct planned_event){ .kind = EVENT_ZONE_FULL, .deployment = step->primary, .zone = step->zone }); }
    if (held) { add(step, (struct planned_event){ .kind = EVENT_ZONE_PROTECTED, .deployment = step->primary, .count = step->zone_tasks }); }
    enum event_kind end = step->zones == ZONES_EVEN ? EVENT_BALANCED : EVENT_BALANCING_STOPPED;
    if (ends) { add(step, (struct planned_event){ .kind = end, .deployment = step->primary }); }
}

/* ---- task sets ---- */
static void add_computed(struct step *step)
{
    for (uint32_t d = 0; d < step->state->deployment_count; d++) {
        int64_t computed = step->plan->deployments[d].computed;
        bool due = computed != step->state->deployments[d].computed;
        if (due) { add(step, (struct planned_event){ .kind = EVENT_COMPUTED, .deployment = d, .count = computed }); }
    }
}

static void add_stable(struct step *step)
{
    for (uint32_t d = 0; d < step->state->deployment_count; d++) {
        bool became = step->plan->deployments[d].stable && !step->state->deployments[d].stable;
        if (became) { add(step, (struct planned_event){ .kind = EVENT_SET_STEADY, .deployment = d }); }
    }
}

/* ---- causes ---- */
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
static bool lacks_room(const struct step *step, uint32_t d)
{
    const struct service_state *state = step->state;
    if (state->waits_for_room || step->plan->deployments[d].failures.no_room_ms == 0) { return false; }
    int64_t since = state->deployments[d].failures.no_room_ms;
    return state->marks[MARK_NO_ROOM] != 0 || (since != 0 && state->now_ms - since >= MINUTE_MS);
}

static bool is_unable(const struct step *step, uint32_t d)
{
    enum { UNABLE_FROM = 3 };
    return !step->plan->steady && !step->state->closing && step->plan->deployments[d].failures.unstarted >= UNABLE_FROM;
}

/* Its tasks wait in vain: told again only when one has run meanwhile. */
static bool has_given_up(const struct step *step, uint32_t d)
{
    return !step->plan->steady && !step->state->closing && step->plan->deployments[d].failures.gave_up;
}

static bool is_throttled(const struct step *step)
{
    bool waits = false;
    for (uint32_t t = 0; t < step->state->task_count; t++) { waits |= step->state->tasks[t].waits && task_is_live(step->classes[t]); }
    return waits && step->state->throttled;
}

/* Some tasks of a batch have started, and the others had no room: told when it comes to that, and it lasts until there is room. */
static bool has_some_room(const struct step *step)
{
    const struct service_state *state = step->state;
    if (!state->breaker.enabled || step->room_lacks <= 0 || primary_of(step)->rollout != ROLLOUT_IN_PROGRESS) { return false; }
    return state->marks[MARK_SOME_ROOM] != 0 || step->plan->start_count > 0;
}

static bool is_kept_in_drain(const struct step *step, uint32_t t)
{
    return step->classes[t] == TASK_HEALTHY && !task_is_old(step, t) && step->state->tasks[t].machine == MACHINE_DRAINING;
}

/* A replacement has no room, and the lower limit keeps the task on the draining machine. */
static void add_drain(struct step *step)
{
    bool holds = step->room_lacks > 0 && step->best == NULL && step_count(step, is_kept_in_drain) > 0;
    if (!is_due(step, MARK_DRAIN, holds)) { return; }
    uint32_t *order = ARENA_NEW(step->arena, uint32_t, step->state->task_count);
    (void)step_order(step, is_kept_in_drain, order);
    add(step, (struct planned_event){ .kind = EVENT_DRAIN, .deployment = step->primary, .count = step->state->min_percent, .task = order[0] });
}

/* Whether the cause holds for the PRIMARY, or for a task set. */
static bool holds_for_any(const struct step *step, bool (*holds)(const struct step *step, uint32_t d))
{
    for (uint32_t d = 0; d < step->state->deployment_count; d++) {
        if ((is_external(step) || d == step->primary) && holds(step, d)) { return true; }
    }
    return false;
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
    enum { CAUSES_AND_OUTCOME = 20, OF_A_DEPLOYMENT = 3 };
    struct service_plan *plan = step->plan;
    size_t most = 2 * plan->stop_count + OF_A_DEPLOYMENT * step->state->deployment_count + CAUSES_AND_OUTCOME;
    plan->events = ARENA_NEW(step->arena, struct planned_event, most);
    if (is_external(step)) { add_computed(step); }
    add_stops(step);
    if (!is_external(step)) { add_unbalanced(step); }
    add_starts(step);
    if (is_external(step)) { add_stable(step); } else { add_outcome(step); }
    bool some = !is_external(step) && has_some_room(step);
    const struct { enum mark mark; enum event_kind kind; bool lasts; int64_t count; } causes[] = {
        { MARK_SOME_ROOM, EVENT_SOME_ROOM, some, step->room_lacks },
        { MARK_STEADY, EVENT_STEADY, plan->steady, 0 },
        { MARK_NO_ROOM, EVENT_NO_PLACE, holds_for_any(step, lacks_room), 0 },
        { MARK_GAVE_UP, EVENT_GAVE_UP, holds_for_any(step, has_given_up), 0 },
        { MARK_LIMIT, EVENT_LIMIT, step->refused > 0, 0 },
        { MARK_THROTTLED, EVENT_THROTTLED, is_throttled(step), 0 },
        { MARK_UNABLE, EVENT_UNABLE, holds_for_any(step, is_unable), 0 },
        { MARK_STUCK, EVENT_STUCK, is_stuck(step), 0 },
        { MARK_PROTECTED, EVENT_PROTECTED, step->protected_out > 0, step->protected_out },
    };
    for (size_t c = 0; c < COUNT_OF(causes); c++) {
        if (is_due(step, causes[c].mark, causes[c].lasts)) {
            uint32_t deployment = is_external(step) ? step->protected_in : step->primary;
            add(step, (struct planned_event){ .kind = causes[c].kind, .deployment = deployment, .count = causes[c].count });
        }
    }
    if (!is_external(step)) { add_zones(step); }
    add_drain(step);
    ASSERT(plan->event_count <= most);
}
