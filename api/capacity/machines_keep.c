/* machines_keep.c: the step: machines whose time has come, and pools that have too few or too many. */
#include "api/capacity/machines.h"
#include "api/capacity/scale.h"

#include "api/core/placement.h"
#include "base/num.h"
#include "scheduler/reconcile/roster.h"

enum { MACHINES_PER_STEP = 100, POOLS_PER_STEP = 10, NAMED_AGAIN_MS = 10 * 1000, TASKS_END_MS = 150 * 1000 };
static const size_t SCRATCH_MAX = (size_t)256 << 20;

/* ---- machines whose time has come ---- */

/* Its stop may take as long as the stop timeout of its containers. */
static void stop_tasks(struct op_ctx *ctx, const struct kept_machine *machine)
{
    static const struct stop_cause drained = { TASK_STOP_CODE_UNSET, STR_INIT("Task stopped during instance draining") };
    struct id *tasks;
    size_t count = store_tasks_on_instance(ctx->txn, machine->instance, &tasks, ctx->arena);
    for (size_t t = 0; t < count; t++) {
        const struct task *task = store_task(ctx->txn, tasks[t], ctx->arena);
        if (task != NULL && task_is_live(task)) { (void)placement_order_stop(ctx, task, drained); }
    }
}

static void look_at_leaving(struct op_ctx *ctx, struct kept_machine *machine)
{
    bool empty = machine_task_count(ctx, machine) == 0, late = ctx->now_ms >= machine->drain_by_ms;
    if (empty || ctx->now_ms >= machine->drain_by_ms + TASKS_END_MS) {
        machine_move(machine, MACHINE_STOPPING, machine->reason, ctx->now_ms);
        machine->next_ms = 0;
        return;
    }
    if (late) { stop_tasks(ctx, machine); }
    machine->next_ms = machine->drain_by_ms + (late ? TASKS_END_MS : 0);
}

/* The pool tries another type first. */
static void look_at_booting(struct op_ctx *ctx, struct kept_machine *machine)
{
    int64_t waited_s = (ctx->now_ms - machine->since_ms) / 1000;
    const struct kept_pool *found = store_pool(ctx->txn, machine->pool, ctx->arena);
    struct str why = arena_printf(ctx->arena, "a machine has not registered in %lld s", (long long)waited_s);
    machine_move(machine, MACHINE_STOPPING, why, ctx->now_ms);
    machine->next_ms = 0;
    if (found == NULL) { return; }
    struct kept_pool pool = *found;
    pool_fail(ctx, &pool, POOL_FAILURE_CAPACITY, machine->type, why);
    pool_line(ctx, &pool, STR_FMT " is ended: it has not registered in %lld s", STR_ARG(machine_id_text(machine->id, ctx->arena)), (long long)waited_s);
    pools_keep(ctx, &pool);
}

/* Then its pool is looked at, which names its calls. */
static void look_at_machine(struct op_ctx *ctx, struct id id)
{
    const struct kept_machine *found = store_machine(ctx->txn, id, ctx->arena);
    if (found == NULL) { return; }
    struct kept_machine machine = *found;
    if (machine.state == MACHINE_LEAVING) {
        look_at_leaving(ctx, &machine);
    } else if (machine.state == MACHINE_BOOTING) {
        look_at_booting(ctx, &machine);
    } else {
        machine.next_ms = 0;
    }
    machine_put(ctx, &machine);
    pools_touch(ctx, machine.pool);
}

/* ---- one pool ---- */

static void order(struct op_ctx *ctx, struct kept_pool *pool, int64_t count, struct str type)
{
    for (int64_t n = 0; n < count; n++) {
        machine_put(ctx, &(struct kept_machine){
            .id = id_new(ctx->ids, ctx->now_ms), .pool = pool->name, .type = type, .state = MACHINE_ORDERED, .since_ms = ctx->now_ms,
            .ordered_ms = ctx->now_ms, .cluster = pool->cluster, .zone = pool->zones.count > 0 ? pool->zones.items[0] : (struct str){ NULL, 0 },
            .reason = arena_printf(ctx->arena, "the pool is to have %lld machines", (long long)pool->desired),
        });
    }
    if (count > 0) { pool_line(ctx, pool, "orders %lld machines%s" STR_FMT, (long long)count, type.len > 0 ? " of type " : "", STR_ARG(type)); }
}

static struct pool_plan plan_for(struct op_ctx *ctx, const struct kept_pool *pool, const struct kept_machine *machines, size_t count, bool blocked)
{
    struct pool_machine *facts = ARENA_NEW(ctx->arena, struct pool_machine, count);
    int64_t have = 0;
    for (size_t m = 0; m < count; m++) { have += machine_counts(&machines[m]); }
    bool too_many = have > pool->desired;                        /* only then their tasks matter */
    for (size_t m = 0; m < count; m++) {
        facts[m] = (struct pool_machine){ machines[m].state, machines[m].protected == OPT_TRUE, too_many ? machine_task_count(ctx, &machines[m]) : 0,
                                          machines[m].ordered_ms };
    }
    const struct pool_state state = { pool->removed == OPT_TRUE ? 0 : pool->desired, blocked, facts, count };
    return pool_plan(&state, ctx->arena);
}

