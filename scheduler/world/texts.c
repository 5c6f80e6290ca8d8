/* texts.c: texts under numbers, counted. */
#include "scheduler/world/texts.h"

void texts_init(struct texts *texts, struct pool *pool)
{
    *texts = (struct texts){ .pool = pool };
    slots_init(&texts->slots, sizeof(struct text));
}

uint32_t texts_find_hashed(const struct texts *texts, struct str str, uint64_t hash)
{
    size_t at = 0;
    for (uint32_t n = table_first(&texts->table, hash, &at); n != NONE; n = table_next(&texts->table, hash, &at)) {
        if (str_eq(texts_str(texts, n), str)) { return n; }
    }
    return NONE;
}

uint32_t texts_find(const struct texts *texts, struct str str)
{
    return str_is_set(str) ? texts_find_hashed(texts, str, hash_bytes(str.ptr, str.len)) : NONE;
}

uint32_t texts_hold(struct texts *texts, struct str str)
{
    if (!str_is_set(str)) { return NONE; }
    uint64_t hash = hash_bytes(str.ptr, str.len);
    uint32_t found = texts_find_hashed(texts, str, hash);
    if (found == NONE) {
        found = slots_take(texts->pool, &texts->slots);
        char *copy = pool_take(texts->pool, str.len + 1);        /* one more, so that an empty text has an address too */
        memcpy(copy, str.ptr, str.len);
        *text_at(texts, found) = (struct text){ .bytes = copy, .len = str.len, .hash = hash, .presences = NONE, .tellers = NONE };
        table_add(&texts->table, hash, found);
    }
    text_at(texts, found)->refs++;
    return found;
}

void texts_release(struct texts *texts, uint32_t number)
{
    if (number == NONE) { return; }
    struct text *text = text_at(texts, number);
    ASSERT(text->refs > 0);
    if (--text->refs > 0) { return; }
    ASSERT(text->presences == NONE && text->tellers == NONE);
    table_remove(&texts->table, text->hash, number);
    pool_give(texts->pool, text->bytes, text->len + 1);
    slots_give(&texts->slots, number);
}

struct str texts_str(const struct texts *texts, uint32_t text)
{
    if (text == NONE) { return (struct str){ NULL, 0 }; }
    return (struct str){ text_at(texts, text)->bytes, text_at(texts, text)->len };
}
