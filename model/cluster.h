/* cluster.h: the steps of a cluster's status. */
#ifndef BERTH_MODEL_CLUSTER_H
#define BERTH_MODEL_CLUSTER_H

#include "model/records/cluster.h"

bool cluster_may_become(enum cluster_status from, enum cluster_status to);     /* the table of steps; a step to itself is no step */
/* The only function that changes a cluster's status, by a step that the table allows. Sets the time that belongs to the step. */
void cluster_become(struct cluster *cluster, enum cluster_status status, int64_t now_ms);

#endif
