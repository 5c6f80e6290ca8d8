/* Written by tools/shapes from model/ecs/capacity.shapes. */
#include "model/ecs/capacity.h"

#include "base/assert.h"

static const struct str managed_scaling_status_words[] = { STR_INIT("ENABLED"), STR_INIT("DISABLED") };
const struct enum_names managed_scaling_status_names = { managed_scaling_status_words, COUNT_OF(managed_scaling_status_words) };

#define AT(member) .offset = offsetof(struct managed_scaling, member)
static const struct field managed_scaling_schema_fields[] = {
    { STR_INIT("status"), 1, FIELD_ENUM, AT(status), .names = &managed_scaling_status_names },
    { STR_INIT("targetCapacity"), 2, FIELD_INT, AT(target_capacity), .min = 1, .max = 100 },
    { STR_INIT("minimumScalingStepSize"), 3, FIELD_INT, AT(minimum_scaling_step_size), .min = 1, .max = 10000 },
    { STR_INIT("maximumScalingStepSize"), 4, FIELD_INT, AT(maximum_scaling_step_size), .min = 1, .max = 10000 },
    { STR_INIT("instanceWarmupPeriod"), 5, FIELD_INT, AT(instance_warmup_period), .max = 10000 },
};
#undef AT
const struct schema managed_scaling_schema = SCHEMA_OF("ManagedScaling", struct managed_scaling, managed_scaling_schema_fields);

static const struct str managed_termination_protection_words[] = { STR_INIT("ENABLED"), STR_INIT("DISABLED") };
const struct enum_names managed_termination_protection_names = { managed_termination_protection_words,
    COUNT_OF(managed_termination_protection_words) };

static const struct str managed_draining_words[] = { STR_INIT("ENABLED"), STR_INIT("DISABLED") };
const struct enum_names managed_draining_names = { managed_draining_words, COUNT_OF(managed_draining_words) };

#define AT(member) .offset = offsetof(struct auto_scaling_group_provider, member)
static const struct field auto_scaling_group_provider_schema_fields[] = {
    { STR_INIT("autoScalingGroupArn"), 1, FIELD_STR, AT(auto_scaling_group_arn), .required = true },
    { STR_INIT("managedScaling"), 2, FIELD_STRUCT, AT(managed_scaling), .schema = &managed_scaling_schema },
    { STR_INIT("managedTerminationProtection"), 3, FIELD_ENUM, AT(managed_termination_protection),
      .names = &managed_termination_protection_names },
    { STR_INIT("managedDraining"), 4, FIELD_ENUM, AT(managed_draining), .names = &managed_draining_names },
};
#undef AT
const struct schema auto_scaling_group_provider_schema = SCHEMA_OF("AutoScalingGroupProvider", struct auto_scaling_group_provider,
    auto_scaling_group_provider_schema_fields);

#define AT(member) .offset = offsetof(struct managed_instances_network_configuration, member)
static const struct field managed_instances_network_configuration_schema_fields[] = {
    { STR_INIT("subnets"), 1, FIELD_LIST, AT(subnets), .element = FIELD_STR, .max = 16 },
    { STR_INIT("securityGroups"), 2, FIELD_LIST, AT(security_groups), .element = FIELD_STR, .max = 5 },
};
#undef AT
const struct schema managed_instances_network_configuration_schema = SCHEMA_OF("ManagedInstancesNetworkConfiguration",
    struct managed_instances_network_configuration, managed_instances_network_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct managed_instances_storage_configuration, member)
static const struct field managed_instances_storage_configuration_schema_fields[] = {
    { STR_INIT("storageSizeGiB"), 1, FIELD_INT, AT(storage_size_gib), .min = 1, .max = INT32_MAX },
};
#undef AT
const struct schema managed_instances_storage_configuration_schema = SCHEMA_OF("ManagedInstancesStorageConfiguration",
    struct managed_instances_storage_configuration, managed_instances_storage_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct managed_instances_local_storage_configuration, member)
static const struct field managed_instances_local_storage_configuration_schema_fields[] = {
    { STR_INIT("useLocalStorage"), 1, FIELD_BOOL, AT(use_local_storage), .always = true },
};
#undef AT
const struct schema managed_instances_local_storage_configuration_schema = SCHEMA_OF("ManagedInstancesLocalStorageConfiguration",
    struct managed_instances_local_storage_configuration, managed_instances_local_storage_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct v_cpu_count_range_request, member)
