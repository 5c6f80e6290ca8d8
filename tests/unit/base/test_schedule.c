/* test_schedule.c: schedule expressions: refusals and next times, on both sides of each limit and of a change of the clock. */
#include "base/time/schedule.h"

#include "base/buf.h"
#include "base/time/calendar.h"
#include "tests/unit/check.h"

enum { CEILING = 1 << 20 };
static struct arena arena;

/* "2026-03-29T02:30:00" of UTC, in milliseconds. */
static int64_t ms_of(const char *text)
{
    int year, month, day, hour, minute, second;
    int read = sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second);
    CHECK_EQ(text, read, 6);
    return (calendar_day((struct date){ year, month, day }) * DAY_S + hour * 3600 + minute * 60 + second) * 1000;
}

static struct str text_of(int64_t ms)
{
    struct date date = calendar_date(ms / 1000 / DAY_S);
    int64_t s = ms / 1000 % DAY_S;
    return arena_printf(&arena, "%04d-%02d-%02dT%02d:%02d:%02d", date.year, date.month, date.day, (int)(s / 3600), (int)(s / 60 % 60), (int)(s % 60));
}

static void test_calendar(void)
{
    CHECK_EQ("1970-01-01", calendar_day((struct date){ 1970, 1, 1 }), 0);
    CHECK_EQ("1969-12-31", calendar_day((struct date){ 1969, 12, 31 }), -1);
    CHECK_EQ("2000-02-29", calendar_day((struct date){ 2000, 2, 29 }), 11016);
    CHECK_EQ("Thursday", calendar_weekday(0), 4);
    CHECK_EQ("Saturday before Sunday", calendar_weekday(-5), 6);
    for (int64_t day = -1000; day < 90000; day++) {
        struct date date = calendar_date(day);
        if (calendar_day(date) != day || date.day > calendar_days_in(date.year, date.month)) { CHECK_EQ("a day and back", calendar_day(date), day); }
    }
    CHECK_EQ("1900 has no leap day", calendar_days_in(1900, 2), 28);
    CHECK_EQ("2000 has one", calendar_days_in(2000, 2), 29);
    CHECK_EQ("2100 has none", calendar_days_in(2100, 2), 28);
}

static void test_refused(void)
{
    static const char *const refused[] = {
        "", "rate", "rate(5 minutes", "every(5 minutes)", "Rate(5 minutes)", "rate(0 minutes)", "rate(-1 minutes)", "rate(1 minutes)", "rate(5 minute)",
        "rate(5)", "rate(5 weeks)", "rate(5 minutes, 1 hour)", "rate(36526 days)", "rate(9223372036854775807 days)", "rate(1.5 hours)",
        "at(2026-02-29T00:00:00)", "at(2026-01-01T24:00:00)", "at(2026-01-01T00:60:00)", "at(2026-01-01T00:00:60)", "at(2026-01-01 00:00:00)",
        "at(2026-1-1T00:00:00)", "at(1969-12-31T00:00:00)", "at(2200-01-01T00:00:00)", "at(2026-13-01T00:00:00)", "at(2026-01-01T00:00:00Z)",
        "cron(0 0 * * ?)", "cron(0 0 * * ? * *)", "cron(0 0 * * * *)", "cron(0 0 ? * ? *)", "cron(60 0 * * ? *)", "cron(0 24 * * ? *)",
        "cron(0 0 0 * ? *)", "cron(0 0 32 * ? *)", "cron(0 0 * 0 ? *)", "cron(0 0 * 13 ? *)", "cron(0 0 ? * 0 *)", "cron(0 0 ? * 8 *)",
        "cron(0 0 * * ? 1969)", "cron(0 0 * * ? 2200)", "cron(0 0 ? * MON#0 *)", "cron(0 0 ? * MON#6 *)", "cron(0 0 ? * #1 *)", "cron(0 0 ? * MON#1,TUE#1 *)",
        "cron(0 0 W * ? *)", "cron(0 0 0W * ? *)", "cron(0 0 32W * ? *)", "cron(0 0 1L * ? *)", "cron(0 0 L,15 * ? *)", "cron(0 0 ? * MON,TUEL *)",
        "cron(0/0 0 * * ? *)", "cron(0/60 0 * * ? *)", "cron(5-1 0 * * ? *)", "cron(1- 0 * * ? *)", "cron(,1 0 * * ? *)", "cron(1, 0 * * ? *)",
        "cron(0 0 * MAY-FEB ? *)", "cron(0 0 * MON ? *)", "cron(? 0 * * ? *)", "cron(0 0 * ? ? *)", "cron(L 0 * * ? *)", "cron(+1 0 * * ? *)",
    };
    for (size_t r = 0; r < COUNT_OF(refused); r++) {
        struct schedule_times times;
        struct err err = { 0 };
        CHECK(refused[r], !schedule_parse(str_from(refused[r]), &times, &err));
        CHECK_EQ(refused[r], err.code, ERR_VALIDATION);
    }
    char text[260];
    memset(text, ' ', sizeof text);
    memcpy(text, "rate(5 minutes", 14);
    for (size_t len = 256; len <= 257; len++) {
        struct schedule_times times;
        struct err err = { 0 };
        memset(text + 14, ' ', sizeof text - 14);
        text[len - 1] = ')';
        CHECK_EQ("256 characters at most", schedule_parse((struct str){ text, len }, &times, &err), len == 256);
    }
}

