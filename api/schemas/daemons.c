/* Written by tools/shapes from api/schemas/daemons.shapes. */
#include "api/schemas/daemons.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct daemon_alarm_configuration, member)
static const struct field daemon_alarm_configuration_schema_fields[] = {
    { STR_INIT("alarmNames"), 1, FIELD_LIST, AT(alarm_names), .element = FIELD_STR },
    { STR_INIT("enable"), 2, FIELD_BOOL, AT(enable), .always = true },
};
#undef AT
const struct schema daemon_alarm_configuration_schema = SCHEMA_OF("DaemonAlarmConfiguration", struct daemon_alarm_configuration,
    daemon_alarm_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_deployment_configuration, member)
static const struct field daemon_deployment_configuration_schema_fields[] = {
    { STR_INIT("drainPercent"), 1, FIELD_DOUBLE, AT(drain_percent), .max = 100 },
    { STR_INIT("alarms"), 2, FIELD_STRUCT, AT(alarms), .schema = &daemon_alarm_configuration_schema },
    { STR_INIT("bakeTimeInMinutes"), 3, FIELD_INT, AT(bake_time_in_minutes), .max = 1440, .always = true },
};
#undef AT
const struct schema daemon_deployment_configuration_schema = SCHEMA_OF("DaemonDeploymentConfiguration",
    struct daemon_deployment_configuration, daemon_deployment_configuration_schema_fields);

static const struct str daemon_propagate_tags_words[] = { STR_INIT("DAEMON"), STR_INIT("NONE") };
const struct enum_names daemon_propagate_tags_names = { daemon_propagate_tags_words, COUNT_OF(daemon_propagate_tags_words) };

#define AT(member) .offset = offsetof(struct create_daemon_request, member)
static const struct field create_daemon_request_schema_fields[] = {
    { STR_INIT("daemonName"), 1, FIELD_STR, AT(daemon_name), .min = 1, .max = 255, .required = true },
    { STR_INIT("clusterArn"), 2, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("daemonTaskDefinitionArn"), 3, FIELD_STR, AT(daemon_task_definition_arn), .required = true },
    { STR_INIT("capacityProviderArns"), 4, FIELD_LIST, AT(capacity_provider_arns), .element = FIELD_STR, .required = true },
    { STR_INIT("deploymentConfiguration"), 5, FIELD_STRUCT, AT(deployment_configuration),
      .schema = &daemon_deployment_configuration_schema },
    { STR_INIT("tags"), 6, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("propagateTags"), 7, FIELD_ENUM, AT(propagate_tags), .names = &daemon_propagate_tags_names },
    { STR_INIT("enableECSManagedTags"), 8, FIELD_BOOL, AT(enable_ecs_managed_tags) },
    { STR_INIT("enableExecuteCommand"), 9, FIELD_BOOL, AT(enable_execute_command) },
    { STR_INIT("clientToken"), 10, FIELD_STR, AT(client_token), .max = 36 },
};
#undef AT
const struct schema create_daemon_request_schema = SCHEMA_OF("CreateDaemonRequest", struct create_daemon_request,
    create_daemon_request_schema_fields);

static const struct str daemon_status_words[] = { STR_INIT("ACTIVE"), STR_INIT("DELETE_IN_PROGRESS") };
const struct enum_names daemon_status_names = { daemon_status_words, COUNT_OF(daemon_status_words) };

