#include "server/figures/minutes.h"

#include <stdlib.h>

enum { TARGETS_PAGE = 256, TASKS_PAGE = 256 };

struct kept_minutes {
    struct service_minutes rows;
    double sums[MEASURE_COUNT]; int64_t counts[MEASURE_COUNT];        /* of samples since the last minute ended */
};
struct minutes { struct kept_minutes *items; size_t count; };         /* owned; by the services' numbers */

struct minutes *minutes_create(void)
{
    struct minutes *minutes = calloc(1, sizeof *minutes);
    ASSERT(minutes != NULL);
    return minutes;
}

void minutes_destroy(struct minutes *minutes)
{
    if (minutes == NULL) { return; }
    free(minutes->items);
    free(minutes);
}

/* ---- one look ---- */

static void add_sample(struct kept_minutes *kept, enum scaling_measure measure, struct opt_double used, double of)
{
    if (!used.set || !(of > 0)) { return; }
    kept->sums[measure] += 100 * used.value / of;
    kept->counts[measure]++;
}

static void add_task(struct kept_minutes *kept, struct samples *samples, const struct task *task, int64_t now_ms, struct arena *arena)
{
    static const double units_per_core = 1024, mib = 1 << 20;
    struct str_list gpus = { NULL, 0 };
    for (size_t c = 0; c < task->containers.count; c++) { gpus.count += task->containers.items[c].gpu_ids.count; }
    gpus.items = ARENA_NEW(arena, struct str, gpus.count + 1);
    gpus.count = 0;
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct str_list *ids = &task->containers.items[c].gpu_ids;
        for (size_t g = 0; g < ids->count; g++) { gpus.items[gpus.count++] = ids->items[g]; }
    }
    struct task_use use = samples_of_task(samples, task->instance, task->id, &gpus, now_ms);
    add_sample(kept, MEASURE_CPU, use.cores, (double)task->cpu / units_per_core);
    add_sample(kept, MEASURE_MEMORY, use.memory_bytes, (double)task->memory_mib * mib);
    if (gpus.count == 0) { return; }
    add_sample(kept, MEASURE_GPU, use.gpu, 1);
    add_sample(kept, MEASURE_GPU_MEMORY, use.gpu_memory_used, use.gpu_memory_total.set ? use.gpu_memory_total.value : 0);
}

static void add_service(struct kept_minutes *kept, struct store_txn *txn, struct samples *samples, int64_t now_ms, struct arena *arena)
{
    const struct service *service = store_service(txn, kept->rows.service, arena);
    struct id *ids = ARENA_NEW(arena, struct id, TASKS_PAGE), after = { { 0 } };
    if (service == NULL) { return; }
    struct str group = arena_printf(arena, "service:" STR_FMT, STR_ARG(service->name));
    for (size_t count = TASKS_PAGE; count == TASKS_PAGE && !arena_exhausted(arena);) {
        count = store_list_tasks(txn, service->cluster_number, TASKS_BY_GROUP, group, TASK_RUNNING, after, ids, TASKS_PAGE);
        for (size_t t = 0; t < count; t++) {
            const struct task *task = store_task(txn, ids[t], arena);
            if (task != NULL && task->service == service->number && task->last_status == TASK_RUNNING) { add_task(kept, samples, task, now_ms, arena); }
            after = ids[t];
        }
    }
}

/* ---- minutes ---- */

static void end_minute(struct kept_minutes *kept)
{
    for (size_t m = 0; m < MEASURE_COUNT; m++) {
        struct scaling_history *history = &kept->rows.of[m];
        double mean = kept->counts[m] > 0 ? kept->sums[m] / (double)kept->counts[m] : 0;
        if (kept->counts[m] == 0) {
            history->count = 0;
        } else {
            memmove(history->values + 1, history->values, (SCALING_IN_MINUTES - 1) * sizeof *history->values);
            history->values[0] = mean;
            history->count += history->count < SCALING_IN_MINUTES;
        }
        kept->sums[m] = 0;
        kept->counts[m] = 0;
    }
}

/* The services that have a target now, in order, with their minutes until now. */
static void follow_targets(struct minutes *minutes, struct store_txn *txn)
{
    struct kept_minutes *items = NULL;
    int64_t numbers[TARGETS_PAGE], after = 0;
    size_t total = 0, old = 0;
    for (size_t count = TARGETS_PAGE; count == TARGETS_PAGE;) {
        count = store_list_scaling(txn, after, numbers, TARGETS_PAGE);
        if (count == 0) { break; }
        items = realloc(items, (total + count) * sizeof *items);
        ASSERT(items != NULL);
        for (size_t n = 0; n < count; n++) {
            after = numbers[n];
            while (old < minutes->count && minutes->items[old].rows.service < after) { old++; }
            bool known = old < minutes->count && minutes->items[old].rows.service == after;
            items[total++] = known ? minutes->items[old] : (struct kept_minutes){ .rows.service = after };
        }
    }
    free(minutes->items);
    *minutes = (struct minutes){ items, total };
}

/* Each service has an arena that is emptied after it: it may have many tasks. */
size_t minutes_look(struct minutes *minutes, struct store *store, struct samples *samples, int64_t now_ms, bool ends, struct service_minutes **items,
                    struct arena *arena)
{
    static const size_t scratch_max = (size_t)256 << 20;
    struct arena scratch;
    struct store_txn *txn = store_read_begin(store);
    follow_targets(minutes, txn);
    arena_init(&scratch, scratch_max);
    *items = ARENA_NEW(arena, struct service_minutes, minutes->count + 1);
    for (size_t s = 0; s < minutes->count; s++) {
        struct kept_minutes *kept = &minutes->items[s];
        add_service(kept, txn, samples, now_ms, &scratch);
        arena_reset(&scratch);
        if (ends) { end_minute(kept); }
        (*items)[s] = ends ? kept->rows : (struct service_minutes){ .service = kept->rows.service };
    }
    arena_finish(&scratch);
    return store_read_end(txn) ? minutes->count : 0;
}
