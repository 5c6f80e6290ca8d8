/* service.h: parts of services, deployments and task sets of the ECS API that requests, replies and Berth's records share, as the
 * wire names them. Members are in the order of the API model; a record tag is the place in that order and never changes.
 * tests/contract compares these tables with the model of an installed SDK. Written by tools/shapes from model/ecs/service.shapes.
 * */
#ifndef BERTH_MODEL_ECS_SERVICE_H
#define BERTH_MODEL_ECS_SERVICE_H

#include "model/ecs/taskdef.h"
#include "model/ecs/task.h"

struct advanced_configuration {
    struct str alternate_target_group_arn;
    struct str production_listener_rule;
    struct str test_listener_rule;
    struct str role_arn;
};
struct advanced_configuration_list { struct advanced_configuration *items; size_t count; };
extern const struct schema advanced_configuration_schema;

struct load_balancer {
    struct str target_group_arn;
    struct str load_balancer_name;
    struct str container_name;
    struct opt_int container_port;
    struct advanced_configuration *advanced_configuration;
};
struct load_balancer_list { struct load_balancer *items; size_t count; };
extern const struct schema load_balancer_schema;

struct service_registry {
    struct str registry_arn;
    struct opt_int port;
    struct str container_name;
    struct opt_int container_port;
};
struct service_registry_list { struct service_registry *items; size_t count; };
extern const struct schema service_registry_schema;

enum threshold_type { THRESHOLD_TYPE_UNSET, THRESHOLD_TYPE_NUMBER, THRESHOLD_TYPE_BOUNDED_PERCENT,
    THRESHOLD_TYPE_UNBOUNDED_PERCENT, THRESHOLD_TYPE_COUNT };
extern const struct enum_names threshold_type_names;

struct threshold_configuration {
    enum threshold_type type;
    struct opt_int value;
};
struct threshold_configuration_list { struct threshold_configuration *items; size_t count; };
extern const struct schema threshold_configuration_schema;

struct deployment_circuit_breaker {
    enum opt_bool enable;
    enum opt_bool rollback;
    enum opt_bool reset_on_healthy_task;
    struct threshold_configuration *threshold_configuration;
};
struct deployment_circuit_breaker_list { struct deployment_circuit_breaker *items; size_t count; };
extern const struct schema deployment_circuit_breaker_schema;

struct deployment_alarms {
    struct str_list alarm_names;
    enum opt_bool rollback;
    enum opt_bool enable;
};
struct deployment_alarms_list { struct deployment_alarms *items; size_t count; };
extern const struct schema deployment_alarms_schema;

enum deployment_lifecycle_hook_action { DEPLOYMENT_LIFECYCLE_HOOK_ACTION_UNSET, DEPLOYMENT_LIFECYCLE_HOOK_ACTION_ROLLBACK,
    DEPLOYMENT_LIFECYCLE_HOOK_ACTION_CONTINUE, DEPLOYMENT_LIFECYCLE_HOOK_ACTION_COUNT };
extern const struct enum_names deployment_lifecycle_hook_action_names;

struct deployment_lifecycle_hook_timeout_configuration {
    struct opt_int timeout_in_minutes;
    enum deployment_lifecycle_hook_action action;
};
struct deployment_lifecycle_hook_timeout_configuration_list { struct deployment_lifecycle_hook_timeout_configuration *items; size_t count; };
extern const struct schema deployment_lifecycle_hook_timeout_configuration_schema;

enum deployment_lifecycle_hook_target_type { DEPLOYMENT_LIFECYCLE_HOOK_TARGET_TYPE_UNSET,
    DEPLOYMENT_LIFECYCLE_HOOK_TARGET_TYPE_AWS_LAMBDA, DEPLOYMENT_LIFECYCLE_HOOK_TARGET_TYPE_PAUSE,
    DEPLOYMENT_LIFECYCLE_HOOK_TARGET_TYPE_COUNT };
extern const struct enum_names deployment_lifecycle_hook_target_type_names;

