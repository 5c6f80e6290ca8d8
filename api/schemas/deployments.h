/* deployments.h: inputs and outputs of the operations on deployments, in the order of the API model. Written by tools/shapes from
 * api/schemas/deployments.shapes. */
#ifndef BERTH_API_SCHEMAS_DEPLOYMENTS_H
#define BERTH_API_SCHEMAS_DEPLOYMENTS_H

#include "api/schemas/services.h"

struct describe_service_deployments_request {
    struct str_list service_deployment_arns;
};
struct describe_service_deployments_request_list { struct describe_service_deployments_request *items; size_t count; };
extern const struct schema describe_service_deployments_request_schema;

struct service_revision_summary {
    struct str arn;
    struct opt_int requested_task_count;
    struct opt_int running_task_count;
    struct opt_int pending_task_count;
    struct opt_double requested_test_traffic_weight;
    struct opt_double requested_production_traffic_weight;
};
struct service_revision_summary_list { struct service_revision_summary *items; size_t count; };
extern const struct schema service_revision_summary_schema;

struct deployment_lifecycle_hook_detail {
    struct str hook_id;
    enum deployment_lifecycle_hook_target_type target_type;
    struct str target_arn;
    enum deployment_lifecycle_hook_status status;
    int64_t expires_at;
    enum deployment_lifecycle_hook_action timeout_action;
};
struct deployment_lifecycle_hook_detail_list { struct deployment_lifecycle_hook_detail *items; size_t count; };
extern const struct schema deployment_lifecycle_hook_detail_schema;

struct rollback {
    struct str reason;
    int64_t started_at;
    struct str service_revision_arn;
};
struct rollback_list { struct rollback *items; size_t count; };
extern const struct schema rollback_schema;

struct service_deployment_circuit_breaker {
    enum service_deployment_rollback_monitors_status status;
    struct opt_int failure_count;
    struct opt_int threshold;
};
struct service_deployment_circuit_breaker_list { struct service_deployment_circuit_breaker *items; size_t count; };
extern const struct schema service_deployment_circuit_breaker_schema;

struct service_deployment_alarms {
    enum service_deployment_rollback_monitors_status status;
    struct str_list alarm_names;
    struct str_list triggered_alarm_names;
};
struct service_deployment_alarms_list { struct service_deployment_alarms *items; size_t count; };
extern const struct schema service_deployment_alarms_schema;

struct service_deployment_view {
    struct str service_deployment_arn;
    struct str service_arn;
    struct str cluster_arn;
    int64_t created_at;
    int64_t started_at;
    int64_t finished_at;
    int64_t stopped_at;
    int64_t updated_at;
    struct service_revision_summary_list source_service_revisions;
    struct service_revision_summary *target_service_revision;
    enum service_deployment_status status;
    struct str status_reason;
    enum service_deployment_lifecycle_stage lifecycle_stage;
    struct deployment_lifecycle_hook_detail_list lifecycle_hook_details;
    struct deployment_configuration *deployment_configuration;
    struct rollback *rollback;
    struct service_deployment_circuit_breaker *deployment_circuit_breaker;
    struct service_deployment_alarms *alarms;
};
struct service_deployment_view_list { struct service_deployment_view *items; size_t count; };
extern const struct schema service_deployment_view_schema;

struct describe_service_deployments_response {
    struct service_deployment_view_list service_deployments;
    struct failure_list failures;
};
struct describe_service_deployments_response_list { struct describe_service_deployments_response *items; size_t count; };
extern const struct schema describe_service_deployments_response_schema;

struct created_at {
    int64_t before;
    int64_t after;
};
struct created_at_list { struct created_at *items; size_t count; };
extern const struct schema created_at_schema;

struct list_service_deployments_request {
    struct str service;
    struct str cluster;
    struct enum_list status;
    struct created_at *created_at;
    struct str next_token;
    struct opt_int max_results;
};
struct list_service_deployments_request_list { struct list_service_deployments_request *items; size_t count; };
extern const struct schema list_service_deployments_request_schema;

struct service_deployment_brief {
    struct str service_deployment_arn;
    struct str service_arn;
    struct str cluster_arn;
    int64_t started_at;
    int64_t created_at;
    int64_t finished_at;
    struct str target_service_revision_arn;
    enum service_deployment_status status;
    struct str status_reason;
};
struct service_deployment_brief_list { struct service_deployment_brief *items; size_t count; };
extern const struct schema service_deployment_brief_schema;

