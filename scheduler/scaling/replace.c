#include "scheduler/scaling/replace.h"

#include "base/num.h"

#define NO_MACHINE SIZE_MAX

static bool is_active(const struct replace_machine *machine) { return machine->state == MACHINE_ACTIVE; }
static bool is_new(const struct replace_machine *machine) { return machine->state == MACHINE_ORDERED || machine->state == MACHINE_BOOTING; }
static bool is_leaving(const struct replace_machine *machine) { return machine->state > MACHINE_ACTIVE && machine->marked != MACHINE_REPLACE_UNSET; }

static void again(struct replace_plan *plan, int64_t at_ms)
{
    if (plan->again_ms == 0 || at_ms < plan->again_ms) { plan->again_ms = at_ms; }
}

/* ---- one that is marked ---- */

static size_t find_marked(const struct replace_state *state)
{
    for (size_t m = 0; m < state->count; m++) {
        if (is_active(&state->machines[m]) && state->machines[m].marked != MACHINE_REPLACE_UNSET) { return m; }
    }
    return NO_MACHINE;
}

/* Has the pool all its machines without those that are replaced? */
static bool is_complete(const struct replace_state *state)
{
    int64_t ready = 0;
    for (size_t m = 0; m < state->count; m++) { ready += is_active(&state->machines[m]) && state->machines[m].marked == MACHINE_REPLACE_UNSET; }
    return ready >= state->desired;
}

static void look_at_marked(const struct replace_state *state, size_t m, struct replace_plan *plan)
{
    const struct replace_machine *machine = &state->machines[m];
    int64_t wait_ms = min_i64(machine->marked_ms + REPLACE_WAITS_MS, machine->by_ms);
    plan->at = m;
    plan->why = machine->marked;
    plan->by_ms = machine->by_ms;
    if (machine->marked == MACHINE_REPLACE_IMPAIRED && machine->impaired_ms == 0) {
        plan->move = REPLACE_KEEP;
    } else if (machine->tasks == 0 || is_complete(state) || state->now_ms >= wait_ms) {
        plan->move = REPLACE_DRAIN;
    } else {
        again(plan, wait_ms);
    }
}

/* ---- the next one ---- */

/* When it is due by its health, or by its age; 0: never. */
static int64_t ill_ms(const struct replace_state *state, const struct replace_machine *machine)
{
    return state->rules.repairs && machine->impaired_ms != 0 ? machine->impaired_ms + REPLACE_IMPAIRED_MS : 0;
}

static int64_t aged_ms(const struct replace_state *state, const struct replace_machine *machine)
{
    return state->rules.patch_after_ms == 0 ? 0 : machine->ordered_ms + state->rules.patch_after_ms;
}

/* When it waits no more for its turn. */
static int64_t urgent_ms(const struct replace_state *state, const struct replace_machine *machine)
{
    return machine->ordered_ms + (state->rules.patch_after_ms + state->rules.patch_by_ms) / 2;
}

static bool waits_its_turn(const struct replace_state *state)
{
    bool waits = false;
    for (size_t m = 0; m < state->count; m++) { waits = waits || is_new(&state->machines[m]) || is_leaving(&state->machines[m]); }
    return waits || !is_complete(state);
}

/* The one that is due longest, by its health or else by its age. Notes when the next one is. */
static size_t find_due(const struct replace_state *state, bool by_health, bool waits, struct replace_plan *plan)
{
    size_t best = NO_MACHINE;
    int64_t best_ms = 0;
    for (size_t m = 0; m < state->count; m++) {
        const struct replace_machine *machine = &state->machines[m];
        int64_t at_ms = !is_active(machine) ? 0 : by_health ? ill_ms(state, machine) : aged_ms(state, machine);
        if (at_ms == 0) { continue; }
        if (!by_health && waits && at_ms <= state->now_ms) { at_ms = urgent_ms(state, machine); }
        if (at_ms > state->now_ms) {
            again(plan, at_ms);
        } else if (best == NO_MACHINE || at_ms < best_ms) {
            best = m;
            best_ms = at_ms;
        }
    }
    return best;
}

static int64_t limit_of(const struct replace_state *state, const struct replace_machine *machine, enum machine_replace why)
{
    int64_t by_ms = why == MACHINE_REPLACE_IMPAIRED ? state->now_ms + REPLACE_REPAIR_MS : machine->ordered_ms + state->rules.patch_by_ms;
    return max_i64(by_ms, state->now_ms + REPLACE_WAITS_MS);             /* the server may have been away at its time */
}

struct replace_plan replace_plan(const struct replace_state *state)
{
    struct replace_plan plan = { .move = REPLACE_NOTHING };
    size_t at = find_marked(state);
    if (at != NO_MACHINE) {
        look_at_marked(state, at, &plan);
        return plan;
    }
    plan.why = MACHINE_REPLACE_IMPAIRED;
    at = find_due(state, true, false, &plan);
    if (at == NO_MACHINE) {
        plan.why = MACHINE_REPLACE_PATCH;
        at = find_due(state, false, waits_its_turn(state), &plan);
    }
    if (at == NO_MACHINE) { return plan; }
    const struct replace_machine *machine = &state->machines[at];
    plan.at = at;
    plan.by_ms = limit_of(state, machine, plan.why);
    plan.move = machine->tasks == 0 || !state->room ? REPLACE_DRAIN : REPLACE_MARK;
    return plan;
}
