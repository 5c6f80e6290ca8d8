/* Written by tools/shapes from api/schemas/taskdefs.shapes. */
#include "api/schemas/taskdefs.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct register_task_definition_request, member)
static const struct field register_task_definition_request_schema_fields[] = {
    { STR_INIT("family"), 1, FIELD_STR, AT(family), .min = 1, .max = 255, .required = true },
    { STR_INIT("taskRoleArn"), 2, FIELD_STR, AT(task_role_arn) },
    { STR_INIT("executionRoleArn"), 3, FIELD_STR, AT(execution_role_arn) },
    { STR_INIT("networkMode"), 4, FIELD_ENUM, AT(network_mode), .names = &network_mode_names },
    { STR_INIT("containerDefinitions"), 5, FIELD_LIST, AT(container_definitions), .element = FIELD_STRUCT,
      .schema = &container_definition_schema, .min = 1, .required = true },
    { STR_INIT("volumes"), 6, FIELD_LIST, AT(volumes), .element = FIELD_STRUCT, .schema = &volume_schema },
    { STR_INIT("placementConstraints"), 7, FIELD_LIST, AT(placement_constraints), .element = FIELD_STRUCT,
      .schema = &task_definition_placement_constraint_schema, .max = 10 },
    { STR_INIT("requiresCompatibilities"), 8, FIELD_LIST, AT(requires_compatibilities), .element = FIELD_ENUM,
      .names = &compatibility_names },
    { STR_INIT("cpu"), 9, FIELD_STR, AT(cpu) },
    { STR_INIT("memory"), 10, FIELD_STR, AT(memory) },
    { STR_INIT("tags"), 11, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("pidMode"), 12, FIELD_ENUM, AT(pid_mode), .names = &pid_mode_names },
    { STR_INIT("ipcMode"), 13, FIELD_ENUM, AT(ipc_mode), .names = &ipc_mode_names },
    { STR_INIT("proxyConfiguration"), 14, FIELD_STRUCT, AT(proxy_configuration), .schema = &proxy_configuration_schema },
    { STR_INIT("inferenceAccelerators"), 15, FIELD_LIST, AT(inference_accelerators), .element = FIELD_STRUCT,
      .schema = &inference_accelerator_schema },
    { STR_INIT("ephemeralStorage"), 16, FIELD_STRUCT, AT(ephemeral_storage), .schema = &ephemeral_storage_schema },
    { STR_INIT("runtimePlatform"), 17, FIELD_STRUCT, AT(runtime_platform), .schema = &runtime_platform_schema },
    { STR_INIT("enableFaultInjection"), 18, FIELD_BOOL, AT(enable_fault_injection) },
};
#undef AT
const struct schema register_task_definition_request_schema = SCHEMA_OF("RegisterTaskDefinitionRequest",
    struct register_task_definition_request, register_task_definition_request_schema_fields);

