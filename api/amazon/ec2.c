/* ec2.c: what EC2's nouns share - ids, filters, tags - and the table of its operations. */
#include "api/amazon/amazon.h"
#include "api/aws/templates.h"

/* ---- ids ---- */

struct str ec2_id_of(const struct kept_plain *plain) { return plain->id; }

struct str ec2_new_id(struct op_ctx *ctx, const char *prefix)
{
    return arena_printf(ctx->arena, "%s0%016llx", prefix, (unsigned long long)rng_next(ctx->rng));
}

bool ec2_has_room(struct op_ctx *ctx, enum plain_kind kind, size_t most, const char *noun, struct err *err)
{
    bool has = store_count_plain(ctx->txn, kind, STR("")) < most;
    return has || err_set(err, ERR_LIMIT_EXCEEDED, "The maximum number of %s has been reached: %zu", noun, most);
}

const struct kept_plain *ec2_find(struct op_ctx *ctx, enum plain_kind kind, struct str id, enum err_code code, const char *noun, struct err *err)
{
    const struct kept_plain *found = store_plain(ctx->txn, kind, id, ctx->arena);
    if (found == NULL) { (void)err_set(err, code, "The %s '" STR_FMT "' does not exist", noun, AMAZON_SHOWN(id)); }
    return found;
}

/* ---- filters ---- */

/* '*' is any text, '?' any character. */
static bool fits(struct str pattern, struct str text)
{
    size_t p = 0, t = 0, star = pattern.len, retry = 0;
    while (t < text.len) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            retry = t;
        } else if (p < pattern.len && (pattern.ptr[p] == '?' || pattern.ptr[p] == text.ptr[t])) {
            p++;
            t++;
        } else if (star < pattern.len) {
            p = star + 1;
            t = ++retry;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*') { p++; }
    return p == pattern.len;
}

static bool any_fits(const struct str_list *patterns, struct str text)
{
    for (size_t p = 0; p < patterns->count; p++) {
        if (fits(patterns->items[p], text)) { return true; }
    }
    return false;
}

static const struct str tag_head = STR_INIT("tag:"), tag_key = STR_INIT("tag-key");

static const struct ec2_filter_row *find_row(const struct ec2_filters *filters, struct str name)
{
    for (size_t r = 0; r < filters->count; r++) {
        if (str_eq(filters->rows[r].name, name)) { return &filters->rows[r]; }
    }
    return NULL;
}

bool ec2_check_filters(const struct ec2_filters *filters, struct err *err)
{
    for (size_t f = 0; f < filters->given->count; f++) {
        struct str name = filters->given->items[f].name;
        bool known = str_starts_with(name, tag_head) || str_eq(name, tag_key) || find_row(filters, name) != NULL;
        if (!known) { return err_set(err, ERR_VALIDATION, "The filter '" STR_FMT "' is invalid", AMAZON_SHOWN(name)); }
    }
    return true;
}

static bool tags_fit(const struct tag_list *tags, const struct ec2_filter *filter)
{
    bool by_key = str_eq(filter->name, tag_key);
    struct str key = str_slice(filter->name, tag_head.len, filter->name.len);
    for (size_t t = 0; t < tags->count; t++) {
        bool here = by_key ? any_fits(&filter->value, tags->items[t].key) : str_eq(tags->items[t].key, key) && any_fits(&filter->value, tags->items[t].value);
        if (here) { return true; }
    }
    return false;
}

bool ec2_passes(const struct ec2_filters *filters, const struct kept_plain *plain)
{
    for (size_t f = 0; f < filters->given->count; f++) {
        const struct ec2_filter *filter = &filters->given->items[f];
        const struct ec2_filter_row *row = find_row(filters, filter->name);
        bool good = row != NULL ? any_fits(&filter->value, row->fact(plain)) : tags_fit(&plain->tags, filter);
        if (!good) { return false; }
    }
    return true;
}

