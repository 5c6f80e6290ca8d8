/* look.c: what the parts of a look at a pool share: its provider, what that asks for, and what its machines cost. */
#include "api/capacity/machines.h"
#include "base/num.h"
#include "model/catalogue/catalogue.h"

void look_again(struct pool_look *look, int64_t at_ms)
{
    if (at_ms != 0 && (look->again_ms == 0 || at_ms < look->again_ms)) { look->again_ms = at_ms; }
}

const struct kept_provider *pool_provider(struct op_ctx *ctx, const struct kept_pool *pool)
{
    struct kept_provider *providers;
    size_t count = store_list_providers(ctx->txn, &providers, ctx->arena);
    for (size_t p = 0; p < count; p++) {
        if (providers[p].status == CAPACITY_PROVIDER_STATUS_ACTIVE && str_eq(providers[p].pool, pool->name)) { return &providers[p]; }
    }
    return NULL;
}

/* ---- prices ---- */

/* As its provisioner has said for the machine, or in its plan, or as in the catalogue; PRICE_UNKNOWN. */
static int64_t price_of(const struct pool_look *look, struct str said, struct str type)
{
    int64_t price;
    const struct instance_type *known = catalogue_find(catalogue_known(), type);
    if (rules_read_price(said, &price) || rules_read_price(offers_price(look->pool, type), &price)) { return price; }
    return known == NULL ? PRICE_UNKNOWN : known->price;
}

int64_t look_affords(const struct pool_look *look, struct str type, int64_t most)
{
    int64_t price = price_of(look, STR(""), type);
    most = offers_left(look->pool, type, most);
    if (look->rules.price_max == 0) { return most; }
    if (price == PRICE_UNKNOWN) { return 0; }
    return price == 0 ? most : max_i64(min_i64(look->price_left / price, most), 0);
}

bool look_spend(struct pool_look *look, struct str type)
{
    if (look_affords(look, type, 1) == 0) { return false; }
    if (look->rules.price_max != 0) { look->price_left -= max_i64(price_of(look, STR(""), type), 0); }
    offers_take(look->ctx, look->pool, type);
    return true;
}

/* ---- the look ---- */

void look_open(struct pool_look *look, struct op_ctx *ctx, struct kept_pool *pool)
{
    *look = (struct pool_look){ .ctx = ctx, .pool = pool, .provider = pool_provider(ctx, pool) };
    look->rules = rules_of(look->provider);
    look->count = store_list_machines(ctx->txn, pool->name, &look->machines, ctx->arena);
    look->price_left = look->rules.price_max;
    for (size_t m = 0; m < look->count && look->rules.price_max != 0; m++) {
        look->price_left -= max_i64(price_of(look, look->machines[m].price, look->machines[m].type), 0);
    }
    if (look->provider == NULL) { return; }
    const struct auto_scaling_group_provider *group = look->provider->group;
    bool drains = group == NULL || group->managed_draining != MANAGED_DRAINING_DISABLED;
    pool->drain_s = drains ? MACHINE_DRAIN_S : 0;
    pool->warm_up_s = group == NULL || group->managed_scaling == NULL ? 0 : group->managed_scaling->instance_warmup_period.value;
}
