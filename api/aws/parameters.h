/* parameters.h: inputs and outputs of the operations of SSM's Parameter Store that Berth serves, in the order of its model.
 * Written by tools/shapes from api/aws/parameters.shapes. */
#ifndef BERTH_API_AWS_PARAMETERS_H
#define BERTH_API_AWS_PARAMETERS_H

#include "api/aws/secrets.h"
#include "model/secret.h"

struct put_parameter_request {
    struct str name;
    struct str description;
    struct str value;
    enum parameter_type type;
    struct str key_id;
    enum opt_bool overwrite;
    struct str allowed_pattern;
    struct tag_list tags;
    enum parameter_tier tier;
    struct str policies;
    struct str data_type;
};
struct put_parameter_request_list { struct put_parameter_request *items; size_t count; };
extern const struct schema put_parameter_request_schema;

struct put_parameter_response {
    struct opt_int version;
    enum parameter_tier tier;
};
struct put_parameter_response_list { struct put_parameter_response *items; size_t count; };
extern const struct schema put_parameter_response_schema;

struct parameter {
    struct str name;
    enum parameter_type type;
    struct str value;
    struct opt_int version;
    struct str selector;
    int64_t last_modified_date;
    struct str arn;
    struct str data_type;
};
struct parameter_list { struct parameter *items; size_t count; };
extern const struct schema parameter_schema;

struct get_parameter_request {
    struct str name;
    enum opt_bool with_decryption;
};
struct get_parameter_request_list { struct get_parameter_request *items; size_t count; };
extern const struct schema get_parameter_request_schema;

struct get_parameter_response {
    struct parameter *parameter;
};
struct get_parameter_response_list { struct get_parameter_response *items; size_t count; };
extern const struct schema get_parameter_response_schema;

struct get_parameters_request {
    struct str_list names;
    enum opt_bool with_decryption;
};
struct get_parameters_request_list { struct get_parameters_request *items; size_t count; };
extern const struct schema get_parameters_request_schema;

struct get_parameters_response {
    struct parameter_list parameters;
    struct str_list invalid_parameters;
};
struct get_parameters_response_list { struct get_parameters_response *items; size_t count; };
extern const struct schema get_parameters_response_schema;

struct parameter_filter {
    struct str key;
    struct str option;
    struct str_list values;
};
struct parameter_filter_list { struct parameter_filter *items; size_t count; };
extern const struct schema parameter_filter_schema;

struct get_parameters_by_path_request {
    struct str path;
    enum opt_bool recursive;
    struct parameter_filter_list parameter_filters;
    enum opt_bool with_decryption;
    struct opt_int max_results;
    struct str next_token;
};
struct get_parameters_by_path_request_list { struct get_parameters_by_path_request *items; size_t count; };
extern const struct schema get_parameters_by_path_request_schema;

struct get_parameters_by_path_response {
    struct parameter_list parameters;
    struct str next_token;
};
struct get_parameters_by_path_response_list { struct get_parameters_by_path_response *items; size_t count; };
extern const struct schema get_parameters_by_path_response_schema;

struct parameter_metadata {
    struct str name;
    struct str arn;
    enum parameter_type type;
    struct str key_id;
    int64_t last_modified_date;
    struct str last_modified_user;
    struct str description;
    struct opt_int version;
    enum parameter_tier tier;
    struct str data_type;
};
struct parameter_metadata_list { struct parameter_metadata *items; size_t count; };
extern const struct schema parameter_metadata_schema;

struct parameters_filter {
    struct str key;
    struct str_list values;
};
struct parameters_filter_list { struct parameters_filter *items; size_t count; };
extern const struct schema parameters_filter_schema;

struct describe_parameters_request {
    struct parameters_filter_list filters;
    struct parameter_filter_list parameter_filters;
    struct opt_int max_results;
    struct str next_token;
    enum opt_bool shared;
};
struct describe_parameters_request_list { struct describe_parameters_request *items; size_t count; };
extern const struct schema describe_parameters_request_schema;

struct describe_parameters_response {
    struct parameter_metadata_list parameters;
    struct str next_token;
};
struct describe_parameters_response_list { struct describe_parameters_response *items; size_t count; };
extern const struct schema describe_parameters_response_schema;

struct delete_parameter_request {
    struct str name;
};
struct delete_parameter_request_list { struct delete_parameter_request *items; size_t count; };
extern const struct schema delete_parameter_request_schema;

struct delete_parameters_request {
    struct str_list names;
};
struct delete_parameters_request_list { struct delete_parameters_request *items; size_t count; };
extern const struct schema delete_parameters_request_schema;

struct delete_parameters_response {
    struct str_list deleted_parameters;
    struct str_list invalid_parameters;
};
struct delete_parameters_response_list { struct delete_parameters_response *items; size_t count; };
extern const struct schema delete_parameters_response_schema;

struct add_tags_to_resource_request {
    struct str resource_type;
    struct str resource_id;
    struct tag_list tags;
};
struct add_tags_to_resource_request_list { struct add_tags_to_resource_request *items; size_t count; };
extern const struct schema add_tags_to_resource_request_schema;

struct remove_tags_from_resource_request {
    struct str resource_type;
    struct str resource_id;
    struct str_list tag_keys;
};
struct remove_tags_from_resource_request_list { struct remove_tags_from_resource_request *items; size_t count; };
extern const struct schema remove_tags_from_resource_request_schema;

struct list_parameter_tags_request {
    struct str resource_type;
    struct str resource_id;
};
struct list_parameter_tags_request_list { struct list_parameter_tags_request *items; size_t count; };
extern const struct schema list_parameter_tags_request_schema;

struct list_parameter_tags_response {
    struct tag_list tag_list;
};
struct list_parameter_tags_response_list { struct list_parameter_tags_response *items; size_t count; };
extern const struct schema list_parameter_tags_response_schema;

#endif