#define AT(member) .offset = offsetof(struct register_task_definition_response, member)
static const struct field register_task_definition_response_schema_fields[] = {
    { STR_INIT("taskDefinition"), 1, FIELD_STRUCT, AT(task_definition), .schema = &task_definition_schema },
    { STR_INIT("tags"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
};
#undef AT
const struct schema register_task_definition_response_schema = SCHEMA_OF("RegisterTaskDefinitionResponse",
    struct register_task_definition_response, register_task_definition_response_schema_fields);

static const struct str task_definition_field_words[] = { STR_INIT("TAGS") };
const struct enum_names task_definition_field_names = { task_definition_field_words, COUNT_OF(task_definition_field_words) };

#define AT(member) .offset = offsetof(struct describe_task_definition_request, member)
static const struct field describe_task_definition_request_schema_fields[] = {
    { STR_INIT("taskDefinition"), 1, FIELD_STR, AT(task_definition), .required = true },
    { STR_INIT("include"), 2, FIELD_LIST, AT(include), .element = FIELD_ENUM, .names = &task_definition_field_names },
};
#undef AT
const struct schema describe_task_definition_request_schema = SCHEMA_OF("DescribeTaskDefinitionRequest",
    struct describe_task_definition_request, describe_task_definition_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_task_definition_response, member)
static const struct field describe_task_definition_response_schema_fields[] = {
    { STR_INIT("taskDefinition"), 1, FIELD_STRUCT, AT(task_definition), .schema = &task_definition_schema },
    { STR_INIT("tags"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
};
#undef AT
const struct schema describe_task_definition_response_schema = SCHEMA_OF("DescribeTaskDefinitionResponse",
    struct describe_task_definition_response, describe_task_definition_response_schema_fields);

#define AT(member) .offset = offsetof(struct deregister_task_definition_request, member)
static const struct field deregister_task_definition_request_schema_fields[] = {
    { STR_INIT("taskDefinition"), 1, FIELD_STR, AT(task_definition), .required = true },
};
#undef AT
const struct schema deregister_task_definition_request_schema = SCHEMA_OF("DeregisterTaskDefinitionRequest",
    struct deregister_task_definition_request, deregister_task_definition_request_schema_fields);

#define AT(member) .offset = offsetof(struct deregister_task_definition_response, member)
static const struct field deregister_task_definition_response_schema_fields[] = {
    { STR_INIT("taskDefinition"), 1, FIELD_STRUCT, AT(task_definition), .schema = &task_definition_schema },
};
#undef AT
const struct schema deregister_task_definition_response_schema = SCHEMA_OF("DeregisterTaskDefinitionResponse",
    struct deregister_task_definition_response, deregister_task_definition_response_schema_fields);

static const struct str sort_order_words[] = { STR_INIT("ASC"), STR_INIT("DESC") };
const struct enum_names sort_order_names = { sort_order_words, COUNT_OF(sort_order_words) };

#define AT(member) .offset = offsetof(struct list_task_definitions_request, member)
static const struct field list_task_definitions_request_schema_fields[] = {
    { STR_INIT("familyPrefix"), 1, FIELD_STR, AT(family_prefix) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &task_definition_status_names },
    { STR_INIT("sort"), 3, FIELD_ENUM, AT(sort), .names = &sort_order_names },
    { STR_INIT("nextToken"), 4, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 5, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
};
#undef AT
const struct schema list_task_definitions_request_schema = SCHEMA_OF("ListTaskDefinitionsRequest",
    struct list_task_definitions_request, list_task_definitions_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_task_definitions_response, member)
static const struct field list_task_definitions_response_schema_fields[] = {
    { STR_INIT("taskDefinitionArns"), 1, FIELD_LIST, AT(task_definition_arns), .element = FIELD_STR },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_task_definitions_response_schema = SCHEMA_OF("ListTaskDefinitionsResponse",
    struct list_task_definitions_response, list_task_definitions_response_schema_fields);

static const struct str task_definition_family_status_words[] = { STR_INIT("ACTIVE"), STR_INIT("INACTIVE"), STR_INIT("ALL") };
const struct enum_names task_definition_family_status_names = { task_definition_family_status_words,
    COUNT_OF(task_definition_family_status_words) };

#define AT(member) .offset = offsetof(struct list_task_definition_families_request, member)
static const struct field list_task_definition_families_request_schema_fields[] = {
    { STR_INIT("familyPrefix"), 1, FIELD_STR, AT(family_prefix) },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &task_definition_family_status_names },
    { STR_INIT("nextToken"), 3, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 4, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
};
#undef AT
const struct schema list_task_definition_families_request_schema = SCHEMA_OF("ListTaskDefinitionFamiliesRequest",
    struct list_task_definition_families_request, list_task_definition_families_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_task_definition_families_response, member)
static const struct field list_task_definition_families_response_schema_fields[] = {
    { STR_INIT("families"), 1, FIELD_LIST, AT(families), .element = FIELD_STR },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_task_definition_families_response_schema = SCHEMA_OF("ListTaskDefinitionFamiliesResponse",
    struct list_task_definition_families_response, list_task_definition_families_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_task_definitions_request, member)
static const struct field delete_task_definitions_request_schema_fields[] = {
    { STR_INIT("taskDefinitions"), 1, FIELD_LIST, AT(task_definitions), .element = FIELD_STR, .required = true },
};
#undef AT
const struct schema delete_task_definitions_request_schema = SCHEMA_OF("DeleteTaskDefinitionsRequest",
    struct delete_task_definitions_request, delete_task_definitions_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_task_definitions_response, member)
static const struct field delete_task_definitions_response_schema_fields[] = {
    { STR_INIT("taskDefinitions"), 1, FIELD_LIST, AT(task_definitions), .element = FIELD_STRUCT,
      .schema = &task_definition_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema delete_task_definitions_response_schema = SCHEMA_OF("DeleteTaskDefinitionsResponse",
    struct delete_task_definitions_response, delete_task_definitions_response_schema_fields);
