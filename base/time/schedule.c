#include "base/time/schedule.h"

#include "base/num.h"
#include "base/time/calendar.h"

enum { EXPRESSION_MAX = 256 };

static const struct str month_names[] = {
    STR_INIT("JAN"), STR_INIT("FEB"), STR_INIT("MAR"), STR_INIT("APR"), STR_INIT("MAY"), STR_INIT("JUN"), STR_INIT("JUL"), STR_INIT("AUG"), STR_INIT("SEP"),
    STR_INIT("OCT"), STR_INIT("NOV"), STR_INIT("DEC"),
};
static const struct str weekday_names[] = {
    STR_INIT("SUN"), STR_INIT("MON"), STR_INIT("TUE"), STR_INIT("WED"), STR_INIT("THU"), STR_INIT("FRI"), STR_INIT("SAT"),
};

/* ---- rate ---- */

static bool read_rate(struct str text, struct schedule_times *times, struct err *err)
{
    static const struct { struct str one, many; int64_t seconds; } units[] = {
        { STR_INIT("minute"), STR_INIT("minutes"), 60 }, { STR_INIT("hour"), STR_INIT("hours"), 3600 }, { STR_INIT("day"), STR_INIT("days"), DAY_S },
    };
    static const int64_t most_s = INT64_C(36525) * DAY_S;         /* a hundred years */
    struct str number, unit;
    int64_t count;
    (void)str_cut(text, ' ', &number, &unit);
    unit = str_trim(unit);
    times->kind = SCHEDULE_RATE;
    if (str_to_i64(number, &count) && count > 0) {
        for (size_t u = 0; u < COUNT_OF(units); u++) {
            if (!str_eq(unit, count == 1 ? units[u].one : units[u].many)) { continue; }
            if (mul_i64(count, units[u].seconds, &times->seconds) && times->seconds <= most_s) { return true; }
            return err_set(err, ERR_VALIDATION, "A rate is at most a hundred years.");
        }
    }
    return err_set(err, ERR_VALIDATION, "A rate is rate(N unit): N is a whole number from 1 on, unit is minute, hour or day when N is 1, and minutes, "
                   "hours or days otherwise.");
}

/* ---- at ---- */

static bool read_digits(struct str text, size_t from, size_t to, int min, int max, int *number)
{
    int64_t value;
    if (!str_to_i64(str_slice(text, from, to), &value) || value < min || value > max) { return false; }
    *number = (int)value;
    return true;
}

static bool read_at(struct str text, struct schedule_times *times, struct err *err)
{
    static const struct str form = STR_INIT("....-..-..T..:..:..");
    struct date date;
    int hour = 0, minute = 0, second = 0;
    bool good = text.len == form.len;
    for (size_t c = 0; good && c < form.len; c++) { good = form.ptr[c] == '.' ? text.ptr[c] >= '0' && text.ptr[c] <= '9' : text.ptr[c] == form.ptr[c]; }
    good = good && read_digits(text, 0, 4, SCHEDULE_YEAR_MIN, SCHEDULE_YEAR_MAX, &date.year) && read_digits(text, 5, 7, 1, 12, &date.month)
        && read_digits(text, 8, 10, 1, calendar_days_in(date.year, date.month), &date.day) && read_digits(text, 11, 13, 0, 23, &hour)
        && read_digits(text, 14, 16, 0, 59, &minute) && read_digits(text, 17, 19, 0, 59, &second);
    if (!good) { return err_set(err, ERR_VALIDATION, "A time is at(yyyy-mm-ddThh:mm:ss), from 1970 to 2199."); }
    times->kind = SCHEDULE_AT;
    times->seconds = calendar_day(date) * DAY_S + hour * 3600 + minute * 60 + second;
    return true;
}

/* ---- cron ---- */

struct field { const char *word; int min, max; const struct str *names; };      /* names[0] is min */
enum { FIELD_MINUTES, FIELD_HOURS, FIELD_DAY, FIELD_MONTH, FIELD_WEEKDAY, FIELD_YEAR, FIELDS };
static const struct field fields[FIELDS] = {
    { "minutes", 0, 59, NULL }, { "hours", 0, 23, NULL }, { "day of the month", 1, 31, NULL }, { "month", 1, 12, month_names },
    { "day of the week", 1, 7, weekday_names }, { "year", SCHEDULE_YEAR_MIN, SCHEDULE_YEAR_MAX, NULL },
};
typedef uint64_t bits[4];                                       /* of a field: bit 0 is its min */

static bool read_value(const struct field *field, struct str text, int *value)
{
    for (int n = field->min; field->names != NULL && n <= field->max; n++) {
        if (str_eq_nocase(text, field->names[n - field->min])) {
            *value = n;
            return true;
        }
    }
    return read_digits(text, 0, text.len, field->min, field->max, value);
}

