/* machine_checks.h: the health checks of the targets on this machine: the server sends them, a checker makes them, and the states that it finds are
 * reported when one is another, and once after each message. The loop's thread. */
#ifndef BERTH_AGENT_MACHINE_CHECKS_H
#define BERTH_AGENT_MACHINE_CHECKS_H

#include <stdatomic.h>

#include "agent/link/health_report.h"
#include "wire/checker.h"

struct machine_checks {
    struct client *client;                       /* lent */
    const char *cluster, *instance;              /* borrowed; instance: where its ARN is once it is registered */
    struct health_reporter reporter;
    struct checker *checker;                     /* NULL: there was never a check */
    struct post post;
    atomic_bool posted;
    int64_t number;                              /* of the last message */
};

void machine_checks_begin(struct machine_checks *checks, struct client *client, const struct endpoint *server, const char *cluster, const char *instance);
void machine_checks_set(struct machine_checks *checks, const struct wire_checks *message);
void machine_checks_end(struct machine_checks *checks);        /* the client is closed, or not begun: nothing */

#endif