enum deployment_lifecycle_hook_stage { DEPLOYMENT_LIFECYCLE_HOOK_STAGE_UNSET, DEPLOYMENT_LIFECYCLE_HOOK_STAGE_RECONCILE_SERVICE,
    DEPLOYMENT_LIFECYCLE_HOOK_STAGE_PRE_SCALE_UP, DEPLOYMENT_LIFECYCLE_HOOK_STAGE_POST_SCALE_UP,
    DEPLOYMENT_LIFECYCLE_HOOK_STAGE_TEST_TRAFFIC_SHIFT, DEPLOYMENT_LIFECYCLE_HOOK_STAGE_POST_TEST_TRAFFIC_SHIFT,
    DEPLOYMENT_LIFECYCLE_HOOK_STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT, DEPLOYMENT_LIFECYCLE_HOOK_STAGE_PRODUCTION_TRAFFIC_SHIFT,
    DEPLOYMENT_LIFECYCLE_HOOK_STAGE_POST_PRODUCTION_TRAFFIC_SHIFT, DEPLOYMENT_LIFECYCLE_HOOK_STAGE_COUNT };
extern const struct enum_names deployment_lifecycle_hook_stage_names;

struct deployment_lifecycle_hook {
    enum deployment_lifecycle_hook_target_type target_type;
    struct str hook_target_arn;
    struct str role_arn;
    struct enum_list lifecycle_stages;
    struct str hook_details;
    struct deployment_lifecycle_hook_timeout_configuration *timeout_configuration;
};
struct deployment_lifecycle_hook_list { struct deployment_lifecycle_hook *items; size_t count; };
extern const struct schema deployment_lifecycle_hook_schema;

enum deployment_lifecycle_hook_status { DEPLOYMENT_LIFECYCLE_HOOK_STATUS_UNSET, DEPLOYMENT_LIFECYCLE_HOOK_STATUS_AWAITING_ACTION,
    DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS, DEPLOYMENT_LIFECYCLE_HOOK_STATUS_SUCCEEDED,
    DEPLOYMENT_LIFECYCLE_HOOK_STATUS_FAILED, DEPLOYMENT_LIFECYCLE_HOOK_STATUS_TIMED_OUT, DEPLOYMENT_LIFECYCLE_HOOK_STATUS_COUNT };
extern const struct enum_names deployment_lifecycle_hook_status_names;

struct linear_configuration {
    struct opt_double step_percent;
    struct opt_int step_bake_time_in_minutes;
};
struct linear_configuration_list { struct linear_configuration *items; size_t count; };
extern const struct schema linear_configuration_schema;

struct canary_configuration {
    struct opt_double canary_percent;
    struct opt_int canary_bake_time_in_minutes;
};
struct canary_configuration_list { struct canary_configuration *items; size_t count; };
extern const struct schema canary_configuration_schema;

enum deployment_strategy { DEPLOYMENT_STRATEGY_UNSET, DEPLOYMENT_STRATEGY_ROLLING, DEPLOYMENT_STRATEGY_BLUE_GREEN,
    DEPLOYMENT_STRATEGY_LINEAR, DEPLOYMENT_STRATEGY_CANARY, DEPLOYMENT_STRATEGY_COUNT };
extern const struct enum_names deployment_strategy_names;

struct deployment_configuration {
    struct deployment_circuit_breaker *deployment_circuit_breaker;
    struct opt_int maximum_percent;
    struct opt_int minimum_healthy_percent;
    struct deployment_alarms *alarms;
    enum deployment_strategy strategy;
    struct opt_int bake_time_in_minutes;
    struct deployment_lifecycle_hook_list lifecycle_hooks;
    struct linear_configuration *linear_configuration;
    struct canary_configuration *canary_configuration;
};
struct deployment_configuration_list { struct deployment_configuration *items; size_t count; };
extern const struct schema deployment_configuration_schema;

enum deployment_controller_type { DEPLOYMENT_CONTROLLER_TYPE_UNSET, DEPLOYMENT_CONTROLLER_TYPE_ECS,
    DEPLOYMENT_CONTROLLER_TYPE_CODE_DEPLOY, DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL, DEPLOYMENT_CONTROLLER_TYPE_COUNT };
extern const struct enum_names deployment_controller_type_names;

struct deployment_controller {
    enum deployment_controller_type type;
};
struct deployment_controller_list { struct deployment_controller *items; size_t count; };
extern const struct schema deployment_controller_schema;