/* "*", "a", "a-b", each with "/step" */
static bool read_part(const struct field *field, struct str text, bits set)
{
    struct str range, step_text, from_text, to_text;
    int from = field->min, to = field->max, step = 1;
    bool has_step = str_cut(text, '/', &range, &step_text);
    bool has_end = str_cut(range, '-', &from_text, &to_text);
    if (has_step && !read_digits(step_text, 0, step_text.len, 1, field->max, &step)) { return false; }
    if (!str_eq(range, STR("*"))) {
        if (!read_value(field, from_text, &from)) { return false; }
        if (has_end) {
            if (!read_value(field, to_text, &to) || to < from) { return false; }
        } else if (!has_step) {
            to = from;
        }
    }
    for (int n = from; n <= to; n += step) { set[(n - field->min) / 64] |= UINT64_C(1) << (n - field->min) % 64; }
    return true;
}

static bool read_list(const struct field *field, struct str text, bits set)
{
    struct str part;
    memset(set, 0, sizeof(bits));
    for (bool more = true; more;) {
        more = str_cut(text, ',', &part, &text);
        if (!read_part(field, part, set)) { return false; }
    }
    return true;
}

/* "L", "LW", "15W" */
static bool read_day(struct str text, struct schedule_times *times)
{
    const struct field *field = &fields[FIELD_DAY];
    bits set = { 0 };
    int day;
    if (str_eq(text, STR("L")) || str_eq(text, STR("LW"))) {
        times->days = text.len == 1 ? DAYS_LAST : DAYS_LAST_WORKDAY;
        return true;
    }
    if (str_ends_with(text, STR("W"))) {
        times->days = DAYS_WORKDAY;
        if (!read_digits(text, 0, text.len - 1, field->min, field->max, &day)) { return false; }
        times->month_days = UINT32_C(1) << day;
        return true;
    }
    times->days = DAYS_OF_MONTH;
    if (!read_list(field, text, set)) { return false; }
    times->month_days = (uint32_t)(set[0] << 1);
    return true;
}

/* "L", "5L", "FRI#2" */
static bool read_weekday(struct str text, struct schedule_times *times)
{
    const struct field *field = &fields[FIELD_WEEKDAY];
    bits set = { 0 };
    struct str name, number;
    int day, nth = 0;
    bool is_last = str_ends_with(text, STR("L")) && text.len > 1;
    times->days = DAYS_OF_WEEK;
    if (str_eq(text, STR("L"))) { text = STR("SAT"); }
    if (str_cut(text, '#', &name, &number)) {
        times->days = DAYS_NTH_WEEKDAY;
        if (!read_value(field, name, &day) || !read_digits(number, 0, number.len, 1, 5, &nth)) { return false; }
        times->nth = (uint8_t)nth;
        times->weekdays = (uint8_t)(1 << (day - 1));
        return true;
    }
    if (is_last) {
        times->days = DAYS_LAST_WEEKDAY;
        if (!read_value(field, str_slice(text, 0, text.len - 1), &day)) { return false; }
        times->weekdays = (uint8_t)(1 << (day - 1));
        return true;
    }
    if (!read_list(field, text, set)) { return false; }
    times->weekdays = (uint8_t)set[0];
    return true;
}

static size_t split(struct str text, struct str words[FIELDS + 1])
{
    size_t count = 0;
    for (text = str_trim(text); text.len > 0 && count <= FIELDS; text = str_trim(text)) { (void)str_cut(text, ' ', &words[count++], &text); }
    return count;
}

static bool read_cron(struct str text, struct schedule_times *times, struct err *err)
{
    struct str words[FIELDS + 1];
    if (split(text, words) != FIELDS) {
        return err_set(err, ERR_VALIDATION, "A cron expression has six fields: minutes, hours, day of the month, month, day of the week and year.");
    }
    bool any_day = str_eq(words[FIELD_DAY], STR("?")), any_weekday = str_eq(words[FIELD_WEEKDAY], STR("?"));
    if (any_day == any_weekday) {
        return err_set(err, ERR_VALIDATION, "Exactly one of the day of the month and the day of the week must be ?.");
    }
    times->kind = SCHEDULE_CRON;
    bits sets[FIELDS];
    for (size_t f = 0; f < FIELDS; f++) {
        bool good = f == FIELD_DAY ? any_day || read_day(words[f], times)
            : f == FIELD_WEEKDAY ? any_weekday || read_weekday(words[f], times) : read_list(&fields[f], words[f], sets[f]);
        if (!good) {
            return err_set(err, ERR_VALIDATION, "The field \"%s\" of the cron expression is not valid: " STR_FMT ".", fields[f].word,
                           STR_ARG(str_shorten(words[f], 64)));
        }
    }
    times->minutes = sets[FIELD_MINUTES][0];
    times->hours = (uint32_t)sets[FIELD_HOURS][0];
    times->months = (uint16_t)(sets[FIELD_MONTH][0] << 1);
    memcpy(times->years, sets[FIELD_YEAR], sizeof times->years);
    return true;
}

