/* groups.c: a group's file is text: "<created> <made|found> <name>", then "<created> <task> <container> <stream>" for each
 * stream, in order of creation. Readers take no lock: lines are added at the end, whole ones count, and a shorter file is put in the
 * place of the old one. */
#include "server/logs/groups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/sigv4.h"

enum { PATH_SIZE = 1024, HASH_LEN = 32, SWEEP_CEILING = 128 * 1024 * 1024 };

struct log_groups {
    char dir[PATH_SIZE - 64];
    struct lock lock;                        /* writing any of the files */
    char swept[HASH_LEN + 1];                /* the file that was looked at last; the sweeping thread's own */
};

/* ---- files ---- */

static void path_of(const struct log_groups *groups, struct str group, char out[PATH_SIZE])
{
    char hash[SIGV4_HEX_LEN + 1];
    sha256_hex(group, hash);
    (void)snprintf(out, PATH_SIZE, "%s/%.*s", groups->dir, HASH_LEN, hash);
}

static bool no_write(struct err *err)
{
    return err_set(err, ERR_SERVER, "A log group can't be written: %s.", strerror(errno));
}

/* False: there is no such file (errno ENOENT), or it can't be read. */
static bool read_file(const char *path, size_t limit, struct str *text, struct arena *arena)
{
    struct stat stat;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) { return false; }
    bool good = fstat(fd, &stat) == 0;
    size_t size = good && (size_t)stat.st_size < limit ? (size_t)stat.st_size : limit;
    char *bytes = arena_alloc(arena, good ? size : 0, 1);
    ssize_t got = good ? pread(fd, bytes, size, 0) : -1;
    *text = (struct str){ bytes, got > 0 ? (size_t)got : 0 };
    int cause = errno;
    (void)close(fd);
    errno = cause;
    return got >= 0;
}

static bool replace_file(const struct log_groups *groups, const char *path, struct str text, struct err *err)
{
    char fresh[PATH_SIZE];
    (void)snprintf(fresh, sizeof fresh, "%s/new", groups->dir);
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) { return no_write(err); }
    bool good = file_write_all(fd, text);
    if (close(fd) != 0) { good = false; }
    return (good && rename(fresh, path) == 0) || no_write(err);
}

/* A power cut may have left a file of which nothing was written: there is none then. */
static bool has_file(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && facts.st_size > 0;
}

/* A line that a power cut has left unfinished is ended, so that the next one begins a line. */
static bool end_half_line(int fd, int64_t size)
{
    char last = '\n';
    return size == 0 || (pread(fd, &last, 1, size - 1) == 1 && (last == '\n' || file_write_all(fd, STR("\n"))));
}

/* One write at the end; a part of it is taken back. */
static bool append_line(const char *path, struct str line, int64_t *size, struct err *err)
{
    struct stat stat = { 0 };
    int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &stat) != 0) {
        (void)no_write(err);
        if (fd >= 0) { (void)close(fd); }
        return false;
    }
    bool good = (end_half_line(fd, (int64_t)stat.st_size) && file_write_all(fd, line)) || no_write(err);
    if (!good && ftruncate(fd, stat.st_size) != 0) { log_line(LOG_WARN, "logs", "half a line stays in a log group: %s", path); }
    (void)close(fd);
    *size = (int64_t)stat.st_size + (int64_t)line.len;
    return good;
}

/* ---- lines ---- */

static bool next_line(struct str *rest, struct str *line) { return str_cut(*rest, '\n', line, rest); }      /* whole ones only */

static bool read_group(struct str line, struct log_group *group)
{
    struct str created, kind;
    if (!str_cut(line, ' ', &created, &line) || !str_cut(line, ' ', &kind, &group->name)) { return false; }
    group->made = str_eq(kind, STR("made"));
    return str_to_i64(created, &group->created_ms) && group->name.len > 0;
}

static bool read_stream(struct str line, struct log_stream *stream)
{
    struct str created, task;
    return str_cut(line, ' ', &created, &line) && str_cut(line, ' ', &task, &line) && str_cut(line, ' ', &stream->container, &stream->name)
        && str_to_i64(created, &stream->created_ms) && id_parse(task, &stream->task) && stream->name.len > 0;
}

static void put_group(struct buf *out, const struct log_group *group)
{
    buf_printf(out, "%" PRId64 " %s " STR_FMT "\n", group->created_ms, group->made ? "made" : "found", STR_ARG(group->name));
}

static void put_stream(struct buf *out, const struct log_stream *stream)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(stream->task, hex);
    buf_printf(out, "%" PRId64 " %s " STR_FMT " " STR_FMT "\n", stream->created_ms, hex, STR_ARG(stream->container), STR_ARG(stream->name));
}

/* ---- writing ---- */

static size_t count_files(const struct log_groups *groups)
{
    DIR *entries = opendir(groups->dir);
    if (entries == NULL) { return 0; }
    size_t count = 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) { count += strlen(entry->d_name) == HASH_LEN; }
    (void)closedir(entries);
    return count;
}

