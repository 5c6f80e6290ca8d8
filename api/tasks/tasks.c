/* tasks.c: stopping, describing and listing tasks. A stop is an order to the agent: the task stays live, with all it holds, until
 * the agent reports it STOPPED. */
#include "api/core/placement.h"
#include "api/handlers.h"
#include "api/schemas/tasks.h"
#include "api/services/services.h"
#include "api/tasks/waits.h"

enum {
    LIST_PAGE = 128,                         /* index entries read at a time */
    LIST_SCAN_MAX = 1024,                    /* … and for one page of a reply, however few of them match */
};

/* NULL when there is no such task in this cluster. */
static const struct task *find_task(struct op_ctx *ctx, const struct cluster *cluster, struct id id)
{
    const struct task *task = store_task(ctx->txn, id, ctx->arena);
    return task != NULL && task->cluster_number == cluster->number ? task : NULL;
}

/* ---- StopTask ---- */

/* ECS's newer form: its own words first, the caller's in parentheses. A reason that is too long is cut, not refused: the task must stop. */
static struct str stop_reason(struct op_ctx *ctx, struct str reason)
{
    enum { REASON_MAX = 1024 };
    if (reason.len == 0) { return STR("Task stopped by user"); }
    return arena_printf(ctx->arena, "Task stopped by user (" STR_FMT ")", STR_ARG(str_shorten(reason, REASON_MAX)));
}

bool op_stop_task(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct stop_task_request *request = input;
    struct stop_task_response *response = output;
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    struct id id;
    if (cluster == NULL || !names_read_id(&ctx->config->names, request->task, STR("task"), cluster->name, &id, err)) { return false; }
    const struct task *found = find_task(ctx, cluster, id);
    if (found == NULL) { return err_set(err, ERR_INVALID_PARAMETER, "The referenced task was not found."); }

    const struct stop_cause cause = { TASK_STOP_CODE_USERINITIATED, stop_reason(ctx, request->reason) };
    struct task task = found->wait != NULL ? waits_end(ctx, found, cause) : placement_order_stop(ctx, found, cause);
    response->task = view_task(ctx, cluster, &task, true);
    return true;
}

/* ---- DescribeTasks ---- */

static bool includes_tags(const struct enum_list *include)
{
    for (size_t i = 0; i < include->count; i++) {
        if (include->items[i] == TASK_FIELD_TAGS) { return true; }
    }
    return false;
}

static bool seen_before(const struct id *ids, size_t count, struct id id)
{
    for (size_t i = 0; i < count; i++) {
        if (id_eq(ids[i], id)) { return true; }
    }
    return false;
}

/* Tasks outlive their cluster: one that was deleted is there for as long as a task of it is asked for and known. */
bool op_describe_tasks(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_tasks_request *request = input;
    struct describe_tasks_response *response = output;
    size_t count = request->tasks.count;
    const struct cluster *cluster = support_cluster_ever(ctx, request->cluster, err);
    if (cluster == NULL) { return false; }
    if (count == 0) { return err_set(err, ERR_INVALID_PARAMETER, "Tasks cannot be empty."); }

    struct view_cache cache = view_cache_for(ctx, cluster);
    struct id *ids = ARENA_NEW(ctx->arena, struct id, count);
    const struct task **tasks = ARENA_NEW(ctx->arena, const struct task *, count);
    response->tasks.items = ARENA_NEW(ctx->arena, struct task_view, count);
    response->failures.items = ARENA_NEW(ctx->arena, struct failure, count);
    for (size_t t = 0; t < count; t++) {
        if (!names_read_id(&ctx->config->names, request->tasks.items[t], STR("task"), cluster->name, &ids[t], err)) { return false; }
    }
    store_fetch_tasks(ctx->txn, ids, count);
    for (size_t t = 0; t < count; t++) {
        struct str reference = request->tasks.items[t];
        if (seen_before(ids, t, ids[t])) { continue; }
        const struct task *task = find_task(ctx, cluster, ids[t]);
        if (task != NULL) {
            tasks[response->tasks.count++] = task;
        } else {
            response->failures.items[response->failures.count++] = view_missing(reference, names_behind(cache.stems.task, ids[t], ctx->arena));
        }
    }
    ASSERT(response->tasks.count + response->failures.count <= count);
    bool with_tags = includes_tags(&request->include);
    view_machines(ctx, &cache, tasks, response->tasks.count);
    for (size_t t = 0; t < response->tasks.count; t++) {
        view_task_fill(ctx, &cache, tasks[t], view_taskdef_of(ctx, &cache, tasks[t]), with_tags, &response->tasks.items[t]);
    }
    bool is_gone = cluster->status == CLUSTER_INACTIVE && response->tasks.count == 0;
    return !is_gone || err_set(err, ERR_CLUSTER_NOT_FOUND, "Cluster not found.");
}

