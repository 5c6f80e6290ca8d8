/* task.h: the task of the ECS API, as the wire names it. model/task.shapes has the record that Berth keeps. Members are in the
 * order of the API model; a record tag is the place in that order and never changes. tests/contract compares these tables with
 * the model of an installed SDK. Written by tools/shapes from model/ecs/task.shapes. */
#ifndef BERTH_MODEL_ECS_TASK_H
#define BERTH_MODEL_ECS_TASK_H

#include "model/ecs/common.h"

struct container_override {
    struct str name;
    struct str_list command;
    struct key_value_pair_list environment;
    struct environment_file_list environment_files;
    struct opt_int cpu;
    struct opt_int memory;
    struct opt_int memory_reservation;
    struct resource_requirement_list resource_requirements;
};
struct container_override_list { struct container_override *items; size_t count; };
extern const struct schema container_override_schema;

struct inference_accelerator_override {
    struct str device_name;
    struct str device_type;
};
struct inference_accelerator_override_list { struct inference_accelerator_override *items; size_t count; };
extern const struct schema inference_accelerator_override_schema;

struct task_override {
    struct container_override_list container_overrides;
    struct str cpu;
    struct inference_accelerator_override_list inference_accelerator_overrides;
    struct str execution_role_arn;
    struct str memory;
    struct str task_role_arn;
    struct ephemeral_storage *ephemeral_storage;
};
struct task_override_list { struct task_override *items; size_t count; };
extern const struct schema task_override_schema;

enum ebs_resource_type { EBS_RESOURCE_TYPE_UNSET, EBS_RESOURCE_TYPE_VOLUME, EBS_RESOURCE_TYPE_COUNT };
extern const struct enum_names ebs_resource_type_names;

enum propagate_tags { PROPAGATE_TAGS_UNSET, PROPAGATE_TAGS_TASK_DEFINITION, PROPAGATE_TAGS_SERVICE, PROPAGATE_TAGS_NONE,
    PROPAGATE_TAGS_COUNT };
extern const struct enum_names propagate_tags_names;

struct ebs_tag_specification {
    enum ebs_resource_type resource_type;
    struct tag_list tags;
    enum propagate_tags propagate_tags;
};
struct ebs_tag_specification_list { struct ebs_tag_specification *items; size_t count; };
extern const struct schema ebs_tag_specification_schema;

struct task_managed_ebs_volume_termination_policy {
    enum opt_bool delete_on_termination;
};
struct task_managed_ebs_volume_termination_policy_list { struct task_managed_ebs_volume_termination_policy *items; size_t count; };
extern const struct schema task_managed_ebs_volume_termination_policy_schema;

enum task_filesystem_type { TASK_FILESYSTEM_TYPE_UNSET, TASK_FILESYSTEM_TYPE_EXT3, TASK_FILESYSTEM_TYPE_EXT4,
    TASK_FILESYSTEM_TYPE_XFS, TASK_FILESYSTEM_TYPE_NTFS, TASK_FILESYSTEM_TYPE_COUNT };
extern const struct enum_names task_filesystem_type_names;

struct task_managed_ebs_volume_configuration {
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
    struct task_managed_ebs_volume_termination_policy *termination_policy;
    enum task_filesystem_type filesystem_type;
};
struct task_managed_ebs_volume_configuration_list { struct task_managed_ebs_volume_configuration *items; size_t count; };
extern const struct schema task_managed_ebs_volume_configuration_schema;

struct task_volume_configuration {
    struct str name;
    struct task_managed_ebs_volume_configuration *managed_ebs_volume;
};
struct task_volume_configuration_list { struct task_volume_configuration *items; size_t count; };
extern const struct schema task_volume_configuration_schema;

enum health_status { HEALTH_STATUS_UNSET, HEALTH_STATUS_HEALTHY, HEALTH_STATUS_UNHEALTHY, HEALTH_STATUS_UNKNOWN,
    HEALTH_STATUS_COUNT };
extern const struct enum_names health_status_names;

struct container_view {
    struct str container_arn;
    struct str task_arn;
    struct str name;
    struct str image;
    struct str image_digest;
    struct str runtime_id;
    struct str last_status;
    struct opt_int exit_code;
    struct str reason;
    struct network_binding_list network_bindings;
    struct network_interface_list network_interfaces;
    enum health_status health_status;
    struct managed_agent_list managed_agents;
    struct str cpu;
    struct str memory;
    struct str memory_reservation;
    struct str_list gpu_ids;
    struct str_list neuron_device_ids;
};
struct container_view_list { struct container_view *items; size_t count; };
extern const struct schema container_view_schema;

struct task_ephemeral_storage {
    struct opt_int size_in_gib;
    struct str kms_key_id;
};
struct task_ephemeral_storage_list { struct task_ephemeral_storage *items; size_t count; };
extern const struct schema task_ephemeral_storage_schema;

enum connectivity { CONNECTIVITY_UNSET, CONNECTIVITY_CONNECTED, CONNECTIVITY_DISCONNECTED, CONNECTIVITY_COUNT };
extern const struct enum_names connectivity_names;

enum launch_type { LAUNCH_TYPE_UNSET, LAUNCH_TYPE_EC2, LAUNCH_TYPE_FARGATE, LAUNCH_TYPE_EXTERNAL, LAUNCH_TYPE_MANAGED_INSTANCES,
    LAUNCH_TYPE_COUNT };
extern const struct enum_names launch_type_names;

enum task_stop_code { TASK_STOP_CODE_UNSET, TASK_STOP_CODE_TASKFAILEDTOSTART, TASK_STOP_CODE_ESSENTIALCONTAINEREXITED,
    TASK_STOP_CODE_USERINITIATED, TASK_STOP_CODE_SERVICESCHEDULERINITIATED, TASK_STOP_CODE_SPOTINTERRUPTION,
    TASK_STOP_CODE_TERMINATIONNOTICE, TASK_STOP_CODE_INFRASTRUCTUREHEALTH, TASK_STOP_CODE_COUNT };
extern const struct enum_names task_stop_code_names;

struct task_view {
    struct attachment_list attachments;
    struct attribute_list attributes;
    struct str availability_zone;
    struct str capacity_provider_name;
    struct str cluster_arn;
    enum connectivity connectivity;
    int64_t connectivity_at;
    struct str container_instance_arn;
    struct container_view_list containers;
    struct str cpu;
    int64_t created_at;
    struct str desired_status;
    enum opt_bool enable_execute_command;
    int64_t execution_stopped_at;
    struct str group;
    enum health_status health_status;
    struct inference_accelerator_list inference_accelerators;
    struct str last_status;
    enum launch_type launch_type;
    struct str memory;
    struct task_override *overrides;
    struct str platform_version;
    struct str platform_family;
    int64_t pull_started_at;
    int64_t pull_stopped_at;
    int64_t started_at;
    struct str started_by;
    enum task_stop_code stop_code;
    int64_t stopped_at;
    struct str stopped_reason;
    int64_t stopping_at;
    struct tag_list tags;
    struct str task_arn;
    struct str task_definition_arn;
    struct opt_int version;
    struct ephemeral_storage *ephemeral_storage;
    struct task_ephemeral_storage *fargate_ephemeral_storage;
};
struct task_view_list { struct task_view *items; size_t count; };
extern const struct schema task_view_schema;

#endif
