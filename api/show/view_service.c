/* view_service.c: services, their deployments, task sets, service deployments and revisions as ECS shows them. view_service_parts reads the records and
 * counts the tasks; all views are made of its answer, and read nothing. */
#include "api/show/view.h"

/* ---- reading ---- */

static void add_deployment(struct op_ctx *ctx, struct service_parts *parts, const struct kept_deployment *deployment)
{
    ASSERT(deployment->service == parts->service->number);
    parts->deployments[parts->deployment_count++] = (struct deployment_parts){
        .deployment = deployment,
        .revision = store_service_revision(ctx->txn, deployment->service, deployment->digits, ctx->arena),
        .counts = store_deployment_counts(ctx->txn, deployment->digits),
    };
}

struct service_parts view_service_parts(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service)
{
    const struct names *names = &ctx->config->names;
    struct kept_deployment *kept;
    size_t count = store_list_deployments(ctx->txn, service->number, &kept, ctx->arena);
    struct service_parts parts = {
        .names = names, .cluster = cluster->name, .service = service,
        .cluster_arn = names_cluster_arn(names, cluster->name, ctx->arena),
        .service_arn = names_service_arn(names, cluster->name, service->name, ctx->arena),
        .revision = service->revision == 0 ? NULL : store_service_revision(ctx->txn, service->number, service->revision, ctx->arena),
        .deployments = ARENA_NEW(ctx->arena, struct deployment_parts, count),
    };
    for (size_t d = count; d-- > 0;) {
        if (kept[d].status == DEPLOYMENT_STATUS_PRIMARY) { add_deployment(ctx, &parts, &kept[d]); }
    }
    for (size_t d = count; d-- > 0;) {
        bool is_other = kept[d].status == DEPLOYMENT_STATUS_ACTIVE || kept[d].status == DEPLOYMENT_STATUS_DRAINING;
        if (is_other) { add_deployment(ctx, &parts, &kept[d]); }
    }
    ASSERT(parts.deployment_count <= count);
    return parts;
}

/* ---- what several views show ---- */

enum launch_type view_service_launch_type(const struct service *service, const struct service_revision *revision)
{
    if (revision != NULL) { return revision->launch_type; }
    return service->created_launch_type == LAUNCH_TYPE_UNSET ? LAUNCH_TYPE_EC2 : service->created_launch_type;
}

enum resource_management_type view_service_management(const struct service *service)
{
    return str_is_set(service->infrastructure_role) ? RESOURCE_MANAGEMENT_TYPE_ECS : RESOURCE_MANAGEMENT_TYPE_CUSTOMER;
}

/* Absent for a service with the controller EXTERNAL that has no PRIMARY task set. */
static struct str taskdef_arn(const struct service_parts *parts, const struct service_revision *revision, struct arena *arena)
{
    return revision == NULL ? (struct str){ NULL, 0 } : names_taskdef_arn(parts->names, revision->family, revision->revision, arena);
}

static struct str revision_arn(const struct service_parts *parts, int64_t digits, struct arena *arena)
{
    return names_revision_arn(parts->names, parts->cluster, parts->service->name, digits, arena);
}

static struct str act_arn(const struct service_parts *parts, struct id id, struct arena *arena)
{
    return names_service_deployment_arn(parts->names, parts->cluster, parts->service->name, id, arena);
}

/* The tasks that a deployment is to have. */
static int64_t desired_of(const struct service_parts *parts, const struct kept_deployment *deployment)
{
    return deployment->status == DEPLOYMENT_STATUS_PRIMARY ? parts->service->desired_count : deployment->wanted;
}

/* ---- deployments and task sets ---- */

static struct service_connect_service_resource_list connect_names(const struct service_connect_configuration *connect, struct arena *arena)
{
    struct service_connect_service_resource_list list = { NULL, 0 };
    if (connect == NULL || connect->enabled != OPT_TRUE) { return list; }
    list.items = ARENA_NEW(arena, struct service_connect_service_resource, connect->services.count);
    for (; list.count < connect->services.count; list.count++) {
        const struct service_connect_service *service = &connect->services.items[list.count];
        list.items[list.count].discovery_name = service->discovery_name.len > 0 ? service->discovery_name : service->port_name;
    }
    return list;
}

