/* metrics.c: PutMetricData of CloudWatch: figures of a client's own, by which services may scale. They are kept outside of the store, for some minutes. */
#include "api/alarms/alarms.h"
#include "api/aws/alarms.h"
#include "model/metric.h"

static bool refuse(size_t d, const char *member, const char *why, struct err *err)
{
    return err_set(err, ERR_INVALID_PARAMETER, "The parameter MetricData.member.%zu.%s %s", d + 1, member, why);
}

/* CloudWatch: from -2^360 to 2^360. */
static bool is_number(double value)
{
    static const double most = 0x1p360;
    return value >= -most && value <= most;
}

static bool read_statistics(const struct metric_statistics *set, size_t d, struct metric_value *value, struct err *err)
{
    static const char *const name = "StatisticValues";
    *value = (struct metric_value){ set->count.value, set->sum.value, set->least.value, set->most.value };
    if (!is_number(value->count) || !is_number(value->sum) || !is_number(value->least) || !is_number(value->most)) {
        return refuse(d, name, "must have numbers from -2^360 to 2^360.", err);
    }
    if (!(value->count > 0)) { return refuse(d, name, "must have a SampleCount above 0.", err); }
    return value->least <= value->most || refuse(d, name, "must have a Minimum that is not above its Maximum.", err);
}

static bool read_values(const struct metric_datum *datum, size_t d, struct metric_value *value, struct err *err)
{
    *value = (struct metric_value){ 0 };
    if (datum->counts.count > 0 && datum->counts.count != datum->values.count) { return refuse(d, "Counts", "must have as many items as Values.", err); }
    for (size_t v = 0; v < datum->values.count; v++) {
        double one = datum->values.items[v].value, count = datum->counts.count > 0 ? datum->counts.items[v].value : 1;
        if (!is_number(one)) { return refuse(d, "Values", "must have numbers from -2^360 to 2^360.", err); }
        if (!is_number(count) || !(count > 0)) { return refuse(d, "Counts", "must have numbers above 0.", err); }
        *value = metric_add(*value, (struct metric_value){ count, count * one, one, one });
    }
    return true;
}

static bool read_datum(const struct metric_datum *datum, size_t d, struct metric_value *value, struct err *err)
{
    int given = datum->value.set + (datum->statistics != NULL) + (datum->values.count > 0);
    if (given == 0) { return refuse(d, "Value", "is required, or Values, or StatisticValues.", err); }
    if (given > 1) { return refuse(d, "Value", "and Values and StatisticValues are mutually exclusive.", err); }
    if (datum->statistics != NULL) { return read_statistics(datum->statistics, d, value, err); }
    if (datum->values.count > 0) { return read_values(datum, d, value, err); }
    *value = (struct metric_value){ 1, datum->value.value, datum->value.value, datum->value.value };
    return is_number(datum->value.value) || refuse(d, "Value", "must be a number from -2^360 to 2^360.", err);
}

static bool check_space(const struct put_metric_data_request *in, struct err *err)
{
    static const struct str aws = STR_INIT("AWS/");
    if (str_starts_with(in->space, aws) || metric_is_own(in->space)) {
        return err_set(err, ERR_INVALID_PARAMETER, "The value " STR_FMT " for parameter Namespace is invalid: names that begin with AWS/, and Berth, are not "
                       "for metrics of clients.", STR_ARG(in->space));
    }
    return !str_is_set(in->entity_metric_data) || err_set(err, ERR_INVALID_PARAMETER, "Berth does not serve EntityMetricData: put the data in MetricData.");
}

static struct str key_of(struct op_ctx *ctx, struct str space, const struct metric_datum *datum)
{
    struct pair_list dimensions = { ARENA_NEW(ctx->arena, struct pair, datum->dimensions.count + 1), datum->dimensions.count };
    for (size_t d = 0; d < dimensions.count; d++) {
        dimensions.items[d] = (struct pair){ datum->dimensions.items[d].name, datum->dimensions.items[d].value };
    }
    return metric_key(space, datum->name, &dimensions, ctx->arena);
}

/* All of the request is read before any of it is kept. */
bool op_put_metric_data(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct put_metric_data_request *in = input;
    struct metric_value *values = ARENA_NEW(ctx->arena, struct metric_value, in->data.count + 1);
    (void)output;
    if (!check_space(in, err)) { return false; }
    if (in->data.count == 0) { return err_set(err, ERR_INVALID_PARAMETER, "The parameter MetricData is required."); }
    for (size_t d = 0; d < in->data.count; d++) {
        if (!read_datum(&in->data.items[d], d, &values[d], err)) { return false; }
    }
    for (size_t d = 0; d < in->data.count; d++) {
        const struct metric_datum *datum = &in->data.items[d];
        int64_t at_ms = datum->at_ms != 0 ? datum->at_ms : ctx->now_ms;
        if (ctx->outside->metric_put(ctx, key_of(ctx, in->space, datum), at_ms, &values[d])) { continue; }
        return err_set(err, ERR_LIMIT_EXCEEDED, "There are too many metrics: Berth keeps those of the last minutes in memory.");
    }
    return true;
}
