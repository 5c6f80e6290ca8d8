#include "base/time/calendar.h"

#include <stdbool.h>

/* Years begin in March here, so that a leap day is the last day of its year. An era is 400 years. */
enum { ERA_DAYS = 146097, DAYS_BEFORE_1970 = 719468 };

int64_t calendar_day(struct date date)
{
    int64_t year = date.month > 2 ? date.year : date.year - 1;
    int64_t era = year / 400, of_era = year % 400;
    int64_t of_year = (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1;
    return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year - DAYS_BEFORE_1970;
}

struct date calendar_date(int64_t day)
{
    day += DAYS_BEFORE_1970;
    int64_t era = (day >= 0 ? day : day - (ERA_DAYS - 1)) / ERA_DAYS, of_era = day - era * ERA_DAYS;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    struct date date = { (int)(year + era * 400), (int)(month < 10 ? month + 3 : month - 9), (int)(of_year - (153 * month + 2) / 5 + 1) };
    if (date.month <= 2) { date.year++; }
    return date;
}

int calendar_days_in(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

int calendar_weekday(int64_t day)
{
    int64_t weekday = (day + 4) % 7;                             /* 1970-01-01 was a Thursday */
    return (int)(weekday < 0 ? weekday + 7 : weekday);
}
