/* providers.c: CreateCapacityProvider, UpdateCapacityProvider, DeleteCapacityProvider and DescribeCapacityProviders. A change is kept at once; the reply is
 * the one that ECS gives while the change goes on, and the next look at the provider says that it is done. */
#include "api/capacity/providers.h"

#include "api/capacity/choice.h"
#include "api/capacity/machines.h"
#include "api/capacity/requirements.h"
#include "api/capacity/rules.h"
#include "api/handlers.h"
#include "api/schemas/capacity.h"
#include "api/show/view.h"
#include "scheduler/queue/queue.h"

enum { PAGE_MOST = 10, SCALE_IN_AFTER_MAX = 3600, POOL_MOST = 1000, DRAIN_S = 7 * 24 * 3600 };      /* DRAIN_S: ECS's bound for draining managed instances */
static const struct str fargate[] = { STR_INIT("FARGATE"), STR_INIT("FARGATE_SPOT") };

struct str provider_arn(const struct names *names, struct str name, struct arena *arena)
{
    return arena_printf(arena, "arn:aws:ecs:" STR_FMT ":" STR_FMT ":capacity-provider/" STR_FMT, STR_ARG(names->region), STR_ARG(names->account),
                        STR_ARG(name));
}

const struct kept_provider *provider_find(struct op_ctx *ctx, struct str reference)
{
    struct str name = provider_name(reference);
    return names_is_valid(name) ? store_provider(ctx->txn, name, ctx->arena) : NULL;
}

static bool refuse_unknown(struct err *err)
{
    return err_set(err, ERR_CLIENT, "The specified capacity provider does not exist. Specify a valid name or ARN and try again.");
}

static bool is_fargate(struct str name) { return str_eq(name, fargate[0]) || str_eq(name, fargate[1]); }

/* ---- views ---- */

static struct capacity_provider view_of(struct op_ctx *ctx, const struct kept_provider *provider, bool tags)
{
    const struct cluster *cluster = provider->cluster == 0 ? NULL : support_kept_cluster_by_number(ctx, provider->cluster);
    return (struct capacity_provider){
        .capacity_provider_arn = provider_arn(&ctx->config->names, provider->name, ctx->arena), .name = provider->name,
        .cluster = cluster == NULL ? (struct str){ NULL, 0 } : cluster->name, .status = provider->status, .auto_scaling_group_provider = provider->group,
        .managed_instances_provider = provider->managed, .update_status = provider->update, .update_status_reason = provider->update_reason,
        .tags = tags && provider->tags.items != NULL ? provider->tags : (struct tag_list){ LIST_NOTHING, 0 },
        .type = provider->managed != NULL ? CAPACITY_PROVIDER_TYPE_MANAGED_INSTANCES : CAPACITY_PROVIDER_TYPE_EC2_AUTOSCALING,
    };
}

static struct capacity_provider *reply_of(struct op_ctx *ctx, const struct kept_provider *provider)
{
    struct capacity_provider *view = ARENA_NEW(ctx->arena, struct capacity_provider, 1);
    *view = view_of(ctx, provider, true);
    return view;
}

/* ---- checks ---- */

static bool check_name(struct str name, struct err *err)
{
    static const struct str reserved[] = { STR_INIT("aws"), STR_INIT("ecs"), STR_INIT("fargate") };
    if (!names_is_valid(name)) {
        return err_set(err, ERR_INVALID_PARAMETER, "The name of a capacity provider should have 1 to 255 letters, digits, hyphens and underscores.");
    }
    for (size_t r = 0; r < COUNT_OF(reserved); r++) {
        if (!str_eq_nocase(str_slice(name, 0, reserved[r].len), reserved[r])) { continue; }
        return err_set(err, ERR_INVALID_PARAMETER, "The name of a capacity provider can't begin with aws, ecs or fargate.");
    }
    return true;
}

