/* Written by tools/shapes from model/ecs/container.shapes. */
#include "model/ecs/container.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct repository_credentials, member)
static const struct field repository_credentials_schema_fields[] = {
    { STR_INIT("credentialsParameter"), 1, FIELD_STR, AT(credentials_parameter), .required = true },
};
#undef AT
const struct schema repository_credentials_schema = SCHEMA_OF("RepositoryCredentials", struct repository_credentials,
    repository_credentials_schema_fields);

static const struct str application_protocol_words[] = { STR_INIT("http"), STR_INIT("http2"), STR_INIT("grpc") };
const struct enum_names application_protocol_names = { application_protocol_words, COUNT_OF(application_protocol_words) };

#define AT(member) .offset = offsetof(struct port_mapping, member)
static const struct field port_mapping_schema_fields[] = {
    { STR_INIT("containerPort"), 1, FIELD_INT, AT(container_port) },
    { STR_INIT("hostPort"), 2, FIELD_INT, AT(host_port), .max = 65535 },
    { STR_INIT("protocol"), 3, FIELD_ENUM, AT(protocol), .names = &transport_protocol_names },
    { STR_INIT("name"), 4, FIELD_STR, AT(name) },
    { STR_INIT("appProtocol"), 5, FIELD_ENUM, AT(app_protocol), .names = &application_protocol_names },
    { STR_INIT("containerPortRange"), 6, FIELD_STR, AT(container_port_range) },
};
#undef AT
const struct schema port_mapping_schema = SCHEMA_OF("PortMapping", struct port_mapping, port_mapping_schema_fields);

#define AT(member) .offset = offsetof(struct container_restart_policy, member)
static const struct field container_restart_policy_schema_fields[] = {
    { STR_INIT("enabled"), 1, FIELD_BOOL, AT(enabled), .required = true },
    { STR_INIT("ignoredExitCodes"), 2, FIELD_LIST, AT(ignored_exit_codes), .element = FIELD_INT, .max = 50 },
    { STR_INIT("restartAttemptPeriod"), 3, FIELD_INT, AT(restart_attempt_period), .min = 60, .max = 1800 },
};
#undef AT
const struct schema container_restart_policy_schema = SCHEMA_OF("ContainerRestartPolicy", struct container_restart_policy,
    container_restart_policy_schema_fields);

#define AT(member) .offset = offsetof(struct mount_point, member)
static const struct field mount_point_schema_fields[] = {
    { STR_INIT("sourceVolume"), 1, FIELD_STR, AT(source_volume) },
    { STR_INIT("containerPath"), 2, FIELD_STR, AT(container_path) },
    { STR_INIT("readOnly"), 3, FIELD_BOOL, AT(read_only) },
};
#undef AT
const struct schema mount_point_schema = SCHEMA_OF("MountPoint", struct mount_point, mount_point_schema_fields);

#define AT(member) .offset = offsetof(struct volume_from, member)
static const struct field volume_from_schema_fields[] = {
    { STR_INIT("sourceContainer"), 1, FIELD_STR, AT(source_container) },
    { STR_INIT("readOnly"), 2, FIELD_BOOL, AT(read_only) },
};
#undef AT
const struct schema volume_from_schema = SCHEMA_OF("VolumeFrom", struct volume_from, volume_from_schema_fields);

#define AT(member) .offset = offsetof(struct kernel_capabilities, member)
static const struct field kernel_capabilities_schema_fields[] = {
    { STR_INIT("add"), 1, FIELD_LIST, AT(add), .element = FIELD_STR },
    { STR_INIT("drop"), 2, FIELD_LIST, AT(drop), .element = FIELD_STR },
};
#undef AT
const struct schema kernel_capabilities_schema = SCHEMA_OF("KernelCapabilities", struct kernel_capabilities,
    kernel_capabilities_schema_fields);

static const struct str device_cgroup_permission_words[] = { STR_INIT("read"), STR_INIT("write"), STR_INIT("mknod") };
const struct enum_names device_cgroup_permission_names = { device_cgroup_permission_words,
    COUNT_OF(device_cgroup_permission_words) };

#define AT(member) .offset = offsetof(struct device, member)
static const struct field device_schema_fields[] = {
    { STR_INIT("hostPath"), 1, FIELD_STR, AT(host_path), .required = true },
    { STR_INIT("containerPath"), 2, FIELD_STR, AT(container_path) },
    { STR_INIT("permissions"), 3, FIELD_LIST, AT(permissions), .element = FIELD_ENUM, .names = &device_cgroup_permission_names },
};
#undef AT
const struct schema device_schema = SCHEMA_OF("Device", struct device, device_schema_fields);

