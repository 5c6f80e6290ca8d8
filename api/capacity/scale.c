/* scale.c: see scale.h. */
#include "api/capacity/scale.h"

#include "api/amazon/templates.h"
#include "api/capacity/choice.h"
#include "api/capacity/machines.h"
#include "api/capacity/providers.h"
#include "api/capacity/requirements.h"
#include "api/tasks/waits.h"
#include "base/num.h"
#include "scheduler/capacity/scaling.h"
#include "scheduler/queue/queue.h"
#include "scheduler/queue/quota.h"

enum { MANAGED_IN_AFTER_S = 300, SHAPES_MOST = 64, TASKS_MOST = 2000, MOVES_MS = 5 * 60 * 1000, IMPOSSIBLE_AFTER_MS = 60 * 1000 };

struct scaler {
    struct op_ctx *ctx;
    const struct pool_look *look;
    const struct kept_provider *provider;
    const struct kept_pool *pool;
    struct capacity_view *view;
};

/* Managed instances go one by one, when they are empty; with managed termination protection a busy machine stays. */
static bool protects(const struct kept_provider *provider)
{
    return provider->managed != NULL || provider->group->managed_termination_protection == MANAGED_TERMINATION_PROTECTION_ENABLED;
}

/* ---- what waits ---- */

static uint32_t shape_of(struct scaler *scaler, const struct waiting *waiting, uint64_t *hashes, struct demand *shapes)
{
    size_t s = 0;
    while (s < scaler->view->demand.shape_count && hashes[s] != waiting->shape) { s++; }
    if (s < scaler->view->demand.shape_count || s == SHAPES_MOST) { return (uint32_t)s; }
    struct launch launch;
    struct err err = { 0 };
    const struct task *task = store_task(scaler->ctx->txn, waiting->tasks[0], scaler->ctx->arena);
    if (task == NULL || !launch_waiting(scaler->ctx, task, &launch, &err)) { return SHAPES_MOST; }
    hashes[s] = waiting->shape;
    shapes[s] = launch.demand;
    scaler->view->demand.shape_count++;
    return (uint32_t)s;
}

/* The first tasks of the queue: the next look sees the next ones. Those over a quota need no machine. */
static void read_waiting(struct scaler *scaler)
{
    struct op_ctx *ctx = scaler->ctx;
    struct queue *queue = sched_queue(ctx->world);
    uint64_t hashes[SHAPES_MOST], provider = provider_hash(scaler->provider->name);
    struct demand *shapes = ARENA_NEW(ctx->arena, struct demand, SHAPES_MOST);
    struct capacity_task *tasks = ARENA_NEW(ctx->arena, struct capacity_task, TASKS_MOST);
    const struct waiting **entries = (const struct waiting **)arena_alloc(ctx->arena, TASKS_MOST, sizeof *entries);
    size_t count = queue_list_for(queue, provider, ctx->now_ms, entries, TASKS_MOST, ctx->arena), kept = 0, beyond = queue_tasks_for(queue, provider);
    uint32_t gangs = 0;
    struct quota_trial trial = { .cluster = 0 };
    for (size_t e = 0; e < count; e++) {
        const struct waiting *waiting = entries[e];
        beyond -= waiting->count;
        if (!quotas_try(sched_quotas(ctx->world), &trial, waiting->cluster, waiting->quota, waiting->gpus * (int64_t)waiting->count)) { continue; }
        if (kept + waiting->count > TASKS_MOST) {
            scaler->view->more_waiting += waiting->count;
            continue;
        }
        uint32_t shape = shape_of(scaler, waiting, hashes, shapes), gang = waiting->count > 1 ? ++gangs : 0;
        for (size_t t = 0; shape < SHAPES_MOST && t < waiting->count; t++) { tasks[kept++] = (struct capacity_task){ waiting->tasks[t], shape, gang }; }
    }
    scaler->view->more_waiting += beyond;
    scaler->view->demand.shapes = shapes;
    scaler->view->demand.tasks = tasks;
    scaler->view->demand.task_count = kept;
}

/* ---- types and machines ---- */

