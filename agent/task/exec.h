/* exec.h: commands that people run in running containers: begun by a message of the server, carried by calls to it, ended with the container,
 * with the command, or by the client that started it. Knows the calls and their offsets; refuses to know how a command gets into a container
 * (runtime.h) and who may run one. */
#ifndef BERTH_AGENT_TASK_EXEC_H
#define BERTH_AGENT_TASK_EXEC_H

#include "agent/task/task.h"

/* Begins in separate threads, which count among the host's. `runtime_id`: absent or empty when the container does not run here; the server
 * gets that as an error. */
void exec_begin(struct task_host *host, const struct wire_exec *message, struct str runtime_id);

#endif
