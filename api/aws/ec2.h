/* ec2.h: inputs and outputs of the operations of EC2 that Berth serves, noun by noun. Members of requests begin with a capital
 * letter, those of answers do not; lists of answers are called …Set. Written by tools/shapes from api/aws/ec2.shapes. */
#ifndef BERTH_API_AWS_EC2_H
#define BERTH_API_AWS_EC2_H

#include "api/schemas/upper_tag.h"
#include "model/records/plain.h"

struct ec2_filter {
    struct str name;
    struct str_list value;
};
struct ec2_filter_list { struct ec2_filter *items; size_t count; };
extern const struct schema ec2_filter_schema;

struct tag_specification {
    struct str resource_type;
    struct tag_list tags;
};
struct tag_specification_list { struct tag_specification *items; size_t count; };
extern const struct schema tag_specification_schema;

struct bool_value {
    enum opt_bool value;
};
struct bool_value_list { struct bool_value *items; size_t count; };
extern const struct schema bool_value_schema;

struct shown_bool {
    enum opt_bool value;
};
struct shown_bool_list { struct shown_bool *items; size_t count; };
extern const struct schema shown_bool_schema;

struct tags_request {
    struct str_list ids;
    struct tag_list tags;
};
struct tags_request_list { struct tags_request *items; size_t count; };
extern const struct schema tags_request_schema;

struct filters_request {
    struct ec2_filter_list filters;
};
struct filters_request_list { struct filters_request *items; size_t count; };
extern const struct schema filters_request_schema;

struct tag_description {
    struct str key;
    struct str value;
    struct str resource_id;
    struct str resource_type;
};
struct tag_description_list { struct tag_description *items; size_t count; };
extern const struct schema tag_description_schema;

struct describe_tags_response {
    struct tag_description_list tags;
};
struct describe_tags_response_list { struct describe_tags_response *items; size_t count; };
extern const struct schema describe_tags_response_schema;

struct ip_range {
    struct str cidr_ip;
    struct str description;
};
struct ip_range_list { struct ip_range *items; size_t count; };
extern const struct schema ip_range_schema;

extern const struct schema ip_range_request_schema;

struct ipv6_range {
    struct str cidr_ipv6;
    struct str description;
};
struct ipv6_range_list { struct ipv6_range *items; size_t count; };
extern const struct schema ipv6_range_schema;

extern const struct schema ipv6_range_request_schema;

struct prefix_list_id {
    struct str prefix_list_id;
    struct str description;
};
struct prefix_list_id_list { struct prefix_list_id *items; size_t count; };
extern const struct schema prefix_list_id_schema;

extern const struct schema prefix_list_id_request_schema;

struct group_pair {
    struct str user_id;
    struct str group_id;
    struct str description;
};
struct group_pair_list { struct group_pair *items; size_t count; };
extern const struct schema group_pair_schema;

extern const struct schema group_pair_request_schema;

struct ip_permission {
    struct str protocol;
    struct opt_int from_port;
    struct opt_int to_port;
    struct group_pair_list groups;
    struct ip_range_list ip_ranges;
    struct ipv6_range_list ipv6_ranges;
    struct prefix_list_id_list prefix_lists;
};
struct ip_permission_list { struct ip_permission *items; size_t count; };
extern const struct schema ip_permission_schema;

extern const struct schema ip_permission_request_schema;

struct security_group {
    struct str owner_id;
    struct str group_name;
    struct str group_description;
    struct ip_permission_list ingress;
    struct str group_id;
    struct ip_permission_list egress;
    struct tag_list tags;
    struct str vpc_id;
    struct str security_group_arn;
};
struct security_group_list { struct security_group *items; size_t count; };
extern const struct schema security_group_schema;

struct create_group_request {
    struct str group_name;
    struct str description;
    struct str vpc_id;
    struct tag_specification_list tags;
};
struct create_group_request_list { struct create_group_request *items; size_t count; };
extern const struct schema create_group_request_schema;

struct create_group_response {
    struct str group_id;
    struct tag_list tags;
    struct str security_group_arn;
};
struct create_group_response_list { struct create_group_response *items; size_t count; };
extern const struct schema create_group_response_schema;

struct security_group_request {
    struct str group_id;
    struct str group_name;
};
struct security_group_request_list { struct security_group_request *items; size_t count; };
extern const struct schema security_group_request_schema;

struct describe_groups_request {
    struct str_list ids;
    struct str_list names;
    struct ec2_filter_list filters;
};
struct describe_groups_request_list { struct describe_groups_request *items; size_t count; };
extern const struct schema describe_groups_request_schema;

struct describe_groups_response {
    struct security_group_list groups;
};
struct describe_groups_response_list { struct describe_groups_response *items; size_t count; };
extern const struct schema describe_groups_response_schema;

struct permissions_request {
    struct str group_id;
    struct ip_permission_list permissions;
    struct tag_specification_list tags;
    struct str_list rules;
};
struct permissions_request_list { struct permissions_request *items; size_t count; };
extern const struct schema permissions_request_schema;

struct security_rules_response {
    enum opt_bool good;
    struct security_rule_list rules;
};
struct security_rules_response_list { struct security_rules_response *items; size_t count; };
extern const struct schema security_rules_response_schema;

struct describe_security_rules_request {
    struct str_list ids;
    struct ec2_filter_list filters;
};
struct describe_security_rules_request_list { struct describe_security_rules_request *items; size_t count; };
extern const struct schema describe_security_rules_request_schema;

