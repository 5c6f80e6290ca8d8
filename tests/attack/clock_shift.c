/* clock_shift: a library to be preloaded. The wall clock is off by the seconds in the file that CLOCK_SHIFT names, if there is one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int (*real)(clockid_t, struct timespec *) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    if (real == NULL) { _exit(2); }
    int code = real(clock, now);
    const char *path = getenv("CLOCK_SHIFT");
    int file = clock == CLOCK_REALTIME && code == 0 && path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) {
        char text[32] = "";
        if (read(file, text, sizeof text - 1) > 0) { now->tv_sec += strtoll(text, NULL, 10); }
        close(file);
    }
    return code;
}
