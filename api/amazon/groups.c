/* groups.c: EC2 Auto Scaling: its groups are pools of machines (model/capacity.h). These calls change a pool's settings. The part of Berth
 * that orders and removes machines reads them there. */
#include "api/capacity/machines.h"
#include "api/amazon/amazon.h"
#include "api/amazon/templates.h"
#include "api/aws/groups.h"
#include "model/capacity.h"

enum { GROUP_TAGS_MAX = 50, COOLDOWN_S = 300 };

/* ---- finding ---- */

static const struct kept_pool *find_group(struct op_ctx *ctx, struct str name)
{
    const struct kept_pool *pool = store_pool(ctx->txn, name, ctx->arena);
    return pool != NULL && pool->kind == POOL_GROUP ? pool : NULL;
}

/* One that a call changes. */
static const struct kept_pool *need_group(struct op_ctx *ctx, struct str name, struct err *err)
{
    const struct kept_pool *pool = find_group(ctx, name);
    if (pool == NULL) { (void)err_set(err, ERR_VALIDATION, "AutoScalingGroup name not found - null or not found: " STR_FMT, AMAZON_SHOWN(name)); }
    return pool;
}

/* ---- tags ---- */

static bool check_tags(struct op_ctx *ctx, const struct pool_tag_list *tags, struct err *err)
{
    struct tag_list plain = { ARENA_NEW(ctx->arena, struct tag, tags->count), tags->count };
    for (size_t t = 0; t < tags->count; t++) { plain.items[t] = (struct tag){ tags->items[t].key, tags->items[t].value }; }
    return amazon_check_tags(&plain, ERR_VALIDATION, err);
}

static struct pool_tag kept_tag(const struct group_tag *tag)
{
    return (struct pool_tag){ tag->key, tag->value, opt_bool_of(tag->propagate_at_launch == OPT_TRUE) };
}

static struct group_tag_list show_tags(struct op_ctx *ctx, const struct kept_pool *pool)
{
    struct group_tag_list shown = { ARENA_NEW(ctx->arena, struct group_tag, pool->tags.count + 1), pool->tags.count };
    for (size_t t = 0; t < pool->tags.count; t++) {
        const struct pool_tag *tag = &pool->tags.items[t];
        shown.items[t] = (struct group_tag){ pool->name, STR("auto-scaling-group"), tag->key, tag->value, tag->propagate_at_launch };
    }
    return shown;
}

/* ---- settings: of a new group, or those that change ---- */

/* Settings that Berth does not keep are refused, or clients would find a difference for ever. One that asks for what Berth does anyway counts as absent. */
static bool check_served(const struct group_settings *in, struct err *err)
{
    bool usual_policy = in->policies.count == 0 || (in->policies.count == 1 && str_eq(in->policies.items[0], STR("Default")));
    const struct { const char *name; bool given; } others[] = {
        { "DefaultCooldown", in->cooldown.set && in->cooldown.value != COOLDOWN_S }, { "TerminationPolicies", !usual_policy },
        { "CapacityRebalance", in->rebalance == OPT_TRUE }, { "DefaultInstanceWarmup", in->warmup.set && in->warmup.value >= 0 },
        { "DesiredCapacityType", in->unit.len > 0 && !str_eq(in->unit, STR("units")) }, { "Context", in->context.len > 0 },
        { "ServiceLinkedRoleARN", in->role.len > 0 }, { "LifecycleHookSpecificationList", in->hooks.count > 0 }, { "TrafficSources", in->traffic.count > 0 },
        { "InstanceMaintenancePolicy", in->maintenance != NULL },
    };
    for (size_t m = 0; m < COUNT_OF(others); m++) {
        if (others[m].given) { return err_set(err, ERR_VALIDATION, "%s is not available.", others[m].name); }
    }
    const struct { const char *name; bool given; } members[] = {
        { "LaunchConfigurationName", in->configuration.len > 0 }, { "MixedInstancesPolicy", in->mixed != NULL }, { "InstanceId", in->instance_id.len > 0 },
        { "TargetGroupARNs", in->target_groups.count > 0 }, { "LoadBalancerNames", in->balancers.count > 0 },
        { "PlacementGroup", in->placement_group.len > 0 }, { "MaxInstanceLifetime", in->lifetime.set && in->lifetime.value > 0 },
    };
    for (size_t m = 0; m < COUNT_OF(members); m++) {
        if (members[m].given) { return err_set(err, ERR_VALIDATION, "%s is not available. A group needs a LaunchTemplate.", members[m].name); }
    }
    return true;
}

