/* services.h: one service on a small fleet that does what a plan says, and checks each plan against the invariants of services. */
#ifndef BERTH_TESTS_SCHEDULER_SERVICES_H
#define BERTH_TESTS_SCHEDULER_SERVICES_H

#include "../check.h"
#include "base/num.h"
#include "base/rng.h"
#include "scheduler/reconcile/reconcile.h"

enum { FLEET_TASKS_MAX = 128, FLEET_DEPLOYMENTS_MAX = 12, FLEET_INSTANCES = 6, FLEET_HOOKS_MAX = 4, FLEET_START_MS = 1000000 };

struct fleet_of_one {
    const char *row;
    struct arena arena;
    struct service_state state;
    struct service_plan plan;                                 /* the last one */
    struct service_task tasks[FLEET_TASKS_MAX];
    struct deployment deployments[FLEET_DEPLOYMENTS_MAX];
    int64_t slots, zones, digits, number;
    int64_t room, rooms[FLEET_DEPLOYMENTS_MAX];               /* of slots that are free: all, and those for the next starts of each deployment */
    int64_t waits_max, waits[FLEET_DEPLOYMENTS_MAX];          /* starts that may wait for a machine at a time; of the next starts: those that do */
    bool ended_some;                                          /* in the last step: tasks that waited */
    bool draining[FLEET_INSTANCES];
    struct daemon_instance daemons[FLEET_INSTANCES];
    struct service_zone zone_states[FLEET_INSTANCES];
    struct { enum task_pull pull; int64_t asked_ms; } pulls[FLEET_INSTANCES];
    bool full[FLEET_INSTANCES];                               /* zones without room for rebalancing */
    int64_t seen[EVENT_KIND_COUNT];                           /* events so far */
    bool completed;                                           /* in the last step */
    struct rollout_hook hooks[FLEET_HOOKS_MAX];
    int64_t shifted_ms;                                       /* when green got the whole production traffic; 0: it has not */
};

static inline void fleet_open(struct fleet_of_one *f, const char *row, int64_t desired, int64_t min, int64_t max)
{
    memset(f, 0, sizeof *f);
    f->row = row;
    arena_init(&f->arena, (size_t)1 << 24);
    f->slots = 1000;
    f->zones = 1;
    f->deployments[0] = (struct deployment){ .digits = ++f->digits };
    f->state = (struct service_state){
        .now_ms = FLEET_START_MS, .desired = desired, .min_percent = min, .max_percent = max, .healthy_after_ms = HEALTHY_AFTER_MS, .act = ACT_IN_PROGRESS,
        .breaker = { .kind = BREAKER_BOUNDED_PERCENT, .value = 50 }, .deployments = f->deployments, .deployment_count = 1, .tasks = f->tasks,
        .traffic = { .begun_ms = FLEET_START_MS, .first = WEIGHT_WHOLE, .hooks = f->hooks }, .daemon_instances = f->daemons, .instance_count = FLEET_INSTANCES, .zone_count = FLEET_INSTANCES,
        .zones = f->zone_states,
    };
}
static inline void fleet_close(struct fleet_of_one *f) { arena_finish(&f->arena); }

static inline bool fleet_live(const struct service_task *task) { return !task->leaving && task->machine != MACHINE_LOST; }
static inline bool fleet_healthy(const struct fleet_of_one *f, const struct service_task *task)
{
    if (!fleet_live(task) || !task->running) { return false; }
    return task->health == HEALTH_GOOD || (task->health == HEALTH_NO_CHECK && f->state.now_ms >= task->running_since_ms + f->state.healthy_after_ms);
}
static inline bool fleet_protected(const struct fleet_of_one *f, const struct service_task *task) { return task->protected_until_ms > f->state.now_ms; }
static inline uint32_t fleet_primary(const struct fleet_of_one *f)
{
    for (uint32_t d = 0; d < f->state.deployment_count; d++) {
        if (f->deployments[d].role == DEPLOYMENT_PRIMARY) { return d; }
    }
    return UINT32_MAX;
}
static inline enum rollout fleet_rollout(const struct fleet_of_one *f) { return f->deployments[fleet_primary(f)].rollout; }
static inline bool fleet_has_traffic(const struct fleet_of_one *f) { return f->state.strategy >= ROLLOUT_BLUE_GREEN; }
static inline uint32_t fleet_blue(const struct fleet_of_one *f, const struct rollout_at *at)
{
    for (uint32_t d = 0; d < f->state.deployment_count; d++) {
        if (f->deployments[d].digits == at->blue) { return d; }
    }
    return UINT32_MAX;
}

