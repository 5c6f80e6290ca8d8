/* Written by tools/shapes from model/records/scaling.shapes. */
#include "model/records/scaling.h"

#include "base/assert.h"

static const struct str scaling_policy_type_words[] = { STR_INIT("TargetTrackingScaling"), STR_INIT("StepScaling") };
const struct enum_names scaling_policy_type_names = { scaling_policy_type_words, COUNT_OF(scaling_policy_type_words) };

static const struct str predefined_metric_words[] = { STR_INIT("ECSServiceAverageCPUUtilization"),
    STR_INIT("ECSServiceAverageMemoryUtilization"), STR_INIT("ALBRequestCountPerTarget") };
const struct enum_names predefined_metric_names = { predefined_metric_words, COUNT_OF(predefined_metric_words) };

static const struct str scaling_statistic_words[] = { STR_INIT("Average"), STR_INIT("Minimum"), STR_INIT("Maximum"),
    STR_INIT("SampleCount"), STR_INIT("Sum") };
const struct enum_names scaling_statistic_names = { scaling_statistic_words, COUNT_OF(scaling_statistic_words) };

static const struct str adjustment_type_words[] = { STR_INIT("ChangeInCapacity"), STR_INIT("PercentChangeInCapacity"),
    STR_INIT("ExactCapacity") };
const struct enum_names adjustment_type_names = { adjustment_type_words, COUNT_OF(adjustment_type_words) };

static const struct str metric_aggregation_words[] = { STR_INIT("Average"), STR_INIT("Minimum"), STR_INIT("Maximum") };
const struct enum_names metric_aggregation_names = { metric_aggregation_words, COUNT_OF(metric_aggregation_words) };

static const struct str scaling_status_words[] = { STR_INIT("Pending"), STR_INIT("InProgress"), STR_INIT("Successful"),
    STR_INIT("Overridden"), STR_INIT("Unfulfilled"), STR_INIT("Failed") };
const struct enum_names scaling_status_names = { scaling_status_words, COUNT_OF(scaling_status_words) };

#define AT(member) .offset = offsetof(struct suspended_state, member)
static const struct field suspended_state_schema_fields[] = {
    { STR_INIT("DynamicScalingInSuspended"), 1, FIELD_BOOL, AT(in) },
    { STR_INIT("DynamicScalingOutSuspended"), 2, FIELD_BOOL, AT(out) },
    { STR_INIT("ScheduledScalingSuspended"), 3, FIELD_BOOL, AT(scheduled) },
};
#undef AT
const struct schema suspended_state_schema = SCHEMA_OF("SuspendedState", struct suspended_state, suspended_state_schema_fields);

#define AT(member) .offset = offsetof(struct predefined_metric_specification, member)
static const struct field predefined_metric_specification_schema_fields[] = {
    { STR_INIT("PredefinedMetricType"), 1, FIELD_ENUM, AT(type), .names = &predefined_metric_names, .required = true },
    { STR_INIT("ResourceLabel"), 2, FIELD_STR, AT(resource_label), .min = 1, .max = 1023 },
};
#undef AT
const struct schema predefined_metric_specification_schema = SCHEMA_OF("PredefinedMetricSpecification",
    struct predefined_metric_specification, predefined_metric_specification_schema_fields);

#define AT(member) .offset = offsetof(struct scaling_dimension, member)
static const struct field scaling_dimension_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .required = true },
    { STR_INIT("Value"), 2, FIELD_STR, AT(value), .required = true },
};
#undef AT
const struct schema scaling_dimension_schema = SCHEMA_OF("MetricDimension", struct scaling_dimension,
    scaling_dimension_schema_fields);

