/* fuzz_env_file.c: the variables of an environment file, written as one again, read the same. */
#include "agent/task/env_file.h"

#include "base/buf.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 16 * 1024 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct str text = fuzz_str(data, size);
    struct pair_list pairs, again;
    struct err err = { 0 };
    if (env_file_parse(text, &pairs, &arena, &err)) {
        struct buf written = buf_in(&arena);
        for (size_t p = 0; p < pairs.count; p++) {
            struct pair pair = pairs.items[p];
            ASSERT(pair.key.len > 0 && pair.value.len > 0 && pair.key.ptr[0] != '#');
            ASSERT(str_find(pair.key, '=') == pair.key.len && str_find(pair.value, '\n') == pair.value.len);
            buf_put(&written, pair.key);
            buf_put_char(&written, '=');
            buf_put(&written, pair.value);
            buf_put(&written, STR("\r\n"));
        }
        if (written.len <= ENV_FILE_MAX) {
            bool good = env_file_parse(buf_str(&written), &again, &arena, &err) && again.count == pairs.count;
            for (size_t p = 0; good && p < pairs.count; p++) {
                good = str_eq(again.items[p].key, pairs.items[p].key) && str_eq(again.items[p].value, pairs.items[p].value);
            }
            ASSERT(good || err.code != ERR_NONE);
        }
    } else {
        ASSERT(err.code == ERR_INVALID_PARAMETER);
    }
    arena_reset(&arena);
    return 0;
}
