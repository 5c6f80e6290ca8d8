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

static const struct str metric_scan_words[] = { STR_INIT("TimestampDescending"), STR_INIT("TimestampAscending") };
const struct enum_names metric_scan_names = { metric_scan_words, COUNT_OF(metric_scan_words) };

static const struct str metric_status_words[] = { STR_INIT("Complete"), STR_INIT("InternalError"), STR_INIT("PartialData"),
    STR_INIT("Forbidden") };
const struct enum_names metric_status_names = { metric_status_words, COUNT_OF(metric_status_words) };

#define AT(member) .offset = offsetof(struct get_metric_data_request, member)
static const struct field get_metric_data_request_schema_fields[] = {
    { STR_INIT("MetricDataQueries"), 1, FIELD_LIST, AT(queries), .element = FIELD_STRUCT, .schema = &metric_query_schema,
      .max = 500, .required = true },
    { STR_INIT("StartTime"), 2, FIELD_TIME, AT(start_ms), .required = true },
    { STR_INIT("EndTime"), 3, FIELD_TIME, AT(end_ms), .required = true },
    { STR_INIT("NextToken"), 4, FIELD_STR, AT(next_token) },
    { STR_INIT("ScanBy"), 5, FIELD_ENUM, AT(scan), .names = &metric_scan_names },
    { STR_INIT("MaxDatapoints"), 6, FIELD_INT, AT(max_datapoints) },
};
#undef AT
const struct schema get_metric_data_request_schema = SCHEMA_OF("GetMetricDataInput", struct get_metric_data_request,
    get_metric_data_request_schema_fields);

#define AT(member) .offset = offsetof(struct metric_message, member)
static const struct field metric_message_schema_fields[] = {
    { STR_INIT("Code"), 1, FIELD_STR, AT(code) },
    { STR_INIT("Value"), 2, FIELD_STR, AT(value) },
};
#undef AT
const struct schema metric_message_schema = SCHEMA_OF("MessageData", struct metric_message, metric_message_schema_fields);

#define AT(member) .offset = offsetof(struct metric_result, member)
static const struct field metric_result_schema_fields[] = {
    { STR_INIT("Id"), 1, FIELD_STR, AT(id) },
    { STR_INIT("Label"), 2, FIELD_STR, AT(label) },
    { STR_INIT("Timestamps"), 3, FIELD_LIST, AT(at), .element = FIELD_TIME },
    { STR_INIT("Values"), 4, FIELD_LIST, AT(values), .element = FIELD_DOUBLE },
    { STR_INIT("StatusCode"), 5, FIELD_ENUM, AT(status_code), .names = &metric_status_names },
    { STR_INIT("Messages"), 6, FIELD_LIST, AT(messages), .element = FIELD_STRUCT, .schema = &metric_message_schema },
};
#undef AT
const struct schema metric_result_schema = SCHEMA_OF("MetricDataResult", struct metric_result, metric_result_schema_fields);

#define AT(member) .offset = offsetof(struct get_metric_data_response, member)
static const struct field get_metric_data_response_schema_fields[] = {
    { STR_INIT("MetricDataResults"), 1, FIELD_LIST, AT(results), .element = FIELD_STRUCT, .schema = &metric_result_schema },
    { STR_INIT("NextToken"), 2, FIELD_STR, AT(next_token) },
    { STR_INIT("Messages"), 3, FIELD_LIST, AT(messages), .element = FIELD_STRUCT, .schema = &metric_message_schema },
};
#undef AT
const struct schema get_metric_data_response_schema = SCHEMA_OF("GetMetricDataOutput", struct get_metric_data_response,
    get_metric_data_response_schema_fields);

#define AT(member) .offset = offsetof(struct get_metric_statistics_request, member)
static const struct field get_metric_statistics_request_schema_fields[] = {
    { STR_INIT("Namespace"), 1, FIELD_STR, AT(space), .min = 1, .max = 255, .required = true },
    { STR_INIT("MetricName"), 2, FIELD_STR, AT(name), .min = 1, .max = 255, .required = true },
    { STR_INIT("Dimensions"), 3, FIELD_LIST, AT(dimensions), .element = FIELD_STRUCT, .schema = &metric_dimension_schema,
      .max = 30 },
    { STR_INIT("StartTime"), 4, FIELD_TIME, AT(start_ms), .required = true },
    { STR_INIT("EndTime"), 5, FIELD_TIME, AT(end_ms), .required = true },
    { STR_INIT("Period"), 6, FIELD_INT, AT(period), .min = 1, .max = 2147483647, .required = true },
    { STR_INIT("Statistics"), 7, FIELD_LIST, AT(statistics), .element = FIELD_ENUM, .names = &metric_statistic_names, .max = 5 },
    { STR_INIT("ExtendedStatistics"), 8, FIELD_LIST, AT(extended_statistics), .element = FIELD_STR, .max = 10 },
    { STR_INIT("Unit"), 9, FIELD_ENUM, AT(unit), .names = &metric_unit_names },
};
#undef AT
const struct schema get_metric_statistics_request_schema = SCHEMA_OF("GetMetricStatisticsInput",
    struct get_metric_statistics_request, get_metric_statistics_request_schema_fields);

