/* table.h: the one hash table, from the hash of a key to the number of a thing. Knows hashes and numbers; refuses to know keys and things: they
 * are the caller's, who compares the keys, since different keys may share a hash:
 *
 *   for (uint32_t n = table_first(t, hash, &at); n != TABLE_NONE; n = table_next(t, hash, &at)) { … }
 *
 * The order of the entries can't be seen from outside, so that no decision depends on it. An all-zero table is an empty one. */
#ifndef BERTH_BASE_TABLE_H
#define BERTH_BASE_TABLE_H

#include "base/id.h"

#define TABLE_NONE UINT32_MAX                                    /* no number */

struct hash_entry { uint32_t taken, hash; };                    /* the number + 1, 0: empty; the lower half of the hash */
struct hash_table { struct hash_entry *entries; size_t count, capacity; };     /* entries: owned. capacity: 0 or a power of two */

void table_finish(struct hash_table *table);                          /* frees the entries; the table is empty then */
void table_clear(struct hash_table *table);                           /* the table is empty then, and keeps its memory */
void table_reserve(struct hash_table *table, size_t count);           /* room for `count` entries in all without growing */
void table_add(struct hash_table *table, uint64_t hash, uint32_t number);
void table_remove(struct hash_table *table, uint64_t hash, uint32_t number);    /* the entry must be there */

/* Adds very many entries to a table that has none. Between the first table_gather and table_settle nothing else may be asked of the table. To
 * settle a part of a wide table (below) stays within the processor's caches, where table_add waits for memory with each entry. */
void table_gather(struct hash_table *table, uint64_t hash, uint32_t number);
void table_settle(struct hash_table *table);

static inline uint32_t table_look(const struct hash_table *table, uint64_t hash, size_t *at)
{
    size_t mask = table->capacity - 1;
    for (;; *at = (*at + 1) & mask) {
        const struct hash_entry *entry = &table->entries[*at];
        if (entry->taken == 0 || entry->hash == (uint32_t)hash) { return entry->taken - 1; }     /* 0 - 1 is TABLE_NONE */
    }
}

/* The first number under this hash; TABLE_NONE: there is no number. `at` is for table_next. */
static inline uint32_t table_first(const struct hash_table *table, uint64_t hash, size_t *at)
{
    if (table->count == 0) { return TABLE_NONE; }
    *at = hash & (table->capacity - 1);
    return table_look(table, hash, at);
}

/* The next number under the same hash. The table must not have changed since table_first. */
static inline uint32_t table_next(const struct hash_table *table, uint64_t hash, size_t *at)
{
    *at = (*at + 1) & (table->capacity - 1);
    return table_look(table, hash, at);
}

/* Brings the entry into the processor's caches: it is looked up soon. A hint. */
static inline void table_fetch(const struct hash_table *table, uint64_t hash)
{
    if (table->capacity > 0) { __builtin_prefetch(&table->entries[hash & (table->capacity - 1)]); }
}

/* A table for very many entries, in parts that grow one by one: a table in one piece would let a caller wait until a million entries have moved. */
enum { TABLE_PARTS_BITS = 6, TABLE_PARTS = 1 << TABLE_PARTS_BITS };
struct wide_table { struct hash_table parts[TABLE_PARTS]; };
#define TABLE_PART(wide, hash) (&(wide)->parts[(hash) >> (64 - TABLE_PARTS_BITS)])
void wide_table_reserve(struct wide_table *wide, size_t count);  /* `count` entries in all */
void wide_table_settle(struct wide_table *wide);
void wide_table_finish(struct wide_table *wide);

/* ---- hashes ---- */
/* The finisher of splitmix64: each bit of the value changes each bit of the hash. For numbers that no peer chooses. */
static inline uint64_t hash_mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

/* For an id that the server made: no peer chooses it. */
static inline uint64_t hash_id(struct id id)
{
    uint64_t halves[2];
    memcpy(halves, id.bytes, sizeof halves);
    return hash_mix(halves[0] ^ hash_mix(halves[1]));
}

/* SipHash-2-4 (Aumasson and Bernstein, 2012) with this key. */
uint64_t hash_keyed(const uint64_t key[2], const void *bytes, size_t size);
/* hash_keyed with a secret key that each process draws for itself: a peer that chooses keys can't choose such that share a hash. The same bytes
 * have another hash in another process, so that it must not be written down. `bytes` may be NULL when `size` is 0. */
uint64_t hash_bytes(const void *bytes, size_t size);

#endif
