/* agent_changes.h: inputs and outputs of the operations on agent changes, in the order of the API model. A limit is a cell in the
 * table. */
#ifndef BERTH_API_SCHEMAS_AGENT_CHANGES_H
#define BERTH_API_SCHEMAS_AGENT_CHANGES_H

#include "api/schemas/agents.h"
#include "model/ecs/instance.h"

struct submit_attachment_state_changes_request {
    struct str cluster;
    struct attachment_state_change_list attachments;
};
extern const struct schema submit_attachment_state_changes_request_schema;

struct submit_attachment_state_changes_response {
    struct str acknowledgment;
};
extern const struct schema submit_attachment_state_changes_response_schema;

struct update_container_agent_request {
    struct str cluster;
    struct str container_instance;
};
extern const struct schema update_container_agent_request_schema;

struct update_container_agent_response {
    struct instance_view *container_instance;
};
extern const struct schema update_container_agent_response_schema;

#endif