/* Members that are not given keep those of `before`; without them they have ECS's defaults. */
static const struct managed_scaling *fill_scaling(struct op_ctx *ctx, const struct managed_scaling *given, const struct managed_scaling *before,
                                                  struct err *err)
{
    struct managed_scaling *filled = ARENA_NEW(ctx->arena, struct managed_scaling, 1);
    *filled = scaling_filled(before);
    if (before == NULL && given != NULL) { filled->status = MANAGED_SCALING_STATUS_ENABLED; }
    if (given != NULL && given->status != MANAGED_SCALING_STATUS_UNSET) { filled->status = given->status; }
    if (given != NULL && given->target_capacity.set) { filled->target_capacity = given->target_capacity; }
    if (given != NULL && given->minimum_scaling_step_size.set) { filled->minimum_scaling_step_size = given->minimum_scaling_step_size; }
    if (given != NULL && given->maximum_scaling_step_size.set) { filled->maximum_scaling_step_size = given->maximum_scaling_step_size; }
    if (given != NULL && given->instance_warmup_period.set) { filled->instance_warmup_period = given->instance_warmup_period; }
    if (filled->minimum_scaling_step_size.value <= filled->maximum_scaling_step_size.value) { return filled; }
    (void)err_set(err, ERR_INVALID_PARAMETER, "minimumScalingStepSize can't be greater than maximumScalingStepSize.");
    return NULL;
}

static bool check_protection(const struct auto_scaling_group_provider *group, const struct kept_pool *pool, struct err *err)
{
    if (group->managed_termination_protection != MANAGED_TERMINATION_PROTECTION_ENABLED) { return true; }
    bool scales = group->managed_scaling->status == MANAGED_SCALING_STATUS_ENABLED;
    if (!scales) {
        return err_set(err, ERR_CLIENT, "The managed termination protection setting for the capacity provider is invalid. To enable managed termination "
                       "protection for a capacity provider, managed scaling must be enabled.");
    }
    return pool->protects_new == OPT_TRUE
        || err_set(err, ERR_CLIENT, "The managed termination protection setting for the capacity provider is invalid. To enable managed termination protection "
                   "for a capacity provider, the Auto Scaling group must have instance protection from scale in enabled.");
}

/* "arn:…:autoScalingGroup:UUID:autoScalingGroupName/NAME", or the name. */
static const struct kept_pool *find_group(struct op_ctx *ctx, struct str reference, struct err *err)
{
    struct str name = provider_name(reference);
    const struct kept_pool *pool = name.len == 0 ? NULL : store_pool(ctx->txn, name, ctx->arena);
    if (pool != NULL && pool->kind == POOL_GROUP && !pool->removed) { return pool; }
    (void)err_set(err, ERR_CLIENT, "The specified Auto Scaling group ARN is not valid. Specify a valid Auto Scaling group ARN and try again.");
    return NULL;
}

static struct str group_arn(const struct names *names, const struct kept_pool *pool, struct arena *arena)
{
    return arena_printf(arena, "arn:aws:autoscaling:" STR_FMT ":" STR_FMT ":autoScalingGroup:" STR_FMT ":autoScalingGroupName/" STR_FMT, STR_ARG(names->region),
                        STR_ARG(names->account), STR_ARG(pool->id), STR_ARG(pool->name));
}

static bool is_used(struct op_ctx *ctx, struct str pool)
{
    struct kept_provider *providers;
    size_t count = store_list_providers(ctx->txn, &providers, ctx->arena);
    for (size_t p = 0; p < count; p++) {
        if (str_eq(providers[p].pool, pool)) { return true; }
    }
    return false;
}

/* ---- create ---- */

