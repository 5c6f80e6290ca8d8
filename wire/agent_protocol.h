/* agent_protocol.h: whether the agent of a machine and this server understand each other (wire.h has the numbers and the rule). Knows
 * what a machine's record says of its agent; refuses to know where records come from. */
#ifndef BERTH_WIRE_AGENT_PROTOCOL_H
#define BERTH_WIRE_AGENT_PROTOCOL_H

#include "base/err.h"
#include "model/instance.h"

/* Berth's own agent, not the ECS agent: that one and scripts know of no numbers, and are never refused for them. */
bool agent_is_own(const struct instance *instance);
/* False and *err: ERR_INVALID_PARAMETER for a number that is none, ERR_CLIENT with what is to be updated. */
bool agent_protocol_check(const struct instance *instance, struct err *err);

#endif
