/* Written by tools/shapes from api/schemas/services.shapes. */
#include "api/schemas/services.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct service_managed_ebs_volume_configuration, member)
static const struct field service_managed_ebs_volume_configuration_schema_fields[] = {
    { STR_INIT("encrypted"), 1, FIELD_BOOL, AT(encrypted) },
    { STR_INIT("kmsKeyId"), 2, FIELD_STR, AT(kms_key_id) },
    { STR_INIT("volumeType"), 3, FIELD_STR, AT(volume_type) },
    { STR_INIT("sizeInGiB"), 4, FIELD_INT, AT(size_in_gib) },
    { STR_INIT("snapshotId"), 5, FIELD_STR, AT(snapshot_id) },
    { STR_INIT("volumeInitializationRate"), 6, FIELD_INT, AT(volume_initialization_rate) },
    { STR_INIT("iops"), 7, FIELD_INT, AT(iops) },
    { STR_INIT("throughput"), 8, FIELD_INT, AT(throughput) },
    { STR_INIT("tagSpecifications"), 9, FIELD_LIST, AT(tag_specifications), .element = FIELD_STRUCT,
      .schema = &ebs_tag_specification_schema },
    { STR_INIT("roleArn"), 10, FIELD_STR, AT(role_arn), .required = true },
    { STR_INIT("filesystemType"), 11, FIELD_ENUM, AT(filesystem_type), .names = &task_filesystem_type_names },
};
#undef AT
const struct schema service_managed_ebs_volume_configuration_schema = SCHEMA_OF("ServiceManagedEBSVolumeConfiguration",
    struct service_managed_ebs_volume_configuration, service_managed_ebs_volume_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct service_volume_configuration, member)
static const struct field service_volume_configuration_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name), .required = true },
    { STR_INIT("managedEBSVolume"), 2, FIELD_STRUCT, AT(managed_ebs_volume),
      .schema = &service_managed_ebs_volume_configuration_schema },
};
#undef AT
const struct schema service_volume_configuration_schema = SCHEMA_OF("ServiceVolumeConfiguration",
    struct service_volume_configuration, service_volume_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct vpc_lattice_configuration, member)
static const struct field vpc_lattice_configuration_schema_fields[] = {
    { STR_INIT("roleArn"), 1, FIELD_STR, AT(role_arn), .required = true },
    { STR_INIT("targetGroupArn"), 2, FIELD_STR, AT(target_group_arn), .required = true },
    { STR_INIT("portName"), 3, FIELD_STR, AT(port_name), .required = true },
};
#undef AT
const struct schema vpc_lattice_configuration_schema = SCHEMA_OF("VpcLatticeConfiguration", struct vpc_lattice_configuration,
    vpc_lattice_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct create_service_request, member)
