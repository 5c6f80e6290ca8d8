/* pool.h: memory of the world. An arena never takes anything back, and the world lives for months: so blocks that the world
 * no longer needs are kept here, by size, and handed out again. Knows sizes in powers of two; refuses to know what is in them. */
#ifndef BERTH_SCHEDULER_WORLD_POOL_H
#define BERTH_SCHEDULER_WORLD_POOL_H

#include "base/arena.h"

enum { POOL_CLASSES = 48 };
#define NONE UINT32_MAX                                          /* no slot, no row, no text */

struct pool { struct arena *arena; void *spare[POOL_CLASSES]; };

void *pool_take(struct pool *pool, size_t size);                 /* zeroed; NULL for no bytes */
void  pool_give(struct pool *pool, void *block, size_t size);    /* with the size it was taken with; accepts NULL */
void *pool_grow(struct pool *pool, void *old, size_t old_size, size_t new_size);   /* what is added is zeroed */

/* Numbered places for things of one size, in chunks, so that nothing moves when they grow and no larger copy is left behind. A number and a
 * pointer stay with their thing until slots_give. */
enum { SLOTS_CHUNK_BITS = 6, POOL_LINE = 64 };                  /* bytes of a line of the cache: chunks begin on one */
struct slots { void **chunks; size_t item_size; uint32_t count, chunk_count, chunk_capacity, spare; };
#define SLOTS_AT(slots, type, number) \
    (&((type *)(slots)->chunks[(number) >> SLOTS_CHUNK_BITS])[(number) & ((1u << SLOTS_CHUNK_BITS) - 1)])

void     slots_init(struct slots *slots, size_t item_size);
uint32_t slots_take(struct pool *pool, struct slots *slots);     /* the thing is zeroed */
void     slots_give(struct slots *slots, uint32_t slot);

/* Where things are: from the hash of a key to numbers. Different keys may share a hash, so the caller compares:
 *   for (uint32_t n = table_first(t, hash, &at); n != NONE; n = table_next(t, hash, &at)) { … } */
struct table_entry { uint32_t hash, slot; };                     /* the hash's lower half */
struct table { struct table_entry *entries; size_t count, capacity; };

uint32_t table_first(const struct table *table, uint64_t hash, size_t *at);
uint32_t table_next(const struct table *table, uint64_t hash, size_t *at);
void     table_reserve(struct pool *pool, struct table *table, size_t count);   /* room for that many without growing */
void     table_fetch(const struct table *table, uint64_t hash);            /* into the processor's caches: it is looked up soon */
void     table_add(struct pool *pool, struct table *table, uint64_t hash, uint32_t slot);
/* Very many into a table that has none: gathered, while nothing may be looked up, and then settled, which brings each to its entry. A part of a
 * wide table settles within the processor's caches, where one entry after the other waits for memory. */
void     table_gather(struct pool *pool, struct table *table, uint64_t hash, uint32_t slot);
void     table_settle(struct pool *pool, struct table *table);
void     table_remove(struct table *table, uint64_t hash, uint32_t slot);   /* must be there */

/* For very many entries, in parts that grow one by one: a table in one piece would let everybody wait until a million entries have moved. */
enum { TABLE_PARTS_BITS = 6, TABLE_PARTS = 1 << TABLE_PARTS_BITS };
struct wide_table { struct table parts[TABLE_PARTS]; };
#define TABLE_PART(wide, hash) (&(wide)->parts[(hash) >> (64 - TABLE_PARTS_BITS)])

/* The finisher of splitmix64: the low bits are good. */
static inline uint64_t hash_mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}
uint64_t hash_bytes(const void *bytes, size_t size);

#endif
