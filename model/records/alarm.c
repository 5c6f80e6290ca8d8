/* Written by tools/shapes from model/records/alarm.shapes. */
#include "model/records/alarm.h"

#include "base/assert.h"

static const struct str alarm_state_words[] = { STR_INIT("OK"), STR_INIT("ALARM"), STR_INIT("INSUFFICIENT_DATA") };
const struct enum_names alarm_state_names = { alarm_state_words, COUNT_OF(alarm_state_words) };

static const struct str metric_statistic_words[] = { STR_INIT("SampleCount"), STR_INIT("Average"), STR_INIT("Sum"),
    STR_INIT("Minimum"), STR_INIT("Maximum") };
const struct enum_names metric_statistic_names = { metric_statistic_words, COUNT_OF(metric_statistic_words) };

static const struct str metric_unit_words[] = { STR_INIT("Seconds"), STR_INIT("Microseconds"), STR_INIT("Milliseconds"),
    STR_INIT("Bytes"), STR_INIT("Kilobytes"), STR_INIT("Megabytes"), STR_INIT("Gigabytes"), STR_INIT("Terabytes"),
    STR_INIT("Bits"), STR_INIT("Kilobits"), STR_INIT("Megabits"), STR_INIT("Gigabits"), STR_INIT("Terabits"), STR_INIT("Percent"),
    STR_INIT("Count"), STR_INIT("Bytes/Second"), STR_INIT("Kilobytes/Second"), STR_INIT("Megabytes/Second"),
    STR_INIT("Gigabytes/Second"), STR_INIT("Terabytes/Second"), STR_INIT("Bits/Second"), STR_INIT("Kilobits/Second"),
    STR_INIT("Megabits/Second"), STR_INIT("Gigabits/Second"), STR_INIT("Terabits/Second"), STR_INIT("Count/Second"),
    STR_INIT("None") };
const struct enum_names metric_unit_names = { metric_unit_words, COUNT_OF(metric_unit_words) };

static const struct str alarm_comparison_words[] = { STR_INIT("GreaterThanOrEqualToThreshold"), STR_INIT("GreaterThanThreshold"),
    STR_INIT("LessThanThreshold"), STR_INIT("LessThanOrEqualToThreshold"), STR_INIT("LessThanLowerOrGreaterThanUpperThreshold"),
    STR_INIT("LessThanLowerThreshold"), STR_INIT("GreaterThanUpperThreshold") };
const struct enum_names alarm_comparison_names = { alarm_comparison_words, COUNT_OF(alarm_comparison_words) };

static const struct str alarm_missing_data_words[] = { STR_INIT("breaching"), STR_INIT("notBreaching"), STR_INIT("ignore"),
    STR_INIT("missing") };
const struct enum_names alarm_missing_data_names = { alarm_missing_data_words, COUNT_OF(alarm_missing_data_words) };

#define AT(member) .offset = offsetof(struct metric_dimension, member)
static const struct field metric_dimension_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 255, .required = true },
    { STR_INIT("Value"), 2, FIELD_STR, AT(value), .min = 1, .max = 1024, .required = true },
};
#undef AT
const struct schema metric_dimension_schema = SCHEMA_OF("Dimension", struct metric_dimension, metric_dimension_schema_fields);

#define AT(member) .offset = offsetof(struct metric, member)
static const struct field metric_schema_fields[] = {
    { STR_INIT("Namespace"), 1, FIELD_STR, AT(namespace), .min = 1, .max = 255 },
    { STR_INIT("MetricName"), 2, FIELD_STR, AT(metric_name), .min = 1, .max = 255 },
    { STR_INIT("Dimensions"), 3, FIELD_LIST, AT(dimensions), .element = FIELD_STRUCT, .schema = &metric_dimension_schema,
      .max = 30 },
};
#undef AT
const struct schema metric_schema = SCHEMA_OF("Metric", struct metric, metric_schema_fields);

#define AT(member) .offset = offsetof(struct metric_stat, member)
static const struct field metric_stat_schema_fields[] = {
    { STR_INIT("Metric"), 1, FIELD_STRUCT, AT(metric), .schema = &metric_schema, .required = true },
    { STR_INIT("Period"), 2, FIELD_INT, AT(period), .min = 1, .max = 2147483647, .required = true },
    { STR_INIT("Stat"), 3, FIELD_STR, AT(stat), .min = 1, .max = 255, .required = true },
    { STR_INIT("Unit"), 4, FIELD_ENUM, AT(unit), .names = &metric_unit_names },
};
#undef AT
const struct schema metric_stat_schema = SCHEMA_OF("MetricStat", struct metric_stat, metric_stat_schema_fields);