struct fleet_counts { int64_t live, leaving, healthy, starting, live_new, healthy_new, old, draining; };
static inline struct fleet_counts fleet_count_of(const struct fleet_of_one *f, uint32_t primary)
{
    struct fleet_counts counts = { 0 };
    for (size_t t = 0; t < f->state.task_count; t++) {
        const struct service_task *task = &f->tasks[t];
        bool live = fleet_live(task), own = task->deployment == primary;
        counts.live += live;
        counts.leaving += task->leaving && task->machine != MACHINE_LOST;
        counts.healthy += fleet_healthy(f, task);
        counts.starting += live && !task->running;
        counts.live_new += live && own;
        counts.healthy_new += own && fleet_healthy(f, task);
        counts.old += !own;
        counts.draining += live && task->machine == MACHINE_DRAINING;
    }
    return counts;
}

static inline struct fleet_counts fleet_count(const struct fleet_of_one *f) { return fleet_count_of(f, fleet_primary(f)); }

static inline void fleet_remove(struct fleet_of_one *f, size_t t) { f->tasks[t] = f->tasks[--f->state.task_count]; }
static inline void fleet_end(struct fleet_of_one *f, size_t t, enum end_cause cause)
{
    struct service_task *task = &f->tasks[t];
    struct deployment *deployment = &f->deployments[task->deployment];
    struct task_end end = { cause, task->running, task->was_healthy, f->state.now_ms - task->running_since_ms, task->waits };
    bool counts = deployment->role == DEPLOYMENT_PRIMARY && deployment->rollout == ROLLOUT_IN_PROGRESS;
    failures_count_end(&deployment->failures, &end, counts, f->state.breaker.enabled, f->state.now_ms);
    fleet_remove(f, t);
}

/* The instance in the lightest zone with the fewest tasks. */
static inline uint32_t fleet_best(const struct fleet_of_one *f, uint32_t only_zone)
{
    int64_t on[FLEET_INSTANCES] = { 0 }, in[FLEET_INSTANCES] = { 0 };
    for (size_t t = 0; t < f->state.task_count; t++) {
        if (f->tasks[t].waits) { continue; }
        on[f->tasks[t].instance]++;
        in[f->tasks[t].zone]++;
    }
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < FLEET_INSTANCES; i++) {
        if (f->draining[i] || (only_zone != ANY_ZONE && only_zone != i % (uint32_t)f->zones)) { continue; }
        uint32_t zone = i % (uint32_t)f->zones, best_zone = best == UINT32_MAX ? 0 : best % (uint32_t)f->zones;
        if (best == UINT32_MAX || in[zone] < in[best_zone] || (in[zone] == in[best_zone] && on[i] < on[best])) { best = i; }
    }
    return best;
}

static inline void fleet_add(struct fleet_of_one *f, uint32_t deployment, uint32_t only_zone, bool waits)
{
    uint32_t best = waits ? UINT32_MAX : fleet_best(f, only_zone);
    struct service_task *task = &f->tasks[f->state.task_count++];
    *task = (struct service_task){ .deployment = deployment, .instance = best, .zone = waits ? UINT32_MAX : best % (uint32_t)f->zones, .waits = waits };
    int64_t number = ++f->number;
    for (size_t b = 0; b < 8; b++) { task->id.bytes[b] = (uint8_t)(number >> (56 - 8 * b)); }
}

static inline int64_t fleet_waiting(const struct fleet_of_one *f)
{
    int64_t count = 0;
    for (size_t t = 0; t < f->state.task_count; t++) { count += f->tasks[t].waits; }
    return count;
}

/* A machine comes for it, if there is room. */
static inline void fleet_seat(struct fleet_of_one *f, size_t t)
{
    if (f->slots <= (int64_t)f->state.task_count - fleet_waiting(f)) { return; }
    f->tasks[t].instance = fleet_best(f, ANY_ZONE);
    f->tasks[t].zone = f->tasks[t].instance % (uint32_t)f->zones;
    f->tasks[t].waits = false;
}

static inline void fleet_running(struct fleet_of_one *f, size_t t)
{
    f->tasks[t].running = true;
    f->tasks[t].running_since_ms = f->state.now_ms;
    failures_count_running(&f->deployments[f->tasks[t].deployment].failures);
}

