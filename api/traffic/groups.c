/* groups.c: the calls of Elastic Load Balancing on target groups. */
#include "api/traffic/elbv2.h"

/* ---- defaults and checks: as ELB's documentation of CreateTargetGroup has them ---- */

static void set_int(struct opt_int *member, int64_t value)
{
    if (!member->set) { *member = opt_int_of(value); }
}

static void fill_in(struct op_ctx *ctx, struct target_group *group)
{
    bool web = elb_is_http(group->protocol);
    if (group->target_type == ELB_TARGET_TYPE_UNSET) { group->target_type = ELB_TARGET_TYPE_INSTANCE; }
    if (group->ip_address_type == ELB_ADDRESS_TYPE_UNSET) { group->ip_address_type = ELB_ADDRESS_TYPE_IPV4; }
    if (web && group->protocol_version.len == 0) { group->protocol_version = STR("HTTP1"); }
    if (group->health_check_protocol == ELB_PROTOCOL_UNSET) { group->health_check_protocol = web ? ELB_PROTOCOL_HTTP : ELB_PROTOCOL_TCP; }
    bool web_check = elb_is_http(group->health_check_protocol);
    if (group->health_check_port.len == 0) { group->health_check_port = STR("traffic-port"); }
    if (group->health_check_enabled == OPT_UNSET) { group->health_check_enabled = OPT_TRUE; }
    set_int(&group->health_check_interval_seconds, 30);
    set_int(&group->health_check_timeout_seconds, web ? 5 : web_check ? 6 : 10);
    set_int(&group->healthy_threshold_count, 5);
    set_int(&group->unhealthy_threshold_count, 2);
    if (!web_check) { return; }
    if (group->health_check_path.len == 0) { group->health_check_path = STR("/"); }
    if (group->matcher == NULL || (group->matcher->http_code.len == 0 && group->matcher->grpc_code.len == 0)) {
        group->matcher = ARENA_NEW(ctx->arena, struct elb_matcher, 1);
        group->matcher->http_code = web ? STR("200") : STR("200-399");
    }
}

static bool check_port_text(struct str port, struct err *err)
{
    int64_t number = 0;
    bool good = str_eq(port, STR("traffic-port")) || (str_to_i64(port, &number) && number >= 1 && number <= 65535);
    return good || err_set(err, ERR_VALIDATION, "Health check port '" STR_FMT "' must be 'traffic-port' or a number from 1 to 65535",
                           STR_ARG(str_slice(port, 0, ELB_SHOWN_MAX)));
}

/* "200", "200-299", "200,202": codes from 200 to 499, and of a network's group to 599. */
static bool check_codes(struct str codes, int64_t highest, struct err *err)
{
    struct str left = codes;
    while (left.len > 0) {
        struct str part, rest, low, high;
        int64_t first = 0, last = 0;
        if (!str_cut(left, ',', &part, &rest)) { part = left; rest = (struct str){ NULL, 0 }; }
        left = rest;
        if (!str_cut(part, '-', &low, &high)) { low = high = part; }
        if (!str_to_i64(low, &first) || !str_to_i64(high, &last) || first < 200 || last > highest || first > last) {
            return err_set(err, ERR_VALIDATION, "Health check matcher HTTP code '" STR_FMT "' must be within '200-%lld' inclusive",
                           STR_ARG(str_slice(codes, 0, ELB_SHOWN_MAX)), (long long)highest);
        }
    }
    return codes.len <= ELB_SHOWN_MAX || err_set(err, ERR_VALIDATION, "Health check matcher HTTP code is too long");
}

static bool check_health(const struct target_group *group, struct err *err)
{
    bool web = elb_is_http(group->health_check_protocol);
    if (group->health_check_protocol != ELB_PROTOCOL_TCP && !web) {
        return err_set(err, ERR_VALIDATION, "Health check protocol must be HTTP, HTTPS or TCP");
    }
    if (elb_is_http(group->protocol) && !web) { return err_set(err, ERR_VALIDATION, "Health check protocol of an HTTP target group must be HTTP or HTTPS"); }
    if (!check_port_text(group->health_check_port, err)) { return false; }
    int64_t longest = group->health_check_interval_seconds.value - (elb_is_http(group->protocol) ? 1 : 0);
    if (group->health_check_timeout_seconds.value > longest) {
        return err_set(err, ERR_VALIDATION, "Health check timeout must be smaller than the interval, with Network Load Balancers at most as long");
    }
    if (!web) { return true; }
    if (group->health_check_path.ptr[0] != '/') { return err_set(err, ERR_VALIDATION, "Health check path must begin with a '/' character"); }
    if (group->matcher->grpc_code.len > 0) { return err_set(err, ERR_VALIDATION, "GRPC codes are not available: use HttpCode"); }
    return check_codes(group->matcher->http_code, elb_is_http(group->protocol) ? 499 : 599, err);
}

