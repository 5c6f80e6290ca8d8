/* Written by tools/shapes from model/records/cluster.shapes. */
#include "model/records/cluster.h"

#include "base/assert.h"

static const struct str cluster_status_words[] = { STR_INIT("ACTIVE"), STR_INIT("PROVISIONING"), STR_INIT("DEPROVISIONING"),
    STR_INIT("FAILED"), STR_INIT("INACTIVE") };
const struct enum_names cluster_status_names = { cluster_status_words, COUNT_OF(cluster_status_words) };

#define AT(member) .offset = offsetof(struct cluster, member)
static const struct field cluster_record_fields[] = {
    { STR_INIT(""), 1, FIELD_I64, AT(number) },
    { STR_INIT(""), 2, FIELD_STR, AT(name) },
    { STR_INIT(""), 3, FIELD_ENUM, AT(status), .names = &cluster_status_names },
    { STR_INIT(""), 4, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 5, FIELD_LIST, AT(settings), .element = FIELD_STRUCT, .schema = &cluster_setting_schema },
    { STR_INIT(""), 6, FIELD_STRUCT, AT(configuration), .schema = &cluster_configuration_schema },
    { STR_INIT(""), 7, FIELD_LIST, AT(capacity_providers), .element = FIELD_STR },
    { STR_INIT(""), 8, FIELD_LIST, AT(default_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema },
    { STR_INIT(""), 9, FIELD_STRUCT, AT(service_connect_defaults), .schema = &cluster_service_connect_defaults_schema },
    { STR_INIT(""), 10, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 11, FIELD_I64, AT(deleted_ms) },
};
#undef AT
const struct schema cluster_record = SCHEMA_OF("cluster", struct cluster, cluster_record_fields);
