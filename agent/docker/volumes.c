/* volumes.c: the source of a mount point's volume on this machine. A volume with a host path is that directory, when the machine's owner
 * allows it; one without is a separate Docker volume of the task, shared by its containers. */
#include "agent/docker/docker.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

struct str docker_safe_name(struct str text, struct arena *arena)
{
    struct buf out = buf_in(arena);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        buf_put_char(&out, plain || c == '_' || c == '.' || c == '-' ? c : '-');
    }
    return buf_str(&out);
}

/* The id at the end of a task's ARN: no other task has it. */
struct str docker_task_id(struct str task_arn)
{
    size_t from = task_arn.len;
    while (from > 0 && task_arn.ptr[from - 1] != '/' && task_arn.ptr[from - 1] != ':') { from--; }
    return str_slice(task_arn, from, task_arn.len);
}

bool docker_volume_belongs(struct str docker_name, struct str task_arn)
{
    struct str id = docker_task_id(task_arn);
    return id.len > 0 && str_starts_with(docker_name, STR(DOCKER_NAME_PREFIX)) && str_ends_with(docker_name, id);
}

/* ---- host paths ---- */

static bool has_parent_step(struct str path)
{
    struct str rest = path, step = { NULL, 0 };
    while (rest.len > 0) {
        str_cut(rest, '/', &step, &rest);
        if (str_eq(step, STR(".."))) { return true; }
    }
    return false;
}

/* The path with its links followed; a part that does not exist yet is taken as written. A container with an allowed directory can put a link
 * into it, and the next task must not follow that link out. */
static bool resolve_path(struct str path, struct str *resolved, struct arena *arena)
{
    if (path.len == 0 || path.ptr[0] != '/' || has_parent_step(path) || str_find(path, '\0') < path.len) { return false; }
    for (size_t end = path.len; end > 0; end--) {
        if (end < path.len && path.ptr[end] != '/') { continue; }
        char real[PATH_MAX];
        struct stat status;
        const char *front = arena_cstr(arena, str_slice(path, 0, end));
        if (realpath(front, real) != NULL) {
            struct str base = str_eq(str_from(real), STR("/")) ? STR("") : str_from(real), rest = str_slice(path, end, path.len);
            *resolved = arena_printf(arena, STR_FMT STR_FMT, STR_ARG(base), STR_ARG(rest));
            if (resolved->len == 0) { *resolved = STR("/"); }
            return true;
        }
        if (errno != ENOENT || lstat(front, &status) == 0) { return false; }     /* a link to nowhere may lead anywhere later */
    }
    *resolved = path;
    return true;
}

bool docker_is_below(struct str path, struct str directory)
{
    while (directory.len > 0 && directory.ptr[directory.len - 1] == '/') { directory.len--; }
    return str_starts_with(path, directory) && (path.len == directory.len || path.ptr[directory.len] == '/');
}

struct str docker_folder_of(struct str path)
{
    while (path.len > 0 && path.ptr[path.len - 1] != '/') { path.len--; }
    return str_slice(path, 0, path.len > 1 ? path.len - 1 : path.len);
}

enum allowed { NOT_ALLOWED, ALLOWED_BELOW, ALLOWED_ITSELF };

static enum allowed is_allowed(struct str resolved, const char *const *allow)
{
    enum allowed allowed = NOT_ALLOWED;
    for (size_t a = 0; allow != NULL && allow[a] != NULL; a++) {
        struct str directory = str_from(allow[a]);
        if (!docker_is_below(resolved, directory)) { continue; }
        if (docker_is_below(directory, resolved)) { return ALLOWED_ITSELF; }
        allowed = ALLOWED_BELOW;
    }
    return allowed;
}

/* A socket leads to another program's service, Docker's own among them; devices are asked for as devices. */
static bool is_plain(struct str path, struct arena *arena)
{
    struct stat status;
    return stat(arena_cstr(arena, path), &status) != 0 || S_ISDIR(status.st_mode) || S_ISREG(status.st_mode);
}

