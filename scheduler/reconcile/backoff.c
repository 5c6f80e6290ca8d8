/* backoff.c: the pauses between the starts of a deployment whose tasks fail. ECS does not publish its pauses; only the longest is known, 27 minutes.
 * While a circuit breaker counts, pauses are short: it decides within minutes. */
#include "base/num.h"
#include "scheduler/reconcile/reconcile.h"

enum { BREAKER_PAUSE_MAX_S = 60, CRASH_PAUSE_MAX_S = 60 };
static const int64_t pauses_s[] = { 0, 0, 0, 10, 20, 40, 80, 160, 320, 640, 1280, 1620 };       /* by tasks that ended before RUNNING */
static const int64_t crash_pauses_s[] = { 0, 2, 4, 8, 16, 32, CRASH_PAUSE_MAX_S };

int64_t backoff_pause_ms(int64_t unstarted, bool breaker_on)
{
    ASSERT(unstarted >= 0);
    int64_t pause = pauses_s[min_i64(unstarted, (int64_t)COUNT_OF(pauses_s) - 1)];
    return 1000 * (breaker_on ? min_i64(pause, BREAKER_PAUSE_MAX_S) : pause);
}

int64_t backoff_crash_pause_ms(int64_t crashed)
{
    ASSERT(crashed >= 0);
    return 1000 * crash_pauses_s[min_i64(crashed, (int64_t)COUNT_OF(crash_pauses_s) - 1)];
}

void failures_count_running(struct failures *failures)
{
    failures->unstarted = 0;
    failures->gave_up = false;
    if (failures->crashed == 0) { failures->next_start_ms = 0; }
}
