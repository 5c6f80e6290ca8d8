/* tasks.h: inputs and outputs of the operations on tasks, in the order of the API model. Written by tools/shapes from
 * api/schemas/tasks.shapes. */
#ifndef BERTH_API_SCHEMAS_TASKS_H
#define BERTH_API_SCHEMAS_TASKS_H

#include "model/ecs/task.h"

struct run_task_request {
    struct capacity_provider_strategy_item_list capacity_provider_strategy;
    struct str cluster;
    struct opt_int count;
    enum opt_bool enable_ecs_managed_tags;
    enum opt_bool enable_execute_command;
    struct str group;
    enum launch_type launch_type;
    struct network_configuration *network_configuration;
    struct task_override *overrides;
    struct placement_constraint_list placement_constraints;
    struct placement_strategy_list placement_strategy;
    struct str platform_version;
    enum propagate_tags propagate_tags;
    struct str reference_id;
    struct str started_by;
    struct tag_list tags;
    struct str task_definition;
    struct str client_token;
    struct task_volume_configuration_list volume_configurations;
};
struct run_task_request_list { struct run_task_request *items; size_t count; };
extern const struct schema run_task_request_schema;

struct run_task_response {
    struct task_view_list tasks;
    struct failure_list failures;
};
struct run_task_response_list { struct run_task_response *items; size_t count; };
extern const struct schema run_task_response_schema;

struct start_task_request {
    struct str cluster;
    struct str_list container_instances;
    enum opt_bool enable_ecs_managed_tags;
    enum opt_bool enable_execute_command;
    struct str group;
    struct network_configuration *network_configuration;
    struct task_override *overrides;
    enum propagate_tags propagate_tags;
    struct str reference_id;
    struct str started_by;
    struct tag_list tags;
    struct str task_definition;
    struct task_volume_configuration_list volume_configurations;
};
struct start_task_request_list { struct start_task_request *items; size_t count; };
extern const struct schema start_task_request_schema;

struct start_task_response {
    struct task_view_list tasks;
    struct failure_list failures;
};
struct start_task_response_list { struct start_task_response *items; size_t count; };
extern const struct schema start_task_response_schema;

struct stop_task_request {
    struct str cluster;
    struct str task;
    struct str reason;
};
struct stop_task_request_list { struct stop_task_request *items; size_t count; };
extern const struct schema stop_task_request_schema;

struct stop_task_response {
    struct task_view *task;
};
struct stop_task_response_list { struct stop_task_response *items; size_t count; };
extern const struct schema stop_task_response_schema;

enum task_field { TASK_FIELD_UNSET, TASK_FIELD_TAGS, TASK_FIELD_COUNT };
extern const struct enum_names task_field_names;

struct describe_tasks_request {
    struct str cluster;
    struct str_list tasks;
    struct enum_list include;
};
struct describe_tasks_request_list { struct describe_tasks_request *items; size_t count; };
extern const struct schema describe_tasks_request_schema;

struct describe_tasks_response {
    struct task_view_list tasks;
    struct failure_list failures;
};
struct describe_tasks_response_list { struct describe_tasks_response *items; size_t count; };
extern const struct schema describe_tasks_response_schema;

enum desired_status { DESIRED_STATUS_UNSET, DESIRED_STATUS_RUNNING, DESIRED_STATUS_PENDING, DESIRED_STATUS_STOPPED,
    DESIRED_STATUS_COUNT };
extern const struct enum_names desired_status_names;

struct list_tasks_request {
    struct str cluster;
    struct str container_instance;
    struct str family;
    struct str next_token;
    struct opt_int max_results;
    struct str started_by;
    struct str service_name;
    enum desired_status desired_status;
    enum launch_type launch_type;
    struct str daemon_name;
};
struct list_tasks_request_list { struct list_tasks_request *items; size_t count; };
extern const struct schema list_tasks_request_schema;

struct list_tasks_response {
    struct str_list task_arns;
    struct str next_token;
};
struct list_tasks_response_list { struct list_tasks_response *items; size_t count; };
extern const struct schema list_tasks_response_schema;

#endif
