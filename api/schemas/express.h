/* express.h: inputs and outputs of the operations on express, in the order of the API model. Written by tools/shapes from
 * api/schemas/express.shapes. */
#ifndef BERTH_API_SCHEMAS_EXPRESS_H
#define BERTH_API_SCHEMAS_EXPRESS_H

#include "api/schemas/deployments.h"

struct express_gateway_service_aws_logs_configuration {
    struct str log_group;
    struct str log_stream_prefix;
};
struct express_gateway_service_aws_logs_configuration_list { struct express_gateway_service_aws_logs_configuration *items; size_t count; };
extern const struct schema express_gateway_service_aws_logs_configuration_schema;

struct express_gateway_repository_credentials {
    struct str credentials_parameter;
};
struct express_gateway_repository_credentials_list { struct express_gateway_repository_credentials *items; size_t count; };
extern const struct schema express_gateway_repository_credentials_schema;

struct express_gateway_container {
    struct str image;
    struct opt_int container_port;
    struct express_gateway_service_aws_logs_configuration *aws_logs_configuration;
    struct express_gateway_repository_credentials *repository_credentials;
    struct str_list command;
    struct key_value_pair_list environment;
    struct secret_list secrets;
};
struct express_gateway_container_list { struct express_gateway_container *items; size_t count; };
extern const struct schema express_gateway_container_schema;

struct express_gateway_service_network_configuration {
    struct str_list security_groups;
    struct str_list subnets;
};
struct express_gateway_service_network_configuration_list { struct express_gateway_service_network_configuration *items; size_t count; };
extern const struct schema express_gateway_service_network_configuration_schema;

enum express_gateway_service_scaling_metric { EXPRESS_GATEWAY_SERVICE_SCALING_METRIC_UNSET,
    EXPRESS_GATEWAY_SERVICE_SCALING_METRIC_AVERAGE_CPU, EXPRESS_GATEWAY_SERVICE_SCALING_METRIC_AVERAGE_MEMORY,
    EXPRESS_GATEWAY_SERVICE_SCALING_METRIC_REQUEST_COUNT_PER_TARGET, EXPRESS_GATEWAY_SERVICE_SCALING_METRIC_COUNT };
extern const struct enum_names express_gateway_service_scaling_metric_names;

struct express_gateway_scaling_target {
    struct opt_int min_task_count;
    struct opt_int max_task_count;
    enum express_gateway_service_scaling_metric auto_scaling_metric;
    struct opt_int auto_scaling_target_value;
};
struct express_gateway_scaling_target_list { struct express_gateway_scaling_target *items; size_t count; };
extern const struct schema express_gateway_scaling_target_schema;

struct create_express_gateway_service_request {
    struct str execution_role_arn;
    struct str infrastructure_role_arn;
    struct str service_name;
    struct str cluster;
    struct str health_check_path;
    struct express_gateway_container *primary_container;
    struct str task_role_arn;
    struct express_gateway_service_network_configuration *network_configuration;
    struct str cpu;
    struct str memory;
    struct express_gateway_scaling_target *scaling_target;
    struct tag_list tags;
    struct str task_definition_arn;
};
struct create_express_gateway_service_request_list { struct create_express_gateway_service_request *items; size_t count; };
extern const struct schema create_express_gateway_service_request_schema;

enum express_gateway_service_status_code { EXPRESS_GATEWAY_SERVICE_STATUS_CODE_UNSET, EXPRESS_GATEWAY_SERVICE_STATUS_CODE_ACTIVE,
    EXPRESS_GATEWAY_SERVICE_STATUS_CODE_DRAINING, EXPRESS_GATEWAY_SERVICE_STATUS_CODE_INACTIVE,
    EXPRESS_GATEWAY_SERVICE_STATUS_CODE_COUNT };
extern const struct enum_names express_gateway_service_status_code_names;

struct express_gateway_service_status {
    enum express_gateway_service_status_code status_code;
    struct str status_reason;
};
struct express_gateway_service_status_list { struct express_gateway_service_status *items; size_t count; };
extern const struct schema express_gateway_service_status_schema;

