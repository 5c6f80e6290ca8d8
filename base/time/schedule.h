/* schedule.h: when something recurs, in EventBridge's words: rate(...), cron(...) and at(...). Pure.
 *
 *   rate(N minute|minutes|hour|hours|day|days)     every N of them, counted from a start
 *   cron(minutes hours day month weekday year)     with , - * / ? L W #; exactly one of day and weekday is ?
 *   at(yyyy-mm-ddThh:mm:ss)                        once
 *
 * A time that a zone's clock skips does not run. A time that it shows twice runs the first time only. */
#ifndef BERTH_BASE_TIME_SCHEDULE_H
#define BERTH_BASE_TIME_SCHEDULE_H

#include "base/time/zone.h"

enum schedule_kind { SCHEDULE_RATE, SCHEDULE_CRON, SCHEDULE_AT };
enum { SCHEDULE_YEAR_MIN = 1970, SCHEDULE_YEAR_MAX = 2199 };
/* How the one of the two day fields that is not ? chooses days. */
enum schedule_days { DAYS_OF_MONTH, DAYS_LAST, DAYS_LAST_WORKDAY, DAYS_WORKDAY, DAYS_OF_WEEK, DAYS_NTH_WEEKDAY, DAYS_LAST_WEEKDAY };

struct schedule_times {
    enum schedule_kind kind;
    int64_t seconds;                                            /* rate: of the period; at: local time since 1970 */
    uint64_t minutes; uint32_t hours, month_days; uint16_t months; uint8_t weekdays;     /* cron: a bit each; days and months from bit 1, Sunday bit 0 */
    uint64_t years[(SCHEDULE_YEAR_MAX - SCHEDULE_YEAR_MIN) / 64 + 1];                    /* from bit 0, 1970 */
    enum schedule_days days;
    uint8_t nth;                                                /* DAYS_NTH_WEEKDAY: 1 to 5 */
};

/* False and ERR_VALIDATION, with a message for the caller. */
MUST_USE bool schedule_parse(struct str text, struct schedule_times *times, struct err *err);

/* The first time after `after_ms`, all in milliseconds since 1970 UTC. A rate counts from `start_ms`, which is its first time. False: never. */
bool schedule_next(const struct schedule_times *times, const struct zone *zone, int64_t start_ms, int64_t after_ms, int64_t *next_ms);

#endif
