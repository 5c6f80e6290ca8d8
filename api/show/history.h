/* history.h: writing the history. Private to api/; the functions that read it are in api.h. */
#ifndef BERTH_API_SHOW_HISTORY_H
#define BERTH_API_SHOW_HISTORY_H

#include "api/core/support.h"

/* Writes the entry of a stopped task; a second call replaces the entry. Does nothing when no history is kept. */
void history_keep(struct op_ctx *ctx, const struct task *task);

/* The entry as if the task stopped now: a live task has only the times so far. */
struct history history_of(struct op_ctx *ctx, const struct task *task);
/* Prints its JSON, as in the list in history.c. */
void history_put(struct op_ctx *ctx, struct json_out *out, const struct history *entry);

#endif
