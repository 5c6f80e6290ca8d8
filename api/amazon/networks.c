/* networks.c: EC2's VPCs and subnets as plain records. Berth makes no networks: machines have those that they are in, and any name of a subnet or a VPC may be
 * used without a record here. */
#include "api/amazon/amazon.h"
#include "api/aws/ec2.h"

enum { VPCS_MAX = 100, SUBNETS_MAX = 1000 };

/* ---- VPCs ---- */

static struct str vpc_cidr(const struct kept_plain *plain) { return plain->vpc->cidr; }
static struct str vpc_default(const struct kept_plain *plain) { (void)plain; return STR("false"); }
static struct str state_of(const struct kept_plain *plain) { (void)plain; return STR("available"); }
static const struct ec2_filter_row vpc_rows[] = {
    { STR_INIT("vpc-id"), ec2_id_of }, { STR_INIT("cidr"), vpc_cidr }, { STR_INIT("cidr-block"), vpc_cidr }, { STR_INIT("isDefault"), vpc_default },
    { STR_INIT("is-default"), vpc_default }, { STR_INIT("state"), state_of },
};

static const struct kept_plain *find_vpc(struct op_ctx *ctx, struct str id, struct err *err)
{
    return ec2_find(ctx, PLAIN_KIND_VPC, id, ERR_EC2_VPC_NOT_FOUND, "vpc ID", err);
}

static struct vpc show_vpc(struct op_ctx *ctx, const struct kept_plain *kept)
{
    return (struct vpc){
        .vpc_id = kept->id, .owner_id = ctx->config->names.account, .state = STR("available"), .cidr_block = kept->vpc->cidr,
        .dhcp_options_id = STR("default"), .tags = amazon_shown_tags(&kept->tags), .instance_tenancy = kept->vpc->tenancy,
    };
}

AMAZON_OPERATION(op_create_vpc)
{
    const struct create_vpc_request *in = input;
    struct vpc_response *out = output;
    struct tag_list tags;
    struct kept_vpc vpc = { in->cidr_block, in->instance_tenancy.len > 0 ? in->instance_tenancy : STR("default"), OPT_TRUE, OPT_FALSE, OPT_FALSE };
    if (in->ipv6 == OPT_TRUE) { return err_set(err, ERR_VALIDATION, "AmazonProvidedIpv6CidrBlock is not available"); }
    if (!ec2_take_tags(ctx, &in->tags, STR("vpc"), &tags, err) || !ec2_has_room(ctx, PLAIN_KIND_VPC, VPCS_MAX, "VPCs", err)) { return false; }
    const struct kept_plain kept = { .kind = PLAIN_KIND_VPC, .id = ec2_new_id(ctx, "vpc-"), .tags = tags, .created_ms = ctx->now_ms, .vpc = &vpc };
    store_put_plain(ctx->txn, &kept);
    out->vpc = ARENA_NEW(ctx->arena, struct vpc, 1);
    *out->vpc = show_vpc(ctx, &kept);
    return true;
}

AMAZON_OPERATION(op_describe_vpcs)
{
    const struct describe_vpcs_request *in = input;
    struct describe_vpcs_response *out = output;
    struct kept_plain_list found;
    const struct ec2_search search = { PLAIN_KIND_VPC, &in->ids, { vpc_rows, COUNT_OF(vpc_rows), &in->filters }, ERR_EC2_VPC_NOT_FOUND, "vpc ID" };
    if (!ec2_search(ctx, &search, &found, err)) { return false; }
    out->vpcs.items = ARENA_NEW(ctx->arena, struct vpc, found.count + 1);
    for (size_t v = 0; v < found.count; v++) { out->vpcs.items[out->vpcs.count++] = show_vpc(ctx, &found.items[v]); }
    return true;
}

/* Is there a record of this kind that belongs to the VPC? */
static bool is_used(struct op_ctx *ctx, enum plain_kind kind, struct str vpc)
{
    struct kept_plain *items;
    size_t count = store_list_plain(ctx->txn, kind, STR(""), &items, ctx->arena);
    for (size_t p = 0; p < count; p++) {
        if (str_eq(kind == PLAIN_KIND_SUBNET ? items[p].subnet->vpc : items[p].group->vpc, vpc)) { return true; }
    }
    return false;
}

