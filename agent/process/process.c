/* process.c: the process runtime, for trying Berth without a container engine. The image is only a label: the command runs as a plain process
 * of this machine, as the agent's own user, under a separate shim (shim.c), so that it outlives the agent. Memory and CPU limits, mounts,
 * users and port mappings are not enforced, and the log says so. */
#include "agent/process/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/process/values.h"
#include "agent/core/runtime.h"
#include "agent/core/state_file.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/num.h"

enum { NAP_MS = 20, STOP_LOOK_MS = 1000, KILL_WAIT_MS = 10000, ID_LEN = 32 };

struct process_runtime {
    struct runtime base;                                                  /* first: this is one */
    char dir[PROCESS_PATH_MAX / 2];
    struct process_values values;                                         /* of containers that exist */
};

static const struct process_runtime *process_of(const struct runtime *runtime) { return (const struct process_runtime *)runtime; }
static struct process_values *values_of(struct runtime *runtime) { return &((struct process_runtime *)runtime)->values; }

/* An id is a folder's name: only our own hex digits are accepted, so it leads nowhere else. */
static bool dir_of(const struct runtime *runtime, struct str id, char dir[PROCESS_PATH_MAX])
{
    struct id parsed;
    char name[ID_HEX_LEN + 1];
    return id.len == ID_LEN && id_parse(id, &parsed) && str_to_cstr(id, name, sizeof name) && process_path(process_of(runtime)->dir, name, dir);
}

static bool exists(const char *dir)
{
    char path[PROCESS_PATH_MAX];
    return process_path(dir, "spec.json", path) && access(path, F_OK) == 0;
}

/* ---- create ---- */

/* From the agent's own environment a command gets only variables like PATH and HOME, and no keys. */
static void put_inherited(struct json_out *out, const struct pair_list *environment, struct arena *arena)
{
    static const char *const names[] = { "PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH" };
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        const char *value = getenv(names[n]);
        bool own = false;
        for (size_t p = 0; p < environment->count; p++) { own = own || str_eq(environment->items[p].key, str_from(names[n])); }
        if (value != NULL && !own) { json_str(out, arena_printf(arena, "%s=%s", names[n], value)); }
    }
}

static bool is_named(const struct pair_list *list, size_t from, struct str name)
{
    for (size_t p = from; p < list->count; p++) {
        if (str_eq(list->items[p].key, name)) { return true; }
    }
    return false;
}

/* Without the values that were fetched: these go another way, and come behind all of this. */
static void put_environment(struct json_out *out, const struct container_spec *spec, struct arena *arena)
{
    const struct pair_list *environment = &spec->environment;
    json_open(out, '[');
    put_inherited(out, environment, arena);
    for (size_t p = 0; p < environment->count; p++) {
        if (is_named(environment, p + 1, environment->items[p].key) || is_named(&spec->values, 0, environment->items[p].key)) { continue; }
        json_str(out, arena_printf(arena, STR_FMT "=" STR_FMT, STR_ARG(environment->items[p].key), STR_ARG(environment->items[p].value)));
    }
    json_close(out, ']');
}

static void put_ports(struct json_out *out, const struct port_mapping_list *ports)
{
    json_open(out, '[');
    for (size_t p = 0; p < ports->count; p++) { schema_print(&port_mapping_schema, &ports->items[p], out); }
    json_close(out, ']');
}

static struct str working_dir(const struct json *config, const char *dir, struct arena *arena)
{
    struct str asked = json_get_str(config, STR("WorkingDir"));
    return asked.len > 0 ? asked : arena_printf(arena, "%s/work", dir);
}

static void put_words(struct json_out *out, const struct str_list *words)
{
    for (size_t w = 0; w < words->count; w++) { json_str(out, words->items[w]); }
}

