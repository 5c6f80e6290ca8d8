#include "base/array.h"

#include <stdlib.h>

#include "base/log.h"

enum { CAPACITY_MIN = 8 };

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
    *capacity = wider;
    return memory;
}

void *array_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) { give_up(count, size); }
    return memory;
}
