/* Written by tools/shapes from api/aws/iam.shapes. */
#include "api/aws/iam.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct iam_user, member)
static const struct field iam_user_schema_fields[] = {
    { STR_INIT("Path"), 1, FIELD_STR, AT(path) },
    { STR_INIT("UserName"), 2, FIELD_STR, AT(user_name) },
    { STR_INIT("UserId"), 3, FIELD_STR, AT(user_id) },
    { STR_INIT("Arn"), 4, FIELD_STR, AT(arn) },
    { STR_INIT("CreateDate"), 5, FIELD_TIME, AT(create_date) },
};
#undef AT
const struct schema iam_user_schema = SCHEMA_OF("User", struct iam_user, iam_user_schema_fields);

#define AT(member) .offset = offsetof(struct iam_boundary, member)
static const struct field iam_boundary_schema_fields[] = {
    { STR_INIT("PermissionsBoundaryType"), 1, FIELD_STR, AT(type) },
    { STR_INIT("PermissionsBoundaryArn"), 2, FIELD_STR, AT(arn) },
};
#undef AT
const struct schema iam_boundary_schema = SCHEMA_OF("AttachedPermissionsBoundary", struct iam_boundary,
    iam_boundary_schema_fields);

#define AT(member) .offset = offsetof(struct iam_role, member)
static const struct field iam_role_schema_fields[] = {
    { STR_INIT("Path"), 1, FIELD_STR, AT(path) },
    { STR_INIT("RoleName"), 2, FIELD_STR, AT(role_name) },
    { STR_INIT("RoleId"), 3, FIELD_STR, AT(role_id) },
    { STR_INIT("Arn"), 4, FIELD_STR, AT(arn) },
    { STR_INIT("CreateDate"), 5, FIELD_TIME, AT(create_date) },
    { STR_INIT("AssumeRolePolicyDocument"), 6, FIELD_STR, AT(trust) },
    { STR_INIT("Description"), 7, FIELD_STR, AT(description) },
    { STR_INIT("MaxSessionDuration"), 8, FIELD_INT, AT(max_session_duration) },
    { STR_INIT("PermissionsBoundary"), 9, FIELD_STRUCT, AT(permissions_boundary), .schema = &iam_boundary_schema },
    { STR_INIT("Tags"), 10, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema },
};
#undef AT
const struct schema iam_role_schema = SCHEMA_OF("Role", struct iam_role, iam_role_schema_fields);

#define AT(member) .offset = offsetof(struct iam_profile, member)
static const struct field iam_profile_schema_fields[] = {
    { STR_INIT("Path"), 1, FIELD_STR, AT(path) },
    { STR_INIT("InstanceProfileName"), 2, FIELD_STR, AT(name) },
    { STR_INIT("InstanceProfileId"), 3, FIELD_STR, AT(id) },
    { STR_INIT("Arn"), 4, FIELD_STR, AT(arn) },
    { STR_INIT("CreateDate"), 5, FIELD_TIME, AT(create_date) },
    { STR_INIT("Roles"), 6, FIELD_LIST, AT(roles), .element = FIELD_STRUCT, .schema = &iam_role_schema },
    { STR_INIT("Tags"), 7, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema },
};
#undef AT
const struct schema iam_profile_schema = SCHEMA_OF("InstanceProfile", struct iam_profile, iam_profile_schema_fields);

#define AT(member) .offset = offsetof(struct iam_attached, member)
static const struct field iam_attached_schema_fields[] = {
    { STR_INIT("PolicyName"), 1, FIELD_STR, AT(name) },
    { STR_INIT("PolicyArn"), 2, FIELD_STR, AT(arn) },
};
#undef AT
const struct schema iam_attached_schema = SCHEMA_OF("AttachedPolicy", struct iam_attached, iam_attached_schema_fields);

#define AT(member) .offset = offsetof(struct get_user_request, member)
static const struct field get_user_request_schema_fields[] = {
    { STR_INIT("UserName"), 1, FIELD_STR, AT(user_name) },
};
#undef AT
const struct schema get_user_request_schema = SCHEMA_OF("GetUserRequest", struct get_user_request,
    get_user_request_schema_fields);

