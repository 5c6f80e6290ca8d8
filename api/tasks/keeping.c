/* keeping.c: see keeping.h. */
#include "api/tasks/keeping.h"

#include "api/core/placement.h"
#include "api/services/services.h"
#include "base/num.h"
#include "scheduler/place/sites.h"
#include "scheduler/queue/keeps.h"
#include "scheduler/queue/preempt.h"
#include "scheduler/queue/queue.h"
#include "scheduler/queue/quota.h"
#include "scheduler/queue/reserve.h"
#include "scheduler/queue/runs.h"

/* LOOK_MS: a look costs as much as the cluster is large. HOLD_MS: how long room that is kept may hold back others, and NONE_MS how long none is kept
 * then. */
enum { LOOK_MS = 1000, HOLD_MS = 6 * 3600 * 1000, NONE_MS = 3600 * 1000, LARGE_MOST = 16, VICTIM_SITES_MOST = 256 };
static const size_t SCRATCH_MAX = (size_t)512 << 20;

/* ---- room for the first large one ---- */

struct look {
    struct op_ctx *ctx;
    int64_t cluster;
    struct id holders[LARGE_MOST]; size_t holder_count;          /* that room is kept for from now on */
    uint64_t providers[LARGE_MOST]; size_t provider_count;       /* of which the first large one is known */
    bool grew;                                                   /* others may start where they could not before */
};

static bool is_settled(const struct look *look, uint64_t provider)
{
    for (size_t p = 0; p < look->provider_count; p++) {
        if (look->providers[p] == provider) { return true; }
    }
    return false;
}

/* Nobody knows when it can start, and its request says that room is kept in any case: the instances on which most GPUs are free. */
static bool choose_freest(const struct site_list *list, const struct amount *amount, size_t tasks, int64_t now_ms, struct reservation *reservation)
{
    *reservation = (struct reservation){ .starts_ms = now_ms };
    for (; reservation->count < tasks; reservation->count++) {
        size_t best = list->count;
        int64_t most = -1;
        for (size_t s = 0; s < list->count; s++) {
            int64_t free = 0;
            bool taken = false;
            for (size_t r = 0; r < reservation->count; r++) { taken |= reservation->sites[r].site == s; }
            for (uint32_t d = 0; d < list->sites[s].room.count; d++) { free += list->sites[s].room.free[d] >= amount->share; }
            if (taken || free <= most) { continue; }
            most = free;
            best = s;
        }
        if (best == list->count) { return false; }
        reservation->sites[reservation->count].site = best;
    }
    return true;
}

/* Since when room that is kept for it holds back others; 0: it does not. */
static int64_t barred_since(struct keeps *keeps, const struct task *task)
{
    int64_t since_ms = task->wait->barred_ms;
    for (const struct keep *keep = keeps_for(keeps, task->id, NULL); keep != NULL; keep = keeps_for(keeps, task->id, keep)) {
        if (keep->barred_ms != 0 && (since_ms == 0 || keep->barred_ms < since_ms)) { since_ms = keep->barred_ms; }
    }
    return since_ms;
}

static void keep_sites(struct look *look, const struct waiting *waiting, const struct task *task, const struct site_list *list, const struct reservation *found)
{
    struct keeps *keeps = sched_keeps(look->ctx->world);
    struct id gone[QUEUE_GANG_MAX];
    size_t gone_count = 0;
    int64_t barred_ms = barred_since(keeps, task);
    for (const struct keep *keep = keeps_for(keeps, task->id, NULL); keep != NULL; keep = keeps_for(keeps, task->id, keep)) {
        bool stays = keep->kind != KEEP_LARGE;
        for (size_t r = 0; r < found->count && !stays; r++) { stays = id_eq(list->instances[found->sites[r].site], keep->instance); }
        if (!stays && gone_count < QUEUE_GANG_MAX) { gone[gone_count++] = keep->instance; }
    }
    for (size_t g = 0; g < gone_count; g++) { keeps_drop(keeps, task->id, gone[g]); }
    look->grew |= gone_count > 0;
    for (size_t r = 0; r < found->count; r++) {
        const struct keep *before = keeps_find(keeps, task->id, list->instances[found->sites[r].site]);
        if (before != NULL && before->kind != KEEP_LARGE) { continue; }
        look->grew |= before != NULL && found->starts_ms > before->starts_ms;
        keeps_put(keeps, &(struct keep){
            .first = task->id, .instance = list->instances[found->sites[r].site], .cluster = look->cluster, .kind = KEEP_LARGE,
            .rank = queue_rank(waiting, look->ctx->now_ms), .starts_ms = found->starts_ms, .spare = found->sites[r].spare, .barred_ms = barred_ms,
        });
    }
}

