/* test_assert.c: an assertion that holds is silent; one that does not ends the process, in every build. */
#include "base/assert.h"

#include "tests/unit/base/death.h"
#include "tests/unit/check.h"

static void holds(void) { ASSERT(1 + 1 == 2); }
static void fails(void) { ASSERT(1 + 1 == 3); }

static void count_up(int *counter) { (*counter)++; }
static int counter_total;
static void note_release(int *value) { counter_total += *value; }

static void test_auto(void)
{
    {
        AUTO(note_release) int owned = 7;
        count_up(&owned);
    }
    CHECK_EQ("released at the end of its scope", counter_total, 8);
}

int main(void)
{
    int evaluated = 0;
    ASSERT((count_up(&evaluated), true));
    CHECK_EQ("evaluated once", evaluated, 1);
    CHECK("true goes on", !aborts(holds));
    CHECK("false aborts", aborts(fails));
    CHECK_EQ("count of an array", COUNT_OF("abc"), 4);
    test_auto();
    return check_report();
}
