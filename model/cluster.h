/* cluster.h: a cluster as Berth remembers it. Counts are not here: they are derived from what runs. */
#ifndef BERTH_MODEL_CLUSTER_H
#define BERTH_MODEL_CLUSTER_H

#include "model/ecs/cluster.h"

enum cluster_status {
    CLUSTER_STATUS_UNSET, CLUSTER_ACTIVE, CLUSTER_PROVISIONING, CLUSTER_DEPROVISIONING, CLUSTER_FAILED, CLUSTER_INACTIVE,
    CLUSTER_STATUS_COUNT
};
extern const struct enum_names cluster_status_names;
bool cluster_may_become(enum cluster_status from, enum cluster_status to);     /* the table of steps; a step to itself is no step */

struct cluster {
    int64_t number;                          /* 1 .. CLUSTERS_MAX; stands for the cluster in keys; given anew when nothing is kept under it */
    struct str name;
    enum cluster_status status;
    int64_t created_ms;
    int64_t deleted_ms;                      /* 0: it was not, or nobody wrote down when */
    struct cluster_setting_list settings;
    struct cluster_configuration *configuration;
    struct str_list capacity_providers;
    struct capacity_provider_strategy_item_list default_strategy;
    struct cluster_service_connect_defaults *service_connect_defaults;
    struct tag_list tags;
};
extern const struct schema cluster_record;

/* The only function that changes a cluster's status, by a step that the table allows. Sets the time that belongs to the step. */
void cluster_become(struct cluster *cluster, enum cluster_status status, int64_t now_ms);

#endif
