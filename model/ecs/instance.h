/* instance.h: the container instance of the ECS API, as the wire names it. model/instance.shapes has the record that Berth keeps.
 * Members are in the order of the API model; a record tag is the place in that order and never changes. tests/contract compares
 * these tables with the model of an installed SDK. Written by tools/shapes from model/ecs/instance.shapes. */
#ifndef BERTH_MODEL_ECS_INSTANCE_H
#define BERTH_MODEL_ECS_INSTANCE_H

#include "model/ecs/common.h"

enum instance_health_check_type { INSTANCE_HEALTH_CHECK_TYPE_UNSET, INSTANCE_HEALTH_CHECK_TYPE_CONTAINER_RUNTIME,
    INSTANCE_HEALTH_CHECK_TYPE_ACCELERATED_COMPUTE, INSTANCE_HEALTH_CHECK_TYPE_DAEMON,
    INSTANCE_HEALTH_CHECK_TYPE_AGENT_CONNECTIVITY, INSTANCE_HEALTH_CHECK_TYPE_COUNT };
extern const struct enum_names instance_health_check_type_names;

enum instance_health_check_state { INSTANCE_HEALTH_CHECK_STATE_UNSET, INSTANCE_HEALTH_CHECK_STATE_OK,
    INSTANCE_HEALTH_CHECK_STATE_IMPAIRED, INSTANCE_HEALTH_CHECK_STATE_INSUFFICIENT_DATA, INSTANCE_HEALTH_CHECK_STATE_INITIALIZING,
    INSTANCE_HEALTH_CHECK_STATE_COUNT };
extern const struct enum_names instance_health_check_state_names;

struct instance_health_check_result {
    enum instance_health_check_type type;
    enum instance_health_check_state status;
    struct str status_reason;
    int64_t last_updated;
    int64_t last_status_change;
};
struct instance_health_check_result_list { struct instance_health_check_result *items; size_t count; };
extern const struct schema instance_health_check_result_schema;

struct container_instance_health_status {
    enum instance_health_check_state overall_status;
    struct instance_health_check_result_list details;
};
struct container_instance_health_status_list { struct container_instance_health_status *items; size_t count; };
extern const struct schema container_instance_health_status_schema;

enum agent_update_status { AGENT_UPDATE_STATUS_UNSET, AGENT_UPDATE_STATUS_PENDING, AGENT_UPDATE_STATUS_STAGING,
    AGENT_UPDATE_STATUS_STAGED, AGENT_UPDATE_STATUS_UPDATING, AGENT_UPDATE_STATUS_UPDATED, AGENT_UPDATE_STATUS_FAILED,
    AGENT_UPDATE_STATUS_COUNT };
extern const struct enum_names agent_update_status_names;

struct instance_view {
    struct str container_instance_arn;
    struct str ec2_instance_id;
    struct str capacity_provider_name;
    struct opt_int version;
    struct version_info *version_info;
    struct resource_list remaining_resources;
    struct resource_list registered_resources;
    struct str status;
    struct str status_reason;
    enum opt_bool agent_connected;
    struct opt_int running_tasks_count;
    struct opt_int pending_tasks_count;
    enum agent_update_status agent_update_status;
    struct attribute_list attributes;
    int64_t registered_at;
    struct attachment_list attachments;
    struct tag_list tags;
    struct container_instance_health_status *health_status;
};
struct instance_view_list { struct instance_view *items; size_t count; };
extern const struct schema instance_view_schema;

#endif
