/* choice.c: see choice.h. */
#include "api/capacity/choice.h"

bool choice_check_weights(const struct capacity_provider_strategy_item_list *strategy, bool is_default, struct err *err)
{
    size_t with_base = 0, with_weight = 0;
    for (size_t s = 0; s < strategy->count; s++) {
        if (strategy->items[s].base.value > 0) { with_base++; }
        if (strategy->items[s].weight.value > 0) { with_weight++; }
    }
    if (with_base > 1) {
        return err_set(err, ERR_INVALID_PARAMETER, "Only one capacity provider in a capacity provider strategy can have a base.");
    }
    if (strategy->count > 0 && with_weight == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "There are no capacity providers with a weight value greater than zero defined in the %scapacity provider "
                       "strategy. At least one capacity provider must have a weight value greater than zero specified. %s valid capacity provider strategy and "
                       "try again.", is_default ? "default " : "",
                       is_default ? "Update the cluster's default capacity provider strategy or specify a" : "Specify a");
    }
    return true;
}

struct str provider_name(struct str reference)
{
    size_t at = reference.len;
    if (!str_starts_with(reference, STR("arn:"))) { return reference; }
    while (at > 0 && reference.ptr[at - 1] != '/') { at--; }
    return str_slice(reference, at, reference.len);
}

static struct str shown(struct str name) { return str_slice(name, 0, 255); }

/* A managed instances provider is its cluster's from its creation on. */
static bool is_of(const struct kept_provider *provider, const struct cluster *cluster)
{
    return provider->managed != NULL ? provider->cluster == cluster->number : str_list_has(&cluster->capacity_providers, provider->name);
}

struct str provider_of_pool(struct op_ctx *ctx, const struct cluster *cluster, struct str pool)
{
    struct kept_provider *providers;
    size_t count = store_list_providers(ctx->txn, &providers, ctx->arena);
    for (size_t p = 0; p < count; p++) {
        bool serves = str_eq(providers[p].pool, pool) && providers[p].status == CAPACITY_PROVIDER_STATUS_ACTIVE && is_of(&providers[p], cluster);
        if (serves) { return providers[p].name; }
    }
    return (struct str){ NULL, 0 };
}

static bool check_item(struct op_ctx *ctx, const struct cluster *cluster, struct str reference, bool *managed, struct err *err)
{
    struct str name = provider_name(reference);
    if (str_eq(name, STR("FARGATE")) || str_eq(name, STR("FARGATE_SPOT"))) {
        return err_set(err, ERR_CLIENT, "Capacity provider " STR_FMT " is not available: Berth runs tasks on the machines that are registered with it.",
                       STR_ARG(name));
    }
    const struct kept_provider *provider = store_provider(ctx->txn, name, ctx->arena);
    if (provider == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "The specified capacity provider '" STR_FMT "' was not found. Specify a valid name or ARN and try again.",
                       STR_ARG(shown(name)));
    }
    if (provider->status != CAPACITY_PROVIDER_STATUS_ACTIVE) {
        return err_set(err, ERR_INVALID_PARAMETER, "The specified capacity provider '" STR_FMT "' is not in an ACTIVE state. Specify a valid capacity provider "
                       "and try again.", STR_ARG(shown(name)));
    }
    *managed = provider->managed != NULL;
    return is_of(provider, cluster)
        || err_set(err, ERR_INVALID_PARAMETER, "The specified capacity provider '" STR_FMT "' is not associated with the cluster. Associate the capacity "
                   "provider with the cluster and try again.", STR_ARG(shown(name)));
}

static bool is_twice(const struct capacity_provider_strategy_item_list *strategy, size_t item)
{
    for (size_t i = 0; i < item; i++) {
        if (str_eq(provider_name(strategy->items[i].capacity_provider), provider_name(strategy->items[item].capacity_provider))) { return true; }
    }
    return false;
}

