/* security_rules.c: rules of security groups. A permission of a request has one protocol, ports and many sources; a rule has one source. */
#include "api/amazon/amazon.h"
#include "api/aws/ec2.h"

enum { RULES_MAX = 60 };                                     /* of each direction, as of EC2 */

/* ---- from permissions to rules ---- */

static struct str protocol_of(struct str given)
{
    static const struct { struct str number, name; } numbers[] = {
        { STR_INIT("6"), STR_INIT("tcp") }, { STR_INIT("17"), STR_INIT("udp") }, { STR_INIT("1"), STR_INIT("icmp") }, { STR_INIT("58"), STR_INIT("icmpv6") },
        { STR_INIT("all"), STR_INIT("-1") },
    };
    for (size_t n = 0; n < COUNT_OF(numbers); n++) {
        if (str_eq(numbers[n].number, given)) { return numbers[n].name; }
    }
    return given;
}

/* The protocol and the ports; of all protocols there are no ports. */
static bool start_rule(struct str protocol, struct opt_int from, struct opt_int to, struct security_rule *rule, struct err *err)
{
    rule->protocol = protocol_of(protocol);
    if (str_eq(rule->protocol, STR("-1"))) { return true; }
    bool has_ports = str_eq(rule->protocol, STR("tcp")) || str_eq(rule->protocol, STR("udp"));
    bool good = !has_ports || (from.set && to.set && from.value >= 0 && to.value <= 65535 && from.value <= to.value);
    rule->from_port = from;
    rule->to_port = to;
    return good || err_set(err, ERR_VALIDATION, "Invalid TCP/UDP port range (%lld:%lld)", (long long)from.value, (long long)to.value);
}

static bool check_cidr(struct str cidr, const char *letters, struct err *err)
{
    size_t slashes = 0;
    bool good = cidr.len > 2;
    for (size_t c = 0; c < cidr.len; c++) {
        slashes += cidr.ptr[c] == '/';
        good = good && memchr(letters, cidr.ptr[c], strlen(letters)) != NULL;
    }
    return (good && slashes == 1) || err_set(err, ERR_VALIDATION, "CIDR block " STR_FMT " is malformed", AMAZON_SHOWN(cidr));
}

static struct security_rule *add_rule(const struct security_rule *start, struct str description, struct security_rule_list *rules)
{
    rules->items[rules->count] = *start;
    rules->items[rules->count].description = description;
    return &rules->items[rules->count++];
}

static struct rule_group *peers_of(struct op_ctx *ctx, struct str id)
{
    struct rule_group *peers = ARENA_NEW(ctx->arena, struct rule_group, 1);
    *peers = (struct rule_group){ id, ctx->config->names.account };
    return peers;
}

static bool add_sources(struct op_ctx *ctx, const struct ip_permission *permission, const struct security_rule *start, struct security_rule_list *rules,
                        struct err *err)
{
    for (size_t r = 0; r < permission->ip_ranges.count; r++) {
        const struct ip_range *range = &permission->ip_ranges.items[r];
        add_rule(start, range->description, rules)->cidr_ipv4 = range->cidr_ip;
        if (!check_cidr(range->cidr_ip, "0123456789./", err)) { return false; }
    }
    for (size_t r = 0; r < permission->ipv6_ranges.count; r++) {
        const struct ipv6_range *range = &permission->ipv6_ranges.items[r];
        add_rule(start, range->description, rules)->cidr_ipv6 = range->cidr_ipv6;
        if (!check_cidr(range->cidr_ipv6, "0123456789abcdefABCDEF:./", err)) { return false; }
    }
    for (size_t l = 0; l < permission->prefix_lists.count; l++) {
        const struct prefix_list_id *list = &permission->prefix_lists.items[l];
        add_rule(start, list->description, rules)->prefix_list_id = list->prefix_list_id;
    }
    for (size_t g = 0; g < permission->groups.count; g++) {
        const struct group_pair *pair = &permission->groups.items[g];
        add_rule(start, pair->description, rules)->peers = peers_of(ctx, pair->group_id);
    }
    return true;
}

