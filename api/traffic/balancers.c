/* balancers.c: the calls of Elastic Load Balancing on load balancers. One is active at once: it is a name for its listeners, and a proxy serves them. */
#include "api/traffic/elbv2.h"

/* A name that the proxies' operator may publish; nothing resolves it by itself. */
static struct str dns_name(struct op_ctx *ctx, const struct kept_balancer *kept)
{
    return arena_printf(ctx->arena, STR_FMT "-" STR_FMT ".elb.internal", STR_ARG(kept->balancer->name), STR_ARG(kept->id));
}

static void show(struct op_ctx *ctx, const struct kept_balancer *kept, struct elb_balancer *shown)
{
    *shown = *kept->balancer;
    shown->arn = traffic_balancer_arn(&ctx->config->names, kept, ctx->arena);
    shown->dns_name = dns_name(ctx, kept);
    shown->canonical_hosted_zone_id = STR("Z00000000000000000000");
    shown->state = ARENA_NEW(ctx->arena, struct elb_state, 1);
    shown->state->code = STR("active");
}

static void show_one(struct op_ctx *ctx, const struct kept_balancer *kept, struct balancers_response *out)
{
    out->load_balancers = (struct elb_balancer_list){ ARENA_NEW(ctx->arena, struct elb_balancer, 1), 1 };
    show(ctx, kept, &out->load_balancers.items[0]);
}

/* ---- CreateLoadBalancer ---- */

/* A zone for each subnet, by its place: subnets are labels here. */
static struct elb_zone_list zones_of(struct op_ctx *ctx, const struct str_list *subnets, const struct subnet_mapping_list *mappings)
{
    struct elb_zone_list zones = { ARENA_NEW(ctx->arena, struct elb_zone, subnets->count + mappings->count), 0 };
    for (size_t s = 0; s < subnets->count + mappings->count; s++) {
        struct str subnet = s < subnets->count ? subnets->items[s] : mappings->items[s - subnets->count].subnet_id;
        struct str zone = arena_printf(ctx->arena, STR_FMT "%c", STR_ARG(ctx->config->names.region), (char)('a' + s % 26));
        zones.items[zones.count++] = (struct elb_zone){ zone, subnet };
    }
    return zones;
}

static bool check_network(const struct subnet_mapping_list *mappings, enum elb_address_type type, struct err *err)
{
    for (size_t m = 0; m < mappings->count; m++) {
        const struct subnet_mapping *mapping = &mappings->items[m];
        if (mapping->allocation_id.len + mapping->private_ipv4_address.len + mapping->i_pv6_address.len == 0) { continue; }
        return err_set(err, ERR_ELB_INVALID_CONFIGURATION, "AllocationId, PrivateIPv4Address and IPv6Address are not available: no load balancer "
                       "has an address to itself");
    }
    return type != ELB_ADDRESS_TYPE_IPV6 || err_set(err, ERR_VALIDATION, "The IP address type of a load balancer must be ipv4 or dualstack");
}

static bool same_settings(const struct elb_balancer *a, const struct elb_balancer *b)
{
    bool same = a->type == b->type && a->scheme == b->scheme && a->ip_address_type == b->ip_address_type
        && a->availability_zones.count == b->availability_zones.count && a->security_groups.count == b->security_groups.count;
    for (size_t z = 0; same && z < a->availability_zones.count; z++) {
        same = str_eq(a->availability_zones.items[z].subnet_id, b->availability_zones.items[z].subnet_id);
    }
    return same;
}

static bool has_room(struct op_ctx *ctx, enum elb_balancer_type type, struct err *err)
{
    struct kept_balancer *all;
    size_t count = store_list_balancers(ctx->txn, &all, ctx->arena), of_type = 0;
    for (size_t b = 0; b < count; b++) { of_type += all[b].balancer->type == type; }
    return elb_check_room(of_type, ELB_BALANCERS_MAX, ERR_ELB_MANY_BALANCERS, "load balancers of this type", err);
}