#define AT(member) .offset = offsetof(struct metric_query, member)
static const struct field metric_query_schema_fields[] = {
    { STR_INIT("Id"), 1, FIELD_STR, AT(id), .min = 1, .max = 255, .required = true },
    { STR_INIT("MetricStat"), 2, FIELD_STRUCT, AT(metric_stat), .schema = &metric_stat_schema },
    { STR_INIT("Expression"), 3, FIELD_STR, AT(expression), .min = 1, .max = 2048 },
    { STR_INIT("Label"), 4, FIELD_STR, AT(label), .max = 2048 },
    { STR_INIT("ReturnData"), 5, FIELD_BOOL, AT(return_data) },
    { STR_INIT("Period"), 6, FIELD_INT, AT(period), .min = 1, .max = 2147483647 },
    { STR_INIT("AccountId"), 7, FIELD_STR, AT(account_id), .min = 1, .max = 255 },
};
#undef AT
const struct schema metric_query_schema = SCHEMA_OF("MetricDataQuery", struct metric_query, metric_query_schema_fields);

#define AT(member) .offset = offsetof(struct metric_alarm, member)
static const struct field metric_alarm_schema_fields[] = {
    { STR_INIT("AlarmName"), 1, FIELD_STR, AT(name) },
    { STR_INIT("AlarmDescription"), 2, FIELD_STR, AT(description) },
    { STR_INIT("AlarmConfigurationUpdatedTimestamp"), 3, FIELD_TIME, AT(configured_ms) },
    { STR_INIT("ActionsEnabled"), 4, FIELD_BOOL, AT(actions_enabled) },
    { STR_INIT("OKActions"), 5, FIELD_LIST, AT(ok_actions), .element = FIELD_STR },
    { STR_INIT("AlarmActions"), 6, FIELD_LIST, AT(alarm_actions), .element = FIELD_STR },
    { STR_INIT("InsufficientDataActions"), 7, FIELD_LIST, AT(insufficient_data_actions), .element = FIELD_STR },
    { STR_INIT("StateValue"), 8, FIELD_ENUM, AT(state), .names = &alarm_state_names },
    { STR_INIT("StateReason"), 9, FIELD_STR, AT(state_reason) },
    { STR_INIT("StateReasonData"), 10, FIELD_STR, AT(state_reason_data) },
    { STR_INIT("StateUpdatedTimestamp"), 11, FIELD_TIME, AT(state_updated_ms) },
    { STR_INIT("StateTransitionedTimestamp"), 12, FIELD_TIME, AT(state_changed_ms) },
    { STR_INIT("MetricName"), 13, FIELD_STR, AT(metric_name) },
    { STR_INIT("Namespace"), 14, FIELD_STR, AT(namespace) },
    { STR_INIT("Statistic"), 15, FIELD_ENUM, AT(statistic), .names = &metric_statistic_names },
    { STR_INIT("ExtendedStatistic"), 16, FIELD_STR, AT(extended_statistic) },
    { STR_INIT("Dimensions"), 17, FIELD_LIST, AT(dimensions), .element = FIELD_STRUCT, .schema = &metric_dimension_schema },
    { STR_INIT("Period"), 18, FIELD_INT, AT(period) },
    { STR_INIT("Unit"), 19, FIELD_ENUM, AT(unit), .names = &metric_unit_names },
    { STR_INIT("EvaluationPeriods"), 20, FIELD_INT, AT(evaluation_periods) },
    { STR_INIT("DatapointsToAlarm"), 21, FIELD_INT, AT(datapoints_to_alarm) },
    { STR_INIT("Threshold"), 22, FIELD_DOUBLE, AT(threshold) },
    { STR_INIT("ComparisonOperator"), 23, FIELD_ENUM, AT(comparison), .names = &alarm_comparison_names },
    { STR_INIT("TreatMissingData"), 24, FIELD_ENUM, AT(treat_missing_data), .names = &alarm_missing_data_names },
    { STR_INIT("EvaluateLowSampleCountPercentile"), 25, FIELD_STR, AT(low_sample_count) },
    { STR_INIT("Metrics"), 26, FIELD_LIST, AT(metrics), .element = FIELD_STRUCT, .schema = &metric_query_schema },
    { STR_INIT("ThresholdMetricId"), 27, FIELD_STR, AT(threshold_metric_id) },
    { STR_INIT("AlarmArn"), 0, FIELD_STR, AT(arn) },
};
#undef AT
const struct schema metric_alarm_schema = SCHEMA_OF("MetricAlarm", struct metric_alarm, metric_alarm_schema_fields);

#define AT(member) .offset = offsetof(struct kept_alarm, member)
static const struct field kept_alarm_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STRUCT, AT(alarm), .schema = &metric_alarm_schema },
    { STR_INIT(""), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
};
#undef AT
const struct schema kept_alarm_record = SCHEMA_OF("alarm", struct kept_alarm, kept_alarm_record_fields);
