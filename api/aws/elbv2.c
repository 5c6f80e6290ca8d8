/* Written by tools/shapes from api/aws/elbv2.shapes. */
#include "api/aws/elbv2.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct create_target_group_request, member)
static const struct field create_target_group_request_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(group.name), .required = true },
    { STR_INIT("Protocol"), 2, FIELD_ENUM, AT(group.protocol), .names = &elb_protocol_names },
    { STR_INIT("ProtocolVersion"), 3, FIELD_STR, AT(group.protocol_version) },
    { STR_INIT("Port"), 4, FIELD_INT, AT(group.port), .min = 1, .max = 65535 },
    { STR_INIT("VpcId"), 5, FIELD_STR, AT(group.vpc_id) },
    { STR_INIT("HealthCheckProtocol"), 6, FIELD_ENUM, AT(group.health_check_protocol), .names = &elb_protocol_names },
    { STR_INIT("HealthCheckPort"), 7, FIELD_STR, AT(group.health_check_port) },
    { STR_INIT("HealthCheckEnabled"), 8, FIELD_BOOL, AT(group.health_check_enabled) },
    { STR_INIT("HealthCheckPath"), 9, FIELD_STR, AT(group.health_check_path), .min = 1, .max = 1024 },
    { STR_INIT("HealthCheckIntervalSeconds"), 10, FIELD_INT, AT(group.health_check_interval_seconds), .min = 5, .max = 300 },
    { STR_INIT("HealthCheckTimeoutSeconds"), 11, FIELD_INT, AT(group.health_check_timeout_seconds), .min = 2, .max = 120 },
    { STR_INIT("HealthyThresholdCount"), 12, FIELD_INT, AT(group.healthy_threshold_count), .min = 2, .max = 10 },
    { STR_INIT("UnhealthyThresholdCount"), 13, FIELD_INT, AT(group.unhealthy_threshold_count), .min = 2, .max = 10 },
    { STR_INIT("Matcher"), 14, FIELD_STRUCT, AT(group.matcher), .schema = &elb_matcher_schema },
    { STR_INIT("TargetType"), 15, FIELD_ENUM, AT(group.target_type), .names = &elb_target_type_names },
    { STR_INIT("Tags"), 16, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 50 },
    { STR_INIT("IpAddressType"), 17, FIELD_ENUM, AT(group.ip_address_type), .names = &elb_address_type_names },
};
#undef AT
const struct schema create_target_group_request_schema = SCHEMA_OF("CreateTargetGroupInput", struct create_target_group_request,
    create_target_group_request_schema_fields);

#define AT(member) .offset = offsetof(struct modify_target_group_request, member)
static const struct field modify_target_group_request_schema_fields[] = {
    { STR_INIT("TargetGroupArn"), 1, FIELD_STR, AT(group.arn), .required = true },
    { STR_INIT("HealthCheckProtocol"), 2, FIELD_ENUM, AT(group.health_check_protocol), .names = &elb_protocol_names },
    { STR_INIT("HealthCheckPort"), 3, FIELD_STR, AT(group.health_check_port) },
    { STR_INIT("HealthCheckPath"), 4, FIELD_STR, AT(group.health_check_path), .min = 1, .max = 1024 },
    { STR_INIT("HealthCheckEnabled"), 5, FIELD_BOOL, AT(group.health_check_enabled) },
    { STR_INIT("HealthCheckIntervalSeconds"), 6, FIELD_INT, AT(group.health_check_interval_seconds), .min = 5, .max = 300 },
    { STR_INIT("HealthCheckTimeoutSeconds"), 7, FIELD_INT, AT(group.health_check_timeout_seconds), .min = 2, .max = 120 },
    { STR_INIT("HealthyThresholdCount"), 8, FIELD_INT, AT(group.healthy_threshold_count), .min = 2, .max = 10 },
    { STR_INIT("UnhealthyThresholdCount"), 9, FIELD_INT, AT(group.unhealthy_threshold_count), .min = 2, .max = 10 },
    { STR_INIT("Matcher"), 10, FIELD_STRUCT, AT(group.matcher), .schema = &elb_matcher_schema },
};
#undef AT
const struct schema modify_target_group_request_schema = SCHEMA_OF("ModifyTargetGroupInput", struct modify_target_group_request,
    modify_target_group_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_target_groups_request, member)
