/* find.c: finding load balancers' nouns, and the checks that several of ELB's calls share. */
#include "api/traffic/elbv2.h"

#include <stdlib.h>

/* ---- finding ---- */

static bool refuse(enum err_code code, const char *noun, struct str arn, struct err *err)
{
    return err_set(err, code, "%s '" STR_FMT "' not found", noun, STR_ARG(str_slice(arn, 0, ELB_SHOWN_MAX)));
}

const struct kept_group *elb_find_group(struct op_ctx *ctx, struct str arn, struct err *err)
{
    const struct kept_group *group = traffic_group(ctx, arn);
    if (group == NULL) { (void)refuse(ERR_ELB_GROUP_NOT_FOUND, "Target group", arn, err); }
    return group;
}

static const struct kept_balancer *balancer_of(struct op_ctx *ctx, const struct traffic_ref *ref)
{
    const struct kept_balancer *balancer = store_balancer(ctx->txn, ref->name, ctx->arena);
    bool is_it = balancer != NULL && str_eq(balancer->id, ref->id) && str_eq(traffic_balancer_kind(balancer->balancer), ref->kind);
    return is_it ? balancer : NULL;
}

const struct kept_balancer *elb_find_balancer(struct op_ctx *ctx, struct str arn, struct err *err)
{
    struct traffic_ref ref = traffic_read_arn(&ctx->config->names, arn);
    const struct kept_balancer *balancer = ref.noun == TRAFFIC_BALANCER ? balancer_of(ctx, &ref) : NULL;
    if (balancer == NULL) { (void)refuse(ERR_ELB_BALANCER_NOT_FOUND, "Load balancer", arn, err); }
    return balancer;
}

const struct kept_listener *elb_find_listener(struct op_ctx *ctx, struct str arn, const struct kept_balancer **balancer, struct err *err)
{
    struct traffic_ref ref = traffic_read_arn(&ctx->config->names, arn);
    *balancer = ref.noun == TRAFFIC_LISTENER ? balancer_of(ctx, &ref) : NULL;
    const struct kept_listener *listener = *balancer == NULL ? NULL : store_listener(ctx->txn, ref.name, ref.listener, ctx->arena);
    if (listener == NULL) { (void)refuse(ERR_ELB_LISTENER_NOT_FOUND, "Listener", arn, err); }
    return listener;
}

const struct kept_rule *elb_find_rule(struct op_ctx *ctx, struct str arn, const struct kept_balancer **balancer, struct err *err)
{
    struct traffic_ref ref = traffic_read_arn(&ctx->config->names, arn);
    *balancer = ref.noun == TRAFFIC_RULE ? balancer_of(ctx, &ref) : NULL;
    const struct kept_rule *rule = *balancer == NULL ? NULL : store_rule(ctx->txn, ref.name, ref.listener, ref.rule, ctx->arena);
    if (rule == NULL) { (void)refuse(ERR_ELB_RULE_NOT_FOUND, "Rule", arn, err); }
    return rule;
}

static int by_priority(const void *left, const void *right)
{
    const struct kept_rule *a = left, *b = right;
    int64_t first = 0, second = 0;
    (void)str_to_i64(a->rule->priority, &first);
    (void)str_to_i64(b->rule->priority, &second);
    return (first > second) - (first < second);
}

size_t elb_rules(struct op_ctx *ctx, const struct kept_listener *listener, struct kept_rule **rules)
{
    size_t count = store_list_rules(ctx->txn, listener->balancer, listener->id, rules, ctx->arena);
    if (count > 1) { qsort(*rules, count, sizeof **rules, by_priority); }
    return count;
}

struct str elb_new_id(struct op_ctx *ctx)
{
    return arena_printf(ctx->arena, "%016llx", (unsigned long long)rng_next(ctx->rng));
}

/* ---- checks ---- */

static bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool elb_check_name(struct str name, const char *noun, struct err *err)
{
    struct str shown = str_slice(name, 0, ELB_SHOWN_MAX);
    if (name.len == 0) { return err_set(err, ERR_VALIDATION, "A %s name must be specified", noun); }
    if (name.len > GROUP_NAME_MAX) {
        return err_set(err, ERR_VALIDATION, "The %s name '" STR_FMT "' cannot be longer than '%d' characters", noun, STR_ARG(shown), GROUP_NAME_MAX);
    }
    for (size_t c = 0; c < name.len; c++) {
        if (is_letter_or_digit(name.ptr[c]) || name.ptr[c] == '-') { continue; }
        return err_set(err, ERR_VALIDATION, "The %s name '" STR_FMT "' can only contain characters that are alphanumeric characters or hyphens(-)", noun,
                       STR_ARG(shown));
    }
    bool ends_well = name.ptr[0] != '-' && name.ptr[name.len - 1] != '-';
    return ends_well || err_set(err, ERR_VALIDATION, "The %s name '" STR_FMT "' cannot begin or end with a hyphen(-)", noun, STR_ARG(shown));
}