struct service_connect_test_traffic_header_match_rules {
    struct str exact;
};
struct service_connect_test_traffic_header_match_rules_list { struct service_connect_test_traffic_header_match_rules *items; size_t count; };
extern const struct schema service_connect_test_traffic_header_match_rules_schema;

struct service_connect_test_traffic_header_rules {
    struct str name;
    struct service_connect_test_traffic_header_match_rules *value;
};
struct service_connect_test_traffic_header_rules_list { struct service_connect_test_traffic_header_rules *items; size_t count; };
extern const struct schema service_connect_test_traffic_header_rules_schema;

struct service_connect_test_traffic_rules {
    struct service_connect_test_traffic_header_rules *header;
};
struct service_connect_test_traffic_rules_list { struct service_connect_test_traffic_rules *items; size_t count; };
extern const struct schema service_connect_test_traffic_rules_schema;

struct service_connect_client_alias {
    struct opt_int port;
    struct str dns_name;
    struct service_connect_test_traffic_rules *test_traffic_rules;
};
struct service_connect_client_alias_list { struct service_connect_client_alias *items; size_t count; };
extern const struct schema service_connect_client_alias_schema;

struct timeout_configuration {
    struct opt_int idle_timeout_seconds;
    struct opt_int per_request_timeout_seconds;
};
struct timeout_configuration_list { struct timeout_configuration *items; size_t count; };
extern const struct schema timeout_configuration_schema;

struct service_connect_tls_certificate_authority {
    struct str aws_pca_authority_arn;
};
struct service_connect_tls_certificate_authority_list { struct service_connect_tls_certificate_authority *items; size_t count; };
extern const struct schema service_connect_tls_certificate_authority_schema;

struct service_connect_tls_configuration {
    struct service_connect_tls_certificate_authority *issuer_certificate_authority;
    struct str kms_key;
    struct str role_arn;
};
struct service_connect_tls_configuration_list { struct service_connect_tls_configuration *items; size_t count; };
extern const struct schema service_connect_tls_configuration_schema;

struct service_connect_service {
    struct str port_name;
    struct str discovery_name;
    struct service_connect_client_alias_list client_aliases;
    struct opt_int ingress_port_override;
    struct timeout_configuration *timeout;
    struct service_connect_tls_configuration *tls;
};
struct service_connect_service_list { struct service_connect_service *items; size_t count; };
extern const struct schema service_connect_service_schema;

enum service_connect_access_logging_format { SERVICE_CONNECT_ACCESS_LOGGING_FORMAT_UNSET,
    SERVICE_CONNECT_ACCESS_LOGGING_FORMAT_TEXT, SERVICE_CONNECT_ACCESS_LOGGING_FORMAT_JSON,
    SERVICE_CONNECT_ACCESS_LOGGING_FORMAT_COUNT };
extern const struct enum_names service_connect_access_logging_format_names;

enum service_connect_include_query_parameters { SERVICE_CONNECT_INCLUDE_QUERY_PARAMETERS_UNSET,
    SERVICE_CONNECT_INCLUDE_QUERY_PARAMETERS_DISABLED, SERVICE_CONNECT_INCLUDE_QUERY_PARAMETERS_ENABLED,
    SERVICE_CONNECT_INCLUDE_QUERY_PARAMETERS_COUNT };
extern const struct enum_names service_connect_include_query_parameters_names;

struct service_connect_access_log_configuration {
    enum service_connect_access_logging_format format;
    enum service_connect_include_query_parameters include_query_parameters;
};
struct service_connect_access_log_configuration_list { struct service_connect_access_log_configuration *items; size_t count; };
extern const struct schema service_connect_access_log_configuration_schema;

struct service_connect_configuration {
    enum opt_bool enabled;
    struct str namespace;
    struct service_connect_service_list services;
    struct log_configuration *log_configuration;
    struct service_connect_access_log_configuration *access_log_configuration;
};
struct service_connect_configuration_list { struct service_connect_configuration *items; size_t count; };
extern const struct schema service_connect_configuration_schema;