AMAZON_OPERATION(op_delete_vpc)
{
    const struct vpc_request *in = input;
    (void)output;
    const struct kept_plain *vpc = find_vpc(ctx, in->vpc_id, err);
    if (vpc == NULL) { return false; }
    if (is_used(ctx, PLAIN_KIND_SUBNET, vpc->id) || is_used(ctx, PLAIN_KIND_SECURITY_GROUP, vpc->id)) {
        return err_set(err, ERR_EC2_DEPENDENCY, "The vpc '" STR_FMT "' has dependencies and cannot be deleted.", STR_ARG(vpc->id));
    }
    store_drop_plain(ctx->txn, vpc);
    return true;
}

AMAZON_OPERATION(op_describe_vpc_attribute)
{
    const struct vpc_request *in = input;
    struct vpc_attribute_response *out = output;
    struct shown_bool *shown = ARENA_NEW(ctx->arena, struct shown_bool, 1);
    const struct kept_plain *vpc = find_vpc(ctx, in->vpc_id, err);
    if (vpc == NULL) { return false; }
    out->vpc_id = vpc->id;
    if (str_eq(in->attribute, STR("enableDnsSupport"))) {
        shown->value = vpc->vpc->dns_support;
        out->dns_support = shown;
    } else if (str_eq(in->attribute, STR("enableDnsHostnames"))) {
        shown->value = vpc->vpc->dns_hostnames;
        out->dns_hostnames = shown;
    } else if (str_eq(in->attribute, STR("enableNetworkAddressUsageMetrics"))) {
        shown->value = vpc->vpc->metrics;
        out->metrics = shown;
    } else {
        return err_set(err, ERR_VALIDATION, "Value (" STR_FMT ") for parameter attribute is invalid.", AMAZON_SHOWN(in->attribute));
    }
    return true;
}

AMAZON_OPERATION(op_modify_vpc_attribute)
{
    const struct modify_vpc_request *in = input;
    (void)output;
    const struct kept_plain *found = find_vpc(ctx, in->vpc_id, err);
    if (found == NULL) { return false; }
    struct kept_plain kept = *found;
    struct kept_vpc vpc = *found->vpc;
    if (in->dns_support != NULL) { vpc.dns_support = in->dns_support->value; }
    if (in->dns_hostnames != NULL) { vpc.dns_hostnames = in->dns_hostnames->value; }
    if (in->metrics != NULL) { vpc.metrics = in->metrics->value; }
    kept.vpc = &vpc;
    store_put_plain(ctx->txn, &kept);
    return true;
}

/* ---- subnets ---- */

static struct str subnet_vpc(const struct kept_plain *plain) { return plain->subnet->vpc; }
static struct str subnet_cidr(const struct kept_plain *plain) { return plain->subnet->cidr; }
static struct str subnet_zone(const struct kept_plain *plain) { return plain->subnet->zone; }
static const struct ec2_filter_row subnet_rows[] = {
    { STR_INIT("subnet-id"), ec2_id_of }, { STR_INIT("vpc-id"), subnet_vpc }, { STR_INIT("cidr-block"), subnet_cidr }, { STR_INIT("cidrBlock"), subnet_cidr },
    { STR_INIT("availability-zone"), subnet_zone }, { STR_INIT("availabilityZone"), subnet_zone }, { STR_INIT("state"), state_of },
};

static const struct kept_plain *find_subnet(struct op_ctx *ctx, struct str id, struct err *err)
{
    return ec2_find(ctx, PLAIN_KIND_SUBNET, id, ERR_EC2_SUBNET_NOT_FOUND, "subnet ID", err);
}

static struct subnet show_subnet(struct op_ctx *ctx, const struct kept_plain *kept)
{
    const struct names *names = &ctx->config->names;
    return (struct subnet){
        .subnet_id = kept->id, .owner_id = names->account, .state = STR("available"), .vpc_id = kept->subnet->vpc, .cidr_block = kept->subnet->cidr,
        .subnet_arn = arena_printf(ctx->arena, "arn:aws:ec2:" STR_FMT ":" STR_FMT ":subnet/" STR_FMT, STR_ARG(names->region), STR_ARG(names->account),
                                   STR_ARG(kept->id)),
        .available_ip_address_count = opt_int_of(0), .availability_zone = kept->subnet->zone, .map_public_ip_on_launch = kept->subnet->public_ip,
        .tags = amazon_shown_tags(&kept->tags),
    };
}

