/* create.c: the body of /containers/create. Three layers: the agent's translation of the payload's own members, the payload's dockerConfig
 * over that, and the labels by which the agent finds its containers again, which nothing may change.
 *
 * GPUs: a container that has some asks for exactly these devices by UUID. Every other container asks for none, says so in
 * NVIDIA_VISIBLE_DEVICES (an image may carry "all"), and where the engine's default runtime is NVIDIA's it gets the plain one. */
#include "agent/docker/docker.h"

#include "base/num.h"

enum {
    CPU_SHARES_MIN = 2, CPU_SHARES_MAX = 262144,
    CPU_PERIOD_US = 100 * 1000, CPU_QUOTA_MIN_US = 1000,
    MEMORY_MIN_MIB = 6,                              /* below it Docker refuses */
    PORT_MAX = 65535, RANGE_PORTS_MAX = 1000,
};
static const int64_t mib = 1024 * 1024;
static const struct str visible_devices = STR_INIT("NVIDIA_VISIBLE_DEVICES");

struct docker_port { int64_t container_port, host_port; enum transport_protocol protocol; };
struct docker_port_list { struct docker_port *items; size_t count; };

static bool refuse(struct err *err, const char *what, struct str name)
{
    return err_set(err, ERR_SERVER, "CannotCreateContainerError: %s \"" STR_FMT "\"", what, STR_ARG(name));
}

struct str docker_container_name(const struct container_spec *spec, struct str suffix, struct arena *arena)
{
    struct str name = arena_printf(arena, DOCKER_NAME_PREFIX STR_FMT "-" STR_FMT "-" STR_FMT "-" STR_FMT, STR_ARG(spec->family),
                                   STR_ARG(spec->revision), STR_ARG(spec->container->name), STR_ARG(suffix));
    return docker_safe_name(name, arena);
}

/* ---- pieces of JSON ---- */

static void put_strings(struct json_out *out, struct str key, const struct str_list *list)
{
    if (list->items == NULL) { return; }             /* absent: the image's own */
    json_key(out, key);
    json_open(out, '[');
    for (size_t i = 0; i < list->count; i++) { json_str(out, list->items[i]); }
    json_close(out, ']');
}

static void put_i64(struct json_out *out, struct str key, int64_t value)
{
    json_key(out, key);
    json_i64(out, value);
}

static void put_text(struct json_out *out, struct str key, struct str value)
{
    json_key(out, key);
    json_str(out, value);
}

static struct str join_names(const struct str_list *list, struct arena *arena)
{
    struct buf text = buf_in(arena);
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0) { buf_put_char(&text, ','); }
        buf_put(&text, list->items[i]);
    }
    return buf_str(&text);
}

/* ---- environment and GPUs ---- */

static bool is_named(const struct pair_list *list, size_t from, struct str name)
{
    for (size_t e = from; e < list->count; e++) {
        if (str_eq(list->items[e].key, name)) { return true; }
    }
    return false;
}

static void put_variable(struct json_out *out, const struct pair *pair, struct arena *arena)
{
    json_str(out, arena_printf(arena, STR_FMT "=" STR_FMT, STR_ARG(pair->key), STR_ARG(pair->value)));
}

static void put_environment(struct json_out *out, const struct container_spec *spec, struct arena *arena)
{
    json_key(out, STR("Env"));
    json_open(out, '[');
    for (size_t e = 0; e < spec->environment.count; e++) {
        const struct pair *pair = &spec->environment.items[e];
        bool later = is_named(&spec->environment, e + 1, pair->key) || is_named(&spec->values, 0, pair->key);
        if (!later && !str_eq(pair->key, visible_devices)) { put_variable(out, pair, arena); }
    }
    for (size_t v = 0; v < spec->values.count; v++) { put_variable(out, &spec->values.items[v], arena); }
    struct buf devices = buf_in(arena);
    buf_put(&devices, visible_devices);
    buf_put_char(&devices, '=');
    buf_put(&devices, spec->gpus.count > 0 ? join_names(&spec->gpus, arena) : STR("void"));
    json_str(out, buf_str(&devices));
    json_close(out, ']');
}

