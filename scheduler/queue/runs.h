/* runs.h: how long tasks run: the past runs of each family in a few numbers, and of live tasks what the queue asks about those that hold room. Knows hashes
 * of families, ids and the times that callers hand in. It is part of the world: built with it, changed by the thread that owns it. */
#ifndef BERTH_SCHEDULER_QUEUE_RUNS_H
#define BERTH_SCHEDULER_QUEUE_RUNS_H

#include "base/arena.h"
#include "base/id.h"

/* RUNS_FAMILIES: more than these are not known, the first goes. RUNS_LEAST: past runs without which nobody guesses an end, and RUNS_SHOWN, a start.
 * RUNS_STOP_MS: how long a stop takes, the usual stop timeout. */
enum { RUNS_FAMILIES = 4096, RUNS_LEAST = 5, RUNS_SHOWN = 20, RUNS_HALF = 50, RUNS_MOST = 90, RUNS_STOP_MS = 30000 };

struct runs;
struct runs *runs_create(struct arena *arena);                /* lives in `arena` */

/* A task of the family has ended by itself. */
void    runs_ended(struct runs *runs, uint64_t family, int64_t ran_ms);
/* How long `percent` of its past runs were at most, up to a fifth more; 0: there are fewer than `least`. */
int64_t runs_length(const struct runs *runs, uint64_t family, unsigned percent, size_t least);
/* A length as one of the steps of runs_length, up to a fifth more. */
int64_t runs_step(int64_t ms);

/* A live task on an instance. */
struct run {
    struct id task, instance;
    int64_t cluster;                                          /* its number */
    uint64_t family;
    int64_t started_ms;                                       /* 0: not yet */
    int64_t most_ms;                                          /* how long it says that it runs at most; 0: it does not say */
    int64_t priority;
    bool preemptible;
    bool leaves;                                              /* its stop is ordered */
    bool guessed;                                             /* past runs of its family say something about it: it is of no service */
};
void runs_put(struct runs *runs, const struct run *run);      /* new or changed */
void runs_drop(struct runs *runs, struct id task);            /* unknown: nothing */
const struct run *runs_find(const struct runs *runs, struct id task);                    /* NULL: unknown. Until the next change */
/* Is there a preemptible one with this priority or a lower one? True may be wrong: the lowest may have ended. */
bool runs_may_stop(const struct runs *runs, int64_t priority);
/* The next preemptible one, in no order; `last` NULL: the first. NULL: there are no more. */
const struct run *runs_preemptible(const struct runs *runs, const struct run *last);

/* When it is expected to end, by what it says, else by `percent` of at least `least` past runs. INT64_MAX: nobody knows, or it is late. */
int64_t runs_end_ms(const struct runs *runs, const struct run *run, int64_t now_ms, unsigned percent, size_t least);

#endif