static const struct field describe_target_groups_request_schema_fields[] = {
    { STR_INIT("LoadBalancerArn"), 1, FIELD_STR, AT(load_balancer_arn) },
    { STR_INIT("TargetGroupArns"), 2, FIELD_LIST, AT(target_group_arns), .element = FIELD_STR, .max = 400 },
    { STR_INIT("Names"), 3, FIELD_LIST, AT(names), .element = FIELD_STR, .max = 400 },
    { STR_INIT("Marker"), 4, FIELD_STR, AT(marker) },
    { STR_INIT("PageSize"), 5, FIELD_INT, AT(page_size), .min = 1, .max = 400 },
};
#undef AT
const struct schema describe_target_groups_request_schema = SCHEMA_OF("DescribeTargetGroupsInput",
    struct describe_target_groups_request, describe_target_groups_request_schema_fields);

#define AT(member) .offset = offsetof(struct target_groups_response, member)
static const struct field target_groups_response_schema_fields[] = {
    { STR_INIT("TargetGroups"), 1, FIELD_LIST, AT(target_groups), .element = FIELD_STRUCT, .schema = &target_group_schema },
    { STR_INIT("NextMarker"), 2, FIELD_STR, AT(next_marker) },
};
#undef AT
const struct schema target_groups_response_schema = SCHEMA_OF("DescribeTargetGroupsOutput", struct target_groups_response,
    target_groups_response_schema_fields);

#define AT(member) .offset = offsetof(struct group_request, member)
static const struct field group_request_schema_fields[] = {
    { STR_INIT("TargetGroupArn"), 1, FIELD_STR, AT(target_group_arn), .required = true },
};
#undef AT
const struct schema group_request_schema = SCHEMA_OF("DeleteTargetGroupInput", struct group_request, group_request_schema_fields);

#define AT(member) .offset = offsetof(struct modify_group_attributes_request, member)
static const struct field modify_group_attributes_request_schema_fields[] = {
    { STR_INIT("TargetGroupArn"), 1, FIELD_STR, AT(target_group_arn), .required = true },
    { STR_INIT("Attributes"), 2, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &elb_pair_schema, .max = 50,
      .required = true },
};
#undef AT
const struct schema modify_group_attributes_request_schema = SCHEMA_OF("ModifyTargetGroupAttributesInput",
    struct modify_group_attributes_request, modify_group_attributes_request_schema_fields);

#define AT(member) .offset = offsetof(struct attributes_response, member)
static const struct field attributes_response_schema_fields[] = {
    { STR_INIT("Attributes"), 1, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &elb_pair_schema },
};
#undef AT
const struct schema attributes_response_schema = SCHEMA_OF("DescribeTargetGroupAttributesOutput", struct attributes_response,
    attributes_response_schema_fields);

#define AT(member) .offset = offsetof(struct target_description, member)
static const struct field target_description_schema_fields[] = {
    { STR_INIT("Id"), 1, FIELD_STR, AT(id), .required = true },
    { STR_INIT("Port"), 2, FIELD_INT, AT(port), .min = 1, .max = 65535 },
    { STR_INIT("AvailabilityZone"), 3, FIELD_STR, AT(availability_zone) },
};
#undef AT
const struct schema target_description_schema = SCHEMA_OF("TargetDescription", struct target_description,
    target_description_schema_fields);

#define AT(member) .offset = offsetof(struct targets_request, member)
static const struct field targets_request_schema_fields[] = {
    { STR_INIT("TargetGroupArn"), 1, FIELD_STR, AT(target_group_arn), .required = true },
    { STR_INIT("Targets"), 2, FIELD_LIST, AT(targets), .element = FIELD_STRUCT, .schema = &target_description_schema, .max = 1000,
      .required = true },
};
#undef AT
const struct schema targets_request_schema = SCHEMA_OF("RegisterTargetsInput", struct targets_request,
    targets_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_target_health_request, member)
static const struct field describe_target_health_request_schema_fields[] = {
    { STR_INIT("TargetGroupArn"), 1, FIELD_STR, AT(target_group_arn), .required = true },
    { STR_INIT("Targets"), 2, FIELD_LIST, AT(targets), .element = FIELD_STRUCT, .schema = &target_description_schema,
      .max = 1000 },
    { STR_INIT("Include"), 3, FIELD_LIST, AT(include), .element = FIELD_STR },
};
#undef AT
const struct schema describe_target_health_request_schema = SCHEMA_OF("DescribeTargetHealthInput",
    struct describe_target_health_request, describe_target_health_request_schema_fields);

