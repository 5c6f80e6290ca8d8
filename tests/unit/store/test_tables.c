/* The entries of the hash tables of the live memory: ids of items, and tokens beside a plain array. */
#include "store/live/live_tables.h"
#include "tests/unit/store/store_fixture.h"

#include "base/rng.h"

enum { ITEMS = 300, STEPS = 20000 };

/* Ids that share a hash are told apart by the items that the table leads to. */
static void test_ids(void)
{
    static struct { struct id id; int64_t more; } items_of[ITEMS];
    struct hash_table table = { 0 };
    struct items items = { items_of, sizeof items_of[0] };
    size_t wrong = 0;
    for (uint32_t i = 0; i < ITEMS; i++) { items_of[i].id = id_number(i + 1); }
    CHECK_EQ("none in an empty table", id_find(&table, items, items_of[0].id), NO_PLACE);
    for (uint32_t i = 0; i < ITEMS; i += 2) {
        table_add(&table, hash_id(items_of[i].id), (i + 2) % ITEMS);         /* of another item: its id is not the same */
        table_add(&table, hash_id(items_of[i].id), i);
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        wrong += id_find(&table, items, items_of[i].id) != (i % 2 == 0 ? i : NO_PLACE);
        id_fetch_item(&table, items, items_of[i].id);
    }
    CHECK_EQ("every look-up is right", wrong, 0);
    table_finish(&table);
}

/* Prints that want the same few cells, at the end of the table too. */
static void test_tokens(void)
{
    static size_t model[40];
    struct tokens tokens = { 0 };
    struct rng rng;
    rng_seed(&rng, 6);
    size_t wrong = 0;
    for (size_t step = 0; step < STEPS; step++) {
        size_t i = rng_below(&rng, COUNT_OF(model));
        uint64_t print = (i + 1) << 32 | (60 + i % 6);
        if (model[i] > 0 && rng_below(&rng, 2) == 0) {
            tokens_remove(&tokens, print);
            model[i]--;
        } else if (model[i] < 3) {
            tokens_add(&tokens, print, id_number((uint32_t)step + 1));
            model[i]++;
        }
        size_t look = rng_below(&rng, COUNT_OF(model));
        const struct token *token = tokens_find(&tokens, (look + 1) << 32 | (60 + look % 6));
        if ((token == NULL ? 0 : token->count) != model[look]) { wrong++; }
    }
    CHECK_EQ("every look-up is right", wrong, 0);
    tokens_finish(&tokens);

    struct tokens range = { 0 };
    tokens_add(&range, 9, id_number(5));
    tokens_add(&range, 9, id_number(2));
    tokens_add(&range, 9, id_number(7));
    const struct token *token = tokens_find(&range, 9);
    CHECK("from the first to the last", token != NULL && id_eq(token->first, id_number(2)) && id_eq(token->last, id_number(7)));
    CHECK("another print", tokens_find(&range, 9 + (uint64_t)range.by_print.capacity) == NULL);
    tokens_finish(&range);
}

int main(void)
{
    test_ids();
    test_tokens();
    return check_report();
}