static struct type_list all_types(const struct catalogue *catalogue, struct arena *arena)
{
    struct type_list list = { (const struct instance_type **)arena_alloc(arena, catalogue->count, sizeof *list.items), catalogue->count };
    for (size_t t = 0; t < list.count; t++) { list.items[t] = &catalogue->types[t]; }
    types_sort(list);
    return list;
}

/* The type that the template names, those that its requirements allow, or all. */
static struct type_list types_of(struct scaler *scaler, const struct catalogue *catalogue)
{
    struct op_ctx *ctx = scaler->ctx;
    const struct instance_requirements_request *wanted = NULL;
    bool spot = false;
    struct str name = { NULL, 0 };
    if (scaler->provider->managed != NULL) {
        const struct instance_launch_template *template = scaler->provider->managed->instance_launch_template;
        wanted = template == NULL ? NULL : template->instance_requirements;
        spot = template != NULL && template->capacity_option_type == CAPACITY_OPTION_TYPE_SPOT;
    } else if (str_is_set(scaler->pool->template)) {
        const struct launch_template_data *data = template_data(ctx, scaler->pool->template, scaler->pool->template_version);
        wanted = data == NULL ? NULL : data->requirements;
        if (data != NULL) { name = data->instance_type; }
    }
    const struct instance_type *named = name.len > 0 ? catalogue_find(catalogue, name) : NULL;
    if (named != NULL) {
        struct type_list one = { (const struct instance_type **)arena_alloc(ctx->arena, 1, sizeof *one.items), 1 };
        one.items[0] = named;
        return one;
    }
    if (wanted == NULL) { return all_types(catalogue, ctx->arena); }
    struct requirements requirements = requirements_read(wanted, spot, ctx->arena);
    return requirements_match(&requirements, catalogue, ctx->arena);
}

static void read_types(struct scaler *scaler, const struct catalogue *catalogue)
{
    struct type_list types = offers_apply(scaler->pool, types_of(scaler, catalogue), scaler->ctx->arena);
    struct capacity_type *list = ARENA_NEW(scaler->ctx->arena, struct capacity_type, types.count + 1);
    for (size_t t = 0; t < types.count; t++) {
        int64_t most = types.items[t]->max_count > 0 ? types.items[t]->max_count : CAPACITY_NEW_MAX;
        list[t] = (struct capacity_type){ .type = types.items[t], .left = look_affords(scaler->look, types.items[t]->name, most) };
    }
    scaler->view->demand.types = list;
    scaler->view->demand.type_count = types.count;
}

/* Machines that come for another one keep their place until its tasks have had the time to move. 0: there are none. */
static int64_t settles_from(const struct scaler *scaler)
{
    int64_t from_ms = 0;
    for (size_t m = 0; m < scaler->look->count; m++) {
        const struct kept_machine *machine = &scaler->look->machines[m];
        bool moves = machine->state == MACHINE_ACTIVE || (machine->state == MACHINE_LEAVING && scaler->ctx->now_ms - machine->since_ms < MOVES_MS);
        bool is_replaced = machine->replace != MACHINE_REPLACE_UNSET && moves;
        if (is_replaced && (from_ms == 0 || machine->replace_ms < from_ms)) { from_ms = machine->replace_ms; }
    }
    return from_ms;
}

static struct capacity_machine machine_facts(struct scaler *scaler, const struct catalogue *catalogue, const struct kept_machine *machine, bool settles,
                                             struct machine *room)
{
    struct op_ctx *ctx = scaler->ctx;
    bool registered = machine->state == MACHINE_ACTIVE;
    int64_t tasks = registered ? machine_task_count(ctx, machine) : 0;
    bool takes = registered && capacity_room(ctx->world, machine->instance, room);
    return (struct capacity_machine){
        .id = machine->id, .type = catalogue_find(catalogue, machine->type), .room = takes ? room : NULL,
        .on_order = !registered, .busy = tasks > 0 || settles, .kept = machine->protected == OPT_TRUE && !protects(scaler->provider), .tasks = tasks,
        .since_ms = !registered ? machine->ordered_ms : machine->empty_since_ms != 0 ? machine->empty_since_ms : ctx->now_ms,
        .for_tasks = machine->for_tasks.items, .for_count = machine->for_tasks.count,
    };
}

