/* places.c: places that are kept for a service. A task that makes room for its successor keeps its resources in the world after it is STOPPED,
 * under its own id, so that no other task takes them: until a task of its service takes the place, or the time is over. */
#include "api/services/books.h"

#include "api/core/placement.h"

static const int64_t KEPT_MS = (int64_t)10 * 60 * 1000;

bool services_keep_place(struct op_ctx *ctx, const struct task *task)
{
    if (task->keeps_place != OPT_TRUE || task->service == 0) { return false; }
    const struct service *found = store_service(ctx->txn, task->service, ctx->arena);
    ASSERT(!task_is_live(task) || id_is_zero(task->instance));
    if (found == NULL || found->status != SERVICE_ACTIVE || found->kept_places.count >= KEPT_PLACES_MAX) { return false; }
    struct service service = *found;
    struct kept_place *places = ARENA_NEW(ctx->arena, struct kept_place, found->kept_places.count + 1);
    for (size_t p = 0; p < found->kept_places.count; p++) { places[p] = found->kept_places.items[p]; }
    places[found->kept_places.count] = (struct kept_place){ task->id, ctx->now_ms + KEPT_MS };
    service.kept_places = (struct kept_place_list){ places, found->kept_places.count + 1 };
    store_put_service(ctx->txn, &service);
    return true;
}

void services_hold_places(struct store_txn *txn, struct world *world, const struct service *service, struct arena *scratch)
{
    for (size_t p = 0; p < service->kept_places.count; p++) {
        const struct task *task = store_task(txn, service->kept_places.items[p].task, scratch);
        if (task != NULL) { placement_tell_task(world, task, scratch); }
    }
}

/* ---- in a step ---- */

static void give_back(struct op_ctx *ctx, const struct service *service, struct id task)
{
    sched_drop_task(ctx->world, task);
    services_room_grew(ctx->world, service->cluster_number);
}

/* A place on a machine that is gone is no place. */
static bool is_lost(struct op_ctx *ctx, struct id id)
{
    const struct task *task = store_task(ctx->txn, id, ctx->arena);
    bool takes;
    return task == NULL || !sched_takes_tasks(ctx->world, task->instance, &takes);
}

bool places_expire(struct op_ctx *ctx, struct service *service, bool all, int64_t *next_ms)
{
    struct kept_place_list kept = { ARENA_NEW(ctx->arena, struct kept_place, service->kept_places.count), 0 };
    *next_ms = 0;
    for (size_t p = 0; p < service->kept_places.count; p++) {
        struct kept_place place = service->kept_places.items[p];
        if (all || place.until_ms <= ctx->now_ms || is_lost(ctx, place.task)) {
            give_back(ctx, service, place.task);
            continue;
        }
        if (*next_ms == 0 || place.until_ms < *next_ms) { *next_ms = place.until_ms; }
        kept.items[kept.count++] = place;
    }
    ASSERT(kept.count <= service->kept_places.count && (kept.count > 0) == (*next_ms != 0));
    bool changed = kept.count != service->kept_places.count;
    service->kept_places = kept;
    return changed;
}

/* The place's resources are free for the moment in which the task is placed on its machine. A task that does not fit there leaves the place as it was. */
static bool take_place(struct books *books, const struct demand *demand, struct kept_place place, struct placed *placed)
{
    struct op_ctx *ctx = books->ctx;
    const struct task *before = store_task(ctx->txn, place.task, ctx->arena);
    if (before == NULL) { return false; }
    struct evidence unused;
    sched_drop_task(ctx->world, place.task);
    if (sched_place_on(ctx->world, before->instance, demand, placed->id, &placed->placement, &unused) == FITS) { return true; }
    placement_tell_task(ctx->world, before, ctx->arena);
    return false;
}

size_t places_take(struct books *books, const struct demand *demand, uint32_t deployment, size_t count)
{
    struct kept_place_list *kept = &books->service.kept_places, left = { ARENA_NEW(books->ctx->arena, struct kept_place, kept->count), 0 };
    size_t taken = 0;
    for (size_t p = 0; p < kept->count; p++) {
        struct placed placed = { .id = id_new(books->ctx->ids, books->ctx->now_ms), .deployment = deployment, .kept = true };
        if (taken < count && take_place(books, demand, kept->items[p], &placed)) {
            books->placed[books->placed_count++] = placed;
            taken++;
        } else {
            left.items[left.count++] = kept->items[p];
        }
    }
    ASSERT(taken <= count && taken + left.count == kept->count);
    books->service_changed |= taken > 0;
    *kept = left;
    return taken;
}

/* Without this task the demand fits on its machine. The world is as before when it returns. */
static bool makes_room(struct books *books, const struct demand *demand, struct id id)
{
    struct op_ctx *ctx = books->ctx;
    struct placement placement;
    struct evidence unused;
    const struct task *task = store_task(ctx->txn, id, ctx->arena);
    if (task == NULL || !task_is_live(task)) { return false; }
    struct id trial = id_new(ctx->ids, ctx->now_ms);
    sched_drop_task(ctx->world, id);
    bool fits = sched_place_on(ctx->world, task->instance, demand, trial, &placement, &unused) == FITS;
    if (fits) { sched_drop_task(ctx->world, trial); }
    placement_tell_task(ctx->world, task, ctx->arena);
    return fits;
}

void places_find_room(struct books *books, const struct demand *demand)
{
    enum { LOOKED_AT_MAX = 64 };
    int looked_at = 0;
    for (size_t t = 0; t < books->state.task_count && looked_at < LOOKED_AT_MAX; t++) {
        struct service_task *task = &books->state_tasks[t];
        bool is_old = books->deployments[task->deployment].digits != books->service.revision;
        if (task->leaving || task->waits || !is_old || task->machine == MACHINE_DRAINING) { continue; }
        task->makes_room = makes_room(books, demand, task->id);
        if (task->makes_room) { pulls_look(books, task); }
        looked_at++;
    }
}

void places_settle(struct op_ctx *ctx, struct id id)
{
    const struct task *found = store_task(ctx->txn, id, ctx->arena);
    if (found == NULL || found->keeps_place != OPT_TRUE || found->desired_status != TASK_RUNNING) { return; }
    struct task task = *found;
    task.keeps_place = OPT_FALSE;
    placement_change_task(ctx, found, &task);
}