struct metric_configuration {
    struct str_list metric_names;
    struct opt_int resolution_seconds;
};
struct metric_configuration_list { struct metric_configuration *items; size_t count; };
extern const struct schema metric_configuration_schema;

struct monitoring_configuration {
    struct metric_configuration_list metric_configurations;
};
struct monitoring_configuration_list { struct monitoring_configuration *items; size_t count; };
extern const struct schema monitoring_configuration_schema;

enum availability_zone_rebalancing { AVAILABILITY_ZONE_REBALANCING_UNSET, AVAILABILITY_ZONE_REBALANCING_ENABLED,
    AVAILABILITY_ZONE_REBALANCING_DISABLED, AVAILABILITY_ZONE_REBALANCING_COUNT };
extern const struct enum_names availability_zone_rebalancing_names;

enum scheduling_strategy { SCHEDULING_STRATEGY_UNSET, SCHEDULING_STRATEGY_REPLICA, SCHEDULING_STRATEGY_DAEMON,
    SCHEDULING_STRATEGY_COUNT };
extern const struct enum_names scheduling_strategy_names;

enum scale_unit { SCALE_UNIT_UNSET, SCALE_UNIT_PERCENT, SCALE_UNIT_COUNT };
extern const struct enum_names scale_unit_names;

struct scale {
    struct opt_double value;
    enum scale_unit unit;
};
struct scale_list { struct scale *items; size_t count; };
extern const struct schema scale_schema;

enum stability_status { STABILITY_STATUS_UNSET, STABILITY_STATUS_STEADY_STATE, STABILITY_STATUS_STABILIZING,
    STABILITY_STATUS_COUNT };
extern const struct enum_names stability_status_names;

enum deployment_rollout_state { DEPLOYMENT_ROLLOUT_STATE_UNSET, DEPLOYMENT_ROLLOUT_STATE_COMPLETED,
    DEPLOYMENT_ROLLOUT_STATE_FAILED, DEPLOYMENT_ROLLOUT_STATE_IN_PROGRESS, DEPLOYMENT_ROLLOUT_STATE_COUNT };
extern const struct enum_names deployment_rollout_state_names;

struct service_event {
    struct str id;
    int64_t created_at;
    struct str message;
};
struct service_event_list { struct service_event *items; size_t count; };
extern const struct schema service_event_schema;

enum service_deployment_rollback_monitors_status { SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_UNSET,
    SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_TRIGGERED, SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING,
    SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING_COMPLETE, SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_DISABLED,
    SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_COUNT };
extern const struct enum_names service_deployment_rollback_monitors_status_names;

enum service_deployment_status { SERVICE_DEPLOYMENT_STATUS_UNSET, SERVICE_DEPLOYMENT_STATUS_PENDING,
    SERVICE_DEPLOYMENT_STATUS_SUCCESSFUL, SERVICE_DEPLOYMENT_STATUS_STOPPED, SERVICE_DEPLOYMENT_STATUS_STOP_REQUESTED,
    SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS, SERVICE_DEPLOYMENT_STATUS_ROLLBACK_REQUESTED,
    SERVICE_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS, SERVICE_DEPLOYMENT_STATUS_ROLLBACK_SUCCESSFUL,
    SERVICE_DEPLOYMENT_STATUS_ROLLBACK_FAILED, SERVICE_DEPLOYMENT_STATUS_COUNT };
extern const struct enum_names service_deployment_status_names;

enum service_deployment_lifecycle_stage { SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_UNSET,
    SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_RECONCILE_SERVICE, SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_PRE_SCALE_UP,
    SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_SCALE_UP, SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_POST_SCALE_UP,
    SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_TEST_TRAFFIC_SHIFT, SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_POST_TEST_TRAFFIC_SHIFT,
    SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_PRODUCTION_TRAFFIC_SHIFT, SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_POST_PRODUCTION_TRAFFIC_SHIFT,
    SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_BAKE_TIME, SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_CLEAN_UP,
    SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_COUNT };
extern const struct enum_names service_deployment_lifecycle_stage_names;

struct container_image {
    struct str container_name;
    struct str image_digest;
    struct str image;
};
struct container_image_list { struct container_image *items; size_t count; };
extern const struct schema container_image_schema;

#endif