static const struct field v_cpu_count_range_request_schema_fields[] = {
    { STR_INIT("min"), 1, FIELD_INT, AT(min), .required = true },
    { STR_INIT("max"), 2, FIELD_INT, AT(max) },
};
#undef AT
const struct schema v_cpu_count_range_request_schema = SCHEMA_OF("VCpuCountRangeRequest", struct v_cpu_count_range_request,
    v_cpu_count_range_request_schema_fields);

#define AT(member) .offset = offsetof(struct memory_mi_b_request, member)
static const struct field memory_mi_b_request_schema_fields[] = {
    { STR_INIT("min"), 1, FIELD_INT, AT(min), .required = true },
    { STR_INIT("max"), 2, FIELD_INT, AT(max) },
};
#undef AT
const struct schema memory_mi_b_request_schema = SCHEMA_OF("MemoryMiBRequest", struct memory_mi_b_request,
    memory_mi_b_request_schema_fields);

#define AT(member) .offset = offsetof(struct memory_gib_per_v_cpu_request, member)
static const struct field memory_gib_per_v_cpu_request_schema_fields[] = {
    { STR_INIT("min"), 1, FIELD_DOUBLE, AT(min) },
    { STR_INIT("max"), 2, FIELD_DOUBLE, AT(max) },
};
#undef AT
const struct schema memory_gib_per_v_cpu_request_schema = SCHEMA_OF("MemoryGiBPerVCpuRequest",
    struct memory_gib_per_v_cpu_request, memory_gib_per_v_cpu_request_schema_fields);

#define AT(member) .offset = offsetof(struct network_interface_count_request, member)
static const struct field network_interface_count_request_schema_fields[] = {
    { STR_INIT("min"), 1, FIELD_INT, AT(min) },
    { STR_INIT("max"), 2, FIELD_INT, AT(max) },
};
#undef AT
const struct schema network_interface_count_request_schema = SCHEMA_OF("NetworkInterfaceCountRequest",
    struct network_interface_count_request, network_interface_count_request_schema_fields);

#define AT(member) .offset = offsetof(struct total_local_storage_gb_request, member)
static const struct field total_local_storage_gb_request_schema_fields[] = {
    { STR_INIT("min"), 1, FIELD_DOUBLE, AT(min) },
    { STR_INIT("max"), 2, FIELD_DOUBLE, AT(max) },
};
#undef AT
const struct schema total_local_storage_gb_request_schema = SCHEMA_OF("TotalLocalStorageGBRequest",
    struct total_local_storage_gb_request, total_local_storage_gb_request_schema_fields);

#define AT(member) .offset = offsetof(struct baseline_ebs_bandwidth_mbps_request, member)
static const struct field baseline_ebs_bandwidth_mbps_request_schema_fields[] = {
    { STR_INIT("min"), 1, FIELD_INT, AT(min) },
    { STR_INIT("max"), 2, FIELD_INT, AT(max) },
};
#undef AT
const struct schema baseline_ebs_bandwidth_mbps_request_schema = SCHEMA_OF("BaselineEbsBandwidthMbpsRequest",
    struct baseline_ebs_bandwidth_mbps_request, baseline_ebs_bandwidth_mbps_request_schema_fields);

#define AT(member) .offset = offsetof(struct accelerator_count_request, member)
static const struct field accelerator_count_request_schema_fields[] = {
    { STR_INIT("min"), 1, FIELD_INT, AT(min) },
    { STR_INIT("max"), 2, FIELD_INT, AT(max) },
};
#undef AT
const struct schema accelerator_count_request_schema = SCHEMA_OF("AcceleratorCountRequest", struct accelerator_count_request,
    accelerator_count_request_schema_fields);

#define AT(member) .offset = offsetof(struct accelerator_total_memory_mi_b_request, member)
static const struct field accelerator_total_memory_mi_b_request_schema_fields[] = {
    { STR_INIT("min"), 1, FIELD_INT, AT(min) },
    { STR_INIT("max"), 2, FIELD_INT, AT(max) },
};
#undef AT
const struct schema accelerator_total_memory_mi_b_request_schema = SCHEMA_OF("AcceleratorTotalMemoryMiBRequest",
    struct accelerator_total_memory_mi_b_request, accelerator_total_memory_mi_b_request_schema_fields);

#define AT(member) .offset = offsetof(struct network_bandwidth_gbps_request, member)
static const struct field network_bandwidth_gbps_request_schema_fields[] = {
    { STR_INIT("min"), 1, FIELD_DOUBLE, AT(min) },
    { STR_INIT("max"), 2, FIELD_DOUBLE, AT(max) },
};
#undef AT
const struct schema network_bandwidth_gbps_request_schema = SCHEMA_OF("NetworkBandwidthGbpsRequest",
    struct network_bandwidth_gbps_request, network_bandwidth_gbps_request_schema_fields);

