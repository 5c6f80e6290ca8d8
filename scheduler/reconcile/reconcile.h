/* reconcile.h: decides the next step of one service: which tasks stop, how many start, and how its deployments and its service deployment change.
 * Knows counts, classes of tasks, times that the caller hands in, and ECS's rules; refuses to know the clock, the store, chance, and where a task is
 * placed: the caller places the starts of a plan, and hands in how many of the next starts of each deployment have room. It calls no hook and moves no
 * traffic: the plan says which hooks begin and what the weights are.
 *
 * A step depends on its input alone, not on the order of the tasks. Done again on its own outcome it plans nothing until something changes. */
#ifndef BERTH_SCHEDULER_RECONCILE_RECONCILE_H
#define BERTH_SCHEDULER_RECONCILE_RECONCILE_H

#include "base/buf.h"
#include "base/id.h"
#include "scheduler/provider_strategy.h"

/* ---- the state of one service ---- */
enum rollout_strategy {
    ROLLOUT_ROLLING, ROLLOUT_DAEMON, ROLLOUT_MANAGED, ROLLOUT_EXTERNAL, ROLLOUT_BLUE_GREEN, ROLLOUT_LINEAR, ROLLOUT_CANARY, ROLLOUT_STRATEGY_COUNT
};

enum breaker_kind { BREAKER_BOUNDED_PERCENT, BREAKER_UNBOUNDED_PERCENT, BREAKER_COUNT };
struct breaker {
    bool enabled, rollback;
    bool reset_on_healthy;                                    /* a task that becomes healthy sets the count of failures to 0 */
    enum breaker_kind kind; int64_t value;                    /* percent, or a count; ECS's default is BREAKER_BOUNDED_PERCENT 50 */
};

/* Failures of one deployment. The caller keeps them, counts with the functions below, and takes those of the plan. */
struct failures {
    int64_t failed;                                           /* failedTasks */
    int64_t unstarted;                                        /* tasks one after the other that ended before they were RUNNING */
    int64_t crashed;                                          /* tasks one after the other that exited within CRASH_MS of RUNNING */
    int64_t next_start_ms;                                    /* no start before; 0: at once */
    int64_t no_room_ms;                                       /* start of the minute in which nothing of it has room; 0: there is room */
    bool gave_up;                                             /* since one ran: a task of it has waited too long for a machine */
};

enum deployment_role { DEPLOYMENT_PRIMARY, DEPLOYMENT_ACTIVE };
enum rollout { ROLLOUT_IN_PROGRESS, ROLLOUT_COMPLETED, ROLLOUT_FAILED };
struct deployment {
    int64_t digits;                                           /* N of "ecs-svc/N" */
    enum deployment_role role;
    enum rollout rollout;
    bool rolled_back_to;                                      /* PRIMARY again, because its successor failed */
    int64_t wanted;                                           /* of an ACTIVE one: its tasks that no step has stopped; those that died are missing */
    struct failures failures;
    int64_t progressed_ms;                                    /* its last start, or task that became healthy; before those its creation */
    int64_t scale;                                            /* EXTERNAL: of the service's desired count, in millionths; the deployment is a task set */
    int64_t computed;                                         /* … computedDesiredCount, after the last step */
    bool deleting, stable;                                    /* … its tasks stop; its stabilityStatus is STEADY_STATE */
    int64_t production, test;                                 /* BLUE_GREEN, LINEAR, CANARY: its parts of the traffic, in tenths of a percent */
    bool gone;                                                /* in a plan: no longer listed; in a state: false */
};

