/* scaling.h: how many tasks a service is to have, by its scaling policies and scheduled actions. Pure: the caller brings the time and the measures.
 *
 *   target tracking   out: above the target in 3 minutes of 3; in: below 90 percent of it in 15 minutes of 15. The count that brings the metric to its target
 *   step              while an alarm has it as an action of its state: the adjustment of the interval in which the metric is. At most once a minute
 *   several           out if one policy wants out, to the largest count; in if all target tracking policies that may scale in want in, or a step
 *                     policy, to the largest count
 *
 * A minute without a measure changes nothing, and ends a row of minutes. */
#ifndef BERTH_SCHEDULER_SCALING_SCALING_H
#define BERTH_SCHEDULER_SCALING_SCALING_H

#include "model/scaling.h"

struct scaling_sign {                        /* of one policy */
    struct scaling_history history;          /* target tracking: of its measure, if a minute has just ended; else empty */
    bool rings; double breach;               /* step: an alarm has it among the actions of its state; its metric less its threshold */
};

struct scaling_state {
    int64_t now_ms, minute_ms;               /* both above 0; how long a minute lasts */
    int64_t desired, running;
    bool deploys;                            /* a deployment is in progress: nothing scales in */
    bool waits;                              /* tasks have no room: nothing scales out */
    const struct kept_scaling *target;
    const struct scaling_sign *signs;        /* one a policy */
};

enum scaling_act {
    SCALING_NOTHING,
    SCALING_SET,                             /* the desired count becomes `desired` */
    SCALING_AT_MAX, SCALING_AT_MIN, SCALING_NO_ROOM       /* a policy wants `desired`, but that is not to be */
};
struct scaling_decision {
    enum scaling_act act;
    int64_t desired;
    size_t policy;                           /* that wanted it */
    int64_t added;                           /* scale-out: how many tasks the policy adds, as kept_policy.out_step */
};

struct scaling_decision scaling_decide(const struct scaling_state *state);
/* The policy has been followed: its cooldown begins. */
void scaling_note(struct kept_policy *policy, const struct scaling_decision *decision, int64_t before, int64_t now_ms);

/* Applies the limits of scheduled actions that are due; an action's next time is the caller's. NULL: none is due. */
const struct kept_action *scaling_apply_actions(struct kept_scaling *target, int64_t now_ms);

#endif