static struct str spec_text(const struct container_spec *spec, const char *dir, struct arena *arena)
{
    const struct wire_container *container = spec->container;
    struct err err = { 0 };
    const struct json *config = container->docker_config == NULL ? NULL : json_parse(container->docker_config->config, arena, &err);
    const struct json *check = json_get(config, STR("Healthcheck"));
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    process_put_found(&out, &(struct container_found){
        .task_arn = spec->task_arn, .container_name = container->name, .agent = spec->agent, .gpus = spec->gpus, .gpu_share = spec->gpu_share,
        .stop_timeout_s = spec->stop_timeout_s,
    });
    json_key(&out, STR("argv"));
    json_open(&out, '[');
    put_words(&out, &container->entry_point);
    put_words(&out, &container->command);
    json_close(&out, ']');
    json_key(&out, STR("env"));
    put_environment(&out, spec, arena);
    json_key(&out, STR("values"));
    json_i64(&out, (int64_t)spec->values.count);
    json_key(&out, STR("cwd"));
    json_str(&out, working_dir(config, dir, arena));
    if (check != NULL) {
        json_key(&out, STR("check"));
        json_dump(&out, check);
    }
    json_key(&out, STR("ports"));
    put_ports(&out, &container->port_mappings);
    json_close(&out, '}');
    return buf_str(&text);
}

static bool process_create(struct runtime *runtime, const struct container_spec *spec, struct str *id, struct arena *arena, struct err *err)
{
    const struct wire_container *container = spec->container;
    if (container->command.count + container->entry_point.count == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "CannotCreateContainerError: the process runtime runs commands and not images, and container "
                       STR_FMT " has neither a command nor an entryPoint", STR_ARG(container->name));
    }
    if (container->mount_points.count > 0) {
        log_line(LOG_WARN, "agent", "the process runtime mounts nothing: mountPoints are ignored container=" STR_FMT, STR_ARG(container->name));
    }
    struct id chance;
    char name[ID_HEX_LEN + 1], dir[PROCESS_PATH_MAX], path[PROCESS_PATH_MAX];
    rng_secret(chance.bytes, sizeof chance.bytes);
    id_hex(chance, name);
    *id = arena_str(arena, str_from(name));
    if (!dir_of(runtime, *id, dir) || !process_path(dir, "work", path)) {
        return err_set(err, ERR_SERVER, "CannotCreateContainerError: the data folder's name is too long");
    }
    struct str text = spec_text(spec, dir, arena);
    bool good = state_file_make_dir(path, err) && process_path(dir, "spec.json", path) && state_file_write(path, text, err);
    if (good) { process_values_keep(values_of(runtime), *id, &spec->values); }
    return good;
}

/* ---- start ---- */

/* `values` is -1 when the container has none. */
static bool spawn_shim(const char *dir, int values, int out, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (values >= 0) {
        posix_spawn_file_actions_adddup2(&actions, values, STDIN_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID));
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    char self[] = "berth", word[] = "__shim", folder[PROCESS_PATH_MAX];
    struct arena arena = { .ceiling = PROCESS_ARENA_MAX };
    char *argv[] = { self, word, folder, process_shim_word(dir, &arena), NULL };
    char **environment = process_shim_environment(environ, &arena);
    bool good = str_to_cstr(str_from(dir), folder, sizeof folder) && posix_spawn(pid, "/proc/self/exe", &actions, &attributes, argv, environment) == 0;
    arena_finish(&arena);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return good;
}

