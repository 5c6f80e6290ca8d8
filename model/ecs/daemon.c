/* Written by tools/shapes from model/ecs/daemon.shapes. */
#include "model/ecs/daemon.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct linux_parameters, member)
static const struct field daemon_linux_parameters_schema_fields[] = {
    { STR_INIT("capabilities"), 1, FIELD_STRUCT, AT(capabilities), .schema = &kernel_capabilities_schema },
    { STR_INIT("devices"), 2, FIELD_LIST, AT(devices), .element = FIELD_STRUCT, .schema = &device_schema },
    { STR_INIT("initProcessEnabled"), 3, FIELD_BOOL, AT(init_process_enabled) },
    { STR_INIT("tmpfs"), 4, FIELD_LIST, AT(tmpfs), .element = FIELD_STRUCT, .schema = &tmpfs_schema },
};
#undef AT
const struct schema daemon_linux_parameters_schema = SCHEMA_OF("DaemonLinuxParameters", struct linux_parameters,
    daemon_linux_parameters_schema_fields);

#define AT(member) .offset = offsetof(struct container_definition, member)
static const struct field daemon_container_definition_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name) },
    { STR_INIT("image"), 2, FIELD_STR, AT(image), .required = true },
    { STR_INIT("memory"), 3, FIELD_INT, AT(memory) },
    { STR_INIT("memoryReservation"), 4, FIELD_INT, AT(memory_reservation) },
    { STR_INIT("repositoryCredentials"), 5, FIELD_STRUCT, AT(repository_credentials), .schema = &repository_credentials_schema },
    { STR_INIT("healthCheck"), 6, FIELD_STRUCT, AT(health_check), .schema = &health_check_schema },
    { STR_INIT("cpu"), 7, FIELD_INT, AT(cpu), .always = true },
    { STR_INIT("essential"), 8, FIELD_BOOL, AT(essential) },
    { STR_INIT("entryPoint"), 9, FIELD_LIST, AT(entry_point), .element = FIELD_STR },
    { STR_INIT("command"), 10, FIELD_LIST, AT(command), .element = FIELD_STR },
    { STR_INIT("workingDirectory"), 11, FIELD_STR, AT(working_directory) },
    { STR_INIT("environmentFiles"), 12, FIELD_LIST, AT(environment_files), .element = FIELD_STRUCT,
      .schema = &environment_file_schema, .max = 10 },
    { STR_INIT("environment"), 13, FIELD_LIST, AT(environment), .element = FIELD_STRUCT, .schema = &key_value_pair_schema },
    { STR_INIT("secrets"), 14, FIELD_LIST, AT(secrets), .element = FIELD_STRUCT, .schema = &secret_schema },
    { STR_INIT("readonlyRootFilesystem"), 15, FIELD_BOOL, AT(readonly_root_filesystem) },
    { STR_INIT("mountPoints"), 16, FIELD_LIST, AT(mount_points), .element = FIELD_STRUCT, .schema = &mount_point_schema },
    { STR_INIT("logConfiguration"), 17, FIELD_STRUCT, AT(log_configuration), .schema = &log_configuration_schema },
    { STR_INIT("firelensConfiguration"), 18, FIELD_STRUCT, AT(firelens_configuration), .schema = &firelens_configuration_schema },
    { STR_INIT("privileged"), 19, FIELD_BOOL, AT(privileged) },
    { STR_INIT("user"), 20, FIELD_STR, AT(user) },
    { STR_INIT("ulimits"), 21, FIELD_LIST, AT(ulimits), .element = FIELD_STRUCT, .schema = &ulimit_schema },
    { STR_INIT("linuxParameters"), 22, FIELD_STRUCT, AT(linux_parameters), .schema = &daemon_linux_parameters_schema },
    { STR_INIT("dependsOn"), 23, FIELD_LIST, AT(depends_on), .element = FIELD_STRUCT, .schema = &container_dependency_schema },
    { STR_INIT("startTimeout"), 24, FIELD_INT, AT(start_timeout), .max = INT32_MAX },
    { STR_INIT("stopTimeout"), 25, FIELD_INT, AT(stop_timeout), .max = INT32_MAX },
    { STR_INIT("systemControls"), 26, FIELD_LIST, AT(system_controls), .element = FIELD_STRUCT,
      .schema = &system_control_schema },
    { STR_INIT("interactive"), 27, FIELD_BOOL, AT(interactive) },
    { STR_INIT("pseudoTerminal"), 28, FIELD_BOOL, AT(pseudo_terminal) },
    { STR_INIT("restartPolicy"), 29, FIELD_STRUCT, AT(restart_policy), .schema = &container_restart_policy_schema },
};
#undef AT
const struct schema daemon_container_definition_schema = SCHEMA_OF("DaemonContainerDefinition", struct container_definition,
    daemon_container_definition_schema_fields);