struct ingress_path_summary {
    enum access_type access_type;
    struct str endpoint;
};
struct ingress_path_summary_list { struct ingress_path_summary *items; size_t count; };
extern const struct schema ingress_path_summary_schema;

struct express_gateway_service_configuration {
    struct str service_revision_arn;
    struct str execution_role_arn;
    struct str task_role_arn;
    struct str task_definition_arn;
    struct str cpu;
    struct str memory;
    struct express_gateway_service_network_configuration *network_configuration;
    struct str health_check_path;
    struct express_gateway_container *primary_container;
    struct express_gateway_scaling_target *scaling_target;
    struct ingress_path_summary_list ingress_paths;
    int64_t created_at;
};
struct express_gateway_service_configuration_list { struct express_gateway_service_configuration *items; size_t count; };
extern const struct schema express_gateway_service_configuration_schema;

struct ecs_express_gateway_service {
    struct str cluster;
    struct str service_name;
    struct str service_arn;
    struct str infrastructure_role_arn;
    struct express_gateway_service_status *status;
    struct str current_deployment;
    struct express_gateway_service_configuration_list active_configurations;
    struct tag_list tags;
    int64_t created_at;
    int64_t updated_at;
};
struct ecs_express_gateway_service_list { struct ecs_express_gateway_service *items; size_t count; };
extern const struct schema ecs_express_gateway_service_schema;

struct create_express_gateway_service_response {
    struct ecs_express_gateway_service *service;
};
struct create_express_gateway_service_response_list { struct create_express_gateway_service_response *items; size_t count; };
extern const struct schema create_express_gateway_service_response_schema;

struct update_express_gateway_service_request {
    struct str service_arn;
    struct str execution_role_arn;
    struct str health_check_path;
    struct express_gateway_container *primary_container;
    struct str task_role_arn;
    struct express_gateway_service_network_configuration *network_configuration;
    struct str cpu;
    struct str memory;
    struct express_gateway_scaling_target *scaling_target;
    struct str task_definition_arn;
};
struct update_express_gateway_service_request_list { struct update_express_gateway_service_request *items; size_t count; };
extern const struct schema update_express_gateway_service_request_schema;

struct updated_express_gateway_service {
    struct str service_arn;
    struct str cluster;
    struct str service_name;
    struct express_gateway_service_status *status;
    struct express_gateway_service_configuration *target_configuration;
    int64_t created_at;
    int64_t updated_at;
};
struct updated_express_gateway_service_list { struct updated_express_gateway_service *items; size_t count; };
extern const struct schema updated_express_gateway_service_schema;

struct update_express_gateway_service_response {
    struct updated_express_gateway_service *service;
};
struct update_express_gateway_service_response_list { struct update_express_gateway_service_response *items; size_t count; };
extern const struct schema update_express_gateway_service_response_schema;

struct delete_express_gateway_service_request {
    struct str service_arn;
};
struct delete_express_gateway_service_request_list { struct delete_express_gateway_service_request *items; size_t count; };
extern const struct schema delete_express_gateway_service_request_schema;

struct delete_express_gateway_service_response {
    struct ecs_express_gateway_service *service;
};
struct delete_express_gateway_service_response_list { struct delete_express_gateway_service_response *items; size_t count; };
extern const struct schema delete_express_gateway_service_response_schema;

enum express_gateway_service_include { EXPRESS_GATEWAY_SERVICE_INCLUDE_UNSET, EXPRESS_GATEWAY_SERVICE_INCLUDE_TAGS,
    EXPRESS_GATEWAY_SERVICE_INCLUDE_COUNT };
extern const struct enum_names express_gateway_service_include_names;

struct describe_express_gateway_service_request {
    struct str service_arn;
    struct enum_list include;
};
struct describe_express_gateway_service_request_list { struct describe_express_gateway_service_request *items; size_t count; };
extern const struct schema describe_express_gateway_service_request_schema;

struct describe_express_gateway_service_response {
    struct ecs_express_gateway_service *service;
};
struct describe_express_gateway_service_response_list { struct describe_express_gateway_service_response *items; size_t count; };
extern const struct schema describe_express_gateway_service_response_schema;

#endif