static const struct field create_service_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("serviceName"), 2, FIELD_STR, AT(service_name), .min = 1, .max = 255, .required = true },
    { STR_INIT("taskDefinition"), 3, FIELD_STR, AT(task_definition) },
    { STR_INIT("availabilityZoneRebalancing"), 4, FIELD_ENUM, AT(availability_zone_rebalancing),
      .names = &availability_zone_rebalancing_names },
    { STR_INIT("loadBalancers"), 5, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT, .schema = &load_balancer_schema,
      .max = 5 },
    { STR_INIT("serviceRegistries"), 6, FIELD_LIST, AT(service_registries), .element = FIELD_STRUCT,
      .schema = &service_registry_schema },
    { STR_INIT("desiredCount"), 7, FIELD_INT, AT(desired_count), .max = INT32_MAX,
      .complaint = "desiredCount cannot be a negative number." },
    { STR_INIT("clientToken"), 8, FIELD_STR, AT(client_token), .max = 36 },
    { STR_INIT("launchType"), 9, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("capacityProviderStrategy"), 10, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema, .max = 20 },
    { STR_INIT("platformVersion"), 11, FIELD_STR, AT(platform_version) },
    { STR_INIT("role"), 12, FIELD_STR, AT(role) },
    { STR_INIT("deploymentConfiguration"), 13, FIELD_STRUCT, AT(deployment_configuration),
      .schema = &deployment_configuration_schema },
    { STR_INIT("placementConstraints"), 14, FIELD_LIST, AT(placement_constraints), .element = FIELD_STRUCT,
      .schema = &placement_constraint_schema, .max = 10 },
    { STR_INIT("placementStrategy"), 15, FIELD_LIST, AT(placement_strategy), .element = FIELD_STRUCT,
      .schema = &placement_strategy_schema, .max = 5 },
    { STR_INIT("networkConfiguration"), 16, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("healthCheckGracePeriodSeconds"), 17, FIELD_INT, AT(health_check_grace_period_seconds), .max = INT32_MAX },
    { STR_INIT("schedulingStrategy"), 18, FIELD_ENUM, AT(scheduling_strategy), .names = &scheduling_strategy_names },
    { STR_INIT("deploymentController"), 19, FIELD_STRUCT, AT(deployment_controller), .schema = &deployment_controller_schema },
    { STR_INIT("tags"), 20, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("enableECSManagedTags"), 21, FIELD_BOOL, AT(enable_ecs_managed_tags) },
    { STR_INIT("propagateTags"), 22, FIELD_ENUM, AT(propagate_tags), .names = &propagate_tags_names },
    { STR_INIT("enableExecuteCommand"), 23, FIELD_BOOL, AT(enable_execute_command) },
    { STR_INIT("serviceConnectConfiguration"), 24, FIELD_STRUCT, AT(service_connect_configuration),
      .schema = &service_connect_configuration_schema },
    { STR_INIT("volumeConfigurations"), 25, FIELD_LIST, AT(volume_configurations), .element = FIELD_STRUCT,
      .schema = &service_volume_configuration_schema },
    { STR_INIT("vpcLatticeConfigurations"), 26, FIELD_LIST, AT(vpc_lattice_configurations), .element = FIELD_STRUCT,
      .schema = &vpc_lattice_configuration_schema },
    { STR_INIT("monitoring"), 27, FIELD_STRUCT, AT(monitoring), .schema = &monitoring_configuration_schema },
};
#undef AT
const struct schema create_service_request_schema = SCHEMA_OF("CreateServiceRequest", struct create_service_request,
    create_service_request_schema_fields);

#define AT(member) .offset = offsetof(struct deployment_ephemeral_storage, member)
static const struct field deployment_ephemeral_storage_schema_fields[] = {
    { STR_INIT("kmsKeyId"), 1, FIELD_STR, AT(kms_key_id) },
};
#undef AT
const struct schema deployment_ephemeral_storage_schema = SCHEMA_OF("DeploymentEphemeralStorage",
    struct deployment_ephemeral_storage, deployment_ephemeral_storage_schema_fields);

#define AT(member) .offset = offsetof(struct task_set, member)
static const struct field task_set_schema_fields[] = {
    { STR_INIT("id"), 1, FIELD_STR, AT(id) },
    { STR_INIT("taskSetArn"), 2, FIELD_STR, AT(task_set_arn) },
    { STR_INIT("serviceArn"), 3, FIELD_STR, AT(service_arn) },
    { STR_INIT("clusterArn"), 4, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("startedBy"), 5, FIELD_STR, AT(started_by) },
    { STR_INIT("externalId"), 6, FIELD_STR, AT(external_id) },
    { STR_INIT("status"), 7, FIELD_STR, AT(status) },
    { STR_INIT("taskDefinition"), 8, FIELD_STR, AT(task_definition) },
    { STR_INIT("computedDesiredCount"), 9, FIELD_INT, AT(computed_desired_count), .always = true },
    { STR_INIT("pendingCount"), 10, FIELD_INT, AT(pending_count), .always = true },
    { STR_INIT("runningCount"), 11, FIELD_INT, AT(running_count), .always = true },
    { STR_INIT("createdAt"), 12, FIELD_TIME, AT(created_at) },
    { STR_INIT("updatedAt"), 13, FIELD_TIME, AT(updated_at) },
    { STR_INIT("launchType"), 14, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("capacityProviderStrategy"), 15, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema },
    { STR_INIT("platformVersion"), 16, FIELD_STR, AT(platform_version) },
    { STR_INIT("platformFamily"), 17, FIELD_STR, AT(platform_family) },
    { STR_INIT("networkConfiguration"), 18, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("loadBalancers"), 19, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT, .schema = &load_balancer_schema },
    { STR_INIT("serviceRegistries"), 20, FIELD_LIST, AT(service_registries), .element = FIELD_STRUCT,
      .schema = &service_registry_schema },
    { STR_INIT("scale"), 21, FIELD_STRUCT, AT(scale), .schema = &scale_schema },
    { STR_INIT("stabilityStatus"), 22, FIELD_ENUM, AT(stability_status), .names = &stability_status_names },
    { STR_INIT("stabilityStatusAt"), 23, FIELD_TIME, AT(stability_status_at) },
    { STR_INIT("tags"), 24, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("fargateEphemeralStorage"), 25, FIELD_STRUCT, AT(fargate_ephemeral_storage),
      .schema = &deployment_ephemeral_storage_schema },
};
#undef AT
const struct schema task_set_schema = SCHEMA_OF("TaskSet", struct task_set, task_set_schema_fields);

