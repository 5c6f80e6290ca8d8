/* endpoints.c: where the tasks of one service are reached. */
#include "api/discovery/discovery.h"

#include "api/services/services.h"

enum { TASKS_PAGE = 100, LOOK_MAX = 64 << 20 };

/* A deployment as its tasks need it, read with the first of them. */
struct version { bool is_read; const struct service_revision *revision; const struct taskdef *taskdef; struct discovery_names names; };

struct look {
    struct op_ctx *ctx;
    const struct cluster *cluster;
    const struct service *service;
    struct kept_deployment *deployments; struct version *versions; size_t deployment_count;
    bool shifts;                                                  /* only deployments with production traffic count */
    struct arena kept, scratch;                                   /* for the whole walk; emptied after each task */
};

static bool shifts_traffic(struct look *look)
{
    const struct service *service = look->service;
    const struct service_deployment *act = store_service_deployment(look->ctx->txn, service->number, service->last_service_deployment, &look->kept);
    const struct deployment_configuration *configuration = act == NULL ? service->configuration : act->configuration;
    int64_t production = 0;
    for (size_t d = 0; d < look->deployment_count; d++) { production += look->deployments[d].production; }
    return production > 0 && configuration != NULL && configuration->strategy != DEPLOYMENT_STRATEGY_ROLLING;
}

/* NULL: the deployment does not count, or a record of it is gone. */
static const struct version *version_of(struct look *look, int64_t digits)
{
    struct store_txn *txn = look->ctx->txn;
    size_t d = 0;
    while (d < look->deployment_count && look->deployments[d].digits != digits) { d++; }
    if (d == look->deployment_count || (look->shifts && look->deployments[d].production == 0)) { return NULL; }
    struct version *version = &look->versions[d];
    if (!version->is_read) {
        version->is_read = true;
        version->revision = store_service_revision(txn, look->service->number, digits, &look->kept);
        version->taskdef = version->revision == NULL ? NULL : store_taskdef(txn, version->revision->family, version->revision->revision, &look->kept);
        if (version->taskdef == NULL) { return NULL; }
        version->names = discovery_names_of(&look->ctx->config->names, look->cluster, look->service->name, version->revision, &version->taskdef->def,
                                            &look->kept);
    }
    return version->taskdef == NULL ? NULL : version;
}

/* Every check of the task must have succeeded, and all of its targets must be healthy. */
static bool is_healthy(struct look *look, const struct task *task, const struct version *version, struct endpoint *one)
{
    enum task_checked checked = task_checked(task);
    struct kept_target *targets;
    one->since_ms = task->started_ms;
    one->checked = checked == TASK_CHECKED_HEALTHY || task->balanced == OPT_TRUE;
    if (checked != TASK_CHECKED_NOTHING && checked != TASK_CHECKED_HEALTHY) { return false; }
    if (task->balanced != OPT_TRUE) { return true; }
    size_t count = store_targets_of_task(look->ctx->txn, task->id, &targets, &look->scratch);
    for (size_t t = 0; t < count; t++) {
        if (targets[t].state != TARGET_HEALTHY) { return false; }
        if (targets[t].since_ms > one->since_ms) { one->since_ms = targets[t].since_ms; }
    }
    return count > 0 && count >= version->revision->load_balancers.count;
}

static bool set_address(struct look *look, const struct task *task, struct endpoint *one)
{
    bool found;
    const struct instance *instance = store_instance(look->ctx->txn, task->instance, &look->scratch);
    if (instance == NULL) { return false; }
    one->address = services_address(task, instance);
    one->zone = instance_attribute(instance, instance_zone_name, &found);
    return one->address.len > 0;
}

static void add_port(const struct endpoint *one, int64_t container_port, int64_t port, enum transport_protocol protocol, struct endpoint *list, size_t *count)
{
    if (container_port == 0 || port == 0) { return; }             /* a range of ports, or not reported */
    list[*count] = *one;
    list[*count].container_port = container_port;
    list[*count].port = port;
    list[*count].protocol = protocol == TRANSPORT_PROTOCOL_UNSET ? TRANSPORT_PROTOCOL_TCP : protocol;
    (*count)++;
}

/* On its own interface a task has the ports of its definition; on its machine those that the agent has reported. */
static size_t list_ports(const struct task *task, const struct task_definition *def, struct endpoint *one, struct endpoint **list, struct arena *arena)
{
    size_t room = 0, count = 0;
    for (size_t c = 0; c < task->containers.count; c++) { room += task->containers.items[c].bindings.count; }
    for (size_t c = 0; c < def->container_definitions.count; c++) { room += def->container_definitions.items[c].port_mappings.count; }
    *list = ARENA_NEW(arena, struct endpoint, room);
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        if (container->index < 0 || (uint64_t)container->index >= def->container_definitions.count || container->status != TASK_RUNNING) { continue; }
        const struct container_definition *own = &def->container_definitions.items[container->index];
        one->container = own->name;
        for (size_t m = 0; task->interface != NULL && m < own->port_mappings.count; m++) {
            const struct port_mapping *mapping = &own->port_mappings.items[m];
            add_port(one, mapping->container_port.value, mapping->container_port.value, mapping->protocol, *list, &count);
        }
        for (size_t b = 0; task->interface == NULL && b < container->bindings.count; b++) {
            const struct network_binding *binding = &container->bindings.items[b];
            add_port(one, binding->container_port.value, binding->host_port.value, binding->protocol, *list, &count);
        }
    }
    return count;
}

static void look_at(struct look *look, const struct task *task, put_endpoints *put, void *context)
{
    struct endpoint one = { .task = task->id }, *list;
    if (task->service != look->service->number || task->last_status != TASK_RUNNING) { return; }
    const struct version *version = version_of(look, task->deployment);
    if (version == NULL || !is_healthy(look, task, version, &one) || !set_address(look, task, &one)) { return; }
    size_t count = list_ports(task, &version->taskdef->def, &one, &list, &look->scratch);
    if (count > 0) { put(context, list, count, &version->names); }
}

void discovery_walk(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, put_endpoints *put, void *context)
{
    struct look look = { .ctx = ctx, .cluster = cluster, .service = service };
    struct id ids[TASKS_PAGE], after = { { 0 } };
    size_t count;
    arena_init(&look.kept, LOOK_MAX);
    arena_init(&look.scratch, LOOK_MAX);
    struct str group = arena_printf(&look.kept, "service:" STR_FMT, STR_ARG(service->name));
    look.deployment_count = store_list_deployments(ctx->txn, service->number, &look.deployments, &look.kept);
    look.versions = ARENA_NEW(&look.kept, struct version, look.deployment_count);
    look.shifts = shifts_traffic(&look);
    do {
        count = store_list_tasks(ctx->txn, cluster->number, TASKS_BY_GROUP, group, TASK_RUNNING, after, ids, TASKS_PAGE);
        for (size_t t = 0; t < count; t++) {
            const struct task *task = store_task(ctx->txn, ids[t], &look.scratch);
            if (task != NULL) { look_at(&look, task, put, context); }
            after = ids[t];
            arena_reset(&look.scratch);
        }
    } while (count == TASKS_PAGE && !arena_exhausted(ctx->arena));
    arena_finish(&look.scratch);
    arena_finish(&look.kept);
}
