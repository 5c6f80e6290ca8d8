/* cluster.h: the cluster of the ECS API, as the wire names it. Members are in the order of the API model; a record tag is the
 * place in that order and never changes. tests/contract compares these tables with the model of an installed SDK. Written by
 * tools/shapes from model/ecs/cluster.shapes. */
#ifndef BERTH_MODEL_ECS_CLUSTER_H
#define BERTH_MODEL_ECS_CLUSTER_H

#include "model/ecs/common.h"

struct execute_command_log_configuration {
    struct str cloud_watch_log_group_name;
    enum opt_bool cloud_watch_encryption_enabled;
    struct str s3_bucket_name;
    enum opt_bool s3_encryption_enabled;
    struct str s3_key_prefix;
};
struct execute_command_log_configuration_list { struct execute_command_log_configuration *items; size_t count; };
extern const struct schema execute_command_log_configuration_schema;

enum execute_command_logging { EXECUTE_COMMAND_LOGGING_UNSET, EXECUTE_COMMAND_LOGGING_NONE, EXECUTE_COMMAND_LOGGING_DEFAULT,
    EXECUTE_COMMAND_LOGGING_OVERRIDE, EXECUTE_COMMAND_LOGGING_COUNT };
extern const struct enum_names execute_command_logging_names;

struct execute_command_configuration {
    struct str kms_key_id;
    enum execute_command_logging logging;
    struct execute_command_log_configuration *log_configuration;
};
struct execute_command_configuration_list { struct execute_command_configuration *items; size_t count; };
extern const struct schema execute_command_configuration_schema;

struct managed_storage_configuration {
    struct str kms_key_id;
    struct str fargate_ephemeral_storage_kms_key_id;
};
struct managed_storage_configuration_list { struct managed_storage_configuration *items; size_t count; };
extern const struct schema managed_storage_configuration_schema;

struct cluster_configuration {
    struct execute_command_configuration *execute_command_configuration;
    struct managed_storage_configuration *managed_storage_configuration;
};
struct cluster_configuration_list { struct cluster_configuration *items; size_t count; };
extern const struct schema cluster_configuration_schema;

enum cluster_setting_name { CLUSTER_SETTING_NAME_UNSET, CLUSTER_SETTING_NAME_CONTAINERINSIGHTS, CLUSTER_SETTING_NAME_COUNT };
extern const struct enum_names cluster_setting_name_names;

struct cluster_setting {
    enum cluster_setting_name name;
    struct str value;
};
struct cluster_setting_list { struct cluster_setting *items; size_t count; };
extern const struct schema cluster_setting_schema;

struct cluster_service_connect_defaults {
    struct str namespace;
};
struct cluster_service_connect_defaults_list { struct cluster_service_connect_defaults *items; size_t count; };
extern const struct schema cluster_service_connect_defaults_schema;

struct cluster_view {
    struct str cluster_arn;
    struct str cluster_name;
    struct cluster_configuration *configuration;
    struct str status;
    struct opt_int registered_container_instances_count;
    struct opt_int running_tasks_count;
    struct opt_int pending_tasks_count;
    struct opt_int active_services_count;
    struct key_value_pair_list statistics;
    struct tag_list tags;
    struct cluster_setting_list settings;
    struct str_list capacity_providers;
    struct capacity_provider_strategy_item_list default_capacity_provider_strategy;
    struct attachment_list attachments;
    struct str attachments_status;
    struct cluster_service_connect_defaults *service_connect_defaults;
};
struct cluster_view_list { struct cluster_view *items; size_t count; };
extern const struct schema cluster_view_schema;

struct cluster_service_connect_defaults_request {
    struct str namespace;
};
struct cluster_service_connect_defaults_request_list { struct cluster_service_connect_defaults_request *items; size_t count; };
extern const struct schema cluster_service_connect_defaults_request_schema;

#endif
