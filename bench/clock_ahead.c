/* clock_ahead: preloaded into a program, puts its wall clock CLOCK_AHEAD_S seconds ahead, so that what is kept for hours expires now. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int clock_gettime(clockid_t which, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    static time_t ahead_s;
    if (real == NULL) {
        const char *text = getenv("CLOCK_AHEAD_S");
        void *found = dlsym(RTLD_NEXT, "clock_gettime");
        if (text != NULL) { ahead_s = strtol(text, NULL, 10); }
        memcpy(&real, &found, sizeof real);
    }
    int result = real(which, now);
    if (result == 0 && which == CLOCK_REALTIME) { now->tv_sec += ahead_s; }
    return result;
}
