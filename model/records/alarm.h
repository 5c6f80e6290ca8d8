/* alarm.h: the record of an alarm of CloudWatch. model/alarm.h says more. Written by tools/shapes from
 * model/records/alarm.shapes. */
#ifndef BERTH_MODEL_RECORDS_ALARM_H
#define BERTH_MODEL_RECORDS_ALARM_H

#include "model/ecs/common.h"

enum alarm_state { ALARM_STATE_UNSET, ALARM_STATE_OK, ALARM_STATE_ALARM, ALARM_STATE_INSUFFICIENT_DATA, ALARM_STATE_COUNT };
extern const struct enum_names alarm_state_names;

enum metric_statistic { METRIC_STATISTIC_UNSET, METRIC_STATISTIC_SAMPLECOUNT, METRIC_STATISTIC_AVERAGE, METRIC_STATISTIC_SUM,
    METRIC_STATISTIC_MINIMUM, METRIC_STATISTIC_MAXIMUM, METRIC_STATISTIC_COUNT };
extern const struct enum_names metric_statistic_names;

enum metric_unit { METRIC_UNIT_UNSET, METRIC_UNIT_SECONDS, METRIC_UNIT_MICROSECONDS, METRIC_UNIT_MILLISECONDS, METRIC_UNIT_BYTES,
    METRIC_UNIT_KILOBYTES, METRIC_UNIT_MEGABYTES, METRIC_UNIT_GIGABYTES, METRIC_UNIT_TERABYTES, METRIC_UNIT_BITS,
    METRIC_UNIT_KILOBITS, METRIC_UNIT_MEGABITS, METRIC_UNIT_GIGABITS, METRIC_UNIT_TERABITS, METRIC_UNIT_PERCENT,
    METRIC_UNIT_COUNTED, METRIC_UNIT_BYTES_SECOND, METRIC_UNIT_KILOBYTES_SECOND, METRIC_UNIT_MEGABYTES_SECOND,
    METRIC_UNIT_GIGABYTES_SECOND, METRIC_UNIT_TERABYTES_SECOND, METRIC_UNIT_BITS_SECOND, METRIC_UNIT_KILOBITS_SECOND,
    METRIC_UNIT_MEGABITS_SECOND, METRIC_UNIT_GIGABITS_SECOND, METRIC_UNIT_TERABITS_SECOND, METRIC_UNIT_COUNT_SECOND,
    METRIC_UNIT_NONE, METRIC_UNIT_COUNT };
extern const struct enum_names metric_unit_names;

enum alarm_comparison { ALARM_COMPARISON_UNSET, ALARM_COMPARISON_GREATERTHANOREQUALTOTHRESHOLD,
    ALARM_COMPARISON_GREATERTHANTHRESHOLD, ALARM_COMPARISON_LESSTHANTHRESHOLD, ALARM_COMPARISON_LESSTHANOREQUALTOTHRESHOLD,
    ALARM_COMPARISON_LESSTHANLOWERORGREATERTHANUPPERTHRESHOLD, ALARM_COMPARISON_LESSTHANLOWERTHRESHOLD,
    ALARM_COMPARISON_GREATERTHANUPPERTHRESHOLD, ALARM_COMPARISON_COUNT };
extern const struct enum_names alarm_comparison_names;

enum alarm_missing_data { ALARM_MISSING_DATA_UNSET, ALARM_MISSING_DATA_BREACHING, ALARM_MISSING_DATA_NOTBREACHING,
    ALARM_MISSING_DATA_IGNORE, ALARM_MISSING_DATA_MISSING, ALARM_MISSING_DATA_COUNT };
extern const struct enum_names alarm_missing_data_names;

struct metric_dimension {
    struct str name;
    struct str value;
};
struct metric_dimension_list { struct metric_dimension *items; size_t count; };
extern const struct schema metric_dimension_schema;

struct metric {
    struct str namespace;
    struct str metric_name;
    struct metric_dimension_list dimensions;
};
struct metric_list { struct metric *items; size_t count; };
extern const struct schema metric_schema;

struct metric_stat {
    struct metric *metric;
    struct opt_int period;
    struct str stat;
    enum metric_unit unit;
};
struct metric_stat_list { struct metric_stat *items; size_t count; };
extern const struct schema metric_stat_schema;

struct metric_query {
    struct str id;
    struct metric_stat *metric_stat;
    struct str expression;
    struct str label;
    enum opt_bool return_data;
    struct opt_int period;
    struct str account_id;
};
struct metric_query_list { struct metric_query *items; size_t count; };
extern const struct schema metric_query_schema;

/* As DescribeAlarms shows it. What PutMetricAlarm sets is kept as given; nothing evaluates it. */
struct metric_alarm {
    struct str name;
    struct str arn;
    struct str description;
    int64_t configured_ms;
    enum opt_bool actions_enabled;
    struct str_list ok_actions;
    struct str_list alarm_actions;
    struct str_list insufficient_data_actions;
    enum alarm_state state;
    struct str state_reason;
    struct str state_reason_data;
    int64_t state_updated_ms;
    int64_t state_changed_ms;
    struct str metric_name;
    struct str namespace;
    enum metric_statistic statistic;
    struct str extended_statistic;
    struct metric_dimension_list dimensions;
    struct opt_int period;
    enum metric_unit unit;
    struct opt_int evaluation_periods;
    struct opt_int datapoints_to_alarm;
    struct opt_double threshold;
    enum alarm_comparison comparison;
    enum alarm_missing_data treat_missing_data;
    struct str low_sample_count;
    struct metric_query_list metrics;
    struct str threshold_metric_id;
};
struct metric_alarm_list { struct metric_alarm *items; size_t count; };
extern const struct schema metric_alarm_schema;

struct kept_alarm {
    struct metric_alarm *alarm;
    struct tag_list tags;
};
struct kept_alarm_list { struct kept_alarm *items; size_t count; };
extern const struct schema kept_alarm_record;

#endif
