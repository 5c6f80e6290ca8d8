/* create.c: CreateService's rules, and the records of a new service. */
#include "api/rules/rules.h"

#include "api/rules/settings.h"

static enum deployment_controller_type controller_of(const struct create_service_request *request)
{
    const struct deployment_controller *controller = request->deployment_controller;
    bool given = controller != NULL && controller->type != DEPLOYMENT_CONTROLLER_TYPE_UNSET;
    return given ? controller->type : DEPLOYMENT_CONTROLLER_TYPE_ECS;
}

static bool is_daemon(const struct create_service_request *request) { return request->scheduling_strategy == SCHEDULING_STRATEGY_DAEMON; }

/* ---- before the definition is looked for ---- */

static bool check_controller(const struct create_service_request *request, struct err *err)
{
    enum deployment_controller_type controller = controller_of(request);
    if (is_daemon(request) && controller != DEPLOYMENT_CONTROLLER_TYPE_ECS) {
        return err_set(err, ERR_INVALID_PARAMETER, "The " STR_FMT " deployment controller type is not supported for services using the DAEMON scheduling "
                       "strategy.", STR_ARG(enum_word(&deployment_controller_type_names, (int)controller)));
    }
    return controller != DEPLOYMENT_CONTROLLER_TYPE_CODE_DEPLOY
        || err_set(err, ERR_UNSUPPORTED_FEATURE, "The CODE_DEPLOY deployment controller is not available. Use the ECS deployment controller with the "
                   "deployment strategy BLUE_GREEN.");
}

/* Clients send percents and a launch type for all services, so those pass: a task set does not use them. */
static bool check_external(const struct create_service_request *request, struct err *err)
{
    const struct { bool given; const char *member; } rows[] = {
        { request->network_configuration != NULL,          "networkConfiguration" },
        { request->load_balancers.count > 0,               "loadBalancers" },
        { request->service_registries.count > 0,           "serviceRegistries" },
        { request->capacity_provider_strategy.count > 0,   "capacityProviderStrategy" },
        { request->platform_version.len > 0,               "platformVersion" },
        { request->volume_configurations.count > 0,        "volumeConfigurations" },
        { request->vpc_lattice_configurations.count > 0,   "vpcLatticeConfigurations" },
        { request->monitoring != NULL,                     "monitoring" },
        { request->enable_execute_command == OPT_TRUE,     "enableExecuteCommand" },
        { request->role.len > 0,                           "role" },
    };
    if (request->task_definition.len > 0) { return err_set(err, ERR_INVALID_PARAMETER, "TaskDefinition must be blank"); }
    if (request->service_connect_configuration != NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "Service Connect feature is only supported with ECS (rolling update) deployment controller. Update to "
                       "ECS deployment controller and try again.");
    }
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].given) {
            return err_set(err, ERR_INVALID_PARAMETER, "%s is not supported for services with an EXTERNAL deployment controller.", rows[r].member);
        }
    }
    return true;
}

bool service_check_first(const struct create_service_request *request, struct err *err)
{
    if (request->service_name.len == 0) { return err_set(err, ERR_INVALID_PARAMETER, "Service name cannot be empty"); }
    if (!names_is_valid(request->service_name)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Invalid service name. Must be 1-255 letters, digits, hyphens and underscores.");
    }
    if (!support_check_token(request->client_token, err) || !check_controller(request, err)) { return false; }
    if (controller_of(request) == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL) { return check_external(request, err); }
    return request->task_definition.len > 0 || err_set(err, ERR_INVALID_PARAMETER, "TaskDefinition can not be blank.");
}

bool service_check_taskdef(const struct taskdef *taskdef, struct err *err)
{
    if (taskdef == NULL) { return err_set(err, ERR_CLIENT, "TaskDefinition not found."); }
    return taskdef->def.status == TASK_DEFINITION_STATUS_ACTIVE || err_set(err, ERR_CLIENT, "TaskDefinition is inactive");
}

/* ---- with it ---- */

/* A count below 0 was refused by the schema. */
static bool check_desired(const struct create_service_request *request, struct err *err)
{
    if (is_daemon(request)) {
        return !request->desired_count.set
            || err_set(err, ERR_INVALID_PARAMETER, "The daemon scheduling strategy does not support a desired count for services. Remove the desired count "
                       "value and try again");
    }
    return request->desired_count.set || controller_of(request) == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL
        || err_set(err, ERR_INVALID_PARAMETER, "DesiredCount can not be blank.");
}

