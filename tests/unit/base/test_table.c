/* The hash table, beside a plain array: crowded places, growth, removal, gathering, and keys that want to share a place. */
#include "base/table.h"

#include <stdlib.h>

#include "base/assert.h"
#include "tests/unit/base/death.h"
#include "tests/unit/check.h"

enum { ITEMS = 300, STEPS = 20000, MANY = 200000 };

/* How often the number is under the hash: once or not at all. */
static size_t has(const struct hash_table *table, uint64_t hash, uint32_t number)
{
    size_t at = 0, seen = 0;
    for (uint32_t n = table_first(table, hash, &at); n != TABLE_NONE; n = table_next(table, hash, &at)) { seen += n == number; }
    return seen;
}

/* `hash_of`: all keys apart, four to a hash, all in one place, around the end of the entries. */
static uint64_t apart(uint32_t n)  { return hash_mix(n); }
static uint64_t fours(uint32_t n)  { return hash_mix(n / 4); }
static uint64_t one(uint32_t n)    { (void)n; return 7; }
static uint64_t at_end(uint32_t n) { return UINT64_MAX - n % 6; }

static void test_changes(void)
{
    static const struct { const char *name; uint64_t (*hash_of)(uint32_t n); } rows[] = {
        { "apart", apart }, { "four to a hash", fours }, { "one hash for all", one }, { "around the end", at_end },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static bool in[ITEMS];
        struct hash_table table = { 0 };
        struct rng rng;
        rng_seed(&rng, 5);
        size_t wrong = 0, count = 0;
        memset(in, 0, sizeof in);
        for (size_t step = 0; step < STEPS; step++) {
            uint32_t i = (uint32_t)rng_below(&rng, step % 4000 < 2000 ? ITEMS : 40), look = (uint32_t)rng_below(&rng, ITEMS);
            if (in[i]) { table_remove(&table, rows[r].hash_of(i), i); } else { table_add(&table, rows[r].hash_of(i), i); }
            in[i] = !in[i];
            wrong += has(&table, rows[r].hash_of(look), look) != (size_t)in[look];
        }
        for (size_t i = 0; i < ITEMS; i++) { count += in[i]; }
        CHECK_EQ(rows[r].name, wrong, 0);
        CHECK_EQ("as many as there are", table.count, count);
        CHECK("a power of two, not crowded", (table.capacity & (table.capacity - 1)) == 0 && table.count * 4 <= table.capacity * 3);
        table_clear(&table);
        for (uint32_t i = 0; i < ITEMS; i++) { wrong += has(&table, rows[r].hash_of(i), i); }
        CHECK_EQ("nothing after clearing", wrong + table.count, 0);
        table_finish(&table);
        CHECK("no memory after the end", table.entries == NULL && table.capacity == 0);
    }
}