#define AT(member) .offset = offsetof(struct target_health, member)
static const struct field target_health_schema_fields[] = {
    { STR_INIT("State"), 1, FIELD_STR, AT(state) },
    { STR_INIT("Reason"), 2, FIELD_STR, AT(reason) },
    { STR_INIT("Description"), 3, FIELD_STR, AT(description) },
};
#undef AT
const struct schema target_health_schema = SCHEMA_OF("TargetHealth", struct target_health, target_health_schema_fields);

#define AT(member) .offset = offsetof(struct target_health_description, member)
static const struct field target_health_description_schema_fields[] = {
    { STR_INIT("Target"), 1, FIELD_STRUCT, AT(target), .schema = &target_description_schema },
    { STR_INIT("HealthCheckPort"), 2, FIELD_STR, AT(health_check_port) },
    { STR_INIT("TargetHealth"), 3, FIELD_STRUCT, AT(target_health), .schema = &target_health_schema },
};
#undef AT
const struct schema target_health_description_schema = SCHEMA_OF("TargetHealthDescription", struct target_health_description,
    target_health_description_schema_fields);

#define AT(member) .offset = offsetof(struct describe_target_health_response, member)
static const struct field describe_target_health_response_schema_fields[] = {
    { STR_INIT("TargetHealthDescriptions"), 1, FIELD_LIST, AT(target_health_descriptions), .element = FIELD_STRUCT,
      .schema = &target_health_description_schema },
};
#undef AT
const struct schema describe_target_health_response_schema = SCHEMA_OF("DescribeTargetHealthOutput",
    struct describe_target_health_response, describe_target_health_response_schema_fields);

#define AT(member) .offset = offsetof(struct subnet_mapping, member)
static const struct field subnet_mapping_schema_fields[] = {
    { STR_INIT("SubnetId"), 1, FIELD_STR, AT(subnet_id) },
    { STR_INIT("AllocationId"), 2, FIELD_STR, AT(allocation_id) },
    { STR_INIT("PrivateIPv4Address"), 3, FIELD_STR, AT(private_ipv4_address) },
    { STR_INIT("IPv6Address"), 4, FIELD_STR, AT(i_pv6_address) },
};
#undef AT
const struct schema subnet_mapping_schema = SCHEMA_OF("SubnetMapping", struct subnet_mapping, subnet_mapping_schema_fields);

#define AT(member) .offset = offsetof(struct create_balancer_request, member)
static const struct field create_balancer_request_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(balancer.name), .required = true },
    { STR_INIT("Subnets"), 2, FIELD_LIST, AT(subnets), .element = FIELD_STR },
    { STR_INIT("SubnetMappings"), 3, FIELD_LIST, AT(subnet_mappings), .element = FIELD_STRUCT, .schema = &subnet_mapping_schema },
    { STR_INIT("SecurityGroups"), 4, FIELD_LIST, AT(balancer.security_groups), .element = FIELD_STR },
    { STR_INIT("Scheme"), 5, FIELD_ENUM, AT(balancer.scheme), .names = &elb_scheme_names },
    { STR_INIT("Tags"), 6, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 50 },
    { STR_INIT("Type"), 7, FIELD_ENUM, AT(balancer.type), .names = &elb_balancer_type_names },
    { STR_INIT("IpAddressType"), 8, FIELD_ENUM, AT(balancer.ip_address_type), .names = &elb_address_type_names },
};
#undef AT
const struct schema create_balancer_request_schema = SCHEMA_OF("CreateLoadBalancerInput", struct create_balancer_request,
    create_balancer_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_balancers_request, member)
static const struct field describe_balancers_request_schema_fields[] = {
    { STR_INIT("LoadBalancerArns"), 1, FIELD_LIST, AT(load_balancer_arns), .element = FIELD_STR, .max = 400 },
    { STR_INIT("Names"), 2, FIELD_LIST, AT(names), .element = FIELD_STR, .max = 400 },
    { STR_INIT("Marker"), 3, FIELD_STR, AT(marker) },
    { STR_INIT("PageSize"), 4, FIELD_INT, AT(page_size), .min = 1, .max = 400 },
};
#undef AT
const struct schema describe_balancers_request_schema = SCHEMA_OF("DescribeLoadBalancersInput", struct describe_balancers_request,
    describe_balancers_request_schema_fields);

