/* instances.h: inputs and outputs of the operations on instances, in the order of the API model. Written by tools/shapes from
 * api/schemas/instances.shapes. */
#ifndef BERTH_API_SCHEMAS_INSTANCES_H
#define BERTH_API_SCHEMAS_INSTANCES_H

#include "model/ecs/instance.h"

struct register_container_instance_request {
    struct str cluster;
    struct str instance_identity_document;
    struct str instance_identity_document_signature;
    struct resource_list total_resources;
    struct version_info *version_info;
    struct str container_instance_arn;
    struct attribute_list attributes;
    struct platform_device_list platform_devices;
    struct tag_list tags;
    struct str client_token;                 /* not in the public model, but the ECS agent sends it: the same registration again */
};
struct register_container_instance_request_list { struct register_container_instance_request *items; size_t count; };
extern const struct schema register_container_instance_request_schema;

struct register_container_instance_response {
    struct instance_view *container_instance;
};
struct register_container_instance_response_list { struct register_container_instance_response *items; size_t count; };
extern const struct schema register_container_instance_response_schema;

struct deregister_container_instance_request {
    struct str cluster;
    struct str container_instance;
    enum opt_bool force;
};
struct deregister_container_instance_request_list { struct deregister_container_instance_request *items; size_t count; };
extern const struct schema deregister_container_instance_request_schema;

struct deregister_container_instance_response {
    struct instance_view *container_instance;
};
struct deregister_container_instance_response_list { struct deregister_container_instance_response *items; size_t count; };
extern const struct schema deregister_container_instance_response_schema;

enum container_instance_field { CONTAINER_INSTANCE_FIELD_UNSET, CONTAINER_INSTANCE_FIELD_TAGS,
    CONTAINER_INSTANCE_FIELD_CONTAINER_INSTANCE_HEALTH, CONTAINER_INSTANCE_FIELD_COUNT };
extern const struct enum_names container_instance_field_names;

struct describe_container_instances_request {
    struct str cluster;
    struct str_list container_instances;
    struct enum_list include;
};
struct describe_container_instances_request_list { struct describe_container_instances_request *items; size_t count; };
extern const struct schema describe_container_instances_request_schema;

struct describe_container_instances_response {
    struct instance_view_list container_instances;
    struct failure_list failures;
};
struct describe_container_instances_response_list { struct describe_container_instances_response *items; size_t count; };
extern const struct schema describe_container_instances_response_schema;

enum container_instance_status { CONTAINER_INSTANCE_STATUS_UNSET, CONTAINER_INSTANCE_STATUS_ACTIVE,
    CONTAINER_INSTANCE_STATUS_DRAINING, CONTAINER_INSTANCE_STATUS_REGISTERING, CONTAINER_INSTANCE_STATUS_DEREGISTERING,
    CONTAINER_INSTANCE_STATUS_REGISTRATION_FAILED, CONTAINER_INSTANCE_STATUS_COUNT };
extern const struct enum_names container_instance_status_names;

struct list_container_instances_request {
    struct str cluster;
    struct str filter;
    struct str next_token;
    struct opt_int max_results;
    enum container_instance_status status;
};
struct list_container_instances_request_list { struct list_container_instances_request *items; size_t count; };
extern const struct schema list_container_instances_request_schema;

struct list_container_instances_response {
    struct str_list container_instance_arns;
    struct str next_token;
};
struct list_container_instances_response_list { struct list_container_instances_response *items; size_t count; };
extern const struct schema list_container_instances_response_schema;

struct update_container_instances_state_request {
    struct str cluster;
    struct str_list container_instances;
    enum container_instance_status status;
};
struct update_container_instances_state_request_list { struct update_container_instances_state_request *items; size_t count; };
extern const struct schema update_container_instances_state_request_schema;

struct update_container_instances_state_response {
    struct instance_view_list container_instances;
    struct failure_list failures;
};
struct update_container_instances_state_response_list { struct update_container_instances_state_response *items; size_t count; };
extern const struct schema update_container_instances_state_response_schema;

struct update_container_agent_request {
    struct str cluster;
    struct str container_instance;
};
struct update_container_agent_request_list { struct update_container_agent_request *items; size_t count; };
extern const struct schema update_container_agent_request_schema;

struct update_container_agent_response {
    struct instance_view *container_instance;
};
struct update_container_agent_response_list { struct update_container_agent_response *items; size_t count; };
extern const struct schema update_container_agent_response_schema;

#endif
