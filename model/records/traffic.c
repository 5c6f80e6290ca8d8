/* Written by tools/shapes from model/records/traffic.shapes. */
#include "model/records/traffic.h"

#include "base/assert.h"

static const struct str elb_protocol_words[] = { STR_INIT("HTTP"), STR_INIT("HTTPS"), STR_INIT("TCP"), STR_INIT("TLS"),
    STR_INIT("UDP"), STR_INIT("TCP_UDP") };
const struct enum_names elb_protocol_names = { elb_protocol_words, COUNT_OF(elb_protocol_words) };

static const struct str elb_target_type_words[] = { STR_INIT("instance"), STR_INIT("ip") };
const struct enum_names elb_target_type_names = { elb_target_type_words, COUNT_OF(elb_target_type_words) };

static const struct str elb_address_type_words[] = { STR_INIT("ipv4"), STR_INIT("ipv6"), STR_INIT("dualstack") };
const struct enum_names elb_address_type_names = { elb_address_type_words, COUNT_OF(elb_address_type_words) };

static const struct str elb_balancer_type_words[] = { STR_INIT("application"), STR_INIT("network") };
const struct enum_names elb_balancer_type_names = { elb_balancer_type_words, COUNT_OF(elb_balancer_type_words) };

static const struct str elb_scheme_words[] = { STR_INIT("internet-facing"), STR_INIT("internal") };
const struct enum_names elb_scheme_names = { elb_scheme_words, COUNT_OF(elb_scheme_words) };

#define AT(member) .offset = offsetof(struct elb_pair, member)
static const struct field elb_pair_schema_fields[] = {
    { STR_INIT("Key"), 1, FIELD_STR, AT(key), .max = 256, .required = true },
    { STR_INIT("Value"), 2, FIELD_STR, AT(value) },
};
#undef AT
const struct schema elb_pair_schema = SCHEMA_OF("Pair", struct elb_pair, elb_pair_schema_fields);

#define AT(member) .offset = offsetof(struct elb_matcher, member)
static const struct field elb_matcher_schema_fields[] = {
    { STR_INIT("HttpCode"), 1, FIELD_STR, AT(http_code) },
    { STR_INIT("GrpcCode"), 2, FIELD_STR, AT(grpc_code) },
};
#undef AT
const struct schema elb_matcher_schema = SCHEMA_OF("Matcher", struct elb_matcher, elb_matcher_schema_fields);

#define AT(member) .offset = offsetof(struct target_group, member)
static const struct field target_group_schema_fields[] = {
    { STR_INIT("TargetGroupName"), 1, FIELD_STR, AT(name) },
    { STR_INIT("Protocol"), 2, FIELD_ENUM, AT(protocol), .names = &elb_protocol_names },
    { STR_INIT("Port"), 3, FIELD_INT, AT(port) },
    { STR_INIT("VpcId"), 4, FIELD_STR, AT(vpc_id) },
    { STR_INIT("HealthCheckProtocol"), 5, FIELD_ENUM, AT(health_check_protocol), .names = &elb_protocol_names },
    { STR_INIT("HealthCheckPort"), 6, FIELD_STR, AT(health_check_port) },
    { STR_INIT("HealthCheckEnabled"), 7, FIELD_BOOL, AT(health_check_enabled) },
    { STR_INIT("HealthCheckIntervalSeconds"), 8, FIELD_INT, AT(health_check_interval_seconds) },
    { STR_INIT("HealthCheckTimeoutSeconds"), 9, FIELD_INT, AT(health_check_timeout_seconds) },
    { STR_INIT("HealthyThresholdCount"), 10, FIELD_INT, AT(healthy_threshold_count) },
    { STR_INIT("UnhealthyThresholdCount"), 11, FIELD_INT, AT(unhealthy_threshold_count) },
    { STR_INIT("HealthCheckPath"), 12, FIELD_STR, AT(health_check_path) },
    { STR_INIT("Matcher"), 13, FIELD_STRUCT, AT(matcher), .schema = &elb_matcher_schema },
    { STR_INIT("TargetType"), 14, FIELD_ENUM, AT(target_type), .names = &elb_target_type_names },
    { STR_INIT("ProtocolVersion"), 15, FIELD_STR, AT(protocol_version) },
    { STR_INIT("IpAddressType"), 16, FIELD_ENUM, AT(ip_address_type), .names = &elb_address_type_names },
    { STR_INIT("TargetGroupArn"), 0, FIELD_STR, AT(arn) },
    { STR_INIT("LoadBalancerArns"), 0, FIELD_LIST, AT(load_balancer_arns), .element = FIELD_STR },
};
#undef AT
const struct schema target_group_schema = SCHEMA_OF("TargetGroup", struct target_group, target_group_schema_fields);

