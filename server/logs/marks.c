/* marks.c: marks as they are in memory, one after the other; the file never leaves the machine that wrote it, except in backups
 * to one of its kind. */
#include "server/logs/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 64 };                                      /* marks written at once */

static bool no_write(struct err *err)
{
    return err_set(err, ERR_SERVER, "The times of a log can't be written: %s.", strerror(errno));
}

static bool read_mark(int fd, size_t index, struct log_mark *mark)
{
    return pread(fd, mark, sizeof *mark, (off_t)(index * sizeof *mark)) == (ssize_t)sizeof *mark;
}

static size_t count_marks(int fd)
{
    struct stat stat;
    return fstat(fd, &stat) == 0 ? (size_t)stat.st_size / sizeof(struct log_mark) : 0;
}

static bool write_marks(int fd, const struct log_mark *marks, size_t count)
{
    return count == 0 || write(fd, marks, count * sizeof *marks) == (ssize_t)(count * sizeof *marks);
}

/* Writes them lifted to `least_ms`, in pieces: the caller's marks stay as they are. */
static bool write_lifted(int fd, const struct log_mark *marks, size_t count, int64_t least_ms)
{
    struct log_mark piece[PIECE];
    size_t used = 0;
    for (size_t m = 0; m < count; m++) {
        piece[used] = marks[m];
        if (piece[used].time_ms < least_ms) { piece[used].time_ms = least_ms; }
        least_ms = piece[used++].time_ms;
        if (used < PIECE) { continue; }
        if (!write_marks(fd, piece, used)) { return false; }
        used = 0;
    }
    return write_marks(fd, piece, used);
}

bool log_marks_add(const char *path, int64_t end, const struct log_mark *marks, size_t count, struct err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) { return no_write(err); }
    size_t kept = count_marks(fd);
    struct log_mark last = { 0 };
    while (kept > 0 && (!read_mark(fd, kept - 1, &last) || last.offset >= end)) { kept--; }
    off_t size = (off_t)(kept * sizeof last);
    bool good = ftruncate(fd, size) == 0 && lseek(fd, size, SEEK_SET) == size
        && write_lifted(fd, marks, count, kept > 0 ? last.time_ms : 0);
    if (close(fd) != 0) { good = false; }
    return good || no_write(err);
}

/* The number of marks before the one that `from` belongs to. */
static size_t marks_before(int fd, size_t count, int64_t from)
{
    size_t low = 0, high = count;                         /* the first that lies behind `from` */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct log_mark mark = { 0 };
        if (read_mark(fd, middle, &mark) && mark.offset <= from) { low = middle + 1; } else { high = middle; }
    }
    return low > 0 ? low - 1 : 0;
}

static bool copy_marks(int from, int to, size_t first, size_t count)
{
    struct log_mark piece[PIECE];
    while (first < count) {
        size_t many = count - first < PIECE ? count - first : PIECE;
        ssize_t size = (ssize_t)(many * sizeof piece[0]);
        if (pread(from, piece, (size_t)size, (off_t)(first * sizeof piece[0])) != size || !write_marks(to, piece, many)) { return false; }
        first += many;
    }
    return true;
}

bool log_marks_cut(const char *path, const char *fresh_path, int64_t from, struct err *err)
{
    int old = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (old < 0) { return errno == ENOENT || no_write(err); }
    size_t count = count_marks(old);
    int fresh = open(fresh_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good = fresh >= 0 && copy_marks(old, fresh, marks_before(old, count, from), count);
    if (fresh >= 0 && close(fresh) != 0) { good = false; }
    good = good && rename(fresh_path, path) == 0;
    if (!good) {
        (void)no_write(err);
        (void)unlink(fresh_path);
    }
    (void)close(old);
    return good;
}

struct log_mark_list log_marks_read(const char *path, struct arena *arena)
{
    struct log_mark_list list = { 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) { return list; }
    size_t count = count_marks(fd);
    list.items = ARENA_NEW(arena, struct log_mark, count);
    ssize_t got = pread(fd, list.items, count * sizeof *list.items, 0);
    list.count = got > 0 ? (size_t)got / sizeof *list.items : 0;
    (void)close(fd);
    return list;
}

bool log_marks_ends(const char *path, struct log_mark *first, struct log_mark *last)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) { return false; }
    size_t count = count_marks(fd);
    bool good = count > 0 && read_mark(fd, 0, first) && read_mark(fd, count - 1, last);
    (void)close(fd);
    return good;
}

int64_t log_marks_size(const char *path)
{
    struct stat stat_;
    return stat(path, &stat_) == 0 ? (int64_t)stat_.st_size : 0;
}

const struct log_mark *log_marks_at(const struct log_mark_list *marks, int64_t offset)
{
    size_t low = 0, high = marks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (marks->items[middle].offset <= offset) { low = middle + 1; } else { high = middle; }
    }
    return low > 0 ? &marks->items[low - 1] : NULL;
}
