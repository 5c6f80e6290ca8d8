/* services.h: how the rest of api/ meets services: what a change of a task or an instance means for its service, and how a deployment begins. The
 * next step of a service is decided by scheduler/reconcile, and done by steps.c as an operation of Berth's own. Private to api/.
 *
 *   CreateService, UpdateService …  → records, and roster_touch: the service is due
 *   the door (core/placement.h)     → services_task_changed: the roster, failures of the deployment; the service is due
 *   EFFECT_STEP_SERVICES            → server/stepper.c asks for steps until no service is due
 *   op_step_services (steps.c)      → reconcile, then tasks are placed and stopped, and records and events are written */
#ifndef BERTH_API_SERVICES_SERVICES_H
#define BERTH_API_SERVICES_SERVICES_H

#include "api/core/support.h"
#include "model/service.h"

/* The service of a request's reference (name or ARN), whose cluster is *cluster. NULL: ERR_CLUSTER_NOT_FOUND, then ERR_SERVICE_NOT_FOUND. An
 * INACTIVE one is found. */
const struct service *services_find(struct op_ctx *ctx, struct str cluster_reference, struct str reference, const struct cluster **cluster,
                                    struct err *err);
/* services_find; ERR_SERVICE_NOT_ACTIVE for one that is DRAINING or INACTIVE. */
const struct service *services_find_active(struct op_ctx *ctx, struct str cluster_reference, struct str reference, const struct cluster **cluster,
                                           struct err *err);

/* history.c: createdAt of a list. `after` takes its own millisecond in: a client that took the time just before its call finds the service
 * deployment of the call. */
struct created_at;
bool services_created_in(const struct created_at *range, int64_t created_ms);       /* NULL: any time */
/* operations.c: the service as it is after the request, with all checks of UpdateService and as service_draft_change has it. Changes nothing. */
struct update_service_request;
struct service_draft;
bool services_draft_update(struct op_ctx *ctx, const struct update_service_request *request, const struct cluster **cluster, struct service_draft *draft,
                           bool *deploys, struct err *err);

/* operations.c: writes a new service as it was drafted, with its first deployment. */
void services_make(struct op_ctx *ctx, struct service_draft *draft);
/* operations.c: deletes an ACTIVE service. With tasks to stop it is DRAINING: its next step stops them, and makes it INACTIVE. */
void services_delete(struct op_ctx *ctx, struct service *service);

/* Writes the service with a new deployment to `revision` (digits, service and time are filled in here), which is the PRIMARY from now on, and a new
 * service deployment; those before step back. A new service has no number yet. Its next step is due. */
void services_deploy(struct op_ctx *ctx, struct service *service, struct service_revision *revision);
/* Writes a changed service; its next step is due. A back-off of its deployments ends. */
void services_changed(struct op_ctx *ctx, struct service *service);
/* Makes a service INACTIVE that has no task left to stop: its deployments go. Tasks that are leaving hold their places until they are STOPPED. */
void services_end(struct op_ctx *ctx, struct service *service);
/* Puts an event before the others of the service. */
void services_add_event(struct op_ctx *ctx, int64_t service, struct str message);

/* Whether tasks of the service wait for their targets to be gone before they stop. */
bool services_deregister(struct op_ctx *ctx, int64_t service);
/* The target group in which tasks of the deployment are registered: the alternate one, or the usual one. */
struct str services_group_of(const struct kept_deployment *deployment, const struct load_balancer *balancer);
/* Where other machines reach the task: the address of its own interface, or its machine's. Empty: it is not known. Borrowed. */
struct str services_address(const struct task *task, const struct instance *instance);
/* Tasks that are no daemon's are on the instance. */
bool services_has_others(struct op_ctx *ctx, struct id instance);
/* The task has ended: its targets go at once. */
void services_drop_targets(struct op_ctx *ctx, struct id task);

/* lines.c: for the server's log, a hook that has another status now. */
void lines_of_hook(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, const struct kept_hook *hook);

/* For core/placement.c, and when the world is built: a task that has no service is no matter. */
struct roster;
void services_tell_task(struct roster *roster, const struct task *task);
/* For core/placement.c. `before` NULL: a new task; a task that has no service: nothing. */
void services_task_changed(struct op_ctx *ctx, const struct task *before, const struct task *after);
/* Something of the cluster's instances is free again: for services, and for tasks that wait. */
void services_room_grew(struct world *world, int64_t cluster);
/* For core/placement.c: a task that is STOPPED keeps its resources in the world, because they are kept for its service; false: it gives them back. */
bool services_keep_place(struct op_ctx *ctx, const struct task *task);
/* For core/placement.c: tells a new world of the places that are kept for the service. */
void services_hold_places(struct store_txn *txn, struct world *world, const struct service *service, struct arena *scratch);
/* For core/placement.c: the machine came, went, drains or has other attributes. status_changed: it was known, and has another status now. */
void services_instance_changed(struct op_ctx *ctx, const struct instance *instance, bool status_changed);
/* A daemon, or its capacity providers, are others: finds again which instances of the cluster wait for daemons. */
void services_gate_all(struct op_ctx *ctx, const struct service *daemon);

#endif
