/* describe.c: daemons, their deployments and revisions: described and listed. */
#include "api/capacity/choice.h"
#include "api/capacity/providers.h"
#include "api/daemons/daemons.h"
#include "api/handlers.h"
#include "api/rules/rules.h"
#include "api/show/view.h"

enum { DEPLOYMENTS_PAGE_DEFAULT = 20, LIST_PAGE = 100 };

/* The daemon that an ARN names, with what its views ask for. */
struct owner { const struct cluster *cluster; const struct service *daemon; struct str cluster_arn, arn; struct daemon_tasks *tasks; };

/* ---- counts of tasks ---- */

/* Live tasks of one revision on one capacity provider: RUNNING ones, and those on machines that drain. */
struct daemon_tasks { int64_t digits; struct str provider; int64_t running, draining; struct daemon_tasks *next; };

static struct daemon_tasks *tasks_of(struct owner *owner, int64_t digits, struct str provider, struct arena *arena)
{
    for (struct daemon_tasks *tasks = owner->tasks; tasks != NULL; tasks = tasks->next) {
        if (tasks->digits == digits && str_eq(tasks->provider, provider)) { return tasks; }
    }
    struct daemon_tasks *tasks = ARENA_NEW(arena, struct daemon_tasks, 1);
    *tasks = (struct daemon_tasks){ .digits = digits, .provider = provider, .next = owner->tasks };
    owner->tasks = tasks;
    return tasks;
}

static void count_task(struct op_ctx *ctx, struct owner *owner, struct id id)
{
    const struct task *task = store_task(ctx->txn, id, ctx->arena);
    if (task == NULL || task->service != owner->daemon->number || !task_is_live(task)) { return; }
    const struct instance *instance = store_instance(ctx->txn, task->instance, ctx->arena);
    struct daemon_tasks *tasks = tasks_of(owner, task->deployment, task->capacity_provider, ctx->arena);
    tasks->running += task->last_status == TASK_RUNNING;
    tasks->draining += instance != NULL && instance->status == INSTANCE_DRAINING;
}

static void count_tasks(struct op_ctx *ctx, struct owner *owner)
{
    struct str group = arena_printf(ctx->arena, "daemon:" STR_FMT, STR_ARG(owner->daemon->name));
    struct id page[LIST_PAGE], after = { { 0 } };
    for (size_t count = LIST_PAGE; count == LIST_PAGE;) {
        count = store_list_tasks(ctx->txn, owner->daemon->cluster_number, TASKS_BY_GROUP, group, TASK_RUNNING, after, page, LIST_PAGE);
        for (size_t t = 0; t < count; t++) { count_task(ctx, owner, page[t]); }
        if (count > 0) { after = page[count - 1]; }
    }
}

/* ---- finding ---- */

static struct owner owner_of(struct op_ctx *ctx, const struct cluster *cluster, const struct service *daemon)
{
    return (struct owner){ cluster, daemon, names_cluster_arn(&ctx->config->names, cluster->name, ctx->arena), daemons_arn(ctx, cluster, daemon), NULL };
}

/* False: the caller may not ask for it. owner->daemon NULL: it is not there. */
static bool find_owner(struct op_ctx *ctx, const struct service_name *name, struct owner *owner, struct err *err)
{
    struct err missing = { 0 };
    struct str arn = names_daemon_arn(&ctx->config->names, name->cluster, name->service, ctx->arena);
    const struct cluster *cluster = NULL;
    const struct service *daemon = daemons_find(ctx, arn, &cluster, ERR_DAEMON_NOT_FOUND, &missing);
    *owner = (struct owner){ 0 };
    if (daemon != NULL) {
        *owner = owner_of(ctx, cluster, daemon);
        return true;
    }
    if (missing.code == ERR_CLUSTER_NOT_FOUND || missing.code == ERR_DAEMON_NOT_FOUND) { return true; }
    *err = missing;
    return false;
}

