/* Written by tools/shapes from api/aws/scaling.shapes. */
#include "api/aws/scaling.h"

#include "base/assert.h"

static const struct str scaling_namespace_words[] = { STR_INIT("ecs") };
const struct enum_names scaling_namespace_names = { scaling_namespace_words, COUNT_OF(scaling_namespace_words) };

static const struct str scalable_dimension_words[] = { STR_INIT("ecs:service:DesiredCount") };
const struct enum_names scalable_dimension_names = { scalable_dimension_words, COUNT_OF(scalable_dimension_words) };

#define AT(member) .offset = offsetof(struct register_target_request, member)
static const struct field register_target_request_schema_fields[] = {
    { STR_INIT("ServiceNamespace"), 1, FIELD_ENUM, AT(space), .names = &scaling_namespace_names, .required = true },
    { STR_INIT("ResourceId"), 2, FIELD_STR, AT(resource), .min = 1, .max = 1600, .required = true },
    { STR_INIT("ScalableDimension"), 3, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names, .required = true },
    { STR_INIT("MinCapacity"), 4, FIELD_INT, AT(min), .min = 0, .max = 2147483647 },
    { STR_INIT("MaxCapacity"), 5, FIELD_INT, AT(max), .min = 0, .max = 2147483647 },
    { STR_INIT("RoleARN"), 6, FIELD_STR, AT(role), .min = 1, .max = 1600 },
    { STR_INIT("SuspendedState"), 7, FIELD_STRUCT, AT(suspended), .schema = &suspended_state_schema },
    { STR_INIT("Tags"), 8, FIELD_MAP, AT(tags) },
};
#undef AT
const struct schema register_target_request_schema = SCHEMA_OF("RegisterScalableTargetRequest", struct register_target_request,
    register_target_request_schema_fields);

#define AT(member) .offset = offsetof(struct register_target_response, member)
static const struct field register_target_response_schema_fields[] = {
    { STR_INIT("ScalableTargetARN"), 1, FIELD_STR, AT(arn) },
};
#undef AT
const struct schema register_target_response_schema = SCHEMA_OF("RegisterScalableTargetResponse", struct register_target_response,
    register_target_response_schema_fields);

#define AT(member) .offset = offsetof(struct deregister_target_request, member)
static const struct field deregister_target_request_schema_fields[] = {
    { STR_INIT("ServiceNamespace"), 1, FIELD_ENUM, AT(space), .names = &scaling_namespace_names, .required = true },
    { STR_INIT("ResourceId"), 2, FIELD_STR, AT(resource), .min = 1, .max = 1600, .required = true },
    { STR_INIT("ScalableDimension"), 3, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names, .required = true },
};
#undef AT
const struct schema deregister_target_request_schema = SCHEMA_OF("DeregisterScalableTargetRequest",
    struct deregister_target_request, deregister_target_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_targets_request, member)
