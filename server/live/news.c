#include "server/live/news.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/lock.h"

struct news {
    struct lock lock;                        /* guards all */
    int64_t since, until;                    /* what the text tells of; equal: nothing has been printed */
    char *text; size_t len, capacity;
};

struct news *news_create(void)
{
    struct news *news = array_zeroed(1, sizeof *news);
    lock_init(&news->lock);
    return news;
}

void news_destroy(struct news *news)
{
    if (news == NULL) { return; }
    lock_finish(&news->lock);
    free(news->text);
    free(news);
}

static void keep(struct news *news, int64_t since, int64_t until, struct str text)
{
    news->text = array_grow(news->text, &news->capacity, text.len, 1);
    if (text.len > 0) { memcpy(news->text, text.ptr, text.len); }
    news->len = text.len;
    news->since = since;
    news->until = until;
}

bool news_tell(struct news *news, int64_t *since, news_printer *print, void *context, struct buf *out)
{
    lock_take(&news->lock);
    bool known = news->since == *since && news->until > *since, good = true;
    size_t begin = out->len;
    int64_t until = *since;
    if (known) {
        buf_put(out, (struct str){ news->text, news->len });
        until = news->until;
    } else {
        good = print(context, *since, &until, out);
        if (good) { keep(news, *since, until, str_slice(buf_str(out), begin, out->len)); }
    }
    lock_drop(&news->lock);
    if (good) { *since = until; } else { out->len = begin; }
    return good;
}

/* ---- whole boards ---- */

struct boards {
    struct lock lock;                        /* guards all */
    struct lock_signal printed;
    uint64_t begun, ended;                   /* how many; one more begun: somebody prints */
    size_t waiting;
    bool good;                               /* what the last printer said; text is there only while somebody waits */
    char *text; size_t len;
};

struct boards *boards_create(void)
{
    struct boards *boards = array_zeroed(1, sizeof *boards);
    lock_init(&boards->lock);
    lock_signal_init(&boards->printed);
    return boards;
}

void boards_destroy(struct boards *boards)
{
    if (boards == NULL) { return; }
    free(boards->text);
    lock_signal_finish(&boards->printed);
    lock_finish(&boards->lock);
    free(boards);
}

/* In the place of the last one. */
static void lay_out(struct boards *boards, bool good, struct str text) REQUIRES(boards->lock)
{
    free(boards->text);
    boards->text = NULL;
    boards->len = 0;
    boards->good = good;
    if (!good || boards->waiting == 0) { return; }
    boards->text = array_zeroed(1, text.len + 1);
    boards->len = text.len;
    if (text.len > 0) { memcpy(boards->text, text.ptr, text.len); }
}

/* With the lock held at both ends, and not in between. */
static bool print_board(struct boards *boards, board_printer *print, void *context, struct buf *out) REQUIRES(boards->lock)
{
    size_t begin = out->len;
    boards->begun++;
    lock_drop(&boards->lock);
    bool good = print(context, out);
    lock_take(&boards->lock);
    boards->ended++;
    lay_out(boards, good, str_slice(buf_str(out), begin, out->len));
    lock_wake_all(&boards->printed);
    if (!good) { out->len = begin; }
    return good;
}

bool boards_take(struct boards *boards, board_printer *print, void *context, struct buf *out)
{
    lock_take(&boards->lock);
    uint64_t wanted = boards->begun + 1;                 /* the one that is being printed may have been read too early */
    boards->waiting++;
    while (boards->ended < wanted && boards->begun > boards->ended) { lock_wait(&boards->printed, &boards->lock); }
    boards->waiting--;
    bool mine = boards->ended < wanted, good = mine ? print_board(boards, print, context, out) : boards->good;
    if (!mine && good) { buf_put(out, (struct str){ boards->text, boards->len }); }
    if (boards->waiting == 0) {
        free(boards->text);
        boards->text = NULL;
    }
    lock_drop(&boards->lock);
    return good;
}

int64_t news_moment(int64_t ms, int64_t every_ms) { return (ms / every_ms + 1) * every_ms; }