static void put_devices(struct json_out *out, const struct docker_plan *plan)
{
    const struct container_spec *spec = plan->spec;
    if (spec->gpus.count == 0 || spec->simulated_gpus) {
        if (plan->nvidia_default) { put_text(out, STR("Runtime"), STR("runc")); }
        return;
    }
    json_key(out, STR("DeviceRequests"));
    json_open(out, '[');
    json_open(out, '{');
    put_text(out, STR("Driver"), STR("nvidia"));
    put_strings(out, STR("DeviceIDs"), &spec->gpus);
    json_key(out, STR("Capabilities"));
    json_raw(out, STR("[[\"gpu\"]]"));
    json_close(out, '}');
    json_close(out, ']');
}

/* ---- ports ---- */

static bool read_range(struct str range, int64_t *first, int64_t *last)
{
    struct str low = { NULL, 0 }, high = { NULL, 0 };
    return str_cut(range, '-', &low, &high) && str_to_i64(low, first) && str_to_i64(high, last)
        && *first >= 1 && *first <= *last && *last <= PORT_MAX && *last - *first < RANGE_PORTS_MAX;
}

/* Adds a row of free host ports. They are chosen here and not by Docker, so that they are the same after a restart of the container. */
static bool add_free(const struct docker_plan *plan, int64_t first, int64_t count, enum transport_protocol protocol,
                     struct docker_port_list *ports, struct arena *arena, struct err *err)
{
    int64_t host = plan->find_ports(plan->dynamic_ports, count, protocol);
    if (host == 0) {
        return err_set(err, ERR_SERVER, "CannotCreateContainerError: no row of free host ports is long enough for %lld ports from %lld on",
                       (long long)count, (long long)first);
    }
    size_t old_size = ports->count * sizeof *ports->items;
    ports->items = arena_grow(arena, ports->items, old_size, old_size + (size_t)count * sizeof *ports->items);
    for (int64_t p = 0; p < count; p++) { ports->items[ports->count++] = (struct docker_port){ first + p, host + p, protocol }; }
    return true;
}

static bool add_mapping(const struct docker_plan *plan, const struct port_mapping *mapping, struct docker_port_list *ports,
                        struct arena *arena, struct err *err)
{
    int64_t first = 0, last = 0;
    if (str_is_set(mapping->container_port_range)) {
        if (!read_range(mapping->container_port_range, &first, &last)) {
            return refuse(err, "not a range of ports:", mapping->container_port_range);
        }
        return add_free(plan, first, last - first + 1, mapping->protocol, ports, arena, err);
    }
    struct docker_port port = { mapping->container_port.value, mapping->host_port.value, mapping->protocol };
    if (port.container_port < 1 || port.container_port > PORT_MAX || port.host_port < 0 || port.host_port > PORT_MAX) {
        return refuse(err, "a port is not between 1 and 65535 in", plan->spec->container->name);
    }
    if (port.host_port == 0) { return add_free(plan, port.container_port, 1, port.protocol, ports, arena, err); }
    size_t old_size = ports->count * sizeof port;
    ports->items = arena_grow(arena, ports->items, old_size, old_size + sizeof port);
    ports->items[ports->count++] = port;
    return true;
}

/* Only a bridge maps ports of the host: in other modes the container's ports are the host's, or the task's. */
static bool list_ports(const struct docker_plan *plan, struct docker_port_list *ports, struct arena *arena, struct err *err)
{
    struct str mode = plan->spec->task->network_mode;
    const struct port_mapping_list *mappings = &plan->spec->container->port_mappings;
    if (mode.len > 0 && !str_eq(mode, STR("bridge"))) { return true; }
    for (size_t m = 0; m < mappings->count; m++) {
        if (!add_mapping(plan, &mappings->items[m], ports, arena, err)) { return false; }
    }
    return true;
}

static bool is_same_port(const struct docker_port *a, const struct docker_port *b)
{
    bool a_udp = a->protocol == TRANSPORT_PROTOCOL_UDP, b_udp = b->protocol == TRANSPORT_PROTOCOL_UDP;
    return a->container_port == b->container_port && a_udp == b_udp;
}

