/* Filter patterns: lines that fit, and the errors of patterns that are refused. */
#include "server/logs/pattern.h"

#include "tests/unit/server/server_fixture.h"

static struct arena arena;

static void test_fits(void)
{
    static const struct { const char *pattern, *message; bool want; } rows[] = {
        { "", "anything", true },                           { "  ", "", true },
        { "ERROR", "an ERROR here", true },                 { "ERROR", "an error here", false },
        { "ERROR disk", "disk: ERROR", true },              { "ERROR disk", "ERROR: net", false },
        { "\"out of memory\"", "CUDA out of memory!", true }, { "\"out of memory\"", "memory out of", false },
        { "\"a \\\"b\\\" \\\\\"", "x a \"b\" \\ y", true },  { "\"\"", "x", true },
        { "-INFO", "ERROR", true },                         { "-INFO", "INFO x", false },
        { "ERROR -\"not found\"", "ERROR: not found", false }, { "ERROR -\"not found\"", "ERROR: gone", true },
        { "?ERROR ?WARN", "WARN x", true },                 { "?ERROR ?WARN", "INFO x", false },
        { "?ERROR ?\"b c\"", "a b c", true },               { "?ERROR main", "main", true },
        { "?ERROR main", "ERROR", false },                  { "loss", "step 3 loss=0.5", true },
        { "\xC3\xA4", "gr\xC3\xA4" "ulich", true },         { "under_score 42", "42 under_score", true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct log_pattern pattern;
        struct err err = { 0 };
        CHECK(rows[r].pattern, log_pattern_read(str_from(rows[r].pattern), &pattern, &arena, &err));
        CHECK_EQ(rows[r].pattern, log_pattern_fits(&pattern, str_from(rows[r].message)), rows[r].want);
    }
}

static void test_refused(void)
{
    char many[4 * LOG_TERMS_MAX + 8] = "", longer[LOG_PATTERN_MAX + 2];
    for (size_t t = 0; t <= LOG_TERMS_MAX; t++) { memcpy(many + 2 * t, "a ", 3); }
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    const struct { const char *pattern, *message; } rows[] = {
        { "a=b", "Invalid character(s) in term 'a=b': put it into quotation marks." },
        { "x \"open", "Invalid filter pattern: a quotation mark is not closed." },
        { "-", "Invalid filter pattern: a term is empty." },
        { "a ? b", "Invalid filter pattern: a term is empty." },
        { many, "Invalid filter pattern: it has more than 64 terms." },
        { longer, "Invalid filter pattern: it is longer than 1024 bytes." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct log_pattern pattern;
        struct err err = { 0 };
        CHECK(rows[r].pattern, !log_pattern_read(str_from(rows[r].pattern), &pattern, &arena, &err));
        CHECK_STR(rows[r].pattern, str_from(err.message), str_from(rows[r].message));
    }
    static const char *const unserved[] = { "{ $.level = \"error\" }", "[ip, user]", "%a.*b%" };
    for (size_t u = 0; u < COUNT_OF(unserved); u++) {
        struct log_pattern pattern;
        struct err err = { 0 };
        CHECK(unserved[u], !log_pattern_read(str_from(unserved[u]), &pattern, &arena, &err));
        CHECK(unserved[u], strstr(err.message, "no patterns for JSON") != NULL);
    }
}

int main(void)
{
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    test_fits();
    test_refused();
    arena_finish(&arena);
    return check_report();
}
