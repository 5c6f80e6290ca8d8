/* machine_log.h: sends the last lines of the agent's own log to the server, some seconds after there is a new one, for people who look at this machine
 * there. Also when the machine is then lost: the lines stay with the server. The loop's thread. */
#ifndef BERTH_AGENT_MACHINE_LOG_H
#define BERTH_AGENT_MACHINE_LOG_H

#include "agent/link/health_report.h"

struct machine_log {
    struct client *client;                       /* lent */
    const char *cluster, *instance;              /* borrowed; instance: where its ARN is once it is registered, empty until then */
    struct health_reporter reporter;
    struct timer timer;
    uint64_t told;                               /* as log_kept counts */
    char told_as[256];                           /* as this instance; another one, after a new registration, gets all lines */
};

void machine_log_begin(struct machine_log *log, struct client *client, const struct endpoint *server, const char *cluster, const char *instance);
void machine_log_end(struct machine_log *log);       /* the client is closed; not begun: nothing */

#endif