static struct deployment_view deployment_view(const struct service_parts *parts, const struct deployment_parts *part, struct arena *arena)
{
    const struct kept_deployment *deployment = part->deployment;
    const struct service_revision *revision = part->revision;
    struct deployment_view view = {
        .id = names_deployment_id(deployment->digits, arena),
        .status = enum_word(&deployment_status_names, (int)deployment->status),
        .task_definition = taskdef_arn(parts, revision, arena),
        .desired_count = opt_int_of(desired_of(parts, deployment)),
        .pending_count = opt_int_of(part->counts.pending),
        .running_count = opt_int_of(part->counts.running),
        .failed_tasks = opt_int_of(deployment->failed),
        .created_at = deployment->rolled_back_ms != 0 ? deployment->rolled_back_ms : deployment->created_ms,
        .updated_at = deployment->updated_ms,
        .rollout_state = deployment->rollout,
        .rollout_state_reason = deployment->rollout_reason,
    };
    if (revision == NULL) { return view; }
    view.launch_type = revision->launch_type;
    view.capacity_provider_strategy = revision->capacity_provider_strategy;
    view.network_configuration = revision->network_configuration;
    view.service_connect_configuration = revision->service_connect_configuration;
    view.service_connect_resources = connect_names(revision->service_connect_configuration, arena);
    return view;
}

static struct scale *scale_of(int64_t millionths, struct arena *arena)
{
    ASSERT(millionths >= 0);
    struct scale *scale = ARENA_NEW(arena, struct scale, 1);
    *scale = (struct scale){ { (double)millionths / 10000.0, true }, SCALE_UNIT_PERCENT };
    return scale;
}

void view_task_set_fill(const struct service_parts *parts, const struct deployment_parts *set, bool with_tags, struct arena *arena, struct task_set *view)
{
    static const struct task_set_part nothing;
    const struct kept_deployment *deployment = set->deployment;
    const struct service_revision *revision = set->revision;
    const struct task_set_part *part = deployment->task_set == NULL ? &nothing : deployment->task_set;
    *view = (struct task_set){
        .id = names_deployment_id(deployment->digits, arena),
        .task_set_arn = names_task_set_arn(parts->names, parts->cluster, parts->service->name, deployment->digits, arena),
        .service_arn = parts->service_arn,
        .cluster_arn = parts->cluster_arn,
        .started_by = part->started_by,
        .external_id = part->external_id,
        .status = enum_word(&deployment_status_names, (int)deployment->status),
        .task_definition = taskdef_arn(parts, revision, arena),
        .computed_desired_count = opt_int_of(part->computed),
        .pending_count = opt_int_of(set->counts.pending),
        .running_count = opt_int_of(set->counts.running),
        .created_at = deployment->created_ms,
        .updated_at = deployment->updated_ms,
        .load_balancers = { LIST_NOTHING, 0 },
        .service_registries = { LIST_NOTHING, 0 },
        .scale = scale_of(part->scale, arena),
        .stability_status = part->stability,
        .stability_status_at = part->stability_since_ms,
    };
    if (with_tags) { view->tags = (struct tag_list)SHOWN(part->tags); }
    if (revision == NULL) { return; }
    view->launch_type = revision->launch_type;
    view->capacity_provider_strategy = revision->capacity_provider_strategy;
    view->network_configuration = revision->network_configuration;
    view->load_balancers = (struct load_balancer_list)SHOWN(revision->load_balancers);
    view->service_registries = (struct service_registry_list)SHOWN(revision->service_registries);
}

/* ---- services ---- */

/* A role's name is shown as its ARN. */
static struct str role_arn(const struct service_parts *parts, struct arena *arena)
{
    struct str role = parts->service->role;
    if (role.len == 0 || str_starts_with(role, STR("arn:"))) { return role; }
    return arena_printf(arena, "arn:aws:iam::" STR_FMT ":role/" STR_FMT, STR_ARG(parts->names->account), STR_ARG(role));
}

