/* binding.h: may this caller act for that machine, or in that cluster? An agent's key may be bound to one cluster, or to one machine in it
 * (model/access_key.h); every other caller is bound to nothing, and is asked nothing more. The only place of that rule: code that finds a machine, or a
 * task and its machine, for an agent asks here. */
#ifndef BERTH_API_CORE_BINDING_H
#define BERTH_API_CORE_BINDING_H

#include "api/core/context.h"

static inline bool binding_is_set(const struct caller *caller) { return caller->binding.cluster.len > 0; }

/* The rule. NULL: the question is of the cluster alone. */
bool binding_fits(const struct key_binding *binding, struct str cluster, const struct instance *instance);

/* All with ERR_ACCESS_DENIED. Of the cluster of that name, whether it is there or not. */
MUST_USE bool binding_check_cluster(const struct op_ctx *ctx, struct str cluster, struct err *err);
/* The same for a machine as it is, or is to be registered. */
MUST_USE bool binding_check_record(const struct op_ctx *ctx, struct str cluster, const struct instance *instance, struct err *err);
/* The same for the machine with this id, or none when there is no such machine. Reads the store only for a caller that is bound. */
MUST_USE bool binding_check(const struct op_ctx *ctx, struct id instance, struct err *err);

/* The same for who reads nothing else of the store. ERR_SERVER, too. */
MUST_USE bool binding_check_stored(struct store *store, const struct api_config *config, const struct caller *caller, struct id instance,
                                   struct arena *arena, struct err *err);

/* The refusal, of what belongs to no one machine or cluster. */
bool binding_deny(const struct op_ctx *ctx, struct str resource, struct err *err);

/* The binding of a key, for a person: "instance gpu-1 in cluster default", "cluster default". */
struct str binding_text(const struct key_binding *binding, struct arena *arena);

#endif
