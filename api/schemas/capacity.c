/* Written by tools/shapes from api/schemas/capacity.shapes. */
#include "api/schemas/capacity.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct create_managed_instances_provider_configuration, member)
static const struct field create_managed_instances_provider_configuration_schema_fields[] = {
    { STR_INIT("infrastructureRoleArn"), 1, FIELD_STR, AT(infrastructure_role_arn), .required = true },
    { STR_INIT("instanceLaunchTemplate"), 2, FIELD_STRUCT, AT(instance_launch_template),
      .schema = &instance_launch_template_schema, .required = true },
    { STR_INIT("propagateTags"), 3, FIELD_ENUM, AT(propagate_tags), .names = &propagate_mi_tags_names },
    { STR_INIT("infrastructureOptimization"), 4, FIELD_STRUCT, AT(infrastructure_optimization),
      .schema = &infrastructure_optimization_schema },
    { STR_INIT("autoRepairConfiguration"), 5, FIELD_STRUCT, AT(auto_repair_configuration),
      .schema = &auto_repair_configuration_schema },
};
#undef AT
const struct schema create_managed_instances_provider_configuration_schema = SCHEMA_OF("CreateManagedInstancesProviderConfiguration",
    struct create_managed_instances_provider_configuration, create_managed_instances_provider_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct create_capacity_provider_request, member)
static const struct field create_capacity_provider_request_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name), .min = 1, .max = 255, .required = true },
    { STR_INIT("cluster"), 2, FIELD_STR, AT(cluster) },
    { STR_INIT("autoScalingGroupProvider"), 3, FIELD_STRUCT, AT(auto_scaling_group_provider),
      .schema = &auto_scaling_group_provider_schema },
    { STR_INIT("managedInstancesProvider"), 4, FIELD_STRUCT, AT(managed_instances_provider),
      .schema = &create_managed_instances_provider_configuration_schema },
    { STR_INIT("tags"), 5, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
};
#undef AT
const struct schema create_capacity_provider_request_schema = SCHEMA_OF("CreateCapacityProviderRequest",
    struct create_capacity_provider_request, create_capacity_provider_request_schema_fields);

#define AT(member) .offset = offsetof(struct capacity_provider, member)
static const struct field capacity_provider_schema_fields[] = {
    { STR_INIT("capacityProviderArn"), 1, FIELD_STR, AT(capacity_provider_arn) },
    { STR_INIT("name"), 2, FIELD_STR, AT(name) },
    { STR_INIT("cluster"), 3, FIELD_STR, AT(cluster) },
    { STR_INIT("status"), 4, FIELD_ENUM, AT(status), .names = &capacity_provider_status_names },
    { STR_INIT("autoScalingGroupProvider"), 5, FIELD_STRUCT, AT(auto_scaling_group_provider),
      .schema = &auto_scaling_group_provider_schema },
    { STR_INIT("managedInstancesProvider"), 6, FIELD_STRUCT, AT(managed_instances_provider),
      .schema = &managed_instances_provider_schema },
    { STR_INIT("updateStatus"), 7, FIELD_ENUM, AT(update_status), .names = &capacity_provider_update_status_names },
    { STR_INIT("updateStatusReason"), 8, FIELD_STR, AT(update_status_reason) },
    { STR_INIT("tags"), 9, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("type"), 10, FIELD_ENUM, AT(type), .names = &capacity_provider_type_names },
};
#undef AT
const struct schema capacity_provider_schema = SCHEMA_OF("CapacityProvider", struct capacity_provider,
    capacity_provider_schema_fields);

#define AT(member) .offset = offsetof(struct create_capacity_provider_response, member)
static const struct field create_capacity_provider_response_schema_fields[] = {
    { STR_INIT("capacityProvider"), 1, FIELD_STRUCT, AT(capacity_provider), .schema = &capacity_provider_schema },
};
#undef AT
const struct schema create_capacity_provider_response_schema = SCHEMA_OF("CreateCapacityProviderResponse",
    struct create_capacity_provider_response, create_capacity_provider_response_schema_fields);

#define AT(member) .offset = offsetof(struct auto_scaling_group_provider_update, member)
static const struct field auto_scaling_group_provider_update_schema_fields[] = {
    { STR_INIT("managedScaling"), 1, FIELD_STRUCT, AT(managed_scaling), .schema = &managed_scaling_schema },
    { STR_INIT("managedTerminationProtection"), 2, FIELD_ENUM, AT(managed_termination_protection),
      .names = &managed_termination_protection_names },
    { STR_INIT("managedDraining"), 3, FIELD_ENUM, AT(managed_draining), .names = &managed_draining_names },
};
#undef AT
const struct schema auto_scaling_group_provider_update_schema = SCHEMA_OF("AutoScalingGroupProviderUpdate",
    struct auto_scaling_group_provider_update, auto_scaling_group_provider_update_schema_fields);

#define AT(member) .offset = offsetof(struct instance_launch_template_update, member)
static const struct field instance_launch_template_update_schema_fields[] = {
    { STR_INIT("ec2InstanceProfileArn"), 1, FIELD_STR, AT(ec2_instance_profile_arn) },
    { STR_INIT("networkConfiguration"), 2, FIELD_STRUCT, AT(network_configuration),
      .schema = &managed_instances_network_configuration_schema },
    { STR_INIT("storageConfiguration"), 3, FIELD_STRUCT, AT(storage_configuration),
      .schema = &managed_instances_storage_configuration_schema },
    { STR_INIT("instanceMetadataTagsPropagation"), 4, FIELD_BOOL, AT(instance_metadata_tags_propagation) },
    { STR_INIT("localStorageConfiguration"), 5, FIELD_STRUCT, AT(local_storage_configuration),
      .schema = &managed_instances_local_storage_configuration_schema },
    { STR_INIT("monitoring"), 6, FIELD_ENUM, AT(monitoring), .names = &managed_instances_monitoring_options_names },
    { STR_INIT("instanceRequirements"), 7, FIELD_STRUCT, AT(instance_requirements),
      .schema = &instance_requirements_request_schema },
    { STR_INIT("capacityReservations"), 8, FIELD_STRUCT, AT(capacity_reservations),
      .schema = &capacity_reservation_request_schema },
};
#undef AT
const struct schema instance_launch_template_update_schema = SCHEMA_OF("InstanceLaunchTemplateUpdate",
    struct instance_launch_template_update, instance_launch_template_update_schema_fields);

