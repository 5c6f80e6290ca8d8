/* reading.c: GetMetricData and GetMetricStatistics of CloudWatch. A metric that nobody has is empty, as with AWS. */
#include "api/alarms/reading.h"

#include "store/store.h"

enum { STATISTICS_POINTS_MAX = 1440, DATA_POINTS_MAX = 100800 };

/* The data points of a metric by period: values[0] begins at `start_ms`. */
struct row { int64_t start_ms, period_ms; size_t count; struct metric_value *values; double divisor; bool partial; };

static void take_point(void *context, int64_t at_ms, double value)
{
    struct row *row = context;
    int64_t number = (at_ms - row->start_ms) / row->period_ms;
    double scaled = value / row->divisor;
    if (at_ms < row->start_ms || number >= (int64_t)row->count) { return; }
    row->values[number] = metric_add(row->values[number], (struct metric_value){ 1, scaled, scaled, scaled });
}

/* Dimensions by name; false: there is another one, so that the metric is nobody's. */
struct asked { struct gpu_asked of; size_t given; };

static bool read_dimensions(const struct metric_dimension_list *dimensions, struct asked *asked)
{
    const struct { struct str name; struct str *value; } known[] = {
        { STR("ClusterName"), &asked->of.cluster }, { STR("ServiceName"), &asked->of.service }, { STR("TaskDefinitionFamily"), &asked->of.family },
        { STR("TaskId"), &asked->of.task }, { STR("ContainerInstanceId"), &asked->of.instance }, { STR("GpuId"), &asked->of.gpu },
    };
    for (size_t d = 0; d < dimensions->count; d++) {
        size_t k = 0;
        while (k < COUNT_OF(known) && !str_eq(known[k].name, dimensions->items[d].name)) { k++; }
        if (k == COUNT_OF(known) || str_is_set(*known[k].value)) { return false; }
        *known[k].value = dimensions->items[d].value;
        asked->given++;
    }
    return true;
}

static const struct served_metric *find_metric(struct str space, struct str name)
{
    for (size_t m = 0; m < served_metrics_count; m++) {
        if (str_eq(served_metrics[m].space, space) && str_eq(served_metrics[m].name, name)) { return &served_metrics[m]; }
    }
    return NULL;
}

/* The figure of a cluster, or of a service in it. It has one point: now. */
static void read_now(struct op_ctx *ctx, const struct served_metric *metric, const struct asked *asked, struct row *row)
{
    bool of_service = str_is_set(asked->of.service);
    if (!str_is_set(asked->of.cluster) || asked->given != 1u + of_service || (of_service && !metric->of_services)) { return; }
    const struct cluster *cluster = store_cluster(ctx->txn, asked->of.cluster, ctx->arena);
    const struct service *service = cluster == NULL || !of_service ? NULL : store_service_named(ctx->txn, cluster->number, asked->of.service, ctx->arena);
    if (cluster == NULL || (of_service && service == NULL)) { return; }
    struct opt_double value = metric->now(ctx, cluster, service);
    if (value.set) { take_point(row, ctx->now_ms, value.value); }
}

static void read_row(struct op_ctx *ctx, const struct served_metric *metric, const struct metric_dimension_list *dimensions, struct row *row)
{
    struct asked asked = { .given = 0 };
    if (metric == NULL || !read_dimensions(dimensions, &asked)) { return; }
    row->divisor = metric->divisor;
    if (metric->figure < 0) {
        read_now(ctx, metric, &asked, row);
        return;
    }
    if (asked.given == 0) { return; }
    asked.of.figure = metric->figure;
    asked.of.from_ms = row->start_ms;
    asked.of.until_ms = row->start_ms + (int64_t)row->count * row->period_ms;
    row->partial = !ctx->outside->gpu_points(ctx, &asked.of, take_point, row);
}

