/* test_str.c: slicing, comparing and reading numbers, on both sides of each limit. */
#include "tests/unit/check.h"

#include "base/assert.h"

static int sign(int order) { return (order > 0) - (order < 0); }

static void test_cmp(void)
{
    static const struct { const char *name, *a, *b; int want; } rows[] = {
        { "equal",                        "abc", "abc", 0 },
        { "shorter first",                "ab",  "abc", -1 },
        { "longer after",                 "abc", "ab",  1 },
        { "byte order before length",     "b",   "abc", 1 },
        { "both empty",                   "",    "",    0 },
        { "absent is as empty",           NULL,  "",    0 },
        { "absent before something",      NULL,  "a",   -1 },
        { "high bytes after ASCII",       "\xC3", "z",  1 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_EQ(rows[r].name, sign(str_cmp(str_from(rows[r].a), str_from(rows[r].b))), rows[r].want);
    }
}

/* Each before the next, whichever way and however far apart they are. */
static void test_natural(void)
{
    static const char *const order[] = { "", "10", "a", "a0", "a01", "a1", "a1a", "a01b", "a1b", "a2", "a10", "a99999999999999999999998", "a99999999999999999999999", "b-2", "b-10",
                                         "p3.8xlarge-1", "p3.8xlarge-2", "p3.8xlarge-10", "p3.16xlarge-1", "\xC3" };
    for (size_t l = 0; l < COUNT_OF(order); l++) {
        for (size_t r = 0; r < COUNT_OF(order); r++) {
            CHECK_EQ(order[l], sign(str_cmp_natural(str_from(order[l]), str_from(order[r]))), (l > r) - (l < r));
        }
    }
}

static void test_nocase(void)
{
    static const struct { const char *name, *a, *b; bool want; } rows[] = {
        { "other case",              "Host",  "hOST",  true },
        { "one letter differs",      "host",  "hose",  false },
        { "one is longer",           "host",  "hosts", false },
        { "only letters have cases", "@[",    "`{",    false },
        { "beyond ASCII no case",    "\xC4",  "\xE4",  false },
        { "both empty",              "",      NULL,    true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_EQ(rows[r].name, str_eq_nocase(str_from(rows[r].a), str_from(rows[r].b)), rows[r].want);
    }
}

static void test_ends(void)
{
    CHECK("starts with a part", str_starts_with(STR("arn:aws"), STR("arn:")));
    CHECK("starts with itself", str_starts_with(STR("arn"), STR("arn")));
    CHECK("does not start with more", !str_starts_with(STR("ar"), STR("arn")));
    CHECK("everything starts with nothing", str_starts_with(STR(""), STR("")));
    CHECK("ends with a part", str_ends_with(STR("a/b/"), STR("/")));
    CHECK("ends with itself", str_ends_with(STR("abc"), STR("abc")));
    CHECK("does not end with more", !str_ends_with(STR("bc"), STR("abc")));
    CHECK("does not end with another", !str_ends_with(STR("abd"), STR("bc")));
}

static void test_contains(void)
{
    static const struct { const char *text, *part; bool wanted; } rows[] = {
        { "abc", "", true }, { "", "", true }, { NULL, "", true }, { NULL, "a", false }, { "", "a", false }, { "abc", "abc", true },
        { "abc", "bc", true }, { "abc", "ab", true }, { "abc", "ac", false }, { "ab", "abc", false }, { "aab", "ab", true },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        CHECK_EQ(rows[r].part, str_contains(str_from(rows[r].text), str_from(rows[r].part)), rows[r].wanted);
    }
    CHECK("behind a NUL", str_contains(STR("a\0b"), STR("b")));
}

static void test_slice(void)
{
    static const struct { const char *name; size_t from, to; const char *want; } rows[] = {
        { "middle",              1, 3, "bc" },
        { "all",                 0, 4, "abcd" },
        { "end is clamped",      2, 9, "cd" },
        { "start is clamped",    9, 9, "" },
        { "from after to",       3, 1, "" },
        { "last",                3, 4, "d" },
        { "huge end",            0, SIZE_MAX, "abcd" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_STR(rows[r].name, str_slice(STR("abcd"), rows[r].from, rows[r].to), str_from(rows[r].want));
    }
    CHECK("a slice of an absent string is absent", !str_is_set(str_slice(str_from(NULL), 0, 5)));
}

static void test_trim_find_cut(void)
{
    CHECK_STR("blanks off both ends", str_trim(STR(" \t\r\n a b \v\f")), STR("a b"));
    CHECK_STR("only blanks", str_trim(STR("   ")), STR(""));
    CHECK_STR("no blanks", str_trim(STR("x")), STR("x"));
    CHECK_STR("a NUL is no blank", str_trim(STR(" \0 ")), STR("\0"));
    CHECK_EQ("found at the front", str_find(STR("a:b:c"), 'a'), 0);
    CHECK_EQ("the first of two", str_find(STR("a:b:c"), ':'), 1);
    CHECK_EQ("not found", str_find(STR("abc"), ':'), 3);
    CHECK_EQ("not found in nothing", str_find(str_from(NULL), ':'), 0);

    struct str head, tail;
    CHECK("cut", str_cut(STR("a=b=c"), '=', &head, &tail));
    CHECK_STR("before the first", head, STR("a"));
    CHECK_STR("after the first", tail, STR("b=c"));
    CHECK("cut at the end", str_cut(STR("a="), '=', &head, &tail));
    CHECK_STR("nothing after", tail, STR(""));
    CHECK("no separator", !str_cut(STR("abc"), '=', &head, &tail));
    CHECK_STR("all is head", head, STR("abc"));
    CHECK_STR("tail is empty", tail, STR(""));
}

static void test_to_i64(void)
{
    static const struct { const char *name, *text; bool good; int64_t want; } rows[] = {
        { "zero",              "0",                    true,  0 },
        { "negative",          "-12",                  true,  -12 },
        { "leading zeros",     "007",                  true,  7 },
        { "largest",           "9223372036854775807",  true,  INT64_MAX },
        { "one more",          "9223372036854775808",  false, 0 },
        { "smallest",          "-9223372036854775808", true,  INT64_MIN },
        { "one less",          "-9223372036854775809", false, 0 },
        { "many digits",       "99999999999999999999", false, 0 },
        { "nothing",           "",                     false, 0 },
        { "absent",            NULL,                   false, 0 },
        { "only a sign",       "-",                    false, 0 },
        { "plus",              "+1",                   false, 0 },
        { "blank before",      " 1",                   false, 0 },
        { "blank after",       "1 ",                   false, 0 },
        { "letter",            "1a",                   false, 0 },
        { "just below 0",      "/",                    false, 0 },
        { "just above 9",      ":",                    false, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int64_t got = 0;
        CHECK_EQ(rows[r].name, str_to_i64(str_from(rows[r].text), &got), rows[r].good);
        CHECK_EQ(rows[r].name, got, rows[r].want);
    }
}

static void test_to_cstr(void)
{
    char out[4];
    CHECK("fits", str_to_cstr(STR("abc"), out, sizeof out));
    CHECK_STR("copied", str_from(out), STR("abc"));
    CHECK("one too long", !str_to_cstr(STR("abcd"), out, sizeof out));
    CHECK_STR("emptied when refused", str_from(out), STR(""));
    CHECK("holds a NUL", !str_to_cstr(STR("a\0b"), out, sizeof out));
    CHECK("absent is empty", str_to_cstr(str_from(NULL), out, sizeof out));
}

static void test_constant_time(void)
{
    CHECK("same", str_eq_constant_time(STR("secret"), STR("secret")));
    CHECK("first differs", !str_eq_constant_time(STR("xecret"), STR("secret")));
    CHECK("last differs", !str_eq_constant_time(STR("secrex"), STR("secret")));
    CHECK("two differences do not cancel", !str_eq_constant_time(STR("ab"), STR("ba")));
    CHECK("length differs", !str_eq_constant_time(STR("secre"), STR("secret")));
    CHECK("both empty", str_eq_constant_time(STR(""), str_from(NULL)));
}

/* Every length around the steps, with a byte on both sides that must stay. */
static void test_copy(void)
{
    static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (size_t len = 0; len < sizeof text; len++) {
        char out[sizeof text + 2];
        memset(out, '-', sizeof out);
        str_copy(out + 1, (struct str){ text, len });
        CHECK_STR("copied", ((struct str){ out + 1, len }), ((struct str){ text, len }));
        CHECK("nothing beside it", out[0] == '-' && out[len + 1] == '-');
    }
    char none[64] = { '-' };
    str_copy(none, str_from(NULL));
    CHECK_EQ("absent", none[0], '-');
}

static void test_hex(void)
{
    static const char digits[] = "0123456789abcdef", capitals[] = "0123456789ABCDEF";
    for (int byte = 0; byte <= UINT8_MAX; byte++) {
        const unsigned char one = (unsigned char)byte;
        char out[3] = { 0, 0, '-' };
        str_put_hex(out, &one, 1);
        CHECK("two digits", out[0] == digits[byte / 16] && out[1] == digits[byte % 16] && out[2] == '-');
        const char *small = byte == 0 ? NULL : strchr(digits, byte), *large = byte == 0 ? NULL : strchr(capitals, byte);
        CHECK_EQ("and back", str_hex_value((char)one), small != NULL ? small - digits : large != NULL ? large - capitals : -1);
    }
}

/* Whole pieces of sixteen bytes, and the bytes left over, with a byte on both sides that must stay. */
static void test_hex_of_many(void)
{
    unsigned char bytes[64], back[64];
    for (size_t b = 0; b < sizeof bytes; b++) { bytes[b] = (unsigned char)(b * 37 + 5); }
    for (size_t size = 0; size <= sizeof bytes; size++) {
        char out[2 * sizeof bytes + 2], want[2 * sizeof bytes + 1];
        memset(out, '-', sizeof out);
        str_put_hex(out + 1, bytes, size);
        for (size_t b = 0; b < size; b++) { (void)snprintf(want + 2 * b, 3, "%02x", bytes[b]); }
        CHECK_STR("digits", ((struct str){ out + 1, 2 * size }), ((struct str){ want, 2 * size }));
        CHECK("nothing beside them", out[0] == '-' && out[2 * size + 1] == '-');
        CHECK("read back", str_read_hex(out + 1, back, size) && memcmp(back, bytes, size) == 0);
        if (size == 0) { continue; }
        out[2 * size] = 'g';
        CHECK("no digit at the end", !str_read_hex(out + 1, back, size));
        out[2 * size] = '0';
        out[1] = '/';
        CHECK("no digit at the front", !str_read_hex(out + 1, back, size));
    }
}

static void test_put_digits(void)
{
    static const struct { uint64_t value; const char *want; } rows[] = {
        { 0, "0" }, { 9, "9" }, { 10, "10" }, { 99, "99" }, { 100, "100" }, { 101, "101" }, { 999, "999" }, { 1000, "1000" }, { 1009, "1009" },
        { 10000, "10000" }, { 1234567890, "1234567890" }, { UINT64_MAX, "18446744073709551615" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char text[STR_DIGITS_MAX + 2], *end = text + 1 + STR_DIGITS_MAX;
        memset(text, '-', sizeof text);
        const char *at = str_put_digits(end, rows[r].value);
        CHECK_STR(rows[r].want, ((struct str){ at, (size_t)(end - at) }), str_from(rows[r].want));
        CHECK("nothing beside them", at > text && at[-1] == '-' && *end == '-');
    }
}

int main(void)
{
    test_cmp();
    test_natural();
    test_nocase();
    test_ends();
    test_contains();
    test_slice();
    test_trim_find_cut();
    test_to_i64();
    test_to_cstr();
    test_constant_time();
    test_copy();
    test_hex();
    test_hex_of_many();
    test_put_digits();
    return check_report();
}