/* ---- ListTasks ---- */

/* The filters of a list that the index does not answer. Unset members match everything. */
struct task_filter {
    struct id instance;                      /* zero: any */
    const struct service *service;           /* NULL: any */
    struct str family, started_by;
    enum launch_type launch_type;
    enum task_status desired;
};

struct listing {
    struct op_ctx *ctx;
    int64_t cluster_number;
    struct task_filter filter;
    enum task_index index; struct str index_text;
    bool needs_record;                       /* the index alone does not decide */
    struct id after, *found;                 /* where the page goes on; what it holds */
    size_t found_count, limit;
};

static bool matches(const struct listing *listing, const struct task *task)
{
    const struct task_filter *filter = &listing->filter;
    return task->cluster_number == listing->cluster_number && task->desired_status == filter->desired
        && (id_is_zero(filter->instance) || id_eq(task->instance, filter->instance))
        && (filter->service == NULL || task->service == filter->service->number)
        && (filter->family.len == 0 || str_eq(task->family, filter->family))
        && (filter->started_by.len == 0 || str_eq(task->started_by, filter->started_by))
        && (filter->launch_type == LAUNCH_TYPE_UNSET || task->launch_type == filter->launch_type);
}

/* Takes entries until the page is full. */
static void take(struct listing *listing, const struct id *ids, size_t count)
{
    for (size_t i = 0; i < count && listing->found_count < listing->limit; i++) {
        listing->after = ids[i];
        if (listing->needs_record) {
            const struct task *task = store_task(listing->ctx->txn, ids[i], listing->ctx->arena);
            if (task == NULL || !matches(listing, task)) { continue; }
        }
        listing->found[listing->found_count++] = ids[i];
    }
}

/* True when there may be more behind the page. */
static bool list_by_index(struct listing *listing)
{
    struct id page[LIST_PAGE];
    size_t scanned = 0, count;
    do {
        count = store_list_tasks(listing->ctx->txn, listing->cluster_number, listing->index, listing->index_text,
                                 listing->filter.desired, listing->after, page, LIST_PAGE);
        take(listing, page, count);
        scanned += count;
        if (listing->found_count == listing->limit) { return count == LIST_PAGE || !id_eq(listing->after, page[count - 1]); }
    } while (count == LIST_PAGE && scanned < LIST_SCAN_MAX);
    return count == LIST_PAGE;
}

/* All that should run on a machine is live there, and memory knows those. */
static bool list_on_instance(struct listing *listing)
{
    struct id *ids;
    size_t count = store_tasks_on_instance(listing->ctx->txn, listing->filter.instance, &ids, listing->ctx->arena);
    size_t from = 0;
    if (count == 0) { return false; }
    while (from < count && id_cmp(ids[from], listing->after) <= 0) { from++; }
    take(listing, ids + from, count - from);
    return listing->found_count == listing->limit && !id_eq(listing->after, ids[count - 1]);
}

/* The narrowest index; what it does not say is checked on the record. A group may have tasks of an earlier service of the name. */
static void choose_index(struct listing *listing)
{
    const struct task_filter *filter = &listing->filter;
    listing->index = TASKS_BY_CLUSTER;
    if (filter->service != NULL) {
        listing->index = TASKS_BY_GROUP;
        listing->index_text = arena_printf(listing->ctx->arena, "%s:" STR_FMT, filter->service->daemon == NULL ? "service" : "daemon",
                                           STR_ARG(filter->service->name));
    } else if (filter->started_by.len > 0) {
        listing->index = TASKS_BY_STARTED_BY;
        listing->index_text = filter->started_by;
    } else if (filter->family.len > 0) {
        listing->index = TASKS_BY_FAMILY;
        listing->index_text = filter->family;
    }
    listing->needs_record = filter->service != NULL || !id_is_zero(filter->instance) || filter->launch_type != LAUNCH_TYPE_UNSET;
}

