/* machines_life.c: the life of one machine: its record, its container instance, and its end. */
#include "api/capacity/machines.h"

#include <stdarg.h>
#include <stdio.h>

#include "api/core/placement.h"
#include "api/machines/loss.h"
#include "api/tasks/waits.h"
#include "base/num.h"
#include "scheduler/reconcile/roster.h"

/* ---- when the step comes ---- */

static void due_by(struct op_ctx *ctx, int64_t due_ms)
{
    struct roster *roster = sched_roster(ctx->world);
    int64_t known_ms = roster_pools_due_ms(roster);
    if (due_ms != 0 && (known_ms == 0 || due_ms < known_ms)) { roster_pools_due(roster, due_ms); }
}

void pools_look(struct op_ctx *ctx) { due_by(ctx, ctx->now_ms); }

void machine_put(struct op_ctx *ctx, const struct kept_machine *machine)
{
    store_put_machine(ctx->txn, machine);
    due_by(ctx, machine->next_ms);
}

void pools_keep(struct op_ctx *ctx, const struct kept_pool *pool)
{
    store_put_pool(ctx->txn, pool);
    due_by(ctx, pool->due_ms);
}

void pools_put(struct op_ctx *ctx, const struct kept_pool *pool)
{
    struct kept_pool changed = *pool;
    changed.due_ms = ctx->now_ms;
    changed.refused = OPT_FALSE;
    pools_keep(ctx, &changed);
}

void pools_touch(struct op_ctx *ctx, struct str name)
{
    const struct kept_pool *found = store_pool(ctx->txn, name, ctx->arena);
    if (found == NULL || found->due_ms == ctx->now_ms) { return; }
    struct kept_pool pool = *found;
    pool.due_ms = ctx->now_ms;
    pools_keep(ctx, &pool);
}

void provider_touch(struct op_ctx *ctx, struct str name)
{
    const struct kept_provider *provider = store_provider(ctx->txn, name, ctx->arena);
    if (provider != NULL) { pools_touch(ctx, provider->pool); }
}

/* The one that is registered; NULL: there is none. */
static const struct instance *instance_of(struct op_ctx *ctx, const struct kept_machine *machine)
{
    const struct instance *instance = id_is_zero(machine->instance) ? NULL : store_instance(ctx->txn, machine->instance, ctx->arena);
    return instance != NULL && instance->status != INSTANCE_INACTIVE ? instance : NULL;
}

/* A group may have machines before its provider is made, as Terraform makes them: their instances become the provider's. */
static void take_instances(struct op_ctx *ctx, const struct cluster *cluster, const struct kept_provider *provider)
{
    struct kept_machine *machines;
    size_t count = store_list_machines(ctx->txn, provider->pool, &machines, ctx->arena);
    for (size_t m = 0; m < count; m++) {
        const struct instance *found = instance_of(ctx, &machines[m]);
        if (found == NULL || found->cluster_number != cluster->number || str_eq(found->capacity_provider, provider->name)) { continue; }
        struct instance instance = *found;
        instance.capacity_provider = provider->name;
        instance.version++;
        placement_put_instance(ctx, &instance);
    }
}

void providers_serve(struct op_ctx *ctx, const struct cluster *cluster, const struct str_list *names)
{
    for (size_t n = 0; n < names->count; n++) {
        const struct kept_provider *provider = store_provider(ctx->txn, names->items[n], ctx->arena);
        const struct kept_pool *found = provider == NULL || provider->group == NULL ? NULL : store_pool(ctx->txn, provider->pool, ctx->arena);
        if (found == NULL) { continue; }
        take_instances(ctx, cluster, provider);
        if (found->cluster == cluster->number) { continue; }
        struct kept_pool pool = *found;
        pool.cluster = cluster->number;
        pools_put(ctx, &pool);
    }
}

void pool_line(struct op_ctx *ctx, const struct kept_pool *pool, const char *format, ...)
{
    char text[1024];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    support_line(ctx, arena_printf(ctx->arena, "(pool " STR_FMT ") %s", STR_ARG(pool->name), text));
}

/* ---- names ---- */

struct str machine_id_text(struct id id, struct arena *arena)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    return arena_printf(arena, "m-%s", hex);
}

bool machine_id_read(struct str text, struct id *id)
{
    return text.len == MACHINE_ID_LEN && str_starts_with(text, STR("m-")) && id_parse(str_slice(text, 2, text.len), id);
}

