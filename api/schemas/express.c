/* Written by tools/shapes from api/schemas/express.shapes. */
#include "api/schemas/express.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct express_gateway_service_aws_logs_configuration, member)
static const struct field express_gateway_service_aws_logs_configuration_schema_fields[] = {
    { STR_INIT("logGroup"), 1, FIELD_STR, AT(log_group), .required = true },
    { STR_INIT("logStreamPrefix"), 2, FIELD_STR, AT(log_stream_prefix), .required = true },
};
#undef AT
const struct schema express_gateway_service_aws_logs_configuration_schema = SCHEMA_OF("ExpressGatewayServiceAwsLogsConfiguration",
    struct express_gateway_service_aws_logs_configuration, express_gateway_service_aws_logs_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct express_gateway_repository_credentials, member)
static const struct field express_gateway_repository_credentials_schema_fields[] = {
    { STR_INIT("credentialsParameter"), 1, FIELD_STR, AT(credentials_parameter) },
};
#undef AT
const struct schema express_gateway_repository_credentials_schema = SCHEMA_OF("ExpressGatewayRepositoryCredentials",
    struct express_gateway_repository_credentials, express_gateway_repository_credentials_schema_fields);

#define AT(member) .offset = offsetof(struct express_gateway_container, member)
static const struct field express_gateway_container_schema_fields[] = {
    { STR_INIT("image"), 1, FIELD_STR, AT(image), .required = true },
    { STR_INIT("containerPort"), 2, FIELD_INT, AT(container_port), .min = 1, .max = 65535 },
    { STR_INIT("awsLogsConfiguration"), 3, FIELD_STRUCT, AT(aws_logs_configuration),
      .schema = &express_gateway_service_aws_logs_configuration_schema },
    { STR_INIT("repositoryCredentials"), 4, FIELD_STRUCT, AT(repository_credentials),
      .schema = &express_gateway_repository_credentials_schema },
    { STR_INIT("command"), 5, FIELD_LIST, AT(command), .element = FIELD_STR },
    { STR_INIT("environment"), 6, FIELD_LIST, AT(environment), .element = FIELD_STRUCT, .schema = &key_value_pair_schema },
    { STR_INIT("secrets"), 7, FIELD_LIST, AT(secrets), .element = FIELD_STRUCT, .schema = &secret_schema },
};
#undef AT
const struct schema express_gateway_container_schema = SCHEMA_OF("ExpressGatewayContainer", struct express_gateway_container,
    express_gateway_container_schema_fields);

#define AT(member) .offset = offsetof(struct express_gateway_service_network_configuration, member)
static const struct field express_gateway_service_network_configuration_schema_fields[] = {
    { STR_INIT("securityGroups"), 1, FIELD_LIST, AT(security_groups), .element = FIELD_STR, .max = 5 },
    { STR_INIT("subnets"), 2, FIELD_LIST, AT(subnets), .element = FIELD_STR, .max = 16 },
};
#undef AT
const struct schema express_gateway_service_network_configuration_schema = SCHEMA_OF("ExpressGatewayServiceNetworkConfiguration",
    struct express_gateway_service_network_configuration, express_gateway_service_network_configuration_schema_fields);

static const struct str express_gateway_service_scaling_metric_words[] = { STR_INIT("AVERAGE_CPU"), STR_INIT("AVERAGE_MEMORY"),
    STR_INIT("REQUEST_COUNT_PER_TARGET") };
const struct enum_names express_gateway_service_scaling_metric_names = { express_gateway_service_scaling_metric_words,
    COUNT_OF(express_gateway_service_scaling_metric_words) };

#define AT(member) .offset = offsetof(struct express_gateway_scaling_target, member)
static const struct field express_gateway_scaling_target_schema_fields[] = {
    { STR_INIT("minTaskCount"), 1, FIELD_INT, AT(min_task_count), .max = INT32_MAX },
    { STR_INIT("maxTaskCount"), 2, FIELD_INT, AT(max_task_count), .max = INT32_MAX },
    { STR_INIT("autoScalingMetric"), 3, FIELD_ENUM, AT(auto_scaling_metric),
      .names = &express_gateway_service_scaling_metric_names },
    { STR_INIT("autoScalingTargetValue"), 4, FIELD_INT, AT(auto_scaling_target_value) },
};
#undef AT
const struct schema express_gateway_scaling_target_schema = SCHEMA_OF("ExpressGatewayScalingTarget",
    struct express_gateway_scaling_target, express_gateway_scaling_target_schema_fields);

