/* secrets.h: inputs and outputs of the operations of Secrets Manager that Berth serves, in the order of its model. Written by
 * tools/shapes from api/aws/secrets.shapes. */
#ifndef BERTH_API_AWS_SECRETS_H
#define BERTH_API_AWS_SECRETS_H

#include "api/schemas/upper_tag.h"

struct secret_filter {
    struct str key;
    struct str_list values;
};
struct secret_filter_list { struct secret_filter *items; size_t count; };
extern const struct schema secret_filter_schema;

struct create_secret_request {
    struct str name;
    struct str client_request_token;
    struct str description;
    struct str kms_key_id;
    struct str secret_binary;
    struct str secret_string;
    struct tag_list tags;
};
struct create_secret_request_list { struct create_secret_request *items; size_t count; };
extern const struct schema create_secret_request_schema;

struct create_secret_response {
    struct str arn;
    struct str name;
    struct str version_id;
};
struct create_secret_response_list { struct create_secret_response *items; size_t count; };
extern const struct schema create_secret_response_schema;

struct put_secret_value_request {
    struct str secret_id;
    struct str client_request_token;
    struct str secret_binary;
    struct str secret_string;
    struct str_list version_stages;
};
struct put_secret_value_request_list { struct put_secret_value_request *items; size_t count; };
extern const struct schema put_secret_value_request_schema;

struct put_secret_value_response {
    struct str arn;
    struct str name;
    struct str version_id;
    struct str_list version_stages;
};
struct put_secret_value_response_list { struct put_secret_value_response *items; size_t count; };
extern const struct schema put_secret_value_response_schema;

struct get_secret_value_request {
    struct str secret_id;
    struct str version_id;
    struct str version_stage;
};
struct get_secret_value_request_list { struct get_secret_value_request *items; size_t count; };
extern const struct schema get_secret_value_request_schema;

struct get_secret_value_response {
    struct str arn;
    struct str name;
    struct str version_id;
    struct str secret_string;
    struct str_list version_stages;
    int64_t created_date;
};
struct get_secret_value_response_list { struct get_secret_value_response *items; size_t count; };
extern const struct schema get_secret_value_response_schema;

struct update_secret_request {
    struct str secret_id;
    struct str client_request_token;
    struct str description;
    struct str kms_key_id;
    struct str secret_binary;
    struct str secret_string;
};
struct update_secret_request_list { struct update_secret_request *items; size_t count; };
extern const struct schema update_secret_request_schema;

struct update_secret_response {
    struct str arn;
    struct str name;
    struct str version_id;
};
struct update_secret_response_list { struct update_secret_response *items; size_t count; };
extern const struct schema update_secret_response_schema;

struct describe_secret_request {
    struct str secret_id;
};
struct describe_secret_request_list { struct describe_secret_request *items; size_t count; };
extern const struct schema describe_secret_request_schema;

struct describe_secret_response {
    struct str arn;
    struct str name;
    struct str description;
    struct str kms_key_id;
    int64_t last_changed_date;
    int64_t deleted_date;
    struct tag_list tags;
    struct str version_ids_to_stages;
    int64_t created_date;
};
struct describe_secret_response_list { struct describe_secret_response *items; size_t count; };
extern const struct schema describe_secret_response_schema;

struct secret_list_entry {
    struct str arn;
    struct str name;
    struct str description;
    struct str kms_key_id;
    int64_t last_changed_date;
    int64_t deleted_date;
    struct tag_list tags;
    struct str secret_versions_to_stages;
    int64_t created_date;
};
struct secret_list_entry_list { struct secret_list_entry *items; size_t count; };
extern const struct schema secret_list_entry_schema;

struct list_secrets_request {
    enum opt_bool include_planned_deletion;
    struct opt_int max_results;
    struct str next_token;
    struct secret_filter_list filters;
};
struct list_secrets_request_list { struct list_secrets_request *items; size_t count; };
extern const struct schema list_secrets_request_schema;

struct list_secrets_response {
    struct secret_list_entry_list secret_list;
    struct str next_token;
};
struct list_secrets_response_list { struct list_secrets_response *items; size_t count; };
extern const struct schema list_secrets_response_schema;

struct delete_secret_request {
    struct str secret_id;
    struct opt_int recovery_window_in_days;
    enum opt_bool force_delete_without_recovery;
};
struct delete_secret_request_list { struct delete_secret_request *items; size_t count; };
extern const struct schema delete_secret_request_schema;

struct delete_secret_response {
    struct str arn;
    struct str name;
    int64_t deletion_date;
};
struct delete_secret_response_list { struct delete_secret_response *items; size_t count; };
extern const struct schema delete_secret_response_schema;

struct restore_secret_request {
    struct str secret_id;
};
struct restore_secret_request_list { struct restore_secret_request *items; size_t count; };
extern const struct schema restore_secret_request_schema;

struct restore_secret_response {
    struct str arn;
    struct str name;
};
struct restore_secret_response_list { struct restore_secret_response *items; size_t count; };
extern const struct schema restore_secret_response_schema;

struct tag_secret_request {
    struct str secret_id;
    struct tag_list tags;
};
struct tag_secret_request_list { struct tag_secret_request *items; size_t count; };
extern const struct schema tag_secret_request_schema;

struct untag_secret_request {
    struct str secret_id;
    struct str_list tag_keys;
};
struct untag_secret_request_list { struct untag_secret_request *items; size_t count; };
extern const struct schema untag_secret_request_schema;

struct get_resource_policy_request {
    struct str secret_id;
};
struct get_resource_policy_request_list { struct get_resource_policy_request *items; size_t count; };
extern const struct schema get_resource_policy_request_schema;

struct get_resource_policy_response {
    struct str arn;
    struct str name;
};
struct get_resource_policy_response_list { struct get_resource_policy_response *items; size_t count; };
extern const struct schema get_resource_policy_response_schema;

#endif