#define AT(member) .offset = offsetof(struct balancers_response, member)
static const struct field balancers_response_schema_fields[] = {
    { STR_INIT("LoadBalancers"), 1, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT, .schema = &elb_balancer_schema },
    { STR_INIT("NextMarker"), 2, FIELD_STR, AT(next_marker) },
};
#undef AT
const struct schema balancers_response_schema = SCHEMA_OF("DescribeLoadBalancersOutput", struct balancers_response,
    balancers_response_schema_fields);

#define AT(member) .offset = offsetof(struct balancer_request, member)
static const struct field balancer_request_schema_fields[] = {
    { STR_INIT("LoadBalancerArn"), 1, FIELD_STR, AT(load_balancer_arn), .required = true },
};
#undef AT
const struct schema balancer_request_schema = SCHEMA_OF("DeleteLoadBalancerInput", struct balancer_request,
    balancer_request_schema_fields);

#define AT(member) .offset = offsetof(struct modify_balancer_attributes_request, member)
static const struct field modify_balancer_attributes_request_schema_fields[] = {
    { STR_INIT("LoadBalancerArn"), 1, FIELD_STR, AT(load_balancer_arn), .required = true },
    { STR_INIT("Attributes"), 2, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &elb_pair_schema, .max = 50,
      .required = true },
};
#undef AT
const struct schema modify_balancer_attributes_request_schema = SCHEMA_OF("ModifyLoadBalancerAttributesInput",
    struct modify_balancer_attributes_request, modify_balancer_attributes_request_schema_fields);

#define AT(member) .offset = offsetof(struct set_security_groups_request, member)
static const struct field set_security_groups_request_schema_fields[] = {
    { STR_INIT("LoadBalancerArn"), 1, FIELD_STR, AT(load_balancer_arn), .required = true },
    { STR_INIT("SecurityGroups"), 2, FIELD_LIST, AT(security_groups), .element = FIELD_STR, .required = true },
};
#undef AT
const struct schema set_security_groups_request_schema = SCHEMA_OF("SetSecurityGroupsInput", struct set_security_groups_request,
    set_security_groups_request_schema_fields);

#define AT(member) .offset = offsetof(struct set_security_groups_response, member)
static const struct field set_security_groups_response_schema_fields[] = {
    { STR_INIT("SecurityGroupIds"), 1, FIELD_LIST, AT(security_group_ids), .element = FIELD_STR },
};
#undef AT
const struct schema set_security_groups_response_schema = SCHEMA_OF("SetSecurityGroupsOutput",
    struct set_security_groups_response, set_security_groups_response_schema_fields);

#define AT(member) .offset = offsetof(struct set_subnets_request, member)
static const struct field set_subnets_request_schema_fields[] = {
    { STR_INIT("LoadBalancerArn"), 1, FIELD_STR, AT(load_balancer_arn), .required = true },
    { STR_INIT("Subnets"), 2, FIELD_LIST, AT(subnets), .element = FIELD_STR },
    { STR_INIT("SubnetMappings"), 3, FIELD_LIST, AT(subnet_mappings), .element = FIELD_STRUCT, .schema = &subnet_mapping_schema },
    { STR_INIT("IpAddressType"), 4, FIELD_ENUM, AT(ip_address_type), .names = &elb_address_type_names },
};
#undef AT
const struct schema set_subnets_request_schema = SCHEMA_OF("SetSubnetsInput", struct set_subnets_request,
    set_subnets_request_schema_fields);

#define AT(member) .offset = offsetof(struct set_subnets_response, member)
static const struct field set_subnets_response_schema_fields[] = {
    { STR_INIT("AvailabilityZones"), 1, FIELD_LIST, AT(availability_zones), .element = FIELD_STRUCT, .schema = &elb_zone_schema },
    { STR_INIT("IpAddressType"), 2, FIELD_ENUM, AT(ip_address_type), .names = &elb_address_type_names },
};
#undef AT
const struct schema set_subnets_response_schema = SCHEMA_OF("SetSubnetsOutput", struct set_subnets_response,
    set_subnets_response_schema_fields);

#define AT(member) .offset = offsetof(struct set_ip_address_type_request, member)
static const struct field set_ip_address_type_request_schema_fields[] = {
    { STR_INIT("LoadBalancerArn"), 1, FIELD_STR, AT(load_balancer_arn), .required = true },
    { STR_INIT("IpAddressType"), 2, FIELD_ENUM, AT(ip_address_type), .names = &elb_address_type_names, .required = true },
};
#undef AT
const struct schema set_ip_address_type_request_schema = SCHEMA_OF("SetIpAddressTypeInput", struct set_ip_address_type_request,
    set_ip_address_type_request_schema_fields);

