/* docker.c: containers through the Docker Engine API. Each call has its own arena for the engine's answer, and copies the few values that the
 * caller needs into the caller's.
 *
 * The API's version: 1.41 (Docker 20.10), or the engine's newest when that is older, or its oldest when that is newer. The calls of this file
 * have not changed between 1.24 and today. */
#include "agent/docker/docker.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"

enum { API_MAJOR = 1, API_MINOR = 41, ID_SIZE = 80, LOG_PLACES_MAX = 4096 };

struct log_place { char id[ID_SIZE]; struct docker_log_cursor cursor; };

struct docker {
    struct runtime base;                             /* first: a struct runtime * is a struct docker * */
    struct docker_http *http;
    char version[96];
    bool nvidia_default;
    struct docker_mounts mounts;                     /* its `allowed` NULL: none are */
    const char *socket_path;                         /* borrowed */
    const char *task_subnet;                         /* borrowed; NULL: Docker chooses */
    struct port_span dynamic_ports;
    bool no_privileged;
    const char *const *device_allow;                 /* borrowed; NULL: no list */
    enum docker_cgroups cgroups;
    struct lock network_lock;
    struct lock lock;
    struct log_place *places;                        /* under `lock`: how far each container's output was read */
    size_t place_count, place_capacity, victim;
};

static struct docker *docker_of(struct runtime *runtime) { return (struct docker *)runtime; }

static void scratch_release(struct arena *arena) { arena_finish(arena); }
#define SCRATCH(name) AUTO(scratch_release) struct arena name = { .ceiling = DOCKER_CALL_ARENA }

/* ---- how far logs were read ---- */

static struct log_place *find_place(struct docker *docker, struct str id) REQUIRES(docker->lock)
{
    for (size_t p = 0; p < docker->place_count; p++) {
        if (str_eq(str_from(docker->places[p].id), id)) { return &docker->places[p]; }
    }
    return NULL;
}

static bool recall_cursor(struct docker *docker, struct str id, struct docker_log_cursor *cursor)
{
    lock_take(&docker->lock);
    const struct log_place *place = find_place(docker, id);
    if (place != NULL) { *cursor = place->cursor; }
    lock_drop(&docker->lock);
    return place != NULL;
}

/* A place is only a short cut: without it the next reader begins at the start of the log. */
static void keep_cursor(struct docker *docker, struct str id, const struct docker_log_cursor *cursor)
{
    lock_take(&docker->lock);
    struct log_place *place = find_place(docker, id);
    char name[ID_SIZE];
    if (place == NULL && str_to_cstr(id, name, sizeof name)) {
        bool full = docker->place_count == LOG_PLACES_MAX;                 /* then containers that have ended have most of them */
        if (!full) { docker->places = array_grow(docker->places, &docker->place_capacity, docker->place_count + 1, sizeof *docker->places); }
        place = full ? &docker->places[docker->victim++ % LOG_PLACES_MAX] : &docker->places[docker->place_count++];
        ASSERT(docker->place_count <= LOG_PLACES_MAX);
        memcpy(place->id, name, sizeof place->id);
    }
    if (place != NULL) { place->cursor = *cursor; }
    lock_drop(&docker->lock);
}

static void forget_cursor(struct docker *docker, struct str id)
{
    lock_take(&docker->lock);
    struct log_place *place = find_place(docker, id);
    ASSERT(place == NULL || docker->place_count > 0);
    if (place != NULL) { *place = docker->places[--docker->place_count]; }
    lock_drop(&docker->lock);
}

/* ---- images ---- */

static bool image_find(struct runtime *runtime, struct str image, struct image_facts *facts, struct arena *arena, struct err *err)
{
    return docker_image_find(docker_of(runtime)->http, image, facts, arena, err);
}

static bool image_resolve(struct runtime *runtime, const struct image_request *request, struct str *digest, struct arena *arena, struct err *err)
{
    return docker_image_resolve(docker_of(runtime)->http, request, digest, arena, err);
}

static bool image_pull(struct runtime *runtime, const struct image_request *request, struct err *err)
{
    return docker_image_pull(docker_of(runtime)->http, request, err);
}