AMAZON_OPERATION(op_create_subnet)
{
    const struct create_subnet_request *in = input;
    struct subnet_response *out = output;
    struct tag_list tags;
    struct str zone = in->availability_zone.len > 0 ? in->availability_zone : arena_printf(ctx->arena, STR_FMT "a", STR_ARG(ctx->config->names.region));
    struct kept_subnet subnet = { in->vpc_id, in->cidr_block, zone, OPT_FALSE };
    if (find_vpc(ctx, in->vpc_id, err) == NULL || !ec2_take_tags(ctx, &in->tags, STR("subnet"), &tags, err)) { return false; }
    if (!ec2_has_room(ctx, PLAIN_KIND_SUBNET, SUBNETS_MAX, "subnets", err)) { return false; }
    const struct kept_plain kept = { .kind = PLAIN_KIND_SUBNET, .id = ec2_new_id(ctx, "subnet-"), .tags = tags, .created_ms = ctx->now_ms, .subnet = &subnet };
    store_put_plain(ctx->txn, &kept);
    out->subnet = ARENA_NEW(ctx->arena, struct subnet, 1);
    *out->subnet = show_subnet(ctx, &kept);
    return true;
}

AMAZON_OPERATION(op_describe_subnets)
{
    const struct describe_subnets_request *in = input;
    struct describe_subnets_response *out = output;
    struct kept_plain_list found;
    const struct ec2_search search = {
        PLAIN_KIND_SUBNET, &in->ids, { subnet_rows, COUNT_OF(subnet_rows), &in->filters }, ERR_EC2_SUBNET_NOT_FOUND, "subnet ID",
    };
    if (!ec2_search(ctx, &search, &found, err)) { return false; }
    out->subnets.items = ARENA_NEW(ctx->arena, struct subnet, found.count + 1);
    for (size_t s = 0; s < found.count; s++) { out->subnets.items[out->subnets.count++] = show_subnet(ctx, &found.items[s]); }
    return true;
}

AMAZON_OPERATION(op_delete_subnet)
{
    const struct subnet_request *in = input;
    (void)output;
    const struct kept_plain *subnet = find_subnet(ctx, in->subnet_id, err);
    if (subnet != NULL) { store_drop_plain(ctx->txn, subnet); }
    return subnet != NULL;
}

AMAZON_OPERATION(op_modify_subnet_attribute)
{
    const struct modify_subnet_request *in = input;
    (void)output;
    const struct kept_plain *found = find_subnet(ctx, in->subnet_id, err);
    if (found == NULL) { return false; }
    struct kept_plain kept = *found;
    struct kept_subnet subnet = *found->subnet;
    if (in->public_ip != NULL) { subnet.public_ip = in->public_ip->value; }
    kept.subnet = &subnet;
    store_put_plain(ctx->txn, &kept);
    return true;
}

/* ---- zones, and what there never is ---- */

/* Three zones, as most regions have. Filters change nothing: all zones are alike. */
AMAZON_OPERATION(op_describe_availability_zones)
{
    const struct describe_zones_request *in = input;
    struct describe_zones_response *out = output;
    struct str region = ctx->config->names.region;
    (void)err;
    out->zones.items = ARENA_NEW(ctx->arena, struct availability_zone, 3);
    for (int z = 0; z < 3; z++) {
        struct str name = arena_printf(ctx->arena, STR_FMT "%c", STR_ARG(region), 'a' + z);
        if (in->names.count > 0 && !str_list_has(&in->names, name)) { continue; }
        out->zones.items[out->zones.count++] = (struct availability_zone){
            name, STR("available"), region, arena_printf(ctx->arena, "az%d", z + 1), STR("availability-zone"), STR("opt-in-not-required"),
        };
    }
    return true;
}

AMAZON_OPERATION(op_describe_nothing)
{
    struct nothing_found *out = output;
    (void)ctx;
    (void)input;
    (void)err;
    out->items.items = LIST_NOTHING;
    return true;
}
