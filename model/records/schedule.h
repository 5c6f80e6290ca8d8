/* schedule.h: the record of a schedule: a rule of EventBridge with its targets, or a schedule of EventBridge Scheduler, which has
 * one target. model/schedule.h says more. Targets are as their service shows them. Written by tools/shapes from
 * model/records/schedule.shapes. */
#ifndef BERTH_MODEL_RECORDS_SCHEDULE_H
#define BERTH_MODEL_RECORDS_SCHEDULE_H

#include "model/ecs/common.h"

enum schedule_state { SCHEDULE_STATE_UNSET, SCHEDULE_STATE_ENABLED, SCHEDULE_STATE_DISABLED, SCHEDULE_STATE_COUNT };
extern const struct enum_names schedule_state_names;

/* Members of kind json are RunTask's own, checked as such and kept as they came. */
struct ecs_parameters {
    struct str task_definition_arn;
    struct opt_int task_count;
    struct str launch_type;
    struct str network_configuration;
    struct str platform_version;
    struct str group;
    struct str capacity_provider_strategy;
    enum opt_bool managed_tags;
    enum opt_bool execute_command;
    struct str placement_constraints;
    struct str placement_strategy;
    struct str propagate_tags;
    struct str reference_id;
    struct str tags;
};
struct ecs_parameters_list { struct ecs_parameters *items; size_t count; };
extern const struct schema ecs_parameters_schema;

struct retry_policy {
    struct opt_int attempts;
    struct opt_int age;
};
struct retry_policy_list { struct retry_policy *items; size_t count; };
extern const struct schema retry_policy_schema;

struct dead_letter_config {
    struct str arn;
};
struct dead_letter_config_list { struct dead_letter_config *items; size_t count; };
extern const struct schema dead_letter_config_schema;

struct schedule_target {
    struct str id;
    struct str arn;
    struct str role_arn;
    struct str input;
    struct ecs_parameters *ecs;
    struct retry_policy *retry_policy;
    struct dead_letter_config *dead_letter_config;
    struct str input_path;                   /* these two are refused */
    struct str input_transformer;
};
struct schedule_target_list { struct schedule_target *items; size_t count; };
extern const struct schema schedule_target_schema;

enum flexible_window_mode { FLEXIBLE_WINDOW_MODE_UNSET, FLEXIBLE_WINDOW_MODE_OFF, FLEXIBLE_WINDOW_MODE_FLEXIBLE,
    FLEXIBLE_WINDOW_MODE_COUNT };
extern const struct enum_names flexible_window_mode_names;

struct flexible_window {
    enum flexible_window_mode mode;
    struct opt_int minutes;
};
struct flexible_window_list { struct flexible_window *items; size_t count; };
extern const struct schema flexible_window_schema;

enum schedule_completion { SCHEDULE_COMPLETION_UNSET, SCHEDULE_COMPLETION_NONE, SCHEDULE_COMPLETION_DELETE,
    SCHEDULE_COMPLETION_COUNT };
extern const struct enum_names schedule_completion_names;

/* How a target's run is doing. */
struct schedule_run {
    struct str target;                       /* its Id */
    struct str_list tasks;                   /* ARNs of those that the last run has started */
    int64_t left;                            /* tasks that it must still start; 0: it is over */
    int64_t attempts;                        /* that have failed */
    int64_t began_ms;                        /* 0: there was no run yet */
    int64_t retry_ms;                        /* left is not 0: the next attempt */
    struct str outcome;                      /* of the last one, for a person */
    int64_t lost_ms;                         /* when a run was given up last, and why; 0: never */
    struct str lost;
};
struct schedule_run_list { struct schedule_run *items; size_t count; };
extern const struct schema schedule_run_record;

struct kept_schedule {
    enum opt_bool rule;                      /* of EventBridge; otherwise of EventBridge Scheduler */
    struct str name;
    enum schedule_state state;
    struct str expression;
    struct str zone;
    struct str description;
    int64_t start_ms;                        /* StartDate, EndDate; 0: not given */
    int64_t end_ms;
    struct flexible_window *window;
    enum schedule_completion completion;
    struct str role;                         /* a rule's */
    struct schedule_target_list targets;
    struct schedule_run_list runs;           /* one a target that has run */
    struct tag_list tags;
    int64_t created_ms;
    int64_t changed_ms;
    int64_t counts_ms;                       /* from when a rate counts */
    int64_t next_ms;                         /* its next time; 0: it has none */
    int64_t due_ms;                          /* the earliest of next_ms and of the retries, as in the index of times; 0: none */
    struct str token;                        /* clientToken of CreateSchedule */
};
struct kept_schedule_list { struct kept_schedule *items; size_t count; };
extern const struct schema kept_schedule_record;

#endif
