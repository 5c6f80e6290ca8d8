/* Written by tools/shapes from api/schemas/agents.shapes. */
#include "api/schemas/agents.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct discover_poll_endpoint_request, member)
static const struct field discover_poll_endpoint_request_schema_fields[] = {
    { STR_INIT("containerInstance"), 1, FIELD_STR, AT(container_instance) },
    { STR_INIT("cluster"), 2, FIELD_STR, AT(cluster) },
};
#undef AT
const struct schema discover_poll_endpoint_request_schema = SCHEMA_OF("DiscoverPollEndpointRequest",
    struct discover_poll_endpoint_request, discover_poll_endpoint_request_schema_fields);

#define AT(member) .offset = offsetof(struct discover_poll_endpoint_response, member)
static const struct field discover_poll_endpoint_response_schema_fields[] = {
    { STR_INIT("endpoint"), 1, FIELD_STR, AT(endpoint) },
    { STR_INIT("telemetryEndpoint"), 2, FIELD_STR, AT(telemetry_endpoint) },
    { STR_INIT("serviceConnectEndpoint"), 3, FIELD_STR, AT(service_connect_endpoint) },
};
#undef AT
const struct schema discover_poll_endpoint_response_schema = SCHEMA_OF("DiscoverPollEndpointResponse",
    struct discover_poll_endpoint_response, discover_poll_endpoint_response_schema_fields);

#define AT(member) .offset = offsetof(struct container_state_change, member)
static const struct field container_state_change_schema_fields[] = {
    { STR_INIT("containerName"), 1, FIELD_STR, AT(container_name) },
    { STR_INIT("imageDigest"), 2, FIELD_STR, AT(image_digest), .max = 255 },
    { STR_INIT("runtimeId"), 3, FIELD_STR, AT(runtime_id), .max = 255 },
    { STR_INIT("exitCode"), 4, FIELD_INT, AT(exit_code) },
    { STR_INIT("networkBindings"), 5, FIELD_LIST, AT(network_bindings), .element = FIELD_STRUCT,
      .schema = &network_binding_schema },
    { STR_INIT("reason"), 6, FIELD_STR, AT(reason), .max = 4096 },
    { STR_INIT("status"), 7, FIELD_STR, AT(status) },
    { STR_INIT("healthStatus"), 8, FIELD_ENUM, AT(health_status), .names = &health_status_names },
};
#undef AT
const struct schema container_state_change_schema = SCHEMA_OF("ContainerStateChange", struct container_state_change,
    container_state_change_schema_fields);

#define AT(member) .offset = offsetof(struct attachment_state_change, member)
static const struct field attachment_state_change_schema_fields[] = {
    { STR_INIT("attachmentArn"), 1, FIELD_STR, AT(attachment_arn), .required = true },
    { STR_INIT("status"), 2, FIELD_STR, AT(status), .required = true },
    { STR_INIT("details"), 3, FIELD_LIST, AT(details), .element = FIELD_STRUCT, .schema = &key_value_pair_schema },
};
#undef AT
const struct schema attachment_state_change_schema = SCHEMA_OF("AttachmentStateChange", struct attachment_state_change,
    attachment_state_change_schema_fields);

#define AT(member) .offset = offsetof(struct managed_agent_state_change, member)
static const struct field managed_agent_state_change_schema_fields[] = {
    { STR_INIT("containerName"), 1, FIELD_STR, AT(container_name), .required = true },
    { STR_INIT("managedAgentName"), 2, FIELD_ENUM, AT(managed_agent_name), .names = &managed_agent_name_names, .required = true },
    { STR_INIT("status"), 3, FIELD_STR, AT(status), .required = true },
    { STR_INIT("reason"), 4, FIELD_STR, AT(reason) },
};
#undef AT
const struct schema managed_agent_state_change_schema = SCHEMA_OF("ManagedAgentStateChange", struct managed_agent_state_change,
    managed_agent_state_change_schema_fields);

