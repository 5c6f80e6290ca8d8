/* container.h: the container definition of the ECS API and what hangs below it, as the wire names it. Members are in the order of
 * the API model; a record tag is the place in that order and never changes. tests/contract compares these tables with the model
 * of an installed SDK. Written by tools/shapes from model/ecs/container.shapes. */
#ifndef BERTH_MODEL_ECS_CONTAINER_H
#define BERTH_MODEL_ECS_CONTAINER_H

#include "model/ecs/common.h"

struct repository_credentials {
    struct str credentials_parameter;
};
struct repository_credentials_list { struct repository_credentials *items; size_t count; };
extern const struct schema repository_credentials_schema;

enum application_protocol { APPLICATION_PROTOCOL_UNSET, APPLICATION_PROTOCOL_HTTP, APPLICATION_PROTOCOL_HTTP2,
    APPLICATION_PROTOCOL_GRPC, APPLICATION_PROTOCOL_COUNT };
extern const struct enum_names application_protocol_names;

struct port_mapping {
    struct opt_int container_port;
    struct opt_int host_port;
    enum transport_protocol protocol;
    struct str name;
    enum application_protocol app_protocol;
    struct str container_port_range;
};
struct port_mapping_list { struct port_mapping *items; size_t count; };
extern const struct schema port_mapping_schema;

struct container_restart_policy {
    enum opt_bool enabled;
    struct int_list ignored_exit_codes;
    struct opt_int restart_attempt_period;
};
struct container_restart_policy_list { struct container_restart_policy *items; size_t count; };
extern const struct schema container_restart_policy_schema;

struct mount_point {
    struct str source_volume;
    struct str container_path;
    enum opt_bool read_only;
};
struct mount_point_list { struct mount_point *items; size_t count; };
extern const struct schema mount_point_schema;

struct volume_from {
    struct str source_container;
    enum opt_bool read_only;
};
struct volume_from_list { struct volume_from *items; size_t count; };
extern const struct schema volume_from_schema;

struct kernel_capabilities {
    struct str_list add;
    struct str_list drop;
};
struct kernel_capabilities_list { struct kernel_capabilities *items; size_t count; };
extern const struct schema kernel_capabilities_schema;

enum device_cgroup_permission { DEVICE_CGROUP_PERMISSION_UNSET, DEVICE_CGROUP_PERMISSION_READ, DEVICE_CGROUP_PERMISSION_WRITE,
    DEVICE_CGROUP_PERMISSION_MKNOD, DEVICE_CGROUP_PERMISSION_COUNT };
extern const struct enum_names device_cgroup_permission_names;

struct device {
    struct str host_path;
    struct str container_path;
    struct enum_list permissions;
};
struct device_list { struct device *items; size_t count; };
extern const struct schema device_schema;

struct tmpfs {
    struct str container_path;
    struct opt_int size;
    struct str_list mount_options;
};
struct tmpfs_list { struct tmpfs *items; size_t count; };
extern const struct schema tmpfs_schema;

struct linux_parameters {
    struct kernel_capabilities *capabilities;
    struct device_list devices;
    enum opt_bool init_process_enabled;
    struct opt_int shared_memory_size;
    struct tmpfs_list tmpfs;
    struct opt_int max_swap;
    struct opt_int swappiness;
};
struct linux_parameters_list { struct linux_parameters *items; size_t count; };
extern const struct schema linux_parameters_schema;

struct secret {
    struct str name;
    struct str value_from;
};
struct secret_list { struct secret *items; size_t count; };
extern const struct schema secret_schema;

enum container_condition { CONTAINER_CONDITION_UNSET, CONTAINER_CONDITION_START, CONTAINER_CONDITION_COMPLETE,
    CONTAINER_CONDITION_SUCCESS, CONTAINER_CONDITION_HEALTHY, CONTAINER_CONDITION_COUNT };
extern const struct enum_names container_condition_names;

struct container_dependency {
    struct str container_name;
    enum container_condition condition;
};
struct container_dependency_list { struct container_dependency *items; size_t count; };
extern const struct schema container_dependency_schema;

struct host_entry {
    struct str hostname;
    struct str ip_address;
};
struct host_entry_list { struct host_entry *items; size_t count; };
extern const struct schema host_entry_schema;

