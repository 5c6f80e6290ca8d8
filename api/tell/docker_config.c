/* docker_config.c: only keys that are set are printed, because the agent lays them over its own settings one by one. */
#include "api/tell/docker_config.h"

#include "api/tell/log_names.h"

static const int64_t MIB = 1024 * 1024;
static const int64_t NANOSECONDS = 1000000000;

/* ---- words of JSON that are printed only when there is something to say ---- */

static void put_strings(struct json_out *out, struct str key, const struct str_list *list)
{
    if (list->count == 0) { return; }
    json_key(out, key);
    json_open(out, '[');
    for (size_t i = 0; i < list->count; i++) { json_str(out, list->items[i]); }
    json_close(out, ']');
}

static void put_str(struct json_out *out, struct str key, struct str value)
{
    if (value.len == 0) { return; }
    json_key(out, key);
    json_str(out, value);
}

static void put_true(struct json_out *out, struct str key, enum opt_bool value)
{
    if (value != OPT_TRUE) { return; }
    json_key(out, key);
    json_bool(out, true);
}

static void put_i64(struct json_out *out, struct str key, int64_t value)
{
    json_key(out, key);
    json_i64(out, value);
}

static void put_pairs(struct json_out *out, struct str key, const struct pair_list *pairs)
{
    if (pairs->count == 0) { return; }
    json_key(out, key);
    json_open(out, '{');
    for (size_t p = 0; p < pairs->count; p++) {
        json_key(out, pairs->items[p].key);
        json_str(out, pairs->items[p].value);
    }
    json_close(out, '}');
}

/* ---- HostConfig ---- */

static void put_ulimits(struct json_out *out, const struct ulimit_list *ulimits)
{
    if (ulimits->count == 0) { return; }
    json_key(out, STR("Ulimits"));
    json_open(out, '[');
    for (size_t u = 0; u < ulimits->count; u++) {
        json_open(out, '{');
        put_str(out, STR("Name"), enum_word(&ulimit_name_names, (int)ulimits->items[u].name));
        put_i64(out, STR("Soft"), ulimits->items[u].soft_limit.value);
        put_i64(out, STR("Hard"), ulimits->items[u].hard_limit.value);
        json_close(out, '}');
    }
    json_close(out, ']');
}

/* r, w and m as cgroups have them; all three when the definition names none. */
static struct str permissions_text(const struct enum_list *permissions, char out[4])
{
    static const char letters[DEVICE_CGROUP_PERMISSION_COUNT] = {
        [DEVICE_CGROUP_PERMISSION_READ] = 'r', [DEVICE_CGROUP_PERMISSION_WRITE] = 'w', [DEVICE_CGROUP_PERMISSION_MKNOD] = 'm',
    };
    size_t len = 0;
    if (permissions->count == 0) { return STR("rwm"); }
    for (int p = DEVICE_CGROUP_PERMISSION_READ; p < DEVICE_CGROUP_PERMISSION_COUNT; p++) {
        bool is_given = false;
        for (size_t i = 0; i < permissions->count; i++) { is_given = is_given || permissions->items[i] == p; }
        if (is_given) { out[len++] = letters[p]; }
    }
    return (struct str){ out, len };
}

