/* task_access.h: inputs and outputs of the operations on task access, in the order of the API model. Written by tools/shapes from
 * api/schemas/task_access.shapes. */
#ifndef BERTH_API_SCHEMAS_TASK_ACCESS_H
#define BERTH_API_SCHEMAS_TASK_ACCESS_H

#include "model/ecs/common.h"

struct get_task_protection_request {
    struct str cluster;
    struct str_list tasks;
};
struct get_task_protection_request_list { struct get_task_protection_request *items; size_t count; };
extern const struct schema get_task_protection_request_schema;

struct protected_task {
    struct str task_arn;
    enum opt_bool protection_enabled;
    int64_t expiration_date;
};
struct protected_task_list { struct protected_task *items; size_t count; };
extern const struct schema protected_task_schema;

struct get_task_protection_response {
    struct protected_task_list protected_tasks;
    struct failure_list failures;
};
struct get_task_protection_response_list { struct get_task_protection_response *items; size_t count; };
extern const struct schema get_task_protection_response_schema;

struct update_task_protection_request {
    struct str cluster;
    struct str_list tasks;
    enum opt_bool protection_enabled;
    struct opt_int expires_in_minutes;
};
struct update_task_protection_request_list { struct update_task_protection_request *items; size_t count; };
extern const struct schema update_task_protection_request_schema;

struct update_task_protection_response {
    struct protected_task_list protected_tasks;
    struct failure_list failures;
};
struct update_task_protection_response_list { struct update_task_protection_response *items; size_t count; };
extern const struct schema update_task_protection_response_schema;

struct execute_command_request {
    struct str cluster;
    struct str container;
    struct str command;
    enum opt_bool interactive;
    struct str task;
};
struct execute_command_request_list { struct execute_command_request *items; size_t count; };
extern const struct schema execute_command_request_schema;

struct session {
    struct str session_id;
    struct str stream_url;
    struct str token_value;
};
struct session_list { struct session *items; size_t count; };
extern const struct schema session_schema;

struct execute_command_response {
    struct str cluster_arn;
    struct str container_arn;
    struct str container_name;
    enum opt_bool interactive;
    struct session *session;                 /* from outside (op_ctx.outside) */
    struct str task_arn;
    struct id instance;                      /* not on the wire: where the task runs, and the command to run */
    struct str_list words;
};
struct execute_command_response_list { struct execute_command_response *items; size_t count; };
extern const struct schema execute_command_response_schema;

/* SSM, as a client of ExecuteCommand calls it: the input of ResumeSession, input and output of TerminateSession. */
struct session_reference {
    struct str session_id;
};
struct session_reference_list { struct session_reference *items; size_t count; };
extern const struct schema session_reference_schema;

struct resume_session_response {
    struct session session;                  /* token and address: from outside, absent when the session is over */
};
struct resume_session_response_list { struct resume_session_response *items; size_t count; };
extern const struct schema resume_session_response_schema;

#endif
