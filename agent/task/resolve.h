/* resolve.h: fetches the values that a container gets by reference: its environment files, its secrets, and those of its log driver. They are
 * fetched right before it is created and kept in no file of the agent. Knows which value wins; refuses to know how a container is made. */
#ifndef BERTH_AGENT_TASK_RESOLVE_H
#define BERTH_AGENT_TASK_RESOLVE_H

#include "agent/task/s3.h"
#include "agent/task/secrets.h"
#include "wire/wire.h"

struct resolver { struct client *client; const struct endpoint *server; const struct s3_place *s3; const atomic_bool *stop; };   /* borrowed */

/* values: variables, each name once, which win over the container's own. */
struct resolved { struct pair_list values, log_options; };

/* Any thread but the loop's; blocks. Values live in `arena`. The message is a task's whole reason, in ECS's words; *transient: the
 * server or the store may have an answer later. */
bool resolve_container(const struct resolver *resolver, const struct wire_container *container, struct resolved *out, bool *transient,
                       struct arena *arena, struct err *err);

#endif
