/* stream.c: one revision number, one signal. */
#include "server/live/stream.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/num.h"

struct stream {
    struct lock lock;
    struct lock_signal news, end;            /* a viewer that knows of news and waits for its moment waits on `end`: more news do not wake it */
    atomic_int_fast64_t revision;            /* written without the lock: the writer never waits for viewers … */
    atomic_size_t viewers;                   /* … and takes it only when there are some */
    atomic_size_t listeners;                 /* the same of the server's own threads */
    size_t viewers_max;
    bool stopping;                           /* guarded by lock */
};

struct stream *stream_create(size_t viewers_max)
{
    struct stream *stream = calloc(1, sizeof *stream);
    ASSERT(stream != NULL);
    stream->viewers_max = viewers_max;
    lock_init(&stream->lock);
    lock_signal_init(&stream->news);
    lock_signal_init(&stream->end);
    return stream;
}

void stream_stop(struct stream *stream)
{
    lock_take(&stream->lock);
    stream->stopping = true;
    lock_wake_all(&stream->news);
    lock_wake_all(&stream->end);
    lock_drop(&stream->lock);
}

void stream_destroy(struct stream *stream)
{
    if (stream == NULL) { return; }
    ASSERT(atomic_load(&stream->viewers) + atomic_load(&stream->listeners) == 0);
    lock_signal_finish(&stream->news);
    lock_signal_finish(&stream->end);
    lock_finish(&stream->lock);
    free(stream);
}

void stream_notify(struct stream *stream, int64_t revision)
{
    atomic_store(&stream->revision, revision);
    if (atomic_load(&stream->viewers) + atomic_load(&stream->listeners) == 0) { return; }
    lock_take(&stream->lock);                             /* a viewer that has looked already is asleep now */
    lock_wake_all(&stream->news);
    lock_drop(&stream->lock);
}

bool stream_enter(struct stream *stream)
{
    if (atomic_fetch_add(&stream->viewers, 1) < stream->viewers_max) { return true; }
    atomic_fetch_sub(&stream->viewers, 1);
    return false;
}

size_t stream_viewers(const struct stream *stream) { return atomic_load(&stream->viewers); }

void stream_leave(struct stream *stream)
{
    size_t before = atomic_fetch_sub(&stream->viewers, 1);
    ASSERT(before > 0);
}

void stream_listen(struct stream *stream) { atomic_fetch_add(&stream->listeners, 1); }

void stream_unlisten(struct stream *stream)
{
    size_t before = atomic_fetch_sub(&stream->listeners, 1);
    ASSERT(before > 0);
}

enum stream_event stream_wait(struct stream *stream, int64_t since, int64_t not_before_ms, int64_t until_ms)
{
    enum stream_event event = STREAM_SILENCE;
    lock_take(&stream->lock);
    for (;;) {
        int64_t now_ms = clock_monotonic_ms();
        bool news = atomic_load(&stream->revision) > since;
        if (stream->stopping) { event = STREAM_STOPPED; break; }
        if (news && now_ms >= not_before_ms) { event = STREAM_NEWS; break; }
        if (!news && now_ms >= until_ms) { break; }
        (void)lock_wait_until(news ? &stream->end : &stream->news, &stream->lock, news ? not_before_ms : until_ms);
    }
    lock_drop(&stream->lock);
    return event;
}