#define AT(member) .offset = offsetof(struct volume, member)
static const struct field daemon_volume_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name) },
    { STR_INIT("host"), 2, FIELD_STRUCT, AT(host), .schema = &host_volume_properties_schema },
};
#undef AT
const struct schema daemon_volume_schema = SCHEMA_OF("DaemonVolume", struct volume, daemon_volume_schema_fields);

static const struct str daemon_pid_mode_words[] = { STR_INIT("none"), STR_INIT("shared") };
const struct enum_names daemon_pid_mode_names = { daemon_pid_mode_words, COUNT_OF(daemon_pid_mode_words) };

static const struct str daemon_ipc_mode_words[] = { STR_INIT("none"), STR_INIT("shared") };
const struct enum_names daemon_ipc_mode_names = { daemon_ipc_mode_words, COUNT_OF(daemon_ipc_mode_words) };

static const struct str daemon_task_definition_status_words[] = { STR_INIT("ACTIVE"), STR_INIT("DELETE_IN_PROGRESS"),
    STR_INIT("DELETED") };
const struct enum_names daemon_task_definition_status_names = { daemon_task_definition_status_words,
    COUNT_OF(daemon_task_definition_status_words) };

#define AT(member) .offset = offsetof(struct daemon_task_definition, member)
static const struct field daemon_task_definition_schema_fields[] = {
    { STR_INIT("daemonTaskDefinitionArn"), 1, FIELD_STR, AT(daemon_task_definition_arn) },
    { STR_INIT("family"), 2, FIELD_STR, AT(family) },
    { STR_INIT("revision"), 3, FIELD_INT, AT(revision), .always = true },
    { STR_INIT("taskRoleArn"), 4, FIELD_STR, AT(task_role_arn) },
    { STR_INIT("executionRoleArn"), 5, FIELD_STR, AT(execution_role_arn) },
    { STR_INIT("containerDefinitions"), 6, FIELD_LIST, AT(container_definitions), .element = FIELD_STRUCT,
      .schema = &daemon_container_definition_schema },
    { STR_INIT("volumes"), 7, FIELD_LIST, AT(volumes), .element = FIELD_STRUCT, .schema = &daemon_volume_schema },
    { STR_INIT("cpu"), 8, FIELD_STR, AT(cpu) },
    { STR_INIT("memory"), 9, FIELD_STR, AT(memory) },
    { STR_INIT("status"), 10, FIELD_ENUM, AT(status), .names = &daemon_task_definition_status_names },
    { STR_INIT("registeredAt"), 11, FIELD_TIME, AT(registered_at) },
    { STR_INIT("deleteRequestedAt"), 12, FIELD_TIME, AT(delete_requested_at) },
    { STR_INIT("registeredBy"), 13, FIELD_STR, AT(registered_by) },
    { STR_INIT("pidMode"), 14, FIELD_ENUM, AT(pid_mode), .names = &daemon_pid_mode_names },
    { STR_INIT("ipcMode"), 15, FIELD_ENUM, AT(ipc_mode), .names = &daemon_ipc_mode_names },
};
#undef AT
const struct schema daemon_task_definition_schema = SCHEMA_OF("DaemonTaskDefinition", struct daemon_task_definition,
    daemon_task_definition_schema_fields);
