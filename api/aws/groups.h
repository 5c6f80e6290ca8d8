/* groups.h: inputs and outputs of the operations of EC2 Auto Scaling that Berth serves. Written by tools/shapes from
 * api/aws/groups.shapes. */
#ifndef BERTH_API_AWS_GROUPS_H
#define BERTH_API_AWS_GROUPS_H

#include "api/schemas/upper_tag.h"
#include "model/records/capacity.h"

struct group_template {
    struct str id;
    struct str name;
    struct str version;
};
struct group_template_list { struct group_template *items; size_t count; };
extern const struct schema group_template_schema;

struct group_tag {
    struct str resource_id;
    struct str resource_type;
    struct str key;
    struct str value;
    enum opt_bool propagate_at_launch;
};
struct group_tag_list { struct group_tag *items; size_t count; };
extern const struct schema group_tag_schema;

struct group_instance {
    struct str id;
    struct str type;
    struct str zone;
    struct str state;
    struct str health;
    struct group_template *template;
    enum opt_bool protected;
};
struct group_instance_list { struct group_instance *items; size_t count; };
extern const struct schema group_instance_schema;

struct auto_scaling_group {
    struct str name;
    struct str arn;
    struct group_template *template;
    struct opt_int min_size;
    struct opt_int max_size;
    struct opt_int desired_capacity;
    struct opt_int default_cooldown;
    struct str_list zones;
    struct str health_check;
    struct opt_int grace;
    struct group_instance_list instances;
    int64_t created_time;
    struct str subnets;
    struct str status;
    struct group_tag_list tags;
    struct str_list termination_policies;
    enum opt_bool protects_new;
    struct str role;
};
struct auto_scaling_group_list { struct auto_scaling_group *items; size_t count; };
extern const struct schema auto_scaling_group_schema;

struct group_activity {
    struct str id;
    struct str group;
    struct str description;
    struct str cause;
    int64_t start_time;
    int64_t end_time;
    struct str status_code;
    struct str status_message;
    struct opt_int progress;
    struct str arn;
};
struct group_activity_list { struct group_activity *items; size_t count; };
extern const struct schema group_activity_schema;

struct not_available {
    struct str unused;
};
struct not_available_list { struct not_available *items; size_t count; };
extern const struct schema not_available_schema;

struct group_settings {
    struct str name;
    struct group_template *template;
    struct opt_int min_size;
    struct opt_int max_size;
    struct opt_int desired;
    struct str_list zones;
    struct str health_check;
    struct opt_int grace;
    struct str subnets;
    enum opt_bool protects_new;
    struct group_tag_list tags;
    struct str configuration;
    struct not_available *mixed;
    struct str instance_id;
    struct str_list target_groups;
    struct str_list balancers;
    struct str placement_group;
    struct opt_int lifetime;
    struct opt_int cooldown;
    struct str_list policies;
    enum opt_bool rebalance;
    struct opt_int warmup;
    struct str unit;
    struct str context;
    struct str role;
    struct not_available_list hooks;
    struct not_available_list traffic;
    struct not_available *maintenance;
};
struct group_settings_list { struct group_settings *items; size_t count; };
extern const struct schema group_settings_schema;

struct groups_filter {
    struct str name;
    struct str_list values;
};
struct groups_filter_list { struct groups_filter *items; size_t count; };
extern const struct schema groups_filter_schema;

struct describe_auto_scaling_groups_request {
    struct str_list names;
    struct groups_filter_list filters;
};
struct describe_auto_scaling_groups_request_list { struct describe_auto_scaling_groups_request *items; size_t count; };
extern const struct schema describe_auto_scaling_groups_request_schema;

struct auto_scaling_group_request {
    struct str name;
    enum opt_bool force;
};
struct auto_scaling_group_request_list { struct auto_scaling_group_request *items; size_t count; };
extern const struct schema auto_scaling_group_request_schema;

struct desired_capacity_request {
    struct str name;
    struct opt_int desired;
    enum opt_bool honor_cooldown;
};
struct desired_capacity_request_list { struct desired_capacity_request *items; size_t count; };
extern const struct schema desired_capacity_request_schema;

struct describe_group_activities_request {
    struct str name;
};
struct describe_group_activities_request_list { struct describe_group_activities_request *items; size_t count; };
extern const struct schema describe_group_activities_request_schema;

struct protection_request {
    struct str name;
    struct str_list ids;
    enum opt_bool protected;
};
struct protection_request_list { struct protection_request *items; size_t count; };
extern const struct schema protection_request_schema;

struct group_tags_request {
    struct group_tag_list tags;
};
struct group_tags_request_list { struct group_tags_request *items; size_t count; };
extern const struct schema group_tags_request_schema;

struct describe_auto_scaling_groups_response {
    struct auto_scaling_group_list groups;
};
struct describe_auto_scaling_groups_response_list { struct describe_auto_scaling_groups_response *items; size_t count; };
extern const struct schema describe_auto_scaling_groups_response_schema;

struct describe_group_activities_response {
    struct group_activity_list activities;
};
struct describe_group_activities_response_list { struct describe_group_activities_response *items; size_t count; };
extern const struct schema describe_group_activities_response_schema;

#endif