static bool set_template(struct op_ctx *ctx, const struct group_template *template, struct kept_pool *pool, struct err *err)
{
    if ((template->id.len > 0) == (template->name.len > 0)) {
        return err_set(err, ERR_VALIDATION, "Valid requests must contain either launchTemplateId or LaunchTemplateName");
    }
    pool->template = template->id.len > 0 ? template->id : template_named(ctx, template->name);
    pool->template_version = template->version.len > 0 ? template->version : STR("$Default");
    bool there = pool->template.len > 0 && template_data(ctx, pool->template, pool->template_version) != NULL;
    return there || err_set(err, ERR_VALIDATION, "You must use a valid fully-formed launch template. The launch template " STR_FMT " or its version " STR_FMT
                            " does not exist.", AMAZON_SHOWN(template->id.len > 0 ? template->id : template->name), AMAZON_SHOWN(pool->template_version));
}

static bool set_sizes(const struct group_settings *in, struct kept_pool *pool, struct err *err)
{
    if (in->min_size.set) { pool->min = in->min_size.value; }
    if (in->max_size.set) { pool->max = in->max_size.value; }
    if (pool->max < pool->min) {
        return err_set(err, ERR_VALIDATION, "Max bound, %lld, must be greater than or equal to min bound, %lld", (long long)pool->max, (long long)pool->min);
    }
    if (!in->desired.set) {
        pool->desired = pool->desired < pool->min ? pool->min : pool->desired > pool->max ? pool->max : pool->desired;
        return true;
    }
    pool->desired = in->desired.value;
    bool within = pool->desired >= pool->min && pool->desired <= pool->max;
    return within || err_set(err, ERR_VALIDATION, "Desired capacity:%lld must be between the specified min size:%lld and max size:%lld",
                             (long long)pool->desired, (long long)pool->min, (long long)pool->max);
}

static struct str_list split(struct op_ctx *ctx, struct str text)
{
    struct str_list list = { ARENA_NEW(ctx->arena, struct str, text.len + 1), 0 };
    struct str one;
    for (bool more = text.len > 0; more;) {
        more = str_cut(text, ',', &one, &text);
        one = str_trim(one);
        if (one.len > 0) { list.items[list.count++] = one; }
    }
    return list;
}

/* Drops the types that its provider has chosen for tasks that wait: they no longer apply to a group whose size is set by hand. */
static bool set_settings(struct op_ctx *ctx, const struct group_settings *in, struct kept_pool *pool, struct err *err)
{
    pool->types = (struct str_list){ NULL, 0 };
    if (!check_served(in, err) || !set_sizes(in, pool, err)) { return false; }
    if (in->template != NULL && !set_template(ctx, in->template, pool, err)) { return false; }
    if (str_is_set(in->subnets)) { pool->subnets = split(ctx, in->subnets); }
    if (in->zones.count > 0) { pool->zones = in->zones; }
    if (in->health_check.len > 0) { pool->health_check = in->health_check; }
    if (in->grace.set) { pool->grace_s = in->grace.value; }
    if (in->protects_new != OPT_UNSET) { pool->protects_new = in->protects_new; }
    if (!str_eq(pool->health_check, STR("EC2")) && !str_eq(pool->health_check, STR("ELB"))) {
        return err_set(err, ERR_VALIDATION, STR_FMT " is not a health check type that is available: EC2 or ELB", AMAZON_SHOWN(pool->health_check));
    }
    if (pool->template.len == 0) {
        return err_set(err, ERR_VALIDATION, "Valid requests must contain either LaunchTemplate, LaunchConfigurationName, InstanceId or MixedInstancesPolicy"
                       " parameter. Of these a LaunchTemplate is available.");
    }
    return pool->subnets.count > 0 || pool->zones.count > 0
        || err_set(err, ERR_VALIDATION, "At least one Availability Zone or VPC Subnet is required.");
}

