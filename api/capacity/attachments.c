/* attachments.c: a scaling policy and a lifecycle hook, which ECS adds to the Auto Scaling groups of a cluster's capacity providers and DescribeClusters shows.
 * Berth scales and drains by itself, so nothing is kept of them: their ids follow from the names. */
#include "api/capacity/providers.h"

#include "base/table.h"

/* The same for each request: version 4 in form. */
static struct str uuid_of(struct op_ctx *ctx, const struct cluster *cluster, struct str provider, struct str type)
{
    static const uint64_t keys[2][2] = { { 0x6265727468, 0x61747461 }, { 0x6265727468, 0x63686564 } };
    struct str text = arena_printf(ctx->arena, "%lld/" STR_FMT "/" STR_FMT, (long long)cluster->number, STR_ARG(provider), STR_ARG(type));
    char uuid[ID_UUID_LEN + 1];
    struct id id;
    for (size_t h = 0; h < 2; h++) {
        uint64_t hash = hash_keyed(keys[h], text.ptr, text.len);
        for (size_t b = 0; b < 8; b++) { id.bytes[8 * h + b] = (uint8_t)(hash >> (8 * b)); }
    }
    id.bytes[6] = (uint8_t)(0x40 | (id.bytes[6] & 0x0f));
    id.bytes[8] = (uint8_t)(0x80 | (id.bytes[8] & 0x3f));
    id_uuid(id, uuid);
    return arena_str(ctx->arena, (struct str){ uuid, ID_UUID_LEN });
}

static void add(struct op_ctx *ctx, const struct cluster *cluster, struct str provider, struct str type, struct str detail, struct str value,
                struct attachment_list *list)
{
    struct key_value_pair *details = ARENA_NEW(ctx->arena, struct key_value_pair, 2);
    details[0] = (struct key_value_pair){ STR("capacityProviderName"), provider };
    details[1] = (struct key_value_pair){ detail, value };
    list->items[list->count++] = (struct attachment){ uuid_of(ctx, cluster, provider, type), type, STR("CREATED"), { details, 2 } };
}

static struct attachment_list attachments_of(struct op_ctx *ctx, const struct cluster *cluster)
{
    const struct str_list *names = &cluster->capacity_providers;
    struct attachment_list list = { ARENA_NEW(ctx->arena, struct attachment, 2 * names->count + 1), 0 };
    for (size_t n = 0; n < names->count; n++) {
        const struct kept_provider *provider = store_provider(ctx->txn, names->items[n], ctx->arena);
        if (provider == NULL || provider->group == NULL) { continue; }
        struct str policy = uuid_of(ctx, cluster, provider->name, STR("policy"));
        if (provider_scales(provider)) {
            add(ctx, cluster, provider->name, STR("as_policy"), STR("scalingPolicyName"),
                arena_printf(ctx->arena, "ECSManagedAutoScalingPolicy-" STR_FMT, STR_ARG(policy)), &list);
        }
        if (provider->group->managed_draining == MANAGED_DRAINING_ENABLED) {
            add(ctx, cluster, provider->name, STR("managed_draining"), STR("autoScalingLifecycleHookName"),
                STR("ecs-managed-draining-termination-hook"), &list);
        }
    }
    return list;
}

void providers_add_attachments(struct op_ctx *ctx, const struct cluster *cluster, struct cluster_view *view)
{
    view->attachments = attachments_of(ctx, cluster);
    if (view->attachments.count > 0) { view->attachments_status = STR("UPDATE_COMPLETE"); }
}
