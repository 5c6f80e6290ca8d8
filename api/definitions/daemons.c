/* daemons.c: register, describe, list and delete daemon task definitions. A definition is checked and filled in as a task definition with fewer
 * members. A revision that is deleted is DELETE_IN_PROGRESS while a daemon uses it, and then DELETED; it can be described as long as a stopped task. */
#include "api/definitions/deletes.h"
#include "api/definitions/rules.h"
#include "api/handlers.h"
#include "api/schemas/daemons.h"
#include "base/num.h"

enum { SCRATCH_MAX = 64 * 1024 * 1024 };                 /* bytes, of an arena for one record at a time */

/* ---- register ---- */

static bool check_log_driver(const struct container_definition *container, struct err *err)
{
    enum log_driver driver = container_log_driver(container);
    bool known = driver == LOG_DRIVER_UNSET || driver == LOG_DRIVER_AWSLOGS || driver == LOG_DRIVER_SPLUNK || driver == LOG_DRIVER_AWSFIRELENS;
    return known || err_set(err, ERR_CLIENT, "Log driver '" STR_FMT "' is not supported in a daemon task definition. Use awslogs, splunk or awsfirelens.",
                            STR_ARG(enum_word(&log_driver_names, (int)driver)));
}

static bool check_volume(const struct volume *volume, struct err *err)
{
    bool good = volume->host != NULL && volume->host->source_path.len > 0;
    return good || err_set(err, ERR_CLIENT, "Volume '" STR_FMT "' of a daemon task definition must have a 'host.sourcePath'.", STR_ARG(volume->name));
}

static bool check_daemon(const struct task_definition *def, struct err *err)
{
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        if (!check_log_driver(&def->container_definitions.items[c], err)) { return false; }
    }
    for (size_t v = 0; v < def->volumes.count; v++) {
        if (!check_volume(&def->volumes.items[v], err)) { return false; }
    }
    return true;
}

bool op_register_daemon_task_definition(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct register_daemon_task_definition_request *in = input;
    struct register_daemon_task_definition_response *out = output;
    struct task_definition def = {
        .family = in->family, .task_role_arn = taskdef_role(ctx->config, in->task_role_arn),
        .execution_role_arn = taskdef_role(ctx->config, in->execution_role_arn), .container_definitions = in->container_definitions,
        .volumes = in->volumes, .cpu = in->cpu, .memory = in->memory,
    };
    if (!taskdef_check(ctx, &def, err) || !check_daemon(&def, err) || !support_check_tags(&in->tags, TAGGED_OTHER, err)) { return false; }

    taskdef_fill(&ctx->config->names, &def, ctx->arena);
    struct daemon_taskdef taskdef = {
        .def = {
            .family = def.family, .revision = opt_int_of(store_next_daemon_revision(ctx->txn, def.family)), .task_role_arn = def.task_role_arn,
            .execution_role_arn = def.execution_role_arn, .container_definitions = def.container_definitions, .volumes = def.volumes, .cpu = def.cpu,
            .memory = def.memory, .pid_mode = in->pid_mode, .ipc_mode = in->ipc_mode, .registered_by = support_caller_arn(ctx),
        },
        .tags = in->tags,
    };
    daemon_taskdef_become(&taskdef, DAEMON_TASK_DEFINITION_STATUS_ACTIVE, ctx->now_ms);
    store_put_daemon_taskdef(ctx->txn, &taskdef);
    out->daemon_task_definition_arn = names_daemon_taskdef_arn(&ctx->config->names, def.family, taskdef.def.revision.value, ctx->arena);
    return true;
}

/* ---- describe and delete ---- */

/* The revision that a reference names, in any status; for a family alone the latest that is ACTIVE. */
static const struct daemon_taskdef *find(struct op_ctx *ctx, struct str family, int64_t revision, struct err *err)
{
    int64_t wanted = revision == 0 ? store_latest_daemon_revision(ctx->txn, family) : revision;
    const struct daemon_taskdef *taskdef = wanted == 0 ? NULL : store_daemon_taskdef(ctx->txn, family, wanted, ctx->arena);
    if (taskdef == NULL) { (void)err_set(err, ERR_CLIENT, "Unable to describe daemon task definition."); }
    return taskdef;
}