/* desiredStatus is no filter in this sense: it has a value even when nobody gives one. */
static bool check_started_by_alone(const struct list_tasks_request *request, struct err *err)
{
    const struct { const char *name; bool given; } others[] = {
        { "containerInstance", request->container_instance.len > 0 }, { "family", request->family.len > 0 },
        { "serviceName", request->service_name.len > 0 },             { "daemonName", request->daemon_name.len > 0 },
        { "launchType", request->launch_type != LAUNCH_TYPE_UNSET },
    };
    if (request->started_by.len == 0) { return true; }
    for (size_t o = 0; o < COUNT_OF(others); o++) {
        if (others[o].given) {
            return err_set(err, ERR_INVALID_PARAMETER, "When startedBy is specified it must be the only filter, but %s is specified too.",
                           others[o].name);
        }
    }
    return true;
}

/* The cluster, and the service, whose ARN may name the cluster; NULL: none is asked for. */
static bool find_owners(struct op_ctx *ctx, const struct list_tasks_request *request, const struct cluster **cluster, const struct service **service,
                        struct err *err)
{
    *service = NULL;
    if (request->service_name.len > 0 && request->daemon_name.len > 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "Specify either serviceName or daemonName, but not both.");
    }
    if (request->service_name.len > 0) {
        *service = services_find(ctx, request->cluster, request->service_name, cluster, err);
        return *service != NULL;
    }
    *cluster = support_cluster(ctx, request->cluster, err);
    if (*cluster == NULL || request->daemon_name.len == 0) { return *cluster != NULL; }
    *service = names_is_valid(request->daemon_name) ? store_daemon_named(ctx->txn, (*cluster)->number, request->daemon_name, ctx->arena) : NULL;
    return *service != NULL || err_set(err, ERR_INVALID_PARAMETER, "Daemon not found.");
}

static bool read_filter(struct op_ctx *ctx, const struct list_tasks_request *request, const struct cluster *cluster, const struct service *service,
                        struct task_filter *filter, struct err *err)
{
    *filter = (struct task_filter){
        .service = service,
        .family = request->family,
        .started_by = request->started_by,
        .launch_type = request->launch_type,
        .desired = request->desired_status == DESIRED_STATUS_STOPPED ? TASK_STOPPED : TASK_RUNNING,
    };
    return request->container_instance.len == 0
        || names_read_id(&ctx->config->names, request->container_instance, STR("container-instance"), cluster->name, &filter->instance, err);
}

bool op_list_tasks(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_tasks_request *request = input;
    struct list_tasks_response *response = output;
    response->task_arns.items = LIST_NOTHING;
    const struct cluster *cluster;
    const struct service *service;
    struct listing listing = { .ctx = ctx, .limit = support_page_limit(request->max_results) };
    if (!check_started_by_alone(request, err) || !find_owners(ctx, request, &cluster, &service, err)) { return false; }
    if (!read_filter(ctx, request, cluster, service, &listing.filter, err)) { return false; }
    if (!paging_id(ctx, STR("ListTasks"), request->next_token, &listing.after, err)) { return false; }
    if (request->desired_status == DESIRED_STATUS_PENDING) { return true; }      /* no task is ever desired PENDING */

    ASSERT(listing.limit > 0);
    listing.cluster_number = cluster->number;
    listing.found = ARENA_NEW(ctx->arena, struct id, listing.limit);
    choose_index(&listing);
    bool by_instance = !id_is_zero(listing.filter.instance) && listing.filter.desired == TASK_RUNNING;
    bool is_more = by_instance ? list_on_instance(&listing) : list_by_index(&listing);

    ASSERT(listing.found_count <= listing.limit);
    struct str stem = names_stems(&ctx->config->names, cluster->name, ctx->arena).task;
    response->task_arns.items = names_many_behind(stem, listing.found, listing.found_count, ctx->arena);
    response->task_arns.count = listing.found_count;
    if (is_more) {
        char hex[ID_HEX_LEN + 1];
        id_hex(listing.after, hex);
        response->next_token = paging_token(ctx, STR("ListTasks"), (struct str){ hex, ID_HEX_LEN });
    }
    return true;
}
