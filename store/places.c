/* places.c: the addresses in the file's map at which the records of tasks were last read. The tasks of one DescribeTasks lie all over the file,
 * and the engine reads one after the other, so it waits for memory at each. With these addresses the processor fetches the pages and the records
 * of all of them first, side by side. An address may be old, because a page moves when it is written, or another task's. Then the fetch is
 * useless but harmless: nothing is read by such an address. */
#include "store/store_internal.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/array.h"

enum { PLACES = 1 << 17 };                                           /* 1 MiB of addresses, touched as tasks are read */
enum { LINE = 64, PAGE = 4096, HEAD = 24 };          /* bytes: a line of the caches, a page, the node and the id before a record */

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
    if (atomic_load_explicit(cell, memory_order_relaxed) == (uintptr_t)record) { return; }       /* without a write the processors share the line */
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
