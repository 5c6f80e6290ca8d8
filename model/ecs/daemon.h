/* daemon.h: the daemon task definition of the ECS API. Its containers and volumes have fewer members than those of a task
 * definition, so they have other tables of the same structs. Written by tools/shapes from model/ecs/daemon.shapes. */
#ifndef BERTH_MODEL_ECS_DAEMON_H
#define BERTH_MODEL_ECS_DAEMON_H

#include "model/ecs/taskdef.h"

extern const struct schema daemon_linux_parameters_schema;

extern const struct schema daemon_container_definition_schema;

extern const struct schema daemon_volume_schema;

enum daemon_pid_mode { DAEMON_PID_MODE_UNSET, DAEMON_PID_MODE_NONE, DAEMON_PID_MODE_SHARED, DAEMON_PID_MODE_COUNT };
extern const struct enum_names daemon_pid_mode_names;

enum daemon_ipc_mode { DAEMON_IPC_MODE_UNSET, DAEMON_IPC_MODE_NONE, DAEMON_IPC_MODE_SHARED, DAEMON_IPC_MODE_COUNT };
extern const struct enum_names daemon_ipc_mode_names;

enum daemon_task_definition_status { DAEMON_TASK_DEFINITION_STATUS_UNSET, DAEMON_TASK_DEFINITION_STATUS_ACTIVE,
    DAEMON_TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS, DAEMON_TASK_DEFINITION_STATUS_DELETED,
    DAEMON_TASK_DEFINITION_STATUS_COUNT };
extern const struct enum_names daemon_task_definition_status_names;

struct daemon_task_definition {
    struct str daemon_task_definition_arn;
    struct str family;
    struct opt_int revision;
    struct str task_role_arn;
    struct str execution_role_arn;
    struct container_definition_list container_definitions;
    struct volume_list volumes;
    struct str cpu;
    struct str memory;
    enum daemon_task_definition_status status;
    int64_t registered_at;
    int64_t delete_requested_at;
    struct str registered_by;
    enum daemon_pid_mode pid_mode;
    enum daemon_ipc_mode ipc_mode;
};
struct daemon_task_definition_list { struct daemon_task_definition *items; size_t count; };
extern const struct schema daemon_task_definition_schema;

#endif