#define AT(member) .offset = offsetof(struct create_daemon_response, member)
static const struct field create_daemon_response_schema_fields[] = {
    { STR_INIT("daemonArn"), 1, FIELD_STR, AT(daemon_arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &daemon_status_names },
    { STR_INIT("createdAt"), 3, FIELD_TIME, AT(created_at) },
    { STR_INIT("deploymentArn"), 4, FIELD_STR, AT(deployment_arn) },
};
#undef AT
const struct schema create_daemon_response_schema = SCHEMA_OF("CreateDaemonResponse", struct create_daemon_response,
    create_daemon_response_schema_fields);

#define AT(member) .offset = offsetof(struct update_daemon_request, member)
static const struct field update_daemon_request_schema_fields[] = {
    { STR_INIT("daemonArn"), 1, FIELD_STR, AT(daemon_arn), .required = true },
    { STR_INIT("daemonTaskDefinitionArn"), 2, FIELD_STR, AT(daemon_task_definition_arn), .required = true },
    { STR_INIT("capacityProviderArns"), 3, FIELD_LIST, AT(capacity_provider_arns), .element = FIELD_STR, .required = true },
    { STR_INIT("deploymentConfiguration"), 4, FIELD_STRUCT, AT(deployment_configuration),
      .schema = &daemon_deployment_configuration_schema },
    { STR_INIT("propagateTags"), 5, FIELD_ENUM, AT(propagate_tags), .names = &daemon_propagate_tags_names },
    { STR_INIT("enableECSManagedTags"), 6, FIELD_BOOL, AT(enable_ecs_managed_tags) },
    { STR_INIT("enableExecuteCommand"), 7, FIELD_BOOL, AT(enable_execute_command) },
};
#undef AT
const struct schema update_daemon_request_schema = SCHEMA_OF("UpdateDaemonRequest", struct update_daemon_request,
    update_daemon_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_daemon_response, member)
static const struct field update_daemon_response_schema_fields[] = {
    { STR_INIT("daemonArn"), 1, FIELD_STR, AT(daemon_arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &daemon_status_names },
    { STR_INIT("createdAt"), 3, FIELD_TIME, AT(created_at) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at) },
    { STR_INIT("deploymentArn"), 5, FIELD_STR, AT(deployment_arn) },
};
#undef AT
const struct schema update_daemon_response_schema = SCHEMA_OF("UpdateDaemonResponse", struct update_daemon_response,
    update_daemon_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_daemon_request, member)
static const struct field delete_daemon_request_schema_fields[] = {
    { STR_INIT("daemonArn"), 1, FIELD_STR, AT(daemon_arn), .required = true },
};
#undef AT
const struct schema delete_daemon_request_schema = SCHEMA_OF("DeleteDaemonRequest", struct delete_daemon_request,
    delete_daemon_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_daemon_response, member)
static const struct field delete_daemon_response_schema_fields[] = {
    { STR_INIT("daemonArn"), 1, FIELD_STR, AT(daemon_arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &daemon_status_names },
    { STR_INIT("createdAt"), 3, FIELD_TIME, AT(created_at) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at) },
    { STR_INIT("deploymentArn"), 5, FIELD_STR, AT(deployment_arn) },
};
#undef AT
const struct schema delete_daemon_response_schema = SCHEMA_OF("DeleteDaemonResponse", struct delete_daemon_response,
    delete_daemon_response_schema_fields);

#define AT(member) .offset = offsetof(struct describe_daemon_request, member)
static const struct field describe_daemon_request_schema_fields[] = {
    { STR_INIT("daemonArn"), 1, FIELD_STR, AT(daemon_arn), .required = true },
};
#undef AT
const struct schema describe_daemon_request_schema = SCHEMA_OF("DescribeDaemonRequest", struct describe_daemon_request,
    describe_daemon_request_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_capacity_provider, member)
static const struct field daemon_capacity_provider_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("runningCount"), 2, FIELD_INT, AT(running_count), .always = true },
};
#undef AT
const struct schema daemon_capacity_provider_schema = SCHEMA_OF("DaemonCapacityProvider", struct daemon_capacity_provider,
    daemon_capacity_provider_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_revision_detail, member)
static const struct field daemon_revision_detail_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("capacityProviders"), 2, FIELD_LIST, AT(capacity_providers), .element = FIELD_STRUCT,
      .schema = &daemon_capacity_provider_schema },
    { STR_INIT("totalRunningCount"), 3, FIELD_INT, AT(total_running_count), .always = true },
};
#undef AT
const struct schema daemon_revision_detail_schema = SCHEMA_OF("DaemonRevisionDetail", struct daemon_revision_detail,
    daemon_revision_detail_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_detail, member)
