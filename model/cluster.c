#include "model/cluster.h"

#include "base/assert.h"
#include "model/status.h"

/* The other statuses of ECS belong to capacity providers' resources. INACTIVE is final: a new cluster of the name is a new record. */
static const uint32_t cluster_steps[CLUSTER_STATUS_COUNT] = {
    [CLUSTER_STATUS_UNSET] = STATUS_BIT(CLUSTER_ACTIVE),
    [CLUSTER_ACTIVE]       = STATUS_BIT(CLUSTER_INACTIVE),
};

bool cluster_may_become(enum cluster_status from, enum cluster_status to)
{
    return status_may_become(cluster_steps, CLUSTER_STATUS_COUNT, from, to);
}

void cluster_become(struct cluster *cluster, enum cluster_status status, int64_t now_ms)
{
    ASSERT(cluster_may_become(cluster->status, status));
    ASSERT(cluster->name.len > 0);
    ASSERT(cluster->deleted_ms == 0);
    cluster->status = status;
    if (status == CLUSTER_ACTIVE) { cluster->created_ms = now_ms; }
    if (status == CLUSTER_INACTIVE) { cluster->deleted_ms = now_ms; }
}