#define AT(member) .offset = offsetof(struct create_role_request, member)
static const struct field create_role_request_schema_fields[] = {
    { STR_INIT("Path"), 1, FIELD_STR, AT(path), .min = 1, .max = 512 },
    { STR_INIT("RoleName"), 2, FIELD_STR, AT(role_name), .min = 1, .max = 64, .required = true },
    { STR_INIT("AssumeRolePolicyDocument"), 3, FIELD_STR, AT(assume_role_policy_document), .min = 1, .max = 4096,
      .required = true },
    { STR_INIT("Description"), 4, FIELD_STR, AT(description), .max = 1000 },
    { STR_INIT("MaxSessionDuration"), 5, FIELD_INT, AT(max_session_duration), .min = 3600, .max = 43200 },
    { STR_INIT("PermissionsBoundary"), 6, FIELD_STR, AT(permissions_boundary), .min = 20, .max = 2048 },
    { STR_INIT("Tags"), 7, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 50 },
};
#undef AT
const struct schema create_role_request_schema = SCHEMA_OF("CreateRoleRequest", struct create_role_request,
    create_role_request_schema_fields);

#define AT(member) .offset = offsetof(struct role_request, member)
static const struct field role_request_schema_fields[] = {
    { STR_INIT("RoleName"), 1, FIELD_STR, AT(role_name), .min = 1, .max = 64, .required = true },
    { STR_INIT("PathPrefix"), 2, FIELD_STR, AT(path_prefix), .max = 512 },
};
#undef AT
const struct schema role_request_schema = SCHEMA_OF("GetRoleRequest", struct role_request, role_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_request, member)
static const struct field list_request_schema_fields[] = {
    { STR_INIT("PathPrefix"), 1, FIELD_STR, AT(path_prefix), .max = 512 },
};
#undef AT
const struct schema list_request_schema = SCHEMA_OF("ListRolesRequest", struct list_request, list_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_role_request, member)
static const struct field update_role_request_schema_fields[] = {
    { STR_INIT("RoleName"), 1, FIELD_STR, AT(role_name), .min = 1, .max = 64, .required = true },
    { STR_INIT("Description"), 2, FIELD_STR, AT(description), .max = 1000 },
    { STR_INIT("MaxSessionDuration"), 3, FIELD_INT, AT(max_session_duration), .min = 3600, .max = 43200 },
};
#undef AT
const struct schema update_role_request_schema = SCHEMA_OF("UpdateRoleRequest", struct update_role_request,
    update_role_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_trust_request, member)
static const struct field update_trust_request_schema_fields[] = {
    { STR_INIT("RoleName"), 1, FIELD_STR, AT(role_name), .min = 1, .max = 64, .required = true },
    { STR_INIT("PolicyDocument"), 2, FIELD_STR, AT(policy_document), .min = 1, .max = 4096, .required = true },
};
#undef AT
const struct schema update_trust_request_schema = SCHEMA_OF("UpdateAssumeRolePolicyRequest", struct update_trust_request,
    update_trust_request_schema_fields);

#define AT(member) .offset = offsetof(struct boundary_request, member)
static const struct field boundary_request_schema_fields[] = {
    { STR_INIT("RoleName"), 1, FIELD_STR, AT(role_name), .min = 1, .max = 64, .required = true },
    { STR_INIT("PermissionsBoundary"), 2, FIELD_STR, AT(permissions_boundary), .min = 20, .max = 2048, .required = true },
};
#undef AT
const struct schema boundary_request_schema = SCHEMA_OF("PutRolePermissionsBoundaryRequest", struct boundary_request,
    boundary_request_schema_fields);

#define AT(member) .offset = offsetof(struct put_role_policy_request, member)
static const struct field put_role_policy_request_schema_fields[] = {
    { STR_INIT("RoleName"), 1, FIELD_STR, AT(role_name), .min = 1, .max = 64, .required = true },
    { STR_INIT("PolicyName"), 2, FIELD_STR, AT(policy_name), .min = 1, .max = 128, .required = true },
    { STR_INIT("PolicyDocument"), 3, FIELD_STR, AT(policy_document), .min = 1, .max = 131072, .required = true },
};
#undef AT
const struct schema put_role_policy_request_schema = SCHEMA_OF("PutRolePolicyRequest", struct put_role_policy_request,
    put_role_policy_request_schema_fields);

