/* calendar.h: days of the Gregorian calendar, as numbers since 1970-01-01. Pure. */
#ifndef BERTH_BASE_TIME_CALENDAR_H
#define BERTH_BASE_TIME_CALENDAR_H

#include <stdint.h>

enum { DAY_S = 86400 };
struct date { int year, month, day; };                          /* month and day from 1 */

int64_t     calendar_day(struct date date);                     /* years 1 to 9999 */
struct date calendar_date(int64_t day);
int         calendar_days_in(int year, int month);              /* 28 to 31 */
int         calendar_weekday(int64_t day);                      /* 0: Sunday */

#endif
