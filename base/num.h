/* num.h: arithmetic on outside values, checked. */
#ifndef BERTH_BASE_NUM_H
#define BERTH_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool add_i64(int64_t a, int64_t b, int64_t *sum) { return !__builtin_add_overflow(a, b, sum); }
static inline bool mul_i64(int64_t a, int64_t b, int64_t *product) { return !__builtin_mul_overflow(a, b, product); }
static inline bool mul_size(size_t a, size_t b, size_t *product) { return !__builtin_mul_overflow(a, b, product); }
static inline bool i64_to_i32(int64_t a, int32_t *out) { *out = (int32_t)a; return *out == a; }
static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline size_t  min_size(size_t a, size_t b) { return a < b ? a : b; }
static inline int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

#endif
