#include "base/time/zone.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/time/calendar.h"

enum { NAME_MAX_LEN = 64, FILE_MAX = 64 * 1024, OFFSET_MAX = 26 * 3600, HEADER = 44, RULE_YEAR_MIN = 1970, RULE_YEAR_MAX = 2200, PERIODS_MAX = 4096 };
static const char folder[] = "/usr/share/zoneinfo/";

/* ---- the file: a header, transitions, types of local time, and a rule for the years after them ---- */

static int64_t read_number(const char *at, size_t size)
{
    uint64_t number = (signed char)at[0] < 0 ? UINT64_MAX : 0;
    for (size_t b = 0; b < size; b++) { number = number << 8 | (unsigned char)at[b]; }
    return (int64_t)number;
}

struct block { size_t time_size, times, types, chars, leaps, standards, universals, len; };

/* False: it does not fit into the bytes. */
static bool read_block(struct str bytes, size_t time_size, struct block *block)
{
    if (bytes.len < HEADER || memcmp(bytes.ptr, "TZif", 4) != 0) { return false; }
    size_t counts[6];                                            /* universals, standards, leaps, times, types, chars */
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        counts[c] = (size_t)read_number(bytes.ptr + 20 + 4 * c, 4);
        if (counts[c] > FILE_MAX) { return false; }
    }
    *block = (struct block){ time_size, counts[3], counts[4], counts[5], counts[2], counts[1], counts[0], 0 };
    block->len = HEADER + counts[3] * (time_size + 1) + counts[4] * 6 + counts[5] + counts[2] * (time_size + 4) + counts[1] + counts[0];
    return block->types > 0 && block->times <= PERIODS_MAX && block->len <= bytes.len;
}

static void add_period(struct zone *zone, int64_t from_s, int64_t offset_s)
{
    zone->periods[zone->count++] = (struct zone_period){ from_s, (int32_t)offset_s };
}

static bool read_periods(struct str bytes, const struct block *block, struct zone *zone)
{
    const char *times = bytes.ptr + HEADER, *kinds = times + block->times * block->time_size, *types = kinds + block->times;
    for (size_t t = 0; t < block->types; t++) {
        int64_t offset_s = read_number(types + 6 * t, 4);
        if (offset_s < -OFFSET_MAX || offset_s > OFFSET_MAX) { return false; }
    }
    add_period(zone, INT64_MIN, read_number(types, 4));
    for (size_t t = 0; t < block->times; t++) {
        int64_t from_s = read_number(times + t * block->time_size, block->time_size);
        size_t kind = (unsigned char)kinds[t];
        if (kind >= block->types || (t > 0 && from_s <= zone->periods[zone->count - 1].from_s)) { return false; }
        add_period(zone, from_s, read_number(types + 6 * kind, 4));
    }
    return true;
}

/* ---- the rule: "CET-1CEST,M3.5.0,M10.5.0/3" ---- */

struct cursor { struct str left; };
struct change { char form; int64_t month, week, day, time_s; };   /* M: month, week and weekday; J: day without leap days; 'D': day from 0 */

static bool take(struct cursor *at, char wanted)
{
    if (at->left.len == 0 || at->left.ptr[0] != wanted) { return false; }
    at->left = str_slice(at->left, 1, at->left.len);
    return true;
}

static bool take_number(struct cursor *at, int64_t max, int64_t *number)
{
    size_t digits = 0;
    while (digits < at->left.len && at->left.ptr[digits] >= '0' && at->left.ptr[digits] <= '9') { digits++; }
    if (!str_to_i64(str_slice(at->left, 0, digits), number) || *number > max) { return false; }
    at->left = str_slice(at->left, digits, at->left.len);
    return true;
}

/* A name of letters, or of any characters between < and >. */
static bool take_name(struct cursor *at)
{
    size_t len = 0;
    if (take(at, '<')) {
        len = str_find(at->left, '>');
        at->left = str_slice(at->left, len, at->left.len);
        return take(at, '>');
    }
    while (len < at->left.len && str_find(STR("+-,0123456789"), at->left.ptr[len]) == 13) { len++; }
    at->left = str_slice(at->left, len, at->left.len);
    return len > 0;
}

