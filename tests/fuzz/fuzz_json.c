/* fuzz_json.c: a value that is read and printed reads back the same, and any bytes print as JSON that is read again. */
#include "base/json.h"

#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024 };

static struct str dump(const struct json *value, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    struct json_out out = json_out_to(&buf);
    json_dump(&out, value);
    return buf_str(&buf);
}

static bool same(const struct json *a, const struct json *b)
{
    if (a->type != b->type || a->count != b->count) { return false; }
    if (a->type == JSON_INT) { return a->as.integer == b->as.integer; }
    if (a->type == JSON_REAL) { return memcmp(&a->as.real, &b->as.real, sizeof a->as.real) == 0; }
    if (a->type == JSON_STRING) { return str_eq(a->as.string, b->as.string); }
    for (size_t i = 0; a->type == JSON_ARRAY && i < a->count; i++) {
        if (!same(&a->as.items[i], &b->as.items[i])) { return false; }
    }
    for (size_t m = 0; a->type == JSON_OBJECT && m < a->count; m++) {
        const struct json_member *left = &a->as.members[m], *right = &b->as.members[m];
        if (!str_eq(left->key, right->key) || !same(&left->value, &right->value)) { return false; }
        ASSERT(json_get(a, left->key) == &left->value);            /* no key twice */
    }
    return true;
}

static void check_tree(struct str text, struct arena *arena)
{
    struct err err = { .code = ERR_NONE };
    const struct json *first = json_parse(text, arena, &err);
    ASSERT((first == NULL) == (err.code != ERR_NONE));
    if (first == NULL) { return; }
    struct str printed = dump(first, arena);
    const struct json *second = json_parse(printed, arena, &err);
    ASSERT(second != NULL);
    ASSERT(same(first, second));
    ASSERT(str_eq(dump(second, arena), printed));
}

/* Strings that come from elsewhere than JSON: the reply stays JSON for any bytes in them, and is stable once replaced. */
static void check_string(struct str bytes, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    struct json_out out = json_out_to(&buf);
    json_str(&out, bytes);
    struct err err = { .code = ERR_NONE };
    const struct json *back = json_parse(buf_str(&buf), arena, &err);
    ASSERT(back != NULL);
    ASSERT(back->type == JSON_STRING);
    ASSERT(str_eq(dump(back, arena), buf_str(&buf)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    check_tree(fuzz_str(data, size), &arena);
    check_string(fuzz_str(data, size), &arena);
    arena_reset(&arena);
    return 0;
}