/* ---- invariants ---- */
/* DAEMON: one live task on each instance, none where it does not match, and stops of a rollout leave the lower limit. */
static inline void fleet_check_daemons(struct fleet_of_one *f, const struct service_plan *plan)
{
    int64_t on[FLEET_INSTANCES] = { 0 }, healthy = 0, stopped = 0;
    for (size_t t = 0; t < f->state.task_count; t++) {
        const struct service_task *task = &f->tasks[t];
        const struct daemon_instance *instance = &f->daemons[task->instance];
        bool stops = false;
        for (size_t s = 0; s < plan->stop_count; s++) {
            if (plan->stops[s].task != t) { continue; }
            stops = true;
            stopped += plan->stops[s].why == STOP_OLD && fleet_healthy(f, task);
        }
        healthy += fleet_healthy(f, task) && instance->matches && !instance->draining && (!stops || fleet_primary(f) != task->deployment);
        on[task->instance] += fleet_live(task) && !stops && !fleet_protected(f, task);
        CHECK(f->row, !fleet_live(task) || instance->matches || stops || fleet_protected(f, task));
    }
    for (size_t p = 0; p < plan->place_count; p++) {
        CHECK(f->row, f->daemons[plan->places[p]].matches && !f->daemons[plan->places[p]].draining && f->daemons[plan->places[p]].connected);
        on[plan->places[p]]++;
    }
    for (size_t i = 0; i < FLEET_INSTANCES; i++) { CHECK(f->row, on[i] <= 1); }                                                    /* I15 */
    CHECK(f->row, stopped == 0 || healthy - stopped >= reconcile_lower(plan->desired, f->state.min_percent));                      /* I3 */
}

static inline void fleet_check_stops(struct fleet_of_one *f, const struct service_plan *plan, struct fleet_counts before)
{
    int64_t healthy = before.healthy;
    bool stopped[FLEET_TASKS_MAX] = { false };
    for (size_t s = 0; s < plan->stop_count; s++) {
        const struct service_task *task = &f->tasks[plan->stops[s].task];
        CHECK(f->row, fleet_live(task) && !stopped[plan->stops[s].task]);
        stopped[plan->stops[s].task] = true;
        healthy -= fleet_healthy(f, task);
        enum stop_why why = plan->stops[s].why;
        CHECK(f->row, !fleet_protected(f, task) || (why != STOP_OLD && why != STOP_SURPLUS && why != STOP_NO_MATCH && why != STOP_ZONE));   /* I5 */
    }
    for (size_t s = 0; s < plan->stop_count; s++) {
        const struct service_task *task = &f->tasks[plan->stops[s].task];
        bool waits = task->pull == PULL_CAN || (task->pull == PULL_ASKED && f->state.now_ms < task->pull_ms + PULL_WAIT_MS);
        CHECK(f->row, !plan->stops[s].keeps_place || (task->makes_room && !waits));                                                /* I17 */
    }
    CHECK(f->row, plan->pull == NO_TASK || (f->tasks[plan->pull].pull == PULL_CAN && f->tasks[plan->pull].makes_room && !stopped[plan->pull]));
    bool takes_seated = false, leaves_waiting = false;
    for (size_t t = 0; t < f->state.task_count; t++) {
        const struct service_task *task = &f->tasks[t];
        leaves_waiting |= task->waits && !stopped[t] && !fleet_protected(f, task) && plan->deployments[task->deployment].role == DEPLOYMENT_PRIMARY;
        CHECK(f->row, !task->waits || stopped[t] || plan->more || plan->deployments[task->deployment].rollout != ROLLOUT_FAILED);     /* I18 */
    }
    for (size_t s = 0; s < plan->stop_count; s++) { takes_seated |= plan->stops[s].why == STOP_SURPLUS && !f->tasks[plan->stops[s].task].waits; }
    CHECK(f->row, !takes_seated || !leaves_waiting || f->state.strategy == ROLLOUT_EXTERNAL);                                      /* I19 */
    int64_t lower = max_i64(0, reconcile_lower(f->state.desired, f->state.min_percent) - f->state.stops_first);
    if (f->state.strategy != ROLLOUT_ROLLING) { return; }
    CHECK(f->row, f->state.closing || healthy >= min_i64(lower, before.healthy));                                                  /* I3 */
}

static inline void fleet_check_starts(struct fleet_of_one *f, const struct service_plan *plan, struct fleet_counts before)
{
    int64_t started = 0;
    for (size_t s = 0; s < plan->start_count; s++) {
        const struct deployment *deployment = &plan->deployments[plan->starts[s].deployment];
        CHECK(f->row, plan->starts[s].count > 0 && !deployment->gone);
        CHECK(f->row, deployment->rollout != ROLLOUT_FAILED && !f->state.closing);                                                 /* I4 */
        CHECK(f->row, deployment->failures.next_start_ms <= f->state.now_ms);
        started += plan->starts[s].count;
        uint32_t zone = plan->starts[s].zone;
        CHECK(f->row, zone == ANY_ZONE || (f->state.rebalances && plan->steady && plan->start_count == 1 && started == 1 && plan->stop_count == 0));
        CHECK(f->row, zone == ANY_ZONE || (f->zone_states[zone].takes && f->zone_states[zone].room));
    }
    if (f->state.strategy != ROLLOUT_ROLLING) { return; }
    int64_t upper = reconcile_upper(f->state.desired, f->state.max_percent), occupied = before.live + before.leaving;
    CHECK(f->row, occupied + started <= max_i64(upper, occupied));                                                                 /* I2 */
    CHECK(f->row, started <= f->room + max_i64(0, f->waits_max - fleet_waiting(f)));
}

