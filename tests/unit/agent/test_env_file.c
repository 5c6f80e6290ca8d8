/* test_env_file.c: environment files are read as the ECS agent reads them, and objects of a folder as those of a store. */
#include "agent/task/env_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/task/s3.h"
#include "tests/unit/check.h"

static struct arena arena = { .ceiling = 64 << 20 };

static void test_lines(void)
{
    static const struct { const char *name, *text, *want; } rows[] = {
        { "nothing", "", "" },
        { "one", "A=1", "A=1;" },
        { "several, with an end", "A=1\nB=2\n", "A=1;B=2;" },
        { "Windows' ends of lines", "A=1\r\nB=2\r\n", "A=1;B=2;" },
        { "one carriage return only", "A=1\r\r\n", "A=1\r;" },
        { "a comment", "#A=1\nB=2", "B=2;" },
        { "a mark further on begins no comment", " #A=1\nB=2#3", " #A=1;B=2#3;" },
        { "empty lines", "\n\nA=1\n\n", "A=1;" },
        { "quotes stay", "A=\"x y\"", "A=\"x y\";" },
        { "blanks stay", " A = 1 ", " A = 1 ;" },
        { "more signs of equality", "A=b=c==", "A=b=c==;" },
        { "no sign", "A\nB=2", "B=2;" },
        { "no name", "=1\nB=2", "B=2;" },
        { "no value", "A=\nB=2", "B=2;" },
        { "no value but a line's end", "A=\r\nB=2", "B=2;" },
        { "the last one wins", "A=1\nB=2\nA=3", "A=3;B=2;" },
        { "no variables are put in", "A=$B ${C}", "A=$B ${C};" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct pair_list pairs;
        struct err err = { 0 };
        struct buf got = buf_in(&arena);
        CHECK(rows[r].name, env_file_parse(str_from(rows[r].text), &pairs, &arena, &err));
        for (size_t p = 0; p < pairs.count; p++) { buf_printf(&got, STR_FMT "=" STR_FMT ";", STR_ARG(pairs.items[p].key), STR_ARG(pairs.items[p].value)); }
        CHECK_STR(rows[r].name, buf_str(&got), str_from(rows[r].want));
    }
}

static void test_limits(void)
{
    struct pair_list pairs;
    struct err err = { 0 };
    char *text = arena_alloc(&arena, ENV_FILE_MAX + 2, 1);
    memset(text, 'a', ENV_LINE_MAX + 1);
    text[1] = '=';
    CHECK("the longest line", env_file_parse((struct str){ text, ENV_LINE_MAX }, &pairs, &arena, &err));
    CHECK("too long a line", !env_file_parse((struct str){ text, ENV_LINE_MAX + 1 }, &pairs, &arena, &err));
    CHECK_STR("names it", str_from(err.message), STR("line 1 has more than 65536 bytes"));
    memset(text, '\n', ENV_FILE_MAX + 1);
    err = (struct err){ 0 };
    CHECK("the longest file", env_file_parse((struct str){ text, ENV_FILE_MAX }, &pairs, &arena, &err));
    CHECK("too long a file", !env_file_parse((struct str){ text, ENV_FILE_MAX + 1 }, &pairs, &arena, &err));
    err = (struct err){ 0 };
    CHECK("a NUL", !env_file_parse((struct str){ "A=1\nB=x\0y", 9 }, &pairs, &arena, &err));
    CHECK_STR("names its line, not its content", str_from(err.message), STR("line 2 holds a NUL"));
    struct buf many = buf_in(&arena);
    for (int n = 0; n < ENV_NAMES_MAX; n++) { buf_printf(&many, "A%d=1\n", n); }
    err = (struct err){ 0 };
    CHECK("as many as there may be", env_file_parse(buf_str(&many), &pairs, &arena, &err) && pairs.count == ENV_NAMES_MAX);
    buf_printf(&many, "B=1\n");
    CHECK("one more", !env_file_parse(buf_str(&many), &pairs, &arena, &err));
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    ASSERT(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void test_folder(void)
{
    char dir[] = "/tmp/berth-s3-XXXXXX";
    ASSERT(mkdtemp(dir) != NULL);
    const char *path = arena_printf(&arena, "%s/b", dir).ptr;
    ASSERT(mkdir(path, 0700) == 0 && mkdir(arena_printf(&arena, "%s/b/deep", dir).ptr, 0700) == 0);
    write_file(arena_printf(&arena, "%s/b/deep/k.env", dir).ptr, "A=1\n");
    write_file(arena_printf(&arena, "%s/outside", dir).ptr, "A=2\n");
    const atomic_bool stop = false;
    const struct s3_place place = { .endpoint = arena_printf(&arena, "file://%s", dir).ptr, .region = "us-east-1" }, none = { .region = "us-east-1" };
    const struct { const char *name; const struct s3_place *place; const char *bucket, *key; size_t max; const char *text, *words; } rows[] = {
        { "an object", &place, "b", "deep/k.env", 4, "A=1\n", NULL },
        { "larger than allowed", &place, "b", "deep/k.env", 3, NULL, "it has more than 3 bytes" },
        { "none of that name", &place, "b", "k.env", 9, NULL, "No such file" },
        { "a way out", &place, "b", "../outside", 9, NULL, "this is no name of an object" },
        { "a way out of the bucket", &place, "..", "outside", 9, NULL, "this is no name of an object" },
        { "no key", &place, "b", "", 9, NULL, "this is no name of an object" },
        { "no store", &none, "b", "k.env", 9, NULL, "--s3-endpoint" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str text = { NULL, 0 };
        struct err err = { 0 };
        bool transient = true;
        bool good = s3_get(rows[r].place, str_from(rows[r].bucket), str_from(rows[r].key), rows[r].max, &stop, &text, &transient, &arena, &err);
        CHECK_EQ(rows[r].name, good, rows[r].text != NULL);
        CHECK(rows[r].name, !transient);
        if (good) { CHECK_STR(rows[r].name, text, str_from(rows[r].text)); } else { CHECK(rows[r].name, strstr(err.message, rows[r].words) != NULL); }
    }
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r %s", dir);
    CHECK_EQ("cleared away", system(command), 0);
}

static void test_endpoints(void)
{
    static const struct { const char *endpoint; bool good; } rows[] = {
        { "http://127.0.0.1:9000", true }, { "https://s3.example", true }, { "file:///srv/env", true }, { "file://srv", false }, { "file:///", false },
        { "s3.example", false }, { "ftp://s3.example", false }, { "http://a?b", false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        CHECK_EQ(rows[r].endpoint, s3_check_endpoint(rows[r].endpoint, &err), rows[r].good);
    }
}

int main(void)
{
    test_lines();
    test_limits();
    test_folder();
    test_endpoints();
    arena_finish(&arena);
    return check_report();
}
