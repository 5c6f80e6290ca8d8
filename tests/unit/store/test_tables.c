/* The two hash tables behind the live memory, beside plain arrays: with crowded cells, where removing must close the gap. */
#include "store/live_tables.h"
#include "tests/unit/store/store_fixture.h"

#include "base/rng.h"

enum { ITEMS = 300, STEPS = 20000 };

static void test_ids(void)
{
    static struct { struct id id; bool in; } model[ITEMS];
    struct id_table table = { 0 };
    struct items items = { model, sizeof model[0] };
    struct rng rng;
    rng_seed(&rng, 5);
    for (uint32_t i = 0; i < ITEMS; i++) { model[i].id = id_number(i + 1); }
    size_t wrong = 0;
    for (size_t step = 0; step < STEPS; step++) {
        uint32_t i = (uint32_t)rng_below(&rng, step % 4000 < 2000 ? ITEMS : 40);
        if (model[i].in) { id_table_remove(&table, items, model[i].id); } else { id_table_add(&table, items, model[i].id, i); }
        model[i].in = !model[i].in;
        uint32_t look = (uint32_t)rng_below(&rng, ITEMS);
        if (id_table_find(&table, items, model[look].id) != (model[look].in ? look : NO_PLACE)) { wrong++; }
    }
    CHECK_EQ("every look-up is right", wrong, 0);
    size_t used = 0;
    for (size_t i = 0; i < ITEMS; i++) { used += model[i].in ? 1 : 0; }
    CHECK_EQ("as many as there are", table.used, used);
    free(table.cells);
}

/* Ids that were gathered and settled are found as if each had been added: into a table with too little room, just enough or too much. */
static void test_gather(void)
{
    static const struct { const char *name; size_t reserved, count; } rows[] = {
        { "none", 0, 0 }, { "none where room is", 100, 0 }, { "one", 0, 1 }, { "up to the first size", 0, 48 }, { "behind it", 0, 49 },
        { "as many as room is for", 192, 192 }, { "one more", 192, 193 }, { "many more", 10, ITEMS }, { "room for many more", 5000, ITEMS },
    };
    static struct { struct id id; } items_of[ITEMS + 1];
    struct items items = { items_of, sizeof items_of[0] };
    for (uint32_t i = 0; i <= ITEMS; i++) { items_of[i].id = id_number(i + 1); }
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct id_table table = { 0 };
        if (rows[r].reserved > 0) { id_table_reserve(&table, rows[r].reserved); }
        for (uint32_t i = 0; i < rows[r].count; i++) { id_table_gather(&table, items_of[i].id, i); }
        id_table_settle(&table);
        size_t wrong = 0;
        for (uint32_t i = 0; i <= ITEMS; i++) { wrong += id_table_find(&table, items, items_of[i].id) != (i < rows[r].count ? i : NO_PLACE); }
        CHECK_EQ(rows[r].name, wrong, 0);
        CHECK("not crowded", table.used == rows[r].count && table.used * 4 <= table.size * 3);
        id_table_add(&table, items, items_of[ITEMS].id, ITEMS);
        for (uint32_t i = 0; i < rows[r].count; i++) { id_table_remove(&table, items, items_of[i].id); }
        CHECK_EQ("only what was added", id_table_find(&table, items, items_of[ITEMS].id), ITEMS);
        CHECK_EQ("of one", table.used, 1);
        free(table.cells);
    }
}

/* No part of a large table has much more than its share, so that they grow one after the other: ids as they are made, and such without chance. */
static void test_parts(void)
{
    enum { SHARE = 1000 };
    static size_t made[ID_PARTS], counted[ID_PARTS];
    struct rng rng;
    rng_seed(&rng, 7);
    struct id_gen gen = { .rng = &rng };
    for (uint32_t i = 0; i < ID_PARTS * SHARE; i++) {
        made[id_part(id_new(&gen, 1700000000000 + i / 100))]++;
        counted[id_part(id_number(i))]++;
    }
    size_t uneven = 0;
    for (size_t p = 0; p < ID_PARTS; p++) {
        if (made[p] < SHARE * 3 / 4 || made[p] > SHARE * 5 / 4 || counted[p] < SHARE * 3 / 4 || counted[p] > SHARE * 5 / 4) { uneven++; }
    }
    CHECK_EQ("parts far from their share", uneven, 0);
}

/* Prints that want the same few cells, at the end of the table too. */
static void test_tokens(void)
{
    static size_t model[40];
    struct token_table table = { 0 };
    struct rng rng;
    rng_seed(&rng, 6);
    size_t wrong = 0;
    for (size_t step = 0; step < STEPS; step++) {
        size_t i = rng_below(&rng, COUNT_OF(model));
        uint64_t print = (i + 1) << 32 | (60 + i % 6);
        if (model[i] > 0 && rng_below(&rng, 2) == 0) {
            token_table_remove(&table, print);
            model[i]--;
        } else if (model[i] < 3) {
            token_table_add(&table, print, id_number((uint32_t)step + 1));
            model[i]++;
        }
        size_t look = rng_below(&rng, COUNT_OF(model));
        const struct token *token = token_table_find(&table, (look + 1) << 32 | (60 + look % 6));
        if ((token == NULL ? 0 : token->count) != model[look]) { wrong++; }
    }
    CHECK_EQ("every look-up is right", wrong, 0);
    free(table.cells);

    struct token_table range = { 0 };
    token_table_add(&range, 9, id_number(5));
    token_table_add(&range, 9, id_number(2));
    token_table_add(&range, 9, id_number(7));
    const struct token *token = token_table_find(&range, 9);
    CHECK("from the first to the last", token != NULL && id_eq(token->first, id_number(2)) && id_eq(token->last, id_number(7)));
    CHECK("another print", token_table_find(&range, 9 + (uint64_t)range.size) == NULL);
    free(range.cells);
}

int main(void)
{
    test_ids();
    test_gather();
    test_parts();
    test_tokens();
    return check_report();
}