/* ---- the calls that change groups ---- */

static AMAZON_OPERATION(op_create_auto_scaling_group)
{
    const struct group_settings *in = input;
    char uuid[ID_UUID_LEN + 1];
    struct kept_pool *pools;
    struct kept_pool pool = {
        .name = in->name, .kind = POOL_GROUP, .health_check = STR("EC2"), .protects_new = OPT_FALSE, .created_ms = ctx->now_ms,
        .tags = { ARENA_NEW(ctx->arena, struct pool_tag, in->tags.count), in->tags.count },
    };
    (void)output;
    if (str_find(in->name, ':') < in->name.len) { return err_set(err, ERR_VALIDATION, "The name of a group must not contain a colon"); }
    if (!in->min_size.set || !in->max_size.set) { return err_set(err, ERR_VALIDATION, "MinSize and MaxSize are required"); }
    for (size_t t = 0; t < in->tags.count; t++) { pool.tags.items[t] = kept_tag(&in->tags.items[t]); }
    if (!check_tags(ctx, &pool.tags, err) || !set_settings(ctx, in, &pool, err)) { return false; }
    if (store_pool(ctx->txn, in->name, ctx->arena) != NULL) {
        return err_set(err, ERR_ALREADY_EXISTS, "AutoScalingGroup by this name already exists - A group with the name " STR_FMT " already exists",
                       STR_ARG(in->name));
    }
    if (store_list_pools(ctx->txn, &pools, ctx->arena) >= POOLS_MAX) {
        return err_set(err, ERR_LIMIT_EXCEEDED, "You have already reached your limit of Auto Scaling groups: %d", POOLS_MAX);
    }
    id_uuid(id_new(ctx->ids, ctx->now_ms), uuid);
    pool.id = (struct str){ uuid, ID_UUID_LEN };
    pools_put(ctx, &pool);
    return true;
}

static AMAZON_OPERATION(op_update_auto_scaling_group)
{
    const struct group_settings *in = input;
    (void)output;
    const struct kept_pool *found = need_group(ctx, in->name, err);
    if (found == NULL) { return false; }
    struct kept_pool pool = *found;
    if (!set_settings(ctx, in, &pool, err)) { return false; }
    pools_put(ctx, &pool);
    return true;
}

static AMAZON_OPERATION(op_set_desired_capacity)
{
    const struct desired_capacity_request *in = input;
    const struct group_settings settings = { .name = in->name, .desired = in->desired };
    return op_update_auto_scaling_group(ctx, &settings, output, err);
}

/* By force its machines stop without a drain, and the group goes with the last of them. */
static AMAZON_OPERATION(op_delete_auto_scaling_group)
{
    const struct auto_scaling_group_request *in = input;
    struct kept_machine *machines;
    (void)output;
    const struct kept_pool *found = need_group(ctx, in->name, err);
    if (found == NULL) { return false; }
    size_t count = store_list_machines(ctx->txn, found->name, &machines, ctx->arena);
    if (count == 0) {
        store_drop_pool(ctx->txn, found->name);
        return true;
    }
    if (in->force != OPT_TRUE) {
        return err_set(err, ERR_RESOURCE_IN_USE, "You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in"
                       " the group.");
    }
    struct kept_pool pool = *found;
    pool.removed = OPT_TRUE;
    pool.min = pool.max = pool.desired = 0;
    pools_put(ctx, &pool);
    for (size_t m = 0; m < count; m++) {
        if (!machine_may_move(machines[m].state, MACHINE_STOPPING)) { continue; }
        machine_move(&machines[m], MACHINE_STOPPING, STR("Its Auto Scaling group is deleted."), ctx->now_ms);
        machines[m].next_ms = ctx->now_ms;
        store_put_machine(ctx->txn, &machines[m]);
    }
    return true;
}