struct security_rule_request {
    struct str protocol;
    struct opt_int from_port;
    struct opt_int to_port;
    struct str cidr_ipv4;
    struct str cidr_ipv6;
    struct str prefix_list_id;
    struct str group;
    struct str description;
};
struct security_rule_request_list { struct security_rule_request *items; size_t count; };
extern const struct schema security_rule_request_schema;

struct rule_update {
    struct str id;
    struct security_rule_request *rule;
};
struct rule_update_list { struct rule_update *items; size_t count; };
extern const struct schema rule_update_schema;

struct modify_rules_request {
    struct str group_id;
    struct rule_update_list updates;
};
struct modify_rules_request_list { struct modify_rules_request *items; size_t count; };
extern const struct schema modify_rules_request_schema;

struct vpc {
    struct str vpc_id;
    struct str owner_id;
    struct str state;
    struct str cidr_block;
    struct str dhcp_options_id;
    struct tag_list tags;
    struct str instance_tenancy;
    enum opt_bool is_default;
};
struct vpc_list { struct vpc *items; size_t count; };
extern const struct schema vpc_schema;

struct create_vpc_request {
    struct str cidr_block;
    struct str instance_tenancy;
    struct tag_specification_list tags;
    enum opt_bool ipv6;
};
struct create_vpc_request_list { struct create_vpc_request *items; size_t count; };
extern const struct schema create_vpc_request_schema;

struct vpc_response {
    struct vpc *vpc;
};
struct vpc_response_list { struct vpc_response *items; size_t count; };
extern const struct schema vpc_response_schema;

struct vpc_request {
    struct str vpc_id;
    struct str attribute;
};
struct vpc_request_list { struct vpc_request *items; size_t count; };
extern const struct schema vpc_request_schema;

struct describe_vpcs_request {
    struct str_list ids;
    struct ec2_filter_list filters;
};
struct describe_vpcs_request_list { struct describe_vpcs_request *items; size_t count; };
extern const struct schema describe_vpcs_request_schema;

struct describe_vpcs_response {
    struct vpc_list vpcs;
};
struct describe_vpcs_response_list { struct describe_vpcs_response *items; size_t count; };
extern const struct schema describe_vpcs_response_schema;

struct modify_vpc_request {
    struct str vpc_id;
    struct bool_value *dns_support;
    struct bool_value *dns_hostnames;
    struct bool_value *metrics;
};
struct modify_vpc_request_list { struct modify_vpc_request *items; size_t count; };
extern const struct schema modify_vpc_request_schema;

struct vpc_attribute_response {
    struct str vpc_id;
    struct shown_bool *dns_support;
    struct shown_bool *dns_hostnames;
    struct shown_bool *metrics;
};
struct vpc_attribute_response_list { struct vpc_attribute_response *items; size_t count; };
extern const struct schema vpc_attribute_response_schema;

struct subnet {
    struct str subnet_id;
    struct str subnet_arn;
    struct str owner_id;
    struct str state;
    struct str vpc_id;
    struct str cidr_block;
    struct opt_int available_ip_address_count;
    struct str availability_zone;
    enum opt_bool default_for_az;
    enum opt_bool map_public_ip_on_launch;
    enum opt_bool assign_ipv6_address_on_creation;
    struct tag_list tags;
};
struct subnet_list { struct subnet *items; size_t count; };
extern const struct schema subnet_schema;

struct create_subnet_request {
    struct str vpc_id;
    struct str cidr_block;
    struct str availability_zone;
    struct tag_specification_list tags;
};
struct create_subnet_request_list { struct create_subnet_request *items; size_t count; };
extern const struct schema create_subnet_request_schema;

struct subnet_response {
    struct subnet *subnet;
};
struct subnet_response_list { struct subnet_response *items; size_t count; };
extern const struct schema subnet_response_schema;

struct subnet_request {
    struct str subnet_id;
};
struct subnet_request_list { struct subnet_request *items; size_t count; };
extern const struct schema subnet_request_schema;

struct describe_subnets_request {
    struct str_list ids;
    struct ec2_filter_list filters;
};
struct describe_subnets_request_list { struct describe_subnets_request *items; size_t count; };
extern const struct schema describe_subnets_request_schema;

struct describe_subnets_response {
    struct subnet_list subnets;
};
struct describe_subnets_response_list { struct describe_subnets_response *items; size_t count; };
extern const struct schema describe_subnets_response_schema;

struct modify_subnet_request {
    struct str subnet_id;
    struct bool_value *public_ip;
};
struct modify_subnet_request_list { struct modify_subnet_request *items; size_t count; };
extern const struct schema modify_subnet_request_schema;

struct availability_zone {
    struct str zone_name;
    struct str zone_state;
    struct str region_name;
    struct str zone_id;
    struct str zone_type;
    struct str opt_in_status;
};
struct availability_zone_list { struct availability_zone *items; size_t count; };
extern const struct schema availability_zone_schema;

struct describe_zones_request {
    struct str_list names;
    struct ec2_filter_list filters;
    enum opt_bool all;
};
struct describe_zones_request_list { struct describe_zones_request *items; size_t count; };
extern const struct schema describe_zones_request_schema;

struct describe_zones_response {
    struct availability_zone_list zones;
};
struct describe_zones_response_list { struct describe_zones_response *items; size_t count; };
extern const struct schema describe_zones_response_schema;

struct nothing_found {
    struct str_list items;
};
struct nothing_found_list { struct nothing_found *items; size_t count; };
extern const struct schema nothing_found_schema;

extern const struct schema acls_found_schema;

extern const struct schema route_tables_found_schema;

#endif
