/* read.c: turns the engine's answers into the runtime's structs. */
#include "agent/docker/docker.h"

#include "base/num.h"
#include "model/gpu.h"

/* ---- times ---- */

static bool read_number(struct str text, size_t from, size_t len, int64_t low, int64_t high, int64_t *value)
{
    struct str digits = str_slice(text, from, from + len);
    return digits.len == len && digits.ptr[0] != '-' && str_to_i64(digits, value) && *value >= low && *value <= high;
}

/* Days from 1970-01-01 in the Gregorian calendar, counted from March so that the leap day is the year's last. */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
    int64_t y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

/* ".123456789", as many digits as there are; *used is their number with the point. */
static int64_t read_fraction(struct str text, size_t *used)
{
    *used = 0;
    if (text.len == 0 || text.ptr[0] != '.') { return 0; }
    int64_t ns = 0, unit = 100 * 1000 * 1000;
    size_t at = 1;
    for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++, unit /= 10) { ns += (text.ptr[at] - '0') * unit; }
    *used = at;
    return ns;
}

/* "Z", "+02:00", "-07:30" */
static bool read_zone(struct str zone, int64_t *offset_s)
{
    *offset_s = 0;
    if (str_eq(zone, STR("Z"))) { return true; }
    int64_t hours = 0, minutes = 0;
    if (zone.len != 6 || (zone.ptr[0] != '+' && zone.ptr[0] != '-') || zone.ptr[3] != ':'
        || !read_number(zone, 1, 2, 0, 23, &hours) || !read_number(zone, 4, 2, 0, 59, &minutes)) {
        return false;
    }
    *offset_s = (hours * 60 + minutes) * (zone.ptr[0] == '-' ? -60 : 60);
    return true;
}

