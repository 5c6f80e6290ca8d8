/* Written by tools/shapes from model/records/plain.shapes. */
#include "model/records/plain.h"

#include "base/assert.h"

static const struct str plain_kind_words[] = { STR_INIT("role"), STR_INIT("profile"), STR_INIT("security_group"), STR_INIT("vpc"),
    STR_INIT("subnet") };
const struct enum_names plain_kind_names = { plain_kind_words, COUNT_OF(plain_kind_words) };

#define AT(member) .offset = offsetof(struct iam_policy, member)
static const struct field iam_policy_schema_fields[] = {
    { STR_INIT("PolicyName"), 1, FIELD_STR, AT(name) },
    { STR_INIT("PolicyDocument"), 2, FIELD_STR, AT(document) },
};
#undef AT
const struct schema iam_policy_schema = SCHEMA_OF("Policy", struct iam_policy, iam_policy_schema_fields);

#define AT(member) .offset = offsetof(struct rule_group, member)
static const struct field rule_group_schema_fields[] = {
    { STR_INIT("groupId"), 1, FIELD_STR, AT(id) },
    { STR_INIT("userId"), 2, FIELD_STR, AT(owner) },
};
#undef AT
const struct schema rule_group_schema = SCHEMA_OF("ReferencedSecurityGroup", struct rule_group, rule_group_schema_fields);

#define AT(member) .offset = offsetof(struct security_rule, member)
static const struct field security_rule_schema_fields[] = {
    { STR_INIT("securityGroupRuleId"), 1, FIELD_STR, AT(id) },
    { STR_INIT("isEgress"), 2, FIELD_BOOL, AT(egress), .always = true },
    { STR_INIT("ipProtocol"), 3, FIELD_STR, AT(protocol) },
    { STR_INIT("fromPort"), 4, FIELD_INT, AT(from_port) },
    { STR_INIT("toPort"), 5, FIELD_INT, AT(to_port) },
    { STR_INIT("cidrIpv4"), 6, FIELD_STR, AT(cidr_ipv4) },
    { STR_INIT("cidrIpv6"), 7, FIELD_STR, AT(cidr_ipv6) },
    { STR_INIT("prefixListId"), 8, FIELD_STR, AT(prefix_list_id) },
    { STR_INIT("referencedGroupInfo"), 9, FIELD_STRUCT, AT(peers), .schema = &rule_group_schema },
    { STR_INIT("description"), 10, FIELD_STR, AT(description) },
    { STR_INIT("tagSet"), 11, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT("groupId"), 0, FIELD_STR, AT(group) },
    { STR_INIT("groupOwnerId"), 0, FIELD_STR, AT(owner) },
};
#undef AT
const struct schema security_rule_schema = SCHEMA_OF("SecurityGroupRule", struct security_rule, security_rule_schema_fields);

#define AT(member) .offset = offsetof(struct kept_security_group, member)
static const struct field kept_security_group_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(vpc) },
    { STR_INIT(""), 2, FIELD_STR, AT(description) },
    { STR_INIT(""), 3, FIELD_LIST, AT(rules), .element = FIELD_STRUCT, .schema = &security_rule_schema },
};
#undef AT
const struct schema kept_security_group_record = SCHEMA_OF("security group", struct kept_security_group,
    kept_security_group_record_fields);

#define AT(member) .offset = offsetof(struct kept_vpc, member)
static const struct field kept_vpc_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(cidr) },
    { STR_INIT(""), 2, FIELD_STR, AT(tenancy) },
    { STR_INIT(""), 3, FIELD_BOOL, AT(dns_support) },
    { STR_INIT(""), 4, FIELD_BOOL, AT(dns_hostnames) },
    { STR_INIT(""), 5, FIELD_BOOL, AT(metrics) },
};
#undef AT
const struct schema kept_vpc_record = SCHEMA_OF("VPC", struct kept_vpc, kept_vpc_record_fields);

#define AT(member) .offset = offsetof(struct kept_subnet, member)
static const struct field kept_subnet_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(vpc) },
    { STR_INIT(""), 2, FIELD_STR, AT(cidr) },
    { STR_INIT(""), 3, FIELD_STR, AT(zone) },
    { STR_INIT(""), 4, FIELD_BOOL, AT(public_ip) },
};
#undef AT
const struct schema kept_subnet_record = SCHEMA_OF("subnet", struct kept_subnet, kept_subnet_record_fields);

#define AT(member) .offset = offsetof(struct kept_plain, member)
static const struct field kept_plain_record_fields[] = {
    { STR_INIT(""), 1, FIELD_ENUM, AT(kind), .names = &plain_kind_names },
    { STR_INIT(""), 2, FIELD_STR, AT(id) },
    { STR_INIT(""), 3, FIELD_STR, AT(name) },
    { STR_INIT(""), 4, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 5, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 6, FIELD_STR, AT(path) },
    { STR_INIT(""), 7, FIELD_STR, AT(description) },
    { STR_INIT(""), 8, FIELD_STR, AT(trust) },
    { STR_INIT(""), 9, FIELD_I64, AT(session_s) },
    { STR_INIT(""), 10, FIELD_STR, AT(boundary) },
    { STR_INIT(""), 11, FIELD_LIST, AT(inlined), .element = FIELD_STRUCT, .schema = &iam_policy_schema },
    { STR_INIT(""), 12, FIELD_LIST, AT(attached), .element = FIELD_STR },
    { STR_INIT(""), 13, FIELD_LIST, AT(roles), .element = FIELD_STR },
    { STR_INIT(""), 14, FIELD_STRUCT, AT(group), .schema = &kept_security_group_record },
    { STR_INIT(""), 15, FIELD_STRUCT, AT(vpc), .schema = &kept_vpc_record },
    { STR_INIT(""), 16, FIELD_STRUCT, AT(subnet), .schema = &kept_subnet_record },
};
#undef AT
const struct schema kept_plain_record = SCHEMA_OF("plain record", struct kept_plain, kept_plain_record_fields);
