/* fuzz_schedule.c: an expression is refused, or each next time is later than the one before, and a whole minute for cron. */
#include "base/time/schedule.h"

#include "base/assert.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct zone_period periods[] = { { INT64_MIN, 3600 }, { 1774746000, 7200 }, { 1792890000, 3600 } };       /* a summer of Berlin */
    static const struct zone zone = { periods, COUNT_OF(periods) };
    static const int64_t start_ms = INT64_C(1774700000000);
    struct schedule_times times;
    struct err err = { 0 };
    if (!schedule_parse(fuzz_str(data, size), &times, &err)) {
        ASSERT(err.code == ERR_VALIDATION && err.message[0] != '\0');
        return 0;
    }
    int64_t after_ms = start_ms, next_ms;
    for (int n = 0; n < 4 && schedule_next(&times, &zone, start_ms, after_ms, &next_ms); n++) {
        int64_t again_ms;
        ASSERT(next_ms > after_ms && (times.kind != SCHEDULE_CRON || next_ms % 60000 == 0));
        ASSERT(schedule_next(&times, &zone, start_ms, next_ms - 1, &again_ms) && again_ms == next_ms);
        after_ms = next_ms;
    }
    return 0;
}
