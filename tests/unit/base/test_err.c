/* test_err.c: the table as clients see it, and messages that are too long. */
#include "base/err.h"

#include "base/assert.h"
#include "tests/unit/base/death.h"
#include "tests/unit/check.h"

static void test_table(void)
{
    static const struct { const char *name; enum err_code code; const char *wire; int http; } rows[] = {
        { "nobody named it", ERR_NONE,              "ServerException",                500 },
        { "first",           ERR_ACCESS_DENIED,     "AccessDeniedException",          400 },
        { "server",          ERR_SERVER,            "ServerException",                500 },
        { "too large",       ERR_REQUEST_TOO_LARGE, "RequestEntityTooLargeException", 413 },
        { "last",            ERR_UNAVAILABLE,       "ServiceUnavailable",             503 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_STR(rows[r].name, str_from(err_wire_name(rows[r].code)), str_from(rows[r].wire));
        CHECK_EQ(rows[r].name, err_http_status(rows[r].code), rows[r].http);
    }
    for (int code = ERR_NONE; code < ERR_COUNT; code++) {
        CHECK("every code has a name", err_wire_name((enum err_code)code) != NULL);
        CHECK("every code has a status", err_http_status((enum err_code)code) >= 400);
    }
}

static void test_set(void)
{
    struct err err = { .code = ERR_NONE };
    CHECK("returns false", !err_set(&err, ERR_CLIENT, "no %s, %d", "such thing", 7));
    CHECK_EQ("code", err.code, ERR_CLIENT);
    CHECK_STR("message", str_from(err.message), STR("no such thing, 7"));
}

/* The message has room for 639 bytes; `before` ASCII bytes, then one character of UTF-8. */
static void test_cut(void)
{
    static const struct { const char *name; int before; const char *character; size_t want; } rows[] = {
        { "fits to the byte",            638, "x",                639 },
        { "ASCII is cut anywhere",       639, "x",                639 },
        { "two bytes fit",               637, "\xC3\xA9",         639 },
        { "two bytes, one fits",         638, "\xC3\xA9",         638 },
        { "three bytes fit",             636, "\xE2\x82\xAC",     639 },
        { "three bytes, two fit",        637, "\xE2\x82\xAC",     637 },
        { "three bytes, one fits",       638, "\xE2\x82\xAC",     638 },
        { "four bytes fit",              635, "\xF0\x9F\x9A\xA2", 639 },
        { "four bytes, three fit",       636, "\xF0\x9F\x9A\xA2", 636 },
        { "four bytes, one fits",        638, "\xF0\x9F\x9A\xA2", 638 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        for (int more = 0; more < 2; more++) {
            struct err err = { .code = ERR_NONE };
            err_set(&err, ERR_CLIENT, "%0*d%s%s", rows[r].before, 0, rows[r].character, more ? "xxxx" : "");
            CHECK_EQ(rows[r].name, strlen(err.message), rows[r].want);
        }
    }
}

static void set_twice(void)
{
    struct err err = { .code = ERR_NONE };
    err_set(&err, ERR_CLIENT, "first");
    err_set(&err, ERR_CLIENT, "second");
}

static void set_none(void)
{
    struct err err = { .code = ERR_NONE };
    err_set(&err, ERR_NONE, "nothing");
}

int main(void)
{
    test_table();
    test_set();
    test_cut();
    CHECK("the first cause wins: a second is a bug", aborts(set_twice));
    CHECK("an error needs a code", aborts(set_none));
    return check_report();
}