static bool images_used(struct runtime *runtime, struct str_list *ids, struct arena *arena, struct err *err)
{
    return docker_images_used(docker_of(runtime)->http, ids, arena, err);
}

static bool image_remove(struct runtime *runtime, struct str image, struct err *err)
{
    return docker_image_remove(docker_of(runtime)->http, image, err);
}

static const struct image_ops image_ops = {
    .find = image_find, .resolve = image_resolve, .pull = image_pull, .used = images_used, .remove = image_remove,
};

/* ---- create ---- */

/* GET /containers/json of all that carry `label`, running or not. */
static bool list_by_label(struct docker *docker, enum docker_step step, struct str label, const struct json **list,
                          struct arena *arena, struct err *err)
{
    struct buf filters = buf_in(arena), path = buf_in(arena);
    struct json_out out = json_out_to(&filters);
    json_open(&out, '{');
    json_key(&out, STR("label"));
    json_open(&out, '[');
    json_str(&out, label);
    json_close(&out, ']');
    json_close(&out, '}');
    buf_put(&path, STR("/containers/json?all=1&filters="));
    docker_put_escaped(&path, buf_str(&filters));
    if (!docker_step_json(docker->http, step, (struct docker_call){ .method = "GET", .path = buf_str(&path) }, 0, list, arena, err)) {
        return false;
    }
    return (*list)->type == JSON_ARRAY || err_set(err, ERR_SERVER, "CannotListContainersError: Docker's answer is not a list");
}

/* "/berth-…" without the slash; absent when this agent's kind did not make the container. */
static struct str own_name(const struct json *container)
{
    const struct json *names = json_get(container, STR("Names"));
    for (size_t n = 0; names != NULL && names->type == JSON_ARRAY && n < names->count; n++) {
        if (names->as.items[n].type != JSON_STRING) { continue; }
        struct str name = names->as.items[n].as.string;
        if (str_starts_with(name, STR("/" DOCKER_NAME_PREFIX)) && str_find(str_slice(name, 1, name.len), '/') == name.len - 1) {
            return str_slice(name, 1, name.len);     /* "/a/b" is the alias of a link */
        }
    }
    return (struct str){ NULL, 0 };
}

static bool find_peers(struct docker *docker, const struct container_spec *spec, struct docker_peer_list *peers, struct arena *arena,
                       struct err *err)
{
    if (spec->container->links.count == 0 && spec->container->volumes_from.count == 0) { return true; }
    const struct json *list = NULL;
    struct str label = arena_printf(arena, DOCKER_LABEL_TASK "=" STR_FMT, STR_ARG(spec->task_arn));
    if (!list_by_label(docker, DOCKER_CREATE, label, &list, arena, err)) { return false; }
    peers->items = ARENA_NEW(arena, struct docker_peer, list->count);
    for (size_t c = 0; c < list->count; c++) {
        struct str docker_name = own_name(&list->as.items[c]);
        struct str name = json_get_str(json_get(&list->as.items[c], STR("Labels")), STR(DOCKER_LABEL_CONTAINER));
        if (docker_name.len > 0 && name.len > 0) { peers->items[peers->count++] = (struct docker_peer){ name, docker_name }; }
    }
    return true;
}

/* A volume that exists already with the same driver is returned as it is. */
static bool make_volumes(struct docker *docker, const struct docker_plan *plan, struct arena *arena, struct err *err)
{
    const struct mount_point_list *points = &plan->spec->container->mount_points;
    for (size_t p = 0; p < points->count; p++) {
        struct str name = { NULL, 0 }, body = { NULL, 0 };
        if (!docker_volume_body(plan, points->items[p].source_volume, &name, &body, arena, err)) { return false; }
        if (!str_is_set(name)) { continue; }
        struct buf path = buf_in(arena);
        buf_put(&path, STR("/volumes/"));
        docker_put_escaped(&path, name);
        struct docker_call call = { .method = "GET", .path = buf_str(&path) };
        if (str_is_set(body)) { call = (struct docker_call){ .method = "POST", .path = STR("/volumes/create"), .body = body }; }
        struct docker_reply reply;
        if (!docker_step_call(docker->http, DOCKER_CREATE, call, 0, &reply, arena, err)) { return false; }
    }
    return true;
}

