/* attributes.h: inputs and outputs of the operations on attributes, in the order of the API model. Written by tools/shapes from
 * api/schemas/attributes.shapes. */
#ifndef BERTH_API_SCHEMAS_ATTRIBUTES_H
#define BERTH_API_SCHEMAS_ATTRIBUTES_H

#include "model/ecs/common.h"

struct put_attributes_request {
    struct str cluster;
    struct attribute_list attributes;
};
struct put_attributes_request_list { struct put_attributes_request *items; size_t count; };
extern const struct schema put_attributes_request_schema;

struct put_attributes_response {
    struct attribute_list attributes;
};
struct put_attributes_response_list { struct put_attributes_response *items; size_t count; };
extern const struct schema put_attributes_response_schema;

struct delete_attributes_request {
    struct str cluster;
    struct attribute_list attributes;
};
struct delete_attributes_request_list { struct delete_attributes_request *items; size_t count; };
extern const struct schema delete_attributes_request_schema;

struct delete_attributes_response {
    struct attribute_list attributes;
};
struct delete_attributes_response_list { struct delete_attributes_response *items; size_t count; };
extern const struct schema delete_attributes_response_schema;

struct list_attributes_request {
    struct str cluster;
    enum target_type target_type;
    struct str attribute_name;
    struct str attribute_value;
    struct str next_token;
    struct opt_int max_results;
};
struct list_attributes_request_list { struct list_attributes_request *items; size_t count; };
extern const struct schema list_attributes_request_schema;

struct list_attributes_response {
    struct attribute_list attributes;
    struct str next_token;
};
struct list_attributes_response_list { struct list_attributes_response *items; size_t count; };
extern const struct schema list_attributes_response_schema;

#endif
