/* provider_strategy.h: base and weight of a capacity provider strategy: which provider gets the next task, and which one loses the next. Refuses to know
 * providers; an item is a place in the strategy. Pure, in whole numbers. */
#ifndef BERTH_SCHEDULER_PROVIDER_STRATEGY_H
#define BERTH_SCHEDULER_PROVIDER_STRATEGY_H

#include "base/err.h"

enum { STRATEGY_ITEMS_MAX = 20, STRATEGY_BASE_MAX = 100000, STRATEGY_WEIGHT_MAX = 1000 };

struct provider_share {
    int64_t base, weight;
    int64_t tasks;                           /* of this service on this provider that do not stop; 0 at the start of RunTask */
};

/* Refuses more items than there can be, a value out of range, two bases, and no weight above 0. ERR_INVALID_PARAMETER in ECS's words. */
bool strategy_check(const struct provider_share *shares, size_t count, struct err *err);
/* The item that gets the next task, which is counted there: one whose base is not reached; else the one that has the least tasks beyond its base for its
 * weight, the first of equals. A weight must be above 0. */
size_t strategy_add(struct provider_share *shares, size_t count);
/* The item that loses the next task, which is no longer counted there: the one that has the most tasks beyond its base for its weight, the last of
 * equals; a base is kept while there are other tasks. `count`: no item has a task. */
size_t strategy_remove(struct provider_share *shares, size_t count);

#endif