/* CloudWatch begins with a whole period. */
static bool begin_row(struct op_ctx *ctx, int64_t start_ms, int64_t end_ms, int64_t period_s, size_t most, struct row *row, struct err *err)
{
    bool good = period_s == 1 || period_s == 5 || period_s == 10 || period_s == 20 || period_s == 30 || period_s % 60 == 0;
    if (!good) { return err_set(err, ERR_INVALID_PARAMETER, "The parameter Period must be 1, 5, 10, 20, 30 or a multiple of 60."); }
    if (start_ms >= end_ms) { return err_set(err, ERR_INVALID_PARAMETER, "The parameter StartTime must be less than the parameter EndTime."); }
    *row = (struct row){ .period_ms = period_s * 1000, .divisor = 1 };
    row->start_ms = start_ms / row->period_ms * row->period_ms;
    int64_t count = (end_ms - row->start_ms + row->period_ms - 1) / row->period_ms;
    if (count > (int64_t)most) {
        return err_set(err, ERR_INVALID_PARAMETER, "You have requested up to %lld datapoints, which exceeds the limit of %zu. You may reduce the datapoints "
                       "requested by increasing Period, or decreasing the time range.", (long long)count, most);
    }
    row->count = (size_t)count;
    row->values = ARENA_NEW(ctx->arena, struct metric_value, row->count);
    return true;
}

static double value_of(const struct metric_value *value, enum metric_statistic statistic)
{
    switch (statistic) {
    case METRIC_STATISTIC_SAMPLECOUNT: return value->count;
    case METRIC_STATISTIC_SUM:         return value->sum;
    case METRIC_STATISTIC_MINIMUM:     return value->least;
    case METRIC_STATISTIC_MAXIMUM:     return value->most;
    case METRIC_STATISTIC_AVERAGE: case METRIC_STATISTIC_UNSET: case METRIC_STATISTIC_COUNT: break;
    }
    return value->sum / value->count;
}

/* ---- GetMetricStatistics ---- */

static void show_point(const struct get_metric_statistics_request *in, const struct metric_value *value, enum metric_unit unit, struct metric_datapoint *point)
{
    for (size_t s = 0; s < in->statistics.count; s++) {
        enum metric_statistic statistic = (enum metric_statistic)in->statistics.items[s];
        struct opt_double *shown[] = {
            [METRIC_STATISTIC_SAMPLECOUNT] = &point->sample_count, [METRIC_STATISTIC_AVERAGE] = &point->average, [METRIC_STATISTIC_SUM] = &point->sum,
            [METRIC_STATISTIC_MINIMUM] = &point->minimum, [METRIC_STATISTIC_MAXIMUM] = &point->maximum,
        };
        *shown[statistic] = (struct opt_double){ value_of(value, statistic), true };
    }
    point->unit = unit;
}

bool op_get_metric_statistics(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct get_metric_statistics_request *in = input;
    struct get_metric_statistics_response *out = output;
    const struct served_metric *metric = find_metric(in->space, in->name);
    struct row row;
    if (in->extended_statistics.count > 0) { return err_set(err, ERR_INVALID_PARAMETER, "Berth does not compute ExtendedStatistics."); }
    if (in->statistics.count == 0) { return err_set(err, ERR_INVALID_PARAMETER, "Must specify either Statistics or ExtendedStatistics."); }
    if (!begin_row(ctx, in->start_ms, in->end_ms, in->period.value, STATISTICS_POINTS_MAX, &row, err)) { return false; }
    bool unit_fits = in->unit == METRIC_UNIT_UNSET || (metric != NULL && metric->unit == in->unit);
    if (unit_fits) { read_row(ctx, metric, &in->dimensions, &row); }
    out->label = in->name;
    out->datapoints.items = ARENA_NEW(ctx->arena, struct metric_datapoint, row.count + 1);
    for (size_t p = 0; p < row.count; p++) {
        if (!(row.values[p].count > 0)) { continue; }
        struct metric_datapoint *point = &out->datapoints.items[out->datapoints.count++];
        point->at_ms = row.start_ms + (int64_t)p * row.period_ms;
        show_point(in, &row.values[p], metric == NULL ? METRIC_UNIT_NONE : metric->unit, point);
    }
    return true;
}