/* First all are checked. */
static AMAZON_OPERATION(op_set_instance_protection)
{
    const struct protection_request *in = input;
    struct kept_machine *machines;
    char text[MACHINE_EC2_ID_LEN + 1];
    (void)output;
    const struct kept_pool *pool = need_group(ctx, in->name, err);
    if (pool == NULL) { return false; }
    size_t count = store_list_machines(ctx->txn, pool->name, &machines, ctx->arena), known = 0;
    for (size_t m = 0; m < count; m++) { known += str_list_has(&in->ids, machine_ec2_id(machines[m].id, text)); }
    for (size_t i = 0; i < in->ids.count && known < in->ids.count; i++) {
        bool here = false;
        for (size_t m = 0; m < count; m++) { here = here || machine_has_ec2_id(in->ids.items[i], machines[m].id); }
        if (here) { continue; }
        return err_set(err, ERR_VALIDATION, "The instance " STR_FMT " is not part of Auto Scaling group " STR_FMT ".", AMAZON_SHOWN(in->ids.items[i]),
                       STR_ARG(pool->name));
    }
    for (size_t m = 0; m < count; m++) {
        if (!str_list_has(&in->ids, machine_ec2_id(machines[m].id, text))) { continue; }
        machines[m].protected = in->protected;
        store_put_machine(ctx->txn, &machines[m]);
    }
    pools_touch(ctx, pool->name);                                /* it may have too many, which were protected */
    return true;
}

/* ---- tags ---- */

/* The pool's tags without the one of this key, with room for one more. */
static struct pool_tag_list tags_without(struct op_ctx *ctx, const struct pool_tag_list *tags, struct str key)
{
    struct pool_tag_list others = { ARENA_NEW(ctx->arena, struct pool_tag, tags->count + 1), 0 };
    for (size_t t = 0; t < tags->count; t++) {
        if (!str_eq(tags->items[t].key, key)) { others.items[others.count++] = tags->items[t]; }
    }
    return others;
}

/* All groups are found first. A write sees the ones before it. */
static bool change_tags(struct op_ctx *ctx, const struct group_tag_list *tags, bool adds, struct err *err)
{
    for (size_t t = 0; t < tags->count; t++) {
        struct pool_tag_list one = { ARENA_NEW(ctx->arena, struct pool_tag, 1), 1 };
        one.items[0] = kept_tag(&tags->items[t]);
        const struct kept_pool *pool = need_group(ctx, tags->items[t].resource_id, err);
        if (pool == NULL || !check_tags(ctx, &one, err)) { return false; }
        if (adds && pool->tags.count + tags->count > GROUP_TAGS_MAX && tags_without(ctx, &pool->tags, one.items[0].key).count + tags->count > GROUP_TAGS_MAX) {
            return err_set(err, ERR_LIMIT_EXCEEDED, "A group can have at most %d tags", GROUP_TAGS_MAX);
        }
    }
    for (size_t t = 0; t < tags->count; t++) {
        const struct kept_pool *found = find_group(ctx, tags->items[t].resource_id);
        if (found == NULL) { continue; }
        struct kept_pool pool = *found;
        pool.tags = tags_without(ctx, &found->tags, tags->items[t].key);
        if (adds) { pool.tags.items[pool.tags.count++] = kept_tag(&tags->items[t]); }
        pools_put(ctx, &pool);
    }
    return true;
}

static AMAZON_OPERATION(op_create_or_update_tags)
{
    const struct group_tags_request *in = input;
    (void)output;
    return change_tags(ctx, &in->tags, true, err);
}