static inline void fleet_check_state(struct fleet_of_one *f, const struct service_plan *plan)
{
    static const uint32_t may_become[] = {
        [ACT_IN_PROGRESS] = 1u << ACT_SUCCESSFUL | 1u << ACT_STOPPED | 1u << ACT_ROLLBACK_IN_PROGRESS | 1u << ACT_ROLLBACK_FAILED | 1u << ACT_ROLLBACK_SUCCESSFUL,
        [ACT_ROLLBACK_REQUESTED] = 1u << ACT_SUCCESSFUL | 1u << ACT_STOPPED | 1u << ACT_ROLLBACK_IN_PROGRESS | 1u << ACT_ROLLBACK_FAILED | 1u << ACT_ROLLBACK_SUCCESSFUL,
        [ACT_ROLLBACK_IN_PROGRESS] = 1u << ACT_ROLLBACK_SUCCESSFUL | 1u << ACT_ROLLBACK_FAILED, [ACT_ROLLBACK_FAILED] = 0,
    };
    int64_t primaries = 0;
    uint32_t primary = 0;
    f->completed = false;
    for (uint32_t d = 0; d < f->state.deployment_count; d++) {
        if (plan->deployments[d].role == DEPLOYMENT_PRIMARY) { primaries++; primary = d; }
        CHECK(f->row, !plan->deployments[d].gone || plan->deployments[d].role == DEPLOYMENT_ACTIVE || plan->deployments[d].deleting);
    }
    struct fleet_counts before = fleet_count_of(f, primary);
    if (f->state.strategy == ROLLOUT_EXTERNAL) { return; }
    CHECK_EQ(f->row, primaries, 1);                                                                                                /* I1 */
    if (plan->deployments[primary].rollout == ROLLOUT_COMPLETED && f->deployments[primary].rollout != ROLLOUT_COMPLETED) {
        f->completed = true;
        CHECK(f->row, before.live_new == plan->desired && before.healthy_new == plan->desired && before.old == 0);           /* I8 */
    }
    if (plan->desired > 0 && plan->steady) { CHECK(f->row, before.healthy_new == plan->desired && before.old + before.draining == 0); }
    uint32_t target = UINT32_MAX;
    for (uint32_t d = 0; d < f->state.deployment_count; d++) {
        if (f->deployments[d].role == DEPLOYMENT_ACTIVE && f->deployments[d].rollout == ROLLOUT_COMPLETED) { target = d; }
    }
    if (fleet_has_traffic(f)) { target = fleet_blue(f, &plan->traffic.at); }
    bool needs_target = target != UINT32_MAX && f->deployments[target].rollout != ROLLOUT_FAILED && plan->deployments[primary].rollout == ROLLOUT_IN_PROGRESS;
    CHECK(f->row, !needs_target || !plan->deployments[target].gone);                                                               /* I9 */
    if (plan->act != f->state.act) { CHECK(f->row, (may_become[f->state.act] >> plan->act & 1) != 0); }                            /* I10 */
    CHECK(f->row, plan->wake_ms == 0 || plan->wake_ms > f->state.now_ms);                                                          /* I11 */
}

/* ---- strategies with traffic ---- */
static inline bool fleet_same_traffic(const struct fleet_of_one *f, const struct traffic_plan *a, const struct traffic_plan *b)
{
    bool same = a->at.stage == b->at.stage && a->at.stage_since_ms == b->at.stage_since_ms && a->at.step == b->at.step && a->at.blue == b->at.blue;
    for (size_t h = 0; fleet_has_traffic(f) && h < f->state.traffic.hook_count; h++) { same = same && a->answers[h] == b->answers[h]; }
    return same && a->at.blue_stops == b->at.blue_stops;
}