#define AT(member) .offset = offsetof(struct submit_task_state_change_request, member)
static const struct field submit_task_state_change_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("task"), 2, FIELD_STR, AT(task) },
    { STR_INIT("status"), 3, FIELD_STR, AT(status) },
    { STR_INIT("reason"), 4, FIELD_STR, AT(reason), .max = 4096 },
    { STR_INIT("containers"), 5, FIELD_LIST, AT(containers), .element = FIELD_STRUCT, .schema = &container_state_change_schema },
    { STR_INIT("attachments"), 6, FIELD_LIST, AT(attachments), .element = FIELD_STRUCT,
      .schema = &attachment_state_change_schema },
    { STR_INIT("managedAgents"), 7, FIELD_LIST, AT(managed_agents), .element = FIELD_STRUCT,
      .schema = &managed_agent_state_change_schema },
    { STR_INIT("pullStartedAt"), 8, FIELD_TIME, AT(pull_started_at) },
    { STR_INIT("pullStoppedAt"), 9, FIELD_TIME, AT(pull_stopped_at) },
    { STR_INIT("executionStoppedAt"), 10, FIELD_TIME, AT(execution_stopped_at) },
};
#undef AT
const struct schema submit_task_state_change_request_schema = SCHEMA_OF("SubmitTaskStateChangeRequest",
    struct submit_task_state_change_request, submit_task_state_change_request_schema_fields);

#define AT(member) .offset = offsetof(struct submit_task_state_change_response, member)
static const struct field submit_task_state_change_response_schema_fields[] = {
    { STR_INIT("acknowledgment"), 1, FIELD_STR, AT(acknowledgment) },
};
#undef AT
const struct schema submit_task_state_change_response_schema = SCHEMA_OF("SubmitTaskStateChangeResponse",
    struct submit_task_state_change_response, submit_task_state_change_response_schema_fields);

#define AT(member) .offset = offsetof(struct submit_container_state_change_request, member)
static const struct field submit_container_state_change_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("task"), 2, FIELD_STR, AT(task) },
    { STR_INIT("containerName"), 3, FIELD_STR, AT(container_name) },
    { STR_INIT("runtimeId"), 4, FIELD_STR, AT(runtime_id), .max = 255 },
    { STR_INIT("status"), 5, FIELD_STR, AT(status) },
    { STR_INIT("exitCode"), 6, FIELD_INT, AT(exit_code) },
    { STR_INIT("reason"), 7, FIELD_STR, AT(reason), .max = 4096 },
    { STR_INIT("networkBindings"), 8, FIELD_LIST, AT(network_bindings), .element = FIELD_STRUCT,
      .schema = &network_binding_schema },
};
#undef AT
const struct schema submit_container_state_change_request_schema = SCHEMA_OF("SubmitContainerStateChangeRequest",
    struct submit_container_state_change_request, submit_container_state_change_request_schema_fields);

#define AT(member) .offset = offsetof(struct submit_container_state_change_response, member)
static const struct field submit_container_state_change_response_schema_fields[] = {
    { STR_INIT("acknowledgment"), 1, FIELD_STR, AT(acknowledgment) },
};
#undef AT
const struct schema submit_container_state_change_response_schema = SCHEMA_OF("SubmitContainerStateChangeResponse",
    struct submit_container_state_change_response, submit_container_state_change_response_schema_fields);

#define AT(member) .offset = offsetof(struct submit_attachment_state_changes_request, member)
static const struct field submit_attachment_state_changes_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("attachments"), 2, FIELD_LIST, AT(attachments), .element = FIELD_STRUCT, .schema = &attachment_state_change_schema,
      .required = true },
};
#undef AT
const struct schema submit_attachment_state_changes_request_schema = SCHEMA_OF("SubmitAttachmentStateChangesRequest",
    struct submit_attachment_state_changes_request, submit_attachment_state_changes_request_schema_fields);

#define AT(member) .offset = offsetof(struct submit_attachment_state_changes_response, member)
static const struct field submit_attachment_state_changes_response_schema_fields[] = {
    { STR_INIT("acknowledgment"), 1, FIELD_STR, AT(acknowledgment) },
};
#undef AT
const struct schema submit_attachment_state_changes_response_schema = SCHEMA_OF("SubmitAttachmentStateChangesResponse",
    struct submit_attachment_state_changes_response, submit_attachment_state_changes_response_schema_fields);
