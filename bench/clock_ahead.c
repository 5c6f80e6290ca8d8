/* clock_ahead: preloaded into a program, puts its wall clock CLOCK_AHEAD_S seconds ahead, so that records kept for hours expire now. With
 * CLOCK_TIMES it runs that many times as fast as the real one from CLOCK_SINCE_S (seconds since 1970) on, so that hours pass in minutes;
 * programs that get the same moment agree. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t second_ns = 1000000000;

static int64_t setting(const char *name, int64_t usual)
{
    const char *text = getenv(name);
    return text == NULL ? usual : strtoll(text, NULL, 10);
}

int clock_gettime(clockid_t which, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    static int64_t ahead_s, times, since_s;
    if (real == NULL) {
        void *found = dlsym(RTLD_NEXT, "clock_gettime");
        ahead_s = setting("CLOCK_AHEAD_S", 0);
        times = setting("CLOCK_TIMES", 1);
        since_s = setting("CLOCK_SINCE_S", 0);
        memcpy(&real, &found, sizeof real);
    }
    int result = real(which, now);
    if (result != 0 || which != CLOCK_REALTIME) { return result; }
    if (times > 1) {
        int64_t past_ns = ((now->tv_sec - since_s) * second_ns + now->tv_nsec) * times;
        *now = (struct timespec){ since_s + past_ns / second_ns, past_ns % second_ns };
    }
    now->tv_sec += ahead_s;
    return 0;
}
