/* auth.h: who asks. Verifies signatures (Signature Version 4, header form) and, for the page, HTTP Basic, against the access
 * keys in the store; and the temporary keys of tasks' roles by their session token. Knows the order of checks and the words of
 * ECS's front end; refuses to know what a caller may do: that is the operations' table and the routes. A key that is revoked stops
 * working within a second. After 20 wrong secrets for a key from one address within a minute the others of that minute are ERR_THROTTLING, with
 * retry_after_s: wrong signatures, passwords, and signatures of the root key. */
#ifndef BERTH_SERVER_FRONT_AUTH_H
#define BERTH_SERVER_FRONT_AUTH_H

#include "api/core/api.h"
#include "server/net/http.h"

/* Readers of the page without a key: those on this machine until the first key is made, or always; or none. */
enum dashboard { DASHBOARD_UNTIL_KEY, DASHBOARD_LOOPBACK, DASHBOARD_OFF };
struct auth_config { struct store *store; struct str region; enum dashboard dashboard; };

struct auth;
struct auth *auth_create(const struct auth_config *config);          /* owned; all in it is borrowed */
void         auth_destroy(struct auth *auth);                        /* accepts NULL */

/* `service` is what the scope must name, "ecs", "sts", "ssm". *caller borrows from the request's arena. */
MUST_USE bool auth_check(struct auth *auth, const struct http_request *request, struct str service, struct caller *caller,
                         struct err *err);

/* For what a browser reads: a signature (service ecs); or, where the dashboard is open, a loopback peer that called us by a loopback name,
 * through no proxy and not from another site's page; or HTTP Basic with a key's id and secret. */
MUST_USE bool auth_check_reader(struct auth *auth, const struct http_request *request, struct caller *caller, struct err *err);

/* Why somebody was not let in. */
enum refusal {
    REFUSED_NO_KEY, REFUSED_MALFORMED, REFUSED_UNKNOWN_KEY, REFUSED_SIGNATURE, REFUSED_PASSWORD, REFUSED_EXPIRED, REFUSED_CLOCK, REFUSED_SCOPE,
    REFUSED_THROTTLED, REFUSED_STORE, REFUSED_COUNT
};
void auth_print_metrics(const struct auth *auth, struct buf *out);

bool auth_is_loopback(struct str address);                           /* "127.0.0.1", "::1" */

#endif
