#include "base/array.h"

#include <stdlib.h>

#include "base/log.h"

enum { CAPACITY_MIN = 8 };

void *array_grow(void *old, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity) { return old; }
    size_t wider = *capacity < CAPACITY_MIN / 2 ? CAPACITY_MIN : *capacity * 2;
    if (wider < wanted) { wider = wanted; }
    void *memory = reallocarray(old, wider, size);
    if (memory == NULL) {
        log_line(LOG_ERROR, "memory", "the machine has no memory for %zu items of %zu bytes", wider, size);
        abort();
    }
    *capacity = wider;
    return memory;
}
