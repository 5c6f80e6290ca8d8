#include "api/schemas/cluster_changes.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct update_cluster_request, member)
static const struct field update_cluster_request_fields[] = {
    { STR_INIT("cluster"),                 1, FIELD_STR,    AT(cluster), .required = true },
    { STR_INIT("settings"),                2, FIELD_LIST,   AT(settings), .element = FIELD_STRUCT,
      .schema = &cluster_setting_schema },
    { STR_INIT("configuration"),           3, FIELD_STRUCT, AT(configuration), .schema = &cluster_configuration_schema },
    { STR_INIT("serviceConnectDefaults"),  4, FIELD_STRUCT, AT(service_connect_defaults),
      .schema = &cluster_service_connect_defaults_request_schema },
};
#undef AT
const struct schema update_cluster_request_schema =
    SCHEMA_OF("UpdateClusterRequest", struct update_cluster_request, update_cluster_request_fields);

#define AT(member) .offset = offsetof(struct update_cluster_response, member)
static const struct field update_cluster_response_fields[] = {
    { STR_INIT("cluster"),  1, FIELD_STRUCT, AT(cluster), .schema = &cluster_view_schema },
};
#undef AT
const struct schema update_cluster_response_schema =
    SCHEMA_OF("UpdateClusterResponse", struct update_cluster_response, update_cluster_response_fields);

#define AT(member) .offset = offsetof(struct update_cluster_settings_request, member)
static const struct field update_cluster_settings_request_fields[] = {
    { STR_INIT("cluster"),   1, FIELD_STR,    AT(cluster), .required = true },
    { STR_INIT("settings"),  2, FIELD_LIST,   AT(settings), .element = FIELD_STRUCT, .schema = &cluster_setting_schema,
      .required = true, .min = 1 },
};
#undef AT
const struct schema update_cluster_settings_request_schema =
    SCHEMA_OF("UpdateClusterSettingsRequest", struct update_cluster_settings_request, update_cluster_settings_request_fields);

#define AT(member) .offset = offsetof(struct update_cluster_settings_response, member)
static const struct field update_cluster_settings_response_fields[] = {
    { STR_INIT("cluster"),  1, FIELD_STRUCT, AT(cluster), .schema = &cluster_view_schema },
};
#undef AT
const struct schema update_cluster_settings_response_schema =
    SCHEMA_OF("UpdateClusterSettingsResponse", struct update_cluster_settings_response,
              update_cluster_settings_response_fields);

#define AT(member) .offset = offsetof(struct put_cluster_capacity_providers_request, member)
static const struct field put_cluster_capacity_providers_request_fields[] = {
    { STR_INIT("cluster"),                          1, FIELD_STR,    AT(cluster), .required = true },
    { STR_INIT("capacityProviders"),                2, FIELD_LIST,   AT(capacity_providers), .element = FIELD_STR,
      .required = true },
    { STR_INIT("defaultCapacityProviderStrategy"),  3, FIELD_LIST,   AT(default_capacity_provider_strategy),
      .element = FIELD_STRUCT, .schema = &capacity_provider_strategy_item_schema, .required = true, .max = 20 },
};
#undef AT
const struct schema put_cluster_capacity_providers_request_schema =
    SCHEMA_OF("PutClusterCapacityProvidersRequest", struct put_cluster_capacity_providers_request,
              put_cluster_capacity_providers_request_fields);

#define AT(member) .offset = offsetof(struct put_cluster_capacity_providers_response, member)
static const struct field put_cluster_capacity_providers_response_fields[] = {
    { STR_INIT("cluster"),  1, FIELD_STRUCT, AT(cluster), .schema = &cluster_view_schema },
};
#undef AT
const struct schema put_cluster_capacity_providers_response_schema =
    SCHEMA_OF("PutClusterCapacityProvidersResponse", struct put_cluster_capacity_providers_response,
              put_cluster_capacity_providers_response_fields);