static bool begin_group(struct log_groups *groups, const char *path, const struct log_group *group, struct arena *arena, struct err *err)
    REQUIRES(groups->lock)
{
    if (count_files(groups) >= LOG_GROUPS_MAX) {
        return err_set(err, ERR_LIMIT_EXCEEDED, "There are %d log groups; more are not kept.", LOG_GROUPS_MAX);
    }
    struct buf line = buf_in(arena);
    put_group(&line, group);
    return replace_file(groups, path, buf_str(&line), err);
}

/* A group that was found before stays as it is, except its kind. */
static bool make_known(struct log_groups *groups, const char *path, struct str text, struct arena *arena, struct err *err)
{
    struct str line, rest = text;
    struct log_group group;
    if (!next_line(&rest, &line) || !read_group(line, &group)) { return err_set(err, ERR_SERVER, "A log group can't be read: %s", path); }
    if (group.made || rest.len > 0) { return err_set(err, ERR_ALREADY_EXISTS, "The specified log group already exists"); }
    group.made = true;
    struct buf out = buf_in(arena);
    put_group(&out, &group);
    return replace_file(groups, path, buf_str(&out), err);
}

bool log_groups_make(struct log_groups *groups, struct str group, int64_t now_ms, struct err *err)
{
    char path[PATH_SIZE];
    struct arena arena;
    struct str text;
    arena_init(&arena, SWEEP_CEILING);
    path_of(groups, group, path);
    lock_take(&groups->lock);
    bool known = read_file(path, LOG_GROUP_FILE_MAX * 2, &text, &arena);
    const struct log_group fresh = { group, now_ms, true };
    bool good = known ? make_known(groups, path, text, &arena, err) : begin_group(groups, path, &fresh, &arena, err);
    lock_drop(&groups->lock);
    arena_finish(&arena);
    return good;
}

/* The newer half of the streams stays. */
static bool halve_file(struct log_groups *groups, const char *path, struct err *err) REQUIRES(groups->lock)
{
    struct arena arena;
    struct str text, line, rest;
    arena_init(&arena, SWEEP_CEILING);
    bool good = read_file(path, LOG_GROUP_FILE_MAX * 2, &text, &arena) || no_write(err);
    if (good) {
        rest = text;
        good = next_line(&rest, &line) || err_set(err, ERR_SERVER, "A log group can't be read: %s", path);
    }
    if (good) {
        struct buf out = buf_in(&arena);
        struct str newer = str_slice(rest, rest.len / 2, rest.len), half;
        buf_put(&out, str_slice(text, 0, line.len + 1));
        if (next_line(&newer, &half)) { buf_put(&out, newer); }
        good = replace_file(groups, path, buf_str(&out), err);
    }
    arena_finish(&arena);
    return good;
}

bool log_groups_add(struct log_groups *groups, struct str group, const struct log_stream *stream, struct err *err)
{
    char path[PATH_SIZE];
    struct arena arena;
    int64_t size = 0;
    arena_init(&arena, 64 * 1024);
    path_of(groups, group, path);
    struct buf line = buf_in(&arena);
    put_stream(&line, stream);
    const struct log_group fresh = { group, stream->created_ms, false };
    lock_take(&groups->lock);
    bool good = has_file(path) || begin_group(groups, path, &fresh, &arena, err);
    good = good && append_line(path, buf_str(&line), &size, err) && (size <= LOG_GROUP_FILE_MAX || halve_file(groups, path, err));
    lock_drop(&groups->lock);
    arena_finish(&arena);
    return good;
}

/* ---- reading ---- */

static int compare_groups(const void *a, const void *b)
{
    return str_cmp(((const struct log_group *)a)->name, ((const struct log_group *)b)->name);
}

bool log_groups_list(struct log_groups *groups, struct log_group_list *list, struct arena *arena, struct err *err)
{
    enum { HEAD_MAX = 1024 };
    *list = (struct log_group_list){ 0 };
    DIR *entries = opendir(groups->dir);
    if (entries == NULL) { return err_set(err, ERR_SERVER, "The log groups can't be read: %s.", strerror(errno)); }
    size_t capacity = 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[PATH_SIZE];
        struct str text, line;
        struct log_group group;
        if (strlen(entry->d_name) != HASH_LEN) { continue; }
        (void)snprintf(path, sizeof path, "%s/%.*s", groups->dir, HASH_LEN, entry->d_name);
        if (!read_file(path, HEAD_MAX, &text, arena) || !next_line(&text, &line) || !read_group(line, &group)) { continue; }
        if (list->count == capacity) {
            size_t old_size = capacity * sizeof group;
            capacity = capacity == 0 ? 16 : capacity * 2;
            list->items = arena_grow(arena, list->items, old_size, capacity * sizeof group);
        }
        list->items[list->count++] = group;
    }
    (void)closedir(entries);
    if (list->count > 0) { qsort(list->items, list->count, sizeof list->items[0], compare_groups); }
    return true;
}