bool ec2_search(struct op_ctx *ctx, const struct ec2_search *search, struct kept_plain_list *found, struct err *err)
{
    struct kept_plain *items;
    size_t count = search->ids->count;
    if (!ec2_check_filters(&search->filters, err)) { return false; }
    if (count == 0) {
        count = store_list_plain(ctx->txn, search->kind, STR(""), &items, ctx->arena);
    } else {
        items = ARENA_NEW(ctx->arena, struct kept_plain, count);
        for (size_t i = 0; i < count; i++) {
            const struct kept_plain *one = ec2_find(ctx, search->kind, search->ids->items[i], search->code, search->noun, err);
            if (one == NULL) { return false; }
            items[i] = *one;
        }
    }
    *found = (struct kept_plain_list){ items, 0 };
    for (size_t i = 0; i < count; i++) {
        if (ec2_passes(&search->filters, &items[i])) { items[found->count++] = items[i]; }
    }
    return true;
}

/* ---- tags ---- */

bool ec2_take_tags(struct op_ctx *ctx, const struct tag_specification_list *specifications, struct str type, struct tag_list *tags, struct err *err)
{
    size_t count = 0;
    *tags = (struct tag_list){ NULL, 0 };
    for (size_t s = 0; s < specifications->count; s++) { count += specifications->items[s].tags.count; }
    tags->items = ARENA_NEW(ctx->arena, struct tag, count);
    for (size_t s = 0; s < specifications->count; s++) {
        const struct tag_specification *one = &specifications->items[s];
        if (!str_eq(one->resource_type, type)) {
            return err_set(err, ERR_VALIDATION, "'" STR_FMT "' is not a valid taggable resource type for this operation.", AMAZON_SHOWN(one->resource_type));
        }
        for (size_t t = 0; t < one->tags.count; t++) { tags->items[tags->count++] = one->tags.items[t]; }
    }
    return amazon_check_tags(tags, ERR_VALIDATION, err);
}

/* Ids of a kind begin with the head; tags call it by the type. */
static const struct { enum plain_kind kind; struct str head, type; } tagged_kinds[] = {
    { PLAIN_KIND_SECURITY_GROUP, STR_INIT("sg-"), STR_INIT("security-group") }, { PLAIN_KIND_VPC, STR_INIT("vpc-"), STR_INIT("vpc") },
    { PLAIN_KIND_SUBNET, STR_INIT("subnet-"), STR_INIT("subnet") }, { PLAIN_KIND_TEMPLATE, STR_INIT("lt-"), STR_INIT("launch-template") },
};

static const struct kept_plain *find_tagged(struct op_ctx *ctx, struct str id, struct err *err)
{
    for (size_t k = 0; k < COUNT_OF(tagged_kinds); k++) {
        const struct kept_plain *found = str_starts_with(id, tagged_kinds[k].head) ? store_plain(ctx->txn, tagged_kinds[k].kind, id, ctx->arena) : NULL;
        if (found != NULL) { return found; }
    }
    (void)err_set(err, ERR_EC2_ID_NOT_FOUND, "The ID '" STR_FMT "' is not valid", AMAZON_SHOWN(id));
    return NULL;
}

/* First all are checked. */
static bool change_tags(struct op_ctx *ctx, const struct str_list *ids, const struct tag_list *added, const struct str_list *removed, struct err *err)
{
    struct kept_plain *changed = ARENA_NEW(ctx->arena, struct kept_plain, ids->count);
    if (!amazon_check_tags(added, ERR_VALIDATION, err)) { return false; }
    for (size_t i = 0; i < ids->count; i++) {
        const struct kept_plain *found = find_tagged(ctx, ids->items[i], err);
        if (found == NULL) { return false; }
        changed[i] = *found;
        changed[i].tags = amazon_change_tags(ctx, &found->tags, added, removed);
        if (!amazon_check_tags(&changed[i].tags, ERR_VALIDATION, err)) { return false; }
    }
    for (size_t i = 0; i < ids->count; i++) { store_put_plain(ctx->txn, &changed[i]); }
    return true;
}

static AMAZON_OPERATION(op_create_ec2_tags)
{
    const struct tags_request *in = input;
    static const struct str_list none = { NULL, 0 };
    (void)output;
    return change_tags(ctx, &in->ids, &in->tags, &none, err);
}

