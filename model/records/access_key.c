/* Written by tools/shapes from model/records/access_key.shapes. */
#include "model/records/access_key.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct access_key, member)
static const struct field access_key_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(id) },
    { STR_INIT(""), 2, FIELD_STR, AT(secret) },
    { STR_INIT(""), 3, FIELD_STR, AT(user) },
    { STR_INIT(""), 4, FIELD_ENUM, AT(role), .names = &access_role_names },
    { STR_INIT(""), 5, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 6, FIELD_I64, AT(revoked_ms) },
    { STR_INIT(""), 7, FIELD_STR, AT(binding.cluster) },
    { STR_INIT(""), 8, FIELD_STR, AT(binding.instance) },
};
#undef AT
const struct schema access_key_record = SCHEMA_OF("access key", struct access_key, access_key_record_fields);
