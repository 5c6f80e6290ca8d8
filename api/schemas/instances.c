/* Written by tools/shapes from api/schemas/instances.shapes. */
#include "api/schemas/instances.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct register_container_instance_request, member)
static const struct field register_container_instance_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("instanceIdentityDocument"), 2, FIELD_STR, AT(instance_identity_document), .max = 16384 },
    { STR_INIT("instanceIdentityDocumentSignature"), 3, FIELD_STR, AT(instance_identity_document_signature), .max = 16384 },
    { STR_INIT("totalResources"), 4, FIELD_LIST, AT(total_resources), .element = FIELD_STRUCT, .schema = &resource_schema,
      .max = 32 },
    { STR_INIT("versionInfo"), 5, FIELD_STRUCT, AT(version_info), .schema = &version_info_schema },
    { STR_INIT("containerInstanceArn"), 6, FIELD_STR, AT(container_instance_arn), .max = 2048 },
    { STR_INIT("attributes"), 7, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &attribute_schema, .max = 300 },
    { STR_INIT("platformDevices"), 8, FIELD_LIST, AT(platform_devices), .element = FIELD_STRUCT,
      .schema = &platform_device_schema, .max = 1024 },
    { STR_INIT("tags"), 9, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("clientToken"), 0, FIELD_STR, AT(client_token), .max = 128 },
};
#undef AT
const struct schema register_container_instance_request_schema = SCHEMA_OF("RegisterContainerInstanceRequest",
    struct register_container_instance_request, register_container_instance_request_schema_fields);

#define AT(member) .offset = offsetof(struct register_container_instance_response, member)
static const struct field register_container_instance_response_schema_fields[] = {
    { STR_INIT("containerInstance"), 1, FIELD_STRUCT, AT(container_instance), .schema = &instance_view_schema },
};
#undef AT
const struct schema register_container_instance_response_schema = SCHEMA_OF("RegisterContainerInstanceResponse",
    struct register_container_instance_response, register_container_instance_response_schema_fields);

#define AT(member) .offset = offsetof(struct deregister_container_instance_request, member)
static const struct field deregister_container_instance_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("containerInstance"), 2, FIELD_STR, AT(container_instance), .required = true },
    { STR_INIT("force"), 3, FIELD_BOOL, AT(force) },
};
#undef AT
const struct schema deregister_container_instance_request_schema = SCHEMA_OF("DeregisterContainerInstanceRequest",
    struct deregister_container_instance_request, deregister_container_instance_request_schema_fields);

#define AT(member) .offset = offsetof(struct deregister_container_instance_response, member)
static const struct field deregister_container_instance_response_schema_fields[] = {
    { STR_INIT("containerInstance"), 1, FIELD_STRUCT, AT(container_instance), .schema = &instance_view_schema },
};
#undef AT
const struct schema deregister_container_instance_response_schema = SCHEMA_OF("DeregisterContainerInstanceResponse",
    struct deregister_container_instance_response, deregister_container_instance_response_schema_fields);

static const struct str container_instance_field_words[] = { STR_INIT("TAGS"), STR_INIT("CONTAINER_INSTANCE_HEALTH") };
const struct enum_names container_instance_field_names = { container_instance_field_words,
    COUNT_OF(container_instance_field_words) };

#define AT(member) .offset = offsetof(struct describe_container_instances_request, member)
static const struct field describe_container_instances_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("containerInstances"), 2, FIELD_LIST, AT(container_instances), .element = FIELD_STR, .max = 100,
      .required = true },
    { STR_INIT("include"), 3, FIELD_LIST, AT(include), .element = FIELD_ENUM, .names = &container_instance_field_names },
};
#undef AT
const struct schema describe_container_instances_request_schema = SCHEMA_OF("DescribeContainerInstancesRequest",
    struct describe_container_instances_request, describe_container_instances_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_container_instances_response, member)
static const struct field describe_container_instances_response_schema_fields[] = {
    { STR_INIT("containerInstances"), 1, FIELD_LIST, AT(container_instances), .element = FIELD_STRUCT,
      .schema = &instance_view_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema describe_container_instances_response_schema = SCHEMA_OF("DescribeContainerInstancesResponse",
    struct describe_container_instances_response, describe_container_instances_response_schema_fields);

static const struct str container_instance_status_words[] = { STR_INIT("ACTIVE"), STR_INIT("DRAINING"), STR_INIT("REGISTERING"),
    STR_INIT("DEREGISTERING"), STR_INIT("REGISTRATION_FAILED") };
const struct enum_names container_instance_status_names = { container_instance_status_words,
    COUNT_OF(container_instance_status_words) };

#define AT(member) .offset = offsetof(struct list_container_instances_request, member)
static const struct field list_container_instances_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("filter"), 2, FIELD_STR, AT(filter), .max = 2000 },
    { STR_INIT("nextToken"), 3, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 4, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
    { STR_INIT("status"), 5, FIELD_ENUM, AT(status), .names = &container_instance_status_names },
};
#undef AT
const struct schema list_container_instances_request_schema = SCHEMA_OF("ListContainerInstancesRequest",
    struct list_container_instances_request, list_container_instances_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_container_instances_response, member)
static const struct field list_container_instances_response_schema_fields[] = {
    { STR_INIT("containerInstanceArns"), 1, FIELD_LIST, AT(container_instance_arns), .element = FIELD_STR },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_container_instances_response_schema = SCHEMA_OF("ListContainerInstancesResponse",
    struct list_container_instances_response, list_container_instances_response_schema_fields);

#define AT(member) .offset = offsetof(struct update_container_instances_state_request, member)
static const struct field update_container_instances_state_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("containerInstances"), 2, FIELD_LIST, AT(container_instances), .element = FIELD_STR, .max = 10, .required = true },
    { STR_INIT("status"), 3, FIELD_ENUM, AT(status), .names = &container_instance_status_names, .required = true,
      .complaint = "Container instance status should be one of [ACTIVE, DRAINING]" },
};
#undef AT
const struct schema update_container_instances_state_request_schema = SCHEMA_OF("UpdateContainerInstancesStateRequest",
    struct update_container_instances_state_request, update_container_instances_state_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_container_instances_state_response, member)
static const struct field update_container_instances_state_response_schema_fields[] = {
    { STR_INIT("containerInstances"), 1, FIELD_LIST, AT(container_instances), .element = FIELD_STRUCT,
      .schema = &instance_view_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema update_container_instances_state_response_schema = SCHEMA_OF("UpdateContainerInstancesStateResponse",
    struct update_container_instances_state_response, update_container_instances_state_response_schema_fields);

#define AT(member) .offset = offsetof(struct update_container_agent_request, member)
static const struct field update_container_agent_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("containerInstance"), 2, FIELD_STR, AT(container_instance), .required = true },
};
#undef AT
const struct schema update_container_agent_request_schema = SCHEMA_OF("UpdateContainerAgentRequest",
    struct update_container_agent_request, update_container_agent_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_container_agent_response, member)
static const struct field update_container_agent_response_schema_fields[] = {
    { STR_INIT("containerInstance"), 1, FIELD_STRUCT, AT(container_instance), .schema = &instance_view_schema },
};
#undef AT
const struct schema update_container_agent_response_schema = SCHEMA_OF("UpdateContainerAgentResponse",
    struct update_container_agent_response, update_container_agent_response_schema_fields);
