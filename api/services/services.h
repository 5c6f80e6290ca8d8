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

/* Writes the service with a new deployment to `revision` (digits, service and time are filled in here), which is the PRIMARY from now on, and a new
 * service deployment; those before step back. A new service has no number yet. Its next step is due. */
void services_deploy(struct op_ctx *ctx, struct service *service, struct service_revision *revision);
/* Writes a changed service; its next step is due. A back-off of its deployments ends. */
void services_changed(struct op_ctx *ctx, struct service *service);
/* Puts an event before the others of the service. */
void services_add_event(struct op_ctx *ctx, int64_t service, struct str message);

/* For core/placement.c. `before` NULL: a new task; a task that has no service: nothing. */
void services_task_changed(struct op_ctx *ctx, const struct task *before, const struct task *after);
/* The machine came, went, drains or has other attributes: `before` NULL: it is new. */
void services_instance_changed(struct op_ctx *ctx, const struct instance *before, const struct instance *after);

#endif