#define AT(member) .offset = offsetof(struct kept_group, member)
static const struct field kept_group_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(id) },
    { STR_INIT(""), 2, FIELD_STRUCT, AT(group), .schema = &target_group_schema },
    { STR_INIT(""), 3, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &elb_pair_schema },
    { STR_INIT(""), 4, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 5, FIELD_I64, AT(created_ms) },
};
#undef AT
const struct schema kept_group_record = SCHEMA_OF("target group", struct kept_group, kept_group_record_fields);

static const struct str target_state_words[] = { STR_INIT("initial"), STR_INIT("healthy"), STR_INIT("unhealthy"),
    STR_INIT("draining") };
const struct enum_names target_state_names = { target_state_words, COUNT_OF(target_state_words) };

#define AT(member) .offset = offsetof(struct kept_target, member)
static const struct field kept_target_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(group) },
    { STR_INIT(""), 2, FIELD_STR, AT(name) },
    { STR_INIT(""), 3, FIELD_I64, AT(port) },
    { STR_INIT(""), 4, FIELD_STR, AT(address) },
    { STR_INIT(""), 5, FIELD_STR, AT(zone) },
    { STR_INIT(""), 6, FIELD_ID, AT(task) },
    { STR_INIT(""), 7, FIELD_I64, AT(service) },
    { STR_INIT(""), 8, FIELD_STR, AT(container) },
    { STR_INIT(""), 9, FIELD_I64, AT(container_port) },
    { STR_INIT(""), 10, FIELD_ENUM, AT(state), .names = &target_state_names },
    { STR_INIT(""), 11, FIELD_STR, AT(reason) },
    { STR_INIT(""), 12, FIELD_STR, AT(description) },
    { STR_INIT(""), 13, FIELD_I64, AT(since_ms) },
    { STR_INIT(""), 14, FIELD_I64, AT(drain_ends_ms) },
    { STR_INIT(""), 15, FIELD_I64, AT(revision) },
    { STR_INIT(""), 16, FIELD_I64, AT(registration) },
    { STR_INIT(""), 17, FIELD_I64, AT(checked) },
};
#undef AT
const struct schema kept_target_record = SCHEMA_OF("target", struct kept_target, kept_target_record_fields);

#define AT(member) .offset = offsetof(struct elb_zone, member)
static const struct field elb_zone_schema_fields[] = {
    { STR_INIT("ZoneName"), 1, FIELD_STR, AT(zone_name) },
    { STR_INIT("SubnetId"), 2, FIELD_STR, AT(subnet_id) },
};
#undef AT
const struct schema elb_zone_schema = SCHEMA_OF("AvailabilityZone", struct elb_zone, elb_zone_schema_fields);

#define AT(member) .offset = offsetof(struct elb_state, member)
static const struct field elb_state_schema_fields[] = {
    { STR_INIT("Code"), 1, FIELD_STR, AT(code) },
    { STR_INIT("Reason"), 2, FIELD_STR, AT(reason) },
};
#undef AT
const struct schema elb_state_schema = SCHEMA_OF("LoadBalancerState", struct elb_state, elb_state_schema_fields);

