/* history.h: the one way into the history. Private to api/; what others read of it is in api.h. */
#ifndef BERTH_API_SHOW_HISTORY_H
#define BERTH_API_SHOW_HISTORY_H

#include "api/core/support.h"

/* Writes the entry of a task that has stopped; put again, it replaces the one before. Nothing when no history is kept. */
void history_keep(struct op_ctx *ctx, const struct task *task);

/* The entry as it would be if the task stopped now: of a live one, what has happened so far. */
struct history history_of(struct op_ctx *ctx, const struct task *task);
/* Its JSON, as in the list of history.c. */
void history_put(struct op_ctx *ctx, struct json_out *out, const struct history *entry);

#endif
