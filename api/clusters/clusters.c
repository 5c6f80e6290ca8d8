/* clusters.c: create, describe and list clusters. */
#include "api/capacity/machines.h"
#include "api/core/binding.h"
#include "api/core/placement.h"
#include "api/capacity/providers.h"
#include "api/clusters/rules.h"
#include "api/handlers.h"
#include "api/schemas/clusters.h"
#include "api/clusters/settings.h"

#define CLUSTER_DEFAULT STR_INIT("default")

/* ---- create ---- */

static bool check_name(struct str name, struct err *err)
{
    if (names_is_valid(name)) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was " STR_FMT,
                   STR_ARG(str_slice(name, 0, 300)));
}

/* ---- the same request again ---- */

static bool configuration_eq(struct arena *arena, const struct cluster_configuration *a, const struct cluster_configuration *b)
{
    if (a == NULL || b == NULL) { return a == b; }
    struct buf left = buf_in(arena), right = buf_in(arena);
    schema_pack(&cluster_configuration_schema, a, &left);
    schema_pack(&cluster_configuration_schema, b, &right);
    return str_eq(buf_str(&left), buf_str(&right));
}

/* Keys are unique on both sides, so the sets are equal when the counts are equal and each tag is found. */
static bool tags_eq(const struct tag_list *a, const struct tag_list *b)
{
    if (a->count != b->count) { return false; }
    for (size_t i = 0; i < a->count; i++) {
        bool found = false;
        for (size_t j = 0; j < b->count; j++) {
            found = found || (str_eq(a->items[i].key, b->items[j].key) && str_eq(a->items[i].value, b->items[j].value));
        }
        if (!found) { return false; }
    }
    return true;
}

/* A member that is left out agrees with any value: an agent that makes sure that its cluster exists only names it. */
static bool check_consistent(struct op_ctx *ctx, const struct create_cluster_request *in, const struct cluster *cluster, struct err *err)
{
    bool same = true;
    if (in->settings.count > 0) {
        same = cluster->settings.count == in->settings.count
            && str_eq(cluster->settings.items[0].value, in->settings.items[0].value);
    }
    if (in->configuration != NULL) { same = same && configuration_eq(ctx->arena, in->configuration, cluster->configuration); }
    if (in->service_connect_defaults != NULL) {
        same = same && cluster->service_connect_defaults != NULL
            && str_eq(in->service_connect_defaults->namespace, cluster->service_connect_defaults->namespace);
    }
    if (in->tags.count > 0) { same = same && tags_eq(&in->tags, &cluster->tags); }
    if (same) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER,
                   "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).");
}

/* Also for the name of a deleted cluster: the new cluster has a new number and shows nothing of the old one. */
static struct cluster *make_cluster(struct op_ctx *ctx, const struct create_cluster_request *in, const struct str_list *providers, struct str name)
{
    struct cluster *cluster = ARENA_NEW(ctx->arena, struct cluster, 1);
    *cluster = (struct cluster){
        .name = name, .settings = in->settings, .configuration = in->configuration, .tags = in->tags, .capacity_providers = *providers,
        .default_strategy = cluster_fill_default(ctx, &in->default_capacity_provider_strategy),
    };
    cluster_become(cluster, CLUSTER_ACTIVE, ctx->now_ms);
    if (cluster->settings.count == 0) {
        cluster->settings.items = ARENA_NEW(ctx->arena, struct cluster_setting, 1);
        cluster->settings.items[0] = (struct cluster_setting){
            CLUSTER_SETTING_NAME_CONTAINERINSIGHTS, settings_effective(ctx, SETTING_NAME_CONTAINERINSIGHTS),
        };
        cluster->settings.count = 1;
    }
    ASSERT(cluster->settings.items[0].value.len > 0);
    if (in->service_connect_defaults != NULL) {
        cluster->service_connect_defaults = ARENA_NEW(ctx->arena, struct cluster_service_connect_defaults, 1);
        cluster->service_connect_defaults->namespace = in->service_connect_defaults->namespace;
    }
    return cluster;
}