/* Those that count as capacity. */
static void read_machines(struct scaler *scaler, const struct catalogue *catalogue)
{
    struct op_ctx *ctx = scaler->ctx;
    const struct pool_look *look = scaler->look;
    int64_t settles_ms = settles_from(scaler);
    size_t kept = 0;
    struct capacity_machine *facts = ARENA_NEW(ctx->arena, struct capacity_machine, look->count + 1);
    struct machine *rooms = ARENA_NEW(ctx->arena, struct machine, look->count + 1);
    scaler->view->machines = (const struct kept_machine **)arena_alloc(ctx->arena, look->count + 1, sizeof *scaler->view->machines);
    for (size_t m = 0; m < look->count; m++) {
        const struct kept_machine *machine = &look->machines[m];
        if (!machine_counts(machine)) { continue; }
        facts[kept] = machine_facts(scaler, catalogue, machine, settles_ms != 0 && machine->ordered_ms >= settles_ms, &rooms[kept]);
        scaler->view->machines[kept++] = machine;
    }
    scaler->view->demand.machines = facts;
    scaler->view->demand.machine_count = kept;
}

/* ---- the decision ---- */

/* scaleInAfter of a managed instances provider. */
static int64_t idle_ms(const struct kept_provider *provider)
{
    const struct infrastructure_optimization *optimization = provider->managed->infrastructure_optimization;
    int64_t after_s = optimization != NULL && optimization->scale_in_after.set ? optimization->scale_in_after.value : MANAGED_IN_AFTER_S;
    return after_s < 0 ? CAPACITY_NEVER : after_s * 1000;
}

static struct capacity_settings settings_of(const struct scaler *scaler)
{
    const struct kept_pool *pool = scaler->pool;
    bool managed = scaler->provider->managed != NULL;
    const struct managed_scaling scaling = scaling_filled(managed ? NULL : scaler->provider->group->managed_scaling);
    return (struct capacity_settings){
        .target = scaling.target_capacity.value, .step_min = scaling.minimum_scaling_step_size.value, .step_max = scaling.maximum_scaling_step_size.value,
        .size_min = pool->min, .size_max = pool->max, .warmup_ms = managed ? 0 : scaling.instance_warmup_period.value * 1000,
        .in_after_ms = managed ? CAPACITY_NEVER : CAPACITY_IN_AFTER_MS, .minute_ms = CAPACITY_MINUTE_MS, .protects = protects(scaler->provider),
    };
}

bool capacity_view_open(const struct pool_look *look, struct capacity_view *view)
{
    struct scaler scaler = { look->ctx, look, look->provider, look->pool, view };
    const struct catalogue *catalogue = catalogue_known();
    *view = (struct capacity_view){ .more_waiting = 0 };
    if (look->pool->removed == OPT_TRUE || look->provider == NULL || !provider_scales(look->provider)) { return false; }
    read_machines(&scaler, catalogue);
    read_types(&scaler, catalogue);
    read_waiting(&scaler);
    view->demand.size_max = look->pool->max;
    if (look->provider->managed != NULL) {
        provider_daemons_take(look->ctx, look->provider, &view->demand.daemon_cpu, &view->demand.daemon_memory_mib);
    }
    view->plan = capacity_plan(&view->demand, look->ctx->arena);
    const struct kept_provider *provider = look->provider;
    const struct capacity_state state = {
        .now_ms = look->ctx->now_ms, .size = (int64_t)view->demand.machine_count, .used = view->plan.used, .news = (int64_t)view->plan.new_count,
        .settings = settings_of(&scaler),
        .memory = { provider->below_since_ms, provider->out_ms, provider->out_added, provider->last_out_ms, provider->last_in_ms,
                    provider->at_max == OPT_TRUE },
    };
    view->decision = capacity_decide(&state);
    return true;
}

/* ---- what follows ---- */

