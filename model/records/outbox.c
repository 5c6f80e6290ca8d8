/* Written by tools/shapes from model/records/outbox.shapes. */
#include "model/records/outbox.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct kept_event, member)
static const struct field kept_event_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(number) },
    { STR_INIT(""), 2, FIELD_I64, AT(at_ms) },
    { STR_INIT(""), 3, FIELD_STR, AT(type) },
    { STR_INIT(""), 4, FIELD_STR, AT(text) },
};
#undef AT
const struct schema kept_event_record = SCHEMA_OF("event", struct kept_event, kept_event_record_fields);
