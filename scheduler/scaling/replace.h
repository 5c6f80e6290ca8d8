/* replace.h: which machine of a pool is replaced next, and when the one that is replaced begins to drain. Knows ages, health and the time that the caller
 * brings; refuses to know the store and provisioners. Pure.
 *
 * One machine at a time: its replacement is ordered first if there is room for one more (it is marked), and it drains when the pool has all its machines
 * without it, or after an hour. A machine without a task just goes. A machine that is due for its age waits until the one before it has gone, and until no
 * machine is on order; when half of the time between patch-after and patch-by is over, it waits no more.
 */
#ifndef BERTH_SCHEDULER_SCALING_REPLACE_H
#define BERTH_SCHEDULER_SCALING_REPLACE_H

#include "model/capacity.h"

enum { REPLACE_IMPAIRED_MS = 5 * 60 * 1000, REPLACE_WAITS_MS = 3600 * 1000, REPLACE_REPAIR_MS = 48 * 3600 * 1000 };

struct replace_rules {
    int64_t patch_after_ms, patch_by_ms;     /* since the order; 0: machines do not age */
    bool repairs;                            /* machines with impaired health are replaced */
};
struct replace_machine {
    enum machine_state state;
    enum machine_replace marked;             /* UNSET: it is not replaced */
    int64_t marked_ms, by_ms;                /* since when, until when */
    int64_t ordered_ms, impaired_ms;         /* 0: it is not impaired */
    int64_t tasks;                           /* that are not a daemon's */
};
struct replace_state {
    int64_t now_ms, desired;
    struct replace_rules rules;
    bool room;                               /* one machine more can be ordered now */
    const struct replace_machine *machines; size_t count;
};

enum replace_move {
    REPLACE_NOTHING,
    REPLACE_MARK,                            /* another one is ordered for it */
    REPLACE_DRAIN,                           /* its tasks are to end or move, until by_ms */
    REPLACE_KEEP,                            /* it was marked, and is well again */
};
struct replace_plan {
    enum replace_move move;
    size_t at;                               /* which machine */
    enum machine_replace why;
    int64_t by_ms;
    int64_t again_ms;                        /* when it may be otherwise; 0: an event will tell */
};
struct replace_plan replace_plan(const struct replace_state *state);

#endif