/* Since when it has been empty, as of the looks: one a minute. */
static void note_empty(struct pool_look *look, const struct capacity_view *view)
{
    for (size_t m = 0; m < view->demand.machine_count; m++) {
        struct kept_machine machine = *view->machines[m];
        bool empty = machine.state == MACHINE_ACTIVE && view->demand.machines[m].tasks == 0;
        if (empty == (machine.empty_since_ms != 0)) { continue; }
        machine.empty_since_ms = empty ? look->ctx->now_ms : 0;
        store_put_machine(look->ctx->txn, &machine);
        look->changed = true;
    }
}

/* The decision's memory and its figures, for the next one, for metrics and for people. */
static void keep_memory(const struct pool_look *look, const struct capacity_decision *decision)
{
    const struct capacity_memory *memory = &decision->memory;
    const struct kept_provider *known = look->provider;
    struct kept_provider provider = *known;
    bool same = provider.below_since_ms == memory->below_since_ms && provider.last_out_ms == memory->last_out_ms && provider.out_ms == memory->out_ms
        && provider.out_added == memory->out_added && provider.last_in_ms == memory->last_in_ms && (provider.at_max == OPT_TRUE) == memory->at_max;
    bool counted = known->looked_ms != 0 && known->needed == decision->needed && known->size == decision->size && known->wanted == decision->wanted;
    if (same && counted) { return; }
    provider.below_since_ms = memory->below_since_ms;
    provider.last_out_ms = memory->last_out_ms;
    provider.out_ms = memory->out_ms;
    provider.out_added = memory->out_added;
    provider.last_in_ms = memory->last_in_ms;
    provider.at_max = opt_bool_of(memory->at_max);
    provider.needed = decision->needed;
    provider.size = decision->size;
    provider.wanted = decision->wanted;
    if (!counted) { provider.looked_ms = look->ctx->now_ms; }
    store_put_provider(look->ctx->txn, &provider);
}

/* The types of the machines that are added, in their order, and then the others. */
static struct str_list types_for(const struct pool_look *look, const struct capacity_view *view)
{
    const struct capacity_demand *demand = &view->demand;
    struct str_list types = { ARENA_NEW(look->ctx->arena, struct str, demand->type_count + 1), 0 };
    for (size_t n = 0; n < view->plan.new_count; n++) {
        struct str name = demand->types[view->plan.news[n].type].type->name;
        if (!str_list_has(&types, name)) { types.items[types.count++] = name; }
    }
    for (size_t t = 0; t < demand->type_count && view->plan.new_count == 0; t++) { types.items[types.count++] = demand->types[t].type->name; }
    return types;
}

static struct str_list additions(const struct pool_look *look, const struct capacity_view *view)
{
    size_t wanted = (size_t)view->decision.step;
    struct capacity_addition *all = ARENA_NEW(look->ctx->arena, struct capacity_addition, wanted);
    struct str_list types = { ARENA_NEW(look->ctx->arena, struct str, wanted), 0 };
    size_t count = capacity_add(&view->demand, &view->plan, wanted, all);
    for (size_t a = 0; a < count; a++) { types.items[types.count++] = view->demand.types[all[a].type].type->name; }
    return types;
}

static void more(struct pool_look *look, const struct capacity_view *view)
{
    struct kept_pool *pool = look->pool;
    struct buf why = buf_in(look->ctx->arena);
    int64_t before = pool->desired;
    pool->desired = (int64_t)view->demand.machine_count + view->decision.step;
    pool->types = types_for(look, view);
    look->wanted = additions(look, view);
    if (pool->desired == before) { return; }                     /* it was decided already, and could not be ordered yet */
    capacity_explain(&view->decision, &view->demand, &view->plan, &why);
    pool_line(look->ctx, pool, "is to have %lld machines: " STR_FMT, (long long)pool->desired, STR_ARG(buf_str(&why)));
}

