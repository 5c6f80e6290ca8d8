/* history.h: the one way into the history. Private to api/; what others read of it is in api.h. */
#ifndef BERTH_API_HISTORY_H
#define BERTH_API_HISTORY_H

#include "api/support.h"

/* Writes the entry of a task that has stopped; put again, it replaces the one before. Nothing when no history is kept. */
void history_keep(struct op_ctx *ctx, const struct task *task);

#endif
