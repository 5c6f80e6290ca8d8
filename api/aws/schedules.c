/* Written by tools/shapes from api/aws/schedules.shapes. */
#include "api/aws/schedules.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct put_rule_request, member)
static const struct field put_rule_request_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 64, .required = true },
    { STR_INIT("ScheduleExpression"), 2, FIELD_STR, AT(expression), .max = 256 },
    { STR_INIT("EventPattern"), 3, FIELD_STR, AT(event_pattern), .max = 4096 },
    { STR_INIT("State"), 4, FIELD_ENUM, AT(state), .names = &schedule_state_names },
    { STR_INIT("Description"), 5, FIELD_STR, AT(description), .max = 512 },
    { STR_INIT("RoleArn"), 6, FIELD_STR, AT(role_arn), .min = 1, .max = 1600 },
    { STR_INIT("Tags"), 7, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema },
    { STR_INIT("EventBusName"), 8, FIELD_STR, AT(bus), .min = 1, .max = 1600 },
};
#undef AT
const struct schema put_rule_request_schema = SCHEMA_OF("PutRuleRequest", struct put_rule_request,
    put_rule_request_schema_fields);

#define AT(member) .offset = offsetof(struct put_rule_response, member)
static const struct field put_rule_response_schema_fields[] = {
    { STR_INIT("RuleArn"), 1, FIELD_STR, AT(rule_arn) },
};
#undef AT
const struct schema put_rule_response_schema = SCHEMA_OF("PutRuleResponse", struct put_rule_response,
    put_rule_response_schema_fields);

#define AT(member) .offset = offsetof(struct rule_request, member)
static const struct field rule_request_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 64, .required = true },
    { STR_INIT("EventBusName"), 2, FIELD_STR, AT(bus), .min = 1, .max = 1600 },
    { STR_INIT("Force"), 3, FIELD_BOOL, AT(force) },
};
#undef AT
const struct schema rule_request_schema = SCHEMA_OF("RuleRequest", struct rule_request, rule_request_schema_fields);

#define AT(member) .offset = offsetof(struct rule_view, member)
static const struct field rule_view_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name) },
    { STR_INIT("Arn"), 2, FIELD_STR, AT(arn) },
    { STR_INIT("ScheduleExpression"), 3, FIELD_STR, AT(expression) },
    { STR_INIT("State"), 4, FIELD_ENUM, AT(state), .names = &schedule_state_names },
    { STR_INIT("Description"), 5, FIELD_STR, AT(description) },
    { STR_INIT("RoleArn"), 6, FIELD_STR, AT(role_arn) },
    { STR_INIT("EventBusName"), 7, FIELD_STR, AT(bus) },
};
#undef AT
const struct schema rule_view_schema = SCHEMA_OF("Rule", struct rule_view, rule_view_schema_fields);

#define AT(member) .offset = offsetof(struct list_rules_request, member)
static const struct field list_rules_request_schema_fields[] = {
    { STR_INIT("NamePrefix"), 1, FIELD_STR, AT(name_prefix), .min = 1, .max = 64 },
    { STR_INIT("EventBusName"), 2, FIELD_STR, AT(bus), .min = 1, .max = 1600 },
    { STR_INIT("NextToken"), 3, FIELD_STR, AT(next_token), .min = 1, .max = 2048 },
    { STR_INIT("Limit"), 4, FIELD_INT, AT(limit), .min = 1, .max = 100 },
};
#undef AT
const struct schema list_rules_request_schema = SCHEMA_OF("ListRulesRequest", struct list_rules_request,
    list_rules_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_rules_response, member)
