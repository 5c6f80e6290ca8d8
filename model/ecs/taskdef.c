/* Written by tools/shapes from model/ecs/taskdef.shapes. */
#include "model/ecs/taskdef.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct host_volume_properties, member)
static const struct field host_volume_properties_schema_fields[] = {
    { STR_INIT("sourcePath"), 1, FIELD_STR, AT(source_path) },
};
#undef AT
const struct schema host_volume_properties_schema = SCHEMA_OF("HostVolumeProperties", struct host_volume_properties,
    host_volume_properties_schema_fields);

static const struct str scope_words[] = { STR_INIT("task"), STR_INIT("shared") };
const struct enum_names scope_names = { scope_words, COUNT_OF(scope_words) };

#define AT(member) .offset = offsetof(struct docker_volume_configuration, member)
static const struct field docker_volume_configuration_schema_fields[] = {
    { STR_INIT("scope"), 1, FIELD_ENUM, AT(scope), .names = &scope_names },
    { STR_INIT("autoprovision"), 2, FIELD_BOOL, AT(autoprovision) },
    { STR_INIT("driver"), 3, FIELD_STR, AT(driver) },
    { STR_INIT("driverOpts"), 4, FIELD_MAP, AT(driver_opts) },
    { STR_INIT("labels"), 5, FIELD_MAP, AT(labels) },
};
#undef AT
const struct schema docker_volume_configuration_schema = SCHEMA_OF("DockerVolumeConfiguration",
    struct docker_volume_configuration, docker_volume_configuration_schema_fields);

static const struct str efs_authorization_config_iam_words[] = { STR_INIT("ENABLED"), STR_INIT("DISABLED") };
const struct enum_names efs_authorization_config_iam_names = { efs_authorization_config_iam_words,
    COUNT_OF(efs_authorization_config_iam_words) };

#define AT(member) .offset = offsetof(struct efs_authorization_config, member)
static const struct field efs_authorization_config_schema_fields[] = {
    { STR_INIT("accessPointId"), 1, FIELD_STR, AT(access_point_id) },
    { STR_INIT("iam"), 2, FIELD_ENUM, AT(iam), .names = &efs_authorization_config_iam_names },
};
#undef AT
const struct schema efs_authorization_config_schema = SCHEMA_OF("EFSAuthorizationConfig", struct efs_authorization_config,
    efs_authorization_config_schema_fields);

static const struct str efs_transit_encryption_words[] = { STR_INIT("ENABLED"), STR_INIT("DISABLED") };
const struct enum_names efs_transit_encryption_names = { efs_transit_encryption_words, COUNT_OF(efs_transit_encryption_words) };

#define AT(member) .offset = offsetof(struct efs_volume_configuration, member)
static const struct field efs_volume_configuration_schema_fields[] = {
    { STR_INIT("fileSystemId"), 1, FIELD_STR, AT(file_system_id), .required = true },
    { STR_INIT("rootDirectory"), 2, FIELD_STR, AT(root_directory) },
    { STR_INIT("transitEncryption"), 3, FIELD_ENUM, AT(transit_encryption), .names = &efs_transit_encryption_names },
    { STR_INIT("transitEncryptionPort"), 4, FIELD_INT, AT(transit_encryption_port) },
    { STR_INIT("authorizationConfig"), 5, FIELD_STRUCT, AT(authorization_config), .schema = &efs_authorization_config_schema },
};
#undef AT
const struct schema efs_volume_configuration_schema = SCHEMA_OF("EFSVolumeConfiguration", struct efs_volume_configuration,
    efs_volume_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct s3_files_volume_configuration, member)
static const struct field s3_files_volume_configuration_schema_fields[] = {
    { STR_INIT("fileSystemArn"), 1, FIELD_STR, AT(file_system_arn), .required = true },
    { STR_INIT("rootDirectory"), 2, FIELD_STR, AT(root_directory) },
    { STR_INIT("transitEncryptionPort"), 3, FIELD_INT, AT(transit_encryption_port) },
    { STR_INIT("accessPointArn"), 4, FIELD_STR, AT(access_point_arn) },
};
#undef AT
const struct schema s3_files_volume_configuration_schema = SCHEMA_OF("S3FilesVolumeConfiguration",
    struct s3_files_volume_configuration, s3_files_volume_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct f_sx_windows_file_server_authorization_config, member)
static const struct field f_sx_windows_file_server_authorization_config_schema_fields[] = {
    { STR_INIT("credentialsParameter"), 1, FIELD_STR, AT(credentials_parameter), .required = true },
    { STR_INIT("domain"), 2, FIELD_STR, AT(domain), .required = true },
};
#undef AT
const struct schema f_sx_windows_file_server_authorization_config_schema = SCHEMA_OF("FSxWindowsFileServerAuthorizationConfig",
    struct f_sx_windows_file_server_authorization_config, f_sx_windows_file_server_authorization_config_schema_fields);

