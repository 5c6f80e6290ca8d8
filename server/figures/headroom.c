#include "server/figures/headroom.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"

enum { FRESH_MS = 1000 };
static const size_t REPORT_MAX = (size_t)64 << 20;

struct headroom_cache {
    struct writer *writer;
    struct lock lock;                        /* guards all below, also while the writer works in the arena: others want the same */
    struct arena arena;                      /* the report's */
    const struct headroom_report *report;    /* NULL: none yet */
    int64_t asked_ms;
};

struct headroom_cache *headroom_create(struct writer *writer)
{
    struct headroom_cache *cache = calloc(1, sizeof *cache);
    ASSERT(cache != NULL && writer != NULL);
    cache->writer = writer;
    lock_init(&cache->lock);
    arena_init(&cache->arena, REPORT_MAX);
    return cache;
}

void headroom_destroy(struct headroom_cache *cache)
{
    if (cache == NULL) { return; }
    arena_finish(&cache->arena);
    lock_finish(&cache->lock);
    free(cache);
}

static bool ask(struct headroom_cache *cache, struct err *err) REQUIRES(cache->lock)
{
    struct api_call call;
    cache->report = NULL;
    arena_reset(&cache->arena);
    api_prepare_headroom(&call);
    struct job job = { .call = &call, .arena = &cache->arena };
    cache->asked_ms = clock_monotonic_ms();
    if (!writer_run(cache->writer, &job, err)) { return false; }
    cache->report = api_headroom(&call);
    ASSERT(cache->report != NULL);
    return true;
}

static bool refresh(struct headroom_cache *cache, struct err *err) REQUIRES(cache->lock)
{
    bool known = cache->report != NULL;
    bool current = known && cache->report->revision >= writer_count(cache->writer).revision;
    bool recent = known && clock_monotonic_ms() - cache->asked_ms < FRESH_MS;
    return current || recent || ask(cache, err);
}

bool headroom_print(struct headroom_cache *cache, struct str cluster, struct buf *out, struct err *err)
{
    lock_take(&cache->lock);
    bool good = refresh(cache, err)
        && (api_print_headroom(cache->report, cluster, out) || err_set(err, ERR_CLUSTER_NOT_FOUND, "Cluster not found."));
    lock_drop(&cache->lock);
    return good;
}

void headroom_print_text(struct headroom_cache *cache, struct buf *out)
{
    struct err err = { 0 };
    lock_take(&cache->lock);
    size_t count = refresh(cache, &err) ? cache->report->count : 0;
    for (size_t c = 0; c < count; c++) {
        const struct headroom_cluster *cluster = &cache->report->clusters[c];
        bool any = false;
        buf_printf(out, "fits now  " STR_FMT ":", STR_ARG(cluster->name));
        for (size_t s = 0; s < HEADROOM_SIZES; s++) {
            int64_t tasks = cluster->room.all.tasks[s];
            if (tasks > 0) { buf_printf(out, " %lldx%lld", (long long)tasks, (long long)sched_headroom_sizes[s]); }
            any = any || tasks > 0;
        }
        buf_put(out, any ? STR(" (tasks x GPUs)\n") : STR(" no GPU task\n"));
    }
    lock_drop(&cache->lock);
}

/* ---- as metrics ---- */

static void put_head(struct buf *out, const char *name, const char *help) { buf_printf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name); }

/* Names of clusters have no signs that a label would have to escape; those of models come from agents. */
static void put_label(struct buf *out, struct str value)
{
    for (size_t c = 0; c < value.len; c++) {
        if (value.ptr[c] == '"' || value.ptr[c] == '\\' || value.ptr[c] == '\n') { buf_put_char(out, '\\'); }
        buf_put_char(out, value.ptr[c] == '\n' ? 'n' : value.ptr[c]);
    }
}

static void put_fits(const struct headroom_report *report, struct buf *out)
{
    put_head(out, "berth_headroom_tasks", "Tasks of that many whole GPUs that would fit now, by cluster and GPU model, if all were of that size.");
    for (size_t c = 0; c < report->count; c++) {
        const struct headroom_cluster *cluster = &report->clusters[c];
        for (size_t p = 0; p < cluster->room.model_count * HEADROOM_SIZES; p++) {
            const struct headroom_part *part = &cluster->room.models[p / HEADROOM_SIZES];
            size_t size = p % HEADROOM_SIZES;
            buf_printf(out, "berth_headroom_tasks{cluster=\"" STR_FMT "\",model=\"", STR_ARG(cluster->name));
            put_label(out, part->model);
            buf_printf(out, "\",gpus=\"%lld\"} %lld\n", (long long)sched_headroom_sizes[size], (long long)part->tasks[size]);
        }
    }
}

static void put_amounts(const struct headroom_report *report, struct buf *out)
{
    static const struct { const char *name, *help; size_t offset; } gauges[] = {
        { "berth_free_gpus", "GPUs that nobody holds any of, on machines that take tasks.", offsetof(struct headroom, all.gpus_free) },
        { "berth_quarantined_gpus", "GPUs that are out of the pool, on machines that take tasks.", offsetof(struct headroom, all.gpus_out) },
        { "berth_free_cpu_units", "CPU units that are free on machines that take tasks.", offsetof(struct headroom, cpu) },
        { "berth_free_memory_mib", "MiB of memory that are free on machines that take tasks.", offsetof(struct headroom, memory_mib) },
    };
    for (size_t g = 0; g < COUNT_OF(gauges); g++) {
        put_head(out, gauges[g].name, gauges[g].help);
        for (size_t c = 0; c < report->count; c++) {
            int64_t value;
            memcpy(&value, (const char *)&report->clusters[c].room + gauges[g].offset, sizeof value);
            buf_printf(out, "%s{cluster=\"" STR_FMT "\"} %lld\n", gauges[g].name, STR_ARG(report->clusters[c].name), (long long)value);
        }
    }
}

void headroom_print_metrics(struct headroom_cache *cache, struct buf *out)
{
    struct err err = { 0 };
    lock_take(&cache->lock);
    if (refresh(cache, &err)) {                           /* otherwise a gap in the curve is the truth */
        put_fits(cache->report, out);
        put_amounts(cache->report, out);
    }
    lock_drop(&cache->lock);
}
