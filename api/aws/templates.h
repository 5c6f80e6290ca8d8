/* templates.h: inputs and outputs of EC2's operations on launch templates. The data of a template has other names in requests.
 * Written by tools/shapes from api/aws/templates.shapes. */
#ifndef BERTH_API_AWS_TEMPLATES_H
#define BERTH_API_AWS_TEMPLATES_H

#include "api/aws/ec2.h"

extern const struct schema v_cpu_count_range_form_schema;

extern const struct schema memory_mi_b_form_schema;

extern const struct schema memory_gib_per_v_cpu_form_schema;

extern const struct schema network_interface_count_form_schema;

extern const struct schema total_local_storage_gb_form_schema;

extern const struct schema baseline_ebs_bandwidth_mbps_form_schema;

extern const struct schema accelerator_count_form_schema;

extern const struct schema accelerator_total_memory_mi_b_form_schema;

extern const struct schema network_bandwidth_gbps_form_schema;

extern const struct schema template_requirements_form_schema;

extern const struct schema template_profile_form_schema;

extern const struct schema template_disk_form_schema;

extern const struct schema template_device_form_schema;

extern const struct schema template_monitoring_form_schema;

extern const struct schema template_tags_form_schema;

extern const struct schema template_spot_form_schema;

extern const struct schema template_market_form_schema;

extern const struct schema template_credit_form_schema;

extern const struct schema template_cpu_form_schema;

extern const struct schema template_metadata_form_schema;

extern const struct schema launch_template_form_schema;

struct launch_template {
    struct str id;
    struct str name;
    int64_t create_time;
    struct str created_by;
    struct opt_int default_version_number;
    struct opt_int latest_version_number;
    struct tag_list tags;
};
struct launch_template_list { struct launch_template *items; size_t count; };
extern const struct schema launch_template_schema;

struct launch_template_version {
    struct str id;
    struct str name;
    struct opt_int version_number;
    struct str description;
    int64_t create_time;
    struct str created_by;
    enum opt_bool default_version;
    struct launch_template_data *data;
};
struct launch_template_version_list { struct launch_template_version *items; size_t count; };
extern const struct schema launch_template_version_schema;

struct create_template_request {
    struct str token;
    struct str name;
    struct str description;
    struct launch_template_data *data;
    struct tag_specification_list tags;
};
struct create_template_request_list { struct create_template_request *items; size_t count; };
extern const struct schema create_template_request_schema;

struct create_version_request {
    struct str token;
    struct str id;
    struct str name;
    struct str description;
    struct launch_template_data *data;
};
struct create_version_request_list { struct create_version_request *items; size_t count; };
extern const struct schema create_version_request_schema;

struct template_request {
    struct str token;
    struct str id;
    struct str name;
    struct str set_default_version;
    struct str_list versions;
    struct opt_int max_results;
    struct str next_token;
};
struct template_request_list { struct template_request *items; size_t count; };
extern const struct schema template_request_schema;

struct describe_templates_request {
    struct str_list ids;
    struct str_list names;
    struct ec2_filter_list filters;
};
struct describe_templates_request_list { struct describe_templates_request *items; size_t count; };
extern const struct schema describe_templates_request_schema;

struct template_response {
    struct launch_template *template;
};
struct template_response_list { struct template_response *items; size_t count; };
extern const struct schema template_response_schema;

struct describe_templates_response {
    struct launch_template_list templates;
};
struct describe_templates_response_list { struct describe_templates_response *items; size_t count; };
extern const struct schema describe_templates_response_schema;

struct version_response {
    struct launch_template_version *version;
};
struct version_response_list { struct version_response *items; size_t count; };
extern const struct schema version_response_schema;

struct versions_response {
    struct launch_template_version_list versions;
    struct str next_token;
};
struct versions_response_list { struct versions_response *items; size_t count; };
extern const struct schema versions_response_schema;

struct deleted_version {
    struct str id;
    struct str name;
    struct opt_int version_number;
};
struct deleted_version_list { struct deleted_version *items; size_t count; };
extern const struct schema deleted_version_schema;

struct deleted_versions_response {
    struct deleted_version_list deleted;
};
struct deleted_versions_response_list { struct deleted_versions_response *items; size_t count; };
extern const struct schema deleted_versions_response_schema;

#endif