/* The sums of the weights; where green's comes from; stages one after the other, each with its hooks, and none left while a hook is pending. */
static inline void fleet_check_stages(struct fleet_of_one *f, const struct service_plan *plan, bool rolls_back)
{
    const struct rollout_at *was = &f->state.traffic.at, *at = &plan->traffic.at;
    bool moved = at->stage != was->stage || at->step != was->step, stalled = plan->deployments[fleet_primary(f)].rollout == ROLLOUT_FAILED && !rolls_back;
    int64_t production = 0, test = 0;
    for (uint32_t d = 0; d < f->state.deployment_count; d++) {
        production += plan->deployments[d].production;
        test += plan->deployments[d].test;
        CHECK(f->row, plan->deployments[d].production >= 0 && plan->deployments[d].test >= 0);
        if (plan->deployments[d].role != DEPLOYMENT_PRIMARY || at->stage < STAGE_PRE_SCALE_UP) { continue; }
        int64_t weight = traffic_weight(f->state.strategy, f->state.traffic.first, at->step);
        CHECK_EQ(f->row, plan->deployments[d].production, plan->deployments[d].rolled_back_to || rolls_back ? WEIGHT_WHOLE : weight);
    }
    uint32_t blue = fleet_blue(f, at);
    bool divided = blue != UINT32_MAX && at->stage >= STAGE_PRE_SCALE_UP && !stalled;
    CHECK(f->row, !divided || (production == WEIGHT_WHOLE && test == WEIGHT_WHOLE));                                               /* I12 */
    bool next_step = at->stage == STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT && at->step < traffic_steps(f->state.strategy, f->state.traffic.first);
    CHECK(f->row, rolls_back || at->stage >= was->stage || next_step);
    for (size_t h = 0; h < f->state.traffic.hook_count; h++) {
        enum hook_answer before = f->hooks[h].answer, now = plan->traffic.answers[h];
        bool late = f->state.now_ms >= min_i64(was->stage_since_ms, f->state.now_ms) + f->hooks[h].timeout_ms;
        CHECK(f->row, now == HOOK_NONE || (f->hooks[h].stages >> at->stage & 1) != 0);
        CHECK(f->row, before != HOOK_PENDING || late || !moved || rolls_back);
        CHECK(f->row, now != HOOK_PENDING || before == HOOK_PENDING || plan->traffic.begins);
    }
}

/* No task of blue stops for green before blue's weight is 0 and the bake time is over; at most twice the desired count is live. */
static inline void fleet_check_traffic(struct fleet_of_one *f, const struct service_plan *plan)
{
    uint32_t primary = fleet_primary(f), blue = fleet_blue(f, &plan->traffic.at);
    bool rolls_back = plan->failure != FAILURE_NONE && plan->act == ACT_ROLLBACK_IN_PROGRESS;
    bool back = rolls_back || f->deployments[primary].rolled_back_to || (plan->failure != FAILURE_NONE && plan->act == ACT_ROLLBACK_SUCCESSFUL);
    fleet_check_stages(f, plan, back);
    if (plan->deployments[primary].production < WEIGHT_WHOLE || plan->traffic.at.stage < STAGE_PRODUCTION_TRAFFIC_SHIFT) {
        f->shifted_ms = 0;
    } else if (f->shifted_ms == 0 || f->shifted_ms > f->state.now_ms) {
        f->shifted_ms = f->state.now_ms;
    }
    int64_t live[FLEET_DEPLOYMENTS_MAX] = { 0 }, all = 0;
    for (size_t t = 0; t < f->state.task_count; t++) {
        live[f->tasks[t].deployment] += fleet_live(&f->tasks[t]);
        all += fleet_live(&f->tasks[t]);
    }
    for (size_t s = 0; s < plan->stop_count; s++) {
        bool for_green = plan->stops[s].why == STOP_OLD && f->tasks[plan->stops[s].task].deployment == blue;
        bool baked = f->shifted_ms != 0 && f->state.now_ms >= f->shifted_ms + f->state.traffic.bake_ms;
        CHECK(f->row, !for_green || (plan->deployments[blue].production == 0 && plan->traffic.at.stage == STAGE_CLEAN_UP && baked));  /* I12 */
    }
    for (size_t s = 0; s < plan->start_count; s++) {
        live[plan->starts[s].deployment] += plan->starts[s].count;
        all += plan->starts[s].count;
        CHECK(f->row, live[plan->starts[s].deployment] <= f->state.desired || all <= 2 * f->state.desired);
    }
}

