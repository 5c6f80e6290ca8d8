/* elbv2.h: inputs and outputs of the operations of Elastic Load Balancing (version 2) that Berth serves, noun by noun. Written by
 * tools/shapes from api/aws/elbv2.shapes. */
#ifndef BERTH_API_AWS_ELBV2_H
#define BERTH_API_AWS_ELBV2_H

#include "api/schemas/upper_tag.h"
#include "model/traffic.h"

struct create_target_group_request {
    struct target_group group;
    struct tag_list tags;
};
struct create_target_group_request_list { struct create_target_group_request *items; size_t count; };
extern const struct schema create_target_group_request_schema;

struct modify_target_group_request {
    struct target_group group;
};
struct modify_target_group_request_list { struct modify_target_group_request *items; size_t count; };
extern const struct schema modify_target_group_request_schema;

struct describe_target_groups_request {
    struct str load_balancer_arn;
    struct str_list target_group_arns;
    struct str_list names;
    struct str marker;
    struct opt_int page_size;
};
struct describe_target_groups_request_list { struct describe_target_groups_request *items; size_t count; };
extern const struct schema describe_target_groups_request_schema;

struct target_groups_response {
    struct target_group_list target_groups;
    struct str next_marker;
};
struct target_groups_response_list { struct target_groups_response *items; size_t count; };
extern const struct schema target_groups_response_schema;

struct group_request {
    struct str target_group_arn;
};
struct group_request_list { struct group_request *items; size_t count; };
extern const struct schema group_request_schema;

struct modify_group_attributes_request {
    struct str target_group_arn;
    struct elb_pair_list attributes;
};
struct modify_group_attributes_request_list { struct modify_group_attributes_request *items; size_t count; };
extern const struct schema modify_group_attributes_request_schema;

struct attributes_response {
    struct elb_pair_list attributes;
};
struct attributes_response_list { struct attributes_response *items; size_t count; };
extern const struct schema attributes_response_schema;

struct target_description {
    struct str id;
    struct opt_int port;
    struct str availability_zone;
};
struct target_description_list { struct target_description *items; size_t count; };
extern const struct schema target_description_schema;

struct targets_request {
    struct str target_group_arn;
    struct target_description_list targets;
};
struct targets_request_list { struct targets_request *items; size_t count; };
extern const struct schema targets_request_schema;

struct describe_target_health_request {
    struct str target_group_arn;
    struct target_description_list targets;
    struct str_list include;
};
struct describe_target_health_request_list { struct describe_target_health_request *items; size_t count; };
extern const struct schema describe_target_health_request_schema;

struct target_health {
    struct str state;
    struct str reason;
    struct str description;
};
struct target_health_list { struct target_health *items; size_t count; };
extern const struct schema target_health_schema;

struct target_health_description {
    struct target_description *target;
    struct str health_check_port;
    struct target_health *target_health;
};
struct target_health_description_list { struct target_health_description *items; size_t count; };
extern const struct schema target_health_description_schema;

struct describe_target_health_response {
    struct target_health_description_list target_health_descriptions;
};
struct describe_target_health_response_list { struct describe_target_health_response *items; size_t count; };
extern const struct schema describe_target_health_response_schema;

struct subnet_mapping {
    struct str subnet_id;
    struct str allocation_id;
    struct str private_ipv4_address;
    struct str i_pv6_address;
};
struct subnet_mapping_list { struct subnet_mapping *items; size_t count; };
extern const struct schema subnet_mapping_schema;

struct create_balancer_request {
    struct elb_balancer balancer;
    struct str_list subnets;
    struct subnet_mapping_list subnet_mappings;
    struct tag_list tags;
};
struct create_balancer_request_list { struct create_balancer_request *items; size_t count; };
extern const struct schema create_balancer_request_schema;

struct describe_balancers_request {
    struct str_list load_balancer_arns;
    struct str_list names;
    struct str marker;
    struct opt_int page_size;
};
struct describe_balancers_request_list { struct describe_balancers_request *items; size_t count; };
extern const struct schema describe_balancers_request_schema;