static AMAZON_OPERATION(op_delete_group_tags)
{
    const struct group_tags_request *in = input;
    (void)output;
    return change_tags(ctx, &in->tags, false, err);
}

/* ---- shown ---- */

/* EC2 calls a machine InService from the moment when it runs, long before its agent registers. */
static struct str lifecycle_of(enum machine_state state)
{
    switch (state) {
    case MACHINE_ORDERED:  return STR("Pending");
    case MACHINE_BOOTING:
    case MACHINE_ACTIVE:   return STR("InService");
    case MACHINE_LEAVING:  return STR("Terminating:Wait");
    case MACHINE_STOPPING: return STR("Terminating");
    case MACHINE_STATE_UNSET: case MACHINE_STATE_COUNT: break;
    }
    return STR("Terminated");
}

static struct group_template *show_group_template(struct op_ctx *ctx, const struct kept_pool *pool)
{
    struct group_template *template = ARENA_NEW(ctx->arena, struct group_template, 1);
    const struct kept_plain *kept = store_plain(ctx->txn, PLAIN_KIND_TEMPLATE, pool->template, ctx->arena);
    *template = (struct group_template){ pool->template, kept == NULL ? (struct str){ NULL, 0 } : kept->name, pool->template_version };
    return template;
}

static struct str first_zone(struct op_ctx *ctx, const struct kept_pool *pool)
{
    return pool->zones.count > 0 ? pool->zones.items[0] : arena_printf(ctx->arena, STR_FMT "a", STR_ARG(ctx->config->names.region));
}

static struct group_instance_list show_machines(struct op_ctx *ctx, const struct kept_pool *pool, struct group_template *template)
{
    struct kept_machine *machines;
    size_t count = store_list_machines(ctx->txn, pool->name, &machines, ctx->arena);
    struct group_instance_list shown = { ARENA_NEW(ctx->arena, struct group_instance, count + 1), count };
    for (size_t m = 0; m < count; m++) {
        char text[MACHINE_EC2_ID_LEN + 1];
        const struct kept_machine *machine = &machines[m];
        shown.items[m] = (struct group_instance){
            .id = arena_str(ctx->arena, machine_ec2_id(machine->id, text)), .type = machine->type, .state = lifecycle_of(machine->state),
            .zone = machine->zone.len > 0 ? machine->zone : first_zone(ctx, pool), .health = STR("Healthy"), .template = template,
            .protected = machine->protected,
        };
    }
    return shown;
}

static struct str group_arn(struct op_ctx *ctx, const struct kept_pool *pool)
{
    const struct names *names = &ctx->config->names;
    return arena_printf(ctx->arena, "arn:aws:autoscaling:" STR_FMT ":" STR_FMT ":autoScalingGroup:" STR_FMT ":autoScalingGroupName/" STR_FMT,
                        STR_ARG(names->region), STR_ARG(names->account), STR_ARG(pool->id), STR_ARG(pool->name));
}

static struct auto_scaling_group show_group(struct op_ctx *ctx, const struct kept_pool *pool)
{
    struct buf subnets = buf_in(ctx->arena);
    struct group_template *template = show_group_template(ctx, pool);
    struct str_list zones = { ARENA_NEW(ctx->arena, struct str, 1), 1 }, policies = { ARENA_NEW(ctx->arena, struct str, 1), 1 };
    zones.items[0] = first_zone(ctx, pool);
    policies.items[0] = STR("Default");
    for (size_t s = 0; s < pool->subnets.count; s++) { buf_printf(&subnets, "%s" STR_FMT, s == 0 ? "" : ",", STR_ARG(pool->subnets.items[s])); }
    return (struct auto_scaling_group){
        .name = pool->name, .arn = group_arn(ctx, pool), .template = template, .min_size = opt_int_of(pool->min), .max_size = opt_int_of(pool->max),
        .desired_capacity = opt_int_of(pool->desired), .default_cooldown = opt_int_of(COOLDOWN_S), .zones = pool->zones.count > 0 ? pool->zones : zones,
        .health_check = pool->health_check, .grace = opt_int_of(pool->grace_s), .instances = show_machines(ctx, pool, template),
        .created_time = pool->created_ms, .subnets = buf_str(&subnets), .tags = show_tags(ctx, pool), .protects_new = pool->protects_new,
        .status = pool->removed == OPT_TRUE ? STR("Delete in progress") : (struct str){ NULL, 0 }, .termination_policies = policies,
        .role = arena_printf(ctx->arena, "arn:aws:iam::" STR_FMT ":role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling",
                             STR_ARG(ctx->config->names.account)),
    };
}

