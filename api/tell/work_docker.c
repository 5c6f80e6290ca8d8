/* work_docker.c: logs and GPUs on machines of the ECS agent. Berth's own agent does neither of both this way: it has not the attributes
 * that are asked for here. */
#include "api/tell/work_docker.h"

#include "api/tell/log_names.h"
#include "api/definitions/rules.h"

static bool says(const struct instance *instance, struct str capability)
{
    bool found = false;
    if (instance != NULL) { (void)instance_attribute(instance, capability, &found); }
    return found;
}

/* ---- Docker's awslogs driver ---- */

static const struct str group_option = STR_INIT("awslogs-group"), stream_option = STR_INIT("awslogs-stream"), prefix_option = STR_INIT("awslogs-stream-prefix"),
    region_option = STR_INIT("awslogs-region"), endpoint_option = STR_INIT("awslogs-endpoint"), create_option = STR_INIT("awslogs-create-group");

static bool is_among(struct str name, const struct pair *pairs, size_t count)
{
    for (size_t p = 0; p < count; p++) {
        if (str_eq(pairs[p].key, name)) { return true; }
    }
    return false;
}

/* Docker knows no prefix, and would name a stream by the container's id: so it gets the whole name, under which Berth takes the output. A
 * definition that names an endpoint means another service than Berth, and that service's region and group. */
static const struct pair_list *awslogs_options(const struct api_config *config, const struct log_configuration *log, const struct log_names *names,
                                               struct arena *arena)
{
    const struct pair own[] = {
        { stream_option, names->stream }, { group_option, names->group }, { region_option, config->names.region },
        { endpoint_option, config->logs_endpoint }, { create_option, STR("true") },
    };
    const struct pair_list *given = &log->options;
    size_t own_count = is_among(endpoint_option, given->items, given->count) ? 1 : COUNT_OF(own);
    struct pair_list *out = ARENA_NEW(arena, struct pair_list, 1);
    out->items = ARENA_NEW(arena, struct pair, given->count + own_count);
    for (size_t o = 0; o < given->count; o++) {
        bool dropped = str_eq(given->items[o].key, prefix_option) || is_among(given->items[o].key, own, own_count);
        if (!dropped) { out->items[out->count++] = given->items[o]; }
    }
    for (size_t o = 0; o < own_count; o++) { out->items[out->count++] = own[o]; }
    ASSERT(out->count <= given->count + own_count);
    return out;
}

/* ---- GPUs outside of EC2 ---- */

/* There the ECS agent asks Docker for devices, for every container, also for one that has none: which some versions of Docker take for all
 * of them, and those without NVIDIA's toolkit refuse. It knows nothing of parts of a GPU. */
static const struct str_list *devices_of(const struct instance *instance, const struct task_container *container)
{
    static const struct str_list none = { NULL, 0 };
    bool asks = says(instance, STR("ecs.capability.external")) && instance->gpus.count > 0;
    if (!asks) { return NULL; }
    if (container->gpu_ids.count == 0) { return &none; }
    return gpu_share_of(container->gpu_share) < GPU_SHARE_WHOLE ? &container->gpu_ids : NULL;
}

struct docker_ways work_docker_ways(const struct api_config *config, const struct instance *instance, const struct task *task,
                                    const struct task_definition *def, const struct task_container *container, bool has_role, struct arena *arena)
{
    struct docker_ways ways = { .devices = devices_of(instance, container) };
    const struct container_definition *definition = &def->container_definitions.items[container->index];
    bool writes = has_role && config->logs_endpoint.len > 0 && container_log_driver(definition) == LOG_DRIVER_AWSLOGS
        && says(instance, STR("ecs.capability.execution-role-awslogs"));
    if (writes) {
        struct log_names names = log_names_of(def, definition->name, task->id, arena);
        ways.awslogs = awslogs_options(config, definition->log_configuration, &names, arena);
    }
    return ways;
}
