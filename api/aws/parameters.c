/* Written by tools/shapes from api/aws/parameters.shapes. */
#include "api/aws/parameters.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct put_parameter_request, member)
static const struct field put_parameter_request_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 2048, .required = true },
    { STR_INIT("Description"), 2, FIELD_STR, AT(description), .max = 1024 },
    { STR_INIT("Value"), 3, FIELD_STR, AT(value), .required = true },
    { STR_INIT("Type"), 4, FIELD_ENUM, AT(type), .names = &parameter_type_names },
    { STR_INIT("KeyId"), 5, FIELD_STR, AT(key_id), .min = 1, .max = 256 },
    { STR_INIT("Overwrite"), 6, FIELD_BOOL, AT(overwrite) },
    { STR_INIT("AllowedPattern"), 7, FIELD_STR, AT(allowed_pattern), .max = 1024 },
    { STR_INIT("Tags"), 8, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 1000 },
    { STR_INIT("Tier"), 9, FIELD_ENUM, AT(tier), .names = &parameter_tier_names },
    { STR_INIT("Policies"), 10, FIELD_STR, AT(policies), .min = 1, .max = 4096 },
    { STR_INIT("DataType"), 11, FIELD_STR, AT(data_type), .max = 128 },
};
#undef AT
const struct schema put_parameter_request_schema = SCHEMA_OF("PutParameterRequest", struct put_parameter_request,
    put_parameter_request_schema_fields);

#define AT(member) .offset = offsetof(struct put_parameter_response, member)
static const struct field put_parameter_response_schema_fields[] = {
    { STR_INIT("Version"), 1, FIELD_LONG, AT(version) },
    { STR_INIT("Tier"), 2, FIELD_ENUM, AT(tier), .names = &parameter_tier_names },
};
#undef AT
const struct schema put_parameter_response_schema = SCHEMA_OF("PutParameterResponse", struct put_parameter_response,
    put_parameter_response_schema_fields);

#define AT(member) .offset = offsetof(struct parameter, member)
static const struct field parameter_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name) },
    { STR_INIT("Type"), 2, FIELD_ENUM, AT(type), .names = &parameter_type_names },
    { STR_INIT("Value"), 3, FIELD_STR, AT(value) },
    { STR_INIT("Version"), 4, FIELD_LONG, AT(version) },
    { STR_INIT("Selector"), 5, FIELD_STR, AT(selector) },
    { STR_INIT("LastModifiedDate"), 6, FIELD_TIME, AT(last_modified_date) },
    { STR_INIT("ARN"), 7, FIELD_STR, AT(arn) },
    { STR_INIT("DataType"), 8, FIELD_STR, AT(data_type) },
};
#undef AT
const struct schema parameter_schema = SCHEMA_OF("Parameter", struct parameter, parameter_schema_fields);

#define AT(member) .offset = offsetof(struct get_parameter_request, member)
static const struct field get_parameter_request_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 2048, .required = true },
    { STR_INIT("WithDecryption"), 2, FIELD_BOOL, AT(with_decryption) },
};
#undef AT
const struct schema get_parameter_request_schema = SCHEMA_OF("GetParameterRequest", struct get_parameter_request,
    get_parameter_request_schema_fields);

#define AT(member) .offset = offsetof(struct get_parameter_response, member)
static const struct field get_parameter_response_schema_fields[] = {
    { STR_INIT("Parameter"), 1, FIELD_STRUCT, AT(parameter), .schema = &parameter_schema },
};
#undef AT
const struct schema get_parameter_response_schema = SCHEMA_OF("GetParameterResponse", struct get_parameter_response,
    get_parameter_response_schema_fields);

#define AT(member) .offset = offsetof(struct get_parameters_request, member)
static const struct field get_parameters_request_schema_fields[] = {
    { STR_INIT("Names"), 1, FIELD_LIST, AT(names), .element = FIELD_STR, .min = 1, .max = 10, .required = true },
    { STR_INIT("WithDecryption"), 2, FIELD_BOOL, AT(with_decryption) },
};
#undef AT
const struct schema get_parameters_request_schema = SCHEMA_OF("GetParametersRequest", struct get_parameters_request,
    get_parameters_request_schema_fields);

#define AT(member) .offset = offsetof(struct get_parameters_response, member)
static const struct field get_parameters_response_schema_fields[] = {
    { STR_INIT("Parameters"), 1, FIELD_LIST, AT(parameters), .element = FIELD_STRUCT, .schema = &parameter_schema },
    { STR_INIT("InvalidParameters"), 2, FIELD_LIST, AT(invalid_parameters), .element = FIELD_STR },
};
#undef AT
const struct schema get_parameters_response_schema = SCHEMA_OF("GetParametersResponse", struct get_parameters_response,
    get_parameters_response_schema_fields);

