/* quotas.c: see quotas.h. */
#include "api/core/quotas.h"

#include "scheduler/queue/quota.h"

static const struct str quota_key = STR_INIT("berth:quota");

bool quotas_check(struct str value, struct err *err)
{
    struct quota_item items[QUOTA_ITEMS_MAX];
    size_t count;
    return quota_parse(value, items, &count, err);
}

/* A stop has taken the tags of a task that still holds its GPUs. */
static const struct tag_list *tags_of(const struct task *task) { return task->desired_status == TASK_STOPPED ? &task->tags_at_stop : &task->tags; }

void quotas_put_task(struct world *world, const struct task *task)
{
    struct quotas *quotas = sched_quotas(world);
    const struct quota_item *items;
    if (quotas_of(quotas, task->cluster_number, &items) == 0) { return; }
    uint32_t mask = quotas_mask(quotas, task->cluster_number, tags_of(task));
    int64_t gpus = mask == 0 ? 0 : task_gpu_thousandths(task);
    quotas_charge(quotas, task->cluster_number, task->id, gpus == 0 ? 0 : mask, gpus);
}

void quotas_end_task(struct world *world, const struct task *task) { quotas_free(sched_quotas(world), task->id); }

void quotas_follow(struct world *world, struct store_txn *txn, const struct cluster *cluster, struct arena *scratch)
{
    struct quota_item items[QUOTA_ITEMS_MAX];
    const struct quota_item *before;
    struct err unread = { 0 };
    size_t count = 0, known = quotas_of(sched_quotas(world), cluster->number, &before);
    for (size_t t = 0; t < cluster->tags.count; t++) {
        bool good = str_eq(cluster->tags.items[t].key, quota_key) && quota_parse(cluster->tags.items[t].value, items, &count, &unread);
        if (good) { break; }
        count = 0;
    }
    if (count == 0 && known == 0) { return; }
    quotas_set(sched_quotas(world), cluster->number, items, count);
    struct arena list;
    arena_init(&list, (size_t)256 << 20);
    size_t instances = sched_instance_count(world, cluster->number);
    struct id *ids = ARENA_NEW(&list, struct id, instances + 1);
    instances = sched_instances(world, cluster->number, ids, instances);
    for (size_t i = 0; i < instances && count > 0; i++) {
        struct id *tasks;
        size_t here = store_tasks_on_instance(txn, ids[i], &tasks, scratch);
        for (size_t t = 0; t < here; t++) {
            const struct task *task = store_task(txn, tasks[t], scratch);
            if (task != NULL && task_is_live(task)) { quotas_put_task(world, task); }
        }
        arena_reset(scratch);
    }
    arena_finish(&list);
}

int64_t quotas_need(const struct demand *demand)
{
    int64_t gpus = 0;
    for (size_t c = 0; c < demand->container_count; c++) {
        const struct gpu_ask *ask = &demand->gpus[c];
        gpus += ask->count == DEMAND_GPUS_ALL ? GPU_WHOLE : ask->count * ask->share;
    }
    return gpus;
}

static struct str gpus_text(int64_t thousandths, struct arena *arena) { return arena_printf(arena, "%g", (double)thousandths / GPU_WHOLE); }

size_t quotas_allow(struct op_ctx *ctx, const struct cluster *cluster, const struct tag_list *tags, const struct demand *demand, size_t count, bool gang,
                    struct failure *why)
{
    const struct quotas *quotas = sched_quotas(ctx->world);
    const struct quota_item *tightest;
    int64_t gpus = quotas_need(demand), room = quotas_room(quotas, cluster->number, quotas_mask(quotas, cluster->number, tags), gpus, &tightest);
    if (room >= (int64_t)count) { return count; }
    size_t allowed = gang && count > 1 ? 0 : (size_t)room;
    *why = (struct failure){
        .reason = STR("QUOTA"),
        .detail = arena_printf(ctx->arena, "The quota of the cluster for tasks with the tag " STR_FMT "=" STR_FMT " is " STR_FMT " GPUs. They hold " STR_FMT
                               ", and %s " STR_FMT ".", STR_ARG(tightest->key), STR_ARG(tightest->value), STR_ARG(gpus_text(tightest->limit, ctx->arena)),
                               STR_ARG(gpus_text(tightest->used + (int64_t)allowed * gpus, ctx->arena)),
                               gang && count > 1 ? "each task of the gang needs" : "each task needs",
                               STR_ARG(gpus_text(gpus, ctx->arena))),
    };
    return allowed;
}
