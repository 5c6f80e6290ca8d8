/* roster.h: the live tasks of each service, as reconcile.h needs them, and the services whose next step is due: those that a change has touched, in
 * the order of the changes, and those whose time has come. Knows numbers, ids and the times that callers hand in; refuses to know the store, the
 * clock and the instances. It is part of the world: built with it, changed by the thread that owns it. */
#ifndef BERTH_SCHEDULER_RECONCILE_ROSTER_H
#define BERTH_SCHEDULER_RECONCILE_ROSTER_H

#include "scheduler/reconcile/reconcile.h"

struct roster;
struct roster *roster_create(struct arena *arena);            /* lives in `arena` */

/* A live task of a service. `health` is not that of a lack of time: the classes of reconcile.h come later. */
struct roster_task {
    struct id id, instance;
    int64_t service, deployment;                              /* number; digits */
    bool running, leaving;                                    /* lastStatus RUNNING; desiredStatus STOPPED */
    bool keeps_place;                                         /* its resources are kept for its service when it is STOPPED */
    bool was_healthy;                                         /* kept by roster_put */
    enum task_health health;                                  /* of its containers */
    bool balanced;                                            /* it is a target of load balancers from RUNNING on */
    bool deregisters;                                         /* its machine gets the stop when its targets are gone */
    enum task_health targets;                                 /* balanced: kept by roster_put */
    bool unsettled;                                           /* its targets are to be looked at in the next step; roster_put sets it for a balanced one */
    int64_t running_since_ms, protected_until_ms;             /* 0: not RUNNING; not protected */
};
/* New or changed; its service becomes due. */
void roster_put(struct roster *roster, const struct roster_task *task);
void roster_drop(struct roster *roster, struct id task);      /* not live any more; its service becomes due. Unknown: nothing */
const struct roster_task *roster_task(const struct roster *roster, struct id task);      /* NULL: unknown. Until the next change */
void roster_set_healthy(struct roster *roster, struct id task);
/* The targets of a task were looked at; `unsettled`: they are to be looked at again in the next step. Unknown: nothing. */
void roster_set_targets(struct roster *roster, struct id task, enum task_health targets, bool unsettled);
void roster_targets_changed(struct roster *roster, struct id task);    /* its service becomes due, and looks at them. Unknown: nothing */
size_t roster_count(const struct roster *roster, int64_t service);                       /* of live tasks */
size_t roster_unsettled(const struct roster *roster, int64_t service);                   /* of those whose targets are to be looked at */
/* A live task of a service after another, in no order, until the next change of the roster. `last` NULL: the first. NULL: there are no more. */
const struct roster_task *roster_walk(const struct roster *roster, int64_t service, const struct roster_task *last);
/* The same as copies; `tasks` has room for roster_count of them. */
size_t roster_tasks(const struct roster *roster, int64_t service, struct roster_task *tasks);

/* ---- services ---- */
/* Known from now on, and due. `daemon`: it watches the fleet. The same again: only the mark of a daemon changes. */
void roster_add_service(struct roster *roster, int64_t service, int64_t cluster, bool daemon);
bool roster_is_daemon(const struct roster *roster, int64_t service);                     /* false: unknown, too */
void roster_drop_service(struct roster *roster, int64_t service);
void roster_touch(struct roster *roster, int64_t service);    /* due at once; unknown: nothing */
/* Its step is done: it is not due any more, although the step has changed its tasks. `wake_ms`: due then, 0: no time. */
void roster_settle(struct roster *roster, int64_t service, int64_t wake_ms);
/* The same, and it waits for room until roster_room_grew. Those of a cluster that wait get their turns in one order: first those with fewer healthy tasks
 * than their lower limit, then by `since_ms`, the creation of their deployments. */
void roster_wait(struct roster *roster, int64_t service, bool below, int64_t since_ms, int64_t wake_ms);
int64_t roster_turn(const struct roster *roster, int64_t service);      /* 1: the next of its cluster; 0: it does not wait */
void roster_room_grew(struct roster *roster, int64_t cluster);                           /* something of an instance there is free again */
/* Changes that make the services due that watch them. */
enum roster_watched {
    WATCH_FLEET,                                              /* an instance of the cluster came, went, or has other attributes: for daemons */
    WATCH_ZONES,                                              /* the cluster has instances in a zone for the first time, or no more */
    WATCH_ALARMS, WATCH_FEEDS,                                /* things that services share: whichever alarm or feed it was */
    ROSTER_WATCHED_COUNT
};
void roster_watch(struct roster *roster, int64_t service, enum roster_watched what, bool watches);   /* the same again: nothing; unknown: nothing */
void roster_changed(struct roster *roster, enum roster_watched what);
void roster_changed_in(struct roster *roster, int64_t cluster, enum roster_watched what);            /* for services of the cluster */
/* The time of the first schedule that is due, for roster_due_ms; the store keeps schedules. 0: no schedule is due. */
void roster_schedules_due(struct roster *roster, int64_t due_ms);
/* The same of the first pool or machine; the store keeps both. */
void    roster_pools_due(struct roster *roster, int64_t due_ms);
int64_t roster_pools_due_ms(const struct roster *roster);
/* The next service that is due, which then is not due any more; 0: there is no such service. */
int64_t roster_next(struct roster *roster, int64_t now_ms);
/* When a service, a schedule, a pool or a machine is due next; `now_ms`: at once; 0: none has a time. */
int64_t roster_due_ms(const struct roster *roster, int64_t now_ms);

#endif
