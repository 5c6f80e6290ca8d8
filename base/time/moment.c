#include "base/time/moment.h"

#include <stdio.h>
#include <time.h>

bool moment_print(int64_t ms, bool with_ms, char out[MOMENT_TEXT_SIZE])
{
    enum { SECOND_MS = 1000, YEAR_MOST = 9999 };
    struct tm tm;
    time_t seconds = (time_t)(ms / SECOND_MS - (ms % SECOND_MS < 0));
    out[0] = '\0';
    if (gmtime_r(&seconds, &tm) == NULL || tm.tm_year + 1900 > YEAR_MOST || tm.tm_year + 1900 < 0) { return false; }
    int len = snprintf(out, MOMENT_TEXT_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
    int rest = (int)((ms % SECOND_MS + SECOND_MS) % SECOND_MS);
    if (with_ms) { len += snprintf(out + len, MOMENT_TEXT_SIZE - (size_t)len, ".%03d", rest); }
    (void)snprintf(out + len, MOMENT_TEXT_SIZE - (size_t)len, "Z");
    return true;
}
