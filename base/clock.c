/* clock.c: the only calls of the system's clocks. */
#include "base/clock.h"

#include <errno.h>
#include <time.h>

#include "base/assert.h"

static int64_t read_ms(clockid_t clock)
{
    struct timespec now;
    ASSERT(clock_gettime(clock, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t clock_now_ms(void) { return read_ms(CLOCK_REALTIME); }
int64_t clock_monotonic_ms(void) { return read_ms(CLOCK_MONOTONIC); }
int64_t clock_monotonic_us(void)
{
    struct timespec now;
    ASSERT(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_boot_ms(void) { return read_ms(CLOCK_BOOTTIME); }

bool clock_is_set(int64_t now_ms) { return now_ms >= INT64_C(1577836800000) && now_ms < INT64_C(253402300800000); }

/* Sleeps to a fixed end, so that signals do not lengthen the sleep. */
void clock_sleep_ms(int64_t ms)
{
    if (ms <= 0) { return; }
    struct timespec end;
    ASSERT(clock_gettime(CLOCK_MONOTONIC, &end) == 0);
    end.tv_sec += (time_t)(ms / 1000);
    end.tv_nsec += (long)(ms % 1000) * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        end.tv_sec++;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) { }
}
