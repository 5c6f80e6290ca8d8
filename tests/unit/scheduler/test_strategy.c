/* test_strategy.c: base and weight in the order of the tasks, what a scale-in takes away, and both together over random strategies. */
#include "scheduler/provider_strategy.h"

#include "base/assert.h"
#include "base/rng.h"
#include "tests/unit/check.h"

enum { SHARES_MAX = 3, TASKS_MAX = 32 };

static size_t read_shares(const int64_t rows[SHARES_MAX][3], struct provider_share *shares)
{
    size_t count = 0;
    for (; count < SHARES_MAX && rows[count][0] >= 0; count++) { shares[count] = (struct provider_share){ rows[count][0], rows[count][1], rows[count][2] }; }
    return count;
}
#define END { -1, 0, 0 }

static void test_add(void)
{
    static const struct { const char *row; int64_t shares[SHARES_MAX][3]; const char *order; } rows[] = {
        { "1 to 1",                 { { 0, 1, 0 }, { 0, 1, 0 }, END }, "ABABA" },
        { "1 to 4",                 { { 0, 1, 0 }, { 0, 4, 0 }, END }, "BBBABBBBAB" },
        { "a base, then 1 to 4",    { { 2, 1, 0 }, { 0, 4, 0 }, END }, "AABBBABBBBAB" },
        { "1 to 3",                 { { 0, 1, 0 }, { 0, 3, 0 }, END }, "BBABBBAB" },
        { "a base without weight",  { { 1, 0, 0 }, { 0, 1, 0 }, END }, "ABB" },
        { "neither",                { { 0, 0, 0 }, { 0, 5, 0 }, END }, "BBBB" },
        { "with tasks",             { { 0, 2, 4 }, { 0, 3, 0 }, END }, "BBB" },
        { "a base that is enough",  { { 3, 1, 0 }, END, END }, "AA" },
        { "the second has the base", { { 0, 1, 0 }, { 2, 1, 0 }, END }, "BBABAB" },
        { "a base that is reached", { { 2, 1, 2 }, { 0, 1, 0 }, END }, "ABA" },
        { "a base with one missing", { { 2, 1, 1 }, { 0, 1, 7 }, END }, "AA" },
        { "three",                  { { 0, 1, 0 }, { 0, 1, 0 }, { 0, 2, 0 } }, "CABCCABC" },
        { "the largest numbers",    { { 100000, 1000, 1000000 }, { 0, 999, 1000000 }, END }, "AA" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct provider_share shares[SHARES_MAX];
        size_t count = read_shares(rows[r].shares, shares);
        char got[TASKS_MAX] = { 0 };
        for (size_t t = 0; t < strlen(rows[r].order); t++) { got[t] = (char)('A' + strategy_add(shares, count)); }
        CHECK_STR(rows[r].row, str_from(got), str_from(rows[r].order));
    }
}

static void test_remove(void)
{
    static const struct { const char *row; int64_t shares[SHARES_MAX][3]; const char *order; } rows[] = {
        { "a base stays",          { { 2, 1, 4 }, { 0, 4, 8 }, END }, "BABBBBABBBAA-" },
        { "1 to 1",                { { 0, 1, 3 }, { 0, 1, 2 }, END }, "ABABA-" },
        { "a weight of 0 first",   { { 0, 0, 2 }, { 0, 4, 9 }, END }, "AAB" },
        { "two weights of 0",      { { 0, 0, 1 }, { 0, 0, 2 }, { 0, 1, 9 } }, "BBAC" },
        { "more than its part",    { { 0, 1, 5 }, { 0, 1, 1 }, END }, "AAAABA" },
        { "the base alone",        { { 5, 1, 3 }, { 0, 1, 0 }, END }, "AAA-" },
        { "no tasks",              { { 1, 1, 0 }, END, END }, "-" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct provider_share shares[SHARES_MAX];
        size_t count = read_shares(rows[r].shares, shares);
        char got[TASKS_MAX] = { 0 };
        for (size_t t = 0; t < strlen(rows[r].order); t++) {
            size_t from = strategy_remove(shares, count);
            got[t] = from == count ? '-' : (char)('A' + from);
        }
        CHECK_STR(rows[r].row, str_from(got), str_from(rows[r].order));
    }
}

static void test_check(void)
{
    struct provider_share many[STRATEGY_ITEMS_MAX + 1];
    for (size_t i = 0; i < COUNT_OF(many); i++) { many[i] = (struct provider_share){ 0, 1, 0 }; }
    const struct { const char *row; struct provider_share shares[2]; bool good; } rows[] = {
        { "usual", { { 1, 1, 0 }, { 0, 0, 0 } }, true },            { "no weight", { { 0, 0, 0 }, { 0, 0, 0 } }, false },
        { "a base but no weight", { { 1, 0, 0 }, { 0, 0, 0 } }, false }, { "two bases", { { 1, 1, 0 }, { 1, 1, 0 } }, false },
        { "the largest weight", { { 0, 1000, 0 }, { 0, 0, 0 } }, true }, { "a larger one", { { 0, 1001, 0 }, { 0, 1, 0 } }, false },
        { "below 0", { { 0, -1, 0 }, { 0, 1, 0 } }, false },        { "the largest base", { { 100000, 1, 0 }, { 0, 0, 0 } }, true },
        { "a larger base", { { 100001, 1, 0 }, { 0, 0, 0 } }, false }, { "a base below 0", { { -1, 1, 0 }, { 0, 0, 0 } }, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        CHECK_EQ(rows[r].row, strategy_check(rows[r].shares, 2, &err), rows[r].good);
        CHECK_EQ(rows[r].row, err.code, rows[r].good ? ERR_NONE : ERR_INVALID_PARAMETER);
    }
    struct err err = { 0 }, none = { 0 };
    CHECK("20 items", strategy_check(many, STRATEGY_ITEMS_MAX, &err));
    CHECK("21 items", !strategy_check(many, STRATEGY_ITEMS_MAX + 1, &err));
    CHECK("none", !strategy_check(many, 0, &none));
}

/* Every prefix is as near to the weights as whole tasks can be; and tasks that were added in an order go in the reverse order. */
static void test_random(void)
{
    struct rng rng;
    rng_seed(&rng, 26);
    for (int round = 0; round < 500; round++) {
        struct provider_share shares[SHARES_MAX];
        size_t count = 1 + rng_below(&rng, SHARES_MAX), order[200];
        int64_t weights = 0, based = 0;
        size_t with_base = rng_below(&rng, 5);
        for (size_t i = 0; i < count; i++) {
            shares[i] = (struct provider_share){ i == with_base ? (int64_t)rng_below(&rng, 20) : 0, (int64_t)rng_below(&rng, 6) + (i == 0), 0 };
            weights += shares[i].weight;
            based += shares[i].base;
        }
        for (int64_t n = 0; n < (int64_t)COUNT_OF(order); n++) {
            order[n] = strategy_add(shares, count);
            for (size_t i = 0; i < count && n >= based; i++) {
                int64_t part = (n + 1 - based) * shares[i].weight, has = (shares[i].tasks - shares[i].base) * weights;
                CHECK("near its part", has - part < weights * (int64_t)count && part - has < weights * (int64_t)count);
            }
        }
        for (size_t n = COUNT_OF(order); n > 0; n--) { CHECK_EQ("in reverse", strategy_remove(shares, count), order[n - 1]); }
        CHECK_EQ("nothing is left", strategy_remove(shares, count), count);
    }
}

int main(void)
{
    test_add();
    test_remove();
    test_check();
    test_random();
    return check_report();
}