/* Two hex digits for each byte. */
static struct str random_word(size_t bytes, struct arena *arena)
{
    struct buf out = buf_in(arena);
    for (size_t b = 0; b < bytes; b++) {
        unsigned char byte;
        rng_secret(&byte, sizeof byte);
        buf_printf(&out, "%02x", byte);
    }
    return buf_str(&out);
}

static bool run_hold(struct runtime *runtime, const struct container_spec *spec, struct task_held *held, struct arena *arena, struct err *err)
{
    struct docker *docker = docker_of(runtime);
    struct docker_hold hold = {
        .http = docker->http, .network_lock = &docker->network_lock, .spec = spec, .nvidia_default = docker->nvidia_default,
        .task_subnet = str_from(docker->task_subnet == NULL ? "" : docker->task_subnet),
    };
    docker_cgroup_make(docker->cgroups, STR(DOCKER_CGROUP_ROOT), spec->task, arena);
    return docker_hold(&hold, held, arena, err);
}

static bool run_shares(const struct wire_task *task)
{
    SCRATCH(scratch);
    return str_is_set(docker_share_of(task, &scratch).holder);
}

static bool run_wait_held(struct runtime *runtime, struct str task_arn, int64_t wait_ms, bool *held, struct err *err)
{
    SCRATCH(scratch);
    return docker_wait_held(docker_of(runtime)->http, task_arn, wait_ms, held, &scratch, err);
}

static bool run_let_go(struct runtime *runtime, struct str task_arn, struct err *err)
{
    struct docker *docker = docker_of(runtime);
    SCRATCH(scratch);
    if (!docker_let_go(docker->http, task_arn, &scratch, err)) { return false; }
    docker_cgroup_remove(docker->cgroups, STR(DOCKER_CGROUP_ROOT), task_arn, &scratch);
    return true;
}

static bool run_create(struct runtime *runtime, const struct container_spec *spec, struct str *id, struct arena *arena, struct err *err)
{
    struct docker *docker = docker_of(runtime);
    SCRATCH(scratch);
    struct str_list sources = { 0 };
    struct docker_plan plan = {
        .spec = spec, .volume_allow = (const char *const *)docker->mounts.allowed, .volume_sources = &sources,
        .nvidia_default = docker->nvidia_default, .find_ports = docker_find_ports,
        .dynamic_ports = docker->dynamic_ports, .no_privileged = docker->no_privileged, .device_allow = docker->device_allow,
    };
    if (docker->mounts.can) {
        struct str token = random_word(DOCKER_TOKEN_LEN / 2, &scratch);
        plan.volume_folder = arena_printf(&scratch, "%s/" STR_FMT, docker->mounts.dir, STR_ARG(token));
    }
    plan.cgroup_parent = docker_cgroup_parent(docker->cgroups, STR(DOCKER_CGROUP_ROOT), spec->task_arn, &scratch);
    struct str body = { NULL, 0 };
    if (!find_peers(docker, spec, &plan.peers, &scratch, err) || !docker_create_body(&plan, &body, &scratch, err)
        || !make_volumes(docker, &plan, &scratch, err) || !docker_mounts_keep(plan.volume_folder, &sources, &scratch, err)) {
        return false;
    }

    struct buf path = buf_in(&scratch);
    buf_put(&path, STR("/containers/create?name="));
    docker_put_escaped(&path, docker_container_name(spec, random_word(4, &scratch), &scratch));
    struct docker_call call = { .method = "POST", .path = buf_str(&path), .body = body };
    const struct json *answer = NULL;
    if (!docker_step_json(docker->http, DOCKER_CREATE, call, 0, &answer, &scratch, err)) {
        docker_mounts_drop(plan.volume_folder, &scratch);
        return false;
    }
    *id = arena_str(arena, json_get_str(answer, STR("Id")));
    return id->len > 0 || err_set(err, ERR_SERVER, "CannotCreateContainerError: Docker's answer has no id");
}

