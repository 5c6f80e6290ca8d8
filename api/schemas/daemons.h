/* daemons.h: inputs and outputs of the operations on daemons, in the order of the API model. Written by tools/shapes from
 * api/schemas/daemons.shapes. */
#ifndef BERTH_API_SCHEMAS_DAEMONS_H
#define BERTH_API_SCHEMAS_DAEMONS_H

#include "api/schemas/deployments.h"
#include "api/schemas/taskdefs.h"
#include "model/ecs/daemon.h"

struct daemon_alarm_configuration {
    struct str_list alarm_names;
    enum opt_bool enable;
};
struct daemon_alarm_configuration_list { struct daemon_alarm_configuration *items; size_t count; };
extern const struct schema daemon_alarm_configuration_schema;

struct daemon_deployment_configuration {
    struct opt_double drain_percent;
    struct daemon_alarm_configuration *alarms;
    struct opt_int bake_time_in_minutes;
};
struct daemon_deployment_configuration_list { struct daemon_deployment_configuration *items; size_t count; };
extern const struct schema daemon_deployment_configuration_schema;

enum daemon_propagate_tags { DAEMON_PROPAGATE_TAGS_UNSET, DAEMON_PROPAGATE_TAGS_DAEMON, DAEMON_PROPAGATE_TAGS_NONE,
    DAEMON_PROPAGATE_TAGS_COUNT };
extern const struct enum_names daemon_propagate_tags_names;

struct create_daemon_request {
    struct str daemon_name;
    struct str cluster_arn;
    struct str daemon_task_definition_arn;
    struct str_list capacity_provider_arns;
    struct daemon_deployment_configuration *deployment_configuration;
    struct tag_list tags;
    enum daemon_propagate_tags propagate_tags;
    enum opt_bool enable_ecs_managed_tags;
    enum opt_bool enable_execute_command;
    struct str client_token;
};
struct create_daemon_request_list { struct create_daemon_request *items; size_t count; };
extern const struct schema create_daemon_request_schema;

enum daemon_status { DAEMON_STATUS_UNSET, DAEMON_STATUS_ACTIVE, DAEMON_STATUS_DELETE_IN_PROGRESS, DAEMON_STATUS_COUNT };
extern const struct enum_names daemon_status_names;

struct create_daemon_response {
    struct str daemon_arn;
    enum daemon_status status;
    int64_t created_at;
    struct str deployment_arn;
};
struct create_daemon_response_list { struct create_daemon_response *items; size_t count; };
extern const struct schema create_daemon_response_schema;

struct update_daemon_request {
    struct str daemon_arn;
    struct str daemon_task_definition_arn;
    struct str_list capacity_provider_arns;
    struct daemon_deployment_configuration *deployment_configuration;
    enum daemon_propagate_tags propagate_tags;
    enum opt_bool enable_ecs_managed_tags;
    enum opt_bool enable_execute_command;
};
struct update_daemon_request_list { struct update_daemon_request *items; size_t count; };
extern const struct schema update_daemon_request_schema;

struct update_daemon_response {
    struct str daemon_arn;
    enum daemon_status status;
    int64_t created_at;
    int64_t updated_at;
    struct str deployment_arn;
};
struct update_daemon_response_list { struct update_daemon_response *items; size_t count; };
extern const struct schema update_daemon_response_schema;

struct delete_daemon_request {
    struct str daemon_arn;
};
struct delete_daemon_request_list { struct delete_daemon_request *items; size_t count; };
extern const struct schema delete_daemon_request_schema;

struct delete_daemon_response {
    struct str daemon_arn;
    enum daemon_status status;
    int64_t created_at;
    int64_t updated_at;
    struct str deployment_arn;
};
struct delete_daemon_response_list { struct delete_daemon_response *items; size_t count; };
extern const struct schema delete_daemon_response_schema;

struct describe_daemon_request {
    struct str daemon_arn;
};
struct describe_daemon_request_list { struct describe_daemon_request *items; size_t count; };
extern const struct schema describe_daemon_request_schema;

