/* elbv2.c: Elastic Load Balancing, version 2: tags and limits, and the table of its operations. */
#include "api/core/api.h"
#include "api/traffic/elbv2.h"

/* ---- tags: of all four nouns ---- */

struct tagged_one {
    enum traffic_noun noun;
    struct kept_group group; struct kept_balancer balancer; struct kept_listener listener; struct kept_rule rule;     /* the one of the noun */
    struct tag_list *tags;                                                       /* in it */
};

/* A copy of the record that the ARN names. */
static bool find_tagged(struct op_ctx *ctx, struct str arn, struct tagged_one *tagged, struct err *err)
{
    const struct kept_balancer *balancer;
    *tagged = (struct tagged_one){ .noun = traffic_read_arn(&ctx->config->names, arn).noun };
    switch (tagged->noun) {
    case TRAFFIC_GROUP: {
        const struct kept_group *group = elb_find_group(ctx, arn, err);
        if (group != NULL) { tagged->group = *group; tagged->tags = &tagged->group.tags; }
        return group != NULL;
    }
    case TRAFFIC_BALANCER: {
        balancer = elb_find_balancer(ctx, arn, err);
        if (balancer != NULL) { tagged->balancer = *balancer; tagged->tags = &tagged->balancer.tags; }
        return balancer != NULL;
    }
    case TRAFFIC_LISTENER: {
        const struct kept_listener *listener = elb_find_listener(ctx, arn, &balancer, err);
        if (listener != NULL) { tagged->listener = *listener; tagged->tags = &tagged->listener.tags; }
        return listener != NULL;
    }
    case TRAFFIC_RULE: {
        const struct kept_rule *rule = elb_find_rule(ctx, arn, &balancer, err);
        if (rule != NULL) { tagged->rule = *rule; tagged->tags = &tagged->rule.tags; }
        return rule != NULL;
    }
    case TRAFFIC_NONE: break;
    }
    return err_set(err, ERR_VALIDATION, "'" STR_FMT "' is not a valid ARN of a load balancer, target group, listener or rule",
                   STR_ARG(str_slice(arn, 0, ELB_SHOWN_MAX)));
}

static void keep(struct op_ctx *ctx, const struct tagged_one *tagged)
{
    if (tagged->noun == TRAFFIC_GROUP) { store_put_group(ctx->txn, &tagged->group); }
    if (tagged->noun == TRAFFIC_BALANCER) { store_put_balancer(ctx->txn, &tagged->balancer); }
    if (tagged->noun == TRAFFIC_LISTENER) { store_put_listener(ctx->txn, &tagged->listener); }
    if (tagged->noun == TRAFFIC_RULE) { store_put_rule(ctx->txn, &tagged->rule); }
}

static bool change_tags(struct op_ctx *ctx, const struct str_list *arns, const struct tag_list *added, const struct str_list *removed, struct err *err)
{
    for (size_t n = 0; n < arns->count; n++) {
        struct tagged_one tagged;
        if (!find_tagged(ctx, arns->items[n], &tagged, err)) { return false; }
        support_change_tags(ctx, tagged.tags, added, removed);
        if (!elb_check_tags(tagged.tags, err)) { return false; }
    }
    for (size_t n = 0; n < arns->count; n++) {
        struct tagged_one tagged;
        bool found = find_tagged(ctx, arns->items[n], &tagged, err);
        ASSERT(found);
        support_change_tags(ctx, tagged.tags, added, removed);
        keep(ctx, &tagged);
    }
    return true;
}

static ELB_OPERATION(op_add_tags)
{
    const struct add_elb_tags_request *request = input;
    (void)output;
    return change_tags(ctx, &request->resource_arns, &request->tags, NULL, err);
}

static ELB_OPERATION(op_remove_tags)
{
    const struct remove_elb_tags_request *request = input;
    (void)output;
    return change_tags(ctx, &request->resource_arns, NULL, &request->tag_keys, err);
}