enum ulimit_name { ULIMIT_NAME_UNSET, ULIMIT_NAME_CORE, ULIMIT_NAME_CPU, ULIMIT_NAME_DATA, ULIMIT_NAME_FSIZE, ULIMIT_NAME_LOCKS,
    ULIMIT_NAME_MEMLOCK, ULIMIT_NAME_MSGQUEUE, ULIMIT_NAME_NICE, ULIMIT_NAME_NOFILE, ULIMIT_NAME_NPROC, ULIMIT_NAME_RSS,
    ULIMIT_NAME_RTPRIO, ULIMIT_NAME_RTTIME, ULIMIT_NAME_SIGPENDING, ULIMIT_NAME_STACK, ULIMIT_NAME_COUNT };
extern const struct enum_names ulimit_name_names;

struct ulimit {
    enum ulimit_name name;
    struct opt_int soft_limit;
    struct opt_int hard_limit;
};
struct ulimit_list { struct ulimit *items; size_t count; };
extern const struct schema ulimit_schema;

enum log_driver { LOG_DRIVER_UNSET, LOG_DRIVER_JSON_FILE, LOG_DRIVER_SYSLOG, LOG_DRIVER_JOURNALD, LOG_DRIVER_GELF,
    LOG_DRIVER_FLUENTD, LOG_DRIVER_AWSLOGS, LOG_DRIVER_SPLUNK, LOG_DRIVER_AWSFIRELENS, LOG_DRIVER_COUNT };
extern const struct enum_names log_driver_names;

struct log_configuration {
    enum log_driver log_driver;
    struct pair_list options;
    struct secret_list secret_options;
};
struct log_configuration_list { struct log_configuration *items; size_t count; };
extern const struct schema log_configuration_schema;

struct health_check {
    struct str_list command;
    struct opt_int interval;
    struct opt_int timeout;
    struct opt_int retries;
    struct opt_int start_period;
};
struct health_check_list { struct health_check *items; size_t count; };
extern const struct schema health_check_schema;

struct system_control {
    struct str namespace;
    struct str value;
};
struct system_control_list { struct system_control *items; size_t count; };
extern const struct schema system_control_schema;

enum firelens_configuration_type { FIRELENS_CONFIGURATION_TYPE_UNSET, FIRELENS_CONFIGURATION_TYPE_FLUENTD,
    FIRELENS_CONFIGURATION_TYPE_FLUENTBIT, FIRELENS_CONFIGURATION_TYPE_COUNT };
extern const struct enum_names firelens_configuration_type_names;

struct firelens_configuration {
    enum firelens_configuration_type type;
    struct pair_list options;
};
struct firelens_configuration_list { struct firelens_configuration *items; size_t count; };
extern const struct schema firelens_configuration_schema;

enum version_consistency { VERSION_CONSISTENCY_UNSET, VERSION_CONSISTENCY_ENABLED, VERSION_CONSISTENCY_DISABLED,
    VERSION_CONSISTENCY_COUNT };
extern const struct enum_names version_consistency_names;

struct container_definition {
    struct str name;
    struct str image;
    struct repository_credentials *repository_credentials;
    struct opt_int cpu;
    struct opt_int memory;
    struct opt_int memory_reservation;
    struct str_list links;
    struct port_mapping_list port_mappings;
    enum opt_bool essential;
    struct container_restart_policy *restart_policy;
    struct str_list entry_point;
    struct str_list command;
    struct key_value_pair_list environment;
    struct environment_file_list environment_files;
    struct mount_point_list mount_points;
    struct volume_from_list volumes_from;
    struct linux_parameters *linux_parameters;
    struct secret_list secrets;
    struct container_dependency_list depends_on;
    struct opt_int start_timeout;
    struct opt_int stop_timeout;
    enum version_consistency version_consistency;
    struct str hostname;
    struct str user;
    struct str working_directory;
    enum opt_bool disable_networking;
    enum opt_bool privileged;
    enum opt_bool readonly_root_filesystem;
    struct str_list dns_servers;
    struct str_list dns_search_domains;
    struct host_entry_list extra_hosts;
    struct str_list docker_security_options;
    enum opt_bool interactive;
    enum opt_bool pseudo_terminal;
    struct pair_list docker_labels;
    struct ulimit_list ulimits;
    struct log_configuration *log_configuration;
    struct health_check *health_check;
    struct system_control_list system_controls;
    struct resource_requirement_list resource_requirements;
    struct firelens_configuration *firelens_configuration;
    struct str_list credential_specs;
};
struct container_definition_list { struct container_definition *items; size_t count; };
extern const struct schema container_definition_schema;

#endif
