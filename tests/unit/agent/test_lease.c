/* The lease's arithmetic, and what a restart of the agent finds. */
#include "agent/link/lease.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/check.h"

enum { PATH_LEN = 256 };

static void open_in(struct lease *lease, const char *dir)
{
    struct err err = { 0 };
    CHECK("it opens", lease_open(lease, dir, &err));
}

static void overwrite(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK("the file is written", file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void test_counting(const char *dir)
{
    struct lease lease;
    open_in(&lease, dir);
    CHECK_EQ("no lease", lease_left_ms(&lease, INT64_MAX), INT64_MAX);
    lease_renew(&lease, 1000, 10000);
    CHECK_EQ("from when the poll was sent", lease_left_ms(&lease, 1000), 10000);
    CHECK_EQ("to the last millisecond", lease_left_ms(&lease, 10999), 1);
    CHECK_EQ("over", lease_left_ms(&lease, 11000), 0);
    CHECK_EQ("and no more than over", lease_left_ms(&lease, 99000), 0);
    lease_renew(&lease, 500, 10000);
    CHECK_EQ("an answer to an older poll takes nothing back", lease_left_ms(&lease, 1000), 10000);
    lease_close(&lease);

    open_in(&lease, dir);
    CHECK_EQ("a restart goes on with it", lease_left_ms(&lease, 5000), 6000);
    lease_renew(&lease, 6000, 2000);
    CHECK_EQ("another length", lease_left_ms(&lease, 6000), 2000);
    lease_renew(&lease, 7000, 0);
    lease_close(&lease);
    open_in(&lease, dir);
    CHECK_EQ("none any more", lease_left_ms(&lease, INT64_MAX), INT64_MAX);
    lease_close(&lease);
}

static void test_files(const char *dir)
{
    static const struct { const char *row, *text; int64_t left_ms; } rows[] = {
        { "empty",                         "", INT64_MAX },
        { "no lease file",                 "not a lease", INT64_MAX },
        { "half a line",                   "boot 10000", INT64_MAX },
        { "less than nothing",             "boot -1 5", INT64_MAX },
        { "longer than any lease",         "boot 9223372036854775807 5", INT64_MAX },
        { "sent later than any time",      "boot 1000 9223372036854775807", INT64_MAX },
        { "sent before the start",         "boot 1000 -1", INT64_MAX },
        { "of an earlier start of the machine", "another 10000 5000", 0 },
    };
    char path[PATH_LEN];
    snprintf(path, sizeof path, "%s/lease", dir);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct lease lease;
        overwrite(path, rows[r].text);
        open_in(&lease, dir);
        CHECK_EQ(rows[r].row, lease_left_ms(&lease, 20000), rows[r].left_ms);
        lease_close(&lease);
    }
    struct lease lease;
    struct err err = { 0 };
    CHECK("no such folder", !lease_open(&lease, "/nowhere/at/all", &err));
    lease_close(&lease);
    lease_close(&(struct lease){ 0 });
    remove(path);
}

int main(void)
{
    char dir[] = "/tmp/berth-lease-XXXXXX";
    CHECK("a folder", mkdtemp(dir) != NULL);
    test_counting(dir);
    test_files(dir);
    rmdir(dir);
    return check_report();
}
