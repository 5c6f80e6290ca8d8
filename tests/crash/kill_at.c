/* kill_at: a library to be preloaded, which kills its process with SIGKILL at a numbered point: KILL_AT="fdatasync:before:7" dies
 * when the 7th fdatasync begins, "fdatasync:after:7" when it has returned (the commit is on disk, nobody has an answer),
 * "send:before:9" and "send:after:9" around an answer leaving. A torn write of LMDB's data file is "pwrite:half:N": the first
 * half of the bytes reach the file, then the process dies. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char wanted_call[32], wanted_when[32];
static long wanted_number;
static atomic_long numbers[4];
enum { CALL_FDATASYNC, CALL_SEND, CALL_PWRITE, CALL_PWRITEV };

__attribute__((constructor)) static void read_wish(void)
{
    const char *wish = getenv("KILL_AT");
    if (wish != NULL && sscanf(wish, "%31[^:]:%31[^:]:%ld", wanted_call, wanted_when, &wanted_number) != 3) {
        fprintf(stderr, "kill_at: KILL_AT should look like fdatasync:before:7\n");
        _exit(2);
    }
}

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        _exit(2);
    }
    return found;
}

static int is_now(const char *call, const char *when, long number)
{
    return number == wanted_number && strcmp(call, wanted_call) == 0 && strcmp(when, wanted_when) == 0;
}

static void die_if(int now)
{
    if (now) {
        kill(getpid(), SIGKILL);
        pause();
    }
}

int fdatasync(int fd)
{
    int (*real)(int) = NULL;
    *(void **)&real = next("fdatasync");
    long number = atomic_fetch_add(&numbers[CALL_FDATASYNC], 1) + 1;
    die_if(is_now("fdatasync", "before", number));
    int result = real(fd);
    die_if(is_now("fdatasync", "after", number));
    return result;
}

ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
    ssize_t (*real)(int, const void *, size_t, int) = NULL;
    *(void **)&real = next("send");
    long number = atomic_fetch_add(&numbers[CALL_SEND], 1) + 1;
    die_if(is_now("send", "before", number));
    ssize_t result = real(fd, bytes, size, flags);
    die_if(is_now("send", "after", number));
    return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off_t) = NULL;
    *(void **)&real = next("pwrite");
    long number = atomic_fetch_add(&numbers[CALL_PWRITE], 1) + 1;
    if (is_now("pwrite", "half", number)) {
        (void)!real(fd, bytes, size / 2, offset);
        die_if(1);
    }
    return real(fd, bytes, size, offset);
}
