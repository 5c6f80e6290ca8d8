/* policy.h: how dear it is to place a task on a machine. A policy sees one machine, the outlook and the ask, and nothing else:
 * costs can be kept per machine until it changes. Refuses to know the other machines, so ties and limits over the cluster are
 * the caller's (see outlook.scarce). */
#ifndef BERTH_SCHEDULER_PLACE_POLICY_H
#define BERTH_SCHEDULER_PLACE_POLICY_H

#include "scheduler/place/outlook.h"

enum { COST_NONE = INT32_MAX, COST_LIMIT = 1 << 24 };

struct policy {
    struct str name;
    int32_t (*cost)(const struct outlook *outlook, const struct machine *machine, const struct ask *ask, struct choice *choice);
};
extern const struct policy policies[];                           /* the first is Berth's own */
extern const size_t policy_count;

const struct policy *policy_find(struct str name);               /* NULL: no policy has this name */

/* Lower wins: below COST_LIMIT, or COST_NONE when the machine's devices can't take the ask. Cores and memory are not checked
 * here, they must suffice. `choice` (may be NULL) receives the devices. */
int32_t policy_cost(const struct policy *policy, const struct outlook *outlook, const struct machine *machine, const struct ask *ask,
                    struct choice *choice);

/* Whether the machine's devices can take the ask; every policy agrees. */
bool policy_fits(const struct machine *machine, const struct ask *ask);

/* Thousandths that `part` takes of a device of the rig; 0: the device is not for it, even if it is free. */
int32_t policy_device_takes(const struct rig *rig, uint32_t slot, const struct ask_part *part);

#endif
