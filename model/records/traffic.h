/* traffic.h: the records of load balancers: target groups and their targets, load balancers, listeners and rules. model/traffic.h
 * says more. The structs are as Elastic Load Balancing shows them; members without a tag follow from the record's key. Written by
 * tools/shapes from model/records/traffic.shapes. */
#ifndef BERTH_MODEL_RECORDS_TRAFFIC_H
#define BERTH_MODEL_RECORDS_TRAFFIC_H

#include "model/ecs/common.h"

enum elb_protocol { ELB_PROTOCOL_UNSET, ELB_PROTOCOL_HTTP, ELB_PROTOCOL_HTTPS, ELB_PROTOCOL_TCP, ELB_PROTOCOL_TLS,
    ELB_PROTOCOL_UDP, ELB_PROTOCOL_TCP_UDP, ELB_PROTOCOL_COUNT };
extern const struct enum_names elb_protocol_names;

enum elb_target_type { ELB_TARGET_TYPE_UNSET, ELB_TARGET_TYPE_INSTANCE, ELB_TARGET_TYPE_IP, ELB_TARGET_TYPE_COUNT };
extern const struct enum_names elb_target_type_names;

enum elb_address_type { ELB_ADDRESS_TYPE_UNSET, ELB_ADDRESS_TYPE_IPV4, ELB_ADDRESS_TYPE_IPV6, ELB_ADDRESS_TYPE_DUALSTACK,
    ELB_ADDRESS_TYPE_COUNT };
extern const struct enum_names elb_address_type_names;

enum elb_balancer_type { ELB_BALANCER_TYPE_UNSET, ELB_BALANCER_TYPE_APPLICATION, ELB_BALANCER_TYPE_NETWORK,
    ELB_BALANCER_TYPE_COUNT };
extern const struct enum_names elb_balancer_type_names;

enum elb_scheme { ELB_SCHEME_UNSET, ELB_SCHEME_INTERNET_FACING, ELB_SCHEME_INTERNAL, ELB_SCHEME_COUNT };
extern const struct enum_names elb_scheme_names;

struct elb_pair {
    struct str key;
    struct str value;
};
struct elb_pair_list { struct elb_pair *items; size_t count; };
extern const struct schema elb_pair_schema;

struct elb_matcher {
    struct str http_code;
    struct str grpc_code;
};
struct elb_matcher_list { struct elb_matcher *items; size_t count; };
extern const struct schema elb_matcher_schema;

struct target_group {
    struct str arn;
    struct str name;
    enum elb_protocol protocol;
    struct opt_int port;
    struct str vpc_id;
    enum elb_protocol health_check_protocol;
    struct str health_check_port;
    enum opt_bool health_check_enabled;
    struct opt_int health_check_interval_seconds;
    struct opt_int health_check_timeout_seconds;
    struct opt_int healthy_threshold_count;
    struct opt_int unhealthy_threshold_count;
    struct str health_check_path;
    struct elb_matcher *matcher;
    struct str_list load_balancer_arns;
    enum elb_target_type target_type;
    struct str protocol_version;
    enum elb_address_type ip_address_type;
};
struct target_group_list { struct target_group *items; size_t count; };
extern const struct schema target_group_schema;

struct kept_group {
    struct str id;                           /* 16 hex digits: the end of its ARN */
    struct target_group *group;
    struct elb_pair_list attributes;         /* those that were set */
    struct tag_list tags;
    int64_t created_ms;
};
struct kept_group_list { struct kept_group *items; size_t count; };
extern const struct schema kept_group_record;

enum target_state { TARGET_STATE_UNSET, TARGET_INITIAL, TARGET_HEALTHY, TARGET_UNHEALTHY, TARGET_DRAINING, TARGET_STATE_COUNT };
extern const struct enum_names target_state_names;

/* A task of a service that registered itself, or an address that RegisterTargets named. */
struct kept_target {
    struct str group;                        /* the name of its target group */
    struct str name;                         /* as clients know it: an address, or the id of an instance */
    int64_t port;
    struct str address;                      /* where requests go */
    struct str zone;
    struct id task;                          /* zero: RegisterTargets named it */
    int64_t service;                         /* number of the task's service */
    struct str container;                    /* of the task */
    int64_t container_port;
    enum target_state state;
    struct str reason;                       /* in ELB's words, with description */
    struct str description;
    int64_t since_ms;                        /* of the state */
    int64_t drain_ends_ms;                   /* draining: when it goes at the latest */
    int64_t revision;                        /* of the commit that changed it last */
    int64_t registration;                    /* of the commit that registered it: tells it apart from an earlier target of this name and port */
    int64_t checked;                         /* the number of the check's report that its state follows; 0: no report has come */
};
struct kept_target_list { struct kept_target *items; size_t count; };
extern const struct schema kept_target_record;

struct elb_zone {
    struct str zone_name;
    struct str subnet_id;
};
struct elb_zone_list { struct elb_zone *items; size_t count; };
extern const struct schema elb_zone_schema;

struct elb_state {
    struct str code;
    struct str reason;
};
struct elb_state_list { struct elb_state *items; size_t count; };
extern const struct schema elb_state_schema;

