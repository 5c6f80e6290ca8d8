/* logs.c: files are opened for each chunk: logs are bounded and rare beside everything else, and an open file per container
 * would be a limit of its own. */
#include "server/logs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/log.h"

enum { PATH_SIZE = 1024, SHARDS = 16, PERIOD_LEN = 6 };

#define MARK_FORMAT "[berth: %019" PRId64 " earlier bytes are not kept]\n"
enum { MARK_LEN = sizeof "[berth: 0000000000000000000 earlier bytes are not kept]\n" - 1, MARK_DIGITS_AT = 8, MARK_DIGITS = 19 };

struct logs {
    char dir[PATH_SIZE - 512];               /* room for a task, a container and a suffix */
    struct lock files[SHARDS];               /* writing one file, by task */
    struct lock lock;                        /* guards the block below */
    struct lock_signal appended;
    uint64_t turn;
    bool stopping;
    char swept[PERIOD_LEN + 1];              /* the period of ended logs that was looked at last; the sweeping thread's own */
};

/* ---- names ---- */

static void dir_of(const struct logs *logs, struct id task, char out[PATH_SIZE])
{
    char hex[ID_HEX_LEN + 1];
    id_hex(task, hex);
    (void)snprintf(out, PATH_SIZE, "%s/%s", logs->dir, hex);
}

static void ended_dir_of(const struct logs *logs, struct id task, char out[PATH_SIZE])
{
    char hex[ID_HEX_LEN + 1];
    id_hex(task, hex);
    (void)snprintf(out, PATH_SIZE, "%s/ended/%.*s/%s", logs->dir, PERIOD_LEN, hex, hex);
}

/* The name was checked: letters, digits, '-' and '_'. */
static void ended_path_of(const struct logs *logs, struct id task, struct str container, char out[PATH_SIZE])
{
    char hex[ID_HEX_LEN + 1];
    id_hex(task, hex);
    ASSERT(container.len <= LOGS_NAME_MAX);
    (void)snprintf(out, PATH_SIZE, "%s/ended/%.*s/%s/" STR_FMT ".log", logs->dir, PERIOD_LEN, hex, hex, STR_ARG(container));
}

/* Likewise. */
static void path_of(const struct logs *logs, struct id task, struct str container, const char *suffix, char out[PATH_SIZE])
{
    char hex[ID_HEX_LEN + 1];
    id_hex(task, hex);
    ASSERT(container.len <= LOGS_NAME_MAX);
    (void)snprintf(out, PATH_SIZE, "%s/%s/" STR_FMT "%s", logs->dir, hex, STR_ARG(container), suffix);
}

/* ---- one file ---- */

struct file { int fd; int64_t dropped; int64_t start, size; };       /* start: where text begins, behind the mark */

static int64_t file_end(const struct file *file) { return file->dropped + file->size - file->start; }

static void read_mark(struct file *file)
{
    char mark[MARK_LEN], wanted[MARK_LEN + 1];
    int64_t dropped;
    file->dropped = file->start = 0;
    if (pread(file->fd, mark, sizeof mark, 0) != (ssize_t)sizeof mark) { return; }
    if (!str_to_i64((struct str){ mark + MARK_DIGITS_AT, MARK_DIGITS }, &dropped)) { return; }
    (void)snprintf(wanted, sizeof wanted, MARK_FORMAT, dropped);
    if (memcmp(mark, wanted, MARK_LEN) != 0) { return; }
    file->dropped = dropped;
    file->start = MARK_LEN;
}

static bool open_file(const char *path, int flags, struct file *file)
{
    struct stat stat;
    file->fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file->fd < 0) { return false; }
    if (fstat(file->fd, &stat) != 0) {
        (void)close(file->fd);
        return false;
    }
    file->size = stat.st_size;
    read_mark(file);
    return true;
}

static bool write_whole(int fd, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t wrote = write(fd, bytes.ptr, bytes.len);
        if (wrote < 0 && errno == EINTR) { continue; }
        if (wrote < 0) { return false; }
        bytes = str_slice(bytes, (size_t)wrote, bytes.len);
    }
    return true;
}

static bool no_write(struct err *err)
{
    return err_set(err, ERR_SERVER, "The log can't be written: %s.", strerror(errno));
}

/* Puts a file in the place of the old one: a mark, and `text` behind it. Either all of it happens or nothing. */
static bool replace_file(const char *path, const char *fresh_path, int64_t dropped, struct str text, struct err *err)
{
    char mark[MARK_LEN + 1];
    (void)snprintf(mark, sizeof mark, MARK_FORMAT, dropped);
    int fd = open(fresh_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) { return no_write(err); }
    bool good = write_whole(fd, (struct str){ mark, MARK_LEN }) && write_whole(fd, text);
    if (close(fd) != 0 || !good || rename(fresh_path, path) != 0) {
        (void)no_write(err);
        (void)unlink(fresh_path);
        return false;
    }
    return true;
}

