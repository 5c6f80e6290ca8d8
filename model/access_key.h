/* access_key.h: a key pair that signs requests. */
#ifndef BERTH_MODEL_ACCESS_KEY_H
#define BERTH_MODEL_ACCESS_KEY_H

#include "model/schema.h"

/* TASK: what runs in a task, by the temporary keys of the task's role; no key that is kept has it. */
enum access_role { ACCESS_ROLE_UNSET, ACCESS_ADMIN, ACCESS_AGENT, ACCESS_VIEWER, ACCESS_TASK, ACCESS_ROLE_COUNT };
extern const struct enum_names access_role_names;   /* "admin", "agent", "viewer": what a key may be made for */

/* What an agent's key is bound to: a cluster, and in it one machine, by its id (32 hex digits) or its name. No cluster: the key is bound to
 * nothing; no instance: to the cluster alone. */
struct key_binding { struct str cluster, instance; };

#endif
