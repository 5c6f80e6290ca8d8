/* history.c: service deployments and revisions: described, listed, stopped and continued. */
#include "api/express/express.h"
#include "api/handlers.h"
#include "api/rules/rules.h"
#include "api/services/services.h"
#include "api/show/view.h"

enum { ACTS_PAGE_DEFAULT = 20 };

/* ---- finding ---- */

/* The cluster and the service that an ARN names. */
struct owner { const struct cluster *cluster; const struct service *service; };

/* owner->service NULL: it is not there. False: the caller may not ask for it. */
static bool find_owner(struct op_ctx *ctx, const struct service_name *name, struct owner *owner, struct err *err)
{
    struct err missing = { 0 };
    owner->service = services_find(ctx, name->cluster, name->service, &owner->cluster, &missing);
    if (owner->service != NULL || missing.code == ERR_CLUSTER_NOT_FOUND || missing.code == ERR_SERVICE_NOT_FOUND) { return true; }
    *err = missing;
    return false;
}

/* *act NULL: it is not there. False: that is no such ARN, or the caller may not ask for it. */
static bool find_act(struct op_ctx *ctx, struct str arn, struct owner *owner, const struct service_deployment **act, struct err *err)
{
    struct service_name name;
    struct id id;
    if (!names_read_service_deployment(&ctx->config->names, arn, &name, &id, ctx->arena, err) || !find_owner(ctx, &name, owner, err)) { return false; }
    *act = owner->service == NULL ? NULL : store_service_deployment(ctx->txn, owner->service->number, id, ctx->arena);
    return true;
}

/* ---- DescribeServiceDeployments, DescribeServiceRevisions ---- */

static int64_t threshold_of(const struct service *service)
{
    struct breaker breaker = service_breaker(service->configuration);
    return breaker_threshold(&breaker, service->desired_count);
}

enum found { FOUND, NOT_THERE, REFUSED };

/* Fills *item, one of a list in a reply, with the thing that the ARN names. REFUSED: *err says why. */
typedef enum found describe_one(struct op_ctx *ctx, struct str arn, void *item, struct err *err);

/* Into `items`, each of `size` bytes and one for each ARN at least; those that are not there are failures. */
static bool describe_each(struct op_ctx *ctx, const struct str_list *arns, describe_one *one, void *items, size_t size, size_t *count,
                          struct failure_list *failures, struct err *err)
{
    failures->items = ARENA_NEW(ctx->arena, struct failure, arns->count + 1);
    for (size_t a = 0; a < arns->count; a++) {
        enum found found = one(ctx, arns->items[a], (char *)items + *count * size, err);
        if (found == REFUSED) { return false; }
        *count += found == FOUND;
        if (found == NOT_THERE) { failures->items[failures->count++] = view_missing(arns->items[a], arns->items[a]); }
    }
    ASSERT(*count + failures->count == arns->count);
    return true;
}

static enum found describe_act(struct op_ctx *ctx, struct str arn, void *item, struct err *err)
{
    struct owner owner;
    const struct service_deployment *act;
    if (!find_act(ctx, arn, &owner, &act, err)) { return REFUSED; }
    if (act == NULL) { return NOT_THERE; }
    struct service_parts parts = view_service_parts(ctx, owner.cluster, owner.service);
    view_service_deployment_fill(&parts, act, threshold_of(owner.service), ctx->arena, item);
    return FOUND;
}

bool op_describe_service_deployments(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_service_deployments_request *request = input;
    struct describe_service_deployments_response *response = output;
    struct service_deployment_view_list *list = &response->service_deployments;
    list->items = ARENA_NEW(ctx->arena, struct service_deployment_view, request->service_deployment_arns.count + 1);
    return describe_each(ctx, &request->service_deployment_arns, describe_act, list->items, sizeof *list->items, &list->count, &response->failures, err);
}

