/* provision.h: makes the calls of pools to their provisioners, outside of the writer, and hands their ends to it (berth:Provisioned). Each provisioner has
 * a thread, which makes one call at a time. A call that waits or is on its way is not taken again; one whose end can't be written is only logged, because
 * a later step names it again.
 *
 *   exec     PROGRAM VERB, with the call as JSON on its input and the answer on its output; exit status 75: later
 *   http     POST URL/VERB of the same; status 429 or 503: later
 *   static   hosts that exist: woken by Wake-on-LAN or a command, ended by a command
 *   fake     simulated machines: `berth agent --fake TYPE` as children of the server */
#ifndef BERTH_SERVER_PROVISION_PROVISION_H
#define BERTH_SERVER_PROVISION_PROVISION_H

#include "server/calls/calls.h"
#include "server/writing/writer.h"

struct provision;
struct provision_config { const char *file; struct calls *calls; };      /* file: of --provisioners; NULL: there are no provisioners. The calls are lent */
struct provision *provision_create(const struct provision_config *config, struct err *err);      /* owned; NULL: the file can't be read */
MUST_USE bool     provision_start(struct provision *provision, struct writer *writer, struct err *err);      /* the writer is lent until the stop */
void              provision_make(struct provision *provision, const struct provision_call *first);         /* a list, copied; from any thread */
void              provision_stop(struct provision *provision);   /* ends the calls that are on their way, then the threads; accepts NULL */
void              provision_free(struct provision *provision);   /* after the writer's end; accepts NULL */

#endif
