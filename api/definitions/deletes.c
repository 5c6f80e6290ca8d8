/* deletes.c: revisions are deleted in two steps: DELETE_IN_PROGRESS, when somebody asks, and gone, when no service
 * has a deployment of them and no task that is remembered was made of them. */
#include "api/definitions/deletes.h"

#include "api/handlers.h"
#include "api/schemas/taskdefs.h"
#include "base/num.h"

enum { DELETES_MAX = 10 };

/* One reference of the request: the revision to delete, or the reason why it can't be. */
struct target { const struct taskdef *taskdef; const char *problem; };

static struct target find_target(struct op_ctx *ctx, struct str reference)
{
    struct str family;
    int64_t revision;
    struct err unread = { 0 };
    struct target target = { 0 };
    if (!names_read_taskdef(&ctx->config->names, reference, &family, &revision, &unread) || revision == 0) {
        target.problem = "The specified task definition identifier is invalid. Specify a valid name or ARN and try again.";
        return target;
    }
    target.taskdef = store_taskdef(ctx->txn, family, revision, ctx->arena);
    if (target.taskdef == NULL) {
        target.problem = "The specified task definition does not exist. Specify a valid account, family, revision and try again.";
    } else if (target.taskdef->def.status == TASK_DEFINITION_STATUS_ACTIVE) {
        target.problem = "The specified task definition is still in ACTIVE status. Please deregister the target and try again.";
    }
    return target;
}

static bool is_same(const struct taskdef *a, const struct taskdef *b)
{
    return a->def.revision.value == b->def.revision.value && str_eq(a->def.family, b->def.family);
}

/* A revision that the request names twice is shown once. */
static bool named_before(const struct target *targets, size_t index)
{
    for (size_t t = 0; t < index; t++) {
        if (targets[t].problem == NULL && is_same(targets[t].taskdef, targets[index].taskdef)) { return true; }
    }
    return false;
}

static const struct taskdef *mark_deleted(struct op_ctx *ctx, const struct taskdef *known)
{
    if (known->def.status == TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS) { return known; }
    struct taskdef *taskdef = arena_copy(ctx->arena, known, sizeof *known);
    taskdef_become(taskdef, TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS, ctx->now_ms);
    store_put_taskdef(ctx->txn, taskdef);
    return taskdef;
}

bool op_delete_task_definitions(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_task_definitions_request *in = input;
    struct delete_task_definitions_response *out = output;
    const struct str_list *references = &in->task_definitions;
    if (references->count == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "size of TaskDefinition references list must be greater than 0");
    }
    if (references->count > DELETES_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "Size of TaskDefinition references list cannot exceed %d", DELETES_MAX);
    }
    struct target targets[DELETES_MAX];
    for (size_t r = 0; r < references->count; r++) { targets[r] = find_target(ctx, references->items[r]); }

    out->task_definitions.items = ARENA_NEW(ctx->arena, struct task_definition, references->count);
    out->failures.items = ARENA_NEW(ctx->arena, struct failure, references->count);
    for (size_t r = 0; r < references->count; r++) {
        if (targets[r].problem != NULL) {
            out->failures.items[out->failures.count++] =
                (struct failure){ .arn = references->items[r], .reason = str_from(targets[r].problem) };
        } else if (!named_before(targets, r)) {
            const struct task_definition *shown = view_taskdef(ctx, mark_deleted(ctx, targets[r].taskdef));
            out->task_definitions.items[out->task_definitions.count++] = *shown;
        }
    }
    ASSERT(out->task_definitions.count + out->failures.count <= references->count);
    return true;
}

/* ---- gone ---- */

/* Only services run a revision that is INACTIVE, so its tasks are older than that, or than the end of the last deployment. Clocks go back at times: a day is
 * allowed for. */
static int64_t youngest_task_ms(const struct taskdef *taskdef)
{
    enum { DAY_MS = 24 * 60 * 60 * 1000 };
    int64_t last_ms = taskdef->def.deregistered_at > 0 ? taskdef->def.deregistered_at : taskdef->def.delete_requested_at;
    return max_i64(last_ms, taskdef->deployment_ended_ms) + DAY_MS;
}

void taskdef_drop_deleted(struct op_ctx *ctx)
{
    enum { DROPPED_MAX = 200, TASKS_READ_MAX = 2000 };
    size_t budget = TASKS_READ_MAX;
    struct taskdef_name *names = ARENA_NEW(ctx->arena, struct taskdef_name, DROPPED_MAX);
    size_t count = store_list_taskdefs(ctx->txn, (struct str){ 0 }, TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS, false,
                                       (struct taskdef_name){ 0 }, names, DROPPED_MAX, ctx->arena);
    /* Beginning anywhere: one that takes the whole budget each time does not keep the others for ever. */
    ASSERT(count <= DROPPED_MAX);
    size_t first = count == 0 ? 0 : (size_t)rng_below(ctx->rng, count);
    for (size_t n = 0; n < count && budget > 0; n++) {
        const struct taskdef_name *name = &names[(first + n) % count];
        const struct taskdef *taskdef = store_taskdef(ctx->txn, name->family, name->revision, ctx->arena);
        if (taskdef == NULL || taskdef->deployments > 0) { continue; }
        if (!store_taskdef_is_used(ctx->txn, name->family, name->revision, youngest_task_ms(taskdef), &budget)) {
            store_drop_taskdef(ctx->txn, name->family, name->revision);
        }
    }
}
