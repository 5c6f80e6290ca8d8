/* table.c: open addressing with steps of one, never more than three quarters full. */
#include "base/table.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

enum { TABLE_MIN = 16 };

/* ---- entries ---- */
void table_finish(struct hash_table *table)
{
    free(table->entries);
    *table = (struct hash_table){ 0 };
}

void table_clear(struct hash_table *table)
{
    if (table->count > 0) { memset(table->entries, 0, table->capacity * sizeof *table->entries); }
    table->count = 0;
}

static void put_entry(struct hash_table *table, struct hash_entry entry)
{
    size_t mask = table->capacity - 1, at = entry.hash & mask;
    while (table->entries[at].taken != 0) { at = (at + 1) & mask; }
    table->entries[at] = entry;
}

static size_t capacity_for(size_t count)
{
    size_t capacity = TABLE_MIN;
    while (count * 4 > capacity * 3) { capacity *= 2; }
    return capacity;
}

void table_reserve(struct hash_table *table, size_t count)
{
    const struct hash_table old = *table;
    if (count * 4 <= old.capacity * 3) { return; }
    table->capacity = capacity_for(count);
    table->entries = array_zeroed(table->capacity, sizeof *table->entries);
    for (size_t e = 0; e < old.capacity; e++) {
        if (old.entries[e].taken != 0) { put_entry(table, old.entries[e]); }
    }
    free(old.entries);
}

void table_add(struct hash_table *table, uint64_t hash, uint32_t number)
{
    ASSERT(number != TABLE_NONE);
    table_reserve(table, table->count + 1);
    put_entry(table, (struct hash_entry){ number + 1, (uint32_t)hash });
    table->count++;
}

void table_gather(struct hash_table *table, uint64_t hash, uint32_t number)
{
    ASSERT(number != TABLE_NONE);
    table->entries = array_grow(table->entries, &table->capacity, table->count + 1, sizeof *table->entries);
    table->entries[table->count++] = (struct hash_entry){ number + 1, (uint32_t)hash };
}

void table_settle(struct hash_table *table)
{
    const struct hash_table gathered = *table;
    *table = (struct hash_table){ 0 };
    table_reserve(table, gathered.count);
    for (size_t e = 0; e < gathered.count; e++) { put_entry(table, gathered.entries[e]); }
    table->count = gathered.count;
    free(gathered.entries);
}

/* The entries behind the gap move up, as far as their own places allow, so that no search ends too early. */
void table_remove(struct hash_table *table, uint64_t hash, uint32_t number)
{
    size_t gap = 0;
    uint32_t found = table_first(table, hash, &gap);
    while (found != number) {
        ASSERT(found != TABLE_NONE);
        found = table_next(table, hash, &gap);
    }
    size_t mask = table->capacity - 1;
    for (size_t at = (gap + 1) & mask; table->entries[at].taken != 0; at = (at + 1) & mask) {
        size_t home = table->entries[at].hash & mask;
        if (((at - home) & mask) < ((at - gap) & mask)) { continue; }
        table->entries[gap] = table->entries[at];
        gap = at;
    }
    table->entries[gap] = (struct hash_entry){ 0 };
    table->count--;
}

/* ---- parts ---- */
void wide_table_reserve(struct wide_table *wide, size_t count)
{
    for (size_t p = 0; p < TABLE_PARTS; p++) { table_reserve(&wide->parts[p], count / TABLE_PARTS); }
}

void wide_table_settle(struct wide_table *wide)
{
    for (size_t p = 0; p < TABLE_PARTS; p++) { table_settle(&wide->parts[p]); }
}

void wide_table_finish(struct wide_table *wide)
{
    for (size_t p = 0; p < TABLE_PARTS; p++) { table_finish(&wide->parts[p]); }
}

/* ---- SipHash ---- */
static uint64_t turned(uint64_t value, unsigned bits) { return value << bits | value >> (64 - bits); }

static void sip_rounds(uint64_t v[4], int count)
{
    for (int round = 0; round < count; round++) {
        v[0] += v[1], v[2] += v[3];
        v[1] = turned(v[1], 13) ^ v[0], v[3] = turned(v[3], 16) ^ v[2];
        v[0] = turned(v[0], 32);
        v[2] += v[1], v[0] += v[3];
        v[1] = turned(v[1], 17) ^ v[2], v[3] = turned(v[3], 21) ^ v[0];
        v[2] = turned(v[2], 32);
    }
}

static void sip_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
}

/* Words are little-endian, as the machines are that Berth runs on. */
uint64_t hash_keyed(const uint64_t key[2], const void *bytes, size_t size)
{
    uint64_t v[4] = { key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u };
    const unsigned char *at = bytes;
    uint64_t word;
    for (size_t left = size; left >= sizeof word; left -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        sip_word(v, word);
    }
    word = 0;
    if (size % sizeof word > 0) { memcpy(&word, at, size % sizeof word); }
    sip_word(v, word | (uint64_t)size << 56);
    v[2] ^= 0xff;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint64_t process_key[2];
static void draw_key(void) { rng_secret(process_key, sizeof process_key); }

uint64_t hash_bytes(const void *bytes, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, draw_key);
    return hash_keyed(process_key, bytes, size);
}