struct daemon_capacity_provider {
    struct str arn;
    struct opt_int running_count;
};
struct daemon_capacity_provider_list { struct daemon_capacity_provider *items; size_t count; };
extern const struct schema daemon_capacity_provider_schema;

struct daemon_revision_detail {
    struct str arn;
    struct daemon_capacity_provider_list capacity_providers;
    struct opt_int total_running_count;
};
struct daemon_revision_detail_list { struct daemon_revision_detail *items; size_t count; };
extern const struct schema daemon_revision_detail_schema;

struct daemon_detail {
    struct str daemon_arn;
    struct str cluster_arn;
    enum daemon_status status;
    struct daemon_revision_detail_list current_revisions;
    struct str deployment_arn;
    int64_t created_at;
    int64_t updated_at;
};
struct daemon_detail_list { struct daemon_detail *items; size_t count; };
extern const struct schema daemon_detail_schema;

struct describe_daemon_response {
    struct daemon_detail *daemon;
};
struct describe_daemon_response_list { struct describe_daemon_response *items; size_t count; };
extern const struct schema describe_daemon_response_schema;

struct list_daemons_request {
    struct str cluster_arn;
    struct str_list capacity_provider_arns;
    struct opt_int max_results;
    struct str next_token;
};
struct list_daemons_request_list { struct list_daemons_request *items; size_t count; };
extern const struct schema list_daemons_request_schema;

struct daemon_summary {
    struct str daemon_arn;
    enum daemon_status status;
    int64_t created_at;
    int64_t updated_at;
};
struct daemon_summary_list { struct daemon_summary *items; size_t count; };
extern const struct schema daemon_summary_schema;

struct list_daemons_response {
    struct daemon_summary_list daemon_summaries_list;
    struct str next_token;
};
struct list_daemons_response_list { struct list_daemons_response *items; size_t count; };
extern const struct schema list_daemons_response_schema;

struct describe_daemon_deployments_request {
    struct str_list daemon_deployment_arns;
};
struct describe_daemon_deployments_request_list { struct describe_daemon_deployments_request *items; size_t count; };
extern const struct schema describe_daemon_deployments_request_schema;

struct daemon_deployment_capacity_provider {
    struct str arn;
    struct opt_int running_instance_count;
    struct opt_int draining_instance_count;
};
struct daemon_deployment_capacity_provider_list { struct daemon_deployment_capacity_provider *items; size_t count; };
extern const struct schema daemon_deployment_capacity_provider_schema;

struct daemon_deployment_revision_detail {
    struct str arn;
    struct daemon_deployment_capacity_provider_list capacity_providers;
    struct opt_int total_running_instance_count;
    struct opt_int total_draining_instance_count;
};
struct daemon_deployment_revision_detail_list { struct daemon_deployment_revision_detail *items; size_t count; };
extern const struct schema daemon_deployment_revision_detail_schema;

enum daemon_deployment_rollback_monitors_status { DAEMON_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_UNSET,
    DAEMON_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_TRIGGERED, DAEMON_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING,
    DAEMON_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING_COMPLETE, DAEMON_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_DISABLED,
    DAEMON_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_COUNT };
extern const struct enum_names daemon_deployment_rollback_monitors_status_names;

struct daemon_circuit_breaker {
    struct opt_int failure_count;
    enum daemon_deployment_rollback_monitors_status status;
    struct opt_int threshold;
};
struct daemon_circuit_breaker_list { struct daemon_circuit_breaker *items; size_t count; };
extern const struct schema daemon_circuit_breaker_schema;

struct daemon_deployment_alarms {
    enum daemon_deployment_rollback_monitors_status status;
    struct str_list alarm_names;
    struct str_list triggered_alarm_names;
};
struct daemon_deployment_alarms_list { struct daemon_deployment_alarms *items; size_t count; };
extern const struct schema daemon_deployment_alarms_schema;

struct daemon_rollback {
    struct str reason;
    int64_t started_at;
    struct str rollback_target_daemon_revision_arn;
    struct str_list rollback_capacity_providers;
};
struct daemon_rollback_list { struct daemon_rollback *items; size_t count; };
extern const struct schema daemon_rollback_schema;