static inline void fleet_check_events(struct fleet_of_one *f, const struct service_plan *plan)
{
    static const struct { enum event_kind kind; enum mark mark; } causes[] = {
        { EVENT_STEADY, MARK_STEADY }, { EVENT_STUCK, MARK_STUCK }, { EVENT_PROTECTED, MARK_PROTECTED }, { EVENT_UNABLE, MARK_UNABLE }, { EVENT_NO_PLACE, MARK_NO_ROOM },
        { EVENT_UNBALANCED, MARK_UNBALANCED }, { EVENT_ZONE_FULL, MARK_ZONE_FULL }, { EVENT_ZONE_PROTECTED, MARK_ZONE_PROTECTED },
        { EVENT_SOME_ROOM, MARK_SOME_ROOM }, { EVENT_DRAIN, MARK_DRAIN }, { EVENT_GAVE_UP, MARK_GAVE_UP }, { EVENT_LIMIT, MARK_LIMIT },
        { EVENT_THROTTLED, MARK_THROTTLED },
    };
    for (size_t e = 0; e < plan->event_count; e++) {
        CHECK(f->row, plan->events[e].named <= EVENT_TASKS_MAX);
        for (size_t c = 0; c < COUNT_OF(causes); c++) {
            int64_t was = f->state.marks[causes[c].mark];
            if (plan->events[e].kind == causes[c].kind) { CHECK(f->row, was == 0 || f->state.now_ms - was >= EVENT_MARK_MS); }     /* I14 */
        }
    }
}

/* The same tasks in another order: the same plan. */
static inline void fleet_check_order(struct fleet_of_one *f, const struct service_plan *plan)
{
    struct service_task turned[FLEET_TASKS_MAX];
    struct service_state state = f->state;
    struct service_plan other;
    for (size_t t = 0; t < state.task_count; t++) { turned[t] = f->tasks[(t + state.task_count / 2) % state.task_count]; }
    for (size_t t = 0; t < state.task_count / 2; t++) {
        struct service_task swapped = turned[t];
        turned[t] = turned[state.task_count - 1 - t];
        turned[state.task_count - 1 - t] = swapped;
    }
    state.tasks = turned;
    CHECK(f->row, reconcile(&state, &f->arena, &other));
    bool same = other.stop_count == plan->stop_count && other.start_count == plan->start_count && other.event_count == plan->event_count &&
                (other.pull == NO_TASK) == (plan->pull == NO_TASK) && other.wake_ms == plan->wake_ms && other.act == plan->act && fleet_same_traffic(f, &other.traffic, &plan->traffic) &&
                memcmp(other.deployments, plan->deployments, state.deployment_count * sizeof *plan->deployments) == 0;
    for (size_t s = 0; same && s < plan->stop_count; s++) {
        same = id_eq(turned[other.stops[s].task].id, f->tasks[plan->stops[s].task].id) && other.stops[s].why == plan->stops[s].why;
    }
    CHECK(f->row, same);                                                                                                           /* I16 */
    CHECK(f->row, other.pull == NO_TASK || plan->pull == NO_TASK || id_eq(turned[other.pull].id, f->tasks[plan->pull].id));
}

static inline void fleet_apply(struct fleet_of_one *f, const struct service_plan *plan)
{
    f->ended_some = false;
    for (size_t s = 0; s < plan->stop_count; s++) {
        f->tasks[plan->stops[s].task].leaving = true;
        f->ended_some |= f->tasks[plan->stops[s].task].waits;
    }
    if (plan->pull != NO_TASK) {
        uint32_t instance = f->tasks[plan->pull].instance;
        f->pulls[instance].pull = PULL_ASKED;
        f->pulls[instance].asked_ms = f->state.now_ms;
    }
    for (size_t h = 0; h < plan->healthy_count; h++) { f->tasks[plan->healthy[h]].was_healthy = true; }
    for (size_t e = 0; e < plan->event_count; e++) { f->seen[plan->events[e].kind]++; }
    memcpy(f->deployments, plan->deployments, f->state.deployment_count * sizeof *f->deployments);
    memcpy(f->state.marks, plan->marks, sizeof f->state.marks);
    f->state.act = plan->act;
    f->state.alarm = false;
    f->state.traffic.at = plan->traffic.at;
    for (size_t h = 0; fleet_has_traffic(f) && h < f->state.traffic.hook_count; h++) { f->hooks[h].answer = plan->traffic.answers[h]; }
    for (size_t s = 0; s < plan->start_count; s++) {
        for (int64_t n = 0; n < plan->starts[s].count; n++) {
            uint32_t d = plan->starts[s].deployment;
            fleet_add(f, d, plan->starts[s].zone, plan->place_count == 0 && n >= f->rooms[d] - f->waits[d] && plan->starts[s].zone == ANY_ZONE);
            if (plan->place_count > 0) { f->tasks[f->state.task_count - 1].instance = plan->places[n]; }
        }
    }
    for (size_t t = f->state.task_count; t-- > 0;) {
        if (f->tasks[t].waits && f->tasks[t].leaving) { fleet_remove(f, t); }
    }
    uint32_t kept = 0;
    for (uint32_t d = 0; d < f->state.deployment_count; d++) {
        if (f->deployments[d].gone) { continue; }
        for (size_t t = 0; t < f->state.task_count; t++) {
            CHECK(f->row, f->tasks[t].deployment != d || !f->deployments[d].gone);
            if (f->tasks[t].deployment == d) { f->tasks[t].deployment = kept; }
        }
        f->deployments[kept++] = f->deployments[d];
    }
    f->state.deployment_count = kept;
}

