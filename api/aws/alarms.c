/* Written by tools/shapes from api/aws/alarms.shapes. */
#include "api/aws/alarms.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct put_metric_alarm_request, member)
static const struct field put_metric_alarm_request_schema_fields[] = {
    { STR_INIT("AlarmName"), 1, FIELD_STR, AT(alarm.name), .min = 1, .max = 255, .required = true },
    { STR_INIT("AlarmDescription"), 2, FIELD_STR, AT(alarm.description), .max = 1024 },
    { STR_INIT("ActionsEnabled"), 3, FIELD_BOOL, AT(alarm.actions_enabled) },
    { STR_INIT("OKActions"), 4, FIELD_LIST, AT(alarm.ok_actions), .element = FIELD_STR, .max = 5 },
    { STR_INIT("AlarmActions"), 5, FIELD_LIST, AT(alarm.alarm_actions), .element = FIELD_STR, .max = 5 },
    { STR_INIT("InsufficientDataActions"), 6, FIELD_LIST, AT(alarm.insufficient_data_actions), .element = FIELD_STR, .max = 5 },
    { STR_INIT("MetricName"), 7, FIELD_STR, AT(alarm.metric_name), .min = 1, .max = 255 },
    { STR_INIT("Namespace"), 8, FIELD_STR, AT(alarm.namespace), .min = 1, .max = 255 },
    { STR_INIT("Statistic"), 9, FIELD_ENUM, AT(alarm.statistic), .names = &metric_statistic_names },
    { STR_INIT("ExtendedStatistic"), 10, FIELD_STR, AT(alarm.extended_statistic), .min = 1, .max = 255 },
    { STR_INIT("Dimensions"), 11, FIELD_LIST, AT(alarm.dimensions), .element = FIELD_STRUCT, .schema = &metric_dimension_schema,
      .max = 30 },
    { STR_INIT("Period"), 12, FIELD_INT, AT(alarm.period), .min = 1, .max = 2147483647 },
    { STR_INIT("Unit"), 13, FIELD_ENUM, AT(alarm.unit), .names = &metric_unit_names },
    { STR_INIT("EvaluationPeriods"), 14, FIELD_INT, AT(alarm.evaluation_periods), .min = 1, .max = 2147483647 },
    { STR_INIT("DatapointsToAlarm"), 15, FIELD_INT, AT(alarm.datapoints_to_alarm), .min = 1, .max = 2147483647 },
    { STR_INIT("Threshold"), 16, FIELD_DOUBLE, AT(alarm.threshold) },
    { STR_INIT("ComparisonOperator"), 17, FIELD_ENUM, AT(alarm.comparison), .names = &alarm_comparison_names },
    { STR_INIT("TreatMissingData"), 18, FIELD_ENUM, AT(alarm.treat_missing_data), .names = &alarm_missing_data_names },
    { STR_INIT("EvaluateLowSampleCountPercentile"), 19, FIELD_STR, AT(alarm.low_sample_count), .min = 1, .max = 255 },
    { STR_INIT("Metrics"), 20, FIELD_LIST, AT(alarm.metrics), .element = FIELD_STRUCT, .schema = &metric_query_schema,
      .max = 20 },
    { STR_INIT("Tags"), 21, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 50 },
    { STR_INIT("ThresholdMetricId"), 22, FIELD_STR, AT(alarm.threshold_metric_id), .min = 1, .max = 255 },
};
#undef AT
const struct schema put_metric_alarm_request_schema = SCHEMA_OF("PutMetricAlarmInput", struct put_metric_alarm_request,
    put_metric_alarm_request_schema_fields);

static const struct str alarm_type_words[] = { STR_INIT("CompositeAlarm"), STR_INIT("MetricAlarm") };
const struct enum_names alarm_type_names = { alarm_type_words, COUNT_OF(alarm_type_words) };

