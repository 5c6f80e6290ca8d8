/* reading.h: the metrics that clients of CloudWatch can read: figures of GPUs over time (ECS/GPU), and what clusters and services use and have now (AWS/ECS,
 * ECS/ContainerInsights). */
#ifndef BERTH_API_ALARMS_READING_H
#define BERTH_API_ALARMS_READING_H

#include "api/aws/alarms.h"
#include "api/core/context.h"
#include "model/metric.h"
#include "wire/gpu_figure.h"

/* A metric that is served. figure: of GPUs, with what it is divided by; otherwise `now` tells it. */
struct served_metric {
    struct str space, name; enum metric_unit unit;
    int figure; double divisor;
    bool of_services;                        /* beside clusters; of GPUs: always false */
    struct opt_double (*now)(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service);     /* service NULL: all of the cluster */
};
extern const struct served_metric served_metrics[];
extern const size_t served_metrics_count;

MUST_USE bool op_get_metric_data(struct op_ctx *ctx, const void *input, void *output, struct err *err);
MUST_USE bool op_get_metric_statistics(struct op_ctx *ctx, const void *input, void *output, struct err *err);
MUST_USE bool op_list_metrics(struct op_ctx *ctx, const void *input, void *output, struct err *err);       /* listing.c */

#endif
