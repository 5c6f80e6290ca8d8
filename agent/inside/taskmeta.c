/* taskmeta.c: the tasks that containers may ask about, and the addresses for these questions.
 *
 * SDKs insist on 169.254.170.2 for keys. Where this process may, it gives that address to the machine's loopback device and listens there:
 * containers on a bridge come through their default gateway, which is this machine. Otherwise it listens on 127.0.0.1, which containers with
 * the host's network and plain processes reach. The port is kept in a file, because containers outlive the agent. */
#include "agent/inside/taskmeta_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/inside/link_local.h"
#include "agent/core/state_file.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"

enum {
    USUAL_PORT = 80, LOOPBACK_PORT = 51679, OPERATOR_PORT = 51678, URL_MAX = 96, PATH_LEN_MAX = 4096, PORT_FILE_ARENA = 64 * 1024,
    RATE_PER_S = 40, BURST = 60,             /* requests of one task, as the ECS agent has it */
};

/* Requests that may come at once now, in thousandths. */
struct bucket { int64_t left, filled_ms; };
struct entry { struct task *task; struct bucket bucket; };

struct taskmeta {
    struct taskmeta_config config;
    struct container_http *http;             /* NULL: nothing could be opened */
    char url[URL_MAX];
    bool usual, any_network;                 /* usual: the address of the SDKs; any_network: not on loopback */
    struct lock lock;
    struct entry *entries; size_t count, capacity;           /* from here on: guarded by lock */
    struct bucket strangers;                 /* for addresses of no task */
    char instance[256];
};

const struct taskmeta_config *taskmeta_settings(const struct taskmeta *metadata) { return &metadata->config; }

/* ---- rate of requests ---- */

static bool take_turn(struct bucket *bucket)
{
    int64_t now_ms = clock_monotonic_ms(), gained = (now_ms - bucket->filled_ms) * RATE_PER_S;
    bucket->left = bucket->filled_ms == 0 ? BURST * 1000 : min_i64(bucket->left + gained, BURST * 1000);
    bucket->filled_ms = now_ms;
    ASSERT(bucket->left >= 0 && bucket->left <= BURST * 1000);                    /* counted by us */
    if (bucket->left < 1000) { return false; }
    bucket->left -= 1000;
    return true;
}

/* ---- the tasks ---- */

void taskmeta_add(struct taskmeta *metadata, struct task *task)
{
    lock_take(&metadata->lock);
    metadata->entries = array_grow(metadata->entries, &metadata->capacity, metadata->count + 1, sizeof *metadata->entries);
    metadata->entries[metadata->count++] = (struct entry){ .task = task };
    lock_drop(&metadata->lock);
}

void taskmeta_remove(struct taskmeta *metadata, struct task *task)
{
    size_t at = 0;
    lock_take(&metadata->lock);
    while (at < metadata->count && metadata->entries[at].task != task) { at++; }
    ASSERT(at < metadata->count);                             /* the machine has added it */
    metadata->entries[at] = metadata->entries[--metadata->count];
    lock_drop(&metadata->lock);
}

void taskmeta_set_instance(struct taskmeta *metadata, struct str arn)
{
    lock_take(&metadata->lock);
    if (!str_to_cstr(arn, metadata->instance, sizeof metadata->instance)) { metadata->instance[0] = '\0'; }
    lock_drop(&metadata->lock);
}

struct str taskmeta_instance(struct taskmeta *metadata, struct arena *arena)
{
    lock_take(&metadata->lock);
    struct str arn = arena_str(arena, str_from(metadata->instance));
    lock_drop(&metadata->lock);
    return arn;
}

/* ---- copies ---- */

static void copy_bindings(struct shown_container *out, const struct network_binding_list *from, struct arena *arena)
{
    out->bindings = (struct network_binding_list){ ARENA_NEW(arena, struct network_binding, from->count), from->count };
    for (size_t b = 0; b < from->count; b++) {
        out->bindings.items[b] = from->items[b];
        out->bindings.items[b].bind_ip = arena_str(arena, from->items[b].bind_ip);
        out->bindings.items[b].container_port_range = arena_str(arena, from->items[b].container_port_range);
        out->bindings.items[b].host_port_range = arena_str(arena, from->items[b].host_port_range);
    }
}

