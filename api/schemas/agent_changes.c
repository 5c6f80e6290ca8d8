#include "api/schemas/agent_changes.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct submit_attachment_state_changes_request, member)
static const struct field submit_attachment_state_changes_request_fields[] = {
    { STR_INIT("cluster"),      1, FIELD_STR,    AT(cluster) },
    { STR_INIT("attachments"),  2, FIELD_LIST,   AT(attachments), .element = FIELD_STRUCT,
      .schema = &attachment_state_change_schema, .required = true },
};
#undef AT
const struct schema submit_attachment_state_changes_request_schema =
    SCHEMA_OF("SubmitAttachmentStateChangesRequest", struct submit_attachment_state_changes_request,
              submit_attachment_state_changes_request_fields);

#define AT(member) .offset = offsetof(struct submit_attachment_state_changes_response, member)
static const struct field submit_attachment_state_changes_response_fields[] = {
    { STR_INIT("acknowledgment"),  1, FIELD_STR,    AT(acknowledgment) },
};
#undef AT
const struct schema submit_attachment_state_changes_response_schema =
    SCHEMA_OF("SubmitAttachmentStateChangesResponse", struct submit_attachment_state_changes_response,
              submit_attachment_state_changes_response_fields);

#define AT(member) .offset = offsetof(struct update_container_agent_request, member)
static const struct field update_container_agent_request_fields[] = {
    { STR_INIT("cluster"),            1, FIELD_STR,    AT(cluster) },
    { STR_INIT("containerInstance"),  2, FIELD_STR,    AT(container_instance), .required = true },
};
#undef AT
const struct schema update_container_agent_request_schema =
    SCHEMA_OF("UpdateContainerAgentRequest", struct update_container_agent_request, update_container_agent_request_fields);

#define AT(member) .offset = offsetof(struct update_container_agent_response, member)
static const struct field update_container_agent_response_fields[] = {
    { STR_INIT("containerInstance"),  1, FIELD_STRUCT, AT(container_instance), .schema = &instance_view_schema },
};
#undef AT
const struct schema update_container_agent_response_schema =
    SCHEMA_OF("UpdateContainerAgentResponse", struct update_container_agent_response, update_container_agent_response_fields);
