/* breaker.c: how many failures end a deployment, and which ends of tasks are failures. */
#include "base/num.h"
#include "scheduler/reconcile/reconcile.h"

static const struct { int64_t least, most; } bounds[] = {
    [BREAKER_BOUNDED_PERCENT] = { 3, 200 },
    [BREAKER_UNBOUNDED_PERCENT] = { 1, INT64_MAX },
    [BREAKER_COUNT] = { 1, INT64_MAX },
};

int64_t breaker_threshold(const struct breaker *breaker, int64_t desired)
{
    ASSERT(desired >= 0 && desired <= INT32_MAX && breaker->value >= 0 && breaker->value <= INT32_MAX);
    int64_t count = breaker->kind == BREAKER_COUNT ? breaker->value : (desired * breaker->value + 99) / 100;
    return min_i64(bounds[breaker->kind].most, max_i64(bounds[breaker->kind].least, count));
}

void failures_count_end(struct failures *failures, const struct task_end *end, bool in_progress, bool breaker_on, int64_t now_ms)
{
    if (end->cause == END_BY_OTHERS) { return; }
    ASSERT(end->was_running || !end->was_healthy);
    if (in_progress && (end->cause == END_FAILED_CHECKS || !end->was_healthy)) { failures->failed++; }
    failures->gave_up |= end->waited;
    if (!end->was_running) {
        failures->unstarted++;
        failures->next_start_ms = now_ms + backoff_pause_ms(failures->unstarted, breaker_on);
    } else if (end->cause == END_BY_ITSELF && end->ran_ms < CRASH_MS) {
        failures->crashed++;
        failures->next_start_ms = now_ms + backoff_crash_pause_ms(failures->crashed);
    } else {
        failures->crashed = 0;
    }
}
