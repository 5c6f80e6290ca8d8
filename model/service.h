/* service.h: Berth's records of services, deployments and service deployments: their statuses, and the events of a service. Knows ECS's steps from
 * one status to the next; refuses to decide when one is due (scheduler/reconcile does). */
#ifndef BERTH_MODEL_SERVICE_H
#define BERTH_MODEL_SERVICE_H

#include "base/arena.h"
#include "model/records/service.h"

enum { CLUSTER_DAEMONS_MAX = 100, SERVICE_EVENTS_MAX = 100, KEPT_PLACES_MAX = 100, EARLY_PULLS_MAX = 100 };

/* The tables of steps. A step to itself is no step. */
bool service_may_become(enum service_status from, enum service_status to);
bool deployment_may_become(enum deployment_status from, enum deployment_status to);
bool deployment_rollout_may_become(enum deployment_rollout_state from, enum deployment_rollout_state to);
bool service_deployment_may_become(enum service_deployment_status from, enum service_deployment_status to);

/* No step leaves it: SUCCESSFUL, STOPPED, ROLLBACK_SUCCESSFUL, ROLLBACK_FAILED. */
bool service_deployment_has_ended(enum service_deployment_status status);

/* The only functions that change these statuses, by a step that the table allows, of a new record from UNSET. They set the times that belong to
 * the step; texts, marks and counts are the caller's.
 *
 * A service that is not ACTIVE wants no tasks: its desired count becomes 0. */
void service_become(struct service *service, enum service_status status, int64_t now_ms);
void deployment_become(struct kept_deployment *deployment, enum deployment_status status, int64_t now_ms);
void deployment_rollout_become(struct kept_deployment *deployment, enum deployment_rollout_state rollout, int64_t now_ms);
void service_deployment_become(struct service_deployment *deployment, enum service_deployment_status status, int64_t now_ms);

/* A lifecycle hook, which begins as AWAITING_ACTION or IN_PROGRESS. */
bool hook_may_become(enum deployment_lifecycle_hook_status from, enum deployment_lifecycle_hook_status to);
void hook_become(struct kept_hook *hook, enum deployment_lifecycle_hook_status status);

/* stabilityStatus of a task set. The same again: its time stays. */
void task_set_become(struct task_set_part *set, enum stability_status stability, int64_t now_ms);

/* Puts an event before the others; of more than SERVICE_EVENTS_MAX the oldest goes. Its time is later than the last one's: in the same millisecond, or
 * when the clock was set back, it is the next one. The list is new, in `arena`; `id` is a UUID, and texts are borrowed. */
void service_add_event(struct service_events *events, struct str id, struct str message, int64_t now_ms, struct arena *arena);

/* When the cause's event came last; 0: the cause does not last. Setting 0 takes the mark away. The list is then new, in `arena`. */
int64_t service_mark(const struct service *service, enum event_cause cause);
void    service_set_mark(struct service *service, enum event_cause cause, int64_t last_ms, struct arena *arena);

#endif