struct elb_balancer {
    struct str arn;
    struct str dns_name;
    struct str canonical_hosted_zone_id;
    int64_t created_ms;
    struct str name;
    enum elb_scheme scheme;
    struct str vpc_id;
    struct elb_state *state;
    enum elb_balancer_type type;
    struct elb_zone_list availability_zones;
    struct str_list security_groups;
    enum elb_address_type ip_address_type;
};
struct elb_balancer_list { struct elb_balancer *items; size_t count; };
extern const struct schema elb_balancer_schema;

struct kept_balancer {
    struct str id;                           /* 16 hex digits, as in kept_group */
    struct elb_balancer *balancer;
    struct elb_pair_list attributes;
    struct tag_list tags;
};
struct kept_balancer_list { struct kept_balancer *items; size_t count; };
extern const struct schema kept_balancer_record;

enum elb_action_type { ELB_ACTION_TYPE_UNSET, ELB_ACTION_TYPE_FORWARD, ELB_ACTION_TYPE_REDIRECT, ELB_ACTION_TYPE_FIXED_RESPONSE,
    ELB_ACTION_TYPE_COUNT };
extern const struct enum_names elb_action_type_names;

struct elb_weighted_group {
    struct str target_group_arn;
    struct opt_int weight;
};
struct elb_weighted_group_list { struct elb_weighted_group *items; size_t count; };
extern const struct schema elb_weighted_group_schema;

struct elb_stickiness {
    enum opt_bool enabled;
    struct opt_int duration_seconds;
};
struct elb_stickiness_list { struct elb_stickiness *items; size_t count; };
extern const struct schema elb_stickiness_schema;

struct elb_forward {
    struct elb_weighted_group_list target_groups;
    struct elb_stickiness *target_group_stickiness_config;
};
struct elb_forward_list { struct elb_forward *items; size_t count; };
extern const struct schema elb_forward_schema;

struct elb_redirect {
    struct str protocol;
    struct str port;
    struct str host;
    struct str path;
    struct str query;
    struct str status_code;
};
struct elb_redirect_list { struct elb_redirect *items; size_t count; };
extern const struct schema elb_redirect_schema;

struct elb_fixed_response {
    struct str message_body;
    struct str status_code;
    struct str content_type;
};
struct elb_fixed_response_list { struct elb_fixed_response *items; size_t count; };
extern const struct schema elb_fixed_response_schema;

struct elb_action {
    enum elb_action_type type;
    struct str target_group_arn;
    struct opt_int order;
    struct elb_redirect *redirect_config;
    struct elb_fixed_response *fixed_response_config;
    struct elb_forward *forward_config;
};
struct elb_action_list { struct elb_action *items; size_t count; };
extern const struct schema elb_action_schema;

struct elb_certificate {
    struct str certificate_arn;
    enum opt_bool is_default;
};
struct elb_certificate_list { struct elb_certificate *items; size_t count; };
extern const struct schema elb_certificate_schema;

struct elb_listener {
    struct str arn;
    struct str load_balancer_arn;
    struct opt_int port;
    enum elb_protocol protocol;
    struct elb_certificate_list certificates;
    struct str ssl_policy;
    struct elb_action_list default_actions;
    struct str_list alpn_policy;
};
struct elb_listener_list { struct elb_listener *items; size_t count; };
extern const struct schema elb_listener_schema;

struct kept_listener {
    struct str id;                           /* 16 hex digits */
    struct elb_listener *listener;
    struct elb_pair_list attributes;
    struct tag_list tags;
    struct elb_certificate_list more;        /* AddListenerCertificates */
    struct str balancer;                     /* the name of its load balancer */
    struct str balancer_id;
};
struct kept_listener_list { struct kept_listener *items; size_t count; };
extern const struct schema kept_listener_record;

struct elb_values {
    struct str_list values;
};
struct elb_values_list { struct elb_values *items; size_t count; };
extern const struct schema elb_values_schema;

struct elb_header {
    struct str http_header_name;
    struct str_list values;
};
struct elb_header_list { struct elb_header *items; size_t count; };
extern const struct schema elb_header_schema;

struct elb_query_pair {
    struct str key;
    struct str value;
};
struct elb_query_pair_list { struct elb_query_pair *items; size_t count; };
extern const struct schema elb_query_pair_schema;

struct elb_query {
    struct elb_query_pair_list values;
};
struct elb_query_list { struct elb_query *items; size_t count; };
extern const struct schema elb_query_schema;

struct elb_condition {
    struct str field;
    struct str_list values;
    struct elb_values *host_header_config;
    struct elb_values *path_pattern_config;
    struct elb_header *http_header_config;
    struct elb_query *query_string_config;
    struct elb_values *http_request_method_config;
    struct elb_values *source_ip_config;
};
struct elb_condition_list { struct elb_condition *items; size_t count; };
extern const struct schema elb_condition_schema;

struct elb_rule {
    struct str arn;
    struct str priority;                     /* digits, or "default": that one is its listener's DefaultActions, and has no record */
    struct elb_condition_list conditions;
    struct elb_action_list actions;
    enum opt_bool is_default;
};
struct elb_rule_list { struct elb_rule *items; size_t count; };
extern const struct schema elb_rule_schema;

struct kept_rule {
    struct str id;                           /* 16 hex digits */
    struct elb_rule *rule;
    struct tag_list tags;
    struct str balancer;                     /* of its listener */
    struct str balancer_id;
    struct str listener_id;
};
struct kept_rule_list { struct kept_rule *items; size_t count; };
extern const struct schema kept_rule_record;

#endif
