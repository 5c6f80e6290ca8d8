/* gateway.c: see traffic.h. It is made and removed by the calls of Elastic Load Balancing, so clients see and change its parts as any other. */
#include "api/traffic/elbv2.h"

static const struct str balancer_name = STR_INIT("express");

/* ---- finding ---- */

/* Where new rules go: the listener with TLS if there is one, else the first. NULL: there is none. */
static const struct kept_listener *front(struct op_ctx *ctx)
{
    struct kept_listener *listeners;
    size_t count = store_list_listeners(ctx->txn, balancer_name, &listeners, ctx->arena);
    for (size_t l = 0; l < count; l++) {
        if (listeners[l].listener->protocol == ELB_PROTOCOL_HTTPS) { return &listeners[l]; }
    }
    return count == 0 ? NULL : &listeners[0];
}

static struct str group_name(struct op_ctx *ctx, const struct gateway *gateway, bool alternate)
{
    return arena_printf(ctx->arena, STR_FMT "-%c", STR_ARG(gateway->label), alternate ? 'b' : 'a');
}

bool gateway_check(struct op_ctx *ctx, const struct gateway *gateway, struct err *err)
{
    struct kept_rule *rules;
    const struct kept_balancer *balancer = store_balancer(ctx->txn, balancer_name, ctx->arena);
    const struct kept_listener *listener = balancer == NULL ? NULL : front(ctx);
    ASSERT(gateway->label.len > 0 && gateway->label.len <= GROUP_NAME_MAX - 2);
    if (balancer != NULL && balancer->balancer->type != ELB_BALANCER_TYPE_APPLICATION) {
        return err_set(err, ERR_CLIENT, "The load balancer " STR_FMT ", which Express services use, must be of type application.", STR_ARG(balancer_name));
    }
    if (listener != NULL && elb_rules(ctx, listener, &rules) >= ELB_RULES_MAX) {
        return err_set(err, ERR_CLIENT, "The listener of the load balancer " STR_FMT " can have at most %d rules, one for each Express service.",
                       STR_ARG(balancer_name), ELB_RULES_MAX);
    }
    for (int alternate = 0; alternate < 2; alternate++) {
        struct str name = group_name(ctx, gateway, alternate == 1);
        if (store_group(ctx->txn, name, ctx->arena) == NULL) { continue; }
        return err_set(err, ERR_CLIENT, "A target group with the name " STR_FMT " exists. Delete it first.", STR_ARG(name));
    }
    return true;
}

/* ---- making ---- */

static bool make_group(struct op_ctx *ctx, const struct gateway *gateway, bool alternate, struct str *arn, struct err *err)
{
    enum { INTERVAL_S = 5, TIMEOUT_S = 4 };
    struct target_groups_response made = { 0 };
    const struct create_target_group_request request = { .group = {
        .name = group_name(ctx, gateway, alternate), .protocol = ELB_PROTOCOL_HTTP, .port = opt_int_of(gateway->port), .target_type = ELB_TARGET_TYPE_IP,
        .health_check_path = gateway->health_path, .health_check_interval_seconds = opt_int_of(INTERVAL_S),
        .health_check_timeout_seconds = opt_int_of(TIMEOUT_S),
    } };
    if (!op_create_target_group(ctx, &request, &made, err)) { return false; }
    *arn = made.target_groups.items[0].arn;
    return true;
}

static bool make_listener(struct op_ctx *ctx, struct err *err)
{
    struct balancers_response made = { 0 };
    struct listeners_response listeners = { 0 };
    const struct kept_balancer *known = store_balancer(ctx->txn, balancer_name, ctx->arena);
    const struct create_balancer_request balancer = { .balancer = { .name = balancer_name } };
    if (known == NULL && !op_create_load_balancer(ctx, &balancer, &made, err)) { return false; }
    struct elb_fixed_response answer = {
        .message_body = STR("There is no service of this name.\n"), .status_code = STR("404"), .content_type = STR("text/plain"),
    };
    struct elb_action otherwise = { .type = ELB_ACTION_TYPE_FIXED_RESPONSE, .fixed_response_config = &answer };
    const struct create_listener_request request = { .listener = {
        .load_balancer_arn = known == NULL ? made.load_balancers.items[0].arn : traffic_balancer_arn(&ctx->config->names, known, ctx->arena),
        .protocol = ELB_PROTOCOL_HTTP, .port = opt_int_of(ctx->config->express_port), .default_actions = { &otherwise, 1 },
    } };
    return op_create_listener(ctx, &request, &listeners, err);
}

/* The rules are in order of their priorities. */
static int64_t free_priority(const struct kept_rule *rules, size_t count)
{
    int64_t priority = 1, taken = 0;
    for (size_t r = 0; r < count; r++) {
        if (str_to_i64(rules[r].rule->priority, &taken) && taken == priority) { priority++; }
    }
    return priority;
}

