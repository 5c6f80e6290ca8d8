/* array.h: arrays on the heap that grow, for data that outlives a request. In an arena, use arena_grow. */
#ifndef BERTH_BASE_ARRAY_H
#define BERTH_BASE_ARRAY_H

#include <stddef.h>

/* Room for `wanted` items of `size` bytes, by doubling from eight on; `old` may be NULL. The added items are not zeroed. Never NULL: a
 * machine without memory ends the program. Owned by the caller (free). */
void *array_grow(void *old, size_t *capacity, size_t wanted, size_t size);

/* The same for an array that is made at its full size: `count` items, all zero. */
void *array_zeroed(size_t count, size_t size);

#endif
