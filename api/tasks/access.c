/* access.c: operations on single tasks: protecting tasks of services from being stopped by their service, and running commands in tasks.
 * ExecuteCommand decides here which command runs where; the server gives out the session (op_ctx.outside). */
#include "api/core/placement.h"
#include "api/handlers.h"
#include "api/tell/role_credentials.h"
#include "api/schemas/task_access.h"
#include "api/show/view.h"
#include "base/text/command_line.h"
#include "scheduler/reconcile/roster.h"
#include "wire/wire.h"

/* ---- protection ---- */

/* The tasks that a request names, each once, and the service of the task that was looked at last, with the live tasks of it. */
struct protection {
    struct op_ctx *ctx;
    const struct cluster *cluster;
    struct id *ids; struct str *references; size_t count;
    const struct service *service;
    struct roster_task *tasks; size_t task_count;                /* of an update */
};

static bool read_tasks(struct op_ctx *ctx, struct str cluster_reference, const struct str_list *tasks, bool changes, struct protection *out, struct err *err)
{
    *out = (struct protection){ .ctx = ctx, .cluster = support_cluster(ctx, cluster_reference, err) };
    if (out->cluster == NULL) { return false; }
    if (tasks->count == 0) { return err_set(err, ERR_INVALID_PARAMETER, "Tasks cannot be empty."); }
    out->ids = ARENA_NEW(ctx->arena, struct id, tasks->count);
    out->references = ARENA_NEW(ctx->arena, struct str, tasks->count);
    for (size_t t = 0; t < tasks->count; t++) {
        struct id *id = &out->ids[out->count];
        size_t before = 0;
        if (!names_read_id(&ctx->config->names, tasks->items[t], STR("task"), out->cluster->name, id, err)) { return false; }
        if (ctx->caller.role == ACCESS_TASK && changes && !id_eq(*id, ctx->caller.session->task)) {
            return err_set(err, ERR_ACCESS_DENIED, "A task's role may protect that task and no other.");
        }
        while (!id_eq(out->ids[before], *id)) { before++; }
        if (before == out->count) { out->references[out->count++] = tasks->items[t]; }
    }
    return true;
}

/* Why the task can have no protection; absent: it can. Its service is then protection->service. */
static struct str refusal(struct protection *protection, const struct task *task)
{
    struct op_ctx *ctx = protection->ctx;
    if (task->service == 0 || task->of_daemon == OPT_TRUE) { return STR("The task is not part of a service: only tasks of services can be protected."); }
    if (!task_is_live(task) || task->desired_status == TASK_STOPPED) { return STR("The task is stopped, or is stopping."); }
    if (protection->service == NULL || protection->service->number != task->service) {
        protection->service = store_service(ctx->txn, task->service, ctx->arena);
        protection->tasks = NULL;
    }
    bool is_active = protection->service != NULL && protection->service->status == SERVICE_ACTIVE;
    return is_active ? (struct str){ NULL, 0 } : STR("The service of the task is not ACTIVE.");
}

/* The task at that place of the request. NULL: *failure says why not. */
static const struct task *find_protectable(struct protection *protection, size_t index, struct str *arn, struct failure *failure)
{
    struct op_ctx *ctx = protection->ctx;
    *arn = names_task_arn(&ctx->config->names, protection->cluster->name, protection->ids[index], ctx->arena);
    const struct task *task = store_task(ctx->txn, protection->ids[index], ctx->arena);
    if (task == NULL || task->cluster_number != protection->cluster->number) {
        *failure = view_missing(protection->references[index], *arn);
        return NULL;
    }
    struct str why = refusal(protection, task);
    if (why.len == 0) { return task; }
    *failure = (struct failure){ .arn = *arn, .reason = STR("TASK_NOT_VALID"), .detail = why };
    return NULL;
}

static struct protected_task show_protection(struct str arn, int64_t until_ms, int64_t now_ms)
{
    bool is_on = until_ms > now_ms;
    return (struct protected_task){ .task_arn = arn, .protection_enabled = opt_bool_of(is_on), .expiration_date = is_on ? until_ms : 0 };
}

