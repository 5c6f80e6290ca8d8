/* scale.c: see scale.h. */
#include "api/capacity/scale.h"

#include "api/amazon/templates.h"
#include "api/capacity/choice.h"
#include "api/capacity/machines.h"
#include "api/capacity/requirements.h"
#include "api/tasks/waits.h"
#include "base/num.h"
#include "scheduler/capacity/scaling.h"
#include "scheduler/queue/queue.h"

enum { MANAGED_IN_AFTER_S = 300, SHAPES_MOST = 64, TASKS_MOST = 2000 };

struct scaler {
    struct op_ctx *ctx;
    struct kept_provider provider;
    const struct kept_pool *pool;
    const struct kept_machine *machines;     /* demand.machine_count, in the same order */
    struct capacity_demand demand;
};

/* Managed instances go one by one, when they are empty; with managed termination protection a busy machine stays. */
static bool protects(const struct scaler *scaler)
{
    return scaler->provider.managed != NULL || scaler->provider.group->managed_termination_protection == MANAGED_TERMINATION_PROTECTION_ENABLED;
}

/* The ACTIVE provider of the pool that scales. */
static bool find_provider(struct op_ctx *ctx, const struct kept_pool *pool, struct kept_provider *provider)
{
    struct kept_provider *providers;
    size_t count = store_list_providers(ctx->txn, &providers, ctx->arena);
    for (size_t p = 0; p < count; p++) {
        const struct kept_provider *one = &providers[p];
        if (!provider_scales(one) || one->status != CAPACITY_PROVIDER_STATUS_ACTIVE || !str_eq(one->pool, pool->name)) { continue; }
        *provider = *one;
        return true;
    }
    return false;
}

/* ---- what waits ---- */

static uint32_t shape_of(struct scaler *scaler, const struct waiting *waiting, uint64_t *hashes, struct demand *shapes)
{
    size_t s = 0;
    while (s < scaler->demand.shape_count && hashes[s] != waiting->shape) { s++; }
    if (s < scaler->demand.shape_count || s == SHAPES_MOST) { return (uint32_t)s; }
    struct launch launch;
    struct err err = { 0 };
    const struct task *task = store_task(scaler->ctx->txn, waiting->tasks[0], scaler->ctx->arena);
    if (task == NULL || !waits_launch(scaler->ctx, task, &launch, &err)) { return SHAPES_MOST; }
    hashes[s] = waiting->shape;
    shapes[s] = launch.demand;
    scaler->demand.shape_count++;
    return (uint32_t)s;
}

