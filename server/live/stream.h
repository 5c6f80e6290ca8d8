/* stream.h: wakes viewers of the page when a commit has happened; they read the changes from the store's feed. Each viewer holds a thread, so their number
 * is bounded. */
#ifndef BERTH_SERVER_LIVE_STREAM_H
#define BERTH_SERVER_LIVE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream;
struct stream *stream_create(size_t viewers_max);
void           stream_stop(struct stream *stream);                   /* ends every wait, now and from now on */
void           stream_destroy(struct stream *stream);                /* accepts NULL */

void           stream_notify(struct stream *stream, int64_t revision);      /* any thread */
bool           stream_enter(struct stream *stream);                  /* false: there are too many viewers */
void           stream_leave(struct stream *stream);
size_t         stream_viewers(const struct stream *stream);          /* that are there now */

void           stream_listen(struct stream *stream);                 /* a thread of the server's own, which is no viewer, waits too */
void           stream_unlisten(struct stream *stream);

enum stream_event { STREAM_NEWS, STREAM_SILENCE, STREAM_STOPPED };
/* Until there is a revision behind `since`, but not before `not_before_ms`; STREAM_SILENCE at `until_ms`. Monotonic. */
enum stream_event stream_wait(struct stream *stream, int64_t since, int64_t not_before_ms, int64_t until_ms);

#endif
