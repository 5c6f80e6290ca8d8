#include "model/instance.h"

#include "base/assert.h"
#include "base/buf.h"
#include "model/gpu.h"
#include "model/status.h"

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

const struct str instance_zone_name = STR_INIT("ecs.availability-zone"), instance_architecture_name = STR_INIT("ecs.cpu-architecture");
const struct str instance_provider_name = STR_INIT("berth.capacity-provider");

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

const int64_t *instance_gpu_links(const struct instance *instance, struct arena *arena)
{
    size_t count = instance->gpus.count;
    struct str text = count < 2 ? STR("") : instance_long_attribute(instance, STR("berth.gpu-links"), arena);
    if (text.len == 0) { return NULL; }
    int64_t *scores = ARENA_NEW(arena, int64_t, count * count);
    return gpu_links_read(text, count, scores) ? scores : NULL;
}