static const struct field daemon_detail_schema_fields[] = {
    { STR_INIT("daemonArn"), 1, FIELD_STR, AT(daemon_arn) },
    { STR_INIT("clusterArn"), 2, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("status"), 3, FIELD_ENUM, AT(status), .names = &daemon_status_names },
    { STR_INIT("currentRevisions"), 4, FIELD_LIST, AT(current_revisions), .element = FIELD_STRUCT,
      .schema = &daemon_revision_detail_schema },
    { STR_INIT("deploymentArn"), 5, FIELD_STR, AT(deployment_arn) },
    { STR_INIT("createdAt"), 6, FIELD_TIME, AT(created_at) },
    { STR_INIT("updatedAt"), 7, FIELD_TIME, AT(updated_at) },
};
#undef AT
const struct schema daemon_detail_schema = SCHEMA_OF("DaemonDetail", struct daemon_detail, daemon_detail_schema_fields);

#define AT(member) .offset = offsetof(struct describe_daemon_response, member)
static const struct field describe_daemon_response_schema_fields[] = {
    { STR_INIT("daemon"), 1, FIELD_STRUCT, AT(daemon), .schema = &daemon_detail_schema },
};
#undef AT
const struct schema describe_daemon_response_schema = SCHEMA_OF("DescribeDaemonResponse", struct describe_daemon_response,
    describe_daemon_response_schema_fields);

#define AT(member) .offset = offsetof(struct list_daemons_request, member)
static const struct field list_daemons_request_schema_fields[] = {
    { STR_INIT("clusterArn"), 1, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("capacityProviderArns"), 2, FIELD_LIST, AT(capacity_provider_arns), .element = FIELD_STR },
    { STR_INIT("maxResults"), 3, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
    { STR_INIT("nextToken"), 4, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_daemons_request_schema = SCHEMA_OF("ListDaemonsRequest", struct list_daemons_request,
    list_daemons_request_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_summary, member)
static const struct field daemon_summary_schema_fields[] = {
    { STR_INIT("daemonArn"), 1, FIELD_STR, AT(daemon_arn) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &daemon_status_names },
    { STR_INIT("createdAt"), 3, FIELD_TIME, AT(created_at) },
    { STR_INIT("updatedAt"), 4, FIELD_TIME, AT(updated_at) },
};
#undef AT
const struct schema daemon_summary_schema = SCHEMA_OF("DaemonSummary", struct daemon_summary, daemon_summary_schema_fields);

#define AT(member) .offset = offsetof(struct list_daemons_response, member)
static const struct field list_daemons_response_schema_fields[] = {
    { STR_INIT("daemonSummariesList"), 1, FIELD_LIST, AT(daemon_summaries_list), .element = FIELD_STRUCT,
      .schema = &daemon_summary_schema },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_daemons_response_schema = SCHEMA_OF("ListDaemonsResponse", struct list_daemons_response,
    list_daemons_response_schema_fields);

#define AT(member) .offset = offsetof(struct describe_daemon_deployments_request, member)
static const struct field describe_daemon_deployments_request_schema_fields[] = {
    { STR_INIT("daemonDeploymentArns"), 1, FIELD_LIST, AT(daemon_deployment_arns), .element = FIELD_STR, .min = 1, .max = 20,
      .required = true },
};
#undef AT
const struct schema describe_daemon_deployments_request_schema = SCHEMA_OF("DescribeDaemonDeploymentsRequest",
    struct describe_daemon_deployments_request, describe_daemon_deployments_request_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_deployment_capacity_provider, member)
static const struct field daemon_deployment_capacity_provider_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("runningInstanceCount"), 2, FIELD_INT, AT(running_instance_count) },
    { STR_INIT("drainingInstanceCount"), 3, FIELD_INT, AT(draining_instance_count) },
};
#undef AT
const struct schema daemon_deployment_capacity_provider_schema = SCHEMA_OF("DaemonDeploymentCapacityProvider",
    struct daemon_deployment_capacity_provider, daemon_deployment_capacity_provider_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_deployment_revision_detail, member)
static const struct field daemon_deployment_revision_detail_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("capacityProviders"), 2, FIELD_LIST, AT(capacity_providers), .element = FIELD_STRUCT,
      .schema = &daemon_deployment_capacity_provider_schema },
    { STR_INIT("totalRunningInstanceCount"), 3, FIELD_INT, AT(total_running_instance_count) },
    { STR_INIT("totalDrainingInstanceCount"), 4, FIELD_INT, AT(total_draining_instance_count) },
};
#undef AT
const struct schema daemon_deployment_revision_detail_schema = SCHEMA_OF("DaemonDeploymentRevisionDetail",
    struct daemon_deployment_revision_detail, daemon_deployment_revision_detail_schema_fields);