static struct str revision_arn(struct op_ctx *ctx, const struct owner *owner, int64_t digits)
{
    return names_daemon_revision_arn(&ctx->config->names, owner->cluster->name, owner->daemon->name, digits, ctx->arena);
}

static struct str_list providers_of(struct op_ctx *ctx, const struct owner *owner, int64_t digits)
{
    const struct service_revision *revision = store_service_revision(ctx->txn, owner->daemon->number, digits, ctx->arena);
    return revision == NULL || revision->daemon == NULL ? (struct str_list){ NULL, 0 } : revision->daemon->providers;
}

/* ---- DescribeDaemon ---- */

static struct daemon_revision_detail revision_detail(struct op_ctx *ctx, struct owner *owner, int64_t digits)
{
    struct str_list names = providers_of(ctx, owner, digits);
    struct daemon_revision_detail detail = { .arn = revision_arn(ctx, owner, digits), .total_running_count = opt_int_of(0) };
    detail.capacity_providers.items = ARENA_NEW(ctx->arena, struct daemon_capacity_provider, names.count + 1);
    for (size_t p = 0; p < names.count; p++) {
        int64_t running = tasks_of(owner, digits, names.items[p], ctx->arena)->running;
        detail.capacity_providers.items[detail.capacity_providers.count++] =
            (struct daemon_capacity_provider){ provider_arn(&ctx->config->names, names.items[p], ctx->arena), opt_int_of(running) };
        detail.total_running_count.value += running;
    }
    return detail;
}

bool op_describe_daemon(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_daemon_request *request = input;
    struct describe_daemon_response *response = output;
    const struct cluster *cluster;
    struct kept_deployment *deployments;
    const struct service *daemon = daemons_find(ctx, request->daemon_arn, &cluster, ERR_DAEMON_NOT_FOUND, err);
    if (daemon == NULL) { return false; }
    struct owner owner = owner_of(ctx, cluster, daemon);
    count_tasks(ctx, &owner);
    size_t count = store_list_deployments(ctx->txn, daemon->number, &deployments, ctx->arena);
    struct daemon_detail *detail = ARENA_NEW(ctx->arena, struct daemon_detail, 1);
    *detail = (struct daemon_detail){
        .daemon_arn = owner.arn, .cluster_arn = owner.cluster_arn, .status = daemons_status(daemon),
        .deployment_arn = daemons_deployment_arn(ctx, cluster, daemon), .created_at = daemon->created_ms, .updated_at = daemon->daemon->updated_ms,
        .current_revisions.items = ARENA_NEW(ctx->arena, struct daemon_revision_detail, count + 1),
    };
    for (size_t d = count; d-- > 0;) {                            /* the newest first */
        detail->current_revisions.items[detail->current_revisions.count++] = revision_detail(ctx, &owner, deployments[d].digits);
    }
    response->daemon = detail;
    return true;
}

/* ---- DescribeDaemonDeployments ---- */

/* Counts are those of now while the deployment goes on, and afterwards the running ones of its end. */
static struct daemon_deployment_revision_detail *deployment_detail(struct op_ctx *ctx, struct owner *owner, const struct revision_count *counted, bool ended)
{
    struct str_list names = providers_of(ctx, owner, counted->digits);
    struct daemon_deployment_revision_detail *detail = ARENA_NEW(ctx->arena, struct daemon_deployment_revision_detail, 1);
    int64_t running = ended ? counted->running : 0, draining = 0;
    detail->arn = revision_arn(ctx, owner, counted->digits);
    detail->capacity_providers.items = ARENA_NEW(ctx->arena, struct daemon_deployment_capacity_provider, names.count + 1);
    for (size_t p = 0; p < names.count; p++) {
        struct daemon_deployment_capacity_provider *shown = &detail->capacity_providers.items[detail->capacity_providers.count++];
        *shown = (struct daemon_deployment_capacity_provider){ .arn = provider_arn(&ctx->config->names, names.items[p], ctx->arena) };
        if (ended) { continue; }
        const struct daemon_tasks *tasks = tasks_of(owner, counted->digits, names.items[p], ctx->arena);
        shown->running_instance_count = opt_int_of(tasks->running);
        shown->draining_instance_count = opt_int_of(tasks->draining);
        running += tasks->running;
        draining += tasks->draining;
    }
    detail->total_running_instance_count = opt_int_of(running);
    detail->total_draining_instance_count = opt_int_of(draining);
    return detail;
}

