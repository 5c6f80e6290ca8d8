/* clusters.h: inputs and outputs of the operations on clusters, in the order of the API model. Written by tools/shapes from
 * api/schemas/clusters.shapes. */
#ifndef BERTH_API_SCHEMAS_CLUSTERS_H
#define BERTH_API_SCHEMAS_CLUSTERS_H

#include "model/ecs/cluster.h"

struct create_cluster_request {
    struct str cluster_name;
    struct tag_list tags;
    struct cluster_setting_list settings;
    struct cluster_configuration *configuration;
    struct str_list capacity_providers;
    struct capacity_provider_strategy_item_list default_capacity_provider_strategy;
    struct cluster_service_connect_defaults_request *service_connect_defaults;
};
struct create_cluster_request_list { struct create_cluster_request *items; size_t count; };
extern const struct schema create_cluster_request_schema;

struct create_cluster_response {
    struct cluster_view *cluster;
};
struct create_cluster_response_list { struct create_cluster_response *items; size_t count; };
extern const struct schema create_cluster_response_schema;

struct delete_cluster_request {
    struct str cluster;
};
struct delete_cluster_request_list { struct delete_cluster_request *items; size_t count; };
extern const struct schema delete_cluster_request_schema;

struct delete_cluster_response {
    struct cluster_view *cluster;
};
struct delete_cluster_response_list { struct delete_cluster_response *items; size_t count; };
extern const struct schema delete_cluster_response_schema;

enum cluster_field { CLUSTER_FIELD_UNSET, CLUSTER_FIELD_ATTACHMENTS, CLUSTER_FIELD_CONFIGURATIONS, CLUSTER_FIELD_SETTINGS,
    CLUSTER_FIELD_STATISTICS, CLUSTER_FIELD_TAGS, CLUSTER_FIELD_COUNT };
extern const struct enum_names cluster_field_names;

struct describe_clusters_request {
    struct str_list clusters;
    struct enum_list include;
};
struct describe_clusters_request_list { struct describe_clusters_request *items; size_t count; };
extern const struct schema describe_clusters_request_schema;

struct describe_clusters_response {
    struct cluster_view_list clusters;
    struct failure_list failures;
};
struct describe_clusters_response_list { struct describe_clusters_response *items; size_t count; };
extern const struct schema describe_clusters_response_schema;

struct list_clusters_request {
    struct str next_token;
    struct opt_int max_results;
};
struct list_clusters_request_list { struct list_clusters_request *items; size_t count; };
extern const struct schema list_clusters_request_schema;

struct list_clusters_response {
    struct str_list cluster_arns;
    struct str next_token;
};
struct list_clusters_response_list { struct list_clusters_response *items; size_t count; };
extern const struct schema list_clusters_response_schema;

struct update_cluster_request {
    struct str cluster;
    struct cluster_setting_list settings;
    struct cluster_configuration *configuration;
    struct cluster_service_connect_defaults_request *service_connect_defaults;
};
struct update_cluster_request_list { struct update_cluster_request *items; size_t count; };
extern const struct schema update_cluster_request_schema;

struct update_cluster_response {
    struct cluster_view *cluster;
};
struct update_cluster_response_list { struct update_cluster_response *items; size_t count; };
extern const struct schema update_cluster_response_schema;

struct update_cluster_settings_request {
    struct str cluster;
    struct cluster_setting_list settings;
};
struct update_cluster_settings_request_list { struct update_cluster_settings_request *items; size_t count; };
extern const struct schema update_cluster_settings_request_schema;

struct update_cluster_settings_response {
    struct cluster_view *cluster;
};
struct update_cluster_settings_response_list { struct update_cluster_settings_response *items; size_t count; };
extern const struct schema update_cluster_settings_response_schema;

struct put_cluster_capacity_providers_request {
    struct str cluster;
    struct str_list capacity_providers;
    struct capacity_provider_strategy_item_list default_capacity_provider_strategy;
};
struct put_cluster_capacity_providers_request_list { struct put_cluster_capacity_providers_request *items; size_t count; };
extern const struct schema put_cluster_capacity_providers_request_schema;

struct put_cluster_capacity_providers_response {
    struct cluster_view *cluster;
};
struct put_cluster_capacity_providers_response_list { struct put_cluster_capacity_providers_response *items; size_t count; };
extern const struct schema put_cluster_capacity_providers_response_schema;

#endif
