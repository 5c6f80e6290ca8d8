/* scaling.h: the record of a scalable target of Application Auto Scaling: a service with its limits, policies, scheduled actions
 * and activities. model/scaling.h says more. Written by tools/shapes from model/records/scaling.shapes. */
#ifndef BERTH_MODEL_RECORDS_SCALING_H
#define BERTH_MODEL_RECORDS_SCALING_H

#include "model/ecs/common.h"

enum scaling_policy_type { SCALING_POLICY_TYPE_UNSET, SCALING_TRACKING, SCALING_STEP, SCALING_POLICY_TYPE_COUNT };
extern const struct enum_names scaling_policy_type_names;

enum predefined_metric { PREDEFINED_METRIC_UNSET, PREDEFINED_CPU, PREDEFINED_MEMORY, PREDEFINED_REQUESTS,
    PREDEFINED_METRIC_COUNT };
extern const struct enum_names predefined_metric_names;

enum scaling_statistic { SCALING_STATISTIC_UNSET, SCALING_STATISTIC_AVERAGE, SCALING_STATISTIC_MINIMUM, SCALING_STATISTIC_MAXIMUM,
    SCALING_STATISTIC_SAMPLECOUNT, SCALING_STATISTIC_SUM, SCALING_STATISTIC_COUNT };
extern const struct enum_names scaling_statistic_names;

enum adjustment_type { ADJUSTMENT_TYPE_UNSET, ADJUSTMENT_CHANGE, ADJUSTMENT_PERCENT, ADJUSTMENT_EXACT, ADJUSTMENT_TYPE_COUNT };
extern const struct enum_names adjustment_type_names;

enum metric_aggregation { METRIC_AGGREGATION_UNSET, METRIC_AGGREGATION_AVERAGE, METRIC_AGGREGATION_MINIMUM,
    METRIC_AGGREGATION_MAXIMUM, METRIC_AGGREGATION_COUNT };
extern const struct enum_names metric_aggregation_names;

enum scaling_status { SCALING_STATUS_UNSET, SCALING_STATUS_PENDING, SCALING_IN_PROGRESS, SCALING_SUCCESSFUL, SCALING_OVERRIDDEN,
    SCALING_STATUS_UNFULFILLED, SCALING_FAILED, SCALING_STATUS_COUNT };
extern const struct enum_names scaling_status_names;

struct suspended_state {
    enum opt_bool in;
    enum opt_bool out;
    enum opt_bool scheduled;
};
struct suspended_state_list { struct suspended_state *items; size_t count; };
extern const struct schema suspended_state_schema;

struct predefined_metric_specification {
    enum predefined_metric type;
    struct str resource_label;
};
struct predefined_metric_specification_list { struct predefined_metric_specification *items; size_t count; };
extern const struct schema predefined_metric_specification_schema;

struct scaling_dimension {
    struct str name;
    struct str value;
};
struct scaling_dimension_list { struct scaling_dimension *items; size_t count; };
extern const struct schema scaling_dimension_schema;

struct customized_metric_specification {
    struct str metric_name;
    struct str namespace;
    struct scaling_dimension_list dimensions;
    enum scaling_statistic statistic;
    struct str unit;
    struct str metrics;                      /* refused */
};
struct customized_metric_specification_list { struct customized_metric_specification *items; size_t count; };
extern const struct schema customized_metric_specification_schema;

struct target_tracking {
    struct opt_double target_value;
    struct predefined_metric_specification *predefined;
    struct customized_metric_specification *customized;
    struct opt_int out_cooldown;             /* seconds */
    struct opt_int in_cooldown;
    enum opt_bool out_only;
};
struct target_tracking_list { struct target_tracking *items; size_t count; };
extern const struct schema target_tracking_schema;

struct step_adjustment {
    struct opt_double lower;
    struct opt_double upper;
    struct opt_int adjustment;
};
struct step_adjustment_list { struct step_adjustment *items; size_t count; };
extern const struct schema step_adjustment_schema;

struct step_scaling {
    enum adjustment_type type;
    struct step_adjustment_list steps;
    struct opt_int least;
    struct opt_int cooldown;                 /* seconds */
    enum metric_aggregation aggregation;
};
struct step_scaling_list { struct step_scaling *items; size_t count; };
extern const struct schema step_scaling_schema;

struct kept_policy {
    struct str name;
    enum scaling_policy_type type;
    struct target_tracking *tracking;        /* of the one type, step: of the other */
    struct step_scaling *step;
    int64_t created_ms;
    int64_t out_ms;                          /* when it last scaled out; 0: never, or a cooldown is over */
    int64_t out_step;                        /* how many tasks that has added */
    int64_t in_ms;                           /* when it last scaled in; 0: never, or it has scaled out since */
};
struct kept_policy_list { struct kept_policy *items; size_t count; };
extern const struct schema kept_policy_record;

struct scalable_target_action {
    struct opt_int min;
    struct opt_int max;
};
struct scalable_target_action_list { struct scalable_target_action *items; size_t count; };
extern const struct schema scalable_target_action_schema;

struct kept_action {
    struct str name;
    struct str schedule;
    struct str timezone;
    int64_t start_ms;                        /* 0: none, as with end_ms */
    int64_t end_ms;
    struct scalable_target_action *change;
    int64_t created_ms;
    int64_t next_ms;                         /* 0: never again */
};
struct kept_action_list { struct kept_action *items; size_t count; };
extern const struct schema kept_action_record;

struct not_scaled_reason {
    struct str code;
    struct opt_int max_capacity;
    struct opt_int min_capacity;
    struct opt_int current_capacity;
};
struct not_scaled_reason_list { struct not_scaled_reason *items; size_t count; };
extern const struct schema not_scaled_reason_schema;

struct kept_activity {
    int64_t number;                          /* counts the target's activities */
    int64_t desired;                         /* that it set; with `reason`: that was wanted */
    struct str cause;
    enum scaling_status status;
    int64_t start_ms;
    int64_t end_ms;                          /* 0: it goes on */
    struct not_scaled_reason *reason;        /* NULL: the count changed */
};
struct kept_activity_list { struct kept_activity *items; size_t count; };
extern const struct schema kept_activity_record;

struct kept_scaling {
    int64_t service;                         /* the service's number, which is the key */
    int64_t min;
    int64_t max;
    struct str role;
    struct suspended_state *suspended;       /* never NULL */
    struct tag_list tags;
    int64_t created_ms;
    struct kept_policy_list policies;        /* by name; SCALING_POLICIES_MAX at most */
    struct kept_action_list actions;         /* by name; SCALING_ACTIONS_MAX at most */
    struct kept_activity_list activities;    /* newest first; SCALING_ACTIVITIES_MAX at most */
    int64_t count;                           /* of activities that there were */
};
struct kept_scaling_list { struct kept_scaling *items; size_t count; };
extern const struct schema kept_scaling_record;

#endif
