/* histogram.h: how often values were how large. Any thread adds; a reader may see a value in one count and not yet in the other. Knows whole numbers;
 * refuses to know what they are. */
#ifndef BERTH_SERVER_WRITING_HISTOGRAM_H
#define BERTH_SERVER_WRITING_HISTOGRAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HISTOGRAM_BOUNDS = 14 };
struct histogram_scale { int64_t bounds[HISTOGRAM_BOUNDS]; };            /* ascending; a value counts where it is not above the bound */
struct histogram { atomic_int_fast64_t counts[HISTOGRAM_BOUNDS + 1], sum; };   /* the last count: above all bounds */

static const struct histogram_scale histogram_us = { {
    250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 10000000,
} };
static const struct histogram_scale histogram_items = { { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192 } };

static inline void histogram_add(struct histogram *histogram, const struct histogram_scale *scale, int64_t value)
{
    size_t b = 0;
    while (b < HISTOGRAM_BOUNDS && value > scale->bounds[b]) { b++; }
    atomic_fetch_add_explicit(&histogram->counts[b], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->sum, value, memory_order_relaxed);
}

static inline bool histogram_is_used(const struct histogram *histogram)
{
    bool used = false;
    for (size_t b = 0; b <= HISTOGRAM_BOUNDS; b++) { used = used || atomic_load_explicit(&histogram->counts[b], memory_order_relaxed) > 0; }
    return used;
}

#endif
