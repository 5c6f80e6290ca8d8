/* target_checks.h: the health checks that the server makes itself: of targets that no agent of Berth checks. Knows a checker (wire/checker.h) and the
 * store's list; the ticker asks it each second. */
#ifndef BERTH_SERVER_CALLS_TARGET_CHECKS_H
#define BERTH_SERVER_CALLS_TARGET_CHECKS_H

#include "api/core/api.h"

struct target_checks;
struct target_checks *target_checks_create(struct store *store, const struct api_config *api);       /* owned; both are lent */
/* Takes the list again if the traffic has changed. True: there is news, and `call` is the job that tells it. */
bool target_checks_look(struct target_checks *checks, struct arena *arena, struct api_call *call);
void target_checks_told(struct target_checks *checks);         /* the job has run */
void target_checks_free(struct target_checks *checks);         /* accepts NULL */

#endif
