/* instances.c: deregistering, showing, listing and draining container instances. registration.c registers them. */
#include "api/capacity/machines.h"
#include "api/core/binding.h"
#include "api/machines/gpu_health.h"
#include "api/handlers.h"
#include "api/machines/loss.h"
#include "api/core/placement.h"
#include "api/schemas/instances.h"
#include "api/show/view.h"

enum {
    LIST_PAGE = 128,
    LIST_SCAN_MAX = 1024,                    /* instances that are read for one page of a filtered list */
};
static const size_t FILTER_SCRATCH_MAX = (size_t)8 << 20;

/* NULL: there is no such instance in this cluster. */
static const struct instance *find_instance(struct op_ctx *ctx, const struct cluster *cluster, struct id id)
{
    const struct instance *instance = store_instance(ctx->txn, id, ctx->arena);
    return instance != NULL && instance->cluster_number == cluster->number ? instance : NULL;
}

static bool read_id(struct op_ctx *ctx, const struct cluster *cluster, struct str reference, struct id *id, struct err *err)
{
    return names_read_id(&ctx->config->names, reference, STR("container-instance"), cluster->name, id, err);
}

static bool read_ids(struct op_ctx *ctx, const struct cluster *cluster, const struct str_list *references, struct id **ids,
                     struct err *err)
{
    if (references->count == 0) { return err_set(err, ERR_CLIENT, "Container Instances cannot be empty."); }
    *ids = ARENA_NEW(ctx->arena, struct id, references->count);
    for (size_t i = 0; i < references->count; i++) {
        if (!read_id(ctx, cluster, references->items[i], &(*ids)[i], err)) { return false; }
    }
    return true;
}

static bool seen_before(const struct id *ids, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (id_eq(ids[i], ids[index])) { return true; }
    }
    return false;
}

static struct failure missing(struct op_ctx *ctx, const struct cluster *cluster, struct str reference, struct id id)
{
    return view_missing(reference, names_instance_arn(&ctx->config->names, cluster->name, id, ctx->arena));
}

/* ---- DeregisterContainerInstance ---- */

bool op_deregister_container_instance(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    static const struct stop_cause forced = { TASK_STOP_CODE_UNSET, STR_INIT("Container instance deregistration forced by user") };
    const struct deregister_container_instance_request *request = input;
    struct deregister_container_instance_response *response = output;
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    struct id id;
    if (cluster == NULL || !read_id(ctx, cluster, request->container_instance, &id, err)) { return false; }
    const struct instance *found = find_instance(ctx, cluster, id);
    if (found == NULL) { return err_set(err, ERR_INVALID_PARAMETER, "The referenced container instance was not found."); }
    if (!binding_check_record(ctx, cluster->name, found, err)) { return false; }

    if (found->status != INSTANCE_INACTIVE) {
        struct id *tasks;
        if (store_tasks_on_instance(ctx->txn, id, &tasks, ctx->arena) > 0 && request->force != OPT_TRUE) {
            return err_set(err, ERR_INVALID_PARAMETER, "Found running tasks on the instance.");
        }
        (void)loss_deregister(ctx, found, &forced, (struct str){ NULL, 0 });
        found = find_instance(ctx, cluster, id);
    }
    if (found == NULL) { return err_set(err, ERR_SERVER, "The container instance can't be read."); }     /* the store has failed meanwhile */
    response->container_instance = view_instance(ctx, cluster, found, true);
    return true;
}

/* ---- DescribeContainerInstances ---- */

static bool includes(const struct enum_list *include, enum container_instance_field field)
{
    for (size_t i = 0; i < include->count; i++) {
        if (include->items[i] == (int)field) { return true; }
    }
    return false;
}

bool op_describe_container_instances(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_container_instances_request *request = input;
    struct describe_container_instances_response *response = output;
    const struct str_list *references = &request->container_instances;
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    struct id *ids = NULL;
    if (cluster == NULL || !read_ids(ctx, cluster, references, &ids, err)) { return false; }

    bool with_tags = includes(&request->include, CONTAINER_INSTANCE_FIELD_TAGS);
    bool with_health = includes(&request->include, CONTAINER_INSTANCE_FIELD_CONTAINER_INSTANCE_HEALTH);
    response->container_instances.items = ARENA_NEW(ctx->arena, struct instance_view, references->count);
    response->failures.items = ARENA_NEW(ctx->arena, struct failure, references->count);
    for (size_t i = 0; i < references->count; i++) {
        if (seen_before(ids, i)) { continue; }
        const struct instance *instance = find_instance(ctx, cluster, ids[i]);
        if (instance == NULL) {
            response->failures.items[response->failures.count++] = missing(ctx, cluster, references->items[i], ids[i]);
            continue;
        }
        if (!binding_check_record(ctx, cluster->name, instance, err)) { return false; }
        struct instance_view *view = &response->container_instances.items[response->container_instances.count++];
        view_instance_fill(ctx, cluster, instance, with_tags, view);
        if (with_health) { view->health_status = api_instance_health(instance, ctx->arena); }
    }
    ASSERT(response->container_instances.count + response->failures.count <= references->count);
    return true;
}