/* [+-]hh[:mm[:ss]] */
static bool take_time(struct cursor *at, int64_t *seconds)
{
    int64_t hours, minutes = 0, rest = 0;
    bool negative = take(at, '-');
    if (!negative) { (void)take(at, '+'); }
    if (!take_number(at, 167, &hours)) { return false; }
    if (take(at, ':') && !take_number(at, 59, &minutes)) { return false; }
    if (take(at, ':') && !take_number(at, 59, &rest)) { return false; }
    *seconds = (hours * 3600 + minutes * 60 + rest) * (negative ? -1 : 1);
    return true;
}

static bool take_change(struct cursor *at, struct change *change)
{
    *change = (struct change){ .form = 'D', .time_s = 2 * 3600 };
    if (!take(at, ',')) { return false; }
    if (take(at, 'M')) {
        change->form = 'M';
        bool good = take_number(at, 12, &change->month) && take(at, '.') && take_number(at, 5, &change->week) && take(at, '.')
            && take_number(at, 6, &change->day) && change->month > 0 && change->week > 0;
        if (!good) { return false; }
    } else {
        if (take(at, 'J')) { change->form = 'J'; }
        if (!take_number(at, 365, &change->day) || (change->form == 'J' && change->day == 0)) { return false; }
    }
    return !take(at, '/') || take_time(at, &change->time_s);
}

/* The local time of the change in that year, in seconds since 1970. */
static int64_t change_in(const struct change *change, int year)
{
    int64_t day = calendar_day((struct date){ year, 1, 1 });
    if (change->form == 'D') {
        day += change->day;
    } else if (change->form == 'J') {
        day += change->day - 1 + (change->day > 59 && calendar_days_in(year, 2) == 29 ? 1 : 0);
    } else {
        day = calendar_day((struct date){ year, (int)change->month, 1 });
        int64_t end = day + calendar_days_in(year, (int)change->month);
        day += (change->day - calendar_weekday(day) + 7) % 7 + 7 * (change->week - 1);
        if (day >= end) { day -= 7; }
    }
    return day * DAY_S + change->time_s;
}

static void add_later(struct zone *zone, int64_t from_s, int64_t offset_s)
{
    if (from_s > zone->periods[zone->count - 1].from_s) { add_period(zone, from_s, offset_s); }
}

/* Periods of the rule's years after the last one of the file, up to RULE_YEAR_MAX. */
static bool add_rule(struct str rule, struct zone *zone)
{
    struct cursor at = { rule };
    struct change begin, end;
    int64_t west_s, summer_west_s;
    if (rule.len == 0) { return true; }
    if (!take_name(&at) || !take_time(&at, &west_s) || west_s < -OFFSET_MAX || west_s > OFFSET_MAX) { return false; }
    if (at.left.len == 0) { return true; }                       /* no summer time; the file's last period is this one */
    if (!take_name(&at)) { return false; }
    summer_west_s = west_s - 3600;
    if (at.left.len > 0 && at.left.ptr[0] != ',' && !take_time(&at, &summer_west_s)) { return false; }
    if (summer_west_s < -OFFSET_MAX || summer_west_s > OFFSET_MAX || !take_change(&at, &begin) || !take_change(&at, &end) || at.left.len > 0) {
        return false;
    }
    for (int year = RULE_YEAR_MIN; year <= RULE_YEAR_MAX; year++) {
        int64_t begin_s = change_in(&begin, year) + west_s, end_s = change_in(&end, year) + summer_west_s;
        if (end_s < begin_s) { add_later(zone, end_s, -west_s); }
        add_later(zone, begin_s, -summer_west_s);
        if (end_s > begin_s) { add_later(zone, end_s, -west_s); }
    }
    return true;
}

