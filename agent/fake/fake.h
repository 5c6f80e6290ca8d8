/* fake.h: a fleet of simulated machines in one process. Each has its registration and its session, and no container: a task runs for as long
 * as its setting says. One thread carries all of them. */
#ifndef BERTH_AGENT_FAKE_FAKE_H
#define BERTH_AGENT_FAKE_FAKE_H

#include "agent/core/config.h"
#include "agent/link/client.h"

struct fleet;
/* Owned. `config->fake`: "p3.16xlarge:100,c5.2xlarge". config and server are borrowed, client lent. */
struct fleet *fleet_create(const struct agent_config *config, struct client *client, const struct endpoint *server, struct err *err);
bool fleet_is_refused(const struct fleet *fleet, struct err *err);       /* no machine is left, or the first one was refused */
void fleet_destroy(struct fleet *fleet);                                 /* the client is closed; NULL: nothing */

/* The types and numbers of machines in a text like the one above; calls `add` for each part. ERR_INVALID_PARAMETER. */
bool fleet_parse(struct str text, bool (*add)(void *owner, struct str type, int64_t count, struct err *err), void *owner, struct err *err);

#endif