#define AT(member) .offset = offsetof(struct set_ip_address_type_response, member)
static const struct field set_ip_address_type_response_schema_fields[] = {
    { STR_INIT("IpAddressType"), 1, FIELD_ENUM, AT(ip_address_type), .names = &elb_address_type_names },
};
#undef AT
const struct schema set_ip_address_type_response_schema = SCHEMA_OF("SetIpAddressTypeOutput", struct set_ip_address_type_response,
    set_ip_address_type_response_schema_fields);

#define AT(member) .offset = offsetof(struct create_listener_request, member)
static const struct field create_listener_request_schema_fields[] = {
    { STR_INIT("LoadBalancerArn"), 1, FIELD_STR, AT(listener.load_balancer_arn), .required = true },
    { STR_INIT("Protocol"), 2, FIELD_ENUM, AT(listener.protocol), .names = &elb_protocol_names },
    { STR_INIT("Port"), 3, FIELD_INT, AT(listener.port), .min = 1, .max = 65535 },
    { STR_INIT("SslPolicy"), 4, FIELD_STR, AT(listener.ssl_policy) },
    { STR_INIT("Certificates"), 5, FIELD_LIST, AT(listener.certificates), .element = FIELD_STRUCT,
      .schema = &elb_certificate_schema, .max = 1 },
    { STR_INIT("DefaultActions"), 6, FIELD_LIST, AT(listener.default_actions), .element = FIELD_STRUCT,
      .schema = &elb_action_schema, .max = 10, .required = true },
    { STR_INIT("AlpnPolicy"), 7, FIELD_LIST, AT(listener.alpn_policy), .element = FIELD_STR },
    { STR_INIT("Tags"), 8, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 50 },
};
#undef AT
const struct schema create_listener_request_schema = SCHEMA_OF("CreateListenerInput", struct create_listener_request,
    create_listener_request_schema_fields);

#define AT(member) .offset = offsetof(struct modify_listener_request, member)
static const struct field modify_listener_request_schema_fields[] = {
    { STR_INIT("ListenerArn"), 1, FIELD_STR, AT(listener.arn), .required = true },
    { STR_INIT("Port"), 2, FIELD_INT, AT(listener.port), .min = 1, .max = 65535 },
    { STR_INIT("Protocol"), 3, FIELD_ENUM, AT(listener.protocol), .names = &elb_protocol_names },
    { STR_INIT("SslPolicy"), 4, FIELD_STR, AT(listener.ssl_policy) },
    { STR_INIT("Certificates"), 5, FIELD_LIST, AT(listener.certificates), .element = FIELD_STRUCT,
      .schema = &elb_certificate_schema, .max = 1 },
    { STR_INIT("DefaultActions"), 6, FIELD_LIST, AT(listener.default_actions), .element = FIELD_STRUCT,
      .schema = &elb_action_schema, .max = 10 },
    { STR_INIT("AlpnPolicy"), 7, FIELD_LIST, AT(listener.alpn_policy), .element = FIELD_STR },
};
#undef AT
const struct schema modify_listener_request_schema = SCHEMA_OF("ModifyListenerInput", struct modify_listener_request,
    modify_listener_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_listeners_request, member)
static const struct field describe_listeners_request_schema_fields[] = {
    { STR_INIT("LoadBalancerArn"), 1, FIELD_STR, AT(load_balancer_arn) },
    { STR_INIT("ListenerArns"), 2, FIELD_LIST, AT(listener_arns), .element = FIELD_STR, .max = 400 },
    { STR_INIT("Marker"), 3, FIELD_STR, AT(marker) },
    { STR_INIT("PageSize"), 4, FIELD_INT, AT(page_size), .min = 1, .max = 400 },
};
#undef AT
const struct schema describe_listeners_request_schema = SCHEMA_OF("DescribeListenersInput", struct describe_listeners_request,
    describe_listeners_request_schema_fields);

#define AT(member) .offset = offsetof(struct listeners_response, member)
static const struct field listeners_response_schema_fields[] = {
    { STR_INIT("Listeners"), 1, FIELD_LIST, AT(listeners), .element = FIELD_STRUCT, .schema = &elb_listener_schema },
    { STR_INIT("NextMarker"), 2, FIELD_STR, AT(next_marker) },
};
#undef AT
const struct schema listeners_response_schema = SCHEMA_OF("DescribeListenersOutput", struct listeners_response,
    listeners_response_schema_fields);