/* With the controller ECS: deployments, their revisions, and the newest service deployment. */
static void fill_deployments(const struct service_parts *parts, struct arena *arena, struct service_view *view)
{
    size_t count = parts->deployment_count;
    view->deployments.items = ARENA_NEW(arena, struct deployment_view, count + 1);
    view->current_service_revisions.items = ARENA_NEW(arena, struct service_current_revision_summary, count + 1);
    view->deployments.count = view->current_service_revisions.count = count;
    for (size_t d = 0; d < count; d++) {
        struct deployment_view *deployment = &view->deployments.items[d];
        *deployment = deployment_view(parts, &parts->deployments[d], arena);
        view->current_service_revisions.items[d] = (struct service_current_revision_summary){
            revision_arn(parts, parts->deployments[d].deployment->digits, arena),
            deployment->desired_count, deployment->running_count, deployment->pending_count,
        };
    }
    struct id newest = parts->service->last_service_deployment;
    if (!id_is_zero(newest)) { view->current_service_deployment = act_arn(parts, newest, arena); }
}

static void fill_task_sets(const struct service_parts *parts, bool with_tags, struct arena *arena, struct service_view *view)
{
    size_t count = parts->deployment_count;
    view->deployments.items = LIST_NOTHING;
    view->task_sets = (struct task_set_list){ ARENA_NEW(arena, struct task_set, count + 1), count };
    for (size_t d = 0; d < count; d++) { view_task_set_fill(parts, &parts->deployments[d], with_tags, arena, &view->task_sets.items[d]); }
}

/* Members of the revision that the service is to run. */
static void fill_workload(const struct service_parts *parts, struct arena *arena, struct service_view *view)
{
    const struct service_revision *revision = parts->revision;
    view->launch_type = view_service_launch_type(parts->service, revision);
    view->load_balancers.items = LIST_NOTHING;
    view->service_registries.items = LIST_NOTHING;
    view->task_definition = taskdef_arn(parts, revision, arena);
    if (revision == NULL) { return; }
    view->capacity_provider_strategy = revision->capacity_provider_strategy;
    view->load_balancers = (struct load_balancer_list)SHOWN(revision->load_balancers);
    view->service_registries = (struct service_registry_list)SHOWN(revision->service_registries);
    view->network_configuration = revision->network_configuration;
}

void view_service_fill(const struct service_parts *parts, const struct service_events *events, bool with_tags, struct arena *arena,
                       struct service_view *view)
{
    const struct service *service = parts->service;
    int64_t running = 0, pending = 0;
    for (size_t d = 0; d < parts->deployment_count; d++) {
        running += parts->deployments[d].counts.running;
        pending += parts->deployments[d].counts.pending;
    }
    *view = (struct service_view){
        .service_arn = parts->service_arn, .service_name = service->name, .cluster_arn = parts->cluster_arn,
        .status = enum_word(&service_status_names, (int)service->status),
        .desired_count = opt_int_of(service->desired_count), .running_count = opt_int_of(running), .pending_count = opt_int_of(pending),
        .deployment_configuration = service->configuration,
        .role_arn = role_arn(parts, arena),
        .events = SHOWN(events->events),
        .created_at = service->created_ms, .created_by = service->created_by,
        .placement_constraints = SHOWN(service->placement_constraints), .placement_strategy = SHOWN(service->placement_strategy),
        .health_check_grace_period_seconds = opt_int_of(service->grace_period),
        .scheduling_strategy = service->scheduling,
        .deployment_controller = ARENA_NEW(arena, struct deployment_controller, 1),
        .enable_ecs_managed_tags = service->managed_tags, .propagate_tags = service->propagate_tags,
        .enable_execute_command = service->execute_command,
        .availability_zone_rebalancing = service->zone_rebalancing,
        .resource_management_type = view_service_management(service),
    };
    view->deployment_controller->type = service->controller;
    if (with_tags) { view->tags = (struct tag_list)SHOWN(service->tags); }
    fill_workload(parts, arena, view);
    if (service->controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL) {
        fill_task_sets(parts, with_tags, arena, view);
    } else {
        fill_deployments(parts, arena, view);
    }
}

struct service_view *view_service(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, bool with_tags)
{
    struct service_view *view = ARENA_NEW(ctx->arena, struct service_view, 1);
    struct service_parts parts = view_service_parts(ctx, cluster, service);
    const struct service_events *events = store_service_events(ctx->txn, service->number, ctx->arena);
    view_service_fill(&parts, events, with_tags, ctx->arena, view);
    return view;
}

/* ---- service deployments ---- */

static const struct deployment_parts *part_of(const struct service_parts *parts, int64_t digits)
{
    for (size_t d = 0; d < parts->deployment_count; d++) {
        if (parts->deployments[d].deployment->digits == digits) { return &parts->deployments[d]; }
    }
    return NULL;
}