static bool refuse_path(struct err *err, struct str path, const char *why)
{
    return err_set(err, ERR_SERVER, "CannotCreateContainerError: host path \"" STR_FMT "\" %s", STR_ARG(path), why);
}

/* Containers may write below an allowed directory, not above it: its own path does not change. A directory below it is mounted at a place in
 * the agent's own folder before each start, and that place is the source. */
static bool place_of(const struct docker_plan *plan, struct str path, struct str *source, struct arena *arena, struct err *err)
{
    if (!str_is_set(plan->volume_folder)) {
        return refuse_path(err, path, "lies below an allowed directory. This agent can give tasks only what its setting allow-volumes names itself: it"
                           " takes root, outside of a container, to mount more");
    }
    struct str data = docker_folder_of(docker_folder_of(plan->volume_folder));
    if (docker_is_below(*source, data) || docker_is_below(data, *source)) { return refuse_path(err, path, "is where the agent keeps its own files"); }
    struct str_list *sources = plan->volume_sources;
    sources->items = arena_grow(arena, sources->items, sources->count * sizeof *sources->items, (sources->count + 1) * sizeof *sources->items);
    sources->items[sources->count] = *source;
    *source = arena_printf(arena, STR_FMT "/%zu", STR_ARG(plan->volume_folder), sources->count++);
    return true;
}

static bool host_source(const struct docker_plan *plan, struct str path, bool itself, struct str *source, struct arena *arena, struct err *err)
{
    if (str_find(path, ':') < path.len || !resolve_path(path, source, arena)) {
        return refuse_path(err, path, "is not an absolute path without \"..\" and colons");
    }
    while (source->len > 1 && source->ptr[source->len - 1] == '/') { source->len--; }
    enum allowed allowed = is_allowed(*source, plan->volume_allow);
    if (allowed == NOT_ALLOWED) {
        return refuse_path(err, path, "is not below a directory that this machine's agent allows as a volume (its setting allow-volumes)");
    }
    if (!is_plain(*source, arena)) { return refuse_path(err, path, "is neither a directory nor a file"); }
    if (allowed == ALLOWED_ITSELF) { return true; }
    if (itself) {
        return refuse_path(err, path, "lies below an allowed directory, and Docker mounts it whenever it likes: driverOpts may bind only what the setting"
                           " allow-volumes names itself");
    }
    return place_of(plan, path, source, arena, err);
}

/* ---- volumes ---- */

static const struct wire_volume *find_volume(const struct wire_task *task, struct str name)
{
    for (size_t v = 0; v < task->volumes.count; v++) {
        if (str_eq(task->volumes.items[v].name, name)) { return &task->volumes.items[v]; }
    }
    return NULL;
}

static struct str name_in_docker(const struct docker_plan *plan, const struct wire_volume *volume, struct arena *arena)
{
    if (volume->docker != NULL && volume->docker->scope == SCOPE_SHARED) { return docker_safe_name(volume->name, arena); }
    struct str id = docker_task_id(plan->spec->task_arn);
    struct str name = arena_printf(arena, DOCKER_NAME_PREFIX STR_FMT "-" STR_FMT "-" STR_FMT "-" STR_FMT, STR_ARG(plan->spec->family),
                                   STR_ARG(plan->spec->revision), STR_ARG(volume->name), STR_ARG(id));
    return docker_safe_name(name, arena);
}