/* For the same name, the newer one is last. */
static int compare_streams(const void *a, const void *b)
{
    const struct log_stream *left = a, *right = b;
    int order = str_cmp(left->name, right->name);
    return order != 0 ? order : (left->created_ms > right->created_ms) - (left->created_ms < right->created_ms);
}

static void sort_once(struct log_stream_list *list)
{
    if (list->count == 0) { return; }
    qsort(list->items, list->count, sizeof list->items[0], compare_streams);
    size_t kept = 1;
    for (size_t s = 1; s < list->count; s++) {
        if (!str_eq(list->items[s].name, list->items[kept - 1].name)) { kept++; }
        list->items[kept - 1] = list->items[s];
    }
    list->count = kept;
}

static void read_streams(struct str text, struct log_stream_list *list, struct arena *arena)
{
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++) { lines += text.ptr[i] == '\n'; }
    *list = (struct log_stream_list){ .items = ARENA_NEW(arena, struct log_stream, lines) };
    struct str line;
    while (next_line(&text, &line)) {
        if (read_stream(line, &list->items[list->count])) { list->count++; }
    }
}

bool log_groups_streams(struct log_groups *groups, struct str group, struct log_stream_list *list, struct arena *arena, struct err *err)
{
    char path[PATH_SIZE];
    struct str text, line;
    path_of(groups, group, path);
    if (!read_file(path, LOG_GROUP_FILE_MAX * 2, &text, arena) || !next_line(&text, &line)) {
        return err_set(err, ERR_RESOURCE_NOT_FOUND, "The specified log group does not exist.");
    }
    read_streams(text, list, arena);
    sort_once(list);
    return true;
}

/* ---- sweeping ---- */

static bool next_file(struct log_groups *groups)
{
    char next[HASH_LEN + 1] = "";
    DIR *entries = opendir(groups->dir);
    if (entries == NULL) { return false; }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        const char *name = entry->d_name;
        if (strlen(name) != HASH_LEN || strcmp(name, groups->swept) <= 0) { continue; }
        if (next[0] == '\0' || strcmp(name, next) < 0) { memcpy(next, name, sizeof next); }
    }
    (void)closedir(entries);
    memcpy(groups->swept, next, sizeof next);
    return next[0] != '\0';
}

/* Which of them are gone is asked without the lock: that takes long, and entries that are added meanwhile come after them. */
static void sweep_file(struct log_groups *groups, const char *path, bool (*gone)(void *context, struct id task), void *context, struct arena *arena)
{
    struct str text, first, line, rest;
    struct log_group group;
    struct log_stream stream;
    struct err err = { 0 };
    if (!read_file(path, LOG_GROUP_FILE_MAX * 2, &text, arena)) { return; }
    rest = text;
    if (!next_line(&rest, &first) || !read_group(first, &group)) { return; }
    struct buf out = buf_in(arena);
    put_group(&out, &group);
    size_t head = out.len, known = text.len - rest.len;
    while (next_line(&rest, &line)) {
        known += line.len + 1;
        if (read_stream(line, &stream) && !gone(context, stream.task)) { put_stream(&out, &stream); }
    }
    if (out.len == known && (group.made || out.len > head)) { return; }
    lock_take(&groups->lock);
    struct str now;
    bool same = read_file(path, LOG_GROUP_FILE_MAX * 2, &now, arena) && now.len >= known && memcmp(now.ptr, text.ptr, known) == 0;
    if (same) { buf_put(&out, str_slice(now, known, now.len)); }
    bool empty = out.len == head && !group.made;
    bool good = !same || (empty ? unlink(path) == 0 || no_write(&err) : replace_file(groups, path, buf_str(&out), &err));
    lock_drop(&groups->lock);
    if (!good) { log_line(LOG_WARN, "logs", "a log group still names streams that are gone: %s: %s", path, err.message); }
}

void log_groups_sweep(struct log_groups *groups, bool (*gone)(void *context, struct id task), void *context)
{
    char path[PATH_SIZE];
    struct arena arena;
    if (!next_file(groups)) { return; }
    (void)snprintf(path, sizeof path, "%s/%s", groups->dir, groups->swept);
    arena_init(&arena, SWEEP_CEILING);
    sweep_file(groups, path, gone, context, &arena);
    arena_finish(&arena);
}

/* ---- life ---- */

struct log_groups *log_groups_create(const char *dir, struct err *err)
{
    struct log_groups *groups = calloc(1, sizeof *groups);
    ASSERT(groups != NULL);
    bool good = str_to_cstr(str_from(dir), groups->dir, sizeof groups->dir)
        || err_set(err, ERR_INVALID_PARAMETER, "The data directory's name is too long.");
    if (good && mkdir(dir, 0700) != 0 && errno != EEXIST) {
        good = err_set(err, ERR_SERVER, "The directory of log groups %s can't be made: %s", dir, strerror(errno));
    }
    if (good) {
        lock_init(&groups->lock);
        return groups;
    }
    free(groups);
    return NULL;
}

void log_groups_destroy(struct log_groups *groups)
{
    if (groups == NULL) { return; }
    lock_finish(&groups->lock);
    free(groups);
}