static bool check_group(const struct target_group *group, struct err *err)
{
    if (group->protocol == ELB_PROTOCOL_UNSET) { return err_set(err, ERR_VALIDATION, "A protocol must be specified"); }
    if (!group->port.set) { return err_set(err, ERR_VALIDATION, "A port must be specified"); }
    if (group->protocol_version.len > 0 && !elb_is_http(group->protocol)) {
        return err_set(err, ERR_VALIDATION, "A protocol version can only be specified for HTTP and HTTPS");
    }
    static const struct str versions[] = { STR_INIT("HTTP1"), STR_INIT("HTTP2"), STR_INIT("GRPC") };
    bool known = group->protocol_version.len == 0;
    for (size_t v = 0; v < COUNT_OF(versions); v++) { known = known || str_eq(group->protocol_version, versions[v]); }
    return known || err_set(err, ERR_VALIDATION, "Protocol version must be HTTP1, HTTP2 or GRPC");
}

/* ---- shown ---- */

static void show(struct op_ctx *ctx, const struct kept_group *kept, struct target_group *shown)
{
    *shown = *kept->group;
    shown->arn = traffic_group_arn(&ctx->config->names, kept, ctx->arena);
    shown->load_balancer_arns = elb_users_of(ctx, shown->arn);
    if (shown->load_balancer_arns.count == 0) { shown->load_balancer_arns.items = LIST_NOTHING; }
}

static void show_one(struct op_ctx *ctx, const struct kept_group *kept, struct target_groups_response *out)
{
    out->target_groups = (struct target_group_list){ ARENA_NEW(ctx->arena, struct target_group, 1), 1 };
    show(ctx, kept, &out->target_groups.items[0]);
}

/* ---- CreateTargetGroup ---- */

bool op_create_target_group(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct create_target_group_request *request = input;
    struct target_groups_response *out = output;
    struct target_group group = request->group;
    if (!elb_check_name(group.name, "target group", err) || !check_group(&group, err) || !elb_check_tags(&request->tags, err)) { return false; }
    fill_in(ctx, &group);
    if (!check_health(&group, err)) { return false; }
    const struct kept_group *known = store_group(ctx->txn, group.name, ctx->arena);
    if (known != NULL && !elb_same(ctx, &target_group_schema, known->group, &group)) {
        return err_set(err, ERR_ELB_DUPLICATE_GROUP, "A target group with the same name '" STR_FMT "' exists, but with different settings",
                       STR_ARG(group.name));
    }
    const struct kept_group kept = known != NULL ? *known : (struct kept_group){
        .id = elb_new_id(ctx), .group = &group, .tags = request->tags, .created_ms = ctx->now_ms,
    };
    if (known == NULL) {
        struct kept_group *groups;
        size_t count = store_list_groups(ctx->txn, &groups, ctx->arena);
        if (!elb_check_room(count, ELB_GROUPS_MAX, ERR_ELB_MANY_GROUPS, "target groups", err)) { return false; }
        store_put_group(ctx->txn, &kept);
    }
    show_one(ctx, &kept, out);
    return true;
}

/* ---- DescribeTargetGroups ---- */

static bool describe_named(struct op_ctx *ctx, const struct describe_target_groups_request *request, struct target_groups_response *out, struct err *err)
{
    size_t count = request->target_group_arns.count + request->names.count;
    out->target_groups.items = ARENA_NEW(ctx->arena, struct target_group, count);
    for (size_t n = 0; n < count; n++) {
        bool by_name = n >= request->target_group_arns.count;
        struct str text = by_name ? request->names.items[n - request->target_group_arns.count] : request->target_group_arns.items[n];
        const struct kept_group *group = by_name ? store_group(ctx->txn, text, ctx->arena) : traffic_group(ctx, text);
        if (group == NULL) { return err_set(err, ERR_ELB_GROUP_NOT_FOUND, "One or more target groups not found"); }
        show(ctx, group, &out->target_groups.items[out->target_groups.count++]);
    }
    return true;
}

