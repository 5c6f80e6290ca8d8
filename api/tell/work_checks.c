/* work_checks.c: which targets a machine's agent checks, and how. */
#include "api/core/support.h"
#include "api/tell/work.h"

struct target_check_list work_checks(struct op_ctx *ctx, struct id instance)
{
    struct live_task *tasks;
    size_t count = store_traffic_revision(ctx->txn) == 0 ? 0 : store_live_on_instance(ctx->txn, instance, &tasks, ctx->arena);
    struct target_check_list out = { NULL, 0 };
    for (size_t t = 0; t < count; t++) {
        struct kept_target *targets;
        size_t found = store_targets_of_task(ctx->txn, tasks[t].id, &targets, ctx->arena);
        size_t old = out.count * sizeof *out.items;
        out.items = arena_grow(ctx->arena, out.items, old, old + found * sizeof *out.items);
        for (size_t f = 0; f < found; f++) {
            const struct kept_group *group = targets[f].state == TARGET_DRAINING ? NULL : store_group(ctx->txn, targets[f].group, ctx->arena);
            if (group == NULL || group->group->health_check_enabled == OPT_FALSE) { continue; }
            out.items[out.count++] = check_of(group->group, &targets[f]);
        }
    }
    return out;
}
