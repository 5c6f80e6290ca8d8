#include "model/access_key.h"

#include "base/assert.h"

static const struct str access_role_words[] = { STR_INIT("admin"), STR_INIT("agent"), STR_INIT("viewer") };
const struct enum_names access_role_names = { access_role_words, COUNT_OF(access_role_words) };
_Static_assert(COUNT_OF(access_role_words) == ACCESS_TASK - 1, "one word per value of a kept key");

#define AT(member) .offset = offsetof(struct access_key, member)
static const struct field access_key_fields[] = {
    { STR_INIT(""), 1, FIELD_STR,  AT(id) },
    { STR_INIT(""), 2, FIELD_STR,  AT(secret) },
    { STR_INIT(""), 3, FIELD_STR,  AT(user) },
    { STR_INIT(""), 4, FIELD_ENUM, AT(role), .names = &access_role_names },
    { STR_INIT(""), 5, FIELD_I64,  AT(created_ms) },
    { STR_INIT(""), 6, FIELD_I64,  AT(revoked_ms) },
    { STR_INIT(""), 7, FIELD_STR,  AT(binding.cluster) },
    { STR_INIT(""), 8, FIELD_STR,  AT(binding.instance) },
};
#undef AT
const struct schema access_key_record = SCHEMA_OF("access key", struct access_key, access_key_fields);
