/* machine.h: this machine: its session with the server, its runtime, and the table of its tasks. */
#ifndef BERTH_AGENT_MACHINE_H
#define BERTH_AGENT_MACHINE_H

#include "agent/core/config.h"
#include "agent/link/client.h"

struct machine;
/* Owned. Takes up the tasks of an earlier run and begins to register. config and server are borrowed, client lent. NULL and
 * *err: the client is closed, and *left says that a thread still holds it (see machine_destroy). */
struct machine *machine_create(const struct agent_config *config, struct client *client, const struct endpoint *server, bool *left,
                               struct err *err);
bool machine_is_refused(const struct machine *machine, struct err *err);   /* the server wants nothing more of us; *err says why */
/* Ends its threads and frees it; containers go on running. The client must be closed between the two calls. */
void machine_leave(struct machine *machine);
bool machine_destroy(struct machine *machine);       /* false: a call of the runtime goes on, its thread keeps all it works on; NULL: true */

#endif
