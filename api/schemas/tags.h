/* tags.h: inputs and outputs of the operations on tags, in the order of the API model. Written by tools/shapes from
 * api/schemas/tags.shapes. */
#ifndef BERTH_API_SCHEMAS_TAGS_H
#define BERTH_API_SCHEMAS_TAGS_H

#include "model/ecs/common.h"

struct tag_resource_request {
    struct str resource_arn;
    struct tag_list tags;
};
struct tag_resource_request_list { struct tag_resource_request *items; size_t count; };
extern const struct schema tag_resource_request_schema;

struct untag_resource_request {
    struct str resource_arn;
    struct str_list tag_keys;
};
struct untag_resource_request_list { struct untag_resource_request *items; size_t count; };
extern const struct schema untag_resource_request_schema;

struct list_tags_for_resource_request {
    struct str resource_arn;
};
struct list_tags_for_resource_request_list { struct list_tags_for_resource_request *items; size_t count; };
extern const struct schema list_tags_for_resource_request_schema;

struct list_tags_for_resource_response {
    struct tag_list tags;
};
struct list_tags_for_resource_response_list { struct list_tags_for_resource_response *items; size_t count; };
extern const struct schema list_tags_for_resource_response_schema;

#endif
