#include "model/instance.h"

#include "base/assert.h"
#include "base/buf.h"
#include "model/status.h"

static const struct str instance_status_words[] = {
    STR_INIT("REGISTERING"), STR_INIT("REGISTRATION_FAILED"), STR_INIT("ACTIVE"), STR_INIT("INACTIVE"),
    STR_INIT("DEREGISTERING"), STR_INIT("DRAINING"),
};
const struct enum_names instance_status_names = { instance_status_words, COUNT_OF(instance_status_words) };
_Static_assert(COUNT_OF(instance_status_words) == INSTANCE_STATUS_COUNT - 1, "one word per value");

/* INACTIVE is final: a machine that registers again after that has a new record, though it may have the old id. */
#define TO STATUS_BIT
static const uint32_t instance_steps[INSTANCE_STATUS_COUNT] = {
    [INSTANCE_STATUS_UNSET]        = TO(INSTANCE_REGISTERING) | TO(INSTANCE_ACTIVE),
    [INSTANCE_REGISTERING]         = TO(INSTANCE_REGISTRATION_FAILED) | TO(INSTANCE_ACTIVE) | TO(INSTANCE_INACTIVE),
    [INSTANCE_REGISTRATION_FAILED] = TO(INSTANCE_REGISTERING) | TO(INSTANCE_INACTIVE),
    [INSTANCE_ACTIVE]              = TO(INSTANCE_DRAINING) | TO(INSTANCE_DEREGISTERING) | TO(INSTANCE_INACTIVE),
    [INSTANCE_INACTIVE]            = 0,
    [INSTANCE_DEREGISTERING]       = TO(INSTANCE_INACTIVE),
    [INSTANCE_DRAINING]            = TO(INSTANCE_ACTIVE) | TO(INSTANCE_DEREGISTERING) | TO(INSTANCE_INACTIVE),
};
#undef TO

bool instance_may_become(enum instance_status from, enum instance_status to)
{
    return status_may_become(instance_steps, INSTANCE_STATUS_COUNT, from, to);
}

void instance_become(struct instance *instance, enum instance_status status, int64_t now_ms)
{
    bool is_new = instance->status == INSTANCE_STATUS_UNSET;
    ASSERT(instance_may_become(instance->status, status));
    ASSERT(!id_is_zero(instance->id));
    ASSERT(instance->deregistered_ms == 0);
    instance->status = status;
    if (is_new) { instance->registered_ms = now_ms; }
    if (status == INSTANCE_INACTIVE) { instance->deregistered_ms = now_ms; }
}

#define AT(member) .offset = offsetof(struct gpu, member)
static const struct field gpu_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(uuid) },
    { STR_INIT(""), 2, FIELD_STR, AT(model) },
    { STR_INIT(""), 3, FIELD_I64, AT(memory_mib) },
    { STR_INIT(""), 4, FIELD_STR, AT(profile) },
};
#undef AT
static const struct schema gpu_record = SCHEMA_OF("gpu", struct gpu, gpu_fields);

/* The id has no tag: it is the record's key. */
#define AT(member) .offset = offsetof(struct instance, member)
static const struct field instance_fields[] = {
    { STR_INIT(""),  1, FIELD_I64,    AT(cluster_number) },
    { STR_INIT(""),  2, FIELD_ENUM,   AT(status), .names = &instance_status_names },
    { STR_INIT(""),  3, FIELD_STR,    AT(status_reason) },
    { STR_INIT(""),  4, FIELD_STR,    AT(ec2_instance_id) },
    { STR_INIT(""),  5, FIELD_I64,    AT(cpu) },
    { STR_INIT(""),  6, FIELD_I64,    AT(memory_mib) },
    { STR_INIT(""),  7, FIELD_LIST,   AT(reserved_ports), .element = FIELD_INT },
    { STR_INIT(""),  8, FIELD_LIST,   AT(gpus), .element = FIELD_STRUCT, .schema = &gpu_record },
    { STR_INIT(""),  9, FIELD_LIST,   AT(attributes), .element = FIELD_STRUCT, .schema = &attribute_schema },
    { STR_INIT(""), 10, FIELD_LIST,   AT(custom_attributes), .element = FIELD_STR },
    { STR_INIT(""), 11, FIELD_STRUCT, AT(version_info), .schema = &version_info_schema },
    { STR_INIT(""), 12, FIELD_LIST,   AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 13, FIELD_I64,    AT(registered_ms) },
    { STR_INIT(""), 14, FIELD_I64,    AT(version) },
    { STR_INIT(""), 15, FIELD_BOOL,   AT(agent_connected) },
    { STR_INIT(""), 16, FIELD_I64,    AT(agent_changed_ms) },
    { STR_INIT(""), 17, FIELD_I64,    AT(session_epoch) },
    { STR_INIT(""), 18, FIELD_STR,    AT(client_token) },
    { STR_INIT(""), 19, FIELD_I64,    AT(deregistered_ms) },
    { STR_INIT(""), 20, FIELD_STRUCT, AT(health), .schema = &machine_health_schema },
    { STR_INIT(""), 21, FIELD_LIST,   AT(gpu_faults), .element = FIELD_STRUCT, .schema = &gpu_fault_schema },
    { STR_INIT(""), 22, FIELD_I64,    AT(lease_ms) },
    { STR_INIT(""), 23, FIELD_STRUCT, AT(runtime), .schema = &runtime_health_schema },
    { STR_INIT(""), 24, FIELD_I64,    AT(agent_came_ms) },
};
#undef AT
const struct schema instance_record = SCHEMA_OF("instance", struct instance, instance_fields);

const struct str instance_zone_name = STR_INIT("ecs.availability-zone"), instance_architecture_name = STR_INIT("ecs.cpu-architecture");

struct str instance_attribute(const struct instance *instance, struct str name, bool *found)
{
    for (size_t a = 0; a < instance->attributes.count; a++) {
        if (str_eq(instance->attributes.items[a].name, name)) {
            *found = true;
            return instance->attributes.items[a].value;
        }
    }
    *found = false;
    return (struct str){ NULL, 0 };
}

struct str instance_name(const struct instance *instance, char hex[ID_HEX_LEN + 1])
{
    enum { SHORT_ID_LEN = 8 };
    bool found;
    struct str name = instance_attribute(instance, STR("berth.name"), &found);
    if (name.len > 0) { return name; }
    if (instance->ec2_instance_id.len > 0) { return instance->ec2_instance_id; }
    id_hex(instance->id, hex);
    return (struct str){ hex, SHORT_ID_LEN };
}

bool instance_gpu_is_out(const struct instance *instance, struct str uuid)
{
    for (size_t f = 0; f < instance->gpu_faults.count; f++) {
        const struct gpu_fault *fault = &instance->gpu_faults.items[f];
        if (!str_is_set(fault->restored_by) && str_eq(fault->uuid, uuid)) { return true; }
    }
    return false;
}

struct str instance_long_attribute(const struct instance *instance, struct str name, struct arena *arena)
{
    struct buf out = buf_in(arena);
    bool found = true;
    for (size_t part = 0; found; part++) { buf_put(&out, instance_attribute(instance, gpu_text_part(name, part, arena), &found)); }
    return buf_str(&out);
}