static enum found describe_revision(struct op_ctx *ctx, struct str arn, void *item, struct err *err)
{
    struct service_name name;
    struct owner owner;
    int64_t digits;
    if (!names_read_revision(&ctx->config->names, arn, &name, &digits, err) || !find_owner(ctx, &name, &owner, err)) { return REFUSED; }
    const struct service_revision *revision =
        owner.service == NULL ? NULL : store_service_revision(ctx->txn, owner.service->number, digits, ctx->arena);
    if (revision == NULL) { return NOT_THERE; }
    const struct taskdef *taskdef = store_taskdef(ctx->txn, revision->family, revision->revision, ctx->arena);
    struct service_parts parts = view_service_parts(ctx, owner.cluster, owner.service);
    struct service_revision_view *view = item;
    view_revision_fill(&parts, revision, taskdef, ctx->arena, view);
    if (str_is_set(owner.service->infrastructure_role)) { view->ecs_managed_resources = express_resources(ctx, owner.cluster, owner.service, revision); }
    return FOUND;
}

bool op_describe_service_revisions(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_service_revisions_request *request = input;
    struct describe_service_revisions_response *response = output;
    struct service_revision_view_list *list = &response->service_revisions;
    list->items = ARENA_NEW(ctx->arena, struct service_revision_view, request->service_revision_arns.count + 1);
    return describe_each(ctx, &request->service_revision_arns, describe_revision, list->items, sizeof *list->items, &list->count, &response->failures, err);
}

/* ---- ListServiceDeployments ---- */

bool services_created_in(const struct created_at *range, int64_t created_ms)
{
    return range == NULL || ((range->after == 0 || created_ms >= range->after) && (range->before == 0 || created_ms < range->before));
}

static bool matches(const struct list_service_deployments_request *request, const struct service_deployment *act)
{
    bool any_status = request->status.count == 0;
    for (size_t s = 0; s < request->status.count; s++) { any_status = any_status || request->status.items[s] == (int)act->status; }
    return any_status && services_created_in(request->created_at, act->created_ms);
}

bool op_list_service_deployments(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_service_deployments_request *request = input;
    struct list_service_deployments_response *response = output;
    struct str list = STR("ListServiceDeployments");
    const struct cluster *cluster;
    struct id before;
    const struct service *service = services_find(ctx, request->cluster, request->service, &cluster, err);
    if (service == NULL || !paging_id(ctx, list, request->next_token, &before, err)) { return false; }

    size_t limit = request->max_results.set ? support_page_limit(request->max_results) : ACTS_PAGE_DEFAULT;
    struct service_deployment *acts = ARENA_NEW(ctx->arena, struct service_deployment, SERVICE_DEPLOYMENTS_MAX);
    size_t count = store_list_service_deployments(ctx->txn, service->number, before, acts, SERVICE_DEPLOYMENTS_MAX, ctx->arena), shown = 0;
    struct service_parts parts = view_service_parts(ctx, cluster, service);
    response->service_deployments.items = ARENA_NEW(ctx->arena, struct service_deployment_brief, limit);
    for (size_t a = 0; a < count; a++) {
        if (!matches(request, &acts[a])) { continue; }
        if (shown == limit) {
            char hex[ID_HEX_LEN + 1];
            id_hex(before, hex);
            response->next_token = paging_token(ctx, list, (struct str){ hex, ID_HEX_LEN });
            break;
        }
        before = acts[a].id;
        view_service_deployment_brief(&parts, &acts[a], ctx->arena, &response->service_deployments.items[shown++]);
    }
    response->service_deployments.count = shown;
    return true;
}

/* ---- StopServiceDeployment, ContinueServiceDeployment ---- */

/* NULL: ERR_SERVICE_DEPLOYMENT_NOT_FOUND, or as find_act says. */
static const struct service_deployment *find_there(struct op_ctx *ctx, struct str arn, struct owner *owner, struct err *err)
{
    const struct service_deployment *act = NULL;
    if (find_act(ctx, arn, owner, &act, err) && act == NULL) {
        (void)err_set(err, ERR_SERVICE_DEPLOYMENT_NOT_FOUND, "The service deployment does not exist.");
    }
    return act;
}