#define AT(member) .offset = offsetof(struct listener_request, member)
static const struct field listener_request_schema_fields[] = {
    { STR_INIT("ListenerArn"), 1, FIELD_STR, AT(listener_arn), .required = true },
};
#undef AT
const struct schema listener_request_schema = SCHEMA_OF("DeleteListenerInput", struct listener_request,
    listener_request_schema_fields);

#define AT(member) .offset = offsetof(struct modify_listener_attributes_request, member)
static const struct field modify_listener_attributes_request_schema_fields[] = {
    { STR_INIT("ListenerArn"), 1, FIELD_STR, AT(listener_arn), .required = true },
    { STR_INIT("Attributes"), 2, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &elb_pair_schema, .max = 50,
      .required = true },
};
#undef AT
const struct schema modify_listener_attributes_request_schema = SCHEMA_OF("ModifyListenerAttributesInput",
    struct modify_listener_attributes_request, modify_listener_attributes_request_schema_fields);

#define AT(member) .offset = offsetof(struct listener_certificates_request, member)
static const struct field listener_certificates_request_schema_fields[] = {
    { STR_INIT("ListenerArn"), 1, FIELD_STR, AT(listener_arn), .required = true },
    { STR_INIT("Certificates"), 2, FIELD_LIST, AT(certificates), .element = FIELD_STRUCT, .schema = &elb_certificate_schema,
      .max = 25, .required = true },
};
#undef AT
const struct schema listener_certificates_request_schema = SCHEMA_OF("AddListenerCertificatesInput",
    struct listener_certificates_request, listener_certificates_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_certificates_request, member)
static const struct field describe_certificates_request_schema_fields[] = {
    { STR_INIT("ListenerArn"), 1, FIELD_STR, AT(listener_arn), .required = true },
    { STR_INIT("Marker"), 2, FIELD_STR, AT(marker) },
    { STR_INIT("PageSize"), 3, FIELD_INT, AT(page_size), .min = 1, .max = 400 },
};
#undef AT
const struct schema describe_certificates_request_schema = SCHEMA_OF("DescribeListenerCertificatesInput",
    struct describe_certificates_request, describe_certificates_request_schema_fields);

#define AT(member) .offset = offsetof(struct certificates_response, member)
static const struct field certificates_response_schema_fields[] = {
    { STR_INIT("Certificates"), 1, FIELD_LIST, AT(certificates), .element = FIELD_STRUCT, .schema = &elb_certificate_schema },
    { STR_INIT("NextMarker"), 2, FIELD_STR, AT(next_marker) },
};
#undef AT
const struct schema certificates_response_schema = SCHEMA_OF("DescribeListenerCertificatesOutput", struct certificates_response,
    certificates_response_schema_fields);

#define AT(member) .offset = offsetof(struct create_rule_request, member)
static const struct field create_rule_request_schema_fields[] = {
    { STR_INIT("ListenerArn"), 1, FIELD_STR, AT(listener_arn), .required = true },
    { STR_INIT("Conditions"), 2, FIELD_LIST, AT(rule.conditions), .element = FIELD_STRUCT, .schema = &elb_condition_schema,
      .max = 10, .required = true },
    { STR_INIT("Priority"), 3, FIELD_INT, AT(priority), .min = 1, .max = 50000, .required = true },
    { STR_INIT("Actions"), 4, FIELD_LIST, AT(rule.actions), .element = FIELD_STRUCT, .schema = &elb_action_schema, .max = 10,
      .required = true },
    { STR_INIT("Tags"), 5, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 50 },
};
#undef AT
const struct schema create_rule_request_schema = SCHEMA_OF("CreateRuleInput", struct create_rule_request,
    create_rule_request_schema_fields);

#define AT(member) .offset = offsetof(struct modify_rule_request, member)
static const struct field modify_rule_request_schema_fields[] = {
    { STR_INIT("RuleArn"), 1, FIELD_STR, AT(rule.arn), .required = true },
    { STR_INIT("Conditions"), 2, FIELD_LIST, AT(rule.conditions), .element = FIELD_STRUCT, .schema = &elb_condition_schema,
      .max = 10 },
    { STR_INIT("Actions"), 3, FIELD_LIST, AT(rule.actions), .element = FIELD_STRUCT, .schema = &elb_action_schema, .max = 10 },
};
#undef AT
const struct schema modify_rule_request_schema = SCHEMA_OF("ModifyRuleInput", struct modify_rule_request,
    modify_rule_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_rules_request, member)
