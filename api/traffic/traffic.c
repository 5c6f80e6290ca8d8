/* traffic.c: see traffic.h. */
#include "api/traffic/traffic.h"

#include "scheduler/reconcile/feeds.h"
#include "scheduler/reconcile/roster.h"

const struct kept_group *traffic_group(struct op_ctx *ctx, struct str arn)
{
    struct traffic_ref ref = traffic_read_arn(&ctx->config->names, arn);
    if (ref.noun != TRAFFIC_GROUP) { return NULL; }
    const struct kept_group *group = store_group(ctx->txn, ref.name, ctx->arena);
    return group != NULL && str_eq(group->id, ref.id) ? group : NULL;
}

/* ---- targets ---- */

static void tell_service(struct op_ctx *ctx, const struct kept_target *target)
{
    if (!id_is_zero(target->task)) { roster_targets_changed(sched_roster(ctx->world), target->task); }
}

/* The list of checks of its machine is another now. */
static void wake_machine(struct op_ctx *ctx, const struct kept_target *target)
{
    const struct task *task = id_is_zero(target->task) ? NULL : store_task(ctx->txn, target->task, ctx->arena);
    if (task != NULL && !id_is_zero(task->instance)) { support_effect(ctx, EFFECT_WAKE_INSTANCE, task->instance); }
}

void traffic_register(struct op_ctx *ctx, const struct kept_group *group, const struct kept_target *wanted)
{
    struct kept_target target = *wanted;
    ASSERT(str_eq(wanted->group, group->group->name) && wanted->state == TARGET_STATE_UNSET);
    const struct kept_target *known = store_target(ctx->txn, target.group, target.name, target.port, ctx->arena);
    if (known != NULL && id_eq(known->task, target.task) && known->state != TARGET_DRAINING) { return; }
    if (known != NULL) { traffic_drop(ctx, known); }
    if (group->group->health_check_enabled == OPT_FALSE) {
        (void)target_become(&target, TARGET_HEALTHY, (struct str){ NULL, 0 }, (struct str){ NULL, 0 }, ctx->now_ms);
    } else {
        (void)target_become(&target, TARGET_INITIAL, STR("Elb.RegistrationInProgress"), STR("Target registration is in progress"), ctx->now_ms);
    }
    target.registration = store_revision(ctx->txn) + 1;
    store_put_target(ctx->txn, &target);
    tell_service(ctx, &target);
    wake_machine(ctx, &target);
}

void traffic_deregister(struct op_ctx *ctx, const struct kept_group *group, const struct kept_target *found)
{
    struct kept_target target = *found;
    if (target.state == TARGET_INITIAL) {
        traffic_drop(ctx, found);
        return;
    }
    if (!target_become(&target, TARGET_DRAINING, STR("Target.DeregistrationInProgress"), STR("Target deregistration is in progress"), ctx->now_ms)) { return; }
    target.drain_ends_ms = ctx->now_ms + (group == NULL ? 0 : group_drain_ms(group));
    store_put_target(ctx->txn, &target);
    tell_service(ctx, &target);
    wake_machine(ctx, &target);
}

void traffic_drop(struct op_ctx *ctx, const struct kept_target *target)
{
    store_drop_target(ctx->txn, target);
    tell_service(ctx, target);
    wake_machine(ctx, target);
}

bool traffic_has_drained(struct op_ctx *ctx, const struct kept_target *target, int64_t *look_ms)
{
    struct feeds *feeds = sched_feeds(ctx->world);
    int64_t silent_ms = 0;
    ASSERT(target->state == TARGET_DRAINING);
    *look_ms = target->drain_ends_ms;
    if (ctx->now_ms >= target->drain_ends_ms) { return true; }
    bool done = feeds_are_done(feeds, target->revision, target_number(target), ctx->now_ms, &silent_ms);
    if (silent_ms != 0 && silent_ms < *look_ms) { *look_ms = silent_ms; }
    return done && feeds_count(feeds, ctx->now_ms) > 0;
}

