/* access.c: operations on single tasks: protecting them from being replaced, and running commands in them.
 * Only tasks of services can be protected, and there are no services yet. ExecuteCommand decides here
 * which command runs where; the server gives out the session (op_ctx.outside). */
#include "api/handlers.h"
#include "api/tell/role_credentials.h"
#include "api/schemas/task_access.h"
#include "api/show/view.h"
#include "base/text/command_line.h"
#include "wire/wire.h"

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
        if (before < t) { continue; }                    /* a task that was named twice is answered once */
        ASSERT(failures->count <= t);
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

static bool refuse_way(struct err *err)
{
    return err_set(err, ERR_INVALID_PARAMETER,
                   "The execute command failed because execute command was not enabled when the task was run or the execute command "
                   "agent isn't running. Wait and try again or run a new task with execute command enabled and try again.");
}

/* The container that is named, or the only one. NULL and *err. */
static const struct task_container *find_container(const struct task *task, const struct taskdef *taskdef, struct str name, struct err *err)
{
    const struct container_definition_list *list = &taskdef->def.container_definitions;
    if (name.len == 0 && task->containers.count > 1) {
        err_set(err, ERR_INVALID_PARAMETER, "The task has %zu containers: container must say in which one the command is to run.",
                task->containers.count);
        return NULL;
    }
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        if (container->index < 0 || (uint64_t)container->index >= list->count) { continue; }
        if (name.len == 0 || str_eq(list->items[container->index].name, name)) { return container; }
    }
    err_set(err, ERR_INVALID_PARAMETER, "The task has no container named " STR_FMT ".", STR_ARG(str_slice(name, 0, 255)));
    return NULL;
}

static const struct task *find_task(struct op_ctx *ctx, const struct cluster *cluster, struct str reference, struct id *id, struct err *err)
{
    if (!names_read_id(&ctx->config->names, reference, STR("task"), cluster->name, id, err)) { return NULL; }
    const struct task *task = store_task(ctx->txn, *id, ctx->arena);
    if (task != NULL && task->cluster_number == cluster->number) { return task; }
    err_set(err, ERR_INVALID_PARAMETER, "The referenced task was not found.");
    return NULL;
}

static bool begin_session(struct op_ctx *ctx, void *output, struct err *err)
{
    struct execute_command_response *response = output;
    const struct wire_exec message = { .task_arn = response->task_arn, .container = response->container_name, .command = response->words };
    response->session = ARENA_NEW(ctx->arena, struct session, 1);
    return ctx->outside->session_begin(ctx, response->instance, &message, response->session, err);
}

bool op_execute_command(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct execute_command_request *request = input;
    struct execute_command_response *response = output;
    const struct names *names = &ctx->config->names;
    struct command_line line;
    struct id id;
    const struct cluster *cluster = support_cluster(ctx, request->cluster, err);
    if (cluster == NULL) { return false; }
    if (request->interactive != OPT_TRUE) {
        return err_set(err, ERR_INVALID_PARAMETER, "Interactive is the only mode supported currently.");
    }
    const struct task *task = find_task(ctx, cluster, request->task, &id, err);
    const struct taskdef *taskdef = task == NULL ? NULL : store_taskdef(ctx->txn, task->family, task->revision, ctx->arena);
    if (task == NULL) { return false; }
    if (taskdef == NULL) { return refuse_way(err); }
    const struct task_container *container = find_container(task, taskdef, request->container, err);
    if (container == NULL) { return false; }
    ASSERT((uint64_t)container->index < taskdef->def.container_definitions.count);
    bool enabled = task->enable_execute_command == OPT_TRUE && task->last_status == TASK_RUNNING && container->status != TASK_STOPPED;
    if (!enabled) { return refuse_way(err); }
    if (!command_line_split(request->command, &line, ctx->arena, err)) { return false; }
    *response = (struct execute_command_response){
        .cluster_arn = names_cluster_arn(names, cluster->name, ctx->arena),
        .container_arn = names_container_arn(names, cluster->name, id, (size_t)container->index, ctx->arena),
        .container_name = taskdef->def.container_definitions.items[container->index].name,
        .interactive = OPT_TRUE,
        .task_arn = names_task_arn(names, cluster->name, id, ctx->arena),
        .instance = task->instance,
        .words = { line.words, line.count },
    };
    ctx->finish = begin_session;
    return true;
}

/* ---- sessions, which are outside ---- */

/* Without a token in the answer, the client knows that it is over. */
static bool renew_session(struct op_ctx *ctx, void *output, struct err *err)
{
    struct resume_session_response *response = output;
    (void)err;
    (void)ctx->outside->session_renew(ctx, response->session.session_id, &response->session);
    return true;
}

bool op_resume_session(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct session_reference *request = input;
    struct resume_session_response *response = output;
    (void)err;
    response->session.session_id = request->session_id;
    ctx->finish = renew_session;
    return true;
}

static bool end_session(struct op_ctx *ctx, void *output, struct err *err)
{
    const struct session_reference *response = output;
    (void)err;
    ctx->outside->session_end(ctx, response->session_id);
    return true;
}

bool op_terminate_session(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct session_reference *request = input;
    struct session_reference *response = output;
    (void)err;
    response->session_id = request->session_id;
    ctx->finish = end_session;
    return true;
}