#define AT(member) .offset = offsetof(struct parameter_filter, member)
static const struct field parameter_filter_schema_fields[] = {
    { STR_INIT("Key"), 1, FIELD_STR, AT(key), .min = 1, .max = 132, .required = true },
    { STR_INIT("Option"), 2, FIELD_STR, AT(option), .min = 1, .max = 10 },
    { STR_INIT("Values"), 3, FIELD_LIST, AT(values), .element = FIELD_STR, .min = 1, .max = 50 },
};
#undef AT
const struct schema parameter_filter_schema = SCHEMA_OF("ParameterStringFilter", struct parameter_filter,
    parameter_filter_schema_fields);

#define AT(member) .offset = offsetof(struct get_parameters_by_path_request, member)
static const struct field get_parameters_by_path_request_schema_fields[] = {
    { STR_INIT("Path"), 1, FIELD_STR, AT(path), .min = 1, .max = 2048, .required = true },
    { STR_INIT("Recursive"), 2, FIELD_BOOL, AT(recursive) },
    { STR_INIT("ParameterFilters"), 3, FIELD_LIST, AT(parameter_filters), .element = FIELD_STRUCT,
      .schema = &parameter_filter_schema },
    { STR_INIT("WithDecryption"), 4, FIELD_BOOL, AT(with_decryption) },
    { STR_INIT("MaxResults"), 5, FIELD_INT, AT(max_results), .min = 1, .max = 10 },
    { STR_INIT("NextToken"), 6, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema get_parameters_by_path_request_schema = SCHEMA_OF("GetParametersByPathRequest",
    struct get_parameters_by_path_request, get_parameters_by_path_request_schema_fields);

#define AT(member) .offset = offsetof(struct get_parameters_by_path_response, member)
static const struct field get_parameters_by_path_response_schema_fields[] = {
    { STR_INIT("Parameters"), 1, FIELD_LIST, AT(parameters), .element = FIELD_STRUCT, .schema = &parameter_schema },
    { STR_INIT("NextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema get_parameters_by_path_response_schema = SCHEMA_OF("GetParametersByPathResponse",
    struct get_parameters_by_path_response, get_parameters_by_path_response_schema_fields);

#define AT(member) .offset = offsetof(struct parameter_metadata, member)
static const struct field parameter_metadata_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name) },
    { STR_INIT("ARN"), 2, FIELD_STR, AT(arn) },
    { STR_INIT("Type"), 3, FIELD_ENUM, AT(type), .names = &parameter_type_names },
    { STR_INIT("KeyId"), 4, FIELD_STR, AT(key_id) },
    { STR_INIT("LastModifiedDate"), 5, FIELD_TIME, AT(last_modified_date) },
    { STR_INIT("LastModifiedUser"), 6, FIELD_STR, AT(last_modified_user) },
    { STR_INIT("Description"), 7, FIELD_STR, AT(description) },
    { STR_INIT("Version"), 8, FIELD_LONG, AT(version) },
    { STR_INIT("Tier"), 9, FIELD_ENUM, AT(tier), .names = &parameter_tier_names },
    { STR_INIT("DataType"), 10, FIELD_STR, AT(data_type) },
};
#undef AT
const struct schema parameter_metadata_schema = SCHEMA_OF("ParameterMetadata", struct parameter_metadata,
    parameter_metadata_schema_fields);

#define AT(member) .offset = offsetof(struct parameters_filter, member)
static const struct field parameters_filter_schema_fields[] = {
    { STR_INIT("Key"), 1, FIELD_STR, AT(key), .required = true },
    { STR_INIT("Values"), 2, FIELD_LIST, AT(values), .element = FIELD_STR, .min = 1, .max = 50, .required = true },
};
#undef AT
const struct schema parameters_filter_schema = SCHEMA_OF("ParametersFilter", struct parameters_filter,
    parameters_filter_schema_fields);

#define AT(member) .offset = offsetof(struct describe_parameters_request, member)
static const struct field describe_parameters_request_schema_fields[] = {
    { STR_INIT("Filters"), 1, FIELD_LIST, AT(filters), .element = FIELD_STRUCT, .schema = &parameters_filter_schema },
    { STR_INIT("ParameterFilters"), 2, FIELD_LIST, AT(parameter_filters), .element = FIELD_STRUCT,
      .schema = &parameter_filter_schema },
    { STR_INIT("MaxResults"), 3, FIELD_INT, AT(max_results), .min = 1, .max = 50 },
    { STR_INIT("NextToken"), 4, FIELD_STR, AT(next_token) },
    { STR_INIT("Shared"), 5, FIELD_BOOL, AT(shared) },
};
#undef AT
const struct schema describe_parameters_request_schema = SCHEMA_OF("DescribeParametersRequest",
    struct describe_parameters_request, describe_parameters_request_schema_fields);

#define AT(member) .offset = offsetof(struct describe_parameters_response, member)
static const struct field describe_parameters_response_schema_fields[] = {
    { STR_INIT("Parameters"), 1, FIELD_LIST, AT(parameters), .element = FIELD_STRUCT, .schema = &parameter_metadata_schema },
    { STR_INIT("NextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema describe_parameters_response_schema = SCHEMA_OF("DescribeParametersResponse",
    struct describe_parameters_response, describe_parameters_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_parameter_request, member)
static const struct field delete_parameter_request_schema_fields[] = {
    { STR_INIT("Name"), 1, FIELD_STR, AT(name), .min = 1, .max = 2048, .required = true },
};
#undef AT
const struct schema delete_parameter_request_schema = SCHEMA_OF("DeleteParameterRequest", struct delete_parameter_request,
    delete_parameter_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_parameters_request, member)
static const struct field delete_parameters_request_schema_fields[] = {
    { STR_INIT("Names"), 1, FIELD_LIST, AT(names), .element = FIELD_STR, .min = 1, .max = 10, .required = true },
};
#undef AT
const struct schema delete_parameters_request_schema = SCHEMA_OF("DeleteParametersRequest", struct delete_parameters_request,
    delete_parameters_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_parameters_response, member)
static const struct field delete_parameters_response_schema_fields[] = {
    { STR_INIT("DeletedParameters"), 1, FIELD_LIST, AT(deleted_parameters), .element = FIELD_STR },
    { STR_INIT("InvalidParameters"), 2, FIELD_LIST, AT(invalid_parameters), .element = FIELD_STR },
};
#undef AT
const struct schema delete_parameters_response_schema = SCHEMA_OF("DeleteParametersResponse", struct delete_parameters_response,
    delete_parameters_response_schema_fields);

#define AT(member) .offset = offsetof(struct add_tags_to_resource_request, member)
static const struct field add_tags_to_resource_request_schema_fields[] = {
    { STR_INIT("ResourceType"), 1, FIELD_STR, AT(resource_type), .required = true },
    { STR_INIT("ResourceId"), 2, FIELD_STR, AT(resource_id), .min = 1, .max = 2048, .required = true },
    { STR_INIT("Tags"), 3, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &upper_tag_schema, .max = 1000,
      .required = true },
};
#undef AT
const struct schema add_tags_to_resource_request_schema = SCHEMA_OF("AddTagsToResourceRequest",
    struct add_tags_to_resource_request, add_tags_to_resource_request_schema_fields);

#define AT(member) .offset = offsetof(struct remove_tags_from_resource_request, member)
static const struct field remove_tags_from_resource_request_schema_fields[] = {
    { STR_INIT("ResourceType"), 1, FIELD_STR, AT(resource_type), .required = true },
    { STR_INIT("ResourceId"), 2, FIELD_STR, AT(resource_id), .min = 1, .max = 2048, .required = true },
    { STR_INIT("TagKeys"), 3, FIELD_LIST, AT(tag_keys), .element = FIELD_STR, .required = true },
};
#undef AT
const struct schema remove_tags_from_resource_request_schema = SCHEMA_OF("RemoveTagsFromResourceRequest",
    struct remove_tags_from_resource_request, remove_tags_from_resource_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_parameter_tags_request, member)
static const struct field list_parameter_tags_request_schema_fields[] = {
    { STR_INIT("ResourceType"), 1, FIELD_STR, AT(resource_type), .required = true },
    { STR_INIT("ResourceId"), 2, FIELD_STR, AT(resource_id), .min = 1, .max = 2048, .required = true },
};
#undef AT
const struct schema list_parameter_tags_request_schema = SCHEMA_OF("ListTagsForResourceRequest",
    struct list_parameter_tags_request, list_parameter_tags_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_parameter_tags_response, member)
static const struct field list_parameter_tags_response_schema_fields[] = {
    { STR_INIT("TagList"), 1, FIELD_LIST, AT(tag_list), .element = FIELD_STRUCT, .schema = &upper_tag_schema },
};
#undef AT
const struct schema list_parameter_tags_response_schema = SCHEMA_OF("ListTagsForResourceResult",
    struct list_parameter_tags_response, list_parameter_tags_response_schema_fields);
