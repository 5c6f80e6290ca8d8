/* waits.c: see waits.h. */
#include "api/tasks/waits.h"

#include "api/capacity/machines.h"
#include "api/core/placement.h"
#include "api/core/quotas.h"
#include "api/tasks/keeping.h"
#include "base/num.h"
#include "base/table.h"
#include "base/text/duration.h"
#include "scheduler/queue/queue.h"
#include "scheduler/reconcile/roster.h"

enum { TRIES = 64, DETAIL_SHOWN_MAX = 800 };                     /* TRIES: in one commit */
static const struct str queue_key = STR_INIT("berth:queue"), wait_word = STR_INIT("wait");

_Static_assert((int)QUEUE_GANG_MAX >= 10, "a gang is the tasks of one RunTask");

/* ---- tags ---- */

static bool read_queue(struct str value, struct wait_wish *wish, struct err *err)
{
    static const int64_t most_ms = (int64_t)30 * 24 * 3600 * 1000;
    struct str word, time;
    bool timed = str_cut(value, ':', &word, &time);
    wish->given = true;
    wish->waits = str_eq(word, wait_word) && (!timed || (duration_parse(time, &wish->most_ms) && wish->most_ms >= 1000 && wish->most_ms <= most_ms));
    return wish->waits || err_set(err, ERR_INVALID_PARAMETER, "The tag berth:queue can't be \"" STR_FMT "\": it should be wait, or wait:TIME with a time from "
                                  "1s to 720h, for example wait:2h.", STR_ARG(value));
}

bool waits_read(const struct tag_list *tags, struct wait_wish *wish, struct err *err)
{
    *wish = (struct wait_wish){ .waits = false };
    for (size_t t = 0; t < tags->count; t++) {
        const struct tag *tag = &tags->items[t];
        if (str_eq(tag->key, queue_key) && !read_queue(tag->value, wish, err)) { return false; }
    }
    return true;
}

/* ---- the shape ---- */

static void put_expression(struct buf *out, struct str expression) { buf_printf(out, "|" STR_FMT, STR_ARG(expression)); }

/* Whether there is room depends on these alone. The hash is kept, so its key must never change. */
static int64_t shape_of(struct op_ctx *ctx, const struct launch *launch)
{
    static const uint64_t key[2] = { 0x6265727468, 0x7175657565 };
    const struct demand *demand = &launch->demand;
    struct buf text = buf_in(ctx->arena);
    buf_printf(&text, "%lld %lld %lld", (long long)demand->cpu, (long long)demand->memory_mib, (long long)demand->interfaces);
    for (size_t p = 0; p < demand->port_count; p++) { buf_printf(&text, " p%lld", (long long)demand->ports[p]); }
    for (size_t c = 0; c < demand->container_count; c++) {
        const struct gpu_ask *ask = &demand->gpus[c];
        buf_printf(&text, " g%lld/%lld/%lld", (long long)ask->count, (long long)ask->share, (long long)ask->memory_mib);
    }
    for (size_t a = 0; a < demand->attribute_count; a++) {
        buf_printf(&text, " " STR_FMT "=" STR_FMT, STR_ARG(demand->attributes[a].name), STR_ARG(demand->attributes[a].value));
    }
    if (demand->distinct_instance) { buf_printf(&text, " distinct " STR_FMT, STR_ARG(demand->group)); }
    const struct task_definition *def = &launch->taskdef->def;
    const struct task_placing *placing = launch->pattern.placing;
    for (size_t c = 0; c < def->placement_constraints.count; c++) { put_expression(&text, def->placement_constraints.items[c].expression); }
    for (size_t c = 0; placing != NULL && c < placing->constraints.count; c++) { put_expression(&text, placing->constraints.items[c].expression); }
    return (int64_t)(hash_keyed(key, text.ptr, text.len) >> 1);
}

/* ---- entering ---- */