static const struct str cpu_manufacturer_words[] = { STR_INIT("intel"), STR_INIT("amd"), STR_INIT("amazon-web-services") };
const struct enum_names cpu_manufacturer_names = { cpu_manufacturer_words, COUNT_OF(cpu_manufacturer_words) };

static const struct str instance_generation_words[] = { STR_INIT("current"), STR_INIT("previous") };
const struct enum_names instance_generation_names = { instance_generation_words, COUNT_OF(instance_generation_words) };

static const struct str bare_metal_words[] = { STR_INIT("included"), STR_INIT("required"), STR_INIT("excluded") };
const struct enum_names bare_metal_names = { bare_metal_words, COUNT_OF(bare_metal_words) };

static const struct str burstable_performance_words[] = { STR_INIT("included"), STR_INIT("required"), STR_INIT("excluded") };
const struct enum_names burstable_performance_names = { burstable_performance_words, COUNT_OF(burstable_performance_words) };

static const struct str local_storage_words[] = { STR_INIT("included"), STR_INIT("required"), STR_INIT("excluded") };
const struct enum_names local_storage_names = { local_storage_words, COUNT_OF(local_storage_words) };

static const struct str local_storage_type_words[] = { STR_INIT("hdd"), STR_INIT("ssd") };
const struct enum_names local_storage_type_names = { local_storage_type_words, COUNT_OF(local_storage_type_words) };

static const struct str accelerator_type_words[] = { STR_INIT("gpu"), STR_INIT("fpga"), STR_INIT("inference") };
const struct enum_names accelerator_type_names = { accelerator_type_words, COUNT_OF(accelerator_type_words) };

static const struct str accelerator_manufacturer_words[] = { STR_INIT("amazon-web-services"), STR_INIT("amd"), STR_INIT("nvidia"),
    STR_INIT("xilinx"), STR_INIT("habana") };
const struct enum_names accelerator_manufacturer_names = { accelerator_manufacturer_words,
    COUNT_OF(accelerator_manufacturer_words) };

#define AT(member) .offset = offsetof(struct instance_requirements_request, member)
static const struct field instance_requirements_request_schema_fields[] = {
    { STR_INIT("vCpuCount"), 1, FIELD_STRUCT, AT(v_cpu_count), .schema = &v_cpu_count_range_request_schema, .required = true },
    { STR_INIT("memoryMiB"), 2, FIELD_STRUCT, AT(memory_mi_b), .schema = &memory_mi_b_request_schema, .required = true },
    { STR_INIT("cpuManufacturers"), 3, FIELD_LIST, AT(cpu_manufacturers), .element = FIELD_ENUM,
      .names = &cpu_manufacturer_names },
    { STR_INIT("memoryGiBPerVCpu"), 4, FIELD_STRUCT, AT(memory_gib_per_v_cpu), .schema = &memory_gib_per_v_cpu_request_schema },
    { STR_INIT("excludedInstanceTypes"), 5, FIELD_LIST, AT(excluded_instance_types), .element = FIELD_STR, .max = 400 },
    { STR_INIT("instanceGenerations"), 6, FIELD_LIST, AT(instance_generations), .element = FIELD_ENUM,
      .names = &instance_generation_names },
    { STR_INIT("spotMaxPricePercentageOverLowestPrice"), 7, FIELD_INT, AT(spot_max_price_percentage_over_lowest_price) },
    { STR_INIT("onDemandMaxPricePercentageOverLowestPrice"), 8, FIELD_INT, AT(on_demand_max_price_percentage_over_lowest_price) },
    { STR_INIT("bareMetal"), 9, FIELD_ENUM, AT(bare_metal), .names = &bare_metal_names },
    { STR_INIT("burstablePerformance"), 10, FIELD_ENUM, AT(burstable_performance), .names = &burstable_performance_names },
    { STR_INIT("requireHibernateSupport"), 11, FIELD_BOOL, AT(require_hibernate_support) },
    { STR_INIT("networkInterfaceCount"), 12, FIELD_STRUCT, AT(network_interface_count),
      .schema = &network_interface_count_request_schema },
    { STR_INIT("localStorage"), 13, FIELD_ENUM, AT(local_storage), .names = &local_storage_names },
    { STR_INIT("localStorageTypes"), 14, FIELD_LIST, AT(local_storage_types), .element = FIELD_ENUM,
      .names = &local_storage_type_names },
    { STR_INIT("totalLocalStorageGB"), 15, FIELD_STRUCT, AT(total_local_storage_gb),
      .schema = &total_local_storage_gb_request_schema },
    { STR_INIT("baselineEbsBandwidthMbps"), 16, FIELD_STRUCT, AT(baseline_ebs_bandwidth_mbps),
      .schema = &baseline_ebs_bandwidth_mbps_request_schema },
    { STR_INIT("acceleratorTypes"), 17, FIELD_LIST, AT(accelerator_types), .element = FIELD_ENUM,
      .names = &accelerator_type_names },
    { STR_INIT("acceleratorCount"), 18, FIELD_STRUCT, AT(accelerator_count), .schema = &accelerator_count_request_schema },
    { STR_INIT("acceleratorManufacturers"), 19, FIELD_LIST, AT(accelerator_manufacturers), .element = FIELD_ENUM,
      .names = &accelerator_manufacturer_names },
    { STR_INIT("acceleratorNames"), 20, FIELD_LIST, AT(accelerator_names), .element = FIELD_STR },
    { STR_INIT("acceleratorTotalMemoryMiB"), 21, FIELD_STRUCT, AT(accelerator_total_memory_mi_b),
      .schema = &accelerator_total_memory_mi_b_request_schema },
    { STR_INIT("networkBandwidthGbps"), 22, FIELD_STRUCT, AT(network_bandwidth_gbps),
      .schema = &network_bandwidth_gbps_request_schema },
    { STR_INIT("allowedInstanceTypes"), 23, FIELD_LIST, AT(allowed_instance_types), .element = FIELD_STR, .max = 400 },
    { STR_INIT("maxSpotPriceAsPercentageOfOptimalOnDemandPrice"), 24, FIELD_INT,
      AT(max_spot_price_as_percentage_of_optimal_on_demand_price) },
};
#undef AT
const struct schema instance_requirements_request_schema = SCHEMA_OF("InstanceRequirementsRequest",
    struct instance_requirements_request, instance_requirements_request_schema_fields);

