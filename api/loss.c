#include "api/loss.h"

#include "api/handlers.h"
#include "api/machines.h"
#include "api/wire.h"

static void end_task(struct op_ctx *ctx, struct id id, const void *given)
{
    const struct loss *loss = given;
    const struct task *found = store_task(ctx->txn, id, ctx->arena);
    if (found == NULL) { return; }
    struct task task = *found;
    if (!task_become(&task, TASK_STOPPED, ctx->now_ms)) { return; }
    task.containers.items = arena_copy(ctx->arena, found->containers.items, found->containers.count * sizeof *found->containers.items);
    for (size_t c = 0; c < task.containers.count; c++) { task.containers.items[c].status = TASK_STOPPED; }
    if (task.stop_code == TASK_STOP_CODE_UNSET) { task.stop_code = loss->code; }
    if (!str_is_set(task.stopped_reason)) { task.stopped_reason = loss->reason; }
    if (task.tags.count > 0) { task.tags_at_stop = task.tags; }
    task.tags = (struct tag_list){ 0 };
    task.version++;
    placement_change_task(ctx, found, &task);
}

void loss_deregister(struct op_ctx *ctx, const struct instance *found, const struct loss *loss, struct str reason)
{
    struct instance instance = *found;
    (void)support_each_task(ctx, found->id, end_task, loss);
    ASSERT(instance_may_become(instance.status, INSTANCE_INACTIVE));
    instance.status = INSTANCE_INACTIVE;
    if (str_is_set(reason)) { instance.status_reason = reason; }
    instance.deregistered_ms = ctx->now_ms;
    instance.tags = (struct tag_list){ 0 };
    instance.version++;
    support_forget_registration(ctx, found);
    machines_forget(ctx, found);
    placement_put_instance(ctx, &instance);
    support_effect(ctx, EFFECT_CLOSE_INSTANCE, found->id);
}

/* The machine has stopped its tasks by itself, or is not there to do it. An agent that is back keeps its tasks. With the epoch all
 * that was told to this machine is told anew: a manifest that went out just now still named the tasks. */
bool op_fence_instance(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    static const struct loss fenced = { TASK_STOP_CODE_INFRASTRUCTUREHEALTH, STR_INIT(WIRE_REASON_FENCED) };
    const struct fence_instance *fence = input;
    (void)output;
    (void)err;
    const struct instance *found = store_instance(ctx->txn, fence->instance, ctx->arena);
    if (found == NULL || found->status == INSTANCE_INACTIVE || found->agent_connected == OPT_TRUE) { return true; }
    if (support_each_task(ctx, found->id, end_task, &fenced) == 0) { return true; }

    struct instance instance = *found;
    instance.session_epoch++;
    instance.version++;
    placement_put_instance(ctx, &instance);
    support_effect(ctx, EFFECT_WAKE_INSTANCE, instance.id);
    return true;
}
