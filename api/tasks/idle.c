/* idle.c: stops a task that holds GPUs and has not used them for as long as its tag berth:idle-stop allows. The server knows the use; the tag is read again
 * here, since it may have changed. */
#include "api/core/api.h"
#include "api/core/placement.h"
#include "base/text/duration.h"

static const struct schema stop_idle_schema = { STR_INIT("stop idle"), sizeof(struct stop_idle), NULL, 0 };
struct stopped_idle { bool stopped; };
static const struct schema stopped_idle_schema = { STR_INIT("stopped idle"), sizeof(struct stopped_idle), NULL, 0 };

static bool op_stop_idle(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct stop_idle *idle = input;
    struct stopped_idle *reply = output;
    struct idle_wish wish;
    struct err unread = { 0 };
    char grace[DURATION_TEXT_SIZE], time[DURATION_TEXT_SIZE];
    const struct task *task = store_task(ctx->txn, idle->task, ctx->arena);
    (void)err;
    *reply = (struct stopped_idle){ false };
    if (task == NULL || !task_is_live(task) || task->desired_status == TASK_STOPPED) { return true; }
    (void)idle_wish_read(&task->tags, &wish, &unread);
    if (!wish.stops || wish.excused || idle->idle_ms < wish.grace_ms) { return true; }
    duration_print(wish.grace_ms, grace);
    duration_print(idle->idle_ms, time);
    struct str reason = arena_printf(ctx->arena, "Stopped by the tag berth:idle-stop=%s: it held its GPUs idle, below %g %% of use, for %s.", grace,
                                     idle->below * 100, time);
    (void)placement_order_stop(ctx, task, (struct stop_cause){ TASK_STOP_CODE_USERINITIATED, reason });
    reply->stopped = true;
    return true;
}

static const struct operation stop_idle_operation = {
    .name = STR_INIT("berth:StopIdle"), .input = &stop_idle_schema, .output = &stopped_idle_schema, .access = OP_WRITE,
    .invalid = ERR_INVALID_PARAMETER, .run = op_stop_idle,
};

void api_prepare_stop_idle(const struct stop_idle *input, struct arena *arena, struct api_call *call)
{
    *call = (struct api_call){ .operation = &stop_idle_operation, .input = arena_copy(arena, input, sizeof *input) };
}

bool api_stopped_idle(const struct api_call *call) { return ((const struct stopped_idle *)call->output)->stopped; }
