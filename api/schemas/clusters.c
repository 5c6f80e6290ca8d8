/* Written by tools/shapes from api/schemas/clusters.shapes. */
#include "api/schemas/clusters.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct create_cluster_request, member)
static const struct field create_cluster_request_schema_fields[] = {
    { STR_INIT("clusterName"), 1, FIELD_STR, AT(cluster_name) },
    { STR_INIT("tags"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
    { STR_INIT("settings"), 3, FIELD_LIST, AT(settings), .element = FIELD_STRUCT, .schema = &cluster_setting_schema },
    { STR_INIT("configuration"), 4, FIELD_STRUCT, AT(configuration), .schema = &cluster_configuration_schema },
    { STR_INIT("capacityProviders"), 5, FIELD_LIST, AT(capacity_providers), .element = FIELD_STR, .max = 20 },
    { STR_INIT("defaultCapacityProviderStrategy"), 6, FIELD_LIST, AT(default_capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema, .max = 20 },
    { STR_INIT("serviceConnectDefaults"), 7, FIELD_STRUCT, AT(service_connect_defaults),
      .schema = &cluster_service_connect_defaults_request_schema },
};
#undef AT
const struct schema create_cluster_request_schema = SCHEMA_OF("CreateClusterRequest", struct create_cluster_request,
    create_cluster_request_schema_fields);

#define AT(member) .offset = offsetof(struct create_cluster_response, member)
static const struct field create_cluster_response_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STRUCT, AT(cluster), .schema = &cluster_view_schema },
};
#undef AT
const struct schema create_cluster_response_schema = SCHEMA_OF("CreateClusterResponse", struct create_cluster_response,
    create_cluster_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_cluster_request, member)
static const struct field delete_cluster_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster), .required = true },
};
#undef AT
const struct schema delete_cluster_request_schema = SCHEMA_OF("DeleteClusterRequest", struct delete_cluster_request,
    delete_cluster_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_cluster_response, member)
static const struct field delete_cluster_response_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STRUCT, AT(cluster), .schema = &cluster_view_schema },
};
#undef AT
const struct schema delete_cluster_response_schema = SCHEMA_OF("DeleteClusterResponse", struct delete_cluster_response,
    delete_cluster_response_schema_fields);

static const struct str cluster_field_words[] = { STR_INIT("ATTACHMENTS"), STR_INIT("CONFIGURATIONS"), STR_INIT("SETTINGS"),
    STR_INIT("STATISTICS"), STR_INIT("TAGS") };
const struct enum_names cluster_field_names = { cluster_field_words, COUNT_OF(cluster_field_words) };

#define AT(member) .offset = offsetof(struct describe_clusters_request, member)
static const struct field describe_clusters_request_schema_fields[] = {
    { STR_INIT("clusters"), 1, FIELD_LIST, AT(clusters), .element = FIELD_STR, .max = 100 },
    { STR_INIT("include"), 2, FIELD_LIST, AT(include), .element = FIELD_ENUM, .names = &cluster_field_names },
};
#undef AT
const struct schema describe_clusters_request_schema = SCHEMA_OF("DescribeClustersRequest", struct describe_clusters_request,
    describe_clusters_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_clusters_response, member)
static const struct field describe_clusters_response_schema_fields[] = {
    { STR_INIT("clusters"), 1, FIELD_LIST, AT(clusters), .element = FIELD_STRUCT, .schema = &cluster_view_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema describe_clusters_response_schema = SCHEMA_OF("DescribeClustersResponse", struct describe_clusters_response,
    describe_clusters_response_schema_fields);

#define AT(member) .offset = offsetof(struct list_clusters_request, member)
static const struct field list_clusters_request_schema_fields[] = {
    { STR_INIT("nextToken"), 1, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 2, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
};
#undef AT
const struct schema list_clusters_request_schema = SCHEMA_OF("ListClustersRequest", struct list_clusters_request,
    list_clusters_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_clusters_response, member)
static const struct field list_clusters_response_schema_fields[] = {
    { STR_INIT("clusterArns"), 1, FIELD_LIST, AT(cluster_arns), .element = FIELD_STR },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_clusters_response_schema = SCHEMA_OF("ListClustersResponse", struct list_clusters_response,
    list_clusters_response_schema_fields);

#define AT(member) .offset = offsetof(struct update_cluster_request, member)
static const struct field update_cluster_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster), .required = true },
    { STR_INIT("settings"), 2, FIELD_LIST, AT(settings), .element = FIELD_STRUCT, .schema = &cluster_setting_schema },
    { STR_INIT("configuration"), 3, FIELD_STRUCT, AT(configuration), .schema = &cluster_configuration_schema },
    { STR_INIT("serviceConnectDefaults"), 4, FIELD_STRUCT, AT(service_connect_defaults),
      .schema = &cluster_service_connect_defaults_request_schema },
};
#undef AT
const struct schema update_cluster_request_schema = SCHEMA_OF("UpdateClusterRequest", struct update_cluster_request,
    update_cluster_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_cluster_response, member)
static const struct field update_cluster_response_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STRUCT, AT(cluster), .schema = &cluster_view_schema },
};
#undef AT
const struct schema update_cluster_response_schema = SCHEMA_OF("UpdateClusterResponse", struct update_cluster_response,
    update_cluster_response_schema_fields);

#define AT(member) .offset = offsetof(struct update_cluster_settings_request, member)
static const struct field update_cluster_settings_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster), .required = true },
    { STR_INIT("settings"), 2, FIELD_LIST, AT(settings), .element = FIELD_STRUCT, .schema = &cluster_setting_schema, .min = 1,
      .required = true },
};
#undef AT
const struct schema update_cluster_settings_request_schema = SCHEMA_OF("UpdateClusterSettingsRequest",
    struct update_cluster_settings_request, update_cluster_settings_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_cluster_settings_response, member)
static const struct field update_cluster_settings_response_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STRUCT, AT(cluster), .schema = &cluster_view_schema },
};
#undef AT
const struct schema update_cluster_settings_response_schema = SCHEMA_OF("UpdateClusterSettingsResponse",
    struct update_cluster_settings_response, update_cluster_settings_response_schema_fields);

#define AT(member) .offset = offsetof(struct put_cluster_capacity_providers_request, member)
static const struct field put_cluster_capacity_providers_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster), .required = true },
    { STR_INIT("capacityProviders"), 2, FIELD_LIST, AT(capacity_providers), .element = FIELD_STR, .required = true },
    { STR_INIT("defaultCapacityProviderStrategy"), 3, FIELD_LIST, AT(default_capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema, .max = 20, .required = true },
};
#undef AT
const struct schema put_cluster_capacity_providers_request_schema = SCHEMA_OF("PutClusterCapacityProvidersRequest",
    struct put_cluster_capacity_providers_request, put_cluster_capacity_providers_request_schema_fields);

#define AT(member) .offset = offsetof(struct put_cluster_capacity_providers_response, member)
static const struct field put_cluster_capacity_providers_response_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STRUCT, AT(cluster), .schema = &cluster_view_schema },
};
#undef AT
const struct schema put_cluster_capacity_providers_response_schema = SCHEMA_OF("PutClusterCapacityProvidersResponse",
    struct put_cluster_capacity_providers_response, put_cluster_capacity_providers_response_schema_fields);
