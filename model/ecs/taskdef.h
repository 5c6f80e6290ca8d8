/* taskdef.h: the task definition of the ECS API, as the wire names it. Also the stored form of a revision. Members are in the
 * order of the API model; a record tag is the place in that order and never changes. tests/contract compares these tables with
 * the model of an installed SDK. Written by tools/shapes from model/ecs/taskdef.shapes. */
#ifndef BERTH_MODEL_ECS_TASKDEF_H
#define BERTH_MODEL_ECS_TASKDEF_H

#include "model/ecs/container.h"

struct host_volume_properties {
    struct str source_path;
};
struct host_volume_properties_list { struct host_volume_properties *items; size_t count; };
extern const struct schema host_volume_properties_schema;

enum scope { SCOPE_UNSET, SCOPE_TASK, SCOPE_SHARED, SCOPE_COUNT };
extern const struct enum_names scope_names;

struct docker_volume_configuration {
    enum scope scope;
    enum opt_bool autoprovision;
    struct str driver;
    struct pair_list driver_opts;
    struct pair_list labels;
};
struct docker_volume_configuration_list { struct docker_volume_configuration *items; size_t count; };
extern const struct schema docker_volume_configuration_schema;

enum efs_authorization_config_iam { EFS_AUTHORIZATION_CONFIG_IAM_UNSET, EFS_AUTHORIZATION_CONFIG_IAM_ENABLED,
    EFS_AUTHORIZATION_CONFIG_IAM_DISABLED, EFS_AUTHORIZATION_CONFIG_IAM_COUNT };
extern const struct enum_names efs_authorization_config_iam_names;

struct efs_authorization_config {
    struct str access_point_id;
    enum efs_authorization_config_iam iam;
};
struct efs_authorization_config_list { struct efs_authorization_config *items; size_t count; };
extern const struct schema efs_authorization_config_schema;

enum efs_transit_encryption { EFS_TRANSIT_ENCRYPTION_UNSET, EFS_TRANSIT_ENCRYPTION_ENABLED, EFS_TRANSIT_ENCRYPTION_DISABLED,
    EFS_TRANSIT_ENCRYPTION_COUNT };
extern const struct enum_names efs_transit_encryption_names;

struct efs_volume_configuration {
    struct str file_system_id;
    struct str root_directory;
    enum efs_transit_encryption transit_encryption;
    struct opt_int transit_encryption_port;
    struct efs_authorization_config *authorization_config;
};
struct efs_volume_configuration_list { struct efs_volume_configuration *items; size_t count; };
extern const struct schema efs_volume_configuration_schema;

struct s3_files_volume_configuration {
    struct str file_system_arn;
    struct str root_directory;
    struct opt_int transit_encryption_port;
    struct str access_point_arn;
};
struct s3_files_volume_configuration_list { struct s3_files_volume_configuration *items; size_t count; };
extern const struct schema s3_files_volume_configuration_schema;

struct f_sx_windows_file_server_authorization_config {
    struct str credentials_parameter;
    struct str domain;
};
struct f_sx_windows_file_server_authorization_config_list { struct f_sx_windows_file_server_authorization_config *items; size_t count; };
extern const struct schema f_sx_windows_file_server_authorization_config_schema;

struct f_sx_windows_file_server_volume_configuration {
    struct str file_system_id;
    struct str root_directory;
    struct f_sx_windows_file_server_authorization_config *authorization_config;
};
struct f_sx_windows_file_server_volume_configuration_list { struct f_sx_windows_file_server_volume_configuration *items; size_t count; };
extern const struct schema f_sx_windows_file_server_volume_configuration_schema;

struct volume {
    struct str name;
    struct host_volume_properties *host;
    struct docker_volume_configuration *docker_volume_configuration;
    struct efs_volume_configuration *efs_volume_configuration;
    struct s3_files_volume_configuration *s3files_volume_configuration;
    struct f_sx_windows_file_server_volume_configuration *fsx_windows_file_server_volume_configuration;
    enum opt_bool configured_at_launch;
};
struct volume_list { struct volume *items; size_t count; };
extern const struct schema volume_schema;

enum task_definition_placement_constraint_type { TASK_DEFINITION_PLACEMENT_CONSTRAINT_TYPE_UNSET,
    TASK_DEFINITION_PLACEMENT_CONSTRAINT_TYPE_MEMBEROF, TASK_DEFINITION_PLACEMENT_CONSTRAINT_TYPE_COUNT };
extern const struct enum_names task_definition_placement_constraint_type_names;

