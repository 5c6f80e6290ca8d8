/* feeds.c: see feeds.h. Feeds are few, so each question looks at all of them. */
#include "scheduler/reconcile/feeds.h"

struct feed { char name[FEED_NAME_MAX]; size_t name_len; int64_t revision, reported_ms; uint64_t busy[FEED_BUSY_MAX]; size_t busy_count; };
struct feeds { int64_t born_ms; size_t count; struct feed items[FEEDS_MAX]; };

struct feeds *feeds_create(struct arena *arena) { return ARENA_NEW(arena, struct feeds, 1); }

/* Silent ones go. A clock that was set back lets a feed stay. */
static void look_at(struct feeds *feeds, int64_t now_ms)
{
    if (feeds->born_ms == 0) { feeds->born_ms = now_ms; }
    for (size_t f = feeds->count; f-- > 0;) {
        if (now_ms - feeds->items[f].reported_ms >= FEED_SILENT_MS) { feeds->items[f] = feeds->items[--feeds->count]; }
    }
}

static struct str name_of(const struct feed *feed) { return (struct str){ feed->name, feed->name_len }; }

static struct feed *find(struct feeds *feeds, struct str name)
{
    for (size_t f = 0; f < feeds->count; f++) {
        if (str_eq(name_of(&feeds->items[f]), name)) { return &feeds->items[f]; }
    }
    return NULL;
}

bool feeds_report(struct feeds *feeds, const struct feed_report *report, int64_t now_ms)
{
    look_at(feeds, now_ms);
    struct feed *feed = find(feeds, report->name);
    if (feed == NULL) {
        if (feeds->count == FEEDS_MAX || report->name.len == 0 || report->name.len > FEED_NAME_MAX) { return false; }
        feed = &feeds->items[feeds->count++];
        *feed = (struct feed){ .name_len = report->name.len };
        memcpy(feed->name, report->name.ptr, report->name.len);
    }
    feed->revision = report->revision;
    feed->reported_ms = now_ms;
    feed->busy_count = report->busy_count < FEED_BUSY_MAX ? report->busy_count : FEED_BUSY_MAX;
    for (size_t b = 0; b < feed->busy_count; b++) { feed->busy[b] = report->busy[b]; }
    ASSERT(feeds->count <= FEEDS_MAX);
    return true;
}

static bool is_busy(const struct feed *feed, uint64_t target)
{
    for (size_t b = 0; b < feed->busy_count; b++) {
        if (feed->busy[b] == target) { return true; }
    }
    return false;
}

static void look_again(int64_t *look_ms, int64_t at_ms)
{
    if (at_ms > *look_ms) { *look_ms = at_ms; }
}

bool feeds_have(struct feeds *feeds, int64_t revision, int64_t now_ms, int64_t *look_ms)
{
    *look_ms = 0;
    look_at(feeds, now_ms);
    for (size_t f = 0; f < feeds->count; f++) {
        if (feeds->items[f].revision < revision) { look_again(look_ms, feeds->items[f].reported_ms + FEED_SILENT_MS); }
    }
    return *look_ms == 0;
}

bool feeds_are_done(struct feeds *feeds, int64_t revision, uint64_t target, int64_t now_ms, int64_t *look_ms)
{
    bool have = feeds_have(feeds, revision, now_ms, look_ms);
    for (size_t f = 0; have && f < feeds->count; f++) {
        if (is_busy(&feeds->items[f], target)) { look_again(look_ms, feeds->items[f].reported_ms + FEED_SILENT_MS); }
    }
    if (now_ms - feeds->born_ms < FEED_SILENT_MS) { look_again(look_ms, feeds->born_ms + FEED_SILENT_MS); }
    return *look_ms == 0;
}

struct str feeds_behind(struct feeds *feeds, int64_t revision, int64_t now_ms)
{
    look_at(feeds, now_ms);
    for (size_t f = 0; f < feeds->count; f++) {
        if (feeds->items[f].revision < revision) { return name_of(&feeds->items[f]); }
    }
    return (struct str){ NULL, 0 };
}

size_t feeds_count(struct feeds *feeds, int64_t now_ms)
{
    look_at(feeds, now_ms);
    return feeds->count;
}

struct feed_known feeds_at(const struct feeds *feeds, size_t n)
{
    ASSERT(n < feeds->count);
    const struct feed *feed = &feeds->items[n];
    return (struct feed_known){ name_of(feed), feed->revision, feed->reported_ms, feed->busy_count };
}
