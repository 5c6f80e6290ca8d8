/* work.h: the work of an instance, derived from the tasks placed on it. It is no queue: it is derived again at each contact. */
#ifndef BERTH_API_TELL_WORK_H
#define BERTH_API_TELL_WORK_H

#include "api/core/api.h"
#include "api/tell/role_credentials.h"
#include "wire/checks.h"
#include "wire/wire.h"

/* One thing to send to the agent: a task to start (desired RUNNING, not yet reported beyond PENDING) or to stop (desired
 * STOPPED, not yet reported STOPPED). */
struct work { struct id task; enum task_status desired; };
struct work_list { struct work *items; size_t count; };

/* In order of creation, stops before starts. May be one commit ahead of what a reading transaction finds: work_payload then gives
 * NULL, and the next call, which the commit's effect asks for, finds it. The instance's record, in the context's arena; NULL: unknown or
 * INACTIVE. */
MUST_USE const struct instance *work_for_instance(struct op_ctx *ctx, struct id instance, struct work_list *work);

/* The payload of one piece of work: overrides merged, whole GPUs as associations and shares of one in the environment
 * (NVIDIA_VISIBLE_DEVICES, which is "void" for containers without a GPU on a machine that has some), Docker settings resolved, the
 * keys of the task's roles.
 * message_id and numbers are the session's to fill in. NULL when the task or its definition is gone. Definition, cluster and machine are
 * read once for payloads of one context. */
struct wire_payload *work_payload(struct op_ctx *ctx, const struct work *work);

/* All live tasks of the instance that should be running, for a TaskManifestMessage. */
struct wire_manifest *work_manifest(struct op_ctx *ctx, struct id instance);

/* The checks of all targets on the instance: those of its live tasks, except where the group has none, or the target drains. */
struct target_check_list work_checks(struct op_ctx *ctx, struct id instance);

/* The early pulls that services wait for on the machine, WIRE_PULLS_MAX at most. An agent that knows none gets none. */
struct wire_pull_list work_pulls(struct op_ctx *ctx, const struct instance *instance);
/* Inside the room. The login that the definition names for its image; NULL: it names none. */
struct wire_registry_auth *work_registry_auth(struct op_ctx *ctx, const struct container_definition *def);

/* ---- the keys of the roles that its live tasks have ---- */
struct str work_role_key(struct op_ctx *ctx);        /* the server's, from which they are derived; absent: none are given */
struct work_role { struct id task; enum role_kind kind; };
struct work_role_list { struct work_role *items; size_t count; };
void work_roles(struct op_ctx *ctx, struct id instance, struct work_role_list *roles);
/* The message with the keys that are given out now, its id left to the session; the next ones come at *renew_ms. NULL: the task is over. */
struct wire_role_message *work_role_message(struct op_ctx *ctx, const struct work_role *role, int64_t *renew_ms);
int64_t work_role_renew_ms(struct op_ctx *ctx, struct id task);        /* of the keys that a payload of now carries */

#endif
