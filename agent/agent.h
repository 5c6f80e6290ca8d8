/* agent.h: one machine's agent, or a fleet of simulated ones. Registers, polls for work, runs containers, pins GPUs by UUID,
 * reports state and logs. Knows the wire messages; refuses to know the store, the scheduler and the server. */
#ifndef BERTH_AGENT_AGENT_H
#define BERTH_AGENT_AGENT_H

#include "agent/core/config.h"
#include "base/err.h"

/* Runs until *stop is set; containers go on running. False and *err when it could not start or the server refused it. */
bool agent_run(const struct agent_config *config, const atomic_bool *stop, struct err *err);

/* A line about this machine, for a person ("2 CPU, 23.4 GiB, 4 simulated V100"). True: it has GPUs that tasks can have. */
bool agent_describe_machine(const struct agent_config *config, char *out, unsigned long size);

#endif
