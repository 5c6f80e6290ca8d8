/* capacity.h: the shapes of capacity providers that Berth keeps. Written by tools/shapes from model/ecs/capacity.shapes. */
#ifndef BERTH_MODEL_ECS_CAPACITY_H
#define BERTH_MODEL_ECS_CAPACITY_H

#include "model/ecs/common.h"

enum managed_scaling_status { MANAGED_SCALING_STATUS_UNSET, MANAGED_SCALING_STATUS_ENABLED, MANAGED_SCALING_STATUS_DISABLED,
    MANAGED_SCALING_STATUS_COUNT };
extern const struct enum_names managed_scaling_status_names;

struct managed_scaling {
    enum managed_scaling_status status;
    struct opt_int target_capacity;
    struct opt_int minimum_scaling_step_size;
    struct opt_int maximum_scaling_step_size;
    struct opt_int instance_warmup_period;
};
struct managed_scaling_list { struct managed_scaling *items; size_t count; };
extern const struct schema managed_scaling_schema;

enum managed_termination_protection { MANAGED_TERMINATION_PROTECTION_UNSET, MANAGED_TERMINATION_PROTECTION_ENABLED,
    MANAGED_TERMINATION_PROTECTION_DISABLED, MANAGED_TERMINATION_PROTECTION_COUNT };
extern const struct enum_names managed_termination_protection_names;

enum managed_draining { MANAGED_DRAINING_UNSET, MANAGED_DRAINING_ENABLED, MANAGED_DRAINING_DISABLED, MANAGED_DRAINING_COUNT };
extern const struct enum_names managed_draining_names;

struct auto_scaling_group_provider {
    struct str auto_scaling_group_arn;
    struct managed_scaling *managed_scaling;
    enum managed_termination_protection managed_termination_protection;
    enum managed_draining managed_draining;
};
struct auto_scaling_group_provider_list { struct auto_scaling_group_provider *items; size_t count; };
extern const struct schema auto_scaling_group_provider_schema;

struct managed_instances_network_configuration {
    struct str_list subnets;
    struct str_list security_groups;
};
struct managed_instances_network_configuration_list { struct managed_instances_network_configuration *items; size_t count; };
extern const struct schema managed_instances_network_configuration_schema;

struct managed_instances_storage_configuration {
    struct opt_int storage_size_gib;
};
struct managed_instances_storage_configuration_list { struct managed_instances_storage_configuration *items; size_t count; };
extern const struct schema managed_instances_storage_configuration_schema;

struct managed_instances_local_storage_configuration {
    enum opt_bool use_local_storage;
};
struct managed_instances_local_storage_configuration_list { struct managed_instances_local_storage_configuration *items; size_t count; };
extern const struct schema managed_instances_local_storage_configuration_schema;

struct v_cpu_count_range_request {
    struct opt_int min;
    struct opt_int max;
};
struct v_cpu_count_range_request_list { struct v_cpu_count_range_request *items; size_t count; };
extern const struct schema v_cpu_count_range_request_schema;

struct memory_mi_b_request {
    struct opt_int min;
    struct opt_int max;
};
struct memory_mi_b_request_list { struct memory_mi_b_request *items; size_t count; };
extern const struct schema memory_mi_b_request_schema;

struct memory_gib_per_v_cpu_request {
    struct opt_double min;
    struct opt_double max;
};
struct memory_gib_per_v_cpu_request_list { struct memory_gib_per_v_cpu_request *items; size_t count; };
extern const struct schema memory_gib_per_v_cpu_request_schema;

struct network_interface_count_request {
    struct opt_int min;
    struct opt_int max;
};
struct network_interface_count_request_list { struct network_interface_count_request *items; size_t count; };
extern const struct schema network_interface_count_request_schema;

struct total_local_storage_gb_request {
    struct opt_double min;
    struct opt_double max;
};
struct total_local_storage_gb_request_list { struct total_local_storage_gb_request *items; size_t count; };
extern const struct schema total_local_storage_gb_request_schema;

struct baseline_ebs_bandwidth_mbps_request {
    struct opt_int min;
    struct opt_int max;
};
struct baseline_ebs_bandwidth_mbps_request_list { struct baseline_ebs_bandwidth_mbps_request *items; size_t count; };
extern const struct schema baseline_ebs_bandwidth_mbps_request_schema;

struct accelerator_count_request {
    struct opt_int min;
    struct opt_int max;
};
struct accelerator_count_request_list { struct accelerator_count_request *items; size_t count; };
extern const struct schema accelerator_count_request_schema;

struct accelerator_total_memory_mi_b_request {
    struct opt_int min;
    struct opt_int max;
};
struct accelerator_total_memory_mi_b_request_list { struct accelerator_total_memory_mi_b_request *items; size_t count; };
extern const struct schema accelerator_total_memory_mi_b_request_schema;

struct network_bandwidth_gbps_request {
    struct opt_double min;
    struct opt_double max;
};
struct network_bandwidth_gbps_request_list { struct network_bandwidth_gbps_request *items; size_t count; };
extern const struct schema network_bandwidth_gbps_request_schema;