static ELB_OPERATION(op_describe_tags)
{
    const struct describe_elb_tags_request *request = input;
    struct describe_elb_tags_response *out = output;
    out->tag_descriptions.items = ARENA_NEW(ctx->arena, struct elb_tag_description, request->resource_arns.count);
    for (size_t n = 0; n < request->resource_arns.count; n++) {
        struct tagged_one tagged;
        if (!find_tagged(ctx, request->resource_arns.items[n], &tagged, err)) { return false; }
        struct elb_tag_description *shown = &out->tag_descriptions.items[out->tag_descriptions.count++];
        *shown = (struct elb_tag_description){ request->resource_arns.items[n], *tagged.tags };
        if (shown->tags.count == 0) { shown->tags.items = LIST_NOTHING; }
    }
    return true;
}

/* ---- limits: those that Berth keeps ---- */

static ELB_OPERATION(op_describe_account_limits)
{
    static const struct { struct str name; int most; } limits[] = {
        { STR_INIT("application-load-balancers"), ELB_BALANCERS_MAX }, { STR_INIT("network-load-balancers"), ELB_BALANCERS_MAX },
        { STR_INIT("listeners-per-application-load-balancer"), ELB_LISTENERS_MAX }, { STR_INIT("listeners-per-network-load-balancer"), ELB_LISTENERS_MAX },
        { STR_INIT("rules-per-application-load-balancer"), ELB_RULES_MAX }, { STR_INIT("target-groups"), ELB_GROUPS_MAX },
        { STR_INIT("target-groups-per-action-on-application-load-balancer"), ELB_ACTION_GROUPS_MAX },
        { STR_INIT("condition-values-per-alb-rule"), ELB_CONDITION_VALUES_MAX },
    };
    struct describe_limits_response *out = output;
    (void)input;
    (void)err;
    out->limits = (struct elb_limit_list){ ARENA_NEW(ctx->arena, struct elb_limit, COUNT_OF(limits)), COUNT_OF(limits) };
    for (size_t l = 0; l < COUNT_OF(limits); l++) {
        out->limits.items[l] = (struct elb_limit){ limits[l].name, arena_printf(ctx->arena, "%d", limits[l].most) };
    }
    return true;
}

/* ---- SSL policies ---- */

/* The policies that listeners may name, with their oldest version of TLS and their newest, as places in `versions`. */
static const struct str versions[] = { STR_INIT("TLSv1"), STR_INIT("TLSv1.1"), STR_INIT("TLSv1.2"), STR_INIT("TLSv1.3") };
static const struct { struct str name; size_t oldest, newest; } policies[] = {
    { STR_INIT("ELBSecurityPolicy-2016-08"), 0, 2 },
    { STR_INIT("ELBSecurityPolicy-TLS-1-1-2017-01"), 1, 2 },
    { STR_INIT("ELBSecurityPolicy-TLS-1-2-2017-01"), 2, 2 },
    { STR_INIT("ELBSecurityPolicy-TLS13-1-2-2021-06"), 2, 3 },
    { STR_INIT("ELBSecurityPolicy-TLS13-1-2-Res-2021-06"), 2, 3 },
    { STR_INIT("ELBSecurityPolicy-TLS13-1-3-2021-06"), 3, 3 },
};

bool elb_policy_known(struct str name)
{
    for (size_t p = 0; p < COUNT_OF(policies); p++) {
        if (str_eq(policies[p].name, name)) { return true; }
    }
    return false;
}