#define AT(member) .offset = offsetof(struct tmpfs, member)
static const struct field tmpfs_schema_fields[] = {
    { STR_INIT("containerPath"), 1, FIELD_STR, AT(container_path), .required = true },
    { STR_INIT("size"), 2, FIELD_INT, AT(size), .required = true, .always = true },
    { STR_INIT("mountOptions"), 3, FIELD_LIST, AT(mount_options), .element = FIELD_STR },
};
#undef AT
const struct schema tmpfs_schema = SCHEMA_OF("Tmpfs", struct tmpfs, tmpfs_schema_fields);

#define AT(member) .offset = offsetof(struct linux_parameters, member)
static const struct field linux_parameters_schema_fields[] = {
    { STR_INIT("capabilities"), 1, FIELD_STRUCT, AT(capabilities), .schema = &kernel_capabilities_schema },
    { STR_INIT("devices"), 2, FIELD_LIST, AT(devices), .element = FIELD_STRUCT, .schema = &device_schema },
    { STR_INIT("initProcessEnabled"), 3, FIELD_BOOL, AT(init_process_enabled) },
    { STR_INIT("sharedMemorySize"), 4, FIELD_INT, AT(shared_memory_size) },
    { STR_INIT("tmpfs"), 5, FIELD_LIST, AT(tmpfs), .element = FIELD_STRUCT, .schema = &tmpfs_schema },
    { STR_INIT("maxSwap"), 6, FIELD_INT, AT(max_swap), .max = INT32_MAX },
    { STR_INIT("swappiness"), 7, FIELD_INT, AT(swappiness), .max = 100 },
};
#undef AT
const struct schema linux_parameters_schema = SCHEMA_OF("LinuxParameters", struct linux_parameters,
    linux_parameters_schema_fields);

#define AT(member) .offset = offsetof(struct secret, member)
static const struct field secret_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name), .required = true },
    { STR_INIT("valueFrom"), 2, FIELD_STR, AT(value_from), .required = true },
};
#undef AT
const struct schema secret_schema = SCHEMA_OF("Secret", struct secret, secret_schema_fields);

static const struct str container_condition_words[] = { STR_INIT("START"), STR_INIT("COMPLETE"), STR_INIT("SUCCESS"),
    STR_INIT("HEALTHY") };
const struct enum_names container_condition_names = { container_condition_words, COUNT_OF(container_condition_words) };

#define AT(member) .offset = offsetof(struct container_dependency, member)
static const struct field container_dependency_schema_fields[] = {
    { STR_INIT("containerName"), 1, FIELD_STR, AT(container_name), .required = true },
    { STR_INIT("condition"), 2, FIELD_ENUM, AT(condition), .names = &container_condition_names, .required = true },
};
#undef AT
const struct schema container_dependency_schema = SCHEMA_OF("ContainerDependency", struct container_dependency,
    container_dependency_schema_fields);

#define AT(member) .offset = offsetof(struct host_entry, member)
static const struct field host_entry_schema_fields[] = {
    { STR_INIT("hostname"), 1, FIELD_STR, AT(hostname), .required = true },
    { STR_INIT("ipAddress"), 2, FIELD_STR, AT(ip_address), .required = true },
};
#undef AT
const struct schema host_entry_schema = SCHEMA_OF("HostEntry", struct host_entry, host_entry_schema_fields);

static const struct str ulimit_name_words[] = { STR_INIT("core"), STR_INIT("cpu"), STR_INIT("data"), STR_INIT("fsize"),
    STR_INIT("locks"), STR_INIT("memlock"), STR_INIT("msgqueue"), STR_INIT("nice"), STR_INIT("nofile"), STR_INIT("nproc"),
    STR_INIT("rss"), STR_INIT("rtprio"), STR_INIT("rttime"), STR_INIT("sigpending"), STR_INIT("stack") };
const struct enum_names ulimit_name_names = { ulimit_name_words, COUNT_OF(ulimit_name_words) };

#define AT(member) .offset = offsetof(struct ulimit, member)
static const struct field ulimit_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_ENUM, AT(name), .names = &ulimit_name_names, .required = true },
    { STR_INIT("softLimit"), 2, FIELD_INT, AT(soft_limit), .required = true, .always = true },
    { STR_INIT("hardLimit"), 3, FIELD_INT, AT(hard_limit), .required = true, .always = true },
};
#undef AT
const struct schema ulimit_schema = SCHEMA_OF("Ulimit", struct ulimit, ulimit_schema_fields);

