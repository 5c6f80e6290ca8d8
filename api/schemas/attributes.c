/* Written by tools/shapes from api/schemas/attributes.shapes. */
#include "api/schemas/attributes.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct put_attributes_request, member)
static const struct field put_attributes_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("attributes"), 2, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &attribute_schema, .min = 1,
      .max = 10, .required = true },
};
#undef AT
const struct schema put_attributes_request_schema = SCHEMA_OF("PutAttributesRequest", struct put_attributes_request,
    put_attributes_request_schema_fields);

#define AT(member) .offset = offsetof(struct put_attributes_response, member)
static const struct field put_attributes_response_schema_fields[] = {
    { STR_INIT("attributes"), 1, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &attribute_schema },
};
#undef AT
const struct schema put_attributes_response_schema = SCHEMA_OF("PutAttributesResponse", struct put_attributes_response,
    put_attributes_response_schema_fields);

#define AT(member) .offset = offsetof(struct delete_attributes_request, member)
static const struct field delete_attributes_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("attributes"), 2, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &attribute_schema, .min = 1,
      .max = 10, .required = true },
};
#undef AT
const struct schema delete_attributes_request_schema = SCHEMA_OF("DeleteAttributesRequest", struct delete_attributes_request,
    delete_attributes_request_schema_fields);

#define AT(member) .offset = offsetof(struct delete_attributes_response, member)
static const struct field delete_attributes_response_schema_fields[] = {
    { STR_INIT("attributes"), 1, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &attribute_schema },
};
#undef AT
const struct schema delete_attributes_response_schema = SCHEMA_OF("DeleteAttributesResponse", struct delete_attributes_response,
    delete_attributes_response_schema_fields);

#define AT(member) .offset = offsetof(struct list_attributes_request, member)
static const struct field list_attributes_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("targetType"), 2, FIELD_ENUM, AT(target_type), .names = &target_type_names, .required = true,
      .complaint = "targetType must be container-instance" },
    { STR_INIT("attributeName"), 3, FIELD_STR, AT(attribute_name) },
    { STR_INIT("attributeValue"), 4, FIELD_STR, AT(attribute_value) },
    { STR_INIT("nextToken"), 5, FIELD_STR, AT(next_token) },
    { STR_INIT("maxResults"), 6, FIELD_INT, AT(max_results), .min = 1, .max = 100 },
};
#undef AT
const struct schema list_attributes_request_schema = SCHEMA_OF("ListAttributesRequest", struct list_attributes_request,
    list_attributes_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_attributes_response, member)
static const struct field list_attributes_response_schema_fields[] = {
    { STR_INIT("attributes"), 1, FIELD_LIST, AT(attributes), .element = FIELD_STRUCT, .schema = &attribute_schema },
    { STR_INIT("nextToken"), 2, FIELD_STR, AT(next_token) },
};
#undef AT
const struct schema list_attributes_response_schema = SCHEMA_OF("ListAttributesResponse", struct list_attributes_response,
    list_attributes_response_schema_fields);
