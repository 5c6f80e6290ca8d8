/* placement.h: between the store and the world: what is written goes to both, and what a definition takes is said in the
 * scheduler's words. Private to api/; placement_change_task and placement_put_instance stand in support.h. */
#ifndef BERTH_API_CORE_PLACEMENT_H
#define BERTH_API_CORE_PLACEMENT_H

#include "api/core/support.h"

/* Writes a task that sched_place or sched_place_on has just put into the world: only the record is missing. */
void placement_keep_task(struct op_ctx *ctx, const struct task *task);

/* Tells `world` what the record says; for a world of one's own. `scratch` is used until the call returns. */
void placement_tell_instance(struct world *world, const struct instance *instance, struct arena *scratch);
void placement_tell_task(struct world *world, const struct task *task, struct arena *scratch);

/* demand.c: what one task of the definition takes, with the request's overrides: CPU, memory, ports, GPUs, attributes; `executes`:
 * ExecuteCommand is to work. All in the request's arena. ERR_INVALID_PARAMETER when it can't be worked out. */
bool demand_read(struct op_ctx *ctx, const struct task_definition *def, const struct task_override *overrides, bool executes,
                 struct demand *demand, struct err *err);
/* Where it may go: the definition's constraints and the request's. */
bool demand_add_constraints(struct op_ctx *ctx, const struct task_definition *def,
                            const struct placement_constraint_list *constraints, struct demand *demand, struct err *err);
bool demand_add_strategies(struct op_ctx *ctx, const struct placement_strategy_list *strategies, struct demand *demand,
                           struct err *err);

#endif
