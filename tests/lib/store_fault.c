/* store_fault: a library to be preloaded. While the file that STORE_FAULT names exists, LMDB reads and writes no table but that of
 * the access keys, so that requests are let in: the disk reports an error.
 * While the file that DISK_FAULT names exists, the call that its text names fails: "sync" (of written pages), "meta" (the last write of a commit, which
 * LMDB can't take back), "full" (all larger writes: no space is left), "lost" (reads find a page that is not there); with "slow" a sync takes more than a second.
 * CLOCK_AHEAD names a file: the wall clock is ahead by the seconds in it, 0 while there is none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

int mdb_dbi_open(void *txn, const char *name, unsigned flags, unsigned *dbi);
int mdb_get(void *txn, unsigned dbi, void *key, void *data);
int mdb_put(void *txn, unsigned dbi, void *key, void *data, unsigned flags);
int mdb_cursor_open(void *txn, unsigned dbi, void **cursor);

static atomic_uint keys;

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        _exit(2);
    }
    return found;
}

static int fails(unsigned dbi)
{
    const char *fault = getenv("STORE_FAULT");
    return dbi != keys && fault != NULL && access(fault, F_OK) == 0;
}

/* The text of the file that this variable names; "": there is none. */
static void read_wish(const char *variable, char *word, size_t size)
{
    const char *path = getenv(variable);
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, word, size - 1);
    if (fd >= 0) {
        close(fd);
    }
    word[got < 0 ? 0 : got] = '\0';
}

static int disk_fails(const char *how)
{
    char word[16];
    read_wish("DISK_FAULT", word, sizeof word);
    return strcmp(word, how) == 0;
}

int fdatasync(int fd)
{
    int (*real)(int) = NULL;
    *(void **)&real = next("fdatasync");
    if (disk_fails("sync")) {
        errno = EIO;
        return -1;
    }
    if (disk_fails("slow")) { nanosleep(&(struct timespec){ 1, 200 * 1000 * 1000 }, NULL); }
    return real(fd);
}

/* LMDB writes whole pages, and of a meta page the changed part. */
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    ssize_t (*real)(int, const void *, size_t, off_t) = NULL;
    *(void **)&real = next("pwrite");
    if (count < 4096 ? disk_fails("meta") : disk_fails("full")) {
        errno = count < 4096 ? EIO : ENOSPC;
        return -1;
    }
    return real(fd, bytes, count, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
    ssize_t (*real)(int, const struct iovec *, int, off_t) = NULL;
    *(void **)&real = next("pwritev");
    if (disk_fails("full")) {
        errno = ENOSPC;
        return -1;
    }
    return real(fd, parts, count, at);
}

/* LMDB's, for pages one behind the other; sockets use it too. */
ssize_t writev(int fd, const struct iovec *parts, int count)
{
    ssize_t (*real)(int, const struct iovec *, int) = NULL;
    struct stat facts;
    *(void **)&real = next("writev");
    if (count > 0 && parts[0].iov_len >= 4096 && disk_fails("full") && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)) {
        errno = ENOSPC;
        return -1;
    }
    return real(fd, parts, count);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int (*real)(clockid_t, struct timespec *) = NULL;
    *(void **)&real = next("clock_gettime");
    int code = real(clock, now);
    if (code == 0 && clock == CLOCK_REALTIME) {
        char seconds[24];
        read_wish("CLOCK_AHEAD", seconds, sizeof seconds);
        now->tv_sec += atol(seconds);
    }
    return code;
}

int mdb_dbi_open(void *txn, const char *name, unsigned flags, unsigned *dbi)
{
    int (*real)(void *, const char *, unsigned, unsigned *) = NULL;
    *(void **)&real = next("mdb_dbi_open");
    int code = real(txn, name, flags, dbi);
    if (code == 0 && strcmp(name, "access_keys") == 0) {
        keys = *dbi;
    }
    return code;
}

int mdb_get(void *txn, unsigned dbi, void *key, void *data)
{
    int (*real)(void *, unsigned, void *, void *) = NULL;
    *(void **)&real = next("mdb_get");
    if (dbi != keys && disk_fails("lost")) {
        return -30797;                           /* MDB_PAGE_NOTFOUND */
    }
    return fails(dbi) ? EIO : real(txn, dbi, key, data);
}

int mdb_put(void *txn, unsigned dbi, void *key, void *data, unsigned flags)
{
    int (*real)(void *, unsigned, void *, void *, unsigned) = NULL;
    *(void **)&real = next("mdb_put");
    return fails(dbi) ? EIO : real(txn, dbi, key, data, flags);
}

int mdb_cursor_open(void *txn, unsigned dbi, void **cursor)
{
    int (*real)(void *, unsigned, void **) = NULL;
    *(void **)&real = next("mdb_cursor_open");
    return fails(dbi) ? EIO : real(txn, dbi, cursor);
}
