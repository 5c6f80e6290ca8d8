/* waits.h: tasks that wait for room (the tag berth:queue): PROVISIONING, on no instance, in the world's queue, which the store can make again. Private to api/.
 *
 *   RunTask without room     waits_enter: records, and entries of the queue
 *   room grows, time passes  waits_run_due: the queue says which is next; it becomes PENDING on its instance, or gives up
 *   StopTask                 waits_end: it is STOPPED at once, with its whole gang */
#ifndef BERTH_API_TASKS_WAITS_H
#define BERTH_API_TASKS_WAITS_H

#include "api/tasks/launch.h"

#define EMPTY_PROVIDER_REASON "EMPTY CAPACITY PROVIDER"      /* in the reason of a task that gave up: its provider has no machine */

/* The tag berth:queue (wait, or wait:TIME). ERR_INVALID_PARAMETER: a value that it can't have. */
MUST_USE bool waits_read(const struct tag_list *tags, struct wait_wish *wish, struct err *err);
/* How many of `count` tasks of the launch may wait: as the request wants it, and the queue has room. Of a cluster, QUEUE_OF_PROVIDERS_MAX wait for capacity
 * providers, as in ECS; a task with the tag berth:queue may wait beyond that. A gang waits as a whole. */
size_t waits_room(struct op_ctx *ctx, const struct launch *launch, size_t count);
/* Writes tasks that have no place, alone or as a gang, puts them into the queue, and shows them in *views, which may be NULL. */
void waits_enter(struct op_ctx *ctx, struct launch *launch, const struct id *ids, size_t count, struct task_view *views);
/* In the steps of services: tries entries that may have room, and ends those whose time is over. */
void waits_run_due(struct op_ctx *ctx);
/* A machine makes progress. Tasks that it was ordered for, and whose time is not their own, wait as long again: WAITS_RENEWALS_MAX times. */
enum { WAITS_RENEWALS_MAX = 3 };
void waits_renew(struct op_ctx *ctx, const struct kept_machine *machine);
/* Orders of the provider's machines stop or go on: the services are due whose tasks wait for it. Looks at the whole queue. */
void waits_touch_services(struct op_ctx *ctx, struct str provider);
/* Ends a waiting task, and the rest of its gang. Returns it as it is then; `found`: what store_task gave. */
struct task waits_end(struct op_ctx *ctx, const struct task *found, struct stop_cause cause);

#endif
