/* orders.c: what a person tells the pool of a capacity provider: `berth capacity approve|suspend|resume PROVIDER`.
 *
 *   APPROVE   it may order as many machines as it is to have now (berth:approve)
 *   SUSPEND   it orders nothing; machines that there are go on, and go as before
 *   RESUME    it orders again, also after failures: nothing of them is remembered */
#include "api/capacity/machines.h"
#include "api/capacity/providers.h"
#include "api/core/api.h"
#include "base/num.h"

enum capacity_action { ACTION_UNSET, ACTION_APPROVE, ACTION_SUSPEND, ACTION_RESUME, ACTION_COUNT };
static const struct str action_words[] = { STR_INIT("APPROVE"), STR_INIT("SUSPEND"), STR_INIT("RESUME") };
static const struct enum_names action_names = { action_words, COUNT_OF(action_words) };
_Static_assert(COUNT_OF(action_words) == ACTION_COUNT - 1, "one word per value");

struct capacity_order { struct str provider; enum capacity_action action; };
#define AT(member) .offset = offsetof(struct capacity_order, member)
static const struct field capacity_order_fields[] = {
    { STR_INIT("provider"), 0, FIELD_STR,  AT(provider), .required = true, .min = 1, .max = 2048 },
    { STR_INIT("action"),   0, FIELD_ENUM, AT(action), .names = &action_names, .required = true },
};
#undef AT
static const struct schema capacity_order_schema = SCHEMA_OF("order capacity", struct capacity_order, capacity_order_fields);

static bool approve(struct op_ctx *ctx, const struct kept_provider *provider, struct kept_pool *pool, struct err *err)
{
    if (!rules_of(provider).asks) {
        return err_set(err, ERR_INVALID_PARAMETER, "The capacity provider " STR_FMT " does not ask: it has no tag berth:approve with the value true.",
                       STR_ARG(provider->name));
    }
    pool->approved = max_i64(pool->approved, pool->desired);
    pool_line(ctx, pool, "may have %lld machines: approved by " STR_FMT, (long long)pool->approved, STR_ARG(ctx->caller.user));
    return true;
}

static void suspend(struct op_ctx *ctx, struct kept_pool *pool)
{
    pool->suspended = OPT_TRUE;
    pool->suspended_by = ctx->caller.user;
    pool_line(ctx, pool, "is suspended by " STR_FMT, STR_ARG(ctx->caller.user));
}

static void resume(struct op_ctx *ctx, struct kept_pool *pool)
{
    pool->suspended = OPT_FALSE;
    pool->suspended_by = pool->failure = (struct str){ NULL, 0 };
    pool->failures = pool->blocked_until_ms = 0;
    pool->blocks.count = 0;
    pool_line(ctx, pool, "is resumed by " STR_FMT, STR_ARG(ctx->caller.user));
}

static bool op_order_capacity(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct capacity_order *order = input;
    (void)output;
    const struct kept_provider *provider = provider_find(ctx, order->provider);
    const struct kept_pool *found = provider == NULL ? NULL : store_pool(ctx->txn, provider->pool, ctx->arena);
    if (found == NULL) { return err_set(err, ERR_RESOURCE_NOT_FOUND, "There is no such capacity provider, or its group does not exist any more."); }
    struct kept_pool pool = *found;
    if (order->action == ACTION_APPROVE && !approve(ctx, provider, &pool, err)) { return false; }
    if (order->action == ACTION_SUSPEND) { suspend(ctx, &pool); }
    if (order->action == ACTION_RESUME) { resume(ctx, &pool); }
    pools_put(ctx, &pool);
    return true;
}

static const struct operation order_capacity_operation = {
    .name = STR_INIT("berth:OrderCapacity"), .input = &capacity_order_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER, .run = op_order_capacity,
};

bool api_prepare_order_capacity(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    return api_decode(config, &order_capacity_operation, body, arena, call, err);
}
