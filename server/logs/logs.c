/* logs.c: files are opened for each chunk: logs are bounded and rare beside everything else, and an open file per container
 * would be another limit. */
#include "server/logs/logs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"
#include "server/logs/budget.h"
#include "server/logs/groups.h"

enum {
    PATH_SIZE = 1024, SHARDS = 16, PERIOD_LEN = LOG_PERIOD_LEN,
    LOOKED_AT_MAX = 4096,                    /* ended tasks in a sweep, but at least one period of them */
};

#define MARK_FORMAT "[berth: %019" PRId64 " earlier bytes are not kept]\n"
enum { MARK_LEN = sizeof "[berth: 0000000000000000000 earlier bytes are not kept]\n" - 1, MARK_DIGITS_AT = 8, MARK_DIGITS = 19 };

struct logs {
    char dir[PATH_SIZE - 512];               /* room for a task, a container and a suffix */
    struct lock files[SHARDS];               /* writing one file, by task */
    struct log_groups *groups;
    struct lock searching;
    struct lock lock;                        /* guards the block below */
    struct lock_signal appended;
    uint64_t turn;
    bool stopping;
    char swept[PERIOD_LEN + 1];              /* the period of ended logs that was looked at last; the sweeping thread's own */
    struct log_budget ended;                 /* the sweeping thread's own, too */
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
static void ended_path_of(const struct logs *logs, struct id task, struct str container, const char *suffix, char out[PATH_SIZE])
{
    char hex[ID_HEX_LEN + 1];
    id_hex(task, hex);
    ASSERT(container.len <= LOGS_NAME_MAX);                     /* checked at each door */
    (void)snprintf(out, PATH_SIZE, "%s/ended/%.*s/%s/" STR_FMT "%s", logs->dir, PERIOD_LEN, hex, hex, STR_ARG(container), suffix);
}

/* Likewise. */
static void path_of(const struct logs *logs, struct id task, struct str container, const char *suffix, char out[PATH_SIZE])
{
    char hex[ID_HEX_LEN + 1];
    id_hex(task, hex);
    ASSERT(container.len <= LOGS_NAME_MAX);                     /* as above */
    (void)snprintf(out, PATH_SIZE, "%s/%s/" STR_FMT "%s", logs->dir, hex, STR_ARG(container), suffix);
}

/* The files of one container's log. */
struct places { char log[PATH_SIZE], fresh[PATH_SIZE], times[PATH_SIZE]; };

static void places_of(const struct logs *logs, struct id task, struct str container, struct places *places)
{
    path_of(logs, task, container, ".log", places->log);
    path_of(logs, task, container, ".new", places->fresh);
    path_of(logs, task, container, ".times", places->times);
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
    bool good = file_write_all(fd, (struct str){ mark, MARK_LEN }) && file_write_all(fd, text);
    if (close(fd) != 0 || !good || rename(fresh_path, path) != 0) {
        (void)no_write(err);
        (void)unlink(fresh_path);
        return false;
    }
    return true;
}

/* The length of a text, which may begin anywhere, before its first whole line; 0 when it is all one line. */
static size_t line_start(struct str text)
{
    size_t line = str_find(text, '\n');
    return line + 1 < text.len ? line + 1 : 0;
}

/* The text after `from` stays, from the beginning of a line on where there is one. */
static bool cut_file(const struct places *places, struct file *file, int64_t from, struct err *err)
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
        file->dropped += from - file->start + (int64_t)skip;
        good = replace_file(places->log, places->fresh, file->dropped, str_slice(text, skip, size), err)
            && log_marks_cut(places->times, places->fresh, file->dropped, err);
    }
    free(bytes);
    return good;
}

static bool halve_file(const struct places *places, struct file *file, struct err *err)
{
    return cut_file(places, file, file->start + (file->size - file->start) / 2, err);
}

/* ---- appending ---- */

/* The new part of a chunk; a repeat has nothing new. */
static struct str new_part(struct str text, int64_t offset, int64_t end)
{
    if (offset < 0 || offset >= end) { return text; }
    int64_t known = end - offset;
    return known >= (int64_t)text.len ? STR("") : str_slice(text, (size_t)known, text.len);
}

