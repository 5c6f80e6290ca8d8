/* lanes.h: several rows of a column at a time. A type of four numbers that gcc and clang turn into vector code at every level
 * of optimisation and on every machine; a comparison gives -1 (all bits) or 0 in each. Columns come from the pool, whose
 * blocks begin at multiples of 16 bytes. */
#ifndef BERTH_SCHEDULER_LANES_H
#define BERTH_SCHEDULER_LANES_H

#include <stdint.h>

enum { LANES = 4 };
typedef int32_t lanes __attribute__((vector_size(16), may_alias));

static inline lanes lanes_of(int32_t value) { return (lanes){ value, value, value, value }; }
static inline const lanes *lanes_read(const int32_t *column) { return (const lanes *)(const void *)column; }
static inline lanes *lanes_write(int32_t *column) { return (lanes *)(void *)column; }
static inline lanes lanes_choose(lanes mask, lanes yes, lanes no) { return (mask & yes) | (~mask & no); }
static inline lanes lanes_min(lanes a, lanes b) { return lanes_choose(a < b, a, b); }
static inline int32_t lanes_sum(lanes v) { return v[0] + v[1] + v[2] + v[3]; }
static inline int32_t lanes_least(lanes v)
{
    int32_t a = v[0] < v[1] ? v[0] : v[1], b = v[2] < v[3] ? v[2] : v[3];
    return a < b ? a : b;
}

#endif
