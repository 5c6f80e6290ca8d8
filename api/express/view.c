/* view.c: Express services as ECS shows them, made of the records of their parts: a part that was changed by its own calls is shown as it is. */
#include "api/express/express.h"
#include "api/services/services.h"
#include "api/show/view.h"
#include "api/traffic/traffic.h"

struct str express_group(const struct kept_deployment *deployment, const struct service_revision *revision)
{
    bool known = deployment != NULL && revision != NULL && revision->load_balancers.count > 0;
    return known ? services_group_of(deployment, &revision->load_balancers.items[0]) : (struct str){ NULL, 0 };
}

enum access_type express_access(const struct gateway_parts *parts)
{
    return parts->balancer->balancer->scheme == ELB_SCHEME_INTERNAL ? ACCESS_TYPE_PRIVATE : ACCESS_TYPE_PUBLIC;
}

/* ---- parts of a configuration ---- */

static struct str option_of(const struct log_configuration *logs, struct str name)
{
    for (size_t o = 0; o < logs->options.count; o++) {
        if (str_eq(logs->options.items[o].key, name)) { return logs->options.items[o].value; }
    }
    return STR("");
}

static struct express_gateway_container *container_view(const struct task_definition *def, struct arena *arena)
{
    const struct container_definition *container = express_main(def);
    if (container == NULL) { return NULL; }
    struct express_gateway_container *view = ARENA_NEW(arena, struct express_gateway_container, 1);
    *view = (struct express_gateway_container){
        .image = container->image, .command = container->command, .environment = container->environment, .secrets = container->secrets,
    };
    if (container->port_mappings.count > 0) { view->container_port = container->port_mappings.items[0].container_port; }
    if (container->repository_credentials != NULL) {
        view->repository_credentials = ARENA_NEW(arena, struct express_gateway_repository_credentials, 1);
        view->repository_credentials->credentials_parameter = container->repository_credentials->credentials_parameter;
    }
    const struct log_configuration *logs = container->log_configuration;
    if (logs != NULL && logs->log_driver == LOG_DRIVER_AWSLOGS) {
        view->aws_logs_configuration = ARENA_NEW(arena, struct express_gateway_service_aws_logs_configuration, 1);
        *view->aws_logs_configuration = (struct express_gateway_service_aws_logs_configuration){
            option_of(logs, STR("awslogs-group")), option_of(logs, STR("awslogs-stream-prefix")),
        };
    }
    return view;
}

static struct express_gateway_service_network_configuration *network_view(const struct network_configuration *kept, struct arena *arena)
{
    if (kept == NULL || kept->awsvpc_configuration == NULL) { return NULL; }
    struct express_gateway_service_network_configuration *view = ARENA_NEW(arena, struct express_gateway_service_network_configuration, 1);
    view->security_groups = kept->awsvpc_configuration->security_groups;
    view->subnets = kept->awsvpc_configuration->subnets;
    return view;
}

/* A service without limits any more, as one that is deleted, shows none. */
static struct express_gateway_scaling_target *scaling_view(struct op_ctx *ctx, const struct service *service)
{
    const struct kept_scaling *target = store_scaling(ctx->txn, service->number, ctx->arena);
    if (target == NULL) { return NULL; }
    struct express_scaling scaling = express_scaling_of(target);
    struct express_gateway_scaling_target *view = ARENA_NEW(ctx->arena, struct express_gateway_scaling_target, 1);
    *view = (struct express_gateway_scaling_target){ opt_int_of(scaling.min), opt_int_of(scaling.max), scaling.metric, opt_int_of(scaling.value) };
    return view;
}

static struct ingress_path_summary_list paths_view(struct op_ctx *ctx, const struct service_revision *revision)
{
    struct ingress_path_summary_list paths = { ARENA_NEW(ctx->arena, struct ingress_path_summary, 1), 0 };
    struct gateway_parts parts;
    bool found = revision->load_balancers.count > 0 && gateway_find(ctx, &revision->load_balancers.items[0], &parts);
    if (found) { paths.items[paths.count++] = (struct ingress_path_summary){ express_access(&parts), parts.url }; }
    return paths;
}

