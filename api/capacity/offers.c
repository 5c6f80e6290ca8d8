/* offers.c: what a provisioner has said of its types when it was asked for a plan:
 *
 *   plan   {"pool":"gpu","wanted":2,"types":["g5.xlarge",…],"handles":["…"]}      types: those that the pool may have, the cheapest first
 *          {"types":[{"type":"g5.xlarge","available":4,"price":0.7},…]}           a type that it leaves out is as in the catalogue
 *
 * A plan adds no type: a type needs its GPUs and memory, which the catalogue has (--instance-types). */
#include "api/capacity/machines.h"
#include "base/num.h"
#include "model/catalogue/catalogue.h"

enum { OFFERS_MAX = 300 };
enum { LEFT_UNKNOWN = -1 };

struct str price_said(const struct json *item, struct arena *arena)
{
    const struct json *price = json_get(item, STR("price"));
    if (price == NULL || (price->type != JSON_INT && price->type != JSON_REAL)) { return (struct str){ NULL, 0 }; }
    struct buf buf = buf_in(arena);
    struct json_out json = json_out_to(&buf);
    json_dump(&json, price);
    return buf_str(&buf);
}

void offers_drop(struct kept_pool *pool) { pool->offers.count = 0; }

void offers_renew(struct pool_look *look)
{
    if (look->pool->offers.count > 0) { look->pool->list_ms = min_i64(look->pool->list_ms, look->ctx->now_ms + MACHINES_LIST_SOON_MS); }
}

void offers_read(struct op_ctx *ctx, struct kept_pool *pool, const struct json *reply)
{
    const struct json *list = json_get(reply, STR("types"));
    offers_drop(pool);
    if (list == NULL || list->type != JSON_ARRAY) { return; }
    pool->offers.items = ARENA_NEW(ctx->arena, struct pool_offer, OFFERS_MAX);
    for (size_t i = 0; i < list->count && pool->offers.count < OFFERS_MAX; i++) {
        const struct json *item = &list->as.items[i];
        struct str type = json_get_str(item, STR("type"));
        if (!str_is_set(type) || type.len == 0) { continue; }
        pool->offers.items[pool->offers.count++] = (struct pool_offer){
            str_shorten(type, MACHINE_TEXT_MAX), price_said(item, ctx->arena),
            max_i64(json_get_i64(item, STR("available"), LEFT_UNKNOWN), LEFT_UNKNOWN),
        };
    }
}

static const struct pool_offer *offer_of(const struct kept_pool *pool, struct str type)
{
    for (size_t o = 0; o < pool->offers.count; o++) {
        if (str_eq(pool->offers.items[o].type, type)) { return &pool->offers.items[o]; }
    }
    return NULL;
}

struct str offers_price(const struct kept_pool *pool, struct str type)
{
    const struct pool_offer *offer = offer_of(pool, type);
    return offer == NULL ? (struct str){ NULL, 0 } : offer->price;
}

int64_t offers_left(const struct kept_pool *pool, struct str type, int64_t most)
{
    const struct pool_offer *offer = offer_of(pool, type);
    return offer == NULL || offer->left == LEFT_UNKNOWN ? most : min_i64(offer->left, most);
}

void offers_take(struct op_ctx *ctx, struct kept_pool *pool, struct str type)
{
    const struct pool_offer *offer = offer_of(pool, type);
    if (offer == NULL || offer->left <= 0) { return; }
    size_t at = (size_t)(offer - pool->offers.items);
    pool->offers.items = arena_copy(ctx->arena, pool->offers.items, pool->offers.count * sizeof *pool->offers.items);
    pool->offers.items[at].left--;
}

struct type_list offers_apply(const struct kept_pool *pool, struct type_list types, struct arena *arena)
{
    int64_t price;
    if (pool->offers.count == 0) { return types; }
    struct type_list priced = { (const struct instance_type **)arena_alloc(arena, types.count + 1, sizeof *priced.items), types.count };
    struct instance_type *copies = ARENA_NEW(arena, struct instance_type, types.count + 1);
    for (size_t t = 0; t < types.count; t++) {
        copies[t] = *types.items[t];
        if (rules_read_price(offers_price(pool, copies[t].name), &price)) { copies[t].price = price; }
        priced.items[t] = &copies[t];
    }
    types_sort(priced);
    return priced;
}