enum task_health { HEALTH_NO_CHECK, HEALTH_NOT_KNOWN, HEALTH_GOOD, HEALTH_BAD };     /* container checks and targets together */
enum task_machine { MACHINE_READY, MACHINE_DRAINING, MACHINE_LOST };                 /* LOST: its agent is gone for longer than the loss grace */
enum task_pull { PULL_NONE, PULL_CAN, PULL_ASKED, PULL_ENDED };                      /* NONE: it pulls no image early; CAN: it was not asked yet */
struct service_task {                                         /* not STOPPED */
    struct id id;
    uint32_t deployment;                                      /* its place among the deployments */
    bool running;                                             /* lastStatus RUNNING */
    bool leaving;                                             /* desiredStatus STOPPED */
    bool makes_room;                                          /* stops_first: without it a task of the PRIMARY has room; on a draining machine: one has room
                                                               * elsewhere */
    bool was_healthy;                                         /* an earlier plan had it in `healthy` */
    enum task_pull pull; int64_t pull_ms;                     /* of one that makes room: its machine's pull of the images of the PRIMARY; when it was asked */
    enum task_health health;
    enum task_machine machine;
    int64_t running_since_ms, protected_until_ms;             /* 0: not RUNNING; not protected */
    uint32_t zone, instance;                                  /* numbers below zone_count and instance_count */
    uint32_t provider;                                        /* place of its capacity provider in `shares`; share_count: of none of them */
    bool waits;                                               /* a start that waits for a machine, on none: MACHINE_READY; zone and instance say nothing */
};

/* DAEMON, MANAGED: an ACTIVE or draining instance of the cluster, at the place of its number. */
struct daemon_instance {
    bool matches;                                             /* the constraints and attributes that the definition and the service require */
    bool draining, connected;
    bool others;                                              /* tasks that are no daemon's are on it: there daemons stop last. DAEMON: of draining ones */
    bool room;                                                /* the last try had room, or there was none */
};

/* A zone of the cluster, or of a task, at the place of its number. */
struct service_zone {
    bool takes;                                               /* there are instances that could take a task of the service */
    bool room;                                                /* the last try had room, or there was none */
};

/* Causes whose event comes again after EVENT_MARK_MS while they last. UNBALANCED lasts while tasks are moved between zones. */
enum mark {
    MARK_STEADY, MARK_STUCK, MARK_PROTECTED, MARK_UNABLE, MARK_NO_ROOM, MARK_UNBALANCED, MARK_ZONE_FULL, MARK_ZONE_PROTECTED, MARK_SOME_ROOM,
    MARK_DRAIN, MARK_GAVE_UP, MARK_LIMIT, MARK_THROTTLED, EVENT_MARK_COUNT
};

/* Steps of the service deployment. */
enum act { ACT_NONE, ACT_IN_PROGRESS, ACT_STOP_REQUESTED, ACT_ROLLBACK_REQUESTED, ACT_ROLLBACK_IN_PROGRESS, ACT_SUCCESSFUL, ACT_STOPPED,
           ACT_ROLLBACK_SUCCESSFUL, ACT_ROLLBACK_FAILED };

/* Why a deployment failed. */
enum rollout_failure { FAILURE_NONE, FAILURE_BREAKER, FAILURE_ALARM, FAILURE_USER, FAILURE_HOOK, FAILURE_PAUSE_TIMED_OUT, FAILURE_TOO_LONG,
                       FAILURE_NO_PROGRESS };