static bool fill_group(struct op_ctx *ctx, const struct auto_scaling_group_provider *given, struct kept_provider *provider, struct err *err)
{
    const struct kept_pool *pool = find_group(ctx, given->auto_scaling_group_arn, err);
    if (pool == NULL) { return false; }
    if (is_used(ctx, pool->name)) {
        return err_set(err, ERR_CLIENT, "The specified Auto Scaling group ARN is already being used by another capacity provider. Specify a unique Auto "
                       "Scaling group ARN and try again.");
    }
    const struct managed_scaling *scaling = fill_scaling(ctx, given->managed_scaling, NULL, err);
    if (scaling == NULL) { return false; }
    struct auto_scaling_group_provider *group = arena_copy(ctx->arena, given, sizeof *given);
    group->auto_scaling_group_arn = group_arn(&ctx->config->names, pool, ctx->arena);
    group->managed_scaling = arena_copy(ctx->arena, scaling, sizeof *scaling);
    if (group->managed_termination_protection == MANAGED_TERMINATION_PROTECTION_UNSET) {
        group->managed_termination_protection = MANAGED_TERMINATION_PROTECTION_DISABLED;
    }
    if (group->managed_draining == MANAGED_DRAINING_UNSET) { group->managed_draining = MANAGED_DRAINING_ENABLED; }
    provider->group = group;
    provider->pool = pool->name;
    return check_protection(group, pool, err);
}

static bool check_managed(struct op_ctx *ctx, const struct managed_instances_provider *managed, struct err *err)
{
    const struct instance_launch_template *template = managed->instance_launch_template;
    const struct infrastructure_optimization *optimization = managed->infrastructure_optimization;
    const struct opt_int after = optimization == NULL ? (struct opt_int){ 0, false } : optimization->scale_in_after;
    if (after.set && (after.value < -1 || after.value > SCALE_IN_AFTER_MAX)) {
        return err_set(err, ERR_INVALID_PARAMETER, "scaleInAfter should be between -1 and %d.", (int)SCALE_IN_AFTER_MAX);
    }
    if (template->network_configuration->subnets.count == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "instanceLaunchTemplate.networkConfiguration.subnets can't be empty.");
    }
    if (template->instance_requirements == NULL) { return true; }
    bool spot = template->capacity_option_type == CAPACITY_OPTION_TYPE_SPOT;
    struct requirements requirements = requirements_read(template->instance_requirements, spot, ctx->arena);
    return requirements_check(&requirements, err);
}

/* The pool of a managed instances provider has its name. */
static struct kept_pool managed_pool(struct op_ctx *ctx, const struct kept_provider *provider)
{
    char uuid[ID_UUID_LEN + 1];
    id_uuid(id_random(ctx->rng), uuid);
    return (struct kept_pool){
        .name = provider->name, .kind = POOL_MANAGED, .id = arena_str(ctx->arena, str_from(uuid)), .max = POOL_MOST, .cluster = provider->cluster,
        .created_ms = ctx->now_ms, .subnets = provider->managed->instance_launch_template->network_configuration->subnets,
    };
}

static bool fill_managed(struct op_ctx *ctx, const struct create_capacity_provider_request *in, struct kept_provider *provider, struct err *err)
{
    const struct create_managed_instances_provider_configuration *given = in->managed_instances_provider;
    if (!str_is_set(in->cluster)) { return err_set(err, ERR_INVALID_PARAMETER, "cluster must be given for a managed instances capacity provider."); }
    const struct cluster *cluster = support_cluster(ctx, in->cluster, err);
    if (cluster == NULL) { return false; }
    if (store_pool(ctx->txn, in->name, ctx->arena) != NULL) {
        return err_set(err, ERR_CLIENT, "An Auto Scaling group has the name " STR_FMT ": give the capacity provider another one.", STR_ARG(in->name));
    }
    struct managed_instances_provider *managed = ARENA_NEW(ctx->arena, struct managed_instances_provider, 1);
    *managed = (struct managed_instances_provider){
        .infrastructure_role_arn = given->infrastructure_role_arn, .instance_launch_template = given->instance_launch_template,
        .propagate_tags = given->propagate_tags == PROPAGATE_MI_TAGS_UNSET ? PROPAGATE_MI_TAGS_NONE : given->propagate_tags,
        .infrastructure_optimization = given->infrastructure_optimization, .auto_repair_configuration = given->auto_repair_configuration,
    };
    struct instance_launch_template *template = arena_copy(ctx->arena, managed->instance_launch_template, sizeof *template);
    if (template->capacity_option_type == CAPACITY_OPTION_TYPE_UNSET) { template->capacity_option_type = CAPACITY_OPTION_TYPE_ON_DEMAND; }
    managed->instance_launch_template = template;
    provider->managed = managed;
    provider->cluster = cluster->number;
    provider->pool = in->name;
    return check_managed(ctx, managed, err);
}