static inline void fleet_room(struct fleet_of_one *f)
{
    int64_t seated = (int64_t)f->state.task_count - fleet_waiting(f);
    f->room = max_i64(0, f->slots - seated);
    for (uint32_t z = 0; z < FLEET_INSTANCES; z++) { f->zone_states[z] = (struct service_zone){ .room = !f->full[z] }; }
    for (uint32_t i = 0; i < FLEET_INSTANCES; i++) { f->zone_states[i % (uint32_t)f->zones].takes |= !f->draining[i]; }
    for (size_t t = 0; t < f->state.task_count; t++) {
        struct service_task *task = &f->tasks[t];
        if (task->waits) { continue; }
        task->makes_room = task->machine == MACHINE_DRAINING ? f->room > 0 : f->slots == seated;
        task->pull = f->pulls[task->instance].pull;
        task->pull_ms = f->pulls[task->instance].asked_ms;
    }
}

/* The starts of a plan get the room in their order; others wait for a machine, or are planned again. */
static inline bool fleet_plan(struct fleet_of_one *f, struct service_plan *plan)
{
    int64_t left = f->room, may_wait = max_i64(0, f->waits_max - fleet_waiting(f));
    f->state.room = NULL;
    f->state.full = false;
    if (!reconcile(&f->state, &f->arena, plan)) { return false; }
    memset(f->rooms, 0, sizeof f->rooms);
    memset(f->waits, 0, sizeof f->waits);
    for (size_t s = 0; s < plan->start_count; s++) {
        uint32_t d = plan->starts[s].deployment;
        int64_t seated = min_i64(plan->starts[s].count, left), waits = min_i64(plan->starts[s].count - seated, may_wait);
        if (plan->starts[s].zone != ANY_ZONE) { waits = 0; }
        f->rooms[d] = seated + waits;
        f->waits[d] = waits;
        left -= seated;
        may_wait -= waits;
        f->state.full |= f->waits_max > 0 && seated + waits < plan->starts[s].count && plan->starts[s].zone == ANY_ZONE;
    }
    f->state.room = f->rooms;
    return reconcile(&f->state, &f->arena, plan);
}

/* The most live tasks in a zone that takes tasks, less the fewest in one. */
static inline int64_t fleet_slope(const struct fleet_of_one *f)
{
    int64_t in[FLEET_INSTANCES] = { 0 }, most = 0, least = INT64_MAX;
    for (size_t t = 0; t < f->state.task_count; t++) {
        if (!f->tasks[t].waits) { in[f->tasks[t].zone] += fleet_live(&f->tasks[t]); }
    }
    for (uint32_t z = 0; z < FLEET_INSTANCES; z++) {
        if (!f->zone_states[z].takes) { continue; }
        most = max_i64(most, in[z]);
        least = min_i64(least, in[z]);
    }
    return most - least;
}

/* One step, checked and done; then the same state again plans nothing. */
static inline void fleet_step(struct fleet_of_one *f)
{
    struct service_plan again;
    arena_reset(&f->arena);
    fleet_room(f);
    CHECK(f->row, fleet_plan(f, &f->plan));
    struct fleet_counts before = fleet_count(f);
    fleet_check_stops(f, &f->plan, before);
    fleet_check_starts(f, &f->plan, before);
    fleet_check_state(f, &f->plan);
    if (f->state.strategy == ROLLOUT_DAEMON && !f->state.closing) { fleet_check_daemons(f, &f->plan); }
    if (fleet_has_traffic(f) && !f->state.closing && fleet_rollout(f) != ROLLOUT_COMPLETED) { fleet_check_traffic(f, &f->plan); }
    fleet_check_events(f, &f->plan);
    fleet_check_order(f, &f->plan);
    fleet_apply(f, &f->plan);
    fleet_room(f);
    CHECK(f->row, fleet_plan(f, &again));
    bool quiet = f->ended_some || (again.stop_count + again.start_count == 0 && again.pull == NO_TASK && again.act == f->state.act && !again.traffic.begins &&
                 fleet_same_traffic(f, &again.traffic, &f->plan.traffic) &&
                 memcmp(again.deployments, f->deployments, f->state.deployment_count * sizeof *f->deployments) == 0);
    CHECK(f->row, quiet);                                                                                                          /* I11 */
}

