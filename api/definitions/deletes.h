/* deletes.h: the second step of deleting task definitions. Private to api/. */
#ifndef BERTH_API_DEFINITIONS_DELETES_H
#define BERTH_API_DEFINITIONS_DELETES_H

#include "api/core/support.h"

/* Forgets the revisions that are DELETE_IN_PROGRESS and that no remembered task was made of; so many at a time that the writer
 * goes on soon, the rest at another call. The counters of their families stay. */
void taskdef_drop_deleted(struct op_ctx *ctx);

#endif