/* Counts as they are now, and from the end on as they were then. A deployment that is not listed any more has no tasks. */
static struct service_revision_summary summary(const struct service_parts *parts, const struct service_deployment *act,
                                               const struct revision_count *count, struct arena *arena)
{
    const struct deployment_parts *part = service_deployment_has_ended(act->status) ? NULL : part_of(parts, count->digits);
    struct revision_count now = *count;
    if (!service_deployment_has_ended(act->status)) { now.requested = now.running = now.pending = 0; }
    if (part != NULL) { 
        now.requested = desired_of(parts, part->deployment);
        now.running = part->counts.running;
        now.pending = part->counts.pending;
    }
    struct service_revision_summary view = {
        .arn = revision_arn(parts, count->digits, arena),
        .requested_task_count = opt_int_of(now.requested), .running_task_count = opt_int_of(now.running), .pending_task_count = opt_int_of(now.pending),
    };
    if (act->configuration->strategy != DEPLOYMENT_STRATEGY_ROLLING && act->configuration->strategy != DEPLOYMENT_STRATEGY_UNSET) {
        view.requested_production_traffic_weight = (struct opt_double){ (double)count->production / 10, true };
        view.requested_test_traffic_weight = (struct opt_double){ (double)count->test / 10, true };
    }
    return view;
}

/* The hooks of the present stage. */
static struct deployment_lifecycle_hook_detail_list hooks_view(const struct service_deployment *act, struct arena *arena)
{
    const struct deployment_lifecycle_hook_list *given = &act->configuration->lifecycle_hooks;
    struct deployment_lifecycle_hook_detail_list view = { NULL, 0 };
    if (act->hooks.count > 0) { view.items = ARENA_NEW(arena, struct deployment_lifecycle_hook_detail, act->hooks.count); }
    for (size_t h = 0; h < act->hooks.count; h++) {
        const struct kept_hook *kept = &act->hooks.items[h];
        if (kept->place < 0 || kept->place >= (int64_t)given->count) { continue; }
        const struct deployment_lifecycle_hook *hook = &given->items[kept->place];
        const struct deployment_lifecycle_hook_timeout_configuration *timeout = hook->timeout_configuration;
        bool goes_on = timeout != NULL && timeout->action == DEPLOYMENT_LIFECYCLE_HOOK_ACTION_CONTINUE;
        bool pauses = hook->target_type == DEPLOYMENT_LIFECYCLE_HOOK_TARGET_TYPE_PAUSE;
        view.items[view.count++] = (struct deployment_lifecycle_hook_detail){
            .hook_id = kept->id, .target_type = pauses ? DEPLOYMENT_LIFECYCLE_HOOK_TARGET_TYPE_PAUSE : DEPLOYMENT_LIFECYCLE_HOOK_TARGET_TYPE_AWS_LAMBDA,
            .target_arn = hook->hook_target_arn, .status = kept->status, .expires_at = kept->expires_ms,
            .timeout_action = goes_on ? DEPLOYMENT_LIFECYCLE_HOOK_ACTION_CONTINUE : DEPLOYMENT_LIFECYCLE_HOOK_ACTION_ROLLBACK,
        };
    }
    return view;
}

static struct service_deployment_circuit_breaker *breaker_view(const struct service_parts *parts, const struct service_deployment *act, int64_t threshold,
                                                               struct arena *arena)
{
    struct service_deployment_circuit_breaker *view = ARENA_NEW(arena, struct service_deployment_circuit_breaker, 1);
    const struct deployment_parts *part = part_of(parts, act->target->digits);
    bool has_ended = service_deployment_has_ended(act->status);
    int64_t failures = part == NULL ? 0 : part->deployment->failed;
    *view = (struct service_deployment_circuit_breaker){
        act->breaker, opt_int_of(has_ended ? act->failures : failures), opt_int_of(has_ended ? act->failure_threshold : threshold),
    };
    return view;
}

static struct service_deployment_alarms *alarms_view(const struct service_deployment *act, struct arena *arena)
{
    struct service_deployment_alarms *view = ARENA_NEW(arena, struct service_deployment_alarms, 1);
    view->status = act->alarms;
    if (act->alarms == SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_DISABLED) { return view; }
    view->alarm_names = act->configuration->alarms->alarm_names;
    view->triggered_alarm_names = act->triggered_alarms;
    return view;
}

