/* Written by tools/shapes from model/records/gpu.shapes. */
#include "model/records/gpu.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct gpu, member)
static const struct field gpu_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(uuid) },
    { STR_INIT(""), 2, FIELD_STR, AT(model) },
    { STR_INIT(""), 3, FIELD_I64, AT(memory_mib) },
    { STR_INIT(""), 4, FIELD_STR, AT(profile) },
};
#undef AT
const struct schema gpu_record = SCHEMA_OF("gpu", struct gpu, gpu_record_fields);
