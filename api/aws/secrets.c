/* Written by tools/shapes from api/aws/secrets.shapes. */
#include "api/aws/secrets.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct secret_filter, member)
static const struct field secret_filter_schema_fields[] = {
    { STR_INIT("Key"), 1, FIELD_STR, AT(key) },
    { STR_INIT("Values"), 2, FIELD_LIST, AT(values), .element = FIELD_STR, .max = 10 },
};
#undef AT
const struct schema secret_filter_schema = SCHEMA_OF("Filter", struct secret_filter, secret_filter_schema_fields);

#define AT(member) .offset = offsetof(struct create_secret_request, member)
static const struct field create_secret_request_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 512, .required = true },
    { STR_INIT("ClientRequestToken"), 2, FIELD_STR, AT(client_request_token), .min = 32, .max = 64 },
    { STR_INIT("Description"), 3, FIELD_STR, AT(description), .max = 2048 },
    { STR_INIT("KmsKeyId"), 4, FIELD_STR, AT(kms_key_id), .max = 2048 },
    { STR_INIT("SecretBinary"), 5, FIELD_STR, AT(secret_binary) },
    { STR_INIT("SecretString"), 6, FIELD_STR, AT(secret_string), .min = 1, .max = 65536 },
    { STR_INIT("Tags"), 7, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema },
};
#undef AT
const struct schema create_secret_request_schema = SCHEMA_OF("CreateSecretRequest", struct create_secret_request,
    create_secret_request_schema_fields);

#define AT(member) .offset = offsetof(struct create_secret_response, member)
static const struct field create_secret_response_schema_fields[] = {
    { STR_INIT("ARN"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name) },
    { STR_INIT("VersionId"), 3, FIELD_STR, AT(version_id) },
};
#undef AT
const struct schema create_secret_response_schema = SCHEMA_OF("CreateSecretResponse", struct create_secret_response,
    create_secret_response_schema_fields);

#define AT(member) .offset = offsetof(struct put_secret_value_request, member)
static const struct field put_secret_value_request_schema_fields[] = {
    { STR_INIT("SecretId"), 1, FIELD_STR, AT(secret_id), .min = 1, .max = 2048, .required = true },
    { STR_INIT("ClientRequestToken"), 2, FIELD_STR, AT(client_request_token), .min = 32, .max = 64 },
    { STR_INIT("SecretBinary"), 3, FIELD_STR, AT(secret_binary) },
    { STR_INIT("SecretString"), 4, FIELD_STR, AT(secret_string), .min = 1, .max = 65536 },
    { STR_INIT("VersionStages"), 5, FIELD_LIST, AT(version_stages), .element = FIELD_STR, .min = 1, .max = 20 },
};
#undef AT
const struct schema put_secret_value_request_schema = SCHEMA_OF("PutSecretValueRequest", struct put_secret_value_request,
    put_secret_value_request_schema_fields);

#define AT(member) .offset = offsetof(struct put_secret_value_response, member)
static const struct field put_secret_value_response_schema_fields[] = {
    { STR_INIT("ARN"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name) },
    { STR_INIT("VersionId"), 3, FIELD_STR, AT(version_id) },
    { STR_INIT("VersionStages"), 4, FIELD_LIST, AT(version_stages), .element = FIELD_STR },
};
#undef AT
const struct schema put_secret_value_response_schema = SCHEMA_OF("PutSecretValueResponse", struct put_secret_value_response,
    put_secret_value_response_schema_fields);

#define AT(member) .offset = offsetof(struct get_secret_value_request, member)
static const struct field get_secret_value_request_schema_fields[] = {
    { STR_INIT("SecretId"), 1, FIELD_STR, AT(secret_id), .min = 1, .max = 2048, .required = true },
    { STR_INIT("VersionId"), 2, FIELD_STR, AT(version_id), .min = 32, .max = 64 },
    { STR_INIT("VersionStage"), 3, FIELD_STR, AT(version_stage), .min = 1, .max = 256 },
};
#undef AT
const struct schema get_secret_value_request_schema = SCHEMA_OF("GetSecretValueRequest", struct get_secret_value_request,
    get_secret_value_request_schema_fields);

#define AT(member) .offset = offsetof(struct get_secret_value_response, member)
static const struct field get_secret_value_response_schema_fields[] = {
    { STR_INIT("ARN"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name) },
    { STR_INIT("VersionId"), 3, FIELD_STR, AT(version_id) },
    { STR_INIT("SecretString"), 4, FIELD_STR, AT(secret_string) },
    { STR_INIT("VersionStages"), 5, FIELD_LIST, AT(version_stages), .element = FIELD_STR },
    { STR_INIT("CreatedDate"), 6, FIELD_TIME, AT(created_date) },
};
#undef AT
const struct schema get_secret_value_response_schema = SCHEMA_OF("GetSecretValueResponse", struct get_secret_value_response,
    get_secret_value_response_schema_fields);

