/* resources.c: the parts that Berth makes for an Express service, as DescribeServiceRevisions shows them. A part is active from its first moment on. */
#include "api/express/express.h"
#include "api/scaling/scaling.h"
#include "api/traffic/traffic.h"

#define ACTIVE_SINCE(updated_ms) .status = MANAGED_RESOURCE_STATUS_ACTIVE, .updated_at = (updated_ms)

/* ---- load balancing ---- */

static struct managed_load_balancer *balancer_view(struct op_ctx *ctx, const struct kept_balancer *kept)
{
    const struct elb_balancer *balancer = kept->balancer;
    struct managed_load_balancer *view = ARENA_NEW(ctx->arena, struct managed_load_balancer, 1);
    *view = (struct managed_load_balancer){
        .arn = traffic_balancer_arn(&ctx->config->names, kept, ctx->arena), .scheme = enum_word(&elb_scheme_names, (int)balancer->scheme),
        .subnet_ids = { ARENA_NEW(ctx->arena, struct str, balancer->availability_zones.count + 1), balancer->availability_zones.count },
        .security_group_ids = balancer->security_groups, ACTIVE_SINCE(balancer->created_ms),
    };
    for (size_t z = 0; z < view->subnet_ids.count; z++) { view->subnet_ids.items[z] = balancer->availability_zones.items[z].subnet_id; }
    return view;
}

static struct managed_certificate *certificate_view(struct op_ctx *ctx, const struct gateway_parts *parts, int64_t updated_ms)
{
    const struct elb_certificate_list *certificates = &parts->listener->listener->certificates;
    if (certificates->count == 0) { return NULL; }
    struct managed_certificate *view = ARENA_NEW(ctx->arena, struct managed_certificate, 1);
    *view = (struct managed_certificate){ .arn = certificates->items[0].certificate_arn, .domain_name = parts->host, ACTIVE_SINCE(updated_ms) };
    return view;
}

static void add_group(struct op_ctx *ctx, struct str arn, struct managed_target_group_list *list)
{
    int64_t check_port = 0;
    const struct kept_group *kept = traffic_group(ctx, arn);
    if (kept == NULL) { return; }
    bool own_port = str_to_i64(kept->group->health_check_port, &check_port);         /* else it is "traffic-port" */
    list->items[list->count++] = (struct managed_target_group){
        .arn = arn, .health_check_path = kept->group->health_check_path, .port = kept->group->port,
        .health_check_port = own_port ? opt_int_of(check_port) : kept->group->port, ACTIVE_SINCE(kept->created_ms),
    };
}

static void add_path(struct op_ctx *ctx, const struct load_balancer *balancer, int64_t updated_ms, struct managed_ingress_path_list *paths)
{
    const struct names *names = &ctx->config->names;
    struct gateway_parts parts;
    if (!gateway_find(ctx, balancer, &parts)) { return; }
    struct str kind = traffic_balancer_kind(parts.balancer->balancer);
    struct managed_ingress_path *path = &paths->items[paths->count++];
    *path = (struct managed_ingress_path){
        .access_type = express_access(&parts), .endpoint = parts.url, .load_balancer = balancer_view(ctx, parts.balancer),
        .certificate = certificate_view(ctx, &parts, updated_ms), .listener = ARENA_NEW(ctx->arena, struct managed_listener, 1),
        .rule = ARENA_NEW(ctx->arena, struct managed_listener_rule, 1),
        .target_groups = { ARENA_NEW(ctx->arena, struct managed_target_group, 2), 0 },
    };
    *path->listener = (struct managed_listener){ .arn = traffic_listener_arn(names, kind, parts.listener, ctx->arena), ACTIVE_SINCE(updated_ms) };
    *path->rule = (struct managed_listener_rule){ .arn = traffic_rule_arn(names, kind, parts.rule, ctx->arena), ACTIVE_SINCE(updated_ms) };
    add_group(ctx, balancer->target_group_arn, &path->target_groups);
    add_group(ctx, balancer->advanced_configuration->alternate_target_group_arn, &path->target_groups);
}

/* ---- scaling ---- */

static struct managed_auto_scaling *scaling_view(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service)
{
    const struct kept_scaling *kept = store_scaling(ctx->txn, service->number, ctx->arena);
    if (kept == NULL) { return NULL; }
    const struct scaling_subject subject = {
        *kept, arena_printf(ctx->arena, "service/" STR_FMT "/" STR_FMT, STR_ARG(cluster->name), STR_ARG(service->name)),
    };
    struct managed_auto_scaling *view = ARENA_NEW(ctx->arena, struct managed_auto_scaling, 1);
    view->scalable_target = ARENA_NEW(ctx->arena, struct managed_scalable_target, 1);
    *view->scalable_target = (struct managed_scalable_target){
        .arn = scaling_target_arn(ctx, service->number), .min_capacity = opt_int_of(kept->min), .max_capacity = opt_int_of(kept->max),
        ACTIVE_SINCE(kept->created_ms),
    };
    view->application_auto_scaling_policies.items = ARENA_NEW(ctx->arena, struct managed_application_auto_scaling_policy, kept->policies.count + 1);
    for (size_t p = 0; p < kept->policies.count; p++) {
        const struct kept_policy *policy = &kept->policies.items[p];
        if (policy->tracking == NULL || policy->tracking->predefined == NULL) { continue; }
        struct managed_application_auto_scaling_policy_list *list = &view->application_auto_scaling_policies;
        list->items[list->count++] = (struct managed_application_auto_scaling_policy){
            .arn = scaling_policy_arn(ctx, &subject, policy->name), .policy_type = enum_word(&scaling_policy_type_names, (int)policy->type),
            .target_value = policy->tracking->target_value, .metric = enum_word(&predefined_metric_names, (int)policy->tracking->predefined->type),
            ACTIVE_SINCE(policy->created_ms),
        };
    }
    return view;
}

struct ecs_managed_resources *express_resources(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service,
                                                const struct service_revision *revision)
{
    struct ecs_managed_resources *view = ARENA_NEW(ctx->arena, struct ecs_managed_resources, 1);
    view->ingress_paths.items = ARENA_NEW(ctx->arena, struct managed_ingress_path, revision->load_balancers.count + 1);
    for (size_t b = 0; b < revision->load_balancers.count; b++) {
        add_path(ctx, &revision->load_balancers.items[b], revision->created_ms, &view->ingress_paths);
    }
    view->auto_scaling = scaling_view(ctx, cluster, service);
    return view;
}
