/* scale.h: how many machines the pool of a capacity provider is to have: the tasks that wait for it, what its machines have free and what types there are go to
 * scheduler/capacity, and the decision becomes the pool's `desired`. Private to api/. */
#ifndef BERTH_API_CAPACITY_SCALE_H
#define BERTH_API_CAPACITY_SCALE_H

#include "api/core/support.h"

/* Sets pool->desired and pool->types, ends machines that are not needed, and keeps the provider's memory. Returns when it is to be looked at again; 0: the
 * pool has no provider that scales. */
int64_t capacity_scale(struct op_ctx *ctx, struct kept_pool *pool);

#endif
