/* fuzz_schema_decode.c: a request body that decodes prints, and the printed text decodes and prints the same; one that does
 * not leaves an error of the three kinds there are. The first byte chooses the shape. */
#include "model/ecs/cluster.h"
#include "model/ecs/instance.h"
#include "model/ecs/task.h"
#include "model/ecs/taskdef.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024 };

static const struct schema *const shapes[] = {
    &task_definition_schema, &task_view_schema, &instance_view_schema, &cluster_view_schema, &task_override_schema,
};

static struct str print(const struct schema *schema, const void *value, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    struct json_out out = json_out_to(&buf);
    schema_print(schema, value, &out);
    return buf_str(&buf);
}

static void check_shape(const struct schema *schema, struct str text, struct arena *arena)
{
    struct err err = { .code = ERR_NONE };
    const struct json *json = json_parse(text, arena, &err);
    if (json == NULL) { return; }
    void *first = arena_alloc(arena, 1, schema->size), *second = arena_alloc(arena, 1, schema->size);
    if (!schema_decode(schema, json, first, arena, ERR_CLIENT, &err)) {
        ASSERT(err.code == ERR_SERIALIZATION || err.code == ERR_CLIENT || err.code == ERR_REQUEST_TOO_LARGE);
        ASSERT(err.message[0] != '\0');
        return;
    }
    ASSERT(err.code == ERR_NONE);
    struct str printed = print(schema, first, arena);
    json = json_parse(printed, arena, &err);
    ASSERT(json != NULL);
    ASSERT(schema_decode(schema, json, second, arena, ERR_CLIENT, &err));
    ASSERT(str_eq(print(schema, second, arena), printed));

    struct buf record = buf_in(arena);
    schema_pack(schema, second, &record);
    memset(first, 0, schema->size);
    ASSERT(schema_unpack(schema, buf_str(&record), first, arena));
    ASSERT(str_eq(print(schema, first, arena), printed));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    if (size == 0 || size > 64 * 1024) { return 0; }
    check_shape(shapes[data[0] % COUNT_OF(shapes)], fuzz_str(data + 1, size - 1), &arena);
    arena_reset(&arena);
    return 0;
}
