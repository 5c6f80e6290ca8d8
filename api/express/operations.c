/* operations.c: Create, Describe, Update and DeleteExpressGatewayService. All is drafted and checked before the first write, so a request that is refused
 * leaves nothing behind. */
#include "api/definitions/rules.h"
#include "api/express/express.h"
#include "api/handlers.h"
#include "api/rules/rules.h"
#include "api/scaling/scaling.h"
#include "api/services/services.h"
#include "api/traffic/traffic.h"
#include "base/num.h"
#include "base/text/arn.h"
#include "model/taskdef.h"

#define SHARED_MEMBERS(request)                                                                                                             \
    { .task_definition = (request)->task_definition_arn, .execution_role = (request)->execution_role_arn, .task_role = (request)->task_role_arn, \
      .cpu = (request)->cpu, .memory = (request)->memory, .health_path = (request)->health_check_path, .container = (request)->primary_container, \
      .network = (request)->network_configuration, .scaling = (request)->scaling_target }

/* ---- parts ---- */

/* A definition that is new is not written yet. */
struct part_definition { const struct taskdef *taskdef; bool is_new; int64_t port; };

/* The definition that the request names; else, if it gives members of one, a new revision of the family, made of `base` (NULL: of nothing); else `base`. */
static bool draft_definition(struct op_ctx *ctx, const struct express_request *request, const struct taskdef *base, struct str family,
                             struct part_definition *part, struct err *err)
{
    *part = (struct part_definition){ .taskdef = base };
    if (request->task_definition.len > 0) {
        if (!support_find_taskdef(ctx, request->task_definition, &part->taskdef, err) || !service_check_taskdef(part->taskdef, err)) { return false; }
    } else if (base == NULL || express_defines(request)) {
        struct taskdef *taskdef = ARENA_NEW(ctx->arena, struct taskdef, 1);
        if (base != NULL) { taskdef->def = taskdef_as_given(&base->def); }
        taskdef->def.family = family;
        express_define(&ctx->config->names, request, &taskdef->def, ctx->arena);
        if (!taskdef_draft(ctx, taskdef, err)) { return false; }
        part->taskdef = taskdef;
        part->is_new = true;
    }
    return express_port(&part->taskdef->def, &part->port, err);
}

static struct str reference_of(struct op_ctx *ctx, const struct taskdef *taskdef)
{
    return arena_printf(ctx->arena, STR_FMT ":%lld", STR_ARG(taskdef->def.family), (long long)taskdef->def.revision.value);
}

static struct network_configuration *network_of(const struct express_gateway_service_network_configuration *given, struct arena *arena)
{
    if (given == NULL) { return NULL; }
    struct network_configuration *network = ARENA_NEW(arena, struct network_configuration, 1);
    network->awsvpc_configuration = ARENA_NEW(arena, struct aws_vpc_configuration, 1);
    network->awsvpc_configuration->subnets = given->subnets;
    network->awsvpc_configuration->security_groups = given->security_groups;
    return network;
}

/* "app/express/ID/targetgroup/NAME/ID", as ALBRequestCountPerTarget wants it. */
static struct str request_label(struct op_ctx *ctx, const struct load_balancer *balancer)
{
    const struct names *names = &ctx->config->names;
    struct traffic_ref group = traffic_read_arn(names, balancer->target_group_arn);
    struct traffic_ref rule = traffic_read_arn(names, balancer->advanced_configuration->production_listener_rule);
    return arena_printf(ctx->arena, "app/" STR_FMT "/" STR_FMT "/targetgroup/" STR_FMT "/" STR_FMT, STR_ARG(rule.name), STR_ARG(rule.id), STR_ARG(group.name),
                        STR_ARG(group.id));
}