/* `next` NULL: never. */
static const struct { const char *expression, *zone, *after, *next; } rows[] = {
    { "rate(5 minutes)", "", "2025-12-31T23:59:59", "2026-01-01T00:00:00" },
    { "rate(5 minutes)", "", "2026-01-01T00:00:00", "2026-01-01T00:05:00" },
    { "rate(5 minutes)", "", "2026-01-01T00:04:59", "2026-01-01T00:05:00" },
    { "rate(1 hour)", "", "2026-01-01T00:30:00", "2026-01-01T01:00:00" },
    { "rate(2 days)", "Europe/Berlin", "2026-03-28T12:00:00", "2026-03-30T00:00:00" },
    { "rate(36525 days)", "", "2026-01-01T00:00:00", "2126-01-02T00:00:00" },
    { "at(2026-06-01T12:00:00)", "UTC", "2026-06-01T11:59:59", "2026-06-01T12:00:00" },
    { "at(2026-06-01T12:00:00)", "UTC", "2026-06-01T12:00:00", NULL },
    { "at(2026-06-01T12:00:00)", "Europe/Berlin", "2026-01-01T00:00:00", "2026-06-01T10:00:00" },
    { "at(2026-03-29T01:59:59)", "Europe/Berlin", "2026-01-01T00:00:00", "2026-03-29T00:59:59" },
    { "at(2026-03-29T02:00:00)", "Europe/Berlin", "2026-01-01T00:00:00", NULL },
    { "at(2026-03-29T02:59:59)", "Europe/Berlin", "2026-01-01T00:00:00", NULL },
    { "at(2026-03-29T03:00:00)", "Europe/Berlin", "2026-01-01T00:00:00", "2026-03-29T01:00:00" },
    { "at(2026-10-25T02:30:00)", "Europe/Berlin", "2026-01-01T00:00:00", "2026-10-25T00:30:00" },
    { "at(2026-10-25T02:30:00)", "Europe/Berlin", "2026-10-25T00:30:00", NULL },
    { "at(2026-10-25T03:00:00)", "Europe/Berlin", "2026-01-01T00:00:00", "2026-10-25T02:00:00" },
    { "cron(* * * * ? *)", "", "2026-01-01T00:00:00", "2026-01-01T00:01:00" },
    { "cron(* * * * ? *)", "", "2026-01-01T00:00:59", "2026-01-01T00:01:00" },
    { "cron(0/15 * * * ? *)", "", "2026-01-01T00:45:00", "2026-01-01T01:00:00" },
    { "cron(5/20 * * * ? *)", "", "2026-01-01T00:45:00", "2026-01-01T01:05:00" },
    { "cron(10-30/10 8 * * ? *)", "", "2026-01-01T08:30:00", "2026-01-02T08:10:00" },
    { "cron(0 9 ? * MON-FRI *)", "", "2026-01-02T09:00:00", "2026-01-05T09:00:00" },
    { "cron(0 9 ? * 2-6 *)", "", "2026-01-02T09:00:00", "2026-01-05T09:00:00" },
    { "cron(0 9 ? * sun,wed *)", "", "2026-01-01T00:00:00", "2026-01-04T09:00:00" },
    { "cron(0 9 ? * L *)", "", "2026-01-01T00:00:00", "2026-01-03T09:00:00" },
    { "cron(0 9 ? * 6L *)", "", "2026-01-01T00:00:00", "2026-01-30T09:00:00" },
    { "cron(0 9 ? * FRIL *)", "", "2026-01-30T09:00:00", "2026-02-27T09:00:00" },
    { "cron(0 9 ? * 2#1 *)", "", "2026-01-01T00:00:00", "2026-01-05T09:00:00" },
    { "cron(0 9 ? * THU#1 *)", "", "2026-01-01T00:00:00", "2026-01-01T09:00:00" },
    { "cron(0 9 ? * MON#5 *)", "", "2026-01-01T00:00:00", "2026-03-30T09:00:00" },
    { "cron(0 0 L * ? *)", "", "2026-01-31T00:00:00", "2026-02-28T00:00:00" },
    { "cron(0 0 L 2 ? *)", "", "2026-03-01T00:00:00", "2027-02-28T00:00:00" },
    { "cron(0 0 29 2 ? *)", "", "2026-01-01T00:00:00", "2028-02-29T00:00:00" },
    { "cron(0 0 29 FEB ? 2026-2027)", "", "2026-01-01T00:00:00", NULL },
    { "cron(0 0 31 * ? *)", "", "2026-01-31T00:00:00", "2026-03-31T00:00:00" },
    { "cron(0 0 31 2 ? *)", "", "2026-01-01T00:00:00", NULL },
    { "cron(0 0 LW * ? *)", "", "2026-01-01T00:00:00", "2026-01-30T00:00:00" },
    { "cron(0 0 15W * ? *)", "", "2026-02-01T00:00:00", "2026-02-16T00:00:00" },
    { "cron(0 0 14W * ? *)", "", "2026-02-01T00:00:00", "2026-02-13T00:00:00" },
    { "cron(0 0 1W 8 ? *)", "", "2026-02-01T00:00:00", "2026-08-03T00:00:00" },
    { "cron(0 0 31W 5 ? *)", "", "2026-02-01T00:00:00", "2026-05-29T00:00:00" },
    { "cron(0 0 1,15 JAN,JUL ? *)", "", "2026-01-15T00:00:00", "2026-07-01T00:00:00" },
    { "cron(0 0 1 1 ? 2026/2)", "", "2026-01-01T00:00:00", "2028-01-01T00:00:00" },
    { "cron(59 23 31 12 ? 2199)", "", "2026-01-01T00:00:00", "2199-12-31T23:59:00" },
    { "cron(59 23 31 12 ? 2199)", "", "2199-12-31T23:59:00", NULL },
    { "cron(0 0 1 1 ? 1970)", "", "2026-01-01T00:00:00", NULL },
    { " cron(0 0 * * ? *)", "", "2026-01-01T00:00:00", "refused" },
    { "cron( 0  0 * * ? * )", "", "2026-01-01T00:00:00", "2026-01-02T00:00:00" },
    /* 02:30 in Berlin: skipped in spring, once in autumn. */
    { "cron(30 2 * * ? *)", "Europe/Berlin", "2026-03-27T12:00:00", "2026-03-28T01:30:00" },
    { "cron(30 2 * * ? *)", "Europe/Berlin", "2026-03-28T01:30:00", "2026-03-30T00:30:00" },
    { "cron(30 2 * * ? *)", "Europe/Berlin", "2026-10-24T00:30:00", "2026-10-25T00:30:00" },
    { "cron(30 2 * * ? *)", "Europe/Berlin", "2026-10-25T00:30:00", "2026-10-26T01:30:00" },
    { "cron(0/30 * * * ? *)", "Europe/Berlin", "2026-03-29T00:30:00", "2026-03-29T01:00:00" },
    { "cron(0/30 * * * ? *)", "Europe/Berlin", "2026-10-25T00:30:00", "2026-10-25T02:00:00" },
    { "cron(0 12 * * ? *)", "America/New_York", "2026-03-07T17:00:00", "2026-03-08T16:00:00" },
    { "cron(0 0 * * ? *)", "Asia/Tokyo", "2026-01-01T00:00:00", "2026-01-01T15:00:00" },
    { "cron(0 12 1 7 ? *)", "Europe/Berlin", "2090-01-01T00:00:00", "2090-07-01T10:00:00" },
    { "cron(0 12 1 1 ? *)", "Australia/Sydney", "2090-07-01T00:00:00", "2091-01-01T01:00:00" },
    { "cron(0 0 1 * ? *)", "Pacific/Kiritimati", "2026-01-01T00:00:00", "2026-01-31T10:00:00" },
};