static const struct str daemon_deployment_rollback_monitors_status_words[] = { STR_INIT("TRIGGERED"), STR_INIT("MONITORING"),
    STR_INIT("MONITORING_COMPLETE"), STR_INIT("DISABLED") };
const struct enum_names daemon_deployment_rollback_monitors_status_names = { daemon_deployment_rollback_monitors_status_words,
    COUNT_OF(daemon_deployment_rollback_monitors_status_words) };

#define AT(member) .offset = offsetof(struct daemon_circuit_breaker, member)
static const struct field daemon_circuit_breaker_schema_fields[] = {
    { STR_INIT("failureCount"), 1, FIELD_INT, AT(failure_count), .always = true },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &daemon_deployment_rollback_monitors_status_names },
    { STR_INIT("threshold"), 3, FIELD_INT, AT(threshold), .always = true },
};
#undef AT
const struct schema daemon_circuit_breaker_schema = SCHEMA_OF("DaemonCircuitBreaker", struct daemon_circuit_breaker,
    daemon_circuit_breaker_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_deployment_alarms, member)
static const struct field daemon_deployment_alarms_schema_fields[] = {
    { STR_INIT("status"), 1, FIELD_ENUM, AT(status), .names = &daemon_deployment_rollback_monitors_status_names },
    { STR_INIT("alarmNames"), 2, FIELD_LIST, AT(alarm_names), .element = FIELD_STR },
    { STR_INIT("triggeredAlarmNames"), 3, FIELD_LIST, AT(triggered_alarm_names), .element = FIELD_STR },
};
#undef AT
const struct schema daemon_deployment_alarms_schema = SCHEMA_OF("DaemonDeploymentAlarms", struct daemon_deployment_alarms,
    daemon_deployment_alarms_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_rollback, member)
static const struct field daemon_rollback_schema_fields[] = {
    { STR_INIT("reason"), 1, FIELD_STR, AT(reason) },
    { STR_INIT("startedAt"), 2, FIELD_TIME, AT(started_at) },
    { STR_INIT("rollbackTargetDaemonRevisionArn"), 3, FIELD_STR, AT(rollback_target_daemon_revision_arn) },
    { STR_INIT("rollbackCapacityProviders"), 4, FIELD_LIST, AT(rollback_capacity_providers), .element = FIELD_STR },
};
#undef AT
const struct schema daemon_rollback_schema = SCHEMA_OF("DaemonRollback", struct daemon_rollback, daemon_rollback_schema_fields);

static const struct str daemon_deployment_status_words[] = { STR_INIT("PENDING"), STR_INIT("SUCCESSFUL"), STR_INIT("STOPPED"),
    STR_INIT("STOP_REQUESTED"), STR_INIT("IN_PROGRESS"), STR_INIT("ROLLBACK_IN_PROGRESS"), STR_INIT("ROLLBACK_SUCCESSFUL"),
    STR_INIT("ROLLBACK_FAILED") };