bool choice_check(struct op_ctx *ctx, const struct cluster *cluster, const struct capacity_provider_strategy_item_list *strategy, bool is_default,
                  struct err *err)
{
    bool first = false, managed = false;
    if (strategy->count > STRATEGY_ITEMS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "A capacity provider strategy can have at most %d capacity providers.", STRATEGY_ITEMS_MAX);
    }
    if (!choice_check_weights(strategy, is_default, err)) { return false; }
    for (size_t i = 0; i < strategy->count; i++) {
        struct str reference = strategy->items[i].capacity_provider;
        if (is_twice(strategy, i)) {
            return err_set(err, ERR_INVALID_PARAMETER, "The capacity provider strategy names '" STR_FMT "' more than once.",
                           STR_ARG(shown(provider_name(reference))));
        }
        if (!check_item(ctx, cluster, reference, &managed, err)) { return false; }
        if (i == 0) { first = managed; }
        if (managed != first) {
            return err_set(err, ERR_INVALID_PARAMETER, "A capacity provider strategy can't have both Auto Scaling group and managed instances capacity "
                           "providers.");
        }
    }
    return true;
}

bool provider_scales(const struct kept_provider *provider)
{
    if (provider->managed != NULL) { return true; }
    const struct managed_scaling *scaling = provider->group->managed_scaling;
    return scaling != NULL && scaling->status == MANAGED_SCALING_STATUS_ENABLED;
}

struct provider_choice choice_of(struct op_ctx *ctx, const struct capacity_provider_strategy_item_list *strategy)
{
    size_t count = strategy->count < STRATEGY_ITEMS_MAX ? strategy->count : STRATEGY_ITEMS_MAX;
    struct provider_choice choice = { NULL, NULL, count };
    if (count == 0) { return choice; }
    choice.items = ARENA_NEW(ctx->arena, struct chosen_provider, count);
    choice.shares = ARENA_NEW(ctx->arena, struct provider_share, count);
    for (size_t i = 0; i < count; i++) {
        const struct capacity_provider_strategy_item *item = &strategy->items[i];
        struct str name = provider_name(item->capacity_provider);
        const struct kept_provider *provider = store_provider(ctx->txn, name, ctx->arena);
        choice.items[i] = (struct chosen_provider){ name, provider != NULL && provider->managed != NULL, provider != NULL && provider_scales(provider) };
        choice.shares[i] = (struct provider_share){ .base = item->base.value, .weight = item->weight.value };
    }
    return choice;
}

size_t choice_find(const struct provider_choice *choice, struct str name)
{
    size_t item = 0;
    while (item < choice->count && !str_eq(choice->items[item].name, name)) { item++; }
    return item;
}

size_t choice_find_hash(const struct provider_choice *choice, uint64_t hash)
{
    size_t item = 0;
    while (item < choice->count && provider_hash(choice->items[item].name) != hash) { item++; }
    return item;
}

bool provider_is_empty(struct op_ctx *ctx, struct str name)
{
    const struct kept_provider *provider = store_provider(ctx->txn, name, ctx->arena);
    struct kept_machine *machines;
    size_t count = provider == NULL ? 0 : store_list_machines(ctx->txn, provider->pool, &machines, ctx->arena);
    for (size_t m = 0; m < count; m++) {
        if (machines[m].state == MACHINE_ACTIVE) { return false; }
    }
    return true;
}

bool provider_grows(struct op_ctx *ctx, struct str name, struct str *text)
{
    const struct kept_provider *provider = store_provider(ctx->txn, name, ctx->arena);
    const struct kept_pool *pool = provider == NULL ? NULL : store_pool(ctx->txn, provider->pool, ctx->arena);
    bool refused = pool != NULL && pool->refused == OPT_TRUE, grows = pool != NULL && !refused && provider_scales(provider) && pool->desired < pool->max;
    struct str shown_name = shown(name);
    *text = grows ? arena_printf(ctx->arena, "the capacity provider " STR_FMT " will order machines", STR_ARG(shown_name))
        : refused ? arena_printf(ctx->arena, "the provisioner of the capacity provider " STR_FMT " cannot be called: " STR_FMT, STR_ARG(shown_name),
                                 STR_ARG(pool->failure))
        : arena_printf(ctx->arena, "the capacity provider " STR_FMT " has all %lld machines that it may have", STR_ARG(shown_name),
                       (long long)(pool == NULL ? 0 : pool->max));
    return grows;
}

bool choice_scales(const struct provider_choice *choice)
{
    bool some = false;
    for (size_t i = 0; i < choice->count; i++) { some |= choice->items[i].scales; }
    return some;
}