static bool was_before(const struct docker_port_list *ports, size_t at)
{
    for (size_t p = 0; p < at; p++) {
        if (is_same_port(&ports->items[p], &ports->items[at])) { return true; }
    }
    return false;
}

static void put_port_key(struct json_out *out, const struct docker_port *port, struct arena *arena)
{
    const char *protocol = port->protocol == TRANSPORT_PROTOCOL_UDP ? "udp" : "tcp";
    json_key(out, arena_printf(arena, "%lld/%s", (long long)port->container_port, protocol));
}

static void put_exposed_ports(struct json_out *out, const struct docker_port_list *ports, struct arena *arena)
{
    if (ports->count == 0) { return; }
    json_key(out, STR("ExposedPorts"));
    json_open(out, '{');
    for (size_t p = 0; p < ports->count; p++) {
        if (was_before(ports, p)) { continue; }
        put_port_key(out, &ports->items[p], arena);
        json_raw(out, STR("{}"));
    }
    json_close(out, '}');
}

static void put_port_bindings(struct json_out *out, const struct docker_port_list *ports, struct arena *arena)
{
    if (ports->count == 0) { return; }
    json_key(out, STR("PortBindings"));
    json_open(out, '{');
    for (size_t p = 0; p < ports->count; p++) {
        if (was_before(ports, p)) { continue; }
        put_port_key(out, &ports->items[p], arena);
        json_open(out, '[');
        for (size_t q = p; q < ports->count; q++) {
            if (!is_same_port(&ports->items[p], &ports->items[q])) { continue; }
            int64_t host_port = ports->items[q].host_port;
            json_open(out, '{');
            put_text(out, STR("HostPort"), arena_printf(arena, "%lld", (long long)host_port));
            json_close(out, '}');
        }
        json_close(out, ']');
    }
    json_close(out, '}');
}

/* ---- limits ---- */

static void put_limits(struct json_out *out, const struct container_spec *spec)
{
    const struct wire_container *container = spec->container;
    put_i64(out, STR("CpuShares"), max_i64(CPU_SHARES_MIN, min_i64(container->cpu.value, CPU_SHARES_MAX)));
    /* A task's limits are for its containers together; each container alone gets no more than that. */
    if (spec->task->cpu.set && spec->task->cpu.value > 0) {
        double quota = spec->task->cpu.value * CPU_PERIOD_US;
        put_i64(out, STR("CpuPeriod"), CPU_PERIOD_US);
        put_i64(out, STR("CpuQuota"), quota > 1e12 ? (int64_t)1e12 : max_i64(CPU_QUOTA_MIN_US, (int64_t)quota));
    }
    int64_t memory_mib = container->memory.value > 0 ? container->memory.value : spec->task->memory.value;
    if (memory_mib > 0) {
        put_i64(out, STR("Memory"), min_i64(max_i64(memory_mib, MEMORY_MIN_MIB), INT64_MAX / mib) * mib);
    }
}

/* ---- volumes, links and volumesFrom ---- */

static const struct docker_peer *find_peer(const struct docker_plan *plan, struct str container_name)
{
    for (size_t p = 0; p < plan->peers.count; p++) {
        if (str_eq(plan->peers.items[p].container_name, container_name)) { return &plan->peers.items[p]; }
    }
    return NULL;
}

static bool put_binds(struct json_out *out, const struct docker_plan *plan, struct arena *arena, struct err *err)
{
    const struct mount_point_list *points = &plan->spec->container->mount_points;
    const char *mps = plan->spec->mps_pipe;
    if (points->count == 0 && mps == NULL) { return true; }
    json_key(out, STR("Binds"));
    json_open(out, '[');
    if (mps != NULL) { json_str(out, arena_printf(arena, "%s:%s", mps, mps)); }
    for (size_t p = 0; p < points->count; p++) {
        const struct mount_point *point = &points->items[p];
        struct str source = { NULL, 0 };
        if (!docker_volume_source(plan, point->source_volume, &source, arena, err)) { return false; }
        if (point->container_path.len == 0 || point->container_path.ptr[0] != '/'
            || str_find(point->container_path, ':') < point->container_path.len) {
            return refuse(err, "not an absolute path without colons in mountPoints:", point->container_path);
        }
        json_str(out, arena_printf(arena, STR_FMT ":" STR_FMT "%s", STR_ARG(source), STR_ARG(point->container_path),
                                   point->read_only == OPT_TRUE ? ":ro" : ""));
    }
    json_close(out, ']');
    return true;
}