/* Limits and the policy of a service. ERR_INVALID_PARAMETER: another policy is in the way. */
static bool draft_scaling(struct op_ctx *ctx, int64_t service, const struct express_scaling *scaling, const struct load_balancer *balancer,
                          struct kept_scaling *target, struct err *err)
{
    bool known;
    struct err refused = { 0 };
    const struct put_policy_request policy = {
        .name = express_policy, .type = SCALING_TRACKING, .tracking = express_tracking(scaling, request_label(ctx, balancer), ctx->arena),
    };
    *target = scaling_target(ctx, service, &known);
    target->min = scaling->min;
    target->max = scaling->max;
    return scaling_draft_policy(ctx, target, &policy, &refused) || err_set(err, ERR_INVALID_PARAMETER, "%s", refused.message);
}

static int64_t clamp(int64_t count, const struct express_scaling *scaling) { return max_i64(scaling->min, min_i64(count, scaling->max)); }

/* ---- CreateExpressGatewayService ---- */

/* A small share of the requests first, and back on the first failures. */
static struct deployment_configuration *deployment_of(struct arena *arena)
{
    enum { BAKE_MIN = 3 };
    struct deployment_configuration *configuration = ARENA_NEW(arena, struct deployment_configuration, 1);
    configuration->strategy = DEPLOYMENT_STRATEGY_CANARY;
    configuration->bake_time_in_minutes = opt_int_of(BAKE_MIN);
    configuration->canary_configuration = ARENA_NEW(arena, struct canary_configuration, 1);
    configuration->canary_configuration->canary_bake_time_in_minutes = opt_int_of(BAKE_MIN);
    configuration->deployment_circuit_breaker = ARENA_NEW(arena, struct deployment_circuit_breaker, 1);
    configuration->deployment_circuit_breaker->enable = configuration->deployment_circuit_breaker->rollback = OPT_TRUE;
    return configuration;
}

/* The service without its load balancer, which is not made yet. */
static bool draft_service(struct op_ctx *ctx, const struct create_express_gateway_service_request *request, struct str name, const struct cluster *cluster,
                          const struct part_definition *definition, const struct express_scaling *scaling, struct service_draft *draft, struct err *err)
{
    enum { GRACE_S = 60 };
    bool same;
    const struct create_service_request service = {
        .service_name = name, .task_definition = reference_of(ctx, definition->taskdef), .desired_count = opt_int_of(clamp(1, scaling)),
        .deployment_configuration = deployment_of(ctx->arena), .network_configuration = network_of(request->network_configuration, ctx->arena),
        .health_check_grace_period_seconds = opt_int_of(GRACE_S), .tags = request->tags,
    };
    if (!service_draft_new(ctx, &service, cluster, definition->taskdef, draft, err)) { return false; }
    draft->service.infrastructure_role = request->infrastructure_role_arn;
    const struct service *known = store_service_named(ctx->txn, cluster->number, name, ctx->arena);
    const struct service_revision *revision = known == NULL ? NULL : store_service_revision(ctx->txn, known->number, known->revision, ctx->arena);
    return service_check_name_is_free(draft, known, revision, ctx->arena, &same, err);
}

static struct gateway gateway_of(struct op_ctx *ctx, const struct cluster *cluster, struct str name, struct str health_path, int64_t port)
{
    struct str label = express_label(cluster->name, name, ctx->arena);
    return (struct gateway){
        .label = label, .host = arena_printf(ctx->arena, STR_FMT "." STR_FMT, STR_ARG(label), STR_ARG(ctx->config->express_domain)),
        .health_path = health_path.len > 0 ? health_path : STR("/ping"), .port = port,
    };
}

