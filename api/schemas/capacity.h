/* capacity.h: inputs and outputs of the operations on capacity, in the order of the API model. Written by tools/shapes from
 * api/schemas/capacity.shapes. */
#ifndef BERTH_API_SCHEMAS_CAPACITY_H
#define BERTH_API_SCHEMAS_CAPACITY_H

#include "model/ecs/capacity.h"

struct create_managed_instances_provider_configuration {
    struct str infrastructure_role_arn;
    struct instance_launch_template *instance_launch_template;
    enum propagate_mi_tags propagate_tags;
    struct infrastructure_optimization *infrastructure_optimization;
    struct auto_repair_configuration *auto_repair_configuration;
};
struct create_managed_instances_provider_configuration_list { struct create_managed_instances_provider_configuration *items; size_t count; };
extern const struct schema create_managed_instances_provider_configuration_schema;

struct create_capacity_provider_request {
    struct str name;
    struct str cluster;
    struct auto_scaling_group_provider *auto_scaling_group_provider;
    struct create_managed_instances_provider_configuration *managed_instances_provider;
    struct tag_list tags;
};
struct create_capacity_provider_request_list { struct create_capacity_provider_request *items; size_t count; };
extern const struct schema create_capacity_provider_request_schema;

struct capacity_provider {
    struct str capacity_provider_arn;
    struct str name;
    struct str cluster;
    enum capacity_provider_status status;
    struct auto_scaling_group_provider *auto_scaling_group_provider;
    struct managed_instances_provider *managed_instances_provider;
    enum capacity_provider_update_status update_status;
    struct str update_status_reason;
    struct tag_list tags;
    enum capacity_provider_type type;
};
struct capacity_provider_list { struct capacity_provider *items; size_t count; };
extern const struct schema capacity_provider_schema;

struct create_capacity_provider_response {
    struct capacity_provider *capacity_provider;
};
struct create_capacity_provider_response_list { struct create_capacity_provider_response *items; size_t count; };
extern const struct schema create_capacity_provider_response_schema;

struct auto_scaling_group_provider_update {
    struct managed_scaling *managed_scaling;
    enum managed_termination_protection managed_termination_protection;
    enum managed_draining managed_draining;
};
struct auto_scaling_group_provider_update_list { struct auto_scaling_group_provider_update *items; size_t count; };
extern const struct schema auto_scaling_group_provider_update_schema;

struct instance_launch_template_update {
    struct str ec2_instance_profile_arn;
    struct managed_instances_network_configuration *network_configuration;
    struct managed_instances_storage_configuration *storage_configuration;
    enum opt_bool instance_metadata_tags_propagation;
    struct managed_instances_local_storage_configuration *local_storage_configuration;
    enum managed_instances_monitoring_options monitoring;
    struct instance_requirements_request *instance_requirements;
    struct capacity_reservation_request *capacity_reservations;
};
struct instance_launch_template_update_list { struct instance_launch_template_update *items; size_t count; };
extern const struct schema instance_launch_template_update_schema;

struct update_managed_instances_provider_configuration {
    struct str infrastructure_role_arn;
    struct instance_launch_template_update *instance_launch_template;
    enum propagate_mi_tags propagate_tags;
    struct infrastructure_optimization *infrastructure_optimization;
    struct auto_repair_configuration *auto_repair_configuration;
};
struct update_managed_instances_provider_configuration_list { struct update_managed_instances_provider_configuration *items; size_t count; };
extern const struct schema update_managed_instances_provider_configuration_schema;

struct update_capacity_provider_request {
    struct str name;
    struct str cluster;
    struct auto_scaling_group_provider_update *auto_scaling_group_provider;
    struct update_managed_instances_provider_configuration *managed_instances_provider;
};
struct update_capacity_provider_request_list { struct update_capacity_provider_request *items; size_t count; };
extern const struct schema update_capacity_provider_request_schema;

struct update_capacity_provider_response {
    struct capacity_provider *capacity_provider;
};
struct update_capacity_provider_response_list { struct update_capacity_provider_response *items; size_t count; };
extern const struct schema update_capacity_provider_response_schema;

struct delete_capacity_provider_request {
    struct str capacity_provider;
    struct str cluster;
};
struct delete_capacity_provider_request_list { struct delete_capacity_provider_request *items; size_t count; };
extern const struct schema delete_capacity_provider_request_schema;

struct delete_capacity_provider_response {
    struct capacity_provider *capacity_provider;
};
struct delete_capacity_provider_response_list { struct delete_capacity_provider_response *items; size_t count; };
extern const struct schema delete_capacity_provider_response_schema;

enum capacity_provider_field { CAPACITY_PROVIDER_FIELD_UNSET, CAPACITY_PROVIDER_FIELD_TAGS, CAPACITY_PROVIDER_FIELD_COUNT };
extern const struct enum_names capacity_provider_field_names;

struct describe_capacity_providers_request {
    struct str_list capacity_providers;
    struct str cluster;
    struct enum_list include;
    struct opt_int max_results;
    struct str next_token;
};
struct describe_capacity_providers_request_list { struct describe_capacity_providers_request *items; size_t count; };
extern const struct schema describe_capacity_providers_request_schema;

struct describe_capacity_providers_response {
    struct capacity_provider_list capacity_providers;
    struct failure_list failures;
    struct str next_token;
};
struct describe_capacity_providers_response_list { struct describe_capacity_providers_response *items; size_t count; };
extern const struct schema describe_capacity_providers_response_schema;

#endif