static bool make_rule(struct op_ctx *ctx, const struct gateway *gateway, struct str usual, struct str alternate, struct str *arn, struct err *err)
{
    enum { WHOLE = 100 };
    struct rules_response made = { 0 };
    struct kept_rule *rules;
    const struct kept_listener *listener = front(ctx);
    if (listener == NULL) { return err_set(err, ERR_SERVER, "The listener of Express services can't be read."); }
    struct elb_weighted_group groups[] = { { alternate, opt_int_of(0) }, { usual, opt_int_of(WHOLE) } };     /* as traffic_set_weights orders them */
    struct elb_forward forward = { .target_groups = { groups, COUNT_OF(groups) } };
    struct elb_action action = { .type = ELB_ACTION_TYPE_FORWARD, .forward_config = &forward };
    size_t count = elb_rules(ctx, listener, &rules);
    struct str host = gateway->host;
    struct elb_condition condition = { .field = STR("host-header"), .values = { &host, 1 } };
    const struct create_rule_request request = {
        .rule = { .conditions = { &condition, 1 }, .actions = { &action, 1 } },
        .listener_arn = traffic_listener_arn(&ctx->config->names, STR("app"), listener, ctx->arena),
        .priority = opt_int_of(free_priority(rules, count)),
    };
    if (!op_create_rule(ctx, &request, &made, err)) { return false; }
    *arn = made.rules.items[0].arn;
    return true;
}

bool gateway_make(struct op_ctx *ctx, const struct gateway *gateway, struct load_balancer *balancer, struct err *err)
{
    struct advanced_configuration *advanced = ARENA_NEW(ctx->arena, struct advanced_configuration, 1);
    balancer->advanced_configuration = advanced;
    return make_group(ctx, gateway, false, &balancer->target_group_arn, err)
        && make_group(ctx, gateway, true, &advanced->alternate_target_group_arn, err)
        && (front(ctx) != NULL || make_listener(ctx, err))
        && make_rule(ctx, gateway, balancer->target_group_arn, advanced->alternate_target_group_arn, &advanced->production_listener_rule, err);
}

/* ---- removing ---- */

static bool has_rules(struct op_ctx *ctx)
{
    struct kept_listener *listeners;
    struct kept_rule *rules;
    size_t count = store_list_listeners(ctx->txn, balancer_name, &listeners, ctx->arena), found = 0;
    for (size_t l = 0; l < count; l++) { found += elb_rules(ctx, &listeners[l], &rules); }
    return found > 0;
}

static void drop_group(struct op_ctx *ctx, struct str arn)
{
    struct err refused = { 0 };
    (void)op_delete_target_group(ctx, &(struct group_request){ .target_group_arn = arn }, NULL, &refused);
}

void gateway_drop(struct op_ctx *ctx, const struct load_balancer *balancer)
{
    static const struct advanced_configuration nothing;
    const struct advanced_configuration *advanced = balancer->advanced_configuration == NULL ? &nothing : balancer->advanced_configuration;
    struct err missing = { 0 }, refused = { 0 };
    (void)op_delete_rule(ctx, &(struct elb_rule_request){ .rule_arn = advanced->production_listener_rule }, NULL, &missing);
    drop_group(ctx, balancer->target_group_arn);
    drop_group(ctx, advanced->alternate_target_group_arn);
    const struct kept_balancer *shared = store_balancer(ctx->txn, balancer_name, ctx->arena);
    if (shared == NULL || has_rules(ctx)) { return; }
    const struct balancer_request request = { .load_balancer_arn = traffic_balancer_arn(&ctx->config->names, shared, ctx->arena) };
    (void)op_delete_load_balancer(ctx, &request, NULL, &refused);
}

/* ---- asking ---- */

static struct str host_of(const struct elb_rule *rule)
{
    for (size_t c = 0; c < rule->conditions.count; c++) {
        const struct elb_condition *condition = &rule->conditions.items[c];
        if (str_eq(condition->field, STR("host-header")) && condition->values.count > 0) { return condition->values.items[0]; }
    }
    return (struct str){ NULL, 0 };
}

static struct str url_of(const struct elb_listener *listener, struct str host, struct arena *arena)
{
    enum { HTTP_PORT = 80, HTTPS_PORT = 443 };
    bool secure = listener->protocol == ELB_PROTOCOL_HTTPS;
    struct buf url = buf_in(arena);
    buf_printf(&url, "%s://" STR_FMT, secure ? "https" : "http", STR_ARG(host));
    if (listener->port.value != (secure ? HTTPS_PORT : HTTP_PORT)) { buf_printf(&url, ":%lld", (long long)listener->port.value); }
    return buf_str(&url);
}

bool gateway_find(struct op_ctx *ctx, const struct load_balancer *balancer, struct gateway_parts *parts)
{
    struct err missing = { 0 };
    *parts = (struct gateway_parts){ 0 };
    if (balancer->advanced_configuration == NULL) { return false; }
    parts->rule = elb_find_rule(ctx, balancer->advanced_configuration->production_listener_rule, &parts->balancer, &missing);
    if (parts->rule != NULL) { parts->listener = store_listener(ctx->txn, parts->rule->balancer, parts->rule->listener_id, ctx->arena); }
    if (parts->listener == NULL) { return false; }
    parts->host = host_of(parts->rule->rule);
    parts->url = url_of(parts->listener->listener, parts->host, ctx->arena);
    return str_is_set(parts->host);
}

struct str gateway_health_path(struct op_ctx *ctx, struct str group)
{
    const struct kept_group *kept = traffic_group(ctx, group);
    return kept == NULL ? (struct str){ NULL, 0 } : kept->group->health_check_path;
}

bool gateway_set_health_path(struct op_ctx *ctx, struct str group, struct str path, struct err *err)
{
    struct target_groups_response changed = { 0 };
    const struct modify_target_group_request request = { .group = { .arn = group, .health_check_path = path } };
    return traffic_group(ctx, group) == NULL || str_eq(gateway_health_path(ctx, group), path) || op_modify_target_group(ctx, &request, &changed, err);
}