#define AT(member) .offset = offsetof(struct role_policy_request, member)
static const struct field role_policy_request_schema_fields[] = {
    { STR_INIT("RoleName"), 1, FIELD_STR, AT(role_name), .min = 1, .max = 64, .required = true },
    { STR_INIT("PolicyName"), 2, FIELD_STR, AT(policy_name), .min = 1, .max = 128, .required = true },
};
#undef AT
const struct schema role_policy_request_schema = SCHEMA_OF("GetRolePolicyRequest", struct role_policy_request,
    role_policy_request_schema_fields);

#define AT(member) .offset = offsetof(struct attach_request, member)
static const struct field attach_request_schema_fields[] = {
    { STR_INIT("RoleName"), 1, FIELD_STR, AT(role_name), .min = 1, .max = 64, .required = true },
    { STR_INIT("PolicyArn"), 2, FIELD_STR, AT(policy_arn), .min = 20, .max = 2048, .required = true },
};
#undef AT
const struct schema attach_request_schema = SCHEMA_OF("AttachRolePolicyRequest", struct attach_request,
    attach_request_schema_fields);

#define AT(member) .offset = offsetof(struct create_profile_request, member)
static const struct field create_profile_request_schema_fields[] = {
    { STR_INIT("InstanceProfileName"), 1, FIELD_STR, AT(name), .min = 1, .max = 128, .required = true },
    { STR_INIT("Path"), 2, FIELD_STR, AT(path), .min = 1, .max = 512 },
    { STR_INIT("Tags"), 3, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 50 },
};
#undef AT
const struct schema create_profile_request_schema = SCHEMA_OF("CreateInstanceProfileRequest", struct create_profile_request,
    create_profile_request_schema_fields);

#define AT(member) .offset = offsetof(struct profile_request, member)
static const struct field profile_request_schema_fields[] = {
    { STR_INIT("InstanceProfileName"), 1, FIELD_STR, AT(name), .min = 1, .max = 128, .required = true },
};
#undef AT
const struct schema profile_request_schema = SCHEMA_OF("GetInstanceProfileRequest", struct profile_request,
    profile_request_schema_fields);

#define AT(member) .offset = offsetof(struct profile_role_request, member)
static const struct field profile_role_request_schema_fields[] = {
    { STR_INIT("InstanceProfileName"), 1, FIELD_STR, AT(name), .min = 1, .max = 128, .required = true },
    { STR_INIT("RoleName"), 2, FIELD_STR, AT(role_name), .min = 1, .max = 64, .required = true },
};
#undef AT
const struct schema profile_role_request_schema = SCHEMA_OF("AddRoleToInstanceProfileRequest", struct profile_role_request,
    profile_role_request_schema_fields);

#define AT(member) .offset = offsetof(struct iam_tag_request, member)
static const struct field iam_tag_request_schema_fields[] = {
    { STR_INIT("RoleName"), 1, FIELD_STR, AT(role_name), .min = 1, .max = 64 },
    { STR_INIT("InstanceProfileName"), 2, FIELD_STR, AT(profile), .min = 1, .max = 128 },
    { STR_INIT("Tags"), 3, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 50 },
    { STR_INIT("TagKeys"), 4, FIELD_LIST, AT(tag_keys), .element = FIELD_STR, .max = 50 },
};
#undef AT
const struct schema iam_tag_request_schema = SCHEMA_OF("TagRoleRequest", struct iam_tag_request, iam_tag_request_schema_fields);

#define AT(member) .offset = offsetof(struct get_user_response, member)
static const struct field get_user_response_schema_fields[] = {
    { STR_INIT("User"), 1, FIELD_STRUCT, AT(user), .schema = &iam_user_schema },
};
#undef AT
const struct schema get_user_response_schema = SCHEMA_OF("GetUserResponse", struct get_user_response,
    get_user_response_schema_fields);