#define AT(member) .offset = offsetof(struct update_secret_request, member)
static const struct field update_secret_request_schema_fields[] = {
    { STR_INIT("SecretId"), 1, FIELD_STR, AT(secret_id), .min = 1, .max = 2048, .required = true },
    { STR_INIT("ClientRequestToken"), 2, FIELD_STR, AT(client_request_token), .min = 32, .max = 64 },
    { STR_INIT("Description"), 3, FIELD_STR, AT(description), .max = 2048 },
    { STR_INIT("KmsKeyId"), 4, FIELD_STR, AT(kms_key_id), .max = 2048 },
    { STR_INIT("SecretBinary"), 5, FIELD_STR, AT(secret_binary) },
    { STR_INIT("SecretString"), 6, FIELD_STR, AT(secret_string), .min = 1, .max = 65536 },
};
#undef AT
const struct schema update_secret_request_schema = SCHEMA_OF("UpdateSecretRequest", struct update_secret_request,
    update_secret_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_secret_response, member)
static const struct field update_secret_response_schema_fields[] = {
    { STR_INIT("ARN"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name) },
    { STR_INIT("VersionId"), 3, FIELD_STR, AT(version_id) },
};
#undef AT
const struct schema update_secret_response_schema = SCHEMA_OF("UpdateSecretResponse", struct update_secret_response,
    update_secret_response_schema_fields);

#define AT(member) .offset = offsetof(struct describe_secret_request, member)
static const struct field describe_secret_request_schema_fields[] = {
    { STR_INIT("SecretId"), 1, FIELD_STR, AT(secret_id), .min = 1, .max = 2048, .required = true },
};
#undef AT
const struct schema describe_secret_request_schema = SCHEMA_OF("DescribeSecretRequest", struct describe_secret_request,
    describe_secret_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_secret_response, member)
static const struct field describe_secret_response_schema_fields[] = {
    { STR_INIT("ARN"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name) },
    { STR_INIT("Description"), 3, FIELD_STR, AT(description) },
    { STR_INIT("KmsKeyId"), 4, FIELD_STR, AT(kms_key_id) },
    { STR_INIT("LastChangedDate"), 5, FIELD_TIME, AT(last_changed_date) },
    { STR_INIT("DeletedDate"), 6, FIELD_TIME, AT(deleted_date) },
    { STR_INIT("Tags"), 7, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema },
    { STR_INIT("VersionIdsToStages"), 8, FIELD_JSON, AT(version_ids_to_stages) },
    { STR_INIT("CreatedDate"), 9, FIELD_TIME, AT(created_date) },
};
#undef AT
const struct schema describe_secret_response_schema = SCHEMA_OF("DescribeSecretResponse", struct describe_secret_response,
    describe_secret_response_schema_fields);

#define AT(member) .offset = offsetof(struct secret_list_entry, member)
static const struct field secret_list_entry_schema_fields[] = {
    { STR_INIT("ARN"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name) },
    { STR_INIT("Description"), 3, FIELD_STR, AT(description) },
    { STR_INIT("KmsKeyId"), 4, FIELD_STR, AT(kms_key_id) },
    { STR_INIT("LastChangedDate"), 5, FIELD_TIME, AT(last_changed_date) },
    { STR_INIT("DeletedDate"), 6, FIELD_TIME, AT(deleted_date) },
    { STR_INIT("Tags"), 7, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema },
    { STR_INIT("SecretVersionsToStages"), 8, FIELD_JSON, AT(secret_versions_to_stages) },
    { STR_INIT("CreatedDate"), 9, FIELD_TIME, AT(created_date) },
};
#undef AT
const struct schema secret_list_entry_schema = SCHEMA_OF("SecretListEntry", struct secret_list_entry,
    secret_list_entry_schema_fields);