/* ---- start, wait, stop ---- */

/* *tree NULL: there is no such container. */
static bool inspect(struct docker *docker, struct str id, const struct json **tree, struct arena *arena, struct err *err)
{
    struct docker_call call = { .method = "GET", .path = docker_container_path(id, "/json", arena) };
    return docker_step_json(docker->http, DOCKER_INSPECT, call, 404, tree, arena, err);
}

/* The machine's directories are mounted for the start only; or until the removal, when nobody knows whether it has started. */
static bool run_start(struct runtime *runtime, struct str id, struct err *err)
{
    struct docker *docker = docker_of(runtime);
    SCRATCH(scratch);
    const struct json *container = NULL;
    if (docker->mounts.can && !inspect(docker, id, &container, &scratch, err)) { return false; }
    if (!docker_mounts_make(&docker->mounts, container, &scratch, err)) { return false; }
    struct docker_reply reply;
    struct docker_call call = { .method = "POST", .path = docker_container_path(id, "/start", &scratch) };
    bool good = docker_step_call(docker->http, DOCKER_START, call, 0, &reply, &scratch, err);
    if (good || err->code != ERR_UNAVAILABLE) { docker_mounts_undo(&docker->mounts, container, &scratch); }
    return good;
}

static bool run_wait(struct runtime *runtime, struct str id, int64_t wait_ms, const atomic_bool *stop, struct container_state *state,
                     struct arena *arena, struct err *err)
{
    struct docker *docker = docker_of(runtime);
    SCRATCH(scratch);
    *state = (struct container_state){ 0 };
    if (wait_ms > 0) {
        struct docker_reply reply;
        struct docker_call call = {
            .method = "POST", .path = docker_container_path(id, "/wait?condition=not-running", &scratch), .timeout_ms = wait_ms,
            .cancelled = stop,
        };
        docker_http_call(docker->http, &call, &reply, &scratch);
        bool is_over = reply.outcome == DOCKER_TIMED_OUT || reply.outcome == DOCKER_CANCELLED || (reply.outcome == DOCKER_ANSWERED && reply.status == 404);
        if (!is_over && !docker_step_judge(DOCKER_INSPECT, wait_ms, &reply, &scratch, err)) { return false; }
    }

    const struct json *tree = NULL;
    if (!inspect(docker, id, &tree, &scratch, err)) { return false; }
    if (tree == NULL) { return true; }               /* state->exists stays false */
    if (!docker_read_state(tree, state, arena)) {
        return err_set(err, ERR_SERVER, "CannotInspectContainerError: Docker's answer has no state");
    }
    return true;
}

static bool run_stop(struct runtime *runtime, struct str id, int64_t timeout_s, struct err *err)
{
    SCRATCH(scratch);
    int64_t grace_s = max_i64(0, min_i64(timeout_s, 24 * 60 * 60));
    struct docker_reply reply;
    struct str rest = arena_printf(&scratch, "/stop?t=%lld", (long long)grace_s);
    struct docker_call call = {
        .method = "POST", .path = docker_container_path(id, rest.ptr, &scratch),
        .timeout_ms = grace_s * 1000 + docker_timeout_ms(DOCKER_STOP),
    };
    return docker_step_call(docker_of(runtime)->http, DOCKER_STOP, call, 404, &reply, &scratch, err);
}

/* ---- remove ---- */

/* The task's own volumes are removed with the last container that holds them; until then the engine refuses with 409. */
static void remove_volumes(struct docker *docker, const struct json *container, struct arena *arena)
{
    const struct json *mounts = json_get(container, STR("Mounts"));
    struct str task_arn = json_get_str(json_get(json_get(container, STR("Config")), STR("Labels")), STR(DOCKER_LABEL_TASK));
    for (size_t m = 0; mounts != NULL && mounts->type == JSON_ARRAY && m < mounts->count; m++) {
        struct str name = json_get_str(&mounts->as.items[m], STR("Name"));
        if (!str_eq(json_get_str(&mounts->as.items[m], STR("Type")), STR("volume")) || !docker_volume_belongs(name, task_arn)) { continue; }
        struct buf path = buf_in(arena);
        buf_put(&path, STR("/volumes/"));
        docker_put_escaped(&path, name);
        struct docker_reply reply;
        struct docker_call call = { .method = "DELETE", .path = buf_str(&path), .timeout_ms = docker_timeout_ms(DOCKER_REMOVE) };
        docker_http_call(docker->http, &call, &reply, arena);
        bool is_settled = reply.outcome == DOCKER_ANSWERED && (reply.status < 300 || reply.status == 404 || reply.status == 409);
        if (!is_settled) { log_line(LOG_WARN, "agent", "Docker volume " STR_FMT " could not be removed", STR_ARG(name)); }
    }
}