#define AT(member) .offset = offsetof(struct elb_balancer, member)
static const struct field elb_balancer_schema_fields[] = {
    { STR_INIT("CreatedTime"), 1, FIELD_TIME, AT(created_ms) },
    { STR_INIT("LoadBalancerName"), 2, FIELD_STR, AT(name) },
    { STR_INIT("Scheme"), 3, FIELD_ENUM, AT(scheme), .names = &elb_scheme_names },
    { STR_INIT("VpcId"), 4, FIELD_STR, AT(vpc_id) },
    { STR_INIT("Type"), 5, FIELD_ENUM, AT(type), .names = &elb_balancer_type_names },
    { STR_INIT("AvailabilityZones"), 6, FIELD_LIST, AT(availability_zones), .element = FIELD_STRUCT, .schema = &elb_zone_schema },
    { STR_INIT("SecurityGroups"), 7, FIELD_LIST, AT(security_groups), .element = FIELD_STR },
    { STR_INIT("IpAddressType"), 8, FIELD_ENUM, AT(ip_address_type), .names = &elb_address_type_names },
    { STR_INIT("LoadBalancerArn"), 0, FIELD_STR, AT(arn) },
    { STR_INIT("DNSName"), 0, FIELD_STR, AT(dns_name) },
    { STR_INIT("CanonicalHostedZoneId"), 0, FIELD_STR, AT(canonical_hosted_zone_id) },
    { STR_INIT("State"), 0, FIELD_STRUCT, AT(state), .schema = &elb_state_schema },
};
#undef AT
const struct schema elb_balancer_schema = SCHEMA_OF("LoadBalancer", struct elb_balancer, elb_balancer_schema_fields);

#define AT(member) .offset = offsetof(struct kept_balancer, member)
static const struct field kept_balancer_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(id) },
    { STR_INIT(""), 2, FIELD_STRUCT, AT(balancer), .schema = &elb_balancer_schema },
    { STR_INIT(""), 3, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &elb_pair_schema },
    { STR_INIT(""), 4, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
};
#undef AT
const struct schema kept_balancer_record = SCHEMA_OF("load balancer", struct kept_balancer, kept_balancer_record_fields);

static const struct str elb_action_type_words[] = { STR_INIT("forward"), STR_INIT("redirect"), STR_INIT("fixed-response") };
const struct enum_names elb_action_type_names = { elb_action_type_words, COUNT_OF(elb_action_type_words) };

#define AT(member) .offset = offsetof(struct elb_weighted_group, member)
static const struct field elb_weighted_group_schema_fields[] = {
    { STR_INIT("TargetGroupArn"), 1, FIELD_STR, AT(target_group_arn), .required = true },
    { STR_INIT("Weight"), 2, FIELD_INT, AT(weight), .min = 0, .max = 999 },
};
#undef AT
const struct schema elb_weighted_group_schema = SCHEMA_OF("TargetGroupTuple", struct elb_weighted_group,
    elb_weighted_group_schema_fields);

#define AT(member) .offset = offsetof(struct elb_stickiness, member)
static const struct field elb_stickiness_schema_fields[] = {
    { STR_INIT("Enabled"), 1, FIELD_BOOL, AT(enabled) },
    { STR_INIT("DurationSeconds"), 2, FIELD_INT, AT(duration_seconds), .min = 1, .max = 604800 },
};
#undef AT
const struct schema elb_stickiness_schema = SCHEMA_OF("TargetGroupStickinessConfig", struct elb_stickiness,
    elb_stickiness_schema_fields);

#define AT(member) .offset = offsetof(struct elb_forward, member)
static const struct field elb_forward_schema_fields[] = {
    { STR_INIT("TargetGroups"), 1, FIELD_LIST, AT(target_groups), .element = FIELD_STRUCT, .schema = &elb_weighted_group_schema },
    { STR_INIT("TargetGroupStickinessConfig"), 2, FIELD_STRUCT, AT(target_group_stickiness_config),
      .schema = &elb_stickiness_schema },
};
#undef AT
const struct schema elb_forward_schema = SCHEMA_OF("ForwardActionConfig", struct elb_forward, elb_forward_schema_fields);

#define AT(member) .offset = offsetof(struct elb_redirect, member)
static const struct field elb_redirect_schema_fields[] = {
    { STR_INIT("Protocol"), 1, FIELD_STR, AT(protocol) },
    { STR_INIT("Port"), 2, FIELD_STR, AT(port) },
    { STR_INIT("Host"), 3, FIELD_STR, AT(host), .min = 1, .max = 128 },
    { STR_INIT("Path"), 4, FIELD_STR, AT(path), .min = 1, .max = 128 },
    { STR_INIT("Query"), 5, FIELD_STR, AT(query), .max = 128 },
    { STR_INIT("StatusCode"), 6, FIELD_STR, AT(status_code), .required = true },
};
#undef AT
const struct schema elb_redirect_schema = SCHEMA_OF("RedirectActionConfig", struct elb_redirect, elb_redirect_schema_fields);