static void copy_container(const struct task_container *container, struct shown_container *out, struct arena *arena)
{
    const struct wire_container *wire = container->wire;
    *out = (struct shown_container){
        .name = arena_str(arena, wire->name), .image = arena_str(arena, wire->image), .arn = arena_str(arena, wire->container_arn),
        .id = arena_str(arena, str_from(container->id)), .phase = container->phase, .exit_code = container->exit_code, .cpu = wire->cpu,
        .memory = wire->memory, .started_ms = container->started_ms, .has_check = str_is_set(wire->health_check_type),
        .restarts = container->restarts, .may_restart = wire->restart_policy != NULL && wire->restart_policy->enabled == OPT_TRUE,
    };
    copy_bindings(out, &container->bindings, arena);
}

static struct wire_association_list copy_associations(const struct wire_association_list *from, struct arena *arena)
{
    struct wire_association_list out = { ARENA_NEW(arena, struct wire_association, from->count), from->count };
    for (size_t a = 0; a < out.count; a++) {
        const struct wire_association *one = &from->items[a];
        struct str_list names = { ARENA_NEW(arena, struct str, one->containers.count), one->containers.count };
        for (size_t n = 0; n < names.count; n++) { names.items[n] = arena_str(arena, one->containers.items[n]); }
        out.items[a] = (struct wire_association){ .name = arena_str(arena, one->name), .type = arena_str(arena, one->type), .containers = names };
    }
    return out;
}

static void copy_task(struct task *task, struct shown_task *out, struct arena *arena)
{
    const struct wire_task *wire = task->wire;
    lock_take(&task->lock);
    *out = (struct shown_task){
        .arn = arena_str(arena, task->arn), .id = arena_str(arena, str_from(task->id)), .family = arena_str(arena, wire->family),
        .revision = arena_str(arena, wire->version), .launch_type = arena_str(arena, wire->launch_type), .group = arena_str(arena, wire->group),
        .network_mode = arena_str(arena, wire->network_mode), .address = arena_str(arena, str_from(task->address)),
        .mac_address = arena_str(arena, str_from(task->mac_address)), .wanted = !task->stop_wanted, .cpu = wire->cpu, .memory = wire->memory,
        .pull_started_ms = task->pull_started_ms, .pull_stopped_ms = task->pull_stopped_ms, .execution_stopped_ms = task->execution_stopped_ms,
        .associations = copy_associations(&wire->associations, arena), .count = task->count,
        .containers = ARENA_NEW(arena, struct shown_container, task->count), .keys = task_role_keys(&task->role, arena),
    };
    for (size_t c = 0; c < task->count; c++) { copy_container(&task->containers[c], &out->containers[c], arena); }
    lock_drop(&task->lock);
}

/* "<32 hex digits>-<the container's place in the task>" */
static struct entry *find_entry(struct taskmeta *metadata, struct str endpoint_id, size_t *container) REQUIRES(metadata->lock)
{
    struct str name, place;
    int64_t at;
    if (!str_cut(endpoint_id, '-', &name, &place) || !str_to_i64(place, &at) || at < 0) { return NULL; }
    for (size_t e = 0; e < metadata->count; e++) {
        const struct task *task = metadata->entries[e].task;
        if (!str_eq_constant_time(str_from(task->metadata_id), name) || (uint64_t)at >= task->count) { continue; }
        *container = (size_t)at;
        return &metadata->entries[e];
    }
    return NULL;
}

