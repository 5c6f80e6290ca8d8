/* machines.h: finding records of one machine. An agent that has lost its folder registers as a new machine; its earlier record would stay forever,
 * disconnected, with tasks whose end no agent will report. Attribute berth.machine is the agent's word for its folder on the running machine
 * (agent/task/orphans.h). An agent that registers with the same word runs on the same machine, and ends the earlier agent's containers. So a record
 * with that word that is not connected is deregistered as soon as a later one has registered. Private to api/. */
#ifndef BERTH_API_MACHINES_MACHINES_H
#define BERTH_API_MACHINES_MACHINES_H

#include "api/core/support.h"

/* Call it after a registration was written. `before`: the record before, NULL: there was none. */
void machines_registered(struct op_ctx *ctx, const struct instance *before, const struct instance *instance);
/* Call it after the record says that its agent is not connected. Returns the number of tasks that ended with the machine. */
size_t machines_left(struct op_ctx *ctx, const struct instance *instance);

#endif
