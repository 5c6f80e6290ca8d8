#include "api/machines/loss.h"

#include "api/capacity/machines.h"
#include "api/core/placement.h"
#include "api/machines/gpu_health.h"
#include "api/machines/last_record.h"

struct ending { const struct stop_cause *cause; const struct instance *machine; };

static void end_task(struct op_ctx *ctx, struct id id, const void *given)
{
    const struct ending *ending = given;
    const struct task *found = store_task(ctx->txn, id, ctx->arena);
    if (found == NULL) { return; }
    struct task task = *found;
    struct contact contact = task_contact(found, ending->machine->agent_connected == OPT_TRUE, ending->machine->agent_came_ms);
    task.containers.items = arena_copy(ctx->arena, found->containers.items, found->containers.count * sizeof *found->containers.items);
    ASSERT(id_eq(found->instance, ending->machine->id));
    task_become(&task, TASK_STOPPED, ctx->now_ms);       /* support_each_task gives only live tasks */
    task_set_cause(&task, *ending->cause);
    task.connectivity = contact.connectivity;
    task.connectivity_ms = contact.since_ms;
    if (task.tags.count > 0) { task.tags_at_stop = task.tags; }
    task.tags = (struct tag_list){ 0 };
    task.version++;
    placement_change_task(ctx, found, &task);
}

size_t loss_end_tasks(struct op_ctx *ctx, const struct instance *found, const struct stop_cause *cause, size_t limit)
{
    return support_each_task(ctx, found->id, limit, end_task, &(struct ending){ cause, found });
}

size_t loss_deregister(struct op_ctx *ctx, const struct instance *found, const struct stop_cause *cause, struct str reason)
{
    ASSERT(ctx->world != NULL);
    ASSERT(found->status != INSTANCE_INACTIVE);
    struct instance instance = *found;
    size_t ended = loss_end_tasks(ctx, found, cause, SIZE_MAX);
    instance_become(&instance, INSTANCE_INACTIVE, ctx->now_ms);
    if (str_is_set(reason)) { instance.status_reason = reason; }
    instance.tags = (struct tag_list){ 0 };
    instance.version++;
    support_forget_registration(ctx, found);
    last_record_forget(ctx, found);
    placement_put_instance(ctx, &instance);
    gpu_twins_pass_on(ctx, found, NULL);
    machine_left(ctx, found);
    support_effect(ctx, EFFECT_CLOSE_INSTANCE, found->id);
    return ended;
}
