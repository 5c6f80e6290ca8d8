/* mounts.c: directories of this machine that lie below an allowed one, for as long as a container starts.
 *
 * A container that may write into an allowed directory can put a link in the way of another one's volume, at any time. Docker uses a path, and
 * follows the link. So the agent opens the directory itself, step by step and without following any link, mounts the open directory in its own
 * folder, where no container writes, and gives Docker that place. It is mounted before each start and unmounted after it: by then the
 * container has its own mount. The link "N.from" beside the place has the directory's path as its text; nobody follows it.
 *
 * Only an agent that may mount, in the engine's own mount name space, can do so. */
#include "agent/docker/docker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"

enum { PLACE_MAX = PATH_MAX + 64, STACKED_MAX = 1000 };

/* ---- allowed directories ---- */

/* A directory inside another allowed one adds nothing; by its own name it could be replaced by a link. */
static bool lies_in_another(char *const *all, size_t count, size_t at)
{
    for (size_t a = 0; a < count; a++) {
        bool same = strcmp(all[a], all[at]) == 0;
        if (a != at && docker_is_below(str_from(all[at]), str_from(all[a])) && (!same || a < at)) { return true; }
    }
    return false;
}

static void take_allowed(struct docker_mounts *mounts, const char *const *paths)
{
    size_t count = 0, kept = 0;
    while (paths[count] != NULL) { count++; }
    char **all = calloc(count + 1, sizeof *all);
    mounts->allowed = calloc(count + 1, sizeof *mounts->allowed);
    ASSERT(all != NULL && mounts->allowed != NULL);
    for (size_t p = 0; p < count; p++) {
        all[p] = realpath(paths[p], NULL);           /* NULL: not there yet, then it is kept as it was written */
        if (all[p] == NULL) { all[p] = strdup(paths[p]); }
        ASSERT(all[p] != NULL);
    }
    for (size_t p = 0; p < count; p++) {
        if (!lies_in_another(all, count, p)) { mounts->allowed[kept++] = strdup(all[p]); }
    }
    for (size_t p = 0; p < count; p++) { free(all[p]); }
    free(all);
}

/* ---- may this agent mount? ---- */

/* The engine behind the socket sees the mounts that are made here. */
static bool shares_mounts(const char *socket_path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct ucred peer = { 0 };
    socklen_t size = sizeof peer;
    char path[64], own[64] = "", other[64] = "";
    if (!str_to_cstr(str_from(socket_path), address.sun_path, sizeof address.sun_path)) { return false; }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool known = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0
        && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0;
    if (fd >= 0) { close(fd); }
    (void)snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)peer.pid);
    return known && readlink("/proc/self/ns/mnt", own, sizeof own - 1) > 0 && readlink(path, other, sizeof other - 1) > 0 && strcmp(own, other) == 0;
}

static bool may_mount(const char *dir)
{
    return mount(dir, dir, NULL, MS_BIND, NULL) == 0 && umount2(dir, MNT_DETACH) == 0;
}

void docker_mounts_init(struct docker_mounts *mounts, const char *const *paths, const char *dir, const char *socket_path)
{
    char real[PATH_MAX];
    take_allowed(mounts, paths);
    if (mounts->allowed[0] == NULL) { return; }
    bool made = (mkdir(dir, 0700) == 0 || errno == EEXIST) && realpath(dir, real) != NULL;
    if (made) {
        ASSERT(str_to_cstr(str_from(real), mounts->dir, sizeof mounts->dir));         /* as long as PATH_MAX */
        struct str data = docker_folder_of(str_from(mounts->dir));
        for (size_t a = 0; mounts->allowed[a] != NULL; a++) {
            if (docker_is_below(data, str_from(mounts->allowed[a]))) {
                log_line(LOG_WARN, "agent", "allow-volumes names %s, which holds the agent's own folder: who may mount that has this machine",
                         mounts->allowed[a]);
            }
        }
    }
    mounts->can = made && shares_mounts(socket_path) && may_mount(mounts->dir);
    if (mounts->can) { return; }
    log_line(LOG_WARN, "agent", "tasks may mount what allow-volumes names, and nothing below it: this agent can make no mounts that Docker sees (it takes root,"
             " outside of a container)");
}

void docker_mounts_finish(struct docker_mounts *mounts)
{
    for (size_t a = 0; mounts->allowed != NULL && mounts->allowed[a] != NULL; a++) { free(mounts->allowed[a]); }
    free(mounts->allowed);
}

/* ---- places: DIR/<token>/<number> ---- */

static bool refuse(struct err *err, const char *step, struct str path, const char *why)
{
    return err_set(err, ERR_SERVER, "%s: host path \"" STR_FMT "\": %s", step, STR_ARG(path), why);
}

