/* Written by tools/shapes from api/schemas/tags.shapes. */
#include "api/schemas/tags.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct tag_resource_request, member)
static const struct field tag_resource_request_schema_fields[] = {
    { STR_INIT("resourceArn"), 1, FIELD_STR, AT(resource_arn), .required = true },
    { STR_INIT("tags"), 2, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50, .required = true },
};
#undef AT
const struct schema tag_resource_request_schema = SCHEMA_OF("TagResourceRequest", struct tag_resource_request,
    tag_resource_request_schema_fields);

#define AT(member) .offset = offsetof(struct untag_resource_request, member)
static const struct field untag_resource_request_schema_fields[] = {
    { STR_INIT("resourceArn"), 1, FIELD_STR, AT(resource_arn), .required = true },
    { STR_INIT("tagKeys"), 2, FIELD_LIST, AT(tag_keys), .element = FIELD_STR, .required = true },
};
#undef AT
const struct schema untag_resource_request_schema = SCHEMA_OF("UntagResourceRequest", struct untag_resource_request,
    untag_resource_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_tags_for_resource_request, member)
static const struct field list_tags_for_resource_request_schema_fields[] = {
    { STR_INIT("resourceArn"), 1, FIELD_STR, AT(resource_arn), .required = true },
};
#undef AT
const struct schema list_tags_for_resource_request_schema = SCHEMA_OF("ListTagsForResourceRequest",
    struct list_tags_for_resource_request, list_tags_for_resource_request_schema_fields);

#define AT(member) .offset = offsetof(struct list_tags_for_resource_response, member)
static const struct field list_tags_for_resource_response_schema_fields[] = {
    { STR_INIT("tags"), 1, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema, .max = 50 },
};
#undef AT
const struct schema list_tags_for_resource_response_schema = SCHEMA_OF("ListTagsForResourceResponse",
    struct list_tags_for_resource_response, list_tags_for_resource_response_schema_fields);
