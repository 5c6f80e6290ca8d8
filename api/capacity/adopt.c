/* adopt.c: machines that a provisioner has, that carry an id of Berth's form, and that Berth does not know: those of a store that was lost or is older than
 * they are. Without the tag berth:adopt they are ended. With it they become machines of the pool, up to MaxSize; the others are left alone, and their
 * container instances take no tasks. */
#include "api/capacity/machines.h"

#include "api/capacity/choice.h"
#include "api/core/placement.h"
#include "base/num.h"

static const struct str unasked = STR_INIT("The machine was not ordered, and its group has MaxSize machines");

bool adopt_one(struct adoption *adoption, struct id id, const struct json *item)
{
    struct op_ctx *ctx = adoption->ctx;
    struct kept_pool *pool = adoption->pool;
    struct str type = json_get_str(item, STR("type")), handle = json_get_str(item, STR("handle"));
    struct str name = machine_id_text(id, ctx->arena);
    if (adoption->have >= pool->max) {
        adoption->refused = true;
        return false;
    }
    struct kept_machine machine = {
        .id = id, .pool = pool->name, .type = str_is_set(type) ? str_shorten(type, MACHINE_TEXT_MAX) : STR(""), .state = MACHINE_BOOTING,
        .since_ms = ctx->now_ms, .ordered_ms = ctx->now_ms, .cluster = pool->cluster, .next_ms = ctx->now_ms + MACHINE_REGISTER_MS,
        .reason = STR("the provisioner has it"),
        .zone = pool->zones.count > 0 ? pool->zones.items[0] : (struct str){ NULL, 0 }, .price = price_said(item, ctx->arena),
    };
    machine_take_handle(ctx, &machine, handle);
    machine_put(ctx, &machine);
    adoption->have++;
    adoption->adopted = true;
    pool->desired = max_i64(pool->desired, adoption->have);
    pool_line(ctx, pool, "adopts " STR_FMT ": the provisioner has it, and it was not ordered", STR_ARG(name));
    return true;
}

/* It has registered before its machine was known. */
static void bind(struct op_ctx *ctx, const struct cluster *cluster, const struct kept_machine *machine, const struct instance *found)
{
    struct instance instance = *found;
    bool was_held = instance.status == INSTANCE_DRAINING && str_eq(instance.status_reason, unasked);
    instance.machine = machine->id;
    instance.capacity_provider = provider_of_pool(ctx, cluster, machine->pool);
    if (was_held) {
        instance_become(&instance, INSTANCE_ACTIVE, ctx->now_ms);
        instance.status_reason = (struct str){ NULL, 0 };
    }
    instance.version++;
    placement_put_instance(ctx, &instance);
    machine_registered(ctx, &instance);
}

static bool is_stray(const struct kept_pool *pool, struct str said)
{
    for (size_t s = 0; s < pool->strays.count; s++) {
        if (str_is_set(pool->strays.items[s].id) && str_eq(pool->strays.items[s].id, said)) { return true; }
    }
    return false;
}

static void look_at_instance(const struct adoption *adoption, const struct cluster *cluster, const struct instance *instance)
{
    struct op_ctx *ctx = adoption->ctx;
    bool said;
    struct str value = instance_attribute(instance, STR(MACHINE_ID_ATTRIBUTE), &said);
    if (!said) { return; }
    const struct kept_machine *machine = machine_said(ctx, instance);
    if (machine == NULL) {
        if (is_stray(adoption->pool, value)) { machine_drain(ctx, instance, unasked); }
    } else if (id_is_zero(machine->instance) && str_eq(machine->pool, adoption->pool->name)) {
        bind(ctx, cluster, machine, instance);
    }
}

/* All of the cluster, once a list that has such machines. */
void adopt_instances(const struct adoption *adoption)
{
    enum { AT_ONCE = 256 };
    struct op_ctx *ctx = adoption->ctx;
    struct id ids[AT_ONCE], after = { { 0 } };
    if (!adoption->adopted && !adoption->refused) { return; }
    const struct cluster *cluster = adoption->pool->cluster == 0 ? NULL : support_kept_cluster_by_number(ctx, adoption->pool->cluster);
    if (cluster == NULL) { return; }
    for (size_t count = AT_ONCE; count == AT_ONCE; after = ids[AT_ONCE - 1]) {
        count = store_list_instances(ctx->txn, cluster->number, INSTANCE_STATUS_UNSET, after, ids, AT_ONCE);
        for (size_t i = 0; i < count; i++) {
            const struct instance *instance = store_instance(ctx->txn, ids[i], ctx->arena);
            if (instance != NULL) { look_at_instance(adoption, cluster, instance); }
        }
    }
}