#define AT(member) .offset = offsetof(struct service_connect_service_resource, member)
static const struct field service_connect_service_resource_schema_fields[] = {
    { STR_INIT("discoveryName"), 1, FIELD_STR, AT(discovery_name) },
    { STR_INIT("discoveryArn"), 2, FIELD_STR, AT(discovery_arn) },
};
#undef AT
const struct schema service_connect_service_resource_schema = SCHEMA_OF("ServiceConnectServiceResource",
    struct service_connect_service_resource, service_connect_service_resource_schema_fields);

#define AT(member) .offset = offsetof(struct deployment_view, member)
static const struct field deployment_view_schema_fields[] = {
    { STR_INIT("id"), 1, FIELD_STR, AT(id) },
    { STR_INIT("status"), 2, FIELD_STR, AT(status) },
    { STR_INIT("taskDefinition"), 3, FIELD_STR, AT(task_definition) },
    { STR_INIT("desiredCount"), 4, FIELD_INT, AT(desired_count), .always = true },
    { STR_INIT("pendingCount"), 5, FIELD_INT, AT(pending_count), .always = true },
    { STR_INIT("runningCount"), 6, FIELD_INT, AT(running_count), .always = true },
    { STR_INIT("failedTasks"), 7, FIELD_INT, AT(failed_tasks), .always = true },
    { STR_INIT("createdAt"), 8, FIELD_TIME, AT(created_at) },
    { STR_INIT("updatedAt"), 9, FIELD_TIME, AT(updated_at) },
    { STR_INIT("capacityProviderStrategy"), 10, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema },
    { STR_INIT("launchType"), 11, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("platformVersion"), 12, FIELD_STR, AT(platform_version) },
    { STR_INIT("platformFamily"), 13, FIELD_STR, AT(platform_family) },
    { STR_INIT("networkConfiguration"), 14, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("rolloutState"), 15, FIELD_ENUM, AT(rollout_state), .names = &deployment_rollout_state_names },
    { STR_INIT("rolloutStateReason"), 16, FIELD_STR, AT(rollout_state_reason) },
    { STR_INIT("serviceConnectConfiguration"), 17, FIELD_STRUCT, AT(service_connect_configuration),
      .schema = &service_connect_configuration_schema },
    { STR_INIT("serviceConnectResources"), 18, FIELD_LIST, AT(service_connect_resources), .element = FIELD_STRUCT,
      .schema = &service_connect_service_resource_schema },
    { STR_INIT("volumeConfigurations"), 19, FIELD_LIST, AT(volume_configurations), .element = FIELD_STRUCT,
      .schema = &service_volume_configuration_schema },
    { STR_INIT("fargateEphemeralStorage"), 20, FIELD_STRUCT, AT(fargate_ephemeral_storage),
      .schema = &deployment_ephemeral_storage_schema },
    { STR_INIT("vpcLatticeConfigurations"), 21, FIELD_LIST, AT(vpc_lattice_configurations), .element = FIELD_STRUCT,
      .schema = &vpc_lattice_configuration_schema },
};
#undef AT
const struct schema deployment_view_schema = SCHEMA_OF("Deployment", struct deployment_view, deployment_view_schema_fields);

