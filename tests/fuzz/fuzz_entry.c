/* fuzz_entry.c: entries of the log of several servers. What is taken is packed again, and then read as the same. */
#include "ha/entry.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 256 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct entry entry, same;
    struct err err = { 0 };
    struct str bytes, plain;
    static const struct seal_key key = { { 1 } };
    arena_init(&arena, CEILING);
    ASSERT(!entry_open(&key, 1, (struct str){ (const char *)data, size }, &plain, &arena, &err) || plain.len == size);      /* nobody has this key */
    if (entry_unpack((struct str){ (const char *)data, size }, &entry, &arena, &err) && entry_pack(&entry, &bytes, &arena)) {
        ASSERT(entry_unpack(bytes, &same, &arena, &err));
        ASSERT(same.count == entry.count && same.revision == entry.revision && str_eq(same.writes[0].key, entry.writes[0].key));
    }
    arena_finish(&arena);
    return 0;
}