#define AT(member) .offset = offsetof(struct list_secrets_request, member)
static const struct field list_secrets_request_schema_fields[] = {
    { STR_INIT("IncludePlannedDeletion"), 1, FIELD_BOOL, AT(include_planned_deletion) },
    { STR_INIT("MaxResults"), 2, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
    { STR_INIT("NextToken"), 3, FIELD_STR, AT(next_token), .min = 1, .max = 4096 },
    { STR_INIT("Filters"), 4, FIELD_LIST, AT(filters), .element = FIELD_STRUCT, .schema = &secret_filter_schema, .max = 10 },
};
#undef AT
const struct schema list_secrets_request_schema = SCHEMA_OF("ListSecretsRequest", struct list_secrets_request,
    list_secrets_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_secrets_response, member)
static const struct field list_secrets_response_schema_fields[] = {
    { STR_INIT("SecretList"), 1, FIELD_LIST, AT(secret_list), .element = FIELD_STRUCT, .schema = &secret_list_entry_schema },
    { STR_INIT("NextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_secrets_response_schema = SCHEMA_OF("ListSecretsResponse", struct list_secrets_response,
    list_secrets_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_secret_request, member)
static const struct field delete_secret_request_schema_fields[] = {
    { STR_INIT("SecretId"), 1, FIELD_STR, AT(secret_id), .min = 1, .max = 2048, .required = true },
    { STR_INIT("RecoveryWindowInDays"), 2, FIELD_LONG, AT(recovery_window_in_days) },
    { STR_INIT("ForceDeleteWithoutRecovery"), 3, FIELD_BOOL, AT(force_delete_without_recovery) },
};
#undef AT
const struct schema delete_secret_request_schema = SCHEMA_OF("DeleteSecretRequest", struct delete_secret_request,
    delete_secret_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_secret_response, member)
static const struct field delete_secret_response_schema_fields[] = {
    { STR_INIT("ARN"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name) },
    { STR_INIT("DeletionDate"), 3, FIELD_TIME, AT(deletion_date) },
};
#undef AT
const struct schema delete_secret_response_schema = SCHEMA_OF("DeleteSecretResponse", struct delete_secret_response,
    delete_secret_response_schema_fields);

#define AT(member) .offset = offsetof(struct restore_secret_request, member)
static const struct field restore_secret_request_schema_fields[] = {
    { STR_INIT("SecretId"), 1, FIELD_STR, AT(secret_id), .min = 1, .max = 2048, .required = true },
};
#undef AT
const struct schema restore_secret_request_schema = SCHEMA_OF("RestoreSecretRequest", struct restore_secret_request,
    restore_secret_request_schema_fields);

#define AT(member) .offset = offsetof(struct restore_secret_response, member)
static const struct field restore_secret_response_schema_fields[] = {
    { STR_INIT("ARN"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name) },
};
#undef AT
const struct schema restore_secret_response_schema = SCHEMA_OF("RestoreSecretResponse", struct restore_secret_response,
    restore_secret_response_schema_fields);

#define AT(member) .offset = offsetof(struct tag_secret_request, member)
static const struct field tag_secret_request_schema_fields[] = {
    { STR_INIT("SecretId"), 1, FIELD_STR, AT(secret_id), .min = 1, .max = 2048, .required = true },
    { STR_INIT("Tags"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .required = true },
};
#undef AT
const struct schema tag_secret_request_schema = SCHEMA_OF("TagResourceRequest", struct tag_secret_request,
    tag_secret_request_schema_fields);

#define AT(member) .offset = offsetof(struct untag_secret_request, member)
static const struct field untag_secret_request_schema_fields[] = {
    { STR_INIT("SecretId"), 1, FIELD_STR, AT(secret_id), .min = 1, .max = 2048, .required = true },
    { STR_INIT("TagKeys"), 2, FIELD_LIST, AT(tag_keys), .element = FIELD_STR, .required = true },
};
#undef AT
const struct schema untag_secret_request_schema = SCHEMA_OF("UntagResourceRequest", struct untag_secret_request,
    untag_secret_request_schema_fields);

#define AT(member) .offset = offsetof(struct get_resource_policy_request, member)
static const struct field get_resource_policy_request_schema_fields[] = {
    { STR_INIT("SecretId"), 1, FIELD_STR, AT(secret_id), .min = 1, .max = 2048, .required = true },
};
#undef AT
const struct schema get_resource_policy_request_schema = SCHEMA_OF("GetResourcePolicyRequest", struct get_resource_policy_request,
    get_resource_policy_request_schema_fields);

#define AT(member) .offset = offsetof(struct get_resource_policy_response, member)
static const struct field get_resource_policy_response_schema_fields[] = {
    { STR_INIT("ARN"), 1, FIELD_STR, AT(arn) },
    { STR_INIT("Name"), 2, FIELD_STR, AT(name) },
};
#undef AT
const struct schema get_resource_policy_response_schema = SCHEMA_OF("GetResourcePolicyResponse",
    struct get_resource_policy_response, get_resource_policy_response_schema_fields);
