/* Written by tools/shapes from model/records/gpu_health.shapes. */
#include "model/records/gpu_health.h"

#include "base/assert.h"

static const struct str finding_status_words[] = { STR_INIT("OK"), STR_INIT("WARN"), STR_INIT("FAIL") };
const struct enum_names finding_status_names = { finding_status_words, COUNT_OF(finding_status_words) };

#define AT(member) .offset = offsetof(struct finding, member)
static const struct field finding_schema_fields[] = {
    { STR_INIT("check"), 1, FIELD_STR, AT(check), .max = 64, .required = true },
    { STR_INIT("status"), 2, FIELD_ENUM, AT(status), .names = &finding_status_names, .required = true },
    { STR_INIT("text"), 3, FIELD_STR, AT(text), .max = FINDING_TEXT_MAX },
    { STR_INIT("remedy"), 4, FIELD_STR, AT(remedy), .max = FINDING_TEXT_MAX },
};
#undef AT
const struct schema finding_schema = SCHEMA_OF("finding", struct finding, finding_schema_fields);

#define AT(member) .offset = offsetof(struct gpu_fault, member)
static const struct field gpu_fault_schema_fields[] = {
    { STR_INIT("uuid"), 1, FIELD_STR, AT(uuid), .min = 1, .max = 128, .required = true },
    { STR_INIT("reason"), 2, FIELD_STR, AT(reason), .max = FINDING_TEXT_MAX },
    { STR_INIT("since"), 3, FIELD_TIME, AT(since_ms) },
    { STR_INIT("gone"), 4, FIELD_BOOL, AT(gone) },
    { STR_INIT(""), 5, FIELD_STR, AT(by) },
    { STR_INIT(""), 6, FIELD_STR, AT(restored_by) },
    { STR_INIT(""), 7, FIELD_ID, AT(holder) },
};
#undef AT
const struct schema gpu_fault_schema = SCHEMA_OF("gpu fault", struct gpu_fault, gpu_fault_schema_fields);

#define AT(member) .offset = offsetof(struct machine_health, member)
static const struct field machine_health_record_fields[] = {
    { STR_INIT(""), 1, FIELD_ENUM, AT(state), .names = &instance_health_check_state_names },
    { STR_INIT(""), 2, FIELD_STR, AT(reason) },
    { STR_INIT(""), 3, FIELD_LIST, AT(findings), .element = FIELD_STRUCT, .schema = &finding_schema },
    { STR_INIT(""), 4, FIELD_I64, AT(changed_ms) },
    { STR_INIT(""), 5, FIELD_I64, AT(told_ms) },
};
#undef AT
const struct schema machine_health_record = SCHEMA_OF("machine health", struct machine_health, machine_health_record_fields);

#define AT(member) .offset = offsetof(struct runtime_health, member)
static const struct field runtime_health_record_fields[] = {
    { STR_INIT(""), 1, FIELD_ENUM, AT(state), .names = &instance_health_check_state_names },
    { STR_INIT(""), 2, FIELD_I64, AT(changed_ms) },
    { STR_INIT(""), 3, FIELD_I64, AT(told_ms) },
};
#undef AT
const struct schema runtime_health_record = SCHEMA_OF("runtime health", struct runtime_health, runtime_health_record_fields);

#define AT(member) .offset = offsetof(struct health_report, member)
static const struct field health_report_schema_fields[] = {
    { STR_INIT("cluster"), 0, FIELD_STR, AT(cluster) },
    { STR_INIT("containerInstance"), 0, FIELD_STR, AT(container_instance), .required = true },
    { STR_INIT("status"), 0, FIELD_ENUM, AT(state), .names = &instance_health_check_state_names, .required = true },
    { STR_INIT("statusReason"), 0, FIELD_STR, AT(reason), .max = FINDING_TEXT_MAX },
    { STR_INIT("findings"), 0, FIELD_LIST, AT(findings), .element = FIELD_STRUCT, .schema = &finding_schema,
      .max = FINDINGS_MAX },
    { STR_INIT("gpus"), 0, FIELD_LIST, AT(gpus), .element = FIELD_STRUCT, .schema = &gpu_fault_schema, .max = FAULTS_MAX },
};
#undef AT
const struct schema health_report_schema = SCHEMA_OF("health report", struct health_report, health_report_schema_fields);
