#include "server/figures/health_counts.h"

#include <stdlib.h>

#include "api/core/api.h"
#include "base/clock.h"
#include "base/lock.h"

enum { PAUSE_FACTOR = 100, SCRATCH_MAX = 1024 * 1024 };

struct health_counts {
    struct store *store;
    struct lock lock;                        /* guards all below */
    int64_t counts[INSTANCE_HEALTH_CHECK_TYPE_COUNT];
    int64_t revision, again_ms;              /* of the store when it was counted; monotonic, before which it is not counted again */
};

struct health_counts *health_counts_create(struct store *store)
{
    struct health_counts *counts = calloc(1, sizeof *counts);
    ASSERT(counts != NULL && store != NULL);
    counts->store = store;
    counts->revision = -1;
    lock_init(&counts->lock);
    return counts;
}

void health_counts_destroy(struct health_counts *counts)
{
    if (counts == NULL) { return; }
    lock_finish(&counts->lock);
    free(counts);
}

/* A machine may be counted in several. */
struct count { struct arena arena; int64_t counts[INSTANCE_HEALTH_CHECK_TYPE_COUNT]; };

static void count_instance(void *context, const struct instance *instance)
{
    struct count *count = context;
    arena_reset(&count->arena);
    const struct container_instance_health_status *health = api_instance_health(instance, &count->arena);
    for (size_t d = 0; d < health->details.count; d++) {
        const struct instance_health_check_result *detail = &health->details.items[d];
        if (detail->status == INSTANCE_HEALTH_CHECK_STATE_IMPAIRED) { count->counts[detail->type]++; }
    }
}

/* When the store can't be read, the counts stay as they were. */
static void refresh(struct health_counts *counts) REQUIRES(counts->lock)
{
    int64_t began_ms = clock_monotonic_ms();
    if (began_ms < counts->again_ms) { return; }
    struct store_txn *txn = store_read_begin(counts->store);
    int64_t revision = store_revision(txn);
    struct count count = { .counts = { 0 } };
    arena_init(&count.arena, SCRATCH_MAX);
    bool is_old = revision != counts->revision;
    if (is_old) { store_scan_instances(txn, count_instance, &count); }
    arena_finish(&count.arena);
    if (!store_read_end(txn) || !is_old) { return; }
    memcpy(counts->counts, count.counts, sizeof counts->counts);
    counts->revision = revision;
    counts->again_ms = began_ms + (clock_monotonic_ms() - began_ms) * PAUSE_FACTOR;
}

void health_counts_print_metrics(struct health_counts *counts, struct buf *out)
{
    static const enum instance_health_check_type types[] = {          /* nobody looks at daemons */
        INSTANCE_HEALTH_CHECK_TYPE_AGENT_CONNECTIVITY, INSTANCE_HEALTH_CHECK_TYPE_ACCELERATED_COMPUTE, INSTANCE_HEALTH_CHECK_TYPE_CONTAINER_RUNTIME,
    };
    buf_printf(out, "# HELP berth_instances_impaired Container instances whose health has the status IMPAIRED, by the thing that was checked.\n"
               "# TYPE berth_instances_impaired gauge\n");
    lock_take(&counts->lock);
    refresh(counts);
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        buf_printf(out, "berth_instances_impaired{type=\"" STR_FMT "\"} %lld\n", STR_ARG(enum_word(&instance_health_check_type_names, (int)types[t])),
                   (long long)counts->counts[types[t]]);
    }
    lock_drop(&counts->lock);
}