#define AT(member) .offset = offsetof(struct create_express_gateway_service_request, member)
static const struct field create_express_gateway_service_request_schema_fields[] = {
    { STR_INIT("executionRoleArn"), 1, FIELD_STR, AT(execution_role_arn) },
    { STR_INIT("infrastructureRoleArn"), 2, FIELD_STR, AT(infrastructure_role_arn), .required = true },
    { STR_INIT("serviceName"), 3, FIELD_STR, AT(service_name), .min = 1, .max = 255 },
    { STR_INIT("cluster"), 4, FIELD_STR, AT(cluster) },
    { STR_INIT("healthCheckPath"), 5, FIELD_STR, AT(health_check_path) },
    { STR_INIT("primaryContainer"), 6, FIELD_STRUCT, AT(primary_container), .schema = &express_gateway_container_schema },
    { STR_INIT("taskRoleArn"), 7, FIELD_STR, AT(task_role_arn) },
    { STR_INIT("networkConfiguration"), 8, FIELD_STRUCT, AT(network_configuration),
      .schema = &express_gateway_service_network_configuration_schema },
    { STR_INIT("cpu"), 9, FIELD_STR, AT(cpu) },
    { STR_INIT("memory"), 10, FIELD_STR, AT(memory) },
    { STR_INIT("scalingTarget"), 11, FIELD_STRUCT, AT(scaling_target), .schema = &express_gateway_scaling_target_schema },
    { STR_INIT("tags"), 12, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("taskDefinitionArn"), 13, FIELD_STR, AT(task_definition_arn) },
};
#undef AT
const struct schema create_express_gateway_service_request_schema = SCHEMA_OF("CreateExpressGatewayServiceRequest",
    struct create_express_gateway_service_request, create_express_gateway_service_request_schema_fields);

static const struct str express_gateway_service_status_code_words[] = { STR_INIT("ACTIVE"), STR_INIT("DRAINING"),
    STR_INIT("INACTIVE") };
const struct enum_names express_gateway_service_status_code_names = { express_gateway_service_status_code_words,
    COUNT_OF(express_gateway_service_status_code_words) };

#define AT(member) .offset = offsetof(struct express_gateway_service_status, member)
static const struct field express_gateway_service_status_schema_fields[] = {
    { STR_INIT("statusCode"), 1, FIELD_ENUM, AT(status_code), .names = &express_gateway_service_status_code_names },
    { STR_INIT("statusReason"), 2, FIELD_STR, AT(status_reason) },
};
#undef AT
const struct schema express_gateway_service_status_schema = SCHEMA_OF("ExpressGatewayServiceStatus",
    struct express_gateway_service_status, express_gateway_service_status_schema_fields);

#define AT(member) .offset = offsetof(struct ingress_path_summary, member)
static const struct field ingress_path_summary_schema_fields[] = {
    { STR_INIT("accessType"), 1, FIELD_ENUM, AT(access_type), .names = &access_type_names, .required = true },
    { STR_INIT("endpoint"), 2, FIELD_STR, AT(endpoint), .required = true },
};
#undef AT
const struct schema ingress_path_summary_schema = SCHEMA_OF("IngressPathSummary", struct ingress_path_summary,
    ingress_path_summary_schema_fields);