/* How much of a text that begins anywhere stands before its first whole line; 0 when it is all one line. */
static size_t line_start(struct str text)
{
    size_t line = str_find(text, '\n');
    return line + 1 < text.len ? line + 1 : 0;
}

/* What stands behind `from` stays, from the beginning of a line on where there is one. */
static bool cut_file(const char *path, const char *fresh_path, const struct file *file, int64_t from, struct err *err)
{
    size_t size = (size_t)(file->size - from);
    char *bytes = malloc(size);
    ASSERT(bytes != NULL);
    bool good = pread(file->fd, bytes, size, from) == (ssize_t)size;
    struct str text = { bytes, size };
    size_t skip = line_start(text);
    if (!good) {
        (void)no_write(err);
    } else {
        good = replace_file(path, fresh_path, file->dropped + from - file->start + (int64_t)skip, str_slice(text, skip, size), err);
    }
    free(bytes);
    return good;
}

static bool halve_file(const char *path, const char *fresh_path, const struct file *file, struct err *err)
{
    return cut_file(path, fresh_path, file, file->start + (file->size - file->start) / 2, err);
}

/* ---- appending ---- */

/* What is new of a chunk; a repeat has nothing new. */
static struct str new_part(struct str text, int64_t offset, int64_t end)
{
    if (offset < 0 || offset >= end) { return text; }
    int64_t known = end - offset;
    return known >= (int64_t)text.len ? STR("") : str_slice(text, (size_t)known, text.len);
}

static bool append_to(const char *path, const char *fresh_path, int64_t offset, struct str text, struct err *err)
{
    struct file file;
    if (!open_file(path, O_RDWR | O_CREAT | O_APPEND, &file)) { return no_write(err); }
    bool good = true;
    if (offset > file_end(&file)) {                       /* what lies between never came, or was lost with a disk */
        good = replace_file(path, fresh_path, offset, text, err);
        (void)close(file.fd);
        return good;
    }
    struct str fresh = new_part(text, offset, file_end(&file));
    if (!write_whole(file.fd, fresh)) {
        (void)no_write(err);
        good = false;
        if (ftruncate(file.fd, file.size) != 0) { log_line(LOG_WARN, "logs", "a half-written log stays: %s", path); }
    } else {
        file.size += (int64_t)fresh.len;
        if (file.size > LOGS_FILE_MAX) { good = halve_file(path, fresh_path, &file, err); }
    }
    (void)close(file.fd);
    return good;
}

static bool make_room(struct logs *logs, struct id task, const char *path, struct err *err)
{
    char dir[PATH_SIZE];
    dir_of(logs, task, dir);
    if (mkdir(dir, 0700) == 0) { return true; }
    if (errno != EEXIST) { return no_write(err); }
    if (access(path, F_OK) == 0) { return true; }
    DIR *entries = opendir(dir);
    if (entries == NULL) { return no_write(err); }
    size_t count = 0;
    while (readdir(entries) != NULL) { count++; }
    (void)closedir(entries);
    return count < LOGS_CONTAINERS_MAX + 2
        || err_set(err, ERR_LIMIT_EXCEEDED, "A task can have logs of at most %d containers.", LOGS_CONTAINERS_MAX);
}

bool logs_append(struct logs *logs, struct id task, struct str container, int64_t offset, struct str text, struct err *err)
{
    char path[PATH_SIZE], fresh_path[PATH_SIZE];
    path_of(logs, task, container, ".log", path);
    path_of(logs, task, container, ".new", fresh_path);
    struct lock *shard = &logs->files[task.bytes[15] % SHARDS];
    lock_take(shard);
    bool good = make_room(logs, task, path, err) && append_to(path, fresh_path, offset, text, err);
    lock_drop(shard);
    if (!good) { return false; }
    lock_take(&logs->lock);
    logs->turn++;
    lock_wake_all(&logs->appended);
    lock_drop(&logs->lock);
    return true;
}

/* ---- reading ---- */

/* Whole, or only its end. */
static bool open_log(const struct logs *logs, struct id task, struct str container, struct file *file)
{
    char path[PATH_SIZE];
    path_of(logs, task, container, ".log", path);
    if (open_file(path, O_RDONLY, file)) { return true; }
    ended_path_of(logs, task, container, path);
    return open_file(path, O_RDONLY, file);
}

