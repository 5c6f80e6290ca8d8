/* terms.h: what the tags of a task say of its place in the queue, of how long it runs and of what may stop it. Private to api/. */
#ifndef BERTH_API_TASKS_TERMS_H
#define BERTH_API_TASKS_TERMS_H

#include "api/core/context.h"

struct waiting;

/* The tags berth:priority, berth:preemptible, berth:retry, berth:max-runtime and berth:reserve; *terms NULL: they say nothing. ERR_INVALID_PARAMETER: a
 * value that they can't have. */
MUST_USE bool terms_check(const struct tag_list *tags, struct err *err);
MUST_USE bool terms_read(const struct tag_list *tags, struct task_terms **terms, struct arena *arena, struct err *err);

/* The asker of a place (queue/keeps.h): a new task, which its pattern describes, or one that waits. */
struct asker terms_asker(struct op_ctx *ctx, const struct task *task);
struct asker terms_asker_waiting(struct op_ctx *ctx, const struct task *task, const struct waiting *waiting);

/* The tags with one retry less: of the task that is started again for one that had them. In `arena`. */
#define TERMS_RETRY "berth:retry"
struct tag_list terms_retry_less(const struct tag_list *tags, struct arena *arena);

#endif
