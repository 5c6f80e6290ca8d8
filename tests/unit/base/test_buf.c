/* test_buf.c: printing into an arena, across every growth. */
#include "base/buf.h"

#include "tests/unit/check.h"

static void test_put(struct arena *arena)
{
    struct buf buf = buf_in(arena);
    CHECK_STR("nothing yet", buf_str(&buf), STR(""));
    CHECK("set, though empty", str_is_set(buf_str(&buf)));
    buf_put(&buf, str_from(NULL));
    buf_put(&buf, STR("a\0b"));
    buf_put_char(&buf, 'c');
    buf_printf(&buf, "%d/%s", 5, "x");
    CHECK_STR("all in order", buf_str(&buf), STR("a\0bc5/x"));
}

static void test_i64(struct arena *arena)
{
    static const struct { int64_t value; const char *want; } rows[] = {
        { 0, "0" }, { 9, "9" }, { 10, "10" }, { -1, "-1" }, { INT64_MAX, "9223372036854775807" },
        { INT64_MIN, "-9223372036854775808" }, { 1563421494186, "1563421494186" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf buf = buf_in(arena);
        buf_put_i64(&buf, rows[r].value);
        CHECK_STR(rows[r].want, buf_str(&buf), str_from(rows[r].want));
    }
}

static void test_hex(struct arena *arena)
{
    struct buf buf = buf_in(arena);
    buf_put_char(&buf, 'x');
    buf_put_hex(&buf, STR("\x00\x0f\xf0\xff" "A"));
    buf_put_hex(&buf, str_from(NULL));
    CHECK_STR("two digits a byte", buf_str(&buf), STR("x000ff0ff41"));
}

static void test_growth(struct arena *arena)
{
    struct buf steady = buf_in(arena), disturbed = buf_in(arena);
    for (int i = 0; i < 20000; i++) {
        buf_put_char(&steady, (char)('a' + i % 26));
        buf_printf(&disturbed, "%c", 'a' + i % 26);                /* two that grow by turns cannot grow in place */
    }
    CHECK_EQ("length", steady.len, 20000);
    CHECK_STR("both the same", steady.len == disturbed.len ? buf_str(&steady) : STR("?"), buf_str(&disturbed));
    CHECK_EQ("last", steady.ptr[19999], 'a' + 19999 % 26);
}

static void test_printf_edges(struct arena *arena)
{
    for (int width = 250; width < 262; width++) {                  /* around the first capacity */
        struct buf buf = buf_in(arena);
        buf_put_char(&buf, '<');
        buf_printf(&buf, "%*d", width, 7);
        buf_put_char(&buf, '>');
        CHECK_EQ("width", buf.len, width + 2);
        CHECK_EQ("last digit", buf.ptr[width], '7');
        CHECK_EQ("end", buf.ptr[width + 1], '>');
    }
}

static void test_room(struct arena *arena)
{
    struct buf buf = buf_in(arena);
    memcpy(buf_room(&buf, 300), "abc", 3);
    CHECK("as much room as was asked for", buf.capacity >= 300);
    buf.len += 3;
    memset(buf_room(&buf, 1000), 'x', 1000);
    CHECK_STR("room alone adds nothing", buf_str(&buf), STR("abc"));
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    test_put(&arena);
    test_i64(&arena);
    test_hex(&arena);
    test_growth(&arena);
    test_printf_edges(&arena);
    test_room(&arena);
    arena_finish(&arena);
    return check_report();
}
