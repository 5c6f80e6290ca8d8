/* providers.h: capacity providers: what their operations share with clusters, tags and services. Private to api/. */
#ifndef BERTH_API_CAPACITY_PROVIDERS_H
#define BERTH_API_CAPACITY_PROVIDERS_H

#include "api/capacity/choice.h"
#include "api/core/support.h"

struct str provider_arn(const struct names *names, struct str name, struct arena *arena);
/* The provider of a name or an ARN; NULL: there is none. */
const struct kept_provider *provider_find(struct op_ctx *ctx, struct str reference);
/* All names can be associated with the cluster (ERR_INVALID_PARAMETER, ERR_CLIENT). NULL: a cluster that is being made. *names are without ARNs. */
MUST_USE bool providers_check(struct op_ctx *ctx, const struct cluster *cluster, const struct str_list *given, struct str_list *names, struct err *err);
/* Do tasks of the cluster run on its machines or wait for them, or does a service name it? Looks at all instances of the cluster, and at all services. */
bool provider_is_busy(struct op_ctx *ctx, int64_t cluster, struct str name);
/* Does an ACTIVE service name it in its strategy, or in that of a task set? cluster: its number, 0: in any. Looks at all services. */
const struct service *provider_service(struct op_ctx *ctx, int64_t cluster, struct str name);
/* attachments.c: shows those of the cluster's providers in the view. */
void providers_add_attachments(struct op_ctx *ctx, const struct cluster *cluster, struct cluster_view *view);
/* Changes and removals that go on are finished: part of the steps that look at pools. */
void providers_settle(struct op_ctx *ctx);

/* daemons.c: the ACTIVE managed daemons that are to run on machines of the provider: `daemons` has room for CLUSTER_DAEMONS_MAX. */
struct provider_daemon { int64_t service; struct str name, family; int64_t revision; };
size_t provider_daemons(struct store_txn *txn, int64_t cluster, struct str provider, struct provider_daemon *daemons, struct arena *arena);
/* The resources that they take on each machine. */
void provider_daemons_take(struct op_ctx *ctx, const struct kept_provider *provider, int64_t *cpu, int64_t *memory_mib);

/* Tells the world whether the instance waits for daemons of its provider. True: that is another answer than before. */
bool provider_gate(struct store_txn *txn, struct world *world, const struct instance *instance, struct arena *arena);

#endif
