/* task_access.c: what is done to single tasks from outside: protecting them from being replaced, and running commands in them.
 * Tasks of services are what can be protected, and there are no services: every task stands alone. No agent offers an
 * end for commands yet, so ExecuteCommand tells precisely why it can't. */
#include "api/handlers.h"
#include "api/role_credentials.h"
#include "api/schemas/task_access.h"
#include "api/view.h"

/* ---- protection ---- */

/* The entry of failures[] for one task. */
static struct failure protection_failure(struct op_ctx *ctx, const struct cluster *cluster, struct str reference, struct id id)
{
    struct str arn = names_task_arn(&ctx->config->names, cluster->name, id, ctx->arena);
    const struct task *task = store_task(ctx->txn, id, ctx->arena);
    if (task == NULL || task->cluster_number != cluster->number) { return view_missing(reference, arn); }
    return (struct failure){
        .arn = arn, .reason = STR("TASK_NOT_VALID"), .detail = STR("The task is not part of a service: only tasks of services can be protected."),
    };
}

static bool list_protection_failures(struct op_ctx *ctx, struct str cluster_reference, const struct str_list *tasks, bool changes,
                                     struct failure_list *failures, struct err *err)
{
    const struct cluster *cluster = support_cluster(ctx, cluster_reference, err);
    if (cluster == NULL) { return false; }
    struct id *ids = ARENA_NEW(ctx->arena, struct id, tasks->count);
    failures->items = ARENA_NEW(ctx->arena, struct failure, tasks->count);
    for (size_t t = 0; t < tasks->count; t++) {
        if (!names_read_id(&ctx->config->names, tasks->items[t], STR("task"), cluster->name, &ids[t], err)) { return false; }
        if (ctx->caller.role == ACCESS_TASK && changes && !id_eq(ids[t], ctx->caller.session->task)) {
            return err_set(err, ERR_ACCESS_DENIED, "A task's role may protect that task and no other.");
        }
        size_t before = 0;
        while (!id_eq(ids[before], ids[t])) { before++; }
        if (before < t) { continue; }                    /* what is asked for twice is answered once */
        failures->items[failures->count++] = protection_failure(ctx, cluster, tasks->items[t], ids[t]);
    }
    return true;
}

bool op_get_task_protection(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct get_task_protection_request *request = input;
    struct get_task_protection_response *response = output;
    response->protected_tasks.items = LIST_NOTHING;
    return list_protection_failures(ctx, request->cluster, &request->tasks, false, &response->failures, err);
}

bool op_update_task_protection(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct update_task_protection_request *request = input;
    struct update_task_protection_response *response = output;
    response->protected_tasks.items = LIST_NOTHING;
    return list_protection_failures(ctx, request->cluster, &request->tasks, true, &response->failures, err);
}

/* ---- ExecuteCommand ---- */

static bool check_container(const struct task *task, const struct taskdef *taskdef, struct str container, struct err *err)
{
    if (container.len == 0 && task->containers.count <= 1) { return true; }
    if (container.len == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "The task has %zu containers: container must say in which one the command is to run.",
                       task->containers.count);
    }
    if (taskdef != NULL && taskdef_container(&taskdef->def, container) != NULL) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "The task has no container named " STR_FMT ".", STR_ARG(str_slice(container, 0, 255)));
}

bool op_execute_command(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct execute_command_request *request = input;
    (void)output;
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    struct id id;
    if (cluster == NULL) { return false; }
    if (request->interactive != OPT_TRUE) {
        return err_set(err, ERR_INVALID_PARAMETER, "Interactive is the only mode supported currently.");
    }
    if (!names_read_id(&ctx->config->names, request->task, STR("task"), cluster->name, &id, err)) { return false; }
    const struct task *task = store_task(ctx->txn, id, ctx->arena);
    if (task == NULL || task->cluster_number != cluster->number) {
        return err_set(err, ERR_INVALID_PARAMETER, "The referenced task was not found.");
    }
    const struct taskdef *taskdef = store_taskdef(ctx->txn, task->family, task->revision, ctx->arena);
    if (!check_container(task, taskdef, request->container, err)) { return false; }
    if (task->enable_execute_command != OPT_TRUE || task->last_status != TASK_RUNNING) {
        return err_set(err, ERR_INVALID_PARAMETER,
                       "The execute command failed because execute command was not enabled when the task was run or the execute command "
                       "agent isn't running. Wait and try again or run a new task with execute command enabled and try again.");
    }
    return err_set(err, ERR_TARGET_NOT_CONNECTED, "The execute command failed: the execute command agent of the container is not connected, "
                   "because Berth's agents don't offer one yet.");
}
