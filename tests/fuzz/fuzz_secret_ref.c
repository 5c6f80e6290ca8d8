/* fuzz_secret_ref.c: the parts of a reference, joined again, are the reference. */
#include "model/secret_ref.h"

#include "base/arena.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 1024 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct str text = fuzz_str(data, size);
    struct secret_ref ref;
    struct err err = { 0 };
    if (secret_ref_parse(text, SECRET_OF_SSM, &ref, &err)) {
        ASSERT(ref.kind == SECRET_OF_SSM || ref.kind == SECRET_OF_ASM);
        ASSERT(ref.id.len > 0 && str_starts_with(text, ref.id));
        struct str joined = arena_printf(&arena, STR_FMT ":" STR_FMT ":" STR_FMT ":" STR_FMT, STR_ARG(ref.id), STR_ARG(ref.json_key),
                                         STR_ARG(ref.version_stage), STR_ARG(ref.version_id));
        ASSERT(str_eq(ref.id, text) || (ref.kind == SECRET_OF_ASM && str_eq(joined, text)));
        ASSERT(!str_is_set(ref.json_key) || ref.json_key.len > 0);
    } else {
        ASSERT(err.code == ERR_INVALID_PARAMETER);
    }
    arena_reset(&arena);
    return 0;
}