enum daemon_deployment_status { DAEMON_DEPLOYMENT_STATUS_UNSET, DAEMON_DEPLOYMENT_STATUS_PENDING,
    DAEMON_DEPLOYMENT_STATUS_SUCCESSFUL, DAEMON_DEPLOYMENT_STATUS_STOPPED, DAEMON_DEPLOYMENT_STATUS_STOP_REQUESTED,
    DAEMON_DEPLOYMENT_STATUS_IN_PROGRESS, DAEMON_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS,
    DAEMON_DEPLOYMENT_STATUS_ROLLBACK_SUCCESSFUL, DAEMON_DEPLOYMENT_STATUS_ROLLBACK_FAILED, DAEMON_DEPLOYMENT_STATUS_COUNT };
extern const struct enum_names daemon_deployment_status_names;

struct daemon_deployment {
    struct str daemon_deployment_arn;
    struct str cluster_arn;
    enum daemon_deployment_status status;
    struct str status_reason;
    struct daemon_deployment_revision_detail *target_daemon_revision;
    struct daemon_deployment_revision_detail_list source_daemon_revisions;
    struct daemon_circuit_breaker *circuit_breaker;
    struct daemon_deployment_alarms *alarms;
    struct daemon_rollback *rollback;
    struct daemon_deployment_configuration *deployment_configuration;
    int64_t created_at;
    int64_t started_at;
    int64_t stopped_at;
    int64_t finished_at;
};
struct daemon_deployment_list { struct daemon_deployment *items; size_t count; };
extern const struct schema daemon_deployment_schema;

struct describe_daemon_deployments_response {
    struct failure_list failures;
    struct daemon_deployment_list daemon_deployments;
};
struct describe_daemon_deployments_response_list { struct describe_daemon_deployments_response *items; size_t count; };
extern const struct schema describe_daemon_deployments_response_schema;

struct list_daemon_deployments_request {
    struct str daemon_arn;
    struct enum_list status;
    struct created_at *created_at;
    struct opt_int max_results;
    struct str next_token;
};
struct list_daemon_deployments_request_list { struct list_daemon_deployments_request *items; size_t count; };
extern const struct schema list_daemon_deployments_request_schema;

struct daemon_deployment_summary {
    struct str daemon_deployment_arn;
    struct str daemon_arn;
    struct str cluster_arn;
    enum daemon_deployment_status status;
    struct str status_reason;
    struct str target_daemon_revision_arn;
    int64_t created_at;
    int64_t started_at;
    int64_t stopped_at;
    int64_t finished_at;
};
struct daemon_deployment_summary_list { struct daemon_deployment_summary *items; size_t count; };
extern const struct schema daemon_deployment_summary_schema;

struct list_daemon_deployments_response {
    struct str next_token;
    struct daemon_deployment_summary_list daemon_deployments;
};
struct list_daemon_deployments_response_list { struct list_daemon_deployments_response *items; size_t count; };
extern const struct schema list_daemon_deployments_response_schema;

struct describe_daemon_revisions_request {
    struct str_list daemon_revision_arns;
};
struct describe_daemon_revisions_request_list { struct describe_daemon_revisions_request *items; size_t count; };
extern const struct schema describe_daemon_revisions_request_schema;

struct daemon_container_image {
    struct str container_name;
    struct str image_digest;
    struct str image;
};
struct daemon_container_image_list { struct daemon_container_image *items; size_t count; };
extern const struct schema daemon_container_image_schema;

struct daemon_revision {
    struct str daemon_revision_arn;
    struct str cluster_arn;
    struct str daemon_arn;
    struct str daemon_task_definition_arn;
    int64_t created_at;
    struct daemon_container_image_list container_images;
    enum daemon_propagate_tags propagate_tags;
    enum opt_bool enable_ecs_managed_tags;
    enum opt_bool enable_execute_command;
};
struct daemon_revision_list { struct daemon_revision *items; size_t count; };
extern const struct schema daemon_revision_schema;