static bool put_volumes_from(struct json_out *out, const struct docker_plan *plan, struct arena *arena, struct err *err)
{
    const struct volume_from_list *list = &plan->spec->container->volumes_from;
    if (list->count == 0) { return true; }
    json_key(out, STR("VolumesFrom"));
    json_open(out, '[');
    for (size_t v = 0; v < list->count; v++) {
        const struct docker_peer *peer = find_peer(plan, list->items[v].source_container);
        if (peer == NULL) { return refuse(err, "volumesFrom names a container that is not there:", list->items[v].source_container); }
        json_str(out, arena_printf(arena, STR_FMT "%s", STR_ARG(peer->docker_name), list->items[v].read_only == OPT_TRUE ? ":ro" : ""));
    }
    json_close(out, ']');
    return true;
}

/* "name" or "name:alias". */
static bool put_links(struct json_out *out, const struct docker_plan *plan, struct arena *arena, struct err *err)
{
    const struct str_list *links = &plan->spec->container->links;
    if (links->count == 0) { return true; }
    json_key(out, STR("Links"));
    json_open(out, '[');
    for (size_t l = 0; l < links->count; l++) {
        struct str name = { NULL, 0 }, alias = { NULL, 0 };
        if (!str_cut(links->items[l], ':', &name, &alias)) { alias = name; }
        const struct docker_peer *peer = find_peer(plan, name);
        if (peer == NULL) { return refuse(err, "links name a container that is not there:", name); }
        json_str(out, arena_printf(arena, STR_FMT ":" STR_FMT, STR_ARG(peer->docker_name), STR_ARG(alias)));
    }
    json_close(out, ']');
    return true;
}

/* ---- the parts ---- */

/* Docker's own default keeps every byte for ever. Another driver has other options, so then there is no option of ours to merge. */
static void put_log_config(struct json_out *out, const struct json *host_overlay)
{
    const struct json *driver = docker_get_nocase(docker_get_nocase(host_overlay, STR("LogConfig")), STR("Type"));
    bool is_other = driver != NULL && driver->type == JSON_STRING && driver->as.string.len > 0
        && !str_eq(driver->as.string, STR("json-file"));
    if (is_other) { return; }
    json_key(out, STR("LogConfig"));
    json_raw(out, STR("{\"Type\":\"json-file\",\"Config\":{\"max-size\":\"10m\",\"max-file\":\"2\"}}"));
}

static void put_joined(struct json_out *out, struct str key, struct str holder, struct arena *arena)
{
    put_text(out, key, arena_printf(arena, "container:" STR_FMT, STR_ARG(holder)));
}

static bool put_network(struct json_out *out, const struct docker_plan *plan, const struct docker_share *share,
                        const struct docker_port_list *ports, struct arena *arena, struct err *err)
{
    static const struct str modes[] = { STR_INIT("bridge"), STR_INIT("host"), STR_INIT("none") };
    struct str mode = plan->spec->task->network_mode.len > 0 ? plan->spec->task->network_mode : modes[0];
    if (share->network) {
        put_joined(out, STR("NetworkMode"), share->holder, arena);
        return true;
    }
    for (size_t m = 0; m < COUNT_OF(modes); m++) {
        if (!str_eq(modes[m], mode)) { continue; }
        put_text(out, STR("NetworkMode"), mode);
        if (m == 0) { put_port_bindings(out, ports, arena); }      /* only the first mode has ports to map */
        return true;
    }
    return refuse(err, "this agent has no network mode", mode);
}