bool op_create_capacity_provider(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct create_capacity_provider_request *in = input;
    struct create_capacity_provider_response *out = output;
    struct kept_provider *providers, provider = { .name = in->name, .tags = in->tags, .created_ms = ctx->now_ms };
    if (!check_name(in->name, err) || !rules_check_tags(&in->tags, &in->tags, err)) { return false; }
    if ((in->auto_scaling_group_provider != NULL) == (in->managed_instances_provider != NULL)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Exactly one of autoScalingGroupProvider and managedInstancesProvider must be specified.");
    }
    if (in->auto_scaling_group_provider != NULL && str_is_set(in->cluster)) {
        return err_set(err, ERR_INVALID_PARAMETER, "cluster is for managed instances capacity providers only: an Auto Scaling group's belongs to no cluster.");
    }
    if (store_provider(ctx->txn, in->name, ctx->arena) != NULL) {
        return err_set(err, ERR_CLIENT, "The specified capacity provider already exists. To change the configuration of an existing capacity provider, update "
                       "the capacity provider.");
    }
    if (store_list_providers(ctx->txn, &providers, ctx->arena) >= PROVIDERS_MAX) {
        return err_set(err, ERR_LIMIT_EXCEEDED, "There can be at most %d capacity providers.", (int)PROVIDERS_MAX);
    }
    bool grouped = in->auto_scaling_group_provider != NULL;
    if (grouped ? !fill_group(ctx, in->auto_scaling_group_provider, &provider, err) : !fill_managed(ctx, in, &provider, err)) { return false; }
    provider_begin(&provider, ctx->now_ms);
    store_put_provider(ctx->txn, &provider);
    if (grouped) {
        pools_touch(ctx, provider.pool);
    } else {
        struct kept_pool pool = managed_pool(ctx, &provider);
        pools_put(ctx, &pool);
    }
    out->capacity_provider = reply_of(ctx, &provider);
    return true;
}

/* ---- update ---- */

static bool update_group(struct op_ctx *ctx, const struct auto_scaling_group_provider_update *given, struct kept_provider *provider, struct err *err)
{
    struct auto_scaling_group_provider *group = arena_copy(ctx->arena, provider->group, sizeof *group);
    const struct managed_scaling *scaling = fill_scaling(ctx, given->managed_scaling, group->managed_scaling, err);
    const struct kept_pool *pool = store_pool(ctx->txn, provider->pool, ctx->arena);
    if (scaling == NULL) { return false; }
    group->managed_scaling = arena_copy(ctx->arena, scaling, sizeof *scaling);
    if (given->managed_termination_protection != MANAGED_TERMINATION_PROTECTION_UNSET) {
        group->managed_termination_protection = given->managed_termination_protection;
    }
    if (given->managed_draining != MANAGED_DRAINING_UNSET) { group->managed_draining = given->managed_draining; }
    provider->group = group;
    return pool == NULL || check_protection(group, pool, err);
}

/* Members of the template that are left out stay. */
static bool update_managed(struct op_ctx *ctx, const struct update_managed_instances_provider_configuration *given, struct kept_provider *provider,
                           struct err *err)
{
    const struct instance_launch_template_update *from = given->instance_launch_template;
    struct managed_instances_provider *managed = arena_copy(ctx->arena, provider->managed, sizeof *managed);
    struct instance_launch_template *template = arena_copy(ctx->arena, managed->instance_launch_template, sizeof *template);
    if (str_is_set(from->ec2_instance_profile_arn)) { template->ec2_instance_profile_arn = from->ec2_instance_profile_arn; }
    if (from->network_configuration != NULL) { template->network_configuration = from->network_configuration; }
    if (from->storage_configuration != NULL) { template->storage_configuration = from->storage_configuration; }
    if (from->local_storage_configuration != NULL) { template->local_storage_configuration = from->local_storage_configuration; }
    if (from->monitoring != MANAGED_INSTANCES_MONITORING_OPTIONS_UNSET) { template->monitoring = from->monitoring; }
    if (from->instance_metadata_tags_propagation != OPT_UNSET) { template->instance_metadata_tags_propagation = from->instance_metadata_tags_propagation; }
    if (from->instance_requirements != NULL) { template->instance_requirements = from->instance_requirements; }
    if (from->capacity_reservations != NULL) { template->capacity_reservations = from->capacity_reservations; }
    managed->infrastructure_role_arn = given->infrastructure_role_arn;
    managed->instance_launch_template = template;
    if (given->propagate_tags != PROPAGATE_MI_TAGS_UNSET) { managed->propagate_tags = given->propagate_tags; }
    if (given->infrastructure_optimization != NULL) { managed->infrastructure_optimization = given->infrastructure_optimization; }
    if (given->auto_repair_configuration != NULL) { managed->auto_repair_configuration = given->auto_repair_configuration; }
    provider->managed = managed;
    return check_managed(ctx, managed, err);
}

