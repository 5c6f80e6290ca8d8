/* test_clock.c: the clocks run forward and a sleep is not shorter than asked. How much longer depends on the machine. */
#include "base/clock.h"

#include "tests/unit/check.h"

int main(void)
{
    int64_t wall_ms = clock_now_ms(), start_ms = clock_monotonic_ms();
    CHECK("after 2020", wall_ms > 1577836800000);
    CHECK("before 2100", wall_ms < 4102444800000);
    clock_sleep_ms(0);
    clock_sleep_ms(-5);
    clock_sleep_ms(20);
    CHECK("slept at least as long as asked, less one for rounding", clock_monotonic_ms() - start_ms >= 19);
    CHECK("never back", clock_monotonic_ms() >= start_ms);
    return check_report();
}