static ELB_OPERATION(op_describe_ssl_policies)
{
    static struct str types[] = { STR_INIT("application"), STR_INIT("network") };
    const struct ssl_policies_request *in = input;
    struct ssl_policies_response *out = output;
    for (size_t n = 0; n < in->names.count; n++) {
        if (elb_policy_known(in->names.items[n])) { continue; }
        return err_set(err, ERR_ELB_POLICY_NOT_FOUND, "SSL policy '" STR_FMT "' not found", STR_ARG(str_slice(in->names.items[n], 0, 64)));
    }
    out->ssl_policies.items = ARENA_NEW(ctx->arena, struct ssl_policy, COUNT_OF(policies));
    for (size_t p = 0; p < COUNT_OF(policies); p++) {
        if (in->names.count > 0 && !str_list_has(&in->names, policies[p].name)) { continue; }
        struct str_list protocols = { ARENA_NEW(ctx->arena, struct str, COUNT_OF(versions)), 0 };
        for (size_t v = policies[p].oldest; v <= policies[p].newest; v++) { protocols.items[protocols.count++] = versions[v]; }
        out->ssl_policies.items[out->ssl_policies.count++] = (struct ssl_policy){ protocols, policies[p].name, { types, COUNT_OF(types) } };
    }
    return true;
}

/* ---- the tables ---- */

/* Clients look for the element of a result also where it has no members. */
struct nothing { bool none; };
static const struct schema nothing_schema = { STR_INIT("nothing"), sizeof(struct nothing), NULL, 0 };