/* As ECS: the reply has the values of before, and the next look at pools completes the change. */
bool op_update_capacity_provider(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct update_capacity_provider_request *in = input;
    struct update_capacity_provider_response *out = output;
    const struct kept_provider *known = provider_find(ctx, in->name);
    if (known == NULL) { return refuse_unknown(err); }
    struct kept_provider provider = *known, shown = *known;
    if (provider.managed != NULL && in->managed_instances_provider != NULL && !str_is_set(in->cluster)) {
        return err_set(err, ERR_INVALID_PARAMETER, "cluster must be given for a managed instances capacity provider.");
    }
    if ((provider.group != NULL && in->auto_scaling_group_provider == NULL) || (provider.managed != NULL && in->managed_instances_provider == NULL)) {
        return err_set(err, ERR_INVALID_PARAMETER, "%s must be given: the capacity provider is of that kind.",
                       provider.group != NULL ? "autoScalingGroupProvider" : "managedInstancesProvider");
    }
    if (provider.status != CAPACITY_PROVIDER_STATUS_ACTIVE) {
        return err_set(err, ERR_UPDATE_IN_PROGRESS, "The capacity provider is being %s.",
                       provider.status == CAPACITY_PROVIDER_STATUS_PROVISIONING ? "created" : "deleted");
    }
    bool good = provider.group != NULL ? update_group(ctx, in->auto_scaling_group_provider, &provider, err)
                                       : update_managed(ctx, in->managed_instances_provider, &provider, err);
    if (!good) { return false; }
    provider_change(&provider, ctx->now_ms);
    store_put_provider(ctx->txn, &provider);
    pools_touch(ctx, provider.pool);
    pools_look(ctx);
    shown.update = CAPACITY_PROVIDER_UPDATE_STATUS_UPDATE_IN_PROGRESS;
    out->capacity_provider = reply_of(ctx, &shown);
    return true;
}

/* ---- delete ---- */

static const struct cluster *cluster_with(struct op_ctx *ctx, struct str provider)
{
    enum { PAGE = 100 };
    struct str names[PAGE], after = { NULL, 0 };
    for (size_t count = PAGE; count == PAGE;) {
        count = store_list_clusters(ctx->txn, after, names, PAGE, ctx->arena);
        for (size_t n = 0; n < count; n++) {
            const struct cluster *cluster = store_cluster(ctx->txn, names[n], ctx->arena);
            if (cluster != NULL && cluster->status == CLUSTER_ACTIVE && str_list_has(&cluster->capacity_providers, provider)) { return cluster; }
        }
        if (count > 0) { after = names[count - 1]; }
    }
    return NULL;
}

/* The machines of a managed instances provider end first, when their tasks have ended or the time for that is over. True: there are some. */
static bool end_machines(struct op_ctx *ctx, const struct kept_provider *provider)
{
    struct kept_machine *machines;
    const struct kept_pool *pool = store_pool(ctx->txn, provider->pool, ctx->arena);
    size_t count = pool == NULL ? 0 : store_list_machines(ctx->txn, provider->pool, &machines, ctx->arena);
    if (pool == NULL) { return false; }
    struct kept_pool ending = *pool;
    ending.min = ending.max = ending.desired = 0;
    ending.removed = OPT_TRUE;
    ending.drain_s = pool->drain_s > DRAIN_S ? pool->drain_s : DRAIN_S;
    pools_put(ctx, &ending);
    for (size_t m = 0; m < count; m++) {
        if (machine_stays(&machines[m])) { machine_end(ctx, &ending, &machines[m], STR("its capacity provider was deleted")); }
    }
    return count > 0;
}

