/* Written by tools/shapes from model/records/account_settings.shapes. */
#include "model/records/account_settings.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct account_settings, member)
static const struct field account_settings_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(principal) },
    { STR_INIT(""), 2, FIELD_MAP, AT(values) },
};
#undef AT
const struct schema account_settings_record = SCHEMA_OF("account settings", struct account_settings,
    account_settings_record_fields);
