/* machines_keep.c: the step: machines whose time has come, and pools that have too few or too many. A look at a pool reads its machines once, and again
 * after each part of it that has changed them. */
#include "api/capacity/machines.h"
#include "api/capacity/providers.h"
#include "api/capacity/scale.h"

#include "api/core/placement.h"
#include "base/num.h"
#include "scheduler/reconcile/roster.h"

enum { MACHINES_PER_STEP = 100, POOLS_PER_STEP = 10, NAMED_AGAIN_MS = 10 * 1000, TASKS_END_MS = 150 * 1000 };
static const size_t SCRATCH_MAX = (size_t)256 << 20;

/* ---- machines whose time has come ---- */

/* Returns how many were not asked before. Their stop may take as long as the stop timeout of their containers. */
static size_t stop_tasks(struct op_ctx *ctx, const struct kept_machine *machine)
{
    static const struct stop_cause drained = { TASK_STOP_CODE_UNSET, STR_INIT("Task stopped during instance draining") };
    struct id *tasks;
    size_t count = store_tasks_on_instance(ctx->txn, machine->instance, &tasks, ctx->arena), asked = 0;
    for (size_t t = 0; t < count; t++) {
        const struct task *task = store_task(ctx->txn, tasks[t], ctx->arena);
        if (task == NULL || !task_is_live(task)) { continue; }
        asked += task->desired_status != TASK_STOPPED;
        (void)placement_order_stop(ctx, task, drained);
    }
    return asked;
}

static void look_at_leaving(struct op_ctx *ctx, struct kept_machine *machine)
{
    bool empty = machine_task_count(ctx, machine) == 0, late = ctx->now_ms >= machine->drain_by_ms;
    if (!empty && late && stop_tasks(ctx, machine) > 0) { machine->drain_by_ms = ctx->now_ms; }          /* also when the server was away at that time */
    if (empty || ctx->now_ms >= machine->drain_by_ms + TASKS_END_MS) {
        machine_move(machine, MACHINE_STOPPING, machine->reason, ctx->now_ms);
        machine->next_ms = 0;
        return;
    }
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

/* The tasks of the next machine of this type in the plan; where the plan has another type, of the next one. */
static struct id_list next_tasks(struct new_machines *orders, struct str type)
{
    size_t next = 0;
    while (next < orders->count && !str_eq(orders->items[next].type, type)) { next++; }
    if (next == orders->count) { next = 0; }
    if (orders->count == 0) { return (struct id_list){ NULL, 0 }; }
    struct id_list tasks = orders->items[next].tasks;
    for (orders->count--; next < orders->count; next++) { orders->items[next] = orders->items[next + 1]; }
    return tasks;
}

/* 122 random bits. */
static struct str token_new(struct op_ctx *ctx)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id_random(ctx->rng), hex);
    return arena_str(ctx->arena, str_from(hex));
}

static void order_one(struct pool_look *look, struct str type)
{
    struct op_ctx *ctx = look->ctx;
    const struct kept_pool *pool = look->pool;
    machine_put(ctx, &(struct kept_machine){
        .id = id_new(ctx->ids, ctx->now_ms), .pool = pool->name, .type = type, .state = MACHINE_ORDERED, .since_ms = ctx->now_ms, .ordered_ms = ctx->now_ms,
        .cluster = pool->cluster, .token = token_new(ctx), .zone = pool->zones.count > 0 ? pool->zones.items[0] : (struct str){ NULL, 0 },
        .reason = arena_printf(ctx->arena, "the pool is to have %lld machines", (long long)pool->desired), .for_tasks = next_tasks(&look->orders, type),
    });
}

/* The type that the decision wants, unless an order of it has just failed; else the one that is next for the pool. */
static struct str type_of_order(const struct pool_look *look, size_t number, struct str next)
{
    struct kept_pool one = *look->pool;
    struct str type;
    int64_t until_ms;
    if (number >= look->wanted.count) { return next; }
    one.types = (struct str_list){ &look->wanted.items[number], 1 };
    return pool_next_type(&one, look->ctx->now_ms, &type, &until_ms) ? look->wanted.items[number] : next;
}

/* Returns how many the price cap has allowed. */
static int64_t order(struct pool_look *look, int64_t count, struct str next)
{
    int64_t ordered = 0;
    bool same = true;
    struct str first = next;
    for (; ordered < count; ordered++) {
        struct str type = type_of_order(look, (size_t)ordered, next);
        if (!look_spend(look, type)) { break; }
        if (ordered == 0) { first = type; }
        same = same && str_eq(type, first);
        order_one(look, type);
    }
    if (ordered == 0) { return 0; }
    pool_line(look->ctx, look->pool, "orders %lld machines%s" STR_FMT, (long long)ordered, !same ? " of several types" : first.len > 0 ? " of type " : "",
              STR_ARG(same ? first : STR("")));
    return ordered;
}