static bool run_remove(struct runtime *runtime, struct str id, struct err *err)
{
    struct docker *docker = docker_of(runtime);
    SCRATCH(scratch);
    forget_cursor(docker, id);
    const struct json *container = NULL;
    if (!inspect(docker, id, &container, &scratch, err)) { return false; }
    if (container == NULL) { return true; }

    struct docker_reply reply;
    struct docker_call call = { .method = "DELETE", .path = docker_container_path(id, "?force=1&v=1", &scratch) };
    if (!docker_step_call(docker->http, DOCKER_REMOVE, call, 404, &reply, &scratch, err)) { return false; }
    remove_volumes(docker, container, &scratch);
    docker_mounts_forget(&docker->mounts, container, &scratch);
    return true;
}

/* ---- logs and list ---- */

static bool first_cursor(struct docker *docker, struct str id, struct docker_log_cursor *cursor, struct arena *arena, struct err *err)
{
    const struct json *container = NULL;
    if (!inspect(docker, id, &container, arena, err)) { return false; }
    const struct json *tty = json_get(json_get(container, STR("Config")), STR("Tty"));
    *cursor = (struct docker_log_cursor){ .is_tty = tty != NULL && tty->type == JSON_TRUE };
    return true;
}

static bool run_logs(struct runtime *runtime, struct str id, int64_t offset, size_t limit, struct container_output *output, struct arena *arena,
                     struct err *err)
{
    struct docker *docker = docker_of(runtime);
    SCRATCH(scratch);
    struct docker_log_cursor cursor = { 0 };
    if (!recall_cursor(docker, id, &cursor) && !first_cursor(docker, id, &cursor, &scratch, err)) { return false; }

    struct docker_log_reader reader;
    docker_log_begin(&reader, &cursor, offset, limit, arena);
    struct str rest = arena_printf(&scratch, "/logs?stdout=1&stderr=1&timestamps=%d&since=%lld.%09lld", cursor.is_tty ? 0 : 1,
                                   (long long)(cursor.since_ns / 1000000000), (long long)(cursor.since_ns % 1000000000));
    struct docker_reply reply;
    struct docker_call call = {
        .method = "GET", .path = docker_container_path(id, rest.ptr, &scratch), .sink = docker_log_feed, .sink_context = &reader,
    };
    if (!docker_step_call(docker->http, DOCKER_LOGS, call, 0, &reply, &scratch, err)) { return false; }
    if (!docker_log_end(&reader)) { return err_set(err, ERR_SERVER, "CannotReadContainerLogsError: Docker's answer is not a log stream"); }
    keep_cursor(docker, id, &cursor);
    *output = (struct container_output){ buf_str(&reader.out), reader.times };
    return true;
}

static bool run_list(struct runtime *runtime, struct container_found_list *found, struct arena *arena, struct err *err)
{
    SCRATCH(scratch);
    const struct json *list = NULL;
    if (!list_by_label(docker_of(runtime), DOCKER_LIST, STR(DOCKER_LABEL_TASK), &list, &scratch, err)) { return false; }
    *found = (struct container_found_list){ .items = ARENA_NEW(arena, struct container_found, list->count) };
    for (size_t c = 0; c < list->count; c++) {
        const struct json *container = &list->as.items[c];
        if (own_name(container).len == 0) { continue; }                    /* an ECS agent on the same machine has the same labels */
        docker_read_found(container, &found->items[found->count++], arena);
    }
    return true;
}