#define AT(member) .offset = offsetof(struct customized_metric_specification, member)
static const struct field customized_metric_specification_schema_fields[] = {
    { STR_INIT("MetricName"), 1, FIELD_STR, AT(metric_name) },
    { STR_INIT("Namespace"), 2, FIELD_STR, AT(namespace) },
    { STR_INIT("Dimensions"), 3, FIELD_LIST, AT(dimensions), .element = FIELD_STRUCT, .schema = &scaling_dimension_schema,
      .max = 30 },
    { STR_INIT("Statistic"), 4, FIELD_ENUM, AT(statistic), .names = &scaling_statistic_names },
    { STR_INIT("Unit"), 5, FIELD_STR, AT(unit) },
    { STR_INIT("Metrics"), 0, FIELD_JSON, AT(metrics) },
};
#undef AT
const struct schema customized_metric_specification_schema = SCHEMA_OF("CustomizedMetricSpecification",
    struct customized_metric_specification, customized_metric_specification_schema_fields);

#define AT(member) .offset = offsetof(struct target_tracking, member)
static const struct field target_tracking_schema_fields[] = {
    { STR_INIT("TargetValue"), 1, FIELD_DOUBLE, AT(target_value), .required = true },
    { STR_INIT("PredefinedMetricSpecification"), 2, FIELD_STRUCT, AT(predefined),
      .schema = &predefined_metric_specification_schema },
    { STR_INIT("CustomizedMetricSpecification"), 3, FIELD_STRUCT, AT(customized),
      .schema = &customized_metric_specification_schema },
    { STR_INIT("ScaleOutCooldown"), 4, FIELD_INT, AT(out_cooldown) },
    { STR_INIT("ScaleInCooldown"), 5, FIELD_INT, AT(in_cooldown) },
    { STR_INIT("DisableScaleIn"), 6, FIELD_BOOL, AT(out_only) },
};
#undef AT
const struct schema target_tracking_schema = SCHEMA_OF("TargetTrackingScalingPolicyConfiguration", struct target_tracking,
    target_tracking_schema_fields);

#define AT(member) .offset = offsetof(struct step_adjustment, member)
static const struct field step_adjustment_schema_fields[] = {
    { STR_INIT("MetricIntervalLowerBound"), 1, FIELD_DOUBLE, AT(lower) },
    { STR_INIT("MetricIntervalUpperBound"), 2, FIELD_DOUBLE, AT(upper) },
    { STR_INIT("ScalingAdjustment"), 3, FIELD_INT, AT(adjustment), .required = true },
};
#undef AT
const struct schema step_adjustment_schema = SCHEMA_OF("StepAdjustment", struct step_adjustment, step_adjustment_schema_fields);

#define AT(member) .offset = offsetof(struct step_scaling, member)
static const struct field step_scaling_schema_fields[] = {
    { STR_INIT("AdjustmentType"), 1, FIELD_ENUM, AT(type), .names = &adjustment_type_names },
    { STR_INIT("StepAdjustments"), 2, FIELD_LIST, AT(steps), .element = FIELD_STRUCT, .schema = &step_adjustment_schema,
      .max = 20 },
    { STR_INIT("MinAdjustmentMagnitude"), 3, FIELD_INT, AT(least) },
    { STR_INIT("Cooldown"), 4, FIELD_INT, AT(cooldown) },
    { STR_INIT("MetricAggregationType"), 5, FIELD_ENUM, AT(aggregation), .names = &metric_aggregation_names },
};
#undef AT
const struct schema step_scaling_schema = SCHEMA_OF("StepScalingPolicyConfiguration", struct step_scaling,
    step_scaling_schema_fields);

#define AT(member) .offset = offsetof(struct kept_policy, member)
static const struct field kept_policy_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(name) },
    { STR_INIT(""), 2, FIELD_ENUM, AT(type), .names = &scaling_policy_type_names },
    { STR_INIT(""), 3, FIELD_STRUCT, AT(tracking), .schema = &target_tracking_schema },
    { STR_INIT(""), 4, FIELD_STRUCT, AT(step), .schema = &step_scaling_schema },
    { STR_INIT(""), 5, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 6, FIELD_I64, AT(out_ms) },
    { STR_INIT(""), 7, FIELD_I64, AT(out_step) },
    { STR_INIT(""), 8, FIELD_I64, AT(in_ms) },
};
#undef AT
const struct schema kept_policy_record = SCHEMA_OF("scaling policy", struct kept_policy, kept_policy_record_fields);

