/* deletes.h: the second step of deleting task definitions, and daemon task definitions. Private to api/. */
#ifndef BERTH_API_DEFINITIONS_DELETES_H
#define BERTH_API_DEFINITIONS_DELETES_H

#include "api/core/support.h"

/* Removes the revisions that are DELETE_IN_PROGRESS and that no service and no stored task uses; a few at a time, so that the writer
 * goes on soon, the rest at another call. The counters of their families stay. */
void taskdef_drop_deleted(struct op_ctx *ctx);

/* definitions/daemons.c: removes the revisions of daemon task definitions that were deleted before the stopped tasks that are kept; some at a time, as
 * above. */
void daemon_taskdef_drop_deleted(struct op_ctx *ctx);

#endif
