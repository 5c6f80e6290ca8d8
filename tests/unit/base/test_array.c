/* Arrays grow when they must, by doubling, and keep their items. */
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

int main(void)
{
    static const struct { const char *row; size_t wanted, capacity; } rows[] = {
        { "the first gets eight", 1, 8 }, { "what fits", 8, 8 }, { "twice as many", 9, 16 }, { "again", 17, 32 }, { "as many as are wanted", 100, 100 },
        { "less is no change", 3, 100 }, { "twice a hundred", 101, 200 },
    };
    int *items = NULL;
    size_t capacity = 0;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        items = array_grow(items, &capacity, rows[r].wanted, sizeof *items);
        CHECK_EQ(rows[r].row, capacity, rows[r].capacity);
        if (r == 0) { items[0] = 42; }
        CHECK_EQ("the items stay", items[0], 42);
        items[capacity - 1] = 1;                             /* the sanitizers look */
    }
    free(items);

    static const size_t sizes[] = { 1, 4096, 33 << 20 };       /* of the heap, and mapped */
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        unsigned char *bytes = array_zeroed(sizes[s], 1), seen = 0;
        for (size_t b = 0; b < sizes[s]; b++) { seen |= bytes[b]; }
        CHECK_EQ("all zero", seen, 0);
        memset(bytes, 1, sizes[s]);
        free(bytes);
    }
    return check_report();
}
