/* Written by tools/shapes from model/ecs/cluster.shapes. */
#include "model/ecs/cluster.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct execute_command_log_configuration, member)
static const struct field execute_command_log_configuration_schema_fields[] = {
    { STR_INIT("cloudWatchLogGroupName"), 1, FIELD_STR, AT(cloud_watch_log_group_name) },
    { STR_INIT("cloudWatchEncryptionEnabled"), 2, FIELD_BOOL, AT(cloud_watch_encryption_enabled), .always = true },
    { STR_INIT("s3BucketName"), 3, FIELD_STR, AT(s3_bucket_name) },
    { STR_INIT("s3EncryptionEnabled"), 4, FIELD_BOOL, AT(s3_encryption_enabled), .always = true },
    { STR_INIT("s3KeyPrefix"), 5, FIELD_STR, AT(s3_key_prefix) },
};
#undef AT
const struct schema execute_command_log_configuration_schema = SCHEMA_OF("ExecuteCommandLogConfiguration",
    struct execute_command_log_configuration, execute_command_log_configuration_schema_fields);

static const struct str execute_command_logging_words[] = { STR_INIT("NONE"), STR_INIT("DEFAULT"), STR_INIT("OVERRIDE") };
const struct enum_names execute_command_logging_names = { execute_command_logging_words,
    COUNT_OF(execute_command_logging_words) };

#define AT(member) .offset = offsetof(struct execute_command_configuration, member)
static const struct field execute_command_configuration_schema_fields[] = {
    { STR_INIT("kmsKeyId"), 1, FIELD_STR, AT(kms_key_id) },
    { STR_INIT("logging"), 2, FIELD_ENUM, AT(logging), .names = &execute_command_logging_names },
    { STR_INIT("logConfiguration"), 3, FIELD_STRUCT, AT(log_configuration), .schema = &execute_command_log_configuration_schema },
};
#undef AT
const struct schema execute_command_configuration_schema = SCHEMA_OF("ExecuteCommandConfiguration",
    struct execute_command_configuration, execute_command_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct managed_storage_configuration, member)
static const struct field managed_storage_configuration_schema_fields[] = {
    { STR_INIT("kmsKeyId"), 1, FIELD_STR, AT(kms_key_id) },
    { STR_INIT("fargateEphemeralStorageKmsKeyId"), 2, FIELD_STR, AT(fargate_ephemeral_storage_kms_key_id) },
};
#undef AT
const struct schema managed_storage_configuration_schema = SCHEMA_OF("ManagedStorageConfiguration",
    struct managed_storage_configuration, managed_storage_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct cluster_configuration, member)
static const struct field cluster_configuration_schema_fields[] = {
    { STR_INIT("executeCommandConfiguration"), 1, FIELD_STRUCT, AT(execute_command_configuration),
      .schema = &execute_command_configuration_schema },
    { STR_INIT("managedStorageConfiguration"), 2, FIELD_STRUCT, AT(managed_storage_configuration),
      .schema = &managed_storage_configuration_schema },
};
#undef AT
const struct schema cluster_configuration_schema = SCHEMA_OF("ClusterConfiguration", struct cluster_configuration,
    cluster_configuration_schema_fields);

static const struct str cluster_setting_name_words[] = { STR_INIT("containerInsights") };
const struct enum_names cluster_setting_name_names = { cluster_setting_name_words, COUNT_OF(cluster_setting_name_words) };

#define AT(member) .offset = offsetof(struct cluster_setting, member)
static const struct field cluster_setting_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_ENUM, AT(name), .names = &cluster_setting_name_names },
    { STR_INIT("value"), 2, FIELD_STR, AT(value) },
};
#undef AT
const struct schema cluster_setting_schema = SCHEMA_OF("ClusterSetting", struct cluster_setting, cluster_setting_schema_fields);

#define AT(member) .offset = offsetof(struct cluster_service_connect_defaults, member)
static const struct field cluster_service_connect_defaults_schema_fields[] = {
    { STR_INIT("namespace"), 1, FIELD_STR, AT(namespace) },
};
#undef AT
const struct schema cluster_service_connect_defaults_schema = SCHEMA_OF("ClusterServiceConnectDefaults",
    struct cluster_service_connect_defaults, cluster_service_connect_defaults_schema_fields);

#define AT(member) .offset = offsetof(struct cluster_view, member)
static const struct field cluster_view_schema_fields[] = {
    { STR_INIT("clusterArn"), 1, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("clusterName"), 2, FIELD_STR, AT(cluster_name) },
    { STR_INIT("configuration"), 3, FIELD_STRUCT, AT(configuration), .schema = &cluster_configuration_schema },
    { STR_INIT("status"), 4, FIELD_STR, AT(status) },
    { STR_INIT("registeredContainerInstancesCount"), 5, FIELD_INT, AT(registered_container_instances_count), .always = true },
    { STR_INIT("runningTasksCount"), 6, FIELD_INT, AT(running_tasks_count), .always = true },
    { STR_INIT("pendingTasksCount"), 7, FIELD_INT, AT(pending_tasks_count), .always = true },
    { STR_INIT("activeServicesCount"), 8, FIELD_INT, AT(active_services_count), .always = true },
    { STR_INIT("statistics"), 9, FIELD_LIST, AT(statistics), .element = FIELD_STRUCT, .schema = &key_value_pair_schema },
    { STR_INIT("tags"), 10, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("settings"), 11, FIELD_LIST, AT(settings), .element = FIELD_STRUCT, .schema = &cluster_setting_schema },
    { STR_INIT("capacityProviders"), 12, FIELD_LIST, AT(capacity_providers), .element = FIELD_STR },
    { STR_INIT("defaultCapacityProviderStrategy"), 13, FIELD_LIST, AT(default_capacity_provider_strategy),
      .element = FIELD_STRUCT, .schema = &capacity_provider_strategy_item_schema },
    { STR_INIT("attachments"), 14, FIELD_LIST, AT(attachments), .element = FIELD_STRUCT, .schema = &attachment_schema },
    { STR_INIT("attachmentsStatus"), 15, FIELD_STR, AT(attachments_status) },
    { STR_INIT("serviceConnectDefaults"), 16, FIELD_STRUCT, AT(service_connect_defaults),
      .schema = &cluster_service_connect_defaults_schema },
};
#undef AT
const struct schema cluster_view_schema = SCHEMA_OF("Cluster", struct cluster_view, cluster_view_schema_fields);

#define AT(member) .offset = offsetof(struct cluster_service_connect_defaults_request, member)
static const struct field cluster_service_connect_defaults_request_schema_fields[] = {
    { STR_INIT("namespace"), 1, FIELD_STR, AT(namespace), .required = true },
};
#undef AT
const struct schema cluster_service_connect_defaults_request_schema = SCHEMA_OF("ClusterServiceConnectDefaultsRequest",
    struct cluster_service_connect_defaults_request, cluster_service_connect_defaults_request_schema_fields);
