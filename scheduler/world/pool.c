/* pool.c: blocks kept by size, and numbered slots. */
#include "scheduler/world/pool.h"

enum { POOL_BLOCK_MIN = 16, SLOTS_CHUNK = 1 << SLOTS_CHUNK_BITS, CHUNKS_MIN = 16 };

/* ---- blocks ---- */
static unsigned class_of(size_t size)
{
    ASSERT(size > 0 && size <= SIZE_MAX / 2);
    unsigned class = 0;
    while (((size_t)POOL_BLOCK_MIN << class) < size) { class++; }
    ASSERT(class < POOL_CLASSES);
    return class;
}

void *pool_take(struct pool *pool, size_t size)
{
    if (size == 0) { return NULL; }
    unsigned class = class_of(size);
    void *block = pool->spare[class];
    if (block == NULL) { return arena_alloc(pool->arena, 1, (size_t)POOL_BLOCK_MIN << class); }
    memcpy(&pool->spare[class], block, sizeof(void *));          /* a spare block begins with the address of the next */
    return memset(block, 0, size);
}

void pool_give(struct pool *pool, void *block, size_t size)
{
    if (block == NULL) { return; }
    unsigned class = class_of(size);
    memcpy(block, &pool->spare[class], sizeof(void *));
    pool->spare[class] = block;
}

void *pool_grow(struct pool *pool, void *old, size_t old_size, size_t new_size)
{
    ASSERT(new_size >= old_size);
    if (old != NULL && class_of(old_size) == class_of(new_size)) {
        memset((char *)old + old_size, 0, new_size - old_size);
        return old;
    }
    void *block = pool_take(pool, new_size);
    if (old != NULL) { memcpy(block, old, old_size); }
    pool_give(pool, old, old_size);
    return block;
}

/* ---- slots ---- */
void slots_init(struct slots *slots, size_t item_size)
{
    ASSERT(item_size >= sizeof(uint32_t));                       /* room for the number of the next spare one */
    *slots = (struct slots){ .item_size = item_size, .spare = NONE };
}

static void *item_at(const struct slots *slots, uint32_t slot)
{
    return (char *)slots->chunks[slot >> SLOTS_CHUNK_BITS] + (slot & (SLOTS_CHUNK - 1)) * slots->item_size;
}

static void add_chunk(struct pool *pool, struct slots *slots)
{
    ASSERT(slots->count < NONE - SLOTS_CHUNK);
    if (slots->chunk_count == slots->chunk_capacity) {
        uint32_t old = slots->chunk_capacity, more = old == 0 ? CHUNKS_MIN : old * 2;
        slots->chunks = pool_grow(pool, slots->chunks, old * sizeof *slots->chunks, more * sizeof *slots->chunks);
        slots->chunk_capacity = more;
    }
    char *chunk = arena_alloc(pool->arena, 1, SLOTS_CHUNK * slots->item_size + POOL_LINE - 1);
    slots->chunks[slots->chunk_count++] = chunk + (POOL_LINE - (uintptr_t)chunk % POOL_LINE) % POOL_LINE;
}

uint32_t slots_take(struct pool *pool, struct slots *slots)
{
    if (slots->spare != NONE) {
        uint32_t slot = slots->spare;
        ASSERT(slot < slots->count);
        void *item = item_at(slots, slot);
        memcpy(&slots->spare, item, sizeof slots->spare);
        memset(item, 0, slots->item_size);
        return slot;
    }
    if (slots->count == slots->chunk_count << SLOTS_CHUNK_BITS) { add_chunk(pool, slots); }
    return slots->count++;
}

void slots_give(struct slots *slots, uint32_t slot)
{
    ASSERT(slot < slots->count);
    memcpy(item_at(slots, slot), &slots->spare, sizeof slots->spare);
    slots->spare = slot;
}