static const struct field list_rules_response_schema_fields[] = {
    { STR_INIT("Rules"), 1, FIELD_LIST, AT(rules), .element = FIELD_STRUCT, .schema = &rule_view_schema },
    { STR_INIT("NextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_rules_response_schema = SCHEMA_OF("ListRulesResponse", struct list_rules_response,
    list_rules_response_schema_fields);

#define AT(member) .offset = offsetof(struct rule_names_request, member)
static const struct field rule_names_request_schema_fields[] = {
    { STR_INIT("TargetArn"), 1, FIELD_STR, AT(target_arn), .min = 1, .max = 1600, .required = true },
    { STR_INIT("EventBusName"), 2, FIELD_STR, AT(bus), .min = 1, .max = 1600 },
    { STR_INIT("NextToken"), 3, FIELD_STR, AT(next_token), .min = 1, .max = 2048 },
    { STR_INIT("Limit"), 4, FIELD_INT, AT(limit), .min = 1, .max = 100 },
};
#undef AT
const struct schema rule_names_request_schema = SCHEMA_OF("ListRuleNamesByTargetRequest", struct rule_names_request,
    rule_names_request_schema_fields);

#define AT(member) .offset = offsetof(struct rule_names_response, member)
static const struct field rule_names_response_schema_fields[] = {
    { STR_INIT("RuleNames"), 1, FIELD_LIST, AT(rule_names), .element = FIELD_STR },
    { STR_INIT("NextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema rule_names_response_schema = SCHEMA_OF("ListRuleNamesByTargetResponse", struct rule_names_response,
    rule_names_response_schema_fields);

#define AT(member) .offset = offsetof(struct put_targets_request, member)
static const struct field put_targets_request_schema_fields[] = {
    { STR_INIT("Rule"), 1, FIELD_STR, AT(rule), .min = 1, .max = 64, .required = true },
    { STR_INIT("EventBusName"), 2, FIELD_STR, AT(bus), .min = 1, .max = 1600 },
    { STR_INIT("Targets"), 3, FIELD_LIST, AT(targets), .element = FIELD_STRUCT, .schema = &schedule_target_schema, .min = 1,
      .max = 100, .required = true },
};
#undef AT
const struct schema put_targets_request_schema = SCHEMA_OF("PutTargetsRequest", struct put_targets_request,
    put_targets_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_targets_request, member)
static const struct field list_targets_request_schema_fields[] = {
    { STR_INIT("Rule"), 1, FIELD_STR, AT(rule), .min = 1, .max = 64, .required = true },
    { STR_INIT("EventBusName"), 2, FIELD_STR, AT(bus), .min = 1, .max = 1600 },
    { STR_INIT("NextToken"), 3, FIELD_STR, AT(next_token), .min = 1, .max = 2048 },
    { STR_INIT("Limit"), 4, FIELD_INT, AT(limit), .min = 1, .max = 100 },
};
#undef AT
const struct schema list_targets_request_schema = SCHEMA_OF("ListTargetsByRuleRequest", struct list_targets_request,
    list_targets_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_targets_response, member)
static const struct field list_targets_response_schema_fields[] = {
    { STR_INIT("Targets"), 1, FIELD_LIST, AT(targets), .element = FIELD_STRUCT, .schema = &schedule_target_schema },
};
#undef AT
const struct schema list_targets_response_schema = SCHEMA_OF("ListTargetsByRuleResponse", struct list_targets_response,
    list_targets_response_schema_fields);

#define AT(member) .offset = offsetof(struct remove_targets_request, member)
static const struct field remove_targets_request_schema_fields[] = {
    { STR_INIT("Rule"), 1, FIELD_STR, AT(rule), .min = 1, .max = 64, .required = true },
    { STR_INIT("EventBusName"), 2, FIELD_STR, AT(bus), .min = 1, .max = 1600 },
    { STR_INIT("Ids"), 3, FIELD_LIST, AT(ids), .element = FIELD_STR, .min = 1, .max = 100, .required = true },
    { STR_INIT("Force"), 4, FIELD_BOOL, AT(force) },
};
#undef AT
const struct schema remove_targets_request_schema = SCHEMA_OF("RemoveTargetsRequest", struct remove_targets_request,
    remove_targets_request_schema_fields);

#define AT(member) .offset = offsetof(struct failed_entries, member)
static const struct field failed_entries_schema_fields[] = {
    { STR_INIT("FailedEntryCount"), 1, FIELD_INT, AT(count), .always = true },
    { STR_INIT("FailedEntries"), 2, FIELD_LIST, AT(entries), .element = FIELD_STR },
};
#undef AT
const struct schema failed_entries_schema = SCHEMA_OF("PutTargetsResponse", struct failed_entries, failed_entries_schema_fields);

#define AT(member) .offset = offsetof(struct resource_tags_request, member)
static const struct field resource_tags_request_schema_fields[] = {
    { STR_INIT("ResourceARN"), 1, FIELD_STR, AT(arn), .min = 1, .max = 1600 },
    { STR_INIT("ResourceArn"), 2, FIELD_STR, AT(same), .min = 1, .max = 1600 },
    { STR_INIT("Tags"), 3, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema },
    { STR_INIT("TagKeys"), 4, FIELD_LIST, AT(tag_keys), .element = FIELD_STR },
};
#undef AT
const struct schema resource_tags_request_schema = SCHEMA_OF("TagResourceRequest", struct resource_tags_request,
    resource_tags_request_schema_fields);

#define AT(member) .offset = offsetof(struct resource_tags_response, member)
static const struct field resource_tags_response_schema_fields[] = {
    { STR_INIT("Tags"), 1, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema },
};
#undef AT
const struct schema resource_tags_response_schema = SCHEMA_OF("ListTagsForResourceResponse", struct resource_tags_response,
    resource_tags_response_schema_fields);

#define AT(member) .offset = offsetof(struct put_schedule_request, member)
static const struct field put_schedule_request_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 64, .required = true },
    { STR_INIT("GroupName"), 2, FIELD_STR, AT(group), .min = 1, .max = 64 },
    { STR_INIT("ScheduleExpression"), 3, FIELD_STR, AT(expression), .min = 1, .max = 256, .required = true },
    { STR_INIT("StartDate"), 4, FIELD_TIME, AT(start_date) },
    { STR_INIT("EndDate"), 5, FIELD_TIME, AT(end_date) },
    { STR_INIT("Description"), 6, FIELD_STR, AT(description), .max = 512 },
    { STR_INIT("ScheduleExpressionTimezone"), 7, FIELD_STR, AT(zone), .min = 1, .max = 50 },
    { STR_INIT("State"), 8, FIELD_ENUM, AT(state), .names = &schedule_state_names },
    { STR_INIT("KmsKeyArn"), 9, FIELD_STR, AT(kms_key_arn), .min = 1, .max = 2048 },
    { STR_INIT("Target"), 10, FIELD_STRUCT, AT(target), .schema = &schedule_target_schema, .required = true },
    { STR_INIT("FlexibleTimeWindow"), 11, FIELD_STRUCT, AT(window), .schema = &flexible_window_schema, .required = true },
    { STR_INIT("ClientToken"), 12, FIELD_STR, AT(client_token), .min = 1, .max = 64 },
    { STR_INIT("ActionAfterCompletion"), 13, FIELD_ENUM, AT(completion), .names = &schedule_completion_names },
};
#undef AT
const struct schema put_schedule_request_schema = SCHEMA_OF("CreateScheduleInput", struct put_schedule_request,
    put_schedule_request_schema_fields);

#define AT(member) .offset = offsetof(struct put_schedule_response, member)
static const struct field put_schedule_response_schema_fields[] = {
    { STR_INIT("ScheduleArn"), 1, FIELD_STR, AT(schedule_arn) },
};
#undef AT
const struct schema put_schedule_response_schema = SCHEMA_OF("CreateScheduleOutput", struct put_schedule_response,
    put_schedule_response_schema_fields);

#define AT(member) .offset = offsetof(struct schedule_request, member)
static const struct field schedule_request_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 64, .required = true },
    { STR_INIT("GroupName"), 2, FIELD_STR, AT(group), .min = 1, .max = 64 },
    { STR_INIT("ClientToken"), 3, FIELD_STR, AT(client_token), .min = 1, .max = 64 },
};
#undef AT
const struct schema schedule_request_schema = SCHEMA_OF("GetScheduleInput", struct schedule_request,
    schedule_request_schema_fields);

