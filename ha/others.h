/* others.h: what the members that are written down in the log have, for the one that leads. */
#ifndef BERTH_HA_OTHERS_H
#define BERTH_HA_OTHERS_H

#include "ha/engine.h"

/* Entries below *below may go: every member that is written down has them, and OTHERS_KEPT more stay for members that come back. While a member is alone, only
 * its own disk has the rest: then OTHERS_KEPT_ALONE entries stay. `last`: of the leader. False: the log did not answer. */
enum { OTHERS_KEPT = 20000, OTHERS_KEPT_ALONE = 1000000 };
MUST_USE bool others_trim_point(struct ha_engine *engine, int64_t last, int64_t *below, int64_t until_ms);

/* Another member could take the lead at once: it has nearly all that `mine` has. */
bool others_can_lead(struct ha_engine *engine, const struct ha_member *mine, int64_t until_ms);

/* Tells an operator, each minute, that no other member keeps up any more: one that has stopped at an entry, has a full disk, or is gone. */
struct others { bool had; int64_t told_ms; };                /* had: another one kept up since this member leads; told_ms: 0: all is well */
void others_look(struct others *others, struct ha_engine *engine, const struct ha_member *mine, int64_t now_ms);

#endif