#define AT(member) .offset = offsetof(struct metric_datapoint, member)
static const struct field metric_datapoint_schema_fields[] = {
    { STR_INIT("Timestamp"), 1, FIELD_TIME, AT(at_ms) },
    { STR_INIT("SampleCount"), 2, FIELD_DOUBLE, AT(sample_count) },
    { STR_INIT("Average"), 3, FIELD_DOUBLE, AT(average) },
    { STR_INIT("Sum"), 4, FIELD_DOUBLE, AT(sum) },
    { STR_INIT("Minimum"), 5, FIELD_DOUBLE, AT(minimum) },
    { STR_INIT("Maximum"), 6, FIELD_DOUBLE, AT(maximum) },
    { STR_INIT("Unit"), 7, FIELD_ENUM, AT(unit), .names = &metric_unit_names },
};
#undef AT
const struct schema metric_datapoint_schema = SCHEMA_OF("Datapoint", struct metric_datapoint, metric_datapoint_schema_fields);

#define AT(member) .offset = offsetof(struct get_metric_statistics_response, member)
static const struct field get_metric_statistics_response_schema_fields[] = {
    { STR_INIT("Label"), 1, FIELD_STR, AT(label) },
    { STR_INIT("Datapoints"), 2, FIELD_LIST, AT(datapoints), .element = FIELD_STRUCT, .schema = &metric_datapoint_schema },
};
#undef AT
const struct schema get_metric_statistics_response_schema = SCHEMA_OF("GetMetricStatisticsOutput",
    struct get_metric_statistics_response, get_metric_statistics_response_schema_fields);

#define AT(member) .offset = offsetof(struct dimension_filter, member)
static const struct field dimension_filter_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 255, .required = true },
    { STR_INIT("Value"), 2, FIELD_STR, AT(value), .min = 1, .max = 1024 },
};
#undef AT
const struct schema dimension_filter_schema = SCHEMA_OF("DimensionFilter", struct dimension_filter,
    dimension_filter_schema_fields);

#define AT(member) .offset = offsetof(struct list_metrics_request, member)
static const struct field list_metrics_request_schema_fields[] = {
    { STR_INIT("Namespace"), 1, FIELD_STR, AT(space), .min = 1, .max = 255 },
    { STR_INIT("MetricName"), 2, FIELD_STR, AT(name), .min = 1, .max = 255 },
    { STR_INIT("Dimensions"), 3, FIELD_LIST, AT(dimensions), .element = FIELD_STRUCT, .schema = &dimension_filter_schema,
      .max = 10 },
    { STR_INIT("NextToken"), 4, FIELD_STR, AT(next_token) },
    { STR_INIT("RecentlyActive"), 5, FIELD_STR, AT(recently_active) },
    { STR_INIT("IncludeLinkedAccounts"), 6, FIELD_BOOL, AT(include_linked_accounts) },
    { STR_INIT("OwningAccount"), 7, FIELD_STR, AT(owning_account), .min = 1, .max = 255 },
};
#undef AT
const struct schema list_metrics_request_schema = SCHEMA_OF("ListMetricsInput", struct list_metrics_request,
    list_metrics_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_metrics_response, member)
static const struct field list_metrics_response_schema_fields[] = {
    { STR_INIT("Metrics"), 1, FIELD_LIST, AT(metrics), .element = FIELD_STRUCT, .schema = &metric_schema },
    { STR_INIT("NextToken"), 2, FIELD_STR, AT(next_token) },
    { STR_INIT("OwningAccounts"), 3, FIELD_LIST, AT(owning_accounts), .element = FIELD_STR },
};
#undef AT
const struct schema list_metrics_response_schema = SCHEMA_OF("ListMetricsOutput", struct list_metrics_response,
    list_metrics_response_schema_fields);
