/* demand.h: what a task definition takes and where it may go, in the scheduler's words. Private to api/. */
#ifndef BERTH_API_TASKS_DEMAND_H
#define BERTH_API_TASKS_DEMAND_H

#include "api/core/context.h"

/* The resources of one task of the definition, with the request's overrides (NULL: none): CPU, memory, ports, GPUs, attributes. `executes`:
 * ExecuteCommand is to work. All in the request's arena. ERR_INVALID_PARAMETER when it can't be worked out. */
bool demand_read(struct op_ctx *ctx, const struct task_definition *def, const struct task_override *overrides, bool executes,
                 struct demand *demand, struct err *err);
/* Where it may go: the definition's constraints and the request's. */
bool demand_add_constraints(struct op_ctx *ctx, const struct task_definition *def,
                            const struct placement_constraint_list *constraints, struct demand *demand, struct err *err);
/* On instances of this capacity provider alone; it takes the place of one that was set before. */
void demand_set_provider(struct op_ctx *ctx, struct str provider, struct demand *demand);
/* In which order places are tried: the request's strategies. */
bool demand_add_strategies(struct op_ctx *ctx, const struct placement_strategy_list *strategies, struct demand *demand,
                           struct err *err);

#endif