/* ---- for containers that ask about themselves ---- */

static bool run_inspect(struct runtime *runtime, struct str id, const struct json **tree, struct arena *arena, struct err *err)
{
    return inspect(docker_of(runtime), id, tree, arena, err);
}

static bool run_stats(struct runtime *runtime, struct str id, const struct json **tree, struct arena *arena, struct err *err)
{
    struct docker_call call = { .method = "GET", .path = docker_container_path(id, "/stats?stream=false&one-shot=true", arena) };
    return docker_step_json(docker_of(runtime)->http, DOCKER_INSPECT, call, 0, tree, arena, err);
}

static void run_usage(struct runtime *runtime, const struct str_list *ids, struct container_usage *uses, const atomic_bool *stop)
{
    for (size_t i = 0; i < ids->count; i++) {
        SCRATCH(scratch);
        const struct json *stats = NULL;
        struct err gone = { 0 };                     /* between two looks */
        uses[i] = (struct container_usage){ 0 };
        if (atomic_load(stop) || !run_stats(runtime, ids->items[i], &stats, &scratch, &gone)) { continue; }
        if (docker_read_usage(stats, &uses[i])) { uses[i].read_ms = clock_monotonic_ms(); }
    }
}

/* ---- version, list, destroy ---- */

static struct str run_version(struct runtime *runtime) { return str_from(docker_of(runtime)->version); }

static void run_destroy(struct runtime *runtime)
{
    if (runtime == NULL) { return; }
    struct docker *docker = docker_of(runtime);
    docker_http_destroy(docker->http);
    docker_mounts_finish(&docker->mounts);
    lock_finish(&docker->lock);
    lock_finish(&docker->network_lock);
    free(docker->places);
    free(docker);
}

static bool run_exec(struct runtime *runtime, struct str id, const struct exec_command *command, struct exec_channel *channel, struct err *err)
{
    return docker_exec(docker_of(runtime)->http, id, command, channel, err);
}

static void run_exec_resize(struct runtime *runtime, struct exec_channel *channel, int64_t rows, int64_t cols)
{
    docker_exec_resize(docker_of(runtime)->http, channel, rows, cols);
}

/* Docker ends no command for us: a command that nobody needs any more finds its streams closed. */
static void run_exec_end(struct runtime *runtime, struct exec_channel *channel, bool kill, struct opt_int *exit_code)
{
    if (!kill) { *exit_code = docker_exec_end(docker_of(runtime)->http, channel); }
}

static const struct runtime_ops docker_ops = {
    .name = "docker", .images = &image_ops, .hold = run_hold, .shares = run_shares,
    .wait_held = run_wait_held, .let_go = run_let_go, .create = run_create, .start = run_start, .wait = run_wait, .stop = run_stop,
    .remove = run_remove, .logs = run_logs, .exec = run_exec, .exec_resize = run_exec_resize, .exec_end = run_exec_end,
    .list = run_list, .version = run_version, .destroy = run_destroy,
    .inspect = run_inspect, .stats = run_stats, .usage = run_usage,
};

/* "1.41" as one number that can be compared; 0: another form. */
static int64_t version_number(struct str text)
{
    struct str major = { NULL, 0 }, minor = { NULL, 0 };
    int64_t high = 0, low = 0;
    bool good = str_cut(text, '.', &major, &minor) && str_to_i64(major, &high) && str_to_i64(minor, &low)
        && high >= 1 && high < 1000 && low >= 0 && low < 1000;
    return good ? high * 1000 + low : 0;
}

