/* news.h: what happened behind a revision, printed once for all viewers who have seen the same. Viewers are told at common moments, so
 * that all of them have; one who comes later, or was slow, has its own printed once and is with the others from the next moment on.
 * And the whole board, printed once for all who ask for it at the same time, as they do when so much happened that all are told to. */
#ifndef BERTH_SERVER_LIVE_NEWS_H
#define BERTH_SERVER_LIVE_NEWS_H

#include "base/buf.h"

struct news;
struct news *news_create(void);                          /* owned */
void         news_destroy(struct news *news);            /* accepts NULL */

/* Appends to `out` what happened behind `since`, and says up to which revision. False: it can't be told now. */
typedef bool news_printer(void *context, int64_t since, int64_t *until, struct buf *out);

/* Adds what happened behind *since to `out`, printed by `print` or by an earlier call for somebody else, and moves *since there. Any thread;
 * one prints at a time. False, *since and `out` as they were: `print` said so. */
bool news_tell(struct news *news, int64_t *since, news_printer *print, void *context, struct buf *out);

struct boards;
struct boards *boards_create(void);                      /* owned */
void           boards_destroy(struct boards *boards);    /* accepts NULL; nobody may be asking */

/* Appends the board as it is now. False: it can't be read. */
typedef bool board_printer(void *context, struct buf *out);

/* Adds a board to `out` that was read after this call began, printed by `print` or by somebody else's: one prints at a time, and who comes
 * meanwhile waits for the next. False, `out` as it was: the printer said so. */
bool boards_take(struct boards *boards, board_printer *print, void *context, struct buf *out);

/* The next of the common moments, `every_ms` apart, behind `ms`. */
int64_t news_moment(int64_t ms, int64_t every_ms);

#endif