/* The shim's answer: "ok", or the error. Its end closes the pipe, so the wait always ends. */
static void listen_to(int fd, char *text, size_t size)
{
    size_t len = 0;
    while (len < size - 1) {
        ssize_t got = read(fd, text + len, size - 1 - len);
        if (got < 0 && errno == EINTR) { continue; }
        if (got <= 0) { break; }
        len += (size_t)got;
        if (memchr(text, '\n', len) != NULL) { break; }
    }
    text[len] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

/* Until the shim ends or the time is over. */
static void wait_for_shim(const struct process_pids *pids, int64_t until_ms)
{
    int fd = (int)syscall(SYS_pidfd_open, pids->shim.pid, 0);
    int64_t left_ms = until_ms - clock_monotonic_ms();
    if (left_ms <= 0 || !process_is_alive(&pids->shim)) {                  /* asked after the open: the number is not another's now */
        if (fd >= 0) { close(fd); }
        return;
    }
    if (fd < 0) {
        clock_sleep_ms(min_i64(left_ms, NAP_MS));
        return;
    }
    struct pollfd watched = { .fd = fd, .events = POLLIN };
    poll(&watched, 1, (int)min_i64(left_ms, 60000));
    close(fd);
}

/* Removes the files of an earlier start, once that is over: its shim holds the lock until it has gone. The exit file goes first, because
 * without it the pid file would name a process of the past. */
static void clear_earlier(const char *dir)
{
    char path[PROCESS_PATH_MAX];
    struct process_pids pids;
    struct process_exit ended;
    if (!process_read_exit(dir, &ended)) { return; }
    int64_t until_ms = clock_monotonic_ms() + KILL_WAIT_MS;
    while (process_read_pids(dir, &pids) && process_is_alive(&pids.shim) && clock_monotonic_ms() < until_ms) { wait_for_shim(&pids, until_ms); }
    if (process_path(dir, "health", path)) { state_file_remove(path); }
    if (process_path(dir, "exit", path)) { state_file_remove(path); }
    if (process_path(dir, "pid", path)) { state_file_remove(path); }
}

static bool wants_values(const char *dir)
{
    struct arena arena = { .ceiling = PROCESS_ARENA_MAX };
    bool wants = json_get_i64(process_read_spec(dir, &arena), STR("values"), 0) > 0;
    arena_finish(&arena);
    return wants;
}

static bool process_start(struct runtime *runtime, struct str id, struct err *err)
{
    char dir[PROCESS_PATH_MAX], text[512] = "";
    if (!dir_of(runtime, id, dir) || !exists(dir)) { return err_set(err, ERR_CLIENT, "CannotStartContainerError: there is no such container"); }
    clear_earlier(dir);
    int words[2], values = process_values_open(values_of(runtime), id);
    if (values < 0 && wants_values(dir)) {
        return err_set(err, ERR_SERVER, "CannotStartContainerError: the values of its secrets went with the agent that fetched them");
    }
    if (pipe2(words, O_CLOEXEC) != 0) {
        if (values >= 0) { close(values); }
        return err_set(err, ERR_SERVER, "CannotStartContainerError: %s", strerror(errno));
    }
    pid_t pid = 0;
    bool good = spawn_shim(dir, values, words[1], &pid);
    close(words[1]);
    if (values >= 0) { close(values); }
    if (good) {
        listen_to(words[0], text, sizeof text);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) { }           /* the part of it that is our child ends at once */
    }
    close(words[0]);
    if (good && strcmp(text, "ok") == 0) { return true; }
    return err_set(err, ERR_CLIENT, "CannotStartContainerError: %s", text[0] != '\0' ? text : "the command's keeper cannot be started");
}

/* ---- wait ---- */

static void read_bindings(const char *dir, struct container_state *state, struct arena *arena)
{
    const struct json *ports = json_get(process_read_spec(dir, arena), STR("ports"));
    if (ports == NULL || ports->type != JSON_ARRAY) { return; }
    struct network_binding_list list = { ARENA_NEW(arena, struct network_binding, ports->count), 0 };
    for (size_t p = 0; p < ports->count; p++) {
        struct port_mapping mapping;
        struct err trouble = { 0 };
        if (!schema_decode(&port_mapping_schema, &ports->as.items[p], &mapping, arena, ERR_INVALID_PARAMETER, &trouble)) { continue; }
        if (!mapping.container_port.set) { continue; }
        list.items[list.count++] = (struct network_binding){               /* no mapping: the process listens where it listens */
            .bind_ip = STR("0.0.0.0"), .container_port = mapping.container_port, .host_port = mapping.container_port,
            .protocol = mapping.protocol == TRANSPORT_PROTOCOL_UNSET ? TRANSPORT_PROTOCOL_TCP : mapping.protocol,
        };
    }
    state->bindings = list;
}

/* A shim that was killed takes its command with it; this is for commands that escaped that. */
static void end_orphan(const struct process_pids *pids)
{
    if (process_is_alive(&pids->command)) { kill(-pids->command.pid, SIGKILL); }
}

static void look(const char *dir, struct container_state *state, struct process_pids *pids, struct arena *arena)
{
    struct process_exit ended;
    char boot[PROCESS_BOOT_MAX];
    *state = (struct container_state){ .exists = exists(dir) };
    if (!state->exists || !process_read_pids(dir, pids)) { return; }
    state->started_ms = pids->started_ms;
    process_boot(boot);
    bool alive = strcmp(boot, pids->boot) == 0 && process_is_alive(&pids->shim);
    if (process_read_exit(dir, &ended)) {                                  /* after the look at the shim: it writes, then ends */
        state->exit_code = opt_int_of(ended.code);
        state->finished_ms = ended.finished_ms;
        return;
    }
    state->running = alive;
    if (alive) {
        read_bindings(dir, state, arena);
        state->health = process_read_health(dir, arena);
    } else if (strcmp(boot, pids->boot) == 0) {
        end_orphan(pids);
    }
}

