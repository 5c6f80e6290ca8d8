/* Written by tools/shapes from model/ecs/task.shapes. */
#include "model/ecs/task.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct container_override, member)
static const struct field container_override_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name) },
    { STR_INIT("command"), 2, FIELD_LIST, AT(command), .element = FIELD_STR },
    { STR_INIT("environment"), 3, FIELD_LIST, AT(environment), .element = FIELD_STRUCT, .schema = &key_value_pair_schema },
    { STR_INIT("environmentFiles"), 4, FIELD_LIST, AT(environment_files), .element = FIELD_STRUCT,
      .schema = &environment_file_schema },
    { STR_INIT("cpu"), 5, FIELD_INT, AT(cpu) },
    { STR_INIT("memory"), 6, FIELD_INT, AT(memory) },
    { STR_INIT("memoryReservation"), 7, FIELD_INT, AT(memory_reservation) },
    { STR_INIT("resourceRequirements"), 8, FIELD_LIST, AT(resource_requirements), .element = FIELD_STRUCT,
      .schema = &resource_requirement_schema },
};
#undef AT
const struct schema container_override_schema = SCHEMA_OF("ContainerOverride", struct container_override,
    container_override_schema_fields);

#define AT(member) .offset = offsetof(struct inference_accelerator_override, member)
static const struct field inference_accelerator_override_schema_fields[] = {
    { STR_INIT("deviceName"), 1, FIELD_STR, AT(device_name) },
    { STR_INIT("deviceType"), 2, FIELD_STR, AT(device_type) },
};
#undef AT
const struct schema inference_accelerator_override_schema = SCHEMA_OF("InferenceAcceleratorOverride",
    struct inference_accelerator_override, inference_accelerator_override_schema_fields);

#define AT(member) .offset = offsetof(struct task_override, member)
static const struct field task_override_schema_fields[] = {
    { STR_INIT("containerOverrides"), 1, FIELD_LIST, AT(container_overrides), .element = FIELD_STRUCT,
      .schema = &container_override_schema },
    { STR_INIT("cpu"), 2, FIELD_STR, AT(cpu) },
    { STR_INIT("inferenceAcceleratorOverrides"), 3, FIELD_LIST, AT(inference_accelerator_overrides), .element = FIELD_STRUCT,
      .schema = &inference_accelerator_override_schema },
    { STR_INIT("executionRoleArn"), 4, FIELD_STR, AT(execution_role_arn) },
    { STR_INIT("memory"), 5, FIELD_STR, AT(memory) },
    { STR_INIT("taskRoleArn"), 6, FIELD_STR, AT(task_role_arn) },
    { STR_INIT("ephemeralStorage"), 7, FIELD_STRUCT, AT(ephemeral_storage), .schema = &ephemeral_storage_schema },
};
#undef AT
const struct schema task_override_schema = SCHEMA_OF("TaskOverride", struct task_override, task_override_schema_fields);

static const struct str ebs_resource_type_words[] = { STR_INIT("volume") };
const struct enum_names ebs_resource_type_names = { ebs_resource_type_words, COUNT_OF(ebs_resource_type_words) };

static const struct str propagate_tags_words[] = { STR_INIT("TASK_DEFINITION"), STR_INIT("SERVICE"), STR_INIT("NONE") };
const struct enum_names propagate_tags_names = { propagate_tags_words, COUNT_OF(propagate_tags_words) };

