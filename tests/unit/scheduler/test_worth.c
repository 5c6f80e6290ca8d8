/* What pieces of a device are worth: the published list, small cases by hand, and what must hold for any demand. */
#include "base/rng.h"
#include "scheduler/place/worth.h"
#include "tests/unit/check.h"

enum { ONE = WORTH_DEVICE };

/* The sizes of the trace of bench/results/2026-11-22-placement.md, and how many tasks ask for each. */
static const struct worth_size trace[] = {
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
    struct worth worth;
    worth_solve(trace, COUNT_OF(trace), &worth);
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ(rows[r].name, worth.of[rows[r].share], rows[r].want); }
    CHECK_EQ("a whole device", worth.of[DEVICE_WHOLE], ONE);
    CHECK_EQ("two of 470 lose nothing", worth_lost(&worth, DEVICE_WHOLE, 470) + worth_lost(&worth, 530, 470), 0);
    CHECK_EQ("350 free: one of 320 fits", worth.best[350], ONE / 3);
    CHECK_EQ("320 beside 650 loses nothing", worth_lost(&worth, 350, 320), 0);
    CHECK_EQ("810 on an empty device loses nothing", worth_lost(&worth, DEVICE_WHOLE, 810), 0);
    CHECK_EQ("470 beside 320 wastes a sixth", worth_lost(&worth, DEVICE_WHOLE, 320) + worth_lost(&worth, 680, 470), ONE / 6);
}

static void test_by_hand(void)
{
    struct worth worth;
    worth_solve(NULL, 0, &worth);
    CHECK_EQ("nothing is asked for: 999 free are worth nothing", worth.best[999], 0);
    CHECK_EQ("nothing is asked for: a whole device is", worth.best[DEVICE_WHOLE], ONE);
    CHECK_EQ("a share then costs the device", worth_lost(&worth, DEVICE_WHOLE, 10), ONE);
    CHECK_EQ("the next share on it is free", worth_lost(&worth, 990, 10), 0);

    static const struct worth_size halves[] = { { 500, 10 } };
    worth_solve(halves, 1, &worth);
    CHECK_EQ("500: half", worth.of[500], ONE / 2);
    CHECK_EQ("501 of a device: what fits into it", worth.of[501], ONE / 2);
    CHECK_EQ("499: nothing fits into it", worth.of[499], 0);

    static const struct worth_size pair[] = { { 400, 10 }, { 600, 10 } };
    worth_solve(pair, 2, &worth);
    CHECK_EQ("600 and 400 go together", worth.of[400] + worth.of[600], ONE);
    CHECK("two of 400 are not worth more than a device", 2 * worth.of[400] <= ONE);

    static const struct worth_size thirds[] = { { 333, 7 }, { 0x3E7, 0 } };
    worth_solve(thirds, 2, &worth);
    CHECK_EQ("333: a third", worth.of[333], ONE / 3);
    CHECK_EQ("a size that nobody asks for is not priced", worth.of[999], ONE);
}

/* The most that fits, found by trying all ways. */
static int32_t most(const struct worth *worth, const struct worth_size *sizes, size_t count, int32_t room)
{
    int32_t best = 0;
    for (size_t s = 0; s < count; s++) {
        if (sizes[s].share > room) { continue; }
        int32_t with = worth->of[sizes[s].share] + most(worth, sizes, s + 1, room - sizes[s].share);
        best = with > best ? with : best;
    }
    return best;
}

static void test_any_demand(void)
{
    struct rng rng;
    rng_seed(&rng, 7);
    for (int round = 0; round < 200; round++) {
        struct worth_size sizes[6];
        size_t count = 1 + rng_below(&rng, 6);
        for (size_t s = 0; s < count; s++) { sizes[s] = (struct worth_size){ (int32_t)(150 + 125 * s + rng_below(&rng, 125)), (int64_t)rng_below(&rng, 1000) + 1 }; }
        struct worth worth;
        worth_solve(sizes, count, &worth);
        CHECK_EQ("no way of cutting is worth more than a device", most(&worth, sizes, count, DEVICE_WHOLE) <= worth.best[DEVICE_WHOLE], 1);
        CHECK("a device is worth one, but for the last digits", worth.best[DEVICE_WHOLE] >= ONE && worth.best[DEVICE_WHOLE] <= ONE + 8);
        int32_t room = (int32_t)rng_below(&rng, DEVICE_WHOLE);
        CHECK_EQ("the table is the knapsack", worth.best[room], most(&worth, sizes, count, room));
        for (size_t s = 0; s < count; s++) {
            for (int32_t free = sizes[s].share; free <= DEVICE_WHOLE; free += 37) { CHECK("nothing gains worth", worth_lost(&worth, free, sizes[s].share) >= 0); }
        }
    }
}

/* More sizes than are priced. */
static void test_many_sizes(void)
{
    struct worth_size sizes[WORTH_SIZES_MAX + 8];
    for (size_t s = 0; s < COUNT_OF(sizes); s++) { sizes[s] = (struct worth_size){ (int32_t)(20 + 23 * s), (int64_t)(s % 7 + 1) }; }
    struct worth worth;
    worth_solve(sizes, COUNT_OF(sizes), &worth);
    CHECK("small sizes that ask for least are not priced", worth.of[20] == worth.best[20]);
    for (int32_t room = 1; room <= DEVICE_WHOLE; room++) { CHECK("more room is not worth less", worth.best[room] >= worth.best[room - 1]); }
}

int main(void)
{
    test_trace();
    test_by_hand();
    test_any_demand();
    test_many_sizes();
    return check_report();
}
