/* test_id.c: ids sort by creation for any steps of the clock, and are read as they are written. */
#include "base/id.h"

#include "base/assert.h"
#include "tests/unit/base/death.h"
#include "tests/unit/check.h"

static void test_layout(void)
{
    struct rng rng;
    rng_seed(&rng, 1);
    struct id_gen gen = { .rng = &rng };
    char first[ID_HEX_LEN + 1], second[ID_HEX_LEN + 1];
    id_hex(id_new(&gen, 0x0123456789AB), first);
    id_hex(id_new(&gen, 0x0123456789AB), second);
    CHECK_EQ("length", strlen(first), ID_HEX_LEN);
    CHECK_STR("milliseconds, then counter", str_slice(str_from(first), 0, 16), STR("0123456789ab0000"));
    CHECK_STR("the counter counts", str_slice(str_from(second), 0, 16), STR("0123456789ab0001"));
    CHECK("chance differs", memcmp(first + 16, second + 16, 16) != 0);
}

static void test_order(void)
{
    struct rng rng;
    rng_seed(&rng, 2);
    struct id_gen gen = { .rng = &rng };
    struct id before = id_new(&gen, 1000);
    bool rising = true;
    for (int i = 0; i < 200000; i++) {                             /* three times round the counter within one millisecond */
        struct id next = id_new(&gen, i == 150000 ? 500 : 1000);   /* once the clock goes back */
        rising = rising && id_cmp(before, next) < 0;
        before = next;
    }
    CHECK("each after the one before", rising);
    CHECK_EQ("a full counter borrows a millisecond", gen.last_ms, 1003);
    struct id later = id_new(&gen, 5000);
    CHECK("the clock takes over again", id_cmp(before, later) < 0 && gen.last_ms == 5000 && gen.counter == 0);
}

static void test_parse(void)
{
    static const struct { const char *name, *text, *want; } rows[] = {
        { "as written",           "0123456789abcdef0123456789abcdef",      "0123456789abcdef0123456789abcdef" },
        { "upper case",           "0123456789ABCDEF0123456789ABCDEF",      "0123456789abcdef0123456789abcdef" },
        { "as a UUID",            "01234567-89ab-cdef-0123-456789abcdef",  "0123456789abcdef0123456789abcdef" },
        { "one digit short",      "0123456789abcdef0123456789abcde",       NULL },
        { "one digit more",       "0123456789abcdef0123456789abcdef0",     NULL },
        { "no hex digit",         "0123456789abcdefg123456789abcdef",      NULL },
        { "hyphen misplaced",     "0123456-789ab-cdef-0123-456789abcdef",  NULL },
        { "hyphen missing",       "01234567089ab-cdef-0123-456789abcdef",  NULL },
        { "hyphens in 32",        "01234567-89ab-cdef-0123-456789ab",      NULL },
        { "nothing",              "",                                      NULL },
        { "absent",               NULL,                                    NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct id id = { { 0 } };
        char hex[ID_HEX_LEN + 1];
        bool good = id_parse(str_from(rows[r].text), &id);
        CHECK_EQ(rows[r].name, good, rows[r].want != NULL);
        id_hex(id, hex);
        if (good) { CHECK_STR(rows[r].name, str_from(hex), str_from(rows[r].want)); }
        if (!good) { CHECK(rows[r].name, id_is_zero(id)); }
    }
}

static void test_uuid(void)
{
    static const struct { const char *name, *id, *want, *marked; } rows[] = {
        { "every digit at its place", "0123456789abcdef0123456789abcdef", "01234567-89ab-cdef-0123-456789abcdef", "01234567-89ab-4def-8123-456789abcdef" },
        { "no bit set",               "00000000000000000000000000000000", "00000000-0000-0000-0000-000000000000", "00000000-0000-4000-8000-000000000000" },
        { "every bit set",            "ffffffffffffffffffffffffffffffff", "ffffffff-ffff-ffff-ffff-ffffffffffff", "ffffffff-ffff-4fff-bfff-ffffffffffff" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct id id, back;
        char uuid[ID_UUID_LEN + 1];
        CHECK(rows[r].name, id_parse(str_from(rows[r].id), &id));
        id_uuid(id, uuid);
        CHECK_STR(rows[r].name, str_from(uuid), str_from(rows[r].want));
        CHECK("it is read as it was", id_parse(str_from(uuid), &back) && id_eq(back, id));
        id_mark_random(&id);
        id_uuid(id, uuid);
        CHECK_STR("as a random one", str_from(uuid), str_from(rows[r].marked));
    }
}

static void test_random(void)
{
    struct rng rng;
    rng_seed(&rng, 3);
    struct id one = id_random(&rng), next = id_random(&rng), marked = one;
    id_mark_random(&marked);
    CHECK("marked", id_eq(marked, one));
    CHECK("both halves are new each time", memcmp(one.bytes, next.bytes, 8) != 0 && memcmp(one.bytes + 8, next.bytes + 8, 8) != 0);
}

static void test_zero(void)
{
    struct id zero = { { 0 } }, one = { { [15] = 1 } };
    CHECK("zero", id_is_zero(zero));
    CHECK("last bit", !id_is_zero(one));
    CHECK("equal to itself", id_eq(one, one) && !id_eq(zero, one));
}

/* The clock is no promise: what it can't be is read as the last time that it could. */
static void test_clock(void)
{
    static const struct { const char *name; int64_t ms, counts_as_ms; } rows[] = {
        { "before 1970, at first", -1,                      0 },
        { "1970",                  1,                       1 },
        { "2026",                  1767323045000,           1767323045000 },
        { "before 1970, later",    INT64_MIN,               1767323045000 },
        { "too far ahead",         ((int64_t)1 << 48) - 1,  1767323045000 },
        { "further",               INT64_MAX,               1767323045000 },
        { "the last of the field", ((int64_t)1 << 48) - 2,  ((int64_t)1 << 48) - 2 },
    };
    struct rng rng = { { 1 } };
    struct id_gen gen = { .rng = &rng };
    struct id before = { { 0 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct id id = id_new(&gen, rows[r].ms);
        CHECK_EQ(rows[r].name, gen.last_ms, rows[r].counts_as_ms);
        CHECK(rows[r].name, id_cmp(before, id) < 0);
        before = id;
    }
}

int main(void)
{
    test_layout();
    test_order();
    test_parse();
    test_uuid();
    test_random();
    test_zero();
    test_clock();
    return check_report();
}
