/* access.c: the rule that says who may read a secret's value.
 *
* An admin may. An agent may while a live task refers to the secret: on any machine, or, when its key is bound, on a machine for which it may
 * act. A task may, by either of its roles, while it lives and refers to the secret. Nobody else may. Only an admin learns whether a secret exists. */
#include "api/core/binding.h"
#include "api/tell/role_credentials.h"
#include "api/secrets/secrets.h"
#include "base/text/arn.h"

/* ---- what a definition refers to ---- */

/* A plain name refers to a secret of the kind `bare`. UNSET: only an ARN is a reference. */
static bool names_it(struct op_ctx *ctx, struct str text, enum secret_kind bare, const struct kept_secret *secret)
{
    struct secret_ref ref;
    struct err unread = { 0 };
    if (!secret_ref_parse(text, bare, &ref, &unread) || ref.kind != secret->kind) { return false; }
    struct str id = ref.id, version;
    bool is_parameter = ref.kind == SECRET_OF_SSM;
    if (is_parameter && !arn_looks_like(id)) { (void)str_cut(id, ':', &id, &version); }
    const struct kept_secret *found = secrets_find(ctx, ref.kind, id);
    return found != NULL && str_eq(found->name, secret->name);
}

static bool list_names_it(struct op_ctx *ctx, const struct secret_list *list, const struct kept_secret *secret)
{
    for (size_t s = 0; s < list->count; s++) {
        if (names_it(ctx, list->items[s].value_from, SECRET_OF_SSM, secret)) { return true; }
    }
    return false;
}

static bool environment_names_it(struct op_ctx *ctx, const struct key_value_pair_list *list, const struct kept_secret *secret)
{
    for (size_t e = 0; e < list->count; e++) {
        if (arn_looks_like(list->items[e].value) && names_it(ctx, list->items[e].value, SECRET_KIND_UNSET, secret)) { return true; }
    }
    return false;
}

static bool container_names_it(struct op_ctx *ctx, const struct container_definition *container, const struct kept_secret *secret)
{
    const struct log_configuration *logs = container->log_configuration;
    const struct repository_credentials *registry = container->repository_credentials;
    return list_names_it(ctx, &container->secrets, secret) || (logs != NULL && list_names_it(ctx, &logs->secret_options, secret))
        || (registry != NULL && names_it(ctx, registry->credentials_parameter, SECRET_OF_ASM, secret))
        || environment_names_it(ctx, &container->environment, secret);
}

/* ---- what the live tasks refer to ---- */

struct asked_def { struct str family; int64_t revision; bool names_it; };
struct search {
    struct op_ctx *ctx;
    const struct kept_secret *secret;
    struct asked_def *seen; size_t count, capacity;      /* definitions that were read */
    struct arena machines;                               /* for one machine at a time */
    bool found;
};

/* NULL: the definition was not read yet. */
static const struct asked_def *find_seen(const struct search *search, const struct task *task)
{
    for (size_t d = search->count; d-- > 0;) {
        if (search->seen[d].revision == task->revision && str_eq(search->seen[d].family, task->family)) { return &search->seen[d]; }
    }
    return NULL;
}

static void note_seen(struct search *search, const struct task *task, bool names_it)
{
    if (search->count == search->capacity) {
        size_t wider = search->capacity == 0 ? 32 : search->capacity * 2;
        search->seen = arena_grow(search->ctx->arena, search->seen, search->capacity * sizeof *search->seen, wider * sizeof *search->seen);
        search->capacity = wider;
    }
    search->seen[search->count++] = (struct asked_def){ arena_str(search->ctx->arena, task->family), task->revision, names_it };
}

static bool definition_names_it(struct search *search, const struct task *task)
{
    struct op_ctx *ctx = search->ctx;
    const struct asked_def *seen = find_seen(search, task);
    if (seen != NULL) { return seen->names_it; }
    const struct taskdef *taskdef = store_taskdef_of(ctx->txn, task, ctx->arena);
    bool names_it = false;
    for (size_t c = 0; taskdef != NULL && c < taskdef->def.container_definitions.count; c++) {
        names_it = names_it || container_names_it(ctx, &taskdef->def.container_definitions.items[c], search->secret);
    }
    note_seen(search, task, names_it);
    return names_it;
}

static bool task_names_it(struct search *search, const struct task *task)
{
    bool found = definition_names_it(search, task);
    for (size_t o = 0; !found && task->overrides != NULL && o < task->overrides->container_overrides.count; o++) {
        found = environment_names_it(search->ctx, &task->overrides->container_overrides.items[o].environment, search->secret);
    }
    return found;
}

static bool may_act_for(struct search *search, struct id instance)
{
    struct op_ctx one = *search->ctx;
    struct err denied = { 0 };
    if (!binding_is_set(&one.caller)) { return true; }
    arena_reset(&search->machines);
    one.arena = &search->machines;
    return binding_check(&one, instance, &denied);
}

static void look_at(void *context, const struct task *task)
{
    struct search *search = context;
    search->found = search->found || (task_names_it(search, task) && may_act_for(search, task->instance));
}

static bool a_live_task_needs_it(struct op_ctx *ctx, const struct kept_secret *secret)
{
    enum { MACHINE_CEILING = 1024 * 1024 };
    struct search search = { .ctx = ctx, .secret = secret };
    arena_init(&search.machines, MACHINE_CEILING);
    store_scan_live_tasks(ctx->txn, look_at, &search);
    arena_finish(&search.machines);
    return search.found;
}

/* The caller is a task with temporary keys; they end with the task at the latest. */
static bool its_task_needs_it(struct op_ctx *ctx, const struct kept_secret *secret)
{
    const struct task *task = ctx->caller.session == NULL ? NULL : store_task(ctx->txn, ctx->caller.session->task, ctx->arena);
    struct search search = { .ctx = ctx, .secret = secret };
    if (task == NULL || !task_is_live(task)) { return false; }
    look_at(&search, task);
    return search.found;
}

/* ---- the rule ---- */

bool secrets_may_read(struct op_ctx *ctx, const struct kept_secret *secret)
{
    switch (ctx->caller.role) {
    case ACCESS_ADMIN:      return true;
    case ACCESS_AGENT:      return a_live_task_needs_it(ctx, secret);
    case ACCESS_TASK:       return its_task_needs_it(ctx, secret);
    case ACCESS_VIEWER:
    case ACCESS_ROLE_UNSET:
    case ACCESS_ROLE_COUNT: break;
    }
    return false;
}

bool secrets_deny(struct op_ctx *ctx, const char *action, struct str resource, struct err *err)
{
    const struct denial denial = {
        .action = str_from(action), .resource = str_slice(resource, 0, 200),
        .reason = arena_printf(ctx->arena, "no identity-based policy allows the %s action: agents and tasks read what a live task refers to", action),
    };
    return caller_deny(&ctx->config->names, &ctx->caller, &denial, ctx->arena, err);
}