const struct enum_names daemon_deployment_status_names = { daemon_deployment_status_words,
    COUNT_OF(daemon_deployment_status_words) };

#define AT(member) .offset = offsetof(struct daemon_deployment, member)
static const struct field daemon_deployment_schema_fields[] = {
    { STR_INIT("daemonDeploymentArn"), 1, FIELD_STR, AT(daemon_deployment_arn) },
    { STR_INIT("clusterArn"), 2, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("status"), 3, FIELD_ENUM, AT(status), .names = &daemon_deployment_status_names },
    { STR_INIT("statusReason"), 4, FIELD_STR, AT(status_reason) },
    { STR_INIT("targetDaemonRevision"), 5, FIELD_STRUCT, AT(target_daemon_revision),
      .schema = &daemon_deployment_revision_detail_schema },
    { STR_INIT("sourceDaemonRevisions"), 6, FIELD_LIST, AT(source_daemon_revisions), .element = FIELD_STRUCT,
      .schema = &daemon_deployment_revision_detail_schema },
    { STR_INIT("circuitBreaker"), 7, FIELD_STRUCT, AT(circuit_breaker), .schema = &daemon_circuit_breaker_schema },
    { STR_INIT("alarms"), 8, FIELD_STRUCT, AT(alarms), .schema = &daemon_deployment_alarms_schema },
    { STR_INIT("rollback"), 9, FIELD_STRUCT, AT(rollback), .schema = &daemon_rollback_schema },
    { STR_INIT("deploymentConfiguration"), 10, FIELD_STRUCT, AT(deployment_configuration),
      .schema = &daemon_deployment_configuration_schema },
    { STR_INIT("createdAt"), 11, FIELD_TIME, AT(created_at) },
    { STR_INIT("startedAt"), 12, FIELD_TIME, AT(started_at) },
    { STR_INIT("stoppedAt"), 13, FIELD_TIME, AT(stopped_at) },
    { STR_INIT("finishedAt"), 14, FIELD_TIME, AT(finished_at) },
};
#undef AT
const struct schema daemon_deployment_schema = SCHEMA_OF("DaemonDeployment", struct daemon_deployment,
    daemon_deployment_schema_fields);

