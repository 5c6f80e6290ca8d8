/* operations.c: CreateService, UpdateService and DeleteService. The rules are in rules.h; a service's tasks start and stop in later steps. */
#include "api/alarms/alarms.h"
#include "api/handlers.h"
#include "api/rules/rules.h"
#include "api/services/services.h"
#include "api/traffic/traffic.h"

/* Clients compare createdAt with their own clock, whose steps are finer than a millisecond: the next one is not before the request came. */
static void round_time_up(struct op_ctx *ctx) { ctx->now_ms++; }

/* The alarms that a request names, if they are enabled, are there. An alarm that goes later is ignored. */
static bool check_alarms(struct op_ctx *ctx, const struct deployment_configuration *given, const struct service_draft *draft, struct err *err)
{
    const struct deployment_alarms *alarms = draft->service.configuration->alarms;
    return given == NULL || given->alarms == NULL || alarms->enable != OPT_TRUE || alarms_check_names(ctx, &alarms->alarm_names, err);
}

static bool check_balancers(struct op_ctx *ctx, const struct service_draft *draft, const struct taskdef *taskdef, struct err *err)
{
    return taskdef == NULL || traffic_check_balancers(ctx, &draft->revision.load_balancers, taskdef->def.network_mode, err);
}

/* ---- CreateService ---- */

void services_make(struct op_ctx *ctx, struct service_draft *draft)
{
    ASSERT(draft->service.number == 0 && draft->service.configuration != NULL);
    draft->service.created_by = support_caller_arn(ctx);
    service_become(&draft->service, SERVICE_ACTIVE, ctx->now_ms);
    if (draft->service.controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL) {
        services_changed(ctx, &draft->service);          /* it has no deployment before its first task set */
    } else {
        services_deploy(ctx, &draft->service, &draft->revision);
    }
}

bool op_create_service(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct create_service_request *request = input;
    struct create_service_response *response = output;
    const struct taskdef *taskdef = NULL;
    struct service_draft draft;
    bool with_tags = request->tags.count > 0, same;
    round_time_up(ctx);
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    if (cluster == NULL || !service_check_first(request, err)) { return false; }

    const struct service *made = store_service_by_token(ctx->txn, cluster->number, request->client_token, ctx->arena);
    if (made != NULL) {                                  /* the reply of the call that made it was lost */
        if (!service_check_repeat(made, service_request_hash(request, ctx->arena), err)) { return false; }
        response->service = view_service(ctx, cluster, made, with_tags);
        return true;
    }
    const struct service *known = store_service_named(ctx->txn, cluster->number, request->service_name, ctx->arena);
    if (request->task_definition.len > 0) {
        if (!support_find_taskdef(ctx, request->task_definition, &taskdef, err) || !service_check_taskdef(taskdef, err)) { return false; }
    }
    if (!service_draft_new(ctx, request, cluster, taskdef, &draft, err) || !check_alarms(ctx, request->deployment_configuration, &draft, err)) { return false; }
    if (!check_balancers(ctx, &draft, taskdef, err)) { return false; }
    const struct service_revision *revision = known == NULL ? NULL : store_service_revision(ctx->txn, known->number, known->revision, ctx->arena);
    if (!service_check_name_is_free(&draft, known, revision, ctx->arena, &same, err)) { return false; }

    if (!same) { services_make(ctx, &draft); }
    response->service = view_service(ctx, cluster, same ? known : &draft.service, with_tags);
    return true;
}

/* ---- UpdateService ---- */

/* With the controller EXTERNAL both are NULL: each task set has its own. */
struct workload { const struct service_revision *revision; const struct taskdef *taskdef; };

/* The present revision, and the definition after the request. */
static bool find_workload(struct op_ctx *ctx, const struct update_service_request *request, const struct service *service, struct workload *workload,
                          struct err *err)
{
    *workload = (struct workload){ NULL, NULL };
    if (service->controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL) { return true; }
    const struct service_revision *revision = store_service_revision(ctx->txn, service->number, service->revision, ctx->arena);
    if (revision == NULL) { return err_set(err, ERR_SERVER, "The revision of the service can't be read."); }
    workload->revision = revision;
    if (request->task_definition.len > 0) {
        return support_find_taskdef(ctx, request->task_definition, &workload->taskdef, err) && service_check_taskdef(workload->taskdef, err);
    }
    workload->taskdef = store_taskdef(ctx->txn, revision->family, revision->revision, ctx->arena);
    return workload->taskdef != NULL || err_set(err, ERR_CLIENT, "TaskDefinition not found.");
}