bool op_delete_capacity_provider(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_capacity_provider_request *in = input;
    struct delete_capacity_provider_response *out = output;
    if (is_fargate(provider_name(in->capacity_provider))) {
        return err_set(err, ERR_CLIENT, "The specified capacity provider is reserved and can't be deleted.");
    }
    const struct kept_provider *known = provider_find(ctx, in->capacity_provider);
    if (known == NULL) { return refuse_unknown(err); }
    if (known->status == CAPACITY_PROVIDER_STATUS_DEPROVISIONING) {
        out->capacity_provider = reply_of(ctx, known);
        return true;
    }
    const struct cluster *cluster = cluster_with(ctx, known->name);
    if (cluster != NULL) {
        return err_set(err, ERR_CLIENT, "The capacity provider is in use by the cluster " STR_FMT " and can't be deleted. Remove it from the cluster and "
                       "try again.", STR_ARG(cluster->name));
    }
    struct provider_daemon *daemons = ARENA_NEW(ctx->arena, struct provider_daemon, CLUSTER_DAEMONS_MAX);
    if (known->managed != NULL && provider_daemons(ctx->txn, known->cluster, known->name, daemons, ctx->arena) > 0) {
        return err_set(err, ERR_CLIENT, "The capacity provider is in use by the daemon " STR_FMT " and can't be deleted. Update or delete the daemon and "
                       "try again.", STR_ARG(daemons[0].name));
    }
    const struct service *service = provider_service(ctx, 0, known->name);
    if (service != NULL) {
        return err_set(err, ERR_CLIENT, "The capacity provider is in use by the service " STR_FMT " and can't be deleted. Update or delete the service and try "
                       "again.", STR_ARG(service->name));
    }
    struct kept_provider shown = *known, left = *known;
    if (known->managed != NULL && end_machines(ctx, known)) {
        provider_leave(&left);
        store_put_provider(ctx->txn, &left);
    } else {
        store_drop_provider(ctx->txn, known->name);
    }
    shown.update = CAPACITY_PROVIDER_UPDATE_STATUS_DELETE_IN_PROGRESS;
    out->capacity_provider = reply_of(ctx, &shown);
    return true;
}

/* ---- describe ---- */

static struct capacity_provider view_fargate(struct op_ctx *ctx, size_t f)
{
    return (struct capacity_provider){
        .capacity_provider_arn = provider_arn(&ctx->config->names, fargate[f], ctx->arena), .name = fargate[f],
        .status = CAPACITY_PROVIDER_STATUS_ACTIVE, .tags = { LIST_NOTHING, 0 },
        .type = f == 0 ? CAPACITY_PROVIDER_TYPE_FARGATE : CAPACITY_PROVIDER_TYPE_FARGATE_SPOT,
    };
}

static bool wants_tags(const struct describe_capacity_providers_request *in)
{
    for (size_t i = 0; i < in->include.count; i++) {
        if (in->include.items[i] == CAPACITY_PROVIDER_FIELD_TAGS) { return true; }
    }
    return false;
}

static void describe_named(struct op_ctx *ctx, const struct describe_capacity_providers_request *in, struct describe_capacity_providers_response *out)
{
    for (size_t n = 0; n < in->capacity_providers.count; n++) {
        struct str reference = in->capacity_providers.items[n], name = provider_name(reference);
        const struct kept_provider *provider = provider_find(ctx, reference);
        if (is_fargate(name)) {
            out->capacity_providers.items[out->capacity_providers.count++] = view_fargate(ctx, str_eq(name, fargate[1]));
        } else if (provider != NULL) {
            out->capacity_providers.items[out->capacity_providers.count++] = view_of(ctx, provider, wants_tags(in));
        } else {
            out->failures.items[out->failures.count++] = view_missing(reference, provider_arn(&ctx->config->names, name, ctx->arena));
        }
    }
}

