/* checks.c: the reports of health checks: of an agent, about the targets on its machine, and of the server itself, about all others. A report lists all
 * states that were found, each with a number: one that was taken before, or comes late, changes nothing. */
#include "api/core/api.h"
#include "api/traffic/traffic.h"
#include "wire/agent_protocol.h"
#include "wire/checks.h"

struct teller { struct op_ctx *ctx; const struct instance *instance; };          /* instance NULL: the server */

/* Outsiders, and tasks on machines whose agent knows nothing of targets: the ECS agent. */
static bool server_checks(struct op_ctx *ctx, const struct kept_target *target)
{
    const struct task *task = id_is_zero(target->task) ? NULL : store_task(ctx->txn, target->task, ctx->arena);
    const struct instance *instance = task == NULL ? NULL : support_kept_instance(ctx, task->instance);
    return instance == NULL || !agent_is_own(instance);
}

/* An agent speaks for the targets of tasks on its own machine only. */
static bool may_tell(const struct teller *teller, const struct kept_target *target)
{
    if (teller->instance == NULL) { return server_checks(teller->ctx, target); }
    const struct task *task = id_is_zero(target->task) ? NULL : store_task(teller->ctx->txn, target->task, teller->ctx->arena);
    return task != NULL && id_eq(task->instance, teller->instance->id);
}

/* A checker that has just begun tells the states that it finds first: they are no news where they are known. */
static bool is_news(const struct kept_target *target, const struct check_told *told)
{
    if (told->registration.value != target->registration || told->number.value <= target->checked || target->state == TARGET_DRAINING) { return false; }
    if (told->state == TARGET_DRAINING || (told->state == TARGET_INITIAL && target->state != TARGET_INITIAL)) { return false; }
    return told->state != target->state || told->state == TARGET_INITIAL || told->from != TARGET_STATE_UNSET;
}

static void take_told(const struct teller *teller, const struct check_told *told)
{
    struct op_ctx *ctx = teller->ctx;
    struct str reason, description;
    const struct kept_target *found = store_target(ctx->txn, told->group, told->name, told->port.value, ctx->arena);
    if (found == NULL || !is_news(found, told) || !may_tell(teller, found)) { return; }
    struct kept_target target = *found;
    target.checked = told->number.value;
    check_words(told->state, (struct check_result){ told->cause, told->code.value }, &reason, &description, ctx->arena);
    bool is_same = told->state == found->state && str_eq(reason, found->reason) && str_eq(description, found->description);
    if (is_same) {
        store_put_target(ctx->txn, &target);                 /* only its number: a report between the two was lost, and may still come */
    } else {
        traffic_set_health(ctx, &target, told->state, reason, description);
    }
}

static bool op_report_checks(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct checks_report *report = input;
    const struct instance *found = support_find_reporter(ctx, report->cluster, report->container_instance, err);
    (void)output;
    if (found == NULL) { return false; }
    for (size_t t = 0; t < report->targets.count; t++) { take_told(&(struct teller){ ctx, found }, &report->targets.items[t]); }
    return true;
}

static const struct operation report_operation = {
    .name = STR_INIT("berth:ReportChecks"), .input = &checks_report_schema, .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER, .run = op_report_checks,
};

bool api_prepare_checks(const struct api_config *config, struct str body, struct arena *arena, struct api_call *call, struct err *err)
{
    return api_decode(config, &report_operation, body, arena, call, err);
}

/* ---- the server's own ---- */

static bool op_server_checks(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct check_told_list *told = input;
    (void)output;
    (void)err;
    for (size_t t = 0; t < told->count; t++) { take_told(&(struct teller){ ctx, NULL }, &told->items[t]); }
    return true;
}

static const struct operation server_operation = {
    .name = STR_INIT("berth:ServerChecks"), .access = OP_WRITE, .invalid = ERR_INVALID_PARAMETER, .run = op_server_checks,
};

void api_prepare_server_checks(const struct check_told_list *told, struct arena *arena, struct api_call *call)
{
    *call = (struct api_call){ .operation = &server_operation, .input = arena_copy(arena, told, sizeof *told) };
}

struct target_check_list api_server_checks(struct op_ctx *ctx)
{
    struct target_check_list out = { NULL, 0 };
    struct kept_group *groups;
    size_t count = store_list_groups(ctx->txn, &groups, ctx->arena);
    for (size_t g = 0; g < count; g++) {
        struct kept_target *targets;
        if (groups[g].group->health_check_enabled == OPT_FALSE) { continue; }
        size_t found = store_list_targets(ctx->txn, groups[g].group->name, &targets, ctx->arena), old = out.count * sizeof *out.items;
        out.items = arena_grow(ctx->arena, out.items, old, old + found * sizeof *out.items);
        for (size_t t = 0; t < found; t++) {
            if (targets[t].state == TARGET_DRAINING || !server_checks(ctx, &targets[t])) { continue; }
            out.items[out.count++] = check_of(groups[g].group, &targets[t]);
        }
    }
    return out;
}