bool docker_mounts_keep(struct str folder, const struct str_list *sources, struct arena *arena, struct err *err)
{
    static const char step[] = "CannotCreateContainerError";
    if (sources->count == 0) { return true; }
    if (mkdir(arena_cstr(arena, folder), 0700) != 0) { return refuse(err, step, folder, strerror(errno)); }
    for (size_t s = 0; s < sources->count; s++) {
        const char *from = arena_printf(arena, STR_FMT "/%zu.from", STR_ARG(folder), s).ptr;
        if (symlink(arena_cstr(arena, sources->items[s]), from) != 0) { return refuse(err, step, sources->items[s], strerror(errno)); }
    }
    return true;
}

/* Is it a place of ours? Nothing else is touched, also when a container's description names it. */
static bool is_place(const struct docker_mounts *mounts, struct str source)
{
    struct str dir = str_from(mounts->dir), token, number;
    int64_t at;
    if (!mounts->can || !docker_is_below(source, dir) || source.len <= dir.len) { return false; }
    return str_cut(str_slice(source, dir.len + 1, source.len), '/', &token, &number) && token.len == DOCKER_TOKEN_LEN
        && str_find(token, '.') == token.len && str_to_i64(number, &at) && at >= 0;
}

/* ---- opening ---- */

/* The next step of a path, without slashes. False: no step is left, or it is too long. */
static bool next_step(struct str *rest, char name[NAME_MAX + 1])
{
    struct str step = { NULL, 0 };
    while (rest->len > 0) {
        str_cut(*rest, '/', &step, rest);
        if (step.len > 0 && !str_eq(step, STR("."))) { return str_to_cstr(step, name, NAME_MAX + 1); }
    }
    return false;
}

static int open_step(int at, const char *name)
{
    return openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* A missing directory is made, as Docker would. A link is not followed: behind it the next step fails, and at the end it is neither a
 * directory nor a file. -1 with errno. */
static int open_below(const char *directory, struct str rest)
{
    char name[NAME_MAX + 1];
    struct stat status = { 0 };
    int at = open(directory, O_PATH | O_CLOEXEC);          /* a file may be named, too */
    while (at >= 0 && next_step(&rest, name)) {
        bool back = strcmp(name, "..") == 0;               /* out of the directory: the caller should have refused it before */
        int next = back ? -1 : open_step(at, name);
        if (back) { errno = ELOOP; }
        if (next < 0 && errno == ENOENT && (mkdirat(at, name, 0755) == 0 || errno == EEXIST)) { next = open_step(at, name); }
        int why = errno;
        close(at);
        errno = why;
        at = next;
    }
    if (at < 0) { return -1; }
    bool good = rest.len == 0 && fstat(at, &status) == 0 && (S_ISDIR(status.st_mode) || S_ISREG(status.st_mode));
    if (good) { return at; }
    close(at);
    errno = ELOOP;
    return -1;
}

static bool refuse_start(struct err *err, struct str path, int why)
{
    return refuse(err, "CannotStartContainerError", path, why == ELOOP || why == ENOTDIR
                  ? "a link leads away from it, or it is no directory and no file" : strerror(why));
}

static int open_allowed(const struct docker_mounts *mounts, struct str path)
{
    for (size_t a = 0; mounts->allowed[a] != NULL; a++) {
        struct str directory = str_from(mounts->allowed[a]);
        if (docker_is_below(path, directory)) { return open_below(mounts->allowed[a], str_slice(path, directory.len, path.len)); }
    }
    errno = EACCES;
    return -1;
}

/* ---- mounting ---- */

/* Something of the same kind to mount over. */
static bool ready_place(const char *place, bool directory)
{
    struct stat status;
    if (lstat(place, &status) == 0 && S_ISDIR(status.st_mode) == directory) { return true; }
    (void)remove(place);
    if (directory) { return mkdir(place, 0) == 0; }
    int fd = open(place, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0);
    return fd >= 0 && close(fd) == 0;
}

static bool mount_open(int fd, const char *place)
{
    char opened[64];
    struct stat status;
    (void)snprintf(opened, sizeof opened, "/proc/self/fd/%d", fd);
    if (fstat(fd, &status) != 0 || !ready_place(place, S_ISDIR(status.st_mode)) || mount(opened, place, NULL, MS_BIND | MS_REC, NULL) != 0) { return false; }
    /* Unmounting it later must not unmount the mounts below the directory itself. */
    if (mount(NULL, place, NULL, MS_REC | MS_SLAVE, NULL) == 0) { return true; }
    (void)umount2(place, MNT_DETACH);
    return false;
}

static bool make_one(const struct docker_mounts *mounts, struct str source, struct arena *arena, struct err *err)
{
    char from[PATH_MAX] = "";
    const char *place = arena_cstr(arena, source);
    if (readlink(arena_printf(arena, "%s.from", place).ptr, from, sizeof from - 1) <= 0) {
        return refuse(err, "CannotStartContainerError", source, "the agent does not know any more what belongs there");
    }
    int fd = open_allowed(mounts, str_from(from));
    bool good = fd >= 0 && mount_open(fd, place);
    int why = errno;
    if (fd >= 0) { close(fd); }
    return good || refuse_start(err, str_from(from), why);
}

/* Places among a container's mounts in Docker's answer, those of volumesFrom too. */
static struct str place_at(const struct docker_mounts *mounts, const struct json *list, size_t m)
{
    struct str source = json_get_str(&list->as.items[m], STR("Source"));
    return is_place(mounts, source) ? source : (struct str){ NULL, 0 };
}

static size_t count_of(const struct json *list) { return list != NULL && list->type == JSON_ARRAY ? list->count : 0; }

static void undo_first(const struct docker_mounts *mounts, const struct json *list, size_t count, struct arena *arena)
{
    for (size_t m = 0; m < count; m++) {
        struct str place = place_at(mounts, list, m);
        if (str_is_set(place)) { (void)umount2(arena_cstr(arena, place), MNT_DETACH); }
    }
}

/* A directory by its own path: an allowed one, or one of a container that an older agent made. */
static bool check_one(const struct docker_mounts *mounts, const struct json *mount, struct err *err)
{
    if (!mounts->can || !str_eq(json_get_str(mount, STR("Type")), STR("bind"))) { return true; }
    struct str source = json_get_str(mount, STR("Source"));
    int fd = open_allowed(mounts, source), why = errno;
    if (fd >= 0) { close(fd); }
    return fd >= 0 || refuse_start(err, source, why);
}

bool docker_mounts_make(const struct docker_mounts *mounts, const struct json *container, struct arena *arena, struct err *err)
{
    const struct json *list = json_get(container, STR("Mounts"));
    for (size_t m = 0; m < count_of(list); m++) {
        struct str place = place_at(mounts, list, m);
        if (str_is_set(place) ? make_one(mounts, place, arena, err) : check_one(mounts, &list->as.items[m], err)) { continue; }
        undo_first(mounts, list, m, arena);
        return false;
    }
    return true;
}

void docker_mounts_undo(const struct docker_mounts *mounts, const struct json *container, struct arena *arena)
{
    const struct json *list = json_get(container, STR("Mounts"));
    undo_first(mounts, list, count_of(list), arena);
}

/* ---- cleaning up ---- */

static void remove_folder(const char *folder, struct arena *arena)
{
    DIR *listing = opendir(folder);
    if (listing == NULL) { return; }
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (entry->d_name[0] == '.') { continue; }
        const char *place = arena_printf(arena, "%s/%s", folder, entry->d_name).ptr;
        for (int stacked = 0; stacked < STACKED_MAX && umount2(place, MNT_DETACH | UMOUNT_NOFOLLOW) == 0; stacked++) { }
        (void)remove(place);                         /* a directory only when it is empty */
    }
    closedir(listing);
    (void)rmdir(folder);
}