static struct rollback *rollback_view(const struct service_parts *parts, const struct service_rollback *rollback, struct arena *arena)
{
    if (rollback == NULL) { return NULL; }
    struct rollback *view = ARENA_NEW(arena, struct rollback, 1);
    *view = (struct rollback){ .reason = rollback->reason, .started_at = rollback->started_ms };
    if (rollback->digits != 0) { view->service_revision_arn = revision_arn(parts, rollback->digits, arena); }
    return view;
}

void view_service_deployment_fill(const struct service_parts *parts, const struct service_deployment *act, int64_t threshold, struct arena *arena,
                                  struct service_deployment_view *view)
{
    *view = (struct service_deployment_view){
        .service_deployment_arn = act_arn(parts, act->id, arena), .service_arn = parts->service_arn, .cluster_arn = parts->cluster_arn,
        .created_at = act->created_ms, .started_at = act->started_ms, .finished_at = act->finished_ms, .stopped_at = act->stopped_ms,
        .updated_at = act->updated_ms,
        .source_service_revisions = { ARENA_NEW(arena, struct service_revision_summary, act->sources.count + 1), act->sources.count },
        .target_service_revision = ARENA_NEW(arena, struct service_revision_summary, 1),
        .status = act->status, .status_reason = act->status_reason,
        .lifecycle_stage = act->stage, .lifecycle_hook_details = hooks_view(act, arena),
        .deployment_configuration = act->configuration,
        .rollback = rollback_view(parts, act->rollback, arena),
        .deployment_circuit_breaker = breaker_view(parts, act, threshold, arena),
        .alarms = alarms_view(act, arena),
    };
    *view->target_service_revision = summary(parts, act, act->target, arena);
    for (size_t s = 0; s < act->sources.count; s++) { view->source_service_revisions.items[s] = summary(parts, act, &act->sources.items[s], arena); }
}

void view_service_deployment_brief(const struct service_parts *parts, const struct service_deployment *act, struct arena *arena,
                                   struct service_deployment_brief *view)
{
    *view = (struct service_deployment_brief){
        .service_deployment_arn = act_arn(parts, act->id, arena), .service_arn = parts->service_arn, .cluster_arn = parts->cluster_arn,
        .started_at = act->started_ms, .created_at = act->created_ms, .finished_at = act->finished_ms,
        .target_service_revision_arn = revision_arn(parts, act->target->digits, arena),
        .status = act->status, .status_reason = act->status_reason,
    };
}

/* ---- revisions ---- */

/* Until a task has reported its images, those of the definition. */
static struct container_image_list images_of(const struct service_revision *revision, const struct taskdef *taskdef, struct arena *arena)
{
    if (revision->container_images.count > 0 || taskdef == NULL) { return (struct container_image_list)SHOWN(revision->container_images); }
    const struct container_definition_list *containers = &taskdef->def.container_definitions;
    struct container_image_list images = { ARENA_NEW(arena, struct container_image, containers->count + 1), containers->count };
    for (size_t c = 0; c < images.count; c++) {
        images.items[c] = (struct container_image){ .container_name = containers->items[c].name, .image = containers->items[c].image };
    }
    return images;
}

void view_revision_fill(const struct service_parts *parts, const struct service_revision *revision, const struct taskdef *taskdef, struct arena *arena,
                        struct service_revision_view *view)
{
    *view = (struct service_revision_view){
        .service_revision_arn = revision_arn(parts, revision->digits, arena), .service_arn = parts->service_arn, .cluster_arn = parts->cluster_arn,
        .task_definition = taskdef_arn(parts, revision, arena),
        .capacity_provider_strategy = revision->capacity_provider_strategy, .launch_type = revision->launch_type,
        .load_balancers = SHOWN(revision->load_balancers), .service_registries = SHOWN(revision->service_registries),
        .network_configuration = revision->network_configuration,
        .container_images = images_of(revision, taskdef, arena),
        .guard_duty_enabled = OPT_FALSE,
        .service_connect_configuration = revision->service_connect_configuration,
        .created_at = revision->created_ms,
        .monitoring = revision->monitoring,
    };
    if (view->service_connect_configuration != NULL) { return; }
    view->service_connect_configuration = ARENA_NEW(arena, struct service_connect_configuration, 1);
    view->service_connect_configuration->enabled = OPT_FALSE;
}
