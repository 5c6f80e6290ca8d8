#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/log.h"

enum { CAPACITY_MIN = 8, LARGE_PAGE = 2 * 1024 * 1024, LARGE_MIN = 4 * LARGE_PAGE };

_Noreturn static void give_up(size_t count, size_t size)
{
    log_line(LOG_ERROR, "memory", "the machine has no memory for %zu items of %zu bytes", count, size);
    abort();
}

void *array_grow(void *old, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity) { return old; }
    size_t wider = *capacity < CAPACITY_MIN / 2 ? CAPACITY_MIN : *capacity * 2;
    if (wider < wanted) { wider = wanted; }
    void *memory = reallocarray(old, wider, size);
    if (memory == NULL) { give_up(wider, size); }
    array_hint_large(memory, wider * size);
    *capacity = wider;
    return memory;
}

void *array_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) { give_up(count, size); }
    array_hint_large(memory, count * size);
    return memory;
}

void array_hint_large(void *memory, size_t size)
{
    if (size < LARGE_MIN) { return; }
    uintptr_t first = ((uintptr_t)memory + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1), end = ((uintptr_t)memory + size) & ~(uintptr_t)(LARGE_PAGE - 1);
    (void)madvise((char *)memory + (first - (uintptr_t)memory), end - first, MADV_HUGEPAGE);
}
