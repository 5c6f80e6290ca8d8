/* registering.c: RegisterTargets, DeregisterTargets and DescribeTargetHealth. Tasks of services register themselves; these calls are for addresses outside. */
#include "api/traffic/elbv2.h"

#include <arpa/inet.h>

/* ---- a target of a request ---- */

static bool is_address(struct str text)
{
    char copy[INET6_ADDRSTRLEN];
    unsigned char bytes[16];
    return str_to_cstr(text, copy, sizeof copy) && (inet_pton(AF_INET, copy, bytes) == 1 || inet_pton(AF_INET6, copy, bytes) == 1);
}

struct search { struct str ec2_id; struct id found; };

static void look_at(void *context, const struct instance *instance)
{
    struct search *search = context;
    if (instance->status != INSTANCE_INACTIVE && str_eq(instance->ec2_instance_id, search->ec2_id)) { search->found = instance->id; }
}

/* An instance by its id in ECS or in EC2. NULL: there is none. */
static const struct instance *find_instance(struct op_ctx *ctx, struct str text)
{
    struct id id;
    struct search search = { .ec2_id = text };
    if (!id_parse(text, &id)) {
        if (text.len > 0) { store_scan_instances(ctx->txn, look_at, &search); }
        id = search.found;
    }
    const struct instance *instance = id_is_zero(id) ? NULL : store_instance(ctx->txn, id, ctx->arena);
    return instance == NULL || instance->status == INSTANCE_INACTIVE ? NULL : instance;
}

static int64_t port_of(const struct kept_group *group, const struct target_description *asked)
{
    return asked->port.set ? asked->port.value : group->group->port.value;
}

static bool make_target(struct op_ctx *ctx, const struct kept_group *group, const struct target_description *asked, struct kept_target *target, struct err *err)
{
    struct str shown = str_slice(asked->id, 0, ELB_SHOWN_MAX);
    bool found;
    *target = (struct kept_target){ .group = group->group->name, .name = asked->id, .address = asked->id, .zone = asked->availability_zone,
                                    .port = port_of(group, asked) };
    if (group->group->target_type == ELB_TARGET_TYPE_IP) {
        return is_address(asked->id) || err_set(err, ERR_VALIDATION, "The IP address '" STR_FMT "' is not a valid IPv4 or IPv6 address", STR_ARG(shown));
    }
    const struct instance *instance = find_instance(ctx, asked->id);
    if (instance == NULL) { return err_set(err, ERR_ELB_INVALID_TARGET, "The following targets are not valid instances: '" STR_FMT "'", STR_ARG(shown)); }
    target->address = instance_attribute(instance, STR("berth.address"), &found);
    return target->address.len > 0
        || err_set(err, ERR_ELB_INVALID_TARGET, "The address of the instance '" STR_FMT "' is not known: start its agent with --address", STR_ARG(shown));
}

static const struct kept_target *find_target(struct op_ctx *ctx, const struct kept_target *target)
{
    return store_target(ctx->txn, target->group, target->name, target->port, ctx->arena);
}

static bool has_room(struct op_ctx *ctx, const struct kept_group *group, const struct kept_target *targets, size_t count, struct err *err)
{
    struct kept_target *known;
    size_t added = 0;
    for (size_t t = 0; t < count; t++) { added += find_target(ctx, &targets[t]) == NULL; }
    return added == 0 || added + store_list_targets(ctx->txn, group->group->name, &known, ctx->arena) <= GROUP_TARGETS_MAX
        || err_set(err, ERR_ELB_MANY_TARGETS, "A target group can have at most %d targets", GROUP_TARGETS_MAX);
}

bool op_register_targets(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct targets_request *request = input;
    struct kept_target *targets = ARENA_NEW(ctx->arena, struct kept_target, request->targets.count);
    (void)output;
    const struct kept_group *group = elb_find_group(ctx, request->target_group_arn, err);
    if (group == NULL) { return false; }
    for (size_t t = 0; t < request->targets.count; t++) {
        if (!make_target(ctx, group, &request->targets.items[t], &targets[t], err)) { return false; }
    }
    if (!has_room(ctx, group, targets, request->targets.count, err)) { return false; }
    for (size_t t = 0; t < request->targets.count; t++) {
        const struct kept_target *known = find_target(ctx, &targets[t]);
        bool of_task = known != NULL && !id_is_zero(known->task);
        if (!of_task) { traffic_register(ctx, group, &targets[t]); }         /* a task that registered itself stays */
    }
    return true;
}

bool op_deregister_targets(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct targets_request *request = input;
    struct kept_target *targets;
    (void)output;
    const struct kept_group *group = elb_find_group(ctx, request->target_group_arn, err);
    if (group == NULL) { return false; }
    size_t count = store_list_targets(ctx->txn, group->group->name, &targets, ctx->arena);
    for (size_t r = 0; r < request->targets.count; r++) {
        const struct target_description *asked = &request->targets.items[r];
        for (size_t t = 0; t < count; t++) {
            bool is_it = str_eq(targets[t].name, asked->id) && (!asked->port.set || targets[t].port == asked->port.value);
            if (is_it) { traffic_deregister(ctx, group, &targets[t]); }      /* one that is not there: nothing, as with ELB */
        }
    }
    return true;
}

/* ---- DescribeTargetHealth ---- */

static void show(struct op_ctx *ctx, const struct kept_group *group, const struct kept_target *target, struct target_health_description *shown)
{
    bool own_port = !str_eq(group->group->health_check_port, STR("traffic-port"));
    shown->target = ARENA_NEW(ctx->arena, struct target_description, 1);
    shown->target_health = ARENA_NEW(ctx->arena, struct target_health, 1);
    *shown->target = (struct target_description){ target->name, opt_int_of(target->port), target->zone };
    shown->health_check_port = own_port ? group->group->health_check_port : arena_printf(ctx->arena, "%lld", (long long)target->port);
    *shown->target_health = (struct target_health){ enum_word(&target_state_names, (int)target->state), target->reason, target->description };
}

static void show_unregistered(struct op_ctx *ctx, const struct kept_group *group, const struct target_description *asked,
                              struct target_health_description *shown)
{
    shown->target = ARENA_NEW(ctx->arena, struct target_description, 1);
    shown->target_health = ARENA_NEW(ctx->arena, struct target_health, 1);
    *shown->target = (struct target_description){ asked->id, opt_int_of(port_of(group, asked)), asked->availability_zone };
    *shown->target_health = (struct target_health){ STR("unused"), STR("Target.NotRegistered"), STR("Target is not registered to the target group") };
}

bool op_describe_target_health(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_target_health_request *request = input;
    struct describe_target_health_response *out = output;
    struct target_health_description_list *list = &out->target_health_descriptions;
    struct kept_target *targets;
    const struct kept_group *group = elb_find_group(ctx, request->target_group_arn, err);
    if (group == NULL) { return false; }
    size_t count = store_list_targets(ctx->txn, group->group->name, &targets, ctx->arena);
    list->items = ARENA_NEW(ctx->arena, struct target_health_description, count + request->targets.count + 1);
    for (size_t t = 0; request->targets.count == 0 && t < count; t++) { show(ctx, group, &targets[t], &list->items[list->count++]); }
    for (size_t r = 0; r < request->targets.count; r++) {
        const struct target_description *asked = &request->targets.items[r];
        const struct kept_target *found = store_target(ctx->txn, group->group->name, asked->id, port_of(group, asked), ctx->arena);
        if (found == NULL) { show_unregistered(ctx, group, asked, &list->items[list->count++]); } else { show(ctx, group, found, &list->items[list->count++]); }
    }
    return true;
}