#define AT(member) .offset = offsetof(struct service_current_revision_summary, member)
static const struct field service_current_revision_summary_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("requestedTaskCount"), 2, FIELD_INT, AT(requested_task_count), .always = true },
    { STR_INIT("runningTaskCount"), 3, FIELD_INT, AT(running_task_count), .always = true },
    { STR_INIT("pendingTaskCount"), 4, FIELD_INT, AT(pending_task_count), .always = true },
};
#undef AT
const struct schema service_current_revision_summary_schema = SCHEMA_OF("ServiceCurrentRevisionSummary",
    struct service_current_revision_summary, service_current_revision_summary_schema_fields);

static const struct str resource_management_type_words[] = { STR_INIT("CUSTOMER"), STR_INIT("ECS") };
const struct enum_names resource_management_type_names = { resource_management_type_words,
    COUNT_OF(resource_management_type_words) };

#define AT(member) .offset = offsetof(struct service_view, member)
static const struct field service_view_schema_fields[] = {
    { STR_INIT("serviceArn"), 1, FIELD_STR, AT(service_arn) },
    { STR_INIT("serviceName"), 2, FIELD_STR, AT(service_name) },
    { STR_INIT("clusterArn"), 3, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("loadBalancers"), 4, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT, .schema = &load_balancer_schema },
    { STR_INIT("serviceRegistries"), 5, FIELD_LIST, AT(service_registries), .element = FIELD_STRUCT,
      .schema = &service_registry_schema },
    { STR_INIT("status"), 6, FIELD_STR, AT(status) },
    { STR_INIT("desiredCount"), 7, FIELD_INT, AT(desired_count), .always = true },
    { STR_INIT("runningCount"), 8, FIELD_INT, AT(running_count), .always = true },
    { STR_INIT("pendingCount"), 9, FIELD_INT, AT(pending_count), .always = true },
    { STR_INIT("launchType"), 10, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("capacityProviderStrategy"), 11, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema },
    { STR_INIT("platformVersion"), 12, FIELD_STR, AT(platform_version) },
    { STR_INIT("platformFamily"), 13, FIELD_STR, AT(platform_family) },
    { STR_INIT("taskDefinition"), 14, FIELD_STR, AT(task_definition) },
    { STR_INIT("deploymentConfiguration"), 15, FIELD_STRUCT, AT(deployment_configuration),
      .schema = &deployment_configuration_schema },
    { STR_INIT("taskSets"), 16, FIELD_LIST, AT(task_sets), .element = FIELD_STRUCT, .schema = &task_set_schema },
    { STR_INIT("deployments"), 17, FIELD_LIST, AT(deployments), .element = FIELD_STRUCT, .schema = &deployment_view_schema },
    { STR_INIT("roleArn"), 18, FIELD_STR, AT(role_arn) },
    { STR_INIT("events"), 19, FIELD_LIST, AT(events), .element = FIELD_STRUCT, .schema = &service_event_schema },
    { STR_INIT("createdAt"), 20, FIELD_TIME, AT(created_at) },
    { STR_INIT("currentServiceDeployment"), 21, FIELD_STR, AT(current_service_deployment) },
    { STR_INIT("currentServiceRevisions"), 22, FIELD_LIST, AT(current_service_revisions), .element = FIELD_STRUCT,
      .schema = &service_current_revision_summary_schema },
    { STR_INIT("placementConstraints"), 23, FIELD_LIST, AT(placement_constraints), .element = FIELD_STRUCT,
      .schema = &placement_constraint_schema },
    { STR_INIT("placementStrategy"), 24, FIELD_LIST, AT(placement_strategy), .element = FIELD_STRUCT,
      .schema = &placement_strategy_schema },
    { STR_INIT("networkConfiguration"), 25, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("healthCheckGracePeriodSeconds"), 26, FIELD_INT, AT(health_check_grace_period_seconds) },
    { STR_INIT("schedulingStrategy"), 27, FIELD_ENUM, AT(scheduling_strategy), .names = &scheduling_strategy_names },
    { STR_INIT("deploymentController"), 28, FIELD_STRUCT, AT(deployment_controller), .schema = &deployment_controller_schema },
    { STR_INIT("tags"), 29, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("createdBy"), 30, FIELD_STR, AT(created_by) },
    { STR_INIT("enableECSManagedTags"), 31, FIELD_BOOL, AT(enable_ecs_managed_tags), .always = true },
    { STR_INIT("propagateTags"), 32, FIELD_ENUM, AT(propagate_tags), .names = &propagate_tags_names },
    { STR_INIT("enableExecuteCommand"), 33, FIELD_BOOL, AT(enable_execute_command), .always = true },
    { STR_INIT("availabilityZoneRebalancing"), 34, FIELD_ENUM, AT(availability_zone_rebalancing),
      .names = &availability_zone_rebalancing_names },
    { STR_INIT("resourceManagementType"), 35, FIELD_ENUM, AT(resource_management_type),
      .names = &resource_management_type_names },
};
#undef AT
const struct schema service_view_schema = SCHEMA_OF("Service", struct service_view, service_view_schema_fields);

