/* Written by tools/shapes from model/records/secret.shapes. */
#include "model/records/secret.h"

#include "base/assert.h"

static const struct str parameter_type_words[] = { STR_INIT("String"), STR_INIT("StringList"), STR_INIT("SecureString") };
const struct enum_names parameter_type_names = { parameter_type_words, COUNT_OF(parameter_type_words) };

static const struct str parameter_tier_words[] = { STR_INIT("Standard"), STR_INIT("Advanced"), STR_INIT("Intelligent-Tiering") };
const struct enum_names parameter_tier_names = { parameter_tier_words, COUNT_OF(parameter_tier_words) };

#define AT(member) .offset = offsetof(struct secret_version, member)
static const struct field secret_version_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(id) },
    { STR_INIT(""), 2, FIELD_I64, AT(number) },
    { STR_INIT(""), 3, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 4, FIELD_STR, AT(sealed) },
};
#undef AT
const struct schema secret_version_record = SCHEMA_OF("secret version", struct secret_version, secret_version_record_fields);

#define AT(member) .offset = offsetof(struct kept_secret, member)
static const struct field kept_secret_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(suffix) },
    { STR_INIT(""), 2, FIELD_STR, AT(description) },
    { STR_INIT(""), 3, FIELD_STR, AT(kms_key_id) },
    { STR_INIT(""), 4, FIELD_STR, AT(data_type) },
    { STR_INIT(""), 5, FIELD_STR, AT(user) },
    { STR_INIT(""), 6, FIELD_ENUM, AT(type), .names = &parameter_type_names },
    { STR_INIT(""), 7, FIELD_ENUM, AT(tier), .names = &parameter_tier_names },
    { STR_INIT(""), 8, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 9, FIELD_I64, AT(changed_ms) },
    { STR_INIT(""), 10, FIELD_I64, AT(deleted_ms) },
    { STR_INIT(""), 11, FIELD_I64, AT(delete_on_ms) },
    { STR_INIT(""), 12, FIELD_LIST, AT(versions), .element = FIELD_STRUCT, .schema = &secret_version_record },
    { STR_INIT(""), 13, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
};
#undef AT
const struct schema kept_secret_record = SCHEMA_OF("secret", struct kept_secret, kept_secret_record_fields);

#define AT(member) .offset = offsetof(struct kept_secret, member)
static const struct field secret_head_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(suffix) },
    { STR_INIT(""), 2, FIELD_STR, AT(description) },
    { STR_INIT(""), 3, FIELD_STR, AT(kms_key_id) },
    { STR_INIT(""), 4, FIELD_STR, AT(data_type) },
    { STR_INIT(""), 5, FIELD_STR, AT(user) },
    { STR_INIT(""), 6, FIELD_ENUM, AT(type), .names = &parameter_type_names },
    { STR_INIT(""), 7, FIELD_ENUM, AT(tier), .names = &parameter_tier_names },
    { STR_INIT(""), 8, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 9, FIELD_I64, AT(changed_ms) },
    { STR_INIT(""), 10, FIELD_I64, AT(deleted_ms) },
    { STR_INIT(""), 11, FIELD_I64, AT(delete_on_ms) },
    { STR_INIT(""), 12, FIELD_LIST, AT(versions), .element = FIELD_STRUCT, .schema = &secret_version_head_record },
    { STR_INIT(""), 13, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
};
#undef AT
const struct schema secret_head_record = SCHEMA_OF("secret", struct kept_secret, secret_head_record_fields);

#define AT(member) .offset = offsetof(struct secret_version, member)
static const struct field secret_version_head_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(id) },
    { STR_INIT(""), 2, FIELD_I64, AT(number) },
    { STR_INIT(""), 3, FIELD_I64, AT(created_ms) },
};
#undef AT
const struct schema secret_version_head_record = SCHEMA_OF("secret version", struct secret_version,
    secret_version_head_record_fields);
