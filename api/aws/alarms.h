/* alarms.h: inputs and outputs of the operations of CloudWatch that Berth serves, in the order of its model. Written by
 * tools/shapes from api/aws/alarms.shapes. */
#ifndef BERTH_API_AWS_ALARMS_H
#define BERTH_API_AWS_ALARMS_H

#include "api/schemas/upper_tag.h"
#include "model/alarm.h"

struct put_metric_alarm_request {
    struct metric_alarm alarm;
    struct tag_list tags;
};
struct put_metric_alarm_request_list { struct put_metric_alarm_request *items; size_t count; };
extern const struct schema put_metric_alarm_request_schema;

enum alarm_type { ALARM_TYPE_UNSET, ALARM_TYPE_COMPOSITEALARM, ALARM_TYPE_METRICALARM, ALARM_TYPE_COUNT };
extern const struct enum_names alarm_type_names;

struct describe_alarms_request {
    struct str_list alarm_names;
    struct str alarm_name_prefix;
    struct enum_list alarm_types;
    struct str children_of_alarm_name;
    struct str parents_of_alarm_name;
    enum alarm_state state;
    struct str action_prefix;
    struct opt_int max_records;
    struct str next_token;
};
struct describe_alarms_request_list { struct describe_alarms_request *items; size_t count; };
extern const struct schema describe_alarms_request_schema;

/* Berth has no composite alarms. */
struct describe_alarms_response {
    struct str_list composite_alarms;
    struct metric_alarm_list metric_alarms;
    struct str next_token;
};
struct describe_alarms_response_list { struct describe_alarms_response *items; size_t count; };
extern const struct schema describe_alarms_response_schema;

struct set_alarm_state_request {
    struct str alarm_name;
    enum alarm_state state;
    struct str state_reason;
    struct str state_reason_data;
};
struct set_alarm_state_request_list { struct set_alarm_state_request *items; size_t count; };
extern const struct schema set_alarm_state_request_schema;

struct delete_alarms_request {
    struct str_list alarm_names;
};
struct delete_alarms_request_list { struct delete_alarms_request *items; size_t count; };
extern const struct schema delete_alarms_request_schema;

struct list_alarm_tags_request {
    struct str resource_arn;
};
struct list_alarm_tags_request_list { struct list_alarm_tags_request *items; size_t count; };
extern const struct schema list_alarm_tags_request_schema;

struct list_alarm_tags_response {
    struct tag_list tags;
};
struct list_alarm_tags_response_list { struct list_alarm_tags_response *items; size_t count; };
extern const struct schema list_alarm_tags_response_schema;

struct metric_statistics {
    struct opt_double count;
    struct opt_double sum;
    struct opt_double least;
    struct opt_double most;
};
struct metric_statistics_list { struct metric_statistics *items; size_t count; };
extern const struct schema metric_statistics_schema;

struct metric_datum {
    struct str name;
    struct metric_dimension_list dimensions;
    int64_t at_ms;
    struct opt_double value;
    struct metric_statistics *statistics;
    struct double_list values;
    struct double_list counts;
    enum metric_unit unit;
    struct opt_int storage_resolution;
};
struct metric_datum_list { struct metric_datum *items; size_t count; };
extern const struct schema metric_datum_schema;

/* Metrics of entities are refused. */
struct put_metric_data_request {
    struct str space;
    struct metric_datum_list data;
    struct str entity_metric_data;
    enum opt_bool strict_entity_validation;
};
struct put_metric_data_request_list { struct put_metric_data_request *items; size_t count; };
extern const struct schema put_metric_data_request_schema;

enum metric_scan { METRIC_SCAN_UNSET, METRIC_SCAN_TIMESTAMPDESCENDING, METRIC_SCAN_TIMESTAMPASCENDING, METRIC_SCAN_COUNT };
extern const struct enum_names metric_scan_names;

enum metric_status { METRIC_STATUS_UNSET, METRIC_STATUS_COMPLETE, METRIC_STATUS_INTERNALERROR, METRIC_STATUS_PARTIALDATA,
    METRIC_STATUS_FORBIDDEN, METRIC_STATUS_COUNT };
extern const struct enum_names metric_status_names;

struct get_metric_data_request {
    struct metric_query_list queries;
    int64_t start_ms;
    int64_t end_ms;
    struct str next_token;
    enum metric_scan scan;
    struct opt_int max_datapoints;
};
struct get_metric_data_request_list { struct get_metric_data_request *items; size_t count; };
extern const struct schema get_metric_data_request_schema;

struct metric_message {
    struct str code;
    struct str value;
};
struct metric_message_list { struct metric_message *items; size_t count; };
extern const struct schema metric_message_schema;

struct metric_result {
    struct str id;
    struct str label;
    struct time_list at;
    struct double_list values;
    enum metric_status status_code;
    struct metric_message_list messages;
};
struct metric_result_list { struct metric_result *items; size_t count; };
extern const struct schema metric_result_schema;

struct get_metric_data_response {
    struct metric_result_list results;
    struct str next_token;
    struct metric_message_list messages;
};
struct get_metric_data_response_list { struct get_metric_data_response *items; size_t count; };
extern const struct schema get_metric_data_response_schema;

struct get_metric_statistics_request {
    struct str space;
    struct str name;
    struct metric_dimension_list dimensions;
    int64_t start_ms;
    int64_t end_ms;
    struct opt_int period;
    struct enum_list statistics;
    struct str_list extended_statistics;
    enum metric_unit unit;
};
struct get_metric_statistics_request_list { struct get_metric_statistics_request *items; size_t count; };
extern const struct schema get_metric_statistics_request_schema;

struct metric_datapoint {
    int64_t at_ms;
    struct opt_double sample_count;
    struct opt_double average;
    struct opt_double sum;
    struct opt_double minimum;
    struct opt_double maximum;
    enum metric_unit unit;
};
struct metric_datapoint_list { struct metric_datapoint *items; size_t count; };
extern const struct schema metric_datapoint_schema;

struct get_metric_statistics_response {
    struct str label;
    struct metric_datapoint_list datapoints;
};
struct get_metric_statistics_response_list { struct get_metric_statistics_response *items; size_t count; };
extern const struct schema get_metric_statistics_response_schema;

struct dimension_filter {
    struct str name;
    struct str value;
};
struct dimension_filter_list { struct dimension_filter *items; size_t count; };
extern const struct schema dimension_filter_schema;

struct list_metrics_request {
    struct str space;
    struct str name;
    struct dimension_filter_list dimensions;
    struct str next_token;
    struct str recently_active;
    enum opt_bool include_linked_accounts;
    struct str owning_account;
};
struct list_metrics_request_list { struct list_metrics_request *items; size_t count; };
extern const struct schema list_metrics_request_schema;

struct list_metrics_response {
    struct metric_list metrics;
    struct str next_token;
    struct str_list owning_accounts;
};
struct list_metrics_response_list { struct list_metrics_response *items; size_t count; };
extern const struct schema list_metrics_response_schema;

#endif