bool security_rules_of(struct op_ctx *ctx, const struct ip_permission_list *permissions, bool egress, struct security_rule_list *rules, struct err *err)
{
    size_t count = 0;
    for (size_t p = 0; p < permissions->count; p++) {
        const struct ip_permission *one = &permissions->items[p];
        count += one->ip_ranges.count + one->ipv6_ranges.count + one->prefix_lists.count + one->groups.count;
    }
    *rules = (struct security_rule_list){ ARENA_NEW(ctx->arena, struct security_rule, count), 0 };
    for (size_t p = 0; p < permissions->count; p++) {
        const struct ip_permission *one = &permissions->items[p];
        struct security_rule start = { .egress = opt_bool_of(egress) };
        if (!start_rule(one->protocol, one->from_port, one->to_port, &start, err) || !add_sources(ctx, one, &start, rules, err)) { return false; }
    }
    return count > 0 || err_set(err, ERR_VALIDATION, "The request must contain IpPermissions with at least one source");
}

static struct str peer_id(const struct security_rule *rule) { return rule->peers == NULL ? STR("") : rule->peers->id; }

bool security_rule_same(const struct security_rule *a, const struct security_rule *b)
{
    return a->egress == b->egress && str_eq(a->protocol, b->protocol) && a->from_port.value == b->from_port.value && a->to_port.value == b->to_port.value
        && str_eq(a->cidr_ipv4, b->cidr_ipv4) && str_eq(a->cidr_ipv6, b->cidr_ipv6) && str_eq(a->prefix_list_id, b->prefix_list_id)
        && str_eq(peer_id(a), peer_id(b));
}

/* ---- and back ---- */

static struct ip_permission *permission_of(struct ip_permission_list *list, const struct security_rule *rule)
{
    for (size_t p = 0; p < list->count; p++) {
        struct ip_permission *one = &list->items[p];
        if (str_eq(one->protocol, rule->protocol) && one->from_port.value == rule->from_port.value && one->to_port.value == rule->to_port.value) { return one; }
    }
    list->items[list->count] = (struct ip_permission){ .protocol = rule->protocol, .from_port = rule->from_port, .to_port = rule->to_port };
    return &list->items[list->count++];
}

struct ip_permission_list security_permissions(struct op_ctx *ctx, const struct kept_plain *group, bool egress)
{
    const struct security_rule_list *rules = &group->group->rules;
    struct ip_permission_list list = { ARENA_NEW(ctx->arena, struct ip_permission, rules->count + 1), 0 };
    for (size_t r = 0; r < rules->count; r++) {
        const struct security_rule *rule = &rules->items[r];
        if ((rule->egress == OPT_TRUE) != egress) { continue; }
        struct ip_permission *one = permission_of(&list, rule);
        if (rule->cidr_ipv4.len > 0) {
            if (one->ip_ranges.items == NULL) { one->ip_ranges.items = ARENA_NEW(ctx->arena, struct ip_range, rules->count); }
            one->ip_ranges.items[one->ip_ranges.count++] = (struct ip_range){ rule->cidr_ipv4, rule->description };
        } else if (rule->cidr_ipv6.len > 0) {
            if (one->ipv6_ranges.items == NULL) { one->ipv6_ranges.items = ARENA_NEW(ctx->arena, struct ipv6_range, rules->count); }
            one->ipv6_ranges.items[one->ipv6_ranges.count++] = (struct ipv6_range){ rule->cidr_ipv6, rule->description };
        } else if (rule->prefix_list_id.len > 0) {
            if (one->prefix_lists.items == NULL) { one->prefix_lists.items = ARENA_NEW(ctx->arena, struct prefix_list_id, rules->count); }
            one->prefix_lists.items[one->prefix_lists.count++] = (struct prefix_list_id){ rule->prefix_list_id, rule->description };
        } else if (rule->peers != NULL) {
            if (one->groups.items == NULL) { one->groups.items = ARENA_NEW(ctx->arena, struct group_pair, rules->count); }
            one->groups.items[one->groups.count++] = (struct group_pair){ rule->peers->owner, rule->peers->id, rule->description };
        }
    }
    return list;
}

/* ---- the calls ---- */

static const struct security_rule *find_same(const struct security_rule_list *rules, const struct security_rule *wanted)
{
    for (size_t r = 0; r < rules->count; r++) {
        if (security_rule_same(&rules->items[r], wanted)) { return &rules->items[r]; }
    }
    return NULL;
}

static const struct security_rule *find_id(const struct security_rule_list *rules, struct str id)
{
    for (size_t r = 0; r < rules->count; r++) {
        if (str_eq(rules->items[r].id, id)) { return &rules->items[r]; }
    }
    return NULL;
}

static bool rule_not_found(struct str id, struct err *err)
{
    return err_set(err, ERR_EC2_RULE_NOT_FOUND, "The security group rule ID '" STR_FMT "' does not exist", AMAZON_SHOWN(id));
}