/* True: machines have changed. */
static bool keep_count(struct op_ctx *ctx, struct kept_pool *pool, const struct kept_machine *machines, size_t count)
{
    struct str type;
    int64_t until_ms = 0;
    bool has_type = pool_next_type(pool, ctx->now_ms, &type, &until_ms), blocked = pool->refused == OPT_TRUE || !has_type;
    if (pool->blocked_until_ms > ctx->now_ms) {
        until_ms = max_i64(until_ms, pool->blocked_until_ms);
        blocked = true;
    }
    struct pool_plan plan = plan_for(ctx, pool, machines, count, blocked);
    order(ctx, pool, min_i64(plan.order, MACHINES_OF_POOL_MAX - (int64_t)count), type);
    for (size_t e = 0; e < plan.end_count; e++) {
        machine_end(ctx, pool, &machines[plan.end[e]], arena_printf(ctx->arena, "the pool is to have %lld machines", (long long)pool->desired));
    }
    if (plan.end_count > 0) { pool_line(ctx, pool, "ends %zu machines, to have %lld", plan.end_count, (long long)pool->desired); }
    pool->due_ms = plan.order == POOL_ORDERS_MAX || plan.end_count == POOL_ORDERS_MAX ? ctx->now_ms : until_ms;
    return plan.order > 0 || plan.end_count > 0;
}

static void keep_pool(struct op_ctx *ctx, const struct kept_pool *found)
{
    struct kept_machine *machines;
    struct kept_pool pool = *found;
    int64_t scale_ms = capacity_scale(ctx, &pool);
    size_t count = store_list_machines(ctx->txn, pool.name, &machines, ctx->arena);
    if (keep_count(ctx, &pool, machines, count)) { count = store_list_machines(ctx->txn, pool.name, &machines, ctx->arena); }
    if (pool.removed == OPT_TRUE && count == 0 && pool.strays.count == 0) {
        store_drop_pool(ctx->txn, pool.name);
        return;
    }
    int64_t again_ms = machines_call(ctx, &pool, machines, count) ? ctx->now_ms + NAMED_AGAIN_MS : pool.list_ms;
    if (pool.due_ms == 0 || again_ms < pool.due_ms) { pool.due_ms = again_ms; }
    if (scale_ms != 0 && scale_ms < pool.due_ms) { pool.due_ms = scale_ms; }
    pools_keep(ctx, &pool);
}

/* ---- all that are due ---- */

/* Each has a separate arena, as a pool may have many machines. */
static void in_scratch(struct op_ctx *ctx, struct arena *scratch, const struct kept_pool *pool, struct id machine)
{
    struct op_ctx one = *ctx;
    one.arena = scratch;
    one.effects = (struct effect_list){ 0 };
    one.kept_cluster = NULL;
    one.kept_taskdef = NULL;
    one.kept_instance = NULL;
    if (pool != NULL) { keep_pool(&one, pool); } else { look_at_machine(&one, machine); }
    support_hand_on(ctx, &one.effects);
    arena_reset(scratch);
}

/* The server has started: what provisioners did meanwhile is not known, and their settings may be others. */
static void look_at_all(struct op_ctx *ctx)
{
    struct kept_pool *pools;
    size_t count = store_list_pools(ctx->txn, &pools, ctx->arena);
    for (size_t p = 0; p < count; p++) {
        struct kept_pool pool = pools[p];
        pool.list_ms = pool.due_ms = ctx->now_ms;
        pool.refused = OPT_FALSE;
        store_put_pool(ctx->txn, &pool);
    }
}

/* When the next one is due, for the roster; `now_ms` when some are left. */
static int64_t next_due_ms(struct op_ctx *ctx)
{
    struct kept_pool *pools;
    size_t count = store_list_pools(ctx->txn, &pools, ctx->arena);
    int64_t next_ms = store_next_machine_ms(ctx->txn);
    for (size_t p = 0; p < count; p++) {
        bool earlier = pools[p].due_ms != 0 && (next_ms == 0 || pools[p].due_ms < next_ms);
        if (earlier) { next_ms = pools[p].due_ms; }
    }
    return next_ms;
}

void machines_keep_due(struct op_ctx *ctx)
{
    struct roster *roster = sched_roster(ctx->world);
    int64_t due_ms = roster_pools_due_ms(roster);
    if (due_ms == 0 || due_ms > ctx->now_ms) { return; }
    if (due_ms == POOLS_FIRST_LOOK_MS) { look_at_all(ctx); }

    struct arena scratch;
    struct id ids[MACHINES_PER_STEP];
    struct kept_pool *pools;
    arena_init(&scratch, SCRATCH_MAX);
    size_t machines = store_list_due_machines(ctx->txn, ctx->now_ms, ids, MACHINES_PER_STEP), kept = 0;
    for (size_t m = 0; m < machines; m++) { in_scratch(ctx, &scratch, NULL, ids[m]); }
    size_t count = store_list_pools(ctx->txn, &pools, ctx->arena);
    for (size_t p = 0; p < count && kept < POOLS_PER_STEP; p++) {
        if (pools[p].due_ms == 0 || pools[p].due_ms > ctx->now_ms) { continue; }
        in_scratch(ctx, &scratch, &pools[p], (struct id){ { 0 } });
        kept++;
    }
    arena_finish(&scratch);
    roster_pools_due(roster, next_due_ms(ctx));
}