static bool meet(struct docker *docker, struct arena *arena, struct err *err)
{
    const struct json *version = NULL, *info = NULL;
    struct docker_call call = { .method = "GET", .path = STR("/version") };
    if (!docker_step_json(docker->http, DOCKER_MEET, call, 0, &version, arena, err)) { return false; }
    int64_t newest = version_number(json_get_str(version, STR("ApiVersion")));
    int64_t oldest = version_number(json_get_str(version, STR("MinAPIVersion")));
    if (newest == 0) { return err_set(err, ERR_UNAVAILABLE, "What answers on the socket does not look like Docker."); }
    int64_t spoken = max_i64(min_i64(API_MAJOR * 1000 + API_MINOR, newest), oldest);
    docker_http_set_prefix(docker->http, arena_printf(arena, "/v%d.%d", (int)(spoken / 1000), (int)(spoken % 1000)));
    struct str words = arena_printf(arena, "DockerVersion: " STR_FMT, STR_ARG(json_get_str(version, STR("Version"))));
    if (!str_to_cstr(str_slice(words, 0, sizeof docker->version - 1), docker->version, sizeof docker->version)) {
        return err_set(err, ERR_UNAVAILABLE, "What answers on the socket does not look like Docker.");
    }

    call.path = STR("/info");
    if (!docker_step_json(docker->http, DOCKER_MEET, call, 0, &info, arena, err)) { return false; }
    docker->cgroups = docker_cgroups_of(info);
    docker->nvidia_default = str_starts_with(json_get_str(info, STR("DefaultRuntime")), STR("nvidia"));
    return true;
}

struct runtime *runtime_docker_create(const char *socket_path, struct err *err)
{
    struct docker *docker = calloc(1, sizeof *docker);
    ASSERT(docker != NULL);
    docker->base.ops = &docker_ops;
    docker->dynamic_ports = docker_usual_ports;
    docker->socket_path = socket_path;
    docker->http = docker_http_create(socket_path);
    lock_init(&docker->lock);
    lock_init(&docker->network_lock);

    SCRATCH(scratch);
    if (!meet(docker, &scratch, err)) {
        run_destroy(&docker->base);
        return NULL;
    }
    return &docker->base;
}

void runtime_docker_allow_volumes(struct runtime *runtime, const char *const *paths, const char *dir)
{
    ASSERT(runtime->ops == &docker_ops);
    struct docker *docker = docker_of(runtime);
    SCRATCH(scratch);
    const struct json *list = NULL;
    struct err err = { 0 };                          /* then the files of an earlier run stay for the next one */
    docker_mounts_init(&docker->mounts, paths, dir, docker->socket_path);
    bool listed = docker->mounts.can && list_by_label(docker, DOCKER_LIST, STR(DOCKER_LABEL_TASK), &list, &scratch, &err);
    if (listed) { docker_mounts_sweep(&docker->mounts, list, &scratch); }
}

void runtime_docker_dynamic_ports(struct runtime *runtime, struct port_span span)
{
    ASSERT(runtime->ops == &docker_ops);
    docker_of(runtime)->dynamic_ports = span;
}

void runtime_docker_refuse_privileged(struct runtime *runtime)
{
    ASSERT(runtime->ops == &docker_ops);
    docker_of(runtime)->no_privileged = true;
}

void runtime_docker_allow_devices(struct runtime *runtime, const char *const *paths)
{
    ASSERT(runtime->ops == &docker_ops);
    docker_of(runtime)->device_allow = paths;
}

bool runtime_docker_task_subnet(struct runtime *runtime, const char *subnet, struct err *err)
{
    ASSERT(runtime->ops == &docker_ops);
    struct docker *docker = docker_of(runtime);
    docker->task_subnet = subnet;
    if (subnet == NULL) { return true; }
    SCRATCH(scratch);
    const struct json *network = NULL;
    struct docker_call call = { .method = "GET", .path = STR("/networks/" DOCKER_TASK_NETWORK) };
    if (!docker_step_json(docker->http, DOCKER_MEET, call, 404, &network, &scratch, err)) { return false; }
    const struct json *ranges = json_get(json_get(network, STR("IPAM")), STR("Config"));
    if (ranges == NULL || ranges->type != JSON_ARRAY || ranges->count == 0) { return true; }
    struct str has = json_get_str(&ranges->as.items[0], STR("Subnet"));
    if (str_eq(has, str_from(subnet))) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "Docker's network " DOCKER_TASK_NETWORK " has the addresses " STR_FMT " and not %s: remove it with"
                   " `docker network rm " DOCKER_TASK_NETWORK "`, or leave task-subnet as it was.", STR_ARG(has), subnet);
}
