/* work_pulls.c: which images a machine pulls early. They follow from the services of its tasks: a service waits for a pull on a machine where it has a task. */
#include "api/core/support.h"
#include "api/tell/work.h"
#include "scheduler/reconcile/reconcile.h"

_Static_assert((int)TASKDEF_CONTAINERS_MAX <= (int)WIRE_PULL_IMAGES_MAX, "a message has room for the images of a definition");

static bool waits_for(struct op_ctx *ctx, const struct service *service, struct id instance)
{
    for (size_t p = 0; p < service->early_pulls.count; p++) {
        const struct early_pull *pull = &service->early_pulls.items[p];
        bool is_here = pull->revision == service->revision && id_eq(pull->instance, instance);
        if (is_here) { return pull->ended != OPT_TRUE && ctx->now_ms < pull->since_ms + PULL_WAIT_MS; }
    }
    return false;
}

static bool has_image(const struct wire_pull_image_list *images, struct str image)
{
    for (size_t i = 0; i < images->count; i++) {
        if (str_eq(images->items[i].image, image)) { return true; }
    }
    return false;
}

/* False: its definition is gone. */
static bool make_pull(struct op_ctx *ctx, const struct service *service, struct wire_pull *pull)
{
    const struct service_revision *revision = store_service_revision(ctx->txn, service->number, service->revision, ctx->arena);
    const struct taskdef *taskdef = revision == NULL ? NULL : store_taskdef(ctx->txn, revision->family, revision->revision, ctx->arena);
    if (taskdef == NULL) { return false; }
    const struct container_definition_list *containers = &taskdef->def.container_definitions;
    *pull = (struct wire_pull){ .service = opt_int_of(service->number), .revision = opt_int_of(service->revision) };
    pull->images.items = ARENA_NEW(ctx->arena, struct wire_pull_image, containers->count);
    for (size_t c = 0; c < containers->count; c++) {
        const struct container_definition *container = &containers->items[c];
        if (has_image(&pull->images, container->image)) { continue; }
        pull->images.items[pull->images.count++] = (struct wire_pull_image){ container->image, work_registry_auth(ctx, container) };
    }
    return true;
}

static bool has_service(const int64_t *services, size_t count, int64_t service)
{
    for (size_t s = 0; s < count; s++) {
        if (services[s] == service) { return true; }
    }
    return false;
}

struct wire_pull_list work_pulls(struct op_ctx *ctx, const struct instance *instance)
{
    struct live_task *tasks;
    struct wire_pull_list out = { NULL, 0 };
    bool takes = false;
    (void)instance_attribute(instance, STR(EARLY_PULLS_ATTRIBUTE), &takes);
    size_t count = takes ? store_live_on_instance(ctx->txn, instance->id, &tasks, ctx->arena) : 0, seen = 0;
    int64_t *services = ARENA_NEW(ctx->arena, int64_t, count);
    for (size_t t = 0; t < count && out.count < WIRE_PULLS_MAX; t++) {
        const struct task *task = store_task(ctx->txn, tasks[t].id, ctx->arena);
        if (task == NULL || task->service == 0 || has_service(services, seen, task->service)) { continue; }
        services[seen++] = task->service;
        const struct service *service = store_service(ctx->txn, task->service, ctx->arena);
        if (service == NULL || !waits_for(ctx, service, instance->id)) { continue; }
        if (out.items == NULL) { out.items = ARENA_NEW(ctx->arena, struct wire_pull, WIRE_PULLS_MAX); }
        out.count += make_pull(ctx, service, &out.items[out.count]);
    }
    ASSERT(seen <= count);
    return out;
}
