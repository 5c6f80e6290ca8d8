/* deploy.c: finding services, changing them, and beginning deployments. See services.h. */
#include "api/services/books.h"

#include "api/alarms/alarms.h"
#include "api/traffic/traffic.h"
#include "base/num.h"
#include "scheduler/reconcile/roster.h"

/* ---- finding ---- */

const struct service *services_find(struct op_ctx *ctx, struct str cluster_reference, struct str reference, const struct cluster **cluster,
                                    struct err *err)
{
    struct service_name name;
    if (!names_read_service(&ctx->config->names, reference, cluster_reference, &name, err)) { return NULL; }
    *cluster = support_cluster_ever(ctx, name.cluster, err);
    if (*cluster == NULL) { return NULL; }
    const struct service *service = store_service_named(ctx->txn, (*cluster)->number, name.service, ctx->arena);
    if (service == NULL) { (void)err_set(err, ERR_SERVICE_NOT_FOUND, "Service not found."); }
    return service;
}

const struct service *services_find_active(struct op_ctx *ctx, struct str cluster_reference, struct str reference, const struct cluster **cluster,
                                           struct err *err)
{
    const struct service *service = services_find(ctx, cluster_reference, reference, cluster, err);
    if (service == NULL || service->status == SERVICE_ACTIVE) { return service; }
    (void)err_set(err, ERR_SERVICE_NOT_ACTIVE, "Service was not ACTIVE.");
    return NULL;
}

/* ---- changing ---- */

static void make_due(struct op_ctx *ctx, const struct service *service)
{
    struct roster *roster = sched_roster(ctx->world);
    if (service->status == SERVICE_INACTIVE) { roster_drop_service(roster, service->number); return; }
    roster_add_service(roster, service->number, service->cluster_number, service->scheduling == SCHEDULING_STRATEGY_DAEMON);
    roster_touch(roster, service->number);
}

void services_changed(struct op_ctx *ctx, struct service *service)
{
    struct kept_deployment *deployments;
    store_put_service(ctx->txn, service);
    size_t count = store_list_deployments(ctx->txn, service->number, &deployments, ctx->arena);
    for (size_t d = 0; d < count; d++) {
        if (deployments[d].next_start_ms == 0 && deployments[d].unstarted == 0) { continue; }
        deployments[d].next_start_ms = deployments[d].unstarted = 0;
        deployments[d].gave_up = (struct str){ NULL, 0 };
        store_put_deployment(ctx->txn, &deployments[d]);
    }
    make_due(ctx, service);
}

void services_put_event(struct op_ctx *ctx, struct service_events *events, struct str message)
{
    char uuid[ID_UUID_LEN + 1];
    id_uuid(id_random(ctx->rng), uuid);
    service_add_event(events, arena_str(ctx->arena, (struct str){ uuid, ID_UUID_LEN }), message, ctx->now_ms, ctx->arena);
}

void services_add_event(struct op_ctx *ctx, int64_t service, struct str message)
{
    ASSERT(service > 0);
    struct service_events events = *store_service_events(ctx->txn, service, ctx->arena);
    services_put_event(ctx, &events, message);
    store_put_service_events(ctx->txn, service, &events);
}

/* One that was deleted meanwhile is DELETED when its last daemon has ended. */
static void count_use_of_daemon(struct op_ctx *ctx, const struct service_revision *revision, int by)
{
    const struct daemon_taskdef *found = store_daemon_taskdef(ctx->txn, revision->family, revision->revision, ctx->arena);
    if (found == NULL) { return; }
    struct daemon_taskdef taskdef = *found;
    taskdef.deployments = max_i64(0, taskdef.deployments + by);
    if (by < 0) { taskdef.deployment_ended_ms = ctx->now_ms; }
    bool is_over = taskdef.deployments == 0 && taskdef.def.status == DAEMON_TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS;
    if (is_over) { daemon_taskdef_become(&taskdef, DAEMON_TASK_DEFINITION_STATUS_DELETED, ctx->now_ms); }
    store_put_daemon_taskdef(ctx->txn, &taskdef);
}

void services_count_use(struct op_ctx *ctx, const struct service_revision *revision, int by)
{
    if (revision->daemon != NULL) { count_use_of_daemon(ctx, revision, by); return; }
    const struct taskdef *found = store_taskdef(ctx->txn, revision->family, revision->revision, ctx->arena);
    if (found == NULL) { return; }
    struct taskdef taskdef = *found;
    taskdef.deployments = max_i64(0, taskdef.deployments + by);
    if (by < 0) { taskdef.deployment_ended_ms = ctx->now_ms; }
    store_put_taskdef(ctx->txn, &taskdef);
}

