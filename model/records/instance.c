/* Written by tools/shapes from model/records/instance.shapes. */
#include "model/records/instance.h"

#include "base/assert.h"

static const struct str instance_status_words[] = { STR_INIT("REGISTERING"), STR_INIT("REGISTRATION_FAILED"), STR_INIT("ACTIVE"),
    STR_INIT("INACTIVE"), STR_INIT("DEREGISTERING"), STR_INIT("DRAINING") };
const struct enum_names instance_status_names = { instance_status_words, COUNT_OF(instance_status_words) };

#define AT(member) .offset = offsetof(struct instance, member)
static const struct field instance_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(cluster_number) },
    { STR_INIT(""), 2, FIELD_ENUM, AT(status), .names = &instance_status_names },
    { STR_INIT(""), 3, FIELD_STR, AT(status_reason) },
    { STR_INIT(""), 4, FIELD_STR, AT(ec2_instance_id) },
    { STR_INIT(""), 5, FIELD_I64, AT(cpu) },
    { STR_INIT(""), 6, FIELD_I64, AT(memory_mib) },
    { STR_INIT(""), 7, FIELD_LIST, AT(reserved_ports), .element = FIELD_INT },
    { STR_INIT(""), 8, FIELD_LIST, AT(gpus), .element = FIELD_STRUCT, .schema = &gpu_record },
    { STR_INIT(""), 9, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &attribute_schema },
    { STR_INIT(""), 10, FIELD_LIST, AT(custom_attributes), .element = FIELD_STR },
    { STR_INIT(""), 11, FIELD_STRUCT, AT(version_info), .schema = &version_info_schema },
    { STR_INIT(""), 12, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 13, FIELD_I64, AT(registered_ms) },
    { STR_INIT(""), 14, FIELD_I64, AT(version) },
    { STR_INIT(""), 15, FIELD_BOOL, AT(agent_connected) },
    { STR_INIT(""), 16, FIELD_I64, AT(agent_changed_ms) },
    { STR_INIT(""), 17, FIELD_I64, AT(session_epoch) },
    { STR_INIT(""), 18, FIELD_STR, AT(client_token) },
    { STR_INIT(""), 19, FIELD_I64, AT(deregistered_ms) },
    { STR_INIT(""), 20, FIELD_STRUCT, AT(health), .schema = &machine_health_record },
    { STR_INIT(""), 21, FIELD_LIST, AT(gpu_faults), .element = FIELD_STRUCT, .schema = &gpu_fault_schema },
    { STR_INIT(""), 22, FIELD_I64, AT(lease_ms) },
    { STR_INIT(""), 23, FIELD_STRUCT, AT(runtime), .schema = &runtime_health_record },
    { STR_INIT(""), 24, FIELD_I64, AT(agent_came_ms) },
    { STR_INIT(""), 25, FIELD_ID, AT(machine) },
    { STR_INIT(""), 26, FIELD_STR, AT(capacity_provider) },
};
#undef AT
const struct schema instance_record = SCHEMA_OF("instance", struct instance, instance_record_fields);