/* Where the id of the machine with this handle is kept: agents that do not know the id say the handle. */
static struct str handle_name(struct op_ctx *ctx, struct str handle) { return arena_printf(ctx->arena, "machine-handle/" STR_FMT, STR_ARG(handle)); }

void machine_take_handle(struct op_ctx *ctx, struct kept_machine *machine, struct str handle)
{
    char hex[ID_HEX_LEN + 1];
    if (!str_is_set(handle) || handle.len == 0 || handle.len > MACHINE_TEXT_MAX || str_eq(handle, machine->reference)) { return; }
    if (str_is_set(machine->reference)) { store_put_meta(ctx->txn, handle_name(ctx, machine->reference), (struct str){ NULL, 0 }); }
    machine->reference = handle;
    id_hex(machine->id, hex);
    store_put_meta(ctx->txn, handle_name(ctx, handle), (struct str){ hex, ID_HEX_LEN });
}

/* NULL: the instance says no machine that is known. */
const struct kept_machine *machine_said(struct op_ctx *ctx, const struct instance *instance)
{
    bool said;
    struct id id;
    struct str value = instance_attribute(instance, STR(MACHINE_ID_ATTRIBUTE), &said);
    if (!said || value.len == 0) { return NULL; }
    bool known = machine_id_read(value, &id) || id_parse(store_meta(ctx->txn, handle_name(ctx, value), ctx->arena), &id);
    return known ? store_machine(ctx->txn, id, ctx->arena) : NULL;
}

const struct kept_machine *machine_of(struct op_ctx *ctx, const struct instance *instance)
{
    const struct kept_machine *machine = machine_said(ctx, instance);
    return machine != NULL && id_eq(machine->instance, instance->id) ? machine : NULL;
}

int64_t machines_counted(const struct kept_machine *machines, size_t count)
{
    int64_t counted = 0;
    for (size_t m = 0; m < count; m++) { counted += machine_counts(&machines[m]); }
    return counted;
}

/* ---- its instance ---- */

void machine_drain(struct op_ctx *ctx, const struct instance *found, struct str reason)
{
    if (found->status != INSTANCE_ACTIVE) { return; }
    struct instance instance = *found;
    instance_become(&instance, INSTANCE_DRAINING, ctx->now_ms);
    instance.status_reason = reason;
    instance.version++;
    placement_put_instance(ctx, &instance);
}

int64_t machine_task_count(struct op_ctx *ctx, const struct kept_machine *machine)
{
    struct id *tasks;
    const struct roster *roster = sched_roster(ctx->world);
    size_t found = id_is_zero(machine->instance) ? 0 : store_tasks_on_instance(ctx->txn, machine->instance, &tasks, ctx->arena);
    int64_t count = 0;
    for (size_t t = 0; t < found; t++) {
        const struct roster_task *task = roster_task(roster, tasks[t]);
        count += task == NULL || !roster_is_daemon(roster, task->service);
    }
    return count;
}

/* A machine of this type has come. */
static void unblock(struct op_ctx *ctx, const struct kept_pool *found, struct str type)
{
    struct kept_pool pool = *found;
    size_t kept = 0;
    pool.blocks.items = arena_copy(ctx->arena, found->blocks.items, found->blocks.count * sizeof *found->blocks.items);
    for (size_t b = 0; b < found->blocks.count; b++) {
        if (!str_eq(pool.blocks.items[b].type, type)) { pool.blocks.items[kept++] = pool.blocks.items[b]; }
    }
    pool.blocks.count = kept;
    pool.failure = (struct str){ NULL, 0 };
    if (kept < found->blocks.count || str_is_set(found->failure)) { pools_keep(ctx, &pool); }
}

bool machine_proves(struct op_ctx *ctx, const struct instance *instance, struct err *err)
{
    bool said;
    const struct kept_machine *machine = machine_said(ctx, instance);
    struct str token = instance_attribute(instance, STR(MACHINE_TOKEN_ATTRIBUTE), &said);
    if (machine == NULL || id_eq(machine->instance, instance->id)) { return true; }
    struct str name = machine_id_text(machine->id, ctx->arena);
    bool is_adopted = !str_is_set(machine->token) && id_is_zero(machine->instance);          /* its token was in a store that is lost */
    if (said && token.len > 0 && !is_adopted) {
        return (str_is_set(machine->token) && str_eq(machine->token, token))
            || err_set(err, ERR_CLIENT, "The attribute " MACHINE_TOKEN_ATTRIBUTE " is not the token of " STR_FMT ", or was used already.", STR_ARG(name));
    }
    const struct kept_pool *found = store_pool(ctx->txn, machine->pool, ctx->arena);
    return found == NULL || !rules_of(pool_provider(ctx, found)).proves
        || err_set(err, ERR_CLIENT, STR_FMT " registers with the token of its order only: the attribute " MACHINE_TOKEN_ATTRIBUTE ".", STR_ARG(name));
}

