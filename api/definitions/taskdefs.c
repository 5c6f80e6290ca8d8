/* taskdefs.c: register, describe, deregister and list task definitions. The rules of a definition are in taskdef_*.c. */
#include "api/handlers.h"
#include "api/schemas/taskdefs.h"
#include "api/definitions/rules.h"

/* ---- register ---- */

struct str taskdef_role(const struct api_config *config, struct str role)
{
    return role.len == 0 && !config->strict_aws ? (struct str){ 0 } : role;
}

static struct task_definition definition_of(const struct api_config *config, const struct register_task_definition_request *in)
{
    return (struct task_definition){
        .family = in->family, .task_role_arn = taskdef_role(config, in->task_role_arn), .execution_role_arn = taskdef_role(config, in->execution_role_arn),
        .network_mode = in->network_mode, .container_definitions = in->container_definitions, .volumes = in->volumes,
        .placement_constraints = in->placement_constraints, .requires_compatibilities = in->requires_compatibilities,
        .cpu = in->cpu, .memory = in->memory, .pid_mode = in->pid_mode, .ipc_mode = in->ipc_mode,
        .proxy_configuration = in->proxy_configuration, .inference_accelerators = in->inference_accelerators,
        .ephemeral_storage = in->ephemeral_storage, .runtime_platform = in->runtime_platform,
        .enable_fault_injection = in->enable_fault_injection,
    };
}

bool taskdef_draft(struct op_ctx *ctx, struct taskdef *taskdef, struct err *err)
{
    struct task_definition *def = &taskdef->def;
    if (!taskdef_check(ctx, def, err) || !support_check_tags(&taskdef->tags, TAGGED_DEFINITION, err)) { return false; }
    def->compatibilities = taskdef_compatibilities(def, ctx->arena);
    def->requires_attributes = taskdef_requires(def, ctx->arena);
    taskdef_fill(&ctx->config->names, def, ctx->arena);
    taskdef_become(taskdef, TASK_DEFINITION_STATUS_ACTIVE, ctx->now_ms);
    def->registered_by = support_caller_arn(ctx);
    def->revision = opt_int_of(store_next_revision(ctx->txn, def->family));
    ASSERT(def->revision.value > 0);
    ASSERT(def->container_definitions.count > 0 && def->container_definitions.count <= TASKDEF_CONTAINERS_MAX);
    return true;
}

bool op_register_task_definition(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct register_task_definition_request *in = input;
    struct register_task_definition_response *out = output;
    struct taskdef *taskdef = ARENA_NEW(ctx->arena, struct taskdef, 1);
    taskdef->def = definition_of(ctx->config, in);
    taskdef->tags = in->tags;
    if (!taskdef_draft(ctx, taskdef, err)) { return false; }
    store_put_taskdef(ctx->txn, taskdef);

    out->task_definition = view_taskdef(ctx, taskdef);
    if (in->tags.count > 0) { out->tags = in->tags; }
    return true;
}

/* ---- describe and deregister ---- */

/* The revision that a reference names, in any status; for a family alone the latest that is ACTIVE. */
static const struct taskdef *find(struct op_ctx *ctx, struct str family, int64_t revision, struct err *err)
{
    int64_t wanted = revision == 0 ? store_latest_active_revision(ctx->txn, family) : revision;
    const struct taskdef *taskdef = wanted == 0 ? NULL : store_taskdef(ctx->txn, family, wanted, ctx->arena);
    if (taskdef == NULL) { (void)err_set(err, ERR_CLIENT, "Unable to describe task definition."); }
    return taskdef;
}

bool op_describe_task_definition(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_task_definition_request *in = input;
    struct describe_task_definition_response *out = output;
    struct str family;
    int64_t revision;
    if (!names_read_taskdef(&ctx->config->names, in->task_definition, &family, &revision, err)) { return false; }
    const struct taskdef *taskdef = find(ctx, family, revision, err);
    if (taskdef == NULL) { return false; }

    out->task_definition = view_taskdef(ctx, taskdef);
    for (size_t i = 0; i < in->include.count; i++) {
        if (in->include.items[i] != (int)TASK_DEFINITION_FIELD_TAGS) { continue; }
        out->tags = taskdef->tags;
        if (out->tags.items == NULL) { out->tags.items = LIST_NOTHING; }
    }
    return true;
}