#define AT(member) .offset = offsetof(struct role_response, member)
static const struct field role_response_schema_fields[] = {
    { STR_INIT("Role"), 1, FIELD_STRUCT, AT(role), .schema = &iam_role_schema },
};
#undef AT
const struct schema role_response_schema = SCHEMA_OF("GetRoleResponse", struct role_response, role_response_schema_fields);

#define AT(member) .offset = offsetof(struct list_roles_response, member)
static const struct field list_roles_response_schema_fields[] = {
    { STR_INIT("Roles"), 1, FIELD_LIST, AT(roles), .element = FIELD_STRUCT, .schema = &iam_role_schema },
    { STR_INIT("IsTruncated"), 2, FIELD_BOOL, AT(is_truncated), .always = true },
};
#undef AT
const struct schema list_roles_response_schema = SCHEMA_OF("ListRolesResponse", struct list_roles_response,
    list_roles_response_schema_fields);

#define AT(member) .offset = offsetof(struct policy_response, member)
static const struct field policy_response_schema_fields[] = {
    { STR_INIT("RoleName"), 1, FIELD_STR, AT(role_name) },
    { STR_INIT("PolicyName"), 2, FIELD_STR, AT(policy_name) },
    { STR_INIT("PolicyDocument"), 3, FIELD_STR, AT(policy_document) },
};
#undef AT
const struct schema policy_response_schema = SCHEMA_OF("GetRolePolicyResponse", struct policy_response,
    policy_response_schema_fields);

#define AT(member) .offset = offsetof(struct policy_names_response, member)
static const struct field policy_names_response_schema_fields[] = {
    { STR_INIT("PolicyNames"), 1, FIELD_LIST, AT(policy_names), .element = FIELD_STR },
    { STR_INIT("IsTruncated"), 2, FIELD_BOOL, AT(is_truncated), .always = true },
};
#undef AT
const struct schema policy_names_response_schema = SCHEMA_OF("ListRolePoliciesResponse", struct policy_names_response,
    policy_names_response_schema_fields);

#define AT(member) .offset = offsetof(struct attached_response, member)
static const struct field attached_response_schema_fields[] = {
    { STR_INIT("AttachedPolicies"), 1, FIELD_LIST, AT(attached_policies), .element = FIELD_STRUCT,
      .schema = &iam_attached_schema },
    { STR_INIT("IsTruncated"), 2, FIELD_BOOL, AT(is_truncated), .always = true },
};
#undef AT
const struct schema attached_response_schema = SCHEMA_OF("ListAttachedRolePoliciesResponse", struct attached_response,
    attached_response_schema_fields);

#define AT(member) .offset = offsetof(struct profile_response, member)
static const struct field profile_response_schema_fields[] = {
    { STR_INIT("InstanceProfile"), 1, FIELD_STRUCT, AT(profile), .schema = &iam_profile_schema },
};
#undef AT
const struct schema profile_response_schema = SCHEMA_OF("GetInstanceProfileResponse", struct profile_response,
    profile_response_schema_fields);

#define AT(member) .offset = offsetof(struct profiles_response, member)
static const struct field profiles_response_schema_fields[] = {
    { STR_INIT("InstanceProfiles"), 1, FIELD_LIST, AT(profiles), .element = FIELD_STRUCT, .schema = &iam_profile_schema },
    { STR_INIT("IsTruncated"), 2, FIELD_BOOL, AT(is_truncated), .always = true },
};
#undef AT
const struct schema profiles_response_schema = SCHEMA_OF("ListInstanceProfilesResponse", struct profiles_response,
    profiles_response_schema_fields);

#define AT(member) .offset = offsetof(struct iam_tags_response, member)
static const struct field iam_tags_response_schema_fields[] = {
    { STR_INIT("Tags"), 1, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema },
    { STR_INIT("IsTruncated"), 2, FIELD_BOOL, AT(is_truncated), .always = true },
};
#undef AT
const struct schema iam_tags_response_schema = SCHEMA_OF("ListRoleTagsResponse", struct iam_tags_response,
    iam_tags_response_schema_fields);
