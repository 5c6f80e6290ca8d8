/* fuzz_base64.c: encoded bytes decode to the same; a text that decodes stays within its bounds, and is the same when it is written again. */
#include "base/text/base64.h"

#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct str bytes = fuzz_str(data, size);
    struct str ordinary = base64_encode(bytes, &arena), for_urls = base64_encode_url(bytes, &arena);
    ASSERT(ordinary.len == (size + 2) / 3 * 4 && for_urls.len == ordinary.len);
    ASSERT(str_eq(base64_decode(ordinary, &arena), bytes) && str_eq(base64_decode(for_urls, &arena), bytes));

    struct str decoded = base64_decode(bytes, &arena);
    if (str_is_set(decoded)) {
        ASSERT(decoded.len <= size / 4 * 3 + 2);
        ASSERT(str_eq(base64_decode(base64_encode(decoded, &arena), &arena), decoded));
    }
    arena_reset(&arena);
    return 0;
}