enum found taskmeta_find(struct taskmeta *metadata, struct str endpoint_id, struct shown_task *task, struct arena *arena)
{
    size_t container = 0;
    lock_take(&metadata->lock);
    struct entry *entry = find_entry(metadata, endpoint_id, &container);
    enum found found = entry != NULL ? FOUND : FOUND_NOTHING;
    if (!take_turn(entry != NULL ? &entry->bucket : &metadata->strangers)) { found = FOUND_TOO_OFTEN; }
    if (found == FOUND) {
        copy_task(entry->task, task, arena);
        task->asking = container;
    }
    lock_drop(&metadata->lock);
    return found;
}

enum found taskmeta_find_keys(struct taskmeta *metadata, struct str credentials_id, struct wire_role_credentials **keys, struct arena *arena)
{
    enum found found = FOUND_NOTHING;
    struct bucket *bucket = &metadata->strangers;
    *keys = NULL;
    lock_take(&metadata->lock);
    for (size_t e = 0; e < metadata->count && found == FOUND_NOTHING; e++) {
        struct task *task = metadata->entries[e].task;
        lock_take(&task->lock);
        if (str_eq_constant_time(task_role_id(task), credentials_id)) {
            found = FOUND;
            bucket = &metadata->entries[e].bucket;
            *keys = task_role_keys(&task->role, arena);
        }
        lock_drop(&task->lock);
    }
    if (!take_turn(bucket)) { found = FOUND_TOO_OFTEN; }
    lock_drop(&metadata->lock);
    return found;
}

size_t taskmeta_list(struct taskmeta *metadata, struct shown_task **tasks, struct arena *arena)
{
    lock_take(&metadata->lock);
    size_t count = metadata->count;
    *tasks = ARENA_NEW(arena, struct shown_task, count);
    for (size_t e = 0; e < count; e++) { copy_task(metadata->entries[e].task, &(*tasks)[e], arena); }
    lock_drop(&metadata->lock);
    return count;
}

/* ---- addresses ---- */

static bool listen_at(struct taskmeta *metadata, const char *address, int port, struct err *err)
{
    int bound = container_http_listen(metadata->http, address, port, TASKMETA_CONTAINERS, err);
    if (bound == 0) { return false; }
    (void)snprintf(metadata->url, sizeof metadata->url, bound == USUAL_PORT ? "http://%s" : "http://%s:%d", address, bound);
    return true;
}

static int port_of_url(const char *url)
{
    struct str rest = str_from(url), head;
    int64_t port = USUAL_PORT;
    while (str_cut(rest, ':', &head, &rest)) { }
    return str_to_i64(head, &port) ? (int)port : USUAL_PORT;
}

/* Tries the port of the last run, then the ECS agent's, then any. */
static bool listen_on_loopback(struct taskmeta *metadata, struct err *err)
{
    char path[PATH_LEN_MAX];
    struct arena arena = { .ceiling = PORT_FILE_ARENA };
    struct err ignored = { 0 };
    struct str kept = { 0 };
    int64_t port = 0;
    int len = snprintf(path, sizeof path, "%s/metadata.port", metadata->config.data_dir);
    bool named = len > 0 && len < (int)sizeof path && state_file_read(path, &kept, &arena, &ignored) && str_to_i64(str_trim(kept), &port);
    bool good = named && port > 0 && port <= UINT16_MAX && listen_at(metadata, "127.0.0.1", (int)port, &ignored);
    ignored = (struct err){ 0 };
    good = good || listen_at(metadata, "127.0.0.1", LOOPBACK_PORT, &ignored) || listen_at(metadata, "127.0.0.1", 0, err);
    struct str text = arena_printf(&arena, "%d\n", port_of_url(metadata->url));
    ignored = (struct err){ 0 };
    if (good && !str_eq(text, kept) && !state_file_write(path, text, &ignored)) { log_line(LOG_WARN, "agent", "%s", ignored.message); }
    arena_finish(&arena);
    return good;
}

static bool listen_as_usual(struct taskmeta *metadata, struct err *err)
{
    metadata->usual = link_local_add(err) && listen_at(metadata, LINK_LOCAL_ADDRESS, USUAL_PORT, err);
    metadata->any_network = metadata->usual;
    return metadata->usual;
}

