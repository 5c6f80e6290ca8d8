/* placement.c: see placement.h. */
#include "api/core/placement.h"

#include "api/capacity/machines.h"
#include "api/capacity/providers.h"
#include "api/core/api.h"
#include "api/core/quotas.h"
#include "api/core/run_facts.h"
#include "api/core/support.h"
#include "api/outbox/outbox.h"
#include "api/services/services.h"
#include "api/show/history.h"
#include "base/canary.h"
#include "scheduler/queue/keeps.h"
#include "scheduler/queue/queue.h"
#include "scheduler/queue/quota.h"
#include "scheduler/queue/reserve.h"
#include "scheduler/queue/runs.h"
#include "scheduler/reconcile/roster.h"

static const size_t LOAD_SCRATCH_MAX = (size_t)16 << 20;

/* ---- telling the world ---- */

/* How many tasks can have their own network interface: what the attribute berth.network-interfaces says; 0: no limit. */
static int64_t read_interfaces(const struct instance *instance)
{
    bool found = false;
    int64_t count = 0;
    struct str value = instance_attribute(instance, STR("berth.network-interfaces"), &found);
    return found && str_to_i64(value, &count) && count > 0 ? count : 0;
}

void placement_tell_instance(struct world *world, const struct instance *instance, struct arena *scratch)
{
    size_t ports = instance->reserved_ports.count, gpus = instance->gpus.count, attributes = instance->attributes.count;
    ASSERT(instance->status != INSTANCE_STATUS_UNSET && instance->status != INSTANCE_INACTIVE);
    ASSERT(gpus <= INSTANCE_GPUS_MAX);
    int64_t *port_list = ARENA_NEW(scratch, int64_t, ports);
    struct sched_gpu *gpu_list = ARENA_NEW(scratch, struct sched_gpu, gpus);
    struct sched_attribute *attribute_list = ARENA_NEW(scratch, struct sched_attribute, attributes + 1);
    size_t attribute_count = 0;
    for (size_t p = 0; p < ports; p++) { port_list[p] = instance->reserved_ports.items[p].value; }
    for (size_t g = 0; g < gpus; g++) {
        const struct gpu *gpu = &instance->gpus.items[g];
        gpu_list[g] = (struct sched_gpu){ .uuid = gpu->uuid, .model = gpu->model, .memory_mib = gpu->memory_mib,
                                           .partition = gpu_is_partition(gpu), .out = instance_gpu_is_out(instance, gpu->uuid) };
    }
    for (size_t a = 0; a < attributes; a++) {
        const struct attribute *attribute = &instance->attributes.items[a];
        if (str_eq(attribute->name, instance_provider_name)) { continue; }
        attribute_list[attribute_count++] = (struct sched_attribute){ attribute->name, attribute->value };
    }
    if (instance->capacity_provider.len > 0) {
        attribute_list[attribute_count++] = (struct sched_attribute){ instance_provider_name, instance->capacity_provider };
    }
    sched_put_instance(world, &(struct sched_instance){
        .id = instance->id,
        .cluster = instance->cluster_number,
        .active = instance->status == INSTANCE_ACTIVE,
        .connected = instance->agent_connected == OPT_TRUE,
        .cpu = instance->cpu,
        .memory_mib = instance->memory_mib,
        .reserved_ports = port_list, .reserved_port_count = ports, .interfaces = read_interfaces(instance),
        .gpus = gpu_list, .gpu_count = gpus, .gpu_links = instance_gpu_links(instance, scratch),
        .attributes = attribute_list, .attribute_count = attribute_count,
        .ec2_instance_id = instance->ec2_instance_id,
        .agent_version = instance->version_info == NULL ? (struct str){ 0 } : instance->version_info->agent_version,
        .registered_ms = instance->registered_ms,
    });
}

/* Borrows from the task; lists lie in `scratch`. */
static struct sched_task describe_task(const struct task *task, struct arena *scratch)
{
    size_t gpu_count = 0;
    for (size_t c = 0; c < task->containers.count; c++) { gpu_count += task->containers.items[c].gpu_ids.count; }
    int64_t *ports = task->ports.count == 0 ? NULL : ARENA_NEW(scratch, int64_t, task->ports.count);
    struct sched_use *gpus = gpu_count == 0 ? NULL : ARENA_NEW(scratch, struct sched_use, gpu_count), *next = gpus;
    for (size_t p = 0; p < task->ports.count; p++) { ports[p] = task->ports.items[p].value; }
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        for (size_t g = 0; g < container->gpu_ids.count; g++) {
            *next++ = (struct sched_use){ container->gpu_ids.items[g], gpu_share_of(container->gpu_share) };
        }
    }
    ASSERT(gpu_count == 0 || next == gpus + gpu_count);
    return (struct sched_task){
        .id = task->id,
        .instance = task->instance,
        .group = task->group,
        .running = task->last_status == TASK_RUNNING && task->desired_status == TASK_RUNNING,
        .cpu = task->cpu,
        .memory_mib = task->memory_mib,
        .ports = ports, .port_count = task->ports.count, .interfaces = task->interfaces,
        .gpus = gpus, .gpu_count = gpu_count,
    };
}