/* ---- the state of a rollout with traffic: BLUE_GREEN, LINEAR, CANARY ---- */
/* Green is the PRIMARY; blue is the deployment that has the production traffic at the start, and that a failure returns to. */
enum rollout_stage {                                          /* in their order; lifecycleStage has no PRE_PRODUCTION_TRAFFIC_SHIFT */
    STAGE_NONE, STAGE_RECONCILE_SERVICE, STAGE_PRE_SCALE_UP, STAGE_SCALE_UP, STAGE_POST_SCALE_UP, STAGE_TEST_TRAFFIC_SHIFT, STAGE_POST_TEST_TRAFFIC_SHIFT,
    STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT, STAGE_PRODUCTION_TRAFFIC_SHIFT, STAGE_POST_PRODUCTION_TRAFFIC_SHIFT, STAGE_BAKE_TIME, STAGE_CLEAN_UP, STAGE_COUNT
};
enum hook_answer { HOOK_NONE, HOOK_PENDING, HOOK_SUCCEEDED, HOOK_FAILED, HOOK_TIMED_OUT };       /* NONE: it is not of the present stage */
struct rollout_hook {
    uint32_t stages;                                          /* a bit 1 << stage for each of its stages */
    bool pauses;                                              /* PAUSE: it waits for a user; else it is called */
    bool goes_on;                                             /* the action of its timeout is CONTINUE */
    int64_t timeout_ms;                                       /* above 0, from the start of the stage */
    enum hook_answer answer;                                  /* in the present stage and step of the weights */
};
struct rollout_at {                                           /* zeros at the start of a service deployment; then as the last plan has it */
    enum rollout_stage stage; int64_t stage_since_ms;
    int64_t step;                                             /* steps of the production weight that have begun */
    int64_t blue;                                             /* digits; 0: there is no blue */
    bool blue_stops;                                          /* CLEAN_UP has told a task of blue to stop: there is no way back */
};
struct traffic_state {
    struct rollout_at at;
    int64_t begun_ms;                                         /* the start of the service deployment, above 0 */
    int64_t first;                                            /* LINEAR: each step, CANARY: the first one, in tenths of a percent: 1 to WEIGHT_WHOLE */
    int64_t step_bake_ms, bake_ms;                            /* after each step but the last; after the last */
    bool test_rule;                                           /* there is a test listener rule */
    const struct rollout_hook *hooks; size_t hook_count;      /* of the service, in its order */
};

enum {
    SCALE_WHOLE = 1000000,                                    /* 100 percent */
    CRASH_MS = 10 * 1000, MINUTE_MS = 60 * 1000, PULL_WAIT_MS = 10 * MINUTE_MS, EVENT_MARK_MS = 6 * 60 * MINUTE_MS, HEALTHY_AFTER_MS = 40 * 1000,
    EVENT_TASKS_MAX = 10,                                     /* tasks that one event names */
    WEIGHT_WHOLE = 1000,                                      /* 100 percent of the traffic */
    STAGE_LIMIT_MS = 24 * 60 * MINUTE_MS,                     /* for a stage, and for each step of the weights */
};
#define ROLLOUT_LIMIT_MS (30 * (int64_t)STAGE_LIMIT_MS)       /* for a service deployment with stages */

/* MANAGED: a managed daemon. Machines whose task is old are drained, some at a time; a new one has the PRIMARY's task before any other. */
struct managed_rollout {                                      /* zeros at the start of a service deployment; then as the last plan has it */
    int64_t batches;                                          /* that were drained */
    int64_t bake_since_ms;                                    /* when all machines had healthy tasks: the wait before the next batch or the end; 0: not yet */
};
struct managed_state {
    struct managed_rollout at;
    int64_t drain;                                            /* thousandths of a percent of the instances: one batch, one instance at least */
    int64_t bake_ms;
};