#define AT(member) .offset = offsetof(struct express_gateway_service_configuration, member)
static const struct field express_gateway_service_configuration_schema_fields[] = {
    { STR_INIT("serviceRevisionArn"), 1, FIELD_STR, AT(service_revision_arn) },
    { STR_INIT("executionRoleArn"), 2, FIELD_STR, AT(execution_role_arn) },
    { STR_INIT("taskRoleArn"), 3, FIELD_STR, AT(task_role_arn) },
    { STR_INIT("taskDefinitionArn"), 4, FIELD_STR, AT(task_definition_arn) },
    { STR_INIT("cpu"), 5, FIELD_STR, AT(cpu) },
    { STR_INIT("memory"), 6, FIELD_STR, AT(memory) },
    { STR_INIT("networkConfiguration"), 7, FIELD_STRUCT, AT(network_configuration),
      .schema = &express_gateway_service_network_configuration_schema },
    { STR_INIT("healthCheckPath"), 8, FIELD_STR, AT(health_check_path) },
    { STR_INIT("primaryContainer"), 9, FIELD_STRUCT, AT(primary_container), .schema = &express_gateway_container_schema },
    { STR_INIT("scalingTarget"), 10, FIELD_STRUCT, AT(scaling_target), .schema = &express_gateway_scaling_target_schema },
    { STR_INIT("ingressPaths"), 11, FIELD_LIST, AT(ingress_paths), .element = FIELD_STRUCT,
      .schema = &ingress_path_summary_schema },
    { STR_INIT("createdAt"), 12, FIELD_TIME, AT(created_at) },
};
#undef AT
const struct schema express_gateway_service_configuration_schema = SCHEMA_OF("ExpressGatewayServiceConfiguration",
    struct express_gateway_service_configuration, express_gateway_service_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct ecs_express_gateway_service, member)
static const struct field ecs_express_gateway_service_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("serviceName"), 2, FIELD_STR, AT(service_name) },
    { STR_INIT("serviceArn"), 3, FIELD_STR, AT(service_arn) },
    { STR_INIT("infrastructureRoleArn"), 4, FIELD_STR, AT(infrastructure_role_arn) },
    { STR_INIT("status"), 5, FIELD_STRUCT, AT(status), .schema = &express_gateway_service_status_schema },
    { STR_INIT("currentDeployment"), 6, FIELD_STR, AT(current_deployment) },
    { STR_INIT("activeConfigurations"), 7, FIELD_LIST, AT(active_configurations), .element = FIELD_STRUCT,
      .schema = &express_gateway_service_configuration_schema },
    { STR_INIT("tags"), 8, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("createdAt"), 9, FIELD_TIME, AT(created_at) },
    { STR_INIT("updatedAt"), 10, FIELD_TIME, AT(updated_at) },
};
#undef AT
const struct schema ecs_express_gateway_service_schema = SCHEMA_OF("ECSExpressGatewayService", struct ecs_express_gateway_service,
    ecs_express_gateway_service_schema_fields);

#define AT(member) .offset = offsetof(struct create_express_gateway_service_response, member)
static const struct field create_express_gateway_service_response_schema_fields[] = {
    { STR_INIT("service"), 1, FIELD_STRUCT, AT(service), .schema = &ecs_express_gateway_service_schema },
};
#undef AT
const struct schema create_express_gateway_service_response_schema = SCHEMA_OF("CreateExpressGatewayServiceResponse",
    struct create_express_gateway_service_response, create_express_gateway_service_response_schema_fields);

#define AT(member) .offset = offsetof(struct update_express_gateway_service_request, member)
static const struct field update_express_gateway_service_request_schema_fields[] = {
    { STR_INIT("serviceArn"), 1, FIELD_STR, AT(service_arn), .required = true },
    { STR_INIT("executionRoleArn"), 2, FIELD_STR, AT(execution_role_arn) },
    { STR_INIT("healthCheckPath"), 3, FIELD_STR, AT(health_check_path) },
    { STR_INIT("primaryContainer"), 4, FIELD_STRUCT, AT(primary_container), .schema = &express_gateway_container_schema },
    { STR_INIT("taskRoleArn"), 5, FIELD_STR, AT(task_role_arn) },
    { STR_INIT("networkConfiguration"), 6, FIELD_STRUCT, AT(network_configuration),
      .schema = &express_gateway_service_network_configuration_schema },
    { STR_INIT("cpu"), 7, FIELD_STR, AT(cpu) },
    { STR_INIT("memory"), 8, FIELD_STR, AT(memory) },
    { STR_INIT("scalingTarget"), 9, FIELD_STRUCT, AT(scaling_target), .schema = &express_gateway_scaling_target_schema },
    { STR_INIT("taskDefinitionArn"), 10, FIELD_STR, AT(task_definition_arn) },
};
#undef AT
const struct schema update_express_gateway_service_request_schema = SCHEMA_OF("UpdateExpressGatewayServiceRequest",
    struct update_express_gateway_service_request, update_express_gateway_service_request_schema_fields);

