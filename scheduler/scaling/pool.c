#include "scheduler/scaling/pool.h"

#include "base/num.h"

/* ---- which machines ---- */

static int rank_of(const struct pool_machine *machine)
{
    return machine->state == MACHINE_ORDERED ? 0 : machine->state == MACHINE_BOOTING ? 1 : machine->tasks == 0 ? 2 : 3;
}

static bool is_ended_before(const struct pool_machine *a, const struct pool_machine *b)
{
    int rank_a = rank_of(a), rank_b = rank_of(b);
    if (rank_a != rank_b) { return rank_a < rank_b; }
    return a->tasks != b->tasks ? a->tasks < b->tasks : a->ordered_ms > b->ordered_ms;
}

static bool counts(const struct pool_machine *machine) { return machine->state >= MACHINE_ORDERED && machine->state <= MACHINE_ACTIVE; }
static bool may_end(const struct pool_machine *machine) { return counts(machine) && (machine->state != MACHINE_ACTIVE || !machine->protected); }

/* The machine that is ended first, of those that are not chosen yet. SIZE_MAX: there is no such machine. */
static size_t next_to_end(const struct pool_state *state, const bool *chosen)
{
    size_t best = SIZE_MAX;
    for (size_t m = 0; m < state->count; m++) {
        bool fits = !chosen[m] && may_end(&state->machines[m]);
        if (fits && (best == SIZE_MAX || is_ended_before(&state->machines[m], &state->machines[best]))) { best = m; }
    }
    return best;
}

struct pool_plan pool_plan(const struct pool_state *state, struct arena *arena)
{
    struct pool_plan plan = { .order = 0 };
    int64_t have = 0;
    for (size_t m = 0; m < state->count; m++) { have += counts(&state->machines[m]); }
    if (have <= state->desired) {
        plan.order = state->blocked ? 0 : min_i64(state->desired - have, POOL_ORDERS_MAX);
        return plan;
    }
    size_t most = (size_t)min_i64(have - state->desired, POOL_ORDERS_MAX);
    bool *chosen = ARENA_NEW(arena, bool, state->count);
    plan.end = ARENA_NEW(arena, size_t, most);
    for (size_t m = next_to_end(state, chosen); m != SIZE_MAX && plan.end_count < most; m = next_to_end(state, chosen)) {
        chosen[m] = true;
        plan.end[plan.end_count++] = m;
    }
    return plan;
}

/* ---- after a failure ---- */

int64_t pool_backoff_ms(enum pool_failure failure, int64_t times, struct rng *chance)
{
    bool of_capacity = failure == POOL_FAILURE_CAPACITY || failure == POOL_FAILURE_QUOTA;
    int64_t first_ms = of_capacity ? 60 * 1000 : 5 * 1000, most_ms = of_capacity ? 15 * 60 * 1000 : 5 * 60 * 1000;
    int64_t wait_ms = first_ms << min_i64(max_i64(times - 1, 0), 10);
    wait_ms = min_i64(wait_ms, most_ms);
    return wait_ms + (int64_t)rng_below(chance, (uint64_t)wait_ms / 5 + 1);
}

static int64_t blocked_until(const struct kept_pool *pool, struct str type)
{
    for (size_t b = 0; b < pool->blocks.count; b++) {
        if (str_eq(pool->blocks.items[b].type, type)) { return pool->blocks.items[b].until_ms; }
    }
    return 0;
}

bool pool_next_type(const struct kept_pool *pool, int64_t now_ms, struct str *type, int64_t *until_ms)
{
    static const struct str any[] = { STR_INIT("") };
    const struct str *types = pool->types.count == 0 ? any : pool->types.items;
    size_t count = pool->types.count == 0 ? 1 : pool->types.count;
    *until_ms = 0;
    for (size_t t = 0; t < count; t++) {
        int64_t blocked_ms = blocked_until(pool, types[t]);
        *type = types[t];
        if (blocked_ms <= now_ms) { return true; }
        if (*until_ms == 0 || blocked_ms < *until_ms) { *until_ms = blocked_ms; }
    }
    return false;
}