/* "task" means one name space for all of the task's containers; a container alone has a private one already. */
static bool put_name_space(struct json_out *out, struct str key, struct str mode, bool joins, struct str holder, struct arena *arena, struct err *err)
{
    bool is_own = mode.len == 0 || str_eq(mode, STR("task"));
    bool is_plain = str_eq(mode, STR("host")) || (str_eq(mode, STR("none")) && str_eq(key, STR("IpcMode")));
    if (joins) { put_joined(out, key, holder, arena); }
    if (is_plain) { put_text(out, key, mode); }
    return is_own || is_plain || refuse(err, str_eq(key, STR("PidMode")) ? "this agent has no pidMode" : "this agent has no ipcMode", mode);
}

static void put_config(struct json_out *out, const struct docker_plan *plan, const struct docker_port_list *ports, struct arena *arena)
{
    const struct wire_container *container = plan->spec->container;
    json_open(out, '{');
    put_text(out, STR("Image"), container->image);
    put_strings(out, STR("Entrypoint"), &container->entry_point);
    put_strings(out, STR("Cmd"), &container->command);
    put_environment(out, plan->spec, arena);
    put_exposed_ports(out, ports, arena);
    json_close(out, '}');
}

/* A client of MPS shares memory with its server, which runs on the host. */
static struct str ipc_mode(const struct container_spec *spec)
{
    return spec->mps_pipe != NULL && spec->task->ipc_mode.len == 0 ? STR("host") : spec->task->ipc_mode;
}

static bool put_host_config(struct json_out *out, const struct docker_plan *plan, const struct docker_port_list *ports,
                            const struct json *overlay, struct arena *arena, struct err *err)
{
    const struct wire_task *task = plan->spec->task;
    struct docker_share share = docker_share_of(task, arena);
    json_open(out, '{');
    if (!put_network(out, plan, &share, ports, arena, err)
        || !put_name_space(out, STR("PidMode"), task->pid_mode, share.pids, share.holder, arena, err)
        || !put_name_space(out, STR("IpcMode"), ipc_mode(plan->spec), share.ipc, share.holder, arena, err)) {
        return false;
    }
    put_limits(out, plan->spec);
    if (str_is_set(plan->cgroup_parent)) { put_text(out, STR("CgroupParent"), plan->cgroup_parent); }
    if (!put_binds(out, plan, arena, err) || !put_volumes_from(out, plan, arena, err) || !put_links(out, plan, arena, err)) {
        return false;
    }
    put_devices(out, plan);
    put_log_config(out, overlay);
    json_close(out, '}');
    return true;
}

/* A task's holder is made for one of its containers and has none of that container's settings. */
static void put_own_labels(struct json_out *out, const struct container_spec *spec, bool is_holder, struct arena *arena)
{
    if (!str_is_set(spec->agent)) { return; }
    put_text(out, STR(DOCKER_LABEL_AGENT), spec->agent);
    if (is_holder) { return; }
    put_text(out, STR(DOCKER_LABEL_TIMEOUT), arena_printf(arena, "%lld", (long long)spec->stop_timeout_s));
    put_text(out, STR(DOCKER_LABEL_GPUS), join_names(&spec->gpus, arena));
    put_text(out, STR(DOCKER_LABEL_GPU_SHARE), arena_printf(arena, "%lld", (long long)spec->gpu_share));
}

void docker_put_labels(struct json_out *out, const struct container_spec *spec, struct str container_name, struct arena *arena)
{
    const struct { struct str key, value; } labels[] = {
        { STR(DOCKER_LABEL_TASK), spec->task_arn },     { STR(DOCKER_LABEL_CONTAINER), container_name },
        { STR(DOCKER_LABEL_FAMILY), spec->family },     { STR(DOCKER_LABEL_VERSION), spec->revision },
        { STR(DOCKER_LABEL_CLUSTER), spec->cluster },
    };
    json_open(out, '{');
    for (size_t l = 0; l < COUNT_OF(labels); l++) { put_text(out, labels[l].key, labels[l].value); }
    put_own_labels(out, spec, str_eq(container_name, STR(DOCKER_HOLDER_NAME)), arena);
    json_close(out, '}');
}