void service_choose_launch(struct op_ctx *ctx, enum launch_type type, const struct capacity_provider_strategy_item_list *strategy,
                           const struct cluster *cluster, struct service_revision *revision)
{
    if (strategy->count == 0 && type == LAUNCH_TYPE_UNSET) { strategy = &cluster->default_strategy; }
    revision->capacity_provider_strategy = service_strategy(strategy, ctx->arena);
    if (strategy->count == 0) { revision->launch_type = type == LAUNCH_TYPE_UNSET ? LAUNCH_TYPE_EC2 : type; }
    ASSERT((revision->launch_type == LAUNCH_TYPE_UNSET) == (revision->capacity_provider_strategy.count > 0));
}

static struct service new_service(struct op_ctx *ctx, const struct create_service_request *request, const struct cluster *cluster)
{
    enum scheduling_strategy scheduling = is_daemon(request) ? SCHEDULING_STRATEGY_DAEMON : SCHEDULING_STRATEGY_REPLICA;
    return (struct service){
        .cluster_number = cluster->number,
        .name = request->service_name,
        .controller = controller_of(request),
        .scheduling = scheduling,
        .desired_count = request->desired_count.value,
        .configuration = service_configure(NULL, request->deployment_configuration, scheduling, ctx->arena),
        .placement_constraints = SERVICE_LIST(request->placement_constraints),
        .placement_strategy = SERVICE_LIST(request->placement_strategy),
        .grace_period = request->health_check_grace_period_seconds.value,
        .zone_rebalancing = request->availability_zone_rebalancing,
        .zone_rebalancing_given = opt_bool_of(request->availability_zone_rebalancing != AVAILABILITY_ZONE_REBALANCING_UNSET),
        .propagate_tags = request->propagate_tags == PROPAGATE_TAGS_UNSET ? PROPAGATE_TAGS_NONE : request->propagate_tags,
        .managed_tags = opt_bool_of(request->enable_ecs_managed_tags == OPT_TRUE),
        .execute_command = opt_bool_of(request->enable_execute_command == OPT_TRUE),
        .created_launch_type = request->launch_type,
        .role = request->role.len > 0 ? request->role : (struct str){ NULL, 0 },
        .tags = SERVICE_LIST(request->tags),
        .client_token = request->client_token.len > 0 ? request->client_token : (struct str){ NULL, 0 },
        .request_hash = service_request_hash(request, ctx->arena),
    };
}

static struct service_revision new_revision(struct op_ctx *ctx, const struct create_service_request *request, const struct taskdef *taskdef)
{
    return (struct service_revision){
        .family = taskdef->def.family,
        .revision = taskdef->def.revision.value,
        .network_configuration = service_network(request->network_configuration, ctx->arena),
        .load_balancers = SERVICE_LIST(request->load_balancers),
        .service_registries = SERVICE_LIST(request->service_registries),
        .service_connect_configuration = request->service_connect_configuration,
        .monitoring = request->monitoring,
    };
}

bool service_draft_new(struct op_ctx *ctx, const struct create_service_request *request, const struct cluster *cluster, const struct taskdef *taskdef,
                       struct service_draft *draft, struct err *err)
{
    ASSERT((taskdef == NULL) == (controller_of(request) == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL));
    if (!check_desired(request, err)) { return false; }
    *draft = (struct service_draft){
        .service = new_service(ctx, request, cluster),
        .wants_both_launches = request->capacity_provider_strategy.count > 0 && request->launch_type != LAUNCH_TYPE_UNSET,
        .wants_lattice = request->vpc_lattice_configurations.count > 0,
        .wants_volumes = request->volume_configurations.count > 0,
    };
    if (taskdef != NULL) {
        draft->revision = new_revision(ctx, request, taskdef);
        service_choose_launch(ctx, request->launch_type, &request->capacity_provider_strategy, cluster, &draft->revision);
    }
    if (!service_check_draft(ctx, draft, cluster, taskdef, err)) { return false; }
    return service_check_tags(&request->tags, err);
}
