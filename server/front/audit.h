/* audit.h: the lines of the audit, one for each call that changes something. Knows requests, callers and replies; refuses to know handlers. */
#ifndef BERTH_SERVER_FRONT_AUDIT_H
#define BERTH_SERVER_FRONT_AUDIT_H

#include "base/log.h"
#include "server/front/front.h"
#include "wire/wire.h"

struct audit {                               /* of a call that was answered or refused */
    const struct http_request *request; const struct caller *caller;
    struct str service, operation;
    const struct api_call *call;             /* read when it went well; NULL: its reply names nothing */
    enum log_level level;
    const struct err *err;
};
void audit_call(const struct front *front, const struct audit *audit);
/* A command in a container: its task and its name. */
void audit_exec(const struct http_request *request, const struct caller *caller, const struct wire_exec *message, const struct err *err);
/* One report of an agent: a batch has one call, but each report is an operation. Shown at level debug. */
void audit_report(const struct http_request *request, const struct caller *caller, struct str operation, struct str task, const struct err *err);

#endif
