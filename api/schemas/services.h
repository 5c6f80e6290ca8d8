/* services.h: inputs and outputs of the operations on services, in the order of the API model. Written by tools/shapes from
 * api/schemas/services.shapes. */
#ifndef BERTH_API_SCHEMAS_SERVICES_H
#define BERTH_API_SCHEMAS_SERVICES_H

#include "model/ecs/service.h"

struct service_managed_ebs_volume_configuration {
    enum opt_bool encrypted;
    struct str kms_key_id;
    struct str volume_type;
    struct opt_int size_in_gib;
    struct str snapshot_id;
    struct opt_int volume_initialization_rate;
    struct opt_int iops;
    struct opt_int throughput;
    struct ebs_tag_specification_list tag_specifications;
    struct str role_arn;
    enum task_filesystem_type filesystem_type;
};
struct service_managed_ebs_volume_configuration_list { struct service_managed_ebs_volume_configuration *items; size_t count; };
extern const struct schema service_managed_ebs_volume_configuration_schema;

struct service_volume_configuration {
    struct str name;
    struct service_managed_ebs_volume_configuration *managed_ebs_volume;
};
struct service_volume_configuration_list { struct service_volume_configuration *items; size_t count; };
extern const struct schema service_volume_configuration_schema;

struct vpc_lattice_configuration {
    struct str role_arn;
    struct str target_group_arn;
    struct str port_name;
};
struct vpc_lattice_configuration_list { struct vpc_lattice_configuration *items; size_t count; };
extern const struct schema vpc_lattice_configuration_schema;

struct create_service_request {
    struct str cluster;
    struct str service_name;
    struct str task_definition;
    enum availability_zone_rebalancing availability_zone_rebalancing;
    struct load_balancer_list load_balancers;
    struct service_registry_list service_registries;
    struct opt_int desired_count;
    struct str client_token;
    enum launch_type launch_type;
    struct capacity_provider_strategy_item_list capacity_provider_strategy;
    struct str platform_version;
    struct str role;
    struct deployment_configuration *deployment_configuration;
    struct placement_constraint_list placement_constraints;
    struct placement_strategy_list placement_strategy;
    struct network_configuration *network_configuration;
    struct opt_int health_check_grace_period_seconds;
    enum scheduling_strategy scheduling_strategy;
    struct deployment_controller *deployment_controller;
    struct tag_list tags;
    enum opt_bool enable_ecs_managed_tags;
    enum propagate_tags propagate_tags;
    enum opt_bool enable_execute_command;
    struct service_connect_configuration *service_connect_configuration;
    struct service_volume_configuration_list volume_configurations;
    struct vpc_lattice_configuration_list vpc_lattice_configurations;
    struct monitoring_configuration *monitoring;
};
struct create_service_request_list { struct create_service_request *items; size_t count; };
extern const struct schema create_service_request_schema;

struct deployment_ephemeral_storage {
    struct str kms_key_id;
};
struct deployment_ephemeral_storage_list { struct deployment_ephemeral_storage *items; size_t count; };
extern const struct schema deployment_ephemeral_storage_schema;

struct task_set {
    struct str id;
    struct str task_set_arn;
    struct str service_arn;
    struct str cluster_arn;
    struct str started_by;
    struct str external_id;
    struct str status;
    struct str task_definition;
    struct opt_int computed_desired_count;
    struct opt_int pending_count;
    struct opt_int running_count;
    int64_t created_at;
    int64_t updated_at;
    enum launch_type launch_type;
    struct capacity_provider_strategy_item_list capacity_provider_strategy;
    struct str platform_version;
    struct str platform_family;
    struct network_configuration *network_configuration;
    struct load_balancer_list load_balancers;
    struct service_registry_list service_registries;
    struct scale *scale;
    enum stability_status stability_status;
    int64_t stability_status_at;
    struct tag_list tags;
    struct deployment_ephemeral_storage *fargate_ephemeral_storage;
};
struct task_set_list { struct task_set *items; size_t count; };
extern const struct schema task_set_schema;

struct service_connect_service_resource {
    struct str discovery_name;
    struct str discovery_arn;
};
struct service_connect_service_resource_list { struct service_connect_service_resource *items; size_t count; };
extern const struct schema service_connect_service_resource_schema;

struct deployment_view {
    struct str id;
    struct str status;
    struct str task_definition;
    struct opt_int desired_count;
    struct opt_int pending_count;
    struct opt_int running_count;
    struct opt_int failed_tasks;
    int64_t created_at;
    int64_t updated_at;
    struct capacity_provider_strategy_item_list capacity_provider_strategy;
    enum launch_type launch_type;
    struct str platform_version;
    struct str platform_family;
    struct network_configuration *network_configuration;
    enum deployment_rollout_state rollout_state;
    struct str rollout_state_reason;
    struct service_connect_configuration *service_connect_configuration;
    struct service_connect_service_resource_list service_connect_resources;
    struct service_volume_configuration_list volume_configurations;
    struct deployment_ephemeral_storage *fargate_ephemeral_storage;
    struct vpc_lattice_configuration_list vpc_lattice_configurations;
};
struct deployment_view_list { struct deployment_view *items; size_t count; };
extern const struct schema deployment_view_schema;

struct service_current_revision_summary {
    struct str arn;
    struct opt_int requested_task_count;
    struct opt_int running_task_count;
    struct opt_int pending_task_count;
};
struct service_current_revision_summary_list { struct service_current_revision_summary *items; size_t count; };
extern const struct schema service_current_revision_summary_schema;