void docker_mounts_drop(struct str folder, struct arena *arena)
{
    if (str_is_set(folder)) { remove_folder(arena_cstr(arena, folder), arena); }
}

/* "<dir>/<token>/<number>:/path:ro" in HostConfig.Binds: those of the container itself, not of volumesFrom. */
static bool has_bind_in(const struct json *binds, struct str folder)
{
    for (size_t b = 0; b < count_of(binds); b++) {
        struct str bind = binds->as.items[b].type == JSON_STRING ? binds->as.items[b].as.string : STR("");
        if (docker_is_below(str_slice(bind, 0, str_find(bind, ':')), folder)) { return true; }
    }
    return false;
}

void docker_mounts_forget(const struct docker_mounts *mounts, const struct json *container, struct arena *arena)
{
    const struct json *binds = json_get(json_get(container, STR("HostConfig")), STR("Binds")), *list = json_get(container, STR("Mounts"));
    for (size_t m = 0; m < count_of(list); m++) {
        struct str place = place_at(mounts, list, m), folder = docker_folder_of(place);
        if (str_is_set(place) && has_bind_in(binds, folder)) { remove_folder(arena_cstr(arena, folder), arena); }
    }
}

void docker_mounts_sweep(const struct docker_mounts *mounts, const struct json *containers, struct arena *arena)
{
    DIR *listing = mounts->can ? opendir(mounts->dir) : NULL;
    if (listing == NULL) { return; }
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        struct str folder = arena_printf(arena, "%s/%s", mounts->dir, entry->d_name);
        bool used = entry->d_name[0] == '.';
        for (size_t c = 0; c < count_of(containers) && !used; c++) {
            const struct json *list = json_get(&containers->as.items[c], STR("Mounts"));
            for (size_t m = 0; m < count_of(list) && !used; m++) { used = docker_is_below(json_get_str(&list->as.items[m], STR("Source")), folder); }
        }
        if (!used) { remove_folder(folder.ptr, arena); }
    }
    closedir(listing);
}
