/* test_command_line.c: words as a POSIX shell would see them. */
#include "base/text/command_line.h"

#include "base/buf.h"
#include "tests/unit/check.h"

int main(void)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    static const struct { struct str text; const char *want; } rows[] = {      /* want: "word|word|"; NULL: refused */
        { STR_INIT("sh"), "sh|" },                         { STR_INIT("  ls\t-l \n"), "ls|-l|" },
        { STR_INIT("sh -c 'echo $A; ls'"), "sh|-c|echo $A; ls|" },
        { STR_INIT("a\"b c\"'d e'f"), "ab cd ef|" },       { STR_INIT("'' \"\""), "||" },
        { STR_INIT("a\\ b \\\"c"), "a b|\"c|" },           { STR_INIT("\"a\\\"b\\\\c\\d\""), "a\"b\\c\\d|" },
        { STR_INIT("'a\\'"), "a\\|" },                     { STR_INIT("\"'\" '\"'"), "'|\"|" },
        { STR_INIT("# no comment"), "#|no|comment|" },     { STR_INIT("a|b>c"), "a|b>c|" },
        { STR_INIT(""), NULL },                            { STR_INIT(" \t"), NULL },
        { STR_INIT("'a"), NULL },                          { STR_INIT("\"a"), NULL },
        { STR_INIT("a\\"), NULL },                         { STR_INIT("\"a\\"), NULL },
        { STR_INIT("a\0b"), NULL },                        { STR_INIT("'a\0b'"), NULL },
        { STR_INIT("a\\\0b"), NULL },                     { STR_INIT("\"a\\\0b\""), NULL },
        { STR_INIT("a b c d e f g"), "a|b|c|d|e|f|g|" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct command_line line;
        struct err err = { 0 };
        struct buf out = buf_in(&arena);
        bool good = command_line_split(rows[r].text, &line, &arena, &err);
        CHECK_EQ(rows[r].text.ptr, good, rows[r].want != NULL);
        CHECK_EQ(rows[r].text.ptr, err.code, good ? ERR_NONE : ERR_INVALID_PARAMETER);
        if (!good) { continue; }
        for (size_t w = 0; w < line.count; w++) { buf_printf(&out, STR_FMT "|", STR_ARG(line.words[w])); }
        CHECK_STR(rows[r].text.ptr, buf_str(&out), str_from(rows[r].want));
    }
    arena_finish(&arena);
    return check_report();
}