static void keep_rules(struct op_ctx *ctx, const struct kept_plain *found, struct security_rule_list rules)
{
    struct kept_plain group = *found;
    struct kept_security_group changed = *found->group;
    changed.rules = rules;
    group.group = &changed;
    store_put_plain(ctx->txn, &group);
}

static bool authorize(struct op_ctx *ctx, const struct permissions_request *in, bool egress, struct security_rules_response *out, struct err *err)
{
    struct security_rule_list added;
    struct tag_list tags;
    const struct kept_plain *group = security_group_find(ctx, in->group_id, err);
    if (group == NULL || !security_rules_of(ctx, &in->permissions, egress, &added, err)) { return false; }
    if (!ec2_take_tags(ctx, &in->tags, STR("security-group-rule"), &tags, err)) { return false; }
    struct security_rule_list rules = { ARENA_NEW(ctx->arena, struct security_rule, group->group->rules.count + added.count), 0 };
    size_t count = 0;
    for (size_t r = 0; r < group->group->rules.count; r++) {
        rules.items[rules.count++] = group->group->rules.items[r];
        count += (group->group->rules.items[r].egress == OPT_TRUE) == egress;
    }
    for (size_t a = 0; a < added.count; a++) {
        struct security_rule *rule = &added.items[a];
        if (find_same(&rules, rule) != NULL) { return err_set(err, ERR_EC2_PERMISSION_EXISTS, "the specified rule already exists"); }
        rule->id = ec2_new_id(ctx, "sgr-");
        rule->tags = tags;
        rules.items[rules.count++] = *rule;
        rule->group = group->id;
        rule->owner = ctx->config->names.account;
    }
    if (count + added.count > RULES_MAX) {
        return err_set(err, ERR_LIMIT_EXCEEDED, "The maximum number of rules per security group has been reached: %d", RULES_MAX);
    }
    keep_rules(ctx, group, rules);
    *out = (struct security_rules_response){ OPT_TRUE, added };
    return true;
}

AMAZON_OPERATION(op_authorize_ingress) { return authorize(ctx, input, false, output, err); }
AMAZON_OPERATION(op_authorize_egress) { return authorize(ctx, input, true, output, err); }

/* By permissions or by ids. All must be there. */
static bool revoke(struct op_ctx *ctx, const struct permissions_request *in, bool egress, struct err *err)
{
    struct security_rule_list gone = { NULL, 0 };
    const struct kept_plain *group = security_group_find(ctx, in->group_id, err);
    if (group == NULL) { return false; }
    if (in->rules.count == 0 && !security_rules_of(ctx, &in->permissions, egress, &gone, err)) { return false; }
    const struct security_rule_list *all = &group->group->rules;
    for (size_t i = 0; i < in->rules.count; i++) {
        const struct security_rule *rule = find_id(all, in->rules.items[i]);
        if (rule == NULL || (rule->egress == OPT_TRUE) != egress) { return rule_not_found(in->rules.items[i], err); }
    }
    for (size_t g = 0; g < gone.count; g++) {
        if (find_same(all, &gone.items[g]) == NULL) {
            return err_set(err, ERR_EC2_PERMISSION_NOT_FOUND, "The specified rule does not exist in this security group.");
        }
    }
    struct security_rule_list rules = { ARENA_NEW(ctx->arena, struct security_rule, all->count + 1), 0 };
    for (size_t r = 0; r < all->count; r++) {
        bool goes = str_list_has(&in->rules, all->items[r].id) || find_same(&gone, &all->items[r]) != NULL;
        if (!goes) { rules.items[rules.count++] = all->items[r]; }
    }
    keep_rules(ctx, group, rules);
    return true;
}

AMAZON_OPERATION(op_revoke_ingress) { (void)output; return revoke(ctx, input, false, err); }
AMAZON_OPERATION(op_revoke_egress) { (void)output; return revoke(ctx, input, true, err); }

static bool describe_again(struct op_ctx *ctx, const struct permissions_request *in, bool egress, struct err *err)
{
    struct security_rule_list named;
    const struct kept_plain *group = security_group_find(ctx, in->group_id, err);
    if (group == NULL || !security_rules_of(ctx, &in->permissions, egress, &named, err)) { return false; }
    for (size_t n = 0; n < named.count; n++) {
        if (find_same(&group->group->rules, &named.items[n]) == NULL) {
            return err_set(err, ERR_EC2_PERMISSION_NOT_FOUND, "The specified rule does not exist in this security group.");
        }
    }
    struct security_rule_list rules = { ARENA_NEW(ctx->arena, struct security_rule, group->group->rules.count), 0 };
    for (size_t r = 0; r < group->group->rules.count; r++) {
        struct security_rule rule = group->group->rules.items[r];
        const struct security_rule *change = find_same(&named, &rule);
        if (change != NULL) { rule.description = change->description; }
        rules.items[rules.count++] = rule;
    }
    keep_rules(ctx, group, rules);
    return true;
}

