/* books.h: all that one step of a service reads and changes, shared by the files that do the step. Private to api/services/ and
 * the questions of api/show/. */
#ifndef BERTH_API_SERVICES_BOOKS_H
#define BERTH_API_SERVICES_BOOKS_H

#include "api/services/services.h"
#include "scheduler/reconcile/reconcile.h"
#include "scheduler/reconcile/roster.h"

struct launch;
struct provider_choice;

/* A task that a step has placed in the world, whose record is not written yet. */
struct placed { struct id id; uint32_t deployment; bool kept, waits; struct placement placement; size_t provider; };
/* kept: on a place that was kept for it; waits: for a machine, without a placement; provider: an item of the launch's choice */

/* Starts of a deployment that have no room on a capacity provider that orders machines: they may wait. */
struct shortfall { uint32_t deployment; size_t provider; int64_t count; };

/* Targets that a step has registered and taken out, of one group. `behind`: the feed that healthy ones wait for no more; absent: there is none. */
enum { TARGET_NEWS_MAX = 32 };
struct target_news { struct str group; int64_t registered, deregistered; struct str failure, behind; };

struct books {
    struct op_ctx *ctx;
    const struct cluster *cluster;
    struct service service;                                       /* the step's own copies of the records */
    const struct service_revision *supposed;                      /* the revision of a deployment that only a question has; NULL: there is none */
    struct kept_deployment *deployments; size_t deployment_count; /* oldest first */
    struct service_deployment act; bool has_act;                  /* the newest service deployment */
    struct id *instances; size_t instance_count;                  /* by the numbers of state.tasks[].instance */
    struct str *providers;                                        /* their capacity providers, absent: it has none */
    bool has_providers;                                           /* one of them has one, or a task waits for one */
    struct str next_provider; bool next_scales;                   /* by starts_demand: the capacity provider of the next task, absent: it has none; it orders
                                                                   * machines */
    struct str full_provider;                                     /* the last one of a strategy that had no room; absent: there is none */
    struct service_state state;
    struct service_task *state_tasks; struct service_zone *state_zones;       /* state.tasks, state.zones */
    struct str *zone_names;                                       /* by the numbers of state.zones; absent: instances without a zone */
    struct service_plan plan;
    struct launch **launches;                                     /* by deployment; NULL: no start of it is planned */
    struct placed *placed; size_t placed_count;
    struct shortfall *shortfalls; size_t shortfall_count;
    struct target_news *target_news; size_t target_news_count;
    int64_t targets_wake_ms;                                      /* when targets are to be looked at again; 0: no time */
    bool waits_for_feeds;
    int64_t place_ends_ms;                                        /* when the first kept place is over; 0: there is none */
    int64_t call_ms;                                              /* when a call over HTTP is named next; 0: there is none */
    bool service_changed, act_changed;                            /* and is to be written */
    bool ended_some;                                              /* tasks that waited for a machine are STOPPED: the next step is due */
    struct str_list triggered;                                    /* the alarms that ring now and were quiet since the start */
    uint32_t failed;                                              /* the PRIMARY before the step: the deployment that can fail in it */
    struct str hook_reason;                                       /* why the hook failed that ends the deployment; absent: nothing more is known */
    struct str no_place;                                          /* why the first start had no room, in ECS's words; absent: all had */
    struct str lack;                                              /* … in short, with amounts */
    struct str cannot_launch;                                     /* why no task can be made of the revision; absent: tasks can */
};

extern const enum event_cause event_causes[EVENT_MARK_COUNT];
/* UNSET: no stage is shown, or that of a neighbour. */
extern const enum service_deployment_lifecycle_stage shown_stages[STAGE_COUNT];

/* books.c: reads the records. False: there is no such service, or it is INACTIVE. Then books_fill makes the state of them and of the roster; neither
 * changes anything. */
bool books_open(struct op_ctx *ctx, int64_t service, struct books *books);
void books_fill(struct books *books, int64_t most_moves);

/* As hooks have it: PRE_PRODUCTION_TRAFFIC_SHIFT, too. */
struct str books_stage_name(enum rollout_stage stage);

/* The capacity provider of a task (its place in state.tasks), as an item of the choice; choice->count: none of them. */
size_t books_share(const struct books *books, size_t task, const struct provider_choice *choice);

/* Whether an alarm can end the service deployment now. */
bool books_watch_alarms(const struct books *books);

/* Whether the resources of a task (its place in state.tasks) are kept for its service when it is STOPPED. */
bool books_keeps_place(const struct books *books, size_t task);