#define AT(member) .offset = offsetof(struct f_sx_windows_file_server_volume_configuration, member)
static const struct field f_sx_windows_file_server_volume_configuration_schema_fields[] = {
    { STR_INIT("fileSystemId"), 1, FIELD_STR, AT(file_system_id), .required = true },
    { STR_INIT("rootDirectory"), 2, FIELD_STR, AT(root_directory), .required = true },
    { STR_INIT("authorizationConfig"), 3, FIELD_STRUCT, AT(authorization_config),
      .schema = &f_sx_windows_file_server_authorization_config_schema, .required = true },
};
#undef AT
const struct schema f_sx_windows_file_server_volume_configuration_schema = SCHEMA_OF("FSxWindowsFileServerVolumeConfiguration",
    struct f_sx_windows_file_server_volume_configuration, f_sx_windows_file_server_volume_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct volume, member)
static const struct field volume_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name) },
    { STR_INIT("host"), 2, FIELD_STRUCT, AT(host), .schema = &host_volume_properties_schema },
    { STR_INIT("dockerVolumeConfiguration"), 3, FIELD_STRUCT, AT(docker_volume_configuration),
      .schema = &docker_volume_configuration_schema },
    { STR_INIT("efsVolumeConfiguration"), 4, FIELD_STRUCT, AT(efs_volume_configuration),
      .schema = &efs_volume_configuration_schema },
    { STR_INIT("s3filesVolumeConfiguration"), 5, FIELD_STRUCT, AT(s3files_volume_configuration),
      .schema = &s3_files_volume_configuration_schema },
    { STR_INIT("fsxWindowsFileServerVolumeConfiguration"), 6, FIELD_STRUCT, AT(fsx_windows_file_server_volume_configuration),
      .schema = &f_sx_windows_file_server_volume_configuration_schema },
    { STR_INIT("configuredAtLaunch"), 7, FIELD_BOOL, AT(configured_at_launch) },
};
#undef AT
const struct schema volume_schema = SCHEMA_OF("Volume", struct volume, volume_schema_fields);

static const struct str task_definition_placement_constraint_type_words[] = { STR_INIT("memberOf") };
const struct enum_names task_definition_placement_constraint_type_names = { task_definition_placement_constraint_type_words,
    COUNT_OF(task_definition_placement_constraint_type_words) };

#define AT(member) .offset = offsetof(struct task_definition_placement_constraint, member)
static const struct field task_definition_placement_constraint_schema_fields[] = {
    { STR_INIT("type"), 1, FIELD_ENUM, AT(type), .names = &task_definition_placement_constraint_type_names },
    { STR_INIT("expression"), 2, FIELD_STR, AT(expression), .max = 2000 },
};
#undef AT
const struct schema task_definition_placement_constraint_schema = SCHEMA_OF("TaskDefinitionPlacementConstraint",
    struct task_definition_placement_constraint, task_definition_placement_constraint_schema_fields);

static const struct str cpu_architecture_words[] = { STR_INIT("X86_64"), STR_INIT("ARM64") };
const struct enum_names cpu_architecture_names = { cpu_architecture_words, COUNT_OF(cpu_architecture_words) };

static const struct str os_family_words[] = { STR_INIT("WINDOWS_SERVER_2019_FULL"), STR_INIT("WINDOWS_SERVER_2019_CORE"),
    STR_INIT("WINDOWS_SERVER_2016_FULL"), STR_INIT("WINDOWS_SERVER_2004_CORE"), STR_INIT("WINDOWS_SERVER_2022_CORE"),
    STR_INIT("WINDOWS_SERVER_2022_FULL"), STR_INIT("WINDOWS_SERVER_2025_CORE"), STR_INIT("WINDOWS_SERVER_2025_FULL"),
    STR_INIT("WINDOWS_SERVER_20H2_CORE"), STR_INIT("LINUX") };
const struct enum_names os_family_names = { os_family_words, COUNT_OF(os_family_words) };

#define AT(member) .offset = offsetof(struct runtime_platform, member)
static const struct field runtime_platform_schema_fields[] = {
    { STR_INIT("cpuArchitecture"), 1, FIELD_ENUM, AT(cpu_architecture), .names = &cpu_architecture_names },
    { STR_INIT("operatingSystemFamily"), 2, FIELD_ENUM, AT(operating_system_family), .names = &os_family_names },
};
#undef AT
const struct schema runtime_platform_schema = SCHEMA_OF("RuntimePlatform", struct runtime_platform,
    runtime_platform_schema_fields);

static const struct str proxy_configuration_type_words[] = { STR_INIT("APPMESH") };
const struct enum_names proxy_configuration_type_names = { proxy_configuration_type_words,
    COUNT_OF(proxy_configuration_type_words) };

#define AT(member) .offset = offsetof(struct proxy_configuration, member)
static const struct field proxy_configuration_schema_fields[] = {
    { STR_INIT("type"), 1, FIELD_ENUM, AT(type), .names = &proxy_configuration_type_names },
    { STR_INIT("containerName"), 2, FIELD_STR, AT(container_name), .required = true },
    { STR_INIT("properties"), 3, FIELD_LIST, AT(properties), .element = FIELD_STRUCT, .schema = &key_value_pair_schema },
};
#undef AT
const struct schema proxy_configuration_schema = SCHEMA_OF("ProxyConfiguration", struct proxy_configuration,
    proxy_configuration_schema_fields);

