/* live_tables.c: what the hash tables of the live memory lead to: the items of arrays, which begin with their id, and the tokens. */
#include "store/live/live_tables.h"

#include <stdlib.h>

#include "base/array.h"

/* ---- ids ---- */

static struct id id_at(struct items items, uint32_t place)
{
    struct id id;
    memcpy(&id, (const char *)items.base + (size_t)place * items.stride, sizeof id);
    return id;
}

uint32_t id_find(const struct hash_table *table, struct items items, struct id id)
{
    uint64_t hash = hash_id(id);
    size_t at = 0;
    for (uint32_t place = table_first(table, hash, &at); place != NO_PLACE; place = table_next(table, hash, &at)) {
        if (id_eq(id_at(items, place), id)) { return place; }
    }
    return NO_PLACE;
}

void id_fetch_item(const struct hash_table *table, struct items items, struct id id)
{
    size_t at = 0;
    uint32_t place = table_first(table, hash_id(id), &at);
    if (place != NO_PLACE) { __builtin_prefetch((const char *)items.base + (size_t)place * items.stride); }
}

/* ---- tokens ---- */

static uint32_t token_find(const struct tokens *tokens, uint64_t print)
{
    size_t at = 0;
    for (uint32_t n = table_first(&tokens->by_print, print, &at); n != TABLE_NONE; n = table_next(&tokens->by_print, print, &at)) {
        if (tokens->items[n].print == print) { return n; }
    }
    return TABLE_NONE;
}

const struct token *tokens_find(const struct tokens *tokens, uint64_t print)
{
    uint32_t found = token_find(tokens, print);
    return found == TABLE_NONE ? NULL : &tokens->items[found];
}

void tokens_add(struct tokens *tokens, uint64_t print, struct id id)
{
    ASSERT(print != 0);
    uint32_t found = token_find(tokens, print);
    if (found == TABLE_NONE) {
        found = (uint32_t)tokens->count;
        tokens->items = array_grow(tokens->items, &tokens->capacity, tokens->count + 1, sizeof *tokens->items);
        tokens->items[tokens->count++] = (struct token){ .print = print, .first = id, .last = id };
        table_add(&tokens->by_print, print, found);
    }
    struct token *token = &tokens->items[found];
    if (id_cmp(id, token->first) < 0) { token->first = id; }
    if (id_cmp(id, token->last) > 0) { token->last = id; }
    token->count++;
    ASSERT(token->print == print && id_cmp(token->first, token->last) <= 0);
}

void tokens_finish(struct tokens *tokens)
{
    free(tokens->items);
    table_finish(&tokens->by_print);
    *tokens = (struct tokens){ 0 };
}

/* The last item takes the place of one that is gone. */
void tokens_remove(struct tokens *tokens, uint64_t print)
{
    uint32_t found = token_find(tokens, print);
    ASSERT(found != TABLE_NONE && tokens->items[found].count > 0);
    if (--tokens->items[found].count > 0) { return; }
    uint32_t last = (uint32_t)--tokens->count;
    table_remove(&tokens->by_print, print, found);
    if (found == last) { return; }
    table_remove(&tokens->by_print, tokens->items[last].print, last);
    tokens->items[found] = tokens->items[last];
    table_add(&tokens->by_print, tokens->items[found].print, found);
}