bool logs_read(struct logs *logs, struct id task, struct str container, int64_t *position, size_t limit, struct buf *out)
{
    struct file file;
    if (!open_log(logs, task, container, &file)) { return false; }
    if (*position < file.dropped) {
        buf_printf(out, MARK_FORMAT, file.dropped);
        *position = file.dropped;
    }
    int64_t from = file.start + *position - file.dropped;
    size_t size = from >= file.size ? 0 : (size_t)(file.size - from);
    if (size > limit) { size = limit; }
    ssize_t got = size == 0 ? 0 : pread(file.fd, buf_room(out, size), size, from);
    if (got > 0) {
        out->len += (size_t)got;
        *position += got;
    }
    (void)close(file.fd);
    return true;
}

bool logs_read_end(struct logs *logs, struct id task, struct str container, size_t limit, int64_t *before, struct buf *out)
{
    struct file file;
    if (!open_log(logs, task, container, &file)) { return false; }
    size_t size = (size_t)(file.size - file.start);
    if (size > limit) { size = limit; }
    int64_t from = file.size - (int64_t)size;
    char *room = buf_room(out, size);
    ssize_t got = size == 0 ? 0 : pread(file.fd, room, size, from);
    struct str text = { room, got > 0 ? (size_t)got : 0 };
    size_t skip = from > file.start ? line_start(text) : 0;
    memmove(room, room + skip, text.len - skip);
    out->len += text.len - skip;
    *before = file.dropped + from - file.start + (int64_t)skip;
    (void)close(file.fd);
    return true;
}

size_t logs_containers(struct logs *logs, struct id task, struct str *names, size_t limit, struct arena *arena)
{
    char dir[PATH_SIZE];
    dir_of(logs, task, dir);
    DIR *entries = opendir(dir);
    if (entries == NULL) {
        ended_dir_of(logs, task, dir);
        entries = opendir(dir);
    }
    if (entries == NULL) { return 0; }
    size_t count = 0;
    for (struct dirent *entry = readdir(entries); entry != NULL && count < limit; entry = readdir(entries)) {
        struct str name = str_from(entry->d_name);
        if (str_ends_with(name, STR(".log"))) { names[count++] = arena_str(arena, str_slice(name, 0, name.len - 4)); }
    }
    (void)closedir(entries);
    return count;
}

uint64_t logs_turn(struct logs *logs)
{
    lock_take(&logs->lock);
    uint64_t turn = logs->turn;
    lock_drop(&logs->lock);
    return turn;
}

bool logs_wait(struct logs *logs, uint64_t turn, int64_t until_ms)
{
    bool in_time = true;
    lock_take(&logs->lock);
    while (logs->turn == turn && !logs->stopping && in_time) { in_time = lock_wait_until(&logs->appended, &logs->lock, until_ms); }
    bool more = logs->turn != turn && !logs->stopping;
    lock_drop(&logs->lock);
    return more;
}

/* ---- sweeping ---- */

static void remove_dir(const char *dir)
{
    DIR *entries = opendir(dir);
    if (entries == NULL) { return; }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (entry->d_name[0] == '.') { continue; }
        if (unlinkat(dirfd(entries), entry->d_name, 0) != 0) { log_line(LOG_WARN, "logs", "a log stays in %s: %s", dir, strerror(errno)); }
    }
    (void)closedir(entries);
    if (rmdir(dir) != 0) { log_line(LOG_WARN, "logs", "a directory stays: %s: %s", dir, strerror(errno)); }
}

static void end_file(const struct logs *logs, struct id task, struct str container)
{
    char path[PATH_SIZE], fresh_path[PATH_SIZE];
    struct file file;
    struct err err = { 0 };
    path_of(logs, task, container, ".log", path);
    path_of(logs, task, container, ".new", fresh_path);
    if (!open_file(path, O_RDONLY, &file)) { return; }
    if (file.size - file.start > LOGS_END_MAX && !cut_file(path, fresh_path, &file, file.size - LOGS_END_MAX, &err)) {
        log_line(LOG_WARN, "logs", "a log is not cut: %s: %s", path, err.message);
    }
    (void)close(file.fd);
}

