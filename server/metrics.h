/* metrics.h: what the server counts, and how /metrics tells it. Counters are shared by all threads and only ever grow. */
#ifndef BERTH_SERVER_METRICS_H
#define BERTH_SERVER_METRICS_H

#include <stdatomic.h>

#include "api/api.h"

enum metric_result { METRIC_OK, METRIC_CLIENT_ERROR, METRIC_SERVER_ERROR, METRIC_RESULT_COUNT };
enum { METRIC_OPERATIONS_MAX = 128 };

struct metrics {
    atomic_uint_fast64_t operations[METRIC_OPERATIONS_MAX][METRIC_RESULT_COUNT];   /* by row of api_operations() */
    atomic_uint_fast64_t others[METRIC_RESULT_COUNT];                              /* requests that are no operation */
};

struct server;
void metrics_count(struct metrics *metrics, const struct operation *operation, enum err_code code);   /* NULL: no operation */
void metrics_print(struct server *server, struct arena *arena, struct buf *out);                      /* Prometheus' text form */

#endif