static enum daemon_deployment_status status_of(enum service_deployment_status status)
{
    static const enum daemon_deployment_status statuses[SERVICE_DEPLOYMENT_STATUS_COUNT] = {
        [SERVICE_DEPLOYMENT_STATUS_PENDING] = DAEMON_DEPLOYMENT_STATUS_PENDING, [SERVICE_DEPLOYMENT_STATUS_SUCCESSFUL] = DAEMON_DEPLOYMENT_STATUS_SUCCESSFUL,
        [SERVICE_DEPLOYMENT_STATUS_STOPPED] = DAEMON_DEPLOYMENT_STATUS_STOPPED,
        [SERVICE_DEPLOYMENT_STATUS_STOP_REQUESTED] = DAEMON_DEPLOYMENT_STATUS_STOP_REQUESTED,
        [SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS] = DAEMON_DEPLOYMENT_STATUS_IN_PROGRESS,
        [SERVICE_DEPLOYMENT_STATUS_ROLLBACK_REQUESTED] = DAEMON_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS,
        [SERVICE_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS] = DAEMON_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS,
        [SERVICE_DEPLOYMENT_STATUS_ROLLBACK_SUCCESSFUL] = DAEMON_DEPLOYMENT_STATUS_ROLLBACK_SUCCESSFUL,
        [SERVICE_DEPLOYMENT_STATUS_ROLLBACK_FAILED] = DAEMON_DEPLOYMENT_STATUS_ROLLBACK_FAILED,
    };
    return statuses[status];
}

static enum daemon_deployment_rollback_monitors_status monitor_of(enum service_deployment_rollback_monitors_status status)
{
    static const enum daemon_deployment_rollback_monitors_status statuses[SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_COUNT] = {
        [SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_TRIGGERED] = DAEMON_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_TRIGGERED,
        [SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING] = DAEMON_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING,
        [SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING_COMPLETE] = DAEMON_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING_COMPLETE,
        [SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_DISABLED] = DAEMON_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_DISABLED,
    };
    return statuses[status];
}

/* The steps write the sentences of service deployments. */
static struct str daemon_words(struct str text, struct arena *arena)
{
    static const struct str noun = STR_INIT("Service");
    return str_starts_with(text, noun) ? arena_printf(arena, "Daemon" STR_FMT, STR_ARG(str_slice(text, noun.len, text.len))) : text;
}

static struct daemon_circuit_breaker *breaker_of(struct op_ctx *ctx, const struct owner *owner, const struct service_deployment *act)
{
    struct daemon_circuit_breaker *shown = ARENA_NEW(ctx->arena, struct daemon_circuit_breaker, 1);
    bool ended = service_deployment_has_ended(act->status);
    const struct kept_deployment *target = ended ? NULL : store_deployment(ctx->txn, owner->daemon->number, act->target->digits, ctx->arena);
    struct breaker breaker = service_breaker(act->configuration);
    *shown = (struct daemon_circuit_breaker){
        .failure_count = opt_int_of(target == NULL ? act->failures : target->failed), .status = monitor_of(act->breaker),
        .threshold = opt_int_of(ended ? act->failure_threshold : breaker_threshold(&breaker, owner->daemon->desired_count)),
    };
    return shown;
}