static struct express_gateway_service_configuration configuration_view(struct op_ctx *ctx, const struct service_parts *parts,
                                                                       const struct kept_deployment *deployment, const struct service_revision *revision)
{
    const struct taskdef *taskdef = store_taskdef(ctx->txn, revision->family, revision->revision, ctx->arena);
    struct express_gateway_service_configuration view = {
        .service_revision_arn = names_revision_arn(parts->names, parts->cluster, parts->service->name, revision->digits, ctx->arena),
        .task_definition_arn = names_taskdef_arn(parts->names, revision->family, revision->revision, ctx->arena),
        .network_configuration = network_view(revision->network_configuration, ctx->arena),
        .health_check_path = gateway_health_path(ctx, express_group(deployment, revision)),
        .scaling_target = scaling_view(ctx, parts->service),
        .ingress_paths = paths_view(ctx, revision), .created_at = revision->created_ms,
    };
    if (taskdef == NULL) { return view; }
    view.execution_role_arn = taskdef->def.execution_role_arn;
    view.task_role_arn = taskdef->def.task_role_arn;
    view.cpu = taskdef->def.cpu;
    view.memory = taskdef->def.memory;
    view.primary_container = container_view(&taskdef->def, ctx->arena);
    return view;
}

/* ---- services ---- */

static struct express_gateway_service_status *status_view(const struct service *service, struct arena *arena)
{
    static const enum express_gateway_service_status_code codes[SERVICE_STATUS_COUNT] = {
        [SERVICE_ACTIVE] = EXPRESS_GATEWAY_SERVICE_STATUS_CODE_ACTIVE, [SERVICE_DRAINING] = EXPRESS_GATEWAY_SERVICE_STATUS_CODE_DRAINING,
        [SERVICE_INACTIVE] = EXPRESS_GATEWAY_SERVICE_STATUS_CODE_INACTIVE,
    };
    struct express_gateway_service_status *status = ARENA_NEW(arena, struct express_gateway_service_status, 1);
    status->status_code = codes[service->status];
    return status;
}

static int64_t updated_ms(const struct service_parts *parts)
{
    return parts->revision == NULL ? parts->service->created_ms : parts->revision->created_ms;
}

struct ecs_express_gateway_service *express_view(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, bool with_tags)
{
    struct service_parts parts = view_service_parts(ctx, cluster, service);
    struct ecs_express_gateway_service *view = ARENA_NEW(ctx->arena, struct ecs_express_gateway_service, 1);
    *view = (struct ecs_express_gateway_service){
        .cluster = cluster->name, .service_name = service->name, .service_arn = parts.service_arn, .infrastructure_role_arn = service->infrastructure_role,
        .status = status_view(service, ctx->arena), .created_at = service->created_ms, .updated_at = updated_ms(&parts),
        .active_configurations = { ARENA_NEW(ctx->arena, struct express_gateway_service_configuration, parts.deployment_count + 1), 0 },
    };
    if (service->status == SERVICE_ACTIVE) {
        view->current_deployment = names_service_deployment_arn(parts.names, cluster->name, service->name, service->last_service_deployment, ctx->arena);
    }
    for (size_t d = 0; d < parts.deployment_count; d++) {
        const struct deployment_parts *part = &parts.deployments[d];
        if (part->revision == NULL) { continue; }
        view->active_configurations.items[view->active_configurations.count++] = configuration_view(ctx, &parts, part->deployment, part->revision);
    }
    if (with_tags) { view->tags = (struct tag_list)SHOWN(service->tags); }
    return view;
}

struct updated_express_gateway_service *express_view_updated(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service)
{
    struct service_parts parts = view_service_parts(ctx, cluster, service);
    const struct kept_deployment *deployment = store_deployment(ctx->txn, service->number, service->revision, ctx->arena);
    struct updated_express_gateway_service *view = ARENA_NEW(ctx->arena, struct updated_express_gateway_service, 1);
    *view = (struct updated_express_gateway_service){
        .cluster = cluster->name, .service_name = service->name, .service_arn = parts.service_arn, .status = status_view(service, ctx->arena),
        .created_at = service->created_ms, .updated_at = updated_ms(&parts),
    };
    if (parts.revision == NULL) { return view; }
    view->target_configuration = ARENA_NEW(ctx->arena, struct express_gateway_service_configuration, 1);
    *view->target_configuration = configuration_view(ctx, &parts, deployment, parts.revision);
    return view;
}