bool op_create_express_gateway_service(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct create_express_gateway_service_request *in = input;
    struct create_express_gateway_service_response *out = output;
    const struct express_request request = SHARED_MEMBERS(in);
    struct part_definition definition;
    struct express_scaling scaling;
    struct service_draft draft;
    struct load_balancer balancer = { .container_name = STR("Main") };
    struct kept_scaling target;
    const struct cluster *cluster = support_cluster(ctx, in->cluster, err);
    if (cluster == NULL || !express_check(&request, true, err)) { return false; }
    if (!taskdef_role_is_valid(in->infrastructure_role_arn)) { return err_set(err, ERR_INVALID_PARAMETER, "infrastructureRoleArn must be the ARN of a role."); }
    struct str name = in->service_name.len > 0 ? in->service_name : arena_printf(ctx->arena, "express-%08x", (unsigned)(rng_next(ctx->rng) & UINT32_MAX));
    struct str family = arena_printf(ctx->arena, STR_FMT "-" STR_FMT, STR_ARG(cluster->name), STR_ARG(name));
    const struct create_service_request named = { .service_name = name, .task_definition = family };
    if (!service_check_first(&named, err)) { return false; }
    if (!express_scale(&express_scaling_default, request.scaling, &scaling, err)) { return false; }
    if (!draft_definition(ctx, &request, NULL, family, &definition, err)) { return false; }
    if (!draft_service(ctx, in, name, cluster, &definition, &scaling, &draft, err)) { return false; }
    const struct gateway gateway = gateway_of(ctx, cluster, name, request.health_path, definition.port);
    if (!gateway_check(ctx, &gateway, err)) { return false; }

    if (definition.is_new) { store_put_taskdef(ctx->txn, definition.taskdef); }
    balancer.container_port = opt_int_of(definition.port);
    if (!gateway_make(ctx, &gateway, &balancer, err)) { return false; }
    draft.revision.load_balancers = (struct load_balancer_list){ &balancer, 1 };
    services_make(ctx, &draft);
    if (!draft_scaling(ctx, draft.service.number, &scaling, &balancer, &target, err)) { return false; }         /* it has no other policy */
    store_put_scaling(ctx->txn, &target);
    out->service = express_view(ctx, cluster, &draft.service, in->tags.count > 0);
    return true;
}

/* ---- finding ---- */

static const struct service *find(struct op_ctx *ctx, struct str arn, const struct cluster **cluster, struct err *err)
{
    if (!arn_looks_like(arn)) { (void)err_set(err, ERR_INVALID_PARAMETER, "serviceArn must be the ARN of a service."); return NULL; }
    const struct service *service = services_find(ctx, (struct str){ NULL, 0 }, arn, cluster, err);
    if (service == NULL || str_is_set(service->infrastructure_role)) { return service; }
    (void)err_set(err, ERR_INVALID_PARAMETER, "The service " STR_FMT " is not an Express service.", STR_ARG(service->name));
    return NULL;
}

static const struct service *find_active(struct op_ctx *ctx, struct str arn, const struct cluster **cluster, struct err *err)
{
    const struct service *service = find(ctx, arn, cluster, err);
    if (service == NULL || service->status == SERVICE_ACTIVE) { return service; }
    (void)err_set(err, ERR_SERVICE_NOT_ACTIVE, "Service was not ACTIVE.");
    return NULL;
}

bool op_describe_express_gateway_service(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_express_gateway_service_request *in = input;
    struct describe_express_gateway_service_response *out = output;
    const struct cluster *cluster;
    struct err missing = { 0 };
    const struct service *service = find(ctx, in->service_arn, &cluster, &missing);
    if (service == NULL) { return err_set(err, missing.code == ERR_SERVICE_NOT_FOUND ? ERR_RESOURCE_NOT_FOUND : missing.code, "%s", missing.message); }
    out->service = express_view(ctx, cluster, service, in->include.count > 0);
    return true;
}

/* ---- UpdateExpressGatewayService ---- */

/* As the service is before, and as the request changes it. */
struct update {
    const struct cluster *cluster;
    const struct service *service; const struct service_revision *revision;
    struct part_definition definition;
    struct express_scaling scaling; struct kept_scaling target;          /* target: if the request gives scaling */
    struct str health_path;
    struct service_draft draft;
    bool deploys;
};