struct describe_daemon_revisions_response {
    struct daemon_revision_list daemon_revisions;
    struct failure_list failures;
};
struct describe_daemon_revisions_response_list { struct describe_daemon_revisions_response *items; size_t count; };
extern const struct schema describe_daemon_revisions_response_schema;

struct register_daemon_task_definition_request {
    struct str family;
    struct str task_role_arn;
    struct str execution_role_arn;
    struct container_definition_list container_definitions;
    struct str cpu;
    struct str memory;
    struct volume_list volumes;
    struct tag_list tags;
    enum daemon_pid_mode pid_mode;
    enum daemon_ipc_mode ipc_mode;
};
struct register_daemon_task_definition_request_list { struct register_daemon_task_definition_request *items; size_t count; };
extern const struct schema register_daemon_task_definition_request_schema;

struct register_daemon_task_definition_response {
    struct str daemon_task_definition_arn;
};
struct register_daemon_task_definition_response_list { struct register_daemon_task_definition_response *items; size_t count; };
extern const struct schema register_daemon_task_definition_response_schema;

struct describe_daemon_task_definition_request {
    struct str daemon_task_definition;
};
struct describe_daemon_task_definition_request_list { struct describe_daemon_task_definition_request *items; size_t count; };
extern const struct schema describe_daemon_task_definition_request_schema;

struct describe_daemon_task_definition_response {
    struct daemon_task_definition *daemon_task_definition;
};
struct describe_daemon_task_definition_response_list { struct describe_daemon_task_definition_response *items; size_t count; };
extern const struct schema describe_daemon_task_definition_response_schema;

struct delete_daemon_task_definition_request {
    struct str daemon_task_definition;
};
struct delete_daemon_task_definition_request_list { struct delete_daemon_task_definition_request *items; size_t count; };
extern const struct schema delete_daemon_task_definition_request_schema;

struct delete_daemon_task_definition_response {
    struct str daemon_task_definition_arn;
};
struct delete_daemon_task_definition_response_list { struct delete_daemon_task_definition_response *items; size_t count; };
extern const struct schema delete_daemon_task_definition_response_schema;

enum daemon_task_definition_revision_filter { DAEMON_TASK_DEFINITION_REVISION_FILTER_UNSET,
    DAEMON_TASK_DEFINITION_REVISION_FILTER_LAST_REGISTERED, DAEMON_TASK_DEFINITION_REVISION_FILTER_COUNT };
extern const struct enum_names daemon_task_definition_revision_filter_names;

enum daemon_task_definition_status_filter { DAEMON_TASK_DEFINITION_STATUS_FILTER_UNSET,
    DAEMON_TASK_DEFINITION_STATUS_FILTER_ACTIVE, DAEMON_TASK_DEFINITION_STATUS_FILTER_DELETE_IN_PROGRESS,
    DAEMON_TASK_DEFINITION_STATUS_FILTER_ALL, DAEMON_TASK_DEFINITION_STATUS_FILTER_COUNT };
extern const struct enum_names daemon_task_definition_status_filter_names;

struct list_daemon_task_definitions_request {
    struct str family_prefix;
    struct str family;
    enum daemon_task_definition_revision_filter revision;
    enum daemon_task_definition_status_filter status;
    enum sort_order sort;
    struct str next_token;
    struct opt_int max_results;
};
struct list_daemon_task_definitions_request_list { struct list_daemon_task_definitions_request *items; size_t count; };
extern const struct schema list_daemon_task_definitions_request_schema;

struct daemon_task_definition_summary {
    struct str arn;
    int64_t registered_at;
    struct str registered_by;
    int64_t delete_requested_at;
    enum daemon_task_definition_status status;
};
struct daemon_task_definition_summary_list { struct daemon_task_definition_summary *items; size_t count; };
extern const struct schema daemon_task_definition_summary_schema;

struct list_daemon_task_definitions_response {
    struct daemon_task_definition_summary_list daemon_task_definitions;
    struct str next_token;
};
struct list_daemon_task_definitions_response_list { struct list_daemon_task_definitions_response *items; size_t count; };
extern const struct schema list_daemon_task_definitions_response_schema;

#endif
