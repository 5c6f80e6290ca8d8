/* runs.c: the tasks of schedules whose time has come. One run of a target at a time: a time that comes while tasks of the run before still run, or while it
 * waits for its next attempt, is skipped, unless the target's tag berth:overlap is "allow". Of times that have passed while the server was down, one
 * runs. */
#include "api/schedules/schedules.h"

#include "api/schemas/tasks.h"
#include "base/num.h"

enum { SCHEDULES_PER_COMMIT = 20 };                      /* other jobs wait no longer than for these */
static const size_t SCRATCH_MAX = (size_t)256 << 20;

struct step { struct op_ctx *ctx; struct kept_schedule *schedule; };

/* Lost: the run is given up. It gets a line in the server's log, as events of services do. */
static void tell(struct step *step, struct schedule_run *run, bool lost, struct str outcome)
{
    struct op_ctx *ctx = step->ctx;
    bool rule = step->schedule->rule == OPT_TRUE;
    run->outcome = outcome;
    if (lost) {
        run->lost = outcome;
        run->lost_ms = ctx->now_ms;
    }
    support_line(ctx, arena_printf(ctx->arena, "eventName=%s eventType=%s %s=" STR_FMT "%s" STR_FMT " " STR_FMT, lost ? "SCHEDULE_RUN_LOST" : "SCHEDULE_RUN",
                                   lost ? "ERROR" : "INFO", rule ? "rule" : "schedule", STR_ARG(step->schedule->name), rule ? " target=" : "",
                                   STR_ARG(rule ? run->target : STR("")), STR_ARG(outcome)));
}

/* ---- a time has come ---- */

static bool still_runs(struct step *step, const struct schedule_target *target, const struct schedule_run *run)
{
    struct op_ctx *ctx = step->ctx;
    struct str cluster;
    struct err unread = { 0 };
    if (!names_read_cluster(&ctx->config->names, target->arn, &cluster, &unread)) { return false; }
    for (size_t t = 0; t < run->tasks.count; t++) {
        struct id id;
        if (!names_read_id(&ctx->config->names, run->tasks.items[t], STR("task"), cluster, &id, &unread)) { continue; }
        const struct task *task = store_task(ctx->txn, id, ctx->arena);
        if (task != NULL && task_is_live(task)) { return true; }
    }
    return false;
}

static void begin(struct step *step, const struct schedule_target *target, struct schedule_run *run)
{
    struct op_ctx *ctx = step->ctx;
    bool alone = !schedules_may_overlap(target, ctx->arena);
    if (!schedule_is_fresh(step->schedule, target, ctx->now_ms, ctx->arena)) {
        tell(step, run, true, STR("missed: the server was down, and the time is older than MaximumEventAgeInSeconds"));
    } else if (run->left > 0) {
        tell(step, run, false, STR("skipped: the run before still waits for its next attempt"));
    } else if (alone && still_runs(step, target, run)) {
        tell(step, run, false, STR("skipped: a task of the run before still runs"));
    } else {
        run->tasks = (struct str_list){ NULL, 0 };
        run->left = schedules_task_count(target);
        run->attempts = 0;
        run->began_ms = run->retry_ms = ctx->now_ms;
    }
}

/* ---- an attempt ---- */

static void keep_tasks(struct step *step, struct schedule_run *run, const struct task_view_list *tasks)
{
    struct str_list both = { ARENA_NEW(step->ctx->arena, struct str, run->tasks.count + tasks->count), 0 };
    for (size_t t = 0; t < run->tasks.count; t++) { both.items[both.count++] = run->tasks.items[t]; }
    for (size_t t = 0; t < tasks->count; t++) { both.items[both.count++] = tasks->items[t].task_arn; }
    run->tasks = both;
    run->left -= min_i64((int64_t)tasks->count, run->left);
}

static void attempt(struct step *step, const struct schedule_target *target, struct schedule_run *run)
{
    struct op_ctx *ctx = step->ctx;
    struct api_call call;
    struct err err = { 0 };
    struct str body = schedules_run_task(step->schedule, target, run->left, ctx->arena), why;
    if (api_decode(ctx->config, api_operation(STR("RunTask")), body, ctx->arena, &call, &err) && api_run(&call, ctx, &err)) {
        const struct run_task_response *response = call.output;
        keep_tasks(step, run, &response->tasks);
        if (run->left == 0) {
            tell(step, run, false, arena_printf(ctx->arena, "started %zu tasks", run->tasks.count));
            return;
        }
        why = response->failures.count > 0 ? response->failures.items[0].reason : STR("no reason is known");
    } else {
        why = arena_printf(ctx->arena, "%s: %s", err_wire_name(err.code), err.message);
    }
    run->attempts++;
    bool again = schedule_retry(target, run, ctx->now_ms);
    struct str outcome = arena_printf(ctx->arena, "%lld of %lld tasks are not started, after %lld attempts, %s: " STR_FMT, (long long)run->left,
                                      (long long)schedules_task_count(target), (long long)run->attempts,
                                      again ? "which go on" : "the last one", STR_ARG(why));
    if (!again) { run->left = 0; }
    if (!again || run->attempts == 1) { tell(step, run, !again, outcome); }
    run->outcome = outcome;
}

/* ---- one schedule, and all that are due ---- */

static void run_schedule(struct step *step)
{
    struct kept_schedule *schedule = step->schedule;
    struct op_ctx *ctx = step->ctx;
    struct err unread = { 0 };
    bool has_come = schedule->next_ms != 0 && schedule->next_ms <= ctx->now_ms;
    for (size_t t = 0; t < schedule->targets.count && t < schedule->runs.count; t++) {
        struct schedule_run *run = &schedule->runs.items[t];
        if (has_come) { begin(step, &schedule->targets.items[t], run); }
        if (run->left > 0 && run->retry_ms <= ctx->now_ms) { attempt(step, &schedule->targets.items[t], run); }
    }
    bool readable = schedule_check_times(schedule, ctx->arena, &unread);
    if (!readable && has_come && schedule->runs.count > 0) {
        tell(step, &schedule->runs.items[0], true, arena_printf(ctx->arena, "has no next time any more: %s", unread.message));
    }
    if (has_come) { schedule_set_next(schedule, ctx->now_ms, ctx->arena); }
    schedule_set_due(schedule);
    if (readable && schedule->due_ms == 0 && schedule->completion == SCHEDULE_COMPLETION_DELETE) {
        schedules_drop(ctx, schedule);
    } else {
        schedules_put(ctx, schedule);
    }
}

/* Each has a separate arena, as its tasks may be large. */
void schedules_run_due(struct op_ctx *ctx)
{
    struct arena scratch;
    arena_init(&scratch, SCRATCH_MAX);
    for (int n = 0; n < SCHEDULES_PER_COMMIT; n++) {
        const struct kept_schedule *first = store_first_schedule(ctx->txn, &scratch);
        if (first == NULL || first->due_ms > ctx->now_ms || store_txn_problem(ctx->txn) != NULL) { break; }
        struct kept_schedule schedule = *first;
        struct op_ctx one = *ctx;
        one.arena = &scratch;
        one.effects = (struct effect_list){ 0 };
        one.kept_cluster = NULL;
        one.kept_taskdef = NULL;
        one.kept_instance = NULL;
        run_schedule(&(struct step){ &one, &schedule });
        support_hand_on(ctx, &one.effects);
        arena_reset(&scratch);
    }
    arena_finish(&scratch);
}