static void fewer(struct pool_look *look, const struct capacity_view *view)
{
    struct op_ctx *ctx = look->ctx;
    struct kept_pool *pool = look->pool;
    const struct capacity_demand *demand = &view->demand;
    bool managed = look->provider->managed != NULL;
    uint32_t *leave = ARENA_NEW(ctx->arena, uint32_t, demand->machine_count + 1);
    size_t wanted = view->decision.step < 0 ? (size_t)-view->decision.step : 0;
    size_t count = capacity_remove(demand->machines, view->plan.reserved, demand->machine_count, wanted, protects(look->provider), leave, ctx->arena);
    if (count == 0 && managed) {
        size_t most = (size_t)max_i64(pool->desired - pool->min, 0);
        count = capacity_idle(demand->machines, view->plan.reserved, demand->machine_count, ctx->now_ms, idle_ms(look->provider), leave);
        count = count < most ? count : most;
    }
    if (count == 0) { return; }
    struct str why = STR("The capacity provider needs it no more.");
    for (size_t m = 0; m < count; m++) { machine_end(ctx, pool, view->machines[leave[m]], why); }
    look->changed = true;
    pool->desired -= (int64_t)count;
    pool_line(ctx, pool, "is to have %lld machines: %zu are not needed", (long long)pool->desired, count);
}

/* Orders that could not be made (by a person, a price, or a failure) are decided again with the machines that are there. */
static bool is_settled(struct pool_look *look, const struct capacity_view *view)
{
    int64_t size = (int64_t)view->demand.machine_count;
    return size == look->pool->desired || (look->pool->held == OPT_TRUE && size < look->pool->desired);
}

/* New machines are ordered in the order of the plan. */
static struct new_machines orders_of(const struct pool_look *look, const struct capacity_view *view)
{
    const struct capacity_plan *plan = &view->plan;
    struct arena *arena = look->ctx->arena;
    struct new_machines orders = { ARENA_NEW(arena, struct new_machine, plan->new_count + 1), plan->new_count };
    for (size_t n = 0; n < plan->new_count; n++) {
        struct id *tasks = arena_copy(arena, plan->news[n].tasks, plan->news[n].task_count * sizeof *tasks);
        orders.items[n] = (struct new_machine){ view->demand.types[plan->news[n].type].type->name, { tasks, plan->news[n].task_count } };
    }
    return orders;
}

/* Machines on order are kept for the tasks that the plan puts there: the next plan does the same. */
static void keep_for(struct pool_look *look, const struct capacity_view *view)
{
    const struct capacity_demand *demand = &view->demand;
    const struct capacity_plan *plan = &view->plan;
    struct arena *arena = look->ctx->arena;
    struct id *tasks = ARENA_NEW(arena, struct id, demand->task_count + 1);
    size_t *ends = ARENA_NEW(arena, size_t, demand->machine_count + 1), begins = 0;
    for (size_t t = 0; t < demand->task_count; t++) { ends[plan->places[t].fate == FATE_MACHINE ? plan->places[t].at + 1 : 0]++; }
    ends[0] = 0;
    for (size_t m = 1; m <= demand->machine_count; m++) { ends[m] += ends[m - 1]; }        /* now where the tasks of machine m begin */
    for (size_t t = 0; t < demand->task_count; t++) {
        if (plan->places[t].fate == FATE_MACHINE) { tasks[ends[plan->places[t].at]++] = demand->tasks[t].id; }
    }
    for (size_t m = 0; m < demand->machine_count; begins = ends[m++]) {
        struct kept_machine machine = *view->machines[m];
        size_t count = ends[m] - begins, same = 0;
        if (!demand->machines[m].on_order) { continue; }
        while (same < count && same < machine.for_tasks.count && id_eq(tasks[begins + same], machine.for_tasks.items[same])) { same++; }
        if (same == count && count == machine.for_tasks.count) { continue; }
        machine.for_tasks = (struct id_list){ tasks + begins, count };
        store_put_machine(look->ctx->txn, &machine);
        look->changed = true;
    }
}

/* ---- tasks that no machine can hold ---- */

