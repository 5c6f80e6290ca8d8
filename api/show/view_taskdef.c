/* view_taskdef.c: a task definition as ECS shows it: the record and its ARN. */
#include "api/core/support.h"

struct task_definition *view_taskdef(struct op_ctx *ctx, const struct taskdef *taskdef)
{
    struct task_definition *view = arena_copy(ctx->arena, &taskdef->def, sizeof taskdef->def);
    ASSERT(view->revision.set && view->revision.value >= 1);
    view->task_definition_arn = names_taskdef_arn(&ctx->config->names, view->family, view->revision.value, ctx->arena);
    return view;
}