bool op_create_load_balancer(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct create_balancer_request *request = input;
    struct elb_balancer balancer = request->balancer;
    if (!elb_check_name(balancer.name, "load balancer", err) || !elb_check_tags(&request->tags, err)) { return false; }
    if (str_starts_with(balancer.name, STR("internal-"))) {
        return err_set(err, ERR_VALIDATION, "The load balancer name '" STR_FMT "' cannot begin with 'internal-'", STR_ARG(balancer.name));
    }
    if (request->subnets.count > 0 && request->subnet_mappings.count > 0) {
        return err_set(err, ERR_VALIDATION, "Only one of Subnets and SubnetMappings can be specified");
    }
    if (!check_network(&request->subnet_mappings, balancer.ip_address_type, err)) { return false; }
    if (balancer.type == ELB_BALANCER_TYPE_UNSET) { balancer.type = ELB_BALANCER_TYPE_APPLICATION; }
    if (balancer.scheme == ELB_SCHEME_UNSET) { balancer.scheme = ELB_SCHEME_INTERNET_FACING; }
    if (balancer.ip_address_type == ELB_ADDRESS_TYPE_UNSET) { balancer.ip_address_type = ELB_ADDRESS_TYPE_IPV4; }
    balancer.availability_zones = zones_of(ctx, &request->subnets, &request->subnet_mappings);
    balancer.created_ms = ctx->now_ms;
    balancer.vpc_id = STR("vpc-00000000000000000");
    const struct kept_balancer *known = store_balancer(ctx->txn, balancer.name, ctx->arena);
    if (known != NULL && !same_settings(known->balancer, &balancer)) {
        return err_set(err, ERR_ELB_DUPLICATE_BALANCER, "A load balancer with the same name '" STR_FMT "' exists, but with different settings",
                       STR_ARG(balancer.name));
    }
    const struct kept_balancer kept = known != NULL ? *known : (struct kept_balancer){ .id = elb_new_id(ctx), .balancer = &balancer, .tags = request->tags };
    if (known == NULL && !has_room(ctx, balancer.type, err)) { return false; }
    if (known == NULL) { store_put_balancer(ctx->txn, &kept); }
    show_one(ctx, &kept, output);
    return true;
}

/* ---- DescribeLoadBalancers, DeleteLoadBalancer ---- */

static bool describe_named(struct op_ctx *ctx, const struct describe_balancers_request *request, struct balancers_response *out, struct err *err)
{
    size_t count = request->load_balancer_arns.count + request->names.count;
    struct err unread = { 0 };
    out->load_balancers.items = ARENA_NEW(ctx->arena, struct elb_balancer, count);
    for (size_t n = 0; n < count; n++) {
        bool by_name = n >= request->load_balancer_arns.count;
        struct str text = by_name ? request->names.items[n - request->load_balancer_arns.count] : request->load_balancer_arns.items[n];
        const struct kept_balancer *balancer = by_name ? store_balancer(ctx->txn, text, ctx->arena) : elb_find_balancer(ctx, text, &unread);
        if (balancer == NULL) {
            return err_set(err, ERR_ELB_BALANCER_NOT_FOUND, by_name ? "Load balancers '[" STR_FMT "]' not found" : "Load balancer '" STR_FMT "' not found",
                           STR_ARG(str_slice(text, 0, ELB_SHOWN_MAX)));
        }
        show(ctx, balancer, &out->load_balancers.items[out->load_balancers.count++]);
    }
    return true;
}

bool op_describe_load_balancers(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_balancers_request *request = input;
    struct balancers_response *out = output;
    struct kept_balancer *balancers;
    struct str after;
    out->load_balancers.items = LIST_NOTHING;
    if (request->load_balancer_arns.count > 0 || request->names.count > 0) { return describe_named(ctx, request, out, err); }
    if (!paging_position(ctx, STR("DescribeLoadBalancers"), request->marker, &after, err)) { return false; }
    size_t count = store_list_balancers(ctx->txn, &balancers, ctx->arena), limit = request->page_size.set ? (size_t)request->page_size.value : ELB_PAGE_MAX;
    out->load_balancers.items = ARENA_NEW(ctx->arena, struct elb_balancer, count + 1);
    for (size_t b = 0; b < count; b++) {
        if (str_is_set(after) && str_cmp(balancers[b].balancer->name, after) <= 0) { continue; }
        if (out->load_balancers.count == limit) {
            out->next_marker = paging_token(ctx, STR("DescribeLoadBalancers"), out->load_balancers.items[limit - 1].name);
            break;
        }
        show(ctx, &balancers[b], &out->load_balancers.items[out->load_balancers.count++]);
    }
    return true;
}

