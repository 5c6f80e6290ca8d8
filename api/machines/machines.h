/* machines.h: which records are of one machine. An agent that has lost its folder registers as a new machine; its earlier record
 * would stay for ever, disconnected, with tasks that nobody will report. Attribute berth.machine is the agent's word for its folder on
 * the running machine (agent/task/orphans.h): an agent that registers with the same word runs there now, and ends what the earlier agent has left. So a
 * record of that word that is not connected is deregistered as soon as a later one has registered. Private to api/. */
#ifndef BERTH_API_MACHINES_MACHINES_H
#define BERTH_API_MACHINES_MACHINES_H

#include "api/core/support.h"

/* After a registration was written. `before`: the record as it was, NULL: there was none. */
void machines_registered(struct op_ctx *ctx, const struct instance *before, const struct instance *instance);
/* After it was written down that its agent is not there. Returns how many tasks ended with it. */
size_t machines_left(struct op_ctx *ctx, const struct instance *instance);

#endif