/* Writes down when the bytes from `from` to the piece's end were written. Before the bytes themselves: marks without bytes are
 * taken back by the next piece, bytes without marks would have a wrong time for ever. */
static bool add_marks(const struct places *places, const struct log_piece *piece, int64_t start, int64_t from, struct err *err)
{
    struct log_mark *marks = calloc(piece->mark_count + 1, sizeof *marks);
    ASSERT(marks != NULL);
    size_t count = 1;
    marks[0] = (struct log_mark){ .offset = from, .time_ms = piece->now_ms, .received_ms = piece->now_ms };
    for (size_t m = 0; m < piece->mark_count; m++) {
        const struct log_mark *mark = &piece->marks[m];
        int64_t offset = mark->offset < 0 || mark->offset > (int64_t)piece->text.len ? start : start + mark->offset;
        struct log_mark *last = &marks[count - 1];
        bool same_place = offset <= last->offset;         /* of known bytes the last time alone matters */
        if (!same_place) { last = &marks[count++]; }
        *last = (struct log_mark){ same_place ? last->offset : offset, mark->time_ms, piece->now_ms, offset < from ? 0 : mark->length };
    }
    bool good = log_marks_add(places->times, from, marks, count, err);
    free(marks);
    return good;
}

/* The part between never came, or was lost with a disk, and can't be sent again. */
static bool begin_anew(const struct places *places, const struct log_piece *piece, struct err *err)
{
    return log_marks_add(places->times, 0, NULL, 0, err) && add_marks(places, piece, piece->offset, piece->offset, err)
        && replace_file(places->log, places->fresh, piece->offset, piece->text, err);
}

static bool append_bytes(const struct places *places, struct file *file, const struct log_piece *piece, struct err *err)
{
    int64_t end = file_end(file);
    struct str fresh = new_part(piece->text, piece->offset, end);
    if (fresh.len == 0) { return true; }
    int64_t start = end - (int64_t)(piece->text.len - fresh.len);
    if (!add_marks(places, piece, start, end, err)) { return false; }
    if (!file_write_all(file->fd, fresh)) {
        (void)no_write(err);
        if (ftruncate(file->fd, file->size) != 0) { log_line(LOG_WARN, "logs", "a half-written log stays: %s", places->log); }
        return false;
    }
    file->size += (int64_t)fresh.len;
    bool full = file->size > LOGS_FILE_MAX || log_marks_size(places->times) > LOGS_TIMES_MAX;
    return !full || halve_file(places, file, err);
}

static bool append_to(const struct places *places, const struct log_piece *piece, int64_t *missing, struct err *err)
{
    struct file file;
    if (!open_file(places->log, O_RDWR | O_CREAT | O_APPEND, &file)) { return no_write(err); }
    int64_t end = file_end(&file);
    bool gap = piece->offset > end, good = true;
    if (gap && missing != NULL) {
        *missing = max_i64(end, piece->offset - LOGS_FILE_MAX);
    } else {
        good = gap ? begin_anew(places, piece, err) : append_bytes(places, &file, piece, err);
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
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        count += str_ends_with(str_from(entry->d_name), STR(".log"));
    }
    (void)closedir(entries);
    return count < LOGS_CONTAINERS_MAX
        || err_set(err, ERR_LIMIT_EXCEEDED, "A task can have logs of at most %d containers.", LOGS_CONTAINERS_MAX);
}

