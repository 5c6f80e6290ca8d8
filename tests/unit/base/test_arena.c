/* test_arena.c: alignment, zeroing, growth, the ceiling and the hard stop behind it. */
#include "base/arena.h"

#include <stdlib.h>

#include "tests/unit/base/death.h"
#include "tests/unit/check.h"

enum { CEILING = 1 << 20 };

static bool is_zero(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) { return false; }
    }
    return true;
}

static void test_alloc(void)
{
    static const struct { const char *name; size_t count, size; } rows[] = {
        { "nothing", 0, 8 }, { "one byte", 1, 1 }, { "15 bytes", 1, 15 }, { "16 bytes", 1, 16 }, { "17 bytes", 1, 17 },
        { "a block less one", 1, 16 * 1024 - 1 }, { "a block", 1, 16 * 1024 }, { "more than a block", 16 * 1024 + 1, 1 },
        { "many", 1000, 24 }, { "far more than a block", 1, 200 * 1024 },
    };
    struct arena arena;
    arena_init(&arena, CEILING);
    for (int round = 0; round < 3; round++) {
        const char *before = NULL;
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            char *got = arena_alloc(&arena, rows[r].count, rows[r].size);
            CHECK_EQ(rows[r].name, (uintptr_t)got % 16, 0);
            CHECK(rows[r].name, got != before);
            CHECK(rows[r].name, is_zero(got, rows[r].count * rows[r].size));
            memset(got, 0xAA, rows[r].count * rows[r].size);       /* must not shine through after a reset */
            before = got;
        }
        CHECK("not exhausted", !arena_exhausted(&arena));
        arena_reset(&arena);
        CHECK_EQ("empty after a reset", arena.used, 0);
        CHECK("a block is kept", arena.blocks != NULL);
    }
    arena_finish(&arena);
    CHECK("nothing is kept", arena.blocks == NULL);
}

static void test_bytes(void)
{
    struct arena arena;
    arena_init(&arena, CEILING);
    char *first = arena_bytes(&arena, 20), *second = arena_bytes(&arena, 0), *third = arena_bytes(&arena, 1);
    memset(first, 0xAA, 20);
    *third = 1;
    CHECK("apart", second >= first + 20 && third > second);
    CHECK_EQ("aligned", (uintptr_t)third % 16, 0);
    CHECK("counted", arena.used >= 21);
    arena_finish(&arena);
}

static void test_ceiling(void)
{
    struct arena arena;
    arena_init(&arena, 1024);
    arena_alloc(&arena, 1, 1024);
    CHECK("at the ceiling", !arena_exhausted(&arena));
    arena_alloc(&arena, 1, 1);
    CHECK("above the ceiling", arena_exhausted(&arena));
    arena_alloc(&arena, 1, 3 * 1024 - 16);
    CHECK_EQ("up to four ceilings", arena.used, 4 * 1024);
    arena_reset(&arena);
    CHECK("a reset forgets", !arena_exhausted(&arena));
    arena_finish(&arena);
}

static void past_the_stop(void)
{
    struct arena arena;
    arena_init(&arena, 1024);
    arena_alloc(&arena, 1, 4 * 1024);
    arena_alloc(&arena, 1, 1);
}

static void overflowing(void)
{
    struct arena arena;
    arena_init(&arena, CEILING);
    arena_alloc(&arena, SIZE_MAX / 2 + 1, 2);
}

static void up_to_the_stop(void)
{
    struct arena arena;
    arena_init(&arena, 1024);
    arena_alloc(&arena, 1, 4 * 1024);
    arena_finish(&arena);
}

static void test_stop(void)
{
    CHECK("at the stop", !aborts(up_to_the_stop));
    CHECK("past the stop", aborts(past_the_stop));
    CHECK("count times size overflows", aborts(overflowing));
}

static void test_keep(void)
{
    struct arena arena;
    arena_init(&arena, CEILING);
    arena_alloc(&arena, 1, 256 * 1024 + 1);
    arena_reset(&arena);
    CHECK("a block over the limit is given back", arena.blocks == NULL);
    arena_alloc(&arena, 1, 1);
    void *first = arena.blocks;
    arena_reset(&arena);
    CHECK("a block under it is kept", arena.blocks == first && first != NULL);
    arena_finish(&arena);
}

static void test_grow(void)
{
    struct arena arena;
    arena_init(&arena, CEILING);
    char *text = arena_grow(&arena, NULL, 0, 100);
    memset(text, 'x', 100);
    CHECK("in place when newest", arena_grow(&arena, text, 100, 200) == text);
    CHECK_EQ("counted", arena.used, 208);
    void *other = arena_alloc(&arena, 1, 1);
    char *moved = arena_grow(&arena, text, 200, 300);
    CHECK("moved when not newest", moved != text && moved != other);
    CHECK_EQ("bytes go along", moved[99], 'x');
    char *far = arena_grow(&arena, moved, 300, 100 * 1024);
    CHECK("moved when the block is full", far != moved);
    CHECK_EQ("bytes go along again", far[99], 'x');
    CHECK("same size stays", arena_grow(&arena, far, 100 * 1024, 100 * 1024) == far);
    char *empty = arena_grow(&arena, NULL, 0, 0);
    CHECK("an empty one grows in place", arena_grow(&arena, empty, 0, 40) == empty);
    arena_finish(&arena);
}

static void test_strings(void)
{
    struct arena arena;
    arena_init(&arena, CEILING);
    struct str copy = arena_str(&arena, STR("a\0b"));
    CHECK_STR("a copy, NUL and all", copy, STR("a\0b"));
    CHECK_EQ("a NUL after", copy.ptr[3], 0);
    CHECK("absent stays absent", !str_is_set(arena_str(&arena, str_from(NULL))));
    CHECK("empty stays set", str_is_set(arena_str(&arena, STR(""))));
    CHECK_STR("closed by a NUL", str_from(arena_cstr(&arena, str_slice(STR("abcd"), 1, 3))), STR("bc"));
    CHECK_STR("absent as a C string", str_from(arena_cstr(&arena, str_from(NULL))), STR(""));
    CHECK_STR("printed", arena_printf(&arena, "%d-%s", 7, "x"), STR("7-x"));
    CHECK_EQ("printed long", arena_printf(&arena, "%5000d", 7).len, 5000);
    CHECK("copied bytes", memcmp(arena_copy(&arena, "abc", 3), "abc", 3) == 0);
    arena_finish(&arena);
}

int main(void)
{
    struct arena zero = { .blocks = NULL };
    arena_finish(&zero);                                           /* accepted */
    test_alloc();
    test_bytes();
    test_ceiling();
    test_stop();
    test_keep();
    test_grow();
    test_strings();
    return check_report();
}
