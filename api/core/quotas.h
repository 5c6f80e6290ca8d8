/* quotas.h: the quotas of clusters (the tag berth:quota; scheduler/queue/quota.h), kept true in the world. Private to api/. */
#ifndef BERTH_API_CORE_QUOTAS_H
#define BERTH_API_CORE_QUOTAS_H

#include "api/core/context.h"

/* A value of the tag. ERR_INVALID_PARAMETER. */
MUST_USE bool quotas_check(struct str value, struct err *err);
/* The cluster has these tags from now on: tasks that run there and tasks that wait are counted again, once. `scratch` is emptied between records. */
void quotas_follow(struct world *world, struct store_txn *txn, const struct cluster *cluster, struct arena *scratch);
/* A live task has its place, or has other tags; or it has ended. */
void quotas_put_task(struct world *world, const struct task *task);
void quotas_end_task(struct world *world, const struct task *task);

/* Thousandths of GPUs that a task of this demand takes at least. */
int64_t quotas_need(const struct demand *demand);
/* How many of `count` tasks may start by the quotas of their cluster, all or none with `gang`. *why: the entry of failures[] of the others. */
size_t quotas_allow(struct op_ctx *ctx, const struct cluster *cluster, const struct tag_list *tags, const struct demand *demand, size_t count, bool gang,
                    struct failure *why);

#endif