bool docker_volume_source(const struct docker_plan *plan, struct str volume_name, struct str *source, struct arena *arena,
                          struct err *err)
{
    const struct wire_volume *volume = find_volume(plan->spec->task, volume_name);
    if (volume == NULL) {
        return err_set(err, ERR_SERVER, "CannotCreateContainerError: the task has no volume \"" STR_FMT "\"", STR_ARG(volume_name));
    }
    bool is_known = volume->type.len == 0 || str_eq(volume->type, STR("host"))
        || (str_eq(volume->type, STR("docker")) && volume->docker != NULL);
    if (!is_known) {
        return err_set(err, ERR_SERVER, "CannotCreateContainerError: volume \"" STR_FMT "\" is of type " STR_FMT ", which this agent "
                       "does not have", STR_ARG(volume_name), STR_ARG(volume->type));
    }
    if (volume->docker == NULL && volume->host != NULL && volume->host->source_path.len > 0) {
        return host_source(plan, volume->host->source_path, false, source, arena, err);
    }
    *source = name_in_docker(plan, volume, arena);
    return true;
}

/* ---- dockerVolumeConfiguration ---- */

static struct str option(const struct pair_list *options, struct str key)
{
    for (size_t o = 0; o < options->count; o++) {
        if (str_eq(options->items[o].key, key)) { return options->items[o].value; }
    }
    return STR("");
}

static bool is_bind(struct str mount_options)
{
    struct str rest = mount_options, word = { NULL, 0 };
    while (rest.len > 0) {
        str_cut(rest, ',', &word, &rest);
        if (str_eq(word, STR("bind")) || str_eq(word, STR("rbind"))) { return true; }
    }
    return false;
}

/* Docker's own driver mounts anything, a host directory or a disk included. Mounts from the network or from memory are allowed; a directory
 * must be in the list of the machine's owner, like a host volume. *device is the value for Docker. */
static bool check_local_options(const struct docker_plan *plan, const struct pair_list *options, struct str *device,
                                struct arena *arena, struct err *err)
{
    static const struct str kinds[] = { STR_INIT("tmpfs"), STR_INIT("nfs"), STR_INIT("nfs4"), STR_INIT("cifs") };
    *device = option(options, STR("device"));
    if (options->count == 0) { return true; }
    if (is_bind(option(options, STR("o")))) { return host_source(plan, *device, true, device, arena, err); }
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        if (str_eq(kinds[k], option(options, STR("type")))) { return true; }
    }
    return err_set(err, ERR_SERVER, "CannotCreateContainerError: driverOpts of Docker's local driver may mount tmpfs, nfs, nfs4, cifs or "
                   "an allowed host directory");
}

static void put_pairs(struct json_out *out, struct str key, const struct pair_list *pairs, struct str device)
{
    json_key(out, key);
    json_open(out, '{');
    for (size_t p = 0; p < pairs->count; p++) {
        json_key(out, pairs->items[p].key);
        json_str(out, str_is_set(device) && str_eq(pairs->items[p].key, STR("device")) ? device : pairs->items[p].value);
    }
    json_close(out, '}');
}

bool docker_volume_body(const struct docker_plan *plan, struct str volume_name, struct str *name, struct str *body,
                        struct arena *arena, struct err *err)
{
    *name = *body = (struct str){ NULL, 0 };
    const struct wire_volume *volume = find_volume(plan->spec->task, volume_name);
    if (volume == NULL || volume->docker == NULL) { return true; }

    const struct docker_volume_configuration *from = volume->docker;
    struct str driver = from->driver.len > 0 ? from->driver : STR("local"), device = { NULL, 0 };
    if (str_eq(driver, STR("local")) && !check_local_options(plan, &from->driver_opts, &device, arena, err)) { return false; }
    *name = name_in_docker(plan, volume, arena);
    if (from->scope == SCOPE_SHARED && from->autoprovision != OPT_TRUE) { return true; }      /* it must be there */

    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    json_key(&out, STR("Name"));
    json_str(&out, *name);
    json_key(&out, STR("Driver"));
    json_str(&out, driver);
    put_pairs(&out, STR("DriverOpts"), &from->driver_opts, device);
    put_pairs(&out, STR("Labels"), &from->labels, (struct str){ NULL, 0 });
    json_close(&out, '}');
    *body = buf_str(&text);
    return true;
}