bool services_draft_update(struct op_ctx *ctx, const struct update_service_request *request, const struct cluster **cluster, struct service_draft *draft,
                           bool *deploys, struct err *err)
{
    struct workload workload;
    const struct service *service = services_find_active(ctx, request->cluster, request->service, cluster, err);
    if (service == NULL || !find_workload(ctx, request, service, &workload, err)) { return false; }
    if (str_is_set(service->infrastructure_role) && request->load_balancers.items != NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "The load balancers of an Express service can't be changed.");
    }
    if (!service_draft_change(ctx, request, *cluster, workload.taskdef, service, workload.revision, draft, deploys, err)) { return false; }
    if (!check_alarms(ctx, request->deployment_configuration, draft, err)) { return false; }
    return !*deploys || check_balancers(ctx, draft, workload.taskdef, err);
}

bool op_update_service(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct update_service_request *request = input;
    struct update_service_response *response = output;
    const struct cluster *cluster;
    struct service_draft draft;
    bool deploys;
    round_time_up(ctx);
    if (!services_draft_update(ctx, request, &cluster, &draft, &deploys, err)) { return false; }

    if (deploys) {
        draft.revision.container_images = (struct container_image_list){ NULL, 0 };
        services_deploy(ctx, &draft.service, &draft.revision);
    } else {
        services_changed(ctx, &draft.service);
    }
    response->service = view_service(ctx, cluster, &draft.service, false);
    return true;
}

/* ---- DeleteService ---- */

/* Deployments or task sets, tasks of those that are not the PRIMARY, and tasks of all that are not ordered to stop. */
struct left { size_t deployments; int64_t old_tasks, to_stop; };

static struct left count_left(struct op_ctx *ctx, const struct service *service)
{
    struct left left = { 0, 0, 0 };
    struct kept_deployment *deployments;
    left.deployments = store_list_deployments(ctx->txn, service->number, &deployments, ctx->arena);
    for (size_t d = 0; d < left.deployments; d++) {
        struct deployment_counts counts = store_deployment_counts(ctx->txn, deployments[d].digits);
        left.to_stop += counts.staying;
        if (deployments[d].status != DEPLOYMENT_STATUS_PRIMARY) { left.old_tasks += counts.live; }
    }
    return left;
}

static bool check_delete(const struct service *service, const struct left *left, struct err *err)
{
    if (service->scheduling == SCHEDULING_STRATEGY_DAEMON) { return true; }
    if (service->desired_count > 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "The service cannot be stopped while it is scaled above 0.");
    }
    bool is_busy = service->controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL ? left->deployments > 0 : left->old_tasks > 0;
    return !is_busy || err_set(err, ERR_INVALID_PARAMETER, "The service cannot be stopped while deployments are active.");
}

void services_delete(struct op_ctx *ctx, struct service *service)
{
    bool stops = count_left(ctx, service).to_stop > 0 || services_deregister(ctx, service->number);
    store_drop_scaling(ctx->txn, service->number);
    service->tags = (struct tag_list){ NULL, 0 };                /* a deletion takes them away, as in ECS */
    if (!stops) { services_end(ctx, service); return; }
    service_become(service, SERVICE_DRAINING, ctx->now_ms);
    services_changed(ctx, service);
    if (service->daemon != NULL) { services_gate_all(ctx, service); }
}

bool op_delete_service(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_service_request *request = input;
    struct delete_service_response *response = output;
    const struct cluster *cluster;
    const struct service *found = services_find(ctx, request->cluster, request->service, &cluster, err);
    if (found == NULL) { return false; }
    struct service service = *found;
    if (service.status == SERVICE_ACTIVE) {
        struct left left = count_left(ctx, &service);
        if (request->force != OPT_TRUE && !check_delete(&service, &left, err)) { return false; }
        services_delete(ctx, &service);
    }
    response->service = view_service(ctx, cluster, &service, false);
    return true;
}