bool logs_append(struct logs *logs, struct id task, struct str container, const struct log_piece *piece, int64_t *missing, struct err *err)
{
    struct places places;
    if (missing != NULL) { *missing = -1; }
    places_of(logs, task, container, &places);
    struct lock *shard = &logs->files[task.bytes[15] % SHARDS];
    lock_take(shard);
    bool good = make_room(logs, task, places.log, err) && append_to(&places, piece, missing, err);
    lock_drop(shard);
    if (!good || (missing != NULL && *missing >= 0)) { return good; }
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
    ended_path_of(logs, task, container, ".log", path);
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

bool logs_exists(struct logs *logs, struct id task, struct str container)
{
    char path[PATH_SIZE];
    path_of(logs, task, container, ".log", path);
    return access(path, F_OK) == 0;
}

/* The file of times that belongs to the log as open_log finds it. */
static void find_times(const struct logs *logs, struct id task, struct str container, char out[PATH_SIZE])
{
    path_of(logs, task, container, ".times", out);
    if (access(out, F_OK) != 0) { ended_path_of(logs, task, container, ".times", out); }
}

static bool load_file(const struct logs *logs, struct id task, struct str container, struct arena *arena, struct log_text *log)
{
    struct file file;
    struct stat stat;
    char times[PATH_SIZE];
    if (!open_log(logs, task, container, &file)) { return false; }
    size_t size = (size_t)(file.size - file.start);
    char *bytes = arena_alloc(arena, size, 1);
    ssize_t got = pread(file.fd, bytes, size, file.start);
    *log = (struct log_text){ .text = { bytes, got > 0 ? (size_t)got : 0 }, .dropped = file.dropped };
    if (fstat(file.fd, &stat) == 0) { log->changed_ms = (int64_t)stat.st_mtim.tv_sec * 1000; }
    (void)close(file.fd);
    find_times(logs, task, container, times);
    log->marks = log_marks_read(times, arena);
    return true;
}

bool logs_load(struct logs *logs, struct id task, struct str container, struct arena *arena, struct log_text *log)
{
    struct lock *shard = &logs->files[task.bytes[15] % SHARDS];
    lock_take(shard);
    bool good = load_file(logs, task, container, arena, log);
    lock_drop(shard);
    return good;
}

bool logs_span(struct logs *logs, struct id task, struct str container, struct log_mark *first, struct log_mark *last)
{
    char times[PATH_SIZE];
    find_times(logs, task, container, times);
    return log_marks_ends(times, first, last);
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
    struct places places;
    struct file file;
    struct err err = { 0 };
    places_of(logs, task, container, &places);
    if (!open_file(places.log, O_RDONLY, &file)) { return; }
    if (file.size - file.start > LOGS_END_MAX && !cut_file(&places, &file, file.size - LOGS_END_MAX, &err)) {
        log_line(LOG_WARN, "logs", "a log is not cut: %s: %s", places.log, err.message);
    }
    (void)close(file.fd);
}

static int64_t bytes_in(const char *dir)
{
    int64_t bytes = 0;
    DIR *entries = opendir(dir);
    if (entries == NULL) { return 0; }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        struct stat stat;
        if (entry->d_name[0] != '.' && fstatat(dirfd(entries), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) == 0) { bytes += stat.st_size; }
    }
    (void)closedir(entries);
    return bytes;
}

/* Cuts the logs of one task where they are, and moves them: an interrupted move is done again. */
static void end_dir(struct logs *logs, struct id task, const char *dir)
{
    char ended[PATH_SIZE], period[PATH_SIZE], hex[ID_HEX_LEN + 1];
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
    if (!good || rename(dir, ended) != 0) {
        log_line(LOG_WARN, "logs", "a log is not moved: %s: %s", dir, strerror(errno));
        return;
    }
    id_hex(task, hex);
    hex[PERIOD_LEN] = '\0';
    log_budget_add(&logs->ended, hex, bytes_in(ended));
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

/* The first period behind the one that was looked at last; at the end it begins again. */
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

/* Looks at the ended logs of one period, and counts what stays. Returns how many tasks it looked at. */
static size_t sweep_period(struct logs *logs, enum log_fate (*fate)(void *context, struct id task), void *context)
{
    char period[PATH_SIZE], dir[PATH_SIZE];
    int64_t bytes = 0;
    size_t tasks = 0;
    (void)snprintf(period, sizeof period, "%s/ended/%s", logs->dir, logs->swept);
    DIR *entries = opendir(period);
    if (entries == NULL) { return 0; }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        struct id task;
        if (!id_parse(str_from(entry->d_name), &task)) { continue; }
        ended_dir_of(logs, task, dir);
        tasks++;
        if (fate(context, task) == LOG_GOES) { sweep_one(logs, task, dir, LOG_GOES); } else { bytes += bytes_in(dir); }
    }
    (void)closedir(entries);
    if (rmdir(period) != 0 && errno != ENOTEMPTY) { log_line(LOG_WARN, "logs", "a directory stays: %s: %s", period, strerror(errno)); }
    log_budget_set(&logs->ended, logs->swept, bytes);
    return tasks;
}