#define AT(member) .offset = offsetof(struct describe_daemon_deployments_response, member)
static const struct field describe_daemon_deployments_response_schema_fields[] = {
    { STR_INIT("failures"), 1, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
    { STR_INIT("daemonDeployments"), 2, FIELD_LIST, AT(daemon_deployments), .element = FIELD_STRUCT,
      .schema = &daemon_deployment_schema },
};
#undef AT
const struct schema describe_daemon_deployments_response_schema = SCHEMA_OF("DescribeDaemonDeploymentsResponse",
    struct describe_daemon_deployments_response, describe_daemon_deployments_response_schema_fields);

#define AT(member) .offset = offsetof(struct list_daemon_deployments_request, member)
static const struct field list_daemon_deployments_request_schema_fields[] = {
    { STR_INIT("daemonArn"), 1, FIELD_STR, AT(daemon_arn), .required = true },
    { STR_INIT("status"), 2, FIELD_LIST, AT(status), .element = FIELD_ENUM, .names = &daemon_deployment_status_names },
    { STR_INIT("createdAt"), 3, FIELD_STRUCT, AT(created_at), .schema = &created_at_schema },
    { STR_INIT("maxResults"), 4, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
    { STR_INIT("nextToken"), 5, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_daemon_deployments_request_schema = SCHEMA_OF("ListDaemonDeploymentsRequest",
    struct list_daemon_deployments_request, list_daemon_deployments_request_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_deployment_summary, member)
static const struct field daemon_deployment_summary_schema_fields[] = {
    { STR_INIT("daemonDeploymentArn"), 1, FIELD_STR, AT(daemon_deployment_arn) },
    { STR_INIT("daemonArn"), 2, FIELD_STR, AT(daemon_arn) },
    { STR_INIT("clusterArn"), 3, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("status"), 4, FIELD_ENUM, AT(status), .names = &daemon_deployment_status_names },
    { STR_INIT("statusReason"), 5, FIELD_STR, AT(status_reason) },
    { STR_INIT("targetDaemonRevisionArn"), 6, FIELD_STR, AT(target_daemon_revision_arn) },
    { STR_INIT("createdAt"), 7, FIELD_TIME, AT(created_at) },
    { STR_INIT("startedAt"), 8, FIELD_TIME, AT(started_at) },
    { STR_INIT("stoppedAt"), 9, FIELD_TIME, AT(stopped_at) },
    { STR_INIT("finishedAt"), 10, FIELD_TIME, AT(finished_at) },
};
#undef AT
const struct schema daemon_deployment_summary_schema = SCHEMA_OF("DaemonDeploymentSummary", struct daemon_deployment_summary,
    daemon_deployment_summary_schema_fields);

#define AT(member) .offset = offsetof(struct list_daemon_deployments_response, member)
static const struct field list_daemon_deployments_response_schema_fields[] = {
    { STR_INIT("nextToken"), 1, FIELD_STR, AT(next_token) },
    { STR_INIT("daemonDeployments"), 2, FIELD_LIST, AT(daemon_deployments), .element = FIELD_STRUCT,
      .schema = &daemon_deployment_summary_schema },
};
#undef AT
const struct schema list_daemon_deployments_response_schema = SCHEMA_OF("ListDaemonDeploymentsResponse",
    struct list_daemon_deployments_response, list_daemon_deployments_response_schema_fields);

#define AT(member) .offset = offsetof(struct describe_daemon_revisions_request, member)
static const struct field describe_daemon_revisions_request_schema_fields[] = {
    { STR_INIT("daemonRevisionArns"), 1, FIELD_LIST, AT(daemon_revision_arns), .element = FIELD_STR, .min = 1, .max = 20,
      .required = true },
};
#undef AT
const struct schema describe_daemon_revisions_request_schema = SCHEMA_OF("DescribeDaemonRevisionsRequest",
    struct describe_daemon_revisions_request, describe_daemon_revisions_request_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_container_image, member)
static const struct field daemon_container_image_schema_fields[] = {
    { STR_INIT("containerName"), 1, FIELD_STR, AT(container_name) },
    { STR_INIT("imageDigest"), 2, FIELD_STR, AT(image_digest) },
    { STR_INIT("image"), 3, FIELD_STR, AT(image) },
};
#undef AT
const struct schema daemon_container_image_schema = SCHEMA_OF("DaemonContainerImage", struct daemon_container_image,
    daemon_container_image_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_revision, member)
static const struct field daemon_revision_schema_fields[] = {
    { STR_INIT("daemonRevisionArn"), 1, FIELD_STR, AT(daemon_revision_arn) },
    { STR_INIT("clusterArn"), 2, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("daemonArn"), 3, FIELD_STR, AT(daemon_arn) },
    { STR_INIT("daemonTaskDefinitionArn"), 4, FIELD_STR, AT(daemon_task_definition_arn) },
    { STR_INIT("createdAt"), 5, FIELD_TIME, AT(created_at) },
    { STR_INIT("containerImages"), 6, FIELD_LIST, AT(container_images), .element = FIELD_STRUCT,
      .schema = &daemon_container_image_schema },
    { STR_INIT("propagateTags"), 7, FIELD_ENUM, AT(propagate_tags), .names = &daemon_propagate_tags_names },
    { STR_INIT("enableECSManagedTags"), 8, FIELD_BOOL, AT(enable_ecs_managed_tags) },
    { STR_INIT("enableExecuteCommand"), 9, FIELD_BOOL, AT(enable_execute_command) },
};
#undef AT
const struct schema daemon_revision_schema = SCHEMA_OF("DaemonRevision", struct daemon_revision, daemon_revision_schema_fields);

#define AT(member) .offset = offsetof(struct describe_daemon_revisions_response, member)
static const struct field describe_daemon_revisions_response_schema_fields[] = {
    { STR_INIT("daemonRevisions"), 1, FIELD_LIST, AT(daemon_revisions), .element = FIELD_STRUCT,
      .schema = &daemon_revision_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema describe_daemon_revisions_response_schema = SCHEMA_OF("DescribeDaemonRevisionsResponse",
    struct describe_daemon_revisions_response, describe_daemon_revisions_response_schema_fields);

#define AT(member) .offset = offsetof(struct register_daemon_task_definition_request, member)
static const struct field register_daemon_task_definition_request_schema_fields[] = {
    { STR_INIT("family"), 1, FIELD_STR, AT(family), .min = 1, .max = 255, .required = true },
    { STR_INIT("taskRoleArn"), 2, FIELD_STR, AT(task_role_arn) },
    { STR_INIT("executionRoleArn"), 3, FIELD_STR, AT(execution_role_arn) },
    { STR_INIT("containerDefinitions"), 4, FIELD_LIST, AT(container_definitions), .element = FIELD_STRUCT,
      .schema = &daemon_container_definition_schema, .min = 1, .max = 10, .required = true },
    { STR_INIT("cpu"), 5, FIELD_STR, AT(cpu) },
    { STR_INIT("memory"), 6, FIELD_STR, AT(memory) },
    { STR_INIT("volumes"), 7, FIELD_LIST, AT(volumes), .element = FIELD_STRUCT, .schema = &daemon_volume_schema },
    { STR_INIT("tags"), 8, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("pidMode"), 9, FIELD_ENUM, AT(pid_mode), .names = &daemon_pid_mode_names },
    { STR_INIT("ipcMode"), 10, FIELD_ENUM, AT(ipc_mode), .names = &daemon_ipc_mode_names },
};
#undef AT
const struct schema register_daemon_task_definition_request_schema = SCHEMA_OF("RegisterDaemonTaskDefinitionRequest",
    struct register_daemon_task_definition_request, register_daemon_task_definition_request_schema_fields);

#define AT(member) .offset = offsetof(struct register_daemon_task_definition_response, member)
static const struct field register_daemon_task_definition_response_schema_fields[] = {
    { STR_INIT("daemonTaskDefinitionArn"), 1, FIELD_STR, AT(daemon_task_definition_arn) },
};
#undef AT
const struct schema register_daemon_task_definition_response_schema = SCHEMA_OF("RegisterDaemonTaskDefinitionResponse",
    struct register_daemon_task_definition_response, register_daemon_task_definition_response_schema_fields);

#define AT(member) .offset = offsetof(struct describe_daemon_task_definition_request, member)
static const struct field describe_daemon_task_definition_request_schema_fields[] = {
    { STR_INIT("daemonTaskDefinition"), 1, FIELD_STR, AT(daemon_task_definition), .required = true },
};
#undef AT
const struct schema describe_daemon_task_definition_request_schema = SCHEMA_OF("DescribeDaemonTaskDefinitionRequest",
    struct describe_daemon_task_definition_request, describe_daemon_task_definition_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_daemon_task_definition_response, member)
static const struct field describe_daemon_task_definition_response_schema_fields[] = {
    { STR_INIT("daemonTaskDefinition"), 1, FIELD_STRUCT, AT(daemon_task_definition), .schema = &daemon_task_definition_schema },
};
#undef AT
const struct schema describe_daemon_task_definition_response_schema = SCHEMA_OF("DescribeDaemonTaskDefinitionResponse",
    struct describe_daemon_task_definition_response, describe_daemon_task_definition_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_daemon_task_definition_request, member)
static const struct field delete_daemon_task_definition_request_schema_fields[] = {
    { STR_INIT("daemonTaskDefinition"), 1, FIELD_STR, AT(daemon_task_definition), .required = true },
};
#undef AT
const struct schema delete_daemon_task_definition_request_schema = SCHEMA_OF("DeleteDaemonTaskDefinitionRequest",
    struct delete_daemon_task_definition_request, delete_daemon_task_definition_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_daemon_task_definition_response, member)
static const struct field delete_daemon_task_definition_response_schema_fields[] = {
    { STR_INIT("daemonTaskDefinitionArn"), 1, FIELD_STR, AT(daemon_task_definition_arn) },
};
#undef AT
const struct schema delete_daemon_task_definition_response_schema = SCHEMA_OF("DeleteDaemonTaskDefinitionResponse",
    struct delete_daemon_task_definition_response, delete_daemon_task_definition_response_schema_fields);

static const struct str daemon_task_definition_revision_filter_words[] = { STR_INIT("LAST_REGISTERED") };
const struct enum_names daemon_task_definition_revision_filter_names = { daemon_task_definition_revision_filter_words,
    COUNT_OF(daemon_task_definition_revision_filter_words) };

static const struct str daemon_task_definition_status_filter_words[] = { STR_INIT("ACTIVE"), STR_INIT("DELETE_IN_PROGRESS"),
    STR_INIT("ALL") };
const struct enum_names daemon_task_definition_status_filter_names = { daemon_task_definition_status_filter_words,
    COUNT_OF(daemon_task_definition_status_filter_words) };

#define AT(member) .offset = offsetof(struct list_daemon_task_definitions_request, member)
static const struct field list_daemon_task_definitions_request_schema_fields[] = {
    { STR_INIT("familyPrefix"), 1, FIELD_STR, AT(family_prefix) },
    { STR_INIT("family"), 2, FIELD_STR, AT(family) },
    { STR_INIT("revision"), 3, FIELD_ENUM, AT(revision), .names = &daemon_task_definition_revision_filter_names },
    { STR_INIT("status"), 4, FIELD_ENUM, AT(status), .names = &daemon_task_definition_status_filter_names },
    { STR_INIT("sort"), 5, FIELD_ENUM, AT(sort), .names = &sort_order_names },
    { STR_INIT("nextToken"), 6, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 7, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
};
#undef AT
const struct schema list_daemon_task_definitions_request_schema = SCHEMA_OF("ListDaemonTaskDefinitionsRequest",
    struct list_daemon_task_definitions_request, list_daemon_task_definitions_request_schema_fields);

#define AT(member) .offset = offsetof(struct daemon_task_definition_summary, member)
static const struct field daemon_task_definition_summary_schema_fields[] = {
    { STR_INIT("arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("registeredAt"), 2, FIELD_TIME, AT(registered_at) },
    { STR_INIT("registeredBy"), 3, FIELD_STR, AT(registered_by) },
    { STR_INIT("deleteRequestedAt"), 4, FIELD_TIME, AT(delete_requested_at) },
    { STR_INIT("status"), 5, FIELD_ENUM, AT(status), .names = &daemon_task_definition_status_names },
};
#undef AT
const struct schema daemon_task_definition_summary_schema = SCHEMA_OF("DaemonTaskDefinitionSummary",
    struct daemon_task_definition_summary, daemon_task_definition_summary_schema_fields);

#define AT(member) .offset = offsetof(struct list_daemon_task_definitions_response, member)
static const struct field list_daemon_task_definitions_response_schema_fields[] = {
    { STR_INIT("daemonTaskDefinitions"), 1, FIELD_LIST, AT(daemon_task_definitions), .element = FIELD_STRUCT,
      .schema = &daemon_task_definition_summary_schema },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_daemon_task_definitions_response_schema = SCHEMA_OF("ListDaemonTaskDefinitionsResponse",
    struct list_daemon_task_definitions_response, list_daemon_task_definitions_response_schema_fields);
