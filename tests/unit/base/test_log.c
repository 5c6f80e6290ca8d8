/* test_log.c: reads back what a log line wrote to standard error, through a pipe. */
#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/assert.h"
#include "tests/unit/check.h"

static int pipe_read, stderr_kept;
static char got[32 * 1024];

static void catch_stderr(void)
{
    int ends[2];
    ASSERT(pipe(ends) == 0);
    fflush(stderr);
    stderr_kept = dup(STDERR_FILENO);
    ASSERT(stderr_kept >= 0);
    ASSERT(dup2(ends[1], STDERR_FILENO) >= 0);
    close(ends[1]);
    pipe_read = ends[0];
}

/* The text that was written since catch_stderr(), which one read returns when it was one write. */
static struct str give_back_stderr(void)
{
    ASSERT(dup2(stderr_kept, STDERR_FILENO) >= 0);
    close(stderr_kept);
    ssize_t len = read(pipe_read, got, sizeof got);
    close(pipe_read);
    ASSERT(len >= 0);
    return (struct str){ got, (size_t)len };
}

static struct str logged(enum log_level level, const char *text)
{
    catch_stderr();
    log_line(level, "base", "%s", text);
    return give_back_stderr();
}

enum { STAMP_LEN = sizeof "2015-08-30T12:36:00.000Z " - 1 };

static void test_format(void)
{
    static const struct { const char *name, *text, *want; } rows[] = {
        { "plain",              "started port=9280",    "info  base: started port=9280\n" },
        { "line feed and tab",  "a\nb\tc",              "info  base: a\\nb\\tc\n" },
        { "escape sequences",   "\x1b[31m\r\x7f",       "info  base: \\x1b[31m\\x0d\\x7f\n" },
        { "UTF-8 as it is",     "Gr\xC3\xB6\xC3\x9F" "e", "info  base: Gr\xC3\xB6\xC3\x9F" "e\n" },
        { "C1 control",         "\xC2\x9B" "31m",       "info  base: \\xc2\x9b" "31m\n" },
        { "after C1",           "\xC2\xA0",             "info  base: \xC2\xA0\n" },
        { "nothing",            "",                     "info  base: \n" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str line = logged(LOG_INFO, rows[r].text);
        CHECK_STR(rows[r].name, str_slice(line, STAMP_LEN, line.len), str_from(rows[r].want));
        CHECK_EQ(rows[r].name, line.len > 23 ? line.ptr[4] == '-' && line.ptr[10] == 'T' && line.ptr[23] == 'Z' : 0, 1);
    }
}

static void test_long(void)
{
    static char text[5000];
    memset(text, 'x', sizeof text - 1);
    struct str line = logged(LOG_WARN, text);
    CHECK_EQ("cut", line.len, STAMP_LEN + strlen("warn  base: ") + 2047 + strlen(" ...\n"));
    CHECK("says that it was cut", str_ends_with(line, STR("xxx ...\n")));
    memset(text, '\x01', sizeof text - 1);
    line = logged(LOG_WARN, text);
    CHECK("escapes fit", str_ends_with(line, STR("\\x01 ...\n")));
}

static void test_levels(void)
{
    static const struct { const char *name; bool good; enum log_level want; } rows[] = {
        { "debug", true, LOG_DEBUG }, { "info", true, LOG_INFO }, { "warn", true, LOG_WARN }, { "error", true, LOG_ERROR },
        { "crit", true, LOG_ERROR }, { "loud", false, LOG_DEBUG }, { "", false, LOG_DEBUG }, { NULL, false, LOG_DEBUG },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        enum log_level level = LOG_DEBUG;
        CHECK_EQ(rows[r].name == NULL ? "absent" : rows[r].name, log_level_from(rows[r].name, &level), rows[r].good);
        CHECK_EQ(rows[r].name == NULL ? "absent" : rows[r].name, level, rows[r].want);
    }
    CHECK_EQ("debug is silent at first", logged(LOG_DEBUG, "x").len, 0);
    log_set_level(LOG_DEBUG);
    CHECK("debug speaks when asked", logged(LOG_DEBUG, "x").len > 0);
    log_set_level(LOG_ERROR);
    CHECK_EQ("a warning is below an error", logged(LOG_WARN, "x").len, 0);
    CHECK("an error speaks", logged(LOG_ERROR, "x").len > 0);
    log_set_level(LOG_INFO);
}

/* With standard error closed the write fails, which the caller's errno must not show. */
static void test_errno(void)
{
    int kept = dup(STDERR_FILENO);
    ASSERT(kept >= 0);
    close(STDERR_FILENO);
    errno = 77;
    log_line(LOG_ERROR, "base", "nobody reads this");
    int after = errno;
    ASSERT(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    CHECK_EQ("errno is kept", after, 77);
}

static void test_kept(void)
{
    char text[LOG_KEPT_MAX], line[100];
    size_t len = 1;
    (void)logged(LOG_INFO, "before");
    CHECK_EQ("nothing is kept at first", log_kept(text, &len), 0);
    CHECK_EQ("no byte", len, 0);
    log_keep();
    size_t one = logged(LOG_INFO, "the first line").len;
    (void)logged(LOG_DEBUG, "not shown, so not kept");
    CHECK_EQ("a shown line is kept", log_kept(text, &len), one);
    CHECK("as it was", str_ends_with((struct str){ text, len }, STR("info  base: the first line\n")));

    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    size_t each = 0, all = one;
    while (all < LOG_KEPT_MAX) { all += each = logged(LOG_INFO, line).len; }
    CHECK_EQ("more than fits", log_kept(text, &len), all);
    size_t fit = LOG_KEPT_MAX / each * each;
    CHECK_EQ("the oldest line is gone, the others are whole", len, fit);
    CHECK("a line begins", len > 4 && text[4] == '-');
    CHECK("and the last one ends", text[len - 1] == '\n');
}

int main(void)
{
    test_format();
    test_long();
    test_levels();
    test_errno();
    test_kept();
    return check_report();
}
