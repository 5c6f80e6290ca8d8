/* fuzz_arn.c: the parts of an ARN, joined again, are the ARN. Ids too: an id that is read is written as it was. */
#include "base/text/arn.h"

#include "base/arena.h"
#include "base/id.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 1024 * 1024 };

static void check_arn(struct str text, struct arena *arena)
{
    struct arn arn;
    if (!arn_parse(text, &arn)) { return; }
    ASSERT(arn_looks_like(text));
    ASSERT(arn.partition.len > 0 && arn.service.len > 0 && arn.resource.len > 0);
    ASSERT(str_find(arn.account, ':') == arn.account.len);
    const struct str parts[] = { arn.partition, arn.service, arn.region, arn.account, arn.resource };
    char *joined = arena_alloc(arena, 1, text.len);
    size_t len = 3;
    memcpy(joined, "arn", len);
    for (size_t p = 0; p < COUNT_OF(parts); p++) {
        joined[len++] = ':';
        memcpy(joined + len, parts[p].ptr, parts[p].len);
        len += parts[p].len;
    }
    ASSERT(str_eq((struct str){ joined, len }, text));
}

static void check_id(struct str text)
{
    struct id id, again;
    char hex[ID_HEX_LEN + 1];
    if (!id_parse(text, &id)) { return; }
    id_hex(id, hex);
    ASSERT(id_parse((struct str){ hex, ID_HEX_LEN }, &again));
    ASSERT(id_eq(id, again));
    ASSERT(text.len != ID_HEX_LEN || str_eq_nocase((struct str){ hex, ID_HEX_LEN }, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    check_arn(fuzz_str(data, size), &arena);
    check_id(fuzz_str(data, size));
    arena_reset(&arena);
    return 0;
}