static void test_next(void)
{
    int64_t start_ms = ms_of("2026-01-01T00:00:00");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct schedule_times times;
        struct zone zone;
        struct err err = { 0 };
        int64_t next_ms = 0;
        const char *row = arena_cstr(&arena, arena_printf(&arena, "%s %s after %s", rows[r].expression, rows[r].zone, rows[r].after));
        bool loaded = zone_load(str_from(rows[r].zone), &zone, &arena, &err);
        CHECK(row, loaded);
        if (!loaded) { continue; }
        struct str got = STR("never");
        if (!schedule_parse(str_from(rows[r].expression), &times, &err)) {
            got = STR("refused");
        } else if (schedule_next(&times, &zone, start_ms, ms_of(rows[r].after), &next_ms)) {
            got = text_of(next_ms);
        }
        CHECK_STR(row, got, rows[r].next == NULL ? STR("never") : str_from(rows[r].next));
    }
}

/* ---- zones ---- */

static void put_number(struct buf *out, int64_t number, int size)
{
    for (int b = size - 1; b >= 0; b--) { buf_put_char(out, (char)(unsigned char)((uint64_t)number >> 8 * b)); }
}

/* A file of one type of local time, an hour before UTC, and a rule. */
static struct str file_of(const char *rule, int64_t types, int64_t offset_s)
{
    struct buf out = buf_in(&arena);
    for (int version = 1; version <= 2; version++) {
        buf_put(&out, STR("TZif2"));
        for (int b = 0; b < 15; b++) { buf_put_char(&out, '\0'); }
        for (int c = 0; c < 4; c++) { put_number(&out, 0, 4); }
        put_number(&out, types, 4);
        put_number(&out, 0, 4);
        put_number(&out, offset_s, 4);
        put_number(&out, 0, 2);
    }
    buf_put(&out, str_from(rule));
    return buf_str(&out);
}