size_t waits_room(struct op_ctx *ctx, const struct launch *launch, size_t count)
{
    const struct queue *queue = sched_queue(ctx->world);
    size_t all = queue_count(queue), room = all < QUEUE_MAX ? QUEUE_MAX - all : 0;
    if (!launch->wish.waits) { return 0; }
    if (!launch->wish.given) {
        size_t waiting = queue_of_providers(queue, launch->cluster->number), left = waiting < QUEUE_OF_PROVIDERS_MAX ? QUEUE_OF_PROVIDERS_MAX - waiting : 0;
        room = room < left ? room : left;
    }
    if (launch->gang) { return room >= count ? count : 0; }
    return room < count ? room : count;
}

static struct task_container_list waiting_containers(struct op_ctx *ctx, size_t count)
{
    struct task_container_list list = { ARENA_NEW(ctx->arena, struct task_container, count), count };
    for (size_t c = 0; c < count; c++) {
        list.items[c] = (struct task_container){ .index = (int64_t)c };
        task_container_become(&list.items[c], TASK_PENDING);
    }
    return list;
}

/* All GPUs of a machine, and a part that follows from memory, are no number before the task has its place. */
static int64_t asked_gpus(const struct demand *demand)
{
    int64_t sum = 0;
    for (size_t c = 0; c < demand->container_count; c++) {
        if (demand->gpus[c].count > 0) { sum += demand->gpus[c].count * demand->gpus[c].share; }
    }
    return sum;
}

static void keep_task(struct op_ctx *ctx, struct launch *launch, struct id id, const struct task_wait *wait, struct task_view *view)
{
    struct task task = launch->pattern;
    task.id = id;
    task.wait = arena_copy(ctx->arena, wait, sizeof *wait);
    task.containers = waiting_containers(ctx, launch->demand.container_count);
    task.asked_gpus = asked_gpus(&launch->demand);
    task_wait_for_room(&task);
    placement_keep_waiting(ctx, &task);
    if (view != NULL) { view_task_fill(ctx, &launch->seen, &task, launch->taskdef, true, view); }
}

/* They have just been tried: they are tried again when room grows. */
void waits_enter(struct op_ctx *ctx, struct launch *launch, const struct id *ids, size_t count, struct task_view *views)
{
    const struct wait_wish *wish = &launch->wish;
    struct task_wait wait = {
        .since_ms = wish->since_ms == 0 ? ctx->now_ms : wish->since_ms,
        .until_ms = wish->most_ms == 0 ? 0 : ctx->now_ms + wish->most_ms, .shape = shape_of(ctx, launch),
        .gpus = quotas_need(&launch->demand), .priority = launch->pattern.terms == NULL ? 0 : launch->pattern.terms->priority,
        .replaces = opt_bool_of(wish->replaces), .patience_ms = wish->given ? 0 : wish->most_ms,
    };
    if (launch->gang) { wait.gang = (struct id_list){ arena_copy(ctx->arena, ids, count * sizeof *ids), count }; }
    for (size_t t = 0; t < count; t++) {
        struct task_gang gang = { ids[0], (int64_t)t, (int64_t)count };
        launch->pattern.gang = launch->gang ? &gang : NULL;
        keep_task(ctx, launch, ids[t], &wait, views == NULL ? NULL : &views[t]);
    }
    launch->pattern.gang = NULL;
    queue_no_room(sched_queue(ctx->world), ids[0]);
    keeping_entered(ctx, ids[0]);
    if (launch->pattern.capacity_provider.len > 0) { provider_touch(ctx, launch->pattern.capacity_provider); }
}

/* ---- starting ---- */

static void start(struct op_ctx *ctx, const struct launch *launch, const struct task *found, const struct placement *placement)
{
    struct task task = *found;
    task.instance = placement->instance;
    task.containers = launch_containers(ctx, launch, placement);
    task.wait = NULL;
    if (task.service != 0) { task.placing = NULL; }              /* a service's strategies are its own */
    task.placed_ms = ctx->now_ms;
    task.version++;
    task_become(&task, TASK_PENDING, ctx->now_ms);
    placement_change_task(ctx, found, &task);
    support_effect(ctx, EFFECT_WAKE_INSTANCE, task.instance);
}

