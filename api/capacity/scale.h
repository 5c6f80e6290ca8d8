/* scale.h: how many machines the pool of a capacity provider is to have: the tasks that wait for it, what its machines have free and what types there are go to
 * scheduler/capacity, and the decision becomes the pool's `desired`. Private to api/. */
#ifndef BERTH_API_CAPACITY_SCALE_H
#define BERTH_API_CAPACITY_SCALE_H

#include "api/capacity/machines.h"
#include "scheduler/capacity/scaling.h"

/* Sets the pool's `desired` and `types`, ends machines that are not needed, and keeps the provider's memory. False: no provider scales the pool. */
bool capacity_scale(struct pool_look *look);
/* Sets pool->types of a group that nobody scales, or whose size was set by hand: what its launch template names or allows. */
void capacity_types(struct op_ctx *ctx, struct kept_pool *pool);
/* The names of the types that the pool may have, the cheapest first; empty: the provisioner chooses. */
struct str_list capacity_candidates(const struct pool_look *look);

/* The data of a decision, and the decision. Nothing is written for it. */
struct capacity_view {
    const struct kept_machine **machines;    /* of the pool, those that count: demand.machine_count, in its order */
    struct capacity_demand demand;
    size_t more_waiting;                     /* tasks beyond those of the demand: the next look sees them */
    struct capacity_plan plan;
    struct capacity_decision decision;
};
/* False: the pool has no provider that scales. */
bool capacity_view_open(const struct pool_look *look, struct capacity_view *view);

#endif