bool zone_read(struct str bytes, struct zone *zone, struct arena *arena)
{
    struct block block;
    size_t time_size = 4;
    struct str rule = STR("");
    if (!read_block(bytes, time_size, &block)) { return false; }
    if (bytes.ptr[4] >= '2') {                                   /* the same again, with longer times, and the rule */
        time_size = 8;
        bytes = str_slice(bytes, block.len, bytes.len);
        if (!read_block(bytes, time_size, &block)) { return false; }
        rule = str_slice(bytes, block.len, bytes.len);
        if (rule.len < 2 || rule.ptr[0] != '\n' || rule.ptr[rule.len - 1] != '\n') { return false; }
        rule = str_slice(rule, 1, rule.len - 1);
    }
    zone->periods = ARENA_NEW(arena, struct zone_period, block.times + 1 + 2 * (RULE_YEAR_MAX - RULE_YEAR_MIN + 1));
    zone->count = 0;
    return read_periods(bytes, &block, zone) && add_rule(rule, zone);
}

/* ---- by name ---- */

/* A path below the folder that does not leave it. */
static bool is_name(struct str name)
{
    if (name.len > NAME_MAX_LEN || name.ptr[0] == '/' || str_contains(name, STR(".")) || str_contains(name, STR("//"))) { return false; }
    for (size_t c = 0; c < name.len; c++) {
        char byte = name.ptr[c];
        bool good = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || str_find(STR("_+-/"), byte) < 4;
        if (!good) { return false; }
    }
    return true;
}

static struct str read_file(struct str name, struct arena *arena)
{
    char path[sizeof folder + NAME_MAX_LEN];
    snprintf(path, sizeof path, "%s" STR_FMT, folder, STR_ARG(name));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) { return (struct str){ NULL, 0 }; }
    char *bytes = arena_bytes(arena, FILE_MAX);
    size_t len = 0;
    for (ssize_t got = 1; got > 0 && len < FILE_MAX; len += got > 0 ? (size_t)got : 0) {
        do { got = read(fd, bytes + len, FILE_MAX - len); } while (got < 0 && errno == EINTR);
    }
    (void)close(fd);
    return (struct str){ bytes, len };
}

bool zone_load(struct str name, struct zone *zone, struct arena *arena, struct err *err)
{
    if (name.len == 0 || str_eq(name, STR("UTC"))) {
        *zone = (struct zone){ ARENA_NEW(arena, struct zone_period, 1), 1 };
        zone->periods[0] = (struct zone_period){ INT64_MIN, 0 };
        return true;
    }
    struct str bytes = is_name(name) ? read_file(name, arena) : (struct str){ NULL, 0 };
    return (str_is_set(bytes) && zone_read(bytes, zone, arena))
        || err_set(err, ERR_VALIDATION, "The time zone " STR_FMT " is not among the zoneinfo files of Berth's machine.",
                   STR_ARG(str_shorten(name, NAME_MAX_LEN)));
}

/* ---- times ---- */

/* The period that holds the time. */
static size_t find_period(const struct zone *zone, int64_t utc_s)
{
    size_t low = 0, high = zone->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (zone->periods[middle].from_s <= utc_s) { low = middle; } else { high = middle; }
    }
    return low;
}

int64_t zone_to_local(const struct zone *zone, int64_t utc_s)
{
    return utc_s + zone->periods[find_period(zone, utc_s)].offset_s;
}

bool zone_from_local(const struct zone *zone, int64_t local_s, int64_t *utc_s)
{
    for (size_t p = find_period(zone, local_s - OFFSET_MAX); p < zone->count; p++) {
        int64_t from_s = zone->periods[p].from_s, end_s = p + 1 < zone->count ? zone->periods[p + 1].from_s : INT64_MAX;
        *utc_s = local_s - zone->periods[p].offset_s;
        if (*utc_s >= from_s && *utc_s < end_s) { return true; }
        if (from_s > local_s + OFFSET_MAX) { return false; }
    }
    return false;
}