#define AT(member) .offset = offsetof(struct describe_alarms_request, member)
static const struct field describe_alarms_request_schema_fields[] = {
    { STR_INIT("AlarmNames"), 1, FIELD_LIST, AT(alarm_names), .element = FIELD_STR, .max = 100 },
    { STR_INIT("AlarmNamePrefix"), 2, FIELD_STR, AT(alarm_name_prefix), .min = 1, .max = 255 },
    { STR_INIT("AlarmTypes"), 3, FIELD_LIST, AT(alarm_types), .element = FIELD_ENUM, .names = &alarm_type_names, .max = 2 },
    { STR_INIT("ChildrenOfAlarmName"), 4, FIELD_STR, AT(children_of_alarm_name), .min = 1, .max = 255 },
    { STR_INIT("ParentsOfAlarmName"), 5, FIELD_STR, AT(parents_of_alarm_name), .min = 1, .max = 255 },
    { STR_INIT("StateValue"), 6, FIELD_ENUM, AT(state), .names = &alarm_state_names },
    { STR_INIT("ActionPrefix"), 7, FIELD_STR, AT(action_prefix), .min = 1, .max = 1024 },
    { STR_INIT("MaxRecords"), 8, FIELD_INT, AT(max_records), .min = 1, .max = 100 },
    { STR_INIT("NextToken"), 9, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema describe_alarms_request_schema = SCHEMA_OF("DescribeAlarmsInput", struct describe_alarms_request,
    describe_alarms_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_alarms_response, member)
static const struct field describe_alarms_response_schema_fields[] = {
    { STR_INIT("CompositeAlarms"), 1, FIELD_LIST, AT(composite_alarms), .element = FIELD_STR },
    { STR_INIT("MetricAlarms"), 2, FIELD_LIST, AT(metric_alarms), .element = FIELD_STRUCT, .schema = &metric_alarm_schema },
    { STR_INIT("NextToken"), 3, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema describe_alarms_response_schema = SCHEMA_OF("DescribeAlarmsOutput", struct describe_alarms_response,
    describe_alarms_response_schema_fields);

#define AT(member) .offset = offsetof(struct set_alarm_state_request, member)
static const struct field set_alarm_state_request_schema_fields[] = {
    { STR_INIT("AlarmName"), 1, FIELD_STR, AT(alarm_name), .min = 1, .max = 255, .required = true },
    { STR_INIT("StateValue"), 2, FIELD_ENUM, AT(state), .names = &alarm_state_names, .required = true },
    { STR_INIT("StateReason"), 3, FIELD_STR, AT(state_reason), .max = 1023, .required = true },
    { STR_INIT("StateReasonData"), 4, FIELD_STR, AT(state_reason_data), .max = 4000 },
};
#undef AT
const struct schema set_alarm_state_request_schema = SCHEMA_OF("SetAlarmStateInput", struct set_alarm_state_request,
    set_alarm_state_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_alarms_request, member)
static const struct field delete_alarms_request_schema_fields[] = {
    { STR_INIT("AlarmNames"), 1, FIELD_LIST, AT(alarm_names), .element = FIELD_STR, .max = 100, .required = true },
};
#undef AT
const struct schema delete_alarms_request_schema = SCHEMA_OF("DeleteAlarmsInput", struct delete_alarms_request,
    delete_alarms_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_alarm_tags_request, member)
static const struct field list_alarm_tags_request_schema_fields[] = {
    { STR_INIT("ResourceARN"), 1, FIELD_STR, AT(resource_arn), .min = 1, .max = 1024, .required = true },
};
#undef AT
const struct schema list_alarm_tags_request_schema = SCHEMA_OF("ListTagsForResourceInput", struct list_alarm_tags_request,
    list_alarm_tags_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_alarm_tags_response, member)
static const struct field list_alarm_tags_response_schema_fields[] = {
    { STR_INIT("Tags"), 1, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema },
};
#undef AT
const struct schema list_alarm_tags_response_schema = SCHEMA_OF("ListTagsForResourceOutput", struct list_alarm_tags_response,
    list_alarm_tags_response_schema_fields);

#define AT(member) .offset = offsetof(struct metric_statistics, member)
static const struct field metric_statistics_schema_fields[] = {
    { STR_INIT("SampleCount"), 1, FIELD_DOUBLE, AT(count), .required = true },
    { STR_INIT("Sum"), 2, FIELD_DOUBLE, AT(sum), .required = true },
    { STR_INIT("Minimum"), 3, FIELD_DOUBLE, AT(least), .required = true },
    { STR_INIT("Maximum"), 4, FIELD_DOUBLE, AT(most), .required = true },
};
#undef AT
const struct schema metric_statistics_schema = SCHEMA_OF("StatisticSet", struct metric_statistics,
    metric_statistics_schema_fields);

#define AT(member) .offset = offsetof(struct metric_datum, member)
static const struct field metric_datum_schema_fields[] = {
    { STR_INIT("MetricName"), 1, FIELD_STR, AT(name), .min = 1, .max = 255, .required = true },
    { STR_INIT("Dimensions"), 2, FIELD_LIST, AT(dimensions), .element = FIELD_STRUCT, .schema = &metric_dimension_schema,
      .max = 30 },
    { STR_INIT("Timestamp"), 3, FIELD_TIME, AT(at_ms) },
    { STR_INIT("Value"), 4, FIELD_DOUBLE, AT(value) },
    { STR_INIT("StatisticValues"), 5, FIELD_STRUCT, AT(statistics), .schema = &metric_statistics_schema },
    { STR_INIT("Values"), 6, FIELD_LIST, AT(values), .element = FIELD_DOUBLE, .max = 150 },
    { STR_INIT("Counts"), 7, FIELD_LIST, AT(counts), .element = FIELD_DOUBLE, .max = 150 },
    { STR_INIT("Unit"), 8, FIELD_ENUM, AT(unit), .names = &metric_unit_names },
    { STR_INIT("StorageResolution"), 9, FIELD_INT, AT(storage_resolution), .min = 1, .max = 60 },
};
#undef AT
const struct schema metric_datum_schema = SCHEMA_OF("MetricDatum", struct metric_datum, metric_datum_schema_fields);

#define AT(member) .offset = offsetof(struct put_metric_data_request, member)
static const struct field put_metric_data_request_schema_fields[] = {
    { STR_INIT("Namespace"), 1, FIELD_STR, AT(space), .min = 1, .max = 255, .required = true },
    { STR_INIT("MetricData"), 2, FIELD_LIST, AT(data), .element = FIELD_STRUCT, .schema = &metric_datum_schema, .max = 1000 },
    { STR_INIT("EntityMetricData"), 3, FIELD_JSON, AT(entity_metric_data) },
    { STR_INIT("StrictEntityValidation"), 4, FIELD_BOOL, AT(strict_entity_validation) },
};
#undef AT
const struct schema put_metric_data_request_schema = SCHEMA_OF("PutMetricDataInput", struct put_metric_data_request,
    put_metric_data_request_schema_fields);
