/* check.h: the words of a unit test. A check that fails prints its row, the value it got and the wanted one, and is counted;
 * the program goes on. Every test program ends with `return check_report();`, which prints "N passed, N failed". */
#ifndef BERTH_TESTS_CHECK_H
#define BERTH_TESTS_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

static unsigned long check_passed_count, check_failed_count;

static inline void check_count(bool good, const char *file, int line, const char *row)
{
    if (good) { check_passed_count++; return; }
    check_failed_count++;
    fprintf(stderr, "%s:%d: %s: ", file, line, row);
}
static inline void check_eq(const char *file, int line, const char *row, int64_t got, int64_t want)
{
    check_count(got == want, file, line, row);
    if (got != want) { fprintf(stderr, "got %" PRId64 ", wanted %" PRId64 "\n", got, want); }
}
static inline void check_str(const char *file, int line, const char *row, struct str got, struct str want)
{
    bool good = str_eq(got, want);
    check_count(good, file, line, row);
    if (!good) { fprintf(stderr, "got \"" STR_FMT "\", wanted \"" STR_FMT "\"\n", STR_ARG(got), STR_ARG(want)); }
}
static inline void check_true(const char *file, int line, const char *row, bool got, const char *text)
{
    check_count(got, file, line, row);
    if (!got) { fprintf(stderr, "not true: %s\n", text); }
}
static inline int check_report(void)
{
    printf("%lu passed, %lu failed\n", check_passed_count, check_failed_count);
    return check_failed_count == 0 && check_passed_count > 0 ? 0 : 1;
}

#define CHECK_EQ(row, got, want)  check_eq(__FILE__, __LINE__, (row), (int64_t)(got), (int64_t)(want))
#define CHECK_STR(row, got, want) check_str(__FILE__, __LINE__, (row), (got), (want))
#define CHECK(row, condition)     check_true(__FILE__, __LINE__, (row), (condition), #condition)

#endif
