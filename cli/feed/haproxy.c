#include "cli/feed/haproxy.h"

#include "base/clock.h"
#include "cli/feed/runtime.h"

/* The targets that are busy in any worker. */
static void merge_busy(struct feed_applied *applied, const struct str_list *busy, struct arena *arena)
{
    size_t count = applied->busy.count + busy->count;
    struct str *items = ARENA_NEW(arena, struct str, count + 1);
    for (size_t b = 0; b < count; b++) { items[b] = b < busy->count ? busy->items[b] : applied->busy.items[b - busy->count]; }
    applied->busy = (struct str_list){ items, count };
}

static void apply_plan(const struct haproxy *haproxy, struct str worker, const struct plan *plan, struct feed_applied *applied, struct arena *arena,
                       struct err *err)
{
    for (size_t c = 0; c < plan->commands.count; c++) {
        struct err refused = { 0 };
        if (runtime_tell(haproxy->socket, worker, plan->commands.items[c], arena, &refused)) { continue; }
        if (!applied->partly) { *err = refused; }
        applied->partly = true;
    }
    merge_busy(applied, &plan->busy, arena);
    applied->soon |= plan->waits;
}

bool haproxy_apply(void *context, const struct feed_state *state, struct feed_applied *applied, struct arena *arena, struct err *err)
{
    const struct haproxy *haproxy = context;
    struct str_list workers;
    if (!runtime_workers(haproxy->socket, &workers, arena, err)) { return false; }
    for (size_t w = 0; w < workers.count; w++) {
        struct plan_seen seen;
        struct plan plan;
        struct err gone = { 0 };
        if (!runtime_look(haproxy->socket, workers.items[w], &seen, arena, &gone)) {
            if (w > 0) { continue; }                             /* a worker of before a reload has ended meanwhile */
            *err = gone;
            return false;
        }
        plan_make(state, &seen, clock_now_ms(), &plan, arena);
        apply_plan(haproxy, workers.items[w], &plan, applied, arena, err);
    }
    return true;
}
