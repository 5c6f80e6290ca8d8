/* reserve.c: see reserve.h. Each site says when its first, second, ... task could start; the earliest of all are taken. */
#include "scheduler/queue/reserve.h"

#include "base/num.h"

struct start { int64_t at_ms; size_t site; };
struct starts { struct start items[QUEUE_STARTS]; size_t count, most; };    /* the earliest `most` ones, in order */

bool reserve_is_large(const struct amount *amount, size_t tasks, int64_t gpus)
{
    int64_t all = (int64_t)tasks * amount->devices * amount->share;
    return all >= (int64_t)RESERVE_LARGE * DEVICE_WHOLE && all <= gpus * RESERVE_SHARE;
}

/* The first site comes first where times are equal. */
static void add_start(struct starts *starts, struct start start)
{
    size_t at = starts->count;
    while (at > 0 && starts->items[at - 1].at_ms > start.at_ms) { at--; }
    if (at == starts->most) { return; }
    starts->count += starts->count < starts->most;
    for (size_t s = starts->count - 1; s > at; s--) { starts->items[s] = starts->items[s - 1]; }
    starts->items[at] = start;
}

static size_t times_in(struct room room, const struct amount *amount, size_t most)
{
    size_t times = 0;
    for (; times < most && fit_has(&room, amount); times++) { (void)fit_take(&room, amount); }
    return times;
}

static void add_site(struct starts *starts, const struct site *site, size_t number, const struct amount *amount, int64_t now_ms)
{
    struct room room = site->room;
    size_t known = 0, occupant = 0;
    for (int64_t at_ms = now_ms;;) {
        for (size_t times = times_in(room, amount, starts->most); known < times; known++) { add_start(starts, (struct start){ at_ms, number }); }
        if (known == starts->most || occupant == site->count || site->occupants[occupant].ends_ms == INT64_MAX) { return; }
        const struct occupant *next = &site->occupants[occupant++];
        ASSERT(occupant == 1 || next[-1].ends_ms <= next->ends_ms);
        fit_give(&room, &next->amount, next->slots);
        at_ms = max_i64(at_ms, next->ends_ms);
    }
}

_Static_assert((int)QUEUE_GANG_MAX <= (int)QUEUE_STARTS, "the starts of a gang");

size_t reserve_starts(const struct site *sites, size_t count, const struct amount *amount, size_t most, int64_t now_ms, int64_t *starts_ms)
{
    ASSERT(most >= 1 && most <= QUEUE_STARTS);
    struct starts starts = { .most = most };
    for (size_t s = 0; s < count; s++) { add_site(&starts, &sites[s], s, amount, now_ms); }
    for (size_t s = 0; s < starts.count; s++) { starts_ms[s] = starts.items[s].at_ms; }
    return starts.count;
}

/* The free part of a site at the start, beside the tasks that begin there. */
static struct room spare_of(const struct site *site, const struct amount *amount, size_t tasks, int64_t starts_ms)
{
    struct room room = site->room;
    for (size_t o = 0; o < site->count && site->occupants[o].ends_ms <= starts_ms; o++) {
        fit_give(&room, &site->occupants[o].amount, site->occupants[o].slots);
    }
    for (size_t t = 0; t < tasks; t++) { (void)fit_take(&room, amount); }
    return room;
}

bool reserve_choose(const struct site *sites, size_t count, const struct amount *amount, size_t tasks, int64_t now_ms, struct reservation *reservation)
{
    ASSERT(tasks >= 1 && tasks <= QUEUE_GANG_MAX);
    struct starts starts = { .most = tasks };
    *reservation = (struct reservation){ .count = 0 };
    for (size_t s = 0; s < count; s++) { add_site(&starts, &sites[s], s, amount, now_ms); }
    if (starts.count < tasks) { return false; }
    reservation->starts_ms = starts.items[tasks - 1].at_ms;
    for (size_t t = 0; t < tasks; t++) {
        size_t site = starts.items[t].site, here = 0;
        bool known = false;
        for (size_t r = 0; r < reservation->count; r++) { known |= reservation->sites[r].site == site; }
        if (known) { continue; }
        for (size_t other = t; other < tasks; other++) { here += starts.items[other].site == site; }
        reservation->sites[reservation->count++] = (struct reserved){ site, spare_of(&sites[site], amount, here, reservation->starts_ms) };
    }
    return true;
}

static struct reserved *reserved_at(struct reservation *reservation, size_t site)
{
    for (size_t r = 0; r < reservation->count; r++) {
        if (reservation->sites[r].site == site) { return &reservation->sites[r]; }
    }
    return NULL;
}

bool reserve_lets(const struct reservation *reservation, size_t site, const struct amount *amount, int64_t ends_ms)
{
    for (size_t r = 0; r < reservation->count; r++) {
        if (reservation->sites[r].site == site) { return ends_ms <= reservation->starts_ms || fit_has(&reservation->sites[r].spare, amount); }
    }
    return true;
}

void reserve_started(struct reservation *reservation, size_t site, const struct amount *amount, int64_t ends_ms)
{
    struct reserved *reserved = reserved_at(reservation, site);
    if (reserved != NULL && ends_ms > reservation->starts_ms) { (void)fit_take(&reserved->spare, amount); }
}