static const struct str log_driver_words[] = { STR_INIT("json-file"), STR_INIT("syslog"), STR_INIT("journald"), STR_INIT("gelf"),
    STR_INIT("fluentd"), STR_INIT("awslogs"), STR_INIT("splunk"), STR_INIT("awsfirelens") };
const struct enum_names log_driver_names = { log_driver_words, COUNT_OF(log_driver_words) };

#define AT(member) .offset = offsetof(struct log_configuration, member)
static const struct field log_configuration_schema_fields[] = {
    { STR_INIT("logDriver"), 1, FIELD_ENUM, AT(log_driver), .names = &log_driver_names, .required = true },
    { STR_INIT("options"), 2, FIELD_MAP, AT(options) },
    { STR_INIT("secretOptions"), 3, FIELD_LIST, AT(secret_options), .element = FIELD_STRUCT, .schema = &secret_schema },
};
#undef AT
const struct schema log_configuration_schema = SCHEMA_OF("LogConfiguration", struct log_configuration,
    log_configuration_schema_fields);

#define AT(member) .offset = offsetof(struct health_check, member)
static const struct field health_check_schema_fields[] = {
    { STR_INIT("command"), 1, FIELD_LIST, AT(command), .element = FIELD_STR, .required = true },
    { STR_INIT("interval"), 2, FIELD_INT, AT(interval), .min = 5, .max = 300 },
    { STR_INIT("timeout"), 3, FIELD_INT, AT(timeout), .min = 2, .max = 60 },
    { STR_INIT("retries"), 4, FIELD_INT, AT(retries), .min = 1, .max = 10 },
    { STR_INIT("startPeriod"), 5, FIELD_INT, AT(start_period), .max = 300 },
};
#undef AT
const struct schema health_check_schema = SCHEMA_OF("HealthCheck", struct health_check, health_check_schema_fields);

#define AT(member) .offset = offsetof(struct system_control, member)
static const struct field system_control_schema_fields[] = {
    { STR_INIT("namespace"), 1, FIELD_STR, AT(namespace) },
    { STR_INIT("value"), 2, FIELD_STR, AT(value) },
};
#undef AT
const struct schema system_control_schema = SCHEMA_OF("SystemControl", struct system_control, system_control_schema_fields);

static const struct str firelens_configuration_type_words[] = { STR_INIT("fluentd"), STR_INIT("fluentbit") };
const struct enum_names firelens_configuration_type_names = { firelens_configuration_type_words,
    COUNT_OF(firelens_configuration_type_words) };

#define AT(member) .offset = offsetof(struct firelens_configuration, member)
static const struct field firelens_configuration_schema_fields[] = {
    { STR_INIT("type"), 1, FIELD_ENUM, AT(type), .names = &firelens_configuration_type_names, .required = true },
    { STR_INIT("options"), 2, FIELD_MAP, AT(options) },
};
#undef AT
const struct schema firelens_configuration_schema = SCHEMA_OF("FirelensConfiguration", struct firelens_configuration,
    firelens_configuration_schema_fields);

static const struct str version_consistency_words[] = { STR_INIT("enabled"), STR_INIT("disabled") };
const struct enum_names version_consistency_names = { version_consistency_words, COUNT_OF(version_consistency_words) };