void traffic_expire(struct op_ctx *ctx)
{
    struct kept_target *targets;
    int64_t look_ms;
    size_t count = store_targets_of_task(ctx->txn, (struct id){ { 0 } }, &targets, ctx->arena);
    for (size_t t = 0; t < count; t++) {
        if (traffic_has_drained(ctx, &targets[t], &look_ms)) { traffic_drop(ctx, &targets[t]); }
    }
}

void traffic_set_health(struct op_ctx *ctx, const struct kept_target *found, enum target_state state, struct str reason, struct str description)
{
    struct kept_target target = *found;
    ASSERT(state != TARGET_DRAINING);
    if (!target_become(&target, state, reason, description, ctx->now_ms)) { return; }
    store_put_target(ctx->txn, &target);
    tell_service(ctx, &target);
}

void traffic_check_changed(struct op_ctx *ctx, const struct target_group *group)
{
    struct kept_target *targets;
    size_t count = store_list_targets(ctx->txn, group->name, &targets, ctx->arena);
    for (size_t t = 0; t < count; t++) {
        bool is_off = group->health_check_enabled == OPT_FALSE && targets[t].state != TARGET_DRAINING;
        if (is_off) { traffic_set_health(ctx, &targets[t], TARGET_HEALTHY, (struct str){ NULL, 0 }, (struct str){ NULL, 0 }); }
        wake_machine(ctx, &targets[t]);
    }
}

/* ---- checks ---- */

enum { SHOWN_MAX = 255 };

static bool check_group(struct op_ctx *ctx, struct str arn, enum network_mode mode, struct err *err)
{
    const struct kept_group *group = traffic_group(ctx, arn);
    if (group == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "The specified target group does not exist. (" STR_FMT ")", STR_ARG(str_slice(arn, 0, SHOWN_MAX)));
    }
    bool fits = mode != NETWORK_MODE_AWSVPC || group->group->target_type != ELB_TARGET_TYPE_INSTANCE;
    return fits
        || err_set(err, ERR_INVALID_PARAMETER, "The provided target group " STR_FMT " has target type instance, which is incompatible with the awsvpc network "
                   "mode specified in the task definition.", STR_ARG(str_slice(arn, 0, SHOWN_MAX)));
}

static bool check_rule(struct op_ctx *ctx, struct str rule, struct err *err)
{
    return rule.len == 0 || traffic_weights(ctx, rule).count > 0
        || err_set(err, ERR_INVALID_PARAMETER, "The listener rule " STR_FMT " does not exist, or forwards to no target group.",
                   STR_ARG(str_slice(rule, 0, SHOWN_MAX)));
}

bool traffic_check_balancers(struct op_ctx *ctx, const struct load_balancer_list *balancers, enum network_mode mode, struct err *err)
{
    for (size_t b = 0; b < balancers->count; b++) {
        const struct load_balancer *balancer = &balancers->items[b];
        const struct advanced_configuration *advanced = balancer->advanced_configuration;
        if (!check_group(ctx, balancer->target_group_arn, mode, err)) { return false; }
        if (advanced == NULL) { continue; }
        if (advanced->alternate_target_group_arn.len > 0 && !check_group(ctx, advanced->alternate_target_group_arn, mode, err)) { return false; }
        if (!check_rule(ctx, advanced->production_listener_rule, err) || !check_rule(ctx, advanced->test_listener_rule, err)) { return false; }
    }
    return true;
}

/* ---- weights ---- */

/* The place of the one action that forwards; `actions` borrowed. NULL: none does. */
static struct elb_action *forwarding(const struct elb_action_list *actions)
{
    for (size_t a = 0; a < actions->count; a++) {
        if (actions->items[a].type == ELB_ACTION_TYPE_FORWARD) { return &actions->items[a]; }
    }
    return NULL;
}

/* The actions of a rule or a listener, as a copy of its record that the caller may change. */
struct doing { struct kept_listener listener; struct elb_listener shown_listener; struct kept_rule rule; struct elb_rule shown_rule; struct elb_action *forward;
               bool is_rule; };

