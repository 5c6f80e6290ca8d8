/* step.h: the work of one step, shared by the files of this wing: classes of tasks, counts, and the plan while it grows. Knows one service;
 * refuses to outlive the step. */
#ifndef BERTH_SCHEDULER_RECONCILE_STEP_H
#define BERTH_SCHEDULER_RECONCILE_STEP_H

#include "base/num.h"
#include "scheduler/reconcile/reconcile.h"

/* LOST: counts for nothing. The first four are live, in the order in which they stop. */
enum task_class { TASK_UNHEALTHY, TASK_STARTING, TASK_WARMING, TASK_HEALTHY, TASK_LEAVING, TASK_LOST, TASK_CLASS_COUNT };

struct class_counts { int64_t of[TASK_CLASS_COUNT]; int64_t draining; };       /* draining: live ones on such machines, of all classes */

struct step {
    const struct service_state *state;
    struct service_plan *plan;
    struct arena *arena;
    enum task_class *classes;                                 /* by task; a planned stop makes its task LEAVING */
    struct class_counts *counts;                              /* by deployment, before the stops of this step */
    struct class_counts all;
    uint32_t set;                                             /* the deployment that the filters of sets.c take */
    uint32_t primary, target;                                 /* target: the one that a failure returns to; NO_DEPLOYMENT: there is none */
    int64_t desired, lower, upper;
    int64_t healthy;                                          /* healthy ones that no stop of this step takes */
    uint32_t blue;                                            /* strategies with traffic; NO_DEPLOYMENT: there is none */
    bool between_stages;                                      /* … stages are left: the service is not steady */
    bool limited;                                             /* the limits decide what can move */
    bool bakes;                                               /* MANAGED: a batch is waited for: the daemon is not steady */
    const uint32_t *best;                                     /* DAEMON, MANAGED: by instance, the task that stays; UINT32_MAX: none */
    int64_t due;                                              /* starts that the limits allow, back-off or not */
    int64_t protected_out;                                    /* tasks that would stop if they were not protected */
    uint32_t protected_in;                                    /* EXTERNAL: the last task set that has such tasks */
    enum event_kind failure; uint32_t failed;                 /* EVENT_KIND_COUNT: no deployment failed in this step */
    bool rolls_back;
    uint32_t zone;                                            /* the one that a filter of zones.c takes, and that events name */
    enum { ZONES_OFF, ZONES_AS_BEFORE, ZONES_EVEN, ZONES_UNEVEN, ZONES_FULL, ZONES_PROTECTED } zones;
    int64_t zone_tasks;                                       /* ZONES_PROTECTED: of the heaviest zone */
    int64_t room_lacks;                                       /* starts of the PRIMARY that are due and have no room */
    int64_t refused;                                          /* starts that may not wait for a machine */
};
#define NO_DEPLOYMENT UINT32_MAX

static inline bool    task_is_live(enum task_class class) { return class <= TASK_HEALTHY; }
static inline struct deployment *primary_of(const struct step *step) { return &step->plan->deployments[step->primary]; }
static inline bool step_has_failed(const struct step *step) { return primary_of(step)->rollout == ROLLOUT_FAILED; }
static inline bool task_is_old(const struct step *step, uint32_t t) { return step->state->tasks[t].deployment != step->primary; }
static inline bool task_is_protected(const struct step *step, uint32_t t) { return step->state->tasks[t].protected_until_ms > step->state->now_ms; }
static inline bool is_external(const struct step *step) { return step->state->strategy == ROLLOUT_EXTERNAL; }
static inline bool has_traffic(const struct step *step) { return step->state->strategy >= ROLLOUT_BLUE_GREEN; }
static inline bool is_rolling_back(const struct step *step) { return primary_of(step)->rolled_back_to; }
static inline int64_t room_of(const struct step *step, uint32_t d) { return step->state->room == NULL ? INT64_MAX : step->state->room[d]; }
static inline int64_t live_of(const struct class_counts *counts)
{
    return counts->of[TASK_UNHEALTHY] + counts->of[TASK_STARTING] + counts->of[TASK_WARMING] + counts->of[TASK_HEALTHY];
}

