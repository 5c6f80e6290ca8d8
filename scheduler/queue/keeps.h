/* keeps.h: instances on which room is kept for a task or gang that waits, and whether another task may start there before. Knows ids, ranks in the queue and
 * times that callers hand in; refuses to know why and for how long room is kept. It is part of the world: built with it, changed by the thread that owns it. */
#ifndef BERTH_SCHEDULER_QUEUE_KEEPS_H
#define BERTH_SCHEDULER_QUEUE_KEEPS_H

#include "scheduler/queue/fit.h"

enum keep_kind {
    KEEP_LARGE,                                               /* for the first large one (reserve.h): tasks of services may start there nevertheless */
    KEEP_STOPPED,                                             /* tasks have stopped for it (preempt.h) */
    KEEP_ORDERED                                              /* the instance was ordered for it */
};
enum { KEEP_STOPS_MS = 10 * 60 * 1000 };                      /* how long room is kept where tasks stop, or on an instance that was ordered */
struct keep {
    struct id first, instance;                                /* the first of the tasks that wait; one keep for both */
    int64_t cluster;                                          /* its number */
    enum keep_kind kind;
    int64_t rank;                                             /* of the entry, when it was looked at: queue_rank */
    int64_t starts_ms;                                        /* when it can start there: who ends before may start */
    struct room spare;                                        /* the free part then, beside it: who fits into it may start */
    int64_t barred_ms;                                        /* since when it has held back others; 0: it has not */
};

struct keeps;
struct keeps *keeps_create(struct arena *arena);              /* lives in `arena` */
size_t keeps_count(const struct keeps *keeps);
void   keeps_put(struct keeps *keeps, const struct keep *keep);          /* the same entry and instance again: barred_ms stays */
void   keeps_drop(struct keeps *keeps, struct id first, struct id instance);             /* unknown: nothing */
/* The next keep, of all or of one entry, in no order; `last` NULL: the first. NULL: there are no more. Until the next change. */
const struct keep *keeps_walk(const struct keeps *keeps, const struct keep *last);
const struct keep *keeps_for(const struct keeps *keeps, struct id first, const struct keep *last);
const struct keep *keeps_find(const struct keeps *keeps, struct id first, struct id instance);           /* NULL: there is none */

/* Is the cluster to be looked at? Not if it was in the last `every_ms`, unless keeps_look_again was called since: then `now_ms` counts as the last look. */
bool keeps_look(struct keeps *keeps, int64_t cluster, int64_t now_ms, int64_t every_ms);
void keeps_look_again(struct keeps *keeps, int64_t cluster);
/* Did a keep hold back others for the first time, since the last call? */
bool keeps_news(const struct keeps *keeps);
void keeps_took_news(struct keeps *keeps);

/* May `times` tasks of this amount start on the instance, where they have room now? NULL: they may; else what holds them back. `notes`: keeps that it
 * did. */
const struct keep *keeps_bar(struct keeps *keeps, struct id instance, const struct amount *amount, size_t times, const struct asker *asker, bool notes);
/* A task has started there, and takes of the spare parts. */
void keeps_started(struct keeps *keeps, struct id instance, const struct amount *amount, const struct asker *asker);

#endif