enum cpu_manufacturer { CPU_MANUFACTURER_UNSET, CPU_MANUFACTURER_INTEL, CPU_MANUFACTURER_AMD,
    CPU_MANUFACTURER_AMAZON_WEB_SERVICES, CPU_MANUFACTURER_COUNT };
extern const struct enum_names cpu_manufacturer_names;

enum instance_generation { INSTANCE_GENERATION_UNSET, INSTANCE_GENERATION_CURRENT, INSTANCE_GENERATION_PREVIOUS,
    INSTANCE_GENERATION_COUNT };
extern const struct enum_names instance_generation_names;

enum bare_metal { BARE_METAL_UNSET, BARE_METAL_INCLUDED, BARE_METAL_REQUIRED, BARE_METAL_EXCLUDED, BARE_METAL_COUNT };
extern const struct enum_names bare_metal_names;

enum burstable_performance { BURSTABLE_PERFORMANCE_UNSET, BURSTABLE_PERFORMANCE_INCLUDED, BURSTABLE_PERFORMANCE_REQUIRED,
    BURSTABLE_PERFORMANCE_EXCLUDED, BURSTABLE_PERFORMANCE_COUNT };
extern const struct enum_names burstable_performance_names;

enum local_storage { LOCAL_STORAGE_UNSET, LOCAL_STORAGE_INCLUDED, LOCAL_STORAGE_REQUIRED, LOCAL_STORAGE_EXCLUDED,
    LOCAL_STORAGE_COUNT };
extern const struct enum_names local_storage_names;

enum local_storage_type { LOCAL_STORAGE_TYPE_UNSET, LOCAL_STORAGE_TYPE_HDD, LOCAL_STORAGE_TYPE_SSD, LOCAL_STORAGE_TYPE_COUNT };
extern const struct enum_names local_storage_type_names;

enum accelerator_type { ACCELERATOR_TYPE_UNSET, ACCELERATOR_TYPE_GPU, ACCELERATOR_TYPE_FPGA, ACCELERATOR_TYPE_INFERENCE,
    ACCELERATOR_TYPE_COUNT };
extern const struct enum_names accelerator_type_names;

enum accelerator_manufacturer { ACCELERATOR_MANUFACTURER_UNSET, ACCELERATOR_MANUFACTURER_AMAZON_WEB_SERVICES,
    ACCELERATOR_MANUFACTURER_AMD, ACCELERATOR_MANUFACTURER_NVIDIA, ACCELERATOR_MANUFACTURER_XILINX,
    ACCELERATOR_MANUFACTURER_HABANA, ACCELERATOR_MANUFACTURER_COUNT };
extern const struct enum_names accelerator_manufacturer_names;

struct instance_requirements_request {
    struct v_cpu_count_range_request *v_cpu_count;
    struct memory_mi_b_request *memory_mi_b;
    struct enum_list cpu_manufacturers;
    struct memory_gib_per_v_cpu_request *memory_gib_per_v_cpu;
    struct str_list excluded_instance_types;
    struct enum_list instance_generations;
    struct opt_int spot_max_price_percentage_over_lowest_price;
    struct opt_int on_demand_max_price_percentage_over_lowest_price;
    enum bare_metal bare_metal;
    enum burstable_performance burstable_performance;
    enum opt_bool require_hibernate_support;
    struct network_interface_count_request *network_interface_count;
    enum local_storage local_storage;
    struct enum_list local_storage_types;
    struct total_local_storage_gb_request *total_local_storage_gb;
    struct baseline_ebs_bandwidth_mbps_request *baseline_ebs_bandwidth_mbps;
    struct enum_list accelerator_types;
    struct accelerator_count_request *accelerator_count;
    struct enum_list accelerator_manufacturers;
    struct str_list accelerator_names;
    struct accelerator_total_memory_mi_b_request *accelerator_total_memory_mi_b;
    struct network_bandwidth_gbps_request *network_bandwidth_gbps;
    struct str_list allowed_instance_types;
    struct opt_int max_spot_price_as_percentage_of_optimal_on_demand_price;
};
struct instance_requirements_request_list { struct instance_requirements_request *items; size_t count; };
extern const struct schema instance_requirements_request_schema;

enum capacity_reservation_preference { CAPACITY_RESERVATION_PREFERENCE_UNSET, CAPACITY_RESERVATION_PREFERENCE_RESERVATIONS_ONLY,
    CAPACITY_RESERVATION_PREFERENCE_RESERVATIONS_FIRST, CAPACITY_RESERVATION_PREFERENCE_RESERVATIONS_EXCLUDED,
    CAPACITY_RESERVATION_PREFERENCE_COUNT };
extern const struct enum_names capacity_reservation_preference_names;

struct capacity_reservation_request {
    struct str reservation_group_arn;
    enum capacity_reservation_preference reservation_preference;
};
struct capacity_reservation_request_list { struct capacity_reservation_request *items; size_t count; };
extern const struct schema capacity_reservation_request_schema;

