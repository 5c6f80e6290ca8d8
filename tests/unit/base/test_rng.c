/* test_rng.c: the published numbers, the bounds, and the source of secrets. */
#include "base/rng.h"

#include "base/assert.h"
#include "tests/unit/check.h"

/* From the state 1, 2, 3, 4 the reference xoshiro256** gives these first. */
static void test_reference(void)
{
    static const uint64_t want[] = { 11520u, 0u, 1509978240u, 1215971899390074240u };
    struct rng rng = { { 1, 2, 3, 4 } };
    for (size_t i = 0; i < COUNT_OF(want); i++) { CHECK_EQ("xoshiro256**", rng_next(&rng), want[i]); }
    struct rng seeded;
    rng_seed(&seeded, 0);
    CHECK_EQ("splitmix64 of 0, first", seeded.state[0], 0xe220a8397b1dcdafu);
    CHECK_EQ("splitmix64 of 0, second", seeded.state[1], 0x6e789e6aa1b965f4u);
}

static void test_same_seed(void)
{
    struct rng a, b, c;
    rng_seed(&a, 42);
    rng_seed(&b, 42);
    rng_seed(&c, 43);
    for (int i = 0; i < 100; i++) {
        uint64_t number = rng_next(&a);
        CHECK_EQ("same seed, same numbers", number, rng_next(&b));
        CHECK("other seed, other numbers", number != rng_next(&c));
    }
}

static void test_below(void)
{
    static const uint64_t bounds[] = { 1, 2, 3, 10, 1u << 31, UINT64_MAX };
    struct rng rng;
    rng_seed(&rng, 7);
    for (size_t b = 0; b < COUNT_OF(bounds); b++) {
        for (int i = 0; i < 1000; i++) { CHECK("below the bound", rng_below(&rng, bounds[b]) < bounds[b]); }
    }
    int64_t seen[10] = { 0 };
    for (int i = 0; i < 100000; i++) { seen[rng_below(&rng, COUNT_OF(seen))]++; }
    for (size_t i = 0; i < COUNT_OF(seen); i++) { CHECK("each about as often", seen[i] > 9500 && seen[i] < 10500); }
}

static void test_secret(void)
{
    uint8_t a[64] = { 0 }, b[64] = { 0 };
    rng_secret(a, sizeof a);
    rng_secret(b, sizeof b);
    CHECK("two secrets differ", memcmp(a, b, sizeof a) != 0);
    CHECK("two seeds differ", rng_entropy() != rng_entropy());
    rng_secret(a, 0);
}

int main(void)
{
    test_reference();
    test_same_seed();
    test_below();
    test_secret();
    return check_report();
}
