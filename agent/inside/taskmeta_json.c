/* taskmeta_json.c: containers and tasks in the ECS agent's shapes, from the agent's state and the engine's answers. Unknown members are left
 * out, as the ECS agent does. */
#include "agent/docker/docker.h"
#include "agent/inside/taskmeta_internal.h"

#include <time.h>

static void put_text(struct json_out *out, struct str key, struct str value)
{
    if (value.len == 0) { return; }
    json_key(out, key);
    json_str(out, value);
}

static void put_json(struct json_out *out, struct str key, const struct json *value)
{
    if (value == NULL || value->type == JSON_NULL) { return; }
    json_key(out, key);
    json_dump(out, value);
}

void taskmeta_put_time(struct json_out *out, struct str key, int64_t epoch_ms, struct arena *arena)
{
    time_t seconds = (time_t)(epoch_ms / 1000);
    struct tm utc;
    char text[32];
    if (epoch_ms <= 0 || gmtime_r(&seconds, &utc) == NULL || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc) == 0) { return; }
    put_text(out, key, arena_printf(arena, "%s.%03dZ", text, (int)(epoch_ms % 1000)));
}

/* The engine's "0001-01-01T00:00:00Z" means never. */
static void put_engine_time(struct json_out *out, struct str key, struct str text)
{
    if (!str_starts_with(text, STR("0001-"))) { put_text(out, key, text); }
}

static struct str known_word(enum container_phase phase)
{
    static const struct str words[] = {
        [CONTAINER_NONE] = STR_INIT("NONE"), [CONTAINER_CREATED] = STR_INIT("CREATED"), [CONTAINER_RUNNING] = STR_INIT("RUNNING"),
        [CONTAINER_STOPPED] = STR_INIT("STOPPED"),
    };
    return words[phase];
}

/* A task's status is that of the container that is least far; stopped when all are. */
static struct str task_word(const struct shown_task *task)
{
    enum container_phase least = CONTAINER_STOPPED;
    for (size_t c = 0; c < task->count; c++) {
        if (task->containers[c].phase < least) { least = task->containers[c].phase; }
    }
    return known_word(least);
}

static struct str desired_word(const struct shown_task *task) { return task->wanted ? STR("RUNNING") : STR("STOPPED"); }

/* ---- containers ---- */