/* It says an id of Berth's form that no machine has: a store that was lost may have had it. The provisioners of pools that adopt are asked soon. */
static void ask_for(struct op_ctx *ctx, const struct instance *instance)
{
    bool said;
    struct id id;
    struct kept_pool *pools;
    int64_t soon_ms = ctx->now_ms + MACHINES_LIST_NEWS_MS;
    struct str value = instance_attribute(instance, STR(MACHINE_ID_ATTRIBUTE), &said);
    if (!said || !machine_id_read(value, &id)) { return; }
    size_t count = store_list_pools(ctx->txn, &pools, ctx->arena);
    for (size_t p = 0; p < count; p++) {
        struct kept_pool pool = pools[p];
        if (pool.cluster != instance->cluster_number || pool.list_ms <= soon_ms || !rules_of(pool_provider(ctx, &pool)).adopts) { continue; }
        pool.list_ms = soon_ms;
        pool.due_ms = pool.due_ms == 0 ? soon_ms : min_i64(pool.due_ms, soon_ms);
        pools_keep(ctx, &pool);
    }
}

/* A second agent with the same id gets no tasks while the first one is connected. An agent that has lost its folder comes as a new instance. */
void machine_registered(struct op_ctx *ctx, const struct instance *instance)
{
    const struct kept_machine *found = machine_said(ctx, instance);
    if (found == NULL) {
        ask_for(ctx, instance);
        return;
    }
    const struct instance *former = instance_of(ctx, found);
    bool is_other = former != NULL && !id_eq(former->id, instance->id);
    if (is_other && former->agent_connected == OPT_TRUE) {
        machine_drain(ctx, instance, STR("Another container instance has registered with the same machine id"));
        return;
    }
    struct kept_machine machine = *found;
    machine.instance = instance->id;
    machine.token = (struct str){ NULL, 0 };
    machine.cluster = instance->cluster_number;
    machine.missed = 0;
    if (machine.state < MACHINE_ACTIVE) {
        const struct kept_pool *pool = store_pool(ctx->txn, machine.pool, ctx->arena);
        machine_move(&machine, MACHINE_ACTIVE, STR("its agent has registered"), ctx->now_ms);
        machine.protected = opt_bool_of(pool != NULL && pool->protects_new == OPT_TRUE);
        machine.next_ms = 0;
        if (pool != NULL) { unblock(ctx, pool, machine.type); }
    } else if (machine.state > MACHINE_ACTIVE) {
        machine_drain(ctx, instance, STR("The machine is to leave its pool"));
    }
    placement_keep_ordered(ctx->world, ctx->txn, &machine, ctx->now_ms, ctx->arena);
    machine_put(ctx, &machine);
}

/* The provisioner ends it, and the pool orders another one. */
void machine_left(struct op_ctx *ctx, const struct instance *instance)
{
    const struct kept_machine *found = machine_of(ctx, instance);
    if (found == NULL || found->state == MACHINE_STOPPING) { return; }
    struct kept_machine machine = *found;
    machine_move(&machine, MACHINE_STOPPING, STR("its container instance was deregistered"), ctx->now_ms);
    machine.next_ms = 0;
    machine_put(ctx, &machine);
    pools_touch(ctx, machine.pool);
}

/* In memory, the world says whether the instance takes tasks: only then the store is asked. */
void machine_task_ended(struct op_ctx *ctx, struct id instance)
{
    bool takes = false;
    if (!sched_takes_tasks(ctx->world, instance, &takes) || takes) { return; }
    const struct instance *found = store_instance(ctx->txn, instance, ctx->arena);
    const struct kept_machine *known = found == NULL ? NULL : machine_of(ctx, found);
    if (known == NULL || known->state != MACHINE_LEAVING) { return; }
    struct kept_machine machine = *known;
    machine.next_ms = ctx->now_ms;
    machine_put(ctx, &machine);
}

/* ---- its end ---- */

