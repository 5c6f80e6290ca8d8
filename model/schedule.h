/* schedule.h: when a schedule runs its tasks: its next time, what a time that has come means for a target, and when a failed run is tried again.
 * Pure: the store and RunTask are api/schedules'. */
#ifndef BERTH_MODEL_SCHEDULE_H
#define BERTH_MODEL_SCHEDULE_H

#include "base/arena.h"
#include "model/records/schedule.h"

enum { SCHEDULE_TARGETS_MAX = 5, SCHEDULE_ATTEMPTS_DEFAULT = 185, SCHEDULE_AGE_DEFAULT_S = 86400 };

/* The times can be read: the expression and the zone. False and ERR_VALIDATION. */
MUST_USE bool schedule_check_times(const struct kept_schedule *schedule, struct arena *arena, struct err *err);
/* The first time after `after_ms`, between StartDate and EndDate. 0: there is none, or the zone can't be read any more. */
int64_t schedule_next_ms(const struct kept_schedule *schedule, int64_t after_ms, struct arena *arena);
/* Sets next_ms, of a schedule that is ENABLED and has targets, and due_ms. */
void    schedule_set_next(struct kept_schedule *schedule, int64_t after_ms, struct arena *arena);
void    schedule_set_due(struct kept_schedule *schedule);

/* Its time has come, and perhaps others since: is one of them young enough for this target to run? */
bool    schedule_is_fresh(const struct kept_schedule *schedule, const struct schedule_target *target, int64_t now_ms, struct arena *arena);

/* An attempt has failed, and the run's attempts count it. True: retry_ms is the next one; false: it was the last. */
bool    schedule_retry(const struct schedule_target *target, struct schedule_run *run, int64_t now_ms);

#endif