struct balancers_response {
    struct elb_balancer_list load_balancers;
    struct str next_marker;
};
struct balancers_response_list { struct balancers_response *items; size_t count; };
extern const struct schema balancers_response_schema;

struct balancer_request {
    struct str load_balancer_arn;
};
struct balancer_request_list { struct balancer_request *items; size_t count; };
extern const struct schema balancer_request_schema;

struct modify_balancer_attributes_request {
    struct str load_balancer_arn;
    struct elb_pair_list attributes;
};
struct modify_balancer_attributes_request_list { struct modify_balancer_attributes_request *items; size_t count; };
extern const struct schema modify_balancer_attributes_request_schema;

struct set_security_groups_request {
    struct str load_balancer_arn;
    struct str_list security_groups;
};
struct set_security_groups_request_list { struct set_security_groups_request *items; size_t count; };
extern const struct schema set_security_groups_request_schema;

struct set_security_groups_response {
    struct str_list security_group_ids;
};
struct set_security_groups_response_list { struct set_security_groups_response *items; size_t count; };
extern const struct schema set_security_groups_response_schema;

struct set_subnets_request {
    struct str load_balancer_arn;
    struct str_list subnets;
    struct subnet_mapping_list subnet_mappings;
    enum elb_address_type ip_address_type;
};
struct set_subnets_request_list { struct set_subnets_request *items; size_t count; };
extern const struct schema set_subnets_request_schema;

struct set_subnets_response {
    struct elb_zone_list availability_zones;
    enum elb_address_type ip_address_type;
};
struct set_subnets_response_list { struct set_subnets_response *items; size_t count; };
extern const struct schema set_subnets_response_schema;

struct set_ip_address_type_request {
    struct str load_balancer_arn;
    enum elb_address_type ip_address_type;
};
struct set_ip_address_type_request_list { struct set_ip_address_type_request *items; size_t count; };
extern const struct schema set_ip_address_type_request_schema;

struct set_ip_address_type_response {
    enum elb_address_type ip_address_type;
};
struct set_ip_address_type_response_list { struct set_ip_address_type_response *items; size_t count; };
extern const struct schema set_ip_address_type_response_schema;

struct create_listener_request {
    struct elb_listener listener;
    struct tag_list tags;
};
struct create_listener_request_list { struct create_listener_request *items; size_t count; };
extern const struct schema create_listener_request_schema;

struct modify_listener_request {
    struct elb_listener listener;
};
struct modify_listener_request_list { struct modify_listener_request *items; size_t count; };
extern const struct schema modify_listener_request_schema;

struct describe_listeners_request {
    struct str load_balancer_arn;
    struct str_list listener_arns;
    struct str marker;
    struct opt_int page_size;
};
struct describe_listeners_request_list { struct describe_listeners_request *items; size_t count; };
extern const struct schema describe_listeners_request_schema;

struct listeners_response {
    struct elb_listener_list listeners;
    struct str next_marker;
};
struct listeners_response_list { struct listeners_response *items; size_t count; };
extern const struct schema listeners_response_schema;

struct listener_request {
    struct str listener_arn;
};
struct listener_request_list { struct listener_request *items; size_t count; };
extern const struct schema listener_request_schema;

struct modify_listener_attributes_request {
    struct str listener_arn;
    struct elb_pair_list attributes;
};
struct modify_listener_attributes_request_list { struct modify_listener_attributes_request *items; size_t count; };
extern const struct schema modify_listener_attributes_request_schema;

struct listener_certificates_request {
    struct str listener_arn;
    struct elb_certificate_list certificates;
};
struct listener_certificates_request_list { struct listener_certificates_request *items; size_t count; };
extern const struct schema listener_certificates_request_schema;

struct describe_certificates_request {
    struct str listener_arn;
    struct str marker;
    struct opt_int page_size;
};
struct describe_certificates_request_list { struct describe_certificates_request *items; size_t count; };
extern const struct schema describe_certificates_request_schema;

struct certificates_response {
    struct elb_certificate_list certificates;
    struct str next_marker;
};
struct certificates_response_list { struct certificates_response *items; size_t count; };
extern const struct schema certificates_response_schema;

