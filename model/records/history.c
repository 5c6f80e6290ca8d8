/* Written by tools/shapes from model/records/history.shapes. */
#include "model/records/history.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct history_container, member)
static const struct field history_container_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(name) },
    { STR_INIT(""), 2, FIELD_INT, AT(exit_code) },
    { STR_INIT(""), 3, FIELD_STR, AT(reason) },
    { STR_INIT(""), 4, FIELD_LIST, AT(gpu_ids), .element = FIELD_STR },
    { STR_INIT(""), 5, FIELD_I64, AT(gpu_share) },
};
#undef AT
const struct schema history_container_record = SCHEMA_OF("history container", struct history_container,
    history_container_record_fields);

#define AT(member) .offset = offsetof(struct history, member)
static const struct field history_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(cluster_number) },
    { STR_INIT(""), 2, FIELD_STR, AT(family) },
    { STR_INIT(""), 3, FIELD_I64, AT(revision) },
    { STR_INIT(""), 4, FIELD_ID, AT(instance) },
    { STR_INIT(""), 5, FIELD_STR, AT(instance_name) },
    { STR_INIT(""), 6, FIELD_STR, AT(group) },
    { STR_INIT(""), 7, FIELD_I64, AT(memory_mib) },
    { STR_INIT(""), 8, FIELD_ENUM, AT(stop_code), .names = &task_stop_code_names },
    { STR_INIT(""), 9, FIELD_STR, AT(stopped_reason) },
    { STR_INIT(""), 10, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 11, FIELD_I64, AT(started_ms) },
    { STR_INIT(""), 12, FIELD_I64, AT(stopping_ms) },
    { STR_INIT(""), 13, FIELD_I64, AT(execution_stopped_ms) },
    { STR_INIT(""), 14, FIELD_LIST, AT(containers), .element = FIELD_STRUCT, .schema = &history_container_record },
    { STR_INIT(""), 15, FIELD_STR, AT(started_by) },
    { STR_INIT(""), 16, FIELD_I64, AT(cpu) },
    { STR_INIT(""), 17, FIELD_I64, AT(pull_started_ms) },
    { STR_INIT(""), 18, FIELD_I64, AT(pull_stopped_ms) },
    { STR_INIT(""), 19, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 25, FIELD_I64, AT(placed_ms) },
    { STR_INIT(""), 26, FIELD_I64, AT(asked_gpus) },
    { STR_INIT(""), 27, FIELD_I64, AT(sampled_gpu_ms) },
    { STR_INIT(""), 28, FIELD_I64, AT(used_gpu_ms) },
    { STR_INIT(""), 29, FIELD_I64, AT(idle_gpu_ms) },
};
#undef AT
const struct schema history_record = SCHEMA_OF("history", struct history, history_record_fields);
