/* scaling.h: inputs and outputs of the operations of Application Auto Scaling, in the order of its model. Written by tools/shapes
 * from api/aws/scaling.shapes. */
#ifndef BERTH_API_AWS_SCALING_H
#define BERTH_API_AWS_SCALING_H

#include "model/scaling.h"

enum scaling_namespace { SCALING_NAMESPACE_UNSET, SCALING_OF_ECS, SCALING_NAMESPACE_COUNT };
extern const struct enum_names scaling_namespace_names;

enum scalable_dimension { SCALABLE_DIMENSION_UNSET, SCALABLE_DESIRED_COUNT, SCALABLE_DIMENSION_COUNT };
extern const struct enum_names scalable_dimension_names;

struct register_target_request {
    enum scaling_namespace space;
    struct str resource;
    enum scalable_dimension dimension;
    struct opt_int min;
    struct opt_int max;
    struct str role;
    struct suspended_state *suspended;
    struct pair_list tags;
};
struct register_target_request_list { struct register_target_request *items; size_t count; };
extern const struct schema register_target_request_schema;

struct register_target_response {
    struct str arn;
};
struct register_target_response_list { struct register_target_response *items; size_t count; };
extern const struct schema register_target_response_schema;

struct deregister_target_request {
    enum scaling_namespace space;
    struct str resource;
    enum scalable_dimension dimension;
};
struct deregister_target_request_list { struct deregister_target_request *items; size_t count; };
extern const struct schema deregister_target_request_schema;

struct describe_targets_request {
    enum scaling_namespace space;
    struct str_list resources;
    enum scalable_dimension dimension;
    struct opt_int max_results;
    struct str next_token;
};
struct describe_targets_request_list { struct describe_targets_request *items; size_t count; };
extern const struct schema describe_targets_request_schema;

struct scalable_target_view {
    enum scaling_namespace space;
    struct str resource;
    enum scalable_dimension dimension;
    struct opt_int min;
    struct opt_int max;
    struct str role;
    int64_t created_ms;
    struct suspended_state *suspended;
    struct str arn;
};
struct scalable_target_view_list { struct scalable_target_view *items; size_t count; };
extern const struct schema scalable_target_view_schema;

struct describe_targets_response {
    struct scalable_target_view_list targets;
    struct str next_token;
};
struct describe_targets_response_list { struct describe_targets_response *items; size_t count; };
extern const struct schema describe_targets_response_schema;

struct put_policy_request {
    struct str name;
    enum scaling_namespace space;
    struct str resource;
    enum scalable_dimension dimension;
    enum scaling_policy_type type;
    struct step_scaling *step;
    struct target_tracking *tracking;
};
struct put_policy_request_list { struct put_policy_request *items; size_t count; };
extern const struct schema put_policy_request_schema;

struct scaling_alarm_view {
    struct str name;
    struct str arn;
};
struct scaling_alarm_view_list { struct scaling_alarm_view *items; size_t count; };
extern const struct schema scaling_alarm_view_schema;

struct put_policy_response {
    struct str arn;
    struct scaling_alarm_view_list alarms;
};
struct put_policy_response_list { struct put_policy_response *items; size_t count; };
extern const struct schema put_policy_response_schema;

struct delete_policy_request {
    struct str name;
    enum scaling_namespace space;
    struct str resource;
    enum scalable_dimension dimension;
};
struct delete_policy_request_list { struct delete_policy_request *items; size_t count; };
extern const struct schema delete_policy_request_schema;

struct describe_policies_request {
    struct str_list names;
    enum scaling_namespace space;
    struct str resource;
    enum scalable_dimension dimension;
    struct opt_int max_results;
    struct str next_token;
};
struct describe_policies_request_list { struct describe_policies_request *items; size_t count; };
extern const struct schema describe_policies_request_schema;

