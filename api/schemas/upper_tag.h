/* upper_tag.h: the tag of Secrets Manager and SSM: the struct is ECS's, the members on the wire are Key and Value. Written by
 * tools/shapes from api/schemas/upper_tag.shapes. */
#ifndef BERTH_API_SCHEMAS_UPPER_TAG_H
#define BERTH_API_SCHEMAS_UPPER_TAG_H

#include "model/ecs/common.h"

extern const struct schema upper_tag_schema;

#endif
