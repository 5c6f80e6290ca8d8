/* outbox.h: changes of tasks, instances and services, as events in EventBridge's form, for webhooks and GET /berth/v1/ecs-events. An event is written in
 * the transaction of its change, so none is lost, and none is about a change that was not committed. Without api_config.events_keep_ms none is written.
 *
 *   ECS Task State Change                  each new version of a task: the detail is the task as DescribeTasks shows it
 *   ECS Container Instance State Change    the same of an instance
 *   ECS Service Action, ECS Deployment State Change, ECS Hook State Change    an event of a service that EventBridge gets from ECS, too
 *
 * Times in a detail are texts (ISO 8601), as EventBridge has them. Private to api/. */
#ifndef BERTH_API_OUTBOX_OUTBOX_H
#define BERTH_API_OUTBOX_OUTBOX_H

#include "api/core/context.h"

enum { OUTBOX_EVENTS_MAX = 50000 };          /* that are kept: then the oldest go */

/* `before` NULL: the task is new. */
void outbox_task(struct op_ctx *ctx, const struct task *before, const struct task *task);
void outbox_instance(struct op_ctx *ctx, const struct instance *instance);
/* `name` and `type` are ECS's words for the event, "SERVICE_STEADY_STATE" and "INFO"; `reason` is for people. `deployment` may be empty. */
struct outbox_action { struct str name, type, reason, deployment; };
void outbox_service(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, const struct outbox_action *action);

#endif
