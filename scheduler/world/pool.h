/* pool.h: memory of the world. An arena never takes anything back, and the world lives for months: so blocks that the world
 * no longer needs are kept here, by size, and handed out again. Knows sizes in powers of two; refuses to know their contents. */
#ifndef BERTH_SCHEDULER_WORLD_POOL_H
#define BERTH_SCHEDULER_WORLD_POOL_H

#include "base/arena.h"
#include "base/table.h"

enum { POOL_CLASSES = 48 };
#define NONE TABLE_NONE                                          /* no slot, no row, no text */

struct pool { struct arena *arena; void *spare[POOL_CLASSES]; };

void *pool_take(struct pool *pool, size_t size);                 /* zeroed; NULL for no bytes */
void  pool_give(struct pool *pool, void *block, size_t size);    /* with the size it was taken with; accepts NULL */
void *pool_grow(struct pool *pool, void *old, size_t old_size, size_t new_size);   /* the added bytes are zeroed */

/* Numbered places for things of one size, in chunks, so that nothing moves when they grow and no larger copy is left behind. A number and a
 * pointer stay with their thing until slots_give. */
enum { SLOTS_CHUNK_BITS = 6, POOL_LINE = 64 };                  /* bytes of a line of the cache: chunks begin on one */
struct slots { void **chunks; size_t item_size; uint32_t count, chunk_count, chunk_capacity, spare; };
#define SLOTS_AT(slots, type, number) \
    (&((type *)(slots)->chunks[(number) >> SLOTS_CHUNK_BITS])[(number) & ((1u << SLOTS_CHUNK_BITS) - 1)])

void     slots_init(struct slots *slots, size_t item_size);
uint32_t slots_take(struct pool *pool, struct slots *slots);     /* the thing is zeroed */
void     slots_give(struct slots *slots, uint32_t slot);

#endif
