/* canary.h: bugs that the tests plant to see that the simulation finds them. CANARY(name, bug) is nothing, except in a file that is compiled with
 * -DBERTH_CANARY=name: tests/sim/sim.cmake does that for the programs of the tests, and nothing else does. */
#ifndef BERTH_BASE_CANARY_H
#define BERTH_BASE_CANARY_H

#ifdef BERTH_CANARY
enum canary {
    CANARY_STOP_FREES_GPUS,                  /* a GPU is given away while the containers of a stopping task still use it */
    CANARY_WAKE_IS_LOST,                     /* only the first of the machines that a job concerns is woken */
    CANARY_REPORT_IS_LOST,                   /* a report is acknowledged, and what it says is not kept */
    CANARY_START_IGNORES_LIMIT,              /* a rollout starts tasks above the service's upper limit */
    CANARY_BLUE_GOES_EARLY,                  /* the tasks that had the traffic stop before the bake time of their successors is over */
    CANARY_STOPPED_STAYS_IN_ROSTER,          /* a task that is STOPPED counts as one of its service's */
    CANARY_CONFIRMS_ITSELF,                  /* a leader's refusal leaves, and the log was not asked whether it leads */
    CANARY_OLD_LEADER_RENEWS,                /* machines' leases begin again at a leader that has heard nothing of the log for long */
    CANARY_RETRY_HAS_NEW_NUMBER,             /* an append without an answer is tried again under the next number */
    CANARY_WATCH_IS_TRUSTED,                 /* a new leader does not read the log once more before it leads */
    CANARY_LANDED_IS_REFUSED,                /* "nothing was changed" for an entry that may be in the log */
};
#define CANARY(name, bug) do { if (BERTH_CANARY == CANARY_##name) { bug; } } while (0)
#else
#define CANARY(name, bug) ((void)0)
#endif

#endif
