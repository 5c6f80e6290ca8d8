/* silence.h: why there is no output of a task. */
#ifndef BERTH_SERVER_LOGS_SILENCE_H
#define BERTH_SERVER_LOGS_SILENCE_H

#include "base/err.h"
#include "store/store.h"

/* For a task, or one container, without output here. False and *err when none will come: why, and what to do. A task with one container has its
 * name in *container then. */
MUST_USE bool logs_explain(struct store *store, struct id task, struct str *container, struct arena *arena, struct err *err);

#endif
