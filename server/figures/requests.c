#include "server/figures/requests.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/lock.h"
#include "server/figures/shelf.h"

enum { MARK_MS = 10 * 1000, RATE_MS = 2000, FORGOTTEN_MS = 10 * 60 * 1000 };
enum { FEEDS = 64, NAME_MAX_LEN = REQUESTS_FEED_MAX + REQUEST_SOURCE_MAX + REQUEST_GROUP_MAX + 3 };

struct feed { struct shelf_head head; };
struct counter { struct shelf_head head; int64_t count; };           /* its name: the feed, the source and the group */
struct group { struct shelf_head head; int64_t sum; struct { int64_t sum, at_ms; } marks[2]; };      /* marks: newest first; at_ms 0: there is none */
struct requests { struct lock lock; struct shelf feeds, counters, groups; int64_t swept_ms; };       /* all guarded by lock */

struct requests *requests_create(void)
{
    struct requests *requests = array_zeroed(1, sizeof *requests);
    lock_init(&requests->lock);
    shelf_init(&requests->feeds, sizeof(struct feed), FEEDS);
    shelf_init(&requests->counters, sizeof(struct counter), REQUESTS_COUNTERS_MAX);
    shelf_init(&requests->groups, sizeof(struct group), REQUESTS_COUNTERS_MAX);
    return requests;
}

void requests_destroy(struct requests *requests)
{
    if (requests == NULL) { return; }
    shelf_finish(&requests->feeds);
    shelf_finish(&requests->counters);
    shelf_finish(&requests->groups);
    lock_finish(&requests->lock);
    free(requests);
}

static void sweep(struct requests *requests, int64_t now_ms)
{
    if (now_ms - requests->swept_ms < FORGOTTEN_MS) { return; }
    shelf_remove_old(&requests->feeds, now_ms - FORGOTTEN_MS);
    shelf_remove_old(&requests->counters, now_ms - FORGOTTEN_MS);
    shelf_remove_old(&requests->groups, now_ms - FORGOTTEN_MS);
    requests->swept_ms = now_ms;
}

/* Has the feed reported a moment ago? Then a counter of it that is new has begun since. */
static bool was_here(struct requests *requests, struct str name, int64_t now_ms)
{
    struct feed *feed = shelf_find(&requests->feeds, name);
    bool here = feed != NULL && now_ms - feed->head.told_ms <= REQUESTS_SILENT_MS;
    if (feed == NULL) { feed = shelf_add(&requests->feeds, name); }
    if (feed != NULL) { feed->head.told_ms = now_ms; }
    return here;
}

static struct str counter_name(struct str feed, const struct request_count *told, char name[NAME_MAX_LEN])
{
    const struct str parts[] = { feed, told->source, told->group };
    char *end = name;
    for (size_t p = 0; p < COUNT_OF(parts); p++) {
        str_copy(end, parts[p]);
        end += parts[p].len;
        *end++ = '\0';
    }
    return (struct str){ name, (size_t)(end - name) };
}

/* The requests since the last report. */
static int64_t count_on(struct requests *requests, struct str feed, const struct request_count *told, int64_t now_ms)
{
    char name[NAME_MAX_LEN];
    struct str whole = counter_name(feed, told, name);
    struct counter *counter = shelf_find(&requests->counters, whole);
    if (counter == NULL) { counter = shelf_add(&requests->counters, whole); }
    if (counter == NULL) { return 0; }
    int64_t before = told->count.value < counter->count ? 0 : counter->count;
    counter->count = told->count.value;
    counter->head.told_ms = now_ms;
    return counter->count - before;
}

static void set_mark(struct group *group, int64_t now_ms)
{
    if (group->marks[0].at_ms != 0 && now_ms - group->marks[0].at_ms < MARK_MS) { return; }
    group->marks[1] = group->marks[0];
    group->marks[0].sum = group->sum;
    group->marks[0].at_ms = now_ms;
}

void requests_put(struct requests *requests, struct str feed, const struct request_count_list *counts, int64_t now_ms)
{
    lock_take(&requests->lock);
    sweep(requests, now_ms);
    bool counted = was_here(requests, feed, now_ms);
    for (size_t c = 0; c < counts->count; c++) {
        const struct request_count *told = &counts->items[c];
        int64_t more = count_on(requests, feed, told, now_ms);
        struct group *group = shelf_find(&requests->groups, told->group);
        if (group == NULL) { group = shelf_add(&requests->groups, told->group); }
        if (group == NULL) { continue; }
        if (counted) { group->sum += more; }
        group->head.told_ms = now_ms;
        set_mark(group, now_ms);
    }
    lock_drop(&requests->lock);
}

struct group_requests requests_of(struct requests *requests, struct str name, int64_t now_ms)
{
    struct group_requests found = { .sum = { 0, false } };
    lock_take(&requests->lock);
    const struct group *group = shelf_find(&requests->groups, name);
    if (group != NULL && now_ms - group->head.told_ms <= REQUESTS_SILENT_MS) {
        size_t m = group->marks[1].at_ms != 0;
        int64_t took_ms = group->head.told_ms - group->marks[m].at_ms;
        found.sum = opt_int_of(group->sum);
        if (took_ms >= RATE_MS) { found.per_second = (struct opt_double){ 1000.0 * (double)(group->sum - group->marks[m].sum) / (double)took_ms, true }; }
    }
    lock_drop(&requests->lock);
    return found;
}
