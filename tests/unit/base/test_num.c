/* test_num.c: sums, products and narrowing at their limits. */
#include "base/num.h"

#include "tests/unit/check.h"

int main(void)
{
    int64_t sum = 0;
    int32_t narrow = 0;
    size_t product = 0;
    CHECK("largest sum", add_i64(INT64_MAX - 1, 1, &sum) && sum == INT64_MAX);
    CHECK("one more", !add_i64(INT64_MAX, 1, &sum));
    CHECK("one less", !add_i64(INT64_MIN, -1, &sum));
    CHECK("product", mul_i64(INT64_MAX / 2, 2, &sum) && sum == INT64_MAX - 1);
    CHECK("product too large", !mul_i64(INT64_MAX / 2 + 1, 2, &sum));
    CHECK("product of the smallest", !mul_i64(INT64_MIN, -1, &sum));
    CHECK("size", mul_size(SIZE_MAX, 1, &product) && product == SIZE_MAX);
    CHECK("size too large", !mul_size(SIZE_MAX / 2 + 1, 2, &product));
    CHECK("narrow at the top", i64_to_i32(INT32_MAX, &narrow) && narrow == INT32_MAX);
    CHECK("above the top", !i64_to_i32((int64_t)INT32_MAX + 1, &narrow));
    CHECK("narrow at the bottom", i64_to_i32(INT32_MIN, &narrow) && narrow == INT32_MIN);
    CHECK("below the bottom", !i64_to_i32((int64_t)INT32_MIN - 1, &narrow));
    CHECK_EQ("smaller", min_i64(-1, 1), -1);
    CHECK_EQ("larger", max_i64(-1, 1), 1);
    return check_report();
}
