/* scaling.h: how many machines a capacity provider is to have, which are added, and which go. Knows counts, settings and the time that the caller brings;
 * refuses to know provisioners and the store. Pure: state in, decision out, with the figures that it follows from.
 *
 *   M   machines that are needed: those that are used (plan.used) and the new ones of the plan
 *   N   machines that there are, those on order among them
 *   wanted = M * 100 / target, rounded up, between MinSize and MaxSize
 *
 * Out at once: the missing machines, between the smallest and the largest step, and in a minute no more than the largest. In after `in_after_ms` below the
 * target without a break, and as long after the last step out: each minute half of the surplus, but at most half of all. At MaxSize, unused machines that do
 * not suit the waiting tasks are surplus. Machines above MaxSize go at once. A decision may be made at any time; without a change, one a minute is enough.
 */
#ifndef BERTH_SCHEDULER_CAPACITY_SCALING_H
#define BERTH_SCHEDULER_CAPACITY_SCALING_H

#include "base/buf.h"
#include "scheduler/capacity/needed.h"

enum { CAPACITY_MINUTE_MS = 60 * 1000, CAPACITY_IN_AFTER_MS = 15 * CAPACITY_MINUTE_MS, CAPACITY_NEVER = -1 };

struct capacity_settings {
    int64_t target;                          /* percent: 1 to 100 */
    int64_t step_min, step_max;              /* 1 or more; step_min <= step_max */
    int64_t size_min, size_max;              /* of the group; size_min <= size_max */
    bool protects;                           /* managed termination protection: a busy machine does not go */
    bool like_ecs;                           /* two machines first, from zero */
    int64_t warmup_ms;                       /* instanceWarmupPeriod */
    int64_t in_after_ms;                     /* CAPACITY_NEVER: nothing scales in */
    int64_t minute_ms;
};
struct capacity_memory {                     /* of one decision for the next; all 0 at first, and after a restart of the server */
    int64_t below_since_ms;                  /* below the target without a break; 0: it is not */
    int64_t out_ms, out_added;               /* the minute of the last steps out began then; added in it */
    int64_t last_out_ms, last_in_ms;         /* the last step */
    bool at_max;
};
struct capacity_state {
    int64_t now_ms;                          /* above 0 */
    int64_t size;                            /* N */
    int64_t used, news;                      /* M = used + news; used <= size */
    struct capacity_settings settings;
    struct capacity_memory memory;
};

enum capacity_why {
    CAPACITY_RIGHT,                          /* nothing to do */
    CAPACITY_TASKS_WAIT, CAPACITY_BELOW_TARGET_ROOM, CAPACITY_BELOW_MIN,         /* out: for tasks, for the free part of the target, for MinSize */
    CAPACITY_STEP_TAKEN,                     /* out later: the largest step of this minute is taken */
    CAPACITY_AT_MAX,                         /* more are wanted than there can be */
    CAPACITY_SURPLUS, CAPACITY_ABOVE_MAX,    /* in */
    CAPACITY_COUNTING,                       /* in later: not below the target for long enough, or a step was just taken */
    CAPACITY_PROTECTED,                      /* in, but all that could go are busy */
    CAPACITY_WHY_COUNT
};
struct capacity_decision {
    enum capacity_why why;
    int64_t step;                            /* above 0: machines to add; below 0: to remove */
    bool tell;                               /* CAPACITY_AT_MAX, and the decision before did not say so */
    int64_t needed, size, wanted, target;    /* M, N, wanted before MinSize and MaxSize, percent */
    int64_t again_ms;                        /* STEP_TAKEN, COUNTING: when it may be otherwise; else 0 */
    struct capacity_memory memory;           /* for the next decision, if this one is followed */
};

int64_t capacity_wanted(int64_t needed, int64_t target);         /* rounded up */
struct capacity_decision capacity_decide(const struct capacity_state *state);

/* ---- which ---- */
struct capacity_addition { uint32_t type; const struct capacity_new *for_tasks; };       /* NULL: for no task */
/* `count` machines to add: those of the plan, in the order of the queue; then more of the first type that is available. Returns how many there are: fewer
 * when no type has any left. `additions` has room for all. */
size_t capacity_add(const struct capacity_demand *demand, const struct capacity_plan *plan, size_t count, struct capacity_addition *additions);
/* Up to `count` machines to remove, as places in the list: those that are empty longest first, of these the dearest. Never one that is protected by hand.
 * With `empty_only` neither a busy one nor one that a task waits for; else these come last, those with the fewest tasks first. Returns how many there are. */
size_t capacity_remove(const struct capacity_machine *machines, const bool *reserved, size_t machine_count, size_t count, bool empty_only, uint32_t *removed,
                       struct arena *arena);

/* Machines of a managed instances provider go one by one: those that have been empty for `after_ms` (scaleInAfter; CAPACITY_NEVER: none), as places in the
 * list. Neither one that a task waits for nor one that is protected by hand. capacity_decide has in_after_ms CAPACITY_NEVER then. */
size_t capacity_idle(const struct capacity_machine *machines, const bool *reserved, size_t machine_count, int64_t now_ms, int64_t after_ms, uint32_t *idle);

/* ---- why ---- */
/* The decision for a person, at most a few sentences: M, N, the target, and the new machines with the tasks that they are for. */
void capacity_explain(const struct capacity_decision *decision, const struct capacity_demand *demand, const struct capacity_plan *plan, struct buf *out);
/* Why no machine can hold a shape: "needs 2 GPUs, and g4dn.xlarge, the nearest type, has 1". The shape's verdict is not FITS. */
void capacity_explain_lack(const struct capacity_demand *demand, const struct capacity_plan *plan, uint32_t shape, struct buf *out);

#endif