#define SWITCH .words = STR_INIT("true|false")
#define NEVER .words = STR_INIT("false")
static const struct elb_attribute attributes[] = {
    { STR_INIT("access_logs.s3.enabled"), STR_INIT("false"), ELB_OF_BOTH, NEVER },
    { STR_INIT("access_logs.s3.bucket"), STR_INIT(""), .types = ELB_OF_BOTH },
    { STR_INIT("access_logs.s3.prefix"), STR_INIT(""), .types = ELB_OF_BOTH },
    { STR_INIT("connection_logs.s3.enabled"), STR_INIT("false"), ELB_OF_APPLICATION, NEVER },
    { STR_INIT("connection_logs.s3.bucket"), STR_INIT(""), .types = ELB_OF_APPLICATION },
    { STR_INIT("connection_logs.s3.prefix"), STR_INIT(""), .types = ELB_OF_APPLICATION },
    { STR_INIT("deletion_protection.enabled"), STR_INIT("false"), ELB_OF_BOTH, SWITCH },
    { STR_INIT("idle_timeout.timeout_seconds"), STR_INIT("60"), ELB_OF_APPLICATION, .least = 1, .most = 4000 },
    { STR_INIT("client_keep_alive.seconds"), STR_INIT("3600"), ELB_OF_APPLICATION, .least = 60, .most = 604800 },
    { STR_INIT("ipv6.deny_all_igw_traffic"), STR_INIT("false"), ELB_OF_BOTH, SWITCH },
    { STR_INIT("load_balancing.cross_zone.enabled"), STR_INIT("true"), ELB_OF_APPLICATION, SWITCH },
    { STR_INIT("load_balancing.cross_zone.enabled"), STR_INIT("false"), ELB_OF_NETWORK, SWITCH },
    { STR_INIT("routing.http.desync_mitigation_mode"), STR_INIT("defensive"), ELB_OF_APPLICATION, .words = STR_INIT("monitor|defensive|strictest") },
    { STR_INIT("routing.http.drop_invalid_header_fields.enabled"), STR_INIT("false"), ELB_OF_APPLICATION, SWITCH },
    { STR_INIT("routing.http.preserve_host_header.enabled"), STR_INIT("false"), ELB_OF_APPLICATION, SWITCH },
    { STR_INIT("routing.http.x_amzn_tls_version_and_cipher_suite.enabled"), STR_INIT("false"), ELB_OF_APPLICATION, SWITCH },
    { STR_INIT("routing.http.xff_client_port.enabled"), STR_INIT("false"), ELB_OF_APPLICATION, SWITCH },
    { STR_INIT("routing.http.xff_header_processing.mode"), STR_INIT("append"), ELB_OF_APPLICATION, .words = STR_INIT("append|preserve|remove") },
    { STR_INIT("routing.http2.enabled"), STR_INIT("true"), ELB_OF_APPLICATION, SWITCH },
    { STR_INIT("waf.fail_open.enabled"), STR_INIT("false"), ELB_OF_APPLICATION, SWITCH },
    { STR_INIT("zonal_shift.config.enabled"), STR_INIT("false"), ELB_OF_BOTH, NEVER },
    { STR_INIT("dns_record.client_routing_policy"), STR_INIT("any_availability_zone"), ELB_OF_NETWORK,
      .words = STR_INIT("availability_zone_affinity|partial_availability_zone_affinity") },
    { STR_INIT("secondary_ips.auto_assigned.per_subnet"), STR_INIT("0"), ELB_OF_NETWORK, .words = STR_INIT("0") },
};
#undef SWITCH
#undef NEVER

static struct elb_attributes attributes_of(const struct kept_balancer *balancer)
{
    return (struct elb_attributes){ "Load balancer", attributes, COUNT_OF(attributes),
                                     balancer->balancer->type == ELB_BALANCER_TYPE_NETWORK ? ELB_OF_NETWORK : ELB_OF_APPLICATION };
}

static bool is_protected(const struct kept_balancer *balancer)
{
    for (size_t a = 0; a < balancer->attributes.count; a++) {
        const struct elb_pair *set = &balancer->attributes.items[a];
        if (str_eq(set->key, STR("deletion_protection.enabled"))) { return str_eq(set->value, STR("true")); }
    }
    return false;
}