static bool find_doing(struct op_ctx *ctx, struct str arn, struct doing *doing)
{
    struct traffic_ref ref = traffic_read_arn(&ctx->config->names, arn);
    struct elb_action_list *actions = NULL;
    if (ref.noun == TRAFFIC_RULE && str_eq(ref.rule, ref.listener)) { ref.noun = TRAFFIC_LISTENER; }       /* its default rule */
    *doing = (struct doing){ .is_rule = ref.noun == TRAFFIC_RULE };
    if (ref.noun == TRAFFIC_RULE) {
        const struct kept_rule *rule = store_rule(ctx->txn, ref.name, ref.listener, ref.rule, ctx->arena);
        if (rule == NULL || !str_eq(rule->balancer_id, ref.id)) { return false; }
        doing->rule = *rule;
        doing->shown_rule = *rule->rule;
        doing->rule.rule = &doing->shown_rule;
        actions = &doing->shown_rule.actions;
    }
    if (ref.noun == TRAFFIC_LISTENER) {
        const struct kept_listener *listener = store_listener(ctx->txn, ref.name, ref.listener, ctx->arena);
        if (listener == NULL || !str_eq(listener->balancer_id, ref.id)) { return false; }
        doing->listener = *listener;
        doing->shown_listener = *listener->listener;
        doing->listener.listener = &doing->shown_listener;
        actions = &doing->shown_listener.default_actions;
    }
    if (actions == NULL) { return false; }
    actions->items = arena_copy(ctx->arena, actions->items, actions->count * sizeof *actions->items);
    doing->forward = forwarding(actions);
    return doing->forward != NULL;
}

static struct elb_weighted_group_list groups_of(struct op_ctx *ctx, const struct elb_action *forward)
{
    if (forward->forward_config != NULL && forward->forward_config->target_groups.count > 0) { return forward->forward_config->target_groups; }
    struct elb_weighted_group_list list = { ARENA_NEW(ctx->arena, struct elb_weighted_group, 1), 1 };
    list.items[0] = (struct elb_weighted_group){ forward->target_group_arn, opt_int_of(1) };
    return list;
}

struct elb_weighted_group_list traffic_weights(struct op_ctx *ctx, struct str rule)
{
    struct doing doing;
    return find_doing(ctx, rule, &doing) ? groups_of(ctx, doing.forward) : (struct elb_weighted_group_list){ NULL, 0 };
}

static int64_t weight_of(const struct elb_weighted_group_list *groups, struct str group)
{
    for (size_t g = 0; g < groups->count; g++) {
        if (str_eq(groups->items[g].target_group_arn, group)) { return groups->items[g].weight.set ? groups->items[g].weight.value : 1; }
    }
    return 0;
}

/* ELB's weights end at 999: whole percents are kept as such, tenths as tenths. */
bool traffic_set_weights(struct op_ctx *ctx, struct str rule, struct str group, struct str other, int64_t tenths)
{
    struct doing doing;
    ASSERT(tenths >= 0 && tenths <= 1000);
    if (!find_doing(ctx, rule, &doing)) { return false; }
    int64_t unit = tenths % 10 == 0 ? 10 : 1, mine = tenths / unit, rest = (1000 - tenths) / unit;
    struct elb_weighted_group_list groups = groups_of(ctx, doing.forward);
    bool same = groups.count == 2 && weight_of(&groups, group) == mine && weight_of(&groups, other) == rest;
    if (same) { return true; }
    struct elb_forward forward = doing.forward->forward_config == NULL ? (struct elb_forward){ .target_groups = { NULL, 0 } } : *doing.forward->forward_config;
    forward.target_groups = (struct elb_weighted_group_list){ ARENA_NEW(ctx->arena, struct elb_weighted_group, 2), 2 };
    forward.target_groups.items[0] = (struct elb_weighted_group){ group, opt_int_of(mine) };
    forward.target_groups.items[1] = (struct elb_weighted_group){ other, opt_int_of(rest) };
    doing.forward->target_group_arn = (struct str){ NULL, 0 };
    doing.forward->forward_config = &forward;
    if (doing.is_rule) { store_put_rule(ctx->txn, &doing.rule); } else { store_put_listener(ctx->txn, &doing.listener); }
    return true;
}