struct scaling_policy_view {
    struct str arn;
    struct str name;
    enum scaling_namespace space;
    struct str resource;
    enum scalable_dimension dimension;
    enum scaling_policy_type type;
    struct step_scaling *step;
    struct target_tracking *tracking;
    struct scaling_alarm_view_list alarms;
    int64_t created_ms;
};
struct scaling_policy_view_list { struct scaling_policy_view *items; size_t count; };
extern const struct schema scaling_policy_view_schema;

struct describe_policies_response {
    struct scaling_policy_view_list policies;
    struct str next_token;
};
struct describe_policies_response_list { struct describe_policies_response *items; size_t count; };
extern const struct schema describe_policies_response_schema;

struct put_action_request {
    enum scaling_namespace space;
    struct str schedule;
    struct str timezone;
    struct str name;
    struct str resource;
    enum scalable_dimension dimension;
    int64_t start_ms;
    int64_t end_ms;
    struct scalable_target_action *change;
};
struct put_action_request_list { struct put_action_request *items; size_t count; };
extern const struct schema put_action_request_schema;

struct delete_action_request {
    enum scaling_namespace space;
    struct str name;
    struct str resource;
    enum scalable_dimension dimension;
};
struct delete_action_request_list { struct delete_action_request *items; size_t count; };
extern const struct schema delete_action_request_schema;

struct describe_actions_request {
    struct str_list names;
    enum scaling_namespace space;
    struct str resource;
    enum scalable_dimension dimension;
    struct opt_int max_results;
    struct str next_token;
};
struct describe_actions_request_list { struct describe_actions_request *items; size_t count; };
extern const struct schema describe_actions_request_schema;

struct scheduled_action_view {
    struct str name;
    struct str arn;
    enum scaling_namespace space;
    struct str schedule;
    struct str timezone;
    struct str resource;
    enum scalable_dimension dimension;
    int64_t start_ms;
    int64_t end_ms;
    struct scalable_target_action *change;
    int64_t created_ms;
};
struct scheduled_action_view_list { struct scheduled_action_view *items; size_t count; };
extern const struct schema scheduled_action_view_schema;

struct describe_actions_response {
    struct scheduled_action_view_list actions;
    struct str next_token;
};
struct describe_actions_response_list { struct describe_actions_response *items; size_t count; };
extern const struct schema describe_actions_response_schema;

struct describe_activities_request {
    enum scaling_namespace space;
    struct str resource;
    enum scalable_dimension dimension;
    struct opt_int max_results;
    struct str next_token;
    enum opt_bool all;
};
struct describe_activities_request_list { struct describe_activities_request *items; size_t count; };
extern const struct schema describe_activities_request_schema;

struct scaling_activity_view {
    struct str id;
    enum scaling_namespace space;
    struct str resource;
    enum scalable_dimension dimension;
    struct str description;
    struct str cause;
    int64_t start_ms;
    int64_t end_ms;
    enum scaling_status code;
    struct str message;
    struct not_scaled_reason_list reasons;
};
struct scaling_activity_view_list { struct scaling_activity_view *items; size_t count; };
extern const struct schema scaling_activity_view_schema;

struct describe_activities_response {
    struct scaling_activity_view_list activities;
    struct str next_token;
};
struct describe_activities_response_list { struct describe_activities_response *items; size_t count; };
extern const struct schema describe_activities_response_schema;

struct list_scaling_tags_request {
    struct str arn;
};
struct list_scaling_tags_request_list { struct list_scaling_tags_request *items; size_t count; };
extern const struct schema list_scaling_tags_request_schema;

struct list_scaling_tags_response {
    struct pair_list tags;
};
struct list_scaling_tags_response_list { struct list_scaling_tags_response *items; size_t count; };
extern const struct schema list_scaling_tags_response_schema;

struct tag_scaling_request {
    struct str arn;
    struct pair_list tags;
};
struct tag_scaling_request_list { struct tag_scaling_request *items; size_t count; };
extern const struct schema tag_scaling_request_schema;

struct untag_scaling_request {
    struct str arn;
    struct str_list keys;
};
struct untag_scaling_request_list { struct untag_scaling_request *items; size_t count; };
extern const struct schema untag_scaling_request_schema;

#endif