#define AT(member) .offset = offsetof(struct create_service_response, member)
static const struct field create_service_response_schema_fields[] = {
    { STR_INIT("service"), 1, FIELD_STRUCT, AT(service), .schema = &service_view_schema },
};
#undef AT
const struct schema create_service_response_schema = SCHEMA_OF("CreateServiceResponse", struct create_service_response,
    create_service_response_schema_fields);

#define AT(member) .offset = offsetof(struct update_service_request, member)
static const struct field update_service_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("service"), 2, FIELD_STR, AT(service), .required = true },
    { STR_INIT("desiredCount"), 3, FIELD_INT, AT(desired_count), .max = INT32_MAX,
      .complaint = "desiredCount cannot be a negative number." },
    { STR_INIT("taskDefinition"), 4, FIELD_STR, AT(task_definition) },
    { STR_INIT("capacityProviderStrategy"), 5, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema, .max = 20 },
    { STR_INIT("deploymentConfiguration"), 6, FIELD_STRUCT, AT(deployment_configuration),
      .schema = &deployment_configuration_schema },
    { STR_INIT("availabilityZoneRebalancing"), 7, FIELD_ENUM, AT(availability_zone_rebalancing),
      .names = &availability_zone_rebalancing_names },
    { STR_INIT("networkConfiguration"), 8, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("placementConstraints"), 9, FIELD_LIST, AT(placement_constraints), .element = FIELD_STRUCT,
      .schema = &placement_constraint_schema, .max = 10 },
    { STR_INIT("placementStrategy"), 10, FIELD_LIST, AT(placement_strategy), .element = FIELD_STRUCT,
      .schema = &placement_strategy_schema, .max = 5 },
    { STR_INIT("platformVersion"), 11, FIELD_STR, AT(platform_version) },
    { STR_INIT("forceNewDeployment"), 12, FIELD_BOOL, AT(force_new_deployment) },
    { STR_INIT("healthCheckGracePeriodSeconds"), 13, FIELD_INT, AT(health_check_grace_period_seconds), .max = INT32_MAX },
    { STR_INIT("deploymentController"), 14, FIELD_STRUCT, AT(deployment_controller), .schema = &deployment_controller_schema },
    { STR_INIT("enableExecuteCommand"), 15, FIELD_BOOL, AT(enable_execute_command) },
    { STR_INIT("enableECSManagedTags"), 16, FIELD_BOOL, AT(enable_ecs_managed_tags) },
    { STR_INIT("loadBalancers"), 17, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT, .schema = &load_balancer_schema,
      .max = 5 },
    { STR_INIT("propagateTags"), 18, FIELD_ENUM, AT(propagate_tags), .names = &propagate_tags_names },
    { STR_INIT("serviceRegistries"), 19, FIELD_LIST, AT(service_registries), .element = FIELD_STRUCT,
      .schema = &service_registry_schema },
    { STR_INIT("serviceConnectConfiguration"), 20, FIELD_STRUCT, AT(service_connect_configuration),
      .schema = &service_connect_configuration_schema },
    { STR_INIT("volumeConfigurations"), 21, FIELD_LIST, AT(volume_configurations), .element = FIELD_STRUCT,
      .schema = &service_volume_configuration_schema },
    { STR_INIT("vpcLatticeConfigurations"), 22, FIELD_LIST, AT(vpc_lattice_configurations), .element = FIELD_STRUCT,
      .schema = &vpc_lattice_configuration_schema },
    { STR_INIT("monitoring"), 23, FIELD_STRUCT, AT(monitoring), .schema = &monitoring_configuration_schema },
};
#undef AT
const struct schema update_service_request_schema = SCHEMA_OF("UpdateServiceRequest", struct update_service_request,
    update_service_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_service_response, member)
