/* fuzz_quota.c: the quotas of a cluster. Those that are read have a key and a limit, and are read the same when they are written again. */
#include "base/buf.h"
#include "scheduler/queue/quota.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    struct quota_item items[QUOTA_ITEMS_MAX], again[QUOTA_ITEMS_MAX];
    size_t count, count_again;
    struct err err = { 0 };
    if (arena.ceiling == 0) { arena_init(&arena, 1 << 20); }
    if (!quota_parse(fuzz_str(data, size), items, &count, &err)) {
        ASSERT(err.code == ERR_INVALID_PARAMETER && err.message[0] != '\0');
        return 0;
    }
    struct buf text = buf_in(&arena);
    ASSERT(count <= QUOTA_ITEMS_MAX);
    for (size_t i = 0; i < count; i++) {
        ASSERT(items[i].key.len > 0 && items[i].limit >= 0);
        buf_put(&text, i == 0 ? STR("") : STR(" "));
        buf_put(&text, items[i].key);                            /* not by a format: there may be zeros */
        buf_put_char(&text, ':');
        buf_put(&text, items[i].value);
        buf_printf(&text, ":%lld.%03lld", (long long)(items[i].limit / 1000), (long long)(items[i].limit % 1000));
    }
    ASSERT(quota_parse(buf_str(&text), again, &count_again, &err) && count_again == count);
    for (size_t i = 0; i < count; i++) {
        ASSERT(str_eq(items[i].key, again[i].key) && str_eq(items[i].value, again[i].value) && items[i].limit == again[i].limit);
    }
    arena_reset(&arena);
    return 0;
}
