/* client_metrics.h: the metrics that clients put (PutMetricData of CloudWatch), by the minute, for the last minutes. In memory only. Knows keys
 * (model/metric.h) and values; refuses to know services. Any thread. */
#ifndef BERTH_SERVER_FIGURES_CLIENT_METRICS_H
#define BERTH_SERVER_FIGURES_CLIENT_METRICS_H

#include "model/metric.h"
#include "model/scaling.h"

enum { CLIENT_METRICS_MAX = 20000 };

struct client_metrics;
struct client_metrics *client_metrics_create(int64_t minute_ms);                 /* owned; minute_ms: how long a minute lasts */
void                   client_metrics_destroy(struct client_metrics *metrics);   /* accepts NULL */

/* Adds data points of that time; a time behind now_ms counts as now, one before the minutes that are kept is left out. False: there are CLIENT_METRICS_MAX
 * other metrics. Times are in ms since 1970. */
MUST_USE bool client_metrics_put(struct client_metrics *metrics, struct str key, int64_t at_ms, const struct metric_value *value, int64_t now_ms);

/* The minutes that follow each other and end with the last whole one before now_ms, or, if it has no data yet, with the one before. */
struct scaling_history client_metrics_minutes(struct client_metrics *metrics, struct str key, enum scaling_statistic statistic, int64_t now_ms);

#endif