#define WRITE(name, input, output, run) \
    { STR_INIT(name), &input##_schema, output, OP_WRITE, ACCESS_ADMIN, ERR_VALIDATION, run }
#define READ(name, input, output, run) \
    { STR_INIT(name), &input##_schema, output, OP_READ, ACCESS_VIEWER, ERR_VALIDATION, run }
static const struct operation operations[] = {
    WRITE("AddListenerCertificates", listener_certificates_request, &certificates_response_schema, op_add_listener_certificates),
    WRITE("AddTags", add_elb_tags_request, &nothing_schema, op_add_tags),
    WRITE("CreateListener", create_listener_request, &listeners_response_schema, op_create_listener),
    WRITE("CreateLoadBalancer", create_balancer_request, &balancers_response_schema, op_create_load_balancer),
    WRITE("CreateRule", create_rule_request, &rules_response_schema, op_create_rule),
    WRITE("CreateTargetGroup", create_target_group_request, &target_groups_response_schema, op_create_target_group),
    WRITE("DeleteListener", listener_request, &nothing_schema, op_delete_listener),
    WRITE("DeleteLoadBalancer", balancer_request, &nothing_schema, op_delete_load_balancer),
    WRITE("DeleteRule", elb_rule_request, &nothing_schema, op_delete_rule),
    WRITE("DeleteTargetGroup", group_request, &nothing_schema, op_delete_target_group),
    WRITE("DeregisterTargets", targets_request, &nothing_schema, op_deregister_targets),
    READ("DescribeAccountLimits", no_elb_request, &describe_limits_response_schema, op_describe_account_limits),
    READ("DescribeCapacityReservation", balancer_request, &nothing_schema, op_describe_capacity_reservation),
    READ("DescribeListenerAttributes", listener_request, &attributes_response_schema, op_describe_listener_attributes),
    READ("DescribeListenerCertificates", describe_certificates_request, &certificates_response_schema, op_describe_listener_certificates),
    READ("DescribeListeners", describe_listeners_request, &listeners_response_schema, op_describe_listeners),
    READ("DescribeLoadBalancerAttributes", balancer_request, &attributes_response_schema, op_describe_load_balancer_attributes),
    READ("DescribeLoadBalancers", describe_balancers_request, &balancers_response_schema, op_describe_load_balancers),
    READ("DescribeRules", describe_rules_request, &rules_response_schema, op_describe_rules),
    READ("DescribeSSLPolicies", ssl_policies_request, &ssl_policies_response_schema, op_describe_ssl_policies),
    READ("DescribeTags", describe_elb_tags_request, &describe_elb_tags_response_schema, op_describe_tags),
    READ("DescribeTargetGroupAttributes", group_request, &attributes_response_schema, op_describe_target_group_attributes),
    READ("DescribeTargetGroups", describe_target_groups_request, &target_groups_response_schema, op_describe_target_groups),
    READ("DescribeTargetHealth", describe_target_health_request, &describe_target_health_response_schema, op_describe_target_health),
    WRITE("ModifyListener", modify_listener_request, &listeners_response_schema, op_modify_listener),
    WRITE("ModifyListenerAttributes", modify_listener_attributes_request, &attributes_response_schema, op_modify_listener_attributes),
    WRITE("ModifyLoadBalancerAttributes", modify_balancer_attributes_request, &attributes_response_schema, op_modify_load_balancer_attributes),
    WRITE("ModifyRule", modify_rule_request, &rules_response_schema, op_modify_rule),
    WRITE("ModifyTargetGroup", modify_target_group_request, &target_groups_response_schema, op_modify_target_group),
    WRITE("ModifyTargetGroupAttributes", modify_group_attributes_request, &attributes_response_schema, op_modify_target_group_attributes),
    WRITE("RegisterTargets", targets_request, &nothing_schema, op_register_targets),
    WRITE("RemoveListenerCertificates", listener_certificates_request, &nothing_schema, op_remove_listener_certificates),
    WRITE("RemoveTags", remove_elb_tags_request, &nothing_schema, op_remove_tags),
    WRITE("SetIpAddressType", set_ip_address_type_request, &set_ip_address_type_response_schema, op_set_ip_address_type),
    WRITE("SetRulePriorities", set_rule_priorities_request, &rules_response_schema, op_set_rule_priorities),
    WRITE("SetSecurityGroups", set_security_groups_request, &set_security_groups_response_schema, op_set_security_groups),
    WRITE("SetSubnets", set_subnets_request, &set_subnets_response_schema, op_set_subnets),
};
#undef READ
#undef WRITE

static const struct service_error errors[] = {
    { ERR_VALIDATION, STR_INIT("ValidationError"), 400 }, { ERR_RESOURCE_IN_USE, STR_INIT("ResourceInUse"), 400 },
    { ERR_INVALID_PARAMETER, STR_INIT("ValidationError"), 400 },
    { ERR_INVALID_NEXT_TOKEN, STR_INIT("ValidationError"), 400 }, { ERR_INVALID_REQUEST, STR_INIT("ValidationError"), 400 },
    { ERR_ACCESS_DENIED, STR_INIT("AccessDenied"), 403 }, { ERR_SERVER, STR_INIT("InternalFailure"), 500 },
    { ERR_MISSING_TOKEN, STR_INIT("MissingAuthenticationToken"), 403 }, { ERR_INCOMPLETE_SIGNATURE, STR_INIT("IncompleteSignature"), 400 },
    { ERR_UNRECOGNIZED_CLIENT, STR_INIT("InvalidClientTokenId"), 403 }, { ERR_INVALID_SIGNATURE, STR_INIT("SignatureDoesNotMatch"), 403 },
    { ERR_UNKNOWN_OPERATION, STR_INIT("InvalidAction"), 400 }, { ERR_EXPIRED_TOKEN, STR_INIT("ExpiredToken"), 403 },
    { ERR_THROTTLING, STR_INIT("Throttling"), 400 },
};

const struct api_service elbv2_service = {
    .name = STR_INIT("elasticloadbalancing"), .named = true, .unserved = STR_INIT("elasticloadbalancing:"), .resource = STR_INIT("*"),
    .unserved_more = STR_INIT(". Berth serves the operations of Elastic Load Balancing on load balancers, listeners, rules, target groups, targets and tags."),
    .operations = operations, .count = COUNT_OF(operations), .errors = errors, .error_count = COUNT_OF(errors),
    .protocol = API_QUERY, .version = STR_INIT("2015-12-01"), .space = STR_INIT("http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/"),
    .item = STR_INIT("member"),
};