/* ---- ListContainerInstances ---- */

struct listing {
    struct op_ctx *ctx;
    int64_t cluster_number;
    enum instance_status status;
    const struct expression *filter;         /* NULL: no filter */
    bool needs_tasks;                        /* the filter asks about tasks on the machine */
    struct arena scratch;                    /* for one instance at a time, when there is a filter */
    struct id after, *found;
    size_t found_count, limit;
};

static void listing_finish(struct listing *listing) { arena_finish(&listing->scratch); }

/* Reads have no world, so the filter is applied in a world with this one instance. */
static bool matches(struct listing *listing, struct id id)
{
    if (listing->filter == NULL) { return true; }
    struct arena *scratch = &listing->scratch;
    arena_reset(scratch);
    const struct instance *instance = store_instance(listing->ctx->txn, id, scratch);
    if (instance == NULL) { return false; }
    struct world *world = sched_world_create(scratch);
    placement_tell_instance(world, instance, scratch);
    if (listing->needs_tasks) {
        struct id *tasks;
        size_t count = store_tasks_on_instance(listing->ctx->txn, id, &tasks, scratch);
        for (size_t t = 0; t < count; t++) {
            const struct task *task = store_task(listing->ctx->txn, tasks[t], scratch);
            if (task != NULL) { placement_tell_task(world, task, scratch); }
        }
    }
    return sched_matches(world, id, listing->filter);
}

/* True: there may be more after the page. */
static bool list_page(struct listing *listing)
{
    struct id page[LIST_PAGE];
    size_t scanned = 0, count;
    do {
        count = store_list_instances(listing->ctx->txn, listing->cluster_number, listing->status, listing->after, page, LIST_PAGE);
        for (size_t i = 0; i < count; i++) {
            listing->after = page[i];
            if (!matches(listing, page[i])) { continue; }
            ASSERT(listing->found_count < listing->limit);
            listing->found[listing->found_count++] = page[i];
            if (listing->found_count == listing->limit) { return count == LIST_PAGE || i + 1 < count; }
        }
        scanned += count;
    } while (count == LIST_PAGE && scanned < LIST_SCAN_MAX);
    return count == LIST_PAGE;
}

static bool read_listing(struct op_ctx *ctx, const struct list_container_instances_request *request, struct listing *listing,
                         struct err *err)
{
    static const enum instance_status statuses[CONTAINER_INSTANCE_STATUS_COUNT] = {
        [CONTAINER_INSTANCE_STATUS_UNSET]               = INSTANCE_STATUS_UNSET,
        [CONTAINER_INSTANCE_STATUS_ACTIVE]              = INSTANCE_ACTIVE,
        [CONTAINER_INSTANCE_STATUS_DRAINING]            = INSTANCE_DRAINING,
        [CONTAINER_INSTANCE_STATUS_REGISTERING]         = INSTANCE_REGISTERING,
        [CONTAINER_INSTANCE_STATUS_DEREGISTERING]       = INSTANCE_DEREGISTERING,
        [CONTAINER_INSTANCE_STATUS_REGISTRATION_FAILED] = INSTANCE_REGISTRATION_FAILED,
    };
    listing->status = statuses[request->status];
    if (!paging_id(ctx, STR("ListContainerInstances"), request->next_token, &listing->after, err)) { return false; }
    if (request->filter.len == 0) { return true; }
    /* A filter that asks about tasks has one of these words in it. A false match only costs a read. */
    listing->needs_tasks = str_contains(request->filter, STR("task:group")) || str_contains(request->filter, STR("runningTasksCount"));
    listing->filter = expression_compile(request->filter, ctx->arena, err);
    return listing->filter != NULL;
}

