#include "server/live/event_cache.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/lock.h"

struct event_cache {
    struct lock lock;                        /* guards all */
    int64_t since, until;                    /* the revisions of the text; equal: nothing has been printed */
    char *text; size_t len, capacity;
};

struct event_cache *event_cache_create(void)
{
    struct event_cache *cache = array_zeroed(1, sizeof *cache);
    lock_init(&cache->lock);
    return cache;
}

void event_cache_destroy(struct event_cache *cache)
{
    if (cache == NULL) { return; }
    lock_finish(&cache->lock);
    free(cache->text);
    free(cache);
}

static void keep(struct event_cache *cache, int64_t since, int64_t until, struct str text)
{
    ASSERT(until >= since);
    cache->text = array_grow(cache->text, &cache->capacity, text.len, 1);
    if (text.len > 0) { memcpy(cache->text, text.ptr, text.len); }
    cache->len = text.len;
    cache->since = since;
    cache->until = until;
}

bool event_cache_tell(struct event_cache *cache, int64_t *since, event_printer *print, const void *context, struct buf *out)
{
    lock_take(&cache->lock);
    bool known = cache->since == *since && cache->until > *since, good = true;
    size_t begin = out->len;
    int64_t until = *since;
    if (known) {
        buf_put(out, (struct str){ cache->text, cache->len });
        until = cache->until;
    } else {
        good = print(context, *since, &until, out);
        if (good) { keep(cache, *since, until, str_slice(buf_str(out), begin, out->len)); }
    }
    lock_drop(&cache->lock);
    if (good) { *since = until; } else { out->len = begin; }
    return good;
}

int64_t event_cache_moment(int64_t ms, int64_t every_ms) { return (ms / every_ms + 1) * every_ms; }