#define AT(member) .offset = offsetof(struct elb_fixed_response, member)
static const struct field elb_fixed_response_schema_fields[] = {
    { STR_INIT("MessageBody"), 1, FIELD_STR, AT(message_body), .max = 1024 },
    { STR_INIT("StatusCode"), 2, FIELD_STR, AT(status_code), .required = true },
    { STR_INIT("ContentType"), 3, FIELD_STR, AT(content_type), .max = 32 },
};
#undef AT
const struct schema elb_fixed_response_schema = SCHEMA_OF("FixedResponseActionConfig", struct elb_fixed_response,
    elb_fixed_response_schema_fields);

#define AT(member) .offset = offsetof(struct elb_action, member)
static const struct field elb_action_schema_fields[] = {
    { STR_INIT("Type"), 1, FIELD_ENUM, AT(type), .names = &elb_action_type_names, .required = true },
    { STR_INIT("TargetGroupArn"), 2, FIELD_STR, AT(target_group_arn) },
    { STR_INIT("Order"), 3, FIELD_INT, AT(order), .min = 1, .max = 50000 },
    { STR_INIT("RedirectConfig"), 4, FIELD_STRUCT, AT(redirect_config), .schema = &elb_redirect_schema },
    { STR_INIT("FixedResponseConfig"), 5, FIELD_STRUCT, AT(fixed_response_config), .schema = &elb_fixed_response_schema },
    { STR_INIT("ForwardConfig"), 6, FIELD_STRUCT, AT(forward_config), .schema = &elb_forward_schema },
};
#undef AT
const struct schema elb_action_schema = SCHEMA_OF("Action", struct elb_action, elb_action_schema_fields);

#define AT(member) .offset = offsetof(struct elb_certificate, member)
static const struct field elb_certificate_schema_fields[] = {
    { STR_INIT("CertificateArn"), 1, FIELD_STR, AT(certificate_arn) },
    { STR_INIT("IsDefault"), 2, FIELD_BOOL, AT(is_default) },
};
#undef AT
const struct schema elb_certificate_schema = SCHEMA_OF("Certificate", struct elb_certificate, elb_certificate_schema_fields);

#define AT(member) .offset = offsetof(struct elb_listener, member)
static const struct field elb_listener_schema_fields[] = {
    { STR_INIT("Port"), 1, FIELD_INT, AT(port) },
    { STR_INIT("Protocol"), 2, FIELD_ENUM, AT(protocol), .names = &elb_protocol_names },
    { STR_INIT("Certificates"), 3, FIELD_LIST, AT(certificates), .element = FIELD_STRUCT, .schema = &elb_certificate_schema },
    { STR_INIT("SslPolicy"), 4, FIELD_STR, AT(ssl_policy) },
    { STR_INIT("DefaultActions"), 5, FIELD_LIST, AT(default_actions), .element = FIELD_STRUCT, .schema = &elb_action_schema },
    { STR_INIT("AlpnPolicy"), 6, FIELD_LIST, AT(alpn_policy), .element = FIELD_STR },
    { STR_INIT("ListenerArn"), 0, FIELD_STR, AT(arn) },
    { STR_INIT("LoadBalancerArn"), 0, FIELD_STR, AT(load_balancer_arn) },
};
#undef AT
const struct schema elb_listener_schema = SCHEMA_OF("Listener", struct elb_listener, elb_listener_schema_fields);

#define AT(member) .offset = offsetof(struct kept_listener, member)
static const struct field kept_listener_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(id) },
    { STR_INIT(""), 2, FIELD_STRUCT, AT(listener), .schema = &elb_listener_schema },
    { STR_INIT(""), 3, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &elb_pair_schema },
    { STR_INIT(""), 4, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 5, FIELD_LIST, AT(more), .element = FIELD_STRUCT, .schema = &elb_certificate_schema },
    { STR_INIT(""), 6, FIELD_STR, AT(balancer) },
    { STR_INIT(""), 7, FIELD_STR, AT(balancer_id) },
};
#undef AT
const struct schema kept_listener_record = SCHEMA_OF("listener", struct kept_listener, kept_listener_record_fields);

#define AT(member) .offset = offsetof(struct elb_values, member)
static const struct field elb_values_schema_fields[] = {
    { STR_INIT("Values"), 1, FIELD_LIST, AT(values), .element = FIELD_STR },
};
#undef AT
const struct schema elb_values_schema = SCHEMA_OF("HostHeaderConfig", struct elb_values, elb_values_schema_fields);

