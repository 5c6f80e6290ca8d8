/* replace.c: machines of a pool that are replaced: those that are old, whose health is impaired, or that will be taken away. scheduler/scaling/replace.h
 * decides which and when. A machine that is marked is no part of its pool's size any more, so the pool orders another one for it. */
#include "api/capacity/machines.h"

#include "base/num.h"
#include "base/text/duration.h"

enum { NOTICE_MS = 120 * 1000 };

/* ---- health ---- */

/* Faults that its agent has found. A GPU that a person has taken out of the pool is that person's work. */
static bool is_impaired(const struct instance *instance)
{
    const struct machine_health *health = instance->health;
    bool impaired = health != NULL && health->state == INSTANCE_HEALTH_CHECK_STATE_IMPAIRED;
    impaired = impaired || (instance->runtime != NULL && instance->runtime->state == INSTANCE_HEALTH_CHECK_STATE_IMPAIRED);
    for (size_t f = 0; f < instance->gpu_faults.count; f++) {
        const struct gpu_fault *fault = &instance->gpu_faults.items[f];
        impaired = impaired || (!str_is_set(fault->by) && !str_is_set(fault->restored_by) && id_is_zero(fault->holder));
    }
    return impaired;
}

void machine_health_told(struct op_ctx *ctx, const struct instance *instance)
{
    const struct kept_machine *found = id_is_zero(instance->machine) ? NULL : machine_of(ctx, instance);
    if (found == NULL || is_impaired(instance) == (found->impaired_ms != 0)) { return; }
    struct kept_machine machine = *found;
    machine.impaired_ms = found->impaired_ms == 0 ? ctx->now_ms : 0;
    machine_put(ctx, &machine);
    pools_touch(ctx, machine.pool);
}

/* ---- in words ---- */

struct str machine_replaced_because(struct op_ctx *ctx, const struct kept_machine *machine)
{
    char age[DURATION_TEXT_SIZE];
    duration_print(ctx->now_ms - machine->ordered_ms, age);
    switch (machine->replace) {
    case MACHINE_REPLACE_PATCH:    return arena_printf(ctx->arena, "The machine is replaced: it is %s old", age);
    case MACHINE_REPLACE_IMPAIRED: return STR("The machine is replaced: its health is impaired");
    case MACHINE_REPLACE_NOTICE:   return STR("The machine is replaced: it will be taken away");
    case MACHINE_REPLACE_UNSET: case MACHINE_REPLACE_COUNT: break;
    }
    return (struct str){ NULL, 0 };
}

/* ---- the look ---- */

static struct replace_plan plan_for(const struct pool_look *look)
{
    struct op_ctx *ctx = look->ctx;
    struct replace_machine *facts = ARENA_NEW(ctx->arena, struct replace_machine, look->count + 1);
    for (size_t m = 0; m < look->count; m++) {
        const struct kept_machine *machine = &look->machines[m];
        bool may_go = machine->state == MACHINE_ACTIVE && (look->rules.replace.patch_after_ms != 0 || machine->impaired_ms != 0);
        facts[m] = (struct replace_machine){ machine->state, machine->replace, machine->replace_ms, machine->replace_by_ms, machine->ordered_ms,
                                             machine->impaired_ms, may_go ? machine_task_count(ctx, machine) : 0 };
    }
    bool may_order = look->pool->suspended != OPT_TRUE && look->pool->refused != OPT_TRUE;
    const struct replace_state state = { ctx->now_ms, look->pool->desired, look->rules.replace, may_order && look->pool->desired < look->pool->max, facts,
                                         look->count };
    return replace_plan(&state);
}

static void mark(struct pool_look *look, struct kept_machine *machine, const struct replace_plan *plan)
{
    machine->replace = plan->why;
    machine->replace_ms = look->ctx->now_ms;
    machine->replace_by_ms = plan->by_ms;
}

static void begin(struct pool_look *look, struct kept_machine *machine, const struct replace_plan *plan)
{
    struct op_ctx *ctx = look->ctx;
    if (machine->replace == MACHINE_REPLACE_UNSET) { mark(look, machine, plan); }
    pool_line(ctx, look->pool, STR_FMT " drains: " STR_FMT, STR_ARG(machine_id_text(machine->id, ctx->arena)), STR_ARG(machine_replaced_because(ctx, machine)));
    machine_part(ctx, machine, machine_replaced_because(ctx, machine), machine->replace_by_ms);
}

int64_t replace_next_ms(const struct pool_look *look) { return plan_for(look).again_ms; }

void replace_look(struct pool_look *look)
{
    struct op_ctx *ctx = look->ctx;
    if (look->pool->removed == OPT_TRUE) { return; }
    struct replace_plan plan = plan_for(look);
    look_again(look, plan.again_ms);
    if (plan.move == REPLACE_NOTHING) { return; }
    struct kept_machine *machine = &look->machines[plan.at];
    look->changed = true;
    if (plan.move == REPLACE_DRAIN) {
        begin(look, machine, &plan);
        return;
    }
    if (plan.move == REPLACE_MARK) {
        mark(look, machine, &plan);
        pool_line(ctx, look->pool, STR_FMT " gets a replacement: " STR_FMT, STR_ARG(machine_id_text(machine->id, ctx->arena)),
                  STR_ARG(machine_replaced_because(ctx, machine)));
    } else {
        machine->replace = MACHINE_REPLACE_UNSET;
        machine->replace_ms = machine->replace_by_ms = 0;
        pool_line(ctx, look->pool, STR_FMT " stays: it is well again", STR_ARG(machine_id_text(machine->id, ctx->arena)));
    }
    look_again(look, ctx->now_ms);
    machine_put(ctx, machine);
}

/* Its pool orders another one at once. */
void machine_noticed(struct op_ctx *ctx, const struct instance *instance)
{
    const struct kept_machine *found = machine_of(ctx, instance);
    if (found == NULL || found->state != MACHINE_ACTIVE) { return; }
    struct kept_machine machine = *found;
    machine.replace = MACHINE_REPLACE_NOTICE;
    machine.replace_ms = ctx->now_ms;
    machine.replace_by_ms = ctx->now_ms + NOTICE_MS;
    machine_part(ctx, &machine, machine_replaced_because(ctx, &machine), machine.replace_by_ms);
    pools_touch(ctx, machine.pool);
}