static const struct task *read_tasks(struct op_ctx *ctx, const struct waiting *waiting)
{
    struct task *tasks = ARENA_NEW(ctx->arena, struct task, waiting->count);
    for (size_t t = 0; t < waiting->count; t++) {
        const struct task *task = store_task(ctx->txn, waiting->tasks[t], ctx->arena);
        if (task == NULL || task->wait == NULL) { return NULL; }
        tasks[t] = *task;
    }
    return tasks;
}

/* "Waited 2h for room: RESOURCE:GPU: …" */
static void give_up(struct op_ctx *ctx, const struct waiting *waiting, const struct task *tasks, const char *why)
{
    char waited[DURATION_TEXT_SIZE];
    duration_print(ctx->now_ms - waiting->since_ms, waited);
    const struct stop_cause cause = { TASK_STOP_CODE_TASKFAILEDTOSTART, arena_printf(ctx->arena, "TaskFailedToStart: waited %s for room. %s", waited, why) };
    (void)waits_end(ctx, &tasks[0], cause);
}

/* `ends`: without room now, it gives up. The entry is no more, or is not tried again before room grows. */
static void try_one(struct op_ctx *ctx, const struct waiting *given, bool ends)
{
    struct waiting waiting = *given;
    struct queue *queue = sched_queue(ctx->world);
    struct launch launch;
    struct err err = { 0 };
    const struct task *tasks = read_tasks(ctx, &waiting);
    if (tasks == NULL) {
        queue_drop(queue, waiting.tasks[0]);
        return;
    }
    if (!launch_waiting(ctx, &tasks[0], &launch, &err)) {
        give_up(ctx, &waiting, tasks, err.message);
        return;
    }
    struct placement placements[QUEUE_GANG_MAX];
    struct evidence evidence = { 0 };
    struct failure failure;
    bool allowed = quotas_allow(ctx, launch.cluster, &tasks[0].tags, &launch.demand, waiting.count, true, &failure) == waiting.count;
    size_t placed = !allowed ? 0
        : sched_place(ctx->world, &launch.demand, waiting.tasks, waiting.count, waiting.count > 1, placements, ends ? &evidence : NULL);
    if (placed == waiting.count) {
        for (size_t t = 0; t < waiting.count; t++) { start(ctx, &launch, &tasks[t], &placements[t]); }
    } else if (ends) {
        bool empty = tasks[0].capacity_provider.len > 0 && provider_is_empty(ctx, tasks[0].capacity_provider);
        if (allowed) { failure = launch_failure(ctx, &launch, &evidence); }
        if (allowed && empty) { failure.reason = STR(EMPTY_PROVIDER_REASON); }
        struct str detail = str_shorten(failure.detail, DETAIL_SHOWN_MAX);
        give_up(ctx, &waiting, tasks, arena_printf(ctx->arena, STR_FMT ": " STR_FMT, STR_ARG(failure.reason), STR_ARG(detail)).ptr);
    } else {
        queue_no_room(queue, waiting.tasks[0]);
        struct restarts again = { NULL, 0 };
        if (allowed) { again = keeping_tried(ctx, &waiting, &launch, tasks); }
        for (size_t r = 0; r < again.count; r++) { waits_enter(ctx, &again.items[r].launch, &again.items[r].id, 1, NULL); }
    }
}

/* Each try has a separate arena: a definition may be large. */
void waits_run_due(struct op_ctx *ctx)
{
    static const size_t scratch_max = (size_t)256 << 20;
    struct queue *queue = sched_queue(ctx->world);
    struct arena scratch;
    arena_init(&scratch, scratch_max);
    for (int n = 0; n < TRIES; n++) {
        const struct waiting *expired = queue_expired(queue, ctx->now_ms), *next = expired != NULL ? expired : queue_next(queue, ctx->now_ms);
        if (next == NULL) { break; }
        keeping_refresh(ctx, next->cluster);
        struct op_ctx one = *ctx;
        one.arena = &scratch;
        one.effects = (struct effect_list){ 0 };
        try_one(&one, next, expired != NULL);
        support_hand_on(ctx, &one.effects);
        arena_reset(&scratch);
    }
    arena_finish(&scratch);
    keeping_note(ctx);
}