struct create_rule_request {
    struct elb_rule rule;
    struct str listener_arn;
    struct opt_int priority;
    struct tag_list tags;
};
struct create_rule_request_list { struct create_rule_request *items; size_t count; };
extern const struct schema create_rule_request_schema;

struct modify_rule_request {
    struct elb_rule rule;
};
struct modify_rule_request_list { struct modify_rule_request *items; size_t count; };
extern const struct schema modify_rule_request_schema;

struct describe_rules_request {
    struct str listener_arn;
    struct str_list rule_arns;
    struct str marker;
    struct opt_int page_size;
};
struct describe_rules_request_list { struct describe_rules_request *items; size_t count; };
extern const struct schema describe_rules_request_schema;

struct rules_response {
    struct elb_rule_list rules;
    struct str next_marker;
};
struct rules_response_list { struct rules_response *items; size_t count; };
extern const struct schema rules_response_schema;

struct elb_rule_request {
    struct str rule_arn;
};
struct elb_rule_request_list { struct elb_rule_request *items; size_t count; };
extern const struct schema elb_rule_request_schema;

struct rule_priority {
    struct str rule_arn;
    struct opt_int priority;
};
struct rule_priority_list { struct rule_priority *items; size_t count; };
extern const struct schema rule_priority_schema;

struct set_rule_priorities_request {
    struct rule_priority_list rule_priorities;
};
struct set_rule_priorities_request_list { struct set_rule_priorities_request *items; size_t count; };
extern const struct schema set_rule_priorities_request_schema;

struct add_elb_tags_request {
    struct str_list resource_arns;
    struct tag_list tags;
};
struct add_elb_tags_request_list { struct add_elb_tags_request *items; size_t count; };
extern const struct schema add_elb_tags_request_schema;

struct remove_elb_tags_request {
    struct str_list resource_arns;
    struct str_list tag_keys;
};
struct remove_elb_tags_request_list { struct remove_elb_tags_request *items; size_t count; };
extern const struct schema remove_elb_tags_request_schema;

struct describe_elb_tags_request {
    struct str_list resource_arns;
};
struct describe_elb_tags_request_list { struct describe_elb_tags_request *items; size_t count; };
extern const struct schema describe_elb_tags_request_schema;

struct elb_tag_description {
    struct str resource_arn;
    struct tag_list tags;
};
struct elb_tag_description_list { struct elb_tag_description *items; size_t count; };
extern const struct schema elb_tag_description_schema;

struct describe_elb_tags_response {
    struct elb_tag_description_list tag_descriptions;
};
struct describe_elb_tags_response_list { struct describe_elb_tags_response *items; size_t count; };
extern const struct schema describe_elb_tags_response_schema;

struct elb_limit {
    struct str name;
    struct str max;
};
struct elb_limit_list { struct elb_limit *items; size_t count; };
extern const struct schema elb_limit_schema;

struct describe_limits_response {
    struct elb_limit_list limits;
};
struct describe_limits_response_list { struct describe_limits_response *items; size_t count; };
extern const struct schema describe_limits_response_schema;

struct no_elb_request {
    struct str marker;
    struct opt_int page_size;
};
struct no_elb_request_list { struct no_elb_request *items; size_t count; };
extern const struct schema no_elb_request_schema;

struct ssl_policy {
    struct str_list ssl_protocols;
    struct str name;
    struct str_list supported_load_balancer_types;
};
struct ssl_policy_list { struct ssl_policy *items; size_t count; };
extern const struct schema ssl_policy_schema;

struct ssl_policies_request {
    struct str_list names;
    struct str marker;
    struct opt_int page_size;
    enum elb_balancer_type load_balancer_type;
};
struct ssl_policies_request_list { struct ssl_policies_request *items; size_t count; };
extern const struct schema ssl_policies_request_schema;

struct ssl_policies_response {
    struct ssl_policy_list ssl_policies;
    struct str next_marker;
};
struct ssl_policies_response_list { struct ssl_policies_response *items; size_t count; };
extern const struct schema ssl_policies_response_schema;

#endif