#define AT(member) .offset = offsetof(struct elb_header, member)
static const struct field elb_header_schema_fields[] = {
    { STR_INIT("HttpHeaderName"), 1, FIELD_STR, AT(http_header_name), .max = 40 },
    { STR_INIT("Values"), 2, FIELD_LIST, AT(values), .element = FIELD_STR },
};
#undef AT
const struct schema elb_header_schema = SCHEMA_OF("HttpHeaderConfig", struct elb_header, elb_header_schema_fields);

#define AT(member) .offset = offsetof(struct elb_query_pair, member)
static const struct field elb_query_pair_schema_fields[] = {
    { STR_INIT("Key"), 1, FIELD_STR, AT(key) },
    { STR_INIT("Value"), 2, FIELD_STR, AT(value) },
};
#undef AT
const struct schema elb_query_pair_schema = SCHEMA_OF("QueryStringKeyValuePair", struct elb_query_pair,
    elb_query_pair_schema_fields);

#define AT(member) .offset = offsetof(struct elb_query, member)
static const struct field elb_query_schema_fields[] = {
    { STR_INIT("Values"), 1, FIELD_LIST, AT(values), .element = FIELD_STRUCT, .schema = &elb_query_pair_schema },
};
#undef AT
const struct schema elb_query_schema = SCHEMA_OF("QueryStringConfig", struct elb_query, elb_query_schema_fields);

#define AT(member) .offset = offsetof(struct elb_condition, member)
static const struct field elb_condition_schema_fields[] = {
    { STR_INIT("Field"), 1, FIELD_STR, AT(field), .max = 64 },
    { STR_INIT("Values"), 2, FIELD_LIST, AT(values), .element = FIELD_STR },
    { STR_INIT("HostHeaderConfig"), 3, FIELD_STRUCT, AT(host_header_config), .schema = &elb_values_schema },
    { STR_INIT("PathPatternConfig"), 4, FIELD_STRUCT, AT(path_pattern_config), .schema = &elb_values_schema },
    { STR_INIT("HttpHeaderConfig"), 5, FIELD_STRUCT, AT(http_header_config), .schema = &elb_header_schema },
    { STR_INIT("QueryStringConfig"), 6, FIELD_STRUCT, AT(query_string_config), .schema = &elb_query_schema },
    { STR_INIT("HttpRequestMethodConfig"), 7, FIELD_STRUCT, AT(http_request_method_config), .schema = &elb_values_schema },
    { STR_INIT("SourceIpConfig"), 8, FIELD_STRUCT, AT(source_ip_config), .schema = &elb_values_schema },
};
#undef AT
const struct schema elb_condition_schema = SCHEMA_OF("RuleCondition", struct elb_condition, elb_condition_schema_fields);

#define AT(member) .offset = offsetof(struct elb_rule, member)
static const struct field elb_rule_schema_fields[] = {
    { STR_INIT("Priority"), 1, FIELD_STR, AT(priority) },
    { STR_INIT("Conditions"), 2, FIELD_LIST, AT(conditions), .element = FIELD_STRUCT, .schema = &elb_condition_schema },
    { STR_INIT("Actions"), 3, FIELD_LIST, AT(actions), .element = FIELD_STRUCT, .schema = &elb_action_schema },
    { STR_INIT("IsDefault"), 4, FIELD_BOOL, AT(is_default) },
    { STR_INIT("RuleArn"), 0, FIELD_STR, AT(arn) },
};
#undef AT
const struct schema elb_rule_schema = SCHEMA_OF("Rule", struct elb_rule, elb_rule_schema_fields);

#define AT(member) .offset = offsetof(struct kept_rule, member)
static const struct field kept_rule_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(id) },
    { STR_INIT(""), 2, FIELD_STRUCT, AT(rule), .schema = &elb_rule_schema },
    { STR_INIT(""), 3, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 4, FIELD_STR, AT(balancer) },
    { STR_INIT(""), 5, FIELD_STR, AT(balancer_id) },
    { STR_INIT(""), 6, FIELD_STR, AT(listener_id) },
};
#undef AT
const struct schema kept_rule_record = SCHEMA_OF("rule", struct kept_rule, kept_rule_record_fields);