#define AT(member) .offset = offsetof(struct ebs_tag_specification, member)
static const struct field ebs_tag_specification_schema_fields[] = {
    { STR_INIT("resourceType"), 1, FIELD_ENUM, AT(resource_type), .names = &ebs_resource_type_names, .required = true },
    { STR_INIT("tags"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("propagateTags"), 3, FIELD_ENUM, AT(propagate_tags), .names = &propagate_tags_names },
};
#undef AT
const struct schema ebs_tag_specification_schema = SCHEMA_OF("EBSTagSpecification", struct ebs_tag_specification,
    ebs_tag_specification_schema_fields);

#define AT(member) .offset = offsetof(struct task_managed_ebs_volume_termination_policy, member)
static const struct field task_managed_ebs_volume_termination_policy_schema_fields[] = {
    { STR_INIT("deleteOnTermination"), 1, FIELD_BOOL, AT(delete_on_termination), .required = true },
};
#undef AT
const struct schema task_managed_ebs_volume_termination_policy_schema = SCHEMA_OF("TaskManagedEBSVolumeTerminationPolicy",
    struct task_managed_ebs_volume_termination_policy, task_managed_ebs_volume_termination_policy_schema_fields);

static const struct str task_filesystem_type_words[] = { STR_INIT("ext3"), STR_INIT("ext4"), STR_INIT("xfs"), STR_INIT("ntfs") };
const struct enum_names task_filesystem_type_names = { task_filesystem_type_words, COUNT_OF(task_filesystem_type_words) };

#define AT(member) .offset = offsetof(struct task_managed_ebs_volume_configuration, member)
static const struct field task_managed_ebs_volume_configuration_schema_fields[] = {
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
    { STR_INIT("terminationPolicy"), 11, FIELD_STRUCT, AT(termination_policy),
      .schema = &task_managed_ebs_volume_termination_policy_schema },
    { STR_INIT("filesystemType"), 12, FIELD_ENUM, AT(filesystem_type), .names = &task_filesystem_type_names },
};
#undef AT
const struct schema task_managed_ebs_volume_configuration_schema = SCHEMA_OF("TaskManagedEBSVolumeConfiguration",
    struct task_managed_ebs_volume_configuration, task_managed_ebs_volume_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct task_volume_configuration, member)
static const struct field task_volume_configuration_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name), .required = true },
    { STR_INIT("managedEBSVolume"), 2, FIELD_STRUCT, AT(managed_ebs_volume),
      .schema = &task_managed_ebs_volume_configuration_schema },
};
#undef AT
const struct schema task_volume_configuration_schema = SCHEMA_OF("TaskVolumeConfiguration", struct task_volume_configuration,
    task_volume_configuration_schema_fields);

static const struct str health_status_words[] = { STR_INIT("HEALTHY"), STR_INIT("UNHEALTHY"), STR_INIT("UNKNOWN") };
const struct enum_names health_status_names = { health_status_words, COUNT_OF(health_status_words) };

#define AT(member) .offset = offsetof(struct container_view, member)
static const struct field container_view_schema_fields[] = {
    { STR_INIT("containerArn"), 1, FIELD_STR, AT(container_arn) },
    { STR_INIT("taskArn"), 2, FIELD_STR, AT(task_arn) },
    { STR_INIT("name"), 3, FIELD_STR, AT(name) },
    { STR_INIT("image"), 4, FIELD_STR, AT(image) },
    { STR_INIT("imageDigest"), 5, FIELD_STR, AT(image_digest) },
    { STR_INIT("runtimeId"), 6, FIELD_STR, AT(runtime_id) },
    { STR_INIT("lastStatus"), 7, FIELD_STR, AT(last_status) },
    { STR_INIT("exitCode"), 8, FIELD_INT, AT(exit_code) },
    { STR_INIT("reason"), 9, FIELD_STR, AT(reason) },
    { STR_INIT("networkBindings"), 10, FIELD_LIST, AT(network_bindings), .element = FIELD_STRUCT,
      .schema = &network_binding_schema },
    { STR_INIT("networkInterfaces"), 11, FIELD_LIST, AT(network_interfaces), .element = FIELD_STRUCT,
      .schema = &network_interface_schema },
    { STR_INIT("healthStatus"), 12, FIELD_ENUM, AT(health_status), .names = &health_status_names },
    { STR_INIT("managedAgents"), 13, FIELD_LIST, AT(managed_agents), .element = FIELD_STRUCT, .schema = &managed_agent_schema },
    { STR_INIT("cpu"), 14, FIELD_STR, AT(cpu) },
    { STR_INIT("memory"), 15, FIELD_STR, AT(memory) },
    { STR_INIT("memoryReservation"), 16, FIELD_STR, AT(memory_reservation) },
    { STR_INIT("gpuIds"), 17, FIELD_LIST, AT(gpu_ids), .element = FIELD_STR },
    { STR_INIT("neuronDeviceIds"), 18, FIELD_LIST, AT(neuron_device_ids), .element = FIELD_STR },
};
#undef AT
const struct schema container_view_schema = SCHEMA_OF("Container", struct container_view, container_view_schema_fields);

#define AT(member) .offset = offsetof(struct task_ephemeral_storage, member)
static const struct field task_ephemeral_storage_schema_fields[] = {
    { STR_INIT("sizeInGiB"), 1, FIELD_INT, AT(size_in_gib), .always = true },
    { STR_INIT("kmsKeyId"), 2, FIELD_STR, AT(kms_key_id) },
};
#undef AT
const struct schema task_ephemeral_storage_schema = SCHEMA_OF("TaskEphemeralStorage", struct task_ephemeral_storage,
    task_ephemeral_storage_schema_fields);

static const struct str connectivity_words[] = { STR_INIT("CONNECTED"), STR_INIT("DISCONNECTED") };
const struct enum_names connectivity_names = { connectivity_words, COUNT_OF(connectivity_words) };

static const struct str launch_type_words[] = { STR_INIT("EC2"), STR_INIT("FARGATE"), STR_INIT("EXTERNAL"),
    STR_INIT("MANAGED_INSTANCES") };
