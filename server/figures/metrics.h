/* metrics.h: what the server counts. Counters are shared by all threads and only ever grow. */
#ifndef BERTH_SERVER_FIGURES_METRICS_H
#define BERTH_SERVER_FIGURES_METRICS_H

#include <stdatomic.h>

#include "api/core/api.h"
#include "server/writing/histogram.h"

enum { METRIC_OPERATIONS_MAX = 384 };

struct metric_results { atomic_uint_fast64_t counts[ERR_COUNT]; };       /* by the answer; ERR_NONE: success */
struct metrics {
    const struct api_service *const *services;                           /* lent; ends with NULL */
    struct metric_results operations[METRIC_OPERATIONS_MAX];             /* by row of the services' tables */
    struct metric_results others;                                        /* requests that are no operation */
    struct histogram us[METRIC_OPERATIONS_MAX];                          /* microseconds until the answer, by row as above */
};

void metrics_count(struct metrics *metrics, const struct operation *operation, enum err_code code);   /* NULL: no operation */
void metrics_time(struct metrics *metrics, const struct operation *operation, int64_t us);

#endif
