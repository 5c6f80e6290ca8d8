/* Written by tools/shapes from model/records/schedule.shapes. */
#include "model/records/schedule.h"

#include "base/assert.h"

static const struct str schedule_state_words[] = { STR_INIT("ENABLED"), STR_INIT("DISABLED") };
const struct enum_names schedule_state_names = { schedule_state_words, COUNT_OF(schedule_state_words) };

#define AT(member) .offset = offsetof(struct ecs_parameters, member)
static const struct field ecs_parameters_schema_fields[] = {
    { STR_INIT("TaskDefinitionArn"), 1, FIELD_STR, AT(task_definition_arn), .min = 1, .max = 1600, .required = true },
    { STR_INIT("TaskCount"), 2, FIELD_INT, AT(task_count) },
    { STR_INIT("LaunchType"), 3, FIELD_STR, AT(launch_type) },
    { STR_INIT("NetworkConfiguration"), 4, FIELD_JSON, AT(network_configuration) },
    { STR_INIT("PlatformVersion"), 5, FIELD_STR, AT(platform_version) },
    { STR_INIT("Group"), 6, FIELD_STR, AT(group), .min = 1, .max = 255 },
    { STR_INIT("CapacityProviderStrategy"), 7, FIELD_JSON, AT(capacity_provider_strategy) },
    { STR_INIT("EnableECSManagedTags"), 8, FIELD_BOOL, AT(managed_tags) },
    { STR_INIT("EnableExecuteCommand"), 9, FIELD_BOOL, AT(execute_command) },
    { STR_INIT("PlacementConstraints"), 10, FIELD_JSON, AT(placement_constraints) },
    { STR_INIT("PlacementStrategy"), 11, FIELD_JSON, AT(placement_strategy) },
    { STR_INIT("PropagateTags"), 12, FIELD_STR, AT(propagate_tags) },
    { STR_INIT("ReferenceId"), 13, FIELD_STR, AT(reference_id), .max = 1024 },
    { STR_INIT("Tags"), 14, FIELD_JSON, AT(tags) },
};
#undef AT
const struct schema ecs_parameters_schema = SCHEMA_OF("EcsParameters", struct ecs_parameters, ecs_parameters_schema_fields);

#define AT(member) .offset = offsetof(struct retry_policy, member)
static const struct field retry_policy_schema_fields[] = {
    { STR_INIT("MaximumRetryAttempts"), 1, FIELD_INT, AT(attempts), .max = 185 },
    { STR_INIT("MaximumEventAgeInSeconds"), 2, FIELD_INT, AT(age), .min = 60, .max = 86400 },
};
#undef AT
const struct schema retry_policy_schema = SCHEMA_OF("RetryPolicy", struct retry_policy, retry_policy_schema_fields);

#define AT(member) .offset = offsetof(struct dead_letter_config, member)
static const struct field dead_letter_config_schema_fields[] = {
    { STR_INIT("Arn"), 1, FIELD_STR, AT(arn), .min = 1, .max = 1600 },
};
#undef AT
const struct schema dead_letter_config_schema = SCHEMA_OF("DeadLetterConfig", struct dead_letter_config,
    dead_letter_config_schema_fields);

#define AT(member) .offset = offsetof(struct schedule_target, member)
static const struct field schedule_target_schema_fields[] = {
    { STR_INIT("Id"), 1, FIELD_STR, AT(id), .min = 1, .max = 64 },
    { STR_INIT("Arn"), 2, FIELD_STR, AT(arn), .min = 1, .max = 1600, .required = true },
    { STR_INIT("RoleArn"), 3, FIELD_STR, AT(role_arn), .min = 1, .max = 1600 },
    { STR_INIT("Input"), 4, FIELD_STR, AT(input), .max = 8192 },
    { STR_INIT("EcsParameters"), 5, FIELD_STRUCT, AT(ecs), .schema = &ecs_parameters_schema },
    { STR_INIT("RetryPolicy"), 6, FIELD_STRUCT, AT(retry_policy), .schema = &retry_policy_schema },
    { STR_INIT("DeadLetterConfig"), 7, FIELD_STRUCT, AT(dead_letter_config), .schema = &dead_letter_config_schema },
    { STR_INIT("InputPath"), 0, FIELD_JSON, AT(input_path) },
    { STR_INIT("InputTransformer"), 0, FIELD_JSON, AT(input_transformer) },
};
#undef AT
const struct schema schedule_target_schema = SCHEMA_OF("Target", struct schedule_target, schedule_target_schema_fields);

