#include "api/schemas/taskdef_deletes.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct delete_task_definitions_request, member)
static const struct field delete_task_definitions_request_fields[] = {
    { STR_INIT("taskDefinitions"),  1, FIELD_LIST,   AT(task_definitions), .element = FIELD_STR, .required = true },
};
#undef AT
const struct schema delete_task_definitions_request_schema =
    SCHEMA_OF("DeleteTaskDefinitionsRequest", struct delete_task_definitions_request, delete_task_definitions_request_fields);

#define AT(member) .offset = offsetof(struct delete_task_definitions_response, member)
static const struct field delete_task_definitions_response_fields[] = {
    { STR_INIT("taskDefinitions"),  1, FIELD_LIST,   AT(task_definitions), .element = FIELD_STRUCT,
      .schema = &task_definition_schema },
    { STR_INIT("failures"),         2, FIELD_LIST,   AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema delete_task_definitions_response_schema =
    SCHEMA_OF("DeleteTaskDefinitionsResponse", struct delete_task_definitions_response,
              delete_task_definitions_response_fields);
