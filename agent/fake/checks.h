/* checks.h: the states of the targets on a simulated machine: nothing is asked, all are healthy, except while a fault says otherwise (faults.h). For this
 * wing only; the loop's thread. */
#ifndef BERTH_AGENT_FAKE_CHECKS_H
#define BERTH_AGENT_FAKE_CHECKS_H

#include "agent/link/health_report.h"

struct fake_checks {
    const char *cluster, *instance;              /* borrowed; instance: where its ARN is once it is registered */
    struct health_reporter reporter;
    struct arena arena;                          /* of the list */
    struct check_told_list targets;
    int64_t number, last_number;                 /* of the last message, and of the last change */
    struct check_result fault;                   /* of all its targets; CHECK_GOOD: there is none */
};

void fake_checks_init(struct fake_checks *checks, struct client *client, const struct endpoint *server, const char *cluster, const char *instance);
void fake_checks_set(struct fake_checks *checks, const struct wire_checks *message);
void fake_checks_fail(struct fake_checks *checks, struct check_result fault);
void fake_checks_finish(struct fake_checks *checks);

#endif
