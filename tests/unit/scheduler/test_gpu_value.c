/* The worth of pieces of a device: the published list, small cases by hand, and rules that hold for any demand. */
#include "base/rng.h"
#include "scheduler/place/gpu_value.h"
#include "tests/unit/check.h"

enum { ONE = GPU_VALUE_DEVICE };

/* The sizes of the trace of bench/results/2026-11-22-placement.md, and how many tasks ask for each. */
static const struct gpu_value_size trace[] = {
    { 50, 7 },   { 110, 24 }, { 140, 1 }, { 160, 74 },  { 220, 62 },  { 230, 140 }, { 270, 4 },  { 290, 1 },  { 320, 328 }, { 330, 7 },
    { 350, 6 },  { 370, 47 }, { 440, 2 }, { 460, 128 }, { 470, 750 }, { 480, 19 },  { 550, 72 }, { 590, 75 }, { 650, 253 }, { 810, 1078 },
};

static void test_trace(void)
{
    static const struct { const char *name; int32_t share, want; } rows[] = {
        { "810 leaves nothing of use", 810, ONE }, { "650", 650, ONE * 2 / 3 }, { "590", 590, ONE * 2 / 3 }, { "550", 550, ONE * 2 / 3 },
        { "480: two fit", 480, ONE / 2 }, { "460", 460, ONE / 2 }, { "440: beside 550 at most", 440, ONE / 3 }, { "320: three fit", 320, ONE / 3 },
        { "290: four fit with smaller ones", 290, ONE / 4 }, { "230", 230, ONE / 4 }, { "220", 220, ONE / 12 }, { "160: fills gaps", 160, 0 }, { "50", 50, 0 },
    };
    struct gpu_value value;
    gpu_value_solve(trace, COUNT_OF(trace), &value);
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ(rows[r].name, value.of[rows[r].share], rows[r].want); }
    CHECK_EQ("a whole device", value.of[DEVICE_WHOLE], ONE);
    CHECK_EQ("two of 470 lose nothing", gpu_value_lost(&value, DEVICE_WHOLE, 470) + gpu_value_lost(&value, 530, 470), 0);
    CHECK_EQ("350 free: one of 320 fits", value.best[350], ONE / 3);
    CHECK_EQ("320 beside 650 loses nothing", gpu_value_lost(&value, 350, 320), 0);
    CHECK_EQ("810 on an empty device loses nothing", gpu_value_lost(&value, DEVICE_WHOLE, 810), 0);
    CHECK_EQ("470 beside 320 wastes a sixth", gpu_value_lost(&value, DEVICE_WHOLE, 320) + gpu_value_lost(&value, 680, 470), ONE / 6);
}

static void test_by_hand(void)
{
    struct gpu_value value;
    gpu_value_solve(NULL, 0, &value);
    CHECK_EQ("nothing is asked for: 999 free are worth nothing", value.best[999], 0);
    CHECK_EQ("nothing is asked for: a whole device is", value.best[DEVICE_WHOLE], ONE);
    CHECK_EQ("a share then costs the device", gpu_value_lost(&value, DEVICE_WHOLE, 10), ONE);
    CHECK_EQ("the next share on it is free", gpu_value_lost(&value, 990, 10), 0);

    static const struct gpu_value_size halves[] = { { 500, 10 } };
    gpu_value_solve(halves, 1, &value);
    CHECK_EQ("500: half", value.of[500], ONE / 2);
    CHECK_EQ("501 of a device: what fits into it", value.of[501], ONE / 2);
    CHECK_EQ("499: nothing fits into it", value.of[499], 0);

    static const struct gpu_value_size pair[] = { { 400, 10 }, { 600, 10 } };
    gpu_value_solve(pair, 2, &value);
    CHECK_EQ("600 and 400 go together", value.of[400] + value.of[600], ONE);
    CHECK("two of 400 are not worth more than a device", 2 * value.of[400] <= ONE);

    static const struct gpu_value_size thirds[] = { { 333, 7 }, { 0x3E7, 0 } };
    gpu_value_solve(thirds, 2, &value);
    CHECK_EQ("333: a third", value.of[333], ONE / 3);
    CHECK_EQ("a size that nobody asks for is not priced", value.of[999], ONE);
}

/* The most that fits, found by trying all ways. */
static int32_t most(const struct gpu_value *value, const struct gpu_value_size *sizes, size_t count, int32_t room)
{
    int32_t best = 0;
    for (size_t s = 0; s < count; s++) {
        if (sizes[s].share > room) { continue; }
        int32_t with = value->of[sizes[s].share] + most(value, sizes, s + 1, room - sizes[s].share);
        best = with > best ? with : best;
    }
    return best;
}

static void test_any_demand(void)
{
    struct rng rng;
    rng_seed(&rng, 7);
    for (int round = 0; round < 200; round++) {
        struct gpu_value_size sizes[6];
        size_t count = 1 + rng_below(&rng, 6);
        for (size_t s = 0; s < count; s++) { sizes[s] = (struct gpu_value_size){ (int32_t)(150 + 125 * s + rng_below(&rng, 125)), (int64_t)rng_below(&rng, 1000) + 1 }; }
        struct gpu_value value;
        gpu_value_solve(sizes, count, &value);
        CHECK_EQ("no way of cutting is worth more than a device", most(&value, sizes, count, DEVICE_WHOLE) <= value.best[DEVICE_WHOLE], 1);
        CHECK("a device is worth one, except the last digits", value.best[DEVICE_WHOLE] >= ONE && value.best[DEVICE_WHOLE] <= ONE + 8);
        int32_t room = (int32_t)rng_below(&rng, DEVICE_WHOLE);
        CHECK_EQ("the table is the knapsack", value.best[room], most(&value, sizes, count, room));
        for (size_t s = 0; s < count; s++) {
            for (int32_t free = sizes[s].share; free <= DEVICE_WHOLE; free += 37) { CHECK("nothing gains worth", gpu_value_lost(&value, free, sizes[s].share) >= 0); }
        }
    }
}

/* More sizes than are priced. */
static void test_many_sizes(void)
{
    struct gpu_value_size sizes[GPU_VALUE_SIZES_MAX + 8];
    for (size_t s = 0; s < COUNT_OF(sizes); s++) { sizes[s] = (struct gpu_value_size){ (int32_t)(20 + 23 * s), (int64_t)(s % 7 + 1) }; }
    struct gpu_value value;
    gpu_value_solve(sizes, COUNT_OF(sizes), &value);
    CHECK("small sizes that ask for least are not priced", value.of[20] == value.best[20]);
    for (int32_t room = 1; room <= DEVICE_WHOLE; room++) { CHECK("more room is not worth less", value.best[room] >= value.best[room - 1]); }
}

int main(void)
{
    test_trace();
    test_by_hand();
    test_any_demand();
    test_many_sizes();
    return check_report();
}