static bool tags_fit(const struct kept_pool *pool, const struct groups_filter *filter)
{
    struct str key = str_slice(filter->name, strlen("tag:"), filter->name.len);
    for (size_t t = 0; t < pool->tags.count; t++) {
        const struct pool_tag *tag = &pool->tags.items[t];
        bool fits = str_eq(filter->name, STR("tag-key")) ? str_list_has(&filter->values, tag->key)
            : (str_eq(filter->name, STR("tag-value")) || str_eq(key, tag->key)) && str_list_has(&filter->values, tag->value);
        if (fits) { return true; }
    }
    return false;
}

/* A name that no group has finds nothing: clients read that as gone. */
static AMAZON_OPERATION(op_describe_auto_scaling_groups)
{
    const struct describe_auto_scaling_groups_request *in = input;
    struct describe_auto_scaling_groups_response *out = output;
    struct kept_pool *pools;
    for (size_t f = 0; f < in->filters.count; f++) {
        struct str name = in->filters.items[f].name;
        if (str_starts_with(name, STR("tag:")) || str_eq(name, STR("tag-key")) || str_eq(name, STR("tag-value"))) { continue; }
        return err_set(err, ERR_VALIDATION, "Filter type " STR_FMT " is not correct. Allowed Filter types are: tag:<key> tag-key tag-value",
                       AMAZON_SHOWN(name));
    }
    size_t count = store_list_pools(ctx->txn, &pools, ctx->arena);
    out->groups.items = ARENA_NEW(ctx->arena, struct auto_scaling_group, count + 1);
    for (size_t p = 0; p < count; p++) {
        bool passes = pools[p].kind == POOL_GROUP && (in->names.count == 0 || str_list_has(&in->names, pools[p].name));
        for (size_t f = 0; f < in->filters.count; f++) { passes = passes && tags_fit(&pools[p], &in->filters.items[f]); }
        if (passes) { out->groups.items[out->groups.count++] = show_group(ctx, &pools[p]); }
    }
    return true;
}

/* An order that failed is an activity, which ends the wait of clients with its reason. A group that is to have no machine has ordered none. */
static AMAZON_OPERATION(op_describe_scaling_activities)
{
    const struct describe_group_activities_request *in = input;
    struct describe_group_activities_response *out = output;
    struct kept_pool *pools;
    (void)err;
    size_t count = store_list_pools(ctx->txn, &pools, ctx->arena);
    out->activities.items = ARENA_NEW(ctx->arena, struct group_activity, count + 1);
    for (size_t p = 0; p < count; p++) {
        const struct kept_pool *pool = &pools[p];
        if (pool->kind != POOL_GROUP || pool->failure.len == 0 || pool->desired == 0 || (in->name.len > 0 && !str_eq(in->name, pool->name))) { continue; }
        out->activities.items[out->activities.count++] = (struct group_activity){
            .id = arena_printf(ctx->arena, STR_FMT "-%lld", STR_ARG(pool->id), (long long)pool->failed_ms), .group = pool->name,
            .description = STR("Launching a new machine"), .cause = arena_printf(ctx->arena, "The desired capacity is %lld.", (long long)pool->desired),
            .start_time = pool->failed_ms, .end_time = pool->failed_ms, .status_code = STR("Failed"), .status_message = pool->failure,
            .progress = opt_int_of(100), .arn = group_arn(ctx, pool),
        };
    }
    return true;
}