void services_drop_deployment(struct op_ctx *ctx, const struct kept_deployment *deployment)
{
    const struct service_revision *revision = store_service_revision(ctx->txn, deployment->service, deployment->digits, ctx->arena);
    if (revision != NULL) { services_count_use(ctx, revision, -1); }
    store_drop_deployment(ctx->txn, deployment->service, deployment->digits);
    if (deployment->task_set != NULL) { store_drop_service_revision(ctx->txn, deployment->service, deployment->digits); }
}

/* ---- a new deployment ---- */

/* The deployments before step back: they keep the tasks that they have, and none of them begins a pause. Fills in the sources. */
static void step_back(struct op_ctx *ctx, int64_t service, struct revision_count_list *sources)
{
    struct kept_deployment *deployments;
    size_t count = store_list_deployments(ctx->txn, service, &deployments, ctx->arena);
    *sources = (struct revision_count_list){ ARENA_NEW(ctx->arena, struct revision_count, count), 0 };
    for (size_t d = count; d-- > 0;) {
        struct kept_deployment *deployment = &deployments[d];
        struct deployment_counts counts = store_deployment_counts(ctx->txn, deployment->digits);
        if (deployment->status == DEPLOYMENT_STATUS_PRIMARY || counts.live > 0) {
            sources->items[sources->count++] = (struct revision_count){
                .digits = deployment->digits, .requested = counts.staying, .running = counts.running, .pending = counts.pending,
            };
        }
        if (deployment->status == DEPLOYMENT_STATUS_PRIMARY) { deployment_become(deployment, DEPLOYMENT_STATUS_ACTIVE, ctx->now_ms); }
        deployment->wanted = counts.staying;
        deployment->rolled_back_to = OPT_FALSE;
        deployment->unstarted = deployment->next_start_ms = deployment->no_room_ms = 0;
        deployment->gave_up = (struct str){ NULL, 0 };
        store_put_deployment(ctx->txn, deployment);
    }
}

/* The newest service deployment ends, if it has not. Returns the digits of its target; 0: there was no service deployment. */
static int64_t end_act(struct op_ctx *ctx, const struct service *service, struct str reason)
{
    if (service->number == 0 || id_is_zero(service->last_service_deployment)) { return 0; }
    const struct service_deployment *found = store_service_deployment(ctx->txn, service->number, service->last_service_deployment, ctx->arena);
    if (found == NULL) { return 0; }
    if (!service_deployment_has_ended(found->status)) {
        struct service_deployment ended = *found;
        services_end_act(ctx, service, &ended, SERVICE_DEPLOYMENT_STATUS_STOPPED, reason);
        store_put_service_deployment(ctx->txn, &ended);
    }
    return found->target->digits;
}

/* When the history is full, the next service deployment replaces the oldest one, whose revision goes too, unless tasks run it. */
static void drop_oldest(struct op_ctx *ctx, int64_t service)
{
    struct service_deployment *kept = ARENA_NEW(ctx->arena, struct service_deployment, SERVICE_DEPLOYMENTS_MAX);
    size_t count = store_list_service_deployments(ctx->txn, service, (struct id){ 0 }, kept, SERVICE_DEPLOYMENTS_MAX, ctx->arena);
    if (count < SERVICE_DEPLOYMENTS_MAX) { return; }
    int64_t digits = kept[count - 1].target->digits;
    if (store_deployment(ctx->txn, service, digits, ctx->arena) == NULL) { store_drop_service_revision(ctx->txn, service, digits); }
}

/* The deployment with the most traffic keeps its target group: with a strategy that shifts traffic the new one has the other group. */
static bool uses_alternate(struct op_ctx *ctx, const struct service *service)
{
    struct kept_deployment *deployments;
    size_t count = service->number == 0 ? 0 : store_list_deployments(ctx->txn, service->number, &deployments, ctx->arena);
    const struct kept_deployment *blue = NULL;
    for (size_t d = 0; d < count; d++) {
        if (blue == NULL || deployments[d].production >= blue->production) { blue = &deployments[d]; }
    }
    bool shifts = service->configuration->strategy != DEPLOYMENT_STRATEGY_ROLLING;
    return blue != NULL && (blue->alternate == OPT_TRUE) != shifts;
}

static void put_deployment(struct op_ctx *ctx, const struct service *service, int64_t digits)
{
    struct kept_deployment deployment = { .digits = digits, .service = service->number, .alternate = opt_bool_of(uses_alternate(ctx, service)) };
    deployment_become(&deployment, DEPLOYMENT_STATUS_PRIMARY, ctx->now_ms);
    deployment_rollout_become(&deployment, DEPLOYMENT_ROLLOUT_STATE_IN_PROGRESS, ctx->now_ms);
    deployment.rollout_reason = arena_printf(ctx->arena, "ECS deployment " STR_FMT " in progress.", STR_ARG(names_deployment_id(digits, ctx->arena)));
    store_put_deployment(ctx->txn, &deployment);
}