/* FARGATE, FARGATE_SPOT, and then the others by name. */
static void describe_page(struct op_ctx *ctx, const struct describe_capacity_providers_request *in, const struct cluster *cluster, struct str after,
                          struct describe_capacity_providers_response *out)
{
    struct kept_provider *providers;
    size_t count = store_list_providers(ctx->txn, &providers, ctx->arena), limit = in->max_results.set ? (size_t)in->max_results.value : PAGE_MOST, f = 0;
    while (str_is_set(after) && f < COUNT_OF(fargate) && !(f > 0 && str_eq(after, fargate[f - 1]))) { f++; }
    for (; f < COUNT_OF(fargate); f++) {
        if (out->capacity_providers.count == limit) {
            out->next_token = paging_token(ctx, STR("DescribeCapacityProviders"), fargate[f - 1]);
            return;
        }
        out->capacity_providers.items[out->capacity_providers.count++] = view_fargate(ctx, f);
    }
    bool goes_on = str_is_set(after) && !is_fargate(after);
    struct str last = goes_on ? after : STR(""), shown = goes_on ? after : fargate[COUNT_OF(fargate) - 1];
    for (size_t p = 0; p < count; p++) {
        bool is_asked = cluster == NULL || providers[p].cluster == cluster->number || str_list_has(&cluster->capacity_providers, providers[p].name);
        if (!is_asked || str_cmp(providers[p].name, last) <= 0) { continue; }
        if (out->capacity_providers.count == limit) {
            out->next_token = paging_token(ctx, STR("DescribeCapacityProviders"), shown);
            return;
        }
        out->capacity_providers.items[out->capacity_providers.count++] = view_of(ctx, &providers[p], wants_tags(in));
        last = shown = providers[p].name;
    }
}

bool op_describe_capacity_providers(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_capacity_providers_request *in = input;
    struct describe_capacity_providers_response *out = output;
    const struct cluster *cluster = str_is_set(in->cluster) ? support_cluster(ctx, in->cluster, err) : NULL;
    struct str after;
    if (str_is_set(in->cluster) && cluster == NULL) { return false; }
    if (!paging_position(ctx, STR("DescribeCapacityProviders"), in->next_token, &after, err)) { return false; }
    size_t most = in->capacity_providers.count + PAGE_MOST + COUNT_OF(fargate);
    out->capacity_providers = (struct capacity_provider_list){ ARENA_NEW(ctx->arena, struct capacity_provider, most), 0 };
    out->failures = (struct failure_list){ ARENA_NEW(ctx->arena, struct failure, in->capacity_providers.count + 1), 0 };
    if (in->capacity_providers.count > 0) {
        describe_named(ctx, in, out);
    } else {
        describe_page(ctx, in, cluster, after, out);
    }
    return true;
}

/* ---- for clusters ---- */

bool providers_check(struct op_ctx *ctx, const struct cluster *cluster, const struct str_list *given, struct str_list *names, struct err *err)
{
    *names = (struct str_list){ ARENA_NEW(ctx->arena, struct str, given->count + 1), 0 };
    if (given->count > PROVIDERS_OF_CLUSTER_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "The maximum number of capacity providers per cluster has been exceeded.");
    }
    for (size_t g = 0; g < given->count; g++) {
        struct str name = provider_name(given->items[g]);
        if (is_fargate(name)) {
            return err_set(err, ERR_CLIENT, "Capacity provider " STR_FMT " is not available: Berth runs tasks on the machines that are registered with it.",
                           STR_ARG(name));
        }
        const struct kept_provider *provider = provider_find(ctx, given->items[g]);
        if (provider == NULL) { return refuse_unknown(err); }
        if (provider->status != CAPACITY_PROVIDER_STATUS_ACTIVE) {
            return err_set(err, ERR_INVALID_PARAMETER, "The specified capacity provider '" STR_FMT "' is not in an ACTIVE state. Specify a valid capacity "
                           "provider and try again.", STR_ARG(name));
        }
        if (provider->managed != NULL && (cluster == NULL || provider->cluster != cluster->number)) {
            return err_set(err, ERR_INVALID_PARAMETER, "The capacity provider " STR_FMT " belongs to another cluster.", STR_ARG(name));
        }
        const struct cluster *other = provider->managed != NULL ? NULL : cluster_with(ctx, name);
        bool elsewhere = other != NULL && (cluster == NULL || other->number != cluster->number);
        if (elsewhere && provider_scales(provider)) {
            return err_set(err, ERR_INVALID_PARAMETER, "The capacity provider " STR_FMT " has managed scaling and serves the cluster " STR_FMT
                           ": it can serve one cluster only.", STR_ARG(name), STR_ARG(other->name));
        }
        if (!str_list_has(names, name)) { names->items[names->count++] = name; }
    }
    return true;
}

