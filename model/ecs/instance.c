/* Written by tools/shapes from model/ecs/instance.shapes. */
#include "model/ecs/instance.h"

#include "base/assert.h"

static const struct str instance_health_check_type_words[] = { STR_INIT("CONTAINER_RUNTIME"), STR_INIT("ACCELERATED_COMPUTE"),
    STR_INIT("DAEMON"), STR_INIT("AGENT_CONNECTIVITY") };
const struct enum_names instance_health_check_type_names = { instance_health_check_type_words,
    COUNT_OF(instance_health_check_type_words) };

static const struct str instance_health_check_state_words[] = { STR_INIT("OK"), STR_INIT("IMPAIRED"),
    STR_INIT("INSUFFICIENT_DATA"), STR_INIT("INITIALIZING") };
const struct enum_names instance_health_check_state_names = { instance_health_check_state_words,
    COUNT_OF(instance_health_check_state_words) };

#define AT(member) .offset = offsetof(struct instance_health_check_result, member)
static const struct field instance_health_check_result_schema_fields[] = {
    { STR_INIT("type"), 1, FIELD_ENUM, AT(type), .names = &instance_health_check_type_names },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &instance_health_check_state_names },
    { STR_INIT("statusReason"), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT("lastUpdated"), 4, FIELD_TIME, AT(last_updated) },
    { STR_INIT("lastStatusChange"), 5, FIELD_TIME, AT(last_status_change) },
};
#undef AT
const struct schema instance_health_check_result_schema = SCHEMA_OF("InstanceHealthCheckResult",
    struct instance_health_check_result, instance_health_check_result_schema_fields);

#define AT(member) .offset = offsetof(struct container_instance_health_status, member)
static const struct field container_instance_health_status_schema_fields[] = {
    { STR_INIT("overallStatus"), 1, FIELD_ENUM, AT(overall_status), .names = &instance_health_check_state_names },
    { STR_INIT("details"), 2, FIELD_LIST, AT(details), .element = FIELD_STRUCT, .schema = &instance_health_check_result_schema },
};
#undef AT
const struct schema container_instance_health_status_schema = SCHEMA_OF("ContainerInstanceHealthStatus",
    struct container_instance_health_status, container_instance_health_status_schema_fields);

static const struct str agent_update_status_words[] = { STR_INIT("PENDING"), STR_INIT("STAGING"), STR_INIT("STAGED"),
    STR_INIT("UPDATING"), STR_INIT("UPDATED"), STR_INIT("FAILED") };
const struct enum_names agent_update_status_names = { agent_update_status_words, COUNT_OF(agent_update_status_words) };

#define AT(member) .offset = offsetof(struct instance_view, member)
static const struct field instance_view_schema_fields[] = {
    { STR_INIT("containerInstanceArn"), 1, FIELD_STR, AT(container_instance_arn) },
    { STR_INIT("ec2InstanceId"), 2, FIELD_STR, AT(ec2_instance_id) },
    { STR_INIT("capacityProviderName"), 3, FIELD_STR, AT(capacity_provider_name) },
    { STR_INIT("version"), 4, FIELD_LONG, AT(version), .always = true },
    { STR_INIT("versionInfo"), 5, FIELD_STRUCT, AT(version_info), .schema = &version_info_schema },
    { STR_INIT("remainingResources"), 6, FIELD_LIST, AT(remaining_resources), .element = FIELD_STRUCT,
      .schema = &resource_schema },
    { STR_INIT("registeredResources"), 7, FIELD_LIST, AT(registered_resources), .element = FIELD_STRUCT,
      .schema = &resource_schema },
    { STR_INIT("status"), 8, FIELD_STR, AT(status) },
    { STR_INIT("statusReason"), 9, FIELD_STR, AT(status_reason) },
    { STR_INIT("agentConnected"), 10, FIELD_BOOL, AT(agent_connected), .always = true },
    { STR_INIT("runningTasksCount"), 11, FIELD_INT, AT(running_tasks_count), .always = true },
    { STR_INIT("pendingTasksCount"), 12, FIELD_INT, AT(pending_tasks_count), .always = true },
    { STR_INIT("agentUpdateStatus"), 13, FIELD_ENUM, AT(agent_update_status), .names = &agent_update_status_names },
    { STR_INIT("attributes"), 14, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &attribute_schema },
    { STR_INIT("registeredAt"), 15, FIELD_TIME, AT(registered_at) },
    { STR_INIT("attachments"), 16, FIELD_LIST, AT(attachments), .element = FIELD_STRUCT, .schema = &attachment_schema },
    { STR_INIT("tags"), 17, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("healthStatus"), 18, FIELD_STRUCT, AT(health_status), .schema = &container_instance_health_status_schema },
};
#undef AT
const struct schema instance_view_schema = SCHEMA_OF("ContainerInstance", struct instance_view, instance_view_schema_fields);