bool op_describe_daemon_task_definition(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_daemon_task_definition_request *in = input;
    struct describe_daemon_task_definition_response *out = output;
    struct str family;
    int64_t revision;
    if (!names_read_daemon_taskdef(&ctx->config->names, in->daemon_task_definition, &family, &revision, err)) { return false; }
    const struct daemon_taskdef *taskdef = find(ctx, family, revision, err);
    if (taskdef == NULL) { return false; }
    struct daemon_task_definition *shown = arena_copy(ctx->arena, &taskdef->def, sizeof taskdef->def);
    shown->daemon_task_definition_arn = names_daemon_taskdef_arn(&ctx->config->names, shown->family, shown->revision.value, ctx->arena);
    out->daemon_task_definition = shown;
    return true;
}

bool op_delete_daemon_task_definition(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_daemon_task_definition_request *in = input;
    struct delete_daemon_task_definition_response *out = output;
    struct str family;
    int64_t revision;
    if (!names_read_daemon_taskdef(&ctx->config->names, in->daemon_task_definition, &family, &revision, err)) { return false; }
    if (revision == 0) { return err_set(err, ERR_CLIENT, "Revision is missing."); }
    const struct daemon_taskdef *known = find(ctx, family, revision, err);
    if (known == NULL) { return false; }
    if (known->def.status != DAEMON_TASK_DEFINITION_STATUS_ACTIVE) {
        return err_set(err, ERR_CLIENT, "The specified daemon task definition is not in ACTIVE status.");
    }

    struct daemon_taskdef taskdef = *known;
    daemon_taskdef_become(&taskdef, DAEMON_TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS, ctx->now_ms);
    if (taskdef.deployments == 0) { daemon_taskdef_become(&taskdef, DAEMON_TASK_DEFINITION_STATUS_DELETED, ctx->now_ms); }
    store_put_daemon_taskdef(ctx->txn, &taskdef);
    out->daemon_task_definition_arn = names_daemon_taskdef_arn(&ctx->config->names, family, revision, ctx->arena);
    return true;
}

void daemon_taskdef_drop_deleted(struct op_ctx *ctx)
{
    enum { DROPPED_MAX = 200, TASKS_READ_MAX = 2000, DAY_MS = 24 * 60 * 60 * 1000 };
    size_t budget = TASKS_READ_MAX;
    const struct daemon_taskdef_filter deleted = { .wanted = DAEMON_TASK_DEFINITION_STATUS_DELETED };
    struct taskdef_name *names = ARENA_NEW(ctx->arena, struct taskdef_name, DROPPED_MAX);
    size_t count = store_list_daemon_taskdefs(ctx->txn, &deleted, (struct taskdef_name){ 0 }, names, DROPPED_MAX, ctx->arena);
    struct arena scratch;
    arena_init(&scratch, SCRATCH_MAX);
    for (size_t n = 0; n < count; n++) {
        arena_reset(&scratch);
        const struct daemon_taskdef *taskdef = store_daemon_taskdef(ctx->txn, names[n].family, names[n].revision, &scratch);
        int64_t last_ms = taskdef == NULL ? 0 : max_i64(taskdef->def.delete_requested_at, taskdef->deployment_ended_ms);
        bool is_past = taskdef != NULL && last_ms < ctx->now_ms - ctx->config->stopped_task_keep_ms;
        if (is_past && !store_taskdef_is_used(ctx->txn, names[n].family, names[n].revision, last_ms + DAY_MS, &budget)) {
            store_drop_daemon_taskdef(ctx->txn, names[n].family, names[n].revision);
        }
    }
    arena_finish(&scratch);
}

/* ---- list ---- */