static bool process_wait(struct runtime *runtime, struct str id, int64_t wait_ms, const atomic_bool *stop, struct container_state *state,
                         struct arena *arena, struct err *err)
{
    (void)err;
    char dir[PROCESS_PATH_MAX];
    struct process_pids pids;
    *state = (struct container_state){ 0 };
    if (!dir_of(runtime, id, dir)) { return true; }
    int64_t until_ms = clock_monotonic_ms() + wait_ms;
    look(dir, state, &pids, arena);
    while (state->running && clock_monotonic_ms() < until_ms && (stop == NULL || !atomic_load(stop))) {
        wait_for_shim(&pids, min_i64(until_ms, clock_monotonic_ms() + STOP_LOOK_MS));
        look(dir, state, &pids, arena);
    }
    return true;
}

/* ---- stop, remove ---- */

static void signal_shim(const struct process_pids *pids, int number)
{
    int fd = (int)syscall(SYS_pidfd_open, pids->shim.pid, 0);
    if (process_is_alive(&pids->shim)) {
        if (fd < 0 || syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) != 0) { kill(pids->shim.pid, number); }
    }
    if (fd >= 0) { close(fd); }
}

static bool process_stop(struct runtime *runtime, struct str id, int64_t timeout_s, struct err *err)
{
    char dir[PROCESS_PATH_MAX];
    struct process_pids pids;
    struct container_state state;
    struct arena arena = { .ceiling = PROCESS_ARENA_MAX };
    if (!dir_of(runtime, id, dir)) { return true; }
    look(dir, &state, &pids, &arena);
    if (state.running) { signal_shim(&pids, PROCESS_SIGNAL_STOP); }
    int64_t until_ms = clock_monotonic_ms() + max_i64(timeout_s, 0) * 1000;
    bool killed = false;
    while (state.running) {
        if (clock_monotonic_ms() >= until_ms) {
            if (killed) { break; }
            signal_shim(&pids, PROCESS_SIGNAL_KILL);
            killed = true;
            until_ms = clock_monotonic_ms() + KILL_WAIT_MS;
        }
        wait_for_shim(&pids, until_ms);
        arena_reset(&arena);
        look(dir, &state, &pids, &arena);
    }
    arena_finish(&arena);
    return !state.running || err_set(err, ERR_SERVER, "CannotStopContainerError: the process does not end");
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path) != 0 && errno != ENOENT;
}

static bool process_remove(struct runtime *runtime, struct str id, struct err *err)
{
    char dir[PROCESS_PATH_MAX];
    struct process_pids pids;
    struct container_state state;
    struct arena arena = { .ceiling = PROCESS_ARENA_MAX };
    if (!dir_of(runtime, id, dir)) { return true; }
    look(dir, &state, &pids, &arena);
    arena_finish(&arena);
    if (state.running) { return err_set(err, ERR_CLIENT, "the process is still running"); }
    process_values_drop(values_of(runtime), id);
    if (nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT) { return true; }
    return err_set(err, ERR_SERVER, "its folder cannot be removed: %s", strerror(errno));
}

/* ---- logs, list ---- */

static bool process_logs(struct runtime *runtime, struct str id, int64_t offset, size_t limit, struct container_output *output, struct arena *arena,
                         struct err *err)
{
    char dir[PROCESS_PATH_MAX], path[PROCESS_PATH_MAX];
    *output = (struct container_output){ .text = STR("") };
    if (!dir_of(runtime, id, dir) || !process_path(dir, "output.log", path)) { return true; }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) { return errno == ENOENT || err_set(err, ERR_SERVER, "%s: %s", path, strerror(errno)); }
    char *bytes = arena_alloc(arena, limit, 1);
    ssize_t got;
    do {
        got = pread(fd, bytes, limit, (off_t)offset);
    } while (got < 0 && errno == EINTR);
    close(fd);
    if (got < 0) { return err_set(err, ERR_SERVER, "%s: %s", path, strerror(errno)); }
    output->text = (struct str){ bytes, (size_t)got };
    return true;
}

