/* fuzz_paging.c: each position has one token. What reads as a token is the one that its position gives, and is none of another list. */
#include "api/core/support.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, 1 << 22); }
    struct op_ctx ctx = { .arena = &arena };
    struct err err = { 0 };
    struct str text = fuzz_str(data, size), list = STR("ListThings"), position, again;
    if (size > 0 && paging_position(&ctx, list, text, &position, &err)) {
        ASSERT(str_eq(paging_token(&ctx, list, position), text));
        ASSERT(!paging_position(&ctx, STR("ListThing"), text, &again, &err));
    }
    struct str token = paging_token(&ctx, list, text);
    ASSERT(paging_position(&ctx, list, token, &again, &err) && str_eq(again, text));
    arena_reset(&arena);
    return 0;
}