static void put_devices(struct json_out *out, const struct device_list *devices)
{
    if (devices->count == 0) { return; }
    json_key(out, STR("Devices"));
    json_open(out, '[');
    for (size_t d = 0; d < devices->count; d++) {
        const struct device *device = &devices->items[d];
        char letters[4];
        json_open(out, '{');
        put_str(out, STR("PathOnHost"), device->host_path);
        put_str(out, STR("PathInContainer"), device->container_path.len > 0 ? device->container_path : device->host_path);
        put_str(out, STR("CgroupPermissions"), permissions_text(&device->permissions, letters));
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_tmpfs(struct json_out *out, const struct tmpfs_list *tmpfs, struct arena *arena)
{
    if (tmpfs->count == 0) { return; }
    json_key(out, STR("Tmpfs"));
    json_open(out, '{');
    for (size_t t = 0; t < tmpfs->count; t++) {
        struct buf options = buf_in(arena);
        buf_printf(&options, "size=%lldm", (long long)tmpfs->items[t].size.value);
        for (size_t o = 0; o < tmpfs->items[t].mount_options.count; o++) {
            buf_put_char(&options, ',');
            buf_put(&options, tmpfs->items[t].mount_options.items[o]);
        }
        json_key(out, tmpfs->items[t].container_path);
        json_str(out, buf_str(&options));
    }
    json_close(out, '}');
}

/* Docker counts memory and swap together. Without a limit on memory there is none on swap either. */
static void put_swap(struct json_out *out, const struct linux_parameters *linux_parameters, struct opt_int memory)
{
    if (linux_parameters->max_swap.set && memory.set) {
        put_i64(out, STR("MemorySwap"), (memory.value + linux_parameters->max_swap.value) * MIB);
    }
    if (linux_parameters->swappiness.set) { put_i64(out, STR("MemorySwappiness"), linux_parameters->swappiness.value); }
}

static void put_linux(struct json_out *out, const struct linux_parameters *linux_parameters, struct opt_int memory,
                      struct arena *arena)
{
    if (linux_parameters == NULL) { return; }
    if (linux_parameters->capabilities != NULL) {
        put_strings(out, STR("CapAdd"), &linux_parameters->capabilities->add);
        put_strings(out, STR("CapDrop"), &linux_parameters->capabilities->drop);
    }
    put_true(out, STR("Init"), linux_parameters->init_process_enabled);
    if (linux_parameters->shared_memory_size.set) { put_i64(out, STR("ShmSize"), linux_parameters->shared_memory_size.value * MIB); }
    put_tmpfs(out, &linux_parameters->tmpfs, arena);
    put_devices(out, &linux_parameters->devices);
    put_swap(out, linux_parameters, memory);
}

/* Drivers that Docker would take to AWS are left out: the agent then keeps the output itself, where Berth finds it. */
static bool is_local_driver(enum log_driver driver) { return driver == LOG_DRIVER_JSON_FILE || log_is_sent_away(driver); }

static void put_log_config(struct json_out *out, const struct log_configuration *log, const struct pair_list *awslogs)
{
    if (log == NULL || (awslogs == NULL && !is_local_driver(log->log_driver))) { return; }
    json_key(out, STR("LogConfig"));
    json_open(out, '{');
    put_str(out, STR("Type"), enum_word(&log_driver_names, (int)log->log_driver));
    put_pairs(out, STR("Config"), awslogs != NULL ? awslogs : &log->options);
    json_close(out, '}');
}

/* An empty list takes back what the agent itself would ask for. */
static void put_devices_asked(struct json_out *out, const struct str_list *ids)
{
    if (ids == NULL) { return; }
    json_key(out, STR("DeviceRequests"));
    json_open(out, '[');
    if (ids->count > 0) {
        json_open(out, '{');
        json_key(out, STR("Capabilities"));
        json_open(out, '[');
        json_open(out, '[');
        json_str(out, STR("gpu"));
        json_close(out, ']');
        json_close(out, ']');
        put_strings(out, STR("DeviceIDs"), ids);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_extra_hosts(struct json_out *out, const struct host_entry_list *hosts, struct arena *arena)
{
    if (hosts->count == 0) { return; }
    json_key(out, STR("ExtraHosts"));
    json_open(out, '[');
    for (size_t h = 0; h < hosts->count; h++) {
        json_str(out, arena_printf(arena, STR_FMT ":" STR_FMT, STR_ARG(hosts->items[h].hostname), STR_ARG(hosts->items[h].ip_address)));
    }
    json_close(out, ']');
}

static void put_sysctls(struct json_out *out, const struct system_control_list *controls)
{
    if (controls->count == 0) { return; }
    json_key(out, STR("Sysctls"));
    json_open(out, '{');
    for (size_t c = 0; c < controls->count; c++) {
        json_key(out, controls->items[c].namespace);
        json_str(out, controls->items[c].value);
    }
    json_close(out, '}');
}

/* The mode of the network has to be said here as well as on the task. awsvpc is the agent's own to set. "task" for processes
 * and IPC is made by the agent from the task's members; Docker knows no such word. */
static void put_modes(struct json_out *out, const struct task_definition *def)
{
    if (def->network_mode != NETWORK_MODE_AWSVPC) {
        enum network_mode mode = def->network_mode == NETWORK_MODE_UNSET ? NETWORK_MODE_BRIDGE : def->network_mode;
        put_str(out, STR("NetworkMode"), enum_word(&network_mode_names, (int)mode));
    }
    if (def->pid_mode == PID_MODE_HOST) { put_str(out, STR("PidMode"), STR("host")); }
    if (def->ipc_mode == IPC_MODE_HOST || def->ipc_mode == IPC_MODE_NONE) {
        put_str(out, STR("IpcMode"), enum_word(&ipc_mode_names, (int)def->ipc_mode));
    }
}

static struct str make_host_config(const struct task_definition *def, const struct container_definition *container,
                                   const struct container_override *over, const struct docker_ways *ways, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    struct json_out out = json_out_to(&buf);
    struct opt_int reservation = overrides_reservation(container, over);
    json_open(&out, '{');
    put_modes(&out, def);
    if (reservation.set) { put_i64(&out, STR("MemoryReservation"), reservation.value * MIB); }
    put_true(&out, STR("Privileged"), container->privileged);
    put_true(&out, STR("ReadonlyRootfs"), container->readonly_root_filesystem);
    put_linux(&out, container->linux_parameters, overrides_memory(container, over), arena);
    put_ulimits(&out, &container->ulimits);
    put_log_config(&out, container->log_configuration, ways->awslogs);
    put_devices_asked(&out, ways->devices);
    put_sysctls(&out, &container->system_controls);
    put_strings(&out, STR("Dns"), &container->dns_servers);
    put_strings(&out, STR("DnsSearch"), &container->dns_search_domains);
    put_extra_hosts(&out, &container->extra_hosts, arena);
    put_strings(&out, STR("SecurityOpt"), &container->docker_security_options);
    json_close(&out, '}');
    return buf_str(&buf);
}

/* ---- Config ---- */

/* Seconds in a definition, nanoseconds in Docker. ECS's defaults are not Docker's, so they are said. */
static void put_health_check(struct json_out *out, const struct health_check *check)
{
    enum { INTERVAL_S = 30, TIMEOUT_S = 5, RETRIES = 3 };
    if (check == NULL) { return; }
    json_key(out, STR("Healthcheck"));
    json_open(out, '{');
    put_strings(out, STR("Test"), &check->command);
    put_i64(out, STR("Interval"), (check->interval.set ? check->interval.value : INTERVAL_S) * NANOSECONDS);
    put_i64(out, STR("Timeout"), (check->timeout.set ? check->timeout.value : TIMEOUT_S) * NANOSECONDS);
    put_i64(out, STR("Retries"), check->retries.set ? check->retries.value : RETRIES);
    if (check->start_period.set) { put_i64(out, STR("StartPeriod"), check->start_period.value * NANOSECONDS); }
    json_close(out, '}');
}

static struct str make_config(const struct container_definition *container, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    struct json_out out = json_out_to(&buf);
    json_open(&out, '{');
    put_str(&out, STR("User"), container->user);
    put_str(&out, STR("WorkingDir"), container->working_directory);
    put_str(&out, STR("Hostname"), container->hostname);
    put_pairs(&out, STR("Labels"), &container->docker_labels);
    put_health_check(&out, container->health_check);
    put_true(&out, STR("Tty"), container->pseudo_terminal);
    put_true(&out, STR("OpenStdin"), container->interactive);
    put_true(&out, STR("NetworkDisabled"), container->disable_networking);
    json_close(&out, '}');
    return buf_str(&buf);
}

/* The least version of Docker's API that knows all the keys above it. */
static struct str api_version(const struct container_definition *container)
{
    bool has_init = container->linux_parameters != NULL && container->linux_parameters->init_process_enabled == OPT_TRUE;
    if (has_init) { return STR("1.25"); }
    return container->health_check != NULL ? STR("1.24") : STR("1.18");
}

struct wire_docker_config *docker_config_make(const struct task_definition *def, const struct container_definition *container,
                                              const struct container_override *over, const struct docker_ways *ways, struct arena *arena)
{
    struct wire_docker_config *config = ARENA_NEW(arena, struct wire_docker_config, 1);
    config->config = make_config(container, arena);
    config->host_config = make_host_config(def, container, over, ways, arena);
    config->version = api_version(container);
    return config;
}