static struct daemon_deployment_alarms *alarms_of(struct op_ctx *ctx, const struct service_deployment *act)
{
    struct daemon_deployment_alarms *shown = ARENA_NEW(ctx->arena, struct daemon_deployment_alarms, 1);
    shown->status = monitor_of(act->alarms);
    shown->alarm_names = act->configuration->alarms->alarm_names;
    shown->triggered_alarm_names = act->triggered_alarms;
    return shown;
}

static struct daemon_rollback *rollback_of(struct op_ctx *ctx, const struct owner *owner, const struct service_rollback *rollback)
{
    if (rollback == NULL) { return NULL; }
    struct str_list names = providers_of(ctx, owner, rollback->digits);
    struct daemon_rollback *shown = ARENA_NEW(ctx->arena, struct daemon_rollback, 1);
    *shown = (struct daemon_rollback){
        .reason = daemon_words(rollback->reason, ctx->arena), .started_at = rollback->started_ms,
        .rollback_target_daemon_revision_arn = revision_arn(ctx, owner, rollback->digits),
        .rollback_capacity_providers = { ARENA_NEW(ctx->arena, struct str, names.count + 1), names.count },
    };
    for (size_t p = 0; p < names.count; p++) { shown->rollback_capacity_providers.items[p] = provider_arn(&ctx->config->names, names.items[p], ctx->arena); }
    return shown;
}

static void show_deployment(struct op_ctx *ctx, struct owner *owner, const struct service_deployment *act, struct daemon_deployment *shown)
{
    bool ended = service_deployment_has_ended(act->status);
    *shown = (struct daemon_deployment){
        .daemon_deployment_arn = names_daemon_deployment_arn(&ctx->config->names, owner->cluster->name, owner->daemon->name, act->id, ctx->arena),
        .cluster_arn = owner->cluster_arn, .status = status_of(act->status), .status_reason = daemon_words(act->status_reason, ctx->arena),
        .target_daemon_revision = deployment_detail(ctx, owner, act->target, ended), .circuit_breaker = breaker_of(ctx, owner, act),
        .alarms = alarms_of(ctx, act), .rollback = rollback_of(ctx, owner, act->rollback),
        .deployment_configuration = daemons_configuration(act, ctx->arena), .created_at = act->created_ms, .started_at = act->started_ms,
        .stopped_at = act->stopped_ms, .finished_at = act->finished_ms,
        .source_daemon_revisions.items = ARENA_NEW(ctx->arena, struct daemon_deployment_revision_detail, act->sources.count + 1),
    };
    for (size_t s = 0; s < act->sources.count; s++) {
        shown->source_daemon_revisions.items[shown->source_daemon_revisions.count++] = *deployment_detail(ctx, owner, &act->sources.items[s], ended);
    }
}

static void add_missing(struct failure_list *failures, struct str arn) { failures->items[failures->count++] = view_missing(arn, arn); }

bool op_describe_daemon_deployments(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_daemon_deployments_request *request = input;
    struct describe_daemon_deployments_response *response = output;
    const struct str_list *arns = &request->daemon_deployment_arns;
    response->daemon_deployments.items = ARENA_NEW(ctx->arena, struct daemon_deployment, arns->count + 1);
    response->failures.items = ARENA_NEW(ctx->arena, struct failure, arns->count + 1);
    for (size_t a = 0; a < arns->count; a++) {
        struct service_name name;
        struct owner owner;
        struct id id;
        if (!names_read_daemon_deployment(&ctx->config->names, arns->items[a], &name, &id, ctx->arena, err)) { return false; }
        if (!find_owner(ctx, &name, &owner, err)) { return false; }
        const struct service_deployment *act = owner.daemon == NULL ? NULL : store_service_deployment(ctx->txn, owner.daemon->number, id, ctx->arena);
        if (act == NULL) { add_missing(&response->failures, arns->items[a]); continue; }
        if (!service_deployment_has_ended(act->status)) { count_tasks(ctx, &owner); }
        show_deployment(ctx, &owner, act, &response->daemon_deployments.items[response->daemon_deployments.count++]);
    }
    return true;
}