static const struct field describe_rules_request_schema_fields[] = {
    { STR_INIT("ListenerArn"), 1, FIELD_STR, AT(listener_arn) },
    { STR_INIT("RuleArns"), 2, FIELD_LIST, AT(rule_arns), .element = FIELD_STR, .max = 400 },
    { STR_INIT("Marker"), 3, FIELD_STR, AT(marker) },
    { STR_INIT("PageSize"), 4, FIELD_INT, AT(page_size), .min = 1, .max = 400 },
};
#undef AT
const struct schema describe_rules_request_schema = SCHEMA_OF("DescribeRulesInput", struct describe_rules_request,
    describe_rules_request_schema_fields);

#define AT(member) .offset = offsetof(struct rules_response, member)
static const struct field rules_response_schema_fields[] = {
    { STR_INIT("Rules"), 1, FIELD_LIST, AT(rules), .element = FIELD_STRUCT, .schema = &elb_rule_schema },
    { STR_INIT("NextMarker"), 2, FIELD_STR, AT(next_marker) },
};
#undef AT
const struct schema rules_response_schema = SCHEMA_OF("DescribeRulesOutput", struct rules_response, rules_response_schema_fields);

#define AT(member) .offset = offsetof(struct elb_rule_request, member)
static const struct field elb_rule_request_schema_fields[] = {
    { STR_INIT("RuleArn"), 1, FIELD_STR, AT(rule_arn), .required = true },
};
#undef AT
const struct schema elb_rule_request_schema = SCHEMA_OF("DeleteRuleInput", struct elb_rule_request,
    elb_rule_request_schema_fields);

#define AT(member) .offset = offsetof(struct rule_priority, member)
static const struct field rule_priority_schema_fields[] = {
    { STR_INIT("RuleArn"), 1, FIELD_STR, AT(rule_arn), .required = true },
    { STR_INIT("Priority"), 2, FIELD_INT, AT(priority), .min = 1, .max = 50000, .required = true },
};
#undef AT
const struct schema rule_priority_schema = SCHEMA_OF("RulePriorityPair", struct rule_priority, rule_priority_schema_fields);

#define AT(member) .offset = offsetof(struct set_rule_priorities_request, member)
static const struct field set_rule_priorities_request_schema_fields[] = {
    { STR_INIT("RulePriorities"), 1, FIELD_LIST, AT(rule_priorities), .element = FIELD_STRUCT, .schema = &rule_priority_schema,
      .max = 100, .required = true },
};
#undef AT
const struct schema set_rule_priorities_request_schema = SCHEMA_OF("SetRulePrioritiesInput", struct set_rule_priorities_request,
    set_rule_priorities_request_schema_fields);

#define AT(member) .offset = offsetof(struct add_elb_tags_request, member)
static const struct field add_elb_tags_request_schema_fields[] = {
    { STR_INIT("ResourceArns"), 1, FIELD_LIST, AT(resource_arns), .element = FIELD_STR, .max = 20, .required = true },
    { STR_INIT("Tags"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 50,
      .required = true },
};
#undef AT
const struct schema add_elb_tags_request_schema = SCHEMA_OF("AddTagsInput", struct add_elb_tags_request,
    add_elb_tags_request_schema_fields);

#define AT(member) .offset = offsetof(struct remove_elb_tags_request, member)
static const struct field remove_elb_tags_request_schema_fields[] = {
    { STR_INIT("ResourceArns"), 1, FIELD_LIST, AT(resource_arns), .element = FIELD_STR, .max = 20, .required = true },
    { STR_INIT("TagKeys"), 2, FIELD_LIST, AT(tag_keys), .element = FIELD_STR, .max = 50, .required = true },
};
#undef AT
const struct schema remove_elb_tags_request_schema = SCHEMA_OF("RemoveTagsInput", struct remove_elb_tags_request,
    remove_elb_tags_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_elb_tags_request, member)
static const struct field describe_elb_tags_request_schema_fields[] = {
    { STR_INIT("ResourceArns"), 1, FIELD_LIST, AT(resource_arns), .element = FIELD_STR, .max = 20, .required = true },
};
#undef AT
const struct schema describe_elb_tags_request_schema = SCHEMA_OF("DescribeTagsInput", struct describe_elb_tags_request,
    describe_elb_tags_request_schema_fields);

#define AT(member) .offset = offsetof(struct elb_tag_description, member)
static const struct field elb_tag_description_schema_fields[] = {
    { STR_INIT("ResourceArn"), 1, FIELD_STR, AT(resource_arn) },
    { STR_INIT("Tags"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema },
};
#undef AT
const struct schema elb_tag_description_schema = SCHEMA_OF("TagDescription", struct elb_tag_description,
    elb_tag_description_schema_fields);

#define AT(member) .offset = offsetof(struct describe_elb_tags_response, member)
static const struct field describe_elb_tags_response_schema_fields[] = {
    { STR_INIT("TagDescriptions"), 1, FIELD_LIST, AT(tag_descriptions), .element = FIELD_STRUCT,
      .schema = &elb_tag_description_schema },
};
#undef AT
const struct schema describe_elb_tags_response_schema = SCHEMA_OF("DescribeTagsOutput", struct describe_elb_tags_response,
    describe_elb_tags_response_schema_fields);

#define AT(member) .offset = offsetof(struct elb_limit, member)
static const struct field elb_limit_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name) },
    { STR_INIT("Max"), 2, FIELD_STR, AT(max) },
};
#undef AT
const struct schema elb_limit_schema = SCHEMA_OF("Limit", struct elb_limit, elb_limit_schema_fields);

