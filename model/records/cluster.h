/* cluster.h: a cluster as Berth remembers it. Counts are not here: they are derived from what runs. Written by tools/shapes from
 * model/records/cluster.shapes. */
#ifndef BERTH_MODEL_RECORDS_CLUSTER_H
#define BERTH_MODEL_RECORDS_CLUSTER_H

#include "model/ecs/cluster.h"

enum cluster_status { CLUSTER_STATUS_UNSET, CLUSTER_ACTIVE, CLUSTER_PROVISIONING, CLUSTER_DEPROVISIONING, CLUSTER_FAILED,
    CLUSTER_INACTIVE, CLUSTER_STATUS_COUNT };
extern const struct enum_names cluster_status_names;

struct cluster {
    int64_t number;                          /* 1 .. CLUSTERS_MAX; identifies the cluster in keys; reused when nothing is stored under it */
    struct str name;
    enum cluster_status status;
    int64_t created_ms;
    struct cluster_setting_list settings;
    struct cluster_configuration *configuration;
    struct str_list capacity_providers;
    struct capacity_provider_strategy_item_list default_strategy;
    struct cluster_service_connect_defaults *service_connect_defaults;
    struct tag_list tags;
    int64_t deleted_ms;                      /* 0: not deleted, or the time is not known */
};
struct cluster_list { struct cluster *items; size_t count; };
extern const struct schema cluster_record;

#endif