/* An agent makes the default cluster when it is missing and the agent has no other cluster's name. */
static bool may_make(struct op_ctx *ctx, struct str name, struct err *err)
{
    if (ctx->caller.role != ACCESS_AGENT || str_eq(name, (struct str)CLUSTER_DEFAULT)) { return true; }
    const struct denial denial = {
        .action = STR("ecs:CreateCluster"), .resource = names_cluster_arn(&ctx->config->names, name, ctx->arena),
        .reason = STR("an agent's key makes no other cluster than default"),
    };
    return caller_deny(&ctx->config->names, &ctx->caller, &denial, ctx->arena, err);
}

bool op_create_cluster(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct create_cluster_request *in = input;
    struct create_cluster_response *out = output;
    struct str name = str_is_set(in->cluster_name) ? in->cluster_name : (struct str)CLUSTER_DEFAULT;
    if (!check_name(name, err) || !binding_check_cluster(ctx, name, err) || !cluster_check_settings(&in->settings, err)
        || !cluster_check_configuration(in->configuration, err) || !support_check_tags(&in->tags, TAGGED_CLUSTER, err)) {
        return false;
    }

    const struct cluster *known = store_cluster(ctx->txn, name, ctx->arena);
    bool is_there = known != NULL && known->status != CLUSTER_INACTIVE;
    if (!is_there && !may_make(ctx, name, err)) { return false; }
    struct str_list providers;
    if (!providers_check(ctx, is_there ? known : NULL, &in->capacity_providers, &providers, err)
        || !cluster_check_default(&providers, &in->default_capacity_provider_strategy, err)) {
        return false;
    }
    if (is_there) {
        if (!check_consistent(ctx, in, known, err)) { return false; }
        out->cluster = view_cluster(ctx, known);
        return true;
    }
    struct cluster *cluster = make_cluster(ctx, in, &providers, name);
    store_put_cluster(ctx->txn, cluster);
    placement_put_cluster_tags(ctx, cluster);
    providers_serve(ctx, cluster, &providers);
    out->cluster = view_cluster(ctx, cluster);
    if (providers.count > 0) { providers_add_attachments(ctx, cluster, out->cluster); }
    return true;
}

/* ---- describe ---- */

static bool wants(const struct describe_clusters_request *in, enum cluster_field field)
{
    for (size_t i = 0; i < in->include.count; i++) {
        if (in->include.items[i] == (int)field) { return true; }
    }
    return false;
}

/* All tasks run on machines that their owner registered: ECS counts them as EC2. */
static struct key_value_pair_list statistics(struct op_ctx *ctx, const struct cluster *cluster)
{
    const struct cluster_counts counts = store_cluster_counts(ctx->txn, cluster->number);
    const struct { struct str name; int64_t value; } rows[] = {
        { STR_INIT("runningEC2TasksCount"),        counts.running },
        { STR_INIT("runningFargateTasksCount"),    0 },
        { STR_INIT("pendingEC2TasksCount"),        counts.pending },
        { STR_INIT("pendingFargateTasksCount"),    0 },
        { STR_INIT("activeEC2ServiceCount"),       counts.services },
        { STR_INIT("activeFargateServiceCount"),   0 },
        { STR_INIT("drainingEC2ServiceCount"),     counts.draining_services },
        { STR_INIT("drainingFargateServiceCount"), 0 },
    };
    struct key_value_pair_list list = { ARENA_NEW(ctx->arena, struct key_value_pair, COUNT_OF(rows)), COUNT_OF(rows) };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        list.items[r].name = rows[r].name;
        list.items[r].value = arena_printf(ctx->arena, "%lld", (long long)rows[r].value);
    }
    return list;
}

/* Without its flag, such a member is empty or absent. */
static void add_view(struct op_ctx *ctx, const struct describe_clusters_request *in, const struct cluster *cluster,
                     struct cluster_view_list *views)
{
    struct cluster_view *view = view_cluster(ctx, cluster);
    if (!wants(in, CLUSTER_FIELD_SETTINGS)) { view->settings.count = 0; }
    if (!wants(in, CLUSTER_FIELD_TAGS)) { view->tags.count = 0; }
    if (!wants(in, CLUSTER_FIELD_CONFIGURATIONS)) { view->configuration = NULL; }
    if (wants(in, CLUSTER_FIELD_STATISTICS)) { view->statistics = statistics(ctx, cluster); }
    if (wants(in, CLUSTER_FIELD_ATTACHMENTS)) { providers_add_attachments(ctx, cluster, view); }
    ASSERT(view->status.len > 0);
    views->items[views->count] = *view;
    views->count++;
}

