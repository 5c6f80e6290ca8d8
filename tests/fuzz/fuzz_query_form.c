/* fuzz_query_form.c: forms of AWS's query protocol. The first byte chooses the shape and whether lists are flat. A form that is read prints as
 * XML in which every element is closed; one that is not read leaves an error. Pairs are in order, and each is found. */
#include "base/text/form.h"
#include "model/ecs/cluster.h"
#include "model/ecs/task.h"
#include "model/ecs/taskdef.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024 };

static const struct schema *const shapes[] = { &task_definition_schema, &cluster_view_schema, &task_override_schema };

static void check_pairs(struct str text, struct arena *arena)
{
    struct form form;
    struct err err = { 0 };
    if (!form_read(text, &form, arena, &err)) {
        ASSERT(err.code == ERR_REQUEST_TOO_LARGE);
        return;
    }
    for (size_t p = 0; p < form.count; p++) {
        ASSERT(p == 0 || str_cmp(form.pairs[p - 1].name, form.pairs[p].name) <= 0);
        ASSERT(str_is_set(form_get(&form, form.pairs[p].name)));
        ASSERT(form_has_below(&form, form.pairs[p].name));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    if (size == 0 || size > 64 * 1024) { return 0; }
    struct str text = fuzz_str(data + 1, size - 1);
    const struct schema *schema = shapes[data[0] % COUNT_OF(shapes)];
    bool flat = (data[0] & 0x80) != 0;
    struct err err = { 0 };
    void *value = arena_alloc(&arena, 1, schema->size);
    check_pairs(text, &arena);
    if (schema_read_form(schema, text, flat, value, &arena, ERR_VALIDATION, &err)) {
        struct buf out = buf_in(&arena);
        schema_print_xml(schema, value, flat ? STR("") : STR("member"), &out);
        size_t opened = 0, closed = 0;
        for (size_t i = 0; i + 1 < out.len; i++) {
            opened += out.ptr[i] == '<' && out.ptr[i + 1] != '/';
            closed += out.ptr[i] == '<' && out.ptr[i + 1] == '/';
        }
        ASSERT(opened == closed);
    } else {
        ASSERT(err.code == ERR_SERIALIZATION || err.code == ERR_VALIDATION || err.code == ERR_REQUEST_TOO_LARGE ||
               (flat && err.code == ERR_EC2_UNKNOWN_PARAMETER));
        ASSERT(err.message[0] != '\0');
    }
    arena_reset(&arena);
    return 0;
}
