/* access_key.h: a key pair that signs requests. */
#ifndef BERTH_MODEL_ACCESS_KEY_H
#define BERTH_MODEL_ACCESS_KEY_H

#include "model/schema.h"

/* TASK: programs in a task, with the temporary keys of the task's role; no stored key has it. */
enum access_role { ACCESS_ROLE_UNSET, ACCESS_ADMIN, ACCESS_AGENT, ACCESS_VIEWER, ACCESS_TASK, ACCESS_ROLE_COUNT };
extern const struct enum_names access_role_names;   /* "admin", "agent", "viewer": the roles of stored keys */

/* The scope of an agent's key: a cluster, and in it one machine, by its id (32 hex digits) or its name. No cluster: the key is not bound;
 * no instance: it is bound to the cluster. */
struct key_binding { struct str cluster, instance; };

#endif
