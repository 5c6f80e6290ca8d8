/* task_sets.c: the task sets of a service with the controller EXTERNAL. A set is a deployment with its own revision; the service's next step starts and
 * stops its tasks, and removes a DRAINING set that has no tasks left. */
#include "api/handlers.h"
#include "api/schemas/tasksets.h"
#include "api/rules/rules.h"
#include "api/services/books.h"
#include "api/show/view.h"
#include "api/traffic/traffic.h"
#include "scheduler/reconcile/reconcile.h"

enum { TASK_SETS_MAX = 5 };

/* The service that a request names, and its task sets, oldest first. */
struct owner { const struct cluster *cluster; struct service service; struct kept_deployment *sets; size_t count; };

/* ---- finding ---- */

static bool find_owner(struct op_ctx *ctx, struct str cluster_reference, struct str reference, bool changes, struct owner *owner, struct err *err)
{
    const struct service *service = changes ? services_find_active(ctx, cluster_reference, reference, &owner->cluster, err)
                                            : services_find(ctx, cluster_reference, reference, &owner->cluster, err);
    if (service == NULL) { return false; }
    if (service->status == SERVICE_INACTIVE) { return err_set(err, ERR_SERVICE_NOT_ACTIVE, "Service was not ACTIVE."); }
    if (service->controller != DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL) {
        return err_set(err, ERR_INVALID_PARAMETER, "Amazon ECS only supports task set management on services configured to use external deployment "
                       "controllers.");
    }
    owner->service = *service;
    owner->count = store_list_deployments(ctx->txn, service->number, &owner->sets, ctx->arena);
    return true;
}

/* NULL: ERR_TASK_SET_NOT_FOUND, with *digits of a set that is not there; ERR_INVALID_PARAMETER: the reference is neither an id nor an ARN. */
static struct kept_deployment *find_set(struct op_ctx *ctx, const struct owner *owner, struct str reference, int64_t *digits, struct err *err)
{
    const struct service_name name = { owner->cluster->name, owner->service.name };
    if (!names_read_task_set(&ctx->config->names, reference, &name, digits, err)) { return NULL; }
    for (size_t s = 0; s < owner->count; s++) {
        if (owner->sets[s].digits == *digits) { return &owner->sets[s]; }
    }
    (void)err_set(err, ERR_TASK_SET_NOT_FOUND, "The specified task set does not exist.");
    return NULL;
}

/* One that a request changes: it is not DRAINING. NULL and *err. */
static struct kept_deployment *find_staying(struct op_ctx *ctx, const struct owner *owner, struct str reference, struct err *err)
{
    int64_t digits;
    struct kept_deployment *set = find_set(ctx, owner, reference, &digits, err);
    if (set == NULL || set->status != DEPLOYMENT_STATUS_DRAINING) { return set; }
    (void)err_set(err, ERR_INVALID_PARAMETER, "The task set is DRAINING: it can't be changed any more.");
    return NULL;
}

static struct task_set *show(struct op_ctx *ctx, const struct service_parts *parts, int64_t digits, bool with_tags)
{
    size_t at = 0;
    struct task_set *view = ARENA_NEW(ctx->arena, struct task_set, 1);
    while (at < parts->deployment_count && parts->deployments[at].deployment->digits != digits) { at++; }
    ASSERT(at < parts->deployment_count);
    view_task_set_fill(parts, &parts->deployments[at], with_tags, ctx->arena, view);
    return view;
}

static struct task_set *show_one(struct op_ctx *ctx, const struct owner *owner, const struct kept_deployment *set, bool with_tags)
{
    const struct service_parts parts = view_service_parts(ctx, owner->cluster, &owner->service);
    return show(ctx, &parts, set->digits, with_tags);
}

/* Writes the set and its service. */
static struct task_set *keep(struct op_ctx *ctx, struct owner *owner, const struct kept_deployment *set, bool with_tags)
{
    ASSERT(set->task_set != NULL && set->service == owner->service.number);
    store_put_deployment(ctx->txn, set);
    services_changed(ctx, &owner->service);
    return show_one(ctx, owner, set, with_tags);
}

/* A percentage, which the schema has limited, in millionths. */
static bool read_scale(const struct scale *scale, int64_t *millionths, struct err *err)
{
    *millionths = 0;
    if (scale == NULL) { return true; }
    if (!scale->value.set) { return err_set(err, ERR_INVALID_PARAMETER, "scale.value can not be blank."); }
    ASSERT(scale->value.value >= 0 && scale->value.value <= 100);
    *millionths = (int64_t)(scale->value.value * (SCALE_WHOLE / 100) + 0.5);
    return true;
}

/* ---- CreateTaskSet ---- */

static int64_t request_hash(struct op_ctx *ctx, const struct create_task_set_request *request)
{
    struct create_task_set_request asked = *request;
    asked.client_token = asked.cluster = asked.service = (struct str){ NULL, 0 };
    asked.tags = (struct tag_list){ NULL, 0 };
    return support_request_hash(&create_task_set_request_schema, &asked, ctx->arena);
}