void machine_part(struct op_ctx *ctx, struct kept_machine *machine, struct str reason, int64_t by_ms)
{
    const struct instance *instance = instance_of(ctx, machine);
    struct str replaced = machine_replaced_because(ctx, machine);
    ASSERT(machine_stays(machine));
    if (instance != NULL) { machine_drain(ctx, instance, str_is_set(replaced) ? replaced : STR("The machine is to leave its pool")); }
    bool drains = instance != NULL && by_ms > ctx->now_ms && machine_task_count(ctx, machine) > 0;
    machine_move(machine, drains ? MACHINE_LEAVING : MACHINE_STOPPING, reason, ctx->now_ms);
    machine->drain_by_ms = by_ms;
    machine->next_ms = drains ? by_ms : 0;
    machine_put(ctx, machine);
}

void machine_end(struct op_ctx *ctx, const struct kept_pool *pool, const struct kept_machine *found, struct str reason)
{
    struct kept_machine machine = *found;
    machine_part(ctx, &machine, reason, ctx->now_ms + pool->drain_s * 1000);
}

void machine_replace(struct op_ctx *ctx, struct id id, struct str reason)
{
    const struct instance *instance = store_instance(ctx->txn, id, ctx->arena);
    if (instance == NULL || instance->status != INSTANCE_ACTIVE) { return; }
    const struct kept_machine *machine = machine_of(ctx, instance);
    machine_drain(ctx, instance, reason);
    if (machine == NULL || !machine_stays(machine)) { return; }
    struct kept_machine leaving = *machine;
    machine_part(ctx, &leaving, reason, ctx->now_ms + (int64_t)MACHINE_DRAIN_S * 1000);
    pools_touch(ctx, machine->pool);
}

void machine_gone(struct op_ctx *ctx, const struct kept_machine *machine, struct str reason)
{
    static const struct stop_cause gone = { TASK_STOP_CODE_INFRASTRUCTUREHEALTH, STR_INIT("The machine of the task has gone") };
    const struct instance *instance = instance_of(ctx, machine);
    if (str_is_set(machine->reference)) { store_put_meta(ctx->txn, handle_name(ctx, machine->reference), (struct str){ NULL, 0 }); }
    store_drop_machine(ctx->txn, machine->id);
    if (instance != NULL) { (void)loss_deregister(ctx, instance, &gone, reason); }
}

/* ---- failures ---- */

/* Blocks that ended an hour ago are forgotten. `type`: as the provisioner says, which need not be one of the pool's. */
static void block_type(struct op_ctx *ctx, struct kept_pool *pool, struct str type)
{
    enum { FORGOTTEN_MS = 3600 * 1000 };
    struct pool_block *blocks = ARENA_NEW(ctx->arena, struct pool_block, pool->blocks.count + 1), *block = NULL;
    size_t count = 0;
    if (pool->types.count == 0) { type = STR(""); }
    for (size_t b = 0; b < pool->blocks.count; b++) {
        if (pool->blocks.items[b].until_ms < ctx->now_ms - FORGOTTEN_MS) { continue; }
        blocks[count] = pool->blocks.items[b];
        if (str_eq(blocks[count].type, type)) { block = &blocks[count]; }
        count++;
    }
    if (block == NULL) {
        block = &blocks[count++];
        *block = (struct pool_block){ .type = type };
    }
    if (block->until_ms <= ctx->now_ms) { block->times++; }          /* several machines of one answer fail once */
    block->until_ms = ctx->now_ms + pool_backoff_ms(POOL_FAILURE_CAPACITY, block->times, ctx->rng);
    pool->blocks = (struct pool_block_list){ blocks, count };
}

/* Services say so when their tasks wait for it. */
static void tell_services(struct op_ctx *ctx, const struct kept_pool *pool)
{
    struct kept_provider *providers;
    size_t count = store_list_providers(ctx->txn, &providers, ctx->arena);
    for (size_t p = 0; p < count; p++) {
        if (str_eq(providers[p].pool, pool->name)) { waits_touch_services(ctx, providers[p].name); }
    }
}

void pool_fail(struct op_ctx *ctx, struct kept_pool *pool, enum pool_failure failure, struct str type, struct str why)
{
    pool->failure = str_shorten(why, MACHINE_TEXT_MAX);
    pool->failed_ms = ctx->now_ms;
    if (failure == POOL_FAILURE_CAPACITY) {
        block_type(ctx, pool, type);
    } else if (failure == POOL_FAILURE_CONFIG) {
        pool->refused = OPT_TRUE;
    } else {
        if (pool->blocked_until_ms <= ctx->now_ms) { pool->failures++; }
        pool->blocked_until_ms = ctx->now_ms + pool_backoff_ms(failure, pool->failures, ctx->rng);
        tell_services(ctx, pool);
    }
}