#define AT(member) .offset = offsetof(struct container_definition, member)
static const struct field container_definition_schema_fields[] = {
    { STR_INIT("name"), 1, FIELD_STR, AT(name) },
    { STR_INIT("image"), 2, FIELD_STR, AT(image) },
    { STR_INIT("repositoryCredentials"), 3, FIELD_STRUCT, AT(repository_credentials), .schema = &repository_credentials_schema },
    { STR_INIT("cpu"), 4, FIELD_INT, AT(cpu), .always = true },
    { STR_INIT("memory"), 5, FIELD_INT, AT(memory) },
    { STR_INIT("memoryReservation"), 6, FIELD_INT, AT(memory_reservation) },
    { STR_INIT("links"), 7, FIELD_LIST, AT(links), .element = FIELD_STR },
    { STR_INIT("portMappings"), 8, FIELD_LIST, AT(port_mappings), .element = FIELD_STRUCT, .schema = &port_mapping_schema },
    { STR_INIT("essential"), 9, FIELD_BOOL, AT(essential) },
    { STR_INIT("restartPolicy"), 10, FIELD_STRUCT, AT(restart_policy), .schema = &container_restart_policy_schema },
    { STR_INIT("entryPoint"), 11, FIELD_LIST, AT(entry_point), .element = FIELD_STR },
    { STR_INIT("command"), 12, FIELD_LIST, AT(command), .element = FIELD_STR },
    { STR_INIT("environment"), 13, FIELD_LIST, AT(environment), .element = FIELD_STRUCT, .schema = &key_value_pair_schema },
    { STR_INIT("environmentFiles"), 14, FIELD_LIST, AT(environment_files), .element = FIELD_STRUCT,
      .schema = &environment_file_schema, .max = 10 },
    { STR_INIT("mountPoints"), 15, FIELD_LIST, AT(mount_points), .element = FIELD_STRUCT, .schema = &mount_point_schema },
    { STR_INIT("volumesFrom"), 16, FIELD_LIST, AT(volumes_from), .element = FIELD_STRUCT, .schema = &volume_from_schema },
    { STR_INIT("linuxParameters"), 17, FIELD_STRUCT, AT(linux_parameters), .schema = &linux_parameters_schema },
    { STR_INIT("secrets"), 18, FIELD_LIST, AT(secrets), .element = FIELD_STRUCT, .schema = &secret_schema },
    { STR_INIT("dependsOn"), 19, FIELD_LIST, AT(depends_on), .element = FIELD_STRUCT, .schema = &container_dependency_schema },
    { STR_INIT("startTimeout"), 20, FIELD_INT, AT(start_timeout), .max = INT32_MAX },
    { STR_INIT("stopTimeout"), 21, FIELD_INT, AT(stop_timeout), .max = INT32_MAX },
    { STR_INIT("versionConsistency"), 22, FIELD_ENUM, AT(version_consistency), .names = &version_consistency_names },
    { STR_INIT("hostname"), 23, FIELD_STR, AT(hostname) },
    { STR_INIT("user"), 24, FIELD_STR, AT(user) },
    { STR_INIT("workingDirectory"), 25, FIELD_STR, AT(working_directory) },
    { STR_INIT("disableNetworking"), 26, FIELD_BOOL, AT(disable_networking) },
    { STR_INIT("privileged"), 27, FIELD_BOOL, AT(privileged) },
    { STR_INIT("readonlyRootFilesystem"), 28, FIELD_BOOL, AT(readonly_root_filesystem) },
    { STR_INIT("dnsServers"), 29, FIELD_LIST, AT(dns_servers), .element = FIELD_STR },
    { STR_INIT("dnsSearchDomains"), 30, FIELD_LIST, AT(dns_search_domains), .element = FIELD_STR },
    { STR_INIT("extraHosts"), 31, FIELD_LIST, AT(extra_hosts), .element = FIELD_STRUCT, .schema = &host_entry_schema },
    { STR_INIT("dockerSecurityOptions"), 32, FIELD_LIST, AT(docker_security_options), .element = FIELD_STR },
    { STR_INIT("interactive"), 33, FIELD_BOOL, AT(interactive) },
    { STR_INIT("pseudoTerminal"), 34, FIELD_BOOL, AT(pseudo_terminal) },
    { STR_INIT("dockerLabels"), 35, FIELD_MAP, AT(docker_labels) },
    { STR_INIT("ulimits"), 36, FIELD_LIST, AT(ulimits), .element = FIELD_STRUCT, .schema = &ulimit_schema },
    { STR_INIT("logConfiguration"), 37, FIELD_STRUCT, AT(log_configuration), .schema = &log_configuration_schema },
    { STR_INIT("healthCheck"), 38, FIELD_STRUCT, AT(health_check), .schema = &health_check_schema },
    { STR_INIT("systemControls"), 39, FIELD_LIST, AT(system_controls), .element = FIELD_STRUCT,
      .schema = &system_control_schema },
    { STR_INIT("resourceRequirements"), 40, FIELD_LIST, AT(resource_requirements), .element = FIELD_STRUCT,
      .schema = &resource_requirement_schema },
    { STR_INIT("firelensConfiguration"), 41, FIELD_STRUCT, AT(firelens_configuration), .schema = &firelens_configuration_schema },
    { STR_INIT("credentialSpecs"), 42, FIELD_LIST, AT(credential_specs), .element = FIELD_STR, .max = 1 },
};
#undef AT
const struct schema container_definition_schema = SCHEMA_OF("ContainerDefinition", struct container_definition,
    container_definition_schema_fields);