/* The ARN of the request, or, for a name, the ARN that its cluster would have. */
static void add_missing(struct op_ctx *ctx, struct str reference, struct str name, struct failure_list *failures)
{
    struct str arn = names_cluster_arn(&ctx->config->names, name, ctx->arena);
    if (str_starts_with(reference, STR("arn:"))) { arn = reference; }
    failures->items[failures->count] = (struct failure){ .arn = arn, .reason = STR("MISSING") };
    failures->count++;
}

/* The requested names, each once. */
static bool read_names(struct op_ctx *ctx, const struct str_list *references, struct str_list *names, struct err *err)
{
    names->items = ARENA_NEW(ctx->arena, struct str, references->count);
    for (size_t r = 0; r < references->count; r++) {
        if (str_trim(references->items[r]).len == 0) {
            return err_set(err, ERR_INVALID_PARAMETER, "Clusters can not be blank.");
        }
        if (!names_read_cluster(&ctx->config->names, references->items[r], &names->items[r], err)) { return false; }
    }
    names->count = references->count;
    return true;
}

static bool seen_before(const struct str_list *names, size_t index)
{
    return str_list_has(&(struct str_list){ names->items, index }, names->items[index]);
}

bool op_describe_clusters(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_clusters_request *in = input;
    struct describe_clusters_response *out = output;
    static const struct str default_name = CLUSTER_DEFAULT;
    struct str_list references = in->clusters, names = { 0 };
    if (references.count == 0) {
        references.items = arena_copy(ctx->arena, &default_name, sizeof default_name);
        references.count = 1;
    }
    if (!read_names(ctx, &references, &names, err)) { return false; }
    for (size_t n = 0; n < names.count; n++) {
        if (!binding_check_cluster(ctx, names.items[n], err)) { return false; }
    }

    out->clusters.items = ARENA_NEW(ctx->arena, struct cluster_view, names.count);
    out->failures.items = ARENA_NEW(ctx->arena, struct failure, names.count);
    for (size_t n = 0; n < names.count; n++) {
        if (seen_before(&names, n)) { continue; }
        const struct cluster *cluster = store_cluster(ctx->txn, names.items[n], ctx->arena);
        if (cluster == NULL) {
            add_missing(ctx, references.items[n], names.items[n], &out->failures);
        } else {
            add_view(ctx, in, cluster, &out->clusters);
        }
    }
    ASSERT(out->clusters.count + out->failures.count <= names.count);
    return true;
}

/* ---- list ---- */

/* Up to `limit` ACTIVE names after `after`; deleted clusters have a record but are not listed. */
static size_t list_active(struct op_ctx *ctx, struct str after, struct str *names, size_t limit)
{
    struct str *page = ARENA_NEW(ctx->arena, struct str, limit);
    size_t count = 0;
    for (;;) {
        size_t found = store_list_clusters(ctx->txn, after, page, limit, ctx->arena);
        for (size_t f = 0; f < found; f++) {
            const struct cluster *cluster = store_cluster(ctx->txn, page[f], ctx->arena);
            after = page[f];
            if (cluster == NULL || cluster->status == CLUSTER_INACTIVE) { continue; }
            names[count] = page[f];
            count++;
            if (count == limit) { return count; }
        }
        if (found < limit) { return count; }
    }
}

bool op_list_clusters(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_clusters_request *in = input;
    struct list_clusters_response *out = output;
    struct str list = STR("ListClusters"), after;
    if (!paging_position(ctx, list, in->next_token, &after, err)) { return false; }

    /* One name more than a page shows tells whether there is a next page. */
    size_t limit = support_page_limit(in->max_results);
    struct str *names = ARENA_NEW(ctx->arena, struct str, limit + 1);
    size_t found = list_active(ctx, after, names, limit + 1);
    ASSERT(found <= limit + 1);
    size_t shown = found > limit ? limit : found;
    if (found > limit) { out->next_token = paging_token(ctx, list, names[shown - 1]); }
    out->cluster_arns.items = ARENA_NEW(ctx->arena, struct str, shown);
    out->cluster_arns.count = shown;
    for (size_t n = 0; n < shown; n++) {
        out->cluster_arns.items[n] = names_cluster_arn(&ctx->config->names, names[n], ctx->arena);
    }
    return true;
}
