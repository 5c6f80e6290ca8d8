/* changes.c: changes settings, configuration or capacity providers of an existing cluster. */
#include "api/capacity/providers.h"
#include "api/capacity/choice.h"
#include "api/capacity/machines.h"
#include "api/clusters/rules.h"
#include "api/handlers.h"
#include "api/schemas/clusters.h"

/* The reply to a change shows the attachments. They are there at once. */
static struct cluster_view *view_changed(struct op_ctx *ctx, const struct cluster *cluster)
{
    struct cluster_view *view = view_cluster(ctx, cluster);
    ASSERT(cluster->number > 0 && cluster->status == CLUSTER_ACTIVE);
    providers_add_attachments(ctx, cluster, view);
    return view;
}

/* Members that are left out do not change. An empty namespace removes the default of Service Connect. */
bool op_update_cluster(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct update_cluster_request *in = input;
    struct update_cluster_response *out = output;
    const struct cluster *known = support_cluster(ctx, in->cluster, err);
    if (known == NULL || !cluster_check_settings(&in->settings, err) || !cluster_check_configuration(in->configuration, err)) {
        return false;
    }

    struct cluster *cluster = arena_copy(ctx->arena, known, sizeof *known);
    if (in->settings.count > 0) { cluster->settings = in->settings; }
    if (in->configuration != NULL) { cluster->configuration = in->configuration; }
    if (in->service_connect_defaults != NULL) {
        cluster->service_connect_defaults = NULL;
        if (in->service_connect_defaults->namespace.len > 0) {
            cluster->service_connect_defaults = ARENA_NEW(ctx->arena, struct cluster_service_connect_defaults, 1);
            cluster->service_connect_defaults->namespace = in->service_connect_defaults->namespace;
        }
    }
    store_put_cluster(ctx->txn, cluster);
    out->cluster = view_changed(ctx, cluster);
    return true;
}

bool op_update_cluster_settings(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct update_cluster_settings_request *in = input;
    struct update_cluster_settings_response *out = output;
    const struct cluster *known = support_cluster(ctx, in->cluster, err);
    if (known == NULL || !cluster_check_settings(&in->settings, err)) { return false; }

    struct cluster *cluster = arena_copy(ctx->arena, known, sizeof *known);
    cluster->settings = in->settings;
    store_put_cluster(ctx->txn, cluster);
    out->cluster = view_changed(ctx, cluster);
    return true;
}

/* A provider that tasks or services of the cluster use stays. */
static bool check_left(struct op_ctx *ctx, const struct cluster *cluster, const struct str_list *names, struct err *err)
{
    for (size_t p = 0; p < cluster->capacity_providers.count; p++) {
        struct str name = cluster->capacity_providers.items[p];
        if (str_list_has(names, name) || !provider_is_busy(ctx, cluster->number, name)) { continue; }
        return err_set(err, ERR_RESOURCE_IN_USE, "The specified capacity provider is in use and cannot be removed.");
    }
    return true;
}

bool op_put_cluster_capacity_providers(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct put_cluster_capacity_providers_request *in = input;
    struct put_cluster_capacity_providers_response *out = output;
    const struct cluster *known = support_cluster(ctx, in->cluster, err);
    struct str_list names;
    if (known == NULL || !choice_check_weights(&in->default_capacity_provider_strategy, true, err)) { return false; }
    if (!providers_check(ctx, known, &in->capacity_providers, &names, err)
        || !cluster_check_default(&names, &in->default_capacity_provider_strategy, err) || !check_left(ctx, known, &names, err)) {
        return false;
    }
    struct cluster *cluster = arena_copy(ctx->arena, known, sizeof *known);
    cluster->capacity_providers = names;
    cluster->default_strategy = cluster_fill_default(ctx, &in->default_capacity_provider_strategy);
    store_put_cluster(ctx->txn, cluster);
    providers_serve(ctx, cluster, &names);
    out->cluster = view_changed(ctx, cluster);
    return true;
}