bool op_describe_target_groups(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_target_groups_request *request = input;
    struct target_groups_response *out = output;
    struct kept_group *groups;
    struct str after;
    out->target_groups.items = LIST_NOTHING;
    if ((request->load_balancer_arn.len > 0) + (request->target_group_arns.count > 0) + (request->names.count > 0) > 1) {
        return err_set(err, ERR_VALIDATION, "Only one of LoadBalancerArn, TargetGroupArns and Names can be specified");
    }
    if (request->target_group_arns.count > 0 || request->names.count > 0) { return describe_named(ctx, request, out, err); }
    if (request->load_balancer_arn.len > 0 && elb_find_balancer(ctx, request->load_balancer_arn, err) == NULL) { return false; }
    if (!paging_position(ctx, STR("DescribeTargetGroups"), request->marker, &after, err)) { return false; }
    size_t count = store_list_groups(ctx->txn, &groups, ctx->arena), limit = request->page_size.set ? (size_t)request->page_size.value : ELB_PAGE_MAX;
    out->target_groups.items = ARENA_NEW(ctx->arena, struct target_group, count + 1);
    for (size_t g = 0; g < count; g++) {
        if (str_is_set(after) && str_cmp(groups[g].group->name, after) <= 0) { continue; }
        struct target_group *shown = &out->target_groups.items[out->target_groups.count];
        if (out->target_groups.count == limit) {
            out->next_marker = paging_token(ctx, STR("DescribeTargetGroups"), shown[-1].name);
            break;
        }
        show(ctx, &groups[g], shown);
        out->target_groups.count += request->load_balancer_arn.len == 0 || str_list_has(&shown->load_balancer_arns, request->load_balancer_arn);
    }
    return true;
}

/* ---- ModifyTargetGroup, DeleteTargetGroup ---- */

bool op_modify_target_group(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct modify_target_group_request *request = input;
    const struct target_group *change = &request->group;
    const struct kept_group *found = elb_find_group(ctx, change->arn, err);
    if (found == NULL) { return false; }
    struct target_group group = *found->group;
    if (change->health_check_protocol != ELB_PROTOCOL_UNSET) { group.health_check_protocol = change->health_check_protocol; }
    if (change->health_check_port.len > 0) { group.health_check_port = change->health_check_port; }
    if (change->health_check_path.len > 0) { group.health_check_path = change->health_check_path; }
    if (change->health_check_enabled != OPT_UNSET) { group.health_check_enabled = change->health_check_enabled; }
    if (change->health_check_interval_seconds.set) { group.health_check_interval_seconds = change->health_check_interval_seconds; }
    if (change->health_check_timeout_seconds.set) { group.health_check_timeout_seconds = change->health_check_timeout_seconds; }
    if (change->healthy_threshold_count.set) { group.healthy_threshold_count = change->healthy_threshold_count; }
    if (change->unhealthy_threshold_count.set) { group.unhealthy_threshold_count = change->unhealthy_threshold_count; }
    if (change->matcher != NULL) { group.matcher = change->matcher; }
    fill_in(ctx, &group);
    if (!check_health(&group, err)) { return false; }
    struct kept_group kept = *found;
    kept.group = &group;
    store_put_group(ctx->txn, &kept);
    traffic_check_changed(ctx, &group);
    show_one(ctx, &kept, output);
    return true;
}

bool op_delete_target_group(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct group_request *request = input;
    struct kept_target *targets;
    const struct kept_group *group = traffic_group(ctx, request->target_group_arn);
    (void)output;
    if (group == NULL) { return true; }                          /* as with ELB: it is gone already */
    if (elb_users_of(ctx, request->target_group_arn).count > 0) {
        return err_set(err, ERR_RESOURCE_IN_USE, "Target group '" STR_FMT "' is currently in use by a listener or a rule", STR_ARG(request->target_group_arn));
    }
    size_t count = store_list_targets(ctx->txn, group->group->name, &targets, ctx->arena);
    for (size_t t = 0; t < count; t++) { traffic_drop(ctx, &targets[t]); }
    store_drop_group(ctx->txn, group->group->name);
    return true;
}

/* ---- attributes ---- */

static struct elb_attributes attributes_of(const struct kept_group *group)
{
    return (struct elb_attributes){ "Target group", group_attributes, group_attribute_count,
                                     elb_is_http(group->group->protocol) ? ELB_OF_APPLICATION : ELB_OF_NETWORK };
}

bool op_modify_target_group_attributes(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct modify_group_attributes_request *request = input;
    const struct kept_group *found = elb_find_group(ctx, request->target_group_arn, err);
    if (found == NULL) { return false; }
    struct kept_group kept = *found;
    const struct elb_attributes known = attributes_of(found);
    if (!elb_set_attributes(ctx, &known, &kept.attributes, &request->attributes, err)) { return false; }
    store_put_group(ctx->txn, &kept);
    elb_show_attributes(ctx, &known, &kept.attributes, output);
    return true;
}

bool op_describe_target_group_attributes(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct group_request *request = input;
    const struct kept_group *group = elb_find_group(ctx, request->target_group_arn, err);
    if (group == NULL) { return false; }
    const struct elb_attributes known = attributes_of(group);
    elb_show_attributes(ctx, &known, &group->attributes, output);
    return true;
}
