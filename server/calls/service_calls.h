/* service_calls.h: makes the calls over HTTP that the steps of services name, and hands their ends to the writer (berth:ServiceCalled). A call that is on
 * its way, or whose end waits for the writer, is not made again. One that can't be made or whose end can't be written is only logged: a later step names
 * it again. */
#ifndef BERTH_SERVER_CALLS_SERVICE_CALLS_H
#define BERTH_SERVER_CALLS_SERVICE_CALLS_H

#include "server/calls/calls.h"
#include "server/writing/writer.h"

struct service_calls;
struct service_calls *service_calls_create(struct calls *calls);                     /* owned; the calls are lent */
void service_calls_start(struct service_calls *own, struct writer *writer);          /* the writer is lent; before the first call */
void service_calls_make(struct service_calls *own, const struct service_call *first);        /* a list, copied; from any thread */
void service_calls_free(struct service_calls *own);                                  /* after calls_stop and writer_stop; accepts NULL */

#endif
