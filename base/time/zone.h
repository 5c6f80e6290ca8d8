/* zone.h: time zones by name, from the machine's zoneinfo files. No zone of the process is used or changed. Berth reads the files itself: the C library
 * knows the zone of the process alone, and a library for this alone would have to be on each machine. */
#ifndef BERTH_BASE_TIME_ZONE_H
#define BERTH_BASE_TIME_ZONE_H

#include "base/arena.h"
#include "base/err.h"

struct zone_period { int64_t from_s; int32_t offset_s; };       /* from this time of UTC on, local time is UTC and the offset */
struct zone { struct zone_period *periods; size_t count; };     /* the first begins before all time */

/* "Europe/Berlin"; "UTC", and an empty or absent name, need no file. Lives in `arena`. False and ERR_VALIDATION: there is no such zone, or its file
 * is broken. */
MUST_USE bool zone_load(struct str name, struct zone *zone, struct arena *arena, struct err *err);
/* The same of a file's bytes (RFC 8536). False: broken. */
MUST_USE bool zone_read(struct str bytes, struct zone *zone, struct arena *arena);

int64_t zone_to_local(const struct zone *zone, int64_t utc_s);                      /* seconds since 1970, as a clock in the zone shows them */
/* The first time at which a clock in the zone shows `local_s`. False: it is skipped there. */
bool    zone_from_local(const struct zone *zone, int64_t local_s, int64_t *utc_s);

#endif