/* Keys alone count: a value that is given, too, need not be the tag's. */
static AMAZON_OPERATION(op_delete_ec2_tags)
{
    const struct tags_request *in = input;
    static const struct tag_list none = { NULL, 0 };
    struct str_list keys = { ARENA_NEW(ctx->arena, struct str, in->tags.count), in->tags.count };
    (void)output;
    for (size_t t = 0; t < in->tags.count; t++) { keys.items[t] = in->tags.items[t].key; }
    return change_tags(ctx, &in->ids, &none, &keys, err);
}

static AMAZON_OPERATION(op_describe_ec2_tags)
{
    const struct filters_request *in = input;
    struct describe_tags_response *out = output;
    static const struct ec2_filter_row rows[] = { { STR_INIT("resource-id"), ec2_id_of } };
    const struct ec2_filters filters = { rows, COUNT_OF(rows), &in->filters };
    size_t capacity = 0;
    struct kept_plain_list found[COUNT_OF(tagged_kinds)];
    static const struct str_list any = { NULL, 0 };
    for (size_t k = 0; k < COUNT_OF(tagged_kinds); k++) {
        const struct ec2_search search = { tagged_kinds[k].kind, &any, filters, ERR_EC2_ID_NOT_FOUND, "ID" };
        if (!ec2_search(ctx, &search, &found[k], err)) { return false; }
        for (size_t p = 0; p < found[k].count; p++) { capacity += found[k].items[p].tags.count; }
    }
    out->tags.items = ARENA_NEW(ctx->arena, struct tag_description, capacity + 1);
    for (size_t k = 0; k < COUNT_OF(tagged_kinds); k++) {
        for (size_t p = 0; p < found[k].count; p++) {
            const struct kept_plain *one = &found[k].items[p];
            for (size_t t = 0; t < one->tags.count; t++) {
                const struct tag *tag = &one->tags.items[t];
                out->tags.items[out->tags.count++] = (struct tag_description){ tag->key, tag->value, one->id, tagged_kinds[k].type };
            }
        }
    }
    return true;
}

/* ---- the tables ---- */