bool op_list_container_instances(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_container_instances_request *request = input;
    struct list_container_instances_response *response = output;
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    if (cluster == NULL) { return false; }
    AUTO(listing_finish) struct listing listing = {
        .ctx = ctx, .cluster_number = cluster->number, .limit = support_page_limit(request->max_results),
    };
    arena_init(&listing.scratch, FILTER_SCRATCH_MAX);
    if (!read_listing(ctx, request, &listing, err)) { return false; }

    listing.found = ARENA_NEW(ctx->arena, struct id, listing.limit);
    bool is_more = list_page(&listing);
    response->container_instance_arns.items = ARENA_NEW(ctx->arena, struct str, listing.found_count);
    response->container_instance_arns.count = listing.found_count;
    for (size_t i = 0; i < listing.found_count; i++) {
        response->container_instance_arns.items[i] =
            names_instance_arn(&ctx->config->names, cluster->name, listing.found[i], ctx->arena);
    }
    if (is_more) {
        char hex[ID_HEX_LEN + 1];
        id_hex(listing.after, hex);
        response->next_token = paging_token(ctx, STR("ListContainerInstances"), (struct str){ hex, ID_HEX_LEN });
    }
    return true;
}

/* ---- UpdateContainerInstancesState ---- */

/* Draining concerns the scheduler only: tasks that no service replaces stay until they end. An agent drains its own machine when that will be taken
 * away: its pool gets another one. */
static void set_status(struct op_ctx *ctx, struct instance *instance, enum instance_status status)
{
    ASSERT(status == INSTANCE_ACTIVE || status == INSTANCE_DRAINING);
    if (instance->status == status) { return; }
    instance_become(instance, status, ctx->now_ms);
    instance->status_reason = (struct str){ NULL, 0 };
    bool noticed = status == INSTANCE_DRAINING && ctx->caller.role == ACCESS_AGENT;
    if (noticed) { instance->status_reason = STR("Its agent says that the machine will be taken away"); }
    instance->version++;
    placement_put_instance(ctx, instance);
    if (noticed) { machine_noticed(ctx, instance); }
}

bool op_update_container_instances_state(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct update_container_instances_state_request *request = input;
    struct update_container_instances_state_response *response = output;
    const struct str_list *references = &request->container_instances;
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    if (cluster == NULL) { return false; }
    bool is_active = request->status == CONTAINER_INSTANCE_STATUS_ACTIVE;
    if (!is_active && request->status != CONTAINER_INSTANCE_STATUS_DRAINING) {
        return err_set(err, ERR_INVALID_PARAMETER, "Container instance status should be one of [ACTIVE, DRAINING]");
    }
    struct id *ids = NULL;
    if (!read_ids(ctx, cluster, references, &ids, err)) { return false; }
    for (size_t i = 0; i < references->count; i++) {
        if (!binding_check(ctx, ids[i], err)) { return false; }
    }

    response->container_instances.items = ARENA_NEW(ctx->arena, struct instance_view, references->count);
    response->failures.items = ARENA_NEW(ctx->arena, struct failure, references->count);
    for (size_t i = 0; i < references->count; i++) {
        if (seen_before(ids, i)) { continue; }
        const struct instance *found = find_instance(ctx, cluster, ids[i]);
        bool may_change = found != NULL && (found->status == INSTANCE_ACTIVE || found->status == INSTANCE_DRAINING);
        if (!may_change) {
            struct failure failure = missing(ctx, cluster, references->items[i], ids[i]);
            if (found != NULL) { failure.reason = STR("INACTIVE"); }
            response->failures.items[response->failures.count++] = failure;
            continue;
        }
        struct instance instance = *found;
        set_status(ctx, &instance, is_active ? INSTANCE_ACTIVE : INSTANCE_DRAINING);
        view_instance_fill(ctx, cluster, &instance, true, &response->container_instances.items[response->container_instances.count++]);
    }
    return true;
}

/* ---- UpdateContainerAgent ---- */

/* Berth has no source of newer agents: each machine's owner installs them. */
bool op_update_container_agent(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct update_container_agent_request *request = input;
    (void)output;
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    struct id id;
    if (cluster == NULL || !read_id(ctx, cluster, request->container_instance, &id, err)) { return false; }
    const struct instance *instance = find_instance(ctx, cluster, id);
    if (instance == NULL || instance->status == INSTANCE_INACTIVE) {
        return err_set(err, ERR_INVALID_PARAMETER, "The referenced container instance was not found.");
    }
    if (instance->agent_connected != OPT_TRUE) {
        return err_set(err, ERR_CLIENT, "The container agent is not connected, so that it can't be updated.");
    }
    if (instance->version_info == NULL || instance->version_info->agent_version.len == 0) {
        return err_set(err, ERR_MISSING_VERSION, "The version of the container agent is not known, so that no update can be chosen.");
    }
    return err_set(err, ERR_NO_UPDATE_AVAILABLE, "There is no update available for your container agent, version " STR_FMT ".",
                   STR_ARG(str_slice(instance->version_info->agent_version, 0, 64)));
}