const struct enum_names launch_type_names = { launch_type_words, COUNT_OF(launch_type_words) };

static const struct str task_stop_code_words[] = { STR_INIT("TaskFailedToStart"), STR_INIT("EssentialContainerExited"),
    STR_INIT("UserInitiated"), STR_INIT("ServiceSchedulerInitiated"), STR_INIT("SpotInterruption"), STR_INIT("TerminationNotice"),
    STR_INIT("InfrastructureHealth") };
const struct enum_names task_stop_code_names = { task_stop_code_words, COUNT_OF(task_stop_code_words) };

#define AT(member) .offset = offsetof(struct task_view, member)
static const struct field task_view_schema_fields[] = {
    { STR_INIT("attachments"), 1, FIELD_LIST, AT(attachments), .element = FIELD_STRUCT, .schema = &attachment_schema },
    { STR_INIT("attributes"), 2, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &attribute_schema },
    { STR_INIT("availabilityZone"), 3, FIELD_STR, AT(availability_zone) },
    { STR_INIT("capacityProviderName"), 4, FIELD_STR, AT(capacity_provider_name) },
    { STR_INIT("clusterArn"), 5, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("connectivity"), 6, FIELD_ENUM, AT(connectivity), .names = &connectivity_names },
    { STR_INIT("connectivityAt"), 7, FIELD_TIME, AT(connectivity_at) },
    { STR_INIT("containerInstanceArn"), 8, FIELD_STR, AT(container_instance_arn) },
    { STR_INIT("containers"), 9, FIELD_LIST, AT(containers), .element = FIELD_STRUCT, .schema = &container_view_schema },
    { STR_INIT("cpu"), 10, FIELD_STR, AT(cpu) },
    { STR_INIT("createdAt"), 11, FIELD_TIME, AT(created_at) },
    { STR_INIT("desiredStatus"), 12, FIELD_STR, AT(desired_status) },
    { STR_INIT("enableExecuteCommand"), 13, FIELD_BOOL, AT(enable_execute_command), .always = true },
    { STR_INIT("executionStoppedAt"), 14, FIELD_TIME, AT(execution_stopped_at) },
    { STR_INIT("group"), 15, FIELD_STR, AT(group) },
    { STR_INIT("healthStatus"), 16, FIELD_ENUM, AT(health_status), .names = &health_status_names },
    { STR_INIT("inferenceAccelerators"), 17, FIELD_LIST, AT(inference_accelerators), .element = FIELD_STRUCT,
      .schema = &inference_accelerator_schema },
    { STR_INIT("lastStatus"), 18, FIELD_STR, AT(last_status) },
    { STR_INIT("launchType"), 19, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("memory"), 20, FIELD_STR, AT(memory) },
    { STR_INIT("overrides"), 21, FIELD_STRUCT, AT(overrides), .schema = &task_override_schema },
    { STR_INIT("platformVersion"), 22, FIELD_STR, AT(platform_version) },
    { STR_INIT("platformFamily"), 23, FIELD_STR, AT(platform_family) },
    { STR_INIT("pullStartedAt"), 24, FIELD_TIME, AT(pull_started_at) },
    { STR_INIT("pullStoppedAt"), 25, FIELD_TIME, AT(pull_stopped_at) },
    { STR_INIT("startedAt"), 26, FIELD_TIME, AT(started_at) },
    { STR_INIT("startedBy"), 27, FIELD_STR, AT(started_by) },
    { STR_INIT("stopCode"), 28, FIELD_ENUM, AT(stop_code), .names = &task_stop_code_names },
    { STR_INIT("stoppedAt"), 29, FIELD_TIME, AT(stopped_at) },
    { STR_INIT("stoppedReason"), 30, FIELD_STR, AT(stopped_reason) },
    { STR_INIT("stoppingAt"), 31, FIELD_TIME, AT(stopping_at) },
    { STR_INIT("tags"), 32, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("taskArn"), 33, FIELD_STR, AT(task_arn) },
    { STR_INIT("taskDefinitionArn"), 34, FIELD_STR, AT(task_definition_arn) },
    { STR_INIT("version"), 35, FIELD_LONG, AT(version), .always = true },
    { STR_INIT("ephemeralStorage"), 36, FIELD_STRUCT, AT(ephemeral_storage), .schema = &ephemeral_storage_schema },
    { STR_INIT("fargateEphemeralStorage"), 37, FIELD_STRUCT, AT(fargate_ephemeral_storage),
      .schema = &task_ephemeral_storage_schema },
};
#undef AT
const struct schema task_view_schema = SCHEMA_OF("Task", struct task_view, task_view_schema_fields);
