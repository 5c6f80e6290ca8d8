/* event_cache.h: the changes after a revision, printed once for all viewers with the same state. Viewers get changes at common moments, so most of
 * them have the same state. A viewer that comes later, or was slow, has its own changes printed once, and is with the others from the next moment on. */
#ifndef BERTH_SERVER_LIVE_EVENT_CACHE_H
#define BERTH_SERVER_LIVE_EVENT_CACHE_H

#include "base/buf.h"

struct event_cache;
struct event_cache *event_cache_create(void);                        /* owned */
void                event_cache_destroy(struct event_cache *cache);  /* accepts NULL */

/* Appends to `out` the changes after `since`, and sets *until to the last revision among them. False: it can't be read now. */
typedef bool event_printer(const void *context, int64_t since, int64_t *until, struct buf *out);

/* Adds what changed after *since to `out`, printed by `print` or by an earlier call for another viewer, and moves *since there. Any thread; one prints
 * at a time. False, with *since and `out` as they were: the printer returned false. */
bool event_cache_tell(struct event_cache *cache, int64_t *since, event_printer *print, const void *context, struct buf *out);

/* The first of the common moments after `ms`; they are `every_ms` apart. */
int64_t event_cache_moment(int64_t ms, int64_t every_ms);

#endif