/* True: it is the large one of its provider, whether room is kept for it or not. */
static bool look_at_one(struct look *look, const struct waiting *waiting, struct arena *scratch)
{
    struct op_ctx one = *look->ctx;
    struct rng chance = *one.rng;                                /* whether somebody looks changes nothing else */
    one.arena = scratch;
    one.rng = &chance;
    struct launch launch;
    struct err err = { 0 };
    struct amount amount;
    struct site_list list;
    struct reservation found;
    const struct sites_ask ask = { one.now_ms, RUNS_MOST, RUNS_LEAST, 0 };
    const struct task *task = store_task(one.txn, waiting->tasks[0], scratch);
    if (task == NULL || task->wait == NULL || !launch_waiting(&one, task, &launch, &err) || !amount_of(&launch.demand, &amount)) { return false; }
    if (quotas_room(sched_quotas(one.world), look->cluster, waiting->quota, waiting->gpus, NULL) < (int64_t)waiting->count) { return false; }
    sites_read(one.world, &launch.demand, &amount, &ask, scratch, &list);
    bool large = waiting->reserve || reserve_is_large(&amount, waiting->count, list.gpus);
    queue_set_large(sched_queue(one.world), waiting->tasks[0], large);
    if (!large) { return false; }
    bool over = task->wait->none_before_ms > one.now_ms;
    bool known = !over && reserve_choose(list.sites, list.count, &amount, waiting->count, one.now_ms, &found);
    if (!known && !over && waiting->reserve) { known = choose_freest(&list, &amount, waiting->count, one.now_ms, &found); }
    if (known) {
        keep_sites(look, waiting, task, &list, &found);
        look->holders[look->holder_count++] = task->id;
    }
    return true;
}

/* Room that is kept for a large one which is not the first any more, or of which nobody knows when it starts. */
static void drop_others(struct look *look)
{
    struct keeps *keeps = sched_keeps(look->ctx->world);
    for (const struct keep *keep = keeps_walk(keeps, NULL), *next; keep != NULL; keep = next) {
        bool stays = keep->kind != KEEP_LARGE || keep->cluster != look->cluster;
        next = keeps_walk(keeps, keep);
        for (size_t h = 0; h < look->holder_count && !stays; h++) { stays = id_eq(look->holders[h], keep->first); }
        if (stays) { continue; }
        keeps_drop(keeps, keep->first, keep->instance);
        look->grew = true;
    }
}

void keeping_refresh(struct op_ctx *ctx, int64_t cluster)
{
    struct queue *queue = sched_queue(ctx->world);
    struct keeps *keeps = sched_keeps(ctx->world);
    if (queue_large_count(queue) == 0 && keeps_count(keeps) == 0) { return; }
    if (!keeps_look(keeps, cluster, ctx->now_ms, LOOK_MS)) { return; }
    struct look look = { .ctx = ctx, .cluster = cluster };
    struct waiting items[LARGE_MOST];
    const struct waiting *found[LARGE_MOST];
    size_t count = queue_large(queue, cluster, ctx->now_ms, found, LARGE_MOST);
    for (size_t i = 0; i < count; i++) { items[i] = *found[i]; }
    struct arena scratch;
    arena_init(&scratch, SCRATCH_MAX);
    for (size_t i = 0; i < count; i++) {
        if (is_settled(&look, items[i].provider)) { continue; }
        if (look_at_one(&look, &items[i], &scratch)) { look.providers[look.provider_count++] = items[i].provider; }
        arena_reset(&scratch);
    }
    arena_finish(&scratch);
    drop_others(&look);
    if (look.grew) { queue_room_grew(queue, cluster); }
}

