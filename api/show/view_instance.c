/* view_instance.c: a container instance as ECS shows it. Free resources are derived at each request. For CPU, MEMORY and GPU
 * "remaining" lists the free resources; for ports it lists the taken ones, as in ECS. `version` counts the changes that ECS sends
 * as events: changes of the machine (registration, its agent's connection, status), counted in its record, and each task that took
 * or gave back resources there. The store counts these, so that a placement writes no second record. */
#include "wire/agent_protocol.h"
#include "api/machines/gpu_health.h"
#include "api/show/view.h"

enum { RESOURCES_MAX = 5 };

static struct resource number_resource(struct str name, int64_t value)
{
    return (struct resource){ .name = name, .type = STR("INTEGER"), .integer_value = opt_int_of(value) };
}

static struct resource set_resource(struct str name, struct str_list values)
{
    return (struct resource){ .name = name, .type = STR("STRINGSET"), .string_set_value = values };
}

/* Ports of one protocol; a number has its protocol in a bit. */
static void add_ports(struct arena *arena, const struct int_list *ports, bool udp, struct str_list *out)
{
    for (size_t p = 0; p < ports->count; p++) {
        int64_t port = ports->items[p].value;
        if (((port & PORT_UDP) != 0) != udp) { continue; }
        out->items[out->count++] = arena_printf(arena, "%d", (int)(port & ~(int64_t)PORT_UDP));
    }
}

static struct str_list port_texts(struct arena *arena, const struct int_list *reserved, const struct int_list *taken, bool udp)
{
    size_t most = reserved->count + (taken == NULL ? 0 : taken->count);
    struct str_list out = { ARENA_NEW(arena, struct str, most), 0 };
    add_ports(arena, reserved, udp, &out);
    if (taken != NULL) { add_ports(arena, taken, udp, &out); }
    return out;
}

static bool is_held(const struct instance_usage *usage, struct str uuid)
{
    for (size_t g = 0; g < usage->gpus.count; g++) {
        if (str_eq(usage->gpus.items[g].uuid, uuid)) { return true; }
    }
    return false;
}

/* All GPUs of the machine; with `usage`, those without any holder that are not in quarantine. */
static struct str_list gpu_ids(struct arena *arena, const struct instance *instance, const struct instance_usage *usage)
{
    struct str_list out = { ARENA_NEW(arena, struct str, instance->gpus.count), 0 };
    for (size_t g = 0; g < instance->gpus.count; g++) {
        struct str uuid = instance->gpus.items[g].uuid;
        bool available = usage == NULL || (!is_held(usage, uuid) && !instance_gpu_is_out(instance, uuid));
        if (available) { out.items[out.count++] = uuid; }
    }
    return out;
}

/* `usage` NULL: the registered resources. An instance that became smaller than its tasks has 0 left, never less. */
static struct resource_list make_resources(struct arena *arena, const struct instance *instance, const struct instance_usage *usage)
{
    int64_t cpu = instance->cpu - (usage == NULL ? 0 : usage->cpu);
    int64_t memory = instance->memory_mib - (usage == NULL ? 0 : usage->memory_mib);
    const struct int_list *taken = usage == NULL ? NULL : &usage->ports;
    struct resource_list list = { ARENA_NEW(arena, struct resource, RESOURCES_MAX), 0 };
    list.items[list.count++] = number_resource(STR("CPU"), cpu < 0 ? 0 : cpu);
    list.items[list.count++] = number_resource(STR("MEMORY"), memory < 0 ? 0 : memory);
    list.items[list.count++] = set_resource(STR("PORTS"), port_texts(arena, &instance->reserved_ports, taken, false));
    list.items[list.count++] = set_resource(STR("PORTS_UDP"), port_texts(arena, &instance->reserved_ports, taken, true));
    if (instance->gpus.count > 0) { list.items[list.count++] = set_resource(STR("GPU"), gpu_ids(arena, instance, usage)); }
    ASSERT(list.count <= RESOURCES_MAX);
    return list;
}

/* The first of: the reason of its status, an agent that is not connected, faulty GPUs. */
static struct str status_reason(const struct instance *instance, struct arena *arena)
{
    struct err err = { 0 };
    if (str_is_set(instance->status_reason)) { return instance->status_reason; }
    return agent_protocol_check(instance, &err) ? gpu_health_reason(instance, arena) : arena_str(arena, str_from(err.message));
}

void view_instance_fill(struct op_ctx *ctx, const struct cluster *cluster, const struct instance *instance, bool with_tags,
                        struct instance_view *view)
{
    struct instance_usage usage;
    store_instance_usage(ctx->txn, instance->id, &usage, ctx->arena);
    *view = (struct instance_view){
        .container_instance_arn = names_instance_arn(&ctx->config->names, cluster->name, instance->id, ctx->arena),
        .capacity_provider_name = instance->capacity_provider,
        .ec2_instance_id = str_is_set(instance->ec2_instance_id) ? instance->ec2_instance_id : STR(""),
        .version = opt_int_of(instance->version + usage.events),
        .version_info = instance->version_info,
        .remaining_resources = make_resources(ctx->arena, instance, &usage),
        .registered_resources = make_resources(ctx->arena, instance, NULL),
        .status = enum_word(&instance_status_names, (int)instance->status),
        .status_reason = status_reason(instance, ctx->arena),
        .agent_connected = instance->agent_connected,
        .running_tasks_count = opt_int_of(usage.running),
        .pending_tasks_count = opt_int_of(usage.pending),
        .attributes = instance->attributes,
        .registered_at = instance->registered_ms,
        .attachments = { LIST_NOTHING, 0 },
        .tags = { LIST_NOTHING, 0 },
    };
    if (instance->attributes.items == NULL) { view->attributes.items = LIST_NOTHING; }
    if (with_tags && instance->tags.count > 0) { view->tags = instance->tags; }
}

struct instance_view *view_instance(struct op_ctx *ctx, const struct cluster *cluster, const struct instance *instance,
                                    bool with_tags)
{
    struct instance_view *view = ARENA_NEW(ctx->arena, struct instance_view, 1);
    view_instance_fill(ctx, cluster, instance, with_tags, view);
    return view;
}
