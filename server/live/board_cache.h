/* board_cache.h: the whole board, printed once for all viewers who ask for it at the same time, as they do after a change so large that all of them
 * must load it again. */
#ifndef BERTH_SERVER_LIVE_BOARD_CACHE_H
#define BERTH_SERVER_LIVE_BOARD_CACHE_H

#include "base/buf.h"

struct board_cache;
struct board_cache *board_cache_create(void);                        /* owned */
void                board_cache_destroy(struct board_cache *cache);  /* accepts NULL; no call may be running */

/* Appends the board as it is now. False: it can't be read. */
typedef bool board_printer(const void *context, struct buf *out);

/* Adds a board to `out` that was read after this call began, printed by `print` or by another caller's printer. One prints at a time, and callers that
 * come meanwhile wait for the next board. False, with `out` as it was: the printer returned false. Any thread. */
bool board_cache_take(struct board_cache *cache, board_printer *print, const void *context, struct buf *out);

#endif
