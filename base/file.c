#include "base/file.h"

#include "base/buf.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_write_all(int fd, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t wrote = write(fd, bytes.ptr, bytes.len);
        if (wrote < 0 && errno == EINTR) { continue; }
        if (wrote < 0) { return false; }
        bytes = str_slice(bytes, (size_t)wrote, bytes.len);
    }
    return true;
}

/* The new name is on the disk only when its folder is. */
static bool sync_folder_of(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    struct str name = slash == NULL ? STR(".") : (struct str){ path, (size_t)(slash - path) + 1 };
    if (!str_to_cstr(name, folder, sizeof folder)) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) { return false; }
    bool good = fsync(fd) == 0;
    (void)close(fd);
    return good;
}

bool file_replace(const char *path, struct str bytes)
{
    char fresh[PATH_MAX];
    int len = snprintf(fresh, sizeof fresh, "%s.new", path);
    if (len < 0 || (size_t)len >= sizeof fresh) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) { return false; }
    bool good = fchmod(fd, 0600) == 0 && file_write_all(fd, bytes) && fsync(fd) == 0;
    int cause = errno;
    good = close(fd) == 0 && good;
    if (good && rename(fresh, path) == 0) { return sync_folder_of(path); }
    if (good) { cause = errno; }
    (void)unlink(fresh);
    errno = cause;
    return false;
}

int file_lock(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) { return fd; }
    int cause = errno;
    (void)close(fd);
    errno = cause;
    return -1;
}

bool file_read_whole(const char *path, size_t most, struct buf *text, struct err *err)
{
    char bytes[16 * 1024];
    ssize_t got = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && text->len <= most && (got = read(fd, bytes, sizeof bytes)) > 0) { buf_put(text, (struct str){ bytes, (size_t)got }); }
    int problem = errno;
    if (fd >= 0) { (void)close(fd); }
    if (fd < 0 || got < 0) { return err_set(err, ERR_INVALID_PARAMETER, "%s can't be read: %s.", path, strerror(problem)); }
    return text->len <= most || err_set(err, ERR_INVALID_PARAMETER, "%s is larger than %zu KiB.", path, most / 1024);
}
