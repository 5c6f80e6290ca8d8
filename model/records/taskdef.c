/* Written by tools/shapes from model/records/taskdef.shapes. */
#include "model/records/taskdef.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct taskdef, member)
static const struct field taskdef_record_fields[] = {
    { STR_INIT(""), 2, FIELD_LIST, AT(def.container_definitions), .element = FIELD_STRUCT,
      .schema = &container_definition_schema },
    { STR_INIT(""), 3, FIELD_STR, AT(def.family) },
    { STR_INIT(""), 4, FIELD_STR, AT(def.task_role_arn) },
    { STR_INIT(""), 5, FIELD_STR, AT(def.execution_role_arn) },
    { STR_INIT(""), 6, FIELD_ENUM, AT(def.network_mode), .names = &network_mode_names },
    { STR_INIT(""), 7, FIELD_INT, AT(def.revision) },
    { STR_INIT(""), 8, FIELD_LIST, AT(def.volumes), .element = FIELD_STRUCT, .schema = &volume_schema },
    { STR_INIT(""), 9, FIELD_ENUM, AT(def.status), .names = &task_definition_status_names },
    { STR_INIT(""), 10, FIELD_LIST, AT(def.requires_attributes), .element = FIELD_STRUCT, .schema = &attribute_schema },
    { STR_INIT(""), 11, FIELD_LIST, AT(def.placement_constraints), .element = FIELD_STRUCT,
      .schema = &task_definition_placement_constraint_schema },
    { STR_INIT(""), 12, FIELD_LIST, AT(def.compatibilities), .element = FIELD_ENUM, .names = &compatibility_names },
    { STR_INIT(""), 13, FIELD_STRUCT, AT(def.runtime_platform), .schema = &runtime_platform_schema },
    { STR_INIT(""), 14, FIELD_LIST, AT(def.requires_compatibilities), .element = FIELD_ENUM, .names = &compatibility_names },
    { STR_INIT(""), 15, FIELD_STR, AT(def.cpu) },
    { STR_INIT(""), 16, FIELD_STR, AT(def.memory) },
    { STR_INIT(""), 17, FIELD_LIST, AT(def.inference_accelerators), .element = FIELD_STRUCT,
      .schema = &inference_accelerator_schema },
    { STR_INIT(""), 18, FIELD_ENUM, AT(def.pid_mode), .names = &pid_mode_names },
    { STR_INIT(""), 19, FIELD_ENUM, AT(def.ipc_mode), .names = &ipc_mode_names },
    { STR_INIT(""), 20, FIELD_STRUCT, AT(def.proxy_configuration), .schema = &proxy_configuration_schema },
    { STR_INIT(""), 21, FIELD_TIME, AT(def.registered_at) },
    { STR_INIT(""), 22, FIELD_TIME, AT(def.deregistered_at) },
    { STR_INIT(""), 23, FIELD_TIME, AT(def.delete_requested_at) },
    { STR_INIT(""), 24, FIELD_STR, AT(def.registered_by) },
    { STR_INIT(""), 25, FIELD_STRUCT, AT(def.ephemeral_storage), .schema = &ephemeral_storage_schema },
    { STR_INIT(""), 26, FIELD_BOOL, AT(def.enable_fault_injection) },
    { STR_INIT(""), 100, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 101, FIELD_I64, AT(deployments) },
    { STR_INIT(""), 102, FIELD_I64, AT(deployment_ended_ms) },
};
#undef AT
const struct schema taskdef_record = SCHEMA_OF("task definition", struct taskdef, taskdef_record_fields);
