/* test_json.c: texts that are read, texts that are refused, and the exact bytes of printed ones. */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/base/death.h"
#include "tests/unit/check.h"

enum { CEILING = 1 << 20 };

static struct arena arena;

static const struct json *parse(struct str text, struct err *err)
{
    *err = (struct err){ .code = ERR_NONE };
    return json_parse(text, &arena, err);
}

static struct str dumped(const struct json *value)
{
    struct buf buf = buf_in(&arena);
    struct json_out out = json_out_to(&buf);
    json_dump(&out, value);
    return buf_str(&buf);
}

/* Each text, parsed and printed again. */
static void test_round_trip(void)
{
    static const struct { const char *name, *text, *want; } rows[] = {
        { "blanks go",         " { \"b\" : [ 1 , 2 ] , \"a\" : { } } ", "{\"b\":[1,2],\"a\":{}}" },
        { "words",             "[null,true,false]",              "[null,true,false]" },
        { "any value alone",   "7",                              "7" },
        { "a string alone",    "\"x\"",                          "\"x\"" },
        { "empty array",       "[]",                             "[]" },
        { "escapes",           "\"\\u0041\\n\\/\\\\\\\"\"",      "\"A\\n/\\\\\\\"\"" },
        { "NUL",               "\"a\\u0000b\"",                  "\"a\\u0000b\"" },
        { "surrogate pair",    "\"\\uD83D\\uDEA2\"",             "\"\xF0\x9F\x9A\xA2\"" },
        { "UTF-8",             "\"\xC3\xA9\"",                   "\"\xC3\xA9\"" },
        { "largest integer",   "9223372036854775807",            "9223372036854775807" },
        { "smallest integer",  "-9223372036854775808",           "-9223372036854775808" },
        { "a real stays one",  "[1.0,0.5,1e3,-0.0]",             "[1.0,0.5,1000.0,-0.0]" },
        { "a mixed string",    "\"plain text \\u00e9\xC3\xA9 plain\\tagain\"", "\"plain text \xC3\xA9\xC3\xA9 plain\\tagain\"" },
        { "edges of escapes",  "\"\\u007f\\u0080\\u07ff\\u0800\\uffff\\udbff\\udfff\"", "\"\x7f\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF4\x8F\xBF\xBF\"" },
        { "minus nothing",     "[-0,0e0,0.0e-0]",                "[0,0.0,0.0]" },
        { "nested",            "[[[{\"a\":[{}]}]]]",             "[[[{\"a\":[{}]}]]]" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err;
        const struct json *tree = parse(str_from(rows[r].text), &err);
        CHECK_STR(rows[r].name, tree == NULL ? str_from(err.message) : dumped(tree), str_from(rows[r].want));
    }
}

static void test_refused(void)
{
    static const struct { const char *name; struct str text; } rows[] = {
        { "nothing",              STR_INIT("") },
        { "blanks",               STR_INIT("  \n") },
        { "absent",               { NULL, 0 } },
        { "open",                 STR_INIT("{\"a\":1") },
        { "wrong bracket",        STR_INIT("[1}") },
        { "closed too often",     STR_INIT("[1]]") },
        { "two values",           STR_INIT("1 2") },
        { "comma at the end",     STR_INIT("[1,]") },
        { "duplicate key",        STR_INIT("{\"a\":1,\"a\":2}") },
        { "duplicate by escape",  STR_INIT("{\"a\":1,\"\\u0061\":2}") },
        { "NUL in a key",         STR_INIT("{\"a\\u0000\":1}") },
        { "NUL in the text",      STR_INIT("[1\0]") },
        { "single quotes",        STR_INIT("{'a':1}") },
        { "one above int64",      STR_INIT("9223372036854775808") },
        { "one below int64",      STR_INIT("-9223372036854775809") },
        { "real too large",       STR_INIT("1e999") },
        { "not a number",         STR_INIT("NaN") },
        { "leading zero",         STR_INIT("01") },
        { "broken UTF-8",         STR_INIT("\"\xC3\"") },
        { "lone surrogate",       STR_INIT("\"\\uD83D\"") },
        { "raw control",          STR_INIT("\"a\nb\"") },
        { "string not closed",    STR_INIT("\"abc\\\"") },
        { "ends in an escape",    STR_INIT("\"abc\\") },
        { "ends in a unit",       STR_INIT("\"\\u12") },
        { "unknown escape",       STR_INIT("\"\\x41\"") },
        { "no hexadecimal",       STR_INIT("\"\\u00g0\"") },
        { "low surrogate first",  STR_INIT("\"\\uDE00\\uD83D\"") },
        { "two high surrogates",  STR_INIT("\"\\uD83D\\uD83D\"") },
        { "control by escape",    STR_INIT("\"\\n\n\"") },
        { "no digit",             STR_INIT("-") },
        { "no digit behind dot",  STR_INIT("1.") },
        { "no exponent",          STR_INIT("1e+") },
        { "leading plus",         STR_INIT("+1") },
        { "minus, leading zero",  STR_INIT("-01") },
        { "word cut off",         STR_INIT("[tru]") },
        { "word too long",        STR_INIT("[nullx]") },
        { "no comma",             STR_INIT("[1 2]") },
        { "no colon",             STR_INIT("{\"a\" 1}") },
        { "a key of another kind", STR_INIT("{1:1}") },
        { "comma before the end", STR_INIT("{\"a\":1,}") },
        { "byte order mark",      STR_INIT("\xEF\xBB\xBF{}") },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err;
        CHECK(rows[r].name, parse(rows[r].text, &err) == NULL);
        CHECK_EQ(rows[r].name, err.code, ERR_SERIALIZATION);
        CHECK(rows[r].name, str_starts_with(str_from(err.message), STR("Line ")));
    }
    struct err err;
    parse(STR("{\n\"a\":\nx}"), &err);
    CHECK("the line is named", str_starts_with(str_from(err.message), STR("Line 3: ")));
    parse(STR("{\n\n\0}"), &err);
    CHECK_STR("also of a NUL", str_from(err.message), STR("Line 3: a NUL byte."));
}

/* `depth` openings around a string full of brackets, which do not count. */
static void test_depth(void)
{
    static const struct { const char *name; size_t depth; const char *open; char close; bool good; } rows[] = {
        { "deepest arrays",   JSON_DEPTH_MAX,     "[",       ']', true },
        { "one deeper",       JSON_DEPTH_MAX + 1, "[",       ']', false },
        { "deepest objects",  JSON_DEPTH_MAX,     "{\"a\":", '}', true },
        { "one deeper still", JSON_DEPTH_MAX + 1, "{\"a\":", '}', false },
        { "absurd",           100000,             "[",       ']', false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf text = buf_in(&arena);
        for (size_t d = 0; d < rows[r].depth; d++) { buf_put(&text, str_from(rows[r].open)); }
        buf_put(&text, STR("\"[[{{\\\"[\""));
        for (size_t d = 0; d < rows[r].depth; d++) { buf_put_char(&text, rows[r].close); }
        struct err err;
        CHECK_EQ(rows[r].name, parse(buf_str(&text), &err) != NULL, rows[r].good);
        CHECK_EQ(rows[r].name, err.code, rows[r].good ? ERR_NONE : ERR_SERIALIZATION);
        arena_reset(&arena);
    }
    struct err err;
    struct buf flat = buf_in(&arena);
    buf_put_char(&flat, '[');
    for (int i = 0; i < 200; i++) { buf_put(&flat, STR("[],")); }
    buf_put(&flat, STR("0]"));
    CHECK("many beside each other are not deep", parse(buf_str(&flat), &err) != NULL);
}

/* A text that is small and a tree that is not: refused before the arena's hard stop would end the process. */
static void test_ceiling(void)
{
    struct buf text = buf_in(&arena);
    buf_put_char(&text, '[');
    for (int i = 0; i < 3000; i++) { buf_put(&text, STR("0,")); }
    buf_put(&text, STR("0]"));
    for (size_t ceiling = 3001 * sizeof(struct json) + 16; ceiling <= 3002 * sizeof(struct json); ceiling += 16) {
        struct arena small;
        arena_init(&small, ceiling);
        struct err err = { .code = ERR_NONE };
        bool good = json_parse(buf_str(&text), &small, &err) != NULL;
        CHECK_EQ("fits or not", good, ceiling == 3002 * sizeof(struct json));
        CHECK_EQ("code", err.code, good ? ERR_NONE : ERR_REQUEST_TOO_LARGE);
        CHECK("never exhausted", !arena_exhausted(&small));
        arena_finish(&small);
    }
}

/* Keys are compared in pairs when they are few, sorted when they are many. */
static void test_many_keys(void)
{
    static const struct { const char *name; int keys, last; bool good; } rows[] = {
        { "few",              32, 32, true },  { "few with a twin",  32, 0, false },
        { "many",             33, 33, true },  { "many with a twin", 33, 0, false },
        { "a thousand",       1000, 1000, true }, { "a thousand, a twin within", 1000, 500, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf text = buf_in(&arena);
        buf_put_char(&text, '{');
        for (int k = 0; k < rows[r].keys - 1; k++) { buf_printf(&text, "\"k%d\":%d,", k, k); }
        buf_printf(&text, "\"k%d\":[]}", rows[r].last);
        struct err err;
        const struct json *tree = parse(buf_str(&text), &err);
        CHECK_EQ(rows[r].name, tree != NULL, rows[r].good);
        CHECK_EQ(rows[r].name, tree == NULL ? (size_t)rows[r].keys : tree->count, rows[r].keys);
        arena_reset(&arena);
    }
}

static void test_get(void)
{
    struct err err;
    const struct json *object = parse(STR("{\"s\":\"text\",\"i\":-5,\"r\":1.5,\"n\":null,\"e\":\"\",\"o\":{\"k\":1}}"), &err);
    CHECK_STR("string", json_get_str(object, STR("s")), STR("text"));
    CHECK("empty string is set", str_is_set(json_get_str(object, STR("e"))));
    CHECK("not a string", !str_is_set(json_get_str(object, STR("i"))));
    CHECK("absent", !str_is_set(json_get_str(object, STR("x"))));
    CHECK_EQ("integer", json_get_i64(object, STR("i"), 9), -5);
    CHECK_EQ("a real is no integer", json_get_i64(object, STR("r"), 9), 9);
    CHECK_EQ("absent integer", json_get_i64(object, STR("x"), 9), 9);
    CHECK("null is there", json_get(object, STR("n")) != NULL);
    CHECK("a key's beginning is not the key", json_get(object, STR("")) == NULL);
    CHECK_EQ("deeper", json_get_i64(json_get(object, STR("o")), STR("k"), 0), 1);
    CHECK("of nothing", json_get(NULL, STR("a")) == NULL);
    CHECK("of no object", json_get(json_get(object, STR("s")), STR("a")) == NULL);
    CHECK_EQ("a NUL ends a copied string", json_get_str(object, STR("s")).ptr[4], 0);
}

static void test_print(void)
{
    struct buf buf = buf_in(&arena);
    struct json_out out = json_out_to(&buf);
    json_open(&out, '{');
    json_key(&out, STR("a\"b"));
    json_open(&out, '[');
    json_i64(&out, -7);
    json_bool(&out, true);
    json_raw(&out, STR("{\"x\":1}"));
    json_open(&out, '{');
    json_close(&out, '}');
    json_open(&out, '[');
    json_close(&out, ']');
    json_str(&out, str_from(NULL));
    json_close(&out, ']');
    json_key(&out, STR("t"));
    json_time(&out, 1563421494186);
    json_key(&out, STR("d"));
    json_double(&out, 0.5);
    json_close(&out, '}');
    CHECK_STR("commas are where they belong", buf_str(&buf),
        STR("{\"a\\\"b\":[-7,true,{\"x\":1},{},[],\"\"],\"t\":1563421494.186,\"d\":0.5}"));
}

static void test_strings(void)
{
    static const struct { const char *name; struct str text, want; } rows[] = {
        { "plain",                STR_INIT("plain text"),          STR_INIT("\"plain text\"") },
        { "named escapes",        STR_INIT("\"\\\b\f\n\r\t"),      STR_INIT("\"\\\"\\\\\\b\\f\\n\\r\\t\"") },
        { "other controls",       STR_INIT("\0\x01\x1f"),          STR_INIT("\"\\u0000\\u0001\\u001f\"") },
        { "not escaped",          STR_INIT(" !/\x7f"),             STR_INIT("\" !/\x7f\"") },
        { "two bytes",            STR_INIT("\xC2\x80\xDF\xBF"),    STR_INIT("\"\xC2\x80\xDF\xBF\"") },
        { "three bytes",          STR_INIT("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80"), STR_INIT("\"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\"") },
        { "four bytes",           STR_INIT("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"), STR_INIT("\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"") },
        { "stray continuation",   STR_INIT("a\x80z"),              STR_INIT("\"a\xEF\xBF\xBDz\"") },
        { "cut off",              STR_INIT("a\xC3"),               STR_INIT("\"a\xEF\xBF\xBD\"") },
        { "longer than needed 2", STR_INIT("\xC1\xBF"),            STR_INIT("\"\xEF\xBF\xBD\xEF\xBF\xBD\"") },
        { "longer than needed 3", STR_INIT("\xE0\x9F\xBF"),        STR_INIT("\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"") },
        { "surrogate",            STR_INIT("\xED\xA0\x80"),        STR_INIT("\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"") },
        { "beyond Unicode",       STR_INIT("\xF4\x90\x80\x80"),    STR_INIT("\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"") },
        { "never a byte",         STR_INIT("\xFF"),                STR_INIT("\"\xEF\xBF\xBD\"") },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf buf = buf_in(&arena);
        struct json_out out = json_out_to(&buf);
        json_str(&out, rows[r].text);
        CHECK_STR(rows[r].name, buf_str(&buf), rows[r].want);
    }
}

/* Each byte at each place of texts around the steps: up to sixteen are looked at together, and of short ones both halves. */
static void test_every_byte_every_place(void)
{
    static const size_t lengths[] = { 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40 };
    for (unsigned byte = 0; byte < 0x80; byte++) {
        for (size_t l = 0; l < COUNT_OF(lengths); l++) {
            for (size_t place = 0; place < lengths[l]; place++) {
                char text[40];
                memset(text, 'x', sizeof text);
                text[place] = (char)byte;
                struct buf buf = buf_in(&arena);
                struct json_out out = json_out_to(&buf);
                const struct str want = { text, lengths[l] };
                json_str(&out, want);
                struct err err;
                const struct json *back = parse(buf_str(&buf), &err);
                CHECK_STR("reads back", back == NULL ? str_from(err.message) : back->as.string, want);
            }
            arena_reset(&arena);
        }
    }
}

/* Laid where there is room: names as they are, texts with their escapes, for which the buffer may move. */
static void test_laid(void)
{
    static const char *const names[] = { "n", "a name that is longer than 32 bytes" };
    static const struct { const char *text, *want; } rows[] = {
        { "", "\"\"," }, { "abc", "\"abc\"," }, { "a text that is longer than 16", "\"a text that is longer than 16\"," },
        { "\"", "\"\\\"\"," }, { "a\"b", "\"a\\\"b\"," }, { "sixteen plain ch\n", "\"sixteen plain ch\\n\"," },
        { "\x01\x02\x03\x04\x05\x06\x07", "\"\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\"," },
    };
    for (size_t r = 0; r < 2 * COUNT_OF(rows); r++) {
        struct arena own;
        arena_init(&own, 1 << 20);
        struct buf buf = buf_in(&own);
        struct str name = str_from(names[r % 2]), text = str_from(rows[r / 2].text), want = str_from(rows[r / 2].want);
        char *at = json_lay_name(buf_room(&buf, name.len + 3 + text.len + 3), name);
        at = json_lay_str(&buf, at, text);
        *at++ = ',';                                     /* the byte of room that is left */
        CHECK("within", (size_t)(at - buf.ptr) <= buf.capacity);
        buf.len = (size_t)(at - buf.ptr);
        CHECK_STR(rows[r / 2].want, buf_str(&buf), arena_printf(&own, "\"" STR_FMT "\":" STR_FMT, STR_ARG(name), STR_ARG(want)));
        arena_finish(&own);
    }
}

static void test_numbers(void)
{
    static const struct { double value; const char *want; } doubles[] = {
        { 0, "0.0" }, { -0.0, "-0.0" }, { 1, "1.0" }, { 0.1, "0.1" }, { 0.1 + 0.2, "0.30000000000000004" }, { 1.0 / 3, "0.3333333333333333" },
        { 100, "100.0" }, { 1e15, "1e+15" }, { 123456789012345, "123456789012345.0" }, { 1e300, "1e+300" }, { 5e-324, "4.94065645841247e-324" },
        { -2.5, "-2.5" }, { 9007199254740992, "9007199254740992.0" },
    };
    for (size_t r = 0; r < COUNT_OF(doubles); r++) {
        struct buf buf = buf_in(&arena);
        struct json_out out = json_out_to(&buf);
        json_double(&out, doubles[r].value);
        CHECK_STR(doubles[r].want, buf_str(&buf), str_from(doubles[r].want));
        double back = strtod(arena_cstr(&arena, buf_str(&buf)), NULL);
        CHECK(doubles[r].want, memcmp(&back, &doubles[r].value, sizeof back) == 0);
    }
    static const struct { int64_t ms; const char *want; } times[] = {
        { 0, "0.000" }, { 7, "0.007" }, { 999, "0.999" }, { 1000, "1.000" }, { 1563421494186, "1563421494.186" }, { -1, "-0.001" },
        { -1500, "-1.500" }, { INT64_MIN, "-9223372036854775.808" },
    };
    for (size_t r = 0; r < COUNT_OF(times); r++) {
        struct buf buf = buf_in(&arena);
        struct json_out out = json_out_to(&buf);
        json_time(&out, times[r].ms);
        CHECK_STR(times[r].want, buf_str(&buf), str_from(times[r].want));
    }
}

static void print_infinity(void)
{
    struct buf buf = buf_in(&arena);
    struct json_out out = json_out_to(&buf);
    json_double(&out, (double)INFINITY);
}

int main(void)
{
    arena_init(&arena, CEILING);
    test_round_trip();
    test_refused();
    test_depth();
    test_ceiling();
    test_many_keys();
    test_get();
    test_print();
    test_strings();
    test_every_byte_every_place();
    test_laid();
    test_numbers();
    CHECK("JSON has no infinity", aborts(print_infinity));
    arena_finish(&arena);
    return check_report();
}