static const struct field describe_targets_request_schema_fields[] = {
    { STR_INIT("ServiceNamespace"), 1, FIELD_ENUM, AT(space), .names = &scaling_namespace_names, .required = true },
    { STR_INIT("ResourceIds"), 2, FIELD_LIST, AT(resources), .element = FIELD_STR, .max = 50 },
    { STR_INIT("ScalableDimension"), 3, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names },
    { STR_INIT("MaxResults"), 4, FIELD_INT, AT(max_results), .min = 1, .max = 50 },
    { STR_INIT("NextToken"), 5, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema describe_targets_request_schema = SCHEMA_OF("DescribeScalableTargetsRequest", struct describe_targets_request,
    describe_targets_request_schema_fields);

#define AT(member) .offset = offsetof(struct scalable_target_view, member)
static const struct field scalable_target_view_schema_fields[] = {
    { STR_INIT("ServiceNamespace"), 1, FIELD_ENUM, AT(space), .names = &scaling_namespace_names },
    { STR_INIT("ResourceId"), 2, FIELD_STR, AT(resource) },
    { STR_INIT("ScalableDimension"), 3, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names },
    { STR_INIT("MinCapacity"), 4, FIELD_INT, AT(min) },
    { STR_INIT("MaxCapacity"), 5, FIELD_INT, AT(max) },
    { STR_INIT("RoleARN"), 6, FIELD_STR, AT(role) },
    { STR_INIT("CreationTime"), 7, FIELD_TIME, AT(created_ms) },
    { STR_INIT("SuspendedState"), 8, FIELD_STRUCT, AT(suspended), .schema = &suspended_state_schema },
    { STR_INIT("ScalableTargetARN"), 9, FIELD_STR, AT(arn) },
};
#undef AT
const struct schema scalable_target_view_schema = SCHEMA_OF("ScalableTarget", struct scalable_target_view,
    scalable_target_view_schema_fields);

#define AT(member) .offset = offsetof(struct describe_targets_response, member)
static const struct field describe_targets_response_schema_fields[] = {
    { STR_INIT("ScalableTargets"), 1, FIELD_LIST, AT(targets), .element = FIELD_STRUCT, .schema = &scalable_target_view_schema },
    { STR_INIT("NextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema describe_targets_response_schema = SCHEMA_OF("DescribeScalableTargetsResponse",
    struct describe_targets_response, describe_targets_response_schema_fields);

#define AT(member) .offset = offsetof(struct put_policy_request, member)
static const struct field put_policy_request_schema_fields[] = {
    { STR_INIT("PolicyName"), 1, FIELD_STR, AT(name), .min = 1, .max = 256, .required = true },
    { STR_INIT("ServiceNamespace"), 2, FIELD_ENUM, AT(space), .names = &scaling_namespace_names, .required = true },
    { STR_INIT("ResourceId"), 3, FIELD_STR, AT(resource), .min = 1, .max = 1600, .required = true },
    { STR_INIT("ScalableDimension"), 4, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names, .required = true },
    { STR_INIT("PolicyType"), 5, FIELD_ENUM, AT(type), .names = &scaling_policy_type_names },
    { STR_INIT("StepScalingPolicyConfiguration"), 6, FIELD_STRUCT, AT(step), .schema = &step_scaling_schema },
    { STR_INIT("TargetTrackingScalingPolicyConfiguration"), 7, FIELD_STRUCT, AT(tracking), .schema = &target_tracking_schema },
};
#undef AT
const struct schema put_policy_request_schema = SCHEMA_OF("PutScalingPolicyRequest", struct put_policy_request,
    put_policy_request_schema_fields);

#define AT(member) .offset = offsetof(struct scaling_alarm_view, member)
static const struct field scaling_alarm_view_schema_fields[] = {
    { STR_INIT("AlarmName"), 1, FIELD_STR, AT(name) },
    { STR_INIT("AlarmARN"), 2, FIELD_STR, AT(arn) },
};
#undef AT
const struct schema scaling_alarm_view_schema = SCHEMA_OF("Alarm", struct scaling_alarm_view, scaling_alarm_view_schema_fields);

#define AT(member) .offset = offsetof(struct put_policy_response, member)
static const struct field put_policy_response_schema_fields[] = {
    { STR_INIT("PolicyARN"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("Alarms"), 2, FIELD_LIST, AT(alarms), .element = FIELD_STRUCT, .schema = &scaling_alarm_view_schema },
};
#undef AT
const struct schema put_policy_response_schema = SCHEMA_OF("PutScalingPolicyResponse", struct put_policy_response,
    put_policy_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_policy_request, member)
static const struct field delete_policy_request_schema_fields[] = {
    { STR_INIT("PolicyName"), 1, FIELD_STR, AT(name), .min = 1, .max = 1600, .required = true },
    { STR_INIT("ServiceNamespace"), 2, FIELD_ENUM, AT(space), .names = &scaling_namespace_names, .required = true },
    { STR_INIT("ResourceId"), 3, FIELD_STR, AT(resource), .min = 1, .max = 1600, .required = true },
    { STR_INIT("ScalableDimension"), 4, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names, .required = true },
};
#undef AT
const struct schema delete_policy_request_schema = SCHEMA_OF("DeleteScalingPolicyRequest", struct delete_policy_request,
    delete_policy_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_policies_request, member)
static const struct field describe_policies_request_schema_fields[] = {
    { STR_INIT("PolicyNames"), 1, FIELD_LIST, AT(names), .element = FIELD_STR, .max = 50 },
    { STR_INIT("ServiceNamespace"), 2, FIELD_ENUM, AT(space), .names = &scaling_namespace_names, .required = true },
    { STR_INIT("ResourceId"), 3, FIELD_STR, AT(resource), .min = 1, .max = 1600 },
    { STR_INIT("ScalableDimension"), 4, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names },
    { STR_INIT("MaxResults"), 5, FIELD_INT, AT(max_results), .min = 1, .max = 50 },
    { STR_INIT("NextToken"), 6, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema describe_policies_request_schema = SCHEMA_OF("DescribeScalingPoliciesRequest",
    struct describe_policies_request, describe_policies_request_schema_fields);

#define AT(member) .offset = offsetof(struct scaling_policy_view, member)
static const struct field scaling_policy_view_schema_fields[] = {
    { STR_INIT("PolicyARN"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("PolicyName"), 2, FIELD_STR, AT(name) },
    { STR_INIT("ServiceNamespace"), 3, FIELD_ENUM, AT(space), .names = &scaling_namespace_names },
    { STR_INIT("ResourceId"), 4, FIELD_STR, AT(resource) },
    { STR_INIT("ScalableDimension"), 5, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names },
    { STR_INIT("PolicyType"), 6, FIELD_ENUM, AT(type), .names = &scaling_policy_type_names },
    { STR_INIT("StepScalingPolicyConfiguration"), 7, FIELD_STRUCT, AT(step), .schema = &step_scaling_schema },
    { STR_INIT("TargetTrackingScalingPolicyConfiguration"), 8, FIELD_STRUCT, AT(tracking), .schema = &target_tracking_schema },
    { STR_INIT("Alarms"), 9, FIELD_LIST, AT(alarms), .element = FIELD_STRUCT, .schema = &scaling_alarm_view_schema },
    { STR_INIT("CreationTime"), 10, FIELD_TIME, AT(created_ms) },
};
#undef AT
const struct schema scaling_policy_view_schema = SCHEMA_OF("ScalingPolicy", struct scaling_policy_view,
    scaling_policy_view_schema_fields);

#define AT(member) .offset = offsetof(struct describe_policies_response, member)
static const struct field describe_policies_response_schema_fields[] = {
    { STR_INIT("ScalingPolicies"), 1, FIELD_LIST, AT(policies), .element = FIELD_STRUCT, .schema = &scaling_policy_view_schema },
    { STR_INIT("NextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema describe_policies_response_schema = SCHEMA_OF("DescribeScalingPoliciesResponse",
    struct describe_policies_response, describe_policies_response_schema_fields);

#define AT(member) .offset = offsetof(struct put_action_request, member)
static const struct field put_action_request_schema_fields[] = {
    { STR_INIT("ServiceNamespace"), 1, FIELD_ENUM, AT(space), .names = &scaling_namespace_names, .required = true },
    { STR_INIT("Schedule"), 2, FIELD_STR, AT(schedule), .min = 1, .max = 1600 },
    { STR_INIT("Timezone"), 3, FIELD_STR, AT(timezone), .min = 1, .max = 1600 },
    { STR_INIT("ScheduledActionName"), 4, FIELD_STR, AT(name), .min = 1, .max = 256, .required = true },
    { STR_INIT("ResourceId"), 5, FIELD_STR, AT(resource), .min = 1, .max = 1600, .required = true },
    { STR_INIT("ScalableDimension"), 6, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names, .required = true },
    { STR_INIT("StartTime"), 7, FIELD_TIME, AT(start_ms) },
    { STR_INIT("EndTime"), 8, FIELD_TIME, AT(end_ms) },
    { STR_INIT("ScalableTargetAction"), 9, FIELD_STRUCT, AT(change), .schema = &scalable_target_action_schema },
};
#undef AT
const struct schema put_action_request_schema = SCHEMA_OF("PutScheduledActionRequest", struct put_action_request,
    put_action_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_action_request, member)
static const struct field delete_action_request_schema_fields[] = {
    { STR_INIT("ServiceNamespace"), 1, FIELD_ENUM, AT(space), .names = &scaling_namespace_names, .required = true },
    { STR_INIT("ScheduledActionName"), 2, FIELD_STR, AT(name), .min = 1, .max = 1600, .required = true },
    { STR_INIT("ResourceId"), 3, FIELD_STR, AT(resource), .min = 1, .max = 1600, .required = true },
    { STR_INIT("ScalableDimension"), 4, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names, .required = true },
};
#undef AT
const struct schema delete_action_request_schema = SCHEMA_OF("DeleteScheduledActionRequest", struct delete_action_request,
    delete_action_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_actions_request, member)
static const struct field describe_actions_request_schema_fields[] = {
    { STR_INIT("ScheduledActionNames"), 1, FIELD_LIST, AT(names), .element = FIELD_STR, .max = 50 },
    { STR_INIT("ServiceNamespace"), 2, FIELD_ENUM, AT(space), .names = &scaling_namespace_names, .required = true },
    { STR_INIT("ResourceId"), 3, FIELD_STR, AT(resource), .min = 1, .max = 1600 },
    { STR_INIT("ScalableDimension"), 4, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names },
    { STR_INIT("MaxResults"), 5, FIELD_INT, AT(max_results), .min = 1, .max = 50 },
    { STR_INIT("NextToken"), 6, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema describe_actions_request_schema = SCHEMA_OF("DescribeScheduledActionsRequest",
    struct describe_actions_request, describe_actions_request_schema_fields);

#define AT(member) .offset = offsetof(struct scheduled_action_view, member)
static const struct field scheduled_action_view_schema_fields[] = {
    { STR_INIT("ScheduledActionName"), 1, FIELD_STR, AT(name) },
    { STR_INIT("ScheduledActionARN"), 2, FIELD_STR, AT(arn) },
    { STR_INIT("ServiceNamespace"), 3, FIELD_ENUM, AT(space), .names = &scaling_namespace_names },
    { STR_INIT("Schedule"), 4, FIELD_STR, AT(schedule) },
    { STR_INIT("Timezone"), 5, FIELD_STR, AT(timezone) },
    { STR_INIT("ResourceId"), 6, FIELD_STR, AT(resource) },
    { STR_INIT("ScalableDimension"), 7, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names },
    { STR_INIT("StartTime"), 8, FIELD_TIME, AT(start_ms) },
    { STR_INIT("EndTime"), 9, FIELD_TIME, AT(end_ms) },
    { STR_INIT("ScalableTargetAction"), 10, FIELD_STRUCT, AT(change), .schema = &scalable_target_action_schema },
    { STR_INIT("CreationTime"), 11, FIELD_TIME, AT(created_ms) },
};
#undef AT
const struct schema scheduled_action_view_schema = SCHEMA_OF("ScheduledAction", struct scheduled_action_view,
    scheduled_action_view_schema_fields);

#define AT(member) .offset = offsetof(struct describe_actions_response, member)
static const struct field describe_actions_response_schema_fields[] = {
    { STR_INIT("ScheduledActions"), 1, FIELD_LIST, AT(actions), .element = FIELD_STRUCT,
      .schema = &scheduled_action_view_schema },
    { STR_INIT("NextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema describe_actions_response_schema = SCHEMA_OF("DescribeScheduledActionsResponse",
    struct describe_actions_response, describe_actions_response_schema_fields);

#define AT(member) .offset = offsetof(struct describe_activities_request, member)
static const struct field describe_activities_request_schema_fields[] = {
    { STR_INIT("ServiceNamespace"), 1, FIELD_ENUM, AT(space), .names = &scaling_namespace_names, .required = true },
    { STR_INIT("ResourceId"), 2, FIELD_STR, AT(resource), .min = 1, .max = 1600 },
    { STR_INIT("ScalableDimension"), 3, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names },
    { STR_INIT("MaxResults"), 4, FIELD_INT, AT(max_results), .min = 1, .max = 50 },
    { STR_INIT("NextToken"), 5, FIELD_STR, AT(next_token) },
    { STR_INIT("IncludeNotScaledActivities"), 6, FIELD_BOOL, AT(all) },
};
#undef AT
const struct schema describe_activities_request_schema = SCHEMA_OF("DescribeScalingActivitiesRequest",
    struct describe_activities_request, describe_activities_request_schema_fields);

#define AT(member) .offset = offsetof(struct scaling_activity_view, member)
static const struct field scaling_activity_view_schema_fields[] = {
    { STR_INIT("ActivityId"), 1, FIELD_STR, AT(id) },
    { STR_INIT("ServiceNamespace"), 2, FIELD_ENUM, AT(space), .names = &scaling_namespace_names },
    { STR_INIT("ResourceId"), 3, FIELD_STR, AT(resource) },
    { STR_INIT("ScalableDimension"), 4, FIELD_ENUM, AT(dimension), .names = &scalable_dimension_names },
    { STR_INIT("Description"), 5, FIELD_STR, AT(description) },
    { STR_INIT("Cause"), 6, FIELD_STR, AT(cause) },
    { STR_INIT("StartTime"), 7, FIELD_TIME, AT(start_ms) },
    { STR_INIT("EndTime"), 8, FIELD_TIME, AT(end_ms) },
    { STR_INIT("StatusCode"), 9, FIELD_ENUM, AT(code), .names = &scaling_status_names },
    { STR_INIT("StatusMessage"), 10, FIELD_STR, AT(message) },
    { STR_INIT("NotScaledReasons"), 11, FIELD_LIST, AT(reasons), .element = FIELD_STRUCT, .schema = &not_scaled_reason_schema },
};
#undef AT
const struct schema scaling_activity_view_schema = SCHEMA_OF("ScalingActivity", struct scaling_activity_view,
    scaling_activity_view_schema_fields);

#define AT(member) .offset = offsetof(struct describe_activities_response, member)
static const struct field describe_activities_response_schema_fields[] = {
    { STR_INIT("ScalingActivities"), 1, FIELD_LIST, AT(activities), .element = FIELD_STRUCT,
      .schema = &scaling_activity_view_schema },
    { STR_INIT("NextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema describe_activities_response_schema = SCHEMA_OF("DescribeScalingActivitiesResponse",
    struct describe_activities_response, describe_activities_response_schema_fields);

#define AT(member) .offset = offsetof(struct list_scaling_tags_request, member)
static const struct field list_scaling_tags_request_schema_fields[] = {
    { STR_INIT("ResourceARN"), 1, FIELD_STR, AT(arn), .min = 1, .max = 1011, .required = true },
};
#undef AT
const struct schema list_scaling_tags_request_schema = SCHEMA_OF("ListTagsForResourceRequest", struct list_scaling_tags_request,
    list_scaling_tags_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_scaling_tags_response, member)
static const struct field list_scaling_tags_response_schema_fields[] = {
    { STR_INIT("Tags"), 1, FIELD_MAP, AT(tags) },
};
#undef AT
const struct schema list_scaling_tags_response_schema = SCHEMA_OF("ListTagsForResourceResponse",
    struct list_scaling_tags_response, list_scaling_tags_response_schema_fields);

#define AT(member) .offset = offsetof(struct tag_scaling_request, member)
static const struct field tag_scaling_request_schema_fields[] = {
    { STR_INIT("ResourceARN"), 1, FIELD_STR, AT(arn), .min = 1, .max = 1011, .required = true },
    { STR_INIT("Tags"), 2, FIELD_MAP, AT(tags), .required = true },
};
#undef AT
const struct schema tag_scaling_request_schema = SCHEMA_OF("TagResourceRequest", struct tag_scaling_request,
    tag_scaling_request_schema_fields);

#define AT(member) .offset = offsetof(struct untag_scaling_request, member)
static const struct field untag_scaling_request_schema_fields[] = {
    { STR_INIT("ResourceARN"), 1, FIELD_STR, AT(arn), .min = 1, .max = 1011, .required = true },
    { STR_INIT("TagKeys"), 2, FIELD_LIST, AT(keys), .element = FIELD_STR, .max = 200, .required = true },
};
#undef AT
const struct schema untag_scaling_request_schema = SCHEMA_OF("UntagResourceRequest", struct untag_scaling_request,
    untag_scaling_request_schema_fields);