/* One that is replaced is no part of the pool any more. */
static struct pool_plan plan_for(const struct pool_look *look, bool blocked)
{
    struct op_ctx *ctx = look->ctx;
    struct pool_machine *facts = ARENA_NEW(ctx->arena, struct pool_machine, look->count);
    int64_t have = machines_counted(look->machines, look->count);
    bool too_many = have > look->pool->desired;                  /* only then their tasks matter */
    for (size_t m = 0; m < look->count; m++) {
        const struct kept_machine *machine = &look->machines[m];
        bool is_replaced = machine->replace != MACHINE_REPLACE_UNSET && machine->state == MACHINE_ACTIVE;
        facts[m] = (struct pool_machine){ is_replaced ? MACHINE_LEAVING : machine->state, machine->protected == OPT_TRUE,
                                          too_many ? machine_task_count(ctx, machine) : 0, machine->ordered_ms };
    }
    const struct pool_state state = { look->pool->removed == OPT_TRUE ? 0 : look->pool->desired, blocked, facts, look->count };
    return pool_plan(&state, ctx->arena);
}

/* The next type to order, among those that the price cap allows. */
static bool next_type(const struct pool_look *look, struct str *type, int64_t *until_ms)
{
    struct kept_pool affordable = *look->pool;
    struct str *types = ARENA_NEW(look->ctx->arena, struct str, look->pool->types.count + 1);
    affordable.types = (struct str_list){ types, 0 };
    for (size_t t = 0; t < look->pool->types.count; t++) {
        if (look_affords(look, look->pool->types.items[t], 1) == 1) { types[affordable.types.count++] = look->pool->types.items[t]; }
    }
    *until_ms = 0;
    bool too_dear = affordable.types.count == 0 && (look->pool->types.count > 0 || look->rules.price_max != 0);
    return !too_dear && pool_next_type(&affordable, look->ctx->now_ms, type, until_ms);
}

/* How many of them a person has allowed. */
static int64_t allowed(const struct pool_look *look, int64_t count)
{
    int64_t have = machines_counted(look->machines, look->count);
    return look->rules.asks ? max_i64(min_i64(count, look->pool->approved - have), 0) : count;
}

/* Machines that are wanted and can't be ordered now are noted, and said once. */
static void note_held(struct pool_look *look, int64_t missing)
{
    struct kept_pool *pool = look->pool;
    bool was = pool->held == OPT_TRUE, asks = look->rules.asks && pool->approved < pool->desired;
    pool->held = opt_bool_of(missing > 0);
    if (missing > 0) { offers_renew(look); }
    if (missing <= 0 || was || pool->suspended == OPT_TRUE || !asks) { return; }
    pool_line(look->ctx, pool, "asks whether it may have %lld machines: `berth capacity approve " STR_FMT "`", (long long)pool->desired,
              STR_ARG(look->provider->name));
}

static void keep_count(struct pool_look *look)
{
    struct op_ctx *ctx = look->ctx;
    struct kept_pool *pool = look->pool;
    struct str type;
    int64_t until_ms = 0;
    bool has_type = next_type(look, &type, &until_ms), blocked = pool->refused == OPT_TRUE || pool->suspended == OPT_TRUE || !has_type;
    if (pool->blocked_until_ms > ctx->now_ms) {
        until_ms = max_i64(until_ms, pool->blocked_until_ms);
        blocked = true;
    }
    struct pool_plan plan = plan_for(look, false);
    int64_t orders = blocked ? 0 : allowed(look, min_i64(plan.order, MACHINES_OF_POOL_MAX - (int64_t)look->count));
    orders = orders > 0 ? order(look, orders, type) : 0;
    if (pool->approved > pool->desired) { pool->approved = pool->desired; }
    note_held(look, plan.order - orders);
    for (size_t e = 0; e < plan.end_count; e++) {
        machine_end(ctx, pool, &look->machines[plan.end[e]], arena_printf(ctx->arena, "the pool is to have %lld machines", (long long)pool->desired));
    }
    if (plan.end_count > 0) { pool_line(ctx, pool, "ends %zu machines, to have %lld", plan.end_count, (long long)pool->desired); }
    look_again(look, orders == POOL_ORDERS_MAX || plan.end_count == POOL_ORDERS_MAX ? ctx->now_ms : until_ms);
    look->changed = look->changed || orders > 0 || plan.end_count > 0;
}

/* The records of its machines, read again if a part of the look has changed them. */
static void read_machines(struct pool_look *look)
{
    if (look->changed) { look->count = store_list_machines(look->ctx->txn, look->pool->name, &look->machines, look->ctx->arena); }
    look->changed = false;
}

static void keep_pool(struct op_ctx *ctx, const struct kept_pool *found)
{
    struct kept_pool pool = *found;
    struct pool_look look;
    look_open(&look, ctx, &pool);
    replace_look(&look);
    read_machines(&look);
    bool scales = capacity_scale(&look);
    if (pool.kind == POOL_GROUP && str_is_set(pool.template) && (!scales || pool.types.count == 0)) { capacity_types(ctx, &pool); }
    read_machines(&look);
    keep_count(&look);
    read_machines(&look);
    if (pool.removed == OPT_TRUE && look.count == 0 && pool.strays.count == 0) {
        store_drop_pool(ctx->txn, pool.name);
        return;
    }
    look_again(&look, machines_call(&look) ? ctx->now_ms + NAMED_AGAIN_MS : pool.list_ms);
    pool.due_ms = look.again_ms;
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
    providers_settle(ctx);
    roster_pools_due(roster, next_due_ms(ctx));
}