bool elb_check_tags(const struct tag_list *tags, struct err *err)
{
    struct err refused = { 0 };
    if (tags->count > TAGS_MAX) { return err_set(err, ERR_ELB_MANY_TAGS, "A resource can have at most %d tags", TAGS_MAX); }
    for (size_t t = 0; t < tags->count; t++) {
        for (size_t before = 0; before < t; before++) {
            if (!str_eq(tags->items[before].key, tags->items[t].key)) { continue; }
            return err_set(err, ERR_ELB_DUPLICATE_TAG, "The tag key '" STR_FMT "' is given twice", STR_ARG(str_slice(tags->items[t].key, 0, ELB_SHOWN_MAX)));
        }
    }
    return support_check_tags(tags, TAGGED_OTHER, &refused) || err_set(err, ERR_VALIDATION, "%s", refused.message);
}

bool elb_check_room(size_t count, size_t most, enum err_code code, const char *noun, struct err *err)
{
    return count < most || err_set(err, code, "The maximum number of %s has been reached: %zu", noun, most);
}

bool elb_same(struct op_ctx *ctx, const struct schema *schema, const void *a, const void *b)
{
    struct buf left = buf_in(ctx->arena), right = buf_in(ctx->arena);
    schema_pack(schema, a, &left);
    schema_pack(schema, b, &right);
    return str_eq(buf_str(&left), buf_str(&right));
}

/* The group is there, and its load balancer can speak its protocol. */
static bool check_group(struct op_ctx *ctx, struct str arn, enum elb_balancer_type type, struct err *err)
{
    const struct kept_group *group = elb_find_group(ctx, arn, err);
    if (group == NULL) { return false; }
    return elb_is_http(group->group->protocol) == (type == ELB_BALANCER_TYPE_APPLICATION)
        || err_set(err, ERR_ELB_INCOMPATIBLE, "The load balancer cannot use the protocol of the target group '" STR_FMT "'", STR_ARG(arn));
}

static bool check_forward(struct op_ctx *ctx, const struct elb_action *action, enum elb_balancer_type type, struct err *err)
{
    const struct elb_forward *forward = action->forward_config;
    size_t count = forward == NULL ? 0 : forward->target_groups.count;
    int64_t sum = 0;
    if (count == 0) {
        if (action->target_group_arn.len == 0) { return err_set(err, ERR_VALIDATION, "A target group must be specified for an action of type 'forward'"); }
        return check_group(ctx, action->target_group_arn, type, err);
    }
    if (count > ELB_ACTION_GROUPS_MAX) { return err_set(err, ERR_VALIDATION, "A forward action can have at most %d target groups", ELB_ACTION_GROUPS_MAX); }
    for (size_t g = 0; g < count; g++) {
        const struct elb_weighted_group *group = &forward->target_groups.items[g];
        if (!check_group(ctx, group->target_group_arn, type, err)) { return false; }
        for (size_t before = 0; before < g; before++) {
            if (str_eq(forward->target_groups.items[before].target_group_arn, group->target_group_arn)) {
                return err_set(err, ERR_VALIDATION, "A target group can be in a forward action only once");
            }
        }
        sum += group->weight.set ? group->weight.value : 1;
    }
    if (action->target_group_arn.len > 0 && (count > 1 || !str_eq(action->target_group_arn, forward->target_groups.items[0].target_group_arn))) {
        return err_set(err, ERR_VALIDATION, "TargetGroupArn must be the one target group of ForwardConfig");
    }
    return sum > 0 || count == 1 || err_set(err, ERR_VALIDATION, "At least one target group of a forward action must have a weight above 0");
}

static bool check_status(struct str code, struct err *err)
{
    int64_t status = 0;
    bool good = code.len == 3 && str_to_i64(code, &status) && ((status >= 200 && status < 300) || (status >= 400 && status < 600));
    return good || err_set(err, ERR_VALIDATION, "The status code of a fixed response must be 2XX, 4XX or 5XX");
}

static bool is_same(struct str text, struct str placeholder) { return text.len == 0 || str_eq(text, placeholder); }

