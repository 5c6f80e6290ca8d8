/* Written by tools/shapes from api/schemas/task_access.shapes. */
#include "api/schemas/task_access.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct get_task_protection_request, member)
static const struct field get_task_protection_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster), .required = true },
    { STR_INIT("tasks"), 2, FIELD_LIST, AT(tasks), .element = FIELD_STR, .max = 100 },
};
#undef AT
const struct schema get_task_protection_request_schema = SCHEMA_OF("GetTaskProtectionRequest", struct get_task_protection_request,
    get_task_protection_request_schema_fields);

#define AT(member) .offset = offsetof(struct protected_task, member)
static const struct field protected_task_schema_fields[] = {
    { STR_INIT("taskArn"), 1, FIELD_STR, AT(task_arn) },
    { STR_INIT("protectionEnabled"), 2, FIELD_BOOL, AT(protection_enabled), .always = true },
    { STR_INIT("expirationDate"), 3, FIELD_TIME, AT(expiration_date) },
};
#undef AT
const struct schema protected_task_schema = SCHEMA_OF("ProtectedTask", struct protected_task, protected_task_schema_fields);

#define AT(member) .offset = offsetof(struct get_task_protection_response, member)
static const struct field get_task_protection_response_schema_fields[] = {
    { STR_INIT("protectedTasks"), 1, FIELD_LIST, AT(protected_tasks), .element = FIELD_STRUCT, .schema = &protected_task_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema get_task_protection_response_schema = SCHEMA_OF("GetTaskProtectionResponse",
    struct get_task_protection_response, get_task_protection_response_schema_fields);

#define AT(member) .offset = offsetof(struct update_task_protection_request, member)
static const struct field update_task_protection_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster), .required = true },
    { STR_INIT("tasks"), 2, FIELD_LIST, AT(tasks), .element = FIELD_STR, .min = 1, .max = 10, .required = true },
    { STR_INIT("protectionEnabled"), 3, FIELD_BOOL, AT(protection_enabled), .required = true },
    { STR_INIT("expiresInMinutes"), 4, FIELD_INT, AT(expires_in_minutes), .min = 1, .max = 2880 },
};
#undef AT
const struct schema update_task_protection_request_schema = SCHEMA_OF("UpdateTaskProtectionRequest",
    struct update_task_protection_request, update_task_protection_request_schema_fields);

#define AT(member) .offset = offsetof(struct update_task_protection_response, member)
static const struct field update_task_protection_response_schema_fields[] = {
    { STR_INIT("protectedTasks"), 1, FIELD_LIST, AT(protected_tasks), .element = FIELD_STRUCT, .schema = &protected_task_schema },
    { STR_INIT("failures"), 2, FIELD_LIST, AT(failures), .element = FIELD_STRUCT, .schema = &failure_schema },
};
#undef AT
const struct schema update_task_protection_response_schema = SCHEMA_OF("UpdateTaskProtectionResponse",
    struct update_task_protection_response, update_task_protection_response_schema_fields);

#define AT(member) .offset = offsetof(struct execute_command_request, member)
static const struct field execute_command_request_schema_fields[] = {
    { STR_INIT("cluster"), 1, FIELD_STR, AT(cluster) },
    { STR_INIT("container"), 2, FIELD_STR, AT(container) },
    { STR_INIT("command"), 3, FIELD_STR, AT(command), .min = 1, .required = true },
    { STR_INIT("interactive"), 4, FIELD_BOOL, AT(interactive), .required = true },
    { STR_INIT("task"), 5, FIELD_STR, AT(task), .required = true },
};
#undef AT
const struct schema execute_command_request_schema = SCHEMA_OF("ExecuteCommandRequest", struct execute_command_request,
    execute_command_request_schema_fields);

#define AT(member) .offset = offsetof(struct session, member)
static const struct field session_schema_fields[] = {
    { STR_INIT("sessionId"), 1, FIELD_STR, AT(session_id) },
    { STR_INIT("streamUrl"), 2, FIELD_STR, AT(stream_url) },
    { STR_INIT("tokenValue"), 3, FIELD_STR, AT(token_value) },
};
#undef AT
const struct schema session_schema = SCHEMA_OF("Session", struct session, session_schema_fields);

#define AT(member) .offset = offsetof(struct execute_command_response, member)
static const struct field execute_command_response_schema_fields[] = {
    { STR_INIT("clusterArn"), 1, FIELD_STR, AT(cluster_arn) },
    { STR_INIT("containerArn"), 2, FIELD_STR, AT(container_arn) },
    { STR_INIT("containerName"), 3, FIELD_STR, AT(container_name) },
    { STR_INIT("interactive"), 4, FIELD_BOOL, AT(interactive), .always = true },
    { STR_INIT("session"), 5, FIELD_STRUCT, AT(session), .schema = &session_schema },
    { STR_INIT("taskArn"), 6, FIELD_STR, AT(task_arn) },
};
#undef AT
const struct schema execute_command_response_schema = SCHEMA_OF("ExecuteCommandResponse", struct execute_command_response,
    execute_command_response_schema_fields);

#define AT(member) .offset = offsetof(struct session_reference, member)
static const struct field session_reference_schema_fields[] = {
    { STR_INIT("SessionId"), 1, FIELD_STR, AT(session_id), .min = 1, .max = 96, .required = true },
};
#undef AT
const struct schema session_reference_schema = SCHEMA_OF("SessionReference", struct session_reference,
    session_reference_schema_fields);

#define AT(member) .offset = offsetof(struct resume_session_response, member)
static const struct field resume_session_response_schema_fields[] = {
    { STR_INIT("SessionId"), 1, FIELD_STR, AT(session.session_id) },
    { STR_INIT("TokenValue"), 2, FIELD_STR, AT(session.token_value) },
    { STR_INIT("StreamUrl"), 3, FIELD_STR, AT(session.stream_url) },
};
#undef AT
const struct schema resume_session_response_schema = SCHEMA_OF("ResumeSessionResponse", struct resume_session_response,
    resume_session_response_schema_fields);