/* "TaskFailedToStart: RESOURCE:GPU. No machine of the capacity provider p can hold it: needs 4 GPUs, and p3.2xlarge, the nearest type, has 1." */
static struct str impossible_text(const struct pool_look *look, const struct capacity_view *view, uint32_t shape)
{
    struct buf why = buf_in(look->ctx->arena);
    bool no_type = view->demand.type_count == 0;
    struct str reason = no_type ? STR(EMPTY_PROVIDER_REASON) : verdict_reason(view->plan.lacks[shape].verdict);
    buf_printf(&why, "TaskFailedToStart: " STR_FMT ". No machine of the capacity provider " STR_FMT " can hold it: ", STR_ARG(reason),
               STR_ARG(look->provider->name));
    capacity_explain_lack(&view->demand, &view->plan, shape, &why);
    buf_put_char(&why, '.');
    return buf_str(&why);
}

/* A change of the group or its template may come in the first minute. Tasks that wait without an end stay. */
static void end_impossible(const struct pool_look *look, const struct capacity_view *view)
{
    struct op_ctx *ctx = look->ctx;
    for (size_t t = 0; t < view->demand.task_count && view->plan.impossible > 0; t++) {
        const struct capacity_task *waiting = &view->demand.tasks[t];
        const struct task *task = view->plan.places[t].fate != FATE_IMPOSSIBLE ? NULL : store_task(ctx->txn, waiting->id, ctx->arena);
        if (task == NULL || task->wait == NULL || task->wait->until_ms == 0 || ctx->now_ms - task->wait->since_ms < IMPOSSIBLE_AFTER_MS) { continue; }
        const struct stop_cause cause = { TASK_STOP_CODE_TASKFAILEDTOSTART, impossible_text(look, view, waiting->shape) };
        (void)waits_end(ctx, task, cause);
    }
}

bool capacity_scale(struct pool_look *look)
{
    struct capacity_view view;
    if (!capacity_view_open(look, &view)) { return false; }
    look_again(look, look->ctx->now_ms + CAPACITY_MINUTE_MS);
    if (!is_settled(look, &view)) { return true; }               /* the last decision is not carried out yet */
    bool later = view.decision.why == CAPACITY_STEP_TAKEN;
    if (view.plan.held > 0) { offers_renew(look); }
    note_empty(look, &view);
    keep_for(look, &view);
    look->orders = orders_of(look, &view);
    if (view.decision.step > 0) {
        more(look, &view);
    } else if (!later) {
        look->pool->desired = (int64_t)view.demand.machine_count;
        fewer(look, &view);
    }
    keep_memory(look, &view.decision);
    end_impossible(look, &view);
    if (view.decision.again_ms > look->ctx->now_ms) { look_again(look, view.decision.again_ms); }
    return true;
}

struct str_list capacity_candidates(const struct pool_look *look)
{
    struct arena *arena = look->ctx->arena;
    struct scaler scaler = { .ctx = look->ctx, .look = look, .provider = look->provider, .pool = look->pool };
    if (look->provider == NULL || !provider_scales(look->provider)) { return look->pool->types; }
    struct type_list types = types_of(&scaler, catalogue_known());
    struct str_list names = { ARENA_NEW(arena, struct str, types.count + 1), types.count };
    for (size_t t = 0; t < types.count; t++) { names.items[t] = types.items[t]->name; }
    return names;
}

/* A template's type need not be one of the catalogue: hosts may have their own types. */
void capacity_types(struct op_ctx *ctx, struct kept_pool *pool)
{
    const struct launch_template_data *data = str_is_set(pool->template) ? template_data(ctx, pool->template, pool->template_version) : NULL;
    pool->types = (struct str_list){ NULL, 0 };
    if (data == NULL || (data->instance_type.len == 0 && data->requirements == NULL)) { return; }
    if (data->instance_type.len > 0) {
        pool->types = (struct str_list){ ARENA_NEW(ctx->arena, struct str, 1), 1 };
        pool->types.items[0] = data->instance_type;
        return;
    }
    struct requirements requirements = requirements_read(data->requirements, false, ctx->arena);
    struct type_list matched = offers_apply(pool, requirements_match(&requirements, catalogue_known(), ctx->arena), ctx->arena);
    pool->types.items = ARENA_NEW(ctx->arena, struct str, matched.count + 1);
    for (size_t t = 0; t < matched.count; t++) { pool->types.items[pool->types.count++] = matched.items[t]->name; }
}