static enum service_deployment_rollback_monitors_status monitors(bool enabled)
{
    return enabled ? SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING : SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_DISABLED;
}

/* Alarms that do not ring are armed. Those that Berth asks for are armed when they have been OK, and have no state before. */
static void watch_alarms(struct op_ctx *ctx, const struct str_list *names, struct service_deployment *act)
{
    act->armed_alarms.items = ARENA_NEW(ctx->arena, struct str, names->count);
    act->checks.items = ARENA_NEW(ctx->arena, struct kept_check, names->count);
    for (size_t n = 0; n < names->count; n++) {
        struct str name = names->items[n];
        if (names_is_url(name)) {
            act->checks.items[act->checks.count++] = (struct kept_check){ .url = name, .call_ms = ctx->now_ms };
        } else if (alarms_state(ctx, name) != ALARM_STATE_ALARM) {
            act->armed_alarms.items[act->armed_alarms.count++] = name;
        }
    }
}

static void put_act(struct op_ctx *ctx, const struct service *service, int64_t digits, struct revision_count_list sources)
{
    const struct deployment_configuration *configuration = service->configuration;
    struct revision_count target = { .digits = digits, .requested = service->desired_count };
    struct service_deployment act = {
        .id = service->last_service_deployment, .service = service->number, .target = &target, .sources = sources,
        .configuration = service->configuration,
        .breaker = monitors(configuration->deployment_circuit_breaker->enable == OPT_TRUE),
        .alarms = monitors(configuration->alarms->enable == OPT_TRUE),
    };
    if (service->daemon != NULL) { act.drain_percent = service->daemon->drain_percent; }
    if (configuration->alarms->enable == OPT_TRUE) { watch_alarms(ctx, &configuration->alarms->alarm_names, &act); }
    service_deployment_become(&act, SERVICE_DEPLOYMENT_STATUS_PENDING, ctx->now_ms);
    store_put_service_deployment(ctx->txn, &act);
}

void services_deploy(struct op_ctx *ctx, struct service *service, struct service_revision *revision)
{
    struct revision_count_list sources = { NULL, 0 };
    ASSERT(service->status == SERVICE_ACTIVE && service->controller == DEPLOYMENT_CONTROLLER_TYPE_ECS);
    int64_t last = end_act(ctx, service, STR("Service deployment stopped because a new service deployment was started."));
    int64_t digits = names_digits(ctx->now_ms, rng_next(ctx->rng), last);
    ASSERT(digits > last);
    if (service->number != 0) {
        step_back(ctx, service->number, &sources);
        drop_oldest(ctx, service->number);
    }
    int64_t next_ms;
    (void)places_expire(ctx, service, true, &next_ms);
    service->revision = revision->digits = digits;
    service->last_service_deployment = names_cut_id(id_new(ctx->ids, ctx->now_ms));
    for (enum event_cause cause = EVENT_CAUSE_STUCK; cause < EVENT_CAUSE_COUNT; cause++) {
        if (cause != EVENT_CAUSE_UNBALANCED) { service_set_mark(service, cause, 0, ctx->arena); }        /* the next step writes the event of its end */
    }
    store_put_service(ctx->txn, service);
    revision->service = service->number;
    revision->created_ms = ctx->now_ms;
    store_put_service_revision(ctx->txn, revision);
    services_count_use(ctx, revision, 1);
    put_deployment(ctx, service, digits);
    put_act(ctx, service, digits, sources);
    make_due(ctx, service);
    if (service->daemon == NULL) { services_preflight(ctx, service->number); } else { services_gate_all(ctx, service); }
}

/* All revisions of an Express service have the same one. */
static void drop_gateway(struct op_ctx *ctx, const struct service *service)
{
    const struct service_revision *revision = store_service_revision(ctx->txn, service->number, service->revision, ctx->arena);
    if (revision != NULL && revision->load_balancers.count > 0) { gateway_drop(ctx, &revision->load_balancers.items[0]); }
}

void services_end(struct op_ctx *ctx, struct service *service)
{
    struct kept_deployment *deployments;
    ASSERT(service->number != 0 && service->status != SERVICE_INACTIVE);
    (void)end_act(ctx, service, STR("Service deployment stopped because the service is deleted."));
    size_t count = store_list_deployments(ctx->txn, service->number, &deployments, ctx->arena);
    for (size_t d = 0; d < count; d++) { services_drop_deployment(ctx, &deployments[d]); }
    if (str_is_set(service->infrastructure_role)) { drop_gateway(ctx, service); }
    int64_t next_ms;
    (void)places_expire(ctx, service, true, &next_ms);
    service_become(service, SERVICE_INACTIVE, ctx->now_ms);
    store_put_service(ctx->txn, service);
    if (service->daemon != NULL) { services_gate_all(ctx, service); }
    make_due(ctx, service);
}
