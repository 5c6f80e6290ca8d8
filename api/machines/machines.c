#include "api/machines/machines.h"

#include "api/machines/loss.h"
#include "api/core/placement.h"

/* Under the word stands the record that was registered with it last. */
static struct str meta_name(struct op_ctx *ctx, const struct instance *instance, struct str word)
{
    return arena_printf(ctx->arena, "machine/%lld/" STR_FMT, (long long)instance->cluster_number, STR_ARG(word));
}

/* Absent: its agent tells none. */
static struct str word_of(const struct instance *instance)
{
    bool found;
    return instance_attribute(instance, STR(MACHINE_ATTRIBUTE), &found);
}

static bool find_last(struct op_ctx *ctx, const struct instance *instance, struct str word, struct id *id)
{
    if (word.len == 0) { return false; }
    struct str text = store_meta(ctx->txn, meta_name(ctx, instance, word), ctx->arena);
    return str_is_set(text) && id_parse(text, id);
}

/* Its containers are ended by the agent that is there now, so that nobody reports their end. */
static size_t retire(struct op_ctx *ctx, const struct instance *former, struct id successor)
{
    static const struct loss lost = {
        TASK_STOP_CODE_INFRASTRUCTUREHEALTH, STR_INIT("The machine's agent has lost its folder, and ends what it ran before"),
    };
    char hex[ID_HEX_LEN + 1];
    id_hex(successor, hex);
    return loss_deregister(ctx, former, &lost, arena_printf(ctx->arena, "Its agent has lost its folder: the machine is registered as %s now", hex));
}

void machines_registered(struct op_ctx *ctx, const struct instance *before, const struct instance *instance)
{
    struct str word = word_of(instance);
    struct id last;
    if (before != NULL && !str_eq(word_of(before), word)) { machines_forget(ctx, before); }
    if (word.len == 0) { return; }
    bool known = find_last(ctx, instance, word, &last);
    if (known && id_eq(last, instance->id)) { return; }
    char hex[ID_HEX_LEN + 1];
    id_hex(instance->id, hex);
    store_put_meta(ctx->txn, meta_name(ctx, instance, word), arena_str(ctx->arena, str_from(hex)));
    const struct instance *former = known ? store_instance(ctx->txn, last, ctx->arena) : NULL;
    bool is_over = former != NULL && former->status != INSTANCE_INACTIVE && former->agent_connected != OPT_TRUE;
    if (is_over) { (void)retire(ctx, former, instance->id); }
}

size_t machines_left(struct op_ctx *ctx, const struct instance *instance)
{
    struct id last;
    bool has_successor = find_last(ctx, instance, word_of(instance), &last) && !id_eq(last, instance->id);
    const struct instance *successor = has_successor ? store_instance(ctx->txn, last, ctx->arena) : NULL;
    return successor != NULL && successor->status != INSTANCE_INACTIVE ? retire(ctx, instance, last) : 0;
}

void machines_forget(struct op_ctx *ctx, const struct instance *instance)
{
    struct id last;
    struct str word = word_of(instance);
    if (find_last(ctx, instance, word, &last) && id_eq(last, instance->id)) {
        store_put_meta(ctx->txn, meta_name(ctx, instance, word), (struct str){ 0 });
    }
}
