/* taskdefs.h: inputs and outputs of the operations on taskdefs, in the order of the API model. Written by tools/shapes from
 * api/schemas/taskdefs.shapes. */
#ifndef BERTH_API_SCHEMAS_TASKDEFS_H
#define BERTH_API_SCHEMAS_TASKDEFS_H

#include "model/ecs/taskdef.h"

struct register_task_definition_request {
    struct str family;
    struct str task_role_arn;
    struct str execution_role_arn;
    enum network_mode network_mode;
    struct container_definition_list container_definitions;
    struct volume_list volumes;
    struct task_definition_placement_constraint_list placement_constraints;
    struct enum_list requires_compatibilities;
    struct str cpu;
    struct str memory;
    struct tag_list tags;
    enum pid_mode pid_mode;
    enum ipc_mode ipc_mode;
    struct proxy_configuration *proxy_configuration;
    struct inference_accelerator_list inference_accelerators;
    struct ephemeral_storage *ephemeral_storage;
    struct runtime_platform *runtime_platform;
    enum opt_bool enable_fault_injection;
};
struct register_task_definition_request_list { struct register_task_definition_request *items; size_t count; };
extern const struct schema register_task_definition_request_schema;

struct register_task_definition_response {
    struct task_definition *task_definition;
    struct tag_list tags;
};
struct register_task_definition_response_list { struct register_task_definition_response *items; size_t count; };
extern const struct schema register_task_definition_response_schema;

enum task_definition_field { TASK_DEFINITION_FIELD_UNSET, TASK_DEFINITION_FIELD_TAGS, TASK_DEFINITION_FIELD_COUNT };
extern const struct enum_names task_definition_field_names;

struct describe_task_definition_request {
    struct str task_definition;
    struct enum_list include;
};
struct describe_task_definition_request_list { struct describe_task_definition_request *items; size_t count; };
extern const struct schema describe_task_definition_request_schema;

struct describe_task_definition_response {
    struct task_definition *task_definition;
    struct tag_list tags;
};
struct describe_task_definition_response_list { struct describe_task_definition_response *items; size_t count; };
extern const struct schema describe_task_definition_response_schema;

struct deregister_task_definition_request {
    struct str task_definition;
};
struct deregister_task_definition_request_list { struct deregister_task_definition_request *items; size_t count; };
extern const struct schema deregister_task_definition_request_schema;

struct deregister_task_definition_response {
    struct task_definition *task_definition;
};
struct deregister_task_definition_response_list { struct deregister_task_definition_response *items; size_t count; };
extern const struct schema deregister_task_definition_response_schema;

enum sort_order { SORT_ORDER_UNSET, SORT_ORDER_ASC, SORT_ORDER_DESC, SORT_ORDER_COUNT };
extern const struct enum_names sort_order_names;

struct list_task_definitions_request {
    struct str family_prefix;
    enum task_definition_status status;
    enum sort_order sort;
    struct str next_token;
    struct opt_int max_results;
};
struct list_task_definitions_request_list { struct list_task_definitions_request *items; size_t count; };
extern const struct schema list_task_definitions_request_schema;

struct list_task_definitions_response {
    struct str_list task_definition_arns;
    struct str next_token;
};
struct list_task_definitions_response_list { struct list_task_definitions_response *items; size_t count; };
extern const struct schema list_task_definitions_response_schema;

enum task_definition_family_status { TASK_DEFINITION_FAMILY_STATUS_UNSET, TASK_DEFINITION_FAMILY_STATUS_ACTIVE,
    TASK_DEFINITION_FAMILY_STATUS_INACTIVE, TASK_DEFINITION_FAMILY_STATUS_ALL, TASK_DEFINITION_FAMILY_STATUS_COUNT };
extern const struct enum_names task_definition_family_status_names;

struct list_task_definition_families_request {
    struct str family_prefix;
    enum task_definition_family_status status;
    struct str next_token;
    struct opt_int max_results;
};
struct list_task_definition_families_request_list { struct list_task_definition_families_request *items; size_t count; };
extern const struct schema list_task_definition_families_request_schema;

struct list_task_definition_families_response {
    struct str_list families;
    struct str next_token;
};
struct list_task_definition_families_response_list { struct list_task_definition_families_response *items; size_t count; };
extern const struct schema list_task_definition_families_response_schema;

struct delete_task_definitions_request {
    struct str_list task_definitions;
};
struct delete_task_definitions_request_list { struct delete_task_definitions_request *items; size_t count; };
extern const struct schema delete_task_definitions_request_schema;

struct delete_task_definitions_response {
    struct task_definition_list task_definitions;
    struct failure_list failures;
};
struct delete_task_definitions_response_list { struct delete_task_definitions_response *items; size_t count; };
extern const struct schema delete_task_definitions_response_schema;

#endif
