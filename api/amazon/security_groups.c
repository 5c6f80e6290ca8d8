/* security_groups.c: EC2's security groups. Berth filters no packets: a group is kept for the clients that name it. */
#include "api/amazon/amazon.h"
#include "api/aws/ec2.h"

enum { GROUPS_MAX = 500 };

static struct str name_of(const struct kept_plain *plain) { return plain->name; }
static struct str vpc_of(const struct kept_plain *plain) { return plain->group->vpc; }
static struct str description_of(const struct kept_plain *plain) { return plain->group->description; }
static const struct ec2_filter_row filter_rows[] = {
    { STR_INIT("group-id"), ec2_id_of }, { STR_INIT("group-name"), name_of }, { STR_INIT("vpc-id"), vpc_of }, { STR_INIT("description"), description_of },
};

const struct kept_plain *security_group_find(struct op_ctx *ctx, struct str id, struct err *err)
{
    return ec2_find(ctx, PLAIN_KIND_SECURITY_GROUP, id, ERR_EC2_GROUP_NOT_FOUND, "security group", err);
}

static struct str arn_of(struct op_ctx *ctx, struct str id)
{
    return arena_printf(ctx->arena, "arn:aws:ec2:" STR_FMT ":" STR_FMT ":security-group/" STR_FMT, STR_ARG(ctx->config->names.region),
                        STR_ARG(ctx->config->names.account), STR_ARG(id));
}

/* A new group allows all traffic to leave. */
AMAZON_OPERATION(op_create_security_group)
{
    const struct create_group_request *in = input;
    struct create_group_response *out = output;
    struct tag_list tags;
    struct kept_plain *groups;
    struct str vpc = in->vpc_id.len > 0 ? in->vpc_id : STR("vpc-default");
    if (!ec2_take_tags(ctx, &in->tags, STR("security-group"), &tags, err)) { return false; }
    size_t count = store_list_plain(ctx->txn, PLAIN_KIND_SECURITY_GROUP, STR(""), &groups, ctx->arena);
    for (size_t g = 0; g < count; g++) {
        if (!str_eq(groups[g].name, in->group_name) || !str_eq(groups[g].group->vpc, vpc)) { continue; }
        return err_set(err, ERR_EC2_GROUP_EXISTS, "The security group '" STR_FMT "' already exists for VPC '" STR_FMT "'", STR_ARG(in->group_name),
                       STR_ARG(vpc));
    }
    if (!ec2_has_room(ctx, PLAIN_KIND_SECURITY_GROUP, GROUPS_MAX, "security groups", err)) { return false; }
    struct security_rule all = { .id = ec2_new_id(ctx, "sgr-"), .egress = OPT_TRUE, .protocol = STR("-1"), .cidr_ipv4 = STR("0.0.0.0/0") };
    struct kept_security_group group = { vpc, in->description, { &all, 1 } };
    const struct kept_plain kept = {
        .kind = PLAIN_KIND_SECURITY_GROUP, .id = ec2_new_id(ctx, "sg-"), .name = in->group_name, .tags = tags, .created_ms = ctx->now_ms, .group = &group,
    };
    store_put_plain(ctx->txn, &kept);
    *out = (struct create_group_response){ kept.id, tags, arn_of(ctx, kept.id) };
    return true;
}

AMAZON_OPERATION(op_describe_security_groups)
{
    const struct describe_groups_request *in = input;
    struct describe_groups_response *out = output;
    struct kept_plain_list found;
    size_t named = 0;
    const struct ec2_search search = {
        PLAIN_KIND_SECURITY_GROUP, &in->ids, { filter_rows, COUNT_OF(filter_rows), &in->filters }, ERR_EC2_GROUP_NOT_FOUND, "security group",
    };
    if (!ec2_search(ctx, &search, &found, err)) { return false; }
    out->groups.items = ARENA_NEW(ctx->arena, struct security_group, found.count + 1);
    for (size_t g = 0; g < found.count; g++) {
        const struct kept_plain *group = &found.items[g];
        bool is_named = str_list_has(&in->names, group->name);
        if (in->names.count > 0 && !is_named) { continue; }
        named += is_named;
        out->groups.items[out->groups.count++] = (struct security_group){
            .owner_id = ctx->config->names.account, .group_name = group->name, .group_description = group->group->description, .group_id = group->id,
            .vpc_id = group->group->vpc, .security_group_arn = arn_of(ctx, group->id), .tags = amazon_shown_tags(&group->tags),
            .ingress = security_permissions(ctx, group, false), .egress = security_permissions(ctx, group, true),
        };
    }
    if (named > 0 || in->names.count == 0) { return true; }
    return err_set(err, ERR_EC2_GROUP_NOT_FOUND, "The security group '" STR_FMT "' does not exist", AMAZON_SHOWN(in->names.items[0]));
}

static bool is_a_peer(const struct kept_plain *group, struct str id)
{
    for (size_t r = 0; r < group->group->rules.count; r++) {
        const struct rule_group *peers = group->group->rules.items[r].peers;
        if (peers != NULL && str_eq(peers->id, id)) { return true; }
    }
    return false;
}

AMAZON_OPERATION(op_delete_security_group)
{
    const struct security_group_request *in = input;
    struct kept_plain *groups;
    (void)output;
    const struct kept_plain *group = security_group_find(ctx, in->group_id, err);
    if (group == NULL) { return false; }
    size_t count = store_list_plain(ctx->txn, PLAIN_KIND_SECURITY_GROUP, STR(""), &groups, ctx->arena);
    for (size_t g = 0; g < count; g++) {
        if (str_eq(groups[g].id, group->id) || !is_a_peer(&groups[g], group->id)) { continue; }
        return err_set(err, ERR_EC2_DEPENDENCY, "resource " STR_FMT " has a dependent object", STR_ARG(group->id));
    }
    store_drop_plain(ctx->txn, group);
    return true;
}