struct list_service_deployments_response {
    struct service_deployment_brief_list service_deployments;
    struct str next_token;
};
struct list_service_deployments_response_list { struct list_service_deployments_response *items; size_t count; };
extern const struct schema list_service_deployments_response_schema;

enum stop_service_deployment_stop_type { STOP_SERVICE_DEPLOYMENT_STOP_TYPE_UNSET, STOP_SERVICE_DEPLOYMENT_STOP_TYPE_ABORT,
    STOP_SERVICE_DEPLOYMENT_STOP_TYPE_ROLLBACK, STOP_SERVICE_DEPLOYMENT_STOP_TYPE_COUNT };
extern const struct enum_names stop_service_deployment_stop_type_names;

struct stop_service_deployment_request {
    struct str service_deployment_arn;
    enum stop_service_deployment_stop_type stop_type;
};
struct stop_service_deployment_request_list { struct stop_service_deployment_request *items; size_t count; };
extern const struct schema stop_service_deployment_request_schema;

struct stop_service_deployment_response {
    struct str service_deployment_arn;
};
struct stop_service_deployment_response_list { struct stop_service_deployment_response *items; size_t count; };
extern const struct schema stop_service_deployment_response_schema;

struct continue_service_deployment_request {
    struct str service_deployment_arn;
    struct str hook_id;
    enum deployment_lifecycle_hook_action action;
};
struct continue_service_deployment_request_list { struct continue_service_deployment_request *items; size_t count; };
extern const struct schema continue_service_deployment_request_schema;

struct continue_service_deployment_response {
    struct str service_deployment_arn;
};
struct continue_service_deployment_response_list { struct continue_service_deployment_response *items; size_t count; };
extern const struct schema continue_service_deployment_response_schema;

struct describe_service_revisions_request {
    struct str_list service_revision_arns;
};
struct describe_service_revisions_request_list { struct describe_service_revisions_request *items; size_t count; };
extern const struct schema describe_service_revisions_request_schema;

struct service_revision_load_balancer {
    struct str target_group_arn;
    struct str production_listener_rule;
};
struct service_revision_load_balancer_list { struct service_revision_load_balancer *items; size_t count; };
extern const struct schema service_revision_load_balancer_schema;

struct resolved_configuration {
    struct service_revision_load_balancer_list load_balancers;
};
struct resolved_configuration_list { struct resolved_configuration *items; size_t count; };
extern const struct schema resolved_configuration_schema;

enum managed_resource_status { MANAGED_RESOURCE_STATUS_UNSET, MANAGED_RESOURCE_STATUS_PROVISIONING,
    MANAGED_RESOURCE_STATUS_ACTIVE, MANAGED_RESOURCE_STATUS_DEPROVISIONING, MANAGED_RESOURCE_STATUS_DELETED,
    MANAGED_RESOURCE_STATUS_FAILED, MANAGED_RESOURCE_STATUS_COUNT };
extern const struct enum_names managed_resource_status_names;

struct managed_load_balancer {
    struct str arn;
    enum managed_resource_status status;
    struct str status_reason;
    int64_t updated_at;
    struct str scheme;
    struct str_list subnet_ids;
    struct str_list security_group_ids;
};
struct managed_load_balancer_list { struct managed_load_balancer *items; size_t count; };
extern const struct schema managed_load_balancer_schema;

struct managed_security_group {
    struct str arn;
    enum managed_resource_status status;
    struct str status_reason;
    int64_t updated_at;
};
struct managed_security_group_list { struct managed_security_group *items; size_t count; };
extern const struct schema managed_security_group_schema;

struct managed_certificate {
    struct str arn;
    enum managed_resource_status status;
    struct str status_reason;
    int64_t updated_at;
    struct str domain_name;
};
struct managed_certificate_list { struct managed_certificate *items; size_t count; };
extern const struct schema managed_certificate_schema;

struct managed_listener {
    struct str arn;
    enum managed_resource_status status;
    struct str status_reason;
    int64_t updated_at;
};
struct managed_listener_list { struct managed_listener *items; size_t count; };
extern const struct schema managed_listener_schema;

struct managed_listener_rule {
    struct str arn;
    enum managed_resource_status status;
    struct str status_reason;
    int64_t updated_at;
};
struct managed_listener_rule_list { struct managed_listener_rule *items; size_t count; };
extern const struct schema managed_listener_rule_schema;

struct managed_target_group {
    struct str arn;
    enum managed_resource_status status;
    struct str status_reason;
    int64_t updated_at;
    struct str health_check_path;
    struct opt_int health_check_port;
    struct opt_int port;
};
struct managed_target_group_list { struct managed_target_group *items; size_t count; };
extern const struct schema managed_target_group_schema;

