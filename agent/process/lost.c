/* lost.c: the description of a process, where it outlives the agent's folder: members of spec.json, and the same as the last argument of its
 * shim. A shim whose folder was removed runs on, and nobody else would ever end it; here it is found again and given a folder, so that from
 * then on it is a container like the others.
 *
 * A number of a process proves nothing. A process is taken for a shim of ours only when this user owns it, when it was started as a shim for a
 * folder of this runtime's, and when its last argument has a shim's form; from the first look on, its start time identifies it. */
#include "agent/process/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/core/state_file.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"

enum { PROC_FILE_MAX = 1024 * 1024 };

void process_put_found(struct json_out *out, const struct container_found *found)
{
    json_key(out, STR("task"));
    json_str(out, found->task_arn);
    json_key(out, STR("container"));
    json_str(out, found->container_name);
    if (str_is_set(found->agent)) {
        json_key(out, STR("agent"));
        json_str(out, found->agent);
    }
    json_key(out, STR("gpus"));
    json_open(out, '[');
    for (size_t g = 0; g < found->gpus.count; g++) { json_str(out, found->gpus.items[g]); }
    json_close(out, ']');
    json_key(out, STR("gpuShare"));
    json_i64(out, found->gpu_share);
    json_key(out, STR("stopTimeout"));
    json_i64(out, found->stop_timeout_s);
}

void process_read_found(const struct json *tree, struct container_found *found, struct arena *arena)
{
    const struct json *gpus = json_get(tree, STR("gpus"));
    size_t count = gpus != NULL && gpus->type == JSON_ARRAY ? gpus->count : 0;
    *found = (struct container_found){
        .task_arn = json_get_str(tree, STR("task")), .container_name = json_get_str(tree, STR("container")), .agent = json_get_str(tree, STR("agent")),
        .gpus = { ARENA_NEW(arena, struct str, count), 0 }, .gpu_share = json_get_i64(tree, STR("gpuShare"), 0),
        .stop_timeout_s = json_get_i64(tree, STR("stopTimeout"), 0),
    };
    for (size_t g = 0; g < count; g++) {
        if (gpus->as.items[g].type == JSON_STRING) { found->gpus.items[found->gpus.count++] = gpus->as.items[g].as.string; }
    }
}

static struct str found_text(const struct container_found *found, struct arena *arena)
{
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    process_put_found(&out, found);
    json_close(&out, '}');
    return buf_str(&text);
}

char *process_shim_word(const char *dir, struct arena *arena)
{
    const struct json *spec = process_read_spec(dir, arena);
    struct container_found found = { 0 };
    if (spec != NULL) { process_read_found(spec, &found, arena); }
    struct str text = found_text(&found, arena);
    return arena_copy(arena, arena_cstr(arena, text), text.len + 1);
}

char **process_shim_environment(char **environment, struct arena *arena)
{
    static const struct str ours[] = { STR_INIT("AWS_"), STR_INIT("BERTH_"), STR_INIT("ECS_") };
    size_t count = 0, kept = 0;
    while (environment[count] != NULL) { count++; }
    char **words = ARENA_NEW(arena, char *, count + 1);
    for (size_t e = 0; e < count; e++) {
        bool is_ours = false;
        for (size_t o = 0; o < COUNT_OF(ours); o++) { is_ours = is_ours || str_starts_with(str_from(environment[e]), ours[o]); }
        if (!is_ours) { words[kept++] = environment[e]; }
    }
    words[kept] = NULL;
    return words;
}

/* ---- /proc ---- */

/* The process as long as it is the one that was first looked at. */
struct candidate { pid_t pid; int64_t start; int fd; };      /* fd: its folder in /proc */

static struct str read_file(const struct candidate *one, const char *name, struct arena *arena)
{
    int fd = openat(one->fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) { return STR(""); }
    char *bytes = arena_alloc(arena, PROC_FILE_MAX, 1);
    size_t len = 0;
    ssize_t got = 1;
    while (len < PROC_FILE_MAX && got > 0) {
        got = read(fd, bytes + len, PROC_FILE_MAX - len);
        if (got > 0) { len += (size_t)got; }
    }
    close(fd);
    return (struct str){ bytes, len };
}

