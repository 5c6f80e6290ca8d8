/* feeds.h: which proxies follow the targets of load balancers, and what each of them has applied. A target counts as healthy when all of them send
 * to it, and its task gets the stop when none of them does. Knows names, revisions and the times that callers hand in; refuses to know targets, the
 * clock and the proxies' protocols. It is part of the world: a new world knows no feed until the feeds report again. */
#ifndef BERTH_SCHEDULER_RECONCILE_FEEDS_H
#define BERTH_SCHEDULER_RECONCILE_FEEDS_H

#include "base/arena.h"
#include "base/id.h"

struct feeds;
struct feeds *feeds_create(struct arena *arena);              /* lives in `arena` */

enum {
    FEEDS_MAX = 16, FEED_NAME_MAX = 64, FEED_BUSY_MAX = 256,
    FEED_SILENT_MS = 10 * 1000,                               /* nobody waits for a feed whose last report is older */
    FEED_BEHIND_MS = 10 * 1000,                               /* a healthy target waits no longer for a feed that reports, and does not apply it */
};

/* Targets are told apart by a number: the hash of what names one. */
struct feed_report {
    struct str name;                                          /* 1 to FEED_NAME_MAX bytes */
    int64_t revision;                                         /* of the targets that it has applied */
    const uint64_t *busy; size_t busy_count;                  /* targets that it no longer sends new requests to, with requests that are not answered */
};
/* A report of a feed, new or known. A known one reports again within FEED_SILENT_MS. False: there are FEEDS_MAX others, or the name is not valid. */
bool feeds_report(struct feeds *feeds, const struct feed_report *report, int64_t now_ms) MUST_USE;

/* Whether each feed has applied the changes of the revision. False: *look_ms is when silent feeds end the wait, if no report does. */
bool feeds_have(struct feeds *feeds, int64_t revision, int64_t now_ms, int64_t *look_ms);
/* … and has no request at the target. In the first FEED_SILENT_MS of a world there may be feeds that it does not know yet: false. */
bool feeds_are_done(struct feeds *feeds, int64_t revision, uint64_t target, int64_t now_ms, int64_t *look_ms);

/* The first feed that has not applied the changes of the revision; absent: all have. The name is valid until the next report. */
struct str feeds_behind(struct feeds *feeds, int64_t revision, int64_t now_ms);

/* A feed, for people. `n` below feeds_count, in no order. The name is valid until the next report. */
struct feed_known { struct str name; int64_t revision, reported_ms; size_t busy_count; };
size_t            feeds_count(struct feeds *feeds, int64_t now_ms);       /* those that are not silent */
struct feed_known feeds_at(const struct feeds *feeds, size_t n);

#endif