struct service_state {
    int64_t now_ms;                                           /* above 0 */
    enum rollout_strategy strategy;
    bool closing;                                             /* deleted: all tasks stop, protected ones too */
    int64_t desired, min_percent, max_percent;                /* none is negative, none above INT32_MAX */
    struct breaker breaker;
    bool waits_for_room;                                      /* a lack of room is no failure (berth:placement-failures=wait) */
    /* berth:replace. stops_first: when a start has no room, this many tasks below the lower limit make room, one at a time, and their places are kept for the
     * successors; 0: none. kept: places that are kept, and tasks that leave and will keep theirs. stops_one: at most one old task stops before the first new
     * one is healthy. progress_ms: a deployment without progress for this long fails; 0: never. */
    int64_t stops_first, kept; bool stops_one;
    int64_t progress_ms;
    bool alarm;                                               /* one of its alarms rings that was quiet before */
    bool alarm_rollback;                                      /* a failure by an alarm returns to the target; breaker.rollback is not asked then */
    int64_t grace_ms, healthy_after_ms;
    const int64_t *room;                                      /* of each deployment: how many of its next starts have room; NULL: all are tried */
    bool full;                                                /* starts without room would wait for a machine, but too many wait: that is no lack of room */
    bool throttled;                                           /* machines for its waiting tasks are not ordered for now: the provisioner asked for time */
    int64_t most_moves;                                       /* stops, and starts, in one plan; 0: no limit */
    enum act act;
    int64_t marks[EVENT_MARK_COUNT];                          /* when the cause's event came last; 0: the cause does not last */
    const struct deployment *deployments; size_t deployment_count;       /* oldest first; one PRIMARY, with EXTERNAL one or none */
    const struct service_task *tasks; size_t task_count;
    const struct provider_share *shares; size_t share_count;  /* the PRIMARY's capacity provider strategy; its tasks are counted by the reader */
    uint32_t zone_count, instance_count;
    bool rebalances; const struct service_zone *zones;        /* zone rebalancing is on; then zone_count of them */
    const struct daemon_instance *daemon_instances;           /* DAEMON, MANAGED: instance_count of them; `desired` and `room` are then not read */
    struct managed_state managed;                             /* MANAGED alone */
    struct traffic_state traffic;                             /* BLUE_GREEN, LINEAR, CANARY alone */
};

/* ---- a plan ---- */
enum stop_why { STOP_SURPLUS, STOP_OLD, STOP_DRAINING, STOP_UNHEALTHY, STOP_NO_MATCH, STOP_ZONE, STOP_CLOSING, STOP_IN_VAIN };
struct planned_stop { uint32_t task; enum stop_why why; bool keeps_place; };    /* keeps_place: its resources are kept for its successor */
#define ANY_ZONE UINT32_MAX
#define NO_TASK  UINT32_MAX
struct planned_start {
    uint32_t deployment; int64_t count;
    int64_t for_unhealthy;                                    /* how many of them replace unhealthy tasks */
    uint32_t zone;                                            /* the only one that counts; ANY_ZONE. Such a start is alone in its plan */
};

enum event_kind {
    EVENT_STARTED, EVENT_REPLACED, EVENT_STOPPED, EVENT_STOPPED_PENDING, EVENT_FAILED_CHECKS, EVENT_COMPLETED, EVENT_FAILED_TO_START,
    EVENT_FAILED, EVENT_ALARM, EVENT_ROLLING_BACK, EVENT_STEADY, EVENT_NO_PLACE, EVENT_UNABLE, EVENT_STUCK, EVENT_PROTECTED, EVENT_COMPUTED, EVENT_SET_STEADY,
    EVENT_STOPPED_FOR_ROOM, EVENT_BACK_IN_PLACE,
    EVENT_UNBALANCED, EVENT_STARTED_IN_ZONE, EVENT_STOPPED_IN_ZONE, EVENT_BALANCED, EVENT_ZONE_FULL, EVENT_ZONE_PROTECTED, EVENT_BALANCING_STOPPED,
    EVENT_SOME_ROOM, EVENT_DRAIN, EVENT_GAVE_UP, EVENT_NO_MACHINES, EVENT_LIMIT, EVENT_THROTTLED,
    EVENT_KIND_COUNT
};
struct planned_event {
    enum event_kind kind;
    uint32_t deployment;
    int64_t count, replaced;                                  /* tasks; how many of the started ones replace unhealthy tasks */
    uint32_t first_stop, named;                               /* the tasks that it names: stops[first_stop] and on. A start's tasks get
                                                               * their ids when the caller places them: then one event for EVENT_TASKS_MAX */
    uint32_t zone, task;                                      /* of the kinds that name one; a task that stays, by its place in the state */
};

struct traffic_plan {
    struct rollout_at at;                                     /* after the step */
    enum hook_answer *answers;                                /* of each hook, after the step. One that is not PENDING here is not called any more */
    bool begins;                                              /* a stage or a step of the weights begins: each PENDING hook begins again */
};