static bool read_position(struct op_ctx *ctx, struct str position, struct taskdef_name *name, struct err *err)
{
    *name = (struct taskdef_name){ 0 };
    if (!str_is_set(position)) { return true; }
    return names_read_daemon_taskdef(&ctx->config->names, position, &name->family, &name->revision, err);
}

/* Reads the records one at a time: a page has no containers, and needs no memory for them. */
static struct daemon_task_definition_summary_list summaries(struct op_ctx *ctx, const struct taskdef_name *names, size_t count)
{
    struct daemon_task_definition_summary_list list = { ARENA_NEW(ctx->arena, struct daemon_task_definition_summary, count), 0 };
    struct arena scratch;
    arena_init(&scratch, SCRATCH_MAX);
    for (size_t n = 0; n < count; n++) {
        arena_reset(&scratch);
        const struct daemon_taskdef *taskdef = store_daemon_taskdef(ctx->txn, names[n].family, names[n].revision, &scratch);
        if (taskdef == NULL) { continue; }
        const struct daemon_task_definition *def = &taskdef->def;
        struct str arn = names_daemon_taskdef_arn(&ctx->config->names, names[n].family, names[n].revision, ctx->arena);
        list.items[list.count++] = (struct daemon_task_definition_summary){
            arn, def->registered_at, arena_str(ctx->arena, def->registered_by), def->delete_requested_at, def->status,
        };
    }
    arena_finish(&scratch);
    return list;
}

bool op_list_daemon_task_definitions(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_daemon_task_definitions_request *in = input;
    struct list_daemon_task_definitions_response *out = output;
    static const enum daemon_task_definition_status statuses[DAEMON_TASK_DEFINITION_STATUS_FILTER_COUNT] = {
        [DAEMON_TASK_DEFINITION_STATUS_FILTER_UNSET] = DAEMON_TASK_DEFINITION_STATUS_ACTIVE,
        [DAEMON_TASK_DEFINITION_STATUS_FILTER_ACTIVE] = DAEMON_TASK_DEFINITION_STATUS_ACTIVE,
        [DAEMON_TASK_DEFINITION_STATUS_FILTER_DELETE_IN_PROGRESS] = DAEMON_TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS,
        [DAEMON_TASK_DEFINITION_STATUS_FILTER_ALL] = DAEMON_TASK_DEFINITION_STATUS_UNSET,
    };
    struct str list = STR("ListDaemonTaskDefinitions"), position;
    struct taskdef_name after;
    bool exact = in->family.len > 0;
    if (exact && in->family_prefix.len > 0) { return err_set(err, ERR_INVALID_PARAMETER, "Only one of family and familyPrefix can be specified."); }
    if (!paging_position(ctx, list, in->next_token, &position, err) || !read_position(ctx, position, &after, err)) { return false; }

    /* One more than is shown tells whether there is another page. */
    const struct daemon_taskdef_filter filter = {
        .family = exact ? in->family : in->family_prefix, .exact = exact, .wanted = statuses[in->status],
        .latest = in->revision == DAEMON_TASK_DEFINITION_REVISION_FILTER_LAST_REGISTERED, .descending = in->sort == SORT_ORDER_DESC,
    };
    size_t limit = support_page_limit(in->max_results);
    struct taskdef_name *names = ARENA_NEW(ctx->arena, struct taskdef_name, limit + 1);
    size_t found = store_list_daemon_taskdefs(ctx->txn, &filter, after, names, limit + 1, ctx->arena);
    ASSERT(found <= limit + 1);
    size_t shown = found > limit ? limit : found;
    out->daemon_task_definitions = summaries(ctx, names, shown);
    if (found > limit) {
        const struct taskdef_name *last = &names[shown - 1];
        struct str end = arena_printf(ctx->arena, STR_FMT ":%lld", STR_ARG(last->family), (long long)last->revision);
        out->next_token = paging_token(ctx, list, end);
    }
    return true;
}
