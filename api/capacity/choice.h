/* choice.h: the capacity providers that a capacity provider strategy names. Which of them gets the next task, scheduler/provider_strategy.h decides.
 * Private to api/. */
#ifndef BERTH_API_CAPACITY_CHOICE_H
#define BERTH_API_CAPACITY_CHOICE_H

#include "api/core/context.h"
#include "scheduler/provider_strategy.h"

/* scales: it orders machines for tasks that wait. */
struct chosen_provider { struct str name; bool managed, scales; };
/* One item for each of the strategy, in its order; without tasks. */
struct provider_choice { struct chosen_provider *items; struct provider_share *shares; size_t count; };

/* One base at most, and a weight above 0. is_default: a cluster's default strategy, which the error names then. ERR_INVALID_PARAMETER. */
bool choice_check_weights(const struct capacity_provider_strategy_item_list *strategy, bool is_default, struct err *err);
/* Each item names an ACTIVE provider of the cluster, once, and all providers are of one kind; base and weight are good. ERR_INVALID_PARAMETER. An empty
 * strategy is good. */
bool choice_check(struct op_ctx *ctx, const struct cluster *cluster, const struct capacity_provider_strategy_item_list *strategy, bool is_default,
                  struct err *err);
/* A provider that is gone since has no machines. */
struct provider_choice choice_of(struct op_ctx *ctx, const struct capacity_provider_strategy_item_list *strategy);
/* The item of this name; choice->count: there is none. */
size_t choice_find(const struct provider_choice *choice, struct str name);
/* The same, by provider_hash of the name. */
size_t choice_find_hash(const struct provider_choice *choice, uint64_t hash);
/* Does it order machines for tasks that wait? */
bool provider_scales(const struct kept_provider *provider);
/* Does one of them? */
bool choice_scales(const struct provider_choice *choice);
/* None of its machines is registered. Looks at all machines of its pool. */
bool provider_is_empty(struct op_ctx *ctx, struct str name);

/* Can it have more machines than now? What is to be said of that, as half a sentence: "the capacity provider gpu will order machines". */
bool provider_grows(struct op_ctx *ctx, struct str name, struct str *text);

/* The ACTIVE provider of the cluster whose machines are those of the pool; absent: there is none. */
struct str provider_of_pool(struct op_ctx *ctx, const struct cluster *cluster, struct str pool);

/* The name in a name or an ARN of a capacity provider. */
struct str provider_name(struct str reference);

#endif
