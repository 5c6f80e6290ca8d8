/* test_moment.c: times as texts of ISO 8601. */
#include "base/time/moment.h"

#include "base/assert.h"
#include "tests/unit/check.h"

int main(void)
{
    static const struct { const char *row; int64_t ms; bool with_ms; const char *want; } rows[] = {
        { "the first",              0,                  false, "1970-01-01T00:00:00Z" },
        { "with milliseconds",      1769860800007,      true,  "2026-01-31T12:00:00.007Z" },
        { "cut, not rounded",       1769860800999,      false, "2026-01-31T12:00:00Z" },
        { "before 1970",            -1,                 true,  "1969-12-31T23:59:59.999Z" },
        { "a leap day",             1709164800000,      false, "2024-02-29T00:00:00Z" },
        { "the last year",          253402300799999,    true,  "9999-12-31T23:59:59.999Z" },
        { "past it",                253402300800000,    true,  "" },
        { "no year at all",         INT64_MAX,          false, "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char text[MOMENT_TEXT_SIZE];
        CHECK_EQ(rows[r].row, moment_print(rows[r].ms, rows[r].with_ms, text), rows[r].want[0] != '\0');
        CHECK_STR(rows[r].row, str_from(text), str_from(rows[r].want));
    }
    return check_report();
}
