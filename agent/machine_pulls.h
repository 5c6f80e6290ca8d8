/* machine_pulls.h: the images that the server wants on this machine before a task stops here to make room: each message has all early pulls that are
 * wanted. They are pulled as for a container, and the ends are reported when there is a new one, and once after each message. The loop's thread. */
#ifndef BERTH_AGENT_MACHINE_PULLS_H
#define BERTH_AGENT_MACHINE_PULLS_H

#include "agent/link/health_report.h"
#include "agent/task/task.h"

struct machine_pull;
struct machine_pulls {
    struct task_host *host;                      /* lent */
    const char *cluster, *instance;              /* borrowed; instance: where its ARN is once it is registered */
    struct health_reporter reporter;
    struct machine_pull *pulls;                  /* owned: of the last message, and those that are being given up */
};

void machine_pulls_begin(struct machine_pulls *pulls, struct task_host *host, const char *cluster, const char *instance);
void machine_pulls_set(struct machine_pulls *pulls, const struct wire_pulls *message);
void machine_pulls_end(struct machine_pulls *pulls);           /* the client is closed, and the threads have ended; not begun: nothing */

#endif