static bool draft_change(struct op_ctx *ctx, const struct express_request *request, struct update *change, struct err *err)
{
    const struct service *service = change->service;
    const struct kept_deployment *deployment = store_deployment(ctx->txn, service->number, service->revision, ctx->arena);
    struct str path = gateway_health_path(ctx, express_group(deployment, change->revision));
    change->health_path = request->health_path.len > 0 ? request->health_path : path;
    struct load_balancer *balancer = arena_copy(ctx->arena, &change->revision->load_balancers.items[0], sizeof *balancer);
    balancer->container_port = opt_int_of(change->definition.port);
    const struct update_service_request update = {
        .cluster = change->cluster->name, .service = service->name, .task_definition = reference_of(ctx, change->definition.taskdef),
        .network_configuration = network_of(request->network, ctx->arena), .load_balancers = { balancer, 1 },
        .desired_count = opt_int_of(clamp(service->desired_count, &change->scaling)),
        .force_new_deployment = opt_bool_of(!str_eq(change->health_path, path)),
    };
    return service_draft_change(ctx, &update, change->cluster, change->definition.taskdef, service, change->revision, &change->draft, &change->deploys, err);
}

static bool read_change(struct op_ctx *ctx, const struct express_request *request, struct str arn, struct update *change, struct err *err)
{
    const struct service *service = change->service = find_active(ctx, arn, &change->cluster, err);
    if (service == NULL || !express_check(request, false, err)) { return false; }
    change->revision = store_service_revision(ctx->txn, service->number, service->revision, ctx->arena);
    if (change->revision == NULL || change->revision->load_balancers.count == 0) {
        return err_set(err, ERR_SERVER, "The revision of the service can't be read.");
    }
    struct express_scaling now = express_scaling_of(store_scaling(ctx->txn, service->number, ctx->arena));
    struct str family = arena_printf(ctx->arena, STR_FMT "-" STR_FMT, STR_ARG(change->cluster->name), STR_ARG(service->name));
    const struct taskdef *base = store_taskdef(ctx->txn, change->revision->family, change->revision->revision, ctx->arena);
    if (base == NULL) { return err_set(err, ERR_CLIENT, "TaskDefinition not found."); }
    const struct load_balancer *balancer = &change->revision->load_balancers.items[0];
    return express_scale(&now, request->scaling, &change->scaling, err)
        && (request->scaling == NULL || draft_scaling(ctx, service->number, &change->scaling, balancer, &change->target, err))
        && draft_definition(ctx, request, base, family, &change->definition, err)
        && draft_change(ctx, request, change, err);
}

/* The target group of the new deployment gets the path; that of the deployment before keeps its own, for a rollback. */
static bool deploy(struct op_ctx *ctx, struct update *change, struct err *err)
{
    struct service_draft *draft = &change->draft;
    draft->revision.container_images = (struct container_image_list){ NULL, 0 };
    services_deploy(ctx, &draft->service, &draft->revision);
    const struct kept_deployment *deployment = store_deployment(ctx->txn, draft->service.number, draft->service.revision, ctx->arena);
    struct str group = express_group(deployment, &draft->revision);
    return !str_is_set(change->health_path) || gateway_set_health_path(ctx, group, change->health_path, err);
}

bool op_update_express_gateway_service(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct update_express_gateway_service_request *in = input;
    struct update_express_gateway_service_response *out = output;
    const struct express_request request = SHARED_MEMBERS(in);
    struct update change = { 0 };
    if (!read_change(ctx, &request, in->service_arn, &change, err)) { return false; }

    if (change.definition.is_new) { store_put_taskdef(ctx->txn, change.definition.taskdef); }
    if (!change.deploys) { services_changed(ctx, &change.draft.service); } else if (!deploy(ctx, &change, err)) { return false; }
    if (request.scaling != NULL) { store_put_scaling(ctx->txn, &change.target); }
    out->service = express_view_updated(ctx, change.cluster, &change.draft.service);
    return true;
}

/* ---- DeleteExpressGatewayService ---- */

bool op_delete_express_gateway_service(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_express_gateway_service_request *in = input;
    struct delete_express_gateway_service_response *out = output;
    const struct cluster *cluster;
    const struct service *found = find_active(ctx, in->service_arn, &cluster, err);
    if (found == NULL) { return false; }
    struct service service = *found;
    services_delete(ctx, &service);
    out->service = express_view(ctx, cluster, &service, false);
    return true;
}
