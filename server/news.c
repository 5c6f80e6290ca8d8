#include "server/news.h"

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

int64_t news_moment(int64_t ms, int64_t every_ms) { return (ms / every_ms + 1) * every_ms; }