/* ---- the tables ---- */

/* Clients look for the result of an operation that has one in the model, also for an empty one. */
struct nothing { bool none; };
static const struct schema nothing_schema = { STR_INIT("nothing"), sizeof(struct nothing), NULL, 0 };

#define WRITE_OF(name, input, output, run) { STR_INIT(name), &input##_schema, output, OP_WRITE, ACCESS_ADMIN, ERR_VALIDATION, run }
#define WRITE(name, input, run) WRITE_OF(name, input, NULL, run)
#define READ(name, noun, run) \
    { STR_INIT(name), &describe_##noun##_request_schema, &describe_##noun##_response_schema, OP_READ, ACCESS_VIEWER, ERR_VALIDATION, run }
static const struct operation operations[] = {
    WRITE("CreateAutoScalingGroup", group_settings, op_create_auto_scaling_group),
    WRITE("CreateOrUpdateTags", group_tags_request, op_create_or_update_tags),
    WRITE("DeleteAutoScalingGroup", auto_scaling_group_request, op_delete_auto_scaling_group),
    WRITE("DeleteTags", group_tags_request, op_delete_group_tags),
    READ("DescribeAutoScalingGroups", auto_scaling_groups, op_describe_auto_scaling_groups),
    READ("DescribeScalingActivities", group_activities, op_describe_scaling_activities),
    WRITE("SetDesiredCapacity", desired_capacity_request, op_set_desired_capacity),
    WRITE_OF("SetInstanceProtection", protection_request, &nothing_schema, op_set_instance_protection),
    WRITE("UpdateAutoScalingGroup", group_settings, op_update_auto_scaling_group),
};
#undef READ
#undef WRITE
#undef WRITE_OF

static const struct service_error errors[] = {
    { ERR_VALIDATION, STR_INIT("ValidationError"), 400 }, { ERR_RESOURCE_IN_USE, STR_INIT("ResourceInUse"), 400 },
    { ERR_ALREADY_EXISTS, STR_INIT("AlreadyExists"), 400 }, { ERR_LIMIT_EXCEEDED, STR_INIT("LimitExceeded"), 400 },
    { ERR_INVALID_PARAMETER, STR_INIT("ValidationError"), 400 }, { ERR_SERIALIZATION, STR_INIT("ValidationError"), 400 },
    { ERR_ACCESS_DENIED, STR_INIT("AccessDenied"), 403 }, { ERR_SERVER, STR_INIT("InternalFailure"), 500 },
    { ERR_MISSING_TOKEN, STR_INIT("MissingAuthenticationToken"), 403 }, { ERR_INCOMPLETE_SIGNATURE, STR_INIT("IncompleteSignature"), 400 },
    { ERR_UNRECOGNIZED_CLIENT, STR_INIT("InvalidClientTokenId"), 403 }, { ERR_INVALID_SIGNATURE, STR_INIT("SignatureDoesNotMatch"), 403 },
    { ERR_UNKNOWN_OPERATION, STR_INIT("InvalidAction"), 400 }, { ERR_EXPIRED_TOKEN, STR_INIT("ExpiredToken"), 403 },
    { ERR_THROTTLING, STR_INIT("Throttling"), 400 },
};

const struct api_service groups_service = {
    .name = STR_INIT("autoscaling"), .named = true, .unserved = STR_INIT("autoscaling:"), .resource = STR_INIT("*"),
    .unserved_more = STR_INIT(". Of EC2 Auto Scaling it serves the operations on groups and their tags, DescribeScalingActivities and SetInstanceProtection."),
    .operations = operations, .count = COUNT_OF(operations), .errors = errors, .error_count = COUNT_OF(errors),
    .protocol = API_QUERY, .version = STR_INIT("2011-01-01"), .space = STR_INIT("http://autoscaling.amazonaws.com/doc/2011-01-01/"),
    .item = STR_INIT("member"),
};
