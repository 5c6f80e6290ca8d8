/* schedules.h: rules of EventBridge and schedules of EventBridge Scheduler: both are a kept_schedule, whose targets are requests of RunTask.
 * Private to api/.
 *
 *   PutRule, PutTargets (events.c), CreateSchedule (scheduler.c)  → schedules_put: the record, and when it is due
 *   steps of services and schedules (services/steps.c)             → schedules_run_due (runs.c): RunTask, retries, the next time */
#ifndef BERTH_API_SCHEDULES_SCHEDULES_H
#define BERTH_API_SCHEDULES_SCHEDULES_H

#include "api/core/api.h"
#include "api/core/support.h"

/* ---- store.c: what the operations of both services share ---- */
enum { SCHEDULE_NAME_MAX = 64 };
bool schedules_check_name(struct str name, struct err *err);        /* letters, digits, "-", "_" and "."; ERR_VALIDATION */
/* A schedule of these times that is put in the place of `known`, which may be NULL: a rate counts on, and runs go on, if times and targets stay. `first_now`:
 * a rate that begins now has its first time at once. */
void schedules_take_over(struct op_ctx *ctx, struct kept_schedule *schedule, const struct kept_schedule *known, bool first_now);
void schedules_put(struct op_ctx *ctx, const struct kept_schedule *schedule);
void schedules_drop(struct op_ctx *ctx, const struct kept_schedule *schedule);
/* A page of those whose names begin with `prefix`, for which `shown` holds (NULL: all), in *items; *token: of the next page, absent: this is the last.
 * False: the token is wrong, ERR_VALIDATION. */
struct schedules_ask {
    const char *list; struct str prefix, token; struct opt_int limit; bool rules;
    bool (*shown)(const struct kept_schedule *schedule, const void *given); const void *given;
};
bool schedules_page(struct op_ctx *ctx, const struct schedules_ask *ask, struct kept_schedule **items, size_t *count, struct str *token, struct err *err);

/* ---- targets.c: a target as a request of RunTask. Pure, with the settings. ---- */
/* Is it a cluster, with a request that RunTask can read? Whether the cluster and the definition exist is asked when it runs. ERR_VALIDATION. */
bool schedules_check_target(struct op_ctx *ctx, const struct kept_schedule *schedule, const struct schedule_target *target, struct err *err);
struct str schedules_run_task(const struct kept_schedule *schedule, const struct schedule_target *target, int64_t count, struct arena *arena);   /* JSON */
int64_t schedules_task_count(const struct schedule_target *target);
bool schedules_may_overlap(const struct schedule_target *target, struct arena *arena);      /* its tag berth:overlap is "allow" */

/* ---- runs.c ---- */
/* Starts the tasks of schedules that are due, of some of them if they are many. */
void schedules_run_due(struct op_ctx *ctx);

#endif
