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

/* Each worker has its own counters. */
static void add_counts(struct feed_applied *applied, struct str worker, const struct plan_seen *seen, struct arena *arena)
{
    static const size_t head = sizeof "@!" - 1;
    struct str source = worker.len > head ? str_trim(str_slice(worker, head, worker.len)) : STR("haproxy");
    struct feed_count_list *counts = &applied->counts;
    struct feed_count *items = ARENA_NEW(arena, struct feed_count, counts->count + seen->backend_count + 1);
    for (size_t c = 0; c < counts->count; c++) { items[c] = counts->items[c]; }
    counts->items = items;
    for (size_t b = 0; b < seen->backend_count; b++) {
        const struct plan_backend *backend = &seen->backends[b];
        struct str group = str_slice(backend->name, sizeof PLAN_BACKEND - 1, backend->name.len);
        if (!str_starts_with(backend->name, STR(PLAN_BACKEND)) || !plan_is_name(group)) { continue; }
        items[counts->count++] = (struct feed_count){ group, source, backend->requests };
    }
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
        add_counts(applied, workers.items[w], &seen, arena);
        plan_make(state, &seen, clock_now_ms(), &plan, arena);
        apply_plan(haproxy, workers.items[w], &plan, applied, arena, err);
    }
    return true;
}