static void put_ports(struct json_out *out, const struct network_binding_list *bindings)
{
    if (bindings->count == 0) { return; }
    json_key(out, STR("Ports"));
    json_open(out, '[');
    for (size_t b = 0; b < bindings->count; b++) {
        const struct network_binding *binding = &bindings->items[b];
        json_open(out, '{');
        if (binding->container_port.set) {
            json_key(out, STR("ContainerPort"));
            json_i64(out, binding->container_port.value);
        }
        put_text(out, STR("Protocol"), binding->protocol == TRANSPORT_PROTOCOL_UDP ? STR("udp") : STR("tcp"));
        if (binding->host_port.set) {
            json_key(out, STR("HostPort"));
            json_i64(out, binding->host_port.value);
        }
        put_text(out, STR("ContainerPortRange"), binding->container_port_range);
        put_text(out, STR("HostPortRange"), binding->host_port_range);
        put_text(out, STR("HostIp"), binding->bind_ip);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_limits(struct json_out *out, struct opt_double cpu, struct opt_int memory, bool shares)
{
    if (!cpu.set && !memory.set) { return; }
    json_key(out, STR("Limits"));
    json_open(out, '{');
    if (cpu.set) {
        json_key(out, STR("CPU"));
        if (shares) { json_i64(out, (int64_t)cpu.value); } else { json_double(out, cpu.value); }
    }
    if (memory.set) {
        json_key(out, STR("Memory"));
        json_i64(out, memory.value);
    }
    json_close(out, '}');
}

static void put_addresses(struct json_out *out, struct str key, struct str address)
{
    if (address.len == 0) { return; }
    json_key(out, key);
    json_open(out, '[');
    json_str(out, address);
    json_close(out, ']');
}

/* The task's own interface, which all its containers share; or the engine's answer. */
static void put_networks(struct json_out *out, const struct shown_task *task, const struct json *engine, enum taskmeta_version version)
{
    if (task->address.len > 0) {
        json_key(out, STR("Networks"));
        json_open(out, '[');
        json_open(out, '{');
        put_text(out, STR("NetworkMode"), task->network_mode);
        put_addresses(out, STR("IPv4Addresses"), task->address);
        if (version == TASKMETA_V4) { put_text(out, STR("MACAddress"), task->mac_address); }
        json_close(out, '}');
        json_close(out, ']');
        return;
    }
    const struct json *networks = json_get(json_get(engine, STR("NetworkSettings")), STR("Networks"));
    if (networks == NULL || networks->type != JSON_OBJECT || networks->count == 0) { return; }
    json_key(out, STR("Networks"));
    json_open(out, '[');
    for (size_t n = 0; n < networks->count; n++) {
        const struct json_member *network = &networks->as.members[n];
        json_open(out, '{');
        put_text(out, STR("NetworkMode"), network->key);
        put_addresses(out, STR("IPv4Addresses"), json_get_str(&network->value, STR("IPAddress")));
        put_addresses(out, STR("IPv6Addresses"), json_get_str(&network->value, STR("GlobalIPv6Address")));
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_volumes(struct json_out *out, const struct json *engine)
{
    const struct json *mounts = json_get(engine, STR("Mounts"));
    if (mounts == NULL || mounts->type != JSON_ARRAY || mounts->count == 0) { return; }
    json_key(out, STR("Volumes"));
    json_open(out, '[');
    for (size_t m = 0; m < mounts->count; m++) {
        json_open(out, '{');
        put_text(out, STR("DockerName"), json_get_str(&mounts->as.items[m], STR("Name")));
        put_text(out, STR("Source"), json_get_str(&mounts->as.items[m], STR("Source")));
        put_text(out, STR("Destination"), json_get_str(&mounts->as.items[m], STR("Destination")));
        json_close(out, '}');
    }
    json_close(out, ']');
}

/* The newest result of the check; Docker says "starting" where ECS says UNKNOWN. */
static void put_health(struct json_out *out, const struct json *engine)
{
    const struct json *health = json_get(json_get(engine, STR("State")), STR("Health")), *log = json_get(health, STR("Log"));
    struct str word = json_get_str(health, STR("Status"));
    const struct json *last = log != NULL && log->type == JSON_ARRAY && log->count > 0 ? &log->as.items[log->count - 1] : NULL;
    json_key(out, STR("Health"));
    json_open(out, '{');
    put_text(out, STR("status"), str_eq(word, STR("healthy")) ? STR("HEALTHY") : str_eq(word, STR("unhealthy")) ? STR("UNHEALTHY") : STR("UNKNOWN"));
    put_engine_time(out, STR("statusSince"), json_get_str(last, STR("End")));
    put_json(out, STR("exitCode"), json_get(last, STR("ExitCode")));
    put_text(out, STR("output"), json_get_str(last, STR("Output")));
    json_close(out, '}');
}

static struct str docker_name(const struct json *engine)
{
    struct str name = json_get_str(engine, STR("Name"));
    return str_starts_with(name, STR("/")) ? str_slice(name, 1, name.len) : name;
}

static void put_state(struct json_out *out, const struct shown_task *task, const struct shown_container *container, struct arena *arena)
{
    const struct json *state = json_get(container->engine, STR("State"));
    put_text(out, STR("DesiredStatus"), desired_word(task));
    put_text(out, STR("KnownStatus"), known_word(container->phase));
    if (container->exit_code.set) {
        json_key(out, STR("ExitCode"));
        json_i64(out, container->exit_code.value);
    }
    struct opt_double cpu = { (double)container->cpu.value, container->cpu.set };
    put_limits(out, cpu, container->memory, true);
    put_engine_time(out, STR("CreatedAt"), json_get_str(container->engine, STR("Created")));
    if (state != NULL) {
        put_engine_time(out, STR("StartedAt"), json_get_str(state, STR("StartedAt")));
        if (container->phase == CONTAINER_STOPPED) { put_engine_time(out, STR("FinishedAt"), json_get_str(state, STR("FinishedAt"))); }
    } else {
        taskmeta_put_time(out, STR("StartedAt"), container->started_ms, arena);
    }
}

void taskmeta_put_container(struct json_out *out, const struct shown_task *task, const struct shown_container *container, enum taskmeta_version version,
                            struct arena *arena)
{
    const struct json *engine = container->engine, *log = json_get(json_get(engine, STR("HostConfig")), STR("LogConfig"));
    json_open(out, '{');
    put_text(out, STR("DockerId"), container->id);
    put_text(out, STR("Name"), container->name);
    put_text(out, STR("DockerName"), docker_name(engine));
    put_text(out, STR("Image"), container->image);
    put_text(out, STR("ImageID"), json_get_str(engine, STR("Image")));
    put_ports(out, &container->bindings);
    put_json(out, STR("Labels"), json_get(json_get(engine, STR("Config")), STR("Labels")));
    put_state(out, task, container, arena);
    put_text(out, STR("Type"), STR("NORMAL"));
    put_networks(out, task, engine, version);
    if (container->has_check) { put_health(out, engine); }
    put_volumes(out, engine);
    put_text(out, STR("LogDriver"), json_get_str(log, STR("Type")));
    put_json(out, STR("LogOptions"), json_get(log, STR("Config")));
    put_text(out, STR("ContainerARN"), container->arn);
    if (version == TASKMETA_V4 && container->may_restart) {
        json_key(out, STR("RestartCount"));
        json_i64(out, container->restarts);
    }
    json_close(out, '}');
}

/* ---- tasks ---- */

/* {"key":"value",…} of [{"key":…,"value":…}] */
static void put_tags(struct json_out *out, struct str key, const struct json *tags)
{
    if (tags == NULL || tags->type != JSON_ARRAY || tags->count == 0) { return; }
    json_key(out, key);
    json_open(out, '{');
    for (size_t t = 0; t < tags->count; t++) {
        json_key(out, json_get_str(&tags->as.items[t], STR("key")));
        json_str(out, json_get_str(&tags->as.items[t], STR("value")));
    }
    json_close(out, '}');
}

void taskmeta_put_task(struct json_out *out, const struct taskmeta_config *config, const struct shown_task *task, enum taskmeta_version version,
                       const struct taskmeta_tags *tags, struct arena *arena)
{
    static const struct str service = STR_INIT("service:");
    json_open(out, '{');
    put_text(out, STR("Cluster"), str_from(config->cluster));
    put_text(out, STR("TaskARN"), task->arn);
    put_text(out, STR("Family"), task->family);
    put_text(out, STR("Revision"), task->revision);
    if (version == TASKMETA_V4 && str_starts_with(task->group, service)) {
        put_text(out, STR("ServiceName"), str_slice(task->group, service.len, task->group.len));
    }
    put_text(out, STR("DesiredStatus"), desired_word(task));
    put_text(out, STR("KnownStatus"), task_word(task));
    json_key(out, STR("Containers"));
    json_open(out, '[');
    for (size_t c = 0; c < task->count; c++) { taskmeta_put_container(out, task, &task->containers[c], version, arena); }
    json_close(out, ']');
    put_limits(out, task->cpu, task->memory, false);
    taskmeta_put_time(out, STR("PullStartedAt"), task->pull_started_ms, arena);
    taskmeta_put_time(out, STR("PullStoppedAt"), task->pull_stopped_ms, arena);
    taskmeta_put_time(out, STR("ExecutionStoppedAt"), task->execution_stopped_ms, arena);
    put_text(out, STR("AvailabilityZone"), config->zone);
    put_tags(out, STR("TaskTags"), tags->task);
    put_tags(out, STR("ContainerInstanceTags"), tags->instance);
    put_text(out, STR("LaunchType"), task->launch_type);
    if (version == TASKMETA_V4) {
        put_text(out, STR("Group"), task->group);
        json_key(out, STR("FaultInjectionEnabled"));
        json_bool(out, false);
    }
    json_close(out, '}');
}

void taskmeta_put_operator_task(struct json_out *out, const struct shown_task *task, struct arena *arena)
{
    json_open(out, '{');
    put_text(out, STR("Arn"), task->arn);
    put_text(out, STR("DesiredStatus"), desired_word(task));
    put_text(out, STR("KnownStatus"), task_word(task));
    put_text(out, STR("Family"), task->family);
    put_text(out, STR("Version"), task->revision);
    json_key(out, STR("Containers"));
    json_open(out, '[');
    for (size_t c = 0; c < task->count; c++) {
        const struct shown_container *container = &task->containers[c];
        json_open(out, '{');
        put_text(out, STR("DockerId"), container->id);
        put_text(out, STR("DockerName"), docker_name(container->engine));
        put_text(out, STR("Name"), container->name);
        put_text(out, STR("Image"), container->image);
        put_text(out, STR("ImageID"), json_get_str(container->engine, STR("Image")));
        put_engine_time(out, STR("CreatedAt"), json_get_str(container->engine, STR("Created")));
        taskmeta_put_time(out, STR("StartedAt"), container->started_ms, arena);
        put_ports(out, &container->bindings);
        put_networks(out, task, container->engine, TASKMETA_V3);
        put_volumes(out, container->engine);
        if (container->may_restart) {
            json_key(out, STR("RestartCount"));
            json_i64(out, container->restarts);
        }
        json_close(out, '}');
    }
    json_close(out, ']');
    json_close(out, '}');
}

/* ---- usage ---- */

static double bytes_of(const struct json *sample, struct str key)
{
    const struct json *networks = json_get(sample, STR("networks"));
    double sum = 0;
    for (size_t n = 0; networks != NULL && networks->type == JSON_OBJECT && n < networks->count; n++) {
        sum += (double)json_get_i64(&networks->as.members[n].value, key, 0);
    }
    return sum;
}

static void put_rates(struct json_out *out, const struct json *before, const struct json *now)
{
    int64_t from_ns, until_ns;
    if (json_get(now, STR("networks")) == NULL || !docker_parse_time(json_get_str(before, STR("read")), &from_ns)
        || !docker_parse_time(json_get_str(now, STR("read")), &until_ns) || until_ns <= from_ns) {
        return;
    }
    double seconds = (double)(until_ns - from_ns) / 1e9;
    json_key(out, STR("network_rate_stats"));
    json_open(out, '{');
    json_key(out, STR("rx_bytes_per_sec"));
    json_double(out, (bytes_of(now, STR("rx_bytes")) - bytes_of(before, STR("rx_bytes"))) / seconds);
    json_key(out, STR("tx_bytes_per_sec"));
    json_double(out, (bytes_of(now, STR("tx_bytes")) - bytes_of(before, STR("tx_bytes"))) / seconds);
    json_close(out, '}');
}

void taskmeta_put_stats(struct json_out *out, const struct json *before, const struct json *now, enum taskmeta_version version)
{
    if (before == NULL || now == NULL || now->type != JSON_OBJECT) {
        json_raw(out, STR("null"));
        return;
    }
    json_open(out, '{');
    for (size_t m = 0; m < now->count; m++) {
        const struct json_member *member = &now->as.members[m];
        bool earlier_cpu = str_eq(member->key, STR("precpu_stats")), earlier_read = str_eq(member->key, STR("preread"));
        const struct json *value = earlier_cpu ? json_get(before, STR("cpu_stats")) : earlier_read ? json_get(before, STR("read")) : &member->value;
        json_key(out, member->key);
        json_dump(out, value != NULL ? value : &member->value);
    }
    if (version == TASKMETA_V4) { put_rates(out, before, now); }
    json_close(out, '}');
}