static const struct str capacity_reservation_preference_words[] = { STR_INIT("RESERVATIONS_ONLY"), STR_INIT("RESERVATIONS_FIRST"),
    STR_INIT("RESERVATIONS_EXCLUDED") };
const struct enum_names capacity_reservation_preference_names = { capacity_reservation_preference_words,
    COUNT_OF(capacity_reservation_preference_words) };

#define AT(member) .offset = offsetof(struct capacity_reservation_request, member)
static const struct field capacity_reservation_request_schema_fields[] = {
    { STR_INIT("reservationGroupArn"), 1, FIELD_STR, AT(reservation_group_arn) },
    { STR_INIT("reservationPreference"), 2, FIELD_ENUM, AT(reservation_preference),
      .names = &capacity_reservation_preference_names },
};
#undef AT
const struct schema capacity_reservation_request_schema = SCHEMA_OF("CapacityReservationRequest",
    struct capacity_reservation_request, capacity_reservation_request_schema_fields);

static const struct str managed_instances_monitoring_options_words[] = { STR_INIT("BASIC"), STR_INIT("DETAILED") };
const struct enum_names managed_instances_monitoring_options_names = { managed_instances_monitoring_options_words,
    COUNT_OF(managed_instances_monitoring_options_words) };

static const struct str capacity_option_type_words[] = { STR_INIT("ON_DEMAND"), STR_INIT("SPOT"), STR_INIT("RESERVED") };
const struct enum_names capacity_option_type_names = { capacity_option_type_words, COUNT_OF(capacity_option_type_words) };

#define AT(member) .offset = offsetof(struct instance_launch_template, member)
static const struct field instance_launch_template_schema_fields[] = {
    { STR_INIT("ec2InstanceProfileArn"), 1, FIELD_STR, AT(ec2_instance_profile_arn), .required = true },
    { STR_INIT("networkConfiguration"), 2, FIELD_STRUCT, AT(network_configuration),
      .schema = &managed_instances_network_configuration_schema, .required = true },
    { STR_INIT("storageConfiguration"), 3, FIELD_STRUCT, AT(storage_configuration),
      .schema = &managed_instances_storage_configuration_schema },
    { STR_INIT("localStorageConfiguration"), 4, FIELD_STRUCT, AT(local_storage_configuration),
      .schema = &managed_instances_local_storage_configuration_schema },
    { STR_INIT("monitoring"), 5, FIELD_ENUM, AT(monitoring), .names = &managed_instances_monitoring_options_names },
    { STR_INIT("capacityOptionType"), 6, FIELD_ENUM, AT(capacity_option_type), .names = &capacity_option_type_names },
    { STR_INIT("instanceMetadataTagsPropagation"), 7, FIELD_BOOL, AT(instance_metadata_tags_propagation) },
    { STR_INIT("instanceRequirements"), 8, FIELD_STRUCT, AT(instance_requirements),
      .schema = &instance_requirements_request_schema },
    { STR_INIT("fipsEnabled"), 9, FIELD_BOOL, AT(fips_enabled) },
    { STR_INIT("capacityReservations"), 10, FIELD_STRUCT, AT(capacity_reservations),
      .schema = &capacity_reservation_request_schema },
};
#undef AT
const struct schema instance_launch_template_schema = SCHEMA_OF("InstanceLaunchTemplate", struct instance_launch_template,
    instance_launch_template_schema_fields);