struct task_definition_placement_constraint {
    enum task_definition_placement_constraint_type type;
    struct str expression;
};
struct task_definition_placement_constraint_list { struct task_definition_placement_constraint *items; size_t count; };
extern const struct schema task_definition_placement_constraint_schema;

enum cpu_architecture { CPU_ARCHITECTURE_UNSET, CPU_ARCHITECTURE_X86_64, CPU_ARCHITECTURE_ARM64, CPU_ARCHITECTURE_COUNT };
extern const struct enum_names cpu_architecture_names;

enum os_family { OS_FAMILY_UNSET, OS_FAMILY_WINDOWS_SERVER_2019_FULL, OS_FAMILY_WINDOWS_SERVER_2019_CORE,
    OS_FAMILY_WINDOWS_SERVER_2016_FULL, OS_FAMILY_WINDOWS_SERVER_2004_CORE, OS_FAMILY_WINDOWS_SERVER_2022_CORE,
    OS_FAMILY_WINDOWS_SERVER_2022_FULL, OS_FAMILY_WINDOWS_SERVER_2025_CORE, OS_FAMILY_WINDOWS_SERVER_2025_FULL,
    OS_FAMILY_WINDOWS_SERVER_20H2_CORE, OS_FAMILY_LINUX, OS_FAMILY_COUNT };
extern const struct enum_names os_family_names;

struct runtime_platform {
    enum cpu_architecture cpu_architecture;
    enum os_family operating_system_family;
};
struct runtime_platform_list { struct runtime_platform *items; size_t count; };
extern const struct schema runtime_platform_schema;

enum proxy_configuration_type { PROXY_CONFIGURATION_TYPE_UNSET, PROXY_CONFIGURATION_TYPE_APPMESH,
    PROXY_CONFIGURATION_TYPE_COUNT };
extern const struct enum_names proxy_configuration_type_names;

struct proxy_configuration {
    enum proxy_configuration_type type;
    struct str container_name;
    struct key_value_pair_list properties;
};
struct proxy_configuration_list { struct proxy_configuration *items; size_t count; };
extern const struct schema proxy_configuration_schema;

enum network_mode { NETWORK_MODE_UNSET, NETWORK_MODE_BRIDGE, NETWORK_MODE_HOST, NETWORK_MODE_AWSVPC, NETWORK_MODE_NONE,
    NETWORK_MODE_COUNT };
extern const struct enum_names network_mode_names;

enum task_definition_status { TASK_DEFINITION_STATUS_UNSET, TASK_DEFINITION_STATUS_ACTIVE, TASK_DEFINITION_STATUS_INACTIVE,
    TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS, TASK_DEFINITION_STATUS_COUNT };
extern const struct enum_names task_definition_status_names;

enum compatibility { COMPATIBILITY_UNSET, COMPATIBILITY_EC2, COMPATIBILITY_FARGATE, COMPATIBILITY_EXTERNAL,
    COMPATIBILITY_MANAGED_INSTANCES, COMPATIBILITY_COUNT };
extern const struct enum_names compatibility_names;

enum pid_mode { PID_MODE_UNSET, PID_MODE_HOST, PID_MODE_TASK, PID_MODE_COUNT };
extern const struct enum_names pid_mode_names;

enum ipc_mode { IPC_MODE_UNSET, IPC_MODE_HOST, IPC_MODE_TASK, IPC_MODE_NONE, IPC_MODE_COUNT };
extern const struct enum_names ipc_mode_names;

struct task_definition {
    struct str task_definition_arn;
    struct container_definition_list container_definitions;
    struct str family;
    struct str task_role_arn;
    struct str execution_role_arn;
    enum network_mode network_mode;
    struct opt_int revision;
    struct volume_list volumes;
    enum task_definition_status status;
    struct attribute_list requires_attributes;
    struct task_definition_placement_constraint_list placement_constraints;
    struct enum_list compatibilities;
    struct runtime_platform *runtime_platform;
    struct enum_list requires_compatibilities;
    struct str cpu;
    struct str memory;
    struct inference_accelerator_list inference_accelerators;
    enum pid_mode pid_mode;
    enum ipc_mode ipc_mode;
    struct proxy_configuration *proxy_configuration;
    int64_t registered_at;
    int64_t deregistered_at;
    int64_t delete_requested_at;
    struct str registered_by;
    struct ephemeral_storage *ephemeral_storage;
    enum opt_bool enable_fault_injection;
};
struct task_definition_list { struct task_definition *items; size_t count; };
extern const struct schema task_definition_schema;

#endif
