/* Written by tools/shapes from api/aws/ec2.shapes. */
#include "api/aws/ec2.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct ec2_filter, member)
static const struct field ec2_filter_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 255 },
    { STR_INIT("Value"), 2, FIELD_LIST, AT(value), .element = FIELD_STR, .max = 200 },
};
#undef AT
const struct schema ec2_filter_schema = SCHEMA_OF("Filter", struct ec2_filter, ec2_filter_schema_fields);

#define AT(member) .offset = offsetof(struct tag_specification, member)
static const struct field tag_specification_schema_fields[] = {
    { STR_INIT("ResourceType"), 1, FIELD_STR, AT(resource_type), .min = 1, .max = 128 },
    { STR_INIT("Tag"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 50 },
};
#undef AT
const struct schema tag_specification_schema = SCHEMA_OF("TagSpecification", struct tag_specification,
    tag_specification_schema_fields);

#define AT(member) .offset = offsetof(struct bool_value, member)
static const struct field bool_value_schema_fields[] = {
    { STR_INIT("Value"), 1, FIELD_BOOL, AT(value) },
};
#undef AT
const struct schema bool_value_schema = SCHEMA_OF("AttributeBooleanValue", struct bool_value, bool_value_schema_fields);

#define AT(member) .offset = offsetof(struct shown_bool, member)
static const struct field shown_bool_schema_fields[] = {
    { STR_INIT("value"), 1, FIELD_BOOL, AT(value), .always = true },
};
#undef AT
const struct schema shown_bool_schema = SCHEMA_OF("AttributeBooleanValue", struct shown_bool, shown_bool_schema_fields);

#define AT(member) .offset = offsetof(struct tags_request, member)
static const struct field tags_request_schema_fields[] = {
    { STR_INIT("ResourceId"), 1, FIELD_LIST, AT(ids), .element = FIELD_STR, .min = 1, .max = 1000, .required = true },
    { STR_INIT("Tag"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 50 },
};
#undef AT
const struct schema tags_request_schema = SCHEMA_OF("CreateTagsRequest", struct tags_request, tags_request_schema_fields);

#define AT(member) .offset = offsetof(struct filters_request, member)
static const struct field filters_request_schema_fields[] = {
    { STR_INIT("Filter"), 1, FIELD_LIST, AT(filters), .element = FIELD_STRUCT, .schema = &ec2_filter_schema, .max = 200 },
};
#undef AT
const struct schema filters_request_schema = SCHEMA_OF("DescribeTagsRequest", struct filters_request,
    filters_request_schema_fields);

#define AT(member) .offset = offsetof(struct tag_description, member)
static const struct field tag_description_schema_fields[] = {
    { STR_INIT("key"), 1, FIELD_STR, AT(key) },
    { STR_INIT("value"), 2, FIELD_STR, AT(value) },
    { STR_INIT("resourceId"), 3, FIELD_STR, AT(resource_id) },
    { STR_INIT("resourceType"), 4, FIELD_STR, AT(resource_type) },
};
#undef AT
const struct schema tag_description_schema = SCHEMA_OF("TagDescription", struct tag_description, tag_description_schema_fields);

#define AT(member) .offset = offsetof(struct describe_tags_response, member)
static const struct field describe_tags_response_schema_fields[] = {
    { STR_INIT("tagSet"), 1, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_description_schema },
};
#undef AT
const struct schema describe_tags_response_schema = SCHEMA_OF("DescribeTagsResult", struct describe_tags_response,
    describe_tags_response_schema_fields);

#define AT(member) .offset = offsetof(struct ip_range, member)
static const struct field ip_range_schema_fields[] = {
    { STR_INIT("cidrIp"), 1, FIELD_STR, AT(cidr_ip) },
    { STR_INIT("description"), 2, FIELD_STR, AT(description) },
};
#undef AT
const struct schema ip_range_schema = SCHEMA_OF("IpRange", struct ip_range, ip_range_schema_fields);

#define AT(member) .offset = offsetof(struct ip_range, member)
static const struct field ip_range_request_schema_fields[] = {
    { STR_INIT("CidrIp"), 1, FIELD_STR, AT(cidr_ip), .min = 1, .max = 18 },
    { STR_INIT("Description"), 2, FIELD_STR, AT(description), .max = 255 },
};
#undef AT
const struct schema ip_range_request_schema = SCHEMA_OF("IpRange", struct ip_range, ip_range_request_schema_fields);

#define AT(member) .offset = offsetof(struct ipv6_range, member)
static const struct field ipv6_range_schema_fields[] = {
    { STR_INIT("cidrIpv6"), 1, FIELD_STR, AT(cidr_ipv6) },
    { STR_INIT("description"), 2, FIELD_STR, AT(description) },
};
#undef AT
const struct schema ipv6_range_schema = SCHEMA_OF("Ipv6Range", struct ipv6_range, ipv6_range_schema_fields);

#define AT(member) .offset = offsetof(struct ipv6_range, member)
static const struct field ipv6_range_request_schema_fields[] = {
    { STR_INIT("CidrIpv6"), 1, FIELD_STR, AT(cidr_ipv6), .min = 1, .max = 43 },
    { STR_INIT("Description"), 2, FIELD_STR, AT(description), .max = 255 },
};
#undef AT
const struct schema ipv6_range_request_schema = SCHEMA_OF("Ipv6Range", struct ipv6_range, ipv6_range_request_schema_fields);

#define AT(member) .offset = offsetof(struct prefix_list_id, member)
static const struct field prefix_list_id_schema_fields[] = {
    { STR_INIT("prefixListId"), 1, FIELD_STR, AT(prefix_list_id) },
    { STR_INIT("description"), 2, FIELD_STR, AT(description) },
};
#undef AT
const struct schema prefix_list_id_schema = SCHEMA_OF("PrefixListId", struct prefix_list_id, prefix_list_id_schema_fields);

#define AT(member) .offset = offsetof(struct prefix_list_id, member)
static const struct field prefix_list_id_request_schema_fields[] = {
    { STR_INIT("PrefixListId"), 1, FIELD_STR, AT(prefix_list_id), .min = 1, .max = 64 },
    { STR_INIT("Description"), 2, FIELD_STR, AT(description), .max = 255 },
};
#undef AT
const struct schema prefix_list_id_request_schema = SCHEMA_OF("PrefixListId", struct prefix_list_id,
    prefix_list_id_request_schema_fields);

#define AT(member) .offset = offsetof(struct group_pair, member)
static const struct field group_pair_schema_fields[] = {
    { STR_INIT("userId"), 1, FIELD_STR, AT(user_id) },
    { STR_INIT("groupId"), 2, FIELD_STR, AT(group_id) },
    { STR_INIT("description"), 3, FIELD_STR, AT(description) },
};
#undef AT
const struct schema group_pair_schema = SCHEMA_OF("UserIdGroupPair", struct group_pair, group_pair_schema_fields);

#define AT(member) .offset = offsetof(struct group_pair, member)
static const struct field group_pair_request_schema_fields[] = {
    { STR_INIT("UserId"), 1, FIELD_STR, AT(user_id), .max = 64 },
    { STR_INIT("GroupId"), 2, FIELD_STR, AT(group_id), .min = 1, .max = 64 },
    { STR_INIT("Description"), 3, FIELD_STR, AT(description), .max = 255 },
};
#undef AT
const struct schema group_pair_request_schema = SCHEMA_OF("UserIdGroupPair", struct group_pair, group_pair_request_schema_fields);

#define AT(member) .offset = offsetof(struct ip_permission, member)
static const struct field ip_permission_schema_fields[] = {
    { STR_INIT("ipProtocol"), 1, FIELD_STR, AT(protocol) },
    { STR_INIT("fromPort"), 2, FIELD_INT, AT(from_port) },
    { STR_INIT("toPort"), 3, FIELD_INT, AT(to_port) },
    { STR_INIT("groups"), 4, FIELD_LIST, AT(groups), .element = FIELD_STRUCT, .schema = &group_pair_schema },
    { STR_INIT("ipRanges"), 5, FIELD_LIST, AT(ip_ranges), .element = FIELD_STRUCT, .schema = &ip_range_schema },
    { STR_INIT("ipv6Ranges"), 6, FIELD_LIST, AT(ipv6_ranges), .element = FIELD_STRUCT, .schema = &ipv6_range_schema },
    { STR_INIT("prefixListIds"), 7, FIELD_LIST, AT(prefix_lists), .element = FIELD_STRUCT, .schema = &prefix_list_id_schema },
};
#undef AT
const struct schema ip_permission_schema = SCHEMA_OF("IpPermission", struct ip_permission, ip_permission_schema_fields);

#define AT(member) .offset = offsetof(struct ip_permission, member)
static const struct field ip_permission_request_schema_fields[] = {
    { STR_INIT("IpProtocol"), 1, FIELD_STR, AT(protocol), .min = 1, .max = 16, .required = true },
    { STR_INIT("FromPort"), 2, FIELD_INT, AT(from_port) },
    { STR_INIT("ToPort"), 3, FIELD_INT, AT(to_port) },
    { STR_INIT("Groups"), 4, FIELD_LIST, AT(groups), .element = FIELD_STRUCT, .schema = &group_pair_request_schema, .max = 60 },
    { STR_INIT("IpRanges"), 5, FIELD_LIST, AT(ip_ranges), .element = FIELD_STRUCT, .schema = &ip_range_request_schema,
      .max = 60 },
    { STR_INIT("Ipv6Ranges"), 6, FIELD_LIST, AT(ipv6_ranges), .element = FIELD_STRUCT, .schema = &ipv6_range_request_schema,
      .max = 60 },
    { STR_INIT("PrefixListIds"), 7, FIELD_LIST, AT(prefix_lists), .element = FIELD_STRUCT,
      .schema = &prefix_list_id_request_schema, .max = 60 },
};
#undef AT
const struct schema ip_permission_request_schema = SCHEMA_OF("IpPermission", struct ip_permission,
    ip_permission_request_schema_fields);

#define AT(member) .offset = offsetof(struct security_group, member)
static const struct field security_group_schema_fields[] = {
    { STR_INIT("ownerId"), 1, FIELD_STR, AT(owner_id) },
    { STR_INIT("groupName"), 2, FIELD_STR, AT(group_name) },
    { STR_INIT("groupDescription"), 3, FIELD_STR, AT(group_description) },
    { STR_INIT("ipPermissions"), 4, FIELD_LIST, AT(ingress), .element = FIELD_STRUCT, .schema = &ip_permission_schema },
    { STR_INIT("groupId"), 5, FIELD_STR, AT(group_id) },
    { STR_INIT("ipPermissionsEgress"), 6, FIELD_LIST, AT(egress), .element = FIELD_STRUCT, .schema = &ip_permission_schema },
    { STR_INIT("tagSet"), 7, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT("vpcId"), 8, FIELD_STR, AT(vpc_id) },
    { STR_INIT("securityGroupArn"), 9, FIELD_STR, AT(security_group_arn) },
};
#undef AT
const struct schema security_group_schema = SCHEMA_OF("SecurityGroup", struct security_group, security_group_schema_fields);

#define AT(member) .offset = offsetof(struct create_group_request, member)
static const struct field create_group_request_schema_fields[] = {
    { STR_INIT("GroupName"), 1, FIELD_STR, AT(group_name), .min = 1, .max = 255, .required = true },
    { STR_INIT("GroupDescription"), 2, FIELD_STR, AT(description), .max = 255, .required = true },
    { STR_INIT("VpcId"), 3, FIELD_STR, AT(vpc_id), .max = 64 },
    { STR_INIT("TagSpecification"), 4, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_specification_schema,
      .max = 10 },
};
#undef AT
const struct schema create_group_request_schema = SCHEMA_OF("CreateSecurityGroupRequest", struct create_group_request,
    create_group_request_schema_fields);

#define AT(member) .offset = offsetof(struct create_group_response, member)
static const struct field create_group_response_schema_fields[] = {
    { STR_INIT("groupId"), 1, FIELD_STR, AT(group_id) },
    { STR_INIT("tagSet"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT("securityGroupArn"), 3, FIELD_STR, AT(security_group_arn) },
};
#undef AT
const struct schema create_group_response_schema = SCHEMA_OF("CreateSecurityGroupResult", struct create_group_response,
    create_group_response_schema_fields);

#define AT(member) .offset = offsetof(struct security_group_request, member)
static const struct field security_group_request_schema_fields[] = {
    { STR_INIT("GroupId"), 1, FIELD_STR, AT(group_id), .max = 64 },
    { STR_INIT("GroupName"), 2, FIELD_STR, AT(group_name), .max = 255 },
};
#undef AT
const struct schema security_group_request_schema = SCHEMA_OF("DeleteSecurityGroupRequest", struct security_group_request,
    security_group_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_groups_request, member)
static const struct field describe_groups_request_schema_fields[] = {
    { STR_INIT("GroupId"), 1, FIELD_LIST, AT(ids), .element = FIELD_STR, .max = 1000 },
    { STR_INIT("GroupName"), 2, FIELD_LIST, AT(names), .element = FIELD_STR, .max = 1000 },
    { STR_INIT("Filter"), 3, FIELD_LIST, AT(filters), .element = FIELD_STRUCT, .schema = &ec2_filter_schema, .max = 200 },
};
#undef AT
const struct schema describe_groups_request_schema = SCHEMA_OF("DescribeSecurityGroupsRequest", struct describe_groups_request,
    describe_groups_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_groups_response, member)
static const struct field describe_groups_response_schema_fields[] = {
    { STR_INIT("securityGroupInfo"), 1, FIELD_LIST, AT(groups), .element = FIELD_STRUCT, .schema = &security_group_schema },
};
#undef AT
const struct schema describe_groups_response_schema = SCHEMA_OF("DescribeSecurityGroupsResult", struct describe_groups_response,
    describe_groups_response_schema_fields);

#define AT(member) .offset = offsetof(struct permissions_request, member)
static const struct field permissions_request_schema_fields[] = {
    { STR_INIT("GroupId"), 1, FIELD_STR, AT(group_id), .min = 1, .max = 64, .required = true },
    { STR_INIT("IpPermissions"), 2, FIELD_LIST, AT(permissions), .element = FIELD_STRUCT, .schema = &ip_permission_request_schema,
      .max = 60 },
    { STR_INIT("TagSpecification"), 3, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_specification_schema,
      .max = 10 },
    { STR_INIT("SecurityGroupRuleId"), 4, FIELD_LIST, AT(rules), .element = FIELD_STR, .max = 120 },
};
#undef AT
const struct schema permissions_request_schema = SCHEMA_OF("AuthorizeSecurityGroupIngressRequest", struct permissions_request,
    permissions_request_schema_fields);

#define AT(member) .offset = offsetof(struct security_rules_response, member)
static const struct field security_rules_response_schema_fields[] = {
    { STR_INIT("return"), 1, FIELD_BOOL, AT(good), .always = true },
    { STR_INIT("securityGroupRuleSet"), 2, FIELD_LIST, AT(rules), .element = FIELD_STRUCT, .schema = &security_rule_schema },
};
#undef AT
const struct schema security_rules_response_schema = SCHEMA_OF("AuthorizeSecurityGroupIngressResult",
    struct security_rules_response, security_rules_response_schema_fields);

#define AT(member) .offset = offsetof(struct describe_security_rules_request, member)
static const struct field describe_security_rules_request_schema_fields[] = {
    { STR_INIT("SecurityGroupRuleId"), 1, FIELD_LIST, AT(ids), .element = FIELD_STR, .max = 1000 },
    { STR_INIT("Filter"), 2, FIELD_LIST, AT(filters), .element = FIELD_STRUCT, .schema = &ec2_filter_schema, .max = 200 },
};
#undef AT
const struct schema describe_security_rules_request_schema = SCHEMA_OF("DescribeSecurityGroupRulesRequest",
    struct describe_security_rules_request, describe_security_rules_request_schema_fields);

#define AT(member) .offset = offsetof(struct security_rule_request, member)
static const struct field security_rule_request_schema_fields[] = {
    { STR_INIT("IpProtocol"), 1, FIELD_STR, AT(protocol), .min = 1, .max = 16 },
    { STR_INIT("FromPort"), 2, FIELD_INT, AT(from_port) },
    { STR_INIT("ToPort"), 3, FIELD_INT, AT(to_port) },
    { STR_INIT("CidrIpv4"), 4, FIELD_STR, AT(cidr_ipv4), .max = 18 },
    { STR_INIT("CidrIpv6"), 5, FIELD_STR, AT(cidr_ipv6), .max = 43 },
    { STR_INIT("PrefixListId"), 6, FIELD_STR, AT(prefix_list_id), .max = 64 },
    { STR_INIT("ReferencedGroupId"), 7, FIELD_STR, AT(group), .max = 64 },
    { STR_INIT("Description"), 8, FIELD_STR, AT(description), .max = 255 },
};
#undef AT
const struct schema security_rule_request_schema = SCHEMA_OF("SecurityGroupRuleRequest", struct security_rule_request,
    security_rule_request_schema_fields);

#define AT(member) .offset = offsetof(struct rule_update, member)
static const struct field rule_update_schema_fields[] = {
    { STR_INIT("SecurityGroupRuleId"), 1, FIELD_STR, AT(id), .required = true },
    { STR_INIT("SecurityGroupRule"), 2, FIELD_STRUCT, AT(rule), .schema = &security_rule_request_schema },
};
#undef AT
const struct schema rule_update_schema = SCHEMA_OF("SecurityGroupRuleUpdate", struct rule_update, rule_update_schema_fields);

#define AT(member) .offset = offsetof(struct modify_rules_request, member)
static const struct field modify_rules_request_schema_fields[] = {
    { STR_INIT("GroupId"), 1, FIELD_STR, AT(group_id), .min = 1, .max = 64, .required = true },
    { STR_INIT("SecurityGroupRule"), 2, FIELD_LIST, AT(updates), .element = FIELD_STRUCT, .schema = &rule_update_schema, .min = 1,
      .max = 120, .required = true },
};
#undef AT
const struct schema modify_rules_request_schema = SCHEMA_OF("ModifySecurityGroupRulesRequest", struct modify_rules_request,
    modify_rules_request_schema_fields);

#define AT(member) .offset = offsetof(struct vpc, member)
static const struct field vpc_schema_fields[] = {
    { STR_INIT("vpcId"), 1, FIELD_STR, AT(vpc_id) },
    { STR_INIT("ownerId"), 2, FIELD_STR, AT(owner_id) },
    { STR_INIT("state"), 3, FIELD_STR, AT(state) },
    { STR_INIT("cidrBlock"), 4, FIELD_STR, AT(cidr_block) },
    { STR_INIT("dhcpOptionsId"), 5, FIELD_STR, AT(dhcp_options_id) },
    { STR_INIT("tagSet"), 6, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT("instanceTenancy"), 7, FIELD_STR, AT(instance_tenancy) },
    { STR_INIT("isDefault"), 8, FIELD_BOOL, AT(is_default), .always = true },
};
#undef AT
const struct schema vpc_schema = SCHEMA_OF("Vpc", struct vpc, vpc_schema_fields);

#define AT(member) .offset = offsetof(struct create_vpc_request, member)
static const struct field create_vpc_request_schema_fields[] = {
    { STR_INIT("CidrBlock"), 1, FIELD_STR, AT(cidr_block), .min = 1, .max = 18, .required = true },
    { STR_INIT("InstanceTenancy"), 2, FIELD_STR, AT(instance_tenancy), .max = 16 },
    { STR_INIT("TagSpecification"), 3, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_specification_schema,
      .max = 10 },
    { STR_INIT("AmazonProvidedIpv6CidrBlock"), 4, FIELD_BOOL, AT(ipv6) },
};
#undef AT
const struct schema create_vpc_request_schema = SCHEMA_OF("CreateVpcRequest", struct create_vpc_request,
    create_vpc_request_schema_fields);

#define AT(member) .offset = offsetof(struct vpc_response, member)
static const struct field vpc_response_schema_fields[] = {
    { STR_INIT("vpc"), 1, FIELD_STRUCT, AT(vpc), .schema = &vpc_schema },
};
#undef AT
const struct schema vpc_response_schema = SCHEMA_OF("CreateVpcResult", struct vpc_response, vpc_response_schema_fields);

#define AT(member) .offset = offsetof(struct vpc_request, member)
static const struct field vpc_request_schema_fields[] = {
    { STR_INIT("VpcId"), 1, FIELD_STR, AT(vpc_id), .min = 1, .max = 64, .required = true },
    { STR_INIT("Attribute"), 2, FIELD_STR, AT(attribute), .max = 64 },
};
#undef AT
const struct schema vpc_request_schema = SCHEMA_OF("DeleteVpcRequest", struct vpc_request, vpc_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_vpcs_request, member)
static const struct field describe_vpcs_request_schema_fields[] = {
    { STR_INIT("VpcId"), 1, FIELD_LIST, AT(ids), .element = FIELD_STR, .max = 1000 },
    { STR_INIT("Filter"), 2, FIELD_LIST, AT(filters), .element = FIELD_STRUCT, .schema = &ec2_filter_schema, .max = 200 },
};
#undef AT
const struct schema describe_vpcs_request_schema = SCHEMA_OF("DescribeVpcsRequest", struct describe_vpcs_request,
    describe_vpcs_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_vpcs_response, member)
static const struct field describe_vpcs_response_schema_fields[] = {
    { STR_INIT("vpcSet"), 1, FIELD_LIST, AT(vpcs), .element = FIELD_STRUCT, .schema = &vpc_schema },
};
#undef AT
const struct schema describe_vpcs_response_schema = SCHEMA_OF("DescribeVpcsResult", struct describe_vpcs_response,
    describe_vpcs_response_schema_fields);

#define AT(member) .offset = offsetof(struct modify_vpc_request, member)
static const struct field modify_vpc_request_schema_fields[] = {
    { STR_INIT("VpcId"), 1, FIELD_STR, AT(vpc_id), .min = 1, .max = 64, .required = true },
    { STR_INIT("EnableDnsSupport"), 2, FIELD_STRUCT, AT(dns_support), .schema = &bool_value_schema },
    { STR_INIT("EnableDnsHostnames"), 3, FIELD_STRUCT, AT(dns_hostnames), .schema = &bool_value_schema },
    { STR_INIT("EnableNetworkAddressUsageMetrics"), 4, FIELD_STRUCT, AT(metrics), .schema = &bool_value_schema },
};
#undef AT
const struct schema modify_vpc_request_schema = SCHEMA_OF("ModifyVpcAttributeRequest", struct modify_vpc_request,
    modify_vpc_request_schema_fields);

#define AT(member) .offset = offsetof(struct vpc_attribute_response, member)
static const struct field vpc_attribute_response_schema_fields[] = {
    { STR_INIT("vpcId"), 1, FIELD_STR, AT(vpc_id) },
    { STR_INIT("enableDnsSupport"), 2, FIELD_STRUCT, AT(dns_support), .schema = &shown_bool_schema },
    { STR_INIT("enableDnsHostnames"), 3, FIELD_STRUCT, AT(dns_hostnames), .schema = &shown_bool_schema },
    { STR_INIT("enableNetworkAddressUsageMetrics"), 4, FIELD_STRUCT, AT(metrics), .schema = &shown_bool_schema },
};
#undef AT
const struct schema vpc_attribute_response_schema = SCHEMA_OF("DescribeVpcAttributeResult", struct vpc_attribute_response,
    vpc_attribute_response_schema_fields);

#define AT(member) .offset = offsetof(struct subnet, member)
static const struct field subnet_schema_fields[] = {
    { STR_INIT("subnetId"), 1, FIELD_STR, AT(subnet_id) },
    { STR_INIT("subnetArn"), 2, FIELD_STR, AT(subnet_arn) },
    { STR_INIT("ownerId"), 3, FIELD_STR, AT(owner_id) },
    { STR_INIT("state"), 4, FIELD_STR, AT(state) },
    { STR_INIT("vpcId"), 5, FIELD_STR, AT(vpc_id) },
    { STR_INIT("cidrBlock"), 6, FIELD_STR, AT(cidr_block) },
    { STR_INIT("availableIpAddressCount"), 7, FIELD_INT, AT(available_ip_address_count) },
    { STR_INIT("availabilityZone"), 8, FIELD_STR, AT(availability_zone) },
    { STR_INIT("defaultForAz"), 9, FIELD_BOOL, AT(default_for_az), .always = true },
    { STR_INIT("mapPublicIpOnLaunch"), 10, FIELD_BOOL, AT(map_public_ip_on_launch), .always = true },
    { STR_INIT("assignIpv6AddressOnCreation"), 11, FIELD_BOOL, AT(assign_ipv6_address_on_creation), .always = true },
    { STR_INIT("tagSet"), 12, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
};
#undef AT
const struct schema subnet_schema = SCHEMA_OF("Subnet", struct subnet, subnet_schema_fields);

#define AT(member) .offset = offsetof(struct create_subnet_request, member)
static const struct field create_subnet_request_schema_fields[] = {
    { STR_INIT("VpcId"), 1, FIELD_STR, AT(vpc_id), .min = 1, .max = 64, .required = true },
    { STR_INIT("CidrBlock"), 2, FIELD_STR, AT(cidr_block), .min = 1, .max = 18, .required = true },
    { STR_INIT("AvailabilityZone"), 3, FIELD_STR, AT(availability_zone), .max = 64 },
    { STR_INIT("TagSpecification"), 4, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_specification_schema,
      .max = 10 },
};
#undef AT
const struct schema create_subnet_request_schema = SCHEMA_OF("CreateSubnetRequest", struct create_subnet_request,
    create_subnet_request_schema_fields);

#define AT(member) .offset = offsetof(struct subnet_response, member)
static const struct field subnet_response_schema_fields[] = {
    { STR_INIT("subnet"), 1, FIELD_STRUCT, AT(subnet), .schema = &subnet_schema },
};
#undef AT
const struct schema subnet_response_schema = SCHEMA_OF("CreateSubnetResult", struct subnet_response,
    subnet_response_schema_fields);

#define AT(member) .offset = offsetof(struct subnet_request, member)
static const struct field subnet_request_schema_fields[] = {
    { STR_INIT("SubnetId"), 1, FIELD_STR, AT(subnet_id), .min = 1, .max = 64, .required = true },
};
#undef AT
const struct schema subnet_request_schema = SCHEMA_OF("DeleteSubnetRequest", struct subnet_request, subnet_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_subnets_request, member)
static const struct field describe_subnets_request_schema_fields[] = {
    { STR_INIT("SubnetId"), 1, FIELD_LIST, AT(ids), .element = FIELD_STR, .max = 1000 },
    { STR_INIT("Filter"), 2, FIELD_LIST, AT(filters), .element = FIELD_STRUCT, .schema = &ec2_filter_schema, .max = 200 },
};
#undef AT
const struct schema describe_subnets_request_schema = SCHEMA_OF("DescribeSubnetsRequest", struct describe_subnets_request,
    describe_subnets_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_subnets_response, member)
static const struct field describe_subnets_response_schema_fields[] = {
    { STR_INIT("subnetSet"), 1, FIELD_LIST, AT(subnets), .element = FIELD_STRUCT, .schema = &subnet_schema },
};
#undef AT
const struct schema describe_subnets_response_schema = SCHEMA_OF("DescribeSubnetsResult", struct describe_subnets_response,
    describe_subnets_response_schema_fields);

#define AT(member) .offset = offsetof(struct modify_subnet_request, member)
static const struct field modify_subnet_request_schema_fields[] = {
    { STR_INIT("SubnetId"), 1, FIELD_STR, AT(subnet_id), .min = 1, .max = 64, .required = true },
    { STR_INIT("MapPublicIpOnLaunch"), 2, FIELD_STRUCT, AT(public_ip), .schema = &bool_value_schema },
};
#undef AT
const struct schema modify_subnet_request_schema = SCHEMA_OF("ModifySubnetAttributeRequest", struct modify_subnet_request,
    modify_subnet_request_schema_fields);

#define AT(member) .offset = offsetof(struct availability_zone, member)
static const struct field availability_zone_schema_fields[] = {
    { STR_INIT("zoneName"), 1, FIELD_STR, AT(zone_name) },
    { STR_INIT("zoneState"), 2, FIELD_STR, AT(zone_state) },
    { STR_INIT("regionName"), 3, FIELD_STR, AT(region_name) },
    { STR_INIT("zoneId"), 4, FIELD_STR, AT(zone_id) },
    { STR_INIT("zoneType"), 5, FIELD_STR, AT(zone_type) },
    { STR_INIT("optInStatus"), 6, FIELD_STR, AT(opt_in_status) },
};
#undef AT
const struct schema availability_zone_schema = SCHEMA_OF("AvailabilityZone", struct availability_zone,
    availability_zone_schema_fields);

#define AT(member) .offset = offsetof(struct describe_zones_request, member)
static const struct field describe_zones_request_schema_fields[] = {
    { STR_INIT("ZoneName"), 1, FIELD_LIST, AT(names), .element = FIELD_STR, .max = 100 },
    { STR_INIT("Filter"), 2, FIELD_LIST, AT(filters), .element = FIELD_STRUCT, .schema = &ec2_filter_schema, .max = 200 },
    { STR_INIT("AllAvailabilityZones"), 3, FIELD_BOOL, AT(all) },
};
#undef AT
const struct schema describe_zones_request_schema = SCHEMA_OF("DescribeAvailabilityZonesRequest", struct describe_zones_request,
    describe_zones_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_zones_response, member)
static const struct field describe_zones_response_schema_fields[] = {
    { STR_INIT("availabilityZoneInfo"), 1, FIELD_LIST, AT(zones), .element = FIELD_STRUCT, .schema = &availability_zone_schema },
};
#undef AT
const struct schema describe_zones_response_schema = SCHEMA_OF("DescribeAvailabilityZonesResult", struct describe_zones_response,
    describe_zones_response_schema_fields);

#define AT(member) .offset = offsetof(struct nothing_found, member)
static const struct field nothing_found_schema_fields[] = {
    { STR_INIT("networkInterfaceSet"), 1, FIELD_LIST, AT(items), .element = FIELD_STR },
};
#undef AT
const struct schema nothing_found_schema = SCHEMA_OF("DescribeNetworkInterfacesResult", struct nothing_found,
    nothing_found_schema_fields);

#define AT(member) .offset = offsetof(struct nothing_found, member)
static const struct field acls_found_schema_fields[] = {
    { STR_INIT("networkAclSet"), 1, FIELD_LIST, AT(items), .element = FIELD_STR },
};
#undef AT
const struct schema acls_found_schema = SCHEMA_OF("DescribeNetworkAclsResult", struct nothing_found, acls_found_schema_fields);

#define AT(member) .offset = offsetof(struct nothing_found, member)
static const struct field route_tables_found_schema_fields[] = {
    { STR_INIT("routeTableSet"), 1, FIELD_LIST, AT(items), .element = FIELD_STR },
};
#undef AT
const struct schema route_tables_found_schema = SCHEMA_OF("DescribeRouteTablesResult", struct nothing_found,
    route_tables_found_schema_fields);
