/* placement.h: the one door through which tasks and instances are written. The store keeps the records, the world counts the
 * free amounts, and both change in the same job of the writer. Private to api/.
 *
 *   who                       first                                          then
 *   RunTask, StartTask        sched_place, sched_place_on: the world gives   placement_keep_task: the record
 *   any change of a task      placement_change_task: the record …            … and the world: it holds, or gives back when STOPPED
 *   any change of a machine   placement_put_instance: the record …           … and the world: it is there, or goes when INACTIVE
 *
 * The world is always what api_load_world would make of the store. It knows no transactions: when a batch can't be committed, the
 * writer builds it again from the store (server/writing/writer.c). */
#ifndef BERTH_API_CORE_PLACEMENT_H
#define BERTH_API_CORE_PLACEMENT_H

#include "api/core/context.h"

/* Writes a new task that sched_place or sched_place_on has just put into the world: only the record is missing. */
void placement_keep_task(struct op_ctx *ctx, const struct task *task);
/* Writes a new task that waits for room: PROVISIONING, on no instance. The world has it in its queue, until a change of its record ends the wait. */
void placement_keep_waiting(struct op_ctx *ctx, const struct task *task);
/* Writes a task as it is from now on, and tells the world. `before`: what store_task gave of it in this job. A task that is not
 * live any more gives back all that it held, and goes into the history. */
void placement_change_task(struct op_ctx *ctx, const struct task *before, const struct task *task);
/* Orders the stop of a live task, as StopTask does: its tags go, its machine is woken. The task as it is then; `found`: what store_task gave. A target of
 * load balancers is DEACTIVATING first: its machine runs it, and is woken when the targets are gone (api/services/targets.c). */
struct task placement_order_stop(struct op_ctx *ctx, const struct task *found, struct stop_cause cause);
/* No proxy sends to a DEACTIVATING task any more: its machine gets the stop. `found`: what store_task gave. */
void placement_end_deregistering(struct op_ctx *ctx, const struct task *found);
/* Writes an instance, new or changed, and tells the world. */
void placement_put_instance(struct op_ctx *ctx, const struct instance *instance);

/* The cluster has other tags: its quotas may be others. */
void placement_put_cluster_tags(struct op_ctx *ctx, const struct cluster *cluster);

/* A machine that was ordered for tasks has registered: its room is kept for those that still wait. Nothing where it has been there for long. */
void placement_keep_ordered(struct world *world, struct store_txn *txn, const struct kept_machine *machine, int64_t now_ms, struct arena *arena);

/* Tells another world than the writer's what the record says. `scratch` is used until the call returns. */
void placement_tell_instance(struct world *world, const struct instance *instance, struct arena *scratch);
void placement_tell_task(struct world *world, const struct task *task, struct arena *scratch);

#endif