/* The first tasks of the queue: the next look sees the next ones. */
static void read_waiting(struct scaler *scaler)
{
    struct op_ctx *ctx = scaler->ctx;
    struct queue *queue = sched_queue(ctx->world);
    uint64_t hashes[SHAPES_MOST], provider = provider_hash(scaler->provider.name);
    struct demand *shapes = ARENA_NEW(ctx->arena, struct demand, SHAPES_MOST);
    struct capacity_task *tasks = ARENA_NEW(ctx->arena, struct capacity_task, TASKS_MOST);
    const struct waiting **entries = (const struct waiting **)arena_alloc(ctx->arena, queue_count(queue) + 1, sizeof *entries);
    size_t count = queue_list(queue, 0, ctx->now_ms, entries, ctx->arena), kept = 0;
    uint32_t gangs = 0;
    for (size_t e = 0; e < count; e++) {
        const struct waiting *waiting = entries[e];
        if (waiting->provider != provider || kept + waiting->count > TASKS_MOST) { continue; }
        uint32_t shape = shape_of(scaler, waiting, hashes, shapes), gang = waiting->count > 1 ? ++gangs : 0;
        for (size_t t = 0; shape < SHAPES_MOST && t < waiting->count; t++) { tasks[kept++] = (struct capacity_task){ waiting->tasks[t], shape, gang }; }
    }
    scaler->demand.shapes = shapes;
    scaler->demand.tasks = tasks;
    scaler->demand.task_count = kept;
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
    if (scaler->provider.managed != NULL) {
        const struct instance_launch_template *template = scaler->provider.managed->instance_launch_template;
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
    struct type_list types = types_of(scaler, catalogue);
    struct capacity_type *list = ARENA_NEW(scaler->ctx->arena, struct capacity_type, types.count + 1);
    for (size_t t = 0; t < types.count; t++) {
        int64_t most = types.items[t]->max_count;
        list[t] = (struct capacity_type){ .type = types.items[t], .left = most > 0 ? most : CAPACITY_NEW_MAX };
    }
    scaler->demand.types = list;
    scaler->demand.type_count = types.count;
}

/* Since when it has been empty, as of the looks: one a minute. */
static void note_empty(struct op_ctx *ctx, struct kept_machine *machine, bool empty)
{
    if (empty == (machine->empty_since_ms != 0)) { return; }
    machine->empty_since_ms = empty ? ctx->now_ms : 0;
    store_put_machine(ctx->txn, machine);
}

static struct capacity_machine machine_facts(struct scaler *scaler, const struct catalogue *catalogue, struct kept_machine *machine, struct machine *room)
{
    struct op_ctx *ctx = scaler->ctx;
    bool registered = machine->state == MACHINE_ACTIVE;
    int64_t tasks = registered ? machine_task_count(ctx, machine) : 0;
    note_empty(ctx, machine, registered && tasks == 0);
    bool takes = registered && capacity_room(ctx->world, machine->instance, room);
    return (struct capacity_machine){
        .id = machine->id, .type = catalogue_find(catalogue, machine->type), .room = takes ? room : NULL,
        .on_order = !registered, .busy = tasks > 0, .kept = machine->protected == OPT_TRUE && !protects(scaler), .tasks = tasks,
        .since_ms = registered ? machine->empty_since_ms : machine->ordered_ms,
    };
}

/* Those that count as capacity. */
static void read_machines(struct scaler *scaler, const struct catalogue *catalogue)
{
    struct op_ctx *ctx = scaler->ctx;
    struct kept_machine *all;
    size_t count = store_list_machines(ctx->txn, scaler->pool->name, &all, ctx->arena), kept = 0;
    struct capacity_machine *facts = ARENA_NEW(ctx->arena, struct capacity_machine, count + 1);
    struct machine *rooms = ARENA_NEW(ctx->arena, struct machine, count + 1);
    for (size_t m = 0; m < count; m++) {
        if (!machine_counts(&all[m])) { continue; }
        facts[kept] = machine_facts(scaler, catalogue, &all[m], &rooms[kept]);
        all[kept] = all[m];
        kept++;
    }
    scaler->machines = all;
    scaler->demand.machines = facts;
    scaler->demand.machine_count = kept;
}

/* ---- the decision ---- */

/* scaleInAfter of a managed instances provider. */
static int64_t idle_ms(const struct scaler *scaler)
{
    const struct infrastructure_optimization *optimization = scaler->provider.managed->infrastructure_optimization;
    int64_t after_s = optimization != NULL && optimization->scale_in_after.set ? optimization->scale_in_after.value : MANAGED_IN_AFTER_S;
    return after_s < 0 ? CAPACITY_NEVER : after_s * 1000;
}

static int64_t value_or(struct opt_int given, int64_t usual) { return given.set ? given.value : usual; }

static struct capacity_settings settings_of(const struct scaler *scaler)
{
    const struct kept_pool *pool = scaler->pool;
    struct capacity_settings settings = {
        .target = 100, .step_min = 1, .step_max = 10000, .size_min = pool->min, .size_max = pool->max, .in_after_ms = CAPACITY_NEVER,
        .minute_ms = CAPACITY_MINUTE_MS, .protects = protects(scaler),
    };
    if (scaler->provider.managed != NULL) { return settings; }
    const struct managed_scaling *scaling = scaler->provider.group->managed_scaling;
    settings.target = value_or(scaling->target_capacity, settings.target);
    settings.step_min = value_or(scaling->minimum_scaling_step_size, settings.step_min);
    settings.step_max = value_or(scaling->maximum_scaling_step_size, settings.step_max);
    settings.warmup_ms = scaling->instance_warmup_period.value * 1000;
    settings.in_after_ms = CAPACITY_IN_AFTER_MS;
    return settings;
}

static void keep_memory(struct scaler *scaler, const struct capacity_memory *memory)
{
    struct kept_provider *provider = &scaler->provider;
    bool same = provider->below_since_ms == memory->below_since_ms && provider->last_out_ms == memory->last_out_ms && provider->out_ms == memory->out_ms
        && provider->out_added == memory->out_added && provider->last_in_ms == memory->last_in_ms && (provider->at_max == OPT_TRUE) == memory->at_max;
    if (same) { return; }
    provider->below_since_ms = memory->below_since_ms;
    provider->last_out_ms = memory->last_out_ms;
    provider->out_ms = memory->out_ms;
    provider->out_added = memory->out_added;
    provider->last_in_ms = memory->last_in_ms;
    provider->at_max = opt_bool_of(memory->at_max);
    store_put_provider(scaler->ctx->txn, provider);
}

/* The types of the machines that are added, in their order, and then the others. */
static struct str_list types_for(struct scaler *scaler, const struct capacity_plan *plan)
{
    const struct capacity_demand *demand = &scaler->demand;
    struct str_list types = { ARENA_NEW(scaler->ctx->arena, struct str, demand->type_count + 1), 0 };
    for (size_t n = 0; n < plan->new_count; n++) {
        struct str name = demand->types[plan->news[n].type].type->name;
        if (!str_list_has(&types, name)) { types.items[types.count++] = name; }
    }
    for (size_t t = 0; t < demand->type_count && plan->new_count == 0; t++) { types.items[types.count++] = demand->types[t].type->name; }
    return types;
}

static void more(struct scaler *scaler, struct kept_pool *pool, const struct capacity_decision *decision, const struct capacity_plan *plan)
{
    struct buf why = buf_in(scaler->ctx->arena);
    capacity_explain(decision, &scaler->demand, plan, &why);
    pool->desired += decision->step;
    pool->types = types_for(scaler, plan);
    pool_line(scaler->ctx, pool, "is to have %lld machines: " STR_FMT, (long long)pool->desired, STR_ARG(buf_str(&why)));
}

static void fewer(struct scaler *scaler, struct kept_pool *pool, const struct capacity_decision *decision, const struct capacity_plan *plan)
{
    struct op_ctx *ctx = scaler->ctx;
    const struct capacity_demand *demand = &scaler->demand;
    uint32_t *leave = ARENA_NEW(ctx->arena, uint32_t, demand->machine_count + 1);
    size_t wanted = decision->step < 0 ? (size_t)-decision->step : 0;
    size_t count = capacity_remove(demand->machines, plan->reserved, demand->machine_count, wanted, protects(scaler), leave, ctx->arena);
    if (count == 0 && scaler->provider.managed != NULL) {
        size_t most = (size_t)max_i64(pool->desired - pool->min, 0);
        count = capacity_idle(demand->machines, plan->reserved, demand->machine_count, ctx->now_ms, idle_ms(scaler), leave);
        count = count < most ? count : most;
    }
    if (count == 0) { return; }
    struct str why = STR("The capacity provider needs it no more.");
    for (size_t m = 0; m < count; m++) { machine_end(ctx, pool, &scaler->machines[leave[m]], why); }
    pool->desired -= (int64_t)count;
    pool_line(ctx, pool, "is to have %lld machines: %zu are not needed", (long long)pool->desired, count);
}

int64_t capacity_scale(struct op_ctx *ctx, struct kept_pool *pool)
{
    struct scaler scaler = { .ctx = ctx, .pool = pool };
    const struct catalogue *catalogue = catalogue_builtin();
    if (pool->removed == OPT_TRUE || !find_provider(ctx, pool, &scaler.provider)) { return 0; }
    int64_t again_ms = ctx->now_ms + CAPACITY_MINUTE_MS;
    read_machines(&scaler, catalogue);
    if ((int64_t)scaler.demand.machine_count != pool->desired) { return again_ms; }        /* the last decision is not carried out yet */
    read_types(&scaler, catalogue);
    read_waiting(&scaler);
    scaler.demand.size_max = pool->max;
    struct capacity_plan plan = capacity_plan(&scaler.demand, ctx->arena);
    const struct kept_provider *provider = &scaler.provider;
    const struct capacity_state state = {
        .now_ms = ctx->now_ms, .size = pool->desired, .used = plan.used, .news = (int64_t)plan.new_count, .settings = settings_of(&scaler),
        .memory = { provider->below_since_ms, provider->out_ms, provider->out_added, provider->last_out_ms, provider->last_in_ms,
                    provider->at_max == OPT_TRUE },
    };
    struct capacity_decision decision = capacity_decide(&state);
    if (decision.step > 0) { more(&scaler, pool, &decision, &plan); } else { fewer(&scaler, pool, &decision, &plan); }
    keep_memory(&scaler, &decision.memory);
    return decision.again_ms > ctx->now_ms ? min_i64(decision.again_ms, again_ms) : again_ms;
}