enum resource_management_type { RESOURCE_MANAGEMENT_TYPE_UNSET, RESOURCE_MANAGEMENT_TYPE_CUSTOMER, RESOURCE_MANAGEMENT_TYPE_ECS,
    RESOURCE_MANAGEMENT_TYPE_COUNT };
extern const struct enum_names resource_management_type_names;

struct service_view {
    struct str service_arn;
    struct str service_name;
    struct str cluster_arn;
    struct load_balancer_list load_balancers;
    struct service_registry_list service_registries;
    struct str status;
    struct opt_int desired_count;
    struct opt_int running_count;
    struct opt_int pending_count;
    enum launch_type launch_type;
    struct capacity_provider_strategy_item_list capacity_provider_strategy;
    struct str platform_version;
    struct str platform_family;
    struct str task_definition;
    struct deployment_configuration *deployment_configuration;
    struct task_set_list task_sets;
    struct deployment_view_list deployments;
    struct str role_arn;
    struct service_event_list events;
    int64_t created_at;
    struct str current_service_deployment;
    struct service_current_revision_summary_list current_service_revisions;
    struct placement_constraint_list placement_constraints;
    struct placement_strategy_list placement_strategy;
    struct network_configuration *network_configuration;
    struct opt_int health_check_grace_period_seconds;
    enum scheduling_strategy scheduling_strategy;
    struct deployment_controller *deployment_controller;
    struct tag_list tags;
    struct str created_by;
    enum opt_bool enable_ecs_managed_tags;
    enum propagate_tags propagate_tags;
    enum opt_bool enable_execute_command;
    enum availability_zone_rebalancing availability_zone_rebalancing;
    enum resource_management_type resource_management_type;
};
struct service_view_list { struct service_view *items; size_t count; };
extern const struct schema service_view_schema;

struct create_service_response {
    struct service_view *service;
};
struct create_service_response_list { struct create_service_response *items; size_t count; };
extern const struct schema create_service_response_schema;

struct update_service_request {
    struct str cluster;
    struct str service;
    struct opt_int desired_count;
    struct str task_definition;
    struct capacity_provider_strategy_item_list capacity_provider_strategy;
    struct deployment_configuration *deployment_configuration;
    enum availability_zone_rebalancing availability_zone_rebalancing;
    struct network_configuration *network_configuration;
    struct placement_constraint_list placement_constraints;
    struct placement_strategy_list placement_strategy;
    struct str platform_version;
    enum opt_bool force_new_deployment;
    struct opt_int health_check_grace_period_seconds;
    struct deployment_controller *deployment_controller;
    enum opt_bool enable_execute_command;
    enum opt_bool enable_ecs_managed_tags;
    struct load_balancer_list load_balancers;
    enum propagate_tags propagate_tags;
    struct service_registry_list service_registries;
    struct service_connect_configuration *service_connect_configuration;
    struct service_volume_configuration_list volume_configurations;
    struct vpc_lattice_configuration_list vpc_lattice_configurations;
    struct monitoring_configuration *monitoring;
};
struct update_service_request_list { struct update_service_request *items; size_t count; };
extern const struct schema update_service_request_schema;

struct update_service_response {
    struct service_view *service;
};
struct update_service_response_list { struct update_service_response *items; size_t count; };
extern const struct schema update_service_response_schema;

struct delete_service_request {
    struct str cluster;
    struct str service;
    enum opt_bool force;
};
struct delete_service_request_list { struct delete_service_request *items; size_t count; };
extern const struct schema delete_service_request_schema;

struct delete_service_response {
    struct service_view *service;
};
struct delete_service_response_list { struct delete_service_response *items; size_t count; };
extern const struct schema delete_service_response_schema;

enum service_field { SERVICE_FIELD_UNSET, SERVICE_FIELD_TAGS, SERVICE_FIELD_COUNT };
extern const struct enum_names service_field_names;

struct describe_services_request {
    struct str cluster;
    struct str_list services;
    struct enum_list include;
};
struct describe_services_request_list { struct describe_services_request *items; size_t count; };
extern const struct schema describe_services_request_schema;

struct describe_services_response {
    struct service_view_list services;
    struct failure_list failures;
};
struct describe_services_response_list { struct describe_services_response *items; size_t count; };
extern const struct schema describe_services_response_schema;

struct list_services_request {
    struct str cluster;
    struct str next_token;
    struct opt_int max_results;
    enum launch_type launch_type;
    enum scheduling_strategy scheduling_strategy;
    enum resource_management_type resource_management_type;
};
struct list_services_request_list { struct list_services_request *items; size_t count; };
extern const struct schema list_services_request_schema;

struct list_services_response {
    struct str_list service_arns;
    struct str next_token;
};
struct list_services_response_list { struct list_services_response *items; size_t count; };
extern const struct schema list_services_response_schema;

struct list_services_by_namespace_request {
    struct str namespace;
    struct str next_token;
    struct opt_int max_results;
};
struct list_services_by_namespace_request_list { struct list_services_by_namespace_request *items; size_t count; };
extern const struct schema list_services_by_namespace_request_schema;

struct list_services_by_namespace_response {
    struct str_list service_arns;
    struct str next_token;
};
struct list_services_by_namespace_response_list { struct list_services_by_namespace_response *items; size_t count; };
extern const struct schema list_services_by_namespace_response_schema;

#endif
