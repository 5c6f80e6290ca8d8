/* secrets.h: the values behind references, fetched from the server the moment they are needed and kept nowhere: not in a task's
 * file, not in the log. Knows the two services that keep them; refuses to know what a value is for. */
#ifndef BERTH_AGENT_TASK_SECRETS_H
#define BERTH_AGENT_TASK_SECRETS_H

#include "agent/link/client.h"
#include "model/secret_ref.h"

/* One call; any thread but the loop's. *value lives in `arena`. *transient: the same call may succeed later. An error's message has
 * the ECS agent's words and names the reference, never a value. */
bool secrets_fetch(struct client *client, const struct endpoint *server, const struct secret_ref *ref, struct str *value, bool *transient,
                   struct arena *arena, struct err *err);

#endif
