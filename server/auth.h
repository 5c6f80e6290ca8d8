/* auth.h: who asks. Verifies signatures (Signature Version 4, header form) and, for the page, HTTP Basic, against the access
 * keys in the store; and the temporary keys of tasks' roles by their session token. Knows the order of checks and the words of
 * ECS's front end; refuses to know what a caller may do: that is the operations' table and the routes. A key that is revoked stops
 * working within a second. */
#ifndef BERTH_SERVER_AUTH_H
#define BERTH_SERVER_AUTH_H

#include "api/api.h"
#include "server/http.h"

struct auth;
/* Owned; all borrowed. `role_key`: as in api_config. */
struct auth *auth_create(struct store *store, struct str region, struct str role_key);
void         auth_destroy(struct auth *auth);                        /* accepts NULL */

/* `service` is what the scope must name, "ecs", "sts", "ssm". *caller borrows from the request's arena. */
MUST_USE bool auth_check(struct auth *auth, const struct http_request *request, struct str service, struct caller *caller,
                         struct err *err);

/* For what a browser reads: a signature (service ecs); or a loopback peer that called us by a loopback name and through no
 * proxy; or HTTP Basic with a key's id and secret. */
MUST_USE bool auth_check_reader(struct auth *auth, const struct http_request *request, struct caller *caller, struct err *err);

bool auth_is_loopback(struct str address);                           /* "127.0.0.1", "::1" */

#endif