void placement_tell_task(struct world *world, const struct task *task, struct arena *scratch)
{
    const struct sched_task told = describe_task(task, scratch);
    sched_put_task(world, &told);
}

/* The first task of a gang has the entry. */
static void enter_queue(struct world *world, const struct task *task)
{
    const struct task_wait *wait = task->wait;
    struct waiting waiting = {
        .tasks = { task->id }, .count = 1, .cluster = task->cluster_number, .shape = (uint64_t)wait->shape, .priority = wait->priority,
        .since_ms = wait->since_ms, .until_ms = wait->until_ms, .provider = provider_hash(task->capacity_provider),
        .replaces = wait->replaces == OPT_TRUE,
    };
    if (wait->gang.count > 0 && !id_eq(wait->gang.items[0], task->id)) { return; }
    for (size_t t = 0; t < wait->gang.count && t < QUEUE_GANG_MAX; t++) { waiting.tasks[t] = wait->gang.items[t]; }
    if (wait->gang.count > 0) { waiting.count = wait->gang.count; }
    waiting.gpus = wait->gpus;
    waiting.quota = quotas_mask(sched_quotas(world), task->cluster_number, &task->tags);
    waiting.reserve = task->terms != NULL && task->terms->reserve == OPT_TRUE;
    waiting.large = waiting.reserve || (int64_t)waiting.count * wait->gpus >= (int64_t)RESERVE_LARGE * DEVICE_WHOLE;
    waiting.length_ms = task->terms == NULL || task->terms->most_ms == 0 ? 0 : runs_step(task->terms->most_ms);
    queue_put(sched_queue(world), &waiting);
    if (waiting.large) { keeps_look_again(sched_keeps(world), waiting.cluster); }
    if (id_is_zero(wait->place)) { return; }
    keeps_put(sched_keeps(world), &(struct keep){
        .first = task->id, .instance = wait->place, .cluster = task->cluster_number, .kind = KEEP_STOPPED, .rank = wait->priority,
        .starts_ms = wait->barred_ms + RUNS_STOP_MS, .barred_ms = wait->barred_ms,
    });
}

/* Room is kept for it no more: others may have it. */
static void leave_queue(struct world *world, const struct task *task)
{
    struct keeps *keeps = sched_keeps(world);
    const struct waiting *waiting = queue_find(sched_queue(world), task->id);
    bool large = waiting != NULL && waiting->large, kept = false;
    queue_drop(sched_queue(world), task->id);
    for (const struct keep *keep; (keep = keeps_for(keeps, task->id, NULL)) != NULL; kept = true) { keeps_drop(keeps, task->id, keep->instance); }
    if (large) { keeps_look_again(keeps, task->cluster_number); }
    if (kept) { queue_room_grew(sched_queue(world), task->cluster_number); }
}

/* ---- the door ---- */

void placement_keep_task(struct op_ctx *ctx, const struct task *task)
{
    ASSERT(task->last_status == TASK_PENDING && task->desired_status == TASK_RUNNING);
    ASSERT(!id_is_zero(task->instance));
    ASSERT(sched_holds_for(ctx->world, task->id));
    run_facts_put(ctx->world, task);
    quotas_put_task(ctx->world, task);
    store_put_task(ctx->txn, task);
    services_task_changed(ctx, NULL, task);
    outbox_task(ctx, NULL, task);
}

void placement_keep_waiting(struct op_ctx *ctx, const struct task *task)
{
    ASSERT(task->last_status == TASK_PROVISIONING && id_is_zero(task->instance) && task->wait != NULL);
    store_put_task(ctx->txn, task);
    enter_queue(ctx->world, task);
    services_task_changed(ctx, NULL, task);
    outbox_task(ctx, NULL, task);
}

