/* gateway.h: calls of etcd's JSON gateway (/v3/...), over libcurl. Knows endpoints, patience, users and certificates; refuses to know keys.
 *
 * A call goes to the endpoint that answered last, and to the next one when that gives no answer in its share of the time. So a call may reach etcd twice:
 * callers only make calls that may. Any thread, several at a time. */
#ifndef BERTH_HA_GATEWAY_H
#define BERTH_HA_GATEWAY_H

#include "base/json.h"
#include "ha/engine.h"

struct gateway;
enum { GATEWAY_ANSWER_MAX = 96 << 20 };      /* bytes of an answer */

MUST_USE bool gateway_open(const struct ha_etcd_config *config, struct gateway **gateway, struct err *err);      /* *gateway owned */
void          gateway_close(struct gateway *gateway);                /* accepts NULL; no call runs */
struct str    gateway_name(const struct gateway *gateway);           /* of the cluster, as the URL ends; lent */

/* The answer as a tree in `arena`; NULL: there was none, or etcd said that it failed. Then gateway_problem has the words. *full (NULL: not asked): the one
 * endpoint that was asked said that etcd has no space, so nothing has changed. */
const struct json *gateway_call(struct gateway *gateway, const char *path, struct str body, struct arena *arena, int64_t until_ms, bool *full);
/* A stream of answers: returns when one has come that holds `word`, or at that time. */
void          gateway_listen(struct gateway *gateway, const char *path, struct str body, const char *word, int64_t until_ms);
enum { GATEWAY_PROBLEM_SIZE = 256 };
void          gateway_problem(struct gateway *gateway, char words[GATEWAY_PROBLEM_SIZE]);        /* of the last call that failed; empty: none has */
void          gateway_health(struct gateway *gateway, struct ha_health *health, int64_t until_ms);      /* all but the alarm */

#endif