/* The set that an earlier call with this token made; NULL: there is none. */
static const struct kept_deployment *find_made(const struct owner *owner, struct str token)
{
    for (size_t s = 0; token.len > 0 && s < owner->count; s++) {
        if (str_eq(owner->sets[s].task_set->client_token, token)) { return &owner->sets[s]; }
    }
    return NULL;
}

static bool draft_revision(struct op_ctx *ctx, const struct create_task_set_request *request, const struct owner *owner, struct service_revision *revision,
                           struct err *err)
{
    const struct taskdef *taskdef;
    if (!support_find_taskdef(ctx, request->task_definition, &taskdef, err) || !service_check_taskdef(taskdef, err)) { return false; }
    struct service_draft draft = {
        .service = owner->service,
        .revision = {
            .family = taskdef->def.family,
            .revision = taskdef->def.revision.value,
            .network_configuration = service_network(request->network_configuration, ctx->arena),
            .load_balancers = SERVICE_LIST(request->load_balancers),
            .service_registries = SERVICE_LIST(request->service_registries),
        },
        .wants_both_launches = request->capacity_provider_strategy.count > 0 && request->launch_type != LAUNCH_TYPE_UNSET,
    };
    service_choose_launch(ctx, request->launch_type, &request->capacity_provider_strategy, owner->cluster, &draft.revision);
    if (!service_check_task_set(ctx, &draft, taskdef, err)) { return false; }
    if (!traffic_check_balancers(ctx, &draft.revision.load_balancers, taskdef->def.network_mode, err)) { return false; }
    *revision = draft.revision;
    return true;
}

/* The draft with what a set has beside its workload. */
static struct kept_deployment *make_set(struct op_ctx *ctx, const struct create_task_set_request *request, const struct owner *owner, int64_t scale)
{
    struct task_set_part *part = ARENA_NEW(ctx->arena, struct task_set_part, 1);
    struct kept_deployment *set = ARENA_NEW(ctx->arena, struct kept_deployment, 1);
    int64_t last = owner->count > 0 ? owner->sets[owner->count - 1].digits : 0;
    *part = (struct task_set_part){
        .external_id = request->external_id.len > 0 ? request->external_id : (struct str){ NULL, 0 },
        .scale = scale,
        .tags = SERVICE_LIST(request->tags),
        .client_token = request->client_token.len > 0 ? request->client_token : (struct str){ NULL, 0 },
        .request_hash = request_hash(ctx, request),
    };
    task_set_become(part, STABILITY_STATUS_STABILIZING, ctx->now_ms);
    *set = (struct kept_deployment){
        .digits = names_digits(ctx->now_ms, rng_next(ctx->rng), last), .service = owner->service.number, .task_set = part,
    };
    deployment_become(set, DEPLOYMENT_STATUS_ACTIVE, ctx->now_ms);
    return set;
}

/* The same call again comes before all other checks of the request, so that a call whose reply was lost can be repeated after any change. */
bool op_create_task_set(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct create_task_set_request *request = input;
    struct create_task_set_response *response = output;
    struct owner owner;
    struct service_revision revision;
    int64_t scale;
    if (!support_check_token(request->client_token, err) || !find_owner(ctx, request->cluster, request->service, true, &owner, err)) { return false; }
    const struct kept_deployment *made = find_made(&owner, request->client_token);
    if (made != NULL) {
        if (made->task_set->request_hash != request_hash(ctx, request)) {
            return err_set(err, ERR_INVALID_PARAMETER, "Creation of task set was not idempotent.");
        }
        response->task_set = show_one(ctx, &owner, made, made->task_set->tags.count > 0);
        return true;
    }
    if (owner.count >= TASK_SETS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "%d deployments exist on the service. Unable to create new TaskSet since this exceeds the maximum limit.",
                       TASK_SETS_MAX);
    }
    if (!draft_revision(ctx, request, &owner, &revision, err) || !read_scale(request->scale, &scale, err)) { return false; }
    if (!support_check_tags(&request->tags, TAGGED_OTHER, err)) { return false; }

    const struct kept_deployment *set = make_set(ctx, request, &owner, scale);
    revision.digits = set->digits;
    revision.service = set->service;
    revision.created_ms = ctx->now_ms;
    store_put_service_revision(ctx->txn, &revision);
    services_count_use(ctx, &revision, 1);
    response->task_set = keep(ctx, &owner, set, request->tags.count > 0);
    return true;
}

/* ---- UpdateTaskSet, UpdateServicePrimaryTaskSet, DeleteTaskSet ---- */

/* computedDesiredCount changes with the service's next step, which also adds the event. Until then the set is not stable, so that a client that waits for it
 * does not go on too early. */
