/* deletes.c: DeleteCluster, and removing the rest of a cluster: its INACTIVE record and its number stay while something else is stored under the
 * number. */
#include "api/clusters/deletes.h"

#include "api/handlers.h"
#include "api/schemas/clusters.h"

/* ---- delete ---- */

static bool check_empty(struct op_ctx *ctx, const struct cluster *cluster, struct err *err)
{
    struct cluster_counts counts = store_cluster_counts(ctx->txn, cluster->number);
    if (counts.instances > 0) {
        return err_set(err, ERR_CLUSTER_HAS_INSTANCES, "The Cluster cannot be deleted while Container Instances are active or draining.");
    }
    if (store_has_services(ctx->txn, cluster->number)) {
        return err_set(err, ERR_CLUSTER_HAS_SERVICES, "The Cluster cannot be deleted while Services are active.");
    }
    if (counts.live_tasks > 0) {
        return err_set(err, ERR_CLUSTER_HAS_TASKS, "The Cluster cannot be deleted while Tasks are active.");
    }
    return true;
}

/* Managed instances providers are the cluster's alone. */
static bool check_providers(struct op_ctx *ctx, const struct cluster *cluster, struct err *err)
{
    struct kept_provider *providers;
    size_t count = store_list_providers(ctx->txn, &providers, ctx->arena);
    for (size_t p = 0; p < count; p++) {
        bool blocks = providers[p].managed != NULL && providers[p].cluster == cluster->number && providers[p].status <= CAPACITY_PROVIDER_STATUS_ACTIVE;
        if (blocks) {
            return err_set(err, ERR_CLUSTER_HAS_PROVIDER, "The cluster can't be deleted while it has managed instances capacity providers.");
        }
    }
    return true;
}

bool op_delete_cluster(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_cluster_request *in = input;
    struct delete_cluster_response *out = output;
    const struct cluster *known = support_cluster(ctx, in->cluster, err);
    if (known == NULL || !check_empty(ctx, known, err) || !check_providers(ctx, known, err)) { return false; }

    struct cluster *cluster = arena_copy(ctx->arena, known, sizeof *known);
    cluster_become(cluster, CLUSTER_INACTIVE, ctx->now_ms);
    cluster->tags = (struct tag_list){ 0 };                  /* tags are removed with their cluster */
    store_put_cluster(ctx->txn, cluster);
    out->cluster = view_cluster(ctx, cluster);
    return true;
}

/* ---- forget ---- */

/* A deleted cluster is shown for as long as a stopped task, and longer while a record of it is stored. When its name was used again or its record is
 * removed, only the fact that it was deleted is known. */
static void forget_number(struct op_ctx *ctx, struct cluster_number numbered)
{
    const struct cluster *found = store_cluster(ctx->txn, numbered.name, ctx->arena);
    bool is_its_own = found != NULL && found->number == numbered.number;
    if (is_its_own && found->status != CLUSTER_INACTIVE) { return; }
    if (is_its_own && found->deleted_ms == 0) {              /* by an older version */
        struct cluster *cluster = arena_copy(ctx->arena, found, sizeof *found);
        cluster->deleted_ms = ctx->now_ms;
        store_put_cluster(ctx->txn, cluster);
        return;
    }
    int64_t deleted_ms = is_its_own ? found->deleted_ms : found != NULL ? found->created_ms : 0;
    bool is_over = ctx->now_ms - deleted_ms >= ctx->config->stopped_task_keep_ms;
    if (is_over && store_cluster_is_past(ctx->txn, numbered.number, deleted_ms)) { store_drop_cluster(ctx->txn, numbered); }
}

void clusters_forget_deleted(struct op_ctx *ctx)
{
    enum { LOOKED_AT_MAX = 64 };
    struct cluster_number found[LOOKED_AT_MAX];
    /* Starts at a random cluster, so that clusters that must stay do not keep the others from being removed. */
    size_t count = store_list_cluster_numbers(ctx->txn, 0, found, LOOKED_AT_MAX, ctx->arena);
    if (count == LOOKED_AT_MAX) {
        int64_t from = (int64_t)rng_below(ctx->rng, (uint64_t)store_last_cluster_number(ctx->txn)) + 1;
        count = store_list_cluster_numbers(ctx->txn, from, found, LOOKED_AT_MAX, ctx->arena);
    }
    ASSERT(count <= LOOKED_AT_MAX);
    for (size_t n = 0; n < count; n++) { forget_number(ctx, found[n]); }
}
