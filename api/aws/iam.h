/* iam.h: inputs and outputs of the operations of IAM that Berth serves. Written by tools/shapes from api/aws/iam.shapes. */
#ifndef BERTH_API_AWS_IAM_H
#define BERTH_API_AWS_IAM_H

#include "api/schemas/upper_tag.h"
#include "model/records/plain.h"

struct iam_user {
    struct str path;
    struct str user_name;
    struct str user_id;
    struct str arn;
    int64_t create_date;
};
struct iam_user_list { struct iam_user *items; size_t count; };
extern const struct schema iam_user_schema;

struct iam_boundary {
    struct str type;
    struct str arn;
};
struct iam_boundary_list { struct iam_boundary *items; size_t count; };
extern const struct schema iam_boundary_schema;

struct iam_role {
    struct str path;
    struct str role_name;
    struct str role_id;
    struct str arn;
    int64_t create_date;
    struct str trust;
    struct str description;
    struct opt_int max_session_duration;
    struct iam_boundary *permissions_boundary;
    struct tag_list tags;
};
struct iam_role_list { struct iam_role *items; size_t count; };
extern const struct schema iam_role_schema;

struct iam_profile {
    struct str path;
    struct str name;
    struct str id;
    struct str arn;
    int64_t create_date;
    struct iam_role_list roles;
    struct tag_list tags;
};
struct iam_profile_list { struct iam_profile *items; size_t count; };
extern const struct schema iam_profile_schema;

struct iam_attached {
    struct str name;
    struct str arn;
};
struct iam_attached_list { struct iam_attached *items; size_t count; };
extern const struct schema iam_attached_schema;

struct get_user_request {
    struct str user_name;
};
struct get_user_request_list { struct get_user_request *items; size_t count; };
extern const struct schema get_user_request_schema;

struct create_role_request {
    struct str path;
    struct str role_name;
    struct str assume_role_policy_document;
    struct str description;
    struct opt_int max_session_duration;
    struct str permissions_boundary;
    struct tag_list tags;
};
struct create_role_request_list { struct create_role_request *items; size_t count; };
extern const struct schema create_role_request_schema;

struct role_request {
    struct str role_name;
    struct str path_prefix;
};
struct role_request_list { struct role_request *items; size_t count; };
extern const struct schema role_request_schema;

struct list_request {
    struct str path_prefix;
};
struct list_request_list { struct list_request *items; size_t count; };
extern const struct schema list_request_schema;

struct update_role_request {
    struct str role_name;
    struct str description;
    struct opt_int max_session_duration;
};
struct update_role_request_list { struct update_role_request *items; size_t count; };
extern const struct schema update_role_request_schema;

struct update_trust_request {
    struct str role_name;
    struct str policy_document;
};
struct update_trust_request_list { struct update_trust_request *items; size_t count; };
extern const struct schema update_trust_request_schema;

struct boundary_request {
    struct str role_name;
    struct str permissions_boundary;
};
struct boundary_request_list { struct boundary_request *items; size_t count; };
extern const struct schema boundary_request_schema;

struct put_role_policy_request {
    struct str role_name;
    struct str policy_name;
    struct str policy_document;
};
struct put_role_policy_request_list { struct put_role_policy_request *items; size_t count; };
extern const struct schema put_role_policy_request_schema;

struct role_policy_request {
    struct str role_name;
    struct str policy_name;
};
struct role_policy_request_list { struct role_policy_request *items; size_t count; };
extern const struct schema role_policy_request_schema;

struct attach_request {
    struct str role_name;
    struct str policy_arn;
};
struct attach_request_list { struct attach_request *items; size_t count; };
extern const struct schema attach_request_schema;

struct create_profile_request {
    struct str name;
    struct str path;
    struct tag_list tags;
};
struct create_profile_request_list { struct create_profile_request *items; size_t count; };
extern const struct schema create_profile_request_schema;

struct profile_request {
    struct str name;
};
struct profile_request_list { struct profile_request *items; size_t count; };
extern const struct schema profile_request_schema;

struct profile_role_request {
    struct str name;
    struct str role_name;
};
struct profile_role_request_list { struct profile_role_request *items; size_t count; };
extern const struct schema profile_role_request_schema;

struct iam_tag_request {
    struct str role_name;
    struct str profile;
    struct tag_list tags;
    struct str_list tag_keys;
};
struct iam_tag_request_list { struct iam_tag_request *items; size_t count; };
extern const struct schema iam_tag_request_schema;

struct get_user_response {
    struct iam_user *user;
};
struct get_user_response_list { struct get_user_response *items; size_t count; };
extern const struct schema get_user_response_schema;

struct role_response {
    struct iam_role *role;
};
struct role_response_list { struct role_response *items; size_t count; };
extern const struct schema role_response_schema;

struct list_roles_response {
    struct iam_role_list roles;
    enum opt_bool is_truncated;
};
struct list_roles_response_list { struct list_roles_response *items; size_t count; };
extern const struct schema list_roles_response_schema;

struct policy_response {
    struct str role_name;
    struct str policy_name;
    struct str policy_document;
};
struct policy_response_list { struct policy_response *items; size_t count; };
extern const struct schema policy_response_schema;

struct policy_names_response {
    struct str_list policy_names;
    enum opt_bool is_truncated;
};
struct policy_names_response_list { struct policy_names_response *items; size_t count; };
extern const struct schema policy_names_response_schema;

struct attached_response {
    struct iam_attached_list attached_policies;
    enum opt_bool is_truncated;
};
struct attached_response_list { struct attached_response *items; size_t count; };
extern const struct schema attached_response_schema;

struct profile_response {
    struct iam_profile *profile;
};
struct profile_response_list { struct profile_response *items; size_t count; };
extern const struct schema profile_response_schema;

struct profiles_response {
    struct iam_profile_list profiles;
    enum opt_bool is_truncated;
};
struct profiles_response_list { struct profiles_response *items; size_t count; };
extern const struct schema profiles_response_schema;

struct iam_tags_response {
    struct tag_list tags;
    enum opt_bool is_truncated;
};
struct iam_tags_response_list { struct iam_tags_response *items; size_t count; };
extern const struct schema iam_tags_response_schema;

#endif
