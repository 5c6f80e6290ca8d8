/* Written by tools/shapes from api/schemas/tasksets.shapes. */
#include "api/schemas/tasksets.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct create_task_set_request, member)
static const struct field create_task_set_request_schema_fields[] = {
    { STR_INIT("service"), 1, FIELD_STR, AT(service), .required = true },
    { STR_INIT("cluster"), 2, FIELD_STR, AT(cluster), .required = true },
    { STR_INIT("externalId"), 3, FIELD_STR, AT(external_id) },
    { STR_INIT("taskDefinition"), 4, FIELD_STR, AT(task_definition), .required = true },
    { STR_INIT("networkConfiguration"), 5, FIELD_STRUCT, AT(network_configuration), .schema = &network_configuration_schema },
    { STR_INIT("loadBalancers"), 6, FIELD_LIST, AT(load_balancers), .element = FIELD_STRUCT, .schema = &load_balancer_schema,
      .max = 5 },
    { STR_INIT("serviceRegistries"), 7, FIELD_LIST, AT(service_registries), .element = FIELD_STRUCT,
      .schema = &service_registry_schema },
    { STR_INIT("launchType"), 8, FIELD_ENUM, AT(launch_type), .names = &launch_type_names },
    { STR_INIT("capacityProviderStrategy"), 9, FIELD_LIST, AT(capacity_provider_strategy), .element = FIELD_STRUCT,
      .schema = &capacity_provider_strategy_item_schema, .max = 20 },
    { STR_INIT("platformVersion"), 10, FIELD_STR, AT(platform_version) },
    { STR_INIT("scale"), 11, FIELD_STRUCT, AT(scale), .schema = &scale_schema },
    { STR_INIT("clientToken"), 12, FIELD_STR, AT(client_token), .max = 36 },
    { STR_INIT("tags"), 13, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
};
#undef AT
const struct schema create_task_set_request_schema = SCHEMA_OF("CreateTaskSetRequest", struct create_task_set_request,
    create_task_set_request_schema_fields);

#define AT(member) .offset = offsetof(struct create_task_set_response, member)
static const struct field create_task_set_response_schema_fields[] = {
    { STR_INIT("taskSet"), 1, FIELD_STRUCT, AT(task_set), .schema = &task_set_schema },
};
#undef AT
const struct schema create_task_set_response_schema = SCHEMA_OF("CreateTaskSetResponse", struct create_task_set_response,
    create_task_set_response_schema_fields);

#define AT(member) .offset = offsetof(struct update_task_set_request, member)
static const struct field update_task_set_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster), .required = true },
    { STR_INIT("service"), 2, FIELD_STR, AT(service), .required = true },
    { STR_INIT("taskSet"), 3, FIELD_STR, AT(task_set), .required = true },
    { STR_INIT("scale"), 4, FIELD_STRUCT, AT(scale), .schema = &scale_schema, .required = true },
};
#undef AT
const struct schema update_task_set_request_schema = SCHEMA_OF("UpdateTaskSetRequest", struct update_task_set_request,
    update_task_set_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_task_set_response, member)
static const struct field update_task_set_response_schema_fields[] = {
    { STR_INIT("taskSet"), 1, FIELD_STRUCT, AT(task_set), .schema = &task_set_schema },
};
#undef AT
const struct schema update_task_set_response_schema = SCHEMA_OF("UpdateTaskSetResponse", struct update_task_set_response,
    update_task_set_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_task_set_request, member)
static const struct field delete_task_set_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster), .required = true },
    { STR_INIT("service"), 2, FIELD_STR, AT(service), .required = true },
    { STR_INIT("taskSet"), 3, FIELD_STR, AT(task_set), .required = true },
    { STR_INIT("force"), 4, FIELD_BOOL, AT(force) },
};
#undef AT
const struct schema delete_task_set_request_schema = SCHEMA_OF("DeleteTaskSetRequest", struct delete_task_set_request,
    delete_task_set_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_task_set_response, member)
static const struct field delete_task_set_response_schema_fields[] = {
    { STR_INIT("taskSet"), 1, FIELD_STRUCT, AT(task_set), .schema = &task_set_schema },
};
#undef AT
const struct schema delete_task_set_response_schema = SCHEMA_OF("DeleteTaskSetResponse", struct delete_task_set_response,
    delete_task_set_response_schema_fields);

static const struct str task_set_field_words[] = { STR_INIT("TAGS") };
const struct enum_names task_set_field_names = { task_set_field_words, COUNT_OF(task_set_field_words) };

#define AT(member) .offset = offsetof(struct describe_task_sets_request, member)
static const struct field describe_task_sets_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster), .required = true },
    { STR_INIT("service"), 2, FIELD_STR, AT(service), .required = true },
    { STR_INIT("taskSets"), 3, FIELD_LIST, AT(task_sets), .element = FIELD_STR },
    { STR_INIT("include"), 4, FIELD_LIST, AT(include), .element = FIELD_ENUM, .names = &task_set_field_names },
};
#undef AT
const struct schema describe_task_sets_request_schema = SCHEMA_OF("DescribeTaskSetsRequest", struct describe_task_sets_request,
    describe_task_sets_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_task_sets_response, member)
static const struct field describe_task_sets_response_schema_fields[] = {
    { STR_INIT("taskSets"), 1, FIELD_LIST, AT(task_sets), .element = FIELD_STRUCT, .schema = &task_set_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema describe_task_sets_response_schema = SCHEMA_OF("DescribeTaskSetsResponse", struct describe_task_sets_response,
    describe_task_sets_response_schema_fields);

#define AT(member) .offset = offsetof(struct update_service_primary_task_set_request, member)
static const struct field update_service_primary_task_set_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster), .required = true },
    { STR_INIT("service"), 2, FIELD_STR, AT(service), .required = true },
    { STR_INIT("primaryTaskSet"), 3, FIELD_STR, AT(primary_task_set), .required = true },
};
#undef AT
const struct schema update_service_primary_task_set_request_schema = SCHEMA_OF("UpdateServicePrimaryTaskSetRequest",
    struct update_service_primary_task_set_request, update_service_primary_task_set_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_service_primary_task_set_response, member)
static const struct field update_service_primary_task_set_response_schema_fields[] = {
    { STR_INIT("taskSet"), 1, FIELD_STRUCT, AT(task_set), .schema = &task_set_schema },
};
#undef AT
const struct schema update_service_primary_task_set_response_schema = SCHEMA_OF("UpdateServicePrimaryTaskSetResponse",
    struct update_service_primary_task_set_response, update_service_primary_task_set_response_schema_fields);
