/* view_cluster.c: a cluster as ECS shows it. Its counts are derived here, at each request. */
#include "api/show/view.h"

struct cluster_view *view_cluster(struct op_ctx *ctx, const struct cluster *cluster)
{
    struct cluster_counts counts = store_cluster_counts(ctx->txn, cluster->number);
    struct cluster_view *view = ARENA_NEW(ctx->arena, struct cluster_view, 1);
    *view = (struct cluster_view){
        .cluster_arn = names_cluster_arn(&ctx->config->names, cluster->name, ctx->arena),
        .cluster_name = cluster->name,
        .configuration = cluster->configuration,
        .status = enum_word(&cluster_status_names, (int)cluster->status),
        .registered_container_instances_count = opt_int_of(counts.instances),
        .running_tasks_count = opt_int_of(counts.running),
        .pending_tasks_count = opt_int_of(counts.pending),
        .active_services_count = opt_int_of(counts.services),
        .statistics = { LIST_NOTHING, 0 },
        .tags = SHOWN(cluster->tags),
        .settings = SHOWN(cluster->settings),
        .capacity_providers = SHOWN(cluster->capacity_providers),
        .default_capacity_provider_strategy = SHOWN(cluster->default_strategy),
        .service_connect_defaults = cluster->service_connect_defaults,
    };
    return view;
}