/* Below the limit services may let tasks wait again. */
static void end_wait(struct op_ctx *ctx, const struct task *task)
{
    bool was_full = queue_of_providers(sched_queue(ctx->world), task->cluster_number) >= QUEUE_OF_PROVIDERS_MAX;
    leave_queue(ctx->world, task);
    if (was_full) { roster_room_grew(sched_roster(ctx->world), task->cluster_number); }
}

static void tell_run(struct world *world, const struct task *before, const struct task *task, bool lives)
{
    if (lives) {
        run_facts_put(world, task);
        quotas_put_task(world, task);
    } else if (task_is_live(before) && !task_is_live(task)) {
        run_facts_end(world, task);
        quotas_end_task(world, task);
    }
}

/* A task gives its resources back when it is reported STOPPED, never earlier: until then its containers may still run. */
void placement_change_task(struct op_ctx *ctx, const struct task *before, const struct task *task)
{
    bool lives = task_is_live(task) && !id_is_zero(task->instance), holds = lives || services_keep_place(ctx, task);
    ASSERT(ctx->world != NULL);
    ASSERT(id_eq(task->id, before->id) && task->cluster_number == before->cluster_number);
    ASSERT(task->version >= before->version);
    ASSERT(task_is_live(before) || !task_is_live(task));             /* STOPPED is final */
    ASSERT(!lives || id_eq(task->instance, before->instance) || id_is_zero(before->instance));
    store_change_task(ctx->txn, before, task);
    if (holds) {
        placement_tell_task(ctx->world, task, ctx->arena);
    } else {
        sched_drop_task(ctx->world, task->id);
    }
    tell_run(ctx->world, before, task, lives);
    if (before->wait != NULL && task->wait == NULL) { end_wait(ctx, task); }
    if (before->wait != NULL && task->wait != NULL && task->terms != before->terms) {
        leave_queue(ctx->world, task);
        enter_queue(ctx->world, task);
    }
    ASSERT(sched_holds_for(ctx->world, task->id) == holds);
    CANARY(STOP_FREES_GPUS, if (task->desired_status == TASK_STOPPED) { sched_drop_task(ctx->world, task->id); });
    if (!task_is_live(task)) { history_keep(ctx, task); }
    services_task_changed(ctx, before, task);
    outbox_task(ctx, before, task);
    if (!task_is_live(task) && !id_is_zero(task->instance)) { machine_task_ended(ctx, task->instance); }
}

/* Its machine gets the stop when the next steps of its service have taken it out of the load balancers. */
static bool is_taken_out_first(const struct task *task) { return task->balanced == OPT_TRUE && task->last_status == TASK_RUNNING; }

struct task placement_order_stop(struct op_ctx *ctx, const struct task *found, struct stop_cause cause)
{
    struct task task = *found;
    ASSERT(task.wait == NULL);                                   /* a waiting task ends at once (api/tasks/waits.h) */
    bool is_news = task_order_stop(&task, cause, ctx->now_ms);
    if (is_news && is_taken_out_first(&task)) { task_become(&task, TASK_DEACTIVATING, ctx->now_ms); }
    ASSERT(task.desired_status == TASK_STOPPED);
    if (is_news || task.tags.count > 0) {
        if (task.tags.count > 0) { task.tags_at_stop = task.tags; }
        task.tags = (struct tag_list){ 0 };                      /* a stop deletes them, as in ECS */
        task.version++;
        placement_change_task(ctx, found, &task);
    }
    if (task_is_live(&task) && task.last_status != TASK_DEACTIVATING) { support_effect(ctx, EFFECT_WAKE_INSTANCE, task.instance); }
    return task;
}

void placement_end_deregistering(struct op_ctx *ctx, const struct task *found)
{
    struct task task = *found;
    ASSERT(task.last_status == TASK_DEACTIVATING);
    task_become(&task, TASK_STOPPING, ctx->now_ms);
    task.version++;
    placement_change_task(ctx, found, &task);
    support_effect(ctx, EFFECT_WAKE_INSTANCE, task.instance);
}

void placement_put_instance(struct op_ctx *ctx, const struct instance *instance)
{
    ASSERT(ctx->world != NULL);
    ASSERT(!id_is_zero(instance->id) && instance->cluster_number > 0);
    ASSERT(instance->status != INSTANCE_STATUS_UNSET);
    bool took = false, takes = false, known = sched_takes_tasks(ctx->world, instance->id, &took);
    store_put_instance(ctx->txn, instance);
    if (instance->status == INSTANCE_INACTIVE) {
        sched_drop_instance(ctx->world, instance->id);
    } else {
        placement_tell_instance(ctx->world, instance, ctx->arena);
    }
    bool stays = sched_takes_tasks(ctx->world, instance->id, &takes);
    services_instance_changed(ctx, instance, known && (!stays || took != takes));
    outbox_instance(ctx, instance);
}