static bool check_redirect(const struct elb_redirect *redirect, struct err *err)
{
    int64_t port = 0;
    bool own_port = is_same(redirect->port, STR("#{port}")), own_protocol = is_same(redirect->protocol, STR("#{protocol}"));
    if (!str_eq(redirect->status_code, STR("HTTP_301")) && !str_eq(redirect->status_code, STR("HTTP_302"))) {
        return err_set(err, ERR_VALIDATION, "The status code of a redirect must be HTTP_301 or HTTP_302");
    }
    if (!own_protocol && !str_eq(redirect->protocol, STR("HTTP")) && !str_eq(redirect->protocol, STR("HTTPS"))) {
        return err_set(err, ERR_VALIDATION, "The protocol of a redirect must be HTTP, HTTPS or #{protocol}");
    }
    if (!own_port && (!str_to_i64(redirect->port, &port) || port < 1 || port > 65535)) {
        return err_set(err, ERR_VALIDATION, "The port of a redirect must be a number from 1 to 65535, or #{port}");
    }
    if (redirect->path.len > 0 && redirect->path.ptr[0] != '/') { return err_set(err, ERR_VALIDATION, "The path of a redirect must begin with '/'"); }
    bool loops = own_port && own_protocol && is_same(redirect->host, STR("#{host}")) && is_same(redirect->path, STR("/#{path}"))
        && is_same(redirect->query, STR("#{query}"));
    return !loops || err_set(err, ERR_ELB_INVALID_ACTION, "The redirect configuration is not valid because it creates a loop.");
}

static bool check_action(struct op_ctx *ctx, const struct elb_action *action, enum elb_balancer_type type, struct err *err)
{
    if (type == ELB_BALANCER_TYPE_NETWORK && action->type != ELB_ACTION_TYPE_FORWARD) {
        return err_set(err, ERR_ELB_INVALID_CONFIGURATION, "A listener of a Network Load Balancer can only have actions of type 'forward'");
    }
    switch (action->type) {
    case ELB_ACTION_TYPE_FORWARD: return check_forward(ctx, action, type, err);
    case ELB_ACTION_TYPE_REDIRECT:
        if (action->redirect_config == NULL) {
            return err_set(err, ERR_VALIDATION, "A redirect configuration must be specified for an action of type 'redirect'");
        }
        return check_redirect(action->redirect_config, err);
    case ELB_ACTION_TYPE_FIXED_RESPONSE:
        if (action->fixed_response_config == NULL) {
            return err_set(err, ERR_VALIDATION, "A fixed response configuration must be specified for an action of type 'fixed-response'");
        }
        return check_status(action->fixed_response_config->status_code, err);
    case ELB_ACTION_TYPE_UNSET:
    case ELB_ACTION_TYPE_COUNT: break;
    }
    return err_set(err, ERR_VALIDATION, "An action must have a type");
}

bool elb_check_actions(struct op_ctx *ctx, const struct elb_action_list *actions, enum elb_balancer_type type, struct err *err)
{
    if (actions->count != 1) {
        return err_set(err, actions->count == 0 ? ERR_ELB_INVALID_CONFIGURATION : ERR_ELB_MANY_ACTIONS,
                       "Exactly one action must be given, of type forward, redirect or fixed-response");
    }
    return check_action(ctx, &actions->items[0], type, err);
}

/* ---- users of a group ---- */

static bool forwards_to(const struct elb_action_list *actions, struct str arn)
{
    for (size_t a = 0; a < actions->count; a++) {
        const struct elb_action *action = &actions->items[a];
        if (str_eq(action->target_group_arn, arn)) { return true; }
        for (size_t g = 0; action->forward_config != NULL && g < action->forward_config->target_groups.count; g++) {
            if (str_eq(action->forward_config->target_groups.items[g].target_group_arn, arn)) { return true; }
        }
    }
    return false;
}

static bool balancer_uses(struct op_ctx *ctx, const struct kept_balancer *balancer, struct str arn)
{
    struct kept_listener *listeners;
    size_t count = store_list_listeners(ctx->txn, balancer->balancer->name, &listeners, ctx->arena);
    for (size_t l = 0; l < count; l++) {
        struct kept_rule *rules;
        if (forwards_to(&listeners[l].listener->default_actions, arn)) { return true; }
        size_t rule_count = store_list_rules(ctx->txn, listeners[l].balancer, listeners[l].id, &rules, ctx->arena);
        for (size_t r = 0; r < rule_count; r++) {
            if (forwards_to(&rules[r].rule->actions, arn)) { return true; }
        }
    }
    return false;
}

struct str_list elb_users_of(struct op_ctx *ctx, struct str arn)
{
    struct kept_balancer *balancers;
    size_t count = store_list_balancers(ctx->txn, &balancers, ctx->arena);
    struct str_list users = { ARENA_NEW(ctx->arena, struct str, count), 0 };
    for (size_t b = 0; b < count; b++) {
        if (balancer_uses(ctx, &balancers[b], arn)) { users.items[users.count++] = traffic_balancer_arn(&ctx->config->names, &balancers[b], ctx->arena); }
    }
    return users;
}