/* Cuts the logs of one task where they are, and moves them: what is interrupted between is done again. */
static void end_dir(const struct logs *logs, struct id task, const char *dir)
{
    char ended[PATH_SIZE], period[PATH_SIZE];
    DIR *entries = opendir(dir);
    if (entries == NULL) { return; }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        struct str name = str_from(entry->d_name);
        if (str_ends_with(name, STR(".log"))) { end_file(logs, task, str_slice(name, 0, name.len - strlen(".log"))); }
    }
    (void)closedir(entries);
    ended_dir_of(logs, task, ended);
    (void)snprintf(period, sizeof period, "%s/ended", logs->dir);
    bool good = mkdir(period, 0700) == 0 || errno == EEXIST;
    (void)snprintf(period, sizeof period, "%.*s", (int)(strlen(ended) - ID_HEX_LEN - 1), ended);
    good = good && (mkdir(period, 0700) == 0 || errno == EEXIST);
    remove_dir(ended);                                    /* of a task that was thought to be gone once before */
    if (!good || rename(dir, ended) != 0) { log_line(LOG_WARN, "logs", "a log is not moved: %s: %s", dir, strerror(errno)); }
}

static void sweep_one(struct logs *logs, struct id task, const char *dir, enum log_fate fate)
{
    struct lock *shard = &logs->files[task.bytes[15] % SHARDS];
    lock_take(shard);
    switch (fate) {
    case LOG_STAYS:                             break;
    case LOG_ENDS:  end_dir(logs, task, dir);   break;
    case LOG_GOES:  remove_dir(dir);            break;
    }
    lock_drop(shard);
}

/* The first period behind the one that was looked at last; at the end it begins anew. */
static bool next_period(struct logs *logs)
{
    char dir[PATH_SIZE], next[PERIOD_LEN + 1] = "";
    (void)snprintf(dir, sizeof dir, "%s/ended", logs->dir);
    DIR *entries = opendir(dir);
    if (entries == NULL) { return false; }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        const char *name = entry->d_name;
        if (strlen(name) != PERIOD_LEN || strcmp(name, logs->swept) <= 0) { continue; }
        if (next[0] == '\0' || strcmp(name, next) < 0) { memcpy(next, name, sizeof next); }
    }
    (void)closedir(entries);
    memcpy(logs->swept, next, sizeof next);
    return next[0] != '\0';
}

static void sweep_ended(struct logs *logs, enum log_fate (*fate)(void *context, struct id task), void *context)
{
    char period[PATH_SIZE], dir[PATH_SIZE];
    if (!next_period(logs)) { return; }
    (void)snprintf(period, sizeof period, "%s/ended/%s", logs->dir, logs->swept);
    DIR *entries = opendir(period);
    if (entries == NULL) { return; }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        struct id task;
        if (!id_parse(str_from(entry->d_name), &task) || fate(context, task) != LOG_GOES) { continue; }
        ended_dir_of(logs, task, dir);
        sweep_one(logs, task, dir, LOG_GOES);
    }
    (void)closedir(entries);
    if (rmdir(period) != 0 && errno != ENOTEMPTY) { log_line(LOG_WARN, "logs", "a directory stays: %s: %s", period, strerror(errno)); }
}

void logs_sweep(struct logs *logs, enum log_fate (*fate)(void *context, struct id task), void *context)
{
    DIR *entries = opendir(logs->dir);
    if (entries == NULL) {
        log_line(LOG_WARN, "logs", "old logs can't be looked for: %s", strerror(errno));
        return;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        struct id task;
        char dir[PATH_SIZE];
        if (!id_parse(str_from(entry->d_name), &task)) { continue; }
        dir_of(logs, task, dir);
        sweep_one(logs, task, dir, fate(context, task));
    }
    (void)closedir(entries);
    sweep_ended(logs, fate, context);
}

/* ---- life ---- */

struct logs *task_logs_create(const char *dir, struct err *err)
{
    struct logs *logs = calloc(1, sizeof *logs);
    ASSERT(logs != NULL);
    bool good = str_to_cstr(str_from(dir), logs->dir, sizeof logs->dir)
        || err_set(err, ERR_INVALID_PARAMETER, "The data directory's name is too long.");
    if (good && mkdir(dir, 0700) != 0 && errno != EEXIST) {
        good = err_set(err, ERR_SERVER, "The log directory %s can't be made: %s", dir, strerror(errno));
    }
    if (!good) {
        free(logs);
        return NULL;
    }
    for (size_t s = 0; s < SHARDS; s++) { lock_init(&logs->files[s]); }
    lock_init(&logs->lock);
    lock_signal_init(&logs->appended);
    return logs;
}

void logs_stop(struct logs *logs)
{
    lock_take(&logs->lock);
    logs->stopping = true;
    lock_wake_all(&logs->appended);
    lock_drop(&logs->lock);
}

void task_logs_destroy(struct logs *logs)
{
    if (logs == NULL) { return; }
    for (size_t s = 0; s < SHARDS; s++) { lock_finish(&logs->files[s]); }
    lock_signal_finish(&logs->appended);
    lock_finish(&logs->lock);
    free(logs);
}