struct naming { struct op_ctx *ctx; int64_t cluster; struct str name; const struct service *found; };

static bool names(struct naming *naming, int64_t service, int64_t digits)
{
    const struct service_revision *revision = store_service_revision(naming->ctx->txn, service, digits, naming->ctx->arena);
    for (size_t i = 0; revision != NULL && i < revision->capacity_provider_strategy.count; i++) {
        if (str_eq(provider_name(revision->capacity_provider_strategy.items[i].capacity_provider), naming->name)) { return true; }
    }
    return false;
}

/* Its PRIMARY, and its task sets. Old deployments end soon. */
static void visit_service(void *context, const struct service *service)
{
    struct naming *naming = context;
    struct op_ctx *ctx = naming->ctx;
    struct kept_deployment *deployments;
    bool counts = service->status == SERVICE_ACTIVE && (naming->cluster == 0 || naming->cluster == service->cluster_number);
    if (!counts || naming->found != NULL) { return; }
    bool found = names(naming, service->number, service->revision);
    size_t count = service->controller != DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL ? 0 : store_list_deployments(ctx->txn, service->number, &deployments, ctx->arena);
    for (size_t d = 0; d < count && !found; d++) { found = names(naming, service->number, deployments[d].digits); }
    if (found) { naming->found = store_service(ctx->txn, service->number, ctx->arena); }
}

const struct service *provider_service(struct op_ctx *ctx, int64_t cluster, struct str name)
{
    struct naming naming = { ctx, cluster, name, NULL };
    store_scan_services(ctx->txn, visit_service, &naming);
    return naming.found;
}

bool provider_is_busy(struct op_ctx *ctx, int64_t cluster, struct str name)
{
    enum { PAGE = 256 };
    struct id ids[PAGE], after = { { 0 } }, *tasks;
    for (size_t count = PAGE; count == PAGE;) {
        count = store_list_instances(ctx->txn, cluster, INSTANCE_STATUS_UNSET, after, ids, PAGE);
        for (size_t i = 0; i < count; i++) {
            const struct instance *instance = store_instance(ctx->txn, ids[i], ctx->arena);
            after = ids[i];
            if (instance == NULL || !str_eq(instance->capacity_provider, name)) { continue; }
            if (store_tasks_on_instance(ctx->txn, ids[i], &tasks, ctx->arena) > 0) { return true; }
        }
    }
    return queue_waits_for(sched_queue(ctx->world), cluster, provider_hash(name)) || provider_service(ctx, cluster, name) != NULL;
}

/* One whose last machine has gone is removed; one that was made or changed is ready. */
void providers_settle(struct op_ctx *ctx)
{
    struct kept_provider *providers;
    size_t count = store_list_providers(ctx->txn, &providers, ctx->arena);
    for (size_t p = 0; p < count; p++) {
        if (provider_settle(&providers[p], ctx->now_ms)) { store_put_provider(ctx->txn, &providers[p]); }
        bool is_over = providers[p].status == CAPACITY_PROVIDER_STATUS_DEPROVISIONING && store_pool(ctx->txn, providers[p].pool, ctx->arena) == NULL;
        if (is_over) { store_drop_provider(ctx->txn, providers[p].name); }
    }
}
