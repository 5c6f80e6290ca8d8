#include "server/figures/impaired.h"

#include <stdlib.h>

#include "api/core/api.h"
#include "base/clock.h"
#include "base/lock.h"

enum { PAUSE_FACTOR = 100, SCRATCH_MAX = 1024 * 1024 };

struct impaired {
    struct store *store;
    struct lock lock;                        /* guards all below */
    int64_t counts[INSTANCE_HEALTH_CHECK_TYPE_COUNT];
    int64_t revision, again_ms;              /* of the store when it was counted; monotonic, before which it is not counted again */
};

struct impaired *impaired_create(struct store *store)
{
    struct impaired *impaired = calloc(1, sizeof *impaired);
    ASSERT(impaired != NULL);
    impaired->store = store;
    impaired->revision = -1;
    lock_init(&impaired->lock);
    return impaired;
}

void impaired_destroy(struct impaired *impaired)
{
    if (impaired == NULL) { return; }
    lock_finish(&impaired->lock);
    free(impaired);
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

/* What can't be read leaves the counts as they were. */
static void refresh(struct impaired *impaired) REQUIRES(impaired->lock)
{
    int64_t began_ms = clock_monotonic_ms();
    if (began_ms < impaired->again_ms) { return; }
    struct store_txn *txn = store_read_begin(impaired->store);
    int64_t revision = store_revision(txn);
    struct count count = { .counts = { 0 } };
    arena_init(&count.arena, SCRATCH_MAX);
    bool is_old = revision != impaired->revision;
    if (is_old) { store_scan_instances(txn, count_instance, &count); }
    arena_finish(&count.arena);
    if (!store_read_end(txn) || !is_old) { return; }
    memcpy(impaired->counts, count.counts, sizeof impaired->counts);
    impaired->revision = revision;
    impaired->again_ms = began_ms + (clock_monotonic_ms() - began_ms) * PAUSE_FACTOR;
}

void impaired_print_metrics(struct impaired *impaired, struct buf *out)
{
    static const enum instance_health_check_type types[] = {          /* nobody looks at daemons */
        INSTANCE_HEALTH_CHECK_TYPE_AGENT_CONNECTIVITY, INSTANCE_HEALTH_CHECK_TYPE_ACCELERATED_COMPUTE, INSTANCE_HEALTH_CHECK_TYPE_CONTAINER_RUNTIME,
    };
    buf_printf(out, "# HELP berth_instances_impaired Container instances whose health has the status IMPAIRED, by what was looked at.\n"
               "# TYPE berth_instances_impaired gauge\n");
    lock_take(&impaired->lock);
    refresh(impaired);
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        buf_printf(out, "berth_instances_impaired{type=\"" STR_FMT "\"} %lld\n", STR_ARG(enum_word(&instance_health_check_type_names, (int)types[t])),
                   (long long)impaired->counts[types[t]]);
    }
    lock_drop(&impaired->lock);
}