/* The name of the folder that this was started for as a shim, and its description; absent: it is no shim, or the folder is not one of `dir`. */
static struct str folder_of(const struct candidate *one, const char *dir, struct str *text, struct arena *arena)
{
    struct str program, word, path, rest, command = read_file(one, "cmdline", arena);
    struct id id;
    bool cut = str_cut(command, '\0', &program, &rest) && str_cut(rest, '\0', &word, &rest) && str_cut(rest, '\0', &path, &rest)
        && str_cut(rest, '\0', text, &rest);
    if (!cut || rest.len > 0 || !str_eq(word, STR("__shim"))) { return (struct str){ NULL, 0 }; }
    struct str prefix = arena_printf(arena, "%s/", dir);
    struct str name = str_starts_with(path, prefix) ? str_slice(path, prefix.len, path.len) : STR("");
    return name.len == ID_HEX_LEN && id_parse(name, &id) ? name : (struct str){ NULL, 0 };
}

/* Makes its folder again: its spec and its number. The spec comes last, because it makes the container visible. */
static bool give_folder(const struct candidate *one, const char *folder, struct str text, struct err *err)
{
    char path[PROCESS_PATH_MAX];
    const int64_t tick_ms = 1000 / sysconf(_SC_CLK_TCK);
    struct process_pids pids = { .shim = { one->pid, one->start }, .started_ms = clock_now_ms() - (clock_boot_ms() - one->start * tick_ms) };
    process_boot(pids.boot);
    return process_path(folder, "work", path) && state_file_make_dir(path, err) && process_write_pids(folder, &pids, err)
        && process_path(folder, "spec.json", path) && state_file_write(path, text, err);
}

static void adopt(const struct candidate *one, const char *dir, struct arena *arena)
{
    char folder[PROCESS_PATH_MAX], path[PROCESS_PATH_MAX];
    struct err err = { 0 };
    struct stat owner;
    struct str text, name = folder_of(one, dir, &text, arena);
    if (!str_is_set(name) || fstat(one->fd, &owner) != 0 || owner.st_uid != geteuid()) { return; }
    if (!process_path(dir, arena_cstr(arena, name), folder) || !process_path(folder, "spec.json", path) || access(path, F_OK) == 0) { return; }
    struct container_found found = { 0 };
    const struct json *tree = json_parse(text, arena, &err);
    if (tree != NULL) { process_read_found(tree, &found, arena); }
    bool is_it = process_start_time(one->pid) == one->start;
    if (!is_it || !str_is_set(found.task_arn) || !str_is_set(found.container_name)) { return; }
    err = (struct err){ 0 };
    if (give_folder(one, folder, found_text(&found, arena), &err)) {
        log_line(LOG_WARN, "agent", "a process whose folder was removed still runs, and is taken up pid=%d task=" STR_FMT, (int)one->pid,
                 STR_ARG(found.task_arn));
    } else {
        log_line(LOG_WARN, "agent", "a process whose folder was removed cannot be taken up pid=%d: %s", (int)one->pid, err.message);
    }
}

void process_adopt_lost(const char *dir)
{
    DIR *listing = opendir("/proc");
    struct arena arena = { .ceiling = PROCESS_ARENA_MAX };
    if (listing == NULL) { return; }
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        int64_t pid;
        if (!str_to_i64(str_from(entry->d_name), &pid) || pid <= 1) { continue; }
        int fd = openat(dirfd(listing), entry->d_name, O_RDONLY | O_CLOEXEC);
        const struct candidate one = { (pid_t)pid, process_start_time((pid_t)pid), fd };
        if (one.start >= 0 && fd >= 0) { adopt(&one, dir, &arena); }
        if (fd >= 0) { close(fd); }
        arena_reset(&arena);
    }
    closedir(listing);
    arena_finish(&arena);
}
