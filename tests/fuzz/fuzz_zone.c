/* fuzz_zone.c: bytes are no zone, or a zone whose periods are in order, where a local time that a clock shows is found again. */
#include "base/time/zone.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { CEILING = 4 * 1024 * 1024 };
    static struct arena arena;
    struct zone zone;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    if (zone_read(fuzz_str(data, size), &zone, &arena)) {
        ASSERT(zone.count > 0);
        for (size_t p = 1; p < zone.count; p++) { ASSERT(zone.periods[p].from_s > zone.periods[p - 1].from_s); }
        for (int64_t utc_s = 0; utc_s < INT64_C(7258118400); utc_s += INT64_C(86400) * 37) {
            int64_t first_s = 0;
            bool found = zone_from_local(&zone, zone_to_local(&zone, utc_s), &first_s);
            ASSERT(found && first_s <= utc_s);
        }
    }
    arena_reset(&arena);
    return 0;
}
