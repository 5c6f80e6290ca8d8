#include "api/machines/machines.h"

#include "api/machines/last_record.h"
#include "api/machines/loss.h"

/* The agent that runs there now ends its containers, so no agent reports their end. */
static size_t retire(struct op_ctx *ctx, const struct instance *former, struct id successor)
{
    static const struct stop_cause lost = {
        TASK_STOP_CODE_INFRASTRUCTUREHEALTH, STR_INIT("The machine's agent has lost its folder, and ends what it ran before"),
    };
    char hex[ID_HEX_LEN + 1];
    ASSERT(!id_eq(former->id, successor));
    id_hex(successor, hex);
    return loss_deregister(ctx, former, &lost, arena_printf(ctx->arena, "Its agent has lost its folder: the machine is registered as %s now", hex));
}

void machines_registered(struct op_ctx *ctx, const struct instance *before, const struct instance *instance)
{
    struct id last;
    ASSERT(instance->status == INSTANCE_ACTIVE || instance->status == INSTANCE_DRAINING);
    ASSERT(before == NULL || id_eq(before->id, instance->id));
    if (before != NULL && !last_record_same_word(before, instance)) { last_record_forget(ctx, before); }
    if (!last_record_has_word(instance)) { return; }
    bool known = last_record_find(ctx, instance, &last);
    if (known && id_eq(last, instance->id)) { return; }
    last_record_put(ctx, instance);
    const struct instance *former = known ? store_instance(ctx->txn, last, ctx->arena) : NULL;
    bool is_over = former != NULL && former->status != INSTANCE_INACTIVE && former->agent_connected != OPT_TRUE;
    if (is_over) { (void)retire(ctx, former, instance->id); }
}

size_t machines_left(struct op_ctx *ctx, const struct instance *instance)
{
    struct id last;
    bool has_successor = last_record_find(ctx, instance, &last) && !id_eq(last, instance->id);
    const struct instance *successor = has_successor ? store_instance(ctx->txn, last, ctx->arena) : NULL;
    return successor != NULL && successor->status != INSTANCE_INACTIVE ? retire(ctx, instance, last) : 0;
}