bool op_deregister_task_definition(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct deregister_task_definition_request *in = input;
    struct deregister_task_definition_response *out = output;
    struct str family;
    int64_t revision;
    if (!names_read_taskdef(&ctx->config->names, in->task_definition, &family, &revision, err)) { return false; }
    if (revision == 0) { return err_set(err, ERR_CLIENT, "Revision is missing."); }
    const struct taskdef *known = find(ctx, family, revision, err);
    if (known == NULL) { return false; }

    /* A revision that is INACTIVE already keeps its first date. */
    struct taskdef *taskdef = arena_copy(ctx->arena, known, sizeof *known);
    if (taskdef->def.status == TASK_DEFINITION_STATUS_ACTIVE) {
        taskdef_become(taskdef, TASK_DEFINITION_STATUS_INACTIVE, ctx->now_ms);
        store_put_taskdef(ctx->txn, taskdef);
    }
    out->task_definition = view_taskdef(ctx, taskdef);
    return true;
}

/* ---- lists ---- */

static bool read_position(struct op_ctx *ctx, struct str position, struct taskdef_name *name, struct err *err)
{
    *name = (struct taskdef_name){ 0 };
    if (!str_is_set(position)) { return true; }
    return names_read_taskdef(&ctx->config->names, position, &name->family, &name->revision, err);
}

bool op_list_task_definitions(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_task_definitions_request *in = input;
    struct list_task_definitions_response *out = output;
    struct str list = STR("ListTaskDefinitions"), position;
    struct taskdef_name after;
    if (!paging_position(ctx, list, in->next_token, &position, err) || !read_position(ctx, position, &after, err)) { return false; }

    /* One more than is shown tells whether there is another page. */
    enum task_definition_status status = in->status == TASK_DEFINITION_STATUS_UNSET ? TASK_DEFINITION_STATUS_ACTIVE : in->status;
    struct str family = in->family_prefix.len > 0 ? in->family_prefix : (struct str){ 0 };
    size_t limit = support_page_limit(in->max_results);
    struct taskdef_name *names = ARENA_NEW(ctx->arena, struct taskdef_name, limit + 1);
    size_t found = store_list_taskdefs(ctx->txn, family, status, in->sort == SORT_ORDER_DESC, after, names, limit + 1, ctx->arena);
    ASSERT(found <= limit + 1);
    size_t shown = found > limit ? limit : found;
    out->task_definition_arns.items = ARENA_NEW(ctx->arena, struct str, shown);
    out->task_definition_arns.count = shown;
    for (size_t n = 0; n < shown; n++) {
        out->task_definition_arns.items[n] = names_taskdef_arn(&ctx->config->names, names[n].family, names[n].revision, ctx->arena);
    }
    if (found > limit) {
        const struct taskdef_name *last = &names[shown - 1];
        struct str end = arena_printf(ctx->arena, STR_FMT ":%lld", STR_ARG(last->family), (long long)last->revision);
        out->next_token = paging_token(ctx, list, end);
    }
    return true;
}

bool op_list_task_definition_families(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_task_definition_families_request *in = input;
    struct list_task_definition_families_response *out = output;
    static const enum family_filter filters[TASK_DEFINITION_FAMILY_STATUS_COUNT] = {
        [TASK_DEFINITION_FAMILY_STATUS_UNSET] = FAMILY_ANY, [TASK_DEFINITION_FAMILY_STATUS_ALL] = FAMILY_ANY,
        [TASK_DEFINITION_FAMILY_STATUS_ACTIVE] = FAMILY_ACTIVE, [TASK_DEFINITION_FAMILY_STATUS_INACTIVE] = FAMILY_INACTIVE,
    };
    struct str list = STR("ListTaskDefinitionFamilies"), after;
    if (!paging_position(ctx, list, in->next_token, &after, err)) { return false; }

    size_t limit = support_page_limit(in->max_results);
    struct str *families = ARENA_NEW(ctx->arena, struct str, limit + 1);
    size_t found = store_list_families(ctx->txn, in->family_prefix, filters[in->status], after, families, limit + 1, ctx->arena);
    ASSERT(found <= limit + 1);
    size_t shown = found > limit ? limit : found;
    if (found > limit) { out->next_token = paging_token(ctx, list, families[shown - 1]); }
    out->families.items = families;
    out->families.count = shown;
    return true;
}