#define WRITE(name, input, output, run) { STR_INIT(name), &input##_request_schema, output, OP_WRITE, ACCESS_ADMIN, ERR_VALIDATION, run }
#define READ(name, input, output, run) { STR_INIT(name), &input##_request_schema, &output##_schema, OP_READ, ACCESS_VIEWER, ERR_VALIDATION, run }
static const struct operation operations[] = {
    WRITE("AuthorizeSecurityGroupEgress", permissions, &security_rules_response_schema, op_authorize_egress),
    WRITE("AuthorizeSecurityGroupIngress", permissions, &security_rules_response_schema, op_authorize_ingress),
    WRITE("CreateLaunchTemplate", create_template, &template_response_schema, op_create_launch_template),
    WRITE("CreateLaunchTemplateVersion", create_version, &version_response_schema, op_create_launch_template_version),
    WRITE("CreateSecurityGroup", create_group, &create_group_response_schema, op_create_security_group),
    WRITE("CreateSubnet", create_subnet, &subnet_response_schema, op_create_subnet),
    WRITE("CreateTags", tags, NULL, op_create_ec2_tags),
    WRITE("CreateVpc", create_vpc, &vpc_response_schema, op_create_vpc),
    WRITE("DeleteLaunchTemplate", template, &template_response_schema, op_delete_launch_template),
    WRITE("DeleteLaunchTemplateVersions", template, &deleted_versions_response_schema, op_delete_launch_template_versions),
    WRITE("DeleteSecurityGroup", security_group, NULL, op_delete_security_group),
    WRITE("DeleteSubnet", subnet, NULL, op_delete_subnet),
    WRITE("DeleteTags", tags, NULL, op_delete_ec2_tags),
    WRITE("DeleteVpc", vpc, NULL, op_delete_vpc),
    READ("DescribeAvailabilityZones", describe_zones, describe_zones_response, op_describe_availability_zones),
    READ("DescribeLaunchTemplateVersions", template, versions_response, op_describe_launch_template_versions),
    READ("DescribeLaunchTemplates", describe_templates, describe_templates_response, op_describe_launch_templates),
    READ("DescribeNetworkAcls", filters, acls_found, op_describe_nothing),
    READ("DescribeNetworkInterfaces", filters, nothing_found, op_describe_nothing),
    READ("DescribeRouteTables", filters, route_tables_found, op_describe_nothing),
    READ("DescribeSecurityGroupRules", describe_security_rules, security_rules_response, op_describe_security_group_rules),
    READ("DescribeSecurityGroups", describe_groups, describe_groups_response, op_describe_security_groups),
    READ("DescribeSubnets", describe_subnets, describe_subnets_response, op_describe_subnets),
    READ("DescribeTags", filters, describe_tags_response, op_describe_ec2_tags),
    READ("DescribeVpcAttribute", vpc, vpc_attribute_response, op_describe_vpc_attribute),
    READ("DescribeVpcs", describe_vpcs, describe_vpcs_response, op_describe_vpcs),
    WRITE("ModifyLaunchTemplate", template, &template_response_schema, op_modify_launch_template),
    WRITE("ModifySecurityGroupRules", modify_rules, NULL, op_modify_security_group_rules),
    WRITE("ModifySubnetAttribute", modify_subnet, NULL, op_modify_subnet_attribute),
    WRITE("ModifyVpcAttribute", modify_vpc, NULL, op_modify_vpc_attribute),
    WRITE("RevokeSecurityGroupEgress", permissions, NULL, op_revoke_egress),
    WRITE("RevokeSecurityGroupIngress", permissions, NULL, op_revoke_ingress),
    WRITE("UpdateSecurityGroupRuleDescriptionsEgress", permissions, NULL, op_update_egress_descriptions),
    WRITE("UpdateSecurityGroupRuleDescriptionsIngress", permissions, NULL, op_update_ingress_descriptions),
};
#undef READ
#undef WRITE

static const struct service_error errors[] = {
    { ERR_VALIDATION, STR_INIT("InvalidParameterValue"), 400 }, { ERR_LIMIT_EXCEEDED, STR_INIT("ResourceLimitExceeded"), 400 },
    { ERR_INVALID_PARAMETER, STR_INIT("InvalidParameterValue"), 400 }, { ERR_SERIALIZATION, STR_INIT("InvalidParameterValue"), 400 },
    { ERR_ACCESS_DENIED, STR_INIT("UnauthorizedOperation"), 403 }, { ERR_SERVER, STR_INIT("InternalError"), 500 },
    { ERR_MISSING_TOKEN, STR_INIT("MissingAuthenticationToken"), 403 }, { ERR_INCOMPLETE_SIGNATURE, STR_INIT("IncompleteSignature"), 400 },
    { ERR_UNRECOGNIZED_CLIENT, STR_INIT("AuthFailure"), 401 }, { ERR_INVALID_SIGNATURE, STR_INIT("AuthFailure"), 401 },
    { ERR_UNKNOWN_OPERATION, STR_INIT("InvalidAction"), 400 }, { ERR_EXPIRED_TOKEN, STR_INIT("RequestExpired"), 400 },
    { ERR_THROTTLING, STR_INIT("RequestLimitExceeded"), 503 },
};

const struct api_service ec2_service = {
    .name = STR_INIT("ec2"), .named = true, .unserved = STR_INIT("ec2:"), .resource = STR_INIT("*"), .ec2 = true,
    .unserved_more = STR_INIT(". Of EC2 it serves the operations on launch templates, security groups, VPCs, subnets and tags."),
    .operations = operations, .count = COUNT_OF(operations), .errors = errors, .error_count = COUNT_OF(errors),
    .protocol = API_QUERY, .version = STR_INIT("2016-11-15"), .space = STR_INIT("http://ec2.amazonaws.com/doc/2016-11-15/"), .item = STR_INIT("item"),
};
