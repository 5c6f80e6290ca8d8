/* cluster_changes.h: inputs and outputs of the operations on cluster changes, in the order of the API model. A limit is a cell in the
 * table. */
#ifndef BERTH_API_SCHEMAS_CLUSTER_CHANGES_H
#define BERTH_API_SCHEMAS_CLUSTER_CHANGES_H

#include "model/ecs/cluster.h"

struct update_cluster_request {
    struct str cluster;
    struct cluster_setting_list settings;
    struct cluster_configuration *configuration;
    struct cluster_service_connect_defaults_request *service_connect_defaults;
};
extern const struct schema update_cluster_request_schema;

struct update_cluster_response {
    struct cluster_view *cluster;
};
extern const struct schema update_cluster_response_schema;

struct update_cluster_settings_request {
    struct str cluster;
    struct cluster_setting_list settings;
};
extern const struct schema update_cluster_settings_request_schema;

struct update_cluster_settings_response {
    struct cluster_view *cluster;
};
extern const struct schema update_cluster_settings_response_schema;

struct put_cluster_capacity_providers_request {
    struct str cluster;
    struct str_list capacity_providers;
    struct capacity_provider_strategy_item_list default_capacity_provider_strategy;
};
extern const struct schema put_cluster_capacity_providers_request_schema;

struct put_cluster_capacity_providers_response {
    struct cluster_view *cluster;
};
extern const struct schema put_cluster_capacity_providers_response_schema;

#endif
