/* fuzz_wire.c: a message that an agent can read prints, and reads the same again. The first byte, a digit, chooses the shape. */
#include "wire/checks.h"
#include "wire/wire.h"

#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024 };

static const struct schema *const shapes[] = {
    &wire_payload_schema, &wire_manifest_schema, &wire_stop_ack_schema, &wire_role_message_schema, &wire_exec_schema, &wire_heartbeat_schema,
    &wire_checks_schema, &checks_report_schema, &wire_pulls_schema, &pulled_report_schema,
};

static struct str print(const struct schema *schema, const void *value, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    struct json_out out = json_out_to(&buf);
    schema_print(schema, value, &out);
    return buf_str(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    if (size == 0 || size > 64 * 1024) { return 0; }
    const struct schema *schema = shapes[(uint8_t)(data[0] - '0') % COUNT_OF(shapes)];
    struct err err = { 0 };
    const struct json *json = json_parse(fuzz_str(data + 1, size - 1), &arena, &err);
    void *first = arena_alloc(&arena, 1, schema->size), *second = arena_alloc(&arena, 1, schema->size);
    if (json != NULL && schema_decode(schema, json, first, &arena, ERR_INVALID_PARAMETER, &err)) {
        struct str printed = print(schema, first, &arena);
        json = json_parse(printed, &arena, &err);
        ASSERT(json != NULL && schema_decode(schema, json, second, &arena, ERR_INVALID_PARAMETER, &err));
        ASSERT(str_eq(print(schema, second, &arena), printed));
    } else {
        ASSERT(err.code != ERR_NONE && err.message[0] != '\0');
    }
    arena_reset(&arena);
    return 0;
}
