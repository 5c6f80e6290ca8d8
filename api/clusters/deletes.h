/* deletes.h: removing deleted clusters. Private to api/. */
#ifndef BERTH_API_CLUSTERS_DELETES_H
#define BERTH_API_CLUSTERS_DELETES_H

#include "api/core/support.h"

/* Removes some of the deleted clusters without any record left; their numbers are used again. */
void clusters_forget_deleted(struct op_ctx *ctx);

#endif
