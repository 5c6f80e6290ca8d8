/* taskdef_deletes.h: inputs and outputs of the operations on taskdef deletes, in the order of the API model. A limit is a cell in the
 * table. */
#ifndef BERTH_API_SCHEMAS_TASKDEF_DELETES_H
#define BERTH_API_SCHEMAS_TASKDEF_DELETES_H

#include "model/ecs/taskdef.h"

struct delete_task_definitions_request {
    struct str_list task_definitions;
};
extern const struct schema delete_task_definitions_request_schema;

struct delete_task_definitions_response {
    struct task_definition_list task_definitions;
    struct failure_list failures;
};
extern const struct schema delete_task_definitions_response_schema;

#endif
