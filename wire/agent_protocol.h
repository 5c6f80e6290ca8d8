/* agent_protocol.h: whether the agent of a machine and this server work together (wire.h has the numbers and the rule). Knows
 * the attributes in a machine's record; refuses to know where records come from. */
#ifndef BERTH_WIRE_AGENT_PROTOCOL_H
#define BERTH_WIRE_AGENT_PROTOCOL_H

#include "base/err.h"
#include "model/instance.h"

/* Berth's own agent, not the ECS agent: that one and scripts send no numbers, and are never refused for them. */
bool agent_is_own(const struct instance *instance);
/* False and *err: ERR_INVALID_PARAMETER for an invalid number, ERR_CLIENT with the side to update. */
bool agent_protocol_check(const struct instance *instance, struct err *err);

#endif