/* ---- DescribeDaemonRevisions ---- */

/* The images as the definition has them, with the digests that a task has reported. */
static struct daemon_container_image_list images_of(struct op_ctx *ctx, const struct service_revision *revision)
{
    const struct daemon_taskdef *taskdef = store_daemon_taskdef(ctx->txn, revision->family, revision->revision, ctx->arena);
    size_t count = taskdef == NULL ? 0 : taskdef->def.container_definitions.count;
    struct daemon_container_image_list images = { ARENA_NEW(ctx->arena, struct daemon_container_image, count + 1), count };
    for (size_t c = 0; c < count; c++) {
        const struct container_definition *container = &taskdef->def.container_definitions.items[c];
        images.items[c] = (struct daemon_container_image){ .container_name = container->name, .image = container->image };
        for (size_t i = 0; i < revision->container_images.count; i++) {
            const struct container_image *known = &revision->container_images.items[i];
            if (str_eq(known->container_name, container->name)) { images.items[c].image_digest = known->image_digest; }
        }
    }
    return images;
}

static void show_revision(struct op_ctx *ctx, const struct owner *owner, const struct service_revision *revision, struct daemon_revision *shown)
{
    const struct daemon_revision_part *part = revision->daemon;
    *shown = (struct daemon_revision){
        .daemon_revision_arn = revision_arn(ctx, owner, revision->digits), .cluster_arn = owner->cluster_arn, .daemon_arn = owner->arn,
        .daemon_task_definition_arn = names_daemon_taskdef_arn(&ctx->config->names, revision->family, revision->revision, ctx->arena),
        .created_at = revision->created_ms, .container_images = images_of(ctx, revision),
        .propagate_tags = part->propagate_tags == OPT_TRUE ? DAEMON_PROPAGATE_TAGS_DAEMON : DAEMON_PROPAGATE_TAGS_NONE,
        .enable_ecs_managed_tags = part->managed_tags, .enable_execute_command = part->execute_command,
    };
}

bool op_describe_daemon_revisions(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_daemon_revisions_request *request = input;
    struct describe_daemon_revisions_response *response = output;
    const struct str_list *arns = &request->daemon_revision_arns;
    response->daemon_revisions.items = ARENA_NEW(ctx->arena, struct daemon_revision, arns->count + 1);
    response->failures.items = ARENA_NEW(ctx->arena, struct failure, arns->count + 1);
    for (size_t a = 0; a < arns->count; a++) {
        struct service_name name;
        struct owner owner;
        int64_t digits;
        if (!names_read_daemon_revision(&ctx->config->names, arns->items[a], &name, &digits, err)) { return false; }
        if (!find_owner(ctx, &name, &owner, err)) { return false; }
        const struct service_revision *revision =
            owner.daemon == NULL ? NULL : store_service_revision(ctx->txn, owner.daemon->number, digits, ctx->arena);
        if (revision == NULL || revision->daemon == NULL) { add_missing(&response->failures, arns->items[a]); continue; }
        show_revision(ctx, &owner, revision, &response->daemon_revisions.items[response->daemon_revisions.count++]);
    }
    return true;
}

/* ---- ListDaemons ---- */

/* One of the providers of the request is the daemon's; no provider: all daemons. */
static bool has_provider(struct op_ctx *ctx, const struct service *daemon, const struct str_list *wanted)
{
    const struct service_revision *revision = store_service_revision(ctx->txn, daemon->number, daemon->revision, ctx->arena);
    if (wanted->count == 0) { return true; }
    for (size_t w = 0; revision != NULL && revision->daemon != NULL && w < wanted->count; w++) {
        if (str_list_has(&revision->daemon->providers, provider_name(wanted->items[w]))) { return true; }
    }
    return false;
}

