/* Written by tools/shapes from api/schemas/upper_tag.shapes. */
#include "api/schemas/upper_tag.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct tag, member)
static const struct field upper_tag_schema_fields[] = {
    { STR_INIT("Key"), 1, FIELD_STR, AT(key), .min = 1, .max = 128, .required = true },
    { STR_INIT("Value"), 2, FIELD_STR, AT(value), .max = 256 },
};
#undef AT
const struct schema upper_tag_schema = SCHEMA_OF("Tag", struct tag, upper_tag_schema_fields);
