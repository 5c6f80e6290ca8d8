#include "server/live/board_cache.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/lock.h"

struct board_cache {
    struct lock lock;                        /* guards all */
    struct lock_signal printed;
    uint64_t begun, ended;                   /* counts of prints; one more begun: one is running */
    size_t waiting;
    bool good;                               /* the last printer's result; text is kept only while a caller waits */
    char *text; size_t len;
};

struct board_cache *board_cache_create(void)
{
    struct board_cache *cache = array_zeroed(1, sizeof *cache);
    lock_init(&cache->lock);
    lock_signal_init(&cache->printed);
    return cache;
}

void board_cache_destroy(struct board_cache *cache)
{
    if (cache == NULL) { return; }
    ASSERT(cache->waiting == 0 && cache->begun == cache->ended);
    free(cache->text);
    lock_signal_finish(&cache->printed);
    lock_finish(&cache->lock);
    free(cache);
}

/* In place of the last text. */
static void lay_out(struct board_cache *cache, bool good, struct str text) REQUIRES(cache->lock)
{
    free(cache->text);
    cache->text = NULL;
    cache->len = 0;
    cache->good = good;
    if (!good || cache->waiting == 0) { return; }
    cache->text = array_zeroed(1, text.len + 1);
    cache->len = text.len;
    if (text.len > 0) { memcpy(cache->text, text.ptr, text.len); }
}

/* With the lock held at both ends, and not in between. */
static bool print_board(struct board_cache *cache, board_printer *print, const void *context, struct buf *out) REQUIRES(cache->lock)
{
    ASSERT(cache->begun == cache->ended);                /* one prints at a time */
    size_t begin = out->len;
    cache->begun++;
    lock_drop(&cache->lock);
    bool good = print(context, out);
    lock_take(&cache->lock);
    cache->ended++;
    lay_out(cache, good, str_slice(buf_str(out), begin, out->len));
    lock_wake_all(&cache->printed);
    if (!good) { out->len = begin; }
    return good;
}

bool board_cache_take(struct board_cache *cache, board_printer *print, const void *context, struct buf *out)
{
    lock_take(&cache->lock);
    uint64_t wanted = cache->begun + 1;                 /* the one that is being printed may have been read too early */
    cache->waiting++;
    while (cache->ended < wanted && cache->begun > cache->ended) { lock_wait(&cache->printed, &cache->lock); }
    cache->waiting--;
    bool mine = cache->ended < wanted, good = mine ? print_board(cache, print, context, out) : cache->good;
    ASSERT(mine || !good || cache->text != NULL);        /* kept while somebody waits */
    if (!mine && good) { buf_put(out, (struct str){ cache->text, cache->len }); }
    if (cache->waiting == 0) {
        free(cache->text);
        cache->text = NULL;
    }
    lock_drop(&cache->lock);
    return good;
}