/* ---- others that stop for it ---- */

/* The instances with tasks that may stop for it, now or later: then *again_ms is the first time. */
static size_t find_victims(struct op_ctx *ctx, const struct task *task, struct id *instances, int64_t *again_ms)
{
    const struct runs *runs = sched_runs(ctx->world);
    size_t count = 0;
    for (const struct run *run = runs_preemptible(runs, NULL); run != NULL; run = runs_preemptible(runs, run)) {
        if (run->cluster != task->cluster_number || run->leaves || run->priority > task->wait->priority - PREEMPT_PRIORITY_STEP) { continue; }
        int64_t old_ms = (run->started_ms == 0 ? ctx->now_ms : run->started_ms) + PREEMPT_RAN_MS;
        if (old_ms > ctx->now_ms) {
            *again_ms = *again_ms == 0 ? old_ms : min_i64(*again_ms, old_ms);
            continue;
        }
        bool known = false;
        for (size_t i = 0; i < count && !known; i++) { known = id_eq(instances[i], run->instance); }
        if (!known && count < VICTIM_SITES_MOST) { instances[count++] = run->instance; }
    }
    return count;
}

/* The tag berth:retry: another task like the victim waits, with the arrival time of the victim. False: it is not started again. */
static bool start_again(struct op_ctx *ctx, const struct task *victim, struct restarts *restarts)
{
    struct err err = { 0 };
    struct restart *restart = &restarts->items[restarts->count];
    bool named = victim->placing != NULL && victim->placing->named == OPT_TRUE, full = queue_count(sched_queue(ctx->world)) + restarts->count >= QUEUE_MAX;
    if (full || named || victim->service != 0 || victim->gang != NULL || victim->terms == NULL || victim->terms->retry == 0) { return false; }
    if (!launch_again(ctx, victim, &restart->launch, &err)) { return false; }
    restart->id = id_new(ctx->ids, ctx->now_ms);
    restart->launch.wish = (struct wait_wish){ .given = true, .waits = true, .since_ms = victim->created_ms };
    restarts->count++;
    return true;
}

static void stop_victim(struct op_ctx *ctx, struct id id, const struct task *winner, struct str winner_arn, struct restarts *restarts)
{
    const struct task *victim = store_task(ctx->txn, id, ctx->arena);
    if (victim == NULL || !task_is_live(victim)) { return; }
    int64_t priority = victim->terms == NULL ? 0 : victim->terms->priority;
    const struct stop_cause cause = {
        victim->service == 0 ? TASK_STOP_CODE_USERINITIATED : TASK_STOP_CODE_SERVICESCHEDULERINITIATED,
        arena_printf(ctx->arena, "Preempted by task " STR_FMT " (priority %lld over %lld)", STR_ARG(winner_arn), (long long)winner->wait->priority,
                     (long long)priority),
    };
    struct stop_cause told = cause;
    char hex[ID_HEX_LEN + 1];
    if (start_again(ctx, victim, restarts)) {
        id_hex(restarts->items[restarts->count - 1].id, hex);
        told.reason = arena_printf(ctx->arena, STR_FMT ". It is started again as %s", STR_ARG(cause.reason), hex);
    }
    (void)placement_order_stop(ctx, victim, told);
    if (victim->service == 0) { return; }
    static const struct str prefix = STR_INIT("service:");
    id_hex(id, hex);
    services_add_event(ctx, victim->service, arena_printf(ctx->arena, "(service " STR_FMT ") has stopped 1 running tasks: (task %s). " STR_FMT ".",
                       STR_ARG(str_slice(victim->group, prefix.len, victim->group.len)), hex, STR_ARG(cause.reason)));
}

