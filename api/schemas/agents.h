/* agents.h: inputs and outputs of the operations on agents, in the order of the API model. Written by tools/shapes from
 * api/schemas/agents.shapes. */
#ifndef BERTH_API_SCHEMAS_AGENTS_H
#define BERTH_API_SCHEMAS_AGENTS_H

#include "model/ecs/task.h"

struct discover_poll_endpoint_request {
    struct str container_instance;
    struct str cluster;
};
struct discover_poll_endpoint_request_list { struct discover_poll_endpoint_request *items; size_t count; };
extern const struct schema discover_poll_endpoint_request_schema;

struct discover_poll_endpoint_response {
    struct str endpoint;
    struct str telemetry_endpoint;
    struct str service_connect_endpoint;
};
struct discover_poll_endpoint_response_list { struct discover_poll_endpoint_response *items; size_t count; };
extern const struct schema discover_poll_endpoint_response_schema;

/* healthStatus is in no public model: Berth's own agent sends it. The ECS agent tells health on its telemetry channel. */
struct container_state_change {
    struct str container_name;
    struct str image_digest;
    struct str runtime_id;
    struct opt_int exit_code;
    struct network_binding_list network_bindings;
    struct str reason;
    struct str status;
    enum health_status health_status;
};
struct container_state_change_list { struct container_state_change *items; size_t count; };
extern const struct schema container_state_change_schema;

/* details is Berth's own: its agent chooses a task's address, and tells it with the attachment. */
struct attachment_state_change {
    struct str attachment_arn;
    struct str status;
    struct key_value_pair_list details;
};
struct attachment_state_change_list { struct attachment_state_change *items; size_t count; };
extern const struct schema attachment_state_change_schema;

struct managed_agent_state_change {
    struct str container_name;
    enum managed_agent_name managed_agent_name;
    struct str status;
    struct str reason;
};
struct managed_agent_state_change_list { struct managed_agent_state_change *items; size_t count; };
extern const struct schema managed_agent_state_change_schema;

struct submit_task_state_change_request {
    struct str cluster;
    struct str task;
    struct str status;
    struct str reason;
    struct container_state_change_list containers;
    struct attachment_state_change_list attachments;
    struct managed_agent_state_change_list managed_agents;
    int64_t pull_started_at;
    int64_t pull_stopped_at;
    int64_t execution_stopped_at;
};
struct submit_task_state_change_request_list { struct submit_task_state_change_request *items; size_t count; };
extern const struct schema submit_task_state_change_request_schema;

struct submit_task_state_change_response {
    struct str acknowledgment;
};
struct submit_task_state_change_response_list { struct submit_task_state_change_response *items; size_t count; };
extern const struct schema submit_task_state_change_response_schema;

struct submit_container_state_change_request {
    struct str cluster;
    struct str task;
    struct str container_name;
    struct str runtime_id;
    struct str status;
    struct opt_int exit_code;
    struct str reason;
    struct network_binding_list network_bindings;
};
struct submit_container_state_change_request_list { struct submit_container_state_change_request *items; size_t count; };
extern const struct schema submit_container_state_change_request_schema;

struct submit_container_state_change_response {
    struct str acknowledgment;
};
struct submit_container_state_change_response_list { struct submit_container_state_change_response *items; size_t count; };
extern const struct schema submit_container_state_change_response_schema;

struct submit_attachment_state_changes_request {
    struct str cluster;
    struct attachment_state_change_list attachments;
};
struct submit_attachment_state_changes_request_list { struct submit_attachment_state_changes_request *items; size_t count; };
extern const struct schema submit_attachment_state_changes_request_schema;

struct submit_attachment_state_changes_response {
    struct str acknowledgment;
};
struct submit_attachment_state_changes_response_list { struct submit_attachment_state_changes_response *items; size_t count; };
extern const struct schema submit_attachment_state_changes_response_schema;

#endif
