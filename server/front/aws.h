/* aws.h: the calls that clients of AWS make, and what their handlers borrow. */
#ifndef BERTH_SERVER_FRONT_AWS_H
#define BERTH_SERVER_FRONT_AWS_H

#include "server/front/front.h"

struct aws_paths {                           /* all lent */
    const struct front *front;
    struct last_run *last_run;
    struct sessions *sessions; struct command_sessions *commands;        /* of ExecuteCommand */
    struct logs *logs;                       /* of CloudWatch Logs */
    struct client_metrics *client_metrics;
    struct samples *samples;
    struct archive *archive;                 /* or NULL */
};

PATH_HANDLER(aws_handle);                    /* of struct aws_paths */
/* Does it only read records? Then any of several servers may answer it. */
bool aws_is_read(const struct http_request *request);
PATH_HANDLER(other_service_handle);          /* of struct front: services that Berth does not serve */
bool other_service_is_meant(const struct http_request *request);
bool other_service_scope(const struct http_request *request, struct str *scope);      /* the service that it is signed for; false: it does not say */

/* outside.c: the port of operations to log files, sessions of ExecuteCommand and metrics of clients; lent for one call, as `call` is. */
struct outside_call { const struct aws_paths *aws; const struct http_request *request; };
struct outside outside_of(struct outside_call *call);

#endif