#define AT(member) .offset = offsetof(struct updated_express_gateway_service, member)
static const struct field updated_express_gateway_service_schema_fields[] = {
    { STR_INIT("serviceArn"), 1, FIELD_STR, AT(service_arn) },
    { STR_INIT("cluster"), 2, FIELD_STR, AT(cluster) },
    { STR_INIT("serviceName"), 3, FIELD_STR, AT(service_name) },
    { STR_INIT("status"), 4, FIELD_STRUCT, AT(status), .schema = &express_gateway_service_status_schema },
    { STR_INIT("targetConfiguration"), 5, FIELD_STRUCT, AT(target_configuration),
      .schema = &express_gateway_service_configuration_schema },
    { STR_INIT("createdAt"), 6, FIELD_TIME, AT(created_at) },
    { STR_INIT("updatedAt"), 7, FIELD_TIME, AT(updated_at) },
};
#undef AT
const struct schema updated_express_gateway_service_schema = SCHEMA_OF("UpdatedExpressGatewayService",
    struct updated_express_gateway_service, updated_express_gateway_service_schema_fields);

#define AT(member) .offset = offsetof(struct update_express_gateway_service_response, member)
static const struct field update_express_gateway_service_response_schema_fields[] = {
    { STR_INIT("service"), 1, FIELD_STRUCT, AT(service), .schema = &updated_express_gateway_service_schema },
};
#undef AT
const struct schema update_express_gateway_service_response_schema = SCHEMA_OF("UpdateExpressGatewayServiceResponse",
    struct update_express_gateway_service_response, update_express_gateway_service_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_express_gateway_service_request, member)
static const struct field delete_express_gateway_service_request_schema_fields[] = {
    { STR_INIT("serviceArn"), 1, FIELD_STR, AT(service_arn), .required = true },
};
#undef AT
const struct schema delete_express_gateway_service_request_schema = SCHEMA_OF("DeleteExpressGatewayServiceRequest",
    struct delete_express_gateway_service_request, delete_express_gateway_service_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_express_gateway_service_response, member)
static const struct field delete_express_gateway_service_response_schema_fields[] = {
    { STR_INIT("service"), 1, FIELD_STRUCT, AT(service), .schema = &ecs_express_gateway_service_schema },
};
#undef AT
const struct schema delete_express_gateway_service_response_schema = SCHEMA_OF("DeleteExpressGatewayServiceResponse",
    struct delete_express_gateway_service_response, delete_express_gateway_service_response_schema_fields);

static const struct str express_gateway_service_include_words[] = { STR_INIT("TAGS") };
const struct enum_names express_gateway_service_include_names = { express_gateway_service_include_words,
    COUNT_OF(express_gateway_service_include_words) };

#define AT(member) .offset = offsetof(struct describe_express_gateway_service_request, member)
static const struct field describe_express_gateway_service_request_schema_fields[] = {
    { STR_INIT("serviceArn"), 1, FIELD_STR, AT(service_arn), .required = true },
    { STR_INIT("include"), 2, FIELD_LIST, AT(include), .element = FIELD_ENUM, .names = &express_gateway_service_include_names },
};
#undef AT
const struct schema describe_express_gateway_service_request_schema = SCHEMA_OF("DescribeExpressGatewayServiceRequest",
    struct describe_express_gateway_service_request, describe_express_gateway_service_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_express_gateway_service_response, member)
static const struct field describe_express_gateway_service_response_schema_fields[] = {
    { STR_INIT("service"), 1, FIELD_STRUCT, AT(service), .schema = &ecs_express_gateway_service_schema },
};
#undef AT
const struct schema describe_express_gateway_service_response_schema = SCHEMA_OF("DescribeExpressGatewayServiceResponse",
    struct describe_express_gateway_service_response, describe_express_gateway_service_response_schema_fields);
