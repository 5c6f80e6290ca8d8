#include "model/schedule.h"

#include "base/num.h"
#include "base/time/schedule.h"

static bool read_times(const struct kept_schedule *schedule, struct schedule_times *times, struct zone *zone, struct arena *arena, struct err *err)
{
    return schedule_parse(schedule->expression, times, err) && zone_load(schedule->zone, zone, arena, err);
}

bool schedule_check_times(const struct kept_schedule *schedule, struct arena *arena, struct err *err)
{
    struct schedule_times times;
    struct zone zone;
    return read_times(schedule, &times, &zone, arena, err);
}

int64_t schedule_next_ms(const struct kept_schedule *schedule, int64_t after_ms, struct arena *arena)
{
    struct schedule_times times;
    struct zone zone;
    struct err unread = { 0 };
    int64_t next_ms;
    if (!read_times(schedule, &times, &zone, arena, &unread)) { return 0; }
    bool is_once = times.kind == SCHEDULE_AT;                       /* StartDate and EndDate are not for it */
    if (!is_once && schedule->start_ms > 0) { after_ms = max_i64(after_ms, schedule->start_ms - 1); }
    if (!schedule_next(&times, &zone, schedule->counts_ms, after_ms, &next_ms)) { return 0; }
    return is_once || schedule->end_ms == 0 || next_ms <= schedule->end_ms ? next_ms : 0;
}

void schedule_set_due(struct kept_schedule *schedule)
{
    schedule->due_ms = schedule->next_ms;
    for (size_t r = 0; r < schedule->runs.count; r++) {
        const struct schedule_run *run = &schedule->runs.items[r];
        if (run->left > 0 && (schedule->due_ms == 0 || run->retry_ms < schedule->due_ms)) { schedule->due_ms = run->retry_ms; }
    }
}

void schedule_set_next(struct kept_schedule *schedule, int64_t after_ms, struct arena *arena)
{
    bool runs = schedule->state == SCHEDULE_STATE_ENABLED && schedule->targets.count > 0;
    schedule->next_ms = runs ? schedule_next_ms(schedule, after_ms, arena) : 0;
    schedule_set_due(schedule);
}

static int64_t age_ms(const struct schedule_target *target)
{
    const struct retry_policy *policy = target->retry_policy;
    return (policy != NULL && policy->age.set ? policy->age.value : SCHEDULE_AGE_DEFAULT_S) * 1000;
}

bool schedule_is_fresh(const struct kept_schedule *schedule, const struct schedule_target *target, int64_t now_ms, struct arena *arena)
{
    int64_t time_ms = schedule_next_ms(schedule, now_ms - age_ms(target) - 1, arena);
    return time_ms != 0 && time_ms <= now_ms;
}

bool schedule_retry(const struct schedule_target *target, struct schedule_run *run, int64_t now_ms)
{
    enum { FIRST_MS = 1000, DOUBLINGS_MAX = 8 };                     /* 256 s at most */
    const struct retry_policy *policy = target->retry_policy;
    int64_t most = policy != NULL && policy->attempts.set ? policy->attempts.value : SCHEDULE_ATTEMPTS_DEFAULT;
    run->retry_ms = now_ms + ((int64_t)FIRST_MS << min_i64(run->attempts - 1, DOUBLINGS_MAX));
    return run->attempts <= most && run->retry_ms - run->began_ms <= age_ms(target);
}