static void listen_for_operator(struct taskmeta *metadata)
{
    struct err err = { 0 };
    if (container_http_listen(metadata->http, "127.0.0.1", OPERATOR_PORT, TASKMETA_OPERATOR, &err) != 0) { return; }
    log_line(LOG_INFO, "agent", "introspection is not served, perhaps because another agent does: %s", err.message);
}

static bool listen_where_named(struct taskmeta *metadata, struct err *err)
{
    struct str host, port_text;
    int64_t port = 0;
    char address[64];
    if (!str_cut(str_from(metadata->config.listen), ':', &host, &port_text) || !str_to_i64(port_text, &port) || port < 1 || port > UINT16_MAX
        || !str_to_cstr(host, address, sizeof address)) {
        return err_set(err, ERR_INVALID_PARAMETER, "metadata-listen can't be \"%s\": it should be auto, loopback, off, or an IPv4 address with a port, "
                       "172.17.0.1:51679.", metadata->config.listen);
    }
    metadata->any_network = !str_starts_with(host, STR("127."));
    return listen_at(metadata, address, (int)port, err);
}

static bool open_doors(struct taskmeta *metadata, struct err *err)
{
    struct str listen = str_from(metadata->config.listen);
    struct err why = { 0 };
    if (str_eq(listen, STR("loopback"))) { return listen_on_loopback(metadata, err); }
    if (!str_eq(listen, STR("auto"))) { return listen_where_named(metadata, err); }
    listen_for_operator(metadata);
    if (listen_as_usual(metadata, &why)) { return true; }
    if (!listen_on_loopback(metadata, err)) { return false; }
    log_line(LOG_WARN, "agent", "task metadata and keys are served at %s, to processes and to containers with the host's network only: %s",
             metadata->url, why.message);
    return true;
}

/* ---- beginning and end ---- */

struct taskmeta *taskmeta_create(const struct taskmeta_config *config, struct err *err)
{
    struct taskmeta *metadata = calloc(1, sizeof *metadata);
    ASSERT(metadata != NULL);
    metadata->config = *config;
    lock_init(&metadata->lock);
    if (strcmp(config->listen, "off") == 0) { return metadata; }
    metadata->http = container_http_create(taskmeta_answer, metadata);
    struct err why = { 0 };
    bool named = strcmp(config->listen, "auto") != 0 && strcmp(config->listen, "loopback") != 0;
    if (open_doors(metadata, &why)) {
        log_line(LOG_INFO, "agent", "containers find their metadata at %s", metadata->url);
        return metadata;
    }
    if (!named) {
        log_line(LOG_WARN, "agent", "task metadata and keys are not served: %s", why.message);
        metadata->url[0] = '\0';
        return metadata;
    }
    *err = why;
    taskmeta_destroy(metadata);
    return NULL;
}

void taskmeta_start(struct taskmeta *metadata)
{
    struct err err = { 0 };
    if (metadata->http == NULL || container_http_start(metadata->http, &err)) { return; }
    log_line(LOG_ERROR, "agent", "task metadata and keys are not served: %s", err.message);
}

struct metadata_base taskmeta_base(const struct taskmeta *metadata)
{
    const char *url = metadata->url[0] == '\0' ? NULL : metadata->url;
    return (struct metadata_base){ .host_network = url, .other_networks = metadata->any_network ? url : NULL, .is_usual = metadata->usual };
}

void taskmeta_stop(struct taskmeta *metadata)
{
    if (metadata == NULL || metadata->http == NULL) { return; }
    container_http_stop(metadata->http);
    if (metadata->usual) { link_local_remove(); }
}

void taskmeta_destroy(struct taskmeta *metadata)
{
    if (metadata == NULL) { return; }
    taskmeta_stop(metadata);
    container_http_destroy(metadata->http);
    lock_finish(&metadata->lock);
    free(metadata->entries);
    free(metadata);
}