/* A cluster has CLUSTER_DAEMONS_MAX daemons at most, which are all read. */
bool op_list_daemons(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_daemons_request *request = input;
    struct list_daemons_response *response = output;
    struct str list = STR("ListDaemons"), after;
    const struct cluster *cluster = support_cluster(ctx, request->cluster_arn, err);
    if (cluster == NULL || !paging_position(ctx, list, request->next_token, &after, err)) { return false; }
    struct service_number *numbers = ARENA_NEW(ctx->arena, struct service_number, CLUSTER_DAEMONS_MAX);
    size_t count = store_list_daemons(ctx->txn, cluster->number, after, numbers, CLUSTER_DAEMONS_MAX, ctx->arena);
    size_t limit = support_page_limit(request->max_results);
    struct daemon_summary_list *shown = &response->daemon_summaries_list;
    shown->items = ARENA_NEW(ctx->arena, struct daemon_summary, limit);
    for (size_t d = 0; d < count; d++) {
        const struct service *daemon = store_service(ctx->txn, numbers[d].number, ctx->arena);
        if (daemon == NULL || !has_provider(ctx, daemon, &request->capacity_provider_arns)) { continue; }
        if (shown->count == limit) {
            response->next_token = paging_token(ctx, list, after);
            break;
        }
        after = daemon->name;
        shown->items[shown->count++] =
            (struct daemon_summary){ daemons_arn(ctx, cluster, daemon), daemons_status(daemon), daemon->created_ms, daemon->daemon->updated_ms };
    }
    return true;
}

/* ---- ListDaemonDeployments ---- */

static bool matches(const struct list_daemon_deployments_request *request, const struct service_deployment *act)
{
    bool any_status = request->status.count == 0;
    for (size_t s = 0; s < request->status.count; s++) { any_status = any_status || request->status.items[s] == (int)status_of(act->status); }
    return any_status && services_created_in(request->created_at, act->created_ms);
}

bool op_list_daemon_deployments(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_daemon_deployments_request *request = input;
    struct list_daemon_deployments_response *response = output;
    struct str list = STR("ListDaemonDeployments");
    const struct cluster *cluster;
    struct id before;
    const struct service *daemon = daemons_find(ctx, request->daemon_arn, &cluster, ERR_INVALID_PARAMETER, err);
    if (daemon == NULL || !paging_id(ctx, list, request->next_token, &before, err)) { return false; }

    struct owner owner = owner_of(ctx, cluster, daemon);
    size_t limit = request->max_results.set ? support_page_limit(request->max_results) : DEPLOYMENTS_PAGE_DEFAULT;
    struct service_deployment *acts = ARENA_NEW(ctx->arena, struct service_deployment, SERVICE_DEPLOYMENTS_MAX);
    size_t count = store_list_service_deployments(ctx->txn, daemon->number, before, acts, SERVICE_DEPLOYMENTS_MAX, ctx->arena);
    struct daemon_deployment_summary_list *shown = &response->daemon_deployments;
    shown->items = ARENA_NEW(ctx->arena, struct daemon_deployment_summary, limit);
    for (size_t a = 0; a < count; a++) {
        const struct service_deployment *act = &acts[a];
        if (!matches(request, act)) { continue; }
        if (shown->count == limit) {
            char hex[ID_HEX_LEN + 1];
            id_hex(before, hex);
            response->next_token = paging_token(ctx, list, (struct str){ hex, ID_HEX_LEN });
            break;
        }
        before = act->id;
        shown->items[shown->count++] = (struct daemon_deployment_summary){
            .daemon_deployment_arn = names_daemon_deployment_arn(&ctx->config->names, cluster->name, daemon->name, act->id, ctx->arena),
            .daemon_arn = owner.arn, .cluster_arn = owner.cluster_arn, .status = status_of(act->status),
            .status_reason = daemon_words(act->status_reason, ctx->arena), .target_daemon_revision_arn = revision_arn(ctx, &owner, act->target->digits),
            .created_at = act->created_ms, .started_at = act->started_ms, .stopped_at = act->stopped_ms, .finished_at = act->finished_ms,
        };
    }
    return true;
}