/* Both sides of each growth: three quarters of 16, of 32 and so on. */
static void test_growth(void)
{
    static const struct { size_t count, capacity; } rows[] = { { 1, 16 }, { 12, 16 }, { 13, 32 }, { 24, 32 }, { 25, 64 }, { 48, 64 }, { 49, 128 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct hash_table added = { 0 }, reserved = { 0 };
        table_reserve(&reserved, rows[r].count);
        size_t wrong = 0;
        for (uint32_t n = 0; n < rows[r].count; n++) {
            table_add(&added, apart(n), n);
            table_add(&reserved, apart(n), n);
        }
        for (uint32_t n = 0; n <= rows[r].count; n++) { wrong += has(&added, apart(n), n) != (size_t)(n < rows[r].count); }
        CHECK_EQ("all are found, and no other", wrong, 0);
        CHECK_EQ("entries", added.capacity, rows[r].capacity);
        CHECK_EQ("the reserved room is enough, and no more", reserved.capacity, rows[r].capacity);
        table_finish(&added);
        table_finish(&reserved);
    }
}

/* Gathered and settled is as if each had been added: into a table with too little room, just enough or too much. */
static void test_gather(void)
{
    static const struct { const char *name; size_t reserved; uint32_t count; } rows[] = {
        { "none", 0, 0 }, { "none where room is", 100, 0 }, { "one", 0, 1 }, { "up to the first size", 0, 12 }, { "behind it", 0, 13 },
        { "as many as room is for", 192, 192 }, { "one more", 192, 193 }, { "many more", 10, ITEMS }, { "room for many more", 5000, ITEMS },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct hash_table table = { 0 };
        size_t wrong = 0;
        if (rows[r].reserved > 0) { table_reserve(&table, rows[r].reserved); }
        for (uint32_t i = 0; i < rows[r].count; i++) { table_gather(&table, apart(i), i); }
        table_settle(&table);
        for (uint32_t i = 0; i <= ITEMS; i++) { wrong += has(&table, apart(i), i) != (size_t)(i < rows[r].count); }
        CHECK_EQ(rows[r].name, wrong, 0);
        CHECK("not crowded", table.count == rows[r].count && table.count * 4 <= table.capacity * 3);
        table_add(&table, apart(ITEMS), ITEMS);
        for (uint32_t i = 0; i < rows[r].count; i++) { table_remove(&table, apart(i), i); }
        CHECK("only the added entry", table.count == 1 && has(&table, apart(ITEMS), ITEMS) == 1);
        table_finish(&table);
    }
}

/* No part has much more than its share, so that they grow one after the other: of ids as they are made, and of such without chance. */
static void test_parts(void)
{
    static struct wide_table wide;
    struct rng rng;
    rng_seed(&rng, 7);
    struct id_gen gen = { .rng = &rng };
    size_t uneven = 0, wrong = 0;
    wide_table_reserve(&wide, MANY);
    for (uint32_t n = 0; n < MANY; n++) {
        struct id id = n % 2 == 0 ? id_new(&gen, 1700000000000 + n / 100) : (struct id){ { (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16) } };
        uint64_t hash = hash_id(id);
        table_gather(TABLE_PART(&wide, hash), hash, n);
    }
    wide_table_settle(&wide);
    for (size_t p = 0; p < TABLE_PARTS; p++) {
        size_t count = wide.parts[p].count, share = MANY / TABLE_PARTS;
        uneven += count < share * 3 / 4 || count > share * 5 / 4;
    }
    for (uint32_t n = 1; n < MANY; n += 2) {
        uint64_t hash = hash_id((struct id){ { (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16) } });
        wrong += 1 != has(TABLE_PART(&wide, hash), hash, n);
    }
    CHECK_EQ("parts far from their share", uneven, 0);
    CHECK_EQ("all are found", wrong, 0);
    wide_table_finish(&wide);
}

/* The vectors of the authors' reference implementation: the key 00 01 … 0f, and the first bytes of 00 01 02 … */
static void test_siphash(void)
{
    static const struct { size_t size; uint64_t want; } rows[] = {
        { 0, 0x726fdb47dd0e0e31u }, { 1, 0x74f839c593dc67fdu }, { 7, 0xab0200f58b01d137u }, { 8, 0x93f5f5799a932462u },
        { 15, 0xa129ca6149be45e5u }, { 16, 0x3f2acc7f57c29bdbu },
    };
    static const uint64_t key[2] = { 0x0706050403020100u, 0x0f0e0d0c0b0a0908u };
    unsigned char bytes[16];
    for (size_t b = 0; b < sizeof bytes; b++) { bytes[b] = (unsigned char)b; }
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK("a published vector", hash_keyed(key, bytes, rows[r].size) == rows[r].want); }
    CHECK("no bytes at all", hash_keyed(key, NULL, 0) == rows[0].want);
    CHECK("the process has its own key, and keeps it", hash_bytes(bytes, 8) == hash_bytes(bytes, 8) && hash_bytes(bytes, 8) != rows[3].want);
}

/* Keys of little variety, as a peer may choose them, lie apart. */
static void test_chosen_keys(void)
{
    enum { KEYS = 2000 };
    struct hash_table table = { 0 };
    size_t longest = 0;
    for (uint32_t n = 0; n < KEYS; n++) {
        const uint64_t words[3] = { n, (uint64_t)n << 32, 0 };    /* only high bits, low bits and zeros */
        table_add(&table, hash_bytes(words, sizeof words), n);
    }
    size_t run = 0;
    for (size_t e = 0; e < table.capacity; e++) {
        run = table.entries[e].taken == 0 ? 0 : run + 1;
        longest = run > longest ? run : longest;
    }
    CHECK("no long row of entries", longest < 100);
    table_finish(&table);
}

static void remove_stranger(void)
{
    struct hash_table table = { 0 };
    table_add(&table, 5, 1);
    table_remove(&table, 5, 2);
}
static void add_none(void)
{
    struct hash_table table = { 0 };
    table_add(&table, 5, TABLE_NONE);
}

int main(void)
{
    test_changes();
    test_growth();
    test_gather();
    test_parts();
    test_siphash();
    test_chosen_keys();
    CHECK("to remove an absent entry is a bug", aborts(remove_stranger));
    CHECK("no number can't be added", aborts(add_none));
    return check_report();
}
