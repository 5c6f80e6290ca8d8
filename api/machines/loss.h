/* loss.h: ending the tasks of an unreachable machine, because no agent will report their end. Their records end here and give back their resources;
 * containers that still run there are stopped when the machine's agent connects again. */
#ifndef BERTH_API_MACHINES_LOSS_H
#define BERTH_API_MACHINES_LOSS_H

#include "api/core/support.h"

/* Ends at most `limit` tasks of the machine, with this cause if they have none yet. Returns their number. */
size_t loss_end_tasks(struct op_ctx *ctx, const struct instance *found, const struct stop_cause *cause, size_t limit);
/* Makes a machine INACTIVE, if it is not yet, and ends its tasks. `reason`: its status reason; absent: no change. Returns the number of tasks. */
size_t loss_deregister(struct op_ctx *ctx, const struct instance *found, const struct stop_cause *cause, struct str reason);

#endif
