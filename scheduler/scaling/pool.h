/* pool.h: which machines a pool orders and which it ends, so that it has as many as it is to have; and how long it waits after a failure. Pure. */
#ifndef BERTH_SCHEDULER_SCALING_POOL_H
#define BERTH_SCHEDULER_SCALING_POOL_H

#include "base/rng.h"
#include "model/capacity.h"

enum { POOL_ORDERS_MAX = 100 };              /* in one step */

struct pool_machine {
    enum machine_state state;
    bool protected;                          /* from scale-in, once it is ACTIVE */
    int64_t tasks;                           /* that are not a daemon's */
    int64_t ordered_ms;
};
struct pool_state {
    int64_t desired;
    bool blocked;                            /* nothing can be ordered now */
    const struct pool_machine *machines; size_t count;
};
struct pool_plan {
    int64_t order;                           /* new machines */
    size_t *end, end_count;                  /* indexes of machines that are to leave; in the arena */
};
/* Machines that have not registered are ended first, then empty ones, then those with the fewest tasks; of equal ones the youngest first. */
struct pool_plan pool_plan(const struct pool_state *state, struct arena *arena);

/* A failure of a call, or of one machine in it. */
enum pool_failure {
    POOL_FAILURE_TRANSIENT,                  /* or its outcome is not known */
    POOL_FAILURE_CAPACITY,                   /* this type is not available */
    POOL_FAILURE_QUOTA,                      /* no more machines are available */
    POOL_FAILURE_CONFIG,                     /* it can't succeed until a setting changes */
};
/* How long the next attempt waits, after `times` failures in a row (from 1), milliseconds: 5 s to 5 min, after POOL_FAILURE_CAPACITY and _QUOTA 60 s to
 * 15 min, twice as long each time. `chance` adds up to a fifth. */
int64_t pool_backoff_ms(enum pool_failure failure, int64_t times, struct rng *chance);

/* The type to order: the first that is not blocked, an empty text when the provisioner chooses. False: all are blocked, *until_ms: when the first is not. */
bool pool_next_type(const struct kept_pool *pool, int64_t now_ms, struct str *type, int64_t *until_ms);

#endif