static const struct str flexible_window_mode_words[] = { STR_INIT("OFF"), STR_INIT("FLEXIBLE") };
const struct enum_names flexible_window_mode_names = { flexible_window_mode_words, COUNT_OF(flexible_window_mode_words) };

#define AT(member) .offset = offsetof(struct flexible_window, member)
static const struct field flexible_window_schema_fields[] = {
    { STR_INIT("Mode"), 1, FIELD_ENUM, AT(mode), .names = &flexible_window_mode_names, .required = true },
    { STR_INIT("MaximumWindowInMinutes"), 2, FIELD_INT, AT(minutes), .min = 1, .max = 1440 },
};
#undef AT
const struct schema flexible_window_schema = SCHEMA_OF("FlexibleTimeWindow", struct flexible_window,
    flexible_window_schema_fields);

static const struct str schedule_completion_words[] = { STR_INIT("NONE"), STR_INIT("DELETE") };
const struct enum_names schedule_completion_names = { schedule_completion_words, COUNT_OF(schedule_completion_words) };

#define AT(member) .offset = offsetof(struct schedule_run, member)
static const struct field schedule_run_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(target) },
    { STR_INIT(""), 2, FIELD_LIST, AT(tasks), .element = FIELD_STR },
    { STR_INIT(""), 3, FIELD_I64, AT(left) },
    { STR_INIT(""), 4, FIELD_I64, AT(attempts) },
    { STR_INIT(""), 5, FIELD_I64, AT(began_ms) },
    { STR_INIT(""), 6, FIELD_I64, AT(retry_ms) },
    { STR_INIT(""), 7, FIELD_STR, AT(outcome) },
    { STR_INIT(""), 8, FIELD_I64, AT(lost_ms) },
    { STR_INIT(""), 9, FIELD_STR, AT(lost) },
};
#undef AT
const struct schema schedule_run_record = SCHEMA_OF("run of a schedule", struct schedule_run, schedule_run_record_fields);

#define AT(member) .offset = offsetof(struct kept_schedule, member)
static const struct field kept_schedule_record_fields[] = {
    { STR_INIT(""), 1, FIELD_BOOL, AT(rule) },
    { STR_INIT(""), 2, FIELD_STR, AT(name) },
    { STR_INIT(""), 3, FIELD_ENUM, AT(state), .names = &schedule_state_names },
    { STR_INIT(""), 4, FIELD_STR, AT(expression) },
    { STR_INIT(""), 5, FIELD_STR, AT(zone) },
    { STR_INIT(""), 6, FIELD_STR, AT(description) },
    { STR_INIT(""), 7, FIELD_I64, AT(start_ms) },
    { STR_INIT(""), 8, FIELD_I64, AT(end_ms) },
    { STR_INIT(""), 9, FIELD_STRUCT, AT(window), .schema = &flexible_window_schema },
    { STR_INIT(""), 10, FIELD_ENUM, AT(completion), .names = &schedule_completion_names },
    { STR_INIT(""), 11, FIELD_STR, AT(role) },
    { STR_INIT(""), 12, FIELD_LIST, AT(targets), .element = FIELD_STRUCT, .schema = &schedule_target_schema },
    { STR_INIT(""), 13, FIELD_LIST, AT(runs), .element = FIELD_STRUCT, .schema = &schedule_run_record },
    { STR_INIT(""), 14, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 15, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 16, FIELD_I64, AT(changed_ms) },
    { STR_INIT(""), 17, FIELD_I64, AT(counts_ms) },
    { STR_INIT(""), 18, FIELD_I64, AT(next_ms) },
    { STR_INIT(""), 19, FIELD_I64, AT(due_ms) },
    { STR_INIT(""), 20, FIELD_STR, AT(token) },
};
#undef AT
const struct schema kept_schedule_record = SCHEMA_OF("schedule", struct kept_schedule, kept_schedule_record_fields);