static void stop_victims(struct op_ctx *ctx, const struct waiting *waiting, const struct launch *launch, const struct task *found, const struct site *site,
                         struct id instance, const struct preemption *choice, const struct amount *amount, struct restarts *restarts)
{
    struct task task = *found;
    struct task_wait wait = *found->wait;
    struct room spare = site->room;
    struct str arn = names_task_arn(&ctx->config->names, launch->cluster->name, task.id, ctx->arena);
    struct id *stopped = ARENA_NEW(ctx->arena, struct id, found->stopped_for.count + choice->count);
    size_t count = 0;
    for (; count < found->stopped_for.count; count++) { stopped[count] = found->stopped_for.items[count]; }
    for (size_t v = 0; v < choice->count; v++) {
        const struct occupant *victim = &site->occupants[choice->victims[v]];
        fit_give(&spare, &victim->amount, victim->slots);
        stop_victim(ctx, victim->task, found, arn, restarts);
        if (count < PREEMPT_MOST) { stopped[count++] = victim->task; }
    }
    (void)fit_take(&spare, amount);
    wait.place = instance;
    wait.barred_ms = ctx->now_ms;
    task.wait = &wait;
    task.stopped_for = (struct id_list){ stopped, count };
    task.version++;
    placement_change_task(ctx, found, &task);
    keeps_put(sched_keeps(ctx->world), &(struct keep){
        .first = task.id, .instance = instance, .cluster = task.cluster_number, .kind = KEEP_STOPPED, .rank = queue_rank(waiting, ctx->now_ms),
        .starts_ms = ctx->now_ms + RUNS_STOP_MS, .spare = spare, .barred_ms = ctx->now_ms,
    });
    queue_again(sched_queue(ctx->world), task.id, ctx->now_ms + KEEP_STOPS_MS);
}

static void stop_others(struct op_ctx *ctx, const struct waiting *waiting, const struct launch *launch, const struct task *task, struct restarts *restarts)
{
    struct id instances[VICTIM_SITES_MOST];
    int64_t again_ms = 0;
    struct amount amount;
    struct preemption choice;
    const struct sites_ask ask = { ctx->now_ms, RUNS_MOST, RUNS_LEAST, 0 };
    if (!id_is_zero(task->wait->place) || !amount_of(&launch->demand, &amount)) { return; }
    size_t count = find_victims(ctx, task, instances, &again_ms), sites_count = 0;
    struct site *sites = ARENA_NEW(ctx->arena, struct site, count + 1);
    for (size_t i = 0; i < count; i++) {
        bool barred = keeps_bar(sched_keeps(ctx->world), instances[i], &amount, 1, &launch->demand.asker, false) != NULL;
        struct site *site = &sites[sites_count];
        if (barred || !site_read(ctx->world, instances[i], &launch->demand, &amount, &ask, ctx->arena, site) || fit_has(&site->room, &amount)) { continue; }
        instances[sites_count++] = instances[i];
    }
    if (preempt_choose(sites, sites_count, &amount, task->wait->priority, &choice)) {
        restarts->items = ARENA_NEW(ctx->arena, struct restart, choice.count);
        stop_victims(ctx, waiting, launch, task, &sites[choice.site], instances[choice.site], &choice, &amount, restarts);
    } else if (again_ms != 0) {
        queue_again(sched_queue(ctx->world), task->id, again_ms);
    }
}

void keeping_entered(struct op_ctx *ctx, struct id first)
{
    const struct waiting *waiting = queue_find(sched_queue(ctx->world), first);
    bool may_stop = runs_may_stop(sched_runs(ctx->world), waiting->priority - PREEMPT_PRIORITY_STEP);
    if (waiting->large || may_stop) { queue_again(sched_queue(ctx->world), first, ctx->now_ms); }
}