enum managed_instances_monitoring_options { MANAGED_INSTANCES_MONITORING_OPTIONS_UNSET,
    MANAGED_INSTANCES_MONITORING_OPTIONS_BASIC, MANAGED_INSTANCES_MONITORING_OPTIONS_DETAILED,
    MANAGED_INSTANCES_MONITORING_OPTIONS_COUNT };
extern const struct enum_names managed_instances_monitoring_options_names;

enum capacity_option_type { CAPACITY_OPTION_TYPE_UNSET, CAPACITY_OPTION_TYPE_ON_DEMAND, CAPACITY_OPTION_TYPE_SPOT,
    CAPACITY_OPTION_TYPE_RESERVED, CAPACITY_OPTION_TYPE_COUNT };
extern const struct enum_names capacity_option_type_names;

struct instance_launch_template {
    struct str ec2_instance_profile_arn;
    struct managed_instances_network_configuration *network_configuration;
    struct managed_instances_storage_configuration *storage_configuration;
    struct managed_instances_local_storage_configuration *local_storage_configuration;
    enum managed_instances_monitoring_options monitoring;
    enum capacity_option_type capacity_option_type;
    enum opt_bool instance_metadata_tags_propagation;
    struct instance_requirements_request *instance_requirements;
    enum opt_bool fips_enabled;
    struct capacity_reservation_request *capacity_reservations;
};
struct instance_launch_template_list { struct instance_launch_template *items; size_t count; };
extern const struct schema instance_launch_template_schema;

struct infrastructure_optimization {
    struct opt_int scale_in_after;
};
struct infrastructure_optimization_list { struct infrastructure_optimization *items; size_t count; };
extern const struct schema infrastructure_optimization_schema;

enum auto_repair_actions_status { AUTO_REPAIR_ACTIONS_STATUS_UNSET, AUTO_REPAIR_ACTIONS_STATUS_ENABLED,
    AUTO_REPAIR_ACTIONS_STATUS_DISABLED, AUTO_REPAIR_ACTIONS_STATUS_COUNT };
extern const struct enum_names auto_repair_actions_status_names;

struct auto_repair_configuration {
    enum auto_repair_actions_status actions_status;
};
struct auto_repair_configuration_list { struct auto_repair_configuration *items; size_t count; };
extern const struct schema auto_repair_configuration_schema;

enum propagate_mi_tags { PROPAGATE_MI_TAGS_UNSET, PROPAGATE_MI_TAGS_CAPACITY_PROVIDER, PROPAGATE_MI_TAGS_NONE,
    PROPAGATE_MI_TAGS_COUNT };
extern const struct enum_names propagate_mi_tags_names;

struct managed_instances_provider {
    struct str infrastructure_role_arn;
    struct instance_launch_template *instance_launch_template;
    enum propagate_mi_tags propagate_tags;
    struct infrastructure_optimization *infrastructure_optimization;
    struct auto_repair_configuration *auto_repair_configuration;
};
struct managed_instances_provider_list { struct managed_instances_provider *items; size_t count; };
extern const struct schema managed_instances_provider_schema;

enum capacity_provider_status { CAPACITY_PROVIDER_STATUS_UNSET, CAPACITY_PROVIDER_STATUS_PROVISIONING,
    CAPACITY_PROVIDER_STATUS_ACTIVE, CAPACITY_PROVIDER_STATUS_DEPROVISIONING, CAPACITY_PROVIDER_STATUS_INACTIVE,
    CAPACITY_PROVIDER_STATUS_COUNT };
extern const struct enum_names capacity_provider_status_names;

enum capacity_provider_update_status { CAPACITY_PROVIDER_UPDATE_STATUS_UNSET, CAPACITY_PROVIDER_UPDATE_STATUS_CREATE_IN_PROGRESS,
    CAPACITY_PROVIDER_UPDATE_STATUS_CREATE_COMPLETE, CAPACITY_PROVIDER_UPDATE_STATUS_CREATE_FAILED,
    CAPACITY_PROVIDER_UPDATE_STATUS_DELETE_IN_PROGRESS, CAPACITY_PROVIDER_UPDATE_STATUS_DELETE_COMPLETE,
    CAPACITY_PROVIDER_UPDATE_STATUS_DELETE_FAILED, CAPACITY_PROVIDER_UPDATE_STATUS_UPDATE_IN_PROGRESS,
    CAPACITY_PROVIDER_UPDATE_STATUS_UPDATE_COMPLETE, CAPACITY_PROVIDER_UPDATE_STATUS_UPDATE_FAILED,
    CAPACITY_PROVIDER_UPDATE_STATUS_COUNT };
extern const struct enum_names capacity_provider_update_status_names;

enum capacity_provider_type { CAPACITY_PROVIDER_TYPE_UNSET, CAPACITY_PROVIDER_TYPE_EC2_AUTOSCALING,
    CAPACITY_PROVIDER_TYPE_MANAGED_INSTANCES, CAPACITY_PROVIDER_TYPE_FARGATE, CAPACITY_PROVIDER_TYPE_FARGATE_SPOT,
    CAPACITY_PROVIDER_TYPE_COUNT };
extern const struct enum_names capacity_provider_type_names;

#endif
