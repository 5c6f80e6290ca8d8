/* answers.h: what the end of a call over HTTP means: for a lifecycle hook, and for an alarm that Berth asks for. Pure: it changes the record that it is
 * given; the time is handed in, in ms since 1970. Texts borrow from the arguments or are in `arena`. */
#ifndef BERTH_API_SERVICES_ANSWERS_H
#define BERTH_API_SERVICES_ANSWERS_H

#include "api/core/api.h"
#include "model/service.h"

enum {
    HOOK_CALL_MS = 30 * 1000,                     /* a call of a hook may last */
    HOOK_DELAY_S = 30, HOOK_DELAY_MAX_S = 86400,  /* callBackDelay: the default, and the greatest */
    HOOK_DETAILS_MAX = 16 * 1024,                 /* bytes of hookDetails of an answer */
    HOOK_RETRIES = 3,
    CHECK_CALL_MS = 10 * 1000, CHECK_PAUSE_MS = 10 * 1000,
    CHECK_FAILURES_MAX = 3,                       /* calls of a check, one after the other, that bring no answer: ALARM */
};

/* A hook that is IN_PROGRESS: it becomes SUCCEEDED or FAILED, or is called again at its call_ms. Calls without an answer, and those that the receiver
 * answers with 5xx, are made again HOOK_RETRIES times. */
void answer_hook(struct kept_hook *hook, struct str target, const struct service_called *called, int64_t now_ms, struct arena *arena);
void answer_check(struct kept_check *check, const struct service_called *called, int64_t now_ms);
/* hookDetails of the next call: those of the service with the members of the last answer; each may be absent. Absent: both are. */
struct str answer_details(struct str given, struct str answered, struct arena *arena);

#endif