/* Tasks that wait are counted by other quotas then. */
static void queue_again_all(struct op_ctx *ctx, int64_t cluster)
{
    struct queue *queue = sched_queue(ctx->world);
    const struct waiting **items = (const struct waiting **)arena_alloc(ctx->arena, queue_count(queue) + 1, sizeof *items);
    size_t count = queue_list(queue, cluster, ctx->now_ms, items, ctx->arena);
    struct id *ids = ARENA_NEW(ctx->arena, struct id, count + 1);
    struct arena scratch;
    for (size_t i = 0; i < count; i++) { ids[i] = items[i]->tasks[0]; }
    arena_init(&scratch, LOAD_SCRATCH_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct task *task = store_task(ctx->txn, ids[i], &scratch);
        queue_drop(queue, ids[i]);
        if (task != NULL && task->wait != NULL) { enter_queue(ctx->world, task); }
        arena_reset(&scratch);
    }
    arena_finish(&scratch);
}

void placement_put_cluster_tags(struct op_ctx *ctx, const struct cluster *cluster)
{
    const struct quota_item *items;
    size_t before = quotas_of(sched_quotas(ctx->world), cluster->number, &items);
    struct arena scratch;
    arena_init(&scratch, LOAD_SCRATCH_MAX);
    quotas_follow(ctx->world, ctx->txn, cluster, &scratch);
    arena_finish(&scratch);
    if (before + quotas_of(sched_quotas(ctx->world), cluster->number, &items) == 0) { return; }
    queue_again_all(ctx, cluster->number);
    services_room_grew(ctx->world, cluster->number);
}

/* Tasks of a gang start when the other machines are there: those take as long as this one did. */
static int64_t others_come_ms(struct store_txn *txn, const struct kept_machine *machine, struct arena *arena)
{
    struct kept_machine *machines;
    size_t count = store_list_machines(txn, machine->pool, &machines, arena);
    int64_t last_ms = machine->ordered_ms;
    for (size_t m = 0; m < count; m++) {
        bool comes = machines[m].state < MACHINE_ACTIVE && machines[m].for_tasks.count > 0;
        if (comes && machines[m].ordered_ms > last_ms) { last_ms = machines[m].ordered_ms; }
    }
    return last_ms + (machine->since_ms - machine->ordered_ms);
}

void placement_keep_ordered(struct world *world, struct store_txn *txn, const struct kept_machine *machine, int64_t now_ms, struct arena *arena)
{
    if (machine->for_tasks.count == 0 || machine->state != MACHINE_ACTIVE || now_ms - machine->since_ms >= KEEP_STOPS_MS) { return; }
    int64_t starts_ms = others_come_ms(txn, machine, arena);
    for (size_t t = 0; t < machine->for_tasks.count; t++) {
        const struct task *task = store_task(txn, machine->for_tasks.items[t], arena);
        if (task == NULL || task->wait == NULL) { continue; }
        struct id first = task->wait->gang.count > 0 ? task->wait->gang.items[0] : task->id;
        const struct waiting *waiting = queue_find(sched_queue(world), first);
        if (waiting == NULL) { continue; }
        keeps_put(sched_keeps(world), &(struct keep){
            .first = first, .instance = machine->instance, .cluster = task->cluster_number, .kind = KEEP_ORDERED, .rank = queue_rank(waiting, now_ms),
            .starts_ms = waiting->count > 1 ? starts_ms : now_ms, .barred_ms = machine->since_ms,
        });
    }
}

/* ---- building the world ---- */

struct load { struct store_txn *txn; struct world *world; struct arena scratch; bool has_daemons; };

static void load_instance(void *context, const struct instance *instance)
{
    struct load *load = context;
    placement_tell_instance(load->world, instance, &load->scratch);
    arena_reset(&load->scratch);
}

_Static_assert((int)STORE_TASKS_MAX <= (int)SCHED_LOAD_MAX, "what the store tells at once, the world takes at once");

/* The scan of all tasks does not read their whole records. */
static void load_waiting(struct load *load, struct id id)
{
    const struct task *task = store_task(load->txn, id, &load->scratch);
    if (task != NULL && task->wait != NULL) { enter_queue(load->world, task); }
}

