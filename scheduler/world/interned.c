/* interned.c: texts under numbers, counted. */
#include "scheduler/world/interned.h"

void interned_init(struct interned *interned, struct pool *pool)
{
    *interned = (struct interned){ .pool = pool };
    slots_init(&interned->slots, sizeof(struct text));
}

uint32_t interned_find_hashed(const struct interned *interned, struct str str, uint64_t hash)
{
    size_t at = 0;
    for (uint32_t n = table_first(&interned->table, hash, &at); n != NONE; n = table_next(&interned->table, hash, &at)) {
        if (str_eq(interned_str(interned, n), str)) { return n; }
    }
    return NONE;
}

uint32_t interned_find(const struct interned *interned, struct str str)
{
    return str_is_set(str) ? interned_find_hashed(interned, str, hash_bytes(str.ptr, str.len)) : NONE;
}

uint32_t interned_hold(struct interned *interned, struct str str)
{
    if (!str_is_set(str)) { return NONE; }
    uint64_t hash = hash_bytes(str.ptr, str.len);
    uint32_t found = interned_find_hashed(interned, str, hash);
    if (found == NONE) {
        found = slots_take(interned->pool, &interned->slots);
        char *copy = pool_take(interned->pool, str.len + 1);        /* one more, so that an empty text has an address too */
        memcpy(copy, str.ptr, str.len);
        *text_at(interned, found) = (struct text){ .bytes = copy, .len = str.len, .hash = hash, .group_counts = NONE, .tellers = NONE };
        table_add(&interned->table, hash, found);
        ASSERT(interned_find_hashed(interned, str, hash) == found);
    }
    text_at(interned, found)->refs++;
    return found;
}

void interned_release(struct interned *interned, uint32_t number)
{
    if (number == NONE) { return; }
    struct text *text = text_at(interned, number);
    ASSERT(text->refs > 0);
    if (--text->refs > 0) { return; }
    ASSERT(text->group_counts == NONE && text->tellers == NONE);
    table_remove(&interned->table, text->hash, number);
    pool_give(interned->pool, text->bytes, text->len + 1);
    slots_give(&interned->slots, number);
}

struct str interned_str(const struct interned *interned, uint32_t text)
{
    if (text == NONE) { return (struct str){ NULL, 0 }; }
    ASSERT(text < interned->slots.count);
    return (struct str){ text_at(interned, text)->bytes, text_at(interned, text)->len };
}