static void put_labels(struct json_out *out, const struct container_spec *spec, struct arena *arena)
{
    json_open(out, '{');
    json_key(out, STR("Labels"));
    docker_put_labels(out, spec, spec->container->name, arena);
    json_close(out, '}');
}

/* The text that this file printed, as a tree again. It can only fail when the payload is bigger than the arena lets it be. */
static const struct json *reread(const struct buf *buf, struct arena *arena, struct err *err)
{
    struct err cause = { 0 };
    const struct json *tree = json_parse(buf_str(buf), arena, &cause);
    if (tree == NULL) { err_set(err, ERR_SERVER, "CannotCreateContainerError: %s", cause.message); }
    return tree;
}

/* Secrets for a log driver are added last, as the ECS agent does. */
static const struct json *with_log_options(const struct json *host, const struct pair_list *options, struct arena *arena)
{
    if (options->count == 0) { return host; }
    struct json_member *members = ARENA_NEW(arena, struct json_member, options->count);
    for (size_t o = 0; o < options->count; o++) {
        members[o] = (struct json_member){ options->items[o].key, { .type = JSON_STRING, .as.string = options->items[o].value } };
    }
    struct json_member *around = ARENA_NEW(arena, struct json_member, 2);
    around[0] = (struct json_member){ STR("Config"), { .type = JSON_OBJECT, .count = options->count, .as.members = members } };
    around[1] = (struct json_member){ STR("LogConfig"), { .type = JSON_OBJECT, .count = 1, .as.members = &around[0] } };
    const struct json over = { .type = JSON_OBJECT, .count = 1, .as.members = &around[1] };
    return docker_merge(host, &over, arena);
}

/* Config, then the payload's, then the labels, then the finished HostConfig as a member of it. */
static bool join(const struct docker_plan *plan, const struct buf parts[3], const struct json *over_config, const struct json *over_host, struct str *body,
                 struct arena *arena, struct err *err)
{
    const struct json *trees[3];
    for (size_t p = 0; p < COUNT_OF(trees); p++) {
        trees[p] = reread(&parts[p], arena, err);
        if (trees[p] == NULL) { return false; }
    }
    const struct json *config = docker_merge(docker_merge(trees[0], over_config, arena), trees[1], arena);
    const struct json *host = docker_merge(trees[2], over_host, arena);
    if (!docker_check_rights(plan, host, arena, err)) { return false; }
    struct json_member host_member = { STR("HostConfig"), *with_log_options(host, &plan->spec->log_options, arena) };
    const struct json with_host = { .type = JSON_OBJECT, .count = 1, .as.members = &host_member };
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    json_dump(&out, docker_merge(config, &with_host, arena));
    *body = buf_str(&text);
    return true;
}

bool docker_create_body(const struct docker_plan *plan, struct str *body, struct arena *arena, struct err *err)
{
    static const struct wire_docker_config no_docker_config;
    const struct wire_docker_config *given = plan->spec->container->docker_config;
    if (given == NULL) { given = &no_docker_config; }
    const struct json *over_config = NULL, *over_host = NULL;
    struct docker_port_list ports = { 0 };
    if (!docker_parse_overlay(DOCKER_CONFIG, given->config, &over_config, arena, err)
        || !docker_parse_overlay(DOCKER_HOST_CONFIG, given->host_config, &over_host, arena, err)
        || !list_ports(plan, &ports, arena, err)) {
        return false;
    }

    struct buf parts[3] = { buf_in(arena), buf_in(arena), buf_in(arena) };
    struct json_out config = json_out_to(&parts[0]), labels = json_out_to(&parts[1]), host = json_out_to(&parts[2]);
    put_config(&config, plan, &ports, arena);
    put_labels(&labels, plan->spec, arena);
    if (!put_host_config(&host, plan, &ports, over_host, arena, err)) { return false; }
    return join(plan, parts, over_config, over_host, body, arena, err);
}