static inline int64_t tasks_of(const struct class_counts *counts)
{
    return live_of(counts) + counts->of[TASK_LEAVING] + counts->of[TASK_LOST];
}

typedef bool (*task_filter)(const struct step *step, uint32_t task);

void step_classify(struct step *step);                        /* classes, counts, tasks that became healthy */
void step_wake(struct step *step, int64_t at_ms);             /* the earliest time that is later than now is kept */
/* The live tasks that `takes` takes, in the order in which they stop; `order` has room for all tasks. Returns how many. */
size_t step_order(const struct step *step, task_filter takes, uint32_t *order);
void step_fail(struct step *step);                            /* the circuit breaker, an alarm, a user's request; may change the PRIMARY */
void step_settle(struct step *step);                          /* steady, completed, deployments that are gone */
void step_events(struct step *step);                          /* of the plan, and of causes that last */

int64_t step_count(const struct step *step, task_filter takes);
void    step_stop_one(struct step *step, uint32_t task, enum stop_why why);
int64_t step_stop(struct step *step, task_filter takes, enum stop_why why, int64_t most);     /* `most` tasks or fewer; returns how many */
void    step_start(struct step *step, uint32_t deployment, int64_t due, int64_t room);         /* room: how many of them have a place */

void    rolling_step(struct step *step);
int64_t daemon_desired(const struct service_state *state);
void    daemon_step(struct step *step);
bool    daemon_counts(const struct daemon_instance *instance);                                /* it is to have a task */
const struct daemon_instance *daemon_instance_of(const struct step *step, uint32_t task);
const bool *daemon_held(const struct step *step);             /* by instance: a task is there, even one that is leaving */
void    daemon_begin(struct step *step);                      /* starts what is missing; stops tasks that no instance needs any more */
void    managed_step(struct step *step);
void    managed_close(struct step *step);
bool    managed_is_steady(const struct step *step);

/* ---- sets: the tasks of step->set ---- */
int64_t set_kept(const struct step *step);                    /* live ones that are neither unhealthy nor on a draining machine */
int64_t set_staying(const struct step *step);                 /* live ones that are not on a draining machine */
int64_t set_pending(const struct step *step);                 /* starting ones on a draining machine, which stop in this step */
int64_t set_healthy_kept(const struct step *step);
void    set_stop(struct step *step, int64_t want);            /* those above `want`, and those that wait for a replacement no longer */
void    set_bring(struct step *step, int64_t want, int64_t free);                              /* to `want` tasks; `free`: how many may start */

/* ---- zones ---- */
/* Whether the surplus of the PRIMARY is a task that rebalancing has started: then no other rule stops one. Stops the one that it replaces. */
bool    zones_keep_surplus(struct step *step, int64_t surplus);
void    zones_step(struct step *step);                        /* of a steady service: how its zones are, and a start in the lightest one */

void    external_step(struct step *step);
void    external_settle(struct step *step);

/* ---- strategies with traffic ---- */
void    traffic_begin(struct step *step);                     /* first of all: which one is blue, and which hooks have timed out */
enum rollout_failure traffic_failure(struct step *step);      /* of a hook or a limit */
bool    traffic_has_no_way_back(const struct step *step);     /* nothing fails the deployment any more */
void    traffic_advance(struct step *step);                   /* from stage to stage; after a failure back to blue */
void    traffic_divide(struct step *step, int64_t production, int64_t test);                  /* the PRIMARY's weights; blue has the rest */
bool    traffic_is_whole(const struct step *step, uint32_t deployment);                       /* as many healthy tasks as desired */
bool    traffic_has_failed(const struct step *step, uint32_t deployment);
bool    traffic_has_others(const struct step *step);          /* tasks that are neither blue's nor green's */
bool    traffic_can_blue_serve(const struct step *step);      /* it has its tasks, or can have no more */
void    traffic_step(struct step *step);

#endif