/* The same, and the steps that follow at once because tasks that waited have ended. */
static inline void fleet_steps(struct fleet_of_one *f)
{
    int steps = 0;
    do { fleet_step(f); } while (f->ended_some && ++steps < 20);
    CHECK(f->row, steps < 20);
}

/* Leaving tasks are gone, starting ones are RUNNING, then the time passes. */
static inline void fleet_pass(struct fleet_of_one *f, int64_t ms)
{
    for (size_t t = f->state.task_count; t-- > 0;) {
        if (f->tasks[t].leaving) { fleet_remove(f, t); } else if (f->tasks[t].waits) { fleet_seat(f, t); } else if (!f->tasks[t].running) { fleet_running(f, t); }
    }
    f->state.now_ms += ms;
}

/* Steps with 40 s between them until nothing moves; returns how many. */
static inline int64_t fleet_settle(struct fleet_of_one *f)
{
    for (int64_t steps = 1; steps <= 1000; steps++) {
        fleet_step(f);
        struct fleet_counts counts = fleet_count(f);
        if (f->plan.stop_count + f->plan.start_count + (size_t)counts.leaving + (size_t)counts.starting == 0 && counts.healthy == counts.live) { return steps; }
        fleet_pass(f, HEALTHY_AFTER_MS);
    }
    CHECK_EQ(f->row, 0, 1);                                       /* it does not settle */
    return 1000;
}

static inline void fleet_update(struct fleet_of_one *f)
{
    uint32_t primary = fleet_primary(f);
    f->deployments[primary].wanted = fleet_count(f).live_new;
    f->deployments[primary].role = DEPLOYMENT_ACTIVE;
    f->deployments[primary].rolled_back_to = false;
    f->deployments[f->state.deployment_count++] = (struct deployment){ .digits = ++f->digits };
    for (size_t d = 0; d < f->state.deployment_count; d++) {
        f->deployments[d].failures.next_start_ms = f->deployments[d].failures.unstarted = 0;
    }
    f->state.act = ACT_IN_PROGRESS;
    f->state.traffic.at = (struct rollout_at){ 0 };
    f->state.traffic.begun_ms = f->state.now_ms;
    for (size_t h = 0; h < FLEET_HOOKS_MAX; h++) { f->hooks[h].answer = HOOK_NONE; }
    for (size_t i = 0; i < FLEET_INSTANCES; i++) {
        if (f->pulls[i].pull > PULL_CAN) { f->pulls[i].pull = PULL_CAN; }
    }
}

/* ---- walks ---- */
static inline bool once_in(struct rng *rng, uint64_t times) { return rng_below(rng, times) == 0; }

static inline void fleet_disturb_task(struct fleet_of_one *f, struct rng *rng)
{
    size_t t = rng_below(rng, f->state.task_count);
    struct service_task *task = &f->tasks[t];
    uint64_t what = rng_below(rng, 8);
    if (task->waits && what > 2) {                                /* it has no health, and no machine to lose */
        fleet_seat(f, t);
        return;
    }
    switch (what) {
    case 0: task->protected_until_ms = f->state.now_ms + (int64_t)rng_below(rng, 400000); break;
    case 1: fleet_end(f, t, END_BY_ITSELF); break;
    case 2: fleet_end(f, t, END_BY_OTHERS); break;
    case 3: task->health = HEALTH_BAD; break;
    case 4: task->health = HEALTH_GOOD; break;
    case 5: task->health = HEALTH_NOT_KNOWN; break;
    case 6: task->machine = MACHINE_LOST; break;
    default:
        if (task->leaving) { fleet_remove(f, t); } else if (!task->running) { fleet_running(f, t); }
    }
}

static inline void fleet_drain(struct fleet_of_one *f, uint32_t instance, bool draining)
{
    f->draining[instance] = draining;
    for (size_t t = 0; t < f->state.task_count; t++) {
        if (!f->tasks[t].waits && f->tasks[t].instance == instance && f->tasks[t].machine != MACHINE_LOST) { f->tasks[t].machine = draining ? MACHINE_DRAINING : MACHINE_READY; }
    }
}

static inline int64_t fleet_started(const struct fleet_of_one *f)
{
    int64_t count = 0;
    for (size_t s = 0; s < f->plan.start_count; s++) { count += f->plan.starts[s].count; }
    return count;
}

#endif
