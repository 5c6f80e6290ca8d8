#include "base/text/duration.h"

#include <stdio.h>

#include "base/num.h"

bool duration_parse(struct str text, int64_t *ms)
{
    static const struct { struct str unit; int64_t ms; } units[] = {
        { STR_INIT("ms"), 1 }, { STR_INIT("s"), 1000 }, { STR_INIT("m"), 60 * 1000 }, { STR_INIT("h"), 3600 * 1000 }, { STR_INIT("d"), 86400 * 1000 },
    };
    static const int64_t most_ms = INT64_C(36525) * 86400 * 1000;        /* so that every time of now and later has a date */
    int64_t sum = 0;
    if (text.len == 0) { return false; }
    while (text.len > 0) {
        size_t digits = 0, letters = 0;
        while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') { digits++; }
        while (digits + letters < text.len && (text.ptr[digits + letters] < '0' || text.ptr[digits + letters] > '9')) { letters++; }
        struct str unit = str_slice(text, digits, digits + letters);
        int64_t count, part = -1;
        if (!str_to_i64(str_slice(text, 0, digits), &count)) { return false; }
        for (size_t u = 0; u < COUNT_OF(units); u++) {
            if (str_eq(unit, units[u].unit) && !mul_i64(count, units[u].ms, &part)) {
                return false;
            }
        }
        if (part < 0 || !add_i64(sum, part, &sum) || sum > most_ms) { return false; }
        text = str_slice(text, digits + letters, text.len);
    }
    *ms = sum;
    return true;
}

void duration_print(int64_t ms, char text[DURATION_TEXT_SIZE])
{
    static const struct { int64_t seconds; const char *unit; } rows[] = { { 86400, "d" }, { 3600, "h" }, { 60, "m" }, { 1, "s" } };
    int64_t left = ms < 0 ? 0 : ms / 1000, count = 0;
    size_t r = 0;
    while (r + 1 < COUNT_OF(rows) && left < rows[r].seconds) { r++; }
    count = left / rows[r].seconds;
    left -= count * rows[r].seconds;
    int64_t second = r + 1 < COUNT_OF(rows) ? left / rows[r + 1].seconds : 0;
    int len = snprintf(text, DURATION_TEXT_SIZE, "%lld%s", (long long)count, rows[r].unit);
    ASSERT(len > 0 && len < DURATION_TEXT_SIZE / 2);
    if (second > 0) { (void)snprintf(text + len, (size_t)(DURATION_TEXT_SIZE - len), "%lld%s", (long long)second, rows[r + 1].unit); }
}