static bool process_exec(struct runtime *runtime, struct str id, const struct exec_command *command, struct exec_channel *channel, struct err *err)
{
    char dir[PROCESS_PATH_MAX];
    return (dir_of(runtime, id, dir) || err_set(err, ERR_SERVER, "CannotExecError: the process is not there"))
        && process_exec_start(dir, command, channel, err);
}

static void process_resize(struct runtime *runtime, struct exec_channel *channel, int64_t rows, int64_t cols)
{
    (void)runtime;
    process_exec_resize(channel, rows, cols);
}

static void process_end(struct runtime *runtime, struct exec_channel *channel, bool unwanted, struct opt_int *exit_code)
{
    (void)runtime;
    *exit_code = process_exec_end(channel, unwanted);
}

static void add_found(const struct runtime *runtime, struct str name, struct container_found_list *found, size_t *capacity, struct arena *arena)
{
    char dir[PROCESS_PATH_MAX];
    const struct json *tree = dir_of(runtime, name, dir) ? process_read_spec(dir, arena) : NULL;
    if (tree == NULL) { return; }
    if (found->count == *capacity) {
        size_t old = *capacity * sizeof *found->items;
        *capacity = *capacity == 0 ? 16 : *capacity * 2;
        found->items = arena_grow(arena, found->items, old, *capacity * sizeof *found->items);
    }
    process_read_found(tree, &found->items[found->count], arena);
    found->items[found->count++].id = arena_str(arena, name);
}

static bool process_list(struct runtime *runtime, struct container_found_list *found, struct arena *arena, struct err *err)
{
    *found = (struct container_found_list){ 0 };
    size_t capacity = 0;
    process_adopt_lost(process_of(runtime)->dir);
    DIR *listing = opendir(process_of(runtime)->dir);
    if (listing == NULL) { return err_set(err, ERR_SERVER, "%s: %s", process_of(runtime)->dir, strerror(errno)); }
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        add_found(runtime, str_from(entry->d_name), found, &capacity, arena);
    }
    closedir(listing);
    return true;
}

static void process_usage(struct runtime *runtime, const struct str_list *ids, struct container_usage *uses, const atomic_bool *stop)
{
    (void)stop;                                                            /* it never waits */
    char (*dirs)[PROCESS_PATH_MAX] = calloc(ids->count + 1, sizeof *dirs);
    ASSERT(dirs != NULL);
    for (size_t i = 0; i < ids->count; i++) {
        if (!dir_of(runtime, ids->items[i], dirs[i])) { dirs[i][0] = '\0'; }
    }
    process_read_uses((const char (*)[PROCESS_PATH_MAX])dirs, uses, ids->count);
    free(dirs);
}

/* ---- the table ---- */

static struct str process_version(struct runtime *runtime)
{
    (void)runtime;
    return STR("process runtime " BERTH_VERSION);
}

static void process_destroy(struct runtime *runtime)
{
    process_values_finish(values_of(runtime));
    free(runtime);
}

static const struct runtime_ops process_ops = {
    .name = "process", .create = process_create, .start = process_start, .wait = process_wait,
    .stop = process_stop, .remove = process_remove, .logs = process_logs, .exec = process_exec,
    .exec_resize = process_resize, .exec_end = process_end, .list = process_list, .version = process_version,
    .destroy = process_destroy, .usage = process_usage,
};

struct runtime *runtime_process_create(const char *dir, struct err *err)
{
    struct process_runtime *process = calloc(1, sizeof *process);
    ASSERT(process != NULL);
    process->base.ops = &process_ops;
    process_values_init(&process->values);
    char real[PROCESS_PATH_MAX];
    bool good = state_file_make_dir(dir, err);
    if (good && (realpath(dir, real) == NULL || !str_to_cstr(str_from(real), process->dir, sizeof process->dir))) {
        good = err_set(err, ERR_INVALID_PARAMETER, "The folder's name is too long: %s", dir);
    }
    if (good) { return &process->base; }
    process_destroy(&process->base);
    return NULL;
}