bool schedule_parse(struct str text, struct schedule_times *times, struct err *err)
{
    static const struct { struct str head; bool (*read)(struct str, struct schedule_times *, struct err *); } kinds[] = {
        { STR_INIT("rate("), read_rate }, { STR_INIT("cron("), read_cron }, { STR_INIT("at("), read_at },
    };
    *times = (struct schedule_times){ 0 };
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        if (text.len > EXPRESSION_MAX || !str_starts_with(text, kinds[k].head) || !str_ends_with(text, STR(")"))) { continue; }
        return kinds[k].read(str_trim(str_slice(text, kinds[k].head.len, text.len - 1)), times, err);
    }
    return err_set(err, ERR_VALIDATION, "A schedule expression is rate(...), cron(...) or at(...), of at most %d characters.", EXPRESSION_MAX);
}

/* ---- the next time ---- */

/* The workday nearest to a day, in the same month. */
static int nearest_workday(int64_t first, int day, int last)
{
    int weekday = calendar_weekday(first + day - 1);
    if (weekday == 6) { return day > 1 ? day - 1 : day + 2; }
    if (weekday == 0) { return day < last ? day + 1 : day - 2; }
    return day;
}

/* `first` is the number of the month's first day. */
static bool is_day(const struct schedule_times *times, int64_t first, int day, int last)
{
    bool is_weekday = times->weekdays >> calendar_weekday(first + day - 1) & 1;
    switch (times->days) {
    case DAYS_OF_MONTH:     return times->month_days >> day & 1;
    case DAYS_LAST:         return day == last;
    case DAYS_LAST_WORKDAY: return day == nearest_workday(first, last, last);
    case DAYS_OF_WEEK:      return is_weekday;
    case DAYS_NTH_WEEKDAY:  return is_weekday && (day - 1) / 7 + 1 == times->nth;
    case DAYS_LAST_WEEKDAY: return is_weekday && day + 7 > last;
    case DAYS_WORKDAY:      break;
    }
    int wanted = __builtin_ctz(times->month_days);
    return wanted <= last && day == nearest_workday(first, wanted, last);
}

static bool is_month(const struct schedule_times *times, struct date date)
{
    int year = date.year - SCHEDULE_YEAR_MIN;
    return (times->years[year / 64] >> year % 64 & 1) && (times->months >> date.month & 1);
}

/* The first time of a day that is after `after_s`, in UTC. */
static bool next_in_day(const struct schedule_times *times, const struct zone *zone, int64_t day, int64_t after_s, int64_t *next_s)
{
    for (int minute = 0; minute < DAY_S / 60; minute++) {
        bool is_time = (times->hours >> minute / 60 & 1) && (times->minutes >> minute % 60 & 1);
        if (is_time && zone_from_local(zone, day * DAY_S + minute * 60, next_s) && *next_s > after_s) { return true; }
    }
    return false;
}

static bool next_cron(const struct schedule_times *times, const struct zone *zone, int64_t after_s, int64_t *next_s)
{
    int64_t local_s = zone_to_local(zone, max_i64(after_s, -DAY_S));
    struct date date = calendar_date(max_i64(local_s, 0) / DAY_S);
    for (; date.year <= SCHEDULE_YEAR_MAX; date.day = 1, date.year += date.month == 12, date.month = date.month % 12 + 1) {
        if (!is_month(times, date)) { continue; }
        int64_t first = calendar_day((struct date){ date.year, date.month, 1 });
        for (int last = calendar_days_in(date.year, date.month); date.day <= last; date.day++) {
            if (is_day(times, first, date.day, last) && next_in_day(times, zone, first + date.day - 1, after_s, next_s)) { return true; }
        }
    }
    return false;
}

bool schedule_next(const struct schedule_times *times, const struct zone *zone, int64_t start_ms, int64_t after_ms, int64_t *next_ms)
{
    int64_t after_s = after_ms / 1000 - (after_ms % 1000 < 0), next_s = 0, period_ms = times->seconds * 1000;
    switch (times->kind) {
    case SCHEDULE_RATE:
        *next_ms = after_ms < start_ms ? start_ms : start_ms + ((after_ms - start_ms) / period_ms + 1) * period_ms;
        return true;
    case SCHEDULE_CRON:
        if (!next_cron(times, zone, after_s, &next_s)) { return false; }
        break;
    case SCHEDULE_AT:
        if (!zone_from_local(zone, times->seconds, &next_s) || next_s <= after_s) { return false; }
        break;
    }
    *next_ms = next_s * 1000;
    return true;
}
