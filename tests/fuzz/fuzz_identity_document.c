/* fuzz_identity_document.c: of any text that an agent calls an EC2 identity document, only what fits becomes an attribute, and nothing that the
 * machine has already is changed. The same bytes as values of a sound document, in hexadecimal, are taken up to their limit. */
#include "api/core/support.h"

#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024, OWN = 1, VALUE_MAX = 128 };

static struct instance make_instance(struct arena *arena)
{
    struct instance instance = { 0 };
    instance.attributes.items = ARENA_NEW(arena, struct attribute, OWN + SUPPORT_IDENTITY_FACTS);
    instance.attributes.items[0] = (struct attribute){ .name = STR("ecs.ami-id"), .value = STR("own") };
    instance.attributes.count = OWN;
    return instance;
}

static void check_instance(const struct instance *instance)
{
    static const struct str names[] = { STR_INIT("ecs.instance-type"), STR_INIT("ecs.availability-zone"), STR_INIT("berth.address") };
    ASSERT(instance->attributes.count <= OWN + COUNT_OF(names) && instance->ec2_instance_id.len <= VALUE_MAX);
    ASSERT(str_eq(instance->attributes.items[0].value, STR("own")));
    for (size_t a = OWN; a < instance->attributes.count; a++) {
        const struct attribute *attribute = &instance->attributes.items[a];
        bool known = false;
        for (size_t n = 0; n < COUNT_OF(names); n++) { known = known || str_eq(attribute->name, names[n]); }
        ASSERT(known && attribute->value.len >= 1 && attribute->value.len <= VALUE_MAX);
        for (size_t before = 0; before < a; before++) { ASSERT(!str_eq(instance->attributes.items[before].name, attribute->name)); }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct instance instance = make_instance(&arena);
    support_read_identity(fuzz_str(data, size), &instance, &arena);
    check_instance(&instance);

    struct buf value = buf_in(&arena);
    for (size_t b = 0; b < size && b <= VALUE_MAX; b++) { buf_printf(&value, "%02x", data[b]); }
    struct str text = buf_str(&value);
    instance = make_instance(&arena);
    support_read_identity(arena_printf(&arena, "{\"instanceId\":\"" STR_FMT "\",\"privateIp\":\"" STR_FMT "\"}", STR_ARG(text), STR_ARG(text)), &instance, &arena);
    check_instance(&instance);
    bool fits = text.len >= 1 && text.len <= VALUE_MAX;
    ASSERT(instance.attributes.count == OWN + (fits ? 1 : 0));
    ASSERT(fits ? str_eq(instance.ec2_instance_id, text) && str_eq(instance.attributes.items[OWN].value, text) : instance.ec2_instance_id.len == 0);
    arena_reset(&arena);
    return 0;
}