bool op_delete_load_balancer(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct balancer_request *request = input;
    struct err unread = { 0 };
    struct kept_listener *listeners;
    (void)output;
    const struct kept_balancer *balancer = elb_find_balancer(ctx, request->load_balancer_arn, &unread);
    if (balancer == NULL) { return true; }                       /* as with ELB: it is gone already */
    if (is_protected(balancer)) {
        return err_set(err, ERR_ELB_NOT_PERMITTED, "Load balancer '" STR_FMT "' cannot be deleted because deletion protection is enabled",
                       STR_ARG(request->load_balancer_arn));
    }
    size_t count = store_list_listeners(ctx->txn, balancer->balancer->name, &listeners, ctx->arena);
    for (size_t l = 0; l < count; l++) { elb_drop_listener(ctx, &listeners[l]); }
    store_drop_balancer(ctx->txn, balancer->balancer->name);
    return true;
}

/* ---- attributes and the rest ---- */

bool op_modify_load_balancer_attributes(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct modify_balancer_attributes_request *request = input;
    const struct kept_balancer *found = elb_find_balancer(ctx, request->load_balancer_arn, err);
    if (found == NULL) { return false; }
    struct kept_balancer kept = *found;
    const struct elb_attributes known = attributes_of(found);
    if (!elb_set_attributes(ctx, &known, &kept.attributes, &request->attributes, err)) { return false; }
    store_put_balancer(ctx->txn, &kept);
    elb_show_attributes(ctx, &known, &kept.attributes, output);
    return true;
}

bool op_describe_load_balancer_attributes(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct balancer_request *request = input;
    const struct kept_balancer *balancer = elb_find_balancer(ctx, request->load_balancer_arn, err);
    if (balancer == NULL) { return false; }
    const struct elb_attributes known = attributes_of(balancer);
    elb_show_attributes(ctx, &known, &balancer->attributes, output);
    return true;
}

/* The record with a changed load balancer. */
static void keep(struct op_ctx *ctx, const struct kept_balancer *found, struct elb_balancer *changed)
{
    struct kept_balancer kept = *found;
    kept.balancer = changed;
    store_put_balancer(ctx->txn, &kept);
}

bool op_set_security_groups(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct set_security_groups_request *request = input;
    struct set_security_groups_response *out = output;
    const struct kept_balancer *found = elb_find_balancer(ctx, request->load_balancer_arn, err);
    if (found == NULL) { return false; }
    struct elb_balancer balancer = *found->balancer;
    balancer.security_groups = request->security_groups;
    keep(ctx, found, &balancer);
    out->security_group_ids = request->security_groups;
    return true;
}

bool op_set_subnets(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct set_subnets_request *request = input;
    struct set_subnets_response *out = output;
    const struct kept_balancer *found = elb_find_balancer(ctx, request->load_balancer_arn, err);
    if (found == NULL) { return false; }
    if (request->subnets.count + request->subnet_mappings.count == 0) { return err_set(err, ERR_VALIDATION, "A subnet must be specified"); }
    if (!check_network(&request->subnet_mappings, request->ip_address_type, err)) { return false; }
    struct elb_balancer balancer = *found->balancer;
    balancer.availability_zones = zones_of(ctx, &request->subnets, &request->subnet_mappings);
    if (request->ip_address_type != ELB_ADDRESS_TYPE_UNSET) { balancer.ip_address_type = request->ip_address_type; }
    keep(ctx, found, &balancer);
    *out = (struct set_subnets_response){ balancer.availability_zones, balancer.ip_address_type };
    return true;
}

bool op_set_ip_address_type(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct set_ip_address_type_request *request = input;
    struct set_ip_address_type_response *out = output;
    const struct kept_balancer *found = elb_find_balancer(ctx, request->load_balancer_arn, err);
    if (found == NULL) { return false; }
    if (!check_network(&(struct subnet_mapping_list){ NULL, 0 }, request->ip_address_type, err)) { return false; }
    struct elb_balancer balancer = *found->balancer;
    balancer.ip_address_type = out->ip_address_type = request->ip_address_type;
    keep(ctx, found, &balancer);
    return true;
}

/* No capacity can be reserved. */
bool op_describe_capacity_reservation(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct balancer_request *request = input;
    (void)output;
    return elb_find_balancer(ctx, request->load_balancer_arn, err) != NULL;
}