#define AT(member) .offset = offsetof(struct describe_limits_response, member)
static const struct field describe_limits_response_schema_fields[] = {
    { STR_INIT("Limits"), 1, FIELD_LIST, AT(limits), .element = FIELD_STRUCT, .schema = &elb_limit_schema },
};
#undef AT
const struct schema describe_limits_response_schema = SCHEMA_OF("DescribeAccountLimitsOutput", struct describe_limits_response,
    describe_limits_response_schema_fields);

#define AT(member) .offset = offsetof(struct no_elb_request, member)
static const struct field no_elb_request_schema_fields[] = {
    { STR_INIT("Marker"), 1, FIELD_STR, AT(marker) },
    { STR_INIT("PageSize"), 2, FIELD_INT, AT(page_size), .min = 1, .max = 400 },
};
#undef AT
const struct schema no_elb_request_schema = SCHEMA_OF("DescribeAccountLimitsInput", struct no_elb_request,
    no_elb_request_schema_fields);

#define AT(member) .offset = offsetof(struct ssl_policy, member)
static const struct field ssl_policy_schema_fields[] = {
    { STR_INIT("SslProtocols"), 1, FIELD_LIST, AT(ssl_protocols), .element = FIELD_STR },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name) },
    { STR_INIT("SupportedLoadBalancerTypes"), 3, FIELD_LIST, AT(supported_load_balancer_types), .element = FIELD_STR },
};
#undef AT
const struct schema ssl_policy_schema = SCHEMA_OF("SslPolicy", struct ssl_policy, ssl_policy_schema_fields);

#define AT(member) .offset = offsetof(struct ssl_policies_request, member)
static const struct field ssl_policies_request_schema_fields[] = {
    { STR_INIT("Names"), 1, FIELD_LIST, AT(names), .element = FIELD_STR },
    { STR_INIT("Marker"), 2, FIELD_STR, AT(marker) },
    { STR_INIT("PageSize"), 3, FIELD_INT, AT(page_size), .min = 1, .max = 400 },
    { STR_INIT("LoadBalancerType"), 4, FIELD_ENUM, AT(load_balancer_type), .names = &elb_balancer_type_names },
};
#undef AT
const struct schema ssl_policies_request_schema = SCHEMA_OF("DescribeSSLPoliciesInput", struct ssl_policies_request,
    ssl_policies_request_schema_fields);

#define AT(member) .offset = offsetof(struct ssl_policies_response, member)
static const struct field ssl_policies_response_schema_fields[] = {
    { STR_INIT("SslPolicies"), 1, FIELD_LIST, AT(ssl_policies), .element = FIELD_STRUCT, .schema = &ssl_policy_schema },
    { STR_INIT("NextMarker"), 2, FIELD_STR, AT(next_marker) },
};
#undef AT
const struct schema ssl_policies_response_schema = SCHEMA_OF("DescribeSSLPoliciesOutput", struct ssl_policies_response,
    ssl_policies_response_schema_fields);