struct service_plan {                                         /* all arrays are in the caller's arena */
    struct planned_stop *stops; size_t stop_count;            /* in the order of the events */
    struct planned_start *starts; size_t start_count;         /* one for a deployment at most */
    uint32_t *places; size_t place_count;                     /* DAEMON, MANAGED: the instance of each start */
    uint32_t *drains; size_t drain_count;                     /* MANAGED: instances that are drained now, and replaced */
    struct managed_rollout managed;                           /* … after the step */
    bool waits_to_close;                                      /* … closing, and tasks are left that stop in later steps */
    int64_t desired;                                          /* DAEMON, MANAGED: the instances that count; else as in the state */
    int64_t wants;                                            /* starts that are due now, with room or without; one that waits for a machine has room */
    uint32_t pull;                                            /* a task whose machine is asked now to pull the images of the PRIMARY; NO_TASK: there is none */
    bool more;                                                /* most_moves has cut the plan: the next step is due at once */
    uint32_t *healthy; size_t healthy_count;                  /* tasks that are healthy for the first time */
    struct deployment *deployments;                           /* after the step, deployment_count of them */
    enum act act;                                             /* after the step */
    enum rollout_failure failure;                             /* of the deployment that failed in this step */
    enum rollout_stage failed_stage; uint32_t failed_hook;    /* … of a hook, a pause or a limit: in which stage; of the first two: which hook */
    struct traffic_plan traffic;
    bool steady;
    int64_t marks[EVENT_MARK_COUNT];
    struct planned_event *events; size_t event_count;
    int64_t wake_ms;                                          /* later than now_ms; 0: only a change asks for the next step */
};

/* An event in ECS's words. Which texts a kind needs is in the table of event_text.c; the others may be absent. */
struct event_words {
    enum event_kind kind;
    struct str service, deployment;                           /* names: "web", "ecs-svc/1" */
    bool of_task_set;                                         /* the event names the deployment as a task set */
    int64_t count, replaced;
    const struct str *tasks; size_t task_count;               /* ids, EVENT_TASKS_MAX at most */
    struct str reason, where;                                 /* where: a zone, or a machine */
};
void event_put(struct buf *out, const struct event_words *words);

/* False: the strategy shifts traffic and the state has no rollout (begun_ms is 0); then *plan is not filled. */
bool reconcile(const struct service_state *state, struct arena *arena, struct service_plan *plan) MUST_USE;

/* The limits of healthy tasks, and of tasks that are live or leaving. */
int64_t reconcile_lower(int64_t desired, int64_t min_percent);
int64_t reconcile_upper(int64_t desired, int64_t max_percent);
/* Counts for the lower limit: RUNNING, its checks are well, or without checks it has run for healthy_after_ms. */
bool    reconcile_is_healthy(const struct service_state *state, const struct service_task *task);

int64_t reconcile_computed(int64_t desired, int64_t scale);   /* of a task set, rounded up */

/* How many steps the production weight takes, and green's weight after the first `step` of them; `first` as in struct traffic_state. */
int64_t traffic_steps(enum rollout_strategy strategy, int64_t first);
int64_t traffic_weight(enum rollout_strategy strategy, int64_t first, int64_t step);

/* ---- failures ---- */
int64_t breaker_threshold(const struct breaker *breaker, int64_t desired);            /* failures >= threshold: failed */

enum end_cause { END_BY_ITSELF, END_FAILED_CHECKS, END_BY_OTHERS };                  /* OTHERS: a user, the scheduler, a drain, a lost machine */
struct task_end { enum end_cause cause; bool was_running, was_healthy; int64_t ran_ms; bool waited; };     /* waited: it has never had a machine */
void    failures_count_end(struct failures *failures, const struct task_end *end, bool in_progress, bool breaker_on, int64_t now_ms);
void    failures_count_running(struct failures *failures);                            /* a task of the deployment is RUNNING */
int64_t backoff_pause_ms(int64_t unstarted, bool breaker_on);
int64_t backoff_crash_pause_ms(int64_t crashed);

#endif
