/* fuzz_notice.c: a notice that is read has an end after 1970, and, written as the agent writes one, the same to the second. */
#include "agent/interruption.h"

#include <stdio.h>
#include <time.h>

#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024 };
static const int64_t year_2262_ms = 9214646400000;     /* later times are not read */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct err err = { 0 };
    int64_t end_ms = 0, again_ms = 0;
    if (notice_parse(fuzz_str(data, size), &end_ms, &arena, &err)) {
        char when[32];
        time_t seconds = (time_t)(end_ms / 1000);
        struct tm parts;
        ASSERT(end_ms > 0 && err.code == ERR_NONE && gmtime_r(&seconds, &parts) != NULL && strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0);
        struct str text = arena_printf(&arena, "{\"action\":\"stop\",\"time\":\"%s\"}", when);
        ASSERT(end_ms < 1000 || end_ms >= year_2262_ms || (notice_parse(text, &again_ms, &arena, &err) && again_ms == end_ms / 1000 * 1000));
    }
    arena_reset(&arena);
    return 0;
}
