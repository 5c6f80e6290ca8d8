/* clock.h: the only access to real time. Decisions never call it: they get the time as an argument. */
#ifndef BERTH_BASE_CLOCK_H
#define BERTH_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

int64_t clock_now_ms(void);          /* wall clock, milliseconds since 1970 UTC */
int64_t clock_monotonic_ms(void);    /* for waiting and measuring */
int64_t clock_monotonic_us(void);    /* … for short times */
int64_t clock_boot_ms(void);         /* the same, but also runs while the machine sleeps */
void    clock_sleep_ms(int64_t ms);
bool    clock_is_set(int64_t now_ms);   /* from 2020 to 9999; any other time means that the clock is not set, and is never stored */

#endif