static const struct str network_mode_words[] = { STR_INIT("bridge"), STR_INIT("host"), STR_INIT("awsvpc"), STR_INIT("none") };
const struct enum_names network_mode_names = { network_mode_words, COUNT_OF(network_mode_words) };

static const struct str task_definition_status_words[] = { STR_INIT("ACTIVE"), STR_INIT("INACTIVE"),
    STR_INIT("DELETE_IN_PROGRESS") };
const struct enum_names task_definition_status_names = { task_definition_status_words, COUNT_OF(task_definition_status_words) };

static const struct str compatibility_words[] = { STR_INIT("EC2"), STR_INIT("FARGATE"), STR_INIT("EXTERNAL"),
    STR_INIT("MANAGED_INSTANCES") };
const struct enum_names compatibility_names = { compatibility_words, COUNT_OF(compatibility_words) };

static const struct str pid_mode_words[] = { STR_INIT("host"), STR_INIT("task") };
const struct enum_names pid_mode_names = { pid_mode_words, COUNT_OF(pid_mode_words) };

static const struct str ipc_mode_words[] = { STR_INIT("host"), STR_INIT("task"), STR_INIT("none") };
const struct enum_names ipc_mode_names = { ipc_mode_words, COUNT_OF(ipc_mode_words) };

#define AT(member) .offset = offsetof(struct task_definition, member)
static const struct field task_definition_schema_fields[] = {
    { STR_INIT("taskDefinitionArn"), 1, FIELD_STR, AT(task_definition_arn) },
    { STR_INIT("containerDefinitions"), 2, FIELD_LIST, AT(container_definitions), .element = FIELD_STRUCT,
      .schema = &container_definition_schema },
    { STR_INIT("family"), 3, FIELD_STR, AT(family) },
    { STR_INIT("taskRoleArn"), 4, FIELD_STR, AT(task_role_arn) },
    { STR_INIT("executionRoleArn"), 5, FIELD_STR, AT(execution_role_arn) },
    { STR_INIT("networkMode"), 6, FIELD_ENUM, AT(network_mode), .names = &network_mode_names },
    { STR_INIT("revision"), 7, FIELD_INT, AT(revision), .always = true },
    { STR_INIT("volumes"), 8, FIELD_LIST, AT(volumes), .element = FIELD_STRUCT, .schema = &volume_schema },
    { STR_INIT("status"), 9, FIELD_ENUM, AT(status), .names = &task_definition_status_names },
    { STR_INIT("requiresAttributes"), 10, FIELD_LIST, AT(requires_attributes), .element = FIELD_STRUCT,
      .schema = &attribute_schema },
    { STR_INIT("placementConstraints"), 11, FIELD_LIST, AT(placement_constraints), .element = FIELD_STRUCT,
      .schema = &task_definition_placement_constraint_schema },
    { STR_INIT("compatibilities"), 12, FIELD_LIST, AT(compatibilities), .element = FIELD_ENUM, .names = &compatibility_names },
    { STR_INIT("runtimePlatform"), 13, FIELD_STRUCT, AT(runtime_platform), .schema = &runtime_platform_schema },
    { STR_INIT("requiresCompatibilities"), 14, FIELD_LIST, AT(requires_compatibilities), .element = FIELD_ENUM,
      .names = &compatibility_names },
    { STR_INIT("cpu"), 15, FIELD_STR, AT(cpu) },
    { STR_INIT("memory"), 16, FIELD_STR, AT(memory) },
    { STR_INIT("inferenceAccelerators"), 17, FIELD_LIST, AT(inference_accelerators), .element = FIELD_STRUCT,
      .schema = &inference_accelerator_schema },
    { STR_INIT("pidMode"), 18, FIELD_ENUM, AT(pid_mode), .names = &pid_mode_names },
    { STR_INIT("ipcMode"), 19, FIELD_ENUM, AT(ipc_mode), .names = &ipc_mode_names },
    { STR_INIT("proxyConfiguration"), 20, FIELD_STRUCT, AT(proxy_configuration), .schema = &proxy_configuration_schema },
    { STR_INIT("registeredAt"), 21, FIELD_TIME, AT(registered_at) },
    { STR_INIT("deregisteredAt"), 22, FIELD_TIME, AT(deregistered_at) },
    { STR_INIT("deleteRequestedAt"), 23, FIELD_TIME, AT(delete_requested_at) },
    { STR_INIT("registeredBy"), 24, FIELD_STR, AT(registered_by) },
    { STR_INIT("ephemeralStorage"), 25, FIELD_STRUCT, AT(ephemeral_storage), .schema = &ephemeral_storage_schema },
    { STR_INIT("enableFaultInjection"), 26, FIELD_BOOL, AT(enable_fault_injection) },
};
#undef AT
const struct schema task_definition_schema = SCHEMA_OF("TaskDefinition", struct task_definition, task_definition_schema_fields);