#define AT(member) .offset = offsetof(struct schedule_view, member)
static const struct field schedule_view_schema_fields[] = {
    { STR_INIT("Arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("GroupName"), 2, FIELD_STR, AT(group) },
    { STR_INIT("Name"), 3, FIELD_STR, AT(name) },
    { STR_INIT("ScheduleExpression"), 4, FIELD_STR, AT(expression) },
    { STR_INIT("ScheduleExpressionTimezone"), 5, FIELD_STR, AT(zone) },
    { STR_INIT("StartDate"), 6, FIELD_TIME, AT(start_date) },
    { STR_INIT("EndDate"), 7, FIELD_TIME, AT(end_date) },
    { STR_INIT("Description"), 8, FIELD_STR, AT(description) },
    { STR_INIT("State"), 9, FIELD_ENUM, AT(state), .names = &schedule_state_names },
    { STR_INIT("CreationDate"), 10, FIELD_TIME, AT(creation_date) },
    { STR_INIT("LastModificationDate"), 11, FIELD_TIME, AT(last_modification_date) },
    { STR_INIT("Target"), 12, FIELD_STRUCT, AT(target), .schema = &schedule_target_schema },
    { STR_INIT("FlexibleTimeWindow"), 13, FIELD_STRUCT, AT(window), .schema = &flexible_window_schema },
    { STR_INIT("ActionAfterCompletion"), 14, FIELD_ENUM, AT(completion), .names = &schedule_completion_names },
};
#undef AT
const struct schema schedule_view_schema = SCHEMA_OF("GetScheduleOutput", struct schedule_view, schedule_view_schema_fields);

#define AT(member) .offset = offsetof(struct list_schedules_request, member)
static const struct field list_schedules_request_schema_fields[] = {
    { STR_INIT("ScheduleGroup"), 1, FIELD_STR, AT(group), .min = 1, .max = 64 },
    { STR_INIT("NamePrefix"), 2, FIELD_STR, AT(name_prefix), .min = 1, .max = 64 },
    { STR_INIT("State"), 3, FIELD_ENUM, AT(state), .names = &schedule_state_names },
    { STR_INIT("NextToken"), 4, FIELD_STR, AT(next_token), .min = 1, .max = 2048 },
    { STR_INIT("MaxResults"), 5, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
};
#undef AT
const struct schema list_schedules_request_schema = SCHEMA_OF("ListSchedulesInput", struct list_schedules_request,
    list_schedules_request_schema_fields);

#define AT(member) .offset = offsetof(struct target_summary, member)
static const struct field target_summary_schema_fields[] = {
    { STR_INIT("Arn"), 1, FIELD_STR, AT(arn) },
};
#undef AT
const struct schema target_summary_schema = SCHEMA_OF("TargetSummary", struct target_summary, target_summary_schema_fields);

#define AT(member) .offset = offsetof(struct schedule_summary, member)
static const struct field schedule_summary_schema_fields[] = {
    { STR_INIT("Arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name) },
    { STR_INIT("GroupName"), 3, FIELD_STR, AT(group) },
    { STR_INIT("State"), 4, FIELD_ENUM, AT(state), .names = &schedule_state_names },
    { STR_INIT("CreationDate"), 5, FIELD_TIME, AT(creation_date) },
    { STR_INIT("LastModificationDate"), 6, FIELD_TIME, AT(last_modification_date) },
    { STR_INIT("Target"), 7, FIELD_STRUCT, AT(target), .schema = &target_summary_schema },
};
#undef AT
const struct schema schedule_summary_schema = SCHEMA_OF("ScheduleSummary", struct schedule_summary,
    schedule_summary_schema_fields);

#define AT(member) .offset = offsetof(struct list_schedules_response, member)
static const struct field list_schedules_response_schema_fields[] = {
    { STR_INIT("NextToken"), 1, FIELD_STR, AT(next_token) },
    { STR_INIT("Schedules"), 2, FIELD_LIST, AT(schedules), .element = FIELD_STRUCT, .schema = &schedule_summary_schema },
};
#undef AT
const struct schema list_schedules_response_schema = SCHEMA_OF("ListSchedulesOutput", struct list_schedules_response,
    list_schedules_response_schema_fields);

#define AT(member) .offset = offsetof(struct schedule_group_request, member)
static const struct field schedule_group_request_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 64 },
    { STR_INIT("NamePrefix"), 2, FIELD_STR, AT(name_prefix), .min = 1, .max = 64 },
    { STR_INIT("NextToken"), 3, FIELD_STR, AT(next_token), .min = 1, .max = 2048 },
    { STR_INIT("MaxResults"), 4, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
};
#undef AT
const struct schema schedule_group_request_schema = SCHEMA_OF("GetScheduleGroupInput", struct schedule_group_request,
    schedule_group_request_schema_fields);

#define AT(member) .offset = offsetof(struct schedule_group_view, member)
static const struct field schedule_group_view_schema_fields[] = {
    { STR_INIT("Arn"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name) },
    { STR_INIT("State"), 3, FIELD_STR, AT(state) },
    { STR_INIT("CreationDate"), 4, FIELD_TIME, AT(creation_date) },
    { STR_INIT("LastModificationDate"), 5, FIELD_TIME, AT(last_modification_date) },
};
#undef AT
const struct schema schedule_group_view_schema = SCHEMA_OF("GetScheduleGroupOutput", struct schedule_group_view,
    schedule_group_view_schema_fields);

#define AT(member) .offset = offsetof(struct schedule_groups_response, member)
static const struct field schedule_groups_response_schema_fields[] = {
    { STR_INIT("ScheduleGroups"), 1, FIELD_LIST, AT(groups), .element = FIELD_STRUCT, .schema = &schedule_group_view_schema },
};
#undef AT
const struct schema schedule_groups_response_schema = SCHEMA_OF("ListScheduleGroupsOutput", struct schedule_groups_response,
    schedule_groups_response_schema_fields);
