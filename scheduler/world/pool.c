/* pool.c: blocks kept by size, numbered slots, and the hash table over them. */
#include "scheduler/world/pool.h"

enum { POOL_BLOCK_MIN = 16, SLOTS_CHUNK = 1 << SLOTS_CHUNK_BITS, CHUNKS_MIN = 16, TABLE_MIN = 16 };

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

/* ---- the table: open addressing, one step at a time, never more than three quarters full ---- */
static uint32_t table_look(const struct table *table, uint64_t hash, size_t *at)
{
    size_t mask = table->capacity - 1;
    for (;; *at = (*at + 1) & mask) {
        const struct table_entry *entry = &table->entries[*at];
        if (entry->slot == NONE || entry->hash == (uint32_t)hash) { return entry->slot; }
    }
}

uint32_t table_first(const struct table *table, uint64_t hash, size_t *at)
{
    if (table->capacity == 0) { return NONE; }
    *at = hash & (table->capacity - 1);
    return table_look(table, hash, at);
}

uint32_t table_next(const struct table *table, uint64_t hash, size_t *at)
{
    *at = (*at + 1) & (table->capacity - 1);
    return table_look(table, hash, at);
}

static void table_put(struct table *table, uint64_t hash, uint32_t slot)
{
    size_t mask = table->capacity - 1, at = hash & mask;
    while (table->entries[at].slot != NONE) { at = (at + 1) & mask; }
    table->entries[at] = (struct table_entry){ .hash = (uint32_t)hash, .slot = slot };
}

void table_reserve(struct pool *pool, struct table *table, size_t count)
{
    struct table old = *table;
    size_t capacity = old.capacity == 0 ? TABLE_MIN : old.capacity;
    while (count * 4 > capacity * 3) { capacity *= 2; }
    if (capacity == old.capacity) { return; }
    table->capacity = capacity;
    table->entries = pool_take(pool, capacity * sizeof *table->entries);
    for (size_t e = 0; e < capacity; e++) { table->entries[e].slot = NONE; }
    for (size_t e = 0; e < old.capacity; e++) {
        if (old.entries[e].slot != NONE) { table_put(table, old.entries[e].hash, old.entries[e].slot); }
    }
    pool_give(pool, old.entries, old.capacity * sizeof *old.entries);
}

void table_fetch(const struct table *table, uint64_t hash)
{
    if (table->capacity > 0) { __builtin_prefetch(&table->entries[hash & (table->capacity - 1)]); }
}

void table_add(struct pool *pool, struct table *table, uint64_t hash, uint32_t slot)
{
    ASSERT(slot != NONE);
    table_reserve(pool, table, table->count + 1);
    table_put(table, hash, slot);
    table->count++;
}

void table_gather(struct pool *pool, struct table *table, uint64_t hash, uint32_t slot)
{
    if (table->count == table->capacity) {
        size_t more = table->capacity == 0 ? TABLE_MIN : table->capacity * 2;
        table->entries = pool_grow(pool, table->entries, table->capacity * sizeof *table->entries, more * sizeof *table->entries);
        table->capacity = more;
    }
    table->entries[table->count++] = (struct table_entry){ .hash = (uint32_t)hash, .slot = slot };
}

void table_settle(struct pool *pool, struct table *table)
{
    const struct table gathered = *table;
    *table = (struct table){ .count = gathered.count };
    table_reserve(pool, table, gathered.count);
    for (size_t e = 0; e < gathered.count; e++) { table_put(table, gathered.entries[e].hash, gathered.entries[e].slot); }
    pool_give(pool, gathered.entries, gathered.capacity * sizeof *gathered.entries);
}

/* The entries behind the gap move up, as far as their own places allow, so that no search ends too early. */
void table_remove(struct table *table, uint64_t hash, uint32_t slot)
{
    size_t gap = 0;
    uint32_t found = table_first(table, hash, &gap);
    while (found != slot) {
        ASSERT(found != NONE);
        found = table_next(table, hash, &gap);
    }
    size_t mask = table->capacity - 1;
    for (size_t at = (gap + 1) & mask; table->entries[at].slot != NONE; at = (at + 1) & mask) {
        size_t home = table->entries[at].hash & mask;
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            table->entries[gap] = table->entries[at];
            gap = at;
        }
    }
    table->entries[gap].slot = NONE;
    table->count--;
}

/* ---- hashes: FNV-1a over the bytes, then hash_mix ---- */
uint64_t hash_bytes(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) { hash = (hash ^ at[i]) * 0x100000001b3u; }
    return hash_mix(hash);
}