static void renew_task(struct op_ctx *ctx, struct id id, int64_t until_ms)
{
    const struct task *found = store_task(ctx->txn, id, ctx->arena);
    if (found == NULL || found->wait == NULL) { return; }
    struct task task = *found;
    struct task_wait wait = *found->wait;
    wait.until_ms = until_ms;
    wait.renewals++;
    task.wait = &wait;
    task.version++;
    placement_change_task(ctx, found, &task);
}

/* A gang waits as a whole: its entry in the queue is its first task's. */
void waits_renew(struct op_ctx *ctx, const struct kept_machine *machine)
{
    for (size_t t = 0; t < machine->for_tasks.count; t++) {
        const struct task *task = store_task(ctx->txn, machine->for_tasks.items[t], ctx->arena);
        if (task == NULL || task->wait == NULL || task->wait->patience_ms == 0 || task->wait->renewals >= WAITS_RENEWALS_MAX) { continue; }
        int64_t until_ms = ctx->now_ms + task->wait->patience_ms;
        if (until_ms <= task->wait->until_ms) { continue; }
        struct id alone = task->id;
        struct id_list all = task->wait->gang.count > 0 ? task->wait->gang : (struct id_list){ &alone, 1 };
        for (size_t member = 0; member < all.count; member++) { renew_task(ctx, all.items[member], until_ms); }
        queue_set_until(sched_queue(ctx->world), all.items[0], until_ms);
    }
}

void waits_touch_services(struct op_ctx *ctx, struct str provider)
{
    struct roster *roster = sched_roster(ctx->world);
    struct queue *queue = sched_queue(ctx->world);
    uint64_t hash = provider_hash(provider);
    const struct waiting **entries = (const struct waiting **)arena_alloc(ctx->arena, queue_count(queue) + 1, sizeof *entries);
    size_t count = queue_list(queue, 0, ctx->now_ms, entries, ctx->arena);
    for (size_t e = 0; e < count; e++) {
        const struct roster_task *task = entries[e]->provider == hash ? roster_task(roster, entries[e]->tasks[0]) : NULL;
        if (task != NULL) { roster_touch(roster, task->service); }
    }
}

/* ---- ending ---- */

static struct task end_one(struct op_ctx *ctx, const struct task *found, struct stop_cause cause)
{
    struct task task = *found;
    struct task_container *containers = arena_copy(ctx->arena, task.containers.items, task.containers.count * sizeof *containers);
    task.containers.items = containers;
    task.wait = NULL;
    if (task.tags.count > 0) { task.tags_at_stop = task.tags; }
    task.tags = (struct tag_list){ 0 };                          /* a stop deletes them, as in ECS */
    task.version++;
    task_become(&task, TASK_STOPPED, ctx->now_ms);
    task_set_cause(&task, cause);
    placement_change_task(ctx, found, &task);
    return task;
}

struct task waits_end(struct op_ctx *ctx, const struct task *found, struct stop_cause cause)
{
    struct task ended = { .version = 0 };
    struct id alone = found->id;
    struct id_list gang = found->wait->gang.count > 0 ? found->wait->gang : (struct id_list){ &alone, 1 };
    for (size_t t = 0; t < gang.count; t++) {
        const struct task *task = id_eq(gang.items[t], found->id) ? found : store_task(ctx->txn, gang.items[t], ctx->arena);
        if (task == NULL || task->wait == NULL) { continue; }
        struct task one = end_one(ctx, task, cause);
        if (task == found) { ended = one; }
    }
    return ended;
}
