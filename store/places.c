/* places.c: where in the file's map the records of tasks were when they were read last, for one use: what DescribeTasks asks for lies all over
 * the file, and the engine, which is asked for one after the other, waits for memory at each. With this the processor fetches the pages and the
 * records of all of them side by side before. An address may be stale, for a page moves when it is written, or another task's: then
 * what is fetched is of no use, and nothing else happens, as nobody reads by it. */
#include "store/store_internal.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/array.h"

enum { PLACES = 1 << 17 };                                           /* 1 MiB of addresses, touched as tasks are read */
enum { LINE = 64, PAGE = 4096, HEAD = 24 };          /* bytes: a line of the caches, a page, what stands before a record (node and id) */

struct places { atomic_uintptr_t cells[PLACES]; };

struct places *places_create(void) { return array_zeroed(1, sizeof(struct places)); }

void places_destroy(struct places *places) { free(places); }

static atomic_uintptr_t *cell_of(struct places *places, struct id id)
{
    uint32_t chance;
    memcpy(&chance, id.bytes + sizeof id.bytes - sizeof chance, sizeof chance);
    return &places->cells[chance % PLACES];
}

void places_saw(struct places *places, struct id id, const char *record)
{
    ASSERT(record != NULL);
    atomic_uintptr_t *cell = cell_of(places, id);
    if (atomic_load_explicit(cell, memory_order_relaxed) == (uintptr_t)record) { return; }       /* a line that nobody writes is shared */
    atomic_store_explicit(cell, (uintptr_t)record, memory_order_relaxed);
}

static void fetch(uintptr_t address)
{
    const void *at = NULL;
    memcpy(&at, &address, sizeof at);
    __builtin_prefetch(at);
}

void places_fetch(struct places *places, const struct id *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) { fetch((uintptr_t)cell_of(places, ids[i])); }
    for (size_t i = 0; i < count; i++) {
        uintptr_t record = atomic_load_explicit(cell_of(places, ids[i]), memory_order_relaxed);
        if (record == 0) { continue; }
        fetch(record & ~(uintptr_t)(PAGE - 1));
        for (uintptr_t at = record - HEAD; at < record + 2 * LINE; at += LINE) { fetch(at); }
    }
}