bool op_get_task_protection(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct get_task_protection_request *request = input;
    struct get_task_protection_response *response = output;
    struct protection protection;
    if (!read_tasks(ctx, request->cluster, &request->tasks, false, &protection, err)) { return false; }
    response->protected_tasks.items = ARENA_NEW(ctx->arena, struct protected_task, protection.count);
    response->failures.items = ARENA_NEW(ctx->arena, struct failure, protection.count);
    for (size_t t = 0; t < protection.count; t++) {
        struct str arn;
        struct failure failure;
        const struct task *task = find_protectable(&protection, t, &arn, &failure);
        if (task == NULL) {
            response->failures.items[response->failures.count++] = failure;
        } else {
            response->protected_tasks.items[response->protected_tasks.count++] = show_protection(arn, task->protected_until_ms, ctx->now_ms);
        }
    }
    return true;
}

/* A deployment can have as many protected tasks as the service wants tasks. Marks the task as protected when there is room. */
static bool take_protection(struct protection *protection, const struct task *task, int64_t until_ms)
{
    struct op_ctx *ctx = protection->ctx;
    struct roster_task *own = NULL;
    int64_t others = 0;
    if (protection->tasks == NULL) {
        const struct roster *roster = sched_roster(ctx->world);
        protection->tasks = ARENA_NEW(ctx->arena, struct roster_task, roster_count(roster, task->service));
        protection->task_count = roster_tasks(roster, task->service, protection->tasks);
    }
    for (size_t t = 0; t < protection->task_count; t++) {
        struct roster_task *other = &protection->tasks[t];
        if (id_eq(other->id, task->id)) { own = other; continue; }
        others += other->deployment == task->deployment && !other->leaving && other->protected_until_ms > ctx->now_ms ? 1 : 0;
    }
    if (others >= protection->service->desired_count) { return false; }
    if (own != NULL) { own->protected_until_ms = until_ms; }
    return true;
}

static void update_one(struct protection *protection, size_t index, int64_t until_ms, struct update_task_protection_response *response)
{
    struct op_ctx *ctx = protection->ctx;
    struct str arn;
    struct failure failure;
    const struct task *found = find_protectable(protection, index, &arn, &failure);
    if (found != NULL && until_ms != 0 && !take_protection(protection, found, until_ms)) {
        failure = (struct failure){
            .arn = arn, .reason = STR("DEPLOYMENT_BLOCKED"), .detail = STR("As many tasks of the deployment are protected as the service's desiredCount."),
        };
        found = NULL;
    }
    if (found == NULL) {
        response->failures.items[response->failures.count++] = failure;
        return;
    }
    if (found->protected_until_ms != until_ms) {
        struct task task = *found;
        task.protected_until_ms = until_ms;
        placement_change_task(ctx, found, &task);
    }
    response->protected_tasks.items[response->protected_tasks.count++] = show_protection(arn, until_ms, ctx->now_ms);
}

bool op_update_task_protection(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    enum { DEFAULT_MINUTES = 120 };
    static const int64_t minute_ms = 60 * 1000;
    const struct update_task_protection_request *request = input;
    struct update_task_protection_response *response = output;
    struct protection protection;
    if (!read_tasks(ctx, request->cluster, &request->tasks, true, &protection, err)) { return false; }
    int64_t minutes = request->expires_in_minutes.set ? request->expires_in_minutes.value : DEFAULT_MINUTES;
    int64_t until_ms = request->protection_enabled == OPT_TRUE ? ctx->now_ms + minutes * minute_ms : 0;
    response->protected_tasks.items = ARENA_NEW(ctx->arena, struct protected_task, protection.count);
    response->failures.items = ARENA_NEW(ctx->arena, struct failure, protection.count);
    for (size_t t = 0; t < protection.count; t++) { update_one(&protection, t, until_ms, response); }
    return true;
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
    const struct taskdef *taskdef = task == NULL ? NULL : store_taskdef_of(ctx->txn, task, ctx->arena);
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
