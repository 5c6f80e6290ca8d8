/* exec.c: running commands in containers, over HTTP.
 *
 * POST /berth/v1/exec begins one, {"task":…,"container":…,"command":[…],"tty":true,"rows":24,"cols":80} → {"session":"…"}, for admins.
 * POST /berth/v1/exec/io and /berth/v1/agent/exec carry it: struct exec_ask as a line of JSON, then bytes; the answer is struct
 * exec_answer in the same form. */
#include "server/paths/exec.h"

#include "server/front/access.h"
#include "server/front/answers.h"
#include "server/front/audit.h"

static bool decode(const struct http_request *request, struct str text, const struct schema *schema, void *out, struct err *err)
{
    const struct json *json = json_parse(text, request->arena, err);
    return json != NULL && schema_decode(schema, json, out, request->arena, ERR_INVALID_PARAMETER, err);
}

static void finish(const struct exec_paths *paths, struct http_answer *answer, bool good, const struct err *err)
{
    metrics_count(paths->front->metrics, NULL, err->code);
    if (!good) { answer_error(answer, err); }
}

/* ---- beginning ---- */

/* Which container is meant, of a task that runs. */
static bool choose_container(const struct task *task, const struct taskdef *taskdef, const struct exec_begin *begin, struct str *name, struct err *err)
{
    const struct container_definition_list *list = &taskdef->def.container_definitions;
    if (begin->container.len == 0 && list->count > 1) {
        return err_set(err, ERR_INVALID_PARAMETER, "The task has %zu containers: container must say in which one the command is to run.", list->count);
    }
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        if (container->index < 0 || (size_t)container->index >= list->count) { continue; }
        *name = list->items[container->index].name;
        if (begin->container.len > 0 && !str_eq(*name, begin->container)) { continue; }
        return container->status == TASK_RUNNING
            || err_set(err, ERR_INVALID_PARAMETER, "The container " STR_FMT " does not run.", STR_ARG(*name));
    }
    return err_set(err, ERR_INVALID_PARAMETER, "The task has no container named " STR_FMT ".", STR_ARG(begin->container));
}

static bool find_target(const struct exec_paths *paths, struct http_request *request, const struct exec_begin *begin, struct wire_exec *message,
                        struct id *instance, struct err *err)
{
    const struct names *names = &paths->front->api->names;
    struct str cluster;
    struct id id;
    if (!names_read_cluster(names, begin->cluster, &cluster, err) || !names_read_id(names, begin->task, STR("task"), cluster, &id, err)) { return false; }
    struct store_txn *txn = store_read_begin(paths->front->store);
    const struct task *task = store_task(txn, id, request->arena);
    const struct cluster *home = task == NULL ? NULL : store_cluster_by_number(txn, task->cluster_number, request->arena);
    const struct taskdef *taskdef = task == NULL ? NULL : store_taskdef_of(txn, task, request->arena);
    if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The store can't be read."); }
    if (home == NULL || taskdef == NULL || !str_eq(home->name, cluster)) {
        return err_set(err, ERR_INVALID_PARAMETER, "The referenced task was not found.");
    }
    *instance = task->instance;
    message->task_arn = names_task_arn(names, cluster, id, request->arena);
    return choose_container(task, taskdef, begin, &message->container, err)
        && (sessions_polls(paths->sessions, *instance)
            || err_set(err, ERR_TARGET_NOT_CONNECTED, "No agent of Berth's own is connected on the task's machine."));
}

void exec_begin_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct exec_paths *paths = context;
    struct err err = { 0 };
    struct exec_begin begin;
    struct id instance;
    char session[ID_HEX_LEN + 1];
    struct wire_exec message = { 0 };
    bool good = decode(request, request->body, &exec_begin_schema, &begin, &err) && find_target(paths, request, &begin, &message, &instance, &err);
    if (good) {
        message.command = begin.command;
        message.tty = begin.tty;
        message.rows = begin.rows;
        message.cols = begin.cols;
        good = exec_start(paths->exec, instance, &message, session, &err);
    }
    audit_exec(request, caller, &message, &err);
    finish(paths, answer, good, &err);
    if (!good) { return; }
    sessions_wake(paths->sessions, instance);
    answer->type = STR("application/json");
    buf_printf(&answer->body, "{\"session\":\"%s\"}", session);
}

/* ---- carrying ---- */

/* There is nothing to check for an unknown session: the call says so. */
static bool check_agent(const struct exec_paths *paths, struct http_request *request, const struct caller *caller, enum exec_side side, struct str session,
                        struct err *err)
{
    struct id instance;
    if (side != EXEC_AGENT || !exec_instance(paths->exec, session, &instance)) { return true; }
    return access_check_binding(paths->front, request, caller, instance, err);
}

static void carry(const struct exec_paths *paths, struct http_request *request, struct http_answer *answer, const struct caller *caller, enum exec_side side)
{
    struct err err = { 0 };
    struct str head, bytes;
    struct exec_ask ask;
    struct exec_answer said;
    struct buf out = buf_in(request->arena);
    (void)str_cut(request->body, '\n', &head, &bytes);
    bool good = decode(request, head, &exec_ask_schema, &ask, &err) && check_agent(paths, request, caller, side, ask.session, &err)
        && exec_call(paths->exec, side, &ask, bytes, &said, &out, &err);
    finish(paths, answer, good, &err);
    if (!good) { return; }
    answer->type = STR("application/octet-stream");
    struct json_out json = json_out_to(&answer->body);
    schema_print(&exec_answer_schema, &said, &json);
    buf_put_char(&answer->body, '\n');
    buf_put(&answer->body, buf_str(&out));
}

void exec_io_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct exec_paths *paths = context;
    carry(paths, request, answer, caller, EXEC_STARTER);
}

void agent_exec_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct exec_paths *paths = context;
    carry(paths, request, answer, caller, EXEC_AGENT);
}
