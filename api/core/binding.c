/* binding.c: a machine is meant by its id, its name (attribute berth.name) or its EC2 id. The last two are what the machine's agent told at its
 * registration, so a registration is checked by what it tells, and by the record from before. */
#include "api/core/binding.h"

static bool is_called(const struct instance *instance, struct str text)
{
    bool found;
    char hex[ID_HEX_LEN + 1];
    id_hex(instance->id, hex);
    return str_eq((struct str){ hex, ID_HEX_LEN }, text) || str_eq(instance_attribute(instance, STR("berth.name"), &found), text)
        || str_eq(instance->ec2_instance_id, text);
}

bool binding_fits(const struct key_binding *binding, struct str cluster, const struct instance *instance)
{
    if (binding->cluster.len == 0) { return true; }
    if (!str_eq(binding->cluster, cluster)) { return false; }
    return instance == NULL || binding->instance.len == 0 || is_called(instance, binding->instance);
}

struct str binding_text(const struct key_binding *binding, struct arena *arena)
{
    if (binding->instance.len == 0) { return arena_printf(arena, "cluster " STR_FMT, STR_ARG(binding->cluster)); }
    return arena_printf(arena, "instance " STR_FMT " in cluster " STR_FMT, STR_ARG(binding->instance), STR_ARG(binding->cluster));
}

bool binding_deny(const struct op_ctx *ctx, struct str resource, struct err *err)
{
    const struct denial denial = {
        .resource = resource,
        .reason = arena_printf(ctx->arena, "the access key is bound to " STR_FMT, STR_ARG(binding_text(&ctx->caller.binding, ctx->arena))),
    };
    return caller_deny(&ctx->config->names, &ctx->caller, &denial, ctx->arena, err);
}

bool binding_check_cluster(const struct op_ctx *ctx, struct str cluster, struct err *err)
{
    return binding_fits(&ctx->caller.binding, cluster, NULL) || binding_deny(ctx, names_cluster_arn(&ctx->config->names, cluster, ctx->arena), err);
}

bool binding_check_record(const struct op_ctx *ctx, struct str cluster, const struct instance *instance, struct err *err)
{
    return binding_fits(&ctx->caller.binding, cluster, instance)
        || binding_deny(ctx, names_instance_arn(&ctx->config->names, cluster, instance->id, ctx->arena), err);
}

bool binding_check(const struct op_ctx *ctx, struct id id, struct err *err)
{
    if (!binding_is_set(&ctx->caller)) { return true; }
    const struct instance *instance = store_instance(ctx->txn, id, ctx->arena);
    const struct cluster *cluster = instance == NULL ? NULL : store_cluster_by_number(ctx->txn, instance->cluster_number, ctx->arena);
    return cluster == NULL ? binding_deny(ctx, STR("a container instance that is not there"), err) : binding_check_record(ctx, cluster->name, instance, err);
}

bool binding_check_stored(struct store *store, const struct api_config *config, const struct caller *caller, struct id instance, struct arena *arena,
                          struct err *err)
{
    if (!binding_is_set(caller)) { return true; }
    const struct op_ctx ctx = { .config = config, .arena = arena, .caller = *caller, .txn = store_read_begin(store) };
    bool good = binding_check(&ctx, instance, err);
    if (store_read_end(ctx.txn)) { return good; }
    *err = (struct err){ 0 };
    return err_set(err, ERR_SERVER, "The store can't be read.");
}