#define AT(member) .offset = offsetof(struct update_managed_instances_provider_configuration, member)
static const struct field update_managed_instances_provider_configuration_schema_fields[] = {
    { STR_INIT("infrastructureRoleArn"), 1, FIELD_STR, AT(infrastructure_role_arn), .required = true },
    { STR_INIT("instanceLaunchTemplate"), 2, FIELD_STRUCT, AT(instance_launch_template),
      .schema = &instance_launch_template_update_schema, .required = true },
    { STR_INIT("propagateTags"), 3, FIELD_ENUM, AT(propagate_tags), .names = &propagate_mi_tags_names },
    { STR_INIT("infrastructureOptimization"), 4, FIELD_STRUCT, AT(infrastructure_optimization),
      .schema = &infrastructure_optimization_schema },
    { STR_INIT("autoRepairConfiguration"), 5, FIELD_STRUCT, AT(auto_repair_configuration),
      .schema = &auto_repair_configuration_schema },
};
#undef AT
const struct schema update_managed_instances_provider_configuration_schema = SCHEMA_OF("UpdateManagedInstancesProviderConfiguration",
    struct update_managed_instances_provider_configuration, update_managed_instances_provider_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct update_capacity_provider_request, member)
static const struct field update_capacity_provider_request_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name), .min = 1, .required = true },
    { STR_INIT("cluster"), 2, FIELD_STR, AT(cluster) },
    { STR_INIT("autoScalingGroupProvider"), 3, FIELD_STRUCT, AT(auto_scaling_group_provider),
      .schema = &auto_scaling_group_provider_update_schema },
    { STR_INIT("managedInstancesProvider"), 4, FIELD_STRUCT, AT(managed_instances_provider),
      .schema = &update_managed_instances_provider_configuration_schema },
};
#undef AT
const struct schema update_capacity_provider_request_schema = SCHEMA_OF("UpdateCapacityProviderRequest",
    struct update_capacity_provider_request, update_capacity_provider_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_capacity_provider_response, member)
static const struct field update_capacity_provider_response_schema_fields[] = {
    { STR_INIT("capacityProvider"), 1, FIELD_STRUCT, AT(capacity_provider), .schema = &capacity_provider_schema },
};
#undef AT
const struct schema update_capacity_provider_response_schema = SCHEMA_OF("UpdateCapacityProviderResponse",
    struct update_capacity_provider_response, update_capacity_provider_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_capacity_provider_request, member)
static const struct field delete_capacity_provider_request_schema_fields[] = {
    { STR_INIT("capacityProvider"), 1, FIELD_STR, AT(capacity_provider), .required = true },
    { STR_INIT("cluster"), 2, FIELD_STR, AT(cluster) },
};
#undef AT
const struct schema delete_capacity_provider_request_schema = SCHEMA_OF("DeleteCapacityProviderRequest",
    struct delete_capacity_provider_request, delete_capacity_provider_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_capacity_provider_response, member)
static const struct field delete_capacity_provider_response_schema_fields[] = {
    { STR_INIT("capacityProvider"), 1, FIELD_STRUCT, AT(capacity_provider), .schema = &capacity_provider_schema },
};
#undef AT
const struct schema delete_capacity_provider_response_schema = SCHEMA_OF("DeleteCapacityProviderResponse",
    struct delete_capacity_provider_response, delete_capacity_provider_response_schema_fields);

static const struct str capacity_provider_field_words[] = { STR_INIT("TAGS") };
const struct enum_names capacity_provider_field_names = { capacity_provider_field_words,
    COUNT_OF(capacity_provider_field_words) };

#define AT(member) .offset = offsetof(struct describe_capacity_providers_request, member)
static const struct field describe_capacity_providers_request_schema_fields[] = {
    { STR_INIT("capacityProviders"), 1, FIELD_LIST, AT(capacity_providers), .element = FIELD_STR, .max = 100 },
    { STR_INIT("cluster"), 2, FIELD_STR, AT(cluster) },
    { STR_INIT("include"), 3, FIELD_LIST, AT(include), .element = FIELD_ENUM, .names = &capacity_provider_field_names },
    { STR_INIT("maxResults"), 4, FIELD_INT, AT(max_results), .min = 1, .max = 10 },
    { STR_INIT("nextToken"), 5, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema describe_capacity_providers_request_schema = SCHEMA_OF("DescribeCapacityProvidersRequest",
    struct describe_capacity_providers_request, describe_capacity_providers_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_capacity_providers_response, member)
static const struct field describe_capacity_providers_response_schema_fields[] = {
    { STR_INIT("capacityProviders"), 1, FIELD_LIST, AT(capacity_providers), .element = FIELD_STRUCT,
      .schema = &capacity_provider_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
    { STR_INIT("nextToken"), 3, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema describe_capacity_providers_response_schema = SCHEMA_OF("DescribeCapacityProvidersResponse",
    struct describe_capacity_providers_response, describe_capacity_providers_response_schema_fields);
