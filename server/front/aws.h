/* aws.h: the calls that clients of AWS make, and what their handlers borrow. */
#ifndef BERTH_SERVER_FRONT_AWS_H
#define BERTH_SERVER_FRONT_AWS_H

#include "server/front/front.h"

struct aws_paths {                           /* all lent */
    const struct front *front;
    struct last_run *last_run;
    struct sessions *sessions; struct command_sessions *commands;        /* of ExecuteCommand */
    struct logs *logs;                       /* of CloudWatch Logs */
};

PATH_HANDLER(ecs_handle);                    /* of struct aws_paths */
PATH_HANDLER(logs_api_handle);               /* logs/api.c; of struct aws_paths */
PATH_HANDLER(sts_handle);                    /* of struct front */
PATH_HANDLER(other_service_handle);          /* of struct front */
bool sts_is_meant(const struct http_request *request);
bool logs_api_is_meant(const struct http_request *request);
bool other_service_is_meant(const struct http_request *request);

/* command_calls.c: opens, renews or ends a session of ExecuteCommand when such a read went well, before it is answered. */
MUST_USE bool command_calls_complete(const struct aws_paths *aws, struct http_request *request, const struct caller *caller, struct api_call *call,
                                     struct err *err);

#endif
