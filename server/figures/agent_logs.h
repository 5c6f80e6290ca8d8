/* agent_logs.h: the last lines of each agent's own log, as it last told them. In memory only: an agent tells all of them again when it has a new line.
 * They stay when the machine is lost; when there are too many, those that came longest ago go. Any thread. */
#ifndef BERTH_SERVER_FIGURES_AGENT_LOGS_H
#define BERTH_SERVER_FIGURES_AGENT_LOGS_H

#include "base/buf.h"
#include "base/id.h"

enum { AGENT_LOGS_MAX = 4096, AGENT_LOG_TEXT_MAX = 16 * 1024 };

struct agent_logs;
struct agent_logs *agent_logs_create(void);
void               agent_logs_destroy(struct agent_logs *logs);      /* accepts NULL */

void agent_logs_put(struct agent_logs *logs, struct id instance, struct str text);       /* its last AGENT_LOG_TEXT_MAX bytes are copied */
bool agent_logs_get(struct agent_logs *logs, struct id instance, struct buf *out);       /* false: the agent has told none */

#endif