bool docker_parse_time(struct str text, int64_t *epoch_ns)
{
    enum { SECONDS_END = 19 };                       /* "2024-05-01T10:00:00" */
    int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offset_s = 0;
    bool good = text.len > SECONDS_END && text.ptr[4] == '-' && text.ptr[7] == '-' && (text.ptr[10] == 'T' || text.ptr[10] == ' ')
        && text.ptr[13] == ':' && text.ptr[16] == ':'
        && read_number(text, 0, 4, 0, 9999, &year) && read_number(text, 5, 2, 1, 12, &month)
        && read_number(text, 8, 2, 1, 31, &day) && read_number(text, 11, 2, 0, 23, &hour)
        && read_number(text, 14, 2, 0, 59, &minute) && read_number(text, 17, 2, 0, 60, &second);
    if (!good) { return false; }
    size_t used = 0;
    int64_t fraction_ns = read_fraction(str_slice(text, SECONDS_END, text.len), &used);
    if (!read_zone(str_slice(text, SECONDS_END + used, text.len), &offset_s)) { return false; }

    int64_t seconds = ((days_from_civil(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offset_s;
    bool fits = year >= 1970 && year < 2262;         /* the range of 64 bits of nanoseconds */
    *epoch_ns = fits && seconds > 0 ? seconds * 1000000000 + fraction_ns : 0;
    return true;
}

static int64_t time_ms(const struct json *object, struct str key)
{
    int64_t ns = 0;
    return docker_parse_time(json_get_str(object, key), &ns) ? ns / 1000000 : 0;
}

/* ---- usage of a container ---- */

static struct opt_double count_of(const struct json *object, struct str key)
{
    const struct json *value = json_get(object, key);
    bool known = value != NULL && value->type == JSON_INT && value->as.integer >= 0;
    return (struct opt_double){ known ? (double)value->as.integer : 0, known };
}

/* Version 1 of cgroups has other names for the values of the whole tree. */
static struct opt_double memory_of(const struct json *memory)
{
    struct opt_double usage = count_of(memory, STR("usage"));
    const struct json *parts = json_get(memory, STR("stats"));
    struct opt_double cached = count_of(parts, STR("total_inactive_file"));
    if (!cached.set) { cached = count_of(parts, STR("inactive_file")); }
    if (usage.set && cached.set && cached.value < usage.value) { usage.value -= cached.value; }
    return usage;
}

/* Over all interfaces; unset when it has no interface. */
static struct opt_double network_sum(const struct json *networks, struct str key)
{
    struct opt_double sum = { 0 };
    for (size_t n = 0; networks != NULL && networks->type == JSON_OBJECT && n < networks->count; n++) {
        struct opt_double part = count_of(&networks->as.members[n].value, key);
        sum = (struct opt_double){ sum.value + part.value, sum.set || part.set };
    }
    return sum;
}

/* Over all devices. */
static struct opt_double block_sum(const struct json *entries, struct str operation)
{
    struct opt_double sum = { 0 };
    for (size_t e = 0; entries != NULL && entries->type == JSON_ARRAY && e < entries->count; e++) {
        const struct json *entry = &entries->as.items[e];
        struct opt_double part = count_of(entry, STR("value"));
        if (!str_eq_nocase(json_get_str(entry, STR("op")), operation)) { continue; }
        sum = (struct opt_double){ sum.value + part.value, sum.set || part.set };
    }
    return sum;
}

bool docker_read_usage(const struct json *stats, struct container_usage *use)
{
    static const double ns_per_s = 1e9;
    const struct json *networks = json_get(stats, STR("networks"));
    const struct json *blocks = json_get(json_get(stats, STR("blkio_stats")), STR("io_service_bytes_recursive"));
    struct opt_double cpu_ns = count_of(json_get(json_get(stats, STR("cpu_stats")), STR("cpu_usage")), STR("total_usage"));
    int64_t read_ns;
    if (!docker_parse_time(json_get_str(stats, STR("read")), &read_ns) || read_ns <= 0) { return false; }      /* the year 1 */
    use->cpu_seconds = (struct opt_double){ cpu_ns.value / ns_per_s, cpu_ns.set };
    use->memory_bytes = memory_of(json_get(stats, STR("memory_stats")));
    use->network_received_bytes = network_sum(networks, STR("rx_bytes"));
    use->network_sent_bytes = network_sum(networks, STR("tx_bytes"));
    use->block_read_bytes = block_sum(blocks, STR("read"));
    use->block_written_bytes = block_sum(blocks, STR("write"));
    return true;
}

/* ---- state ---- */

static bool is_true(const struct json *object, struct str key)
{
    const struct json *value = json_get(object, key);
    return value != NULL && value->type == JSON_TRUE;
}

static size_t count_bindings(const struct json *ports)
{
    size_t count = 0;
    for (size_t p = 0; p < ports->count; p++) {
        const struct json *value = &ports->as.members[p].value;
        count += value->type == JSON_ARRAY ? value->count : 0;
    }
    return count;
}

/* {"80/tcp":[{"HostIp":"0.0.0.0","HostPort":"32768"},{"HostIp":"::","HostPort":"32768"}],"53/udp":null}. ECS shows the IPv4 side only; the
 * IPv6 one would look like a second port. */
static void read_bindings(const struct json *ports, struct network_binding_list *bindings, struct arena *arena)
{
    if (ports == NULL || ports->type != JSON_OBJECT) { return; }
    bindings->items = ARENA_NEW(arena, struct network_binding, count_bindings(ports));
    for (size_t p = 0; p < ports->count; p++) {
        const struct json *list = &ports->as.members[p].value;
        struct str container_port = { NULL, 0 }, protocol = { NULL, 0 };
        int64_t inside = 0, outside = 0;
        if (list->type != JSON_ARRAY || !str_cut(ports->as.members[p].key, '/', &container_port, &protocol)
            || !str_to_i64(container_port, &inside)) {
            continue;
        }
        for (size_t b = 0; b < list->count; b++) {
            struct str ip = json_get_str(&list->as.items[b], STR("HostIp"));
            if (str_find(ip, ':') < ip.len || !str_to_i64(json_get_str(&list->as.items[b], STR("HostPort")), &outside)) { continue; }
            bindings->items[bindings->count++] = (struct network_binding){
                .bind_ip = arena_str(arena, ip.len > 0 ? ip : STR("0.0.0.0")),
                .container_port = opt_int_of(inside),
                .host_port = opt_int_of(outside),
                .protocol = str_eq(protocol, STR("udp")) ? TRANSPORT_PROTOCOL_UDP : TRANSPORT_PROTOCOL_TCP,
            };
        }
    }
}

/* A check without a result yet is "starting". */
static enum health_status read_health(const struct json *state)
{
    static const struct { struct str word; enum health_status health; } words[] = {
        { STR_INIT("starting"), HEALTH_STATUS_UNKNOWN }, { STR_INIT("healthy"), HEALTH_STATUS_HEALTHY },
        { STR_INIT("unhealthy"), HEALTH_STATUS_UNHEALTHY },
    };
    struct str word = json_get_str(json_get(state, STR("Health")), STR("Status"));
    for (size_t w = 0; w < COUNT_OF(words); w++) {
        if (str_eq(word, words[w].word)) { return words[w].health; }
    }
    return HEALTH_STATUS_UNSET;
}

bool docker_read_state(const struct json *inspect, struct container_state *state, struct arena *arena)
{
    const struct json *from = json_get(inspect, STR("State"));
    *state = (struct container_state){ 0 };
    if (from == NULL || from->type != JSON_OBJECT) { return false; }
    state->exists = true;
    state->image = arena_str(arena, json_get_str(inspect, STR("Image")));
    state->running = is_true(from, STR("Running"));
    state->oom_killed = is_true(from, STR("OOMKilled"));
    state->started_ms = time_ms(from, STR("StartedAt"));
    /* A container that starts a second time still shows when it ended the first time. A short one can show an end before its start, because
     * two processes of the engine look at the clock. */
    int64_t finished_ms = state->running ? 0 : time_ms(from, STR("FinishedAt"));
    state->finished_ms = finished_ms > 0 ? max_i64(finished_ms, state->started_ms) : 0;
    /* A container whose start failed has a code as well (127, 128), but it never ran. */
    if (!state->running && state->started_ms > 0 && state->finished_ms > 0) {
        state->exit_code = opt_int_of(json_get_i64(from, STR("ExitCode"), -1));
    }
    if (state->running) {
        state->health = read_health(from);
        read_bindings(json_get(json_get(inspect, STR("NetworkSettings")), STR("Ports")), &state->bindings, arena);
    }
    return true;
}

struct str docker_read_digest(const struct json *image)
{
    const struct json *digests = json_get(image, STR("RepoDigests"));
    if (digests == NULL || digests->type != JSON_ARRAY || digests->count == 0 || digests->as.items[0].type != JSON_STRING) {
        return (struct str){ NULL, 0 };
    }
    struct str name = { NULL, 0 }, digest = { NULL, 0 };
    return str_cut(digests->as.items[0].as.string, '@', &name, &digest) ? digest : (struct str){ NULL, 0 };
}

/* "docker.io/library/busybox" and "busybox" are one; Docker writes the short form. */
static struct str familiar_name(struct str name)
{
    static const struct str prefixes[] = { STR_INIT("index.docker.io/"), STR_INIT("docker.io/"), STR_INIT("library/") };
    for (size_t p = 0; p < COUNT_OF(prefixes); p++) {
        if (str_starts_with(name, prefixes[p])) { name = str_slice(name, prefixes[p].len, name.len); }
    }
    return name;
}

/* Without its tag and its digest. */
static struct str repository_of(struct str image)
{
    struct str name = { NULL, 0 }, rest = { NULL, 0 }, tag = { NULL, 0 };
    (void)str_cut(image, '@', &name, &rest);
    docker_split_image(name, &name, &tag);
    return familiar_name(name);
}

struct str docker_read_digest_of(const struct json *tree, struct str image)
{
    const struct json *digests = json_get(tree, STR("RepoDigests"));
    struct str wanted = repository_of(image), name = { NULL, 0 }, digest = { NULL, 0 };
    for (size_t d = 0; digests != NULL && digests->type == JSON_ARRAY && d < digests->count; d++) {
        const struct json *item = &digests->as.items[d];
        bool whole = item->type == JSON_STRING && str_cut(item->as.string, '@', &name, &digest);
        if (whole && str_eq(familiar_name(name), wanted)) { return digest; }
    }
    return docker_read_digest(tree);
}

/* ---- error texts and image names ---- */

struct str docker_read_message(struct str body, struct arena *arena)
{
    struct err ignored = { 0 };
    const struct json *tree = json_parse(body, arena, &ignored);
    struct str message = json_get_str(tree, STR("message"));
    struct str from = str_trim(message.len > 0 ? message : body);
    char *out = arena_copy(arena, from.ptr == NULL ? "" : from.ptr, from.len);
    for (size_t i = 0; i < from.len; i++) {
        if ((unsigned char)out[i] < 0x20) { out[i] = ' '; }
    }
    return (struct str){ out, from.len };
}

void docker_split_image(struct str image, struct str *name, struct str *tag)
{
    if (str_cut(image, '@', name, tag)) { return; }
    size_t slash = image.len;
    while (slash > 0 && image.ptr[slash - 1] != '/') { slash--; }       /* a colon before it belongs to the registry's port */
    struct str last = str_slice(image, slash, image.len);
    size_t colon = slash + str_find(last, ':');
    *name = str_slice(image, 0, colon);
    *tag = colon < image.len ? str_slice(image, colon + 1, image.len) : STR("latest");
}

/* ---- labels ---- */

static int64_t number_of(struct str text, int64_t fallback)
{
    int64_t number = 0;
    return str_to_i64(text, &number) && number > 0 ? number : fallback;
}

/* "a,b" */
static struct str_list names_of(struct str text, struct arena *arena)
{
    struct str_list list = { ARENA_NEW(arena, struct str, text.len + 1), 0 };
    struct str name = { NULL, 0 }, rest = arena_str(arena, text);
    while (rest.len > 0) {
        (void)str_cut(rest, ',', &name, &rest);
        if (name.len > 0) { list.items[list.count++] = name; }
    }
    return list;
}

void docker_read_found(const struct json *container, struct container_found *found, struct arena *arena)
{
    const struct json *labels = json_get(container, STR("Labels"));
    *found = (struct container_found){
        .id = arena_str(arena, json_get_str(container, STR("Id"))),
        .task_arn = arena_str(arena, json_get_str(labels, STR(DOCKER_LABEL_TASK))),
        .container_name = arena_str(arena, json_get_str(labels, STR(DOCKER_LABEL_CONTAINER))),
        .agent = arena_str(arena, json_get_str(labels, STR(DOCKER_LABEL_AGENT))),
        .gpus = names_of(json_get_str(labels, STR(DOCKER_LABEL_GPUS)), arena),
        .gpu_share = number_of(json_get_str(labels, STR(DOCKER_LABEL_GPU_SHARE)), GPU_SHARE_WHOLE),
        .stop_timeout_s = number_of(json_get_str(labels, STR(DOCKER_LABEL_TIMEOUT)), 0),
    };
    found->is_holder = str_eq(found->container_name, STR(DOCKER_HOLDER_NAME));
}
