/* grpc.h: calls of etcd by gRPC, over libcurl's HTTP/2; messages by messages.h. Knows endpoints, patience, users and certificates; refuses to
 * know keys.
 *
 * A call goes to the endpoint that answered last, and to the next one when that gives no answer in its share of the time. So a call may reach etcd twice:
 * callers only make calls that may. Any thread, several at a time. */
#ifndef BERTH_HA_GRPC_H
#define BERTH_HA_GRPC_H

#include "ha/engine.h"
#include "ha/messages.h"

struct grpc;

MUST_USE bool grpc_open(const struct ha_etcd_config *config, struct grpc **grpc, struct err *err);       /* *grpc owned */
void          grpc_close(struct grpc *grpc);                         /* accepts NULL; no call runs */
struct str    grpc_name(const struct grpc *grpc);                    /* of the cluster, as the URL ends; lent */

/* `request`: a message of etcd.proto. The answer, one too, is in `arena` (of HA_ARENA); NULL: there was none, or etcd said that it failed. Then
 * grpc_problem has the words. *full (NULL: not asked): the one endpoint that was asked said that etcd has no space, so nothing has changed. */
const void   *grpc_call(struct grpc *grpc, enum grpc_method method, const void *request, struct arena *arena, int64_t until_ms, bool *full);
/* A watch: returns when an answer with events has come, or at that time. `request`: of GRPC_WATCH. */
void          grpc_listen(struct grpc *grpc, const void *request, int64_t until_ms);
void          grpc_problem(struct grpc *grpc, char words[HA_PROBLEM_SIZE]);            /* of the last call that failed; empty: none has */
void          grpc_health(struct grpc *grpc, struct ha_health *health, int64_t until_ms);         /* all but the alarm */

#endif