AMAZON_OPERATION(op_update_ingress_descriptions) { (void)output; return describe_again(ctx, input, false, err); }
AMAZON_OPERATION(op_update_egress_descriptions) { (void)output; return describe_again(ctx, input, true, err); }

/* The rule of the update, with the id, direction and tags of the one before. */
static bool update_rule(struct op_ctx *ctx, const struct rule_update *update, struct security_rule *rule, struct err *err)
{
    const struct security_rule_request *in = update->rule;
    if (in == NULL) { return err_set(err, ERR_VALIDATION, "The request must contain the parameter SecurityGroupRule.SecurityGroupRule"); }
    struct security_rule changed = {
        .id = rule->id, .egress = rule->egress, .tags = rule->tags, .cidr_ipv4 = in->cidr_ipv4, .cidr_ipv6 = in->cidr_ipv6,
        .prefix_list_id = in->prefix_list_id, .description = in->description, .peers = in->group.len > 0 ? peers_of(ctx, in->group) : NULL,
    };
    if (!start_rule(in->protocol, in->from_port, in->to_port, &changed, err)) { return false; }
    if (changed.cidr_ipv4.len > 0 && !check_cidr(changed.cidr_ipv4, "0123456789./", err)) { return false; }
    if (changed.cidr_ipv6.len > 0 && !check_cidr(changed.cidr_ipv6, "0123456789abcdefABCDEF:./", err)) { return false; }
    int sources = (changed.cidr_ipv4.len > 0) + (changed.cidr_ipv6.len > 0) + (changed.prefix_list_id.len > 0) + (changed.peers != NULL);
    if (sources != 1) { return err_set(err, ERR_VALIDATION, "A security group rule must have exactly one source or destination"); }
    *rule = changed;
    return true;
}

AMAZON_OPERATION(op_modify_security_group_rules)
{
    const struct modify_rules_request *in = input;
    (void)output;
    const struct kept_plain *group = security_group_find(ctx, in->group_id, err);
    if (group == NULL) { return false; }
    const struct security_rule_list *all = &group->group->rules;
    struct security_rule_list rules = { ARENA_NEW(ctx->arena, struct security_rule, all->count), all->count };
    for (size_t r = 0; r < all->count; r++) { rules.items[r] = all->items[r]; }
    for (size_t u = 0; u < in->updates.count; u++) {
        const struct security_rule *found = find_id(all, in->updates.items[u].id);
        if (found == NULL) { return rule_not_found(in->updates.items[u].id, err); }
        if (!update_rule(ctx, &in->updates.items[u], &rules.items[found - all->items], err)) { return false; }
    }
    keep_rules(ctx, group, rules);
    return true;
}

AMAZON_OPERATION(op_describe_security_group_rules)
{
    const struct describe_security_rules_request *in = input;
    struct security_rules_response *out = output;
    struct kept_plain *groups;
    static const struct ec2_filter_row rows[] = { { STR_INIT("group-id"), ec2_id_of } };
    const struct ec2_filters filters = { rows, COUNT_OF(rows), &in->filters };
    size_t found = 0, total = 0, count = store_list_plain(ctx->txn, PLAIN_KIND_SECURITY_GROUP, STR(""), &groups, ctx->arena);
    if (!ec2_check_filters(&filters, err)) { return false; }
    for (size_t g = 0; g < count; g++) { total += groups[g].group->rules.count; }
    out->good = OPT_TRUE;
    out->rules.items = ARENA_NEW(ctx->arena, struct security_rule, total + 1);
    for (size_t g = 0; g < count; g++) {
        for (size_t r = 0; r < groups[g].group->rules.count && ec2_passes(&filters, &groups[g]); r++) {
            struct security_rule *rule = &out->rules.items[out->rules.count];
            *rule = groups[g].group->rules.items[r];
            rule->group = groups[g].id;
            rule->owner = ctx->config->names.account;
            bool is_named = str_list_has(&in->ids, rule->id);
            found += is_named;
            out->rules.count += is_named || in->ids.count == 0;
        }
    }
    return found == in->ids.count || rule_not_found(in->ids.items[0], err);
}
