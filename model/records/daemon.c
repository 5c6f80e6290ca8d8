/* Written by tools/shapes from model/records/daemon.shapes. */
#include "model/records/daemon.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct daemon_taskdef, member)
static const struct field daemon_taskdef_record_fields[] = {
    { STR_INIT(""), 2, FIELD_STR, AT(def.family) },
    { STR_INIT(""), 3, FIELD_INT, AT(def.revision) },
    { STR_INIT(""), 4, FIELD_STR, AT(def.task_role_arn) },
    { STR_INIT(""), 5, FIELD_STR, AT(def.execution_role_arn) },
    { STR_INIT(""), 6, FIELD_LIST, AT(def.container_definitions), .element = FIELD_STRUCT,
      .schema = &container_definition_schema },
    { STR_INIT(""), 7, FIELD_LIST, AT(def.volumes), .element = FIELD_STRUCT, .schema = &volume_schema },
    { STR_INIT(""), 8, FIELD_STR, AT(def.cpu) },
    { STR_INIT(""), 9, FIELD_STR, AT(def.memory) },
    { STR_INIT(""), 10, FIELD_ENUM, AT(def.status), .names = &daemon_task_definition_status_names },
    { STR_INIT(""), 11, FIELD_TIME, AT(def.registered_at) },
    { STR_INIT(""), 12, FIELD_TIME, AT(def.delete_requested_at) },
    { STR_INIT(""), 13, FIELD_STR, AT(def.registered_by) },
    { STR_INIT(""), 14, FIELD_ENUM, AT(def.pid_mode), .names = &daemon_pid_mode_names },
    { STR_INIT(""), 15, FIELD_ENUM, AT(def.ipc_mode), .names = &daemon_ipc_mode_names },
    { STR_INIT(""), 100, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 101, FIELD_I64, AT(deployments) },
    { STR_INIT(""), 102, FIELD_I64, AT(deployment_ended_ms) },
};
#undef AT
const struct schema daemon_taskdef_record = SCHEMA_OF("daemon task definition", struct daemon_taskdef,
    daemon_taskdef_record_fields);
