#include "api/machines/loss.h"

#include "api/machines/gpu_health.h"
#include "api/handlers.h"
#include "api/machines/machines.h"
#include "wire/wire.h"

struct ending { const struct loss *loss; const struct instance *machine; };

static void end_task(struct op_ctx *ctx, struct id id, const void *given)
{
    const struct ending *ending = given;
    const struct loss *loss = ending->loss;
    const struct task *found = store_task(ctx->txn, id, ctx->arena);
    if (found == NULL) { return; }
    struct task task = *found;
    struct contact contact = task_contact(found, ending->machine->agent_connected == OPT_TRUE, ending->machine->agent_came_ms);
    if (!task_become(&task, TASK_STOPPED, ctx->now_ms)) { return; }
    task.connectivity = contact.connectivity;
    task.connectivity_ms = contact.since_ms;
    task.containers.items = arena_copy(ctx->arena, found->containers.items, found->containers.count * sizeof *found->containers.items);
    for (size_t c = 0; c < task.containers.count; c++) { task.containers.items[c].status = TASK_STOPPED; }
    if (task.stop_code == TASK_STOP_CODE_UNSET) { task.stop_code = loss->code; }
    if (!str_is_set(task.stopped_reason)) { task.stopped_reason = loss->reason; }
    if (task.tags.count > 0) { task.tags_at_stop = task.tags; }
    task.tags = (struct tag_list){ 0 };
    task.version++;
    placement_change_task(ctx, found, &task);
}

size_t loss_deregister(struct op_ctx *ctx, const struct instance *found, const struct loss *loss, struct str reason)
{
    struct instance instance = *found;
    size_t ended = support_each_task(ctx, found->id, SIZE_MAX, end_task, &(struct ending){ loss, found });
    ASSERT(instance_may_become(instance.status, INSTANCE_INACTIVE));
    instance.status = INSTANCE_INACTIVE;
    if (str_is_set(reason)) { instance.status_reason = reason; }
    instance.deregistered_ms = ctx->now_ms;
    instance.tags = (struct tag_list){ 0 };
    instance.version++;
    support_forget_registration(ctx, found);
    machines_forget(ctx, found);
    placement_put_instance(ctx, &instance);
    gpu_twins_pass_on(ctx, found, NULL);
    support_effect(ctx, EFFECT_CLOSE_INSTANCE, found->id);
    return ended;
}

/* ---- many machines at once ---- */

/* Gives back how many tasks were changed, and whether all is done. */
typedef size_t do_machine(struct op_ctx *ctx, const struct instance *found, size_t limit, bool *done);

/* Machines that are gone meanwhile, and those whose agents are back, are done with. */
static void each_machine(struct op_ctx *ctx, const struct machine_batch *batch, do_machine *run, struct machines_done *done)
{
    size_t changed = 0;
    bool whole = true;
    done->count = 0;
    while (done->count < batch->count && changed < batch->limit && whole) {
        const struct instance *found = store_instance(ctx->txn, batch->instances[done->count], ctx->arena);
        if (found != NULL && found->status != INSTANCE_INACTIVE) { changed += run(ctx, found, batch->limit - changed, &whole); }
        if (whole) { done->count++; }
    }
}

/* Told twice, it changes nothing. Its tasks are not written: task_contact tells of them. Only those of a machine that is registered anew end. */
static size_t leave(struct op_ctx *ctx, const struct instance *found, size_t limit, bool *done)
{
    (void)limit;
    (void)done;
    if (found->agent_connected == OPT_FALSE) { return 0; }
    struct instance instance = *found;
    instance.agent_connected = OPT_FALSE;
    instance.agent_changed_ms = ctx->now_ms;
    instance.version++;
    placement_put_instance(ctx, &instance);
    return machines_left(ctx, &instance);
}

bool op_agents_absent(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    (void)err;
    each_machine(ctx, input, leave, output);
    return true;
}

/* The machine has stopped its tasks by itself, or is not there to do it. An agent that is back keeps its tasks. With the epoch all
 * that was told to this machine is told anew: a manifest that went out just now still named the tasks. */
static size_t fence(struct op_ctx *ctx, const struct instance *found, size_t limit, bool *done)
{
    static const struct loss fenced = { TASK_STOP_CODE_INFRASTRUCTUREHEALTH, STR_INIT(WIRE_REASON_FENCED) };
    if (found->agent_connected == OPT_TRUE) { return 0; }
    size_t count = support_each_task(ctx, found->id, limit, end_task, &(struct ending){ &fenced, found });
    if (count == 0) { return 0; }
    struct instance instance = *found;
    instance.session_epoch++;
    instance.version++;
    placement_put_instance(ctx, &instance);
    support_effect(ctx, EFFECT_WAKE_INSTANCE, instance.id);
    *done = count <= limit;
    return *done ? count : limit;
}

bool op_fence_instances(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    (void)err;
    each_machine(ctx, input, fence, output);
    return true;
}