struct restarts keeping_tried(struct op_ctx *ctx, const struct waiting *waiting, const struct launch *launch, const struct task *tasks)
{
    struct keeps *keeps = sched_keeps(ctx->world);
    bool may_stop = waiting->count == 1 && runs_may_stop(sched_runs(ctx->world), waiting->priority - PREEMPT_PRIORITY_STEP);
    struct restarts restarts = { NULL, 0 };
    if (may_stop) { stop_others(ctx, waiting, launch, &tasks[0], &restarts); }
    for (const struct keep *keep = keeps_for(keeps, waiting->tasks[0], NULL); keep != NULL; keep = keeps_for(keeps, waiting->tasks[0], keep)) {
        int64_t at_ms = keep->kind == KEEP_LARGE ? keep->starts_ms + 1 : keep->barred_ms + KEEP_STOPS_MS;
        queue_again(sched_queue(ctx->world), waiting->tasks[0], max_i64(at_ms, ctx->now_ms + LOOK_MS));
        if (keep->kind == KEEP_LARGE && keep->barred_ms != 0) { queue_again(sched_queue(ctx->world), waiting->tasks[0], keep->barred_ms + HOLD_MS); }
    }
    return restarts;
}

/* ---- writing ---- */

static void tell(struct op_ctx *ctx, const struct task *task, const char *what)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(task->id, hex);
    support_line(ctx, arena_printf(ctx->arena, "(task %s) %s", hex, what));
}

/* Where tasks stopped for it, and it did not start: it may be that others stop elsewhere. */
static bool note_stops(struct op_ctx *ctx, const struct task *task, struct task_wait *wait, bool *over)
{
    *over = ctx->now_ms - wait->barred_ms >= KEEP_STOPS_MS;
    if (!*over) { return false; }
    wait->place = (struct id){ { 0 } };
    wait->barred_ms = 0;
    tell(ctx, task, "has not started where tasks stopped for it: the room there is kept no more");
    return true;
}

static bool note_large(struct op_ctx *ctx, const struct task *task, const struct keep *keep, struct task_wait *wait, bool *over)
{
    *over = keep->barred_ms != 0 && ctx->now_ms - keep->barred_ms >= HOLD_MS;
    if (*over) {
        wait->barred_ms = 0;
        wait->none_before_ms = ctx->now_ms + NONE_MS;
        tell(ctx, task, "room that was kept for it has held back others for 6h: none is kept for it in the next hour");
        return true;
    }
    if (keep->barred_ms == 0 || wait->barred_ms != 0) { return false; }
    wait->barred_ms = keep->barred_ms;
    queue_again(sched_queue(ctx->world), task->id, keep->barred_ms + HOLD_MS);
    return true;
}

static void note_one(struct op_ctx *ctx, const struct keep *keep)
{
    bool young = keep->kind == KEEP_ORDERED && ctx->now_ms - keep->barred_ms < KEEP_STOPS_MS;
    if (keep->barred_ms == 0 || young) { return; }
    const struct task *found = store_task(ctx->txn, keep->first, ctx->arena);
    bool over = found == NULL || found->wait == NULL || keep->kind == KEEP_ORDERED, changed = false;
    if (!over) {
        struct task task = *found;
        struct task_wait wait = *found->wait;
        task.wait = &wait;
        changed = keep->kind == KEEP_LARGE ? note_large(ctx, found, keep, &wait, &over) : note_stops(ctx, found, &wait, &over);
        if (changed) {
            task.version++;
            placement_change_task(ctx, found, &task);
        }
    }
    if (!over) { return; }
    int64_t cluster = keep->cluster;
    keeps_drop(sched_keeps(ctx->world), keep->first, keep->instance);
    keeps_look_again(sched_keeps(ctx->world), cluster);
    queue_room_grew(sched_queue(ctx->world), cluster);
}

void keeping_note(struct op_ctx *ctx)
{
    struct keeps *keeps = sched_keeps(ctx->world);
    for (const struct keep *keep = keeps_walk(keeps, NULL), *next; keep != NULL; keep = next) {
        next = keeps_walk(keeps, keep);
        note_one(ctx, keep);
    }
    keeps_took_news(keeps);
}