bool op_update_task_set(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct update_task_set_request *request = input;
    struct update_task_set_response *response = output;
    struct owner owner;
    int64_t scale;
    if (!find_owner(ctx, request->cluster, request->service, true, &owner, err)) { return false; }
    struct kept_deployment *set = find_staying(ctx, &owner, request->task_set, err);
    if (set == NULL || !read_scale(request->scale, &scale, err)) { return false; }
    struct task_set_part *part = set->task_set;
    part->scale = scale;
    set->updated_ms = ctx->now_ms;
    if (reconcile_computed(owner.service.desired_count, scale) != part->computed) { task_set_become(part, STABILITY_STATUS_STABILIZING, ctx->now_ms); }
    response->task_set = keep(ctx, &owner, set, false);
    return true;
}

/* The service shows the workload of its PRIMARY set. */
bool op_update_service_primary_task_set(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct update_service_primary_task_set_request *request = input;
    struct update_service_primary_task_set_response *response = output;
    struct owner owner;
    if (!find_owner(ctx, request->cluster, request->service, true, &owner, err)) { return false; }
    struct kept_deployment *set = find_staying(ctx, &owner, request->primary_task_set, err);
    if (set == NULL) { return false; }
    if (set->status == DEPLOYMENT_STATUS_PRIMARY) {
        response->task_set = show_one(ctx, &owner, set, false);
        return true;
    }
    for (size_t s = 0; s < owner.count; s++) {
        if (owner.sets[s].status != DEPLOYMENT_STATUS_PRIMARY) { continue; }
        deployment_become(&owner.sets[s], DEPLOYMENT_STATUS_ACTIVE, ctx->now_ms);
        store_put_deployment(ctx->txn, &owner.sets[s]);
    }
    deployment_become(set, DEPLOYMENT_STATUS_PRIMARY, ctx->now_ms);
    owner.service.revision = set->digits;
    response->task_set = keep(ctx, &owner, set, false);
    return true;
}

/* A set that is DRAINING already is shown as it is. */
bool op_delete_task_set(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_task_set_request *request = input;
    struct delete_task_set_response *response = output;
    bool forced = request->force == OPT_TRUE;
    struct owner owner;
    int64_t digits;
    if (!find_owner(ctx, request->cluster, request->service, true, &owner, err)) { return false; }
    struct kept_deployment *set = find_set(ctx, &owner, request->task_set, &digits, err);
    if (set == NULL) { return false; }
    if (set->status == DEPLOYMENT_STATUS_DRAINING) {
        response->task_set = show_one(ctx, &owner, set, false);
        return true;
    }
    bool is_primary = set->status == DEPLOYMENT_STATUS_PRIMARY;
    if (!forced && is_primary) { return err_set(err, ERR_INVALID_PARAMETER, "Primary TaskSet cannot be deleted"); }
    if (!forced && set->task_set->scale > 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "The task set cannot be deleted while its scale is above 0.");
    }
    if (is_primary) { owner.service.revision = 0; }
    deployment_become(set, DEPLOYMENT_STATUS_DRAINING, ctx->now_ms);
    set->task_set->computed = 0;
    task_set_become(set->task_set, STABILITY_STATUS_STABILIZING, ctx->now_ms);
    response->task_set = keep(ctx, &owner, set, false);
    return true;
}

/* ---- DescribeTaskSets ---- */

static bool describe(struct op_ctx *ctx, const struct owner *owner, const struct service_parts *parts, struct str reference, bool with_tags,
                     struct describe_task_sets_response *response, struct err *err)
{
    int64_t digits;
    struct err missing = { 0 };
    if (find_set(ctx, owner, reference, &digits, &missing) != NULL) {
        response->task_sets.items[response->task_sets.count++] = *show(ctx, parts, digits, with_tags);
        return true;
    }
    if (missing.code != ERR_TASK_SET_NOT_FOUND) {
        *err = missing;
        return false;
    }
    struct str arn = names_task_set_arn(&ctx->config->names, owner->cluster->name, owner->service.name, digits, ctx->arena);
    response->failures.items[response->failures.count++] = view_missing(reference, arn);
    return true;
}

bool op_describe_task_sets(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_task_sets_request *request = input;
    struct describe_task_sets_response *response = output;
    struct owner owner;
    if (!find_owner(ctx, request->cluster, request->service, false, &owner, err)) { return false; }
    const struct service_parts parts = view_service_parts(ctx, owner.cluster, &owner.service);
    bool with_tags = request->include.count > 0, all = request->task_sets.count == 0;
    size_t count = all ? owner.count : request->task_sets.count;
    response->task_sets.items = ARENA_NEW(ctx->arena, struct task_set, count);
    response->failures.items = ARENA_NEW(ctx->arena, struct failure, count);
    for (size_t s = 0; s < count; s++) {
        if (all) {
            response->task_sets.items[response->task_sets.count++] = *show(ctx, &parts, owner.sets[s].digits, with_tags);
        } else if (!describe(ctx, &owner, &parts, request->task_sets.items[s], with_tags, response, err)) {
            return false;
        }
    }
    return true;
}