/* Before all others: tasks that wait are put with the quotas that count them. */
static void load_quotas(struct load *load)
{
    enum { PAGE = 64 };
    struct cluster_number found[PAGE];
    int64_t from = 1;
    for (size_t count = PAGE; count == PAGE;) {
        count = store_list_cluster_numbers(load->txn, from, found, PAGE, &load->scratch);
        for (size_t c = 0; c < count; c++) {
            const struct cluster *cluster = store_cluster_by_number(load->txn, found[c].number, &load->scratch);
            from = found[c].number + 1;
            if (cluster == NULL) { continue; }
            struct arena scratch;
            arena_init(&scratch, LOAD_SCRATCH_MAX);
            quotas_follow(load->world, load->txn, cluster, &scratch);
            arena_finish(&scratch);
        }
        arena_reset(&load->scratch);
    }
}

static void load_tasks(void *context, const struct task *tasks, size_t count)
{
    struct load *load = context;
    struct sched_task told[STORE_TASKS_MAX] = { 0 };
    size_t placed = 0;
    ASSERT(count <= STORE_TASKS_MAX);
    for (size_t t = 0; t < count; t++) {
        if (!id_is_zero(tasks[t].instance) && task_is_live(&tasks[t])) { run_facts_put(load->world, &tasks[t]); }
        if (!id_is_zero(tasks[t].instance)) { told[placed++] = describe_task(&tasks[t], &load->scratch); }
        if (tasks[t].last_status == TASK_PROVISIONING) { load_waiting(load, tasks[t].id); }
    }
    sched_load_tasks(load->world, told, placed);
    for (size_t t = 0; t < count; t++) { services_tell_task(sched_roster(load->world), &tasks[t]); }
    arena_reset(&load->scratch);
}

static void load_service(void *context, const struct service *service)
{
    struct load *load = context;
    roster_add_service(sched_roster(load->world), service->number, service->cluster_number, service->scheduling == SCHEDULING_STRATEGY_DAEMON);
    services_hold_places(load->txn, load->world, service, &load->scratch);
    load->has_daemons |= service->daemon != NULL;
    arena_reset(&load->scratch);
}

static void load_gate(void *context, const struct instance *instance)
{
    struct load *load = context;
    (void)provider_gate(load->txn, load->world, instance, &load->scratch);
    arena_reset(&load->scratch);
}

/* The newest tasks that have ended, so that the world knows how long tasks run. */
static void load_past(struct load *load)
{
    enum { PAGE = 64, PAGES = 100 };
    struct history_place before = { INT64_MAX, { { 0 } } };
    for (int p = 0, full = 1; p < PAGES && full; p++) {
        struct history *entries = ARENA_NEW(&load->scratch, struct history, PAGE);
        size_t count = store_list_history(load->txn, before, entries, PAGE, &load->scratch);
        for (size_t e = 0; e < count; e++) { run_facts_past(load->world, &entries[e]); }
        full = count == PAGE;
        if (full) { before = (struct history_place){ entries[count - 1].stopped_ms, entries[count - 1].id }; }
        arena_reset(&load->scratch);
    }
}

static void load_machines(struct load *load)
{
    struct kept_pool *pools;
    struct arena list;
    arena_init(&list, LOAD_SCRATCH_MAX);
    size_t count = store_list_pools(load->txn, &pools, &list);
    for (size_t p = 0; p < count; p++) {
        struct kept_machine *machines;
        size_t here = store_list_machines(load->txn, pools[p].name, &machines, &load->scratch);
        for (size_t m = 0; m < here; m++) { placement_keep_ordered(load->world, load->txn, &machines[m], machines[m].since_ms, &load->scratch); }
        arena_reset(&load->scratch);
    }
    arena_finish(&list);
}

void api_load_world(struct world *world, struct store_txn *txn)
{
    struct load load = { .txn = txn, .world = world };
    arena_init(&load.scratch, LOAD_SCRATCH_MAX);
    store_scan_instances(txn, load_instance, &load);
    load_quotas(&load);
    sched_load_begin(world, store_count_live_tasks(txn));
    store_scan_holders(txn, load_tasks, &load);
    sched_load_end(world);
    store_scan_services(txn, load_service, &load);
    if (load.has_daemons) { store_scan_instances(txn, load_gate, &load); }
    load_past(&load);
    load_machines(&load);
    const struct kept_schedule *schedule = store_first_schedule(txn, &load.scratch);
    roster_schedules_due(sched_roster(world), schedule == NULL ? 0 : schedule->due_ms);
    roster_pools_due(sched_roster(world), POOLS_FIRST_LOOK_MS);
    arena_finish(&load.scratch);
}