/* ---- GetMetricData ---- */

static void show_row(struct op_ctx *ctx, const struct row *row, enum metric_statistic statistic, enum metric_scan scan, struct metric_result *result)
{
    result->at.items = ARENA_NEW(ctx->arena, int64_t, row->count + 1);
    result->values.items = ARENA_NEW(ctx->arena, struct opt_double, row->count + 1);
    for (size_t n = 0; n < row->count; n++) {
        size_t p = scan == METRIC_SCAN_TIMESTAMPASCENDING ? n : row->count - 1 - n;
        if (!(row->values[p].count > 0)) { continue; }
        result->at.items[result->at.count++] = row->start_ms + (int64_t)p * row->period_ms;
        result->values.items[result->values.count++] = (struct opt_double){ value_of(&row->values[p], statistic), true };
    }
    static struct metric_message too_many[] = {
        { STR_INIT("PartialData"), STR_INIT("There are more GPUs than Berth reads for one metric: name a task, a container instance or a GPU.") },
    };
    result->status_code = row->partial ? METRIC_STATUS_PARTIALDATA : METRIC_STATUS_COMPLETE;
    if (row->partial) { result->messages = (struct metric_message_list){ too_many, 1 }; }
}

static bool read_query(struct op_ctx *ctx, const struct get_metric_data_request *in, const struct metric_query *query, size_t *room,
                       struct get_metric_data_response *out, struct err *err)
{
    const struct metric_stat *stat = query->metric_stat;
    if (stat == NULL || str_is_set(query->expression)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Berth reads queries with MetricStat: it evaluates no Expression.");
    }
    enum metric_statistic statistic = (enum metric_statistic)enum_value(&metric_statistic_names, stat->stat);
    const struct metric *asked = stat->metric;
    struct row row;
    if (statistic == METRIC_STATISTIC_UNSET) {
        return err_set(err, ERR_INVALID_PARAMETER, "The parameter Stat must be SampleCount, Average, Sum, Minimum or Maximum: Berth computes no others.");
    }
    if (!str_is_set(asked->namespace) || !str_is_set(asked->metric_name)) {
        return err_set(err, ERR_INVALID_PARAMETER, "The parameters Namespace and MetricName are required.");
    }
    if (!begin_row(ctx, in->start_ms, in->end_ms, stat->period.value, *room, &row, err)) { return false; }
    *room -= row.count;
    if (query->return_data == OPT_FALSE) { return true; }
    const struct served_metric *metric = find_metric(asked->namespace, asked->metric_name);
    if (stat->unit == METRIC_UNIT_UNSET || (metric != NULL && stat->unit == metric->unit)) { read_row(ctx, metric, &asked->dimensions, &row); }
    struct metric_result *result = &out->results.items[out->results.count++];
    *result = (struct metric_result){ .id = query->id, .label = str_is_set(query->label) ? query->label : asked->metric_name };
    show_row(ctx, &row, statistic, in->scan, result);
    return true;
}

/* All of it at once: an answer has at most as many data points as CloudWatch gives in one. */
bool op_get_metric_data(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct get_metric_data_request *in = input;
    struct get_metric_data_response *out = output;
    size_t room = DATA_POINTS_MAX;
    if (str_is_set(in->next_token)) { return err_set(err, ERR_INVALID_NEXT_TOKEN, "Berth's answers have no next page."); }
    if (in->queries.count == 0) { return err_set(err, ERR_INVALID_PARAMETER, "The parameter MetricDataQueries is required."); }
    out->results.items = ARENA_NEW(ctx->arena, struct metric_result, in->queries.count + 1);
    out->messages.items = LIST_NOTHING;
    for (size_t q = 0; q < in->queries.count; q++) {
        if (!read_query(ctx, in, &in->queries.items[q], &room, out, err)) { return false; }
    }
    return true;
}
