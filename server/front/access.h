/* access.h: who may use a path of Berth's own, by the role of the caller's key. Knows roles; auth.h checks the signature. */
#ifndef BERTH_SERVER_FRONT_ACCESS_H
#define BERTH_SERVER_FRONT_ACCESS_H

#include "server/front/front.h"

MUST_USE bool access_check_agent(const struct front *front, const struct http_request *request, struct caller *caller, struct err *err);
/* By a signature alone: a browser sends a password that it has kept for any page that posts here. */
MUST_USE bool access_check_admin(const struct front *front, const struct http_request *request, struct caller *caller, struct err *err);
/* For paths that show all machines at once: a key that is bound to some may not read them. */
MUST_USE bool access_check_reader(const struct front *front, const struct http_request *request, struct caller *caller, struct err *err);
/* May the caller act for that machine (api/core/binding.h)? */
MUST_USE bool access_check_binding(const struct front *front, struct http_request *request, const struct caller *caller, struct id instance,
                                   struct err *err);

#endif