static void sweep_ended(struct logs *logs, enum log_fate (*fate)(void *context, struct id task), void *context)
{
    for (size_t looked = 0; looked < LOOKED_AT_MAX && next_period(logs);) { looked += sweep_period(logs, fate, context); }
}

/* Removes logs of one period until `excess` bytes have gone, of *tasks tasks at most. How many bytes stay there: none when all have been tried,
 * so that what can't be removed now costs no other period its logs. */
static int64_t thin_period(struct logs *logs, const struct log_period *period, int64_t excess, size_t *tasks)
{
    char path[PATH_SIZE], dir[PATH_SIZE];
    int64_t gone = 0;
    (void)snprintf(path, sizeof path, "%s/ended/%s", logs->dir, period->name);
    DIR *entries = opendir(path);
    struct dirent *entry = entries == NULL ? NULL : readdir(entries);
    for (; entry != NULL && gone < excess && *tasks > 0; entry = readdir(entries)) {
        struct id task;
        if (!id_parse(str_from(entry->d_name), &task)) { continue; }
        ended_dir_of(logs, task, dir);
        gone += bytes_in(dir);
        sweep_one(logs, task, dir, LOG_GOES);
        (*tasks)--;
    }
    bool all = entry == NULL;
    if (entries != NULL) { (void)closedir(entries); }
    if (all) { (void)rmdir(path); }
    return all ? 0 : max_i64(period->bytes - gone, 1);
}

static void keep_ended_within(struct logs *logs)
{
    const struct log_period *oldest = log_budget_oldest_over(&logs->ended);
    for (size_t tasks = LOOKED_AT_MAX; oldest != NULL && tasks > 0; oldest = log_budget_oldest_over(&logs->ended)) {
        const struct log_period period = *oldest;
        int64_t stays = thin_period(logs, &period, logs->ended.bytes - logs->ended.max, &tasks);
        log_line(LOG_INFO, "logs", "the history's logs are too many, so that the oldest go: bytes=%" PRId64, period.bytes - stays);
        log_budget_set(&logs->ended, period.name, stays);
    }
}

struct fate { enum log_fate (*of)(void *context, struct id task); void *context; };

static bool is_gone(void *context, struct id task)
{
    const struct fate *fate = context;
    return fate->of(fate->context, task) == LOG_GOES;
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
    keep_ended_within(logs);
    struct fate asked = { fate, context };
    log_groups_sweep(logs->groups, is_gone, &asked);
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
    char groups[PATH_SIZE];
    (void)snprintf(groups, sizeof groups, "%s/groups", dir);
    if (good) { logs->groups = log_groups_create(groups, err); }
    if (logs->groups == NULL) {
        free(logs);
        return NULL;
    }
    log_budget_init(&logs->ended, LOGS_ENDED_MAX);
    lock_init(&logs->searching);
    for (size_t s = 0; s < SHARDS; s++) { lock_init(&logs->files[s]); }
    lock_init(&logs->lock);
    lock_signal_init(&logs->appended);
    return logs;
}

void logs_keep_ended(struct logs *logs, int64_t bytes) { log_budget_init(&logs->ended, bytes); }

struct log_groups *logs_groups(struct logs *logs) { return logs->groups; }

void logs_search_begin(struct logs *logs) NO_THREAD_SAFETY { lock_take(&logs->searching); }
void logs_search_end(struct logs *logs) NO_THREAD_SAFETY { lock_drop(&logs->searching); }

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
    log_groups_destroy(logs->groups);
    log_budget_finish(&logs->ended);
    lock_finish(&logs->searching);
    lock_signal_finish(&logs->appended);
    lock_finish(&logs->lock);
    free(logs);
}
