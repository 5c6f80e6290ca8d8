/* update.c: UpdateService's rules: the members that change, and whether that starts a deployment. */
#include "api/rules/rules.h"

/* ---- members that can't change ---- */

/* With the controller EXTERNAL these belong to task sets. */
static bool check_external(const struct update_service_request *request, struct err *err)
{
    const struct { bool given; const char *words; } rows[] = {
        { request->task_definition.len > 0,                    "task definition" },
        { request->network_configuration != NULL,              "network parameters" },
        { request->platform_version.len > 0,                   "platform version" },
        { request->load_balancers.items != NULL,               "load balancers" },
        { request->service_registries.items != NULL,           "service registries" },
        { request->capacity_provider_strategy.items != NULL,   "capacity provider strategy" },
        { request->deployment_configuration != NULL,           "deployment configuration" },
        { request->service_connect_configuration != NULL,      "service connect configuration" },
        { request->volume_configurations.count > 0,            "volume configurations" },
        { request->vpc_lattice_configurations.count > 0,       "VPC Lattice configurations" },
        { request->monitoring != NULL,                         "monitoring" },
        { request->enable_execute_command == OPT_TRUE,         "execute command" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].given) {
            return err_set(err, ERR_INVALID_PARAMETER, "Unable to update %s on services with an EXTERNAL deployment controller.", rows[r].words);
        }
    }
    return request->force_new_deployment != OPT_TRUE
        || err_set(err, ERR_INVALID_PARAMETER, "Cannot force a new deployment on services with an EXTERNAL deployment controller.");
}

static bool check_first(const struct update_service_request *request, const struct service *service, struct err *err)
{
    if (service->status != SERVICE_ACTIVE) { return err_set(err, ERR_SERVICE_NOT_ACTIVE, "Service was not ACTIVE."); }
    const struct deployment_controller *controller = request->deployment_controller;
    if (controller != NULL && controller->type != service->controller) {
        return err_set(err, ERR_UNSUPPORTED_FEATURE, "The deployment controller of a service can't be changed. Create another service with it.");
    }
    if (service->scheduling == SCHEDULING_STRATEGY_DAEMON && request->desired_count.set) {
        return err_set(err, ERR_INVALID_PARAMETER, "The daemon scheduling strategy does not support a desired count for services. Remove the desired count "
                       "value and try again");
    }
    return service->controller != DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL || check_external(request, err);
}

/* ---- members that change ---- */

/* An empty list gives up the strategy: for the launch type that the service was made with, else for the cluster's default. */
static bool take_strategy(struct op_ctx *ctx, const struct update_service_request *request, const struct cluster *cluster,
                          struct service_draft *draft, struct err *err)
{
    const struct capacity_provider_strategy_item_list *given = &request->capacity_provider_strategy;
    struct service_revision *revision = &draft->revision, before = *revision;
    if (given->items == NULL || (given->count == 0 && revision->capacity_provider_strategy.count == 0)) { return true; }
    bool gives_up = given->count == 0;
    revision->launch_type = gives_up ? draft->service.created_launch_type : LAUNCH_TYPE_UNSET;
    if (gives_up && revision->launch_type == LAUNCH_TYPE_UNSET) { given = &cluster->default_strategy; }
    if (given->count == 0 && revision->launch_type == LAUNCH_TYPE_UNSET) {
        return err_set(err, ERR_INVALID_PARAMETER, "No launch type to fall back to for empty capacity provider strategy. Your service was not created with a "
                       "launch type.");
    }
    revision->capacity_provider_strategy = service_strategy(given, ctx->arena);
    return request->force_new_deployment == OPT_TRUE || service_same_workload(&before, revision, ctx->arena)
        || err_set(err, ERR_INVALID_PARAMETER, "When switching from launch type to capacity provider strategy on an existing service, or making a change to a "
                   "capacity provider strategy on a service that is already using one, you must force a new deployment.");
}

static void take_workload(struct op_ctx *ctx, const struct update_service_request *request, const struct taskdef *taskdef,
                          struct service_revision *revision)
{
    if (request->task_definition.len > 0) {
        ASSERT(taskdef != NULL);
        revision->family = taskdef->def.family;
        revision->revision = taskdef->def.revision.value;
    }
    if (request->network_configuration != NULL) { revision->network_configuration = service_network(request->network_configuration, ctx->arena); }
    if (request->load_balancers.items != NULL) { revision->load_balancers = (struct load_balancer_list)SERVICE_LIST(request->load_balancers); }
    if (request->service_registries.items != NULL) {
        revision->service_registries = (struct service_registry_list)SERVICE_LIST(request->service_registries);
    }
    if (request->service_connect_configuration != NULL) { revision->service_connect_configuration = request->service_connect_configuration; }
    if (request->monitoring != NULL) { revision->monitoring = request->monitoring; }
}

static void take_members(struct op_ctx *ctx, const struct update_service_request *request, struct service *service)
{
    if (request->desired_count.set) { service->desired_count = request->desired_count.value; }
    service->configuration = service_configure(service->configuration, request->deployment_configuration, service->scheduling, ctx->arena);
    if (request->placement_constraints.items != NULL) {
        service->placement_constraints = (struct placement_constraint_list)SERVICE_LIST(request->placement_constraints);
    }
    if (request->placement_strategy.items != NULL) {
        service->placement_strategy = (struct placement_strategy_list)SERVICE_LIST(request->placement_strategy);
    }
    if (request->health_check_grace_period_seconds.set) { service->grace_period = request->health_check_grace_period_seconds.value; }
    if (request->availability_zone_rebalancing != AVAILABILITY_ZONE_REBALANCING_UNSET) {
        service->zone_rebalancing = request->availability_zone_rebalancing;
        service->zone_rebalancing_given = OPT_TRUE;
    }
    if (request->propagate_tags != PROPAGATE_TAGS_UNSET) { service->propagate_tags = request->propagate_tags; }
    if (request->enable_ecs_managed_tags != OPT_UNSET) { service->managed_tags = request->enable_ecs_managed_tags; }
    if (request->enable_execute_command != OPT_UNSET) { service->execute_command = request->enable_execute_command; }
}

bool service_draft_change(struct op_ctx *ctx, const struct update_service_request *request, const struct cluster *cluster, const struct taskdef *taskdef,
                          const struct service *service, const struct service_revision *revision, struct service_draft *draft, bool *deploys,
                          struct err *err)
{
    bool is_external = service->controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL;
    *deploys = false;
    *draft = (struct service_draft){
        .service = *service,
        .wants_lattice = request->vpc_lattice_configurations.count > 0,
        .wants_volumes = request->volume_configurations.count > 0,
    };
    if (!check_first(request, service, err)) { return false; }
    take_members(ctx, request, &draft->service);
    if (!is_external) {
        draft->revision = *revision;
        if (!take_strategy(ctx, request, cluster, draft, err)) { return false; }
        take_workload(ctx, request, taskdef, &draft->revision);
    }
    if (!service_check_draft(ctx, draft, cluster, taskdef, err)) { return false; }
    *deploys = !is_external && (request->force_new_deployment == OPT_TRUE || !service_same_workload(revision, &draft->revision, ctx->arena));
    return true;
}