static const struct field update_service_response_schema_fields[] = {
    { STR_INIT("service"), 1, FIELD_STRUCT, AT(service), .schema = &service_view_schema },
};
#undef AT
const struct schema update_service_response_schema = SCHEMA_OF("UpdateServiceResponse", struct update_service_response,
    update_service_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_service_request, member)
static const struct field delete_service_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("service"), 2, FIELD_STR, AT(service), .required = true },
    { STR_INIT("force"), 3, FIELD_BOOL, AT(force) },
};
#undef AT
const struct schema delete_service_request_schema = SCHEMA_OF("DeleteServiceRequest", struct delete_service_request,
    delete_service_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_service_response, member)
static const struct field delete_service_response_schema_fields[] = {
    { STR_INIT("service"), 1, FIELD_STRUCT, AT(service), .schema = &service_view_schema },
};
#undef AT
const struct schema delete_service_response_schema = SCHEMA_OF("DeleteServiceResponse", struct delete_service_response,
    delete_service_response_schema_fields);

static const struct str service_field_words[] = { STR_INIT("TAGS") };
const struct enum_names service_field_names = { service_field_words, COUNT_OF(service_field_words) };

#define AT(member) .offset = offsetof(struct describe_services_request, member)
static const struct field describe_services_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("services"), 2, FIELD_LIST, AT(services), .element = FIELD_STR, .max = 10, .required = true },
    { STR_INIT("include"), 3, FIELD_LIST, AT(include), .element = FIELD_ENUM, .names = &service_field_names },
};
#undef AT
const struct schema describe_services_request_schema = SCHEMA_OF("DescribeServicesRequest", struct describe_services_request,
    describe_services_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_services_response, member)
static const struct field describe_services_response_schema_fields[] = {
    { STR_INIT("services"), 1, FIELD_LIST, AT(services), .element = FIELD_STRUCT, .schema = &service_view_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema describe_services_response_schema = SCHEMA_OF("DescribeServicesResponse", struct describe_services_response,
    describe_services_response_schema_fields);

#define AT(member) .offset = offsetof(struct list_services_request, member)
static const struct field list_services_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 3, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
    { STR_INIT("launchType"), 4, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("schedulingStrategy"), 5, FIELD_ENUM, AT(scheduling_strategy), .names = &scheduling_strategy_names },
    { STR_INIT("resourceManagementType"), 6, FIELD_ENUM, AT(resource_management_type), .names = &resource_management_type_names },
};
#undef AT
const struct schema list_services_request_schema = SCHEMA_OF("ListServicesRequest", struct list_services_request,
    list_services_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_services_response, member)
static const struct field list_services_response_schema_fields[] = {
    { STR_INIT("serviceArns"), 1, FIELD_LIST, AT(service_arns), .element = FIELD_STR },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_services_response_schema = SCHEMA_OF("ListServicesResponse", struct list_services_response,
    list_services_response_schema_fields);

#define AT(member) .offset = offsetof(struct list_services_by_namespace_request, member)
static const struct field list_services_by_namespace_request_schema_fields[] = {
    { STR_INIT("namespace"), 1, FIELD_STR, AT(namespace), .required = true },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 3, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
};
#undef AT
const struct schema list_services_by_namespace_request_schema = SCHEMA_OF("ListServicesByNamespaceRequest",
    struct list_services_by_namespace_request, list_services_by_namespace_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_services_by_namespace_response, member)
static const struct field list_services_by_namespace_response_schema_fields[] = {
    { STR_INIT("serviceArns"), 1, FIELD_LIST, AT(service_arns), .element = FIELD_STR },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_services_by_namespace_response_schema = SCHEMA_OF("ListServicesByNamespaceResponse",
    struct list_services_by_namespace_response, list_services_by_namespace_response_schema_fields);
