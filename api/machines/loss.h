/* loss.h: the end of tasks whose machine is out of reach, so that nobody will report it. Their records end here and give back
 * what they held; what still runs there is stopped when the machine's agent comes back and asks. */
#ifndef BERTH_API_MACHINES_LOSS_H
#define BERTH_API_MACHINES_LOSS_H

#include "api/core/support.h"

/* Ends the tasks of the machine, at most `limit` of them, with this cause where they have none yet. Returns how many there are. */
size_t loss_end_tasks(struct op_ctx *ctx, const struct instance *found, const struct stop_cause *cause, size_t limit);
/* Makes a machine that is not INACTIVE yet so, and ends its tasks. `reason`: its status reason; absent: as it is. Returns how many tasks. */
size_t loss_deregister(struct op_ctx *ctx, const struct instance *found, const struct stop_cause *cause, struct str reason);

#endif
