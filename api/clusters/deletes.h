/* deletes.h: the end of deleted clusters. Private to api/. */
#ifndef BERTH_API_CLUSTERS_DELETES_H
#define BERTH_API_CLUSTERS_DELETES_H

#include "api/core/support.h"

/* Drops some of the deleted clusters of which nothing is kept any more; their numbers are given anew. */
void clusters_forget_deleted(struct op_ctx *ctx);

#endif
