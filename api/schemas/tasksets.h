/* tasksets.h: inputs and outputs of the operations on tasksets, in the order of the API model. Written by tools/shapes from
 * api/schemas/tasksets.shapes. */
#ifndef BERTH_API_SCHEMAS_TASKSETS_H
#define BERTH_API_SCHEMAS_TASKSETS_H

#include "api/schemas/services.h"

struct create_task_set_request {
    struct str service;
    struct str cluster;
    struct str external_id;
    struct str task_definition;
    struct network_configuration *network_configuration;
    struct load_balancer_list load_balancers;
    struct service_registry_list service_registries;
    enum launch_type launch_type;
    struct capacity_provider_strategy_item_list capacity_provider_strategy;
    struct str platform_version;
    struct scale *scale;
    struct str client_token;
    struct tag_list tags;
};
struct create_task_set_request_list { struct create_task_set_request *items; size_t count; };
extern const struct schema create_task_set_request_schema;

struct create_task_set_response {
    struct task_set *task_set;
};
struct create_task_set_response_list { struct create_task_set_response *items; size_t count; };
extern const struct schema create_task_set_response_schema;

struct update_task_set_request {
    struct str cluster;
    struct str service;
    struct str task_set;
    struct scale *scale;
};
struct update_task_set_request_list { struct update_task_set_request *items; size_t count; };
extern const struct schema update_task_set_request_schema;

struct update_task_set_response {
    struct task_set *task_set;
};
struct update_task_set_response_list { struct update_task_set_response *items; size_t count; };
extern const struct schema update_task_set_response_schema;

struct delete_task_set_request {
    struct str cluster;
    struct str service;
    struct str task_set;
    enum opt_bool force;
};
struct delete_task_set_request_list { struct delete_task_set_request *items; size_t count; };
extern const struct schema delete_task_set_request_schema;

struct delete_task_set_response {
    struct task_set *task_set;
};
struct delete_task_set_response_list { struct delete_task_set_response *items; size_t count; };
extern const struct schema delete_task_set_response_schema;

enum task_set_field { TASK_SET_FIELD_UNSET, TASK_SET_FIELD_TAGS, TASK_SET_FIELD_COUNT };
extern const struct enum_names task_set_field_names;

struct describe_task_sets_request {
    struct str cluster;
    struct str service;
    struct str_list task_sets;
    struct enum_list include;
};
struct describe_task_sets_request_list { struct describe_task_sets_request *items; size_t count; };
extern const struct schema describe_task_sets_request_schema;

struct describe_task_sets_response {
    struct task_set_list task_sets;
    struct failure_list failures;
};
struct describe_task_sets_response_list { struct describe_task_sets_response *items; size_t count; };
extern const struct schema describe_task_sets_response_schema;

struct update_service_primary_task_set_request {
    struct str cluster;
    struct str service;
    struct str primary_task_set;
};
struct update_service_primary_task_set_request_list { struct update_service_primary_task_set_request *items; size_t count; };
extern const struct schema update_service_primary_task_set_request_schema;

struct update_service_primary_task_set_response {
    struct task_set *task_set;
};
struct update_service_primary_task_set_response_list { struct update_service_primary_task_set_response *items; size_t count; };
extern const struct schema update_service_primary_task_set_response_schema;

#endif