#define AT(member) .offset = offsetof(struct scalable_target_action, member)
static const struct field scalable_target_action_schema_fields[] = {
    { STR_INIT("MinCapacity"), 1, FIELD_INT, AT(min), .min = 0, .max = 2147483647 },
    { STR_INIT("MaxCapacity"), 2, FIELD_INT, AT(max), .min = 0, .max = 2147483647 },
};
#undef AT
const struct schema scalable_target_action_schema = SCHEMA_OF("ScalableTargetAction", struct scalable_target_action,
    scalable_target_action_schema_fields);

#define AT(member) .offset = offsetof(struct kept_action, member)
static const struct field kept_action_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(name) },
    { STR_INIT(""), 2, FIELD_STR, AT(schedule) },
    { STR_INIT(""), 3, FIELD_STR, AT(timezone) },
    { STR_INIT(""), 4, FIELD_I64, AT(start_ms) },
    { STR_INIT(""), 5, FIELD_I64, AT(end_ms) },
    { STR_INIT(""), 6, FIELD_STRUCT, AT(change), .schema = &scalable_target_action_schema },
    { STR_INIT(""), 7, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 8, FIELD_I64, AT(next_ms) },
};
#undef AT
const struct schema kept_action_record = SCHEMA_OF("scheduled action", struct kept_action, kept_action_record_fields);

#define AT(member) .offset = offsetof(struct not_scaled_reason, member)
static const struct field not_scaled_reason_schema_fields[] = {
    { STR_INIT("Code"), 1, FIELD_STR, AT(code) },
    { STR_INIT("MaxCapacity"), 2, FIELD_INT, AT(max_capacity) },
    { STR_INIT("MinCapacity"), 3, FIELD_INT, AT(min_capacity) },
    { STR_INIT("CurrentCapacity"), 4, FIELD_INT, AT(current_capacity) },
};
#undef AT
const struct schema not_scaled_reason_schema = SCHEMA_OF("NotScaledReason", struct not_scaled_reason,
    not_scaled_reason_schema_fields);

#define AT(member) .offset = offsetof(struct kept_activity, member)
static const struct field kept_activity_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(number) },
    { STR_INIT(""), 2, FIELD_I64, AT(desired) },
    { STR_INIT(""), 3, FIELD_STR, AT(cause) },
    { STR_INIT(""), 4, FIELD_ENUM, AT(status), .names = &scaling_status_names },
    { STR_INIT(""), 5, FIELD_I64, AT(start_ms) },
    { STR_INIT(""), 6, FIELD_I64, AT(end_ms) },
    { STR_INIT(""), 7, FIELD_STRUCT, AT(reason), .schema = &not_scaled_reason_schema },
};
#undef AT
const struct schema kept_activity_record = SCHEMA_OF("scaling activity", struct kept_activity, kept_activity_record_fields);

#define AT(member) .offset = offsetof(struct kept_scaling, member)
static const struct field kept_scaling_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(service) },
    { STR_INIT(""), 2, FIELD_I64, AT(min) },
    { STR_INIT(""), 3, FIELD_I64, AT(max) },
    { STR_INIT(""), 4, FIELD_STR, AT(role) },
    { STR_INIT(""), 5, FIELD_STRUCT, AT(suspended), .schema = &suspended_state_schema },
    { STR_INIT(""), 6, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 7, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 8, FIELD_LIST, AT(policies), .element = FIELD_STRUCT, .schema = &kept_policy_record },
    { STR_INIT(""), 9, FIELD_LIST, AT(actions), .element = FIELD_STRUCT, .schema = &kept_action_record },
    { STR_INIT(""), 10, FIELD_LIST, AT(activities), .element = FIELD_STRUCT, .schema = &kept_activity_record },
    { STR_INIT(""), 11, FIELD_I64, AT(count) },
};
#undef AT
const struct schema kept_scaling_record = SCHEMA_OF("scalable target", struct kept_scaling, kept_scaling_record_fields);