static bool refuse_stop(struct op_ctx *ctx, struct str arn, struct err *err)
{
    err->resource_ids = arena_copy(ctx->arena, &arn, sizeof arn);
    err->resource_id_count = 1;
    return err_set(err, ERR_CONFLICT, "The service deployment is in a terminal state and can't be stopped.");
}

/* Its next step rolls back, or with ABORT leaves all tasks as they are. One that is stopping or rolling back already goes on. */
bool op_stop_service_deployment(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct stop_service_deployment_request *request = input;
    struct stop_service_deployment_response *response = output;
    struct owner owner;
    const struct service_deployment *found = find_there(ctx, request->service_deployment_arn, &owner, err);
    if (found == NULL) { return false; }
    if (service_deployment_has_ended(found->status)) { return refuse_stop(ctx, request->service_deployment_arn, err); }
    response->service_deployment_arn = request->service_deployment_arn;
    bool goes_forward = found->status == SERVICE_DEPLOYMENT_STATUS_PENDING || found->status == SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS;
    if (!goes_forward) { return true; }

    struct service_deployment act = *found;
    struct service service = *owner.service;
    bool aborts = request->stop_type == STOP_SERVICE_DEPLOYMENT_STOP_TYPE_ABORT;
    service_deployment_become(&act, aborts ? SERVICE_DEPLOYMENT_STATUS_STOP_REQUESTED : SERVICE_DEPLOYMENT_STATUS_ROLLBACK_REQUESTED, ctx->now_ms);
    store_put_service_deployment(ctx->txn, &act);
    services_changed(ctx, &service);
    return true;
}

/* ecs-{hookType}-{id}, of letters, digits, '-' and '_'. */
static bool is_hook_id(struct str id)
{
    struct str ecs, rest, type, name;
    return names_is_valid(id) && str_cut(id, '-', &ecs, &rest) && str_eq(ecs, STR("ecs")) && str_cut(rest, '-', &type, &name) && type.len > 0 && name.len > 0;
}

/* The hook waits for a user. */
static bool is_open(const struct service_deployment *act, const struct kept_hook *hook, int64_t now_ms)
{
    bool waits = hook->status == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_AWAITING_ACTION && now_ms < hook->expires_ms;
    return waits && act->status == SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS;
}

/* The next step goes on, or rolls back. */
bool op_continue_service_deployment(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct continue_service_deployment_request *request = input;
    struct owner owner;
    struct continue_service_deployment_response *response = output;
    if (!is_hook_id(request->hook_id)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Invalid hookId: hookId must follow the format: ecs-{hookType}-{id}");
    }
    const struct service_deployment *found = find_there(ctx, request->service_deployment_arn, &owner, err);
    if (found == NULL) { return false; }
    if (service_deployment_has_ended(found->status)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Continuing a service deployment is not allowed for service deployment in terminal states.");
    }
    struct service_deployment act = *found;
    struct service service = *owner.service;
    act.hooks.items = arena_copy(ctx->arena, act.hooks.items, act.hooks.count * sizeof *act.hooks.items);
    for (size_t h = 0; h < act.hooks.count; h++) {
        struct kept_hook *hook = &act.hooks.items[h];
        if (!str_eq(hook->id, request->hook_id) || !is_open(&act, hook, ctx->now_ms)) { continue; }
        bool goes_on = request->action != DEPLOYMENT_LIFECYCLE_HOOK_ACTION_ROLLBACK;
        hook_become(hook, goes_on ? DEPLOYMENT_LIFECYCLE_HOOK_STATUS_SUCCEEDED : DEPLOYMENT_LIFECYCLE_HOOK_STATUS_FAILED);
        lines_of_hook(ctx, owner.cluster, owner.service, hook);
        store_put_service_deployment(ctx->txn, &act);
        services_changed(ctx, &service);
        response->service_deployment_arn = request->service_deployment_arn;
        return true;
    }
    return err_set(err, ERR_INVALID_PARAMETER, "Provided hookId is either completed, unavailable, or not associated with the given Resource ARN");
}
