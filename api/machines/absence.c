/* absence.c: many machines in one job whose agents have disconnected or whose leases have ended. */
#include "api/core/placement.h"
#include "api/handlers.h"
#include "api/machines/loss.h"
#include "api/machines/machines.h"
#include "wire/wire.h"

/* Returns the number of tasks that were changed. *done: false when more are left. */
typedef size_t do_machine(struct op_ctx *ctx, const struct instance *found, size_t limit, bool *done);

/* Nothing is done for a machine that is deregistered by now, or whose agent is connected again. */
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
    ASSERT(done->count <= batch->count);
}

/* A second call changes nothing. The tasks are not written, because task_contact derives their connectivity. Only the tasks of a machine that is
 * registered again under a new id end. */
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

/* The machine has stopped its tasks by itself, or is gone. An agent that is connected again keeps its tasks. With a new epoch this machine gets all
 * messages again: a manifest that was sent a moment ago still has the tasks. */
static size_t fence(struct op_ctx *ctx, const struct instance *found, size_t limit, bool *done)
{
    static const struct stop_cause fenced = { TASK_STOP_CODE_INFRASTRUCTUREHEALTH, STR_INIT(WIRE_REASON_FENCED) };
    ASSERT(limit > 0);
    if (found->agent_connected == OPT_TRUE) { return 0; }
    size_t count = loss_end_tasks(ctx, found, &fenced, limit);
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
