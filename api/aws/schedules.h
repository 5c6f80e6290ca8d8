/* schedules.h: inputs and outputs of the operations of EventBridge and EventBridge Scheduler that Berth serves. Written by
 * tools/shapes from api/aws/schedules.shapes. */
#ifndef BERTH_API_AWS_SCHEDULES_H
#define BERTH_API_AWS_SCHEDULES_H

#include "api/schemas/upper_tag.h"
#include "model/schedule.h"

struct put_rule_request {
    struct str name;
    struct str expression;
    struct str event_pattern;
    enum schedule_state state;
    struct str description;
    struct str role_arn;
    struct tag_list tags;
    struct str bus;
};
struct put_rule_request_list { struct put_rule_request *items; size_t count; };
extern const struct schema put_rule_request_schema;

struct put_rule_response {
    struct str rule_arn;
};
struct put_rule_response_list { struct put_rule_response *items; size_t count; };
extern const struct schema put_rule_response_schema;

/* DescribeRule, DeleteRule, EnableRule and DisableRule */
struct rule_request {
    struct str name;
    struct str bus;
    enum opt_bool force;
};
struct rule_request_list { struct rule_request *items; size_t count; };
extern const struct schema rule_request_schema;

struct rule_view {
    struct str name;
    struct str arn;
    struct str expression;
    enum schedule_state state;
    struct str description;
    struct str role_arn;
    struct str bus;
};
struct rule_view_list { struct rule_view *items; size_t count; };
extern const struct schema rule_view_schema;

struct list_rules_request {
    struct str name_prefix;
    struct str bus;
    struct str next_token;
    struct opt_int limit;
};
struct list_rules_request_list { struct list_rules_request *items; size_t count; };
extern const struct schema list_rules_request_schema;

struct list_rules_response {
    struct rule_view_list rules;
    struct str next_token;
};
struct list_rules_response_list { struct list_rules_response *items; size_t count; };
extern const struct schema list_rules_response_schema;

struct rule_names_request {
    struct str target_arn;
    struct str bus;
    struct str next_token;
    struct opt_int limit;
};
struct rule_names_request_list { struct rule_names_request *items; size_t count; };
extern const struct schema rule_names_request_schema;

struct rule_names_response {
    struct str_list rule_names;
    struct str next_token;
};
struct rule_names_response_list { struct rule_names_response *items; size_t count; };
extern const struct schema rule_names_response_schema;

struct put_targets_request {
    struct str rule;
    struct str bus;
    struct schedule_target_list targets;
};
struct put_targets_request_list { struct put_targets_request *items; size_t count; };
extern const struct schema put_targets_request_schema;

struct list_targets_request {
    struct str rule;
    struct str bus;
    struct str next_token;
    struct opt_int limit;
};
struct list_targets_request_list { struct list_targets_request *items; size_t count; };
extern const struct schema list_targets_request_schema;

struct list_targets_response {
    struct schedule_target_list targets;
};
struct list_targets_response_list { struct list_targets_response *items; size_t count; };
extern const struct schema list_targets_response_schema;

struct remove_targets_request {
    struct str rule;
    struct str bus;
    struct str_list ids;
    enum opt_bool force;
};
struct remove_targets_request_list { struct remove_targets_request *items; size_t count; };
extern const struct schema remove_targets_request_schema;

/* No entry fails alone: the request is refused. */
struct failed_entries {
    struct opt_int count;
    struct str_list entries;
};
struct failed_entries_list { struct failed_entries *items; size_t count; };
extern const struct schema failed_entries_schema;

/* Both services have this input; no operation of Scheduler uses Tags and TagKeys. */
struct resource_tags_request {
    struct str arn;
    struct str same;
    struct tag_list tags;
    struct str_list tag_keys;
};
struct resource_tags_request_list { struct resource_tags_request *items; size_t count; };
extern const struct schema resource_tags_request_schema;

struct resource_tags_response {
    struct tag_list tags;
};
struct resource_tags_response_list { struct resource_tags_response *items; size_t count; };
extern const struct schema resource_tags_response_schema;

/* CreateSchedule and UpdateSchedule */
struct put_schedule_request {
    struct str name;
    struct str group;
    struct str expression;
    int64_t start_date;
    int64_t end_date;
    struct str description;
    struct str zone;
    enum schedule_state state;
    struct str kms_key_arn;
    struct schedule_target *target;
    struct flexible_window *window;
    struct str client_token;
    enum schedule_completion completion;
};
struct put_schedule_request_list { struct put_schedule_request *items; size_t count; };
extern const struct schema put_schedule_request_schema;

struct put_schedule_response {
    struct str schedule_arn;
};
struct put_schedule_response_list { struct put_schedule_response *items; size_t count; };
extern const struct schema put_schedule_response_schema;

/* GetSchedule and DeleteSchedule */
struct schedule_request {
    struct str name;
    struct str group;
    struct str client_token;
};
struct schedule_request_list { struct schedule_request *items; size_t count; };
extern const struct schema schedule_request_schema;

struct schedule_view {
    struct str arn;
    struct str group;
    struct str name;
    struct str expression;
    struct str zone;
    int64_t start_date;
    int64_t end_date;
    struct str description;
    enum schedule_state state;
    int64_t creation_date;
    int64_t last_modification_date;
    struct schedule_target *target;
    struct flexible_window *window;
    enum schedule_completion completion;
};
struct schedule_view_list { struct schedule_view *items; size_t count; };
extern const struct schema schedule_view_schema;

struct list_schedules_request {
    struct str group;
    struct str name_prefix;
    enum schedule_state state;
    struct str next_token;
    struct opt_int max_results;
};
struct list_schedules_request_list { struct list_schedules_request *items; size_t count; };
extern const struct schema list_schedules_request_schema;

struct target_summary {
    struct str arn;
};
struct target_summary_list { struct target_summary *items; size_t count; };
extern const struct schema target_summary_schema;

struct schedule_summary {
    struct str arn;
    struct str name;
    struct str group;
    enum schedule_state state;
    int64_t creation_date;
    int64_t last_modification_date;
    struct target_summary *target;
};
struct schedule_summary_list { struct schedule_summary *items; size_t count; };
extern const struct schema schedule_summary_schema;

struct list_schedules_response {
    struct str next_token;
    struct schedule_summary_list schedules;
};
struct list_schedules_response_list { struct list_schedules_response *items; size_t count; };
extern const struct schema list_schedules_response_schema;

/* GetScheduleGroup; ListScheduleGroups has NamePrefix */
struct schedule_group_request {
    struct str name;
    struct str name_prefix;
    struct str next_token;
    struct opt_int max_results;
};
struct schedule_group_request_list { struct schedule_group_request *items; size_t count; };
extern const struct schema schedule_group_request_schema;

struct schedule_group_view {
    struct str arn;
    struct str name;
    struct str state;
    int64_t creation_date;
    int64_t last_modification_date;
};
struct schedule_group_view_list { struct schedule_group_view *items; size_t count; };
extern const struct schema schedule_group_view_schema;

struct schedule_groups_response {
    struct schedule_group_view_list groups;
};
struct schedule_groups_response_list { struct schedule_groups_response *items; size_t count; };
extern const struct schema schedule_groups_response_schema;

#endif
