/* endpoints.c: where the tasks of one service are reached. */
#include "api/discovery/discovery.h"

#include "api/services/services.h"

enum { TASKS_PAGE = 100, SCRATCH_MAX = 16 << 20 };

struct look {
    struct op_ctx *ctx;
    struct arena *scratch;                                        /* emptied after each task */
    const struct cluster *cluster;
    const struct service *service;
    struct kept_deployment *deployments; size_t deployment_count;
    bool shifts;                                                  /* only deployments with production traffic count */
    int64_t digits; const struct service_revision *revision; struct discovery_names names;      /* of the task before; digits 0: none */
};

static bool shifts_traffic(const struct look *look)
{
    const struct service *service = look->service;
    const struct service_deployment *act = store_service_deployment(look->ctx->txn, service->number, service->last_service_deployment, look->ctx->arena);
    const struct deployment_configuration *configuration = act == NULL ? service->configuration : act->configuration;
    bool shifts = configuration != NULL && configuration->strategy != DEPLOYMENT_STRATEGY_ROLLING;
    int64_t production = 0;
    for (size_t d = 0; d < look->deployment_count; d++) { production += look->deployments[d].production; }
    return shifts && production > 0;
}

static bool has_traffic(const struct look *look, int64_t digits)
{
    for (size_t d = 0; d < look->deployment_count; d++) {
        if (look->deployments[d].digits == digits) { return !look->shifts || look->deployments[d].production > 0; }
    }
    return !look->shifts;
}

/* False: its revision is gone. */
static bool read_revision(struct look *look, const struct task *task, const struct taskdef *taskdef)
{
    if (look->digits != task->deployment) {
        struct op_ctx *ctx = look->ctx;
        look->digits = task->deployment;
        look->revision = store_service_revision(ctx->txn, look->service->number, task->deployment, ctx->arena);
        look->names = (struct discovery_names){ NULL, 0 };
        if (look->revision != NULL) {
            look->names = discovery_names_of(&ctx->config->names, look->cluster, look->service->name, look->revision, &taskdef->def, ctx->arena);
        }
    }
    return look->revision != NULL;
}

/* Every check of the task must have succeeded, and all of its targets must be healthy. */
static bool is_healthy(struct look *look, const struct task *task, struct endpoint *one)
{
    enum task_checked checked = task_checked(task);
    struct kept_target *targets;
    one->since_ms = task->started_ms;
    one->checked = checked == TASK_CHECKED_HEALTHY || task->balanced == OPT_TRUE;
    if (checked != TASK_CHECKED_NOTHING && checked != TASK_CHECKED_HEALTHY) { return false; }
    if (task->balanced != OPT_TRUE) { return true; }
    size_t count = store_targets_of_task(look->ctx->txn, task->id, &targets, look->scratch);
    for (size_t t = 0; t < count; t++) {
        if (targets[t].state != TARGET_HEALTHY) { return false; }
        if (targets[t].since_ms > one->since_ms) { one->since_ms = targets[t].since_ms; }
    }
    return count > 0 && count >= look->revision->load_balancers.count;
}

static bool set_address(struct look *look, const struct task *task, struct endpoint *one)
{
    bool found;
    const struct instance *instance = store_instance(look->ctx->txn, task->instance, look->scratch);
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
    const struct taskdef *taskdef = support_kept_taskdef(look->ctx, task->family, task->revision);
    if (task->service != look->service->number || task->last_status != TASK_RUNNING || taskdef == NULL || !has_traffic(look, task->deployment)) { return; }
    if (!read_revision(look, task, taskdef) || !is_healthy(look, task, &one) || !set_address(look, task, &one)) { return; }
    size_t count = list_ports(task, &taskdef->def, &one, &list, look->scratch);
    if (count > 0) { put(context, list, count, &look->names); }
}

void discovery_walk(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, put_endpoints *put, void *context)
{
    struct arena scratch;
    struct look look = { .ctx = ctx, .scratch = &scratch, .cluster = cluster, .service = service };
    struct id *ids = ARENA_NEW(ctx->arena, struct id, TASKS_PAGE), after = { { 0 } };
    struct str group = arena_printf(ctx->arena, "service:" STR_FMT, STR_ARG(service->name));
    size_t count;
    arena_init(&scratch, SCRATCH_MAX);
    look.deployment_count = store_list_deployments(ctx->txn, service->number, &look.deployments, ctx->arena);
    look.shifts = shifts_traffic(&look);
    do {
        count = store_list_tasks(ctx->txn, cluster->number, TASKS_BY_GROUP, group, TASK_RUNNING, after, ids, TASKS_PAGE);
        for (size_t t = 0; t < count; t++) {
            const struct task *task = store_task(ctx->txn, ids[t], &scratch);
            if (task != NULL) { look_at(&look, task, put, context); }
            after = ids[t];
            arena_reset(&scratch);
        }
    } while (count == TASKS_PAGE && !arena_exhausted(ctx->arena));
    arena_finish(&scratch);
}