#define AT(member) .offset = offsetof(struct infrastructure_optimization, member)
static const struct field infrastructure_optimization_schema_fields[] = {
    { STR_INIT("scaleInAfter"), 1, FIELD_INT, AT(scale_in_after) },
};
#undef AT
const struct schema infrastructure_optimization_schema = SCHEMA_OF("InfrastructureOptimization",
    struct infrastructure_optimization, infrastructure_optimization_schema_fields);

static const struct str auto_repair_actions_status_words[] = { STR_INIT("ENABLED"), STR_INIT("DISABLED") };
const struct enum_names auto_repair_actions_status_names = { auto_repair_actions_status_words,
    COUNT_OF(auto_repair_actions_status_words) };

#define AT(member) .offset = offsetof(struct auto_repair_configuration, member)
static const struct field auto_repair_configuration_schema_fields[] = {
    { STR_INIT("actionsStatus"), 1, FIELD_ENUM, AT(actions_status), .names = &auto_repair_actions_status_names },
};
#undef AT
const struct schema auto_repair_configuration_schema = SCHEMA_OF("AutoRepairConfiguration", struct auto_repair_configuration,
    auto_repair_configuration_schema_fields);

static const struct str propagate_mi_tags_words[] = { STR_INIT("CAPACITY_PROVIDER"), STR_INIT("NONE") };
const struct enum_names propagate_mi_tags_names = { propagate_mi_tags_words, COUNT_OF(propagate_mi_tags_words) };

#define AT(member) .offset = offsetof(struct managed_instances_provider, member)
static const struct field managed_instances_provider_schema_fields[] = {
    { STR_INIT("infrastructureRoleArn"), 1, FIELD_STR, AT(infrastructure_role_arn) },
    { STR_INIT("instanceLaunchTemplate"), 2, FIELD_STRUCT, AT(instance_launch_template),
      .schema = &instance_launch_template_schema },
    { STR_INIT("propagateTags"), 3, FIELD_ENUM, AT(propagate_tags), .names = &propagate_mi_tags_names },
    { STR_INIT("infrastructureOptimization"), 4, FIELD_STRUCT, AT(infrastructure_optimization),
      .schema = &infrastructure_optimization_schema },
    { STR_INIT("autoRepairConfiguration"), 5, FIELD_STRUCT, AT(auto_repair_configuration),
      .schema = &auto_repair_configuration_schema },
};
#undef AT
const struct schema managed_instances_provider_schema = SCHEMA_OF("ManagedInstancesProvider", struct managed_instances_provider,
    managed_instances_provider_schema_fields);

static const struct str capacity_provider_status_words[] = { STR_INIT("PROVISIONING"), STR_INIT("ACTIVE"),
    STR_INIT("DEPROVISIONING"), STR_INIT("INACTIVE") };
const struct enum_names capacity_provider_status_names = { capacity_provider_status_words,
    COUNT_OF(capacity_provider_status_words) };

static const struct str capacity_provider_update_status_words[] = { STR_INIT("CREATE_IN_PROGRESS"), STR_INIT("CREATE_COMPLETE"),
    STR_INIT("CREATE_FAILED"), STR_INIT("DELETE_IN_PROGRESS"), STR_INIT("DELETE_COMPLETE"), STR_INIT("DELETE_FAILED"),
    STR_INIT("UPDATE_IN_PROGRESS"), STR_INIT("UPDATE_COMPLETE"), STR_INIT("UPDATE_FAILED") };
const struct enum_names capacity_provider_update_status_names = { capacity_provider_update_status_words,
    COUNT_OF(capacity_provider_update_status_words) };

static const struct str capacity_provider_type_words[] = { STR_INIT("EC2_AUTOSCALING"), STR_INIT("MANAGED_INSTANCES"),
    STR_INIT("FARGATE"), STR_INIT("FARGATE_SPOT") };
const struct enum_names capacity_provider_type_names = { capacity_provider_type_words, COUNT_OF(capacity_provider_type_words) };
