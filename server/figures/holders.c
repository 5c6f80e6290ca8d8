#include "server/figures/holders.h"

static struct gpu_holder holder_of(const struct task *task, struct arena *arena)
{
    static const struct str service = STR_INIT("service:");
    bool serves = task->service != 0 && str_starts_with(task->group, service);
    return (struct gpu_holder){
        task->id, arena_str(arena, task->family), serves ? arena_str(arena, str_slice(task->group, service.len, task->group.len)) : STR(""),
        arena_str(arena, task->started_by),
    };
}

static bool held_at(const struct task *task, int64_t at_ms)
{
    int64_t from_ms = task->placed_ms > 0 ? task->placed_ms : task->created_ms;
    return from_ms <= at_ms && (task->last_status != TASK_STOPPED || at_ms < task->stopped_ms);
}

static void add_holder(struct gpu_sample *gpu, const struct task *task, struct arena *arena)
{
    struct gpu_holder_list *holders = &gpu->holders;
    size_t size = holders->count * sizeof *holders->items;
    if (!held_at(task, gpu->at_ms)) { return; }
    if (holders->count > 0 && id_eq(holders->items[holders->count - 1].task, task->id)) { return; }         /* several containers of a task share it */
    holders->items = arena_grow(arena, holders->items, size, size + sizeof *holders->items);
    holders->items[holders->count++] = holder_of(task, arena);
}

static void add_task(struct machine_sample *sample, const struct task *task, struct arena *arena)
{
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct str_list *uuids = &task->containers.items[c].gpu_ids;
        for (size_t u = 0; u < uuids->count; u++) {
            for (size_t g = 0; g < sample->gpus.count; g++) {
                if (str_eq(sample->gpus.items[g].uuid, uuids->items[u])) { add_holder(&sample->gpus.items[g], task, arena); }
            }
        }
    }
}

static bool has_id(const struct id *ids, size_t count, struct id id)
{
    for (size_t i = 0; i < count; i++) {
        if (id_eq(ids[i], id)) { return true; }
    }
    return false;
}

/* Tasks that have ended since the last report: they may have held a GPU when it was read. */
static size_t add_ended(struct samples *samples, const struct machine_sample *sample, struct id *ids, size_t live, size_t most, int64_t now_ms,
                        struct arena *arena)
{
    struct machine_sample before;
    size_t count = live;
    if (!samples_of(samples, sample->instance, now_ms, &before, arena)) { return count; }
    for (size_t g = 0; g < before.gpus.count; g++) {
        const struct gpu_holder_list *holders = &before.gpus.items[g].holders;
        for (size_t h = 0; h < holders->count && count < most; h++) {
            if (!has_id(ids, count, holders->items[h].task)) { ids[count++] = holders->items[h].task; }
        }
    }
    return count;
}

void holders_find(struct store_txn *txn, struct samples *samples, struct machine_sample *sample, int64_t now_ms, struct arena *arena)
{
    enum { ENDED_MAX = 256 };
    struct id *live, *ids;
    if (sample->gpus.count == 0) { return; }
    size_t count = store_tasks_on_instance(txn, sample->instance, &live, arena);
    ids = ARENA_NEW(arena, struct id, count + ENDED_MAX);
    for (size_t t = 0; t < count; t++) { ids[t] = live[t]; }
    count = add_ended(samples, sample, ids, count, count + ENDED_MAX, now_ms, arena);
    for (size_t t = 0; t < count; t++) {
        const struct task *task = store_task(txn, ids[t], arena);
        if (task != NULL) { add_task(sample, task, arena); }
    }
}
