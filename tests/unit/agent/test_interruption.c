/* The contents of a notice, and that a written notice is read again. */
#include "agent/interruption.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/core/state_file.h"
#include "tests/unit/check.h"

static void test_parse(void)
{
    static const struct { const char *row, *text; bool good, wrong; int64_t end_ms; } rows[] = {
        { "as the metadata service has it", "{\"action\": \"terminate\", \"time\": \"2017-09-18T08:22:00Z\"}", true, false, 1505722920000 },
        { "stop",                           "{\"action\":\"stop\",\"time\":\"2017-09-18T08:22:00Z\"}",         true, false, 1505722920000 },
        { "hibernate",                      "{\"action\":\"hibernate\",\"time\":\"2017-09-18T08:22:00Z\"}",    true, false, 1505722920000 },
        { "with more that nobody knows",    "{\"action\":\"stop\",\"time\":\"2017-09-18T08:22:00Z\",\"x\":1}", true, false, 1505722920000 },
        { "of something else",              "{\"action\":\"rebalance\"}",                                      false, false, 0 },
        { "without a time",                 "{\"action\":\"terminate\"}",                                      false, true, 0 },
        { "with a text that is no time",    "{\"action\":\"terminate\",\"time\":\"soon\"}",                    false, true, 0 },
        { "without an action",              "{\"time\":\"2017-09-18T08:22:00Z\"}",                             false, true, 0 },
        { "no object",                      "[]",                                                              false, true, 0 },
        { "no JSON",                        "soon",                                                            false, true, 0 },
        { "nothing",                        "",                                                                false, true, 0 },
    };
    struct arena arena = { .ceiling = 1 << 20 };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        int64_t end_ms = 0;
        struct err err = { 0 };
        CHECK_EQ(rows[r].row, notice_parse(str_from(rows[r].text), &end_ms, &arena, &err), rows[r].good);
        CHECK_EQ(rows[r].row, err.code != ERR_NONE, rows[r].wrong);
        CHECK_EQ(rows[r].row, end_ms, rows[r].end_ms);
    }
    arena_finish(&arena);
}

static void test_write(void)
{
    char dir[] = "/tmp/berth-notice-XXXXXX", path[256];
    struct arena arena = { .ceiling = 1 << 20 };
    struct err err = { 0 };
    struct str text;
    int64_t end_ms = 0;
    CHECK("a folder", mkdtemp(dir) != NULL);
    CHECK("its file", notice_path(dir, path, sizeof path, &err));
    CHECK("a longer name than there is room", !notice_path(dir, path, 8, &(struct err){ 0 }));
    CHECK("the name again", notice_path(dir, path, sizeof path, &err));
    CHECK("written", notice_write(path, 1767225599999, &err));
    CHECK("read", state_file_read(path, &text, &arena, &err) && notice_parse(text, &end_ms, &arena, &err));
    CHECK_EQ("to the second", end_ms, 1767225599000);
    CHECK("nowhere to write", !notice_write("/nowhere/at/all", 1767225599999, &err));
    static const struct { const char *row; int64_t end_ms; bool good; } rows[] = {
        { "the last time there is", 9214646399999, true }, { "one later", 9214646400000, false }, { "no time at all", INT64_MAX, false },
        { "before 1970", -1, false }, { "none", 0, false },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        err = (struct err){ 0 };
        CHECK_EQ(rows[r].row, notice_write(path, rows[r].end_ms, &err), rows[r].good);
        CHECK_EQ(rows[r].row, err.code == ERR_NONE, rows[r].good);
        if (rows[r].good) { CHECK("is read again", state_file_read(path, &text, &arena, &err) && notice_parse(text, &end_ms, &arena, &err)); }
    }
    remove(path);
    rmdir(dir);
    arena_finish(&arena);
}

int main(void)
{
    test_parse();
    test_write();
    return check_report();
}
