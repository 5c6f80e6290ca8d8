#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/log.h"

enum { CAPACITY_MIN = 8, PAGE = 4096, LARGE_MIN = 8 * 1024 * 1024 };

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

/* All of its pages: advice for some of them would make two mappings of one, and realloc can move only one without copying. */
void array_hint_large(void *memory, size_t size)
{
    if (size < LARGE_MIN) { return; }
    uintptr_t first = (uintptr_t)memory & ~(uintptr_t)(PAGE - 1), end = ((uintptr_t)memory + size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    (void)madvise((char *)memory - ((uintptr_t)memory - first), end - first, MADV_HUGEPAGE);
}