/* starts.c: places the starts of the plan. When some have no room, the plan is made again with the room that there is. */
void books_place(struct books *books);
/* The demand of a task of the service's revision. False, and *err says why: no task can be made of it. */
bool starts_demand(struct books *books, struct demand *demand, struct err *err);
/* Writes the tasks that were placed. */
void books_start(struct books *books);

/* outcome.c: writes the rest of the plan: stops, deployments, the service deployment, events, the service; and when the next step is due. */
void books_close(struct books *books);

/* targets.c: looks at the targets of the tasks that the roster has as unsettled. Before the state is filled in, and when the stops are ordered. */
void targets_settle(struct books *books);
/* Moves the weights of the listener rules to those of the plan. */
void targets_set_weights(struct books *books);
void targets_tell(struct books *books, struct service_events *events);
/* A target of the task that fails its checks; NULL: none does. */
const struct kept_target *targets_unhealthy(struct op_ctx *ctx, struct id task);
struct str targets_behind(struct op_ctx *ctx, struct id task);       /* the first feed that has not taken over its targets; absent: there is none */

/* lines.c: for the server's log: an event of the plan, that no task can be made of the revision, and the begin of the service deployment. */
void lines_of_event(struct books *books, enum event_kind kind, struct str message);
void lines_of_launch(struct books *books, struct str message);
void lines_of_begin(struct books *books);

/* calls.c: names the calls over HTTP of the service deployment that are due now, as effects. */
void books_name_calls(struct books *books);

/* places.c: gives back the kept places whose time is over, or all. True: the service has changed. *next_ms: when the next one is over; 0: there is none. */
bool places_expire(struct op_ctx *ctx, struct service *service, bool all, int64_t *next_ms);
/* Places at most `count` tasks on kept places, as books->placed. Returns how many. */
size_t places_take(struct books *books, const struct demand *demand, uint32_t deployment, size_t count);

/* Marks the tasks that are to be replaced and without which the demand has room. Looks at some of them. */
void places_find_room(struct books *books, const struct demand *demand);
/* A task on a kept place is healthy: from now on its place is kept no more. */
void places_settle(struct op_ctx *ctx, struct id task);

/* pulls.c: fills in the pull of the task's machine; writes the one that the plan asks for; says which one is waited for, absent: none is. */
void pulls_look(struct books *books, struct service_task *task);
void pulls_ask(struct books *books);
struct str pulls_reason(struct books *books);

/* preflight.c: whether new tasks of the service have room, and if not for all of them, a text that says why and what helps. It tries on the world. */
enum preflight { PREFLIGHT_ROOM, PREFLIGHT_SOME_ROOM, PREFLIGHT_SWAP, PREFLIGHT_WAIT, PREFLIGHT_DEADLOCK, PREFLIGHT_INFEASIBLE };
extern const struct str preflight_words[];                        /* "SOME_ROOM" */
enum preflight services_verdict(struct books *books, struct str *text);
/* Says so on the reply and in an event when a deployment begins. */
void services_preflight(struct op_ctx *ctx, int64_t service);
/* The event of a deployment that still waits when the verdict is another one than the last one in an event; absent: there is no such news. */
struct str preflight_again(struct books *books);

/* preflight.c: the name of a machine; "?": it is gone. */
struct str services_machine_name(struct op_ctx *ctx, struct id instance);
/* preflight.c: how much of what the nearest instance lacks the demand needs: GPUs, CPU units or memory. False: it lacks another thing. */
bool services_lack(const struct demand *demand, const struct evidence *evidence, int64_t *needs, const char **unit);
/* preflight.c: the most of it that an instance has free. */
int64_t services_largest_free(const struct evidence *evidence);
/* preflight.c: "needs 4 GPUs on one instance, the largest free slot is 2 (node-b)", "no instance has 9 GPUs; the largest has 8 (node-b)". */
struct str services_lack_text(struct op_ctx *ctx, const struct demand *demand, const struct evidence *evidence);

/* deploy.c: puts an event before the others of the list, with an id. */
void services_put_event(struct op_ctx *ctx, struct service_events *events, struct str message);
/* deploy.c: a deployment or task set of the revision begins (1) or ends (-1): its definition is not removed while it has one. */
void services_count_use(struct op_ctx *ctx, const struct service_revision *revision, int by);
/* deploy.c: drops the record; of a task set its revision, too. */
void services_drop_deployment(struct op_ctx *ctx, const struct kept_deployment *deployment);

/* outcome.c: the service deployment reaches the status, by way of those before it. With its end its counts are frozen. */
void services_end_act(struct op_ctx *ctx, const struct service *service, struct service_deployment *act, enum service_deployment_status status,
                      struct str reason);

#endif
