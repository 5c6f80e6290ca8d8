/* exec.h: commands that somebody runs in running containers: begun by the server's word, carried by calls to it, ended with the
 * container, the command or whoever started it. Knows the calls and their offsets; refuses to know how a command gets into a
 * container (runtime.h) and who may run one. */
#ifndef BERTH_AGENT_TASK_EXEC_H
#define BERTH_AGENT_TASK_EXEC_H

#include "agent/task/task.h"

/* Begins in threads of its own, which count among the host's. `runtime_id`: absent or empty when the container does not run here,
 * which the server is told. */
void exec_begin(struct task_host *host, const struct wire_exec *message, struct str runtime_id);

#endif