static void test_files(void)
{
    static const struct { const char *rule; int64_t types, offset_s; bool good; const char *local; } files[] = {   /* of 2026-07-01T00:00:00 */
        { "\n\n", 1, -3600, true, "2026-06-30T23:00:00" }, { "\nXXX1\n", 1, -3600, true, "2026-06-30T23:00:00" },
        { "\nXXX1YYY,M3.5.0,M10.5.0\n", 1, -3600, true, "2026-07-01T00:00:00" }, { "\nXXX1YYY,M10.5.0,M3.5.0\n", 1, -3600, true, "2026-06-30T23:00:00" },
        { "\nXXX1YYY-2,M7.1.3/-167,J365/25\n", 1, -3600, true, "2026-07-01T02:00:00" },
        { "\n<-01>1<+02>-2:30,J182/0,200\n", 1, -3600, true, "2026-06-30T23:00:00" },
        { "\n<-01>1<+02>-2:30,J181/0,200\n", 1, -3600, true, "2026-07-01T02:30:00" },
        { "\n<-01>1<+02>-2:30,180/0,200\n", 1, -3600, true, "2026-07-01T02:30:00" },
        { "", 1, -3600, false, NULL }, { "\n", 1, -3600, false, NULL }, { "\nXXX\n", 1, -3600, false, NULL }, { "\n1\n", 1, -3600, false, NULL },
        { "\nXXX1YYY\n", 1, -3600, false, NULL }, { "\nXXX1YYY,M13.1.0,M1.1.0\n", 1, -3600, false, NULL }, { "\nXXX1YYY,M1.6.0,M1.1.0\n", 1, -3600, false, NULL },
        { "\nXXX1YYY,M1.1.7,M1.1.0\n", 1, -3600, false, NULL }, { "\nXXX1YYY,M0.1.0,M1.1.0\n", 1, -3600, false, NULL },
        { "\nXXX1YYY,J0,J1\n", 1, -3600, false, NULL }, { "\nXXX1YYY,366,1\n", 1, -3600, false, NULL }, { "\nXXX1YYY,1,1/168\n", 1, -3600, false, NULL },
        { "\n<XXX1\n", 1, -3600, false, NULL }, { "\n\n", 0, -3600, false, NULL }, { "\n\n", 2, -3600, false, NULL }, { "\n\n", 1 << 30, -3600, false, NULL },
        { "\n\n", -1, -3600, false, NULL }, { "\n\n", 1, 93601, false, NULL }, { "\n\n", 1, 93600, true, "2026-07-02T02:00:00" },
    };
    for (size_t f = 0; f < COUNT_OF(files); f++) {
        struct zone zone;
        bool good = zone_read(file_of(files[f].rule, files[f].types, files[f].offset_s), &zone, &arena);
        CHECK_EQ(files[f].rule, good, files[f].good);
        if (good && files[f].good) {
            CHECK_STR(files[f].rule, text_of(zone_to_local(&zone, ms_of("2026-07-01T00:00:00") / 1000) * 1000), str_from(files[f].local));
        }
    }
    struct str whole = file_of("\n\n", 1, 0);
    for (size_t len = 0; len < whole.len; len++) {
        struct zone zone;
        CHECK("a file that is cut", !zone_read(str_slice(whole, 0, len), &zone, &arena));
    }
}

static void test_names(void)
{
    static const struct { const char *name; bool there; } names[] = {
        { "", true }, { "UTC", true }, { "Europe/Berlin", true }, { "America/Argentina/Buenos_Aires", true }, { "Etc/GMT+5", true },
        { "Europe", false }, { "Europe/Nowhere", false }, { "/usr/share/zoneinfo/Europe/Berlin", false }, { "../zoneinfo/Europe/Berlin", false },
        { "Europe//Berlin", false }, { "tzdata.zi", false }, { "Europe/Berlin\n", false },
        { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
    };
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        struct zone zone;
        struct err err = { 0 };
        CHECK_EQ(names[n].name, zone_load(str_from(names[n].name), &zone, &arena, &err), names[n].there);
        CHECK_EQ(names[n].name, err.code == ERR_VALIDATION, !names[n].there);
    }
}

int main(void)
{
    arena_init(&arena, (size_t)64 * CEILING);
    test_calendar();
    test_refused();
    test_next();
    test_files();
    test_names();
    arena_finish(&arena);
    return check_report();
}