enum access_type { ACCESS_TYPE_UNSET, ACCESS_TYPE_PUBLIC, ACCESS_TYPE_PRIVATE, ACCESS_TYPE_COUNT };
extern const struct enum_names access_type_names;

struct managed_ingress_path {
    enum access_type access_type;
    struct str endpoint;
    struct managed_load_balancer *load_balancer;
    struct managed_security_group_list load_balancer_security_groups;
    struct managed_certificate *certificate;
    struct managed_listener *listener;
    struct managed_listener_rule *rule;
    struct managed_target_group_list target_groups;
};
struct managed_ingress_path_list { struct managed_ingress_path *items; size_t count; };
extern const struct schema managed_ingress_path_schema;

struct managed_scalable_target {
    struct str arn;
    enum managed_resource_status status;
    struct str status_reason;
    int64_t updated_at;
    struct opt_int min_capacity;
    struct opt_int max_capacity;
};
struct managed_scalable_target_list { struct managed_scalable_target *items; size_t count; };
extern const struct schema managed_scalable_target_schema;

struct managed_application_auto_scaling_policy {
    struct str arn;
    enum managed_resource_status status;
    struct str status_reason;
    int64_t updated_at;
    struct str policy_type;
    struct opt_double target_value;
    struct str metric;
};
struct managed_application_auto_scaling_policy_list { struct managed_application_auto_scaling_policy *items; size_t count; };
extern const struct schema managed_application_auto_scaling_policy_schema;

struct managed_auto_scaling {
    struct managed_scalable_target *scalable_target;
    struct managed_application_auto_scaling_policy_list application_auto_scaling_policies;
};
struct managed_auto_scaling_list { struct managed_auto_scaling *items; size_t count; };
extern const struct schema managed_auto_scaling_schema;

struct managed_metric_alarm {
    struct str arn;
    enum managed_resource_status status;
    struct str status_reason;
    int64_t updated_at;
};
struct managed_metric_alarm_list { struct managed_metric_alarm *items; size_t count; };
extern const struct schema managed_metric_alarm_schema;

struct managed_log_group {
    struct str arn;
    enum managed_resource_status status;
    struct str status_reason;
    int64_t updated_at;
    struct str log_group_name;
};
struct managed_log_group_list { struct managed_log_group *items; size_t count; };
extern const struct schema managed_log_group_schema;

struct ecs_managed_resources {
    struct managed_ingress_path_list ingress_paths;
    struct managed_auto_scaling *auto_scaling;
    struct managed_metric_alarm_list metric_alarms;
    struct managed_security_group_list service_security_groups;
    struct managed_log_group_list log_groups;
};
struct ecs_managed_resources_list { struct ecs_managed_resources *items; size_t count; };
extern const struct schema ecs_managed_resources_schema;

struct runtime_platform_override {
    struct str cpu_architecture;
};
struct runtime_platform_override_list { struct runtime_platform_override *items; size_t count; };
extern const struct schema runtime_platform_override_schema;

struct service_revision_overrides {
    struct runtime_platform_override *runtime_platform;
};
struct service_revision_overrides_list { struct service_revision_overrides *items; size_t count; };
extern const struct schema service_revision_overrides_schema;

struct service_revision_view {
    struct str service_revision_arn;
    struct str service_arn;
    struct str cluster_arn;
    struct str task_definition;
    struct capacity_provider_strategy_item_list capacity_provider_strategy;
    enum launch_type launch_type;
    struct str platform_version;
    struct str platform_family;
    struct load_balancer_list load_balancers;
    struct service_registry_list service_registries;
    struct network_configuration *network_configuration;
    struct container_image_list container_images;
    enum opt_bool guard_duty_enabled;
    struct service_connect_configuration *service_connect_configuration;
    struct service_volume_configuration_list volume_configurations;
    struct deployment_ephemeral_storage *fargate_ephemeral_storage;
    int64_t created_at;
    struct vpc_lattice_configuration_list vpc_lattice_configurations;
    struct resolved_configuration *resolved_configuration;
    struct ecs_managed_resources *ecs_managed_resources;
    struct service_revision_overrides *overrides;
    struct monitoring_configuration *monitoring;
};
struct service_revision_view_list { struct service_revision_view *items; size_t count; };
extern const struct schema service_revision_view_schema;

struct describe_service_revisions_response {
    struct service_revision_view_list service_revisions;
    struct failure_list failures;
};
struct describe_service_revisions_response_list { struct describe_service_revisions_response *items; size_t count; };
extern const struct schema describe_service_revisions_response_schema;

#endif
