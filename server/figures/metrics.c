#include "server/figures/metrics.h"

/* The services' tables one behind the other. */
static size_t row_of(const struct metrics *metrics, const struct operation *operation)
{
    size_t before = 0;
    for (size_t s = 0; metrics->services[s] != NULL; s++) {
        const struct api_service *service = metrics->services[s];
        if (operation >= service->operations && operation < service->operations + service->count) {
            before += (size_t)(operation - service->operations);
            break;
        }
        before += service->count;
    }
    ASSERT(before < METRIC_OPERATIONS_MAX);
    return before;
}

void metrics_count(struct metrics *metrics, const struct operation *operation, enum err_code code)
{
    struct metric_results *results = operation == NULL ? &metrics->others : &metrics->operations[row_of(metrics, operation)];
    ASSERT((int)code >= 0 && code < ERR_COUNT);
    atomic_fetch_add_explicit(&results->counts[code], 1, memory_order_relaxed);
}

void metrics_time(struct metrics *metrics, const struct operation *operation, int64_t us)
{
    if (operation != NULL) { histogram_add(&metrics->us[row_of(metrics, operation)], &histogram_us, us); }
}
